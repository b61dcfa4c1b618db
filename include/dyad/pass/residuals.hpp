// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a loop keeps of each round for its backward pass, and what is cheaper to compute again. Either all the values that
// the adjoints use, or what those are made of: the loop's own values and the results of library calls; whichever is
// fewer numbers. Nothing that `again` asks to compute anew is kept.
#pragma once

#include <dyad/graph/free_parameters.hpp>
#include <dyad/pass/role.hpp>

namespace dyad {

class residual_choice {
public:
    /// `free` over the wanted nodes, which the adjoints are computed from; `own`: the parameters that the loop binds; `inner`:
    /// those and the ones bound within.
    constexpr residual_choice(const builder& b, const free_parameters& free, node_index index, const list<std::uint64_t>& own,
                              const list<std::uint64_t>& inner, const list<bool>& wanted, node_index loop)
        : b_(b), free_(free), index_(index), own_(own), inner_(inner), wanted_(wanted), others_(own.size()), seen_(b.size()), fresh_(b.size()), late_(b.size()) {
        for (std::size_t w = 0; w < own.size(); ++w) others_[w] = inner[w] & ~own[w];
        for (node_index i = 0; i < wanted.count; ++i) {
            if (!wanted.at[i]) continue;
            const node& n = b.nodes.at[i];
            fresh_.at[i] = n.is(opcode::again);
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0;) fresh_.at[i] = fresh_.at[i] || fresh_.at[n.operand[k]];
            late_.at[i] = i > loop && !free.meets(i, inner) && !b.is_constant(i);
            for (int k = arities.of[static_cast<std::size_t>(n.op)]; k-- > 0 && free.meets(i, inner);) late_.at[i] = late_.at[i] || late_.at[n.operand[k]];
        }
    }

    /// The nodes to keep, for roots of which `later` marks what the backward pass computes.
    constexpr list<node_index> of(const list<node_index>& roots, const list<bool>& later) {
        list<node_index> used;
        list<bool> known(b_.size());
        const auto use = [&](node_index x) {
            if (later[x] || known[x] || is_there_anyway(x)) return;
            known[x] = true;
            used.push_back(x);
        };
        for (node_index i = 0; i < wanted_.count; ++i) {
            if (!wanted_.at[i] || !later.at[i]) continue;
            for (int k = 0; k < b_[i].arity(); ++k) use(b_[i].operand[k]);
        }
        for (const node_index r : roots) use(r);
        bool all = true;
        for (const node_index x : used) {
            all = all && can_keep(x);
            visit(x);
        }
        return all && used.size() <= sources_.size() ? used : sources_;
    }

private:
    /// The index, what stands outside, and elements of what does.
    [[nodiscard]] constexpr bool is_there_anyway(node_index x) const {
        return x == index_ || (b_[x].is(opcode::at) && b_[x].operand[1] == index_) || !free_.meets(x, inner_);
    }
    /// One number a round, that the loop itself computes.
    [[nodiscard]] constexpr bool can_keep(node_index x) const {
        if (b_[x].is(opcode::parameter)) return free_.meets(x, own_);
        if (fresh_[x] || late_[x] || is_region_operation(b_[x].op) || b_[x].is(element::boolean)) return false;
        return !free_.meets(x, others_);
    }
    static constexpr bool is_costly(opcode op) {
        // (What is compared with an extremum to find out whose it is is computed again: then so is the extremum, of the very numbers.)
        if (is(op, opcode::reduce_max) || is(op, opcode::reduce_min)) return false;
        const role r = role_of(op);
        return is(r, role::reduction) || is(r, role::call) || (is(r, role::elementwise) && !is_array_operation(op) && !is_inline(op));
    }
    constexpr void visit(node_index x) {
        if (seen_[x] || is_there_anyway(x)) return;
        seen_[x] = true;
        const bool source = b_[x].is(opcode::parameter) || b_[x].is(opcode::result) || is_costly(b_[x].op);
        if (source && can_keep(x)) {
            sources_.push_back(x);
            return;
        }
        for (int k = 0; k < b_[x].arity(); ++k) visit(b_[x].operand[k]);
    }

    const builder& b_;
    const free_parameters& free_;
    node_index index_;
    const list<std::uint64_t>& own_;
    const list<std::uint64_t>& inner_;
    const list<bool>& wanted_;
    list<std::uint64_t> others_;
    list<bool> seen_, fresh_, late_;
    list<node_index> sources_;
};

} // namespace dyad
