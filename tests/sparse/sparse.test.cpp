// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// sparse_jacobian and sparse_hessian: the entries are those of jacobian and hessian, at the places that the types say;
// what they cost; loops; arguments of every structure; functions of which nothing is left.

#include <dyad/sparse.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

namespace {

template <std::size_t N>
constexpr std::array<double, N> points() {
    std::array<double, N> x{};
    for (std::size_t i = 0; i < N; ++i) x[i] = 0.3 + 0.17 * static_cast<double>(i * i % 11);
    return x;
}

constexpr auto rosenbrock = [](const auto& x) {
    auto sum = 0 * x[0];
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        const auto a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        sum = sum + 100 * a * a + b * b;
    }
    return sum;
};
constexpr auto arrow = [](const auto& x) {
    auto sum = x[0] * x[0];
    for (std::size_t i = 1; i < x.size(); ++i) sum = sum + x[0] * x[i] * x[i];
    return sum;
};
/// A discretised boundary value problem: three entries a row.
constexpr auto stencil = [](const auto& u) {
    auto r = u;
    const std::size_t n = u.size();
    for (std::size_t i = 0; i < n; ++i) {
        r[i] = 2 * u[i] + exp(u[i]);
        if (i > 0) r[i] = r[i] - u[i - 1] * u[i];
        if (i + 1 < n) r[i] = r[i] - u[i + 1];
    }
    return r;
};

// --- the type says where the entries are; all of it works in constant evaluation ---

constexpr auto small = [](const auto& x) { return std::array{x[0] * x[0], x[0] * x[1], x[2]}; };
constexpr auto small_matrix = dyad::sparse_jacobian(small)(std::array{2.0, 3.0, 5.0});
static_assert(small_matrix.nonzeros == 4);
static_assert(small_matrix.size == std::array<std::size_t, 2>{3, 3});
static_assert(small_matrix.rows == std::array<std::size_t, 4>{0, 1, 1, 2});
static_assert(small_matrix.columns == std::array<std::size_t, 4>{0, 0, 1, 2});
static_assert(small_matrix.row_starts == std::array<std::size_t, 4>{0, 1, 3, 4});
static_assert(small_matrix.values == std::array{4.0, 3.0, 2.0, 1.0});
static_assert(small_matrix.dense() == std::array{std::array{4.0, 0.0, 0.0}, std::array{3.0, 2.0, 0.0}, std::array{0.0, 0.0, 1.0}});

using rosenbrock_matrix = decltype(dyad::sparse_hessian(rosenbrock)(points<10>()));
static_assert(rosenbrock_matrix::nonzeros == 28); // 10 on the diagonal, 9 on each side
static_assert(rosenbrock_matrix::colours == 3);
static_assert(dyad::sparse_hessian(rosenbrock)(points<4>()).dense() == dyad::hessian(rosenbrock)(points<4>()));

// Many: within the default limits of constant evaluation, which the dense Hessian of 50 already exceeds.
static_assert(decltype(dyad::sparse_hessian(rosenbrock)(points<50>()))::nonzeros == 50 + 2 * 49);

using arrow_matrix = decltype(dyad::sparse_hessian(arrow)(points<12>()));
static_assert(arrow_matrix::nonzeros == 12 + 2 * 11);
static_assert(arrow_matrix::colours == 2);

using stencil_matrix = decltype(dyad::sparse_jacobian(stencil)(points<12>()));
static_assert(stencil_matrix::nonzeros == 34);
static_assert(stencil_matrix::colours == 3);

// --- rows instead of columns where they have fewer colours ---

constexpr auto dense_row = [](const auto& x) {
    auto r = x;
    for (std::size_t i = 0; i < x.size(); ++i) r[i] = sin(x[i]);
    for (std::size_t i = 1; i < x.size(); ++i) r[0] = r[0] + x[i] * x[i];
    return r;
};
static_assert(decltype(dyad::sparse_jacobian(dense_row)(points<8>()))::colours == 2);
static_assert(decltype(dyad::sparse_jacobian(rosenbrock)(points<8>()))::colours == 1);

// --- nothing left ---

constexpr auto linear = [](const auto& x) { return 2 * x[0] - x[1] + 7; };
constexpr auto no_hessian = dyad::sparse_hessian(linear)(std::array{1.0, 2.0});
static_assert(no_hessian.nonzeros == 0 && no_hessian.rows.empty() && no_hessian.values.empty());
static_assert(no_hessian.row_starts == std::array<std::size_t, 3>{0, 0, 0});
static_assert(no_hessian.dense() == std::array{std::array{0.0, 0.0}, std::array{0.0, 0.0}});
static_assert(dyad::sparse_jacobian([](auto x) { return floor(x); })(2.5).nonzeros == 0);
static_assert(dyad::sparse_jacobian([](auto) { return 3.0; })(2.5).nonzeros == 0);

// --- arguments: several, chosen ones, plain numbers, floats, tuples ---

constexpr auto product = [](auto x, auto y, auto z) { return x * y * y + 3 * z; };
static_assert(dyad::sparse_hessian(product)(2.0, 3.0, 4.0).dense() == dyad::hessian(product)(2.0, 3.0, 4.0));
static_assert(dyad::sparse_hessian<0, 1>(product)(2.0, 3.0, 4.0).values == std::array{6.0, 6.0, 4.0});
static_assert(dyad::sparse_hessian<0>(product)(2.0, 3.0, 4.0).nonzeros == 0);
static_assert(dyad::sparse_jacobian<2>(product)(2.0, 3.0, 4.0).values == std::array{3.0});
static_assert(dyad::sparse_jacobian<1>(product)(2, 3.0, 4).values == std::array{12.0});
static_assert(std::is_same_v<decltype(dyad::sparse_hessian(product)(2.0F, 3.0F, 4.0F).values), std::array<float, 3>>);
static_assert(dyad::sparse_jacobian([](const auto& p, auto s) { return std::tuple{std::get<0>(p) * s, std::get<1>(p)}; })(std::tuple{2.0, 3.0}, 4.0).dense() ==
              std::array{std::array{4.0, 0.0, 2.0}, std::array{0.0, 1.0, 0.0}});
static_assert(dyad::sparse_jacobian(dyad::grad(product))(2.0, 3.0, 4.0).dense() == dyad::hessian(product)(2.0, 3.0, 4.0)); // of a transform
static_assert(dyad::sparse_hessian(dyad::strict(product))(2.0, 3.0, 4.0).dense() == dyad::hessian(product)(2.0, 3.0, 4.0));

// --- the cost: compressed sweeps are as many operations as one for each column ---

template <class F, bool Second, class S>
constexpr std::size_t compressed_cost = dyad::operation_count(dyad::sparse_program<F, dyad::positions<0>, Second, S>::lowered::graph);
template <class F, dyad::transform K, class S>
constexpr std::size_t dense_cost = dyad::operation_count(
    dyad::transform_program<F, K, dyad::positions<0>, dyad::default_policy, S>::lowered::graph);
static_assert(compressed_cost<std::remove_const_t<decltype(rosenbrock)>, true, std::array<double, 10>> ==
              dense_cost<std::remove_const_t<decltype(rosenbrock)>, dyad::transform::hessian, std::array<double, 10>>);
static_assert(compressed_cost<std::remove_const_t<decltype(arrow)>, true, std::array<double, 12>> ==
              dense_cost<std::remove_const_t<decltype(arrow)>, dyad::transform::hessian, std::array<double, 12>>);
static_assert(compressed_cost<std::remove_const_t<decltype(stencil)>, false, std::array<double, 12>> <=
              dense_cost<std::remove_const_t<decltype(stencil)>, dyad::transform::jacobian, std::array<double, 12>>);

// Around a loop they are fewer: two pairs that go round together need two sweeps, not four.
constexpr auto oscillators = [](const auto& x) {
    return dyad::fori_loop(100, [](auto, auto s) {
        auto next = s;
        for (std::size_t i = 0; i + 1 < s.size(); i += 2) {
            next[i] = s[i] + 0.01 * sin(s[i + 1]);
            next[i + 1] = s[i + 1] - 0.01 * s[i];
        }
        return next;
    }, x);
};
using four = std::array<double, 4>;
using oscillators_function = std::remove_const_t<decltype(oscillators)>;
using oscillators_layout = dyad::sparse_program<oscillators_function, dyad::positions<0>, false, four>::layout;
static_assert(oscillators_layout::nonzeros == 8);
static_assert(oscillators_layout::colours().count == 2);
template <class Program>
constexpr int sweeps = [] {
    const dyad::graph_view g = Program::derived::graph;
    int count = 0;
    for (std::size_t i = 0; i < g.size; ++i) count += dyad::is_loop(g[i].op);
    return count;
}();
static_assert(sweeps<dyad::sparse_program<oscillators_function, dyad::positions<0>, false, four>> <
              sweeps<dyad::transform_program<oscillators_function, dyad::transform::jacobian, dyad::positions<0>, dyad::default_policy, four>>);

constexpr auto ruled = dyad::custom_gradient([](auto x, auto y) { return x + y; },
                                             [](auto x, auto y, auto, auto g) { return std::tuple{g * y, g * x}; });

template <class A, class B>
void check_equal(const A& a, const B& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        REQUIRE(a[i].size() == b[i].size());
        for (std::size_t j = 0; j < a[i].size(); ++j) CHECK(a[i][j] == doctest::Approx(b[i][j]).epsilon(1e-13));
    }
}
template <class F, class S>
void check_jacobian(const F& f, const S& x) {
    check_equal(dyad::sparse_jacobian(f)(x).dense(), dyad::jacobian(f)(x));
}
template <class F, class S>
void check_hessian(const F& f, const S& x) {
    check_equal(dyad::sparse_hessian(f)(x).dense(), dyad::hessian(f)(x));
}

} // namespace

TEST_CASE("with their zeros, sparse derivatives are the dense ones") {
    check_hessian(rosenbrock, points<10>());
    check_hessian(arrow, points<6>());
    check_jacobian(stencil, points<6>());
    check_jacobian(dense_row, points<8>());
    check_hessian([](const auto& x) { return exp(x[0] * x[1]) / x[2] + max(x[1] * x[3], x[2]) + where(x[0] < x[3], x[4] * x[4], sin(x[0] + x[4])); },
                  points<5>());
    check_jacobian([](const auto& x) { return std::array{max(x[0], x[1] * x[1]), where(x[1] < x[2], pow(x[2], x[3]), x[4]), x[4] * x[4]}; }, points<5>());
}

TEST_CASE("more variables than the dense Hessian compiles with") {
    const auto x = points<50>();
    const auto h = dyad::sparse_hessian(rosenbrock)(x);
    for (std::size_t k = 0; k < h.nonzeros; ++k) {
        const std::size_t i = h.rows[k], j = h.columns[k];
        double expected = i == j ? 0 : -400 * x[i < j ? i : j];
        if (i == j && i + 1 < x.size()) expected += 2 - 400 * (x[i + 1] - 3 * x[i] * x[i]);
        if (i == j && i > 0) expected += 200;
        CHECK(h.values[k] == doctest::Approx(expected).epsilon(1e-13));
    }
}

TEST_CASE("around loops and branches") {
    constexpr auto diffusion = [](const auto& u) { // bandwidth 2
        return dyad::fori_loop(2, [](auto, auto s) {
            auto next = s;
            for (std::size_t i = 1; i + 1 < s.size(); ++i) next[i] = s[i] + 0.1 * (s[i + 1] - 2 * s[i] + s[i - 1] * s[i]);
            return next;
        }, u);
    };
    check_jacobian(diffusion, points<5>());
    CHECK(dyad::sparse_jacobian(diffusion)(points<5>()).nonzeros == 1 + 4 + 5 + 4 + 1);

    check_jacobian(oscillators, points<4>());

    constexpr auto newton = [](const auto& x) {
        const auto root = dyad::while_loop([](const auto& s) { return abs(s[0] * s[0] - s[1]) > 1e-12; },
                                           [](const auto& s) { return std::array{(s[0] + s[1] / s[0]) / 2, s[1]}; }, std::array{x[0], x[1]});
        return root[0] + x[2] * x[3];
    };
    check_hessian(newton, std::array{1.0, 3.0, 0.5, 0.25});
    check_equal(dyad::sparse_jacobian(newton)(std::array{1.0, 3.0, 0.5, 0.25}).dense(),
                std::array<std::array<double, 4>, 1>{dyad::grad(newton)(std::array{1.0, 3.0, 0.5, 0.25})});

    constexpr auto powers = [](const auto& x) {
        return dyad::fori_loop(5, [&](auto, auto s) { return s * x[1] + sin(x[1]); }, x[0] * x[3]) + x[2] * x[2];
    };
    check_hessian(powers, points<4>());
    CHECK(dyad::sparse_hessian(powers)(points<4>()).nonzeros < 12);

    constexpr auto band = [](const auto& x) { // each result takes its element and the one before
        return dyad::scan([](auto before, auto e) { return std::pair{e, e * before + sin(e)}; }, 1.0, x).second;
    };
    check_jacobian(band, points<6>());
    CHECK(dyad::sparse_jacobian(band)(points<6>()).nonzeros == 6 + 5);
    constexpr auto blocks = [](const auto& x) { // pairs, each mapped to a pair
        const auto pairs = std::array{std::array{x[0], x[1]}, std::array{x[2], x[3]}, std::array{x[4], x[5]}};
        const auto [p, q] = dyad::map([](const auto& e) { return std::array{e[0] * e[1], sin(e[0]) + e[1] * e[1]}; }, pairs);
        return std::array{p[0], q[0], p[1], q[1], p[2], q[2]};
    };
    check_jacobian(blocks, points<6>());
    CHECK(dyad::sparse_jacobian(blocks)(points<6>()).nonzeros == 3 * 4);

    constexpr auto choice = [](const auto& x) {
        return cond(x[0] > 0, [](auto y, auto z) { return y * y + z; }, [](auto y, auto z) { return y * z; }, x[1], x[2]);
    };
    check_hessian(choice, std::array{1.0, 3.0, 2.0});
    check_hessian(choice, std::array{-1.0, 3.0, 2.0});
}

TEST_CASE("a rule is obeyed, off its pattern too") {
    constexpr auto around = [](const auto& x) { return ruled(x[0], x[1]) + x[2] * x[2]; };
    check_hessian(around, std::array{2.0, 3.0, 4.0});
    CHECK(dyad::sparse_jacobian(around)(std::array{2.0, 3.0, 4.0}).values == std::array{3.0, 2.0, 8.0});
}

TEST_CASE("infinite and undefined values stay in their entries") {
    constexpr double infinite = std::numeric_limits<double>::infinity(), undefined = std::numeric_limits<double>::quiet_NaN();
    const auto h = dyad::sparse_hessian(rosenbrock)(std::array{1.0, infinite, 1.0, 1.0, undefined, 1.0, 1.0}).dense();
    CHECK(h[0][0] == -infinite);
    CHECK(std::isnan(h[4][4]));
    CHECK(h[0][6] == 0.0);
    CHECK(h[1][4] == 0.0);
    CHECK(h[6][6] == 200.0);
    CHECK(h[6][5] == -400.0);
}

TEST_CASE("products with a compressed matrix") {
    const auto x = points<12>();
    const auto j = dyad::sparse_jacobian(stencil)(x);
    const auto along = dyad::jvp(stencil)(x, x).second;
    for (std::size_t i = 0; i < j.size[0]; ++i) {
        double sum = 0;
        for (std::size_t k = j.row_starts[i]; k < j.row_starts[i + 1]; ++k) {
            CHECK(j.rows[k] == i);
            sum += j.values[k] * x[j.columns[k]];
        }
        CHECK(sum == doctest::Approx(along[i]).epsilon(1e-13));
    }
}

TEST_CASE("behind a rule of the user's nothing is taken for symmetric") {
    constexpr auto f = dyad::custom_gradient([](auto a, auto b) { return a * b; }, [](auto, auto b, auto, auto u) { return std::tuple{u * b, 0 * u}; });
    CHECK(dyad::sparse_hessian(f)(3.0, 5.0).dense() == std::array{std::array{0.0, 1.0}, std::array{0.0, 0.0}});
}
TEST_CASE("derivatives of loops, and checkpoints around loops, have all their entries") {
    constexpr auto sine = [](auto x) { return dyad::fori_loop(3, [&](auto, auto s) { return dyad::sin(s * x[1]); }, x[0]); };
    const std::array two{0.5, 0.8};
    const std::array three{1.0, 2.0, 3.0};
    const auto same = [](const auto& sparse, const auto& full) {
        for (std::size_t i = 0; i < full.size(); ++i) {
            for (std::size_t j = 0; j < full[i].size(); ++j) CHECK(std::abs(sparse[i][j] - full[i][j]) <= 1e-14 * std::abs(full[i][j]));
        }
    };
    same(dyad::sparse_jacobian(dyad::grad(sine))(two).dense(), dyad::hessian(sine)(two));
    constexpr auto turned = [](auto x) {
        return std::array{dyad::checkpoint([](auto a, auto b, auto c) {
            return std::get<2>(dyad::fori_loop(2, [&](auto, auto s) {
                auto [p, q, r] = s;
                return std::tuple{q, p, r + dyad::exp(p) * c};
            }, std::tuple{a, b, 0.0}));
        })(x[0], x[1], x[2])};
    };
    same(dyad::sparse_jacobian(turned)(three).dense(), dyad::jacobian(turned)(three));
    constexpr auto branched = [](auto x) {
        return std::get<2>(dyad::fori_loop(2, [&](auto, auto s) {
            auto [a, b, sum] = s;
            return std::tuple{b, a, sum + dyad::cond(a > 0, [](auto t) { return dyad::exp(t) * t; }, [](auto t) { return dyad::sin(t); }, a)};
        }, std::tuple{x[0], x[1], 0.0}));
    };
    same(dyad::sparse_jacobian(dyad::grad(branched))(two).dense(), dyad::hessian(branched)(two));
    same(dyad::sparse_hessian(branched)(two).dense(), dyad::hessian(branched)(two));
}
