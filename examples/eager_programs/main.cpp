// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Programs whose path depends on their data, differentiated as they run: Collatz steps, and Newton's method with a line
// search on a function that is itself a loop. Each prints what it found and what is known; a difference ends in failure.
#include <dyad/tape.hpp>

#include <array>
#include <cmath>
#include <iostream>
#include <utility>

namespace {

using dyad::real;

/// Halves an even number and sends an odd one to 3 n + 1, until it is 1; `start` is carried along as a real number.
template <class T>
T collatz(int n, T start) {
    T x = start;
    for (; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) {
        if (n % 2 == 0) {
            x = x / 2;
        } else {
            x = 3 * x + 1;
        }
    }
    return x;
}

/// Kepler's equation E - e sin E = M, solved by as many iterations as it takes.
template <class T>
T eccentric_anomaly(const T& mean, const T& eccentricity) {
    using std::fabs, std::sin, std::cos;
    T e = mean;
    for (T step = 1; fabs(step) > 1e-14 * (1 + fabs(mean));) { // what is reached by rounded numbers of that size
        step = (e - eccentricity * sin(e) - mean) / (1 - eccentricity * cos(e));
        e -= step;
    }
    return e;
}

/// The squared distance of a point on an orbit from (a, b): a loop inside, and a minimum to be found.
constexpr auto distance = [](const auto& mean, const auto& eccentricity) {
    using dyad::cos, dyad::sin, dyad::sqrt, std::cos, std::sin, std::sqrt;
    using T = std::remove_cvref_t<decltype(mean)>;
    const T e = eccentric_anomaly<T>(mean, eccentricity);
    const T x = cos(e) - eccentricity - 0.2, y = sqrt(1 - eccentricity * eccentricity) * sin(e) - 0.7;
    return T(x * x + y * y);
};

/// Newton's method with a line search: gradient and Hessian by the tape, the path chosen by the values.
std::array<double, 2> minimise(std::array<double, 2> at, int& steps) {
    for (steps = 0; steps < 100; ++steps) {
        const auto [value, gradient] = dyad::tape_value_and_grad(distance)(at[0], at[1]);
        const auto [gx, gy] = gradient;
        if (std::hypot(gx, gy) < 1e-10) break;
        const auto h = dyad::tape_hessian(distance)(at[0], at[1]);
        const double det = h[0][0] * h[1][1] - h[0][1] * h[1][0];
        std::array direction{-(h[1][1] * gx - h[0][1] * gy) / det, -(h[0][0] * gy - h[1][0] * gx) / det};
        if (!(direction[0] * gx + direction[1] * gy < 0)) direction = {-gx, -gy}; // uphill, or no number: go down the gradient
        double length = 1;
        const auto moved = [&] { return std::array{at[0] + length * direction[0], std::fmin(0.9, std::fmax(0.0, at[1] + length * direction[1]))}; };
        while (length > 1e-12 && !(distance(moved()[0], moved()[1]) < value)) length /= 2;
        at = moved();
    }
    return at;
}

bool good = true;
void compare(const char* what, double found, double known) {
    std::cout << what << ": " << found << ", known " << known << '\n';
    good = good && std::fabs(found - known) <= 1e-9 * (1 + std::fabs(known));
}

} // namespace

int main() {
    // 27 takes 111 steps, 41 of them up: the slope is 3^41 / 2^70.
    dyad::tape tape;
    const real x = tape.variable(27.0);
    const real end = collatz<real>(27, x);
    std::cout << "Collatz from 27: " << tape.size() - 1 << " statements\n";
    compare("its end", end.value(), 1);
    compare("its slope", tape.gradient(end, x), std::pow(3.0, 41) / std::pow(2.0, 70));

    // The iteration's derivative is that of the solution: dE/dM = 1 / (1 - e cos E).
    const auto [dm, de] = dyad::tape_grad([](auto m, auto e) { return eccentric_anomaly(m, e); })(1.0, 0.6);
    const double e = eccentric_anomaly(1.0, 0.6), slope = 1 / (1 - 0.6 * std::cos(e));
    compare("Kepler, slope in the mean anomaly", dm, slope);
    compare("Kepler, slope in the eccentricity", de, std::sin(e) * slope);

    int steps = 0;
    const auto [mean, eccentricity] = minimise({0.8, 0.3}, steps);
    std::cout << "the orbit through (0.2, 0.7): mean anomaly " << mean << ", eccentricity " << eccentricity << ", " << steps << " steps\n";
    compare("squared distance", distance(mean, eccentricity), 0);
    std::cout << dyad::check_gradient(distance, 1.0, 0.6);
    return good ? 0 : 1;
}
