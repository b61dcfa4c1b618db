// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The main front end: runs a stateless function inside the compiler, on traced values, and keeps what it
// did as a graph. Ordinary loops over trip counts known at compile time are ordinary code.
#pragma once

#include <dyad/base/stateless.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/graph/free_parameters.hpp>
#include <dyad/graph/tracer.hpp>
#include <dyad/pass/simplify.hpp>
#include <dyad/trace/structure.hpp>

namespace dyad {

/// Makes the leaves of a traced argument: inputs of a builder, numbered in the order of the calls.
struct input_maker {
    builder& home;
    std::uint32_t next = 0;

    template <class Leaf>
    constexpr tracer operator()() {
        const node_index input = home.input(next++, element_of<Leaf>());
        return {home, input};
    }
};

/// The type of `S` with every leaf a traced value.
template <class S>
using traced = decltype(structure<S>::build(std::declval<input_maker&>()));

/// Whether the results use a value that belongs into the body of a loop, which an assignment to what the body captures took out of it.
constexpr bool escapes_body(const builder& b, const list<node_index>& results) {
    bool bodies = false;
    for (node_index i = 0; i < b.size() && !bodies; ++i) bodies = b[i].is(opcode::parameter);
    if (!bodies) return false;
    const free_parameters free(b.nodes.data(), b.size());
    for (const node_index i : results) {
        if (!free.empty(i)) return true;
    }
    return false;
}

/// The nodes of a traced result: a number among them is a constant.
template <class R>
constexpr list<node_index> result_nodes(builder& b, const R& result) {
    list<node_index> nodes;
    for_each_leaf([&](const auto& leaf) { nodes.push_back(tracer(leaf).in(b)); }, result);
    return nodes;
}

/// What `f` returns for traced arguments.
template <class F, class... S>
using traced_result = std::remove_cvref_t<std::invoke_result_t<const F&, traced<S>&...>>;

/// The graph of `f` on arguments of types `S...`; its inputs are their leaves in order. `keeps_nothing`: builder.hpp.
template <class F, class... S>
constexpr graph trace(const F& f, policy p, bool keeps_nothing = false) {
    builder b(rewriter_of(p));
    b.keeps_nothing = keeps_nothing;
    input_maker make{b};
    std::tuple<traced<S>...> arguments{structure<S>::build(make)...};
    const auto result = unpack(f, arguments);
    const list<node_index> results = result_nodes(b, result);
    if (escapes_body(b, results)) throw value_error("[dyad] loop: a value of a body is used outside of it; let it go round, as a part of the state");
    return static_cast<builder&&>(b).finish(results);
}

} // namespace dyad
