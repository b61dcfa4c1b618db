// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Where did this wave come from? The example lets Burgers' equation run forwards, adds noise to the final state, and recovers
// the initial one: regularised least squares, whose gradient is the adjoint of all time steps. It also shows that the adjoint
// can do with few stored states. Exit status 0: all checks hold; 1: one does not; 2: the command line is wrong.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <type_traits>
#include <utility>

#include <checks.hpp>
#include <command_line.hpp>
#include <data_files/generator.hpp>
#include <lbfgs.hpp>

#include "simulation.hpp"

namespace {

using burgers::field;

using all_stored = burgers::misfit<std::remove_const_t<decltype(dyad::store_values)>>;
using few_stored = burgers::misfit<std::remove_const_t<decltype(dyad::store_sqrt)>>;

constexpr double required_fall = 1000, required_error = 0.1, noise = 1e-3;

constexpr const char* usage =
    "usage: burgers_adjoint [--weight W] [--seed N]\n"
    "\n"
    "Recovers the initial state of Burgers' equation on 128 points from a noisy state 200 steps later, with\n"
    "L-BFGS and gradients from dyad.\n"
    "\n"
    "  --weight W  weight of the squared differences of neighbours (1e-3)\n"
    "  --seed N    seed of the noise (1)\n"
    "  --help      this text\n";

/// A wave that steepens, and a smaller one that rides on it.
field true_start() {
    field u = xt::zeros<double>({burgers::points});
    for (std::size_t i = 0; i < u.size(); ++i) {
        const double x = burgers::spacing * static_cast<double>(i + 1);
        u(i) = 0.6 * std::sin(2 * std::numbers::pi * x) + 0.2 * std::sin(5 * std::numbers::pi * x);
    }
    return u;
}

/// The simulation once more, without the library.
field observations(field u, std::uint64_t seed) {
    constexpr double diffused = burgers::viscosity * burgers::time_step / (burgers::spacing * burgers::spacing);
    constexpr double carried = burgers::time_step / (4 * burgers::spacing);
    for (int step = 0; step < burgers::steps; ++step) {
        const field old = u;
        for (std::size_t i = 0; i < u.size(); ++i) {
            const double left = i > 0 ? old(i - 1) : 0, right = i + 1 < u.size() ? old(i + 1) : 0;
            u(i) += diffused * (left - 2 * old(i) + right) - carried * (right * right - left * left);
        }
    }
    data_files::generator random(seed);
    for (double& value : u) value += noise * random.normal();
    return u;
}

/// Root mean square of x - y.
double distance(const field& x, const field& y) {
    const field apart = x - y;
    return std::sqrt(optimisation::inner(apart, apart) / static_cast<double>(apart.size()));
}

void print(const optimisation::lbfgs_state<field>& now) {
    if (now.iterations == 0) std::printf("%9s%16s%16s\n", "iteration", "misfit", "gradient norm");
    if (now.iterations % 20 == 0) std::printf("%9d%16.6e%16.3e\n", now.iterations, now.value, now.norm);
}

void draw(const char* title, const field& u) {
    constexpr int rows = 11;
    constexpr double top = 0.8;
    std::printf("\n%s\n", title);
    for (int row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < u.size(); i += 2) {
            const double height = (rows - 1) / 2.0 * (1 - u(i) / top);
            std::fputc(std::lround(height) == row ? '*' : row == rows / 2 ? '-' : ' ', stdout);
        }
        std::fputc('\n', stdout);
    }
}

template <class Misfit>
std::pair<double, field> value_and_gradient(const field& u, const field& observed, double weight) {
    return dyad::value_and_grad<0>(Misfit{})(u, observed, weight);
}

/// Microseconds of the fastest of a few gradients.
template <class Misfit>
double duration(const field& u, const field& observed, double weight) {
    double best = 1e300;
    for (int i = 0; i < 20; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        (void)value_and_gradient<Misfit>(u, observed, weight);
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
        best = std::min(best, time.count());
    }
    return best;
}

void check_gradients(checks::list& all, const field& u, const field& observed, double weight) {
    const field gradient = value_and_gradient<all_stored>(u, observed, weight).second;
    const field few = value_and_gradient<few_stored>(u, observed, weight).second;
    field direction = u;
    for (std::size_t i = 0; i < u.size(); ++i) direction(i) = std::cos(static_cast<double>(3 * i));
    const auto along = [&](double d) { return value_and_gradient<all_stored>(u + d * direction, observed, weight).first; };
    all.compare("slope along a direction, and from differences", optimisation::inner(gradient, direction),
                checks::slope_by_differences(along, 1e-3), 1e-8);
    std::printf("        gradient keeping what it needs of all %d steps %8.1f us\n", burgers::steps, duration<all_stored>(u, observed, weight));
    std::printf("        gradient keeping fewer than 2 sqrt(%d) + 1 states %5.1f us\n", burgers::steps, duration<few_stored>(u, observed, weight));
    const double apart = distance(gradient, few) / distance(gradient, field(0 * gradient));
    all.expect("both gradients are equal to 1e-12", apart <= 1e-12);
}

bool run(const command_line::options& chosen) {
    const double weight = chosen.number("--weight", 1e-3);
    if (!(weight >= 0 && weight <= 1)) throw command_line::usage_error("--weight needs a number from 0 to 1");
    const field truth = true_start(), observed = observations(truth, chosen.number("--seed", std::uint64_t{1}));

    const auto objective = [&](const field& u) { return value_and_gradient<all_stored>(u, observed, weight); };
    double first = 0;
    const auto best = optimisation::lbfgs(objective, observed, {.most_iterations = 200, .gradient_norm = 1e-5, .first_step = 0.1},
                                          [&](const optimisation::lbfgs_state<field>& now) {
                                              if (now.iterations == 0) first = now.value;
                                              print(now);
                                          });
    std::printf("%d gradients in all\n", best.evaluations);
    draw("the final state, from which the search begins", observed);
    draw("the initial state as recovered", best.x);

    const double size = distance(truth, field(0 * truth)), error = distance(best.x, truth) / size;
    std::printf("\ninitial state: %.1f %% off; the final state, taken for it: %.1f %% off\n\n", 100 * error, 100 * distance(observed, truth) / size);
    checks::list all;
    check_gradients(all, observed, observed, weight);
    all.expect("the misfit fell to less than a thousandth", best.value * required_fall < first);
    all.expect("the initial state is less than 10 % off", error < required_error);
    return all.good();
}

} // namespace

int main(int argc, char** argv) {
    return command_line::run("burgers_adjoint", usage, argc, argv, {{"--weight", "a number"}, {"--seed", "a number"}}, run);
}
