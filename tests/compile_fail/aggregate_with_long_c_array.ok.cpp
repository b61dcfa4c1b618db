// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The elements of an array as in C cannot be told from members, however many they are.

#include <dyad/core.hpp>

#include <array>

template <class T>
struct many {
    std::array<T, 1000> at;
};

auto slope(const many<double>& x) {
    return dyad::grad([](auto p) { return p.at[0] * p.at[1]; })(x);
}
