// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

int main() {
    dyad::real x = 3.0;
    dyad::real y = x * x;
    y = y + 1;
    return static_cast<int>(y);
}
