// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Reversible layers over arrays: the gradients of the plain formula, and what they keep and compute, counted.

#include "counted.hpp"
#include "differences.hpp"

#include <doctest/doctest.h>

using namespace differences;
using counted::bytes_of;

namespace {

using matrix = xt::xtensor<double, 2>;

/// Layers on two halves of a batch: reversible, or the same formula.
template <bool Reversible>
inline constexpr auto network = [](auto A, auto B, auto x1, auto x2) {
    const auto last = dyad::scan(
        [](auto s, auto weights) {
            const auto f = [&](auto x) { return tanh(dyad::matmul(x, std::get<0>(weights))); };
            const auto g = [&](auto x) { return tanh(dyad::matmul(x, std::get<1>(weights))); };
            if constexpr (Reversible) {
                return std::pair{dyad::reversible(f, g)(s), std::tuple<>{}};
            } else {
                const auto [p, q] = s;
                const auto y1 = p + f(q);
                return std::pair{std::tuple{y1, q + g(y1)}, std::tuple<>{}};
            }
        },
        std::tuple{x1, x2}, std::tuple{A, B}).first;
    const auto [y1, y2] = last;
    return dyad::mean(y1 * y1) + dyad::mean(y1 * y2);
};

} // namespace

TEST_CASE("reversible layers keep no activations, and compute each layer once more") {
    constexpr std::size_t batch = 1024, width = 16, half = batch * width * sizeof(double);
    const auto weights = [](std::size_t depth, unsigned from) { return xt::xtensor<double, 3>(0.2 * numbers<double, 3>({depth, width, width}, from)); };
    const matrix x1 = numbers<double, 2>({batch, width}), x2 = numbers<double, 2>({batch, width}, 2);
    const auto A = weights(9, 1), B = weights(9, 3);
    const int before = counted::products;
    const auto [value, gradient] = dyad::value_and_grad<0, 1, 2, 3>(network<true>)(A, B, x1, x2);
    const int between = counted::products;
    const auto [other, expected] = dyad::value_and_grad<0, 1, 2, 3>(network<false>)(A, B, x1, x2);
    const int after = counted::products;
    CHECK(value == doctest::Approx(other).epsilon(1e-14));
    CHECK(apart(std::get<0>(gradient), std::get<0>(expected)) < 1e-12);
    CHECK(apart(std::get<1>(gradient), std::get<1>(expected)) < 1e-12);
    CHECK(apart(std::get<2>(gradient), std::get<2>(expected)) < 1e-12);
    CHECK(apart(std::get<3>(gradient), std::get<3>(expected)) < 1e-12);
    CHECK(after - between == 9 * 2 * 3);
    CHECK(between - before == 9 * 2 * 4);

    const auto needs = [&](auto f, std::size_t depth) {
        const auto a = weights(depth, 1), b = weights(depth, 3);
        return bytes_of([&] { CHECK(std::isfinite(dyad::value_and_grad<0, 1>(f)(a, b, x1, x2).first)); });
    };
    const std::size_t gradients = 64 * 2 * width * width * sizeof(double); // of all weights: these are results
    CHECK(needs(network<false>, 64) > 64 * 2 * half);
    CHECK(needs(network<true>, 64) <= needs(network<true>, 4) + 3 * gradients);
    CHECK(needs(network<true>, 64) < 3 * (gradients + 12 * half));
}
