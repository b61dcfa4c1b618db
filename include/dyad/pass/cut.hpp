// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Cuts a lowered program in two that run one after the other, where few values pass from one to the other: for devices,
// whose registers hold only so many.
#pragma once

#include <dyad/graph/builder.hpp>

namespace dyad {

struct halved_program {
    graph first;           ///< outputs: those of the whole, 0 for those that come later; then the values that pass
    graph second;          ///< inputs: those of the whole, then the values that pass; outputs: those of the whole, 0 for earlier ones
    list<bool> in_first;   ///< by output of the whole: computed by the first
    std::size_t passing = 0; ///< how many values pass
};

class program_halver {
public:
    constexpr explicit program_halver(graph_view g) : g_(g), late_(g.size), passes_(g.size) {}

    constexpr halved_program run() {
        const std::size_t fewest = mark(best_place());
        halved_program result;
        result.passing = fewest;
        write_first(result);
        write_second(result);
        return result;
    }

private:
    /// Near the middle, where the fewest values are computed before and used after.
    [[nodiscard]] constexpr std::size_t best_place() const {
        list<std::size_t> ends(g_.size + 1); // by place: the values whose last use it is
        list<node_index> last(g_.size, no_node);
        for (node_index i = static_cast<node_index>(g_.size); i-- > 0;) {
            for (int k = 0; k < g_[i].arity(); ++k) {
                const node_index x = g_[i].operand[k];
                if (last[x] == no_node && !is_anywhere(x)) last.at[x] = i, ++ends.at[i];
            }
        }
        std::size_t best = g_.size / 2, fewest = ~std::size_t{0}, open = 0;
        for (node_index at = 0; at < g_.size; ++at) { // `open` values pass a cut before node `at`
            if (at >= g_.size * 2 / 5 && at <= g_.size * 3 / 5 && open < fewest) best = at, fewest = open;
            open += last[at] != no_node ? 1U : 0U;
            open -= ends[at];
        }
        return best;
    }
    /// Nodes from number `at` on are late; those of several results keep these with them. The number of values that pass.
    constexpr std::size_t mark(std::size_t at) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < g_.size; ++i) {
            const node& n = g_[i];
            late_.at[i] = n.is(opcode::result) ? late_[n.operand[0]] : i >= at;
            passes_.at[i] = false;
            for (int k = 0; k < n.arity() && late_[i]; ++k) {
                const node_index x = n.operand[k];
                if (late_[x] || is_anywhere(x) || passes_[x]) continue;
                passes_.at[x] = true;
                ++count;
            }
        }
        return count;
    }
    [[nodiscard]] constexpr bool is_anywhere(node_index i) const { return g_[i].is(opcode::constant) || g_[i].is(opcode::input); }

    constexpr void write_first(halved_program& result) const {
        builder b;
        list<node_index> place(g_.size, no_node), outputs;
        for (std::size_t i = 0; i < g_.size; ++i) {
            if (!late_[i] || is_anywhere(static_cast<node_index>(i))) place.at[i] = copied(b, i, place);
        }
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            const node_index o = g_.outputs[k];
            const bool here = !late_[o] || is_anywhere(o);
            result.in_first.push_back(here);
            outputs.push_back(here ? place[o] : b.constant(exact(0)));
        }
        for (std::size_t i = 0; i < g_.size; ++i) {
            if (!passes_[i]) continue;
            const bool condition = g_[i].is(element::boolean);
            outputs.push_back(condition ? b.emit(opcode::where, place[i], b.constant(exact(1)), b.constant(exact(0))) : place[i]);
        }
        result.first = b.finish(outputs);
        result.first.input_count = g_.input_count;
    }
    constexpr void write_second(halved_program& result) const {
        builder b;
        list<node_index> place(g_.size, no_node), outputs;
        std::uint32_t number = g_.input_count;
        for (std::size_t i = 0; i < g_.size; ++i) {
            if (passes_[i]) place.at[i] = b.input(number++, g_[i].type);
        }
        for (std::size_t i = 0; i < g_.size; ++i) {
            if (late_[i] || is_anywhere(static_cast<node_index>(i))) place.at[i] = copied(b, i, place);
        }
        for (std::size_t k = 0; k < g_.output_count; ++k) outputs.push_back(result.in_first[k] ? b.constant(exact(0)) : place[g_.outputs[k]]);
        result.second = b.finish(outputs);
        result.second.input_count = number;
    }
    constexpr node_index copied(builder& b, std::size_t i, const list<node_index>& place) const {
        node n = g_[i];
        if (n.is(opcode::input)) return b.input(static_cast<std::uint32_t>(n.bits), n.type);
        for (int k = 0; k < n.arity(); ++k) n.operand[k] = place[n.operand[k]];
        return b.add(n);
    }

    graph_view g_;
    list<bool> late_, passes_;
};

/// The pass.
constexpr halved_program cut_in_two(graph_view g) {
    return program_halver(g).run();
}

/// The two parts of the program `Source::graph`.
template <class Source>
struct program_cut {
    static constexpr std::size_t passing = cut_in_two(Source::graph).passing;
    static constexpr std::size_t outputs = Source::graph.view().output_count;
    struct marks {
        bool in_first[outputs + 1] = {};
    };
    static constexpr marks of = [] {
        marks m;
        const halved_program c = cut_in_two(Source::graph);
        for (std::size_t k = 0; k < outputs; ++k) m.in_first[k] = c.in_first[k];
        return m;
    }();
    struct first {
        struct make {
            constexpr dyad::graph operator()() const { return cut_in_two(Source::graph).first; }
        };
        static constexpr const auto& graph = frozen<make, Source::graph.view().size, outputs + passing>::value;
    };
    struct second {
        struct make {
            constexpr dyad::graph operator()() const { return cut_in_two(Source::graph).second; }
        };
        static constexpr const auto& graph = frozen<make, Source::graph.view().size, outputs>::value;
    };
};

} // namespace dyad
