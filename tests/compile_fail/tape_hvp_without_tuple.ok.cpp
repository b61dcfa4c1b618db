// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

#include <tuple>

auto product() { return dyad::tape_hvp([](auto x, auto y) { return x * y; })(std::tuple{2.0, 3.0}, std::tuple{1.0, 0.0}); }
