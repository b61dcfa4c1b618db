// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A vector's lanes as one number, their sum for example: its halves are combined, then theirs, so that the order is the same with
// every instruction set. (Written out: g++ 12 takes other ways through memory, and warns of its own reductions and casts of 512 bits.)
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

// How two become one: numbers, and registers lane by lane. Of a NaN and a number any may be the larger.
#if defined(__AVX512F__)
#define DYAD_FOLD_512(instruction)                                                                                               \
    DYAD_INLINE static __m512d of(__m512d a, __m512d b) { return _mm512_maskz_##instruction##_pd(0xff, a, b); }                 \
    DYAD_INLINE static __m512 of(__m512 a, __m512 b) { return _mm512_maskz_##instruction##_ps(0xffff, a, b); }
#else
#define DYAD_FOLD_512(instruction)
#endif
#if defined(__AVX__)
#define DYAD_FOLD_256(instruction)                                                                                               \
    DYAD_INLINE static __m256d of(__m256d a, __m256d b) { return _mm256_##instruction##_pd(a, b); }                             \
    DYAD_INLINE static __m256 of(__m256 a, __m256 b) { return _mm256_##instruction##_ps(a, b); }
#else
#define DYAD_FOLD_256(instruction)
#endif
#if defined(__SSE2__)
#define DYAD_FOLD_REGISTERS(instruction)                                                                                         \
    DYAD_INLINE static __m128d of(__m128d a, __m128d b) { return _mm_##instruction##_pd(a, b); }                                \
    DYAD_INLINE static __m128 of(__m128 a, __m128 b) { return _mm_##instruction##_ps(a, b); }                                   \
    DYAD_FOLD_256(instruction)                                                                                                  \
    DYAD_FOLD_512(instruction)
#else
#define DYAD_FOLD_REGISTERS(instruction)
#endif
#define DYAD_FOLD(name, instruction, number)                                                                                     \
    struct name {                                                                                                                \
        template <class T>                                                                                                       \
        DYAD_INLINE static T of(T a, T b) {                                                                                      \
            return number;                                                                                                       \
        }                                                                                                                        \
        DYAD_FOLD_REGISTERS(instruction)                                                                                         \
    };
DYAD_FOLD(added, add, a + b)
DYAD_FOLD(larger_of, max, a > b ? a : b)
DYAD_FOLD(smaller_of, min, a < b ? a : b)
#undef DYAD_FOLD
#undef DYAD_FOLD_REGISTERS
#undef DYAD_FOLD_256
#undef DYAD_FOLD_512

#if defined(__SSE2__)
template <class Fold>
DYAD_INLINE double fold_lanes(__m128d v) {
    return _mm_cvtsd_f64(Fold::of(v, _mm_unpackhi_pd(v, v)));
}
template <class Fold>
DYAD_INLINE float fold_lanes(__m128 v) {
    const __m128 pair = Fold::of(v, _mm_movehl_ps(v, v));
    return _mm_cvtss_f32(Fold::of(pair, _mm_shuffle_ps(pair, pair, 1)));
}
#endif
#if defined(__AVX__)
template <class Fold>
DYAD_INLINE double fold_lanes(__m256d v) {
    return fold_lanes<Fold>(Fold::of(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1)));
}
template <class Fold>
DYAD_INLINE float fold_lanes(__m256 v) {
    return fold_lanes<Fold>(Fold::of(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1)));
}
#endif
#if defined(__AVX512F__)
template <int Upper>
DYAD_INLINE __m256d half_of(__m512d v) {
    return _mm512_maskz_extractf64x4_pd(0xf, v, Upper);
}
template <class Fold>
DYAD_INLINE double fold_lanes(__m512d v) {
    return fold_lanes<Fold>(Fold::of(half_of<0>(v), half_of<1>(v)));
}
template <class Fold>
DYAD_INLINE float fold_lanes(__m512 v) {
    const __m512d both = _mm512_castps_pd(v);
    return fold_lanes<Fold>(Fold::of(_mm256_castpd_ps(half_of<0>(both)), _mm256_castpd_ps(half_of<1>(both))));
}
#endif

/// Other registers, as those of ARM.
template <class Fold, class T>
DYAD_INLINE T fold_lanes(xsimd::batch<T> v) {
    T lane[xsimd::batch<T>::size];
    v.store_unaligned(lane);
    for (std::size_t width = xsimd::batch<T>::size / 2; width > 0; width /= 2) {
        for (std::size_t k = 0; k < width; ++k) lane[k] = Fold::of(lane[k], lane[k + width]);
    }
    return lane[0];
}

} // namespace dyad::simd
