// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Random graphs over all operations, built at run time, each with a point where every operation is smooth.
#pragma once

#include "evaluate.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace dyad_test {

using dyad::builder, dyad::exact, dyad::graph;


/// Where an operand may lie; `mirrored`: or its negative.
struct domain {
    double low, high;
    bool mirrored = false;
    bool contains(long double v) const {
        return (v >= low && v <= high) || (mirrored && -v >= low && -v <= high);
    }
};
struct unary_rule {
    opcode op;
    domain x;
    int first = 0, last = 0; ///< of the attribute
};
inline const unary_rule unary_rules[] = {
    {opcode::neg, {-8, 8}}, {opcode::abs, {0.2, 8, true}}, {opcode::sign, {0.2, 8, true}},
    {opcode::sqrt, {0.2, 20}}, {opcode::cbrt, {0.2, 20, true}}, {opcode::exp, {-3, 3}}, {opcode::exp2, {-3, 3}},
    {opcode::expm1, {-3, 3}}, {opcode::log, {0.2, 20}}, {opcode::log2, {0.2, 20}}, {opcode::log10, {0.2, 20}},
    {opcode::log1p, {-0.7, 10}}, {opcode::sin, {-8, 8}}, {opcode::cos, {-8, 8}}, {opcode::tan, {-1.2, 1.2}},
    {opcode::asin, {-0.8, 0.8}}, {opcode::acos, {-0.8, 0.8}}, {opcode::atan, {-8, 8}}, {opcode::sinh, {-3, 3}},
    {opcode::cosh, {-3, 3}}, {opcode::tanh, {-3, 3}}, {opcode::asinh, {-8, 8}}, {opcode::acosh, {1.3, 10}},
    {opcode::atanh, {-0.8, 0.8}}, {opcode::erf, {-2, 2}}, {opcode::erfc, {-2, 2}}, {opcode::tgamma, {0.5, 4}},
    {opcode::lgamma, {0.5, 8}}, {opcode::digamma, {0.5, 8}}, {opcode::sigmoid, {-5, 5}}, {opcode::softplus, {-5, 5}},
    {opcode::relu, {0.2, 8, true}}, {opcode::unit_circle, {-0.8, 0.8}}, {opcode::unit_hyperbola, {1.3, 10}},
    {opcode::ipow, {0.3, 2.5, true}, -3, 6}, {opcode::polygamma, {0.5, 5}, 1, 3}, {opcode::sinc, {0.1, 2, true}, 0, 2},
    {opcode::floor, {1.1, 1.4, true}}, {opcode::ceil, {1.1, 1.4, true}}, {opcode::round, {1.1, 1.4, true}},
    {opcode::trunc, {1.6, 1.9, true}}};
struct binary_rule {
    opcode op;
    domain x, y;
    bool apart = false; ///< x and y must differ clearly
};
inline const domain any{-8, 8}, clear{0.3, 8, true};
inline const binary_rule binary_rules[] = {
    {opcode::add, any, any}, {opcode::add, any, any}, {opcode::sub, any, any}, {opcode::sub, any, any},
    {opcode::mul, any, any}, {opcode::mul, any, any}, {opcode::mul, any, any}, {opcode::div, any, clear},
    {opcode::div, any, clear}, {opcode::pow, {0.2, 4}, {-3, 3}}, {opcode::atan2, clear, clear},
    {opcode::hypot, clear, clear}, {opcode::copysign, clear, clear}, {opcode::min, any, any, true},
    {opcode::max, any, any, true}, {opcode::fmin, any, any, true}, {opcode::fmax, any, any, true},
    {opcode::xlogy, any, {0.2, 20}}, {opcode::logaddexp, any, any}, {opcode::direction, any, {0.3, 8}},
    {opcode::inverse_real, clear, clear}, {opcode::fmod, {3.2, 3.8}, {1.05, 1.5}}};

class garden {
public:
    explicit garden(std::uint64_t seed) : random(seed) {
        const std::size_t inputs = 1 + random.below(3), operations = 4 + random.below(28);
        for (std::uint32_t k = 0; k < inputs; ++k) {
            point.push_back(random.between(-2, 2));
            keep(b_.input(k, element::float64));
        }
        while (pool_.size() < inputs + operations) keep(grow());
        const std::size_t last = pool_.size() - 1; // the first output needs most of what there is
        dyad::list<node_index> outputs{
            op(opcode::add, op(opcode::mul, pool_[last], pool_[last - 1]), op(opcode::add, pool_[last - 2], pool_[last - 3]))};
        if (random.below(2) == 0) outputs.push_back(pool_[random.below(pool_.size())]);
        content = b_.finish(outputs);
        content.input_count = static_cast<std::uint32_t>(inputs);
    }

    generator random;
    std::vector<double> point;
    graph content;
    bool differences = true; ///< difference quotients know nothing of stop_gradient

private:
    long double value(node_index i) {
        while (value_.size() < b_.size()) {
            const graph_view all{b_.nodes.data(), b_.nodes.size(), nullptr, 0, 3};
            const auto next = static_cast<node_index>(value_.size());
            value_.push_back(0);
            value_.back() = value_at(all, next, value_, point);
            bool depends = all[next].op == opcode::input;
            for (int k = 0; k < all[next].arity(); ++k) depends = depends || active_[all[next].operand[k]];
            active_.push_back(depends);
        }
        return value_[i];
    }
    /// Into the pool of operands to come, unless it is a constant, too large or NaN.
    void keep(node_index i) {
        if (std::abs(value(i)) <= 30 && active_[i]) pool_.push_back(i);
    }
    node_index number(double c) { return b_.constant(exact(c)); }
    node_index op(opcode o, node_index x, node_index y = 0, node_index z = 0) { return b_.emit(o, x, y, z); }
    node_index power(node_index x, int n) {
        return b_.emit(node{.op = opcode::ipow, .operand = {x, 0, 0}, .bits = static_cast<std::uint32_t>(n)});
    }
    // Draws are statements of their own: the order of a call's arguments is the compiler's choice.
    node_index anything() {
        const std::size_t back = random.below(pool_.size()), weight = random.below(3); // the youngest more often
        return pool_[pool_.size() - 1 - back * weight / 2];
    }
    /// A node within the domain: one that is there, a constant, or one squeezed into it.
    node_index operand(const domain& d) {
        if (random.below(8) == 0) {
            const auto whole = static_cast<double>(random.below(9)) - 4;
            return number(d.contains(whole) ? whole : random.between(d.low, d.high));
        }
        for (int attempt = 0; attempt < 6; ++attempt) {
            const node_index i = anything();
            if (d.contains(value(i))) return i;
        }
        return op(opcode::add, number(d.low), op(opcode::mul, number(d.high - d.low), op(opcode::sigmoid, anything())));
    }
    node_index condition() {
        const node_index x = operand(any);
        node_index y = operand(any);
        while (std::abs(value(x) - value(y)) < 0.1) y = op(opcode::add, y, number(0.25));
        const opcode comparisons[] = {opcode::less, opcode::less_equal, opcode::equal};
        const node_index c = op(comparisons[random.below(3)], x, y);
        switch (random.below(5)) {
        case 0: return op(opcode::logical_not, c);
        case 1: return op(opcode::logical_and, c, condition());
        case 2: return op(opcode::logical_or, c, condition());
        default: return c;
        }
    }
    /// A selection; what is not selected may be NaN, and have slopes that are.
    node_index selection() {
        const node_index c = condition(), x = operand(any);
        node_index y = operand(any);
        if (random.below(2) == 0) {
            const opcode undefined[] = {opcode::sqrt, opcode::log, opcode::acosh, opcode::log1p, opcode::asin};
            const node_index outside = op(opcode::sub, number(-5), op(opcode::exp, operand({-3, 3})));
            y = op(opcode::mul, y, op(undefined[random.below(5)], outside));
        }
        return value(c) != 0 ? op(opcode::where, c, x, y) : op(opcode::where, c, y, x);
    }
    /// What the simplify pass looks for.
    node_index pattern() {
        const node_index x = operand({0.3, 3, true}), y = operand({0.3, 3, true}), one = number(1);
        const double halves = static_cast<double>(random.below(13)) / 2 - 3;
        const double scales[] = {2, -2, 3, 0.5, -0.25, 10, -1, 0, 1};
        const node_index a = number(scales[random.below(9)]), c = number(scales[random.below(7)]);
        const auto exponential = [&] { return op(opcode::exp, x); };
        switch (random.below(26)) {
        case 0: return op(opcode::log, op(opcode::add, one, operand({-0.7, 8})));
        case 1: return op(opcode::log, op(opcode::sub, one, operand({-8, 0.7})));
        case 2: return op(opcode::log, exponential());
        case 3: return op(opcode::log, op(opcode::add, exponential(), one));
        case 4: return op(opcode::log1p, exponential());
        case 5: return op(opcode::sub, exponential(), one);
        case 6: return op(opcode::sub, one, exponential());
        case 7: return op(opcode::sqrt, op(opcode::mul, op(opcode::mul, number(3), x), x));
        case 8: return op(opcode::div, exponential(), op(opcode::add, one, exponential()));
        case 9: return op(opcode::div, one, op(opcode::add, one, op(opcode::exp, op(opcode::neg, x))));
        case 10: return op(opcode::pow, operand({0.3, 3}), number(halves));
        case 11: return op(opcode::mul, op(opcode::mul, a, x), op(opcode::mul, y, c));
        case 12: return op(opcode::add, op(opcode::mul, a, x), op(opcode::mul, x, c));
        case 13: return op(opcode::sub, op(opcode::mul, a, x), op(opcode::mul, c, x));
        case 14: return op(opcode::sub, op(opcode::sub, x, y), random.below(2) == 0 ? x : y);
        case 15: return op(opcode::add, op(opcode::add, x, y), random.below(2) == 0 ? x : y);
        case 16: return op(opcode::sub, op(opcode::neg, x), op(opcode::mul, a, y));
        case 17: return op(opcode::div, op(opcode::mul, a, x), op(opcode::mul, c, y));
        case 18: return op(opcode::div, op(opcode::div, a, x), random.below(2) == 0 ? c : x);
        case 19: return op(opcode::div, c, op(opcode::div, c, x));
        case 20: return op(opcode::mul, power(x, 2), op(opcode::mul, x, y));
        case 21: return op(opcode::div, power(x, static_cast<int>(random.below(5))), power(x, 2));
        case 22: return power(op(opcode::mul, c, power(op(opcode::neg, x), 2)), 3);
        case 23: return op(opcode::mul, op(opcode::div, op(opcode::neg, x), c), op(opcode::div, c, op(opcode::neg, y)));
        case 24: return op(opcode::mul, op(opcode::sin, op(opcode::neg, x)), op(opcode::cos, op(opcode::neg, x)));
        default: return op(opcode::add, op(opcode::add, op(opcode::abs, op(opcode::abs, x)), a), c);
        }
    }
    node_index grow() {
        const std::size_t kind = random.below(25);
        if (kind < 9) {
            const unary_rule& drawn = unary_rules[random.below(std::size(unary_rules))];
            const bool again = dyad::facts(drawn.op).flat; // or there is little to differentiate
            const unary_rule& rule = again ? unary_rules[random.below(std::size(unary_rules))] : drawn;
            const int attribute = rule.first + static_cast<int>(random.below(
                                                   static_cast<std::size_t>(rule.last - rule.first + 1)));
            return b_.emit(node{.op = rule.op, .operand = {operand(rule.x), 0, 0},
                                .bits = static_cast<std::uint32_t>(attribute)});
        }
        if (kind < 17) {
            const binary_rule& rule = binary_rules[random.below(std::size(binary_rules))];
            const node_index x = operand(rule.x);
            node_index y = operand(rule.y);
            while (rule.apart && std::abs(value(x) - value(y)) < 0.1) y = op(opcode::add, y, number(0.25));
            return op(rule.op, x, y);
        }
        if (kind < 21) return pattern();
        if (kind == 21) {
            const node_index x = operand(any), y = operand(any), z = operand(any);
            return op(opcode::fma, x, y, z);
        }
        if (kind == 22) {
            const node_index x = anything();
            const double low = static_cast<double>(value(x)) + (random.below(2) == 0 ? -0.5 : 0.2);
            return op(opcode::clamp, x, number(low), number(low + (random.below(2) == 0 ? 1 : 0.25)));
        }
        if (kind == 23) { // derivatives of powers: r must be the power
            const node_index x = operand({0.2, 4}), y = operand({-3, 3}), r = op(opcode::pow, x, y);
            if (random.below(2) == 0) return op(opcode::pow_dx, x, y, r);
            return b_.emit(node{.op = opcode::pow_log, .operand = {x, y, r}, .bits = 1 + random.below(2)});
        }
        if (random.below(4) != 0) return selection();
        differences = false;
        return op(opcode::stop_gradient, anything());
    }

    builder b_;
    std::vector<node_index> pool_;
    std::vector<long double> value_;
    std::vector<bool> active_;
};

} // namespace dyad_test
