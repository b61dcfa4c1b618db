// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// One loop over an array of points in structure-of-arrays form: component k of point i lies at [k *
// stride + i]. The loop is a function of its own for each problem, value type and method, so that
// its machine code can be found by name and compared. The stride is an odd number of cache lines,
// lest the streams fall on one cache set.
#pragma once

#include "problem.hpp"
#include <tuple>

namespace bench {

/// Loading and storing of a value type: how many points it holds.
template <class T>
struct lanes {
    static constexpr std::size_t count = T::size;
    [[gnu::always_inline]] static T load(const double* from) { return T::load_unaligned(from); }
    [[gnu::always_inline]] static void store(const T& value, double* to) {
        value.store_unaligned(to);
    }
};

template <>
struct lanes<double> {
    static constexpr std::size_t count = 1;
    [[gnu::always_inline]] static double load(const double* from) { return *from; }
    [[gnu::always_inline]] static void store(double value, double* to) { *to = value; }
};

template <class Problem>
inline constexpr std::size_t stride = (Problem::points / 16 + 1) * 16 + 8;

/// The methods that are compared; hand_adjoint is what one problem offers besides.
struct by_hand {
    static constexpr const char* name = "hand";
    template <class Problem, class T>
    [[gnu::always_inline]] static auto run(const std::array<T, Problem::inputs>& x) {
        return Problem::hand(x);
    }
};

struct by_hand_adjoint {
    static constexpr const char* name = "hand_adjoint";
    template <class Problem, class T>
    [[gnu::always_inline]] static auto run(const std::array<T, Problem::inputs>& x) {
        return Problem::hand_adjoint(x);
    }
};

struct by_dyad {
    static constexpr const char* name = "dyad";
    template <class Problem, class T>
    [[gnu::always_inline]] static auto run(const std::array<T, Problem::inputs>& x) {
        if constexpr (Problem::one_argument) {
            return dyad::value_and_grad(Problem::function)(x);
        } else {
            return spread<Problem>(x, std::make_index_sequence<Problem::inputs>{});
        }
    }

private:
    template <class Problem, class X, std::size_t... K>
    [[gnu::always_inline]] static auto spread(const X& x, std::index_sequence<K...>) {
        return dyad::value_and_grad(Problem::function)(x[K]...);
    }
};

/// The points that one value of type T holds, from the first that in and out point at.
template <class Problem, class T, class Method, std::size_t... K>
[[gnu::always_inline]] inline void evaluate(const double* __restrict in, double* __restrict out,
                                            std::index_sequence<K...>) {
    const std::array<T, Problem::inputs> x{lanes<T>::load(in + K * stride<Problem>)...};
    const auto result = Method::template run<Problem, T>(x);
    lanes<T>::store(result.first, out);
    (lanes<T>::store(std::get<K>(result.second), out + (K + 1) * stride<Problem>), ...);
}

/// A method may bring its whole loop instead of the work for one point.
template <class Problem, class T, class Method>
[[gnu::noinline]] void sweep(const double* __restrict in, double* __restrict out) {
    if constexpr (requires { Method::loop(in, out); }) {
        Method::loop(in, out);
    } else {
        for (std::size_t i = 0; i < Problem::points; i += lanes<T>::count)
            evaluate<Problem, T, Method>(in + i, out + i,
                                         std::make_index_sequence<Problem::inputs>{});
    }
}

} // namespace bench
