// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Elements at positions that are known when the program runs, gathered and scattered on a device. What is added up goes in the
// order of the indices, as on the host: the same bits every time.
#pragma once

#include <type_traits>

#include <dyad/array/routines.hpp>
#include <dyad/device/buffer.hpp>
#include <dyad/device/each.hpp>

namespace dyad::device {

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
template <class Item, unsigned R>
struct index_reader {
    static constexpr unsigned rank = R;
    array_reference<Item, R> all;
    std::size_t size; ///< of the axis that they count along

    [[nodiscard]] std::size_t count() const { return all.count(); }
    [[nodiscard]] std::size_t size_along(unsigned axis) const { return all.size[axis]; }

    DYAD_FN Item given(std::size_t r) const {
        const position<R> p(r, all.size);
        const Item* from = all.data;
        for (unsigned k = 0; k != R; ++k) from += static_cast<std::ptrdiff_t>(p.at[k]) * all.stride[k];
        return *from;
    }
    DYAD_FN std::size_t operator()(std::size_t r) const {
        const auto i = static_cast<std::ptrdiff_t>(given(r));
        return static_cast<std::size_t>(i < 0 ? i + static_cast<std::ptrdiff_t>(size) : i);
    }
    struct is_wrong;
};
template <class Item, unsigned R>
struct index_reader<Item, R>::is_wrong {
    index_reader indices;
    DYAD_FN bool operator()(std::size_t r) const {
        return !routine::is_position(indices.given(r), indices.size);
    }
};
/// An index that was a number of the host.
struct single_index {
    static constexpr unsigned rank = 0;
    std::size_t place;

    [[nodiscard]] static constexpr std::size_t count() { return 1; }
    [[nodiscard]] static constexpr std::size_t size_along(unsigned) { return 1; } // no axis asks
    DYAD_FN std::size_t operator()(std::size_t) const { return place; }
};
/// Refuses indices outside, with the first of them, before anything is written. Their number comes back to the host.
template <class X>
    requires std::is_arithmetic_v<X>
single_index checked_indices(const X& x, std::size_t size, const char* where) {
    return {routine::checked_index(x, size, where)};
}
template <class X>
auto checked_indices(const X& x, std::size_t size, const char* where) {
    using Item = typename X::element_type;
    const index_reader<Item, X::rank> indices{x, size};
    const std::size_t count = x.count(), wrong = find_first(count, typename index_reader<Item, X::rank>::is_wrong{indices});
    if (wrong < count) {
        std::ptrdiff_t before = 0;
        std::size_t rest = wrong;
        for (unsigned k = 0; k != X::rank; ++k) {
            before += static_cast<std::ptrdiff_t>(rest % x.size[k]) * x.stride[k];
            rest /= x.size[k];
        }
        std::remove_const_t<Item> value{};
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
template <class X, class E, unsigned R>
struct copy_work {
    X x;
    array_reference<E, R> to;
    DYAD_FN void operator()(std::size_t i) const { to.data[i] = static_cast<E>(x(position<R>(i, to.size))); }
};

template <class T, class E, unsigned R, class X, class Item>
void gather(const array_reference<E, R>& to, unsigned axis, const X& x, const Item& given) {
    const auto indices = checked_indices(given, x.size[axis], "take");
    const auto from = stretched_to_rank<T, X::rank>(x);
    run_each("take", 2, to.count(), take_work<T, decltype(from), decltype(indices), E, X::rank, decltype(indices)::rank>{from, indices, to, axis});
}
/// x with v added at indices along an axis.
template <class T, class E, unsigned R, class X, class Item, class V>
void scatter(const array_reference<E, R>& to, unsigned axis, const X& x, const Item& given, const V& v) {
    const auto indices = checked_indices(given, to.size[axis], "scatter_add"); // before anything is written
    constexpr unsigned axes = decltype(indices)::rank, rank = R - 1 + axes;
    const auto start = stretched_to_rank<T, R>(x);
    run_each("scatter_add", 1, to.count(), copy_work<decltype(start), E, R>{start, to});
    const std::size_t count = indices.count();
    const buffer memory(2 * count * sizeof(std::size_t));
    std::size_t* const keys = static_cast<std::size_t*>(memory.data());
    run_each("scatter_add", 1, count, index_writer<decltype(indices)>{indices, keys});
    sort_with_positions(keys, keys + count, count);
    array_reference<E, rank> like{nullptr, {}, {}};
    for (unsigned k = 0; k != rank; ++k) {
        const bool is_index = k >= axis && k < axis + axes;
        like.size[k] = is_index ? indices.size_along(k - axis) : to.size[k < axis ? k : k - axes + 1];
    }
    std::size_t above = 1, below = 1;
    routine::around(to, axis, above, below);
    const auto values = stretched_to_rank<T, rank>(v);
    run_each("scatter_add", 2, above * count * below, scatter_work<T, decltype(values), E, rank, R>{values, to, like, keys, keys + count, count, below, axis});
}

} // namespace dyad::device
