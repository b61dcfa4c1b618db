// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The gradient of the end state of an adaptive integration by its initial values and parameters, three ways: by the tape, by
// forward mode, and for a case with a known solution. Then a long orbit with checkpoints: a recording of a few kilobytes
// instead of megabytes.
#include "integrator.hpp"

#include <dyad/tape.hpp>

#include <iostream>
#include <tuple>

namespace {

using dyad::real;

bool good = true;
void compare(const char* what, double found, double known, double tolerance) {
    std::cout << what << ": " << found << ", known " << known << '\n';
    good = good && std::fabs(found - known) <= tolerance * (1 + std::fabs(known));
}

/// A damped oscillator x'' = -k x - c x'.
template <class T>
T damped(const T& x0, const T& stiffness, const T& damping, double end) {
    const auto slope = [&](const ode::state<T, 2>& y) { return ode::state<T, 2>{y[1], T(-stiffness * y[0] - damping * y[1])}; };
    return ode::integrate(ode::state<T, 2>{x0, T(0)}, end, 1e-11, slope)[0];
}
/// Its solution.
constexpr auto solution = [](auto x0, auto k, auto c) {
    using dyad::sqrt, dyad::exp, dyad::sin, dyad::cos;
    const auto half = c / 2;
    const auto w = sqrt(k - half * half);
    return x0 * exp(-3 * half) * (cos(3 * w) + half / w * sin(3 * w));
};

/// Two species that eat and are eaten.
template <class T>
ode::state<T, 2> species(const std::array<T, 4>& p, int* steps = nullptr) {
    const auto slope = [&](const ode::state<T, 2>& y) {
        return ode::state<T, 2>{T(p[0] * y[0] - p[1] * y[0] * y[1]), T(p[2] * y[0] * y[1] - p[3] * y[1])};
    };
    return ode::integrate(ode::state<T, 2>{T(10), T(5)}, 20, 1e-8, slope, steps);
}

} // namespace

int main() {
    std::cout.precision(10);
    const auto [dx, dk, dc] = dyad::tape_grad([](real x, real k, real c) { return damped(x, k, c, 3.0); })(1.5, 4.0, 0.3);
    const auto [ex, ek, ec] = dyad::grad(solution)(1.5, 4.0, 0.3);
    compare("oscillator, slope in the initial value", dx, ex, 1e-9);
    compare("oscillator, slope in the stiffness", dk, ek, 1e-9);
    compare("oscillator, slope in the damping", dc, ec, 1e-9);

    dyad::tape tape;
    int steps = 0;
    const std::array<real, 4> p = tape.variable(std::array{1.1, 0.4, 0.1, 0.4});
    const auto end = species(p, &steps);
    std::cout << "two species: " << steps << " steps, " << tape.size() << " statements, " << tape.bytes() << " bytes\n";
    const auto jacobian = tape.jacobian(end, p);
    using forward = dyad::dual<double, 4>;
    std::array<forward, 4> q;
    for (std::size_t k = 0; k < 4; ++k) q[k] = forward::variable(p[k].value(), static_cast<int>(k));
    const auto moving = species(q);
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t k = 0; k < 4; ++k) compare("  slope, by the tape and forward", jacobian[i][k], moving[i].tangent(static_cast<int>(k)), 1e-9);
    }

    // A hundred thousand steps of a pendulum: 20 states are kept.
    dyad::tape loop;
    const auto start = loop.variable(std::tuple{1.0, 0.0});
    const auto step = []<class T>(std::size_t, const std::tuple<T, T>& s) {
        const auto& [angle, speed] = s;
        const T faster = speed - 0.001 * sin(angle);
        const T next = angle + 0.001 * faster;
        return std::tuple<T, T>{next, faster};
    };
    const auto [angle, speed] = loop.checkpointed_loop(100000, step, start, 20);
    std::cout << "pendulum: " << loop.bytes() << " bytes\n";
    const auto energy = [](const auto& a, const auto& v) { return v * v / 2 - cos(a); };
    const auto [da, dv] = loop.gradient(real(energy(angle, speed)), start);
    for (const bool by_angle : {true, false}) {
        using one = dyad::dual<double, 1>;
        std::tuple<one, one> s{one(1.0, {by_angle ? 1.0 : 0.0}), one(0.0, {by_angle ? 0.0 : 1.0})};
        for (std::size_t i = 0; i < 100000; ++i) s = step(i, s);
        compare("  slope of its energy, by checkpoints and forward", by_angle ? da : dv, one(energy(std::get<0>(s), std::get<1>(s))).tangent(), 1e-9);
    }
    return good ? 0 : 1;
}
