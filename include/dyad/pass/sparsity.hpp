// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Where the Jacobian and the Hessian of a graph may be other than zero. A graph goes in (not lowered yet), a matrix of
// bits comes out: never too few. Each node has the set of the inputs it depends on, differentiably: the union of its
// operands' sets, one word for 64 inputs. A nonlinear operation joins in the Hessian what its operands depend on
// (Walther, "Computing sparse Hessians with automatic differentiation", ACM TOMS 34, 2008).
#pragma once

#include <dyad/base/bit_matrix.hpp>
#include <dyad/graph/free_parameters.hpp>
#include <dyad/pass/linearity.hpp>
#include <dyad/pass/resolve.hpp>

namespace dyad {

/// What each node depends on, loops and branches included; and, if asked for, the pairs that nonlinear operations join. Of a graph
/// in which loops come after all that they compute on the way (loops_last).
class dependence {
public:
    constexpr dependence(graph_view g, const list<std::uint32_t>& by, bool second = false)
        : g_(g), sets_(g.size, by.size()), second_(second) {
        if (second) {
            pairs_ = bit_matrix(by.size(), by.size());
            joined_ = list<bool>(g.size);
            mark_wanted();
        }
        if (has_regions(g)) find_bodies();
        list<std::size_t> column(g.input_count, by.size());
        for (std::size_t k = 0; k < by.size(); ++k) column[by[k]] = k;
        for (node_index i = 0; i < g.size; ++i) {
            if (g[i].is(opcode::input)) {
                if (column[g[i].bits] < by.size()) sets_.set(i, column[g[i].bits]);
            } else if (inside_.empty() || !inside_[i]) {
                visit(i);
            }
        }
    }

    [[nodiscard]] constexpr const std::uint64_t* set(node_index i) const { return sets_.row(i); }
    [[nodiscard]] constexpr const bit_matrix& pairs() const { return pairs_; }

private:
    /// Rounds of a loop that are followed one by one, before all further ones are taken together.
    static constexpr double single_rounds = 64;

    constexpr void visit(node_index i) {
        const node& n = g_[i];
        switch (n.op) {
        case opcode::loop:
        case opcode::repeat:
        case opcode::sweep: go_round(i); break;
        case opcode::branch:
        case opcode::invertible:
        case opcode::checkpoint:
        case opcode::custom: pass_through(i); break;
        case opcode::result: take_result(i); break;
        case opcode::history: break; // which its loop sets
        default:
            if (!is_region_operation(n.op) || n.is(opcode::at) || n.is(opcode::again)) compute(i);
        }
    }
    constexpr void compute(node_index i) {
        const node& n = g_[i];
        const int arity = n.arity();
        if (arity == 0 || facts(n.op).flat) return;
        sets_.clear(i);
        for (int k = 0; k < arity; ++k) {
            if (differentiable_by(n.op, k)) sets_.unite(i, set(n.operand[k]));
        }
        if (!second_) return;
        joined_[i] = false;
        for (int k = 0; k < arity; ++k) joined_[i] = joined_[i] || known_from(i, n.operand[k]);
        if (wanted_[i]) join_operands(i, second_derivatives(n.op));
    }

    // --- the Hessian ---

    constexpr void join_operands(node_index i, unsigned pairs) {
        using namespace operand_pairs;
        if (pairs == all) {
            join_all(i);
            if (g_[i].arity() == 1) joined_[g_[i].operand[0]] = true;
            return;
        }
        const node_index *x = g_[i].operand, *y = x + 1, *z = x + 2;
        if ((pairs & xx) != 0) join_all(*x);
        if ((pairs & yy) != 0) join_all(*y);
        if ((pairs & zz) != 0) join_all(*z);
        if ((pairs & xy) != 0) join(*x, *y);
        if ((pairs & xz) != 0) join(*x, *z);
        if ((pairs & yz) != 0) join(*y, *z);
    }
    /// All pairs of what node x depends on. A chain of nonlinear functions does so once.
    constexpr void join_all(node_index x) {
        if (joined_[x]) return;
        sets_.each(x, [&](std::size_t j) { pairs_.unite(j, set(x)); });
        joined_[x] = true;
    }
    constexpr void join(node_index x, node_index y) {
        if (x == y) return join_all(x);
        if (known_from(x, y) || known_from(y, x)) return;
        sets_.each(x, [&](std::size_t j) { pairs_.unite(j, set(y)); });
        sets_.each(y, [&](std::size_t j) { pairs_.unite(j, set(x)); });
    }
    /// Whether all pairs of what `x` depends on are there because those of `y`, which depends on the same, are.
    [[nodiscard]] constexpr bool known_from(node_index x, node_index y) const {
        return joined_[y] && sets_.equals(x, set(y));
    }
    /// What the first output depends on, differentiably.
    constexpr void mark_wanted() {
        wanted_ = list<bool>(g_.size);
        if (g_.output_count != 0) wanted_[g_.outputs[0]] = true;
        for (std::size_t i = g_.size; i-- > 0;) {
            if (!wanted_[i]) continue;
            for (int k = 0; k < g_[i].arity(); ++k) {
                if (differentiable_by(g_[i].op, k)) wanted_[g_[i].operand[k]] = true;
            }
        }
    }

    // --- loops and branches ---

    /// Which nodes the rounds or arms of each region compute: those of its parameters, but for what a region within does. (Regions
    /// whose bodies have much in common, a checkpoint and the values of its body, bind the same parameters.)
    constexpr void find_bodies() {
        inside_ = list<bool>(g_.size);
        body_begin_ = body_end_ = list<std::size_t>(g_.size);
        const free_parameters free(g_.nodes, g_.size);
        for (node_index i = 0; i < g_.size; ++i) {
            if (g_[i].is(opcode::parameter)) {
                while (parameter_.size() <= g_[i].bits) parameter_.push_back(no_node);
                parameter_[g_[i].bits] = i;
            }
            if (!is_region(g_[i].op)) continue;
            const list<std::uint64_t> bound = free.bound_by(i);
            list<bool> within(i);
            for (node_index k = 0; k < i; ++k) {
                if (!free.meets(k, bound)) continue;
                inside_[k] = true;
                for (std::size_t m = body_begin_[k]; m < body_end_[k]; ++m) within[bodies_[m]] = true;
            }
            body_begin_[i] = bodies_.size();
            for (node_index k = 0; k < i; ++k) {
                if (free.meets(k, bound) && !within[k]) bodies_.push_back(k);
            }
            body_end_[i] = bodies_.size();
        }
    }
    constexpr void visit_body(node_index region) {
        for (std::size_t m = body_begin_[region]; m < body_end_[region]; ++m) visit(bodies_[m]);
    }
    /// The parameter that a carry or a bind binds stands for a set.
    constexpr void bind(node_index link, const std::uint64_t* to) {
        const std::uint64_t number = g_[link].bits;
        if (number >= parameter_.size() || parameter_[number] == no_node) return;
        sets_.assign(parameter_[number], to);
        if (second_) joined_[parameter_[number]] = false;
    }

    /// A carry's set is that of its value so far. A known number of rounds is followed round by round: so a stencil
    /// reaches as far as it has rounds. Otherwise sets grow until they stay.
    constexpr void go_round(node_index loop) {
        const list<node_index> carries = bindings(g_.nodes, loop);
        list<node_index> histories;
        for (node_index k = loop + 1; k < g_.size; ++k) {
            if (!g_[k].is(opcode::history) || g_[k].operand[0] != loop) continue;
            histories.push_back(k);
            sets_.clear(k);
            if (second_) joined_[k] = false;
        }
        for (const node_index c : carries) sets_.assign(c, set(g_[c].operand[1]));
        const node& count = g_[g_[loop].operand[0]];
        const bool known = g_[loop].is(opcode::loop) && count.is(opcode::constant);
        const double rounds = known ? constant_value(count).high : 0;
        for (double round = 0; !known || round < rounds; ++round) {
            for (const node_index c : carries) bind(c, set(c));
            visit_body(loop);
            for (const node_index h : histories) sets_.unite(h, set(g_[h].operand[1]));
            bool changed = false;
            for (const node_index c : carries) {
                const std::uint64_t* const next = set(g_[c].operand[2]);
                if (sets_.equals(c, next)) continue;
                if (known && round < single_rounds) {
                    sets_.assign(c, next);
                    changed = true;
                } else {
                    changed = grow(c, next) || changed;
                }
            }
            if (!changed) break;
        }
    }
    constexpr bool grow(node_index i, const std::uint64_t* by) {
        bool changed = false;
        for (std::size_t w = 0; w < sets_.words(); ++w) {
            changed = changed || (by[w] & ~set(i)[w]) != 0;
            sets_.row(i)[w] |= by[w];
        }
        return changed;
    }

    /// A branch gives what either arm gives. A rule says what it likes: all that it can see matters, in every way.
    constexpr void pass_through(node_index i) {
        const bool rule = g_[i].is(opcode::custom);
        sets_.clear(i);
        for (const node_index bind_link : bindings(g_.nodes, i)) {
            bind(bind_link, set(g_[bind_link].operand[1]));
            if (rule) sets_.unite(i, set(g_[bind_link].operand[1]));
        }
        visit_body(i);
        for (const int chain : {0, 2}) {
            if (chain == 0 && g_[i].is(opcode::branch)) continue; // its condition
            for (const node_index x : links(g_.nodes, g_[i].operand[chain])) {
                sets_.assign(x, set(g_[x].operand[1]));
                if (g_[x].is(opcode::choice)) sets_.unite(x, set(g_[x].operand[2]));
                if (rule) sets_.unite(i, set(x));
            }
        }
        if (second_ && rule && wanted_[i]) {
            joined_[i] = false;
            join_all(i);
        }
    }
    constexpr void take_result(node_index i) {
        const node_index region = g_[i].operand[0];
        sets_.clear(i);
        if (second_) joined_[i] = false;
        switch (g_[region].op) {
        case opcode::custom: sets_.assign(i, set(region)); break;
        case opcode::loop:
        case opcode::repeat:
        case opcode::sweep:
            if (g_[i].bits != rounds_result) sets_.assign(i, set(bindings(g_.nodes, region)[g_[i].bits]));
            break;
        case opcode::invertible: sets_.assign(i, set(links(g_.nodes, g_[region].operand[0])[g_[i].bits])); break;
        case opcode::branch:
        case opcode::checkpoint: sets_.assign(i, set(links(g_.nodes, g_[region].operand[2])[g_[i].bits])); break;
        default: break; // results of operations that are not differentiated
        }
    }

    graph_view g_;
    bit_matrix sets_;
    bool second_;
    bit_matrix pairs_;
    list<bool> joined_; ///< whether all pairs of what a node depends on are there
    list<bool> wanted_;
    list<node_index> parameter_; ///< by number
    list<bool> inside_; ///< whether a node is computed in a body
    list<node_index> bodies_;
    list<std::size_t> body_begin_, body_end_; ///< by region, in bodies_
};

/// Which outputs depend, differentiably, on which of the inputs `by`: J may be other than zero there, and nowhere else.
/// Example: of (x y, floor(y), z) by (x, y, z) the rows are 110, 000, 001.
constexpr bit_matrix jacobian_pattern(graph_view g, const list<std::uint32_t>& by) {
    const graph ordered = loops_last(g);
    const dependence d(ordered, by);
    bit_matrix result(g.output_count, by.size());
    for (std::size_t k = 0; k < g.output_count; ++k) result.assign(k, d.set(ordered.outputs[k]));
    return result;
}

/// Where ∂²output 0/∂by i ∂by j may be other than zero; symmetric. Of x y + z² the ones are (x, y), (y, x) and (z, z).
constexpr bit_matrix hessian_pattern(graph_view g, const list<std::uint32_t>& by) {
    const graph ordered = loops_last(g);
    return dependence(ordered, by, true).pairs();
}

} // namespace dyad
