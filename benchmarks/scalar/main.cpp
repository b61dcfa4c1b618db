// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Checks every method first and times nothing when one is wrong; --verify stops after the checks.
#include "variants.hpp"

#include "harness.hpp"

#include <cstring>

int main(int count, char** words) {
    bench::register_variants();
    bool good = true;
    for (const auto& check : bench::checks()) good = check() && good;
    if (!good) return 1;
    if (count > 1 && std::strcmp(words[1], "--verify") == 0) return 0;
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
