// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The expression comes from around the body: neither what goes round nor what is gone through is one.
// (clang also prints how the function came to be called.)
// max-lines: 42
// expect: \[dyad\] scan, map, vmap: a function that captures numbers cannot scan; pass what it captures as arguments

#include <dyad/core.hpp>

double slope(double c) {
    return dyad::grad([c](auto x) { return dyad::scan([&](auto s, auto e) { return std::pair{s * c * x + e, e}; }, 1.0, std::array{1.0, 2.0}).first; })(2.0);
}
