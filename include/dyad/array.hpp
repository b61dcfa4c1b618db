// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Arrays: whole functions of xtensor containers (and vectors, spans, pointers), traced at compile time and run as fused
// loops. Needs xtensor, xsimd, CBLAS and LAPACKE.
#pragma once

#include <dyad/core.hpp>

DYAD_EMPTY_LOOPS_BEGIN
// (Those that refuse come first: each header between them and the user is a line of a compiler's message.)
#include <dyad/array/fault.hpp>
#include <dyad/array/refused_numbers.hpp>

#include <dyad/array/xtensor.hpp>

#include <dyad/array/leaves.hpp>

#include <dyad/array/targets.hpp>

#include <dyad/api/array_checks.hpp>

#include <dyad/api/array_captured.hpp>

#include <dyad/api/array_call.hpp>

#include <dyad/api/array_kernel.hpp>
#include <dyad/api/array_sequence.hpp>
#include <dyad/array/eager_elementwise.hpp>
#include <dyad/array/eager_functions.hpp>

#include <dyad/api/array_inspect.hpp>

#define DYAD_ARRAY_HPP
#if defined(DYAD_TAPE_HPP)
#include <dyad/api/tape_array_functions.hpp>
#endif
DYAD_EMPTY_LOOPS_END
