// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Generated from include/dyad/core.hpp and what it includes by tools/amalgamate.py; do not edit.
#pragma once

#if defined(DYAD_VERSION_MAJOR)
#error "[dyad] include/dyad stands beside single_include/dyad/core.hpp: name one of the two folders to the compiler"
#endif

// ---- dyad/core.hpp
// The core: derivatives of scalar functions and eager expressions, at compile time. No third-party header.

// First the headers that refuse wrong programs: a short chain of includes makes for short messages.
// ---- dyad/op/operators.hpp
// The operators of symbolic values, and their refusals: an operand that is no number gets one sentence
// instead of a list of candidates.

// ---- dyad/base/reject.hpp
// What the library's refusals share. Overloads that must not be called end in
// `DYAD_REJECT("...", {})` (config.hpp); templates that must not be instantiated use `static_assert(never<T>, "...")`. Every
// sentence reads `[dyad] where: what is wrong; what to do`.

// ---- dyad/base/config.hpp
// The version, and the only compiler conditionals of the library: what a compiler spells in its own
// way gets one name here, and every other header uses that name.

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

namespace dyad {

/// False, but only once `T` is known: a `static_assert` on it fires at instantiation, not before.
template <class...>
inline constexpr bool never = false;

} // namespace dyad

// ---- dyad/op/operand.hpp
// Which types an operation takes: plain values (numbers, and vectors of numbers such as
// xsimd::batch<double>) and symbolic ones (traced values, eager expressions, later the tape's).

#include <concepts>
#include <type_traits>
#include <utility>

// ---- dyad/base/number.hpp
// Which types count as numbers, and the exact form in which a number becomes part of a program.

#include <bit>
#include <cstdint>
#include <limits>

// ---- dyad/base/error.hpp
// What the library throws. Texts name the operation, the operands and the numbers.

#include <stdexcept>

namespace dyad {

/// The base of all errors that dyad throws.
struct DYAD_SHARED error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Shapes or ranks that do not fit together.
struct DYAD_SHARED shape_error : error {
    using error::error;
};

/// An index or an axis out of its range.
struct DYAD_SHARED index_error : error {
    using error::error;
};

/// A use of a tape that its state forbids.
struct DYAD_SHARED tape_error : error {
    using error::error;
};

/// A failure of a device, or operands in different places.
struct DYAD_SHARED device_error : error {
    using error::error;
};

/// A value that an operation cannot take.
struct DYAD_SHARED value_error : error {
    using error::error;
};

} // namespace dyad

namespace dyad {

/// An arithmetic type other than bool and the character types' siblings: what a formula computes with.
template <class T>
concept number = std::is_arithmetic_v<T> && !std::same_as<std::remove_cv_t<T>, bool>;

/// What the elements of an array may be: numbers, or conditions, which count as 1 and 0.
template <class T>
concept array_element = std::is_arithmetic_v<T>;

/// A number that has derivatives.
template <class T>
concept real_number = std::floating_point<T>;

/// The type that `T` computes in: integers compute as double, `float` stays `float`.
template <number T>
using real_of = std::conditional_t<std::floating_point<T>, std::remove_cv_t<T>, double>;

/// Whether doubles hold a finite number: a long double may lie beyond their largest, or below their smallest normal one with digits
/// that they do not have there.
template <std::floating_point T>
constexpr bool has_size_of_double(T x) {
    const T size = x < 0 ? -x : x;
    if (!(size <= static_cast<T>(std::numeric_limits<double>::max()))) return false;
    return size >= static_cast<T>(std::numeric_limits<double>::min()) || static_cast<T>(static_cast<double>(x)) == x;
}

/// A constant of a program: the exact value `high + low`, each a double. `low` is 0 for everything that
/// a double holds; together they hold any 64-bit integer, and any x87 `long double` of a double's size (the smallest ones, below 1e-291,
/// less its last digits). Throws value_error for one of another size.
struct exact {
    double high = 0;
    double low = 0;

    constexpr exact() = default;
    template <number T>
    constexpr explicit(false) exact(T value) : high(static_cast<double>(value)) {
        constexpr bool wider = std::numeric_limits<T>::digits > std::numeric_limits<double>::digits;
        if constexpr (wider && std::floating_point<T>) {
            constexpr T most = std::numeric_limits<T>::max();
            const bool finite = value <= most && value >= -most; // (inf - inf is no constant)
            if (finite && !has_size_of_double(value)) throw value_error("[dyad] constant: a long double beyond the range of double; pass it as an argument");
            if (finite) low = static_cast<double>(value - static_cast<T>(high));
        } else if constexpr (wider) {
            const auto whole = static_cast<long double>(value) - static_cast<long double>(high);
            low = static_cast<double>(whole);
        }
    }

    DYAD_FN static constexpr exact of_bits(std::uint64_t high, std::uint64_t low) {
        exact value;
        value.high = __builtin_bit_cast(double, high);
        value.low = __builtin_bit_cast(double, low);
        return value;
    }

    /// The constant in the number type `T` (or in a vector of such), rounded where `T` is narrower.
    template <class T>
    DYAD_FN constexpr T as() const {
        if constexpr (number<T>) {
            // (-0 + 0 would be 0.)
            return low == 0 ? static_cast<T>(high) : static_cast<T>(high) + static_cast<T>(low);
        } else {
            return T(static_cast<typename T::value_type>(high));
        }
    }

    friend constexpr bool operator==(const exact& a, const exact& b) {
        return std::bit_cast<std::uint64_t>(a.high) == std::bit_cast<std::uint64_t>(b.high) &&
               std::bit_cast<std::uint64_t>(a.low) == std::bit_cast<std::uint64_t>(b.low);
    }
    friend constexpr bool operator==(const exact& a, double b) { return a.low == 0 && a.high == b; }
};

} // namespace dyad

// ---- dyad/op/opcode.hpp
// The names of all operations, by the number of their operands. The enumeration, the table of rules and
// the user's functions are made from these lists, so that a new operation is one line here and one
// struct (`operation<opcode::name>`) beside its kin.

// ---- dyad/base/is.hpp
// The comparison of enumerations.

/// is(a, b): a == b of an enumeration, written so wherever it is not asked for every node of a graph. Clang holds each `==` of
/// enumerations against all of its built-in operators, which takes ten times as long to compile as a call. (But a call takes
/// constant evaluation longer.) For each enumeration a function of its own, since a template would stand beside a user's own `is`.
#define DYAD_COMPARED(Enumeration)                                                                   \
    constexpr bool is(Enumeration a, Enumeration b) { return static_cast<int>(a) == static_cast<int>(b); }

// Operations of one, two and three real operands that have a function of their own name; among them those that <cmath> has too.
#define DYAD_CMATH_FUNCTIONS(X)                                                                      \
    X(sqrt) X(cbrt) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p)                         \
    X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)  \
    X(erf) X(erfc)
#define DYAD_CMATH_ROUNDINGS(X) X(floor) X(ceil) X(round) X(trunc)
#define DYAD_CMATH_BINARY_FUNCTIONS(X) X(pow) X(atan2) X(hypot) X(fmod) X(copysign)
#define DYAD_CMATH_EXTREMA(X) X(fmin) X(fmax)
#define DYAD_UNARY_OPERATIONS(X)                                                                     \
    X(abs) X(sign) DYAD_CMATH_FUNCTIONS(X)                                                           \
    X(tgamma) X(lgamma) X(digamma) X(sigmoid) X(softplus) X(relu)                                    \
    DYAD_CMATH_ROUNDINGS(X) X(stop_gradient)
#define DYAD_BINARY_OPERATIONS(X)                                                                    \
    DYAD_CMATH_BINARY_FUNCTIONS(X) X(min) X(max) DYAD_CMATH_EXTREMA(X) X(xlogy) X(logaddexp)
#define DYAD_TERNARY_OPERATIONS(X) X(fma) X(clamp)

// Those written with operators.
#define DYAD_OPERATOR_OPERATIONS(X)                                                                  \
    X(neg) X(add) X(sub) X(mul) X(div)                                                               \
    X(less) X(less_equal) X(equal) X(logical_not) X(logical_and) X(logical_or)

// Those with a signature of their own: a whole-number attribute, a condition, or a derivative's helper.
#define DYAD_SPECIAL_OPERATIONS(X)                                                                   \
    X(where) X(ipow) X(polygamma) X(sinc) X(pow_dx) X(pow_log) X(direction) X(inverse_real)           \
    X(unit_circle) X(unit_hyperbola) X(gaussian) X(sincos) X(erf_gaussian)

#define DYAD_OPERATIONS(X)                                                                           \
    DYAD_OPERATOR_OPERATIONS(X)                                                                      \
    DYAD_UNARY_OPERATIONS(X)                                                                         \
    DYAD_BINARY_OPERATIONS(X)                                                                        \
    DYAD_TERNARY_OPERATIONS(X)                                                                       \
    DYAD_SPECIAL_OPERATIONS(X)

// Those on whole arrays, X(name, operands): everything that is not computed element by element. Their
// attributes count axes from the last one (the last axis is number 0), so that an operation means the same when more
// axes stand before those it knows.
#define DYAD_ARRAY_OPERATIONS(X)                                                                     \
    X(reduce_sum, 1) X(reduce_prod, 1) X(reduce_max, 1) X(reduce_min, 1) X(arg_max, 1) X(arg_min, 1)  \
    X(extent, 1) X(eye_like, 1) X(outer_like, 2) X(fill, 1) X(fill_like, 3)                           \
    X(broadcast_like, 2) X(expand, 1) X(squeeze, 1) X(transpose, 1) X(flip, 1)                        \
    X(reshape, 1) X(reshape_like, 2) X(slice, 1) X(unslice, 2) X(pad, 1) X(window, 2) X(unwindow, 2)            \
    X(concat, 2) X(shift, 1) X(take, 2) X(unfold, 2) X(scatter_add, 3) X(recurrence, 2) X(fold, 2)    \
    X(conv2d, 2) X(conv2d_images, 3) X(conv2d_kernels, 3) X(pool, 1) X(pool_tangent, 3) X(pool_cotangent, 3) \
    X(matmul, 2) X(solve, 2) X(inverse, 1) X(cholesky, 1) X(logabsdet, 1) X(det, 1) X(triangle, 1)     \
    X(cofactors, 1) X(diagonal, 1) X(undiagonal, 2)                                                                  \
    X(qr_q, 1) X(qr_r, 1) X(eigh_values, 1) X(eigh_vectors, 1) X(svd_u, 1) X(svd_s, 1) X(svd_v, 1)

// Those that own other nodes: loops, branches and rules, X(name, operands). Their lists of operands are chains of nodes
// (graph/region.hpp says what each means).
#define DYAD_REGION_OPERATIONS(X)                                                                    \
    X(nothing, 0) X(entry, 2) X(bind, 2) X(carry, 3) X(replay, 3) X(choice, 3)                                    \
    X(loop, 2) X(repeat, 2) X(sweep, 2) X(branch, 3) X(custom, 3) X(invertible, 3) X(checkpoint, 3) X(history, 2) X(at, 2) X(again, 1) \
    X(call, 1) X(trail, 1) X(borrowed, 0)

namespace dyad {

/// What a node of a graph does. The first four are the graph's own; all others are operations. The order
/// is also the order in which the canonical form writes commuting operands.
enum class opcode : std::uint8_t {
    constant,  ///< a number known at compile time
    input,     ///< argument number `attribute`
    parameter, ///< a stand-in for an argument of a transform inside a transform
    result,    ///< result number `attribute` of an operation that has several
#define DYAD_ENUMERATE(name) name,
    DYAD_OPERATIONS(DYAD_ENUMERATE)
#undef DYAD_ENUMERATE
#define DYAD_ENUMERATE(name, operands) name,
    DYAD_ARRAY_OPERATIONS(DYAD_ENUMERATE)
    DYAD_REGION_OPERATIONS(DYAD_ENUMERATE)
#undef DYAD_ENUMERATE
    count
};
DYAD_COMPARED(opcode)

/// Not computed element by element.
constexpr bool is_array_operation(opcode op) {
    return op >= opcode::reduce_sum;
}

/// Shows all elements of its operand, each once, in axes of another order or with axes of size 1 more or less.
constexpr bool is_turn(opcode op) {
    return op >= opcode::expand && op <= opcode::transpose;
}

/// Moves or repeats the elements of its first operand; of the others only the shape counts.
constexpr bool is_of_shape(opcode op) {
    switch (op) {
    case opcode::broadcast_like:
    case opcode::fill_like:
    case opcode::reshape_like:
    case opcode::unslice:
    case opcode::window:
    case opcode::unwindow:
    case opcode::unfold:
    case opcode::fold:
    case opcode::undiagonal: return true;
    default: return false;
    }
}

/// A convolution of images, or the cotangent of one that either of its operands receives.
constexpr bool is_convolution(opcode op) {
    return op >= opcode::conv2d && op <= opcode::conv2d_kernels;
}

/// The largest elements or the means of windows, and what their tangents and cotangents become.
constexpr bool is_pool(opcode op) {
    return op >= opcode::pool && op <= opcode::pool_cotangent;
}

/// Of a loop, a branch or a rule: a part of its structure rather than a computation of its own.
constexpr bool is_region_operation(opcode op) {
    return op >= opcode::nothing;
}

/// The opcode as a type, for overload resolution.
template <opcode Op>
struct op_constant {
    static constexpr opcode value = Op;
};

/// The one description of an operation: `arity`; `value(operands...)` over plain numbers or vectors of
/// them; the partial derivatives `dx`, `dy`, `dz` by operand, each a function of (operands..., result)
/// over any generic value. Optional members have defaults in `operation_base`.
template <opcode Op>
struct operation;

/// `operation<Op>`, looked up only once the value type is known: its definition may come later.
template <opcode Op, class... T>
struct operation_over : operation<Op> {};

} // namespace dyad

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// A type whose operations are recorded rather than computed; it says so by `dyad_symbolic`, and derives from
/// `operators::home` (operators.hpp), where its operators are found.
template <class T>
concept symbolic = requires { typename std::remove_cvref_t<T>::dyad_symbolic; };

/// An array whose elements lie in the memory of a device; device/ says which.
template <class T>
inline constexpr bool is_device_array = false;

/// An array of numbers that a tape records; api/tape_array_functions.hpp says which.
template <class T>
inline constexpr bool is_recorded_array = false;

/// A container is no number, and its operators need not be asked for.
template <class T>
concept container = requires { typename T::iterator; } || is_device_array<T>;

/// Several numbers that compute in step, such as xsimd::batch<double>.
template <class T>
concept vector_like = std::is_class_v<T> && !symbolic<T> && !container<T> && requires(const T& x) {
    requires real_number<typename T::value_type>;
    T(typename T::value_type{});
    { x * x } -> std::convertible_to<T>;
    { x - x } -> std::convertible_to<T>;
    { x / x } -> std::convertible_to<T>;
    x < x;
};

/// A value that computes at once.
template <class T>
concept plain = number<T> || vector_like<T>;

/// A container that counts as one operand, an array; array/ says which.
template <class T>
inline constexpr bool is_array = false;
/// How many axes it has.
template <class T>
inline constexpr unsigned rank_of_array = 0;

/// What may stand in an operation.
template <class T>
concept operand = plain<T> || symbolic<T>;

/// The number type that plain operands compute in together: a vector if there is one; else the widest
/// floating-point type; else double, as `x / 3` means real division.
template <class... X>
struct common_real;
template <class X>
struct common_real<X> {
    using type = X;
};
template <number X>
struct common_real<X> {
    using type = real_of<X>;
};
template <class X, class Y, class... Rest>
struct common_real<X, Y, Rest...> {
    static constexpr auto pick() {
        if constexpr (!number<X> && !number<Y> && !std::same_as<X, Y>) {
            constexpr bool lower = std::is_convertible_v<X, Y>; // of a tape below the other's
            static_assert(lower || std::is_convertible_v<Y, X>, "[dyad] argument: numbers of two types, such as active<float> and active<double>, or vectors of two, do not mix; convert one");
            return std::type_identity<std::conditional_t<lower && !std::is_convertible_v<Y, X>, Y, X>>{};
        } else if constexpr (!number<X>) {
            return std::type_identity<X>{};
        } else if constexpr (!number<Y>) {
            return std::type_identity<Y>{};
        } else if constexpr (std::floating_point<X> == std::floating_point<Y>) {
            return std::type_identity<std::common_type_t<real_of<X>, real_of<Y>>>{};
        } else {
            return std::type_identity<std::conditional_t<std::floating_point<X>, X, Y>>{};
        }
    }
    using type = typename common_real<typename decltype(pick())::type, Rest...>::type;
};
template <class... X>
using common_real_t = typename common_real<X...>::type;

/// A plain value as the type `T`: numbers convert, vectors stay or are filled.
template <class T, class X>
DYAD_FN constexpr T to_value(const X& x) {
    if constexpr (std::same_as<T, X>) {
        return x;
    } else if constexpr (number<T>) {
        return static_cast<T>(x);
    } else if constexpr (!number<X> && std::is_convertible_v<const X&, T>) {
        return T(x); // (with its derivatives, which its value alone has not)
    } else {
        return T(static_cast<typename T::value_type>(x));
    }
}

/// A whole number known to the type system.
template <int N>
using whole = std::integral_constant<int, N>;

/// Applies an operation. Plain operands compute at once in their common type; otherwise the symbolic
/// operand's own `apply_symbolic` records the operation (found by argument-dependent look-up, so that
/// front ends are added without a change here). `attribute` is the operation's whole number, if it has one: an
/// int, or a `whole<N>` where it has to be part of a type.
template <opcode Op, class Attribute, class... X>
DYAD_FN constexpr auto apply(Attribute attribute, const X&... x) {
    if constexpr ((symbolic<X> || ...)) {
        return apply_symbolic(op_constant<Op>{}, attribute, x...);
    } else {
        using T = common_real_t<X...>;
        using operation = operation_over<Op, T>;
        if constexpr (operation::attributed) {
            return operation::value(attribute, to_value<T>(x)...);
        } else {
            return operation::value(to_value<T>(x)...);
        }
    }
}

} // namespace dyad
DYAD_BOTH_SIDES_END

namespace dyad {

/// Where the operators are: a symbolic type joins by deriving from `operators::home<>`. (In `dyad` each of them would be a
/// candidate wherever the library itself compares two opcodes, of which there are hundreds.) One that may begin with another
/// names itself, `home<T>`: two equal bases cannot lie at one address, and would take room.
namespace operators {
template <class T = void>
struct home {};
} // namespace operators

template <class A, class B>
concept symbolic_pair = (symbolic<A> || symbolic<B>) && operand<A> && operand<B>;

/// A type built over symbolic values, whose own operators with them are to be found (a matrix of them, say).
template <class T>
concept hosts_symbolic = requires { requires symbolic<typename T::value_type>; } ||
                         requires { requires symbolic<typename T::Scalar>; };

/// What all operators do: operands one of which is symbolic record the operation.
template <opcode Op, class... X>
constexpr auto record(const X&... x) {
    return apply_symbolic(op_constant<Op>{}, 0, x...);
}

/// A plain condition in arithmetic is 1 or 0.
template <class X>
constexpr decltype(auto) as_number(const X& x) {
    if constexpr (std::same_as<X, bool>) {
        return static_cast<int>(x);
    } else {
        return (x);
    }
}

/// Two operands or conditions, one of which may be plain.
template <class A, class B>
concept condition_pair = symbolic_pair<A, B> || (symbolic<A> && std::same_as<B, bool>) ||
                         (std::same_as<A, bool> && symbolic<B>);

/// What no operation takes, beside a symbolic operand: to become one is refused. (Not a template of operators that are
/// refused: clang would say so twice.)
struct refused_operand {
    // clang-format off
    template <class B>
        requires(!operand<B> && !hosts_symbolic<B> && !std::same_as<B, bool> && !std::same_as<B, refused_operand>)
    constexpr explicit(false) refused_operand(const B&) DYAD_REJECT("[dyad] operator: an operand is neither a number nor a traced value nor an expression; convert it to a number first, and pass an array as an argument of the function", {})
    // clang-format on
};

/// What a refused operation gives, and all that is computed with it: one mistake gives one message.
struct refused_result : operators::home<> {
    using dyad_symbolic = refused_result;
    constexpr explicit operator bool() const { return false; }
    template <class T>
        requires(std::is_arithmetic_v<T> || symbolic<T>)
    explicit(false) operator T() const; // (never called)
};
template <class X>
concept already_refused = std::is_base_of_v<refused_result, X>;
template <opcode Op, class Attribute, class... X>
    requires(already_refused<X> || ...)
constexpr refused_result apply_symbolic(op_constant<Op>, Attribute, const X&...) {
    return {};
}

namespace operators {

#define DYAD_BINARY_OPERATOR(pair, symbol, ...)                                                      \
    template <class A, class B>                                                                      \
        requires pair<A, B>                                                                          \
    constexpr auto operator symbol(const A& x, const B& y) {                                         \
        return __VA_ARGS__;                                                                          \
    }
DYAD_BINARY_OPERATOR(condition_pair, +, record<opcode::add>(as_number(x), as_number(y)))
DYAD_BINARY_OPERATOR(condition_pair, -, record<opcode::sub>(as_number(x), as_number(y)))
DYAD_BINARY_OPERATOR(condition_pair, *, record<opcode::mul>(as_number(x), as_number(y)))
DYAD_BINARY_OPERATOR(condition_pair, /, record<opcode::div>(as_number(x), as_number(y)))
DYAD_BINARY_OPERATOR(symbolic_pair, %, record<opcode::fmod>(x, y)) // of the whole numbers that are arguments, and count rounds
DYAD_BINARY_OPERATOR(symbolic_pair, <, record<opcode::less>(x, y))
DYAD_BINARY_OPERATOR(symbolic_pair, >, record<opcode::less>(y, x))
DYAD_BINARY_OPERATOR(symbolic_pair, <=, record<opcode::less_equal>(x, y))
DYAD_BINARY_OPERATOR(symbolic_pair, >=, record<opcode::less_equal>(y, x))
DYAD_BINARY_OPERATOR(symbolic_pair, ==, record<opcode::equal>(x, y))
DYAD_BINARY_OPERATOR(symbolic_pair, !=, record<opcode::logical_not>(record<opcode::equal>(x, y)))
DYAD_BINARY_OPERATOR(condition_pair, &&, record<opcode::logical_and>(x, y))
DYAD_BINARY_OPERATOR(condition_pair, ||, record<opcode::logical_or>(x, y))
#undef DYAD_BINARY_OPERATOR

template <symbolic A>
constexpr auto operator-(const A& x) {
    return record<opcode::neg>(x);
}
template <symbolic A>
constexpr A operator+(const A& x) {
    return x;
}
template <symbolic A>
constexpr auto operator!(const A& x) {
    return record<opcode::logical_not>(x);
}

/// A plain number is no place for what has a derivative: what becomes a sum begins with a traced (recorded) number.
template <class T, class A>
concept lossy_assignment = std::is_arithmetic_v<T> && symbolic<A>;
// clang-format off
template <class T, class A> requires lossy_assignment<T, A>
constexpr refused_result operator +=(T&, const A&) DYAD_REJECT("[dyad] assignment: a plain number cannot hold what is computed from a traced or recorded one; begin with such a one, as in auto sum = 0 * x[0]", { return {}; })
template <class T, class A> requires lossy_assignment<T, A>
constexpr refused_result operator -=(T&, const A&) DYAD_REJECT("[dyad] assignment: a plain number cannot hold what is computed from a traced or recorded one; begin with such a one, as in auto sum = 0 * x[0]", { return {}; })
template <class T, class A> requires lossy_assignment<T, A>
constexpr refused_result operator *=(T&, const A&) DYAD_REJECT("[dyad] assignment: a plain number cannot hold what is computed from a traced or recorded one; begin with such a one, as in auto sum = 0 * x[0]", { return {}; })
template <class T, class A> requires lossy_assignment<T, A>
constexpr refused_result operator /=(T&, const A&) DYAD_REJECT("[dyad] assignment: a plain number cannot hold what is computed from a traced or recorded one; begin with such a one, as in auto sum = 0 * x[0]", { return {}; })
// clang-format on

#define DYAD_REFUSED_OPERATOR(symbol)                                                                \
    template <symbolic A>                                                                            \
    constexpr refused_result operator symbol(const A&, const refused_operand&) {                     \
        return {};                                                                                   \
    }                                                                                                \
    template <symbolic A>                                                                            \
    constexpr refused_result operator symbol(const refused_operand&, const A&) {                     \
        return {};                                                                                   \
    }
DYAD_REFUSED_OPERATOR(+)
DYAD_REFUSED_OPERATOR(-)
DYAD_REFUSED_OPERATOR(*)
DYAD_REFUSED_OPERATOR(/)
DYAD_REFUSED_OPERATOR(<)
DYAD_REFUSED_OPERATOR(>)
DYAD_REFUSED_OPERATOR(<=)
DYAD_REFUSED_OPERATOR(>=)
DYAD_REFUSED_OPERATOR(==)
DYAD_REFUSED_OPERATOR(!=)
DYAD_REFUSED_OPERATOR(&&)
DYAD_REFUSED_OPERATOR(||)
#undef DYAD_REFUSED_OPERATOR

} // namespace operators
} // namespace dyad

// ---- dyad/graph/tracer.hpp
// A value that records what is done to it: one ordinary type, whose operations append nodes to a builder.
// User functions are traced with it, and the rules of operations are written over it. Numbers that have met
// no traced value yet are literals without a builder.

// ---- dyad/graph/builder.hpp
// Builds a graph node by node. Equal nodes become one (hash-consing), so that common subexpressions never
// exist twice. `emit` first offers each node to the builder's rewriter (the simplify pass is one); `add`
// stores it as it is. This is the hot loop of compilation: few calls, few statements.

// ---- dyad/graph/shape.hpp
// What a graph knows of an array's shape: its rank, and the axes that have size 1 whatever the data. All other
// sizes are known only at run time. Axes are counted from the last one, which is how shapes broadcast.

// ---- dyad/graph/attribute.hpp
// How the attributes of array operations lie in a node's 64 bits. Axes are counted from the last one.

namespace dyad {

/// A set of axes, bit k for the k-th from the end.
constexpr unsigned axes_of(std::uint64_t bits) {
    return static_cast<unsigned>(bits & 0xff);
}

/// One axis.
constexpr unsigned axis_of(std::uint64_t bits) {
    return static_cast<unsigned>(bits & 0xf);
}

/// Beside the axis of a scatter_add: that it is the gradient of a take, whose name its errors have.
inline constexpr std::uint64_t gradient_of_take = 16;

/// The axis of the operand that becomes axis k of the result: four bits each, the identity where nothing moves.
constexpr unsigned permuted_axis(std::uint64_t bits, unsigned k) {
    return static_cast<unsigned>(bits >> (4 * k) & 0xf);
}
inline constexpr std::uint64_t identity_permutation = 0x76543210;

constexpr std::uint64_t inverse_permutation(std::uint64_t bits) {
    std::uint64_t result = 0;
    for (unsigned k = 0; k < 8; ++k) result |= std::uint64_t{k} << (4 * permuted_axis(bits, k));
    return result;
}

/// Of broadcast_like: as the user wrote it, for axes that have size 1 only at run time; the rules' own are between known shapes.
inline constexpr std::uint64_t kept_stretch = 1;
/// Of broadcast_like: stretches nothing. Axes of the second operand that do not have size 1 by construction have the sizes of the first's.
inline constexpr std::uint64_t equal_rows = 2;

/// x[start:stop:step] along one axis; counts from the end are negative.
struct slice_range {
    static constexpr int open = 0x7fffff; ///< to the end
    static constexpr int largest_step = 0x7ff;

    unsigned axis = 0;
    int start = 0, stop = open, step = 1;
};

constexpr std::uint64_t encode_slice(slice_range s) {
    return std::uint64_t{s.axis} | (static_cast<std::uint64_t>(s.step) & 0xfff) << 4 |
           (static_cast<std::uint64_t>(s.start) & 0xffffff) << 16 | (static_cast<std::uint64_t>(s.stop) & 0xffffff) << 40;
}

/// Whether a start or stop has room in the attribute.
constexpr bool fits_slice(int position) {
    return position >= -slice_range::open && position < slice_range::open;
}

constexpr int signed_bits(std::uint64_t bits, int width) {
    const auto value = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << width) - 1));
    return static_cast<int>(value >> (width - 1) != 0 ? value - (std::int64_t{1} << width) : value);
}

/// Of solve: that the matrix has zeros beside one triangle.
inline constexpr std::uint64_t lower_triangular = 1, upper_triangular = 2;

/// What lies on diagonal k and below it, or above it (`upper`); diagonal 1 begins right of the main one, which is 0.
struct triangle_part {
    bool upper = false;
    int diagonal = 0;

    [[nodiscard]] DYAD_FN constexpr bool has(std::ptrdiff_t row, std::ptrdiff_t column) const {
        return upper ? column - row >= diagonal : column - row <= diagonal;
    }
};
constexpr std::uint64_t encode_triangle(triangle_part t) {
    return (t.upper ? 1U : 0U) | std::uint64_t{static_cast<std::uint32_t>(t.diagonal)} << 1;
}
constexpr triangle_part decode_triangle(std::uint64_t bits) {
    return {(bits & 1) != 0, signed_bits(bits >> 1, 32)};
}
constexpr slice_range decode_slice(std::uint64_t bits) {
    return {static_cast<unsigned>(bits & 0xf), signed_bits(bits >> 16, 24), signed_bits(bits >> 40, 24),
            signed_bits(bits >> 4, 12)};
}

/// How many elements a slice leaves out at the two ends, of however many; -1 where that depends on how many there are.
constexpr int left_out(slice_range s) {
    const bool from_the_ends = s.step == 1 && s.start >= 0 && (s.stop < 0 || s.stop == slice_range::open);
    return !from_the_ends ? -1 : s.stop < 0 ? s.start - s.stop : s.start;
}

/// How far windows stand apart along the last two axes.
struct window_steps {
    unsigned last = 1, before = 1;
};
constexpr std::uint64_t encode_steps(window_steps s) {
    return std::uint64_t{s.last} | std::uint64_t{s.before} << 32;
}
constexpr window_steps decode_steps(std::uint64_t bits) {
    return {static_cast<unsigned>(bits & 0xffffffff), static_cast<unsigned>(bits >> 32)};
}

/// How far the windows of a convolution stand apart, and how many zeros stand around each image.
struct convolution_steps {
    unsigned step = 1, padding = 0;
};
constexpr std::uint64_t encode_convolution(convolution_steps s) {
    return std::uint64_t{s.step} | std::uint64_t{s.padding} << 32;
}
constexpr convolution_steps decode_convolution(std::uint64_t bits) {
    return {static_cast<unsigned>(bits & 0xffffffff), static_cast<unsigned>(bits >> 32)};
}

/// Square windows of images, so far apart, of which the largest element or the mean is wanted.
struct pool_window {
    static constexpr unsigned most = 0xfffffff;
    static constexpr bool fits(int n) { return static_cast<unsigned>(n) <= most; }
    unsigned size = 1, step = 1;
    bool largest = false;
};
constexpr std::uint64_t encode_pool(pool_window w) {
    return std::uint64_t{w.size} | std::uint64_t{w.step} << 28 | (w.largest ? std::uint64_t{1} << 63 : 0);
}
constexpr pool_window decode_pool(std::uint64_t bits) {
    return {static_cast<unsigned>(bits & pool_window::most), static_cast<unsigned>(bits >> 28 & pool_window::most), bits >> 63 != 0};
}

/// A reshape replaces the last `from` axes by `to` axes, whose sizes share 56 bits; all ones means: what is left.
struct reshape_ranks {
    unsigned from = 0, to = 0;
};
constexpr reshape_ranks reshape_ranks_of(std::uint64_t bits) {
    return {static_cast<unsigned>(bits >> 60), static_cast<unsigned>(bits >> 56 & 0xf)};
}
constexpr unsigned size_width(unsigned to) {
    return to < 2 ? 48 : 56 / to;
}
inline constexpr std::uint64_t inferred_size = ~std::uint64_t{0};

/// The size of axis k of the result.
constexpr std::uint64_t reshape_size(std::uint64_t bits, unsigned k) {
    const unsigned width = size_width(reshape_ranks_of(bits).to);
    const std::uint64_t all = (std::uint64_t{1} << width) - 1, size = bits >> (width * k) & all;
    return size == all ? inferred_size : size;
}
constexpr std::uint64_t encode_reshape(reshape_ranks r) {
    return std::uint64_t{r.from} << 60 | std::uint64_t{r.to} << 56;
}
/// Of fill_like, in the place of a size: that of an axis, counted from the end, of operand 1 or 2.
struct borrowed_size {
    unsigned operand = 0, axis = 0; ///< operand 0: no such size
};
inline constexpr std::uint64_t borrowed_sizes = 16; ///< so many sizes below `inferred_size` are names of axes
constexpr std::uint64_t encode_borrowed(borrowed_size s) {
    return inferred_size - 1 - (8 * (s.operand - 1) + s.axis);
}
constexpr borrowed_size decode_borrowed(std::uint64_t size) {
    const std::uint64_t name = inferred_size - 1 - size;
    return name < borrowed_sizes ? borrowed_size{static_cast<unsigned>(name / 8) + 1, static_cast<unsigned>(name % 8)} : borrowed_size{};
}
/// The size of axis k of a fill_like's result: a number, `inferred_size` (what is left of the elements of operand 2), or a borrowed one.
constexpr std::uint64_t fill_size(std::uint64_t bits, unsigned k) {
    const unsigned width = size_width(reshape_ranks_of(bits).to);
    const std::uint64_t all = (std::uint64_t{1} << width) - 1, size = bits >> (width * k) & all;
    return size >= all - borrowed_sizes ? size | ~all : size;
}
/// The largest number that can stand there is below this.
constexpr std::uint64_t fill_size_limit(unsigned to) {
    return (std::uint64_t{1} << size_width(to)) - 1 - borrowed_sizes;
}

/// With the size of axis k put in.
constexpr std::uint64_t with_size(std::uint64_t bits, unsigned k, std::uint64_t size) {
    const unsigned width = size_width(reshape_ranks_of(bits).to);
    const std::uint64_t all = (std::uint64_t{1} << width) - 1;
    return (bits & ~(all << (width * k))) | (size & all) << (width * k);
}

} // namespace dyad

// ---- dyad/graph/graph.hpp
// A graph is a value: nodes in topological order, and which of them are the outputs. `graph` grows and is
// what passes make; `frozen_graph` has its room in its type and is what programs keep; `graph_view` is either of them, as a pass reads it.

// ---- dyad/base/frozen_as.hpp
// What constant evaluation makes on lists of any length becomes a constant of a type that has its room in it.

namespace dyad {

/// The result of `Make{}()`, kept: `frozen_as<...>::value`, a `Frozen<Room>` with `fits()` and `room()`. The pass runs once if
/// the result fits the guess, and once more, with room for all of it, if not. (Variables of a class, because a constexpr
/// variable in a function is evaluated again with every evaluation of the function.)
template <class Make, template <auto> class Frozen, auto Guess>
struct frozen_as {
    static constexpr Frozen<Guess> first{Make{}()};

    template <auto Room>
    struct again {
        static constexpr Frozen<Room> second{Make{}()};
    };
    static constexpr const auto& chosen() {
        if constexpr (first.fits()) {
            return first;
        } else {
            return again<first.room()>::second;
        }
    }
    static constexpr const auto& value = chosen();
};

} // namespace dyad

// ---- dyad/base/list.hpp
// A growing array that works in constant evaluation on every supported compiler (std::vector does not on
// clang 14, and its header costs more than the rest of the core). Graphs and passes use it; it never reaches
// run-time kernels. Compilers count and pay for every call in constant evaluation, so the elements are also
// there without one: `xs.at[i]`.

#include <initializer_list>

namespace dyad {

/// Room for elements in constant evaluation, where that is cheaper than an array (config.hpp).
template <class T, bool = __is_class(T)>
struct constant_room {
    static constexpr std::size_t size = std::size_t{1} << 16;
    T at[size] = {};
};
/// Classes make themselves: from g++ 13 on, elements that `= {}` makes are copies of what the first one is by then.
template <class T>
struct constant_room<T, true> {
    static constexpr std::size_t size = std::size_t{1} << 16;
    T at[size];
};

/// A sequence of default-constructible values with amortised constant `push_back`.
template <class T>
class list {
public:
    T* at = nullptr;       ///< the elements
    std::size_t count = 0; ///< how many

    constexpr list() = default;
    /// `size` elements T{}.
    constexpr explicit list(std::size_t size) : count(size) { allocate(size); }
    /// `size` copies of a value: in constant evaluation much slower than T{}, which the compiler sets all at once.
    constexpr list(std::size_t size, const T& value) : list(size) {
        for (std::size_t i = 0; i < size; ++i) at[i] = value;
    }
    constexpr list(std::initializer_list<T> values) : list(values.size()) {
        std::size_t i = 0;
        for (const T& value : values) at[i++] = value;
    }
    constexpr list(const list& other) : list(other.count) {
        for (std::size_t i = 0; i < count; ++i) at[i] = other.at[i];
    }
    constexpr list(list&& other) noexcept
        : at(other.at), count(other.count), capacity_(other.capacity_), room_(other.room_) {
        other.at = nullptr;
        other.room_ = nullptr;
        other.count = other.capacity_ = 0;
    }
    constexpr list& operator=(list other) noexcept {
        T* const mine = at;
        constant_room<T>* const room = room_;
        at = other.at;
        count = other.count;
        capacity_ = other.capacity_;
        room_ = other.room_;
        other.at = mine;
        other.room_ = room;
        return *this;
    }
    constexpr ~list() { release(at, room_); }

    [[nodiscard]] constexpr std::size_t size() const { return count; }
    [[nodiscard]] constexpr bool empty() const { return count == 0; }
    [[nodiscard]] constexpr const T* data() const { return at; }
    [[nodiscard]] constexpr const T* begin() const { return at; }
    [[nodiscard]] constexpr const T* end() const { return at + count; }
    [[nodiscard]] constexpr T* begin() { return at; }
    [[nodiscard]] constexpr T* end() { return at + count; }
    [[nodiscard]] constexpr T& operator[](std::size_t i) { return at[i]; }
    [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return at[i]; }
    [[nodiscard]] constexpr T& back() { return at[count - 1]; }

    constexpr void push_back(const T& value) {
        if (count == capacity_) {
            const T kept = value; // `value` may lie in the storage that reserve() replaces
            reserve(count == 0 ? 16 : 4 * count);
            at[count++] = kept;
        } else {
            at[count++] = value;
        }
    }
    constexpr void pop_back() { --count; }
    // (Where g++ -O3 inlines this, it warns of writes that it makes up.)
    [[gnu::noinline]] constexpr void reserve(std::size_t capacity) {
        if (capacity <= capacity_) return;
        T* const smaller = at;
        constant_room<T>* const room = room_;
        allocate(capacity);
        for (std::size_t i = 0; i < count; ++i) at[i] = smaller[i];
        release(smaller, room);
    }

private:
    constexpr void allocate(std::size_t size) {
        if (size == 0) return;
        capacity_ = size;
        if constexpr (DYAD_LAZY_MEMBER_ARRAY(T)) {
            if (DYAD_CONSTANT_EVALUATED && size <= constant_room<T>::size) {
                room_ = new constant_room<T>;
                at = room_->at;
                capacity_ = constant_room<T>::size;
                return;
            }
        }
        room_ = nullptr;
        at = new T[size]{};
    }
    static constexpr void release(T* elements, constant_room<T>* room) {
        if constexpr (DYAD_LAZY_MEMBER_ARRAY(T)) {
            if (room != nullptr) {
                delete room;
                return;
            }
        }
        delete[] elements;
    }

    std::size_t capacity_ = 0;
    constant_room<T>* room_ = nullptr;
};

} // namespace dyad

// ---- dyad/graph/node.hpp
// A node of a graph: an operation, what it computes on, and the type of what it computes. Nodes are compact
// and of one size, so that a graph is a plain array that can be a template argument. An operation with
// several results is one node followed by `result` nodes that name them.

// ---- dyad/op/operations.hpp
// All operations, and what passes and printers ask about one whose code is known only at (compile-time)
// run time.

// ---- dyad/op/exponential.hpp
// Exponentials and logarithms.

#include <numbers>

// ---- dyad/op/arithmetic.hpp
// + - * / and their kin: values and partial derivatives. `contracted` is the value where the compiler may join it with others'.

// ---- dyad/op/contraction.hpp
// Products and sums that the compiler may join across functions: x·y + z is rounded once where the processor has an instruction
// for that. g++ joins them by default; clang those of one expression alone, and the statements of a kernel are functions.

namespace dyad::math {

// Of xsimd's vectors on what the compiler knows as a vector: the operators of a class are functions that nothing is joined across.
#define DYAD_CONTRACTED(name, symbol)                                                                         \
    template <class T>                                                                                        \
    DYAD_FN DYAD_INLINE constexpr T contracted_##name(T x, T y) {                                             \
        DYAD_CONTRACT                                                                                         \
        if constexpr (DYAD_CONTRACTION && requires { typename T::register_type; T(x.data symbol y.data); }) { \
            return T(x.data symbol y.data);                                                                   \
        } else {                                                                                              \
            return x symbol y;                                                                                \
        }                                                                                                     \
    }
DYAD_CONTRACTED(add, +)
DYAD_CONTRACTED(sub, -)
DYAD_CONTRACTED(mul, *)
#undef DYAD_CONTRACTED

} // namespace dyad::math

// ---- dyad/op/functions.hpp
// The user's functions: dyad::sin, dyad::pow, dyad::where ... over numbers, vectors of numbers and symbolic
// values, found by argument-dependent look-up for the latter. Rules are written with the same functions.

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

#define DYAD_UNARY_FUNCTION(name)                                                                    \
    template <operand X>                                                                             \
    DYAD_FN constexpr auto name(const X& x) {                                                        \
        return apply<opcode::name>(0, x);                                                            \
    }
#define DYAD_BINARY_FUNCTION(name)                                                                   \
    template <operand X, operand Y>                                                                  \
    DYAD_FN constexpr auto name(const X& x, const Y& y) {                                            \
        return apply<opcode::name>(0, x, y);                                                         \
    }
#define DYAD_TERNARY_FUNCTION(name)                                                                  \
    template <operand X, operand Y, operand Z>                                                       \
    DYAD_FN constexpr auto name(const X& x, const Y& y, const Z& z) {                                \
        return apply<opcode::name>(0, x, y, z);                                                      \
    }
DYAD_UNARY_OPERATIONS(DYAD_UNARY_FUNCTION)
DYAD_BINARY_OPERATIONS(DYAD_BINARY_FUNCTION)
DYAD_TERNARY_OPERATIONS(DYAD_TERNARY_FUNCTION)
DYAD_TERNARY_FUNCTION(pow_dx)
DYAD_BINARY_FUNCTION(direction)
DYAD_BINARY_FUNCTION(inverse_real)
DYAD_UNARY_FUNCTION(unit_circle)
DYAD_UNARY_FUNCTION(unit_hyperbola)
DYAD_UNARY_FUNCTION(gaussian)
#undef DYAD_UNARY_FUNCTION
#undef DYAD_BINARY_FUNCTION
#undef DYAD_TERNARY_FUNCTION

/// Two or three of one type: std::max, min and clamp, where a program says `using namespace std`, fit as well but know no slopes.
template <symbolic X>
DYAD_FN constexpr auto max(const X& x, const X& y) {
    return apply<opcode::max>(0, x, y);
}
template <symbolic X>
DYAD_FN constexpr auto min(const X& x, const X& y) {
    return apply<opcode::min>(0, x, y);
}
template <symbolic X>
DYAD_FN constexpr auto clamp(const X& x, const X& low, const X& high) {
    return apply<opcode::clamp>(0, x, low, high);
}

/// |x|, by its name for floating-point numbers.
template <operand X>
DYAD_FN constexpr auto fabs(const X& x) {
    return abs(x);
}

/// x^n for a whole number n: exact for negative x, by repeated multiplication.
template <operand X>
DYAD_FN constexpr auto ipow(const X& x, int n) {
    return apply<opcode::ipow>(n, x);
}

/// xʸ logᵏ x, where r = xʸ is known already: the k-th derivative of xʸ by y.
template <operand X, operand Y, operand R>
DYAD_FN constexpr auto pow_log(int k, const X& x, const Y& y, const R& r) {
    return apply<opcode::pow_log>(k, x, y, r);
}

/// x². Example: `square(3.0) == 9.0`.
template <operand X>
DYAD_FN constexpr auto square(const X& x) {
    return apply<opcode::ipow>(whole<2>{}, x);
}

/// x³. Example: `cube(2.0) == 8.0`.
template <operand X>
DYAD_FN constexpr auto cube(const X& x) {
    return apply<opcode::ipow>(whole<3>{}, x);
}

/// The n-th derivative of digamma: ψ⁽ⁿ⁾(x) = dⁿ⁺¹/dxⁿ⁺¹ log Γ(x) (DLMF 5.15); NaN for n < 0.
template <operand X>
DYAD_FN constexpr auto polygamma(int n, const X& x) {
    return apply<opcode::polygamma>(n, x);
}

/// The n-th derivative of sin(πx)/(πx), which is 1 at 0; NaN for n < 0.
template <operand X>
DYAD_FN constexpr auto sinc(int n, const X& x) {
    return apply<opcode::sinc>(n, x);
}

/// sin(πx)/(πx), the normalised sinc of signal processing; 1 at 0. Example: `sinc(0.0) == 1.0`.
template <operand X>
DYAD_FN constexpr auto sinc(const X& x) {
    return apply<opcode::sinc>(whole<0>{}, x);
}

/// `condition ? x : y`, where both are computed and the one not selected contributes exactly nothing to
/// any derivative. Example: `where(x > 0, sqrt(x), 0)` has slope 0 at x = -1 and at x = 0.
template <class Condition, operand X, operand Y>
    requires(!is_array<Condition>)
DYAD_FN constexpr auto where(const Condition& condition, const X& x, const Y& y) {
    if constexpr (symbolic<Condition> || symbolic<X> || symbolic<Y>) {
        return apply_symbolic(op_constant<opcode::where>{}, 0, condition, x, y);
    } else {
        using T = common_real_t<X, Y>;
        if constexpr (plain<Condition>) { // a number: it holds unless it is 0
            return operation_over<opcode::where, T>::value(condition != Condition(0), to_value<T>(x), to_value<T>(y));
        } else {
            return operation_over<opcode::where, T>::value(condition, to_value<T>(x), to_value<T>(y));
        }
    }
}

/// x - y where x is the larger, else 0, of slope 0. Example: `fdim(3.0, 1.0) == 2.0`.
template <operand X, operand Y>
DYAD_FN constexpr auto fdim(const X& x, const Y& y) {
    if constexpr (number<X> && number<Y>) {
        using T = common_real_t<X, Y>;
        const T a = to_value<T>(x), b = to_value<T>(y);
        return a <= b ? T(0) : a - b;
    } else {
        return where(x <= y, 0, x - y);
    }
}

// (A name of its own: logsumexp of one array is a reduction. From the first on: behind a traced value, numbers never meet alone.)
template <operand X>
DYAD_FN constexpr X logaddexp_of_all(const X& x) {
    return x;
}
template <operand X, operand Y, operand... Rest>
DYAD_FN constexpr auto logaddexp_of_all(const X& x, const Y& y, const Rest&... rest) {
    return logaddexp_of_all(logaddexp(x, y), rest...);
}
/// log(exp(x) + exp(y) + ...), without overflow. Example: `logsumexp(1000.0, 1000.0)` is 1000 + log 2.
template <operand X, operand... Rest>
DYAD_FN constexpr auto logsumexp(const X& x, const Rest&... rest) {
    return logaddexp_of_all(x, rest...);
}

} // namespace dyad
DYAD_BOTH_SIDES_END

// ---- dyad/op/math.hpp
// The functions of <cmath> for every plain value: numbers use the standard library (in constant evaluation
// the compiler's built-ins, or dyad::constant where the compiler has none), vectors their own overloads,
// found by argument-dependent look-up, or lane by lane what they lack.

#include <cmath>

// ---- dyad/op/constant_math.hpp
// The functions of <cmath> in constant evaluation, for compilers whose <cmath> is not constexpr.
// They compute in long double and round once: a double is right to 0.51 ulp, a long double to a
// few. As in C's Annex F, domain errors are NaN, poles and overflows infinite, and zeros keep their
// sign. A call takes some hundred steps of the compilers' limit, or two thousand for the gamma
// functions.

// ---- dyad/op/constant_gamma.hpp
// What the constexpr functions of <cmath> are made of, from the exponential to the gamma function:
// each takes a number inside its stated domain and gives the value as an unevaluated sum of two
// long doubles, good to about 67 bits (x87's 64-bit mantissa) so that it can be rounded once,
// later. No step overflows or makes a NaN on the way: constant evaluation rejects both.

// (Promoting to long double is the point.)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdouble-promotion"
DYAD_BOTH_SIDES_BEGIN
namespace dyad::constant {

using wide = long double;
template <std::floating_point T>
inline constexpr T infinity = static_cast<T>(__builtin_bit_cast(double, 0x7ff0000000000000U)); // (by its name, clang warns of it under -ffast-math)
template <std::floating_point T>
inline constexpr T nan = std::numeric_limits<T>::quiet_NaN();

template <std::floating_point T>
constexpr bool is_nan(T x) {
    return x != x;
}

/// The sign bit; the cast keeps that of a zero, which no comparison sees.
template <std::floating_point T>
constexpr bool negative(T x) {
    return x < 0 || (!(x > 0) && std::bit_cast<std::int64_t>(static_cast<double>(x)) < 0);
}
template <std::floating_point T>
constexpr T fabs(T x) {
    return negative(x) ? -x : x;
}
template <std::floating_point T>
constexpr T copysign(T x, T sign) {
    return negative(x) == negative(sign) ? x : -x;
}

template <std::floating_point T>
constexpr T trunc(T x) {
    const bool whole = !(fabs(x) < 0x1p63L); // NaN and infinity too
    return whole ? x : copysign(static_cast<T>(static_cast<std::int64_t>(x)), x);
}
template <std::floating_point T>
constexpr T round(T x) {
    const T t = trunc(x);
    return fabs(x) < infinity<T> && fabs(x - t) >= T(0.5) ? t + copysign(T(1), x) : t;
}

/// x 2ⁿ
constexpr wide ldexp(wide x, int n) {
    constexpr int most = std::numeric_limits<wide>::max_exponent / 2;
    if (n > most) return ldexp(ldexp(x, most), n - most);
    if (n < -most) return ldexp(ldexp(x, -most), n + most);
    wide factor = n < 0 ? 0.5L : 2.0L;
    for (int rest = n < 0 ? -n : n; rest != 0; rest /= 2) {
        if (rest % 2 != 0) x *= factor;
        if (rest > 1) factor *= factor;
    }
    return x;
}

/// The n that brings |x| 2⁻ⁿ into [1, 2], for finite x != 0.
constexpr int exponent(wide x) {
    int n = 0;
    for (x = fabs(x); x > 0x1p1000L; n += 1000) x *= 0x1p-1000L;
    for (; x < 0x1p-1000L; n -= 1000) x *= 0x1p1000L;
    return n + static_cast<int>(std::bit_cast<std::uint64_t>(static_cast<double>(x)) >> 52) - 1023;
}

/// The unevaluated sum of a number and its rounding error.
struct twofold {
    wide high = 0;
    wide low = 0;

    constexpr twofold() = default;
    constexpr explicit(false) twofold(wide h, wide l = 0) : high(h), low(l) {}
};

/// a + b without error (Knuth, The Art of Computer Programming 2, section 4.2.2).
constexpr twofold sum(wide a, wide b) {
    const wide s = a + b;
    const wide t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

/// a b without error (Dekker, Numerische Mathematik 18, 1971).
constexpr twofold product(wide a, wide b) {
    constexpr wide splitter = 1 + (std::uint64_t{1} << (std::numeric_limits<wide>::digits + 1) / 2);
    const wide p = a * b;
    const wide s = splitter * a;
    const wide t = splitter * b;
    const wide a1 = s - (s - a);
    const wide b1 = t - (t - b);
    const wide a2 = a - a1;
    const wide b2 = b - b1;
    return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

constexpr twofold operator-(twofold a) {
    return {-a.high, -a.low};
}
constexpr twofold operator+(twofold a, twofold b) {
    const twofold s = sum(a.high, b.high);
    return sum(s.high, s.low + (a.low + b.low));
}
constexpr twofold operator-(twofold a, twofold b) {
    return a + -b;
}
constexpr twofold operator*(twofold a, twofold b) {
    const twofold p = product(a.high, b.high);
    return sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
constexpr twofold operator/(twofold a, twofold b) {
    const wide q = a.high / b.high;
    return sum(q, (a - b * twofold(q)).high / b.high);
}

constexpr twofold ldexp(twofold x, int n) {
    return {ldexp(x.high, n), ldexp(x.low, n)};
}

/// The number nearest to a sum. The cast decides all but ties, which the lower part then decides.
template <std::floating_point T>
constexpr T narrow(twofold x) {
    if constexpr (std::same_as<T, wide>) {
        return x.high;
    } else {
        using limits = std::numeric_limits<T>;
        constexpr wide end = limits::max() * (1 + wide(limits::epsilon()) / 4);
        if (fabs(x.high) >= end) return copysign(infinity<T>, negative(x.high) ? T(-1) : T(1));
        const T nearest = static_cast<T>(x.high);
        const wide rest = x.high - nearest;
        const wide other = nearest + 2 * rest;
        const bool tie = rest != 0 && static_cast<T>(other) == other;
        return tie && x.low != 0 && (x.low > 0) == (rest > 0) ? static_cast<T>(other) : nearest;
    }
}

inline constexpr twofold ln2{0xb17217f7d1cf79acp-64L, -0xd871319ff0342543p-130L};
inline constexpr twofold ln10{0x935d8dddaaa8ac17p-62L, -0xad494ea3e967aeb9p-129L};
inline constexpr twofold pi{0xc90fdaa22168c235p-62L, -0xece675d1fc8f8cbbp-128L};

/// eˣ - 1 - x for |x| < 0.4 (DLMF 4.2.19).
constexpr wide exp_rest(wide x) {
    wide s = 1;
    for (int n = 18; n > 2; --n) s = 1 + s * x / n;
    return x * x / 2 * s;
}

/// eˣ 2ⁿ, with e^(k ln 2 + r) = 2ᵏ eʳ.
constexpr twofold exp_of(twofold x, int n = 0) {
    using limits = std::numeric_limits<wide>;
    if (!(x.high + n * ln2.high < limits::max_exponent * ln2.high)) return infinity<wide>;
    if (x.high < (limits::min_exponent - 2 * limits::digits) * ln2.high) return 0;
    const wide k = round(x.high / ln2.high);
    const twofold r = x - ln2 * k;
    const twofold s = twofold(1) + sum(r.high, exp_rest(r.high) + r.low);
    return ldexp(s, n + static_cast<int>(k));
}
constexpr twofold expm1_of(wide x) {
    return fabs(x) < 0.4L ? sum(x, exp_rest(x)) : exp_of(x) - 1;
}

/// log x, finite x > 0. If x = 2ᵏ m, m near 1: k log 2 + 2 artanh((m - 1) / (m + 1)) (DLMF 4.6.4).
constexpr twofold log_of(twofold x) {
    const int e = exponent(x.high);
    const int k = ldexp(x.high, -e) > 1.4142L ? e + 1 : e;
    const twofold m = ldexp(x, -k);
    const twofold t = (m - 1) / (m + 1);
    const twofold u = t * t;
    wide tail = 0;
    for (int n = 31; n > 5; n -= 2) tail = 1 / wide(n) + u.high * tail;
    const twofold s = ((u * tail + twofold(1) / 5) * u + twofold(1) / 3) * u + 1;
    return ln2 * k + t * s * 2;
}

/// The square root of a finite number: Newton's iteration on [1, 4], then what the square lacks.
constexpr twofold sqrt_of(twofold x) {
    if (x.high == 0) return x;
    const int n = exponent(x.high) >> 1;
    const twofold m = ldexp(x, -2 * n);
    wide y = (m.high + 1) / 2;
    for (int i = 0; i < 5; ++i) y = (y + m.high / y) / 2;
    const twofold root = sum(y, (m - product(y, y)).high / (2 * y));
    return ldexp(root, n);
}

/// The angle of the point (x, y) of the first quadrant: arctan of a ratio below tan(π/8)
/// (DLMF 4.24.3) and a multiple of π/4.
constexpr twofold angle_of(twofold y, twofold x) {
    if (y.high > 1e4900L || x.high > 1e4900L) return angle_of(ldexp(y, -200), ldexp(x, -200));
    const int n = y.high > 2.4142L * x.high ? 2 : y.high > 0.4142L * x.high ? 1 : 0;
    const twofold t = n == 2 ? -x / y : n == 1 ? (y - x) / (y + x) : y / x;
    const wide q = t.high * t.high;
    wide s = 0;
    for (int k = 55; k > 1; k -= 2) s = 1 / wide(k) - q * s;
    return pi * (n / 4.0L) + sum(t.high, t.low - t.high * q * s);
}

/// An angle as quarter turns and a rest within about π/4.
struct turned {
    twofold rest;
    std::int64_t quarters;
};

/// 2/π to 1,216 binary digits.
inline constexpr std::uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0,
    0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4,
    0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};
/// A double of more than 1e18: x = m 2ᵉ times 2/π, of which whole turns are left out before the product is made (Payne and
/// Hanek, Radian reduction for trigonometric functions, SIGNUM Newsletter 18 (1983) 19).
constexpr turned turn_far(wide x, int ahead) {
    const int e = exponent(x) - 63;
    const auto m = static_cast<std::uint64_t>(ldexp(fabs(x), -e));
    std::uint64_t product[6] = {}; // of m and 2/π 2ᵉ, the lowest digits first; two digits before the point are kept
    for (int half = 0; half < 2; ++half) {
        std::uint64_t carry = 0;
        for (int k = half; k < 6; ++k) {
            const int at = e - 2 + 32 * (5 - k + half), word = at / 32;
            const std::uint64_t two = std::uint64_t{two_over_pi[word]} << 32 | two_over_pi[word + 1];
            carry += product[k] + (two >> (32 - at % 32) & 0xffffffff) * (half == 0 ? m & 0xffffffff : m >> 32);
            product[k] = carry & 0xffffffff;
            carry >>= 32;
        }
    }
    const std::uint64_t top = product[5] << 32 | product[4], next = product[3] << 32 | product[2];
    const std::uint64_t up = top >> 61 & 1; // to the nearest quarter
    const twofold rest = sum(ldexp(static_cast<wide>(top & ~(std::uint64_t{3} << 62)), -62) - static_cast<wide>(up), ldexp(static_cast<wide>(next), -126)) *
                         twofold{pi.high / 2, pi.low / 2};
    const auto quarters = static_cast<std::int64_t>((top >> 62) + up);
    if (x < 0) return {-rest, ahead - quarters};
    return {rest, ahead + quarters};
}
/// Three words of π/2 (Cody and Waite, Software Manual for the Elementary Functions, 1980) keep
/// every digit up to 1e18, where whole quarter turns are still told apart.
constexpr turned turn(wide x, int ahead = 0) {
    if (fabs(x) > 1e18L) return turn_far(x, ahead);
    const wide n = round(x / (pi.high / 2));
    const twofold a = product(n, pi.high / 2);
    const twofold b = product(n, pi.low / 2);
    const twofold r = sum(x - a.high, -a.low);
    const twofold s = sum(r.high, -b.high);
    const wide third = n * -0xb7ed8fbbacc19c60p-194L;
    return {sum(s.high, r.low + s.low - b.low - third), static_cast<std::int64_t>(n) + ahead};
}

/// sin(rest + quarters π/2) (DLMF 4.19.1 and 4.19.2).
constexpr twofold sine_of(turned x) {
    const wide r = x.rest.high;
    const wide q = r * r;
    const bool even = x.quarters % 2 == 0;
    wide s = 1;
    for (int n = even ? 26 : 25; n > 2; n -= 2) s = 1 - s * q / (n * (n + 1));
    const twofold y = even ? sum(r, x.rest.low * (1 - q / 2) - r * q / 6 * s)
                           : sum(1, -q / 2 * s - r * x.rest.low);
    return (x.quarters & 2) != 0 ? -y : y;
}

/// sin(πx), |x| < 2⁶².
constexpr twofold sine_of_half_turns(wide x) {
    const wide n = round(2 * x);
    return sine_of({pi * (x - n / 2), static_cast<std::int64_t>(n)});
}

/// erf x for |x| < 1 (DLMF 7.6.1).
constexpr twofold erf_of(wide x) {
    constexpr twofold two_over_root_pi{0x906eba8214db688dp-63L, 0xe3a914fed7fd8688p-128L};
    wide s = 0;
    wide power = 1;
    for (int n = 1; n < 24; ++n) {
        power *= -x * x / n;
        s += power / (2 * n + 1);
    }
    return (twofold(1) + s) * x * two_over_root_pi;
}

/// erfc x for x >= 0.5: the trapezoidal rule with step h = 0.4 for an integral that it converges on
/// like e^(-π²/h²), and the residue of the pole (Matta and Reichel, Math. Comp. 25, 1971).
constexpr twofold erfc_of(wide x) {
    constexpr wide q = 0xda26186919727f6fp-64L; // e^(-h²)
    wide s = 1 / (2 * x * x);
    wide weight = q;
    wide step = q * q * q;
    for (int k = 1; k < 18; ++k) {
        s += weight / (x * x + 0.16L * (k * k));
        weight *= step;
        step *= q * q;
    }
    const twofold y = exp_of(-product(x, x)) * (0.8L * x / pi.high * s);
    return x < 8 ? y - 2 / (exp_of(pi * (5 * x)) - 1) : y;
}

/// log Γ(x) for x >= 13 (DLMF 5.11.1).
constexpr twofold stirling_of(twofold x) {
    constexpr twofold half_log_two_pi{0xeb3f8e4325f5a535p-64L, -0xd686dffd77cdbfb8p-129L};
    constexpr wide terms[] = {
        77683 / 5796.0L, -174611 / 125400.0L, 43867 / 244188.0L, -3617 / 122400.0L,
        1 / 156.0L,      -691 / 360360.0L,    1 / 1188.0L,       -1 / 1680.0L,
        1 / 1260.0L,     -1 / 360.0L,         1 / 12.0L};
    wide s = 0;
    for (const wide term : terms) s = s / (x.high * x.high) + term;
    return (x - 0.5L) * log_of(x) - x + half_log_two_pi + s / x.high;
}

/// Γ(x) = Γ(high) / factor, high >= 13 (DLMF 5.5.1).
struct raised {
    twofold high;
    twofold factor;
};
constexpr raised raise(twofold x) {
    twofold factor = 1;
    for (; x.high < 13; x = x + 1) factor = factor * x;
    return {x, factor};
}

/// log Γ(x) for x > 0; about its zeros 1 and 2 by the series at 2 (DLMF 5.7.3), of (ζ(k) - 1) / k.
constexpr twofold log_gamma_of(twofold x) {
    const int zero = x.high < 1.5L ? 1 : 2;
    const twofold z = x - zero;
    if (fabs(z.high) > 0.125L) {
        const raised y = raise(x);
        return stirling_of(y.high) - log_of(y.factor);
    }
    constexpr wide zeta[] = {
        // ζ(k) - 1 for k = 18, 17, ..., 2
        3.81729326499983985646164e-6L, 7.63719763789976227360029e-6L, 1.52822594086518717325715e-5L,
        3.05882363070204935517285e-5L, 6.12481350587048292585451e-5L, 1.22713347578489146751837e-4L,
        2.46086553308048298637998e-4L, 4.94188604119464558702283e-4L, 9.94575127818085337145959e-4L,
        2.00839282608221441785277e-3L, 4.07735619794433937868524e-3L, 8.34927738192282683979755e-3L,
        1.73430619844491397145179e-2L, 3.69277551433699263313655e-2L, 8.23232337111381915160037e-2L,
        0.202056903159594285399738L,   0.644934066848226436472415L};
    wide s = 0;
    int k = 18;
    for (const wide value : zeta) s = value / k-- - z.high * s;
    constexpr twofold one_less_euler{0xd8773039049e70b6p-65L, 0xb90701fbfab4d2a5p-130L};
    const twofold y = z * one_less_euler + z.high * z.high * s;
    return zero == 1 ? y - log_of(x) : y;
}

} // namespace dyad::constant
DYAD_BOTH_SIDES_END
#pragma GCC diagnostic pop

// (Promoting to long double is the point.)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdouble-promotion"
DYAD_BOTH_SIDES_BEGIN
namespace dyad::constant {

template <std::floating_point T>
constexpr T floor(T x) {
    const T t = trunc(x);
    return t > x ? t - 1 : t;
}
template <std::floating_point T>
constexpr T ceil(T x) {
    return -floor(-x);
}

/// NaN counts as missing, and -0 as less than 0.
template <std::floating_point T>
constexpr T fmin(T x, T y) {
    if (is_nan(x) || is_nan(y)) return is_nan(x) ? y : x;
    return x < y || (x == y && negative(x)) ? x : y;
}
template <std::floating_point T>
constexpr T fmax(T x, T y) {
    return -fmin(-x, -y);
}

template <std::floating_point T>
constexpr T sqrt(T x) {
    if (is_nan(x) || x < 0) return nan<T>;
    return x == infinity<T> ? x : narrow<T>(sqrt_of(x));
}
template <std::floating_point T>
constexpr T cbrt(T x) {
    if (x == 0 || !(fabs(x) < infinity<T>)) return x;
    return copysign(narrow<T>(exp_of(log_of(fabs(x)) / 3)), x);
}
template <std::floating_point T>
constexpr T hypot(T x, T y) {
    if (fabs(x) == infinity<T> || fabs(y) == infinity<T>) return infinity<T>;
    if (is_nan(x) || is_nan(y)) return nan<T>;
    const wide large = fmax(fabs(x), fabs(y));
    if (large == 0) return 0;
    const int n = exponent(large);
    const wide a = ldexp(large, -n);
    const wide b = ldexp(fmin(fabs(x), fabs(y)), -n);
    const twofold root = sqrt_of(product(a, a) + product(b, b));
    return narrow<T>(ldexp(root, n));
}

template <std::floating_point T>
constexpr T exp(T x) {
    return is_nan(x) ? x : narrow<T>(exp_of(x));
}
template <std::floating_point T>
constexpr T exp2(T x) {
    if (is_nan(x)) return x;
    if (fabs(x) > 20000) return x > 0 ? infinity<T> : 0;
    const wide n = round(wide(x));
    return narrow<T>(exp_of(ln2 * (x - n), static_cast<int>(n)));
}
template <std::floating_point T>
constexpr T expm1(T x) {
    if (is_nan(x) || x == 0) return x;
    return x > 100 ? exp(x) : narrow<T>(expm1_of(x));
}

template <std::floating_point T>
constexpr T log(T x, twofold unit = 1) {
    if (is_nan(x) || x < 0) return nan<T>;
    if (x == 0) return -infinity<T>;
    return x == infinity<T> ? x : narrow<T>(log_of(x) / unit);
}
template <std::floating_point T>
constexpr T log2(T x) {
    return log(x, ln2);
}
template <std::floating_point T>
constexpr T log10(T x) {
    return log(x, ln10);
}
template <std::floating_point T>
constexpr T log1p(T x) {
    if (is_nan(x) || x < -1) return nan<T>;
    if (x == -1) return -infinity<T>;
    return x == 0 || x == infinity<T> ? x : narrow<T>(log_of(sum(1, x)));
}

template <std::floating_point T>
constexpr T pow(T x, T y) {
    if (y == 0 || x == 1) return 1;
    if (is_nan(x) || is_nan(y)) return nan<T>;
    const bool whole = trunc(y) == y;
    const bool odd = whole && trunc(y / 2) != y / 2;
    const T sign = odd && negative(x) ? T(-1) : T(1);
    const T size = fabs(x);
    if (size == 1 && fabs(y) == infinity<T>) return 1;
    if (size == 0 || size == infinity<T> || fabs(y) == infinity<T>)
        return copysign((size < 1) == (y < 0) ? infinity<T> : T(0), sign);
    if (x < 0 && !whole) return nan<T>;
    // No logarithm but 0 is below 2⁻⁶⁴, so beyond these bounds every power over- or underflows.
    const wide power = fmax(fmin(wide(y), 0x1p90L), -0x1p90L);
    return copysign(narrow<T>(exp_of(log_of(size) * power)), sign);
}

/// NaN for long doubles beyond the doubles, which are many turns apart.
template <std::floating_point T>
constexpr T sin(T x) {
    if (x == 0) return x;
    return fabs(x) < 0x1p1024L ? narrow<T>(sine_of(turn(x))) : nan<T>;
}
template <std::floating_point T>
constexpr T cos(T x) {
    return fabs(x) < 0x1p1024L ? narrow<T>(sine_of(turn(x, 1))) : nan<T>;
}
template <std::floating_point T>
constexpr T tan(T x) {
    if (x == 0) return x;
    if (!(fabs(x) < 0x1p1024L)) return nan<T>;
    return narrow<T>(sine_of(turn(x)) / sine_of(turn(x, 1)));
}

template <std::floating_point T>
constexpr T asin(T x) {
    if (x == 0) return x;
    if (!(fabs(x) <= 1)) return nan<T>;
    return copysign(narrow<T>(angle_of(fabs(x), sqrt_of(1 - product(x, x)))), x);
}
template <std::floating_point T>
constexpr T acos(T x) {
    if (!(fabs(x) <= 1)) return nan<T>;
    const twofold angle = angle_of(sqrt_of(1 - product(x, x)), fabs(x));
    return narrow<T>(x < 0 ? pi - angle : angle);
}
template <std::floating_point T>
constexpr T atan2(T y, T x) {
    if (is_nan(x) || is_nan(y)) return nan<T>;
    const bool distant = fabs(x) == infinity<T> || fabs(y) == infinity<T>;
    const wide a = distant ? fabs(y) == infinity<T> : fabs(y);
    const wide b = distant ? fabs(x) == infinity<T> : x == 0 && y == 0 ? 1 : fabs(x);
    const twofold angle = angle_of(a, b);
    return copysign(narrow<T>(negative(x) ? pi - angle : angle), y);
}
template <std::floating_point T>
constexpr T atan(T x) {
    return x == 0 || is_nan(x) ? x : atan2(x, T(1));
}

template <std::floating_point T>
constexpr T sinh(T x) {
    if (x == 0 || is_nan(x)) return x;
    const twofold m = fabs(x) < 50 ? expm1_of(fabs(x)) : 0;
    const twofold y = fabs(x) < 50 ? (m + m / (m + 1)) * 0.5L : exp_of(fabs(x), -1);
    return copysign(narrow<T>(y), x);
}
template <std::floating_point T>
constexpr T cosh(T x) {
    if (is_nan(x)) return x;
    const twofold half = exp_of(fabs(x), -1);
    return narrow<T>(fabs(x) < 50 ? half + 0.25L / half : half);
}
template <std::floating_point T>
constexpr T tanh(T x) {
    if (x == 0 || is_nan(x)) return x;
    const twofold m = expm1_of(2 * fmin(wide(fabs(x)), 50.0L));
    return copysign(narrow<T>(m / (m + 2)), x);
}
template <std::floating_point T>
constexpr T asinh(T x) {
    if (x == 0 || !(fabs(x) < infinity<T>)) return x;
    const twofold a = fabs(x);
    if (a.high > 1e12L) return copysign(narrow<T>(log_of(a) + ln2), x);
    const twofold square = a * a;
    return copysign(narrow<T>(log_of(1 + (a + square / (1 + sqrt_of(1 + square))))), x);
}
template <std::floating_point T>
constexpr T acosh(T x) {
    if (!(x >= 1)) return nan<T>;
    if (x > 1e12L) return x == infinity<T> ? x : narrow<T>(log_of(x) + ln2);
    return narrow<T>(log_of(x + sqrt_of(product(x, x) - 1)));
}
template <std::floating_point T>
constexpr T atanh(T x) {
    if (x == 0) return x;
    if (!(fabs(x) < 1)) return fabs(x) == 1 ? copysign(infinity<T>, x) : nan<T>;
    return copysign(narrow<T>(log_of(sum(1, fabs(x)) / sum(1, -fabs(x))) * 0.5L), x);
}

/// Exact, by the subtraction of y 2ⁿ for every n.
template <std::floating_point T>
constexpr T fmod(T x, T y) {
    if (!(fabs(x) < infinity<T>) || is_nan(y) || y == 0) return nan<T>;
    if (fabs(x) < fabs(y)) return x;
    wide rest = fabs(x);
    int n = exponent(rest) - exponent(y);
    wide part = ldexp(fabs(y), n);
    for (; part <= rest / 2; ++n) part *= 2;
    for (; n >= 0; --n, part /= 2) {
        if (rest >= part) rest -= part;
    }
    return copysign(static_cast<T>(rest), x);
}

/// Rounded once for float and double, whose product two long doubles hold without error.
template <std::floating_point T>
constexpr T fma(T x, T y, T z) {
    if (is_nan(x) || is_nan(y) || is_nan(z)) return nan<T>;
    const T sign = negative(x) == negative(y) ? T(1) : T(-1);
    if (fabs(x) == infinity<T> || fabs(y) == infinity<T>) {
        const bool opposite = fabs(z) == infinity<T> && negative(z) != negative(sign);
        return x == 0 || y == 0 || opposite ? nan<T> : copysign(infinity<T>, sign);
    }
    if (fabs(z) == infinity<T>) return z;
    const twofold p = product(x, y);
    const twofold s = sum(p.high, z);
    if (p.low == 0 && s.low == 0) return narrow<T>(s.high);
    const twofold t = sum(s.low, p.low);
    const twofold u = sum(s.high, t.high);
    return narrow<T>({u.high, u.low + t.low});
}

template <std::floating_point T>
constexpr T erf(T x) {
    if (x == 0 || is_nan(x)) return x;
    if (fabs(x) > 7) return copysign(T(1), x);
    return copysign(narrow<T>(fabs(x) < 0.5L ? erf_of(fabs(x)) : 1 - erfc_of(fabs(x))), x);
}
template <std::floating_point T>
constexpr T erfc(T x) {
    if (is_nan(x)) return x;
    if (x < -7 || x > 120) return x < 0 ? 2 : 0;
    if (fabs(x) < 0.5L) return narrow<T>(1 - erf_of(x));
    return narrow<T>(x < 0 ? 2 - erfc_of(-x) : erfc_of(x));
}

/// Poles at 0, of either sign; NaN at the negative whole numbers.
template <std::floating_point T>
constexpr T tgamma(T x) {
    if (x == 0) return copysign(infinity<T>, x);
    if (is_nan(x) || (x < 0 && trunc(x) == x)) return nan<T>;
    if (x > 2000) return infinity<T>;
    if (x > 0) {
        const raised y = raise(x);
        return narrow<T>(exp_of(stirling_of(y.high)) / y.factor);
    }
    const raised y = raise(sum(1, -x)); // Γ(x) Γ(1-x) = π / sin(πx), DLMF 5.5.3
    const twofold sine = sine_of_half_turns(x);
    const T value = narrow<T>(exp_of(-stirling_of(y.high)) * y.factor * pi / sine);
    return copysign(value, negative(sine.high) ? T(-1) : T(1));
}

/// log |Γ(x)|. Between the poles of x < 0 it has zeros; there the error is 1e-18, not relative.
template <std::floating_point T>
constexpr T lgamma(T x) {
    if (is_nan(x)) return x;
    if (fabs(x) == infinity<T> || (x <= 0 && trunc(x) == x)) return infinity<T>;
    if (x > 1e4900L) return x > 1e4928L ? infinity<T> : static_cast<T>(x * (log(wide(x)) - 1));
    if (x > 0) return narrow<T>(log_gamma_of(x));
    const twofold sine = fabs(sine_of_half_turns(x).high);
    return narrow<T>(log_of(pi / sine) - log_gamma_of(sum(1, -x)));
}

} // namespace dyad::constant
DYAD_BOTH_SIDES_END
#pragma GCC diagnostic pop

DYAD_BOTH_SIDES_BEGIN
namespace dyad::math {

/// Where the functions of <cmath> are found in constant evaluation.
#if DYAD_CONSTANT_CMATH
namespace in_constants = std;
#else
namespace in_constants = constant;
#endif

/// `f` for each lane of a vector: what a vector type does not offer itself.
template <class F, class T, class... Rest>
DYAD_FN constexpr T lanewise(F f, const T& x, const Rest&... rest) {
    if constexpr (number<T>) {
        return f(x, rest...);
    } else {
        using lane = typename T::value_type;
        lane in[1 + sizeof...(Rest)][T::size], out[T::size];
        std::size_t row = 0;
        x.store_unaligned(in[row++]);
        (rest.store_unaligned(in[row++]), ...);
        for (std::size_t i = 0; i < T::size; ++i) {
            if constexpr (sizeof...(Rest) == 0) out[i] = f(in[0][i]);
            if constexpr (sizeof...(Rest) == 1) out[i] = f(in[0][i], in[1][i]);
            if constexpr (sizeof...(Rest) == 2) out[i] = f(in[0][i], in[1][i], in[2][i]);
        }
        return T::load_unaligned(out);
    }
}

// A vector type's own overloads are looked up in the namespace `overloads`, where nothing else is in sight.
#define DYAD_OVERLOAD(name)                                                                          \
    void name();                                                                                     \
    template <class... X>                                                                            \
    concept has_##name = requires(const X&... x) { name(x...); };                                    \
    template <class... X>                                                                            \
    DYAD_FN DYAD_INLINE constexpr auto call_##name(X... x) {                                         \
        return name(x...);                                                                           \
    }
// (g++ leaves to run time what vanishes.)
#define DYAD_MATH_THAT_VANISHES(name, standard)                                                      \
    DYAD_MATH_IF(DYAD_CONSTANT_CMATH && __builtin_constant_p(std::standard(x, rest...)), name, standard)
#define DYAD_MATH(name, standard) DYAD_MATH_IF(DYAD_CONSTANT_CMATH, name, standard)
#define DYAD_MATH_IF(builtin, name, standard)                                                        \
    namespace overloads {                                                                            \
    DYAD_OVERLOAD(name)                                                                              \
    }                                                                                                \
    template <class T, std::same_as<T>... Rest>                                                      \
    DYAD_FN DYAD_INLINE constexpr T name(T x, Rest... rest) {                                        \
        if constexpr (number<T>) {                                                                   \
            if (!(builtin) && DYAD_CONSTANT_EVALUATED)                                               \
                return constant::standard(x, rest...);                                               \
            return std::standard(x, rest...);                                                        \
        } else if constexpr (overloads::has_##name<T, Rest...>) {                                    \
            return overloads::call_##name(x, rest...);                                               \
        } else {                                                                                     \
            return lanewise([](auto... lane) { return name(lane...); }, x, rest...);                 \
        }                                                                                            \
    }

DYAD_MATH(abs, fabs)
DYAD_MATH(sqrt, sqrt)
DYAD_MATH(cbrt, cbrt)
DYAD_MATH_THAT_VANISHES(exp, exp)
DYAD_MATH_THAT_VANISHES(exp2, exp2)
DYAD_MATH(expm1, expm1)
DYAD_MATH(log, log)
DYAD_MATH(log2, log2)
DYAD_MATH(log10, log10)
DYAD_MATH(log1p, log1p)
DYAD_MATH(sin, sin)
DYAD_MATH(cos, cos)
DYAD_MATH(tan, tan)
DYAD_MATH(asin, asin)
DYAD_MATH(acos, acos)
DYAD_MATH(atan, atan)
DYAD_MATH(sinh, sinh)
DYAD_MATH(cosh, cosh)
DYAD_MATH(tanh, tanh)
DYAD_MATH(asinh, asinh)
DYAD_MATH(acosh, acosh)
DYAD_MATH(atanh, atanh)
DYAD_MATH(erf, erf)
DYAD_MATH_THAT_VANISHES(erfc, erfc)
DYAD_MATH_THAT_VANISHES(tgamma, tgamma)
DYAD_MATH_IF(false, lgamma, lgamma) // (which g++ does not evaluate: it sets a sign)
DYAD_MATH(floor, floor)
DYAD_MATH(ceil, ceil)
DYAD_MATH(round, round)
DYAD_MATH(trunc, trunc)
DYAD_MATH_THAT_VANISHES(pow, pow)
DYAD_MATH(atan2, atan2)
DYAD_MATH(hypot, hypot)
DYAD_MATH(fmod, fmod)
DYAD_MATH(copysign, copysign)
DYAD_MATH(fmin, fmin)
DYAD_MATH(fmax, fmax)
DYAD_MATH(fma, fma)
#undef DYAD_MATH
#undef DYAD_MATH_THAT_VANISHES
#undef DYAD_MATH_IF
#undef DYAD_OVERLOAD

namespace overloads {
template <class M, class T>
concept has_select = requires(const M& m, const T& x) { select(m, x, x); };
template <class T>
concept has_sincos = requires(const T& x) { sincos(x); };
template <class T>
DYAD_INLINE constexpr auto call_sincos(T x) {
    return sincos(x);
}
template <class M, class T>
DYAD_INLINE constexpr T call_select(M m, T x, T y) {
    return select(m, x, y);
}
template <class T>
concept has_extrema = !number<T> && requires(const T& x) {
    larger(x, x);
    smaller(x, x);
};
template <class T>
DYAD_INLINE constexpr T call_larger(T x, T y) {
    return larger(x, y);
}
template <class T>
DYAD_INLINE constexpr T call_smaller(T x, T y) {
    return smaller(x, y);
}
} // namespace overloads

/// `condition ? x : y`, lane by lane for vectors.
template <class M, class T>
DYAD_FN DYAD_INLINE constexpr T choose(M condition, T x, T y) {
    if constexpr (std::same_as<M, bool>) {
        return condition ? x : y;
    } else {
        static_assert(overloads::has_select<M, T>,
                      "[dyad] where: this vector type has no select(mask, x, y); add one beside it");
        return overloads::call_select(condition, x, y);
    }
}

/// The larger of two values, of equal ones x; NaN if either is.
template <class T>
DYAD_FN DYAD_INLINE constexpr T larger(T x, T y) {
    if constexpr (overloads::has_extrema<T>) return overloads::call_larger(x, y);
    else return choose(x < y, y, choose(y == y, x, y));
}
/// The smaller of two values, of equal ones x; NaN if either is.
template <class T>
DYAD_FN DYAD_INLINE constexpr T smaller(T x, T y) {
    if constexpr (overloads::has_extrema<T>) return overloads::call_smaller(x, y);
    else return choose(y < x, y, choose(y == y, x, y));
}

/// The sine and cosine of one argument.
template <class T>
DYAD_FN DYAD_INLINE constexpr void sincos(T x, T& sine, T& cosine) {
    if constexpr (!number<T> && overloads::has_sincos<T>) {
        const auto both = overloads::call_sincos(x);
        sine = both.first;
        cosine = both.second;
        return;
    }
#if DYAD_LIBC_SINCOS
    if constexpr (number<T>) {
        if (!DYAD_CONSTANT_EVALUATED) {
            T s, c; // the call writes through addresses, which must not be the kernel's
            if constexpr (std::same_as<T, float>) ::sincosf(x, &s, &c);
            if constexpr (std::same_as<T, double>) ::sincos(x, &s, &c);
            if constexpr (std::same_as<T, long double>) ::sincosl(x, &s, &c);
            sine = s;
            cosine = c;
            return;
        }
    }
#endif
    sine = sin(x); // g++ merges the two calls itself
    cosine = cos(x);
}

/// What `x < y` is for this value type: bool, or a vector's mask.
template <class T>
using mask_of = std::remove_cvref_t<decltype(std::declval<const T&>() < std::declval<const T&>())>;

} // namespace dyad::math
DYAD_BOTH_SIDES_END

namespace dyad {

/// What most operations are: `Arity` real operands, one real result, operands that do not commute.
template <int Arity>
struct operation_base {
    static constexpr int arity = Arity;
    static constexpr int results = 1;
    static constexpr bool condition = false;   ///< the result is true or false
    static constexpr bool commutative = false; ///< op(x, y) == op(y, x)
    static constexpr bool flat = false;        ///< every derivative is zero
    static constexpr bool attributed = false;  ///< a whole number is part of the operation
    static constexpr bool counted = true;      ///< counts as an operation (selections do not)
};

/// An operation whose derivatives are all zero.
template <int Arity>
struct flat_operation : operation_base<Arity> {
    static constexpr bool flat = true;
};

template <>
struct operation<opcode::neg> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return -x;
    }
    template <class V>
    static constexpr V dx(const V&, const V&) {
        return -1;
    }
};

template <>
struct operation<opcode::add> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return x + y;
    }
    template <class T>
    DYAD_VALUE T contracted(T x, T y) {
        return math::contracted_add(x, y);
    }
    template <class V>
    static constexpr V dx(const V&, const V&, const V&) {
        return 1;
    }
    template <class V>
    static constexpr V dy(const V&, const V&, const V&) {
        return 1;
    }
};

template <>
struct operation<opcode::sub> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return x - y;
    }
    template <class T>
    DYAD_VALUE T contracted(T x, T y) {
        return math::contracted_sub(x, y);
    }
    template <class V>
    static constexpr V dx(const V&, const V&, const V&) {
        return 1;
    }
    template <class V>
    static constexpr V dy(const V&, const V&, const V&) {
        return -1;
    }
};

template <>
struct operation<opcode::mul> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return x * y;
    }
    template <class T>
    DYAD_VALUE T contracted(T x, T y) {
        return math::contracted_mul(x, y);
    }
    template <class V>
    static constexpr V dx(const V&, const V& y, const V&) {
        return y;
    }
    template <class V>
    static constexpr V dy(const V& x, const V&, const V&) {
        return x;
    }
};

template <>
struct operation<opcode::div> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return x / y;
    }
    template <class V>
    static constexpr V dx(const V&, const V& y, const V&) {
        return 1 / y;
    }
    template <class V>
    static constexpr V dy(const V&, const V& y, const V& r) {
        return -(r / y);
    }
};

/// x·y + z, rounded once.
template <>
struct operation<opcode::fma> : operation_base<3> {
    template <class T>
    DYAD_VALUE T value(T x, T y, T z) {
        return math::fma(x, y, z);
    }
    template <class V>
    static constexpr V dx(const V&, const V& y, const V&, const V&) {
        return y;
    }
    template <class V>
    static constexpr V dy(const V& x, const V&, const V&, const V&) {
        return x;
    }
    template <class V>
    static constexpr V dz(const V&, const V&, const V&, const V&) {
        return 1;
    }
};

/// The remainder of x / y with the sign of x; r = x - trunc(x / y) y.
template <>
struct operation<opcode::fmod> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::fmod(x, y);
    }
    template <class V>
    static constexpr V dx(const V&, const V&, const V&) {
        return 1;
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V& r) {
        return round((r - x) / y); // not -trunc(x / y), which may round to the next whole number
    }
};

} // namespace dyad

// ---- dyad/op/conventions.hpp
// What derivatives are where the mathematics leaves a choice: every such choice of the library is made here
// and listed in docs/conventions.md. The rules use these functions in every mode and order.

namespace dyad::convention {

/// The slope of max and min in the operand that wins: 1, and 1/2 for each of two equal ones.
template <class V>
constexpr V share_of_winner(const V& x, const V& y) {
    return where(x == y, V(0.5), V(1));
}

/// Operands beyond every float that are equal: their difference may be NaN. (Equal finite numbers that large
/// are caught too; what is done for infinities is right for them.)
template <class V>
constexpr auto equal_infinities(const V& x, const V& y) {
    return x == y && (x < -3.4e38 || 3.4e38 < x);
}

/// The sign of x: -1, 0 or 1, which is also the slope of |x|: 0 at 0. NaN stays NaN.
template <class T>
DYAD_FN DYAD_INLINE constexpr T sign(T x) {
    return math::choose(T(0) < x, T(1), math::choose(x < T(0), T(-1), x));
}

/// x/r, the direction cosine: at the origin (r = 0) the zero vector.
template <class T>
DYAD_FN DYAD_INLINE constexpr T direction(T x, T r) {
    return math::choose(r == T(0), T(0), x / r);
}

// (As constants: a device's code calls no functions of the host.)
template <class T>
inline constexpr T least_normal = std::numeric_limits<T>::min();
template <class T>
inline constexpr T most_finite = std::numeric_limits<T>::max();

/// x/(x² + y²): 0 at the origin; scaled by the distance where the squares would overflow or vanish.
template <class T>
DYAD_FN DYAD_INLINE constexpr T inverse_real(T x, T y) {
    if constexpr (number<T>) {
        const T squares = x * x + y * y;
        if (squares > least_normal<T> * T(0x1p20F) && squares <= most_finite<T>) return x / squares;
    }
    const T r = math::hypot(x, y);
    return direction(direction(x, r), r);
}

/// y xʸ⁻¹ from r = xʸ: 0 for y = 0 and every x; at x = 0 it is 0 for y > 1, 1 at y = 1, infinite for 0 < y < 1.
template <class T>
DYAD_FN DYAD_INLINE constexpr T pow_dx(T x, T y, T r) {
    if (y == 0) return T(0);
    const bool safe = x != 0 && math::abs(r) >= least_normal<T> && math::abs(r) <= most_finite<T>; // (with all its bits)
    return safe ? y * (r / x) : y * math::pow(x, y - 1);
}

/// r logᵏ x for a power r of x: 0 where the power is 0 (x = 0 and y > 0, say).
template <class T>
DYAD_FN DYAD_INLINE constexpr T pow_log(int k, T x, T r) {
    const T logarithm = math::log(x);
    T result = r;
    for (int i = 0; i < k; ++i) result = result * logarithm;
    return math::choose(r == T(0), T(0), result);
}

} // namespace dyad::convention

namespace dyad {

/// (eˣ)' = eˣ
template <>
struct operation<opcode::exp> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::exp(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return r;
    }
};

/// (2ˣ)' = 2ˣ log 2
template <>
struct operation<opcode::exp2> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::exp2(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return r * std::numbers::ln2_v<long double>;
    }
};

/// (eˣ - 1)' = eˣ, which eˣ - 1 + 1 would lose for x far below 0
template <>
struct operation<opcode::expm1> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::expm1(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return exp(x);
    }
};

/// (log x)' = 1/x
template <>
struct operation<opcode::log> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::log(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / x;
    }
};

/// (log₂ x)' = 1/(x log 2)
template <>
struct operation<opcode::log2> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::log2(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / (x * std::numbers::ln2_v<long double>);
    }
};

/// (log₁₀ x)' = 1/(x log 10)
template <>
struct operation<opcode::log10> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::log10(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / (x * std::numbers::ln10_v<long double>);
    }
};

/// (log(1 + x))' = 1/(1 + x)
template <>
struct operation<opcode::log1p> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::log1p(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / (1 + x);
    }
};

/// σ(x) = 1/(1 + e⁻ˣ), σ' = σ(1 - σ)
template <>
struct operation<opcode::sigmoid> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return T(1) / (T(1) + math::exp(-x));
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return r * (1 - r);
    }
};

/// log(1 + eˣ) = max(x, 0) + log(1 + e^-|x|), whose slope is σ(x).
template <>
struct operation<opcode::softplus> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::choose(x < T(0), T(0), x) + math::log1p(math::exp(-math::abs(x)));
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return sigmoid(x);
    }
};

/// log(eˣ + eʸ) = max + log(1 + e^-|x - y|); slopes σ(x - y) and σ(y - x), 1/2 for equal infinities.
template <>
struct operation<opcode::logaddexp> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        const T gap = math::choose(x == y, T(0), math::abs(x - y));
        return math::choose(x < y, y, x) + math::log1p(math::exp(-gap));
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return where(convention::equal_infinities(x, y), V(0.5), sigmoid(x - y));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(convention::equal_infinities(x, y), V(0.5), sigmoid(y - x));
    }
};

} // namespace dyad

// ---- dyad/op/piecewise.hpp
// Comparisons, selections, and functions made of pieces. A slope of the form where(condition, slope, 0) is a
// strong zero: the differentiate pass carries the condition outwards, so that the piece which is not taken
// contributes nothing, not even 0·inf.

namespace dyad {

/// A comparison or a logical operation.
template <int Arity>
struct condition_operation : flat_operation<Arity> {
    static constexpr bool condition = true;
    static constexpr bool counted = false;
};

template <>
struct operation<opcode::less> : condition_operation<2> {
    template <class T>
    DYAD_VALUE auto value(T x, T y) {
        return x < y;
    }
};
template <>
struct operation<opcode::less_equal> : condition_operation<2> {
    template <class T>
    DYAD_VALUE auto value(T x, T y) {
        return x <= y;
    }
};
template <>
struct operation<opcode::equal> : condition_operation<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE auto value(T x, T y) {
        return x == y;
    }
};
template <>
struct operation<opcode::logical_not> : condition_operation<1> {
    template <class M>
    DYAD_VALUE auto value(M x) {
        return !x;
    }
};
template <>
struct operation<opcode::logical_and> : condition_operation<2> {
    static constexpr bool commutative = true;
    template <class M>
    DYAD_VALUE auto value(M x, M y) {
        return x && y;
    }
};
template <>
struct operation<opcode::logical_or> : condition_operation<2> {
    static constexpr bool commutative = true;
    template <class M>
    DYAD_VALUE auto value(M x, M y) {
        return x || y;
    }
};

/// condition ? y : z. The operand not taken contributes exactly nothing.
template <>
struct operation<opcode::where> : operation_base<3> {
    static constexpr bool counted = false;
    template <class M, class T>
    DYAD_VALUE T value(M condition, T y, T z) {
        return math::choose(condition, y, z);
    }
    template <class V>
    static constexpr V dx(const V&, const V&, const V&, const V&) {
        return 0;
    }
    template <class V>
    static constexpr V dy(const V& condition, const V&, const V&, const V&) {
        return where(condition, V(1), V(0));
    }
    template <class V>
    static constexpr V dz(const V& condition, const V&, const V&, const V&) {
        return where(condition, V(0), V(1));
    }
};

/// |x|, with slope sign(x): 0 at 0.
template <>
struct operation<opcode::abs> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::abs(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return sign(x);
    }
};
template <>
struct operation<opcode::sign> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return convention::sign(x);
    }
};

/// max(x, 0), with slope 0 at 0. NaN stays NaN.
template <>
struct operation<opcode::relu> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::choose(x < T(0), T(0), x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return where(x > 0, V(1), V(0));
    }
};

/// The larger operand; NaN if either is. Equal operands share the slope.
template <>
struct operation<opcode::max> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::larger(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return where(x < y, V(0), convention::share_of_winner(x, y));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(y < x, V(0), convention::share_of_winner(x, y));
    }
};

/// The smaller operand; NaN if either is. Equal operands share the slope.
template <>
struct operation<opcode::min> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::smaller(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return where(y < x, V(0), convention::share_of_winner(x, y));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(x < y, V(0), convention::share_of_winner(x, y));
    }
};

/// The larger operand, a NaN counting as missing: fmax(x, NaN) = x with slope 1.
template <>
struct operation<opcode::fmax> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::fmax(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return where(x < y || x != x, V(0), convention::share_of_winner(x, y));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(y < x || y != y, V(0), convention::share_of_winner(x, y));
    }
};

/// The smaller operand, a NaN counting as missing.
template <>
struct operation<opcode::fmin> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::fmin(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return where(y < x || x != x, V(0), convention::share_of_winner(x, y));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(x < y || y != y, V(0), convention::share_of_winner(x, y));
    }
};

/// min(max(x, low), high): slope 1 in x inside, 1/2 on the edges, 0 outside; where all three are equal 1/4 in x.
template <>
struct operation<opcode::clamp> : operation_base<3> {
    template <class T>
    DYAD_VALUE T value(T x, T low, T high) {
        return operation<opcode::min>::value(operation<opcode::max>::value(x, low), high);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& low, const V& high, const V&) {
        return where(x < low || high < x, V(0), share(x, low, high, convention::share_of_winner(x, high)));
    }
    template <class V>
    static constexpr V dy(const V& x, const V& low, const V& high, const V&) {
        return where(low < x || high < low, V(0), share(x, low, high, convention::share_of_winner(low, high)));
    }
    template <class V>
    static constexpr V dz(const V& x, const V& low, const V& high, const V&) {
        const V inner = max(x, low);
        return where(inner < high, V(0), convention::share_of_winner(inner, high));
    }

private:
    /// Of what max(x, low) has, which meets `high` too where the bounds are one.
    template <class V>
    static constexpr V share(const V& x, const V& low, const V& high, const V& alone) {
        return where(x == low, where(low == high, V(0.25), V(0.5)), alone);
    }
};

/// |x| with the sign of y: slope sign(x) sign(y) in x, 0 in y.
template <>
struct operation<opcode::copysign> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::copysign(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&) {
        return sign(x) * copysign(V(1), y);
    }
    template <class V>
    static constexpr V dy(const V&, const V&, const V&) {
        return 0;
    }
};

/// x log y, and 0 where x is 0 (for every y but NaN). The slope in y at (0, 0) is 0.
template <>
struct operation<opcode::xlogy> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::choose(x == T(0), math::choose(y == y, T(0), y), x * math::log(y));
    }
    template <class V>
    static constexpr V dx(const V&, const V& y, const V&) {
        return log(y);
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&) {
        return where(x == 0 && y == 0, V(0), x / y);
    }
};

/// x itself, with slope 0.
template <>
struct operation<opcode::stop_gradient> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return x;
    }
};

// Steps: slope 0 everywhere, NaN stays NaN.
template <>
struct operation<opcode::floor> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::floor(x);
    }
};
template <>
struct operation<opcode::ceil> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::ceil(x);
    }
};
template <>
struct operation<opcode::round> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::round(x);
    }
};
template <>
struct operation<opcode::trunc> : flat_operation<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::trunc(x);
    }
};

} // namespace dyad

// ---- dyad/op/power.hpp
// Powers, roots and distances.

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// √' = 1/(2√x); infinite at 0
template <>
struct operation<opcode::sqrt> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::sqrt(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return 0.5 / r;
    }
};

/// ∛' = 1/(3 ∛x²); infinite at 0
template <>
struct operation<opcode::cbrt> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::cbrt(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return 1 / (3 * (r * r));
    }
};

/// xⁿ for whole n: (xⁿ)' = n xⁿ⁻¹
template <>
struct operation<opcode::ipow> : operation_base<1> {
    static constexpr bool attributed = true;
    template <class T>
    DYAD_VALUE T value(int n, T x) {
        // From the highest bit on, as the lower pass does: the same roundings.
        const auto power = n < 0 ? 0U - static_cast<unsigned>(n) : static_cast<unsigned>(n);
        T result = power == 0 ? T(1) : x;
        unsigned bit = 1;
        while (bit <= power / 2) bit *= 2;
        while ((bit /= 2) > 0) {
            result = result * result;
            if ((power & bit) != 0) result = result * x;
        }
        return n < 0 ? T(1) / result : result;
    }
    template <class V>
    static constexpr V dx(int n, const V& x, const V&) {
        return n == 0 ? V(0) : n * ipow(x, n - 1);
    }
};

/// xʸ: ∂/∂x = y xʸ⁻¹, ∂/∂y = xʸ log x, with the conventions at zeros that `convention::` states.
template <>
struct operation<opcode::pow> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::pow(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V& r) {
        return pow_dx(x, y, r);
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V& r) {
        return pow_log(1, x, y, r);
    }
};

/// y xʸ⁻¹, from r = xʸ where that is safe. A function of x and y alone: r is a hint, and passive.
///   ∂/∂x = y (y-1) xʸ⁻²,  ∂/∂y = xʸ⁻¹ + y xʸ⁻¹ log x
template <>
struct operation<opcode::pow_dx> : operation_base<3> {
    template <class T>
    DYAD_VALUE T value(T x, T y, T r) {
        return math::lanewise([](auto a, auto b, auto c) { return convention::pow_dx(a, b, c); }, x, y, r);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V&, const V&) {
        const V exponent = y - 1;
        const V slope = pow_dx(x, exponent, pow(x, exponent));
        return where(y == 0 && !(abs(slope) < constant::infinity<double>), V(0), y * slope); // x⁰ is 1, for x = 0 and NaN too
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V&, const V&) {
        const V exponent = y - 1;
        const V power = pow(x, exponent);
        return power + y * pow_log(1, x, exponent, power);
    }
    template <class V>
    static constexpr V dz(const V&, const V&, const V&, const V&) {
        return 0;
    }
};

/// xʸ logᵏ x, from the hint r = xʸ (passive, as above).
///   ∂/∂x = y xʸ⁻¹ logᵏ x + k xʸ⁻¹ logᵏ⁻¹ x,  ∂/∂y = xʸ logᵏ⁺¹ x
template <>
struct operation<opcode::pow_log> : operation_base<3> {
    static constexpr bool attributed = true;
    template <class T>
    DYAD_VALUE T value(int k, T x, T, T r) {
        return convention::pow_log(k, x, r);
    }
    template <class V>
    static constexpr V dx(int k, const V& x, const V& y, const V&, const V&) {
        const V exponent = y - 1;
        const V power = pow(x, exponent);
        const V lower = k == 1 ? power : pow_log(k - 1, x, exponent, power);
        return y * pow_log(k, x, exponent, power) + k * lower;
    }
    template <class V>
    static constexpr V dy(int k, const V& x, const V& y, const V& r, const V&) {
        return pow_log(k + 1, x, y, r);
    }
    template <class V>
    static constexpr V dz(int, const V&, const V&, const V&, const V&) {
        return 0;
    }
};

/// √(x² + y²) without overflow: ∂/∂x = x/r; the zero vector at the origin.
template <>
struct operation<opcode::hypot> : operation_base<2> {
    static constexpr bool commutative = true;
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return math::hypot(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&, const V& r) {
        return direction(x, r);
    }
    template <class V>
    static constexpr V dy(const V&, const V& y, const V& r) {
        return direction(y, r);
    }
};

/// x/r, and 0 where r is 0.
template <>
struct operation<opcode::direction> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T r) {
        return convention::direction(x, r);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r, const V&) {
        return direction(V(1), r);
    }
    template <class V>
    static constexpr V dy(const V&, const V& r, const V& result) {
        return -direction(result, r);
    }
};

} // namespace dyad
DYAD_BOTH_SIDES_END

// ---- dyad/op/special.hpp
// Error and gamma functions, and the cardinal sine.

// ---- dyad/op/erf_gaussian.hpp
// The error function together with the e^(-x²) of its derivative. An error function of its own computes that
// exponential too, or as much again; here it is computed once.

namespace dyad::math {

/// A number in every lane.
template <class T>
DYAD_FN DYAD_INLINE constexpr T splat(double c) {
    exact e; // (its constructors from numbers are the host's)
    e.high = c;
    return e.as<T>();
}

/// x·y + z.
template <class T>
DYAD_FN DYAD_INLINE constexpr T multiply_add(T x, T y, T z) {
    return contracted_add(contracted_mul(x, y), z);
}

/// The polynomial with the given coefficients, highest power first, in Estrin's order: chains of dependent operations
/// that are short enough for the calls beside them to hide.
template <class T>
DYAD_FN DYAD_INLINE constexpr T polynomial(T x, double c3, double c2, double c1, double c0) {
    return multiply_add(multiply_add(splat<T>(c3), x, splat<T>(c2)), x * x, multiply_add(splat<T>(c1), x, splat<T>(c0)));
}
template <class T>
DYAD_FN DYAD_INLINE constexpr T polynomial(T x, double c4, double c3, double c2, double c1, double c0) {
    const T square = x * x;
    return multiply_add(splat<T>(c4), square * square, polynomial(x, c3, c2, c1, c0));
}
template <class T>
DYAD_FN DYAD_INLINE constexpr T polynomial(T x, double c7, double c6, double c5, double c4, double c3, double c2,
                                           double c1, double c0) {
    const T square = x * x;
    return multiply_add(polynomial(x, c7, c6, c5, c4), square * square, polynomial(x, c3, c2, c1, c0));
}

/// erf x / x by s = x², for |x| < 2, and e^(x²) erfc x by t = |x|, for 2 <= t <= 6: rational functions that
/// interpolate at the zeros of Chebyshev polynomials, computed with 50 digits. They are off by at most 5e-18 and,
/// of erf, 3e-17.
template <class T>
struct erf_fractions {
    DYAD_VALUE T near_numerator(T s) {
        return polynomial(s, 2.4381842338773486504e-9, 6.3328480391777436584e-7, 0.00001459035197653665368,
                          0.00043580565315237038346, 0.0038549212119496434501, 0.054296035350835174174,
                          0.17683205341510851135, 1.1283791670955125797);
    }
    DYAD_VALUE T near_denominator(T s) {
        return polynomial(s, 6.4102122173530757776e-8, 3.3153906931118409219e-6, 0.000085822451263284593062,
                          0.0014032960092594558601, 0.015377024500359010475, 0.111467495257534954,
                          0.49004666035290340871, 1.0);
    }
    DYAD_VALUE T far_numerator(T t) {
        return polynomial(t, 1.7673126331389243116e-6, 0.11119541922489918945, 0.50178680908883100512,
                          1.0435230708729967613, 0.99957636565485709386);
    }
    DYAD_VALUE T far_denominator(T t) {
        return polynomial(t, 0.19717654020175228194, 0.88826246650298816542, 1.9570344046098576301,
                          2.1693739936269343409, 1.0);
    }
};

/// Whether the fractions serve a value type: they have a double's digits, and a vector must be able to select.
template <class T>
inline constexpr bool has_erf_fractions = overloads::has_select<mask_of<T>, T>;
template <number T>
inline constexpr bool has_erf_fractions<T> = std::numeric_limits<T>::digits <= std::numeric_limits<double>::digits;

/// erf x and e^(-x²); erf to 5 units in the last place, 6 in float.
template <class T>
DYAD_FN DYAD_INLINE constexpr void erf_gaussian(T x, T& error_function, T& gaussian) {
    using f = erf_fractions<T>;
    const T square = x * x;
    gaussian = exp(-square);
    if constexpr (!has_erf_fractions<T>) {
        error_function = erf(x);
    } else if constexpr (number<T>) {
        const T size = abs(x);
        if (size < T(2)) {
            error_function = x * (f::near_numerator(square) / f::near_denominator(square));
        } else {
            const T t = size < T(6) ? size : T(6); // erf is 1 from there on; NaN takes this way, with its exponential
            const T tail = gaussian * (f::far_numerator(t) / f::far_denominator(t));
            error_function = copysign(1 - tail, x);
        }
    } else { // one division for both ways
        const T size = abs(x), t = choose(size < T(6), size, T(6));
        const auto nearby = size < T(2);
        const T quotient = choose(nearby, x * f::near_numerator(square), gaussian * f::far_numerator(t)) /
                           choose(nearby, f::near_denominator(square), f::far_denominator(t));
        error_function = choose(nearby, quotient, choose(x < T(0), quotient - T(1), T(1) - quotient));
    }
}

} // namespace dyad::math

// ---- dyad/op/special_value.hpp
// Values that the standard library lacks, at run time, in constant evaluation and in CUDA kernels:
// the polygamma functions, and the derivatives of the normalised sinc, of every order.
// float computes in double. Literals are double or whole, so that no kernel sees a long double.

namespace dyad::special {

/// bⁿ for n >= 0.
template <std::floating_point T>
DYAD_FN constexpr T whole_power(T b, int n) {
    T p = 1;
    for (; n > 0; n /= 2, b *= b) {
        if (n % 2 != 0) p *= b;
    }
    return p;
}

/// n! / bⁿ⁺¹. Factorials up to 20! are exact; constant evaluation may not divide by 0.
template <std::floating_point T>
DYAD_FN constexpr T factorial_over_power(int n, T b) {
    T v = 1;
    if (n <= 20) {
        for (int i = 2; i <= n; ++i) v *= T(i);
        const T power = whole_power(b, n + 1);
        constexpr T infinity = constant::infinity<T>;
        return power == 0 ? math::copysign(infinity, power) : v / power;
    }
    for (int i = 1; i <= n; ++i) v = v * T(i) / b;
    return v / b;
}

template <std::floating_point T>
struct sine_and_cosine {
    T sine, cosine;
};

/// sin(πx) and cos(πx) for x >= 0, exact where they are 0, 1 or -1.
template <std::floating_point T>
DYAD_FN constexpr sine_and_cosine<T> sincos_of_half_turns(T x) {
    if (x > T(4e19)) return {0, 1}; // even numbers all
    const T n = math::round(2 * x);
    const T angle = std::numbers::pi_v<T> * (x - n / 2);
    const T s = math::sin(angle), c = math::cos(angle);
    switch (static_cast<int>(n - 4 * math::floor(n / 4))) {
    case 0:
        return {s, c};
    case 1:
        return {c, -s};
    case 2:
        return {-s, -c};
    default:
        return {-c, s};
    }
}

/// What a value is computed in. (clang compiles at once what a template calls with a type that is not its parameter's.)
template <std::floating_point T>
using at_least_double = std::conditional_t<std::same_as<T, float>, double, T>;

/// The Bernoulli numbers B₂, B₄, ... B₂₀.
template <std::floating_point T>
struct bernoulli {
    static constexpr int count = 10;
    T value[count] = {T(1) / 6,       T(-1) / 30, T(1) / 42,      T(-1) / 30,     T(5) / 66,
                      T(-691) / 2730, T(7) / 6,   T(-3617) / 510, T(43867) / 798, T(-174611) / 330};
};

/// From where on the asymptotic series reaches the precision of T, by trial.
template <std::floating_point T>
DYAD_FN constexpr T asymptotic_from(int n) {
    return std::numeric_limits<T>::digits > 53 ? 13 + T(3) * n / 2 : T(10 + n);
}

/// ψ(x) for x > 0. Where the asymptotic series (DLMF 5.11.2) needs the recurrence (DLMF 5.5.2),
/// each term is taken less its value at the zero x₀ of ψ: a multiple of x - x₀ of nearly always one
/// sign, so that nothing cancels, not even beside x₀.
template <std::floating_point T>
DYAD_FN constexpr T digamma_right(T x) {
    constexpr bernoulli<T> b;
    const T from = asymptotic_from<T>(0);
    if (x >= from) {
        const T q = 1 / x / x;
        T s = 0;
        for (int j = b.count; j > 0; --j) s = (s + b.value[j - 1] / T(2 * j)) * q;
        return math::log(x) - 1 / (2 * x) - s;
    }
    constexpr T zero[] = {T(0x1.762d86356be3fp+0), T(0x1.b86a722197829p-54),
                          T(0x1.e0d62a6be90c7p-109)};
    const T gap = ((x - zero[0]) - zero[1]) - zero[2];
    T s = 0;
    T y = x;
    T y0 = zero[0] + zero[1];
    for (; y < from || y0 < from; y += 1, y0 += 1) s += gap / (y * y0);
    const T p = 1 / (y * y), q = 1 / (y0 * y0);
    T quotient = 1, power = 1; // (qʲ - pʲ) / (q - p) and pʲ⁻¹
    T t = 0;
    for (int j = 1; j <= b.count; ++j) {
        t += b.value[j - 1] / T(2 * j) * quotient;
        power *= p;
        quotient = quotient * q + power;
    }
    return s + (gap / (2 * y * y0) + gap * (y + y0) * p * q * t) + math::log1p(gap / y0);
}

/// ψ⁽ⁿ⁾(x) for x > 0: the recurrence (DLMF 5.15.5) up to the asymptotic series
/// (DLMF 5.15.8 and Abramowitz and Stegun 6.4.11), of positive terms until the series' last.
template <std::floating_point T>
DYAD_FN constexpr T polygamma_right(int n, T x) {
    if (n == 0) return digamma_right(x);
    constexpr bernoulli<T> b;
    T s = 0;
    for (const T from = asymptotic_from<T>(n); x < from; x += 1) s += factorial_over_power(n, x);
    const T q = 1 / x / x;
    T binomial = 1;
    T tail = 0;
    for (int j = 1; j <= b.count; ++j) {
        binomial *= T(2 * j + n - 2) * T(2 * j + n - 1) / T(2 * j * (2 * j - 1)) * q;
        tail += b.value[j - 1] * binomial;
    }
    T series = (1 + (T(n) / (2 * x) + tail)) / x;
    for (int i = 1; i < n; ++i) series = series * T(i) / x;
    return n % 2 == 0 ? -(s + series) : s + series;
}

/// The n-th derivative of cot at an angle of cotangent c, n <= 20, less its sign (-1)ⁿ: the
/// polynomial Q₀ = c, Qₙ₊₁ = (1 + c²) Qₙ', whose powers of c are all odd or all even, so that one
/// array does.
template <std::floating_point T>
DYAD_FN constexpr T cotangent_slope(int n, T c) {
    T a[24] = {0, 1};
    for (int k = 0; k < n; ++k) {
        if (k % 2 == 0) a[0] = a[1];
        for (int j = 2 - k % 2; j <= k + 2; j += 2)
            a[j] = T(j + 1) * a[j + 1] + T(j - 1) * a[j - 1];
    }
    T v = a[n + 1];
    for (int j = n - 1; j >= 0; j -= 2) v = v * (c * c) + a[j];
    return n % 2 == 0 ? v * c : v;
}

/// ψ⁽ⁿ⁾(x), the n-th derivative of the digamma function ψ = Γ'/Γ, for n >= 0:
/// `polygamma(0, 1.0)` is -0.5772156649015329, `polygamma(1, 1.0)` is π²/6.
///
/// At a pole, 0 or a negative whole number, an odd order is inf, its limit from both sides; an even
/// order is NaN, but -inf at 0 and inf at -0. Left of 0 by reflection (DLMF 5.5.4 and 5.15.6);
/// where that cancels, beside the zeros there, the error is relative to the terms and not to the
/// value.
template <std::floating_point T>
DYAD_FN constexpr T polygamma(int n, T x) {
    if constexpr (std::same_as<T, float>) {
        return static_cast<float>(polygamma(n, at_least_double<T>(x)));
    } else {
        constexpr T infinity = constant::infinity<T>;
        constexpr T nan = constant::nan<T>;
        if (x != x) return x;
        if (n < 0) return nan;
        if (x == infinity) return n == 0 ? infinity : 0;
        if (x > 0) return polygamma_right(n, x);
        if (math::floor(x) == x) {
            if (n % 2 != 0 && x > -infinity) return infinity;
            return x == 0 ? math::copysign(infinity, -x) : nan;
        }
        const T sign = n % 2 == 0 ? T(-1) : T(1);
        if (n > 20) { // the poles nearest outweigh all else
            const T pole = math::round(x);
            T s = 0;
            for (int j = pole < -8 ? -8 : static_cast<int>(pole); j <= 8; ++j)
                s += factorial_over_power(n, (x - pole) + T(j));
            return sign * s;
        }
        const T right = polygamma_right(n, 1 - x);
        const T rest = x - math::round(x);
        if (math::abs(rest) > T(0.375)) {
            const auto [s, c] = sincos_of_half_turns(-x);
            const T power = whole_power(std::numbers::pi_v<T>, n + 1);
            return sign * (power * cotangent_slope(n, -c / s) - right);
        }
        // The same at `rest` replaces the cotangent, so that its pole can be set apart.
        const T regular =
            sign * polygamma_right(n, 1 + rest) - (right - polygamma_right(n, 1 - rest));
        return sign * (factorial_over_power(n, rest) + regular);
    }
}

/// The n-th derivative of sin(πx) / (πx) in x, for n >= 0: `sinc(0, 0.5)` is 2/π.
///
/// With t = πx, πⁿ times the derivative of sin(t) / t in t: its power series below t = 1, and
/// beyond, from n derivatives of t s = sin t, the recurrence t sₙ + n sₙ₋₁ = sin⁽ⁿ⁾ t, upwards from
/// s₀ where t is at least n, else downwards from an order so high that its own value no longer
/// matters. The limit at ±inf is 0. At whole x, sin(πx) is exactly 0.
template <std::floating_point T>
DYAD_FN constexpr T sinc(int n, T x) {
    if constexpr (std::same_as<T, float>) {
        return static_cast<float>(sinc(n, at_least_double<T>(x)));
    } else {
        if (x != x) return x;
        if (n < 0) return constant::nan<T>;
        const T size = x < 0 ? -x : x;
        if (size == constant::infinity<T>) return 0;
        const T t = std::numbers::pi_v<T> * size;
        T v = 0;
        if (t < 1) {
            T power = n % 2 == 0 ? T(1) : t; // tⁱ / i!
            for (int i = n % 2; i < 30; i += 2) {
                v += power / T(i + n + 1);
                power *= -t * t / T((i + 1) * (i + 2));
            }
            if ((n + 1) / 2 % 2 != 0) v = 0 - v;
        } else {
            const auto [sine, cosine] = sincos_of_half_turns(size);
            const T slopes[] = {sine, cosine, -sine, -cosine};
            if (t >= T(n)) {
                v = sine / t;
                for (int k = 1; k <= n; ++k) v = (slopes[k % 4] - T(k) * v) / t;
            } else {
                for (int k = 2 * n + 50; k > n; --k) v = (slopes[k % 4] - t * v) / T(k);
            }
        }
        v *= whole_power(std::numbers::pi_v<T>, n);
        return x < 0 && n % 2 != 0 ? -v : v;
    }
}

} // namespace dyad::special

namespace dyad {

/// erf' = 2/√π e^(-x²)
template <>
struct operation<opcode::erf> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::erf(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return (2 * std::numbers::inv_sqrtpi_v<long double>) * gaussian(x);
    }
};

/// erfc' = -2/√π e^(-x²)
template <>
struct operation<opcode::erfc> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::erfc(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return (-2 * std::numbers::inv_sqrtpi_v<long double>) * gaussian(x);
    }
};

/// g = e^(-x²), the helper of erf and erfc: g' = -2 x g
template <>
struct operation<opcode::gaussian> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::exp(-(x * x));
    }
    template <class V>
    static constexpr V dx(const V& x, const V& r) {
        return -2 * (x * r);
    }
};

/// erf x and e^(-x²) in one go; made by the lowering pass, after all derivatives.
template <>
struct operation<opcode::erf_gaussian> : flat_operation<1> {
    static constexpr int results = 2;
    template <class T>
    DYAD_VALUE void values(T x, T& error_function, T& gaussian) {
        math::erf_gaussian(x, error_function, gaussian);
    }
};

/// Γ' = Γ ψ
template <>
struct operation<opcode::tgamma> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::tgamma(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& r) {
        return r * digamma(x);
    }
};

/// (log |Γ|)' = ψ
template <>
struct operation<opcode::lgamma> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::lgamma(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return digamma(x);
    }
};

/// ψ' = ψ⁽¹⁾
template <>
struct operation<opcode::digamma> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::lanewise([](auto lane) { return special::polygamma(0, lane); }, x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return polygamma(1, x);
    }
};

/// ψ⁽ⁿ⁾' = ψ⁽ⁿ⁺¹⁾
template <>
struct operation<opcode::polygamma> : operation_base<1> {
    static constexpr bool attributed = true;
    template <class T>
    DYAD_VALUE T value(int n, T x) {
        return math::lanewise([n](auto lane) { return special::polygamma(n, lane); }, x);
    }
    template <class V>
    static constexpr V dx(int n, const V& x, const V&) {
        return polygamma(n + 1, x);
    }
};

/// The n-th derivative of sin(πx)/(πx)
template <>
struct operation<opcode::sinc> : operation_base<1> {
    static constexpr bool attributed = true;
    template <class T>
    DYAD_VALUE T value(int n, T x) {
        return math::lanewise([n](auto lane) { return special::sinc(n, lane); }, x);
    }
    template <class V>
    static constexpr V dx(int n, const V& x, const V&) {
        return sinc(n + 1, x);
    }
};

} // namespace dyad

// ---- dyad/op/trigonometric.hpp
// Circular and hyperbolic functions and their inverses.

namespace dyad {

/// sin' = cos
template <>
struct operation<opcode::sin> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::sin(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return cos(x);
    }
};

/// cos' = -sin
template <>
struct operation<opcode::cos> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::cos(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return -sin(x);
    }
};

/// tan' = 1 + tan²
template <>
struct operation<opcode::tan> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::tan(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return 1 + r * r;
    }
};

/// asin' = 1/√(1 - x²)
template <>
struct operation<opcode::asin> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::asin(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / unit_circle(x);
    }
};

/// acos' = -1/√(1 - x²)
template <>
struct operation<opcode::acos> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::acos(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return -1 / unit_circle(x);
    }
};

/// atan' = 1/(1 + x²)
template <>
struct operation<opcode::atan> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::atan(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / (1 + x * x);
    }
};

/// sinh' = cosh
template <>
struct operation<opcode::sinh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::sinh(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return cosh(x);
    }
};

/// cosh' = sinh
template <>
struct operation<opcode::cosh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::cosh(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return sinh(x);
    }
};

/// tanh' = 1 - tanh²
template <>
struct operation<opcode::tanh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::tanh(x);
    }
    template <class V>
    static constexpr V dx(const V&, const V& r) {
        return 1 - r * r;
    }
};

/// asinh' = 1/√(1 + x²), by hypot because x² may overflow
template <>
struct operation<opcode::asinh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::asinh(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / hypot(x, V(1));
    }
};

/// acosh' = 1/√(x² - 1)
template <>
struct operation<opcode::acosh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::acosh(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        return 1 / unit_hyperbola(x);
    }
};

/// atanh' = 1/(1 - x²), by the root of 1 - x², which does not cancel near 1, nor does its slope near 0
template <>
struct operation<opcode::atanh> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::atanh(x);
    }
    template <class V>
    static constexpr V dx(const V& x, const V&) {
        const V r = unit_circle(x);
        return 1 / (r * r);
    }
};

/// √(1 - x²) without the cancellation near 1: the helper of asin and acos.
template <>
struct operation<opcode::unit_circle> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::sqrt((T(1) - x) * (T(1) + x));
    }
    template <class V>
    static constexpr V dx(const V& x, const V& r) {
        return -(x / r);
    }
};

/// √(x² - 1) without cancellation near 1 or overflow: the helper of acosh.
template <>
struct operation<opcode::unit_hyperbola> : operation_base<1> {
    template <class T>
    DYAD_VALUE T value(T x) {
        return math::sqrt(x - T(1)) * math::sqrt(x + T(1));
    }
    template <class V>
    static constexpr V dx(const V& x, const V& r) {
        return x / r;
    }
};

/// The sine and the cosine of one argument in one call; made by the lowering pass, after all derivatives.
template <>
struct operation<opcode::sincos> : flat_operation<1> {
    static constexpr int results = 2;
    template <class T>
    DYAD_VALUE void values(T x, T& sine, T& cosine) {
        math::sincos(x, sine, cosine);
    }
};

/// The angle of the point (x, y), operands in the order of the C library: ∂/∂y = x/(x² + y²), ∂/∂x = -y/(x² + y²).
template <>
struct operation<opcode::atan2> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T y, T x) {
        return math::atan2(y, x);
    }
    template <class V>
    static constexpr V dx(const V& y, const V& x, const V&) {
        return inverse_real(x, y);
    }
    template <class V>
    static constexpr V dy(const V& y, const V& x, const V&) {
        return -inverse_real(y, x);
    }
};

/// p = x/(x² + y²), the real part of 1/(x + iy), with q = y/(x² + y²): ∂p/∂x = q² - p², ∂p/∂y = -2pq
/// (from d(1/z) = -dz/z²). 0 at the origin by convention.
template <>
struct operation<opcode::inverse_real> : operation_base<2> {
    template <class T>
    DYAD_VALUE T value(T x, T y) {
        return convention::inverse_real(x, y);
    }
    template <class V>
    static constexpr V dx(const V& x, const V& y, const V& r) {
        const V q = inverse_real(y, x);
        return q * q - r * r;
    }
    template <class V>
    static constexpr V dy(const V& x, const V& y, const V& r) {
        return -2 * r * inverse_real(y, x);
    }
};

} // namespace dyad

namespace dyad {

/// The facts of one operation.
struct operation_facts {
    const char* name = "";
    int arity = 0;
    int results = 1;
    bool condition = false;
    bool commutative = false;
    bool flat = false;
    bool counted = false;
    bool attributed = false;
};

/// An array operation whose derivatives are all zero. (A switch: clang takes a seventh of a millisecond to find the
/// meaning of each == between enumerators.)
constexpr bool is_flat_array_operation(opcode op) {
    switch (op) {
    case opcode::arg_max:
    case opcode::arg_min:
    case opcode::extent:
    case opcode::eye_like:
    case opcode::outer_like: return true;
    default: return false;
    }
}

template <class Operation>
constexpr operation_facts facts_of(const char* name) {
    return {name, Operation::arity, Operation::results, Operation::condition, Operation::commutative, Operation::flat, Operation::counted, Operation::attributed};
}

inline constexpr operation_facts operation_table[] = {
    {.name = "constant"},
    {.name = "input"},
    {.name = "parameter"},
    {.name = "result", .arity = 1},
#define DYAD_FACTS(op) facts_of<operation<opcode::op>>(#op),
    DYAD_OPERATIONS(DYAD_FACTS)
#undef DYAD_FACTS
#define DYAD_FACTS(op, operands)                                                                     \
    {.name = #op,                                                                                    \
     .arity = operands,                                                                              \
     .flat = is_flat_array_operation(opcode::op),                                                     \
     .counted = true,                                                                                \
     .attributed = true},
    DYAD_ARRAY_OPERATIONS(DYAD_FACTS)
#undef DYAD_FACTS
#define DYAD_FACTS(op, operands) {.name = #op, .arity = operands, .attributed = true},
    DYAD_REGION_OPERATIONS(DYAD_FACTS)
#undef DYAD_FACTS
};

constexpr const operation_facts& facts(opcode op) {
    return operation_table[static_cast<std::size_t>(op)];
}
/// The operands by which an operation has a derivative at all: a condition is not one.
constexpr bool differentiable_by(opcode op, int operand) {
    return !facts(op).flat && (!is(op, opcode::where) || operand != 0) && (!is(op, opcode::at) || operand != 1) &&
           (!is(op, opcode::copysign) || operand != 1);
}

/// The number of operands by opcode: what passes ask most often, without a call.
struct arity_table {
    int of[static_cast<std::size_t>(opcode::count)] = {};
    /// One or two operands and a result that are numbers all: so for most nodes.
    bool arithmetic[static_cast<std::size_t>(opcode::count)] = {};

    constexpr arity_table() {
        for (std::size_t i = 0; i < static_cast<std::size_t>(opcode::count); ++i)
            of[i] = operation_table[i].arity;
        for (std::size_t i = static_cast<std::size_t>(opcode::result) + 1; i < static_cast<std::size_t>(opcode::where); ++i)
            arithmetic[i] = of[i] < 3 && !operation_table[i].condition;
    }
    constexpr int operator[](opcode op) const { return of[static_cast<std::size_t>(op)]; }
};
inline constexpr arity_table arities;

/// So many of an operation's operands, the first ones, are conditions.
constexpr int conditions_of(opcode op) {
    if (is(op, opcode::where)) return 1;
    return op >= opcode::logical_not && op <= opcode::logical_or ? facts(op).arity : 0;
}

/// Whether an operation is a few instructions whose results are the same everywhere, rather than a call of a library
/// function.
constexpr bool is_inline(opcode op) {
    switch (op) {
    case opcode::constant:
    case opcode::input:
    case opcode::result:
    case opcode::neg:
    case opcode::add:
    case opcode::sub:
    case opcode::mul:
    case opcode::div:
    case opcode::fma:
    case opcode::sqrt:
    case opcode::abs:
    case opcode::sign:
    case opcode::copysign:
    case opcode::min:
    case opcode::max:
    case opcode::clamp:
    case opcode::relu:
    case opcode::where:
    case opcode::ipow:
    case opcode::direction:
    case opcode::less:
    case opcode::less_equal:
    case opcode::equal:
    case opcode::logical_not:
    case opcode::logical_and:
    case opcode::logical_or: return true;
    default: return false;
    }
}

} // namespace dyad

namespace dyad {

/// A node's place in its graph.
using node_index = std::uint32_t;

inline constexpr node_index no_node = ~node_index{0};

/// What a node's value is made of. `weak` constants take the type of what they meet; the order is the
/// order of promotion.
enum class element : std::uint8_t { boolean, weak, integer, float32, float64, float80 };
DYAD_COMPARED(element)

template <class T>
constexpr element element_of() {
    if constexpr (std::is_same_v<T, bool>) {
        return element::boolean;
    } else if constexpr (std::is_integral_v<T>) {
        return element::integer;
    } else if constexpr (std::is_same_v<T, float>) {
        return element::float32;
    } else if constexpr (std::is_same_v<T, long double>) {
        return element::float80;
    } else if constexpr (vector_like<T>) {
        return element_of<typename T::value_type>();
    } else {
        return element::float64;
    }
}

struct node {
    opcode op = opcode::constant;
    element type = element::weak;
    std::uint8_t rank = 0; ///< of an array; 0 for a number
    std::uint8_t ones = 0; ///< axes known to have size 1: bit k for the k-th axis from the end
    node_index operand[3] = {};
    std::uint64_t bits = 0; ///< a constant's bits, an input's number, an operation's attribute

    [[nodiscard]] constexpr int arity() const { return arities[op]; }
    [[nodiscard]] constexpr int attribute() const { return static_cast<int>(bits); }
    [[nodiscard]] constexpr bool is(opcode other) const { return op == other; }
    [[nodiscard]] constexpr bool is(element other) const { return type == other; }

    friend constexpr bool operator==(const node& a, const node& b) {
        return a.bits == b.bits && a.operand[0] == b.operand[0] && a.operand[1] == b.operand[1] &&
               (a.operand[2] == b.operand[2] || a.arity() < 3) && a.op == b.op && a.type == b.type && a.rank == b.rank && a.ones == b.ones;
    }
};

/// The user's function that an array operation of one or two operands is a part of, for messages: it lies where a third operand
/// would. It is nothing that the node computes, so that nodes are equal whatever they are parts of.
enum class asked_as : node_index { itself, dot, matmul, tensordot, stack, broadcast_to, softmax, log_softmax, logsumexp };
/// In the same place of an input: it is an array of conditions, which count as 1 and 0.
inline constexpr node_index given_as_conditions = 1;
constexpr asked_as asked_of(const node& n) {
    return is_array_operation(n.op) && n.arity() < 3 ? static_cast<asked_as>(n.operand[2]) : asked_as::itself;
}

/// A constant's node: `high` lies in the bits, `low` (0 unless the constant is wider than a double) in the
/// operands, which a constant does not need.
constexpr node constant_node(exact value, element type = element::weak) {
    const auto low = std::bit_cast<std::uint64_t>(value.low);
    return {.op = opcode::constant,
            .type = type,
            .operand = {static_cast<node_index>(low), static_cast<node_index>(low >> 32), 0},
            .bits = std::bit_cast<std::uint64_t>(value.high)};
}

constexpr exact constant_value(const node& n) {
    return exact::of_bits(n.bits, std::uint64_t{n.operand[1]} << 32 | n.operand[0]);
}

constexpr node input_node(std::uint32_t number, element type, int rank = 0, unsigned ones = 0) {
    return {.op = opcode::input,
            .type = type,
            .rank = static_cast<std::uint8_t>(rank),
            .ones = static_cast<std::uint8_t>(ones),
            .bits = number};
}

/// The type of an operation on operands of types `a` and `b`: the wider; whole numbers compute as double.
constexpr element promote(element a, element b) {
    const element wider = a < b ? b : a;
    return is(wider, element::integer) ? element::float64 : wider;
}

} // namespace dyad

namespace dyad {

/// A graph to read: nodes refer to earlier nodes only.
struct graph_view {
    const node* nodes = nullptr;
    std::size_t size = 0;
    const node_index* outputs = nullptr;
    std::size_t output_count = 0;
    std::uint32_t input_count = 0;

    constexpr const node& operator[](std::size_t i) const { return nodes[i]; }
};

/// A graph whose size is known only as it is made.
struct graph {
    list<node> nodes;
    list<node_index> outputs;
    std::uint32_t input_count = 0;

    [[nodiscard]] constexpr graph_view view() const {
        return {nodes.data(), nodes.size(), outputs.data(), outputs.size(), input_count};
    }
    constexpr explicit(false) operator graph_view() const { return view(); }
};

constexpr graph copy_of(graph_view g) {
    graph result;
    result.input_count = g.input_count;
    result.nodes = list<node>(g.size);
    for (std::size_t i = 0; i < g.size; ++i) result.nodes.at[i] = g.nodes[i];
    for (std::size_t k = 0; k < g.output_count; ++k) result.outputs.push_back(g.outputs[k]);
    return result;
}

/// The room of a graph.
struct graph_room {
    std::size_t nodes = 0;
    std::size_t outputs = 0;
};

constexpr graph_room room_of(const graph& g) {
    return {g.nodes.count, g.outputs.count};
}

/// A graph that programs keep: a structural value with room for `Room.nodes` nodes and `Room.outputs` outputs.
template <auto Room>
struct frozen_graph {
    node nodes[Room.nodes + 1] = {};
    node_index outputs[Room.outputs + 1] = {};
    std::size_t size = 0;
    std::size_t output_count = 0;
    std::uint32_t input_count = 0;

    /// Nothing but its sizes, if it has not the room.
    constexpr explicit frozen_graph(const graph& g)
        : size(g.nodes.count), output_count(g.outputs.count), input_count(g.input_count) {
        if (!fits()) return;
        for (std::size_t i = 0; i < size; ++i) nodes[i] = g.nodes.at[i];
        for (std::size_t k = 0; k < output_count; ++k) outputs[k] = g.outputs.at[k];
    }
    [[nodiscard]] constexpr graph_room room() const { return {size, output_count}; }
    [[nodiscard]] constexpr bool fits() const { return size <= Room.nodes && output_count <= Room.outputs; }
    [[nodiscard]] constexpr graph_view view() const { return {nodes, size, outputs, output_count, input_count}; }
    constexpr explicit(false) operator graph_view() const { return view(); }
};

/// The graph `Make{}()`, kept.
template <class Make, std::size_t GuessNodes, std::size_t GuessOutputs>
using frozen = frozen_as<Make, frozen_graph, graph_room{GuessNodes, GuessOutputs}>;

/// The operations in a graph that compute: not inputs, constants, comparisons, selections or the naming
/// of results.
constexpr std::size_t operation_count(graph_view g) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < g.size; ++i) count += facts(g[i].op).counted ? 1U : 0U;
    return count;
}

} // namespace dyad

namespace dyad {

struct array_shape {
    unsigned rank = 0;
    unsigned ones = 0; ///< bit k: the k-th axis from the end has size 1

    friend constexpr bool operator==(const array_shape&, const array_shape&) = default;
};

inline constexpr unsigned max_rank = 8;

/// The lowest `count` bits.
constexpr unsigned low_bits(unsigned count) {
    return (1U << count) - 1;
}

constexpr array_shape shape_of(const node& n) {
    return {n.rank, n.ones};
}

constexpr void set_shape(node& n, array_shape s) {
    n.rank = static_cast<std::uint8_t>(s.rank);
    n.ones = static_cast<std::uint8_t>(s.ones);
}

/// NumPy's rule: an axis that is missing or has size 1 stretches.
constexpr array_shape broadcast(array_shape a, array_shape b) {
    const unsigned rank = a.rank > b.rank ? a.rank : b.rank;
    const unsigned a_flat = a.ones | ~low_bits(a.rank), b_flat = b.ones | ~low_bits(b.rank);
    return {rank, a_flat & b_flat & low_bits(rank)};
}

/// The shape without the axes of a mask.
constexpr array_shape without_axes(array_shape s, unsigned axes) {
    array_shape result;
    for (unsigned k = 0; k < s.rank; ++k) {
        if ((axes >> k & 1) == 0) result.ones |= (s.ones >> k & 1) << result.rank++;
    }
    return result;
}

/// The shape with axes of size 1 put in, where the mask of the result says.
constexpr array_shape with_axes(array_shape s, unsigned axes) {
    array_shape result;
    for (unsigned k = 0, from = 0; from < s.rank || axes >> k != 0; ++k) {
        const bool added = (axes >> k & 1) != 0;
        result.ones |= (added ? 1U : s.ones >> from & 1) << k;
        from += added ? 0 : 1;
        result.rank = k + 1;
    }
    return result;
}

/// The axes along which `narrow` stretches to become `wide`.
constexpr unsigned stretched_axes(array_shape narrow, array_shape wide) {
    return (narrow.ones | ~low_bits(narrow.rank)) & ~wide.ones & low_bits(wide.rank);
}

/// The shape of an array operation's result, from its operands' and its attribute.
constexpr array_shape result_shape(const node& n, const node* nodes) {
    const array_shape x = shape_of(nodes[n.operand[0]]);
    const array_shape y = n.arity() > 1 ? shape_of(nodes[n.operand[1]]) : array_shape{};
    switch (n.op) {
    case opcode::reduce_sum:
    case opcode::reduce_prod:
    case opcode::reduce_max:
    case opcode::reduce_min:
    case opcode::arg_max:
    case opcode::arg_min:
    case opcode::squeeze: return without_axes(x, axes_of(n.bits));
    case opcode::extent: return {};
    case opcode::broadcast_like: return broadcast(x, y);
    case opcode::expand: return with_axes(x, axes_of(n.bits));
    case opcode::transpose: {
        array_shape result{x.rank, 0};
        for (unsigned k = 0; k < x.rank; ++k) result.ones |= (x.ones >> permuted_axis(n.bits, k) & 1) << k;
        return result;
    }
    case opcode::reshape:
    case opcode::reshape_like: {
        const reshape_ranks r = reshape_ranks_of(n.bits);
        array_shape result{x.rank - r.from + r.to, x.ones >> r.from << r.to};
        if (n.is(opcode::reshape_like)) result.ones |= y.ones & low_bits(r.to);
        for (unsigned k = 0; k < r.to && n.is(opcode::reshape); ++k)
            result.ones |= (reshape_size(n.bits, k) == 1 ? 1U : 0U) << k;
        return result;
    }
    case opcode::slice: {
        const slice_range s = decode_slice(n.bits);
        const bool last = s.start == -1 && s.stop == slice_range::open;
        const bool ends = s.stop != slice_range::open && (s.start < 0) == (s.stop < 0);
        const bool one = last || (ends && s.stop - s.start > 0 && s.stop - s.start <= s.step);
        return {x.rank, (x.ones & ~(1U << s.axis)) | (one ? 1U << s.axis : 0U)};
    }
    case opcode::unfold: return {x.rank + 2, x.ones >> 2 << 4 | (y.ones & 3)};
    case opcode::fold: return {x.rank - 2 > y.rank ? x.rank - 2 : y.rank, y.ones | (y.rank < x.rank - 2 ? x.ones >> (y.rank + 2) << y.rank : 0)};
    case opcode::pool: return {x.rank, x.ones & ~3U};
    case opcode::pool_tangent: // of the elements, which are the second operand; the third is what was pooled of them
    case opcode::pool_cotangent: return {x.rank, (x.ones & ~3U) | (shape_of(nodes[n.operand[n.is(opcode::pool_tangent) ? 2 : 1]]).ones & 3)};
    case opcode::conv2d: // [.., images, channels, height, width] and [.., outputs, channels, height, width]
    case opcode::conv2d_images:
    case opcode::conv2d_kernels: { // the cotangent that either receives: its last axes are those of the third operand
        const array_shape batch = broadcast({x.rank - 4, x.ones >> 4}, {y.rank - 4, y.ones >> 4});
        const unsigned last = n.is(opcode::conv2d) ? (x.ones & 8) | (y.ones >> 1 & 4) : shape_of(nodes[n.operand[2]]).ones & 15;
        return {batch.rank + 4, batch.ones << 4 | last};
    }
    case opcode::pad: return {x.rank, x.ones & ~(1U << axis_of(n.bits))};
    case opcode::scatter_add: { // further axes of what is added come in front
        const array_shape v = shape_of(nodes[n.operand[2]]);
        const unsigned axis = axis_of(n.bits), above = v.ones >> (axis + y.rank), below = v.ones & low_bits(axis);
        return broadcast(x, {v.rank - y.rank + 1, below | 1U << axis | above << (axis + 1)});
    }
    case opcode::window: return {x.rank, (x.ones & ~(1U << axis_of(n.bits))) | (y.ones & 1U << axis_of(n.bits))};
    case opcode::unslice:
    case opcode::unwindow: return broadcast(array_shape{x.rank, x.ones | 1U << axis_of(n.bits)}, y);
    case opcode::recurrence: return broadcast(x, y);
    case opcode::concat: {
        const unsigned axis = 1U << axis_of(n.bits);
        return {broadcast(x, y).rank, broadcast({x.rank, x.ones | axis}, {y.rank, y.ones | axis}).ones & ~axis};
    }
    case opcode::fill: {
        const reshape_ranks r = reshape_ranks_of(n.bits);
        array_shape result{r.to, 0};
        for (unsigned k = 0; k < r.to; ++k) result.ones |= (reshape_size(n.bits, k) == 1 ? 1U : 0U) << k;
        return result;
    }
    case opcode::fill_like: {
        array_shape result{reshape_ranks_of(n.bits).to, 0};
        for (unsigned k = 0; k < result.rank; ++k) {
            const std::uint64_t size = fill_size(n.bits, k);
            const borrowed_size from = decode_borrowed(size);
            const bool one = from.operand == 0 ? size == 1 : (shape_of(nodes[n.operand[from.operand]]).ones >> from.axis & 1) != 0;
            result.ones |= (one ? 1U : 0U) << k;
        }
        return result;
    }
    case opcode::take: {
        const unsigned axis = axis_of(n.bits);
        const unsigned above = x.ones >> (axis + 1), below = x.ones & low_bits(axis);
        return {x.rank - 1 + y.rank, below | y.ones << axis | above << (axis + y.rank)};
    }
    case opcode::matmul: // [.., n, k] times [.., k, m]
    case opcode::solve: { // [.., n, n] and [.., n, m]
        const array_shape batch = broadcast({x.rank - 2, x.ones >> 2}, {y.rank - 2, y.ones >> 2});
        return {batch.rank + 2, batch.ones << 2 | (x.ones & 2) | (y.ones & 1)};
    }
    case opcode::logabsdet:
    case opcode::det: return {x.rank - 2, x.ones >> 2};
    case opcode::undiagonal: return broadcast({x.rank + 1, 3 | x.ones << 1}, y);
    case opcode::diagonal:
    case opcode::eigh_values:
    case opcode::svd_s: return {x.rank - 1, x.ones >> 2 << 1};
    case opcode::eye_like: return {2 * x.rank, x.ones << x.rank | x.ones};
    case opcode::outer_like: return {x.rank + y.rank, x.ones << y.rank | y.ones};
    case opcode::history: return {y.rank + 1, y.ones};
    case opcode::at: return {x.rank - 1, x.ones & low_bits(x.rank - 1)};
    default: return x; // flip, scatter_add, inverse, cholesky, triangle ...
    }
}

/// Whether a node's shape is its own, and does not follow from its operands': it stands for a value, or lists some.
constexpr bool is_of_own_shape(opcode op) {
    return op <= opcode::result || (is_region_operation(op) && op != opcode::history && op != opcode::at && op != opcode::again);
}

/// The shape of any other operation's result.
constexpr array_shape shape_with(const node& n, const node* nodes) {
    if (is_array_operation(n.op)) return result_shape(n, nodes);
    array_shape shape;
    for (int k = 0; k < n.arity(); ++k) shape = broadcast(shape, shape_of(nodes[n.operand[k]]));
    return shape;
}

} // namespace dyad

namespace dyad {

class builder;

/// What array operations need beside a rewriter: put into the builder by those who trace arrays, so that who has none
/// does not pay for them.
struct array_rules {
    /// The canonical equal of an array operation that is about to be stored.
    node_index (*rewrite)(builder&, const node&);
    /// What operand k of node i receives of the node's cotangent g.
    node_index (*pull)(builder&, node_index i, int k, node_index g);
    /// What node i receives of the tangent t of its operand k.
    node_index (*push)(builder&, node_index i, int k, node_index t);
    /// Node x, if it is a view of what is computed element by element, as what is computed where the view shows it.
    node_index (*inwards)(builder&, node_index x);
    bool for_arrays = true;
};
constexpr node_index store_unchanged(builder& b, const node& n);
constexpr node_index stay_as_view(builder&, node_index x) {
    return x;
}
/// Those of a builder of numbers.
inline constexpr array_rules no_array_rules{&store_unchanged, nullptr, nullptr, &stay_as_view, false};

/// The rules that are there for who may work with arrays: `rules_at_hand(static_cast<const builder_in<T>*>(nullptr))` in a template over T finds
/// those of array/rewrite.hpp, which fit better, where it is included.
constexpr const array_rules* rules_at_hand(const void*) {
    return &no_array_rules;
}
template <class>
struct builder_where {
    using type = builder;
};
template <class T>
using builder_in = typename builder_where<T>::type;

struct region_rules;
/// Rules for regions, or none: said beside the pointer, whose comparison with null is no constant expression to g++ under
/// -fsanitize=null.
class region_rules_pointer {
public:
    constexpr region_rules_pointer() = default;
    constexpr explicit(false) region_rules_pointer(const region_rules& rules) : at_(&rules), there_(true) {}
    constexpr const region_rules* operator->() const { return at_; }
    constexpr explicit operator bool() const { return there_; }

private:
    const region_rules* at_ = nullptr;
    bool there_ = false;
};

class builder {
public:
    /// What replaces a node that is about to be stored: the index of an equal value.
    using rewriter = node_index (*)(builder&, const node&);

    /// The nodes so far, to read without a call: `b.nodes.at[i]`.
    list<node> nodes;
    /// A hash of the value that each node computes, by its formula alone: the same in every graph.
    list<std::uint64_t> hashes;

    /// `expected` nodes need no second allocation.
    constexpr explicit builder(rewriter rewrite = &store_unchanged, std::size_t expected = 0) : rewrite_(rewrite) {
        while (capacity_ <= expected + expected / 4) capacity_ *= 2;
        slots_ = list<node_index>(2 * capacity_);
        nodes.reserve(capacity_);
        hashes.reserve(capacity_);
    }

    [[nodiscard]] constexpr std::size_t size() const { return nodes.size(); }
    [[nodiscard]] constexpr const node& operator[](node_index i) const { return nodes.at[i]; }
    [[nodiscard]] constexpr bool is_constant(node_index i) const {
        return nodes.at[i].op == opcode::constant;
    }

    /// An operation on nodes of this graph; its type follows from the operands', and weak constants among
    /// them take it on. A number that stands for a condition is one unless it is 0, a condition that stands for a number 1 or 0.
    constexpr node_index emit(node n) {
        const std::size_t op = static_cast<std::size_t>(n.op);
        if (arities.arithmetic[op]) { // the short way, for most
            const node &x = nodes.at[n.operand[0]], &y = nodes.at[n.operand[arities.of[op] - 1]];
            if (x.type == y.type && x.type > element::integer && (x.rank | y.rank) == 0) {
                n.type = x.type;
                return rewrite_(*this, n);
            }
        }
        if (is_region_operation(n.op) || n.op == opcode::result) return add(n); // whose type and shape were given to it
        const int first = n.op == opcode::where ? 1 : 0, arity = arities.of[op], conditions = conditions_of(n.op);
        for (int k = 0; k < arity && !is_array_operation(n.op) && !is_faulty(); ++k) {
            if ((nodes.at[n.operand[k]].type == element::boolean) != (k < conditions)) n.operand[k] = converted(n.operand[k]);
        }
        n.type = nodes.at[n.operand[first]].type;
        unsigned ranks = nodes.at[n.operand[0]].rank;
        for (int k = first + 1; k < arity; ++k) {
            if (nodes.at[n.operand[k]].type != n.type) unify(n, first, arity);
        }
        for (int k = 1; k < arity; ++k) ranks |= nodes.at[n.operand[k]].rank;
        if (ranks != 0 || is_array_operation(n.op)) return emit_array(n);
        if (n.type == element::integer || operation_table[op].condition)
            n.type = operation_table[op].condition ? element::boolean : element::float64;
        return rewrite_(*this, n);
    }
    constexpr node_index emit(opcode op, node_index x, node_index y = 0, node_index z = 0) {
        return emit(node{.op = op, .operand = {x, y, z}});
    }

    /// The rules for arrays; whoever makes an array input sets them.
    const array_rules* arrays = &no_array_rules;
    /// How loops, branches and rules are differentiated (pass/region_rules.hpp); whoever makes one sets it.
    region_rules_pointer regions;
    /// What is traced runs where loops cannot keep their rounds, in a device's kernels: derivatives go forward through them.
    bool keeps_nothing = false;
    /// What is traced is never differentiated, as what a function with a rule computes: rules in it are left out.
    bool values_only = false;
    /// The loops that are recorded: an index, and how many rounds it counts.
    list<node_index> loop_indices, loop_rounds;
    /// Where the first fault of an array operation goes (array/fault.hpp names them; 0: none), for who wants to know: the
    /// graph is worth nothing then. Otherwise a fault throws.
    unsigned* fault = nullptr;
    static constexpr unsigned rank_fault = 1, number_fault = 2, rows_fault = 3, rule_fault = 4, leaf_fault = 5, round_fault = 6;
    [[nodiscard]] constexpr bool is_faulty() const { return fault != nullptr && *fault != 0; }

    /// Stores a node as it is, unless an equal one is there.
    constexpr node_index add(const node& n) {
        constexpr std::uint64_t spread = 0x9e3779b97f4a7c15U;
        std::uint64_t h = (n.bits ^ static_cast<std::uint64_t>(n.op) << 56 ^
                           static_cast<std::uint64_t>(n.type) << 48 ^ n.rank ^ std::uint64_t{n.ones} << 8) *
                          spread;
        h ^= h >> 29;
        if (n.op == opcode::constant) h ^= n.operand[0];
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            h = (h ^ hashes.at[n.operand[k]]) * spread;
            h ^= h >> 32;
        }
        const std::size_t mask = slots_.count - 1;
        std::size_t slot = (h ^ h >> 17) & mask;
        for (; slots_.at[slot] != 0; slot = (slot + 1) & mask) {
            const node_index known = slots_.at[slot] - 1;
            if (hashes.at[known] == h && nodes.at[known] == n) return known;
        }
        slots_.at[slot] = static_cast<node_index>(nodes.count + 1);
        nodes.at[nodes.count++] = n;
        hashes.at[hashes.count++] = h;
        if (nodes.count == capacity_) grow();
        return static_cast<node_index>(nodes.count - 1);
    }

    constexpr node_index constant(exact value, element type = element::weak) {
        // A float's constant is a float: folding then rounds as the program would.
        if (type == element::float32) value = exact(static_cast<float>(value.high));
        if (type == element::float64) value.low = 0;
        return add(constant_node(value, type));
    }
    constexpr node_index input(std::uint32_t number, element type, array_shape shape = {}) {
        if (number >= input_count_) input_count_ = number + 1;
        return add(input_node(number, type, static_cast<int>(shape.rank), shape.ones));
    }
    /// Node x with the shape that it has together with node y.
    constexpr node_index broadcast_to(node_index x, node_index y) {
        const array_shape have = shape_of(nodes.at[x]);
        return have == broadcast(have, shape_of(nodes.at[y])) ? x : emit(opcode::broadcast_like, x, y);
    }
    /// A tangent of node x as one of node i, which has more axes: axes of the tangent's own (one for each of many
    /// directions) stay in front of all of i's.
    constexpr node_index make_room(node_index tangent, node_index x, node_index i) {
        return widen(tangent, nodes.at[x].rank, nodes.at[i].rank);
    }
    /// The same from a number of axes to another.
    constexpr node_index widen(node_index tangent, unsigned rank, unsigned whole) {
        if (nodes.at[tangent].rank <= rank || whole <= rank) return tangent;
        return emit({.op = opcode::expand, .operand = {tangent, 0, 0}, .bits = low_bits(whole) & ~low_bits(rank)});
    }
    /// What a view of a node became when it was moved towards the arguments (array/rewrite.hpp), plus 1; by view.
    list<node_index> moved_views;

    /// A condition as the number that it stands for, 1 or 0; a number as it is.
    constexpr node_index as_number(node_index x) {
        return nodes.at[x].type == element::boolean ? emit(opcode::where, x, constant(exact(1), element::float64), constant(exact(0), element::float64)) : x;
    }

    /// The same in the type of what it meets.
    constexpr node_index as_weak_number(node_index x) {
        return nodes.at[x].type == element::boolean ? emit(opcode::where, x, constant(exact(1)), constant(exact(0))) : x;
    }

    /// A stand-in that no other node equals.
    constexpr node_index parameter(element type, array_shape shape = {}) {
        node n{.op = opcode::parameter, .type = type, .bits = parameter_count_++};
        set_shape(n, shape);
        return add(n);
    }

    /// Adds all nodes of a graph, its inputs being `arguments`; returns the places of its outputs. `canonical`
    /// says that the graph's nodes come from a builder with the same rewriter and need no second look.
    constexpr list<node_index> append(graph_view g, const list<node_index>& arguments,
                                      bool canonical = false) {
        list<node_index> place(g.size);
        list<std::uint32_t> numbers; // of the graph's parameters here, plus 1
        for (std::size_t i = 0; i < g.size; ++i) {
            node n = g.nodes[i];
            if (n.op == opcode::input) {
                place.at[i] = arguments.at[n.bits];
                continue;
            }
            if (n.op == opcode::parameter || is_region_operation(n.op)) renumber(n, numbers);
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;)
                n.operand[k] = place.at[n.operand[k]];
            place.at[i] = canonical || n.op <= opcode::parameter ? add(n) : emit(n);
        }
        list<node_index> outputs(g.output_count);
        for (std::size_t i = 0; i < g.output_count; ++i) outputs.at[i] = place.at[g.outputs[i]];
        return outputs;
    }

    /// The same with inputs of this graph's own: input k of `g` becomes input k here.
    constexpr list<node_index> append(graph_view g, bool canonical = false) {
        list<node_index> arguments(g.input_count, no_node);
        for (std::size_t i = 0; i < g.size; ++i) {
            if (g.nodes[i].op == opcode::input)
                arguments.at[g.nodes[i].bits] = add(g.nodes[i]);
        }
        if (g.input_count > input_count_) input_count_ = g.input_count;
        return append(g, arguments, canonical);
    }

    /// Turned operands as what is computed where they are turned to.
    constexpr void turn_inwards(node& n) {
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            if (is_turn(nodes.at[n.operand[k]].op)) n.operand[k] = arrays->inwards(*this, n.operand[k]);
        }
    }
    /// Results as what is computed where they lie, rather than somewhere else to be copied.
    [[nodiscard]] constexpr list<node_index> inwards(list<node_index> results) {
        for (node_index& x : results) x = arrays->inwards(*this, x);
        return results;
    }

    /// The graph of the given outputs, with everything they do not need left out.
    [[nodiscard]] constexpr graph finish(const list<node_index>& outputs) const& { return finished(outputs, nullptr); }
    /// The same of a builder that is not needed any more, whose nodes are not copied where all of them are needed.
    [[nodiscard]] constexpr graph finish(const list<node_index>& outputs) && { return finished(outputs, &nodes); }

    /// The copy of a graph whose node i has become `place[i]` here: its outputs, and as many inputs.
    [[nodiscard]] constexpr graph finish_copy(graph_view g, const list<node_index>& place) const& { return finished_copy(g, place, nullptr); }
    [[nodiscard]] constexpr graph finish_copy(graph_view g, const list<node_index>& place) && { return finished_copy(g, place, &nodes); }

private:
    /// The graph of outputs; of the nodes themselves, if they may be taken and all are needed.
    constexpr graph finished(const list<node_index>& outputs, list<node>* own) const {
        list<bool> needed(nodes.size());
        for (const node_index i : outputs) needed.at[i] = true;
        std::size_t count = 0;
        for (std::size_t i = nodes.size(); i-- > 0;) {
            if (!needed.at[i]) continue;
            ++count;
            for (int k = arities.of[static_cast<std::size_t>(nodes.at[i].op)]; k-- > 0;)
                needed.at[nodes.at[i].operand[k]] = true;
        }
        graph result;
        result.input_count = input_count_;
        if (own != nullptr && count == nodes.size()) {
            result.nodes = static_cast<list<node>&&>(*own);
            result.outputs = outputs;
            return result;
        }
        result.nodes = list<node>(count);
        list<node_index> place(nodes.size());
        node_index next = 0;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (!needed.at[i]) continue;
            node& moved = result.nodes.at[next];
            moved = nodes.at[i];
            for (int k = arities.of[static_cast<std::size_t>(moved.op)]; k-- > 0;)
                moved.operand[k] = place.at[moved.operand[k]];
            place.at[i] = next++;
        }
        for (const node_index i : outputs) result.outputs.push_back(place.at[i]);
        return result;
    }
    constexpr graph finished_copy(graph_view g, const list<node_index>& place, list<node>* own) const {
        list<node_index> outputs(g.output_count);
        for (std::size_t k = 0; k < g.output_count; ++k) outputs.at[k] = place.at[g.outputs[k]];
        graph result = finished(outputs, own);
        result.input_count = g.input_count;
        return result;
    }
    /// Gives the parameter that a node is or binds a number that is new in this builder.
    constexpr void renumber(node& n, list<std::uint32_t>& numbers) {
        const bool loop = n.op >= opcode::loop && n.op <= opcode::sweep;
        const bool link = n.op == opcode::carry || n.op == opcode::replay || n.op == opcode::bind;
        if (!loop && !link && n.op != opcode::parameter) return;
        const std::uint64_t old = loop ? (n.bits & 0xffffffff) >> 1 : n.bits; // (graph/region.hpp)
        while (numbers.size() <= old) numbers.push_back(0);
        if (numbers[old] == 0) numbers[old] = ++parameter_count_;
        const std::uint64_t fresh = numbers[old] - 1;
        n.bits = loop ? fresh << 1 | (n.bits & ~std::uint64_t{0xfffffffe}) : fresh;
    }
    /// The same for arrays: the shape follows from the operands'. A rewrite that loses an axis gets it back.
    constexpr node_index emit_array(node n) {
        const array_shape shape = shape_with(n, nodes.data());
        if (shape.rank > max_rank) {
            if (fault == nullptr) throw shape_error("[dyad] array: a result has more than 8 axes");
            if (*fault == 0) *fault = rank_fault;
        }
        if (is_faulty()) return n.operand[0];
        set_shape(n, shape);
        if (is_array_operation(n.op)) {
            const bool computes = n.op < opcode::broadcast_like || n.op >= opcode::recurrence; // others move elements
            if (n.type == element::boolean && computes) n.type = element::weak;
            if (n.type == element::integer && computes) n.type = element::float64;
            return arrays->rewrite(*this, n);
        }
        if (n.type == element::integer || operation_table[static_cast<std::size_t>(n.op)].condition)
            n.type = operation_table[static_cast<std::size_t>(n.op)].condition ? element::boolean : element::float64;
        turn_inwards(n);
        node_index result = rewrite_(*this, n);
        for (int k = 0; k < n.arity() && shape_of(nodes.at[result]) != shape; ++k)
            result = broadcast_to(result, n.operand[k]);
        return result;
    }
    /// A number as a condition, a condition as a number.
    constexpr node_index converted(node_index x) {
        if (nodes.at[x].type == element::boolean) return as_weak_number(x);
        return emit(opcode::logical_not, emit(opcode::equal, x, constant(exact(0))));
    }
    /// Gives the operation the widest type of its operands, and its constants that type; conditions among numbers become some.
    constexpr void unify(node& n, int first, int arity) {
        if (n.op == opcode::fill_like) return; // (whose other operands lend their sizes alone)
        for (int k = first; k < arity && is_array_operation(n.op); ++k) {
            if (n.type == element::boolean && k > first && is_of_shape(n.op)) return;
            if (nodes.at[n.operand[k]].type == element::boolean && !is_of_shape(n.op)) n.operand[k] = converted(n.operand[k]);
        }
        bool real = false;
        for (int k = first; k < arity; ++k) {
            const element type = nodes.at[n.operand[k]].type;
            n.type = promote(n.type, type);
            real = real || type >= element::float32;
        }
        for (int k = first; k < arity && real; ++k) { // (beside whole numbers alone it may yet become a long double)
            const node x = nodes.at[n.operand[k]]; // a copy: constants append nodes
            if (x.op == opcode::constant && x.type != n.type && x.type != element::boolean)
                n.operand[k] = constant(constant_value(x), n.type);
        }
    }
    constexpr void grow() {
        capacity_ *= 4;
        nodes.reserve(capacity_);
        hashes.reserve(capacity_);
        slots_ = list<node_index>(2 * capacity_);
        const std::size_t mask = slots_.count - 1;
        for (std::size_t i = 0; i < nodes.count; ++i) {
            std::size_t slot = (hashes.at[i] ^ hashes.at[i] >> 17) & mask;
            while (slots_.at[slot] != 0) slot = (slot + 1) & mask;
            slots_.at[slot] = static_cast<node_index>(i + 1);
        }
    }

    list<node_index> slots_; ///< index + 1, or 0 for a free slot
    std::size_t capacity_ = 256;
    rewriter rewrite_;
    std::uint32_t input_count_ = 0;
    std::uint32_t parameter_count_ = 0;
};

constexpr node_index store_unchanged(builder& b, const node& n) {
    return b.add(n);
}

} // namespace dyad

// ---- dyad/graph/fold.hpp
// The value of an operation on constants, in the precision of its type. Left to run time where constant
// evaluation may not go: operands that are not finite, poles, and domains that end in NaN.

namespace dyad {

/// A folded constant, or nothing.
struct folded {
    bool known = false;
    exact value;
};

constexpr bool is_finite(double x) {
    return x <= std::numeric_limits<double>::max() && x >= -std::numeric_limits<double>::max();
}
constexpr bool is_finite(const exact& x) {
    return is_finite(x.high);
}

/// Far from overflow and underflow, or zero.
constexpr bool is_middling(double x, bool narrow = false) {
    const double size = x < 0 ? -x : x, most = narrow ? 1e18 : 1e150;
    return size == 0 || (size > 1 / most && size < most);
}

/// Operations that are left to run time whatever their operands.
constexpr bool never_folds(opcode op) {
    switch (op) {
    case opcode::tgamma:
    case opcode::lgamma:
    case opcode::digamma:
    case opcode::polygamma:
    case opcode::sinc:
    case opcode::pow_dx:
    case opcode::pow_log:
    case opcode::xlogy:
    case opcode::logaddexp:
    case opcode::inverse_real:
    case opcode::sincos:
    case opcode::erf_gaussian: return true;
    default: return false;
    }
}

/// Whether the operation is defined, finite and exact but for rounding at these finite operands: a product that
/// overflows is no constant expression, and one that vanishes would lose what follows.
constexpr bool folds_at(opcode op, double x, double y) {
    switch (op) {
    case opcode::add:
    case opcode::sub: return x < 8e307 && x > -8e307 && y < 8e307 && y > -8e307;
    case opcode::mul:
    case opcode::fma: return is_middling(x) && is_middling(y);
    case opcode::div: return y != 0 && is_middling(x) && is_middling(y);
    case opcode::hypot: return is_middling(x) && is_middling(y);
    case opcode::fmod: return y != 0;
    case opcode::sqrt: return x >= 0;
    case opcode::log:
    case opcode::log2:
    case opcode::log10: return x > 0;
    case opcode::log1p: return x > -1;
    case opcode::asin:
    case opcode::acos:
    case opcode::unit_circle: return x >= -1 && x <= 1;
    case opcode::atanh: return x > -1 && x < 1;
    case opcode::acosh:
    case opcode::unit_hyperbola: return x >= 1;
    case opcode::pow: return x > 0 && y < 64 && y > -64 && x < 1e4 && x > 1e-4;
    case opcode::exp:
    case opcode::exp2:
    case opcode::expm1:
    case opcode::sinh:
    case opcode::cosh:
    case opcode::softplus:
    case opcode::sigmoid: return x < 700 && x > -700;
    case opcode::gaussian: return x < 20 && x > -20 && is_middling(x);
    case opcode::ipow: return x != 0 && x < 1e4 && x > -1e4;
    default: return !never_folds(op);
    }
}

/// Arithmetic in double or long double. (In double for float too: rounded once more, a sum, product, quotient or root is the
/// float that float arithmetic gives.)
template <class T>
constexpr folded fold_arithmetic(opcode op, int attribute, const exact* x) {
    const T a = x[0].as<T>();
    const auto one = [](T r) {
        if constexpr (std::is_same_v<T, long double>) {
            if (!has_size_of_double(r)) return folded{};
        }
        return folded{true, exact(r)};
    };
    switch (op) {
    case opcode::neg: return one(-a);
    case opcode::add: return one(a + x[1].as<T>());
    case opcode::sub: return one(a - x[1].as<T>());
    case opcode::mul: return one(a * x[1].as<T>());
    case opcode::div: return one(a / x[1].as<T>());
    case opcode::ipow: return one(operation<opcode::ipow>::value(attribute, a));
    default: return {};
    }
}

/// The other operations that fold, in double. (A switch: a table would be a function of its own for each, for every program to
/// compile. And no kernel's functions where <cmath>'s will do.)
constexpr double function_in_double(opcode op, const exact* operands) {
    const double x = operands[0].high;
    switch (op) {
#define DYAD_FOLD(name)                                                                              \
    case opcode::name: return math::in_constants::name(x);
        DYAD_CMATH_FUNCTIONS(DYAD_FOLD)
        DYAD_CMATH_ROUNDINGS(DYAD_FOLD)
#undef DYAD_FOLD
#define DYAD_FOLD(name)                                                                              \
    case opcode::name: return operation<opcode::name>::value(x);
        DYAD_FOLD(abs)
        DYAD_FOLD(sign)
        DYAD_FOLD(sigmoid)
        DYAD_FOLD(softplus)
        DYAD_FOLD(relu)
        DYAD_FOLD(stop_gradient)
        DYAD_FOLD(unit_circle)
        DYAD_FOLD(unit_hyperbola)
        DYAD_FOLD(gaussian)
#undef DYAD_FOLD
    case opcode::logical_not: return x == 0;
    default: break;
    }
    const double y = operands[1].high;
    switch (op) {
#define DYAD_FOLD(name)                                                                              \
    case opcode::name: return math::in_constants::name(x, y);
        DYAD_CMATH_BINARY_FUNCTIONS(DYAD_FOLD)
        DYAD_CMATH_EXTREMA(DYAD_FOLD)
#undef DYAD_FOLD
#define DYAD_FOLD(name)                                                                              \
    case opcode::name: return operation<opcode::name>::value(x, y);
        DYAD_FOLD(min)
        DYAD_FOLD(max)
        DYAD_FOLD(direction)
#undef DYAD_FOLD
    case opcode::less: return x < y;
    case opcode::less_equal: return x <= y;
    case opcode::equal: return x == y;
    case opcode::logical_and: return x != 0 && y != 0;
    case opcode::logical_or: return x != 0 || y != 0;
    case opcode::fma: return math::in_constants::fma(x, y, operands[2].high);
    case opcode::clamp: return operation<opcode::clamp>::value(x, y, operands[2].high);
    case opcode::where: return x != 0 ? y : operands[2].high;
    default: return 0; // (none that folds)
    }
}

/// `op` of the constants `x`, computed in `type`.
constexpr folded fold(opcode op, int attribute, const exact* x, element type) {
    const int arity = facts(op).arity;
    for (int k = 0; k < arity; ++k) {
        if (!is_finite(x[k])) return {};
    }
    if (!folds_at(op, x[0].high, arity > 1 ? x[1].high : 0)) return {};
    const bool multiplies = is(op, opcode::mul) || is(op, opcode::div) || is(op, opcode::fma);
    if (is(type, element::float32) && multiplies && !(is_middling(x[0].high, true) && is_middling(x[1].high, true))) return {};
    if (is(op, opcode::ipow) && (attribute > 64 || attribute < -64)) return {};
    const bool wide = is(type, element::float80) || x[0].low != 0 || (arity > 1 && x[1].low != 0); // whose functions are left to run time
    folded result = wide ? fold_arithmetic<long double>(op, attribute, x) : fold_arithmetic<double>(op, attribute, x);
    if (!result.known && !wide) result = {true, exact(function_in_double(op, x))};
    result.known = result.known && is_finite(result.value);
    if (is(type, element::float32) && result.known) {
        constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
        const double value = result.value.high; // a conversion that overflows is no constant expression
        result.known = value <= most && value >= -most;
        if (result.known) result.value = exact(static_cast<float>(value));
    }
    return result;
}

/// The literal r, if it is finite.
constexpr folded finite(double r) {
    return {is_finite(r), exact(r)};
}

/// `op` of literals, which no program can leave to run time: all that is finite, also where `fold` leaves the last bits, or what
/// follows, to run time.
constexpr folded fold_literals(opcode op, int attribute, const exact* literals) {
    if (const folded result = fold(op, attribute, literals, element::weak); result.known) return result;
    const double x = literals[0].high, y = facts(op).arity > 1 ? literals[1].high : 0;
    if (!is_finite(x) || !is_finite(y)) return {};
    constexpr auto most = static_cast<long double>(std::numeric_limits<double>::max());
    const auto fits = [](long double r) { return r <= most && r >= -most; };
    const auto a = static_cast<long double>(x), b = static_cast<long double>(y);
    switch (op) {
    case opcode::add: return fits(a + b) ? finite(x + y) : folded{};
    case opcode::sub: return fits(a - b) ? finite(x - y) : folded{};
    case opcode::mul: return fits(a * b) ? finite(x * y) : folded{};
    case opcode::div: return y != 0 && fits(a / b) ? finite(x / y) : folded{};
    case opcode::ipow: return finite(constant::pow(x, static_cast<double>(attribute)));
    case opcode::pow: return finite(constant::pow(x, y));
    case opcode::hypot: return finite(constant::hypot(x, y));
    case opcode::exp: return finite(constant::exp(x));
    case opcode::exp2: return finite(constant::exp2(x));
    case opcode::expm1: return finite(constant::expm1(x));
    default: return {};
    }
}

/// The same for an operation that no pass folds: a template, for programs that have it.
template <opcode Op>
constexpr folded fold_special_literals(int attribute, const exact* literals) {
    const double x = literals[0].high, y = facts(Op).arity > 1 ? literals[1].high : 0;
    if (!is_finite(x) || !is_finite(y)) return {};
    if constexpr (is(Op, opcode::tgamma)) return finite(constant::tgamma(x));
    if constexpr (is(Op, opcode::lgamma)) return finite(constant::lgamma(x));
    if constexpr (is(Op, opcode::digamma)) return finite(operation<Op>::value(x));
    if constexpr (is(Op, opcode::polygamma) || is(Op, opcode::sinc)) return finite(operation<Op>::value(attribute, x));
    if constexpr (is(Op, opcode::xlogy) || is(Op, opcode::logaddexp)) return finite(operation<Op>::value(x, y));
    return {};
}

} // namespace dyad

namespace dyad {

/// A namespace for functions on traced values whose names are taken in dyad, found by argument-dependent look-up.
namespace traced_functions {
struct home {};
} // namespace traced_functions

class tracer : public traced_functions::home, public operators::home<> {
public:
    using dyad_symbolic = tracer;

    constexpr tracer() = default;
    constexpr tracer(builder& home, node_index at) : home_(&home), at_(at) {}
    template <number T>
    constexpr explicit(false) tracer(T value) : literal_(value) {}
    constexpr explicit tracer(bool value) : literal_(value ? 1 : 0), type_(element::boolean) {}
    /// What an operation on literals gives.
    constexpr explicit tracer(const folded& result, element type = element::weak) : literal_(result.value), type_(type) {
        if (!result.known) throw value_error("[dyad] constant: an operation on numbers alone is not finite");
    }

    /// The builder that this value belongs to; null for a literal.
    [[nodiscard]] constexpr builder* home() const { return home_; }
    [[nodiscard]] constexpr const exact& literal() const { return literal_; }
    [[nodiscard]] constexpr bool is_literal(double value) const {
        return home_ == nullptr && literal_ == value;
    }
    /// Its node in `b`; a literal becomes a constant there.
    [[nodiscard]] constexpr node_index in(builder& b) const {
        return home_ != nullptr ? at_ : b.constant(literal_, type_);
    }

    /// The number that it is, without a builder.
    [[nodiscard]] constexpr tracer as_literal() const {
        if (home_ == nullptr) return *this;
        if (!home_->is_constant(at_)) throw value_error("[dyad] constant: an operation on numbers alone is not finite");
        tracer result;
        result.literal_ = constant_value((*home_)[at_]);
        return result;
    }

    // clang-format off
    constexpr explicit operator bool() const DYAD_REJECT("[dyad] branch: a traced value has no value yet, so it cannot steer if, while, for or ?: ; use dyad::where, dyad::cond or dyad::fori_loop, or record with a dyad::tape", { return false; })
    // clang-format on

    constexpr tracer(const tracer&) = default;
    constexpr tracer& operator=(const tracer&) & = default;
    // (Templates: what they use comes later.)
    template <class One = int>
    constexpr tracer& operator++() & {
        return *this = *this + One(1);
    }
    template <class One = int>
    constexpr tracer& operator--() & {
        return *this = *this - One(1);
    }
    template <class One = int>
    constexpr tracer operator++(int) & {
        const tracer before = *this;
        *this = *this + One(1);
        return before;
    }
    template <class One = int>
    constexpr tracer operator--(int) & {
        const tracer before = *this;
        *this = *this - One(1);
        return before;
    }
    template <operand B>
    constexpr tracer& operator+=(const B& other) & {
        return *this = *this + other;
    }
    template <operand B>
    constexpr tracer& operator-=(const B& other) & {
        return *this = *this - other;
    }
    template <operand B>
    constexpr tracer& operator*=(const B& other) & {
        return *this = *this * other;
    }
    template <operand B>
    constexpr tracer& operator/=(const B& other) & {
        return *this = *this / other;
    }
    // Of arrays (array/shapes.hpp):

    /// Element, row, plane ... i; negative i count from the end.
    constexpr tracer operator[](int i) const;
    /// The same at a traced position, as the index of a loop: take(x, i).
    constexpr tracer operator[](const tracer& i) const;
    /// At a whole position, as take(x, 2.0); a fraction is refused, not cut off.
    template <std::floating_point Position>
    constexpr tracer operator[](Position i) const;
    /// The element, or the part, at positions along the first axes: x(1, 2), x(i, 2).
    template <class... Item>
        requires(sizeof...(Item) > 0 && ((std::integral<Item> || (std::convertible_to<Item, tracer> && !number<Item>)) && ...))
    constexpr tracer operator()(Item... i) const;
    // clang-format off
    constexpr const tracer* begin() const DYAD_REJECT("[dyad] range: the elements of a traced array cannot be gone through, as their number is not known yet; use operations of whole arrays, scan or map, or fori_loop with x[i]", { return this; })
    // clang-format on
    [[nodiscard]] constexpr const tracer* end() const { return this; }
    // They are values, not places: what is assigned to one would be lost, and is refused.
#define DYAD_NO_PLACE(symbol)                                                                        \
    template <operand B>                                                                             \
    constexpr tracer& operator symbol(const B&) &&;
    DYAD_NO_PLACE(=)
    DYAD_NO_PLACE(+=)
    DYAD_NO_PLACE(-=)
    DYAD_NO_PLACE(*=)
    DYAD_NO_PLACE(/=)
#undef DYAD_NO_PLACE
    /// The number of elements, as a number.
    [[nodiscard]] constexpr tracer size() const;
    /// The size of an axis, as a number.
    [[nodiscard]] constexpr tracer shape(int axis) const;
    template <class T = tracer>
    [[nodiscard]] constexpr tracer shape() const {
        static_assert(never<T>, "[dyad] shape: of a traced array one axis at a time: x.shape(0)");
        return *this;
    }

private:
    builder* home_ = nullptr;
    node_index at_ = 0;
    exact literal_;
    element type_ = element::weak;

    friend constexpr tracer trace_operation(opcode op, int attribute, const tracer* x);
    friend constexpr tracer trace_operation(opcode op, const tracer& x, const tracer& y);
};

/// What a stream is given in place of a traced value. (A type, rather than an operator that is refused: clang would say so twice.)
struct refused_print {
    // clang-format off
    constexpr explicit(false) refused_print(const tracer&) DYAD_REJECT("[dyad] print: a traced value has no value yet; print what the function returns, or its graph: print(graph_of<double>(f))", {})
    // clang-format on
};
/// Takes what is printed besides: one mistake gives one message.
template <class Stream>
struct refused_stream {
    template <class X>
    constexpr refused_stream operator<<(const X&) const {
        return {};
    }
    constexpr refused_stream operator<<(Stream& (*)(Stream&)) const { return {}; }
};
/// (A template over the stream, for which no header is needed.)
template <class Stream>
    requires(std::is_class_v<Stream> && !symbolic<Stream>)
constexpr refused_stream<Stream> operator<<(Stream&, const refused_print&) {
    return {};
}

/// Records `op` in the builder of its operands; literals alone compute at once.
constexpr tracer trace_operation(opcode op, int attribute, const tracer* x) {
    const int arity = facts(op).arity;
    builder* home = nullptr;
    for (int k = 0; k < arity && home == nullptr; ++k) home = x[k].home_;
    if (home != nullptr) {
        node n{.op = op, .bits = static_cast<std::uint32_t>(attribute)};
        for (int k = 0; k < arity; ++k) n.operand[k] = x[k].in(*home);
        return {*home, home->emit(n)};
    }
    exact values[3];
    for (int k = 0; k < arity; ++k) values[k] = x[k].literal_;
    return tracer(fold_literals(op, attribute, values), facts(op).condition ? element::boolean : element::weak);
}

/// The same for two operands and no attribute: most operations, on the shortest way.
constexpr tracer trace_operation(opcode op, const tracer& x, const tracer& y) {
    builder* const home = x.home_ != nullptr ? x.home_ : y.home_;
    if (home != nullptr) {
        return {*home, home->emit(op, x.home_ != nullptr ? x.at_ : x.in(*home),
                                  y.home_ != nullptr ? y.at_ : y.in(*home))};
    }
    const tracer operands[] = {x, y};
    return trace_operation(op, 0, operands);
}

template <class T>
concept traced_value = std::same_as<T, tracer> || std::is_base_of_v<tracer, T>;
template <class T>
concept tracer_operand = traced_value<T> || std::is_arithmetic_v<T>;

template <opcode Op, tracer_operand... X>
    requires(traced_value<X> || ...)
constexpr tracer apply_symbolic(op_constant<Op>, int attribute, const X&... x) {
    if constexpr (never_folds(Op)) {
        const tracer operands[] = {tracer(x)...};
        for (const tracer& operand : operands) {
            if (operand.home() != nullptr) return trace_operation(Op, attribute, operands);
        }
        const exact values[] = {operands[0].literal(), operands[sizeof...(X) - 1].literal()};
        return tracer(fold_special_literals<Op>(attribute, values));
    } else if constexpr (sizeof...(X) == 2) {
        return trace_operation(Op, tracer(x)...);
    } else {
        const tracer operands[] = {tracer(x)...};
        return trace_operation(Op, attribute, operands);
    }
}

/// A whole exponent is exact for every sign of x. (One so large that sums of such would not fit is a number like others.)
template <std::integral N>
constexpr tracer pow(const tracer& x, N n) {
    constexpr int most = 1 << 24;
    if (std::cmp_less_equal(n, most) && std::cmp_less_equal(-most, n)) return ipow(x, static_cast<int>(n));
    return trace_operation(opcode::pow, x, tracer(static_cast<double>(n)));
}

} // namespace dyad

// ---- dyad/trace/structure.hpp
// Arguments and results as trees of numbers: arrays, tuples, pairs, and aggregates that are templates over
// their number type. Flattened, the leaves are the inputs and outputs of a graph; rebuilt over another leaf
// type, the same tree holds traced values, gradients or tangents.

#include <array>
#include <tuple>

// ---- dyad/base/unpack.hpp
// std::apply for what can be called by name: without the machinery for pointers to members and for noexcept, which costs a
// compiler a dozen templates a call, and a reader of its messages as many lines.

namespace dyad {

template <class F, class Tuple, std::size_t... Item>
constexpr decltype(auto) unpack(F&& f, Tuple&& t, std::index_sequence<Item...>) {
    return std::forward<F>(f)(std::get<Item>(std::forward<Tuple>(t))...);
}
/// f(get<0>(t), get<1>(t), ...)
template <class F, class Tuple>
constexpr decltype(auto) unpack(F&& f, Tuple&& t) {
    return unpack(std::forward<F>(f), std::forward<Tuple>(t), std::make_index_sequence<std::tuple_size_v<std::remove_reference_t<Tuple>>>{});
}

} // namespace dyad

// ---- dyad/trace/aggregate.hpp
// Aggregates taken apart: how many members one has, and these by reference. C++20 cannot ask for them, so it is tried out how many
// initialisers one takes.

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// Converts to anything but S and its bases: a member. (Never defined, never called, as the next three.)
template <class S>
struct any_member {
    template <class T>
        requires(!std::is_base_of_v<T, S>)
    operator T() const;
};
template <class S>
struct any_base {
    template <class T>
        requires(std::is_base_of_v<T, S> && !std::is_same_v<T, S>)
    operator T() const;
};
template <class S>
struct any_empty_base {
    template <class T>
        requires(std::is_base_of_v<T, S> && !std::is_same_v<T, S> && std::is_empty_v<T>)
    operator T() const;
};
/// A base as std::array, of which a binding makes elements, not members.
template <class S>
struct any_tuple_base {
    template <class T>
        requires(std::is_base_of_v<T, S> && !std::is_same_v<T, S> && requires { std::tuple_size<T>::value; })
    operator T() const;
};
/// An empty base, made.
template <std::size_t>
struct empty_base {
    template <class T>
        requires std::is_default_constructible_v<T>
    DYAD_FN constexpr operator T() const {
        return T{};
    }
};

/// So many members can be named.
inline constexpr std::size_t most_members = 16;

/// How many initialisers `Next` an S takes behind those `Before`; no more are counted than tell that they are too many.
template <class S, class Next, class... Before>
constexpr std::size_t count_after() {
    if constexpr (sizeof...(Before) > 2 * most_members) {
        return 0;
    } else if constexpr (requires { S{Before{}..., Next{}}; }) {
        return 1 + count_after<S, Next, Before..., Next>();
    } else {
        return 0;
    }
}
template <class S, class Next, class Before, std::size_t... B>
constexpr std::size_t count_behind(std::index_sequence<B...>) {
    return count_after<S, Next, decltype(static_cast<void>(B), Before{})...>();
}

/// The initialisers of an aggregate: empty bases, then members, all of one class; or those of its only base, whose braces are left out.
struct aggregate_form {
    bool comes_apart, inherited;
    std::size_t bases, members;
};
template <class S>
inline constexpr aggregate_form form_of = [] {
    constexpr std::size_t bases = count_after<S, any_base<S>>();
    if constexpr (bases == 0) {
        return aggregate_form{true, false, 0, count_after<S, any_member<S>>()};
    } else {
        constexpr std::size_t own = count_behind<S, any_member<S>, any_base<S>>(std::make_index_sequence<bases>{});
        if constexpr (own > 0) {
            return aggregate_form{count_after<S, any_empty_base<S>>() == bases, false, bases, own};
        } else {
            return aggregate_form{bases == 1 && count_after<S, any_tuple_base<S>>() == 0, true, 0, count_after<S, any_member<S>>()};
        }
    }
}();

/// Whether member K of N is an array, whose braces may be left out too, so that its elements count as members.
template <class S, std::size_t... B, std::size_t... K, std::size_t... Rest>
constexpr bool is_array_member(std::index_sequence<B...>, std::index_sequence<K...>, std::index_sequence<Rest...>) {
    using any = any_member<S>;
    if constexpr (requires { S{empty_base<B>{}..., (static_cast<void>(K), any{})..., {any{}, any{}}}; }) {
        return !requires { S{empty_base<B>{}..., (static_cast<void>(K), any{})..., {any{}, any{}}, (static_cast<void>(Rest), any{})...}; };
    } else {
        return false;
    }
}
template <class S, std::size_t K>
inline constexpr bool has_array_at =
    is_array_member<S>(std::make_index_sequence<form_of<S>.bases>{}, std::make_index_sequence<K>{}, std::make_index_sequence<form_of<S>.members - 1 - K>{});
/// Whether the members of an aggregate can be named one by one.
template <class S>
constexpr bool comes_apart() {
    return form_of<S>.comes_apart && []<std::size_t... K>(std::index_sequence<K...>) {
        return form_of<S>.inherited || !(has_array_at<S, K> || ...);
    }(std::make_index_sequence<form_of<S>.members>{});
}

template <class S>
constexpr bool has_few_members() {
    return form_of<S>.members <= most_members;
}

/// The members of an aggregate, by reference.
template <class S>
constexpr auto members(S& s) {
    constexpr std::size_t count = form_of<std::remove_const_t<S>>.members;
#define DYAD_MEMBERS(n, ...)                                                                         \
    if constexpr (count == n) {                                                                      \
        auto& [__VA_ARGS__] = s;                                                                     \
        return std::tie(__VA_ARGS__);                                                                \
    }
    DYAD_MEMBERS(1, a)
    DYAD_MEMBERS(2, a, b)
    DYAD_MEMBERS(3, a, b, c)
    DYAD_MEMBERS(4, a, b, c, d)
    DYAD_MEMBERS(5, a, b, c, d, e)
    DYAD_MEMBERS(6, a, b, c, d, e, f)
    DYAD_MEMBERS(7, a, b, c, d, e, f, g)
    DYAD_MEMBERS(8, a, b, c, d, e, f, g, h)
    DYAD_MEMBERS(9, a, b, c, d, e, f, g, h, i)
    DYAD_MEMBERS(10, a, b, c, d, e, f, g, h, i, j)
    DYAD_MEMBERS(11, a, b, c, d, e, f, g, h, i, j, k)
    DYAD_MEMBERS(12, a, b, c, d, e, f, g, h, i, j, k, l)
    DYAD_MEMBERS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
    DYAD_MEMBERS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
    DYAD_MEMBERS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
    DYAD_MEMBERS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
#undef DYAD_MEMBERS
}

} // namespace dyad
DYAD_BOTH_SIDES_END

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// What a graph's input or output stands for.
template <class T>
concept leaf_type = is_array<T> || std::same_as<T, bool> || operand<T>;

/// A tuple-like thing whose parts are those of s: s itself, or the members of an aggregate.
template <class S>
constexpr decltype(auto) parts_of(S& s) {
    if constexpr (requires { std::tuple_size<std::remove_const_t<S>>::value; }) {
        return (s);
    } else {
        return members(s);
    }
}

/// What a value is kept as where what it was made of is gone: itself; a container's lazy expression, which refers to that, as the
/// container (array/xtensor.hpp, api/tape_array_functions.hpp).
template <class X>
struct at_rest {
    using type = X;
};
template <class... X>
struct at_rest<std::tuple<X...>> {
    using type = std::tuple<typename at_rest<X>::type...>;
};
template <class X, class Y>
struct at_rest<std::pair<X, Y>> {
    using type = std::pair<typename at_rest<X>::type, typename at_rest<Y>::type>;
};
template <class X>
using at_rest_t = typename at_rest<std::remove_cvref_t<X>>::type;
template <class... X>
concept is_at_rest = (std::is_same_v<at_rest_t<X>, X> && ...);
/// x itself, or what it is kept as: `at_rest<X>::made(x)`, where that is no conversion.
template <class X>
DYAD_FN constexpr decltype(auto) rested(const X& x) {
    if constexpr (is_at_rest<X>) {
        return (x);
    } else if constexpr (requires { at_rest<X>::made(x); }) {
        return at_rest<X>::made(x);
    } else if constexpr (requires { std::tuple_size<X>::value; }) {
        return unpack([](const auto&... part) { return at_rest_t<X>(rested(part)...); }, x);
    } else {
        return at_rest_t<X>(x);
    }
}
/// What f returns, at rest: of what is that already nothing is moved.
template <class F, class... S>
DYAD_FN constexpr auto rested_call(const F& f, const S&... s) {
    if constexpr (is_at_rest<std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>>) {
        return f(s...);
    } else {
        return rested(f(s...));
    }
}

template <class... Tuples>
using concatenated = decltype(std::tuple_cat(std::declval<Tuples>()...));

/// Whether an aggregate has more members than can be named, none of them an array, whose elements would count.
template <class S>
constexpr bool is_large() {
    if constexpr (std::is_class_v<S> && std::is_aggregate_v<S>) {
        return !has_few_members<S>() && comes_apart<S>();
    } else {
        return false;
    }
}

/// How to walk a type: `leaves` are their types; `size` leaves; `visit(s, f)` calls f(leaf) in order; `build(f)` makes the same tree of
/// f.template operator()<Leaf>(), called in order.
template <class S>
struct structure {
    using leaves = std::tuple<S>;
    static constexpr std::size_t size = 1;
    template <class T, class F>
    static constexpr void visit(T&, F&&) {
        refuse();
    }
    template <class F>
    static constexpr auto build(F&&) {
        return refuse();
    }
    /// Says why S is not taken; only types that are not taken have it.
    static constexpr bool refuse() {
        constexpr bool recorded = is_recorded_array<S>;
        static_assert(!recorded, "[dyad] argument: a transform computes with arrays of plain numbers, and nothing would be recorded of this one's; "
                                 "tape.apply(dyad::grad(f), x) records what it computes");
        constexpr bool large = is_large<S>();
        static_assert(!large, "[dyad] argument: an aggregate needs one to sixteen members; nest smaller ones");
        static_assert(recorded || large, "[dyad] argument or result: its type is neither a number nor a std::array, std::tuple, std::pair or "
                                "aggregate template whose members are its parameters, nor (with dyad/array.hpp) an array of numbers; pass one of these");
        return false;
    }
};
template <class S>
concept refused_argument = requires { structure<S>::refuse(); };
template <class S>
constexpr bool taken() {
    if constexpr (refused_argument<S>) {
        return structure<S>::refuse();
    } else {
        return true;
    }
}

template <leaf_type S>
struct structure<S> {
    using leaves = std::tuple<S>;
    static constexpr std::size_t size = 1;
    template <class T, class F>
    DYAD_FN DYAD_INLINE static constexpr void visit(T& leaf, F&& f) {
        f(leaf);
    }
    template <class F>
    DYAD_FN DYAD_INLINE static constexpr auto build(F&& f) {
        return f.template operator()<S>();
    }
};

/// What std::tie and std::forward_as_tuple hold; the same tree has values.
template <class S>
struct structure<S&> : structure<std::remove_const_t<S>> {};
template <class S>
struct structure<S&&> : structure<std::remove_const_t<S>> {};

template <class S, std::size_t N>
struct structure<std::array<S, N>> {
    using leaves = typename structure<S>::leaves;
    static constexpr std::size_t size = N * structure<S>::size;
    template <class T, class F>
    DYAD_FN DYAD_INLINE static constexpr void visit(T& s, F&& f) {
        DYAD_UNROLL_SMALL
        for (auto& part : s) structure<S>::visit(part, f);
    }
    template <class F>
    DYAD_FN DYAD_INLINE static constexpr auto build(F&& f) {
        return [&]<std::size_t... Item>(std::index_sequence<Item...>) {
            using leaf = decltype(structure<S>::build(f));
            return std::array<leaf, N>{(static_cast<void>(Item), structure<S>::build(f))...};
        }(std::make_index_sequence<N>{});
    }
};

template <class... S>
struct structure<std::tuple<S...>> {
    using leaves = concatenated<typename structure<S>::leaves...>;
    static constexpr std::size_t size = (std::size_t{0} + ... + structure<S>::size);
    template <class T, class F>
    DYAD_FN DYAD_INLINE static constexpr void visit(T& s, F&& f) {
        unpack([&](auto&... part) { (structure<S>::visit(part, f), ...); }, s);
    }
    // (Not marked for devices: the constructors of tuples and pairs are not, of which nvcc warns without saying where.)
    template <class F>
    DYAD_INLINE static constexpr auto build(F&& f) {
        return std::tuple<decltype(structure<S>::build(f))...>{structure<S>::build(f)...};
    }
};

template <class A, class B>
struct structure<std::pair<A, B>> {
    using leaves = concatenated<typename structure<A>::leaves, typename structure<B>::leaves>;
    static constexpr std::size_t size = structure<A>::size + structure<B>::size;
    template <class T, class F>
    DYAD_FN DYAD_INLINE static constexpr void visit(T& s, F&& f) {
        structure<A>::visit(s.first, f);
        structure<B>::visit(s.second, f);
    }
    template <class F>
    DYAD_INLINE static constexpr auto build(F&& f) {
        using result = std::pair<decltype(structure<A>::build(f)), decltype(structure<B>::build(f))>;
        return result{structure<A>::build(f), structure<B>::build(f)};
    }
};

/// S with every leaf as `F` makes it.
template <class S, class F>
using built = decltype(structure<S>::build(std::declval<F&>()));

/// An aggregate template over types of leaves, or trees of them; `Rebind<F>::type` is the same over what F makes of these.
template <class S, template <class> class Rebind>
struct aggregate_structure {
    using member_types = decltype(members(std::declval<S&>()));
    template <std::size_t Item>
    using member = structure<std::remove_cvref_t<std::tuple_element_t<Item, member_types>>>;
    static constexpr auto indices = std::make_index_sequence<std::tuple_size_v<member_types>>{};
    static constexpr auto bases = std::make_index_sequence<form_of<S>.bases>{};

    template <std::size_t... Item>
    static auto leaves_of(std::index_sequence<Item...>) -> concatenated<typename member<Item>::leaves...>;
    using leaves = decltype(leaves_of(indices));
    static constexpr std::size_t size = []<std::size_t... Item>(std::index_sequence<Item...>) {
        return (std::size_t{0} + ... + member<Item>::size);
    }(indices);
    template <class A, class F>
    DYAD_FN DYAD_INLINE static constexpr void visit(A& s, F&& f) {
        [&]<std::size_t... Item>(std::index_sequence<Item...>) {
            auto parts = members(s);
            (member<Item>::visit(std::get<Item>(parts), f), ...);
        }(indices);
    }
    template <class F>
    DYAD_FN DYAD_INLINE static constexpr auto build(F&& f) {
        return [&]<std::size_t... B, std::size_t... Item>(std::index_sequence<B...>, std::index_sequence<Item...>) {
            return typename Rebind<F>::type{empty_base<B>{}..., member<Item>::build(f)...};
        }(bases, indices);
    }
};

/// Whether an aggregate can be made anew over other leaves: a member of a type of its own, not a parameter's, cannot hold them.
struct other_leaf {};
struct other_leaf_maker {
    template <class Leaf>
    other_leaf operator()();
};
template <class S, template <class> class Rebind>
constexpr bool is_rebuilt() {
    using aggregate = aggregate_structure<S, Rebind>;
    return []<std::size_t... B, std::size_t... Item>(std::index_sequence<B...>, std::index_sequence<Item...>) {
        return requires(other_leaf_maker f) { static_cast<void>(typename Rebind<other_leaf_maker>::type{empty_base<B>{}..., aggregate::template member<Item>::build(f)...}); };
    }(aggregate::bases, aggregate::indices);
}

template <template <class...> class S, class... T>
struct rebind_types {
    template <class F>
    struct with {
        using type = S<built<T, F>...>;
    };
};
template <template <class...> class S, class... T>
    requires(std::is_aggregate_v<S<T...>> && !std::is_empty_v<S<T...>> && !is_array<S<T...>> && has_few_members<S<T...>>() && comes_apart<S<T...>>() && is_rebuilt<S<T...>, rebind_types<S, T...>::template with>())
struct structure<S<T...>> : aggregate_structure<S<T...>, rebind_types<S, T...>::template with> {};

/// An aggregate over one type, and sizes or other constants of any type.
template <template <class, auto...> class S, class T, auto... N>
struct rebind_sized {
    template <class F>
    struct with {
        using type = S<built<T, F>, N...>;
    };
};
template <class S>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;
template <template <class, auto...> class S, class T, auto... N>
    requires(sizeof...(N) > 0 && std::is_aggregate_v<S<T, N...>> && !std::is_empty_v<S<T, N...>> && !is_std_array<S<T, N...>> && !leaf_type<S<T, N...>> && has_few_members<S<T, N...>>() && comes_apart<S<T, N...>>() && is_rebuilt<S<T, N...>, rebind_sized<S, T, N...>::template with>())
struct structure<S<T, N...>> : aggregate_structure<S<T, N...>, rebind_sized<S, T, N...>::template with> {};

template <class List, std::size_t N>
struct repeated;
template <class... Leaf, std::size_t N>
struct repeated<std::tuple<Leaf...>, N> {
    template <std::size_t... Item>
    static auto times(std::index_sequence<Item...>) -> concatenated<std::conditional_t<Item == N, void, std::tuple<Leaf...>>...>;
    using type = decltype(times(std::make_index_sequence<N>{}));
};
/// The types of all leaves of a structure, in order. (`leaves` names those of an array once.)
template <class S>
struct every_leaf {
    template <class... Members>
    static auto of_members(std::tuple<Members...>) -> concatenated<typename every_leaf<std::remove_cvref_t<Members>>::type...>;
    using type = decltype(of_members(std::declval<decltype(members(std::declval<S&>()))>()));
};
template <leaf_type S>
struct every_leaf<S> {
    using type = std::tuple<S>;
};
template <class S>
struct every_leaf<S&> : every_leaf<std::remove_const_t<S>> {};
template <class S, std::size_t N>
struct every_leaf<std::array<S, N>> {
    using type = typename repeated<typename every_leaf<S>::type, N>::type;
};
template <class... S>
struct every_leaf<std::tuple<S...>> {
    using type = concatenated<typename every_leaf<S>::type...>;
};
template <class A, class B>
struct every_leaf<std::pair<A, B>> {
    using type = concatenated<typename every_leaf<A>::type, typename every_leaf<B>::type>;
};

/// Whether two types are trees of one form, whatever their leaves are; where one is not taken, that is said elsewhere.
template <class A, class B>
constexpr bool same_structure() {
    if constexpr (refused_argument<A> || refused_argument<B>) {
        return true;
    } else if constexpr (leaf_type<A> || leaf_type<B>) {
        return leaf_type<A> && leaf_type<B>;
    } else if constexpr (is_std_array<A> && is_std_array<B>) {
        return std::tuple_size_v<A> == std::tuple_size_v<B> && same_structure<typename A::value_type, typename B::value_type>();
    } else {
        using parts = std::remove_cvref_t<decltype(parts_of(std::declval<A&>()))>;
        using others = std::remove_cvref_t<decltype(parts_of(std::declval<B&>()))>;
        if constexpr (std::tuple_size_v<parts> == std::tuple_size_v<others>) {
            return []<std::size_t... Item>(std::index_sequence<Item...>) {
                return (same_structure<std::remove_cvref_t<std::tuple_element_t<Item, parts>>, std::remove_cvref_t<std::tuple_element_t<Item, others>>>() && ...);
            }(std::make_index_sequence<std::tuple_size_v<parts>>{});
        } else {
            return false;
        }
    }
}

/// The number of leaves.
template <class... S>
inline constexpr std::size_t leaf_count = (std::size_t{0} + ... + structure<S>::size);
/// The number of leaves before item number `Item` of a tuple of S.
template <std::size_t Item, class... S>
constexpr std::size_t leaves_before() {
    const std::size_t sizes[] = {structure<S>::size...};
    std::size_t before = 0;
    for (std::size_t k = 0; k < Item; ++k) before += sizes[k];
    return before;
}

/// Calls f(leaf) for each leaf of each argument, in order.
template <class F, class... S>
DYAD_FN DYAD_INLINE constexpr void for_each_leaf(F&& f, const S&... s) {
    (structure<S>::visit(s, f), ...);
}

/// The leaves of structures as numbers from `to` on. (Each structure's from a place that is known, not from where the loop over the
/// one before ended.)
template <class T>
DYAD_FN DYAD_INLINE constexpr void write_leaves(T*) {}
template <class T, class First, class... Rest>
DYAD_FN DYAD_INLINE constexpr void write_leaves(T* to, const First& first, const Rest&... rest) {
    T* next = to;
    for_each_leaf([&](const auto& leaf) { *next++ = to_value<T>(leaf); }, first);
    write_leaves(to + structure<First>::size, rest...);
}
/// The leaves of structures as numbers of the type they compute in.
template <class T, class... S>
DYAD_FN DYAD_INLINE constexpr auto flat_inputs(const S&... s) {
    std::array<T, leaf_count<S...>> inputs; // (not zeroed first: compilers do not see that it is in vain)
    write_leaves(inputs.data(), s...);
    return inputs;
}

/// The types of the leaves of several arguments, once for each array.
template <class... S>
using leaf_types = concatenated<typename structure<S>::leaves...>;

template <class T, class... Leaves>
constexpr bool any_leaf_is(std::type_identity<std::tuple<Leaves...>>) {
    return (std::same_as<T, Leaves> || ...);
}

/// Whether one of the leaves is a `T`.
template <class T, class... S>
inline constexpr bool has_leaf = any_leaf_is<T>(std::type_identity<leaf_types<S...>>{});

template <class... Leaves>
auto common_of(std::type_identity<std::tuple<Leaves...>>)
    -> common_real<at_rest_t<std::conditional_t<std::same_as<Leaves, bool>, int, Leaves>>..., int>;

/// The number type that the leaves of these types compute in together; double if none of them is real.
template <class... S>
using common_leaf = typename decltype(common_of(std::type_identity<leaf_types<S...>>{}))::type;

} // namespace dyad
DYAD_BOTH_SIDES_END

// ---- dyad/api/call.hpp
// Runs a transform of a function at given arguments, whatever they are: plain numbers run the compiled kernel
// of a stateless function, or of the expression that a function with captured numbers makes; traced values
// record the derivative in their builder. Results come as a flat array; api/result.hpp gives them structure.

// ---- dyad/api/captured.hpp
// Functions with captured numbers cannot run inside the compiler: their state is known at run time only. They
// run once on eager expressions instead, whose type then is the program and whose slots hold the captured
// numbers.

// ---- dyad/trace/expr.hpp
// Eager expressions: objects that carry the values of their leaves, and in their type the program that
// computes them. `x * x * y + 1` can be printed and branched on at once, and differentiated at compile time.
// Leaves are captured by value, so that `auto` is safe.

#include <iosfwd>

// ---- dyad/graph/formula.hpp
// A graph as the formula a person would write. Shared subexpressions are written out as long as that stays
// short; a formula that would explode names them: "t0 = x^2 + x; t1 = t0^2 + t0; t1".

// ---- dyad/graph/print.hpp
// A graph as stable text, one line a node, and as DOT for Graphviz.

// ---- dyad/base/decimal.hpp
// The shortest decimal text that reads back as the same double, in constant evaluation (std::to_chars is
// not constexpr in C++20). Exact integers of limbs, after Steele and White, "How to print floating-point
// numbers accurately" (PLDI 1990): digits of value come out of numerator / denominator until what is left
// is smaller than half a unit in the last place.

// ---- dyad/base/text.hpp
// Text built in constant evaluation: what the printers return. Compares with string literals, streams,
// and converts to std::string_view.

#include <string_view>

namespace dyad {

/// A growing string of characters.
class text {
public:
    constexpr text() = default;
    constexpr explicit(false) text(std::string_view characters) { *this += characters; }

    constexpr text& operator+=(std::string_view characters) {
        for (const char c : characters) characters_.push_back(c);
        return *this;
    }
    constexpr text& operator+=(const text& other) { return *this += other.view(); }

    /// Appends an integer in decimal digits.
    constexpr text& append(std::int64_t value) {
        if (value < 0) characters_.push_back('-');
        auto rest = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
        char digits[20] = {};
        int count = 0;
        do {
            digits[count++] = static_cast<char>('0' + rest % 10);
            rest /= 10;
        } while (rest != 0);
        while (count > 0) characters_.push_back(digits[--count]);
        return *this;
    }

    [[nodiscard]] constexpr std::size_t size() const { return characters_.size(); }
    [[nodiscard]] constexpr std::string_view view() const {
        return {characters_.data(), characters_.size()};
    }
    [[nodiscard]] constexpr explicit(false) operator std::string_view() const { return view(); }
    /// The same with a zero behind it, as errors take it: they make a string of their own, which would cost every program that
    /// includes the core the instantiation of std::string's constructors.
    [[nodiscard]] constexpr const char* c_str() {
        characters_.push_back(0);
        characters_.pop_back();
        return characters_.data();
    }

    friend constexpr bool operator==(const text& a, const text& b) { return a.view() == b.view(); }
    friend constexpr bool operator==(const text& a, std::string_view b) { return a.view() == b; }
    template <class Traits>
    friend auto& operator<<(std::basic_ostream<char, Traits>& out, const text& t) {
        return out << t.view();
    }

private:
    list<char> characters_;
};

} // namespace dyad

namespace dyad {

/// An unsigned integer of up to 1,216 bits: enough for the scaled value of every double.
class wide_integer {
public:
    constexpr explicit wide_integer(std::uint64_t value) {
        for (; value != 0; value >>= 32) limbs_[size_++] = static_cast<std::uint32_t>(value);
    }

    constexpr void multiply(std::uint32_t factor) {
        std::uint64_t carry = 0;
        for (int i = 0; i < size_; ++i) {
            carry += std::uint64_t{limbs_[i]} * factor;
            limbs_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
    }
    constexpr void shift_left(int bits) {
        for (; bits >= 31; bits -= 31) multiply(std::uint32_t{1} << 31);
        multiply(std::uint32_t{1} << bits);
    }
    constexpr void add(const wide_integer& other) {
        std::uint64_t carry = 0;
        const int count = size_ > other.size_ ? size_ : other.size_;
        for (int i = 0; i < count || carry != 0; ++i) {
            carry += std::uint64_t{limbs_[i]} + other.limbs_[i];
            limbs_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
            if (i >= size_) size_ = i + 1;
        }
    }
    /// Needs `other <= *this`.
    constexpr void subtract(const wide_integer& other) {
        std::int64_t borrow = 0;
        for (int i = 0; i < size_; ++i) {
            borrow += std::int64_t{limbs_[i]} - std::int64_t{other.limbs_[i]};
            limbs_[i] = static_cast<std::uint32_t>(borrow);
            borrow >>= 32;
        }
        while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
    }
    friend constexpr int compare(const wide_integer& a, const wide_integer& b) {
        if (a.size_ != b.size_) return a.size_ < b.size_ ? -1 : 1;
        for (int i = a.size_ - 1; i >= 0; --i) {
            if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i] ? -1 : 1;
        }
        return 0;
    }

private:
    std::uint32_t limbs_[38] = {};
    int size_ = 0;
};

/// The digits of a positive finite double and the power of ten of the first: 1.25e3 is {"125", 3}.
struct decimal_digits {
    char digits[18] = {};
    int count = 0;
    int exponent = 0;
};

constexpr decimal_digits shortest_digits(double positive) {
    const auto bits = std::bit_cast<std::uint64_t>(positive);
    const int biased = static_cast<int>(bits >> 52 & 0x7ff);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const std::uint64_t mantissa = biased == 0 ? fraction : fraction | std::uint64_t{1} << 52;
    const int exponent = (biased == 0 ? 1 : biased) - 1075;
    const bool round_even = mantissa % 2 == 0; // ties read back to an even mantissa

    // value = numerator / denominator; up and down are half the distances to the neighbours in the same scale:
    // the lower neighbour of a power of two is nearer.
    const bool power_of_two = fraction == 0 && biased > 1;
    wide_integer numerator{mantissa}, denominator{1}, up{2}, down{power_of_two ? 1U : 2U};
    for (wide_integer* scaled : {&numerator, &up, &down}) scaled->shift_left(exponent > 0 ? exponent : 0);
    numerator.shift_left(2);
    denominator.shift_left(2 + (exponent < 0 ? -exponent : 0));

    decimal_digits result;
    const auto reaches_ten = [&] {
        wide_integer high = numerator;
        high.add(up);
        const int order = compare(high, denominator);
        return round_even ? order >= 0 : order > 0;
    };
    while (reaches_ten()) {
        denominator.multiply(10);
        ++result.exponent;
    }
    for (;;) {
        wide_integer high = numerator;
        high.add(up);
        high.multiply(10);
        const int order = compare(high, denominator);
        if (round_even ? order >= 0 : order > 0) break;
        for (wide_integer* scaled : {&numerator, &up, &down}) scaled->multiply(10);
        --result.exponent;
    }
    --result.exponent; // of the first digit
    for (bool more = true; more;) {
        for (wide_integer* scaled : {&numerator, &up, &down}) scaled->multiply(10);
        int digit = 0;
        for (; compare(numerator, denominator) >= 0; ++digit) numerator.subtract(denominator);
        wide_integer high = numerator;
        high.add(up);
        const int to_low = compare(numerator, down), to_high = compare(high, denominator);
        const bool low = round_even ? to_low <= 0 : to_low < 0;
        const bool above = round_even ? to_high >= 0 : to_high > 0;
        if (low || above) {
            wide_integer twice = numerator;
            twice.multiply(2);
            if (above && (!low || compare(twice, denominator) >= 0)) ++digit;
            more = false;
        }
        result.digits[result.count++] = static_cast<char>('0' + digit);
    }
    return result;
}

/// Appends `value` in the shortest decimal form: 2, -0.5, 1e-18, inf, nan.
constexpr void append_decimal(text& out, double value) {
    if (value != value) {
        out += "nan";
        return;
    }
    if (std::bit_cast<std::uint64_t>(value) >> 63 != 0) {
        out += "-";
        value = -value;
    }
    if (value == 0 || value > 1.7976931348623157e308) {
        out += value == 0 ? "0" : "inf";
        return;
    }
    const decimal_digits d = shortest_digits(value);
    const std::string_view digits{d.digits, static_cast<std::size_t>(d.count)};
    const auto leading = static_cast<std::size_t>(d.exponent + 1); // digits before the point
    if (d.exponent >= 0 && d.exponent < 17) {
        out += digits.substr(0, leading);
        for (int i = d.count; i <= d.exponent; ++i) out += "0";
        if (d.count > d.exponent + 1) (out += ".") += digits.substr(leading);
    } else if (d.exponent < 0 && d.exponent >= -5) {
        out += "0.";
        for (int i = d.exponent + 1; i < 0; ++i) out += "0";
        out += digits;
    } else {
        out += digits.substr(0, 1);
        if (d.count > 1) (out += ".") += digits.substr(1);
        (out += "e").append(d.exponent);
    }
}

} // namespace dyad

namespace dyad {

constexpr std::string_view name_of(element type) {
    switch (type) {
    case element::boolean: return "bool";
    case element::weak: return "weak";
    case element::integer: return "int";
    case element::float32: return "f32";
    case element::float64: return "f64";
    default: return "f80";
    }
}

/// A node by name: x0 for an input, its number for a constant, n7 for an operation.
constexpr text node_name(graph_view g, node_index i) {
    const node& n = g[i];
    text t;
    if (n.is(opcode::constant)) {
        append_decimal(t, constant_value(n).high);
    } else if (n.is(opcode::input)) {
        (t += "x").append(n.attribute());
    } else {
        (t += "n").append(i);
    }
    return t;
}

/// The operation with its attribute: "ipow[3]".
constexpr text operation_name(const node& n) {
    text t(facts(n.op).name);
    if (facts(n.op).attributed || n.is(opcode::result))
        ((t += "[").append(n.attribute())) += "]";
    return t;
}

/// For example, for f(x, y) = x y + 1:
///
///     graph(2 inputs)
///       n2: f64 = mul x0 x1
///       n4: f64 = add 1 n2
///       return n4
[[nodiscard]] constexpr text print(graph_view g) {
    text t("graph(");
    t.append(g.input_count) += g.input_count == 1 ? " input)\n" : " inputs)\n";
    for (std::size_t i = 0; i < g.size; ++i) {
        const node& n = g[i];
        if (n.is(opcode::constant) || n.is(opcode::input)) continue;
        t += "  ";
        t += node_name(g, static_cast<node_index>(i));
        ((t += ": ") += name_of(n.type)) += " = ";
        t += operation_name(n);
        for (int k = 0; k < n.arity(); ++k) (t += " ") += node_name(g, n.operand[k]);
        t += "\n";
    }
    t += "  return";
    for (std::size_t k = 0; k < g.output_count; ++k) (t += " ") += node_name(g, g.outputs[k]);
    return t += "\n";
}

/// The graph in Graphviz' language: `dot -Tsvg`.
[[nodiscard]] constexpr text to_dot(graph_view g) {
    text t("digraph dyad {\n  node [shape=box, fontname=monospace];\n");
    for (std::size_t i = 0; i < g.size; ++i) {
        const node& n = g[i];
        const bool leaf = n.is(opcode::constant) || n.is(opcode::input);
        (t += "  ").append(static_cast<std::int64_t>(i)) += " [label=\"";
        // (g++ 12 loses track of a text in a conditional expression.)
        if (leaf) t += node_name(g, static_cast<node_index>(i));
        if (!leaf) t += operation_name(n);
        t += leaf ? "\", shape=ellipse];\n" : "\"];\n";
        for (int k = 0; k < n.arity(); ++k) {
            ((t += "  ").append(n.operand[k]) += " -> ").append(static_cast<std::int64_t>(i));
            if (n.arity() > 1) ((t += " [label=").append(k)) += "]";
            t += ";\n";
        }
    }
    for (std::size_t k = 0; k < g.output_count; ++k) {
        ((t += "  out").append(static_cast<std::int64_t>(k)) += " [label=\"output ")
            .append(static_cast<std::int64_t>(k));
        ((t += "\", shape=plain];\n  ").append(g.outputs[k]) += " -> out")
            .append(static_cast<std::int64_t>(k)) += ";\n";
    }
    return t += "}\n";
}

} // namespace dyad

namespace dyad {

/// How an operation is written. In the pattern, X and Y are its operands, each with how tightly it must bind there, and # is its
/// attribute; `binds` is how tightly the whole does, from 0 for what needs parentheses everywhere to 6 for what never does.
struct notation {
    opcode op;
    int binds;
    std::string_view pattern;
};
inline constexpr notation notations[] = {
    {opcode::logical_or, 0, "X1 || Y1"},
    {opcode::logical_and, 0, "X1 && Y1"},
    {opcode::less, 1, "X2 < Y2"},
    {opcode::less_equal, 1, "X2 <= Y2"},
    {opcode::equal, 1, "X2 == Y2"},
    {opcode::add, 2, "X2 + Y2"},
    {opcode::sub, 2, "X2 - Y3"},
    {opcode::mul, 3, "X3*Y3"},
    {opcode::div, 3, "X3/Y4"},
    {opcode::neg, 4, "-X3"},
    {opcode::pow, 5, "X6^Y6"},
    {opcode::ipow, 5, "X6^#"},
    {opcode::logical_not, 6, "!X6"},
    {opcode::result, 6, "X6[#]"},
    // the helpers of derivative rules, as the formulas that they stand for
    {opcode::direction, 3, "X3/Y4"},
    {opcode::inverse_real, 3, "X3/(X6^2 + Y6^2)"},
    {opcode::pow_dx, 3, "Y5*X6^(Y2 - 1)"},
    {opcode::pow_log, 3, "X6^Y6*log(X0)"},
    {opcode::unit_circle, 6, "sqrt(1 - X6^2)"},
    {opcode::unit_hyperbola, 6, "sqrt(X6^2 - 1)"},
    {opcode::gaussian, 6, "exp(-X6^2)"},
};

/// Array operations whose attribute is a set of axes, or an order, by the users' names for them.
struct axes_notation {
    opcode op;
    std::string_view name;
};
inline constexpr axes_notation axes_notations[] = {
    {opcode::reduce_sum, "sum"}, {opcode::reduce_prod, "prod"}, {opcode::reduce_max, "amax"}, {opcode::reduce_min, "amin"}, {opcode::arg_max, "argmax"},
    {opcode::arg_min, "argmin"}, {opcode::extent, "size"}, {opcode::squeeze, "squeeze"}, {opcode::expand, "expand_dims"}, {opcode::flip, "flip"},
    {opcode::transpose, "transpose"},
};

class formula_writer {
public:
    /// `names[k]` is what input k is called; x0, x1, ... beyond that.
    constexpr formula_writer(graph_view g, const list<std::string_view>& names) : g_(g), names_(names), named_(g.size) {
        list<node_index> length(g.size, 1), uses(g.size);
        std::size_t longest = 0;
        for (node_index i = 0; i < g.size; ++i) {
            length[i] = 4;
            for (int k = 0; k < g[i].arity(); ++k) {
                ++uses[g[i].operand[k]];
                length[i] += length[g[i].operand[k]];
            }
            if (length[i] > limit) length[i] = limit + 1;
            longest = length[i] > longest ? length[i] : longest;
        }
        for (node_index i = 0; i < g.size && longest > limit; ++i) {
            if (uses[i] < 2 || g[i].arity() == 0) continue;
            prelude_ += "t";
            prelude_.append(names_given_) += " = ";
            write(prelude_, i, 2);
            prelude_ += "; ";
            named_[i] = ++names_given_;
        }
    }

    constexpr text write() const {
        text t = prelude_;
        if (g_.output_count != 1) t += "(";
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            if (k > 0) t += ", ";
            write(t, g_.outputs[k], 0);
        }
        if (g_.output_count != 1) t += ")";
        return t;
    }

private:
    static constexpr node_index limit = 2000; ///< characters, about, up to which nothing is named

    /// A node where what stands must bind `tightly`, in parentheses if it does not.
    constexpr void write(text& t, node_index i, int tightly) const {
        const node& n = g_[i];
        if (named_[i] != 0) {
            (t += "t").append(named_[i] - 1);
        } else if (n.is(opcode::constant)) {
            const bool loose = constant_value(n).high < 0 && tightly > 4; // a sign
            if (loose) t += "(";
            t += node_name(g_, i);
            if (loose) t += ")";
        } else if (n.is(opcode::input) && n.bits < names_.size()) {
            t += names_[n.bits];
        } else if (n.is(opcode::input)) {
            t += node_name(g_, i);
        } else {
            for (const notation& form : notations) {
                if (form.op != n.op) continue;
                if (form.binds < tightly) t += "(";
                write(t, n, form.pattern);
                if (form.binds < tightly) t += ")";
                return;
            }
            for (const axes_notation& form : axes_notations) {
                if (form.op != n.op) continue;
                write_along_axes(t += form.name, n);
                return;
            }
            write_call(t, n);
        }
    }
    /// The operand, and the axes from the first, unless they are all.
    constexpr void write_along_axes(text& t, const node& n) const {
        const unsigned rank = n.is(opcode::expand) ? n.rank : g_[n.operand[0]].rank;
        write(t += "(", n.operand[0], 0);
        for (unsigned axis = 0; axis < rank && (n.bits != low_bits(rank) || n.is(opcode::expand)); ++axis) {
            const unsigned k = rank - 1 - axis; // (attributes count from the last)
            if (n.is(opcode::transpose)) (t += ", ").append(rank - 1 - permuted_axis(n.bits, k));
            if (!n.is(opcode::transpose) && (n.bits >> k & 1) != 0) (t += ", ").append(axis);
        }
        t += ")";
    }
    constexpr void write(text& t, const node& n, std::string_view pattern) const {
        // (Constants stand last in a sum.)
        const bool swapped = n.is(opcode::add) && g_[n.operand[0]].is(opcode::constant);
        for (std::size_t k = 0; k < pattern.size(); ++k) {
            const char c = pattern[k];
            if (c == 'X' || c == 'Y') {
                write(t, n.operand[(c == 'Y') != swapped ? 1 : 0], pattern[++k] - '0');
            } else if (c == '#') {
                t.append(n.attribute());
            } else {
                t += pattern.substr(k, 1);
            }
        }
        if (n.is(opcode::pow_log) && n.attribute() > 1) (t += "^").append(n.attribute());
    }
    constexpr void write_call(text& t, const node& n) const {
        (t += facts(n.op).name) += "(";
        if (facts(n.op).attributed && !((n.is(opcode::sinc) || n.is(opcode::matmul)) && n.bits == 0)) t.append(n.attribute()) += ", ";
        for (int k = 0; k < n.arity(); ++k) {
            if (k > 0) t += ", ";
            write(t, n.operand[k], 0);
        }
        t += ")";
    }

    graph_view g_;
    list<std::string_view> names_;
    list<node_index> named_; ///< by node: 1 more than the number of its name, or 0
    node_index names_given_ = 0;
    text prelude_;
};

/// The formula of a graph's outputs: `2*x0*x1`; several outputs in parentheses.
constexpr text formula(graph_view g, const list<std::string_view>& names) {
    return formula_writer(g, names).write();
}
constexpr text formula(graph_view g) {
    const list<std::string_view> names;
    return formula(g, names);
}

} // namespace dyad

// ---- dyad/kernel/scalar.hpp
// Runs a lowered graph on values: straight-line code, one statement a node, every intermediate result in a local array that is
// indexed by constants only, so that compilers keep it in registers. The value type is any number or vector of numbers.

// ---- dyad/kernel/regions.hpp
// Runs loops and branches of a program: a loop's values stay in local variables, its body is the kernel of the body's
// graph, and what it keeps of each round lies round by round in one stretch of the thread's workspace.

// ---- dyad/kernel/reversal.hpp
// Runs through the rounds of a loop backwards with few stored states: advances from a stored one to the round that is to be
// taken back, and stores some on the way. Where the memory is bounded, states are placed as in A. Griewank and A. Walther,
// "Algorithm 799: Revolve", ACM TOMS 26 (2000): no other schedule computes fewer rounds again.

// ---- dyad/graph/stored_steps.hpp
// Which of a loop's states its backward pass stores; it computes the others again from those. The choice travels in the
// upper half of a loop's attribute.

namespace dyad {

enum class storing : std::uint8_t {
    values,      ///< what the adjoint needs of every round (pass/residuals.hpp)
    every,       ///< every `value`-th state, and those between two of them at a time
    square_root, ///< every k-th, k the square root of the number of rounds
    within       ///< as many states as `value` bytes hold, placed so that the fewest rounds are computed again
};
DYAD_COMPARED(storing)

struct stored_steps {
    storing kind = storing::values;
    std::uint64_t value = 0;

    /// As 32 bits: the kind, and the value rounded down to 24 significant ones.
    [[nodiscard]] constexpr std::uint64_t packed() const {
        std::uint64_t mantissa = value, exponent = 0;
        for (; mantissa >> 24 != 0; mantissa >>= 1) ++exponent;
        return std::uint64_t{static_cast<std::uint8_t>(kind)} << 30 | exponent << 24 | mantissa;
    }
    static constexpr stored_steps unpacked(std::uint64_t bits) {
        return {static_cast<storing>(bits >> 30 & 3), (bits & 0xffffff) << (bits >> 24 & 0x3f)};
    }
};

/// The same as a type, so that it means the same wherever a loop is recorded.
template <storing Kind, std::uint64_t Value = 0>
struct stored_steps_constant {
    static constexpr stored_steps value{Kind, Value};
};

} // namespace dyad

namespace dyad {

/// How many rounds `slots` stored states reverse with no round computed more than `repeats` times: C(slots + repeats, slots),
/// or `enough` if that is less.
constexpr std::size_t reversible_rounds(std::size_t slots, std::size_t repeats, std::size_t enough) {
    std::size_t result = 1;
    for (std::size_t i = 1; i <= repeats && result < enough; ++i) {
        const double next = static_cast<double>(result) * static_cast<double>(slots + i) / static_cast<double>(i);
        result = next >= static_cast<double>(enough) ? enough : result * (slots + i) / i;
    }
    return result < enough ? result : enough;
}

/// Of `rounds` >= 2 rounds after a stored state, `slots` states in all: after how many the next one is stored.
constexpr std::size_t rounds_to_next_state(std::size_t rounds, std::size_t slots) {
    if (slots >= rounds) return 1;
    if (slots <= 1) return rounds - 1;
    std::size_t repeats = 1;
    while (reversible_rounds(slots, repeats, rounds) < rounds) ++repeats;
    const std::size_t most = reversible_rounds(slots, repeats - 1, rounds);
    const std::size_t least_after = reversible_rounds(slots - 1, repeats - 1, rounds);
    return most < rounds - least_after ? most : rounds - least_after;
}

/// A schedule for a number of rounds.
class reversal {
public:
    /// `bytes`: of one state.
    constexpr reversal(stored_steps how, std::size_t rounds, std::size_t bytes) : rounds_(rounds) {
        if (is(how.kind, storing::within)) {
            const std::size_t room = how.value / (bytes == 0 ? 1 : bytes);
            slots_ = room < rounds ? room : rounds;
        } else {
            interval_ = how.value;
            if (is(how.kind, storing::square_root)) {
                for (interval_ = 1; interval_ * interval_ < rounds;) ++interval_;
            }
            slots_ = rounds == 0 ? 0 : (rounds - 1) / interval_ + (interval_ < rounds ? interval_ : rounds);
        }
    }

    /// The most states that are stored at once. 0 for some rounds: the memory is too small.
    [[nodiscard]] constexpr std::size_t slots() const { return slots_; }

    /// Takes all rounds back, the last one first. `state` is that before some round: state.store(slot), state.load(slot) keep
    /// and fetch it; state.advance(round) computes the round; state.take_back(round) its adjoint, from the state before it.
    /// `places` has room for slots() numbers.
    template <class State>
    constexpr void run(State& state, std::size_t* places) const {
        if (rounds_ == 0) return;
        std::size_t stored = 0, here = 0;
        const auto store = [&] {
            state.store(stored);
            places[stored++] = here;
        };
        store();
        for (std::size_t end = rounds_; end > 0; --end) {
            while (places[stored - 1] >= end) --stored;
            if (here != places[stored - 1]) state.load(stored - 1);
            here = places[stored - 1];
            while (here + 1 < end) {
                const std::size_t next = following(here, end, stored);
                for (; here < next; ++here) state.advance(here);
                if (here + 1 < end) store();
            }
            state.take_back(here);
            here = end; // (its state is no longer there)
        }
    }

private:
    [[nodiscard]] constexpr std::size_t following(std::size_t here, std::size_t end, std::size_t stored) const {
        if (interval_ == 0) return here + rounds_to_next_state(end - here, slots_ - stored + 1);
        const std::size_t next = (here / interval_ + 1) * interval_;
        return next < end ? next : here + 1;
    }

    std::size_t rounds_, slots_ = 0, interval_ = 0;
};

} // namespace dyad

// ---- dyad/kernel/workspace.hpp
// Memory for what a program stores in between: kept from one call to the next, so that repeated calls allocate
// nothing. Each thread has its own; nested programs take theirs from above.

#include <new>

namespace dyad {

class workspace {
public:
    static constexpr std::size_t alignment = 64;
    static constexpr std::size_t most_bytes = ~std::size_t{0} / 4; ///< with what stands before and behind them, in numbers that do not overflow

    workspace() = default;
    workspace(const workspace&) = delete;
    workspace& operator=(const workspace&) = delete;
    ~workspace() {
        while (first_ != nullptr) {
            block* const next = first_->next;
            ::operator delete(static_cast<void*>(first_), std::align_val_t{alignment});
            first_ = next;
        }
    }

    /// Memory of the calling thread's workspace for as long as the frame lives. Frames end in the opposite order of
    /// their first take().
    class frame {
    public:
        DYAD_FN constexpr frame() {}
        frame(const frame&) = delete;
        frame& operator=(const frame&) = delete;
        DYAD_FN constexpr ~frame() {
            if (home_ != nullptr) home_->give_back(block_, used_);
        }
        /// Room for `count` values `times` over, not initialised. Throws std::bad_alloc if there is no such memory.
        template <class T>
        T* take(std::size_t count, std::size_t times = 1) {
            if (times != 0 && count > most_bytes / sizeof(T) / times) throw std::bad_alloc();
            if (home_ == nullptr) {
                home_ = &of_thread();
                block_ = home_->current_;
                used_ = home_->used_;
            }
            return static_cast<T*>(home_->take_bytes(count * times * sizeof(T)));
        }

    private:
        workspace* home_ = nullptr; // programs that store nothing in between do not even ask for it
        void* block_ = nullptr;
        std::size_t used_ = 0;
    };

private:
    /// Stands before its bytes.
    struct alignas(alignment) block {
        block* next = nullptr;
        std::size_t size = 0;
    };

    /// The calling thread's.
    static workspace& of_thread() {
        thread_local workspace mine;
        return mine;
    }

    void* take_bytes(std::size_t bytes) {
        bytes = (bytes + alignment - 1) / alignment * alignment;
        block* last = current_;
        std::size_t used = used_; // (nothing is changed before there is memory)
        for (block* b = last; b != nullptr; b = b->next, used = 0) {
            if (used + bytes <= b->size) return taken_from(b, used, bytes);
            last = b;
        }
        const std::size_t twice = last == nullptr ? 4096 : 2 * last->size;
        const std::size_t size = bytes > twice ? bytes : twice;
        auto* const fresh = new (::operator new(sizeof(block) + size, std::align_val_t{alignment})) block{nullptr, size};
        (last == nullptr ? first_ : last->next) = fresh;
        return taken_from(fresh, 0, bytes);
    }
    void* taken_from(block* b, std::size_t used, std::size_t bytes) {
        current_ = b;
        used_ = used + bytes;
        return reinterpret_cast<std::byte*>(b + 1) + used;
    }
    DYAD_FN void give_back(void* block_then, std::size_t used_then) {
        current_ = block_then == nullptr ? first_ : static_cast<block*>(block_then);
        used_ = used_then;
    }

    block* first_ = nullptr;
    block* current_ = nullptr; ///< where the next bytes are looked for
    std::size_t used_ = 0;     ///< of the current block
};

} // namespace dyad

// ---- dyad/pass/region_info.hpp
// What running a loop or a branch takes, once it is taken apart (levels.hpp), and how a call of it says which one it is.

// ---- dyad/graph/region.hpp
// Loops, branches and rules as nodes. Their bodies are ordinary nodes of the same graph: what a body computes on is a
// parameter, bound by the loop as λ binds a variable; so what does not depend on a parameter stands outside by itself,
// and every pass simplifies bodies as it does the rest. Operands of any number are chains of nodes that begin with
// `nothing`.
//
//     loop[2 p + r](count, carries)    p: number of the index's parameter; r = 1: the index falls; above, stored_steps
//     repeat[2 p](condition, carries)  while the condition holds; p counts
//     sweep[2 p](count, carries)       a loop backwards, beside the states of another one, forwards (replays)
//     branch(condition, binds, choices)
//     custom[k](values, binds, rule)   the rule, of which kind k says (rule_kind); binds: arguments and what is captured, results,
//                                      cotangents of the results (tangents of the arguments)
//     invertible(values, binds, entries) steps of a state: binds: what is captured, the arguments, the results; entries: of
//                                      each step its results, by arguments, and its arguments, by results
//     checkpoint(values, binds, entries)
//     carry[p](rest, first, next)      a value that goes round a loop, as parameter p
//     replay[p](rest, first, next)     in a sweep: parameter p is what it was at the beginning of that round, forwards
//     bind[p](rest, value)             parameter p stands for the value
//     choice(rest, then, else), entry(rest, value)
//     history(loop, value)             what `value` was in each round: one axis more, by index
//     at(history, index)               its element at the index of the loop around
//     again(x)                         x, but computed anew from here

namespace dyad {

/// Result of a loop that is the number of its rounds; those before are its carries.
inline constexpr std::uint64_t rounds_result = 0xffffffff;

constexpr bool is_loop(opcode op) {
    return op >= opcode::loop && op <= opcode::sweep;
}

/// The number of a loop's index parameter; whether the index falls; what its backward pass stores.
constexpr std::uint64_t index_number(const node& loop) {
    return (loop.bits & 0xffffffff) >> 1;
}
constexpr bool is_falling(const node& loop) {
    return loop.is(opcode::loop) && (loop.bits & 1) != 0;
}
constexpr stored_steps stored_by(const node& loop) {
    return stored_steps::unpacked(loop.bits >> 32);
}
constexpr std::uint64_t loop_bits(std::uint64_t index, bool falls, stored_steps how = {}) {
    return index << 1 | (falls ? 1U : 0U) | how.packed() << 32;
}

/// An operation that owns bodies.
constexpr bool is_region(opcode op) {
    return op >= opcode::loop && op <= opcode::checkpoint;
}

/// A region that computes what stands outside of it anyway, and says how it is differentiated.
constexpr bool is_rule(opcode op) {
    return op >= opcode::custom && op <= opcode::checkpoint;
}

/// What binds or lists the values of a region: no value itself.
constexpr bool is_link(opcode op) {
    return op >= opcode::nothing && op <= opcode::choice;
}

/// What the entries of a custom rule are.
enum class rule_kind : unsigned {
    pullback,    ///< the cotangents of the arguments; of what is captured, bound behind them, there are none: to differentiate by it is refused
    pushforward, ///< the tangents of the results
    equation     ///< what is 0, of the arguments, what is captured and the results; then its cotangents
};
DYAD_COMPARED(rule_kind)
constexpr rule_kind kind_of_rule(const node& custom) {
    return static_cast<rule_kind>(custom.bits);
}

/// Whether a graph needs more than straight-line code.
constexpr bool has_regions(graph_view g) {
    for (std::size_t i = 0; i < g.size; ++i) {
        if (is_region(g.nodes[i].op) || g.nodes[i].is(opcode::again)) return true;
    }
    return false;
}

/// Whether a graph works with arrays. (Loops and rules keep numbers in arrays, too.)
constexpr bool works_with_arrays(const node* nodes, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        const opcode op = nodes[i].op;
        if ((is_array_operation(op) && !is_region_operation(op)) || (is(op, opcode::input) && nodes[i].rank != 0)) return true;
    }
    return false;
}
constexpr bool works_with_arrays(graph_view g) {
    return works_with_arrays(g.nodes, g.size);
}

/// Whether a graph holds a rule of the user's: its second derivatives need not be symmetric.
constexpr bool has_rules(graph_view g) {
    for (std::size_t i = 0; i < g.size; ++i) {
        if (g.nodes[i].is(opcode::custom)) return true;
    }
    return false;
}

/// The links of a chain, first to last.
constexpr list<node_index> links(const node* nodes, node_index chain) {
    list<node_index> falling, result;
    for (node_index i = chain; !nodes[i].is(opcode::nothing); i = nodes[i].operand[0]) falling.push_back(i);
    for (std::size_t k = falling.size(); k-- > 0;) result.push_back(falling[k]);
    return result;
}

/// Those of the carries or binds of a region.
constexpr list<node_index> bindings(const node* nodes, node_index region) {
    return links(nodes, nodes[region].operand[1]);
}

/// The parameter that a carry or a bind binds.
constexpr node parameter_of(const node& link) {
    return {.op = opcode::parameter, .type = link.type, .rank = link.rank, .ones = link.ones, .bits = link.bits};
}
constexpr node index_parameter_of(const node& loop) {
    return {.op = opcode::parameter, .type = element::integer, .bits = index_number(loop)};
}

/// A chain's new link in front of `rest`; its type and shape are those of `like`.
constexpr node_index link(builder& b, opcode op, node_index rest, node_index x, node_index y = 0, std::uint64_t bits = 0) {
    node n{.op = op, .type = b[x].type, .operand = {rest, x, y}, .bits = bits};
    set_shape(n, shape_of(b[x]));
    return b.add(n);
}
/// Binds x to the parameter `own`, whose type it may not have: a selection between two constants has none yet, and what comes
/// back to a result can be wider than it.
constexpr node_index bind_to(builder& b, node_index own, node_index rest, node_index x) {
    node n{.op = opcode::bind, .type = b[own].type, .operand = {rest, x, 0}, .bits = b[own].bits};
    set_shape(n, shape_of(b[x]));
    return b.add(n);
}
constexpr node_index no_links(builder& b) {
    return b.add({.op = opcode::nothing});
}
/// A chain of entries.
constexpr node_index entries(builder& b, const list<node_index>& values) {
    node_index chain = no_links(b);
    for (const node_index value : values) chain = link(b, opcode::entry, chain, value);
    return chain;
}

/// Result `k` of a region, like node `like`.
constexpr node_index region_result(builder& b, node_index region, std::size_t k, const node& like) {
    node n{.op = opcode::result, .type = like.type, .operand = {region, 0, 0}, .bits = k};
    set_shape(n, shape_of(like));
    return b.add(n);
}

/// The type of an element in memory: conditions are kept as numbers.
constexpr element number_type_of(element type) { return is(type, element::boolean) ? element::weak : type; }

/// What `value` was in each round of the loop.
constexpr node_index history(builder& b, node_index loop, node_index value) {
    if (b[value].rank >= max_rank) throw shape_error("[dyad] loop: what its rounds keep of an array of 8 axes has more than 8");
    node n{.op = opcode::history, .type = number_type_of(b[value].type), .operand = {loop, value, 0}};
    set_shape(n, result_shape(n, b.nodes.data()));
    return b.add(n);
}

/// The element of a history, or the part of an array along its first axis, at the index of the loop around.
constexpr node_index one_at(builder& b, node_index values, node_index index) {
    node n{.op = opcode::at, .type = number_type_of(b[values].type), .operand = {values, index, 0}};
    set_shape(n, result_shape(n, b.nodes.data()));
    return b.add(n);
}
/// The same; of a sum the sum of the elements, which need not be added up for all rounds.
constexpr node_index at(builder& b, node_index values, node_index index) {
    const node v = b[values]; // a copy: sums append nodes
    if (v.rank == 0) return values;
    if (v.is(opcode::add)) {
        node_index parts[2] = {v.operand[0], v.operand[1]};
        for (node_index& part : parts) { // one that stretches along the first axis is the same at every index
            const node x = b[part];
            const bool stretches = x.rank == v.rank && ((x.ones & ~static_cast<unsigned>(v.ones)) >> (v.rank - 1U) & 1) != 0;
            if (stretches) part = b.emit({.op = opcode::squeeze, .operand = {part, 0, 0}, .bits = 1U << (v.rank - 1U)});
            if (!stretches && x.rank == v.rank) part = at(b, part, index);
        }
        return b.emit(opcode::add, parts[0], parts[1]);
    }
    return one_at(b, values, index);
}

/// Node `of`, and what is added to it; of a constant, no node and its value.
struct node_and_more {
    node_index of = no_node;
    double more = 0;
};
template <class Graph>
constexpr node_and_more without_constants(const Graph& g, node_index i) {
    const auto is_constant = [&](node_index x) { return g[x].is(opcode::constant); };
    double more = 0;
    while (true) {
        const node& n = g[i];
        if (is_constant(i)) return {no_node, more + constant_value(n).high};
        const bool sum = n.is(opcode::add), second = (sum || n.is(opcode::sub)) && is_constant(n.operand[1]);
        if (!second && !(sum && is_constant(n.operand[0]))) return {i, more};
        const double constant = constant_value(g[n.operand[second ? 1 : 0]]).high;
        more += sum ? constant : -constant;
        i = n.operand[second ? 0 : 1];
    }
}

/// Whether a plan of arrays can tell a number of rounds as a size (dimensions::rounds_of): it is a constant, an argument, all
/// elements of an array, or a few less than it has along an axis.
template <class Graph>
constexpr bool is_known_as_size(const Graph& g, node_index rounds) {
    const node_and_more parts = without_constants(g, rounds);
    if (parts.of == no_node) return true;
    const node& n = g[parts.of];
    if (!n.is(opcode::extent)) return n.is(opcode::input) && parts.more == 0;
    const unsigned axes = axes_of(n.bits), rank = g[n.operand[0]].rank;
    const bool one_axis = (axes & (axes - 1)) == 0, few_less = -parts.more >= 0 && -parts.more < slice_range::open && static_cast<int>(parts.more) == parts.more;
    return one_axis ? few_less : axes == low_bits(rank) && parts.more == 0;
}

/// The end of all that the nodes can be computed from.
constexpr node_index end_of(const list<node_index>& roots) {
    node_index end = 0;
    for (const node_index i : roots) end = i >= end ? i + 1 : end;
    return end;
}

/// Marks what the roots are computed from, with the roots; nothing before node `begin` is looked for.
constexpr list<bool> reached(const node* nodes, std::size_t size, const list<node_index>& roots, std::size_t begin = 0) {
    list<bool> result(size);
    for (const node_index r : roots) result.at[r] = true;
    for (std::size_t i = size; i-- > begin;) {
        for (int k = result.at[i] ? arities.of[static_cast<std::size_t>(nodes[i].op)] : 0; k-- > 0;) result.at[nodes[i].operand[k]] = true;
    }
    return result;
}

} // namespace dyad

namespace dyad {

enum class region_kind : std::uint8_t { rising, falling, repeat, sweep, branch };
DYAD_COMPARED(region_kind)
/// Beside the body: a condition, the other function, or the rounds that are computed again.
constexpr bool has_two_bodies(region_kind kind) {
    return is(kind, region_kind::repeat) || is(kind, region_kind::branch) || is(kind, region_kind::sweep);
}

/// In the bits of a call: the region is a loop whose rounds are counted as it runs; a branch. Above, the number of results,
/// and of the values at the head of what its body computes.
inline constexpr std::uint64_t repeat_call = std::uint64_t{1} << 31, branch_call = std::uint64_t{1} << 30;
constexpr bool is_repeat_call(const node& call) {
    return (call.bits & repeat_call) != 0;
}
constexpr std::size_t region_number(const node& call) {
    return call.bits & (branch_call - 1);
}
constexpr std::uint64_t results_of_call(const node& call) {
    return call.bits >> 32 & 0xffff;
}
constexpr std::uint64_t values_of_body(const node& call) {
    return call.bits >> 48;
}

/// Whether a body computes on numbers alone: what it takes of arrays are elements.
constexpr bool is_of_numbers(graph_view g) {
    for (std::size_t k = 0; k < g.output_count; ++k) {
        if (g[g.outputs[k]].rank != 0) return false;
    }
    for (std::size_t i = 0; i < g.size; ++i) {
        const opcode op = g[i].op;
        if (g[i].rank != 0 && !is(op, opcode::borrowed) && !is(op, opcode::trail) && !is(op, opcode::entry) && !is(op, opcode::history)) return false;
        if (g[i].is(opcode::at) && g[i].rank != 0) return false;
        if (is_array_operation(op) && !is_region_operation(op)) return false;
    }
    return true;
}

/// What running a region takes.
struct region_info {
    region_kind kind = region_kind::rising;
    std::uint16_t values = 0;  ///< that go round, or arguments of a branch
    std::uint16_t numbers = 0; ///< captured
    std::uint16_t buffers = 0; ///< captured histories
    std::uint16_t slots = 0;   ///< numbers kept of each round
    std::uint16_t results = 0; ///< without the number of rounds
    std::uint16_t replays = 0; ///< of a sweep: the first ones of the values
    stored_steps how = {};     ///< of a sweep
};

} // namespace dyad

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// One history: its element of round i is first[i * stride].
template <class T>
struct history_view {
    const T* first = nullptr;
    std::ptrdiff_t stride = 0;
};

/// What one loop keeps: `slots` numbers a round. In constant evaluation it has memory of its own.
template <class T>
class loop_trail {
public:
    constexpr void start(workspace::frame& frame, std::size_t slots, std::size_t rounds) {
        slots_ = slots;
        rounds_ = rounds;
        rows_ = fresh(frame, rounds);
    }
    [[nodiscard]] constexpr T* row(std::size_t round) const { return rows_ + round * slots_; }
    /// The row of a round that was not foreseen.
    constexpr T* further_row(workspace::frame& frame, std::size_t round) {
        if (round == rounds_) {
            T* const longer = fresh(frame, 2 * rounds_);
            for (std::size_t k = 0; k < rounds_ * slots_; ++k) longer[k] = rows_[k];
            if (std::is_constant_evaluated()) {
                delete[] constant_;
                constant_ = longer;
            }
            rows_ = longer;
            rounds_ *= 2;
        }
        return row(round);
    }
    [[nodiscard]] constexpr history_view<T> slot(std::size_t k) const { return {rows_ + k, static_cast<std::ptrdiff_t>(slots_)}; }

    DYAD_FN constexpr loop_trail() {}
    loop_trail(const loop_trail&) = delete;
    loop_trail& operator=(const loop_trail&) = delete;
    // (At run time nothing is to be done, and compilers must see it: else they keep, and clear, the memory of trails that are not used.)
    DYAD_FN constexpr ~loop_trail() {
        if (DYAD_CONSTANT_EVALUATED) delete[] constant_;
    }

private:
    constexpr T* fresh(workspace::frame& frame, std::size_t rounds) {
        if (std::is_constant_evaluated()) {
            T* const result = new T[rounds * slots_ + 1]{};
            if (constant_ == nullptr) constant_ = result;
            return result;
        } else {
            return frame.take<T>(rounds, slots_);
        }
    }

    T* rows_ = nullptr;
    T* constant_ = nullptr;
    std::size_t slots_ = 0, rounds_ = 0;
};

/// What a level of a program with regions has beside its numbers and conditions.
template <class T, std::size_t Buffers, std::size_t Regions>
struct level_state {
    history_view<T> buffer[Buffers + 1] = {};
    loop_trail<T> trail[Regions == 0 ? 1 : Regions];
    const history_view<T>* borrowed = nullptr;
    std::ptrdiff_t index = 0; ///< of the loop around
    workspace::frame frame;
};
/// The same of a program without, or whose loops keep nothing.
struct no_regions {};

/// `end`: the first number of rounds that is too large.
[[noreturn]] inline void refuse_rounds(double rounds, std::ptrdiff_t end) {
    text t("[dyad] fori_loop: the number of rounds is ");
    append_decimal(t, rounds);
    const bool too_many = rounds >= static_cast<double>(end); // (NaN is not)
    t += too_many ? "; there, the numbers of rounds are less than " : "; it must be a whole number and not negative";
    if (too_many) append_decimal(t, static_cast<double>(end));
    throw value_error(t.c_str());
}

template <class T>
constexpr std::ptrdiff_t rounds_of(T value) {
    if constexpr (symbolic<T>) { // a number of the tape
        return rounds_of(static_cast<double>(value));
    } else {
        constexpr int widest = std::numeric_limits<std::ptrdiff_t>::digits - 1;
        constexpr std::ptrdiff_t end = std::ptrdiff_t{1} << (std::numeric_limits<T>::digits < widest ? std::numeric_limits<T>::digits : widest); // from there on, T skips whole numbers
        const auto rounds = static_cast<std::ptrdiff_t>(value >= T(0) && value < static_cast<T>(end) ? value : T(-1));
        if (rounds < 0 || static_cast<T>(rounds) != value) refuse_rounds(static_cast<double>(value), end);
        return rounds;
    }
}

[[noreturn]] inline void refuse_memory(stored_steps how, std::size_t bytes) {
    text t("[dyad] store_within: ");
    t.append(static_cast<std::int64_t>(how.value)) += " bytes hold no state of the loop, which takes ";
    t.append(static_cast<std::int64_t>(bytes));
    throw value_error(t.c_str());
}

/// Region K of a program as a type: nvcc does not take arguments of class type for deduced templates.
template <class Program, std::size_t K>
struct region_of {
    static constexpr region_info info = Program::template info<K>;
};

/// So many numbers of an array into another.
template <std::size_t Count, class T>
DYAD_FN DYAD_INLINE constexpr void copy_numbers(const T* from, T* to) {
    DYAD_UNROLL_SMALL
    for (std::size_t k = 0; k != Count; ++k) to[k] = from[k];
}

/// A sweep's way through its rounds: the values are those at `input` + 1, the ones that are replayed first.
template <class Region, class First, class Second, class T>
struct number_sweep {
    static constexpr region_info info = Region::info;
    T* input;
    const history_view<T>* borrowed;
    loop_trail<T>& states;
    loop_trail<T>& trail;
    T out[First::outputs > Second::outputs ? First::outputs : Second::outputs] = {};

    constexpr void store(std::size_t slot) {
        copy_numbers<info.replays>(input + 1, states.row(slot));
    }
    constexpr void load(std::size_t slot) {
        copy_numbers<info.replays>(states.row(slot), input + 1);
    }
    constexpr void advance(std::size_t round) {
        input[0] = static_cast<T>(round);
        Second::run_body(input, borrowed, static_cast<std::ptrdiff_t>(round), out);
        copy_numbers<info.replays>(out, input + 1);
    }
    constexpr void take_back(std::size_t round) {
        input[0] = static_cast<T>(round);
        First::run_body(input, borrowed, static_cast<std::ptrdiff_t>(round), out);
        constexpr std::size_t carries = info.values - info.replays;
        copy_numbers<carries>(out, input + info.replays + 1);
        if constexpr (info.slots != 0) copy_numbers<info.slots>(out + carries, trail.row(round));
    }
};

template <class Region, class First, class Second, class T>
constexpr void run_sweep(std::size_t rounds, loop_trail<T>& trail, workspace::frame& frame, T* input, const history_view<T>* borrowed) {
    constexpr region_info info = Region::info;
    constexpr std::size_t bytes = info.replays * sizeof(T);
    static_assert(!is(info.how.kind, storing::within) || info.how.value >= bytes, "[dyad] store_within: so few bytes hold no state of the loop");
    const reversal schedule(info.how, rounds, bytes);
    if constexpr (info.slots != 0) trail.start(frame, info.slots, rounds);
    workspace::frame own;
    loop_trail<T> states;
    number_sweep<Region, First, Second, T> sweep{input, borrowed, states, trail, {}};
    if constexpr (info.replays == 0) {
        for (std::size_t round = rounds; round-- > 0;) sweep.take_back(round);
    } else {
        loop_trail<std::size_t> places;
        states.start(own, info.replays, schedule.slots());
        places.start(own, 1, schedule.slots());
        schedule.run(sweep, places.row(0));
    }
}

/// Where the loops of a program keep their rounds; what a loop around lends is `borrowed`.
template <class T>
struct region_memory {
    loop_trail<T>& trail;
    workspace::frame& frame;
    const history_view<T>* borrowed;

    template <class Body>
    constexpr void run(const T* input, std::ptrdiff_t index, T* out) const {
        Body::run_body(input, borrowed, index, out);
    }
    static constexpr std::ptrdiff_t rounds(const T& count) { return rounds_of(count); }
};
/// The same where nothing is kept, and nothing can be thrown: in kernels of a device.
struct no_memory {
    template <class Body, class T>
    DYAD_FN static constexpr void run(const T* input, std::ptrdiff_t, T* out) {
        Body::run_into(input, out);
    }
    /// -1 for what is no number of rounds.
    template <class T>
    DYAD_FN static constexpr std::ptrdiff_t rounds(T count) {
        const auto whole = static_cast<std::ptrdiff_t>(count >= T(0) && count < T(0x1p62) ? count : T(-1));
        return static_cast<T>(whole) == count ? whole : -1;
    }
};

/// A number as it is, in a register of its own. What goes round a loop waits for itself: where compilers hold two such numbers in
/// one register, to halve the instructions, each round waits for their moves as well, up to three times as long.
template <class T>
DYAD_FN DYAD_INLINE constexpr T kept_apart(T x) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
        if (!DYAD_CONSTANT_EVALUATED) DYAD_IN_REGISTER(x);
    }
    return x;
}

/// A loop or a branch. `First` and `Second` are the kernels of levels::body; `operand` is what is handed to it, `result` where
/// its results go. (In a device's kernels the values of a loop whose number of rounds is none are NaN.)
template <class Region, class First, class Second, class Memory, class T>
DYAD_FN DYAD_INLINE constexpr void run_region(const Memory& memory, const T* operand, T* result) {
    constexpr region_info info = Region::info;
    constexpr std::size_t values = info.values, slots = info.slots, passed = values + info.numbers;
    constexpr bool repeats = is(info.kind, region_kind::repeat), falls = is(info.kind, region_kind::falling);
    T input[passed + 1] = {};
    copy_numbers<passed>(operand + (repeats ? 0 : 1), input + 1);
    [[maybe_unused]] T out[First::outputs > Second::outputs ? First::outputs : Second::outputs];
    if constexpr (is(info.kind, region_kind::branch)) {
        if (operand[0] != T(0)) {
            memory.template run<First>(input, 0, out);
        } else {
            memory.template run<Second>(input, 0, out);
        }
        copy_numbers<info.results>(out, result);
    } else if constexpr (is(info.kind, region_kind::sweep)) {
        const std::ptrdiff_t rounds = memory.rounds(operand[0]);
        run_sweep<Region, First, Second>(static_cast<std::size_t>(rounds), memory.trail, memory.frame, input, memory.borrowed);
        copy_numbers<values>(input + 1, result);
    } else {
        std::ptrdiff_t rounds = 0;
        if constexpr (!repeats) rounds = memory.rounds(operand[0]);
        if constexpr (slots != 0) memory.trail.start(memory.frame, slots, repeats ? 16 : static_cast<std::size_t>(rounds));
        for (std::ptrdiff_t round = 0; repeats || round < rounds; ++round) {
            const std::ptrdiff_t index = falls ? rounds - 1 - round : round;
            input[0] = static_cast<T>(index);
            if constexpr (repeats) {
                rounds = round;
                T goes_on[Second::outputs];
                memory.template run<Second>(input, index, goes_on);
                if (goes_on[0] == T(0)) break;
            }
            memory.template run<First>(input, index, out);
            DYAD_UNROLL_SMALL
            for (std::size_t k = 0; k != values; ++k) input[k + 1] = kept_apart(out[k]);
            if constexpr (slots != 0) {
                const auto at = static_cast<std::size_t>(index);
                T* const row = repeats ? memory.trail.further_row(memory.frame, at) : memory.trail.row(at);
                copy_numbers<slots>(out + values, row);
            }
        }
        copy_numbers<values>(input + 1, result);
        if constexpr (std::is_same_v<Memory, no_memory>) {
            [[maybe_unused]] constexpr T none = static_cast<T>(__builtin_nan(""));
            for (std::size_t k = 0; k != values && rounds < 0; ++k) result[k] = none;
        }
        result[values] = static_cast<T>(rounds);
    }
}

} // namespace dyad
DYAD_BOTH_SIDES_END

// ---- dyad/kernel/statements.hpp
// A lowered graph as a table of statements: each has the places of its operands and of its value in the local arrays of the kernel that
// runs it (kernel/scalar.hpp).

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// One statement of a program: where its value goes, where its operands lie, and its constant or attribute.
/// Numbers and conditions have places in arrays of their own; several results lie side by side.
struct statement {
    opcode op = opcode::constant;
    bool condition = false;
    node_index to = 0;
    node_index from[3] = {};
    std::uint64_t bits = 0;
    std::uint64_t low = 0; ///< of a constant
};

template <std::size_t N>
struct statements {
    statement at[N == 0 ? 1 : N] = {};
    std::size_t numbers = 0;
    std::size_t conditions = 0;
    std::size_t buffers = 0;
    std::size_t regions = 0;
    bool has_regions = false; ///< or histories that a loop around lends
};

/// How many numbers a node's value is. Those of more than one lie side by side.
constexpr int results_of(const node& n) {
    return n.op == opcode::call ? static_cast<int>(results_of_call(n)) : facts(n.op).results;
}
/// What one of the histories of loops is, or names it.
constexpr bool is_buffer(graph_view g, node_index i) {
    const opcode op = g.nodes[i].op;
    return is(op, opcode::trail) || is(op, opcode::borrowed) || (is(op, opcode::entry) && is_buffer(g, g.nodes[i].operand[1]));
}

/// Places with their reuse: a value's place is free again after its last use, so that compilers see short
/// lives and find the dead stores at once (in one long array their time grows with the square of it).
class place_pool {
public:
    constexpr node_index take() {
        if (free_.empty()) return next_++;
        const node_index place = free_.back();
        free_.pop_back();
        return place;
    }
    constexpr node_index take_row(int count) {
        const node_index first = next_;
        next_ += static_cast<node_index>(count);
        return first;
    }
    constexpr void give_back(node_index place) { free_.push_back(place); }
    [[nodiscard]] constexpr std::size_t size() const { return next_; }

private:
    list<node_index> free_;
    node_index next_ = 0;
};

template <std::size_t N>
constexpr statements<N> statements_of(graph_view g) {
    statements<N> result;
    list<node_index> last_use(N);
    for (node_index i = 0; i < N; ++i) {
        const node& n = g.nodes[i];
        const bool of_region = is_region_operation(n.op), stays = of_region && n.op != opcode::at; // what calls read
        last_use.at[i] = stays || results_of(n) > 1 ? no_node : i; // its results are its value
        if (of_region) result.has_regions = true;
        if (n.op == opcode::call && region_number(n) >= result.regions) result.regions = region_number(n) + 1;
        for (int k = 0; k < g.nodes[i].arity(); ++k) {
            node_index& last = last_use.at[g.nodes[i].operand[k]];
            if (last != no_node) last = i;
        }
    }
    for (std::size_t k = 0; k < g.output_count; ++k) last_use.at[g.outputs[k]] = no_node;
    place_pool numbers, conditions, buffers;
    for (node_index i = 0; i < N; ++i) {
        const node& n = g.nodes[i];
        statement& s = result.at[i];
        s.op = n.op;
        s.condition = n.type == element::boolean && n.op != opcode::entry;
        s.bits = n.bits;
        if (n.op == opcode::constant) s.low = std::bit_cast<std::uint64_t>(constant_value(n).low);
        for (int k = 0; k < n.arity(); ++k) {
            const node_index x = n.operand[k];
            s.from[k] = result.at[x].to;
            if (last_use.at[x] != i) continue;
            last_use.at[x] = no_node; // once, however often it is an operand
            (result.at[x].condition ? conditions : numbers).give_back(s.from[k]); // (no buffer gets here)
        }
        const bool buffer = result.has_regions && is_buffer(g, i);
        if (n.op == opcode::entry) s.bits = buffer ? 2 : g.nodes[n.operand[1]].is(element::boolean) ? 1 : 0;
        if (n.op == opcode::trail) s.bits |= std::uint64_t{region_number(g.nodes[n.operand[0]])} << 32;
        place_pool& pool = buffer ? buffers : s.condition ? conditions : numbers;
        const int results = results_of(n);
        if (n.op == opcode::result && !s.condition) {
            s.to = s.from[0] + static_cast<node_index>(n.bits);
        } else {
            s.to = results > 1 ? pool.take_row(results) : pool.take();
        }
    }
    result.numbers = numbers.size();
    result.conditions = conditions.size();
    result.buffers = buffers.size();
    return result;
}

} // namespace dyad
DYAD_BOTH_SIDES_END

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// Runs one statement. It is a function argument, and a constant once it is inlined: its places as template arguments
/// would make every statement a function of its own, and each as an argument of its own twice the work of one.
/// Operations take values, not references: only a local array whose address goes nowhere becomes registers,
/// and quickly so.
template <opcode Op, bool Condition, bool Contracts, class T, class Mask>
DYAD_FN DYAD_INLINE constexpr void execute([[maybe_unused]] T* number, [[maybe_unused]] Mask* condition,
                                           [[maybe_unused]] const T* input, const statement& s) {
    [[maybe_unused]] const node_index to = s.to, x = s.from[0], y = s.from[1], z = s.from[2];
    [[maybe_unused]] const std::uint64_t bits = s.bits, low = s.low;
    [[maybe_unused]] const int attribute = static_cast<int>(bits);
    if constexpr (is(Op, opcode::input)) {
        if constexpr (Condition) condition[to] = input[bits] != T(0);
        if constexpr (!Condition) number[to] = input[bits];
    } else if constexpr (is(Op, opcode::constant)) {
        const exact value = exact::of_bits(bits, low);
        if constexpr (Condition) condition[to] = Mask(value.high != 0);
        if constexpr (!Condition) number[to] = value.template as<T>();
    } else if constexpr (is(Op, opcode::result) && Condition) { // of a region, whose results are numbers
        condition[to] = number[x + bits] != T(0);
    } else if constexpr (facts(Op).results > 1) {
        operation<Op>::values(number[x], number[to], number[to + 1]);
    } else if constexpr (is(Op, opcode::where) && Condition) {
        condition[to] = (condition[x] && condition[y]) || (!condition[x] && condition[z]);
    } else if constexpr (is(Op, opcode::where)) {
        number[to] = operation<Op>::value(condition[x], number[y], number[z]);
    } else if constexpr (is(Op, opcode::logical_not)) {
        condition[to] = operation<Op>::value(condition[x]);
    } else if constexpr (is(Op, opcode::logical_and) || is(Op, opcode::logical_or)) {
        condition[to] = operation<Op>::value(condition[x], condition[y]);
    } else if constexpr (Condition) {
        condition[to] = operation<Op>::value(number[x], number[y]);
    } else if constexpr (!is(Op, opcode::result)) { // whose operation has put it in place
        using rule = operation<Op>;
        if constexpr (symbolic<T> && rule::arity == 1) { // active numbers: what is computed is recorded
            number[to] = T(apply<Op>(attribute, number[x]));
        } else if constexpr (symbolic<T> && rule::arity == 2) {
            number[to] = T(apply<Op>(attribute, number[x], number[y]));
        } else if constexpr (symbolic<T>) {
            number[to] = T(apply<Op>(attribute, number[x], number[y], number[z]));
        } else if constexpr (rule::attributed && rule::arity == 1) {
            number[to] = rule::value(attribute, number[x]);
        } else if constexpr (rule::attributed) {
            number[to] = rule::value(attribute, number[x], number[y], number[z]);
        } else if constexpr (rule::arity == 1) {
            number[to] = rule::value(number[x]);
        } else if constexpr (Contracts && requires { rule::contracted(number[x], number[y]); }) {
            number[to] = rule::contracted(number[x], number[y]);
        } else if constexpr (rule::arity == 2) {
            number[to] = rule::value(number[x], number[y]);
        } else {
            number[to] = rule::value(number[x], number[y], number[z]);
        }
    }
}

/// Statement number i of the table `program`, as a constant and as an argument: where there are no static tables, one put
/// together from constants. (They are read from a copy of the one statement: nvcc's front end takes memory for the whole table
/// each time that a constant is read from it.)
#if DYAD_STATIC_TABLES
#define DYAD_STATEMENT_AT(i) program.at[i]
#define DYAD_STATEMENT(s) s
#else
#define DYAD_STATEMENT_AT(i) statement_at<(i)>
#define DYAD_STATEMENT(s)                                                                                             \
    statement {                                                                                                       \
        DYAD_CONSTANT(s.op), DYAD_CONSTANT(s.condition), DYAD_CONSTANT(s.to),                                         \
            {DYAD_CONSTANT(s.from[0]), DYAD_CONSTANT(s.from[1]), DYAD_CONSTANT(s.from[2])}, \
            DYAD_CONSTANT(s.bits), DYAD_CONSTANT(s.low)                                                               \
    }
#endif

/// The places of what is handed to a call: the numbers, then the buffers.
template <std::size_t N>
struct call_operands {
    node_index numbers[N + 1] = {};
    node_index buffers[N + 1] = {};
    std::size_t number_count = 0, buffer_count = 0;

    template <std::size_t Size>
    constexpr call_operands(graph_view g, const statements<Size>& program, node_index call) {
        for (const node_index entry : links(g.nodes, g.nodes[call].operand[0])) {
            if (is_buffer(g, entry)) buffers[buffer_count++] = program.at[entry].to;
            else numbers[number_count++] = program.at[entry].to;
        }
    }
};

#define DYAD_NO_ROUNDS_KEPT                                                                                                       \
    "[dyad] kernel: a kernel of a device has no memory for the rounds of a loop, which reverse mode keeps; use grad, value_and_grad " \
    "or jvp of the function in the kernel, which go forward through loops"

/// A vector whose numbers can be had one by one.
template <class T>
concept has_lanes = requires(const T& x, typename T::value_type* lanes) {
    { T::size } -> std::convertible_to<std::size_t>;
    x.store_unaligned(lanes);
    { T::load_unaligned(lanes) } -> std::same_as<T>;
};

/// A lowered graph, `Lowered::graph`, as a function of values; `Lowered::region<K, Which>` and `Lowered::info<K>` are the
/// bodies of its regions and what they take.
template <class Lowered>
struct kernel_of {
    static constexpr graph_view graph = Lowered::graph.view();
    static constexpr std::size_t size = graph.size;
    static constexpr std::size_t outputs = graph.output_count;
    static constexpr statements<size> program = statements_of<size>(graph);
    template <std::size_t Item>
    static constexpr statement statement_at = program.at[Item];

    /// Whether it calls functions of a library, which may give a vector other bits than a number.
    static constexpr bool calls = [] {
        bool any = false;
        for (std::size_t i = 0; i < size; ++i) any = any || !is_inline(graph[static_cast<node_index>(i)].op);
        return any;
    }();
    /// Whether the compiler may join its products and sums (op/contraction.hpp): where the program says so.
    static constexpr bool contracts = [] {
        if constexpr (DYAD_CONTRACTION && requires { Lowered::contracts; }) {
            return Lowered::contracts;
        } else {
            return false;
        }
    }();
    /// Whether nothing of a loop's rounds is kept: no memory is needed.
    static constexpr bool keeps_nothing = [] {
        if constexpr (program.has_regions) {
            return program.buffers == 0 && []<std::size_t... K>(std::index_sequence<K...>) {
                return ((Lowered::template info<K>.slots == 0 && Lowered::template info<K>.kind != region_kind::sweep) && ...);
            }(std::make_index_sequence<program.regions>{});
        } else {
            return true;
        }
    }();

    /// The outputs at `input`, which holds graph.input_count values.
    template <class T>
    DYAD_FN DYAD_INLINE static constexpr std::array<T, outputs> run(const T* input) {
        if constexpr (program.has_regions && vector_like<T>) {
            return run_lane_by_lane(input);
        } else {
            T number[program.numbers + 1];
            math::mask_of<T> condition[program.conditions + 1];
            run_level(number, condition, input, static_cast<const history_view<T>*>(nullptr), 0);
            return results(number, std::make_index_sequence<outputs>{});
        }
    }
    /// The same of the body of a loop, at an index, into `output`.
    template <class T>
    DYAD_FN DYAD_INLINE static constexpr void run_body(const T* input, const history_view<T>* borrowed, std::ptrdiff_t index, T* output) {
        T number[program.numbers + 1];
        math::mask_of<T> condition[program.conditions + 1];
        run_level(number, condition, input, borrowed, index);
        deliver_from<0>(number, output);
    }
    /// The same for code of a device, which cannot read a std::array nor take memory.
    template <class T>
    DYAD_FN DYAD_INLINE static constexpr void run_into(const T* input, T* output) {
        static_assert(keeps_nothing, DYAD_NO_ROUNDS_KEPT);
        T number[program.numbers + 1];
        math::mask_of<T> condition[program.conditions + 1];
        no_regions level;
        run_from<0>(number, condition, input, level);
        deliver_from<0>(number, output);
    }

private:
    // Fold expressions nest a level an element in clang, whose limit is 256.
    static constexpr std::size_t chunk = 32;

    /// Each number of a vector goes its own way through loops and branches.
    template <class T>
    static constexpr std::array<T, outputs> run_lane_by_lane(const T*) {
        static_assert(has_lanes<T> || number<T>, "[dyad] loop, branch: a vector of numbers runs through them one by one, which takes its size, load_unaligned and store_unaligned; call the function for each number");
        return {};
    }
    template <has_lanes T>
    static constexpr std::array<T, outputs> run_lane_by_lane(const T* input) {
        using lane = typename T::value_type;
        constexpr std::size_t inputs = graph.input_count;
        lane in[inputs + 1][T::size], out[outputs][T::size];
        for (std::size_t k = 0; k != inputs; ++k) input[k].store_unaligned(in[k]);
        for (std::size_t i = 0; i != T::size; ++i) {
            lane from[inputs + 1] = {};
            for (std::size_t k = 0; k != inputs; ++k) from[k] = in[k][i];
            const auto one = run<lane>(from);
            for (std::size_t k = 0; k != outputs; ++k) out[k][i] = one[k];
        }
        std::array<T, outputs> result{};
        for (std::size_t k = 0; k != outputs; ++k) result[k] = T::load_unaligned(out[k]);
        return result;
    }

    template <class T, class Mask>
    DYAD_FN DYAD_INLINE static constexpr void run_level(T* number, Mask* condition, const T* input, [[maybe_unused]] const history_view<T>* borrowed,
                                                        [[maybe_unused]] std::ptrdiff_t index) {
        if constexpr (program.has_regions && !(DYAD_DEVICE_CODE && keeps_nothing)) {
            level_state<T, program.buffers, program.regions> level;
            level.borrowed = borrowed;
            level.index = index;
            run_from<0>(number, condition, input, level);
        } else {
            no_regions level;
            run_from<0>(number, condition, input, level);
        }
    }

    template <std::size_t Begin, class T, class Mask, class Level>
    DYAD_FN DYAD_INLINE static constexpr void run_from(T* number, Mask* condition, const T* input, Level& level) {
        constexpr std::size_t left = size - Begin;
        if constexpr (left > chunk * chunk) {
            run_block<Begin>(number, condition, input, level, std::make_index_sequence<chunk>{});
            run_from<Begin + chunk * chunk>(number, condition, input, level);
        } else {
            if constexpr (left >= chunk) run_block<Begin>(number, condition, input, level, std::make_index_sequence<left / chunk>{});
            run_chunk<Begin + left / chunk * chunk>(number, condition, input, level,
                                                    std::make_index_sequence<left % chunk>{});
        }
    }
    template <std::size_t Begin, class T, class Mask, class Level, std::size_t... Item>
    DYAD_FN DYAD_INLINE static constexpr void run_block([[maybe_unused]] T* number, [[maybe_unused]] Mask* condition, [[maybe_unused]] const T* input,
                                                        [[maybe_unused]] Level& level, std::index_sequence<Item...>) {
        (run_chunk<Begin + Item * chunk>(number, condition, input, level, std::make_index_sequence<chunk>{}),
         ...);
    }
    template <std::size_t Begin, class T, class Mask, class Level, std::size_t... Item>
    DYAD_FN DYAD_INLINE static constexpr void run_chunk([[maybe_unused]] T* number, [[maybe_unused]] Mask* condition, [[maybe_unused]] const T* input,
                                                        [[maybe_unused]] Level& level, std::index_sequence<Item...>) {
        if constexpr (program.has_regions) {
            (step<Begin + Item>(number, condition, input, level), ...);
        } else {
            (execute<DYAD_STATEMENT_AT(Begin + Item).op, DYAD_STATEMENT_AT(Begin + Item).condition, contracts>(
                 number, condition, input, DYAD_STATEMENT(DYAD_STATEMENT_AT(Begin + Item))),
             ...);
        }
    }
    /// A statement that may be of a region.
    template <std::size_t Item, class T, class Mask, class Level>
    DYAD_FN DYAD_INLINE static constexpr void step(T* number, Mask* condition, const T* input, Level& level) {
        constexpr statement s = program.at[Item];
        if constexpr (is(s.op, opcode::entry)) {
            if constexpr (s.bits == 0) number[s.to] = number[s.from[1]];
            if constexpr (s.bits == 1) number[s.to] = condition[s.from[1]] ? T(1) : T(0);
            if constexpr (s.bits == 2) level.buffer[s.to] = level.buffer[s.from[1]];
        } else if constexpr (is(s.op, opcode::borrowed)) {
            level.buffer[s.to] = level.borrowed[s.bits];
        } else if constexpr (is(s.op, opcode::trail)) {
            level.buffer[s.to] = level.trail[s.bits >> 32].slot(s.bits & 0xffffffff);
        } else if constexpr (is(s.op, opcode::at)) {
            const history_view<T>& from = level.buffer[s.from[0]];
            number[s.to] = from.first[level.index * from.stride];
        } else if constexpr (is(s.op, opcode::call)) {
            constexpr std::size_t region = region_number(graph[Item]);
            constexpr call_operands<size> places(graph, program, Item);
            T operands[places.number_count + 1];
            DYAD_UNROLL_SMALL
            for (std::size_t k = 0; k != places.number_count; ++k) operands[k] = number[places.numbers[k]];
            using facts_of_region = region_of<Lowered, region>;
            using first = kernel_of<typename Lowered::template region<region, 0>>;
            using second = kernel_of<typename Lowered::template region<region, 1>>;
            if constexpr (std::is_same_v<Level, no_regions>) {
                run_region<facts_of_region, first, second>(no_memory{}, operands, number + s.to);
            } else {
                history_view<T> borrowed[places.buffer_count + 1];
                for (std::size_t k = 0; k != places.buffer_count; ++k) borrowed[k] = level.buffer[places.buffers[k]];
                run_region<facts_of_region, first, second>(region_memory<T>{level.trail[region], level.frame, borrowed}, operands, number + s.to);
            }
        } else if constexpr (!is(s.op, opcode::nothing)) {
            execute<s.op, s.condition, contracts>(number, condition, input, s);
        }
    }
    template <std::size_t Begin, class T>
    DYAD_FN DYAD_INLINE static constexpr void deliver_from(const T* number, T* output) {
        constexpr std::size_t left = outputs - Begin;
        deliver<Begin>(number, output, std::make_index_sequence<(left < chunk ? left : chunk)>{});
        if constexpr (left > chunk) deliver_from<Begin + chunk>(number, output);
    }
    template <std::size_t Begin, class T, std::size_t... Item>
    DYAD_FN DYAD_INLINE static constexpr void deliver([[maybe_unused]] const T* number, [[maybe_unused]] T* output, std::index_sequence<Item...>) {
        ((output[Begin + Item] = number[DYAD_CONSTANT(program.at[graph.outputs[Begin + Item]].to)]), ...);
    }
    template <class T, std::size_t... Item>
    DYAD_FN DYAD_INLINE static constexpr std::array<T, outputs> results(const T* number,
                                                                        std::index_sequence<Item...>) {
        return {number[DYAD_CONSTANT(program.at[graph.outputs[Item]].to)]...};
    }
};

#undef DYAD_STATEMENT
#undef DYAD_STATEMENT_AT

} // namespace dyad
DYAD_BOTH_SIDES_END

// ---- dyad/trace/pack.hpp
// Between expressions' types and graphs: the words that a graph becomes in a type, and the graphs of several expressions
// together in one builder. No templates where none need be: every operator on expressions runs through here.

// ---- dyad/graph/encode.hpp
// A graph as plain 64-bit words: the form in which a whole program is part of a type. Short symbols depend on
// it (about twenty characters a node), and device kernels take their programs in it. One word a node, and one
// more for constants, inputs and attributes; then the outputs. Which axes have size 1 is told only where it does not follow.

namespace dyad {

/// `N` words; equal programs are equal values, and so equal template arguments.
template <std::size_t N>
struct code {
    std::uint64_t words[N] = {};
    friend constexpr bool operator==(const code&, const code&) = default;
};

constexpr bool has_bits(opcode op) {
    return op == opcode::constant || op == opcode::input || op == opcode::parameter || op == opcode::result ||
           facts(op).attributed;
}

/// The words of a graph: numbers of nodes, outputs and inputs; nodes; outputs.
constexpr list<std::uint64_t> encode(graph_view g) {
    if (g.size >= 0x10000 || g.output_count >= 0x10000 || g.input_count >= 0x10000) throw value_error("[dyad] expression: more than 65,535 nodes, inputs or outputs in one type");
    list<std::uint64_t> words{std::uint64_t{g.size} << 32 | std::uint64_t{g.output_count} << 16 | g.input_count};
    for (std::size_t i = 0; i < g.size; ++i) {
        const node& n = g[i];
        const bool leaf = n.arity() == 0; // a constant's operands hold digits; they get a word below
        std::uint64_t word = static_cast<std::uint64_t>(n.op) << 56 |
                             static_cast<std::uint64_t>(n.type) << 52 |
                             static_cast<std::uint64_t>(n.rank) << 48;
        for (int k = 0; k < 3 && !leaf; ++k) word |= std::uint64_t{n.operand[k]} << (16 * k);
        const bool wide = n.op == opcode::constant && (n.operand[0] != 0 || n.operand[1] != 0);
        words.push_back(word | (wide ? 1U : 0U));
        const std::uint64_t ones = n.rank != 0 && is_of_own_shape(n.op) ? std::uint64_t{n.ones} << 32 : 0; // (such bits are short ones)
        if (has_bits(n.op)) words.push_back(n.bits | ones);
        if (wide) words.push_back(std::uint64_t{n.operand[1]} << 32 | n.operand[0]);
    }
    for (std::size_t k = 0; k < g.output_count; ++k) words.push_back(g.outputs[k]);
    return words;
}

constexpr graph decode(const std::uint64_t* words) {
    graph g;
    const std::uint64_t head = *words++;
    g.input_count = head & 0xffff;
    for (std::size_t i = 0; i < head >> 32; ++i) {
        const std::uint64_t word = *words++;
        node n{.op = static_cast<opcode>(word >> 56),
               .type = static_cast<element>(word >> 52 & 0xf),
               .rank = static_cast<std::uint8_t>(word >> 48 & 0xf)};
        if (has_bits(n.op)) n.bits = *words++;
        const bool own_shape = is_of_own_shape(n.op);
        if (n.rank != 0 && own_shape) {
            n.ones = static_cast<std::uint8_t>(n.bits >> 32);
            n.bits &= 0xffffffff;
        }
        if (n.op == opcode::constant && (word & 1) != 0) {
            n.operand[0] = static_cast<node_index>(*words);
            n.operand[1] = static_cast<node_index>(*words++ >> 32);
        }
        for (int k = 0; k < 3 && n.arity() > 0; ++k) n.operand[k] = word >> (16 * k) & 0xffff; // (the third may be an asked_as)
        if (n.rank != 0 && !own_shape) set_shape(n, shape_with(n, g.nodes.data())); // which axes have size 1
        g.nodes.push_back(n);
    }
    for (std::size_t k = 0; k < (head >> 16 & 0xffff); ++k)
        g.outputs.push_back(static_cast<node_index>(*words++));
    return g;
}

template <std::size_t N>
constexpr graph decode(const code<N>& c) {
    return decode(c.words);
}

} // namespace dyad

// ---- dyad/pass/canonical.hpp
// The order of nodes that depends on the formulas alone: operands before users, left before right, from the
// first output on. Equal formulas then are equal graphs, however they were built, and equal types.

namespace dyad {

/// The same graph with its nodes in canonical order, and inputs that it does not use left out.
constexpr graph canonical(graph_view g) {
    graph result;
    result.input_count = g.input_count;
    list<node_index> place(g.size, no_node);
    struct visit {
        node_index at = 0;
        int next = 0;
    };
    list<visit> path;
    for (std::size_t k = 0; k < g.output_count; ++k) {
        path.push_back({g.outputs[k], 0});
        while (!path.empty()) {
            const node_index here = path.back().at;
            const node& n = g.nodes[here];
            if (place.at[here] != no_node) {
                path.pop_back();
            } else if (path.back().next < n.arity()) {
                path.push_back({n.operand[path.back().next++], 0});
            } else {
                node moved = n;
                for (int j = 0; j < n.arity(); ++j) moved.operand[j] = place.at[n.operand[j]];
                place.at[here] = static_cast<node_index>(result.nodes.size());
                result.nodes.push_back(moved);
                path.pop_back();
            }
        }
        result.outputs.push_back(place.at[g.outputs[k]]);
    }
    return result;
}

} // namespace dyad

// ---- dyad/pass/simplify.hpp
// The simplify pass: every node in canonical form, by rules that look at a node and its operands only, so
// that one walk suffices. The same rules are the rewriter of the builders that other passes use: what they
// make is simple from the start.

// ---- dyad/pass/algebra.hpp
// Sums, products, quotients and whole powers in canonical form: constants folded and first, signs outermost,
// equal factors as powers, like terms as multiples. Each function returns a node that equals the operation
// on the nodes it is given; what may change an IEEE result happens under policy::fast only (docs/rewrites.md).

// ---- dyad/pass/factors.hpp
// A product, quotient or power seen as the factors that it is made of, whatever tree they stand in.

namespace dyad {

/// A constant that can move through products without a risk of overflow worth the name.
constexpr bool is_moderate(double c) {
    const double size = c < 0 ? -c : c;
    return size >= 0x1p-16 && size <= 0x1p16;
}

/// An exponent n + 1/2, 0 < n < 4: xⁿ √x is as good as the power, and quicker.
constexpr bool is_root_power(double exponent) {
    return exponent == 1.5 || exponent == 2.5 || exponent == 3.5;
}

/// base^(halves/2): roots are powers too.
struct factor {
    node_index base = no_node;
    int halves = 2;
};

/// The power that a node is; one that is nothing else is its own base.
constexpr factor as_factor(const node* nodes, node_index x) {
    int halves = 2;
    if (nodes[x].op == opcode::ipow) {
        halves *= nodes[x].attribute();
        x = nodes[x].operand[0];
    }
    if (nodes[x].op == opcode::sqrt) return {nodes[x].operand[0], halves / 2};
    return {x, halves};
}

/// The first factors of a product: enough to see what cancels, few enough to look at every time.
struct factor_list {
    static constexpr int capacity = 8;
    static constexpr int depth = 5;
    factor at[capacity];
    int count = 0;

    constexpr factor_list(const node* nodes, node_index x, int sign) { collect(nodes, x, sign, depth); }

private:
    constexpr void collect(const node* nodes, node_index x, int sign, int left) {
        const node& n = nodes[x];
        if ((n.op == opcode::mul || n.op == opcode::div) && left > 0) {
            collect(nodes, n.operand[0], sign, left - 1);
            collect(nodes, n.operand[1], n.op == opcode::mul ? sign : -sign, left - 1);
        } else if (n.op != opcode::constant && count < capacity) {
            at[count] = as_factor(nodes, x);
            at[count++].halves *= sign;
        }
    }
};

/// Whether a product divides by anything, near its top.
constexpr bool divides(const node* nodes, node_index x, int depth = factor_list::depth) {
    const node& n = nodes[x];
    if (n.op != opcode::mul || depth == 0) return n.op == opcode::div;
    return divides(nodes, n.operand[1], depth - 1) || divides(nodes, n.operand[0], depth - 1);
}

} // namespace dyad

// ---- dyad/pass/policy.hpp
// How freely the passes may rewrite a program. docs/rewrites.md lists every rewrite with the policy it needs.

namespace dyad {

enum class policy {
    verbatim, ///< no rewriting at all: the operations as written, equal ones merged
    strict,   ///< only rewrites that keep every bit of an IEEE result, NaN payloads aside
    fast      ///< also those that may change the last bits, the sign of a zero, or a NaN that algebra avoids
};

/// The policy of functions that do not name one (`dyad::strict(f)` does).
#if defined(DYAD_STRICT)
inline constexpr policy default_policy = policy::strict;
#else
inline constexpr policy default_policy = policy::fast;
#endif

/// The policy of a function: its own, if it names one, else the default.
template <class F>
constexpr policy policy_of() {
    if constexpr (requires { F::rewriting; }) {
        return F::rewriting;
    } else {
        return default_policy;
    }
}

} // namespace dyad

namespace dyad {

/// Canonical arithmetic on the nodes of one builder.
class algebra {
public:
    constexpr algebra(builder& b, bool fast) : b_(b), fast_(fast) {}

    constexpr node_index add(node_index x, node_index y);
    constexpr node_index sub(node_index x, node_index y);
    constexpr node_index mul(node_index x, node_index y);
    constexpr node_index div(node_index x, node_index y);
    constexpr node_index neg(node_index x);
    constexpr node_index ipow(node_index x, int n);

    [[nodiscard]] constexpr bool fast() const { return fast_; }
    [[nodiscard]] constexpr builder& home() const { return b_; }
    [[nodiscard]] constexpr const node& at(node_index x) const { return b_.nodes.at[x]; }
    [[nodiscard]] constexpr bool is(node_index x, opcode op) const {
        return b_.nodes.at[x].op == op;
    }
    [[nodiscard]] constexpr bool is(node_index x, double value) const {
        return is(x, opcode::constant) && constant_value(b_.nodes.at[x]) == value;
    }
    [[nodiscard]] constexpr node_index operand(node_index x, int k = 0) const {
        return b_.nodes.at[x].operand[k];
    }
    /// A new constant of the type of `like`.
    constexpr node_index constant(exact value, node_index like) {
        return b_.constant(value, b_.nodes.at[like].type);
    }
    /// The node as it is, its type being the wider of its operands'.
    constexpr node_index store(opcode op, node_index x, node_index y, std::uint64_t bits = 0) {
        const element a = b_.nodes.at[x].type, b = b_.nodes.at[y].type;
        node n{.op = op, .type = a < b ? b : a, .operand = {x, y, 0}, .bits = bits};
        if ((b_.nodes.at[x].rank | b_.nodes.at[y].rank) != 0) set_shape(n, broadcast(shape_of(at(x)), shape_of(at(y))));
        return b_.add(n);
    }
    constexpr node_index store(opcode op, node_index x) {
        const node& of = b_.nodes.at[x];
        return b_.add({.op = op, .type = of.type, .rank = of.rank, .ones = of.ones, .operand = {x, 0, 0}});
    }
    /// Node x, with as many elements as it had beside `dropped`, which may stretch it as the program runs.
    constexpr node_index without_operand(node_index x, node_index dropped) {
        if (at(dropped).rank == 0) return x;
        return b_.emit({.op = opcode::broadcast_like, .operand = {x, dropped, 0}, .bits = kept_stretch});
    }
    /// The canonical order of commuting operands: constants, inputs and their powers by number, the rest by
    /// operation and formula.
    [[nodiscard]] constexpr bool precedes(node_index x, node_index y) const {
        const node *const n = b_.nodes.at, &a = n[x], &b = n[y];
        const node& p = a.op == opcode::ipow ? n[a.operand[0]] : a;
        const node& q = b.op == opcode::ipow ? n[b.operand[0]] : b;
        const opcode i = p.op == opcode::input ? p.op : a.op, j = q.op == opcode::input ? q.op : b.op;
        if (i != j) return i < j;
        if (i != opcode::input) return b_.hashes.at[x] < b_.hashes.at[y];
        return p.bits != q.bits ? p.bits < q.bits : a.bits > b.bits && a.op == opcode::ipow;
    }

private:
    constexpr node_index mul_by_constant(node_index x, node_index y);
    constexpr node_index cancelled(node_index x, node_index y, int sign);
    constexpr node_index without(node_index x, factor f, int depth = factor_list::depth);
    constexpr node_index root_power(node_index x, int halves);

    /// A term as coefficient times body, or by it; a power as body to a whole exponent.
    struct scaled {
        exact factor;
        node_index body = no_node;
        bool divides = false;
    };
    struct power {
        node_index base = no_node;
        int exponent = 1;
    };

    [[nodiscard]] constexpr double value(node_index x) const { return constant_value(b_.nodes.at[x]).high; }
    [[nodiscard]] constexpr bool negative_constant(node_index x) const {
        return is(x, opcode::constant) && value(x) < 0;
    }
    [[nodiscard]] constexpr bool moderate(node_index x) const {
        return is(x, opcode::constant) && is_moderate(value(x));
    }
    [[nodiscard]] constexpr bool moderate_multiple(node_index x) const {
        return is(x, opcode::mul) && moderate(operand(x, 0));
    }
    [[nodiscard]] constexpr bool moderate_fraction(node_index x) const {
        return is(x, opcode::div) && moderate(operand(x, 0));
    }
    [[nodiscard]] constexpr scaled as_scaled(node_index x) const {
        if ((is(x, opcode::mul) && is(operand(x, 0), opcode::constant)) || moderate_fraction(x))
            return {constant_value(b_.nodes.at[operand(x, 0)]), operand(x, 1), is(x, opcode::div)};
        return {exact(1), x};
    }
    /// Whether a·x and b·x may be how a number is split into halves of its digits, which lives on what rounding takes: a is 2¹² + 1 for
    /// floats, 2²⁷ + 1 for doubles, and b is 1 (Dekker, Numer. Math. 18, 1971).
    static constexpr bool splits(double a, double b) {
        const double x = a < 0 ? -a : a, y = b < 0 ? -b : b;
        return x * 0x1p-12 > y || y * 0x1p-12 > x;
    }
    /// The factor of a·u op b·u as one multiple of u, or of a/u op b/u as one fraction; not known for other terms.
    [[nodiscard]] constexpr folded common_factor(opcode op, const scaled& a, const scaled& b) const {
        if (a.body != b.body || a.divides != b.divides || (!a.divides && splits(a.factor.high, b.factor.high))) return {};
        const exact values[] = {a.factor, b.factor};
        return fold(op, 0, values, at(a.body).type);
    }
    /// Like terms with factors of one sign that add up. (If they did not, sums of three would be rearranged for ever.)
    [[nodiscard]] constexpr bool like_signed(node_index x, node_index y) const {
        const scaled p = as_scaled(x), q = as_scaled(y);
        return !is(p.body, opcode::constant) && (p.factor.high > 0) == (q.factor.high > 0) && common_factor(opcode::add, p, q).known;
    }
    /// Small enough that sums of such exponents stay whole numbers.
    static constexpr bool is_exponent(std::int64_t n) { return n <= 1 << 20 && n >= -(1 << 20); }
    [[nodiscard]] constexpr power as_power(node_index x) const {
        if (is(x, opcode::ipow) && is_exponent(at(x).attribute())) return {operand(x), at(x).attribute()};
        return {x, 1};
    }
    constexpr node_index folded_or_stored(opcode op, node_index x, node_index y) {
        const exact values[] = {constant_value(b_.nodes.at[x]), constant_value(b_.nodes.at[y])};
        const element type = promote(b_.nodes.at[x].type, b_.nodes.at[y].type);
        const folded result = fold(op, 0, values, type);
        return result.known ? b_.constant(result.value, type) : store(op, x, y);
    }
    /// x op y as one term; nothing if they are not like terms, or their factors do not fold.
    constexpr node_index combined(opcode op, node_index x, node_index y) {
        if (!is(x, opcode::mul) && !is(y, opcode::mul) && !is(x, opcode::div)) return no_node; // as most terms are
        const scaled a = as_scaled(x);
        const folded factor = common_factor(op, a, as_scaled(y));
        if (!factor.known) return no_node;
        const node_index c = constant(factor.value, a.body);
        return a.divides ? div(c, a.body) : mul(c, a.body);
    }
    /// Two constants that fold into one.
    [[nodiscard]] constexpr bool folds(opcode op, node_index x, node_index y) const {
        if (!is(x, opcode::constant) || !is(y, opcode::constant)) return false;
        const exact values[] = {constant_value(at(x)), constant_value(at(y))};
        return fold(op, 0, values, at(x).type).known;
    }
    /// Whether the sum of two constants holds each to a thousandth: no summand is dropped for being small.
    [[nodiscard]] constexpr bool keeps_both(node_index x, node_index y) const {
        if (!folds(opcode::add, x, y)) return false;
        const exact values[] = {constant_value(at(x)), constant_value(at(y))};
        const double a = values[0].high, b = values[1].high, sum = fold(opcode::add, 0, values, at(x).type).value.high;
        const auto nearby = [](double found, double wanted) { return found - wanted <= 1e-3 * (wanted < 0 ? -wanted : wanted) && wanted - found <= 1e-3 * (wanted < 0 ? -wanted : wanted); };
        return nearby(sum - a, b) && nearby(sum - b, a);
    }
    constexpr exact negated(node_index x) const {
        exact c = constant_value(b_.nodes.at[x]);
        c.high = -c.high;
        c.low = -c.low;
        return c;
    }

    builder& b_;
    bool fast_;
};

constexpr node_index algebra::neg(node_index x) {
    if (is(x, opcode::constant)) return constant(negated(x), x);
    if (is(x, opcode::neg)) return operand(x);
    if ((is(x, opcode::mul) || is(x, opcode::div)) && is(operand(x, 0), opcode::constant))
        return store(at(x).op, constant(negated(operand(x, 0)), x), operand(x, 1));
    if (fast_ && is(x, opcode::sub)) return sub(operand(x, 1), operand(x, 0));
    return store(opcode::neg, x);
}

constexpr node_index algebra::add(node_index x, node_index y) {
    if (precedes(y, x)) return add(y, x); // from here on a constant is x
    const opcode p = b_.nodes.at[x].op, q = b_.nodes.at[y].op;
    if (p == opcode::constant) {
        if (q == opcode::constant) return folded_or_stored(opcode::add, x, y);
        if (fast_ && is(x, 0.0)) return y;
        if (value(x) < 0) return sub(y, constant(negated(x), x));
    }
    if (q == opcode::neg) return sub(x, operand(y));
    if (p == opcode::neg) return sub(y, operand(x));
    if (x == y) return mul(constant(exact(2), x), x);
    if (q == opcode::mul && negative_constant(operand(y))) return sub(x, neg(y));
    if (p == opcode::mul && negative_constant(operand(x))) return sub(y, neg(x));
    if (!fast_) return store(opcode::add, x, y);
    if (const node_index one = combined(opcode::add, x, y); one != no_node) return one;
    const bool plain_x = p != opcode::add && p != opcode::sub, plain_y = q != opcode::add && q != opcode::sub;
    if (plain_x && plain_y) return store(opcode::add, x, y);
    // (u + a) + a = u + 2a, and (c + u) + d = (c + d) + u: of one sign only, because opposite signs are how
    // compensated sums recover what rounding took.
    for (int side = 0; side < 2; ++side) {
        const node_index sum = side == 0 ? x : y, term = side == 0 ? y : x;
        if (is(sum, opcode::sub) && like_signed(operand(sum, 0), term)) // (a - u) + a = 2a - u
            return sub(add(operand(sum, 0), term), operand(sum, 1));
        for (int k = 0; k < 2 && is(sum, opcode::add); ++k) {
            const node_index inner = operand(sum, k);
            if (keeps_both(inner, term) || like_signed(inner, term))
                return add(operand(sum, 1 - k), add(inner, term));
        }
    }
    return store(opcode::add, x, y);
}

constexpr node_index algebra::sub(node_index x, node_index y) {
    const opcode p = b_.nodes.at[x].op, q = b_.nodes.at[y].op;
    if (q == opcode::constant) {
        if (p == opcode::constant) return folded_or_stored(opcode::sub, x, y);
        const bool zero = is(y, 0.0) && (fast_ || std::bit_cast<std::uint64_t>(value(y)) == 0);
        if (zero) return x; // also for x = -0, the constant being +0
        if (value(y) < 0) return add(x, constant(negated(y), y));
    }
    if (q == opcode::neg) return add(x, operand(y));
    if (q == opcode::mul && negative_constant(operand(y))) return add(x, neg(y));
    if (!fast_) return store(opcode::sub, x, y);
    if (p == opcode::neg) return neg(add(operand(x), y));
    if (p == opcode::constant && is(x, 0.0)) return neg(y);
    if (x == y) return constant(exact(0), x);
    if (p == opcode::mul && negative_constant(operand(x))) return neg(add(neg(x), y));
    if (const node_index one = combined(opcode::sub, x, y); one != no_node) return one;
    if (p == opcode::sub && like_signed(operand(x, 1), y)) // (u - a) - a = u - 2a
        return sub(operand(x, 0), add(operand(x, 1), y));
    if (p == opcode::exp && is(y, 1.0)) return store(opcode::expm1, operand(x));
    if (q == opcode::exp && is(x, 1.0)) return neg(store(opcode::expm1, operand(y)));
    return store(opcode::sub, x, y);
}

constexpr node_index algebra::mul(node_index x, node_index y) {
    if (precedes(y, x)) return mul(y, x); // from here on a constant is x
    const opcode p = b_.nodes.at[x].op, q = b_.nodes.at[y].op;
    if (p == opcode::constant) return mul_by_constant(x, y);
    if (p == opcode::neg) return neg(mul(operand(x), y));
    if (q == opcode::neg) return neg(mul(x, operand(y)));
    if (x == y) return ipow(x, 2);
    const bool plain_x = p != opcode::mul && p != opcode::div && p != opcode::ipow;
    const bool plain_y = q != opcode::mul && q != opcode::div && q != opcode::ipow;
    if (!fast_ || (plain_x && plain_y)) return store(opcode::mul, x, y);

    if (p == opcode::mul && moderate(operand(x))) return mul(operand(x), mul(operand(x, 1), y));
    if (q == opcode::mul && moderate(operand(y))) return mul(operand(y), mul(x, operand(y, 1)));
    if (p == opcode::div && moderate(operand(x))) return mul(operand(x), div(y, operand(x, 1)));
    if (q == opcode::div && moderate(operand(y))) return mul(operand(y), div(x, operand(y, 1)));
    if (divides(b_.nodes.at, x) || divides(b_.nodes.at, y)) {
        const node_index less = cancelled(x, y, 1);
        if (less != no_node) return less;
    }
    const power a = as_power(x), b = as_power(y);
    if (a.base == b.base) return ipow(a.base, a.exponent + b.exponent);
    // (u·xᵐ)·xⁿ = u·xᵐ⁺ⁿ
    for (int side = p == opcode::mul ? 0 : 1; side < (q == opcode::mul ? 2 : 1); ++side) {
        const node_index product = side == 0 ? x : y;
        const power factor = side == 0 ? b : a;
        for (int k = 0; k < 2; ++k) {
            const power inner = as_power(operand(product, k));
            if (inner.base == factor.base)
                return mul(operand(product, 1 - k), ipow(inner.base, inner.exponent + factor.exponent));
        }
    }
    return store(opcode::mul, x, y);
}

constexpr node_index algebra::mul_by_constant(node_index x, node_index y) {
    if (is(y, opcode::constant)) return folded_or_stored(opcode::mul, x, y);
    if (is(x, 1.0)) return y;
    if (is(x, -1.0)) return neg(y);
    if (fast_ && is(x, 0.0)) return x;
    if (is(y, opcode::neg)) return mul(constant(negated(x), x), operand(y));
    const bool scaled_y = is(y, opcode::mul) || is(y, opcode::div);
    if (fast_ && scaled_y && folds(opcode::mul, x, operand(y, 0))) {
        const node_index factor = folded_or_stored(opcode::mul, x, operand(y, 0));
        return is(y, opcode::mul) ? mul(factor, operand(y, 1)) : div(factor, operand(y, 1));
    }
    return store(opcode::mul, x, y);
}

constexpr node_index algebra::div(node_index x, node_index y) {
    const bool x_constant = is(x, opcode::constant), y_constant = is(y, opcode::constant);
    if (x_constant && y_constant) return folded_or_stored(opcode::div, x, y);
    if (is(y, 1.0)) return x;
    if (is(y, -1.0)) return neg(x);
    if (y_constant) {
        // A power of two divides as its inverse multiplies, bit for bit.
        const auto bits = std::bit_cast<std::uint64_t>(value(y));
        const bool power_of_two = (bits & ((std::uint64_t{1} << 52) - 1)) == 0;
        if (power_of_two && moderate(y) && constant_value(at(y)).low == 0) return mul(constant(exact(1 / value(y)), y), x);
        if (negative_constant(y)) return neg(div(x, constant(negated(y), y)));
    }
    if (is(y, opcode::neg)) return neg(div(x, operand(y)));
    if (is(x, opcode::neg)) return neg(div(operand(x), y));
    if (!fast_) return store(opcode::div, x, y);

    if (is(x, 0.0)) return x;
    if (y_constant && moderate(y) && moderate_multiple(x))
        return mul(folded_or_stored(opcode::div, operand(x, 0), y), operand(x, 1));
    if (y_constant && moderate(y) && moderate_fraction(x))
        return div(folded_or_stored(opcode::div, operand(x, 0), y), operand(x, 1));
    if (x_constant && moderate(x) && moderate_multiple(y))
        return div(folded_or_stored(opcode::div, x, operand(y, 0)), operand(y, 1));
    if (x_constant && moderate(x) && moderate_fraction(y))
        return mul(folded_or_stored(opcode::div, x, operand(y, 0)), operand(y, 1));
    if (!x_constant && moderate_multiple(x)) return mul(operand(x, 0), div(operand(x, 1), y));
    // xᵐ/xⁿ = xᵐ⁻ⁿ, which neither overflows nor vanishes before the result does.
    const power m = as_power(x), n = as_power(y);
    if (m.base == n.base) return ipow(m.base, m.exponent - n.exponent);
    const node_index less = cancelled(x, y, -1);
    if (less != no_node) return less;
    if (x_constant && is(y, opcode::div)) return mul(x, div(operand(y, 1), operand(y, 0)));
    // (c/xᵐ)/xⁿ = c/xᵐ⁺ⁿ
    if (moderate_fraction(x)) {
        const power a = as_power(operand(x, 1)), b = as_power(y);
        if (a.base == b.base) return div(operand(x, 0), ipow(a.base, a.exponent + b.exponent));
    }
    // eᶻ/(1 + eᶻ) and 1/(1 + eᶻ) are sigmoids, and as such neither overflow nor end in inf/inf.
    if (is(y, opcode::add) && is(operand(y, 0), 1.0) && is(operand(y, 1), opcode::exp)) {
        const node_index z = operand(operand(y, 1));
        if (is(x, 1.0)) return store(opcode::sigmoid, neg(z));
        if (x == operand(y, 1)) return store(opcode::sigmoid, z);
    }
    return store(opcode::div, x, y);
}

constexpr node_index algebra::ipow(node_index x, int n) {
    if (n == 0) return constant(exact(1), x);
    if (n == 1) return x;
    // (The slope of a quotient squares its divisor, which may overflow; the fast rules make one power of that.)
    if (n == -1 || (n < 0 && fast_)) return div(constant(exact(1), x), ipow(x, -n));
    if (is(x, opcode::constant)) {
        const exact base = constant_value(b_.nodes.at[x]);
        const folded result = fold(opcode::ipow, n, &base, b_.nodes.at[x].type);
        if (result.known) return constant(result.value, x);
    }
    if (is(x, opcode::neg)) return n % 2 == 0 ? ipow(operand(x), n) : neg(ipow(operand(x), n));
    if (is(x, opcode::abs) && n % 2 == 0) return ipow(operand(x), n);
    if (fast_) {
        if (const auto all = std::int64_t{n} * at(x).attribute(); is(x, opcode::ipow) && is_exponent(all)) return ipow(operand(x), static_cast<int>(all));
        if (is(x, opcode::sqrt)) return root_power(operand(x), n);
        if (moderate_multiple(x) && n <= 4) return mul(ipow(operand(x, 0), n), ipow(operand(x, 1), n));
    }
    return b_.add({.op = opcode::ipow,
                   .type = at(x).type,
                   .rank = at(x).rank,
                   .ones = at(x).ones,
                   .operand = {x, 0, 0},
                   .bits = static_cast<std::uint32_t>(n)});
}

/// x·y or x/y, by the sign, without one factor that meets itself as a divisor; nothing if there is none. Such a
/// quotient is 0/0 or inf/inf where the factor is 0 or infinite, which the result is not.
constexpr node_index algebra::cancelled(node_index x, node_index y, int sign) {
    const factor_list p(b_.nodes.at, x, 1), q(b_.nodes.at, y, sign);
    for (int i = 0; i < p.count; ++i) {
        for (int j = 0; j < q.count; ++j) {
            const int a = p.at[i].halves, b = q.at[j].halves;
            if (p.at[i].base != q.at[j].base || (a > 0) == (b > 0)) continue;
            const int common = (a + b > 0) == (a > 0) ? -b : a; // of the sign of a
            const element type = promote(at(x).type, at(y).type);
            const node_index less_x = without(x, {p.at[i].base, common});
            const node_index less_y = without(y, {p.at[i].base, -sign * common});
            const node_index result = sign > 0 ? mul(less_x, less_y) : div(less_x, less_y);
            if (at(result).type != type) return no_node;
            return a + b == 0 ? without_operand(result, p.at[i].base) : result;
        }
    }
    return no_node;
}

/// x/f, if x has the factor f or a higher power of it.
constexpr node_index algebra::without(node_index x, factor f, int depth) {
    const factor whole = as_factor(b_.nodes.at, x);
    if (whole.base == f.base && f.halves > 0 && whole.halves >= f.halves)
        return root_power(f.base, whole.halves - f.halves);
    const node n = at(x); // a copy: what is left appends nodes
    if ((n.op != opcode::mul && n.op != opcode::div) || depth == 0) return no_node;
    const node_index first = without(n.operand[0], f, depth - 1);
    if (first != no_node) return n.op == opcode::mul ? mul(first, n.operand[1]) : div(first, n.operand[1]);
    if (n.op == opcode::div) f.halves = -f.halves;
    const node_index second = without(n.operand[1], f, depth - 1);
    if (second == no_node) return no_node;
    return n.op == opcode::mul ? mul(n.operand[0], second) : div(n.operand[0], second);
}

/// x^(halves/2) for halves >= 0.
constexpr node_index algebra::root_power(node_index x, int halves) {
    const node_index whole = ipow(x, halves / 2);
    return halves % 2 == 0 ? whole : mul(whole, store(opcode::sqrt, x));
}

} // namespace dyad

namespace dyad {

/// A node as it is: folded if its operands are constants, else with commuting operands in order.
constexpr node_index fold_or_store(algebra& a, const node& n) {
    const std::size_t op = static_cast<std::size_t>(n.op);
    const int arity = arities.of[op];
    if (a.is(n.operand[0], opcode::constant) && (a.fast() || is_inline(n.op))) { // libraries differ in the last bit
        exact values[3];
        int constants = 0;
        for (int k = 0; k < arity && a.is(n.operand[k], opcode::constant); ++k, ++constants)
            values[k] = constant_value(a.at(n.operand[k]));
        if (constants == arity) {
            const folded result = fold(n.op, n.attribute(), values, n.type);
            if (result.known) return a.home().constant(result.value, n.type);
        }
    }
    const bool zeros = n.is(opcode::max) || n.is(opcode::min); // of 0 and -0 these return the one or the other
    if (!operation_table[op].commutative || (zeros && !a.fast()) || !a.precedes(n.operand[1], n.operand[0]))
        return a.home().add(n);
    node swapped = n;
    swapped.operand[0] = n.operand[1];
    swapped.operand[1] = n.operand[0];
    return a.home().add(swapped);
}

/// f(-x) = -f(x)
constexpr node_index simplify_odd(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    return a.is(x, opcode::neg) ? a.neg(a.store(n.op, a.operand(x))) : fold_or_store(a, n);
}

/// f(-x) = f(x)
constexpr node_index simplify_even(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    return a.is(x, opcode::neg) ? a.store(n.op, a.operand(x)) : fold_or_store(a, n);
}

/// |x| of what is not negative.
constexpr node_index simplify_abs(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    const bool even_power = a.is(x, opcode::ipow) && a.at(x).attribute() % 2 == 0;
    const bool positive = a.is(x, opcode::abs) || a.is(x, opcode::exp) ||
                          (a.fast() && a.is(x, opcode::sqrt)) || a.is(x, opcode::sigmoid) || a.is(x, opcode::hypot);
    return even_power || positive ? x : simplify_even(a, n);
}

/// Logarithms of exponentials, and of sums with 1, which lose the digits of a small summand.
constexpr node_index simplify_log(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    if (!a.fast()) return fold_or_store(a, n);
    if (a.is(x, opcode::exp)) return a.operand(x);
    if (a.is(x, opcode::add) && a.is(a.operand(x, 0), 1.0)) {
        const node_index y = a.operand(x, 1);
        return a.is(y, opcode::exp) ? a.store(opcode::softplus, a.operand(y))
                                    : a.store(opcode::log1p, y);
    }
    if (a.is(x, opcode::sub) && a.is(a.operand(x, 0), 1.0))
        return a.store(opcode::log1p, a.neg(a.operand(x, 1)));
    return fold_or_store(a, n);
}
constexpr node_index simplify_log1p(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    if (a.fast() && a.is(x, opcode::exp)) return a.store(opcode::softplus, a.operand(x));
    if (a.fast() && a.is(x, opcode::expm1)) return a.operand(x);
    return fold_or_store(a, n);
}

/// sqrt(x²) = |x|, whose slope at 0 is 0, not NaN; sqrt(c x²) = sqrt(c) |x|.
constexpr node_index simplify_sqrt(algebra& a, const node& n) {
    const node_index x = n.operand[0];
    const bool multiple = a.is(x, opcode::mul) && a.is(a.operand(x, 0), opcode::constant) &&
                          constant_value(a.at(a.operand(x, 0))).high > 0;
    const node_index power = multiple ? a.operand(x, 1) : x;
    const bool square = a.is(power, opcode::ipow) && a.at(power).attribute() == 2;
    if (!a.fast() || !square) return fold_or_store(a, n);
    const node_index root = a.store(opcode::abs, a.operand(power));
    if (!multiple) return root;
    const exact factor = constant_value(a.at(a.operand(x, 0)));
    const folded root_of_factor = fold(opcode::sqrt, 0, &factor, n.type); // (of a long double: not known)
    return root_of_factor.known ? a.mul(a.constant(root_of_factor.value, x), root) : fold_or_store(a, n);
}

/// max(x, x) = x, and its kin.
constexpr node_index simplify_choice(algebra& a, const node& n) {
    return n.operand[0] == n.operand[1] ? n.operand[0] : fold_or_store(a, n);
}

/// Powers with a constant exponent: whole ones multiply, halves are roots. (x^1.5 stays one until it is lowered: the
/// slope of x √x at 0 is 0/0.)
constexpr node_index simplify_power(algebra& a, const node& n) {
    const node_index x = n.operand[0], y = n.operand[1];
    if (!a.is(y, opcode::constant) || a.is(x, opcode::constant)) return fold_or_store(a, n);
    const double exponent = constant_value(a.at(y)).high;
    if (!(exponent >= -64 && exponent <= 64)) return fold_or_store(a, n);
    const int whole = static_cast<int>(exponent);
    if (exponent == whole && (a.fast() || (whole >= 0 && whole <= 1))) return a.ipow(x, whole);
    const bool half = exponent == 0.5 || exponent == -0.5;
    if (!a.fast() || !half) return fold_or_store(a, n);
    const node_index root = a.store(opcode::sqrt, x);
    return exponent == 0.5 ? root : a.div(a.constant(exact(1), x), root);
}

/// The slope c xᶜ⁻¹ of a power that lowering makes of a root.
constexpr node_index simplify_power_slope(algebra& a, const node& n) {
    const node_index x = n.operand[0], y = n.operand[1];
    if (!a.fast() || !a.is(y, opcode::constant) || !is_root_power(constant_value(a.at(y)).high)) return a.home().add(n);
    const exact exponent = constant_value(a.at(y));
    return a.mul(y, a.home().emit(opcode::pow, x, a.constant(exact(exponent.high - 1), y)));
}

/// Selections by a known condition or between equal operands.
constexpr node_index simplify_selection(algebra& a, const node& n) {
    const node_index c = n.operand[0], x = n.operand[1], y = n.operand[2];
    if (a.is(c, opcode::constant)) return a.is(c, 0.0) ? a.without_operand(y, x) : a.without_operand(x, y);
    if (x == y) return a.without_operand(x, c);
    node m = n;
    if (a.is(c, opcode::logical_not)) {
        m.operand[0] = a.operand(c);
        m.operand[1] = y;
        m.operand[2] = x;
    }
    node_index dropped[] = {c, c, c}; // by place: what an inner choice by the same condition never takes
    for (int k = 1; k < 3; ++k) {
        const node_index inner = m.operand[k];
        if (!a.is(inner, opcode::where) || a.operand(inner) != m.operand[0]) continue;
        m.operand[k] = a.operand(inner, k);
        dropped[k] = a.operand(inner, 3 - k);
    }
    node_index result = m.operand[1] == m.operand[2] ? a.without_operand(m.operand[1], c) : a.home().add(m);
    for (int k = 1; k < 3; ++k) result = dropped[k] == c ? result : a.without_operand(result, dropped[k]);
    return result;
}

/// Conditions that need not look: x < x, !!c, c && c, true && c.
constexpr node_index simplify_condition(algebra& a, const node& n) {
    const node_index x = n.operand[0], y = n.operand[1];
    if (n.is(opcode::logical_not))
        return a.is(x, opcode::logical_not) ? a.operand(x) : fold_or_store(a, n);
    if (n.is(opcode::less))
        return x == y ? a.home().constant(exact(0), element::boolean) : fold_or_store(a, n);
    if (x == y) return x;
    const double neutral = n.is(opcode::logical_and) ? 1 : 0;
    if (a.is(x, opcode::constant)) return a.is(x, neutral) ? y : x;
    if (a.is(y, opcode::constant)) return a.is(y, neutral) ? x : y;
    return fold_or_store(a, n);
}

// Arithmetic is the algebra's. (Functions, because lambdas would cost each node two calls more.)
constexpr node_index simplify_add(algebra& a, const node& n) { return a.add(n.operand[0], n.operand[1]); }
constexpr node_index simplify_sub(algebra& a, const node& n) { return a.sub(n.operand[0], n.operand[1]); }
constexpr node_index simplify_mul(algebra& a, const node& n) { return a.mul(n.operand[0], n.operand[1]); }
constexpr node_index simplify_div(algebra& a, const node& n) { return a.div(n.operand[0], n.operand[1]); }
constexpr node_index simplify_neg(algebra& a, const node& n) { return a.neg(n.operand[0]); }
constexpr node_index simplify_whole_power(algebra& a, const node& n) { return a.ipow(n.operand[0], n.attribute()); }
constexpr node_index simplify_stop(algebra& a, const node& n) {
    return a.is(n.operand[0], opcode::constant) ? n.operand[0] : a.home().add(n);
}

/// A rule: the canonical equal of a node that is about to be stored.
using rewrite_rule = node_index (*)(algebra&, const node&);

/// The rules by operation; `fold_or_store` where there is none of its own.
struct rewrite_rules {
    rewrite_rule of[static_cast<std::size_t>(opcode::count)] = {};

    constexpr rewrite_rules() {
        for (rewrite_rule& rule : of) rule = &fold_or_store;
        set(opcode::add) = &simplify_add;
        set(opcode::sub) = &simplify_sub;
        set(opcode::mul) = &simplify_mul;
        set(opcode::div) = &simplify_div;
        set(opcode::neg) = &simplify_neg;
        set(opcode::ipow) = &simplify_whole_power;
        set(opcode::stop_gradient) = &simplify_stop;
        for (const opcode op : {opcode::sin, opcode::tan, opcode::asin, opcode::atan, opcode::sinh,
                                opcode::tanh, opcode::asinh, opcode::atanh, opcode::erf, opcode::cbrt})
            set(op) = &simplify_odd;
        for (const opcode op : {opcode::cos, opcode::cosh, opcode::unit_circle, opcode::gaussian})
            set(op) = &simplify_even;
        for (const opcode op : {opcode::max, opcode::min, opcode::fmax, opcode::fmin})
            set(op) = &simplify_choice;
        for (const opcode op : {opcode::less, opcode::logical_and, opcode::logical_or, opcode::logical_not})
            set(op) = &simplify_condition;
        set(opcode::abs) = &simplify_abs;
        set(opcode::log) = &simplify_log;
        set(opcode::log1p) = &simplify_log1p;
        set(opcode::sqrt) = &simplify_sqrt;
        set(opcode::pow) = &simplify_power;
        set(opcode::pow_dx) = &simplify_power_slope;
        set(opcode::where) = &simplify_selection;
    }

private:
    constexpr rewrite_rule& set(opcode op) { return of[static_cast<std::size_t>(op)]; }
};
inline constexpr rewrite_rules rules_by_operation;

constexpr node_index simplify_fast(builder& b, const node& n) {
    algebra a(b, true);
    return rules_by_operation.of[static_cast<std::size_t>(n.op)](a, n);
}
constexpr node_index simplify_strict(builder& b, const node& n) {
    algebra a(b, false);
    return rules_by_operation.of[static_cast<std::size_t>(n.op)](a, n);
}

/// The rewriter that a policy stands for.
constexpr builder::rewriter rewriter_of(policy p) {
    return p == policy::fast ? &simplify_fast : p == policy::strict ? &simplify_strict : &store_unchanged;
}

/// The simplify pass on a whole graph; what no output needs is left out.
constexpr graph simplify(graph_view g, policy p = default_policy) {
    builder b(rewriter_of(p));
    return b.finish(b.append(g));
}

} // namespace dyad

// ---- dyad/trace/leaves.hpp
// The leaves of eager expressions: named variables, which merge by name, and unnamed run-time numbers, each
// a slot of its own. An expression's leaves stand in its type in one order: names alphabetically, then slots
// as they came.

// ---- dyad/base/fixed_string.hpp
// A string that can be a template argument, so that a variable's name is part of its type.

namespace dyad {

/// `N` characters and a final zero: the literal in `var<"x">`.
template <std::size_t N>
struct fixed_string {
    char characters[N + 1] = {};

    constexpr fixed_string(const char (&literal)[N + 1]) {
        for (std::size_t i = 0; i != N; ++i) characters[i] = literal[i];
    }

    [[nodiscard]] constexpr std::string_view view() const { return {characters, N}; }
};

template <std::size_t N>
fixed_string(const char (&)[N]) -> fixed_string<N - 1>;

} // namespace dyad

// ---- dyad/base/flat_tuple.hpp
// std::tuple's job for the leaves of expressions, which every operator makes anew: its elements are base classes side by side,
// so that it is trivially copyable where they are, and costs a compiler a tenth of the templates.

namespace dyad {

template <std::size_t Item, class T>
struct tuple_place {
    T element;
};
template <class Places, class... T>
struct tuple_places;
template <std::size_t... Item, class... T>
struct tuple_places<std::index_sequence<Item...>, T...> : tuple_place<Item, T>... {};

/// Values of the types `T...`, which may be references, in this order.
template <class... T>
struct flat_tuple : tuple_places<std::index_sequence_for<T...>, T...> {
    static constexpr std::size_t size = sizeof...(T);
    constexpr explicit flat_tuple(const T&... elements) : flat_tuple::tuple_places{{elements}...} {}
};

/// Element `Item`.
template <std::size_t Item, class T>
constexpr const T& flat_get(const tuple_place<Item, T>& place) {
    return place.element;
}
template <std::size_t Item, class T>
T type_at(const tuple_place<Item, T>&);
/// The type of element `Item` of a flat tuple.
template <std::size_t Item, class Tuple>
using flat_element = decltype(type_at<Item>(std::declval<const Tuple&>()));

/// f(flat_get<0>(t), flat_get<1>(t), ...)
template <class F, class... T>
constexpr decltype(auto) unpack(F&& f, const flat_tuple<T...>& t) {
    return [&]<std::size_t... Item>(std::index_sequence<Item...>) -> decltype(auto) {
        return std::forward<F>(f)(flat_get<Item>(t)...);
    }(std::index_sequence_for<T...>{});
}

} // namespace dyad

// ---- dyad/base/leaf_name.hpp
// Names of leaves that are no variables of the user's: of what functions with captured values run on.

namespace dyad {

/// What names of leaves begin with that are no variables of the user's.
namespace leaf_name {
inline constexpr char argument = '\1'; ///< an argument of a function that runs on expressions
inline constexpr char unknown = '\2';  ///< one without a value of its own: an element, what goes round a loop
constexpr bool is_unknown(std::string_view name) {
    return !name.empty() && name[0] == unknown;
}
constexpr bool is_argument(std::string_view name) {
    return is_unknown(name) || (!name.empty() && name[0] == argument);
}
} // namespace leaf_name

} // namespace dyad

namespace dyad {

/// A variable: `X::variable_name`, `X::leaf_type`. (nvcc does not find the name of a `var<Name, T>` that a function is called with.)
template <class X>
concept variable = requires {
    typename X::leaf_type;
    X::variable_name;
};
/// An expression or a variable.
template <class T>
concept eager = requires { typename std::remove_cvref_t<T>::dyad_eager; };

/// A leaf's value. `Name` is empty for a slot. `identity` tells apart two variables of one name: the address
/// of the variable that the value was first taken from (null in constant evaluation and for slots).
template <fixed_string Name, class T>
struct leaf {
    using value_type = T;
    static constexpr std::string_view name = Name.view();

    T value{};
    const void* identity = nullptr;
};

template <class T>
using slot = leaf<"", T>;

/// The leaves of an expression, as a type.
template <class... Leaves>
struct leaf_list {
    static constexpr std::size_t size = sizeof...(Leaves);
    using values = flat_tuple<Leaves...>;
};

/// The sentence for leaves of one name that differ in type. It stands where they meet: a function around the assertion would
/// show the reader their long types once more.
#define DYAD_TWO_TYPES_OF_ONE_NAME                                                                                              \
    "[dyad] expression: two variables of one name, but of different number types, stand in it (the name is in the types "      \
    "above); give one of them another name"

/// The place of the variable `Name` among leaves; their number if it does not occur.
template <fixed_string Name, class... Leaves>
constexpr std::size_t leaf_position(leaf_list<Leaves...>) {
    std::size_t place = 0;
    bool found = false;
    ((found = found || Leaves::name == Name.view(), place += found ? 0 : 1), ...);
    return place;
}

/// Where leaf `at` of operand `operand` comes from, and its place among the merged leaves.
struct leaf_source {
    std::size_t operand = 0;
    std::size_t at = 0;
    std::size_t to = 0;
    std::string_view name;
};

/// The merge of `Total` leaves: sources in the order of the operands, and for each merged leaf the first source.
template <std::size_t Total>
struct leaf_merge {
    leaf_source source[Total == 0 ? 1 : Total] = {};
    std::size_t first[Total == 0 ? 1 : Total] = {};
    std::size_t count = 0;
};

template <class... Lists>
struct merge_names;
template <class... Leaves>
struct merge_names<leaf_list<Leaves...>> {
    static constexpr std::array<std::string_view, sizeof...(Leaves)> names{Leaves::name...};
};

template <class... Lists>
constexpr auto merge_leaves() {
    constexpr std::size_t total = (std::size_t{0} + ... + Lists::size);
    leaf_merge<total> merge;
    std::size_t next = 0, operand = 0;
    const auto take = [&](const auto& names) {
        for (std::size_t i = 0; i < names.size(); ++i)
            merge.source[next++] = {operand, i, 0, names[i]};
        ++operand;
    };
    (take(merge_names<Lists>::names), ...);
    // Names by insertion in order, once each; then the slots.
    for (std::size_t s = 0; s < total; ++s) {
        if (merge.source[s].name.empty()) continue;
        std::size_t place = 0;
        while (place < merge.count && merge.source[merge.first[place]].name < merge.source[s].name)
            ++place;
        const bool known =
            place < merge.count && merge.source[merge.first[place]].name == merge.source[s].name;
        if (known) continue;
        for (std::size_t k = merge.count++; k > place; --k) merge.first[k] = merge.first[k - 1];
        merge.first[place] = s;
    }
    const std::size_t named = merge.count;
    for (std::size_t s = 0; s < total; ++s) {
        if (merge.source[s].name.empty()) {
            merge.source[s].to = merge.count;
            merge.first[merge.count++] = s;
            continue;
        }
        for (std::size_t k = 0; k < named; ++k) {
            if (merge.source[merge.first[k]].name == merge.source[s].name) merge.source[s].to = k;
        }
    }
    return merge;
}

/// More leaves without a name are a mistake, which compilers would end after minutes, at limits of their own.
inline constexpr std::size_t most_unnamed = 200;
template <class... Lists>
constexpr std::size_t count_unnamed() {
    std::size_t count = 0;
    const auto add = [&](const auto& names) {
        for (const std::string_view name : names) count += name.empty() ? 1 : 0;
    };
    (add(merge_names<Lists>::names), ...);
    return count;
}

/// The merged leaves of several expressions, as a type, and their values.
template <class... Lists>
struct merged_leaves {
    static_assert(count_unnamed<Lists...>() <= most_unnamed,
                  "[dyad] expression: more than 200 captured numbers and literals, which count at each use, and again at each use of what "
                  "is made of them; name what is captured, [k = dyad::var<\"k\">(k)], write literals as 0.1_c, or pass them as arguments");
    static constexpr auto merge = merge_leaves<Lists...>();
    using every = std::make_index_sequence<(std::size_t{0} + ... + Lists::size)>;
    using operands = flat_tuple<const typename Lists::values&...>;

    /// The leaf that is source `S`, among the operands' values.
    template <std::size_t S>
    static constexpr const auto& source(const operands& from) {
        return flat_get<merge.source[S].at>(flat_get<merge.source[S].operand>(from));
    }
    template <std::size_t S>
    using source_type = flat_element<merge.source[S].at, std::remove_cvref_t<flat_element<merge.source[S].operand, operands>>>;

    template <std::size_t... Item>
    static auto list_of(std::index_sequence<Item...>) -> leaf_list<source_type<merge.first[Item]>...>;
    using type = decltype(list_of(std::make_index_sequence<merge.count>{}));

    /// Leaves of one name have one type.
    template <std::size_t... S>
    static constexpr bool have_one_type(std::index_sequence<S...>) {
        return (std::same_as<source_type<S>, source_type<merge.first[merge.source[S].to]>> && ...);
    }
    static constexpr bool agree = have_one_type(every{});

    /// The values of `type`, from those of the operands; refuses two variables of one name.
    static constexpr typename type::values values(const typename Lists::values&... from) {
        const operands all(from...);
        check(all, every{});
        return chosen(all, std::make_index_sequence<merge.count>{});
    }

private:
    template <std::size_t... Item>
    static constexpr typename type::values chosen(const operands& all, std::index_sequence<Item...>) {
        return typename type::values(source<merge.first[Item]>(all)...);
    }
    template <std::size_t... S>
    static constexpr void check(const operands& all, std::index_sequence<S...>) {
        (check_one<S, merge.first[merge.source[S].to]>(all), ...);
    }
    template <std::size_t S, std::size_t First>
    static constexpr void check_one(const operands& all) {
        // What is no number (a vector) comes from the arguments of one call, which agree with themselves.
        if constexpr (First != S && number<typename source_type<S>::value_type>) {
            if (source<First>(all).identity != source<S>(all).identity || !same(source<First>(all).value, source<S>(all).value))
                refuse(source_type<S>::name, static_cast<double>(source<First>(all).value), static_cast<double>(source<S>(all).value));
        } else if constexpr (First != S && is_array<typename source_type<S>::value_type>) {
            if (source<First>(all).identity != source<S>(all).identity || !(source<First>(all).value == source<S>(all).value))
                refuse_array(source_type<S>::name);
        }
    }
    template <class T>
    static constexpr bool same(T a, T b) {
        return a == b || (a != a && b != b);
    }
    [[noreturn]] static void refuse_array(std::string_view name) {
        text t("[dyad] expression: two variables of one name, \"");
        (t += name) += "\", stand in it, or one before and after an assignment; give one of them another name, or build the expression before assigning";
        throw value_error(t.c_str());
    }
    [[noreturn]] static constexpr void refuse(std::string_view name, double a, double b) {
        if (leaf_name::is_argument(name))
            throw value_error("[dyad] nesting: two functions with captured values, one inside the other, have one name, as lambdas of one template may; pass what they capture as arguments");
        text t("[dyad] expression: two variables of one name, \"");
        (t += name) += "\", stand in it, with the values ";
        append_decimal(t, a);
        t += " and ";
        append_decimal(t, b);
        t += "; give one of them another name, or build the expression before assigning";
        throw value_error(t.c_str());
    }
};

} // namespace dyad

namespace dyad {

/// The words of a graph, and which of the inputs it uses.
struct graph_words {
    list<std::uint64_t> words;
    list<std::uint32_t> numbers;
};
/// Puts a graph in canonical order, leaves out those of its `inputs` inputs that it does not use, and encodes it: all that an
/// operator does at compile time, in one evaluation.
constexpr graph_words pack(const graph& made, std::size_t inputs) {
    graph_words result;
    graph g = canonical(made);
    list<bool> used(inputs + 1);
    for (std::size_t i = 0; i < g.nodes.count; ++i) {
        if (g.nodes.at[i].is(opcode::input)) used.at[g.nodes.at[i].bits] = true;
    }
    list<std::uint32_t> number(inputs + 1);
    for (std::uint32_t k = 0; k < inputs; ++k) {
        number.at[k] = static_cast<std::uint32_t>(result.numbers.count);
        if (used.at[k]) result.numbers.push_back(k);
    }
    g.input_count = static_cast<std::uint32_t>(result.numbers.count);
    if (result.numbers.count < inputs) {
        for (std::size_t i = 0; i < g.nodes.count; ++i) {
            if (g.nodes.at[i].is(opcode::input)) g.nodes.at[i].bits = number.at[g.nodes.at[i].bits];
        }
        g = canonical(simplify(g)); // formulas of renumbered inputs have another order
    }
    // What folded to a number is the literal: d(x·x)/dw is 0_c. (A float stays one.)
    if (node& n = g.nodes.at[0]; g.nodes.count == 1 && n.is(opcode::constant) && n.is(element::float64)) n.type = element::weak;
    result.words = encode(g);
    return result;
}

/// The same as a constant, with room for `Words` words; where they are more, only their number.
template <std::size_t Words, std::size_t Inputs>
struct packed_graph {
    std::uint64_t words[Words] = {};
    std::uint32_t numbers[Inputs + 1] = {};
    std::size_t size = 0;
    std::size_t used = 0;
};
template <std::size_t Words, std::size_t Inputs>
constexpr packed_graph<Words, Inputs> packed_words(const graph_words& made) {
    packed_graph<Words, Inputs> result;
    result.size = made.words.count;
    result.used = made.numbers.count;
    for (std::size_t i = 0; i < made.words.count && i < Words; ++i) result.words[i] = made.words.at[i];
    for (std::size_t k = 0; k < made.numbers.count; ++k) result.numbers[k] = made.numbers.at[k];
    return result;
}

/// Appends the graphs of expressions to a builder, one after the other; their inputs are what their leaves became in a merge.
struct merged_graphs {
    builder& b;
    const leaf_source* next; ///< the sources of the next expression's leaves

    /// Appends one expression's graph; returns its output.
    constexpr node_index append(graph_view g) {
        list<node_index> inputs(g.input_count + 1);
        // With its inputs where they were, the graph is simplified already; what an array operation became depends on others.
        bool simplified = !b.arrays->for_arrays;
        for (std::size_t i = 0; i < g.size; ++i) {
            const node& n = g.nodes[i];
            if (!n.is(opcode::input)) continue;
            const std::size_t to = next[n.bits].to;
            inputs.at[n.bits] = b.input(static_cast<std::uint32_t>(to), n.type, shape_of(n));
            simplified = simplified && to == n.bits;
        }
        next += g.input_count;
        return b.append(g, inputs, simplified)[0];
    }
    constexpr node_index append(const std::uint64_t* words) { return append(decode(words)); }
};

} // namespace dyad

// ---- dyad/trace/program.hpp
// From a function's type to a lowered graph, step by step. Each step is a constant evaluation of its own,
// because compilers limit the work of each; the passes of lowering are one step where the program is short.

// ---- dyad/pass/gradient_steps.hpp
// The gradient of a long program, in steps: compilers limit the work of one evaluation. Between two steps the sweep stands as a graph, whose
// outputs are the function's value and, for each node that a cotangent has come to, the node, its cotangent and the mask of that.

// ---- dyad/pass/contribution.hpp
// What flows through a derivative pass: a value that counts only where a condition holds. The value may be
// anything (NaN too) where the condition fails; it becomes an ordinary number by `where` at the point where
// it meets others. So a strong zero stays one through any number of products.

namespace dyad {

/// `value` where `mask` holds (everywhere if there is no mask), else exactly nothing. Without a value: nothing anywhere, the structural
/// zero. `picked`, if there is such: an array that is 0 where the value is so because no element was picked there; it becomes a mask only
/// where that matters.
struct contribution {
    node_index value = no_node;
    node_index mask = no_node;
    node_index picked = no_node;

    [[nodiscard]] constexpr bool nothing() const { return value == no_node; }
};

/// Arithmetic on contributions, and the rules' partial derivatives as such.
class contributions {
public:
    constexpr explicit contributions(builder& b) : b_(b) {}

    /// The same with what is picked in its mask, before it meets a slope that may be infinite.
    constexpr contribution masked(const contribution& c) {
        if (c.picked == no_node || c.nothing()) return c;
        const node_index zero = b_.constant(exact(0), b_.nodes.at[c.picked].type);
        const node_index there = b_.emit(opcode::logical_not, b_.emit(opcode::equal, c.picked, zero));
        return {c.value, implies(c.mask, there) ? c.mask : both(c.mask, there), c.picked};
    }
    /// What is picked, as numbers; `everywhere` stands for all.
    constexpr node_index picks(const contribution& c, node_index everywhere) {
        if (c.mask == no_node) return c.picked == no_node ? everywhere : c.picked;
        const element type = b_.nodes.at[c.value].type;
        const node_index one = c.picked == no_node ? b_.constant(exact(1), type) : c.picked;
        const node_index picked = b_.emit(opcode::where, c.mask, one, b_.constant(exact(0), type));
        return b_.nodes.at[picked].rank < b_.nodes.at[c.value].rank ? b_.broadcast_to(picked, c.value) : picked;
    }
    /// A partial derivative as a rule gives it; where(c, p, 0) is p masked by c.
    constexpr contribution of(const tracer& partial) {
        return of(partial.in(b_));
    }

    /// c·p. A factor of 1 or -1 costs no product, a factor of 0 leaves nothing.
    constexpr contribution times(const contribution& c, const tracer& p) {
        if (p.home() == nullptr) {
            const double factor = p.literal().high;
            if (factor == 0) return {};
            if (factor == 1) return c;
            if (factor == -1) return {b_.emit(opcode::neg, c.value), c.mask, c.picked};
        }
        return times(c, of(p));
    }
    constexpr contribution times(const contribution& a, const contribution& b) {
        if (a.nothing() || b.nothing()) return {};
        return {product(a.value, b.value), both(a.mask, b.mask), a.picked};
    }

    constexpr contribution plus(const contribution& a, const contribution& b) {
        if (a.value == no_node) return b;
        if (b.value == no_node) return a;
        const node_index picked = picked_by_either(a, b);
        if (a.mask == b.mask) return {b_.emit(opcode::add, a.value, b.value), a.mask, picked};
        if (is_not(b.mask, a.mask)) return {b_.emit(opcode::where, a.mask, a.value, b.value), no_node, picked};
        if (is_not(a.mask, b.mask)) return {b_.emit(opcode::where, b.mask, b.value, a.value), no_node, picked};
        const bool everywhere = a.mask == no_node || b.mask == no_node;
        return {b_.emit(opcode::add, number(a), number(b)),
                everywhere ? no_node : b_.emit(opcode::logical_or, a.mask, b.mask), picked};
    }

    /// The contribution as an ordinary number; nothing is the constant 0 of the given type.
    constexpr node_index number(const contribution& c, element type = element::weak) {
        if (c.nothing()) return b_.constant(exact(0), type);
        if (c.mask == no_node) return c.value;
        const node_index zero = b_.constant(exact(0), b_.nodes.at[c.value].type);
        return b_.emit(opcode::where, c.mask, c.value, zero);
    }

    /// What operand x of the element-by-element node i receives of c: the sum along the axes that x was stretched
    /// along, without those that it lacks. A contribution that lacks such an axis stands for equal elements along it.
    constexpr contribution narrowed(const contribution& c, node_index i, node_index x) {
        const array_shape whole = shape_of(b_.nodes.at[i]), part = shape_of(b_.nodes.at[x]);
        const unsigned axes = stretched_axes(part, whole), single = whole.ones & ~low_bits(part.rank);
        if ((axes | single) == 0 || c.nothing()) return c;
        const node_index value = number(c);
        const array_shape have = shape_of(b_.nodes.at[value]);
        const unsigned lacking = axes & stretched_axes(have, whole), summed = (axes | single) & low_bits(have.rank);
        node_index result = value;
        if (summed != 0) result = b_.emit({.op = opcode::reduce_sum, .operand = {value, 0, 0}, .bits = summed});
        if (lacking != 0) {
            const node_index count = b_.emit({.op = opcode::extent, .operand = {i, 0, 0}, .bits = lacking});
            result = b_.emit(opcode::mul, result, count);
        }
        const unsigned back = summed & low_bits(part.rank); // axes of size 1 that the operand has
        if (back != 0) result = b_.emit({.op = opcode::expand, .operand = {result, 0, 0}, .bits = back});
        return {result, no_node};
    }

    /// where(c, p, 0) is p masked by c.
    constexpr contribution of(node_index partial) {
        if (partial == no_node) return {};
        const opcode op = b_.nodes.at[partial].op;
        if (op != opcode::where && op != opcode::constant) return {partial, no_node};
        if (op == opcode::constant) return is_zero(partial) ? contribution{} : contribution{partial, no_node};
        const node n = b_.nodes.at[partial]; // a copy: masks append nodes
        const bool first = is_zero(n.operand[2]);
        if (!first && !is_zero(n.operand[1])) return {partial, no_node};
        const contribution inner = of(n.operand[first ? 1 : 2]);
        const node_index mask = first ? n.operand[0] : b_.emit(opcode::logical_not, n.operand[0]);
        return {inner.value, both(mask, inner.mask)};
    }

private:
    /// What is picked by a or by b, as an array, if one of them has such an array and neither counts everywhere. (Under one mask for both,
    /// one without an array counts wherever that holds: the mask alone tells.)
    constexpr node_index picked_by_either(const contribution& a, const contribution& b) {
        const bool tell = a.picked != no_node || b.picked != no_node, both_tell = a.picked != no_node && b.picked != no_node;
        const auto everywhere = [](const contribution& c) { return c.picked == no_node && c.mask == no_node; };
        if (!tell || everywhere(a) || everywhere(b) || (a.mask == b.mask && !both_tell)) return no_node;
        const auto picks_of = [&](const contribution& c) { return c.picked != no_node ? c.picked : picks(c, no_node); };
        const node_index of_a = picks_of(a);
        return b_.emit(opcode::add, of_a, picks_of(b));
    }
    constexpr node_index product(node_index x, node_index y) {
        const bool x_constant = b_.nodes.at[x].op == opcode::constant;
        const bool y_constant = b_.nodes.at[y].op == opcode::constant;
        if (x_constant || y_constant) {
            const double factor = constant_value(b_.nodes.at[x_constant ? x : y]).high;
            const node_index other = x_constant ? y : x;
            if (factor == 1) return other;
            if (factor == -1) return b_.emit(opcode::neg, other);
        }
        return b_.emit(opcode::mul, x, y);
    }
    constexpr node_index both(node_index a, node_index b) {
        if (a == no_node || a == b) return b;
        return b == no_node ? a : b_.emit(opcode::logical_and, a, b);
    }
    /// Whether mask a is b, or b and something else.
    [[nodiscard]] constexpr bool implies(node_index a, node_index b) const {
        if (a == no_node || a == b) return a == b;
        const node& n = b_.nodes.at[a];
        return n.op == opcode::logical_and && (n.operand[0] == b || n.operand[1] == b);
    }
    [[nodiscard]] constexpr bool is_not(node_index a, node_index b) const {
        return a != no_node && b_.nodes.at[a].op == opcode::logical_not && b_.nodes.at[a].operand[0] == b;
    }
    [[nodiscard]] constexpr bool is_zero(node_index x) const {
        return b_.is_constant(x) && constant_value(b_.nodes.at[x]) == 0.0;
    }

    builder& b_;
};

} // namespace dyad

// ---- dyad/pass/derive.hpp
// The transforms, each as one function on a builder that holds the function: its outputs, the nodes to
// differentiate by, and (for products) the directions. Used for whole graphs, and in the middle of a trace
// where transforms nest.

// ---- dyad/pass/forward.hpp
// Forward mode: tangents travel from the inputs to the outputs, in the order of the program.

// ---- dyad/graph/free_parameters.hpp
// What of a graph with regions is computed in whose body: which parameters occur free in it.

namespace dyad {

/// Sets of parameters, by node: those that occur free in what the node computes; of the wanted nodes, with their operands.
/// (A bit for each parameter among the wanted nodes, however many there are in the builder.)
class free_parameters {
public:
    constexpr free_parameters(const node* nodes, std::size_t size) : free_parameters(nodes, list<bool>(size, true)) {}
    constexpr free_parameters(const node* nodes, const list<bool>& wanted) : nodes_(nodes) {
        std::size_t count = 0;
        for (node_index i = 0; i < wanted.count; ++i) {
            if (!wanted.at[i] || (nodes[i].op != opcode::parameter && nodes[i].op < opcode::loop)) continue;
            if (nodes[i].op != opcode::parameter) {
                if (is_region(nodes[i].op)) regions_.push_back(i);
                continue;
            }
            while (bit_.count <= nodes[i].bits) bit_.push_back(none);
            if (bit_.at[nodes[i].bits] == none) bit_.at[nodes[i].bits] = count++;
        }
        words_ = count / 64 + 1;
        sets_ = list<std::uint64_t>(wanted.count * words_);
        for (node_index i = 0; i < wanted.count; ++i) {
            if (!wanted.at[i]) continue;
            const node& n = nodes[i];
            if (n.op == opcode::parameter) insert(n.bits, sets_.at + i * words_);
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
                for (std::size_t w = 0; w < words_; ++w) sets_.at[i * words_ + w] |= sets_.at[n.operand[k] * words_ + w];
            }
            if (n.op < opcode::loop || (!is_region(n.op) && n.op != opcode::history)) continue;
            const list<std::uint64_t> bound = bound_by(n.op == opcode::history ? n.operand[0] : i);
            for (std::size_t w = 0; w < words_; ++w) sets_.at[i * words_ + w] &= ~bound.at[w];
        }
    }

    [[nodiscard]] constexpr bool empty(node_index i) const {
        for (std::size_t w = 0; w < words_; ++w) {
            if (row(i)[w] != 0) return false;
        }
        return true;
    }
    [[nodiscard]] constexpr bool meets(node_index i, const list<std::uint64_t>& set) const {
        for (std::size_t w = 0; w < words_; ++w) {
            if ((sets_.at[i * words_ + w] & set.at[w]) != 0) return true;
        }
        return false;
    }
    /// Whether all that are free in node i are so in node j.
    [[nodiscard]] constexpr bool within(node_index i, node_index j) const {
        for (std::size_t w = 0; w < words_; ++w) {
            if ((row(i)[w] & ~row(j)[w]) != 0) return false;
        }
        return true;
    }
    /// Those free in any of the nodes.
    [[nodiscard]] constexpr list<std::uint64_t> in_any(const list<node_index>& all) const {
        list<std::uint64_t> set(words_);
        for (const node_index i : all) {
            for (std::size_t w = 0; w < words_; ++w) set.at[w] |= row(i)[w];
        }
        return set;
    }
    /// The parameters that a region binds.
    [[nodiscard]] constexpr list<std::uint64_t> bound_by(node_index region) const {
        list<std::uint64_t> set(words_);
        add_bound(region, set.at);
        return set;
    }
    /// Those that the regions among the wanted nodes bind.
    [[nodiscard]] constexpr list<std::uint64_t> bound_within() const {
        list<std::uint64_t> set(words_);
        for (const node_index i : regions_) add_bound(i, set.at);
        return set;
    }
    /// The same, and those of a region whose body they are.
    [[nodiscard]] constexpr list<std::uint64_t> bound_within(node_index region) const {
        list<std::uint64_t> set = bound_within();
        add_bound(region, set.at);
        return set;
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    [[nodiscard]] constexpr const std::uint64_t* row(node_index i) const { return sets_.at + i * words_; }
    constexpr void insert(std::uint64_t number, std::uint64_t* set) const {
        if (number >= bit_.count || bit_.at[number] == none) return; // it occurs nowhere
        set[bit_.at[number] / 64] |= std::uint64_t{1} << bit_.at[number] % 64;
    }
    constexpr void add_bound(node_index region, std::uint64_t* set) const {
        if (is_loop(nodes_[region].op)) insert(index_number(nodes_[region]), set);
        for (node_index i = nodes_[region].operand[1]; nodes_[i].op != opcode::nothing; i = nodes_[i].operand[0])
            insert(nodes_[i].bits, set);
    }

    const node* nodes_;
    list<node_index> regions_; ///< those among the wanted nodes
    list<std::size_t> bit_;    ///< by number of a parameter
    std::size_t words_ = 1;
    list<std::uint64_t> sets_;
};

/// Of the nodes that the roots need, the wanted ones, those that are computed in bodies only: from what a region binds and is not
/// free in the roots. (Regions whose bodies have much in common, a branch and its adjoint, bind the same parameters.)
constexpr list<bool> inside_bodies(const node* nodes, const list<bool>& wanted, const list<node_index>& roots) {
    const free_parameters free(nodes, wanted);
    const list<std::uint64_t> outer = free.in_any(roots);
    list<std::uint64_t> bound = free.bound_within();
    list<bool> inside(wanted.count);
    for (std::size_t w = 0; w < bound.count; ++w) bound.at[w] &= ~outer.at[w];
    for (node_index i = 0; i < wanted.count; ++i) inside.at[i] = wanted.at[i] && free.meets(i, bound);
    return inside;
}

} // namespace dyad

// ---- dyad/pass/reverse.hpp
// Reverse mode: cotangents travel from the outputs to the operands, one visit a node, whatever the number of
// inputs. Nodes are appended to the builder that holds the function, so the derivative shares all it can.

// ---- dyad/pass/holes.hpp
// Elements that nobody has picked have zeros for cotangents; so have all but one in each direction of a Jacobian. Such a zero is
// structural: it must not meet an infinite slope. (Which elements these are follows from the program, never from a zero that was computed:
// derivatives of derivatives go through it.)

namespace dyad {

/// Whether not all elements of an operand go on: the cotangents of the others are nothing.
constexpr bool leaves_holes(const node& n) {
    switch (n.op) {
    case opcode::slice:
    case opcode::diagonal:
    case opcode::triangle: return true;
    default: return false;
    }
}
/// Whether an operation on arrays moves elements as they are, each to one or several places, or adds some: 0 where all are 0.
constexpr bool moves_elements(const node& n) {
    switch (n.op) {
    case opcode::reduce_sum:
    case opcode::expand:
    case opcode::squeeze:
    case opcode::transpose:
    case opcode::flip:
    case opcode::reshape:
    case opcode::reshape_like:
    case opcode::broadcast_like:
    case opcode::pad:
    case opcode::concat:
    case opcode::shift: return true;
    default: return leaves_holes(n);
    }
}
/// Whether an operation of finite operands may be infinite, or none, or have such slopes: at the ends of where it is defined, or where it
/// overflows.
constexpr bool is_singular(const builder& b, const node& n) {
    switch (n.op) {
    case opcode::div: return !b.is_constant(n.operand[1]);
    case opcode::exp:
    case opcode::exp2:
    case opcode::expm1:
    case opcode::sinh:
    case opcode::cosh:
    case opcode::sqrt:
    case opcode::cbrt:
    case opcode::log:
    case opcode::log2:
    case opcode::log10:
    case opcode::log1p:
    case opcode::asin:
    case opcode::acos:
    case opcode::acosh:
    case opcode::atanh:
    case opcode::pow:
    case opcode::xlogy:
    case opcode::tgamma:
    case opcode::lgamma:
    case opcode::digamma:
    case opcode::polygamma: return true;
    default: return false;
    }
}
/// Whether what an operation gives is finite for operands that are infinite, or none, too, or is no such number.
constexpr bool is_bounded(opcode op) {
    switch (op) {
    case opcode::tanh:
    case opcode::sigmoid:
    case opcode::atan:
    case opcode::erf:
    case opcode::erfc:
    case opcode::sign:
    case opcode::less:
    case opcode::less_equal:
    case opcode::equal: return true;
    default: return is_flat_array_operation(op); // positions and sizes
    }
}
/// Whether an operation has the slopes 0, 1 or -1 alone.
constexpr bool has_plain_slopes(opcode op) {
    switch (op) {
    case opcode::neg:
    case opcode::add:
    case opcode::sub:
    case opcode::abs:
    case opcode::relu:
    case opcode::where:
    case opcode::min:
    case opcode::max:
    case opcode::fmin:
    case opcode::fmax:
    case opcode::clamp: return true;
    default: return false;
    }
}
/// Which nodes may be infinite, or none, though the arguments are finite; and which may have slopes that are.
class infinities {
public:
    /// Of node i before `end`; the first question looks at all of them.
    constexpr bool in_slopes(const builder& b, node_index i, node_index end) {
        if (known_.empty()) find(b, end);
        const node& n = b.nodes.at[i];
        return is_singular(b, n) || (!has_plain_slopes(n.op) && any_operand(n));
    }

private:
    constexpr void find(const builder& b, node_index end) {
        known_ = list<bool>(end);
        for (node_index i = 0; i < end; ++i) {
            const node& n = b.nodes.at[i];
            known_.at[i] = is_singular(b, n) || (!is_bounded(n.op) && any_operand(n));
        }
    }
    [[nodiscard]] constexpr bool any_operand(const node& n) const {
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            if (known_.at[n.operand[k]]) return true;
        }
        return false;
    }
    list<bool> known_;
};

} // namespace dyad

// ---- dyad/pass/partial_rules.hpp
// The operations' partial derivatives as tables of functions, which the differentiating passes take as `Rules`. A rule
// costs a tenth of a millisecond and more to compile: a traced program brings only those of its own operations.

namespace dyad {

/// The partial derivative of node `i`, a copy of which is `n` (because rules append nodes), by its operand `K`, in the form that
/// the rules of all operations share.
template <opcode Op, int K>
constexpr tracer apply_rule([[maybe_unused]] builder& b, [[maybe_unused]] const node& n, [[maybe_unused]] node_index i) {
    using rule = operation<Op>;
    if constexpr (rule::flat || K >= rule::arity) {
        return 0;
    } else {
        const tracer x(b, n.operand[0]), r(b, i);
        if constexpr (rule::arity == 1) {
            if constexpr (rule::attributed) return rule::dx(n.attribute(), x, r);
            if constexpr (!rule::attributed) return rule::dx(x, r);
        } else {
            const tracer y(b, n.operand[1]);
            if constexpr (rule::arity == 2) {
                if constexpr (K == 0) return rule::dx(x, y, r);
                if constexpr (K == 1) return rule::dy(x, y, r);
            } else {
                const tracer z(b, n.operand[2]);
                if constexpr (rule::attributed) {
                    if constexpr (K == 0) return rule::dx(n.attribute(), x, y, z, r);
                    if constexpr (K == 1) return rule::dy(n.attribute(), x, y, z, r);
                    if constexpr (K == 2) return rule::dz(n.attribute(), x, y, z, r);
                } else {
                    if constexpr (K == 0) return rule::dx(x, y, z, r);
                    if constexpr (K == 1) return rule::dy(x, y, z, r);
                    if constexpr (K == 2) return rule::dz(x, y, z, r);
                }
            }
        }
    }
}

/// A rule by operand.
struct partial_rules {
    using rule = tracer (*)(builder& b, const node& n, node_index i);
    rule of[3] = {};
};

template <opcode Op>
constexpr partial_rules rules_of_operation() {
    if constexpr (operation<Op>::arity == 1) {
        return {{&apply_rule<Op, 0>}};
    } else if constexpr (operation<Op>::arity == 2) {
        return {{&apply_rule<Op, 0>, &apply_rule<Op, 1>}};
    } else {
        return {{&apply_rule<Op, 0>, &apply_rule<Op, 1>, &apply_rule<Op, 2>}};
    }
}

/// Operations on numbers, each once, and the place of each.
struct operation_set {
    static constexpr std::size_t opcodes = static_cast<std::size_t>(opcode::count);
    opcode of[opcodes] = {};
    std::uint8_t place[opcodes] = {};
    std::size_t count = 0;

    constexpr void insert(opcode op) {
        place[static_cast<std::size_t>(op)] = static_cast<std::uint8_t>(count);
        of[count++] = op;
    }
};
constexpr operation_set every_operation() {
    operation_set result;
    for (int op = static_cast<int>(opcode::result) + 1; !is_array_operation(static_cast<opcode>(op)); ++op)
        result.insert(static_cast<opcode>(op));
    return result;
}
constexpr operation_set operations_in(graph_view g) {
    operation_set result;
    bool seen[operation_set::opcodes] = {};
    for (std::size_t i = 0; i < g.size; ++i) {
        const opcode op = g.nodes[i].op;
        bool& known = seen[static_cast<std::size_t>(op)];
        if (op > opcode::result && !is_array_operation(op) && !known) result.insert(op);
        known = true;
    }
    return result;
}

/// The rules of every operation.
struct every_rule {
    static constexpr operation_set operations = every_operation();
};

/// The rules of the operations in `Source::graph`: enough to differentiate it once.
template <class Source>
struct rules_in {
    static constexpr operation_set operations = operations_in(Source::graph);
};

/// To differentiate `Source::graph` once, or more often in one builder: a derivative may hold other operations.
template <class Source, bool Again>
using rules_for = std::conditional_t<Again, every_rule, rules_in<Source>>;

/// The rules of `Rules::operations`, to look up. (Made anew for each sweep: g++ compiles the functions in a static table.)
template <class Rules, class Places = std::make_index_sequence<Rules::operations.count>>
class rule_lookup;
template <class Rules, std::size_t... Item>
class rule_lookup<Rules, std::index_sequence<Item...>> {
public:
    /// The partial derivative of node `i`, a copy of which is `n`, by its operand `k`.
    constexpr tracer partial_derivative(builder& b, const node& n, node_index i, int k) const {
        return rules_[place_[static_cast<std::size_t>(n.op)]].of[k](b, n, i);
    }

private:
    partial_rules rules_[sizeof...(Item) + 1] = {rules_of_operation<Rules::operations.of[Item]>()...};
    const std::uint8_t* place_ = Rules::operations.place;
};

} // namespace dyad

// ---- dyad/pass/region_rules.hpp
// What the differentiating passes ask of loops, branches and rules: a table that the builder carries, so that who has
// none of them does not compile how they are differentiated (region_derivatives.hpp).

namespace dyad {

struct region_rules {
    /// Marks those of the wanted nodes that depend on active ones: what goes round a loop is active if it becomes so in any round.
    void (*spread)(builder&, const list<bool>& wanted, list<bool>& active);
    /// Adds to the adjoints of a region's operands what its results hand down, in a sweep to the nodes `by`.
    void (*pull)(builder&, node_index region, const list<node_index>& by, const list<bool>& active, list<contribution>& adjoint);
    /// Sets the tangents of a region's results, in a sweep from the nodes `by`.
    void (*push)(builder&, node_index region, const list<node_index>& by, const list<bool>& active, list<contribution>& tangent);
};

/// While a region is differentiated: sets aside what its results have that count as independent. (They are leaves to whoever
/// differentiates by them, whatever they are computed from: the region hands nothing on from them, and nothing to them.)
class independent_results {
public:
    constexpr independent_results(const builder& b, node_index region, const list<node_index>& by, list<contribution>& all) : all_(all) {
        for (const node_index x : by) {
            const node& n = b.nodes.at[x];
            if ((!n.is(opcode::result) && !n.is(opcode::history)) || n.operand[0] != region) continue;
            nodes_.push_back(x);
            kept_.push_back(all[x]);
            all[x] = {};
        }
    }
    constexpr void give_back() {
        for (std::size_t k = 0; k < nodes_.size(); ++k) all_[nodes_[k]] = kept_[k];
    }

private:
    list<contribution>& all_;
    list<node_index> nodes_;
    list<contribution> kept_;
};

} // namespace dyad

namespace dyad {

/// Which nodes before `end` depend, differentiably, on the nodes `by`; where there are loops, of those that are wanted.
constexpr list<bool> depends_on(builder& b, const list<node_index>& by, const list<bool>& wanted, node_index end) {
    list<bool> active(b.size());
    for (const node_index i : by) active.at[i] = true;
    if (b.regions) {
        b.regions->spread(b, wanted, active);
        return active;
    }
    for (node_index i = 0; i < end; ++i) {
        const node& n = b.nodes.at[i];
        if (operation_table[static_cast<std::size_t>(n.op)].flat) continue;
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;)
            active.at[i] = active.at[i] || active.at[n.operand[k]];
    }
    return active;
}
/// With loops much is in the builder that others asked for: what these outputs need.
constexpr list<bool> wanted_for(const builder& b, const list<node_index>& outputs) {
    if (!b.regions) return {};
    return reached(b.nodes.data(), end_of(outputs), outputs);
}

/// A sweep from outputs backwards to the nodes `by`. A node of `by` counts as independent even if it is computed from another one.
template <class Rules = every_rule>
class reverse_sweep {
public:
    constexpr reverse_sweep(builder& b, const list<node_index>& outputs, const list<node_index>& by)
        : end(end_of(outputs)), b_(b), by_(by), active_(depends_on(b, by, wanted_for(b, outputs), end)), adjoint_(b.size()), leaf_(b.size()), sum_(b) {
        for (const node_index i : by) leaf_[i] = true;
    }

    const node_index end; ///< behind the nodes to visit, the last one first

    /// Adds to the cotangent of a node.
    constexpr void add(node_index x, const contribution& part) { adjoint_[x] = sum_.plus(adjoint_[x], part); }
    [[nodiscard]] constexpr const contribution& cotangent(node_index x) const { return adjoint_.at[x]; }
    /// Whether a cotangent has come to a node that is to hand it on, or to a node of `by`.
    [[nodiscard]] constexpr bool reached(node_index i) const { return adjoint_.at[i].value != no_node && active_.at[i]; }
    [[nodiscard]] constexpr bool independent(node_index i) const { return leaf_.at[i]; }

    /// Hands the cotangent of a node on to its operands.
    constexpr void visit(node_index i) {
        if (is_region_operation(b_.nodes.at[i].op)) {
            if (!active_.at[i] || leaf_.at[i]) return;
            independent_results aside(b_, i, by_, adjoint_);
            b_.regions->pull(b_, i, by_, active_, adjoint_);
            aside.give_back();
            return;
        }
        if (!reached(i) || leaf_.at[i]) return;
        const node n = b_.nodes.at[i]; // a copy: partial derivatives append nodes
        const int arity = arities.of[static_cast<std::size_t>(n.op)];
        for (int k = 0; k < arity; ++k) {
            const node_index x = n.operand[k];
            if (!active_.at[x] || n.is(opcode::result)) continue; // whose operation asks for its adjoint
            const contribution part = is_array_operation(n.op) ? of_array(n, i, k) : of_number(n, i, k);
            if (part.value != no_node) adjoint_.at[x] = adjoint_.at[x].value == no_node ? part : sum_.plus(adjoint_.at[x], part);
        }
    }

    /// What has come to the nodes `by`, as numbers.
    [[nodiscard]] constexpr list<node_index> cotangents() {
        list<node_index> result;
        for (const node_index i : by_) result.push_back(b_.broadcast_to(sum_.number(adjoint_[i], b_[i].type), i));
        return result;
    }

private:
    constexpr contribution of_array(const node& n, node_index i, int k) {
        const contribution whole = adjoint_.at[i];
        const node_index cotangent = sum_.number(whole);
        contribution part = sum_.of(b_.arrays->pull(b_, i, k, cotangent));
        if (leaves_holes(n) || (moves_elements(n) && (whole.mask != no_node || whole.picked != no_node)))
            part.picked = b_.arrays->pull(b_, i, k, sum_.picks(whole, b_.broadcast_to(b_.constant(exact(1), n.type), cotangent)));
        return part;
    }
    constexpr contribution of_number(const node& n, node_index i, int k) {
        const contribution& whole = adjoint_.at[i];
        const contribution part = sum_.times(whole.picked != no_node && infinite_.in_slopes(b_, i, end) ? sum_.masked(whole) : whole, rules_.partial_derivative(b_, n, i, k));
        return n.rank != 0 ? sum_.narrowed(part, i, n.operand[k]) : part;
    }

    builder& b_;
    const list<node_index>& by_;
    list<bool> active_;
    list<contribution> adjoint_;
    list<bool> leaf_;
    contributions sum_;
    infinities infinite_;
    rule_lookup<Rules> rules_;
};

/// The cotangents of the nodes `by`, given those of the outputs: Σ over outputs of cotangent·∂output/∂by; if they are `picking`
/// elements of arrays, constants of 0 and 1, their zeros are structural.
template <class Rules = every_rule>
constexpr list<node_index> pullback(builder& b, const list<node_index>& outputs,
                                    const list<node_index>& cotangents,
                                    const list<node_index>& by, bool picking = false) {
    reverse_sweep<Rules> sweep(b, outputs, by);
    for (std::size_t k = 0; k < outputs.size(); ++k) sweep.add(outputs[k], {cotangents[k], no_node, picking ? cotangents[k] : no_node});
    for (node_index i = sweep.end; i-- > 0;) sweep.visit(i);
    return sweep.cotangents();
}

} // namespace dyad

namespace dyad {

/// The tangents of the outputs, given those of the nodes `by`: Σ over by of ∂output/∂by·tangent. A tangent
/// `no_node` is a structural zero; so are the zeros of such as are `picking` elements of arrays, constants of 0 and 1.
template <class Rules = every_rule>
constexpr list<node_index> pushforward(builder& b, const list<node_index>& outputs,
                                       const list<node_index>& by,
                                       const list<node_index>& tangents, bool picking = false) {
    contributions sum(b);
    list<contribution> tangent(b.size());
    list<bool> leaf(b.size());
    for (std::size_t k = 0; k < by.size(); ++k) {
        leaf[by[k]] = true;
        tangent[by[k]] = {tangents[k], no_node, picking ? tangents[k] : no_node};
    }
    // Where there are regions, much is in the builder that others asked for; and who pushes through one pushes through its body.
    list<bool> wanted, active, inside;
    const bool regions = static_cast<bool>(b.regions);
    const node_index end = end_of(outputs);
    if (regions) {
        list<node_index> moving;
        for (std::size_t k = 0; k < by.size(); ++k) {
            if (tangents[k] != no_node) moving.push_back(by[k]);
        }
        wanted = wanted_for(b, outputs);
        active = depends_on(b, moving, wanted, end);
        inside = inside_bodies(b.nodes.data(), wanted, outputs);
    }
    infinities infinite;
    const rule_lookup<Rules> rules;
    for (node_index i = 0; i < end; ++i) {
        const opcode op = b.nodes.at[i].op;
        if (regions && (!active.at[i] || !wanted.at[i] || inside.at[i])) continue;
        if (regions && is_region_operation(op)) {
            if (leaf.at[i]) continue;
            independent_results aside(b, i, by, tangent);
            b.regions->push(b, i, by, active, tangent);
            aside.give_back();
            continue;
        }
        const int arity = arities.of[static_cast<std::size_t>(op)];
        int first = 0; // operand that moves: most nodes have none
        while (first < arity && tangent.at[b.nodes.at[i].operand[first]].value == no_node) ++first;
        if (first == arity || leaf.at[i]) continue;
        if (is(op, opcode::result) || operation_table[static_cast<std::size_t>(op)].flat) continue; // who has results sets their tangents
        const node n = b.nodes.at[i]; // a copy: partial derivatives append nodes
        for (int k = first; k < arity; ++k) {
            const node_index x = n.operand[k];
            if (tangent.at[x].value == no_node) continue;
            contribution whole = tangent.at[x], part;
            if (is_array_operation(n.op)) {
                part.value = b.arrays->push(b, i, k, sum.number(whole));
                if (moves_elements(n) && whole.picked != no_node) part.picked = b.arrays->push(b, i, k, sum.picks(whole, no_node));
            } else {
                if (b.nodes.at[x].rank < n.rank) {
                    const node_index picked = whole.picked == no_node ? no_node : b.make_room(sum.picks(whole, no_node), x, i);
                    whole = {b.make_room(sum.number(whole), x, i), no_node, picked};
                }
                part = sum.times(whole.picked != no_node && infinite.in_slopes(b, i, end) ? sum.masked(whole) : whole, rules.partial_derivative(b, n, i, k));
            }
            tangent.at[i] = sum.plus(tangent.at[i], part);
        }
    }
    list<node_index> result;
    for (const node_index i : outputs) result.push_back(b.broadcast_to(sum.number(tangent[i], b[i].type), i));
    return result;
}

} // namespace dyad

// ---- dyad/pass/higher_order.hpp
// The n-th derivative by one number, in a number of operations that grows with n², where partial derivatives are made of a few
// functions, or a higher power, where each order brings new ones; not exponentially, as that of derivatives of derivatives does. Each node's derivatives come from those of its operands and of its partial derivatives, which are lower in
// order, by Leibniz' rule: r' = Σ x' p, and so r⁽ᵏ⁾ = Σ over operands Σⱼ C(k-1, j-1) x⁽ʲ⁾ p⁽ᵏ⁻ʲ⁾. (The recurrences of Taylor arithmetic,
// Griewank and Walther, Evaluating Derivatives, chapter 13, in derivatives instead of coefficients: the factors are whole numbers.)

namespace dyad {

/// Of nodes without loops, branches and rules between them.
template <class Rules>
class higher_order {
public:
    constexpr higher_order(builder& b, node_index by, int order) : b_(b), sum_(b), by_(by), order_(static_cast<std::size_t>(order)) {}

    /// dⁿ output/d byⁿ
    constexpr node_index of(node_index output) {
        const list<bool> wanted = reached(b_.nodes.data(), std::size_t{output} + 1, {output});
        for (node_index i = 0; i <= output; ++i) { // in the order of the graph: what recurs are partial derivatives alone
            for (std::size_t k = 1; wanted[i] && k <= order_; ++k) at(i, k);
        }
        return sum_.number(at(output, order_), b_[output].type);
    }

private:
    /// The k-th derivative of node i.
    constexpr contribution at(node_index i, std::size_t k) {
        if (k == 0) return sum_.of(tracer(b_, i));
        while (row_.size() <= i) row_.push_back(no_node);
        if (row_[i] == no_node) {
            row_[i] = static_cast<node_index>(known_.size());
            for (std::size_t j = 0; j < order_; ++j) {
                all_.push_back({});
                known_.push_back(false);
            }
        }
        const std::size_t place = row_[i] + k - 1;
        if (known_[place]) return all_[place];
        const contribution result = derivative(i, k);
        known_[place] = true;
        all_[place] = result;
        return result;
    }
    constexpr contribution derivative(node_index i, std::size_t k) {
        if (i == by_) return k == 1 ? contribution{b_.constant(exact(1), b_[i].type), no_node} : contribution{};
        const node n = b_[i]; // a copy: derivatives append nodes
        if (n.arity() == 0 || operation_table[static_cast<std::size_t>(n.op)].flat) return {};
        if (n.is(opcode::mul)) return of_product(n, k);
        if (n.is(opcode::div)) return of_quotient(i, n, k);
        contribution result;
        for (int q = conditions_of(n.op); q < n.arity(); ++q) result = sum_.plus(result, along(i, n, q, k));
        return result;
    }
    /// What comes through operand q of node i, a copy of which is n.
    constexpr contribution along(node_index i, const node& n, int q, std::size_t k) {
        const node_index x = n.operand[q];
        bool moves = false;
        for (std::size_t j = 1; j <= k; ++j) moves = !at(x, j).nothing() || moves;
        if (!moves) return {};
        const tracer partial = rules_.partial_derivative(b_, n, i, q);
        if (partial.home() == nullptr) return at(x, k).nothing() ? contribution{} : sum_.times(at(x, k), partial);
        const node_index p = partial.in(b_);
        contribution result;
        for (std::size_t j = 1; j <= k; ++j) result = sum_.plus(result, product(x, j, p, k - j, binomial(k - 1, j - 1)));
        return result;
    }
    constexpr contribution of_product(const node& n, std::size_t k) {
        contribution result;
        for (std::size_t j = 0; j <= k; ++j) result = sum_.plus(result, product(n.operand[0], j, n.operand[1], k - j, binomial(k, j)));
        return result;
    }
    /// From x = r y: r⁽ᵏ⁾ = (x⁽ᵏ⁾ - Σ C(k, j) y⁽ʲ⁾ r⁽ᵏ⁻ʲ⁾) / y.
    constexpr contribution of_quotient(node_index r, const node& n, std::size_t k) {
        contribution result = at(n.operand[0], k);
        for (std::size_t j = 1; j <= k; ++j) result = sum_.plus(result, product(n.operand[1], j, r, k - j, -binomial(k, j)));
        return result.nothing() ? result : contribution{b_.emit(opcode::div, result.value, n.operand[1]), result.mask};
    }
    /// factor x⁽ʲ⁾ y⁽ᵐ⁾
    constexpr contribution product(node_index x, std::size_t j, node_index y, std::size_t m, double factor) {
        const contribution first = at(x, j);
        if (first.nothing()) return {};
        const contribution second = at(y, m);
        if (second.nothing()) return {};
        return sum_.times(sum_.times(first, second), tracer(factor));
    }
    static constexpr double binomial(std::size_t n, std::size_t k) {
        double result = 1;
        for (std::size_t j = 1; j <= k; ++j) result = result * static_cast<double>(n - k + j) / static_cast<double>(j); // whole each time
        return result;
    }

    builder& b_;
    contributions sum_;
    rule_lookup<Rules> rules_;
    node_index by_;
    std::size_t order_;
    list<node_index> row_; ///< by node: where in `all_` its derivatives begin
    list<contribution> all_;
    list<bool> known_;
};

} // namespace dyad

// ---- dyad/pass/matrix_lines.hpp
// A matrix of derivatives as lines, each of which one sweep makes: columns go forward, one input's slopes of all outputs; rows go
// backwards, one output's slopes by all inputs.

namespace dyad {

enum class matrix_lines {
    columns,
    rows,
    triangle ///< columns of a symmetric matrix, down to the diagonal
};
DYAD_COMPARED(matrix_lines)

constexpr std::size_t count_of_lines(matrix_lines lines, std::size_t rows, std::size_t columns) {
    return is(lines, matrix_lines::rows) ? rows : columns;
}
/// The length of line k.
constexpr std::size_t length_of_line(matrix_lines lines, std::size_t k, std::size_t rows, std::size_t columns) {
    return is(lines, matrix_lines::rows) ? columns : is(lines, matrix_lines::columns) ? rows : k + 1;
}

/// The matrix, row by row, of entries that stand line by line.
constexpr list<node_index> matrix_of_lines(const node_index* entries, matrix_lines lines, std::size_t rows, std::size_t columns) {
    list<node_index> matrix(rows * columns);
    for (std::size_t k = 0; k < count_of_lines(lines, rows, columns); ++k) {
        const std::size_t length = length_of_line(lines, k, rows, columns);
        for (std::size_t i = 0; i < length; ++i) {
            matrix[is(lines, matrix_lines::rows) ? k * columns + i : i * columns + k] = *entries;
            if (is(lines, matrix_lines::triangle)) matrix[k * columns + i] = *entries;
            ++entries;
        }
    }
    return matrix;
}

} // namespace dyad

namespace dyad {

enum class transform {
    value,              ///< the outputs
    gradient,           ///< ∂output 0/∂by, one result for each of `by`
    value_and_gradient, ///< output 0, then its gradient
    jacobian,           ///< ∂output i/∂by j, row by row
    hessian,            ///< ∂²output 0/∂by i ∂by j, row by row
    jvp,                ///< the outputs, then Σ ∂output/∂by·direction for each
    vjp,                ///< Σ direction·∂output/∂by for each of `by`
    hvp,                ///< Σ ∂²output 0/∂by ∂by j·direction j for each of `by`
    tangents,           ///< Σ ∂output/∂by·direction for each, without the outputs
    repeated            ///< repeated + n: the n-th derivative of output 0 by the one number of `by`
};
DYAD_COMPARED(transform)
constexpr transform derivative_of_order(int n) {
    return static_cast<transform>(static_cast<int>(transform::repeated) + n);
}
constexpr int order_of(transform t) {
    return static_cast<int>(t) - static_cast<int>(transform::repeated);
}

/// `count` structural zeros, but 1 at `at`.
constexpr list<node_index> unit_direction(builder& b, std::size_t count, std::size_t at,
                                          element type) {
    list<node_index> direction(count, no_node);
    direction[at] = b.constant(exact(1), type);
    return direction;
}

/// Whether a node is computed from a region whose operation `is` one that is asked for.
template <class Is>
constexpr bool goes_through(const builder& b, node_index output, Is is) {
    if (!b.regions) return false;
    const list<bool> wanted = reached(b.nodes.data(), std::size_t{output} + 1, {output});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] && is(b.nodes[i].op)) return true;
    }
    return false;
}

/// Whether forward mode is the cheaper way to a derivative by one number: a loop then keeps nothing of its rounds. (The rule
/// of a custom gradient wants the cotangent that arrives there.)
constexpr bool prefers_forward(const builder& b, node_index output) {
    return goes_through(b, output, is_loop) && !goes_through(b, output, is_rule);
}

/// The same of a Jacobian: where it has fewer columns than rows, or as many and a loop would keep its rounds.
constexpr bool prefers_forward(std::size_t rows, std::size_t columns, bool loops) {
    return columns < rows || (columns == rows && loops);
}

/// Whether a derivative of an output cannot go backwards: a loop's rounds would have to be kept.
constexpr bool must_go_forward(const builder& b, node_index output) {
    return b.keeps_nothing && goes_through(b, output, is_loop);
}

/// Whether a number is computed from numbers, by straight-line code.
constexpr bool is_straight(const builder& b, node_index output) {
    const list<bool> wanted = reached(b.nodes.data(), std::size_t{output} + 1, {output});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] && (b.nodes[i].rank != 0 || is_array_operation(b.nodes[i].op) || is_region_operation(b.nodes[i].op))) return false;
    }
    return true;
}

/// ∂output/∂by, an input after the other.
template <class Rules = every_rule>
constexpr list<node_index> forward_gradient(builder& b, node_index output, const list<node_index>& by) {
    list<node_index> gradient;
    for (std::size_t k = 0; k < by.size(); ++k)
        gradient.push_back(pushforward<Rules>(b, {output}, by, unit_direction(b, by.size(), k, b[by[k]].type))[0]);
    return gradient;
}

/// Whether the registers of a device's kernel are too few for what reverse mode keeps of a number's computation.
constexpr bool is_long_in_kernel(const builder& b, node_index output) {
    constexpr std::size_t most_kept = 48;
    if (!b.keeps_nothing || !is_straight(b, output)) return false;
    std::size_t operations = 0;
    for (const bool wanted : reached(b.nodes.data(), std::size_t{output} + 1, {output})) operations += wanted ? 1 : 0;
    return operations > most_kept;
}

/// The gradient both ways: the one of fewer operations, forward mode where they are as many.
template <class Rules = every_rule>
constexpr list<node_index> shorter_gradient(builder& b, node_index output, const list<node_index>& by) {
    const std::size_t before = b.nodes.size();
    const list<node_index> forward = forward_gradient<Rules>(b, output, by);
    const std::size_t between = b.nodes.size();
    const list<node_index> reverse = pullback<Rules>(b, {output}, {b.constant(exact(1), b[output].type)}, by);
    return between - before <= b.nodes.size() - between ? forward : reverse;
}

template <class Rules = every_rule>
constexpr list<node_index> gradient_nodes(builder& b, node_index output,
                                          const list<node_index>& by) {
    if (must_go_forward(b, output)) return forward_gradient<Rules>(b, output, by);
    if (by.size() <= 2 && is_long_in_kernel(b, output)) return shorter_gradient<Rules>(b, output, by);
    if (by.size() == 1 && b[by[0]].rank == 0 && prefers_forward(b, output))
        return pushforward<Rules>(b, {output}, by, {b.constant(exact(1), b[by[0]].type)});
    return pullback<Rules>(b, {output}, {b.constant(exact(1), b[output].type)}, by);
}

/// dⁿ output/d byⁿ of numbers. Twice, and through loops, branches, rules and arrays, it is the derivative of the derivative.
template <class Rules = every_rule>
constexpr node_index nth_derivative(builder& b, node_index output, node_index by, int n) {
    if (n > 2 && is_straight(b, output)) return higher_order<Rules>(b, by, n).of(output);
    for (; n > 0; --n) output = gradient_nodes<Rules>(b, output, {by})[0];
    return output;
}

/// The derivatives of array y along each element of x, all axes of x first; in reverse mode of each element of y by x, all
/// axes of y first. One sweep for all elements, whose directions stand along axes of their own; through loops, branches and
/// rules, which have no such axes, a loop over the directions.
template <class Rules = every_rule>
constexpr node_index every_direction(builder& b, node_index y, node_index x, bool forward) {
    const node_index along = forward ? x : y;
    const bool loops = goes_through(b, y, [](opcode op) { return is_loop(op) || is(op, opcode::branch) || is(op, opcode::custom); });
    list<node_index> index;
    node_index direction = b.emit(opcode::eye_like, along);
    for (unsigned k = 0; loops && k < b[along].rank; ++k) {
        index.push_back(b.parameter(element::integer));
        direction = at(b, direction, index[k]);
    }
    node_index result = forward ? pushforward<Rules>(b, {y}, {x}, {direction}, true)[0] : pullback<Rules>(b, {y}, {direction}, {x}, true)[0];
    if (!loops) return b.broadcast_to(result, forward ? b.emit(opcode::outer_like, x, y) : b.emit(opcode::outer_like, y, x));
    for (unsigned axis = 0; axis < index.size(); ++axis) { // the last one first
        const node_index rounds = b.emit({.op = opcode::extent, .operand = {along, 0, 0}, .bits = std::uint64_t{1} << axis});
        const node_index own = index[index.size() - 1 - axis];
        result = history(b, b.add({.op = opcode::loop, .operand = {rounds, no_links(b), 0}, .bits = loop_bits(b[own].bits, false)}), result);
    }
    return result;
}

/// The derivatives of array y by array x, all axes of y before all axes of x. Reverse where y has fewer axes, else forward.
template <class Rules = every_rule>
constexpr node_index array_jacobian(builder& b, node_index y, node_index x) {
    const unsigned rows = b[y].rank, columns = b[x].rank;
    const bool forward = columns <= rows;
    const node_index sweep = every_direction<Rules>(b, y, x, forward);
    if (!forward) return sweep;
    std::uint64_t swap = identity_permutation;
    for (unsigned k = 0; k < rows + columns; ++k) {
        const unsigned from = k < columns ? rows + k : k - columns;
        swap = (swap & ~(std::uint64_t{0xf} << (4 * k))) | std::uint64_t{from} << (4 * k);
    }
    return b.emit({.op = opcode::transpose, .operand = {sweep, 0, 0}, .bits = swap});
}

/// Line k of the outputs' derivatives by numbers.
template <class Rules = every_rule>
constexpr list<node_index> line_of_matrix(builder& b, matrix_lines lines, const list<node_index>& outputs, const list<node_index>& by, std::size_t k) {
    if (is(lines, matrix_lines::rows)) return gradient_nodes<Rules>(b, outputs[k], by);
    list<node_index> column;
    for (std::size_t i = 0; i < length_of_line(lines, k, outputs.size(), by.size()); ++i) column.push_back(outputs[i]);
    return pushforward<Rules>(b, column, by, unit_direction(b, by.size(), k, b[by[k]].type));
}
/// All of them, row by row.
template <class Rules = every_rule>
constexpr list<node_index> matrix_nodes(builder& b, matrix_lines lines, const list<node_index>& outputs, const list<node_index>& by) {
    list<node_index> entries;
    for (std::size_t k = 0; k < count_of_lines(lines, outputs.size(), by.size()); ++k) {
        for (const node_index entry : line_of_matrix<Rules>(b, lines, outputs, by, k)) entries.push_back(entry);
    }
    return matrix_of_lines(entries.data(), lines, outputs.size(), by.size());
}
/// Those of the nodes that are numbers.
constexpr list<node_index> numbers_among(const builder& b, const list<node_index>& nodes) {
    list<node_index> numbers;
    for (const node_index i : nodes) {
        if (b[i].rank == 0) numbers.push_back(i);
    }
    return numbers;
}
/// The derivatives of arrays, one by another; those of numbers by numbers in lines.
template <class Rules = every_rule>
constexpr list<node_index> array_matrix(builder& b, matrix_lines lines, const list<node_index>& outputs, const list<node_index>& by) {
    const list<node_index> of_numbers = matrix_nodes<Rules>(b, lines, numbers_among(b, outputs), numbers_among(b, by));
    list<node_index> result;
    std::size_t next = 0;
    for (const node_index y : outputs) {
        for (const node_index x : by) result.push_back(b[y].rank == 0 && b[x].rank == 0 ? of_numbers[next++] : array_jacobian<Rules>(b, y, x));
    }
    return result;
}

/// By columns or by rows, whichever is the cheaper way.
constexpr matrix_lines lines_of_jacobian(const builder& b, const list<node_index>& outputs, const list<node_index>& by) {
    bool loops = false;
    for (const node_index i : outputs) loops = loops || prefers_forward(b, i);
    return prefers_forward(outputs.size(), by.size(), loops) ? matrix_lines::columns : matrix_lines::rows;
}
template <class Rules = every_rule>
constexpr list<node_index> jacobian_nodes(builder& b, const list<node_index>& outputs,
                                          const list<node_index>& by) {
    if (b.arrays->for_arrays) // (not `?:`: g++ 12 destroys what it chooses between twice)
        return array_matrix<Rules>(b, lines_of_jacobian(b, numbers_among(b, outputs), numbers_among(b, by)), outputs, by);
    return matrix_nodes<Rules>(b, lines_of_jacobian(b, outputs, by), outputs, by);
}

/// Whether second derivatives are symmetric: a rule of the user's may say otherwise, and is obeyed.
constexpr bool is_symmetric(const builder& b, node_index output) {
    return !goes_through(b, output, [](opcode op) { return is(op, opcode::custom); });
}

/// Forward over reverse; where the matrix is symmetric, the lower triangle is the upper one, node for node.
template <class Rules = every_rule>
constexpr list<node_index> hessian_nodes(builder& b, node_index output,
                                         const list<node_index>& by) {
    const list<node_index> gradient = gradient_nodes<Rules>(b, output, by);
    const matrix_lines lines = is_symmetric(b, output) ? matrix_lines::triangle : matrix_lines::columns;
    if (b.arrays->for_arrays) return array_matrix<Rules>(b, lines, gradient, by);
    return matrix_nodes<Rules>(b, lines, gradient, by);
}

/// Σ cotangent·∂output/∂by for each of `by`.
template <class Rules = every_rule>
constexpr list<node_index> cotangents_of(builder& b, const list<node_index>& outputs, const list<node_index>& cotangents, const list<node_index>& by) {
    list<node_index> backwards, own, result;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (must_go_forward(b, outputs[k])) continue;
        backwards.push_back(outputs[k]);
        own.push_back(cotangents[k]);
    }
    result = pullback<Rules>(b, backwards, own, by);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (!must_go_forward(b, outputs[k])) continue;
        const list<node_index> slopes = forward_gradient<Rules>(b, outputs[k], by);
        for (std::size_t j = 0; j < by.size(); ++j) result[j] = b.emit(opcode::add, result[j], b.emit(opcode::mul, cotangents[k], slopes[j]));
    }
    return result;
}

template <class Rules = every_rule>
constexpr list<node_index> derive(builder& b, transform t, const list<node_index>& outputs,
                                  const list<node_index>& by,
                                  const list<node_index>& directions) {
    list<node_index> result;
    if (is(t, transform::value) || is(t, transform::jvp)) result = outputs;
    if (is(t, transform::value_and_gradient)) result.push_back(outputs[0]);
    list<node_index> derivatives;
    switch (t) {
    case transform::value: break;
    case transform::gradient:
    case transform::value_and_gradient: derivatives = gradient_nodes<Rules>(b, outputs[0], by); break;
    case transform::jacobian: derivatives = jacobian_nodes<Rules>(b, outputs, by); break;
    case transform::hessian: derivatives = hessian_nodes<Rules>(b, outputs[0], by); break;
    case transform::jvp:
    case transform::tangents: derivatives = pushforward<Rules>(b, outputs, by, directions); break;
    case transform::vjp: derivatives = cotangents_of<Rules>(b, outputs, directions, by); break;
    case transform::hvp:
        derivatives = pushforward<Rules>(b, gradient_nodes<Rules>(b, outputs[0], by), by, directions);
        break;
    default: derivatives.push_back(nth_derivative<Rules>(b, outputs[0], by[0], order_of(t))); break;
    }
    for (const node_index i : derivatives) result.push_back(i);
    return result;
}

/// A graph in a builder of its own, to be differentiated there.
struct opened_graph {
    builder b;
    list<node_index> outputs, by;
    list<node> input; ///< by number: also what the graph does not use, if `known` says what it is

    constexpr opened_graph(graph_view g, const list<std::uint32_t>& numbers, policy p, region_rules_pointer regions,
                           const array_rules* arrays = &no_array_rules, const list<node>& known = {})
        : b(rewriter_of(p), 4 * g.size), input(g.input_count, input_node(0, element::float64)) {
        b.arrays = arrays;
        b.regions = regions;
        for (std::size_t k = 0; k < known.size(); ++k) input[k] = known[k];
        for (std::size_t i = 0; i < g.size; ++i) {
            if (g[i].is(opcode::input)) input[g[i].bits] = g[i];
        }
        outputs = b.append(g, true);
        for (const std::uint32_t k : numbers) by.push_back(b.input(k, input[k].type, shape_of(input[k])));
    }
};

/// The differentiate pass on a whole graph, which is kept as it is. `by` are numbers of inputs; directions become inputs of their
/// own, after the others, of the types of what they multiply. `known` says what the inputs are, also those that the graph does not use.
template <class Rules = every_rule>
constexpr graph differentiate(graph_view g, transform t, const list<std::uint32_t>& by,
                              policy p = default_policy, const array_rules* arrays = &no_array_rules,
                              const list<node>& known = {}, region_rules_pointer regions = {}) {
    opened_graph f(g, by, p, regions, arrays, known);
    builder& b = f.b;
    list<node_index> directions;
    const bool by_output = is(t, transform::vjp);
    if (by_output || is(t, transform::jvp) || is(t, transform::tangents) || is(t, transform::hvp)) {
        const list<node_index>& like = by_output ? f.outputs : f.by;
        for (std::uint32_t k = 0; k < like.size(); ++k)
            directions.push_back(b.input(g.input_count + k, b[like[k]].type, shape_of(b[like[k]])));
    }
    return b.finish(b.inwards(derive<Rules>(b, t, f.outputs, f.by, directions)));
}

} // namespace dyad

namespace dyad {

/// What the derivatives of an operation cost, in those of a product: selections make masks. (Counted in steps of clang's. Arguments and
/// constants are not worth a case.)
constexpr std::size_t work_of(opcode op) {
    switch (op) {
    case opcode::where: return 3;
    case opcode::max:
    case opcode::min:
    case opcode::fmax:
    case opcode::fmin: return 6;
    case opcode::clamp: return 12;
    default: return 1;
    }
}
/// The work of one step: about half of what clang allows to an evaluation.
inline constexpr std::size_t gradient_step = 900;

constexpr std::size_t gradient_steps(graph_view g) {
    std::size_t work = 0;
    for (std::size_t i = 0; i < g.size; ++i) work += work_of(g[i].op);
    return work / gradient_step + 1;
}
/// Whether the gradient of a function is made in steps. (Loops and branches are visited whole, with what is theirs. It is of numbers:
/// no cotangent is `picked`.)
constexpr bool has_gradient_in_steps(graph_view g, transform t) {
    return (is(t, transform::gradient) || is(t, transform::value_and_gradient)) && gradient_steps(g) > 1 && g.output_count == 1 && !has_regions(g);
}

/// The next step, of as much work, on the graph that the step before has made, or on the function itself; with the last step, which
/// visits all that is left, the gradient.
template <class Rules>
constexpr graph with_cotangents(graph_view g, const list<std::uint32_t>& by, transform t, policy p, std::size_t step, std::size_t steps,
                                std::size_t most = gradient_step) {
    opened_graph f(g, by, p, {});
    builder& b = f.b;
    const node_index value = f.outputs[0];
    list<node_index> from;
    for (std::size_t k = 1; k < f.outputs.size(); k += 3) from.push_back(f.outputs[k]);
    if (step == 0) from.push_back(value);
    reverse_sweep<Rules> sweep(b, from, f.by);
    if (step == 0) sweep.add(value, {b.constant(exact(1), b[value].type), no_node, no_node});
    for (std::size_t k = 1; k < f.outputs.size(); k += 3) {
        const node_index x = f.outputs[k], mask = f.outputs[k + 2];
        sweep.add(x, {f.outputs[k + 1], mask == x ? no_node : mask, no_node});
    }
    node_index i = sweep.end;
    for (std::size_t done = 0; i > 0 && (done < most || step + 1 == steps);) {
        if (!sweep.reached(--i)) continue;
        done += work_of(b[i].op);
        sweep.visit(i);
    }
    list<node_index> outputs;
    if (step + 1 == steps) {
        if (is(t, transform::value_and_gradient)) outputs.push_back(value);
        for (const node_index cotangent : sweep.cotangents()) outputs.push_back(cotangent);
        return b.finish(outputs);
    }
    outputs.push_back(value);
    for (node_index x = 0; x < sweep.end; ++x) {
        if (!sweep.reached(x) || (x >= i && !sweep.independent(x))) continue;
        const contribution& c = sweep.cotangent(x);
        for (const node_index part : {x, c.value, c.mask == no_node ? x : c.mask}) outputs.push_back(part);
    }
    return b.finish(outputs);
}

} // namespace dyad

// ---- dyad/pass/levels.hpp
// Takes a graph with loops and branches apart, into the graph outside, where each of them is one `call`, and the graphs of
// their bodies, which may have such again. Bodies compute nothing that does not depend on their parameters, and carry
// nothing round that no result needs. Each graph is then lowered on its own.
//
//     call[k](entries)     region k; entries: count or condition; first values; captured numbers; captured histories
//     trail[s](call)       history s that the region writes
//     borrowed[k]          in a body: captured history k; its inputs are the index, the values, the captured numbers

// ---- dyad/pass/region_parts.hpp
// Looks a graph with loops and branches through, once, for all that taking it apart asks (levels.hpp): which regions there
// are, what of each is needed, and what its body captures. (`View` is graph_view: templates, so that who has no regions does not
// compile them.)

namespace dyad {

/// A region, and where in one list of nodes (region_parts_view::entries) those stand that belong to it.
struct region_part {
    enum group {
        binds,     ///< all that it binds
        results,   ///< nodes that name its results
        histories, ///< of its rounds
        used,      ///< those of the binds whose parameters or results are needed
        numbers,   ///< what its body captures: numbers ...
        buffers,   ///< ... and histories or arrays
        groups
    };
    node_index at = no_node;
    node_index begin[groups + 1] = {}; ///< of each group, and the end of the last
};

/// Nodes that stand one after the other.
struct node_range {
    const node_index* first = nullptr;
    std::size_t count = 0;

    [[nodiscard]] constexpr std::size_t size() const { return count; }
    [[nodiscard]] constexpr node_index operator[](std::size_t k) const { return first[k]; }
    [[nodiscard]] constexpr const node_index* begin() const { return first; }
    [[nodiscard]] constexpr const node_index* end() const { return first + count; }
};

/// The regions of a graph, to read.
struct region_parts_view {
    const region_part* parts = nullptr;
    std::size_t count = 0;
    const node_index* entries = nullptr;
    const bool* needed = nullptr; ///< by node: outside of the bodies
    const bool* bound = nullptr;  ///< by node: its value depends on a parameter

    [[nodiscard]] constexpr node_range of(std::size_t k, region_part::group which) const {
        const region_part& p = parts[k];
        return {entries + p.begin[which], p.begin[which + 1] - p.begin[which]};
    }
};

/// The same as lists, and with its room in its type.
struct region_parts {
    list<region_part> parts;
    list<node_index> entries;
    list<bool> needed, bound;

    [[nodiscard]] constexpr region_parts_view view() const { return {parts.data(), parts.size(), entries.data(), needed.data(), bound.data()}; }
};
struct region_parts_room {
    std::size_t nodes = 0, parts = 0, entries = 0;
};
template <auto Room>
struct frozen_region_parts {
    region_part parts[Room.parts + 1] = {};
    node_index entries[Room.entries + 1] = {};
    bool needed[Room.nodes + 1] = {}, bound[Room.nodes + 1] = {};
    region_parts_room size;

    /// Nothing but its sizes, if it has not the room.
    constexpr explicit frozen_region_parts(const region_parts& p) : size{p.needed.count, p.parts.count, p.entries.count} {
        if (!fits()) return;
        for (std::size_t k = 0; k < size.parts; ++k) parts[k] = p.parts.at[k];
        for (std::size_t k = 0; k < size.entries; ++k) entries[k] = p.entries.at[k];
        for (std::size_t i = 0; i < size.nodes; ++i) {
            needed[i] = p.needed.at[i];
            bound[i] = p.bound.at[i];
        }
    }
    [[nodiscard]] constexpr region_parts_room room() const { return size; }
    [[nodiscard]] constexpr bool fits() const { return size.nodes <= Room.nodes && size.parts <= Room.parts && size.entries <= Room.entries; }
    [[nodiscard]] constexpr region_parts_view view() const { return {parts, size.parts, entries, needed, bound}; }
};

/// The choice that a result of a branch is: its two values are operands 1 and 2.
constexpr const node& choice_of(graph_view g, node_index branch, node_index result) {
    return g[links(g.nodes, g[branch].operand[2])[g[result].bits]];
}

/// What the body under some roots computes, found from the roots down, each node once.
template <class View>
class body_search {
public:
    list<bool> inside;         ///< what is looked at: also what is captured
    list<node_index> captured; ///< what does not depend on any parameter, but constants
    node_index lowest = no_node;

    constexpr body_search(View g, const bool* bound) : inside(g.size), g_(g), bound_(bound) {}

    constexpr void add(node_index root) {
        enter(root);
        while (!pending_.empty()) {
            const node_index i = pending_.back();
            pending_.pop_back();
            const node& n = g_.nodes[i];
            // (A loop that is the same in every round, but keeps something that is not, runs inside.)
            if (!bound_[i] && !is_link(n.op) && !is_region(n.op)) {
                if (!n.is(opcode::constant)) captured.push_back(i);
                continue;
            }
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) enter(n.operand[k]);
        }
    }

private:
    constexpr void enter(node_index i) {
        if (inside.at[i]) return;
        inside.at[i] = true;
        pending_.push_back(i);
        if (i < lowest) lowest = i;
    }

    View g_;
    const bool* bound_;
    list<node_index> pending_;
};

/// Finds the regions of a resolved graph, the last ones first.
template <class View>
class region_search {
public:
    constexpr explicit region_search(View g) : g_(g), number_(g.size) {
        parts_.needed = list<bool>(g.size);
        list<node_index> outputs;
        for (std::size_t k = 0; k < g.output_count; ++k) {
            outputs.push_back(g.outputs[k]);
            parts_.needed[g.outputs[k]] = true;
        }
        find_parameters(reached(g.nodes, g.size, outputs));
        for (node_index i = static_cast<node_index>(g.size); i-- > 0;) {
            if (!parts_.needed.at[i]) continue;
            const node& n = g[i];
            if (n.is(opcode::history) || (n.is(opcode::result) && is_region(g[n.operand[0]].op))) {
                if (!parts_.needed.at[n.operand[0]]) {
                    number_.at[n.operand[0]] = static_cast<node_index>(found_.size());
                    found_.push_back({n.operand[0], bindings(g.nodes, n.operand[0]), {}, {}, {}, {}, {}});
                    parts_.needed.at[n.operand[0]] = true;
                }
                found& f = found_[number_.at[n.operand[0]]];
                (n.is(opcode::history) ? f.histories : f.results).push_back(i);
            } else if (is_region(n.op)) {
                explore(found_[number_.at[i]]);
            } else {
                for (int k = 0; k < n.arity(); ++k) parts_.needed.at[n.operand[k]] = true;
            }
        }
    }

    constexpr region_parts result() && {
        for (const found& f : found_) {
            region_part part{.at = f.at, .begin = {static_cast<node_index>(parts_.entries.size())}};
            int group = 0;
            for (const list<node_index>* nodes : {&f.binds, &f.results, &f.histories, &f.used, &f.numbers, &f.buffers}) {
                for (const node_index i : *nodes) parts_.entries.push_back(i);
                part.begin[++group] = static_cast<node_index>(parts_.entries.size());
            }
            parts_.parts.push_back(part);
        }
        return static_cast<region_parts&&>(parts_);
    }

private:
    struct found {
        node_index at = no_node;
        list<node_index> binds, results, histories, used, numbers, buffers;
    };

    /// Which nodes depend on parameters, and where the parameters stand.
    constexpr void find_parameters(const list<bool>& wanted) {
        const free_parameters free(g_.nodes, wanted);
        parts_.bound = list<bool>(g_.size);
        for (node_index i = 0; i < g_.size; ++i) {
            parts_.bound.at[i] = !free.empty(i);
            if (!g_[i].is(opcode::parameter)) continue;
            while (parameter_.size() <= g_[i].bits) parameter_.push_back(no_node);
            parameter_[g_[i].bits] = i;
        }
    }
    /// What of a region is needed: which values go round, which are captured.
    constexpr void explore(found& f) {
        const node& region = g_[f.at];
        const list<node_index>& binds = f.binds;
        body_search<View> body(g_, parts_.bound.data());
        list<bool> used(binds.size());
        for (const node_index r : f.results) {
            if (region.is(opcode::branch)) {
                for (const int arm : {1, 2}) body.add(choice_of(g_, f.at, r).operand[arm]);
            } else if (g_[r].bits != rounds_result) {
                used[g_[r].bits] = true;
                body.add(g_[binds[g_[r].bits]].operand[2]);
            }
        }
        for (const node_index h : f.histories) body.add(g_[h].operand[1]);
        if (region.is(opcode::repeat)) body.add(region.operand[0]);
        if (!region.is(opcode::repeat)) parts_.needed[region.operand[0]] = true;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t k = 0; k < binds.size(); ++k) {
                const node& bind = g_[binds[k]];
                const node_index own = bind.bits < parameter_.size() ? parameter_[bind.bits] : no_node;
                if (used[k] || own == no_node || !body.inside[own]) continue;
                used[k] = changed = true;
                if (!bind.is(opcode::bind)) body.add(bind.operand[2]);
            }
        }
        for (const bool replays : {true, false}) {
            for (std::size_t k = 0; k < binds.size(); ++k) {
                if (!used[k] || (g_[binds[k]].is(opcode::replay)) != replays) continue;
                f.used.push_back(binds[k]);
                parts_.needed[g_[binds[k]].operand[1]] = true;
            }
        }
        list<bool> captured(g_.size);
        for (const node_index i : body.captured) captured[i] = true;
        for (node_index i = body.captured.empty() ? f.at : body.lowest; i < f.at; ++i) { // in the order of the graph
            if (!captured.at[i]) continue;
            parts_.needed[i] = true;
            (g_[i].rank != 0 ? f.buffers : f.numbers).push_back(i);
        }
    }

    View g_;
    list<node_index> number_;    ///< by region: its place among those found
    list<node_index> parameter_; ///< by number: its node
    list<found> found_;
    region_parts parts_;
};

template <class View>
constexpr region_parts regions_in(View g) {
    return region_search<View>(g).result();
}

} // namespace dyad

namespace dyad {

/// The body of a region with arrays as arguments after the numbers, where histories and captured arrays were borrowed.
constexpr graph with_array_inputs(graph_view g) {
    builder b;
    list<node_index> place(g.size);
    std::uint32_t count = g.input_count;
    for (std::size_t i = 0; i < g.size; ++i) {
        node n = g[i];
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = place[n.operand[k]];
        if (n.is(opcode::borrowed)) {
            const auto number = static_cast<std::uint32_t>(g.input_count + n.bits);
            n = input_node(number, n.type, n.rank, n.ones);
            if (number >= count) count = number + 1;
        }
        place[i] = b.add(n);
    }
    graph result = static_cast<builder&&>(b).finish_copy(g, place);
    result.input_count = count;
    return result;
}

template <class View>
class levels {
public:
    /// Of a resolved graph and its regions.
    constexpr levels(View g, region_parts_view regions) : g_(g), regions_(regions) {}

    [[nodiscard]] constexpr region_info info(std::size_t k) const {
        const node& n = region(k);
        const auto size = [&](region_part::group which) { return static_cast<std::uint16_t>(regions_.of(k, which).size()); };
        region_info result{.values = size(region_part::used),
                           .numbers = size(region_part::numbers),
                           .buffers = size(region_part::buffers),
                           .slots = size(region_part::histories)};
        result.kind = n.is(opcode::branch) ? region_kind::branch : n.is(opcode::repeat) ? region_kind::repeat
                      : n.is(opcode::sweep) ? region_kind::sweep
                      : is_falling(n)         ? region_kind::falling
                                              : region_kind::rising;
        result.replays = static_cast<std::uint16_t>(replays_of(k));
        if (n.is(opcode::sweep)) result.how = stored_by(n);
        result.results = n.is(opcode::branch) ? size(region_part::results) : result.values;
        return result;
    }

    /// The graph outside.
    [[nodiscard]] constexpr graph outside() const {
        builder b(&store_unchanged, g_.size);
        list<node_index> place(g_.size, no_node), elements;
        for (node_index i = 0; i < g_.size; ++i) {
            if (g_.nodes[i].is(opcode::at)) elements.push_back(i);
        }
        for (node_index i = 0; i < g_.size; ++i) {
            if (!regions_.needed[i]) continue;
            node n = g_[i];
            if (is_region(n.op)) {
                place[i] = call(b, number_of(i), place, elements);
                continue;
            }
            const bool of_region = n.arity() > 0 && is_region(g_[n.operand[0]].op);
            for (int k = 0; k < n.arity(); ++k) n.operand[k] = place[n.operand[k]];
            if (of_region) {
                const std::size_t k = number_of(g_[i].operand[0]);
                n.bits = n.is(opcode::history) ? position(regions_.of(k, region_part::histories), i) : result_position(k, i);
            }
            if (n.is(opcode::history)) {
                n.op = opcode::trail;
                n.operand[1] = 0;
            }
            place[i] = b.add(n);
        }
        return static_cast<builder&&>(b).finish_copy(g_, place);
    }

    /// A body: of a loop its rounds (0), its condition or the rounds that are replayed (1), of a branch what is done if the
    /// condition holds (0) or not (1).
    [[nodiscard]] constexpr graph body(std::size_t k, int which) const {
        const node& n = region(k);
        list<node_index> roots;
        if (n.is(opcode::branch)) {
            for (const node_index r : regions_.of(k, region_part::results)) roots.push_back(choice_of(g_, regions_.parts[k].at, r).operand[1 + which]);
        } else if (which == 1 && n.is(opcode::repeat)) {
            roots.push_back(n.operand[0]);
        } else {
            const opcode link = which == 1 ? opcode::replay : opcode::carry;
            for (const node_index c : regions_.of(k, region_part::used)) {
                if (g_[c].op == link) roots.push_back(g_[c].operand[2]);
            }
            if (which == 0) {
                for (const node_index h : regions_.of(k, region_part::histories)) roots.push_back(g_[h].operand[1]);
            }
        }
        return copied(k, roots);
    }

private:
    [[nodiscard]] constexpr const node& region(std::size_t k) const { return g_[regions_.parts[k].at]; }
    [[nodiscard]] static constexpr std::uint64_t position(node_range in, node_index x) {
        std::size_t k = 0;
        while (k < in.size() && in[k] != x) ++k;
        return k;
    }
    [[nodiscard]] constexpr std::size_t number_of(node_index region) const {
        std::size_t k = 0;
        while (regions_.parts[k].at != region) ++k;
        return k;
    }
    /// Where a result lies among those of the call; the number of rounds comes last.
    [[nodiscard]] constexpr std::uint64_t result_position(std::size_t k, node_index result) const {
        if (region(k).is(opcode::branch)) return position(regions_.of(k, region_part::results), result);
        const node_range used = regions_.of(k, region_part::used);
        return g_[result].bits == rounds_result ? used.size() : position(used, regions_.of(k, region_part::binds)[g_[result].bits]);
    }
    [[nodiscard]] constexpr std::size_t replays_of(std::size_t k) const {
        const node_range used = regions_.of(k, region_part::used);
        std::size_t count = 0;
        while (count < used.size() && g_[used[count]].is(opcode::replay)) ++count;
        return count;
    }
    /// Whether a loop takes an array element by element, at its index.
    [[nodiscard]] constexpr bool is_gone_through(const node& region, node_index x, const list<node_index>& elements) const {
        if (!is_loop(region.op)) return false;
        const node index = index_parameter_of(region);
        for (const node_index i : elements) {
            if (g_[i].operand[0] == x && g_[g_[i].operand[1]] == index) return true;
        }
        return false;
    }
    constexpr node_index call(builder& b, std::size_t k, const list<node_index>& place, const list<node_index>& elements) const {
        const node& n = region(k);
        const node_range used = regions_.of(k, region_part::used);
        list<node_index> operands;
        if (!n.is(opcode::repeat)) operands.push_back(place[n.operand[0]]);
        for (const node_index c : used) operands.push_back(place[g_[c].operand[1]]);
        for (const node_index x : regions_.of(k, region_part::numbers)) operands.push_back(place[x]);
        node_index chain = entries(b, operands);
        for (const node_index x : regions_.of(k, region_part::buffers))
            chain = link(b, opcode::entry, chain, place[x], 0, is_gone_through(n, x, elements) ? 1 : 0);
        const std::uint64_t results = n.is(opcode::branch) ? regions_.of(k, region_part::results).size() : used.size() + 1;
        const std::uint64_t values = used.size() - replays_of(k);
        const std::uint64_t kind = n.is(opcode::repeat) ? repeat_call : n.is(opcode::branch) ? branch_call : 0;
        return b.add({.op = opcode::call, .operand = {chain, 0, 0}, .bits = k | results << 32 | values << 48 | kind});
    }
    [[nodiscard]] constexpr graph copied(std::size_t k, const list<node_index>& roots) const {
        const node_range used = regions_.of(k, region_part::used), buffers = regions_.of(k, region_part::buffers);
        builder b;
        list<node_index> place(g_.size, no_node);
        body_search<View> found(g_, regions_.bound);
        for (const node_index r : roots) found.add(r);
        std::uint32_t next = 1; // input 0 is the index
        const bool counts = is_loop(region(k).op);
        const node_index index = b.input(0, element::integer);
        list<node_index> inputs;
        for (const node_index bind : used) inputs.push_back(b.input(next++, g_[bind].type, shape_of(g_[bind])));
        for (const node_index x : regions_.of(k, region_part::numbers)) place[x] = b.input(next++, g_[x].type);
        for (std::uint32_t j = 0; j < buffers.size(); ++j) {
            const node& x = g_[buffers[j]];
            place[buffers[j]] = b.add({.op = opcode::borrowed, .type = x.type, .rank = x.rank, .ones = x.ones, .bits = j});
        }
        for (node_index i = found.lowest, end = end_of(roots); i < end; ++i) {
            if (!found.inside.at[i] || place.at[i] != no_node) continue;
            node n = g_.nodes[i];
            if (n.is(opcode::parameter)) {
                if (counts && n == index_parameter_of(region(k))) place[i] = index;
                for (std::size_t j = 0; j < used.size(); ++j) {
                    if (n == parameter_of(g_[used[j]])) place[i] = inputs[j];
                }
            }
            for (int j = n.arity(); j-- > 0;) n.operand[j] = place[n.operand[j]];
            if (place[i] == no_node) place[i] = b.add(n);
        }
        list<node_index> outputs;
        for (const node_index r : roots) outputs.push_back(b.as_number(place[r]));
        return b.finish(outputs);
    }

    View g_;
    region_parts_view regions_;
};

} // namespace dyad

// ---- dyad/pass/line_steps.hpp
// Compilers limit the work of one evaluation, and a Jacobian or a Hessian may be many times as large as its function: so its lines
// come in steps, as many at a time as make one short. (A Hessian is the Jacobian of the gradient.)

namespace dyad {

/// The lines of a function's Jacobian by so many inputs.
constexpr matrix_lines lines_of_jacobian(graph_view g, std::size_t columns) {
    bool loops = false, rules = false;
    for (std::size_t i = 0; i < g.size; ++i) {
        loops = loops || is_loop(g[i].op);
        rules = rules || is_rule(g[i].op);
    }
    return prefers_forward(g.output_count, columns, loops && !rules) ? matrix_lines::columns : matrix_lines::rows;
}

/// Where the steps of a matrix of `N` lines end, and the work of each: the nodes that depend on its columns' inputs, or that its
/// rows' outputs depend on.
template <std::size_t N>
struct line_steps {
    std::size_t end[N + 1] = {};
    std::size_t work[N + 1] = {};
    std::size_t count = 0;

    /// `g` is the function whose Jacobian it is, `by` its inputs.
    constexpr line_steps(graph_view g, const list<std::uint32_t>& by, matrix_lines lines) {
        constexpr std::size_t most = 400; // nodes: less than half of what clang allows to an evaluation
        const bool regions = has_regions(g);
        list<std::size_t> of_line(N, regions ? g.size : 0);
        for (std::size_t first = 0; first < N && !regions; first += 64) {
            if (is(lines, matrix_lines::rows)) count_needed(g, first, of_line);
            else count_dependents(g, by, first, of_line);
        }
        for (std::size_t k = 0; k < N; ++k) {
            if (k != 0 && work[count] + of_line[k] > most) ++count;
            work[count] += of_line[k];
            end[count] = k + 1;
        }
        ++count;
    }

private:
    // 64 lines at a time: a bit for each.
    static constexpr void count_dependents(graph_view g, const list<std::uint32_t>& by, std::size_t first, list<std::size_t>& of_line) {
        list<std::uint64_t> lines(g.size);
        for (std::size_t i = 0; i < g.size; ++i) {
            const node& n = g.nodes[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) lines.at[i] |= lines.at[n.operand[k]];
            for (std::size_t j = first; n.is(opcode::input) && j < N && j < first + 64; ++j) {
                if (by.at[j] == n.bits) lines.at[i] |= std::uint64_t{1} << (j - first);
            }
            add(lines.at[i], first, of_line);
        }
    }
    static constexpr void count_needed(graph_view g, std::size_t first, list<std::size_t>& of_line) {
        list<std::uint64_t> lines(g.size);
        for (std::size_t k = first; k < N && k < first + 64; ++k) lines.at[g.outputs[k]] |= std::uint64_t{1} << (k - first);
        for (std::size_t i = g.size; i-- > 0;) {
            for (int k = arities.of[static_cast<std::size_t>(g.nodes[i].op)]; k-- > 0;) lines.at[g.nodes[i].operand[k]] |= lines.at[i];
            add(lines.at[i], first, of_line);
        }
    }
    static constexpr void add(std::uint64_t lines, std::size_t first, list<std::size_t>& of_line) {
        for (; lines != 0; lines &= lines - 1) ++of_line.at[first + static_cast<std::size_t>(std::countr_zero(lines))];
    }
};

/// The lines first ... last - 1 more. The first `rows` outputs of `g` are the function's; behind them stand the lines before. With
/// the last line it becomes the matrix, row by row.
template <class Rules>
constexpr graph with_lines(graph_view g, const list<std::uint32_t>& by, matrix_lines lines, std::size_t rows, std::size_t first, std::size_t last,
                           policy p, region_rules_pointer regions) {
    opened_graph f(g, by, p, regions);
    list<node_index> function, outputs = f.outputs;
    for (std::size_t i = 0; i < rows; ++i) function.push_back(outputs[i]);
    for (std::size_t k = first; k < last; ++k) {
        for (const node_index entry : line_of_matrix<Rules>(f.b, lines, function, f.by, k)) outputs.push_back(entry);
    }
    const bool all = last == count_of_lines(lines, rows, by.size());
    if (all) outputs = matrix_of_lines(outputs.data() + rows, lines, rows, by.size());
    graph result = f.b.finish(outputs);
    result.input_count = g.input_count;
    return result;
}

} // namespace dyad

// ---- dyad/pass/lower.hpp
// The last passes before a kernel: from algebra to what a machine does best. Whole powers become products, quotients
// share reciprocals, two functions of one argument become one call; stop_gradient, having done its work, goes.
// Then products and sums share what they can, and the statements get their order. Not differentiated any more.

// ---- dyad/pass/order.hpp
// The order of statements around library calls. Every register that holds a number is saved and restored around a
// call: so first what the calls need, then the calls, and only then what can wait. Of calls that wait for equally many others exp is the
// last: it takes the least, and a processor that is ahead of its program does best with the longest first (exp(x) sin(x) over an
// array, by glibc's vector functions on a Zen 5: 0.86 ns an element with sin first, 0.95 with exp first).

// ---- dyad/pass/lifetime_order.hpp
// An order of statements in which few numbers wait for their users: an operand is computed when it is needed, and what ends the life of
// a number as soon as it can be. Value and gradient of Rosenbrock's function of ten variables as the sweeps leave them, first
// all squares and then all slopes, have up to 36 numbers waiting; in this order 6, for which there are registers.

namespace dyad {

/// An argument or a constant: such numbers are read from memory.
constexpr bool is_leaf(const node& n) {
    return n.op <= opcode::input;
}

/// How many numbers wait beyond those that fit into the registers, summed over the statements. (Of sixteen registers two hold
/// what an instruction works on.)
constexpr std::size_t spilled_numbers(graph_view g) {
    constexpr std::size_t registers = 14;
    list<node_index> last(g.size), ending(g.size); // by node: its last user; how many numbers it is the last user of
    for (node_index i = 0; i < g.size; ++i) {
        for (int k = arities.of[static_cast<std::size_t>(g.nodes[i].op)]; k-- > 0;) last.at[g.nodes[i].operand[k]] = i;
    }
    std::size_t waiting = 0, spilled = 0;
    for (std::size_t i = 0; i < g.size; ++i) {
        if (is_leaf(g.nodes[i])) continue;
        waiting -= ending.at[i];
        if (last.at[i] != 0) { // (an output that nobody uses goes to memory)
            ++ending.at[last.at[i]];
            ++waiting;
        }
        if (waiting > registers) spilled += waiting - registers;
    }
    return spilled;
}

class lifetime_order {
public:
    constexpr explicit lifetime_order(graph_view g)
        : g_(g), first_(g.size + 2), unready_(g.size), uses_(g.size), place_(g.size), done_(g.size) {
        for (std::size_t i = 0; i < g.size; ++i) {
            const node& n = g.nodes[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
                ++first_.at[n.operand[k] + 2];
                ++uses_.at[n.operand[k]];
                ++unready_.at[i];
            }
        }
        for (std::size_t i = 2; i < first_.count; ++i) first_.at[i] += first_.at[i - 1];
        users_ = list<node_index>(first_.at[g.size + 1] + 1);
        for (node_index i = 0; i < g.size; ++i) {
            const node& n = g.nodes[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) users_.at[first_.at[n.operand[k] + 1]++] = i;
        }
    }

    /// What stands last comes first: the parts of a gradient, by the first arguments before others, and then the value.
    constexpr graph run() {
        result_.input_count = g_.input_count;
        result_.nodes.reserve(g_.size);
        for (node_index i = 0; i < g_.size; ++i) {
            if (is_leaf(g_.nodes[i])) append(i);
        }
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) compute(i);
        for (std::size_t k = 0; k < g_.output_count; ++k) result_.outputs.push_back(place_.at[g_.outputs[k]]);
        return static_cast<graph&&>(result_);
    }

private:
    constexpr void compute(node_index wanted) {
        needed_.push_back(wanted);
        while (!needed_.empty()) {
            const node_index i = needed_.back();
            if (done_.at[i] || unready_.at[i] == 0) {
                needed_.pop_back();
                if (!done_.at[i]) put(i);
                continue;
            }
            const node& n = g_.nodes[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
                if (!done_.at[n.operand[k]]) needed_.push_back(n.operand[k]);
            }
        }
    }
    /// The next statement, and those that it lets end the life of a number.
    constexpr void put(node_index i) {
        append(i);
        while (!ending_.empty()) {
            const node_index next = ending_.back();
            ending_.pop_back();
            if (!done_.at[next] && unready_.at[next] == 0 && ends_a_life(next)) append(next);
        }
    }
    constexpr void append(node_index i) {
        done_.at[i] = true;
        place_.at[i] = static_cast<node_index>(result_.nodes.count);
        node moved = g_.nodes[i];
        for (int k = arities.of[static_cast<std::size_t>(moved.op)]; k-- > 0;) {
            const node_index x = moved.operand[k];
            moved.operand[k] = place_.at[x];
            if (--uses_.at[x] <= 2 && !is_leaf(g_.nodes[x])) offer_users(x); // (a square is two uses)
        }
        result_.nodes.push_back(moved);
        for (node_index u = first_.at[i]; u < first_.at[i + 1]; ++u) --unready_.at[users_.at[u]];
        if (!is_leaf(moved)) offer_users(i);
    }
    constexpr void offer_users(node_index x) {
        for (node_index u = first_.at[x]; u < first_.at[x + 1]; ++u) {
            if (!done_.at[users_.at[u]]) ending_.push_back(users_.at[u]);
        }
    }
    [[nodiscard]] constexpr bool ends_a_life(node_index i) const {
        const node& n = g_.nodes[i];
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            const node_index x = n.operand[k];
            if (is_leaf(g_.nodes[x])) continue;
            node_index own = 0;
            for (int j = arities.of[static_cast<std::size_t>(n.op)]; j-- > 0;) own += n.operand[j] == x ? 1 : 0;
            if (uses_.at[x] == own) return true;
        }
        return false;
    }

    graph_view g_;
    list<node_index> first_, users_; ///< node i's users: users_[first_[i]] to users_[first_[i + 1]]
    list<node_index> unready_;       ///< by node: operands that are still to compute
    list<node_index> uses_;          ///< by node: uses that are still to come
    list<node_index> place_;         ///< in the result
    list<bool> done_;
    list<node_index> needed_, ending_; ///< to look at next
    graph result_;
};

/// The graph in that order, if nearly all numbers that do not fit into registers fit then. Otherwise long operations that begin
/// late cost more than registers are worth: the forces among four atoms took 1.15 times as long in vectors (1.02 in doubles), a
/// polynomial by Horner's rule 1.2.
constexpr graph order_by_lifetimes(graph_view g) {
    constexpr std::size_t longest = 4096; // compilers limit the steps of an evaluation
    const std::size_t spilled = g.size <= longest ? spilled_numbers(g) : 0;
    if (spilled > 0) {
        graph other = lifetime_order(g).run();
        if (spilled_numbers(other) <= spilled / 8) return other;
    }
    return copy_of(g);
}

} // namespace dyad

namespace dyad {

/// The same graph in an order that keeps little across calls: sorted by the calls that a node must precede.
constexpr graph order_around_calls(graph_view g) {
    const std::size_t size = g.size;
    const node* const nodes = g.nodes;
    constexpr std::uint32_t places = 3; // of a round: for what its calls need, for calls, and for those of exp
    list<std::uint32_t> level(size); // how many calls must have returned before, times places, and the place
    std::uint32_t last = 0;          // no call waits for so many
    for (std::size_t i = 0; i < size; ++i) {
        std::uint32_t before = 0;
        for (int k = arities.of[static_cast<std::size_t>(nodes[i].op)]; k-- > 0;) {
            const std::uint32_t after = (level.at[nodes[i].operand[k]] + places - 1) / places * places;
            if (after > before) before = after;
        }
        const bool call = !is_inline(nodes[i].op);
        level.at[i] = before + (!call ? 0 : nodes[i].op == opcode::exp ? 2 : 1);
        if (call && before >= last) last = before + places;
    }
    if (last == 0) return order_by_lifetimes(g);

    // The round of a call is its level; what it needs comes just before, what no call needs last of all. The round of
    // an operand is never after that of its user.
    list<std::uint32_t> round(size, last);
    list<node_index> next(std::size_t{last} + 2); // where the next node of each round goes
    for (std::size_t i = size; i-- > 0;) {
        const bool call = level.at[i] % places != 0;
        const std::uint32_t mine = call ? level.at[i] : round.at[i];
        for (int k = arities.of[static_cast<std::size_t>(nodes[i].op)]; k-- > 0;) {
            std::uint32_t& theirs = round.at[nodes[i].operand[k]];
            if (mine / places * places < theirs) theirs = mine / places * places;
        }
        round.at[i] = mine;
        ++next.at[mine + 1];
    }
    for (std::size_t r = 1; r < next.count; ++r) next.at[r] += next.at[r - 1];

    graph result;
    result.input_count = g.input_count;
    result.nodes = list<node>(size);
    list<node_index>& place = round; // which is not needed any more
    for (std::size_t i = 0; i < size; ++i) {
        place.at[i] = next.at[round.at[i]]++;
        node& moved = result.nodes.at[place.at[i]];
        moved = nodes[i];
        for (int k = arities.of[static_cast<std::size_t>(moved.op)]; k-- > 0;)
            moved.operand[k] = place.at[moved.operand[k]];
    }
    for (std::size_t k = 0; k < g.output_count; ++k) result.outputs.push_back(place.at[g.outputs[k]]);
    return result;
}

} // namespace dyad

// ---- dyad/pass/reassociate.hpp
// Products and sums that nothing else looks into are taken as what they are, sets of factors and of terms, and put
// together anew: products share what they have in common (product_sharing.hpp), terms share their coefficients,
// c·x + c·y = c·(x + y), and a power of two moves into a sum that it makes cheaper, 2·(x/2 - y) = x - 2·y. A sum
// keeps its order: (a + b) + c is three terms, a - (b - c) is not, because compensated sums depend on it.

// ---- dyad/pass/product_sharing.hpp
// What products have in common. A product is a set of factors; a pair of factors that several products hold becomes
// one factor of them all. Greedy, a pair at a time, by the number of products that want it (as in Breuer,
// Generation of optimal code for expressions via factorization, CACM 12 (1969) 333).

// ---- dyad/pass/pair_table.hpp
// Pairs of factors: how many products hold each, and the factor that stands for those that are taken together.

namespace dyad {

/// Two factors of one product, the smaller number first.
struct factor_pair {
    node_index first = no_node;
    node_index second = no_node;
    int count = 0;             ///< how many products hold both
    bool whole = false;        ///< whether a product of its own is nothing but these two ...
    node_index root = no_node; ///< ... and which
    node_index id = no_node;   ///< the factor that stands for both

    /// One that costs nothing more comes first; the rest is a choice that all products make alike.
    [[nodiscard]] constexpr bool better_than(const factor_pair& other) const {
        if (count != other.count) return count > other.count;
        if (whole != other.whole) return whole;
        return first != other.first ? first < other.first : second < other.second;
    }
};

/// A hash table of pairs. Its size is given beforehand: at most that many pairs.
class pair_table {
public:
    constexpr explicit pair_table(std::size_t most) : slots_(capacity_for(most)) {}

    /// The entry of a pair, made if there is none.
    constexpr factor_pair& of(node_index a, node_index b) {
        const node_index first = a < b ? a : b, second = a < b ? b : a;
        const std::uint64_t h = (std::uint64_t{first} << 32 | second) * 0x9e3779b97f4a7c15U;
        const std::size_t mask = slots_.count - 1;
        std::size_t slot = (h >> 32) & mask;
        while (slots_.at[slot].first != no_node) {
            if (slots_.at[slot].first == first && slots_.at[slot].second == second) return slots_.at[slot];
            slot = (slot + 1) & mask;
        }
        slots_.at[slot].first = first;
        slots_.at[slot].second = second;
        return slots_.at[slot];
    }

private:
    static constexpr std::size_t capacity_for(std::size_t most) {
        std::size_t capacity = 16;
        while (3 * capacity < 4 * most) capacity *= 2; // at least a quarter stays free
        return capacity;
    }

    list<factor_pair> slots_;
};

} // namespace dyad

namespace dyad {

/// A product of nodes of a graph and, from the graph's size on, of pairs. If it is a term of a sum, a constant among
/// its factors stands apart, as its coefficient.
struct product {
    static constexpr int most = 8; ///< a longer one is a product of products
    node_index root = no_node;     ///< the node that it is
    bool term = false;
    double coefficient = 1;
    node_index constant = no_node; ///< the coefficient's node, as long as the coefficient is its value
    bool changed = false; ///< not the factors that were written any more
    int count = 0;
    node_index factor[most] = {};

    constexpr void replace(int k, node_index f, double new_coefficient) {
        changed = true;
        factor[k] = f;
        coefficient = new_coefficient;
        constant = no_node;
    }
};

class product_sharing {
public:
    list<product> products;
    list<factor_pair> pairs; ///< those that have become factors

    constexpr explicit product_sharing(graph_view g) : g_(g) {}

    static constexpr bool is_power_of_two(double x) {
        return (std::bit_cast<std::uint64_t>(x) & ((std::uint64_t{1} << 52) - 1)) == 0;
    }

    /// One of the products, as it was collected.
    constexpr void expect(const product& p) {
        pairs_to_expect_ += static_cast<std::size_t>(p.count > 2 ? p.count * p.count : 2);
        if (p.constant != no_node && coefficients_.count < 8 && !welcome(p.coefficient))
            coefficients_.push_back(p.coefficient);
    }

    constexpr void run() {
        pair_table table(pairs_to_expect_);
        join_pairs(table);
        merge_equal(table);
        share_multiples();
    }

private:
    /// k·f, by f.
    struct multiple {
        node_index constant = no_node; ///< k
        int wishes = 0;                ///< how many products hold both
        bool there = false;            ///< one of them holds nothing else
        node_index id = no_node;       ///< the pair, if it is made
    };

    constexpr node_index new_pair(node_index a, node_index b) {
        pairs.push_back({.first = a, .second = b});
        return static_cast<node_index>(g_.size + pairs.count - 1);
    }

    /// Rounds of: every product replaces the pair of its factors that most products hold by one factor.
    constexpr void join_pairs(pair_table& table) {
        for (const product& p : products) {
            if (p.count == 2) { // most
                factor_pair& pair = table.of(p.factor[0], p.factor[1]);
                ++pair.count;
                pair.whole = pair.whole || !p.term;
                continue;
            }
            for (int k = 1; k < p.count; ++k) {
                for (int j = 0; j < k; ++j) {
                    const bool again = (j > 0 && p.factor[j] == p.factor[j - 1]) ||
                                       (k > j + 1 && p.factor[k] == p.factor[k - 1]);
                    if (!again) ++table.of(p.factor[j], p.factor[k]).count; // once a product, squares too
                }
            }
        }
        for (bool again = true; again;) {
            again = false;
            for (product& p : products) {
                if (p.count > 2) again = join_best_pair(table, p) || again;
            }
        }
    }
    constexpr bool join_best_pair(pair_table& table, product& p) {
        factor_pair* best = nullptr;
        int first = 0, second = 0;
        for (int k = 1; k < p.count; ++k) {
            for (int j = 0; j < k; ++j) {
                factor_pair& candidate = table.of(p.factor[j], p.factor[k]);
                if (candidate.count < 2 || (best != nullptr && !candidate.better_than(*best))) continue;
                best = &candidate;
                first = j;
                second = k;
            }
        }
        if (best == nullptr) return false;
        if (best->id == no_node) best->id = new_pair(best->first, best->second);
        p.changed = true;
        p.factor[first] = best->id;
        p.factor[second] = p.factor[--p.count];
        for (int j = 0; j < p.count; ++j) {
            if (j != first) ++table.of(p.factor[j], p.factor[first]).count;
        }
        return true;
    }

    /// Products that have become the same pair are one factor from here on, for their users and for terms.
    constexpr void merge_equal(pair_table& table) {
        list<node_index> merged(g_.size); // 0: not
        for (product& p : products) {
            for (int k = 0; k < p.count; ++k) {
                const node_index f = p.factor[k];
                if (f < g_.size && merged.at[f] != 0) p.factor[k] = merged.at[f];
            }
            if (p.count != 2 || p.term) continue;
            factor_pair& pair = table.of(p.factor[0], p.factor[1]);
            if (pair.root == no_node) {
                pair.root = p.root;
            } else if (pair.id == no_node) {
                pair.id = merged.at[pair.root] = new_pair(pair.first, pair.second);
            }
            if (pair.id != no_node) merged.at[p.root] = pair.id;
        }
        for (product& p : products) {
            if (p.count != 2 || p.constant == no_node) continue;
            factor_pair& pair = table.of(p.factor[0], p.factor[1]);
            if (pair.root == no_node) continue;
            if (pair.id == no_node) pair.id = new_pair(pair.first, pair.second);
            p.changed = true;
            p.count = 1;
            p.factor[0] = pair.id;
        }
    }

    /// Where k·f is there, or a term, or wanted twice, a term 2ʲ·k·f·g is made from it: 2ʲ·(k·f)·g.
    constexpr void share_multiples() {
        multiples_ = list<multiple>(g_.size + pairs.count);
        for (const product& p : products) {
            for (int k = 0; p.constant != no_node && k < p.count; ++k) {
                const bool square = k > 0 && p.factor[k] == p.factor[k - 1];
                if (!square) wish(p.factor[k], p.constant, p.count == 1);
            }
            for (int k = 0; k < 2 && p.count == 2; ++k) {
                const node_index f = p.factor[k];
                if (f < g_.size && g_.nodes[f].op == opcode::constant && is_moderate(constant_value(g_.nodes[f]).high)) wish(p.factor[1 - k], f, true);
            }
        }
        for (product& p : products) {
            if (p.count > 1 && p.constant != no_node) take_multiple(p);
        }
        for (product& p : products) {
            if (p.count != 1 || p.constant == no_node || p.factor[0] >= multiples_.count) continue;
            const multiple& m = multiples_.at[p.factor[0]];
            if (m.id != no_node && m.constant == p.constant) p.replace(0, m.id, 1);
        }
    }
    /// Some product has the constant and f as factors; `there`: it is nothing more.
    constexpr void wish(node_index f, node_index constant, bool there) {
        multiple& m = multiples_.at[f];
        if (m.constant == no_node || (there && !m.there)) m = {constant, 0, there, no_node};
        if (m.constant == constant) ++m.wishes;
    }
    constexpr void take_multiple(product& p) {
        int best = -1;
        double scale = 1;
        for (int k = 0; k < p.count; ++k) {
            if (p.factor[k] >= multiples_.count) continue;
            const multiple& m = multiples_.at[p.factor[k]];
            const bool sought = m.there || m.wishes > 1;
            if (!sought || (best >= 0 && m.wishes < multiples_.at[p.factor[best]].wishes)) continue;
            const double ratio = p.coefficient / constant_value(g_.nodes[m.constant]).high;
            if (!is_power_of_two(ratio) || !welcome(ratio)) continue;
            best = k;
            scale = ratio;
        }
        if (best < 0) return;
        multiple& m = multiples_.at[p.factor[best]];
        if (m.id == no_node) m.id = new_pair(m.constant, p.factor[best]);
        p.replace(best, m.id, scale);
    }
    /// 1, or a coefficient that terms have anyway and so may share.
    [[nodiscard]] constexpr bool welcome(double coefficient) const {
        if (coefficient == 1 || coefficient == -1) return true;
        for (const double c : coefficients_) {
            if (c == coefficient || c == -coefficient) return true;
        }
        return false;
    }

    graph_view g_;
    list<multiple> multiples_;
    list<double> coefficients_; ///< the first ones that terms have
    std::size_t pairs_to_expect_ = 0;
};

} // namespace dyad

namespace dyad {

class reassociation {
public:
    constexpr explicit reassociation(graph_view g)
        : g_(g), sharing_(g), b_(&store_unchanged, g.size), place_(g.size), uses_(g.size), user_(g.size), absorbed_(g.size),
          product_(g.size), kind_(g.size), scale_(g.size) {
        for (node_index i = 0; i < g.size; ++i) {
            const node& n = g.nodes[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
                ++uses_.at[n.operand[k]];
                user_.at[n.operand[k]] = i;
            }
        }
        for (std::size_t k = 0; k < g.output_count; ++k) uses_.at[g.outputs[k]] += 2; // an output stays
    }

    constexpr graph run() {
        find_products();
        sharing_.run();
        for (product& p : sharing_.products) {
            if (p.count == 2 && !p.term) move_coefficient(p);
        }
        for (node_index i = 0; i < g_.size; ++i) {
            if (g_.nodes[i].op == opcode::constant) place_.at[i] = b_.add(g_.nodes[i]); // products far up may come to share it
        }
        for (node_index i = 0; i < g_.size; ++i) {
            if (!absorbed_.at[i] && kind_.at[i] != kind::term) place_.at[i] = rebuilt(i);
        }
        return static_cast<builder&&>(b_).finish_copy(g_, place_);
    }

private:
    struct term {
        node_index value = no_node; ///< in the new graph; nothing when the term has joined another
        double coefficient = 1;     ///< positive
        bool negative = false;
    };
    struct sum_part {
        node_index at = 0;
        bool negative = false;
    };
    static constexpr int most_terms = 64; ///< of a sum; a longer one is a sum of sums

    /// What a node is here. A term is a product that is part of one sum and of nothing else.
    enum class kind : std::uint8_t { other, constant, sum, product, term };

    [[nodiscard]] constexpr bool is_sum(node_index i) const { return kind_.at[i] == kind::sum; }
    [[nodiscard]] constexpr bool is_term(node_index i) const { return kind_.at[i] == kind::term; }
    [[nodiscard]] constexpr bool is_constant(node_index i) const {
        return i < g_.size && kind_.at[i] == kind::constant;
    }
    /// Of a product: whether it may lose or gain factors: it has no constant that would make others overflow or vanish.
    [[nodiscard]] constexpr bool is_open(const node& n) const {
        const node& x = g_.nodes[n.operand[0]]; // where the canonical form has constants
        return x.op != opcode::constant || is_moderate(constant_value(x).high);
    }
    /// Whether a node is a sum and part of one other node only.
    [[nodiscard]] constexpr bool is_part(node_index i) const {
        return uses_.at[i] == 1 && (g_.nodes[i].op == opcode::add || g_.nodes[i].op == opcode::sub);
    }
    /// Which operand of a sum is the sum that it goes on with: the first, unless of an addition only the second is one.
    [[nodiscard]] constexpr int chain(const node& n) const {
        return n.op == opcode::add && is_part(n.operand[1]) && !is_part(n.operand[0]) ? 1 : 0;
    }
    [[nodiscard]] constexpr product& product_of(node_index i) { return sharing_.products.at[product_.at[i]]; }

    /// Finds what the nodes are, users first; marks those that dissolve in the product or sum that alone uses them; collects
    /// the factors of the products that are left.
    constexpr void find_products() {
        list<node_index> whole(g_.size);         // the product or sum that a node is part of
        list<node_index> further_parts(g_.size); // than two
        list<node_index> products(g_.size);
        std::size_t left = g_.size;
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            const node& n = g_.nodes[i];
            if (n.op == opcode::constant && constant_value(n).low == 0) kind_.at[i] = kind::constant;
            if (n.op > opcode::mul || n.op < opcode::add) continue;
            kind_.at[i] = n.op == opcode::mul ? kind::product : kind::sum;
            whole.at[i] = i;
            if (uses_.at[i] == 1) {
                const node_index user = user_.at[i];
                const node& u = g_.nodes[user];
                bool dissolves = false;
                if (n.op != opcode::mul) {
                    dissolves = kind_.at[user] == kind::sum && u.operand[chain(u)] == i;
                } else if (kind_.at[user] == kind::sum) {
                    kind_.at[i] = kind::term;
                } else {
                    dissolves = u.op == opcode::mul && is_open(n) && is_open(u);
                }
                const node_index into = whole.at[user];
                if (dissolves && further_parts.at[into] + 2 < static_cast<node_index>(n.op == opcode::mul ? product::most : most_terms)) {
                    ++further_parts.at[into];
                    whole.at[i] = into;
                    absorbed_.at[i] = true;
                    continue;
                }
            }
            if (n.op == opcode::mul) products.at[--left] = i;
        }
        sharing_.products = list<product>(g_.size - left);
        for (std::size_t k = 0; left + k < g_.size; ++k) collect_product(sharing_.products.at[k], products.at[left + k], k);
    }
    constexpr void collect_product(product& p, node_index i, std::size_t at) {
        product_.at[i] = static_cast<node_index>(at);
        p.root = i;
        p.term = is_term(i);
        node_index pending[product::most] = {g_.nodes[i].operand[1], g_.nodes[i].operand[0]};
        for (int left = 2; left > 0;) {
            const node_index f = pending[--left];
            const node& n = g_.nodes[f];
            if (absorbed_.at[f]) {
                pending[left++] = n.operand[1];
                pending[left++] = n.operand[0];
            } else if (p.term && p.constant == no_node && is_constant(f) && is_moderate(constant_value(n).high)) {
                p.coefficient = constant_value(n).high;
                p.constant = f;
            } else {
                p.factor[p.count++] = f;
            }
        }
        sharing_.expect(p);
    }

    /// A constant that a moderate power of two multiplies without rounding, overflow or underflow: in constant evaluation g++ has no
    /// numbers beyond the largest, and clang does not compute with NaN.
    static constexpr bool is_scalable(double c) {
        const double size = c < 0 ? -c : c;
        return c == 0 || (size >= 0x1p-1000 && size <= 0x1p1000);
    }
    /// A product of two factors, c·(sum), becomes the sum with c in all its terms, where that is one multiplication less.
    constexpr void move_coefficient(product& p) {
        const int k = is_constant(p.factor[0]) ? 0 : 1;
        const node_index constant = p.factor[k], s = p.factor[1 - k];
        if (!is_constant(constant) || s >= g_.size || !is_sum(s) || uses_.at[s] != 1) return;
        const double c = constant_value(g_.nodes[constant]).high;
        if (!product_sharing::is_power_of_two(c) || !is_moderate(c)) return; // others round, and what cancels then loses digits
        int before = 1, after = 0, constants = 0;
        for (int j = 0; j < 2; ++j) {
            const node_index x = g_.nodes[s].operand[j];
            if (is_constant(x)) {
                if (!is_scalable(constant_value(g_.nodes[x]).high)) return;
                ++constants;
                continue;
            }
            if (is_sum(x) && absorbed_.at[x]) return; // a longer sum: not worth the look
            const double own = is_term(x) ? product_of(x).coefficient : 1;
            before += own != 1 && own != -1;
            after += own * c != 1 && own * c != -1;
        }
        // (A product fused with an addition is none: c·(a + x) = c·a + c·x.)
        if (after > before || (after == before && constants == 0)) return;
        scale_.at[s] = c;
        p.changed = true;
        p.count = 1;
        p.factor[0] = s;
    }

    constexpr node_index rebuilt(node_index i) {
        if (kind_.at[i] == kind::product) return value(product_of(i), g_.nodes[i].type);
        if (kind_.at[i] == kind::sum) return sum(i);
        node n = g_.nodes[i];
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) n.operand[k] = place_.at[n.operand[k]];
        return b_.add(n);
    }
    /// A product without its coefficient.
    constexpr node_index value(const product& p, element type) {
        if (!p.changed) {
            node_index left_out = p.constant;
            return as_written(p.root, left_out);
        }
        node_index result = factor_value(p.factor[0], type);
        for (int k = 1; k < p.count; ++k) result = emit(opcode::mul, result, factor_value(p.factor[k], type), type);
        return result;
    }
    /// The product with its factors grouped as they were, without one constant.
    constexpr node_index as_written(node_index i, node_index& left_out) {
        const node& n = g_.nodes[i];
        const node_index x = part(n.operand[0], left_out), y = part(n.operand[1], left_out);
        if (x == no_node) return y;
        return y == no_node ? x : emit(opcode::mul, x, y, n.type);
    }
    constexpr node_index part(node_index x, node_index& left_out) {
        if (x == left_out) return left_out = no_node;
        return absorbed_.at[x] ? as_written(x, left_out) : place_.at[x];
    }
    constexpr node_index factor_value(node_index f, element type) {
        if (f < g_.size) return place_.at[f];
        factor_pair& pair = sharing_.pairs.at[f - g_.size]; // its id is its place here
        if (pair.id == no_node)
            pair.id = emit(opcode::mul, factor_value(pair.first, type), factor_value(pair.second, type), type);
        return pair.id;
    }
    constexpr node_index emit(opcode op, node_index x, node_index y, element type) {
        const bool swap = op == opcode::mul && y < x; // one order, so that equal products meet
        return b_.add({.op = op, .type = type, .operand = {swap ? y : x, swap ? x : y, 0}});
    }

    constexpr node_index sum(node_index i) {
        const element type = g_.nodes[i].type;
        const node_index x = plain_term(i, g_.nodes[i].operand[0]), y = plain_term(i, g_.nodes[i].operand[1]);
        if (x != no_node && y != no_node) return emit(g_.nodes[i].op, x, y, type); // most sums
        find_terms(i);
        const list<term>& terms = terms_;
        for (std::size_t k = 0; k < terms.count; ++k) {
            if (terms.at[k].coefficient != 1) gather(k, type);
        }
        std::size_t first = 0; // a term to begin with that needs no change of sign
        while (first < terms.count && (terms.at[first].negative || terms.at[first].value == no_node)) ++first;
        const bool all_negative = first == terms.count;
        if (all_negative) first = 0;
        while (terms.at[first].value == no_node) ++first;
        node_index result = scaled(terms.at[first], type);
        for (std::size_t k = 0; k < terms.count; ++k) {
            if (k == first || terms.at[k].value == no_node) continue;
            const bool minus = terms.at[k].negative != all_negative;
            result = emit(minus ? opcode::sub : opcode::add, result, scaled(terms.at[k], type), type);
        }
        return all_negative ? emit(opcode::neg, result, 0, type) : result;
    }
    /// The operand x of the sum i, if it is a term without a coefficient.
    constexpr node_index plain_term(node_index i, node_index x) {
        if (scale_.at[i] != 0 || absorbed_.at[x]) return no_node;
        if (!is_term(x)) return place_.at[x];
        const product& p = product_of(x);
        return p.coefficient == 1 ? value(p, g_.nodes[x].type) : no_node;
    }
    constexpr void find_terms(node_index i) {
        terms_.count = 0;
        pending_.push_back({i, false});
        const double scale = scale_.at[i] != 0 ? scale_.at[i] : 1;
        while (!pending_.empty()) {
            const sum_part next = pending_.back();
            pending_.pop_back();
            const node& n = g_.nodes[next.at];
            if (next.at == i || (absorbed_.at[next.at] && is_sum(next.at))) {
                const int first = chain(n);
                pending_.push_back({n.operand[1 - first], n.op == opcode::sub});
                pending_.push_back({n.operand[first], false});
                continue;
            }
            double coefficient = scale;
            node_index x = no_node;
            if (is_term(next.at)) {
                coefficient *= product_of(next.at).coefficient;
                x = value(product_of(next.at), n.type);
            } else if (is_constant(next.at)) {
                x = scale == 1 ? place_.at[next.at] : b_.constant(exact(constant_value(n).high * scale), n.type);
                coefficient = 1;
            } else {
                x = place_.at[next.at];
            }
            const bool minus = coefficient < 0;
            terms_.push_back({x, minus ? -coefficient : coefficient, next.negative != minus});
        }
    }
    /// c·x + ... + c·y, from term k on, as the one term c·(x + y) in the last one's place: what stands between is added up meanwhile.
    constexpr void gather(std::size_t k, element type) {
        for (std::size_t j = k + 1; j < terms_.count; ++j) {
            term &one = terms_.at[k], &other = terms_.at[j];
            if (other.coefficient != one.coefficient) continue;
            const bool minus = other.negative != one.negative;
            other.value = emit(minus ? opcode::sub : opcode::add, one.value, other.value, type);
            other.negative = one.negative;
            one = {};
            k = j;
        }
    }
    constexpr node_index scaled(const term& t, element type) {
        if (t.coefficient == 1) return t.value;
        return emit(opcode::mul, b_.constant(exact(t.coefficient), type), t.value, type);
    }

    graph_view g_;
    product_sharing sharing_;
    builder b_;
    list<node_index> place_;
    list<node_index> uses_;
    list<node_index> user_;    ///< the last one: the only one of a node with one use
    list<bool> absorbed_;      ///< part of the product or sum that uses it
    list<node_index> product_; ///< of a whole product: its place in sharing_.products
    list<kind> kind_;
    list<double> scale_;       ///< of a sum: a factor of all its terms, or 0 for none
    list<term> terms_;         ///< of the sum at hand, and what is left to look at: lists of the whole pass, because nvcc loses
    list<sum_part> pending_;   ///< the memory of some of many that are made for a sum each
};

/// The graph with its products and sums put together anew.
constexpr graph reassociate(graph_view g) {
    return reassociation(g).run();
}

} // namespace dyad

// ---- dyad/pass/reciprocals.hpp
// A division costs as much as ten products. Quotients by one divisor share its reciprocal, and one reciprocal
// gives others: 1/a = b·(1/(a·b)), 1/x = (1/√x)². For b = 0 and x < 0 these are no numbers: so only where all that is
// computed from 1/a, or 1/x, is none there anyway, because the other quotient is in it too.

namespace dyad {

/// The quotients of a graph that is being copied into a builder; `place` says where its nodes are there.
class reciprocals {
public:
    constexpr reciprocals(graph_view g, builder& b, const list<node_index>& place)
        : g_(g), b_(b), place_(place) {
        bool divides = false, shared = false;
        for (node_index i = 0; i < g.size && !divides; ++i) divides = g.nodes[i].op == opcode::div;
        if (!divides) return;
        quotients_ = list<node_index>(g.size);
        first_ = list<node_index>(g.size, no_node);
        via_ = list<node_index>(g.size, no_node);
        for (node_index i = 0; i < g.size; ++i) {
            if (g.nodes[i].op != opcode::div) continue;
            const node_index d = g.nodes[i].operand[1];
            if (g.nodes[d].op == opcode::constant) continue; // x/3 is not x times a rounded third
            if (quotients_.at[d]++ == 0) first_.at[d] = i;
            shared = true;
        }
        for (node_index d = 0; d < g.size && shared; ++d) {
            if (first_.at[d] != no_node) offer(d, d, 0);
        }
    }

    /// The quotient that node i is, in the builder.
    constexpr node_index quotient(node_index i) {
        const node& n = g_[i];
        const node_index x = n.operand[0], d = n.operand[1];
        if (quotients_.at[d] < 2 && via_.at[d] == no_node) {
            return b_.add({.op = opcode::div, .type = n.type, .operand = {place_.at[x], place_.at[d], 0}});
        }
        const node_index r = reciprocal(d);
        const bool one = g_[x].op == opcode::constant && constant_value(g_[x]) == 1.0;
        return one ? r : product(place_.at[x], r, n.type);
    }

private:
    /// A longer product costs more than the division that it saves.
    static constexpr int most_factors = 3;

    /// Whether a result is no finite number (`nan`: is NaN) as soon as one operand is none.
    static constexpr bool passes_on(const node& n, bool nan) {
        switch (n.op) {
        case opcode::add:
        case opcode::sub:
        case opcode::mul:
        case opcode::neg:
        case opcode::abs:
        case opcode::sqrt:
        case opcode::log:
        case opcode::sin:
        case opcode::cos:
        case opcode::tan: return true;
        case opcode::ipow: return n.attribute() > 0;
        case opcode::div:
        case opcode::exp:
        case opcode::expm1:
        case opcode::log1p:
        case opcode::erf:
        case opcode::erfc:
        case opcode::tanh:
        case opcode::cbrt:
        case opcode::atan: return nan;
        default: return false;
        }
    }
    /// Whether every output that a quotient by `f` reaches is no finite number where those by `d` are none.
    constexpr bool is_covered(node_index f, node_index d) const {
        const bool nan = g_[d].op == opcode::sqrt;
        list<bool> spoiled(g_.size), clean(g_.size);
        for (node_index i = 0; i < g_.size; ++i) {
            const node& n = g_[i];
            spoiled.at[i] = n.op == opcode::div && n.operand[1] == d;
            for (int k = n.arity(); k-- > 0 && !spoiled.at[i];) spoiled.at[i] = spoiled.at[n.operand[k]] && passes_on(n, nan);
        }
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            if (!spoiled.at[g_.outputs[k]]) clean.at[g_.outputs[k]] = true;
        }
        for (std::size_t i = g_.size; i-- > 0;) {
            const node& n = g_[i];
            if (!clean.at[i]) continue;
            if (n.op == opcode::div && n.operand[1] == f) return false;
            for (int k = n.arity(); k-- > 0;) clean.at[n.operand[k]] = true;
        }
        return true;
    }
    /// Tells the factors of the divisor `d` below `x`, and what it is the root of, that they can have their
    /// reciprocals from it: those that are asked for only after it is there.
    constexpr void offer(node_index d, node_index x, int depth) {
        const node& n = g_[x];
        const bool root = x == d && n.op == opcode::sqrt;
        if ((n.op != opcode::mul && !root) || depth == most_factors) return;
        for (int k = 0; k < n.arity(); ++k) {
            const node_index f = n.operand[k];
            if (first_.at[f] != no_node && first_.at[f] > d && via_.at[f] == no_node && is_covered(f, d)) {
                via_.at[f] = d;
                ++quotients_.at[d];
            }
            if (!root) offer(d, f, depth + 1);
        }
    }
    constexpr node_index reciprocal(node_index d) {
        const node_index e = via_.at[d];
        const element type = g_[d].type;
        if (e == no_node) {
            const node_index one = b_.constant(exact(1), type);
            return b_.add({.op = opcode::div, .type = type, .operand = {one, place_.at[d], 0}});
        }
        const node_index r = reciprocal(e);
        return g_[e].op == opcode::sqrt ? product(r, r, type) : replaced(e, d, r, 0);
    }
    /// The product `x` with `r` in the place of its factor `d`; nothing if it has no such factor.
    constexpr node_index replaced(node_index x, node_index d, node_index r, int depth) {
        if (x == d) return r;
        const node& n = g_[x];
        if (n.op != opcode::mul || depth == most_factors) return no_node;
        for (int k = 0; k < 2; ++k) {
            const node_index part = replaced(n.operand[k], d, r, depth + 1);
            if (part != no_node) return product(part, place_.at[n.operand[1 - k]], n.type);
        }
        return no_node;
    }
    constexpr node_index product(node_index x, node_index y, element type) {
        return b_.add({.op = opcode::mul, .type = type, .operand = {x, y, 0}});
    }

    graph_view g_;
    builder& b_;
    const list<node_index>& place_;
    list<node_index> quotients_; ///< how often something is divided by the node
    list<node_index> first_; ///< the first node that divides by it
    list<node_index> via_;   ///< whose reciprocal gives its own
};

} // namespace dyad

namespace dyad {

/// Two functions of one argument that are computed together.
struct joint_functions {
    opcode first, second, both;
    bool exact; ///< each result has the bits of its own function
};
inline constexpr joint_functions joint_table[] = {
    {opcode::sin, opcode::cos, opcode::sincos, true},
    {opcode::erf, opcode::gaussian, opcode::erf_gaussian, false},
};

class lowering {
public:
    constexpr lowering(graph_view g, policy p)
        : g_(g), fast_(p == policy::fast), b_(&store_unchanged, g.size), place_(g.size), wanted_(g.size),
          reciprocals_(g, b_, place_) {
        for (std::size_t i = 0; i < g.size; ++i) {
            const opcode op = g.nodes[i].op;
            if (is_inline(op)) continue;
            for (const joint_functions& j : joint_table) {
                if ((op != j.first && op != j.second) || (!j.exact && !fast_)) continue;
                wanted_.at[g.nodes[i].operand[0]] |= mask_of(j, op == j.first ? 0 : 1);
            }
        }
    }

    constexpr graph run() {
        for (node_index i = 0; i < g_.size; ++i) place_.at[i] = lowered(i);
        graph result = static_cast<builder&&>(b_).finish_copy(g_, place_);
        bool conditions = false;
        for (const node_index i : result.outputs) conditions = conditions || result.nodes.at[i].type == element::boolean;
        if (conditions) return numbered(result);
        return result;
    }

private:
    /// A kernel delivers numbers: of a condition, 1 or 0.
    static constexpr graph numbered(graph_view g) {
        builder b;
        list<node_index> outputs = b.append(g, true);
        for (node_index& i : outputs) i = b.as_number(i);
        graph result = b.finish(outputs);
        result.input_count = g.input_count;
        return result;
    }
    static constexpr unsigned mask_of(const joint_functions& j, int k) {
        return 1U << (2 * (&j - joint_table) + k);
    }
    constexpr node_index lowered(node_index i) {
        node n = g_.nodes[i];
        const node_index x = n.operand[0];
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) n.operand[k] = place_.at[n.operand[k]];
        switch (n.op) {
        case opcode::stop_gradient: return n.operand[0];
        case opcode::ipow:
            if (n.attribute() < -1) return emit(opcode::div, b_.constant(exact(1), n.type), power(n.operand[0], -n.attribute()));
            return n.attribute() > 1 ? power(n.operand[0], n.attribute()) : b_.add(n);
        case opcode::pow: return root_power(n);
        case opcode::div: return fast_ ? reciprocals_.quotient(i) : b_.add(n);
        case opcode::sin:
        case opcode::cos:
        case opcode::erf: return joint(n, x);
        case opcode::gaussian: {
            const node_index result = joint(n, x);
            return result != no_node ? result : emit(opcode::exp, emit(opcode::neg, power(n.operand[0], 2)));
        }
        default: return b_.add(n);
        }
    }
    /// One of two functions of the argument x, by both if both are wanted. The gaussian has no way of its own.
    constexpr node_index joint(const node& n, node_index x) {
        for (const joint_functions& j : joint_table) {
            const unsigned both = mask_of(j, 0) | mask_of(j, 1);
            if ((n.op != j.first && n.op != j.second) || (wanted_.at[x] & both) != both) continue;
            return b_.add({.op = opcode::result,
                           .type = n.type,
                           .operand = {emit(j.both, n.operand[0]), 0, 0},
                           .bits = n.op == j.first ? 0U : 1U});
        }
        return n.op == opcode::gaussian ? no_node : b_.add(n);
    }
    constexpr node_index root_power(const node& n) {
        const node_index x = n.operand[0];
        const node& y = b_[n.operand[1]];
        if (!fast_ || y.op != opcode::constant || !is_root_power(constant_value(y).high)) return b_.add(n);
        return emit(opcode::mul, power(x, static_cast<int>(constant_value(y).high)), emit(opcode::sqrt, x));
    }
    constexpr node_index emit(opcode op, node_index x, node_index y = 0) {
        return b_.add({.op = op, .type = b_[x].type, .operand = {x, y, 0}});
    }
    /// xⁿ by squaring, in the order of `operation<opcode::ipow>`.
    constexpr node_index power(node_index x, int n) {
        if (n == 1) return x;
        if (n % 2 == 1) return emit(opcode::mul, power(x, n - 1), x);
        const node_index half = power(x, n / 2);
        return emit(opcode::mul, half, half);
    }

    graph_view g_;
    bool fast_;
    builder b_;
    list<node_index> place_;
    list<unsigned> wanted_; ///< of an argument: which of the joint functions it goes into
    reciprocals reciprocals_;
};

/// The passes that lowering consists of, one after the other. Where a long program is compiled, each is an evaluation of its
/// own (trace/program.hpp).
constexpr graph lower_pass(int number, graph_view g, policy p) {
    if (number == 0) return lowering(g, p).run();
    if (number == 1 && p == policy::fast) return reassociate(g);
    return order_around_calls(g);
}
inline constexpr int lower_passes = 3;

/// All of them.
constexpr graph lower(graph_view g, policy p = default_policy) {
    graph result = lower_pass(0, g, p);
    for (int number = 1; number < lower_passes; ++number) result = lower_pass(number, result, p);
    return result;
}

} // namespace dyad

// ---- dyad/pass/region_derivatives.hpp
// Forward mode through loops, branches and rules: tangents go round with the values, in the same loop; and the table that
// builders with regions carry.

// ---- dyad/pass/region_reverse.hpp
// Reverse mode through loops, branches, rules and checkpoints. The adjoint of a branch is a branch between the pullbacks.

// ---- dyad/pass/loop_reverse.hpp
// Reverse mode through loops. The adjoint of a loop is a loop that runs the other way: its carries are the cotangents of the
// loop's carries and the sums for what the body captures; its body is the pullback of the body. What it needs of each round
// is a history of the loop; or, if the loop stores few states, the adjoint is a sweep, beside which the loop runs again.

// ---- dyad/pass/region_cotangents.hpp
// What is handed down to a region: the cotangents of its results and of its histories.

// ---- dyad/pass/region_scope.hpp
// What the body of a loop takes from outside, and what differentiating loops, branches and rules share.

// ---- dyad/pass/substitute.hpp
// Nodes with others in the place of some that they are computed from.

namespace dyad {

/// A copy of a loop, on the same parameters. A loop gives the histories of all values that are asked of its rounds, so it comes after all
/// that these need; where a new value needs what comes after the loop, as in rounds that go back, the copy gives that one. (As a node it
/// differs by the end of its chain.)
constexpr node_index another_loop(builder& b, node_index loop) {
    std::uint64_t copies = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (b.nodes.at[i].is(opcode::nothing) && b.nodes.at[i].bits > copies) copies = b.nodes.at[i].bits;
    }
    node_index chain = b.add({.op = opcode::nothing, .bits = copies + 1});
    for (const node_index i : bindings(b.nodes.data(), loop)) {
        node n = b[i];
        n.operand[0] = chain;
        chain = b.add(n);
    }
    node n = b[loop];
    n.operand[1] = chain;
    return b.add(n);
}

/// The nodes `roots` with each `from[k]` replaced by `to[k]`: whatever depends on them is made anew. (A parameter
/// among `from` must be free in the roots.)
constexpr list<node_index> substitute(builder& b, const list<node_index>& roots,
                                      const list<node_index>& from, const list<node_index>& to) {
    node_index begin = no_node; // what lies before all of `from` does not depend on them
    for (const node_index x : from) begin = x < begin ? x : begin;
    const node_index end = end_of(roots);
    if (begin >= end) return roots;
    const list<bool> wanted = reached(b.nodes.data(), end, roots, begin);
    list<node_index> moved(end - begin); // where a node went, counted from 1; 0: it stays
    for (std::size_t k = 0; k < from.size(); ++k) {
        if (from[k] < end) moved[from[k] - begin] = to[k] + 1;
    }
    const auto place = [&](node_index x) { return x < begin || moved.at[x - begin] == 0 ? x : moved.at[x - begin] - 1; };
    list<node_index> loops, copies; // of loops whose histories change, though they do not
    for (node_index i = begin; i < end; ++i) {
        if (!wanted.at[i] || moved.at[i - begin] != 0) continue;
        node n = b.nodes.at[i];
        bool depends = false;
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            const node_index x = n.operand[k];
            n.operand[k] = place(x);
            depends = depends || n.operand[k] != x;
        }
        if (depends && n.is(opcode::history) && n.operand[0] == b.nodes.at[i].operand[0]) {
            std::size_t k = 0;
            while (k < loops.size() && loops[k] != n.operand[0]) ++k;
            if (k == loops.size()) {
                loops.push_back(n.operand[0]);
                copies.push_back(another_loop(b, n.operand[0]));
            }
            n.operand[0] = copies[k];
        }
        if (depends) moved.at[i - begin] = (n.is(opcode::at) ? at(b, n.operand[0], n.operand[1]) : b.emit(n)) + 1;
    }
    list<node_index> result;
    for (const node_index r : roots) result.push_back(place(r));
    return result;
}

} // namespace dyad

namespace dyad {

/// 0, in the type and with the shape of a node.
constexpr node_index zero_like(builder& b, node_index like) {
    return b.broadcast_to(b.constant(exact(0), b[like].type), like);
}
/// A constant in the type of a node; other nodes have one already.
constexpr node_index as_type(builder& b, node_index x, node_index like) {
    return b.is_constant(x) && b[x].type != b[like].type ? b.constant(constant_value(b[x]), b[like].type) : x;
}

/// Sweeps for all elements of an array have directions along axes of their own, which a loop cannot carry.
constexpr void refuse_directions(bool several) {
    if (several) throw shape_error("[dyad] jacobian: a loop is differentiated in one direction at a time; use jvp, vjp or hvp");
}

/// What a loop computes each round: the next values of its carries, and the values of its histories.
constexpr list<node_index> loop_roots(const node* nodes, const list<node_index>& carries, const list<node_index>& values) {
    list<node_index> roots = values;
    for (const node_index c : carries) roots.push_back(nodes[c].operand[2]);
    return roots;
}

/// What the body under `roots` takes from outside of its loop.
struct region_scope {
    list<node_index> captured; ///< values, but constants
    list<node_index> elements; ///< `at` nodes at the loop's own index

    constexpr region_scope(const builder& b, node_index loop, const list<node_index>& roots) {
        const list<bool> wanted = reached(b.nodes.data(), end_of(roots), roots);
        const free_parameters free(b.nodes.data(), wanted);
        const list<std::uint64_t> inner = free.bound_within(loop);
        list<bool> inside(wanted.size()), known(wanted.size());
        for (const node_index r : roots) capture(b, r, free.meets(r, inner), inside, known);
        const std::uint64_t index = index_number(b[loop]);
        for (node_index i = static_cast<node_index>(wanted.size()); i-- > 0;) {
            if (!inside[i]) continue;
            const node& n = b[i];
            const bool own = n.is(opcode::at) && b[n.operand[1]].is(opcode::parameter) && b[n.operand[1]].bits == index;
            if (own && !free.meets(n.operand[0], inner)) {
                elements.push_back(i);
                continue;
            }
            for (int k = 0; k < n.arity(); ++k) {
                // What a region inside lists or binds is inside, though it be the same in every round (see levels::mark_body).
                const opcode op = b[n.operand[k]].op;
                const bool is_inside = free.meets(n.operand[k], inner) || is_region(op) || is_link(op);
                capture(b, n.operand[k], is_inside, inside, known);
            }
        }
    }
    /// What the loop takes from outside, element arrays too.
    [[nodiscard]] constexpr list<node_index> outside(const builder& b) const {
        list<node_index> all = captured;
        for (const node_index x : elements) all.push_back(b[x].operand[0]);
        return all;
    }

private:
    constexpr void capture(const builder& b, node_index x, bool is_inside, list<bool>& inside, list<bool>& known) {
        if (is_inside) inside[x] = true;
        if (is_inside || known[x] || b.is_constant(x) || b[x].is(opcode::nothing)) return;
        known[x] = true;
        captured.push_back(x);
    }
};

/// Whether a pullback that the results depend on captures what is made of one of the inputs to differentiate by, straight on: what
/// comes out of loops and branches, and a loop's own values, differentiation refuses.
constexpr bool captures_input(graph_view g, const list<std::uint32_t>& by) {
    if (!has_rules(g)) return false;
    list<bool> live(g.size), captured(g.size);
    for (std::size_t k = 0; k < g.output_count; ++k) live[g.outputs[k]] = true;
    for (node_index i = static_cast<node_index>(g.size); i-- > 0;) {
        const node& n = g.nodes[i];
        const bool owns = is_link(n.op) || is_region(n.op);
        for (const std::uint32_t input : by) {
            if (captured[i] && n.is(opcode::input) && n.bits == input) return true;
        }
        for (int k = 0; k < n.arity(); ++k) {
            const node_index x = n.operand[k];
            live[x] = live[x] || (live[i] && (owns || n.is(opcode::result) || n.is(opcode::history) || differentiable_by(n.op, k)));
            captured[x] = captured[x] || (captured[i] && !is_region_operation(n.op) && differentiable_by(n.op, k));
        }
        if (!live[i] || !n.is(opcode::custom) || !is(kind_of_rule(n), rule_kind::pullback)) continue;
        const list<node_index> binds = bindings(g.nodes, i);
        const std::size_t arguments = binds.size() - 2 * links(g.nodes, n.operand[0]).size();
        for (std::size_t k = links(g.nodes, n.operand[2]).size(); k < arguments; ++k) captured[g.nodes[binds[k]].operand[1]] = true;
    }
    return false;
}

/// Whether x itself has a slope by the nodes `by`, where what is active is known: of a loop, a branch or a checkpoint some results may
/// have none.
constexpr bool has_slope(const builder& b, node_index x, const list<node_index>& by, const list<bool>& active) {
    list<bool> has(b.size());
    for (const node_index i : by) has[i] = true;
    for (node_index i = 0; i <= x; ++i) {
        if (i >= active.size() || !active[i] || has[i]) continue;
        const node& n = b[i];
        if (n.is(opcode::result) && n.bits != rounds_result && !b[n.operand[0]].is(opcode::custom) && !b[n.operand[0]].is(opcode::invertible)) {
            const node& region = b[n.operand[0]];
            const node& value = b[links(b.nodes.data(), region.operand[is_loop(region.op) ? 1 : region.is(opcode::branch) ? 2 : 0])[n.bits]];
            has[i] = has[value.operand[1]] || (value.arity() > 2 && has[value.operand[2]]);
        } else if (n.arity() == 0 || is_region(n.op) || is_link(n.op)) {
            has[i] = true;
        } else if (!n.is(opcode::result) || n.bits != rounds_result) {
            for (int k = 0; k < n.arity(); ++k) has[i] = has[i] || (has[n.operand[k]] && (is_region_operation(n.op) || differentiable_by(n.op, k)));
        }
    }
    return has[x];
}

/// A custom rule, taken apart.
struct custom_parts {
    std::size_t arguments = 0;   ///< and what is captured
    std::size_t results = 0;
    list<node_index> parameters; ///< for the arguments, the results, and what travels along
    list<node_index> bound;      ///< the arguments and the plain values of the results
    list<node_index> roots;      ///< what the rule gives, by the parameters
    rule_kind kind;

    constexpr custom_parts(builder& b, node_index i) : kind(kind_of_rule(b[i])) {
        const list<node_index> binds = bindings(b.nodes.data(), i);
        results = links(b.nodes.data(), b[i].operand[0]).size();
        arguments = by_cotangents() ? binds.size() - 2 * results : (binds.size() - results) / 2;
        for (const node_index bind : binds) {
            parameters.push_back(b.add(parameter_of(b[bind])));
            bound.push_back(b[bind].operand[1]);
        }
        for (const node_index e : links(b.nodes.data(), b[i].operand[2])) roots.push_back(b[e].operand[1]);
    }
    [[nodiscard]] constexpr bool by_cotangents() const { return !is(kind, rule_kind::pushforward); }
    /// What the rule gives for what travels along (cotangents of the results, or tangents of the arguments).
    constexpr list<node_index> rule(builder& b, node_index i, const list<node_index>& along) const {
        list<node_index> to;
        for (std::size_t k = 0; k < arguments; ++k) to.push_back(bound[k]);
        for (std::size_t r = 0; r < results; ++r) to.push_back(region_result(b, i, r, b[parameters[arguments + r]]));
        for (const node_index x : along) to.push_back(x);
        return substitute(b, roots, parameters, to);
    }
    /// Whether a pullback says nothing of argument k, which is captured then.
    [[nodiscard]] constexpr bool is_silent(std::size_t k) const { return by_cotangents() && k >= roots.size(); }
    static constexpr void refuse_captured(bool has_slope) {
        if (has_slope)
            throw value_error("[dyad] odeint_adjoint: the function captures what is differentiated by; pass it as a further argument");
    }
    /// 1 for the k-th of `count` that travel along, 0 for the others.
    constexpr list<node_index> unit(builder& b, std::size_t k, std::size_t count) const {
        list<node_index> result;
        for (std::size_t j = 0; j < count; ++j) {
            const node_index like = parameters[arguments + results + j];
            result.push_back(b.broadcast_to(b.constant(exact(j == k ? 1 : 0), b[like].type), like));
        }
        return result;
    }
};

/// The steps of a state that can be computed backwards, taken apart.
struct invertible_parts {
    std::size_t size = 0;  ///< of the state
    std::size_t steps = 0;
    list<node_index> captured, arguments, results; ///< parameters
    list<node_index> captured_values, argument_values;
    list<node_index> roots; ///< of each step: its results, its arguments

    constexpr invertible_parts(builder& b, node_index i) : size(links(b.nodes.data(), b[i].operand[0]).size()) {
        const list<node_index> binds = bindings(b.nodes.data(), i);
        const std::size_t count = binds.size() - 2 * size;
        for (std::size_t k = 0; k < binds.size(); ++k) {
            const node_index own = b.add(parameter_of(b[binds[k]])), value = b[binds[k]].operand[1];
            (k < count ? captured : k < count + size ? arguments : results).push_back(own);
            if (k < count) captured_values.push_back(value);
            if (k >= count && k < count + size) argument_values.push_back(value);
        }
        for (const node_index e : links(b.nodes.data(), b[i].operand[2])) roots.push_back(b[e].operand[1]);
        steps = roots.size() / (2 * size);
    }
    /// The results of a step, by its arguments.
    [[nodiscard]] constexpr list<node_index> forward(std::size_t step) const {
        list<node_index> part;
        for (std::size_t k = 0; k < size; ++k) part.push_back(roots[2 * step * size + k]);
        return part;
    }
    /// The arguments of a step whose results are `y`.
    constexpr list<node_index> back(builder& b, std::size_t step, const list<node_index>& y) const {
        list<node_index> part, from = captured, to = captured_values;
        for (std::size_t k = 0; k < size; ++k) {
            part.push_back(roots[(2 * step + 1) * size + k]);
            from.push_back(results[k]);
            to.push_back(y[k]);
        }
        return substitute(b, part, from, to);
    }
};

} // namespace dyad

namespace dyad {

constexpr bool is_zero(const builder& b, node_index x) {
    return b.is_constant(x) && constant_value(b[x]) == 0.0;
}

/// `part` counts where `mask` holds.
constexpr void add_to(builder& b, contribution& adjoint, node_index part, node_index mask = no_node) {
    if (!is_zero(b, part)) adjoint = contributions(b).plus(adjoint, {part, mask});
}

/// The adjoints of a region's results, by their number, and of its histories. What follows from them is linear in them: exactly nothing
/// where all of them are.
struct region_cotangents {
    list<node_index> of_result; ///< no_node where there is none
    list<node_index> values;    ///< of the histories: their values ...
    list<node_index> of_values; ///< ... and the adjoints of the histories
    bool any = false;
    node_index mask = no_node; ///< where some of them count, if that is one condition for all elements

    constexpr region_cotangents(builder& b, node_index region, std::size_t results, const list<contribution>& adjoint)
        : of_result(results, no_node) {
        contributions sum(b);
        for (node_index i = region + 1; i < adjoint.size(); ++i) {
            if (b.nodes.at[i].operand[0] != region || adjoint.at[i].value == no_node) continue;
            const node n = b[i]; // a copy: numbers append nodes
            if (!n.is(opcode::result) && !n.is(opcode::history)) continue;
            counts_where(b, adjoint[i].mask);
            if (n.is(opcode::result) && n.bits < results) of_result[n.bits] = sum.number(adjoint[i]);
            if (n.is(opcode::history)) {
                values.push_back(n.operand[1]);
                const node_index cotangent = sum.number(adjoint[i]);
                of_values.push_back(b[cotangent].rank == 0 ? cotangent : b.broadcast_to(cotangent, i)); // (a number is for all)
            }
        }
    }
    /// That of result k, 0 where there is none.
    constexpr node_index number(builder& b, std::size_t k, node_index like) const {
        return of_result[k] != no_node ? of_result[k] : zero_like(b, like);
    }
    /// What an operand receives.
    constexpr void add_to(builder& b, contribution& adjoint, node_index part) const { dyad::add_to(b, adjoint, part, mask); }

private:
    constexpr void counts_where(builder& b, node_index condition) {
        const bool single = condition != no_node && b[condition].rank == 0, everywhere = any && mask == no_node;
        if (!single || everywhere) {
            mask = no_node;
        } else {
            mask = !any || mask == condition ? condition : b.emit(opcode::logical_or, mask, condition);
        }
        any = true;
    }
};

/// A parameter in the place of the cotangent of x. It has the axes of that: one number for all elements is no array of them
/// where it is added up.
constexpr node_index stand_in(builder& b, node_index x, node_index cotangent) {
    return b.parameter(b[x].type, shape_of(b[cotangent]));
}

} // namespace dyad

// ---- dyad/pass/residuals.hpp
// What a loop keeps of each round for its backward pass, and what is cheaper to compute again. Either all the values that
// the adjoints use, or what those are made of: the loop's own values and the results of library calls; whichever is
// fewer numbers. Nothing that `again` asks to compute anew is kept.

// ---- dyad/pass/role.hpp
// How the value of an operation comes about, and which of its operands it reads: what plans of arrays are made by, and what the
// adjoints of loops keep or compute again.

namespace dyad {

/// How a node comes about.
enum class role : std::uint8_t {
    constant,
    leaf,        ///< an argument, or a number that follows from sizes
    view,        ///< the memory of another node, read in another way
    elementwise, ///< computed in loops, stored or not
    reduction,   ///< accumulated in a loop
    call,        ///< computed by a routine of its own, from memory to memory
    link         ///< names an operand of a loop or a branch
};
DYAD_COMPARED(role)

constexpr role role_of(opcode op) {
    switch (op) {
    case opcode::constant:
    case opcode::nothing: return role::constant;
    case opcode::entry: return role::link;
    case opcode::input:
    case opcode::extent: return role::leaf;
    case opcode::expand:
    case opcode::squeeze:
    case opcode::transpose:
    case opcode::flip:
    case opcode::slice:
    case opcode::diagonal:
    case opcode::unfold:
    case opcode::window:
    case opcode::result: // of a loop or a branch
    case opcode::trail:
    case opcode::at: return role::view;
    case opcode::reduce_sum:
    case opcode::reduce_prod:
    case opcode::reduce_max:
    case opcode::reduce_min: return role::reduction;
    case opcode::broadcast_like:
    case opcode::fill:
    case opcode::fill_like: return role::elementwise; // the operand's value, for more elements
    default: return is_array_operation(op) ? role::call : role::elementwise;
    }
}

/// The operands that are read; of the others only the shape counts.
constexpr int operands_read(const node& n) {
    if (is_of_shape(n.op)) return 1;
    switch (n.op) {
    case opcode::at: return 1;
    case opcode::extent:
    case opcode::eye_like:
    case opcode::outer_like: return 0;
    case opcode::conv2d_images:
    case opcode::conv2d_kernels: return 2;
    case opcode::pool_cotangent: return decode_pool(n.bits).largest ? 3 : 1;
    default: return n.arity();
    }
}

} // namespace dyad

namespace dyad {

class residual_choice {
public:
    /// `free` over the wanted nodes, which the adjoints are computed from; `own`: the parameters that the loop binds; `inner`:
    /// those and the ones bound within.
    constexpr residual_choice(const builder& b, const free_parameters& free, node_index index, const list<std::uint64_t>& own,
                              const list<std::uint64_t>& inner, const list<bool>& wanted, node_index loop)
        : b_(b), free_(free), index_(index), own_(own), inner_(inner), wanted_(wanted), others_(own.size()), seen_(b.size()), fresh_(b.size()), late_(b.size()) {
        for (std::size_t w = 0; w < own.size(); ++w) others_[w] = inner[w] & ~own[w];
        for (node_index i = 0; i < wanted.count; ++i) {
            if (!wanted.at[i]) continue;
            const node& n = b.nodes.at[i];
            fresh_.at[i] = n.is(opcode::again);
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) fresh_.at[i] = fresh_.at[i] || fresh_.at[n.operand[k]];
            late_.at[i] = i > loop && !free.meets(i, inner) && !b.is_constant(i);
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0 && free.meets(i, inner);) late_.at[i] = late_.at[i] || late_.at[n.operand[k]];
        }
    }

    /// The nodes to keep, for roots of which `later` marks what the backward pass computes.
    constexpr list<node_index> of(const list<node_index>& roots, const list<bool>& later) {
        list<node_index> used;
        list<bool> known(b_.size());
        const auto use = [&](node_index x) {
            if (later[x] || known[x] || is_there_anyway(x)) return;
            known[x] = true;
            used.push_back(x);
        };
        for (node_index i = 0; i < wanted_.count; ++i) {
            if (!wanted_.at[i] || !later.at[i]) continue;
            for (int k = 0; k < b_[i].arity(); ++k) use(b_[i].operand[k]);
        }
        for (const node_index r : roots) use(r);
        bool all = true;
        for (const node_index x : used) {
            all = all && can_keep(x);
            visit(x);
        }
        return all && used.size() <= sources_.size() ? used : sources_;
    }

private:
    /// The index, what stands outside, and elements of what does.
    [[nodiscard]] constexpr bool is_there_anyway(node_index x) const {
        return x == index_ || (b_[x].is(opcode::at) && b_[x].operand[1] == index_) || !free_.meets(x, inner_);
    }
    /// One number a round, that the loop itself computes.
    [[nodiscard]] constexpr bool can_keep(node_index x) const {
        if (b_[x].is(opcode::parameter)) return free_.meets(x, own_);
        if (fresh_[x] || late_[x] || is_region_operation(b_[x].op) || b_[x].is(element::boolean)) return false;
        return !free_.meets(x, others_);
    }
    static constexpr bool is_costly(opcode op) {
        // (What is compared with an extremum to find out whose it is is computed again: then so is the extremum, of the very numbers.)
        if (is(op, opcode::reduce_max) || is(op, opcode::reduce_min)) return false;
        const role r = role_of(op);
        return is(r, role::reduction) || is(r, role::call) || (is(r, role::elementwise) && !is_array_operation(op) && !is_inline(op));
    }
    constexpr void visit(node_index x) {
        if (seen_[x] || is_there_anyway(x)) return;
        seen_[x] = true;
        const bool source = b_[x].is(opcode::parameter) || b_[x].is(opcode::result) || is_costly(b_[x].op);
        if (source && can_keep(x)) {
            sources_.push_back(x);
            return;
        }
        for (int k = 0; k < b_[x].arity(); ++k) visit(b_[x].operand[k]);
    }

    const builder& b_;
    const free_parameters& free_;
    node_index index_;
    const list<std::uint64_t>& own_;
    const list<std::uint64_t>& inner_;
    const list<bool>& wanted_;
    list<std::uint64_t> others_;
    list<bool> seen_, fresh_, late_;
    list<node_index> sources_;
};

} // namespace dyad

// ---- dyad/pass/row_sums.hpp
// What the rounds of an adjoint loop add to single rows of an array, x[position] in the loop: kept round after round, and added to
// the array once, after the loop. (A round that added an array, nearly all of which is 0, would read and write all of it.)

namespace dyad {

/// 0 for all elements.
constexpr bool is_zeros(const builder& b, node_index x) {
    return is_zero(b, x) || (b[x].is(opcode::broadcast_like) && is_zero(b, b[x].operand[0]));
}

/// Of an array of zeros the row at `position` is `value`: what the derivative of take makes.
struct row_sum {
    node_index position = no_node;
    node_index value = no_node;
    std::uint64_t bits = 0;
};

/// Takes the rows out of a sum like an array of so many axes; what is left of it, or no_node.
constexpr node_index without_rows(builder& b, node_index sum, unsigned rank, list<row_sum>& rows) {
    const node n = b[sum];
    if (is_zeros(b, sum)) return no_node;
    if (n.is(opcode::add)) {
        const node_index x = without_rows(b, n.operand[0], rank, rows), y = without_rows(b, n.operand[1], rank, rows);
        if (x == n.operand[0] && y == n.operand[1]) return sum;
        return x == no_node ? y : y == no_node ? x : b.emit(opcode::add, x, y);
    }
    const bool row = n.is(opcode::scatter_add) && (n.bits & gradient_of_take) != 0 && is_zeros(b, n.operand[0]) &&
                     b[n.operand[1]].rank == 0 && axis_of(n.bits) + 1 == rank && n.rank == rank;
    if (!row) return sum;
    rows.push_back({n.operand[1], n.operand[2], n.bits});
    return no_node;
}

/// The rows of all rounds of a loop, in an array like x.
constexpr node_index sum_of_rows(builder& b, node_index loop, node_index x, const row_sum& row) {
    const node_index like = b.emit({.op = opcode::take, .operand = {x, row.position, 0}, .bits = axis_of(row.bits)});
    const node_index values = history(b, loop, b.broadcast_to(row.value, like)), positions = history(b, loop, row.position);
    return b.emit({.op = opcode::scatter_add, .operand = {zero_like(b, x), positions, values}, .bits = row.bits});
}

} // namespace dyad

namespace dyad {

/// The links of kind `from` as a chain of kind `to`: what goes round a loop as what a sweep replays, and the reverse.
constexpr node_index chained_as(builder& b, const list<node_index>& all, opcode from, opcode to) {
    node_index chain = no_links(b);
    for (const node_index k : all) {
        node n = b[k];
        if (n.op != from) continue;
        n.op = to;
        n.operand[0] = chain;
        chain = b.add(n);
    }
    return chain;
}

/// A substitution that leaves some nodes as they are: what stands outside of a loop may hold clones of loops within it, which
/// bind the same parameters.
constexpr void keep_as_it_is(const list<node_index>& nodes, list<node_index>& from, list<node_index>& to) {
    for (const node_index x : nodes) {
        from.push_back(x);
        to.push_back(x);
    }
}

/// What goes round the adjoint loop. (Here and not within the class: nvcc cannot print initializers of a template's own types.)
struct loop_cotangent {
    node_index carry = no_node; ///< no_node: a sum for something captured
    node_index of = no_node;    ///< whose adjoint it is: the carry's first value, or what is captured
    node_index parameter = no_node;
    node_index first = no_node;
    node_index next = no_node;
    bool constant = false; ///< it is its first value all the way
    bool outer = false;    ///< a sum of outer products, which waits for all rounds
    bool silent = false;   ///< no result needs the carry
    list<row_sum> rows = {}; ///< a sum's parts that go to single rows, which wait, too
    bool all_rows = false; ///< which are all of it
};
/// A carry whose values are computed backwards: that of the loop, and which argument of the steps it is.
struct rebuilt_value {
    std::size_t carry = 0;
    std::size_t argument = 0;
    node_index parameter = no_node;
};

/// One loop's adjoint.
template <class Rules>
class loop_pullback {
public:
    constexpr loop_pullback(builder& b, node_index loop, const list<bool>& active, list<contribution>& adjoint)
        : b_(b), loop_(loop), adjoint_(adjoint), carries_(bindings(b.nodes.data(), loop)),
          given_(b, loop, carries_.size(), adjoint) {
        if (!given_.any) return;
        index_ = b.add(index_parameter_of(b[loop]));
        sweeps_ = stored_by(b[loop]).kind != storing::values;
        back_ = sweeps_ ? index_ : b.parameter(element::integer);
        collect(active);
        differentiate();
        silence();
        if (!sweeps_) rebuild();
        keep();
        settle();
        finish(active);
    }

private:
    /// What is differentiated by what.
    constexpr void collect(const list<bool>& active) {
        for (std::size_t k = 0; k < carries_.size(); ++k) {
            const node c = b_[carries_[k]];
            const node_index own = b_.add(parameter_of(c));
            if (own >= active.size() || !active[own]) continue;
            const node_index parameter = b_.parameter(c.type, shape_of(c));
            rounds_.push_back({carries_[k], c.operand[1], parameter, first_cotangent(k, c.operand[1], own), no_node});
            outputs_.push_back(c.operand[2]);
            cotangents_.push_back(parameter);
            by_.push_back(own);
        }
        for (std::size_t k = 0; k < given_.values.size(); ++k) {
            const node_index element = at(b_, given_.of_values[k], back_);
            outputs_.push_back(given_.values[k]);
            cotangents_.push_back(stand_in(b_, given_.values[k], element)); // (the element itself may contain the loop)
            stand_ins_.push_back(cotangents_.back());
            stood_for_.push_back(element);
        }
        const region_scope scope(b_, loop_, loop_roots(b_.nodes.data(), carries_, given_.values));
        outside_ = scope.outside(b_);
        for (const node_index x : scope.captured) {
            if (!active[x]) continue;
            const node n = b_[x];
            rounds_.push_back({no_node, x, b_.parameter(n.type, shape_of(n)), zero_like(b_, x), no_node});
            by_.push_back(x);
        }
        for (const node_index x : scope.elements) {
            if (!active[x]) continue;
            elements_.push_back(x);
            by_.push_back(x);
        }
    }
    /// That of the last value of carry k, like its first value; of several directions at once it would have more axes.
    constexpr node_index first_cotangent(std::size_t k, node_index like, node_index own) {
        const node_index given = as_type(b_, given_.number(b_, k, like), own);
        refuse_directions(b_[given].rank > b_[own].rank);
        return b_.broadcast_to(given, like);
    }
    constexpr void differentiate() {
        results_ = pullback<Rules>(b_, outputs_, cotangents_, by_);
    }
    /// Of what no result needs, the cotangents begin with 0, and stay 0 because they are made of such alone: the most of them for which
    /// that holds together. (Else 0 would meet the slopes of values that nobody asked for, infinite ones too. It is asked while all
    /// cotangents are parameters still, which nothing folds.)
    constexpr void silence() {
        list<bool> silent(cotangents_.size());
        list<list<bool>> made_of(cotangents_.size());
        for (std::size_t k = 0; k < rounds_.size() && rounds_[k].carry != no_node; ++k) {
            if (!is_zeros(b_, rounds_[k].first)) continue;
            made_of[k] = reached(b_.nodes.data(), b_.size(), {results_[k]});
            silent[k] = true;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t k = 0; k < silent.size(); ++k) {
                for (std::size_t j = 0; j < silent.size() && silent[k]; ++j) {
                    if (silent[j] || !made_of[k][cotangents_[j]]) continue;
                    silent[k] = false;
                    changed = true;
                }
            }
        }
        for (std::size_t k = 0; k < silent.size(); ++k) {
            if (!silent[k]) continue;
            rounds_[k].silent = true;
            results_[k] = b_.constant(exact(0), b_[rounds_[k].parameter].type);
        }
    }
    /// A state that goes round by steps which can be computed backwards goes backwards with the cotangents.
    constexpr void rebuild() {
        node_index steps = no_node;
        for (const node_index c : carries_) {
            const node& next = b_[b_[c].operand[2]];
            if (next.is(opcode::result) && b_[next.operand[0]].is(opcode::invertible)) steps = next.operand[0];
        }
        if (steps == no_node) return;
        const invertible_parts parts(b_, steps);
        list<node_index> from, x;
        list<rebuilt_value> found;
        for (std::size_t k = 0; k < carries_.size(); ++k) {
            const node c = b_[carries_[k]], next = b_[c.operand[2]];
            if (!next.is(opcode::result) || next.operand[0] != steps) continue;
            const node_index own = b_.add(parameter_of(c));
            for (std::size_t j = 0; j < parts.size; ++j) {
                if (parts.argument_values[j] == own) found.push_back({k, j, b_.parameter(c.type, shape_of(c))});
            }
        }
        if (found.size() != parts.size) return;
        for (std::size_t r = 0; r < parts.size; ++r) x.push_back(region_result(b_, steps, r, b_[parts.results[r]]));
        for (std::size_t step = parts.steps; step-- > 0;) x = parts.back(b_, step, x);
        rebuilt_ = found;
        for (const rebuilt_value& v : rebuilt_) {
            from.push_back(b_[carries_[v.carry]].operand[2]);
            rebuilt_parameters_.push_back(v.parameter);
            results_.push_back(x[v.argument]);
        }
        results_ = substitute(b_, results_, from, rebuilt_parameters_);
    }
    /// Replaces what the forward rounds know by its histories; a sweep knows it.
    constexpr void keep() {
        list<node_index> from, to;
        if (!sweeps_) choose_histories(from, to);
        for (std::size_t k = 0; k < stand_ins_.size(); ++k) {
            from.push_back(stand_ins_[k]);
            to.push_back(stood_for_[k]);
        }
        results_ = substitute(b_, results_, from, to);
        for (std::size_t k = 0; k < rounds_.size(); ++k) {
            loop_cotangent& c = rounds_[k];
            c.next = c.silent ? c.first : b_.broadcast_to(as_type(b_, results_[k], c.parameter), c.parameter);
        }
    }
    constexpr void choose_histories(list<node_index>& from, list<node_index>& to) {
        const list<bool> wanted = reached(b_.nodes.data(), end_of(results_), results_);
        const free_parameters free(b_.nodes.data(), wanted);
        list<bool> later(b_.size());
        for (const node_index x : cotangents_) later[x] = true;
        for (const node_index x : rebuilt_parameters_) later[x] = true;
        for (node_index i = 0; i < wanted.count; ++i) {
            if (!wanted.at[i] || later.at[i]) continue;
            const node& n = b_.nodes.at[i];
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) later.at[i] = later.at[i] || later.at[n.operand[k]];
        }
        const list<std::uint64_t> own = free.bound_by(loop_), inner = free.bound_within(loop_);
        from = residual_choice(b_, free, index_, own, inner, wanted, loop_).of(results_, later);
        for (const node_index x : from) to.push_back(at(b_, history(b_, loop_, x), back_));
        from.push_back(index_);
        to.push_back(back_);
        keep_as_it_is(outside_, from, to);
    }
    /// Cotangents that no round changes are no carries.
    constexpr void settle() {
        for (bool changed = true; changed;) {
            changed = false;
            list<node_index> from, to;
            for (loop_cotangent& c : rounds_) {
                const bool same = (c.carry != no_node && c.next == c.parameter) || (is_zeros(b_, c.first) && is_zeros(b_, c.next));
                if (c.constant || !same) continue;
                c.constant = changed = true;
                from.push_back(c.parameter);
                to.push_back(c.first);
            }
            if (!changed) return;
            list<node_index> roots;
            for (const loop_cotangent& c : rounds_) roots.push_back(c.next);
            for (std::size_t k = rounds_.size(); k < results_.size(); ++k) roots.push_back(results_[k]);
            roots = substitute(b_, roots, from, to);
            for (std::size_t k = 0; k < roots.size(); ++k) (k < rounds_.size() ? rounds_[k].next : results_[k]) = roots[k];
        }
    }
    constexpr void finish(const list<bool>& active) {
        const node n = b_[loop_];
        node_index chain = sweeps_ ? chained_as(b_, carries_, opcode::carry, opcode::replay) : no_links(b_);
        for (loop_cotangent& c : rounds_) {
            if (c.carry == no_node && !sweeps_ && counts_as_size()) take_rows_out(c);
            c.outer = c.carry == no_node && !sweeps_ && is_outer_product(c.next);
            if (c.constant || c.outer) continue;
            if (c.carry == no_node) c.next = b_.emit(opcode::add, c.parameter, c.next);
            chain = b_.add({.op = opcode::carry, .type = b_[c.parameter].type, .rank = b_[c.parameter].rank,
                            .ones = b_[c.parameter].ones, .operand = {chain, c.first, c.next}, .bits = b_[c.parameter].bits});
        }
        const std::size_t inverses = rounds_.size() + elements_.size();
        for (std::size_t k = 0; k < rebuilt_.size(); ++k) {
            const node p = b_[rebuilt_[k].parameter];
            const node_index last = region_result(b_, loop_, rebuilt_[k].carry, p), next = as_type(b_, results_[inverses + k], rebuilt_[k].parameter);
            chain = b_.add({.op = opcode::carry, .type = p.type, .rank = p.rank, .ones = p.ones, .operand = {chain, last, next}, .bits = p.bits});
        }
        const node_index rounds = n.is(opcode::loop)
                                      ? n.operand[0]
                                      : region_result(b_, loop_, rounds_result, {.type = element::integer});
        const node_index back = sweeps_ ? b_.add({.op = opcode::sweep, .operand = {rounds, chain, 0}, .bits = n.bits})
                                        : b_.add({.op = opcode::loop, .operand = {rounds, chain, 0}, .bits = loop_bits(b_[back_].bits, !is_falling(n))});
        std::size_t next = sweeps_ ? carries_.size() : 0;
        for (const loop_cotangent& c : rounds_) {
            const node_index result = c.constant ? c.first
                                      : c.outer  ? sum_of_outer_products(back, c.next)
                                                 : region_result(b_, back, next++, b_[c.parameter]);
            if (!active[c.of]) continue;
            if (!c.all_rows) given_.add_to(b_, adjoint_[c.of], result);
            for (const row_sum& row : c.rows) given_.add_to(b_, adjoint_[c.of], sum_of_rows(b_, back, c.of, row));
        }
        for (std::size_t k = 0; k < elements_.size(); ++k) {
            node_index part = results_[rounds_.size() + k];
            if (!is_zero(b_, part)) part = b_.broadcast_to(part, at(b_, b_[elements_[k]].operand[0], back_));
            if (!is_zero(b_, part)) given_.add_to(b_, adjoint_[b_[elements_[k]].operand[0]], history(b_, back, part));
        }
    }

    /// Numbers that are added to an array; or rows, if the rounds are as many as the array has: what is kept of more is more than it.
    constexpr void take_rows_out(loop_cotangent& c) {
        const unsigned rank = b_[c.of].rank;
        const node counted = b_[b_[loop_].operand[0]];
        const bool by_rows = counted.is(opcode::extent) && counted.operand[0] == c.of && axes_of(counted.bits) == 1U << (rank - 1);
        if (rank == 0 || (rank > 1 && !by_rows)) return;
        const node_index rest = without_rows(b_, c.next, rank, c.rows);
        if (c.rows.empty()) return;
        c.constant = c.all_rows = rest == no_node;
        if (rest != no_node) c.next = b_.broadcast_to(rest, c.parameter);
    }
    /// Whether a plan of arrays will know the number of rounds as a size; as the index of a loop around, too, which the body is handed.
    /// (What else goes round there, the adjoint reads from what is kept of it.)
    [[nodiscard]] constexpr bool counts_as_size() const {
        const node_index rounds = b_[loop_].operand[0];
        if (!b_[loop_].is(opcode::loop) || !b_[rounds].is(opcode::parameter)) return b_[loop_].is(opcode::loop) && is_known_as_size(b_, rounds);
        for (node_index i = 0; i < b_.size(); ++i) {
            if (is_loop(b_[i].op) && index_number(b_[i]) == b_[rounds].bits) return true;
        }
        return false;
    }
    /// A column times a row: the sum of all rounds' is one matrix product, of what is kept of the rounds.
    [[nodiscard]] constexpr bool is_outer_product(node_index x) const {
        const node& n = b_[x];
        return counts_as_size() && n.is(opcode::matmul) && n.rank == 2 && (b_[n.operand[0]].ones & 1) != 0 && (b_[n.operand[1]].ones & 2) != 0 &&
               b_[n.operand[0]].rank == 2 && b_[n.operand[1]].rank == 2;
    }
    constexpr node_index sum_of_outer_products(node_index back, node_index product) {
        const node n = b_[product];
        const std::uint64_t swapped = (identity_permutation & ~std::uint64_t{0xff}) | 0x01;
        const node_index columns = b_.emit({.op = opcode::transpose, .operand = {all_rounds(back, n.operand[0], 1), 0, 0}, .bits = swapped});
        return b_.emit(opcode::matmul, columns, all_rounds(back, n.operand[1], 2));
    }
    /// A vector, as a matrix along one of whose axes there is one element only, by rounds.
    constexpr node_index all_rounds(node_index back, node_index x, std::uint64_t axis) {
        const node n = b_[x];
        const bool expanded = n.is(opcode::expand) && n.bits == axis;
        const node_index vector = expanded ? n.operand[0] : b_.emit({.op = opcode::squeeze, .operand = {x, 0, 0}, .bits = axis});
        const bool there = b_[vector].is(opcode::at) && b_[vector].operand[1] == back_;
        return there ? b_[vector].operand[0] : history(b_, back, vector);
    }

    builder& b_;
    node_index loop_, index_ = no_node, back_ = no_node;
    bool sweeps_ = false; ///< few states are stored
    list<contribution>& adjoint_;
    list<node_index> carries_;
    region_cotangents given_;
    list<loop_cotangent> rounds_;
    list<rebuilt_value> rebuilt_;
    list<node_index> rebuilt_parameters_;
    list<node_index> outside_, outputs_, cotangents_, stand_ins_, stood_for_, by_, elements_, results_;
};

/// A sweep as two loops, one after the other: one that keeps all states, and one that reads them backwards.
struct unfolded_sweep {
    node_index back = no_node; ///< the second loop
    list<node_index> values;   ///< there, of the sweep's histories

    constexpr unfolded_sweep(builder& b, const node& sweep, const list<node_index>& binds, const list<node_index>& kept, const region_scope& scope) {
        const node_index index = b.parameter(element::integer);
        const node_index states = b.add({.op = opcode::loop, .operand = {sweep.operand[0], chained_as(b, binds, opcode::replay, opcode::carry), 0},
                                         .bits = loop_bits(index_number(sweep), false)});
        list<node_index> from{b.add(index_parameter_of(sweep))}, to{index}, roots;
        for (const node_index k : binds) {
            const node_index own = b.add(parameter_of(b[k]));
            if (b[k].is(opcode::carry)) {
                roots.push_back(b[k].operand[2]);
            } else {
                from.push_back(own);
                to.push_back(at(b, history(b, states, own), index));
            }
        }
        for (const node_index v : kept) roots.push_back(v);
        keep_as_it_is(scope.outside(b), from, to);
        roots = substitute(b, roots, from, to);
        node_index chain = no_links(b);
        std::size_t next = 0;
        for (const node_index k : binds) {
            node c = b[k];
            if (!c.is(opcode::carry)) continue;
            c.operand[0] = chain;
            c.operand[2] = roots[next++];
            chain = b.add(c);
        }
        for (; next < roots.size(); ++next) values.push_back(roots[next]);
        back = b.add({.op = opcode::loop, .operand = {sweep.operand[0], chain, 0}, .bits = loop_bits(b[index].bits, true)});
    }
};

/// A sweep's adjoint is that of the two loops, all of whose rounds are kept.
template <class Rules>
constexpr void pull_sweep(builder& b, node_index i, const list<bool>& active, list<contribution>& adjoint) {
    const list<node_index> binds = bindings(b.nodes.data(), i);
    const region_cotangents given(b, i, binds.size(), adjoint);
    if (!given.any) return;
    const node sweep = b[i];
    const region_scope scope(b, i, loop_roots(b.nodes.data(), binds, given.values));
    const unfolded_sweep loops(b, sweep, binds, given.values, scope);
    list<node_index> outputs, cotangents, by;
    for (std::size_t k = 0, result = 0; k < binds.size(); ++k) {
        if (!b[binds[k]].is(opcode::carry)) continue;
        const node_index x = region_result(b, loops.back, result++, b[binds[k]]);
        if (given.of_result[k] == no_node) continue;
        outputs.push_back(x);
        cotangents.push_back(given.of_result[k]);
    }
    for (std::size_t k = 0; k < given.values.size(); ++k) {
        outputs.push_back(history(b, loops.back, loops.values[k]));
        cotangents.push_back(given.of_values[k]);
    }
    const auto differentiate_by = [&](node_index x) {
        bool known = !active[x];
        for (std::size_t k = 0; k < by.size() && !known; ++k) known = by[k] == x;
        if (!known) by.push_back(x);
    };
    for (const node_index x : scope.captured) differentiate_by(x);
    for (const node_index x : scope.elements) differentiate_by(b[x].operand[0]);
    for (const node_index k : binds) differentiate_by(b[k].operand[1]);
    const list<node_index> parts = pullback<Rules>(b, outputs, cotangents, by);
    for (std::size_t k = 0; k < by.size(); ++k) given.add_to(b, adjoint[by[k]], parts[k]);
}

} // namespace dyad

namespace dyad {

/// A branch's adjoint: a branch on the same condition; the cotangents of the results are bound like arguments.
template <class Rules>
constexpr void pull_branch(builder& b, node_index i, const list<bool>& active, list<contribution>& adjoint) {
    const node n = b[i];
    const list<node_index> binds = bindings(b.nodes.data(), i), choices = links(b.nodes.data(), n.operand[2]);
    const region_cotangents given(b, i, choices.size(), adjoint);
    if (!given.any) return;
    list<node_index> by, of, cotangents, outputs[2];
    node_index chain = n.operand[1];
    for (const node_index bind : binds) {
        const node_index own = b.add(parameter_of(b[bind]));
        if (own >= active.size() || !active[own]) continue;
        by.push_back(own);
        of.push_back(b[bind].operand[1]);
    }
    for (std::size_t k = 0; k < choices.size(); ++k) {
        if (given.of_result[k] == no_node) continue;
        const node c = b[choices[k]];
        const node_index cotangent = given.of_result[k];
        cotangents.push_back(stand_in(b, choices[k], cotangent));
        chain = bind_to(b, cotangents.back(), chain, as_type(b, cotangent, cotangents.back()));
        for (const int arm : {0, 1}) outputs[arm].push_back(c.operand[1 + arm]);
    }
    const list<node_index> then = pullback<Rules>(b, outputs[0], cotangents, by);
    const list<node_index> other = pullback<Rules>(b, outputs[1], cotangents, by);
    node_index results = no_links(b);
    for (std::size_t k = 0; k < by.size(); ++k)
        results = link(b, opcode::choice, results, as_type(b, then[k], by[k]), as_type(b, other[k], by[k]));
    const node_index back = b.add({.op = opcode::branch, .operand = {n.operand[0], chain, results}});
    for (std::size_t k = 0; k < by.size(); ++k) given.add_to(b, adjoint[of[k]], region_result(b, back, k, b[by[k]]));
}

/// Whether the numbers `roots` are not 0 where the numbers `by` are, as far as it shows: not through loops and branches.
constexpr bool is_affine(builder& b, const list<node_index>& roots, const list<node_index>& by) {
    list<node_index> zeros;
    for (const node_index x : by) {
        if (b[x].rank != 0) return false;
        zeros.push_back(b.constant(exact(0), b[x].type));
    }
    const std::size_t begin = b.size();
    for (const node_index x : substitute(b, roots, by, zeros)) {
        if (b[x].rank != 0) return false;
        const list<bool> made_of = reached(b.nodes.data(), b.size(), {x}, begin);
        bool shows = !is_zero(b, x);
        for (std::size_t i = begin; i < b.size(); ++i) shows = shows && !(made_of[i] && is_region(b[static_cast<node_index>(i)].op));
        if (shows) return true;
    }
    return false;
}

/// The transposed rule: for what travels along in it, what `given` hands down, which is like the rule's results. Nothing where
/// the rule is not linear in what travels along.
template <class Rules>
constexpr list<node_index> transposed_rule(builder& b, node_index i, const custom_parts& parts, const list<node_index>& given) {
    list<node_index> outputs, stand_ins, by, from = parts.parameters, to = parts.bound;
    for (std::size_t r = 0; r < parts.results; ++r) to[parts.arguments + r] = region_result(b, i, r, b[parts.parameters[parts.arguments + r]]);
    for (std::size_t k = parts.arguments + parts.results; k < parts.parameters.size(); ++k) by.push_back(parts.parameters[k]);
    for (const node_index root : parts.roots) {
        const node_index x = given[outputs.size()];
        outputs.push_back(root);
        stand_ins.push_back(b.parameter(b[root].type, shape_of(b[root])));
        from.push_back(stand_ins.back());
        to.push_back(x);
    }
    if (is_affine(b, outputs, by)) return {};
    const list<node_index> pulled = pullback<Rules>(b, outputs, stand_ins, by);
    list<bool> read(b.size());
    for (const node_index x : pulled) read[x] = true;
    for (node_index x = static_cast<node_index>(b.size()); x-- > 0;) {
        for (int k = 0; read[x] && k < operands_read(b[x]); ++k) read[b[x].operand[k]] = true;
    }
    for (const node_index x : by) {
        if (read[x]) return {};
    }
    return substitute(b, pulled, from, to);
}

/// Whether what goes into an operation element by element comes out so, where the bodies do so that it owns.
constexpr bool hands_on_elements(opcode op) {
    return !is_array_operation(op) || is_link(op) || is(op, opcode::loop) || is(op, opcode::repeat) || is(op, opcode::branch) || is(op, opcode::checkpoint) ||
           is(op, opcode::again);
}
/// Whether all that travels along in a rule goes into its k-th root number by number, or element by element.
constexpr bool keeps_elements(builder& b, const custom_parts& parts, std::size_t k) {
    const node_index root = parts.roots[k];
    const list<bool> wanted = reached(b.nodes.data(), end_of(list<node_index>{root}), {root});
    list<bool> moved(wanted.size());
    bool more = false;
    const auto moves = [&](node_index own) {
        if (own >= moved.size() || moved[own] || b[own].rank == 0) return;
        more = true;
        moved[own] = true;
    };
    for (std::size_t p = parts.arguments + parts.results; p < parts.parameters.size(); ++p) moves(parts.parameters[p]);
    while (more) { // what a body computes on is bound after it
        more = false;
        for (node_index i = 0; i < wanted.size(); ++i) {
            for (int j = 0; wanted[i] && j < operands_read(b[i]); ++j) {
                if (!moved[b[i].operand[j]]) continue;
                if (!hands_on_elements(b[i].op)) return false;
                moved[i] = true;
                if (j > 0 && (b[i].is(opcode::bind) || b[i].is(opcode::carry))) moves(b.add(parameter_of(b[i])));
            }
        }
    }
    return true;
}

/// The part of a rule that is not linear: what its k-th root gives for 1, times what comes, for `like`. That is right for numbers and
/// element by element; of a rule that joins elements, 1 everywhere would say nothing.
constexpr node_index weighed(builder& b, const custom_parts& parts, std::size_t k, node_index by_one, node_index x, node_index like) {
    if (b[by_one].rank != b[like].rank || b[x].rank != b[like].rank || !keeps_elements(b, parts, k))
        throw value_error("[dyad] custom_gradient, custom_jvp: in the other mode a rule must be linear, or go element by element");
    return b.emit(opcode::mul, by_one, x);
}

/// A custom rule, taken apart; an equation as its pullback by what is active (by other things it may have none).
template <class Rules>
constexpr custom_parts rule_parts(builder& b, node_index i, const list<bool>& active) {
    custom_parts parts(b, i);
    if (!is(parts.kind, rule_kind::equation)) return parts;
    list<node_index> equation, cotangents, by;
    for (std::size_t k = 0; k < parts.roots.size(); ++k) (k < parts.results ? equation : cotangents).push_back(parts.roots[k]);
    const auto moves = [&](std::size_t k) { return parts.parameters[k] < active.size() && active[parts.parameters[k]]; };
    for (std::size_t k = 0; k < parts.arguments; ++k) {
        if (moves(k)) by.push_back(parts.parameters[k]);
    }
    const list<node_index> pulled = pullback<Rules>(b, equation, cotangents, by);
    parts.roots = {};
    for (std::size_t k = 0, next = 0; k < parts.arguments; ++k)
        parts.roots.push_back(moves(k) ? as_type(b, pulled[next++], parts.parameters[k]) : zero_like(b, parts.parameters[k]));
    return parts;
}

/// A rule of one's own. Cotangents of arguments come from a rule for cotangents, or from a transposed rule for tangents.
template <class Rules>
constexpr void pull_custom(builder& b, node_index i, const list<node_index>& by, const list<bool>& active, list<contribution>& adjoint) {
    const region_cotangents given(b, i, links(b.nodes.data(), b[i].operand[0]).size(), adjoint);
    if (!given.any) return;
    const custom_parts parts = rule_parts<Rules>(b, i, active);
    list<node_index> along, parts_of_arguments;
    for (std::size_t r = 0; r < parts.results; ++r) {
        const node_index like = parts.bound[parts.arguments + r];
        along.push_back(b.broadcast_to(given.number(b, r, like), like));
    }
    if (parts.by_cotangents()) {
        parts_of_arguments = parts.rule(b, i, along);
    } else {
        parts_of_arguments = transposed_rule<Rules>(b, i, parts, along);
    }
    for (std::size_t k = 0; k < parts.arguments; ++k) {
        if (!active[parts.bound[k]]) continue;
        if (parts.is_silent(k)) {
            parts.refuse_captured(has_slope(b, parts.bound[k], by, active));
            continue;
        }
        if (!parts_of_arguments.empty()) {
            given.add_to(b, adjoint[parts.bound[k]], parts_of_arguments[k]);
            continue;
        }
        const list<node_index> column = parts.rule(b, i, parts.unit(b, k, parts.arguments));
        for (std::size_t r = 0; r < parts.results; ++r) {
            if (given.of_result[r] != no_node) given.add_to(b, adjoint[parts.bound[k]], weighed(b, parts, r, column[r], given.of_result[r], parts.bound[k]));
        }
    }
}

/// The body's pullback, on arguments from which all is computed again.
template <class Rules>
constexpr void pull_checkpoint(builder& b, node_index i, const list<bool>& active, list<contribution>& adjoint) {
    const node n = b[i];
    const list<node_index> binds = bindings(b.nodes.data(), i), body = links(b.nodes.data(), n.operand[2]);
    const region_cotangents given(b, i, body.size(), adjoint);
    if (!given.any) return;
    list<node_index> from, to, by, of, outputs, cotangents;
    for (const node_index bind : binds) {
        const node_index own = b.add(parameter_of(b[bind])), value = b[bind].operand[1];
        from.push_back(own);
        node fresh{.op = opcode::again, .type = b[value].type, .operand = {value, 0, 0}};
        set_shape(fresh, shape_of(b[value]));
        to.push_back(b.add(fresh));
        if (own >= active.size() || !active[own]) continue;
        by.push_back(own);
        of.push_back(value);
    }
    for (std::size_t k = 0; k < body.size(); ++k) {
        if (given.of_result[k] == no_node) continue;
        outputs.push_back(b[body[k]].operand[1]);
        cotangents.push_back(stand_in(b, outputs.back(), given.of_result[k])); // (the cotangent itself may contain the checkpoint)
        from.push_back(cotangents.back());
        to.push_back(given.of_result[k]);
    }
    const list<node_index> parts = substitute(b, pullback<Rules>(b, outputs, cotangents, by), from, to);
    for (std::size_t k = 0; k < by.size(); ++k) given.add_to(b, adjoint[of[k]], parts[k]);
}

/// Algorithm 1 of A. Gomez, M. Ren, R. Urtasun, R. Grosse, "The reversible residual network", NeurIPS 2017: each step's
/// arguments are computed from its results, and its pullback on those.
template <class Rules>
constexpr void pull_invertible(builder& b, node_index i, const list<bool>& active, list<contribution>& adjoint) {
    const invertible_parts parts(b, i);
    const region_cotangents given(b, i, parts.size, adjoint);
    if (!given.any) return;
    list<node_index> y, cotangents, along, by = parts.arguments;
    for (std::size_t k = 0; k < parts.size; ++k) {
        y.push_back(region_result(b, i, k, b[parts.results[k]]));
        cotangents.push_back(b.broadcast_to(given.number(b, k, parts.results[k]), y[k]));
        along.push_back(b.parameter(b[parts.results[k]].type, shape_of(b[parts.results[k]])));
    }
    for (const node_index c : parts.captured) by.push_back(c);
    for (std::size_t step = parts.steps; step-- > 0;) {
        const list<node_index> x = parts.back(b, step, y);
        list<node_index> from = by, to = x;
        for (const node_index c : parts.captured_values) to.push_back(c);
        for (std::size_t k = 0; k < parts.size; ++k) {
            from.push_back(along[k]);
            to.push_back(cotangents[k]);
        }
        const list<node_index> pulled = substitute(b, pullback<Rules>(b, parts.forward(step), along, by), from, to);
        for (std::size_t k = 0; k < parts.size; ++k) cotangents[k] = pulled[k];
        for (std::size_t k = 0; k < parts.captured.size(); ++k) {
            const node_index value = parts.captured_values[k];
            if (active[value]) given.add_to(b, adjoint[value], pulled[parts.size + k]);
        }
        y = x;
    }
    for (std::size_t k = 0; k < parts.size; ++k) {
        const node_index value = parts.argument_values[k];
        if (active[value]) given.add_to(b, adjoint[value], cotangents[k]);
    }
}

template <class Rules>
constexpr void pull_region(builder& b, node_index i, const list<node_index>& by, const list<bool>& active, list<contribution>& adjoint) {
    switch (b[i].op) {
    case opcode::loop:
    case opcode::repeat: loop_pullback<Rules>(b, i, active, adjoint); break;
    case opcode::sweep: pull_sweep<Rules>(b, i, active, adjoint); break;
    case opcode::branch: pull_branch<Rules>(b, i, active, adjoint); break;
    case opcode::custom: pull_custom<Rules>(b, i, by, active, adjoint); break;
    case opcode::invertible: pull_invertible<Rules>(b, i, active, adjoint); break;
    case opcode::checkpoint: pull_checkpoint<Rules>(b, i, active, adjoint); break;
    case opcode::again:
        if (!adjoint[i].nothing()) adjoint[b[i].operand[0]] = contributions(b).plus(adjoint[b[i].operand[0]], adjoint[i]);
        break;
    default: break; // parts of the others
    }
}

} // namespace dyad

namespace dyad {

/// A loop's tangents: the same loop, with a carry more for each that moves.
template <class Rules>
constexpr void push_loop(builder& b, node_index i, const list<bool>& active, list<contribution>& tangent) {
    const node n = b[i];
    contributions sum(b);
    const list<node_index> carries = bindings(b.nodes.data(), i);
    list<node_index> results(carries.size(), no_node), values, histories;
    for (node_index k = i + 1; k < tangent.size(); ++k) {
        const node& r = b.nodes.at[k];
        if (r.operand[0] != i) continue;
        if (r.is(opcode::result) && r.bits < carries.size()) results[r.bits] = k;
        if (r.is(opcode::history) && active[r.operand[1]]) {
            histories.push_back(k);
            values.push_back(r.operand[1]);
        }
    }
    const node_index index = b.add(index_parameter_of(n));
    list<node_index> by, tangents, outputs, firsts;
    list<std::size_t> moving; // numbers of carries
    for (std::size_t k = 0; k < carries.size(); ++k) {
        const node c = b[carries[k]];
        const node_index own = b.add(parameter_of(c));
        if (own >= active.size() || !active[own]) continue;
        moving.push_back(k);
        by.push_back(own);
        tangents.push_back(b.parameter(c.type, shape_of(c)));
        outputs.push_back(c.operand[2]);
        const contribution first = tangent[c.operand[1]];
        node_index start = first.nothing() ? zero_like(b, c.operand[1]) : sum.number(first);
        refuse_directions(b[start].rank > c.rank);
        if (b[start].rank < c.rank) start = b.broadcast_to(start, c.operand[1]);
        firsts.push_back(start);
    }
    for (const node_index v : values) outputs.push_back(v);
    const region_scope scope(b, i, loop_roots(b.nodes.data(), carries, values));
    for (const node_index x : scope.captured) {
        if (x >= tangent.size() || tangent[x].nothing()) continue;
        by.push_back(x);
        tangents.push_back(sum.number(tangent[x]));
    }
    for (const node_index x : scope.elements) {
        const node_index from = b[x].operand[0];
        if (from >= tangent.size() || tangent[from].nothing()) continue;
        by.push_back(x);
        const node_index along = sum.number(tangent[from]); // (a number is for all; what has fewer axes stretches)
        tangents.push_back(at(b, b[along].rank == 0 ? along : b.broadcast_to(along, from), index));
    }
    const list<node_index> nexts = pushforward<Rules>(b, outputs, by, tangents);
    node_index chain = n.operand[1];
    for (std::size_t k = 0; k < moving.size(); ++k) {
        node c = b[carries[moving[k]]];
        c.operand[0] = chain;
        c.operand[1] = as_type(b, firsts[k], by[k]);
        c.operand[2] = as_type(b, nexts[k], by[k]);
        c.bits = b[tangents[k]].bits;
        chain = b.add(c);
    }
    node moved = n;
    moved.operand[1] = chain;
    const node_index both = b.add(moved);
    for (std::size_t k = 0; k < moving.size(); ++k) {
        const node_index result = results[moving[k]];
        if (result != no_node) tangent[result].value = region_result(b, both, carries.size() + k, b[result]);
    }
    for (std::size_t k = 0; k < histories.size(); ++k)
        tangent[histories[k]].value = history(b, both, as_type(b, nexts[moving.size() + k], values[k]));
}

/// A branch, a checkpoint: the tangents of the arms, in a branch on the same condition, or in the open.
template <class Rules>
constexpr void push_arms(builder& b, node_index i, const list<bool>& active, list<contribution>& tangent) {
    const node n = b[i];
    contributions sum(b);
    const bool branch = n.is(opcode::branch);
    list<node_index> by, along, from, to, outputs[2];
    node_index chain = n.operand[1];
    for (const node_index bind : bindings(b.nodes.data(), i)) {
        const node_index own = b.add(parameter_of(b[bind])), value = b[bind].operand[1];
        from.push_back(own);
        to.push_back(value);
        if (own >= active.size() || !active[own] || tangent[value].nothing()) continue;
        by.push_back(own);
        const node_index moving = sum.number(tangent[value]);
        refuse_directions(branch && b[moving].rank > b[own].rank);
        along.push_back(stand_in(b, own, moving)); // (a number as the tangent of an array stays one)
        if (branch) chain = bind_to(b, along.back(), chain, as_type(b, moving, own));
        from.push_back(along.back());
        to.push_back(moving);
    }
    const list<node_index> bodies = links(b.nodes.data(), n.operand[2]);
    for (const node_index x : bodies) {
        for (int arm = 0; arm <= (branch ? 1 : 0); ++arm) outputs[arm].push_back(b[x].operand[1 + arm]);
    }
    list<node_index> results = pushforward<Rules>(b, outputs[0], by, along);
    if (branch) {
        const list<node_index> other = pushforward<Rules>(b, outputs[1], by, along);
        node_index choices = no_links(b);
        for (std::size_t k = 0; k < bodies.size(); ++k)
            choices = link(b, opcode::choice, choices, as_type(b, results[k], bodies[k]), as_type(b, other[k], bodies[k]));
        const node_index moved = b.add({.op = opcode::branch, .operand = {n.operand[0], chain, choices}});
        for (std::size_t k = 0; k < bodies.size(); ++k) results[k] = region_result(b, moved, k, b[bodies[k]]);
    } else {
        results = substitute(b, results, from, to);
    }
    for (node_index k = i + 1; k < tangent.size(); ++k) {
        if (b[k].is(opcode::result) && b[k].operand[0] == i) tangent[k].value = results[b[k].bits];
    }
}

/// What a rule says: of a pushforward the tangents, of a pullback the sums of its cotangents times the tangents.
template <class Rules>
constexpr void push_custom(builder& b, node_index i, const list<node_index>& by, const list<bool>& active, list<contribution>& tangent) {
    const custom_parts parts = rule_parts<Rules>(b, i, active);
    contributions sum(b);
    list<node_index> along;
    for (std::size_t k = 0; k < parts.arguments; ++k) {
        const contribution t = tangent[parts.bound[k]];
        along.push_back(t.nothing() ? zero_like(b, parts.bound[k]) : b.broadcast_to(sum.number(t), parts.bound[k]));
        if (parts.is_silent(k) && !t.nothing()) parts.refuse_captured(has_slope(b, parts.bound[k], by, active));
    }
    list<node_index> pushed;
    if (!parts.by_cotangents()) pushed = parts.rule(b, i, along);
    if (parts.by_cotangents()) pushed = transposed_rule<Rules>(b, i, parts, along);
    for (node_index r = i + 1; r < tangent.size(); ++r) {
        const node n = b[r];
        if (!n.is(opcode::result) || n.operand[0] != i) continue;
        if (!pushed.empty()) {
            tangent[r].value = pushed[n.bits];
            continue;
        }
        const list<node_index> row = parts.rule(b, i, parts.unit(b, n.bits, parts.results));
        for (std::size_t k = 0; k < parts.roots.size(); ++k) {
            if (!is_zero(b, along[k])) add_to(b, tangent[r], weighed(b, parts, k, row[k], along[k], r));
        }
    }
}

template <class Rules>
constexpr void push_region(builder& b, node_index i, const list<node_index>& by, const list<bool>& active, list<contribution>& tangent) {
    switch (b[i].op) {
    case opcode::loop:
    case opcode::repeat:
    case opcode::sweep: push_loop<Rules>(b, i, active, tangent); break;
    case opcode::branch:
    case opcode::checkpoint: push_arms<Rules>(b, i, active, tangent); break;
    case opcode::custom: push_custom<Rules>(b, i, by, active, tangent); break;
    case opcode::invertible:
        for (node_index k = i + 1; k < tangent.size(); ++k) {
            if (b[k].is(opcode::result) && b[k].operand[0] == i) tangent[k] = tangent[b[links(b.nodes.data(), b[i].operand[0])[b[k].bits]].operand[1]];
        }
        break;
    case opcode::again: tangent[i] = tangent[b[i].operand[0]]; break;
    default: break; // parts of the others
    }
}

/// Marks the parameters of a region as active whose first or next value is; returns the first that was not, or the region. (A
/// parameter that no body reads has been left out of the graph; what goes round may be active all the same.)
constexpr node_index spread_to_body(builder& b, node_index region, list<bool>& active) {
    const std::size_t size = b.size();
    node_index first = region;
    for (node_index i = b.nodes.at[region].operand[1]; !b.nodes.at[i].is(opcode::nothing); i = b.nodes.at[i].operand[0]) {
        const node n = b.nodes.at[i];
        if (n.is(element::boolean) || !(active.at[n.operand[1]] || (!n.is(opcode::bind) && active.at[n.operand[2]]))) continue;
        const node_index own = b.add(parameter_of(n));
        while (active.count < b.size()) active.push_back(false);
        if (active.at[own] || (own >= size && n.is(opcode::bind))) continue;
        active.at[own] = true;
        if (own < first) first = own;
    }
    return first;
}
/// Marks what depends on active nodes, in the order of the program; from a region whose parameters become active by it, it goes
/// on at the first of those, once more.
constexpr void spread_activity(builder& b, const list<bool>& wanted, list<bool>& active) {
    for (node_index i = 0; i < wanted.count; ++i) {
        if (!wanted.at[i]) continue;
        const node& n = b.nodes.at[i];
        const std::size_t op = static_cast<std::size_t>(n.op);
        if (operation_table[op].flat) continue;
        for (int k = arities.of[op]; k-- > 0;) active.at[i] = active.at[i] || active.at[n.operand[k]];
        if (!active.at[i]) continue;
        if (is_region(n.op)) {
            i = spread_to_body(b, i, active);
        } else if (n.is(opcode::history)) {
            active.at[n.operand[0]] = true; // a loop may carry nothing
        }
    }
}

/// The table, with the operations' rules of `Rules`. (All are templates of them: a program without regions instantiates none.)
template <class Rules>
inline constexpr region_rules region_rules_with{&spread_activity, &pull_region<Rules>, &push_region<Rules>};

} // namespace dyad

// ---- dyad/pass/resolve.hpp
// A graph with loops, made ready to be taken apart (pass/levels.hpp): without what has done its work.

namespace dyad {

/// The same graph in an order in which a loop comes after all that it computes on the way, for its histories too.
constexpr graph loops_last(graph_view g) {
    graph result;
    result.input_count = g.input_count;
    list<node_index> place(g.size, no_node), next_history(g.size, no_node), first_history(g.size, no_node);
    for (node_index i = 0; i < g.size; ++i) {
        if (!g[i].is(opcode::history)) continue;
        next_history[i] = first_history[g[i].operand[0]];
        first_history[g[i].operand[0]] = i;
    }
    list<node_index> path;
    for (std::size_t k = 0; k < g.output_count; ++k) {
        path.push_back(g.outputs[k]);
        while (!path.empty()) {
            const node_index here = path.back();
            const node& n = g[here];
            const std::size_t before = path.size();
            const auto want = [&](node_index x) {
                if (place[x] == no_node) path.push_back(x);
            };
            if (place[here] == no_node) {
                for (node_index h = first_history[here]; h != no_node; h = next_history[h]) want(g[h].operand[1]);
                for (int k2 = n.arity(); k2-- > 0;) want(n.operand[k2]);
            }
            if (path.size() != before) continue;
            path.pop_back();
            if (place[here] != no_node) continue;
            node moved = n;
            for (int j = 0; j < n.arity(); ++j) moved.operand[j] = place[n.operand[j]];
            place[here] = static_cast<node_index>(result.nodes.size());
            result.nodes.push_back(moved);
        }
        result.outputs.push_back(place[g.outputs[k]]);
    }
    return result;
}

/// The graph without rules and checkpoints, which have done their work, and without a loop that another one computes along.
/// (Where that other one takes part in a round of a loop around it, only within that: in the body, once it stands alone.)
constexpr graph resolved(graph_view g) {
    const free_parameters free(g.nodes, g.size);
    graph result;
    result.input_count = g.input_count;
    result.nodes = list<node>(g.size);
    list<node_index> better(g.size, no_node); // what is to be used in a node's place
    for (node_index i = 0; i < g.size; ++i) {
        result.nodes[i] = g[i];
        if (!is_loop(g[i].op)) continue;
        for (node_index j = 0; j < i; ++j) { // (what carries more comes later)
            if (g[j].op != g[i].op || g[j].bits != g[i].bits || g[j].operand[0] != g[i].operand[0]) continue;
            node_index chain = g[i].operand[1];
            while (chain != g[j].operand[1] && !g[chain].is(opcode::nothing)) chain = g[chain].operand[0];
            if (chain != g[j].operand[1]) continue;
            const list<bool> before = reached(g.nodes, g.size, {i});
            bool apart = true;
            for (node_index r = j + 1; r < i; ++r) apart = apart && !(before[r] && g[r].operand[0] == j && g[r].arity() > 0);
            if (apart && free.within(i, j)) better[j] = i;
        }
    }
    const auto best = [&](node_index x) {
        for (;;) {
            const node& n = g[x];
            if (n.is(opcode::result) && is_rule(g[n.operand[0]].op)) {
                x = g[links(g.nodes, g[n.operand[0]].operand[0])[n.bits]].operand[1];
            } else if (n.is(opcode::again)) {
                x = n.operand[0];
            } else if (better[x] != no_node) {
                x = better[x];
            } else {
                return x;
            }
        }
    };
    for (node& n : result.nodes) {
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = best(n.operand[k]);
    }
    for (std::size_t k = 0; k < g.output_count; ++k) result.outputs.push_back(best(g.outputs[k]));
    builder b(&store_unchanged, g.size); // what was to be computed anew may be there already
    return b.finish(b.append(loops_last(result), true));
}

} // namespace dyad

// ---- dyad/trace/trace.hpp
// The main front end: runs a stateless function inside the compiler, on traced values, and keeps what it
// did as a graph. Ordinary loops over trip counts known at compile time are ordinary code.

// ---- dyad/base/stateless.hpp
// Functions without a state, and an object of each made from its type alone. A closure that names a capture default cannot
// be default-constructed even if it captures nothing, nor can one that captures another without a state: the helper of a
// helper. But their objects have no byte that means anything.

namespace dyad {

template <std::size_t N>
struct plain_bytes {
    unsigned char at[N];
};

/// Makes its member of itself, which reads nothing where that has no state.
template <class F>
struct copy_of_nothing {
    F f;
    constexpr copy_of_nothing() : f(std::as_const(f)) {}
};
/// An object of a class without a state. (g++ takes back that a closure is trivially copyable when it has been asked whether it
/// can be assigned, as by a std::pair that holds it; so it is the compiler that is asked here, not the trait, which it answers once.)
template <class F>
constexpr F instance_of() {
    if constexpr (std::is_default_constructible_v<F>) {
        return F{};
    } else if constexpr (__is_trivially_copyable(F)) {
        return std::bit_cast<F>(plain_bytes<sizeof(F)>{});
    } else {
        return copy_of_nothing<F>().f;
    }
}

template <class F>
concept made_of_bytes = requires { typename std::bool_constant<(static_cast<void>(std::bit_cast<F>(plain_bytes<sizeof(F)>{})), true)>; };
/// Whether byte K of an F holds (part of) a value: that of padding, and so of an empty member, cannot be read in a constant expression.
template <class F, std::size_t K>
concept has_value_at = requires {
    typename std::integral_constant<unsigned char, std::bit_cast<plain_bytes<sizeof(F)>>(std::bit_cast<F>(plain_bytes<sizeof(F)>{})).at[K]>;
};
template <class F>
constexpr bool holds_nothing() {
    if constexpr (!std::is_trivially_copy_constructible_v<F> || !std::is_trivially_destructible_v<F> || sizeof(F) > 8) {
        return false;
    } else if constexpr (std::is_empty_v<F>) {
        return true;
    } else if constexpr (DYAD_PADDING_IS_KNOWN && made_of_bytes<F>) {
        return []<std::size_t... K>(std::index_sequence<K...>) { return (!has_value_at<F, K> && ...); }(std::make_index_sequence<sizeof(F)>{});
    } else {
        return false;
    }
}

/// A function that can be run inside the compiler: it has no state, so any instance of it is the function.
template <class F>
concept stateless = (std::is_empty_v<F> && std::is_default_constructible_v<F>) || holds_nothing<F>();

/// A function as a member of what goes into pairs and tuples, which ask it whether it can be assigned: only one with a state is there.
/// Members of one object have places of their own, as equal empty classes would take a byte each.
template <class F, std::size_t Place = 0>
struct kept_function {
    F f;
    [[nodiscard]] constexpr const F& get() const { return f; }
};
template <stateless F, std::size_t Place>
struct kept_function<F, Place> {
    kept_function() = default;
    DYAD_FN constexpr explicit(false) kept_function(const F&) {}
    [[nodiscard]] constexpr F get() const { return instance_of<F>(); }
};

} // namespace dyad

namespace dyad {

/// Makes the leaves of a traced argument: inputs of a builder, numbered in the order of the calls.
struct input_maker {
    builder& home;
    std::uint32_t next = 0;

    template <class Leaf>
    constexpr tracer operator()() {
        const node_index input = home.input(next++, element_of<Leaf>());
        return {home, input};
    }
};

/// The type of `S` with every leaf a traced value.
template <class S>
using traced = decltype(structure<S>::build(std::declval<input_maker&>()));

/// Whether the results use a value that belongs into the body of a loop, which an assignment to what the body captures took out of it.
constexpr bool escapes_body(const builder& b, const list<node_index>& results) {
    bool bodies = false;
    for (node_index i = 0; i < b.size() && !bodies; ++i) bodies = b[i].is(opcode::parameter);
    if (!bodies) return false;
    const free_parameters free(b.nodes.data(), b.size());
    for (const node_index i : results) {
        if (!free.empty(i)) return true;
    }
    return false;
}

/// The nodes of a traced result: a number among them is a constant.
template <class R>
constexpr list<node_index> result_nodes(builder& b, const R& result) {
    list<node_index> nodes;
    for_each_leaf([&](const auto& leaf) { nodes.push_back(tracer(leaf).in(b)); }, result);
    return nodes;
}

/// What `f` returns for traced arguments.
template <class F, class... S>
using traced_result = std::remove_cvref_t<std::invoke_result_t<const F&, traced<S>&...>>;

/// The graph of `f` on arguments of types `S...`; its inputs are their leaves in order. `keeps_nothing`: builder.hpp.
template <class F, class... S>
constexpr graph trace(const F& f, policy p, bool keeps_nothing = false) {
    builder b(rewriter_of(p));
    b.keeps_nothing = keeps_nothing;
    input_maker make{b};
    std::tuple<traced<S>...> arguments{structure<S>::build(make)...};
    const auto result = unpack(f, arguments);
    const list<node_index> results = result_nodes(b, result);
    if (escapes_body(b, results)) throw value_error("[dyad] loop: a value of a body is used outside of it; let it go round, as a part of the state");
    return static_cast<builder&&>(b).finish(results);
}

} // namespace dyad

namespace dyad {

/// Positions of arguments; none named means all.
template <std::size_t... Item>
struct positions {};

/// All positions, or those named.
template <class Wrt, std::size_t Count>
struct chosen_positions {
    using type = Wrt;
};
template <std::size_t Count>
struct chosen_positions<positions<>, Count> {
    template <std::size_t... Item>
    static auto all(std::index_sequence<Item...>) -> positions<Item...>;
    using type = decltype(all(std::make_index_sequence<Count>{}));
};

/// The position of the one argument that there is.
struct only_position {};
template <std::size_t Count>
struct chosen_positions<only_position, Count> {
    using type = positions<0>;
};

/// How much room the trace of a function takes. Not what simplifying makes of it: this run is the cheapest that shows
/// whether constant evaluation can run the function at all.
template <class F, class... S>
constexpr graph_room measured_trace() {
    return room_of(trace<F, S...>(instance_of<F>(), policy::verbatim)); // (clang would evaluate a constant variable here once more)
}
template <graph_room Size>
struct known_size {
    static constexpr bool traceable = true;
    static constexpr graph_room value = Size;
};
struct unknown_size {
    static constexpr bool traceable = false;
    static constexpr graph_room value{128, 8};
};
template <class F, class... S>
auto size_of_trace(int) -> known_size<measured_trace<F, S...>()>;
template <class F, class... S>
auto size_of_trace(...) -> unknown_size;

/// Whether the compiler can run the function: asked first, so that the answer is one sentence instead of pages of
/// consequences. -DDYAD_SHOW_TRACE shows the pages.
template <class F, class... S>
constexpr bool traceable() {
#if defined(DYAD_SHOW_TRACE)
    return true;
#else
    return decltype(size_of_trace<F, S...>(0))::traceable;
#endif
}

/// The graph of a stateless function, as it stands before any derivative.
template <class F, policy P, class... S>
struct traced_program {
    struct make {
        constexpr dyad::graph operator()() const { return trace<F, S...>(instance_of<F>(), P); }
    };
    static constexpr graph_room size = decltype(size_of_trace<F, S...>(0))::value;
    static constexpr const auto& graph = frozen<make, size.nodes, size.outputs>::value;
};

/// The same for a kernel of a device, which has no memory for a loop's rounds.
template <class F, policy P, class... S>
struct traced_kernel {
    struct make {
        constexpr dyad::graph operator()() const { return trace<F, S...>(instance_of<F>(), P, true); }
    };
    static constexpr graph_room size = traced_program<F, P, S...>::size;
    static constexpr const auto& graph = frozen<make, size.nodes, size.outputs>::value;
};

/// The numbers of the inputs that belong to the arguments at the given positions, in the order in which these are given.
template <class... S, std::size_t... Item>
constexpr list<std::uint32_t> inputs_at(positions<Item...>) {
    const std::size_t sizes[] = {structure<S>::size..., 0};
    list<std::uint32_t> inputs;
    for (const std::size_t position : list<std::size_t>{Item...}) {
        std::size_t first = 0;
        for (std::size_t a = 0; a < position; ++a) first += sizes[a];
        for (std::size_t k = 0; k < sizes[position]; ++k) inputs.push_back(static_cast<std::uint32_t>(first + k));
    }
    return inputs;
}

template <class Source, class Rules = every_rule>
constexpr region_rules_pointer regions_of() {
    if constexpr (has_regions(Source::graph)) {
        return region_rules_with<Rules>;
    } else {
        return {};
    }
}

/// A transform of a graph. `Source::graph` is the function's, `Inputs{}()` the inputs to differentiate by.
template <class Source, transform K, class Inputs, policy P>
struct derived_program {
    struct make {
        constexpr dyad::graph operator()() const {
            return differentiate<rules_for<Source, is(K, transform::hvp) || (order_of(K) > 1)>>(Source::graph, K, Inputs{}(), P, &no_array_rules, {}, regions_of<Source>());
        }
    };
    static constexpr const auto& graph =
        frozen<make, 4 * Source::graph.view().size + 64, Source::graph.view().input_count + 8>::value;
};
/// The first `Steps` steps of the gradient of a long program; all of them are the gradient.
template <class Source, transform K, class Inputs, policy P, std::size_t Steps = gradient_steps(Source::graph)>
struct stepwise_gradient {
    using before = stepwise_gradient<Source, K, Inputs, P, Steps - 1>;
    struct make {
        constexpr dyad::graph operator()() const {
            return with_cotangents<rules_in<Source>>(before::graph, Inputs{}(), K, P, Steps - 1, gradient_steps(Source::graph));
        }
    };
    static constexpr const auto& graph = frozen<make, before::graph.view().size + 3 * gradient_step, 3 * (Source::graph.view().input_count + 100)>::value;
};
template <class Source, transform K, class Inputs, policy P>
struct stepwise_gradient<Source, K, Inputs, P, 0> : Source {};
template <class Source, transform K, class Inputs, policy P>
    requires(has_gradient_in_steps(Source::graph, K))
struct derived_program<Source, K, Inputs, P> : stepwise_gradient<Source, K, Inputs, P> {};

/// The tangents of the gradient: of a long program each is an evaluation of its own, as compilers limit the steps of one.
template <class Source, class Inputs, policy P>
    requires(Source::graph.view().size > 256)
struct derived_program<Source, transform::hvp, Inputs, P>
    : derived_program<derived_program<Source, transform::gradient, Inputs, P>, transform::tangents, Inputs, P> {};

/// The first lines of the matrix of a function's derivatives, `Steps` steps of `Matrix::plan`; with the last one, the matrix.
template <class Matrix, std::size_t Steps = Matrix::plan.count>
struct matrix_program {
    using function = typename Matrix::function;
    using before = matrix_program<Matrix, Steps - 1>;
    using rules = rules_in<function>;
    static constexpr std::size_t first = Steps == 1 ? 0 : Matrix::plan.end[Steps - 2], last = Matrix::plan.end[Steps - 1];
    struct make {
        constexpr dyad::graph operator()() const {
            return with_lines<rules>(before::graph, Matrix::by(), Matrix::lines, Matrix::rows, first, last, Matrix::rewriting, regions_of<function, rules>());
        }
    };
    static constexpr std::size_t added = last - first, longest = Matrix::rows < Matrix::columns ? Matrix::columns : Matrix::rows;
    static constexpr graph_room room{before::graph.view().size + 3 * Matrix::plan.work[Steps - 1] + 32, before::graph.view().output_count + added * longest};
    static constexpr const auto& graph = frozen<make, room.nodes, Steps == Matrix::plan.count ? Matrix::rows * Matrix::columns : room.outputs>::value;
};
template <class Matrix>
struct matrix_program<Matrix, 0> : Matrix::function {};

/// (A function of its own: clang 14 does not destroy what a template argument makes on its way.)
template <class Inputs>
constexpr std::size_t count_of_inputs() {
    return Inputs{}().size();
}

/// The matrix of the derivatives of `Function::graph`'s outputs by inputs.
template <class Function, class Inputs, policy P, matrix_lines Lines>
struct derivative_matrix {
    using function = Function;
    static constexpr list<std::uint32_t> by() { return Inputs{}(); }
    static constexpr policy rewriting = P;
    static constexpr matrix_lines lines = Lines;
    static constexpr std::size_t rows = Function::graph.view().output_count, columns = count_of_inputs<Inputs>();
    static constexpr line_steps<count_of_lines(Lines, rows, columns)> plan{Function::graph, by(), Lines};
};
template <class Source, class Inputs, policy P>
struct derived_program<Source, transform::jacobian, Inputs, P>
    : matrix_program<derivative_matrix<Source, Inputs, P, lines_of_jacobian(Source::graph, count_of_inputs<Inputs>())>> {};
template <class Source, class Inputs, policy P>
struct derived_program<Source, transform::hessian, Inputs, P>
    : matrix_program<derivative_matrix<derived_program<Source, transform::gradient, Inputs, P>, Inputs, P,
                                       has_rules(Source::graph) ? matrix_lines::columns : matrix_lines::triangle>> {};

/// The graph of a program outside of its regions, and those of the regions' bodies.
template <class Source, policy P>
struct level_program : Source {
    struct resolve {
        constexpr dyad::graph operator()() const { return resolved(Source::graph); }
    };
    static constexpr const auto& whole = frozen<resolve, Source::graph.view().size, Source::graph.view().output_count>::value;
    struct find {
        constexpr region_parts operator()() const { return regions_in(whole.view()); }
    };
    static constexpr const auto& regions = frozen_as<find, frozen_region_parts, region_parts_room{whole.view().size, 8, 128}>::value;
    // (A type that depends on the program: clang compiles at once what a template calls that does not.)
    static constexpr levels<decltype(whole.view())> apart{whole.view(), regions.view()};
    struct make {
        constexpr dyad::graph operator()() const { return apart.outside(); }
    };
    static constexpr const auto& graph = frozen<make, whole.view().size + 64, whole.view().output_count>::value;

    template <std::size_t K>
    static constexpr region_info info = apart.info(K);
    template <std::size_t K, int Which>
    struct body {
        struct make {
            constexpr dyad::graph operator()() const { return apart.body(K, Which); }
        };
        static constexpr const auto& graph = frozen<make, whole.view().size, 16>::value;
    };
};
template <class Source, policy P>
    requires(!has_regions(Source::graph))
struct level_program<Source, P> : Source {};

/// What a kernel runs: the source after the first `Passes` passes of lowering; `Passes` is the last of them for a short
/// program, whose passes are one evaluation.
template <class Source, policy P, int Passes = lower_passes>
struct lowered_program {
    using level = level_program<Source, P>;
    static constexpr bool contracts = P == policy::fast;
    static constexpr bool is_short = level::graph.view().size <= 256;
    using before = lowered_program<Source, P, is_short ? 0 : Passes - 1>;
    struct make {
        constexpr dyad::graph operator()() const {
            if constexpr (is_short) return lower(before::graph, P);
            if constexpr (!is_short) return lower_pass(Passes - 1, before::graph, P);
        }
    };
    static constexpr const auto& graph =
        frozen<make, before::graph.view().size * 5 / 4 + 32, before::graph.view().output_count>::value;

    // (Of a program without regions they are never named.)
    template <std::size_t K, class Level = level>
    static constexpr region_info info = Level::template info<K>;
    template <std::size_t K, int Which, class Level = level>
    using region = lowered_program<typename Level::template body<K, Which>, P>;
};
template <class Source, policy P>
struct lowered_program<Source, P, 0> : level_program<Source, P> {};

} // namespace dyad

namespace dyad {

/// The program of an expression, decoded, and as a kernel runs it.
template <auto Code>
struct coded_program {
    struct make {
        constexpr dyad::graph operator()() const { return decode(Code); }
    };
    static constexpr const auto& graph = frozen<make, sizeof(Code) / 8, 1>::value;
    using lowered = lowered_program<coded_program, default_policy>;
};

/// How a value is printed: specialised for arrays.
template <class V>
struct printer {
    static auto& print(auto& out, const V& v) { return out << v; }
};

template <auto Code, class... Leaves>
class expr;
template <fixed_string Name, class T>
class var;

/// The expression that `Make{}()`, a graph over the leaves `List`, stands for: its type has only the leaves
/// that the graph needs. `Guess` words are enough for most graphs; larger ones are made once more.
template <class Make, class List, std::size_t Guess>
struct expression_of {
    static constexpr auto packed = packed_words<Guess, List::size>(pack(Make{}(), List::size));

    static constexpr auto cut_code() {
        if constexpr (packed.size <= Guess) {
            code<packed.size> c{};
            for (std::size_t i = 0; i < packed.size; ++i) c.words[i] = packed.words[i];
            return c;
        } else {
            const auto whole = packed_words<packed.size, List::size>(pack(Make{}(), List::size));
            code<packed.size> c{};
            for (std::size_t i = 0; i < packed.size; ++i) c.words[i] = whole.words[i];
            return c;
        }
    }
    template <std::size_t... Item>
    static auto type_of(std::index_sequence<Item...>)
        -> expr<cut_code(), flat_element<packed.numbers[Item], typename List::values>...>;
    using type = decltype(type_of(std::make_index_sequence<packed.used>{}));

    template <std::size_t... Item>
    static constexpr type cut(const typename List::values& leaves, std::index_sequence<Item...>) {
        return type(typename type::leaf_values(flat_get<packed.numbers[Item]>(leaves)...));
    }
    /// `operands`: the expressions that it is made of, whose leaves merged are `leaves`.
    template <class... E>
    static constexpr type make(const typename List::values& leaves, const E&... operands) {
        type result = cut(leaves, std::make_index_sequence<packed.used>{});
        if constexpr (type::has_arrays && sizeof...(E) > 0) share_values<expression_of>(result, operands...); // array/eager_memory.hpp
        return result;
    }
};

/// The number type of a leaf's value; that of the elements of an array.
template <class T>
struct leaf_scalar {
    using type = T;
};
template <class T>
    requires is_array<T>
struct leaf_scalar<T> {
    using type = typename T::element;
};
/// Whether a program over such leaves is one of arrays: it has some, or makes some of numbers.
template <class Program, class... Leaves>
constexpr bool is_of_arrays(leaf_list<Leaves...>) {
    return (is_array<typename Leaves::value_type> || ...) || works_with_arrays(Program::graph);
}
template <bool Arrays>
constexpr const array_rules* rules_if() {
    if constexpr (Arrays) {
        return rules_at_hand(static_cast<const builder_in<std::bool_constant<Arrays>>*>(nullptr));
    } else {
        return &no_array_rules;
    }
}

/// The number type of an expression without leaves: that of what it was folded from, as the 2 of d²(f·f)/df².
template <auto Code, std::size_t Leaves>
struct folded_from {
    using type = int; // which adds nothing to the leaves' types
};
template <auto Code>
struct folded_from<Code, 0> {
    static constexpr element of = coded_program<Code>::graph.nodes[coded_program<Code>::graph.outputs[0]].type;
    using type = std::conditional_t<is(of, element::float32), float, std::conditional_t<is(of, element::float80), long double, double>>;
};

struct no_memo {};
/// Where an expression of arrays remembers values, which are worth it: array/eager_memory.hpp.
template <class Program>
class array_memory;

/// A value with its program.
template <auto Code, class... Leaves>
class expr : public operators::home<> {
public:
    using dyad_symbolic = expr;
    using dyad_eager = expr;
    using leaf_values = flat_tuple<Leaves...>;
    using leaves = leaf_list<Leaves...>;
    using program = coded_program<Code>;
    /// The number type it computes in: the widest of its leaves'; without any, what it was folded from had, or double.
    using number_type = common_leaf<typename leaf_scalar<typename Leaves::value_type>::type..., typename folded_from<Code, sizeof...(Leaves)>::type>;
    static constexpr bool has_arrays = is_of_arrays<program>(leaves{});
    static constexpr std::size_t words = sizeof(Code) / sizeof(std::uint64_t);
    static constexpr auto coded = Code;
    /// Whether it is a comparison or a logical operation.
    static constexpr bool is_condition() {
        return program::graph.nodes[program::graph.outputs[0]].is(element::boolean);
    }

    constexpr explicit expr(const leaf_values& values) : leaves_(values) {
        if constexpr (has_arrays) check_arrays(*this); // array/eager.hpp
    }

    [[nodiscard]] constexpr const leaf_values& values() const { return leaves_; }
    [[nodiscard]] constexpr const auto& memo() const { return memo_; }
    [[nodiscard]] constexpr auto& memo() { return memo_; }

    /// The value now; for a comparison, whether it holds.
    [[nodiscard]] constexpr auto value() const {
        check_known();
        if constexpr (has_arrays) {
            return value_of_arrays(*this); // array/eager.hpp
        } else if constexpr (is_condition()) {
            return static_cast<bool>(*this);
        } else {
            return evaluate<typename program::lowered>()[0];
        }
    }
    /// `if (x > 0)`, `bool b = x > 0`: the value is known, so a branch on it is fine.
    constexpr explicit(has_arrays || !is_condition()) operator bool() const {
        check_known();
        if constexpr (has_arrays) return holds_for_arrays(*this); // array/eager.hpp
        else if constexpr (is_condition()) return evaluate<lowered_choice>()[0] != number_type(0);
        else return value() != number_type(0);
    }
    /// A constant, as 2_c, where a traced value belongs.
    constexpr explicit(false) operator tracer() const
        requires(sizeof...(Leaves) == 0 && program::graph.nodes[program::graph.outputs[0]].is(opcode::constant))
    {
        constexpr node n = program::graph.nodes[program::graph.outputs[0]];
        return tracer(folded{true, constant_value(n)}, n.type);
    }
    /// All outputs of a lowered program over this expression's leaves.
    template <class Lowered>
    [[nodiscard]] constexpr auto evaluate() const {
        check_known();
        return unpack(
            [](const auto&... leaf) {
                const number_type input[] = {static_cast<number_type>(leaf.value)..., number_type(0)};
                return kernel_of<Lowered>::template run<number_type>(input);
            },
            leaves_);
    }

    // clang-format off
    template <class Other>
        requires(eager<Other> || std::is_arithmetic_v<Other>)
    constexpr expr& operator=(const Other&) DYAD_REJECT("[dyad] capture: the type of an expression is its formula, so that it cannot become another one, as in a loop; give the new one a name, auto w = z + x, and what a function captures, which is run on expressions then, pass as arguments, and choose with grad<...>", { return *this; })
    template <class Other>
        requires(eager<Other> || std::is_arithmetic_v<Other>)
    constexpr expr& operator+=(const Other&) DYAD_REJECT("[dyad] capture: the type of an expression is its formula, so that it cannot become another one, as in a loop; give the new one a name, auto w = z + x, and what a function captures, which is run on expressions then, pass as arguments, and choose with grad<...>", { return *this; })
    template <class Other>
        requires(eager<Other> || std::is_arithmetic_v<Other>)
    constexpr expr& operator-=(const Other&) DYAD_REJECT("[dyad] capture: the type of an expression is its formula, so that it cannot become another one, as in a loop; give the new one a name, auto w = z + x, and what a function captures, which is run on expressions then, pass as arguments, and choose with grad<...>", { return *this; })
    template <class Other>
        requires(eager<Other> || std::is_arithmetic_v<Other>)
    constexpr expr& operator*=(const Other&) DYAD_REJECT("[dyad] capture: the type of an expression is its formula, so that it cannot become another one, as in a loop; give the new one a name, auto w = z + x, and what a function captures, which is run on expressions then, pass as arguments, and choose with grad<...>", { return *this; })
    template <class Other>
        requires(eager<Other> || std::is_arithmetic_v<Other>)
    constexpr expr& operator/=(const Other&) DYAD_REJECT("[dyad] capture: the type of an expression is its formula, so that it cannot become another one, as in a loop; give the new one a name, auto w = z + x, and what a function captures, which is run on expressions then, pass as arguments, and choose with grad<...>", { return *this; })
    // clang-format on

    template <class Traits>
    friend auto& operator<<(std::basic_ostream<char, Traits>& out, const expr& e) {
        return printer<std::remove_cvref_t<decltype(e.value())>>::print(out, e.value());
    }

    /// Of arrays (array/): element, row, plane ... i, or at several positions along the first axes.
    template <class... Item>
    [[nodiscard]] auto operator()(const Item&... i) const
        requires(has_arrays && sizeof...(Item) > 0)
    {
        return element_of(*this, i...);
    }
    template <class Item>
    [[nodiscard]] auto operator[](const Item& i) const
        requires has_arrays
    {
        return element_of(*this, i);
    }
    /// The number of elements, and the size of an axis.
    [[nodiscard]] double size() const
        requires has_arrays
    {
        return size_of(*this);
    }
    [[nodiscard]] double shape(int axis) const
        requires has_arrays
    {
        return size_of(*this, axis);
    }

    /// Refuses what has no value.
    static constexpr void check_known() {
        static_assert(!(leaf_name::is_unknown(Leaves::name) || ...),
                      "[dyad] branch: in a function with captured values, an element of a kernel's arrays, what goes round a loop, or an argument of a transform inside has no value yet; choose with where or cond, or "
                      "pass the captured values as arguments");
    }

private:
    // A condition as the number 1 or 0, which is what kernels return.
    struct choice {
        struct make {
            constexpr dyad::graph operator()() const {
                builder b;
                const list<node_index> outputs = b.append(program::graph, true);
                const node_index one = b.constant(exact(1), element::float64);
                const node_index zero = b.constant(exact(0), element::float64);
                return b.finish({b.emit(opcode::where, outputs[0], one, zero)});
            }
        };
        static constexpr const auto& graph = frozen<make, program::graph.view().size + 8, 1>::value;
    };
    using lowered_choice = lowered_program<choice, default_policy>;

    leaf_values leaves_;
    [[no_unique_address]] std::conditional_t<has_arrays, array_memory<program>, no_memo> memo_;
};

/// A graph that is input 0: a variable or a number on its own.
template <element Type>
struct single_input {
    constexpr dyad::graph operator()() const {
        builder b;
        const node_index input = b.input(0, Type);
        return b.finish({input});
    }
};
template <class Leaf>
using leaf_expr = typename expression_of<single_input<element_of<typename Leaf::value_type>()>,
                                         leaf_list<Leaf>, 4>::type;

/// A named variable: `var<"x"> x{3.0};`. Assigning it later leaves existing expressions as they are.
template <fixed_string Name, class T = double>
class var : public operators::home<> {
    static_assert(real_number<T>, "[dyad] var: the number type must be float, double or long double");

public:
    using dyad_symbolic = var;
    using dyad_eager = var;
    using leaf_type = leaf<Name, T>;
    static constexpr auto variable_name = Name;

    constexpr explicit(false) var(T value) : leaf_{value, here()} {}
    constexpr var& operator=(T value) {
        leaf_ = {value, here()}; // a copy becomes a variable of its own
        return *this;
    }
    /// The value of an expression: `x = x - 0.1 * slope`.
    template <eager E>
        requires requires(const E& e) { static_cast<T>(e.value()); }
    constexpr var& operator=(const E& e) {
        return *this = static_cast<T>(e.value());
    }
    var(const var&) = default;
    var& operator=(const var&) = default;
    /// A step, by a number or by the value of an expression: `x -= 0.1 * slope`.
#define DYAD_STEP(symbol, operation)                                                                 \
    template <operand Y>                                                                             \
    constexpr var& operator symbol(const Y& y) {                                                     \
        return *this = static_cast<T>((*this operation y).value());                                  \
    }
    DYAD_STEP(+=, +)
    DYAD_STEP(-=, -)
    DYAD_STEP(*=, *)
    DYAD_STEP(/=, /)
#undef DYAD_STEP

    [[nodiscard]] constexpr T value() const { return leaf_.value; }
    /// Whether it is a variable itself, or a copy of it that nobody has assigned to.
    [[nodiscard]] constexpr bool is_copy_of(const var& x) const { return leaf_.identity == x.leaf_.identity; }
    [[nodiscard]] constexpr leaf_expr<leaf_type> expression() const {
        return leaf_expr<leaf_type>(flat_tuple<leaf_type>(leaf_));
    }
    constexpr explicit operator bool() const { return leaf_.value != T(0); }

    template <class Traits>
    friend auto& operator<<(std::basic_ostream<char, Traits>& out, const var& v) {
        return out << v.value();
    }

private:
    constexpr const void* here() const { return std::is_constant_evaluated() ? nullptr : this; }

    leaf_type leaf_;
};

template <class E>
inline constexpr unsigned rank_of_expression = E::program::graph.nodes[E::program::graph.outputs[0]].rank;

/// Any operand of an eager operation as an expression: a plain number becomes a slot.
template <class X>
constexpr auto to_expression(const X& x) {
    if constexpr (requires { x.expression(); }) {
        return x.expression();
    } else if constexpr (eager<X>) {
        return x;
    } else {
        return leaf_expr<slot<X>>(flat_tuple<slot<X>>(slot<X>{x}));
    }
}

template <class T>
concept eager_operand = eager<T> || std::is_arithmetic_v<T>;

/// The graph of an operation on expressions, given as words, whose leaves have been merged.
constexpr graph operation_graph(node n, const array_rules* rules, std::initializer_list<const std::uint64_t*> operands, const leaf_source* leaves) {
    builder b(rewriter_of(default_policy));
    b.arrays = rules;
    merged_graphs graphs{b, leaves};
    int k = 0;
    for (const std::uint64_t* const words : operands) n.operand[k++] = graphs.append(words);
    return b.finish({b.emit(n)});
}

template <opcode Op, int Attribute, class Merged, class... E>
struct operation_on {
    constexpr dyad::graph operator()() const {
        return operation_graph({.op = Op, .bits = static_cast<std::uint32_t>(Attribute)}, rules_if<(E::has_arrays || ...)>(), {E::coded.words...},
                               Merged::merge.source);
    }
};
template <opcode Op, int Attribute, class... E>
constexpr auto combine_expressions(const E&... e) {
    using merged = merged_leaves<typename E::leaves...>;
    constexpr bool one_type_a_name = merged::agree;
    static_assert(one_type_a_name, DYAD_TWO_TYPES_OF_ONE_NAME);
    if constexpr (one_type_a_name) {
        using result = expression_of<operation_on<Op, Attribute, merged, E...>, typename merged::type, (std::size_t{16} + ... + E::words)>;
        return result::make(merged::values(e.values()...), e...);
    } else {
        return std::get<0>(std::tuple(e...)); // one mistake, one message
    }
}

/// The type that an operand computes in; a whole number adds nothing to that of the others.
template <class X>
constexpr auto number_type_in() {
    if constexpr (std::integral<X>) return std::type_identity<int>{};
    else return std::type_identity<typename decltype(to_expression(std::declval<const X&>()))::number_type>{};
}
/// An operand beside others that compute in `Real`: a whole number becomes a real one, so that the slope of `f / 3` is a float as f is.
template <class Real, class X>
constexpr auto operand_expression(const X& x) {
    if constexpr (std::integral<X> && !std::same_as<X, bool>) return to_expression(static_cast<Real>(x));
    else return to_expression(x);
}

template <opcode Op, class Attribute, eager_operand... X>
    requires(eager<X> || ...)
constexpr auto apply_symbolic(op_constant<Op>, Attribute, const X&... x) {
    using common = common_leaf<typename decltype(number_type_in<X>())::type...>;
    if constexpr (std::is_same_v<Attribute, int>) {
        static_assert(!operation<Op>::attributed,
                      "[dyad] expression: the whole number of this operation must be known at compile "
                      "time; use square, cube, pow(x, 3_c) or sinc(x)");
        return combine_expressions<Op, 0>(operand_expression<common>(x)...);
    } else {
        return combine_expressions<Op, Attribute::value>(operand_expression<common>(x)...);
    }
}

} // namespace dyad

DYAD_EMPTY_LOOPS_BEGIN
namespace dyad {

/// A number for a type, from its name.
template <class F>
constexpr std::uint64_t hash_of() {
    std::uint64_t hash = 0xcbf29ce484222325U; // FNV-1a
    for (const char* c = __PRETTY_FUNCTION__; *c != 0; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3U;
    return hash;
}

/// Whether `F` names what has no value of its own where it stands: elements of a kernel's arrays, what goes round a loop.
template <class F>
inline constexpr bool names_unknown = false;
/// Names the elements that a kernel of F goes through.
template <class F>
struct kernel_element;
template <class F>
inline constexpr bool names_unknown<kernel_element<F>> = true;

/// The name of argument leaf `K` of `F`: a character that no user's variable begins with, the function, and K in
/// order. Arguments of functions inside one another are different variables.
template <class F, std::size_t K>
constexpr fixed_string<14> argument_name() {
    char name[15] = {names_unknown<F> ? leaf_name::unknown : leaf_name::argument};
    std::uint64_t hash = hash_of<F>();
    for (int i = 1; i < 12; ++i, hash /= 64) name[i] = static_cast<char>('0' + hash % 64);
    name[12] = static_cast<char>('0' + K / 64);
    name[13] = static_cast<char>('0' + K % 64);
    return fixed_string<14>(name);
}

/// Tells arguments of functions apart that have one name: compilers call closures so that one template makes.
template <class F>
inline constexpr char argument_identity = 0;

/// An argument tree of expressions: every leaf has a type of its own, so trees whose leaves must share one type
/// (std::array) cannot hold them.
template <class F, std::size_t First, class S>
struct expression_argument;
template <class F, std::size_t First, class S>
    requires std::is_arithmetic_v<S>
struct expression_argument<F, First, S> {
    using leaf_type = leaf<argument_name<F, First>(), S>;
    static constexpr auto make(const S& s) {
        return leaf_expr<leaf_type>(flat_tuple<leaf_type>(leaf_type{s, &argument_identity<F>}));
    }
};
template <class F, std::size_t First, class S>
struct expression_argument<F, First, S&> : expression_argument<F, First, std::remove_const_t<S>> {};
template <class F, std::size_t First, class... S>
struct expression_argument<F, First, std::tuple<S...>> {
    template <class Tuple>
    static constexpr auto make(const Tuple& s) {
        return make_each(s, std::index_sequence_for<S...>{});
    }

private:
    template <class Tuple, std::size_t... Item>
    static constexpr auto make_each(const Tuple& s, std::index_sequence<Item...>) {
        // (make_tuple: a tuple of one pair or tuple must not become its elements.)
        return std::make_tuple(expression_argument<F, First + leaves_before<Item, S...>(), S>::make(std::get<Item>(s))...);
    }
};
template <class F, std::size_t First, class A, class B>
struct expression_argument<F, First, std::pair<A, B>> {
    static constexpr auto make(const std::pair<A, B>& s) {
        return std::pair{expression_argument<F, First, A>::make(s.first),
                         expression_argument<F, First + structure<A>::size, B>::make(s.second)};
    }
};

/// Whether an argument can be a tree of expressions.
template <class S>
inline constexpr bool expressible = std::is_arithmetic_v<S>;
template <class S>
inline constexpr bool expressible<S&> = expressible<std::remove_const_t<S>>;
template <class... S>
inline constexpr bool expressible<std::tuple<S...>> = (expressible<S> && ...);
template <class A, class B>
inline constexpr bool expressible<std::pair<A, B>> = expressible<A> && expressible<B>;

/// The arguments of `F` as expressions, numbered leaf by leaf.
template <class F, class... S>
constexpr auto expression_arguments(const S&... s) {
    return expression_argument<F, 0, std::tuple<S...>>::make(std::tuple<const S&...>(s...)); // (arrays are not copied)
}

/// What stands for arrays among expressions (api/array_captured.hpp): `operand(a)`, an array as an expression; `of_shape(a)`, for an array
/// or an expression of one, a `value<element>` without elements.
template <class A>
struct array_among_expressions;

/// The leaves of a result as a flat tuple of expressions.
template <class R>
constexpr auto flat_expressions(const R& r) {
    if constexpr (is_array<R>) {
        return std::tuple{array_among_expressions<R>::operand(r)};
    } else if constexpr (leaf_type<R>) {
        return std::tuple{to_expression(r)};
    } else if constexpr (requires { r.first; }) {
        return std::tuple_cat(flat_expressions(r.first), flat_expressions(r.second));
    } else {
        return unpack([](const auto&... part) { return std::tuple_cat(flat_expressions(part)...); },
                          r);
    }
}

/// The graph of several expressions together, over the merged leaves.
template <class Merged, std::size_t Skipped, class... Programs>
struct joined_program {
    struct make {
        constexpr dyad::graph operator()() const {
            builder b(rewriter_of(default_policy));
            b.arrays = rules_if<(is_of_arrays<Programs>(typename Merged::type{}) || ...)>();
            // The arguments come first: names and numbers of the merge agree for them.
            list<node_index> outputs;
            merged_graphs graphs{b, Merged::merge.source + Skipped};
            (outputs.push_back(graphs.append(Programs::graph)), ...);
            dyad::graph g = b.finish(b.inwards(outputs));
            g.input_count = static_cast<std::uint32_t>(Merged::merge.count);
            return g;
        }
    };
    static constexpr const auto& graph =
        frozen<make, (std::size_t{16} + ... + Programs::graph.view().size), sizeof...(Programs)>::value;
};

template <transform K, class Wrt, class F>
class transformed;

/// The program of a function from that of the innermost one: a transform of a transform is a pass after a pass.
template <class F>
struct peeled {
    static constexpr const F& innermost(const F& f) { return f; }
    template <class Source, class... S>
    using program = Source;
};
template <transform K, class Wrt, class F>
struct peeled<transformed<K, Wrt, F>> {
    template <class... S>
    struct inputs {
        constexpr list<std::uint32_t> operator()() const {
            return inputs_at<S...>(typename chosen_positions<Wrt, sizeof...(S)>::type{});
        }
    };
    static constexpr const auto& innermost(const transformed<K, Wrt, F>& f) {
        return peeled<F>::innermost(f.function());
    }
    template <class Source, class... S>
    using program = derived_program<typename peeled<F>::template program<Source, S...>, K, inputs<S...>,
                                    default_policy>;
};

/// What `F` returns for expressions; `callable` is false where it does not take them. (Not unpack, whose result can only be had
/// by compiling it.)
template <class F, class Expressions>
struct call_with_expressions {
    static constexpr bool callable = false;
    using type = refused_result;
};
template <class F, class... E>
    requires requires(const F& f, const E&... e) { f(e...); }
struct call_with_expressions<F, std::tuple<E...>> {
    static constexpr bool callable = true;
    using type = std::remove_cvref_t<decltype(std::declval<const F&>()(std::declval<const E&>()...))>;
};
/// The same of the innermost function, for the expressions of arguments of types S.
template <class F, class... S>
using call_on_expressions = call_with_expressions<std::remove_cvref_t<decltype(peeled<F>::innermost(std::declval<const F&>()))>,
                                            decltype(expression_arguments<F>(std::declval<const S&>()...))>;

/// Whether results hold expressions of arrays.
template <class R>
constexpr bool holds_arrays(std::type_identity<R>) {
    if constexpr (eager<R>) {
        return decltype(to_expression(std::declval<const R&>()))::has_arrays;
    } else if constexpr (std::is_void_v<R> || leaf_type<R> || !requires { std::tuple_size<R>::value; }) {
        return false;
    } else {
        return []<std::size_t... Item>(std::index_sequence<Item...>) {
            return (holds_arrays(std::type_identity<std::tuple_element_t<Item, R>>{}) || ...);
        }(std::make_index_sequence<std::tuple_size_v<R>>{});
    }
}

/// Whether expressions hold arguments of another function than `F`: one that is being differentiated around it.
template <class F, class... Leaves>
constexpr bool holds_foreign_argument(leaf_list<Leaves...>) {
    const auto own = argument_name<F, 0>();
    const auto foreign = [&](std::string_view name) {
        return leaf_name::is_argument(name) && name.substr(0, 12) != own.view().substr(0, 12);
    };
    return (foreign(Leaves::name) || ...);
}

template <class F, class... Leaf>
constexpr bool any_foreign(std::type_identity<std::tuple<Leaf...>>) {
    return ([] {
        if constexpr (eager<Leaf>) return holds_foreign_argument<F>(typename decltype(to_expression(std::declval<const Leaf&>()))::leaves{});
        return false;
    }() || ...);
}
/// Whether a function of values captures an argument of one that runs on expressions around it, so that its result is an expression too.
template <class F, class... S>
constexpr bool captures_argument() {
    if constexpr (stateless<F> || !(expressible<S> && ...) || has_leaf<tracer, S...>) {
        return false;
    } else {
        using result = typename call_on_expressions<F, S...>::type;
        return any_foreign<F>(std::type_identity<leaf_types<std::conditional_t<std::is_void_v<result>, int, result>>>{});
    }
}

/// Runs F's innermost function on expressions of the arguments; use.operator()<program, leaves>(values) is called with the program
/// of its results and its leaves, those of the arguments first. `Name` names them.
template <class Name, class F, class Use, class... S>
constexpr auto with_named_expressions(const F& f, const Use& use, const S&... s) {
    const auto arguments = expression_arguments<Name>(s...);
    const auto flat_arguments = flat_expressions(arguments);
    const auto outputs = flat_expressions(unpack(peeled<F>::innermost(f), arguments));
    return unpack(
        [&](const auto&... all) {
            using merged = merged_leaves<typename std::remove_cvref_t<decltype(all)>::leaves...>;
            static_assert(!holds_foreign_argument<Name>(typename merged::type{}),
                          "[dyad] nesting: a function captures the argument of another one that is being differentiated around it, and "
                          "a captured value besides; pass captured values as arguments and choose with grad<...>");
            return [&]<class... E>(const std::tuple<E...>&) {
                using joined = joined_program<merged, leaf_count<S...>, typename E::program...>;
                return use.template operator()<joined, typename merged::type>(merged::values(all.values()...));
            }(outputs);
        },
        std::tuple_cat(flat_arguments, outputs));
}

template <class F, class Use, class... S>
constexpr auto with_expressions(const F& f, const Use& use, const S&... s) {
    return with_named_expressions<F>(f, use, s...);
}

/// Whether F has the policy that expressions have; says if not.
template <class F>
constexpr bool has_policy_of_expressions() {
    constexpr bool has = policy_of<F>() == default_policy;
    static_assert(has, "[dyad] strict: the expressions of captured values have the default policy; pass the values as "
                       "arguments and choose with grad<...>, or compile with -DDYAD_STRICT");
    return has;
}

/// Runs transform `K` of a function with captured numbers, whose leaves have the values `input`.
template <transform K, class Wrt, class F, class... S>
struct captured_run {
    struct inputs {
        constexpr list<std::uint32_t> operator()() const { return inputs_at<S...>(Wrt{}); }
    };
    template <class Joined>
    using lowered = lowered_program<derived_program<typename peeled<F>::template program<Joined, S...>, K, inputs, default_policy>, default_policy>;
};
/// The flat results of transform `K` of a function with captured numbers.
template <transform K, class Wrt, class F, class... D, class... S>
constexpr auto run_captured(const F& f, const std::tuple<D...>& directions, const S&... s) {
    has_policy_of_expressions<F>();
    return with_expressions(f, [&]<class Joined, class, class... Leaf>(const flat_tuple<Leaf...>& leaves) {
        using T = common_leaf<typename Leaf::value_type..., D...>;
        return unpack([&](const auto&... leaf) {
            const auto input = unpack([&](const auto&... d) { return flat_inputs<T>(leaf.value..., d...); }, directions);
            return kernel_of<typename captured_run<K, Wrt, F, S...>::template lowered<Joined>>::template run<T>(input.data());
        }, leaves);
    }, s...);
}

} // namespace dyad
DYAD_EMPTY_LOOPS_END

// ---- dyad/trace/limits.hpp
// std::numeric_limits of symbolic values: generic code asks for those of its number type, and what is not specialised is 0 in
// silence. A traced value has no number type yet, as one trace serves them all: its limits are those of double, also where the
// program then computes in float. An expression has the number type of its leaves.

/// Constants of a trace, of the type of what they meet.
template <>
class std::numeric_limits<dyad::tracer> : public std::numeric_limits<double> {
    using inner = std::numeric_limits<double>;

public:
    static constexpr dyad::tracer min() noexcept { return inner::min(); }
    static constexpr dyad::tracer max() noexcept { return inner::max(); }
    static constexpr dyad::tracer lowest() noexcept { return inner::lowest(); }
    static constexpr dyad::tracer epsilon() noexcept { return inner::epsilon(); }
    static constexpr dyad::tracer round_error() noexcept { return inner::round_error(); }
    static constexpr dyad::tracer infinity() noexcept { return dyad::constant::infinity<double>; }
    static constexpr dyad::tracer quiet_NaN() noexcept { return inner::quiet_NaN(); }
    static constexpr dyad::tracer signaling_NaN() noexcept { return inner::signaling_NaN(); }
    static constexpr dyad::tracer denorm_min() noexcept { return inner::denorm_min(); }
};

/// Plain numbers: the type of an expression is a formula, which is not theirs.
template <dyad::eager E>
class std::numeric_limits<E> : public std::numeric_limits<typename decltype(dyad::to_expression(std::declval<const E&>()))::number_type> {};

// ---- dyad/trace/nested.hpp
// Transforms in the middle of a trace: the function runs on stand-ins for its arguments in the same builder,
// is differentiated there, and then the stand-ins give way to the arguments. That the stand-ins are nodes of
// their own keeps the levels of differentiation apart: what the function captures from outside is constant to
// the inner transform and variable to the outer one.

namespace dyad {

/// The builder that the traced values among the leaves belong to.
template <class... S>
constexpr builder* home_of(const S&... s) {
    builder* home = nullptr;
    for_each_leaf(
        [&](const auto& leaf) {
            if constexpr (std::same_as<std::remove_cvref_t<decltype(leaf)>, tracer>) {
                if (home == nullptr) home = leaf.home();
            }
        },
        s...);
    return home;
}

/// What `f()` gives while a builder, if there is one, is asked for values alone, or for derivatives too.
template <class F>
constexpr auto with_values_only(builder* home, bool alone, const F& f) {
    const bool outside = home != nullptr && home->values_only;
    if (home != nullptr) home->values_only = alone;
    auto result = f();
    if (home != nullptr) home->values_only = outside;
    return result;
}

/// Makes stand-ins, in the order of the leaves, of the types of the nodes they stand for.
struct parameter_maker {
    builder& home;
    list<node_index> arguments;
    list<node_index> parameters;

    template <class Leaf>
    constexpr tracer operator()() {
        const node_index argument = arguments[parameters.size()];
        parameters.push_back(home.parameter(home[argument].type, shape_of(home[argument])));
        return {home, parameters.back()};
    }
};

/// The nodes of `K` of `f` at traced (or partly traced) arguments; `directions` for the products.
template <transform K, class Wrt, class F, class... S>
constexpr list<node_index> nested_transform(builder& b, const F& f,
                                            const list<node_index>& directions, const S&... s) {
    list<node_index> arguments;
    for_each_leaf([&](const auto& leaf) { arguments.push_back(tracer(leaf).in(b)); }, s...);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        // A literal takes the type of the arguments that it stands among.
        const node n = b[arguments[k]];
        if (!n.is(element::weak)) continue;
        element type = element::float64;
        for (const node_index other : arguments) {
            if (b[other].type > element::integer) type = b[other].type;
        }
        arguments[k] = b.constant(constant_value(n), type);
    }
    parameter_maker make{b, arguments, {}};
    std::tuple<decltype(structure<S>::build(make))...> stand_ins{structure<S>::build(make)...};
    const auto result = with_values_only(&b, false, [&] { return unpack(f, stand_ins); });
    if (!b.arrays->for_arrays && works_with_arrays(b.nodes.data(), b.size())) b.arrays = rules_at_hand(static_cast<const builder_in<F>*>(&b)); // it began with numbers
    list<node_index> by;
    for (const std::uint32_t k : inputs_at<S...>(Wrt{})) by.push_back(make.parameters[k]);
    const list<node_index> nodes = derive(b, K, result_nodes(b, result), by, directions);
    return substitute(b, nodes, make.parameters, arguments);
}

} // namespace dyad

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

template <class S>
constexpr bool all_real() {
    return []<class... Leaves>(std::type_identity<std::tuple<Leaves...>>) {
        return ((!std::integral<Leaves>)&&...);
    }(std::type_identity<typename structure<S>::leaves>{});
}

template <class... Leaves>
constexpr bool any_is_array(std::type_identity<std::tuple<Leaves...>>) {
    return (is_array<Leaves> || ...);
}
/// Whether one of the leaves is an array: then array/ runs the transform (array_backend, complete once array.hpp is
/// included, which is where arrays come from).
template <class... S>
inline constexpr bool has_array = any_is_array(std::type_identity<leaf_types<S...>>{});
template <transform K, class Wrt, class F>
struct array_backend;

template <class... Leaves>
constexpr bool any_is_device_array(std::type_identity<std::tuple<Leaves...>>) {
    return (is_device_array<Leaves> || ...);
}
/// Whether one of them lies on a device: then that runs the transform (device_backend, complete once cuda.hpp is included).
template <class... S>
inline constexpr bool has_device_array = any_is_device_array(std::type_identity<leaf_types<S...>>{});
template <transform K, class Wrt, class F>
struct device_backend;
/// What runs transform K of F on such arguments.
template <transform K, class Wrt, class F, class... S>
using backend_for = typename std::conditional_t<has_device_array<S...>, std::type_identity<device_backend<K, Wrt, F>>, std::type_identity<array_backend<K, Wrt, F>>>::type;

// (Sentences that stand in several places, where each step to a common one would be a line more of the message.)
#define DYAD_NO_POSITION "[dyad] transform: a position is not below the number of arguments; count from 0"
#define DYAD_SLOPE_LOST                                                                              \
    "[dyad] odeint_adjoint: the function captures what is differentiated by, whose slope would be lost; pass it as a further argument, or stop_gradient(x) of it"
#define DYAD_NO_RESULT "[dyad] call: the function returns nothing, or what does not compile (see above); return what is to be differentiated"
#define DYAD_NOT_CALLABLE_SO                                                                         \
    "[dyad] call: the function cannot be called so, with this number of arguments; or a parameter is not auto, or auto for plain numbers " \
    "alone (whole numbers and flags are traced, too); or its body does not compile for "
#define DYAD_NOT_CALLABLE DYAD_NOT_CALLABLE_SO "traced values (see above)"
#define DYAD_NOT_CALLABLE_CAPTURING                                                                  \
    DYAD_NOT_CALLABLE_SO "values that have a type of their own each, as in every function that captures (see above): pass what it captures as " \
    "arguments too, and choose with grad<...>"

/// What has to hold before a transform is worth trying, each with its own sentence.
template <class F, class... S, std::size_t... Item>
constexpr void check_call(positions<Item...>) {
    using arguments = std::tuple<S...>;
    static_assert(((Item < sizeof...(S)) && ...), DYAD_NO_POSITION);
    if constexpr (((Item < sizeof...(S)) && ...)) {
        static_assert((all_real<std::tuple_element_t<Item, arguments>>() && ...),
                      "[dyad] transform: a derivative with respect to an integer does not exist; pass a "
                      "double, or choose other arguments with grad<...>");
    }
}

/// The traced program of a transform of a stateless function on numbers of types S.
template <class F, transform K, class Wrt, policy P, class... S>
struct transform_program {
    struct inputs {
        constexpr list<std::uint32_t> operator()() const { return inputs_at<S...>(Wrt{}); }
    };
    using source = traced_program<F, P, S...>;
    using derived = derived_program<source, K, inputs, P>;
    using lowered = lowered_program<derived, P>;
    static constexpr bool keeps_slopes() { return !captures_input(source::graph, inputs{}()); }
};

template <class V>
struct same_leaves {
    const V* next;
    template <class Leaf>
    constexpr V operator()() {
        return *next++;
    }
};
/// A structure like S whose leaves are V.
template <class S, class V>
constexpr auto structure_of_leaves(const V* leaves) {
    same_leaves<V> read{leaves};
    return structure<S>::build(read);
}

/// The leaves of a structure as traced values, in the structure of an S: numbers are literals, arrays stand-ins without a builder.
template <class S, class R>
constexpr traced<S> as_traced_like(const R& r) {
    std::array<tracer, structure<S>::size> leaves{};
    std::size_t count = 0;
    for_each_leaf([&]<class Leaf>(const Leaf& leaf) {
        if constexpr (std::is_constructible_v<tracer, const Leaf&>) leaves[count] = tracer(leaf);
        ++count;
    }, r);
    return structure_of_leaves<S>(leaves.data());
}
template <class S>
constexpr traced<S> as_traced(const S& s) {
    return as_traced_like<S>(s);
}

/// Whether a function called with plain numbers in the middle of a trace has captured traced values: then its
/// result is one. (Only the type is asked for; expressions and traced values never really meet.)
template <class F, class... S>
constexpr bool captures_traced() {
    if constexpr (stateless<F> || (!expressible<S> || ...) || has_leaf<tracer, S...>) {
        return false;
    } else {
        using result = typename call_on_expressions<F, S...>::type;
        return has_leaf<tracer, std::conditional_t<std::is_void_v<result>, bool, result>>;
    }
}

/// A function of a stateless one's kind, or one in a trace, is run on traced values; one with captured numbers
/// on expressions.
template <class F, class... S>
inline constexpr bool runs_traced =
    stateless<F> || has_leaf<tracer, S...> || captures_traced<F, S...>();

template <class F, class... S>
constexpr bool callable_with() {
    if constexpr (runs_traced<F, S...>) {
        return requires(const F& f, traced<S>&... s) { f(s...); };
    } else if constexpr ((!expressible<S> || ...)) {
        static_assert((expressible<S> && ...),
                      "[dyad] capture: a function with captured values cannot take a std::array, an aggregate, a vector of numbers or a "
                      "number of a tape; pass the captured values as arguments too, and choose with grad<...>");
        return false;
    } else {
        return call_on_expressions<F, S...>::callable;
    }
}

#define DYAD_NO_EXPRESSIONS                                                                          \
    "[dyad] nesting: a kernel, a sparse transform, and jacobian and hessian of arrays take no expressions; use diff and gradient on " \
    "expressions, and pass captured values as arguments where transforms nest"

template <class F>
constexpr bool refuse_expressions() {
    static_assert(never<F>, DYAD_NO_EXPRESSIONS);
    return false;
}

/// Whether the parameters of `F` have types of their own. (Asked first: the body of a generic function would be compiled once more, and
/// what is wrong in it be said twice.)
template <class F>
concept not_generic = std::is_pointer_v<F> || requires { &F::operator(); };
template <class F, class... S>
constexpr bool takes_numbers_only() {
    if constexpr (not_generic<F>) {
        return requires(const F& f, const S&... s) { f(s...); };
    } else {
        return false;
    }
}
/// Says why `F` does not take the traced values, or expressions, of such arguments.
template <class F, class... S>
constexpr bool refuse_call() {
    constexpr bool numbers_only = takes_numbers_only<F, S...>();
    static_assert(!numbers_only, "[dyad] call: the function takes these arguments, but not the traced values that stand for them; write auto "
                                 "for its parameters, as in [](auto x), also around a pointer to a function or a std::function");
    constexpr bool traced = runs_traced<F, S...>;
    static_assert(numbers_only || !traced, DYAD_NOT_CALLABLE);
    static_assert(numbers_only || traced, DYAD_NOT_CALLABLE_CAPTURING);
    return false;
}
/// Whether a result of type `R` can be differentiated; says so where there is none.
template <class R>
constexpr bool has_result() {
    constexpr bool returns = !std::is_void_v<R>;
    static_assert(returns, DYAD_NO_RESULT);
    using result = std::remove_cvref_t<R>;
    if constexpr (!returns || already_refused<R>) {
        return false; // (which has been said)
    } else if constexpr (refused_argument<result>) {
        return structure<result>::refuse(); // (not `taken`: a step less in the message)
    } else {
        return true;
    }
}

/// Whether a transform of `f` at such arguments can go ahead; says why not.
template <class F, class... S>
constexpr bool usable() {
    if constexpr ((refused_argument<S> || ...)) {
        return (taken<S>() && ...);
    } else if constexpr ((eager<S> || ...)) {
        static_assert(never<F>, DYAD_NO_EXPRESSIONS);
        return false;
    } else if constexpr (runs_traced<F, S...>) {
        // (Not callable_with: a shorter chain of instantiations makes for a shorter message.)
        if constexpr (!requires(const F& f, traced<S>&... s) { f(s...); }) {
            return refuse_call<F, S...>();
        } else if constexpr (!has_result<traced_result<F, S...>>()) {
            return false;
        } else if constexpr (stateless<F> && !has_leaf<tracer, S...>) {
            constexpr bool runs = traceable<F, S...>();
            static_assert(runs, "[dyad] trace: the compiler cannot run this function: it branches on a traced value, is very long, uses what is not "
                                "constexpr, as std::sqrt(2.0) (dyad::sqrt(2.0) is), another function or the operator() of a struct may be, takes a value out of the body of a loop, captures a name of auto [a, b] (clang; std::get<0> works), or throws, as a loop of a negative number of rounds does; see above, or compile with -DDYAD_SHOW_TRACE");
            return runs;
        } else {
            return true;
        }
    } else if constexpr ((!expressible<S> || ...)) {
        return callable_with<F, S...>(); // which says that they are not
    } else if constexpr (!call_on_expressions<F, S...>::callable) {
        constexpr bool one_type = sizeof...(S) > 1 && requires(const F& f, traced<S>&... s) { f(s...); };
        static_assert(!one_type, "[dyad] capture: in a function that captures values, or has members, each argument has a type of its own; give each "
                                 "parameter its own auto, or pass what is captured as arguments");
        if constexpr (!one_type) return refuse_call<F, S...>();
        return false;
    } else {
        return has_result<typename call_on_expressions<F, S...>::type>();
    }
}
/// What transforms of transforms are of.
template <class F>
struct innermost_of {
    using type = F;
};
template <transform K, class Wrt, class F>
struct innermost_of<transformed<K, Wrt, F>> : innermost_of<F> {};

/// Whether F takes the traced values of such arguments, and returns something.
template <class F, class... S>
constexpr bool returns_leaves() {
    if constexpr (requires(const F& f, traced<S>&... s) { f(s...); }) {
        using result = traced_result<F, S...>;
        return !std::is_void_v<result> && !already_refused<result> && !refused_argument<std::remove_cvref_t<result>>;
    } else {
        return false;
    }
}
/// Whether a function of numbers works with arrays that it makes of them, or captures: what runs arrays runs it then.
template <class F, class... S>
constexpr bool makes_arrays() {
    using inner = typename innermost_of<F>::type;
    if constexpr ((refused_argument<S> || ...) || (eager<S> || ...)) {
        return false;
    } else if constexpr (has_leaf<tracer, S...>) {
        return false;
    } else if constexpr (stateless<inner>) {
        if constexpr (returns_leaves<inner, S...>()) {
            if constexpr (traceable<inner, S...>()) {
                return works_with_arrays(traced_program<inner, policy_of<F>(), S...>::graph);
            }
        }
        return false;
    } else if constexpr ((expressible<S> && ...)) {
        return holds_arrays(std::type_identity<typename call_on_expressions<F, S...>::type>{});
    } else {
        return false;
    }
}

/// The same of what a transform is of, which is asked for before it is traced: the rules of arrays are not there in that trace. (Of other
/// functions after, when what is wrong in them has been said in few lines.)
template <class F, class... S>
constexpr bool transform_makes_arrays() {
    if constexpr (std::is_same_v<F, typename innermost_of<F>::type>) {
        return false;
    } else {
        return makes_arrays<F, S...>();
    }
}

/// What a refused call gives, so that one mistake gives one message: its first argument, or a number.
constexpr double instead_of_result() {
    return 0;
}
template <class First, class... S>
constexpr auto instead_of_result(const First& first, const S&...) {
    return first;
}

template <class F, class... S>
struct result_type_of {
    using type = typename call_on_expressions<F, S...>::type;
};
template <class F, class... S>
    requires runs_traced<F, S...>
struct result_type_of<F, S...> {
    using type = traced_result<F, S...>;
};
template <transform K, class Wrt, class F, class... S>
    requires(!runs_traced<transformed<K, Wrt, F>, S...>)
struct result_type_of<transformed<K, Wrt, F>, S...> {
    using type = decltype(std::declval<const transformed<K, Wrt, F>&>()(std::declval<const S&>()...));
};
/// What `f` returns, in the leaves that it runs on.
template <class F, class... S>
using result_of = std::remove_cvref_t<typename result_type_of<F, S...>::type>;

/// How many flat results a transform has.
template <transform K, class F, class Wrt, class... S>
constexpr std::size_t result_count() {
    constexpr std::size_t rows = structure<result_of<F, S...>>::size;
    const std::size_t columns = inputs_at<S...>(Wrt{}).size();
    switch (K) {
    case transform::value: return rows;
    case transform::value_and_gradient: return 1 + columns;
    case transform::jacobian: return rows * columns;
    case transform::hessian: return columns * columns;
    case transform::jvp: return 2 * rows;
    default: return columns;
    }
}

/// The flat results in the middle of a trace.
template <transform K, class Wrt, class F, class... D, class... S>
constexpr auto run_nested(builder& b, const F& f, const std::tuple<D...>& directions, const S&... s) {
    list<node_index> along;
    for_each_leaf([&](const auto& leaf) { along.push_back(tracer(leaf).in(b)); }, directions);
    const list<node_index> nodes = nested_transform<K, Wrt>(b, f, along, s...);
    constexpr std::size_t count = result_count<K, F, Wrt, S...>();
    std::array<tracer, count> results{};
    for (std::size_t i = 0; i < count; ++i) results[i] = tracer(b, nodes[i]);
    return results;
}

/// The flat results of transform `K` of `f`; `directions` is a tuple of structures (empty for most).
template <transform K, class Wrt, class F, class... D, class... S>
DYAD_INLINE constexpr auto run_transform(const F& f, const std::tuple<D...>& directions, const S&... s) {
    check_call<F, S...>(Wrt{});
    if constexpr (!stateless<F> && captures_traced<F, S...>()) {
        builder& b = *home_of(f(as_traced(s)...));
        return run_nested<K, Wrt>(b, f, directions, s...);
    } else if constexpr (has_leaf<tracer, S...> || has_leaf<tracer, D...>) {
        builder* home = home_of(s..., directions);
        if (home == nullptr) home = home_of(f(s...)); // numbers so far, but the function may know more
        if (home != nullptr) return run_nested<K, Wrt>(*home, f, directions, s...);
        builder numbers_only(rewriter_of(policy_of<F>()));
        auto results = run_nested<K, Wrt>(numbers_only, f, directions, s...);
        for (tracer& r : results) r = r.as_literal();
        return results;
    } else if constexpr (stateless<F>) {
        using T = common_leaf<S..., D...>;
        using program = transform_program<F, K, Wrt, policy_of<F>(), S...>;
        constexpr bool keeps_slopes = program::keeps_slopes();
        static_assert(keeps_slopes, DYAD_SLOPE_LOST);
        if constexpr (keeps_slopes) {
            const auto inputs = unpack([&](const auto&... d) { return flat_inputs<T>(s..., d...); }, directions);
            return kernel_of<typename program::lowered>::template run<T>(inputs.data());
        } else {
            return std::array<T, result_count<K, F, Wrt, S...>()>{}; // one mistake, one message
        }
    } else {
        return run_captured<K, Wrt>(f, directions, s...);
    }
}

} // namespace dyad
DYAD_BOTH_SIDES_END

// ---- dyad/api/at_once.hpp
// Transforms that are given a function and its arguments at once, as other libraries take them, or an expression in place of a
// function: refused, by a sentence that says how they are written here.

namespace dyad {

/// Takes whatever stands in a refused call, by a conversion: a function of the user's own, of the same name, is always nearer.
struct anything {
    template <class X>
    constexpr explicit(false) anything(const X&) {}
};
/// What a refused call gives: it converts, is called and taken apart as the right one's result, so that one mistake gives one message.
struct refused_value : refused_result {
    template <class T>
    explicit(false) operator T() const; // (never called)
    template <class... X>
    constexpr refused_value operator()(const X&...) const {
        return {};
    }
    [[nodiscard]] constexpr refused_value value() const { return {}; }
};
struct refused_transform : refused_value {
    refused_value first, second;
    template <class... X>
    constexpr refused_transform operator()(const X&...) const {
        return {};
    }
};

template <auto...>
inline constexpr bool refused_form = false;

#define DYAD_OTHERS "; of expressions there are diff(y, x) and gradient(y, x...), on a tape t.gradient(y, x)"
#define DYAD_REFUSED_FORM(name, sentence)                                                            \
    template <auto... Item>                                                                          \
    constexpr auto name(anything, anything, anything = 0, anything = 0, anything = 0, anything = 0) { \
        static_assert(refused_form<Item...>, "[dyad] " #name ": it takes a function alone and returns one: " sentence); \
        return refused_transform();                                                                  \
    }
DYAD_REFUSED_FORM(grad, "grad(f)(x...), by some arguments grad<0>(f)(x...)" DYAD_OTHERS)
DYAD_REFUSED_FORM(value_and_grad, "value_and_grad(f)(x...), by some arguments value_and_grad<0>(f)(x...)" DYAD_OTHERS)
DYAD_REFUSED_FORM(jacobian, "jacobian(f)(x...), by some arguments jacobian<0>(f)(x...)" DYAD_OTHERS)
DYAD_REFUSED_FORM(hessian, "hessian(f)(x...), by some arguments hessian<0>(f)(x...)" DYAD_OTHERS)
DYAD_REFUSED_FORM(derivative, "derivative(f)(x), of order 2 derivative<2>(f)(x)" DYAD_OTHERS)
DYAD_REFUSED_FORM(jvp, "jvp(f)(primals, tangents)" DYAD_OTHERS)
DYAD_REFUSED_FORM(vjp, "auto [value, pullback] = vjp(f)(x...)" DYAD_OTHERS)
DYAD_REFUSED_FORM(hvp, "hvp(f)(primals, tangents)" DYAD_OTHERS)
DYAD_REFUSED_FORM(checkpoint, "checkpoint(f)(x...)")
DYAD_REFUSED_FORM(vmap, "vmap(f)(x...)")
// (tape_transform.hpp uses it for its own.)

// (The parameters are those of the transform, so that what is constrained goes first.)
#define DYAD_REFUSED_EXPRESSION(name, parameters)                                                    \
    template <parameters, eager E>                                                                   \
    constexpr auto name(E) {                                                                         \
        static_assert(!eager<E>, "[dyad] " #name ": it takes a function, not an expression" DYAD_OTHERS); \
        return refused_transform();                                                                  \
    }
DYAD_REFUSED_EXPRESSION(grad, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(value_and_grad, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(jacobian, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(hessian, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(derivative, int N = 1)
DYAD_REFUSED_EXPRESSION(jvp, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(vjp, std::size_t... Item)
DYAD_REFUSED_EXPRESSION(hvp, std::size_t... Item)
#undef DYAD_REFUSED_EXPRESSION
#undef DYAD_OTHERS

} // namespace dyad

// ---- dyad/api/custom_gradient.hpp
// Functions with derivatives of their own, and functions whose values the backward pass computes again instead of
// keeping them.

// ---- dyad/api/control_flow.hpp
// Loops and branches that are part of the graph: one function for plain numbers (an ordinary loop), numbers on a tape (the
// same, recorded) and traced values (one node, whose compile time does not depend on the number of rounds). Bodies may
// capture traced values; derivatives flow through captures.

// ---- dyad/api/expression_control_flow.hpp
// Loops, branches and rules in eager expressions, and so in functions that capture numbers: what goes round is a variable of
// its own while the body runs once; what the body made of it becomes the body of a node.

// ---- dyad/trace/control_flow.hpp
// Records loops, branches and rules: runs each body once, on parameters, and makes one node of it (graph/region.hpp).

namespace dyad {

/// The nodes of all leaves, turned arrays as what is computed where they lie, numbers without a type of their own in that of the
/// leaves they stand among.
template <class... S>
constexpr list<node_index> state_nodes(builder& b, const S&... s) {
    list<node_index> nodes;
    for_each_leaf([&](const auto& leaf) { nodes.push_back(tracer(leaf).in(b)); }, s...);
    element type = element::float64;
    for (const node_index i : nodes) {
        if (b[i].type > element::integer) type = b[i].type;
    }
    for (node_index& i : nodes) {
        if (b[i].is(opcode::constant) && b[i].type < element::float32 && !b[i].is(element::boolean))
            i = b.constant(constant_value(b[i]), type);
    }
    return b.inwards(static_cast<list<node_index>&&>(nodes));
}

/// A condition or a number of rounds, which is no array.
constexpr node_index one_number(builder& b, node_index x) {
    if (b[x].rank == 0) return x;
    if (b.fault == nullptr) throw shape_error("[dyad] control flow: a condition, or a number of rounds, is an array");
    if (*b.fault == 0) *b.fault = builder::number_fault;
    return b.constant(exact(0));
}

/// Arrays that a loop goes through along their first axes: all have axes, and all a single element there, or none (as far as it
/// is known when they are traced).
constexpr void check_rows(builder& b, const list<node_index>& arrays) {
    const auto single = [](const node& n) { return n.rank != 0 && (n.ones >> (n.rank - 1U) & 1) != 0; };
    bool good = true;
    for (const node_index x : arrays) good = good && b[x].rank != 0 && single(b[x]) == single(b[arrays[0]]);
    if (good) return;
    if (b.fault == nullptr) throw shape_error("[dyad] scan, map, vmap: a number where arrays belong, or first axes that differ");
    if (*b.fault == 0) *b.fault = builder::rows_fault;
}

/// Gives out nodes one by one, as the leaves of a structure.
struct node_reader {
    builder& home;
    const list<node_index>& nodes;
    std::size_t next = 0;

    template <class Leaf>
    constexpr tracer operator()() {
        return {home, nodes[next++]};
    }
};
template <class S>
constexpr auto structured(builder& b, const list<node_index>& nodes) {
    node_reader read{b, nodes};
    return structure<S>::build(read);
}

/// Results 0, 1 ... of a region, like the given nodes.
constexpr list<node_index> region_results(builder& b, node_index region, const list<node_index>& like) {
    list<node_index> results;
    for (std::size_t k = 0; k < like.size(); ++k) results.push_back(region_result(b, region, k, b[like[k]]));
    return results;
}

[[noreturn]] inline void throw_ranks(const char* where, const char* what) {
    text t("[dyad] ");
    (t += where) += what;
    throw value_error(t.c_str());
}
/// Of values that have different ranks where one takes the other's place.
constexpr void refuse_ranks(builder& b, const char* where, const char* what) {
    if (b.is_faulty()) return;
    if (b.fault == nullptr) throw_ranks(where, what);
    *b.fault = builder::round_fault;
}

/// Records a loop over `first`; body(parameters) gives the next values. They may have a wider type than the first ones, and
/// conditions become numbers where numbers go round;
/// `make(chain)` is the node of the loop.
template <class Rules = every_rule, class Body, class Make>
constexpr list<node_index> record_carries(builder& b, const char* name, list<node_index> first, Body body, Make make) {
    b.regions = region_rules_with<Rules>;
    list<element> types;
    for (const node_index i : first) types.push_back(b[i].is(element::integer) ? element::float64 : b[i].type);
    for (;;) {
        list<node_index> parameters;
        for (std::size_t k = 0; k < first.size(); ++k) parameters.push_back(b.parameter(types[k], shape_of(b[first[k]])));
        list<node_index> next = body(parameters);
        bool wider = false;
        for (std::size_t k = 0; k < first.size(); ++k) {
            if (!is(types[k], element::boolean)) next[k] = b.as_weak_number(next[k]);
            const node& x = b[next[k]];
            if (b[first[k]].rank != x.rank) refuse_ranks(b, name, ": the body changes the rank of a value that goes round");
            wider = wider || x.type > types[k];
            if (is(types[k], element::boolean) && !x.is(element::boolean)) first[k] = b.as_weak_number(first[k]);
            types[k] = promote(types[k], x.type);
        }
        if (wider) continue;
        node_index chain = no_links(b);
        for (std::size_t k = 0; k < first.size(); ++k) {
            const node p = b[parameters[k]];
            chain = b.add({.op = opcode::carry, .type = p.type, .rank = p.rank, .ones = p.ones,
                           .operand = {chain, as_type(b, first[k], parameters[k]), as_type(b, next[k], parameters[k])},
                           .bits = p.bits});
        }
        return region_results(b, make(chain), parameters);
    }
}

/// What bodies under `roots` take from before node `begin`; and elements at the index of a loop around, which only that loop can read.
constexpr list<node_index> frontier(const builder& b, node_index begin, const list<node_index>& roots) {
    list<bool> wanted(b.size());
    list<node_index> result;
    for (const node_index r : roots) wanted[r] = true;
    for (node_index i = static_cast<node_index>(b.size()); i-- > 0;) {
        if (!wanted[i] || b.is_constant(i)) continue;
        const bool element = b[i].is(opcode::at) && b[i].operand[1] < begin;
        if ((i < begin && !is_link(b[i].op)) || element || b[i].is(opcode::input)) {
            result.push_back(i);
            continue;
        }
        for (int k = 0; k < b[i].arity(); ++k) wanted[b[i].operand[k]] = true;
    }
    return result;
}

/// Bodies as functions of parameters for all that they take from before `begin`: `roots` changes to them, the chain binds.
constexpr node_index close_over(builder& b, node_index begin, list<node_index>& roots) {
    const list<node_index> outside = frontier(b, begin, roots);
    list<node_index> parameters;
    node_index chain = no_links(b);
    for (const node_index x : outside) {
        parameters.push_back(b.parameter(b[x].type, shape_of(b[x])));
        chain = bind_to(b, parameters.back(), chain, x);
    }
    roots = substitute(b, roots, outside, parameters);
    return chain;
}

/// A branch between results that were recorded from node `begin` on.
template <class Rules = every_rule>
constexpr list<node_index> record_branch(builder& b, node_index begin, node_index predicate, list<node_index> then,
                                         const list<node_index>& other) {
    b.regions = region_rules_with<Rules>;
    const std::size_t count = then.size();
    for (const node_index i : other) then.push_back(i);
    for (std::size_t k = 0; k < count; ++k) { // a condition beside a number is one
        node_index &x = then[k], &y = then[count + k];
        if (!b[y].is(element::boolean)) x = b.as_weak_number(x);
        if (!b[x].is(element::boolean)) y = b.as_weak_number(y);
    }
    const node_index binds = close_over(b, begin, then);
    node_index choices = no_links(b);
    list<node_index> like;
    for (std::size_t k = 0; k < count; ++k) {
        const node_index x = then[k], y = then[count + k];
        if (b[x].rank != b[y].rank) refuse_ranks(b, "cond", ": the two functions give results of different ranks");
        const node_index wider = b[x].type < b[y].type ? y : x;
        const element type = b[wider].type <= element::integer && !b[wider].is(element::boolean) ? element::float64 : b[wider].type;
        const node_index like_it = b.parameter(type, shape_of(b[wider]));
        choices = link(b, opcode::choice, choices, as_type(b, x, like_it), as_type(b, y, like_it));
        like.push_back(like_it);
    }
    return region_results(b, b.add({.op = opcode::branch, .operand = {predicate, binds, choices}}), like);
}

/// A checkpoint around results that were recorded from node `begin` on.
template <class Rules = every_rule>
constexpr list<node_index> record_checkpoint(builder& b, node_index begin, const list<node_index>& values) {
    b.regions = region_rules_with<Rules>;
    list<node_index> body = values;
    const node_index binds = close_over(b, begin, body);
    const node_index kept = entries(b, values);
    return region_results(b, b.add({.op = opcode::checkpoint, .operand = {kept, binds, entries(b, body)}}), values);
}

/// Steps of a state that can be computed backwards, recorded from node `begin` on. `steps(arguments, results)` runs them on
/// parameters: of each step its results, by its arguments, then its arguments, by its results.
template <class Rules = every_rule, class Steps>
constexpr list<node_index> record_invertible(builder& b, node_index begin, const list<node_index>& state, const list<node_index>& values,
                                             Steps steps) {
    b.regions = region_rules_with<Rules>;
    list<node_index> arguments, results;
    for (const node_index i : values) {
        const node v = b[i];
        arguments.push_back(b.parameter(v.type, shape_of(v)));
        results.push_back(b.parameter(v.type, shape_of(v)));
    }
    list<node_index> body = steps(arguments, results);
    const node_index kept = entries(b, values);
    node_index binds = close_over(b, begin, body);
    for (std::size_t k = 0; k < state.size(); ++k) binds = bind_to(b, arguments[k], binds, as_type(b, state[k], arguments[k]));
    for (std::size_t k = 0; k < state.size(); ++k) binds = bind_to(b, results[k], binds, values[k]);
    return region_results(b, b.add({.op = opcode::invertible, .operand = {kept, binds, entries(b, body)}}), values);
}

/// Equations and their solvers compute with numbers.
constexpr void refuse_array_leaf(const tracer& x) {
    builder* const b = x.home();
    if (b == nullptr || (*b)[x.in(*b)].rank == 0) return;
    if (b->fault == nullptr) throw shape_error("[dyad] implicit_root, fixed_point, odeint: an array stands where numbers belong");
    if (*b->fault == 0) *b->fault = builder::leaf_fault;
}

/// What a rule gives for a value like `like`: of its rank. A constant stretches: 0 says that there is no slope.
constexpr node_index as_given(builder& b, node_index x, node_index like) {
    x = as_type(b, x, like);
    if (b[x].rank == b[like].rank || b.is_faulty()) return x;
    if (b.is_constant(x)) return b.broadcast_to(x, like);
    if (b.fault == nullptr) throw shape_error("[dyad] custom_gradient, custom_jvp: the rule changes the rank of a cotangent or a tangent");
    *b.fault = builder::rule_fault;
    return x;
}

/// The values of real types that stood in the graph before node `begin` and that `roots` are computed from, where they have a slope by them.
constexpr list<node_index> captured_by(const builder& b, const list<node_index>& roots, std::size_t begin) {
    list<bool> wanted(b.size());
    for (const node_index i : roots) wanted[i] = true;
    list<node_index> captured;
    for (node_index i = static_cast<node_index>(b.size()); i-- > 0;) {
        const node& n = b[i];
        const bool owns = is_link(n.op) || is_region(n.op);
        if (!wanted[i] || b.is_constant(i)) continue;
        if (i < begin && !owns && !n.is(element::boolean) && !n.is(element::integer)) captured.push_back(i);
        for (int k = 0; (i >= begin || owns) && k < n.arity(); ++k) wanted[n.operand[k]] = wanted[n.operand[k]] || owns || differentiable_by(n.op, k);
    }
    return captured;
}

/// The entries of a rule; and what a pullback captured and says nothing of.
struct rule_roots {
    list<node_index> entries;
    list<node_index> captured;
};
/// A rule beside the values that it is for. `rule(parameters)` runs it on parameters for the arguments, the results and what travels
/// along, which is like `along`. An equation is closed over what it captures.
template <class Rules = every_rule, class Rule>
constexpr list<node_index> record_custom(builder& b, rule_kind kind, const list<node_index>& arguments, list<node_index> values, Rule rule) {
    for (node_index& i : values) i = b.as_number(i); // a condition has a slope here, the rule's
    if (b.values_only) return values;
    b.regions = region_rules_with<Rules>;
    const auto begin = static_cast<node_index>(b.size());
    const list<node_index>& along = is(kind, rule_kind::pushforward) ? arguments : values;
    list<node_index> parameters;
    const auto stand_in_for = [&](node_index x) { return b.parameter(b[x].type, shape_of(b[x])); };
    const auto stand_in_for_all = [&](const list<node_index>& bound) {
        for (const node_index i : bound) parameters.push_back(stand_in_for(i));
    };
    stand_in_for_all(arguments);
    stand_in_for_all(values);
    stand_in_for_all(along);
    rule_roots roots = rule(parameters);
    node_index binds = no_links(b);
    if (is(kind, rule_kind::equation)) {
        binds = close_over(b, begin, roots.entries);
    } else {
        const std::size_t like = is(kind, rule_kind::pushforward) ? arguments.size() : 0;
        for (std::size_t k = 0; k < roots.entries.size(); ++k) roots.entries[k] = as_given(b, roots.entries[k], parameters[like + k]);
    }
    std::size_t next = 0;
    const auto bind_all = [&](const list<node_index>& bound) {
        for (const node_index i : bound) binds = bind_to(b, parameters[next++], binds, i);
    };
    bind_all(arguments);
    for (const node_index i : roots.captured) binds = bind_to(b, stand_in_for(i), binds, i);
    bind_all(values);
    bind_all(along);
    const node_index kept = entries(b, values);
    return region_results(b, b.add({.op = opcode::custom, .operand = {kept, binds, entries(b, roots.entries)}, .bits = static_cast<std::uint64_t>(kind)}), values);
}

} // namespace dyad

namespace dyad {

/// Names what goes round a loop, or what a transform inside has for arguments of types S: apart from the arguments of functions, since compilers call different lambdas by one name where
/// they stand in one macro, or in one function and are templates.
template <class Body, class... S>
struct going_round;
template <class Body, class... S>
inline constexpr bool names_unknown<going_round<Body, S...>> = true;

template <class... Leaves>
constexpr bool any_eager(std::type_identity<std::tuple<Leaves...>>) {
    return (eager<Leaves> || ...);
}
/// Whether a leaf of the structures is an eager expression.
template <class... S>
inline constexpr bool has_eager = any_eager(std::type_identity<leaf_types<S...>>{});

/// The graph of result number `Output` of what `Record` makes of the operands' nodes.
template <class Record, std::size_t Output, class Merged, class... E>
struct recorded_graph {
    template <class Rules = every_rule>
    constexpr dyad::graph operator()() const {
        builder b(rewriter_of(default_policy));
        b.regions = region_rules_with<Rules>;
        b.arrays = rules_if<(E::has_arrays || ...)>();
        list<node_index> operands;
        merged_graphs graphs{b, Merged::merge.source};
        (operands.push_back(graphs.append(E::coded.words)), ...);
        return b.finish({Record{}(b, operands)[Output]});
    }
};

/// Whether a structure can hold expressions, each of which has a type of its own: numbers, and tuples and pairs of such structures.
template <class S>
inline constexpr bool holds_types = leaf_type<S>;
template <class... S>
inline constexpr bool holds_types<std::tuple<S...>> = (holds_types<S> && ...);
template <class A, class B>
inline constexpr bool holds_types<std::pair<A, B>> = holds_types<A> && holds_types<B>;

/// The leaves of a flat tuple, from number `First` on, in the structure of an S; where that cannot hold them, as they are.
template <class S, std::size_t First = 0, class Flat>
constexpr auto in_structure(const Flat& flat) {
    if constexpr (!holds_types<S>) {
        return flat;
    } else if constexpr (leaf_type<S>) {
        return std::get<First>(flat);
    } else if constexpr (requires { typename S::first_type; }) {
        using second = typename S::second_type;
        return std::pair{in_structure<typename S::first_type, First>(flat), in_structure<second, First + structure<S>::size - structure<second>::size>(flat)};
    } else {
        return [&]<class... Part, std::size_t... Item>(std::type_identity<std::tuple<Part...>>, std::index_sequence<Item...>) {
            return std::make_tuple(in_structure<Part, First + leaves_before<Item, Part...>()>(flat)...);
        }(std::type_identity<S>{}, std::make_index_sequence<std::tuple_size_v<S>>{});
    }
}

/// Result number `Output` as an expression.
template <class Record, std::size_t Output, class... E>
constexpr auto recorded_expression(const E&... e) {
    using merged = merged_leaves<typename E::leaves...>;
    using made = recorded_graph<Record, Output, merged, E...>;
    using result = expression_of<made, typename merged::type, (std::size_t{64} + ... + (2 * E::words))>;
    return result::make(merged::values(e.values()...), e...);
}
/// All results, in the structure S (std::array cannot hold them: each has a type of its own).
template <class Record, class S, class... E>
constexpr auto recorded_structure(const std::tuple<E...>& operands) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        const auto results = unpack([](const auto&... e) {
            constexpr bool one_type_a_name = merged_leaves<typename E::leaves...>::agree;
            static_assert(one_type_a_name, DYAD_TWO_TYPES_OF_ONE_NAME);
            if constexpr (one_type_a_name) {
                return std::tuple{recorded_expression<Record, K>(e...)...};
            } else {
                return std::tuple{(static_cast<void>(K), std::get<0>(std::tie(e...)))...}; // one mistake, one message
            }
        }, operands);
        constexpr bool holds = holds_types<S>;
        static_assert(holds, "[dyad] loop: in a function that captures numbers, what goes round, or comes out of a branch, a rule or a transform, is numbers and arrays, in tuples "
                             "or pairs; pass what it captures as arguments, and choose with grad<...>");
        return in_structure<S>(results);
    }(std::make_index_sequence<structure<S>::size>{});
}
template <class Leaf>
inline constexpr bool is_number_leaf = true;
template <eager Leaf>
inline constexpr bool is_number_leaf<Leaf> = rank_of_expression<decltype(to_expression(std::declval<const Leaf&>()))> == 0;

/// What stands for a value that goes round, as number `K` of Body's: with its number type, that of integers and conditions being double.
template <class Body, std::size_t K, class E>
constexpr auto stand_in_round(const E& first) {
    using T = std::conditional_t<real_number<typename E::number_type> && !E::is_condition(), typename E::number_type, double>;
    if constexpr (is_number_leaf<E>) {
        return expression_argument<going_round<Body>, K, T>::make({});
    } else {
        const auto shape = array_among_expressions<E>::template of_shape<T>(first);
        return expression_argument<going_round<Body>, K, std::remove_const_t<decltype(shape)>>::make(shape);
    }
}
/// Those of a state; number 0 is the index.
template <class Body, class... E>
constexpr auto stand_ins(const std::tuple<E...>& first) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        return std::tuple{stand_in_round<Body, K + 1>(std::get<K>(first))...};
    }(std::index_sequence_for<E...>{});
}
template <class Body>
constexpr auto index_in_round() {
    return expression_argument<going_round<Body>, 0, double>::make({});
}

/// Whether a condition, or a number of rounds, is one number, and values that stand for one another have as many axes; says so if not.
template <class Head, class... E, class... Next>
constexpr bool fit_together(const std::tuple<E...>*, const std::tuple<Next...>*) {
    constexpr bool one = is_number_leaf<Head>, same = ((rank_of_expression<E> == rank_of_expression<Next>) && ...);
    static_assert(one, "[dyad] control flow: a condition, or a number of rounds, is an array; reduce it to one number, or choose element by element with where");
    static_assert(same, "[dyad] control flow: the body of a loop gives an array of another rank than what goes round, or a number for an array, or the two functions of cond give such; "
                        "let both have one rank, with sum, expand_dims or broadcast_like");
    return one && same;
}

/// Records a loop from the nodes of: the number of rounds; the index; the stand-ins; their first values; their next ones,
/// and, if it is a while loop (`Repeats`), the condition in the place of the number of rounds.
template <std::size_t Values, bool Repeats, class Stored = stored_steps_constant<storing::values>>
struct record_expression_loop {
    constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
        const node_index index = b.parameter(element::integer);
        list<node_index> first, from{operands[1]};
        for (std::size_t k = 0; k < Values; ++k) {
            from.push_back(operands[2 + k]);
            first.push_back(operands[2 + Values + k]);
        }
        node_index head = operands[0];
        return record_carries(
            b, "loop", first,
            [&](const list<node_index>& parameters) {
                list<node_index> roots, to{index};
                for (const node_index p : parameters) to.push_back(p);
                for (std::size_t k = 0; k < Values; ++k) roots.push_back(operands[2 + 2 * Values + k]);
                if (Repeats) roots.push_back(operands[0]);
                roots = substitute(b, roots, from, to);
                if (Repeats) {
                    head = roots[Values];
                    roots.pop_back();
                }
                return roots;
            },
            [&](node_index chain) {
                return b.add({.op = Repeats ? opcode::repeat : opcode::loop, .operand = {head, chain, 0}, .bits = loop_bits(b[index].bits, false, Stored::value)});
            });
    }
};

template <class... Parts>
constexpr auto flat_operands(const Parts&... parts) {
    return std::tuple_cat(flat_expressions(parts)...);
}

/// A loop of expressions whose body made `next` of `inside`; `head`: the number of rounds, or what decides whether there is one more.
template <class Record, class State, class Head, class Index, class Inside, class First, class Next>
constexpr auto recorded_loop(const Head& head, const Index& index, const Inside& inside, const First& first, const Next& next) {
    if constexpr (fit_together<Head>(static_cast<const First*>(nullptr), static_cast<const Next*>(nullptr))) {
        return recorded_structure<Record, State>(std::tuple_cat(flat_expressions(head), std::tuple{index}, inside, first, next));
    } else {
        return in_structure<State>(first);
    }
}
/// fori_loop of expressions.
template <class Stored, class N, class Body, class State>
constexpr auto expression_loop(const N& n, const Body& body, const State& state) {
    const auto first = flat_expressions(state);
    const auto index = index_in_round<Body>();
    const auto inside = stand_ins<Body>(first);
    const auto next = flat_expressions(body(index, in_structure<State>(inside)));
    return recorded_loop<record_expression_loop<structure<State>::size, false, Stored>, State>(n, index, inside, first, next);
}
/// while_loop of expressions.
template <class Condition, class Body, class State>
constexpr auto expression_while(const Condition& condition, const Body& body, const State& state) {
    const auto first = flat_expressions(state);
    const auto inside = stand_ins<Body>(first);
    const auto now = in_structure<State>(inside);
    const auto next = flat_expressions(body(now));
    return recorded_loop<record_expression_loop<structure<State>::size, true>, State>(condition(now), index_in_round<Body>(), inside, first, next);
}

/// Records a branch from the nodes of the condition and of both functions' results.
template <std::size_t Values>
struct record_expression_branch {
    template <class Rules = every_rule>
    constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
        list<node_index> then, other;
        for (std::size_t k = 0; k < Values; ++k) {
            then.push_back(operands[1 + k]);
            other.push_back(operands[1 + Values + k]);
        }
        return record_branch<Rules>(b, 0, operands[0], then, other);
    }
};
template <class P, class Then, class Other>
constexpr auto expression_branch(const P& predicate, const Then& then, const Other& other) {
    using chosen = decltype(flat_expressions(then));
    using others = decltype(flat_expressions(other));
    if constexpr (fit_together<P>(static_cast<const chosen*>(nullptr), static_cast<const others*>(nullptr))) {
        return recorded_structure<record_expression_branch<structure<Then>::size>, Then>(flat_operands(predicate, then, other));
    } else {
        return then;
    }
}

/// Records a call of a function without state, on arguments of the structures S.
template <class F, class... S>
struct record_expression_call {
    constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
        node_reader read{b, operands};
        std::tuple<traced<S>...> arguments{structure<S>::build(read)...};
        return state_nodes(b, unpack(instance_of<F>(), arguments));
    }
};
template <class F, class Result, class... S>
constexpr auto expression_call(const S&... s) {
    return recorded_structure<record_expression_call<F, S...>, Result>(flat_operands(s...));
}

} // namespace dyad

// ---- dyad/api/transform.hpp
// Functions in, derivative functions out. What comes back is a function object without state of its own:
// constexpr, free of allocation, usable on numbers, on vectors of numbers, and inside other transforms.

// ---- dyad/api/expression_transform.hpp
// Transforms inside functions that are run on expressions: as with loops, the function runs once on variables of its own, what
// it made of them is differentiated, and then they give way to the arguments.

// ---- dyad/api/result.hpp
// From a flat array of results to what the user sees: gradients in the structure of the arguments, values in
// the structure of the function's result, matrices as nested arrays.

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// Hands out values one by one, each in the type of the leaf it is for: a float argument has a float gradient.
template <class V>
struct result_reader {
    const V* next;

    template <class Leaf>
    DYAD_FN DYAD_INLINE constexpr auto operator()() {
        const V value = *next++;
        if constexpr (real_number<Leaf> && number<V>) {
            return static_cast<Leaf>(value);
        } else {
            return value;
        }
    }
};

/// One argument's gradient on its own, several as a tuple.
template <class... S, std::size_t... Item, class V>
DYAD_FN DYAD_INLINE constexpr auto gradient_result(positions<Item...>, const V* values) {
    using arguments = std::tuple<S...>;
    result_reader<V> read{values};
    if constexpr (sizeof...(Item) == 1) {
        return (structure<std::tuple_element_t<Item, arguments>>::build(read), ...);
    } else {
        return structure<std::tuple<std::tuple_element_t<Item, arguments>...>>::build(read);
    }
}

/// The function's result `R`, leaf by leaf.
template <class R, class V>
DYAD_FN DYAD_INLINE constexpr auto value_result(const V* values) {
    result_reader<V> read{values};
    return structure<R>::build(read);
}

/// The arguments chosen for differentiation are one plain number.
template <class... S, std::size_t... Item>
constexpr bool one_plain_number(positions<Item...>) {
    using arguments = std::tuple<S...>;
    return sizeof...(Item) == 1 && (leaf_type<std::tuple_element_t<Item, arguments>> && ...);
}

/// Whether there are arguments at the positions; says why not.
template <std::size_t Count, std::size_t... Item>
constexpr bool has_arguments(positions<Item...>) {
    constexpr bool there = ((Item < Count) && ...);
    static_assert(there, DYAD_NO_POSITION);
    return there;
}
template <std::size_t Count>
constexpr bool has_arguments(only_position) {
    static_assert(Count == 1, "[dyad] derivative: it is that of a function of one argument; use grad<...> by one of several, or jacobian");
    return Count == 1;
}
template <class Wrt>
inline constexpr bool is_one_position = false;
template <std::size_t Item>
inline constexpr bool is_one_position<positions<Item>> = true;

template <class... S, std::size_t... Item>
constexpr std::size_t chosen_leaves(positions<Item...>) {
    using arguments = std::tuple<S...>;
    return (std::size_t{0} + ... + structure<std::tuple_element_t<Item, arguments>>::size);
}

/// `rows` by `columns`, without the dimension that a single plain number has not.
template <bool PlainRows, bool PlainColumns, std::size_t Rows, std::size_t Columns, class V>
DYAD_FN DYAD_INLINE constexpr auto matrix_result(const V* values) {
    if constexpr (PlainRows && PlainColumns) {
        return values[0];
    } else if constexpr (PlainRows || PlainColumns) {
        std::array<V, Rows * Columns> line;
        copy_numbers<Rows * Columns>(values, line.data());
        return line;
    } else {
        std::array<std::array<V, Columns>, Rows> matrix;
        DYAD_UNROLL_SMALL
        for (std::size_t i = 0; i < Rows; ++i) copy_numbers<Columns>(values + i * Columns, matrix[i].data());
        return matrix;
    }
}

} // namespace dyad
DYAD_BOTH_SIDES_END

// ---- dyad/trace/literals.hpp
// Compile-time constants for eager expressions: 2_c, 0.5_c, 1e-3_c.

namespace dyad {

/// The value of a decimal literal's characters: whole digits, a fraction, an exponent; digit separators. Exact
/// for up to 19 digits and small exponents in long double, then rounded once.
template <char... C>
constexpr double decimal_value() {
    constexpr char text[] = {C..., '\0'};
    long double mantissa = 0;
    int scale = 0, exponent = 0, sign = 1;
    bool fraction = false;
    std::size_t i = 0;
    for (; text[i] != '\0' && text[i] != 'e' && text[i] != 'E'; ++i) {
        if (text[i] == '\'') continue;
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        mantissa = 10 * mantissa + (text[i] - '0');
        scale -= fraction ? 1 : 0;
    }
    if (text[i] != '\0') ++i;
    for (; text[i] != '\0'; ++i) {
        if (text[i] == '-') sign = -1;
        if (text[i] >= '0' && text[i] <= '9') exponent = 10 * exponent + (text[i] - '0');
    }
    scale += sign * exponent;
    long double power = 1;
    for (int k = scale < 0 ? -scale : scale; k > 0; --k) power *= 10;
    return static_cast<double>(scale < 0 ? mantissa / power : mantissa * power);
}

/// A graph that is one constant.
template <std::uint64_t Bits>
struct single_constant {
    constexpr dyad::graph operator()() const {
        builder b;
        const node_index c = b.constant(exact(std::bit_cast<double>(Bits)));
        return b.finish({c});
    }
};

/// An expression that is a compile-time constant, such as 2.5_c, or an axis, 0_c.
template <class E>
inline constexpr bool is_constant_expression = false;
template <auto Code>
inline constexpr bool is_constant_expression<expr<Code>> = true;

/// A constant such as 1_c as a number, which traced values take; a whole one, as an axis.
template <class X>
constexpr auto number_of_constant() {
    constexpr double value = [] {
        const dyad::graph g = decode(X::coded);
        return constant_value(g.nodes.at[g.outputs.at[0]]).high;
    }();
    constexpr bool fits = value > -0x1p31 && value < 0x1p31;
    if constexpr (constexpr int whole = fits ? static_cast<int>(value) : 0; fits && value == static_cast<double>(whole)) {
        return whole;
    } else {
        return value;
    }
}
template <class X>
constexpr decltype(auto) without_constant(const X& x) {
    if constexpr (is_constant_expression<X>) {
        return number_of_constant<X>();
    } else {
        return x;
    }
}

/// What a variable beside a traced value is: its type, not its value. (A constexpr function must have a way that returns.)
template <class X>
constexpr tracer refused_beside_traced(const X&) {
    constexpr bool value = true;
    if (value) throw value_error("[dyad] expression: a variable stands beside a traced value; pass it as an argument");
    return {};
}
/// Constants beside traced values are numbers. A variable cannot stand there, whose value no trace knows; but its type can, see
/// `captures_traced`.
template <opcode Op, class Attribute, class... X>
    requires((eager<X> || ...) && (traced_value<X> || ...))
constexpr tracer apply_symbolic(op_constant<Op> op, [[maybe_unused]] Attribute attribute, [[maybe_unused]] const X&... x) {
    if constexpr (((eager<X> && !is_constant_expression<X>) || ...)) {
        return refused_beside_traced(op);
    } else if constexpr (std::is_same_v<Attribute, int>) {
        return apply_symbolic(op, attribute, without_constant(x)...);
    } else {
        return apply_symbolic(op, Attribute::value, without_constant(x)...);
    }
}

namespace literals {

/// `x * x * y + 1_c`: the constant is part of the type, folds, and prints.
template <char... C>
constexpr auto operator""_c() {
    constexpr bool plain = ((C != 'x' && C != 'X' && C != 'b' && C != 'B') && ...);
    static_assert(plain, "[dyad] literal: only decimal numbers can be constants; write 255_c for 0xff_c");
    constexpr double value = decimal_value<C...>();
    using made = single_constant<std::bit_cast<std::uint64_t>(value)>;
    return expression_of<made, leaf_list<>, 4>::make(flat_tuple<>{});
}

} // namespace literals
} // namespace dyad

namespace dyad {

/// A number, a condition or an array's shape in place of an expression; what else there is remains.
struct value_maker {
    template <class Leaf>
    constexpr auto operator()() const {
        if constexpr (!eager<Leaf>) {
            return static_cast<Leaf (*)()>(nullptr)(); // (never called: of types alone, which may be views)
        } else {
            using expression = decltype(to_expression(std::declval<const Leaf&>()));
            using number = std::conditional_t<expression::is_condition(), bool, typename expression::number_type>;
            if constexpr (is_number_leaf<Leaf>) {
                return number{};
            } else {
                return typename array_among_expressions<Leaf>::template value<number>{};
            }
        }
    }
};
template <class S, bool Eager>
struct values_in_place {
    using type = S;
};
template <class S>
struct values_in_place<S, true> {
    using type = built<S, value_maker>;
};
/// S with values in place of expressions.
template <class S>
using values_in = typename values_in_place<S, has_eager<S>>::type;

/// The values: of arrays, their shapes alone; of numbers, any.
template <class S>
constexpr auto value_in_place(const S& s) {
    if constexpr (!has_array<values_in<S>>) {
        return values_in<S>{};
    } else if constexpr (leaf_type<S>) {
        return array_among_expressions<S>::of_shape(s);
    } else if constexpr (requires { s.first; }) {
        return std::pair{value_in_place(s.first), value_in_place(s.second)};
    } else {
        return unpack([](const auto&... part) { return std::make_tuple(value_in_place(part)...); }, s);
    }
}

/// Whether a transform of F is one of expressions: some are among the arguments, or what F captures makes its result one.
template <class F, class... S>
constexpr bool runs_on_expressions() {
    if constexpr (has_eager<S...>) {
        return true;
    } else if constexpr (has_device_array<S...>) {
        return false;
    } else {
        return captures_argument<F, S...>();
    }
}
/// Whether a function of numbers has a result of one number where transform K asks for it; says if not.
template <transform K, class F, class... V>
constexpr bool gives_number_where_asked() {
    if constexpr (is(K, transform::value) || is(K, transform::jvp) || is(K, transform::vjp) || is(K, transform::jacobian)) {
        return true;
    } else {
        constexpr bool number = [] {
            if constexpr (stateless<F>) {
                constexpr graph_view g = traced_program<F, policy_of<F>(), V...>::graph.view();
                return g[g.outputs[0]].rank == 0;
            } else if constexpr (runs_traced<F, V...>) {
                return true; // (the trace asks)
            } else {
                return is_number_leaf<typename call_on_expressions<F, V...>::type>;
            }
        }();
        static_assert(number, "[dyad] grad: the function must return one number; reduce it with sum or mean, or use jacobian, jvp or vjp");
        return number;
    }
}
/// Whether there is transform K of F for expressions of such values, arrays among them; says why not.
template <transform K, class Wrt, class F, class... V>
constexpr bool usable_on_expressions() {
    if constexpr (!has_array<V...>) {
        if constexpr (usable<F, V...>()) return gives_number_where_asked<K, F, V...>();
        return false;
    } else if constexpr (has_device_array<V...> || is(K, transform::jacobian) || is(K, transform::hessian)) {
        static_assert(never<F>, DYAD_NO_EXPRESSIONS);
        return false;
    } else {
        return backend_for<K, Wrt, F, V...>::ready_checks::template ready<V...>(Wrt{});
    }
}
#undef DYAD_NO_EXPRESSIONS

/// Whether expressions among arguments, or directions, stand beside traced values, also captured ones: then the transform is one of those.
template <class F, class Directions, class... S>
constexpr bool stand_beside_traced() {
    if constexpr (!has_eager<Directions, S...>) {
        return false;
    } else if constexpr (has_leaf<tracer, Directions, S...>) {
        return true;
    } else {
        return captures_traced<F, values_in<S>...>();
    }
}
/// An argument as it stands there: constants such as 2_c are numbers. Of variables only the type is asked for (captures_traced).
template <class S>
constexpr auto beside_traced(const S& s) {
    if constexpr (!has_eager<S>) {
        return s;
    } else if constexpr (is_constant_expression<S>) {
        return static_cast<double>(number_of_constant<S>());
    } else if constexpr (leaf_type<S>) {
        return refused_beside_traced(s);
    } else if constexpr (requires { s.first; }) {
        return std::pair{beside_traced(s.first), beside_traced(s.second)};
    } else {
        return unpack([](const auto&... part) { return std::make_tuple(beside_traced(part)...); }, s);
    }
}

template <class F, class... S>
constexpr auto stand_ins_for(const S&... s) {
    return expression_arguments<going_round<F, values_in<S>...>>(value_in_place(s)...);
}
template <class F, class... S>
struct result_at {
    using type = result_of<F, S...>;
};
template <class F, class... S>
    requires(!stateless<F> && runs_on_expressions<F, S...>())
struct result_at<F, S...> : call_with_expressions<F, decltype(stand_ins_for<F>(std::declval<const S&>()...))> {};
template <class F, class... S>
    requires(has_eager<S...> && stateless<F>)
struct result_at<F, S...> {
    using type = traced_result<F, values_in<S>...>;
};
/// What `f` returns for arguments of which some may be expressions, in a structure of any leaves.
template <class F, class... S>
using result_in_expressions = typename result_at<F, S...>::type;

/// Records transform K of what a function made of stand-ins, from the nodes of: these; the arguments; the results; the directions.
template <transform K, class By, std::size_t Results, class... S>
struct record_expression_transform {
    template <class Rules = every_rule> // (clang would instantiate derive, with every rule, where it reads a call that nothing leaves open)
    constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
        constexpr std::size_t leaves = leaf_count<S...>;
        list<node_index> from, to, results, directions, by;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            list<node_index>& part = k < leaves ? from : k < 2 * leaves ? to : k < 2 * leaves + Results ? results : directions;
            part.push_back(operands[k]);
        }
        for (const std::uint32_t k : inputs_at<S...>(By{})) by.push_back(from[k]);
        return substitute(b, derive<Rules>(b, K, results, by, directions), from, to);
    }
};
/// The same of a function without state, which is traced, from the nodes of: the arguments; the directions.
template <transform K, class By, class F, class... S>
struct record_traced_transform {
    constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
        node_reader read{b, operands};
        std::tuple<traced<S>...> arguments{structure<S>::build(read)...};
        list<node_index> directions;
        for (std::size_t k = leaf_count<S...>; k < operands.size(); ++k) directions.push_back(operands[k]);
        return unpack([&](const auto&... s) { return nested_transform<K, By>(b, instance_of<F>(), directions, s...); }, arguments);
    }
};

/// Transform K of `f` as expressions in the structure of a `Result`.
template <transform K, class By, class Result, class F, class... D, class... S>
constexpr auto expression_transform(const F& f, const std::tuple<D...>& directions, const S&... s) {
    has_policy_of_expressions<F>();
    check_call<F, S...>(By{});
    const auto along = flat_expressions(directions);
    if constexpr (stateless<F>) {
        return recorded_structure<record_traced_transform<K, By, F, S...>, Result>(std::tuple_cat(flat_operands(s...), along));
    } else {
        const auto inside = stand_ins_for<F>(s...);
        const auto results = flat_expressions(unpack(f, inside));
        using record = record_expression_transform<K, By, std::tuple_size_v<std::remove_const_t<decltype(results)>>, S...>;
        return recorded_structure<record, Result>(std::tuple_cat(flat_expressions(inside), flat_operands(s...), results, along));
    }
}

} // namespace dyad

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// Transform `K` of `F` with respect to the arguments at the positions `Wrt` (all, if none are named).
template <transform K, class Wrt, class F>
class transformed {
public:
    static constexpr policy rewriting = policy_of<F>();

    constexpr transformed() = default;
    constexpr explicit transformed(F f) : f_(std::move(f)) {}

    /// What it is the derivative of.
    [[nodiscard]] constexpr const F& function() const { return f_; }

    template <class... S>
    DYAD_FN DYAD_INLINE constexpr auto operator()(const S&... s) const {
        if constexpr (!repeats_by_a_number<S...>()) {
            return instead_of_result(s...);
        } else if constexpr (has_array<S...> && !runs_on_expressions<F, S...>()) {
            return backend_for<K, Wrt, F, S...>::run(f_, s...);
        } else if constexpr (!has_arguments<sizeof...(S)>(Wrt{})) {
            return instead_of_result(s...); // one mistake, one message
        } else if constexpr (stand_beside_traced<F, std::tuple<>, S...>()) {
            return (*this)(beside_traced(s)...);
        } else if constexpr (runs_on_expressions<F, S...>()) {
            return of_expressions(s...);
        } else if constexpr (transform_makes_arrays<F, S...>()) {
            return of_made_arrays(s...);
        } else if constexpr (usable<F, S...>()) {
            if constexpr (makes_arrays<F, S...>()) {
                return of_made_arrays(s...);
            } else {
                const auto results = run_transform<K, wrt<S...>>(f_, std::tuple<>{}, s...);
                return shaped<result_of<F, S...>, S...>(results.data());
            }
        } else {
            return instead_of_result(s...);
        }
    }

private:
    template <class... S>
    using wrt = typename chosen_positions<Wrt, sizeof...(S)>::type;

    template <class... S>
    constexpr auto of_expressions(const S&... s) const {
        if constexpr (usable_on_expressions<K, wrt<S...>, F, values_in<S>...>()) {
            using result = decltype(shaped<result_in_expressions<F, S...>, values_in<S>...>(std::declval<const tracer*>()));
            return expression_transform<K, wrt<S...>, result>(f_, std::tuple<>{}, s...);
        } else {
            return instead_of_result(s...);
        }
    }
    /// A function of numbers that works with arrays.
    template <class... S>
    auto of_made_arrays(const S&... s) const {
        if constexpr (order_of(K) > 1) {
            return derivative_of_derivative<order_of(K) - 1>(transformed<transform::gradient, Wrt, F>(f_))(s...);
        } else {
            return backend_for<K, Wrt, F, S...>::run(f_, s...);
        }
    }
    template <int More, class G>
    static auto derivative_of_derivative(const G& g) {
        if constexpr (More == 0) {
            return g;
        } else {
            return derivative_of_derivative<More - 1>(transformed<transform::gradient, Wrt, G>(g));
        }
    }
    /// Whether the result can be differentiated as often as it is to be; says so where it is by several numbers.
    template <class... S>
    static constexpr bool repeats_by_a_number() {
        constexpr bool numbers = order_of(K) <= 0 || (!has_array<values_in<S>...> && (leaf_type<S> && ...));
        static_assert(numbers, "[dyad] derivative: it is by one number; for arrays and structures take grad, jacobian or hessian");
        return numbers;
    }
    /// The results of transform K of a function that returns a `result`.
    template <class result, class... S, class V>
    DYAD_FN DYAD_INLINE static constexpr auto shaped(const V* values) {
        using by = wrt<S...>;
        constexpr std::size_t rows = structure<result>::size, columns = chosen_leaves<S...>(by{});
        constexpr bool plain = one_plain_number<S...>(by{});
        constexpr bool number_wanted = is(K, transform::gradient) || is(K, transform::value_and_gradient) ||
                                       is(K, transform::hessian) || order_of(K) > 0;
        static_assert(!number_wanted || leaf_type<result>,
                      "[dyad] grad: the function must return one number; use jacobian, jvp or vjp");
        if constexpr (is(K, transform::gradient) || order_of(K) > 0) {
            return gradient_result<S...>(by{}, values);
        } else if constexpr (is(K, transform::value_and_gradient)) {
            return std::make_pair(values[0], gradient_result<S...>(by{}, values + 1));
        } else if constexpr (is(K, transform::jacobian)) {
            return matrix_result<leaf_type<result>, plain, rows, columns>(values);
        } else {
            return matrix_result<plain, plain, columns, columns>(values);
        }
    }

    [[no_unique_address]] F f_;
};

/// The gradient of `f`: one result for each argument, or for those at the positions `Item...`.
/// Example: `grad([](auto x) { return x * x * x; })(2.0) == 12.0`.
template <std::size_t... Item, class F>
constexpr auto grad(F f) {
    return transformed<transform::gradient, positions<Item...>, F>(std::move(f));
}

/// The value of `f` and its gradient, as a pair, in one pass.
/// Example: `auto [value, gradient] = value_and_grad(f)(1.5, 2.0);`
template <std::size_t... Item, class F>
constexpr auto value_and_grad(F f) {
    return transformed<transform::value_and_gradient, positions<Item...>, F>(std::move(f));
}

/// J[i][j] = ∂fᵢ/∂xⱼ, the leaves of result and arguments in order; a single plain number has no index.
template <std::size_t... Item, class F>
constexpr auto jacobian(F f) {
    return transformed<transform::jacobian, positions<Item...>, F>(std::move(f));
}

/// H[i][j] = ∂²f/∂xᵢ∂xⱼ over all leaves of the arguments; a single plain number has no index.
template <std::size_t... Item, class F>
constexpr auto hessian(F f) {
    return transformed<transform::hessian, positions<Item...>, F>(std::move(f));
}

/// dᴺf/dxᴺ of a function of one number, in a number of operations that grows like a power of N (pass/higher_order.hpp); through loops, branches
/// and rules it is the derivative of the derivative, whose operations multiply with each order. Example: `derivative<3>(g)(2.0)`.
template <int N = 1, class F>
constexpr auto derivative(F f) {
    static_assert(N >= 0, "[dyad] derivative: the order must not be negative");
    if constexpr (N <= 0) {
        return f;
    } else if constexpr (N == 1) {
        return transformed<transform::gradient, only_position, F>(std::move(f));
    } else {
        return transformed<derivative_of_order(N), only_position, F>(std::move(f));
    }
}

/// `F` with a policy of its own for the passes.
template <policy P, class F>
struct with_policy {
    static constexpr policy rewriting = P;
    [[no_unique_address]] F f;

    template <class... S>
    constexpr auto operator()(const S&... s) const {
        return f(s...);
    }
};

/// `f` with only those rewrites that keep every bit of an IEEE result: `grad(strict(f))`.
template <class F>
constexpr auto strict(F f) {
    return with_policy<policy::strict, F>{std::move(f)};
}

/// `f` with no rewriting at all: `grad(verbatim(f))`.
template <class F>
constexpr auto verbatim(F f) {
    return with_policy<policy::verbatim, F>{std::move(f)};
}

} // namespace dyad
DYAD_BOTH_SIDES_END

namespace dyad {

/// Whether a structure is made of plain numbers alone.
template <class... Leaves>
constexpr bool are_plain(std::type_identity<std::tuple<Leaves...>>) {
    return (std::is_arithmetic_v<Leaves> && ...);
}
template <class S>
concept plain_structure = are_plain(std::type_identity<leaf_types<S>>{});

/// Whether the function `F` of a loop over a plain State, called with C... and the state, meets traced values in what it
/// captures: it returns some, or takes no other state.
template <class F, class State, class... C>
constexpr bool meets_traced() {
    if constexpr (std::is_invocable_v<const F&, const C&..., const State&>) {
        using result = std::remove_cvref_t<std::invoke_result_t<const F&, const C&..., const State&>>;
        if constexpr (std::is_void_v<result>) return false;
        if constexpr (!std::is_void_v<result>) return has_leaf<tracer, result>;
    } else if constexpr (plain_structure<State>) {
        return std::is_invocable_v<const F&, std::conditional_t<true, tracer, C>&..., traced<State>&>;
    } else {
        return false;
    }
}
/// Whether a loop has to be recorded. The functions are asked only where the types do not say it: what comes back round may
/// be traced, and a body that makes a std::array of that and of plain numbers does not compile for a plain state.
template <class N, class State, class Body>
constexpr bool records_rounds() {
    if constexpr (has_leaf<tracer, State> || traced_value<N>) {
        return true;
    } else {
        return meets_traced<Body, State, int>();
    }
}
template <class State, class Condition, class Body>
constexpr bool records_repeat() {
    if constexpr (has_leaf<tracer, State>) {
        return true;
    } else if constexpr (meets_traced<Condition, State>()) {
        return true;
    } else {
        return meets_traced<Body, State>();
    }
}

/// What goes round a loop of plain or active values: the state's type, or that of what the body makes of it.
template <class State, class Next>
struct round_type {
    using type = State;
};
template <number State, number Next>
struct round_type<State, Next> {
    using type = std::common_type_t<State, Next>;
};
template <number Next>
struct round_type<bool, Next> {
    using type = Next; // a condition beside numbers is one
};
template <symbolic Next>
struct round_type<bool, Next> : round_type<int, Next> {};
template <number State, symbolic Next>
struct round_type<State, Next> {
    using type = Next;
};
template <number State, symbolic Next>
    requires requires { typename Next::result_type; }
struct round_type<State, Next> {
    using type = typename Next::result_type; // of an operation that a tape has not computed yet
};
template <symbolic State, class Next>
    requires requires { typename State::result_type; }
struct round_type<State, Next> {
    using type = typename State::result_type;
};

/// N parts in a std::tuple, std::pair or std::array: a body may return one of them for another.
template <class Next, std::size_t N>
concept has_parts = requires { requires std::tuple_size<Next>::value == N; };
template <class State, class Next, std::size_t K>
using round_part = typename round_type<State, std::tuple_element_t<K, Next>>::type;

template <class... State, has_parts<sizeof...(State)> Next>
struct round_type<std::tuple<State...>, Next> {
    template <std::size_t... K>
    static auto parts(std::index_sequence<K...>) -> std::type_identity<std::tuple<round_part<State, Next, K>...>>;
    using type = typename decltype(parts(std::index_sequence_for<State...>{}))::type;
};
template <class A, class B, has_parts<2> Next>
struct round_type<std::pair<A, B>, Next> {
    using type = std::pair<round_part<A, Next, 0>, round_part<B, Next, 1>>;
};
template <class State, std::size_t N, class Next>
struct round_type<std::array<State, N>, std::array<Next, N>> {
    using type = std::array<typename round_type<State, Next>::type, N>;
};
/// The elements of an array have one type, which fits all parts.
template <class State, class First, class... Rest>
struct element_of_round : element_of_round<typename round_type<State, First>::type, Rest...> {};
template <class State, class Last>
struct element_of_round<State, Last> : round_type<State, Last> {};
template <class State, std::size_t N, class... Next>
    requires(N > 0 && sizeof...(Next) == N)
struct round_type<std::array<State, N>, std::tuple<Next...>> {
    using type = std::array<typename element_of_round<State, Next...>::type, N>;
};
template <class State, class A, class B>
struct round_type<std::array<State, 2>, std::pair<A, B>> {
    using type = std::array<typename element_of_round<State, A, B>::type, 2>;
};
template <template <class...> class Aggregate, class... State, class... Next>
    requires(!std::same_as<Aggregate<State...>, Aggregate<Next...>> && std::is_aggregate_v<Aggregate<State...>>)
struct round_type<Aggregate<State...>, Aggregate<Next...>> {
    using type = Aggregate<typename round_type<State, Next>::type...>;
};
template <template <class, auto> class Aggregate, class State, class Next, auto N>
    requires(!std::same_as<State, Next> && std::is_aggregate_v<Aggregate<State, N>> && !has_parts<Aggregate<State, N>, N>)
struct round_type<Aggregate<State, N>, Aggregate<Next, N>> {
    using type = Aggregate<typename round_type<State, Next>::type, N>;
};

/// The type that stays as it goes round: what becomes of a part may be what another part becomes a round later.
template <class Body, class State, class... Before>
struct settled_round {
    using next = typename round_type<State, std::remove_cvref_t<std::invoke_result_t<const Body&, Before..., const State&>>>::type;
    using type = typename std::conditional_t<std::same_as<next, State>, std::type_identity<State>, settled_round<Body, next, Before...>>::type;
};

/// What goes round, in the type that does: part by part, as there is no conversion between arrays or aggregates of numbers.
template <class To, class From>
constexpr To as_round(const From& from) {
    if constexpr (std::is_convertible_v<const From&, To>) {
        return from;
    } else if constexpr (requires { at_rest<From>::made(from); }) {
        return as_round<To>(at_rest<From>::made(from));
    } else {
        auto parts = parts_of(from);
        return [&]<std::size_t... Item>(std::index_sequence<Item...>) {
            To to{};
            auto&& places = parts_of(to);
            ((std::get<Item>(places) = as_round<std::remove_cvref_t<decltype(std::get<Item>(places))>>(std::get<Item>(parts))), ...);
            return to;
        }(std::make_index_sequence<std::tuple_size_v<decltype(parts)>>{});
    }
}

enum class loop_kind { rounds, condition, repeat, scan };
DYAD_COMPARED(loop_kind)

/// Whether a function is one that a loop over a State can call with S; each loop has its own sentence where it is not. What
/// goes round keeps its structure.
template <loop_kind Kind, class State, class Body, class... S>
constexpr bool is_body() {
    constexpr bool takes = std::is_invocable_v<const Body&, S...>;
    static_assert(takes || !is(Kind, loop_kind::rounds), "[dyad] fori_loop: the body cannot be called so; it takes the number of the round and the state: body(i, state)");
    static_assert(takes || !is(Kind, loop_kind::condition), "[dyad] while_loop: the condition cannot be called so; it takes the state: condition(state)");
    static_assert(takes || !is(Kind, loop_kind::repeat), "[dyad] while_loop: the body cannot be called so; it takes the state: body(state)");
    static_assert(takes || !is(Kind, loop_kind::scan), "[dyad] scan: the body cannot be called so; it takes the state and an element: body(state, x)");
    if constexpr (takes) {
        using result = std::remove_cvref_t<std::invoke_result_t<const Body&, S...>>;
        if constexpr (already_refused<result>) {
            return false; // (what was refused has its message)
        } else if constexpr (is(Kind, loop_kind::condition)) {
            constexpr bool decides = leaf_type<result> || std::is_constructible_v<bool, result>;
            static_assert(decides, "[dyad] while_loop: the condition must return whether to go on, as one comparison does");
            return decides;
        } else if constexpr (std::is_void_v<result> && !is(Kind, loop_kind::scan)) {
            static_assert(!std::is_void_v<result>, "[dyad] loop: the body returns nothing; return the next state");
            return false;
        } else {
            constexpr bool is_result = !is(Kind, loop_kind::scan) || requires { requires std::tuple_size<result>::value == 2; };
            static_assert(is_result, "[dyad] scan: the body must return a pair, the next state and what is kept of the round: std::pair{state, y}");
            if constexpr (is_result) {
                using next = std::conditional_t<is(Kind, loop_kind::scan), std::tuple_element<0, result>, std::type_identity<result>>;
                constexpr bool same = same_structure<State, std::remove_cvref_t<typename next::type>>();
                static_assert(same, "[dyad] loop: the body returns another number of values than go round, or another structure; return the state's structure");
                return same;
            }
            return is_result;
        }
    }
    return takes;
}
/// Whether a function can be called with S, and returns something.
template <class F, class... S>
concept returns_value = std::is_invocable_v<const F&, const S&...> && !std::is_void_v<std::invoke_result_t<const F&, const S&...>>;
template <class F, class G, class... S>
constexpr bool is_branched() {
    constexpr bool takes = std::is_invocable_v<const F&, const S&...> && std::is_invocable_v<const G&, const S&...>;
    static_assert(takes, "[dyad] cond: the functions cannot be called so; both take the arguments: cond(predicate, f, g, args...)");
    if constexpr (takes) {
        constexpr bool returns = returns_value<F, S...> && returns_value<G, S...>;
        static_assert(returns, "[dyad] cond: a function returns nothing; both return what is chosen");
        if constexpr (returns) {
            using then = std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>;
            using other = std::remove_cvref_t<std::invoke_result_t<const G&, const S&...>>;
            constexpr bool same = same_structure<then, other>();
            static_assert(same, "[dyad] cond: the two functions return different numbers of values, or different structures; return the same structure from both");
            return same;
        }
        return returns;
    }
    return takes;
}

/// What a loop keeps for its backward pass, and so what that computes again (docs/control-flow.md): as a last argument of
/// fori_loop and scan. n rounds, the states before them:
///
/// store_values      what the adjoint needs of each round; computes little again, nothing that is dear. The default.
/// store_every<k>    at most ceil(n / k) + k - 1 states; computes each round once more, at most
/// store_sqrt        the same with k = ceil(sqrt n): fewer than 2 sqrt(n) + 1 states
/// store_within<b>   as many states as b bytes hold; computes again as few rounds as possible
///
/// The states of nested derivatives in forward mode are stored likewise; a reverse mode of the reverse mode keeps all rounds.
/// A store_within whose bytes hold no state does not compile; of arrays it throws value_error with both numbers.
inline constexpr stored_steps_constant<storing::values> store_values{};
template <std::size_t Rounds>
    requires(Rounds > 0)
inline constexpr stored_steps_constant<storing::every, Rounds> store_every{};
inline constexpr stored_steps_constant<storing::square_root> store_sqrt{};
template <std::size_t Bytes>
    requires(Bytes > 0)
inline constexpr stored_steps_constant<storing::within, Bytes> store_within{};

template <class S>
concept steps_to_store = requires { { S::value } -> std::same_as<const stored_steps&>; };

/// The loop of fori_loop, in a trace.
template <class N, class Body, class State>
constexpr auto record_rounds(const N& n, const Body& body, const State& state, stored_steps stored) {
    builder* home = home_of(state, tracer(n));
    auto now = as_traced(state);
    if (home == nullptr) home = home_of(body(tracer(0), now));
    if (home == nullptr) { // numbers only: an ordinary loop
        for (std::ptrdiff_t i = 0, rounds = rounds_of(tracer(n).literal().high); i < rounds; ++i) now = as_traced_like<State>(body(tracer(static_cast<double>(i)), now));
        return now;
    }
    builder& b = *home;
    const node_index rounds = one_number(b, tracer(n).in(b));
    if (b.is_constant(rounds) && !(constant_value(b[rounds]).high >= 0))
        throw value_error("[dyad] fori_loop: the number of rounds is negative");
    const node_index index = b.parameter(element::integer);
    b.loop_indices.push_back(index);
    b.loop_rounds.push_back(rounds);
    return structured<State>(b, record_carries(
        b, "fori_loop", state_nodes(b, state),
        [&](const list<node_index>& parameters) {
            auto inside = structured<State>(b, parameters);
            return state_nodes(b, body(tracer(b, index), inside));
        },
        [&](node_index chain) {
            return b.add({.op = opcode::loop, .operand = {rounds, chain, 0}, .bits = loop_bits(b[index].bits, false, stored)});
        }));
}

/// state = body(i, state) for i = 0, 1 ... n - 1; the state is a number, an array, or a tuple, std::array or aggregate of
/// such. `n` may be known at run time only, and is not differentiated. Reverse mode keeps a few numbers of each round
/// (docs/control-flow.md says which), or what `stored` says.
/// Throws value_error if n is negative or not whole.
/// Example: `fori_loop(n, [&](auto i, auto s) { return s + x / (i + 1); }, 0.0)`
template <class N, class Body, class State, steps_to_store Stored = decltype(store_values)>
constexpr auto fori_loop(const N& n, const Body& body, const State& state, Stored stored = {}) {
    constexpr bool counts = operand<N> || std::is_convertible_v<const N&, double>;
    static_assert(counts, "[dyad] fori_loop: the number of rounds is a number, or one that is traced");
    if constexpr (!counts) {
        return state;
    } else if constexpr (!is_at_rest<State>) { // numbers of a tape go round, not formulas of them
        return fori_loop(n, body, rested(state), stored);
    } else if constexpr (records_rounds<N, State, Body>()) {
        if constexpr (!is_body<loop_kind::rounds, State, Body, tracer&, traced<State>&>()) {
            return state;
        } else {
            return record_rounds(n, body, state, stored.value);
        }
    } else if constexpr (!is_body<loop_kind::rounds, State, Body, int, const State&>()) {
        return state;
    } else if constexpr (has_eager<N, State, std::remove_cvref_t<std::invoke_result_t<const Body&, int, const State&>>>) {
        return expression_loop<Stored>(n, body, state);
    } else {
        const auto rounds = rounds_of(static_cast<double>(n));
        if (rounds > std::numeric_limits<int>::max()) refuse_rounds(static_cast<double>(n), std::ptrdiff_t{std::numeric_limits<int>::max()} + 1);
        using round = typename settled_round<Body, State, int>::type;
        auto now = as_round<round>(state);
        for (std::ptrdiff_t i = 0; i < rounds; ++i) now = as_round<round>(body(static_cast<int>(i), now));
        return now;
    }
}
template <class N, class Body, class State, class Other, class... More>
    requires(!steps_to_store<Other> || sizeof...(More) > 0)
constexpr auto fori_loop(const N&, const Body&, const State&, const Other& other, const More&...) {
    static_assert(never<Other>, "[dyad] fori_loop: it takes the number of rounds, the body and the state, and what it stores: fori_loop(n, body, state) or "
                                "fori_loop(n, body, state, store_every<16>); the index counts from 0");
    return other;
}

/// The loop of while_loop, in a trace.
template <class Condition, class Body, class State>
constexpr auto record_while(const Condition& condition, const Body& body, const State& state) {
    builder* home = home_of(state);
    auto now = as_traced(state);
    if (home == nullptr) home = home_of(condition(now));
    if (home == nullptr) home = home_of(body(now));
    if (home == nullptr) { // numbers only: an ordinary loop
        while (!tracer(condition(now)).is_literal(0)) now = as_traced_like<State>(body(now));
        return now;
    }
    builder& b = *home;
    const node_index counter = b.parameter(element::integer);
    node_index holds = no_node;
    return structured<State>(b, record_carries(
        b, "while_loop", state_nodes(b, state),
        [&](const list<node_index>& parameters) {
            auto inside = structured<State>(b, parameters);
            holds = one_number(b, tracer(condition(inside)).in(b));
            return state_nodes(b, body(inside));
        },
        [&](node_index chain) {
            return b.add({.op = opcode::repeat, .operand = {holds, chain, 0}, .bits = b[counter].bits << 1});
        }));
}

/// While condition(state): state = body(state). The number of rounds may depend on what is differentiated: the derivative
/// is that of the rounds that run. Reverse mode keeps a few numbers of each round, in memory that grows.
/// Example: Newton's method, `while_loop([&](auto y) { return abs(y * y - x) > 1e-12; }, [&](auto y) { return (y + x / y) / 2; }, x)`
template <class Condition, class Body, class State>
constexpr auto while_loop(const Condition& condition, const Body& body, const State& state) {
    if constexpr (!is_at_rest<State>) {
        return while_loop(condition, body, rested(state));
    } else if constexpr (records_repeat<State, Condition, Body>()) {
        if constexpr (!is_body<loop_kind::condition, State, Condition, traced<State>&>() || !is_body<loop_kind::repeat, State, Body, traced<State>&>()) {
            return state;
        } else {
            return record_while(condition, body, state);
        }
    } else if constexpr (!is_body<loop_kind::condition, State, Condition, const State&>() || !is_body<loop_kind::repeat, State, Body, const State&>()) {
        return state;
    } else if constexpr (has_eager<State, std::remove_cvref_t<std::invoke_result_t<const Body&, const State&>>>) {
        return expression_while(condition, body, state);
    } else {
        using round = typename settled_round<Body, State>::type;
        auto now = as_round<round>(state);
        while (condition(now)) now = as_round<round>(body(now));
        return now;
    }
}

/// f(args...) if the predicate holds, else g(args...); only that one runs. (`where` computes both.)
/// Example: `cond(x > 0, [](auto x) { return log(x); }, [](auto x) { return x; }, x)`
template <class P, class F, class G, class... S>
constexpr auto cond(const P& predicate, const F& f, const G& g, const S&... s) {
    if constexpr (!is_at_rest<S...>) {
        return cond(predicate, f, g, rested(s)...);
    } else if constexpr (!is_branched<F, G, S...>()) {
        if constexpr (returns_value<F, S...>) return f(s...); // one mistake, one message
        if constexpr (!returns_value<F, S...>) return refused_result{};
    } else {
        using Then = std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>;
        using Other = std::remove_cvref_t<std::invoke_result_t<const G&, const S&...>>;
        if constexpr (traced_value<P> || has_leaf<tracer, Then> || has_leaf<tracer, Other>) {
            builder* home = home_of(tracer(predicate), s...);
            const auto begin = home == nullptr ? 0 : static_cast<node_index>(home->size());
            const auto then = f(s...);
            const auto other = g(s...);
            using result = decltype(as_traced(then));
            if (home == nullptr) { // known now, or the functions know more
                return tracer(predicate).is_literal(0) ? as_round<result>(as_traced(other)) : as_traced(then);
            }
            builder& b = *home;
            const node_index holds = one_number(b, tracer(predicate).in(b));
            if (b.is_constant(holds)) return constant_value(b[holds]) == 0.0 ? as_round<result>(as_traced(other)) : as_traced(then);
            return structured<Then>(b, record_branch(b, begin, holds, state_nodes(b, then), state_nodes(b, other)));
        } else if constexpr (eager<P> || has_eager<Then, Other>) {
            return expression_branch(predicate, f(s...), g(s...));
        } else {
            using result = typename round_type<at_rest_t<Then>, at_rest_t<Other>>::type;
            return predicate ? as_round<result>(f(s...)) : as_round<result>(g(s...));
        }
    }
}

} // namespace dyad

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// How numbers that record obey a rule (api/tape_custom.hpp, complete once tape.hpp is included).
template <bool Forward, class F, class Rule>
struct tape_rule;
template <class Leaf>
inline constexpr bool records = requires { typename Leaf::dyad_active; } || requires { typename Leaf::dyad_deferred; };
template <class... Leaves>
constexpr bool any_records(std::type_identity<std::tuple<Leaves...>>) {
    return (records<Leaves> || ...);
}
/// Whether a leaf is a container of such numbers.
template <class Leaf>
inline constexpr bool holds_records = false;
template <class Leaf>
    requires requires { typename Leaf::value_type; }
inline constexpr bool holds_records<Leaf> = !records<Leaf> && records<typename Leaf::value_type>;
template <class... Leaves>
constexpr bool any_holds_records(std::type_identity<std::tuple<Leaves...>>) {
    return (holds_records<Leaves> || ...);
}

/// Whether a type is one std::array of `Count` numbers.
template <class S, std::size_t Count>
inline constexpr bool is_flat_array = false;
template <leaf_type T, std::size_t Count>
inline constexpr bool is_flat_array<std::array<T, Count>, Count> = true;

/// Whether a type has the structure of the only argument.
template <class Given, class All>
inline constexpr bool is_like_the_only = false;
template <class Given, class S>
inline constexpr bool is_like_the_only<Given, std::tuple<S>> = same_structure<Given, S>();

/// What a call, a std::invoke_result, gives; where it cannot be made, not_given.
struct not_given {};
template <class Call>
struct given_by {
    using type = not_given;
};
template <class Call>
    requires requires { typename Call::type; }
struct given_by<Call> {
    using type = std::remove_cvref_t<typename Call::type>;
};

/// Whether a rule for S and a Result returns what it has to: a tuple for several arguments, for one value that itself too;
/// or all numbers in order, in one std::array.
template <bool Forward, class Given, class Result, class... S>
constexpr bool gives_each() {
    constexpr bool takes = !std::is_same_v<Given, not_given>;
    static_assert(takes || !Forward, "[dyad] custom_jvp: the rule cannot be called so; it takes the arguments, the result and the tangents: rule(args..., result, tangents...)");
    static_assert(takes || Forward, "[dyad] custom_gradient: the rule cannot be called so; it takes the arguments, the result and its cotangent: rule(args..., result, upstream)");
    constexpr bool returns = !std::is_void_v<Given>;
    static_assert(returns, "[dyad] custom_gradient, custom_jvp: the rule returns nothing; return the cotangents of the arguments, or the tangent of the result");
    if constexpr (takes && returns) {
        using all = std::conditional_t<Forward, std::tuple<Result>, std::tuple<S...>>;
        constexpr bool each = same_structure<Given, all>() || is_like_the_only<Given, all> || is_flat_array<Given, leaf_count<all>>;
        static_assert(each || !Forward, "[dyad] custom_jvp: the rule must return one tangent for each result, in its structure");
        static_assert(each || Forward, "[dyad] custom_gradient: the rule must return one cotangent for each argument, in its structure, as a tuple: std::tuple{a, b}");
        return each;
    }
    return false;
}

/// A function with a rule.
template <bool Forward, class F, class Rule>
class with_rule {
public:
    constexpr with_rule() = default;
    constexpr with_rule(F f, Rule rule) : f_(f), rule_(rule) {}

    template <class... S>
    DYAD_FN constexpr auto operator()(const S&... s) const {
        if constexpr (has_eager<S...>) {
            using result = std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>;
            static_assert(stateless<with_rule>, "[dyad] custom_gradient: in a function that captures numbers, the function and its rule must "
                                                "capture none; pass them as arguments");
            return expression_call<with_rule, result>(s...);
        } else if constexpr (any_records(std::type_identity<leaf_types<S...>>{})) {
            return tape_rule<Forward, F, Rule>::run(f_, rule_, s...); // f_ runs on the values only
        } else {
            static_assert(!any_holds_records(std::type_identity<leaf_types<S...>>{}), "[dyad] custom_gradient, custom_jvp: on a tape a rule takes numbers, tuples and "
                                                                                     "std::arrays; for whole arrays and vectors, record its function with tape.apply(f, x...)");
            using result = std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>;
            using equation = typename decltype(equation_at<result, S...>())::type; // (which may capture what the function does not)
            static_assert(!has_eager<result, equation>, "[dyad] custom_gradient: in a function that captures numbers, what the function captures would be differentiated through it; "
                                              "pass what it captures as arguments");
            if constexpr (has_leaf<tracer, S..., result, equation>) {
                using given = typename given_by<rule_call<result, S...>>::type; // (asked here: a short chain of instantiations)
                if constexpr (gives_each<Forward, given, result, S...>()) return record<result>(s...);
                if constexpr (!gives_each<Forward, given, result, S...>()) return f_(s...);
            } else {
                static_assert(!any_records(std::type_identity<leaf_types<result, equation>>{}), "[dyad] capture: a function with a rule captures a number of a tape or a dual, whose derivative would "
                                                                                      "be lost; pass it as an argument");
                return rested_call(f_, s...);
            }
        }
    }

private:
    /// The call of the rule on traced values.
    template <class Result, class... S>
    using rule_call = std::conditional_t<Forward, std::invoke_result<const Rule&, traced<S>&..., traced<Result>&, traced<S>&...>,
                                         std::invoke_result<const Rule&, traced<S>&..., traced<Result>&, traced<Result>&>>;
    /// What the equation that the rule comes from gives for such values, where it captures; else std::tuple<>.
    template <class Result, class... S>
    static constexpr auto equation_at() {
        if constexpr (stateless<Rule>) { // (asked first: else it would be compiled for such values)
            return std::type_identity<std::tuple<>>{};
        } else if constexpr (requires(const Rule& rule, const Result& y, const S&... s) { rule.dyad_equation(s..., y); }) {
            return std::type_identity<std::remove_cvref_t<decltype(std::declval<const Rule&>().dyad_equation(std::declval<const S&>()..., std::declval<const Result&>()))>>{};
        } else {
            return std::type_identity<std::tuple<>>{};
        }
    }
    template <class Result, class... S>
    constexpr auto record(const S&... s) const {
        builder* home = home_of(s...);
        if (home == nullptr) { // that of what is captured
            const Result value = f_(s...);
            home = home_of(value);
            if constexpr (!std::is_same_v<decltype(equation_at<Result, S...>()), std::type_identity<std::tuple<>>>)
                home = home != nullptr ? home : home_of(rule_.dyad_equation(s..., value));
            if (home == nullptr) return as_traced(value);
        }
        const Result value = with_values_only(home, true, [&]() -> Result { return f_(s...); });
        builder& b = *home;
        const list<node_index> arguments = state_nodes(b, s...), values = state_nodes(b, value);
        const std::size_t begin = b.size();
        constexpr bool of_equation = requires(traced<S>&... x, traced<Result>& y) { rule_.dyad_equation_cotangents(x..., y, y); };
        const auto run_rule = [&](const list<node_index>& parameters) -> rule_roots {
            node_reader read{b, parameters};
            std::tuple<traced<S>...> own{structure<S>::build(read)...};
            traced<Result> result = structure<Result>::build(read);
            if constexpr (Forward) {
                std::tuple<traced<S>...> tangents{structure<S>::build(read)...};
                const auto given = unpack([&](const auto&... x) { return unpack([&](const auto&... t) { return rule_(x..., result, t...); }, tangents); }, own);
                return {state_nodes(b, given), {}};
            } else {
                traced<Result> upstream = structure<Result>::build(read);
                return unpack([&](const auto&... x) { return roots_of_pullback<of_equation>(b, begin, result, upstream, x...); }, own);
            }
        };
        constexpr rule_kind kind = Forward ? rule_kind::pushforward : of_equation ? rule_kind::equation : rule_kind::pullback;
        return structured<Result>(b, record_custom(b, kind, arguments, values, run_rule));
    }
    /// What the rule gives, and what the equation that it comes from captures; or that equation, with its cotangents.
    template <bool OfEquation, class Result, class... X>
    constexpr rule_roots roots_of_pullback(builder& b, std::size_t begin, const Result& result, const Result& upstream, const X&... x) const {
        if constexpr (requires { rule_.dyad_equation(x..., result); }) {
            const auto equation = rule_.dyad_equation(x..., result);
            for_each_leaf([](const auto& leaf) { refuse_array_leaf(tracer(leaf)); }, equation);
            if constexpr (OfEquation) return {state_nodes(b, equation, rule_.dyad_equation_cotangents(x..., result, upstream)), {}};
            if constexpr (!OfEquation) return {state_nodes(b, rule_(x..., result, upstream)), captured_by(b, state_nodes(b, equation), begin)};
        } else {
            return {state_nodes(b, rule_(x..., result, upstream)), {}};
        }
    }

    [[no_unique_address]] F f_;
    [[no_unique_address]] Rule rule_;
};

/// `f` whose derivative is what `rule(args..., result, upstream)` returns: the cotangents of the arguments, as a tuple (for
/// one argument also as it is), from the cotangent `upstream` of the result. The rule is obeyed, never looked through;
/// derivatives of higher order are those of the rule. Forward mode transposes a rule that is linear in `upstream`; another it
/// uses with upstream 1, for numbers and element by element, and refuses where it joins elements. What f captures is constant.
/// Example: clipping, `custom_gradient([](auto x) { return 1 * x; }, [](auto x, auto y, auto up) { return clamp(up, -1, 1); })`
template <class F, class Rule>
constexpr auto custom_gradient(F f, Rule rule) {
    return with_rule<false, F, Rule>(f, rule);
}

/// `f` whose tangent is `rule(args..., result, tangents...)`, linear in the tangents. Reverse mode transposes the rule.
/// Example: `custom_jvp([](auto x) { return round(x); }, [](auto x, auto y, auto t) { return t; })` lets slopes through.
template <class F, class Rule>
constexpr auto custom_jvp(F f, Rule rule) {
    return with_rule<true, F, Rule>(f, rule);
}

/// A function that is computed again in the backward pass.
template <class F>
class checkpointed {
public:
    constexpr checkpointed() = default;
    constexpr explicit checkpointed(F f) : f_(f) {}

    template <class... S>
    DYAD_FN constexpr auto operator()(const S&... s) const {
        constexpr bool takes = std::is_invocable_v<const F&, const S&...>;
        static_assert(takes, "[dyad] checkpoint: the function cannot be called so, with these arguments");
        if constexpr (takes) {
            using result = std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>;
            if constexpr (has_leaf<tracer, S...> || has_leaf<tracer, result>) {
                return record<result>(s...);
            } else {
                return rested_call(f_, s...);
            }
        } else {
            return refused_result{}; // one mistake, one message
        }
    }

private:
    template <class Result, class... S>
    constexpr auto record(const S&... s) const {
        builder* home = home_of(s...);
        if (home == nullptr) home = home_of(f_(s...));
        if (home == nullptr) return as_traced(f_(s...));
        const auto begin = static_cast<node_index>(home->size());
        const auto value = f_(s...);
        return structured<Result>(*home, record_checkpoint(*home, begin, state_nodes(*home, value)));
    }

    [[no_unique_address]] F f_;
};

/// `f` of which the backward pass keeps the arguments only (and what f captures), and computes the rest again.
/// Example: in a loop, `fori_loop(n, [](auto i, auto s) { return checkpoint(step)(s); }, s)` keeps one state a round.
template <class F>
constexpr auto checkpoint(F f) {
    return checkpointed<F>(f);
}

} // namespace dyad
DYAD_BOTH_SIDES_END

// ---- dyad/api/expression.hpp
// Derivatives of eager expressions: again expressions (`diff`), or values in one pass (`gradient`).

namespace dyad {

/// The graph of the N-th derivative of a program by its input `Input`.
template <class E, std::size_t Input, int N>
struct derivative_graph {
    using Program = typename E::program;
    using rules = rules_for<Program, (N > 1)>;
    constexpr dyad::graph operator()() const {
        builder b(rewriter_of(default_policy));
        b.arrays = rules_if<E::has_arrays>();
        b.regions = regions_of<Program>();
        node_index value = b.append(Program::graph)[0];
        node_index by = no_node;
        for (node_index i = 0; i < b.size(); ++i) {
            if (b[i].is(opcode::input) && b[i].bits == Input) by = i;
        }
        const element type = b[value].type;
        if (by == no_node) {
            value = N == 0 ? value : b.constant(exact(0), type);
        } else if (b[value].rank == 0 && b[by].rank == 0) {
            value = nth_derivative<rules>(b, value, by, N);
        } else {
            for (int k = 0; k < N; ++k) value = b[value].rank == 0 ? gradient_nodes<rules>(b, value, {by})[0] : array_jacobian<rules>(b, value, by);
        }
        if (b.is_constant(value)) value = b.constant(constant_value(b[value]), type); // (2_c * f has a slope like f)
        return b.finish({value});
    }
};

#define DYAD_NO_SLOPE "[dyad] diff: a comparison has no derivative; use where"

template <int N, class X, class E>
constexpr auto derivative_by(const E& e) {
    static_assert(!E::is_condition(), DYAD_NO_SLOPE);
    constexpr std::size_t place = leaf_position<X::variable_name>(typename E::leaves{});
    using made = derivative_graph<E, place, N>;
    return expression_of<made, typename E::leaves, 4 * E::words + 64>::make(e.values(), e);
}

/// A copy of variable x that was assigned to, `auto z = x; z = z * x;`, holds a number and no formula: z + x throws, and so does the
/// derivative of z.
template <class E, class X>
constexpr void refuse_changed_copy(const E& e, const X& x) {
    if constexpr (variable<E> && std::same_as<E, X>) {
        if (!e.is_copy_of(x) && !(e.value() == x.value())) static_cast<void>(e + x);
    }
}

/// dᴺz/dxᴺ, again an expression with value and formula. The derivative of an array has its axes, then those of x.
/// Example: `diff<2>(x * x * x, x)` is `6*x`.
template <int N = 1, eager E, variable X>
constexpr auto diff(const E& e, const X& x) {
    refuse_changed_copy(e, x);
    static_assert(N >= 0, "[dyad] diff: the order must not be negative");
    return derivative_by<N, X>(to_expression(e));
}

/// Mixed derivatives, one variable after the other. Example: `diff(x * x * y, x, y)` is `2*x`.
template <eager E, variable X, variable... Rest>
    requires(sizeof...(Rest) > 0)
constexpr auto diff(const E& e, const X& x, const Rest&... rest) {
    return diff(diff(e, x), rest...);
}

/// What diff and gradient are asked for by mistake: a derivative of no expression, or by no variable.
template <class E, class... X>
concept no_derivative = (eager<E> || (variable<X> || ...)) && !(eager<E> && sizeof...(X) > 0 && (variable<X> && ...));
template <class E>
constexpr void refuse_derivative() {
    constexpr bool of_expression = eager<E>;
    static_assert(!of_expression, "[dyad] diff, gradient: they are by one or more variables, dyad::var, not by numbers or expressions; name it: dyad::var<\"u\"> u{2.0}");
    static_assert(of_expression, "[dyad] diff, gradient: they are of expressions of variables; of a function take derivative or grad");
}

template <int N = 1, class E, class... X>
    requires no_derivative<E, X...>
constexpr auto diff(const E& e, const X&...) {
    refuse_derivative<E>();
    if constexpr (eager<E>) return e; // one mistake, one message
    if constexpr (!eager<E>) return 0.0;
}

/// The graph of value and gradient of a program by some of its inputs; a place that is none of them gives 0.
template <class E, std::size_t... Inputs>
struct gradient_program {
    using Program = typename E::program;
    struct make {
        constexpr dyad::graph operator()() const {
            builder b(rewriter_of(default_policy));
            b.arrays = rules_if<E::has_arrays>();
            b.regions = regions_of<Program>();
            const node_index value = b.append(Program::graph)[0];
            const std::size_t places[] = {Inputs...};
            list<node_index> by;
            for (const std::size_t place : places) {
                const bool known = place < Program::graph.input_count;
                by.push_back(known ? b.add(input_at(place)) : b.parameter(b[value].type));
            }
            list<node_index> results{value};
            for (const node_index i : gradient_nodes<rules_in<Program>>(b, value, by)) results.push_back(i);
            return b.finish(b.inwards(results));
        }
        static constexpr node input_at(std::size_t place) {
            for (const node& n : Program::graph.nodes) {
                if (n.is(opcode::input) && n.bits == place) return n;
            }
            return input_node(static_cast<std::uint32_t>(place), element::float64);
        }
    };
    static constexpr const auto& graph =
        frozen<make, 4 * Program::graph.view().size + 64, sizeof...(Inputs) + 1>::value;
};

/// The value, and a tuple of the derivatives by each variable, in one pass.
template <eager E, variable... X>
    requires(sizeof...(X) > 0)
constexpr auto value_and_gradient(const E& e, [[maybe_unused]] const X&... variables) {
    (refuse_changed_copy(e, variables), ...);
    const auto x = to_expression(e);
    using expression = std::remove_const_t<decltype(x)>;
    static_assert(!expression::is_condition(), DYAD_NO_SLOPE);
    using program = gradient_program<expression,
                                     leaf_position<X::variable_name>(typename expression::leaves{})...>;
    if constexpr (expression::has_arrays) {
        return value_and_gradient_of_arrays<program>(x, variables...); // array/eager.hpp
    } else {
        const auto results = x.template evaluate<lowered_program<program, default_policy>>();
        return [&]<std::size_t... Item>(std::index_sequence<Item...>) {
            return std::pair{results[0], std::tuple{static_cast<typename X::leaf_type::value_type>(results[Item + 1])...}};
        }(std::index_sequence_for<X...>{});
    }
}

/// The derivatives by each variable, as a tuple. Example: `auto [gx, gy] = gradient(z, x, y);`
template <eager E, variable... X>
    requires(sizeof...(X) > 0)
constexpr auto gradient(const E& e, const X&... variables) {
    return value_and_gradient(e, variables...).second;
}

template <class E, class... X>
    requires no_derivative<E, X...>
constexpr auto value_and_gradient(const E&, const X&...) {
    refuse_derivative<E>();
    return std::pair{0.0, std::tuple{0.0, (static_cast<void>(std::type_identity<X>{}), 0.0)...}}; // (one part at least: one mistake, one message)
}
template <class E, class... X>
    requires no_derivative<E, X...>
constexpr auto gradient(const E& e, const X&... x) {
    return value_and_gradient(e, x...).second;
}

} // namespace dyad

#undef DYAD_NO_SLOPE

// ---- dyad/api/inspect.hpp
// The graphs behind functions and expressions, to print, draw, count and compare.

// ---- dyad/graph/check.hpp
// What every graph must satisfy. Tests run this after each pass; it says what is wrong, and with which node.

namespace dyad {

/// An empty text if the graph is well formed; otherwise the first thing that is wrong with it.
constexpr text check(graph_view g) {
    const auto fault = [](std::size_t i, std::string_view what) {
        text t("node ");
        t.append(static_cast<std::int64_t>(i)) += what;
        return t;
    };
    list<element> input_type(g.input_count, element::weak); // weak: not seen yet
    list<node_index> parameter_of_number; // by number: 1 more than the first node that is or binds it
    for (std::size_t i = 0; i < g.size; ++i) {
        const node& n = g[i];
        if (n.is(opcode::input) && n.bits < g.input_count) {
            element& seen = input_type[n.bits];
            if (!is(seen, element::weak) && seen != n.type)
                return fault(i, ": two types for one input");
            seen = n.type;
        }
        if (n.op >= opcode::count) return fault(i, ": unknown operation");
        if (n.is(opcode::input) && n.bits >= g.input_count)
            return fault(i, ": the input's number is not below the number of inputs");
        if (n.is(opcode::parameter) && n.bits >= 0x10000) return fault(i, ": a parameter whose number is none");
        if (n.is(opcode::parameter) || n.is(opcode::bind) || n.is(opcode::carry)) {
            while (parameter_of_number.count <= n.bits) parameter_of_number.push_back(0);
            node_index& first = parameter_of_number[n.bits];
            if (first != 0 && g[first - 1].type != n.type) return fault(i, ": two types for one parameter");
            if (first == 0) first = static_cast<node_index>(i + 1);
        }
        const bool of_region = is_region_operation(n.op);
        const bool names_region = n.is(opcode::result) && is_region(g[n.operand[0]].op);
        for (int k = 0; k < n.arity(); ++k) {
            if (n.operand[k] >= i) return fault(i, ": an operand does not come before its user");
            const node& x = g[n.operand[k]];
            if (is_region(x.op) && !names_region && !n.is(opcode::history))
                return fault(i, ": a loop, a branch or a rule is used without naming a result");
            if (of_region || names_region) continue;
            if ((k < conditions_of(n.op)) != (x.is(element::boolean)))
                return fault(i, ": an operand is a condition where a number belongs, or the reverse");
            if (facts(x.op).results > 1 && !n.is(opcode::result))
                return fault(i, ": an operation with several results is used without naming one");
        }
        if (!is_of_own_shape(n.op) && (shape_with(n, g.nodes).rank != n.rank || shape_with(n, g.nodes).ones != n.ones))
            return fault(i, ": another shape than its operands give");
        if (n.op > opcode::result && !of_region && facts(n.op).condition != (n.is(element::boolean)))
            return fault(i, ": the type does not fit the operation");
        if (n.is(opcode::result) && !names_region &&
            n.bits >= static_cast<std::uint64_t>(facts(g[n.operand[0]].op).results))
            return fault(i, ": names a result that the operation does not have");
    }
    const free_parameters free(g.nodes, g.size);
    for (std::size_t k = 0; k < g.output_count; ++k) {
        if (g.outputs[k] < g.size && !free.empty(g.outputs[k])) return fault(g.outputs[k], ": a parameter outlived its transform");
        if (g.outputs[k] >= g.size) return fault(g.outputs[k], ": an output that does not exist");
        if (facts(g[g.outputs[k]].op).results > 1)
            return fault(g.outputs[k], ": an output that is an operation with several results");
    }
    return {};
}

} // namespace dyad

namespace dyad {

/// The graph of an expression: `print(graph_of(z))`.
template <eager E>
constexpr const auto& graph_of(const E& e) {
    return decltype(to_expression(e))::program::graph;
}

/// What stands for a graph that there is not.
inline constexpr graph_view no_graph{};

/// The graph of a stateless function on arguments of the given types:
/// `operation_count(graph_of<double, double>(f))`. A transform is a function too: `graph_of<double>(grad(f))`. (Of arrays:
/// api/array_inspect.hpp.)
template <class... Args, stateless F>
    requires(sizeof...(Args) > 0 && !has_array<Args...>)
constexpr const auto& graph_of(const F&) {
    if constexpr (usable<F, Args...>()) {
        return traced_program<F, policy_of<F>(), Args...>::graph;
    } else {
        return no_graph;
    }
}
template <class... Args, class F>
    requires(!eager<F> && (!stateless<F> || sizeof...(Args) == 0))
constexpr const graph_view& graph_of(const F&) {
    static_assert(!stateless<F>, "[dyad] graph_of: the types of the arguments are missing; name them: graph_of<double, double>(f)");
    static_assert(stateless<F>, "[dyad] graph_of: a function with captured values has a graph for each call only; pass the captured values as arguments");
    return no_graph;
}

template <class... Leaves>
constexpr list<std::string_view> leaf_names(leaf_list<Leaves...>) {
    list<std::string_view> names;
    (names.push_back(Leaves::name.empty() ? std::string_view("#") : Leaves::name), ...);
    return names;
}

/// The characters of a formula, kept for the whole run of the program.
template <class E>
struct formula_text {
    static constexpr text make() {
        const list<std::string_view> names = leaf_names(typename E::leaves{});
        return formula(E::program::graph, names);
    }
    static constexpr std::size_t size = make().size();
    static constexpr std::array<char, size + 1> characters = [] {
        std::array<char, size + 1> kept{};
        const text t = make();
        for (std::size_t i = 0; i < size; ++i) kept[i] = t.view()[i];
        return kept;
    }();
};

/// An expression as a readable formula, a constant: `static_assert(formula(dz) == "2*x*y")`. Unnamed run-time
/// numbers print as #.
template <eager E>
constexpr std::string_view formula(const E& e) {
    using kept = formula_text<decltype(to_expression(e))>;
    return {kept::characters.data(), kept::size};
}

} // namespace dyad

// ---- dyad/api/products.hpp
// Products with derivatives along a direction: Jacobian times tangent (jvp), Hessian times vector (hvp), none of which forms
// the matrix.

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

/// Whether a direction `D` is one along `S`: the same structure, whatever its numbers are. As many numbers are not enough: they
/// would be reshuffled in silence.
template <class S, class D>
constexpr bool has_structure() {
    if constexpr (refused_argument<D> || eager<D> || has_array<D>) {
        return false;
    } else {
        return same_structure<S, D>();
    }
}
/// The same of directions along the arguments at the positions; a tuple of one is that one.
template <class D, class... S, std::size_t... Item>
constexpr bool are_directions(positions<Item...>) {
    using arguments = std::tuple<S...>;
    if constexpr (sizeof...(Item) == 1) {
        return (has_structure<std::tuple_element_t<Item, arguments>, D>() && ...) || has_structure<std::tuple<std::tuple_element_t<Item, arguments>...>, D>();
    } else {
        return has_structure<std::tuple<std::tuple_element_t<Item, arguments>...>, D>();
    }
}

/// Whether the arguments are the elements of the tuple, rather than the tuple itself. (Of types that are refused `usable` says why.)
template <class F, class S>
constexpr bool takes_elements(std::type_identity<S>) {
    return false;
}
template <class F, class... E>
constexpr bool takes_elements(std::type_identity<std::tuple<E...>>) {
    if constexpr ((refused_argument<std::remove_cvref_t<E>> || ...)) {
        return true;
    } else {
        return callable_with<F, std::remove_cvref_t<E>...>();
    }
}

template <class F, class... E>
constexpr bool elements_run_on_expressions(std::type_identity<std::tuple<E...>>) {
    return runs_on_expressions<F, std::remove_cvref_t<E>...>();
}
/// Whether products at primals P are expressions.
template <class F, class P>
constexpr bool products_are_expressions() {
    if constexpr (has_eager<P>) {
        return true;
    } else if constexpr (takes_elements<F>(std::type_identity<P>{})) {
        return elements_run_on_expressions<F>(std::type_identity<P>{});
    } else {
        return runs_on_expressions<F, P>();
    }
}

template <class F, class... E>
constexpr bool usable_with_elements(std::type_identity<std::tuple<E...>>) {
    return usable<F, std::remove_cvref_t<E>...>();
}
template <class F, class... E>
constexpr bool elements_make_arrays(std::type_identity<std::tuple<E...>>) {
    return makes_arrays<F, std::remove_cvref_t<E>...>();
}
template <class F, class... E>
constexpr bool transform_makes_arrays_of(std::type_identity<std::tuple<E...>>) {
    return transform_makes_arrays<F, std::remove_cvref_t<E>...>();
}

/// jvp and hvp: `(primals, tangents)`, tuples for several arguments, plain for one; with tangents for all arguments, or for those at the
/// positions `Wrt`.
template <transform K, class Wrt, class F>
class forward_product {
public:
    static constexpr policy rewriting = policy_of<F>();

    constexpr forward_product() = default;
    constexpr explicit forward_product(F f) : f_(std::move(f)) {}

    /// What it is the product of.
    [[nodiscard]] constexpr const F& function() const { return f_; }

    template <class P, class D>
    DYAD_FN constexpr auto operator()(const P& primals, const D& tangents) const {
        using numbers = values_in<P>;
        constexpr bool eagerly = has_eager<D> || products_are_expressions<F, P>(); // then arrays inside are recorded as all else
        if constexpr (eagerly && has_array<numbers, values_in<D>>) {
            return of_array_expressions(primals, tangents);
        } else if constexpr (has_array<P>) {
            return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
        } else if constexpr (takes_elements<F>(std::type_identity<numbers>{})) {
            if constexpr (!eagerly && transform_makes_arrays_of<F>(std::type_identity<numbers>{})) {
                return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
            } else if constexpr (!usable_with_elements<F>(std::type_identity<numbers>{})) {
                return refused(primals);
            } else if constexpr (!eagerly && elements_make_arrays<F>(std::type_identity<numbers>{})) {
                return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
            } else if constexpr (!is_along<D>(std::type_identity<P>{})) {
                return refused(primals);
            } else {
                return unpack([&](const auto&... p) { return products(tangents, p...); }, primals);
            }
        } else if constexpr (refused_argument<numbers>) {
            taken<numbers>();
            return refused(primals);
        } else if constexpr (!callable_with<F, numbers>()) {
            static_assert(never<P>, "[dyad] jvp, hvp: the function does not take these primals; pass several arguments as a tuple, and write auto for its parameters");
            return refused(primals);
        } else if constexpr (!eagerly && transform_makes_arrays<F, numbers>()) {
            return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
        } else if constexpr (!usable<F, numbers>()) {
            return refused(primals);
        } else if constexpr (!eagerly && makes_arrays<F, numbers>()) {
            return backend_for<K, Wrt, F, P, D>::run_product(f_, primals, tangents);
        } else if constexpr (!is_along<D>(std::type_identity<std::tuple<P>>{})) {
            return refused(primals);
        } else {
            return products(tangents, primals);
        }
    }
    /// The arguments one by one, as grad takes them.
    template <class... S>
        requires(sizeof...(S) != 2)
    constexpr auto operator()(const S&... s) const {
        static_assert(never<S...>, "[dyad] jvp, hvp: they take primals and tangents; pass several of each as tuples: jvp(f)(std::tuple{x, y}, std::tuple{dx, dy})");
        return refused(instead_of_result(s...));
    }

private:
    /// What a refused call gives, so that one mistake gives one message.
    template <class S>
    static constexpr auto refused(const S& s) {
        const auto nothing = instead_of_result(s);
        if constexpr (is(K, transform::jvp)) {
            return std::pair{nothing, nothing};
        } else {
            return nothing;
        }
    }
    template <std::size_t Count>
    using wrt = typename chosen_positions<Wrt, Count>::type;
    /// Whether there is a product with tangents `D` for these primals; says why not.
    template <class D, class... E>
    static constexpr bool is_along(std::type_identity<std::tuple<E...>>) {
        if constexpr (has_arguments<sizeof...(E)>(wrt<sizeof...(E)>{})) {
            constexpr bool along = are_directions<values_in<D>, values_in<std::remove_cvref_t<E>>...>(wrt<sizeof...(E)>{});
            constexpr bool one = is(K, transform::jvp) || leaf_type<result_in_expressions<F, std::remove_cvref_t<E>...>>;
            static_assert(along, "[dyad] jvp, hvp: the tangents must have the structure of the primals, a tuple for several of them");
            static_assert(one, "[dyad] hvp: the function must return one number; take the jvp of the gradient of each");
            if constexpr (along && one && (has_eager<D> || runs_on_expressions<F, std::remove_cvref_t<E>...>())) return gives_number_where_asked<K, F, values_in<std::remove_cvref_t<E>>...>();
            return along && one;
        } else {
            return false;
        }
    }
    template <class P, class D>
    auto of_array_expressions(const P& primals, const D& tangents) const {
        const auto along = [&](const auto&... p) {
            using by = wrt<sizeof...(p)>;
            if constexpr (!usable_along<D, std::remove_cvref_t<decltype(p)>...>(by{})) {
                return refused(primals);
            } else {
                backend_for<K, by, F, values_in<std::remove_cvref_t<decltype(p)>>...>::check_tangents_in_place(value_in_place(tangents), value_in_place(p)...);
                return products(tangents, p...);
            }
        };
        if constexpr (takes_elements<F>(std::type_identity<values_in<P>>{})) {
            return unpack(along, primals);
        } else {
            return along(primals);
        }
    }
    /// Whether there is a product along D at these expressions of arrays, or beside such; says why not.
    template <class D, class... S, class By>
    static constexpr bool usable_along(By) {
        if constexpr (usable_on_expressions<K, By, F, values_in<S>...>()) {
            return backend_for<K, By, F, values_in<S>...>::template are_tangents<values_in<D>, values_in<S>...>(By{});
        } else {
            return false;
        }
    }
    template <class D, class... S>
    constexpr auto products(const D& tangents, const S&... s) const {
        using by = wrt<sizeof...(S)>;
        if constexpr (stand_beside_traced<F, D, S...>()) {
            return products(beside_traced(tangents), beside_traced(s)...);
        } else if constexpr (has_eager<D> || runs_on_expressions<F, S...>()) {
            using result = decltype(shaped<result_in_expressions<F, S...>, values_in<S>...>(std::declval<const tracer*>()));
            return expression_transform<K, by, result>(f_, std::tuple<const D&>(tangents), s...);
        } else {
            const auto results = run_transform<K, by>(f_, std::tuple<const D&>(tangents), s...);
            return shaped<result_of<F, S...>, S...>(results.data());
        }
    }
    /// The results for a function that returns a `result`.
    template <class result, class... S, class V>
    DYAD_FN static constexpr auto shaped(const V* values) {
        if constexpr (is(K, transform::jvp)) {
            return std::make_pair(value_result<result>(values), value_result<result>(values + structure<result>::size));
        } else {
            return gradient_result<S...>(wrt<sizeof...(S)>{}, values);
        }
    }

    [[no_unique_address]] F f_;
};

/// f and its directional derivative: `auto [v, t] = jvp(f)(std::tuple{1.5, 2.0}, std::tuple{1.0, 0.0});` t = J·v. With positions,
/// along these arguments, the others being data: `jvp<0>(f)(std::tuple{1.5, 3}, 1.0)`, `jvp<0, 2>(f)(primals, std::tuple{dx, dz})`.
template <std::size_t... Item, class F>
constexpr auto jvp(F f) {
    return forward_product<transform::jvp, positions<Item...>, F>(std::move(f));
}

/// H·v, forward over reverse: `hvp(f)(std::tuple{1.5, 2.0}, std::tuple{1.0, 0.0})`. With positions, of the Hessian by these arguments:
/// `hvp<0>(loss)(std::tuple{w, X, labels}, v)`.
template <std::size_t... Item, class F>
constexpr auto hvp(F f) {
    return forward_product<transform::hvp, positions<Item...>, F>(std::move(f));
}

} // namespace dyad
DYAD_BOTH_SIDES_END

// ---- dyad/api/reversible.hpp
// Blocks of reversible residual networks: the backward pass computes their arguments from their results instead of keeping
// them (A. Gomez, M. Ren, R. Urtasun, R. Grosse, "The reversible residual network", NeurIPS 2017).

namespace dyad {

/// y1 = x1 + f(x2), y2 = x2 + g(y1), in two steps, each of which changes one half of the state by a function of the other:
/// so either can be taken back (Sign = -1) without inverting f or g.
template <class F, class G>
struct coupling {
    [[no_unique_address]] kept_function<F, 0> f;
    [[no_unique_address]] kept_function<G, 1> g;

    template <int Sign, std::size_t Half, class X1, class X2>
    constexpr auto step(const X1& x1, const X2& x2) const {
        if constexpr (Half == 0) {
            if constexpr (Sign > 0) {
                return std::tuple{x1 + f.get()(x2), x2};
            } else {
                return std::tuple{x1 - f.get()(x2), x2};
            }
        } else {
            if constexpr (Sign > 0) {
                return std::tuple{x1, x2 + g.get()(x1)};
            } else {
                return std::tuple{x1, x2 - g.get()(x1)};
            }
        }
    }
};

/// Couplings one after the other, as a function of a state of two halves; without a state if none of them has one.
template <class Places, class... Couplings>
class reversible_chain;
template <std::size_t... Place, class... Couplings>
class reversible_chain<std::index_sequence<Place...>, Couplings...> : kept_function<Couplings, Place>... {
public:
    constexpr reversible_chain() = default;
    constexpr explicit reversible_chain(const Couplings&... blocks)
        requires(sizeof...(Couplings) > 0)
        : kept_function<Couplings, Place>{blocks}... {}

    template <class X1, class X2>
    constexpr auto operator()(const X1& x1, const X2& x2) const {
        static_assert(structure<X1>::size == 1 && structure<X2>::size == 1, "[dyad] reversible: each half of the state is one number or one array");
        using result = decltype(run<0>(x1, x2));
        if constexpr (has_leaf<tracer, X1, X2> || has_leaf<tracer, result>) {
            builder* home = home_of(x1, x2);
            if (home == nullptr) home = home_of(run<0>(x1, x2));
            return home == nullptr ? as_traced(run<0>(x1, x2)) : record(*home, x1, x2);
        } else {
            return run<0>(x1, x2);
        }
    }
    /// Of a state as a pair or tuple, as it goes round a loop.
    template <class State>
    constexpr auto operator()(const State& state) const {
        return (*this)(std::get<0>(state), std::get<1>(state));
    }

    [[nodiscard]] constexpr std::tuple<Couplings...> blocks() const { return {kept_function<Couplings, Place>::get()...}; }

private:
    static constexpr std::size_t steps = 2 * sizeof...(Couplings);

    template <std::size_t K, class Coupling>
    static constexpr decltype(auto) block(const kept_function<Coupling, K>& kept) {
        return kept.get();
    }

    template <std::size_t Step, class X1, class X2>
    constexpr auto run(const X1& x1, const X2& x2) const {
        if constexpr (Step == steps) {
            return std::tuple{x1, x2};
        } else {
            const auto next = block<Step / 2>(*this).template step<1, Step % 2>(x1, x2);
            const auto y = as_round<at_rest_t<decltype(next)>>(next); // (the next step's results outlive it)
            return run<Step + 1>(std::get<0>(y), std::get<1>(y));
        }
    }
    template <class X1, class X2>
    constexpr auto record(builder& b, const X1& x1, const X2& x2) const {
        using traced = decltype(as_traced(run<0>(x1, x2)));
        const auto begin = static_cast<node_index>(b.size());
        const list<node_index> state = state_nodes(b, x1, x2), values = state_nodes(b, run<0>(x1, x2));
        for (std::size_t k = 0; k < 2; ++k)
            if (b[values[k]].rank != b[state[k]].rank) throw value_error("[dyad] reversible: a function changes the rank of a half of the state");
        const list<node_index> recorded =
            record_invertible(b, begin, state, values, [&](const list<node_index>& arguments, const list<node_index>& results) {
                list<node_index> body;
                [&]<std::size_t... S>(std::index_sequence<S...>) {
                    (record_step<S>(b, arguments, results, body), ...);
                }(std::make_index_sequence<steps>{});
                return body;
            });
        return traced(tracer(b, recorded[0]), tracer(b, recorded[1]));
    }
    template <std::size_t Step>
    constexpr void record_step(builder& b, const list<node_index>& arguments, const list<node_index>& results, list<node_index>& body) const {
        const auto& here = block<Step / 2>(*this);
        const auto append = [&](const auto& x) {
            body.push_back(std::get<0>(x).in(b));
            body.push_back(std::get<1>(x).in(b));
        };
        append(here.template step<1, Step % 2>(tracer(b, arguments[0]), tracer(b, arguments[1])));
        append(here.template step<-1, Step % 2>(tracer(b, results[0]), tracer(b, results[1])));
    }
};
template <class... Couplings>
constexpr auto reversible_blocks(const Couplings&... blocks) {
    return reversible_chain<std::index_sequence_for<Couplings...>, Couplings...>(blocks...);
}

/// (x1, x2) -> (y1, y2): y1 = x1 + f(x2), y2 = x2 + g(y1). The results of f and g have the shapes of x1 and x2; what they
/// capture is differentiated. In reverse mode x2 = y2 - g(y1) and x1 = y1 - f(x2) are computed from the results, up to
/// rounding, and nothing in between is kept; in a loop or scan whose state goes through it, no state is kept at all.
/// On plain values, on a tape, and in functions that capture numbers it is the plain formula.
/// Example: `scan([](auto s, auto w) { return std::pair{reversible([&](auto x) { return tanh(matmul(x, w)); }, g)(s), std::tuple{}}; }, s, W)`
template <class F, class G>
constexpr auto reversible(F f, G g) {
    return reversible_blocks(coupling<F, G>{{f}, {g}});
}

/// Reversible blocks one after the other; the backward pass goes from the results of the last one to the arguments of the
/// first one, and keeps nothing in between.
/// Example: `reversible_sequence(reversible(f1, g1), reversible(f2, g2))(x1, x2)`
template <class... Blocks>
constexpr auto reversible_sequence(const Blocks&... blocks) {
    return unpack([](const auto&... coupling) { return reversible_blocks(coupling...); }, std::tuple_cat(blocks.blocks()...));
}

} // namespace dyad

// ---- dyad/api/scan.hpp
// Loops over the elements of arrays that keep a result of each round.

// ---- dyad/api/sequence.hpp
// What plain loops go through element by element: a container of numbers, or a tuple of several side by side.

namespace dyad {

/// A tuple or pair of containers (a std::array is a container itself).
template <class Xs>
concept side_by_side_sequences = !requires(const Xs& xs) { xs.begin(); } && requires { std::tuple_size<Xs>::value; };

/// Arrays of more than one axis, whose elements are rows.
template <class Xs>
inline constexpr bool has_rows = rank_of_array<Xs> > 1;
template <class... Xs>
inline constexpr bool has_rows<std::tuple<Xs...>> = (has_rows<Xs> || ...);
template <class X, class Y>
inline constexpr bool has_rows<std::pair<X, Y>> = has_rows<X> || has_rows<Y>;

/// Sequences that a loop goes through at once have different lengths.
[[noreturn]] inline void refuse_lengths(std::size_t a, std::size_t b) {
    text t("[dyad] scan, map, vmap: the arrays have ");
    (t.append(static_cast<std::int64_t>(a)) += " and ").append(static_cast<std::int64_t>(b)) += " elements along their first axes";
    throw shape_error(t.c_str());
}

/// Elements to go through: of one container, or of several side by side.
template <class Xs>
inline constexpr bool is_sequence = requires(const Xs& xs) { static_cast<std::size_t>(xs.end() - xs.begin()); };
template <class... Xs>
inline constexpr bool is_sequence<std::tuple<Xs...>> = (is_sequence<Xs> && ...);
template <class X, class Y>
inline constexpr bool is_sequence<std::pair<X, Y>> = is_sequence<X> && is_sequence<Y>;
/// The same; says so where it is not.
template <class Xs>
constexpr bool has_elements() {
    constexpr bool sequence = is_sequence<Xs>;
    static_assert(sequence, "[dyad] scan, map: what they go through is an array, a container with random access, or a tuple of such side by side");
    return sequence;
}
/// How many elements there are. Throws shape_error if containers side by side differ in it.
template <class Xs>
constexpr std::size_t sequence_length(const Xs& xs) {
    if constexpr (side_by_side_sequences<Xs>) {
        return unpack(
            [](const auto& first, const auto&... rest) {
                const std::size_t length = sequence_length(first);
                [[maybe_unused]] const auto check = [&](std::size_t other) {
                    if (other != length) refuse_lengths(length, other);
                };
                (check(sequence_length(rest)), ...);
                return length;
            },
            xs);
    } else {
        return static_cast<std::size_t>(xs.end() - xs.begin());
    }
}
/// Element i, or the tuple of all the containers' elements i.
template <class Xs>
constexpr auto sequence_at(const Xs& xs, std::size_t i) {
    if constexpr (side_by_side_sequences<Xs>) {
        return unpack([&](const auto&... x) { return std::tuple{sequence_at(x, i)...}; }, xs);
    } else {
        return *(xs.begin() + static_cast<std::ptrdiff_t>(i));
    }
}
/// The container that results are to be like.
template <class Xs>
constexpr const auto& first_sequence(const Xs& xs) {
    if constexpr (side_by_side_sequences<Xs>) {
        return first_sequence(std::get<0>(xs));
    } else {
        return xs;
    }
}

} // namespace dyad

// ---- dyad/pass/batch_results.hpp
// What a loop over arrays keeps of its rounds and computes from elements alone is computed for all elements at once, without the
// loop: the body runs on the whole arrays, which have one axis more in front. Axes count from the last one, so that most
// operations are the same there.

namespace dyad {

class batcher {
public:
    /// A loop's body was recorded after its index, at which it reads elements.
    constexpr batcher(builder& b, node_index index) : b_(b), index_(index), size_(b.size()), from_(size_), place_(size_) {}

    /// The roots from number `kept` on as elements of what is computed for all rounds, where that can be.
    constexpr list<node_index> run(list<node_index> roots, std::size_t kept) {
        list<node_index> results;
        for (std::size_t k = kept; k < roots.size(); ++k) results.push_back(roots[k]);
        const list<bool> wanted = reached(b_.nodes.data(), size_, results);
        for (node_index i = 0; i < size_; ++i) place_[i] = i;
        for (node_index i = index_; i < size_; ++i) {
            if (wanted[i]) from_[i] = source_of(i);
        }
        list<bool> needed(size_);
        for (const node_index i : results) needed[i] = is_batched_result(i);
        for (node_index i = static_cast<node_index>(size_); i-- > index_;) {
            for (int k = 0; k < (is_element(i) ? 1 : b_[i].arity()) && needed[i]; ++k) needed[b_[i].operand[k]] = true;
        }
        for (node_index i = index_; i < size_; ++i) {
            if (needed[i]) place_[i] = is_element(i) ? beside_first(place_[b_[i].operand[0]]) : batched(i);
        }
        for (std::size_t k = kept; k < roots.size(); ++k) {
            if (is_batched_result(roots[k])) roots[k] = one_at(b_, place_[roots[k]], index_);
        }
        return roots;
    }

private:
    enum source : unsigned char { outside, elements, rounds };

    [[nodiscard]] constexpr bool is_batched_result(node_index i) const { return from_[i] == elements && !b_[i].is(element::boolean); }
    /// An element, row, plane ... that the loop reads of an array.
    [[nodiscard]] constexpr bool is_element(node_index i) const {
        return b_[i].is(opcode::at) && b_[i].operand[1] == index_ && from_[b_[i].operand[0]] == outside;
    }
    [[nodiscard]] constexpr source source_of(node_index i) const {
        const node& n = b_[i];
        if (is_element(i)) return elements;
        if (n.is(opcode::parameter)) return rounds;
        source from = outside;
        for (int k = 0; k < n.arity(); ++k) {
            if (from_[n.operand[k]] > from) from = from_[n.operand[k]];
        }
        if (from != elements) return from;
        if (n.is(opcode::extent)) return outside; // all rows have one size
        if (n.is(opcode::fill_like) && names_each_size(n)) return from_[n.operand[0]]; // (of the others only the rows' sizes count)
        return n.rank < max_rank && is_same_with_more_axes(n) ? elements : rounds;
    }
    /// Whether no size of a fill_like is what is left of an array's elements, which are more for all rows.
    static constexpr bool names_each_size(const node& n) {
        bool each = true;
        for (unsigned k = 0; k < n.rank; ++k) each = each && fill_size(n.bits, k) != inferred_size;
        return each;
    }
    /// Whether an operation is itself on operands with an axis more in front, those that are the same in all rounds excepted.
    [[nodiscard]] constexpr bool is_same_with_more_axes(const node& n) const {
        switch (n.op) {
        case opcode::reduce_sum:
        case opcode::reduce_prod:
        case opcode::reduce_max:
        case opcode::reduce_min:
        case opcode::squeeze:
        case opcode::expand:
        case opcode::slice:
        case opcode::flip:
        case opcode::transpose:
        case opcode::broadcast_like: return true;
        case opcode::concat:
        case opcode::unslice: return from_[n.operand[0]] == elements && from_[n.operand[1]] == elements;
        default: return role_of(n.op) == role::elementwise && !is_array_operation(n.op);
        }
    }
    /// Array x, which has as many rows as the first of those that are gone through; that is asked when the program runs.
    constexpr node_index beside_first(node_index x) {
        if (first_ == no_node) first_ = x;
        const node like = b_[first_], n = b_[x];
        if (rows_from(x) == rows_from(first_) || (n.ones >> (n.rank - 1U) & 1) != 0) return x;
        std::uint64_t bits = encode_reshape({0, n.rank});
        for (unsigned k = 0; k + 1 < n.rank; ++k) bits = with_size(bits, k, 1);
        bits = with_size(bits, n.rank - 1U, encode_borrowed({1, like.rank - 1U}));
        const node_index rows = b_.emit({.op = opcode::fill_like, .operand = {b_.constant(exact(0)), first_, first_}, .bits = bits});
        return b_.emit({.op = opcode::broadcast_like, .operand = {x, rows, 0}, .bits = equal_rows});
    }
    /// What x is a part of that has the same rows.
    [[nodiscard]] constexpr node_index rows_from(node_index x) const {
        for (;;) {
            const node& n = b_[x];
            const bool part = (n.is(opcode::slice) && axis_of(n.bits) + 1 < n.rank) || (n.is(opcode::squeeze) && axes_of(n.bits) >> n.rank == 0);
            if (!part) return x;
            x = n.operand[0];
        }
    }
    /// Node i for all rounds; itself, if it is the same in all of them.
    constexpr node_index batched(node_index i) {
        node n = b_[i];
        const bool stretches = !is_array_operation(n.op) || n.is(opcode::broadcast_like);
        bool moves = from_[i] == elements;
        for (int k = n.arity(); k-- > 0;) {
            const node_index x = n.operand[k];
            n.operand[k] = place_[x];
            moves = moves || place_[x] != x;
            const unsigned missing = low_bits(n.rank) & ~low_bits(b_[x].rank);
            if (stretches && missing != 0 && from_[x] == elements) n.operand[k] = b_.emit({.op = opcode::expand, .operand = {place_[x], 0, 0}, .bits = missing});
        }
        return moves ? b_.emit(n) : i;
    }

    builder& b_;
    node_index index_, first_ = no_node; ///< the first array that is gone through
    std::size_t size_;
    list<source> from_;
    list<node_index> place_; ///< by node: where it is computed for all rounds
};

/// The roots of a loop's body, recorded after its `index`, those from number `kept` on without the loop where that can be.
constexpr list<node_index> batch_results(builder& b, node_index index, const list<node_index>& roots, std::size_t kept) {
    return batcher(b, index).run(roots, kept);
}

} // namespace dyad

// ---- dyad/pass/lift_elements.hpp
// What a loop over arrays computes from elements alone, and at a price, is computed for all elements before the loop,
// where it becomes vector code: the exponentials of a likelihood, but not its recurrence.

namespace dyad {

/// The roots of a loop's body, recorded after its `index`, with elements of arrays computed outside where that pays.
constexpr list<node_index> lift_elements(builder& b, node_index index, const list<node_index>& roots) {
    enum source : unsigned char { outside, elements, rounds };
    const std::size_t size = b.size();
    const list<bool> wanted = reached(b.nodes.data(), size, roots);
    list<source> from(size);
    list<bool> costly(size), lifted(size);
    list<node_index> element, array;
    for (node_index i = index; i < size; ++i) {
        const node& n = b[i];
        if (!wanted[i]) continue;
        if (n.is(opcode::at) && n.operand[1] == index && from[n.operand[0]] == outside) {
            from[i] = elements;
            element.push_back(i);
            array.push_back(n.operand[0]);
            continue;
        }
        const bool by_element = role_of(n.op) == role::elementwise && !is_array_operation(n.op);
        from[i] = n.is(opcode::parameter) ? rounds : outside;
        for (int k = 0; k < n.arity(); ++k) {
            if (from[n.operand[k]] > from[i]) from[i] = from[n.operand[k]];
            costly[i] = costly[i] || costly[n.operand[k]];
        }
        for (int k = 0; k < n.arity(); ++k) {
            if (from[n.operand[k]] == elements && b[n.operand[k]].rank < n.rank) from[i] = rounds;
        }
        if (from[i] == elements && !by_element) from[i] = rounds;
        costly[i] = from[i] == elements && (costly[i] || !is_inline(n.op));
    }
    const auto lift = [&](node_index x) { lifted[x] = lifted[x] || (from[x] == elements && costly[x] && !b[x].is(element::boolean)); };
    for (node_index i = index; i < size; ++i) {
        for (int k = 0; k < b[i].arity() && wanted[i] && from[i] == rounds; ++k) lift(b[i].operand[k]);
    }
    for (const node_index root : roots) lift(root);
    list<node_index> inside, before;
    for (node_index i = index; i < size; ++i) {
        if (lifted[i]) inside.push_back(i);
    }
    for (const node_index x : substitute(b, inside, element, array)) before.push_back(at(b, x, index));
    return substitute(b, roots, inside, before);
}

} // namespace dyad

namespace dyad {

/// The container of one result Y of each round, for elements in an Xs: of its kind, and as long.
template <class Y, class Xs>
struct results_like {
    static constexpr Xs make(const Xs& xs) {
        constexpr bool holds = std::is_same_v<std::remove_cvref_t<decltype(xs[0])>, Y>;
        constexpr bool owns = holds && !std::is_same_v<decltype(xs[0]), Y&> && std::is_assignable_v<decltype(std::declval<Xs&>()[0]), const Y&>; // no view
        static_assert(owns, "[dyad] scan, map: the results of the rounds find no container like that of the elements; use a std::array or a std::vector");
        return xs;
    }
};
template <class Y, class X, std::size_t N>
struct results_like<Y, std::array<X, N>> {
    static constexpr std::array<Y, N> make(const std::array<X, N>&) { return {}; }
};
template <class Y, template <class...> class Container, class X, class... More>
    requires(!std::is_same_v<X, Y> && requires { requires std::is_same_v<typename Container<X, More...>::value_type, X>; } && // (no view of a container)
             requires(std::size_t n) { Container<Y>(n)[n] = Y(); })
struct results_like<Y, Container<X, More...>> {
    static constexpr Container<Y> make(const Container<X, More...>& xs) { return Container<Y>(xs.size()); }
};

/// Makes the container of the results Leaf, for elements in an Xs.
template <class Xs>
struct container_maker {
    const Xs& xs;
    template <class Leaf>
    constexpr auto operator()() const {
        return results_like<Leaf, Xs>::make(xs);
    }
};
/// What `f` gives for the elements of xs in turn, in the structure of one result: for each leaf a container, as traced arrays are stacked.
template <class Xs, class Y>
class kept_results {
public:
    constexpr explicit kept_results(const Xs& xs) : containers_(make<Y>(xs)) {}
    constexpr void keep(std::size_t i, const Y& y) { keep(containers_, i, y); }
    [[nodiscard]] constexpr const auto& containers() const { return containers_; }

private:
    /// (What a library's container holds, as an array of recorded numbers, is no structure: it is kept whole.)
    template <class R>
    static constexpr bool is_whole = leaf_type<R> || refused_argument<R>;
    template <class R>
    struct parts {};

    template <class R>
    static constexpr auto make(const Xs& xs) {
        if constexpr (is_whole<R>) {
            return results_like<R, Xs>::make(xs);
        } else if constexpr (requires { std::tuple_size<R>::value; }) {
            return make_parts(parts<R>{}, xs);
        } else {
            return structure<R>::build(container_maker<Xs>{xs});
        }
    }
    template <class R, std::size_t N>
    static constexpr auto make_parts(parts<std::array<R, N>>, const Xs& xs) {
        std::array<decltype(make<R>(xs)), N> each{};
        for (auto& part : each) part = make<R>(xs);
        return each;
    }
    template <class... R>
    static constexpr auto make_parts(parts<std::tuple<R...>>, const Xs& xs) {
        return std::tuple<decltype(make<R>(xs))...>(make<R>(xs)...);
    }
    template <class A, class B>
    static constexpr auto make_parts(parts<std::pair<A, B>>, const Xs& xs) {
        return std::pair<decltype(make<A>(xs)), decltype(make<B>(xs))>(make<A>(xs), make<B>(xs));
    }

    template <class To, class R>
    static constexpr void keep(To& to, std::size_t i, const R& y) {
        if constexpr (is_whole<R>) {
            to[i] = y;
        } else if constexpr (is_std_array<R>) {
            for (std::size_t k = 0; k != y.size(); ++k) keep(to[k], i, y[k]);
        } else {
            auto&& places = parts_of(to);
            auto&& values = parts_of(y);
            [&]<std::size_t... K>(std::index_sequence<K...>) {
                (keep(std::get<K>(places), i, std::get<K>(values)), ...);
            }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(values)>>>{});
        }
    }
    decltype(make<Y>(std::declval<const Xs&>())) containers_;
};

/// Whether arguments are arrays in a trace, rather than containers of numbers or of traced values, one or several.
template <class Xs>
inline constexpr bool are_traced_arrays = has_leaf<tracer, Xs> && (std::same_as<Xs, tracer> || !requires(const Xs& xs) { xs.begin(); });
template <class... Xs>
inline constexpr bool are_traced_arrays<std::tuple<Xs...>> = sizeof...(Xs) > 0 && (are_traced_arrays<Xs> && ...);
template <class X, class Y>
inline constexpr bool are_traced_arrays<std::pair<X, Y>> = are_traced_arrays<X> && are_traced_arrays<Y>;
template <class Xs>
concept traced_arrays_of = are_traced_arrays<Xs>;

/// Whether no expression goes round or is gone through: the functions that capture numbers run on expressions.
template <bool Eager>
constexpr bool without_expressions() {
    static_assert(!Eager, "[dyad] scan, map, vmap: a function that captures numbers cannot scan; pass what it captures as arguments, and choose with grad<...>");
    return !Eager;
}

/// Whether a scan over traced values begins with an array or aggregate of plain real numbers: these share a type, so they are
/// traced from the first round on. (Parts of a tuple are each what the body makes of them: a whole number may be a position.)
template <class State, class Xs>
inline constexpr bool begins_traced = false;
template <plain_structure State, class Xs>
    requires(has_leaf<tracer, Xs> && !leaf_type<State> && (is_std_array<State> || !requires { std::tuple_size<State>::value; }))
inline constexpr bool begins_traced<State, Xs> = []<class... Leaves>(std::type_identity<std::tuple<Leaves...>>) {
    return (real_number<Leaves> && ...);
}(std::type_identity<leaf_types<State>>{});

/// What becomes of the state in a round of a scan over elements X: for its type alone.
template <class Body, class X>
struct scan_round {
    template <class S>
    auto operator()(const S&) const -> std::remove_cvref_t<decltype(std::get<0>(std::declval<std::invoke_result_t<const Body&, const S&, const X&>&>()))>;
};

/// Records a loop over the first axes of arrays; `body(state, elements)` gives the next state and the round's results.
template <class Body, class State, class Xs>
constexpr auto record_scan(const Body& body, const State& state, const Xs& xs, stored_steps stored) {
    using parts = std::remove_cvref_t<std::invoke_result_t<const Body&, traced<State>&, traced<Xs>&>>;
    using result_type = std::remove_cvref_t<decltype(std::get<1>(std::declval<parts&>()))>;
    builder& b = *home_of(xs);
    const list<node_index> arrays = state_nodes(b, xs);
    check_rows(b, arrays);
    const node_index rounds = b[arrays[0]].rank == 0 ? b.constant(exact(0)) : b.emit({.op = opcode::extent, .operand = {arrays[0], 0, 0}, .bits = std::uint64_t{1} << (b[arrays[0]].rank - 1)});
    const node_index index = b.parameter(element::integer);
    node_index loop = no_node;
    list<node_index> kept;
    const list<node_index> last = record_carries(
        b, "scan", state_nodes(b, state),
        [&](const list<node_index>& parameters) {
            list<node_index> elements;
            for (const node_index x : arrays) elements.push_back(at(b, x, index));
            auto now = structured<State>(b, parameters);
            auto element = structured<Xs>(b, elements);
            const auto next = body(now, element);
            list<node_index> after = state_nodes(b, std::get<0>(next));
            const std::size_t values = after.size();
            for (const node_index k : state_nodes(b, std::get<1>(next))) after.push_back(k);
            if (is(stored.kind, storing::values)) after = lift_elements(b, index, batch_results(b, index, after, values)); // (all rounds' at once)
            kept = {};
            for (; after.size() > values; after.pop_back()) kept.push_back(after.back());
            return after;
        },
        [&](node_index chain) {
            return loop = b.add({.op = opcode::loop, .operand = {rounds, chain, 0}, .bits = loop_bits(b[index].bits, false, stored)});
        });
    list<node_index> stacked;
    for (std::size_t k = kept.size(); k-- > 0;) { // the last one was taken first
        const node n = b[kept[k]];
        const bool there = n.is(opcode::at) && n.operand[1] == index; // it is computed for all elements
        stacked.push_back(there ? n.operand[0] : history(b, loop, kept[k]));
    }
    return std::pair{structured<State>(b, last), structured<result_type>(b, stacked)};
}

/// (state, y) = body(state, x) for the elements x of xs along the first axis, in order; returns the last state and all y,
/// stacked. xs is a container of numbers, or an array (or a tuple or aggregate of arrays, of equal first axes). `stored` is
/// what reverse mode keeps, as for fori_loop.
/// Throws shape_error if the first axes differ.
/// Example: cumulative sums, `scan([](auto s, auto x) { return std::pair{s + x, s + x}; }, 0.0, xs).second`
template <class Body, class State, class Xs, steps_to_store Stored = decltype(store_values)>
constexpr auto scan(const Body& body, const State& state, const Xs& xs, Stored stored = {}) {
    if constexpr (traced_arrays_of<Xs>) {
        if constexpr (!is_body<loop_kind::scan, State, Body, traced<State>&, traced<Xs>&>()) {
            return std::pair{state, state};
        } else {
            return record_scan(body, state, xs, stored.value);
        }
    } else if constexpr (!without_expressions<has_eager<State, Xs>>()) {
        return std::pair{state, state};
    } else if constexpr (has_rows<Xs>) {
        static_assert(!has_rows<Xs>, "[dyad] scan, map: over the rows of an array of numbers that is not traced; call vmap(f)(X), or the function that scans "
                                     "through dyad::kernel or a transform; on a tape, through tape.apply");
        return std::pair{state, state};
    } else if constexpr (begins_traced<State, Xs>) {
        return scan(body, as_traced(state), xs, stored);
    } else if constexpr (!has_elements<Xs>()) {
        return std::pair{state, state}; // one mistake, one message
    } else if constexpr (!is_body<loop_kind::scan, State, Body, const State&, const decltype(sequence_at(xs, 0))&>()) {
        return std::pair{state, state};
    } else {
        using element_type = decltype(sequence_at(xs, 0));
        using parts = std::remove_cvref_t<std::invoke_result_t<const Body&, const State&, const element_type&>>;
        using next_type = std::remove_cvref_t<decltype(std::get<0>(std::declval<parts&>()))>;
        if constexpr (!without_expressions<has_eager<next_type>>()) { // which the body took from around
            return std::pair{state, state};
        } else {
            using state_type = typename settled_round<scan_round<Body, element_type>, State>::type;
            using kept_type = std::remove_cvref_t<decltype(std::get<1>(std::declval<std::invoke_result_t<const Body&, const state_type&, const element_type&>&>()))>;
            auto now = as_round<state_type>(state);
            using kept_round = typename round_type<at_rest_t<kept_type>, at_rest_t<kept_type>>::type;
            kept_results<std::remove_cvref_t<decltype(first_sequence(xs))>, kept_round> kept(first_sequence(xs));
            const std::size_t length = sequence_length(xs);
            for (std::size_t i = 0; i < length; ++i) {
                const element_type element = sequence_at(xs, i);
                const auto next = body(now, element);
                auto after = as_round<state_type>(std::get<0>(next)); // (what is kept may refer to the state before)
                kept.keep(i, as_round<kept_round>(std::get<1>(next)));
                now = std::move(after);
            }
            return std::pair{now, kept.containers()};
        }
    }
}

/// Whether `F` takes the elements of xs; says so if not. (What is no sequence, `scan` refuses.)
template <class F, class Xs>
constexpr bool maps() {
    constexpr bool takes = [] {
        if constexpr (traced_arrays_of<Xs>) {
            return requires(const F& f, traced<Xs>& x) { f(x); };
        } else if constexpr (!has_rows<Xs> && requires(const Xs& xs) { sequence_at(xs, 0); }) {
            return requires(const F& f, const decltype(sequence_at(std::declval<const Xs&>(), 0))& x) { f(x); };
        } else {
            return true;
        }
    }();
    static_assert(takes, "[dyad] map: the function cannot be called so; it takes one element of xs, a tuple where xs is a tuple of arrays: map(f, xs)");
    return takes;
}

/// f of each element of xs along the first axis, stacked. What works element by element, sums over elements and takes parts of them
/// runs on the whole arrays, not in a loop (pass/batch_results.hpp).
/// Example: `map([](auto row) { return norm(row); }, X)`
template <class F, class Xs>
constexpr auto map(const F& f, const Xs& xs) {
    if constexpr (!maps<F, Xs>()) {
        return xs;
    } else {
        return scan([&](const auto& state, const auto& x) { return std::pair{state, f(x)}; }, std::tuple<>{}, xs).second;
    }
}

/// See `vmap`.
template <class F>
class batched {
public:
    constexpr batched() = default;
    constexpr explicit batched(F f) : f_(std::move(f)) {}

    template <class... S>
    constexpr auto operator()(const S&... s) const {
        if constexpr (has_array<S...> && !stateless<F>) {
            static_assert(stateless<F>, "[dyad] vmap: the function captures numbers or arrays; pass what it captures as an argument of the function around: "
                                        "dyad::evaluate([](auto X, auto c) { return dyad::vmap([&](auto x) { return c * x; })(X); }, X, c)");
        } else if constexpr (has_array<S...>) {
            return backend_for<transform::value, positions<>, batched, S...>::values(*this, s...);
        } else {
            return map([&](const auto& x) { return unpack(f_, x); }, std::tuple<S...>(s...));
        }
    }

private:
    [[no_unique_address]] F f_;
};

/// f of a batch: `vmap(f)(X, Y)` is f at the elements (rows, planes ...) of all arguments along their first axes, the
/// results stacked along a new one. It composes with the transforms: `vmap(grad(f))` is the gradient at each element,
/// `grad([](auto X) { return sum(vmap(f)(X)); })` that of a sum over the batch.
/// Throws shape_error if the first axes differ.
template <class F>
constexpr auto vmap(F f) {
    return batched<F>(std::move(f));
}

} // namespace dyad

// ---- dyad/api/vjp.hpp
// Cotangent times Jacobian (vjp), without the matrix: the value, and a pullback that holds what it needs of it.

// ---- dyad/pass/split.hpp
// Cuts a graph in two by what is known first: what does not depend on the late inputs is computed once, and the
// values that the rest needs of it (the residuals) are handed over. So a pullback can be called repeatedly
// without computing the function again. Residuals are numbers: a condition is decided anew from the numbers that
// it compares.

namespace dyad {

struct split_graph {
    graph early; ///< outputs: the first `kept` outputs of the whole, then the residuals
    graph late;  ///< inputs: the residuals, then the late inputs; outputs: the other outputs
};

/// Inputs from `late_from` on are late. The first `kept` outputs must not depend on them.
constexpr split_graph split(graph_view g, std::uint32_t late_from, std::size_t kept) {
    list<bool> late(g.size), needed(g.size), again(g.size);
    const auto need = [&](node_index i) { (g[i].type == element::boolean ? again : needed)[i] = true; };
    for (std::size_t i = 0; i < g.size; ++i) {
        const node& n = g[i];
        late[i] = n.op == opcode::input && n.bits >= late_from;
        for (int k = 0; k < n.arity(); ++k) late[i] = late[i] || late[n.operand[k]];
        for (int k = 0; k < n.arity() && late[i]; ++k) need(n.operand[k]);
    }
    for (std::size_t k = kept; k < g.output_count; ++k) need(g.outputs[k]);
    for (std::size_t i = g.size; i-- > 0;) {
        for (int k = 0; k < g[i].arity() && again[i]; ++k) need(g[i].operand[k]);
    }

    builder first, second;
    list<node_index> first_place(g.size, no_node), second_place(g.size, no_node), outputs;
    list<std::size_t> residuals;
    for (std::size_t i = 0; i < g.size; ++i) {
        node n = g[i];
        if (late[i]) continue;
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = first_place[n.operand[k]];
        first_place[i] = n.op == opcode::input
                             ? first.input(static_cast<std::uint32_t>(n.bits), n.type)
                             : first.add(n);
        if (needed[i] && n.op != opcode::constant) residuals.push_back(i);
    }
    for (std::size_t k = 0; k < kept; ++k) outputs.push_back(first_place[g.outputs[k]]);
    for (std::size_t r = 0; r < residuals.size(); ++r) {
        outputs.push_back(first_place[residuals[r]]);
        second_place[residuals[r]] =
            second.input(static_cast<std::uint32_t>(r), g[residuals[r]].type);
    }
    split_graph result;
    result.early = first.finish(outputs);
    result.early.input_count = late_from;

    const auto count = static_cast<std::uint32_t>(residuals.size());
    for (std::size_t i = 0; i < g.size; ++i) {
        node n = g[i];
        if (second_place[i] != no_node) continue;
        if (n.op == opcode::constant && (needed[i] || again[i])) second_place[i] = second.add(n);
        if (!late[i] && (!again[i] || n.op == opcode::constant)) continue;
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = second_place[n.operand[k]];
        const auto number = static_cast<std::uint32_t>(n.bits) - late_from + count;
        second_place[i] = n.op == opcode::input && late[i] ? second.input(number, n.type) : second.add(n);
    }
    list<node_index> rest;
    for (std::size_t k = kept; k < g.output_count; ++k) rest.push_back(second_place[g.outputs[k]]);
    result.late = second.finish(rest);
    result.late.input_count = count + g.input_count - late_from;
    return result;
}

} // namespace dyad

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// The two halves of a pullback: what is computed with the value, and what waits for the cotangents.
template <class F, class Wrt, class... S>
struct pullback_program {
    using source = traced_program<F, policy_of<F>(), S...>;
    static constexpr std::size_t values = source::graph.view().output_count;

    /// The values, then the pullback of cotangents that are inputs.
    struct joined {
        struct make {
            constexpr dyad::graph operator()() const {
                dyad::graph g = differentiate<rules_in<source>>(source::graph, transform::vjp, inputs_at<S...>(Wrt{}), policy_of<F>());
                builder b(rewriter_of(policy_of<F>()));
                list<node_index> outputs = b.append(source::graph, true);
                for (const node_index i : b.append(g, true)) outputs.push_back(i);
                g = b.finish(outputs);
                g.input_count = static_cast<std::uint32_t>(source::graph.input_count + values);
                return g;
            }
        };
        static constexpr const auto& graph = frozen<make, 4 * source::graph.view().size + 64,
                                                    source::graph.view().input_count + values>::value;
    };
    static constexpr const auto& whole = lowered_program<joined, policy_of<F>()>::graph;
    template <bool Early>
    struct half {
        static constexpr bool contracts = policy_of<F>() == policy::fast;
        struct make {
            constexpr dyad::graph operator()() const {
                const split_graph both = split(whole, source::graph.input_count, values);
                return Early ? both.early : both.late;
            }
        };
        static constexpr const auto& graph =
            frozen<make, whole.view().size, whole.view().size + values>::value;
    };
};

/// Whether `C` is a cotangent of a result `Result`; says if not.
template <class Result, class C>
constexpr bool takes_cotangent() {
    constexpr bool takes = has_structure<Result, C>();
    static_assert(takes, "[dyad] pullback: the cotangent must have the structure of the function's result");
    return takes;
}
/// What stands for a pullback that there is not, so that one mistake gives one message.
template <class Wrt, class... S>
struct refused_pullback {
    template <class... C>
    constexpr auto operator()(const C&...) const {
        if constexpr (sizeof...(S) == 1 || is_one_position<Wrt>) {
            return 0.0;
        } else {
            return std::tuple{(static_cast<void>(std::type_identity<S>{}), 0.0)...};
        }
    }
};
template <class Wrt, class... S>
constexpr auto refuse_cotangents() {
    static_assert(never<S...>, "[dyad] pullback: it takes one cotangent, with the structure of the function's result; pass that of several results as a tuple");
    return refused_pullback<Wrt, S...>()();
}

/// cotangents of the arguments from cotangents of the result; holds the residuals, and can be called repeatedly.
template <class Program, class T, class Result, class Wrt, class... S>
struct compiled_pullback {
    static constexpr std::size_t residual_count =
        Program::template half<true>::graph.view().output_count - Program::values;
    std::array<T, residual_count> residuals;

    template <class C>
    DYAD_FN constexpr auto operator()(const C& cotangent) const {
        using late = typename Program::template half<false>;
        if constexpr (!takes_cotangent<Result, values_in<C>>()) {
            return refused_pullback<Wrt, S...>()(0);
        } else if constexpr (has_leaf<tracer, C> && has_eager<C>) {
            return (*this)(beside_traced(cotangent));
        } else if constexpr (has_eager<C>) {
            using result = decltype(gradient_result<S...>(Wrt{}, std::declval<const tracer*>()));
            return recorded_structure<record_late, result>(flat_operands(residuals, cotangent));
        } else if constexpr (has_leaf<tracer, C>) {
            const auto results = record<late::graph.view().output_count>(late::graph, cotangent);
            return gradient_result<S...>(Wrt{}, results.data());
        } else {
            using given = common_leaf<T, C>;
            using V = std::conditional_t<number<given>, T, given>; // (a recorded cotangent of plain arguments has derivatives, too)
            const auto input = flat_inputs<V>(residuals, cotangent);
            const auto results = kernel_of<late>::template run<V>(input.data());
            return gradient_result<S...>(Wrt{}, results.data());
        }
    }
    template <class... C>
        requires(sizeof...(C) != 1)
    constexpr auto operator()(const C&...) const {
        return refuse_cotangents<Wrt, S...>();
    }

private:
    struct record_late {
        constexpr list<node_index> operator()(builder& b, const list<node_index>& operands) const {
            return b.append(Program::template half<false>::graph, operands);
        }
    };
    /// In a trace the residuals are constants. (The late half is linear in the cotangents: nothing in it is lowered
    /// to what has no derivative.)
    template <std::size_t Count, class C>
    constexpr std::array<tracer, Count> record(graph_view late, const C& cotangent) const {
        builder& b = *home_of(cotangent);
        list<node_index> inputs;
        for (const T& residual : residuals) inputs.push_back(b.constant(exact(residual), element_of<T>()));
        for_each_leaf([&](const auto& leaf) { inputs.push_back(tracer(leaf).in(b)); }, cotangent);
        const list<node_index> nodes = b.append(late, inputs);
        std::array<tracer, Count> results{};
        for (std::size_t i = 0; i < Count; ++i) results[i] = tracer(b, nodes[i]);
        return results;
    }
};

/// A pullback that keeps the function and its arguments: in a trace, and for functions with captured numbers.
template <class F, class Result, class Wrt, class... S>
struct recomputing_pullback {
    kept_function<F> f;
    std::tuple<S...> arguments;

    template <class C>
    constexpr auto operator()(const C& cotangent) const {
        if constexpr (stand_beside_traced<F, C, S...>()) {
            return unpack([&](const auto&... s) {
                return recomputing_pullback<F, Result, Wrt, decltype(beside_traced(s))...>{f, {beside_traced(s)...}}(beside_traced(cotangent));
            }, arguments);
        } else if constexpr (takes_cotangent<Result, values_in<C>>()) {
            return unpack(
                [&](const auto&... s) {
                    if constexpr (has_eager<C> || runs_on_expressions<F, S...>()) {
                        using result = decltype(gradient_result<values_in<S>...>(Wrt{}, std::declval<const tracer*>()));
                        return expression_transform<transform::vjp, Wrt, result>(f.get(), std::tuple<const C&>(cotangent), s...);
                    } else {
                        const auto results = run_transform<transform::vjp, Wrt>(f.get(), std::tuple<const C&>(cotangent), s...);
                        return gradient_result<S...>(Wrt{}, results.data());
                    }
                },
                arguments);
        } else {
            return refused_pullback<Wrt, S...>()(0);
        }
    }
    template <class... C>
        requires(sizeof...(C) != 1)
    constexpr auto operator()(const C&...) const {
        return refuse_cotangents<Wrt, S...>();
    }
};

template <class Wrt, class F>
class reverse_product {
public:
    static constexpr policy rewriting = policy_of<F>();

    constexpr reverse_product() = default;
    constexpr explicit reverse_product(F f) : f_(std::move(f)) {}

    template <class... S>
    DYAD_FN constexpr auto operator()(const S&... s) const {
        using wrt = typename chosen_positions<Wrt, sizeof...(S)>::type;
        if constexpr (stand_beside_traced<F, std::tuple<>, S...>()) {
            return (*this)(beside_traced(s)...);
        } else if constexpr (runs_on_expressions<F, S...>()) {
            return of_expressions<wrt>(s...);
        } else if constexpr (has_array<S...> || transform_makes_arrays<F, S...>()) {
            return backend_for<transform::vjp, wrt, F, S...>::run_pullback(f_, s...);
        } else if constexpr (usable<F, S...>() && has_arguments<sizeof...(S)>(wrt{})) {
            if constexpr (makes_arrays<F, S...>()) {
                return backend_for<transform::vjp, wrt, F, S...>::run_pullback(f_, s...);
            } else {
                return run<wrt>(s...);
            }
        } else {
            return std::pair{instead_of_result(s...), refused_pullback<Wrt, S...>{}};
        }
    }

private:
    /// A condition among the arguments cannot be a residual, which is a number; nor can what loops and branches keep.
    template <class... S>
    static constexpr bool keeps_residuals() {
        if constexpr (stateless<F> && !has_leaf<tracer, S...> && !has_leaf<bool, S...>) {
            return !has_regions(traced_program<F, policy_of<F>(), S...>::graph);
        } else {
            return false;
        }
    }
    template <class wrt, class... S>
    constexpr auto of_expressions(const S&... s) const {
        if constexpr (usable_on_expressions<transform::vjp, wrt, F, values_in<S>...>() && has_arguments<sizeof...(S)>(wrt{})) {
            using result = result_in_expressions<F, S...>;
            using made = decltype(value_result<result>(std::declval<const tracer*>()));
            const auto value = expression_transform<transform::value, wrt, made>(f_, std::tuple<>{}, s...);
            if constexpr (has_array<values_in<S>..., values_in<std::remove_const_t<decltype(value)>>>) {
                return std::make_pair(value, backend_for<transform::vjp, wrt, F, values_in<S>...>::pullback_in_expressions(f_, value, s...));
            } else {
                return std::make_pair(value, recomputing_pullback<F, result, wrt, S...>{{f_}, std::make_tuple(s...)});
            }
        } else {
            return std::pair{instead_of_result(s...), refused_pullback<Wrt, S...>{}};
        }
    }
    template <class wrt, class... S>
    DYAD_FN constexpr auto run(const S&... s) const {
        using result = result_of<F, S...>;
        check_call<F, S...>(wrt{});
        if constexpr (keeps_residuals<S...>()) {
            using T = common_leaf<S...>;
            using program = pullback_program<F, wrt, S...>;
            const auto input = flat_inputs<T>(s...);
            const auto early =
                kernel_of<typename program::template half<true>>::template run<T>(input.data());
            compiled_pullback<program, T, result, wrt, S...> pull{};
            copy_numbers<pull.residuals.size()>(early.data() + program::values, pull.residuals.data());
            return std::make_pair(value_result<result>(early.data()), pull);
        } else {
            const auto values = run_transform<transform::value, wrt>(f_, std::tuple<>{}, s...);
            return std::make_pair(value_result<result>(values.data()), recomputing_pullback<F, result, wrt, S...>{{f_}, std::make_tuple(s...)});
        }
    }

    [[no_unique_address]] F f_;
};

/// f and its pullback: `auto [w, pullback] = vjp(f)(1.5, 2.0); auto [dx, dy] = pullback(1.0);`
template <std::size_t... Item, class F>
constexpr auto vjp(F f) {
    return reverse_product<positions<Item...>, F>(std::move(f));
}

} // namespace dyad
DYAD_BOTH_SIDES_END


#define DYAD_SINGLE_HEADER // base/config.hpp asks for it
