// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Values that move around: aliases, self-assignment, overwritten inputs, temporaries that are returned, and what no result
// depends on. (The sanitizers look for what these tests cannot see.)

#include <dyad/tape.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using dyad::real, dyad::tape;

auto returned_operation(const real& x) {
    const real local = x * 3;
    return local * local + sin(local); // an operation that holds copies of a local variable
}
template <class T>
T returned_number(T x) {
    T y = x;
    y *= x;
    return y;
}

constexpr double inf = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("what a number that is not kept hands out stands by itself") {
    tape t;
    const real x = t.variable(2.0);
    const double& value = real(x * 3).value();
    auto&& of_dual = (dyad::dual<double, 2>::variable(4.0, 1)).tangent(1);
    const auto& all = dyad::dual<double, 2>::variable(4.0, 1).all_tangents();
    CHECK(value == 6);
    CHECK(of_dual == 1);
    CHECK(all[1] == 1);
    static_assert(std::is_same_v<decltype(x.value()), const double&>);
    static_assert(std::is_same_v<decltype(real(1.0).value()), double>);
    static_assert(std::is_same_v<decltype(dyad::dual<double, 1>(1.0).value()), double>);
}

TEST_CASE("aliases, self-assignment and overwritten inputs") {
    tape t{dyad::persistent};
    const real x = t.variable(2.0);
    real y = x;
    y = y * y;
    y = y * y + y; // x^4 + x^2
    real& alias = y;
    alias = y;
    CHECK(t.gradient(y, x) == 4 * 8 + 2 * 2);
    y += y; // 2 y
    y *= y;
    CHECK(t.gradient(y, x) == 2 * 40 * 2 * 36);
    y -= alias;
    CHECK(y.value() == 0);
    CHECK(t.gradient(y, x) == 0);
    y = x;
    y /= alias;
    CHECK(t.gradient(y, x) == 0);

    real input = t.variable(3.0);
    const real kept = input;
    const real square = input * input;
    input = 7 * square;
    CHECK(t.gradient(square, kept) == 6);
    CHECK(t.gradient(input, kept) == 42);
}

TEST_CASE("auto holds operands by value") {
    tape t;
    real x = t.variable(2.0);
    const real first = x;
    const auto operation = x * x + 1;
    x = 10; // changes nothing in the operation
    const real y = operation;
    CHECK(y.value() == 5);
    CHECK(t.gradient(y, first) == 4);
}

TEST_CASE("temporaries can be returned") {
    tape t{dyad::persistent};
    const real x = t.variable(2.0);
    const auto operation = returned_operation(x);
    const real y = operation;
    CHECK(t.gradient(y, x) == doctest::Approx(3 * (12 + std::cos(6.0))));
    CHECK(t.gradient(returned_number(returned_number(x)), x) == 32);
    CHECK(t.gradient(returned_number<real>(x + 1) * 2, x) == 12);
}

TEST_CASE("copies, moves and containers") {
    tape t;
    real x = t.variable(2.0), z = t.variable(3.0);
    std::vector<real> v{x, z};
    v.insert(v.begin(), x * z);
    std::vector<real> moved = std::move(v);
    std::swap(moved[0], moved[2]);
    auto owned = std::make_unique<real>(moved[2] * moved[0]); // x z z
    real* const pointer = owned.get();
    *pointer += 1;
    moved.clear();
    const auto [dx, dz] = t.gradient(*owned, std::tuple{x, z});
    CHECK(dx == 9);
    CHECK(dz == 12);
}

TEST_CASE("chains of auto stay small however often they double") {
    tape t;
    const real x = t.variable(0.5);
    auto a = x * x + x;
    auto b = a * a + a;
    auto c = b * b + b;
    auto d = c * c + c;
    auto e = d * d + d;
    static_assert(decltype(e)::leaf_count <= dyad::most_leaves);
    static_assert(decltype(e)::operation_count <= dyad::most_operations);
    const auto f = [](auto u) {
        for (int i = 0; i < 5; ++i) u = u * u + u;
        return u;
    };
    CHECK(real(e).value() == f(0.5));
    CHECK(t.gradient(e, x) == doctest::Approx(dyad::grad(f)(0.5)).epsilon(1e-14));
}

TEST_CASE("what no target depends on poisons no gradient, be its slopes infinite") {
    tape t{dyad::persistent};
    const real x = t.variable(0.0);
    const real dead = log(x) + sqrt(x) + 1 / x;
    CHECK(!std::isfinite(dead.value()));
    real y = 2 * x;
    CHECK(t.gradient(y, x) == 2);
    y = where(x > 0, sqrt(x) / x, 3 * x); // nor the branch not taken
    CHECK(t.gradient(y, x) == 3);
    const real unused = sqrt(x) * x;
    y = where(x < 1, x, unused);
    CHECK(t.gradient(y, x) == 1);
    const real low = log(x); // -inf
    CHECK(t.gradient(max(x, low), x) == 1);
    CHECK(std::isnan(t.gradient(max(x, low) + relu(x - 1) * low, x))); // 0 times inf is no zero of a rule
}

TEST_CASE("an adjoint that happens to be zero is not skipped") {
    tape t{dyad::persistent};
    const real x = t.variable(0.0);
    const real root = sqrt(x); // slope inf
    const real y = root * root;
    CHECK(std::isnan(t.gradient(y, x))); // 0 times inf, as in the graph
    CHECK(std::isnan(dyad::grad(dyad::verbatim([](auto u) {
        auto r = sqrt(u);
        return r * r;
    }))(0.0)));
    CHECK(t.gradient(root, x) == inf);
}

// (Nothing that has reached an adjoint may look as if nothing had: not a zero with a sign either.)
TEST_CASE_TEMPLATE("a zero of either sign reaches an adjoint", T, float, double, long double) {
    using number = dyad::active<T>;
    const auto through_root = [](auto f) {
        tape t;
        const number x = t.variable(T(0));
        const number root = sqrt(x); // slope inf
        return t.gradient(number(f(root)), x);
    };
    const auto zero = [](T z) { return [z](const number& r) { return number(r * z); }; };
    CHECK(std::isnan(through_root(zero(T(0)))));
    CHECK(std::isnan(through_root(zero(T(-0.0)))));
    CHECK(std::isnan(through_root([](const number& r) { return number(number(number(r) - 1) * T(-0.0)); }))); // a slope of 1 hands it on
    CHECK(std::isnan(through_root([](const number& r) { return number(number(1 - r) * T(0)); })));              // a slope of -1
    CHECK(std::isnan(through_root([](const number& r) { return number(number(1 - r) * T(-0.0)); })));
    CHECK(std::isnan(through_root([](const number& r) { return number(number(r * 2) + number(r * -2)); }))); // a sum of zero
    CHECK(through_root([](const number& r) { return number(stop_gradient(r) + 1); }) == 0);             // nothing at all
    tape t{dyad::persistent};
    const number x = t.variable(T(0)), y = t.variable(T(2));
    const number root = sqrt(x);
    const std::array<number, 3> z{number(root * T(-0.0) + y), number(y * y), number(number(-y) - root * T(0))};
    const auto j = t.jacobian(z, std::tuple{x, y}); // lanes beside one another
    CHECK((std::isnan(j[0][0]) && std::isnan(j[2][0])));
    CHECK(j[1][0] == 0);
    CHECK((j[0][1] == 1 && j[1][1] == 4 && j[2][1] == -1));
    const T zero_of_seed = t.gradient(y, y, dyad::seed(T(-0.0))); // -0 is what nothing has reached
    CHECK((zero_of_seed == 0 && !std::signbit(zero_of_seed)));
    CHECK(std::isnan(t.gradient(root, x, dyad::seed(T(-0.0)))));
    const T untouched = t.gradient(y, x);
    CHECK((untouched == 0 && !std::signbit(untouched)));
}

TEST_CASE("equal operands of long statements give one gradient, stored once or twice") {
    tape t{dyad::persistent};
    const real p = t.variable(0.7), q = t.variable(-1.3), x = t.variable(2.0), y = t.variable(0.3), same = x;
    const auto f = [](const auto& a, const auto& b, const auto& u, const auto& v, const auto& w) { return a * u - b * w * v + u * w; };
    const auto known = [](auto a, auto b, auto u, auto v) { return a * u - b * u * v + u * u; };
    const std::tuple sources{p, q, x, y};
    const auto want = dyad::grad(known)(0.7, -1.3, 2.0, 0.3);
    for (const real& z : {real(f(p, q, x, y, x)), real(f(p, q, x, y, same))}) {
        const auto got = t.gradient(z, sources);
        CHECK(std::get<0>(got) == doctest::Approx(std::get<0>(want)).epsilon(1e-15));
        CHECK(std::get<1>(got) == doctest::Approx(std::get<1>(want)).epsilon(1e-15));
        CHECK(std::get<2>(got) == doctest::Approx(std::get<2>(want)).epsilon(1e-15));
        CHECK(std::get<3>(got) == doctest::Approx(std::get<3>(want)).epsilon(1e-15));
    }
}

TEST_CASE("statements of any number of operands, with slopes of 1, -1 and others, go back alike") {
    tape t{dyad::persistent};
    const real a = t.variable(1.5), b = t.variable(-0.5), c = t.variable(2.5), d = t.variable(0.25);
    const std::tuple sources{a, b, c, d};
    const auto check = [&](const real& z, double ga, double gb, double gc, double gd) {
        const auto [da, db, dc, dd] = t.gradient(real(3 * z), sources);
        CHECK(da == doctest::Approx(3 * ga));
        CHECK(db == doctest::Approx(3 * gb));
        CHECK(dc == doctest::Approx(3 * gc));
        CHECK(dd == doctest::Approx(3 * gd));
    };
    check(a, 1, 0, 0, 0);
    check(-a, -1, 0, 0, 0);
    check(2 * a, 2, 0, 0, 0);
    check(a - b, 1, -1, 0, 0);
    check(a - 2 * b, 1, -2, 0, 0);
    check(a * b, -0.5, 1.5, 0, 0);
    check(a - b * c, 1, -2.5, 0.5, 0);
    check(a - b + 2 * c, 1, -1, 2, 0);
    check(a - b - c, 1, -1, -1, 0);
    check(a * b * c, -1.25, 3.75, -0.75, 0);
    check(a * b * c - d, -1.25, 3.75, -0.75, -1);
    check(a - b + c - d, 1, -1, 1, -1);
    check(a * b * c * d, -0.3125, 0.9375, -0.1875, -1.875);
    check(a * b - c + d, -0.5, 1.5, -1, 1);
}

TEST_CASE("whole-number attributes that only the run knows") {
    for (int n = -3; n <= 4; ++n) {
        tape t{dyad::persistent};
        const real x = t.variable(-1.5);
        CHECK(real(ipow(x, n)).value() == dyad::ipow(-1.5, n));
        CHECK(t.gradient(ipow(x, n), x) == doctest::Approx(n * std::pow(-1.5, n - 1)));
        CHECK(t.gradient(pow(x, n), x) == doctest::Approx(n * std::pow(-1.5, n - 1)));
    }
    tape t{dyad::persistent};
    const real x = t.variable(1.5);
    CHECK(t.gradient(dyad::polygamma(1, x), x) == doctest::Approx(dyad::polygamma(2, 1.5)));
    CHECK(t.gradient(dyad::sinc(x), x) == doctest::Approx(dyad::sinc(1, 1.5)));
}

TEST_CASE("after a reset, numbers recorded before are of no tape") {
    tape t{dyad::persistent};
    const real x = t.variable(2.0), y = x * x;
    t.reset();
    CHECK_THROWS_AS(t.gradient(y, x), dyad::tape_error);
    const real z = t.variable(3.0), w = z * z;
    CHECK(t.gradient(w, z) == 6);
    CHECK_THROWS_AS(real(w * y), dyad::tape_error);
}
