// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#include <dyad/tape.hpp>

#include <cmath>
#include <cstdio>

dyad::real grown(const dyad::real& x);
void refused(dyad::tape& tape, const dyad::real& y, const dyad::real& x);

int main() {
    dyad::tape tape;
    const dyad::real x = tape.variable(1.5);
    const dyad::real y = grown(x) * x;
    const double found = tape.gradient(y, x);
    double value = 1.5, slope = 1;
    while (value < 50) {
        slope = slope * 1.5 + value + std::cos(1.5);
        value = value * 1.5 + std::sin(1.5);
    }
    const double wanted = slope * 1.5 + value;
    std::printf("the slope of what a shared library computes: %.12g, by hand %.12g\n", found, wanted);
    if (!(std::abs(found - wanted) < 1e-9)) return 1;
    try {
        refused(tape, y, x); // a second gradient of a tape that is not persistent
    } catch (const dyad::tape_error&) {
        return 0;
    }
    return 1;
}
