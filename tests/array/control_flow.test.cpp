// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#include <doctest/doctest.h>

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <dyad/array.hpp>

#include "worse.hpp"

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

vector numbers(std::size_t n, double seed) {
    vector v = xt::zeros<double>({n});
    for (std::size_t i = 0; i < n; ++i) v(i) = std::sin(seed * static_cast<double>(i + 1));
    return v;
}
matrix numbers(std::size_t n, std::size_t m, double seed) {
    matrix v = xt::zeros<double>({n, m});
    for (std::size_t i = 0; i < n * m; ++i) v.data()[i] = std::sin(seed * static_cast<double>(i + 1));
    return v;
}
/// The largest difference between a gradient and the central differences of f() by the elements of x.
template <class X, class F>
double worst_slope(X& x, const X& gradient, F f) {
    double worst = 0;
    REQUIRE(gradient.size() == x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        double& element = x.data()[i];
        const double at = element, h = 1e-5;
        const auto value = [&](double y) {
            element = y;
            return f();
        };
        const double slope = (8 * (value(at + h) - value(at - h)) - (value(at + 2 * h) - value(at - 2 * h))) / (12 * h);
        element = at;
        worst = dyad_test::worse(worst, std::abs(slope - gradient.data()[i]));
    }
    return worst;
}

/// The log-density of a stochastic volatility model, and a result of every step.
inline constexpr auto volatility = [](auto mu, auto phi, auto log_sigma, auto h, auto y) {
    const auto last = dyad::scan(
        [&](auto state, auto now) {
            const auto [before, total] = state;
            const auto [level, observed] = now;
            const auto r = (level - (mu + phi * (before - mu))) / dyad::exp(log_sigma);
            return std::pair{std::tuple{level, total - 0.5 * (r * r + level + observed * observed * dyad::exp(-level))}, r * total};
        },
        std::tuple{mu, 0.0}, std::tuple{h, y});
    return std::get<1>(last.first) + 1e-3 * dyad::sum(last.second);
};
double plain_volatility(double mu, double phi, double log_sigma, const vector& h, const vector& y) {
    double before = mu, total = 0, results = 0;
    for (std::size_t i = 0; i < h.size(); ++i) {
        const double r = (h(i) - (mu + phi * (before - mu))) / std::exp(log_sigma);
        results += r * total;
        total -= 0.5 * (r * r + h(i) + y(i) * y(i) * std::exp(-h(i)));
        before = h(i);
    }
    return total + 1e-3 * results;
}

/// Elman's recurrent network.
inline constexpr auto network = [](auto W, auto U, auto b, auto X) {
    const auto [last, outputs] = dyad::scan(
        [&](auto h, auto x) {
            const auto next = tanh(dyad::matmul(W, h) + dyad::matmul(U, x) + b);
            return std::pair{next, next * next};
        },
        0.0 * b, X);
    return dyad::sum(last * last * last) + dyad::sum(outputs);
};
double plain_network(const matrix& W, const matrix& U, const vector& b, const matrix& X) {
    vector h = 0.0 * b, next = h;
    double total = 0;
    for (std::size_t t = 0; t < X.shape(0); ++t) {
        for (std::size_t i = 0; i < b.size(); ++i) {
            double a = b(i);
            for (std::size_t j = 0; j < b.size(); ++j) a += W(i, j) * h(j);
            for (std::size_t j = 0; j < U.shape(1); ++j) a += U(i, j) * X(t, j);
            next(i) = std::tanh(a);
            total += next(i) * next(i);
        }
        h = next;
    }
    for (const double x : h) total += x * x * x;
    return total;
}

/// n steps of Burgers' equation between walls.
inline constexpr auto burgers = [](auto u, auto nu, auto n) {
    const auto end = dyad::fori_loop(
        n,
        [&](auto, auto v) {
            const auto left = dyad::slice(v, 0, 0, -2), right = dyad::slice(v, 0, 2), middle = dyad::slice(v, 0, 1, -1);
            return v + dyad::pad(0.1 * (nu * (right - 2 * middle + left) - 0.5 * middle * (right - left)), 0, 1, 1);
        },
        u);
    return dyad::sum(end * end);
};

} // namespace

TEST_CASE("a scan over arrays keeps its results and differentiates by all that it reads") {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{33}}) {
        CAPTURE(n);
        double mu = 0.3, phi = 0.9, log_sigma = -0.4;
        vector h = numbers(n, 1.3), y = numbers(n, 0.7);
        const auto value = [&] { return plain_volatility(mu, phi, log_sigma, h, y); };
        const auto [v, g] = dyad::value_and_grad<0, 1, 2, 3>(volatility)(mu, phi, log_sigma, h, y);
        CHECK(v == doctest::Approx(value()).epsilon(1e-13));
        const double e = 1e-6;
        const auto slope = [&](double& x) {
            const double at = x;
            x = at + e;
            const double up = value();
            x = at - e;
            const double down = value();
            x = at;
            return (up - down) / (2 * e);
        };
        CHECK(std::get<0>(g) == doctest::Approx(slope(mu)).epsilon(1e-6));
        CHECK(std::get<1>(g) == doctest::Approx(slope(phi)).epsilon(1e-6));
        CHECK(std::get<2>(g) == doctest::Approx(slope(log_sigma)).epsilon(1e-6));
        CHECK(worst_slope(h, std::get<3>(g), value) < 1e-7);
    }
    CHECK_THROWS_AS((dyad::value_and_grad<0, 1, 2, 3>(volatility)(0.3, 0.9, -0.4, numbers(4, 1), numbers(5, 1))), dyad::shape_error);
}

TEST_CASE("second derivatives go through scans") {
    const auto by_mu = [](auto mu, auto h, auto y) { return volatility(mu, 0.9, -0.4, h, y); };
    const vector h = numbers(9, 1.3), y = numbers(9, 0.7);
    const auto value = [&](double mu) { return plain_volatility(mu, 0.9, -0.4, h, y); }; // of which second differences are exact: it is cubic
    CHECK(dyad::hessian<0>(by_mu)(0.3, h, y) == doctest::Approx((value(0.4) - 2 * value(0.3) + value(0.2)) / 0.01).epsilon(1e-8));
}

TEST_CASE("arrays go round") {
    matrix W = numbers(3, 3, 1.7), U = numbers(3, 2, 0.3), X = numbers(6, 2, 2.9);
    vector b = numbers(3, 0.9);
    const auto value = [&] { return plain_network(W, U, b, X); };
    const auto [v, g] = dyad::value_and_grad(network)(W, U, b, X);
    CHECK(v == doctest::Approx(value()).epsilon(1e-13));
    CHECK(worst_slope(W, std::get<0>(g), value) < 1e-8);
    CHECK(worst_slope(U, std::get<1>(g), value) < 1e-8);
    CHECK(worst_slope(b, std::get<2>(g), value) < 1e-8);
    CHECK(worst_slope(X, std::get<3>(g), value) < 1e-8);
    const matrix none = xt::zeros<double>({std::size_t{0}, std::size_t{2}});
    const auto [nothing, slopes] = dyad::value_and_grad(network)(W, U, b, none);
    CHECK(nothing == 0);
    CHECK(std::get<0>(slopes) == 0 * W);
}

TEST_CASE("time steps of a stencil, as many as an argument says") {
    for (const int n : {0, 1, 5}) {
        CAPTURE(n);
        vector u = numbers(12, 0.8);
        const auto value = [&] {
            vector v = u;
            for (int t = 0; t < n; ++t) {
                vector next = v;
                for (std::size_t i = 1; i + 1 < v.size(); ++i)
                    next(i) += 0.1 * (0.3 * (v(i + 1) - 2 * v(i) + v(i - 1)) - 0.5 * v(i) * (v(i + 1) - v(i - 1)));
                v = next;
            }
            double total = 0;
            for (const double x : v) total += x * x;
            return total;
        };
        const auto [v, g] = dyad::value_and_grad<0>(burgers)(u, 0.3, n);
        CHECK(v == doctest::Approx(value()).epsilon(1e-13));
        CHECK(worst_slope(u, g, value) < 1e-8);
    }
    CHECK_THROWS_AS(dyad::value_and_grad<0>(burgers)(numbers(12, 0.8), 0.3, -1), dyad::value_error);
}

TEST_CASE("while loops, branches, checkpoints and rules on arrays") {
    const auto power = [](auto A, auto x) { // the largest eigenvalue
        const auto [v, before, now] = dyad::while_loop(
            [](auto s) { return dyad::abs(std::get<2>(s) - std::get<1>(s)) > 1e-13; },
            [&](auto s) {
                const auto w = dyad::matmul(A, std::get<0>(s));
                const auto size = dyad::norm(w);
                return std::tuple{w / size, std::get<2>(s), size};
            },
            std::tuple{x, 0.0, 1.0});
        return now + 0.0 * dyad::sum(v) + 0.0 * before;
    };
    matrix A = {{2, 1}, {1, 3}};
    vector x = {1, 0.3};
    const auto [value, slope] = dyad::value_and_grad<0>(power)(A, x);
    CHECK(value == doctest::Approx((5 + std::sqrt(5.0)) / 2).epsilon(1e-12));
    const double c = 1 / std::sqrt(1 + std::pow((1 + std::sqrt(5.0)) / 2, 2)); // the eigenvector is (c, c (1 + √5)/2)
    CHECK(slope(0, 0) == doctest::Approx(c * c).epsilon(1e-5));
    CHECK(slope(1, 1) == doctest::Approx(1 - c * c).epsilon(1e-5));

    const auto branch = [](auto v) {
        return dyad::sum(dyad::cond(dyad::sum(v) > 0, [](auto w) { return w * w; }, [](auto w) { return 3 * w; }, v));
    };
    const vector positive = {1, 2}, negative = {-1, -2};
    CHECK(dyad::grad(branch)(positive) == vector{2, 4});
    CHECK(dyad::grad(branch)(negative) == vector{3, 3});

    const auto kept = [](auto v) { return dyad::sum(dyad::checkpoint([](auto w) { return exp(w) * w; })(v)); };
    CHECK(dyad::grad(kept)(positive)(1) == doctest::Approx(3 * std::exp(2.0)));

    const auto clipped = [](auto v) {
        const auto clip = dyad::custom_gradient([](auto w) { return 1 * w; }, [](auto, auto, auto up) { return dyad::clamp(up, -3, 3); });
        return dyad::sum(clip(v) * v);
    };
    CHECK(dyad::grad(clipped)(vector{2, 5}) == vector{2 + 2, 3 + 5});
}

/// How far hvp is from the second derivatives of a function that is a sum over elements, element by element.
template <class F, class Second>
double worst_product(F f, const vector& v, Second second) {
    const vector d = numbers(v.size(), 2.3), product = dyad::hvp(f)(v, d);
    REQUIRE(product.size() == v.size());
    double worst = 0;
    for (std::size_t i = 0; i < v.size(); ++i) worst = dyad_test::worse(worst, std::abs(product(i) - second(v(i)) * d(i)));
    return worst;
}

TEST_CASE("second derivatives of all of them") {
    const auto all = [](auto u) {
        const auto steps = dyad::fori_loop(3, [](auto, auto s) { return s + 0.1 * sin(s) * s; }, u);
        const auto halved = std::get<0>(dyad::while_loop([](auto s) { return dyad::sum(std::get<0>(s) * std::get<0>(s)) > 0.1; },
                                                         [](auto s) { return std::tuple{0.5 * std::get<0>(s) * cos(std::get<0>(s))}; }, std::tuple{steps}));
        return dyad::sum(halved * halved * halved);
    };
    const vector v = numbers(4, 1.1);
    vector now = v;
    for (int k = 0; k < 3; ++k) now = vector(now + 0.1 * xt::sin(now) * now);
    int halvings = 0;
    for (; xt::sum(now * now)() > 0.1; ++halvings) now = vector(0.5 * now * xt::cos(now));
    REQUIRE(halvings > 1);
    CHECK(worst_product(all, v, [&](double s) {
        double first = 1, second = 0; // of s by the element at the start
        const auto step = [&](double next, double slope, double bend) {
            s = next;
            second = bend * first * first + slope * second;
            first *= slope;
        };
        for (int k = 0; k < 3; ++k) step(s + 0.1 * std::sin(s) * s, 1 + 0.1 * (std::sin(s) + s * std::cos(s)), 0.1 * (2 * std::cos(s) - s * std::sin(s)));
        for (int k = 0; k < halvings; ++k) step(0.5 * s * std::cos(s), 0.5 * (std::cos(s) - s * std::sin(s)), 0.5 * (-2 * std::sin(s) - s * std::cos(s)));
        return 6 * s * first * first + 3 * s * s * second;
    }) < 1e-8);
    const auto chosen = [](auto u) {
        const auto arm = dyad::cond(dyad::sum(u) > 0, [](auto w) { return w * w * w; }, [](auto w) { return exp(w); }, u);
        return dyad::sum(dyad::checkpoint([](auto w) { return exp(w) * w; })(arm));
    };
    const auto behind = [](double arm, double slope, double bend) { return std::exp(arm) * ((arm + 2) * slope * slope + (arm + 1) * bend); };
    CHECK(worst_product(chosen, vector{0.3, 0.4}, [&](double w) { return behind(w * w * w, 3 * w * w, 6 * w); }) < 1e-8);
    CHECK(worst_product(chosen, vector{-0.3, -0.4}, [&](double w) { return behind(std::exp(w), std::exp(w), std::exp(w)); }) < 1e-8);
    const auto ruled = [](auto u) {
        const auto cube = dyad::custom_gradient([](auto w) { return w * w * w; }, [](auto w, auto, auto up) { return 3 * w * w * up; });
        return dyad::sum(cube(u) * u) + dyad::sum(dyad::map([](auto x) { return sin(x) * x; }, u));
    };
    CHECK(worst_product(ruled, v, [](double w) { return 12 * w * w + 2 * std::cos(w) - w * std::sin(w); }) < 1e-8);
}

TEST_CASE("map, and scans over containers of numbers") {
    const auto norms = [](auto X) { return dyad::sum(dyad::map([](auto row) { return dyad::norm(row); }, X)); };
    const matrix X = {{3, 4}, {5, 12}};
    const auto [total, slopes] = dyad::value_and_grad(norms)(X);
    CHECK(total == 18);
    CHECK(slopes(1, 0) == doctest::Approx(5.0 / 13));
    const auto step = [](auto s, auto x) { return std::pair{s + x, s * x}; };
    const auto [last, results] = dyad::scan(step, 1.0, std::vector<double>{2, 3, 4});
    CHECK(last == 10);
    CHECK(results == std::vector<double>{2, 9, 24});
    CHECK(dyad::scan(step, 1.0, vector{2, 3}).second == vector{2, 9});
    CHECK(dyad::map([](auto x) { return x * x; }, std::array{1.0, 2.0}) == std::array{1.0, 4.0});
    const auto inside = [](auto x) { return dyad::scan([](auto s, auto e) { return std::pair{s * e, s + e}; }, 1.0, x).second[2]; };
    CHECK(dyad::grad(inside)(std::array{2.0, 3.0, 5.0}) == std::array{3.0, 2.0, 1.0}); // 2·3 + 5
}

namespace {

inline constexpr auto mixing = [](auto u, auto A, auto n) {
    return dyad::fori_loop(n, [&](auto i, auto s) { return s + 0.1 * sin(dyad::matmul(A, s)) / (i + 1); }, u);
};
/// And its tangent along element j.
std::pair<vector, vector> plain_mixing(const vector& u, const matrix& A, int n, std::size_t j) {
    vector s = u, t = 0 * u;
    t(j) = 1;
    for (int i = 0; i < n; ++i) {
        const vector inside = xt::sum(A * s, 1), along = xt::sum(A * t, 1);
        s = vector(s + 0.1 * xt::sin(inside) / (i + 1));
        t = vector(t + 0.1 * xt::cos(inside) * along / (i + 1));
    }
    return {s, t};
}

} // namespace

TEST_CASE("whole Jacobians and Hessians by arrays, direction by direction") {
    const matrix A = numbers(3, 3, 1.7);
    const vector u = numbers(3, 0.8);
    for (const int n : {0, 1, 4}) {
        CAPTURE(n);
        const matrix by_u = dyad::jacobian<0>(mixing)(u, A, n);             // forward
        const xt::xtensor<double, 3> by_A = dyad::jacobian<1>(mixing)(u, A, n); // reverse: a vector by a matrix
        REQUIRE(by_A.shape() == std::array<std::size_t, 3>{3, 3, 3});
        for (std::size_t i = 0; i < 3; ++i) {
            const auto element = [&] { return plain_mixing(u, A, n, 0).first(i); };
            vector row = {by_u(i, 0), by_u(i, 1), by_u(i, 2)};
            matrix slopes = xt::zeros<double>({3, 3});
            for (std::size_t j = 0; j < 9; ++j) slopes.data()[j] = by_A.data()[9 * i + j];
            CHECK(worst_slope(const_cast<vector&>(u), row, element) < 1e-9);
            CHECK(worst_slope(const_cast<matrix&>(A), slopes, element) < 1e-9);
        }
    }
    const auto loss = [](auto v, auto B) {
        const auto last = mixing(v, B, 3);
        return dyad::sum(last * last * last);
    };
    const matrix H = dyad::hessian<0>(loss)(u, A);
    for (std::size_t j = 0; j < 3; ++j) {
        const auto slope = [&] {
            const auto [last, along] = plain_mixing(u, A, 3, j);
            return xt::sum(3 * last * last * along)();
        };
        const vector row = {H(j, 0), H(j, 1), H(j, 2)};
        CHECK(worst_slope(const_cast<vector&>(u), row, slope) < 1e-8);
    }
    const auto batch = [](auto X) { return dyad::vmap([](auto x) { return dyad::norm(x); })(X); };
    const matrix X = numbers(4, 2, 1.9);
    const xt::xtensor<double, 3> J = dyad::jacobian(batch)(X);
    REQUIRE(J.shape() == std::array<std::size_t, 3>{4, 4, 2});
    for (std::size_t i = 0; i < 4; ++i) {
        const double size = std::hypot(X(i, 0), X(i, 1));
        for (std::size_t k = 0; k < 4; ++k) CHECK(J(i, k, 1) == doctest::Approx(i == k ? X(i, 1) / size : 0.0));
    }
    const xt::xtensor<double, 3> each = dyad::vmap(dyad::hessian([](auto x) { return dyad::sum(x * x * x); }))(X);
    CHECK(each(2, 1, 1) == doctest::Approx(6 * X(2, 1)));
    CHECK(each(2, 0, 1) == 0);
}

TEST_CASE("vmap stacks, and composes with the transforms") {
    const auto f = [](auto w, auto x) { return dyad::sum(w * w * x) + exp(x[0]); };
    const matrix W = {{1, 2}, {3, 4}, {5, 6}}, X = {{0.5, 1}, {0, 2}, {1, -1}};
    const vector values = dyad::vmap(f)(W, X);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(values(i) == doctest::Approx(W(i, 0) * W(i, 0) * X(i, 0) + W(i, 1) * W(i, 1) * X(i, 1) + std::exp(X(i, 0))));
    const matrix slopes = dyad::vmap(dyad::grad<0>(f))(W, X);
    CHECK(slopes(2, 1) == doctest::Approx(2 * 6 * -1));
    const auto total = [](auto A, auto B) {
        return dyad::sum(dyad::square(dyad::vmap([](auto w, auto x) { return dyad::sum(w * w * x) + exp(x[0]); })(A, B)));
    };
    const matrix by_W = dyad::grad<0>(total)(W, X);
    CHECK(by_W(0, 1) == doctest::Approx(2 * values(0) * 2 * 2 * 1));
    const auto g = [](auto x, auto y) { return sin(x) * y; };
    const vector x = {0.1, 0.2}, y = {3, 4};
    CHECK(dyad::vmap(g)(x, y)(1) == doctest::Approx(std::sin(0.2) * 4));
    CHECK(dyad::vmap(dyad::grad<0>(g))(x, y)(0) == doctest::Approx(std::cos(0.1) * 3));
    const auto fused = [](auto a, auto b) { return dyad::vmap([](auto p, auto q) { return sin(p) * q; })(a, b); };
    static_assert(dyad::plan_of<vector, vector>(fused).passes() == 1); // no loop of the graph's
    CHECK_THROWS_AS(dyad::vmap(g)(x, vector{1, 2, 3}), dyad::shape_error);
}

TEST_CASE("arrays that are gone through side by side have equal first axes, or nothing is read") {
    const auto f = [](auto r, auto s) { return sum(r) * s; };
    const matrix three = {{1, 2}, {3, 4}, {5, 6}};
    CHECK(dyad::vmap(f)(three, vector{1, 2, 3}) == vector{3, 14, 33});
    CHECK(dyad::vmap(f)(matrix{{1, 2}}, vector{3}) == vector{9});
    const char* const message = "[dyad] scan, map, vmap: the arrays have 3 and 2 elements along their first axes: [3,2] vs. [2]";
    CHECK_THROWS_WITH_AS(dyad::vmap(f)(three, vector{1, 2}), message, dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::vmap(dyad::grad(f))(three, vector{1, 2}), message, dyad::shape_error);
    CHECK_THROWS_AS(dyad::vmap(f)(three, vector{1}), dyad::shape_error);
    CHECK_THROWS_AS(dyad::vmap(f)(three, vector{1, 2, 3, 4}), dyad::shape_error);
    const auto running = [](auto a, auto b) {
        return dyad::scan([](auto s, auto x) {
            const auto next = s + sum(std::get<0>(x)) * std::get<1>(x);
            return std::pair{next, next};
        }, 0.0 * b[0], std::tuple{a, b}).second;
    };
    CHECK(dyad::evaluate(running, three, vector{1, 2, 3}) == vector{3, 17, 50});
    CHECK_THROWS_WITH_AS(dyad::evaluate(running, three, vector{1, 2}), message, dyad::shape_error);
}
TEST_CASE("a scan over several containers of numbers, plain as traced") {
    const auto f = [](auto a, auto b) {
        return dyad::scan([](auto s, auto x) {
            const auto next = s + std::get<0>(x) * std::get<1>(x);
            return std::pair{next, next * next};
        }, 1.0, std::tuple{a, b}).second;
    };
    const vector a = {1, 2, 3}, b = {4, 5, 6};
    CHECK(f(a, b) == vector{25, 225, 1089});
    CHECK(dyad::evaluate(f, a, b) == f(a, b));
    CHECK(dyad::map([](auto x) { return std::get<0>(x) - std::get<1>(x); }, std::pair{std::array{3.0, 5.0}, std::array{1.0, 2.0}}) == std::array{2.0, 3.0});
    CHECK_THROWS_WITH_AS(f(a, vector{1, 2}), "[dyad] scan, map, vmap: the arrays have 3 and 2 elements along their first axes", dyad::shape_error);
}
