// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The heat equation u_t = k (u_xx + u_yy) on the unit square, with u = 0 on its edge, by explicit
// finite differences: parameters and the shape of the initial condition come in, the temperatures
// at the end come out. A plain loop of array operations, and differentiable as it stands.
#pragma once

#include <array>
#include <cstddef>

#include <dyad/array.hpp>

namespace heat {

using field = xt::xtensor<double, 2>;

/// The diffusion coefficient k, and the factor of the initial shape.
using parameters = std::array<double, 2>;

inline constexpr std::size_t points = 32; // inside the square, in each direction
inline constexpr int steps = 20;
inline constexpr double spacing = 1.0 / (points + 1);
inline constexpr double time_step = 1.0 / 300;

/// Explicit steps with a greater k amplify rounding errors.
inline constexpr double largest_stable = spacing * spacing / (4 * time_step);

/// With the zeros of the edge around it.
inline constexpr auto with_edge = [](const auto& u) { return pad(pad(u, 0, 1, 1), 1, 1, 1); };

/// One step of a field with its edge.
inline constexpr auto advance = [](const auto& u, const auto& share) {
    const auto rows = slice(u, 0, 1, -1), columns = slice(u, 1, 1, -1);
    const auto inside = slice(rows, 1, 1, -1);
    const auto neighbours = slice(columns, 0, 0, -2) + slice(columns, 0, 2) +
                            slice(rows, 1, 0, -2) + slice(rows, 1, 2);
    return with_edge(inside + share * (neighbours - 4 * inside));
};

inline constexpr auto simulate = [](const auto& p, const auto& shape) {
    const auto& [diffusion, amplitude] = p;
    const auto share = diffusion * (time_step / (spacing * spacing));
    auto u = with_edge(amplitude * shape);
    for (int i = 0; i < steps; ++i) u = advance(u, share);
    return slice(slice(u, 0, 1, -1), 1, 1, -1);
};

} // namespace heat
