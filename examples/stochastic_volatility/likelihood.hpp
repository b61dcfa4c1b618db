// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The likelihood of the three parameters: for each of them, Newton's method finds the most likely h, and Laplace's method
// integrates around it. The gradient knows that the mode moves with the parameters.
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "model.hpp"

namespace volatility {

/// mu, artanh phi, log sigma
using parameters = xt::xtensor<double, 1>;

class likelihood {
public:
    explicit likelihood(series y) : y_(std::move(y)), inside_(y_), mode_(y_) {
        mode_.fill(0);
        inside_.fill(1);
        inside_(0) = inside_(y_.size() - 1) = 0;
    }

    /// The logarithm of the joint density of h and the returns, and its gradient by h.
    [[nodiscard]] std::pair<double, series> density(const parameters& p, const series& h) const {
        return dyad::value_and_grad<3>(log_density)(p(0), p(1), p(2), h, y_);
    }

    /// The most likely h, which is unique. The search begins at the last one.
    const series& mode(const parameters& p) {
        constexpr int most_steps = 100;
        constexpr double converged = 1e-20, rounding = 1e-12;
        for (int i = 0; i < most_steps; ++i) {
            const auto [value, slope] = density(p, mode_);
            const series step = solve(p, slope);
            double rise = 0;
            for (std::size_t t = 0; t < step.size(); ++t) rise += step(t) * slope(t);
            if (!(rise > converged * static_cast<double>(step.size()))) return mode_;
            const auto part_of = [&](double part) { return series(mode_ + part * step); };
            const auto falls = [&, before = value](double part) {
                const double after = density(p, part_of(part)).first;
                return !(after >= before - rounding * std::abs(before));
            };
            double part = 1;
            while (part > 1e-9 && falls(part)) part /= 2;
            mode_ = part_of(part);
        }
        throw std::runtime_error("Newton's method does not find the most likely volatilities");
    }

    /// The logarithm of the likelihood, and its gradient. With F(p, h) the function of the model, h the mode, H the Hessian of
    /// the density by h and w = -H⁻¹ F_h, the mode adds the gradient by p of the density's slope along w.
    std::pair<double, parameters> value_and_gradient(const parameters& p) {
        const series h = mode(p);
        auto [value, slopes] = dyad::value_and_grad<0, 1, 2, 3>(log_likelihood)(p(0), p(1), p(2), h, y_, inside_);
        const auto& [by_mu, by_phi, by_sigma, by_h] = slopes;
        const series w = solve(p, by_h), still = xt::zeros<double>(y_.shape());
        const auto mixed = dyad::hvp(log_density)(std::tuple{p(0), p(1), p(2), h, y_}, std::tuple{0.0, 0.0, 0.0, w, still});
        return {value, parameters{by_mu + std::get<0>(mixed), by_phi + std::get<1>(mixed), by_sigma + std::get<2>(mixed)}};
    }

    /// -H⁻¹ r at the last mode: elimination, and its way back.
    [[nodiscard]] series solve(const parameters& p, const series& r) const {
        const double phi = std::tanh(p(1)), variance = std::exp(2 * p(2));
        series pivot = dyad::evaluate(diagonal, p(0), p(1), p(2), mode_, y_, inside_), x = variance * r;
        for (std::size_t t = 1; t < x.size(); ++t) {
            pivot(t) -= phi * phi / pivot(t - 1);
            x(t) += phi / pivot(t - 1) * x(t - 1);
        }
        for (std::size_t t = x.size(); t-- > 0;) {
            if (t + 1 < x.size()) x(t) += phi * x(t + 1);
            x(t) /= pivot(t);
        }
        return x;
    }

private:
    series y_, inside_, mode_;
};

} // namespace volatility
