// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Rosenbrock's function of ten variables in one std::array argument: no library calls, only the
// chain of overlapping squares, so every superfluous multiplication or copy of the differentiated
// code shows.
#pragma once

#include "../problem.hpp"

namespace bench {

struct rosenbrock {
    static constexpr const char* name = "rosenbrock10";
    static constexpr std::size_t inputs = 10;
    static constexpr std::size_t points = 256;
    static constexpr bool one_argument = true;
    static constexpr auto ranges = [] {
        std::array<interval, inputs> all{};
        all.fill({-2.0, 2.0});
        return all;
    }();

    static constexpr auto function = [](auto x) {
        auto square = [](auto a) { return a * a; };
        auto sum = 100 * square(x[1] - x[0] * x[0]) + square(1 - x[0]);
        for (std::size_t i = 1; i + 1 < x.size(); ++i)
            sum = sum + 100 * square(x[i + 1] - x[i] * x[i]) + square(1 - x[i]);
        return sum;
    };

    template <class T>
    [[gnu::always_inline]] static gradient_of<T, inputs> hand(const std::array<T, inputs>& x) {
        gradient_of<T, inputs> result;
        T valleys(0.0), offsets(0.0), carried(0.0);
#pragma GCC unroll 9
        for (std::size_t i = 0; i + 1 < inputs; ++i) {
            const T valley = x[i + 1] - x[i] * x[i];
            const T slope = 200.0 * valley;
            const T offset = 1.0 - x[i];
            valleys = valleys + valley * valley;
            offsets = offsets + offset * offset;
            result.second[i] = carried - 2.0 * (x[i] * slope + offset);
            carried = slope;
        }
        result.second[inputs - 1] = carried;
        result.first = 100.0 * valleys + offsets;
        return result;
    }
};

} // namespace bench
