// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Random functions of nested loops, branches and checkpoints, in the shapes that programs have: states of several values, captures
// from every level, what is the same in every round, values that nobody needs. The same function runs on numbers that carry
// their tangents along (dual), as the loops of C++ that they are, and as a graph built, differentiated and evaluated at run time.

#include "run_levels.hpp"

#include <dyad/tape.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace {

using dyad_test::generator, dyad_test::numbers, dyad_test::run;

/// A function of a pool of numbers. `deep`: how many levels of loops may stand inside.
template <class X>
X grown(std::uint64_t seed, std::vector<X> pool, int deep, int statements) {
    generator random(seed);
    const auto pick = [&] { return pool[random.below(pool.size())]; };
    for (int k = 0; k < statements; ++k) {
        const X a = pick(), b = pick();
        const std::uint64_t inner = random.bits();
        const int rounds = static_cast<int>(random.below(4));
        const auto inside = [=](std::uint64_t which, auto... added) {
            std::vector<X> all = pool;
            (all.push_back(X(added)), ...);
            return grown<X>(inner + which, all, deep - 1, 3);
        };
        switch (random.below(deep > 0 ? 14 : 5)) {
        case 0: pool.push_back(X(0.5 * a + b)); break;
        case 1: pool.push_back(X(sin(a) * b)); break;
        case 2: pool.push_back(X(cos(a) - 0.3 * b)); break;
        case 3: pool.push_back(X(a / (2 + b * b))); break;
        case 4: pool.push_back(X(sin(a * b))); break;
        case 5:
            pool.push_back(X(dyad::fori_loop(rounds, [=](auto i, auto s) { return inside(0, s, 0.1 * X(i + 0.0 * a)); }, a)));
            break;
        case 6:
        case 7: {
            const bool unused = random.below(2) == 0, same = random.below(2) == 0;
            const auto end = dyad::fori_loop(rounds,
                                             [=](auto, auto s) {
                                                 const X p(std::get<0>(s)), q(std::get<1>(s));
                                                 return std::tuple{same ? X(sin(a)) : inside(0, p, q), unused ? inside(1, q) : inside(1, p, q)};
                                             },
                                             std::tuple{a, b});
            pool.push_back(X(std::get<0>(end)));
            if (!unused) pool.push_back(X(std::get<1>(end)));
            break;
        }
        case 8: {
            const auto end = dyad::while_loop([](auto s) { return std::get<1>(s) < 2.5; },
                                              [=](auto s) { return std::tuple{inside(0, X(std::get<0>(s)), X(std::get<1>(s))), X(std::get<1>(s) + 1.0)}; },
                                              std::tuple{a, X(sin(b))});
            pool.push_back(X(std::get<0>(end)));
            break;
        }
        case 9:
        case 10: pool.push_back(X(dyad::cond(a > b, [=](auto p, auto q) { return inside(0, p, q); }, [=](auto p, auto q) { return inside(1, p, q); }, a, b))); break;
        case 11: {
            const auto kept = dyad::checkpoint([=](auto p, auto q) { return std::tuple{inside(0, p), inside(1, q)}; })(a, b);
            pool.push_back(X(std::get<0>(kept)));
            pool.push_back(X(std::get<1>(kept)));
            break;
        }
        case 12: pool.push_back(X(dyad::fori_loop(rounds, [=](auto, auto s) { return inside(0, s); }, a, dyad::store_every<2>))); break;
        default: pool.push_back(X(dyad::fori_loop(rounds, [=](auto, auto s) { return inside(0, s); }, a, dyad::store_sqrt))); break;
        }
    }
    X sum = pool[pool.size() - 1];
    for (std::size_t k = 2; k <= 3 && k <= pool.size(); ++k) sum = X(sum + 0.5 * pool[pool.size() - k]);
    return sum;
}

/// The function as a graph of two inputs.
dyad::graph traced(std::uint64_t seed, int deep) {
    dyad::builder b(dyad::rewriter_of(dyad::policy::fast));
    const dyad::tracer x{b, b.input(0, dyad::element::float64)}, y{b, b.input(1, dyad::element::float64)};
    const dyad::tracer result = grown<dyad::tracer>(seed, {x, y}, deep, 4);
    dyad::graph g = b.finish(dyad::list<dyad::node_index>{result.in(b)});
    g.input_count = 2;
    return g;
}
numbers derivative(const dyad::graph& g, dyad::transform t, const numbers& point) {
    return run(dyad::differentiate(g, t, {0, 1}, dyad::policy::fast, &dyad::no_array_rules, {}, dyad::region_rules_with<dyad::every_rule>), point);
}
bool close(double a, double b) {
    if (!std::isfinite(b)) return a == b || (a != a && b != b);
    return std::abs(a - b) <= 1e-9 * (1 + std::abs(b));
}

/// Value, gradient and Hessian by dual numbers.
struct expected {
    double value;
    std::array<double, 2> slope;
    std::array<std::array<double, 2>, 2> curvature;
};
expected by_duals(std::uint64_t seed, int deep, double x, double y) {
    using inner = dyad::dual<double, 2>;
    using outer = dyad::dual<inner, 2>;
    const auto variable = [](double at, int k) {
        const inner own = inner::variable(at, k);
        return outer::variable(own, k);
    };
    const outer f = grown<outer>(seed, {variable(x, 0), variable(y, 1)}, deep, 4);
    expected e{f.value().value(), {}, {}};
    for (int i = 0; i < 2; ++i) {
        e.slope[static_cast<std::size_t>(i)] = f.value().tangent(i);
        for (int j = 0; j < 2; ++j) e.curvature[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = f.tangent(i).tangent(j);
    }
    return e;
}

void check(std::uint64_t seed, int deep) {
    generator random(seed);
    const double x = random.between(-1.5, 1.5), y = random.between(-1.5, 1.5), dx = random.between(-1, 1), dy = random.between(-1, 1);
    const expected e = by_duals(seed, deep, x, y);
    const dyad::graph g = traced(seed, deep);
    CAPTURE(seed);
    CAPTURE(deep);
    CAPTURE(g.nodes.size());
    const auto same = [](const numbers& got, const numbers& want) {
        bool good = got.size() == want.size();
        for (std::size_t k = 0; good && k < want.size(); ++k) good = close(got[k], want[k]);
        return good;
    };
    CHECK(same(run(g, {x, y}), {e.value}));
    CHECK(same(derivative(g, dyad::transform::value_and_gradient, {x, y}), {e.value, e.slope[0], e.slope[1]}));
    CHECK(same(derivative(g, dyad::transform::jvp, {x, y, dx, dy}), {e.value, e.slope[0] * dx + e.slope[1] * dy}));
    const auto& h = e.curvature;
    CHECK(same(derivative(g, dyad::transform::hessian, {x, y}), {h[0][0], h[0][1], h[1][0], h[1][1]}));
    const dyad::graph slopes = dyad::differentiate(g, dyad::transform::gradient, {0, 1}, dyad::policy::fast, &dyad::no_array_rules, {}, dyad::region_rules_with<dyad::every_rule>);
    CHECK(same(derivative(slopes, dyad::transform::vjp, {x, y, dx, dy}), {h[0][0] * dx + h[0][1] * dy, h[1][0] * dx + h[1][1] * dy}));
}

} // namespace

TEST_CASE("random functions of loops in loops and branches") {
    for (std::uint64_t seed = 1; seed <= 250; ++seed) check(seed, 1);
    for (std::uint64_t seed = 1001; seed <= 1110; ++seed) check(seed, 2);
}
