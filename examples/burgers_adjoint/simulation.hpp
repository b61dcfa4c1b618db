// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Burgers' equation u_t + u u_x = nu u_xx on the unit interval, with u = 0 at both ends, by explicit finite differences in
// conservative form: the state at time 0 comes in, that at the end comes out. The steps are one loop of the graph.
#pragma once

#include <cstddef>

#include <dyad/array.hpp>

namespace burgers {

using field = xt::xtensor<double, 1>;

inline constexpr std::size_t points = 128; // inside the interval
inline constexpr int steps = 200;
inline constexpr double spacing = 1.0 / (points + 1);
inline constexpr double time_step = 0.00125;
inline constexpr double viscosity = 0.005;

// Explicit steps with more of it amplify rounding errors.
static_assert(viscosity * time_step <= spacing * spacing / 2);

/// `stored` is what the way back keeps of the steps: dyad::store_values, dyad::store_sqrt ...
inline constexpr auto simulate = [](auto start, auto stored) {
    constexpr double diffused = viscosity * time_step / (spacing * spacing), carried = time_step / (4 * spacing);
    return dyad::fori_loop(
        steps,
        [&](auto, auto u) {
            const auto wide = dyad::pad(u, 0, 1, 1);
            const auto left = dyad::slice(wide, 0, 0, -2), right = dyad::slice(wide, 0, 2);
            return u + diffused * (left - 2 * u + right) - carried * (square(right) - square(left));
        },
        start, stored);
};

/// Half the sum of squares of what the simulation misses, and of the start's differences, weighted: what viscosity has
/// smoothed away can only be guessed, and the guess is a smooth one.
template <class Stored>
struct misfit {
    template <class U, class Observed, class Weight>
    constexpr auto operator()(const U& start, const Observed& observed, const Weight& weight) const {
        const auto missed = simulate(start, Stored{}) - observed;
        const auto wide = dyad::pad(start, 0, 1, 1);
        const auto differences = dyad::slice(wide, 0, 1) - dyad::slice(wide, 0, 0, -1);
        return 0.5 * sum(square(missed)) + 0.5 * weight * sum(square(differences));
    }
};

} // namespace burgers
