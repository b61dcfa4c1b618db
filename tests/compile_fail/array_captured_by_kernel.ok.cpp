// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/array.hpp>

using vector = xt::xtensor<double, 1>;

auto scaled(const vector& x, const vector& factor, double shift) {
    return dyad::kernel([shift](auto element, auto by) { return element * by + shift; })(x, factor);
}
