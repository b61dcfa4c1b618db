// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The program every consumer builds. Two translation units include the library, so a function that
// is not inline fails to link.
#include <dyad/core.hpp>

#include <cstdio>

double slope_elsewhere(double x);

int main() {
    const double here = dyad::grad([](auto x) { return x * x * x; })(2.0);
    std::printf("dyad %d.%d.%d: %g\n", DYAD_VERSION_MAJOR, DYAD_VERSION_MINOR, DYAD_VERSION_PATCH,
                here);
    return here == 12.0 && slope_elsewhere(2.0) == here ? 0 : 1;
}
