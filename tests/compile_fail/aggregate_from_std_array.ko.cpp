// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A std::array as a base: a binding names its elements, not members of the aggregate.
// expect: \[dyad\] argument or result: its type is neither a number nor .* aggregate template

#include <dyad/core.hpp>

template <class T>
struct place : std::array<T, 3> {};

double slope() {
    return dyad::grad([](auto p) { return p[0] * p[1]; })(place<double>{{3, 4, 5}})[0];
}
