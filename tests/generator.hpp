// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Random numbers (splitmix64), the same in every run and on every machine, also in constant evaluation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dyad_test {

class generator {
public:
    constexpr explicit generator(std::uint64_t seed) : state_(seed) { state_ = bits(); }
    constexpr std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
        z = (z ^ z >> 27) * 0x94d049bb133111ebU;
        return z ^ z >> 31;
    }
    constexpr std::size_t below(std::size_t n) { return bits() % n; }
    constexpr double between(double low, double high) {
        return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
    }

private:
    std::uint64_t state_;
};

} // namespace dyad_test
