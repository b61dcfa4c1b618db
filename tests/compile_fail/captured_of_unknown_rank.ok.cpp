// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// An array beside an expression needs a rank, too.

#include <dyad/array.hpp>

#if __has_include(<xtensor/containers/xadapt.hpp>)
#include <xtensor/containers/xadapt.hpp>
#else
#include <xtensor/xadapt.hpp>
#endif

#include <vector>

auto slope(std::vector<double>& memory, const std::vector<std::size_t>& shape) {
    const auto x = xt::adapt(memory, shape);
    const dyad::var<"c"> c{2};
    return (c * dyad::ranked<2>(x)).value();
}
