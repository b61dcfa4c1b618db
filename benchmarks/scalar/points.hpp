// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The points at which a problem is evaluated, the room for its results, and how far two sets of
// results differ.
#pragma once

#include "sweep.hpp"

#include <algorithm>
#include <cstdint>

namespace bench {

template <class Problem>
using arguments = std::array<double, Problem::inputs * stride<Problem>>;

template <class Problem>
using results = std::array<double, (Problem::inputs + 1) * stride<Problem>>;

/// Inputs drawn from the problem's intervals, the same in every run and build.
template <class Problem>
const arguments<Problem>& inputs_of() {
    alignas(64) static const arguments<Problem> values = [] {
        arguments<Problem> drawn;
        std::uint64_t state = 88172645463325252u;
        for (std::size_t k = 0; k < Problem::inputs; ++k)
            for (std::size_t i = 0; i < stride<Problem>; ++i) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                const double unit = static_cast<double>(state >> 11) * 0x1p-53;
                const auto [low, high] = Problem::ranges[k];
                drawn[k * stride<Problem> + i] = low + (high - low) * unit;
            }
        return drawn;
    }();
    return values;
}

/// One buffer for all methods, so that none is favoured by where its results lie.
template <class Problem>
results<Problem>& outputs_of() {
    alignas(64) static results<Problem> values{};
    return values;
}

/// The function itself and its central differences.
template <class Problem>
results<Problem> by_differences(const arguments<Problem>& in) {
    results<Problem> all{};
    for (std::size_t i = 0; i < Problem::points; ++i) {
        std::array<double, Problem::inputs> x;
        for (std::size_t k = 0; k < Problem::inputs; ++k) x[k] = in[k * stride<Problem> + i];
        const auto value = [&] {
            if constexpr (Problem::one_argument)
                return Problem::function(x);
            else
                return std::apply(Problem::function, x);
        };
        all[i] = value();
        for (std::size_t k = 0; k < Problem::inputs; ++k) {
            const double at = x[k], step = 1e-5;
            x[k] = at + step;
            const double above = value();
            x[k] = at - step;
            all[(k + 1) * stride<Problem> + i] = (above - value()) / (2 * step);
            x[k] = at;
        }
    }
    return all;
}

/// The largest difference of two sets of results, each relative to the numbers or to their column's
/// mean.
template <class Problem>
double difference(const results<Problem>& a, const results<Problem>& b) {
    double worst = 0;
    for (std::size_t k = 0; k <= Problem::inputs; ++k) {
        const std::size_t first = k * stride<Problem>, last = first + Problem::points;
        double mean = 0;
        for (std::size_t i = first; i < last; ++i)
            mean += std::abs(a[i]) / static_cast<double>(Problem::points);
        for (std::size_t i = first; i < last; ++i) {
            const double error =
                std::abs(a[i] - b[i]) / std::max({std::abs(a[i]), std::abs(b[i]), mean});
            worst = error <= worst ? worst : error; // a NaN is worse than any number
        }
    }
    return worst;
}

} // namespace bench
