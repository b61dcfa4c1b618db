// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transforms in the middle of a trace: the function runs on stand-ins for its arguments in the same builder,
// is differentiated there, and then the stand-ins give way to the arguments. That the stand-ins are nodes of
// their own keeps the levels of differentiation apart: what the function captures from outside is constant to
// the inner transform and variable to the outer one.
#pragma once

#include <dyad/base/unpack.hpp>
#include <dyad/pass/substitute.hpp>
#include <dyad/trace/program.hpp>

namespace dyad {

/// The builder that the traced values among the leaves belong to.
template <class... S>
constexpr builder* home_of(const S&... s) {
    builder* home = nullptr;
    for_each_leaf(
        [&](const auto& leaf) {
            if constexpr (std::same_as<std::remove_cvref_t<decltype(leaf)>, tracer>) {
                if (home == nullptr) home = leaf.home();
            }
        },
        s...);
    return home;
}

/// What `f()` gives while a builder, if there is one, is asked for values alone, or for derivatives too.
template <class F>
constexpr auto with_values_only(builder* home, bool alone, const F& f) {
    const bool outside = home != nullptr && home->values_only;
    if (home != nullptr) home->values_only = alone;
    auto result = f();
    if (home != nullptr) home->values_only = outside;
    return result;
}

/// Makes stand-ins, in the order of the leaves, of the types of the nodes they stand for.
struct parameter_maker {
    builder& home;
    list<node_index> arguments;
    list<node_index> parameters;

    template <class Leaf>
    constexpr tracer operator()() {
        const node_index argument = arguments[parameters.size()];
        parameters.push_back(home.parameter(home[argument].type, shape_of(home[argument])));
        return {home, parameters.back()};
    }
};

/// The nodes of `K` of `f` at traced (or partly traced) arguments; `directions` for the products.
template <transform K, class Wrt, class F, class... S>
constexpr list<node_index> nested_transform(builder& b, const F& f,
                                            const list<node_index>& directions, const S&... s) {
    list<node_index> arguments;
    for_each_leaf([&](const auto& leaf) { arguments.push_back(tracer(leaf).in(b)); }, s...);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        // A literal takes the type of the arguments that it stands among.
        const node n = b[arguments[k]];
        if (!n.is(element::weak)) continue;
        element type = element::float64;
        for (const node_index other : arguments) {
            if (b[other].type > element::integer) type = b[other].type;
        }
        arguments[k] = b.constant(constant_value(n), type);
    }
    parameter_maker make{b, arguments, {}};
    std::tuple<decltype(structure<S>::build(make))...> stand_ins{structure<S>::build(make)...};
    const auto result = with_values_only(&b, false, [&] { return unpack(f, stand_ins); });
    if (!b.arrays->for_arrays && works_with_arrays(b.nodes.data(), b.size())) b.arrays = rules_at_hand(static_cast<const builder_in<F>*>(&b)); // it began with numbers
    list<node_index> by;
    for (const std::uint32_t k : inputs_at<S...>(Wrt{})) by.push_back(make.parameters[k]);
    const list<node_index> nodes = derive(b, K, result_nodes(b, result), by, directions);
    return substitute(b, nodes, make.parameters, arguments);
}

} // namespace dyad
