// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A number in a device's memory, which an operation there reads without a copy to the host.
#pragma once

#include <dyad/device/movement.hpp>

namespace dyad::device {

/// Converted to a number of the host, it is copied; that waits for what computes it.
template <class E>
struct number_on_device {
    using value_type = E;
    const E* data;

    template <class T>
    explicit operator T() const {
        E value;
        copy_to_host(&value, data, sizeof(E));
        return static_cast<T>(value);
    }
};
template <class X>
inline constexpr bool is_number_on_device = false;
template <class E>
inline constexpr bool is_number_on_device<number_on_device<E>> = true;

/// Puts a number where `to` is, by way of T, unless it lies there: one of the host travels as an argument of a kernel.
template <class T, class X, class E>
void put(const X& x, E* to) {
    if constexpr (is_number_on_device<X>) {
        if (static_cast<const void*>(x.data) == to) return;
    }
    auto a = loop_over<T, 1>(array_reference<E, 0>{to, {}, {}});
    constexpr auto program = words_of<single_operation<opcode::input>>();
    if constexpr (is_number_on_device<X>) {
        a.in[0] = x.data;
        run_loop(program, parts_of(walking_over(x.data)), parts_of(stored_at(to)), a);
    } else {
        a.number[0] = x;
        run_loop(program, parts_of(given{}), parts_of(stored_at(to)), a);
    }
}

} // namespace dyad::device
