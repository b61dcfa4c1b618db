// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Where a GPU's memory comes from: a pool of ours for each device, which keeps what is given back for what is taken next. (The
// device's own pool returns all of it to the system whenever somebody waits for a stream, and maps it again at the next call.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <dyad/device/status.hpp>

namespace dyad::device {

/// Bytes that a device's pool holds, and those of them that arrays have.
struct pool_state {
    std::size_t reserved = 0, used = 0;
};

#if DYAD_DEVICE_CUDA

inline bool has_pools(int device) {
    int has = 0;
    check(cudaDeviceGetAttribute(&has, cudaDevAttrMemoryPoolsSupported, device), "cudaDeviceGetAttribute", "cudaDevAttrMemoryPoolsSupported");
    return has != 0;
}
/// The pool of a device that has pools; made when it is first asked for. (It lives as long as the process: arrays may, too.)
inline cudaMemPool_t pool_of(int device) {
    static std::mutex guard;
    static std::vector<cudaMemPool_t> pools;
    const std::lock_guard lock(guard);
    const auto place = static_cast<std::size_t>(device);
    if (pools.size() <= place) pools.resize(place + 1, nullptr);
    if (pools[place] == nullptr) {
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id = device;
        cudaMemPool_t made = nullptr;
        check(cudaMemPoolCreate(&made, &properties), "cudaMemPoolCreate", "cuda:" + std::to_string(device));
        std::uint64_t kept = UINT64_MAX;
        check(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &kept), "cudaMemPoolSetAttribute", "cudaMemPoolAttrReleaseThreshold");
        pools[place] = made;
    }
    return pools[place];
}
inline pool_state state_of_pool() {
    if (!has_pools(current_device())) return {};
    std::uint64_t reserved = 0, used = 0;
    const cudaMemPool_t pool = pool_of(current_device());
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "cudaMemPoolGetAttribute", "cudaMemPoolAttrReservedMemCurrent");
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "cudaMemPoolGetAttribute", "cudaMemPoolAttrUsedMemCurrent");
    return {static_cast<std::size_t>(reserved), static_cast<std::size_t>(used)};
}
/// Gives the current device's memory that no array has back to the system, for others to take.
inline void release_memory() {
    if (!has_pools(current_device())) return;
    synchronize(); // what was given back in the stream's order is free then
    check(cudaMemPoolTrimTo(pool_of(current_device()), 0), "cudaMemPoolTrimTo", "0");
}

#else

inline pool_state state_of_pool() { return {}; }
inline void release_memory() {}

#endif

} // namespace dyad::device
