// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The run-time tape: derivatives of programs whose path depends on data. No third-party header; with dyad/array.hpp, before
// or after this one, arrays can be variables too.
#pragma once

#include <dyad/core.hpp>

#include <dyad/api/check_gradient.hpp>
#include <dyad/api/tape_call.hpp>
#include <dyad/api/tape_custom.hpp>
#include <dyad/tape/print.hpp>
#include <dyad/tape/regions.hpp>

#define DYAD_TAPE_HPP
#if defined(DYAD_ARRAY_HPP)
#include <dyad/api/tape_array_functions.hpp>
#endif
