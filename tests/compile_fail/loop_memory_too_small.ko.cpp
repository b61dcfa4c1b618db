// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A loop that stores its states within some bytes has room for one.
// max-lines: 40
// expect: \[dyad\] store_within: so few bytes hold no state of the loop

#include <tuple>

#include <dyad/core.hpp>

double slope(double x, int n) {
    return dyad::grad<0, 1>([](auto y, auto z, auto rounds) {
        return dyad::fori_loop(rounds, [&](auto, auto s) { return s * s * y + z; }, y, dyad::store_within<7>);
    })(x, x, n) == std::tuple{x, x};
}
