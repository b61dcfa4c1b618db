// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Products of matrices on a device: by cuBLAS where that takes them, else as a loop of sums.
#pragma once

#include <dyad/device/blas.hpp>
#include <dyad/device/movement.hpp>

namespace dyad::device {

/// How the product of matrices is cut. Neighbouring threads go along the inner axis where the right factor does.
template <class Y, class R>
geometry cut_of_product(const Y& y, const R& to) {
    return cut(to.count(), y.size[1], y.stride[1] == 1 || to.size[0] < 32);
}
template <class T, class R, class X, class Y>
void multiply(const R& to, T* partial, const X& x, const Y& y) {
    if (to.count() == 0) return;
#if DYAD_DEVICE_CUDA && defined(DYAD_CUBLAS)
    if constexpr (has_blas<T, R, X, Y>) {
        const gemm_layout g = layout_of_product(to, x, y);
        if (g.fits && g.rows > 1 && g.columns > 1) return multiply_by_blas<T>(g, to, x, y); // (else it is read once, as any sum)
    }
#endif
    constexpr unsigned rank = R::rank + 1;
    loop_arguments<T, rank, 2, 1, 1> a{};
    set_geometry(a, cut_of_product(y, to), partial);
    a.kept = R::rank;
    a.in[0] = x.data;
    a.in[1] = y.data;
    a.out[0] = to.data;
    for (unsigned k = 0; k < R::rank; ++k) {
        const unsigned axis = R::rank - 1 - k;
        a.size[k] = to.size[axis];
        a.in_step[0][k] = axis != 0 && axis < X::rank && x.size[axis] != 1 ? x.stride[axis] : 0;
        a.in_step[1][k] = axis != 1 && axis < Y::rank && y.size[axis] != 1 ? y.stride[axis] : 0;
    }
    a.size[R::rank] = y.size[1];
    a.in_step[0][R::rank] = x.stride[0];
    a.in_step[1][R::rank] = y.stride[1];
    run_and_finish(words_of<single_operation<opcode::mul>>(), parts_of(walking_over(x.data), walking_over(y.data)), parts_of(accumulated_at<keeping::sum>(to.data)), a);
}
/// Room for how many sums `multiply` needs at most for `count` elements, each a sum of `length` products.
inline std::size_t sums_of_product(std::size_t count, std::size_t length) {
    const std::size_t along = cut(count, length, true).chunks, across = cut(count, length, false).chunks;
    return count * (along > across ? along : across);
}

} // namespace dyad::device
