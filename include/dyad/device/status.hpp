// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The status of each call of a device's runtime, the stream that work goes to, and what the device is.
#pragma once

#include <cstddef>
#include <string>

#include <dyad/base/config.hpp>
#include <dyad/base/error.hpp>
#include <dyad/device/backend.hpp>

namespace dyad::device {

#if DYAD_DEVICE_CUDA

/// Throws device_error if a call failed: its name, CUDA's own text, and what it was called with.
inline void check(cudaError_t status, const char* call, const std::string& with = {}) {
    if (status == cudaSuccess) return;
    cudaGetLastError(); // so that it is not reported once more
    throw device_error(std::string("[dyad] ") + call + "(" + with + "): " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status));
}

using stream_type = cudaStream_t;

/// The number of the device that the calling thread's work goes to.
inline int current_device() {
    int number = 0;
    check(cudaGetDevice(&number), "cudaGetDevice");
    return number;
}
/// The device's name. Throws device_error where there is none.
inline std::string name() {
    const int number = current_device();
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, number), "cudaGetDeviceProperties", std::to_string(number));
    return std::string(properties.name) + " (cuda:" + std::to_string(number) + ")";
}

#else

struct no_stream {};
using stream_type = no_stream;

inline int current_device() { return 0; }

/// The device's name. Throws device_error where there is none.
inline std::string name() {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
    return "Thrust OMP";
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
    return "Thrust TBB";
#else
    return "Thrust CPP";
#endif
}

#endif

/// The stream that the calling thread's work goes to: the default stream, unless `use_stream` says otherwise.
DYAD_SHARED inline stream_type& stream() {
    thread_local stream_type current{};
    return current;
}
/// The calling thread's work goes to stream `s` from here on. (A stream that is being captured becomes a CUDA graph, where
/// no call waits for the device or replaces an array: docs/cuda.md.)
inline void use_stream(stream_type s) { stream() = s; }

/// Waits for all work of the calling thread's stream.
inline void synchronize() {
#if DYAD_DEVICE_CUDA
    check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
#endif
}

} // namespace dyad::device
