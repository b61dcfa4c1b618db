// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

int main() {
    return dyad::grad([](auto x) { return x * x; })(3.0) == 6.0 ? 0 : 1;
}
