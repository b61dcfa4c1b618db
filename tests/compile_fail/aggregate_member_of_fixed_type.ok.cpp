// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A member of a type of its own cannot hold traced values.

#include <dyad/core.hpp>

template <class T, class Index>
struct observation {
    T u, v;
    Index camera;
};
auto slope(const observation<double, int>& o) {
    return dyad::grad<1>([](auto p, auto x) { return p.u * x + p.v; })(o, 2.0);
}
