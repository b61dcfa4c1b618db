// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The value type double, in a plain loop: the libm of the machine does the elementary functions.
#include "all_problems.hpp"
#include "variants.hpp"

void bench::register_scalar() {
    compare_all<double>("scalar");
}
