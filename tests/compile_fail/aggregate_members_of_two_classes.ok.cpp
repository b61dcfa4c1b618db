// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

template <class T>
struct place {
    T x, y;
};
template <class P, class T>
struct body {
    P at;
    T mass;
};

double slope() {
    return dyad::grad([](auto b) { return b.at.x * b.mass; })(body<place<double>, double>{{3, 4}, 5}).mass;
}
