// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How fast heat spreads, from one noisy picture of it: the example simulates with known parameters,
// adds noise, and estimates the parameters from that. Exit status 0: the iteration has
// converged, to the truth within 3 standard errors; 1: it has not; 2: the command line is wrong.
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <command_line.hpp>
#include <data_files/generator.hpp>

#include "estimate.hpp"
#include "simulation.hpp"

namespace {

constexpr double accepted_errors = 3; // a correct estimate misses about once in 200 seeds
constexpr heat::parameters truth{0.05, 2.5}, start{0.01, 1};
constexpr const char* names[] = {"diffusion", "amplitude"};

constexpr const char* usage =
    "usage: heat_equation [--noise S] [--seed N]\n"
    "\n"
    "Estimates the diffusion coefficient and the initial amplitude of the heat equation on a grid\n"
    "of 32 x 32 points from temperatures after 40 steps, by Gauss and Newton's method with\n"
    "derivatives of the simulation from dyad.\n"
    "\n"
    "  --noise S    standard deviation of the noise (0.02)\n"
    "  --seed N     seed of the noise (1)\n"
    "  --help       this text\n";

struct settings {
    double noise;
    std::uint64_t seed;
};

settings chosen_settings(const command_line::options& chosen) {
    const settings result{chosen.number("--noise", 0.02), chosen.number("--seed", std::uint64_t{1})};
    if (!(result.noise > 0 && result.noise < 10))
        throw command_line::usage_error("--noise needs a number between 0 and 10");
    return result;
}

// Two warm places.
heat::field initial_shape() {
    heat::field shape = xt::zeros<double>({heat::points, heat::points});
    const auto place = [](double x, double y, double at_x, double at_y, double width) {
        return std::exp(-(std::pow(x - at_x, 2) + std::pow(y - at_y, 2)) / (2 * width * width));
    };
    for (std::size_t i = 0; i < heat::points; ++i)
        for (std::size_t j = 0; j < heat::points; ++j) {
            const double x = heat::spacing * static_cast<double>(i + 1);
            const double y = heat::spacing * static_cast<double>(j + 1);
            shape(i, j) = place(x, y, 0.35, 0.4, 0.08) + place(x, y, 0.7, 0.65, 0.05) / 2;
        }
    return shape;
}

// The simulation once more, without the library.
heat::field observations(const heat::field& shape, const settings& chosen) {
    data_files::generator random(chosen.seed);
    const double share = truth[0] * heat::time_step / (heat::spacing * heat::spacing);
    heat::field u = truth[1] * shape;
    const auto at = [&u](std::size_t i, std::size_t j) {
        return i < heat::points && j < heat::points ? u(i, j) : 0; // 0 - 1 is large
    };
    for (int step = 0; step < heat::steps; ++step) {
        heat::field next = u;
        for (std::size_t i = 0; i < heat::points; ++i)
            for (std::size_t j = 0; j < heat::points; ++j)
                next(i, j) += share * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) -
                                       4 * u(i, j));
        u = next;
    }
    for (double& value : u) value += chosen.noise * random.normal();
    return u;
}

void print_row(const heat::iteration& now) {
    if (now.number == 0)
        std::printf("%9s%16s%16s%18s%16s\n", "iteration", names[0], names[1], "sum of squares",
                    "gradient norm");
    std::printf("%9d%16.10f%16.10f%18.10f%16.3e\n", now.number, now.at[0], now.at[1],
                now.sum_of_squares, now.gradient_norm);
}

// Whether the truth is within the accepted errors.
bool print_estimates(const heat::estimate& result) {
    bool good = true;
    std::printf("\n%-10s%14s%14s%16s%24s\n", "", "truth", "estimate", "standard error",
                "standard errors off");
    for (std::size_t i = 0; i < 2; ++i) {
        const double off = (result.found[i] - truth[i]) / result.standard_error[i];
        std::printf("%-10s%14.8f%14.8f%16.8f%+24.2f\n", names[i], truth[i], result.found[i],
                    result.standard_error[i], off);
        good = good && std::abs(off) <= accepted_errors;
    }
    return good;
}

bool run(const command_line::options& options) {
    const settings chosen = chosen_settings(options);
    const heat::field shape = initial_shape();
    const heat::estimate result =
        heat::gauss_newton(shape, observations(shape, chosen), start, print_row);
    const bool good = print_estimates(result);
    std::printf("noise     %14.8f%14.8f\n", chosen.noise, result.noise);
    std::printf(good ? "\nThe truth is within %g standard errors of the estimates.\n"
                     : "\nThe truth is not within %g standard errors of the estimates.\n",
                accepted_errors);
    if (!result.converged) std::printf("The iteration has not converged.\n");
    return good && result.converged;
}

} // namespace

int main(int argc, char** argv) {
    return command_line::run("heat_equation", usage, argc, argv, {{"--noise", "a number"}, {"--seed", "a number"}}, run);
}
