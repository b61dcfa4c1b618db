// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Ten thousand random graphs over all operations, built and evaluated at run time, each at a point where
// every operation is smooth. Whatever the passes do must not change what a graph computes: passes on =
// passes off, reverse = forward = finite differences, and second derivatives in any order of modes agree.
//
// evaluate.hpp says how far two graphs for one number may differ.

#include "garden.hpp"

#include <dyad/core.hpp>
#include <dyad/pass/canonical.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using dyad::builder, dyad::exact, dyad::graph, dyad::node_index, dyad::policy;
using dyad_test::agree, dyad_test::comparisons, dyad_test::evaluate, dyad_test::garden, dyad_test::measure, dyad_test::measured;

// --- the checks ---

comparisons count; ///< of a test case

void well_formed(const graph& g, std::uint64_t seed, const std::string& pass) {
    const dyad::text fault = dyad::check(g);
    CHECK_MESSAGE(fault.size() == 0, "graph ", seed, " after ", pass, ": ", std::string(fault.view()));
}
void equal_outputs(const measured& want, const graph& got, const garden& g, std::uint64_t seed, const std::string& what) {
    well_formed(got, seed, what);
    const measured m = measure(got, g.point);
    REQUIRE(m.value.size() == want.value.size());
    for (std::size_t k = 0; k < m.value.size(); ++k)
        CHECK_MESSAGE(agree(want, k, m, k, count), "graph ", seed, ", ", what, ", output ", k, ": ", static_cast<double>(m.value[k]),
                      " instead of ", static_cast<double>(want.value[k]), " in ", std::string(dyad::formula(g.content).view()));
}

dyad::list<node_index> inputs_of(builder& b, const graph& g) {
    dyad::list<node_index> inputs;
    for (std::uint32_t k = 0; k < g.input_count; ++k) inputs.push_back(b.input(k, dyad::element::float64));
    return inputs;
}

/// ∂outputs/∂inputs, row by row, in one mode or the other.
graph jacobian_by(const graph& g, policy p, bool reverse) {
    builder b(dyad::rewriter_of(p));
    const dyad::list<node_index> outputs = b.append(g), inputs = inputs_of(b, g);
    dyad::list<node_index> result(outputs.size() * inputs.size());
    for (std::size_t i = 0; reverse && i < outputs.size(); ++i) {
        const auto row = dyad::gradient_nodes(b, outputs[i], inputs);
        for (std::size_t j = 0; j < inputs.size(); ++j) result[i * inputs.size() + j] = row[j];
    }
    for (std::size_t j = 0; !reverse && j < inputs.size(); ++j) {
        const auto direction = dyad::unit_direction(b, inputs.size(), j, dyad::element::float64);
        const auto column = dyad::pushforward(b, outputs, inputs, direction);
        for (std::size_t i = 0; i < outputs.size(); ++i) result[i * inputs.size() + j] = column[i];
    }
    return b.finish(result);
}

enum class order { hessian, forward_of_forward, reverse_of_reverse };

graph second_by(const graph& g, order o) {
    builder b(dyad::rewriter_of(policy::fast));
    const node_index output = b.append(g)[0];
    const dyad::list<node_index> inputs = inputs_of(b, g);
    if (o == order::hessian) return b.finish(dyad::hessian_nodes(b, output, inputs));
    dyad::list<node_index> result;
    const auto forward = [&](node_index of, std::size_t j) {
        return dyad::pushforward(b, {of}, inputs, dyad::unit_direction(b, inputs.size(), j, dyad::element::float64))[0];
    };
    const auto gradient = dyad::gradient_nodes(b, output, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const node_index first = o == order::forward_of_forward ? forward(output, i) : gradient[i];
        const auto row = dyad::gradient_nodes(b, first, inputs);
        for (std::size_t j = 0; j < inputs.size(); ++j)
            result.push_back(o == order::forward_of_forward ? forward(first, j) : row[j]);
    }
    return b.finish(result);
}

/// A five-point difference quotient of output i by input j.
long double difference(const garden& g, std::size_t i, std::size_t j, double step) {
    const auto at = [&](double offset) {
        std::vector<double> moved = g.point;
        moved[j] += offset;
        return evaluate<long double>(g.content, moved, [](long double v) { return v; })[i];
    };
    const double h = std::bit_cast<double>(std::bit_cast<std::uint64_t>(g.point[j] + step)) - g.point[j];
    const double exact_step = std::ldexp(std::round(std::ldexp(h, 40)), -40);
    return (8 * (at(exact_step) - at(-exact_step)) - (at(2 * exact_step) - at(-2 * exact_step))) / (12 * static_cast<long double>(exact_step));
}

constexpr std::uint64_t graphs = 10000;

} // namespace

TEST_CASE("passes on compute what passes off compute") {
    count = {};
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
        const garden g(seed);
        well_formed(g.content, seed, "construction");
        const measured want = measure(g.content, g.point);
        const graph fast = dyad::simplify(g.content, policy::fast), strict = dyad::simplify(g.content, policy::strict);
        equal_outputs(want, fast, g, seed, "simplify fast");
        equal_outputs(want, strict, g, seed, "simplify strict");
        equal_outputs(want, dyad::simplify(g.content, policy::verbatim), g, seed, "simplify verbatim");
        equal_outputs(want, dyad::lower(fast, policy::fast), g, seed, "lower fast");
        equal_outputs(want, dyad::lower(strict, policy::strict), g, seed, "lower strict");
        equal_outputs(want, dyad::simplify(fast, policy::fast), g, seed, "simplify twice");
        equal_outputs(want, dyad::canonical(fast), g, seed, "canonical");
        equal_outputs(want, dyad::decode(dyad::encode(fast).data()), g, seed, "encode and decode");
    }
    CHECK(count.seldom_blind());
}

TEST_CASE("the strict policy changes no bit of a result in double") {
    const auto as_it_is = [](double v) { return v; };
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
        const garden g(seed);
        const auto want = evaluate<double>(g.content, g.point, as_it_is);
        const auto got = evaluate<double>(dyad::simplify(g.content, policy::strict), g.point, as_it_is);
        for (std::size_t k = 0; k < want.size(); ++k)
            CHECK_MESSAGE(std::bit_cast<std::uint64_t>(got[k]) == std::bit_cast<std::uint64_t>(want[k]), "graph ", seed, ": ",
                          std::string(dyad::formula(g.content).view()));
    }
}

TEST_CASE("reverse is forward, with and without rewriting, and is what finite differences say") {
    count = {};
    int compared = 0, doubtful = 0;
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
        const garden g(seed);
        const graph reverse = jacobian_by(g.content, policy::verbatim, true);
        well_formed(reverse, seed, "reverse");
        const measured want = measure(reverse, g.point);
        equal_outputs(want, jacobian_by(g.content, policy::verbatim, false), g, seed, "forward");
        const graph fast = jacobian_by(g.content, policy::fast, true);
        equal_outputs(want, fast, g, seed, "reverse, fast");
        equal_outputs(want, jacobian_by(g.content, policy::fast, false), g, seed, "forward, fast");
        equal_outputs(want, jacobian_by(g.content, policy::strict, true), g, seed, "reverse, strict");
        equal_outputs(want, dyad::lower(fast, policy::fast), g, seed, "reverse, lowered");
        for (std::size_t k = 0; g.differences && k < want.value.size(); ++k) {
            const std::size_t i = k / g.content.input_count, j = k % g.content.input_count;
            const long double coarse = difference(g, i, j, 0x1p-13), fine = difference(g, i, j, 0x1p-14);
            const long double size = 1 + std::abs(want.value[k]), doubt = std::abs(coarse - fine);
            ++compared;
            CHECK_MESSAGE(std::isfinite(want.value[k]), "graph ", seed, ", partial ", i, ", ", j, ": no number");
            if (!(doubt <= 1e-7L * size)) {
                ++doubtful;
                continue;
            }
            CHECK_MESSAGE(std::abs(want.value[k] - fine) <= 1e-9L * size + doubt, "graph ", seed, ", partial ", i, ", ", j, ": ",
                          static_cast<double>(want.value[k]), " but differences say ", static_cast<double>(fine), " in ",
                          std::string(dyad::formula(g.content).view()));
        }
    }
    CHECK(doubtful * 2000 < compared);
    CHECK(count.seldom_blind());
}

TEST_CASE("second derivatives are symmetric and the same in every order of modes") {
    count = {};
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
        const garden g(seed);
        const graph forward = second_by(g.content, order::forward_of_forward);
        well_formed(forward, seed, "forward of forward");
        const measured want = measure(forward, g.point);
        const std::size_t n = g.content.input_count;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j)
                CHECK_MESSAGE(agree(want, i * n + j, want, j * n + i, count), "graph ", seed, " is not symmetric");
        }
        equal_outputs(want, second_by(g.content, order::hessian), g, seed, "hessian");
        equal_outputs(want, second_by(g.content, order::reverse_of_reverse), g, seed, "reverse of reverse");
    }
    CHECK(count.seldom_blind());
}
