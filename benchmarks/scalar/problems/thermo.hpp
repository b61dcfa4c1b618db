// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Helmholtz energy of a van der Waals gas, A(T, V, n): its partial derivatives are minus the
// entropy, minus the pressure and the chemical potential. A formula as equation-of-state codes call
// it in a loop. Sharing: one reciprocal serves 1/V and 1/(V - n b); the logarithm has its own
// quotient, ready sooner.
#pragma once

#include "../problem.hpp"

namespace bench {

struct thermo {
    static constexpr const char* name = "thermo";
    static constexpr std::size_t inputs = 3;
    static constexpr std::size_t points = 256;
    static constexpr bool one_argument = false;
    static constexpr std::array<interval, inputs> ranges{{{1.5, 4.0}, {2.0, 6.0}, {0.5, 2.0}}};

    static constexpr double gas_constant = 8.314462618;
    static constexpr double attraction = 1.37;
    static constexpr double covolume = 0.387;

    static constexpr auto function = [](auto t, auto v, auto n) {
        using dyad::log, dyad::sqrt;
        const auto free_volume = v - n * covolume;
        return n * gas_constant * t * (log(n / (free_volume * t * sqrt(t))) - 1) -
               attraction * n * n / v;
    };

    template <class T>
    [[gnu::always_inline]] static gradient_of<T, inputs> hand(const std::array<T, inputs>& x) {
        const auto [t, v, n] = x;
        const T free_volume = v - n * covolume;
        const T thermal = t * sqrt(t);
        const T reciprocal = 1.0 / (free_volume * v);
        const T inverse_volume = free_volume * reciprocal;
        const T inverse_free = v * reciprocal;
        const T ratio = n / (free_volume * thermal);
        const T logarithm = log(ratio);
        const T rt = gas_constant * t;
        const T nr = gas_constant * n;
        const T less = logarithm - 1.0;
        const T pull = attraction * n * inverse_volume;
        const T push = n * rt * inverse_free;
        return {n * (rt * less - pull),
                {nr * (logarithm - 2.5), pull * n * inverse_volume - push,
                 rt * logarithm + covolume * push - (pull + pull)}};
    }
};

} // namespace bench
