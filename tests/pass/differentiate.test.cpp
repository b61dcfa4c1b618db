// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The differentiate pass on graphs: what it may cost, operation by operation; the formulas of all its
// transforms; and the difference between a zero that the rules produce, which annihilates whatever is
// beside it (an unselected branch, a passive operand), and a number that merely happens to be zero.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace {

using dyad::builder, dyad::element, dyad::exact, dyad::graph, dyad::node, dyad::node_index, dyad::opcode,
    dyad::policy, dyad::transform;

// --- cost: a gradient takes at most four times the operations of its function ---

/// outer(op(2x, 2y, 2z)), or op(x, y, z) alone.
constexpr graph use_of(opcode op, bool alone, opcode outer) {
    builder b;
    node n{.op = op, .bits = dyad::facts(op).attributed ? 2U : 0U};
    for (int k = 0; k < dyad::facts(op).arity; ++k) {
        n.operand[k] = b.input(static_cast<std::uint32_t>(k), element::float64);
        if (!alone) n.operand[k] = b.emit(opcode::mul, b.constant(exact(2)), n.operand[k]);
    }
    const node_index used = b.emit(n);
    return b.finish({alone ? used : b.emit(outer, used)});
}
constexpr bool within_four_times(const graph& g, policy p) {
    dyad::list<std::uint32_t> all;
    for (std::uint32_t k = 0; k < g.input_count; ++k) all.push_back(k);
    const graph gradient = dyad::differentiate(g, transform::gradient, all, p);
    return dyad::check(gradient) == "" && gradient.outputs.size() == g.input_count &&
           dyad::operation_count(gradient) <= 4 * dyad::operation_count(g);
}
constexpr bool bounded(opcode op) {
    return within_four_times(use_of(op, true, op), policy::fast) &&
           within_four_times(use_of(op, true, op), policy::verbatim) &&
           within_four_times(use_of(op, false, opcode::sin), policy::fast) &&
           within_four_times(use_of(op, false, opcode::sin), policy::verbatim) &&
           within_four_times(use_of(op, false, opcode::exp), policy::strict);
}
#define BOUNDED(name)                                                                                \
    static_assert(bounded(opcode::name), "the gradient of " #name " takes more than four times its operations");
DYAD_UNARY_OPERATIONS(BOUNDED)
DYAD_BINARY_OPERATIONS(BOUNDED)
DYAD_TERNARY_OPERATIONS(BOUNDED)
BOUNDED(neg) BOUNDED(add) BOUNDED(sub) BOUNDED(mul) BOUNDED(div) BOUNDED(ipow) BOUNDED(polygamma) BOUNDED(sinc)
#undef BOUNDED

constexpr auto long_chain = [](auto x, auto y) {
    auto sum = x;
    for (int i = 0; i < 30; ++i) sum = dyad::sin(sum * y) + dyad::exp(sum) / (1 + sum * sum);
    return sum;
};
static_assert(dyad::operation_count(dyad::graph_of<double, double>(dyad::grad(long_chain))) <=
              4 * dyad::operation_count(dyad::graph_of<double, double>(long_chain)));

// --- formulas of the transforms; inputs x, y; directions or cotangents after them ---

template <class T>
struct xy {
    T x, y;
};

template <class F>
constexpr graph derived(F f, transform t, const dyad::list<std::uint32_t>& by) {
    return dyad::differentiate(dyad::trace<F, xy<double>>(f, policy::fast), t, by, policy::fast);
}
template <class F>
constexpr bool reads(F f, transform t, const dyad::list<std::uint32_t>& by, std::string_view want) {
    const dyad::list<std::string_view> names{"x", "y", "u", "v"};
    const graph g = derived(f, t, by);
    return dyad::check(g) == "" && dyad::formula(g, names) == want;
}
constexpr auto scaled_square = [](auto v) { return v.x * v.x * v.y; };
constexpr auto both_products = [](auto v) { return std::array{v.x * v.y, v.x + v.y}; };

static_assert(reads(scaled_square, transform::value, {0, 1}, "x^2*y"));
static_assert(reads(scaled_square, transform::gradient, {0, 1}, "(2*x*y, x^2)"));
static_assert(reads(scaled_square, transform::gradient, {1}, "x^2"));
static_assert(reads(scaled_square, transform::gradient, {1, 0}, "(x^2, 2*x*y)")); // in the order asked for
static_assert(reads(scaled_square, transform::value_and_gradient, {0}, "(x^2*y, 2*x*y)"));
static_assert(reads(scaled_square, transform::hessian, {0, 1}, "(2*y, 2*x, 2*x, 0)"));
static_assert(reads(scaled_square, transform::jvp, {0, 1}, "(x^2*y, x^2*v + 2*y*x*u)"));
static_assert(reads(both_products, transform::jacobian, {0, 1}, "(y, x, 1, 1)"));
static_assert(reads(both_products, transform::vjp, {0}, "v + y*u"));

// The lower triangle of a Hessian is the upper one, node for node.
static_assert([] {
    const graph g = derived([](auto v) { return dyad::exp(v.x * v.y) / (v.x + v.y); }, transform::hessian, {0, 1});
    return g.outputs.size() == 4 && g.outputs[1] == g.outputs[2];
}());

// --- structural zeros ---

static_assert(reads([](auto v) { return v.x * v.x; }, transform::gradient, {0, 1}, "(2*x, 0)"));
static_assert(reads([](auto v) { return dyad::floor(v.x) * v.y; }, transform::gradient, {0, 1}, "(0, floor(x))"));
static_assert(reads([](auto v) { return dyad::stop_gradient(v.x) * v.x; }, transform::gradient, {0}, "stop_gradient(x)"));
static_assert(reads([](auto v) { return dyad::where(v.x < v.y, dyad::log(v.x), v.y); }, transform::gradient, {0, 1},
                    "(where(x < y, 1/x, 0), where(x < y, 0, 1))"));
// the mask travels through what follows, and the slope is asked for only where it counts
static_assert(reads([](auto v) { return dyad::log(dyad::where(0 < v.x, v.x, 1)); }, transform::gradient, {0},
                    "where(0 < x, 1/where(0 < x, x, 1), 0)"));
// both branches give to one variable: one selection, no sum
static_assert(reads([](auto v) { return dyad::where(v.y < 1, v.x * v.x, dyad::sin(v.x)); }, transform::gradient, {0},
                    "where(y < 1, 2*x, cos(x))"));

const double infinity = std::numeric_limits<double>::infinity();

bool same(double a, double b) {
    return a == b || (a != a && b != b);
}
/// Value and slope in both modes, and as part of a Hessian.
template <class F>
void slopes(F f, double x, double y, double dx, double dy) {
    const auto [rx, ry] = dyad::grad(f)(x, y);
    CHECK(same(rx, dx));
    CHECK(same(ry, dy));
    CHECK(same(dyad::jvp(f)(std::tuple{x, y}, std::tuple{1.0, 0.0}).second, dx));
    CHECK(same(dyad::jvp(f)(std::tuple{x, y}, std::tuple{0.0, 1.0}).second, dy));
    const auto [px, py] = dyad::vjp(f)(x, y).second(1.0);
    CHECK(same(px, dx));
    CHECK(same(py, dy));
}

} // namespace

TEST_CASE("the helpers that derivatives are made of keep the bound too, where they are one step of a formula") {
    // (pow_dx, pow_log and inverse_real stand for whole derivatives: their own are second derivatives.)
    for (const opcode op : {opcode::direction, opcode::unit_circle, opcode::unit_hyperbola})
        CHECK_MESSAGE(bounded(op), "the gradient of ", std::string(dyad::facts(op).name), " is too expensive");
}

TEST_CASE("a branch that is not taken contributes nothing, whatever its slope") {
    const auto root = [](auto x, auto y) { return dyad::where(x > 0, dyad::sqrt(x), y); };
    slopes(root, -1, 3, 0, 1);  // sqrt'(-1) is NaN
    slopes(root, 0, 3, 0, 1);   // sqrt'(0) is infinite
    slopes(root, 4, 3, 0.25, 0);
    const auto inside = [](auto x, auto y) { return dyad::log(dyad::where(x > 0, x, y)) * y; };
    slopes(inside, 0, 1, 0, 1);
    slopes(inside, 2, 1, 0.5, std::log(2.0));
    const auto nested = [](auto x, auto y) {
        return dyad::where(x > 0, dyad::where(x > 1, dyad::log(x - 1), y), 1 / (x - x)) + y;
    };
    slopes(nested, 0.5, 2, 0, 2);
    slopes(nested, 2, 2, 1, 1);
    const auto chain = [](auto x, auto y) { return dyad::exp(dyad::where(y < 0, 1 / x, x)) * y; };
    slopes(chain, 0, 1, 1, 1);
}

TEST_CASE("an infinite slope outside of a selection does not reach what was not selected, in either mode") {
    const auto root = [](auto x) { return dyad::sqrt(dyad::where(x > 0, x, 0)); };
    CHECK(same(dyad::grad(root)(-1.0), 0));
    CHECK(same(dyad::vjp(root)(-1.0).second(1.0), 0));
    CHECK(same(dyad::jvp(root)(-1.0, 1.0).second, 0));
    CHECK(same(dyad::jacobian([](auto x) { return std::array{dyad::sqrt(dyad::where(x > 0, x, 0)), x}; })(-1.0)[0], 0));
    CHECK(same(dyad::hessian(root)(-1.0), 0));
    CHECK(same(dyad::jvp(dyad::grad(root))(-1.0, 1.0).second, 0));
    const auto logarithm = [](auto x) { return dyad::log(dyad::relu(x)); };
    CHECK(same(dyad::grad(logarithm)(-1.0), 0));
    CHECK(same(dyad::jvp(logarithm)(-1.0, 1.0).second, 0));
    const auto larger = [](auto x) { return dyad::sqrt(dyad::max(x, 0)); };
    CHECK(same(dyad::grad(larger)(-1.0), 0));
    CHECK(same(dyad::jvp(larger)(-1.0, 1.0).second, 0));
}

TEST_CASE("a mask survives higher orders") {
    const auto f = [](auto x) { return dyad::where(x > 0, x * dyad::sqrt(x), x * x); };
    CHECK(dyad::derivative<2>(f)(-1.0) == 2.0);
    CHECK(dyad::derivative<3>(f)(-1.0) == 0.0);
    CHECK(dyad::derivative<2>(f)(0.0) == 2.0);
    CHECK(dyad::derivative<2>(f)(4.0) == doctest::Approx(0.375));
    CHECK(dyad::hessian([](auto x, auto y) { return dyad::where(x > 0, dyad::log(x) * y, y * y); })(-1.0, 3.0) ==
          std::array{std::array{0.0, 0.0}, std::array{0.0, 2.0}});
}

TEST_CASE("an adjoint that only happens to be zero is not skipped") {
    const auto f = [](auto x, auto y) { return y * dyad::log(x); };
    const double nan = infinity - infinity;
    CHECK(same(dyad::grad<0>(f)(0.0, 0.0), nan)); // y/x
    CHECK(same(dyad::grad<1>(f)(0.0, 0.0), -infinity));
    const auto g = [](auto x, auto y) { return (x * y) * y; };
    CHECK(same(dyad::grad<0>(g)(infinity, 0.0), 0));
    CHECK(same(dyad::grad<1>(g)(infinity, 0.0), nan)); // 2xy
    CHECK(same(dyad::jvp(g)(std::tuple{infinity, 0.0}, std::tuple{0.0, 1.0}).second, nan));
}

TEST_CASE("a node that is differentiated by counts as independent") {
    builder b(dyad::rewriter_of(policy::fast));
    const node_index x = b.input(0, element::float64);
    const node_index square = b.emit(opcode::mul, x, x), sine = b.emit(opcode::sin, square);
    const node_index product = b.emit(opcode::mul, sine, x);
    const node_index one = b.constant(exact(1), element::float64);
    const auto reverse = dyad::pullback(b, {product}, {one}, {x, square});
    CHECK(dyad::formula(b.finish(reverse)) == "(sin(x0^2), x0*cos(x0^2))");
    const auto forward = dyad::pushforward(b, {product}, {x, square}, {dyad::no_node, one});
    CHECK(dyad::formula(b.finish(forward)) == "x0*cos(x0^2)");
}

TEST_CASE("cotangents of several outputs add up, also where outputs are inputs or equal") {
    const auto f = [](auto x, auto y) { return std::array{x, x * y, x, y}; };
    const auto pullback = dyad::vjp(f)(2.0, 3.0).second;
    CHECK(pullback(std::array{1.0, 10.0, 100.0, 1000.0}) == std::tuple{131.0, 1020.0});
    CHECK(dyad::jacobian(f)(2.0, 3.0) == std::array{std::array{1.0, 0.0}, std::array{3.0, 2.0}, std::array{1.0, 0.0},
                                                    std::array{0.0, 1.0}});
}
