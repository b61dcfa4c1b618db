// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Parameters from noisy observations by least squares: Gauss and Newton's method, with directional
// derivatives of the whole simulation from dyad.
#pragma once

#include <functional>

#include "simulation.hpp"

namespace heat {

struct iteration {
    int number;
    parameters at;
    double sum_of_squares;
    double gradient_norm; // of half that sum, each parameter in units of itself
};

struct estimate {
    parameters found;
    parameters standard_error;
    double noise;   // estimated from what remains
    bool converged; // a further step would change next to nothing
    iteration last;
};

/// `watch` sees every iteration.
estimate gauss_newton(const field& shape, const field& observed, parameters start,
                      const std::function<void(const iteration&)>& watch);

} // namespace heat
