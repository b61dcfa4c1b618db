// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Graphs as text, held by the letter: other tests, documentation and people's eyes rely on it. Formulas
// put parentheses where leaving them out would say something else, and name what would make them explode.

#include <dyad/graph/builder.hpp>
#include <dyad/graph/formula.hpp>
#include <dyad/graph/print.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using dyad::builder, dyad::element, dyad::exact, dyad::graph, dyad::node, dyad::node_index, dyad::opcode;

constexpr element f64 = element::float64;

struct xyz { // a builder with three inputs, for short
    builder b;
    node_index x = b.input(0, f64), y = b.input(1, f64), z = b.input(2, f64);

    constexpr node_index op(opcode o, node_index p, node_index q = 0, node_index r = 0) { return b.emit(o, p, q, r); }
    constexpr node_index power(node_index p, std::uint64_t n) {
        return b.emit(node{.op = opcode::ipow, .operand = {p, 0, 0}, .bits = n});
    }
    constexpr node_index number(double c) { return b.constant(exact(c)); }
};

constexpr graph sample() {
    xyz g;
    const node_index less = g.op(opcode::less, g.x, g.y);
    const node_index scaled = g.op(opcode::mul, g.number(2.5), g.power(g.x, 3));
    const node_index chosen = g.op(opcode::where, less, scaled, g.op(opcode::sin, g.z));
    return g.b.finish({chosen, g.op(opcode::neg, g.x)});
}

static_assert(dyad::print(sample()) == "graph(3 inputs)\n"
                                       "  n3: bool = less x0 x1\n"
                                       "  n4: f64 = ipow[3] x0\n"
                                       "  n6: f64 = mul 2.5 n4\n"
                                       "  n7: f64 = sin x2\n"
                                       "  n8: f64 = where n3 n6 n7\n"
                                       "  n9: f64 = neg x0\n"
                                       "  return n8 n9\n");

static_assert(dyad::print([] {
                  builder b;
                  const node_index x = b.input(0, element::float32);
                  const node_index both = b.add({.op = opcode::sincos, .type = element::float32, .operand = {x, 0, 0}});
                  const node_index c =
                      b.add({.op = opcode::result, .type = element::float32, .operand = {both, 0, 0}, .bits = 1});
                  return b.finish({c});
              }()) == "graph(1 input)\n"
                      "  n1: f32 = sincos x0\n"
                      "  n2: f32 = result[1] n1\n"
                      "  return n2\n");

static_assert(dyad::print([] {
                  builder b;
                  const node_index x = b.input(1, element::float80), c = b.constant(exact(-0.5));
                  return b.finish({x, c});
              }()) == "graph(2 inputs)\n"
                      "  return x1 -0.5\n");

static_assert(dyad::to_dot([] {
                  builder b;
                  const node_index x = b.input(0, f64);
                  return b.finish({b.emit(opcode::sub, b.constant(exact(1)), b.emit(opcode::exp, x))});
              }()) == "digraph dyad {\n"
                      "  node [shape=box, fontname=monospace];\n"
                      "  0 [label=\"x0\", shape=ellipse];\n"
                      "  1 [label=\"exp\"];\n"
                      "  0 -> 1;\n"
                      "  2 [label=\"1\", shape=ellipse];\n"
                      "  3 [label=\"sub\"];\n"
                      "  2 -> 3 [label=0];\n"
                      "  1 -> 3 [label=1];\n"
                      "  out0 [label=\"output 0\", shape=plain];\n"
                      "  3 -> out0;\n"
                      "}\n");

/// The formula of what `make` builds from three inputs.
template <class Make>
constexpr dyad::text formula_of(Make make) {
    xyz g;
    const node_index output = make(g);
    return dyad::formula(g.b.finish({output}));
}

static_assert(formula_of([](xyz& g) { return g.x; }) == "x0");
static_assert(formula_of([](xyz& g) { return g.number(-0.1); }) == "-0.1");
static_assert(formula_of([](xyz& g) { return g.op(opcode::add, g.number(1), g.x); }) == "x0 + 1"); // constants last in sums
static_assert(formula_of([](xyz& g) { return g.op(opcode::mul, g.number(-2), g.x); }) == "-2*x0");
static_assert(formula_of([](xyz& g) { return g.op(opcode::mul, g.x, g.number(-2)); }) == "x0*-2");

// Differences and quotients group from the left.
static_assert(formula_of([](xyz& g) { return g.op(opcode::sub, g.x, g.op(opcode::sub, g.y, g.z)); }) == "x0 - (x1 - x2)");
static_assert(formula_of([](xyz& g) { return g.op(opcode::sub, g.op(opcode::sub, g.x, g.y), g.z); }) == "x0 - x1 - x2");
static_assert(formula_of([](xyz& g) { return g.op(opcode::sub, g.x, g.op(opcode::add, g.y, g.z)); }) == "x0 - (x1 + x2)");
static_assert(formula_of([](xyz& g) { return g.op(opcode::div, g.x, g.op(opcode::div, g.y, g.z)); }) == "x0/(x1/x2)");
static_assert(formula_of([](xyz& g) { return g.op(opcode::div, g.x, g.op(opcode::mul, g.y, g.z)); }) == "x0/(x1*x2)");
static_assert(formula_of([](xyz& g) { return g.op(opcode::div, g.op(opcode::mul, g.x, g.y), g.z); }) == "x0*x1/x2");

// Products bind more than sums, powers more than products and signs.
static_assert(formula_of([](xyz& g) { return g.op(opcode::mul, g.x, g.op(opcode::add, g.y, g.z)); }) == "x0*(x1 + x2)");
static_assert(formula_of([](xyz& g) { return g.op(opcode::add, g.op(opcode::mul, g.x, g.y), g.z); }) == "x0*x1 + x2");
static_assert(formula_of([](xyz& g) { return g.power(g.op(opcode::neg, g.x), 2); }) == "(-x0)^2");
static_assert(formula_of([](xyz& g) { return g.op(opcode::neg, g.power(g.x, 2)); }) == "-x0^2");
static_assert(formula_of([](xyz& g) { return g.op(opcode::neg, g.op(opcode::add, g.x, g.y)); }) == "-(x0 + x1)");
static_assert(formula_of([](xyz& g) { return g.op(opcode::sub, g.x, g.op(opcode::neg, g.y)); }) == "x0 - -x1");
static_assert(formula_of([](xyz& g) { return g.power(g.power(g.x, 2), 3); }) == "(x0^2)^3");
static_assert(formula_of([](xyz& g) { return g.op(opcode::pow, g.op(opcode::mul, g.x, g.y), g.op(opcode::pow, g.y, g.z)); }) ==
              "(x0*x1)^(x1^x2)");
static_assert(formula_of([](xyz& g) { return g.op(opcode::pow, g.number(-1), g.x); }) == "(-1)^x0");

// Conditions, functions, attributes, results.
static_assert(formula_of([](xyz& g) {
                  const node_index c = g.op(opcode::less, g.op(opcode::add, g.x, g.y), g.z);
                  const node_index d = g.op(opcode::logical_or, c, g.op(opcode::equal, g.x, g.y));
                  return g.op(opcode::where, g.op(opcode::logical_and, d, g.op(opcode::logical_not, c)), g.x, g.y);
              }) == "where((x0 + x1 < x2 || x0 == x1) && !(x0 + x1 < x2), x0, x1)");
static_assert(formula_of([](xyz& g) { return g.op(opcode::fma, g.op(opcode::add, g.x, g.y), g.y, g.z); }) ==
              "fma(x0 + x1, x1, x2)");
static_assert(formula_of([](xyz& g) { return g.b.emit(node{.op = opcode::polygamma, .operand = {g.x, 0, 0}, .bits = 3}); }) ==
              "polygamma(3, x0)");
static_assert(formula_of([](xyz& g) { return g.b.emit(node{.op = opcode::sinc, .operand = {g.x, 0, 0}}); }) == "sinc(x0)");
static_assert(formula_of([](xyz& g) { return g.b.emit(node{.op = opcode::sinc, .operand = {g.x, 0, 0}, .bits = 2}); }) ==
              "sinc(2, x0)");
static_assert(dyad::formula(sample()) == "(where(x0 < x1, 2.5*x0^3, sin(x2)), -x0)");
static_assert([] {
    const dyad::list<std::string_view> names{"radius", "height"};
    return dyad::formula(sample(), names) == "(where(radius < height, 2.5*radius^3, sin(x2)), -radius)";
}());

// Every operation has a name of its own.
static_assert([] {
    for (std::size_t i = 0; i < static_cast<std::size_t>(opcode::count); ++i) {
        const std::string_view name = dyad::facts(static_cast<opcode>(i)).name;
        if (name.empty()) return false;
        for (std::size_t k = 0; k < i; ++k) {
            if (dyad::facts(static_cast<opcode>(k)).name == name) return false;
        }
    }
    return true;
}());

} // namespace

TEST_CASE("a formula that would explode names its parts") {
    builder b;
    node_index x = b.input(0, f64);
    for (int i = 0; i < 60; ++i) // as a tree, 2 to the 60 leaves
        x = b.emit(opcode::add, b.emit(node{.op = opcode::ipow, .operand = {x, 0, 0}, .bits = 2}), x);
    const std::string text(dyad::formula(b.finish({x})).view());
    CHECK(text.substr(0, 45) == "t0 = x0^2 + x0; t1 = t0^2 + t0; t2 = t1^2 + t"); // each by the one before
    CHECK(text.substr(text.size() - 30) == "t58 = t57^2 + t57; t58^2 + t58");
    CHECK(text.size() < 2000);
}

TEST_CASE("a short formula is written out, however often its parts occur") {
    builder b;
    node_index x = b.input(0, f64);
    for (int i = 0; i < 3; ++i) x = b.emit(opcode::mul, x, b.emit(opcode::sin, x));
    CHECK(dyad::formula(b.finish({x})) ==
          "x0*sin(x0)*sin(x0*sin(x0))*sin(x0*sin(x0)*sin(x0*sin(x0)))");
}
