// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Loops over arrays that store few of their states for the backward pass: the same derivatives, the memory that was promised,
// counted in bytes, and the rounds that are computed again, counted where the library computes products.

#include "counted.hpp"
#include "differences.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
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
/// Value and gradient of outputs by hand, one after another, at W, s and xs, one after another.
template <class T>
std::vector<T> plain_outputs(const std::vector<T>& at, std::size_t n, std::size_t rounds) {
    const T *W = at.data(), *xs = W + n * n + n;
    std::vector<std::vector<T>> s{std::vector<T>(W + n * n, xs)};
    std::vector<T> result(1 + at.size()), ys(rounds), up(n, T(1));
    for (std::size_t k = 0; k < rounds; ++k) {
        std::vector<T> next(n);
        for (std::size_t i = 0; i < n; ++i) {
            T inside = std::exp(-xs[k * n + i]);
            for (std::size_t j = 0; j < n; ++j) inside += W[i * n + j] * s[k][j];
            next[i] = std::tanh(inside);
            ys[k] += next[i] * xs[k * n + i];
        }
        s.push_back(next);
        result[0] += ys[k] * ys[k];
    }
    for (const T e : s[rounds]) result[0] += e;
    T *by_W = &result[1], *by_s = by_W + n * n, *by_xs = by_s + n;
    for (std::size_t k = rounds; k-- > 0;) {
        std::vector<T> down(n);
        for (std::size_t i = 0; i < n; ++i) {
            const T x = xs[k * n + i], y = s[k + 1][i], inside = (up[i] + 2.0 * ys[k] * x) * (1.0 - y * y);
            by_xs[k * n + i] = 2.0 * ys[k] * y - std::exp(-x) * inside;
            for (std::size_t j = 0; j < n; ++j) {
                by_W[i * n + j] += inside * s[k][j];
                down[j] += inside * W[i * n + j];
            }
        }
        up = down;
    }
    std::copy(up.begin(), up.end(), by_s);
    return result;
}
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
    std::vector<double> at(W.begin(), W.end());
    at.insert(at.end(), s.begin(), s.end());
    at.insert(at.end(), xs.begin(), xs.end());
    std::vector<std::complex<double>> along(at.size()); // the gradient's slope along all of them is an imaginary part
    for (std::size_t i = 0; i < at.size(); ++i) along[i] = {at[i], 1e-20 * at[i]};
    const auto expected = plain_outputs(at, 5, 9);
    const auto expected_slopes = plain_outputs(along, 5, 9);
    std::size_t i = 1;
    const auto wanted = [&](const auto& like, const auto& element) {
        auto all = like;
        for (std::size_t k = 0; k < like.size(); ++k) all.data()[k] = element(i++);
        return all;
    };
    const auto check = [&](const auto& parts, const auto& element, double off) {
        i = 1;
        CHECK(apart(std::get<0>(parts), wanted(W, element)) < off);
        CHECK(apart(std::get<1>(parts), wanted(s, element)) < off);
        CHECK(apart(std::get<2>(parts), wanted(xs, element)) < off);
    };
    const auto [value, gradient] = dyad::value_and_grad<0, 1, 2>(outputs<fourth>)(W, s, xs);
    CHECK(value == doctest::Approx(expected[0]).epsilon(1e-14));
    check(gradient, [&](std::size_t k) { return expected[k]; }, 1e-13);
    check(dyad::hvp(outputs<fourth>)(std::tuple{W, s, xs}, std::tuple{W, s, xs}), [&](std::size_t k) { return 1e20 * expected_slopes[k].imag(); }, 1e-12);
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
    constexpr std::size_t length = 1024, state = length * sizeof(double), matrix_state = 40 * 40 * sizeof(double), working = 8;
    const vector u = numbers<double, 1>({length});
    const auto needs = [&](int n) {
        return bytes_of([&] { CHECK(std::isfinite(dyad::value_and_grad<0>(diffusion<square_root>)(u, 0.01, n).first)); });
    };
    CHECK(needs(400) < 3 * (39 + working) * state);
    CHECK(needs(100) < 3 * (19 + working) * state);
    const matrix W = 0.1 * numbers<double, 2>({40, 40}), x = numbers<double, 2>({40, 40}, 2);
    const auto of_matrices = [&](auto f, int n) {
        return bytes_of([&] { CHECK(std::isfinite(dyad::value_and_grad<0, 1>(f)(W, x, n).first)); });
    };
    CHECK(of_matrices(recurrence<all_values>, 400) > 400 * matrix_state);
    CHECK(of_matrices(recurrence<three_states>, 100) < 3 * (3 + working) * matrix_state);
    CHECK(of_matrices(recurrence<three_states>, 400) == of_matrices(recurrence<three_states>, 100));
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
