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

#if defined(min) || defined(max)
#error "[dyad] min and max are macros here, as windows.h makes them: define NOMINMAX before it"
#endif
#if defined(emit) || defined(slots)
#error "[dyad] emit and slots are macros here, as Qt makes them: compile with QT_NO_KEYWORDS, or include dyad first"
#endif
#if defined(DYAD_SINGLE_HEADER)
#error "[dyad] single_include/dyad/core.hpp stands beside include/dyad: name one of the two folders to the compiler, and for more than the core that is include"
#endif

/// Marks what may run inside a CUDA kernel as well.
#if defined(__CUDACC__)
#define DYAD_FN __host__ __device__
#else
#define DYAD_FN
#endif

/// Between these nvcc is not to warn that a function for both sides calls one for the host alone, or has a long double: what does that is
/// only ever run on the host (on traced values, or in constant evaluation). Nor of loops up to a template's number that is 0.
#if defined(__CUDACC__)
#define DYAD_BOTH_SIDES_BEGIN _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 20011,20012,20013,20014,20015,20208,186")
#define DYAD_BOTH_SIDES_END _Pragma("nv_diagnostic pop")
#else
#define DYAD_BOTH_SIDES_BEGIN
#define DYAD_BOTH_SIDES_END
#endif

/// Between these nvcc is not to warn of loops over tables that are empty in one program.
#if defined(__CUDACC__)
#define DYAD_EMPTY_LOOPS_BEGIN _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 128,186")
#define DYAD_EMPTY_LOOPS_END _Pragma("nv_diagnostic pop")
#else
#define DYAD_EMPTY_LOOPS_BEGIN
#define DYAD_EMPTY_LOOPS_END
#endif

/// 1 where the code of a device is compiled.
#if defined(__CUDA_ARCH__)
#define DYAD_DEVICE_CODE 1
#else
#define DYAD_DEVICE_CODE 0
#endif

/// What a program has once, though its libraries hide what they do not name (`-fvisibility=hidden`): a tape is every library's, an error is caught in any.
#if defined(_WIN32)
#define DYAD_SHARED
#else
#define DYAD_SHARED __attribute__((visibility("default")))
#endif

/// Before a loop of few steps whose arrays are to become registers of a device.
#if defined(__CUDACC__)
#define DYAD_UNROLL _Pragma("unroll")
#else
#define DYAD_UNROLL
#endif

/// Before a loop over a small array that is to become registers of a processor: g++ splits only arrays that no loop reads when it
/// looks at them. (clang unrolls such loops itself.)
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define DYAD_UNROLL_SMALL _Pragma("GCC unroll 64")
#else
#define DYAD_UNROLL_SMALL
#endif

/// Makes the compiler hold a float or a double in a register of its own. (Not where it may reorder sums: there whole rounds of a
/// loop may become one vector.)
#if defined(__CUDACC__) || defined(__FAST_MATH__)
#define DYAD_IN_REGISTER(x) static_cast<void>(x)
#elif defined(__SSE2_MATH__)
#define DYAD_IN_REGISTER(x) asm("" : "+x"(x))
#elif defined(__aarch64__)
#define DYAD_IN_REGISTER(x) asm("" : "+w"(x))
#else
#define DYAD_IN_REGISTER(x) static_cast<void>(x)
#endif

/// std::is_constant_evaluated(), which device code cannot call.
#define DYAD_CONSTANT_EVALUATED __builtin_is_constant_evaluated()

/// 1 where the compiler makes the elements of `new T[n]{}` one by one in constant evaluation, as dear as a loop over them, but
/// those of a member array only when they are touched, and T needs no destruction: g++. (clang takes 3 to 20 times as long with
/// large member arrays. The type trait of the standard library costs as much as the rest of a list.)
#if defined(__clang__) || defined(__CUDACC__)
#define DYAD_LAZY_MEMBER_ARRAY(T) 0
#else
#define DYAD_LAZY_MEMBER_ARRAY(T) __has_trivial_destructor(T)
#endif

/// 1 where code can read static tables at run time. Device code has none, so there DYAD_CONSTANT makes a value of a
/// constant expression over them, through a type. Elsewhere that would only cost compile time.
#if defined(__CUDACC__)
#define DYAD_STATIC_TABLES 0
#define DYAD_CONSTANT(...) (::std::integral_constant<::std::remove_cvref_t<decltype(__VA_ARGS__)>, (__VA_ARGS__)>::value)
#else
#define DYAD_STATIC_TABLES 1
#define DYAD_CONSTANT(...) (__VA_ARGS__)
#endif

/// A kernel's steps only become registers when they are inlined into it, so they insist on that. Without
/// optimisation nothing becomes a register, and calls compile in half the time.
#if defined(__OPTIMIZE__) || DYAD_DEVICE_CODE
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

/// 1 where the compiler joins products and sums of several functions, once they stand in one, only if each says so at its head: clang.
/// (There this has precedence over `-ffp-contract`; -DDYAD_NO_CONTRACTION says no.)
#if defined(__clang__) && !defined(__CUDACC__) && !defined(DYAD_NO_CONTRACTION)
#define DYAD_CONTRACTION 1
#define DYAD_CONTRACT _Pragma("clang fp contract(fast)")
#else
#define DYAD_CONTRACTION 0
#define DYAD_CONTRACT
#endif

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

/// 1 where a constant expression tells a byte of a value from one of padding.
#if defined(__CUDACC__)
#define DYAD_PADDING_IS_KNOWN 0
#else
#define DYAD_PADDING_IS_KNOWN 1
#endif

/// 1 where the C library is to compute the sine and cosine of one argument in one call. (With fast-math not: the loop
/// around two calls becomes one of vectors.)
#if defined(__GLIBC__) && defined(__clang__) && !defined(__CUDACC__) && !defined(__FAST_MATH__)
#define DYAD_LIBC_SINCOS 1
#else
#define DYAD_LIBC_SINCOS 0
#endif
