// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which types count as numbers, and the exact form in which a number becomes part of a program.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <dyad/base/config.hpp>
#include <dyad/base/error.hpp>

namespace dyad {

/// An arithmetic type other than bool and the character types' siblings: what a formula computes with.
template <class T>
concept number = std::is_arithmetic_v<T> && !std::same_as<std::remove_cv_t<T>, bool>;

/// What the elements of an array may be: numbers, or conditions, which count as 1 and 0.
template <class T>
concept array_element = std::is_arithmetic_v<T>;

/// A number that has derivatives.
template <class T>
concept real_number = std::floating_point<T>;

/// The type that `T` computes in: integers compute as double, `float` stays `float`.
template <number T>
using real_of = std::conditional_t<std::floating_point<T>, std::remove_cv_t<T>, double>;

/// Whether doubles hold a finite number: a long double may lie beyond their largest, or below their smallest normal one with digits
/// that they do not have there.
template <std::floating_point T>
constexpr bool has_size_of_double(T x) {
    const T size = x < 0 ? -x : x;
    if (!(size <= static_cast<T>(std::numeric_limits<double>::max()))) return false;
    return size >= static_cast<T>(std::numeric_limits<double>::min()) || static_cast<T>(static_cast<double>(x)) == x;
}

/// A constant of a program: the exact value `high + low`, each a double. `low` is 0 for everything that
/// a double holds; together they hold any 64-bit integer, and any x87 `long double` of a double's size (the smallest ones, below 1e-291,
/// less its last digits). Throws value_error for one of another size.
struct exact {
    double high = 0;
    double low = 0;

    constexpr exact() = default;
    template <number T>
    constexpr explicit(false) exact(T value) : high(static_cast<double>(value)) {
        constexpr bool wider = std::numeric_limits<T>::digits > std::numeric_limits<double>::digits;
        if constexpr (wider && std::floating_point<T>) {
            constexpr T most = std::numeric_limits<T>::max();
            const bool finite = value <= most && value >= -most; // (inf - inf is no constant)
            if (finite && !has_size_of_double(value)) throw value_error("[dyad] constant: a long double beyond the range of double; pass it as an argument");
            if (finite) low = static_cast<double>(value - static_cast<T>(high));
        } else if constexpr (wider) {
            const auto whole = static_cast<long double>(value) - static_cast<long double>(high);
            low = static_cast<double>(whole);
        }
    }

    DYAD_FN static constexpr exact of_bits(std::uint64_t high, std::uint64_t low) {
        exact value;
        value.high = __builtin_bit_cast(double, high);
        value.low = __builtin_bit_cast(double, low);
        return value;
    }

    /// The constant in the number type `T` (or in a vector of such), rounded where `T` is narrower.
    template <class T>
    DYAD_FN constexpr T as() const {
        if constexpr (number<T>) {
            // (-0 + 0 would be 0.)
            return low == 0 ? static_cast<T>(high) : static_cast<T>(high) + static_cast<T>(low);
        } else {
            return T(static_cast<typename T::value_type>(high));
        }
    }

    friend constexpr bool operator==(const exact& a, const exact& b) {
        return std::bit_cast<std::uint64_t>(a.high) == std::bit_cast<std::uint64_t>(b.high) &&
               std::bit_cast<std::uint64_t>(a.low) == std::bit_cast<std::uint64_t>(b.low);
    }
    friend constexpr bool operator==(const exact& a, double b) { return a.low == 0 && a.high == b; }
};

} // namespace dyad
