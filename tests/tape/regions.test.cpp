// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Less memory (regions, loops with checkpoints) and more light (print, DOT, check_gradient, the trap).

#include <dyad/tape.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace {

using dyad::real, dyad::tape;

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

constexpr auto region = [](auto a, auto b) {
    auto s = a * b;
    for (int i = 0; i < 50; ++i) s = sin(s) + a / (1 + b * b);
    return std::tuple{s, b * b};
};
constexpr auto pendulum = [](std::size_t i, auto state) {
    auto [angle, speed, length] = state;
    auto next = angle + 0.05 * speed;
    auto faster = speed - 0.05 * sin(angle) / length * (1 + 0.01 * static_cast<double>(i));
    return std::tuple{next, faster, length};
};
std::tuple<real, real, real> plain_loop(std::size_t n, std::tuple<real, real, real> state) {
    for (std::size_t i = 0; i < n; ++i) {
        auto [angle, speed, length] = state;
        state = {angle + 0.05 * speed, speed - 0.05 * sin(angle) / length * (1 + 0.01 * static_cast<double>(i)), length};
    }
    return state;
}

/// The fewest steps forward, beside those that are recorded, to go back through `length` steps with `slots` states.
std::size_t fewest_steps(std::size_t length, std::size_t slots) {
    static std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
    if (length <= 1) return 0;
    if (slots == 1) return length * (length - 1) / 2;
    const auto [found, made] = known.try_emplace({length, slots}, 0);
    if (!made) return found->second;
    std::size_t best = ~std::size_t{0};
    for (std::size_t at = 1; at < length; ++at) best = std::min(best, at + fewest_steps(length - at, slots - 1) + fewest_steps(at, slots));
    return known[{length, slots}] = best;
}

} // namespace

TEST_CASE("a preaccumulated region is one statement a result and has the same derivatives") {
    tape t{dyad::persistent};
    const real x = t.variable(0.7), z = t.variable(1.3), w = t.variable(5.0);
    const auto [a, b] = t.preaccumulate(region, x, z);
    CHECK(t.size() == 5);
    const real y = a * b * w;
    const auto [c, d] = region(0.7, 1.3);
    CHECK(a.value() == c);
    CHECK(b.value() == d);
    CHECK(!t.connected(b, x)); // only what a result depends on
    const auto whole = [](auto u, auto v, auto r) {
        auto [p, q] = region(u, v);
        return p * q * r;
    };
    const auto [gx, gz, gw] = t.gradient(y, std::tuple{x, z, w});
    const auto [hx, hz, hw] = dyad::tape_grad(whole)(0.7, 1.3, 5.0);
    CHECK(gx == doctest::Approx(hx).epsilon(1e-13));
    CHECK(gz == doctest::Approx(hz).epsilon(1e-13));
    CHECK(gw == doctest::Approx(hw).epsilon(1e-13));
    CHECK_THROWS_AS(t.preaccumulate([&](auto u) { return u * x; }, z), dyad::tape_error); // captured: would be lost
    CHECK(t.gradient(t.preaccumulate([](real u) { return u * u; }, x), x) == 1.4);
    t.pause();
    CHECK(t.preaccumulate([](auto u) { return u * u; }, x).key().statement() == 0);
}

TEST_CASE("regions with hundreds of arguments are one long statement") {
    tape t;
    std::vector<double> start(1000);
    for (std::size_t k = 0; k < start.size(); ++k) start[k] = static_cast<double>(k);
    const auto v = t.variable(start);
    const real y = t.preaccumulate(
        [](const auto& x) {
            auto sum = x[0] * x[0];
            for (std::size_t k = 1; k < x.size(); ++k) sum = sum + x[k] * x[k];
            return sum;
        },
        v);
    CHECK(t.size() == 1001);
    const real z = y * 2 + v[3];
    const std::vector<double> g = t.gradient(z, v);
    for (std::size_t k = 0; k < g.size(); ++k) CHECK(g[k] == 4 * static_cast<double>(k) + (k == 3 ? 1 : 0));
}

TEST_CASE("regions and loops nest in higher orders") {
    const auto f = [](auto x) {
        return x * x * x;
    };
    tape outer;
    const real x = outer.variable(2.0);
    tape inner;
    const auto z = inner.variable(x);
    const auto y = inner.preaccumulate(f, z);
    const real slope = inner.gradient(y, z);
    CHECK(slope.value() == 12);
    CHECK(outer.gradient(slope, x) == 12);

    tape outer2;
    const real v = outer2.variable(0.4);
    tape inner2;
    const auto u = inner2.variable(v);
    const auto last = inner2.checkpointed_loop(7, [](auto, auto s) { return s * s + s / 2; }, u, 3);
    const real first_slope = inner2.gradient(last, u);
    const auto plain = [](auto s) {
        for (int i = 0; i < 7; ++i) s = s * s + s / 2;
        return s;
    };
    CHECK(first_slope.value() == doctest::Approx(dyad::grad(plain)(0.4)).epsilon(1e-13));
    CHECK(outer2.gradient(first_slope, v) == doctest::Approx(dyad::derivative<2>(plain)(0.4)).epsilon(1e-13));
}

TEST_CASE("a checkpointed loop has the gradient of the loop, in the memory of its slots") {
    for (const std::size_t n : {0U, 1U, 2U, 17U, 100U}) {
        tape t;
        const auto first = t.variable(std::tuple{0.4, 0.1, 1.5});
        const auto [angle, speed, length] = plain_loop(n, first);
        const auto want = t.gradient(angle * speed + length, first);
        for (const std::size_t slots : {1U, 2U, 3U, 5U, 200U}) {
            tape c{dyad::persistent};
            const auto start = c.variable(std::tuple{0.4, 0.1, 1.5});
            const auto [a, s, l] = c.checkpointed_loop(n, pendulum, start, slots);
            CHECK(a.value() == angle.value());
            CHECK(c.size() == 6);
            CHECK(c.bytes() <= 3 * 8 * slots + 32);
            const real y = a * s + l;
            for (int round = 0; round < 2; ++round) {
                const auto got = c.gradient(y, start);
                CHECK(std::get<0>(got) == doctest::Approx(std::get<0>(want)).epsilon(1e-13));
                CHECK(std::get<1>(got) == doctest::Approx(std::get<1>(want)).epsilon(1e-13));
                CHECK(std::get<2>(got) == doctest::Approx(std::get<2>(want)).epsilon(1e-13));
            }
        }
    }
}

TEST_CASE("checkpoints stand where the fewest steps are computed again") {
    for (std::size_t n = 1; n <= 40; ++n) {
        for (std::size_t slots = 1; slots <= 6; ++slots) {
            std::size_t steps = 0, recorded = 0, expected = n, kept = 0;
            const auto advance = [&](std::size_t i, std::size_t state) {
                CHECK(state == i);
                ++steps;
                return state + 1;
            };
            dyad::binomial_plan<std::size_t> plan(n, slots);
            CHECK(plan.forward(0, advance) == n);
            kept = plan.kept();
            plan.backward(advance, [&](std::size_t i, std::size_t state) {
                CHECK(state == i);
                CHECK(i == --expected);
                kept = std::max(kept, plan.kept());
                ++recorded;
            });
            CHECK(recorded == n);
            CHECK(kept <= slots);
            // The run forward goes to the end, which the theory's need not: from the last kept state on.
            INFO(n, " steps, ", slots, " slots: ", steps);
            CHECK(steps >= fewest_steps(n, slots));
            CHECK(steps <= fewest_steps(n, slots) + n);
        }
    }
}

TEST_CASE("a loop's body must not capture what is recorded, and needs a slot") {
    tape t;
    const real x = t.variable(1.0), captured = t.variable(2.0);
    CHECK_THROWS_WITH_AS(t.checkpointed_loop(3, [&](auto, auto s) { return s * captured; }, x, 2),
                         doctest::Contains("put it in the state where the body of checkpointed_loop does"), dyad::tape_error);
    CHECK_THROWS_AS(t.checkpointed_loop(3, [](auto, auto s) { return s * s; }, x, 0), dyad::value_error);
    const real y = t.checkpointed_loop(3, [](auto, real s) { return s * 2; }, x, 1);
    CHECK(t.gradient(y, x) == 8);
}

TEST_CASE("a loop's body keeps the size of its state") {
    const auto run = [](bool grows) {
        dyad::tape tape;
        std::vector<dyad::real> state{tape.variable(1.0), tape.variable(2.0)};
        return tape.checkpointed_loop(3, [grows](auto, std::vector<dyad::real> s) {
            if (grows) s.push_back(s[0] * s[1]);
            if (!grows) s.pop_back();
            return s;
        }, state, 2);
    };
    CHECK_THROWS_WITH_AS(run(true), doctest::Contains("step 0 makes a state of 3 numbers from one of 2"), dyad::tape_error);
    CHECK_THROWS_WITH_AS(run(false), doctest::Contains("step 0 makes a state of 1 numbers from one of 2"), dyad::tape_error);
}

TEST_CASE("a recording as text and as a drawing") {
    tape t;
    CHECK(t.print() == "no recording\n");
    const real x = t.variable(2.0), z = t.variable(3.0);
    const real y = x * z - z;
    const real w = y - 4 * x;
    static_cast<void>(w);
    CHECK(t.print() == "recording of 4 statements, 44 bytes\n"
                       "  s1: variable\n"
                       "  s2: variable\n"
                       "  s3: 3 ds1 + ds2\n"
                       "  s4: -4 ds1 + ds3\n");
    const std::string dot = t.to_dot();
    CHECK(says(dot, "digraph tape {"));
    CHECK(says(dot, "s1 -> s3 [label=\"3\"];"));
    CHECK(says(dot, "s3 -> s4 [label=\"1\"];"));
}

TEST_CASE("check_gradient agrees with right gradients and points at wrong ones") {
    const auto f = [](auto x, auto v) {
        auto s = x * x;
        for (const auto& e : v) s = s + exp(e * x) / (1 + e * e);
        return s;
    };
    const auto report = dyad::check_gradient(f, 0.7, std::vector{0.1, -2.0, 1.5});
    INFO(report.text());
    CHECK(report.good());
    CHECK(report.rows.size() == 4);
    CHECK(says(report.text(), "all 4 slopes agree"));
    const auto wrong = dyad::check_gradient([](auto x, auto y) { return x * dyad::stop_gradient(x) + y; }, 3.0, 1.0);
    CHECK(!wrong);
    CHECK(!wrong.rows[0].good);
    CHECK(wrong.rows[1].good);
    CHECK(says(wrong.text(), "1 of 2 slopes disagree"));
    CHECK(says(wrong.text(), "<-- wrong"));
}

TEST_CASE("the trap names the statement where a value or a slope is not finite") {
    tape t{dyad::persistent | dyad::trap_nonfinite};
    const real x = t.variable(0.0), z = t.variable(2.0);
    std::string text;
    const unsigned line = __LINE__ + 2;
    try {
        static_cast<void>(real(z + log(x)));
    } catch (const dyad::tape_error& e) {
        text = e.what();
    }
    INFO(text);
    CHECK(says(text, "regions.test.cpp:" + std::to_string(line)));
    CHECK(says(text, "x0 + log(x1) = -inf"));
    CHECK(says(text, "x0 = 2, x1 = 0"));
    CHECK_THROWS_AS(static_cast<void>(real(sqrt(x))), dyad::tape_error); // the value is 0, the slope infinite
    CHECK(real(where(x > 1, log(x - 1), z * 2)).value() == 4);          // what is not taken is no matter
    real y = z;
    CHECK_THROWS_AS(y /= x, dyad::tape_error);
    CHECK(y.value() == 2);
    CHECK(t.gradient(y * z, z) == 4); // and the recording goes on
}

TEST_CASE("the trap names no line of the library") {
    tape t{dyad::persistent | dyad::trap_nonfinite};
    const real x = t.variable(0.0), z = t.variable(1e308);
    const auto refusal = [](const auto& run) {
        try {
            run();
        } catch (const dyad::tape_error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    const std::string formula = refusal([&] { return real(log(x) + z + z + z + z + z + z + z + z + z + z + z + z + z + z + z + z + z + z); });
    const std::string power = refusal([&] { return real(ldexp(z, 4)); });
    for (const std::string& text : {formula, power}) {
        INFO(text);
        CHECK(says(text, "[dyad] trap: in an assignment such as +=, or within a long formula, statement "));
        CHECK(!says(text, ".hpp"));
    }
}

TEST_CASE("the trap sees functions that record their own slopes, and only slopes that are recorded") {
    tape t{dyad::persistent | dyad::trap_nonfinite};
    const real x = t.variable(0.0), negative = t.variable(-1.0), two = 2, zero = 0;
    const int m = -1;
    CHECK_THROWS_AS(dyad::ipow(x, m), dyad::tape_error);
    CHECK_THROWS_AS(remainder(x, x), dyad::tape_error);
    CHECK_THROWS_AS(hypot(x, real(INFINITY), x), dyad::tape_error);
    CHECK(dyad::ipow(x + 2, m).value() == 0.5);
    const real power = pow(negative, two), sum = negative + sqrt(zero); // slopes by constants: NaN and inf
    CHECK(t.gradient(power, negative) == -2);
    CHECK(t.gradient(sum, negative) == 1);
    CHECK_THROWS_AS(real(pow(negative, x + 2)), dyad::tape_error);
}

TEST_CASE("check_gradient near the edge of a domain") {
    const auto logarithm = dyad::check_gradient([](auto x) { return log(x); }, 1e-4);
    INFO(logarithm.text());
    CHECK(logarithm.good());
    const auto circle = dyad::check_gradient([](auto x) { return sqrt(1 - x * x); }, 0.99);
    INFO(circle.text());
    CHECK(circle.good());
}

TEST_CASE("check_gradient takes shorter steps where the function changes within them") {
    const auto bell = dyad::check_gradient([](auto x) { return exp(-(x - 1000) * (x - 1000) / 2); }, 999.0);
    INFO(bell.text());
    CHECK(bell.good());
    CHECK(bell.rows[0].doubt < 1e-6);
    const auto far = dyad::check_gradient([](auto x) { return sin(x); }, 1e4), fast = dyad::check_gradient([](auto x) { return sin(1e4 * x); }, 1.0);
    CHECK(far.good());
    CHECK(fast.good());
    CHECK(!dyad::check_gradient([](auto x) { return sin(1e4 * dyad::stop_gradient(x)) + x; }, 1.0));
    CHECK(!dyad::check_gradient([](auto x) { return sin(dyad::stop_gradient(x)); }, 1e4));
}

TEST_CASE("infinite slopes behind what no target depends on") {
    constexpr auto independent = [](auto a, auto b) { return std::tuple{a + 1, b * 2}; };
    constexpr auto step = [](auto, auto s) {
        auto [a, b] = s;
        return std::tuple{a + 1, b * 2};
    };
    constexpr auto rooting = [](auto, auto s) {
        auto [a, b] = s;
        return std::tuple{sqrt(a), b * 2};
    };
    tape t{dyad::persistent};
    const real x = t.variable(0.0), y = sqrt(x), z = x + 1;
    CHECK(t.gradient(std::get<1>(t.checkpointed_loop(2, step, std::tuple{y, z}, 1)), x) == 4);
    CHECK(t.gradient(std::get<1>(t.checkpointed_loop(2, rooting, std::tuple{x, z}, 1)), x) == 4);
    CHECK(t.gradient(std::get<1>(t.apply(independent, y, z)), x) == 2);
    CHECK(t.gradient(std::get<1>(t.preaccumulate(independent, y, z)), x) == 2);
    CHECK(t.gradient(t.apply([](auto a, auto b) { return dyad::floor(a) + b * 2; }, y, z), x) == 2);
    const auto ruled = dyad::custom_gradient([](auto a, auto b) { return a + b; }, [](auto, auto, auto, auto up) { return std::tuple{0.0, 3 * up}; });
    CHECK(t.gradient(real(ruled(y, z)), x) == 3);
    CHECK(t.gradient(std::get<0>(t.apply(independent, y, z)), x) == INFINITY); // what it depends on counts
}

TEST_CASE("check_gradient takes what rounding leaves of slopes that cancel out") {
    const auto shares = [](const auto& x) {
        const auto a = exp(x[0]), b = exp(x[1]);
        const auto whole = a + b;
        return a / whole + b / whole;
    };
    for (const double u : {0.1, 3.0, -7.0}) CHECK(dyad::check_gradient(shares, std::array{u, u + 0.1}).good());
    const auto differs = [](auto x) { return x * (requires { x.tangent(); } ? 1 + 1e-9 : 1.0); };
    CHECK(!dyad::check_gradient(differs, 1.0).rows[0].good); // nothing cancels: the modes must agree closely
}
TEST_CASE("check_gradient of floats compares doubles") {
    CHECK(dyad::check_gradient([](auto x) { return x * x * x; }, 0.1F).good());
}

TEST_CASE("the index of a checkpointed loop is a number like the number of its rounds") {
    const auto body = [](auto i, auto s) { return s + (1 - i) * 0.5; };
    tape t;
    const real x = t.variable(1.0);
    const real y = t.checkpointed_loop(4, body, x, 2);
    CHECK(y.value() == dyad::fori_loop(4, body, 1.0));
    CHECK(t.gradient(y, x) == 1);
    tape refusing;
    const real z = refusing.variable(1.0);
    CHECK_THROWS_AS(refusing.checkpointed_loop(-3, body, z, 2), dyad::value_error);
    CHECK_THROWS_AS(refusing.checkpointed_loop(3, body, z, -1), dyad::value_error);
}
TEST_CASE("a loop and a compiled function within a region are recorded there") {
    const auto body = [](auto, auto s) { return s * s; };
    tape t;
    const real x = t.variable(1.1);
    const real y = t.preaccumulate([&](auto a) { return t.checkpointed_loop(3, body, a, 2); }, x); // (the slope was once 0)
    CHECK(t.gradient(y, x) == doctest::Approx(8 * std::pow(1.1, 7)));
    tape u;
    const real a = u.variable(1.01);
    const real b = u.checkpointed_loop(2, [&](auto, auto s) { return u.checkpointed_loop(3, body, s, 2); }, a, 2);
    CHECK(u.gradient(b, a) == doctest::Approx(64 * std::pow(1.01, 63)));
    tape v;
    const real c = v.variable(3.0);
    const real d = v.preaccumulate([&](auto s) { return v.apply([](auto e) { return e * e; }, s); }, c);
    CHECK(v.gradient(d, c) == 6);
}
