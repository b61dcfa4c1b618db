// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Devices: arrays in their memory, and the same calls with such arrays as arguments, run there as fused kernels. Compiled by
// nvcc; or by any C++ compiler with THRUST_DEVICE_SYSTEM set to CPP, OMP or TBB, which run the same kernels on the host.
#pragma once

#include <dyad/core.hpp>

DYAD_EMPTY_LOOPS_BEGIN
#include <dyad/api/device_call.hpp>
DYAD_EMPTY_LOOPS_END
