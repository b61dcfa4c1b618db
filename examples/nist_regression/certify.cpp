// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The one place where data, model and fit meet.
#include "certify.hpp"

#include <algorithm>
#include <cmath>

#include "models.hpp"

namespace nist {

certified_fit certify(const problem& data, std::size_t start) {
    const model& of = *find_model(data.name);
    const std::vector<double>& from = data.starts[start];
    const Eigen::Map<const Eigen::VectorXd> b(from.data(), static_cast<Eigen::Index>(from.size()));
    certified_fit result{
        levenberg_marquardt([&](const Eigen::VectorXd& at) { return of.linearise(data, at); }, b),
        0, 0};

    Eigen::VectorXd nearest = result.fit.parameters;
    if (of.period != 0)
        result.turn = of.period * std::round((data.certified[0] - nearest[0]) / of.period);
    nearest[0] += result.turn;
    result.digits = agreement(nearest, data.certified);
    return result;
}

double agreement(const Eigen::VectorXd& b, const std::vector<double>& certified) {
    double worst = 11;
    for (std::size_t i = 0; i < certified.size(); ++i) {
        const double error = std::abs(b[static_cast<Eigen::Index>(i)] - certified[i]);
        const double digits = -std::log10(error / std::abs(certified[i]));
        worst = std::isnan(digits) ? 0 : std::min(worst, digits);
    }
    return std::max(worst, 0.0);
}

} // namespace nist
