// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// When does an orbiting body pass a given height above the focus' axis, and how does that time depend on the orbit? The time
// is given by equations only; its derivatives come from these, not from the iterations that solve them.
#include <dyad/implicit.hpp>

#include <cmath>
#include <iostream>
#include <numbers>
#include <tuple>

namespace {

/// The eccentric anomaly: E - e sin E = M.
constexpr auto kepler = dyad::implicit_root(
    [](auto E, auto M, auto e) { return E - e * sin(E) - M; },
    [](auto M, auto e) {
        const auto bound = 1e-14 * (1 + abs(M)); // what is reached by rounded numbers of that size
        return dyad::while_loop([&](auto E) { return abs(E - e * sin(E) - M) > bound; },
                                [&](auto E) { return E - (E - e * sin(E) - M) / (1 - e * cos(E)); }, M + e * sin(M));
    });

/// y(t) of an orbit with major half axis a around a mass of 1.
constexpr auto height = [](auto t, auto a, auto e) {
    const auto E = kepler(t / (a * sqrt(a)), e);
    return a * sqrt(1 - e * e) * sin(E);
};

/// The time at which y(t) = level on the way up: bisection, of which no derivative knows.
constexpr auto event_time = dyad::implicit_root(
    [](auto t, auto level, auto a, auto e) { return height(t, a, e) - level; },
    [](auto level, auto a, auto e) {
        const auto quarter = a * sqrt(a) * (std::numbers::pi / 2 - e); // E = π/2: the highest point
        return std::get<0>(dyad::fori_loop(
            60,
            [&](auto, auto range) {
                const auto [low, high] = range;
                const auto middle = (low + high) / 2;
                const auto below = height(middle, a, e) < level;
                return std::tuple{dyad::where(below, middle, low), dyad::where(below, high, middle)};
            },
            std::tuple{0 * quarter, quarter}));
    });

/// The same time in closed form.
constexpr auto known = [](auto level, auto a, auto e) {
    const auto E = asin(level / (a * sqrt(1 - e * e)));
    return a * sqrt(a) * (E - e * sin(E));
};

bool good = true;
void compare(const char* what, double found, double expected, double tolerance) {
    std::cout << what << ": " << found << ", known " << expected << '\n';
    good = good && std::fabs(found - expected) <= tolerance * (1 + std::fabs(expected));
}

} // namespace

int main() {
    std::cout.precision(12);
    const double level = 0.5, a = 1.4, e = 0.3;
    const auto [time, slopes] = dyad::value_and_grad(event_time)(level, a, e);
    const auto [exact, known_slopes] = dyad::value_and_grad(known)(level, a, e);
    compare("time of the event", time, exact, 1e-12);
    compare("its slope in the level", std::get<0>(slopes), std::get<0>(known_slopes), 1e-11);
    compare("its slope in the half axis", std::get<1>(slopes), std::get<1>(known_slopes), 1e-11);
    compare("its slope in the eccentricity", std::get<2>(slopes), std::get<2>(known_slopes), 1e-11);
    return good ? 0 : 1;
}
