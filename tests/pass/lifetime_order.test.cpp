// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The order of statements in a program without calls: few numbers wait for registers where that is possible, every
// statement stays what it was, and nothing moves where there is little to gain.

#include <dyad/core.hpp>

#include <generator.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace {

using dyad::graph, dyad::graph_view, dyad::node_index, dyad::opcode, dyad::policy;

constexpr auto rosenbrock = [](auto x) {
    auto sum = 100 * dyad::square(x[1] - x[0] * x[0]) + dyad::square(1 - x[0]);
    for (std::size_t i = 1; i + 1 < x.size(); ++i) sum = sum + 100 * dyad::square(x[i + 1] - x[i] * x[i]) + dyad::square(1 - x[i]);
    return sum;
};
/// The energy of four atoms: six long divisions, which had better begin early.
constexpr auto atoms = [](auto x) {
    auto energy = 0 * x[0];
    for (std::size_t i = 0; i < 12; i += 3) {
        for (std::size_t j = 0; j < i; j += 3) {
            const auto a = x[i] - x[j], b = x[i + 1] - x[j + 1], c = x[i + 2] - x[j + 2];
            const auto near = 1 / dyad::cube(a * a + b * b + c * c);
            energy = energy + near * near - near;
        }
    }
    return energy;
};

/// The program of value and gradient before it is ordered.
template <std::size_t Size, class F>
constexpr graph unordered(F f) {
    dyad::list<std::uint32_t> by;
    for (std::uint32_t k = 0; k < Size; ++k) by.push_back(k);
    const graph g = dyad::differentiate(dyad::trace<F, std::array<double, Size>>(f, policy::fast), dyad::transform::value_and_gradient, by, policy::fast);
    return dyad::lower_pass(1, dyad::lower_pass(0, g, policy::fast), policy::fast);
}
/// Well formed, each statement of one in the other, the outputs the same.
constexpr bool same_statements(graph_view a, graph_view b) {
    if (a.size != b.size || a.output_count != b.output_count || a.input_count != b.input_count) return false;
    dyad::builder all; // equal nodes are one in it
    const auto first = all.append(a, true);
    const std::size_t size = all.size();
    const auto second = all.append(b, true);
    for (std::size_t k = 0; k < a.output_count; ++k) {
        if (first[k] != second[k]) return false;
    }
    return all.size() == size;
}

template <std::size_t Size>
constexpr bool few_wait() {
    const graph before = unordered<Size>(rosenbrock), after = dyad::order_by_lifetimes(before);
    return dyad::spilled_numbers(before) > 0 && dyad::spilled_numbers(after) == 0 && dyad::check(after) == "" && same_statements(before, after);
}
static_assert(few_wait<10>());
static_assert(few_wait<40>());

constexpr bool stays(graph_view g) {
    const graph after = dyad::order_by_lifetimes(g);
    if (after.nodes.size() != g.size) return false;
    for (std::size_t i = 0; i < g.size; ++i) {
        if (!(after.nodes[i] == g[i])) return false;
    }
    return true;
}
// Not all fit: then long operations come early.
static_assert(dyad::spilled_numbers(unordered<12>(atoms)) > 0 && stays(unordered<12>(atoms)));
// All fit as it is.
static_assert(dyad::spilled_numbers(unordered<3>(rosenbrock)) == 0 && stays(unordered<3>(rosenbrock)));

// One output twice, an output that others need, an argument and a constant as outputs; nothing at all.
constexpr auto odd = [](auto x) {
    const auto a = x[0] * x[1], b = a + x[2];
    return std::array{b, a, a, x[1], 0 * x[0] + 2.0, b * b - a};
};
constexpr bool odd_outputs() {
    const graph before = dyad::trace<decltype(odd), std::array<double, 3>>(odd, policy::fast), after = dyad::lifetime_order(before).run();
    return dyad::check(after) == "" && same_statements(before, after);
}
static_assert(odd_outputs());
static_assert(dyad::lifetime_order(graph{}).run().nodes.empty() && dyad::spilled_numbers(graph{}) == 0);

/// A program of operations on what came before, near or far.
graph random_program(std::uint64_t seed) {
    dyad_test::generator random(seed);
    dyad::builder b;
    dyad::list<node_index> values, outputs;
    for (std::uint32_t k = 0; k < 4; ++k) values.push_back(b.input(k, dyad::element::float64));
    values.push_back(b.constant(dyad::exact(2), dyad::element::float64));
    const opcode operations[] = {opcode::add, opcode::sub, opcode::mul, opcode::mul, opcode::div, opcode::neg, opcode::sqrt, opcode::max};
    for (std::size_t left = 1 + random.below(200); left > 0; --left) {
        const std::size_t reach = random.below(2) == 0 ? values.size() : values.size() < 6 ? values.size() : 6;
        const node_index x = values[values.size() - 1 - random.below(reach)], y = values[values.size() - 1 - random.below(reach)];
        values.push_back(b.emit(operations[random.below(8)], x, y));
        if (random.below(12) == 0) outputs.push_back(values.back());
    }
    outputs.push_back(values[random.below(values.size())]);
    return b.finish(outputs);
}

TEST_CASE("random programs keep their statements and do not wait longer") {
    int moved = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        CAPTURE(seed);
        const graph before = random_program(seed), inside_out = dyad::lifetime_order(before).run(), after = dyad::order_by_lifetimes(before);
        CHECK(dyad::check(inside_out) == "");
        CHECK(same_statements(before, inside_out));
        CHECK(same_statements(before, after));
        CHECK(dyad::spilled_numbers(after) <= dyad::spilled_numbers(before));
        moved += stays(before) ? 0 : 1;
    }
    CHECK(moved > 0);
}

TEST_CASE("the order changes no value") {
    std::array<double, 10> x{};
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.3 * static_cast<double>(i) - 1.1;
    const auto [value, gradient] = dyad::value_and_grad(rosenbrock)(x);
    CHECK(value == doctest::Approx(rosenbrock(x)).epsilon(1e-14));
    for (std::size_t i = 0; i < x.size(); ++i) {
        double slope = 0;
        if (i + 1 < x.size()) slope += -400 * x[i] * (x[i + 1] - x[i] * x[i]) - 2 * (1 - x[i]);
        if (i > 0) slope += 200 * (x[i] - x[i - 1] * x[i - 1]);
        CHECK(gradient[i] == doctest::Approx(slope).epsilon(1e-13));
    }
}

} // namespace
