// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// In a function that captures, each value has a type of its own; a helper of one type wants a trace.
// expect: \[dyad\] call: the function cannot be called so.*pass what it captures as arguments too, and choose with grad<...>
// max-lines: 60

#include <dyad/core.hpp>

template <class T>
constexpr T scaled(T x, T k) {
    return k * x * x;
}
double slope(double k) {
    return dyad::grad([k](auto x) { return scaled<decltype(x)>(x, k); })(2.0);
}
