// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The outer tape's number as a source of the inner tape.

#include <dyad/tape.hpp>

double slope() {
    dyad::tape outer;
    const dyad::real x = outer.variable(3.0);
    dyad::tape inner;
    const auto z = inner.variable(x);
    const dyad::active<dyad::real> y = z * z;
    return inner.gradient(y, z).value();
}
