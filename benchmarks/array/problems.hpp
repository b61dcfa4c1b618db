// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// One registering function for each file of problems, and the one that main calls.
#pragma once

namespace bench {

void register_elementwise();
void register_reductions();
void register_matrices();
void register_regression();
void register_threads();

inline void register_problems() {
    register_elementwise();
    register_reductions();
    register_matrices();
    register_regression();
    register_threads();
}

} // namespace bench
