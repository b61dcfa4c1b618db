// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The error function together with the e^(-x²) of its derivative. An error function of its own computes that
// exponential too, or as much again; here it is computed once.
#pragma once

#include <limits>

#include <dyad/op/contraction.hpp>
#include <dyad/op/math.hpp>

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
