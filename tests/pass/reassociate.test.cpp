// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What products, sums and quotients share in a lowered program, counted in operations; and what they must leave
// alone: the order of sums, constants that would overflow, the digits of differences.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

namespace {

using dyad::graph, dyad::node, dyad::opcode, dyad::policy;

template <class T>
struct four {
    T x, y, z, w;
};

/// The function as a kernel runs it.
template <class F>
constexpr graph lowered(F f) {
    return dyad::lower(dyad::simplify(dyad::trace<F, four<double>>(f, policy::fast)));
}
template <class F>
constexpr int count(F f, opcode op) {
    int n = 0;
    for (const node& each : lowered(f).nodes) n += each.op == op ? 1 : 0;
    return n;
}
template <class F>
constexpr bool sound(F f) {
    return dyad::check(lowered(f)) == "";
}

// --- products ---

static_assert(count([](auto v) { return std::array{v.x * v.y * v.z, v.x * v.y * v.w, v.y * v.x}; }, opcode::mul) == 3);
static_assert(count([](auto v) { return std::array{v.x * v.z * v.y, v.x * v.w * v.y}; }, opcode::mul) == 3);
static_assert(count([](auto v) { return std::array{v.x * (v.y * v.z), v.x * v.y}; }, opcode::mul) == 2);
static_assert(count([](auto v) { return std::array{(v.x * v.y) * (v.z * v.w), v.x * v.w, v.z * v.y}; }, opcode::mul) == 3);
// Two ways to the same product are one.
static_assert(count([](auto v) { return std::array{dyad::sin(v.x * v.y) * v.z, (v.x * v.z) * v.y, dyad::exp(v.x * v.y * v.z)}; },
                    opcode::mul) == 3);
// A product that shares nothing stays as it was written: another order could overflow.
constexpr auto far_apart = [](auto v) { return v.x * (v.y * v.z); };
static_assert(dyad::print(lowered(far_apart)) == "graph(4 inputs)\n"
                                                 "  n3: f64 = mul x1 x2\n"
                                                 "  n4: f64 = mul x0 n3\n"
                                                 "  return n4\n");

// --- sums ---

static_assert(count([](auto v) { return 100 * (v.x * v.x) + (v.y * v.y + 100 * (v.z * v.z)); }, opcode::mul) == 4);
static_assert(count([](auto v) { return 100 * dyad::sin(v.x) + dyad::sin(v.y) + 100 * dyad::sin(v.z); }, opcode::mul) == 1);
static_assert(count([](auto v) { return 3 * dyad::sin(v.x) - 3 * dyad::sin(v.y) - 3 * v.z; }, opcode::mul) == 1);
static_assert(count([](auto v) { return v.w - 3 * dyad::sin(v.x) - 3 * v.z; }, opcode::mul) == 1);
// 2·(x/2 - y) = x - 2y, but 3·(1 - x) is not 3 - 3x, which has other digits near x = 1.
static_assert(count([](auto v) { return dyad::exp(2 * (dyad::sin(v.x) / 2 - v.y)); }, opcode::mul) == 1);
static_assert(dyad::print(lowered([](auto v) { return 3 * (1 - v.x); })) == "graph(4 inputs)\n"
                                                                           "  n3: f64 = sub 1 x0\n"
                                                                           "  n4: f64 = mul 3 n3\n"
                                                                           "  return n4\n");
// The slope of a square that another slope is made of: 400 x v beside 200 v, in Rosenbrock's gradient.
constexpr auto valley = [](auto v) {
    const auto u = v.y - v.x * v.x;
    return std::array{200 * u - dyad::sin(v.z), dyad::cos(v.w) - (400 * (v.x * u) + 2 * v.w)};
};
static_assert(count(valley, opcode::mul) == 4); // x x, 200 u, x·, 2·

// --- quotients ---

static_assert(count([](auto v) { return 1 / (v.x * v.y) - (v.z / v.x + v.w / v.y); }, opcode::div) == 1);
static_assert(count([](auto v) { return dyad::exp(v.y / dyad::sqrt(v.x)) + v.z / v.x; }, opcode::div) == 1);
static_assert(count([](auto v) { return dyad::sin(v.z / v.x) / (v.x * v.y); }, opcode::div) == 2); // x is wanted first
// Not where something is a number that would be none: 1/x for y = 0, or x < 0.
static_assert(count([](auto v) { return std::array{1 / (v.x * v.y), v.z / v.x}; }, opcode::div) == 2);
static_assert(count([](auto v) { return dyad::exp(1 / (v.x * v.y)) + v.z / v.x; }, opcode::div) == 2);
static_assert(count([](auto v) { return std::array{v.y / dyad::sqrt(v.x), v.z / v.x}; }, opcode::div) == 2);
static_assert(count([](auto v) { return dyad::where(v.x > 0, 1 / dyad::sqrt(v.x), 1 / v.x); }, opcode::div) == 2);
// The reciprocal of a product that itself needs one of its factors' reciprocal is no way to that one.
constexpr auto circle = [](auto v) {
    const auto d = v.x * dyad::exp(1 / v.x);
    return std::array{v.y / d, v.z / v.x, v.w / d};
};
constexpr auto together = [](auto v) {
    const auto r = v.z / dyad::sqrt(v.x) + 1 / (v.x * v.y * v.y);
    return std::array{r * dyad::sin(v.z / v.x), r - v.w / v.y};
};
static_assert(sound(circle) && sound(valley) && sound(far_apart) && sound(together));

// Terms that share a coefficient stand where the last of them stood: meanwhile the others are added up.
static_assert(dyad::print(lowered([](auto v) { return 3 * v.x + v.y + 3 * v.z + v.w; })) == "graph(4 inputs)\n"
                                                                                          "  n5: f64 = add x0 x2\n"
                                                                                          "  n6: f64 = mul 3 n5\n"
                                                                                          "  n7: f64 = add x1 n6\n"
                                                                                          "  n8: f64 = add n7 x3\n"
                                                                                          "  return n8\n");
static_assert(dyad::print(lowered([](auto v) { return -(3 * v.x) - v.y - 3 * v.z - 3 * v.w; })) == "graph(4 inputs)\n"
                                                                                                 "  n5: f64 = add x0 x2\n"
                                                                                                 "  n6: f64 = add n5 x3\n"
                                                                                                 "  n7: f64 = mul 3 n6\n"
                                                                                                 "  n8: f64 = add x1 n7\n"
                                                                                                 "  n9: f64 = neg n8\n"
                                                                                                 "  return n9\n");

// --- order: what a call needs, the call, and then the rest ---

constexpr auto with_call = [](auto v) { return v.y * v.z + v.w * dyad::exp(v.x * v.y); };
static_assert(dyad::print(lowered(with_call)) == "graph(4 inputs)\n"
                                                 "  n2: f64 = mul x0 x1\n"
                                                 "  n3: f64 = exp n2\n"
                                                 "  n6: f64 = mul x3 n3\n"
                                                 "  n7: f64 = mul x1 x2\n"
                                                 "  n8: f64 = add n6 n7\n"
                                                 "  return n8\n");

constexpr double largest = std::numeric_limits<double>::max(), infinity = std::numeric_limits<double>::infinity();
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("sums keep their order, so that rounding errors can be computed") {
    // Knuth's TwoSum: the error of x + y, exactly.
    const auto error = [](auto x, auto y) {
        const auto s = x + y, t = s - x;
        return (x - (s - t)) + (y - t);
    };
    volatile double big = 1e16, small = 1.2345678901234567;
    const double x = big, y = small, s = x + y;
    CHECK(dyad::value_and_grad(error)(x, y).first == y - (s - x));
    CHECK(dyad::value_and_grad(error)(y, x).first == y - (s - x));
    // Kahan's sum.
    const auto total = [](auto v) {
        auto sum = v[0];
        auto lost = v[0] - v[0];
        for (std::size_t i = 1; i < v.size(); ++i) {
            const auto next = v[i] - lost, larger = sum + next;
            lost = (larger - sum) - next;
            sum = larger;
        }
        return sum;
    };
    std::array<double, 11> parts;
    parts.fill(1.0);
    parts[0] = 1e16;
    CHECK(dyad::value_and_grad(total)(parts).first == 1e16 + 10);
}

TEST_CASE("factors that would overflow together stay apart") {
    volatile double huge = 1e200;
    CHECK(dyad::value_and_grad(far_apart)(four<double>{huge, huge, 1e-300, 1}).first == doctest::Approx(1e100));
    const auto scaled = [](auto x, auto y) { return (1e-250 * x) * (1e250 * y) * (x * y); };
    CHECK(std::abs(dyad::value_and_grad(scaled)(1e100, 1e-200).first / 1e-200 - 1) < 1e-14);
}

TEST_CASE("a difference keeps its digits under a factor") {
    const auto f = [](auto x) { return 3 * (1 - x); };
    const double x = 1 - 0x1p-50;
    CHECK(dyad::value_and_grad(f)(x).first == 3 * 0x1p-50);
}

TEST_CASE("shared reciprocals and products give the values of the formula") {
    for (const double x : {0.3, 1.7, 25.0}) {
        for (const double y : {-2.0, 0.01, 4.5}) {
            const four<double> at{x, y, 0.7, -1.3}, along{1, 0, 0, 0};
            const auto got = dyad::jvp(circle)(at, along).first, want = circle(at);
            const auto both = dyad::jvp(together)(at, along).first, expected = together(at);
            for (std::size_t i = 0; i < want.size(); ++i)
                CHECK(std::abs(got[i] - want[i]) <= 1e-15 * std::abs(want[i]));
            for (std::size_t i = 0; i < expected.size(); ++i)
                CHECK(std::abs(both[i] - expected[i]) <= 1e-14 * (std::abs(expected[0]) + std::abs(expected[1]) + 1));
        }
    }
}
TEST_CASE("a shared reciprocal is no reason for NaN") {
    const auto guarded = [](auto x) { return dyad::where(x > 0, 1 / dyad::sqrt(x), 1 / x); };
    CHECK(dyad::value_and_grad(guarded)(-2.0) == std::pair{-0.5, -0.25});
    const auto chosen = [](auto x, auto b) { return dyad::where(b == 0, 1 / x, 1 / (x * b)); };
    CHECK(dyad::value_and_grad(chosen)(2.0, 0.0).first == 0.5);
    const auto apart = [](auto x, auto b) { return std::tuple{1 / (x * b), 1 / x}; };
    CHECK(std::get<1>(dyad::jvp(apart)(std::tuple{2.0, 0.0}, std::tuple{1.0, 0.0}).first) == 0.5);
}

TEST_CASE("the compiler computes nothing with constants that are no number or near the largest") {
    // (Compilers refuse constant evaluations that overflow or give NaN: most of these did not compile.)
    const auto slope = [](auto f) { return dyad::value_and_grad(f)(2.0).second; };
    const auto both = [](auto f) { return dyad::value_and_grad(f)(2.0, 3.0).second; };

    CHECK(slope([](auto x) { return x * x * x + dyad::sin(x) + missing; }) == doctest::Approx(12 + std::cos(2.0)));
    CHECK(dyad::value_and_grad([](auto x) { return dyad::where(x > 3, 3 * x * x + 2 * x + missing, x); })(2.0) == std::pair{2.0, 1.0});
    CHECK(dyad::value_and_grad([](auto x) { return 2 * (largest - x / 2); })(2.0) == std::pair{infinity, -1.0});
    CHECK(dyad::value_and_grad([](auto x) { return 8 * (1e308 + x * x / 8); })(2.0) == std::pair{infinity, 4.0});
    CHECK(dyad::value_and_grad([](auto x) { return 0x1p1023 * (3 * x + 1); })(0.0) == std::pair{0x1p1023, infinity});
    CHECK(slope([](auto x) { return 0x1p-1000 * (0x1p-70 - x / 2); }) == -0x1p-1001);
    CHECK(slope([](auto x) { return 0x1p-4 * (0x1p-1072 - x / 2); }) == -0x1p-5);

    const auto [dx, dy] = both([](auto x, auto y) { return dyad::sin(1e-310 * x) + 3 * x * y; });
    CHECK(dx == 9);
    CHECK(dy == 6);
    const auto [du, dv] = both([](auto x, auto y) { return dyad::sin(missing * x) + 3 * x * y; });
    CHECK(std::isnan(du));
    CHECK(dv == 6);
    CHECK(std::get<1>(both([](auto x, auto y) { return dyad::atan(infinity * x) + 3 * x * y + 5 * x; })) == 6);
}
