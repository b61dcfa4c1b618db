// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What may have an infinite slope, held against the rules at the ends of where functions are defined, and where they overflow.
#include <doctest/doctest.h>

#include <cmath>
#include <iterator>
#include <limits>

#include <dyad/core.hpp>
#include <dyad/pass/holes.hpp>

namespace {

struct unary {
    const char* name;
    dyad::opcode op;
    double (*slope)(double);
};
constexpr unary all[] = {
#define DYAD_SLOPE(name) {#name, dyad::opcode::name, [](double x) { return dyad::derivative([](auto y) { return dyad::name(y); })(x); }},
    DYAD_UNARY_OPERATIONS(DYAD_SLOPE)
#undef DYAD_SLOPE
};
bool is_marked(dyad::opcode op) {
    dyad::builder b;
    const dyad::node_index x = b.input(0, dyad::element::float64);
    return dyad::is_singular(b, {.op = op, .type = dyad::element::float64, .operand = {x, x, 0}});
}

} // namespace

TEST_CASE("functions whose slopes are infinite somewhere are known as such") {
    CHECK(std::size(all) > 30);
    for (const unary& u : all) {
        bool finite = true;
        for (const double x : {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, -2.0, 3.0, 800.0, -800.0}) finite = finite && std::isfinite(u.slope(x));
        CHECK_MESSAGE((finite || is_marked(u.op)), u.name);
    }
    CHECK(is_marked(dyad::opcode::div));
    CHECK(is_marked(dyad::opcode::pow));
    CHECK(!is_marked(dyad::opcode::sin));
    CHECK(!is_marked(dyad::opcode::tanh));
}
TEST_CASE("quotients by constants and whole powers have finite slopes") {
    dyad::builder b;
    const dyad::node_index x = b.input(0, dyad::element::float64), c = b.constant(dyad::exact(3), dyad::element::float64);
    CHECK(!dyad::is_singular(b, {.op = dyad::opcode::div, .type = dyad::element::float64, .operand = {x, c, 0}}));
    CHECK(!dyad::is_singular(b, {.op = dyad::opcode::ipow, .type = dyad::element::float64, .operand = {x, 0, 0}, .bits = 5}));
}
TEST_CASE("what is called bounded is finite, or no number, of infinite operands too") {
    const double infinity = std::numeric_limits<double>::infinity();
#define DYAD_CHECK_BOUNDED(name)                                                                                                  \
    if (dyad::is_bounded(dyad::opcode::name)) CHECK_MESSAGE((std::isfinite(dyad::name(infinity)) && std::isfinite(dyad::name(-infinity))), #name);
    DYAD_UNARY_OPERATIONS(DYAD_CHECK_BOUNDED)
#undef DYAD_CHECK_BOUNDED
}
TEST_CASE("infinities go on to what is computed from them") {
    dyad::builder b;
    const dyad::node_index x = b.input(0, dyad::element::float64), y = b.input(1, dyad::element::float64);
    const dyad::node_index product = b.emit(dyad::opcode::mul, x, y), logarithm = b.emit(dyad::opcode::log, x), wave = b.emit(dyad::opcode::sin, logarithm);
    const dyad::node_index bounded = b.emit(dyad::opcode::tanh, wave), sum = b.emit(dyad::opcode::add, wave, y), after = b.emit(dyad::opcode::mul, y, bounded);
    const dyad::node_index beside = b.emit(dyad::opcode::mul, y, sum);
    const auto end = static_cast<dyad::node_index>(b.size());
    dyad::infinities infinite;
    CHECK(!infinite.in_slopes(b, product, end));
    CHECK(infinite.in_slopes(b, logarithm, end));
    CHECK(infinite.in_slopes(b, wave, end));
    CHECK(infinite.in_slopes(b, bounded, end));
    CHECK(!infinite.in_slopes(b, sum, end));
    CHECK(!infinite.in_slopes(b, after, end));
    CHECK(infinite.in_slopes(b, beside, end));
}
