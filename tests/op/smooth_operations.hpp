// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The list of smooth operations of one and of two arguments, each as h = 3 op(2x) or 3 op(2x, 2y),
// with its rows of reference_table.hpp and how far a result may be from them. Each function hands
// its entries to visit(name, rows, tolerance, h), so that the same list serves double, float, long
// double and every mode.
#pragma once

#include "check.hpp"
#include "reference_table.hpp"

#include <algorithm>

namespace dyad_test {

/// How far from the table. The argument 2x is exact, so an error is the operation's own, plus two
/// roundings.
struct tolerance {
    /// the value, in units of epsilon; 2 where libm rounds to within an ulp, more where glibc
    /// documents more
    double value = 2;
    /// relative errors of derivatives 1, 2, 3: some 45, 450 and 4,500 epsilon
    double slope[3] = {1e-14, 1e-13, 1e-12};
    /// the relative error is of the table's scale |d| + |x d'|, not of |d|: where a difference such
    /// as 1 - x x or a zero of the derivative makes even a perfectly rounded rule lose digits; from
    /// this order on (4: never)
    int conditioned_from = 4;
    /// plus this many epsilon (times 3 2^order), for rules such as 1 - tanh^2 in the saturated
    /// region
    double floor = 0;
    /// derivatives come from a series with double coefficients: long double results have double
    /// accuracy
    bool double_series = false;
};

/// What order `order` with this reference and scale may be off by, in units where epsilon is that
/// of T.
template <class T>
T allowed(const tolerance& limit, int order, T want, T scale) {
    const T in_epsilons =
        T(order ? limit.slope[order - 1] / std::numeric_limits<double>::epsilon() : limit.value);
    const T size = order >= limit.conditioned_from ? scale : (want < 0 ? -want : want);
    const T floor = order ? T(limit.floor) * T(3 << order) : T(0);
    return (in_epsilons * size + floor) * std::numeric_limits<T>::epsilon() +
           std::numeric_limits<T>::min();
}

inline constexpr tolerance exact{0, {0, 0, 0}};
inline constexpr tolerance near_branch{3, {1e-14, 1e-13, 1e-12}, 1};
/// as near_branch; the floor lets a rule say (1 - x)(1 + x) for 1 - x x, whose second derivatives
/// cancel around 0
inline constexpr tolerance near_unit{3, {1e-14, 1e-13, 1e-12}, 1, 4};

template <class Visit>
void for_each_power(Visit visit) {
    visit("negate", reference::negate, exact, [](auto x) { return 3 * -(2 * x); });
    visit("reciprocal", reference::reciprocal, tolerance{},
          [](auto x) { return 3 * (1 / (2 * x)); });
    visit("abs", reference::abs, exact, [](auto x) { return 3 * dyad::abs(2 * x); });
    visit("relu", reference::relu, exact, [](auto x) { return 3 * dyad::relu(2 * x); });
    visit("square", reference::square, tolerance{}, [](auto x) { return 3 * dyad::square(2 * x); });
    visit("cube", reference::cube, tolerance{}, [](auto x) { return 3 * dyad::cube(2 * x); });
    visit("pow(., 3)", reference::pow_3, tolerance{},
          [](auto x) { return 3 * dyad::pow(2 * x, 3); });
    visit("pow(., 7)", reference::pow_7, tolerance{4},
          [](auto x) { return 3 * dyad::pow(2 * x, 7); });
    // by repeated squaring the early roundings are raised too: up to n / 2 epsilon, mostly far less
    visit("pow(., 60)", reference::pow_60, tolerance{16},
          [](auto x) { return 3 * dyad::pow(2 * x, 60); });
    // (A quotient: forward and reverse multiply its slope in another order.)
    visit("pow(., -2)", reference::pow_minus_2, tolerance{},
          [](auto x) { return 3 * dyad::pow(2 * x, -2); });
    visit("pow(., 2.5)", reference::pow_2_5, tolerance{},
          [](auto x) { return 3 * dyad::pow(2 * x, 2.5); });
    visit("pow(2, .)", reference::pow_of_2, tolerance{},
          [](auto x) { return 3 * dyad::pow(2, 2 * x); });
    visit("sqrt", reference::sqrt, tolerance{}, [](auto x) { return 3 * dyad::sqrt(2 * x); });
    visit("cbrt", reference::cbrt, tolerance{5},
          [](auto x) { return 3 * dyad::cbrt(2 * x); }); // glibc: 4 ulp
}

template <class Visit>
void for_each_exponential(Visit visit) {
    visit("exp", reference::exp, tolerance{}, [](auto x) { return 3 * dyad::exp(2 * x); });
    visit("exp2", reference::exp2, tolerance{}, [](auto x) { return 3 * dyad::exp2(2 * x); });
    visit("expm1", reference::expm1, tolerance{}, [](auto x) { return 3 * dyad::expm1(2 * x); });
    visit("log", reference::log, tolerance{}, [](auto x) { return 3 * dyad::log(2 * x); });
    visit("log2", reference::log2, tolerance{}, [](auto x) { return 3 * dyad::log2(2 * x); });
    visit("log10", reference::log10, tolerance{3},
          [](auto x) { return 3 * dyad::log10(2 * x); }); // glibc: 2 ulp
    visit("log1p", reference::log1p, tolerance{}, [](auto x) { return 3 * dyad::log1p(2 * x); });
    // s (1 - s) cancels where s is near 1; the floor is a few epsilon of the largest slope
    tolerance saturating{3};
    saturating.floor = 8;
    visit("sigmoid", reference::sigmoid, saturating,
          [](auto x) { return 3 * dyad::sigmoid(2 * x); });
    visit("softplus", reference::softplus, saturating,
          [](auto x) { return 3 * dyad::softplus(2 * x); });
}

template <class Visit>
void for_each_trigonometric(Visit visit) {
    visit("sin", reference::sin, tolerance{}, [](auto x) { return 3 * dyad::sin(2 * x); });
    visit("cos", reference::cos, tolerance{}, [](auto x) { return 3 * dyad::cos(2 * x); });
    visit("tan", reference::tan, tolerance{}, [](auto x) { return 3 * dyad::tan(2 * x); });
    visit("asin", reference::asin, near_unit, [](auto x) { return 3 * dyad::asin(2 * x); });
    visit("acos", reference::acos, near_unit, [](auto x) { return 3 * dyad::acos(2 * x); });
    visit("atan", reference::atan, tolerance{}, [](auto x) { return 3 * dyad::atan(2 * x); });
    // (cos x - sinc x) / x and its derivatives cancel near 0, where slope and third derivative are
    // themselves 0
    tolerance cancelling{};
    cancelling.floor = 16;
    visit("sinc", reference::sinc, cancelling, [](auto x) { return 3 * dyad::sinc(2 * x); });
}

template <class Visit>
void for_each_hyperbolic(Visit visit) {
    tolerance saturating{3}; // 1 - tanh^2, as for sigmoid
    saturating.floor = 8;
    visit("sinh", reference::sinh, tolerance{3},
          [](auto x) { return 3 * dyad::sinh(2 * x); }); // glibc: 2 ulp
    visit("cosh", reference::cosh, tolerance{3}, [](auto x) { return 3 * dyad::cosh(2 * x); });
    visit("tanh", reference::tanh, saturating, [](auto x) { return 3 * dyad::tanh(2 * x); });
    visit("asinh", reference::asinh, tolerance{3}, [](auto x) { return 3 * dyad::asinh(2 * x); });
    visit("acosh", reference::acosh, near_branch, [](auto x) { return 3 * dyad::acosh(2 * x); });
    visit("atanh", reference::atanh, near_unit, [](auto x) { return 3 * dyad::atanh(2 * x); });
}

template <class Visit>
void for_each_special(Visit visit) {
    // exp(-x x): the rounding of x x moves the result by x x epsilon, which is its condition
    visit("erf", reference::erf, near_branch, [](auto x) { return 3 * dyad::erf(2 * x); });
    visit("erfc", reference::erfc, tolerance{6, {1e-14, 1e-13, 1e-12}, 1},
          [](auto x) { return 3 * dyad::erfc(2 * x); });
    // digamma and its derivatives are series here and reflected left of 0: an order of magnitude
    // for them. The value of digamma has a zero at 1.4616..., where only the scale can be the
    // yardstick.
    visit("tgamma", reference::tgamma, tolerance{12, {1e-13, 1e-12, 1e-11}, 1, 0, true},
          [](auto x) { return 3 * dyad::tgamma(2 * x); });
    visit("lgamma", reference::lgamma, tolerance{6, {1e-13, 1e-12, 1e-11}, 1, 0, true},
          [](auto x) { return 3 * dyad::lgamma(2 * x); });
    visit("digamma", reference::digamma, tolerance{12, {1e-13, 1e-12, 1e-11}, 0, 0, true},
          [](auto x) { return 3 * dyad::digamma(2 * x); });
}

template <class Visit>
void for_each_smooth(Visit visit) {
    for_each_power(visit);
    for_each_exponential(visit);
    for_each_trigonometric(visit);
    for_each_hyperbolic(visit);
    for_each_special(visit);
}

/// Visits with a flag more: is every partial judged on its own, or by the largest of its order?
/// Partials of hypot, atan2 and logsumexp are differences such as 1/r - x x / r^3, small ones
/// beside large ones.
template <class Visit>
void for_each_binary(Visit visit) {
    tolerance conditioned{2, {1e-14, 1e-13, 1e-12}, 1};
    tolerance saturating = conditioned; // s (1 - s), as for sigmoid
    saturating.floor = 8;
    visit("+", reference::add, tolerance{2, {0, 0, 0}}, true,
          [](auto x, auto y) { return 3 * (2 * x + 2 * y); });
    visit("-", reference::subtract, tolerance{2, {0, 0, 0}}, true,
          [](auto x, auto y) { return 3 * (2 * x - 2 * y); });
    visit("*", reference::multiply, tolerance{2, {0, 0, 0}}, true,
          [](auto x, auto y) { return 3 * ((2 * x) * (2 * y)); });
    visit("/", reference::divide, tolerance{}, true,
          [](auto x, auto y) { return 3 * ((2 * x) / (2 * y)); });
    visit("pow", reference::pow, conditioned, true,
          [](auto x, auto y) { return 3 * dyad::pow(2 * x, 2 * y); });
    visit("hypot", reference::hypot, tolerance{}, false,
          [](auto x, auto y) { return 3 * dyad::hypot(2 * x, 2 * y); });
    visit("atan2", reference::atan2, tolerance{}, false,
          [](auto x, auto y) { return 3 * dyad::atan2(2 * x, 2 * y); });
    visit("fmod", reference::fmod, exact, true,
          [](auto x, auto y) { return 3 * dyad::fmod(2 * x, 2 * y); });
    visit("logsumexp", reference::logsumexp, saturating, false,
          [](auto x, auto y) { return 3 * dyad::logsumexp(2 * x, 2 * y); });
    visit("xlogy", reference::xlogy, tolerance{}, true,
          [](auto x, auto y) { return 3 * dyad::xlogy(2 * x, 2 * y); });
}

} // namespace dyad_test
