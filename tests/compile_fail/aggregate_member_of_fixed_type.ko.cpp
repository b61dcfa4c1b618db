// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A member of a type of its own cannot hold traced values.
// expect: \[dyad\] argument or result: .*aggregate template whose members are its parameters

#include <dyad/core.hpp>

template <class T>
struct observation {
    T u, v;
    int camera;
};
auto slope(const observation<double>& o) {
    return dyad::grad<1>([](auto p, auto x) { return p.u * x + p.v; })(o, 2.0);
}
