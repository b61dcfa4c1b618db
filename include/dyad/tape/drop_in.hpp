// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What templated numerical code asks of its number type beside arithmetic: classification, limits, common types, and the
// functions of <cmath> that are no operations of a graph.
#pragma once

#include <cmath>
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
DYAD_CLASSIFICATION(ilogb)
#undef DYAD_CLASSIFICATION

/// |x|, by its name for floating-point numbers.
template <run_time_number X>
DYAD_INLINE constexpr auto fabs(const X& x) {
    return abs(x);
}
/// max(x - y, 0).
template <class X, class Y>
    requires(run_time_number<X> || run_time_number<Y>)
DYAD_INLINE constexpr auto fdim(const X& x, const Y& y) {
    return relu(x - y);
}
/// x 2ⁿ, rounded once: by powers of 2 that the number type has, the greatest at the end.
template <run_time_number X>
constexpr auto ldexp(const X& x, int n) {
    using number = typename common_active<X>::type;
    using plain = std::remove_cvref_t<decltype(bottom_value(x))>;
    constexpr int most = std::numeric_limits<plain>::max_exponent - 2, all = 4 * most;
    number y(x);
    for (int left = n < -all ? -all : n > all ? all : n; left != 0;) {
        const int rest = left % most, step = rest != 0 ? rest : left < 0 ? -most : most;
        y = number(y * std::ldexp(plain(1), step));
        left -= step;
    }
    return y;
}
/// The nearest whole number; slope 0.
template <run_time_number X>
constexpr auto rint(const X& x) {
    return typename common_active<X>::type(std::rint(bottom_value(x)));
}
template <run_time_number X>
constexpr auto nearbyint(const X& x) {
    return typename common_active<X>::type(std::nearbyint(bottom_value(x)));
}

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
