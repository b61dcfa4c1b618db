// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A vector of numbers as kernels compute with it: the registers and arithmetic are xsimd's; elementary functions are
// those of glibc's vector library (libmvec, at most 4 ulp) where it has them and the policy allows other last bits,
// else xsimd's, else the scalar ones lane by lane. (xsimd 8's exp and sin take half as long again.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <xsimd/xsimd.hpp>

#include <dyad/kernel/lane_fold.hpp>
#include <dyad/kernel/masked.hpp>
#include <dyad/op/contraction.hpp>
#include <dyad/op/math.hpp>

namespace dyad {

#if defined(__GLIBC__) && defined(__x86_64__) && !defined(DYAD_NO_LIBMVEC)
#if defined(__AVX512F__)
#define DYAD_LIBMVEC_D(arguments, name) _ZGVeN8##arguments##_##name
#define DYAD_LIBMVEC_F(arguments, name) _ZGVeN16##arguments##_##name##f
#elif defined(__AVX2__)
#define DYAD_LIBMVEC_D(arguments, name) _ZGVdN4##arguments##_##name
#define DYAD_LIBMVEC_F(arguments, name) _ZGVdN8##arguments##_##name##f
#elif defined(__AVX__)
#define DYAD_LIBMVEC_D(arguments, name) _ZGVcN4##arguments##_##name
#define DYAD_LIBMVEC_F(arguments, name) _ZGVcN8##arguments##_##name##f
#else // SSE2: glibc picks what the machine has
#define DYAD_LIBMVEC_D(arguments, name) _ZGVbN2##arguments##_##name
#define DYAD_LIBMVEC_F(arguments, name) _ZGVbN4##arguments##_##name##f
#endif
#endif

#if defined(DYAD_LIBMVEC_D)
#if __GLIBC__ > 2 || __GLIBC_MINOR__ >= 35
#define DYAD_LIBMVEC_UNARY(X)                                                                        \
    X(exp) X(log) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh)       \
    X(acosh) X(atanh) X(erf) X(erfc) X(exp2) X(expm1) X(log2) X(log10) X(log1p) X(cbrt)
#define DYAD_LIBMVEC_BINARY(X) X(pow) X(atan2) X(hypot)
#else
#define DYAD_LIBMVEC_UNARY(X) X(exp) X(log) X(sin) X(cos)
#define DYAD_LIBMVEC_BINARY(X) X(pow)
#endif
#define DYAD_VECTOR_UNARY(X) DYAD_LIBMVEC_UNARY(X)
#define DYAD_VECTOR_BINARY(X) DYAD_LIBMVEC_BINARY(X)
#define DYAD_VECTOR_CALL(name) functions::name
#else
#define DYAD_LIBMVEC_UNARY(X)
#define DYAD_LIBMVEC_BINARY(X)
#define DYAD_VECTOR_UNARY(X)                                                                         \
    X(exp) X(log) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh)       \
    X(acosh) X(atanh) X(erf) X(erfc) X(exp2) X(expm1) X(log2) X(log10) X(log1p) X(cbrt)
#define DYAD_VECTOR_BINARY(X) X(pow) X(atan2)
#define DYAD_VECTOR_CALL(name) xsimd::name
#endif

// A namespace of its own: argument-dependent look-up must not find dyad::exp.
namespace simd {

namespace functions {
using doubles = decltype(xsimd::batch<double>::data);
using floats = decltype(xsimd::batch<float>::data);
using wide_doubles = xsimd::batch<double>;
using wide_floats = xsimd::batch<float>;
#define DYAD_DECLARE(name)                                                                           \
    extern "C" doubles DYAD_LIBMVEC_D(v, name)(doubles);                                             \
    extern "C" floats DYAD_LIBMVEC_F(v, name)(floats);                                               \
    inline wide_doubles name(wide_doubles x) { return DYAD_LIBMVEC_D(v, name)(x.data); }             \
    inline wide_floats name(wide_floats x) { return DYAD_LIBMVEC_F(v, name)(x.data); }
DYAD_LIBMVEC_UNARY(DYAD_DECLARE)
#undef DYAD_DECLARE
#define DYAD_DECLARE(name)                                                                           \
    extern "C" doubles DYAD_LIBMVEC_D(vv, name)(doubles, doubles);                                   \
    extern "C" floats DYAD_LIBMVEC_F(vv, name)(floats, floats);                                      \
    inline wide_doubles name(wide_doubles x, wide_doubles y) { return DYAD_LIBMVEC_D(vv, name)(x.data, y.data); } \
    inline wide_floats name(wide_floats x, wide_floats y) { return DYAD_LIBMVEC_F(vv, name)(x.data, y.data); }
DYAD_LIBMVEC_BINARY(DYAD_DECLARE)
#undef DYAD_DECLARE
} // namespace functions

/// !m, in its caller. (g++ 12 calls xsimd 8's from large loops.)
template <class M>
DYAD_INLINE M inverted(M m) {
    if constexpr (requires { ~m.data; }) {
        return M(static_cast<decltype(m.data)>(~m.data));
    } else {
#if defined(__SSE2__) && !defined(__CUDACC__) // (nvcc casts no vectors)
        using integers [[gnu::vector_size(sizeof(m.data))]] = long long;
        return M(reinterpret_cast<decltype(m.data)>(~reinterpret_cast<integers>(m.data)));
#else
        return !m;
#endif
    }
}

/// As many numbers as a register holds. `Fast` allows functions that differ from the scalar ones in the last bits.
template <class T, bool Fast>
struct lanes {
    using value_type = T;
    using batch = xsimd::batch<T>;
    using mask = decltype(std::declval<batch>() < std::declval<batch>());
    using choice = typename masked<T>::choice;
    static constexpr std::size_t size = batch::size;
    batch v;

    lanes() = default;
    DYAD_INLINE lanes(T all) : v(all) {}
    DYAD_INLINE lanes(batch values) : v(values) {}

    DYAD_INLINE static lanes load_unaligned(const T* from) { return batch::load_unaligned(from); }
    DYAD_INLINE void store_unaligned(T* to) const { v.store_unaligned(to); }

    /// The first n elements, 0 < n < size; the other lanes are like the first.
    DYAD_INLINE static lanes load_first(const T* from, std::size_t n) {
        return lanes(masked<T>::load(from, masked<T>::first(n), batch(*from)));
    }
    /// Lanes first to last - 1, as far as there are such.
    DYAD_INLINE static choice between(std::ptrdiff_t first, std::ptrdiff_t last) { return masked<T>::between(first, last); }
    /// The elements that are chosen; 0 in the other lanes, whose elements are not read.
    DYAD_INLINE static lanes load_some(const T* from, choice chosen) { return lanes(masked<T>::load(from, chosen, batch(T(0)))); }
    /// 1 in the lanes that are chosen, 0 in the others.
    DYAD_INLINE static lanes ones_in(choice chosen) { return lanes(masked<T>::choose(chosen, batch(T(1)), batch(T(0)))); }
    DYAD_INLINE void store_first(T* to, std::size_t n) const { masked<T>::store(to, masked<T>::first(n), v); }
    DYAD_INLINE void store_some(T* to, choice chosen) const { masked<T>::store(to, chosen, v); }
    /// The lanes of `set` that are chosen, the others of `others`.
    DYAD_INLINE static lanes choose(choice chosen, lanes set, lanes others) { return lanes(masked<T>::choose(chosen, set.v, others.v)); }
    /// Lanes 0, 1, 2 ...
    DYAD_INLINE static lanes numbers() {
        struct table {
            T of[size] = {};
            constexpr table() {
                for (std::size_t k = 0; k < size; ++k) of[k] = static_cast<T>(k);
            }
        };
        static constexpr table all{};
        return load_unaligned(all.of);
    }

    [[nodiscard]] DYAD_INLINE T sum() const { return fold_lanes<added>(v.data); }
    /// NaN if a lane is.
    [[nodiscard]] DYAD_INLINE T largest() const { return number_or_nan(fold_lanes<larger_of>(v.data)); }
    [[nodiscard]] DYAD_INLINE T smallest() const { return number_or_nan(fold_lanes<smaller_of>(v.data)); }

    friend DYAD_INLINE lanes operator-(lanes a) { return -a.v; }
#define DYAD_LANES(symbol, name)                                                                     \
    friend DYAD_INLINE lanes operator symbol(lanes a, lanes b) {                                     \
        if constexpr (Fast) return math::contracted_##name(a.v, b.v);                                \
        if constexpr (!Fast) return a.v symbol b.v;                                                  \
    }
    DYAD_LANES(+, add)
    DYAD_LANES(-, sub)
    DYAD_LANES(*, mul)
#undef DYAD_LANES
    friend DYAD_INLINE lanes operator/(lanes a, lanes b) { return a.v / b.v; }
    friend DYAD_INLINE mask operator<(lanes a, lanes b) { return a.v < b.v; }
    friend DYAD_INLINE mask operator<=(lanes a, lanes b) { return a.v <= b.v; }
    friend DYAD_INLINE mask operator==(lanes a, lanes b) { return a.v == b.v; }
    friend DYAD_INLINE mask operator!=(lanes a, lanes b) { return inverted(a.v == b.v); } // (xsimd 8's own is false for NaN)

    friend DYAD_INLINE lanes select(mask m, lanes a, lanes b) { return xsimd::select(m, a.v, b.v); }
#if defined(__SSE2__) // whose instructions give the second operand where the two are equal or either is NaN (xsimd's turn them round since 14)
    friend DYAD_INLINE lanes larger(lanes a, lanes b) { return xsimd::select(b.v == b.v, batch(larger_of::of(b.v.data, a.v.data)), b.v); }
    friend DYAD_INLINE lanes smaller(lanes a, lanes b) { return xsimd::select(b.v == b.v, batch(smaller_of::of(b.v.data, a.v.data)), b.v); }
#endif
#if defined(__AVX512F__)
    friend DYAD_INLINE lanes sqrt(lanes a) { return masked<T>::root(a.v); }
    friend DYAD_INLINE lanes floor(lanes a) { return masked<T>::template rounded<_MM_FROUND_TO_NEG_INF>(a.v); }
    friend DYAD_INLINE lanes ceil(lanes a) { return masked<T>::template rounded<_MM_FROUND_TO_POS_INF>(a.v); }
    friend DYAD_INLINE lanes trunc(lanes a) { return masked<T>::template rounded<_MM_FROUND_TO_ZERO>(a.v); }
#else
    friend DYAD_INLINE lanes sqrt(lanes a) { return xsimd::sqrt(a.v); }
    friend DYAD_INLINE lanes floor(lanes a) { return xsimd::floor(a.v); }
    friend DYAD_INLINE lanes ceil(lanes a) { return xsimd::ceil(a.v); }
    friend DYAD_INLINE lanes trunc(lanes a) { return xsimd::trunc(a.v); }
#endif
    friend DYAD_INLINE lanes abs(lanes a) { return xsimd::abs(a.v); }
    friend DYAD_INLINE lanes fma(lanes a, lanes b, lanes c) { return xsimd::fma(a.v, b.v, c.v); }
#define DYAD_FRIEND(name)                                                                            \
    friend DYAD_INLINE lanes name(lanes a)                                                           \
        requires Fast                                                                                \
    {                                                                                                \
        return DYAD_VECTOR_CALL(name)(a.v);                                                           \
    }
    DYAD_VECTOR_UNARY(DYAD_FRIEND)
#undef DYAD_FRIEND
#define DYAD_FRIEND(name)                                                                            \
    friend DYAD_INLINE lanes name(lanes a, lanes b)                                                  \
        requires Fast                                                                                \
    {                                                                                                \
        return DYAD_VECTOR_CALL(name)(a.v, b.v);                                                     \
    }
    DYAD_VECTOR_BINARY(DYAD_FRIEND)
#undef DYAD_FRIEND
    friend DYAD_INLINE std::pair<lanes, lanes> sincos(lanes a)
        requires Fast
    {
        return {math::sin(a), math::cos(a)};
    }

private:
    [[nodiscard]] DYAD_INLINE T number_or_nan(T x) const { return xsimd::all(v == v) ? x : static_cast<T>(__builtin_nan("")); }
};

} // namespace simd

} // namespace dyad

#undef DYAD_LIBMVEC_D
#undef DYAD_LIBMVEC_F
#undef DYAD_LIBMVEC_UNARY
#undef DYAD_LIBMVEC_BINARY
#undef DYAD_VECTOR_UNARY
#undef DYAD_VECTOR_BINARY
#undef DYAD_VECTOR_CALL
