// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Regularised logistic regression by Newton's method: a table of rows with labels comes in, a line
// for each iteration and the weights come out. Exit status 0: the gradient is 0, up to rounding, so
// the weights are the optimum; 1: it is not, or the file is unfit; 2: the command line is wrong.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct options {
    bool help = false;
    std::filesystem::path data; // empty: made rows
};

options parse(const std::vector<std::string_view>& arguments) {
    options result;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--help") {
            result.help = true;
        } else if (arguments[i] == "--data") {
            if (++i == arguments.size() || arguments[i].empty())
                throw usage_error("--data needs a file");
            result.data = arguments[i];
        } else {
            throw usage_error("unknown argument \"" + std::string(arguments[i]) + "\"");
        }
    }
    return result;
}

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

bool run(const options& chosen) {
    const logistic::labelled_rows raw =
        chosen.data.empty() ? logistic::made_rows(2000, 20, 1)
                            : logistic::labelled(data_files::read_csv_file(chosen.data));
    const logistic::labelled_rows data = logistic::standardised(raw);
    std::printf("%zu rows, %zu features\n\n", raw.rows(), raw.columns());
    // The loss is a mean, and the penalty is 1/2 for all rows together.
    const logistic::fit fit = logistic::newton(data, 1 / static_cast<double>(data.rows()), print);
    print_weights(fit.weights);
    return fit.last.gradient_norm < required_norm;
}

} // namespace

int main(int argc, char** argv) try {
    const options chosen = parse({argv + 1, argv + argc});
    if (chosen.help) {
        std::fputs(usage, stdout);
        return 0;
    }
    const bool good = run(chosen);
    std::printf(good ? "\nThe gradient is below %g: this is the optimum.\n"
                     : "\nThe gradient did not fall below %g.\n",
                required_norm);
    return good ? 0 : 1;
} catch (const usage_error& error) {
    std::fprintf(stderr, "logistic_regression: %s\n\n%s", error.what(), usage);
    return 2;
} catch (const std::exception& error) {
    std::fprintf(stderr, "logistic_regression: %s\n", error.what());
    return 1;
}
