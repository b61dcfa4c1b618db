// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Newton's method on the loss of logistic regression with a quadratic penalty. The loss is strictly
// convex, so there is one optimum, and a gradient of 0 is how it is known.
#pragma once

#include <functional>

#include <dyad/array.hpp>

#include "labelled_rows.hpp"

namespace logistic {

struct iteration {
    int number;
    double loss;
    double gradient_norm;
    double accuracy; // share of the rows
    double step;     // the part of Newton's step that led here
};

struct fit {
    xt::xtensor<double, 1> weights;
    iteration last;
};

/// From weights of 0 until the gradient is as small as rounding lets it be; `watch` sees every
/// iteration. `strength` is the penalty's on every weight but the intercept, the last one.
fit newton(const labelled_rows& data, double strength,
           const std::function<void(const iteration&)>& watch);

} // namespace logistic
