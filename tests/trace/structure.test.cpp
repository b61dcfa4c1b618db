// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Trees of numbers, flattened and rebuilt; and functions whose size would be their end if graphs were
// trees: x = x·x + x sixty times has 2⁶⁰ leaves written out. As a plain loop and as expressions both must
// compile within the compilers' default limits, with derivatives, and so must a loop of a thousand operations.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

template <class T>
struct point {
    T x, y;
};
template <class T>
struct particle {
    point<T> position, velocity;
    T mass;
};
template <class T, std::size_t N>
struct polygon {
    std::array<point<T>, N> corners;
};
template <class T, int N>
struct fixed {
    std::array<T, static_cast<std::size_t>(N)> v;
};
template <class T, std::size_t N, std::size_t M, bool ByRows>
struct table {
    std::array<std::array<T, M>, N> v;
};
template <class T>
struct eight {
    T a, b, c, d, e, f, g, h;
};

// --- counting ---

static_assert(dyad::leaf_count<double> == 1 && dyad::leaf_count<> == 0 && dyad::leaf_count<float, int> == 2);
static_assert(dyad::leaf_count<std::array<double, 3>> == 3 && dyad::leaf_count<std::array<std::array<float, 2>, 3>> == 6);
static_assert(dyad::leaf_count<std::tuple<double, std::pair<int, std::array<double, 4>>>> == 6);
static_assert(dyad::leaf_count<std::tuple<>> == 0);
static_assert(dyad::leaf_count<point<double>> == 2 && dyad::leaf_count<particle<double>> == 5);
static_assert(dyad::leaf_count<std::array<particle<double>, 2>> == 10 && dyad::leaf_count<polygon<double, 3>> == 6);
static_assert(dyad::leaf_count<eight<double>> == 8);
static_assert(dyad::leaf_count<fixed<double, 3>> == 3 && dyad::leaf_count<table<double, 2, 3, true>> == 6);

// --- the same form ---

// Bases that hold nothing, and members that are all a base's.
template <class D>
struct addition {
    friend constexpr D operator+(const D& a, const D& b) { return D{{}, {}, a.x + b.x, a.y + b.y}; }
};
struct mark {};
template <class T>
struct marked : addition<marked<T>>, mark {
    T x;
    std::array<T, 2> y;
    friend constexpr std::array<T, 2> operator+(const std::array<T, 2>& a, const std::array<T, 2>& b) { return {a[0] + b[0], a[1] + b[1]}; }
};
template <class T>
struct derived : point<T> {};
static_assert(dyad::form_of<marked<double>>.bases == 2 && dyad::form_of<marked<double>>.members == 2);
static_assert(dyad::grad([](auto p) {
    using P = std::remove_cvref_t<decltype(p)>;
    const P q{{}, {}, p.x * p.x, p.y};
    return q.x * q.y[0] * q.y[1];
})(marked<double>{{}, {}, 3, {2, 5}}).x == 60);
static_assert(dyad::grad([](auto p) { return p.x * p.x * p.y; })(derived<double>{{3, 2}}).x == 12);

static_assert(dyad::same_structure<double, int>() && !dyad::same_structure<double, std::tuple<double>>());
static_assert(dyad::same_structure<std::tuple<double, int>, std::pair<float, bool>>() && dyad::same_structure<std::array<double, 2>, point<int>>());
static_assert(!dyad::same_structure<std::tuple<double, std::array<double, 2>>, std::tuple<std::array<double, 2>, double>>());
static_assert(!dyad::same_structure<std::array<double, 2>, std::array<double, 3>>() && !dyad::same_structure<std::array<point<double>, 2>, std::array<std::array<double, 4>, 1>>());
static_assert(dyad::same_structure<polygon<double, 3>, std::tuple<std::array<std::pair<int, int>, 3>>>());

// --- the type that all leaves compute in ---

static_assert(std::is_same_v<dyad::common_leaf<float>, float> && std::is_same_v<dyad::common_leaf<float, int>, float>);
static_assert(std::is_same_v<dyad::common_leaf<int, bool>, double> && std::is_same_v<dyad::common_leaf<>, double>);
static_assert(std::is_same_v<dyad::common_leaf<point<float>, double>, double>);
static_assert(std::is_same_v<dyad::common_leaf<std::tuple<float, long double>, int>, long double>);
static_assert(dyad::has_leaf<int, std::tuple<double, std::array<int, 2>>> && !dyad::has_leaf<int, particle<double>>);

// --- walking and rebuilding, in the order of the members ---

template <class S>
constexpr double digits(const S& s) {
    double number = 0;
    dyad::for_each_leaf([&](const auto& leaf) { number = 10 * number + static_cast<double>(leaf); }, s);
    return number;
}
static_assert(digits(particle<double>{{1, 2}, {3, 4}, 5}) == 12345);
static_assert(digits(polygon<double, 2>{{{{1, 2}, {3, 4}}}}) == 1234);
static_assert(digits(std::tuple{1.0, std::pair{2, std::array{3.0F, 4.0F}}, eight<double>{5, 6, 7, 8, 9, 0, 1, 2}}) ==
              123456789012);

struct counter {
    double next = 0;
    template <class Leaf>
    constexpr Leaf operator()() {
        return static_cast<Leaf>(++next);
    }
};
template <class S>
constexpr S counted() {
    return dyad::structure<S>::build(counter{});
}
static_assert(digits(counted<particle<double>>()) == 12345 && digits(counted<polygon<float, 2>>()) == 1234);
static_assert(digits(counted<std::tuple<double, std::pair<float, std::array<double, 2>>>>()) == 1234);
static_assert(std::is_same_v<dyad::traced<particle<double>>, particle<dyad::tracer>>);
static_assert(std::is_same_v<dyad::traced<polygon<float, 3>>, polygon<dyad::tracer, 3>>);
static_assert(std::is_same_v<dyad::traced<std::pair<int, double>>, std::pair<dyad::tracer, dyad::tracer>>);

constexpr auto kinetic = [](auto p) {
    return p.mass * (p.velocity.x * p.velocity.x + p.velocity.y * p.velocity.y) / 2 + p.position.x * p.mass;
};
static_assert(dyad::formula(dyad::graph_of<particle<double>>(kinetic)).view().find("x4") != std::string_view::npos);
static_assert(dyad::grad(kinetic)(particle<double>{{1, 2}, {3, 4}, 10}).velocity.y == 40.0);
static_assert(dyad::grad(kinetic)(particle<double>{{1, 2}, {3, 4}, 10}).mass == 13.5);

// --- sixty steps ---

constexpr auto sixty_steps = [](auto x) {
    for (int i = 0; i < 60; ++i) x = x * x + x;
    return x;
};
static_assert(dyad::operation_count(dyad::graph_of<double>(sixty_steps)) == 120);
static_assert(dyad::operation_count(dyad::graph_of<double>(dyad::grad(sixty_steps))) <= 4 * 120);
static_assert(dyad::grad(sixty_steps)(0.0) == 1.0 && dyad::grad(sixty_steps)(-1.0) == -1.0);
static_assert(dyad::derivative<2>(sixty_steps)(0.0) == 120.0);

template <int N, class E>
constexpr auto steps(const E& x) {
    if constexpr (N == 0) {
        return x;
    } else {
        return steps<N - 1>(x * x + x);
    }
}
constexpr dyad::var<"x"> at_zero{0.0};
static_assert(dyad::operation_count(dyad::graph_of(steps<60>(at_zero))) == 120);
static_assert(dyad::diff(steps<60>(at_zero), at_zero).value() == 1.0);
static_assert(dyad::formula(steps<60>(at_zero)).substr(0, 34) == "t0 = x^2 + x; t1 = t0 + t0^2; t2 =");

/// The value and the first two derivatives by recurrence.
std::array<double, 3> sixty_by_hand(double x) {
    double first = 1, second = 0;
    for (int i = 0; i < 60; ++i) {
        second = 2 * first * first + (2 * x + 1) * second;
        first *= 2 * x + 1;
        x = x * x + x;
    }
    return {x, first, second};
}

constexpr auto thousand = [](auto x, auto y) {
    for (int i = 0; i < 200; ++i) x = dyad::sin(x * y) + (x - y) / 2; // five operations
    return x;
};
static_assert(dyad::operation_count(dyad::graph_of<double, double>(thousand)) == 1000);

} // namespace

TEST_CASE("sixty steps of x x + x have the derivatives that a recurrence gives") {
    for (const double x : {1e-3, -0.5, 0.01, -0.9}) {
        const auto [value, first, second] = sixty_by_hand(x);
        const auto [v, g] = dyad::value_and_grad(sixty_steps)(x);
        CHECK(std::abs(v - value) <= 1e-13 * std::abs(value));
        CHECK(std::abs(g - first) <= 1e-12 * std::abs(first));
        CHECK(std::abs(dyad::derivative<2>(sixty_steps)(x) - second) <= 1e-12 * std::abs(second));
        CHECK(std::abs(dyad::jvp(sixty_steps)(x, 1.0).second - g) <= 1e-13 * std::abs(g));
    }
}

TEST_CASE("sixty steps of expressions have the derivatives that a recurrence gives") {
    dyad::var<"x"> x{1e-3};
    const auto e = steps<60>(x);
    const auto [value, first, second] = sixty_by_hand(1e-3);
    CHECK(std::abs(e.value() - value) <= 1e-13 * value);
    CHECK(std::abs(dyad::diff(e, x).value() - first) <= 1e-12 * first);
    CHECK(std::abs(std::get<0>(dyad::gradient(e, x)) - first) <= 1e-12 * first);
}

TEST_CASE("sixty explicit statements are an expression as well") {
    dyad::var<"x"> x0{0.01};
#define STEP(next, x) const auto next = x * x + x
#define TEN_STEPS(a, b)                                                                              \
    STEP(a##b##0, a##b);                                                                             \
    STEP(a##b##1, a##b##0);                                                                          \
    STEP(a##b##2, a##b##1);                                                                          \
    STEP(a##b##3, a##b##2);                                                                          \
    STEP(a##b##4, a##b##3);                                                                          \
    STEP(a##b##5, a##b##4);                                                                          \
    STEP(a##b##6, a##b##5);                                                                          \
    STEP(a##b##7, a##b##6);                                                                          \
    STEP(a##b##8, a##b##7);                                                                          \
    STEP(a##b##9, a##b##8)
    TEN_STEPS(x, 0);
    TEN_STEPS(x0, 9);
    TEN_STEPS(x09, 9);
    TEN_STEPS(x099, 9);
    TEN_STEPS(x0999, 9);
    TEN_STEPS(x09999, 9);
#undef TEN_STEPS
#undef STEP
    CHECK(std::is_same_v<decltype(x0999999), decltype(steps<60>(x0)) const>);
    const auto [value, first, second] = sixty_by_hand(0.01);
    CHECK(std::abs(x0999999.value() - value) <= 1e-13 * value);
    CHECK(std::abs(dyad::diff(x0999999, x0).value() - first) <= 1e-12 * first);
    static_cast<void>(second);
}

TEST_CASE("a loop of a thousand operations is differentiated within the default limits") {
    const double x = 0.4, y = 0.7;
    const auto [value, gradient] = dyad::value_and_grad(thousand)(x, y);
    double v = x, dx = 1, dy = 0;
    for (int i = 0; i < 200; ++i) {
        const double slope = std::cos(v * y);
        dy = slope * (dy * y + v) + (dy - 1) / 2;
        dx = slope * dx * y + dx / 2;
        v = std::sin(v * y) + (v - y) / 2;
    }
    CHECK(std::abs(value - v) <= 1e-13 * std::abs(v));
    CHECK(std::abs(std::get<0>(gradient) - dx) <= 1e-11 * std::abs(dx));
    CHECK(std::abs(std::get<1>(gradient) - dy) <= 1e-12 * std::abs(dy));
}
