// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Runs work on the device, block by block: as CUDA kernels, or with thrust::for_each over the blocks, whose threads then
// take turns. Sums are combined in the same order everywhere, so that they do not depend on the device.
#pragma once

#include <dyad/device/guard.hpp>
#include <dyad/device/log.hpp>
#include <dyad/device/loop.hpp>
#include <dyad/device/map.hpp>
#include <dyad/device/status.hpp>

namespace dyad::device {

/// Combines the results of a block's threads that share an output: lane[thread of (output, 0)] is the total.
template <keeping How, class T>
DYAD_FN void fold_step(T* lane, unsigned thread, unsigned half, unsigned wide, bool along) {
    const lane_place p = lane_of(thread, wide, along);
    if (p.step < half) lane[thread] = combined<How>(lane[thread], lane[thread_of({p.output, p.step + half}, wide, along)]);
}

/// The same of all threads, on the host, one after the other.
template <keeping How, class T>
void fold_block(T* lane, unsigned wide, bool along) {
    for (unsigned half = block_threads / wide / 2; half > 0; half /= 2) {
        for (unsigned t = 0; t < block_threads; ++t) fold_step<How>(lane, t, half, wide, along);
    }
}

#if DYAD_DEVICE_CUDA

/// The total, in the thread of step 0.
template <keeping How, class T>
__device__ T fold(T* lane, T mine, unsigned wide, bool along) {
    lane[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = block_threads / wide / 2; half > 0; half /= 2) {
        fold_step<How>(lane, threadIdx.x, half, wide, along);
        __syncthreads();
    }
    const T total = lane[threadIdx.x];
    __syncthreads();
    return total;
}

template <class Work, class T, std::size_t K>
__device__ void deliver_map(const typename Work::arguments& a, T* lane, const T* total) {
    if constexpr (Work::template accumulates_at<K>) {
        const T sum = fold<Work::template how_at<K>>(lane, total[K], 1, true);
        if (threadIdx.x == 0) a.partial[K * a.blocks + blockIdx.x] = sum;
    }
}
template <class Work, class T, std::size_t... K>
__device__ void deliver_map_each(const typename Work::arguments& a, const T* total, std::index_sequence<K...>) {
    __shared__ T lane[block_threads];
    (deliver_map<Work, T, K>(a, lane, total), ...);
}
// (All types are deduced: nvcc cannot name such packs any other way.)
template <class Words, class In, class Out, class Arguments>
__global__ void __launch_bounds__(block_threads) map_kernel(Words, In, Out, Arguments a) {
    using T = typename Arguments::value_type;
    using work = map_work<T, worded<Words>, In, Out>;
    T total[work::outputs + 1];
    typename work::numbers same;
    work::begin(total);
    work::load_lasting(a, same);
    for (std::size_t tile = blockIdx.x; tile * work::tile < a.count; tile += gridDim.x) work::run(a, tile, threadIdx.x, same, total);
    if (blockIdx.x + 1 == gridDim.x) work::run_rest(a, threadIdx.x, same, total);
    if constexpr (work::accumulates) deliver_map_each<work>(a, total, typename work::kept{});
}

template <class Work, class T, std::size_t K>
__device__ void deliver_loop(const typename Work::arguments& a, T* lane, const T* total) {
    if constexpr (is_accumulated<typename Work::template out_part<K>>) {
        const T sum = fold<how_of<typename Work::template out_part<K>>>(lane, total[K], a.wide, a.along);
        const lane_place p = lane_of(threadIdx.x, a.wide, a.along);
        const std::size_t m = blockIdx.x * std::size_t{a.wide} + p.output;
        if (p.step == 0 && m < a.outputs) Work::template deliver<K>(a, m, blockIdx.y, sum);
    }
}
template <class Work, class T, std::size_t... K>
__device__ void deliver_loop_each(const typename Work::arguments& a, const T* total, std::index_sequence<K...>) {
    __shared__ T lane[block_threads];
    (deliver_loop<Work, T, K>(a, lane, total), ...);
}
template <class Words, class In, class Out, class Arguments>
__global__ void __launch_bounds__(block_threads) loop_kernel(Words, In, Out, Arguments a) {
    using T = typename Arguments::value_type;
    using work = loop_work<T, Arguments::rank, Arguments::places, worded<Words>, In, Out>;
    T total[work::outputs + 1];
    work::begin(total);
    work::run(a, blockIdx.x, blockIdx.y, threadIdx.x, total);
    if constexpr (work::accumulates) deliver_loop_each<work>(a, total, typename work::kept{});
}

template <class T, class Part>
__global__ void __launch_bounds__(block_threads) finish_kernel(Part, finish_arguments<T> a) {
    __shared__ T lane[block_threads];
    const T sum = fold<how_of<Part>>(lane, finish_work<T, Part>::run(a, blockIdx.x, threadIdx.x), a.wide, false);
    const lane_place p = lane_of(threadIdx.x, a.wide, false);
    const std::size_t m = blockIdx.x * std::size_t{a.wide} + p.output;
    if (p.step == 0 && m < a.outputs) finish_work<T, Part>::deliver(a, m, sum);
}

/// Reports what went wrong with a launch.
inline void check_launch(const launch& l) {
    const cudaError_t status = cudaGetLastError();
    if (status == cudaSuccess) return; // (the text asks the device for its name, which takes longer than most kernels)
    check(status, "kernel launch",
          std::string(l.kernel) + " of " + std::to_string(l.operations) + " operations, " + std::to_string(l.elements) + " elements, " +
              std::to_string(l.blocks) + " blocks of " + std::to_string(l.threads) + " threads, on " + name());
}

#else

template <class F>
void for_each_block(std::size_t blocks, F f) {
    const device_work works;
    const thrust::counting_iterator<std::size_t> first(0);
    thrust::for_each(thrust::device, first, first + static_cast<std::ptrdiff_t>(blocks), f);
}

template <class Work, class T, std::size_t K>
void deliver_map(const typename Work::arguments& a, std::size_t block, const T (*total)[Work::outputs + 1]) {
    if constexpr (Work::template accumulates_at<K>) {
        T lane[block_threads];
        for (unsigned t = 0; t < block_threads; ++t) lane[t] = total[t][K];
        fold_block<Work::template how_at<K>>(lane, 1, true);
        a.partial[K * a.blocks + block] = lane[0];
    }
}
template <class Work, class T, std::size_t K>
void deliver_loop(const typename Work::arguments& a, std::size_t block, std::size_t chunk, const T (*total)[Work::outputs + 1]) {
    if constexpr (is_accumulated<typename Work::template out_part<K>>) {
        T lane[block_threads];
        for (unsigned t = 0; t < block_threads; ++t) lane[t] = total[t][K];
        fold_block<how_of<typename Work::template out_part<K>>>(lane, a.wide, a.along);
        for (unsigned w = 0; w < a.wide && block * a.wide + w < a.outputs; ++w)
            Work::template deliver<K>(a, block * a.wide + w, chunk, lane[thread_of({w, 0}, a.wide, a.along)]);
    }
}

#endif

/// Whether the inputs that are read element by element, and the outputs, are the device's (device/guard.hpp).
template <class... In, class... Out, class Arguments>
void check_places(parts<In...>, parts<Out...>, const Arguments& a) {
    [&]<std::size_t... J, std::size_t... K>(std::index_sequence<J...>, std::index_sequence<K...>) {
        ((is_walking<In> || is_lasting<In> ? check_memory(a.in[J]) : void()), ...);
        ((std::is_same_v<Out, left_out> ? void() : check_memory(a.out[K])), ...);
    }(std::index_sequence_for<In...>{}, std::index_sequence_for<Out...>{});
}

/// So many blocks as a grid has along its first axis.
inline unsigned grid_blocks(std::size_t blocks) {
    if (blocks > 0x7fffffff) throw device_error("[dyad] kernel launch: " + std::to_string(blocks) + " blocks are more than the 2147483647 of a grid");
    return static_cast<unsigned>(blocks);
}
inline void announce(const launch& l) {
    ++counters::all().launches;
    if (launch_listener()) launch_listener()(l);
}
/// What is told of a launch; the name is only looked for where somebody listens.
inline launch described(const char* kernel, std::size_t operations, std::size_t inputs, std::size_t outputs, std::size_t elements, std::size_t blocks, std::size_t threads = block_threads) {
    return {launch_listener() ? name() : std::string(), kernel, operations, inputs, outputs, elements, blocks, threads};
}

template <class Words, class In, class Out, class Arguments>
void run_map(Words program, In in, Out out, const Arguments& a) {
    using T = typename Arguments::value_type;
    using work = map_work<T, worded<Words>, In, Out>;
    const launch l = described(work::accumulates ? "map_reduce" : "map", work::kernel::size, In::count, Out::count, a.count, a.blocks, work::threads);
    announce(l);
    check_places(in, out, a);
#if DYAD_DEVICE_CUDA
    map_kernel<<<grid_blocks(a.blocks), work::threads, 0, stream()>>>(program, in, out, a);
    check_launch(l);
#else
    static_cast<void>(program);
    for_each_block(a.blocks, [a](std::size_t block) {
        T total[block_threads][work::outputs + 1];
        typename work::numbers same;
        work::load_lasting(a, same);
        for (unsigned t = 0; t < work::threads; ++t) work::begin(total[t]);
        for (std::size_t tile = block; tile * work::tile < a.count; tile += a.blocks) {
            for (unsigned t = 0; t < work::threads; ++t) work::run(a, tile, t, same, total[t]);
        }
        for (unsigned t = 0; t < work::threads && block + 1 == a.blocks; ++t) work::run_rest(a, t, same, total[t]);
        [&]<std::size_t... K>(std::index_sequence<K...>) { (deliver_map<work, T, K>(a, block, total), ...); }(typename work::kept{});
    });
#endif
}

template <class Words, class In, class Out, class Arguments>
void run_loop(Words program, In in, Out out, const Arguments& a) {
    using T = typename Arguments::value_type;
    using work = loop_work<T, Arguments::rank, Arguments::places, worded<Words>, In, Out>;
    const std::size_t columns = (a.outputs + a.wide - 1) / a.wide;
    if (columns * a.chunks == 0) return;
    const launch l = described(work::accumulates ? "loop_reduce" : "loop", work::kernel::size, In::count, Out::count, a.outputs * a.length, columns * a.chunks);
    announce(l);
    check_places(in, out, a);
#if DYAD_DEVICE_CUDA
    const dim3 grid(grid_blocks(columns), static_cast<unsigned>(a.chunks));
    loop_kernel<<<grid, block_threads, 0, stream()>>>(program, in, out, a);
    check_launch(l);
#else
    static_cast<void>(program);
    for_each_block(columns * a.chunks, [a, columns](std::size_t number) {
        const std::size_t block = number % columns, chunk = number / columns;
        T total[block_threads][work::outputs + 1];
        for (unsigned t = 0; t < block_threads; ++t) {
            work::begin(total[t]);
            work::run(a, block, chunk, t, total[t]);
        }
        [&]<std::size_t... K>(std::index_sequence<K...>) { (deliver_loop<work, T, K>(a, block, chunk, total), ...); }(typename work::kept{});
    });
#endif
}

template <class T, class Part>
void run_finish(Part part, const finish_arguments<T>& a) {
    const std::size_t blocks = (a.outputs + a.wide - 1) / a.wide;
    if (blocks == 0) return;
    const launch l = described("finish", 1, 1, 1, a.outputs * a.chunks, blocks);
    announce(l);
    check_memory(a.out);
#if DYAD_DEVICE_CUDA
    finish_kernel<<<grid_blocks(blocks), block_threads, 0, stream()>>>(part, a);
    check_launch(l);
#else
    static_cast<void>(part);
    for_each_block(blocks, [a](std::size_t block) {
        using work = finish_work<T, Part>;
        T lane[block_threads];
        for (unsigned t = 0; t < block_threads; ++t) lane[t] = work::run(a, block, t);
        fold_block<work::how>(lane, a.wide, false);
        for (unsigned w = 0; w < a.wide && block * a.wide + w < a.outputs; ++w) work::deliver(a, block * a.wide + w, lane[w]);
    });
#endif
}

} // namespace dyad::device
