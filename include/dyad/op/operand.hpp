// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which types an operation takes: plain values (numbers, and vectors of numbers such as
// xsimd::batch<double>) and symbolic ones (traced values, eager expressions, later the tape's).
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <dyad/base/number.hpp>
#include <dyad/op/opcode.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// A type whose operations are recorded rather than computed; it says so by `dyad_symbolic`, and derives from
/// `operators::home` (operators.hpp), where its operators are found.
template <class T>
concept symbolic = requires { typename std::remove_cvref_t<T>::dyad_symbolic; };

/// An array whose elements lie in the memory of a device; device/ says which.
template <class T>
inline constexpr bool is_device_array = false;

/// An array of numbers that a tape records; api/tape_array_functions.hpp says which.
template <class T>
inline constexpr bool is_recorded_array = false;

/// A container is no number, and its operators need not be asked for.
template <class T>
concept container = requires { typename T::iterator; } || is_device_array<T>;

/// Several numbers that compute in step, such as xsimd::batch<double>.
template <class T>
concept vector_like = std::is_class_v<T> && !symbolic<T> && !container<T> && requires(const T& x) {
    requires real_number<typename T::value_type>;
    T(typename T::value_type{});
    { x * x } -> std::convertible_to<T>;
    { x - x } -> std::convertible_to<T>;
    { x / x } -> std::convertible_to<T>;
    x < x;
};

/// A value that computes at once.
template <class T>
concept plain = number<T> || vector_like<T>;

/// A container that counts as one operand, an array; array/ says which.
template <class T>
inline constexpr bool is_array = false;
/// How many axes it has.
template <class T>
inline constexpr unsigned rank_of_array = 0;

/// What may stand in an operation.
template <class T>
concept operand = plain<T> || symbolic<T>;

/// The number type that plain operands compute in together: a vector if there is one; else the widest
/// floating-point type; else double, as `x / 3` means real division.
template <class... X>
struct common_real;
template <class X>
struct common_real<X> {
    using type = X;
};
template <number X>
struct common_real<X> {
    using type = real_of<X>;
};
template <class X, class Y, class... Rest>
struct common_real<X, Y, Rest...> {
    static constexpr auto pick() {
        if constexpr (!number<X> && !number<Y> && !std::same_as<X, Y>) {
            constexpr bool lower = std::is_convertible_v<X, Y>; // of a tape below the other's
            static_assert(lower || std::is_convertible_v<Y, X>, "[dyad] argument: numbers of two types, such as active<float> and active<double>, or vectors of two, do not mix; convert one");
            return std::type_identity<std::conditional_t<lower && !std::is_convertible_v<Y, X>, Y, X>>{};
        } else if constexpr (!number<X>) {
            return std::type_identity<X>{};
        } else if constexpr (!number<Y>) {
            return std::type_identity<Y>{};
        } else if constexpr (std::floating_point<X> == std::floating_point<Y>) {
            return std::type_identity<std::common_type_t<real_of<X>, real_of<Y>>>{};
        } else {
            return std::type_identity<std::conditional_t<std::floating_point<X>, X, Y>>{};
        }
    }
    using type = typename common_real<typename decltype(pick())::type, Rest...>::type;
};
template <class... X>
using common_real_t = typename common_real<X...>::type;

/// A plain value as the type `T`: numbers convert, vectors stay or are filled.
template <class T, class X>
DYAD_FN constexpr T to_value(const X& x) {
    if constexpr (std::same_as<T, X>) {
        return x;
    } else if constexpr (number<T>) {
        return static_cast<T>(x);
    } else if constexpr (!number<X> && std::is_convertible_v<const X&, T>) {
        return T(x); // (with its derivatives, which its value alone has not)
    } else {
        return T(static_cast<typename T::value_type>(x));
    }
}

/// A whole number known to the type system.
template <int N>
using whole = std::integral_constant<int, N>;

/// Applies an operation. Plain operands compute at once in their common type; otherwise the symbolic
/// operand's own `apply_symbolic` records the operation (found by argument-dependent look-up, so that
/// front ends are added without a change here). `attribute` is the operation's whole number, if it has one: an
/// int, or a `whole<N>` where it has to be part of a type.
template <opcode Op, class Attribute, class... X>
DYAD_FN constexpr auto apply(Attribute attribute, const X&... x) {
    if constexpr ((symbolic<X> || ...)) {
        return apply_symbolic(op_constant<Op>{}, attribute, x...);
    } else {
        using T = common_real_t<X...>;
        using operation = operation_over<Op, T>;
        if constexpr (operation::attributed) {
            return operation::value(attribute, to_value<T>(x)...);
        } else {
            return operation::value(to_value<T>(x)...);
        }
    }
}

} // namespace dyad
DYAD_BOTH_SIDES_END
