// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Loops that store few of their states for the backward pass.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <dyad/core.hpp>

namespace {

using dyad::sin, dyad::exp;

/// A state that knows before which round it is; counts what the schedule asks for.
struct counting_state {
    std::vector<std::size_t> slots;
    std::vector<std::size_t> taken_back;
    std::size_t now = 0, advances = 0;

    void store(std::size_t slot) { slots.at(slot) = now; }
    void load(std::size_t slot) { now = slots.at(slot); }
    void advance(std::size_t round) {
        CHECK(round == now);
        ++now;
        ++advances;
    }
    void take_back(std::size_t round) {
        CHECK(round == now);
        taken_back.push_back(round);
        now = 1000000; // the adjoint of a round leaves no state
    }
};
counting_state reversed(dyad::stored_steps how, std::size_t rounds) {
    const dyad::reversal schedule(how, rounds, 8);
    counting_state state;
    state.slots.resize(schedule.slots());
    std::vector<std::size_t> places(schedule.slots());
    schedule.run(state, places.data());
    REQUIRE(state.taken_back.size() == rounds);
    for (std::size_t i = 0; i < rounds; ++i) CHECK(state.taken_back[i] == rounds - 1 - i);
    return state;
}

/// The fewest advances that any schedule needs, by trying all places for the next state.
std::size_t fewest_advances(std::size_t rounds, std::size_t slots) {
    static std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
    if (rounds <= 1) return 0;
    if (slots == 1) return rounds * (rounds - 1) / 2;
    auto [place, fresh] = known.try_emplace({rounds, slots}, ~std::size_t{0});
    if (!fresh) return place->second;
    std::size_t best = ~std::size_t{0};
    for (std::size_t m = 1; m < rounds; ++m)
        best = std::min(best, m + fewest_advances(m, slots) + fewest_advances(rounds - m, slots - 1));
    return known[{rounds, slots}] = best;
}

template <class Stored>
inline constexpr auto loss = [](auto x, auto y, auto n) {
    auto [a, b] = dyad::fori_loop(
        n,
        [&](auto i, auto s) {
            auto [p, q] = s;
            return std::tuple{p * x + sin(q) / (i + 1), q * 0.9 + exp(-p * p) * y};
        },
        std::tuple{x, y * 1}, Stored{});
    return a * b + 0.3 * a;
};
using all_values = decltype(dyad::store_values);

template <class Stored>
inline constexpr auto nested = [](auto x, auto y) {
    return dyad::fori_loop(
        5, [&](auto i, auto s) { return dyad::fori_loop(i, [&](auto, auto t) { return sin(t * x) + s * y; }, s, Stored{}); }, x * y, Stored{});
};

template <class Stored>
inline constexpr auto single = [](auto x, auto y) {
    return dyad::fori_loop(5, [&](auto i, auto s) { return sin(s * x) + y * (i + 1); }, x * y, Stored{});
};

template <class Stored, bool Twice = false>
void check_derivatives() {
    constexpr auto f = loss<Stored>;
    constexpr auto g = loss<all_values>;
    for (const int n : {0, 1, 2, 7, 40}) {
        CAPTURE(n);
        const auto [value, gradient] = dyad::value_and_grad<0, 1>(f)(0.8, -0.4, n);
        const auto [other, expected] = dyad::value_and_grad<0, 1>(g)(0.8, -0.4, n);
        CHECK(value == other);
        CHECK(std::get<0>(gradient) == doctest::Approx(std::get<0>(expected)).epsilon(1e-13));
        CHECK(std::get<1>(gradient) == doctest::Approx(std::get<1>(expected)).epsilon(1e-13));
        if constexpr (Twice) {
            const auto H = dyad::hessian<0, 1>(f)(0.8, -0.4, n), E = dyad::hessian<0, 1>(g)(0.8, -0.4, n);
            CHECK(std::get<0>(std::get<0>(H)) == doctest::Approx(std::get<0>(std::get<0>(E))).epsilon(1e-12));
            CHECK(std::get<1>(std::get<0>(H)) == doctest::Approx(std::get<1>(std::get<0>(E))).epsilon(1e-12));
            CHECK(std::get<1>(std::get<1>(H)) == doctest::Approx(std::get<1>(std::get<1>(E))).epsilon(1e-12));
        }
    }
}

} // namespace

TEST_CASE("a bounded number of states reverses a loop with the fewest rounds computed again") {
    for (std::size_t rounds = 0; rounds < 60; ++rounds) {
        for (std::size_t slots = 1; slots < 12; ++slots) {
            CAPTURE(rounds);
            CAPTURE(slots);
            const counting_state state = reversed({dyad::storing::within, 8 * slots + 7}, rounds);
            CHECK(state.slots.size() <= slots);
            CHECK(state.advances == fewest_advances(rounds, slots));
        }
    }
    CHECK(dyad::reversal({dyad::storing::within, 7}, 10, 8).slots() == 0);
    CHECK(reversed({dyad::storing::within, 8 * 20}, 10000).advances < 40000); // C(23, 3) = 1771, C(24, 4) = 10626
}

TEST_CASE("every k-th state, and those between two, compute each round once more at most") {
    for (const std::size_t rounds : {0U, 1U, 2U, 3U, 10U, 64U, 100U}) {
        for (std::size_t k = 1; k < 110; ++k) {
            CAPTURE(rounds);
            CAPTURE(k);
            const counting_state state = reversed({dyad::storing::every, k}, rounds);
            const std::size_t segments = (rounds + k - 1) / k;
            CHECK(state.slots.size() <= (rounds == 0 ? 0 : segments + std::min(k, rounds) - 1));
            CHECK(state.advances <= 2 * rounds);
        }
        const counting_state state = reversed({dyad::storing::square_root, 0}, rounds);
        CHECK(static_cast<double>(state.slots.size()) < 2 * std::sqrt(static_cast<double>(rounds)) + 1);
        CHECK(state.advances <= 2 * rounds);
    }
}

TEST_CASE("what is stored changes no derivative") {
    check_derivatives<decltype(dyad::store_every<1>)>();
    check_derivatives<decltype(dyad::store_every<4>), true>();
    check_derivatives<decltype(dyad::store_sqrt)>();
    check_derivatives<decltype(dyad::store_within<16>)>(); // one state
    check_derivatives<decltype(dyad::store_within<100>), true>(); // three, with tangents
}

TEST_CASE("at compile time") {
    constexpr auto f = [](auto x, auto y) { return dyad::fori_loop(9, [&](auto, auto s) { return s * s * x + y; }, x * y, dyad::store_within<24>); };
    constexpr auto g = [](auto x, auto y) { return dyad::fori_loop(9, [&](auto, auto s) { return s * s * x + y; }, x * y); };
    static_assert(dyad::grad(f)(0.5, 0.25) == dyad::grad(g)(0.5, 0.25));
    static_assert(dyad::grad(f)(0.5, 0.25) != std::tuple{0.0, 0.0});
}

TEST_CASE("loops within the loop") {
    constexpr auto f = nested<decltype(dyad::store_every<2>)>;
    constexpr auto g = nested<all_values>;
    const auto [dx, dy] = dyad::grad(f)(0.7, 1.1);
    const auto [ex, ey] = dyad::grad(g)(0.7, 1.1);
    CHECK(dx == doctest::Approx(ex).epsilon(1e-13));
    CHECK(dy == doctest::Approx(ey).epsilon(1e-13));
    constexpr double h = 1e-5;
    CHECK(dx == doctest::Approx((f(0.7 + h, 1.1) - f(0.7 - h, 1.1)) / (2 * h)).epsilon(1e-7));
}

TEST_CASE("reverse mode of the reverse mode") {
    static constexpr auto f = single<decltype(dyad::store_every<2>)>;
    static constexpr auto g = single<all_values>;
    constexpr auto once_f = [](auto x, auto y) { return std::get<0>(dyad::grad(f)(x, y)) * std::get<1>(dyad::grad(f)(x, y)); };
    constexpr auto once_g = [](auto x, auto y) { return std::get<0>(dyad::grad(g)(x, y)) * std::get<1>(dyad::grad(g)(x, y)); };
    const auto [value, gradient] = dyad::value_and_grad(once_f)(0.7, 1.1);
    const auto [other, expected] = dyad::value_and_grad(once_g)(0.7, 1.1);
    CHECK(value == doctest::Approx(other).epsilon(1e-13));
    CHECK(std::get<0>(gradient) == doctest::Approx(std::get<0>(expected)).epsilon(1e-12));
    CHECK(std::get<1>(gradient) == doctest::Approx(std::get<1>(expected)).epsilon(1e-12));
}

TEST_CASE("in functions that capture numbers, and on plain ones") {
    const double scale = 1.3;
    const auto f = [=](auto x, auto y) { return dyad::fori_loop(12, [&](auto, auto s) { return sin(s * x) * scale + y; }, x, dyad::store_sqrt); };
    const auto g = [=](auto x, auto y) { return dyad::fori_loop(12, [&](auto, auto s) { return sin(s * x) * scale + y; }, x); };
    const auto [dx, dy] = dyad::grad(f)(0.7, 0.2);
    const auto [ex, ey] = dyad::grad(g)(0.7, 0.2);
    CHECK(dx == doctest::Approx(ex).epsilon(1e-13));
    CHECK(dy == doctest::Approx(ey).epsilon(1e-13));
    CHECK(f(0.7, 0.2) == g(0.7, 0.2));
}
