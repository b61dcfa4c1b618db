// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A graph as the formula a person would write. Shared subexpressions are written out as long as that stays
// short; a formula that would explode names them: "t0 = x^2 + x; t1 = t0^2 + t0; t1".
#pragma once

#include <dyad/graph/attribute.hpp>
#include <dyad/graph/print.hpp>
#include <dyad/graph/shape.hpp>

namespace dyad {

/// How an operation is written. In the pattern, X and Y are its operands, each with how tightly it must bind there, and # is its
/// attribute; `binds` is how tightly the whole does, from 0 for what needs parentheses everywhere to 6 for what never does.
struct notation {
    opcode op;
    int binds;
    std::string_view pattern;
};
inline constexpr notation notations[] = {
    {opcode::logical_or, 0, "X1 || Y1"},
    {opcode::logical_and, 0, "X1 && Y1"},
    {opcode::less, 1, "X2 < Y2"},
    {opcode::less_equal, 1, "X2 <= Y2"},
    {opcode::equal, 1, "X2 == Y2"},
    {opcode::add, 2, "X2 + Y2"},
    {opcode::sub, 2, "X2 - Y3"},
    {opcode::mul, 3, "X3*Y3"},
    {opcode::div, 3, "X3/Y4"},
    {opcode::neg, 4, "-X3"},
    {opcode::pow, 5, "X6^Y6"},
    {opcode::ipow, 5, "X6^#"},
    {opcode::logical_not, 6, "!X6"},
    {opcode::result, 6, "X6[#]"},
    // the helpers of derivative rules, as the formulas that they stand for
    {opcode::direction, 3, "X3/Y4"},
    {opcode::inverse_real, 3, "X3/(X6^2 + Y6^2)"},
    {opcode::pow_dx, 3, "Y5*X6^(Y2 - 1)"},
    {opcode::pow_log, 3, "X6^Y6*log(X0)"},
    {opcode::unit_circle, 6, "sqrt(1 - X6^2)"},
    {opcode::unit_hyperbola, 6, "sqrt(X6^2 - 1)"},
    {opcode::gaussian, 6, "exp(-X6^2)"},
};

/// Array operations whose attribute is a set of axes, or an order, by the users' names for them.
struct axes_notation {
    opcode op;
    std::string_view name;
};
inline constexpr axes_notation axes_notations[] = {
    {opcode::reduce_sum, "sum"}, {opcode::reduce_prod, "prod"}, {opcode::reduce_max, "amax"}, {opcode::reduce_min, "amin"}, {opcode::arg_max, "argmax"},
    {opcode::arg_min, "argmin"}, {opcode::extent, "size"}, {opcode::squeeze, "squeeze"}, {opcode::expand, "expand_dims"}, {opcode::flip, "flip"},
    {opcode::transpose, "transpose"},
};

class formula_writer {
public:
    /// `names[k]` is what input k is called; x0, x1, ... beyond that.
    constexpr formula_writer(graph_view g, const list<std::string_view>& names) : g_(g), names_(names), named_(g.size) {
        list<node_index> length(g.size, 1), uses(g.size);
        std::size_t longest = 0;
        for (node_index i = 0; i < g.size; ++i) {
            length[i] = 4;
            for (int k = 0; k < g[i].arity(); ++k) {
                ++uses[g[i].operand[k]];
                length[i] += length[g[i].operand[k]];
            }
            if (length[i] > limit) length[i] = limit + 1;
            longest = length[i] > longest ? length[i] : longest;
        }
        for (node_index i = 0; i < g.size && longest > limit; ++i) {
            if (uses[i] < 2 || g[i].arity() == 0) continue;
            prelude_ += "t";
            prelude_.append(names_given_) += " = ";
            write(prelude_, i, 2);
            prelude_ += "; ";
            named_[i] = ++names_given_;
        }
    }

    constexpr text write() const {
        text t = prelude_;
        if (g_.output_count != 1) t += "(";
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            if (k > 0) t += ", ";
            write(t, g_.outputs[k], 0);
        }
        if (g_.output_count != 1) t += ")";
        return t;
    }

private:
    static constexpr node_index limit = 2000; ///< characters, about, up to which nothing is named

    /// A node where what stands must bind `tightly`, in parentheses if it does not.
    constexpr void write(text& t, node_index i, int tightly) const {
        const node& n = g_[i];
        if (named_[i] != 0) {
            (t += "t").append(named_[i] - 1);
        } else if (n.is(opcode::constant)) {
            const bool loose = constant_value(n).high < 0 && tightly > 4; // a sign
            if (loose) t += "(";
            t += node_name(g_, i);
            if (loose) t += ")";
        } else if (n.is(opcode::input) && n.bits < names_.size()) {
            t += names_[n.bits];
        } else if (n.is(opcode::input)) {
            t += node_name(g_, i);
        } else {
            for (const notation& form : notations) {
                if (form.op != n.op) continue;
                if (form.binds < tightly) t += "(";
                write(t, n, form.pattern);
                if (form.binds < tightly) t += ")";
                return;
            }
            for (const axes_notation& form : axes_notations) {
                if (form.op != n.op) continue;
                write_along_axes(t += form.name, n);
                return;
            }
            write_call(t, n);
        }
    }
    /// The operand, and the axes from the first, unless they are all.
    constexpr void write_along_axes(text& t, const node& n) const {
        const unsigned rank = n.is(opcode::expand) ? n.rank : g_[n.operand[0]].rank;
        write(t += "(", n.operand[0], 0);
        for (unsigned axis = 0; axis < rank && (n.bits != low_bits(rank) || n.is(opcode::expand)); ++axis) {
            const unsigned k = rank - 1 - axis; // (attributes count from the last)
            if (n.is(opcode::transpose)) (t += ", ").append(rank - 1 - permuted_axis(n.bits, k));
            if (!n.is(opcode::transpose) && (n.bits >> k & 1) != 0) (t += ", ").append(axis);
        }
        t += ")";
    }
    constexpr void write(text& t, const node& n, std::string_view pattern) const {
        // (Constants stand last in a sum.)
        const bool swapped = n.is(opcode::add) && g_[n.operand[0]].is(opcode::constant);
        for (std::size_t k = 0; k < pattern.size(); ++k) {
            const char c = pattern[k];
            if (c == 'X' || c == 'Y') {
                write(t, n.operand[(c == 'Y') != swapped ? 1 : 0], pattern[++k] - '0');
            } else if (c == '#') {
                t.append(n.attribute());
            } else {
                t += pattern.substr(k, 1);
            }
        }
        if (n.is(opcode::pow_log) && n.attribute() > 1) (t += "^").append(n.attribute());
    }
    constexpr void write_call(text& t, const node& n) const {
        (t += facts(n.op).name) += "(";
        if (facts(n.op).attributed && !((n.is(opcode::sinc) || n.is(opcode::matmul)) && n.bits == 0)) t.append(n.attribute()) += ", ";
        for (int k = 0; k < n.arity(); ++k) {
            if (k > 0) t += ", ";
            write(t, n.operand[k], 0);
        }
        t += ")";
    }

    graph_view g_;
    list<std::string_view> names_;
    list<node_index> named_; ///< by node: 1 more than the number of its name, or 0
    node_index names_given_ = 0;
    text prelude_;
};

/// The formula of a graph's outputs: `2*x0*x1`; several outputs in parentheses.
constexpr text formula(graph_view g, const list<std::string_view>& names) {
    return formula_writer(g, names).write();
}
constexpr text formula(graph_view g) {
    const list<std::string_view> names;
    return formula(g, names);
}

} // namespace dyad
