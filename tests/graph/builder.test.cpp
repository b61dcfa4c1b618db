// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Building graphs: equal nodes are one node, types follow from operands, what no output needs is left
// out. The checker is shown every kind of damage that a pass could do, and must name each. A graph as
// words must come back as the same graph.

#include <dyad/graph/builder.hpp>
#include <dyad/graph/check.hpp>
#include <dyad/graph/encode.hpp>
#include <dyad/graph/region.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string_view>

namespace {

using dyad::builder, dyad::element, dyad::exact, dyad::graph, dyad::node, dyad::node_index, dyad::opcode;

constexpr element f32 = element::float32, f64 = element::float64;

/// where(x < y, sin(x y), 3 x³) + log(y): a bit of everything.
constexpr graph sample() {
    builder b;
    const node_index x = b.input(0, f64), y = b.input(1, f64);
    const node_index sine = b.emit(opcode::sin, b.emit(opcode::mul, x, y));
    const node_index power = b.emit(node{.op = opcode::ipow, .operand = {x, 0, 0}, .bits = 3});
    const node_index scaled = b.emit(opcode::mul, b.constant(exact(3)), power);
    const node_index chosen = b.emit(opcode::where, b.emit(opcode::less, x, y), sine, scaled);
    return b.finish({b.emit(opcode::add, chosen, b.emit(opcode::log, y)), x});
}

constexpr bool equal(dyad::graph_view a, dyad::graph_view b) {
    bool same = a.size == b.size && a.output_count == b.output_count && a.input_count == b.input_count;
    for (std::size_t i = 0; same && i < a.size; ++i) same = a[i] == b[i];
    for (std::size_t k = 0; same && k < a.output_count; ++k) same = a.outputs[k] == b.outputs[k];
    return same;
}

// --- equal nodes are one ---

static_assert([] {
    builder b;
    const node_index x = b.input(0, f64), y = b.input(1, f64);
    const node_index sum = b.emit(opcode::add, x, y);
    return b.emit(opcode::add, x, y) == sum && b.emit(opcode::add, y, x) != sum && // order is a pass' business
           b.emit(opcode::sub, x, y) != sum && b.input(0, f64) == x && b.size() == 5;
}());
static_assert([] {
    builder b;
    const node_index zero = b.constant(exact(0.0)), third = b.constant(exact(1.0L / 3));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return b.constant(exact(0.0)) == zero && b.constant(exact(-0.0)) != zero && b.constant(exact(0.0), f64) != zero &&
           b.constant(exact(nan)) == b.constant(exact(nan)) && b.constant(exact(1.0L / 3)) == third &&
           b.constant(exact(1.0 / 3)) != third; // the long double has more digits
}());
static_assert([] {
    builder b;
    const node_index x = b.input(0, f64);
    const auto power = [&](std::uint64_t n) { return b.emit(node{.op = opcode::ipow, .operand = {x, 0, 0}, .bits = n}); };
    return power(2) == power(2) && power(2) != power(3) && b.parameter(f64) != b.parameter(f64);
}());

// --- types ---

static_assert([] {
    builder b;
    const node_index x = b.input(0, f32), y = b.input(1, f64), n = b.input(2, element::integer);
    const node_index tenth = b.constant(exact(0.1));
    const node_index scaled = b.emit(opcode::mul, tenth, x);
    const node_index literal = b[scaled].operand[0];
    return b[b.emit(opcode::add, x, y)].type == f64 && b[b.emit(opcode::mul, n, n)].type == f64 && // whole numbers are real
           b[scaled].type == f32 && b[literal].type == f32 &&
           dyad::constant_value(b[literal]) == static_cast<double>(0.1F) && // rounded as the program would
           b[b.emit(opcode::less, x, y)].type == element::boolean &&
           b[b.emit(opcode::where, b.emit(opcode::less, x, y), tenth, x)].type == f32;
}());

// --- finish and append ---

static_assert([] {
    builder b;
    const node_index x = b.input(0, f64), y = b.input(3, f64);
    const node_index wanted = b.emit(opcode::exp, x);
    b.emit(opcode::log, y); // nobody needs it
    const graph g = b.finish({wanted, x, wanted});
    return g.nodes.size() == 2 && g.input_count == 4 && g.outputs.size() == 3 && g.outputs[0] == g.outputs[2] &&
           g.nodes[g.outputs[1]].op == opcode::input && dyad::check(g) == "";
}());
static_assert([] {
    builder b;
    const graph g = sample();
    const dyad::list<node_index> once = b.append(g), twice = b.append(g);
    return once[0] == twice[0] && once[1] == twice[1] && equal(b.finish(once), g);
}());
static_assert([] { // f(y, x): the inputs of a graph may be anything
    builder b;
    const node_index x = b.input(0, f64), y = b.input(1, f64);
    const graph swapped = b.finish(b.append(sample(), {y, b.emit(opcode::exp, x)}));
    return dyad::check(swapped) == "" && !equal(swapped, sample()) && swapped.input_count == 2;
}());

// --- a rewriter sees every emitted node, and only those ---

constexpr node_index subtract_instead(builder& b, const node& n) {
    node m = n;
    if (m.op == opcode::add) m.op = opcode::sub;
    return b.add(m);
}
static_assert([] {
    builder b(&subtract_instead);
    const node_index x = b.input(0, f64), y = b.input(1, f64);
    return b[b.emit(opcode::add, x, y)].op == opcode::sub && b[b.add({.op = opcode::add, .operand = {x, y, 0}})].op == opcode::add;
}());

// --- the checker ---

static_assert(dyad::check(sample()) == "");

template <class Damage>
constexpr bool finds(std::string_view what, Damage damage) {
    graph g = sample();
    damage(g);
    const dyad::text fault = dyad::check(g);
    return fault.view().find(what) != std::string_view::npos;
}
constexpr node& first(graph& g, opcode op) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        if (g.nodes[i].op == op) return g.nodes[i];
    }
    throw "no such node";
}
static_assert(finds("unknown operation", [](graph& g) { first(g, opcode::sin).op = opcode::count; }));
static_assert(finds("number of inputs", [](graph& g) { g.input_count = 1; }));
static_assert(finds("parameter", [](graph& g) { first(g, opcode::constant).op = opcode::parameter; }));
static_assert(finds("before its user", [](graph& g) { first(g, opcode::sin).operand[0] = 1000; }));
static_assert(finds("before its user", [](graph& g) { // itself
    for (node_index i = 0; i < g.nodes.size(); ++i) {
        if (g.nodes[i].op == opcode::sin) g.nodes[i].operand[0] = i;
    }
}));
static_assert(finds("condition", [](graph& g) { first(g, opcode::where).operand[0] = 0; }));
static_assert(finds("condition", [](graph& g) { first(g, opcode::where).operand[1] = first(g, opcode::where).operand[0]; }));
static_assert(finds("type does not fit", [](graph& g) { first(g, opcode::less).type = f64; }));
static_assert(finds("type does not fit", [](graph& g) { first(g, opcode::mul).type = element::boolean; }));
static_assert(finds("without naming one", [](graph& g) { first(g, opcode::mul).op = opcode::sincos; }));
static_assert(finds("a result that the operation does not have", [](graph& g) {
    node& named = first(g, opcode::sin);
    named.op = opcode::result;
    named.bits = 1;
}));
static_assert(finds("an output that does not exist", [](graph& g) { g.outputs[1] = 1000; }));

// --- words and back ---

static_assert(equal(dyad::decode(dyad::encode(sample()).data()), sample()));
static_assert([] { // wide constants, attributes, several results, inputs that nobody uses
    builder b;
    const node_index x = b.input(6, element::float80);
    const node_index both = b.add({.op = opcode::sincos, .type = element::float80, .operand = {x, 0, 0}});
    const node_index cosine = b.add({.op = opcode::result, .type = element::float80, .operand = {both, 0, 0}, .bits = 1});
    const node_index third = b.constant(exact(1.0L / 3), element::float80);
    const node_index p = b.emit(node{.op = opcode::polygamma, .operand = {x, 0, 0}, .bits = 7});
    const node_index q = b.emit(node{.op = opcode::pow_log, .operand = {x, third, p}, .bits = 2});
    const graph g = b.finish({cosine, third, q, q});
    return equal(dyad::decode(dyad::encode(g).data()), g) && g.input_count == 7 && g.nodes[g.outputs[1]] == b[third];
}());
static_assert(equal(dyad::decode(dyad::encode(graph{}).data()), graph{}));
static_assert([] { // what a loop keeps of its rounds is an array
    builder b;
    const node_index x = b.input(0, f64), rounds = b.input(1, element::integer), value = b.parameter(f64, {}), index = b.parameter(element::integer, {});
    const node_index chain = b.add({.op = opcode::carry, .type = f64, .operand = {dyad::no_links(b), x, value}, .bits = b[value].bits});
    const node_index loop = b.add({.op = opcode::loop, .operand = {rounds, chain, 0}, .bits = dyad::loop_bits(b[index].bits, false)});
    const graph g = b.finish({dyad::one_at(b, dyad::history(b, loop, value), index)});
    return equal(dyad::decode(dyad::encode(g).data()), g);
}());

} // namespace

TEST_CASE("duplicates are found in graphs of any size") {
    builder b;
    const node_index x = b.input(0, f64);
    dyad::list<node_index> first_time;
    node_index last = x;
    for (int i = 0; i < 20000; ++i) first_time.push_back(last = b.emit(i % 3 == 0 ? opcode::add : opcode::mul, last, x));
    const std::size_t size = b.size();
    last = x;
    for (std::size_t i = 0; i < first_time.size(); ++i) {
        last = b.emit(i % 3 == 0 ? opcode::add : opcode::mul, last, x);
        REQUIRE(last == first_time[i]);
    }
    CHECK(b.size() == size);
    CHECK(dyad::check(b.finish({last})) == "");
    CHECK(b.finish({last}).nodes.size() == size);
}

TEST_CASE("graphs too large for a type are refused") {
    builder b;
    node_index last = b.input(0, f64);
    for (int i = 0; i < 65534; ++i) last = b.emit(opcode::exp, last);
    const graph fits = b.finish({last});
    CHECK(fits.nodes.size() == 65535);
    CHECK(equal(dyad::decode(dyad::encode(fits).data()), fits));
    CHECK_THROWS_AS(dyad::encode(b.finish({b.emit(opcode::exp, last)})), dyad::value_error);
}

TEST_CASE("the checker refuses an output that is an operation with several results") {
    builder b;
    const node_index both = b.add({.op = opcode::sincos, .type = f64, .operand = {b.input(0, f64), 0, 0}});
    CHECK(dyad::check(b.finish({both})).size() > 0);
}

TEST_CASE("the checker refuses two inputs of one number and different types") {
    builder b;
    const node_index x = b.input(0, f64), same = b.input(0, f32);
    CHECK(dyad::check(b.finish({b.add({.op = opcode::add, .type = f64, .operand = {x, same, 0}})})).size() > 0);
}

TEST_CASE("the checker refuses a parameter that is bound in a type of its own, which stays free") {
    builder b;
    const node_index x = b.input(0, f64), own = b.parameter(f64);
    const node_index binds = b.add({.op = opcode::bind, .type = dyad::element::weak, .operand = {b.add({.op = opcode::nothing}), x, 0}, .bits = b[own].bits});
    const auto said = dyad::check(b.finish({own, binds}));
    CHECK(said.view().find(": two types for one parameter") != std::string_view::npos);
}
