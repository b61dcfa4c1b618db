// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which device this is compiled for: CUDA, under nvcc; or, with any C++ compiler, Thrust's sequential, OpenMP or TBB
// system, on which the same programs run block by block.
#pragma once

#if defined(__CUDACC__) && !defined(THRUST_DEVICE_SYSTEM)
#define DYAD_DEVICE_CUDA 1
#include <cuda_runtime.h>
#elif __has_include(<thrust/for_each.h>)
#include <thrust/detail/config.h>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA && defined(__CUDACC__)
#define DYAD_DEVICE_CUDA 1
#include <cuda_runtime.h>
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#error "[dyad] dyad/cuda.hpp: compile with nvcc, or with -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP (or _OMP, _TBB)"
#else
#define DYAD_DEVICE_CUDA 0
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#endif
#else
#error "[dyad] dyad/cuda.hpp: Thrust is not found; compile with nvcc, or with CCCL's or libthrust-dev's headers"
#endif
