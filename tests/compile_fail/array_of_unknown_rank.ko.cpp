// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Ranks belong to types; xt::xarray has its own at run time.
// expect: \[dyad\] argument: the rank of this array is known only at run time; pass ranked<2>\(x\)

#include <dyad/array.hpp>

#if __has_include(<xtensor/containers/xadapt.hpp>)
#include <xtensor/containers/xadapt.hpp>
#else
#include <xtensor/xadapt.hpp>
#endif

#include <vector>

auto slope(std::vector<double>& memory, const std::vector<std::size_t>& shape) {
    auto squares = [](auto a) { return sum(a * a); };
    const auto x = xt::adapt(memory, shape);
    return dyad::grad(squares)(x);
}
