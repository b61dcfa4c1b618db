// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

#include <string>

double slope() {
    return dyad::tape_grad<0>([](auto x, const auto& name) { return name.empty() ? x : 2 * x; })(3.0, std::string("a"));
}
