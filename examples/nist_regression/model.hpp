// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// From a plain generic function f(b, x) to the residuals and the Jacobian of a whole problem.
// dyad differentiates f while compiling, so an observation costs one straight-line program. The
// type of f is erased around the loop over all observations, never inside it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string_view>

#include <Eigen/Core>
#include <dyad/core.hpp>

#include "linearisation.hpp"
#include "problem.hpp"

namespace nist {

struct model {
    std::string_view name;
    std::size_t parameters;
    std::size_t predictors;
    linearisation (*linearise)(const problem&, const Eigen::VectorXd& b);
    double period = 0; // if not 0: b[0] is known only up to whole multiples of it
};

/// One predictor is a plain number, several are an array.
template <std::size_t Predictors>
auto predictors_in(const double* row) {
    if constexpr (Predictors == 1) {
        return row[1];
    } else {
        std::array<double, Predictors> x;
        std::copy_n(row + 1, Predictors, x.begin());
        return x;
    }
}

template <class Function, class Response, std::size_t Parameters, std::size_t Predictors>
linearisation linearise(const problem& data, const Eigen::VectorXd& b) {
    using vector = Eigen::Matrix<double, 1, static_cast<int>(Parameters)>;
    std::array<double, Parameters> parameters;
    std::copy_n(b.data(), Parameters, parameters.begin());
    const auto rows = static_cast<Eigen::Index>(data.rows());
    linearisation at{Eigen::VectorXd(rows), Eigen::MatrixXd(rows, b.size())};
    for (Eigen::Index i = 0; i < rows; ++i) {
        const double* row = data.row(static_cast<std::size_t>(i));
        const auto [value, gradient] =
            dyad::value_and_grad<0>(Function{})(parameters, predictors_in<Predictors>(row));
        at.residuals[i] = value - Response{}(row[0]);
        at.jacobian.row(i) = Eigen::Map<const vector>(gradient.data());
    }
    return at;
}

/// f(b, x) as the model of the problem `name`, to be compared with `response(y)`.
template <std::size_t Parameters, std::size_t Predictors = 1, class Function,
          class Response = std::identity>
constexpr model make_model(std::string_view name, Function, Response = {}) {
    return {name, Parameters, Predictors, linearise<Function, Response, Parameters, Predictors>};
}

} // namespace nist
