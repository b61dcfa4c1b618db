// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

bool right(double x) {
    return bool(dyad::check_gradient([](auto u) { return u * u; }, x));
}
