// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The same work as plain CUDA kernels, as one would write them by hand: an element a thread, and four at a time.
#pragma once

#include <cstddef>

namespace hand {

inline constexpr unsigned threads = 256;
inline unsigned blocks_for(std::size_t n) { return static_cast<unsigned>((n + threads - 1) / threads); }

template <class T>
struct alignas(16) vector_of {
    T at[16 / sizeof(T)];
};

template <class T>
__global__ void iota(T* x, std::size_t n, T shift) {
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < n) x[i] = T(0.5) + static_cast<T>(i % 1021) / T(1021) + shift;
}
template <class T>
__global__ void copy(const vector_of<T>* x, vector_of<T>* y, std::size_t n) {
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < n) y[i] = x[i];
}

/// x² y / (1 + y²) and both slopes.
template <class T>
__device__ void quotient(T x, T y, T& value, T& dx, T& dy) {
    const T r = 1 / (1 + y * y), q = y * r;
    value = x * x * q;
    dx = 2 * x * q;
    dy = x * x * r * (1 - 2 * y * q);
}
template <class T>
__global__ void value_and_slopes(const vector_of<T>* x, const vector_of<T>* y, vector_of<T>* value, vector_of<T>* dx, vector_of<T>* dy, std::size_t n) {
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i >= n) return;
    const vector_of<T> a = x[i], b = y[i];
    vector_of<T> v, s, t;
    for (unsigned k = 0; k < 16 / sizeof(T); ++k) quotient(a.at[k], b.at[k], v.at[k], s.at[k], t.at[k]);
    value[i] = v, dx[i] = s, dy[i] = t;
}

/// Σ (w x - x²)² and its slope in w, by an atomic sum of the blocks' sums.
template <class T>
__global__ void squares(const vector_of<T>* w, const vector_of<T>* x, vector_of<T>* slope, T* total, std::size_t n) {
    T sum = 0;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x) {
        const vector_of<T> a = w[i], b = x[i];
        vector_of<T> s;
        for (unsigned k = 0; k < 16 / sizeof(T); ++k) {
            const T r = a.at[k] * b.at[k] - b.at[k] * b.at[k];
            sum += r * r;
            s.at[k] = 2 * r * b.at[k];
        }
        slope[i] = s;
    }
    for (unsigned half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    __shared__ T warp[threads / 32];
    if (threadIdx.x % 32 == 0) warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned k = 1; k < threads / 32; ++k) sum += warp[k];
        atomicAdd(total, sum);
    }
}

template <class T>
__device__ T block_sum(T x, bool largest) {
    __shared__ T lane[threads];
    lane[threadIdx.x] = x;
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            const T y = lane[threadIdx.x + half];
            lane[threadIdx.x] = largest ? max(lane[threadIdx.x], y) : lane[threadIdx.x] + y;
        }
        __syncthreads();
    }
    const T result = lane[0];
    __syncthreads();
    return result;
}
/// -mean over rows of Σ target log_softmax(x), and its slope: a block a row.
template <class T>
__global__ void cross_entropy(const T* x, const T* target, T* slope, T* total, std::size_t columns, T scale) {
    x += blockIdx.x * columns, target += blockIdx.x * columns, slope += blockIdx.x * columns;
    T largest = -INFINITY, sum = 0, weight = 0, dot = 0;
    for (std::size_t j = threadIdx.x; j < columns; j += threads) largest = max(largest, x[j]);
    largest = block_sum(largest, true);
    for (std::size_t j = threadIdx.x; j < columns; j += threads) {
        sum += exp(x[j] - largest);
        weight += target[j];
        dot += target[j] * (x[j] - largest);
    }
    sum = block_sum(sum, false), weight = block_sum(weight, false), dot = block_sum(dot, false);
    for (std::size_t j = threadIdx.x; j < columns; j += threads) slope[j] = scale * (weight * exp(x[j] - largest) / sum - target[j]);
    if (threadIdx.x == 0) atomicAdd(total, scale * (weight * log(sum) - dot));
}

} // namespace hand
