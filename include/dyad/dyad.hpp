// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Everything: core, arrays, tape; what equations define; sparse derivatives.
#pragma once

#include <dyad/array.hpp>
#include <dyad/implicit.hpp>
#include <dyad/sparse.hpp>
#include <dyad/tape.hpp>
