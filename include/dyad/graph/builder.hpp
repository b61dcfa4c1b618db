// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Builds a graph node by node. Equal nodes become one (hash-consing), so that common subexpressions never
// exist twice. `emit` first offers each node to the builder's rewriter (the simplify pass is one); `add`
// stores it as it is. This is the hot loop of compilation: few calls, few statements.
#pragma once

#include <dyad/graph/shape.hpp>

namespace dyad {

class builder;

/// What array operations need beside a rewriter: put into the builder by those who trace arrays, so that who has none
/// does not pay for them.
struct array_rules {
    /// The canonical equal of an array operation that is about to be stored.
    node_index (*rewrite)(builder&, const node&);
    /// What operand k of node i receives of the node's cotangent g.
    node_index (*pull)(builder&, node_index i, int k, node_index g);
    /// What node i receives of the tangent t of its operand k.
    node_index (*push)(builder&, node_index i, int k, node_index t);
    /// Node x, if it is a view of what is computed element by element, as what is computed where the view shows it.
    node_index (*inwards)(builder&, node_index x);
    bool for_arrays = true;
};
constexpr node_index store_unchanged(builder& b, const node& n);
constexpr node_index stay_as_view(builder&, node_index x) {
    return x;
}
/// Those of a builder of numbers.
inline constexpr array_rules no_array_rules{&store_unchanged, nullptr, nullptr, &stay_as_view, false};

/// The rules that are there for who may work with arrays: `rules_at_hand(static_cast<const builder_in<T>*>(nullptr))` in a template over T finds
/// those of array/rewrite.hpp, which fit better, where it is included.
constexpr const array_rules* rules_at_hand(const void*) {
    return &no_array_rules;
}
template <class>
struct builder_where {
    using type = builder;
};
template <class T>
using builder_in = typename builder_where<T>::type;

struct region_rules;
/// Rules for regions, or none: said beside the pointer, whose comparison with null is no constant expression to g++ under
/// -fsanitize=null.
class region_rules_pointer {
public:
    constexpr region_rules_pointer() = default;
    constexpr explicit(false) region_rules_pointer(const region_rules& rules) : at_(&rules), there_(true) {}
    constexpr const region_rules* operator->() const { return at_; }
    constexpr explicit operator bool() const { return there_; }

private:
    const region_rules* at_ = nullptr;
    bool there_ = false;
};

class builder {
public:
    /// What replaces a node that is about to be stored: the index of an equal value.
    using rewriter = node_index (*)(builder&, const node&);

    /// The nodes so far, to read without a call: `b.nodes.at[i]`.
    list<node> nodes;
    /// A hash of the value that each node computes, by its formula alone: the same in every graph.
    list<std::uint64_t> hashes;

    /// `expected` nodes need no second allocation.
    constexpr explicit builder(rewriter rewrite = &store_unchanged, std::size_t expected = 0) : rewrite_(rewrite) {
        while (capacity_ <= expected + expected / 4) capacity_ *= 2;
        slots_ = list<node_index>(2 * capacity_);
        nodes.reserve(capacity_);
        hashes.reserve(capacity_);
    }

    [[nodiscard]] constexpr std::size_t size() const { return nodes.size(); }
    [[nodiscard]] constexpr const node& operator[](node_index i) const { return nodes.at[i]; }
    [[nodiscard]] constexpr bool is_constant(node_index i) const {
        return nodes.at[i].op == opcode::constant;
    }

    /// An operation on nodes of this graph; its type follows from the operands', and weak constants among
    /// them take it on. A number that stands for a condition is one unless it is 0, a condition that stands for a number 1 or 0.
    constexpr node_index emit(node n) {
        const std::size_t op = static_cast<std::size_t>(n.op);
        if (arities.arithmetic[op]) { // the short way, for most
            const node &x = nodes.at[n.operand[0]], &y = nodes.at[n.operand[arities.of[op] - 1]];
            if (x.type == y.type && x.type > element::integer && (x.rank | y.rank) == 0) {
                n.type = x.type;
                return rewrite_(*this, n);
            }
        }
        if (is_region_operation(n.op) || n.op == opcode::result) return add(n); // whose type and shape were given to it
        const int first = n.op == opcode::where ? 1 : 0, arity = arities.of[op], conditions = conditions_of(n.op);
        for (int k = 0; k < arity && !is_array_operation(n.op) && !is_faulty(); ++k) {
            if ((nodes.at[n.operand[k]].type == element::boolean) != (k < conditions)) n.operand[k] = converted(n.operand[k]);
        }
        n.type = nodes.at[n.operand[first]].type;
        unsigned ranks = nodes.at[n.operand[0]].rank;
        for (int k = first + 1; k < arity; ++k) {
            if (nodes.at[n.operand[k]].type != n.type) unify(n, first, arity);
        }
        for (int k = 1; k < arity; ++k) ranks |= nodes.at[n.operand[k]].rank;
        if (ranks != 0 || is_array_operation(n.op)) return emit_array(n);
        if (n.type == element::integer || operation_table[op].condition)
            n.type = operation_table[op].condition ? element::boolean : element::float64;
        return rewrite_(*this, n);
    }
    constexpr node_index emit(opcode op, node_index x, node_index y = 0, node_index z = 0) {
        return emit(node{.op = op, .operand = {x, y, z}});
    }

    /// The rules for arrays; whoever makes an array input sets them.
    const array_rules* arrays = &no_array_rules;
    /// How loops, branches and rules are differentiated (pass/region_rules.hpp); whoever makes one sets it.
    region_rules_pointer regions;
    /// What is traced runs where loops cannot keep their rounds, in a device's kernels: derivatives go forward through them.
    bool keeps_nothing = false;
    /// What is traced is never differentiated, as what a function with a rule computes: rules in it are left out.
    bool values_only = false;
    /// The loops that are recorded: an index, and how many rounds it counts.
    list<node_index> loop_indices, loop_rounds;
    /// Where the first fault of an array operation goes (array/fault.hpp names them; 0: none), for who wants to know: the
    /// graph is worth nothing then. Otherwise a fault throws.
    unsigned* fault = nullptr;
    static constexpr unsigned rank_fault = 1, number_fault = 2, rows_fault = 3, rule_fault = 4, leaf_fault = 5, round_fault = 6;
    [[nodiscard]] constexpr bool is_faulty() const { return fault != nullptr && *fault != 0; }

    /// Stores a node as it is, unless an equal one is there.
    constexpr node_index add(const node& n) {
        constexpr std::uint64_t spread = 0x9e3779b97f4a7c15U;
        std::uint64_t h = (n.bits ^ static_cast<std::uint64_t>(n.op) << 56 ^
                           static_cast<std::uint64_t>(n.type) << 48 ^ n.rank ^ std::uint64_t{n.ones} << 8) *
                          spread;
        h ^= h >> 29;
        if (n.op == opcode::constant) h ^= n.operand[0];
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            h = (h ^ hashes.at[n.operand[k]]) * spread;
            h ^= h >> 32;
        }
        const std::size_t mask = slots_.count - 1;
        std::size_t slot = (h ^ h >> 17) & mask;
        for (; slots_.at[slot] != 0; slot = (slot + 1) & mask) {
            const node_index known = slots_.at[slot] - 1;
            if (hashes.at[known] == h && nodes.at[known] == n) return known;
        }
        slots_.at[slot] = static_cast<node_index>(nodes.count + 1);
        nodes.at[nodes.count++] = n;
        hashes.at[hashes.count++] = h;
        if (nodes.count == capacity_) grow();
        return static_cast<node_index>(nodes.count - 1);
    }

    constexpr node_index constant(exact value, element type = element::weak) {
        // A float's constant is a float: folding then rounds as the program would.
        if (type == element::float32) value = exact(static_cast<float>(value.high));
        if (type == element::float64) value.low = 0;
        return add(constant_node(value, type));
    }
    constexpr node_index input(std::uint32_t number, element type, array_shape shape = {}) {
        if (number >= input_count_) input_count_ = number + 1;
        return add(input_node(number, type, static_cast<int>(shape.rank), shape.ones));
    }
    /// Node x with the shape that it has together with node y.
    constexpr node_index broadcast_to(node_index x, node_index y) {
        const array_shape have = shape_of(nodes.at[x]);
        return have == broadcast(have, shape_of(nodes.at[y])) ? x : emit(opcode::broadcast_like, x, y);
    }
    /// A tangent of node x as one of node i, which has more axes: axes of the tangent's own (one for each of many
    /// directions) stay in front of all of i's.
    constexpr node_index make_room(node_index tangent, node_index x, node_index i) {
        return widen(tangent, nodes.at[x].rank, nodes.at[i].rank);
    }
    /// The same from a number of axes to another.
    constexpr node_index widen(node_index tangent, unsigned rank, unsigned whole) {
        if (nodes.at[tangent].rank <= rank || whole <= rank) return tangent;
        return emit({.op = opcode::expand, .operand = {tangent, 0, 0}, .bits = low_bits(whole) & ~low_bits(rank)});
    }
    /// What a view of a node became when it was moved towards the arguments (array/rewrite.hpp), plus 1; by view.
    list<node_index> moved_views;

    /// A condition as the number that it stands for, 1 or 0; a number as it is.
    constexpr node_index as_number(node_index x) {
        return nodes.at[x].type == element::boolean ? emit(opcode::where, x, constant(exact(1), element::float64), constant(exact(0), element::float64)) : x;
    }

    /// The same in the type of what it meets.
    constexpr node_index as_weak_number(node_index x) {
        return nodes.at[x].type == element::boolean ? emit(opcode::where, x, constant(exact(1)), constant(exact(0))) : x;
    }

    /// A stand-in that no other node equals.
    constexpr node_index parameter(element type, array_shape shape = {}) {
        node n{.op = opcode::parameter, .type = type, .bits = parameter_count_++};
        set_shape(n, shape);
        return add(n);
    }

    /// Adds all nodes of a graph, its inputs being `arguments`; returns the places of its outputs. `canonical`
    /// says that the graph's nodes come from a builder with the same rewriter and need no second look.
    constexpr list<node_index> append(graph_view g, const list<node_index>& arguments,
                                      bool canonical = false) {
        list<node_index> place(g.size);
        list<std::uint32_t> numbers; // of the graph's parameters here, plus 1
        for (std::size_t i = 0; i < g.size; ++i) {
            node n = g.nodes[i];
            if (n.op == opcode::input) {
                place.at[i] = arguments.at[n.bits];
                continue;
            }
            if (n.op == opcode::parameter || is_region_operation(n.op)) renumber(n, numbers);
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;)
                n.operand[k] = place.at[n.operand[k]];
            place.at[i] = canonical || n.op <= opcode::parameter ? add(n) : emit(n);
        }
        list<node_index> outputs(g.output_count);
        for (std::size_t i = 0; i < g.output_count; ++i) outputs.at[i] = place.at[g.outputs[i]];
        return outputs;
    }

    /// The same with inputs of this graph's own: input k of `g` becomes input k here.
    constexpr list<node_index> append(graph_view g, bool canonical = false) {
        list<node_index> arguments(g.input_count, no_node);
        for (std::size_t i = 0; i < g.size; ++i) {
            if (g.nodes[i].op == opcode::input)
                arguments.at[g.nodes[i].bits] = add(g.nodes[i]);
        }
        if (g.input_count > input_count_) input_count_ = g.input_count;
        return append(g, arguments, canonical);
    }

    /// Turned operands as what is computed where they are turned to.
    constexpr void turn_inwards(node& n) {
        for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) {
            if (is_turn(nodes.at[n.operand[k]].op)) n.operand[k] = arrays->inwards(*this, n.operand[k]);
        }
    }
    /// Results as what is computed where they lie, rather than somewhere else to be copied.
    [[nodiscard]] constexpr list<node_index> inwards(list<node_index> results) {
        for (node_index& x : results) x = arrays->inwards(*this, x);
        return results;
    }

    /// The graph of the given outputs, with everything they do not need left out.
    [[nodiscard]] constexpr graph finish(const list<node_index>& outputs) const& { return finished(outputs, nullptr); }
    /// The same of a builder that is not needed any more, whose nodes are not copied where all of them are needed.
    [[nodiscard]] constexpr graph finish(const list<node_index>& outputs) && { return finished(outputs, &nodes); }

    /// The copy of a graph whose node i has become `place[i]` here: its outputs, and as many inputs.
    [[nodiscard]] constexpr graph finish_copy(graph_view g, const list<node_index>& place) const& { return finished_copy(g, place, nullptr); }
    [[nodiscard]] constexpr graph finish_copy(graph_view g, const list<node_index>& place) && { return finished_copy(g, place, &nodes); }

private:
    /// The graph of outputs; of the nodes themselves, if they may be taken and all are needed.
    constexpr graph finished(const list<node_index>& outputs, list<node>* own) const {
        list<bool> needed(nodes.size());
        for (const node_index i : outputs) needed.at[i] = true;
        std::size_t count = 0;
        for (std::size_t i = nodes.size(); i-- > 0;) {
            if (!needed.at[i]) continue;
            ++count;
            for (int k = arities.of[static_cast<std::size_t>(nodes.at[i].op)]; k-- > 0;)
                needed.at[nodes.at[i].operand[k]] = true;
        }
        graph result;
        result.input_count = input_count_;
        if (own != nullptr && count == nodes.size()) {
            result.nodes = static_cast<list<node>&&>(*own);
            result.outputs = outputs;
            return result;
        }
        result.nodes = list<node>(count);
        list<node_index> place(nodes.size());
        node_index next = 0;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (!needed.at[i]) continue;
            node& moved = result.nodes.at[next];
            moved = nodes.at[i];
            for (int k = arities.of[static_cast<std::size_t>(moved.op)]; k-- > 0;)
                moved.operand[k] = place.at[moved.operand[k]];
            place.at[i] = next++;
        }
        for (const node_index i : outputs) result.outputs.push_back(place.at[i]);
        return result;
    }
    constexpr graph finished_copy(graph_view g, const list<node_index>& place, list<node>* own) const {
        list<node_index> outputs(g.output_count);
        for (std::size_t k = 0; k < g.output_count; ++k) outputs.at[k] = place.at[g.outputs[k]];
        graph result = finished(outputs, own);
        result.input_count = g.input_count;
        return result;
    }
    /// Gives the parameter that a node is or binds a number that is new in this builder.
    constexpr void renumber(node& n, list<std::uint32_t>& numbers) {
        const bool loop = n.op >= opcode::loop && n.op <= opcode::sweep;
        const bool link = n.op == opcode::carry || n.op == opcode::replay || n.op == opcode::bind;
        if (!loop && !link && n.op != opcode::parameter) return;
        const std::uint64_t old = loop ? (n.bits & 0xffffffff) >> 1 : n.bits; // (graph/region.hpp)
        while (numbers.size() <= old) numbers.push_back(0);
        if (numbers[old] == 0) numbers[old] = ++parameter_count_;
        const std::uint64_t fresh = numbers[old] - 1;
        n.bits = loop ? fresh << 1 | (n.bits & ~std::uint64_t{0xfffffffe}) : fresh;
    }
    /// The same for arrays: the shape follows from the operands'. A rewrite that loses an axis gets it back.
    constexpr node_index emit_array(node n) {
        const array_shape shape = shape_with(n, nodes.data());
        if (shape.rank > max_rank) {
            if (fault == nullptr) throw shape_error("[dyad] array: a result has more than 8 axes");
            if (*fault == 0) *fault = rank_fault;
        }
        if (is_faulty()) return n.operand[0];
        set_shape(n, shape);
        if (is_array_operation(n.op)) {
            const bool computes = n.op < opcode::broadcast_like || n.op >= opcode::recurrence; // others move elements
            if (n.type == element::boolean && computes) n.type = element::weak;
            if (n.type == element::integer && computes) n.type = element::float64;
            return arrays->rewrite(*this, n);
        }
        if (n.type == element::integer || operation_table[static_cast<std::size_t>(n.op)].condition)
            n.type = operation_table[static_cast<std::size_t>(n.op)].condition ? element::boolean : element::float64;
        turn_inwards(n);
        node_index result = rewrite_(*this, n);
        for (int k = 0; k < n.arity() && shape_of(nodes.at[result]) != shape; ++k)
            result = broadcast_to(result, n.operand[k]);
        return result;
    }
    /// A number as a condition, a condition as a number.
    constexpr node_index converted(node_index x) {
        if (nodes.at[x].type == element::boolean) return as_weak_number(x);
        return emit(opcode::logical_not, emit(opcode::equal, x, constant(exact(0))));
    }
    /// Gives the operation the widest type of its operands, and its constants that type; conditions among numbers become some.
    constexpr void unify(node& n, int first, int arity) {
        if (n.op == opcode::fill_like) return; // (whose other operands lend their sizes alone)
        for (int k = first; k < arity && is_array_operation(n.op); ++k) {
            if (n.type == element::boolean && k > first && is_of_shape(n.op)) return;
            if (nodes.at[n.operand[k]].type == element::boolean && !is_of_shape(n.op)) n.operand[k] = converted(n.operand[k]);
        }
        bool real = false;
        for (int k = first; k < arity; ++k) {
            const element type = nodes.at[n.operand[k]].type;
            n.type = promote(n.type, type);
            real = real || type >= element::float32;
        }
        for (int k = first; k < arity && real; ++k) { // (beside whole numbers alone it may yet become a long double)
            const node x = nodes.at[n.operand[k]]; // a copy: constants append nodes
            if (x.op == opcode::constant && x.type != n.type && x.type != element::boolean)
                n.operand[k] = constant(constant_value(x), n.type);
        }
    }
    constexpr void grow() {
        capacity_ *= 4;
        nodes.reserve(capacity_);
        hashes.reserve(capacity_);
        slots_ = list<node_index>(2 * capacity_);
        const std::size_t mask = slots_.count - 1;
        for (std::size_t i = 0; i < nodes.count; ++i) {
            std::size_t slot = (hashes.at[i] ^ hashes.at[i] >> 17) & mask;
            while (slots_.at[slot] != 0) slot = (slot + 1) & mask;
            slots_.at[slot] = static_cast<node_index>(i + 1);
        }
    }

    list<node_index> slots_; ///< index + 1, or 0 for a free slot
    std::size_t capacity_ = 256;
    rewriter rewrite_;
    std::uint32_t input_count_ = 0;
    std::uint32_t parameter_count_ = 0;
};

constexpr node_index store_unchanged(builder& b, const node& n) {
    return b.add(n);
}

} // namespace dyad
