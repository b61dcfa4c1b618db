// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Where an array lies: what containers become before anything is computed with them. Axes count from the last.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <dyad/graph/shape.hpp>
#include <dyad/op/operand.hpp>

namespace dyad {

/// Elements of type E (const, if they are only read) with `Rank` sizes and strides, axis 0 being the last.
template <class E, unsigned Rank>
struct array_reference {
    using element_type = E;
    static constexpr unsigned rank = Rank;
    E* data = nullptr;
    std::size_t size[Rank == 0 ? 1 : Rank] = {};
    std::ptrdiff_t stride[Rank == 0 ? 1 : Rank] = {};

    /// The number of elements.
    [[nodiscard]] constexpr std::size_t count() const {
        std::size_t product = 1;
        for (unsigned k = 0; k < Rank; ++k) product *= size[k];
        return product;
    }
    /// Row after row without gaps.
    [[nodiscard]] constexpr bool is_contiguous() const {
        std::ptrdiff_t step = 1;
        for (unsigned k = 0; k < Rank; ++k) {
            if (stride[k] != step && size[k] != 1) [[unlikely]] return false;
            step *= static_cast<std::ptrdiff_t>(size[k]);
        }
        return true;
    }
    /// The addresses from the first element to behind the last; none if there are no elements.
    [[nodiscard]] DYAD_INLINE std::pair<std::uintptr_t, std::uintptr_t> addresses() const {
        const auto at = reinterpret_cast<std::uintptr_t>(data);
        std::uintptr_t first = at, last = at + sizeof(E);
        for (unsigned k = 0; k < Rank; ++k) {
            if (size[k] == 0) return {at, at};
            const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(size[k] - 1) * stride[k] * static_cast<std::ptrdiff_t>(sizeof(E));
            (reach < 0 ? first : last) += static_cast<std::uintptr_t>(reach);
        }
        return {first, last};
    }
    constexpr void set_row_major() {
        std::ptrdiff_t step = 1;
        for (unsigned k = 0; k < Rank; ++k) {
            stride[k] = step;
            step *= static_cast<std::ptrdiff_t>(size[k]);
        }
    }
};

template <class X>
concept referenced = requires { typename X::element_type; };

/// The sizes of the last axes of an array, axis 0 being the last.
template <unsigned Rank>
struct last_sizes {
    static constexpr unsigned rank = Rank;
    std::size_t size[Rank == 0 ? 1 : Rank] = {};
};
/// Those of a reference, and behind a second array's those of a first; a number has none.
template <class Last>
constexpr auto sizes_behind([[maybe_unused]] const Last& last) {
    if constexpr (referenced<Last>) {
        last_sizes<Last::rank> s;
        for (unsigned k = 0; k < Last::rank; ++k) s.size[k] = last.size[k];
        return s;
    } else {
        return last_sizes<0>{};
    }
}
template <class First, class Last>
constexpr auto sizes_behind(const First& first, const Last& last) {
    const auto before = sizes_behind(first);
    const auto behind = sizes_behind(last);
    constexpr unsigned more = decltype(before)::rank, some = decltype(behind)::rank;
    last_sizes<more + some> s;
    for (unsigned k = 0; k < some; ++k) s.size[k] = behind.size[k];
    for (unsigned k = 0; k < more; ++k) s.size[some + k] = before.size[k];
    return s;
}
/// Whether it tells sizes of last axes.
template <class X>
concept with_sizes = requires(const X& x) { X::rank; x.size[0]; };

/// The address n elements on, which an array without elements does not have: where it has none at all, it keeps none.
template <class E>
constexpr E* further(E* p, std::ptrdiff_t n) {
    return p == nullptr ? p : p + n;
}

/// How a container is read: `element`, `rank`, `ones` (axes known to have size 1), `reference(x)` to read from;
/// `result<U, R>`, the kind of container for results of R axes; specialised for each kind.
template <class T>
struct array_traits;

/// A container that arguments may come in.
template <class T>
concept array_like = requires { typename array_traits<std::remove_cvref_t<T>>::element; };

/// An array whose number of axes its type does not say; array/xtensor.hpp says which.
template <class T>
inline constexpr bool is_rankless = false;
#define DYAD_NO_RANK "[dyad] argument: the rank of this array is known only at run time; pass ranked<2>(x), or whatever its rank is"

/// A container that is made for reading alone: a view of what is const.
template <class T>
inline constexpr bool is_read_only = std::is_const_v<std::remove_reference_t<T>>;
template <class T>
    requires requires { requires array_traits<std::remove_cvref_t<T>>::read_only; }
inline constexpr bool is_read_only<T> = true;

/// A container that is made empty and given a size, or has one.
template <class X>
concept owns_elements = std::default_initializable<X> && requires { requires array_traits<X>::owns; };

template <array_like T>
inline constexpr bool is_array<T> = true;
template <array_like T>
inline constexpr unsigned rank_of_array<T> = array_traits<std::remove_cvref_t<T>>::rank;

/// What a program knows of an array argument: programs are shared by containers that differ in nothing else.
template <class E, unsigned Rank, unsigned Ones>
struct array_leaf {};
template <class E, unsigned Rank, unsigned Ones>
struct array_traits<array_leaf<E, Rank, Ones>> {
    using element = E;
    static constexpr unsigned rank = Rank, ones = Ones;
};

/// An array that somebody else owns: a pointer and the sizes of its axes, first axis first, row after row; or with
/// strides. Example: `view(p, rows, columns)`.
template <class E, unsigned Rank>
struct array_view {
    E* data = nullptr;
    std::size_t size[Rank] = {};
    std::ptrdiff_t stride[Rank] = {};
};
template <class E, std::convertible_to<std::size_t>... Sizes>
    requires(sizeof...(Sizes) > 0)
constexpr auto view(E* data, Sizes... sizes) {
    constexpr unsigned rank = sizeof...(Sizes);
    array_view<E, rank> v{data, {static_cast<std::size_t>(sizes)...}, {}};
    std::ptrdiff_t step = 1;
    for (unsigned k = rank; k-- > 0;) {
        v.stride[k] = step;
        step *= static_cast<std::ptrdiff_t>(v.size[k]);
    }
    return v;
}

template <array_element E, unsigned Rank>
struct array_traits<array_view<E, Rank>> {
    using element = std::remove_const_t<E>;
    static constexpr unsigned rank = Rank, ones = 0;
    template <class U>
    static constexpr array_reference<U, Rank> as(const array_view<E, Rank>& x) {
        array_reference<U, Rank> r{x.data, {}, {}};
        for (unsigned k = 0; k < Rank; ++k) r.size[k] = x.size[Rank - 1 - k], r.stride[k] = x.stride[Rank - 1 - k];
        return r;
    }
    static constexpr bool read_only = std::is_const_v<E>;
    static constexpr auto reference(const array_view<E, Rank>& x) { return as<const element>(x); }
    static constexpr auto target(array_view<E, Rank>& x) { return as<E>(x); }
};

template <number E, class Allocator>
struct array_traits<std::vector<E, Allocator>> {
    using element = E;
    static constexpr unsigned rank = 1, ones = 0;
    static constexpr bool owns = true, resizes = true;
    static constexpr auto reference(const std::vector<E, Allocator>& x) {
        return array_reference<const E, 1>{x.data(), {x.size()}, {1}};
    }
    static constexpr auto target(std::vector<E, Allocator>& x) { return array_reference<E, 1>{x.data(), {x.size()}, {1}}; }
    static void resize(std::vector<E, Allocator>& x, const std::size_t* size) { x.resize(size[0]); }
};

template <class E, std::size_t N>
    requires array_element<std::remove_const_t<E>>
struct array_traits<std::span<E, N>> {
    using element = std::remove_const_t<E>;
    static constexpr unsigned rank = 1, ones = N == 1 ? 1 : 0;
    static constexpr bool read_only = std::is_const_v<E>;
    static constexpr auto reference(std::span<E, N> x) {
        return array_reference<const element, 1>{x.data(), {x.size()}, {1}};
    }
    static constexpr auto target(std::span<E, N> x) { return array_reference<E, 1>{x.data(), {x.size()}, {1}}; }
};

} // namespace dyad
