// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The heat equation u_t = k (u_xx + u_yy) on the unit square, with u = 0 on its edge, by explicit
// finite differences: parameters and the shape of the initial condition come in, the temperatures
// at the end come out. One loop in the graph: it compiles in the time of one step, whatever their number.
#pragma once

#include <array>
#include <cstddef>

#include <dyad/array.hpp>

namespace heat {

using field = xt::xtensor<double, 2>;

/// The diffusion coefficient k, and the factor of the initial shape.
using parameters = std::array<double, 2>;

inline constexpr std::size_t points = 32; // inside the square, in each direction
inline constexpr int steps = 40;
inline constexpr double spacing = 1.0 / (points + 1);
inline constexpr double time_step = 1.0 / 1500;

/// Explicit steps with a greater k amplify rounding errors.
inline constexpr double largest_stable = spacing * spacing / (4 * time_step);

/// u_xx + u_yy, times the square of the spacing: u is 0 around the grid.
inline constexpr auto differences = [](const auto& u) {
    const auto rows = pad(u, 0, 1, 1), columns = pad(u, 1, 1, 1);
    return slice(rows, 0, 0, -2) + slice(rows, 0, 2) + slice(columns, 1, 0, -2) +
           slice(columns, 1, 2) - 4 * u;
};

inline constexpr auto simulate = [](const auto& diffusion, const auto& amplitude,
                                    const auto& shape) {
    const auto share = diffusion * (time_step / (spacing * spacing));
    const auto step = [&](auto, const auto& u) { return u + share * differences(u); };
    return dyad::fori_loop(steps, step, amplitude * shape);
};

} // namespace heat
