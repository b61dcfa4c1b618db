// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions of numbers over arrays (kernel), and results into memory that is there (evaluate_into).
#pragma once

#include <dyad/api/array_call.hpp>

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

/// A function of numbers at every element of arrays: its graph with arrays in the place of the numbers.
template <class F, policy P, class... S>
struct lifted_arrays {
    using source = traced_program<F, P, elements_of<S>...>;
    struct make {
        constexpr dyad::graph operator()() const {
            builder b(rewriter_of(P));
            b.arrays = rules_of_arrays(P);
            array_input_maker maker{b};
            std::tuple<traced<S>...> arguments{structure<S>::build(maker)...};
            list<node_index> inputs;
            std::apply([&](const auto&... s) { for_each_leaf([&](const tracer& t) { inputs.push_back(t.in(b)); }, s...); }, arguments);
            list<node_index> outputs = b.append(source::graph, inputs);
            for (node_index& out : outputs) { // an element for each element, even of what is constant
                for (const node_index i : inputs) out = b.broadcast_to(out, i);
            }
            dyad::graph g = b.finish(outputs);
            g.input_count = leaf_count<S...>;
            return g;
        }
    };
    static constexpr const auto& graph = frozen<make, source::graph.view().size + 16, source::graph.view().output_count>::value;
};

/// See `kernel`.
template <class F>
class array_kernel {
public:
    constexpr array_kernel() = default;
    constexpr explicit array_kernel(F f) : f_(f) {}

    template <class... S>
    auto operator()(const S&... s) const {
        if constexpr (!has_array<S...>) {
            return f_(s...);
        } else if constexpr ((lazy_array<S> || ...)) {
            return (*this)(computed(s)...);
        } else if constexpr (ready<S...>()) {
            using T = computing_type<S...>;
            using result = traced_result<F, elements_of<S>...>;
            using compiled = program<kind_of<S>...>;
            auto flat = results_of<S...>(std::make_index_sequence<structure<result>::size>{});
            const auto arguments = std::tuple_cat(flat_leaves<T>(s)...);
            std::apply([&](auto&... out) { execute_into<compiled, T>(arguments, std::tie(out...)); }, flat);
            return restored<result>(flat);
        }
    }
    /// The same into containers that are there.
    template <class Out, class... S>
    void into(Out& out, const S&... s) const {
        if constexpr (ready<S...>()) {
            using T = computing_type<S...>;
            execute_into<program<kind_of<S>...>, T>(std::tuple_cat(flat_leaves<T>(s)...), places_of(out));
        }
    }

    template <class... S>
    using program = array_program<lifted_arrays<F, policy_of<F>(), S...>, policy_of<F>()>;

private:
    template <class... S>
    static constexpr bool ready() {
        static_assert(stateless<F>, "[dyad] capture: a kernel cannot have captured values; pass them as arguments");
        return stateless<F> && usable<F, elements_of<S>...>();
    }
    /// Containers like the first array argument.
    template <class... S, std::size_t... K>
    static auto results_of(std::index_sequence<K...>) {
        using like = first_array<leaf_types<S...>>;
        constexpr unsigned rank = [] {
            const unsigned ranks[] = {facts_of_kind<S>()...};
            unsigned most = 0;
            for (const unsigned r : ranks) most = r > most ? r : most;
            return most;
        }();
        using number = computing_type<S...>;
        using usual = typename default_container<number, rank>::type;
        constexpr bool same = array_traits<like>::rank == rank && std::is_same_v<typename array_traits<like>::element, number>;
        using container = typename std::conditional_t<same, result_container<like>, std::type_identity<usual>>::type;
        return std::tuple{(static_cast<void>(K), container{})...};
    }
    template <class S>
    static constexpr unsigned facts_of_kind() {
        unsigned rank = 0;
        [&]<class... Leaves>(std::type_identity<std::tuple<Leaves...>>) {
            ((rank = facts_of_leaf<Leaves>().shape.rank > rank ? facts_of_leaf<Leaves>().shape.rank : rank), ...);
        }(std::type_identity<typename structure<S>::leaves>{});
        return rank;
    }
    template <class Leaves>
    struct pick_first;
    template <class First, class... Rest>
    struct pick_first<std::tuple<First, Rest...>> {
        static constexpr auto pick() {
            if constexpr (array_like<First>) {
                return std::type_identity<First>{};
            } else {
                return pick_first<std::tuple<Rest...>>::pick();
            }
        }
    };
    template <class Leaves>
    using first_array = typename decltype(pick_first<Leaves>::pick())::type;

    [[no_unique_address]] F f_;
};

/// f, a function of numbers, at every element of arrays, in one pass over memory. Arrays stretch as in NumPy.
/// Example: `kernel(f)(x, y)`; `kernel(value_and_grad(f))(x, y)` gives the value and every partial derivative at each
/// element.
template <class F>
constexpr auto kernel(F f) {
    return array_kernel<F>(f);
}

/// The transform that a function is, for arrays.
template <class F>
struct backend_of {
    using type = array_backend<transform::value, positions<>, F>;
    static constexpr const F& function(const F& f) { return f; }
};
template <transform K, class Wrt, class F>
struct backend_of<transformed<K, Wrt, F>> {
    using type = array_backend<K, Wrt, F>;
    static constexpr const F& function(const transformed<K, Wrt, F>& f) { return f.function(); }
};

/// f(arguments...) into `out`, which has the structure of the result; nothing is allocated where the shapes fit.
/// Example: `auto out = std::tie(value, dw); evaluate_into(out, value_and_grad<0>(loss), w, X, t);`
template <class Out, class F, class... S>
    requires(sizeof...(S) > 0)
void evaluate_into(Out&& out, const F& f, const S&... s) {
    if constexpr (requires { f.into(out, s...); }) {
        f.into(out, s...);
    } else {
        backend_of<F>::type::run_into(out, backend_of<F>::function(f), s...);
    }
}
/// f(arguments...), for a function of arrays.
template <class F, class... S>
    requires(sizeof...(S) > 0 && has_array<S...>)
auto evaluate(const F& f, const S&... s) {
    if constexpr (std::is_same_v<typename backend_of<F>::type, array_backend<transform::value, positions<>, F>>) {
        return backend_of<F>::type::values(f, s...);
    } else {
        return f(s...);
    }
}

} // namespace dyad
