// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Random numbers for made data: the same from a seed on every machine. The standard fixes the
// engine but leaves its distributions to the library, so these are written out here.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace data_files {

class generator {
public:
    explicit generator(std::uint64_t seed) : engine_(seed) {}

    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

    /// Standard normal, by Box and Muller.
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

    /// A whole number below `bound`.
    std::size_t below(std::size_t bound) {
        return static_cast<std::size_t>(uniform() * static_cast<double>(bound));
    }

    /// Puts the elements into random order.
    template <class T>
    void shuffle(std::vector<T>& of) {
        for (std::size_t i = of.size(); i > 1; --i) std::swap(of[i - 1], of[below(i)]);
    }

private:
    std::mt19937_64 engine_;
};

} // namespace data_files
