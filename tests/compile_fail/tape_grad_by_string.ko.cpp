// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] tape_grad: an argument to differentiate by is not made of numbers

#include <dyad/tape.hpp>

#include <string>

double slope() {
    static_cast<void>(dyad::tape_grad([](auto x, const auto& name) { return name.empty() ? x : 2 * x; })(3.0, std::string("a")));
    return 0;
}
