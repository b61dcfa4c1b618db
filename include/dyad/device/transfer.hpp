// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Copies between the host's containers and a device's arrays: the only ones there are, and each is counted.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <dyad/array/routines.hpp>
#include <dyad/array/run_time_shape.hpp>
#include <dyad/device/device_array.hpp>

#if __has_include(<xtensor/containers/xtensor.hpp>) || __has_include(<xtensor/xtensor.hpp>)
#include <dyad/array/xtensor.hpp>
#define DYAD_DEVICE_XTENSOR 1
#else
#define DYAD_DEVICE_XTENSOR 0
#endif

namespace dyad {

/// What to_host makes where xtensor is not installed: elements row after row, and the sizes of the axes.
template <class T, std::size_t N>
struct host_array {
    std::vector<T> elements;
    std::array<std::size_t, N> shape{};
};
template <class T, std::size_t N>
struct host_container {
#if DYAD_DEVICE_XTENSOR
    using type = xt::xtensor<T, N>;
#else
    using element = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>; // (a std::vector<bool> has no elements in memory)
    using type = std::conditional_t<N == 1, std::vector<element>, host_array<element, N>>;
#endif
};
template <class T>
struct host_container<T, 0> {
    using type = T;
};

/// The elements of x, an array of the host (a container, span, view, xtensor), on the device, stored as E (as they are, if none
/// is named). One copy. Throws device_error if there is no memory.
/// Example: `dyad::device_array<float, 1> gx = dyad::to_device(x);`
template <class E = void, array_like X>
    requires(!is_device_array<X>)
auto to_device(const X& x) {
    using traits = array_traits<X>;
    using own = typename traits::element;
    using stored = std::conditional_t<std::is_void_v<E>, own, E>;
#if DYAD_DEVICE_XTENSOR
    if constexpr (lazy_array<X>) {
        return to_device<E>(computed(x));
    } else
#endif
    {
        const auto from = traits::reference(x);
        std::array<std::size_t, traits::rank> shape{};
        for (unsigned k = 0; k < traits::rank; ++k) shape[traits::rank - 1 - k] = from.size[k];
        device_array<stored, traits::rank> result(shape);
        const std::size_t count = from.count();
        if (std::is_same_v<stored, own> && from.is_contiguous()) {
            device::copy_to_device(result.data(), from.data, count * sizeof(own));
        } else {
            const auto packed = std::make_unique<own[]>(count);
            array_reference<own, traits::rank> rows{packed.get(), {}, {}};
            for (unsigned k = 0; k < traits::rank; ++k) rows.size[k] = from.size[k];
            rows.set_row_major();
            routine::copy(from, rows);
            if constexpr (std::is_same_v<stored, own>) {
                device::copy_to_device(result.data(), packed.get(), count * sizeof(own));
            } else {
                const auto narrow = std::make_unique<stored[]>(count);
                for (std::size_t i = 0; i < count; ++i) narrow[i] = static_cast<stored>(packed[i]);
                device::copy_to_device(result.data(), narrow.get(), count * sizeof(stored));
            }
        }
        return result;
    }
}

/// The elements of a device's array into memory of the host, row after row. One copy.
/// Throws shape_error if there is room for another number of elements.
template <array_like X, class T>
    requires(is_device_array<X>)
void to_host_into(const X& x, std::span<T> to) {
    using stored = typename array_traits<X>::stored;
    const auto from = array_traits<X>::reference(x);
    const std::size_t count = from.count();
    if (to.size() != count)
        throw shape_error("[dyad] to_host: " + std::to_string(count) + " elements do not fill room for " + std::to_string(to.size()));
    if constexpr (std::is_same_v<stored, T>) {
        device::copy_to_host(to.data(), from.data, count * sizeof(T));
    } else {
        const auto narrow = std::make_unique<stored[]>(count);
        device::copy_to_host(narrow.get(), from.data, count * sizeof(stored));
        for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(narrow[i]);
    }
}

namespace device {

template <class C, std::size_t N>
inline constexpr bool is_host_array = false;
template <class T, std::size_t N>
inline constexpr bool is_host_array<host_array<T, N>, N> = true;

/// A container of the host whose number of axes is known at run time only: xt::xarray.
template <class C>
concept host_container_with_axes = !array_like<C> && requires(C& c, std::vector<std::size_t> shape) {
    requires array_element<typename C::value_type>;
    c.resize(shape);
    c.strides();
    c.data();
};

/// A device's array into elements of the host, wherever these lie. Throws shape_error if they are not as many along each axis.
template <class X, class E, unsigned Rank>
void fill_from(const X& x, const array_reference<E, Rank>& to) {
    const run_time_shape from = shape_at_run_time(array_traits<X>::reference(x)), there = shape_at_run_time(to);
    if (!(from == there)) throw shape_error("[dyad] to_host: an array of shape " + text_of(from) + " does not fill one of shape " + text_of(there));
    if (to.is_contiguous()) return to_host_into(x, std::span(to.data, to.count()));
    const auto packed = std::make_unique<E[]>(to.count());
    to_host_into(x, std::span(packed.get(), to.count()));
    array_reference<const E, Rank> rows{packed.get(), {}, {}};
    for (unsigned k = 0; k < Rank; ++k) rows.size[k] = to.size[k];
    rows.set_row_major();
    routine::copy(rows, to);
}

} // namespace device

/// A device's array as a container of the host: xt::xtensor, or what is named (to_host<std::vector<float>>(x)), of any layout; of no axes, as a
/// number. One copy. Throws shape_error if a container of fixed size has another shape.
/// Example: `auto x = dyad::to_host(gx);`
template <class Container = void, array_like X>
    requires(is_device_array<X>)
auto to_host(const X& x) {
    using traits = array_traits<X>;
    using T = typename traits::element;
    using usual = typename host_container<T, traits::rank>::type;
    using container = typename std::conditional_t<std::is_void_v<Container>, std::type_identity<usual>, std::type_identity<Container>>::type;
    constexpr bool names = array_element<container> || device::is_host_array<container, traits::rank> || device::host_container_with_axes<container> || (owns_elements<container> && !is_device_array<container>);
    static_assert(names, "[dyad] to_host: a device's array comes into a std::vector of numbers, a container of xtensor's, or a number; name one of these");
    const auto from = traits::reference(x);
    container result{};
    if constexpr (array_element<container>) {
        static_assert(traits::rank == 0, "[dyad] to_host: one number is to be made of an array; name a container");
        to_host_into(x, std::span(&result, 1));
    } else if constexpr (device::is_host_array<container, traits::rank>) {
        for (unsigned k = 0; k < traits::rank; ++k) result.shape[traits::rank - 1 - k] = from.size[k];
        result.elements.resize(from.count());
        to_host_into(x, std::span(result.elements));
    } else if constexpr (device::host_container_with_axes<container>) {
        std::vector<std::size_t> shape(from.size, from.size + traits::rank);
        std::reverse(shape.begin(), shape.end());
        result.resize(shape);
        array_view<typename container::value_type, traits::rank> all{result.data(), {}, {}};
        for (unsigned k = 0; k < traits::rank; ++k) all.size[k] = shape[k], all.stride[k] = result.strides()[k];
        device::fill_from(x, array_traits<decltype(all)>::target(all));
    } else if constexpr (names) {
        constexpr bool fits = array_traits<container>::rank == traits::rank;
        static_assert(fits, "[dyad] to_host: the container has another number of axes than the array");
        if constexpr (fits) {
            if constexpr (array_traits<container>::resizes) array_traits<container>::resize(result, from.size);
            device::fill_from(x, array_traits<container>::target(result));
        }
    }
    return result;
}

} // namespace dyad
