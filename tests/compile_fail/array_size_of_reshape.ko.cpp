// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A size of a reshape is a number that the compiler knows, or that of an axis: not what is computed of elements.
// expect: \[dyad\] reshape, broadcast_to, full: a size is a whole number that the compiler knows or the size of an axis, as x.shape\(0\)

#include <dyad/array.hpp>

auto slope(const xt::xtensor<double, 2>& x) {
    return dyad::grad([](auto a) { return sum(square(reshape(a, a.shape(0) * 2, -1))); })(x);
}
