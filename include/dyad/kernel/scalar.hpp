// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Runs a lowered graph on values: straight-line code, one statement a node, every intermediate result in a
// local array that is indexed by constants only, so that compilers keep it in registers. The value type is any
// number or vector of numbers.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <dyad/graph/graph.hpp>

namespace dyad {

/// One statement of a program: where its value goes, where its operands lie, and its constant or attribute.
/// Numbers and conditions have places in arrays of their own; several results lie side by side.
struct statement {
    opcode op = opcode::constant;
    bool condition = false;
    node_index to = 0;
    node_index from[3] = {};
    std::uint64_t bits = 0;
    std::uint64_t low = 0; ///< of a constant
};

template <std::size_t N>
struct statements {
    statement at[N == 0 ? 1 : N] = {};
    std::size_t numbers = 0;
    std::size_t conditions = 0;
};

/// Places with their reuse: a value's place is free again after its last use, so that compilers see short
/// lives and find the dead stores at once (in one long array their time grows with the square of it).
class place_pool {
public:
    constexpr node_index take() {
        if (free_.empty()) return next_++;
        const node_index place = free_.back();
        free_.pop_back();
        return place;
    }
    constexpr node_index take_row(int count) {
        const node_index first = next_;
        next_ += static_cast<node_index>(count);
        return first;
    }
    constexpr void give_back(node_index place) { free_.push_back(place); }
    [[nodiscard]] constexpr std::size_t size() const { return next_; }

private:
    list<node_index> free_;
    node_index next_ = 0;
};

template <std::size_t N>
constexpr statements<N> statements_of(graph_view g) {
    statements<N> result;
    list<node_index> last_use(N);
    for (node_index i = 0; i < N; ++i) {
        last_use.at[i] = facts(g.nodes[i].op).results > 1 ? no_node : i; // its results are its value
        for (int k = 0; k < g.nodes[i].arity(); ++k) {
            node_index& last = last_use.at[g.nodes[i].operand[k]];
            if (last != no_node) last = i;
        }
    }
    for (std::size_t k = 0; k < g.output_count; ++k) last_use.at[g.outputs[k]] = no_node;
    place_pool numbers, conditions;
    for (node_index i = 0; i < N; ++i) {
        const node& n = g.nodes[i];
        statement& s = result.at[i];
        s.op = n.op;
        s.condition = n.type == element::boolean;
        s.bits = n.bits;
        if (n.op == opcode::constant) s.low = std::bit_cast<std::uint64_t>(constant_value(n).low);
        for (int k = 0; k < n.arity(); ++k) {
            const node_index x = n.operand[k];
            s.from[k] = result.at[x].to;
            if (last_use.at[x] != i) continue;
            last_use.at[x] = no_node; // once, however often it is an operand
            (result.at[x].condition ? conditions : numbers).give_back(s.from[k]);
        }
        place_pool& pool = s.condition ? conditions : numbers;
        const int results = facts(n.op).results;
        if (n.op == opcode::result) {
            s.to = s.from[0] + static_cast<node_index>(n.bits);
        } else {
            s.to = results > 1 ? pool.take_row(results) : pool.take();
        }
    }
    result.numbers = numbers.size();
    result.conditions = conditions.size();
    return result;
}

/// Runs one statement. Its places are function arguments, and constants once it is inlined: as template
/// arguments they would make every statement a function of its own, which doubles the time to compile.
/// Operations take values, not references: only a local array whose address goes nowhere becomes registers,
/// and quickly so.
template <opcode Op, bool Condition, class T, class Mask>
DYAD_FN DYAD_INLINE constexpr void execute([[maybe_unused]] T* number, [[maybe_unused]] Mask* condition,
                                           [[maybe_unused]] const T* input, [[maybe_unused]] node_index to,
                                           [[maybe_unused]] node_index x, [[maybe_unused]] node_index y,
                                           [[maybe_unused]] node_index z, [[maybe_unused]] std::uint64_t bits,
                                           [[maybe_unused]] std::uint64_t low) {
    [[maybe_unused]] const int attribute = static_cast<int>(bits);
    if constexpr (Op == opcode::input) {
        if constexpr (Condition) condition[to] = input[bits] != T(0);
        if constexpr (!Condition) number[to] = input[bits];
    } else if constexpr (Op == opcode::constant) {
        const exact value = exact::of_bits(bits, low);
        if constexpr (Condition) condition[to] = Mask(value.high != 0);
        if constexpr (!Condition) number[to] = value.template as<T>();
    } else if constexpr (facts(Op).results > 1) {
        operation<Op>::values(number[x], number[to], number[to + 1]);
    } else if constexpr (Op == opcode::where && Condition) {
        condition[to] = (condition[x] && condition[y]) || (!condition[x] && condition[z]);
    } else if constexpr (Op == opcode::where) {
        number[to] = operation<Op>::value(condition[x], number[y], number[z]);
    } else if constexpr (Op == opcode::logical_not) {
        condition[to] = operation<Op>::value(condition[x]);
    } else if constexpr (Op == opcode::logical_and || Op == opcode::logical_or) {
        condition[to] = operation<Op>::value(condition[x], condition[y]);
    } else if constexpr (Condition) {
        condition[to] = operation<Op>::value(number[x], number[y]);
    } else if constexpr (Op != opcode::result) { // whose operation has put it in place
        using rule = operation<Op>;
        if constexpr (rule::attributed && rule::arity == 1) {
            number[to] = rule::value(attribute, number[x]);
        } else if constexpr (rule::attributed) {
            number[to] = rule::value(attribute, number[x], number[y], number[z]);
        } else if constexpr (rule::arity == 1) {
            number[to] = rule::value(number[x]);
        } else if constexpr (rule::arity == 2) {
            number[to] = rule::value(number[x], number[y]);
        } else {
            number[to] = rule::value(number[x], number[y], number[z]);
        }
    }
}

/// A lowered graph, `Lowered::graph`, as a function of values.
template <class Lowered>
struct kernel_of {
    static constexpr graph_view graph = Lowered::graph.view();
    static constexpr std::size_t size = graph.size;
    static constexpr std::size_t outputs = graph.output_count;
    static constexpr statements<size> program = statements_of<size>(graph);

    /// The outputs at `input`, which holds graph.input_count values.
    template <class T>
    DYAD_FN DYAD_INLINE static constexpr std::array<T, outputs> run(const T* input) {
        T number[program.numbers + 1];
        math::mask_of<T> condition[program.conditions + 1];
        run_from<0>(number, condition, input);
        return results(number, std::make_index_sequence<outputs>{});
    }

private:
    // Fold expressions nest a level an element in clang, whose limit is 256.
    static constexpr std::size_t chunk = 32;

    template <std::size_t Begin, class T, class Mask>
    DYAD_FN DYAD_INLINE static constexpr void run_from(T* number, Mask* condition, const T* input) {
        constexpr std::size_t left = size - Begin;
        if constexpr (left > chunk * chunk) {
            run_block<Begin>(number, condition, input, std::make_index_sequence<chunk>{});
            run_from<Begin + chunk * chunk>(number, condition, input);
        } else {
            run_block<Begin>(number, condition, input, std::make_index_sequence<left / chunk>{});
            run_chunk<Begin + left / chunk * chunk>(number, condition, input,
                                                    std::make_index_sequence<left % chunk>{});
        }
    }
    template <std::size_t Begin, class T, class Mask, std::size_t... I>
    DYAD_FN DYAD_INLINE static constexpr void run_block([[maybe_unused]] T* number, [[maybe_unused]] Mask* condition, [[maybe_unused]] const T* input,
                                                        std::index_sequence<I...>) {
        (run_chunk<Begin + I * chunk>(number, condition, input, std::make_index_sequence<chunk>{}),
         ...);
    }
    template <std::size_t Begin, class T, class Mask, std::size_t... I>
    DYAD_FN DYAD_INLINE static constexpr void run_chunk([[maybe_unused]] T* number, [[maybe_unused]] Mask* condition, [[maybe_unused]] const T* input,
                                                        std::index_sequence<I...>) {
        (execute<program.at[Begin + I].op, program.at[Begin + I].condition>(
             number, condition, input, DYAD_CONSTANT(program.at[Begin + I].to), DYAD_CONSTANT(program.at[Begin + I].from[0]),
             DYAD_CONSTANT(program.at[Begin + I].from[1]), DYAD_CONSTANT(program.at[Begin + I].from[2]),
             DYAD_CONSTANT(program.at[Begin + I].bits), DYAD_CONSTANT(program.at[Begin + I].low)),
         ...);
    }
    template <class T, std::size_t... I>
    DYAD_FN DYAD_INLINE static constexpr std::array<T, outputs> results(const T* number,
                                                                        std::index_sequence<I...>) {
        return {number[DYAD_CONSTANT(program.at[graph.outputs[I]].to)]...};
    }
};

} // namespace dyad
