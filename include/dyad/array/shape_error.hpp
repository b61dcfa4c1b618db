// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// When sizes do not fit: goes through the graph again, with the sizes as they are, to the first operation that
// cannot be, and names it with its operands' shapes.
#pragma once

#include <algorithm>
#include <string>

#include <dyad/array/misfit.hpp>
#include <dyad/array/reshape_sizes.hpp>
#include <dyad/array/routines.hpp>
#include <dyad/array/rows_error.hpp>
#include <dyad/array/stretch_error.hpp>
#include <dyad/pass/schedule.hpp>

namespace dyad {

class shape_walk {
public:
    /// `known`: by node, the shapes of what only the body of a loop or branch shapes; without it such values stretch to whatever
    /// they meet. `function`: the one that the whole graph is, to be named whatever does not fit in it.
    shape_walk(graph_view g, const list<run_time_shape>& inputs, const list<run_time_shape>& known = {}, const char* function = nullptr)
        : g_(g), inputs_(inputs), known_(known), function_(function), shape_(g.size), unknown_(g.size) {}

    /// Throws if an operation cannot be. `computed`: the nodes that are asked for, else all of them.
    void check(const list<bool>& computed = {}) {
        for (node_index i = 0; i < g_.size; ++i) {
            const node& n = g_[i];
            const bool skipped = computed.size() != 0 && !computed[i];
            bool open = skipped;
            for (int k = 0; k < n.arity(); ++k) open = open || (unknown_[n.operand[k]] && g_[n.operand[k]].rank > 0);
            if (skipped || (open && is_array_operation(n.op) && !is_region_operation(n.op))) {
                leave_open(i);
            } else {
                visit(i);
            }
            unknown_.at[i] = unknown_[i] || open;
        }
    }
    /// That of node i, once checked.
    [[nodiscard]] const run_time_shape& shape(node_index i) const { return shape_.at[i]; }
    [[noreturn]] void refuse_all() {
        check();
        refuse_stretch("array");
    }
    /// The plan's sizes where some axis of size 1 stretches: `size_of[node][axis]` is the number of a size.
    void settle(std::size_t* size, const dimension (*size_of)[max_rank]) const {
        const stretched full{*this, size, [&](node_index i, unsigned k) { return size_of[i][k]; }};
        for (node_index i = 0; i < g_.size; ++i) full.memory_must_fit(i);
    }
    /// Of the function that is computed or differentiated: refuses what would be another number if all arrays had their
    /// full sizes from the start, as a plan and a derivative take for granted; returns the inputs' full sizes. (The sizes must
    /// have passed check().)
    list<run_time_shape> check_stretches() const {
        const dimensions all(g_);
        list<std::size_t> size(all.rules.size(), 1);
        const stretched full{*this, size.begin(), [&](node_index i, unsigned k) { return all.at(i, k); }};
        for (node_index i = 0; i < g_.size; ++i) {
            full.memory_must_fit(i);
            if (role_of(g_[i].op) == role::reduction || g_[i].is(opcode::extent)) full.must_fit(g_[i].operand[0], i, axes_of(g_[i].bits));
        }
        for (std::size_t k = 0; k < g_.output_count; ++k) full.must_fit(g_.outputs[k], no_node);
        list<run_time_shape> result = inputs_;
        for (node_index i = 0; i < g_.size; ++i) {
            for (unsigned k = 0; k < g_[i].rank && g_[i].is(opcode::input); ++k) {
                if (all.at(i, k) != 0) result[g_[i].bits].size[k] = size[all.at(i, k)];
            }
        }
        return result;
    }

private:
    [[noreturn]] void refuse(node_index i) const {
        if (g_[i].is(opcode::choice)) refuse_arms(shape_.at[g_[i].operand[1]], shape_.at[g_[i].operand[2]]);
        throw shape_error(misfit(g_, shape_, function_).text(i));
    }
    /// Along the axes that a product of vectors or matrices is summed over, nothing stretches.
    void check_summed(node_index product, unsigned axes) const {
        const node_index x = g_[product].operand[0], y = g_[product].operand[1];
        for (unsigned k = 0; k < g_[product].rank && g_[product].is(opcode::mul); ++k) {
            const bool both = k < shape_.at[x].rank && k < shape_.at[y].rank && !unknown_[x] && !unknown_[y];
            if ((axes >> k & 1) != 0 && both && shape_.at[x].size[k] != shape_.at[y].size[k]) refuse(product);
        }
    }
    /// Nothing is known of it, so that nothing can be wrong.
    void leave_open(node_index i) {
        shape_.at[i].rank = g_[i].rank;
        std::fill_n(shape_.at[i].size, max_rank, std::size_t{1});
    }
    void visit(node_index i) {
        const node& n = g_[i];
        run_time_shape& r = shape_.at[i];
        if (n.is(opcode::input)) {
            r = inputs_.at[n.bits];
            return;
        }
        const auto operand = [&](int k) -> const run_time_shape& { return shape_.at[n.operand[k]]; };
        const unsigned axis = axis_of(n.bits), axes = axes_of(n.bits);
        r.rank = n.rank;
        switch (n.op) {
        case opcode::parameter: return stay(i, dimensions::bound_to(g_, i));
        case opcode::at: return stay(i, n.operand[0]);
        case opcode::carry:
            r = operand(1);
            if (!unknown_[n.operand[2]]) check_next_shape(r, operand(2));
            return;
        case opcode::result:
            stay(i, dimensions::is_of_branch(g_, i) ? no_node : n.rank == 0 ? i : dimensions::like_result(g_, n.operand[0], n.bits));
            return;
        case opcode::history:
        case opcode::trail: return stay(i, n.is(opcode::history) ? n.operand[1] : no_node);
        case opcode::call: return check_rounds(i);
        case opcode::matmul:
        case opcode::solve:
            if (operand(0).size[0] != operand(1).size[1]) refuse(i);
            if (n.is(opcode::solve) && operand(0).size[0] != operand(0).size[1]) refuse(i);
            stretch(i, 2);
            r.size[0] = operand(1).size[0];
            r.size[1] = operand(0).size[1];
            return;
        case opcode::transpose:
            for (unsigned k = 0; k < r.rank; ++k) r.size[k] = operand(0).size[permuted_axis(n.bits, k)];
            return;
        case opcode::expand:
            for (unsigned k = 0, from = 0; k < r.rank; ++k) r.size[k] = (axes >> k & 1) != 0 ? 1 : operand(0).size[from++];
            return;
        case opcode::reduce_sum:
        case opcode::reduce_prod:
        case opcode::reduce_max:
        case opcode::reduce_min:
        case opcode::arg_max:
        case opcode::arg_min:
        case opcode::squeeze:
            if (n.is(opcode::reduce_sum) && asked_of(n) != asked_as::itself) check_summed(n.operand[0], axes);
            for (unsigned k = 0, to = 0; k < operand(0).rank; ++k) {
                if ((axes >> k & 1) == 0) r.size[to++] = operand(0).size[k];
                if ((axes >> k & 1) != 0 && n.is(opcode::squeeze) && operand(0).size[k] != 1) refuse(i);
            }
            return;
        case opcode::slice: {
            r = operand(0);
            r.size[axis] = routine::resolve(decode_slice(n.bits), r.size[axis]).count;
            if (r.size[axis] == 0 && (n.ones >> axis & 1) != 0) {
                const slice_range s = decode_slice(n.bits);
                throw index_error("[dyad] slice: index " + std::to_string(s.start) + " is not in [0, " + std::to_string(operand(0).size[axis]) + ")");
            }
            return;
        }
        case opcode::diagonal:
        case opcode::svd_s:
        case opcode::eigh_values:
            if (n.is(opcode::eigh_values) && operand(0).size[0] != operand(0).size[1]) refuse(i);
            for (unsigned k = 1; k < r.rank; ++k) r.size[k] = operand(0).size[k + 1];
            r.size[0] = std::min(operand(0).size[0], operand(0).size[1]);
            return;
        case opcode::svd_u:
        case opcode::svd_v:
        case opcode::qr_q:
        case opcode::qr_r: {
            r = operand(0);
            const bool left = n.is(opcode::svd_u) || n.is(opcode::qr_q);
            r.size[left ? 0 : 1] = std::min(r.size[0], r.size[1]);
            return;
        }
        case opcode::logabsdet:
        case opcode::det:
            if (operand(0).size[0] != operand(0).size[1]) refuse(i);
            for (unsigned k = 0; k < r.rank; ++k) r.size[k] = operand(0).size[k + 2];
            return;
        case opcode::inverse:
        case opcode::cofactors:
        case opcode::cholesky:
        case opcode::eigh_vectors:
            if (operand(0).size[0] != operand(0).size[1]) refuse(i);
            r = operand(0);
            return;
        case opcode::undiagonal:
        case opcode::reshape_like:
            r = operand(1);
            r.rank = n.rank;
            for (unsigned k = operand(1).rank; k < n.rank; ++k) {
                const unsigned from = k - operand(1).rank + (n.is(opcode::undiagonal) ? 1 : reshape_ranks_of(n.bits).from);
                r.size[k] = operand(0).size[from];
            }
            return;
        case opcode::eye_like:
        case opcode::outer_like: {
            const run_time_shape& inner = operand(n.is(opcode::eye_like) ? 0 : 1);
            for (unsigned k = 0; k < r.rank; ++k) r.size[k] = k < inner.rank ? inner.size[k] : operand(0).size[k - inner.rank];
            return;
        }
        case opcode::unfold:
            for (unsigned k = 0; k < r.rank; ++k) {
                const window_steps s = decode_steps(n.bits);
                if (k < 2) r.size[k] = operand(1).size[k];
                if (k < 2 && operand(0).size[k] < r.size[k]) refuse(i);
                if (k >= 4) r.size[k] = operand(0).size[k - 2];
                if (k == 2 || k == 3) r.size[k] = routine::windows(operand(0).size[k - 2], operand(1).size[k - 2], k == 2 ? s.last : s.before);
            }
            return;
        case opcode::pool:
            for (unsigned k = 0; k < r.rank; ++k) {
                const pool_window w = decode_pool(n.bits);
                if (k < 2 && operand(0).size[k] < w.size) refuse(i);
                r.size[k] = k < 2 ? routine::windows(operand(0).size[k], w.size, w.step) : operand(0).size[k];
            }
            return;
        case opcode::pool_tangent:
        case opcode::pool_cotangent:
            r = operand(0);
            for (unsigned k = 0; k < 2; ++k) r.size[k] = operand(n.is(opcode::pool_tangent) ? 2 : 1).size[k];
            return;
        case opcode::conv2d: {
            const convolution_steps s = decode_convolution(n.bits);
            if (operand(0).size[2] != operand(1).size[2]) refuse(i);
            stretch(i, 4);
            for (unsigned k = 0; k < 2; ++k) {
                const std::size_t padded = operand(0).size[k] + 2 * s.padding;
                if (padded < operand(1).size[k]) refuse(i);
                r.size[k] = routine::windows(padded, operand(1).size[k], s.step);
            }
            r.size[2] = operand(1).size[3];
            r.size[3] = operand(0).size[3];
            return;
        }
        case opcode::conv2d_images:
        case opcode::conv2d_kernels:
            stretch(i, 4);
            for (unsigned k = 0; k < 4; ++k) r.size[k] = operand(2).size[k];
            return;
        case opcode::fold:
            for (unsigned k = 0; k < r.rank; ++k) r.size[k] = k < operand(1).rank ? operand(1).size[k] : operand(0).size[k + 2];
            return;
        case opcode::pad:
            r = operand(0);
            r.size[axis] += static_cast<std::size_t>(decode_slice(n.bits).start + decode_slice(n.bits).stop);
            return;
        case opcode::scatter_add: {
            const unsigned more = operand(1).rank;
            for (unsigned k = 0; k < more; ++k) {
                const bool stretches = operand(1).size[k] == 1 && stretches_as_given(n.operand[1]) && (n.bits & gradient_of_take) != 0;
                if (axis + k < operand(2).rank && operand(2).size[axis + k] != operand(1).size[k] && !stretches) refuse(i);
            }
            for (unsigned k = 0; k < r.rank; ++k) {
                const unsigned from = k < axis ? k : k + more - 1;
                r.size[k] = k < operand(0).rank ? operand(0).size[k] : 1;
                if (k == axis || from >= operand(2).rank || operand(2).size[from] == r.size[k] || operand(2).size[from] == 1) continue;
                if (r.size[k] != 1) refuse(i);
                r.size[k] = operand(2).size[from];
            }
            return;
        }
        case opcode::concat:
            for (unsigned k = 0; k < operand(0).rank && k < operand(1).rank; ++k) { // what stretches says so when it is compiled
                const bool stretches = ((g_[n.operand[0]].ones | g_[n.operand[1]].ones) >> k & 1) != 0;
                if (k != axis && !stretches && operand(0).size[k] != operand(1).size[k]) refuse(i);
            }
            stretch_but(i, axis);
            r.size[axis] = operand(0).size[axis] + operand(1).size[axis];
            return;
        case opcode::window:
        case opcode::unslice:
        case opcode::unwindow:
            stretch_but(i, axis);
            r.size[axis] = operand(1).size[axis];
            return;
        case opcode::reshape: r = reshaped(operand(0), n.bits); return;
        case opcode::fill_like: r = filled_like(operand(1), operand(2), n.bits); return;
        case opcode::fill:
            for (unsigned k = 0; k < r.rank; ++k) r.size[k] = reshape_size(n.bits, k);
            return;
        case opcode::take: {
            const unsigned more = operand(1).rank;
            for (unsigned k = 0; k < r.rank; ++k) {
                const bool taken = k >= axis && k < axis + more;
                r.size[k] = taken ? operand(1).size[k - axis] : operand(0).size[k < axis ? k : k - more + 1];
            }
            return;
        }
        case opcode::broadcast_like:
            if (n.bits == equal_rows) check_rows(g_, i, shape_);
            [[fallthrough]];
        default: stretch(i, 0);
        }
    }
    /// Whether the node is read with strides of 0 along axes of size 1: an argument.
    [[nodiscard]] bool stretches_as_given(node_index i) const { return g_[i].is(opcode::input); }
    /// The arrays that a loop goes through along their first axes have as many elements there as the first of them.
    void check_rounds(node_index call) const {
        const list<node_index> operands = links(g_.nodes, g_[call].operand[0]);
        node_index first = no_node;
        std::size_t rounds = 0; // as far as it is a constant: then its arrays were cut to as many elements, or have fewer
        if (!is_repeat_call(g_[call])) {
            const node& count = g_[g_[operands[0]].operand[1]];
            if (count.is(opcode::constant)) rounds = static_cast<std::size_t>(constant_value(count).high);
            const bool of_array = count.is(opcode::extent) && axes_of(count.bits) == 1U << (g_[count.operand[0]].rank - 1U);
            if (of_array && !unknown_[count.operand[0]]) first = count.operand[0];
        }
        for (const node_index e : operands) {
            const node_index x = g_[e].operand[1];
            if (g_[e].bits == 0 || g_[x].is(opcode::trail) || unknown_[x]) continue;
            if (length(x) < rounds) refuse_end(x);
            if (first == no_node) first = x;
            if (length(x) != length(first)) refuse_rows(length(first), length(x), shape_.at[first], shape_.at[x]);
        }
    }
    /// Names the first element behind the end of x; of x[2:], as an element of x.
    void refuse_end(node_index x) const {
        const int start = g_[x].is(opcode::slice) ? decode_slice(g_[x].bits).start : 0;
        const std::size_t end = length(x) + static_cast<std::size_t>(start > 0 ? start : 0);
        static_cast<void>(routine::checked_index(end, end, "take"));
    }
    [[nodiscard]] std::size_t length(node_index x) const { return shape_.at[x].size[g_[x].rank - 1]; }
    /// The shape of node i is that of x as far as both have axes; of no node, what is known.
    void stay(node_index i, node_index x) {
        for (unsigned k = 0; k < g_[i].rank; ++k) {
            if (x != no_node && k < shape_.at[x].rank) {
                shape_.at[i].size[k] = shape_.at[x].size[k];
                unknown_.at[i] = unknown_[x];
            } else {
                unknown_.at[i] = i >= known_.size() || k >= known_[i].rank;
                shape_.at[i].size[k] = unknown_[i] ? 1 : known_[i].size[k];
            }
        }
    }
    void stretch(node_index i, unsigned from) {
        for (unsigned k = from; k < g_[i].rank; ++k) stretch_axis(i, k);
    }
    void stretch_but(node_index i, unsigned axis) {
        for (unsigned k = 0; k < g_[i].rank; ++k) {
            if (k != axis) stretch_axis(i, k);
        }
    }
    /// (The third operand of a convolution's cotangents gives but their last axes.)
    static int operands_that_stretch(const node& n) { return is_convolution(n.op) ? 2 : n.arity(); }
    void stretch_axis(node_index i, unsigned k) {
        const node& n = g_[i];
        std::size_t size = 1;
        for (int j = is_link(n.op) ? 1 : 0; j < operands_that_stretch(n); ++j) { // (the first operand of a link is the chain before it)
            const run_time_shape& x = shape_.at[n.operand[j]];
            if (k >= x.rank || x.size[k] == 1) continue;
            if (size != 1 && size != x.size[k]) refuse(i);
            size = x.size[k];
        }
        shape_.at[i].size[k] = size;
    }

    /// Sizes by number, `number(node, axis)`: each is that of the longest axis that has this number.
    template <class Number>
    struct stretched {
        const shape_walk& walk;
        std::size_t* size;
        Number number;

        stretched(const shape_walk& w, std::size_t* sizes, Number n) : walk(w), size(sizes), number(n) {
            for (node_index i = 0; i < walk.g_.size; ++i) {
                for (unsigned k = 0; k < walk.g_[i].rank; ++k) {
                    const dimension d = number(i, k);
                    if (d != 0 && (size[d] == 1 || walk.shape(i).size[k] != 1)) size[d] = walk.shape(i).size[k];
                }
            }
        }
        /// Node x has these sizes, at least along `axes`, for node `user` (or as a result).
        void must_fit(node_index x, node_index user, unsigned axes = ~0U) const {
            if (walk.unknown_[x]) return;
            const run_time_shape& now = walk.shape(x);
            run_time_shape full = now;
            for (unsigned k = 0; k < now.rank; ++k) {
                if (const dimension d = number(x, k); (axes >> k & 1) != 0 && d != 0) full.size[k] = size[d];
            }
            if (!(full == now)) refuse_stretch(user == no_node ? "result" : function_name(walk.g_[user]), now, full);
        }
        /// Views and library calls take memory as it lies; but elements that are taken at positions come as often as those stretch.
        void memory_must_fit(node_index i) const {
            const node& n = walk.g_[i];
            const role r = role_of(n.op);
            if ((r != role::view && r != role::call) || n.is(opcode::expand) || n.is(opcode::transpose)) return; // (whose axes are its operand's)
            const bool taken = n.is(opcode::take) && walk.stretches_as_given(n.operand[1]);
            const unsigned by_positions = taken ? low_bits(walk.g_[n.operand[1]].rank) << axis_of(n.bits) : 0;
            must_fit(i, i, ~by_positions);
            for (int j = 0; j < operands_read(n); ++j) {
                const bool positions = j == 1 && (n.is(opcode::take) || n.is(opcode::scatter_add)) && walk.stretches_as_given(n.operand[1]);
                if (!positions) must_fit(n.operand[j], i);
            }
        }
    };

    graph_view g_;
    const list<run_time_shape>& inputs_;
    list<run_time_shape> known_;
    const char* function_;
    list<run_time_shape> shape_;
    list<bool> unknown_; ///< by node: of what only a body shapes, and that is not known
};

} // namespace dyad
