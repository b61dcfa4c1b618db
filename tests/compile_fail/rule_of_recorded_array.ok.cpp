// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/dyad.hpp>

#include <vector>

double slope() {
    dyad::tape tape;
    const auto x = tape.variable(std::vector<double>{1, 2});
    const auto first = dyad::custom_gradient([](auto u) { return u[0] * u[0]; }, [](auto u, auto, auto up) { return 7 * up * u; });
    const dyad::real y = tape.apply(first, x);
    return y.value();
}
