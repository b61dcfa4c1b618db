// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The version, and the only compiler conditionals of the library: what a compiler spells in its own
// way gets one name here, and every other header uses that name.
#pragma once

#include <cstddef> // also makes the C library name itself (__GLIBC__)

#define DYAD_VERSION_MAJOR 0
#define DYAD_VERSION_MINOR 1
#define DYAD_VERSION_PATCH 0

#if !defined(__cpp_nontype_template_args) || !defined(__cpp_concepts) || __cplusplus < 202002L
#error "[dyad] C++20 is needed: compile with -std=c++20 or newer (g++ 12, clang 14, nvcc 13 or newer)"
#endif

/// Marks what may run inside a CUDA kernel as well.
#if defined(__CUDACC__)
#define DYAD_FN __host__ __device__
#else
#define DYAD_FN
#endif

/// A constant expression over static tables, as a value: device code has no such tables, so there it goes
/// through a type. Elsewhere that would only cost compile time.
#if defined(__CUDACC__)
#define DYAD_CONSTANT(...) (::std::integral_constant<::std::remove_cvref_t<decltype(__VA_ARGS__)>, (__VA_ARGS__)>::value)
#else
#define DYAD_CONSTANT(...) (__VA_ARGS__)
#endif

/// A kernel's steps only become registers when they are inlined into it, so they insist on that. Without
/// optimisation nothing becomes a register, and calls compile in half the time.
#if defined(__OPTIMIZE__) || defined(__CUDACC__)
#define DYAD_INLINE __attribute__((always_inline)) inline
#else
#define DYAD_INLINE inline
#endif

/// The same for a lambda, after its parameters.
#if defined(__OPTIMIZE__)
#define DYAD_INLINE_LAMBDA __attribute__((always_inline))
#else
#define DYAD_INLINE_LAMBDA
#endif

/// How operations declare their values: small functions of values (not of references, whose addresses would
/// keep a kernel's numbers in memory) that vanish into the kernel.
#define DYAD_VALUE DYAD_FN DYAD_INLINE static constexpr

/// Ends the declaration of a function that overload resolution picks in order to refuse with `text`. clang prints the
/// text itself, and goes on as if nothing were wrong, with `body`, so that one mistake gives one message; g++ prints
/// the line that holds the text, as the place of the deletion.
#if defined(__clang__)
#define DYAD_REJECT(text, body) __attribute__((unavailable(text))) body
#else
#define DYAD_REJECT(text, body) = delete;
#endif

/// 1 where the elementary functions of <cmath> are usable in constant evaluation (g++'s built-ins).
#if defined(__clang__) || defined(__CUDACC__)
#define DYAD_CONSTANT_CMATH 0
#else
#define DYAD_CONSTANT_CMATH 1
#endif

/// 1 where the C library is to compute the sine and cosine of one argument in one call. (With fast-math not: the loop
/// around two calls becomes one of vectors.)
#if defined(__GLIBC__) && defined(__clang__) && !defined(__CUDACC__) && !defined(__FAST_MATH__)
#define DYAD_LIBC_SINCOS 1
#else
#define DYAD_LIBC_SINCOS 0
#endif
