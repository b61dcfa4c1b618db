// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include <dyad/implicit.hpp>
#include <dyad/tape.hpp>

namespace {

using dyad::sin, dyad::cos, dyad::exp, dyad::abs;

// Square roots, by Newton's method. What is wrong on purpose must not be seen by a derivative.
inline constexpr auto newton = [](auto x) {
    return dyad::while_loop([&](auto y) { return abs(y * y - x) > 1e-14 * x; }, [&](auto y) { return (y + x / y) / 2; }, x);
};
inline constexpr auto root = dyad::implicit_root([](auto y, auto x) { return y * y - x; }, newton);
/// The root by a solver that no derivative can go through.
inline constexpr auto exact_root = dyad::implicit_root([](auto y, auto x) { return y * y - x; },
                                                       [](auto x) { return dyad::stop_gradient(dyad::sqrt(x)); });

// E - e sin E = M.
inline constexpr auto kepler_step = [](auto E, auto e, auto M) { return M + e * sin(E); };
inline constexpr auto kepler_newton = [](auto e, auto M) {
    return dyad::while_loop([&](auto E) { return abs(E - e * sin(E) - M) > 4e-15; },
                            [&](auto E) { return E - (E - e * sin(E) - M) / (1 - e * cos(E)); }, M + e);
};
inline constexpr auto kepler = dyad::implicit_root([](auto E, auto e, auto M) { return E - e * sin(E) - M; }, kepler_newton);
inline constexpr auto kepler_fixed = [](auto e, auto M) { return dyad::fixed_point(kepler_step, 0.0)(e, M); };

/// x² + y² = a, x - b y = 0: y = sqrt(a / (1 + b²)), x = b y.
inline constexpr auto circle = dyad::implicit_root(
    [](auto p, auto a, auto b) { return std::tuple{p[0] * p[0] + p[1] * p[1] - a, p[0] - b * p[1]}; },
    [](auto a, auto b) {
        const auto y = dyad::sqrt(a / (1 + b * b));
        return std::array{dyad::stop_gradient(b * y), dyad::stop_gradient(y)};
    });
inline constexpr auto circle_known = [](auto a, auto b) {
    const auto y = dyad::sqrt(a / (1 + b * b));
    return std::array{b * y, y};
};

/// y = a₀ ; x + z = a₁ b ; z - y = b : no diagonal to divide by
inline constexpr auto shifted = dyad::implicit_root(
    [](auto p, auto a, auto b) {
        const auto [x, y, z] = p;
        return std::tuple{y - a[0], x + z - a[1] * b, z - y - b};
    },
    [](auto a, auto b) { return std::tuple{a[1] * b - a[0] - b, 1.0 * a[0], a[0] + b}; });
inline constexpr auto nth = dyad::implicit_root([](auto y, auto x, auto n) { return dyad::fori_loop(n, [&](auto, auto s) { return s * y; }, 1.0) - x; },
                                                [](auto x, auto n) { return dyad::stop_gradient(dyad::pow(x, 1.0 / n)); });
/// x = cos(y a) / 2, y = sin(x) / 2 + a
inline constexpr auto pair_step = [](auto p, auto a) { return std::tuple{cos(std::get<1>(p) * a) / 2, sin(std::get<0>(p)) / 2 + a}; };
inline constexpr auto pair = [](auto a) { return dyad::fixed_point(pair_step, std::tuple{0.0, 0.0})(a); };

/// t √t = q, by forty steps that take the root.
inline constexpr auto of_root = dyad::implicit_root([](auto t, auto q) { return t * exact_root(t) - q; },
                                                    [](auto q) {
                                                        auto t = q;
                                                        for (int i = 0; i < 40; ++i) t = (t + 2 * q / exact_root(t)) / 3;
                                                        return t;
                                                    });

void check_kepler(double e, double M) {
    CAPTURE(e);
    CAPTURE(M);
    const double E = kepler(e, M), s = std::sin(E), c = std::cos(E), q = 1 - e * c;
    CHECK(E - e * s == doctest::Approx(M).epsilon(1e-14));
    const auto check_function = [&](auto f, double tolerance) {
        const auto [value, slopes] = dyad::value_and_grad(f)(e, M);
        CHECK(value == doctest::Approx(E).epsilon(tolerance));
        CHECK(std::get<0>(slopes) == doctest::Approx(s / q).epsilon(tolerance));
        CHECK(std::get<1>(slopes) == doctest::Approx(1 / q).epsilon(tolerance));
        const auto H = dyad::hessian(f)(e, M); // d/dM (1/q) = -e s / q³, d/de (1/q) = c/q² - e s²/q³, d/de (s/q) = 2 s c/q² - e s³/q³
        CHECK(H[1][1] == doctest::Approx(-e * s / (q * q * q)).epsilon(tolerance));
        CHECK(H[0][1] == doctest::Approx(c / (q * q) - e * s * s / (q * q * q)).epsilon(tolerance));
        CHECK(H[1][0] == doctest::Approx(H[0][1]).epsilon(tolerance));
        CHECK(H[0][0] == doctest::Approx(2 * s * c / (q * q) - e * s * s * s / (q * q * q)).epsilon(tolerance));
        CHECK(dyad::jvp(f)(std::tuple{e, M}, std::tuple{0.5, -2.0}).second == doctest::Approx((0.5 * s - 2) / q).epsilon(tolerance));
    };
    check_function(kepler, 1e-12);
    check_function(kepler_fixed, 1e-12);
}

} // namespace

static_assert(dyad::grad(exact_root)(4.0) == 0.25);
static_assert(dyad::hessian(exact_root)(4.0) == -0.03125);

TEST_CASE("a root's derivatives are those of the equation, of every order") {
    for (const double x : {1e-6, 0.3, 1.0, 2.0, 9.0, 1e8}) {
        CAPTURE(x);
        for (const auto order : {0, 1, 2, 3}) {
            const double y = std::sqrt(x), known[] = {y, 0.5 / y, -0.25 / (x * y), 0.375 / (x * x * y)};
            const double found[] = {dyad::value_and_grad(root)(x).first, dyad::grad(root)(x), dyad::hessian(root)(x), dyad::derivative<3>(root)(x)};
            CHECK(found[order] / known[order] == doctest::Approx(1).epsilon(1e-12));
        }
        CHECK(dyad::jvp(root)(x, 3.0).second / (1.5 / std::sqrt(x)) == doctest::Approx(1).epsilon(1e-13));
        if (x != 1) CHECK(dyad::grad(root)(x) / dyad::grad(newton)(x) == doctest::Approx(1).epsilon(1e-10)); // (of 1 the loop runs no round)
    }
    CHECK(exact_root(2.0F) == doctest::Approx(std::sqrt(2.0F)));
    CHECK(std::isinf(dyad::grad(exact_root)(0.0))); // the equation is singular there
    CHECK(std::isnan(dyad::grad(exact_root)(-1.0)));
}

TEST_CASE("a root that takes another many times on its way") {
    const double q = 2.5;
    CHECK(dyad::value_and_grad(of_root)(q).first == doctest::Approx(std::pow(q, 2.0 / 3)).epsilon(1e-14));
    CHECK(dyad::grad(of_root)(q) == doctest::Approx(2.0 / 3 * std::pow(q, -1.0 / 3)).epsilon(1e-14));
    CHECK(dyad::hessian(of_root)(q) == doctest::Approx(-2.0 / 9 * std::pow(q, -4.0 / 3)).epsilon(1e-13));
}

TEST_CASE("Kepler's equation, by Newton's method and as a fixed point") {
    check_kepler(0.3, 1.2);
    check_kepler(0.0, 0.7);
    check_kepler(0.6, -2.5);
    check_kepler(0.5, 0.0);
}

TEST_CASE("an equation system") {
    const auto J = dyad::jacobian(circle)(2.0, 0.7), K = dyad::jacobian(circle_known)(2.0, 0.7);
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) CHECK(J[i][j] == doctest::Approx(K[i][j]).epsilon(1e-14));
    }
    const auto product = [](auto p) { return p[0] * p[1] + exp(p[0]); };
    const auto H = dyad::hessian([](auto a, auto b) { return decltype(product){}(circle(a, b)); })(2.0, 0.7);
    const auto L = dyad::hessian([](auto a, auto b) { return decltype(product){}(circle_known(a, b)); })(2.0, 0.7);
    CHECK(H[0][0] == doctest::Approx(L[0][0]).epsilon(1e-13));
    CHECK(H[0][1] == doctest::Approx(L[0][1]).epsilon(1e-13));
    CHECK(H[1][1] == doctest::Approx(L[1][1]).epsilon(1e-13));
}

TEST_CASE("a system whose first pivot is zero, of tuples, with a structure among the arguments") {
    const auto sum = [](auto a, auto b) {
        const auto [x, y, z] = shifted(a, b);
        return x * x + 10 * y + 100 * z;
    };
    const double x = 5 * 3 - 2 - 3;
    const auto [da, db] = dyad::grad(sum)(std::array{2.0, 5.0}, 3.0);
    CHECK(da[0] == doctest::Approx(-2 * x + 110));
    CHECK(da[1] == doctest::Approx(2 * x * 3));
    CHECK(db == doctest::Approx(2 * x * 4 + 100));
    const auto solved = dyad::solve_small<double, 3>({{{0, 2, 1}, {1, 0, 0}, {3, 0, 4}}}, {7, 2, 10});
    CHECK(solved[0] == doctest::Approx(2).epsilon(1e-15));
    CHECK(solved[1] == doctest::Approx(3).epsilon(1e-15));
    CHECK(solved[2] == doctest::Approx(1).epsilon(1e-15));
    CHECK(dyad::solve_small<double, 1>({{{4}}}, {2})[0] == 0.5);
    CHECK_FALSE(std::isfinite(dyad::solve_small<double, 2>({{{1, 1}, {1, 1}}}, {1, 2})[0]));
}

TEST_CASE("within loops and branches") {
    const auto f = [](auto x) { return dyad::fori_loop(3, [&](auto i, auto s) { return s + root(x + i) * s; }, x); };
    const auto g = [](auto x) { return dyad::fori_loop(3, [&](auto i, auto s) { return s + dyad::sqrt(x + i) * s; }, x); };
    CHECK(dyad::grad(f)(1.7) == doctest::Approx(dyad::grad(g)(1.7)).epsilon(1e-12));
    CHECK(dyad::hessian(f)(1.7) == doctest::Approx(dyad::hessian(g)(1.7)).epsilon(1e-11));
    const auto h = [](auto x) { return dyad::cond(x > 1, [](auto y) { return root(y); }, [](auto y) { return y; }, x); };
    CHECK(dyad::grad(h)(4.0) == doctest::Approx(0.25));
    CHECK(dyad::grad(h)(0.5) == 1.0);
}

TEST_CASE("a whole number among the arguments has no derivative and does no harm") {
    const auto f = [](auto x) { return nth(x, 3); };
    CHECK(dyad::grad(f)(8.0) == doctest::Approx(1.0 / 12));
    CHECK(dyad::grad<0>(nth)(8.0, 3) == doctest::Approx(1.0 / 12));
    CHECK(dyad::tape_grad(f)(8.0) == doctest::Approx(1.0 / 12));
}

TEST_CASE("on a tape as in a graph, in both orders") {
    const auto f = [](auto e, auto M) { return sin(kepler(e, M)) * kepler_fixed(M / 4, e) + root(M); };
    const auto [value, slopes] = dyad::value_and_grad(f)(0.3, 1.2);
    const auto [taped, by_tape] = dyad::tape_value_and_grad(f)(0.3, 1.2);
    CHECK(taped == doctest::Approx(value).epsilon(1e-14));
    CHECK(std::get<0>(by_tape) == doctest::Approx(std::get<0>(slopes)).epsilon(1e-13));
    CHECK(std::get<1>(by_tape) == doctest::Approx(std::get<1>(slopes)).epsilon(1e-13));
    const auto H = dyad::hessian(f)(0.3, 1.2);
    const auto T = dyad::tape_hessian(f)(0.3, 1.2);
    CHECK(T[0][0] == doctest::Approx(H[0][0]).epsilon(1e-12));
    CHECK(T[0][1] == doctest::Approx(H[0][1]).epsilon(1e-12));
    CHECK(T[1][1] == doctest::Approx(H[1][1]).epsilon(1e-12));
    const auto g = [](auto a, auto b) { const auto p = circle(a, b); return p[0] * p[1]; };
    CHECK(std::get<0>(dyad::tape_grad(g)(2.0, 0.7)) == doctest::Approx(std::get<0>(dyad::grad(g)(2.0, 0.7))).epsilon(1e-13));
    CHECK(std::get<1>(dyad::tape_grad(g)(2.0, 0.7)) == doctest::Approx(std::get<1>(dyad::grad(g)(2.0, 0.7))).epsilon(1e-13));
    CHECK(dyad::tape_hessian(g)(2.0, 0.7)[0][1] == doctest::Approx(dyad::hessian(g)(2.0, 0.7)[0][1]).epsilon(1e-12));
}

TEST_CASE("fixed points: several numbers, limits, tolerances") {
    const auto first = [](auto a) { return std::get<0>(pair(a)); };
    const auto [x, y] = pair(0.8);
    CHECK(x == doctest::Approx(std::cos(y * 0.8) / 2).epsilon(1e-15));
    CHECK(y == doctest::Approx(std::sin(x) / 2 + 0.8).epsilon(1e-15));
    const double h = 1e-5;
    CHECK(dyad::grad(first)(0.8) == doctest::Approx((first(0.8 + h) - first(0.8 - h)) / (2 * h)).epsilon(1e-8));
    CHECK(dyad::hessian(first)(0.8) == doctest::Approx((dyad::grad(first)(0.8 + h) - dyad::grad(first)(0.8 - h)) / (2 * h)).epsilon(1e-8));
    // through the rounds, for comparison
    const auto looped = [](auto a) { return std::get<0>(dyad::fori_loop(80, [&](auto, auto p) { return pair_step(p, a); }, std::tuple{0 * a, 0 * a})); };
    CHECK(dyad::grad(first)(0.8) == doctest::Approx(dyad::grad(looped)(0.8)).epsilon(1e-12));

    const auto doubling = [](auto u, auto a) { return 2 * u + a; };
    CHECK_THROWS_WITH_AS(dyad::fixed_point(doubling, 0.0, {.limit = 50})(1.0), doctest::Contains("no fixed point after 50 rounds"), dyad::value_error);
    CHECK_THROWS_AS(dyad::fixed_point(kepler_step, 0.0)(0.3, std::numeric_limits<double>::quiet_NaN()), dyad::value_error);
    CHECK_THROWS_AS(dyad::tape_grad([&](auto a) { return dyad::fixed_point(doubling, 0.0, {.limit = 50})(a); })(1.0), dyad::value_error);
    CHECK(dyad::value_and_grad([](auto a) { return dyad::fixed_point([](auto u, auto b) { return 2 * u + b; }, 0.0, {.limit = 3})(a); })(1.0) ==
          std::pair{7.0, -1.0}); // a graph says nothing; the equation's root is -a
    CHECK(dyad::fixed_point([](auto u, auto a) { return u / 2 + a; }, 0.0, {.tolerance = 0.1})(1.0) == 1.875);
    CHECK(dyad::fixed_point([](auto, auto a) { return a; }, 1)(2.5) == 2.5);
    CHECK(dyad::fixed_point([](auto u, auto a) { return cos(u) * a; }, 0.0F)(1.0F) == doctest::Approx(0.739085).epsilon(1e-5));
}

TEST_CASE("on a tape, equations may capture numbers") {
    const double c = 0.3;
    const auto fixed = [c](auto a) { return dyad::fixed_point([c](auto u, auto b) { return cos(u) * b + c; }, 0.0)(a); };
    const double u = fixed(0.5);
    CHECK(dyad::tape_grad(fixed)(0.5) == doctest::Approx(cos(u) / (1 + 0.5 * sin(u))).epsilon(1e-12));
    const auto both = [c](auto a) { // y0 = c / a, y1 = c
        const auto p = dyad::implicit_root([c](auto y, auto b) { return std::tuple{y[0] * b - c, y[1] - y[0] * b}; },
                                           [c](auto b) { return std::array<decltype(b), 2>{c / b, 0 * b + c}; })(a);
        return 2 * p[0] + p[1];
    };
    CHECK(dyad::tape_grad(both)(0.5) == doctest::Approx(-2 * c / 0.25).epsilon(1e-14));
    CHECK(dyad::tape_grad(dyad::tape_grad(both))(0.5) == doctest::Approx(4 * c / 0.125).epsilon(1e-14));
}
TEST_CASE("a fixed point that is none says which number is not") {
    const auto second_is_lost = [](auto x, auto a) { return std::array{a * x[0], x[1] / 0.0 - x[1] / 0.0}; };
    CHECK_THROWS_WITH_AS(dyad::fixed_point(second_is_lost, std::array{1.0, 1.0})(0.5), "[dyad] fixed_point: no fixed point after 1 rounds; number 1 is nan", dyad::value_error);
}
