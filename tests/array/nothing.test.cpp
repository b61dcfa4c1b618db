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
constexpr auto entropy = [](auto x) { return x * log(x); };
constexpr auto of = [](auto s) { return log(s) + dyad::sqrt(s); };

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
    const auto [of_flipped, of_part] = dyad::jacobian([](auto x) { return std::pair{dyad::sqrt(dyad::flip(x, 0)), dyad::sqrt(dyad::slice(x, 0, 0, 2))}; })(zero);
    CHECK(of_flipped == M{{0, 0.25}, {infinity, 0}});
    CHECK(of_part == M{{infinity, 0}, {0, 0.25}});
    CHECK(dyad::hessian([](auto x) { return sum(pow(dyad::flip(x, 0), 1.5)); })(zero) == M{{infinity, 0}, {0, 0.375}});
    CHECK(dyad::grad([](auto x) { return dyad::take(dyad::exp(x), 1); })(V{1000, 0}) == V{0, 1});
}
TEST_CASE("a factor that is infinite where nobody picks") {
    const V p{0, 0.25, 0.5};
    const auto slope = [](double x) { return 1 + std::log(x); };
    CHECK(dyad::grad([](auto x) { return sum(dyad::slice(entropy(x), 0, 1)); })(p) == V{0, slope(0.25), slope(0.5)});
    CHECK(dyad::grad([](auto x) { return entropy(x)[1]; })(p) == V{0, slope(0.25), 0});
    const auto [of_product, of_fma, of_angle] = dyad::jacobian([](auto x) { return std::tuple{entropy(x), dyad::fma(log(x), x, x), dyad::atan2(log(x), x)}; })(p);
    CHECK(of_product == M{{-infinity, 0, 0}, {0, slope(0.25), 0}, {0, 0, slope(0.5)}});
    CHECK(of_fma(0, 1) == 0);
    CHECK(of_angle(1, 0) == 0);
    CHECK(dyad::grad([](auto x) { return sum(dyad::slice(dyad::hypot(log(x), x), 0, 1)); })(p)(0) == 0);
    CHECK(dyad::grad([](auto x, auto q) { return sum(dyad::slice(x * (log(x) - 2 * log(q)), 0, 1)); })(p, p) == std::tuple{V{0, 1 - std::log(0.25), 1 - std::log(0.5)}, V{0, -2, -2}});
}
TEST_CASE("and what is computed of something infinite, however far") {
    const V x{0, 0.25, 0.5};
    const auto first = [&](auto g) { return dyad::grad([=](auto y) { return sum(dyad::slice(g(y), 0, 1)); })(x)(0); };
    CHECK(first([](auto y) { return y * sin(1 / y); }) == 0);
    CHECK(first([](auto y) { return y * square(log(y)); }) == 0);
    CHECK(first([](auto y) { return y * cube(log(y)); }) == 0);
    CHECK(first([](auto y) { return y * dyad::relu(-log(y)); }) == 0);
    CHECK(first([](auto y) { return y * dyad::softplus(-log(y)); }) == 0);
    CHECK(first([](auto y) { return dyad::fmod(log(y), y + 1); }) == 0);
    CHECK(first([](auto y) { return y * (1 + 2 * (2 + y * (3 + y * (4 + log(y))))); }) == 0);
    CHECK(first([](auto y) { return y * dyad::flip(dyad::flip(log(y), 0), 0); }) == 0);
    CHECK(std::isinf(first([](auto y) { return y * sum(log(y)); }))); // (which the others need)
}
TEST_CASE("the gradient of a function of the gradient, where one way to an element is masked and another is not picked") {
    const V x{0, 2, 3};
    constexpr double h = 1e-4;
    // `plain` is the function of the elements that are picked.
    constexpr auto check = [](auto f, auto plain, const V& at) {
        const double a = at(1), b = at(2);
        const double slope[] = {0, (plain(a + h, b) - plain(a - h, b)) / (2 * h), (plain(a, b + h) - plain(a, b - h)) / (2 * h)};
        const double mixed = (plain(a + h, b + h) - plain(a + h, b - h) - plain(a - h, b + h) + plain(a - h, b - h)) / (4 * h * h);
        const double by_a = (plain(a + h, b) - 2 * plain(a, b) + plain(a - h, b)) / (h * h);
        const double by_b = (plain(a, b + h) - 2 * plain(a, b) + plain(a, b - h)) / (h * h);
        const double bend[3][3] = {{0, 0, 0}, {0, by_a, mixed}, {0, mixed, by_b}};
        const M second = dyad::hessian(f)(at);
        const auto [sum_of_slopes, of_sum] = dyad::value_and_grad([=](auto y) { return sum(dyad::grad(f)(y)); })(at);
        const V of_cubes = dyad::grad([=](auto y) { return sum(cube(dyad::grad(f)(y))); })(at);
        CHECK(sum_of_slopes == doctest::Approx(slope[1] + slope[2]));
        CHECK(of_sum(0) == 0);
        CHECK(of_cubes(0) == 0);
        for (std::size_t i = 1; i < 3; ++i) {
            double sum = 0, cubes = 0;
            for (std::size_t j = 0; j < 3; ++j) {
                CHECK(second(j, i) == doctest::Approx(bend[j][i]));
                sum += bend[j][i];
                cubes += 3 * slope[j] * slope[j] * bend[j][i];
            }
            CHECK(of_sum(i) == doctest::Approx(sum));
            CHECK(of_cubes(i) == doctest::Approx(cubes));
        }
        CHECK(dyad::grad([=](auto y) {
            const auto g = dyad::grad(f)(y);
            return g[1] * g[2];
        })(at)(0) == 0);
    };
    constexpr auto squares = [](double r) { return r * r + std::sin(r) * std::sin(r); };
    check([](auto y) {
        const auto a = dyad::cbrt(y);
        return sum(square(dyad::slice(dyad::stack(std::tuple{a, sin(a)}, 0), 1, 1, 3)));
    }, [=](double a, double b) { return squares(std::cbrt(a)) + squares(std::cbrt(b)); }, x);
    check([](auto y) { return sum(square(dyad::slice(exp(-1 / y), 0, 1))); },
          [](double a, double b) { return std::exp(-2 / a) + std::exp(-2 / b); }, x);
    check([](auto y) {
        const auto a = dyad::tile(dyad::sqrt(y), 2, 0);
        return a[1] * a[2] + a[4];
    }, [](double a, double b) { return std::sqrt(a * b) + std::sqrt(a); }, x);
    check([](auto y) {
        const auto a = dyad::sqrt(dyad::concatenate(std::tuple{y, 2 * y}, 0));
        return a[1] * a[4];
    }, [](double a, double) { return std::sqrt(2.0) * a; }, x);
}
TEST_CASE("a loop, a branch, a rule or a checkpoint that is not selected contributes nothing") {
    const V x{0, 4};
    const auto unselected = [&](auto make) {
        const auto f = [=](auto y, auto c) { return sum(square(dyad::where(c > 0, make(y), 2 * y))); };
        CHECK(dyad::grad<0>(f)(x, -1.0) == V{0, 32});
        CHECK(dyad::hessian<0>(f)(x, -1.0) == M{{8, 0}, {0, 8}});
        CHECK(dyad::grad<0>(f)(x, 1.0)(1) == doctest::Approx(2 * (std::log(4.0) + 2) * 0.5));
        const auto part = [=](auto y, auto c) { return sum(dyad::slice(dyad::where(c > 0, make(y), y * y), 0, 1)); };
        CHECK(dyad::grad<0>(part)(x, -1.0) == V{0, 8});
        return f;
    };
    const auto pulled = [&](auto f) { return dyad::vjp<0>(f)(x, -1.0).second(2.0); };
    unselected([](auto y) { return dyad::cond(sum(y) > 0, of, [](auto s) { return s; }, y); });
    unselected([](auto y) { return dyad::fori_loop(1, [](auto, auto s) { return of(s); }, y); });
    unselected([](auto y) { return dyad::map([](auto e) { return of(e); }, y); });
    const auto with_checkpoint = unselected([](auto y) { return dyad::checkpoint(of)(y); });
    CHECK(pulled(with_checkpoint) == V{0, 64});
    const auto with_rule = unselected([](auto y) {
        return dyad::custom_gradient(of, [](auto s, auto, auto up) { return up * (1 / s + 0.5 / dyad::sqrt(s)); })(y);
    });
    CHECK(pulled(with_rule) == V{0, 64});
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
    constexpr auto slopes = dyad::jacobian([](auto x) { return std::tuple{dyad::sqrt(x), dyad::exp(x), roots(x)}; });
    CHECK(std::get<0>(slopes(zero)) == M{{infinity, 0}, {0, 0.25}});
    CHECK(std::get<1>(slopes(V{1000, 0})) == M{{infinity, 0}, {0, 1}});
    CHECK(std::get<2>(slopes(V{0, 1}))(0, 1) == 0);
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
