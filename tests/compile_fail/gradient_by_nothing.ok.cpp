// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A gradient is by variables that the call names.

#include <dyad/core.hpp>

int main() {
    dyad::var<"x"> x{1};
    const auto g = gradient(x * x, x);
    return std::get<0>(g) == 2 ? 0 : 1;
}
