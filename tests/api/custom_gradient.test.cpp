// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>

#include <dyad/core.hpp>

#include "slope.hpp"

namespace {

using dyad_test::slope;
using dyad::exp, dyad::log, dyad::sin, dyad::round;

inline constexpr auto clipped = dyad::custom_gradient([](auto x) { return 1 * x; },
                                                      [](auto, auto, auto upstream) { return dyad::clamp(upstream, -1, 1); });
/// A rule that no differentiation would find.
inline constexpr auto wrong_square = dyad::custom_gradient([](auto x) { return x * x; },
                                                           [](auto x, auto y, auto upstream) { return std::tuple{upstream * (7 * x + y)}; });
inline constexpr auto rounded = dyad::custom_jvp([](auto x) { return round(x); }, [](auto, auto, auto t) { return t; });
inline constexpr auto product = dyad::custom_gradient([](auto x, auto y) { return x * y; },
                                                      [](auto, auto, auto, auto up) { return std::tuple{3 * up, -up}; });
inline constexpr auto swap = dyad::custom_gradient([](auto v, auto s) { return std::tuple{v[0] * s, v[1] + s}; },
                                                   [](auto v, auto s, auto, auto up) {
                                                       const auto [a, b] = up;
                                                       return std::tuple{std::array{a * s, 5 * b}, a * v[0] + b};
                                                   });
/// It computes with functions that have rules, and differentiates one.
inline constexpr auto of_others = dyad::custom_gradient([](auto x) { return wrong_square(x) + clipped(x) + dyad::grad(wrong_square)(x) + dyad::jvp(rounded)(x, 2 * x).second; },
                                                        [](auto x, auto, auto upstream) { return upstream * wrong_square(x); });
/// How many rules the trace of a function keeps.
template <class F>
constexpr std::size_t rules_in(F) {
    const dyad::graph_view g = dyad::traced_program<F, dyad::policy::fast, double>::graph;
    std::size_t count = 0;
    for (std::size_t i = 0; i < g.size; ++i) count += g[static_cast<dyad::node_index>(i)].is(dyad::opcode::custom) ? 1U : 0U;
    return count;
}
inline constexpr auto body = [](auto x, auto s) { return sin(exp(s) * x) + s; };
inline constexpr auto step = [](auto x, auto s) { return sin(exp(s * x)) * exp(-s) + s; };

TEST_CASE("the Hessian under a rule that is not symmetric is the rule's, column by column") {
    // its rule says that x y has the slopes y and 0
    constexpr auto half = dyad::custom_gradient([](auto x, auto y) { return x * y; }, [](auto, auto y, auto, auto g) { return std::tuple{g * y, 0 * g}; });
    constexpr auto f = [half](auto x, auto y) { return half(x, y) + x * x * y; };
    const auto h = dyad::hessian(f)(2.0, 3.0);
    CHECK(h[0][0] == 6);      // 2 y
    CHECK(h[0][1] == 2 * 2 + 1); // d/dy (y + 2 x y)
    CHECK(h[1][0] == 2 * 2);  // d/dx x²
    CHECK(h[1][1] == 0);
}

} // namespace

static_assert(dyad::grad(wrong_square)(3.0) == 30.0);
static_assert(dyad::grad([](auto x) { return 100 * clipped(x); })(2.0) == 1.0);
static_assert(dyad::grad([](auto x) { return rounded(x) * rounded(x); })(2.4) == 4.0);

TEST_CASE("a rule is obeyed in every mode") {
    const auto f = [](auto x) { return sin(wrong_square(2 * x)); };
    const double x = 0.3, inner = 0.6, expected = 2 * (7 * inner + inner * inner) * std::cos(inner * inner);
    CHECK(f(x) == std::sin(0.36));
    CHECK(dyad::grad(f)(x) == doctest::Approx(expected));
    CHECK(dyad::jvp(f)(x, -2.0).second == doctest::Approx(-2 * expected));
    CHECK(dyad::vjp(f)(x).second(-2.0) == doctest::Approx(-2 * expected));
    CHECK(dyad::jacobian([](auto y) { return std::array{sin(wrong_square(2 * y)), y}; })(x)[0] == doctest::Approx(expected));
}

TEST_CASE("a rule's own derivative is that of higher orders") {
    // d/dx (7x + y(x)) with y' = 7x + y by the rule again
    CHECK(dyad::hessian(wrong_square)(3.0) == 7 + 30);
    CHECK(dyad::derivative<2>(wrong_square)(3.0) == 7 + 30);
    CHECK(dyad::derivative<3>(wrong_square)(3.0) == 7 + 30);
    CHECK(dyad::hvp(wrong_square)(3.0, 2.0) == 2 * 37);
}

TEST_CASE("what a function with a rule computes keeps no rules of others, and obeys those that it differentiates") {
    static_assert(rules_in(wrong_square) == 1 && rules_in(of_others) == 3); // its own, that of its rule, and whose derivative it takes
    static_assert(rules_in([](auto x) { return of_others(x) + wrong_square(x) + dyad::grad(of_others)(x); }) == 5);
    CHECK(of_others(3.0) == 9 + 3 + 30 + 6);
    const auto f = [](auto x) { return of_others(2 * x) - wrong_square(x); };
    const auto [value, slope] = dyad::value_and_grad(f)(1.5);
    CHECK(value == 48 - 2.25);
    CHECK(slope == 2 * 9 - (7 * 1.5 + 2.25));
    CHECK(dyad::jvp(f)(1.5, -2.0) == std::pair{value, -2 * slope});
    CHECK(dyad::hessian(of_others)(3.0) == 30);
    CHECK(dyad::grad([](auto x) { return dyad::grad(of_others)(x) * x; })(3.0) == 30 * 3 + 9);
}

TEST_CASE("a rule is not simplified away") {
    const auto f = [](auto x, auto y) { return product(x, y) - x * y + log(exp(product(x, y))); };
    const auto [value, gradient] = dyad::value_and_grad(f)(2.0, 5.0);
    CHECK(value == 10);
    CHECK(gradient == std::tuple{3 * 2 - 5.0, -1 * 2 - 2.0});
}

TEST_CASE("upstream is what arrives, also in loops and branches") {
    const auto f = [](auto x, auto c) {
        return dyad::fori_loop(3, [&](auto, auto s) { return 10 * clipped(s) + c; }, x);
    };
    CHECK(dyad::grad(f)(1.0, 0.0) == std::tuple{1.0, 3.0}); // each round clips 10 to 1
    const auto g = [](auto x, auto y) {
        return dyad::cond(x > 0, [&](auto s) { return wrong_square(s) * y; }, [](auto s) { return s; }, x);
    };
    CHECK(dyad::grad(g)(2.0, 0.5) == std::tuple{0.5 * (14 + 4), 4.0});
    CHECK(dyad::grad(g)(-2.0, 0.5) == std::tuple{1.0, 0.0});
}

TEST_CASE("several results and structures") {
    const auto f = [](auto v, auto s) {
        const auto [a, b] = swap(v, s);
        return a * b;
    };
    const auto [dv, ds] = dyad::grad(f)(std::array{2.0, 3.0}, 4.0); // a = 8, b = 7
    CHECK(dv == std::array{28.0, 40.0});
    CHECK(ds == 22.0);
}

TEST_CASE("a checkpoint changes no number") {
    const auto plain = [](auto x, auto s) { return body(x, body(x, s)) * s; };
    const auto kept = [](auto x, auto s) { return dyad::checkpoint(body)(x, dyad::checkpoint(body)(x, s)) * s; };
    const auto [value, gradient] = dyad::value_and_grad(kept)(0.7, 0.2);
    const auto [expected, slopes] = dyad::value_and_grad(plain)(0.7, 0.2);
    CHECK(value == expected);
    CHECK(std::get<0>(gradient) == doctest::Approx(std::get<0>(slopes)).epsilon(1e-14));
    CHECK(std::get<1>(gradient) == doctest::Approx(std::get<1>(slopes)).epsilon(1e-14));
    CHECK(dyad::hessian(kept)(0.7, 0.2)[0][1] == doctest::Approx(dyad::hessian(plain)(0.7, 0.2)[0][1]));
    CHECK(dyad::jvp(kept)(std::tuple{0.7, 0.2}, std::tuple{1.0, -2.0}).second ==
          doctest::Approx(dyad::jvp(plain)(std::tuple{0.7, 0.2}, std::tuple{1.0, -2.0}).second));
}

TEST_CASE("in a loop a checkpoint leaves one number a round to keep") {
    const auto plain = [](auto x, auto s, auto n) { return dyad::fori_loop(n, [&](auto, auto t) { return step(x, t); }, s); };
    const auto kept = [](auto x, auto s, auto n) { return dyad::fori_loop(n, [&](auto, auto t) { return dyad::checkpoint(step)(x, t); }, s); };
    const auto [dx, ds] = dyad::grad<0, 1>(kept)(0.7, 0.2, 30);
    const auto [ex, es] = dyad::grad<0, 1>(plain)(0.7, 0.2, 30);
    CHECK(dx == doctest::Approx(ex).epsilon(1e-13));
    CHECK(ds == doctest::Approx(es).epsilon(1e-13));
    CHECK(dx == doctest::Approx(slope([&](double x) { return plain(x, 0.2, 30); }, 0.7)).epsilon(1e-7));
    const auto slots = []<class F>(F) {
        using program = dyad::transform_program<F, dyad::transform::gradient, dyad::positions<0, 1>, dyad::policy::fast, double, double, int>;
        using lowered = typename program::lowered;
        return lowered::template info<0>.slots + lowered::template info<1>.slots;
    };
    CHECK(slots(kept) == 1);
    CHECK(slots(plain) > 1);
}

TEST_CASE("rules in functions that capture them") {
    const double k = 0.5;
    const auto clip = clipped;
    const auto f = [=](auto x) { return 10 * clip(x * x) * k; };
    CHECK(dyad::grad(f)(3.0) == 6);
    const auto plain = [clip](auto x) { return 100 * clip(x); };
    CHECK(dyad::grad(plain)(2.0) == 1);
    CHECK(dyad::value_and_grad(plain)(2.0).first == 200);
}

TEST_CASE("a rule is obeyed in second order, symmetric or not") {
    constexpr auto f = dyad::custom_gradient([](auto a, auto b) { return a * b; }, [](auto, auto b, auto, auto u) { return std::tuple{u * b, 0 * u}; });
    CHECK(dyad::hessian(f)(3.0, 5.0) == std::array{std::array{0.0, 1.0}, std::array{0.0, 0.0}});
    const auto inside = [f](auto a, auto b) { return dyad::fori_loop(1, [&](auto, auto s) { return s + f(a, b); }, 0 * a); };
    CHECK(dyad::hessian(inside)(3.0, 5.0) == std::array{std::array{0.0, 1.0}, std::array{0.0, 0.0}});
}
TEST_CASE("a rule with a summand of its own is the same in both modes") {
    constexpr auto decayed = dyad::custom_gradient([](auto x) { return 1 * x; }, [](auto x, auto, auto upstream) { return upstream + 0.1 * x; });
    CHECK(dyad::grad(decayed)(2.0) == 1.2);
    CHECK(dyad::jvp(decayed)(2.0, 1.0).second == 1.2);
    constexpr auto scaled = dyad::custom_gradient([](auto x, auto y) { return x * y; },
                                                  [](auto x, auto y, auto, auto upstream) { return std::tuple{3 * upstream * y, upstream * x}; });
    CHECK(dyad::jvp(scaled)(std::tuple{2.0, 5.0}, std::tuple{1.0, 0.5}).second == 16);
}
