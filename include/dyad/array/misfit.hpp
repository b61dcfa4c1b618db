// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What is said of an operation whose operands do not fit: the user's function that it is a part of, and their shapes.
#pragma once

#include <string>

#include <dyad/array/function_name.hpp>
#include <dyad/array/run_time_shape.hpp>
#include <dyad/graph/graph.hpp>

namespace dyad {

class misfit {
public:
    /// Shapes by node. `function`: the one that the whole graph is, if it is one.
    misfit(graph_view g, const list<run_time_shape>& shapes, const char* function) : g_(g), shape_(shapes), function_(function) {}

    [[nodiscard]] std::string text(node_index i) const {
        const node& n = g_[i];
        const auto operand = [&](int k) -> const run_time_shape& { return shape_[n.operand[k]]; };
        if (n.is(opcode::solve) && of_qr(n.operand[0]) && operand(0).size[0] != operand(0).size[1])
            return "[dyad] qr: a matrix with more columns than rows has no gradient; its r is " + text_of(operand(0));
        const node_index sum = sum_of(i);
        std::string t = "[dyad] " + std::string(function_ != nullptr ? function_ : function_name(g_[sum])) + ": ";
        switch (n.op) {
        case opcode::pool: return t + windows_of(decode_pool(n.bits).size, operand(0));
        case opcode::unfold: return t + windows_of(operand(1).size[0], operand(0));
        case opcode::squeeze: return t + first_of_another_size(operand(0), axes_of(n.bits));
        case opcode::conv2d:
            t += "Incompatible shapes: images " + text_of(operand(0)) + " vs. kernels " + text_of(operand(1));
            if (const unsigned padding = decode_convolution(n.bits).padding; padding > 0) t += ", padding " + std::to_string(padding);
            return t;
        case opcode::matmul:
        case opcode::solve: return t + "Matrix size-incompatible: In[0]: " + text_of(as_given(n.operand[0])) + ", In[1]: " + text_of(as_given(n.operand[1]));
        default: break;
        }
        t += "Incompatible shapes: ";
        for (int k = 0; k < n.arity(); ++k) {
            const bool stacked = asked_of(n) == asked_as::stack;
            const run_time_shape& x = sum != i ? as_given(n.operand[k]) : operand(k);
            t += (k > 0 ? " vs. " : "") + text_of(stacked ? without(x, axis_of(n.bits)) : x);
        }
        return t;
    }

private:
    static std::string windows_of(std::size_t size, const run_time_shape& images) {
        return "windows of size " + std::to_string(size) + " do not fit into " + text_of(images);
    }
    static std::string first_of_another_size(const run_time_shape& x, unsigned axes) {
        unsigned k = 0;
        while (k + 1 < x.rank && ((axes >> k & 1) == 0 || x.size[k] == 1)) ++k;
        return "axis " + std::to_string(x.rank - 1 - k) + " of " + text_of(x) + " has size " + std::to_string(x.size[k]) + ", not 1";
    }
    static run_time_shape without(run_time_shape s, unsigned axis) {
        for (unsigned k = axis; k + 1 < s.rank; ++k) s.size[k] = s.size[k + 1];
        --s.rank;
        return s;
    }
    [[nodiscard]] bool of_qr(node_index i) const {
        while (g_[i].is(opcode::transpose)) i = g_[i].operand[0];
        return g_[i].is(opcode::qr_r);
    }
    /// A vector that became a row or column, as it was.
    [[nodiscard]] const run_time_shape& as_given(node_index i) const {
        return shape_[g_[i].is(opcode::expand) ? g_[i].operand[0] : i];
    }
    /// The sum that makes a product of elements one of vectors or matrices; of any other node, the node.
    [[nodiscard]] node_index sum_of(node_index i) const {
        for (node_index j = i + 1; j < g_.size && g_[i].is(opcode::mul); ++j) {
            if (g_[j].is(opcode::reduce_sum) && g_[j].operand[0] == i && asked_of(g_[j]) != asked_as::itself) return j;
        }
        return i;
    }

    graph_view g_;
    const list<run_time_shape>& shape_;
    const char* function_;
};

} // namespace dyad
