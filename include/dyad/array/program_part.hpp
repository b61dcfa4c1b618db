// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Programs of eager expressions of arrays are cut at their heavy nodes (matrix products, factorisations, reductions): the
// value of each is an input of the parts that need it, so that it can be computed once for all of them.
#pragma once

#include <array>

#include <dyad/array/failure.hpp>
#include <dyad/array/program.hpp>
#include <dyad/trace/expr.hpp>

namespace dyad {

/// Worth remembering: reductions, and the library's products and factorisations.
constexpr bool is_library_call(opcode op) {
    return is(op, opcode::matmul) || is_convolution(op) || is_pool(op) || failing_of_operation(op) == failing::halfway;
}
constexpr bool is_heavy(opcode op) {
    return role_of(op) == role::reduction || is_library_call(op);
}

/// The heavy nodes of a program's graph, numbered. (None where loops and branches are: their bodies are not cut.)
template <class Program>
struct heavy_nodes {
    static constexpr std::size_t size = Program::graph.view().size;
    static constexpr bool whole = has_regions(Program::graph);
    static constexpr std::size_t count = [] {
        std::size_t n = 0;
        for (const node& i : Program::graph.nodes) n += !whole && i.arity() > 0 && is_heavy(i.op) ? 1U : 0U;
        return n;
    }();
    static constexpr std::array<node_index, count + 1> at = [] {
        std::array<node_index, count + 1> found{};
        std::size_t n = 0;
        for (node_index i = 0; i < size; ++i) {
            if (!whole && Program::graph.nodes[i].arity() > 0 && is_heavy(Program::graph.nodes[i].op)) found[n++] = i;
        }
        found[n] = no_node;
        return found;
    }();
};

/// A part of a graph: what some nodes need that no cut gives.
struct cut_graph {
    graph part;
    list<std::size_t> source; ///< by input: that of the whole, or from its input count on, the number of a cut
};
/// `cut[i]`: the number of the cut at node i, plus 1. A target is computed, even where there is a cut.
constexpr cut_graph cut_out(graph_view g, const list<std::size_t>& cut, const list<node_index>& targets) {
    list<bool> wanted(g.size), target(g.size);
    for (const node_index i : targets) wanted[i] = target[i] = true;
    for (node_index i = static_cast<node_index>(g.size); i-- > 0;) {
        if (!wanted[i] || (cut[i] != 0 && !target[i])) continue;
        for (int k = 0; k < g[i].arity(); ++k) wanted[g[i].operand[k]] = true;
    }
    cut_graph result;
    builder b;
    list<node_index> place(g.size, no_node), outputs;
    for (node_index i = 0; i < g.size; ++i) {
        if (!wanted[i]) continue;
        node n = g[i];
        const bool given = cut[i] != 0 && !target[i];
        if (given || n.is(opcode::input)) {
            const auto number = static_cast<std::uint32_t>(result.source.size());
            result.source.push_back(given ? g.input_count + cut[i] - 1 : n.bits);
            place[i] = b.input(number, n.type, shape_of(n));
        } else {
            for (int k = 0; k < n.arity(); ++k) n.operand[k] = place[n.operand[k]];
            place[i] = b.add(n);
        }
    }
    for (const node_index i : targets) outputs.push_back(place[i]);
    b.arrays = rules_of_arrays();
    result.part = merge_turns(b.finish(b.inwards(outputs)), *b.arrays);
    return result;
}

/// A part as a program, which equal parts of different expressions share, and the sources of its inputs. `Targets` says
/// what is computed, `Cuts` what is given: constexpr lists by functions.
template <class Program, class Cuts, class Targets>
struct program_part {
    static constexpr auto made() { return cut_out(Program::graph.view(), Cuts::list_of(), Targets::list_of()); }
    static constexpr std::size_t inputs = made().source.size(), words = encode(made().part).size();
    static constexpr std::array<std::size_t, inputs + 1> source = [] {
        std::array<std::size_t, inputs + 1> found{};
        const cut_graph c = made();
        for (std::size_t k = 0; k < inputs; ++k) found[k] = c.source[k];
        return found;
    }();
    static constexpr auto coded() {
        const list<std::uint64_t> all = encode(made().part);
        code<words> c{};
        for (std::size_t k = 0; k < words; ++k) c.words[k] = all[k];
        return c;
    }
    using compiled = program_of_arrays<coded_program<coded()>, default_policy>;
};
template <class Program, class Cuts, class Targets>
    requires(has_regions(Program::graph))
struct program_part<Program, Cuts, Targets> {
    static constexpr std::size_t inputs = Program::graph.view().input_count;
    static constexpr std::array<std::size_t, inputs + 1> source = [] {
        std::array<std::size_t, inputs + 1> all{};
        for (std::size_t k = 0; k < inputs; ++k) all[k] = k;
        return all;
    }();
    using compiled = program_of_arrays<Program, default_policy>;
};
/// Cuts at the heavy nodes of a program.
template <class Program>
struct heavy_cuts {
    static constexpr list<std::size_t> list_of() {
        list<std::size_t> cut(Program::graph.view().size);
        for (std::size_t k = 0; k < heavy_nodes<Program>::count; ++k) cut[heavy_nodes<Program>::at[k]] = k + 1;
        return cut;
    }
};
template <class Program, node_index Item>
struct one_target {
    static constexpr list<node_index> list_of() { return {Item}; }
};
/// Cuts where a gradient needs what the expression remembers: of library routines only, since reductions ride in its loops.
template <class Program, class E>
struct gradient_cuts {
    static constexpr list<std::size_t> list_of() {
        builder b;
        const auto places = [&](graph_view g) {
            list<node_index> place(g.size);
            for (node_index i = 0; i < g.size; ++i) {
                node n = g[i];
                for (int k = 0; k < n.arity(); ++k) n.operand[k] = place[n.operand[k]];
                place[i] = b.add(n);
            }
            return place;
        };
        const list<node_index> mine = places(Program::graph.view()), known = places(E::program::graph.view());
        list<std::size_t> cut(mine.size());
        for (std::size_t k = 0; k < heavy_nodes<typename E::program>::count; ++k) {
            const node_index heavy = heavy_nodes<typename E::program>::at[k];
            for (node_index i = 0; i < mine.size(); ++i) {
                if (mine[i] == known[heavy] && is_library_call(E::program::graph.nodes[heavy].op)) cut[i] = k + 1;
            }
        }
        return cut;
    }
};
template <class Program>
struct all_outputs {
    static constexpr list<node_index> list_of() {
        list<node_index> all;
        for (std::size_t k = 0; k < Program::graph.view().output_count; ++k) all.push_back(Program::graph.outputs[k]);
        return all;
    }
};

} // namespace dyad
