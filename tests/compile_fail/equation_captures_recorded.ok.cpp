// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// As an argument it has its slope.

#include <dyad/implicit.hpp>
#include <dyad/tape.hpp>

auto root(const dyad::real& c) {
    return dyad::implicit_root([](auto y, auto k, auto a) { return y * y - k * a; }, [](auto k, auto a) { return dyad::sqrt(k * a); })(c, 3.0);
}
