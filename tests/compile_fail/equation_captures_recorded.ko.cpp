// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Where plain numbers are passed, only the solver runs: what the equation captures of a tape would be lost.
// expect: \[dyad\] capture: a function with a rule captures a number of a tape or a dual, whose derivative would be lost
// max-lines: 40

#include <dyad/implicit.hpp>
#include <dyad/tape.hpp>

auto root(const dyad::real& c) {
    return dyad::implicit_root([=](auto y, auto a) { return y * y - c * a; }, [](auto a) { return dyad::sqrt(2 * a); })(3.0);
}
