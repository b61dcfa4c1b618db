// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The main front end: runs a stateless function inside the compiler, on traced values, and keeps what it
// did as a graph. Ordinary loops over trip counts known at compile time are ordinary code.
#pragma once

#include <dyad/base/unpack.hpp>
#include <dyad/graph/tracer.hpp>
#include <dyad/pass/simplify.hpp>
#include <dyad/trace/structure.hpp>

namespace dyad {

/// A function that can be run inside the compiler: it has no state, so any instance of it is the function.
template <class F>
concept stateless = std::is_empty_v<F> && std::is_default_constructible_v<F>;

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
    return b.finish(result_nodes(b, result));
}

} // namespace dyad
