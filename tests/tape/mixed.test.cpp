// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Compiled transforms, rules and pullbacks of recorded numbers beside operations on such, plain numbers, and numbers of other levels:
// no derivative is lost on the way.

#include <doctest/doctest.h>

#include <array>
#include <tuple>

#include <dyad/sparse.hpp>
#include <dyad/tape.hpp>

namespace {

using dyad::real, dyad::tape;
constexpr auto product = [](auto u, auto v) { return u * v * v; };
constexpr auto cubic = [](auto u) { return u * u * u; };

} // namespace

TEST_CASE("an operation beside a recorded number is an argument, a direction and a cotangent like any other") {
    tape t(dyad::persistent);
    const real x = t.variable(2.0), y = t.variable(3.0);
    const real by_u = std::get<0>(dyad::grad(product)(x, 2 * y)); // 4 y²
    CHECK(by_u.value() == 36);
    CHECK(t.gradient(by_u, y) == 24);
    const real first = std::get<0>(dyad::grad(product)(x * 1, y)); // the other way round
    CHECK(t.gradient(first, y) == 6);
    const real value = dyad::value_and_grad(product)(x, 2 * y).first; // 4 x y²
    CHECK(t.gradient(value, std::tuple{x, y}) == std::tuple{36.0, 48.0});
    const real tangent = dyad::jvp(cubic)(x, x * y).second; // 3 x³ y
    CHECK(t.gradient(tangent, std::tuple{x, y}) == std::tuple{108.0, 24.0});
    const auto [w, pullback] = dyad::vjp(cubic)(x);
    const real pulled = pullback(x * y);
    CHECK(t.gradient(pulled, std::tuple{x, y}) == std::tuple{108.0, 24.0});
    const real second = dyad::hvp(cubic)(x, x * y); // 6 x² y
    CHECK(t.gradient(second, std::tuple{x, y}) == std::tuple{72.0, 24.0});
    const auto h = dyad::hessian(product)(x, 2 * y);
    CHECK(t.gradient(h[1][1], x) == 2);
    CHECK(t.gradient(h[0][1], y) == 4);
    const auto J = dyad::sparse_jacobian([](auto u, auto v) { return std::array{u * v, v * v}; })(x, 2 * y);
    CHECK(t.gradient(J.values[0], y) == 2);
}

TEST_CASE("an operation alone is an argument of compiled transforms") {
    tape t(dyad::persistent);
    const real x = t.variable(2.0);
    const real slope = dyad::grad(cubic)(2 * x); // 12 x²
    CHECK(slope.value() == 48);
    CHECK(t.gradient(slope, x) == 48);
    const real second = dyad::derivative<2>(cubic)(x * x); // 6 x²
    CHECK(t.gradient(second, x) == 24);
    const real pulled = dyad::vjp(cubic)(x + 1).second(1.0); // 3 (x + 1)²
    CHECK(t.gradient(pulled, x) == 18);
    const auto J = dyad::jacobian([](auto a) { return std::array{a[0] * a[1], a[1]}; })(std::array{x * 2, x * 3});
    CHECK(t.gradient(J[0][0], x) == 3);
}

TEST_CASE("a recorded cotangent of plain arguments is recorded") {
    tape t(dyad::persistent);
    const real x = t.variable(3.0);
    const auto [w, pullback] = dyad::vjp(cubic)(2.0);
    const real pulled = pullback(x);
    CHECK(pulled.value() == 36);
    CHECK(t.gradient(pulled, x) == 12);
    CHECK(pullback(1.0) == 12); // and again with a plain one
    const dyad::dual<double, 1> d = pullback(dyad::dual<double, 1>(3.0, {1.0}));
    CHECK(d.value() == 36);
    CHECK(d.tangent(0) == 12);
}

TEST_CASE("numbers of two levels meet in transforms and rules, in either order") {
    tape outer(dyad::persistent);
    const real x = outer.variable(2.0);
    tape inner(dyad::persistent);
    const auto z = inner.variable(real(3.0)); // active<real>
    const dyad::active<real> by_u = std::get<0>(dyad::grad([](auto u, auto v) { return u * u * v; })(x, z)); // 2 x z
    CHECK(outer.gradient(inner.gradient(by_u, z), x) == 2);
    const dyad::active<real> by_v = std::get<0>(dyad::grad([](auto v, auto u) { return u * u * v * v; })(z, x)); // 2 x² z
    CHECK(outer.gradient(inner.gradient(by_v, z), x) == 8);
    const auto ruled = dyad::custom_gradient(product, [](auto u, auto v, auto, auto w) { return std::tuple{w * v * v, 2 * w * u * v}; });
    const dyad::active<real> y = ruled(x, z);
    const real by_z = inner.gradient(y, z); // 2 x z
    CHECK(by_z.value() == 12);
    CHECK(outer.gradient(by_z, x) == 6);
}

TEST_CASE("steps leave the numbers that tape_grad hands out what they are") {
    const auto counts = [](auto x) {
        auto y = x++;
        auto z = y * y;
        z = z * x; // x² (x + 1)
        return z;
    };
    CHECK(dyad::tape_grad(counts)(2.0) == 16);
    const auto grows = [](auto x) {
        auto a = x;
        if (x > 0) return a += x * x;
        return x * x;
    };
    CHECK(dyad::tape_grad(grows)(2.0) == 5);
    CHECK(dyad::tape_grad([](auto x) {
        auto a = x;
        auto b = (a *= x)--;
        b = --a * b; // (x² - 2) x²
        return b;
    })(2.0) == 4 * 8 - 4 * 2);
}

TEST_CASE("an operation is an argument of preaccumulate") {
    tape t(dyad::persistent);
    const real x = t.variable(2.0), y = t.variable(3.0);
    const real r = t.preaccumulate([](auto a, auto b) { return a * b; }, x * 2, y);
    CHECK(t.gradient(r, x) == 6);
    const real s = t.preaccumulate([](auto a) { return std::get<0>(a) * std::get<1>(a); }, std::tuple{x * 2, y});
    CHECK(t.gradient(s, y) == 4);
}
