// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Arrays to begin with, as xtensor containers of known rank.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>

#include <dyad/array/xtensor.hpp>
#include <dyad/base/error.hpp>

namespace dyad {

/// A size as a whole number that is not negative. Throws value_error otherwise.
template <std::convertible_to<std::size_t> N>
std::size_t checked_size(const char* function, N n) {
    if constexpr (std::signed_integral<N>) {
        if (n < 0) throw value_error("[dyad] " + std::string(function) + ": a size of " + std::to_string(n));
    }
    return static_cast<std::size_t>(n);
}

/// An array of the given sizes, first axis first, with every element `value`. Example: `full(0.5, 2, 3)`.
template <number T, std::convertible_to<std::size_t>... Sizes>
auto full(T value, Sizes... sizes) {
    using container = typename default_container<T, sizeof...(Sizes)>::type;
    container x(typename container::shape_type{checked_size("full, zeros, ones", sizes)...});
    for (T& element : x.storage()) element = value;
    return x;
}
/// Zeros. Example: `zeros(2, 3)`, `zeros<float>(10)`.
template <number T = double, std::convertible_to<std::size_t>... Sizes>
auto zeros(Sizes... sizes) {
    return full(T(0), sizes...);
}
/// Ones.
template <number T = double, std::convertible_to<std::size_t>... Sizes>
auto ones(Sizes... sizes) {
    return full(T(1), sizes...);
}
/// start, start + step ... up to but without stop.
template <number T>
auto arange(T start, T stop, T step = T(1)) {
    if (step == T(0)) throw value_error("[dyad] arange: a step of 0");
    if constexpr (std::floating_point<T>) {
        if (!((stop - start) / step < T(1e18))) throw value_error("[dyad] arange: it has no end");
    }
    std::size_t count = 0;
    while (step > T(0) ? start + static_cast<T>(count) * step < stop : start + static_cast<T>(count) * step > stop) ++count;
    auto x = full(start, count);
    for (std::size_t i = 0; i < count; ++i) x(i) = start + static_cast<T>(i) * step;
    return x;
}
/// 0, 1 ... stop - 1.
template <number T>
auto arange(T stop) {
    return arange(T(0), stop);
}
/// `count` numbers from `first` to `last`, both among them; doubles, if both are whole numbers. Example: `linspace(0, 1, 5)`.
template <number A, number B, std::convertible_to<std::size_t> N>
auto linspace(A first, B last, N count) {
    using met = std::common_type_t<A, B>;
    using T = std::conditional_t<std::floating_point<met>, met, double>;
    const T from = static_cast<T>(first), to = static_cast<T>(last);
    const std::size_t n = checked_size("linspace", count);
    auto x = full(from, n);
    for (std::size_t i = 1; i < n; ++i) x(i) = i + 1 == n ? to : from + (to - from) * static_cast<T>(i) / static_cast<T>(n - 1);
    return x;
}
/// The n by n identity matrix.
template <number T = double, std::convertible_to<std::size_t> N>
auto eye(N size) {
    const std::size_t n = checked_size("eye", size);
    auto x = full(T(0), n, n);
    for (std::size_t i = 0; i < n; ++i) x(i, i) = T(1);
    return x;
}

} // namespace dyad
