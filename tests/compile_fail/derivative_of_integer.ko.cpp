// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An integer is data; it has no neighbours to differentiate towards.
// expect: \[dyad\] transform: a derivative with respect to an integer does not exist

#include <dyad/core.hpp>

int main() {
    return dyad::grad([](auto x) { return x * x; })(3) == 6 ? 0 : 1;
}
