// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Sparse Jacobians and Hessians, whose patterns the compiler finds. No third-party header.
#pragma once

#include <dyad/core.hpp>

#include <dyad/api/sparse.hpp>
