// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions with derivatives of their own, and functions whose values the backward pass computes again instead of
// keeping them.
#pragma once

#include <dyad/api/control_flow.hpp>
#include <dyad/base/unpack.hpp>

DYAD_BOTH_SIDES_BEGIN
namespace dyad {

/// How numbers that record obey a rule (api/tape_custom.hpp, complete once tape.hpp is included).
template <bool Forward, class F, class Rule>
struct tape_rule;
template <class Leaf>
inline constexpr bool records = requires { typename Leaf::dyad_active; } || requires { typename Leaf::dyad_deferred; };
template <class... Leaves>
constexpr bool any_records(std::type_identity<std::tuple<Leaves...>>) {
    return (records<Leaves> || ...);
}
/// Whether a leaf is a container of such numbers.
template <class Leaf>
inline constexpr bool holds_records = false;
template <class Leaf>
    requires requires { typename Leaf::value_type; }
inline constexpr bool holds_records<Leaf> = !records<Leaf> && records<typename Leaf::value_type>;
template <class... Leaves>
constexpr bool any_holds_records(std::type_identity<std::tuple<Leaves...>>) {
    return (holds_records<Leaves> || ...);
}

/// Whether a type is one std::array of `Count` numbers.
template <class S, std::size_t Count>
inline constexpr bool is_flat_array = false;
template <leaf_type T, std::size_t Count>
inline constexpr bool is_flat_array<std::array<T, Count>, Count> = true;

/// Whether a type has the structure of the only argument.
template <class Given, class All>
inline constexpr bool is_like_the_only = false;
template <class Given, class S>
inline constexpr bool is_like_the_only<Given, std::tuple<S>> = same_structure<Given, S>();

/// What a call, a std::invoke_result, gives; where it cannot be made, not_given.
struct not_given {};
template <class Call>
struct given_by {
    using type = not_given;
};
template <class Call>
    requires requires { typename Call::type; }
struct given_by<Call> {
    using type = std::remove_cvref_t<typename Call::type>;
};

/// Whether a rule for S and a Result returns what it has to: a tuple for several arguments, for one value that itself too;
/// or all numbers in order, in one std::array.
template <bool Forward, class Given, class Result, class... S>
constexpr bool gives_each() {
    constexpr bool takes = !std::is_same_v<Given, not_given>;
    static_assert(takes || !Forward, "[dyad] custom_jvp: the rule cannot be called so; it takes the arguments, the result and the tangents: rule(args..., result, tangents...)");
    static_assert(takes || Forward, "[dyad] custom_gradient: the rule cannot be called so; it takes the arguments, the result and its cotangent: rule(args..., result, upstream)");
    constexpr bool returns = !std::is_void_v<Given>;
    static_assert(returns, "[dyad] custom_gradient, custom_jvp: the rule returns nothing; return the cotangents of the arguments, or the tangent of the result");
    if constexpr (takes && returns) {
        using all = std::conditional_t<Forward, std::tuple<Result>, std::tuple<S...>>;
        constexpr bool each = same_structure<Given, all>() || is_like_the_only<Given, all> || is_flat_array<Given, leaf_count<all>>;
        static_assert(each || !Forward, "[dyad] custom_jvp: the rule must return one tangent for each result, in its structure");
        static_assert(each || Forward, "[dyad] custom_gradient: the rule must return one cotangent for each argument, in its structure, as a tuple: std::tuple{a, b}");
        return each;
    }
    return false;
}

/// A function with a rule.
template <bool Forward, class F, class Rule>
class with_rule {
public:
    constexpr with_rule() = default;
    constexpr with_rule(F f, Rule rule) : f_(f), rule_(rule) {}

    template <class... S>
    DYAD_FN constexpr auto operator()(const S&... s) const {
        if constexpr (has_eager<S...>) {
            using result = std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>;
            static_assert(stateless<with_rule>, "[dyad] custom_gradient: in a function that captures numbers, the function and its rule must "
                                                "capture none; pass them as arguments");
            return expression_call<with_rule, result>(s...);
        } else if constexpr (any_records(std::type_identity<leaf_types<S...>>{})) {
            return tape_rule<Forward, F, Rule>::run(f_, rule_, s...); // f_ runs on the values only
        } else {
            static_assert(!any_holds_records(std::type_identity<leaf_types<S...>>{}), "[dyad] custom_gradient, custom_jvp: on a tape a rule takes numbers, tuples and "
                                                                                     "std::arrays; for whole arrays and vectors, record its function with tape.apply(f, x...)");
            using result = std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>;
            using equation = typename decltype(equation_at<result, S...>())::type; // (which may capture what the function does not)
            static_assert(!has_eager<result, equation>, "[dyad] custom_gradient: in a function that captures numbers, what the function captures would be differentiated through it; "
                                              "pass what it captures as arguments");
            if constexpr (has_leaf<tracer, S..., result, equation>) {
                using given = typename given_by<rule_call<result, S...>>::type; // (asked here: a short chain of instantiations)
                if constexpr (gives_each<Forward, given, result, S...>()) return record<result>(s...);
                if constexpr (!gives_each<Forward, given, result, S...>()) return f_(s...);
            } else {
                static_assert(!any_records(std::type_identity<leaf_types<result, equation>>{}), "[dyad] capture: a function with a rule captures a number of a tape or a dual, whose derivative would "
                                                                                      "be lost; pass it as an argument");
                return rested_call(f_, s...);
            }
        }
    }

private:
    /// The call of the rule on traced values.
    template <class Result, class... S>
    using rule_call = std::conditional_t<Forward, std::invoke_result<const Rule&, traced<S>&..., traced<Result>&, traced<S>&...>,
                                         std::invoke_result<const Rule&, traced<S>&..., traced<Result>&, traced<Result>&>>;
    /// What the equation that the rule comes from gives for such values, where it captures; else std::tuple<>.
    template <class Result, class... S>
    static constexpr auto equation_at() {
        if constexpr (stateless<Rule>) { // (asked first: else it would be compiled for such values)
            return std::type_identity<std::tuple<>>{};
        } else if constexpr (requires(const Rule& rule, const Result& y, const S&... s) { rule.dyad_equation(s..., y); }) {
            return std::type_identity<std::remove_cvref_t<decltype(std::declval<const Rule&>().dyad_equation(std::declval<const S&>()..., std::declval<const Result&>()))>>{};
        } else {
            return std::type_identity<std::tuple<>>{};
        }
    }
    template <class Result, class... S>
    constexpr auto record(const S&... s) const {
        builder* home = home_of(s...);
        if (home == nullptr) { // that of what is captured
            const Result value = f_(s...);
            home = home_of(value);
            if constexpr (!std::is_same_v<decltype(equation_at<Result, S...>()), std::type_identity<std::tuple<>>>)
                home = home != nullptr ? home : home_of(rule_.dyad_equation(s..., value));
            if (home == nullptr) return as_traced(value);
        }
        const Result value = with_values_only(home, true, [&]() -> Result { return f_(s...); });
        builder& b = *home;
        const list<node_index> arguments = state_nodes(b, s...), values = state_nodes(b, value);
        const std::size_t begin = b.size();
        constexpr bool of_equation = requires(traced<S>&... x, traced<Result>& y) { rule_.dyad_equation_cotangents(x..., y, y); };
        const auto run_rule = [&](const list<node_index>& parameters) -> rule_roots {
            node_reader read{b, parameters};
            std::tuple<traced<S>...> own{structure<S>::build(read)...};
            traced<Result> result = structure<Result>::build(read);
            if constexpr (Forward) {
                std::tuple<traced<S>...> tangents{structure<S>::build(read)...};
                const auto given = unpack([&](const auto&... x) { return unpack([&](const auto&... t) { return rule_(x..., result, t...); }, tangents); }, own);
                return {state_nodes(b, given), {}};
            } else {
                traced<Result> upstream = structure<Result>::build(read);
                return unpack([&](const auto&... x) { return roots_of_pullback<of_equation>(b, begin, result, upstream, x...); }, own);
            }
        };
        constexpr rule_kind kind = Forward ? rule_kind::pushforward : of_equation ? rule_kind::equation : rule_kind::pullback;
        return structured<Result>(b, record_custom(b, kind, arguments, values, run_rule));
    }
    /// What the rule gives, and what the equation that it comes from captures; or that equation, with its cotangents.
    template <bool OfEquation, class Result, class... X>
    constexpr rule_roots roots_of_pullback(builder& b, std::size_t begin, const Result& result, const Result& upstream, const X&... x) const {
        if constexpr (requires { rule_.dyad_equation(x..., result); }) {
            const auto equation = rule_.dyad_equation(x..., result);
            for_each_leaf([](const auto& leaf) { refuse_array_leaf(tracer(leaf)); }, equation);
            if constexpr (OfEquation) return {state_nodes(b, equation, rule_.dyad_equation_cotangents(x..., result, upstream)), {}};
            if constexpr (!OfEquation) return {state_nodes(b, rule_(x..., result, upstream)), captured_by(b, state_nodes(b, equation), begin)};
        } else {
            return {state_nodes(b, rule_(x..., result, upstream)), {}};
        }
    }

    [[no_unique_address]] F f_;
    [[no_unique_address]] Rule rule_;
};

/// `f` whose derivative is what `rule(args..., result, upstream)` returns: the cotangents of the arguments, as a tuple (for
/// one argument also as it is), from the cotangent `upstream` of the result. The rule is obeyed, never looked through;
/// derivatives of higher order are those of the rule. Forward mode transposes a rule that is linear in `upstream`; another it
/// uses with upstream 1, for numbers and element by element, and refuses where it joins elements. What f captures is constant.
/// Example: clipping, `custom_gradient([](auto x) { return 1 * x; }, [](auto x, auto y, auto up) { return clamp(up, -1, 1); })`
template <class F, class Rule>
constexpr auto custom_gradient(F f, Rule rule) {
    return with_rule<false, F, Rule>(f, rule);
}

/// `f` whose tangent is `rule(args..., result, tangents...)`, linear in the tangents. Reverse mode transposes the rule.
/// Example: `custom_jvp([](auto x) { return round(x); }, [](auto x, auto y, auto t) { return t; })` lets slopes through.
template <class F, class Rule>
constexpr auto custom_jvp(F f, Rule rule) {
    return with_rule<true, F, Rule>(f, rule);
}

/// A function that is computed again in the backward pass.
template <class F>
class checkpointed {
public:
    constexpr checkpointed() = default;
    constexpr explicit checkpointed(F f) : f_(f) {}

    template <class... S>
    DYAD_FN constexpr auto operator()(const S&... s) const {
        constexpr bool takes = std::is_invocable_v<const F&, const S&...>;
        static_assert(takes, "[dyad] checkpoint: the function cannot be called so, with these arguments");
        if constexpr (takes) {
            using result = std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>;
            if constexpr (has_leaf<tracer, S...> || has_leaf<tracer, result>) {
                return record<result>(s...);
            } else {
                return rested_call(f_, s...);
            }
        } else {
            return refused_result{}; // one mistake, one message
        }
    }

private:
    template <class Result, class... S>
    constexpr auto record(const S&... s) const {
        builder* home = home_of(s...);
        if (home == nullptr) home = home_of(f_(s...));
        if (home == nullptr) return as_traced(f_(s...));
        const auto begin = static_cast<node_index>(home->size());
        const auto value = f_(s...);
        return structured<Result>(*home, record_checkpoint(*home, begin, state_nodes(*home, value)));
    }

    [[no_unique_address]] F f_;
};

/// `f` of which the backward pass keeps the arguments only (and what f captures), and computes the rest again.
/// Example: in a loop, `fori_loop(n, [](auto i, auto s) { return checkpoint(step)(s); }, s)` keeps one state a round.
template <class F>
constexpr auto checkpoint(F f) {
    return checkpointed<F>(f);
}

} // namespace dyad
DYAD_BOTH_SIDES_END
