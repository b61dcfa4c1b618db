// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Price of a European call and its five first-order Greeks. The hand code is the textbook's: it
// knows that S phi(d1) equals K exp(-r T) phi(d2), so that the terms through d1 and d2 cancel and
// one density is enough. No differentiation of the formula can see that; hand_adjoint is the best
// code without it (one more exp).
#pragma once

#include "../problem.hpp"
#include <numbers>

namespace bench {

struct black_scholes {
    static constexpr const char* name = "black_scholes";
    static constexpr std::size_t inputs = 5;
    static constexpr std::size_t points = 256;
    static constexpr bool one_argument = false;
    static constexpr std::array<interval, inputs> ranges{
        {{80.0, 120.0}, {80.0, 120.0}, {0.01, 0.06}, {0.1, 0.4}, {0.25, 2.0}}};

    static constexpr double root_half = std::numbers::sqrt2 / 2;
    static constexpr double density_at_zero = std::numbers::inv_sqrtpi * root_half;

    static constexpr auto function = [](auto spot, auto strike, auto rate, auto volatility,
                                        auto expiry) {
        using dyad::log, dyad::sqrt, dyad::exp, dyad::erf;
        auto normal = [](auto d) { return 0.5 * (1 + erf(d * root_half)); };
        const auto deviation = volatility * sqrt(expiry);
        const auto d1 =
            (log(spot / strike) + (rate + volatility * volatility / 2) * expiry) / deviation;
        return spot * normal(d1) - strike * exp(-rate * expiry) * normal(d1 - deviation);
    };

    template <class T>
    [[gnu::always_inline]] static gradient_of<T, inputs> hand(const std::array<T, inputs>& x) {
        const auto [spot, strike, rate, volatility, expiry] = x;
        const T moneyness = log(spot / strike);
        const T growth = rate * expiry;
        const T discount = exp(-growth);
        const T root = sqrt(expiry);
        const T deviation = volatility * root;
        const T inverse_deviation = 1.0 / deviation;
        const T d1 = (moneyness + growth) * inverse_deviation + 0.5 * deviation;
        const T density = density_at_zero * exp(-0.5 * d1 * d1);
        const T n2 = 0.5 + 0.5 * erf((d1 - deviation) * root_half);
        const T n1 = 0.5 + 0.5 * erf(d1 * root_half);
        const T discounted = discount * n2;
        const T bond = strike * discounted;
        const T weight = spot * density;
        return {spot * n1 - bond,
                {n1, -discounted, expiry * bond, weight * root,
                 0.5 * (weight * volatility) * (volatility * inverse_deviation) + rate * bond}};
    }

    template <class T>
    [[gnu::always_inline]] static gradient_of<T, inputs>
    hand_adjoint(const std::array<T, inputs>& x) {
        const auto [spot, strike, rate, volatility, expiry] = x;
        const T inverse_strike = 1.0 / strike;
        const T moneyness = log(spot * inverse_strike);
        const T growth = rate * expiry;
        const T discount = exp(-growth);
        const T root = sqrt(expiry);
        const T deviation = volatility * root;
        const T inverse_deviation = 1.0 / deviation;
        const T d1 = (moneyness + growth) * inverse_deviation + 0.5 * deviation;
        const T d2 = d1 - deviation;
        const T weight1 = spot * density_at_zero * exp(-0.5 * d1 * d1);
        const T weight2 = strike * discount * density_at_zero * exp(-0.5 * d2 * d2);
        const T n2 = 0.5 + 0.5 * erf(d2 * root_half);
        const T n1 = 0.5 + 0.5 * erf(d1 * root_half);
        const T discounted = discount * n2;
        const T bond = strike * discounted;
        const T by_d1 = (weight1 - weight2) * inverse_deviation;
        const T by_deviation = weight2 - by_d1 * d2;
        const T by_growth = by_d1 + bond;
        return {spot * n1 - bond,
                {n1 + by_d1 / spot, -(discounted + by_d1 * inverse_strike), expiry * by_growth,
                 by_deviation * root,
                 0.5 * by_deviation * volatility * (volatility * inverse_deviation) +
                     rate * by_growth}};
    }
};

} // namespace bench
