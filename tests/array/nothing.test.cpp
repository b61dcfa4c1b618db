// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Nothing times an infinite slope is nothing: elements that nobody has picked, branches that are not taken in loops and on tapes, and
// what is off the diagonal of a Jacobian. (docs/conventions.md, "Two kinds of zero".)
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include <dyad/array.hpp>
#include <dyad/tape.hpp>

namespace {

using V = xt::xtensor<double, 1>;
using M = xt::xtensor<double, 2>;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The slope of `f` in each mode that goes backwards.
template <class F>
void check_slope(const F& f, const V& x, const V& want) {
    CHECK(dyad::grad(f)(x) == want);
    CHECK(dyad::tape_grad(f)(x) == want);
    dyad::var<"x", V> e(x);
    CHECK(std::get<0>(dyad::gradient(f(e), e)) == want);
}

} // namespace

TEST_CASE("elements that nobody picks, however they are left out") {
    const V x{-1, 4}, zero{0, 4};
    const auto roots = [](auto x) { return dyad::log(dyad::sqrt(x)); };
    for (const V& at : {x, zero}) {
        check_slope([&](auto x) { return sum(dyad::slice(roots(x), 0, 1)); }, at, V{0, 0.125});
        check_slope([&](auto x) { return dyad::take(roots(x), 1); }, at, V{0, 0.125});
        check_slope([&](auto x) { return sum(dyad::take(roots(x), xt::xtensor<int, 1>{1, 1})); }, at, V{0, 0.25});
        check_slope([&](auto x) { return sum(dyad::flip(dyad::slice(dyad::flip(roots(x), 0), 0, 0, 1), 0)); }, at, V{0, 0.125});
        check_slope([&](auto x) { return sum(square(dyad::slice(roots(x), 0, 1) * 0.5)); }, at, V{0, 0.0625 * std::log(2.0)});
        CHECK(dyad::grad<0>([&](auto x, auto k) { return roots(x)[k]; })(at, 1) == V{0, 0.125});
        CHECK(dyad::grad<0>([&](auto x, auto k) { return sum(dyad::take(roots(x), k)); })(at, xt::xtensor<int, 1>{1, 1}) == V{0, 0.25});
        check_slope([](auto x) { return sum(dyad::where(x > 0, dyad::flip(dyad::sqrt(dyad::flip(x, 0)), 0), 0.0)); }, at, V{0, 0.25});
        check_slope([](auto x) { return dyad::sum(dyad::where(x > 0, dyad::sqrt(x), 0.0)); }, at, V{0, 0.25});
    }
    CHECK(dyad::grad([](auto x) { return max(dyad::sqrt(x)); })(zero) == V{0, 0.25});
    const M m{{0, 4}, {9, 0}};
    CHECK(dyad::grad([](auto m) { return sum(dyad::diag(dyad::sqrt(1 - m))); })(M{{0, 1}, {1, 0}}) == M{{-0.5, 0}, {0, -0.5}});
    CHECK(dyad::grad([](auto m) { return sum(max(dyad::sqrt(m), 1)); })(m) == M{{0, 0.25}, {1.0 / 6, 0}});
    CHECK(dyad::grad([](auto m) { return sum(dyad::max_pool(dyad::sqrt(m), 2)); })(m) == M{{0, 0}, {1.0 / 6, 0}});
}

TEST_CASE("what is picked has its slope, also an infinite one, and a zero of its own is a number") {
    const V zero{0, 4};
    CHECK(dyad::grad([](auto x) { return sum(dyad::slice(dyad::sqrt(x), 0, 0, 1)); })(zero) == V{infinity, 0});
    CHECK(dyad::grad<0>([](auto x, auto k) { return dyad::log(dyad::sqrt(x)[k]); })(V{4, 16}, 1) == V{0, 1.0 / 32});
    CHECK(std::isnan(dyad::grad<0>([](auto x, auto c) { return sum(c * dyad::sqrt(x)); })(zero, V{0, 1})(0)));
    CHECK(std::isnan(dyad::jvp([](auto x) { return dyad::sqrt(x); })(zero, V{0, 1}).second(0)));
}

TEST_CASE("off the diagonal of Jacobians and Hessians of arrays, and in pullbacks") {
    const V zero{0, 4};
    const auto roots = [](auto x) { return dyad::sqrt(x); };
    CHECK(dyad::jacobian(roots)(zero) == M{{infinity, 0}, {0, 0.25}});
    CHECK(dyad::jacobian([](auto x) { return dyad::exp(x); })(V{1000, 0}) == M{{infinity, 0}, {0, 1}});
    CHECK(dyad::jacobian([](auto x) { return dyad::log(dyad::sqrt(x)); })(V{0, 1})(0, 1) == 0);
    CHECK(dyad::hessian([](auto x) { return sum(pow(x, 1.5)); })(zero) == M{{infinity, 0}, {0, 0.375}});
    CHECK(dyad::vjp(roots)(zero).second(V{0, 2}) == V{0, 0.5});
    CHECK(dyad::tape_jacobian(roots)(zero) == std::vector<std::vector<double>>{{infinity, 0}, {0, 0.25}});
    CHECK(dyad::jacobian([](auto x, auto y) { return x * y + y; })(V{1, 2}, V{3, 4}) == std::tuple{M{{3, 0}, {0, 4}}, M{{2, 0}, {0, 3}}});
    const auto one = [](auto x) { return sum(dyad::sqrt(x)) * 0; };
    CHECK(dyad::jacobian([](auto x) { return dyad::sqrt(x) * sum(x); })(V{1, 4}) == M{{3.5, 1}, {2, 3.25}});
    CHECK(dyad::grad(one)(V{1, 4}) == V{0, 0});
}

TEST_CASE("branches of where that a loop does not take, of what stays the same in all its rounds") {
    const auto steps = [](auto x, auto y, auto rounds) {
        return dyad::fori_loop(rounds, [&](auto, auto u) { return dyad::where(x > 0, dyad::sqrt(x) + u * y, u); }, x);
    };
    const auto two = [&](auto x, auto y) { return steps(x, y, 2); };
    CHECK(dyad::grad(two)(-1.0, 2.0) == std::tuple{1.0, 0.0});
    CHECK(dyad::grad<0, 1>(steps)(-1.0, 2.0, 3) == std::tuple{1.0, 0.0});
    CHECK(dyad::grad(two)(4.0, 2.0) == std::tuple{4 + 3 * 0.25, 2.0 + 2 * 2 * 4});
    const auto total = [](auto x) { return sum(dyad::fori_loop(2, [&](auto, auto u) { return dyad::where(x > 0, dyad::sqrt(x) + u, u * u); }, x)); };
    CHECK(dyad::grad(total)(V{-1, 4}) == V{-4, 1.5});
    CHECK(dyad::hvp(total)(V{-1, 4}, V{1, 1}) == V{12, -0.0625});
    CHECK(dyad::grad([](auto x) { return dyad::cond(x > 0, [](auto r) { return r; }, [](auto r) { return 0 * r; }, dyad::sqrt(x)); })(0.0) == 0);
}
