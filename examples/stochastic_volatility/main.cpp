// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How the volatility of returns wanders: maximum likelihood for a stochastic volatility model. The hidden volatilities, one
// for each return, are integrated out by Laplace's method; gradients of loops over time come from dyad. Exit status 0: all
// checks hold; 1: one does not, or the file is unfit; 2: the command line is wrong.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <checks.hpp>
#include <command_line.hpp>
#include <data_files/csv.hpp>
#include <data_files/generator.hpp>
#include <data_files/input_error.hpp>
#include <lbfgs.hpp>

#include "likelihood.hpp"

namespace {

using volatility::likelihood, volatility::parameters, volatility::series;

constexpr const char* usage =
    "usage: stochastic_volatility [--data FILE | --seed N]\n"
    "\n"
    "Estimates mean, persistence and deviation of the log-variance of returns by maximum likelihood.\n"
    "\n"
    "  --data FILE  returns, one in a line; of a CSV file, the last column\n"
    "  --seed N     seed of 1500 simulated returns (1)\n"
    "  --help       this text\n";

constexpr const char* names[] = {"mu", "phi", "sigma"};
const parameters truth{-0.5, std::atanh(0.95), std::log(0.25)}, start{0, std::atanh(0.8), std::log(0.5)};

/// As they stand in the model.
double natural(const parameters& p, std::size_t i) {
    return i == 0 ? p(0) : i == 1 ? std::tanh(p(1)) : std::exp(p(2));
}

series simulated(std::uint64_t seed) {
    data_files::generator random(seed);
    const double mu = natural(truth, 0), phi = natural(truth, 1), sigma = natural(truth, 2);
    double h = mu + sigma / std::sqrt(1 - phi * phi) * random.normal();
    series y = xt::zeros<double>({std::size_t{1500}});
    for (double& observed : y) {
        observed = std::exp(h / 2) * random.normal();
        h = mu + phi * (h - mu) + sigma * random.normal();
    }
    return y;
}

/// Less their mean, in units of their deviation.
series read(const std::string& file) {
    const data_files::table table = data_files::read_csv_file(file);
    if (table.rows() < 10) data_files::reject(file, "fewer than 10 returns");
    series y = xt::zeros<double>({table.rows()});
    for (std::size_t t = 0; t < y.size(); ++t) y(t) = table.at(t, table.columns - 1);
    const double mean = dyad::mean(y);
    y -= mean;
    const double deviation = std::sqrt(dyad::mean(square(y)));
    // The mean of equal numbers is one of them up to rounding.
    if (!(deviation > 1e-13 * std::abs(mean))) data_files::reject(file, "all returns are equal");
    y /= deviation;
    std::printf("The returns have deviation %g; below they are in units of that.\n", deviation);
    return y;
}

void print(const optimisation::lbfgs_state<parameters>& now) {
    if (now.iterations == 0) std::printf("%9s%12s%12s%12s%18s%16s\n", "iteration", names[0], names[1], names[2], "log-likelihood", "gradient norm");
    std::printf("%9d%12.6f%12.6f%12.6f%18.8f%16.3e\n", now.iterations, natural(now.x, 0), natural(now.x, 1), natural(now.x, 2), -now.value, now.norm);
}

struct judgement {
    bool errors_are_numbers = true; // positive and finite: the estimates are at a maximum
    bool truth_is_near = true;      // within 4 standard errors, where it is known
};

/// The estimates with their standard errors, from differences of gradients.
judgement print_estimates(likelihood& of, const parameters& found, bool known) {
    constexpr double apart = 1e-4;
    xt::xtensor<double, 2> information = xt::zeros<double>({3, 3});
    for (std::size_t i = 0; i < 3; ++i) {
        parameters above = found, below = found;
        above(i) += apart, below(i) -= apart;
        const parameters up = of.value_and_gradient(above).second, down = of.value_and_gradient(below).second;
        for (std::size_t j = 0; j < 3; ++j) information(i, j) = (down(j) - up(j)) / (2 * apart);
    }
    const xt::xtensor<double, 2> covariance = dyad::inverse(information);
    judgement result;
    std::printf("\n%-8s%12s%16s%12s\n", "", "estimate", "standard error", known ? "truth" : "");
    for (std::size_t i = 0; i < 3; ++i) {
        const double slope[] = {1, 1 - std::pow(natural(found, 1), 2), natural(found, 2)};
        const double error = slope[i] * std::sqrt(covariance(i, i));
        std::printf("%-8s%12.6f%16.6f", names[i], natural(found, i), error);
        if (known) std::printf("%12.6f", natural(truth, i));
        std::printf("\n");
        result.errors_are_numbers = result.errors_are_numbers && error > 0 && std::isfinite(error);
        result.truth_is_near = result.truth_is_near && (!known || std::abs(natural(found, i) - natural(truth, i)) < 4 * error);
    }
    return result;
}

/// Gradients at the start, against differences.
void check_gradients(checks::list& all, likelihood& of) {
    const series h = of.mode(start) + 0.1;
    const series by_h = of.density(start, h).second;
    for (const std::size_t t : {std::size_t{0}, h.size() / 2, h.size() - 1}) {
        const auto density = [&](double d) {
            series moved = h;
            moved(t) += d;
            return of.density(start, moved).first;
        };
        const std::string what = "log-density by h_" + std::to_string(t) + ", and from differences";
        all.compare(what.c_str(), by_h(t), checks::slope_by_differences(density, 1e-2), 1e-6);
    }
    const parameters gradient = of.value_and_gradient(start).second;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto value = [&](double d) {
            parameters moved = start;
            moved(i) += d;
            return of.value_and_gradient(moved).first;
        };
        const std::string what = std::string("log-likelihood by ") + names[i] + " (transformed), and from differences";
        all.compare(what.c_str(), gradient(i), checks::slope_by_differences(value, 1e-3), 1e-6);
    }
}

bool run(const command_line::options& chosen) {
    const std::string& file = chosen.text("--data");
    const bool known = file.empty();
    if (!known && !chosen.text("--seed").empty()) throw command_line::usage_error("either --data or --seed");
    const series y = known ? simulated(chosen.number("--seed", std::uint64_t{1})) : read(file);
    std::printf("%zu returns\n\n", y.size());

    likelihood of(y);
    const auto objective = [&](const parameters& p) {
        auto [value, gradient] = of.value_and_gradient(p);
        return std::pair{-value, parameters(-gradient)};
    };
    const auto best = optimisation::lbfgs(objective, start, {.gradient_norm = 1e-5, .first_step = 0.1}, print);
    const judgement estimates = print_estimates(of, best.x, known);

    std::printf("\n");
    checks::list all;
    check_gradients(all, of);
    all.expect("the gradient of the likelihood is 0 at the estimates", best.norm < 1e-3);
    all.expect("the standard errors are positive numbers", estimates.errors_are_numbers);
    if (known) {
        all.expect("the estimates are more likely than the truth", -best.value > of.value_and_gradient(truth).first);
        all.expect("the truth is within 4 standard errors", estimates.truth_is_near);
    }
    return all.good();
}

} // namespace

int main(int argc, char** argv) {
    return command_line::run("stochastic_volatility", usage, argc, argv, {{"--data", "a file"}, {"--seed", "a number"}}, run);
}
