// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Some lanes of a vector: what is not chosen is neither read nor written. Instructions that
// do so exist from AVX2 on; without them the lanes go one by one. So do those that turn a vector by a number of lanes that only run
// time knows, and write it past the caches.
#pragma once

#include <cstddef>
#include <cstdint>

#include <xsimd/xsimd.hpp>

#if defined(__AVX2__)
#include <immintrin.h> // what xsimd 8 lacks
#endif

#include <dyad/base/config.hpp>

namespace dyad::simd {

/// For vectors of T as wide as a register. `choice` says which lanes.
template <class T>
struct masked {
    using batch = xsimd::batch<T>;
    using choice = std::uint32_t;
    static constexpr std::size_t size = batch::size;
    static constexpr bool streams = false; ///< turns and writes past the caches

    /// Lanes first to last - 1, as far as there are such.
    DYAD_INLINE static choice between(std::ptrdiff_t first, std::ptrdiff_t last) {
        constexpr auto all = static_cast<std::ptrdiff_t>(size);
        const auto below = [](std::ptrdiff_t edge) { return (std::uint32_t{1} << (edge < 0 ? 0 : edge < all ? edge : all)) - 1; };
        return below(last) & ~below(first);
    }
    /// The first n, n < size.
    DYAD_INLINE static choice first(std::size_t n) { return (std::uint32_t{1} << n) - 1; }

    /// The elements of the lanes that are chosen; in the other lanes those of `others`.
    DYAD_INLINE static batch load(const T* from, choice chosen, batch others) {
        T lane[size];
        others.store_unaligned(lane);
        for (std::size_t k = 0; k < size; ++k) lane[k] = (chosen >> k & 1) != 0 ? from[k] : lane[k];
        return batch::load_unaligned(lane);
    }
    DYAD_INLINE static void store(T* to, choice chosen, batch v) {
        T lane[size];
        v.store_unaligned(lane);
        for (std::size_t k = 0; k < size; ++k) {
            if ((chosen >> k & 1) != 0) to[k] = lane[k];
        }
    }
    /// The lanes of `set` that are chosen, the others of `others`.
    DYAD_INLINE static batch choose(choice chosen, batch set, batch others) {
        T lane[size];
        set.store_unaligned(lane);
        return load(lane, chosen, others);
    }
};

#if defined(__AVX2__)
/// An edge as a number of 32 bits: before and after all lanes it does not matter where.
DYAD_INLINE int near_edge(std::ptrdiff_t edge) { return static_cast<int>(edge < 0 ? 0 : edge < 16 ? edge : 16); }
#endif

#if defined(__AVX512F__)
template <>
struct masked<double> {
    using batch = xsimd::batch<double>;
    using choice = __mmask8;
    static constexpr bool streams = true;
    /// Lane k takes lane k - n, around the ends. (With a mask, since g++ 12 calls what others begin with uninitialised.)
    DYAD_INLINE static __m512i turn(std::size_t n) { return _mm512_sub_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(static_cast<int>(n))); }
    DYAD_INLINE static batch turned(batch v, __m512i by) { return _mm512_maskz_permutexvar_pd(0xff, by, v); }
    DYAD_INLINE static void stream(double* to, batch v) { _mm512_stream_pd(to, v); }
    DYAD_INLINE static choice between(std::ptrdiff_t first, std::ptrdiff_t last) {
        const __m512i number = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        return _mm512_mask_cmplt_epi64_mask(_mm512_cmple_epi64_mask(_mm512_set1_epi64(first), number), number, _mm512_set1_epi64(last));
    }
    DYAD_INLINE static choice first(std::size_t n) { return static_cast<choice>((1U << n) - 1); }
    DYAD_INLINE static batch load(const double* from, choice chosen, batch others) { return _mm512_mask_loadu_pd(others, chosen, from); }
    DYAD_INLINE static void store(double* to, choice chosen, batch v) { _mm512_mask_storeu_pd(to, chosen, v); }
    DYAD_INLINE static batch choose(choice chosen, batch set, batch others) { return _mm512_mask_mov_pd(others, chosen, set); }
    // (Likewise with masks.)
    DYAD_INLINE static batch root(batch v) { return _mm512_maskz_sqrt_pd(0xff, v); }
    template <int To>
    DYAD_INLINE static batch rounded(batch v) {
        return _mm512_maskz_roundscale_pd(0xff, v, To);
    }
};
template <>
struct masked<float> {
    using batch = xsimd::batch<float>;
    using choice = __mmask16;
    static constexpr bool streams = true;
    DYAD_INLINE static __m512i turn(std::size_t n) {
        return _mm512_sub_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi32(static_cast<int>(n)));
    }
    DYAD_INLINE static batch turned(batch v, __m512i by) { return _mm512_maskz_permutexvar_ps(0xffff, by, v); }
    DYAD_INLINE static void stream(float* to, batch v) { _mm512_stream_ps(to, v); }
    DYAD_INLINE static choice between(std::ptrdiff_t first, std::ptrdiff_t last) {
        const __m512i number = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        return _mm512_mask_cmplt_epi32_mask(_mm512_cmple_epi32_mask(_mm512_set1_epi32(near_edge(first)), number), number, _mm512_set1_epi32(near_edge(last)));
    }
    DYAD_INLINE static choice first(std::size_t n) { return static_cast<choice>((1U << n) - 1); }
    DYAD_INLINE static batch load(const float* from, choice chosen, batch others) { return _mm512_mask_loadu_ps(others, chosen, from); }
    DYAD_INLINE static void store(float* to, choice chosen, batch v) { _mm512_mask_storeu_ps(to, chosen, v); }
    DYAD_INLINE static batch choose(choice chosen, batch set, batch others) { return _mm512_mask_mov_ps(others, chosen, set); }
    DYAD_INLINE static batch root(batch v) { return _mm512_maskz_sqrt_ps(0xffff, v); }
    template <int To>
    DYAD_INLINE static batch rounded(batch v) {
        return _mm512_maskz_roundscale_ps(0xffff, v, To);
    }
};
#elif defined(__AVX2__)
/// Of eight parts, part k takes part k - n, around the ends.
DYAD_INLINE __m256i masked_turn(std::size_t n) { return _mm256_sub_epi32(_mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), _mm256_set1_epi32(static_cast<int>(n))); }
template <>
struct masked<double> {
    using batch = xsimd::batch<double>;
    using choice = __m256i;
    static constexpr bool streams = true;
    DYAD_INLINE static __m256i turn(std::size_t n) { return masked_turn(2 * n); } // in halves of lanes
    DYAD_INLINE static batch turned(batch v, __m256i by) { return _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(v), by)); }
    DYAD_INLINE static void stream(double* to, batch v) { _mm256_stream_pd(to, v); }
    DYAD_INLINE static choice between(std::ptrdiff_t first, std::ptrdiff_t last) {
        const __m256i number = _mm256_set_epi64x(3, 2, 1, 0);
        return _mm256_andnot_si256(_mm256_cmpgt_epi64(_mm256_set1_epi64x(first), number), _mm256_cmpgt_epi64(_mm256_set1_epi64x(last), number));
    }
    DYAD_INLINE static choice first(std::size_t n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<std::ptrdiff_t>(n)), _mm256_set_epi64x(3, 2, 1, 0)); }
    DYAD_INLINE static batch load(const double* from, choice chosen, batch others) { return _mm256_blendv_pd(others, _mm256_maskload_pd(from, chosen), _mm256_castsi256_pd(chosen)); }
    DYAD_INLINE static void store(double* to, choice chosen, batch v) { _mm256_maskstore_pd(to, chosen, v); }
    DYAD_INLINE static batch choose(choice chosen, batch set, batch others) { return _mm256_blendv_pd(others, set, _mm256_castsi256_pd(chosen)); }
};
template <>
struct masked<float> {
    using batch = xsimd::batch<float>;
    using choice = __m256i;
    static constexpr bool streams = true;
    DYAD_INLINE static __m256i turn(std::size_t n) { return masked_turn(n); }
    DYAD_INLINE static batch turned(batch v, __m256i by) { return _mm256_permutevar8x32_ps(v, by); }
    DYAD_INLINE static void stream(float* to, batch v) { _mm256_stream_ps(to, v); }
    DYAD_INLINE static choice between(std::ptrdiff_t first, std::ptrdiff_t last) {
        const __m256i number = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
        return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(near_edge(first)), number), _mm256_cmpgt_epi32(_mm256_set1_epi32(near_edge(last)), number));
    }
    DYAD_INLINE static choice first(std::size_t n) { return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0)); }
    DYAD_INLINE static batch load(const float* from, choice chosen, batch others) { return _mm256_blendv_ps(others, _mm256_maskload_ps(from, chosen), _mm256_castsi256_ps(chosen)); }
    DYAD_INLINE static void store(float* to, choice chosen, batch v) { _mm256_maskstore_ps(to, chosen, v); }
    DYAD_INLINE static batch choose(choice chosen, batch set, batch others) { return _mm256_blendv_ps(others, set, _mm256_castsi256_ps(chosen)); }
};
#endif

} // namespace dyad::simd
