// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Runs a transform of a function at given arguments, whatever they are: plain numbers run the compiled kernel
// of a stateless function, or of the expression that a function with captured numbers makes; traced values
// record the derivative in their builder. Results come as a flat array; api/result.hpp gives them structure.
#pragma once

#include <dyad/api/captured.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/trace/limits.hpp>
#include <dyad/trace/nested.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

template <class S>
constexpr bool all_real() {
    return []<class... Leaves>(std::type_identity<std::tuple<Leaves...>>) {
        return ((!std::integral<Leaves>)&&...);
    }(std::type_identity<typename structure<S>::leaves>{});
}

template <class... Leaves>
constexpr bool any_is_array(std::type_identity<std::tuple<Leaves...>>) {
    return (is_array<Leaves> || ...);
}
/// Whether one of the leaves is an array: then array/ runs the transform (array_backend, complete once array.hpp is
/// included, which is where arrays come from).
template <class... S>
inline constexpr bool has_array = any_is_array(std::type_identity<leaf_types<S...>>{});
template <transform K, class Wrt, class F>
struct array_backend;

template <class... Leaves>
constexpr bool any_is_device_array(std::type_identity<std::tuple<Leaves...>>) {
    return (is_device_array<Leaves> || ...);
}
/// Whether one of them lies on a device: then that runs the transform (device_backend, complete once cuda.hpp is included).
template <class... S>
inline constexpr bool has_device_array = any_is_device_array(std::type_identity<leaf_types<S...>>{});
template <transform K, class Wrt, class F>
struct device_backend;
/// What runs transform K of F on such arguments.
template <transform K, class Wrt, class F, class... S>
using backend_for = typename std::conditional_t<has_device_array<S...>, std::type_identity<device_backend<K, Wrt, F>>, std::type_identity<array_backend<K, Wrt, F>>>::type;

// (Sentences that stand in several places, where each step to a common one would be a line more of the message.)
#define DYAD_NO_POSITION "[dyad] transform: a position is not below the number of arguments; count from 0"
#define DYAD_SLOPE_LOST                                                                              \
    "[dyad] odeint_adjoint: the function captures what is differentiated by, whose slope would be lost; pass it as a further argument, or stop_gradient(x) of it"
#define DYAD_NO_RESULT "[dyad] call: the function returns nothing, or what does not compile (see above); return what is to be differentiated"
#define DYAD_NOT_CALLABLE_SO                                                                         \
    "[dyad] call: the function cannot be called so, with this number of arguments; or a parameter is not auto, or auto for plain numbers " \
    "alone (whole numbers and flags are traced, too); or its body does not compile for "
#define DYAD_NOT_CALLABLE DYAD_NOT_CALLABLE_SO "traced values (see above)"
#define DYAD_NOT_CALLABLE_CAPTURING                                                                  \
    DYAD_NOT_CALLABLE_SO "values that have a type of their own each, as in every function that captures (see above): pass what it captures as " \
    "arguments too, and choose with grad<...>"

/// What has to hold before a transform is worth trying, each with its own sentence.
template <class F, class... S, std::size_t... Item>
constexpr void check_call(positions<Item...>) {
    using arguments = std::tuple<S...>;
    static_assert(((Item < sizeof...(S)) && ...), DYAD_NO_POSITION);
    if constexpr (((Item < sizeof...(S)) && ...)) {
        static_assert((all_real<std::tuple_element_t<Item, arguments>>() && ...),
                      "[dyad] transform: a derivative with respect to an integer does not exist; pass a "
                      "double, or choose other arguments with grad<...>");
    }
}

/// The traced program of a transform of a stateless function on numbers of types S.
template <class F, transform K, class Wrt, policy P, class... S>
struct transform_program {
    struct inputs {
        constexpr list<std::uint32_t> operator()() const { return inputs_at<S...>(Wrt{}); }
    };
    using source = traced_program<F, P, S...>;
    using derived = derived_program<source, K, inputs, P>;
    using lowered = lowered_program<derived, P>;
    static constexpr bool keeps_slopes() { return !captures_input(source::graph, inputs{}()); }
};

template <class V>
struct same_leaves {
    const V* next;
    template <class Leaf>
    constexpr V operator()() {
        return *next++;
    }
};
/// A structure like S whose leaves are V.
template <class S, class V>
constexpr auto structure_of_leaves(const V* leaves) {
    same_leaves<V> read{leaves};
    return structure<S>::build(read);
}

/// The leaves of a structure as traced values, in the structure of an S: numbers are literals, arrays stand-ins without a builder.
template <class S, class R>
constexpr traced<S> as_traced_like(const R& r) {
    std::array<tracer, structure<S>::size> leaves{};
    std::size_t count = 0;
    for_each_leaf([&]<class Leaf>(const Leaf& leaf) {
        if constexpr (std::is_constructible_v<tracer, const Leaf&>) leaves[count] = tracer(leaf);
        ++count;
    }, r);
    return structure_of_leaves<S>(leaves.data());
}
template <class S>
constexpr traced<S> as_traced(const S& s) {
    return as_traced_like<S>(s);
}

/// Whether a function called with plain numbers in the middle of a trace has captured traced values: then its
/// result is one. (Only the type is asked for; expressions and traced values never really meet.)
template <class F, class... S>
constexpr bool captures_traced() {
    if constexpr (stateless<F> || (!expressible<S> || ...) || has_leaf<tracer, S...>) {
        return false;
    } else {
        using result = typename call_on_expressions<F, S...>::type;
        return has_leaf<tracer, std::conditional_t<std::is_void_v<result>, bool, result>>;
    }
}

/// A function of a stateless one's kind, or one in a trace, is run on traced values; one with captured numbers
/// on expressions.
template <class F, class... S>
inline constexpr bool runs_traced =
    stateless<F> || has_leaf<tracer, S...> || captures_traced<F, S...>();

template <class F, class... S>
constexpr bool callable_with() {
    if constexpr (runs_traced<F, S...>) {
        return requires(const F& f, traced<S>&... s) { f(s...); };
    } else if constexpr ((!expressible<S> || ...)) {
        static_assert((expressible<S> && ...),
                      "[dyad] capture: a function with captured values cannot take a std::array, an aggregate, a vector of numbers or a "
                      "number of a tape; pass the captured values as arguments too, and choose with grad<...>");
        return false;
    } else {
        return call_on_expressions<F, S...>::callable;
    }
}

#define DYAD_NO_EXPRESSIONS                                                                          \
    "[dyad] nesting: a kernel, a sparse transform, and jacobian and hessian of arrays take no expressions; use diff and gradient on " \
    "expressions, and pass captured values as arguments where transforms nest"

template <class F>
constexpr bool refuse_expressions() {
    static_assert(never<F>, DYAD_NO_EXPRESSIONS);
    return false;
}

/// Whether the parameters of `F` have types of their own. (Asked first: the body of a generic function would be compiled once more, and
/// what is wrong in it be said twice.)
template <class F>
concept not_generic = std::is_pointer_v<F> || requires { &F::operator(); };
template <class F, class... S>
constexpr bool takes_numbers_only() {
    if constexpr (not_generic<F>) {
        return requires(const F& f, const S&... s) { f(s...); };
    } else {
        return false;
    }
}
/// Says why `F` does not take the traced values, or expressions, of such arguments.
template <class F, class... S>
constexpr bool refuse_call() {
    constexpr bool numbers_only = takes_numbers_only<F, S...>();
    static_assert(!numbers_only, "[dyad] call: the function takes these arguments, but not the traced values that stand for them; write auto "
                                 "for its parameters, as in [](auto x), also around a pointer to a function or a std::function");
    constexpr bool traced = runs_traced<F, S...>;
    static_assert(numbers_only || !traced, DYAD_NOT_CALLABLE);
    static_assert(numbers_only || traced, DYAD_NOT_CALLABLE_CAPTURING);
    return false;
}
/// Whether a result of type `R` can be differentiated; says so where there is none.
template <class R>
constexpr bool has_result() {
    constexpr bool returns = !std::is_void_v<R>;
    static_assert(returns, DYAD_NO_RESULT);
    using result = std::remove_cvref_t<R>;
    if constexpr (!returns || already_refused<R>) {
        return false; // (which has been said)
    } else if constexpr (refused_argument<result>) {
        return structure<result>::refuse(); // (not `taken`: a step less in the message)
    } else {
        return true;
    }
}

/// Whether a transform of `f` at such arguments can go ahead; says why not.
template <class F, class... S>
constexpr bool usable() {
    if constexpr ((refused_argument<S> || ...)) {
        return (taken<S>() && ...);
    } else if constexpr ((eager<S> || ...)) {
        static_assert(never<F>, DYAD_NO_EXPRESSIONS);
        return false;
    } else if constexpr (runs_traced<F, S...>) {
        // (Not callable_with: a shorter chain of instantiations makes for a shorter message.)
        if constexpr (!requires(const F& f, traced<S>&... s) { f(s...); }) {
            return refuse_call<F, S...>();
        } else if constexpr (!has_result<traced_result<F, S...>>()) {
            return false;
        } else if constexpr (stateless<F> && !has_leaf<tracer, S...>) {
            constexpr bool runs = traceable<F, S...>();
            static_assert(runs, "[dyad] trace: the compiler cannot run this function: it branches on a traced value, is very long, uses what is not "
                                "constexpr, as std::sqrt(2.0) (dyad::sqrt(2.0) is), another function or the operator() of a struct may be, takes a value out of the body of a loop, captures a name of auto [a, b] (clang; std::get<0> works), or throws, as a loop of a negative number of rounds does; see above, or compile with -DDYAD_SHOW_TRACE");
            return runs;
        } else {
            return true;
        }
    } else if constexpr ((!expressible<S> || ...)) {
        return callable_with<F, S...>(); // which says that they are not
    } else if constexpr (!call_on_expressions<F, S...>::callable) {
        constexpr bool one_type = sizeof...(S) > 1 && requires(const F& f, traced<S>&... s) { f(s...); };
        static_assert(!one_type, "[dyad] capture: in a function that captures values, or has members, each argument has a type of its own; give each "
                                 "parameter its own auto, or pass what is captured as arguments");
        if constexpr (!one_type) return refuse_call<F, S...>();
        return false;
    } else {
        return has_result<typename call_on_expressions<F, S...>::type>();
    }
}
/// What transforms of transforms are of.
template <class F>
struct innermost_of {
    using type = F;
};
template <transform K, class Wrt, class F>
struct innermost_of<transformed<K, Wrt, F>> : innermost_of<F> {};

/// Whether F takes the traced values of such arguments, and returns something.
template <class F, class... S>
constexpr bool returns_leaves() {
    if constexpr (requires(const F& f, traced<S>&... s) { f(s...); }) {
        using result = traced_result<F, S...>;
        return !std::is_void_v<result> && !already_refused<result> && !refused_argument<std::remove_cvref_t<result>>;
    } else {
        return false;
    }
}
/// Whether a function of numbers works with arrays that it makes of them, or captures: what runs arrays runs it then.
template <class F, class... S>
constexpr bool makes_arrays() {
    using inner = typename innermost_of<F>::type;
    if constexpr ((refused_argument<S> || ...) || (eager<S> || ...)) {
        return false;
    } else if constexpr (has_leaf<tracer, S...>) {
        return false;
    } else if constexpr (stateless<inner>) {
        if constexpr (returns_leaves<inner, S...>()) {
            if constexpr (traceable<inner, S...>()) {
                return works_with_arrays(traced_program<inner, policy_of<F>(), S...>::graph);
            }
        }
        return false;
    } else if constexpr ((expressible<S> && ...)) {
        return holds_arrays(std::type_identity<typename call_on_expressions<F, S...>::type>{});
    } else {
        return false;
    }
}

/// The same of what a transform is of, which is asked for before it is traced: the rules of arrays are not there in that trace. (Of other
/// functions after, when what is wrong in them has been said in few lines.)
template <class F, class... S>
constexpr bool transform_makes_arrays() {
    if constexpr (std::is_same_v<F, typename innermost_of<F>::type>) {
        return false;
    } else {
        return makes_arrays<F, S...>();
    }
}

/// What a refused call gives, so that one mistake gives one message: its first argument, or a number.
constexpr double instead_of_result() {
    return 0;
}
template <class First, class... S>
constexpr auto instead_of_result(const First& first, const S&...) {
    return first;
}

template <class F, class... S>
struct result_type_of {
    using type = typename call_on_expressions<F, S...>::type;
};
template <class F, class... S>
    requires runs_traced<F, S...>
struct result_type_of<F, S...> {
    using type = traced_result<F, S...>;
};
template <transform K, class Wrt, class F, class... S>
    requires(!runs_traced<transformed<K, Wrt, F>, S...>)
struct result_type_of<transformed<K, Wrt, F>, S...> {
    using type = decltype(std::declval<const transformed<K, Wrt, F>&>()(std::declval<const S&>()...));
};
/// What `f` returns, in the leaves that it runs on.
template <class F, class... S>
using result_of = std::remove_cvref_t<typename result_type_of<F, S...>::type>;

/// How many flat results a transform has.
template <transform K, class F, class Wrt, class... S>
constexpr std::size_t result_count() {
    constexpr std::size_t rows = structure<result_of<F, S...>>::size;
    const std::size_t columns = inputs_at<S...>(Wrt{}).size();
    switch (K) {
    case transform::value: return rows;
    case transform::value_and_gradient: return 1 + columns;
    case transform::jacobian: return rows * columns;
    case transform::hessian: return columns * columns;
    case transform::jvp: return 2 * rows;
    default: return columns;
    }
}

/// The flat results in the middle of a trace.
template <transform K, class Wrt, class F, class... D, class... S>
constexpr auto run_nested(builder& b, const F& f, const std::tuple<D...>& directions, const S&... s) {
    list<node_index> along;
    for_each_leaf([&](const auto& leaf) { along.push_back(tracer(leaf).in(b)); }, directions);
    const list<node_index> nodes = nested_transform<K, Wrt>(b, f, along, s...);
    constexpr std::size_t count = result_count<K, F, Wrt, S...>();
    std::array<tracer, count> results{};
    for (std::size_t i = 0; i < count; ++i) results[i] = tracer(b, nodes[i]);
    return results;
}

/// The flat results of transform `K` of `f`; `directions` is a tuple of structures (empty for most).
template <transform K, class Wrt, class F, class... D, class... S>
DYAD_INLINE constexpr auto run_transform(const F& f, const std::tuple<D...>& directions, const S&... s) {
    check_call<F, S...>(Wrt{});
    if constexpr (!stateless<F> && captures_traced<F, S...>()) {
        builder& b = *home_of(f(as_traced(s)...));
        return run_nested<K, Wrt>(b, f, directions, s...);
    } else if constexpr (has_leaf<tracer, S...> || has_leaf<tracer, D...>) {
        builder* home = home_of(s..., directions);
        if (home == nullptr) home = home_of(f(s...)); // numbers so far, but the function may know more
        if (home != nullptr) return run_nested<K, Wrt>(*home, f, directions, s...);
        builder numbers_only(rewriter_of(policy_of<F>()));
        auto results = run_nested<K, Wrt>(numbers_only, f, directions, s...);
        for (tracer& r : results) r = r.as_literal();
        return results;
    } else if constexpr (stateless<F>) {
        using T = common_leaf<S..., D...>;
        using program = transform_program<F, K, Wrt, policy_of<F>(), S...>;
        constexpr bool keeps_slopes = program::keeps_slopes();
        static_assert(keeps_slopes, DYAD_SLOPE_LOST);
        if constexpr (keeps_slopes) {
            const auto inputs = unpack([&](const auto&... d) { return flat_inputs<T>(s..., d...); }, directions);
            return kernel_of<typename program::lowered>::template run<T>(inputs.data());
        } else {
            return std::array<T, result_count<K, F, Wrt, S...>()>{}; // one mistake, one message
        }
    } else {
        return run_captured<K, Wrt>(f, directions, s...);
    }
}

} // namespace dyad
DYAD_BOTH_SIDES_END
