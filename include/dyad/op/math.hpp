// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The functions of <cmath> for every plain value: numbers use the standard library (in constant evaluation
// the compiler's built-ins, or dyad::constant where the compiler has none), vectors their own overloads,
// found by argument-dependent look-up, or lane by lane what they lack.
#pragma once

#include <cmath>
#include <type_traits>

#include <dyad/op/constant_math.hpp>
#include <dyad/op/operand.hpp>

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
