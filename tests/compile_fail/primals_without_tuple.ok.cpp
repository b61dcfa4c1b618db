// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Several primals, and their tangents, are tuples.

#include <tuple>

#include <dyad/core.hpp>

auto product() {
    auto f = [](auto x, auto y) { return x * y; };
    return dyad::hvp(f)(std::tuple{2.0, 3.0}, std::tuple{1.0, 0.0});
}
