// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The last pass before a kernel: powers become products that share their squares, quotients share a
// reciprocal, sine and cosine of one argument become one operation, and stop_gradient goes. Held by the
// printed graph; the values must be those of the graph before it.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using dyad::graph, dyad::node, dyad::opcode, dyad::policy;

template <class T>
struct xyz {
    T x, y, z;
};

template <class F>
constexpr graph lowered(F f, policy p = policy::fast) {
    return dyad::lower(dyad::trace<F, xyz<double>>(f, policy::strict), p);
}
constexpr int count(const graph& g, opcode op) {
    int n = 0;
    for (const node& each : g.nodes) n += each.op == op ? 1 : 0;
    return n;
}
/// Well formed, and with every input still in its place.
constexpr bool sound(const graph& g) {
    return dyad::check(g) == "" && g.input_count == 3;
}

// --- powers ---

static_assert(dyad::print(lowered([](auto v) { return dyad::pow(v.x, 6); })) == "graph(3 inputs)\n"
                                                                                "  n1: f64 = mul x0 x0\n"
                                                                                "  n2: f64 = mul x0 n1\n"
                                                                                "  n3: f64 = mul n2 n2\n"
                                                                                "  return n3\n");
static_assert(count(lowered([](auto v) { return dyad::pow(v.x, 64); }), opcode::mul) == 6);
static_assert(count(lowered([](auto v) { return dyad::pow(v.x, 31); }), opcode::mul) == 8);
static_assert(count(lowered([](auto v) { return std::array{dyad::square(v.x), dyad::pow(v.x, 4), dyad::pow(v.x, 5)}; }),
                    opcode::mul) == 3); // one square serves all
static_assert(count(lowered([](auto v) { return dyad::pow(v.x, 4) + dyad::pow(v.y, 3); }), opcode::ipow) == 0);

// --- quotients: two of one denominator cost one division, under the fast policy only ---

constexpr auto two_quotients = [](auto v) { return std::array{v.x / v.z, v.y / v.z}; };
static_assert(dyad::print(lowered(two_quotients)) == "graph(3 inputs)\n"
                                                     "  n4: f64 = div 1 x2\n"
                                                     "  n5: f64 = mul x0 n4\n"
                                                     "  n6: f64 = mul x1 n4\n"
                                                     "  return n5 n6\n");
static_assert(count(lowered(two_quotients, policy::strict), opcode::div) == 2);
static_assert(count(lowered([](auto v) { return std::array{v.x / v.z, 1 / v.z}; }), opcode::mul) == 1);
static_assert(count(lowered([](auto v) { return std::array{v.x / v.z, v.x / v.y}; }), opcode::div) == 2);
static_assert(count(lowered([](auto v) { return std::array{v.x / 3, v.y / 3}; }), opcode::div) == 2); // x/3 is not x times a third

// --- sine and cosine ---

constexpr auto on_circle = [](auto v) { return std::array{dyad::cos(v.x), dyad::sin(v.x)}; };
static_assert(dyad::print(lowered(on_circle)) == "graph(3 inputs)\n"
                                                 "  n1: f64 = sincos x0\n"
                                                 "  n2: f64 = result[1] n1\n"
                                                 "  n3: f64 = result[0] n1\n"
                                                 "  return n2 n3\n");
static_assert(count(lowered(on_circle, policy::strict), opcode::sincos) == 1);
static_assert(count(lowered([](auto v) { return dyad::sin(v.x) * dyad::cos(v.y); }), opcode::sincos) == 0);
static_assert(count(lowered([](auto v) { return dyad::sin(v.x) * dyad::cos(v.x) * dyad::sin(v.x * v.y); }), opcode::sincos) == 1);

// --- the order around calls: what they need, then the calls, of which exp is the last, then what can wait ---

static_assert(dyad::print(lowered([](auto v) { return std::array{v.y * v.z, dyad::exp(v.x) * dyad::sin(v.x + 1)}; })) == "graph(3 inputs)\n"
                                                                                                                         "  n2: f64 = add 1 x0\n"
                                                                                                                         "  n3: f64 = sin n2\n"
                                                                                                                         "  n4: f64 = exp x0\n"
                                                                                                                         "  n7: f64 = mul x1 x2\n"
                                                                                                                         "  n8: f64 = mul n4 n3\n"
                                                                                                                         "  return n7 n8\n");
static_assert(dyad::print(lowered([](auto v) { return dyad::sin(dyad::exp(v.x)); })) == "graph(3 inputs)\n"
                                                                                       "  n1: f64 = exp x0\n"
                                                                                       "  n2: f64 = sin n1\n"
                                                                                       "  return n2\n");

// --- stop_gradient, and what passes through as it is ---

static_assert(dyad::print(lowered([](auto v) { return dyad::stop_gradient(v.y) * v.x; })) == "graph(3 inputs)\n"
                                                                                            "  n2: f64 = mul x0 x1\n"
                                                                                            "  return n2\n");
static_assert(count(lowered([](auto v) { return dyad::stop_gradient(v.y); }), opcode::stop_gradient) == 0);
static_assert(dyad::print(lowered([](auto v) { return std::tuple{v.z, 2.5, v.x, v.z}; })) == "graph(3 inputs)\n"
                                                                                            "  return x2 2.5 x0 x2\n");

constexpr auto mixture = [](auto v) {
    const auto s = dyad::sin(v.x) / v.z, c = dyad::cos(v.x) / v.z;
    return std::array{s * dyad::pow(v.y, 5) + c, dyad::where(s < c && v.x < 2, dyad::pow(s, 3), dyad::stop_gradient(c)),
                      dyad::cube(v.y) / (1 + dyad::square(v.y))};
};
static_assert(sound(lowered(mixture)) && sound(lowered(mixture, policy::strict)) && sound(lowered(mixture, policy::verbatim)));
static_assert(sound(lowered(two_quotients)) && sound(lowered(on_circle)));
static_assert(dyad::operation_count(lowered(mixture)) <= 14);

} // namespace

TEST_CASE("a lowered program has the values of the function") {
    const double points[][3] = {{0.5, 1.5, 2.5}, {-3, 0.25, 7}, {1e-3, -2, -0.1}, {2, 0, 1}};
    for (const auto& p : points) {
        const auto want = mixture(xyz<double>{p[0], p[1], p[2]});
        const xyz<double> at{p[0], p[1], p[2]}, along{1, 0, 0};
        const auto fast = dyad::jvp(mixture)(at, along).first;
        const auto strict = dyad::jvp(dyad::strict(mixture))(at, along).first;
        for (std::size_t i = 0; i < want.size(); ++i) {
            CHECK(std::abs(fast[i] - want[i]) <= 1e-15 * (1 + std::abs(want[i])));
            CHECK(std::abs(strict[i] - want[i]) <= 1e-15 * (1 + std::abs(want[i])));
        }
    }
}

TEST_CASE("whole powers have in a kernel the very bits that they have outside") {
    const auto powers = [](auto v) {
        return std::array{dyad::square(v.x), dyad::cube(v.x), dyad::ipow(v.x, 7), dyad::ipow(v.x, 12), dyad::ipow(v.x, 31), dyad::ipow(v.x, -3), dyad::ipow(v.x, -13)};
    };
    std::uint64_t state = 1;
    for (int i = 0; i < 1000; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const double x = (1 + static_cast<double>(state >> 12) * 0x1p-52) * (i % 2 == 0 ? 1 : -1);
        const auto kernel = dyad::jvp(powers)(xyz<double>{x, 0, 0}, xyz<double>{1, 0, 0}).first;
        const auto plain = powers(xyz<double>{x, 0, 0});
        for (std::size_t k = 0; k < plain.size(); ++k)
            REQUIRE(std::bit_cast<std::uint64_t>(kernel[k]) == std::bit_cast<std::uint64_t>(plain[k]));
    }
}

TEST_CASE("slopes of negative powers are finite where they are, also strictly") {
    const auto slope = [](auto x) { return dyad::grad(dyad::strict([](auto u) { return dyad::pow(2 * u, -3); }))(x); }; // -3/8 x⁻⁴
    const auto close = [](double x, double to, double within) { CHECK(x / to == doctest::Approx(1).epsilon(within)); }; // (of tiny numbers)
    close(slope(1e60), -0.375e-240, 1e-14);
    close(slope(1e-60), -0.375e240, 1e-14);
    close(slope(1e7F), -0.375e-28, 1e-6);
    CHECK(slope(1e160) == 0);
    CHECK(slope(1e-170) == -std::numeric_limits<double>::infinity());
    close(dyad::hessian(dyad::strict([](auto u) { return dyad::ipow(u, -2); }))(1e50), 6e-200, 1e-14);
    close(dyad::grad(dyad::strict([](auto u) { return dyad::ipow(u, -1); }))(1e100), -1e-200, 1e-14);
}
TEST_CASE("a strict program divides by a subnormal number, which has no finite reciprocal") {
    const double tiny = std::numeric_limits<double>::denorm_min();
    const auto quotients = dyad::jvp(dyad::strict(two_quotients))(xyz<double>{tiny, 2 * tiny, tiny}, xyz<double>{0, 0, 0}).first;
    CHECK(quotients == std::array{1.0, 2.0});
}
