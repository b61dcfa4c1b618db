// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What every function r of one array has to satisfy, in float and in double: its gradient is that of differences,
// forward mode agrees with reverse mode, floats agree with doubles, an array with strides gives what a compact one
// gives, and a smooth function's second derivative is that of differences. Functions that give one element for each are
// compared with the same on plain numbers elsewhere (elementwise.test.cpp).
#pragma once

#include "differences.hpp"

#include <doctest/doctest.h>

namespace properties {

using namespace differences;

/// Numbers of another type.
template <class U, class T, std::size_t N>
xt::xtensor<U, N> as(const xt::xtensor<T, N>& x) {
    xt::xtensor<U, N> y(x.shape());
    std::copy(x.data(), x.data() + x.size(), y.data());
    return y;
}
template <class U>
U as(double x) {
    return static_cast<U>(x);
}

/// The same elements with gaps between them: every second one along each axis, backwards in memory along the first.
template <class T, unsigned N>
class with_gaps {
public:
    explicit with_gaps(const xt::xtensor<T, N>& x) : memory_((std::size_t{1} << N) * x.size() + 1, T(99)) {
        std::size_t step = 1;
        view_.data = memory_.data();
        for (unsigned k = N; k-- > 0;) {
            view_.size[k] = x.shape()[k];
            view_.stride[k] = static_cast<std::ptrdiff_t>(2 * step);
            step *= 2 * x.shape()[k];
        }
        if (view_.size[0] > 0) view_.data += static_cast<std::ptrdiff_t>(view_.size[0] - 1) * view_.stride[0];
        view_.stride[0] = -view_.stride[0];
        for (std::size_t i = 0; i < x.size(); ++i) {
            T* to = view_.data;
            for (unsigned k = N; k-- > 0;) {
                std::size_t below = 1;
                for (unsigned j = k + 1; j < N; ++j) below *= x.shape()[j];
                to += static_cast<std::ptrdiff_t>(i / below % x.shape()[k]) * view_.stride[k];
            }
            *to = x.data()[i];
        }
    }
    [[nodiscard]] const dyad::array_view<T, N>& view() const { return view_; }

private:
    std::vector<T> memory_;
    dyad::array_view<T, N> view_;
};

enum class kind { smooth, rough };

/// All of it at one point. `R` takes one array.
template <kind K, class R, std::size_t N>
void hold_at(R r, const xt::xtensor<double, N>& x) {
    CAPTURE(x.size());
    CAPTURE(x.shape()[0]);
    const auto [value, tangent] = dyad::jvp(r)(x, weights_for(x));
    const auto weights = weights_for(value);
    const auto slope = slope_of(r);
    const auto by_x = slope(x).second;
    CHECK(slope_off(r, x) < 1e-7);
    CHECK(apart(inner(weights, tangent), inner(dyad::vjp(r)(x).second(weights), weights_for(x))) < 1e-11);

    const auto x_float = as<float>(x);
    const auto [value_float, tangent_float] = dyad::jvp(r)(x_float, as<float>(weights_for(x)));
    CHECK(apart(as<double>(value_float), value) < 1e-5);
    CHECK(apart(as<double>(tangent_float), tangent) < 5e-5);
    const auto by_float = slope(x_float).second;
    static_assert(std::is_same_v<std::remove_const_t<decltype(by_float)>, xt::xtensor<float, N>>);
    CHECK(apart(as<double>(by_float), by_x) < 5e-5);

    const with_gaps<double, N> gaps(x);
    CHECK(apart(evaluated(r, gaps.view()), value) < 1e-14);
    CHECK(apart(slope(gaps.view()).second, by_x) < 1e-13);

    if constexpr (K == kind::smooth) CHECK(bend_off(r, x) < 1e-6);
}

/// At arrays of several shapes: one element, odd and even sizes, one row, one column.
template <kind K = kind::smooth, class R>
void hold(R r, const char* name) {
    INFO(doctest::String(name));
    for (const auto& shape : {std::array<std::size_t, 2>{1, 1}, {3, 5}, {1, 9}, {7, 1}, {4, 8}}) hold_at<K>(r, numbers<double, 2>(shape, 3));
}
/// And at those without elements.
template <kind K = kind::smooth, class R>
void hold_also_empty(R r, const char* name) {
    hold<K>(r, name);
    INFO(doctest::String(name));
    for (const auto& shape : {std::array<std::size_t, 2>{0, 3}, {3, 0}, {0, 0}}) hold_at<K>(r, numbers<double, 2>(shape));
}

#define HOLDS(...) properties::hold([](auto a) { return __VA_ARGS__; }, #__VA_ARGS__)
#define HOLDS_EMPTY(...) properties::hold_also_empty([](auto a) { return __VA_ARGS__; }, #__VA_ARGS__)
#define HOLDS_ROUGH(...) properties::hold<properties::kind::rough>([](auto a) { return __VA_ARGS__; }, #__VA_ARGS__)

} // namespace properties
