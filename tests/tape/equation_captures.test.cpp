// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the equations of roots and fixed points capture: the implicit function theorem counts it as it counts arguments.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <tuple>

#include <dyad/implicit.hpp>

#include "captured_equations.hpp"

namespace {

using dyad::sin, dyad::cos, dyad::exp, dyad::sqrt;
using captured_equations::agree, captured_equations::known, captured_equations::rooted;

} // namespace

TEST_CASE("roots are differentiated by what their equations capture") {
    agree([](auto x, auto a) { return 3 * rooted(x, 2 * a); }, [](auto x, auto a) { return 3 * known(x, 2 * a); }, 2.0, 3.0);
    agree([](auto x, auto a) { return rooted(exp(x) + x * a, x * a); }, [](auto x, auto a) { return known(exp(x) + x * a, x * a); }, 0.4, 1.5); // both ways
    agree([](auto x, auto a) { return rooted(rooted(x, a), a * a) * x; }, [](auto x, auto a) { return known(known(x, a), a * a) * x; }, 2.0, 3.0);
    // One captured value is computed from another.
    const auto chain = [](auto x, auto a) {
        const auto s = sin(x), t = s * a;
        return dyad::implicit_root([=](auto y, auto b) { return s * y - t * t * b; }, [=](auto b) { return t * t * b / s; })(x);
    };
    agree(chain, [](auto x, auto a) { return sin(x) * a * a * x; }, 0.8, 1.7);
    // An equation whose own equation captures.
    const auto nested = [](auto x, auto a) {
        return dyad::implicit_root([=](auto y, auto b) { return y - rooted(x, b) * x; }, [=](auto b) { return rooted(x, b) * x; })(a);
    };
    agree(nested, [](auto x, auto a) { return known(x, a) * x; }, 2.0, 3.0);
    static_assert(dyad::grad<0>([](auto x, auto a) { return dyad::implicit_root([=](auto y, auto b) { return y - x * x * b; }, [=](auto b) { return x * x * b; })(a); })(3.0, 2.0) == 12);
}
TEST_CASE("so are systems, and fixed points") {
    const auto circle = [](auto r, auto slope) { // x² + y² = r, x - s y = 0
        const auto p = dyad::implicit_root([=](auto q, auto s) { return std::tuple{q[0] * q[0] + q[1] * q[1] - r, q[0] - s * q[1]}; },
                                           [=](auto s) {
                                               const auto y = sqrt(r / (1 + s * s));
                                               return std::array{s * y, y};
                                           })(slope);
        return p[0] + 2 * p[1] * p[1];
    };
    agree(circle, [](auto r, auto s) { return s * sqrt(r / (1 + s * s)) + 2 * r / (1 + s * s); }, 2.0, 0.6);
    const auto captured = [](auto e, auto M) { return dyad::fixed_point([=](auto E, auto m) { return m + e * sin(E); }, 0.0)(M); };
    const auto passed = [](auto e, auto M) { return dyad::fixed_point([](auto E, auto k, auto m) { return m + k * sin(E); }, 0.0)(e, M); };
    agree(captured, passed, 0.3, 1.0);
    const auto all = [](auto e, auto M) { return dyad::fixed_point([=](auto E) { return M + e * sin(E); }, 0.0)(); }; // nothing is passed
    agree(all, passed, 0.3, 1.0);
    const auto of_float = [](auto c, auto a) { return rooted(c, a); };
    CHECK(std::get<0>(dyad::grad(of_float)(2.0F, 3.0F)) == doctest::Approx(0.5 * std::sqrt(1.5)).epsilon(1e-6));
}
TEST_CASE("in loops, branches and checkpoints, and of what comes out of them") {
    const auto known_rounds = [](auto x, auto a) { return known(2 * known(2 * x, x), known(2 * x, x)) * a; };
    agree([](auto x, auto a) { return dyad::fori_loop(2, [](auto, auto s) { return rooted(2 * s, s); }, x) * a; }, known_rounds, 3.0, 0.5);
    agree([](auto x, auto a) { return dyad::fori_loop(2, [=](auto i, auto s) { return rooted(a + i, s * x); }, x); },
          [](auto x, auto a) { return known(a + 1, known(a, x * x) * x); }, 3.0, 0.5);
    const auto counted = [](auto n) {
        return [=](auto x, auto a) {
            return dyad::while_loop([=](auto s) { return std::get<1>(s) < n; }, [=](auto s) { return std::tuple{rooted(std::get<0>(s), a), std::get<1>(s) + 1}; }, std::tuple{x, 0});
        };
    };
    agree([=](auto x, auto a) { return std::get<0>(counted(2)(x, a)); }, [](auto x, auto a) { return known(known(x, a), a); }, 3.0, 0.5);
    const auto of_loop = [](auto x, auto a) {
        const auto s = dyad::fori_loop(2, [](auto, auto u) { return sin(u) + u; }, x);
        return rooted(s * 2, x * a);
    };
    agree(of_loop, [](auto x, auto a) { const auto u = sin(x) + x; return known((sin(u) + u) * 2, x * a); }, 1.3, 0.7);
    const auto chosen = [](auto x, auto a) { return dyad::cond(x > 1, [=](auto u) { return rooted(a, u); }, [=](auto u) { return u * a; }, x * x); };
    agree(chosen, [](auto x, auto a) { return known(a, x * x); }, 3.0, 0.5);
    agree(chosen, [](auto x, auto a) { return x * x * a; }, 0.5, 0.5);
    agree([](auto x, auto a) { return dyad::checkpoint([=](auto u) { return rooted(a * x, u); })(x * x); }, [](auto x, auto a) { return known(a * x, x * x); }, 3.0, 0.5);
}
TEST_CASE("what has no slope does not get one") {
    const auto of_product = [](auto x, auto a) {
        return dyad::implicit_root([&](auto y, auto b) { return y * y - x * b; }, [&](auto b) { return sqrt(x * b); })(a);
    };
    CHECK(dyad::grad<1>(of_product)(2.0, 3.0) == doctest::Approx(0.5 * std::sqrt(2.0 / 3)).epsilon(1e-14));
    CHECK(dyad::jvp([of_product](auto a) { return of_product(2.0, a); })(3.0, 2.0).second == doctest::Approx(std::sqrt(2.0 / 3)).epsilon(1e-14));
    const auto constant = [](auto x, auto a) {
        return dyad::implicit_root([&](auto y, auto b) { return y * y - stop_gradient(x) * b; }, [&](auto b) { return sqrt(x * b); })(x * a);
    };
    const auto slopes = dyad::grad(constant)(2.0, 3.0); // sqrt(c x a)
    CHECK(std::get<0>(slopes) == doctest::Approx(0.5 * std::sqrt(3.0)).epsilon(1e-14));
    CHECK(std::get<1>(slopes) == doctest::Approx(1 / std::sqrt(3.0)).epsilon(1e-14));
    const auto rounds = [](auto x) { // sqrt(3 sqrt(2 sqrt(x)))
        return dyad::fori_loop(3, [](auto i, auto s) {
            return dyad::implicit_root([&](auto y, auto b) { return y * y - (i + 1) * b; }, [&](auto b) { return sqrt((i + 1) * b); })(s);
        }, x);
    };
    CHECK(dyad::grad(rounds)(16.0) == doctest::Approx(std::sqrt(3 * std::sqrt(8.0)) / 128).epsilon(1e-14));
    const auto start = [](auto x, auto a) { return dyad::fixed_point([](auto u, auto b) { return cos(b * u); }, x)(a); }; // where it begins has no slope
    CHECK(dyad::grad<0>(start)(0.5, 0.9) == 0);
    const auto counted = [](auto x) { // the number of halvings has no slope, though it comes out of a loop beside what has
        const auto state = dyad::while_loop([](auto s) { return std::get<0>(s) > 1; },
                                            [](auto s) { return std::tuple{std::get<0>(s) / 2, std::get<1>(s) + 1}; }, std::tuple{x, 0.0});
        const auto n = std::get<1>(state) + 1;
        return dyad::implicit_root([&](auto y, auto b) { return y * y - n * b; }, [&](auto b) { return sqrt(n * b); })(std::get<0>(state));
    };
    CHECK(dyad::grad(counted)(3.0) == doctest::Approx(0.5 * std::sqrt(3 / 0.75) / 4).epsilon(1e-14)); // sqrt(3 x / 4)
    CHECK(dyad::jvp(counted)(3.0, 2.0).second == doctest::Approx(std::sqrt(3 / 0.75) / 4).epsilon(1e-14));
    const auto chosen = [](auto x) {
        const auto state = dyad::cond(x > 1, [](auto u) { return std::tuple{u * u, 2.0}; }, [](auto u) { return std::tuple{u, 3.0}; }, x);
        const auto n = std::get<1>(state);
        return dyad::implicit_root([&](auto y, auto b) { return y * y - n * b; }, [&](auto b) { return sqrt(n * b); })(std::get<0>(state));
    };
    CHECK(dyad::grad(chosen)(3.0) == doctest::Approx(std::sqrt(2.0)).epsilon(1e-14));
    CHECK(dyad::jvp(chosen)(0.5, 1.0).second == doctest::Approx(0.5 * std::sqrt(3 / 0.5)).epsilon(1e-14));
}
TEST_CASE("odeint_adjoint captures data, and refuses what it is differentiated by") {
    const auto decay = [](auto y, auto k) { return dyad::odeint_adjoint([=](auto, auto z) { return -k * z; }, y, 0.0, 1.0); };
    CHECK(dyad::grad<0>(decay)(2.0, 0.5) == doctest::Approx(std::exp(-0.5)).epsilon(1e-7));
    const auto in_loop = [](auto x) { // what goes round a loop
        return dyad::fori_loop(2, [](auto, auto s) { return dyad::odeint_adjoint([=](auto, auto y) { return -s * y; }, s, 0.0, 1.0); }, x);
    };
    const auto of_loop = [](auto x) { // what comes out of one
        const auto s = dyad::fori_loop(2, [](auto, auto u) { return sin(u) + u; }, x) * 2;
        return dyad::odeint_adjoint([=](auto, auto y) { return -s * y; }, x, 0.0, 1.0);
    };
    const auto refused = []<class F>(const F&) {
        using source = dyad::traced_program<F, dyad::policy::fast, double>;
        for (const auto mode : {dyad::transform::gradient, dyad::transform::jvp}) {
            CHECK_THROWS_WITH_AS(dyad::differentiate(source::graph, mode, {0U}, dyad::policy::fast, &dyad::no_array_rules, {}, dyad::regions_of<source>()),
                                 doctest::Contains("the function captures what is differentiated by"), dyad::value_error);
        }
    };
    refused(in_loop);
    refused(of_loop);
}
