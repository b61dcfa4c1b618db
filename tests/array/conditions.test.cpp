// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Conditions as numbers and numbers as conditions, in functions and expressions of arrays.
#include <doctest/doctest.h>

#include <tuple>
#include <utility>

#include <dyad/array.hpp>

namespace {

using V = xt::xtensor<double, 1>;
using M = xt::xtensor<double, 2>;
using dyad::evaluate;

} // namespace

TEST_CASE("numbers stand for conditions: they hold unless they are 0") {
    constexpr auto f = [](auto c, auto x) { return dyad::where(c, x, 2 * x); };
    const V m{1, 0, 1}, a{0.5, 2, 3};
    CHECK(evaluate([](auto c, auto x) { return sum(dyad::where(c, x, -x)); }, m, a) == 1.5);
    CHECK(dyad::grad<1>([](auto c, auto x) { return sum(dyad::where(c, x, 2 * x)); })(m, a) == V{1, 2, 1});
    CHECK(dyad::kernel(f)(m, a) == V{0.5, 4, 3});
    CHECK(dyad::kernel(f)(xt::xtensor<int, 1>{-1, 0, 2}, a) == V{0.5, 4, 3});
    CHECK(evaluate([](auto y, auto x) { return sum(dyad::where(!y, x, -x)); }, m, a) == -1.5);
    CHECK(evaluate([](auto y, auto x) { return sum(dyad::where(y && x > 2, x, -x)); }, m, a) == 0.5);
    CHECK(evaluate([](auto x) { return sum(where(cumsum(x > 1), x, 10)); }, a) == 15);
    dyad::var<"m", V> c{m};
    dyad::var<"x", V> x{a};
    CHECK(sum(dyad::where(c, x, -x)).value() == 1.5);
}

TEST_CASE("conditions stand for numbers: 1 and 0") {
    const V a{1, -2, 3}, b{1, 2, 3};
    CHECK(evaluate([](auto x) { return sum((x > 0) * x); }, a) == 4);
    CHECK(dyad::grad([](auto x) { return sum((x > 0) * x * x); })(a) == V{2, 0, 6});
    CHECK(evaluate([](auto x, auto y) { return mean((x > 0) == (y > 0)); }, a, b) == doctest::Approx(2.0 / 3));
    CHECK(evaluate([](auto x, auto y) { return sum(relu(x) * (y > 0)); }, a, b) == 4);
    CHECK(evaluate([](auto x, auto y) { return dot(x > 0, y); }, a, b) == 4);
    CHECK(evaluate([](auto x, auto y) { return sum((x > 0) + (y > 0)); }, a, b) == 5);
    dyad::var<"x", V> x{a};
    CHECK(sum((x > 0) * x).value() == 4);
    CHECK(std::get<0>(gradient(sum((x > 0) * x), x)) == V{1, 0, 1});
}

TEST_CASE("conditions that are moved, gathered and go round loops") {
    const V a{1, -2, 3};
    CHECK(evaluate([](auto x, auto i) { return sum(where(take(x > 0, i), x, 10)); }, a, xt::xtensor<int, 1>{0, 1, 2}) == 14);
    CHECK(evaluate([](auto x) { return sum(where(transpose(x > 0), x, 10) + where(slice(concatenate(x > 0, x < 0), 0, 0, 3), x, 10)); }, a) == 28);
    CHECK(evaluate([](auto x) { return dyad::scan([](auto s, auto m) { return std::pair{s + where(m, 1.0, 0.0), s}; }, 0.0, x > 0).first; }, a) == 2);
    CHECK(evaluate([](auto x) { return sum(where(dyad::scan([](auto s, auto e) { return std::pair{s + e, e > 0}; }, 0.0, x).second, x, 10)); }, a) == 14);
    CHECK(dyad::grad([](auto x) { return sum(where(dyad::scan([](auto s, auto e) { return std::pair{s + e, e > s}; }, 0.0, x).second, x * x, 10)); })(a) == V{2, 0, 6});
    CHECK(evaluate([](auto x) { return sum(dyad::vmap([](auto m, auto e) { return where(m, e, -e); })(x > 0, x)); }, a) == 6);
    CHECK(evaluate([](auto x) {
        return dyad::cond(x[0] > 0, [](auto m, auto y) { return sum(where(m, y, 1)); }, [](auto m, auto y) { return sum(where(m, 1, y)); }, x > 0, x);
    }, a) == 5);
    CHECK(evaluate([](auto x) { return dyad::scan([](auto s, auto m) { return std::pair{s + sum(where(m, 1.0, 0.0)), sum(m * 1.0)}; }, 0.0, x > 0).first; },
                   M{{1, -2, 3}, {-1, 2, -3}}) == 3);
}
