// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The graphs behind functions and expressions, to print, draw, count and compare.
#pragma once

#include <dyad/api/call.hpp>
#include <dyad/graph/check.hpp>
#include <dyad/trace/expr.hpp>

namespace dyad {

/// The graph of an expression: `print(graph_of(z))`.
template <eager E>
constexpr const auto& graph_of(const E& e) {
    return decltype(to_expression(e))::program::graph;
}

/// What stands for a graph that there is not.
inline constexpr graph_view no_graph{};

/// The graph of a stateless function on arguments of the given types:
/// `operation_count(graph_of<double, double>(f))`. A transform is a function too: `graph_of<double>(grad(f))`. (Of arrays:
/// api/array_inspect.hpp.)
template <class... Args, stateless F>
    requires(sizeof...(Args) > 0 && !has_array<Args...>)
constexpr const auto& graph_of(const F&) {
    if constexpr (usable<F, Args...>()) {
        return traced_program<F, policy_of<F>(), Args...>::graph;
    } else {
        return no_graph;
    }
}
template <class... Args, class F>
    requires(!eager<F> && (!stateless<F> || sizeof...(Args) == 0))
constexpr const graph_view& graph_of(const F&) {
    static_assert(!stateless<F>, "[dyad] graph_of: the types of the arguments are missing; name them: graph_of<double, double>(f)");
    static_assert(stateless<F>, "[dyad] graph_of: a function with captured values has a graph for each call only; pass the captured values as arguments");
    return no_graph;
}

template <class... Leaves>
constexpr list<std::string_view> leaf_names(leaf_list<Leaves...>) {
    list<std::string_view> names;
    (names.push_back(Leaves::name.empty() ? std::string_view("#") : Leaves::name), ...);
    return names;
}

/// The characters of a formula, kept for the whole run of the program.
template <class E>
struct formula_text {
    static constexpr text make() {
        const list<std::string_view> names = leaf_names(typename E::leaves{});
        return formula(E::program::graph, names);
    }
    static constexpr std::size_t size = make().size();
    static constexpr std::array<char, size + 1> characters = [] {
        std::array<char, size + 1> kept{};
        const text t = make();
        for (std::size_t i = 0; i < size; ++i) kept[i] = t.view()[i];
        return kept;
    }();
};

/// An expression as a readable formula, a constant: `static_assert(formula(dz) == "2*x*y")`. Unnamed run-time
/// numbers print as #.
template <eager E>
constexpr std::string_view formula(const E& e) {
    using kept = formula_text<decltype(to_expression(e))>;
    return {kept::characters.data(), kept::size};
}

} // namespace dyad
