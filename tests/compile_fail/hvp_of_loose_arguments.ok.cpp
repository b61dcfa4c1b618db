// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

auto product() {
    return dyad::hvp([](auto x, auto y) { return x * y; })(std::tuple{1.0, 2.0}, std::tuple{3.0, 0.0});
}
