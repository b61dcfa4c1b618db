// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Two parameters and a thousand observations: a column of the Jacobian for each parameter, forwards
// (jvp), and the gradient of the sum of squares backwards, through all steps. The two must agree.
#include "estimate.hpp"

#include <cmath>
#include <stdexcept>
#include <tuple>

namespace heat {
namespace {

constexpr auto half_sum_of_squares = [](const auto& diffusion, const auto& amplitude,
                                        const auto& shape, const auto& observed) {
    return sum(square(simulate(diffusion, amplitude, shape) - observed)) / 2;
};

double inner(const field& x, const field& y) {
    double total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) total += x.data()[i] * y.data()[i];
    return total;
}

struct linearisation {
    double half_sum;
    parameters gradient;
    double normal[2][2]; // Jᵀ J
};

// The parameters enter as multiples of themselves, so that both are of size 1.
linearisation linearise(const parameters& p, const field& shape, const field& observed) {
    const field still = xt::zeros<double>(shape.shape());
    const auto column = [&](double diffusion, double amplitude) {
        return dyad::jvp(simulate)(std::tuple{p[0], p[1], shape},
                                   std::tuple{diffusion, amplitude, still});
    };
    const auto [u, by_diffusion] = column(p[0], 0);
    const field by_amplitude = column(0, p[1]).second;
    const field remains = u - observed;

    const auto [half_sum, gradient] =
        dyad::value_and_grad<0, 1>(half_sum_of_squares)(p[0], p[1], shape, observed);
    const auto [slope, other_slope] = gradient;
    linearisation result{half_sum,
                         {p[0] * slope, p[1] * other_slope},
                         {{inner(by_diffusion, by_diffusion), inner(by_diffusion, by_amplitude)},
                          {inner(by_amplitude, by_diffusion), inner(by_amplitude, by_amplitude)}}};
    const double forwards[] = {inner(by_diffusion, remains), inner(by_amplitude, remains)};
    for (int i = 0; i < 2; ++i) {
        const double size = std::sqrt(result.normal[i][i] * 2 * half_sum);
        if (!(std::abs(forwards[i] - result.gradient[i]) <= 1e-10 * size))
            throw std::runtime_error("forward and reverse derivatives differ");
    }
    return result;
}

double determinant(const linearisation& at) {
    return at.normal[0][0] * at.normal[1][1] - at.normal[0][1] * at.normal[1][0];
}

// -(Jᵀ J)⁻¹ g
parameters full_step(const linearisation& at) {
    const double d = determinant(at);
    const auto& [g0, g1] = at.gradient;
    return {-(at.normal[1][1] * g0 - at.normal[0][1] * g1) / d,
            -(at.normal[0][0] * g1 - at.normal[1][0] * g0) / d};
}

bool possible(const parameters& p) {
    return p[0] > 0 && p[0] < largest_stable && p[1] != 0;
}

} // namespace

estimate gauss_newton(const field& shape, const field& observed, parameters start,
                      const std::function<void(const iteration&)>& watch) {
    constexpr int most_iterations = 50;
    constexpr double smallest_step = 1e-12, converged = 1e-8, rounding = 1e-14;

    parameters p = start;
    linearisation here = linearise(p, shape, observed);
    int number = 0;
    const auto report = [&] {
        return iteration{number, p, 2 * here.half_sum,
                         std::hypot(here.gradient[0], here.gradient[1])};
    };
    watch(report());
    while (number < most_iterations) {
        const parameters step = full_step(here);
        if (std::hypot(step[0], step[1]) < smallest_step) break;
        double part = 1;
        const auto trial = [&] {
            return parameters{p[0] * (1 + part * step[0]), p[1] * (1 + part * step[1])};
        };
        const auto lowers = [&] {
            return possible(trial()) &&
                   linearise(trial(), shape, observed).half_sum <= here.half_sum * (1 + rounding);
        };
        while (part > 1e-6 && !lowers()) part /= 2;
        if (part <= 1e-6) break;
        p = trial();
        here = linearise(p, shape, observed);
        ++number;
        watch(report());
    }

    const parameters left = full_step(here);
    const double freedom = static_cast<double>(observed.size()) - 2;
    const double variance = 2 * here.half_sum / freedom, d = determinant(here);
    return {p,
            {p[0] * std::sqrt(variance * here.normal[1][1] / d),
             p[1] * std::sqrt(variance * here.normal[0][0] / d)},
            std::sqrt(variance),
            std::hypot(left[0], left[1]) < converged,
            report()};
}

} // namespace heat
