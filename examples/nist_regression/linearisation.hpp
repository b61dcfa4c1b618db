// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a model tells a fit at one point b: residuals and Jacobian. All that the two know of each
// other.
#pragma once

#include <Eigen/Core>

namespace nist {

/// r(b) and dr/db, one row for each observation.
struct linearisation {
    Eigen::VectorXd residuals;
    Eigen::MatrixXd jacobian;

    [[nodiscard]] bool finite() const { return residuals.allFinite() && jacobian.allFinite(); }
};

} // namespace nist
