// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Containers and numbers that results go into, and what their types say before anything runs: whether they are such, lie
// where the arguments do, and are as many and of as many axes as the results.
#pragma once

#include <dyad/array/program.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/graph/whole.hpp>

namespace dyad {

/// The places for results in a structure of containers and numbers, as references.
template <class X>
auto places_of(X& x) {
    if constexpr (leaf_type<std::remove_const_t<X>>) {
        return std::tuple<X&>(x);
    } else {
        return unpack([](auto&... part) { return std::tuple_cat(places_of(part)...); }, parts_of(x));
    }
}
template <class Out>
using places_in = decltype(places_of(std::declval<Out&>()));

/// Whether X is such a structure.
template <class X>
constexpr bool is_target() {
    if constexpr (leaf_type<X>) {
        return true;
    } else if constexpr (requires { std::tuple_size<X>::value; } || std::is_aggregate_v<X>) {
        using parts = std::remove_cvref_t<decltype(parts_of(std::declval<X&>()))>;
        return []<std::size_t... Item>(std::index_sequence<Item...>) {
            return (is_target<std::remove_cvref_t<std::tuple_element_t<Item, parts>>>() && ...);
        }(std::make_index_sequence<std::tuple_size_v<parts>>{});
    } else {
        return false;
    }
}

/// The leaves of a tuple, of references too.
template <class Leaves>
struct leaves_facts;
template <class... Leaf>
struct leaves_facts<std::tuple<Leaf...>> {
    static constexpr std::size_t count = sizeof...(Leaf);
    static constexpr bool on_device = (is_device_array<std::remove_cvref_t<Leaf>> || ...);
    static constexpr bool on_host = ((is_array<std::remove_cvref_t<Leaf>> && !is_device_array<std::remove_cvref_t<Leaf>>) || ...);
    static constexpr bool changes = !(is_read_only<Leaf> || ...);
    static constexpr unsigned axes(std::size_t k) {
        const unsigned each[] = {facts_of_leaf<std::remove_cvref_t<Leaf>>().shape.rank..., 0};
        return each[k];
    }
    static constexpr bool keeps_fractions(std::size_t k) {
        const bool each[] = {std::floating_point<typename leaf_number<std::remove_cvref_t<Leaf>>::stored>..., true};
        return each[k];
    }
};
/// The outputs of a program.
template <class Program>
struct outputs_facts {
    static constexpr graph_view graph = Program::graph;
    static constexpr std::size_t count = graph.output_count;
    static constexpr unsigned axes(std::size_t k) { return graph[graph.outputs[k]].rank; }
    static constexpr bool is_whole(std::size_t k) { return whole_nodes(graph)[graph.outputs[k]]; }
};
/// The results of a kernel.
template <std::size_t Count, unsigned Axes>
struct kernel_facts {
    static constexpr std::size_t count = Count;
    static constexpr unsigned axes(std::size_t) { return Axes; }
};

/// The first leaf that has another number of axes than its counterpart; or as many as there are.
template <class Some, class Others>
constexpr std::size_t first_of_other_axes() {
    std::size_t k = 0;
    while (k < Some::count && Some::axes(k) == Others::axes(k)) ++k;
    return k;
}

/// Whether the numbers and arrays of `D` are as many and of as many axes as those of all S together.
template <class D, class... S>
constexpr bool have_one_structure() {
    if constexpr (is_target<D>()) {
        using these = leaves_facts<typename every_leaf<D>::type>;
        using those = leaves_facts<concatenated<typename every_leaf<S>::type...>>;
        if constexpr (these::count == those::count) return first_of_other_axes<these, those>() == these::count;
    }
    return false;
}

/// Whether `Out`, a reference or the type of a temporary, takes results of arguments that lie on a device, or on the host; says why not.
template <class Out, bool OnDevice>
constexpr bool lies_with_arguments() {
    constexpr bool stays = !(std::is_same_v<Out, std::remove_cvref_t<Out>> && (number<Out> || owns_elements<Out>));
    static_assert(stays, "[dyad] target: it is a temporary, with which the results would go; pass what is there afterwards");
    constexpr bool known = is_target<std::remove_cvref_t<Out>>();
    static_assert(known, "[dyad] target: it is neither a number nor an array whose number of axes its type says, nor a tuple, pair, std::array or aggregate of these; pass one of these");
    if constexpr (known) {
        using targets = leaves_facts<places_in<Out>>;
        constexpr bool left = OnDevice && targets::on_host, right = !OnDevice && targets::on_device;
        static_assert(!left, "[dyad] target: it lies in the host's memory, the arguments on the device; let it be a device_array, or bring the arguments to the host with to_host");
        static_assert(!right, "[dyad] target: it lies on the device, the arguments in the host's memory; bring the arguments to the device with to_device, or let it be a container of the host");
        return !left && !right;
    }
    return false;
}

/// (The numbers stand in the compiler's message.)
template <std::size_t Target, unsigned TargetAxes, unsigned ResultAxes>
constexpr bool takes_axes() {
    static_assert(TargetAxes == ResultAxes, "[dyad] target: it has another number of axes than its result (takes_axes<which target, its axes, the result's>; a number has 0); let it be what the function returns");
    return TargetAxes == ResultAxes;
}
/// Whether targets of whole numbers, of which there may be some, take the results of a program; says why not.
template <class Places, class Results>
constexpr bool take_fractions() {
    using targets = leaves_facts<Places>;
    constexpr bool kept = [] {
        for (std::size_t k = 0; k < targets::count; ++k) {
            if (!targets::keeps_fractions(k) && !Results::is_whole(k)) return false;
        }
        return true;
    }();
    static_assert(kept, "[dyad] target: it keeps whole numbers, its result is a real one; let it be of double or float, or return floor, round or trunc of the result");
    return kept;
}
/// Whether targets, a tuple of references, are as many and of as many axes as the results; says why not.
template <class Places, class Results>
constexpr bool take_results() {
    using targets = leaves_facts<Places>;
    constexpr bool as_many = targets::count == Results::count;
    static_assert(as_many, "[dyad] target: it must have the structure of the function's result, a place for each array and number");
    static_assert(targets::changes, "[dyad] target: it is const; pass what may change");
    if constexpr (as_many && targets::changes) {
        constexpr std::size_t bad = first_of_other_axes<targets, Results>();
        if constexpr (bad < targets::count) {
            return takes_axes<bad, targets::axes(bad), Results::axes(bad)>();
        } else if constexpr (requires { Results::is_whole(0); }) {
            return take_fractions<Places, Results>();
        } else {
            return true;
        }
    }
    return false;
}

} // namespace dyad
