// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// One number as the cotangent, or the tangent, of a whole array that leaves a loop, a branch or a checkpoint: where the body
// stretched a number, it counts as often as there are elements. (It once counted once.)

#include "differences.hpp"

#include <doctest/doctest.h>

#include <tuple>
#include <utility>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
const matrix rows{{1, 2, 3}, {4, 5, 6}};
const vector row{1, 2, 3};

constexpr auto step = [](auto state, auto r) {
    const auto next = 0.5 * state + r * r;
    return std::pair{next + sum(state), next + sum(next * next)};
};

constexpr auto half = [](auto r) { return r * 0.5 + sum(r); };
constexpr auto twice = [](auto r) { return r + r; };

/// The second derivative of Σ y(x + s) by s, both ways, and the first, each as a multiple of what differences give.
template <class F, class X>
bool slopes_agree(F f, const X& x) {
    const X none = 0 * x;
    const double s = 0.3, h = 1e-5;
    const double first = (dyad::evaluate(f, s + h, x) - dyad::evaluate(f, s - h, x)) / (2 * h);
    const double second = (dyad::grad<0>(f)(s + h, x) - dyad::grad<0>(f)(s - h, x)) / (2 * h);
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-6 * (1 + std::abs(b)); };
    return near(dyad::jvp(f)(std::tie(s, x), std::tuple{1.0, none}).second, first) && near(dyad::grad<0>(f)(s, x), first) &&
           near(std::get<0>(dyad::hvp(f)(std::tie(s, x), std::tuple{1.0, none})), second);
}

} // namespace

TEST_CASE("of the rows of a map") {
    CHECK(dyad::grad([](auto a) { return sum(dyad::vmap([](auto r) { return r + sum(r); })(a)); })(rows) == matrix{{4, 4, 4}, {4, 4, 4}});
    CHECK(dyad::grad([](auto a) { return 2.0 * sum(dyad::vmap([](auto r) { return r * r + sum(r); })(a)); })(rows) == matrix{{10, 14, 18}, {22, 26, 30}});
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::vmap([&](auto r) { const auto q = r + s; return q * sum(q) + sum(q); })(a)); }, rows));
}
TEST_CASE("of what a scan stacks, whatever it stores") {
    CHECK(slopes_agree([](auto s, auto a) { return sum(std::get<1>(dyad::scan(step, a[0] + s, a + s))); }, rows));
    CHECK(slopes_agree([](auto s, auto a) { return sum(std::get<1>(dyad::scan(step, a[0] + s, a + s, dyad::store_every<2>))); }, rows));
}
TEST_CASE("of a checkpoint and a branch") {
    CHECK(dyad::grad([](auto a) { return sum(dyad::checkpoint([](auto r) { return r + sum(r * r); })(a)); })(row) == vector{7, 13, 19});
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::checkpoint([](auto r) { return r * sum(r) + sum(r); })(a + s)); }, row));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::cond(a[0] > 0, [](auto r) { return r * sum(r) + sum(r); }, [](auto r) { return r; }, a + s)); }, row));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::vmap([](auto r) { return dyad::checkpoint([](auto q) { return q * sum(q) + sum(q); })(r); })(a + s)); }, rows));
}
TEST_CASE("of an argument of a branch or a checkpoint within a map, a scan and a branch") {
    const matrix signs{{1, 2}, {3, -4}, {-1, -2}};
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::vmap([](auto r) { return dyad::cond(sum(r) > 0, half, twice, r); })(a + s)); }, signs));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::vmap([](auto r) { return dyad::checkpoint(half)(r); })(a + s)); }, signs));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::cond(sum(a) < 0, half, twice, a + s)) * s; }, signs));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::cond(sum(a) < 0, half, [](auto r) { return dyad::cond(sum(r) < 9, half, twice, r); }, a + s)); }, signs));
    CHECK(slopes_agree([](auto s, auto a) { return sum(dyad::checkpoint([](auto r) { return dyad::cond(sum(r) < 9, half, twice, r * sum(r)); })(a + s)); }, signs));
    CHECK(slopes_agree([](auto s, auto a) {
        return sum(std::get<1>(dyad::scan([&](auto state, auto r) { const auto next = dyad::cond(sum(r) > 0, half, twice, r * s) + state; return std::pair{next, next}; }, a[0], a + s)));
    }, signs));
}
