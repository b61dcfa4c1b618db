// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A function on the host's arrays and on a device's.
#pragma once

#include <cmath>
#include <tuple>
#include <vector>

#include <dyad/array.hpp>
#include <dyad/cuda.hpp>

namespace agreement {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

inline matrix wave(std::size_t rows, std::size_t columns, double shift) {
    matrix x({rows, columns});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = 1.5 + std::sin(0.37 * static_cast<double>(i) + shift);
    return x;
}
inline vector wave(std::size_t n, double shift) {
    vector x = xt::zeros<double>({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = 1.5 + std::sin(0.37 * static_cast<double>(i) + shift);
    return x;
}

template <class X>
auto placed(const X& x) {
    if constexpr (dyad::array_like<X>) {
        return dyad::to_device(x);
    } else {
        return x;
    }
}
/// Infinities are near themselves alone, NaN is near nothing.
inline bool near(double a, double b) {
    return a == b || (std::isfinite(a) && std::abs(a - b) <= 1e-11 * (1 + std::abs(a)));
}
template <class Here, class There>
bool same_numbers(const Here& here, const There& there) {
    if constexpr (dyad::is_device_array<There>) {
        const auto back = dyad::to_host(there);
        if (back.shape() != here.shape()) return false;
        for (std::size_t i = 0; i < here.size(); ++i) {
            if (!near(here.data()[i], back.data()[i])) return false;
        }
        return true;
    } else if constexpr (requires { std::tuple_size<Here>::value; }) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (same_numbers(std::get<I>(here), std::get<I>(there)) && ...);
        }(std::make_index_sequence<std::tuple_size_v<Here>>{});
    } else {
        return near(here, there);
    }
}
/// What g gives here and there. (Where programs of devices are compiled but not run, the host's half is left to other tests.)
template <class G, class... X>
bool same(const G& g, const X&... x) {
#ifdef __CUDACC__
    static_cast<void>(g(placed(x)...));
    return true;
#else
    return same_numbers(g(x...), g(placed(x)...));
#endif
}
/// Value and gradient with respect to all arguments.
template <class F, class... X>
bool agrees(F f, const X&... x) {
    return same(dyad::value_and_grad(f), x...);
}
/// Value and gradient with respect to the first argument.
template <class F, class... X>
bool agrees_by_first(F f, const X&... x) {
    return same(dyad::value_and_grad<0>(f), x...);
}
template <class F, class... X>
bool values_agree(F f, const X&... x) {
    return same([f](const auto&... a) { return dyad::evaluate(f, a...); }, x...);
}

} // namespace agreement
