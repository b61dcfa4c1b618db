// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The members are of one class: those of a base beside others cannot be named one by one.
// expect: \[dyad\] argument or result: its type is neither a number nor .* aggregate template

#include <dyad/core.hpp>

template <class T>
struct place {
    T x, y;
};
template <class T>
struct body : place<T> {
    T mass;
};

double slope() {
    return dyad::grad([](auto b) { return b.x * b.mass; })(body<double>{{3, 4}, 5}).mass;
}
