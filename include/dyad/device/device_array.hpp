// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Arrays in the memory of a device, and what else lies there: containers such as thrust::device_vector. Where arguments
// lie decides where work runs.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <utility>

#include <dyad/array/reference.hpp>
#include <dyad/device/buffer.hpp>

namespace dyad {

/// What programs take the elements for where they are stored as E: E itself, or float for what only stores, such as __half.
template <class E>
struct device_number {
    using type = float;
};
template <array_element E>
struct device_number<E> {
    using type = E;
};

/// An array of N axes on the device, row after row; the elements are not initialised. Copies are copies of the elements, on
/// the device. E is a number, bool, or a storage type such as __half, which programs compute with as float.
/// Of no axes it is a number, which results go into: `device_array<float, 0> loss;`, `evaluate_into(loss, f, x)`, `to_host(loss)`.
/// Throws device_error if there is no memory. Example: `device_array<float, 2> a(rows, columns);`
template <class E, std::size_t N>
class device_array {
public:
    using value_type = E;
    static constexpr std::size_t rank = N;

    device_array()
        requires(N > 0)
    = default;
    /// A number, not initialised.
    device_array()
        requires(N == 0)
        : device_array(std::array<std::size_t, 0>{}) {}
    template <std::convertible_to<std::size_t>... Sizes>
        requires(sizeof...(Sizes) == N && N > 0)
    explicit device_array(Sizes... sizes) : device_array(std::array<std::size_t, N>{static_cast<std::size_t>(sizes)...}) {}
    explicit device_array(const std::array<std::size_t, N>& shape) : shape_(shape), memory_(count_of(shape) * sizeof(E)) {}

    device_array(const device_array& other) : shape_(other.shape_), memory_(other.memory_.bytes()) { device::copy_on_device(data(), other.data(), memory_.bytes()); }
    device_array(device_array&& other) noexcept { swap(other); }
    device_array& operator=(const device_array& other) {
        device_array copy(other);
        swap(copy);
        return *this;
    }
    device_array& operator=(device_array&& other) noexcept {
        device_array taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~device_array() = default;

    /// The address of the first element, on the device.
    [[nodiscard]] E* data() { return static_cast<E*>(memory_.data()); }
    [[nodiscard]] const E* data() const { return static_cast<const E*>(memory_.data()); }
    /// The number of elements.
    [[nodiscard]] std::size_t size() const { return count_of(shape_); }
    /// The sizes of the axes, first axis first.
    [[nodiscard]] const std::array<std::size_t, N>& shape() const { return shape_; }

    void swap(device_array& other) noexcept {
        std::swap(shape_, other.shape_);
        memory_.swap(other.memory_);
    }

private:
    static constexpr std::size_t count_of(const std::array<std::size_t, N>& shape) {
        std::size_t count = 1;
        for (const std::size_t s : shape) {
            if (s != 0 && count > ~std::size_t{0} / sizeof(E) / s) throw device_error("[dyad] device_array: the shape has more elements than addresses");
            count *= s;
        }
        return count;
    }
    std::array<std::size_t, N> shape_{};
    device::buffer memory_;
};

template <class E, std::size_t N>
struct array_traits<device_array<E, N>> {
    using element = typename device_number<E>::type;
    using stored = E;
    static constexpr unsigned rank = static_cast<unsigned>(N), ones = 0;
    static auto reference(const device_array<E, N>& x) { return as<const E>(x.data(), x); }
    static auto target(device_array<E, N>& x) { return as<E>(x.data(), x); }

private:
    template <class U>
    static array_reference<U, rank> as(U* data, const device_array<E, N>& x) {
        array_reference<U, rank> r{data, {}, {}};
        for (unsigned k = 0; k < rank; ++k) r.size[k] = x.shape()[rank - 1 - k];
        r.set_row_major();
        return r;
    }
};
template <class E, std::size_t N>
inline constexpr bool is_device_array<device_array<E, N>> = true;

/// A container of one axis whose elements lie on the device, as thrust::device_vector.
template <class X>
concept device_container = requires(const X& x) {
    typename X::value_type;
    { x.size() } -> std::convertible_to<std::size_t>;
    { x.data().get() } -> std::convertible_to<const typename X::value_type*>;
};
template <device_container X>
struct array_traits<X> {
    using element = typename device_number<typename X::value_type>::type;
    using stored = typename X::value_type;
    static constexpr unsigned rank = 1, ones = 0;
    static auto reference(const X& x) { return as<const stored>(x.data().get(), x.size()); }
    static auto target(X& x) { return as<stored>(x.data().get(), x.size()); }

private:
    template <class U>
    static array_reference<U, 1> as(U* data, std::size_t size) {
        device::know_memory(data, size * sizeof(U));
        return {data, {size}, {1}};
    }
};
template <device_container X>
inline constexpr bool is_device_array<X> = true;

} // namespace dyad
