// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Loops over sums that stretch, and aggregates of arrays that go round.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <dyad/tape.hpp>

#include <tuple>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

} // namespace

TEST_CASE("loops over a sum go through what stretches in it as it stretches") {
    const matrix X{{1, 2}, {3, 4}}, wide{{1, 2, 3}, {3, 4, 5}};
    const vector b{10, 20};
    constexpr auto rows = [](auto a, auto c) {
        const auto sums = dyad::vmap([](auto r) { return sum(r); });
        return std::tuple{sums(a + c), sums(a + expand_dims(c, 0))};
    };
    CHECK(dyad::evaluate(rows, X, b) == std::tuple{vector{33, 37}, vector{33, 37}});
    CHECK(dyad::grad<1>([](auto a, auto c) { return sum(dyad::vmap([](auto r) { return sum(r); })(a + c)); })(wide, vector{1, 2, 3}) == vector{2, 2, 2});
    constexpr auto squares = [](auto a, auto c) { return dyad::vmap([](auto r) { return sum(r * r); })(a - c); };
    CHECK(dyad::jvp<1>(squares)(std::tuple{X, b}, vector{1, 0}).second == vector{18, 14});
    CHECK(dyad::jvp<1>(squares)(std::tuple{wide, vector{1, 2, 3}}, vector{1, 0, 0}).second == vector{0, -4});
    CHECK(dyad::hessian<1>([](auto a, auto c) { return sum(dyad::vmap([](auto r) { return sum(r * r); })(a - c)); })(wide, vector{1, 2, 3}) ==
          matrix{{4, 0, 0}, {0, 4, 0}, {0, 0, 4}});
    constexpr auto beside = [](auto a, auto c) {
        const auto y = dyad::vmap([](auto r) { return square(r); })(a);
        return sum(y * (a + c));
    };
    CHECK(dyad::grad<0>(beside)(X, b) == matrix{{3 + 20, 12 + 80}, {27 + 60, 48 + 160}});
}
namespace {
template <class W, class B>
struct weights_and_bias {
    W weights;
    B bias;
};
template <class W, class B>
weights_and_bias(W, B) -> weights_and_bias<W, B>;
inline constexpr auto aggregate_rounds = [](auto w, auto b) {
    const auto end = dyad::fori_loop(3, [](auto, auto s) { return weights_and_bias{0.5 * s.weights + sin(s.weights), tanh(matmul(s.weights, s.bias))}; }, weights_and_bias{w, b});
    return dyad::sum(end.weights) * dyad::sum(end.bias);
};
inline constexpr auto aggregate_branches = [](auto w, auto b) {
    const auto end = dyad::cond(dyad::sum(b) > 0, [](auto s) { return weights_and_bias{s.weights * s.bias, exp(s.bias)}; },
                                [](auto s) { return weights_and_bias{s.weights, s.bias * s.bias}; }, weights_and_bias{w, b});
    return dyad::sum(end.weights) * dyad::sum(end.bias);
};
inline constexpr auto aggregate_checkpoint = [](auto w, auto b) {
    const auto end = dyad::checkpoint([](auto s) { return weights_and_bias{sin(s.weights), matmul(s.weights, s.bias)}; })(weights_and_bias{w, b});
    return dyad::sum(end.weights * end.bias);
};
inline constexpr auto aggregate_scan = [](auto w, auto b) {
    const auto [end, kept] = dyad::scan([](auto s, auto row) { return std::pair{weights_and_bias{s.weights + row * s.bias, s.bias + sum(row)}, sum(s.weights) * row}; },
                                        weights_and_bias{0 * b + 1, dyad::sum(b)}, w);
    return dyad::sum(end.weights) * end.bias + dyad::sum(sin(kept));
};
} // namespace
TEST_CASE("an aggregate of arrays goes through loops, branches, checkpoints and scans") {
    const auto check = [](auto f, const matrix& w, const vector& b, double value) {
        CHECK(dyad::value_and_grad(f)(w, b).first == doctest::Approx(value).epsilon(1e-13));
        CHECK(gradients_off(f, w, b) < 1e-8);
    };
    const matrix w = numbers<double, 2>({3, 3});
    const vector b{0.8, -0.3, 0.4}, minus_b = -b; // (the sum says which branch)
    const auto product = [](const matrix& m, const vector& v) { return vector(xt::sum(m * v, 1)); };
    matrix m = w;
    vector v = b;
    for (int k = 0; k < 3; ++k) {
        const vector next = xt::tanh(product(m, v));
        m = matrix(0.5 * m + xt::sin(m));
        v = next;
    }
    check(aggregate_rounds, w, b, xt::sum(m)() * xt::sum(v)());
    check(aggregate_branches, w, b, xt::sum(w * b)() * xt::sum(xt::exp(b))());
    check(aggregate_branches, w, minus_b, xt::sum(w)() * xt::sum(b * b)());
    check(aggregate_checkpoint, w, b, xt::sum(xt::sin(w) * product(w, b))());
    vector total = xt::ones<double>({3});
    double bias = xt::sum(b)(), kept = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const vector row = xt::row(w, static_cast<std::ptrdiff_t>(i));
        kept += xt::sum(xt::sin(xt::sum(total)() * row))();
        total = vector(total + row * bias);
        bias += xt::sum(row)();
    }
    check(aggregate_scan, w, b, xt::sum(total)() * bias + kept);
}

TEST_CASE("results of several parts are stacked alike over a vector, over its traced array and on a tape") {
    const auto f = [](auto xs) {
        const auto all = dyad::map([](auto x) { return std::tuple{x * x, std::array{x, 10 * x}}; }, xs);
        return std::get<0>(all)[1] * 1.0 + std::get<1>(all)[0][1] * std::get<1>(all)[1][0];
    };
    const std::vector<double> v{1, 2};
    CHECK(f(v) == 24);
    CHECK(dyad::value_and_grad(f)(v) == std::pair{24.0, std::vector<double>{20, 14}});
    CHECK(dyad::tape_value_and_grad(f)(v) == std::pair{24.0, std::vector<double>{20, 14}});
}
TEST_CASE("what a map or a scan made in a round goes into a loop of the same round") {
    // (In the rounds that go back it is made once more. As one loop with the first it waited for itself: the compiler went round for ever.)
    const auto mapped = [](auto p, auto n) {
        return sum(sin(dyad::fori_loop(n, [&](auto, auto s) {
            const auto m = dyad::map([&](auto e) { return s * e; }, p);
            const auto inner = dyad::fori_loop(2, [&](auto, auto st) {
                const auto [a, b] = st;
                return std::tuple{0.6 * a, b * sum(a * m)};
            }, std::tuple{sin(p), s});
            return tanh(std::get<1>(inner));
        }, p)));
    };
    const auto scanned = [](auto p, auto n) {
        return sum(sin(dyad::fori_loop(n, [&](auto, auto s) {
            const auto steps = dyad::scan([&](auto k, auto e) { return std::pair{k + 1, k * s * e}; }, 0 * p[0] + 1, p); // whose state knows nothing of s
            const auto inner = dyad::while_loop([](auto st) { return std::get<0>(st) < 2; }, [&](auto st) {
                const auto [k, a, b] = st;
                return std::tuple{k + 1, 0.6 * a, b * sum(a * steps.second) / steps.first};
            }, std::tuple{0 * p[0], sin(p), s});
            return tanh(std::get<2>(inner));
        }, p)));
    };
    const auto agree = [](const auto& f) {
        const auto both = dyad::value_and_grad<0>(f);
        const vector p{0.1, 0.9, 1.3}, slope = both(p, 2).second;
        for (std::size_t i = 0; i < 3; ++i) {
            vector up = p, down = p;
            up(i) += 1e-5;
            down(i) -= 1e-5;
            CHECK(slope(i) == doctest::Approx((both(up, 2).first - both(down, 2).first) / 2e-5).epsilon(1e-7));
        }
    };
    agree(mapped);
    agree(scanned);
}
TEST_CASE("a state that no result needs by itself, but what a scan gives out, by a cotangent that is a constant") {
    const auto f = [](auto x, auto a) { return 2 * sum(dyad::scan([](auto s, auto e) { return std::pair{s + e, 3 * s}; }, x, a).second); };
    const auto arrays = [](auto x, auto a) { return 2 * sum(dyad::scan([](auto s, auto e) { return std::pair{s * 2 + e, 3 * s}; }, x, a).second); };
    const vector a{0.3, 0.7, 1.1}, x{0.5, 0.1};
    const auto agree = [&](const auto& g) {
        const auto both = dyad::value_and_grad(g);
        const double h = 1e-5;
        const auto [by_x, by_a] = both(0.5, a).second;
        CHECK(by_x == doctest::Approx((both(0.5 + h, a).first - both(0.5 - h, a).first) / (2 * h)));
        for (std::size_t i = 0; i < 3; ++i) {
            vector up = a, down = a;
            up(i) += h;
            down(i) -= h;
            CHECK(by_a(i) == doctest::Approx((both(0.5, up).first - both(0.5, down).first) / (2 * h)));
        }
    };
    agree([](auto y, auto b) { return sum(-dyad::scan([](auto s, auto e) { return std::pair{e * s, -s}; }, y, b).second); });
    agree([](auto y, auto b) { return mean(dyad::scan([](auto s, auto e) { return std::pair{e * s, 3 * s}; }, y, b).second); });
    agree([](auto y, auto b) { return -sum(dyad::scan([](auto s, auto e) {
        const auto t = 0.5 * s + e;
        return std::pair{t, -t};
    }, y, b).second); });
    agree([](auto y, auto b) { return -sum(dyad::scan([](auto s, auto e) {
        const auto p = std::get<0>(s), q = std::get<1>(s);
        return std::pair{std::tuple{q * e, p + q}, 2 * p - q};
    }, std::tuple{y, 0.1 * y}, b).second); });
    agree([](auto y, auto b) {
        return dyad::fori_loop(3, [&](auto, auto t) { return t * 0.5 + 2 * sum(dyad::scan([](auto s, auto e) { return std::pair{s * e, -s}; }, t, b).second); }, y);
    });
    CHECK(dyad::grad<1>([](auto y, auto z, auto b) {
        return 0.5 * sum(dyad::scan([](auto s, auto e) { return std::pair{std::tuple{std::get<0>(s) + e, dyad::sqrt(std::get<1>(s))}, std::get<0>(s)}; }, std::tuple{y, z}, b).second);
    })(0.5, 0.0, a) == 0);
    CHECK(dyad::grad(f)(0.5, a) == std::tuple{18.0, vector{12, 6, 0}});
    CHECK(dyad::grad(dyad::strict(f))(0.5, a) == std::tuple{18.0, vector{12, 6, 0}});
    CHECK(dyad::grad(arrays)(x, a) == std::tuple{vector{42, 42}, vector{36, 12, 0}});
    const auto unneeded = [](auto y, auto z) { // of arrays, too
        return sum(std::get<0>(dyad::fori_loop(2, [](auto, auto s) { return std::tuple{2 * std::get<0>(s), dyad::sqrt(std::get<1>(s))}; }, std::tuple{y, z})));
    };
    const vector zero{0, 0};
    CHECK(dyad::grad(unneeded)(x, zero) == std::tuple{vector{4, 4}, zero});
    CHECK(dyad::grad(dyad::strict(unneeded))(x, zero) == std::tuple{vector{4, 4}, zero});
}
