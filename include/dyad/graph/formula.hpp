// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A graph as the formula a person would write. Shared subexpressions are written out as long as that stays
// short; a formula that would explode names them: "t0 = x^2 + x; t1 = t0^2 + t0; t1".
#pragma once

#include <dyad/graph/print.hpp>

namespace dyad {

class formula_writer {
public:
    /// `names[k]` is what input k is called; x0, x1, ... beyond that.
    constexpr formula_writer(graph_view g, const list<std::string_view>& names)
        : g_(g), names_(names), named_(g.size, -1) {
        list<std::size_t> length(g.size, 1), uses(g.size, 0);
        std::size_t longest = 0;
        for (std::size_t i = 0; i < g.size; ++i) {
            length[i] = 4;
            for (int k = 0; k < g[i].arity(); ++k) {
                ++uses[g[i].operand[k]];
                length[i] += length[g[i].operand[k]];
            }
            if (length[i] > limit) length[i] = limit + 1;
            longest = length[i] > longest ? length[i] : longest;
        }
        if (longest <= limit) return;
        for (std::size_t i = 0; i < g.size; ++i) {
            if (uses[i] > 1 && g[i].arity() > 0) {
                text definition("t");
                definition.append(names_given_) += " = ";
                definition += written(static_cast<node_index>(i), sum);
                named_[i] = names_given_++;
                prelude_ += definition;
                prelude_ += "; ";
            }
        }
    }

    constexpr text write() const {
        text t = prelude_;
        if (g_.output_count != 1) t += "(";
        for (std::size_t k = 0; k < g_.output_count; ++k) {
            if (k > 0) t += ", ";
            t += written(g_.outputs[k], lowest);
        }
        if (g_.output_count != 1) t += ")";
        return t;
    }

private:
    // How tightly a form binds; an operand that binds less than its place demands gets parentheses.
    enum binding { lowest, comparison, sum, product, sign, power, atom };
    static constexpr std::size_t limit = 2000;

    [[nodiscard]] constexpr binding binding_of(node_index i) const {
        const node& n = g_[i];
        if (named_[i] >= 0) return atom;
        switch (n.op) {
        case opcode::constant: return constant_value(n).high < 0 ? sign : atom;
        case opcode::logical_or:
        case opcode::logical_and: return lowest;
        case opcode::less:
        case opcode::less_equal:
        case opcode::equal: return comparison;
        case opcode::add:
        case opcode::sub: return sum;
        case opcode::mul:
        case opcode::div:
        case opcode::direction:
        case opcode::inverse_real:
        case opcode::pow_dx:
        case opcode::pow_log: return product;
        case opcode::neg: return sign;
        case opcode::ipow:
        case opcode::pow: return power;
        default: return atom;
        }
    }
    constexpr text written(node_index i, binding place) const {
        const bool bare = binding_of(i) >= place;
        text t(bare ? "" : "(");
        t += body(i);
        if (!bare) t += ")";
        return t;
    }
    constexpr text pair(node_index x, std::string_view symbol, node_index y, binding left,
                        binding right) const {
        text t = written(x, left);
        t += symbol;
        return t += written(y, right);
    }
    constexpr text body(node_index i) const {
        const node& n = g_[i];
        const node_index x = n.operand[0], y = n.operand[1];
        text t;
        if (named_[i] >= 0) return (t += "t").append(named_[i]);
        switch (n.op) {
        case opcode::constant: return node_name(g_, i);
        case opcode::input:
            if (n.bits < names_.size()) return text(names_[n.bits]);
            return node_name(g_, i);
        case opcode::add:
            if (g_[x].op == opcode::constant) return pair(y, " + ", x, sum, sum);
            return pair(x, " + ", y, sum, sum);
        case opcode::sub: return pair(x, " - ", y, sum, product);
        case opcode::mul: return pair(x, "*", y, product, product);
        case opcode::div: return pair(x, "/", y, product, sign);
        case opcode::neg: return (t += "-") += written(x, product);
        case opcode::pow: return pair(x, "^", y, atom, atom);
        case opcode::ipow: return ((t += written(x, atom)) += "^").append(n.attribute());
        case opcode::pow_dx: return written_slope(x, y);
        case opcode::direction: return pair(x, "/", y, product, sign);
        case opcode::unit_circle: return ((t += "sqrt(1 - ") += written(x, atom)) += "^2)";
        case opcode::unit_hyperbola: return ((t += "sqrt(") += written(x, atom)) += "^2 - 1)";
        case opcode::inverse_real: return written_inverse(x, y);
        case opcode::pow_log: return written_power_log(n);
        case opcode::gaussian: return ((t += "exp(-") += written(x, atom)) += "^2)";
        case opcode::less: return pair(x, " < ", y, sum, sum);
        case opcode::less_equal: return pair(x, " <= ", y, sum, sum);
        case opcode::equal: return pair(x, " == ", y, sum, sum);
        case opcode::logical_and: return pair(x, " && ", y, comparison, comparison);
        case opcode::logical_or: return pair(x, " || ", y, comparison, comparison);
        case opcode::logical_not: return (t += "!") += written(x, atom);
        case opcode::result:
            return (((t += written(x, atom)) += "[").append(n.attribute()) += "]");
        default: break;
        }
        (t += facts(n.op).name) += "(";
        if (facts(n.op).attributed && !(n.op == opcode::sinc && n.bits == 0))
            t.append(n.attribute()) += ", ";
        for (int k = 0; k < n.arity(); ++k) {
            if (k > 0) t += ", ";
            t += written(n.operand[k], lowest);
        }
        return t += ")";
    }

    // The helpers of derivative rules, as the formulas that they stand for.
    constexpr text written_slope(node_index x, node_index y) const {
        text t = written(y, power);
        t += "*";
        t += written(x, atom);
        t += "^(";
        t += written(y, sum);
        return t += " - 1)";
    }
    constexpr text written_inverse(node_index x, node_index y) const {
        text t = written(x, product);
        t += "/(";
        t += written(x, atom);
        t += "^2 + ";
        t += written(y, atom);
        return t += "^2)";
    }
    constexpr text written_power_log(const node& n) const {
        text t = pair(n.operand[0], "^", n.operand[1], atom, atom);
        t += "*log(";
        t += written(n.operand[0], lowest);
        t += ")";
        if (n.attribute() > 1) (t += "^").append(n.attribute());
        return t;
    }

    graph_view g_;
    list<std::string_view> names_;
    list<int> named_;
    int names_given_ = 0;
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
