// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// An integrator as one would write it for double: Runge-Kutta of orders 4 and 5 (Fehlberg), which halves or stretches its
// steps by what they are worth.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>

namespace ode {

template <class T, std::size_t N>
using state = std::array<T, N>;

/// y(end) from y(0), where y' = slope(y). The steps are chosen by the values, so they are plain numbers. Throws
/// std::runtime_error where no step is short enough.
template <class T, std::size_t N, class Slope>
state<T, N> integrate(state<T, N> y, double end, double tolerance, Slope slope, int* steps = nullptr) {
    double t = 0, h = end / 100;
    while (t < end) {
        h = std::min(h, end - t);
        const auto moved = [&](auto... weighted) {
            state<T, N> z = y;
            const auto add = [&](double weight, const state<T, N>& k) {
                for (std::size_t i = 0; i < N; ++i) z[i] += h * weight * k[i];
            };
            (add(weighted.first, *weighted.second), ...);
            return z;
        };
        const auto by = [](double weight, const state<T, N>& k) { return std::pair{weight, &k}; };
        const state<T, N> k1 = slope(y);
        const state<T, N> k2 = slope(moved(by(0.25, k1)));
        const state<T, N> k3 = slope(moved(by(3.0 / 32, k1), by(9.0 / 32, k2)));
        const state<T, N> k4 = slope(moved(by(1932.0 / 2197, k1), by(-7200.0 / 2197, k2), by(7296.0 / 2197, k3)));
        const state<T, N> k5 = slope(moved(by(439.0 / 216, k1), by(-8.0, k2), by(3680.0 / 513, k3), by(-845.0 / 4104, k4)));
        const state<T, N> k6 = slope(moved(by(-8.0 / 27, k1), by(2.0, k2), by(-3544.0 / 2565, k3), by(1859.0 / 4104, k4), by(-11.0 / 40, k5)));
        const state<T, N> next = moved(by(16.0 / 135, k1), by(6656.0 / 12825, k3), by(28561.0 / 56430, k4), by(-9.0 / 50, k5), by(2.0 / 55, k6));
        double error = 0;
        for (std::size_t i = 0; i < N; ++i) {
            const double e = h * (static_cast<double>(k1[i]) / 360 - 128.0 / 4275 * static_cast<double>(k3[i]) - 2197.0 / 75240 * static_cast<double>(k4[i]) +
                                  static_cast<double>(k5[i]) / 50 + 2.0 / 55 * static_cast<double>(k6[i]));
            error = std::isfinite(e) ? std::max(error, std::fabs(e)) : std::numeric_limits<double>::infinity();
        }
        if (error <= tolerance) {
            y = next;
            t += h;
            if (steps != nullptr) ++*steps;
        }
        if (t < end && t + h == t) throw std::runtime_error("ode::integrate: the steps have become too short");
        h *= std::clamp(0.9 * std::pow(tolerance / std::max(error, 1e-300), 0.2), 0.2, 5.0);
    }
    return y;
}

} // namespace ode
