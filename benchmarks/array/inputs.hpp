// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What the problems need of xtensor, wherever its version keeps that; arrays of numbers drawn from an interval, the same
// in every run.
#pragma once

#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xtensor.hpp>
#include <xtensor/core/xmath.hpp>
#include <xtensor/core/xnoalias.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif

#include <cstddef>
#include <cstdint>

namespace bench {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

inline void fill(double* p, std::size_t n, double low, double high, std::uint64_t seed) {
    std::uint64_t state = seed * 0x9e3779b97f4a7c15U + 1;
    for (std::size_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        p[i] = low + (high - low) * (static_cast<double>(state >> 11) * 0x1p-53);
    }
}
inline vector drawn(std::size_t n, double low, double high, std::uint64_t seed = 1) {
    vector x = vector::from_shape({n});
    fill(x.data(), n, low, high, seed);
    return x;
}
inline matrix drawn_matrix(std::size_t n, std::size_t m, double low, double high, std::uint64_t seed = 1) {
    matrix x = matrix::from_shape({n, m});
    fill(x.data(), n * m, low, high, seed);
    return x;
}
inline vector room(std::size_t n) {
    vector x = vector::from_shape({n});
    x.fill(0);
    return x;
}
inline matrix room_for_matrix(std::size_t n, std::size_t m) {
    matrix x = matrix::from_shape({n, m});
    x.fill(0);
    return x;
}

} // namespace bench
