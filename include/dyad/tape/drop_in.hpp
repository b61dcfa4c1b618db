// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What templated numerical code asks of its number type beside arithmetic: classification, limits, common types, and the
// functions of <cmath> that are no operations of a graph.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <istream>
#include <limits>
#include <ostream>

#include <dyad/tape/active.hpp>
#include <dyad/tape/dual.hpp>

namespace dyad {

template <class T>
concept run_time_number = active_number<T> || deferred_value<T>;

#define DYAD_CLASSIFICATION(name)                                                                    \
    template <run_time_number X>                                                                     \
    constexpr auto name(const X& x) {                                                                \
        return std::name(bottom_value(x));                                                           \
    }
DYAD_CLASSIFICATION(isnan)
DYAD_CLASSIFICATION(isinf)
DYAD_CLASSIFICATION(isfinite)
DYAD_CLASSIFICATION(isnormal)
DYAD_CLASSIFICATION(signbit)
DYAD_CLASSIFICATION(fpclassify)
DYAD_CLASSIFICATION(lround)
DYAD_CLASSIFICATION(llround)
DYAD_CLASSIFICATION(lrint)
DYAD_CLASSIFICATION(llrint)
DYAD_CLASSIFICATION(ilogb)
#undef DYAD_CLASSIFICATION

/// What a function of operands X gives: their common number, computed operation by operation if one of them is.
template <class... X>
using number_of = std::conditional_t<(immediate_number<X> || ...), immediate<typename common_active<X...>::type>, typename common_active<X...>::type>;

/// x 2ⁿ, rounded once: by powers of 2 that the number type has, the greatest at the end.
template <run_time_number X>
constexpr auto ldexp(const X& x, int n) {
    using number = typename common_active<X>::type;
    using plain = std::remove_cvref_t<decltype(bottom_value(x))>;
    constexpr int most = std::numeric_limits<plain>::max_exponent - 2, all = 4 * most;
    number y(x);
    for (int left = n < -all ? -all : n > all ? all : n; left != 0;) {
        const int rest = left % most, step = rest != 0 ? rest : left < 0 ? -most : most;
        y = computed_within<number>(y * std::ldexp(plain(1), step));
        left -= step;
    }
    return number_of<X>(y);
}
template <run_time_number X>
constexpr auto scalbn(const X& x, int n) {
    return ldexp(x, n);
}
template <run_time_number X>
constexpr auto scalbln(const X& x, long n) {
    constexpr long most = 100000; // beyond all exponents
    return ldexp(x, static_cast<int>(std::clamp(n, -most, most)));
}
/// The number in [1/2, 1) that times 2 to the `exponent` is x: slope 2 to the -exponent.
template <run_time_number X>
constexpr auto frexp(const X& x, int* exponent) {
    const auto value = bottom_value(x);
    *exponent = 0;
    if (value - value == 0) static_cast<void>(std::frexp(value, exponent));
    return ldexp(x, -*exponent);
}
/// The exponent of x; slope 0.
template <run_time_number X>
constexpr auto logb(const X& x) {
    return number_of<X>(std::logb(bottom_value(x)));
}
/// The nearest whole number; slope 0.
template <run_time_number X>
constexpr auto rint(const X& x) {
    return number_of<X>(std::rint(bottom_value(x)));
}
template <run_time_number X>
constexpr auto nearbyint(const X& x) {
    return number_of<X>(std::nearbyint(bottom_value(x)));
}

/// Operands of functions whose slopes are known where they are called: from_partials.
template <class... X>
inline constexpr bool run_time_operands = (run_time_number<X> || ...) && (active_operand<X> && ...);

/// What is behind the point: slope 1. The whole part has slope 0, as of trunc.
template <run_time_number X, active_number Whole>
    requires(std::is_same_v<typename common_active<X>::type, typename Whole::active_type>)
auto modf(const X& x, Whole* whole) {
    using A = typename Whole::active_type;
    using std::modf;
    const A operand(x);
    const typename A::value_type one(1);
    typename A::value_type part;
    const auto rest = modf(operand.value(), &part);
    *whole = Whole(part);
    return number_of<X>(A::from_partials(rest, &one, &operand, 1));
}
/// x - n y with the whole number n nearest to x/y, the even one if two are: slope 1 in x, -n in y.
template <class X, class Y>
    requires run_time_operands<X, Y>
auto remainder(const X& x, const Y& y) {
    using A = typename common_active<X, Y>::type;
    using T = typename A::value_type;
    using std::remainder;
    const A operand[] = {A(x), A(y)};
    const auto rest = remainder(operand[0].value(), operand[1].value());
    const auto n = std::round((bottom_value(operand[0]) - bottom_value(rest)) / bottom_value(operand[1]));
    const T partial[] = {T(1), T(0 - n)};
    return number_of<X, Y>(A::from_partials(rest, partial, operand, 2));
}
/// The same, and the last bits of n.
template <class X, class Y>
    requires run_time_operands<X, Y>
auto remquo(const X& x, const Y& y, int* quotient) {
    using A = typename common_active<X, Y>::type;
    static_cast<void>(std::remquo(bottom_value(A(x)), bottom_value(A(y)), quotient));
    return remainder(x, y);
}
/// The next number from x towards y: slope 1 in x, 0 in y.
template <class X, class Y>
    requires run_time_operands<X, Y>
auto nextafter(const X& x, const Y& y) {
    using A = typename common_active<X, Y>::type;
    using std::nextafter;
    const A operand(x);
    const typename A::value_type one(1);
    return number_of<X, Y>(A::from_partials(nextafter(operand.value(), A(y).value()), &one, &operand, 1));
}
/// The length of (x, y, z): slope 0 at the origin.
template <class X, class Y, class Z>
    requires run_time_operands<X, Y, Z>
auto hypot(const X& x, const Y& y, const Z& z) {
    using A = typename common_active<X, Y, Z>::type;
    using T = typename A::value_type;
    using std::hypot;
    const A operand[] = {A(x), A(y), A(z)};
    const T length = hypot(operand[0].value(), operand[1].value(), operand[2].value());
    const auto slope = [&](const A& a) { return bottom_value(length) == 0 ? T(0) : T(a.value() / length); };
    const T partial[] = {slope(operand[0]), slope(operand[1]), slope(operand[2])};
    return number_of<X, Y, Z>(A::from_partials(length, partial, operand, 3));
}

// (A constant, not a concept: it would be more constrained than that of `<`, which must be preferred to what `<=>` gives.)
template <class X, class Y>
inline constexpr bool three_way_operands = symbolic_pair<X, Y> && run_time_operands<X, Y>;
namespace operators {
/// For defaulted comparisons of what holds numbers.
template <class X, class Y>
    requires three_way_operands<X, Y>
constexpr std::partial_ordering operator<=>(const X& x, const Y& y) {
    if (x < y) return std::partial_ordering::less;
    if (y < x) return std::partial_ordering::greater;
    return x == y ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
}
} // namespace operators

} // namespace dyad

/// The limits of the number inside.
template <class A>
    requires dyad::active_number<A>
class std::numeric_limits<A> : public std::numeric_limits<typename A::value_type> {
    using inner = std::numeric_limits<typename A::value_type>;

public:
    static constexpr A min() noexcept { return inner::min(); }
    static constexpr A max() noexcept { return inner::max(); }
    static constexpr A lowest() noexcept { return inner::lowest(); }
    static constexpr A epsilon() noexcept { return inner::epsilon(); }
    static constexpr A round_error() noexcept { return inner::round_error(); }
    static constexpr A infinity() noexcept { return inner::infinity(); }
    static constexpr A quiet_NaN() noexcept { return inner::quiet_NaN(); }
    static constexpr A signaling_NaN() noexcept { return inner::signaling_NaN(); }
    static constexpr A denorm_min() noexcept { return inner::denorm_min(); }
};

// An operation and a number have the number that both become.
template <class A, class U>
    requires(dyad::active_number<A> && std::is_arithmetic_v<U>)
struct std::common_type<A, U> {
    using type = A;
};
template <class U, class A>
    requires(dyad::active_number<A> && std::is_arithmetic_v<U>)
struct std::common_type<U, A> {
    using type = A;
};
template <class E, class U>
    requires(dyad::deferred_value<E> && (std::is_arithmetic_v<U> || std::is_same_v<U, typename E::result_type>))
struct std::common_type<E, U> {
    using type = typename E::result_type;
};
template <class U, class E>
    requires(dyad::deferred_value<E> && (std::is_arithmetic_v<U> || std::is_same_v<U, typename E::result_type>))
struct std::common_type<U, E> {
    using type = typename E::result_type;
};
