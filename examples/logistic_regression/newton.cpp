// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Gradient and Hessian come from dyad, from the one line that states the loss. Steps that do not
// lower the loss enough are halved.
#include "newton.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include <lapacke.h>

namespace logistic {
namespace {

using vector = xt::xtensor<double, 1>;

// -log of the probability of label t at score z is log(1 + exp(z)) - t z.
constexpr auto loss = [](auto w, auto features, auto labels, auto penalty) {
    const auto score = matmul(features, w);
    return mean(softplus(score) - labels * score) + sum(penalty * square(w)) / 2;
};

double inner(const vector& x, const vector& y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x(i) * y(i);
    return sum;
}

double accuracy(const labelled_rows& data, const vector& w) {
    std::size_t right = 0;
    for (std::size_t i = 0; i < data.rows(); ++i) {
        double score = 0;
        for (std::size_t j = 0; j < data.columns(); ++j) score += data.features(i, j) * w(j);
        right += (score > 0) == (data.labels(i) == 1);
    }
    return static_cast<double>(right) / static_cast<double>(data.rows());
}

// -H⁻¹ g, by Cholesky's factorisation: H is positive definite.
vector newton_step(xt::xtensor<double, 2> hessian, const vector& gradient) {
    vector step = -gradient;
    const auto n = static_cast<lapack_int>(step.size());
    if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, hessian.data(), n, step.data(), 1) != 0)
        throw std::runtime_error("the Hessian is not positive definite");
    return step;
}

} // namespace

fit newton(const labelled_rows& data, double strength,
           const std::function<void(const iteration&)>& watch) {
    constexpr int most_iterations = 100;
    constexpr double smallest_step = 1e-10, rounding = 1e-14;

    vector w = xt::zeros<double>({data.columns()});
    vector penalty = strength * xt::ones<double>({data.columns()});
    penalty(data.columns() - 1) = 0;
    const auto look = [&](const vector& at) {
        return dyad::value_and_grad<0>(loss)(at, data.features, data.labels, penalty);
    };

    auto [value, gradient] = look(w);
    iteration now{0, value, std::sqrt(inner(gradient, gradient)), accuracy(data, w), 0};
    watch(now);
    while (now.number < most_iterations) {
        const auto hessian = dyad::hessian<0>(loss)(w, data.features, data.labels, penalty);
        const vector direction = newton_step(hessian, gradient);
        const double slope = inner(gradient, direction);
        double part = 1;
        vector next = w + direction;
        auto [next_value, next_gradient] = look(next);
        while (!(next_value <= value + 1e-4 * part * slope + rounding * value) &&
               part > smallest_step) {
            part /= 2;
            next = w + part * direction;
            std::tie(next_value, next_gradient) = look(next);
        }
        if (!std::isfinite(next_value)) throw std::runtime_error("no step leads to a finite loss");
        const double norm = std::sqrt(inner(next_gradient, next_gradient));
        if (now.gradient_norm < 1e-8 && !(norm < now.gradient_norm / 2)) break;
        w = next;
        value = next_value;
        gradient = next_gradient;
        now = {now.number + 1, value, norm, accuracy(data, w), part};
        watch(now);
    }
    return {w, now};
}

} // namespace logistic
