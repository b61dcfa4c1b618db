// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The operations that gather, scatter and go along an axis, on a device: the routines of array/routines.hpp, a thread for each
// element or each line. Sums are added up in the same order as there.
#pragma once

#include <string>
#include <type_traits>

#include <dyad/array/routines.hpp>
#include <dyad/device/buffer.hpp>
#include <dyad/device/each.hpp>
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

/// Where an element stands along each axis, last axis first.
template <unsigned R>
struct position {
    std::size_t at[R + 1] = {};
    position() = default;
    DYAD_FN position(std::size_t element, const std::size_t* size) {
        for (unsigned k = 0; k != R; ++k) {
            at[k] = element % size[k];
            element /= size[k];
        }
    }
};

/// Elements of an array that stretches to the axes of a result, or the same number everywhere.
template <class T, class E, unsigned R>
struct stretched_operand {
    const E* data = nullptr;
    T number = T(0);
    std::ptrdiff_t stride[R + 1] = {};

    DYAD_FN T operator()(const position<R>& p) const {
        if (data == nullptr) return number;
        const E* from = data;
        for (unsigned k = 0; k != R; ++k) from += static_cast<std::ptrdiff_t>(p.at[k]) * stride[k];
        return static_cast<T>(*from);
    }
};
template <class T, unsigned R, class X>
auto stretched_to_rank(const X& x) {
    if constexpr (std::is_same_v<X, T>) {
        stretched_operand<T, T, R> o;
        o.number = x;
        return o;
    } else {
        static_assert(X::rank <= R);
        stretched_operand<T, std::remove_const_t<typename X::element_type>, R> o;
        o.data = x.data;
        for (unsigned k = 0; k != X::rank; ++k) o.stride[k] = x.size[k] == 1 ? 0 : x.stride[k];
        return o;
    }
}

/// Indices as they are counted from the front, by number.
template <class I, unsigned R>
struct index_reader {
    array_reference<I, R> all;
    std::size_t size; ///< of the axis that they count along

    DYAD_FN I given(std::size_t r) const {
        const position<R> p(r, all.size);
        const I* from = all.data;
        for (unsigned k = 0; k != R; ++k) from += static_cast<std::ptrdiff_t>(p.at[k]) * all.stride[k];
        return *from;
    }
    DYAD_FN std::size_t operator()(std::size_t r) const {
        const auto i = static_cast<std::ptrdiff_t>(given(r));
        return static_cast<std::size_t>(i < 0 ? i + static_cast<std::ptrdiff_t>(size) : i);
    }
    struct is_wrong;
};
template <class I, unsigned R>
struct index_reader<I, R>::is_wrong {
    index_reader indices;
    DYAD_FN bool operator()(std::size_t r) const {
        const I index = indices.given(r);
        const auto i = static_cast<std::ptrdiff_t>(index), n = static_cast<std::ptrdiff_t>(indices.size);
        return i < -n || i >= n || static_cast<I>(i) != index;
    }
};
/// Refuses indices outside, with the first of them, before anything is written. Their number comes back to the host.
template <class X>
auto checked_indices(const X& x, std::size_t size, const char* where) {
    using I = typename X::element_type;
    const index_reader<I, X::rank> indices{x, size};
    const std::size_t count = x.count(), wrong = find_first(count, typename index_reader<I, X::rank>::is_wrong{indices});
    if (wrong < count) {
        std::ptrdiff_t before = 0;
        std::size_t rest = wrong;
        for (unsigned k = 0; k != X::rank; ++k) {
            before += static_cast<std::ptrdiff_t>(rest % x.size[k]) * x.stride[k];
            rest /= x.size[k];
        }
        std::remove_const_t<I> value{};
        copy_to_host(&value, x.data + before, sizeof(value));
        static_cast<void>(routine::checked_index(value, size, where)); // says it
    }
    return indices;
}

/// Element i of the result is the element of x at an index along an axis.
template <class T, class X, class Indices, class E, unsigned RX, unsigned RI>
struct take_work {
    static constexpr unsigned rank = RX + RI - 1;
    X x;
    Indices indices;
    array_reference<E, rank> to;
    unsigned axis;

    DYAD_FN void operator()(std::size_t i) const {
        const position<rank> p(i, to.size);
        position<RX> from;
        std::size_t r = 0, step = 1;
        for (unsigned k = 0; k != RI; ++k) {
            r += p.at[axis + k] * step;
            step *= to.size[axis + k];
        }
        for (unsigned k = 0; k != RX; ++k) from.at[k] = k < axis ? p.at[k] : k == axis ? indices(r) : p.at[k + RI - 1];
        to.data[i] = static_cast<E>(x(from));
    }
};
template <class Indices>
struct index_writer {
    Indices indices;
    std::size_t* keys;
    DYAD_FN void operator()(std::size_t r) const { keys[r] = indices(r); }
};
/// Thread (a, s, b): where the sorted index s is the first of its kind, it adds up all of them, in the order that they had.
template <class T, class V, class E, unsigned RV, unsigned R>
struct scatter_work {
    V values;
    array_reference<E, R> to;
    array_reference<E, RV> like; ///< only its sizes
    const std::size_t *keys, *order;
    std::size_t count, below;
    unsigned axis;

    DYAD_FN void operator()(std::size_t i) const {
        const std::size_t b = i % below, s = i / below % count, a = i / below / count, key = keys[s];
        if (s > 0 && keys[s - 1] == key) return;
        E& place = to.data[(a * to.size[axis] + key) * below + b];
        T sum = static_cast<T>(place);
        for (std::size_t next = s; next < count && keys[next] == key; ++next)
            sum += values(position<RV>((a * count + order[next]) * below + b, like.size));
        place = static_cast<E>(sum);
    }
};
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
struct copy_work {
    X x;
    array_reference<E, R> to;
    DYAD_FN void operator()(std::size_t i) const { to.data[i] = static_cast<E>(x(position<R>(i, to.size))); }
};
template <class X, class E, unsigned R>
struct triangle_work {
    X x;
    array_reference<E, R> to;
    bool upper, diagonal;

    DYAD_FN void operator()(std::size_t i) const {
        const position<R> p(i, to.size);
        const bool kept = p.at[0] == p.at[1] ? diagonal : (p.at[0] > p.at[1]) == upper;
        to.data[i] = kept ? static_cast<E>(x(p)) : E(0);
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
    const T edge((bits & 32) != 0 ? 1 : 0);
    const auto all = std::tie(operands...);
    const auto& x = std::get<0>(all);
    const auto run = [&](std::size_t count, const auto& work) { run_each(facts(Op).name, sizeof...(X), count, work); };
    if constexpr (Op == opcode::take) {
        constexpr unsigned rank = std::remove_cvref_t<decltype(x)>::rank;
        const auto indices = checked_indices(std::get<1>(all), x.size[axis], "take");
        const auto from = stretched_to_rank<T, rank>(x);
        run(to.count(), take_work<T, decltype(from), decltype(indices), E, rank, R + 1 - rank>{from, indices, to, axis});
    } else if constexpr (Op == opcode::scatter_add) {
        const auto& given = std::get<1>(all);
        constexpr unsigned index_rank = std::remove_cvref_t<decltype(given)>::rank, rank = R - 1 + index_rank;
        const auto indices = checked_indices(given, to.size[axis], "scatter_add"); // before anything is written
        const auto start = stretched_to_rank<T, R>(x);
        run(to.count(), copy_work<decltype(start), E, R>{start, to});
        const std::size_t count = given.count();
        const buffer memory(2 * count * sizeof(std::size_t));
        std::size_t* const keys = static_cast<std::size_t*>(memory.data());
        run(count, index_writer<decltype(indices)>{indices, keys});
        sort_with_positions(keys, keys + count, count);
        array_reference<E, rank> like{nullptr, {}, {}};
        for (unsigned k = 0; k != rank; ++k) {
            const bool is_index = k >= axis && k < axis + index_rank;
            like.size[k] = is_index ? given.size[k - axis] : to.size[k < axis ? k : k - index_rank + 1];
        }
        std::size_t above = 1, below = 1;
        routine::around(to, axis, above, below);
        const auto values = stretched_to_rank<T, rank>(std::get<2>(all));
        run(above * count * below, scatter_work<T, decltype(values), E, rank, R>{values, to, like, keys, keys + count, count, below, axis});
    } else if constexpr (Op == opcode::recurrence) {
        const auto b = stretched_to_rank<T, R>(x);
        const auto c = stretched_to_rank<T, R>(std::get<1>(all));
        const std::size_t lines = to.count() == 0 ? 0 : to.count() / to.size[axis];
        run(lines, recurrence_work<T, decltype(b), decltype(c), E, R>{b, c, to, axis, backwards, edge});
    } else if constexpr (Op == opcode::shift) {
        const auto from = stretched_to_rank<T, R>(x);
        run(to.count(), shift_work<T, decltype(from), E, R>{from, to, axis, backwards, edge});
    } else if constexpr (Op == opcode::fold) {
        const window_steps s = decode_steps(bits);
        const auto from = stretched_to_rank<T, R + 2>(x);
        run(to.count(), fold_work<T, decltype(from), E, R>{from, to, {x.size[0], x.size[1]}, {x.size[2], x.size[3]}, {s.last, s.before}});
    } else if constexpr (Op == opcode::triangle) {
        const auto from = stretched_to_rank<T, R>(x);
        run(to.count(), triangle_work<decltype(from), E, R>{from, to, (bits & 1) != 0, (bits & 2) != 0});
    } else {
        constexpr unsigned rank = std::remove_cvref_t<decltype(x)>::rank;
        const auto from = stretched_to_rank<T, rank>(x);
        extremum_work<T, decltype(from), E, rank> work{from, to.data, {}, 1, axes_of(bits), Op == opcode::arg_max};
        for (unsigned k = 0; k != rank; ++k) {
            work.size[k] = x.size[k];
            if ((work.axes >> k & 1) != 0) work.length *= x.size[k];
        }
        if (work.length == 0) throw value_error("[dyad] argmax: no elements along the axis");
        run(to.count(), work);
    }
}

} // namespace dyad::device
