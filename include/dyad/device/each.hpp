// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What is no program but a routine: `work(i)` for each i below a count, a thread each; and what Thrust does for routines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <numeric>
#include <string>

#include <dyad/device/grid.hpp>

#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system_error.h>
#include <thrust/transform_reduce.h>
#if DYAD_DEVICE_CUDA
#include <thrust/sequence.h>
#include <thrust/sort.h>
#endif

namespace dyad::device {

inline auto thrust_policy() {
#if DYAD_DEVICE_CUDA
    return thrust::cuda::par.on(stream());
#else
    return thrust::device;
#endif
}

#if DYAD_DEVICE_CUDA
template <class Work>
__global__ void __launch_bounds__(block_threads) each_kernel(std::size_t count, Work work) {
    for (std::size_t i = blockIdx.x * std::size_t{block_threads} + threadIdx.x; i < count; i += gridDim.x * std::size_t{block_threads}) work(i);
}
#endif

/// work(0) ... work(count - 1), in any order. `kernel` is the name that listeners are told.
template <class Work>
void run_each(const char* kernel, std::size_t inputs, std::size_t count, const Work& work) {
    if (count == 0) return;
    constexpr std::size_t most_blocks = 65536;
    const std::size_t wanted = (count + block_threads - 1) / block_threads, blocks = wanted < most_blocks ? wanted : most_blocks;
    const launch l = described(kernel, 1, inputs, 1, count, blocks);
    announce(l);
#if DYAD_DEVICE_CUDA
    each_kernel<<<static_cast<unsigned>(blocks), block_threads, 0, stream()>>>(count, work);
    check_launch(l);
#else
    for_each_block(wanted, [count, work](std::size_t block) {
        for (std::size_t i = block * block_threads; i < count && i < (block + 1) * block_threads; ++i) work(i);
    });
#endif
}

/// What Thrust does with so many elements; its exceptions are ours.
template <class F>
void by_thrust(const char* call, std::size_t count, const F& f) {
    try {
        f();
    } catch (const thrust::system_error& e) {
        throw device_error(std::string("[dyad] ") + call + "(" + std::to_string(count) + " elements): " + e.what());
    } catch (const std::bad_alloc&) {
        throw device_error(std::string("[dyad] ") + call + "(" + std::to_string(count) + " elements): out of memory");
    }
}

/// The least i below `count` for which `wanted(i)` holds, or `count`. One number comes back to the host.
template <class Wanted>
struct position_if {
    Wanted wanted;
    std::size_t count;
    DYAD_FN std::size_t operator()(std::size_t i) const { return wanted(i) ? i : count; }
};
template <class Wanted>
std::size_t find_first(std::size_t count, const Wanted& wanted) {
    const device_work works;
    const thrust::counting_iterator<std::size_t> first(0);
    std::size_t found = count;
    by_thrust("thrust::transform_reduce", count, [&] {
        found = thrust::transform_reduce(thrust_policy(), first, first + static_cast<std::ptrdiff_t>(count), position_if<Wanted>{wanted, count}, count,
                                         thrust::minimum<std::size_t>());
    });
    count_to_host(sizeof(found));
    return found;
}
/// Sorts `keys`; `order` becomes the positions that they had, equal keys in the order that they had.
inline void sort_with_positions(std::size_t* keys, std::size_t* order, std::size_t count) {
    const device_work works;
#if DYAD_DEVICE_CUDA
    by_thrust("thrust::stable_sort_by_key", count, [&] {
        const auto policy = thrust_policy();
        thrust::sequence(policy, order, order + count);
        thrust::stable_sort_by_key(policy, keys, keys + count, order);
    });
#else // (Thrust's sequential sort binds a reference to null, which sanitizers report.)
    std::iota(order, order + count, std::size_t{0});
    std::stable_sort(order, order + count, [keys](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    std::sort(keys, keys + count);
#endif
}

} // namespace dyad::device
