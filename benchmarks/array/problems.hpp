// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// One registering function for each file of problems.
#pragma once

namespace bench {

void register_elementwise();
void register_reductions();
void register_matrices();
void register_regression();
void register_images();
void register_threads();

} // namespace bench
