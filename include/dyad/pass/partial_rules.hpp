// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The operations' partial derivatives as tables of functions, which the differentiating passes take as `Rules`. A rule
// costs a tenth of a millisecond and more to compile: a traced program brings only those of its own operations.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <dyad/graph/tracer.hpp>

namespace dyad {

/// The partial derivative of node `i`, a copy of which is `n` (because rules append nodes), by its operand `K`, in the form that
/// the rules of all operations share.
template <opcode Op, int K>
constexpr tracer apply_rule([[maybe_unused]] builder& b, [[maybe_unused]] const node& n, [[maybe_unused]] node_index i) {
    using rule = operation<Op>;
    if constexpr (rule::flat || K >= rule::arity) {
        return 0;
    } else {
        const tracer x(b, n.operand[0]), r(b, i);
        if constexpr (rule::arity == 1) {
            if constexpr (rule::attributed) return rule::dx(n.attribute(), x, r);
            if constexpr (!rule::attributed) return rule::dx(x, r);
        } else {
            const tracer y(b, n.operand[1]);
            if constexpr (rule::arity == 2) {
                if constexpr (K == 0) return rule::dx(x, y, r);
                if constexpr (K == 1) return rule::dy(x, y, r);
            } else {
                const tracer z(b, n.operand[2]);
                if constexpr (rule::attributed) {
                    if constexpr (K == 0) return rule::dx(n.attribute(), x, y, z, r);
                    if constexpr (K == 1) return rule::dy(n.attribute(), x, y, z, r);
                    if constexpr (K == 2) return rule::dz(n.attribute(), x, y, z, r);
                } else {
                    if constexpr (K == 0) return rule::dx(x, y, z, r);
                    if constexpr (K == 1) return rule::dy(x, y, z, r);
                    if constexpr (K == 2) return rule::dz(x, y, z, r);
                }
            }
        }
    }
}

/// A rule by operand.
struct partial_rules {
    using rule = tracer (*)(builder& b, const node& n, node_index i);
    rule of[3] = {};
};

template <opcode Op>
constexpr partial_rules rules_of_operation() {
    if constexpr (operation<Op>::arity == 1) {
        return {{&apply_rule<Op, 0>}};
    } else if constexpr (operation<Op>::arity == 2) {
        return {{&apply_rule<Op, 0>, &apply_rule<Op, 1>}};
    } else {
        return {{&apply_rule<Op, 0>, &apply_rule<Op, 1>, &apply_rule<Op, 2>}};
    }
}

/// Operations on numbers, each once, and the place of each.
struct operation_set {
    static constexpr std::size_t opcodes = static_cast<std::size_t>(opcode::count);
    opcode of[opcodes] = {};
    std::uint8_t place[opcodes] = {};
    std::size_t count = 0;

    constexpr void insert(opcode op) {
        place[static_cast<std::size_t>(op)] = static_cast<std::uint8_t>(count);
        of[count++] = op;
    }
};
constexpr operation_set every_operation() {
    operation_set result;
    for (int op = static_cast<int>(opcode::result) + 1; !is_array_operation(static_cast<opcode>(op)); ++op)
        result.insert(static_cast<opcode>(op));
    return result;
}
constexpr operation_set operations_in(graph_view g) {
    operation_set result;
    bool seen[operation_set::opcodes] = {};
    for (std::size_t i = 0; i < g.size; ++i) {
        const opcode op = g.nodes[i].op;
        bool& known = seen[static_cast<std::size_t>(op)];
        if (op > opcode::result && !is_array_operation(op) && !known) result.insert(op);
        known = true;
    }
    return result;
}

/// The rules of every operation.
struct every_rule {
    static constexpr operation_set operations = every_operation();
};

/// The rules of the operations in `Source::graph`: enough to differentiate it once.
template <class Source>
struct rules_in {
    static constexpr operation_set operations = operations_in(Source::graph);
};

/// To differentiate `Source::graph` once, or more often in one builder: a derivative may hold other operations.
template <class Source, bool Again>
using rules_for = std::conditional_t<Again, every_rule, rules_in<Source>>;

/// The rules of `Rules::operations`, to look up. (Made anew for each sweep: g++ compiles the functions in a static table.)
template <class Rules, class Places = std::make_index_sequence<Rules::operations.count>>
class rule_lookup;
template <class Rules, std::size_t... Item>
class rule_lookup<Rules, std::index_sequence<Item...>> {
public:
    /// The partial derivative of node `i`, a copy of which is `n`, by its operand `k`.
    constexpr tracer partial_derivative(builder& b, const node& n, node_index i, int k) const {
        return rules_[place_[static_cast<std::size_t>(n.op)]].of[k](b, n, i);
    }

private:
    partial_rules rules_[sizeof...(Item) + 1] = {rules_of_operation<Rules::operations.of[Item]>()...};
    const std::uint8_t* place_ = Rules::operations.place;
};

} // namespace dyad
