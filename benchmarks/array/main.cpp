// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Checks every method first and times nothing when one is wrong; --verify stops after the checks, --unverified goes
// without (for profilers).
#include "harness.hpp"

#include <cblas.h>

#include <cstring>

extern "C" void openblas_set_num_threads(int);
extern "C" char* openblas_get_corename();

int main(int count, char** words) {
    openblas_set_num_threads(1);
    bench::register_problems();
    const auto asked = [&](const char* word) { return count > 1 && std::strcmp(words[1], word) == 0; };
    if (asked("--unverified")) {
        words[1] = words[0];
        --count, ++words;
    } else {
        bool good = true;
        for (const auto& check : bench::checks()) good = check(asked("--verify")) && good;
        if (!good) return 1;
        if (asked("--verify")) return 0;
    }
    // Of processors that it does not know OpenBLAS makes "Prescott", which is 4 times slower; OPENBLAS_CORETYPE helps.
    benchmark::AddCustomContext("OpenBLAS", openblas_get_corename());
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
