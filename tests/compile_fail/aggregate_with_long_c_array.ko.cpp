// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The elements of an array as in C cannot be told from members, however many they are.
// expect: \[dyad\] argument or result: its type is neither a number nor a std::array

#include <dyad/core.hpp>

template <class T>
struct many {
    T at[1000];
};

auto slope(const many<double>& x) {
    return dyad::grad([](auto p) { return p.at[0] * p.at[1]; })(x);
}
