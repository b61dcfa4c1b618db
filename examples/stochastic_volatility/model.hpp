// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The model: log-variances h that wander around a mean, and returns y with these variances,
//   h_t = mu + phi (h_(t-1) - mu) + sigma eta_t,   y_t = exp(h_t / 2) eps_t,   eta_t, eps_t standard normal.
// Its density and the curvature of that, each a loop over time, are plain generic functions. So that every number is
// possible, the parameters are mu, artanh phi and log sigma.
#pragma once

#include <tuple>
#include <utility>

#include <dyad/array.hpp>

namespace volatility {

using series = xt::xtensor<double, 1>;

inline constexpr double log_two_pi = 1.8378770664093454836;

/// log p(h, y)
inline constexpr auto log_density = [](auto mu, auto artanh_phi, auto log_sigma, auto h, auto y) {
    const auto phi = tanh(artanh_phi), precision = exp(-2 * log_sigma);
    const auto end = dyad::scan(
        [&](auto state, auto now) {
            const auto [before, total] = state;
            const auto [level, observed] = now;
            const auto moved = level - (mu + phi * (before - mu));
            const auto more = precision * moved * moved + level + observed * observed * exp(-level);
            return std::pair{std::tuple{level, total + more}, std::tuple<>{}};
        },
        std::tuple{mu, 0 * mu}, std::tuple{h, y});
    const auto first = phi * (h[0] - mu); // the first one has the variance of all, sigma² / (1 - phi²)
    return -0.5 * (std::get<1>(end.first) - precision * first * first) + 0.5 * log(1 - phi * phi) -
           h.shape(0) * (log_sigma + log_two_pi);
};

/// The diagonal of -sigma² H, H the Hessian of log p by h. H has two more diagonals, of phi / sigma². `inside` is 1, but 0
/// for the first and the last time.
inline constexpr auto diagonal = [](auto, auto artanh_phi, auto log_sigma, auto h, auto y, auto inside) {
    return 1 + square(tanh(artanh_phi)) * inside + 0.5 * exp(2 * log_sigma) * square(y) * exp(-h);
};

/// log ∫ p(h, y) dh by Laplace's method, if h is the mode: the logarithm of the density there, and the determinant of H from
/// the elimination of its subdiagonal.
inline constexpr auto log_likelihood = [](auto mu, auto artanh_phi, auto log_sigma, auto h, auto y, auto inside) {
    const auto phi = tanh(artanh_phi);
    const auto end = dyad::scan(
        [&](auto state, auto entry) {
            const auto [eliminated, total] = state;
            const auto pivot = entry - eliminated;
            return std::pair{std::tuple{phi * phi / pivot, total + log(pivot)}, std::tuple<>{}};
        },
        std::tuple{0 * mu, 0 * mu}, diagonal(mu, artanh_phi, log_sigma, h, y, inside));
    return log_density(mu, artanh_phi, log_sigma, h, y) - 0.5 * std::get<1>(end.first) +
           h.shape(0) * (log_sigma + 0.5 * log_two_pi);
};

} // namespace volatility
