// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// From a function of arrays to its plan: trace, transform, schedule, and a kernel for each loop. Each step is a
// constant evaluation of its own, because compilers limit the work of each.
#pragma once

#include <dyad/array/frozen_plan.hpp>
#include <dyad/array/leaves.hpp>
#include <dyad/array/reference.hpp>
#include <dyad/array/rewrite.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/kernel/scalar.hpp>
#include <dyad/pass/lower_arrays.hpp>
#include <dyad/pass/merge_turns.hpp>
#include <dyad/trace/program.hpp>

namespace dyad {

/// An argument's leaf as the graph sees it. (Where a graph wants a condition and is given an array of them, which count as 1 and 0,
/// it asks whether its elements are 0, as it does of numbers.)
struct leaf_facts {
    element type = element::float64;
    array_shape shape;
    bool conditions = false;
};
template <class Leaf>
constexpr leaf_facts facts_of_leaf() {
    if constexpr (array_like<Leaf>) {
        using traits = array_traits<Leaf>;
        return {element_of<typename leaf_number<Leaf>::type>(), {traits::rank, traits::ones}, std::same_as<typename leaf_number<Leaf>::stored, bool>};
    } else {
        return {element_of<Leaf>(), {}};
    }
}

/// Makes the leaf's type as programs know it.
struct leaf_kind_maker {
    template <class Leaf>
    constexpr auto operator()() const {
        if constexpr (array_like<Leaf>) {
            using traits = array_traits<Leaf>;
            return array_leaf<typename traits::element, traits::rank, traits::ones>{};
        } else {
            return Leaf{};
        }
    }
};
/// An argument's type without what its containers are.
template <class S>
using kind_of = decltype(structure<S>::build(leaf_kind_maker{}));

/// Makes the leaves of a traced argument, numbers and arrays.
struct array_input_maker {
    builder& home;
    std::uint32_t next = 0;

    template <class Leaf>
    constexpr tracer operator()() {
        constexpr leaf_facts leaf = facts_of_leaf<Leaf>();
        const node_index input = home.input(next++, leaf.type, leaf.shape);
        if (leaf.conditions) home.nodes.at[input].operand[2] = given_as_conditions;
        return {home, input};
    }
};

/// Runs f on traced arguments; the nodes of its results.
template <class F, class... S>
constexpr list<node_index> run_on_arrays(builder& b, const F& f, policy p) {
    b.arrays = rules_of_arrays(p);
    array_input_maker make{b};
    std::tuple<traced<S>...> arguments{structure<S>::build(make)...};
    const auto result = unpack(f, arguments);
    const list<node_index> results = result_nodes(b, result);
    if (!b.is_faulty() && escapes_body(b, results)) refused(array_fault::escape, tracer(b, results[0]));
    return results;
}
template <class F, class... S>
constexpr graph trace_arrays(const F& f, policy p) {
    builder b(rewriter_of(p));
    graph g = merge_turns(b.finish(b.inwards(run_on_arrays<F, S...>(b, f, p))), *b.arrays);
    g.input_count = leaf_count<S...>;
    return g;
}

/// What is wrong with a function of arrays that the compiler can run; without rewriting, that is the cheapest trace.
template <class F, class... S>
constexpr array_fault fault_of_arrays() {
    builder b(rewriter_of(policy::verbatim));
    unsigned fault = 0;
    b.fault = &fault;
    static_cast<void>(run_on_arrays<F, S...>(b, instance_of<F>(), policy::verbatim));
    return static_cast<array_fault>(fault);
}
template <class F, class... S>
auto fault_of_trace(int) -> known_fault<fault_of_arrays<F, S...>()>;
template <class F, class... S>
auto fault_of_trace(...) -> known_fault<array_fault::unknown>;

/// A function of arrays, traced.
template <class F, policy P, class... S>
struct traced_arrays {
    struct make {
        constexpr dyad::graph operator()() const { return trace_arrays<F, S...>(instance_of<F>(), P); }
    };
    static constexpr const auto& graph = frozen<make, 512, 8>::value;
    /// What the inputs are, also those that the function does not use.
    static constexpr list<node> inputs() {
        builder b;
        array_input_maker maker{b};
        static_cast<void>(std::tuple<traced<S>...>{structure<S>::build(maker)...});
        return b.nodes;
    }
};
/// A transform of it.
template <class Source, transform K, class Inputs, policy P>
struct derived_arrays {
    /// What it is of, as the sizes see it: each loop a call, which knows its arrays.
    using function = std::conditional_t<has_regions(Source::graph), level_program<Source, P>, Source>;
    using with_bodies = Source; ///< the same, each body among the nodes around
    struct make {
        constexpr dyad::graph operator()() const {
            if constexpr (is(K, transform::hvp)) { // in two steps: compilers limit each
                return derivative<derived_arrays<Source, transform::gradient, Inputs, P>>(transform::tangents);
            } else {
                return derivative<Source>(K);
            }
        }
        template <class Of>
        static constexpr dyad::graph derivative(transform t) {
            const array_rules* const rules = rules_of_arrays(P);
            return merge_turns(differentiate(Of::graph, t, Inputs{}(), P, rules, Source::inputs(), regions_of<Of>()), *rules);
        }
    };
    static constexpr const auto& graph =
        frozen<make, (is(K, transform::hvp) ? 8 : 4) * Source::graph.view().size + 64, Source::graph.view().input_count + 8>::value;
    /// The inputs that directions belong to; these come after the function's own.
    static constexpr list<std::uint32_t> directions() { return is(K, transform::jvp) || is(K, transform::hvp) ? Inputs{}() : list<std::uint32_t>{}; }
};

/// The last pass before the schedule.
template <class Source, policy P>
struct lowered_arrays {
    struct make {
        constexpr dyad::graph operator()() const { return lower_arrays(Source::graph); }
    };
    static constexpr const auto& graph =
        frozen<make, Source::graph.view().size + 8, Source::graph.view().output_count>::value;
};
template <class Source>
struct lowered_arrays<Source, policy::strict> : Source {};
template <class Source>
struct lowered_arrays<Source, policy::verbatim> : Source {};

/// Everything about the execution of the graph `Source::graph`.
template <class Source, policy P>
struct array_program {
    using source = Source;
    static constexpr graph_view graph = lowered_arrays<Source, P>::graph.view();
    static constexpr policy rewriting = P;

    /// The bodies of region K: on numbers alone, or as programs of arrays. (Of a program without regions never named.)
    template <std::size_t K, int Which, class Level = Source>
    using number_body = lowered_program<typename Level::template body<K, Which>, P>;
    template <std::size_t K, int Which, class Level = Source>
    struct array_body_source {
        struct make {
            constexpr dyad::graph operator()() const { return with_array_inputs(Level::template body<K, Which>::graph); }
        };
        static constexpr const auto& graph = frozen<make, 64, 8>::value;
    };
    template <std::size_t K, int Which, class Level = Source>
    using array_body = array_program<level_program<array_body_source<K, Which, Level>, P>, P>;

    // (Each pass is a constant of its own: compilers limit the steps of one constant's evaluation.)
    struct find_sizes {
        constexpr sized_graph operator()() const { return sized_graph(graph); }
    };
    static constexpr const auto& sizes = frozen_as<find_sizes, frozen_sizes, sizes_room{graph.size, graph.size + 8}>::value;
    struct make_schedule {
        constexpr scheduled_graph operator()() const { return scheduled_graph(graph, known_sizes{sizes.size_of}); }
    };
    static constexpr const auto& scheduled = frozen_as<make_schedule, frozen_schedule, guess_of_schedule(graph)>::value;
    static constexpr frozen_plan planned{graph, sizes, scheduled};

    /// A loop's body, with what it loads and stores.
    template <std::size_t L>
    struct loop {
        template <extent_of_body Extent>
        struct make {
            constexpr loop_code operator()() const { return loop_writer(graph, planned, planned.loops[L], P, Extent).run(); }
        };
        // (A body that finds no room is written twice; room for more takes the compiler memory in each loop.)
        static constexpr std::size_t most_nodes = graph.size < 320 ? graph.size + 64 : 384;
        static constexpr loop_room guess{{most_nodes, planned.loops[L].count}, most_nodes / 8 + 12, planned.loops[L].count, 12};
        static constexpr const auto& table = frozen_as<make<extent_of_body::inside>, frozen_loop, guess>::value;

        template <extent_of_body Extent>
        struct source {
            static constexpr loop_room room = Extent == extent_of_body::inside ? guess : table.room();
            static constexpr const auto& graph = frozen_as<make<Extent>, frozen_loop, room>::value.body;
        };
        template <extent_of_body Extent>
        using kernel_for = kernel_of<lowered_program<source<Extent>, P>>;
        using kernel = kernel_for<extent_of_body::inside>;

        static constexpr unsigned rank = planned.loops[L].space.rank;
        static constexpr std::size_t stores = table.count.stores, loads = table.count.loads;
        /// More than one: some inputs do not have all elements.
        static constexpr std::size_t places = table.count.places;
    };

    /// By loop, the first one that does the same with each element, along the same axes: the compiler makes one for both.
    struct loop_numbers {
        std::size_t of[planned.loop_count + 1] = {};
    };
    static constexpr loop_numbers first_alike = []<std::size_t... L>(std::index_sequence<L...>) {
        const loop_view loops[] = {view_of(loop<L>::rank, loop<L>::table)..., loop_view{}};
        loop_numbers first;
        for (std::size_t k = 0; k < planned.loop_count; ++k) {
            while (first.of[k] < k && !are_alike(loops[first.of[k]], loops[k])) ++first.of[k];
        }
        return first;
    }(std::make_index_sequence<planned.loop_count>{});
    template <std::size_t L>
    using loop_alike = loop<first_alike.of[L]>;
};

/// Of the function that a program is a derivative of, what its sizes need of a program.
template <class Program>
struct sized_function {
    using function = typename Program::source::function;
    static constexpr graph_view graph = function::graph.view();
    struct find_sizes {
        constexpr sized_graph operator()() const { return sized_graph(graph); }
    };
    static constexpr const auto& planned = frozen_as<find_sizes, frozen_sizes, sizes_room{graph.size, graph.size + 8}>::value;
    template <std::size_t K, int Which>
    using array_body = typename Program::template array_body<K, Which, function>;
};

/// The program of a graph that may have loops and branches.
template <class Source, policy P>
using program_of_arrays = array_program<level_program<Source, P>, P>;

} // namespace dyad
