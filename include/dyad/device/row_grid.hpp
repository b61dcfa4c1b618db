// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Runs row kernels on the device, a block for so many rows as it has threads for; the sums of a row are folded in the same order
// everywhere.
#pragma once

#include <dyad/device/grid.hpp>
#include <dyad/device/rows.hpp>

namespace dyad::device {

/// Threads that exchange their numbers without waiting for the block.
inline constexpr unsigned warp_threads = 32;

#if DYAD_DEVICE_CUDA

/// The total of a row's threads, in each of them: by halves within a warp, then warp after warp.
template <keeping How, class T>
__device__ T fold_row(T mine, unsigned shift, T* of_warp) {
    const unsigned wide = 1U << shift, within = wide < warp_threads ? wide : warp_threads;
    DYAD_UNROLL
    for (unsigned half = warp_threads / 2; half > 0; half /= 2) {
        if (half < within) mine = combined<How>(mine, __shfl_xor_sync(0xffffffffU, mine, static_cast<int>(half)));
    }
    mine = __shfl_sync(0xffffffffU, mine, static_cast<int>(threadIdx.x & (0U - within))); // one of them, bit for bit
    if (wide <= warp_threads) return mine;
    if (threadIdx.x % warp_threads == 0) of_warp[threadIdx.x / warp_threads] = mine;
    __syncthreads();
    const unsigned first = (threadIdx.x & (0U - wide)) / warp_threads;
    mine = of_warp[first];
    DYAD_UNROLL
    for (unsigned k = 1; k < block_threads / warp_threads; ++k) {
        if (k < wide / warp_threads) mine = combined<How>(mine, of_warp[first + k]);
    }
    return mine;
}
template <class Work, std::size_t Item, std::size_t R, class T>
__device__ void settle_row(const typename Work::arguments& a, typename Work::state& s, bool there, const T* sums, T (*of_warp)[block_threads / warp_threads]) {
    if constexpr (Work::template how_summed<Item, R> != keeping::store) {
        const T sum = fold_row<Work::template how_summed<Item, R>>(sums[R], a.shift, of_warp[R]);
        if (there) Work::template settle<R>(a, s, sum);
    }
}
template <class Work, std::size_t Item, class T, std::size_t... R>
__device__ void run_stage(const typename Work::arguments& a, typename Work::state& s, bool there, T* total, T (*of_warp)[block_threads / warp_threads], std::index_sequence<R...>) {
    T sums[Work::rows + 1];
    Work::template begin_stage<Item>(sums);
    if (there) Work::template run<Item>(a, s, sums, total);
    (settle_row<Work, Item, R>(a, s, there, sums, of_warp), ...);
}
template <class Work, class T, std::size_t... Item>
__device__ void run_stages(const typename Work::arguments& a, typename Work::state& s, bool there, T* total, T (*of_warp)[block_threads / warp_threads], std::index_sequence<Item...>) {
    (run_stage<Work, Item>(a, s, there, total, of_warp, std::make_index_sequence<Work::rows>{}), ...);
}
template <class Work, std::size_t K, class T>
__device__ void deliver_total(const typename Work::arguments& a, T (*of_warp)[block_threads / warp_threads], const T* total) {
    const T sum = fold_row<Work::template how_of_total<K>>(total[K], a.block_shift, of_warp[K]);
    if (threadIdx.x == 0) a.partial[K * a.blocks + blockIdx.x] = sum;
}
template <class Work, class T, std::size_t... K>
__device__ void deliver_totals(const typename Work::arguments& a, const T* total, std::index_sequence<K...>) {
    __shared__ T of_warp[Work::totals][block_threads / warp_threads];
    (deliver_total<Work, K>(a, of_warp, total), ...);
}
template <std::size_t Width, class Arrays, class Rows, class Numbers, class Totals, class Stages, class Arguments>
__global__ void __launch_bounds__(block_threads) row_kernel(std::integral_constant<std::size_t, Width>, Arrays, Rows, Numbers, Totals, Stages, Arguments a) {
    using T = typename Arguments::value_type;
    using work = row_work<T, Arguments::kept, Width, Arrays, Rows, Numbers, Totals, Stages>;
    __shared__ T of_warp[work::rows + 1][block_threads / warp_threads];
    T total[work::totals + 1];
    typename work::state s;
    work::begin(a, threadIdx.x & ((1U << a.shift) - 1), s, total);
    const unsigned tall = 1U << (a.block_shift - a.shift);
    for (std::size_t first = blockIdx.x * std::size_t{tall}; first < a.rows; first += gridDim.x * std::size_t{tall}) {
        const std::size_t m = first + (threadIdx.x >> a.shift);
        const bool there = m < a.rows;
        if (there) work::load(a, m, s);
        run_stages<work>(a, s, there, total, of_warp, std::make_index_sequence<work::stages>{});
        if (1U << a.shift > warp_threads) __syncthreads(); // before the next row writes to of_warp
    }
    if constexpr (work::totals > 0) deliver_totals<work>(a, total, std::make_index_sequence<work::totals>{});
}

#else

template <keeping How, class T>
void fold_rows(T* lane, unsigned shift, unsigned threads) {
    const unsigned wide = 1U << shift, within = wide < warp_threads ? wide : warp_threads;
    for (unsigned first = 0; first < threads; first += within) {
        for (unsigned half = within / 2; half > 0; half /= 2) {
            for (unsigned t = first; t < first + half; ++t) lane[t] = combined<How>(lane[t], lane[t + half]);
        }
    }
    for (unsigned row = 0; row < threads; row += wide) {
        for (unsigned t = row + within; t < row + wide; t += within) lane[row] = combined<How>(lane[row], lane[t]);
    }
}
template <class Work, std::size_t Item, class T, std::size_t... R>
void run_stage(const typename Work::arguments& a, std::size_t first, typename Work::state* s, T (*total)[Work::totals + 1], std::index_sequence<R...>) {
    const unsigned threads = 1U << a.block_shift;
    T sums[block_threads][Work::rows + 1];
    const auto there = [&](unsigned t) { return first + (t >> a.shift) < a.rows; };
    for (unsigned t = 0; t < threads; ++t) {
        Work::template begin_stage<Item>(sums[t]);
        if (there(t)) Work::template run<Item>(a, s[t], sums[t], total[t]);
    }
    const auto settle = [&]<std::size_t Row>(std::integral_constant<std::size_t, Row>) {
        if constexpr (Work::template how_summed<Item, Row> != keeping::store) {
            T lane[block_threads];
            for (unsigned t = 0; t < threads; ++t) lane[t] = sums[t][Row];
            fold_rows<Work::template how_summed<Item, Row>>(lane, a.shift, threads);
            for (unsigned t = 0; t < threads; ++t) {
                if (there(t)) Work::template settle<Row>(a, s[t], lane[t >> a.shift << a.shift]);
            }
        }
    };
    (settle(std::integral_constant<std::size_t, R>{}), ...);
}
template <class Work, std::size_t K, class T>
void deliver_total(const typename Work::arguments& a, std::size_t block, const T (*total)[Work::totals + 1]) {
    T lane[block_threads];
    for (unsigned t = 0; t < 1U << a.block_shift; ++t) lane[t] = total[t][K];
    fold_rows<Work::template how_of_total<K>>(lane, a.block_shift, 1U << a.block_shift);
    a.partial[K * a.blocks + block] = lane[0];
}

#endif

/// `in` and `out`: how many arrays and numbers of rows are read, and written.
template <std::size_t Width, class Arrays, class Rows, class Numbers, class Totals, class... Stage, class Arguments>
void run_rows(std::integral_constant<std::size_t, Width> width, Arrays arrays, Rows rows, Numbers numbers, Totals totals, parts<Stage...> stages, const Arguments& a, std::size_t operations,
              std::size_t in, std::size_t out) {
    using T = typename Arguments::value_type;
    using work = row_work<T, Arguments::kept, Width, Arrays, Rows, Numbers, Totals, parts<Stage...>>;
    const launch l = described("rows", operations, in, out, a.rows * a.length, a.blocks, std::size_t{1} << a.block_shift);
    announce(l);
    for (std::size_t s = 0; s < work::arrays; ++s) {
        if (a.array[s] != nullptr) check_memory(a.array[s]); // (else it stays in registers)
    }
    for (std::size_t r = 0; r < work::rows; ++r) {
        if (a.row[r] != nullptr) check_memory(a.row[r]);
    }
#if DYAD_DEVICE_CUDA
    row_kernel<<<grid_blocks(a.blocks), 1U << a.block_shift, 0, stream()>>>(width, arrays, rows, numbers, totals, stages, a);
    check_launch(l);
#else
    static_cast<void>(width), static_cast<void>(arrays), static_cast<void>(rows), static_cast<void>(numbers), static_cast<void>(totals), static_cast<void>(stages);
    for_each_block(a.blocks, [a](std::size_t block) {
        const unsigned threads = 1U << a.block_shift;
        T total[block_threads][work::totals + 1];
        typename work::state s[block_threads];
        for (unsigned t = 0; t < threads; ++t) work::begin(a, t & ((1U << a.shift) - 1), s[t], total[t]);
        const std::size_t tall = threads >> a.shift;
        for (std::size_t first = block * tall; first < a.rows; first += a.blocks * tall) {
            for (unsigned t = 0; t < threads && first + (t >> a.shift) < a.rows; ++t) work::load(a, first + (t >> a.shift), s[t]);
            [&]<std::size_t... Item>(std::index_sequence<Item...>) {
                (run_stage<work, Item>(a, first, s, total, std::make_index_sequence<work::rows>{}), ...);
            }(std::make_index_sequence<work::stages>{});
        }
        [&]<std::size_t... K>(std::index_sequence<K...>) { (deliver_total<work, K>(a, block, total), ...); }(std::make_index_sequence<work::totals>{});
    });
#endif
}

} // namespace dyad::device
