// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Equations that capture and hold loops, branches and rules; and that capture what has no pullback.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <tuple>

#include <dyad/implicit.hpp>
#include <dyad/sparse.hpp>

#include "captured_equations.hpp"

namespace {

using dyad::sqrt, dyad::where;
using captured_equations::agree, captured_equations::known, captured_equations::rooted;

} // namespace

TEST_CASE("loops, branches, checkpoints and rules in an equation that captures") {
    agree([](auto x, auto a) {
        return dyad::implicit_root([=](auto y, auto b) { return dyad::fori_loop(3, [=](auto i, auto s) { return s * x + i * a; }, y) - b; },
                                   [=](auto b) { return ((b - 2 * a) / x - a) / x / x; })(a * x);
    }, [](auto x, auto a) { return (((a * x - 2 * a) / x - a) / x) / x; }, 1.3, 0.8);
    agree([](auto x, auto a) {
        return dyad::implicit_root([=](auto y, auto b) {
            return dyad::cond(x > 1, [=](auto z, auto c) { return z * z - x * c; }, [=](auto z, auto) { return z - a; }, y, b);
        }, [=](auto b) { return sqrt(x * b); })(a * x);
    }, [](auto x, auto a) { return sqrt(x * a * x); }, 1.3, 0.8);
    agree([](auto x, auto a) {
        return dyad::implicit_root([=](auto y, auto b) { return where(x > 1, y * y - x * b, y - a); }, [=](auto b) { return where(x > 1, sqrt(x * b), a); })(a * x);
    }, [](auto, auto a) { return 1 * a; }, 0.7, 0.8);
    agree([](auto x, auto a) {
        return dyad::implicit_root([=](auto y, auto b) { return dyad::checkpoint([=](auto z) { return z * z * x; })(y) - b * a; },
                                   [=](auto b) { return sqrt(b * a / x); })(x * x);
    }, [](auto x, auto a) { return sqrt(x * a); }, 1.3, 0.8);
    // A rule that triples the slope: what counts is what it says.
    const auto tripled = [](auto x, auto a) {
        return dyad::implicit_root([=](auto y, auto b) {
            return y - dyad::custom_gradient([](auto u) { return u * u; }, [](auto u, auto, auto up) { return 6 * u * up; })(x) * b;
        }, [=](auto b) { return x * x * b; })(a);
    };
    CHECK(dyad::grad<0>(tripled)(1.3, 0.8) == doctest::Approx(6 * 1.3 * 0.8).epsilon(1e-14));
    CHECK(dyad::jvp(tripled)(std::tuple{1.3, 0.8}, std::tuple{2.0, 0.0}).second == doctest::Approx(12 * 1.3 * 0.8).epsilon(1e-14));
}
TEST_CASE("in loops in loops, in scans, and in rounds that are not known") {
    const auto in_loops = [](auto root) {
        return [=](auto x, auto a) {
            return dyad::fori_loop(2, [=](auto i, auto s) {
                return dyad::fori_loop(2, [=](auto j, auto t) { return root(s + x * j + 1, t * a + i); }, s * x);
            }, a);
        };
    };
    agree(in_loops(rooted), in_loops(known), 1.3, 0.8);
    const auto in_scan = [](auto root) {
        return [=](auto x, auto a) {
            const auto [s, all] = dyad::scan([=](auto u, auto e) {
                const auto r = root(u + e * x, a * e);
                return std::pair{r, r * u};
            }, x, std::array{1.0, 2.0, 3.0});
            return s * all[1] + all[2];
        };
    };
    agree(in_scan(rooted), in_scan(known), 1.3, 0.8);
    const auto while_small = [](auto root) {
        return [=](auto x, auto a) {
            return std::get<0>(dyad::while_loop([](auto s) { return std::get<1>(s) < 7; },
                                                [=](auto s) { return std::tuple{root(std::get<0>(s) + x, a), std::get<1>(s) + x}; }, std::tuple{x, x}));
        };
    };
    agree(while_small(rooted), while_small(known), 2.0, 0.8);
}
TEST_CASE("what is computed before a loop, captured and passed in it") {
    const auto captured = [](auto root) {
        return [=](auto x, auto a) {
            const auto t = exp(x);
            return dyad::fori_loop(2, [=](auto, auto s) { return root(t, s * a); }, a);
        };
    };
    agree(captured(rooted), captured(known), 1.3, 0.8);
    const auto passed = [](auto x, auto a) {
        const auto t = exp(x);
        return dyad::fori_loop(2, [=](auto, auto s) {
            return dyad::implicit_root([](auto y, auto k, auto b) { return y * y - k * b; }, [](auto k, auto b) { return sqrt(k * b); })(t, s * a);
        }, a);
    };
    agree(passed, captured(known), 1.3, 0.8);
    const auto of_loop = [](auto root) { // of two values that go round, one has a slope by x, the other by a
        return [=](auto x, auto a) {
            const auto t = dyad::fori_loop(2, [=](auto, auto s) { return std::tuple{s[0] + x, s[1] * a}; }, std::array{x, a});
            return dyad::fori_loop(2, [=](auto, auto s) { return root(std::get<1>(t) + std::get<0>(t), s * x); }, x);
        };
    };
    agree(of_loop(rooted), of_loop(known), 1.3, 0.8);
    const auto kept = [](auto root) {
        return [=](auto x, auto a) {
            return dyad::fori_loop(2, [=](auto, auto s) { return dyad::checkpoint([=](auto u) { return root(x + u, u * a); })(s); }, a);
        };
    };
    agree(kept(rooted), kept(known), 1.3, 0.8);
}
TEST_CASE("what is captured and passed, what decides, and other policies and types") {
    agree([](auto x, auto a) { return dyad::implicit_root([=](auto y, auto b) { return y * y - x * b * a; }, [=](auto b) { return sqrt(x * b * a); })(x); },
          [](auto x, auto a) { return x * sqrt(a); }, 2.0, 3.0);
    const auto decided = [](auto x, auto a) {
        const auto large = x > 1;
        return dyad::implicit_root([=](auto y, auto b) { return y - where(large, 2 * b, x * b); }, [=](auto b) { return where(large, 2 * b, x * b); })(a);
    };
    agree(decided, [](auto, auto a) { return 2 * a; }, 2.0, 3.0);
    agree(decided, [](auto x, auto a) { return x * a; }, 0.5, 3.0);
    constexpr auto both = [](auto root) { return [=](auto x, auto a) { return 2 * root(x * a, a + x); }; };
    agree(dyad::strict(both(rooted)), both(known), 1.3, 0.8);
    const auto mixed = [](auto x, auto a) { return rooted(x, a) * x; }; // double by float
    const auto slopes = dyad::grad(mixed)(2.0, 3.0F), wanted = dyad::grad([](auto x, auto a) { return known(x, a) * x; })(2.0, 3.0F);
    CHECK(std::get<0>(slopes) == doctest::Approx(std::get<0>(wanted)).epsilon(1e-6));
    CHECK(std::get<1>(slopes) == doctest::Approx(std::get<1>(wanted)).epsilon(1e-6));
    const auto several = [](auto x) { return std::array{rooted(x[0], x[1]), x[2] * x[2], rooted(x[1], 2.0 * x[2])}; };
    const auto sparse = dyad::sparse_jacobian(several)(std::array{2.0, 8.0, 4.0});
    CHECK(sparse.values.size() == 5);
    const auto dense = dyad::jacobian(several)(std::array{2.0, 8.0, 4.0});
    for (std::size_t k = 0; k < sparse.values.size(); ++k) CHECK(sparse.values[k] == doctest::Approx(dense[sparse.rows[k]][sparse.columns[k]]).epsilon(1e-14));
    CHECK(dense[0][1] == doctest::Approx(0.25).epsilon(1e-14));
    CHECK(dense[2][2] == doctest::Approx(1).epsilon(1e-14));
    // The solver is run and not asked: where it is wrong, so is the value alone.
    const auto wrong = [](auto x, auto a) { return dyad::implicit_root([=](auto y, auto b) { return y - x * b; }, [](auto b) { return dyad::exp(b); })(a); };
    CHECK(wrong(2.0, 3.0) == std::exp(3.0));
    CHECK(dyad::grad(wrong)(2.0, 3.0) == std::tuple{3.0, 2.0});
}
TEST_CASE("choices between literals, with slopes that a rule gives them") {
    constexpr auto step = dyad::custom_gradient([](auto x) { return where(x > 0, 1, 2); }, [](auto, auto, auto up) { return up; });
    const auto captured = [=](auto x, auto a) {
        const auto s = step(x);
        return dyad::implicit_root([=](auto y, auto b) { return y - s * b; }, [=](auto b) { return s * b; })(a * a);
    };
    CHECK(dyad::grad(captured)(0.5, 3.0) == std::tuple{9.0, 6.0});
    CHECK(dyad::grad(captured)(0.5F, 3.0F) == std::tuple{9.0F, 6.0F});
    CHECK(dyad::jvp(captured)(std::tuple{0.5, 3.0}, std::tuple{1.0, 0.0}).second == 9);
    constexpr auto moved = dyad::custom_jvp([](auto x) { return where(x > 0, 1, 2); }, [](auto, auto, auto t) { return t; });
    const auto forward = [=](auto x, auto a) {
        const auto s = moved(x);
        return dyad::fixed_point([=](auto y) { return s * a * a + 0 * y; }, 0.0)();
    };
    CHECK(dyad::grad<0>(forward)(0.5, 3.0) == 9);
}
TEST_CASE("a solver that knows nothing of what the equation captures") {
    const auto of_two = [](auto a) { return dyad::implicit_root([=](auto y) { return y * y - a; }, [] { return 2.0; })() * a; };
    CHECK(dyad::grad(of_two)(4.0) == 3); // a sqrt(a)
    CHECK(dyad::jvp(of_two)(4.0, 2.0).second == 6);
    CHECK(of_two(4.0) == 8);
    const auto of_literal = [](auto a) { return dyad::implicit_root([=](auto y, auto b) { return y * b - a; }, [](auto) { return 2.0; })(3.0); };
    CHECK(dyad::grad(of_literal)(6.0) == doctest::Approx(1.0 / 3).epsilon(1e-15));
}
TEST_CASE("data that has no pullback where an equation captures it") {
    const auto grows = [](auto k, auto a) { // k is captured by what is integrated
        return dyad::implicit_root([=](auto y, auto b) { return dyad::odeint_adjoint([=](auto, auto z) { return -k * z; }, y, 0.0, 1.0) - b; },
                                   [=](auto b) { return b * dyad::exp(k); })(a);
    };
    CHECK(dyad::grad<1>(grows)(0.5, 2.0) == doctest::Approx(std::exp(0.5)).epsilon(1e-6));
    CHECK(dyad::jvp([=](auto a) { return grows(0.5, a); })(2.0, 3.0).second == doctest::Approx(3 * std::exp(0.5)).epsilon(1e-6));
    const auto solver_only = [](auto k, auto b) { // nothing is passed
        return dyad::implicit_root([=](auto y) { return y - b * dyad::exp(k); }, [=] { return dyad::odeint_adjoint([=](auto, auto z) { return k * z; }, b, 0.0, 1.0); })();
    };
    agree(solver_only, [](auto k, auto b) { return b * dyad::exp(k); }, 0.5, 2.0, 1e-6);
    const auto refused = []<class F>(const F&) {
        using source = dyad::traced_program<F, dyad::policy::fast, double, double>;
        for (const auto mode : {dyad::transform::gradient, dyad::transform::jvp}) {
            CHECK_THROWS_WITH_AS(dyad::differentiate(source::graph, mode, {0U}, dyad::policy::fast, &dyad::no_array_rules, {}, dyad::regions_of<source>()),
                                 doctest::Contains("the function captures what is differentiated by"), dyad::value_error);
        }
    };
    refused(grows);
    refused([](auto x, auto a) { // what is computed before a loop, and captured in it
        const auto t = dyad::exp(x);
        return dyad::fori_loop(2, [=](auto, auto s) { return dyad::odeint_adjoint([=](auto, auto y) { return -t * y; }, s, 0.0, 1.0); }, a);
    });
    refused([](auto x, auto a) { // a value of a loop that has a slope by x alone, beside one that has it by a alone, which moves, too
        const auto t = dyad::fori_loop(2, [=](auto, auto s) { return std::tuple{s[0] * x, s[1] * a}; }, std::array{x, a});
        return dyad::fori_loop(2, [=](auto, auto s) { return dyad::odeint_adjoint([=](auto, auto y) { return -std::get<0>(t) * y; }, s * a, 0.0, 1.0); }, a);
    });
    constexpr auto step = dyad::custom_gradient([](auto x) { return where(x > 0, 1, 2); }, [](auto, auto, auto up) { return up; });
    refused([=](auto x, auto a) {
        const auto s = step(x);
        return dyad::odeint_adjoint([=](auto, auto y) { return -s * y; }, a, 0.0, 1.0);
    });
}
