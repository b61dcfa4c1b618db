// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Aggregates of up to sixteen members can be taken apart.
// expect: \[dyad\] argument: an aggregate needs one to sixteen members

#include <dyad/core.hpp>

template <class T>
struct many { T a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q; };

auto slope(const many<double>& x) {
    return dyad::grad([](auto p) { return p.a * p.b; })(x);
}
