// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What hand-written loops are made of: xsimd's vectors, libmvec's functions, masks for the last elements, and
// several accumulators side by side.
#pragma once

#include "../scalar/libmvec_batch.hpp"

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace bench {

using batch = native_batch;

#define BENCH_INLINE [[gnu::always_inline]] inline

BENCH_INLINE batch vector_exp(batch x) { return exp(libmvec_batch(x)).lanes; }
BENCH_INLINE batch vector_log(batch x) { return log(libmvec_batch(x)).lanes; }
BENCH_INLINE batch vector_sin(batch x) { return sin(libmvec_batch(x)).lanes; }
BENCH_INLINE batch vector_cos(batch x) { return cos(libmvec_batch(x)).lanes; }

/// All lanes of a vector.
struct all_lanes {
    BENCH_INLINE batch load(const double* p) const { return batch::load_unaligned(p); }
    BENCH_INLINE void store(double* p, batch v) const { v.store_unaligned(p); }
    BENCH_INLINE batch kept(batch v) const { return v; }
    BENCH_INLINE batch kept_or(batch v, batch) const { return v; }
};
/// The first ones, for what is left at the end; other lanes load zeros.
struct first_lanes {
#if defined __AVX512F__
    __mmask8 mask;
    explicit first_lanes(std::size_t n) : mask(static_cast<__mmask8>((1U << n) - 1)) {}
    BENCH_INLINE batch load(const double* p) const { return _mm512_maskz_loadu_pd(mask, p); }
    BENCH_INLINE void store(double* p, batch v) const { _mm512_mask_storeu_pd(p, mask, v); }
    BENCH_INLINE batch kept(batch v) const { return _mm512_maskz_mov_pd(mask, v); }
    BENCH_INLINE batch kept_or(batch v, batch w) const { return _mm512_mask_mov_pd(w, mask, v); }
#else
    __m256i mask;
    explicit first_lanes(std::size_t n)
        : mask(_mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(n)), _mm256_setr_epi64x(0, 1, 2, 3))) {}
    BENCH_INLINE batch load(const double* p) const { return _mm256_maskload_pd(p, mask); }
    BENCH_INLINE void store(double* p, batch v) const { _mm256_maskstore_pd(p, mask, v); }
    BENCH_INLINE batch kept(batch v) const { return _mm256_and_pd(v, _mm256_castsi256_pd(mask)); }
    BENCH_INLINE batch kept_or(batch v, batch w) const { return _mm256_blendv_pd(w, v, _mm256_castsi256_pd(mask)); }
#endif
};

template <std::size_t I>
using index = std::integral_constant<std::size_t, I>;

/// body(lanes, i, u) for elements i, i + 1 ... of [0, n); u < Unroll numbers what runs side by side.
template <std::size_t Unroll, class Body>
BENCH_INLINE void for_lanes(std::size_t n, const Body& body) {
    constexpr std::size_t width = batch::size;
    std::size_t i = 0;
    if constexpr (Unroll > 1) {
        for (; i + Unroll * width <= n; i += Unroll * width) {
            [&]<std::size_t... U>(std::index_sequence<U...>) __attribute__((always_inline)) {
                (body(all_lanes{}, i + U * width, index<U>{}), ...);
            }(std::make_index_sequence<Unroll>{});
        }
    }
    for (; i + width <= n; i += width) body(all_lanes{}, i, index<0>{});
    if (i < n) body(first_lanes(n - i), i, index<0>{});
}
#define BENCH_BODY __attribute__((always_inline))

BENCH_INLINE double sum_of_lanes(batch v) {
#if defined __AVX512F__
    return _mm512_reduce_add_pd(v);
#else
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
#endif
}
BENCH_INLINE double largest_of_lanes(batch v) {
#if defined __AVX512F__
    return _mm512_reduce_max_pd(v);
#else
    const __m128d half = _mm_max_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_max_sd(half, _mm_unpackhi_pd(half, half)));
#endif
}

/// Accumulators side by side.
template <std::size_t Unroll>
struct accumulators {
    batch lane[Unroll];
    BENCH_INLINE explicit accumulators(double start = 0) {
        for (batch& b : lane) b = batch(start);
    }
    [[nodiscard]] BENCH_INLINE double sum() const {
        batch all = lane[0];
        for (std::size_t u = 1; u < Unroll; ++u) all = all + lane[u];
        return sum_of_lanes(all);
    }
    [[nodiscard]] BENCH_INLINE double largest() const {
        batch all = lane[0];
        for (std::size_t u = 1; u < Unroll; ++u) all = xsimd::max(all, lane[u]);
        return largest_of_lanes(all);
    }
};

/// Past the caches; for aligned addresses.
BENCH_INLINE void store_streaming(double* p, batch v) {
#if defined __AVX512F__
    _mm512_stream_pd(p, v);
#else
    _mm256_stream_pd(p, v);
#endif
}
/// The elements before the first aligned one.
inline std::size_t before_aligned(const double* p, std::size_t n) {
    const std::size_t width = batch::size;
    const std::size_t at = reinterpret_cast<std::uintptr_t>(p) / sizeof(double) % width;
    const std::size_t before = at == 0 ? 0 : width - at;
    return before < n ? before : n;
}
/// vector(i) for whole vectors from where `p` has an aligned element, in [begin, end); one(i) for the elements before and behind them.
template <class One, class Vector>
BENCH_INLINE void for_lines(const double* p, std::size_t begin, std::size_t end, const One& one, const Vector& vector) {
    std::size_t i = begin;
    for (const std::size_t first = begin + before_aligned(p + begin, end - begin); i < first; ++i) one(i);
    for (; i + batch::size <= end; i += batch::size) vector(i);
    for (; i < end; ++i) one(i);
    _mm_sfence();
}

} // namespace bench
