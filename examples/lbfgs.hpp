// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Minimises a function of many variables from its values and gradients: L-BFGS, with a line search that bisects until the
// function has fallen enough and its slope has, too (the conditions of Wolfe). Knows nothing of where gradients come from.
#pragma once

#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <stdexcept>
#include <utility>

namespace optimisation {

struct lbfgs_settings {
    int most_iterations = 100;
    std::size_t memory = 10;     // pairs of steps and changes of the gradient
    double gradient_norm = 1e-6; // ends below that
    double first_step = 1;       // how far the first trial goes, at most
};

template <class Vector>
struct lbfgs_state {
    Vector x;
    double value;
    Vector gradient;
    int iterations = 0;
    int evaluations = 1;
    double norm = 0; // of the gradient
};

template <class Vector>
double inner(const Vector& x, const Vector& y) {
    double total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) total += x.data()[i] * y.data()[i];
    return total;
}

/// y + a x
template <class Vector>
Vector moved(const Vector& y, double a, const Vector& x) {
    Vector result = y;
    for (std::size_t i = 0; i < y.size(); ++i) result.data()[i] += a * x.data()[i];
    return result;
}

template <class Vector>
class step_history {
public:
    explicit step_history(std::size_t most) : most_(most) {}

    /// A pair without curvature says nothing, and is left out.
    void add(Vector step, Vector change) {
        const double curvature = inner(step, change);
        if (!(curvature > 1e-14 * std::sqrt(inner(step, step) * inner(change, change)))) return;
        if (pairs_.size() == most_) pairs_.pop_front();
        pairs_.push_back({std::move(step), std::move(change), curvature});
    }
    /// The inverse of the estimated Hessian, times g: two loops over the pairs.
    Vector inverse_times(Vector g) {
        for (auto p = pairs_.rbegin(); p != pairs_.rend(); ++p) {
            p->share = inner(p->step, g) / p->curvature;
            g = moved(g, -p->share, p->change);
        }
        if (!pairs_.empty()) {
            const pair& last = pairs_.back();
            g = moved(g, last.curvature / inner(last.change, last.change) - 1, g);
        }
        for (const pair& p : pairs_) g = moved(g, p.share - inner(p.change, g) / p.curvature, p.step);
        return g;
    }
    [[nodiscard]] bool empty() const { return pairs_.empty(); }
    void clear() { pairs_.clear(); }

private:
    struct pair {
        Vector step, change;
        double curvature, share = 0;
    };
    std::size_t most_;
    std::deque<pair> pairs_;
};

/// `f(x)` gives a pair of value and gradient; one that is not finite sends the line search back, and at the start is a
/// std::domain_error. `watch` sees every state.
template <class Vector, class F, class Watch>
lbfgs_state<Vector> lbfgs(const F& f, const Vector& start, const lbfgs_settings& settings, const Watch& watch) {
    constexpr double enough_fall = 1e-4, enough_slope = 0.9;
    constexpr int most_trials = 40;

    auto [first_value, first_gradient] = f(start);
    lbfgs_state<Vector> now{start, first_value, std::move(first_gradient)};
    now.norm = std::sqrt(inner(now.gradient, now.gradient));
    if (!std::isfinite(now.value) || !std::isfinite(now.norm)) throw std::domain_error("lbfgs: value or gradient at the start is not finite");
    step_history<Vector> history(settings.memory);
    watch(std::as_const(now));
    while (now.iterations < settings.most_iterations && now.norm > settings.gradient_norm) {
        const Vector down = history.inverse_times(now.gradient); // steps go against it
        const double slope = -inner(down, now.gradient);
        double low = 0, high = std::numeric_limits<double>::infinity();
        double length = history.empty() ? std::fmin(1, settings.first_step / now.norm) : 1;
        bool found = false;
        for (int trial = 0; trial < most_trials && !found; ++trial) {
            Vector x = moved(now.x, -length, down);
            auto [value, gradient] = f(x);
            ++now.evaluations;
            const bool finite = std::isfinite(value) && std::isfinite(inner(gradient, gradient));
            if (!finite || !(value <= now.value + enough_fall * length * slope)) {
                high = length;
            } else if (-inner(down, gradient) < enough_slope * slope) {
                low = length;
            } else {
                history.add(moved(x, -1, now.x), moved(gradient, -1, now.gradient));
                now.x = std::move(x), now.value = value, now.gradient = std::move(gradient);
                found = true;
            }
            length = std::isfinite(high) ? (low + high) / 2 : 2 * low;
        }
        if (!found) {
            if (history.empty()) break; // rounding errors hide whatever fall is left
            history.clear();
            continue;
        }
        ++now.iterations;
        now.norm = std::sqrt(inner(now.gradient, now.gradient));
        watch(std::as_const(now));
    }
    return now;
}

} // namespace optimisation
