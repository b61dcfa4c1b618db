// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Factorisations of stacks of matrices on a device: operands of any layout become columns, cuSOLVER factorises them one by one,
// and once all have succeeded the result goes where it belongs.
#pragma once

#include <dyad/array/failure.hpp>

namespace dyad::device {

constexpr bool is_factorisation(opcode op) { return failing_of_operation(op) == failing::halfway; }

} // namespace dyad::device

#ifdef DYAD_CUSOLVER

#include <dyad/device/routines.hpp>
#include <dyad/device/svd.hpp>

namespace dyad::device {

template <opcode Op, class T, class R, class X>
void eigen(const R& to, const X& x) {
    const std::size_t n = x.size[0], planes = planes_of(x);
    const column_stack<T, X::rank> a(x);
    symmetrise(a);
    const buffer memory(n * planes * sizeof(T));
    T* const values = static_cast<T*>(memory.data());
    solver<T> by(planes);
    const auto others = each_number(a, [&](std::size_t p) { by.eigen(static_cast<std::int64_t>(n), a[p], values + p * n, is(Op, opcode::eigh_vectors)); });
    if (const int info = by.verdict(); info > 0) routine::unconverged("eigh", info);
    if constexpr (is(Op, opcode::eigh_vectors)) {
        copy<T>(a.stack, to);
    } else {
        copy<T>(rows_at(values, to), to);
    }
    fill_nan<T>(to, planes, others);
}
template <opcode Op, class T, class R, class X>
void qr(const R& to, const X& x) {
    const std::size_t m = x.size[1], n = x.size[0], k = m < n ? m : n, planes = planes_of(x);
    const column_stack<T, X::rank> a(x);
    const buffer tau(k * planes * sizeof(T));
    solver<T> by(2 * planes);
    for (std::size_t p = 0; p < planes; ++p) {
        T* const lengths = static_cast<T*>(tau.data()) + p * k;
        by.reflect(static_cast<std::int64_t>(m), static_cast<std::int64_t>(n), a[p], lengths);
        if constexpr (is(Op, opcode::qr_q)) by.reflected(static_cast<std::int64_t>(m), static_cast<std::int64_t>(k), a[p], lengths);
    }
    if constexpr (is(Op, opcode::qr_q)) copy<T>(corner(a.stack, m, k), to);
    if constexpr (is(Op, opcode::qr_r)) run_routine<opcode::triangle, T>(encode_triangle({true, 0}), to, corner(a.stack, k, n));
}
template <class T, class R, class X>
void cholesky(const R& to, const X& x) {
    const std::size_t n = x.size[0], planes = planes_of(x);
    const column_stack<T, X::rank> a(x);
    symmetrise(a);
    solver<T> by(planes);
    for (std::size_t p = 0; p < planes; ++p) by.cholesky(static_cast<std::int64_t>(n), a[p]);
    if (const int info = by.verdict(); info > 0) routine::indefinite(info);
    run_routine<opcode::triangle, T>(encode_triangle({false, 0}), to, a.stack);
}

/// Computes operation `Op` into `to`, which keeps what it holds where this throws.
template <opcode Op, class T, class R, class X, class... Y>
void factorise(const R& to, const X& x, const Y&... y) {
    if (to.count() == 0) return;
    if constexpr (is(Op, opcode::solve)) {
        solve<T>(to, x, y...);
    } else if constexpr (is(Op, opcode::inverse)) {
        inverse<T>(to, x);
    } else if constexpr (is(Op, opcode::cholesky)) {
        cholesky<T>(to, x);
    } else if constexpr (is(Op, opcode::det) || is(Op, opcode::logabsdet)) {
        solver<T> by(planes_of(x));
        determinants(lu_factors<T, X::rank>(by, x), to.data, is(Op, opcode::logabsdet));
    } else if constexpr (is(Op, opcode::cofactors)) {
        cofactors<T>(to, x);
    } else if constexpr (is(Op, opcode::eigh_values) || is(Op, opcode::eigh_vectors)) {
        eigen<Op, T>(to, x);
    } else if constexpr (is(Op, opcode::qr_q) || is(Op, opcode::qr_r)) {
        qr<Op, T>(to, x);
    } else {
        singular_value<Op, T>(to, x);
    }
}

} // namespace dyad::device

#endif
