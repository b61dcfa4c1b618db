// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Gradients of a tape into memory of the caller: the same numbers, no allocation, nothing written when something is wrong.

#include <dyad/tape.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace {

using dyad::real, dyad::tape, dyad::tape_error;

int allocations = 0;
bool refused = false; ///< whether there is no memory

template <class T>
struct point {
    T x, y;
};

} // namespace

[[gnu::noinline]] void* operator new(std::size_t size) { // (Inlined, g++ 12 takes the pair for a mismatch.)
    ++allocations;
    if (refused) throw std::bad_alloc{};
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("the places take the gradients by the leaves of the sources, in order") {
    tape t{dyad::persistent};
    const std::vector<real> x = t.variable(std::vector{1.5, -2.0, 3.0});
    const point<real> p{t.variable(4.0), t.variable(0.5)};
    const real y = x[0] * x[1] * sin(x[2]) + p.x / p.y;

    std::vector<double> g(3, 7.0);
    t.gradient_into(g, y, x);
    CHECK(g == t.gradient(y, x));
    std::array<double, 5> all{};
    t.gradient_into(all, y, std::tuple{p, x});
    CHECK(all == std::array{2.0, -16.0, g[0], g[1], g[2]});
    double row[4] = {7, 7, 7, 7};
    t.gradient_into(std::span(row).subspan<1, 2>(), y, p); // a part of something
    CHECK((row[0] == 7 && row[1] == 2 && row[2] == -16 && row[3] == 7));
    double one = 7;
    t.gradient_into({&one, 1}, y, x[1]);
    CHECK(one == g[1]);
    t.gradient_into({&one, 1}, x[0] * x[1], x[2]); // not connected
    CHECK(one == 0);
    t.gradient_into(std::span<double>(), y, std::vector<real>{});
}

TEST_CASE("with seeds, of several targets, of float, and of a tape inside a tape") {
    tape t{dyad::persistent};
    const real x = t.variable(2.0);
    const real y = x * x, z = 3 * x;
    double slope = 0;
    t.gradient_into({&slope, 1}, std::tuple{y, z}, x, dyad::seed(std::tuple{2.0, -1.0}));
    CHECK(slope == 5);
    t.gradient_into({&slope, 1}, std::array{y, z}, x);
    CHECK(slope == 7);

    const auto u = t.variable(2.0F);
    float of_float = 0;
    t.gradient_into({&of_float, 1}, u * u * u, u);
    CHECK(of_float == 12.0F);

    tape inner;
    const auto w = inner.variable(x);
    real d;
    inner.gradient_into({&d, 1}, w * w * w, w);
    CHECK(d.value() == 12);
    CHECK(t.gradient(d, x) == 12);
}

TEST_CASE("the tape is spent as by gradient") {
    tape t;
    const real x = t.variable(2.0);
    const real y = x * x;
    double slope = 0;
    t.gradient_into({&slope, 1}, y, x);
    CHECK(slope == 4);
    CHECK_THROWS_WITH_AS(t.gradient_into({&slope, 1}, y, x), doctest::Contains("tape.gradient_into: this tape has given its gradient"), tape_error);
}

TEST_CASE("what is refused writes nothing and does not spend the tape") {
    tape t, other;
    const std::vector<real> x = t.variable(std::vector{1.0, 2.0});
    const real y = x[0] * x[1], foreign = other.variable(1.0);
    std::vector<double> g{7, 7, 7};
    CHECK_THROWS_WITH_AS(t.gradient_into(g, y, x), "[dyad] tape.gradient_into: 3 places for the gradients of 2 sources", tape_error);
    CHECK_THROWS_WITH_AS(t.gradient_into(std::span(g).first(1), y, x), "[dyad] tape.gradient_into: 1 places for the gradients of 2 sources", tape_error);
    CHECK_THROWS_AS(t.gradient_into(std::span(g).first(2), y, std::array{x[0], foreign}), tape_error);
    CHECK_THROWS_WITH_AS(t.gradient_into(std::span(g).first(2), std::array{y, y}, x, dyad::seed(std::vector{1.0})),
                         doctest::Contains("tape.gradient_into: 1 seeds for 2 targets"), tape_error);
    CHECK(g == std::vector{7.0, 7.0, 7.0});
    g.resize(2);
    t.gradient_into(g, y, x);
    CHECK(g == std::vector{2.0, 1.0});
}

TEST_CASE("rounds of recording and gradient allocate nothing once the memory is there") {
    std::array<double, 2> g{};
    double sum = 0;
    int after_first = 0;
    for (int round = 0; round < 100; ++round) {
        tape t;
        const std::array<real, 2> x = t.variable(std::array{1.0 + round, 2.0});
        const real y = x[0] * x[1] + sin(x[0]);
        t.gradient_into(g, y, x);
        sum += g[0] + g[1];
        if (round == 0) after_first = allocations;
    }
    CHECK(allocations == after_first);
    CHECK(sum < std::numeric_limits<double>::infinity());
    ::operator delete(::operator new(1)); // the counter counts; a new expression could be optimised away
    CHECK(allocations > after_first);
}

TEST_CASE("where there is no memory for the gradient, the tape is as it was") {
    tape t;
    const std::vector<real> x = t.variable(std::vector{1.0, 2.0});
    const real y = x[0] * x[1];
    {
        tape first; // makes room for adjoints
        const real z = first.variable(1.0);
        CHECK(first.gradient(z * z, z) == 2);
    }
    bool thrown = false;
    refused = true;
    try {
        static_cast<void>(t.gradient(y, x));
    } catch (const std::bad_alloc&) {
        thrown = true;
    }
    refused = false;
    CHECK(thrown);
    CHECK(t.gradient(y, x) == std::vector{2.0, 1.0});
}
