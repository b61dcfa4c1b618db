// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// From a node of a plan to the routine that computes it.
#pragma once

#include <utility>

#include <dyad/array/contiguous.hpp>
#include <dyad/array/convolve.hpp>
#include <dyad/array/factors.hpp>
#include <dyad/array/pools.hpp>
#include <dyad/graph/node.hpp>

namespace dyad {

/// x with as many axes and elements as `like`: missing axes and those of size 1 stretch.
template <class X, class Y>
auto stretched_to(const X& x, const Y& like) {
    array_reference<typename X::element_type, Y::rank> r{x.data, {}, {}};
    for (unsigned k = 0; k < Y::rank; ++k) {
        r.size[k] = like.size[k];
        r.stride[k] = k < X::rank && x.size[k] != 1 ? x.stride[k] : 0;
    }
    return r;
}

template <class T, class X, class Y, class R>
void multiply(const X& x, const Y& y, const R& result, workspace::frame& frame) {
    if constexpr (!std::is_same_v<std::remove_const_t<typename X::element_type>, T>) {
        multiply<T>(contiguous_array<T>(x, frame), y, result, frame);
    } else if constexpr (!std::is_same_v<std::remove_const_t<typename Y::element_type>, T>) {
        multiply<T>(x, contiguous_array<T>(y, frame), result, frame);
    } else {
        if (result.count() == 0) return;
        if constexpr (X::rank == 3 && Y::rank == 2) { // all rows of a stack, one below the other, by one matrix
            const bool single = x.size[1] == 1, stacked = single || x.stride[2] == static_cast<std::ptrdiff_t>(x.size[1]) * x.stride[1];
            const routine::matrix<const T> rows{x.data, x.size[2] * x.size[1], x.size[0], x.stride[single ? 2 : 1], x.stride[0]};
            if (stacked && std::in_range<int>(rows.rows)) return routine::product<T>(rows, plane_of(y, result, 0), result.data);
        }
        if constexpr (X::rank == 2 && Y::rank == 3) { // one matrix by many columns, which are the rows of the result
            const routine::matrix<const T> columns{y.data, y.size[2], y.size[1], y.stride[2], y.stride[1]};
            if (result.size[0] == 1 && y.size[2] > 1 && std::in_range<int>(columns.rows)) return routine::product<T>(columns, plane_of(x, result, 0).transposed(), result.data);
        }
        const std::size_t each = result.size[0] * result.size[1];
        for (std::size_t p = 0, planes = planes_of(result); p < planes; ++p)
            routine::product<T>(plane_of(x, result, p), plane_of(y, result, p), result.data + p * each);
    }
}

/// An operand as an array: a number has no axes.
template <class X>
auto as_array(const X& x) {
    if constexpr (referenced<X>) {
        return x;
    } else {
        return array_reference<const X, 0>{&x, {}, {}};
    }
}
template <class X>
void as_array(const X&& x) = delete;

/// x with the sizes of `like`, but for one axis.
template <class X, class Y>
auto stretched_part(const X& x, Y like, unsigned axis) {
    like.size[axis] = x.size[axis];
    return stretched_to(x, like);
}

/// The zeros around a part of the result that is there already.
template <class X, class R>
void fill_around(std::uint64_t bits, const X& part, const R& result) {
    using T = typename R::element_type;
    const unsigned axis = axis_of(bits);
    std::size_t above = 1, below = 1;
    routine::around(result, axis, above, below);
    const std::size_t size = result.size[axis], count = part.size[axis];
    const auto start = static_cast<std::size_t>(routine::resolve(decode_slice(bits), size).start);
    for (std::size_t a = 0; a < above; ++a) {
        T* const row = result.data + a * size * below;
        std::fill(row, row + start * below, T(0));
        std::fill(row + (start + count) * below, row + size * below, T(0));
    }
}

template <class T, class A, class B, class R>
void solve_each(std::uint64_t known, const A& a, const B& b, const R& result) {
    routine::copy(stretched_to(b, result), result);
    const std::size_t n = a.size[0], m = result.size[0];
    for (std::size_t p = 0, planes = n * m == 0 ? 0 : planes_of(result); p < planes; ++p) {
        if constexpr (std::is_same_v<std::remove_const_t<typename A::element_type>, T>) {
            const auto plane = plane_of(a, result, p);
            const auto leads = [n](std::ptrdiff_t one, std::ptrdiff_t other) { return one == 1 && other >= static_cast<std::ptrdiff_t>(n); };
            const bool readable = leads(plane.column_stride, plane.row_stride) || leads(plane.row_stride, plane.column_stride);
            if (known != 0 && readable) {
                routine::solve_triangle<T>(known == lower_triangular, plane, m, result.data + p * n * m);
                continue;
            }
        }
        workspace::frame frame;
        const factors<T> f = factorised<opcode::solve, T>(block_of<2>(a, result, p), false, frame);
        routine::solve(n, m, f.first, f.pivots, f.info, false, result.data + p * n * m);
    }
}

/// One factor of each matrix of a stack, or what is made of it.
template <opcode Op, class T, class A, class R>
void factorise_each(const A& a, const R& result) {
    const std::size_t m = a.size[1], n = a.size[0], each = m * n;
    std::size_t stride = 1; // of one matrix in the result
    for (unsigned axis = 0; axis < R::rank && axis + A::rank - R::rank < 2; ++axis) stride *= result.size[axis];
    if constexpr (R::rank + 2 == A::rank) stride = 1;
    for (std::size_t p = 0, planes = planes_of(a); p < planes; ++p) {
        workspace::frame frame;
        const auto x = block_of<2>(a, a, p);
        T* const y = result.data + p * stride;
        if constexpr (is(Op, opcode::cholesky)) {
            T* const work = overwritable<T>(x, frame);
            routine::cholesky(n, work);
            std::copy_n(work, each, y);
        } else if constexpr (is(Op, opcode::cofactors)) {
            routine::cofactors(n, overwritable<T>(x, frame), y, frame.template take<T>(2 * (each + n)));
        } else {
            take_from<Op>(factorised<Op, T>(x, false, frame), m, n, y);
        }
    }
}
/// The operation `Op` of a matrix in its factors, or of its transpose.
template <opcode Op, class T, class Operand, class R>
void call_with_factors(const factors<T>& f, std::size_t rows, std::size_t columns, bool transposed, const Operand& operand, const R& result) {
    if constexpr (is(Op, opcode::solve)) {
        routine::copy(stretched_to(operand.template operator()<1>(), result), result);
        const std::size_t m = result.size[0], each = rows * m;
        for (std::size_t p = 0, planes = each == 0 ? 0 : planes_of(result); p < planes; ++p)
            routine::solve(rows, m, f.first, f.pivots, f.info, transposed, result.data + p * each);
    } else {
        take_from<Op>(f, rows, columns, result.data);
    }
}

/// A convolution, or one of its cotangents, of each block of four axes.
template <opcode Op, class T, class X, class Y, class R>
void convolve_each(std::uint64_t bits, const X& x, const Y& y, const R& result, workspace::frame& frame) {
    const routine::convolution c = routine::convolution_of<Op>(x, y, result, decode_convolution(bits));
    if (result.count() == 0) return;
    const auto a = contiguous_array<T>(x, frame);
    const auto b = contiguous_array<T>(y, frame);
    T* const work = frame.template take<T>(routine::convolution_work(c));
    for (std::size_t p = 0, planes = planes_of<4>(result); p < planes; ++p) {
        const T *const left = block_of<4>(a, result, p).data, *const right = block_of<4>(b, result, p).data;
        T* const to = block_of<4>(result, result, p).data;
        if constexpr (is(Op, opcode::conv2d)) routine::convolve(c, left, right, to, work);
        if constexpr (is(Op, opcode::conv2d_images)) routine::convolve_images(c, left, right, to, work);
        if constexpr (is(Op, opcode::conv2d_kernels)) routine::convolve_kernels(c, left, right, to, work);
    }
}

/// A pool, its tangent or its cotangent, of each image.
template <opcode Op, class T, class Operand, class R>
void pool_each(std::uint64_t bits, const Operand& operand, const R& result, workspace::frame& frame) {
    const pool_window w = decode_pool(bits);
    if (result.count() == 0) return;
    const auto x = contiguous_array<T>(operand.template operator()<0>(), frame);
    const auto each = [&](const auto& image, const auto& pooled, const auto& f) {
        const routine::pool_sizes s = routine::pool_sizes_of(image, pooled);
        for (std::size_t p = 0, planes = planes_of(result); p < planes; ++p) f(s, p, block_of<2>(x, result, p).data, block_of<2>(result, result, p).data);
    };
    if constexpr (is(Op, opcode::pool)) {
        each(x, result, [&](const auto& s, std::size_t, const T* from, T* to) { routine::pool(s, w, from, to); });
    } else {
        if (is(Op, opcode::pool_cotangent) && !w.largest) {
            each(result, x, [&](const auto& s, std::size_t, const T* g, T* to) { routine::pool_cotangent<T>(s, w, g, nullptr, nullptr, to, nullptr); });
            return;
        }
        const auto elements = contiguous_array<T>(operand.template operator()<1>(), frame);
        const auto largest = contiguous_array<T>(operand.template operator()<2>(), frame);
        T* const share = frame.template take<T>(largest.size[0]);
        each(elements, largest, [&](const auto& s, std::size_t p, const T* from, T* to) {
            const T *const own = block_of<2>(elements, result, p).data, *const best = block_of<2>(largest, result, p).data;
            if constexpr (is(Op, opcode::pool_tangent)) routine::pool_tangent(s, w, from, own, best, to, share);
            if constexpr (is(Op, opcode::pool_cotangent)) routine::pool_cotangent(s, w, from, own, best, to, share);
        });
    }
}

/// Computes the operation `Op`: `operand.template operator()<K>()` is operand K, an array_reference or a number.
template <opcode Op, class Operand, class R>
void call(std::uint64_t bits, const Operand& operand, const R& result) {
    using T = typename R::element_type;
    [[maybe_unused]] const unsigned axis = axis_of(bits);
    [[maybe_unused]] const auto operand_0 = [&] { return operand.template operator()<0>(); };
    [[maybe_unused]] const auto operand_1 = [&] { return operand.template operator()<1>(); };
    workspace::frame frame;
    if constexpr (is(Op, opcode::matmul)) {
        multiply<T>(operand_0(), operand_1(), result, frame);
    } else if constexpr (is(Op, opcode::reshape) || is(Op, opcode::reshape_like)) {
        const auto x = operand_0();
        if (x.count() != result.count())
            throw shape_error("[dyad] reshape: one shape has " + std::to_string(x.count()) + " elements and the other " + std::to_string(result.count()));
        array_reference<T, std::remove_cvref_t<decltype(x)>::rank> flat{result.data, {}, {}};
        for (unsigned k = 0; k < flat.rank; ++k) flat.size[k] = x.size[k];
        flat.set_row_major();
        routine::copy(x, flat);
    } else if constexpr (is(Op, opcode::unslice)) {
        const slice_range s = decode_slice(bits);
        const auto x = operand_0();
        const auto stretched = stretched_part(x, result, axis);
        routine::unslice(stretched, result, axis, routine::resolve(s, result.size[axis]).start, s.step);
    } else if constexpr (is(Op, opcode::pad)) {
        routine::unslice(operand_0(), result, axis, decode_slice(bits).start, 1);
    } else if constexpr (is(Op, opcode::unwindow)) {
        const auto x = stretched_part(operand_0(), result, axis);
        const std::size_t start = (bits & 16) != 0 ? result.size[axis] - x.size[axis] : 0;
        routine::unslice(x, result, axis, static_cast<std::ptrdiff_t>(start), 1);
    } else if constexpr (is(Op, opcode::concat)) {
        const auto x = stretched_part(operand_0(), result, axis);
        const auto y = stretched_part(operand_1(), result, axis);
        routine::copy(x, routine::part(result, axis, 0, 1, x.size[axis]));
        routine::copy(y, routine::part(result, axis, static_cast<std::ptrdiff_t>(x.size[axis]), 1, y.size[axis]));
    } else if constexpr (is(Op, opcode::take)) {
        const auto x = operand_0();
        const auto position = operand_1();
        const auto indices = as_array(position);
        std::size_t above = 1, below = 1;
        routine::around(x, axis, above, below);
        using index = std::remove_const_t<typename std::remove_cvref_t<decltype(indices)>::element_type>;
        const index* const positions = contiguous<index>(indices, frame);
        if (indices.count() < x.size[axis] && !x.is_contiguous()) { // a row in each round of a loop: not all of them laid out anew
            routine::take_parts(x, axis, positions, indices.count(), result.data);
        } else {
            routine::take(contiguous<T>(x, frame), positions, indices.count(), result.data, above, x.size[axis], below);
        }
    } else if constexpr (is(Op, opcode::scatter_add)) {
        const auto x = operand_0();
        const auto position = operand_1();
        const auto indices = as_array(position);
        using index = std::remove_const_t<typename std::remove_cvref_t<decltype(indices)>::element_type>;
        const index* const positions = contiguous<index>(indices, frame);
        std::size_t above = 1, below = 1;
        routine::around(result, axis, above, below);
        routine::check_indices(positions, indices.count(), result.size[axis], (bits & gradient_of_take) != 0 ? "take" : "scatter_add"); // before anything is written
        routine::copy(stretched_to(x, result), result);
        const auto v = operand.template operator()<2>();
        array_reference<const T, R::rank - 1 + std::remove_cvref_t<decltype(indices)>::rank> like{nullptr, {}, {}};
        for (unsigned k = 0; k < like.rank; ++k) {
            if (k >= axis && k < axis + indices.rank) {
                like.size[k] = indices.size[k - axis];
            } else if constexpr (R::rank > 1) { // (else g++ 12 warns of sizes that there are not)
                like.size[k] = result.size[k < axis ? k : k - indices.rank + 1];
            }
        }
        const T* const added = contiguous<T>(stretched_to(as_array(v), like), frame);
        routine::scatter_add(added, positions, indices.count(), result.data, above, result.size[axis], below);
    } else if constexpr (is(Op, opcode::recurrence)) {
        const auto c = operand_1();
        routine::recurrence(stretched_to(operand_0(), result), stretched_to(as_array(c), result), result, axis, (bits & 16) != 0, T((bits & 32) != 0 ? 1 : 0));
    } else if constexpr (is(Op, opcode::fold)) {
        const auto x = operand_0();
        array_reference<typename std::remove_cvref_t<decltype(x)>::element_type, R::rank + 2> all{x.data, {}, {}};
        for (unsigned k = 0; k < all.rank; ++k) { // missing axes in front stretch
            all.size[k] = k < x.rank ? x.size[k] : result.size[k - 2];
            all.stride[k] = k < x.rank ? x.stride[k] : 0;
        }
        routine::fold(all, result, decode_steps(bits));
    } else if constexpr (is(Op, opcode::shift)) {
        routine::shift(operand_0(), result, axis, (bits & 16) != 0, T((bits & 32) != 0 ? 1 : 0));
    } else if constexpr (is(Op, opcode::arg_max) || is(Op, opcode::arg_min)) {
        routine::arg_extremum(operand_0(), result.data, axes_of(bits), is(Op, opcode::arg_max));
    } else if constexpr (is(Op, opcode::triangle)) {
        routine::triangle(operand_0(), result, decode_triangle(bits));
    } else if constexpr (is(Op, opcode::undiagonal)) {
        std::fill_n(result.data, result.count(), T(0));
        const auto x = operand_0();
        array_reference<T, R::rank - 1> line{result.data, {}, {}};
        for (unsigned k = 0; k + 1 < R::rank; ++k) {
            line.size[k] = k == 0 ? x.size[0] : result.size[k + 1];
            line.stride[k] = k == 0 ? result.stride[0] + result.stride[1] : result.stride[k + 1];
        }
        routine::copy(stretched_to(x, line), line);
    } else if constexpr (is(Op, opcode::eye_like)) {
        std::fill_n(result.data, result.count(), T(0));
        std::size_t n = 1;
        for (unsigned k = 0; k < R::rank / 2; ++k) n *= result.size[k];
        for (std::size_t i = 0; i < n; ++i) result.data[i * n + i] = T(1);
    } else if constexpr (is(Op, opcode::outer_like)) {
        // only its shape is asked for
    } else if constexpr (is_convolution(Op)) {
        convolve_each<Op, T>(bits, operand_0(), operand_1(), result, frame);
    } else if constexpr (is_pool(Op)) {
        pool_each<Op, T>(bits, operand, result, frame);
    } else if constexpr (is(Op, opcode::solve)) {
        solve_each<T>(bits, operand_0(), operand_1(), result);
    } else {
        factorise_each<Op, T>(operand_0(), result);
    }
}

} // namespace dyad
