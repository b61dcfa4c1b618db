// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A recurrent network learns what to remember: of a sequence of random numbers, two are marked, and the answer is their sum.
// The gradient of the loss goes back through all steps. Exit status 0: the network has learnt it, and all checks hold; 1: it
// has not; 2: the command line is wrong.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <utility>

#include <adam.hpp>
#include <checks.hpp>
#include <command_line.hpp>
#include <data_files/generator.hpp>

#include "model.hpp"

namespace {

constexpr std::size_t length = 12, batch = 32;
constexpr double required_loss = 0.01; // always answering 1, the mean, gives 1/6

constexpr const char* usage =
    "usage: lstm_sequence [--steps N] [--seed N]\n"
    "\n"
    "Trains a long short-term memory of 16 units to add the two marked ones of 12 random numbers, with Adam and\n"
    "gradients from dyad.\n"
    "\n"
    "  --steps N  steps of training, on 32 new sequences each (600)\n"
    "  --seed N   seed of weights and sequences (1)\n"
    "  --help     this text\n";

struct examples {
    lstm::sequences x;
    lstm::vector targets;
    lstm::matrix rest;
};

/// Numbers from 0 to 1, each with its mark; one number of either half is marked.
examples made(std::size_t count, data_files::generator& random) {
    examples e{xt::zeros<double>({length, count, std::size_t{lstm::inputs}}), xt::zeros<double>({count}),
               xt::zeros<double>({count, std::size_t{lstm::units}})};
    for (std::size_t s = 0; s < count; ++s) {
        for (std::size_t t = 0; t < length; ++t) e.x(t, s, 0) = random.uniform();
        for (const std::size_t half : {std::size_t{0}, length / 2}) {
            const std::size_t t = half + random.below(length / 2);
            e.x(t, s, 1) = 1;
            e.targets(s) += e.x(t, s, 0);
        }
    }
    return e;
}

auto loss_and_gradient(const lstm::weights& w, const examples& e) {
    return dyad::value_and_grad<0>(lstm::loss)(w, e.x, e.targets, e.rest);
}

/// Prints the mean loss of each fifty steps.
void train(lstm::weights& w, int steps, data_files::generator& random) {
    constexpr int interval = 50;
    optimisation::adam<lstm::weights> optimiser(w, 1e-2);
    std::printf("%8s%12s%10s\n", "steps", "loss", "seconds");
    const auto begin = std::chrono::steady_clock::now();
    double total = 0;
    for (int step = 1; step <= steps; ++step) {
        const examples e = made(batch, random);
        const auto [value, gradient] = loss_and_gradient(w, e);
        optimiser.step(w, gradient);
        total += value;
        if (step % interval == 0) {
            const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
            std::printf("%8d%12.6f%10.2f\n", step, total / interval, time.count());
            std::fflush(stdout);
            total = 0;
        }
    }
}

/// w + d v
lstm::weights moved(const lstm::weights& w, double d, const lstm::weights& v) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return lstm::weights(std::get<I>(w) + d * std::get<I>(v)...);
    }(std::make_index_sequence<std::tuple_size_v<lstm::weights>>{});
}

double inner(const lstm::weights& v, const lstm::weights& w) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return (dyad::sum(std::get<I>(v) * std::get<I>(w)) + ...);
    }(std::make_index_sequence<std::tuple_size_v<lstm::weights>>{});
}

void check_gradient(checks::list& all, const lstm::weights& w, const examples& e, data_files::generator& random) {
    const lstm::weights direction = lstm::first_weights(random);
    const lstm::weights gradient = loss_and_gradient(w, e).second;
    const auto along = [&](double d) { return loss_and_gradient(moved(w, d, direction), e).first; };
    all.compare("slope along a random direction, and from differences", inner(gradient, direction), checks::slope_by_differences(along, 1e-3), 1e-8);
}

bool run(const command_line::options& chosen) {
    const int steps = chosen.number("--steps", 600);
    if (steps < 1) throw command_line::usage_error("--steps needs a positive number");
    data_files::generator random(chosen.number("--seed", std::uint64_t{1}));
    lstm::weights w = lstm::first_weights(random);
    const examples test = made(1000, random);

    checks::list all;
    check_gradient(all, w, test, random);
    std::printf("\n");
    train(w, steps, random);

    const lstm::vector found = dyad::evaluate(lstm::answers, w, test.x, test.rest);
    std::printf("\nnew sequences: sum of the marked numbers, and the network's answer\n");
    for (std::size_t s = 0; s < 5; ++s) std::printf("%10.4f%10.4f\n", test.targets(s), found(s));
    const double loss = dyad::mean(square(found - test.targets));
    std::printf("loss on %zu new sequences: %.6f\n\n", test.targets.size(), loss);
    all.expect("that is below 0.01; without memory it is 1/6", loss < required_loss);
    return all.good();
}

} // namespace

int main(int argc, char** argv) {
    return command_line::run("lstm_sequence", usage, argc, argv, {{"--steps", "a number"}, {"--seed", "a number"}}, run);
}
