// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Some lanes of a vector, chosen by the bits of a number: what is not chosen is neither read nor written. Instructions that
// do so exist from AVX2 on; without them the lanes go one by one.
#pragma once

#include <cstddef>
#include <cstdint>

#include <xsimd/xsimd.hpp>

#if defined(__AVX2__)
#include <immintrin.h> // what xsimd 8 lacks
#endif

#include <dyad/base/config.hpp>

namespace dyad::simd {

/// For vectors of T as wide as a register.
template <class T>
struct masked {
    using batch = xsimd::batch<T>;
    static constexpr std::size_t size = batch::size;

    /// The elements whose bits are set; in the other lanes those of `others`.
    DYAD_INLINE static batch load(const T* from, std::uint32_t bits, batch others) {
        T lane[size];
        others.store_unaligned(lane);
        for (std::size_t k = 0; k < size; ++k) lane[k] = (bits >> k & 1) != 0 ? from[k] : lane[k];
        return batch::load_unaligned(lane);
    }
    DYAD_INLINE static void store(T* to, std::uint32_t bits, batch v) {
        T lane[size];
        v.store_unaligned(lane);
        for (std::size_t k = 0; k < size; ++k) {
            if ((bits >> k & 1) != 0) to[k] = lane[k];
        }
    }
    /// The lanes of `set` whose bits are set, the others of `others`.
    DYAD_INLINE static batch choose(std::uint32_t bits, batch set, batch others) {
        T lane[size];
        set.store_unaligned(lane);
        return load(lane, bits, others);
    }
};

#if defined(__AVX512F__)
template <>
struct masked<double> {
    using batch = xsimd::batch<double>;
    DYAD_INLINE static batch load(const double* from, std::uint32_t bits, batch others) { return _mm512_mask_loadu_pd(others, static_cast<__mmask8>(bits), from); }
    DYAD_INLINE static void store(double* to, std::uint32_t bits, batch v) { _mm512_mask_storeu_pd(to, static_cast<__mmask8>(bits), v); }
    DYAD_INLINE static batch choose(std::uint32_t bits, batch set, batch others) { return _mm512_mask_mov_pd(others, static_cast<__mmask8>(bits), set); }
};
template <>
struct masked<float> {
    using batch = xsimd::batch<float>;
    DYAD_INLINE static batch load(const float* from, std::uint32_t bits, batch others) { return _mm512_mask_loadu_ps(others, static_cast<__mmask16>(bits), from); }
    DYAD_INLINE static void store(float* to, std::uint32_t bits, batch v) { _mm512_mask_storeu_ps(to, static_cast<__mmask16>(bits), v); }
    DYAD_INLINE static batch choose(std::uint32_t bits, batch set, batch others) { return _mm512_mask_mov_ps(others, static_cast<__mmask16>(bits), set); }
};
#elif defined(__AVX2__)
template <>
struct masked<double> {
    using batch = xsimd::batch<double>;
    DYAD_INLINE static __m256i lanes(std::uint32_t bits) {
        const __m256i each = _mm256_set_epi64x(8, 4, 2, 1);
        return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits), each), each);
    }
    DYAD_INLINE static batch load(const double* from, std::uint32_t bits, batch others) {
        const __m256i chosen = lanes(bits);
        return _mm256_blendv_pd(others, _mm256_maskload_pd(from, chosen), _mm256_castsi256_pd(chosen));
    }
    DYAD_INLINE static void store(double* to, std::uint32_t bits, batch v) { _mm256_maskstore_pd(to, lanes(bits), v); }
    DYAD_INLINE static batch choose(std::uint32_t bits, batch set, batch others) { return _mm256_blendv_pd(others, set, _mm256_castsi256_pd(lanes(bits))); }
};
template <>
struct masked<float> {
    using batch = xsimd::batch<float>;
    DYAD_INLINE static __m256i lanes(std::uint32_t bits) {
        const __m256i each = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
        return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), each), each);
    }
    DYAD_INLINE static batch load(const float* from, std::uint32_t bits, batch others) {
        const __m256i chosen = lanes(bits);
        return _mm256_blendv_ps(others, _mm256_maskload_ps(from, chosen), _mm256_castsi256_ps(chosen));
    }
    DYAD_INLINE static void store(float* to, std::uint32_t bits, batch v) { _mm256_maskstore_ps(to, lanes(bits), v); }
    DYAD_INLINE static batch choose(std::uint32_t bits, batch set, batch others) { return _mm256_blendv_ps(others, set, _mm256_castsi256_ps(lanes(bits))); }
};
#endif

} // namespace dyad::simd
