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

constexpr dyad::ode_options fine{.relative = 1e-11, .absolute = 1e-13};

// y' = -k y + t: y = (y0 - c(t0)) exp(-k (t - t0)) + c(t) with c(t) = t/k - 1/k².
inline constexpr auto decay = [](auto t, auto y, auto k) { return t - k * y; };
inline constexpr auto decay_discrete = [](auto y, auto a, auto b, auto k) { return dyad::odeint(fine, decay, y, a, b, k); };
inline constexpr auto decay_adjoint = [](auto y, auto a, auto b, auto k) { return dyad::odeint_adjoint(fine, decay, y, a, b, k); };
inline constexpr auto decay_known = [](auto y, auto a, auto b, auto k) {
    return (y - a / k + 1 / (k * k)) * dyad::exp(-k * (b - a)) + b / k - 1 / (k * k);
};

// x'' = -w² x as a system.
inline constexpr auto spring = [](auto, auto p, auto w) { return std::tuple{1 * p[1], -w * w * p[0]}; };
inline constexpr auto spring_discrete = [](auto x, auto v, auto T, auto w) { return dyad::odeint(fine, spring, std::array{x, v}, 0.0, T, w)[0]; };
inline constexpr auto spring_adjoint = [](auto x, auto v, auto T, auto w) { return dyad::odeint_adjoint(fine, spring, std::array{x, v}, 0.0, T, w)[0]; };
inline constexpr auto spring_known = [](auto x, auto v, auto T, auto w) { return x * dyad::cos(w * T) + v / w * dyad::sin(w * T); };

template <class G, class H>
void check_tuples(const G& found, const H& known, double tolerance) {
    const auto a = dyad::leaf_array<double>(found), b = dyad::leaf_array<double>(known);
    for (std::size_t k = 0; k < a.size(); ++k) {
        CAPTURE(k);
        CHECK(a[k] == doctest::Approx(b[k]).epsilon(tolerance));
    }
}

} // namespace

TEST_CASE("values: forwards, backwards, not at all") {
    CHECK(decay_discrete(1.5, 0.2, 2.0, 0.7) == doctest::Approx(decay_known(1.5, 0.2, 2.0, 0.7)).epsilon(1e-11));
    CHECK(decay_discrete(1.5, 2.0, -1.0, 0.7) == doctest::Approx(decay_known(1.5, 2.0, -1.0, 0.7)).epsilon(1e-11));
    CHECK(decay_discrete(1.5, 2.0, 2.0, 0.7) == 1.5);
    CHECK(dyad::odeint([](auto, auto) { return 0.0; }, 3.0, 0.0, 1e6) == 3.0);
    CHECK(dyad::odeint([](auto, auto y) { return 1 * y; }, 1, 0, 1) == doctest::Approx(std::exp(1.0)).epsilon(1e-7)); // integers count as real
    CHECK(dyad::odeint({.relative = 1e-4, .absolute = 1e-5}, [](auto, auto y) { return 1 * y; }, 1.0F, 0.0F, 1.0F) == doctest::Approx(2.71828).epsilon(1e-3));
    CHECK(dyad::odeint({.first_step = 1e-3}, [](auto, auto y) { return 1 * y; }, 1.0, 0.0, 1.0) == doctest::Approx(std::exp(1.0)).epsilon(1e-7));
    const auto [x, y] = dyad::odeint([](auto, auto p) { return std::tuple{std::get<1>(p), -std::get<0>(p)}; }, std::tuple{1.0, 0.0}, 0.0, 10.0);
    CHECK(x == doctest::Approx(std::cos(10.0)).epsilon(1e-6));
    CHECK(y == doctest::Approx(-std::sin(10.0)).epsilon(1e-6));
}

TEST_CASE("from 0, where the size of y says nothing about the first step") {
    // (The step fell to 1e-17: on plain numbers it threw, in a graph it was NaN.)
    const auto relax = [](auto, auto y, auto k) { return k - y; };
    const auto from_rest = [=](auto y, auto k) { return dyad::odeint(relax, y, 0.0, 2.0, k); };
    const auto adjoint = [=](auto y, auto k) { return dyad::odeint_adjoint(relax, y, 0.0, 2.0, k); };
    const double risen = 1 - std::exp(-2.0);
    CHECK(from_rest(0.0, 1.5) == doctest::Approx(1.5 * risen).epsilon(1e-7));
    check_tuples(dyad::grad(from_rest)(0.0, 1.5), std::tuple{1 - risen, risen}, 1e-7);
    check_tuples(dyad::grad(adjoint)(0.0, 1.5), std::tuple{1 - risen, risen}, 1e-7);
    CHECK(dyad::odeint({.relative = 1e-4, .absolute = 1e-5}, relax, 0.0F, 0.0F, 2.0F, 1.0F) == doctest::Approx(risen).epsilon(1e-3));
    const auto forced = [](auto, auto p, auto k) { return std::array{p[1], k - p[0]}; };
    CHECK(dyad::odeint(forced, std::array{0.0, 0.0}, 0.0, 2.0, 1.0)[0] == doctest::Approx(1 - std::cos(2.0)).epsilon(1e-6));
    const auto cubic = [](auto t0) { return dyad::odeint([](auto t, auto) { return t * t; }, 0.0, t0, 2.0); };
    CHECK(dyad::grad(cubic)(0.5) == doctest::Approx(-0.25).epsilon(1e-6));
    CHECK(dyad::odeint({.limit = 2}, [](auto, auto y) { return 0 * y; }, 0.0, 0.0, 1e6) == 0); // at rest in one step
    CHECK(dyad::odeint([](auto t, auto y) { return 1e8 * (dyad::cos(t) - y); }, 0.0, 0.0, 1e-6) == doctest::Approx(1).epsilon(1e-6)); // a first step that is too long
}

TEST_CASE("a tighter tolerance makes a smaller error") {
    const auto error = [](double tolerance) {
        const auto end = dyad::odeint({.relative = tolerance, .absolute = tolerance}, spring, std::array{1.0, 0.0}, 0.0, 10.0, 1.0);
        return std::fabs(end[0] - std::cos(10.0));
    };
    CHECK(error(1e-4) < 1e-2);
    CHECK(error(1e-6) < 1e-4);
    CHECK(error(1e-10) < 1e-8);
    CHECK(error(1e-10) < error(1e-6) / 100);
}

TEST_CASE("a short event is met where steps are short enough, in both directions and on the way back") {
    const auto pulse = [](auto t, auto, auto size) { return size * exp(-dyad::square((t - 7.3) / 0.01)); };
    const double met = 0.01 * std::sqrt(std::acos(-1.0));
    CHECK(dyad::odeint(pulse, 0.0, 0.0, 10.0, 3.0) < 1e-6); // (missed: what the option is for)
    CHECK(dyad::odeint({.max_step = 0.02}, pulse, 0.0, 0.0, 10.0, 3.0) == doctest::Approx(3 * met).epsilon(1e-6));
    CHECK(dyad::odeint({.first_step = 5, .max_step = 0.02}, pulse, 0.0, 10.0, 0.0, 3.0) == doctest::Approx(-3 * met).epsilon(1e-6));
    CHECK(dyad::derivative([=](auto size) { return dyad::odeint({.max_step = 0.02}, pulse, 0.0, 0.0, 10.0, size); })(3.0) == doctest::Approx(met).epsilon(1e-6));
    CHECK(dyad::tape_grad([=](auto size) { return dyad::odeint_adjoint({.max_step = 0.02}, pulse, 0.0, 0.0, 10.0, size); })(3.0) == doctest::Approx(met).epsilon(1e-6));
    CHECK(dyad::odeint({.max_step = 1e9}, [](auto, auto y) { return 0 * y; }, 2.0, 1.0, 1.0) == 2); // no interval
    CHECK_THROWS_WITH_AS(dyad::odeint({.max_step = -1}, pulse, 0.0, 0.0, 1.0, 3.0), "[dyad] odeint: the longest step is -1; it must not be negative (0: any)", dyad::value_error);
    CHECK_THROWS_AS(dyad::odeint({.max_step = NAN}, pulse, 0.0, 0.0, 1.0, 3.0), dyad::value_error);
}

TEST_CASE("derivatives by the initial value, both ends and a parameter") {
    const auto known = dyad::grad(decay_known)(1.5, 0.2, 2.0, 0.7);
    check_tuples(dyad::grad(decay_discrete)(1.5, 0.2, 2.0, 0.7), known, 1e-8);
    check_tuples(dyad::grad(decay_adjoint)(1.5, 0.2, 2.0, 0.7), known, 1e-8);
    CHECK(dyad::jvp(decay_discrete)(std::tuple{1.5, 0.2, 2.0, 0.7}, std::tuple{1.0, 2.0, 3.0, 4.0}).second ==
          doctest::Approx(std::get<0>(known) + 2 * std::get<1>(known) + 3 * std::get<2>(known) + 4 * std::get<3>(known)).epsilon(1e-8));
    const auto none = dyad::grad(decay_discrete)(1.5, 2.0, 2.0, 0.7); // an interval of length 0: ±f
    check_tuples(none, std::array{1.0, -(2 - 0.7 * 1.5), 2 - 0.7 * 1.5, 0.0}, 1e-12);
}

TEST_CASE("a harmonic oscillator, discrete and adjoint") {
    const auto known = dyad::grad(spring_known)(0.8, -0.3, 4.0, 1.3);
    check_tuples(dyad::grad(spring_discrete)(0.8, -0.3, 4.0, 1.3), known, 1e-7);
    check_tuples(dyad::grad(spring_adjoint)(0.8, -0.3, 4.0, 1.3), known, 1e-7);
}

TEST_CASE("second derivatives, by a parameter and the initial value") {
    const auto last = [](auto k, auto y0) { return dyad::odeint([&](auto, auto y) { return -k * y * y; }, y0, 0.0, 1.0); };
    const double k = 0.7, y0 = 1.3, u = 1 + k * y0; // y = y0 / u
    const auto H = dyad::hessian(last)(k, y0);
    CHECK(H[0][0] == doctest::Approx(2 * std::pow(y0 / u, 3)).epsilon(1e-6));
    CHECK(H[0][1] == doctest::Approx(-2 * y0 / std::pow(u, 3)).epsilon(1e-6));
    CHECK(H[1][0] == doctest::Approx(-2 * y0 / std::pow(u, 3)).epsilon(1e-6));
    CHECK(H[1][1] == doctest::Approx(-2 * k / std::pow(u, 3)).epsilon(1e-6));
}

TEST_CASE("on a tape as in a graph") {
    const auto known = dyad::grad(decay_known)(1.5, 0.2, 2.0, 0.7);
    check_tuples(dyad::tape_grad(decay_discrete)(1.5, 0.2, 2.0, 0.7), dyad::grad(decay_discrete)(1.5, 0.2, 2.0, 0.7), 1e-10);
    check_tuples(dyad::tape_grad(decay_adjoint)(1.5, 0.2, 2.0, 0.7), known, 1e-8);
}

TEST_CASE("what cannot be integrated says so on plain numbers, and is NaN in a graph") {
    const auto explosion = [](auto, auto y) { return y * y; }; // 1 / (1 - t)
    CHECK_THROWS_WITH_AS(dyad::odeint(explosion, 1.0, 0.0, 2.0), doctest::Contains("the step fell to"), dyad::value_error);
    CHECK_THROWS_WITH_AS(dyad::odeint({.limit = 5}, explosion, 1.0, 0.0, 0.9), doctest::Contains("5 steps end at t = "), dyad::value_error);
    CHECK_THROWS_WITH_AS(dyad::odeint([](auto, auto y) { return 1 / y; }, 0.0, 0.5, 2.0), doctest::Contains("not finite at t = 0.5"), dyad::value_error);
    CHECK_THROWS_AS(dyad::odeint(explosion, std::numeric_limits<double>::quiet_NaN(), 0.0, 1.0), dyad::value_error);
    CHECK_THROWS_WITH_AS(dyad::odeint(explosion, 1.0, 0.0, std::numeric_limits<double>::infinity()), "[dyad] odeint: the state, its slope or a time is not finite at t = 0", dyad::value_error);
    CHECK_THROWS_WITH_AS(dyad::odeint({.relative = -1}, explosion, 1.0, 0.0, 0.5), doctest::Contains("odeint: the tolerances are -1 (relative) and "), dyad::value_error);
    CHECK_THROWS_WITH_AS(dyad::odeint({.relative = NAN}, explosion, 1.0, 0.0, 0.5), doctest::Contains("the tolerances are nan (relative)"), dyad::value_error);
    CHECK_THROWS_AS(dyad::odeint({.relative = 0, .absolute = 0}, explosion, 1.0, 0.0, 0.5), dyad::value_error);
    const auto [value, slope] = dyad::value_and_grad([](auto y) {
        return dyad::odeint([](auto, auto x) { return x * x; }, y, 0.0, 2.0);
    })(1.0);
    CHECK(std::isnan(value));
    CHECK(std::isnan(slope));
}
TEST_CASE("a tolerance that is relative alone, and a number that is 0 and stays so") {
    dyad::ode_options options;
    options.relative = 1e-8;
    options.absolute = 0;
    const auto y = dyad::odeint(options, [](auto, auto u) { return std::array{-u[0], 2 * u[1]}; }, std::array{1.0, 0.0}, 0.0, 1.0);
    CHECK(y[0] == doctest::Approx(std::exp(-1.0)).epsilon(1e-7));
    CHECK(y[1] == 0);
}

TEST_CASE("on a tape, right-hand sides may capture numbers") {
    const double c = 0.3; // y'' = c - k y from (y, 0): (y - c / k) cos(√k t) + c / k
    const auto f = [c](auto y, auto k) {
        return dyad::odeint_adjoint(fine, [c](auto, auto p, auto stiffness) { return std::array{1 * p[1], -stiffness * p[0] + c}; }, std::array{y, 0 * y}, 0.0, 1.0, k)[0];
    };
    const auto [by_y, by_k] = dyad::tape_grad(f)(1.0, 0.25);
    CHECK(by_y == doctest::Approx(std::cos(0.5)).epsilon(1e-9));
    CHECK(by_k == doctest::Approx(c / 0.0625 * (std::cos(0.5) - 1) - (1 - c / 0.25) * std::sin(0.5)).epsilon(1e-8));
}
TEST_CASE("a state of no numbers stays so") {
    CHECK(dyad::odeint([](auto, auto y) { return y; }, std::array<double, 0>{}, 0.0, 1.0).empty());
}
