// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions with captured numbers cannot run inside the compiler: their state is known at run time only. They
// run once on eager expressions instead, whose type then is the program and whose slots hold the captured
// numbers.
#pragma once

#include <dyad/base/unpack.hpp>
#include <dyad/trace/expr.hpp>

DYAD_EMPTY_LOOPS_BEGIN
namespace dyad {

/// A number for a type, from its name.
template <class F>
constexpr std::uint64_t hash_of() {
    std::uint64_t hash = 0xcbf29ce484222325U; // FNV-1a
    for (const char* c = __PRETTY_FUNCTION__; *c != 0; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3U;
    return hash;
}

/// Whether `F` names what has no value of its own where it stands: elements of a kernel's arrays, what goes round a loop.
template <class F>
inline constexpr bool names_unknown = false;
/// Names the elements that a kernel of F goes through.
template <class F>
struct kernel_element;
template <class F>
inline constexpr bool names_unknown<kernel_element<F>> = true;

/// The name of argument leaf `K` of `F`: a character that no user's variable begins with, the function, and K in
/// order. Arguments of functions inside one another are different variables.
template <class F, std::size_t K>
constexpr fixed_string<14> argument_name() {
    char name[15] = {names_unknown<F> ? leaf_name::unknown : leaf_name::argument};
    std::uint64_t hash = hash_of<F>();
    for (int i = 1; i < 12; ++i, hash /= 64) name[i] = static_cast<char>('0' + hash % 64);
    name[12] = static_cast<char>('0' + K / 64);
    name[13] = static_cast<char>('0' + K % 64);
    return fixed_string<14>(name);
}

/// Tells arguments of functions apart that have one name: compilers call closures so that one template makes.
template <class F>
inline constexpr char argument_identity = 0;

/// An argument tree of expressions: every leaf has a type of its own, so trees whose leaves must share one type
/// (std::array) cannot hold them.
template <class F, std::size_t First, class S>
struct expression_argument;
template <class F, std::size_t First, class S>
    requires std::is_arithmetic_v<S>
struct expression_argument<F, First, S> {
    using leaf_type = leaf<argument_name<F, First>(), S>;
    static constexpr auto make(const S& s) {
        return leaf_expr<leaf_type>(flat_tuple<leaf_type>(leaf_type{s, &argument_identity<F>}));
    }
};
template <class F, std::size_t First, class S>
struct expression_argument<F, First, S&> : expression_argument<F, First, std::remove_const_t<S>> {};
template <class F, std::size_t First, class... S>
struct expression_argument<F, First, std::tuple<S...>> {
    template <class Tuple>
    static constexpr auto make(const Tuple& s) {
        return make_each(s, std::index_sequence_for<S...>{});
    }

private:
    template <class Tuple, std::size_t... Item>
    static constexpr auto make_each(const Tuple& s, std::index_sequence<Item...>) {
        // (make_tuple: a tuple of one pair or tuple must not become its elements.)
        return std::make_tuple(expression_argument<F, First + leaves_before<Item, S...>(), S>::make(std::get<Item>(s))...);
    }
};
template <class F, std::size_t First, class A, class B>
struct expression_argument<F, First, std::pair<A, B>> {
    static constexpr auto make(const std::pair<A, B>& s) {
        return std::pair{expression_argument<F, First, A>::make(s.first),
                         expression_argument<F, First + structure<A>::size, B>::make(s.second)};
    }
};

/// Whether an argument can be a tree of expressions.
template <class S>
inline constexpr bool expressible = std::is_arithmetic_v<S>;
template <class S>
inline constexpr bool expressible<S&> = expressible<std::remove_const_t<S>>;
template <class... S>
inline constexpr bool expressible<std::tuple<S...>> = (expressible<S> && ...);
template <class A, class B>
inline constexpr bool expressible<std::pair<A, B>> = expressible<A> && expressible<B>;

/// The arguments of `F` as expressions, numbered leaf by leaf.
template <class F, class... S>
constexpr auto expression_arguments(const S&... s) {
    return expression_argument<F, 0, std::tuple<S...>>::make(std::tuple<const S&...>(s...)); // (arrays are not copied)
}

/// What stands for arrays among expressions (api/array_captured.hpp): `operand(a)`, an array as an expression; `of_shape(a)`, for an array
/// or an expression of one, a `value<element>` without elements.
template <class A>
struct array_among_expressions;

/// The leaves of a result as a flat tuple of expressions.
template <class R>
constexpr auto flat_expressions(const R& r) {
    if constexpr (is_array<R>) {
        return std::tuple{array_among_expressions<R>::operand(r)};
    } else if constexpr (leaf_type<R>) {
        return std::tuple{to_expression(r)};
    } else if constexpr (requires { r.first; }) {
        return std::tuple_cat(flat_expressions(r.first), flat_expressions(r.second));
    } else {
        return unpack([](const auto&... part) { return std::tuple_cat(flat_expressions(part)...); },
                          r);
    }
}

/// The graph of several expressions together, over the merged leaves.
template <class Merged, std::size_t Skipped, class... Programs>
struct joined_program {
    struct make {
        constexpr dyad::graph operator()() const {
            builder b(rewriter_of(default_policy));
            b.arrays = rules_if<(is_of_arrays<Programs>(typename Merged::type{}) || ...)>();
            // The arguments come first: names and numbers of the merge agree for them.
            list<node_index> outputs;
            merged_graphs graphs{b, Merged::merge.source + Skipped};
            (outputs.push_back(graphs.append(Programs::graph)), ...);
            dyad::graph g = b.finish(b.inwards(outputs));
            g.input_count = static_cast<std::uint32_t>(Merged::merge.count);
            return g;
        }
    };
    static constexpr const auto& graph =
        frozen<make, (std::size_t{16} + ... + Programs::graph.view().size), sizeof...(Programs)>::value;
};

template <transform K, class Wrt, class F>
class transformed;

/// The program of a function from that of the innermost one: a transform of a transform is a pass after a pass.
template <class F>
struct peeled {
    static constexpr const F& innermost(const F& f) { return f; }
    template <class Source, class... S>
    using program = Source;
};
template <transform K, class Wrt, class F>
struct peeled<transformed<K, Wrt, F>> {
    template <class... S>
    struct inputs {
        constexpr list<std::uint32_t> operator()() const {
            return inputs_at<S...>(typename chosen_positions<Wrt, sizeof...(S)>::type{});
        }
    };
    static constexpr const auto& innermost(const transformed<K, Wrt, F>& f) {
        return peeled<F>::innermost(f.function());
    }
    template <class Source, class... S>
    using program = derived_program<typename peeled<F>::template program<Source, S...>, K, inputs<S...>,
                                    default_policy>;
};

/// What `F` returns for expressions; `callable` is false where it does not take them. (Not unpack, whose result can only be had
/// by compiling it.)
template <class F, class Expressions>
struct call_with_expressions {
    static constexpr bool callable = false;
    using type = refused_result;
};
template <class F, class... E>
    requires requires(const F& f, const E&... e) { f(e...); }
struct call_with_expressions<F, std::tuple<E...>> {
    static constexpr bool callable = true;
    using type = std::remove_cvref_t<decltype(std::declval<const F&>()(std::declval<const E&>()...))>;
};
/// The same of the innermost function, for the expressions of arguments of types S.
template <class F, class... S>
using call_on_expressions = call_with_expressions<std::remove_cvref_t<decltype(peeled<F>::innermost(std::declval<const F&>()))>,
                                            decltype(expression_arguments<F>(std::declval<const S&>()...))>;

/// Whether results hold expressions of arrays.
template <class R>
constexpr bool holds_arrays(std::type_identity<R>) {
    if constexpr (eager<R>) {
        return decltype(to_expression(std::declval<const R&>()))::has_arrays;
    } else if constexpr (std::is_void_v<R> || leaf_type<R> || !requires { std::tuple_size<R>::value; }) {
        return false;
    } else {
        return []<std::size_t... Item>(std::index_sequence<Item...>) {
            return (holds_arrays(std::type_identity<std::tuple_element_t<Item, R>>{}) || ...);
        }(std::make_index_sequence<std::tuple_size_v<R>>{});
    }
}

/// Whether expressions hold arguments of another function than `F`: one that is being differentiated around it.
template <class F, class... Leaves>
constexpr bool holds_foreign_argument(leaf_list<Leaves...>) {
    const auto own = argument_name<F, 0>();
    const auto foreign = [&](std::string_view name) {
        return leaf_name::is_argument(name) && name.substr(0, 12) != own.view().substr(0, 12);
    };
    return (foreign(Leaves::name) || ...);
}

template <class F, class... Leaf>
constexpr bool any_foreign(std::type_identity<std::tuple<Leaf...>>) {
    return ([] {
        if constexpr (eager<Leaf>) return holds_foreign_argument<F>(typename decltype(to_expression(std::declval<const Leaf&>()))::leaves{});
        return false;
    }() || ...);
}
/// Whether a function of values captures an argument of one that runs on expressions around it, so that its result is an expression too.
template <class F, class... S>
constexpr bool captures_argument() {
    if constexpr (stateless<F> || !(expressible<S> && ...) || has_leaf<tracer, S...>) {
        return false;
    } else {
        using result = typename call_on_expressions<F, S...>::type;
        return any_foreign<F>(std::type_identity<leaf_types<std::conditional_t<std::is_void_v<result>, int, result>>>{});
    }
}

/// Runs F's innermost function on expressions of the arguments; use.operator()<program, leaves>(values) is called with the program
/// of its results and its leaves, those of the arguments first. `Name` names them.
template <class Name, class F, class Use, class... S>
constexpr auto with_named_expressions(const F& f, const Use& use, const S&... s) {
    const auto arguments = expression_arguments<Name>(s...);
    const auto flat_arguments = flat_expressions(arguments);
    const auto outputs = flat_expressions(unpack(peeled<F>::innermost(f), arguments));
    return unpack(
        [&](const auto&... all) {
            using merged = merged_leaves<typename std::remove_cvref_t<decltype(all)>::leaves...>;
            static_assert(!holds_foreign_argument<Name>(typename merged::type{}),
                          "[dyad] nesting: a function captures the argument of another one that is being differentiated around it, and "
                          "a captured value besides; pass captured values as arguments and choose with grad<...>");
            return [&]<class... E>(const std::tuple<E...>&) {
                using joined = joined_program<merged, leaf_count<S...>, typename E::program...>;
                return use.template operator()<joined, typename merged::type>(merged::values(all.values()...));
            }(outputs);
        },
        std::tuple_cat(flat_arguments, outputs));
}

template <class F, class Use, class... S>
constexpr auto with_expressions(const F& f, const Use& use, const S&... s) {
    return with_named_expressions<F>(f, use, s...);
}

/// Whether F has the policy that expressions have; says if not.
template <class F>
constexpr bool has_policy_of_expressions() {
    constexpr bool has = policy_of<F>() == default_policy;
    static_assert(has, "[dyad] strict: the expressions of captured values have the default policy; pass the values as "
                       "arguments and choose with grad<...>, or compile with -DDYAD_STRICT");
    return has;
}

/// Runs transform `K` of a function with captured numbers, whose leaves have the values `input`.
template <transform K, class Wrt, class F, class... S>
struct captured_run {
    struct inputs {
        constexpr list<std::uint32_t> operator()() const { return inputs_at<S...>(Wrt{}); }
    };
    template <class Joined>
    using lowered = lowered_program<derived_program<typename peeled<F>::template program<Joined, S...>, K, inputs, default_policy>, default_policy>;
};
/// The flat results of transform `K` of a function with captured numbers.
template <transform K, class Wrt, class F, class... D, class... S>
constexpr auto run_captured(const F& f, const std::tuple<D...>& directions, const S&... s) {
    has_policy_of_expressions<F>();
    return with_expressions(f, [&]<class Joined, class, class... Leaf>(const flat_tuple<Leaf...>& leaves) {
        using T = common_leaf<typename Leaf::value_type..., D...>;
        return unpack([&](const auto&... leaf) {
            const auto input = unpack([&](const auto&... d) { return flat_inputs<T>(leaf.value..., d...); }, directions);
            return kernel_of<typename captured_run<K, Wrt, F, S...>::template lowered<Joined>>::template run<T>(input.data());
        }, leaves);
    }, s...);
}

} // namespace dyad
DYAD_EMPTY_LOOPS_END
