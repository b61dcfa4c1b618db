// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A size of a reshape is a number that the compiler knows; the one that is left is -1.
// expect: \[dyad\] axis, size, position: a whole number that the compiler knows, .*reshape\(x, 2, -1\)

#include <dyad/array.hpp>

auto slope(const xt::xtensor<double, 2>& x) {
    return dyad::grad([](auto a) { return sum(square(reshape(a, a.size()))); })(x);
}
