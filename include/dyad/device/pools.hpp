// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Pools of images on a device, their tangents and cotangents (array/pools.hpp says what they are): a thread for each element of
// the result.
#pragma once

#include <dyad/device/gather.hpp>
#include <dyad/op/keeping.hpp>

namespace dyad::device {

/// What a window holds: f(element) for each, where `p` is the place of the window.
template <unsigned R, class F>
DYAD_FN void for_each_of_window(pool_window w, position<R> p, F f) {
    const std::size_t row = p.at[1] * w.step, column = p.at[0] * w.step;
    for (std::size_t i = 0; i != w.size; ++i) {
        for (std::size_t j = 0; j != w.size; ++j) {
            p.at[1] = row + i;
            p.at[0] = column + j;
            f(p);
        }
    }
}
/// 1 / how many elements of a window equal the largest, NaN where none does.
template <class T, unsigned R, class X, class Y>
DYAD_FN T share_of(pool_window w, const position<R>& window, const X& x, const Y& largest) {
    const T best = largest(window);
    T count(0);
    for_each_of_window(w, window, [&](const position<R>& p) { count += x(p) == best ? T(1) : T(0); });
    return count == T(0) ? static_cast<T>(__builtin_nan("")) : T(1) / count;
}

template <class T, class X, class E, unsigned R>
struct pool_work {
    X x;
    array_reference<E, R> to;
    pool_window window;

    DYAD_FN void operator()(std::size_t i) const {
        const position<R> here(i, to.size);
        T result = neutral<T>(window.largest ? keeping::largest : keeping::sum);
        for_each_of_window(window, here, [&](const position<R>& p) { result = window.largest ? combined<keeping::largest>(result, x(p)) : result + x(p); });
        to.data[i] = static_cast<E>(window.largest ? result : result / (static_cast<T>(window.size) * static_cast<T>(window.size)));
    }
};
template <class T, class D, class X, class Y, class E, unsigned R>
struct pool_tangent_work {
    D t;
    X x;
    Y largest;
    array_reference<E, R> to;
    pool_window window;

    DYAD_FN void operator()(std::size_t i) const {
        const position<R> here(i, to.size);
        const T best = largest(here), share = share_of<T>(window, here, x, largest);
        T result(0);
        for_each_of_window(window, here, [&](const position<R>& p) { result += t(p) * ((x(p) == best ? T(1) : T(0)) * share); });
        to.data[i] = static_cast<E>(result);
    }
};
/// Of means, x and `largest` are not read.
template <class T, class G, class X, class Y, class E, unsigned R>
struct pool_cotangent_work {
    G g;
    X x;
    Y largest;
    array_reference<E, R> to;
    pool_window window;
    std::size_t rows, columns;

    DYAD_FN void operator()(std::size_t i) const {
        const position<R> here(i, to.size);
        position<R> place = here;
        const T own = window.largest ? x(here) : T(0), part = T(1) / (static_cast<T>(window.size) * static_cast<T>(window.size));
        T result(0);
        for (std::size_t r = first_window(here.at[1]); r < rows && r * window.step <= here.at[1]; ++r) {
            for (std::size_t c = first_window(here.at[0]); c < columns && c * window.step <= here.at[0]; ++c) {
                place.at[1] = r;
                place.at[0] = c;
                const T weight = window.largest ? (own == largest(place) ? T(1) : T(0)) * share_of<T>(window, place, x, largest) : part;
                result += g(place) * weight;
            }
        }
        to.data[i] = static_cast<E>(result);
    }
    /// The first window that reaches so far.
    DYAD_FN std::size_t first_window(std::size_t at) const { return at < window.size ? 0 : (at - window.size) / window.step + 1; }
};

/// Computes a pool, its tangent or its cotangent into `to`.
template <opcode Op, class T, class E, unsigned R, class X, class... Y>
void run_pool(pool_window w, const array_reference<E, R>& to, const X& x, const Y&... y) {
    const auto run = [&](const auto& work) { run_each(facts(Op).name, 1 + sizeof...(Y), to.count(), work); };
    const auto first = stretched_to_rank<T, R>(x);
    using operand = decltype(first);
    if constexpr (is(Op, opcode::pool)) {
        run(pool_work<T, std::remove_const_t<operand>, E, R>{first, to, w});
    } else {
        const auto all = std::tuple{stretched_to_rank<T, R>(y)..., stretched_operand<T, T, R>{}, stretched_operand<T, T, R>{}};
        const auto& elements = std::get<0>(all);
        const auto& largest = std::get<1>(all);
        using A = std::remove_const_t<operand>;
        using B = std::remove_cvref_t<decltype(elements)>;
        using C = std::remove_cvref_t<decltype(largest)>;
        if constexpr (is(Op, opcode::pool_tangent)) run(pool_tangent_work<T, A, B, C, E, R>{first, elements, largest, to, w});
        if constexpr (is(Op, opcode::pool_cotangent)) run(pool_cotangent_work<T, A, B, C, E, R>{first, elements, largest, to, w, x.size[1], x.size[0]});
    }
}

} // namespace dyad::device
