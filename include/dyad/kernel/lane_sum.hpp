// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The sum of a vector's lanes: its halves are added, then theirs, so that the order is the same with every instruction set.
// (Written out: g++ 12 takes other ways through memory, and warns of its own reductions and casts of 512 bits.)
#pragma once

#include <cstddef>

#include <xsimd/xsimd.hpp>

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h> // (the whole takes a quarter of a second to compile)
#endif

#include <dyad/base/config.hpp>

namespace dyad::simd {

#if defined(__SSE2__)
DYAD_INLINE double sum_of_lanes(__m128d v) { return _mm_cvtsd_f64(_mm_add_sd(v, _mm_unpackhi_pd(v, v))); }
DYAD_INLINE float sum_of_lanes(__m128 v) {
    const __m128 pair = _mm_add_ps(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps(pair, pair, 1)));
}
#endif
#if defined(__AVX__)
DYAD_INLINE double sum_of_lanes(__m256d v) { return sum_of_lanes(_mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1))); }
DYAD_INLINE float sum_of_lanes(__m256 v) { return sum_of_lanes(_mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1))); }
#endif
#if defined(__AVX512F__)
template <int Upper>
DYAD_INLINE __m256d half_of(__m512d v) {
    return _mm512_maskz_extractf64x4_pd(0xf, v, Upper);
}
DYAD_INLINE double sum_of_lanes(__m512d v) { return sum_of_lanes(_mm256_add_pd(half_of<0>(v), half_of<1>(v))); }
DYAD_INLINE float sum_of_lanes(__m512 v) {
    const __m512d both = _mm512_castps_pd(v);
    return sum_of_lanes(_mm256_add_ps(_mm256_castpd_ps(half_of<0>(both)), _mm256_castpd_ps(half_of<1>(both))));
}
#endif

/// Other registers, as those of ARM.
template <class T>
DYAD_INLINE T sum_of_lanes(xsimd::batch<T> v) {
    T lane[xsimd::batch<T>::size];
    v.store_unaligned(lane);
    for (std::size_t width = xsimd::batch<T>::size / 2; width > 0; width /= 2) {
        for (std::size_t k = 0; k < width; ++k) lane[k] += lane[k + width];
    }
    return lane[0];
}

} // namespace dyad::simd
