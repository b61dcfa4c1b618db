// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What an eager expression of arrays remembers: its value, and those of its heavy nodes (matrix products, factorisations,
// reductions), each computed at most once, and shared with the expressions that it was made of.
#pragma once

#include <memory>
#include <mutex>

#include <dyad/array/program_part.hpp>
#include <dyad/array/values.hpp>

namespace dyad {

/// A value that is made at most once.
class remembered {
public:
    template <class T, class Make>
    const T& get(const Make& make) {
        std::call_once(once_, [&] { value_ = std::make_shared<T>(make()); });
        return *static_cast<const T*>(value_.get());
    }

private:
    std::once_flag once_;
    std::shared_ptr<void> value_;
};
/// An expression's memory: for each heavy node, and for the whole.
template <class Program>
class array_memory {
public:
    static constexpr std::size_t heavy = heavy_nodes<Program>::count;

    array_memory() {
        const auto own = std::make_shared<std::array<remembered, heavy + 1>>();
        for (std::size_t k = 0; k <= heavy; ++k) cell_[k] = std::shared_ptr<remembered>(own, &(*own)[k]);
    }
    /// Number `heavy` is the whole.
    [[nodiscard]] const std::shared_ptr<remembered>& cell(std::size_t k) const { return cell_[k]; }
    void share(std::size_t k, const std::shared_ptr<remembered>& other) { cell_[k] = other; }

private:
    std::array<std::shared_ptr<remembered>, heavy + 1> cell_;
};

/// For each heavy node of `Result`, over the leaves `List`, of which it has those with the `numbers`: the operand E, and its
/// heavy node, that is the same. (Operands meet the rewriter again, under the numbers that their leaves have now.)
struct same_node {
    std::size_t operand = ~std::size_t{0}, node = 0;
};
template <class Result, class Merged, class... E>
struct same_nodes {
    static constexpr std::size_t count = heavy_nodes<typename Result::program>::count;
    using table = std::array<same_node, count + 1>;

    template <std::size_t N>
    static constexpr table find(const std::uint32_t (&numbers)[N], std::size_t used) {
        builder b(rewriter_of(default_policy));
        b.arrays = rules_of_arrays();
        table found{};
        const graph_view g = Result::program::graph.view();
        list<node_index> place(g.size);
        for (node_index i = 0; i < g.size; ++i) {
            node n = g[i];
            for (int k = 0; k < n.arity(); ++k) n.operand[k] = place[n.operand[k]];
            place[i] = b.add(n);
        }
        std::size_t operand = 0, source = 0;
        const auto look = [&](graph_view from, const node_index* heavy) {
            list<node_index> there(from.size);
            for (node_index i = 0; i < from.size; ++i) {
                node n = from[i];
                if (n.is(opcode::input)) {
                    std::size_t k = 0;
                    while (k < used && numbers[k] != Merged::merge.source[source + n.bits].to) ++k;
                    n.bits = k;
                    there[i] = k < used ? b.add(n) : b.parameter(n.type, shape_of(n));
                } else {
                    for (int k = 0; k < n.arity(); ++k) n.operand[k] = there[n.operand[k]];
                    there[i] = n.arity() == 0 ? b.add(n) : b.emit(n);
                }
            }
            for (std::size_t h = 0; heavy[h] != no_node; ++h) {
                for (std::size_t k = 0; k < count; ++k) {
                    if (place[heavy_nodes<typename Result::program>::at[k]] == there[heavy[h]]) found[k] = {operand, h};
                }
            }
            ++operand;
            source += from.input_count;
        };
        (look(E::program::graph.view(), heavy_nodes<typename E::program>::at.data()), ...);
        return found;
    }
};
/// What `operands`, of which `result` was made, know or will know of it.
template <class Made, class Result, class... E>
void share_values(Result& result, const E&... operands) {
    if constexpr (heavy_nodes<typename Result::program>::count > 0 && (std::size_t{0} + ... + heavy_nodes<typename E::program>::count) > 0) {
        static constexpr auto same = same_nodes<Result, merged_leaves<typename E::leaves...>, E...>::find(Made::packed.numbers, Made::packed.used);
        std::size_t operand = 0;
        const auto take = [&]<class X>(const X& x) {
            for (std::size_t k = 0; k + 1 < same.size(); ++k) {
                if constexpr (X::has_arrays && std::is_same_v<typename X::number_type, typename Result::number_type>) {
                    if (same[k].operand == operand) result.memo().share(k, x.memo().cell(same[k].node));
                }
            }
            ++operand;
        };
        (take(operands), ...);
    }
}

template <std::size_t K, class E>
const auto& heavy_value(const E& e);

/// The arguments of a part of an expression's program: values of leaves, and of heavy nodes.
template <class Part, class T, class E>
auto part_arguments(const E& e) {
    E::check_known();
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        const auto one = [&]<std::size_t S>(std::integral_constant<std::size_t, S>) {
            constexpr std::size_t leaves = E::leaf_values::size;
            if constexpr (S < leaves) {
                return flat_leaves<T>(flat_get<S>(e.values()).value);
            } else {
                return flat_leaves<T>(heavy_value<S - leaves>(e));
            }
        };
        return std::tuple_cat(one(std::integral_constant<std::size_t, Part::source[K]>{})...);
    }(std::make_index_sequence<Part::inputs>{});
}
/// Node `Item` of an expression's graph, computed from leaves and heavy nodes.
template <class E, node_index Item>
using part_of = program_part<typename E::program, heavy_cuts<typename E::program>, one_target<typename E::program, Item>>;
template <node_index Item, class E>
auto computed_node(const E& e) {
    using T = typename E::number_type;
    using part = part_of<E, Item>;
    typename output_type<T, E::program::graph.nodes[Item].rank>::type out{};
    execute_into<typename part::compiled, T>(part_arguments<part, T>(e), std::tie(out));
    return out;
}
/// Heavy node number K: computed at most once.
template <std::size_t K, class E>
const auto& heavy_value(const E& e) {
    constexpr node_index i = heavy_nodes<typename E::program>::at[K];
    using value = typename output_type<typename E::number_type, E::program::graph.nodes[i].rank>::type;
    return e.memo().cell(K)->template get<value>([&] { return computed_node<i>(e); });
}

/// The value of an expression: a number, or a container.
template <class E>
auto value_of_arrays(const E& e) {
    constexpr node_index out = E::program::graph.outputs[0];
    using heavy = heavy_nodes<typename E::program>;
    constexpr std::size_t k = [] {
        std::size_t place = 0;
        while (place < heavy::count && heavy::at[place] != out) ++place;
        return place;
    }();
    using value = typename output_type<typename E::number_type, E::program::graph.nodes[out].rank>::type;
    return e.memo().cell(k)->template get<value>([&] { return computed_node<out>(e); });
}

} // namespace dyad
