// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The value types of bench_scalar, compiled without fast-math, each in a file of its own.
#include "variants.hpp"

void bench::register_variants() {
    register_scalar();
    register_xsimd();
    register_libmvec();
}
