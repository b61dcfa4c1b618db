// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Checks every method first and times nothing when one is wrong; --verify stops after the checks.
#include "problems.hpp"

#include "harness.hpp"

#include <cblas.h>

#include <cstring>

extern "C" void openblas_set_num_threads(int);

int main(int count, char** words) {
    openblas_set_num_threads(1);
    bench::register_problems();
    bool good = true;
    for (const auto& check : bench::checks()) good = check() && good;
    if (!good) return 1;
    if (count > 1 && std::strcmp(words[1], "--verify") == 0) return 0;
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
