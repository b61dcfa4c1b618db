// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Higher orders by every route: tapes in tapes, tape_grad of tape_grad, forward over reverse, forward over forward, and the
// compile-time transforms that they must agree with. The point is often one where an adjoint is zero.

#include <dyad/tape.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace {

using dyad::active, dyad::dual, dyad::real, dyad::tape;

constexpr auto parabola = [](auto x) { return (1 - x) * (1 - x); };
constexpr auto rosenbrock = [](auto x, auto y) {
    auto a = 1 - x;
    auto b = y - x * x;
    return a * a + 100 * b * b;
};
constexpr auto wave = [](auto x) { return sin(x) * exp(x / 2) + x * x * x; };
constexpr auto branches = [](auto x) {
    if (x > 1) return x * x * x;
    auto y = x;
    while (y < 2) y = y * 2 + x;
    return y * x;
};

void check_matrix(const std::array<std::array<double, 2>, 2>& h) {
    CHECK(h[0][0] == 802);
    CHECK(h[0][1] == -400);
    CHECK(h[1][0] == -400);
    CHECK(h[1][1] == 200);
}

} // namespace

TEST_CASE("the second derivative of (1-x)^2 at 1 is 2 by every route") {
    CHECK(dyad::grad(dyad::grad(parabola))(1.0) == 2);
    CHECK(dyad::tape_grad(dyad::tape_grad(parabola))(1.0) == 2);
    CHECK(dyad::tape_hessian(parabola)(1.0) == 2);
    CHECK(dyad::tape_hvp(parabola)(1.0, 1.0) == 2);
    {
        tape outer;
        const real x = outer.variable(1.0);
        tape inner;
        const active<real> z = inner.variable(x);
        const active<real> y = parabola(z);
        const real slope = inner.gradient(y, z);
        CHECK(slope.value() == 0);
        CHECK(outer.gradient(slope, x) == 2);
    }
    using second = dual<dual<double, 1>, 1>;
    const second x = second::variable(dual<double, 1>::variable(1.0));
    CHECK(second(parabola(x)).tangent().tangent() == 2);
    tape t; // forward over reverse
    const auto z = t.variable(dual<double, 1>::variable(1.0));
    CHECK(t.gradient(parabola(z), z).tangent() == 2);
    const dual<real, 1> forward = dual<real, 1>(parabola(dual<real, 1>::variable(real(1.0)))); // reverse over forward
    CHECK(forward.tangent().value() == 0);
    tape u;
    const real v = u.variable(1.0);
    const dual<real, 1> w = dual<real, 1>(parabola(dual<real, 1>::variable(v)));
    CHECK(u.gradient(w.tangent(), v) == 2);
}

TEST_CASE("the Hessian of Rosenbrock's function at (1, 1) by every route") {
    check_matrix(dyad::hessian(rosenbrock)(1.0, 1.0));
    check_matrix(dyad::tape_hessian(rosenbrock)(1.0, 1.0));
    std::array<std::array<double, 2>, 2> h{};
    for (std::size_t j = 0; j < 2; ++j) {
        const auto [a, b] = dyad::tape_hvp(rosenbrock)(std::tuple{1.0, 1.0}, std::tuple{j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0});
        h[0][j] = a;
        h[1][j] = b;
    }
    check_matrix(h);
    {
        tape outer{dyad::persistent};
        const auto [x, y] = outer.variable(std::tuple{1.0, 1.0});
        tape inner;
        const auto [u, v] = inner.variable(std::tuple{x, y});
        const active<real> z = rosenbrock(u, v);
        const auto [gx, gy] = inner.gradient(z, std::tuple{u, v});
        check_matrix(outer.jacobian(std::array{gx, gy}, std::array{x, y}));
        const auto [a, b] = outer.gradient(gx, std::tuple{x, y});
        const auto [c, d] = outer.gradient(gy, std::tuple{x, y});
        check_matrix({{{a, b}, {c, d}}});
    }
    using second = dual<dual<double, 2>, 2>;
    const second x(dual<double, 2>::variable(1.0, 0), {dual<double, 2>(1), dual<double, 2>(0)});
    const second y(dual<double, 2>::variable(1.0, 1), {dual<double, 2>(0), dual<double, 2>(1)});
    const second z = rosenbrock(x, y);
    check_matrix({{{z.tangent(0).tangent(0), z.tangent(0).tangent(1)}, {z.tangent(1).tangent(0), z.tangent(1).tangent(1)}}});
    const auto vector = [](const auto& p) { return rosenbrock(p[0], p[1]); };
    const std::vector<std::vector<double>> dynamic = dyad::tape_hessian(vector)(std::vector{1.0, 1.0});
    check_matrix({{{dynamic[0][0], dynamic[0][1]}, {dynamic[1][0], dynamic[1][1]}}});
}

TEST_CASE("third and fourth derivatives") {
    for (const double x : {-0.7, 0.0, 1.3}) {
        const auto second = dyad::tape_grad(dyad::tape_grad(wave));
        CHECK(dyad::tape_grad(second)(x) == doctest::Approx(dyad::derivative<3>(wave)(x)).epsilon(1e-13));
    }
    CHECK(dyad::tape_grad(dyad::tape_grad(dyad::tape_grad(dyad::tape_grad([](auto x) { return x * x * x * x; }))))(2.0) == 24);
}

TEST_CASE("functions that branch on their argument") {
    CHECK(dyad::tape_grad(branches)(2.0) == 12);
    CHECK(dyad::tape_grad(dyad::tape_grad(branches))(2.0) == 12);
    const auto [value, slope] = dyad::tape_value_and_grad(branches)(0.5);
    CHECK(value == branches(0.5));
    CHECK(slope == doctest::Approx((branches(0.5 + 1e-6) - branches(0.5 - 1e-6)) / 2e-6).epsilon(1e-8));
}

TEST_CASE("tape_grad has the structure of grad") {
    const auto f = [](auto x, auto p) { return x * p[0] + p[1] * p[1]; };
    static_assert(std::is_same_v<decltype(dyad::tape_grad(f)(1.0, std::array{1.0, 2.0})), decltype(dyad::grad(f)(1.0, std::array{1.0, 2.0}))>);
    static_assert(std::is_same_v<decltype(dyad::tape_value_and_grad(wave)(1.0)), decltype(dyad::value_and_grad(wave)(1.0))>);
    static_assert(std::is_same_v<decltype(dyad::tape_grad(wave)(1.0F)), float>);
    static_assert(std::is_same_v<decltype(dyad::tape_hessian(rosenbrock)(1.0, 1.0)), decltype(dyad::hessian(rosenbrock)(1.0, 1.0))>);
    CHECK(dyad::tape_grad(f)(3.0, std::array{1.0, 2.0}) == dyad::grad(f)(3.0, std::array{1.0, 2.0}));
    CHECK(dyad::tape_grad<1>(rosenbrock)(1.0, 2.0) == 200);
    CHECK(dyad::tape_grad<1, 0>(rosenbrock)(1.0, 2.0) == std::tuple{200.0, -400.0});
    const auto power = [](auto x, int n) {
        auto y = x;
        for (int i = 1; i < n; ++i) y *= x;
        return y;
    };
    CHECK(dyad::tape_grad<0>(power)(2.0, 5) == 80);
    const auto vector = [](const std::vector<real>& x) { // a signature that names the type
        real sum = 0;
        for (const real& e : x) sum += e * e;
        return sum;
    };
    CHECK(dyad::tape_grad(vector)(std::vector{1.0, 2.0}) == std::vector{2.0, 4.0});
    CHECK(dyad::tape_grad([](auto) { return 3.0; })(1.0) == 0);
    const double captured = 3;
    CHECK(dyad::tape_grad([=](auto x) { return captured * x; })(1.0) == 3);
}

TEST_CASE("tape_grad inside a recording is recorded") {
    tape t;
    const real x = t.variable(2.0);
    const auto slope = dyad::tape_grad(wave)(x);
    static_assert(std::is_same_v<decltype(slope), const real>);
    const real y = slope * x;
    const auto f = [](auto u) { return dyad::grad(wave)(u) * u; };
    CHECK(t.gradient(y, x) == doctest::Approx(dyad::grad(f)(2.0)).epsilon(1e-14));
}

TEST_CASE("Jacobians carry several rows in a sweep, each clean of the others") {
    const auto f = [](auto x, auto y) { return std::array{x * y, log(x), y * 1.0, x - y, x * x * y, x * 0.0}; };
    const auto j = dyad::tape_jacobian(f)(0.0, 2.0);
    static_assert(std::is_same_v<decltype(j), const std::array<std::array<double, 2>, 6>>);
    CHECK(j[0] == std::array{2.0, 0.0});
    CHECK(j[1][0] == std::numeric_limits<double>::infinity());
    CHECK(j[1][1] == 0);
    CHECK(j[2] == std::array{0.0, 1.0}); // not 0 times the infinite slope of its neighbour
    CHECK(j[3] == std::array{1.0, -1.0});
    CHECK(j[4] == std::array{0.0, 0.0});
    tape t{dyad::persistent};
    const auto v = t.variable(std::vector<double>{1, 2, 3});
    std::vector<real> w;
    for (int k = 0; k < 9; ++k) w.push_back(v[0] * k + v[static_cast<std::size_t>(k) % 3] * v[1]);
    const auto m = t.jacobian(w, v);
    for (std::size_t k = 0; k < 9; ++k) CHECK(m[k] == t.gradient(w[k], v));
    CHECK(t.jacobian(w[3], v) == t.gradient(w[3], v));
    const std::vector<double> column = t.jacobian(w, v[0]);
    CHECK(column[4] == m[4][0]);
}

TEST_CASE("a constant exponent has no slope in any order, also where that of a variable one is NaN") {
    constexpr auto by_number = [](auto x) { return pow(x, 2) + pow(x, 3.0); };
    CHECK(dyad::tape_hvp(by_number)(-1.5, 1.0) == 2 - 9);
    CHECK(dyad::tape_hessian(by_number)(-1.5) == 2 - 9);
    CHECK(dyad::tape_hvp([](auto v) { return pow(v[0] - v[1], 2) + pow(1 - v[0], 2); })(std::array{1.0, 2.0}, std::array{1.0, 0.0}) == std::array{4.0, -2.0});
    using first = dyad::dual<double, 1>;
    using second = dyad::dual<first, 1>;
    const second x = second::variable(first::variable(-1.5));
    CHECK(second(by_number(x)).tangent().tangent() == 2 - 9);
    CHECK(second(pow(x, second(2))).tangent().tangent() == 2); // made a dual by conversion
    dyad::tape tape;
    const auto z = tape.variable(first::variable(-1.5));
    const dyad::active<first> w = by_number(z);
    CHECK(tape.gradient(w, z).tangent() == 2 - 9);
    const first moving = pow(first(-1.5), first::variable(2.0)); // by a variable exponent it is NaN
    CHECK(moving.tangent() != moving.tangent());
    const first both = pow(first::variable(2.0), first::variable(3.0));
    CHECK(both.tangent() == doctest::Approx(12 + 8 * std::log(2.0)));
    using pair = dual<double, 2>;
    const pair r = pair::variable(2.0, 0), s = pair::variable(3.0, 1), power = 3 * pow(r, s);
    CHECK(power.tangent(0) == doctest::Approx(36));
    CHECK(power.tangent(1) == doctest::Approx(24 * std::log(2.0)));
    const pair constant = pow(pair::variable(-1.5, 1), pair(2));
    CHECK(constant.tangent(0) == 0);
    CHECK(constant.tangent(1) == -3);
    const first zero = 0.0, product = sqrt(zero) * pow(2.0, first::variable(0.5)); // (only in an exponent)
    CHECK(product.tangent() != product.tangent());
}

TEST_CASE("a dual has the directions that its type says") {
    static_assert(dual<double, 2>::variable(1.0, 1).tangent(1) == 1);
    CHECK_THROWS_WITH_AS(static_cast<void>(dual<double, 2>::variable(1.0, 2)), "[dyad] dual: direction 2 is not in [0, 2)", dyad::index_error);
    CHECK_THROWS_AS(static_cast<void>(dual<double>::variable(1.0, -1)), dyad::index_error);
}
TEST_CASE("duals follow the conventions and nest with plain code") {
    using d = dual<double, 2>;
    const d x = d::variable(3.0, 0), y = d::variable(2.0, 1);
    d z = x * x * y - y / x;
    CHECK(z.value() == 18 - 2.0 / 3);
    CHECK(z.tangent(0) == doctest::Approx(12 + 2.0 / 9));
    CHECK(z.tangent(1) == doctest::Approx(9 - 1.0 / 3));
    z = where(x > 5, sqrt(x - 4), x);
    CHECK(z.tangent(0) == 1);
    CHECK(z.tangent(1) == 0);
    z = max(x, x * 1.0);
    CHECK(z.tangent(0) == 1);
    z += 1;
    z *= y;
    CHECK(z.tangent(1) == 4);
    CHECK(d(ipow(x, 3)).tangent(0) == 27);
    const dual<float, 1> f = dual<float, 1>::variable(2.0F);
    CHECK(dual<float, 1>(f * f).tangent() == 4.0F);
}
TEST_CASE("gradients have the types of their arguments, directions their number") {
    const auto slopes = dyad::tape_grad([](const auto& p) { return std::get<0>(p) * std::get<1>(p); })(std::tuple{1.5F, 2.0});
    static_assert(std::is_same_v<decltype(slopes), const std::tuple<float, double>>);
    CHECK(slopes == std::tuple{2.0F, 1.5});
    const auto squares = [](const auto& v) { return v[0] * v[0] + v[1] * v[1]; };
    const std::vector<double> x{1, 2};
    CHECK(dyad::tape_hvp(squares)(x, x) == std::vector<double>{2, 4});
    const auto of_tuple = [](auto p) { // a tuple as one argument, as hvp takes it
        auto [a, b] = p;
        return a * a * b;
    };
    const auto any_number = [](auto... each) { return (... + (each * each)); };
    CHECK(dyad::tape_hvp(any_number)(std::tuple{1.0, 2.0}, std::tuple{1.0, 0.5}) == std::tuple{2.0, 1.0});
    CHECK(dyad::tape_hvp(parabola)(std::tuple{1.0}, std::tuple{1.0}) == 2);
    CHECK(dyad::tape_hvp(of_tuple)(std::tuple{2.0, 3.0}, std::tuple{1.0, 0.5}) == dyad::hvp(of_tuple)(std::tuple{2.0, 3.0}, std::tuple{1.0, 0.5}));
    CHECK_THROWS_WITH_AS(dyad::tape_hvp(squares)(x, std::vector<double>{1}), "[dyad] tape_hvp: 1 directions for 2 numbers", dyad::shape_error);
    CHECK_THROWS_AS(dyad::tape_hvp(squares)(x, std::vector<double>{1, 2, 3}), dyad::shape_error);
}
TEST_CASE("a function inside another one captures no variable of that, but takes it as an argument") {
    const auto capturing = [](auto x) { return x * dyad::tape_grad([&](auto y) { return x + y; })(1.0); };
    std::string message;
    try {
        static_cast<void>(dyad::tape_grad(capturing)(1.0));
    } catch (const dyad::tape_error& e) {
        message = e.what();
    }
    CHECK(message.find("pass it as an argument where a function for tape_grad captures it") != std::string::npos);
    const auto passing = [](auto x) { return x * dyad::tape_grad<0>([](auto y, auto z) { return z + y; })(1.0, x); };
    CHECK(dyad::tape_grad(passing)(1.0) == 1);
    const auto curved = [](auto x) { return x * dyad::tape_grad<0>([](auto y, auto z) { return z * y * y; })(3.0, x); };
    CHECK(dyad::tape_grad(curved)(1.5) == 2 * 1.5 * 6);
    const auto of_its_level = [](auto x) { return x * dyad::tape_grad([&](auto y) { return x * y; })(x); };
    CHECK(dyad::tape_grad(of_its_level)(1.5) == 3);
}
