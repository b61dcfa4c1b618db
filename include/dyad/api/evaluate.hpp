// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions of arrays and their transforms, called by name: results into memory that is there (evaluate_into), or returned
// (evaluate). Where the arguments lie decides what runs them.
#pragma once

#include <dyad/api/array_checks.hpp>
#include <dyad/array/targets.hpp>

namespace dyad {

/// The transform that a function is, of what, and what runs it.
template <class F>
struct transform_of {
    static constexpr bool is_plain = true;
    template <class... S>
    using backend = backend_for<transform::value, positions<>, F, S...>;
    static constexpr const F& function(const F& f) { return f; }
};
template <transform K, class Wrt, class F>
struct transform_of<transformed<K, Wrt, F>> {
    static constexpr bool is_plain = false;
    template <class... S>
    using backend = backend_for<K, Wrt, F, S...>;
    static constexpr const F& function(const transformed<K, Wrt, F>& f) { return f.function(); }
};

/// f(arguments...) into `out`, which has the structure of the result; nothing is allocated where the shapes fit.
/// Example: `auto out = std::tie(value, dw); evaluate_into(out, value_and_grad<0>(loss), w, X, t);`
template <class Out, class F, class... S>
    requires(sizeof...(S) > 0)
void evaluate_into(Out&& out, const F& f, const S&... s) {
    if constexpr (requires { f.into(out, s...); }) {
        f.into(out, s...);
    } else if constexpr (lies_with_arguments<Out, has_device_array<S...>>()) {
        transform_of<F>::template backend<S...>::run_into(out, transform_of<F>::function(f), s...);
    }
}
/// f(arguments...), for a function of arrays, or of numbers that it makes arrays of.
template <class F, class... S>
    requires(sizeof...(S) > 0 && !eager<F>)
auto evaluate(const F& f, const S&... s) {
    if constexpr (!transform_of<F>::is_plain) {
        return f(s...);
    } else if constexpr (has_array<S...>) {
        return transform_of<F>::template backend<S...>::values(f, s...);
    } else if constexpr (!usable<F, S...>()) {
        return instead_of_result(s...);
    } else if constexpr (makes_arrays<F, S...>()) {
        return transform_of<F>::template backend<S...>::values(f, s...);
    } else {
        return f(s...);
    }
}
/// What xtensor has not computed yet, and arrays as they are: `auto y = evaluate(a + b); evaluate_into(out, a + b)`.
template <array_like X>
    requires(!eager<X>)
auto evaluate(const X& x) {
    return owned(computed(x));
}
template <class Out, array_like X>
    requires(!eager<X>)
void evaluate_into(Out&& out, const X& x) {
    evaluate_into(out, [](auto y) { return y; }, x);
}

} // namespace dyad
