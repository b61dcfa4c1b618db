// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How functions with equations that capture are compared with closed forms.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

#include <dyad/implicit.hpp>

namespace captured_equations {

/// sqrt(c a), of which no derivative can go through the solver.
inline constexpr auto rooted = [](const auto& c, const auto& a) {
    return dyad::implicit_root([=](auto y, auto b) { return y * y - c * b; }, [=](auto b) { return dyad::stop_gradient(dyad::sqrt(c * b)); })(a);
};
inline constexpr auto known = [](const auto& c, const auto& a) { return dyad::sqrt(c * a); };

/// Values, gradients, tangents and second derivatives of two functions of two numbers.
template <class F, class G>
void agree(const F& f, const G& g, double x, double y, double tolerance = 1e-12) {
    const auto near = [=](double a, double b) { return std::fabs(a - b) <= tolerance * (1 + std::fabs(b)); };
    CHECK(near(f(x, y), g(x, y)));
    const auto df = dyad::grad(f)(x, y), dg = dyad::grad(g)(x, y);
    CHECK(near(std::get<0>(df), std::get<0>(dg)));
    CHECK(near(std::get<1>(df), std::get<1>(dg)));
    const auto tf = dyad::jvp(f)(std::tuple{x, y}, std::tuple{0.7, -1.3}), tg = dyad::jvp(g)(std::tuple{x, y}, std::tuple{0.7, -1.3});
    CHECK(near(tf.first, tg.first));
    CHECK(near(tf.second, tg.second));
    const auto hf = dyad::hessian(f)(x, y), hg = dyad::hessian(g)(x, y);
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) CHECK(near(hf[i][j], hg[i][j]));
    }
}

} // namespace captured_equations
