// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// log(x y) + sin(x y) exp(z / (1 + x x)): three library functions that all reappear in the
// gradient. Sharing: sin with cos, and the reciprocal of 1 + x x. What can be done before the calls
// is done before them: little lives across a call, and the divisions overlap it.
#pragma once

#include "../problem.hpp"

namespace bench {

struct log_sin_exp {
    static constexpr const char* name = "log_sin_exp";
    static constexpr std::size_t inputs = 3;
    static constexpr std::size_t points = 1000;
    static constexpr bool one_argument = false;
    static constexpr std::array<interval, inputs> ranges{{{0.5, 2.0}, {0.5, 2.0}, {-1.0, 1.0}}};

    static constexpr auto function = [](auto x, auto y, auto z) {
        using dyad::log, dyad::sin, dyad::exp;
        return log(x * y) + sin(x * y) * exp(z / (1 + x * x));
    };

    template <class T>
    [[gnu::always_inline]] static gradient_of<T, inputs> hand(const std::array<T, inputs>& x) {
        const T product = x[0] * x[1];
        const T inverse_spread = 1.0 / (1.0 + x[0] * x[0]);
        const T exponent = x[2] * inverse_spread;
        const T logarithm = log(product);
        const auto [sine, cosine] = sincos(product);
        const T power = exp(exponent);
        const T wave = sine * power;
        const T by_product = 1.0 / product + cosine * power;
        return {logarithm + wave,
                {x[1] * by_product - 2.0 * (x[0] * (exponent * inverse_spread * wave)),
                 x[0] * by_product, wave * inverse_spread}};
    }
};

} // namespace bench
