// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Nothing times an infinite slope is nothing: elements that nobody has picked, and what is off the diagonal of a Jacobian; but a zero
// that was computed is a number, and derivatives go through it. (docs/conventions.md, "Two kinds of zero".)
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include <dyad/array.hpp>

namespace {

using V = xt::xtensor<double, 1>;
using M = xt::xtensor<double, 2>;
constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr auto picked = [](auto x) { return sum(square(dyad::slice(dyad::sqrt(x), 0, 0, 1) - 2)); };
constexpr auto residual = [](auto x, auto y) { return dyad::log(x) - dyad::log(y); };
constexpr auto loop = [](auto x, auto y) {
    const auto r = residual(x, y);
    return dyad::fori_loop(3, [&](auto, auto u) { return u + r * r; }, 0 * x);
};
constexpr auto branch = [](auto x, auto y) { return dyad::cond(y > 0, [](auto u) { return u * u; }, [](auto u) { return u; }, residual(x, y)); };
constexpr auto kept = [](auto x, auto y) { return dyad::checkpoint([](auto u) { return u * u; })(residual(x, y)); };

constexpr auto roots = [](auto x) { return dyad::log(dyad::sqrt(x)); };

/// How often masks are joined in the gradient of `f`.
template <class F>
constexpr int joined_masks(const F& f) {
    const dyad::plan_summary p = dyad::plan_of<V>(dyad::grad(f));
    int count = 0;
    for (std::size_t i = 0; i < p.graph.size; ++i) count += p.used[i] && p.graph[i].op == dyad::opcode::logical_and ? 1 : 0;
    return count;
}
// What is picked joins a mask once, however many slopes follow.
static_assert(joined_masks([](auto x) { return sum(dyad::slice(dyad::where(x > 1, dyad::log(dyad::sqrt(dyad::log(dyad::sqrt(x)))), x), 0, 1)); }) <= 1);

} // namespace

TEST_CASE("elements that nobody picks, however they are left out") {
    const V negative{-1, 4}, zero{0, 4};
    for (const V& at : {negative, zero}) {
        CHECK(dyad::grad([](auto x) { return sum(dyad::slice(roots(x), 0, 1)); })(at) == V{0, 0.125});
        CHECK(dyad::grad([](auto x) { return dyad::take(roots(x), 1); })(at) == V{0, 0.125});
        CHECK(dyad::grad([](auto x) { return sum(dyad::flip(dyad::slice(dyad::flip(roots(x), 0), 0, 0, 1), 0)); })(at) == V{0, 0.125});
        CHECK(dyad::grad([](auto x) { return sum(square(dyad::slice(roots(x), 0, 1) * 0.5)); })(at) == V{0, 0.0625 * std::log(2.0)});
        CHECK(dyad::grad([](auto x) { return sum(dyad::where(x > 0, dyad::flip(dyad::sqrt(dyad::flip(x, 0)), 0), 0.0)); })(at) == V{0, 0.25});
        CHECK(dyad::grad([](auto x) { return dyad::sum(dyad::where(x > 0, dyad::sqrt(x), 0.0)); })(at) == V{0, 0.25});
    }
    CHECK(dyad::grad([](auto x) { return max(dyad::sqrt(x)); })(zero) == V{0, 0.25});
    CHECK(dyad::grad([](auto m) { return sum(dyad::diag(dyad::sqrt(1 - m))); })(M{{0, 1}, {1, 0}}) == M{{-0.5, 0}, {0, -0.5}});
    CHECK(dyad::grad([](auto m) { return sum(max(dyad::sqrt(m), 1)); })(M{{0, 4}, {9, 0}}) == M{{0, 0.25}, {1.0 / 6, 0}});
    CHECK(dyad::jacobian([](auto x) { return dyad::sqrt(dyad::flip(x, 0)); })(zero) == M{{0, 0.25}, {infinity, 0}});
    CHECK(dyad::jacobian([](auto x) { return dyad::sqrt(dyad::slice(x, 0, 0, 2)); })(zero) == M{{infinity, 0}, {0, 0.25}});
    CHECK(dyad::hessian([](auto x) { return sum(pow(dyad::flip(x, 0), 1.5)); })(zero) == M{{infinity, 0}, {0, 0.375}});
    CHECK(dyad::grad([](auto x) { return dyad::take(dyad::exp(x), 1); })(V{1000, 0}) == V{0, 1});
}

TEST_CASE("what is picked has its slope, also an infinite one, and a zero of its own is a number") {
    const V zero{0, 4};
    CHECK(dyad::grad([](auto x) { return sum(dyad::slice(dyad::sqrt(x), 0, 0, 1)); })(zero) == V{infinity, 0});
    CHECK(dyad::grad<0>([](auto x, auto k) { return dyad::log(dyad::sqrt(x)[k]); })(V{4, 16}, 1) == V{0, 1.0 / 32});
    CHECK(std::isnan(dyad::grad<0>([](auto x, auto c) { return sum(c * dyad::sqrt(x)); })(zero, V{0, 1})(0)));
    CHECK(std::isnan(dyad::jvp([](auto x) { return dyad::sqrt(x); })(zero, V{0, 1}).second(0)));
    CHECK(std::isnan(dyad::vjp([](auto x) { return dyad::sqrt(x); })(zero).second(V{0, 1})(0)));
    CHECK(std::isnan(dyad::grad([](auto x) {
        const auto s = dyad::sqrt(x);
        return sum(dyad::slice(s * sin(s), 0, 0, 1)); // (its slope there is 1, which 0 inf does not say)
    })(zero)(0)));
}

TEST_CASE("off the diagonal of Jacobians and Hessians of arrays, and in pullbacks") {
    const V zero{0, 4};
    constexpr auto root = [](auto x) { return dyad::sqrt(x); };
    CHECK(dyad::jacobian(root)(zero) == M{{infinity, 0}, {0, 0.25}});
    CHECK(dyad::jacobian([](auto x) { return dyad::exp(x); })(V{1000, 0}) == M{{infinity, 0}, {0, 1}});
    CHECK(dyad::jacobian([](auto x) { return dyad::log(dyad::sqrt(x)); })(V{0, 1})(0, 1) == 0);
    // Through axes that the argument lacks, too.
    CHECK(dyad::jacobian<0>([](auto x, auto m) { return sum(dyad::sqrt(x + m), 0); })(zero, M{{0, 0}, {0, 0}, {0, 0}}) == M{{infinity, 0}, {0, 0.75}});
    CHECK(dyad::jacobian<0>([](auto x, auto m) { return sum(dyad::sqrt(x) + m, 0); })(zero, M{{0, 0}, {0, 0}}) == M{{infinity, 0}, {0, 0.5}});
    CHECK(dyad::hessian([](auto x) { return sum(pow(x, 1.5)); })(zero) == M{{infinity, 0}, {0, 0.375}});
    CHECK(dyad::jacobian([](auto x, auto y) { return x * y + y; })(V{1, 2}, V{3, 4}) == std::tuple{M{{3, 0}, {0, 4}}, M{{2, 0}, {0, 3}}});
    const auto one = [](auto x) { return sum(dyad::sqrt(x)) * 0; };
    CHECK(dyad::jacobian([](auto x) { return dyad::sqrt(x) * sum(x); })(V{1, 4}) == M{{3.5, 1}, {2, 3.25}});
    CHECK(dyad::grad(one)(V{1, 4}) == V{0, 0});
}

TEST_CASE("second derivatives where a cotangent happens to be 0: at the exact solutions of least squares") {
    const auto near = [](double x, double want) { CHECK(x == doctest::Approx(want).epsilon(1e-13)); };
    const V two{4, 9};
    CHECK(dyad::hessian(picked)(two) == M{{0.125, 0}, {0, 0}});
    CHECK(dyad::hvp(picked)(two, V{1, 1}) == V{0.125, 0});
    CHECK(dyad::grad([](auto x) { return sum(dyad::grad(picked)(x)); })(two) == V{0.125, 0});
    CHECK(dyad::hessian<0>([](auto x, auto i) { return sum(square(dyad::take(1 / x, i) - 0.25)); })(two, xt::xtensor<int, 1>{0, 0}) == M{{1.0 / 64, 0}, {0, 0}});
    CHECK(dyad::grad<1>([](auto x, auto g) { return sum(dyad::vjp([](auto y) { return y * y; })(x).second(g)); })(V{2, 3}, V{0, 0}) == V{4, 6});
    for (const auto& h : {dyad::hessian(loop)(2.0, 2.0), dyad::hessian(branch)(2.0, 2.0), dyad::hessian(kept)(2.0, 2.0)}) {
        const double scale = h[0][0];
        CHECK(scale > 0.4);
        near(h[0][1], -scale);
        near(h[1][1], scale);
    }
}
