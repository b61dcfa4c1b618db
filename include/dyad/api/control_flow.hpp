// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Loops and branches that are part of the graph: one function for plain numbers (an ordinary loop), numbers on a tape (the
// same, recorded) and traced values (one node, whose compile time does not depend on the number of rounds). Bodies may
// capture traced values; derivatives flow through captures.
#pragma once

#include <limits>

#include <dyad/base/is.hpp>
#include <dyad/api/expression_control_flow.hpp>
#include <dyad/api/transform.hpp>

namespace dyad {

/// Whether a structure is made of plain numbers alone.
template <class... Leaves>
constexpr bool are_plain(std::type_identity<std::tuple<Leaves...>>) {
    return (std::is_arithmetic_v<Leaves> && ...);
}
template <class S>
concept plain_structure = are_plain(std::type_identity<leaf_types<S>>{});

/// Whether the function `F` of a loop over a plain State, called with C... and the state, meets traced values in what it
/// captures: it returns some, or takes no other state.
template <class F, class State, class... C>
constexpr bool meets_traced() {
    if constexpr (std::is_invocable_v<const F&, const C&..., const State&>) {
        using result = std::remove_cvref_t<std::invoke_result_t<const F&, const C&..., const State&>>;
        if constexpr (std::is_void_v<result>) return false;
        if constexpr (!std::is_void_v<result>) return has_leaf<tracer, result>;
    } else if constexpr (plain_structure<State>) {
        return std::is_invocable_v<const F&, std::conditional_t<true, tracer, C>&..., traced<State>&>;
    } else {
        return false;
    }
}
/// Whether a loop has to be recorded. The functions are asked only where the types do not say it: what comes back round may
/// be traced, and a body that makes a std::array of that and of plain numbers does not compile for a plain state.
template <class N, class State, class Body>
constexpr bool records_rounds() {
    if constexpr (has_leaf<tracer, State> || traced_value<N>) {
        return true;
    } else {
        return meets_traced<Body, State, int>();
    }
}
template <class State, class Condition, class Body>
constexpr bool records_repeat() {
    if constexpr (has_leaf<tracer, State>) {
        return true;
    } else if constexpr (meets_traced<Condition, State>()) {
        return true;
    } else {
        return meets_traced<Body, State>();
    }
}

/// What goes round a loop of plain or active values: the state's type, or that of what the body makes of it.
template <class State, class Next>
struct round_type {
    using type = State;
};
template <number State, number Next>
struct round_type<State, Next> {
    using type = std::common_type_t<State, Next>;
};
template <number Next>
struct round_type<bool, Next> {
    using type = Next; // a condition beside numbers is one
};
template <symbolic Next>
struct round_type<bool, Next> : round_type<int, Next> {};
template <number State, symbolic Next>
struct round_type<State, Next> {
    using type = Next;
};
template <number State, symbolic Next>
    requires requires { typename Next::result_type; }
struct round_type<State, Next> {
    using type = typename Next::result_type; // of an operation that a tape has not computed yet
};
template <symbolic State, class Next>
    requires requires { typename State::result_type; }
struct round_type<State, Next> {
    using type = typename State::result_type;
};

/// N parts in a std::tuple, std::pair or std::array: a body may return one of them for another.
template <class Next, std::size_t N>
concept has_parts = requires { requires std::tuple_size<Next>::value == N; };
template <class State, class Next, std::size_t K>
using round_part = typename round_type<State, std::tuple_element_t<K, Next>>::type;

template <class... State, has_parts<sizeof...(State)> Next>
struct round_type<std::tuple<State...>, Next> {
    template <std::size_t... K>
    static auto parts(std::index_sequence<K...>) -> std::type_identity<std::tuple<round_part<State, Next, K>...>>;
    using type = typename decltype(parts(std::index_sequence_for<State...>{}))::type;
};
template <class A, class B, has_parts<2> Next>
struct round_type<std::pair<A, B>, Next> {
    using type = std::pair<round_part<A, Next, 0>, round_part<B, Next, 1>>;
};
template <class State, std::size_t N, class Next>
struct round_type<std::array<State, N>, std::array<Next, N>> {
    using type = std::array<typename round_type<State, Next>::type, N>;
};
/// The elements of an array have one type, which fits all parts.
template <class State, class First, class... Rest>
struct element_of_round : element_of_round<typename round_type<State, First>::type, Rest...> {};
template <class State, class Last>
struct element_of_round<State, Last> : round_type<State, Last> {};
template <class State, std::size_t N, class... Next>
    requires(N > 0 && sizeof...(Next) == N)
struct round_type<std::array<State, N>, std::tuple<Next...>> {
    using type = std::array<typename element_of_round<State, Next...>::type, N>;
};
template <class State, class A, class B>
struct round_type<std::array<State, 2>, std::pair<A, B>> {
    using type = std::array<typename element_of_round<State, A, B>::type, 2>;
};
template <template <class...> class Aggregate, class... State, class... Next>
    requires(!std::same_as<Aggregate<State...>, Aggregate<Next...>> && std::is_aggregate_v<Aggregate<State...>>)
struct round_type<Aggregate<State...>, Aggregate<Next...>> {
    using type = Aggregate<typename round_type<State, Next>::type...>;
};
template <template <class, auto> class Aggregate, class State, class Next, auto N>
    requires(!std::same_as<State, Next> && std::is_aggregate_v<Aggregate<State, N>> && !has_parts<Aggregate<State, N>, N>)
struct round_type<Aggregate<State, N>, Aggregate<Next, N>> {
    using type = Aggregate<typename round_type<State, Next>::type, N>;
};

/// The type that stays as it goes round: what becomes of a part may be what another part becomes a round later.
template <class Body, class State, class... Before>
struct settled_round {
    using next = typename round_type<State, std::remove_cvref_t<std::invoke_result_t<const Body&, Before..., const State&>>>::type;
    using type = typename std::conditional_t<std::same_as<next, State>, std::type_identity<State>, settled_round<Body, next, Before...>>::type;
};

/// What goes round, in the type that does: part by part, as there is no conversion between arrays or aggregates of numbers.
template <class To, class From>
constexpr To as_round(const From& from) {
    if constexpr (std::is_convertible_v<const From&, To>) {
        return from;
    } else if constexpr (requires { at_rest<From>::made(from); }) {
        return as_round<To>(at_rest<From>::made(from));
    } else {
        auto parts = parts_of(from);
        return [&]<std::size_t... Item>(std::index_sequence<Item...>) {
            To to{};
            auto&& places = parts_of(to);
            ((std::get<Item>(places) = as_round<std::remove_cvref_t<decltype(std::get<Item>(places))>>(std::get<Item>(parts))), ...);
            return to;
        }(std::make_index_sequence<std::tuple_size_v<decltype(parts)>>{});
    }
}

enum class loop_kind { rounds, condition, repeat, scan };
DYAD_COMPARED(loop_kind)

/// Whether a function is one that a loop over a State can call with S; each loop has its own sentence where it is not. What
/// goes round keeps its structure.
template <loop_kind Kind, class State, class Body, class... S>
constexpr bool is_body() {
    constexpr bool takes = std::is_invocable_v<const Body&, S...>;
    static_assert(takes || !is(Kind, loop_kind::rounds), "[dyad] fori_loop: the body cannot be called so; it takes the number of the round and the state: body(i, state)");
    static_assert(takes || !is(Kind, loop_kind::condition), "[dyad] while_loop: the condition cannot be called so; it takes the state: condition(state)");
    static_assert(takes || !is(Kind, loop_kind::repeat), "[dyad] while_loop: the body cannot be called so; it takes the state: body(state)");
    static_assert(takes || !is(Kind, loop_kind::scan), "[dyad] scan: the body cannot be called so; it takes the state and an element: body(state, x)");
    if constexpr (takes) {
        using result = std::remove_cvref_t<std::invoke_result_t<const Body&, S...>>;
        if constexpr (already_refused<result>) {
            return false; // (what was refused has its message)
        } else if constexpr (is(Kind, loop_kind::condition)) {
            constexpr bool decides = leaf_type<result> || std::is_constructible_v<bool, result>;
            static_assert(decides, "[dyad] while_loop: the condition must return whether to go on, as one comparison does");
            return decides;
        } else if constexpr (std::is_void_v<result> && !is(Kind, loop_kind::scan)) {
            static_assert(!std::is_void_v<result>, "[dyad] loop: the body returns nothing; return the next state");
            return false;
        } else {
            constexpr bool is_result = !is(Kind, loop_kind::scan) || requires { requires std::tuple_size<result>::value == 2; };
            static_assert(is_result, "[dyad] scan: the body must return a pair, the next state and what is kept of the round: std::pair{state, y}");
            if constexpr (is_result) {
                using next = std::conditional_t<is(Kind, loop_kind::scan), std::tuple_element<0, result>, std::type_identity<result>>;
                constexpr bool same = same_structure<State, std::remove_cvref_t<typename next::type>>();
                static_assert(same, "[dyad] loop: the body returns another number of values than go round, or another structure; return the state's structure");
                return same;
            }
            return is_result;
        }
    }
    return takes;
}
/// Whether a function can be called with S, and returns something.
template <class F, class... S>
concept returns_value = std::is_invocable_v<const F&, const S&...> && !std::is_void_v<std::invoke_result_t<const F&, const S&...>>;
template <class F, class G, class... S>
constexpr bool is_branched() {
    constexpr bool takes = std::is_invocable_v<const F&, const S&...> && std::is_invocable_v<const G&, const S&...>;
    static_assert(takes, "[dyad] cond: the functions cannot be called so; both take the arguments: cond(predicate, f, g, args...)");
    if constexpr (takes) {
        constexpr bool returns = returns_value<F, S...> && returns_value<G, S...>;
        static_assert(returns, "[dyad] cond: a function returns nothing; both return what is chosen");
        if constexpr (returns) {
            using then = std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>;
            using other = std::remove_cvref_t<std::invoke_result_t<const G&, const S&...>>;
            constexpr bool same = same_structure<then, other>();
            static_assert(same, "[dyad] cond: the two functions return different numbers of values, or different structures; return the same structure from both");
            return same;
        }
        return returns;
    }
    return takes;
}

/// What a loop keeps for its backward pass, and so what that computes again (docs/control-flow.md): as a last argument of
/// fori_loop and scan. n rounds, the states before them:
///
/// store_values      what the adjoint needs of each round; computes little again, nothing that is dear. The default.
/// store_every<k>    at most ceil(n / k) + k - 1 states; computes each round once more, at most
/// store_sqrt        the same with k = ceil(sqrt n): fewer than 2 sqrt(n) + 1 states
/// store_within<b>   as many states as b bytes hold; computes again as few rounds as possible
///
/// The states of nested derivatives in forward mode are stored likewise; a reverse mode of the reverse mode keeps all rounds.
/// A store_within whose bytes hold no state does not compile; of arrays it throws value_error with both numbers.
inline constexpr stored_steps_constant<storing::values> store_values{};
template <std::size_t Rounds>
    requires(Rounds > 0)
inline constexpr stored_steps_constant<storing::every, Rounds> store_every{};
inline constexpr stored_steps_constant<storing::square_root> store_sqrt{};
template <std::size_t Bytes>
    requires(Bytes > 0)
inline constexpr stored_steps_constant<storing::within, Bytes> store_within{};

template <class S>
concept steps_to_store = requires { { S::value } -> std::same_as<const stored_steps&>; };

/// The loop of fori_loop, in a trace.
template <class N, class Body, class State>
constexpr auto record_rounds(const N& n, const Body& body, const State& state, stored_steps stored) {
    builder* home = home_of(state, tracer(n));
    auto now = as_traced(state);
    if (home == nullptr) home = home_of(body(tracer(0), now));
    if (home == nullptr) { // numbers only: an ordinary loop
        for (std::ptrdiff_t i = 0, rounds = rounds_of(tracer(n).literal().high); i < rounds; ++i) now = as_traced_like<State>(body(tracer(static_cast<double>(i)), now));
        return now;
    }
    builder& b = *home;
    const node_index rounds = one_number(b, tracer(n).in(b));
    if (b.is_constant(rounds) && !(constant_value(b[rounds]).high >= 0))
        throw value_error("[dyad] fori_loop: the number of rounds is negative");
    const node_index index = b.parameter(element::integer);
    b.loop_indices.push_back(index);
    b.loop_rounds.push_back(rounds);
    return structured<State>(b, record_carries(
        b, "fori_loop", state_nodes(b, state),
        [&](const list<node_index>& parameters) {
            auto inside = structured<State>(b, parameters);
            return state_nodes(b, body(tracer(b, index), inside));
        },
        [&](node_index chain) {
            return b.add({.op = opcode::loop, .operand = {rounds, chain, 0}, .bits = loop_bits(b[index].bits, false, stored)});
        }));
}

/// state = body(i, state) for i = 0, 1 ... n - 1; the state is a number, an array, or a tuple, std::array or aggregate of
/// such. `n` may be known at run time only, and is not differentiated. Reverse mode keeps a few numbers of each round
/// (docs/control-flow.md says which), or what `stored` says.
/// Throws value_error if n is negative or not whole.
/// Example: `fori_loop(n, [&](auto i, auto s) { return s + x / (i + 1); }, 0.0)`
template <class N, class Body, class State, steps_to_store Stored = decltype(store_values)>
constexpr auto fori_loop(const N& n, const Body& body, const State& state, Stored stored = {}) {
    constexpr bool counts = operand<N> || std::is_convertible_v<const N&, double>;
    static_assert(counts, "[dyad] fori_loop: the number of rounds is a number, or one that is traced");
    if constexpr (!counts) {
        return state;
    } else if constexpr (!is_at_rest<State>) { // numbers of a tape go round, not formulas of them
        return fori_loop(n, body, rested(state), stored);
    } else if constexpr (records_rounds<N, State, Body>()) {
        if constexpr (!is_body<loop_kind::rounds, State, Body, tracer&, traced<State>&>()) {
            return state;
        } else {
            return record_rounds(n, body, state, stored.value);
        }
    } else if constexpr (!is_body<loop_kind::rounds, State, Body, int, const State&>()) {
        return state;
    } else if constexpr (has_eager<N, State, std::remove_cvref_t<std::invoke_result_t<const Body&, int, const State&>>>) {
        return expression_loop<Stored>(n, body, state);
    } else {
        const auto rounds = rounds_of(static_cast<double>(n));
        if (rounds > std::numeric_limits<int>::max()) refuse_rounds(static_cast<double>(n), std::ptrdiff_t{std::numeric_limits<int>::max()} + 1);
        using round = typename settled_round<Body, State, int>::type;
        auto now = as_round<round>(state);
        for (std::ptrdiff_t i = 0; i < rounds; ++i) now = as_round<round>(body(static_cast<int>(i), now));
        return now;
    }
}
template <class N, class Body, class State, class Other, class... More>
    requires(!steps_to_store<Other> || sizeof...(More) > 0)
constexpr auto fori_loop(const N&, const Body&, const State&, const Other& other, const More&...) {
    static_assert(never<Other>, "[dyad] fori_loop: it takes the number of rounds, the body and the state, and what it stores: fori_loop(n, body, state) or "
                                "fori_loop(n, body, state, store_every<16>); the index counts from 0");
    return other;
}

/// The loop of while_loop, in a trace.
template <class Condition, class Body, class State>
constexpr auto record_while(const Condition& condition, const Body& body, const State& state) {
    builder* home = home_of(state);
    auto now = as_traced(state);
    if (home == nullptr) home = home_of(condition(now));
    if (home == nullptr) home = home_of(body(now));
    if (home == nullptr) { // numbers only: an ordinary loop
        while (!tracer(condition(now)).is_literal(0)) now = as_traced_like<State>(body(now));
        return now;
    }
    builder& b = *home;
    const node_index counter = b.parameter(element::integer);
    node_index holds = no_node;
    return structured<State>(b, record_carries(
        b, "while_loop", state_nodes(b, state),
        [&](const list<node_index>& parameters) {
            auto inside = structured<State>(b, parameters);
            holds = one_number(b, tracer(condition(inside)).in(b));
            return state_nodes(b, body(inside));
        },
        [&](node_index chain) {
            return b.add({.op = opcode::repeat, .operand = {holds, chain, 0}, .bits = b[counter].bits << 1});
        }));
}

/// While condition(state): state = body(state). The number of rounds may depend on what is differentiated: the derivative
/// is that of the rounds that run. Reverse mode keeps a few numbers of each round, in memory that grows.
/// Example: Newton's method, `while_loop([&](auto y) { return abs(y * y - x) > 1e-12; }, [&](auto y) { return (y + x / y) / 2; }, x)`
template <class Condition, class Body, class State>
constexpr auto while_loop(const Condition& condition, const Body& body, const State& state) {
    if constexpr (!is_at_rest<State>) {
        return while_loop(condition, body, rested(state));
    } else if constexpr (records_repeat<State, Condition, Body>()) {
        if constexpr (!is_body<loop_kind::condition, State, Condition, traced<State>&>() || !is_body<loop_kind::repeat, State, Body, traced<State>&>()) {
            return state;
        } else {
            return record_while(condition, body, state);
        }
    } else if constexpr (!is_body<loop_kind::condition, State, Condition, const State&>() || !is_body<loop_kind::repeat, State, Body, const State&>()) {
        return state;
    } else if constexpr (has_eager<State, std::remove_cvref_t<std::invoke_result_t<const Body&, const State&>>>) {
        return expression_while(condition, body, state);
    } else {
        using round = typename settled_round<Body, State>::type;
        auto now = as_round<round>(state);
        while (condition(now)) now = as_round<round>(body(now));
        return now;
    }
}

/// f(args...) if the predicate holds, else g(args...); only that one runs. (`where` computes both.)
/// Example: `cond(x > 0, [](auto x) { return log(x); }, [](auto x) { return x; }, x)`
template <class P, class F, class G, class... S>
constexpr auto cond(const P& predicate, const F& f, const G& g, const S&... s) {
    if constexpr (!is_at_rest<S...>) {
        return cond(predicate, f, g, rested(s)...);
    } else if constexpr (!is_branched<F, G, S...>()) {
        if constexpr (returns_value<F, S...>) return f(s...); // one mistake, one message
        if constexpr (!returns_value<F, S...>) return refused_result{};
    } else {
        using Then = std::remove_cvref_t<std::invoke_result_t<const F&, const S&...>>;
        using Other = std::remove_cvref_t<std::invoke_result_t<const G&, const S&...>>;
        if constexpr (traced_value<P> || has_leaf<tracer, Then> || has_leaf<tracer, Other>) {
            builder* home = home_of(tracer(predicate), s...);
            const auto begin = home == nullptr ? 0 : static_cast<node_index>(home->size());
            const auto then = f(s...);
            const auto other = g(s...);
            using result = decltype(as_traced(then));
            if (home == nullptr) { // known now, or the functions know more
                return tracer(predicate).is_literal(0) ? as_round<result>(as_traced(other)) : as_traced(then);
            }
            builder& b = *home;
            const node_index holds = one_number(b, tracer(predicate).in(b));
            if (b.is_constant(holds)) return constant_value(b[holds]) == 0.0 ? as_round<result>(as_traced(other)) : as_traced(then);
            return structured<Then>(b, record_branch(b, begin, holds, state_nodes(b, then), state_nodes(b, other)));
        } else if constexpr (eager<P> || has_eager<Then, Other>) {
            return expression_branch(predicate, f(s...), g(s...));
        } else {
            using result = typename round_type<at_rest_t<Then>, at_rest_t<Other>>::type;
            return predicate ? as_round<result>(f(s...)) : as_round<result>(g(s...));
        }
    }
}

} // namespace dyad
