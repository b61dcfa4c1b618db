// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The value type libmvec_batch, for hand and dyad alike: with library calls this cheap, what the
// derivative code itself does weighs most.
#include "all_problems.hpp"
#include "libmvec_batch.hpp"
#include "variants.hpp"

void bench::register_libmvec() {
    compare_all<libmvec_batch>("libmvec");
}
