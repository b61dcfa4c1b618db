// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Loops over the elements of arrays that keep a result of each round.
#pragma once

#include <utility>

#include <dyad/api/control_flow.hpp>
#include <dyad/api/sequence.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/pass/batch_results.hpp>
#include <dyad/pass/lift_elements.hpp>

namespace dyad {

/// The container of one result Y of each round, for elements in an Xs: of its kind, and as long.
template <class Y, class Xs>
struct results_like {
    static constexpr Xs make(const Xs& xs) {
        constexpr bool holds = std::is_same_v<std::remove_cvref_t<decltype(xs[0])>, Y>;
        constexpr bool owns = holds && !std::is_same_v<decltype(xs[0]), Y&> && std::is_assignable_v<decltype(std::declval<Xs&>()[0]), const Y&>; // no view
        static_assert(owns, "[dyad] scan, map: the results of the rounds find no container like that of the elements; use a std::array or a std::vector");
        return xs;
    }
};
template <class Y, class X, std::size_t N>
struct results_like<Y, std::array<X, N>> {
    static constexpr std::array<Y, N> make(const std::array<X, N>&) { return {}; }
};
template <class Y, template <class...> class Container, class X, class... More>
    requires(!std::is_same_v<X, Y> && requires { requires std::is_same_v<typename Container<X, More...>::value_type, X>; } && // (no view of a container)
             requires(std::size_t n) { Container<Y>(n)[n] = Y(); })
struct results_like<Y, Container<X, More...>> {
    static constexpr Container<Y> make(const Container<X, More...>& xs) { return Container<Y>(xs.size()); }
};

/// Makes the container of the results Leaf, for elements in an Xs.
template <class Xs>
struct container_maker {
    const Xs& xs;
    template <class Leaf>
    constexpr auto operator()() const {
        return results_like<Leaf, Xs>::make(xs);
    }
};
/// What `f` gives for the elements of xs in turn, in the structure of one result: for each leaf a container, as traced arrays are stacked.
template <class Xs, class Y>
class kept_results {
public:
    constexpr explicit kept_results(const Xs& xs) : containers_(make<Y>(xs)) {}
    constexpr void keep(std::size_t i, const Y& y) { keep(containers_, i, y); }
    [[nodiscard]] constexpr const auto& containers() const { return containers_; }

private:
    /// (What a library's container holds, as an array of recorded numbers, is no structure: it is kept whole.)
    template <class R>
    static constexpr bool is_whole = leaf_type<R> || refused_argument<R>;
    template <class R>
    struct parts {};

    template <class R>
    static constexpr auto make(const Xs& xs) {
        if constexpr (is_whole<R>) {
            return results_like<R, Xs>::make(xs);
        } else if constexpr (requires { std::tuple_size<R>::value; }) {
            return make_parts(parts<R>{}, xs);
        } else {
            return structure<R>::build(container_maker<Xs>{xs});
        }
    }
    template <class R, std::size_t N>
    static constexpr auto make_parts(parts<std::array<R, N>>, const Xs& xs) {
        std::array<decltype(make<R>(xs)), N> each{};
        for (auto& part : each) part = make<R>(xs);
        return each;
    }
    template <class... R>
    static constexpr auto make_parts(parts<std::tuple<R...>>, const Xs& xs) {
        return std::tuple<decltype(make<R>(xs))...>(make<R>(xs)...);
    }
    template <class A, class B>
    static constexpr auto make_parts(parts<std::pair<A, B>>, const Xs& xs) {
        return std::pair<decltype(make<A>(xs)), decltype(make<B>(xs))>(make<A>(xs), make<B>(xs));
    }

    template <class To, class R>
    static constexpr void keep(To& to, std::size_t i, const R& y) {
        if constexpr (is_whole<R>) {
            to[i] = y;
        } else if constexpr (is_std_array<R>) {
            for (std::size_t k = 0; k != y.size(); ++k) keep(to[k], i, y[k]);
        } else {
            auto&& places = parts_of(to);
            auto&& values = parts_of(y);
            [&]<std::size_t... K>(std::index_sequence<K...>) {
                (keep(std::get<K>(places), i, std::get<K>(values)), ...);
            }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(values)>>>{});
        }
    }
    decltype(make<Y>(std::declval<const Xs&>())) containers_;
};

/// Whether arguments are arrays in a trace, rather than containers of numbers or of traced values, one or several.
template <class Xs>
inline constexpr bool are_traced_arrays = has_leaf<tracer, Xs> && (std::same_as<Xs, tracer> || !requires(const Xs& xs) { xs.begin(); });
template <class... Xs>
inline constexpr bool are_traced_arrays<std::tuple<Xs...>> = sizeof...(Xs) > 0 && (are_traced_arrays<Xs> && ...);
template <class X, class Y>
inline constexpr bool are_traced_arrays<std::pair<X, Y>> = are_traced_arrays<X> && are_traced_arrays<Y>;
template <class Xs>
concept traced_arrays_of = are_traced_arrays<Xs>;

/// Whether no expression goes round or is gone through: the functions that capture numbers run on expressions.
template <bool Eager>
constexpr bool without_expressions() {
    static_assert(!Eager, "[dyad] scan, map, vmap: a function that captures numbers cannot scan; pass what it captures as arguments, and choose with grad<...>");
    return !Eager;
}

/// Whether a scan over traced values begins with an array or aggregate of plain real numbers: these share a type, so they are
/// traced from the first round on. (Parts of a tuple are each what the body makes of them: a whole number may be a position.)
template <class State, class Xs>
inline constexpr bool begins_traced = false;
template <plain_structure State, class Xs>
    requires(has_leaf<tracer, Xs> && !leaf_type<State> && (is_std_array<State> || !requires { std::tuple_size<State>::value; }))
inline constexpr bool begins_traced<State, Xs> = []<class... Leaves>(std::type_identity<std::tuple<Leaves...>>) {
    return (real_number<Leaves> && ...);
}(std::type_identity<leaf_types<State>>{});

/// What becomes of the state in a round of a scan over elements X: for its type alone.
template <class Body, class X>
struct scan_round {
    template <class S>
    auto operator()(const S&) const -> std::remove_cvref_t<decltype(std::get<0>(std::declval<std::invoke_result_t<const Body&, const S&, const X&>&>()))>;
};

/// Records a loop over the first axes of arrays; `body(state, elements)` gives the next state and the round's results.
template <class Body, class State, class Xs>
constexpr auto record_scan(const Body& body, const State& state, const Xs& xs, stored_steps stored) {
    using parts = std::remove_cvref_t<std::invoke_result_t<const Body&, traced<State>&, traced<Xs>&>>;
    using result_type = std::remove_cvref_t<decltype(std::get<1>(std::declval<parts&>()))>;
    builder& b = *home_of(xs);
    const list<node_index> arrays = state_nodes(b, xs);
    check_rows(b, arrays);
    const node_index rounds = b[arrays[0]].rank == 0 ? b.constant(exact(0)) : b.emit({.op = opcode::extent, .operand = {arrays[0], 0, 0}, .bits = std::uint64_t{1} << (b[arrays[0]].rank - 1)});
    const node_index index = b.parameter(element::integer);
    node_index loop = no_node;
    list<node_index> kept;
    const list<node_index> last = record_carries(
        b, "scan", state_nodes(b, state),
        [&](const list<node_index>& parameters) {
            list<node_index> elements;
            for (const node_index x : arrays) elements.push_back(at(b, x, index));
            auto now = structured<State>(b, parameters);
            auto element = structured<Xs>(b, elements);
            const auto next = body(now, element);
            list<node_index> after = state_nodes(b, std::get<0>(next));
            const std::size_t values = after.size();
            for (const node_index k : state_nodes(b, std::get<1>(next))) after.push_back(k);
            if (is(stored.kind, storing::values)) after = lift_elements(b, index, batch_results(b, index, after, values)); // (all rounds' at once)
            kept = {};
            for (; after.size() > values; after.pop_back()) kept.push_back(after.back());
            return after;
        },
        [&](node_index chain) {
            return loop = b.add({.op = opcode::loop, .operand = {rounds, chain, 0}, .bits = loop_bits(b[index].bits, false, stored)});
        });
    list<node_index> stacked;
    for (std::size_t k = kept.size(); k-- > 0;) { // the last one was taken first
        const node n = b[kept[k]];
        const bool there = n.is(opcode::at) && n.operand[1] == index; // it is computed for all elements
        stacked.push_back(there ? n.operand[0] : history(b, loop, kept[k]));
    }
    return std::pair{structured<State>(b, last), structured<result_type>(b, stacked)};
}

/// (state, y) = body(state, x) for the elements x of xs along the first axis, in order; returns the last state and all y,
/// stacked. xs is a container of numbers, or an array (or a tuple or aggregate of arrays, of equal first axes). `stored` is
/// what reverse mode keeps, as for fori_loop.
/// Throws shape_error if the first axes differ.
/// Example: cumulative sums, `scan([](auto s, auto x) { return std::pair{s + x, s + x}; }, 0.0, xs).second`
template <class Body, class State, class Xs, steps_to_store Stored = decltype(store_values)>
constexpr auto scan(const Body& body, const State& state, const Xs& xs, Stored stored = {}) {
    if constexpr (traced_arrays_of<Xs>) {
        if constexpr (!is_body<loop_kind::scan, State, Body, traced<State>&, traced<Xs>&>()) {
            return std::pair{state, state};
        } else {
            return record_scan(body, state, xs, stored.value);
        }
    } else if constexpr (!without_expressions<has_eager<State, Xs>>()) {
        return std::pair{state, state};
    } else if constexpr (has_rows<Xs>) {
        static_assert(!has_rows<Xs>, "[dyad] scan, map: over the rows of an array of numbers that is not traced; call vmap(f)(X), or the function that scans "
                                     "through dyad::kernel or a transform; on a tape, through tape.apply");
        return std::pair{state, state};
    } else if constexpr (begins_traced<State, Xs>) {
        return scan(body, as_traced(state), xs, stored);
    } else if constexpr (!has_elements<Xs>()) {
        return std::pair{state, state}; // one mistake, one message
    } else if constexpr (!is_body<loop_kind::scan, State, Body, const State&, const decltype(sequence_at(xs, 0))&>()) {
        return std::pair{state, state};
    } else {
        using element_type = decltype(sequence_at(xs, 0));
        using parts = std::remove_cvref_t<std::invoke_result_t<const Body&, const State&, const element_type&>>;
        using next_type = std::remove_cvref_t<decltype(std::get<0>(std::declval<parts&>()))>;
        if constexpr (!without_expressions<has_eager<next_type>>()) { // which the body took from around
            return std::pair{state, state};
        } else {
            using state_type = typename settled_round<scan_round<Body, element_type>, State>::type;
            using kept_type = std::remove_cvref_t<decltype(std::get<1>(std::declval<std::invoke_result_t<const Body&, const state_type&, const element_type&>&>()))>;
            auto now = as_round<state_type>(state);
            using kept_round = typename round_type<at_rest_t<kept_type>, at_rest_t<kept_type>>::type;
            kept_results<std::remove_cvref_t<decltype(first_sequence(xs))>, kept_round> kept(first_sequence(xs));
            const std::size_t length = sequence_length(xs);
            for (std::size_t i = 0; i < length; ++i) {
                const element_type element = sequence_at(xs, i);
                const auto next = body(now, element);
                auto after = as_round<state_type>(std::get<0>(next)); // (what is kept may refer to the state before)
                kept.keep(i, as_round<kept_round>(std::get<1>(next)));
                now = std::move(after);
            }
            return std::pair{now, kept.containers()};
        }
    }
}

/// Whether `F` takes the elements of xs; says so if not. (What is no sequence, `scan` refuses.)
template <class F, class Xs>
constexpr bool maps() {
    constexpr bool takes = [] {
        if constexpr (traced_arrays_of<Xs>) {
            return requires(const F& f, traced<Xs>& x) { f(x); };
        } else if constexpr (!has_rows<Xs> && requires(const Xs& xs) { sequence_at(xs, 0); }) {
            return requires(const F& f, const decltype(sequence_at(std::declval<const Xs&>(), 0))& x) { f(x); };
        } else {
            return true;
        }
    }();
    static_assert(takes, "[dyad] map: the function cannot be called so; it takes one element of xs, a tuple where xs is a tuple of arrays: map(f, xs)");
    return takes;
}

/// f of each element of xs along the first axis, stacked. What works element by element, sums over elements and takes parts of them
/// runs on the whole arrays, not in a loop (pass/batch_results.hpp).
/// Example: `map([](auto row) { return norm(row); }, X)`
template <class F, class Xs>
constexpr auto map(const F& f, const Xs& xs) {
    if constexpr (!maps<F, Xs>()) {
        return xs;
    } else {
        return scan([&](const auto& state, const auto& x) { return std::pair{state, f(x)}; }, std::tuple<>{}, xs).second;
    }
}

/// See `vmap`.
template <class F>
class batched {
public:
    constexpr batched() = default;
    constexpr explicit batched(F f) : f_(std::move(f)) {}

    template <class... S>
    constexpr auto operator()(const S&... s) const {
        if constexpr (has_array<S...> && !stateless<F>) {
            static_assert(stateless<F>, "[dyad] vmap: the function captures numbers or arrays; pass what it captures as an argument of the function around: "
                                        "dyad::evaluate([](auto X, auto c) { return dyad::vmap([&](auto x) { return c * x; })(X); }, X, c)");
        } else if constexpr (has_array<S...>) {
            return backend_for<transform::value, positions<>, batched, S...>::values(*this, s...);
        } else {
            return map([&](const auto& x) { return unpack(f_, x); }, std::tuple<S...>(s...));
        }
    }

private:
    [[no_unique_address]] F f_;
};

/// f of a batch: `vmap(f)(X, Y)` is f at the elements (rows, planes ...) of all arguments along their first axes, the
/// results stacked along a new one. It composes with the transforms: `vmap(grad(f))` is the gradient at each element,
/// `grad([](auto X) { return sum(vmap(f)(X)); })` that of a sum over the batch.
/// Throws shape_error if the first axes differ.
template <class F>
constexpr auto vmap(F f) {
    return batched<F>(std::move(f));
}

} // namespace dyad
