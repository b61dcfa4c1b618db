// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Nonlinear least squares: from a start and a way to linearise the residuals to a minimum of their
// sum of squares. Knows nothing of models, problems or of who computes the Jacobian.
#pragma once

#include <functional>

#include <Eigen/Core>

#include "linearisation.hpp"

namespace nist {

struct fit {
    Eigen::VectorXd parameters;
    double residual_sum;
    int iterations; // linearisations after the one at the start, of steps taken or not
    bool converged;
};

/// Never throws for a function that turns infinite or NaN: such a step is one not taken.
fit levenberg_marquardt(const std::function<linearisation(const Eigen::VectorXd&)>& linearise,
                        const Eigen::VectorXd& start);

} // namespace nist
