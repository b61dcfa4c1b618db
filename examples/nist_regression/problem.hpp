// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// One NIST StRD regression problem as data: observations, two official starts, the certified
// answer. The reader of official files and the built-in tables produce it; the fit and the report
// consume it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace nist {

struct problem {
    std::string name;
    std::string level; // of difficulty: Lower, Average or Higher
    std::array<std::vector<double>, 2> starts;
    std::vector<double> certified;
    double certified_residual_sum = 0;
    std::size_t predictors = 1;
    std::vector<double> observations; // row by row: the response, then the predictors

    [[nodiscard]] std::size_t rows() const { return observations.size() / (1 + predictors); }
    [[nodiscard]] const double* row(std::size_t i) const {
        return observations.data() + i * (1 + predictors);
    }
};

} // namespace nist
