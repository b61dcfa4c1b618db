// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Loops over arrays that store few of their states for the backward pass: the same derivatives, the memory that was promised,
// counted in bytes, and the rounds that are computed again, counted where the library computes products.

#include "counted.hpp"
#include "differences.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace differences;
using counted::bytes_of, counted::products_of;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

template <class Stored>
inline constexpr auto recurrence = [](auto W, auto x, auto n) {
    const auto last = dyad::fori_loop(n, [&](auto i, auto s) { return tanh(dyad::matmul(W, s)) + x / (i + 1); }, x, Stored{});
    return dyad::sum(last * last);
};
template <class Stored>
inline constexpr auto outputs = [](auto W, auto s, auto xs) {
    const auto [last, ys] = dyad::scan(
        [&](auto now, auto x) {
            const auto next = tanh(dyad::matmul(W, now) + exp(-x));
            return std::pair{next, dyad::sum(next * x)};
        },
        s, xs, Stored{});
    return dyad::sum(last) + dyad::sum(ys * ys);
};
/// Long states, whose adjoint needs them all.
template <class Stored>
inline constexpr auto diffusion = [](auto u, auto k, auto n) {
    const auto last = dyad::fori_loop(n, [&](auto, auto s) { return s + k * dyad::sin(s); }, u, Stored{});
    return dyad::sum(last * last);
};
using all_values = decltype(dyad::store_values);
using fourth = decltype(dyad::store_every<4>);
using square_root = decltype(dyad::store_sqrt);
using three_states = decltype(dyad::store_within<3 * 40 * 40 * sizeof(double)>);

} // namespace

TEST_CASE("what is stored of a loop over arrays changes no derivative") {
    const matrix W = 0.1 * numbers<double, 2>({40, 40}), x = numbers<double, 2>({40, 40}, 2);
    for (const int n : {0, 1, 2, 11}) {
        CAPTURE(n);
        const auto [value, expected] = dyad::value_and_grad<0, 1>(recurrence<all_values>)(W, x, n);
        const auto check = [&, v = value, e = expected](const auto& result) {
            CHECK(result.first == doctest::Approx(v).epsilon(1e-14));
            CHECK(apart(std::get<0>(result.second), std::get<0>(e)) < 1e-13);
            CHECK(apart(std::get<1>(result.second), std::get<1>(e)) < 1e-13);
        };
        check(dyad::value_and_grad<0, 1>(recurrence<square_root>)(W, x, n));
        check(dyad::value_and_grad<0, 1>(recurrence<three_states>)(W, x, n));
    }
}
TEST_CASE("scans keep their results whatever they store") {
    const matrix W = 0.2 * numbers<double, 2>({5, 5}), xs = numbers<double, 2>({9, 5}, 2);
    const vector s = numbers<double, 1>({5}, 3);
    const auto [value, expected] = dyad::value_and_grad<0, 1, 2>(outputs<all_values>)(W, s, xs);
    const auto [other, gradient] = dyad::value_and_grad<0, 1, 2>(outputs<fourth>)(W, s, xs);
    CHECK(other == doctest::Approx(value).epsilon(1e-14));
    CHECK(apart(std::get<0>(gradient), std::get<0>(expected)) < 1e-13);
    CHECK(apart(std::get<1>(gradient), std::get<1>(expected)) < 1e-13);
    CHECK(apart(std::get<2>(gradient), std::get<2>(expected)) < 1e-13);
    const auto product = dyad::hvp(outputs<fourth>)(std::tuple{W, s, xs}, std::tuple{W, s, xs}), full = dyad::hvp(outputs<all_values>)(std::tuple{W, s, xs}, std::tuple{W, s, xs});
    CHECK(apart(std::get<0>(product), std::get<0>(full)) < 1e-12);
    CHECK(apart(std::get<2>(product), std::get<2>(full)) < 1e-12);
}
TEST_CASE("an adjoint that needs no states") {
    constexpr auto f = [](auto x, auto y, auto n) {
        return dyad::sum(dyad::fori_loop(n, [&](auto i, auto s) { return 0.5 * s + y / (i + 1); }, x, dyad::store_sqrt));
    };
    const auto [dx, dy] = dyad::grad<0, 1>(f)(vector{1, 2, 3}, vector{4, 5, 6}, 2); // x / 4 + y / 2 + y / 2
    CHECK(dx == vector{0.25, 0.25, 0.25});
    CHECK(dy == vector{1, 1, 1});
    CHECK(std::get<0>(dyad::grad<0, 1>(f)(vector{1, 2, 3}, vector{4, 5, 6}, 0)) == vector{1, 1, 1});
}
TEST_CASE("the rounds that are computed again are as many as promised") {
    const matrix W = 0.1 * numbers<double, 2>({40, 40}), x = numbers<double, 2>({40, 40}, 2);
    const auto products = [&](auto f, int n) {
        return products_of([&] { CHECK(std::isfinite(dyad::value_and_grad<0, 1>(f)(W, x, n).first)); });
    };
    // A round is one product; its adjoint two more, and one that computes the round again if only its state is there.
    CHECK(products(recurrence<all_values>, 100) == 100 + 200);
    const auto again = [](dyad::stored_steps how) { // as the schedule says, tests/api/stored_steps.test.cpp
        struct counter {
            int advances = 0;
            void store(std::size_t) {}
            void load(std::size_t) {}
            void advance(std::size_t) { ++advances; }
            void take_back(std::size_t) {}
        } state;
        const dyad::reversal schedule(how, 100, 40 * 40 * sizeof(double));
        std::vector<std::size_t> places(schedule.slots());
        schedule.run(state, places.data());
        return state.advances;
    };
    CHECK(again(square_root::value) == 180);
    CHECK(products(recurrence<square_root>, 100) == 100 + again(square_root::value) + 300);
    CHECK(products(recurrence<three_states>, 100) == 100 + again(three_states::value) + 300);
}
TEST_CASE("the memory is as small as promised") {
    constexpr std::size_t length = 1024, state = length * sizeof(double);
    const vector u = numbers<double, 1>({length});
    const auto needs = [&](auto f, int n) {
        return bytes_of([&] { CHECK(std::isfinite(dyad::value_and_grad<0>(f)(u, 0.01, n).first)); });
    };
    CHECK(needs(diffusion<all_values>, 400) > 400 * state);
    constexpr std::size_t working = 8;
    CHECK(needs(diffusion<square_root>, 400) < 3 * (39 + working) * state);
    CHECK(needs(diffusion<square_root>, 100) < 3 * (19 + working) * state);
    CHECK(needs(diffusion<decltype(dyad::store_within<4 * state>)>, 100) < 3 * (4 + working) * state);
    CHECK(needs(diffusion<decltype(dyad::store_within<4 * state>)>, 400) == needs(diffusion<decltype(dyad::store_within<4 * state>)>, 100));
    const auto one_too_few = dyad::grad<0>(diffusion<decltype(dyad::store_within<state - 8>)>);
    CHECK_THROWS_WITH_AS(one_too_few(u, 0.01, 3), doctest::Contains("8184 bytes hold no state of the loop, which takes 8192"), dyad::value_error);
}
TEST_CASE("the states of a loop over numbers, too") {
    constexpr auto f = [](auto stored) {
        return [](auto x, auto y, auto n) {
            return dyad::fori_loop(n, [&](auto, auto s) { return s + 0.001 * dyad::sin(s * x) * y; }, x, decltype(stored){});
        };
    };
    const auto needs = [&](auto g) { return bytes_of([&] { CHECK(std::isfinite(dyad::value_and_grad<0, 1>(g)(1.1, 0.3, 10000).first)); }); };
    CHECK(needs(f(dyad::store_values)) >= 10000 * sizeof(double));
    CHECK(needs(f(dyad::store_sqrt)) <= 4096 + 8192 + 128); // 199 states and their places
    CHECK(needs(f(dyad::store_within<160>)) <= 4096 + 64);
}
