// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions of numbers over arrays of the host.
#pragma once

#include <dyad/api/array_call.hpp>
#include <dyad/api/evaluate.hpp>
#include <dyad/api/kernel.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// All arguments in one shape: what their sizes have to fit, whichever of them a kernel reads.
template <class... S>
struct arguments_together {
    struct make {
        constexpr dyad::graph operator()() const {
            builder b;
            b.arrays = rules_of_arrays();
            array_input_maker maker{b};
            list<node_index> inputs;
            std::tuple<traced<S>...> arguments{structure<S>::build(maker)...};
            unpack([&](const auto&... s) { for_each_leaf([&](const tracer& t) { inputs.push_back(t.in(b)); }, s...); }, arguments);
            node_index all = inputs[0];
            for (std::size_t k = 1; k < inputs.size(); ++k) all = broadcast_like(tracer(b, all), tracer(b, inputs[k])).in(b);
            return b.finish({all});
        }
    };
    static constexpr const auto& graph = frozen<make, 4 * leaf_count<S...>, 1>::value;
    static constexpr const char* name = "kernel"; ///< for messages
};

/// The function of numbers `Source::graph` at every element of arrays: its graph with arrays in the place of its first inputs.
/// What comes behind them are captured numbers.
template <class Source, policy P, class... S>
struct lifted_arrays {
    struct make {
        constexpr dyad::graph operator()() const {
            builder b(rewriter_of(P));
            b.arrays = rules_of_arrays(P);
            array_input_maker maker{b};
            std::tuple<traced<S>...> arguments{structure<S>::build(maker)...};
            list<node_index> inputs;
            unpack([&](const auto&... s) { for_each_leaf([&](const tracer& t) { inputs.push_back(t.in(b)); }, s...); }, arguments);
            const std::size_t own = inputs.size();
            for (std::size_t k = own; k < Source::graph.view().input_count; ++k) inputs.push_back(b.input(static_cast<std::uint32_t>(k), type_of(k)));
            list<node_index> outputs; // (Not `?:`: g++ 12 destroys what it chooses between twice.)
            if (has_regions(Source::graph)) {
                outputs = element_by_element(b, inputs, own);
            } else {
                outputs = b.append(Source::graph, inputs);
            }
            for (node_index& out : outputs) { // an element for each element, even of what is constant
                for (std::size_t k = 0; k < own; ++k) out = b.broadcast_to(out, inputs[k]);
            }
            dyad::graph g = b.finish(outputs);
            g.input_count = static_cast<std::uint32_t>(inputs.size());
            return g;
        }
        /// Of a function with loops or branches each element takes its own way: a loop goes over all elements, as one axis.
        static constexpr list<node_index> element_by_element(builder& b, list<node_index> inputs, std::size_t own) {
            node_index like = inputs[0], rounds = no_node;
            for (std::size_t k = 1; k < own; ++k) like = broadcast_like(tracer(b, like), tracer(b, inputs[k])).in(b);
            const node_index index = b.parameter(element::integer);
            for (std::size_t k = 0; k < own; ++k) {
                if (b[inputs[k]].rank == 0) continue;
                const node_index row = reshape(broadcast_like(tracer(b, inputs[k]), tracer(b, like)), -1).in(b);
                if (rounds == no_node) rounds = b.emit({.op = opcode::extent, .operand = {row, 0, 0}, .bits = 1});
                inputs[k] = at(b, row, index);
            }
            const node_index loop = b.add({.op = opcode::loop, .operand = {rounds, no_links(b), 0}, .bits = loop_bits(b[index].bits, false)});
            list<node_index> outputs = b.append(Source::graph, inputs);
            for (node_index& out : outputs) {
                if (!b.is_constant(out)) out = reshape_like(tracer(b, history(b, loop, out)), tracer(b, like)).in(b);
            }
            return outputs;
        }
        static constexpr element type_of(std::size_t input) {
            for (const node& n : Source::graph.nodes) {
                if (n.is(opcode::input) && n.bits == input) return n.type;
            }
            return element::float64;
        }
    };
    static constexpr const auto& graph = frozen<make, Source::graph.view().size + 16, Source::graph.view().output_count>::value;
    using function = arguments_together<S...>;
    using with_bodies = function;
};

/// Kernels over arrays of the host: containers come back.
template <class F>
struct host_kernel {
    template <class... S>
    static auto run(const F& f, const S&... s) {
        if constexpr ((holds_lazy<S> || ...)) {
            return run(f, computed(s)...);
        } else if constexpr (takes_numbers<S...>()) {
            using result = result_of<F, elements_of<S>...>;
            return with_program(f, [&]<class Compiled, class T>(const auto& arguments) {
                auto flat = results_of<T, S...>(std::make_index_sequence<structure<result>::size>{});
                unpack([&](auto&... out) { execute_into<Compiled, T>(arguments, std::tie(out...)); }, flat);
                return restored<result, 0>(flat);
            }, s...);
        }
    }
    template <class Out, class... S>
    static void run_into(const F& f, Out& out, const S&... s) {
        if constexpr ((holds_lazy<S> || ...)) {
            run_into(f, out, computed(s)...);
        } else if constexpr (takes_numbers<S...>()) {
            if constexpr (take_results<places_in<Out>, kernel_results<F, S...>>()) {
                with_program(f, [&]<class Compiled, class T>(const auto& arguments) {
                    if constexpr (take_fractions<places_in<Out>, outputs_facts<Compiled>>()) execute_into<Compiled, T, true>(arguments, places_of(out));
                }, s...);
            }
        }
    }

    template <class... S>
    using program = program_of_arrays<lifted_arrays<traced_program<F, policy_of<F>(), elements_of<S>...>, policy_of<F>(), S...>, policy_of<F>()>;

private:
    /// A kernel with captured values works on numbers.
    template <class... S>
    static constexpr bool takes_numbers() {
        if constexpr (stateless<F>) {
            return true;
        } else {
            constexpr bool numbers = !holds_arrays(std::type_identity<captured_result<F, elements_of<S>...>>{});
            static_assert(numbers, DYAD_ARRAY_IN_KERNEL);
            return numbers;
        }
    }
    /// Calls use.operator()<program, number type>(flat arguments).
    template <class Use, class... S>
    static auto with_program(const F& f, const Use& use, const S&... s) {
        if constexpr (stateless<F>) {
            using T = computing_type<S...>;
            return use.template operator()<program<kind_of<S>...>, T>(flat_leaves<T>(s...));
        } else {
            return with_named_captures<kernel_element<F>>(f, [&]<class Source, class... Leaf>(const flat_tuple<Leaf...>& leaves) {
                using T = computing_type<S..., typename Leaf::value_type...>;
                using function = typename peeled<F>::template program<Source, elements_of<S>...>;
                using compiled = program_of_arrays<lifted_arrays<function, default_policy, kind_of<S>...>, default_policy>;
                constexpr std::size_t own = leaf_count<S...>;
                const auto captured = [&]<std::size_t... K>(std::index_sequence<K...>) {
                    return std::tuple<decltype((static_cast<void>(K), T()))...>(static_cast<T>(flat_get<own + K>(leaves).value)...);
                }(std::make_index_sequence<sizeof...(Leaf) - own>{});
                return use.template operator()<compiled, T>(std::tuple_cat(flat_leaves<T>(s...), captured));
            }, elements_of<S>{}...);
        }
    }
    /// Containers like the first array argument; if their size is fixed, all arrays must have it.
    template <class T, class... S, std::size_t... K>
    static auto results_of(std::index_sequence<K...>) {
        using like = first_array<leaf_types<S...>>;
        constexpr unsigned rank = highest_rank<S...>();
        using usual = typename default_container<T, rank>::type;
        constexpr bool fits = resizable<typename result_container<like>::type> || are_all<like>(std::type_identity<leaf_types<S...>>{});
        constexpr bool same = fits && array_traits<like>::rank == rank && std::is_same_v<typename array_traits<like>::element, T>;
        using container = typename std::conditional_t<same, result_container<like>, std::type_identity<usual>>::type;
        return std::tuple{(static_cast<void>(K), container{})...};
    }
    template <class Like, class... Leaf>
    static constexpr bool are_all(std::type_identity<std::tuple<Leaf...>>) {
        return ((!array_like<Leaf> || std::is_same_v<Leaf, Like>) && ...);
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
};

} // namespace dyad
