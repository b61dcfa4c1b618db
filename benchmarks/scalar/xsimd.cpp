// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The value type xsimd::batch<double>, for hand and dyad alike: the widest vector of the machine,
// and xsimd's own elementary functions.
#include <xsimd/xsimd.hpp>

#include "all_problems.hpp"
#include "variants.hpp"

void bench::register_xsimd() {
    compare_all<xsimd::batch<double>>("xsimd");
}
