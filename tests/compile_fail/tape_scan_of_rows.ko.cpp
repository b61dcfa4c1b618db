// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A recorded matrix is no sequence of its elements.
// expect: \[dyad\] scan, map: over the rows of an array of numbers that is not traced; .* on a tape, through tape\.apply
// max-lines: 40

#include <dyad/dyad.hpp>

auto slopes(double w, const xt::xtensor<double, 2>& x) {
    return dyad::tape_grad([](auto v, auto y) { return std::get<0>(dyad::scan([](auto s, auto e) { return std::pair{s * e, s}; }, v, y)); })(w, x);
}
