// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Jacobians and Hessians that are many times as large as their functions compile within the compilers' own limits, and are
// right: closed forms, differences.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

constexpr auto rosenbrock = [](auto x) {
    auto sum = 0 * x[0];
    for (std::size_t i = 0; i + 1 < x.size(); ++i) sum = sum + 100 * square(x[i + 1] - x[i] * x[i]) + square(1 - x[i]);
    return sum;
};

TEST_CASE("the Hessian of sixty variables") {
    constexpr std::size_t n = 60;
    std::array<double, n> x{};
    for (std::size_t i = 0; i < n; ++i) x[i] = std::cos(static_cast<double>(i));
    const auto h = dyad::hessian(rosenbrock)(x);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            CAPTURE(i);
            CAPTURE(j);
            double wanted = 0;
            if (i == j) wanted = (i + 1 < n ? 1200 * x[i] * x[i] - 400 * x[i + 1] + 2 : 0) + (i > 0 ? 200 : 0);
            if (i + 1 == j || j + 1 == i) wanted = -400 * x[i < j ? i : j];
            CHECK(h[i][j] == doctest::Approx(wanted).epsilon(1e-13));
        }
    }
}

TEST_CASE("the Jacobian of a hundred functions of a hundred variables, in float") {
    constexpr std::size_t n = 100;
    constexpr auto f = [](auto x) {
        auto y = x;
        for (std::size_t i = 0; i < n; ++i) y[i] = sin(x[i]) * x[(i + 1) % n] - square(x[i]) / (2 + x[(i + 2) % n]);
        return y;
    };
    std::array<float, n> x{};
    for (std::size_t i = 0; i < n; ++i) x[i] = 0.01F * static_cast<float>(i);
    const auto j = dyad::jacobian(f)(x);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(j[0][0])>, float>);
    for (std::size_t i = 0; i < n; ++i) {
        const float next = x[(i + 1) % n], divisor = 2 + x[(i + 2) % n];
        for (std::size_t k = 0; k < n; ++k) {
            float wanted = 0;
            if (k == i) wanted = std::cos(x[i]) * next - 2 * x[i] / divisor;
            if (k == (i + 1) % n) wanted = std::sin(x[i]);
            if (k == (i + 2) % n) wanted = x[i] * x[i] / (divisor * divisor);
            CHECK(j[i][k] == doctest::Approx(wanted).epsilon(1e-5));
        }
    }
}

/// Runge and Kutta's fourth-order rounds of a predator and its prey that is sated: sixty operations a round.
constexpr auto population = [](auto a, auto b, auto c, auto d) {
    using T = decltype(a * b * c * d);
    const auto slope = [&](auto x, auto y) { return std::pair<T, T>{a * x - b * x * y / (1 + 0.1 * x), -c * y + d * x * y / (1 + 0.1 * x)}; };
    const auto round = [&](auto, auto state) {
        auto [x, y] = state;
        const double h = 0.02;
        auto [x1, y1] = slope(x, y);
        auto [x2, y2] = slope(x + h / 2 * x1, y + h / 2 * y1);
        auto [x3, y3] = slope(x + h / 2 * x2, y + h / 2 * y2);
        auto [x4, y4] = slope(x + h * x3, y + h * y3);
        return std::pair<T, T>{x + h / 6 * (x1 + 2 * x2 + 2 * x3 + x4), y + h / 6 * (y1 + 2 * y2 + 2 * y3 + y4)};
    };
    auto [x, y] = dyad::fori_loop(50, round, std::pair<T, T>{T(1.0), T(1.5)});
    return x * x + y * y;
};

TEST_CASE("the Hessian of a loop with many operations a round") {
    const std::array<double, 4> at{1.0, 1.1, 1.2, 0.9};
    const auto slopes = [](const std::array<double, 4>& p) { return std::apply(dyad::grad(population), p); };
    const auto h = std::apply(dyad::hessian(population), at);
    const auto columns = [&]<std::size_t... J>(std::index_sequence<J...>) {
        const auto column = [&](std::size_t j) {
            std::array<double, 4> up = at, down = at;
            up[j] += 1e-5;
            down[j] -= 1e-5;
            const auto [u0, u1, u2, u3] = slopes(up);
            const auto [d0, d1, d2, d3] = slopes(down);
            return std::array{(u0 - d0) / 2e-5, (u1 - d1) / 2e-5, (u2 - d2) / 2e-5, (u3 - d3) / 2e-5};
        };
        return std::array{column(J)...};
    }(std::make_index_sequence<4>{});
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
            CHECK(h[i][j] == h[j][i]);
            CHECK(h[i][j] == doctest::Approx(columns[j][i]).epsilon(1e-7));
        }
    }
}

} // namespace
