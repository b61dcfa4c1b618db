// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Jacobians and Hessians in steps: how the lines are shared out, and that it does not matter how. The oracle of a matrix is
// the one that the differentiate pass makes at once.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

namespace {

using dyad::graph, dyad::graph_view, dyad::matrix_lines, dyad::policy, dyad::transform;

constexpr auto chain = [](auto x) {
    auto y = x;
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = dyad::sin(x[i]) * x[(i + 1) % x.size()];
    return y;
};
template <std::size_t N>
constexpr graph chain_of() {
    return dyad::trace<decltype(chain), std::array<double, N>>(chain, policy::fast);
}
template <std::size_t N>
constexpr dyad::list<std::uint32_t> all() {
    dyad::list<std::uint32_t> by;
    for (std::uint32_t k = 0; k < N; ++k) by.push_back(k);
    return by;
}

// --- a line's work: input i goes into itself, sin, and two products; output i needs two inputs, sin and the product ---

template <std::size_t N>
constexpr dyad::line_steps<N> steps_of(matrix_lines lines) {
    return {chain_of<N>(), all<N>(), lines};
}
static_assert(steps_of<3>(matrix_lines::columns).count == 1);
static_assert(steps_of<3>(matrix_lines::columns).end[0] == 3);
static_assert(steps_of<3>(matrix_lines::columns).work[0] == 3 * 4);
static_assert(steps_of<3>(matrix_lines::rows).work[0] == 3 * 4);
// 400 nodes a step: 100 lines of 4
static_assert(steps_of<100>(matrix_lines::rows).count == 1);
static_assert(steps_of<130>(matrix_lines::columns).count == 2);
static_assert(steps_of<130>(matrix_lines::columns).end[0] == 100);
static_assert(steps_of<130>(matrix_lines::rows).end[1] == 130);
static_assert(steps_of<130>(matrix_lines::rows).work[1] == 30 * 4);

// --- forward or backward ---

constexpr auto few_inputs = [](auto x) { return std::array{x, x * x, x * x * x}; };
static_assert(dyad::lines_of_jacobian(dyad::graph_of<double>(few_inputs), 1) == matrix_lines::columns);
static_assert(dyad::lines_of_jacobian(chain_of<3>(), 3) == matrix_lines::rows);
constexpr auto loop = [](auto x, auto y) {
    return dyad::fori_loop(9, [](auto, auto s) { return std::array{s[0] * s[1], s[1] - s[0]}; }, std::array{x, y});
};
static_assert(dyad::lines_of_jacobian(dyad::graph_of<double, double>(loop), 2) == matrix_lines::columns); // keeps no rounds

// --- whatever the steps, the matrix is the same, node for node ---

constexpr bool equal(graph_view a, graph_view b) {
    bool same = a.size == b.size && a.output_count == b.output_count && a.input_count == b.input_count;
    for (std::size_t i = 0; same && i < a.size; ++i) same = a[i] == b[i];
    for (std::size_t k = 0; same && k < a.output_count; ++k) same = a.outputs[k] == b.outputs[k];
    return same;
}
/// The matrix with `many` lines a step.
template <std::size_t N>
constexpr graph in_steps(const graph& function, matrix_lines lines, std::size_t many) {
    graph g = function;
    for (std::size_t first = 0; first < N; first += many)
        g = dyad::with_lines<dyad::every_rule>(g, all<N>(), lines, N, first, first + many < N ? first + many : N, policy::fast, {});
    return g;
}
/// The same nodes in one order.
constexpr graph sorted(const graph& g) { return dyad::canonical(g); }

TEST_CASE("a Jacobian does not depend on how many lines a step has") {
    const graph function = chain_of<5>();
    const graph wanted = sorted(dyad::differentiate(function, transform::jacobian, all<5>()));
    for (const matrix_lines lines : {matrix_lines::rows, matrix_lines::columns}) {
        for (const std::size_t many : {1U, 2U, 5U}) {
            CAPTURE(many);
            const graph found = in_steps<5>(function, lines, many);
            CHECK(dyad::check(found) == "");
            CHECK(equal(sorted(found), wanted));
        }
    }
}

TEST_CASE("a Hessian does not depend on how many lines a step has") {
    constexpr auto energy = [](auto x) {
        auto sum = 0 * x[0];
        for (const auto& y : chain(x)) sum = sum + y * y;
        return sum;
    };
    const graph function = dyad::trace<decltype(energy), std::array<double, 4>>(energy, policy::fast);
    const graph gradient = dyad::differentiate(function, transform::gradient, all<4>());
    const graph wanted = sorted(dyad::differentiate(function, transform::hessian, all<4>()));
    for (const std::size_t many : {1U, 3U, 4U}) {
        CAPTURE(many);
        const graph found = in_steps<4>(gradient, matrix_lines::triangle, many);
        CHECK(dyad::check(found) == "");
        CHECK(equal(sorted(found), wanted));
    }
}

} // namespace
