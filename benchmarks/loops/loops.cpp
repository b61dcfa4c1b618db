// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Time steppers and recurrences: Euler's method on Lorenz' system, a stochastic volatility model, Burgers' equation.
#include "harness.hpp"
#include "inputs.hpp"

#include <dyad/array.hpp>

#include <cmath>
#include <tuple>
#include <vector>

namespace bench {
namespace {

struct lorenz {
    static constexpr auto function = [](auto x, auto y, auto z, auto sigma, auto rho, auto beta, auto steps) {
        const auto [u, v, w] = dyad::fori_loop(
            steps,
            [&](auto, auto state) {
                const auto [a, b, c] = state;
                return std::tuple{a + 1e-4 * (sigma * (b - a)), b + 1e-4 * (a * (rho - c) - b), c + 1e-4 * (a * b - beta * c)};
            },
            std::tuple{x, y, z});
        return u + 2 * v + 3 * w;
    };
    std::size_t points, bytes = 0;
    std::vector<double> gradient, states;
    double value = 0, start = 1;
    explicit lorenz(std::size_t n) : points(n), gradient(6), states(3 * n) {}
    auto results() { return std::tie(value, gradient); }

    void by_dyad() {
        const auto [v, g] = dyad::value_and_grad<0, 1, 2, 3, 4, 5>(function)(start, 1.0, 1.0, 10.0, 28.0, 8.0 / 3, static_cast<int>(points));
        value = v;
        std::apply([&](auto... d) { gradient = {d...}; }, g);
    }
    void by_hand() {
        const double sigma = 10, rho = 28, beta = 8.0 / 3, h = 1e-4;
        double x = start, y = 1, z = 1;
        for (std::size_t i = 0; i < points; ++i) {
            double* const s = states.data() + 3 * i;
            s[0] = x, s[1] = y, s[2] = z;
            const double nx = x + h * (sigma * (y - x)), ny = y + h * (x * (rho - z) - y), nz = z + h * (x * y - beta * z);
            x = nx, y = ny, z = nz;
        }
        value = x + 2 * y + 3 * z;
        double ax = 1, ay = 2, az = 3, by_sigma = 0, by_rho = 0, by_beta = 0;
        for (std::size_t i = points; i-- > 0;) {
            const double* const s = states.data() + 3 * i;
            const double hx = h * ax, hy = h * ay, hz = h * az;
            by_sigma += hx * (s[1] - s[0]);
            by_rho += hy * s[0];
            by_beta -= hz * s[2];
            ax += hy * (rho - s[2]) + hz * s[1] - sigma * hx;
            ay += sigma * hx - hy + hz * s[0];
            az -= hy * s[0] + beta * hz;
        }
        gradient = {ax, ay, az, by_sigma, by_rho, by_beta};
    }
};

/// The log-density of a stochastic volatility model, by its parameters and its hidden states.
struct volatility {
    static constexpr auto function = [](auto mu, auto phi, auto log_sigma, auto h, auto y) {
        const auto scale = dyad::exp(-log_sigma);
        const auto end = dyad::scan(
            [&](auto state, auto now) {
                const auto [before, total] = state;
                const auto [level, observed] = now;
                const auto r = (level - (mu + phi * (before - mu))) * scale;
                return std::pair{std::tuple{level, total - 0.5 * (r * r + level + observed * observed * dyad::exp(-level))}, std::tuple<>{}};
            },
            std::tuple{mu, 0.0 * mu}, std::tuple{h, y});
        return std::get<1>(end.first) - log_sigma * h.shape(0);
    };
    std::size_t points, bytes = 0;
    vector h, y, by_h;
    std::vector<double> by_parameter;
    double value = 0, mu = 0.3, phi = 0.9, log_sigma = -0.5;
    explicit volatility(std::size_t n) : points(n), h(drawn(n, -1, 1)), y(drawn(n, -2, 2, 2)), by_h(room(n)), by_parameter(3) {}
    auto results() { return std::tie(value, by_parameter, by_h); }

    void by_dyad() {
        auto [v, g] = dyad::value_and_grad<0, 1, 2, 3>(function)(mu, phi, log_sigma, h, y);
        value = v;
        by_parameter = {std::get<0>(g), std::get<1>(g), std::get<2>(g)};
        by_h = std::move(std::get<3>(g));
    }
    void by_hand() {
        const double scale = std::exp(-log_sigma);
        double total = 0, by_mu = 0, by_phi = 0, by_scale = 0, before = mu;
        double* const g = by_h.data();
        for (std::size_t i = 0; i < points; ++i) {
            const double level = h.data()[i], d = level - (mu + phi * (before - mu)), r = d * scale;
            const double e = y.data()[i] * y.data()[i] * std::exp(-level), slope = r * scale;
            total -= 0.5 * (r * r + level + e);
            by_scale -= r * d;
            g[i] = 0.5 * e - 0.5 - slope;
            (i == 0 ? by_mu : g[i - 1]) += slope * phi;
            by_mu += slope * (1 - phi);
            by_phi += slope * (before - mu);
            before = level;
        }
        value = total - log_sigma * static_cast<double>(points);
        by_parameter = {by_mu, by_phi, -by_scale * scale - static_cast<double>(points)};
    }
};

/// The energy after `steps` explicit steps of Burgers' equation, by the first state and the viscosity.
struct burgers {
    static constexpr std::size_t steps = 200;
    static constexpr auto function = [](auto u, auto nu) {
        const auto end = dyad::fori_loop(
            static_cast<int>(steps),
            [&](auto, auto v) {
                const auto left = dyad::slice(v, 0, 0, -2), right = dyad::slice(v, 0, 2), middle = dyad::slice(v, 0, 1, -1);
                return v + dyad::pad(nu * (right - 2 * middle + left) - 0.05 * middle * (right - left), 0, 1, 1);
            },
            u);
        return dyad::sum(end * end);
    };
    std::size_t points, bytes = 0;
    vector u, by_u;
    std::vector<double> states, adjoint, other;
    double value = 0, nu = 0.1, by_nu = 0;
    explicit burgers(std::size_t n) : points(n * steps), u(drawn(n, -1, 1)), by_u(room(n)), states(n * (steps + 1)), adjoint(n), other(n) {}
    auto results() { return std::tie(value, by_nu, by_u); }

    void by_dyad() {
        auto [v, g] = dyad::value_and_grad(function)(u, nu);
        value = v;
        by_nu = std::get<1>(g);
        by_u = std::move(std::get<0>(g));
    }
    void by_hand() {
        const std::size_t n = u.size();
        std::copy(u.begin(), u.end(), states.begin());
        for (std::size_t t = 0; t < steps; ++t) {
            const double* const v = states.data() + t * n;
            double* const next = states.data() + (t + 1) * n;
            next[0] = v[0], next[n - 1] = v[n - 1];
            for (std::size_t i = 1; i + 1 < n; ++i)
                next[i] = v[i] + nu * (v[i + 1] - 2 * v[i] + v[i - 1]) - 0.05 * v[i] * (v[i + 1] - v[i - 1]);
        }
        const double* const end = states.data() + steps * n;
        value = by_nu = 0;
        for (std::size_t i = 0; i < n; ++i) value += end[i] * end[i], adjoint[i] = 2 * end[i];
        for (std::size_t t = steps; t-- > 0;) {
            const double* const v = states.data() + t * n;
            const double* const a = adjoint.data();
            double* const b = other.data();
            for (std::size_t i = 1; i + 1 < n; ++i) by_nu += a[i] * (v[i + 1] - 2 * v[i] + v[i - 1]);
            // What cell i gives to itself and to its neighbours, gathered; walls move nothing.
            const auto from_left = [&](std::size_t i) { return a[i] * (nu - 0.05 * v[i]); };  // by its right neighbour
            const auto from_right = [&](std::size_t i) { return a[i] * (nu + 0.05 * v[i]); }; // by its left neighbour
            b[0] = a[0] + from_right(1);
            b[1] = a[1] * (1 - 2 * nu - 0.05 * (v[2] - v[0])) + from_right(2);
            for (std::size_t i = 2; i + 2 < n; ++i)
                b[i] = a[i] * (1 - 2 * nu - 0.05 * (v[i + 1] - v[i - 1])) + from_left(i - 1) + from_right(i + 1);
            b[n - 2] = a[n - 2] * (1 - 2 * nu - 0.05 * (v[n - 1] - v[n - 3])) + from_left(n - 3);
            b[n - 1] = a[n - 1] + from_left(n - 2);
            std::swap(adjoint, other);
        }
        std::copy(adjoint.begin(), adjoint.end(), by_u.begin());
    }
};

template <class Problem>
void against_hand(const char* name, std::size_t size) {
    compare<Problem>(name, std::to_string(size), [size] { return std::make_unique<Problem>(size); },
                     {{"hand", &Problem::by_hand}, {"dyad", &Problem::by_dyad}});
}

} // namespace

void register_lstm();

void register_problems() {
    against_hand<lorenz>("euler", 10'000);
    against_hand<volatility>("volatility", 1'000);
    against_hand<burgers>("burgers", 256);
    register_lstm();
}

} // namespace bench
