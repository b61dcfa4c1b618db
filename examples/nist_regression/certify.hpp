// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Fits one problem from one of its official starts and compares with the certified values.
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "levenberg_marquardt.hpp"
#include "problem.hpp"

namespace nist {

struct certified_fit {
    nist::fit fit;
    double digits; // of agreement, in the worst parameter
    double turn;   // certified minus fitted b1, as far as the model's period explains it
};

/// `start` counts from 0; the problem's name must be one of the 27.
certified_fit certify(const problem& data, std::size_t start);

/// -log10(|b - c| / |c|) in the worst parameter, between 0 and 11: NIST certifies eleven digits,
/// and what agrees beyond them agrees by chance.
double agreement(const Eigen::VectorXd& b, const std::vector<double>& certified);

} // namespace nist
