// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The functions of <cmath> that are no operations of a graph: values with the bits of the standard library, slopes against
// differences, second derivatives, forward mode; and the three-way comparison.

#include <dyad/tape.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <compare>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using dyad::real, dyad::tape;
using dual = dyad::dual<double, 1>;

constexpr double infinity = std::numeric_limits<double>::infinity(), undefined = std::numeric_limits<double>::quiet_NaN();
const double numbers[] = {0.0, -0.0, 1.7, -2.5, 2.0, -3.0, 1e-300, -3e300, 5e-324, 0.75, infinity, -infinity, undefined};

bool same(double a, double b) {
    return (a == b && std::signbit(a) == std::signbit(b)) || (a != a && b != b);
}
/// Reverse and forward mode of a generic f against differences, for one argument after the other.
template <class F, std::size_t N>
void check_slopes(const F& f, const std::array<double, N>& at) {
    const auto [value, slope] = dyad::tape_value_and_grad(f)(at);
    CHECK(same(value, f(at)));
    for (std::size_t k = 0; k < N; ++k) {
        std::array<double, N> up = at, down = at;
        up[k] += 1e-6;
        down[k] -= 1e-6;
        const double difference = (f(up) - f(down)) / (up[k] - down[k]);
        CHECK(slope[k] == doctest::Approx(difference).epsilon(1e-7));
        std::array<dual, N> moving;
        for (std::size_t j = 0; j < N; ++j) moving[j] = j == k ? dual::variable(at[j]) : dual(at[j]);
        CHECK(dual(f(moving)).tangent() == doctest::Approx(slope[k]).epsilon(1e-14));
    }
}

} // namespace

TEST_CASE("each has the value of the plain function") {
    for (const double x : numbers) {
        double whole = 0;
        real whole_of_real;
        CHECK(same(modf(real(x), &whole_of_real).value(), std::modf(x, &whole)));
        CHECK(same(whole_of_real.value(), whole));
        int e = 0, f = 0;
        CHECK(same(frexp(real(x), &e).value(), std::frexp(x, &f)));
        if (x - x == 0) CHECK(e == f);
        CHECK(same(logb(real(x)).value(), std::logb(x)));
        for (const int n : {0, 5, -5, 1100, -1100}) {
            CHECK(same(scalbn(real(x), n).value(), std::scalbn(x, n)));
            CHECK(same(scalbln(real(x), n * 1000000000L).value(), std::scalbln(x, n * 1000000000L)));
        }
        for (const double y : numbers) {
            int p = 0, q = 0;
            CHECK(same(remainder(real(x), y).value(), std::remainder(x, y)));
            CHECK(same(remainder(x, real(y)).value(), std::remainder(x, y)));
            CHECK(same(remquo(real(x), y, &p).value(), std::remquo(x, y, &q)));
            CHECK(p == q);
            CHECK(same(nextafter(real(x), y).value(), std::nextafter(x, y)));
            CHECK(same(hypot(real(x), y, 2.0).value(), std::hypot(x, y, 2.0)));
        }
    }
    CHECK(llrint(real(1.7)) == 2);
    CHECK(ilogb(real(9)) == 3);
    CHECK(remainder(dyad::active<float>(7.5F), 2.0F).value() == std::remainder(7.5F, 2.0F));
}

TEST_CASE("slopes agree with differences") {
    for (const double x : {1.7, -2.6, 0.3, 10.3}) {
        check_slopes([](const auto& v) { std::remove_cvref_t<decltype(v[0])> whole; return modf(v[0] * v[0], &whole); }, std::array{x});
        check_slopes([](const auto& v) { int e = 0; return frexp(v[0] * v[0], &e) + frexp(v[0], &e); }, std::array{x});
        check_slopes([](const auto& v) { return v[0] * scalbn(v[0], 3) + scalbln(v[0], -2L); }, std::array{x});
        check_slopes([](const auto& v) { return v[0] * logb(v[0]); }, std::array{x});
        for (const double y : {0.7, -1.9, 5.3}) {
            check_slopes([](const auto& v) { return remainder(v[0], v[1]) * v[0]; }, std::array{x, y});
            check_slopes([](const auto& v) { int q = 0; return remquo(v[0], v[1], &q) * v[1]; }, std::array{x, y});
            check_slopes([](const auto& v) { return nextafter(v[0] * v[0], v[1]); }, std::array{x, y});
            check_slopes([](const auto& v) { using std::hypot; return hypot(v[0], v[1], v[2] * v[0]); }, std::array{x, y, 0.4});
            check_slopes([](const auto& v) { using std::hypot; return hypot(v[0], 2.0, v[1]); }, std::array{x, y});
        }
    }
}

TEST_CASE("they follow the conventions, and nest") {
    tape t{dyad::persistent};
    const real x = t.variable(0.0), y = t.variable(0.0), z = t.variable(4.0);
    const auto zero = t.gradient(real(hypot(x, y, 0.0 * z)), std::tuple{x, y});
    CHECK(std::get<0>(zero) == 0);
    CHECK(std::get<1>(zero) == 0);
    const double in_y = std::get<1>(t.gradient(remainder(x, z), std::tuple{x, z}));
    CHECK(same(in_y, 0));
    real whole;
    const real rest = modf(z, &whole);
    CHECK(!t.connected(whole, z));
    CHECK(t.gradient(rest, z) == 1);
    const auto length = [](auto a, auto b) { using std::hypot; return hypot(a, b, 2.0); };
    const auto h = dyad::tape_hessian(length)(1.0, 3.0);
    const double r = std::sqrt(14.0);
    CHECK(h[0][0] == doctest::Approx((r * r - 1) / (r * r * r)));
    CHECK(h[0][1] == doctest::Approx(-3 / (r * r * r)));
    CHECK(dyad::tape_hessian([](auto a, auto b) { return a * b * remainder(a, b); })(7.5, 2.0)[0][1] == doctest::Approx(2 * 7.5 - 2 * 4 * 2.0));
    CHECK(dyad::tape_grad(dyad::tape_grad([](auto a) { decltype(a) part; return modf(a * a, &part) * a; }))(1.5) == 6 * 1.5);
    const auto branch = [](auto a) { // one type, whichever way
        if (a > 1) return a;
        return ldexp(a, 2);
    };
    CHECK(dyad::tape_grad(branch)(0.5) == 4);
}

namespace {

struct point {
    real x, y;
    auto operator<=>(const point&) const = default;
};

} // namespace

TEST_CASE("a three-way comparison is a partial ordering") {
    static_assert(std::is_same_v<decltype(real(1) <=> real(2)), std::partial_ordering>);
    static_assert(std::three_way_comparable<real, std::partial_ordering>);
    const real x = 2, y = 3;
    CHECK((x <=> y) < 0);
    CHECK((y <=> x) > 0);
    CHECK((x <=> 2.0) == 0);
    CHECK((1 <=> x) < 0);
    CHECK((x * y <=> x + y) > 0);
    CHECK((x <=> real(undefined)) == std::partial_ordering::unordered);
    CHECK((dual(1) <=> dual(2)) < 0);
    CHECK(point{1, 2} < point{1, 3});
    CHECK(point{2, 1} > point{1, 3});
    CHECK(point{1, 2} == point{1, 2});
    CHECK(point{1, 2} != point{1, undefined});
    CHECK((std::tuple{x, y} <=> std::tuple{x, x}) > 0);
    CHECK(std::vector<real>{1, 2} < std::vector<real>{1, 3});
    CHECK((std::pair{x, y} <=> std::pair{x, y}) == 0);
    CHECK((x < y && x <= y && y > x && y >= x && x == x && x != y && 1 < x && x < 3.5));
}
TEST_CASE("beside the standard library's functions") {
    using namespace std;
    const real x = 2;
    real whole;
    int n = 0;
    CHECK(real(hypot(x, x, x) + remainder(x, 1.5) + modf(x, &whole) + frexp(x, &n) + scalbn(x, 1) + logb(x) + nextafter(x, 3.0) + remquo(x, 1.5, &n) + scalbln(x, 1L)).value() == doctest::Approx(2 * sqrt(3.0) + 0.5 + 0 + 0.5 + 4 + 1 + 2 + 0.5 + 4));
}
