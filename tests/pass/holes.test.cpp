// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What may have an infinite slope, held against the rules at the ends of where functions are defined, and where they overflow.
#include <doctest/doctest.h>

#include <cmath>
#include <iterator>

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
    return dyad::has_infinite_slopes(b, {.op = op, .type = dyad::element::float64, .operand = {x, x, 0}});
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
    CHECK(!dyad::has_infinite_slopes(b, {.op = dyad::opcode::div, .type = dyad::element::float64, .operand = {x, c, 0}}));
    CHECK(!dyad::has_infinite_slopes(b, {.op = dyad::opcode::ipow, .type = dyad::element::float64, .operand = {x, 0, 0}, .bits = 5}));
}
