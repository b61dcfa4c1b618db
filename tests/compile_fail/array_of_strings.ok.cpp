// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

#include <string>
#include <vector>

auto slope(const std::vector<float>& x) {
    auto loss = [](auto a) { return sum(a); };
    return dyad::grad(loss)(x);
}
