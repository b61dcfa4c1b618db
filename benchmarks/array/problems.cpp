// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
#include "problems.hpp"

#include "harness.hpp"

void bench::register_problems() {
    register_elementwise();
    register_reductions();
    register_matrices();
    register_regression();
    register_images();
    register_threads();
}
