// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// One registering function for each value type of bench_scalar, and the one that main calls.
#pragma once

namespace bench {

void register_variants();

void register_scalar();
void register_xsimd();
void register_libmvec();

} // namespace bench
