// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Arrays: whole functions of xtensor containers (and vectors, spans, pointers), traced at compile time and run as fused
// loops. Needs xtensor, xsimd, CBLAS and LAPACKE.
#pragma once

#include <dyad/core.hpp>

#include <dyad/api/array_inspect.hpp>
