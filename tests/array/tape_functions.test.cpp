// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The functions of arrays on arrays of recorded numbers: bodies for grad that run on the tape unchanged, and branch.

#include "differences.hpp"

#include <dyad/dyad.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace {

using dyad::real, dyad::tape;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

const vector a{1, -2, 3}, b{1.5, 2, 0.25}, t{1, 0};
const matrix X{{1, 2, 3}, {4, 5, -6}}, S{{4, 1}, {1, 3}};

/// A body for grad, on the tape: its value and gradient by the first argument are those of a plain function.
template <class F, class Plain, class W, class... S>
void runs_on_the_tape(const F& f, const Plain& plain, const W& w, const S&... rest) {
    static_assert(dyad::graph_of<W, S...>(dyad::grad<0>(F{})).size > 0);
    const auto [taped, slopes] = dyad::tape_value_and_grad<0>(f)(w, rest...);
    CHECK(taped == doctest::Approx(plain(w, rest...)));
    const W expected = differences::gradient(plain, w, rest...);
    REQUIRE(slopes.shape() == expected.shape());
    for (std::size_t k = 0; k < expected.size(); ++k) CHECK(slopes.data()[k] == doctest::Approx(expected.data()[k]));
}
/// Σ g(element)
template <class A, class G>
double total(const A& values, const G& g) {
    double result = 0;
    for (const double e : values) result += g(e);
    return result;
}
double squares(const vector& w) {
    return total(w, [](double e) { return e * e; });
}
double cubes(const vector& w) {
    return total(w, [](double e) { return e * e * e; });
}
double variance(const vector& w) {
    return squares(w) / static_cast<double>(w.size()) - std::pow(xt::mean(w)(), 2);
}
double squared_error(const vector& w, const matrix& x, const vector& y) {
    return squares(xt::sum(x * w, 1) - y) / static_cast<double>(y.size());
}

} // namespace

TEST_CASE("reductions, by their own name and by argument-dependent look-up") {
    runs_on_the_tape([](auto w) { return sum(w * w) + mean(exp(w)) * dyad::prod(w); },
                     [](const vector& w) { return squares(w) + xt::mean(xt::exp(w))() * w(0) * w(1) * w(2); }, a);
    runs_on_the_tape([](auto w) { return max(w * 2) + dyad::max(w) * dyad::min(w) + dyad::amax(w, 0); },
                     [](const vector& w) { return xt::amax(w)() * (3 + xt::amin(w)()); }, a);
    runs_on_the_tape([](auto w) { return dyad::logsumexp(w) + norm(w) + dyad::norm(w * w) + dyad::variance(w) + 2 * dyad::var(w); },
                     [](const vector& w) { return std::log(xt::sum(xt::exp(w))()) + std::sqrt(squares(w)) + std::sqrt(squares(w * w)) + 3 * variance(w); }, a);
    runs_on_the_tape([](auto x) { return sum(square(sum(x, 0))) + sum(cube(mean(x, 1))); },
                     [](const matrix& x) { return squares(xt::sum(x, 0)) + cubes(xt::mean(x, 1)); }, X);
    runs_on_the_tape([](auto x) { return sum(square(x - mean(x, -1, dyad::keep_dims))) + sum(x * dyad::log_softmax(x, 1)); }, [](const matrix& x) {
        double result = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            const vector row = xt::row(x, static_cast<std::ptrdiff_t>(i));
            result += 3 * variance(row) + squares(row) - xt::sum(row)() * std::log(xt::sum(xt::exp(row))());
        }
        return result;
    }, X);
    runs_on_the_tape([](auto w, auto v) { return dyad::dot(w, w * v) + sum(cumsum(w)); },
                     [](const vector& w, const vector& v) { return xt::sum(w * w * v)() + 3 * w(0) + 2 * w(1) + w(2); }, a, b);
}

TEST_CASE("elements, one by one by xtensor or all at once") {
    runs_on_the_tape([](auto w) { return sum(where(w > 1.5, w * w, w)) + sum(dyad::where(w > 1.5, w * w * w, w)); },
                     [](const vector& w) { return total(w, [](double e) { return e > 1.5 ? e * e + e * e * e : 2 * e; }); }, a);
    runs_on_the_tape([](auto w) { return sum(pow(w, 3)) + sum(dyad::pow(w, 3) * dyad::pow(2.0, w)) + sum(dyad::tanh(w)); },
                     [](const vector& w) { return total(w, [](double e) { return e * e * e * (1 + std::exp2(e)) + std::tanh(e); }); }, a);
    runs_on_the_tape([](auto w, auto v) { return sum(dyad::max(w, v) + dyad::atan2(v, w)); }, [](const vector& w, const vector& v) {
        double result = 0;
        for (std::size_t k = 0; k < 3; ++k) result += std::max(w(k), v(k)) + std::atan2(v(k), w(k));
        return result;
    }, a, b);
}

TEST_CASE("shapes, indices and algebra") {
    runs_on_the_tape([](auto w, auto x, auto y) { return dyad::mean(square(dyad::matmul(x, w) - y)); }, squared_error, a, X, t);
    runs_on_the_tape([](auto x, auto w, auto y) { return dyad::mean(square(dyad::matmul(x, w) - y)); },
                     [](const matrix& x, const vector& w, const vector& y) { return squared_error(w, x, y); }, X, a, t);
    runs_on_the_tape([](auto x) { return sum(square(dyad::matmul(transpose(x), x))) + sum(cube(dyad::slice(dyad::reshape(x, 3, 2), 1, 0, 1))); },
                     [](const matrix& x) {
                         double result = cubes(vector{x(0, 0), x(0, 2), x(1, 1)}); // of the first column of three rows
                         for (std::size_t i = 0; i < 3; ++i) {
                             for (std::size_t j = 0; j < 3; ++j) result += std::pow(x(0, i) * x(0, j) + x(1, i) * x(1, j), 2);
                         }
                         return result;
                     }, X);
    using indices = xt::xtensor<std::size_t, 1>;
    runs_on_the_tape([](auto w, auto i) { return sum(cube(dyad::take(w, i, 0))); },
                     [](const vector& w, const indices&) { return cubes(vector{w(0), w(0), w(2)}); }, a, indices{0, 0, 2});
    runs_on_the_tape([](auto w) { return sum(square(dyad::concatenate(std::tuple{w, w * w}, 0))); },
                     [](const vector& w) { return squares(w) + squares(w * w); }, a);
    runs_on_the_tape([](auto w) {
        const auto [head, rest] = dyad::split(w, 0, 1);
        return sum(head * head) + sum(rest * rest * rest);
    }, [](const vector& w) { return w(0) * w(0) + cubes(vector{w(1), w(2)}); }, a);
    runs_on_the_tape([](auto s, auto y) { return dyad::logdet(s) + sum(square(dyad::solve(s, y))); }, [](const matrix& s, const vector& y) {
        const double det = s(0, 0) * s(1, 1) - s(0, 1) * s(1, 0);
        return std::log(det) + squares(vector{(s(1, 1) * y(0) - s(0, 1) * y(1)) / det, (s(0, 0) * y(1) - s(1, 0) * y(0)) / det});
    }, S, t);
}

TEST_CASE("a body that branches on its values, and loops until they are small") {
    const auto f = [](auto w, auto x) {
        auto h = dyad::matmul(x, w);
        int layers = 0;
        for (; layers < 40 && sum(h * h) > 0.3; ++layers) h = dyad::tanh(dyad::matmul(x, h)) * 0.8;
        if (layers > 2) return sum(h * h * h) * layers;
        return sum(h);
    };
    const matrix x{{0.5, -0.3}, {0.8, 0.1}};
    for (const vector& w : {vector{1, -2}, vector{0.1, 0.2}}) {
        const auto value = [&](const vector& at) {
            vector h{x(0, 0) * at(0) + x(0, 1) * at(1), x(1, 0) * at(0) + x(1, 1) * at(1)};
            int layers = 0;
            for (; layers < 40 && h(0) * h(0) + h(1) * h(1) > 0.3; ++layers)
                h = vector{std::tanh(x(0, 0) * h(0) + x(0, 1) * h(1)) * 0.8, std::tanh(x(1, 0) * h(0) + x(1, 1) * h(1)) * 0.8};
            return layers > 2 ? (h(0) * h(0) * h(0) + h(1) * h(1) * h(1)) * layers : h(0) + h(1);
        };
        const auto [y, slope] = dyad::tape_value_and_grad<0>(f)(w, x);
        CHECK(y == doctest::Approx(value(w)));
        for (std::size_t k = 0; k < 2; ++k) {
            vector up = w, down = w;
            up(k) += 1e-6;
            down(k) -= 1e-6;
            CHECK(slope(k) == doctest::Approx((value(up) - value(down)) / 2e-6).epsilon(1e-6));
        }
    }
}

TEST_CASE("on variables of a tape, beside plain numbers and arrays") {
    const auto f = [](auto w, auto x, auto y) {
        auto r = matmul(x, w) - y;
        auto m = sum(square(r)) + dyad::norm(w * w) * mean(exp(w)) + dyad::var(w);
        return m * max(w) + sum(where(w > 0.5, w * w, w * 3));
    };
    const auto slope = dyad::grad<0>(f)(a, X, t);
    tape tape;
    const auto w = tape.variable(a);
    const real y = f(w, X, t);
    const auto g = tape.gradient(y * 3, w);
    for (std::size_t k = 0; k < 3; ++k) CHECK(g(k) == doctest::Approx(3 * slope(k)));
}

TEST_CASE("one statement a call; sizes, types and places") {
    tape tape{dyad::persistent};
    const auto w = tape.variable(a);
    const std::size_t before = tape.size();
    const real y = dyad::sum(w);
    CHECK(tape.size() == before + 1);
    CHECK(tape.gradient(y, w)(1) == 1);
    tape.pause();
    const real constant = dyad::sum(w);
    tape.resume();
    CHECK(constant.value() == 2);
    CHECK(!tape.connected(constant, w));

    const auto narrow = tape.variable(xt::xtensor<float, 1>{1, 2});
    const dyad::active<float> z = sum(narrow * narrow);
    CHECK(tape.gradient(z, narrow)(1) == 4.0F);

    const auto none = tape.variable(vector(std::array<std::size_t, 1>{0}));
    CHECK(dyad::sum(none).value() == 0);
    const auto fixed = tape.variable(xt::xtensor_fixed<double, xt::xshape<2>>{1, 2});
    CHECK(tape.gradient(dyad::sum(fixed * fixed), fixed)(1) == 4);
    const auto flat = tape.variable(std::vector<double>{1, 2, 3});
    CHECK(tape.gradient(sum(exp(flat)) * dyad::max(flat), flat)[2] == doctest::Approx(std::exp(1.0) + std::exp(2.0) + 4 * std::exp(3.0)));
    const auto rows = tape.variable(X);
    const real part = dyad::sum(square(xt::view(rows, 1, xt::all())));
    CHECK(tape.gradient(part, rows)(0, 0) == 0);
    CHECK(tape.gradient(part, rows)(1, 2) == -12);
}

TEST_CASE("without a tape they are values, and errors name the function") {
    xt::xtensor<real, 1> w{1, 2, 3};
    const real y = dyad::sum(w * w);
    CHECK(y.value() == 14);
    tape tape;
    const auto v = tape.variable(vector{1, 2});
    std::string text;
    try {
        static_cast<void>(dyad::matmul(X, v));
    } catch (const dyad::shape_error& e) {
        text = e.what();
    }
    CHECK(text.find("matmul") != std::string::npos);
    CHECK(text.find("[2,3]") != std::string::npos);
}

TEST_CASE("arrays are joined by names that xtensor has too") {
    runs_on_the_tape([](auto x) { return dyad::sum(dyad::exp(concatenate(std::tuple{x, 2 * x}, 1))); },
                     [](const matrix& x) { return total(x, [](double e) { return std::exp(e) + std::exp(2 * e); }); }, X);
    runs_on_the_tape([](auto v) { return dyad::sum(dyad::exp(stack(std::tuple{v, 3 * v}, 0)) * 0.5); },
                     [](const vector& v) { return total(v, [](double e) { return 0.5 * (std::exp(e) + std::exp(3 * e)); }); }, a);
    runs_on_the_tape([](auto x) {
        const auto both = std::tuple{x, x};
        return dyad::sum(dyad::exp(concatenate(both, 0)));
    }, [](const matrix& x) { return total(x, [](double e) { return 2 * std::exp(e); }); }, X);
}

TEST_CASE("what functions return of their arguments, lazily, is computed before these are gone") {
    // The function's value is a sum over the elements of g.
    const auto all = [](auto f, auto g) {
        const auto plain = [&](const vector& v) { return total(v, g); };
        CHECK(double(f(a)) == doctest::Approx(plain(a)));
        runs_on_the_tape(f, plain, a);
    };
    all([](auto v) { return dyad::sum(dyad::checkpoint([](auto u) { return u * u * u; })(v)); }, [](double u) { return u * u * u; });
    const auto ruled = [](auto v) { return dyad::sum(dyad::custom_gradient([](auto u) { return u * u; }, [](auto u, auto, auto up) { return 2 * up * u; })(v)); };
    CHECK(double(ruled(a)) == doctest::Approx(squares(a)));
    all([](auto v) { return dyad::sum(dyad::cond(dyad::sum(v) > 0, [](auto u) { return u * u; }, [](auto u) { return u * 3; }, v)); },
        [](double u) { return u * u; });
    all([](auto v) { return dyad::sum(dyad::cond(dyad::sum(v) < 0, [](auto u) { return u * u; }, [](auto u) { return u * 3; }, v)); },
        [](double u) { return 3 * u; });
    all([](auto v) {
        auto z = dyad::cond(dyad::sum(v) < 0, [](const auto& u) { return u * u; }, [](const auto& u) { return dyad::sin(u); }, v);
        return dyad::sum(z * z);
    }, [](double u) { return std::pow(std::sin(u), 2); });
    all([](auto v) {
        auto [y, z] = dyad::cond(dyad::sum(v) > 0, [](auto u) { return std::pair{u * u, 2 * u}; }, [](auto u) { return std::pair{u + 1, u - 1}; }, v);
        return dyad::sum(y * z);
    }, [](double u) { return 2 * u * u * u; });
    all([](auto v) {
        auto z = dyad::fori_loop(
            2,
            [=](auto i, auto s) {
                auto u = dyad::computed(s * v);
                return dyad::computed(u + i * s);
            },
            v);
        return dyad::sum(z * z);
    }, [](double u) { return std::pow(u * u * u + u * u, 2); });
    const auto rows = dyad::tape_jacobian([](auto v) {
        auto u = dyad::computed(2 * v);
        return dyad::computed(u * u);
    })(a);
    const auto lazy_rows = dyad::tape_jacobian([](auto v) { return 4 * v * v; })(a);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            CHECK(rows[i][j] == doctest::Approx(i == j ? 8 * a(i) : 0));
            CHECK(lazy_rows[i][j] == doctest::Approx(i == j ? 8 * a(i) : 0));
        }
    }
    tape tape{dyad::persistent};
    const auto w = tape.variable(a);
    const auto squares = tape.preaccumulate([](auto v) { return v * v; }, w);
    CHECK(tape.gradient(dyad::sum(squares), w)(2) == doctest::Approx(2 * a(2)));
    const auto last = tape.checkpointed_loop(3, [](auto, auto v) { return v * v; }, w, 2);
    CHECK(tape.gradient(dyad::sum(last), w)(2) == doctest::Approx(8 * std::pow(a(2), 7)));
}

TEST_CASE("a recorded number is an array without axes, in a function of one number and in one of arrays") {
    tape tape{dyad::persistent};
    const auto x = tape.variable(-3.0);
    const auto check = [&](const auto& y, double value, double slope) {
        CHECK(y.value() == doctest::Approx(value));
        CHECK(tape.gradient(3 * y, x) == doctest::Approx(3 * slope));
    };
    check(dyad::sum(x), -3, 1);
    check(dyad::mean(x * x), 9, -6);
    check(dyad::norm(x), 3, -1);
    check(dyad::prod(x), -3, 1);
    check(dyad::amax(x), -3, 1);
    check(dyad::variance(x) + x, -3, 1);
    check(dyad::sum(x, dyad::keep_dims), -3, 1);
    const auto loss = [](auto w) { return dyad::sum(dyad::square(w)) + dyad::mean(w); };
    CHECK(dyad::tape_grad(loss)(1.5) == doctest::Approx(dyad::grad(loss)(1.5)));
    CHECK(dyad::tape_grad(loss)(xt::xtensor<double, 1>{1.5, 2})(1) == doctest::Approx(4.5));
}

TEST_CASE("spans of recorded numbers are arrays too") {
    const auto body = [](std::span<const real> w) { return dyad::sum(dyad::exp(w)) * dyad::dot(w, a) + dyad::sum(dyad::matmul(X, w)); };
    tape record;
    const std::vector<real> w = record.variable(std::vector<double>{0.5, -1, 0.25});
    const real value = body(w);
    const double total = std::exp(0.5) + std::exp(-1.0) + std::exp(0.25), dot = 0.5 + 2 + 0.75, weights[] = {5, 7, -3};
    CHECK(value.value() == doctest::Approx(total * dot + 2.5 - 7 - 0.75));
    const std::vector<double> slopes = record.gradient(value, w);
    for (std::size_t k = 0; k < 3; ++k) CHECK(slopes[k] == doctest::Approx(std::exp(w[k].value()) * dot + total * a(k) + weights[k]));
    CHECK(dyad::max(std::span<const real>(w)).value() == 0.5);
}
