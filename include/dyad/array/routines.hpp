// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The array operations that are not loops over elements: each reads arrays from memory and writes one. Results
// are contiguous, row after row.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include <dyad/array/empty_error.hpp>
#include <dyad/array/reference.hpp>
#include <dyad/base/error.hpp>
#include <dyad/graph/attribute.hpp>

namespace dyad::routine {

/// Calls f(rows...) for each row, along the last axis, of arrays of equal sizes; a number is a row of one element.
template <unsigned R, class F, class A, class... B>
void for_each_row(const F& f, const array_reference<A, R>& a, const array_reference<B, R>&... b) {
    constexpr unsigned rank = R; // (!= below: g++ warns of k < 0 where it is 0)
    std::size_t at[rank + 1] = {};
    if (a.count() == 0) return;
    const auto row = [&]<class E>(const array_reference<E, R>& x) {
        array_reference<E, 1> r{x.data, {1}, {1}};
        for (unsigned k = 0; k != rank; ++k) {
            if (k == 0) r.size[0] = x.size[0], r.stride[0] = x.stride[0];
            else r.data += static_cast<std::ptrdiff_t>(at[k]) * x.stride[k];
        }
        return r;
    };
    for (;;) {
        f(row(a), row(b)...);
        if constexpr (rank < 2) return;
        unsigned k = 1;
        while (k != rank && ++at[k] == a.size[k]) at[k++] = 0;
        if (k == rank) return;
    }
}
/// Calls f(pointers...) for each element.
template <unsigned R, class F, class A, class... B>
void for_each_element(const F& f, const array_reference<A, R>& a, const array_reference<B, R>&... b) {
    for_each_row(
        [&](const array_reference<A, 1>& row, const array_reference<B, 1>&... more) {
            for (std::size_t i = 0, n = row.size[0]; i < n; ++i) {
                const auto at = static_cast<std::ptrdiff_t>(i);
                f(row.data + at * row.stride[0], (more.data + at * more.stride[0])...);
            }
        },
        a, b...);
}

template <unsigned R, class A, class B>
void copy(const array_reference<A, R>& from, const array_reference<B, R>& to) {
    if (from.is_contiguous() && to.is_contiguous()) {
        for (std::size_t i = 0, n = from.count(); i < n; ++i) to.data[i] = static_cast<B>(from.data[i]);
    } else {
        for_each_element(
            [](const A* x, B* y) { *y = static_cast<B>(*x); }, from, to);
    }
}

/// Adds x to y element by element; all of it to a y of one element.
template <class A, class B>
void add_row(const array_reference<A, 1>& x, const array_reference<B, 1>& y) {
    const auto n = static_cast<std::ptrdiff_t>(x.size[0]);
    const auto element = [&](std::ptrdiff_t i) { return static_cast<B>(x.data[i * x.stride[0]]); };
    if (y.stride[0] != 0) {
        for (std::ptrdiff_t i = 0; i < n; ++i) y.data[i * y.stride[0]] += element(i);
        return;
    }
    B sum[8] = {}; // several, none of which waits for another
    std::ptrdiff_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (std::ptrdiff_t k = 0; k < 8; ++k) sum[k] += element(i + k);
    }
    for (std::ptrdiff_t k = 0; i < n; ++i, ++k) sum[k] += element(i);
    *y.data += ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}
/// A copy; where `to` has size 1 along an axis and `from` has more, the sum; where `from` has size 1, it stretches.
template <unsigned R, class A, class B>
void copy_or_sum(array_reference<A, R> from, const array_reference<B, R>& to) {
    array_reference<B, R> whole = to;
    bool sums = false;
    for (unsigned k = 0; k < R; ++k) {
        if (from.size[k] == 1 && to.size[k] != 1) from.size[k] = to.size[k], from.stride[k] = 0;
        whole.size[k] = from.size[k];
        if (from.size[k] != to.size[k]) whole.stride[k] = 0, sums = true;
    }
    if (!sums) return copy(from, to);
    for_each_element([](B* y) { *y = B(0); }, to);
    for_each_row([](const auto& x, const auto& y) { add_row(x, y); }, from, whole);
}

/// The part of an array along one axis: `count` elements from `start` on, `step` apart.
template <class E, unsigned R>
array_reference<E, R> part(array_reference<E, R> x, unsigned axis, std::ptrdiff_t start, std::ptrdiff_t step, std::size_t count) {
    x.data = further(x.data, start * x.stride[axis]);
    x.stride[axis] *= step;
    x.size[axis] = count;
    return x;
}

/// A range of Python's as start and count.
struct resolved_slice {
    std::ptrdiff_t start = 0;
    std::size_t count = 0;
};
DYAD_INLINE resolved_slice resolve(slice_range s, std::size_t size) {
    const auto n = static_cast<std::ptrdiff_t>(size);
    const auto clamped = [n](std::ptrdiff_t i) DYAD_INLINE_LAMBDA { return std::clamp<std::ptrdiff_t>(i < 0 ? i + n : i, 0, n); };
    const std::ptrdiff_t from = clamped(s.start), to = s.stop == slice_range::open ? n : clamped(s.stop), whole = to > from ? to - from : 0;
    return {from, static_cast<std::size_t>(s.step == 1 ? whole : (whole + s.step - 1) / s.step)};
}

/// How many windows of a size fit, `step` apart.
inline std::size_t windows(std::size_t whole, std::size_t window, std::size_t step) {
    return whole < window || step == 0 ? 0 : (whole - window) / step + 1;
}

/// The windows of x's last two axes added up where they came from. The result's sizes are those of `y`.
template <class A, class T, unsigned X, unsigned Y>
void fold(const array_reference<A, X>& x, const array_reference<T, Y>& y, window_steps s) {
    static_assert(X == Y + 2);
    std::fill_n(y.data, y.count(), T(0));
    array_reference<T, X> places{y.data, {}, {}};
    for (unsigned k = 0; k < X; ++k) {
        places.size[k] = x.size[k];
        places.stride[k] = k < 2 ? y.stride[k] : y.stride[k - 2] * (k == 2 ? s.last : k == 3 ? s.before : 1U);
    }
    for_each_element([](const A* from, T* to) { *to += static_cast<T>(*from); }, x, places);
}

/// x put into zeros at a slice.
template <class A, class T, unsigned R>
void unslice(const array_reference<A, R>& x, const array_reference<T, R>& whole, unsigned axis, std::ptrdiff_t start, std::ptrdiff_t step) {
    std::fill_n(whole.data, whole.count(), T(0));
    copy(x, part(whole, axis, start, step, x.size[axis]));
}

/// Whether an index names one of `size` elements, from the first or, below 0, from the end. (Asked of the number as it is: one that is
/// too large, or NaN, cannot be converted.)
template <class Item>
DYAD_FN constexpr bool is_position(Item index, std::size_t size) {
    if constexpr (std::is_floating_point_v<Item>) {
        const auto n = static_cast<Item>(size);
        return index >= -n && index < n && static_cast<Item>(static_cast<std::ptrdiff_t>(index)) == index;
    } else if constexpr (std::is_signed_v<Item>) {
        return index < 0 ? static_cast<std::size_t>(-(static_cast<std::ptrdiff_t>(index) + 1)) < size : static_cast<std::size_t>(index) < size;
    } else {
        return static_cast<std::size_t>(index) < size;
    }
}
template <class Item>
std::size_t checked_index(Item index, std::size_t size, const char* where) {
    const auto n = static_cast<std::ptrdiff_t>(size);
    if (!is_position(index, size)) {
        std::string value = std::to_string(index);
        if constexpr (std::floating_point<Item>) {
            if (std::isfinite(index) && index != std::trunc(index)) throw index_error(std::string("[dyad] ") + where + ": indices = " + value + " is not a whole number");
            if (std::isfinite(index)) value.resize(value.find('.'));
        }
        throw index_error(std::string("[dyad] ") + where + ": indices = " + value + " is not in [" + std::to_string(-n) + ", " + std::to_string(n) + ")");
    }
    const auto i = static_cast<std::ptrdiff_t>(index);
    if constexpr (std::same_as<Item, float>) {
        constexpr std::ptrdiff_t exact = std::ptrdiff_t{1} << 24;
        if (i >= exact || i <= -exact)
            throw index_error(std::string("[dyad] ") + where + ": indices = " + std::to_string(i) + " was computed in float, which tells whole numbers apart below 16777216 only; "
                              "compute in double, or pass an array of whole numbers");
    }
    return static_cast<std::size_t>(i < 0 ? i + n : i);
}
template <class Item>
void check_indices(const Item* indices, std::size_t count, std::size_t size, const char* where) {
    if constexpr (std::integral<Item>) { // all of them at once, and one by one if there is something to say
        const auto n = static_cast<std::ptrdiff_t>(size);
        bool good = true;
        for (std::size_t r = 0; r < count; ++r) {
            if constexpr (std::is_signed_v<Item>) {
                good = good & (indices[r] >= -n) & (indices[r] < n);
            } else {
                good = good & (static_cast<std::size_t>(indices[r]) < size);
            }
        }
        if (good) return;
    }
    for (std::size_t r = 0; r < count; ++r) checked_index(indices[r], size, where);
}
/// The same position without a check.
template <class Item>
std::size_t counted_index(Item index, std::size_t size) {
    const auto i = static_cast<std::ptrdiff_t>(index);
    return i < 0 ? size - static_cast<std::size_t>(-i) : static_cast<std::size_t>(i);
}

/// The sizes above and below an axis.
template <unsigned R, class E>
void around(const array_reference<E, R>& x, unsigned axis, std::size_t& above, std::size_t& below) {
    above = below = 1;
    for (unsigned k = 0; k < R; ++k) (k < axis ? below : above) *= k == axis ? 1 : x.size[k];
}

/// f(n), with the number as a constant where it is 1: a row that is one element needs no loop.
template <class F>
void with_row_of(std::size_t n, const F& f) {
    n == 1 ? f(std::integral_constant<std::size_t, 1>{}) : f(n);
}

/// Row r of the result is row indices[r] of x along an axis; all contiguous but the indices, which are in order.
template <class T, class Item>
void take(const T* x, const Item* indices, std::size_t count, T* result, std::size_t above, std::size_t size, std::size_t below) {
    constexpr std::size_t short_row = 16; // elements: one by one they are there before memmove has begun
    check_indices(indices, count, size, "take");
    with_row_of(below, [&](auto row) {
        for (std::size_t a = 0; a < above; ++a) {
            for (std::size_t r = 0; r < count; ++r) {
                const T* const from = x + (a * size + counted_index(indices[r], size)) * row;
                T* const to = result + (a * count + r) * row;
                if (row > short_row) {
                    std::copy_n(from, std::size_t{row}, to);
                } else {
                    for (std::size_t b = 0; b < row; ++b) to[b] = from[b];
                }
            }
        }
    });
}
/// The same of an array that has gaps, part by part.
template <class A, unsigned R, class Item, class T>
void take_parts(const array_reference<A, R>& x, unsigned axis, const Item* indices, std::size_t count, T* result) {
    check_indices(indices, count, x.size[axis], "take");
    array_reference<A, R> from = x;
    from.size[axis] = 1;
    array_reference<T, R> to{result, {}, {}};
    std::size_t below = 1, step = 1;
    for (unsigned k = 0; k < R; ++k) {
        if (k == axis) below = step;
        to.size[k] = from.size[k];
        to.stride[k] = static_cast<std::ptrdiff_t>(step);
        step *= k == axis ? count : x.size[k];
    }
    for (std::size_t r = 0; r < count; ++r) {
        from.data = further(x.data, static_cast<std::ptrdiff_t>(counted_index(indices[r], x.size[axis])) * x.stride[axis]);
        to.data = result + r * below;
        copy(from, to);
    }
}
template <class T, class Item>
void scatter_add(const T* v, const Item* indices, std::size_t count, T* result, std::size_t above, std::size_t size, std::size_t below) {
    with_row_of(below, [&](auto row) {
        for (std::size_t a = 0; a < above; ++a) {
            for (std::size_t r = 0; r < count; ++r) {
                T* const to = result + (a * size + counted_index(indices[r], size)) * row;
                const T* const from = v + (a * count + r) * row;
                for (std::size_t b = 0; b < row; ++b) to[b] += from[b];
            }
        }
    });
}

/// y = x moved by one along an axis, forwards or backwards; the first becomes `edge`.
template <class A, class T, unsigned R>
void shift(const array_reference<A, R>& x, const array_reference<T, R>& y, unsigned axis, bool backwards, T edge) {
    const std::size_t n = y.size[axis];
    if (n == 0) return;
    copy(part(x, axis, backwards ? 1 : 0, 1, n - 1), part(y, axis, backwards ? 0 : 1, 1, n - 1));
    for_each_element([&](T* p) { *p = edge; }, part(y, axis, backwards ? static_cast<std::ptrdiff_t>(n) - 1 : 0, 1, 1));
}

/// yᵢ = bᵢ + cᵢ yᵢ₋₁ along an axis, forwards or backwards; y₋₁ = `edge`.
template <class A, class C, class T, unsigned R>
void recurrence(const array_reference<A, R>& b, const array_reference<C, R>& c, const array_reference<T, R>& y, unsigned axis, bool backwards, T edge) {
    auto first = [&](auto x) { return part(x, axis, backwards ? static_cast<std::ptrdiff_t>(y.size[axis]) - 1 : 0, backwards ? -1 : 1, 1); };
    const std::size_t n = y.size[axis];
    if (n == 0) return;
    const std::ptrdiff_t sign = backwards ? -1 : 1;
    const std::ptrdiff_t db = sign * b.stride[axis], dc = sign * c.stride[axis], dy = sign * y.stride[axis];
    for_each_element(
        [&](const A* pb, const C* pc, T* py) {
            T last = *py = static_cast<T>(*pb) + (edge == T(0) ? T(0) : static_cast<T>(*pc) * edge);
            for (std::size_t i = 1; i < n; ++i) {
                pb += db, pc += dc, py += dy;
                *py = last = static_cast<T>(*pb) + static_cast<T>(*pc) * last;
            }
        },
        first(b), first(c), first(y));
}

/// The position of the first extremum along the axes of a mask, in row-major order of those axes.
template <class A, class T, unsigned R>
void arg_extremum(const array_reference<A, R>& x, T* result, unsigned axes, bool largest) {
    array_reference<A, R> outer = x, inner = x;
    array_reference<T, R> places = {result, {}, {}};
    std::ptrdiff_t step = 1;
    for (unsigned k = 0; k < R; ++k) {
        const bool reduced = (axes >> k & 1) != 0;
        (reduced ? outer : inner).size[k] = 1;
        places.size[k] = reduced ? 1 : x.size[k];
        places.stride[k] = reduced ? 0 : step;
        if (!reduced) step *= static_cast<std::ptrdiff_t>(x.size[k]);
    }
    if (inner.count() == 0) refuse_empty(largest ? "argmax" : "argmin", shape_of_sizes(R, x.size), axes);
    for_each_element(
        [&](const A* start, T* place) {
            array_reference<A, R> line = inner;
            line.data = start;
            const A* best = nullptr;
            std::size_t at = 0;
            for_each_element(
                [&](const A* p) {
                    if (best == nullptr || (*best == *best && (*p != *p || (largest ? *best < *p : *p < *best))))
                        best = p, *place = static_cast<T>(at);
                    ++at;
                },
                line);
        },
        outer, places);
}

/// A triangle of the last two axes; zeros elsewhere.
template <class A, class T, unsigned R>
void triangle(const array_reference<A, R>& x, const array_reference<T, R>& y, triangle_part part) {
    copy(x, y);
    const std::size_t columns = y.size[0], rows = y.size[1], planes = columns * rows == 0 ? 0 : y.count() / (columns * rows);
    for (std::size_t p = 0; p < planes; ++p) {
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                if (!part.has(static_cast<std::ptrdiff_t>(i), static_cast<std::ptrdiff_t>(j))) y.data[(p * rows + i) * columns + j] = T(0);
            }
        }
    }
}

} // namespace dyad::routine
