// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The operations that are no loops of a plan, as loops of their own: products of matrices, and what only moves elements.
#pragma once

#include <dyad/array/routines.hpp>
#include <dyad/device/blas.hpp>
#include <dyad/device/routines.hpp>
#include <dyad/device/staged.hpp>
#include <dyad/graph/builder.hpp>

namespace dyad::device {

constexpr bool runs_on_device(opcode op) {
    switch (op) {
    case opcode::matmul:
    case opcode::reshape:
    case opcode::reshape_like:
    case opcode::concat:
    case opcode::pad:
    case opcode::unslice:
    case opcode::unwindow:
    case opcode::undiagonal:
    case opcode::eye_like:
    case opcode::outer_like: return true;
    default: return is_device_routine(op);
    }
}

/// A program of one node: `Op` of its inputs, an input itself (opcode::input), or a constant of bits `Value`.
template <opcode Op, std::uint64_t Value = 0>
struct single_operation {
    struct make {
        constexpr dyad::graph operator()() const {
            builder b;
            if (Op == opcode::input) return b.finish(list<node_index>{b.input(0, element::float64)});
            if (Op == opcode::constant) return b.finish(list<node_index>{b.constant(exact(__builtin_bit_cast(double, Value)))});
            const node_index x = b.input(0, element::float64), y = b.input(1, element::float64);
            return b.finish(list<node_index>{b.emit(Op, x, y)});
        }
    };
    static constexpr const auto& graph = frozen<make, 4, 1>::value;
};

/// x to where `to` is; the shapes are equal, or x stretches.
template <class T, class X, class R>
void copy(const X& x, const R& to) {
    if (to.count() == 0) return;
    constexpr unsigned rank = R::rank == 0 ? 1 : R::rank;
    loop_arguments<T, rank, 1, 1, 1> a{};
    set_geometry(a, cut(to.count(), 1, false), static_cast<T*>(nullptr));
    a.kept = rank;
    a.in[0] = x.data;
    a.out[0] = to.data;
    a.size[0] = 1;
    for (unsigned k = 0; k < R::rank; ++k) { // first axis first
        const unsigned axis = R::rank - 1 - k;
        a.size[k] = to.size[axis];
        a.out_step[0][k] = to.stride[axis];
        a.in_step[0][k] = axis < X::rank && x.size[axis] != 1 ? x.stride[axis] : 0;
    }
    run_loop(words_of<single_operation<opcode::input>>(), parts_of(walking_over(x.data)), parts_of(stored_at(to.data)), a);
}
/// x to where `to` is, summed along the axes that have size 1 there.
template <class T, class X, class R>
void copy_or_sum(const X& x, const R& to) {
    static_assert(X::rank == R::rank && R::rank > 0);
    constexpr unsigned rank = R::rank;
    loop_arguments<T, rank, 1, 1, 1> a{};
    std::size_t length = 1;
    unsigned next = 0;
    for (unsigned pass = 0; pass < 2; ++pass) {
        for (unsigned axis = rank; axis-- > 0;) {
            const bool reduced = to.size[axis] == 1 && x.size[axis] != 1;
            if (reduced != (pass == 1)) continue;
            a.size[next] = reduced ? x.size[axis] : to.size[axis];
            a.in_step[0][next++] = x.size[axis] != 1 ? x.stride[axis] : 0;
            if (reduced) length *= x.size[axis];
        }
        if (pass == 0) a.kept = next;
    }
    if (a.kept == rank) return copy<T>(x, to);
    a.in[0] = x.data;
    a.out[0] = to.data;
    const geometry g = cut(to.count(), length, x.size[0] != 1 && to.size[0] == 1);
    const buffer partial(g.outputs * g.chunks * sizeof(T));
    set_geometry(a, g, static_cast<T*>(partial.data()));
    run_and_finish(words_of<single_operation<opcode::input>>(), parts_of(walking_over(x.data)), parts_of(accumulated_at<keeping::sum>(to.data)), a);
}

/// The same number, of bits `Value` as a double, at `count` places, `step` apart.
template <class T, std::uint64_t Value = 0, class E>
void fill(E* to, std::size_t count, std::size_t step = 1) {
    if (count == 0) return;
    loop_arguments<T, 1, 0, 1, 1> a{};
    set_geometry(a, cut(count, 1, false), static_cast<T*>(nullptr));
    a.kept = 1;
    a.out[0] = to;
    a.size[0] = count;
    a.out_step[0][0] = static_cast<std::ptrdiff_t>(step);
    run_loop(words_of<single_operation<opcode::constant, Value>>(), parts_of(), parts_of(stored_at(to)), a);
}

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

/// x with the sizes of `like`, but for one axis.
template <class X, class R>
auto stretched(const X& x, const R& like, unsigned axis) {
    array_reference<typename X::element_type, R::rank> r{x.data, {}, {}};
    for (unsigned k = 0; k < R::rank; ++k) {
        r.size[k] = k == axis ? (k < X::rank ? x.size[k] : 1) : like.size[k];
        r.stride[k] = k < X::rank && x.size[k] != 1 ? x.stride[k] : 0;
    }
    return r;
}
template <class T, class X, class R>
void copy_part(const X& x, const R& to, unsigned axis, std::ptrdiff_t start, std::ptrdiff_t step) {
    const auto from = stretched(x, to, axis);
    copy<T>(from, routine::part(to, axis, start, step, from.size[axis]));
}

/// Computes operation `Op` into `to`; `partial` has room for sums.
template <opcode Op, class T, class R, class... X>
void call(std::uint64_t bits, const R& to, T* partial, const X&... operands) {
    [[maybe_unused]] const unsigned axis = axis_of(bits);
    [[maybe_unused]] const auto all = std::tie(operands...);
    if constexpr (Op == opcode::matmul) {
        multiply<T>(to, partial, operands...);
    } else if constexpr (Op == opcode::reshape || Op == opcode::reshape_like) {
        const auto& x = std::get<0>(all);
        if (x.count() != to.count())
            throw shape_error("[dyad] reshape: " + std::to_string(x.count()) + " elements do not fill a shape of " + std::to_string(to.count()));
        array_reference<typename R::element_type, std::remove_cvref_t<decltype(x)>::rank> flat{to.data, {}, {}};
        for (unsigned k = 0; k < flat.rank; ++k) flat.size[k] = x.size[k];
        flat.set_row_major();
        copy<T>(x, flat);
    } else if constexpr (Op == opcode::concat) {
        const auto& [x, y] = all;
        const std::size_t before = stretched(x, to, axis).size[axis];
        copy_part<T>(x, to, axis, 0, 1);
        copy_part<T>(y, to, axis, static_cast<std::ptrdiff_t>(before), 1);
    } else if constexpr (Op == opcode::pad || Op == opcode::unslice || Op == opcode::unwindow) {
        fill<T>(to.data, to.count());
        const auto& x = std::get<0>(all);
        if constexpr (Op == opcode::pad) copy_part<T>(x, to, axis, decode_slice(bits).start, 1);
        if constexpr (Op == opcode::unslice) {
            const slice_range s = decode_slice(bits);
            copy_part<T>(x, to, axis, routine::resolve(s, to.size[axis]).start, s.step);
        }
        if constexpr (Op == opcode::unwindow) {
            const std::size_t start = (bits & 16) != 0 ? to.size[axis] - stretched(x, to, axis).size[axis] : 0;
            copy_part<T>(x, to, axis, static_cast<std::ptrdiff_t>(start), 1);
        }
    } else if constexpr (Op == opcode::undiagonal) {
        fill<T>(to.data, to.count());
        const auto& x = std::get<0>(all);
        array_reference<typename R::element_type, R::rank - 1> line{to.data, {}, {}};
        for (unsigned k = 0; k + 1 < R::rank; ++k) {
            line.size[k] = k == 0 ? x.size[0] : to.size[k + 1];
            line.stride[k] = k == 0 ? to.stride[0] + to.stride[1] : to.stride[k + 1];
        }
        copy<T>(stretched(x, line, 0), line);
    } else if constexpr (Op == opcode::eye_like) {
        fill<T>(to.data, to.count());
        std::size_t n = 1;
        for (unsigned k = 0; k < R::rank / 2; ++k) n *= to.size[k];
        constexpr std::uint64_t one = __builtin_bit_cast(std::uint64_t, 1.0);
        fill<T, one>(to.data, n, n + 1);
    } else if constexpr (is_device_routine(Op)) {
        run_routine<Op, T>(bits, to, operands...);
    }
}

} // namespace dyad::device
