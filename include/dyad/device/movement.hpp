// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Elements from one place of a device to another, as loops of one operation: copies, sums of what was stretched, one number
// everywhere, and parts of an array.
#pragma once

#include <utility>

#include <dyad/array/routines.hpp>
#include <dyad/device/staged.hpp>
#include <dyad/graph/builder.hpp>

namespace dyad::device {

/// A program of one node: `Op` of its inputs, an input itself (opcode::input), or a constant of bits `Value`.
template <opcode Op, std::uint64_t Value = 0>
struct single_operation {
    struct make {
        constexpr dyad::graph operator()() const {
            builder b;
            if (is(Op, opcode::input)) return b.finish(list<node_index>{b.input(0, element::float64)});
            if (is(Op, opcode::constant)) return b.finish(list<node_index>{b.constant(exact(__builtin_bit_cast(double, Value)))});
            const node_index x = b.input(0, element::float64), y = b.input(1, element::float64);
            return b.finish(list<node_index>{b.emit(Op, x, y)});
        }
    };
    static constexpr const auto& graph = frozen<make, 4, 1>::value;
};

/// The space of a loop that stores one element at each place of `to`: its first axis first.
template <class T, std::size_t In, class R>
auto loop_over(const R& to) {
    constexpr unsigned rank = R::rank == 0 ? 1 : R::rank;
    loop_arguments<T, rank, In, 1, 1> a{};
    set_geometry(a, cut(to.count(), 1, false), static_cast<T*>(nullptr));
    a.kept = rank;
    a.out[0] = to.data;
    a.size[0] = 1;
    for (unsigned k = 0; k < R::rank; ++k) {
        a.size[k] = to.size[R::rank - 1 - k];
        a.out_step[0][k] = to.stride[R::rank - 1 - k];
    }
    return a;
}
/// Elements at `data`, row after row, with the axes of `like`.
template <class T, class X>
auto rows_at(T* data, const X& like) {
    array_reference<T, X::rank> r{data, {}, {}};
    for (unsigned k = 0; k < X::rank; ++k) r.size[k] = like.size[k];
    r.set_row_major();
    return r;
}
/// With the last two axes exchanged.
template <class X>
X transposed(X x) {
    std::swap(x.size[0], x.size[1]);
    std::swap(x.stride[0], x.stride[1]);
    return x;
}
/// x to where `to` is; the shapes are equal, or x stretches.
template <class T, class X, class R>
void copy(const X& x, const R& to) {
    if (to.count() == 0) return;
    auto a = loop_over<T, 1>(to);
    a.in[0] = x.data;
    for (unsigned k = 0; k < R::rank; ++k) {
        const unsigned axis = R::rank - 1 - k;
        a.in_step[0][k] = axis < X::rank && x.size[axis] != 1 ? x.stride[axis] : 0;
    }
    run_loop(words_of<single_operation<opcode::input>>(), parts_of(walking_over(x.data)), parts_of(stored_at(to.data)), a);
}
/// x to where `to` is, summed along the axes that have size 1 there.
template <class T, class X, class R>
void copy_or_sum(const X& x, const R& to) {
    static_assert(X::rank == R::rank && R::rank > 0);
    if (to.count() == 0) return;
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

/// The same number, of bits `Value` as a double, everywhere in `to`.
template <class T, std::uint64_t Value = 0, class R>
void fill(const R& to) {
    if (to.count() == 0) return;
    const auto a = loop_over<T, 0>(to);
    run_loop(words_of<single_operation<opcode::constant, Value>>(), parts_of(), parts_of(stored_at(to.data)), a);
}
/// Zeros before and behind the `count` elements from `start` on, along one axis.
template <class T, class R>
void fill_around(const R& to, unsigned axis, std::ptrdiff_t start, std::size_t count) {
    const auto before = static_cast<std::size_t>(start), end = before + count;
    fill<T>(routine::part(to, axis, 0, 1, before));
    fill<T>(routine::part(to, axis, static_cast<std::ptrdiff_t>(end), 1, to.size[axis] - end));
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

} // namespace dyad::device
