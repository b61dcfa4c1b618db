// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions of numbers over arrays: what `kernel` returns. Where the arguments lie decides what runs it: the loops of
// array/ (api/array_kernel.hpp) or a device (api/device_call.hpp).
#pragma once

#include <utility>

#include <dyad/api/product_program.hpp>
#include <dyad/array/leaves.hpp>
#include <dyad/array/program.hpp>
#include <dyad/array/targets.hpp>

namespace dyad {

/// An argument's type with the element type in the place of each array.
struct element_kind_maker {
    template <class Leaf>
    constexpr auto operator()() const {
        return typename leaf_number<Leaf>::type{};
    }
};
template <class S>
using elements_of = decltype(structure<S>::build(element_kind_maker{}));

/// The most axes that a leaf of the arguments has.
template <class... S>
constexpr unsigned highest_rank() {
    return []<class... Leaves>(std::type_identity<std::tuple<Leaves...>>) {
        unsigned rank = 0;
        const unsigned ranks[] = {0U, facts_of_leaf<Leaves>().shape.rank...};
        for (const unsigned own : ranks) rank = rank < own ? own : rank;
        return rank;
    }(std::type_identity<leaf_types<S...>>{});
}

/// What comes of it: each result has an element for each of the arguments'.
template <class F, class... S>
using kernel_results = kernel_facts<structure<result_of<F, elements_of<S>...>>::size, highest_rank<S...>()>;

/// Runs a kernel of F on arrays of the host, and on those of a device.
template <class F>
struct host_kernel;
template <class F>
struct device_kernel;

// (In two places: the way to a common one would be longer than the message.)
#define DYAD_ARRAY_IN_KERNEL "[dyad] capture: a kernel works on numbers; pass a captured array as an argument"

/// Whether a kernel of F, on numbers of types S, is no derivative by whole numbers; says so if it is.
template <class F>
struct kernel_checks {
    template <class... S>
    static constexpr void look() {}
};
template <transform K, class Wrt, class F>
struct kernel_checks<transformed<K, Wrt, F>> {
    template <class... S>
    static constexpr void look() {
        check_call<F, S...>(typename chosen_positions<Wrt, sizeof...(S)>::type{});
    }
};

/// See `kernel`.
template <class F>
class array_kernel {
public:
    constexpr array_kernel() = default;
    constexpr explicit array_kernel(F f) : f_(std::move(f)) {}

    template <class... S>
    constexpr auto operator()(const S&... s) const {
        if constexpr (!has_array<S...>) {
            constexpr bool recorded = (is_recorded_array<S> || ...);
            static_assert(!recorded, "[dyad] kernel: no kernel runs on arrays of recorded numbers; call a function of arrays, or f at each element");
            (refuse_traced(s), ...);
            if constexpr (!recorded) return f_(s...);
        } else if constexpr (has_device_array<S...>) {
            if constexpr (ready<S...>()) return device_kernel<F>::run(f_, s...);
        } else if constexpr (ready<S...>()) {
            return host_kernel<F>::run(f_, s...);
        }
    }
    /// The same into containers that are there.
    template <class Out, class... S>
    void into(Out&& out, const S&... s) const {
        if constexpr (lies_with_arguments<Out, has_device_array<S...>>() && ready<S...>()) {
            if constexpr (has_device_array<S...>) {
                device_kernel<F>::run_into(f_, out, s...);
            } else {
                host_kernel<F>::run_into(f_, out, s...);
            }
        }
    }

private:
    template <class X>
    static constexpr void refuse_traced([[maybe_unused]] const X& x) {
        if constexpr (std::same_as<X, tracer>) {
            if (rank_of(x) > 0) static_cast<void>(refused(array_fault::kernel, x));
        }
    }
    template <class... S>
    static constexpr bool ready() {
        if constexpr (plain_numbers<S...>()) {
            kernel_checks<F>::template look<elements_of<S>...>();
            return usable<F, elements_of<S>...>();
        } else {
            return false;
        }
    }

    [[no_unique_address]] F f_;
};

/// f, a function of numbers, at every element of arrays, in one pass over memory. Arrays stretch as in NumPy.
/// Example: `kernel(f)(x, y)`; `kernel(value_and_grad(f))(x, y)` gives the value and every partial derivative at each
/// element.
template <class F>
constexpr auto kernel(F f) {
    return array_kernel<F>(std::move(f));
}

} // namespace dyad
