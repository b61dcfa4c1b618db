// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions of arrays and their transforms, called by name: results into memory that is there (evaluate_into), or returned
// (evaluate). Where the arguments lie decides what runs them.
#pragma once

#include <dyad/api/array_checks.hpp>

namespace dyad {

/// The transform that a function is, and what runs it on arrays of the host and of a device.
template <class F>
struct backend_of {
    using host = array_backend<transform::value, positions<>, F>;
    using device = device_backend<transform::value, positions<>, F>;
    static constexpr bool is_transform = false;
    static constexpr const F& function(const F& f) { return f; }
};
template <transform K, class Wrt, class F>
struct backend_of<transformed<K, Wrt, F>> {
    using host = array_backend<K, Wrt, F>;
    using device = device_backend<K, Wrt, F>;
    static constexpr bool is_transform = true;
    static constexpr const F& function(const transformed<K, Wrt, F>& f) { return f.function(); }
};
template <class F, class... S>
using backend_for = typename std::conditional_t<has_device_array<S...>, std::type_identity<typename backend_of<F>::device>, std::type_identity<typename backend_of<F>::host>>::type;

/// f(arguments...) into `out`, which has the structure of the result; nothing is allocated where the shapes fit.
/// Example: `auto out = std::tie(value, dw); evaluate_into(out, value_and_grad<0>(loss), w, X, t);`
template <class Out, class F, class... S>
    requires(sizeof...(S) > 0)
void evaluate_into(Out&& out, const F& f, const S&... s) {
    if constexpr (requires { f.into(out, s...); }) {
        f.into(out, s...);
    } else {
        backend_for<F, S...>::run_into(out, backend_of<F>::function(f), s...);
    }
}
/// f(arguments...), for a function of arrays.
template <class F, class... S>
    requires(sizeof...(S) > 0 && has_array<S...>)
auto evaluate(const F& f, const S&... s) {
    if constexpr (!backend_of<F>::is_transform) {
        return backend_for<F, S...>::values(f, s...);
    } else {
        return f(s...);
    }
}

} // namespace dyad
