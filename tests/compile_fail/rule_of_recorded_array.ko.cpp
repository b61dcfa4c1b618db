// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// A rule on a tape takes numbers; for whole arrays there is tape.apply.
// expect: \[dyad\] custom_gradient, custom_jvp: .*tape\.apply

#include <dyad/dyad.hpp>

#include <vector>

double slope() {
    dyad::tape tape;
    const auto x = tape.variable(std::vector<double>{1, 2});
    const auto first = dyad::custom_gradient([](auto u) { return u[0] * u[0]; }, [](auto u, auto, auto up) { return 7 * up * u; });
    const dyad::real y = first(x);
    return y.value();
}
