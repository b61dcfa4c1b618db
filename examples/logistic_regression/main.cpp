// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Regularised logistic regression by Newton's method: a table of rows with labels comes in, a line
// for each iteration and the weights come out. Exit status 0: the gradient is 0, up to rounding, so
// the weights are the optimum; 1: it is not, or the file is unfit; 2: the command line is wrong.
#include <cstdio>
#include <string>

#include <command_line.hpp>
#include <data_files/csv.hpp>

#include "labelled_rows.hpp"
#include "newton.hpp"

namespace {

constexpr double required_norm = 1e-8;

constexpr const char* usage =
    "usage: logistic_regression [--data FILE]\n"
    "\n"
    "Fits a logistic regression with a penalty of |w|^2 / 2 in all, by Newton's method with\n"
    "gradients and Hessians from dyad, until the gradient is below 1e-8.\n"
    "\n"
    "  (nothing)    2000 rows of 20 features, made from a fixed seed\n"
    "  --data FILE  a CSV file whose last column is the label, 0 or 1; the first line may name "
    "the\n"
    "               columns, or be that of scikit-learn's breast_cancer.csv\n"
    "  --help       this text\n";

void print(const logistic::iteration& now) {
    if (now.number == 0)
        std::printf("%9s%18s%16s%11s%10s\n", "iteration", "loss", "gradient norm", "accuracy",
                    "step");
    std::printf("%9d%18.12f%16.3e%10.2f%%%10.4g\n", now.number, now.loss, now.gradient_norm,
                100 * now.accuracy, now.step);
}

void print_weights(const xt::xtensor<double, 1>& weights) {
    std::printf("\nweights of the standardised columns, then the intercept:");
    for (std::size_t j = 0; j < weights.size(); ++j)
        std::printf("%s%12.6f", j % 6 == 0 ? "\n" : "", weights(j));
    std::printf("\n");
}

bool run(const command_line::options& chosen) {
    const std::string& file = chosen.text("--data");
    const logistic::labelled_rows raw =
        file.empty() ? logistic::made_rows(2000, 20, 1)
                     : logistic::labelled(data_files::read_csv_file(file));
    const logistic::labelled_rows data = logistic::standardised(raw);
    std::printf("%zu rows, %zu features\n\n", raw.rows(), raw.columns());
    // The loss is a mean, and the penalty is 1/2 for all rows together.
    const logistic::fit fit = logistic::newton(data, 1 / static_cast<double>(data.rows()), print);
    print_weights(fit.weights);
    const bool good = fit.last.gradient_norm < required_norm;
    std::printf(good ? "\nThe gradient is below %g: this is the optimum.\n"
                     : "\nThe gradient did not fall below %g.\n",
                required_norm);
    return good;
}

} // namespace

int main(int argc, char** argv) {
    return command_line::run("logistic_regression", usage, argc, argv, {{"--data", "a file"}}, run);
}
