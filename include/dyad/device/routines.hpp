// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The operations that go along an axis, and windows and triangles, on a device: the routines of array/routines.hpp, a thread for
// each element or each line. Sums are added up in the same order as there.
#pragma once

#include <type_traits>

#include <dyad/device/gather.hpp>
#include <dyad/graph/node.hpp>

namespace dyad::device {

constexpr bool is_device_routine(opcode op) {
    switch (op) {
    case opcode::take:
    case opcode::scatter_add:
    case opcode::recurrence:
    case opcode::shift:
    case opcode::fold:
    case opcode::triangle:
    case opcode::arg_max:
    case opcode::arg_min: return true;
    default: return false;
    }
}

/// yᵢ = bᵢ + cᵢ yᵢ₋₁ along a line.
template <class T, class B, class C, class E, unsigned R>
struct recurrence_work {
    B b;
    C c;
    array_reference<E, R> to;
    unsigned axis;
    bool backwards;
    T edge;

    DYAD_FN void operator()(std::size_t line) const {
        position<R> p;
        std::ptrdiff_t start = 0;
        for (unsigned k = 0; k != R; ++k) {
            if (k == axis) continue;
            p.at[k] = line % to.size[k];
            line /= to.size[k];
            start += static_cast<std::ptrdiff_t>(p.at[k]) * to.stride[k];
        }
        T last = edge;
        for (std::size_t i = 0, n = to.size[axis]; i < n; ++i) {
            p.at[axis] = backwards ? n - 1 - i : i;
            const T own = b(p);
            last = own + (i == 0 && edge == T(0) ? T(0) : c(p) * last);
            to.data[start + static_cast<std::ptrdiff_t>(p.at[axis]) * to.stride[axis]] = static_cast<E>(last);
        }
    }
};
template <class T, class X, class E, unsigned R>
struct shift_work {
    X x;
    array_reference<E, R> to;
    unsigned axis;
    bool backwards;
    T edge;

    DYAD_FN void operator()(std::size_t i) const {
        position<R> p(i, to.size);
        if (p.at[axis] == (backwards ? to.size[axis] - 1 : 0)) {
            to.data[i] = static_cast<E>(edge);
        } else {
            backwards ? ++p.at[axis] : --p.at[axis];
            to.data[i] = static_cast<E>(x(p));
        }
    }
};
/// All elements of windows that came from element i.
template <class T, class X, class E, unsigned R>
struct fold_work {
    X x;
    array_reference<E, R> to;
    std::size_t window[2], places[2], step[2]; ///< by axis: the size of a window, how many there are, and how far apart

    DYAD_FN void operator()(std::size_t i) const {
        const position<R> p(i, to.size);
        position<R + 2> from;
        for (unsigned k = 2; k != R; ++k) from.at[k + 2] = p.at[k];
        T sum(0);
        for (std::size_t above = p.at[1] + 1 < window[1] ? p.at[1] + 1 : window[1]; above-- > 0;) {
            for (std::size_t left = p.at[0] + 1 < window[0] ? p.at[0] + 1 : window[0]; left-- > 0;) {
                from.at[1] = above;
                from.at[0] = left;
                const std::size_t row = p.at[1] - from.at[1], column = p.at[0] - from.at[0];
                if (row % step[1] != 0 || column % step[0] != 0) continue;
                from.at[3] = row / step[1];
                from.at[2] = column / step[0];
                if (from.at[3] < places[1] && from.at[2] < places[0]) sum += x(from);
            }
        }
        to.data[i] = static_cast<E>(sum);
    }
};
template <class X, class E, unsigned R>
struct triangle_work {
    X x;
    array_reference<E, R> to;
    triangle_part part;

    DYAD_FN void operator()(std::size_t i) const {
        const position<R> p(i, to.size);
        to.data[i] = part.has(static_cast<std::ptrdiff_t>(p.at[1]), static_cast<std::ptrdiff_t>(p.at[0])) ? static_cast<E>(x(p)) : E(0);
    }
};
/// The position of the first extremum, counted in row-major order of the axes of a mask; a NaN comes before all.
template <class T, class X, class E, unsigned R>
struct extremum_work {
    X x;
    E* to;
    std::size_t size[R + 1], length;
    unsigned axes;
    bool largest;

    DYAD_FN void operator()(std::size_t i) const {
        position<R> p;
        std::size_t rest = i, best_at = 0;
        for (unsigned k = 0; k != R; ++k) {
            if ((axes >> k & 1) != 0) continue;
            p.at[k] = rest % size[k];
            rest /= size[k];
        }
        T best(0);
        for (std::size_t n = 0; n < length; ++n) {
            rest = n;
            for (unsigned k = 0; k != R; ++k) {
                if ((axes >> k & 1) == 0) continue;
                p.at[k] = rest % size[k];
                rest /= size[k];
            }
            const T now = x(p);
            if (n == 0 || (best == best && (now != now || (largest ? best < now : now < best)))) best = now, best_at = n;
        }
        to[i] = static_cast<E>(static_cast<T>(best_at));
    }
};

/// Computes operation `Op` into `to`; operands are arrays of the device or numbers of the host.
template <opcode Op, class T, class E, unsigned R, class... X>
void run_routine(std::uint64_t bits, const array_reference<E, R>& to, const X&... operands) {
    const unsigned axis = axis_of(bits);
    const bool backwards = (bits & 16) != 0;
    const T edge = (bits & 32) != 0 ? T(1) : T(0);
    const auto all = std::tie(operands...);
    const auto& x = std::get<0>(all);
    const auto run = [&](std::size_t count, const auto& work) { run_each(facts(Op).name, sizeof...(X), count, work); };
    if constexpr (is(Op, opcode::take)) {
        gather<T>(to, axis, operands...);
    } else if constexpr (is(Op, opcode::scatter_add)) {
        scatter<T>(to, axis, operands...);
    } else if constexpr (is(Op, opcode::recurrence)) {
        const auto b = stretched_to_rank<T, R>(x);
        const auto c = stretched_to_rank<T, R>(std::get<1>(all));
        const std::size_t lines = to.count() == 0 ? 0 : to.count() / to.size[axis];
        run(lines, recurrence_work<T, decltype(b), decltype(c), E, R>{b, c, to, axis, backwards, edge});
    } else if constexpr (is(Op, opcode::shift)) {
        const auto from = stretched_to_rank<T, R>(x);
        run(to.count(), shift_work<T, decltype(from), E, R>{from, to, axis, backwards, edge});
    } else if constexpr (is(Op, opcode::fold)) {
        const window_steps s = decode_steps(bits);
        const auto from = stretched_to_rank<T, R + 2>(x);
        run(to.count(), fold_work<T, decltype(from), E, R>{from, to, {x.size[0], x.size[1]}, {x.size[2], x.size[3]}, {s.last, s.before}});
    } else if constexpr (is(Op, opcode::triangle)) {
        const auto from = stretched_to_rank<T, R>(x);
        run(to.count(), triangle_work<decltype(from), E, R>{from, to, decode_triangle(bits)});
    } else {
        constexpr unsigned rank = std::remove_cvref_t<decltype(x)>::rank;
        const auto from = stretched_to_rank<T, rank>(x);
        extremum_work<T, decltype(from), E, rank> work{from, to.data, {}, 1, axes_of(bits), is(Op, opcode::arg_max)};
        for (unsigned k = 0; k != rank; ++k) {
            work.size[k] = x.size[k];
            if ((work.axes >> k & 1) != 0) work.length *= x.size[k];
        }
        if (work.length == 0) refuse_empty(work.largest ? "argmax" : "argmin", shape_of_sizes(rank, x.size), work.axes);
        run(to.count(), work);
    }
}

} // namespace dyad::device
