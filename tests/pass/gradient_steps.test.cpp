// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The gradient of a long program comes in steps, and it does not matter where one ends. The oracle is the gradient that the
// differentiate pass makes at once, node for node.

#include <dyad/core.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

namespace {

using dyad::graph, dyad::graph_view, dyad::policy, dyad::transform;

/// Masks (of max and where) that meet and part, inputs that are read early and late, one that is not read at all.
constexpr auto chain = [](auto x, auto y, auto unread, auto z) {
    static_cast<void>(unread);
    auto s = x * y;
    for (int i = 0; i < 12; ++i) {
        s = dyad::max(dyad::sin(s) * y, s - z) + dyad::where(s > z, dyad::exp(-s), dyad::sqrt(x) * s);
        if (i % 3 == 0) s = s * s + dyad::abs(x);
    }
    return 3 * s;
};
graph chain_with(policy p) { return dyad::trace<decltype(chain), double, double, double, double>(chain, p); }

graph in_steps(const graph& function, const dyad::list<std::uint32_t>& by, transform t, policy p, std::size_t most) {
    std::size_t work = 0;
    for (std::size_t i = 0; i < function.nodes.size(); ++i) work += dyad::work_of(function.nodes[i].op);
    const std::size_t steps = work / most + 1;
    graph g = function;
    for (std::size_t step = 0; step < steps; ++step) {
        g = dyad::with_cotangents<dyad::every_rule>(g, by, t, p, step, steps, most);
        REQUIRE(dyad::check(g) == "");
        CHECK(g.input_count == function.input_count);
    }
    return g;
}
bool equal(graph_view a, graph_view b) {
    bool same = a.size == b.size && a.output_count == b.output_count && a.input_count == b.input_count;
    for (std::size_t i = 0; same && i < a.size; ++i) same = a[i] == b[i];
    for (std::size_t k = 0; same && k < a.output_count; ++k) same = a.outputs[k] == b.outputs[k];
    return same;
}

TEST_CASE("a gradient does not depend on how much work a step has") {
    for (const policy p : {policy::fast, policy::strict, policy::verbatim}) {
        const graph function = chain_with(p);
        for (const dyad::list<std::uint32_t>& by : {dyad::list<std::uint32_t>{0, 1, 2, 3}, {3, 0}, {2}, {}}) {
            for (const transform t : {transform::gradient, transform::value_and_gradient}) {
                const graph wanted = dyad::canonical(dyad::differentiate(function, t, by, p));
                for (const std::size_t most : {1U, 2U, 7U, 40U, 1000U}) {
                    CAPTURE(most);
                    CHECK(equal(dyad::canonical(in_steps(function, by, t, p, most)), wanted));
                }
            }
        }
    }
}
TEST_CASE("the gradient of an input, and of a constant, in steps") {
    for (const bool constant : {false, true}) {
        const auto f = [=](dyad::builder& b) { return constant ? b.constant(dyad::exact(2)) : b.input(0, dyad::element::float64); };
        dyad::builder b;
        b.input(0, dyad::element::float64);
        const graph function = b.finish({f(b)});
        const graph wanted = dyad::differentiate(function, transform::value_and_gradient, {0});
        CHECK(equal(dyad::canonical(in_steps(function, {0}, transform::value_and_gradient, policy::fast, 1)), dyad::canonical(wanted)));
    }
}

// --- a program of several steps ---

constexpr auto tree = [](auto price, auto strike, auto up, auto rate) {
    constexpr std::size_t levels = 18;
    const auto rise = (rate - 1 / up) / (up - 1 / up), fall = 1 - rise;
    std::array<decltype(price * 1.0), levels + 1> v;
    for (std::size_t i = 0; i <= levels; ++i) v[i] = dyad::max(strike - price * dyad::pow(up, 2.0 * static_cast<double>(i) - levels), 0.0);
    for (std::size_t k = levels; k-- > 0;) {
        for (std::size_t i = 0; i <= k; ++i)
            v[i] = dyad::max((rise * v[i + 1] + fall * v[i]) / rate, strike - price * dyad::pow(up, 2.0 * static_cast<double>(i) - static_cast<double>(k)));
    }
    return v[0];
};

TEST_CASE("a tree of options, whose gradient is too long for one evaluation of clang's, has the slopes of differences") {
    static_assert(dyad::has_gradient_in_steps(dyad::graph_of<double, double, double, double>(tree), transform::value_and_gradient));
    static_assert(dyad::gradient_steps(dyad::graph_of<double, double, double, double>(tree)) > 2);
    const std::array<double, 4> at{100, 105, 1.08, 1.003};
    const auto value_at = [&](std::size_t k, double step) {
        std::array<double, 4> x = at;
        x[k] += step;
        return tree(x[0], x[1], x[2], x[3]);
    };
    const auto [v, g] = dyad::value_and_grad(tree)(at[0], at[1], at[2], at[3]);
    CHECK(v == doctest::Approx(value_at(0, 0)).epsilon(1e-13));
    const std::array<double, 4> slopes{std::get<0>(g), std::get<1>(g), std::get<2>(g), std::get<3>(g)};
    const double h = 1e-6;
    for (std::size_t k = 0; k < 4; ++k) CHECK(slopes[k] == doctest::Approx((value_at(k, h) - value_at(k, -h)) / (2 * h)).epsilon(1e-6));
}

} // namespace
