// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What derivatives of functions of arrays are compared with: central differences over every element of the
// first argument. The others are data. Differences between arrays are relative to the largest element.
//
// A function is compiled once for each transform, rank and type of number, which takes half a second or more, and nearly all of
// the time that these tests take: references are formulas and loops over plain numbers, and what is asked of one function is
// asked of one transform where it can be, at several sizes.
#pragma once

#include <dyad/array.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <tuple>

namespace differences {

/// An array of different numbers between -1 and 1, without order, the same in every run.
template <class T, std::size_t N>
xt::xtensor<T, N> numbers(const std::array<std::size_t, N>& shape, unsigned seed = 1) {
    xt::xtensor<T, N> x(shape);
    unsigned state = 2654435761U * seed;
    for (std::size_t i = 0; i < x.size(); ++i) {
        state = state * 1664525U + 1013904223U;
        x.data()[i] = static_cast<T>(static_cast<double>(state >> 8) / 8388608.0 - 1.0);
    }
    return x;
}
/// The same, above 0.5.
template <class T, std::size_t N>
xt::xtensor<T, N> positives(const std::array<std::size_t, N>& shape, unsigned seed = 1) {
    xt::xtensor<T, N> x = numbers<T, N>(shape, seed);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = T(1.5) + x.data()[i];
    return x;
}
/// n² numbers with a heavy diagonal: far from singular, symmetric and positive definite where asked.
inline xt::xtensor<double, 2> square_matrix(std::size_t n, unsigned seed = 1, bool symmetric = false) {
    xt::xtensor<double, 2> a = numbers<double, 2>({n, n}, seed);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i && symmetric; ++j) a(i, j) = a(j, i);
        a(i, i) += static_cast<double>(n);
    }
    return a;
}

template <class A>
bool same_shape(const A& a, const A& b) {
    return std::equal(a.shape().begin(), a.shape().end(), b.shape().begin(), b.shape().end());
}
inline double apart(double a, double b) {
    return std::abs(a - b) / std::max(1.0, std::abs(b));
}
/// Infinite where shapes differ or an element is not a number.
template <class T, std::size_t N>
double apart(const xt::xtensor<T, N>& a, const xt::xtensor<T, N>& b) {
    if (!same_shape(a, b)) return HUGE_VAL;
    double largest = 1, off = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]));
        largest = std::max(largest, std::abs(static_cast<double>(b.data()[i])));
        off = d <= off ? off : std::isnan(d) ? HUGE_VAL : d;
    }
    return off / largest;
}
template <class T, std::size_t N>
double inner(const xt::xtensor<T, N>& a, const xt::xtensor<T, N>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a.data()[i]) * static_cast<double>(b.data()[i]);
    return sum;
}
inline double inner(double a, double b) {
    return a * b;
}
template <class T, std::size_t N>
xt::xtensor<T, N> moved(const xt::xtensor<T, N>& x, const xt::xtensor<T, N>& v, double h) {
    xt::xtensor<T, N> y = x;
    for (std::size_t i = 0; i < x.size(); ++i) y.data()[i] += static_cast<T>(h) * v.data()[i];
    return y;
}

/// ∂f(x, data...)/∂x of a function that gives a number.
template <class F, class X, class... Data>
X gradient(const F& f, X x, const Data&... data) {
    using T = typename X::value_type;
    const double h = sizeof(T) == 4 ? 4e-3 : 1e-5;
    X result = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const T at = x.data()[i];
        x.data()[i] = static_cast<T>(static_cast<double>(at) + h);
        const double above = static_cast<double>(f(x, data...));
        x.data()[i] = static_cast<T>(static_cast<double>(at) - h);
        const double below = static_cast<double>(f(x, data...));
        x.data()[i] = at;
        result.data()[i] = static_cast<T>((above - below) / (2 * h));
    }
    return result;
}

/// How far grad<0>(f)(x, data...) is from the differences of f's own values.
template <class F, class X, class... Data>
double gradient_off(F f, const X& x, const Data&... data) {
    const auto both = dyad::value_and_grad<0>(f);
    const auto value = [&](const auto&... a) { return both(a...).first; };
    return apart(both(x, data...).second, gradient(value, x, data...));
}

/// How far the gradients of f(x, y) by both are from differences.
template <class F, class X, class Y>
double gradients_off(F f, const X& x, const Y& y) {
    const auto both = dyad::value_and_grad(f);
    const auto [by_x, by_y] = both(x, y).second;
    const auto of_first = [&](const X& at) { return both(at, y).first; };
    const auto of_second = [&](const Y& at) { return both(x, at).first; };
    return std::max(apart(by_x, gradient(of_first, x)), apart(by_y, gradient(of_second, y)));
}

/// How far hvp(f)(x, v) is from the differences of the gradient along v.
template <class F, class X>
double curvature_off(F f, const X& x, const X& v) {
    const double h = 1e-5;
    const auto slope = [both = dyad::value_and_grad<0>(f)](const X& at) { return both(at).second; };
    X along = slope(moved(x, v, h));
    const X below = slope(moved(x, v, -h));
    for (std::size_t i = 0; i < along.size(); ++i) along.data()[i] = (along.data()[i] - below.data()[i]) / (2 * h);
    return apart(dyad::hvp(f)(x, v), along);
}

/// Weights for a result.
template <class T, std::size_t N>
xt::xtensor<T, N> weights_for(const xt::xtensor<T, N>& result) {
    std::array<std::size_t, N> shape;
    std::copy(result.shape().begin(), result.shape().end(), shape.begin());
    return numbers<T, N>(shape, 11);
}
template <std::floating_point T>
T weights_for(T) {
    return T(-1.5);
}
/// How far ⟨w, jvp(x, v)⟩ is from ⟨vjp(x, w), v⟩ for a function of one array.
template <class F, class X>
double duality_off(F f, const X& x, const X& v) {
    const auto [value, tangent] = dyad::jvp(f)(x, v);
    const auto w = weights_for(value);
    const auto pulled = dyad::vjp(f)(x).second(w);
    return apart(inner(w, tangent), inner(pulled, v));
}

/// The value of f alone.
template <class F, class... X>
auto evaluated(F f, const X&... x) {
    return dyad::vjp<0>(f)(x...).first;
}

/// Σ c r(2x, data...)
template <class R>
struct weighted {
    constexpr auto operator()(auto x, auto c, auto... data) const { return sum(c * R{}(2 * x, data...)); }
};
/// Σ r (r - 3) with r = r(2x, data...): what r pulls back is another number for each of its elements, and bends.
template <class R>
struct bent {
    constexpr auto operator()(auto x, auto... data) const {
        const auto r = R{}(2 * x, data...);
        return sum(r * (r - 3));
    }
};
/// Its value and its gradient by x.
template <class R>
constexpr auto slope_of(R) {
    return dyad::value_and_grad<0>(bent<R>{});
}
/// How far this gradient is from differences.
template <class R, class X, class... Data>
double slope_off(R, const X& x, const Data&... data) {
    return gradient_off(bent<R>{}, x, data...);
}
/// The same, by each of two arguments.
template <class R, class X, class Y>
double slopes_off(R, const X& x, const Y& y) {
    return gradients_off(bent<R>{}, x, y);
}
/// How far its second derivative along some v is from differences.
template <class R, class X>
double bend_off(R, const X& x) {
    return curvature_off(bent<R>{}, x, weights_for(x));
}

/// An array made of its indices: made<2>({2, 3}, [](auto i, auto j) { return 10 * i + j; }).
template <std::size_t N, class F>
xt::xtensor<double, N> made(const std::array<std::size_t, N>& shape, const F& f) {
    xt::xtensor<double, N> x(shape);
    for (std::size_t i = 0; i < x.size(); ++i) {
        std::array<std::size_t, N> at{};
        for (std::size_t k = N, rest = i; k-- > 0; rest /= shape[k]) at[k] = rest % shape[k];
        x.data()[i] = static_cast<double>(std::apply(f, at));
    }
    return x;
}

} // namespace differences
