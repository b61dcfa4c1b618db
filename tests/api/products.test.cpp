// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// jvp, vjp and hvp against the matrices that they stand for, and transforms inside transforms: what an
// inner function captures from outside must be constant to the inner derivative and variable to the
// outer one (perturbation confusion is the name of the mistake), whichever transforms meet.

#include <dyad/core.hpp>

#include <doctest/doctest.h>
#include <xsimd/xsimd.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

template <class T>
struct point {
    T x, y;
    friend constexpr bool operator==(const point&, const point&) = default;
};

constexpr auto saddle = [](auto x, auto y) { return x * x * y - y * y * y; };
constexpr auto cubic = [](auto x) { return x * x * x; };
constexpr auto field = [](auto p) { return point<decltype(p.x)>{p.x * p.y, p.x + p.y * p.y}; };
constexpr auto fan = [](auto x) { return std::tuple{x * x, std::array{x, 3 * x}}; };

// --- products are what the matrices say; (2, 3): gradient (12, -23), Hessian ((6, 4), (4, -18)) ---

static_assert(dyad::jvp(saddle)(std::tuple{2.0, 3.0}, std::tuple{10.0, 1.0}) == std::pair{-15.0, 97.0});
static_assert(dyad::hvp(saddle)(std::tuple{2.0, 3.0}, std::tuple{10.0, 1.0}) == std::tuple{64.0, 22.0});
static_assert(dyad::vjp(saddle)(2.0, 3.0).first == -15.0);
static_assert(dyad::vjp(saddle)(2.0, 3.0).second(2.0) == std::tuple{24.0, -46.0});
static_assert(dyad::vjp<1>(saddle)(2.0, 3.0).second(2.0) == -46.0);

static_assert(dyad::jvp(cubic)(2.0, 10.0) == std::pair{8.0, 120.0});
static_assert(dyad::hvp(cubic)(2.0, 10.0) == 120.0);
static_assert(dyad::vjp(cubic)(2.0).second(10.0) == 120.0);

static_assert(dyad::jvp(field)(point<double>{2, 3}, point<double>{1, 10}) ==
              std::pair{point<double>{6, 11}, point<double>{23, 61}});
static_assert(dyad::vjp(field)(point<double>{2, 3}).first == point<double>{6, 11});
static_assert(dyad::vjp(field)(point<double>{2, 3}).second(point<double>{1, 10}) == point<double>{13, 62});

static_assert(dyad::jvp(fan)(2.0, 5.0) == std::pair{std::tuple{4.0, std::array{2.0, 6.0}},
                                                    std::tuple{20.0, std::array{5.0, 15.0}}});
static_assert(dyad::vjp(fan)(2.0).second(std::tuple{1.0, std::array{10.0, 100.0}}) == 314.0);

static_assert(dyad::jvp([](auto a) { return a[0] * a[1]; })(std::array{2.0, 3.0}, std::array{1.0, 1.0}) ==
              std::pair{6.0, 5.0});
static_assert(dyad::hvp([](auto a) { return a[0] * a[1]; })(std::array{2.0, 3.0}, std::array{1.0, 10.0}) ==
              std::array{10.0, 1.0});

static_assert(dyad::jvp([](auto) { return 4.0; })(2.0, 1.0) == std::pair{4.0, 0.0});
static_assert(dyad::vjp([](auto x) { return x; })(2.0).second(7.0) == 7.0);
static_assert(dyad::vjp([](auto, auto y) { return y; })(2.0, 3.0).second(7.0) == std::tuple{0.0, 7.0});
static_assert(std::is_same_v<decltype(dyad::jvp(cubic)(2.0F, 1.0F)), std::pair<float, float>>);
static_assert(std::is_same_v<decltype(dyad::hvp(cubic)(2.0F, 1.0F)), float>);
static_assert(std::is_same_v<decltype(dyad::vjp(cubic)(2.0F).second(1.0F)), float>);

// --- transforms of transforms ---

static_assert(dyad::grad(dyad::grad(cubic))(2.0) == 12.0);
static_assert(dyad::jacobian(dyad::grad(saddle))(2.0, 3.0) == dyad::hessian(saddle)(2.0, 3.0));
static_assert(dyad::jvp(dyad::grad(saddle))(std::tuple{2.0, 3.0}, std::tuple{10.0, 1.0}) ==
              std::pair{std::tuple{12.0, -23.0}, std::tuple{64.0, 22.0}});
static_assert(dyad::vjp(dyad::grad(saddle))(2.0, 3.0).second(std::tuple{10.0, 1.0}) == std::tuple{64.0, 22.0});
static_assert(dyad::grad(dyad::hessian(cubic))(2.0) == 6.0);
static_assert(dyad::jacobian(dyad::value_and_grad(cubic))(2.0) == std::array{12.0, 12.0});
static_assert(dyad::grad<1>(dyad::grad<0>(dyad::grad<0>(saddle)))(2.0, 3.0) == 2.0);

// --- perturbation confusion ---

// d/dx [x d/dy (x + y²) | y = x] = d/dx [x 2x] = 4x
constexpr auto confusing = [](auto x) { return x * dyad::grad([x](auto y) { return x + y * y; })(x); };
static_assert(dyad::grad(confusing)(3.0) == 12.0);
static_assert(dyad::value_and_grad(confusing)(3.0) == std::pair{18.0, 12.0});
// d/dx [x d/dy (x y²) | y = x] = d/dx [x x 2x] = 6x²
constexpr auto coupled = [](auto x) { return x * dyad::grad([x](auto y) { return x * y * y; })(x); };
static_assert(dyad::grad(coupled)(2.0) == 24.0);
static_assert(dyad::derivative<2>(coupled)(2.0) == 24.0);
// three levels: d/dx [x d/dy (y d/dz (x y z²) | z = y) | y = x] = d/dx [x d/dy (2 x y³)] = d/dx 6x⁴
constexpr auto three = [](auto x) {
    return x * dyad::grad([x](auto y) { return y * dyad::grad([x, y](auto z) { return x * y * z * z; })(y); })(x);
};
static_assert(dyad::grad(three)(2.0) == 192.0);
// the inner function does not depend on its argument at all
static_assert(dyad::grad([](auto x) { return x + dyad::grad([x](auto) { return x * x; })(x); })(3.0) == 1.0);

// Every transform inside grad, each with the outer x captured; f(y) = x y³ at y = 2x
constexpr auto inner = []<class T>(const T& x) { return [x](auto y) { return x * y * y * y; }; };
static_assert(dyad::grad([](auto x) { return dyad::grad(inner(x))(2 * x); })(1.0) == 36.0);         // 12x³
static_assert(dyad::grad([](auto x) { return dyad::value_and_grad(inner(x))(2 * x).first; })(1.0) == 32.0); // 8x⁴
static_assert(dyad::grad([](auto x) { return dyad::hessian(inner(x))(2 * x); })(1.0) == 24.0);      // 12x²
static_assert(dyad::grad([](auto x) { return dyad::jacobian(inner(x))(2 * x); })(1.0) == 36.0);
static_assert(dyad::grad([](auto x) { return dyad::jvp(inner(x))(2 * x, x).second; })(1.0) == 48.0); // 12x⁴
static_assert(dyad::grad([](auto x) { return dyad::vjp(inner(x))(2 * x).second(x); })(1.0) == 48.0);
static_assert(dyad::grad([](auto x) { return dyad::hvp(inner(x))(2 * x, x); })(1.0) == 36.0);       // 12x³

// And by every transform from outside
static_assert(dyad::jvp(coupled)(2.0, 10.0) == std::pair{16.0, 240.0});
static_assert(dyad::vjp(coupled)(2.0).second(10.0) == 240.0);
static_assert(dyad::hvp(coupled)(2.0, 10.0) == 240.0);
static_assert(dyad::hessian(coupled)(2.0) == 24.0);
static_assert(dyad::jacobian([](auto x, auto y) {
                  return dyad::grad([x](auto a, auto b) { return a * a * b * x; })(x, y);
              })(2.0, 3.0) == std::array{std::array{24.0, 8.0}, std::array{12.0, 0.0}}); // (2x²y, x³)

// Structures, plain numbers and directions inside a trace
static_assert(dyad::grad([](auto x) {
                  const auto g = dyad::grad([](auto a) { return a[0] * a[0] * a[1]; })(std::array{x, 3 * x});
                  return g[0] + g[1]; // 6x² + x²
              })(2.0) == 28.0);
static_assert(dyad::grad([](auto x) { return dyad::grad<0>([](auto a, auto b) { return a * a * b; })(x, 5.0); })(2.0) ==
              10.0);
static_assert(dyad::grad([](auto x) { return x * dyad::grad([](auto y) { return y * y; })(3.0); })(2.0) == 6.0);
static_assert(dyad::grad([](auto x) { return dyad::jvp(cubic)(2.0, x).second; })(5.0) == 12.0);
static_assert(dyad::grad([](auto x) { // one Newton step for y² = x from y = x
                  return x - (x * x - x) / dyad::grad([x](auto y) { return y * y - x; })(x);
              })(2.0) == 0.5);

} // namespace

TEST_CASE("pullbacks can be called any number of times, in any order, and copied") {
    const auto f = [](auto x, auto y) { return std::array{dyad::sin(x * y), dyad::exp(x) / y, x}; };
    const auto [value, pullback] = dyad::vjp(f)(0.5, 2.0);
    const auto J = dyad::jacobian(f)(0.5, 2.0);
    const auto copy = pullback;
    for (const std::size_t row : {0U, 1U, 2U, 1U, 0U}) {
        std::array<double, 3> seed{};
        seed[row] = 1;
        const auto [dx, dy] = pullback(seed);
        CHECK(dx == doctest::Approx(J[row][0]).epsilon(1e-15));
        CHECK(dy == doctest::Approx(J[row][1]).epsilon(1e-15));
        CHECK(copy(seed) == pullback(seed));
    }
    CHECK(value[1] == doctest::Approx(std::exp(0.5) / 2).epsilon(1e-15));
}

TEST_CASE("products of transcendental functions are the products with their matrices") {
    const auto f = [](auto x, auto y, auto z) { return dyad::exp(x * y) * dyad::sin(z) + dyad::log(x + y * z); };
    const double p[] = {0.5, 1.25, 0.75}, v[] = {1, -2, 0.5};
    const auto gradient = dyad::grad(f)(p[0], p[1], p[2]);
    const auto h = dyad::hessian(f)(p[0], p[1], p[2]);
    const auto hv = dyad::hvp(f)(std::tuple{p[0], p[1], p[2]}, std::tuple{v[0], v[1], v[2]});
    const auto tangent = dyad::jvp(f)(std::tuple{p[0], p[1], p[2]}, std::tuple{v[0], v[1], v[2]}).second;
    CHECK(tangent == doctest::Approx(std::get<0>(gradient) * v[0] + std::get<1>(gradient) * v[1] +
                                     std::get<2>(gradient) * v[2]).epsilon(1e-14));
    const double products[] = {std::get<0>(hv), std::get<1>(hv), std::get<2>(hv)};
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(products[i] == doctest::Approx(h[i][0] * v[0] + h[i][1] * v[1] + h[i][2] * v[2]).epsilon(1e-14));
}

TEST_CASE("std::tie borrows primals, tangents and cotangents; results are values") {
    constexpr auto f = [](auto x, auto y) { return x * x * y; };
    constexpr auto of_pair = [](auto t) { return std::get<0>(t) * std::get<0>(t) * std::get<1>(t); };
    double x = 1.5;
    const double y = 2;
    CHECK(dyad::jvp(f)(std::tie(x, y), std::tie(y, x)) == std::pair{4.5, 15.375});
    CHECK(dyad::jvp(of_pair)(std::tie(x, y), std::tie(y, x)) == std::pair{4.5, 15.375});
    const auto product = dyad::hvp(f)(std::tie(x, y), std::tie(y, x));
    static_assert(std::is_same_v<decltype(product), const std::tuple<double, double>>);
    CHECK(product == std::tuple{12.5, 6.0});
    const auto gradient = dyad::grad(of_pair)(std::tie(x, y));
    CHECK(dyad::grad(of_pair)(std::forward_as_tuple(x, 2.5)) == dyad::grad(of_pair)(std::tuple{x, 2.5}));
    static_assert(std::is_same_v<decltype(gradient), const std::tuple<double, double>>);
    CHECK(gradient == std::tuple{6.0, 2.25});
    const auto [value, pullback] = dyad::vjp([](auto a, auto b) { return std::tuple{a * b, a}; })(x, y);
    CHECK(pullback(std::tie(y, x)) == std::tuple{2 * 2 + 1.5, 2 * 1.5});
    const double c = 3;
    CHECK(dyad::grad([c](auto t) { return c * std::get<0>(t) * std::get<1>(t); })(std::tie(x, y)) == std::tuple{6.0, 4.5});
    CHECK(dyad::jvp([c](auto a, auto b) { return c * a * b; })(std::tie(x, y), std::tie(y, x)) == std::pair{9.0, 18.75});
    x = 100; // (nothing is still borrowed)
    CHECK(gradient == std::tuple{6.0, 2.25});
}
TEST_CASE("products of functions with captured numbers work like those without") {
    const double a = 3;
    const auto f = [a](auto x, auto y) { return a * x * x * y; };
    CHECK(dyad::jvp(f)(std::tuple{2.0, 5.0}, std::tuple{1.0, 10.0}) == std::pair{60.0, 180.0});
    CHECK(dyad::hvp(f)(std::tuple{2.0, 5.0}, std::tuple{1.0, 10.0}) == std::tuple{150.0, 12.0});
    const auto [value, pullback] = dyad::vjp(f)(2.0, 5.0);
    CHECK(value == 60.0);
    CHECK(pullback(1.0) == std::tuple{60.0, 12.0});
    CHECK(pullback(2.0) == std::tuple{120.0, 24.0});
}

TEST_CASE("an inner derivative at a plain number captures the outer variable") {
    // Siskind and Pearlmutter's example: d/dx [x d/dy (x + y) | y = 1] = 1
    CHECK(dyad::grad([](auto x) { return x * dyad::grad([x](auto y) { return x + y; })(1.0); })(1.0) == 1.0);
    CHECK(dyad::grad([](auto x) { return x * dyad::grad([x](auto y) { return x * y * y; })(3.0); })(2.0) == 24.0);
}

TEST_CASE("a pullback taken at plain numbers accepts a traced cotangent") {
    const auto f = [](auto x) { return dyad::vjp([](auto y) { return y * y * y; })(2.0).second(x * x); };
    CHECK(dyad::grad(f)(3.0) == 72.0);
}

TEST_CASE("functions that differentiate inside are functions of plain numbers too") {
    CHECK(confusing(3.0) == 18.0);
    CHECK(coupled(2.0) == 16.0);
}

TEST_CASE("jvp and hvp along some of the arguments, where the others may be whole numbers") {
    const auto power = [](auto x, auto n, auto y) { return dyad::fori_loop(n, [&](auto, auto s) { return s * x * y; }, x); }; // x^4 y^3
    const std::tuple at{2.0, 3, 1.5};
    CHECK(dyad::jvp<0>(power)(at, 1.0) == std::pair{54.0, 108.0});
    CHECK(dyad::jvp<2>(power)(at, std::tuple{2.0}) == std::pair{54.0, 216.0});
    CHECK(dyad::jvp<0, 2>(power)(at, std::tuple{1.0, 1.0}) == std::pair{54.0, 216.0});
    CHECK(dyad::jvp<2, 0>(power)(at, std::tuple{1.0, 2.0}) == std::pair{54.0, 324.0});
    CHECK(dyad::hvp<0>(power)(at, 1.0) == 162);
    CHECK(dyad::hvp<0, 2>(power)(at, std::tuple{1.0, 1.0}) == std::tuple{378.0, 360.0});
    static_assert(dyad::hvp<1>([](auto x, auto y) { return x * y * y; })(std::tuple{3.0, 2.0}, 1.0) == 6);
    const double c = 2;
    CHECK(dyad::jvp<0>([c](auto x, auto y) { return c * x * x * y; })(std::tuple{3.0, 2.0}, 1.0).second == 24);
    const auto nested = dyad::grad([](auto x) { return dyad::jvp<0>([](auto a, auto b) { return a * a * b; })(std::tuple{x, 3.0}, 1.0).second; });
    CHECK(nested(5.0) == 6);
}
TEST_CASE_TEMPLATE("jvp, vjp, hvp and jacobian of vectors of numbers are those of their numbers", T, float, double) {
    using batch = xsimd::batch<T>;
    constexpr std::size_t lanes = batch::size;
    constexpr auto f = [](auto x, auto y) { return exp(x * y) * sin(y) / x; };
    constexpr auto two = [](auto x, auto y) { return std::tuple{x * y, sin(x)}; };
    std::array<T, lanes> xs, ys, us, vs;
    for (std::size_t k = 0; k < lanes; ++k) {
        const T n = static_cast<T>(k);
        xs[k] = T(0.5) + n / 8, ys[k] = T(1.25) - n / 4, us[k] = n - 1, vs[k] = n / 2;
    }
    const auto loaded = [](const std::array<T, lanes>& a) { return batch::load_unaligned(a.data()); };
    const std::tuple at{loaded(xs), loaded(ys)}, along{loaded(us), loaded(vs)};
    const auto same = [](const batch& got, std::size_t k, T want) {
        std::array<T, lanes> all;
        got.store_unaligned(all.data());
        return std::abs(all[k] - want) <= 16 * std::numeric_limits<T>::epsilon() * (1 + std::abs(want));
    };
    const auto [value, tangent] = dyad::jvp(f)(at, along);
    const auto [again, pull] = dyad::vjp(f)(std::get<0>(at), std::get<1>(at));
    const auto [by_x, by_y] = pull(std::get<0>(along));
    const auto product = dyad::hvp(f)(at, along);
    const auto J = dyad::jacobian(two)(std::get<0>(at), std::get<1>(at));
    for (std::size_t k = 0; k < lanes; ++k) {
        CAPTURE(k);
        const std::tuple one{xs[k], ys[k]}, direction{us[k], vs[k]};
        const auto [value_k, tangent_k] = dyad::jvp(f)(one, direction);
        const auto [x_k, y_k] = dyad::vjp(f)(xs[k], ys[k]).second(us[k]);
        const auto product_k = dyad::hvp(f)(one, direction);
        CHECK((same(value, k, value_k) && same(again, k, value_k)));
        CHECK(same(tangent, k, tangent_k));
        CHECK((same(by_x, k, x_k) && same(by_y, k, y_k)));
        CHECK((same(std::get<0>(product), k, std::get<0>(product_k)) && same(std::get<1>(product), k, std::get<1>(product_k))));
        CHECK((same(J[0][0], k, ys[k]) && same(J[0][1], k, xs[k]) && same(J[1][0], k, std::cos(xs[k])) && same(J[1][1], k, T(0))));
    }
}

TEST_CASE_TEMPLATE("each number of a vector goes its own way through loops, branches and rules", T, float, double) {
    using batch = xsimd::batch<T>;
    constexpr std::size_t lanes = batch::size;
    constexpr auto until = [](auto x) { return dyad::while_loop([](auto s) { return s < 10; }, [&](auto s) { return s * (x + 1); }, x); };
    constexpr auto chosen = [](auto x) { return dyad::cond(x > 1, [&](auto a) { return a * x; }, [&](auto a) { return sin(a); }, x); };
    constexpr auto rounds = [](auto x) { return dyad::fori_loop(5, [&](auto i, auto a) { return sin(a) * x + i; }, x); };
    constexpr auto ruled = [](auto x) {
        return dyad::custom_gradient([](auto a) { return a * a; }, [](auto a, auto, auto upstream) { return std::tuple{3 * a * upstream}; })(dyad::checkpoint([](auto a) { return sin(a) * a; })(x));
    };
    std::array<T, lanes> xs{};
    for (std::size_t k = 0; k < lanes; ++k) xs[k] = T(0.5) + static_cast<T>(k);
    const batch x = batch::load_unaligned(xs.data());
    const auto agrees = [&](const auto& f) {
        std::array<T, lanes> value, slope, pulled, pushed;
        const auto [v, s] = dyad::value_and_grad(f)(x);
        v.store_unaligned(value.data());
        s.store_unaligned(slope.data());
        dyad::vjp(f)(x).second(x).store_unaligned(pulled.data());
        dyad::jvp(f)(x, x).second.store_unaligned(pushed.data());
        const auto close = [](T got, T wanted) { return std::abs(got - wanted) <= 16 * std::numeric_limits<T>::epsilon() * (1 + std::abs(wanted)); };
        for (std::size_t k = 0; k < lanes; ++k) {
            const auto [value_k, slope_k] = dyad::value_and_grad(f)(xs[k]);
            CHECK((close(value[k], value_k) && close(slope[k], slope_k) && close(pulled[k], xs[k] * slope_k) && close(pushed[k], xs[k] * slope_k)));
        }
    };
    agrees(until);
    agrees(chosen);
    agrees(rounds);
    agrees(ruled);
}

// --- directions have the structure of what they belong to, and numbers of any type; a pair is a tuple of two ---

constexpr auto weighted = [](auto x, auto p) { return x * p[0] * p[1]; };
static_assert(dyad::jvp(weighted)(std::tuple{2.0, std::array{3.0, 5.0}}, std::tuple{0.0F, std::array{1, 0}}) == std::pair{30.0, 10.0});
static_assert(dyad::jvp(weighted)(std::tuple{2.0, std::array{3.0, 5.0}}, std::pair{1.0, std::array{0.0, 0.0}}).second == 15.0);
static_assert(dyad::jvp<0>(weighted)(std::tuple{2.0, std::array{3.0, 5.0}}, std::tuple{1.0}).second == 15.0);
static_assert(dyad::vjp(fan)(1.0).second(std::pair{1.0, std::array{0.0F, 1.0F}}) == 5.0);
static_assert(dyad::vjp([](auto x) { return std::pair{x, x * x}; })(3.0).second(std::tuple{1, 1}) == 7.0);
static_assert(dyad::vjp(field)(point<double>{2, 3}).second(point<float>{1, 0}) == point<double>{3, 2});

TEST_CASE("directions of functions with captured numbers have the structure of what they belong to") {
    const double k = 2;
    const auto f = [k](auto x, auto p) { return std::tuple{k * x * std::get<0>(p), std::pair{x, std::get<1>(p)}}; };
    const std::tuple at{3.0, std::tuple{5.0, 7.0}};
    CHECK(std::get<0>(dyad::jvp(f)(at, std::tuple{1.0, std::pair{0.0, 1.0}}).second) == 10.0);
    const auto [by_x, by_p] = dyad::vjp(f)(3.0, std::get<1>(at)).second(std::tuple{1.0, std::tuple{1.0, 0.0}});
    CHECK(by_x == 11.0);
    CHECK(by_p == std::tuple{6.0, 0.0});
}

TEST_CASE("hvp of a long program compiles within the compilers' limits, the gradient and its tangents each an evaluation") {
    constexpr std::size_t n = 90;
    std::array<double, n> x{}, v{};
    for (std::size_t i = 0; i < n; ++i) x[i] = 0.02 * static_cast<double>(i) - 1, v[i] = i % 2 == 0 ? 1 : -0.5;
    const auto valley = [](auto p) {
        auto sum = 0 * p[0];
        for (std::size_t i = 0; i + 1 < n; ++i) sum += 100 * square(p[i + 1] - p[i] * p[i]) + square(1 - p[i]);
        return sum;
    };
    const std::array<double, n> product = dyad::hvp(valley)(x, v);
    for (std::size_t i = 0; i < n; ++i) {
        double expected = 0;
        if (i + 1 < n) expected += (1200 * x[i] * x[i] - 400 * x[i + 1] + 2) * v[i] - 400 * x[i] * v[i + 1];
        if (i > 0) expected += 200 * v[i] - 400 * x[i - 1] * v[i - 1];
        CHECK(product[i] == doctest::Approx(expected).epsilon(1e-12));
    }
}

TEST_CASE("In constant evaluation nothing of what transforms pass on is read before it is written") {
    using none = std::array<double, 0>;
    using two = std::array<double, 2>;
    static constexpr auto extra = [](auto empty, auto x) {
        auto sum = x * x;
        for (const auto& e : empty) sum = sum + e;
        return sum;
    };
    static_assert(dyad::grad(extra)(none{}, 3.0) == std::tuple{none{}, 6.0});
    static_assert(dyad::hvp(extra)(std::tuple{none{}, 3.0}, std::tuple{none{}, 1.0}) == std::tuple{none{}, 2.0});
    static constexpr auto linear = [](auto x) { return std::array{2 * x[0], x[0] + x[1]}; }; // its pullback has no residuals
    static_assert(dyad::vjp(linear)(two{1, 2}).second(two{1, 10}) == two{12, 10});
    static_assert(dyad::jvp(linear)(two{1, 2}, two{1, 0}).second == two{2, 1});
    static_assert(dyad::jacobian(linear)(two{1, 2}) == std::array{two{2, 0}, two{1, 1}});
    static_assert(dyad::hessian([](auto x) { return x[0] * x[0] * x[1]; })(two{3, 5}) == std::array{two{10, 6}, two{6, 0}});
    static_assert([](double scale) { return dyad::hvp([scale](auto x) { return scale * x * x * x; })(2.0, 1.0); }(2) == 24);
}

TEST_CASE("a tuple of one is that one, and functions that capture take tuples") {
    const double k = 0.5;
    CHECK(dyad::jvp([k](auto x) { return k * x * x; })(std::tuple{2.0}, std::tuple{1.0}) == std::pair{2.0, 2.0});
    CHECK(dyad::jvp<0>([k](auto x, auto y) { return k * x * y; })(std::tuple{2.0, 3}, 1.0).second == 1.5);
    CHECK(dyad::hvp([k](auto p) { return k * std::get<0>(p) * std::get<1>(p); })(std::tuple{2.0, 3.0}, std::tuple{1.0, 0.0}) == std::tuple{0.0, 0.5});
    const auto f = [k](auto x) { return k * dyad::jvp([&](auto t) { return t * x; })(std::tuple{3.0}, std::tuple{2.0}).second; };
    CHECK(dyad::grad(f)(1.5) == 1.0);
}
