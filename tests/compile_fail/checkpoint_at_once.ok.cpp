// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The arguments go to what checkpoint returns.

#include <dyad/core.hpp>

int main() {
    return dyad::derivative([](auto x) { return dyad::checkpoint([](auto u) { return sin(u * u); })(x); })(0.0) == 0 ? 0 : 1;
}
