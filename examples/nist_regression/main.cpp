// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The NIST StRD nonlinear regression problems, fitted with exact Jacobians from dyad: the command
// line, the table and the exit status. 0: every required fit is good; 1: one is not, or a file is
// unfit; 2: the command line is wrong.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <command_line.hpp>

#include "built_in_problems.hpp"
#include "certify.hpp"
#include "dat_file.hpp"

namespace {

constexpr double required_digits = 6;

constexpr const char* usage =
    "usage: nist_regression [--data DIR]\n"
    "\n"
    "Fits NIST StRD nonlinear regression problems by Levenberg-Marquardt, with Jacobians from\n"
    "dyad, and counts the digits that agree with the certified parameters.\n"
    "\n"
    "  (nothing)    eight built-in problems; 6 digits are required from both official starts\n"
    "  --data DIR   all official .dat files in DIR; 6 digits are required from start 2\n"
    "  --help       this text\n";

std::vector<std::filesystem::path> dat_files(const std::filesystem::path& directory) {
    if (!std::filesystem::is_directory(directory))
        throw nist::input_error(directory.string() + ": no such directory");
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        if (entry.path().extension() == ".dat") files.push_back(entry.path());
    if (files.empty()) throw nist::input_error(directory.string() + ": no .dat file in it");
    std::sort(files.begin(), files.end());
    return files;
}

void print_heading() {
    std::printf("%-10s%-9s%5s%12s%8s%19s%19s  %s\n", "problem", "level", "start", "iterations",
                "digits", "residual sum", "certified sum", "parameters");
}

// Whether the fit is good.
bool print_row(const nist::problem& data, std::size_t start) {
    const nist::certified_fit result = nist::certify(data, start);
    const bool good = result.fit.converged && result.digits >= required_digits;
    std::printf("%-10s%-9s%5zu%12d%8.1f%19.10e%19.10e ", data.name.c_str(), data.level.c_str(),
                start + 1, result.fit.iterations, result.digits, result.fit.residual_sum,
                data.certified_residual_sum);
    for (const double b : result.fit.parameters) std::printf(" %.8g", b);
    if (!result.fit.converged)
        std::printf("  (did not converge)");
    else if (!good)
        std::printf("  (not the certified minimum)");
    if (result.turn != 0)
        std::printf("  (b1 is known up to a whole number; certified is b1 %+g)", result.turn);
    std::printf("\n");
    return good;
}

// Fits from both starts; whether those from `first_required` on are good.
bool print_rows(const nist::problem& data, std::size_t first_required) {
    bool good = true;
    for (std::size_t start = 0; start < data.starts.size(); ++start)
        if (!print_row(data, start) && start >= first_required) good = false;
    return good;
}

bool run_built_in() {
    bool good = true;
    print_heading();
    for (const nist::problem& data : nist::built_in_problems())
        if (!print_rows(data, 0)) good = false;
    return good;
}

bool run_files(const std::filesystem::path& directory) {
    bool good = true;
    const auto files = dat_files(directory);
    print_heading();
    for (const auto& file : files) {
        try {
            if (!print_rows(nist::read_dat_file(file), 1)) good = false;
        } catch (const nist::input_error& error) {
            std::fflush(stdout);
            std::fprintf(stderr, "%s\n", error.what());
            good = false;
        }
    }
    return good;
}

bool run(const command_line::options& chosen) {
    const std::string& directory = chosen.text("--data");
    const bool good = directory.empty() ? run_built_in() : run_files(directory);
    std::printf(good ? "\nEvery required fit agrees in at least %g digits.\n"
                     : "\nNot every problem was fitted to %g digits.\n",
                required_digits);
    return good;
}

} // namespace

int main(int argc, char** argv) {
    return command_line::run("nist_regression", usage, argc, argv, {{"--data", "a directory"}}, run);
}
