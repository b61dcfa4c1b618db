// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The operations that are no loops of a plan: products of matrices, what only moves elements, and routines.
#pragma once

#include <dyad/device/convolution.hpp>
#include <dyad/device/factorisations.hpp>
#include <dyad/device/host_routines.hpp>
#include <dyad/device/pools.hpp>
#include <dyad/device/products.hpp>

namespace dyad::device {

#ifdef DYAD_CUSOLVER
inline constexpr bool can_factorise = true;
#else
inline constexpr bool can_factorise = DYAD_DEVICE_LAPACK;
#endif

constexpr bool runs_on_device(opcode op) {
    switch (op) {
    case opcode::matmul:
    case opcode::conv2d:
    case opcode::conv2d_images:
    case opcode::conv2d_kernels:
    case opcode::pool:
    case opcode::pool_tangent:
    case opcode::pool_cotangent:
    case opcode::reshape:
    case opcode::reshape_like:
    case opcode::concat:
    case opcode::pad:
    case opcode::unslice:
    case opcode::unwindow:
    case opcode::undiagonal:
    case opcode::eye_like:
    case opcode::outer_like: return true;
    default: return is_device_routine(op) || (is_factorisation(op) && can_factorise);
    }
}

/// Computes operation `Op` into `to`; `partial` has room for sums.
template <opcode Op, class T, class R, class... X>
void call(std::uint64_t bits, const R& to, T* partial, const X&... operands) {
    [[maybe_unused]] const unsigned axis = axis_of(bits);
    [[maybe_unused]] const auto all = std::tie(operands...);
    const auto check = [](const auto& x) {
        if constexpr (requires { x.size[0]; }) {
            if (x.count() != 0) check_memory(x.data);
        }
    };
    (check(operands), ..., check(to));
    if constexpr (is(Op, opcode::matmul)) {
        multiply<T>(to, partial, operands...);
    } else if constexpr (is_convolution(Op)) {
        convolve<Op, T>(decode_convolution(bits), to, operands...);
    } else if constexpr (is_pool(Op)) {
        run_pool<Op, T>(decode_pool(bits), to, operands...);
    } else if constexpr (is(Op, opcode::reshape) || is(Op, opcode::reshape_like)) {
        const auto& x = std::get<0>(all);
        if (x.count() != to.count())
            throw shape_error("[dyad] reshape: one shape has " + std::to_string(x.count()) + " elements and the other " + std::to_string(to.count()));
        copy<T>(x, rows_at(to.data, x));
    } else if constexpr (is(Op, opcode::concat)) {
        const auto& [x, y] = all;
        const std::size_t before = stretched(x, to, axis).size[axis];
        copy_part<T>(x, to, axis, 0, 1);
        copy_part<T>(y, to, axis, static_cast<std::ptrdiff_t>(before), 1);
    } else if constexpr (is(Op, opcode::pad) || is(Op, opcode::unslice) || is(Op, opcode::unwindow)) {
        fill<T>(to);
        const auto& x = std::get<0>(all);
        if constexpr (is(Op, opcode::pad)) copy_part<T>(x, to, axis, decode_slice(bits).start, 1);
        if constexpr (is(Op, opcode::unslice)) {
            const slice_range s = decode_slice(bits);
            copy_part<T>(x, to, axis, routine::resolve(s, to.size[axis]).start, s.step);
        }
        if constexpr (is(Op, opcode::unwindow)) {
            const std::size_t start = (bits & 16) != 0 ? to.size[axis] - stretched(x, to, axis).size[axis] : 0;
            copy_part<T>(x, to, axis, static_cast<std::ptrdiff_t>(start), 1);
        }
    } else if constexpr (is(Op, opcode::undiagonal)) {
        fill<T>(to);
        const auto& x = std::get<0>(all);
        array_reference<typename R::element_type, R::rank - 1> line{to.data, {}, {}};
        for (unsigned k = 0; k + 1 < R::rank; ++k) {
            line.size[k] = k == 0 ? x.size[0] : to.size[k + 1];
            line.stride[k] = k == 0 ? to.stride[0] + to.stride[1] : to.stride[k + 1];
        }
        copy<T>(stretched(x, line, 0), line);
    } else if constexpr (is(Op, opcode::eye_like)) {
        fill<T>(to);
        std::size_t n = 1;
        for (unsigned k = 0; k < R::rank / 2; ++k) n *= to.size[k];
        constexpr std::uint64_t one = __builtin_bit_cast(std::uint64_t, 1.0);
        fill<T, one>(array_reference<typename R::element_type, 1>{to.data, {n}, {static_cast<std::ptrdiff_t>(n + 1)}});
    } else if constexpr (is_device_routine(Op)) {
        run_routine<Op, T>(bits, to, operands...);
    } else {
#ifdef DYAD_CUSOLVER
        factorise<Op, T>(to, operands...);
#else
        call_on_host<Op, T>(bits, to, operands...);
#endif
    }
}

} // namespace dyad::device
