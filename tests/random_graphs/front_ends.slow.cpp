// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// One generic function, an interpreter of graphs, over four number types: double, dyad::real on a tape, tracer, and eager
// expressions. On ten thousand random graphs they give the same bits of value, and gradients that agree to rounding; second
// derivatives by a tape in a tape too.

#include "garden.hpp"

#include <dyad/tape.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using dyad::graph, dyad::graph_view, dyad::node, dyad::node_index, dyad::opcode, dyad::policy, dyad::tracer;
using dyad_test::agree, dyad_test::comparisons, dyad_test::evaluate, dyad_test::garden, dyad_test::measure, dyad_test::measured;

/// One operation on values of type V; conditions are V's comparisons, kept as numbers 1 and 0 where those are bool.
template <opcode Op, class V>
V operate(int attribute, const V* x) {
    using rule = dyad::operation<Op>;
    if constexpr (rule::results > 1) {
        return V(0); // only lowering makes such
    } else if constexpr (std::is_same_v<V, tracer>) {
        if constexpr (rule::arity == 1) return dyad::apply_symbolic(dyad::op_constant<Op>{}, attribute, x[0]);
        if constexpr (rule::arity == 2) return dyad::apply_symbolic(dyad::op_constant<Op>{}, attribute, x[0], x[1]);
        if constexpr (rule::arity == 3) return dyad::apply_symbolic(dyad::op_constant<Op>{}, attribute, x[0], x[1], x[2]);
    } else if constexpr (Op == opcode::where) {
        return V(dyad::where(x[0] != 0, x[1], x[2]));
    } else if constexpr (Op == opcode::logical_not) {
        return V(x[0] == 0 ? 1 : 0);
    } else if constexpr (Op == opcode::logical_and) {
        return V(x[0] != 0 && x[1] != 0 ? 1 : 0);
    } else if constexpr (Op == opcode::logical_or) {
        return V(x[0] != 0 || x[1] != 0 ? 1 : 0);
    } else if constexpr (rule::condition) {
        return V((Op == opcode::less ? x[0] < x[1] : Op == opcode::equal ? x[0] == x[1] : x[0] <= x[1]) ? 1 : 0);
    } else if constexpr (rule::arity == 1) {
        return V(dyad::apply<Op>(attribute, x[0]));
    } else if constexpr (rule::arity == 2) {
        return V(dyad::apply<Op>(attribute, x[0], x[1]));
    } else {
        return V(dyad::apply<Op>(attribute, x[0], x[1], x[2]));
    }
}

/// A number that every operation computes by an eager expression of variables.
struct by_expression {
    double number = 0;
    by_expression() = default;
    explicit by_expression(double x) : number(x) {}
};
template <opcode Op>
by_expression operate_by_expression(int attribute, const by_expression* x) {
    using rule = dyad::operation<Op>;
    const double v[] = {x[0].number, x[1].number, x[2].number};
    if constexpr (rule::results > 1 || rule::attributed || rule::condition || Op == opcode::where) {
        return by_expression(operate<Op>(attribute, v)); // what is no operation of numbers alone
    } else {
        const dyad::var<"x"> a{v[0]};
        const dyad::var<"y"> b{v[1]};
        const dyad::var<"z"> c{v[2]};
        if constexpr (rule::arity == 1) return by_expression(dyad::apply<Op>(0, a).value());
        if constexpr (rule::arity == 2) return by_expression(dyad::apply<Op>(0, a, b).value());
        if constexpr (rule::arity == 3) return by_expression(dyad::apply<Op>(0, a, b, c).value());
    }
}

/// The outputs of a graph on values of type V.
template <class V>
std::vector<V> interpret(graph_view g, const std::vector<V>& inputs, auto constant) {
    using function = V (*)(int, const V*);
#define OPERATE(name) &operate<opcode::name, V>,
#define OPERATE_BY_EXPRESSION(name) &operate_by_expression<opcode::name>,
    static constexpr auto table = [] {
        if constexpr (std::is_same_v<V, by_expression>) {
            return std::array<function, static_cast<std::size_t>(opcode::reduce_sum)>{nullptr, nullptr, nullptr, nullptr, DYAD_OPERATIONS(OPERATE_BY_EXPRESSION)};
        } else {
            return std::array<function, static_cast<std::size_t>(opcode::reduce_sum)>{nullptr, nullptr, nullptr, nullptr, DYAD_OPERATIONS(OPERATE)};
        }
    }();
#undef OPERATE
#undef OPERATE_BY_EXPRESSION
    std::vector<V> value(g.size), outputs;
    for (node_index i = 0; i < g.size; ++i) {
        const node& n = g[i];
        if (n.op == opcode::constant) {
            value[i] = constant(dyad::constant_value(n).as<double>());
        } else if (n.op == opcode::input) {
            value[i] = inputs[n.bits];
        } else {
            V x[3] = {};
            for (int k = 0; k < n.arity(); ++k) x[k] = value[n.operand[k]];
            value[i] = table[static_cast<std::size_t>(n.op)](n.attribute(), x);
        }
    }
    for (std::size_t k = 0; k < g.output_count; ++k) outputs.push_back(value[g.outputs[k]]);
    return outputs;
}

template <class V>
std::vector<V> interpret(graph_view g, const std::vector<V>& inputs) {
    return interpret(g, inputs, [](double c) { return V(c); });
}

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
std::string formula_of(const garden& g) {
    return std::string(dyad::formula(g.content).view());
}

constexpr std::uint64_t graphs = 10000;

} // namespace

TEST_CASE("double, real, tracer and expressions give the same bits of value, tape and graph the same gradient") {
    comparisons count;
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
        const garden g(seed);
        const std::size_t inputs = g.content.input_count;
        const std::vector<double> plain = interpret(g.content, g.point);

        dyad::builder b(dyad::rewriter_of(policy::strict));
        std::vector<tracer> leaves;
        for (std::uint32_t k = 0; k < inputs; ++k) leaves.emplace_back(b, b.input(k, dyad::element::float64));
        dyad::list<node_index> traced;
        for (const tracer& t : interpret(g.content, leaves, [&](double c) { return tracer(b, b.constant(dyad::exact(c))); })) traced.push_back(t.in(b));
        const std::vector<double> by_tracer = evaluate<double>(b.finish(traced), g.point, [](double v) { return v; });

        std::vector<by_expression> numbers;
        for (const double x : g.point) numbers.emplace_back(x);
        const std::vector<by_expression> by_expressions = interpret(g.content, numbers);

        dyad::tape tape{dyad::persistent};
        const std::vector<dyad::real> x = tape.variable(g.point);
        const std::vector<dyad::real> y = interpret(g.content, x);
        const std::vector<std::vector<double>> jacobian = tape.jacobian(y, x);

        dyad::list<std::uint32_t> by(inputs);
        for (std::uint32_t k = 0; k < inputs; ++k) by[k] = k;
        const measured want = measure(dyad::differentiate(g.content, dyad::transform::jacobian, by, policy::verbatim), g.point);
        measured got = want;
        for (std::size_t k = 0; k < y.size(); ++k) {
            CHECK_MESSAGE(same_bits(plain[k], y[k].value()), "graph ", seed, ", real: ", formula_of(g));
            CHECK_MESSAGE(same_bits(plain[k], by_tracer[k]), "graph ", seed, ", tracer: ", formula_of(g));
            CHECK_MESSAGE(same_bits(plain[k], by_expressions[k].number), "graph ", seed, ", expressions: ", formula_of(g));
            for (std::size_t j = 0; j < inputs; ++j) {
                got.value[k * inputs + j] = jacobian[k][j];
                CHECK_MESSAGE(agree(want, k * inputs + j, got, k * inputs + j, count), "graph ", seed, ", slope ", k, ", ", j, ": ", jacobian[k][j],
                              " instead of ", static_cast<double>(want.value[k * inputs + j]), " in ", formula_of(g));
            }
        }
    }
    CHECK(count.seldom_blind());
}

TEST_CASE("a tape in a tape gives the Hessian of the graph, and forward mode over the tape does") {
    comparisons count;
    for (std::uint64_t seed = 0; seed < graphs / 4; ++seed) {
        const garden g(seed);
        const std::size_t inputs = g.content.input_count;
        dyad::list<std::uint32_t> by(inputs);
        for (std::uint32_t k = 0; k < inputs; ++k) by[k] = k;
        const measured want = measure(dyad::differentiate(g.content, dyad::transform::hessian, by, policy::verbatim), g.point);
        const auto compare = [&](std::size_t i, std::size_t j, double value, const char* route) {
            measured got = want;
            got.value[i * inputs + j] = value;
            CHECK_MESSAGE(agree(want, i * inputs + j, got, i * inputs + j, count), "graph ", seed, ", ", route, ", ", i, ", ", j, ": ", value, " instead of ",
                          static_cast<double>(want.value[i * inputs + j]), " in ", formula_of(g));
        };
        dyad::tape outer;
        const std::vector<dyad::real> x = outer.variable(g.point);
        dyad::tape inner;
        const auto z = inner.variable(x);
        const auto slopes = inner.gradient(interpret(g.content, z)[0], z);
        const auto hessian = outer.jacobian(slopes, x);
        for (std::size_t i = 0; i < inputs; ++i) {
            using forward = dyad::dual<double, 1>;
            std::vector<forward> moving;
            for (std::size_t j = 0; j < inputs; ++j) moving.emplace_back(g.point[j], forward::tangents{i == j ? 1.0 : 0.0});
            dyad::tape t;
            const auto v = t.variable(moving);
            const auto column = t.gradient(interpret(g.content, v)[0], v);
            for (std::size_t j = 0; j < inputs; ++j) {
                compare(i, j, hessian[i][j], "tape in tape");
                compare(i, j, column[j].tangent(), "forward over tape");
            }
        }
    }
    CHECK(count.seldom_blind());
}
