// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A factorised matrix, and what the operations on it take from that.
#pragma once

#include <dyad/array/contiguous.hpp>
#include <dyad/array/linear_algebra.hpp>
#include <dyad/pass/shared_factors.hpp>

namespace dyad {

/// lu: `first` has both, by rows, with `pivots` and LAPACK's `info`; eigen: the vectors, the values; singular_values: u, s, v; orthogonal:
/// q, r. What has no memory was not asked for.
template <class T>
struct factors {
    T *first = nullptr, *second = nullptr, *third = nullptr;
    int* pivots = nullptr;
    int info = 0;
};

/// The factors of a in memory of `frame`: those that `Op` takes, or all.
template <opcode Op, class T, class A>
factors<T> factorised(const A& a, bool all, workspace::frame& frame) {
    constexpr factoring to = factoring_of({.op = Op});
    const std::size_t m = a.size[1], n = a.size[0], k = m < n ? m : n;
    factors<T> f;
    T* const x = overwritable<T>(a, frame);
    if constexpr (to == factoring::lu) {
        f.first = x;
        f.pivots = frame.take<int>(n);
        f.info = n == 0 ? 0 : routine::lu(static_cast<int>(n), x, f.pivots);
        if (routine::met_nan(f.info)) routine::fill_nan(x, n * n);
    } else if constexpr (to == factoring::eigen) {
        f.first = x;
        f.second = frame.take<T>(n);
        routine::eigh(n, f.first, f.second);
    } else if constexpr (to == factoring::singular_values) {
        f.first = frame.take<T>(m, k), f.second = frame.take<T>(k), f.third = frame.take<T>(k, n);
        routine::svd(m, n, x, f.first, f.second, f.third);
    } else {
        if (all || is(Op, opcode::qr_q)) f.first = frame.take<T>(m, k);
        if (all || is(Op, opcode::qr_r)) f.second = frame.take<T>(k, n);
        routine::qr(m, n, x, f.first, f.second);
    }
    return f;
}

/// What operation `Op` of a matrix of m rows and n columns gives.
template <opcode Op, class T>
void take_from(const factors<T>& f, std::size_t m, std::size_t n, T* result) {
    const std::size_t k = m < n ? m : n;
    if constexpr (is(Op, opcode::det) || is(Op, opcode::logabsdet)) *result = routine::determinant(n, f.first, f.pivots, is(Op, opcode::logabsdet));
    if constexpr (is(Op, opcode::inverse)) routine::inverse(n, f.first, f.pivots, f.info, result);
    if constexpr (is(Op, opcode::eigh_vectors)) std::copy_n(f.first, n * n, result);
    if constexpr (is(Op, opcode::eigh_values)) std::copy_n(f.second, n, result);
    if constexpr (is(Op, opcode::svd_u) || is(Op, opcode::qr_q)) std::copy_n(f.first, m * k, result);
    if constexpr (is(Op, opcode::svd_s)) std::copy_n(f.second, k, result);
    if constexpr (is(Op, opcode::qr_r)) std::copy_n(f.second, k * n, result);
    if constexpr (is(Op, opcode::svd_v)) std::copy_n(f.third, k * n, result);
}

} // namespace dyad
