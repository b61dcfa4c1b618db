// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Graphs evaluated one operation after the other, apart from dyad's kernels, and how far two evaluations of one number
// may differ. That is measured: every intermediate result is disturbed by about 2^-40, and the spread of the outcome
// says what rounding to doubles may do.
#pragma once

#include "generator.hpp"

#include <dyad/core.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace dyad_test {

using dyad::element, dyad::graph_view, dyad::node, dyad::node_index, dyad::opcode;

template <opcode Op, class T>
T value_of(int attribute, const T* x) {
    using rule = dyad::operation<Op>;
    if constexpr (rule::results > 1) {
        return 0; // its results compute for themselves
    } else if constexpr (Op == opcode::where) {
        return x[0] != 0 ? x[1] : x[2];
    } else if constexpr (Op == opcode::logical_not) {
        return x[0] == 0;
    } else if constexpr (Op == opcode::logical_and) {
        return x[0] != 0 && x[1] != 0;
    } else if constexpr (Op == opcode::logical_or) {
        return x[0] != 0 || x[1] != 0;
    } else if constexpr (rule::attributed && rule::arity == 1) {
        return rule::value(attribute, x[0]);
    } else if constexpr (rule::attributed) {
        return rule::value(attribute, x[0], x[1], x[2]);
    } else if constexpr (rule::arity == 1) {
        return rule::value(x[0]);
    } else if constexpr (rule::arity == 2) {
        return rule::value(x[0], x[1]);
    } else {
        return rule::value(x[0], x[1], x[2]);
    }
}

template <class T>
T value_at(graph_view g, node_index i, const std::vector<T>& value, const std::vector<double>& point) {
    using function = T (*)(int, const T*);
#define VALUE_OF(name) &value_of<opcode::name, T>,
    static constexpr function table[] = {nullptr, nullptr, nullptr, nullptr, DYAD_OPERATIONS(VALUE_OF)};
#undef VALUE_OF
    const node& n = g[i];
    if (n.op == opcode::constant) return dyad::constant_value(n).as<T>();
    if (n.op == opcode::input) return static_cast<T>(point[n.bits]);
    if (n.op == opcode::result) {
        const T argument = value[g[n.operand[0]].operand[0]];
        const bool first = n.bits == 0;
        if (g[n.operand[0]].op == opcode::sincos) return first ? std::sin(argument) : std::cos(argument);
        return first ? std::erf(argument) : std::exp(-argument * argument);
    }
    T x[3] = {};
    for (int k = 0; k < n.arity(); ++k) x[k] = value[n.operand[k]];
    return table[static_cast<std::size_t>(n.op)](n.attribute(), x);
}

/// The outputs of a graph. `disturb` may change each computed number.
template <class T, class Disturb>
std::vector<T> evaluate(graph_view g, const std::vector<double>& point, Disturb disturb) {
    std::vector<T> value(g.size), outputs;
    for (node_index i = 0; i < g.size; ++i) {
        value[i] = value_at(g, i, value, point);
        if (g[i].op > opcode::result && g[i].type != element::boolean) value[i] = disturb(value[i]);
    }
    for (std::size_t k = 0; k < g.output_count; ++k) outputs.push_back(value[g.outputs[k]]);
    return outputs;
}

/// Numbers, and what rounding to doubles on the way may do to them; infinitely much where a disturbance makes a number NaN or
/// infinite, or a number of what was.
struct measured {
    std::vector<long double> value, spread;
};
inline measured measure(graph_view g, const std::vector<double>& point) {
    measured m;
    m.value = evaluate<long double>(g, point, [](long double v) { return v; });
    m.spread.assign(m.value.size(), 0);
    generator random(7);
    for (int run = 0; run < 4; ++run) {
        const auto disturbed = evaluate<long double>(g, point, [&](long double v) {
            return v * (1 + static_cast<long double>(random.between(-1, 1)) * 0x1p-40L);
        });
        for (std::size_t k = 0; k < disturbed.size(); ++k) {
            const long double x = m.value[k], y = disturbed[k];
            if (x == y || (x != x && y != y)) continue;
            const long double by = std::abs(x - y);
            m.spread[k] = by <= m.spread[k] ? m.spread[k] : by != by ? HUGE_VALL : by;
        }
    }
    return m;
}
inline constexpr long double ulps = 16 * 0x1p-52L;
/// How many numbers were compared, and for how many of these rounding leaves less than three digits, so that nearly anything agrees.
struct comparisons {
    std::size_t all = 0, blind = 0;
    bool seldom_blind() const { return blind * 5000 <= all; }
};
inline bool agree(const measured& a, std::size_t i, const measured& b, std::size_t k, comparisons& count) {
    const long double x = a.value[i], y = b.value[k], size = std::abs(x) + std::abs(y), rounding = ulps * (a.spread[i] + b.spread[k]) * 0x1p40L;
    ++count.all;
    if (!(rounding <= 1e-3L * size + 1e-9L) && size == size) ++count.blind;
    if (x != x || y != y) return x != x && y != y;
    if (std::isinf(rounding)) return true;
    if (std::isinf(size)) return x == y;
    return std::abs(x - y) <= ulps * size + rounding + 1e-300L;
}

} // namespace dyad_test
