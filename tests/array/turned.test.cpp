// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Transposed arrays, and arrays with axes of size 1 put in or left out, of what is computed element by element. A routine that
// reads them sees them as views of memory, and what lies behind is computed once; loops compute it where it is wanted.
#include <doctest/doctest.h>

#include <dyad/array.hpp>

#include "plan_counts.hpp"
#include "three_ways.hpp"

namespace {

using plan_counts::count_in;
using namespace differences;
using dyad_test::worse;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// A hidden layer, of a batch and of one example: its tanh is computed once, though the gradient by the weights reads it transposed.
constexpr auto batch = [](auto w, auto x, auto b, auto v) { return sum(square(dyad::matmul(tanh(dyad::matmul(x, w) + b), v))); };
constexpr auto example = [](auto w, auto x, auto b, auto v) { return sum(square(dyad::matmul(v, tanh(dyad::matmul(w, x) + b)))); };
static_assert(count_in<dyad::opcode::tanh>(dyad::plan_of<matrix, matrix, vector, matrix>(dyad::value_and_grad(batch))) == 1);
static_assert(count_in<dyad::opcode::tanh>(dyad::plan_of<matrix, vector, vector, matrix>(dyad::value_and_grad(example))) == 1);
// The same where the layer is also used element by element.
constexpr auto gated = [](auto u, auto v) {
    const auto h = tanh(v);
    return sum(dyad::matmul(u, h) * h);
};
static_assert(count_in<dyad::opcode::tanh>(dyad::plan_of<matrix, vector>(dyad::value_and_grad(gated))) == 1);
// What a routine reads turned and a loop wants turned, or is a result, is computed turned, once.
constexpr auto residual = [](auto w, auto x) {
    const auto h = transpose(exp(x));
    return sum(dyad::matmul(w, h) + h);
};
static_assert(count_in<dyad::opcode::exp>(dyad::plan_of<matrix, matrix>(residual)) == 1);
constexpr auto with_layer = [](auto w, auto x) {
    const auto h = transpose(exp(x));
    return std::tuple{dyad::matmul(w, h), h};
};
static_assert(count_in<dyad::opcode::exp>(dyad::plan_of<matrix, matrix>(with_layer)) == 1);
static_assert(dyad::plan_of<matrix, matrix>(with_layer).passes() == 1 && dyad::plan_of<matrix, matrix>(with_layer).buffers() == 0);
static_assert(count_in<dyad::opcode::exp>(dyad::plan_of<matrix>([](auto x) { return sum(square(diag(transpose(exp(x))))) + sum(dyad::matmul(transpose(exp(x)), x)); })) == 1);

// Loops compute what they read turned, in one pass; and so they do results.
static_assert(dyad::plan_of<matrix, matrix>([](auto a, auto b) { return sum(transpose(exp(a)) * b); }).passes() == 1);
static_assert(dyad::plan_of<matrix>([](auto a) { return transpose(exp(a)); }).passes() == 1);
static_assert(dyad::plan_of<vector>([](auto v) { return expand_dims(exp(v), 0); }).passes() == 1);

// So do the bodies of loops and branches.
constexpr bool turns_what_is_computed(dyad::graph_view g) {
    for (std::size_t i = 0; i < g.size; ++i) {
        if (dyad::is_turn(g[i].op) && dyad::is_elementwise(g[g[i].operand[0]].op)) return true;
    }
    return false;
}
static_assert(!turns_what_is_computed(dyad::graph_of<matrix>([](auto x) { return dyad::fori_loop(3, [](auto, auto z) { return transpose(tanh(z) + 0.1 * z); }, x); })));
static_assert(!turns_what_is_computed(dyad::graph_of<matrix>([](auto x) {
    return dyad::cond(sum(x) > 1, [](auto y) { return transpose(exp(y)); }, [](auto y) { return transpose(sin(y) * 2); }, x);
})));

/// How far value and slopes are from those of the strict policy, and slopes from those of differences.
template <class F, class X, class... Data>
double off(F f, const X& x, const Data&... data) {
    const auto [value, slopes] = dyad::value_and_grad<0>(f)(x, data...);
    const auto [strict_value, strict_slopes] = dyad::value_and_grad<0>(dyad::strict(f))(x, data...);
    return worse(gradient_off(f, x, data...), apart(value, strict_value), apart(slopes, strict_slopes));
}

} // namespace

TEST_CASE("layers have the gradients of differences, for batches of any size") {
    for (const std::size_t n : {1U, 2U, 5U}) {
        CAPTURE(n);
        const matrix w = numbers<double, 2>({3, 4}, 1), x = numbers<double, 2>({n, 3}, 2), v = numbers<double, 2>({4, 2}, 3);
        const vector b = numbers<double, 1>({4}, 4);
        CHECK(off(batch, w, x, b, v) < 1e-8);
        const matrix back = xt::transpose(w), out = xt::transpose(v);
        CHECK(off(example, back, numbers<double, 1>({3}, 5), b, out) < 1e-8);
    }
    CHECK(off(residual, numbers<double, 2>({4, 4}, 1), numbers<double, 2>({5, 4}, 2)) < 1e-8);
    CHECK(off(gated, numbers<double, 2>({4, 4}, 1), numbers<double, 1>({4}, 2)) < 1e-8);
    // Σ tanh² Σ exp²
    const vector v = numbers<double, 1>({4}, 2), d = numbers<double, 1>({4}, 3), t = xt::tanh(v), e = xt::exp(2 * v);
    const vector p = 2 * t * (1 - t * t), pp = 2 * (1 - t * t) * (1 - 3 * t * t), q = 2 * e;
    const vector bend = xt::sum(e)() * pp * d + inner(q, d) * p + inner(p, d) * q + inner(t, t) * 4 * e * d;
    const auto product = [](auto u) { return sum(square(dyad::matmul(tanh(expand_dims(u, 1)), exp(expand_dims(u, 0))))); };
    CHECK(apart(dyad::hvp(product)(v, d), bend) < 1e-8);
}

TEST_CASE("turns of what is computed, read by routines, by loops, by other views and by reductions") {
    const matrix a = numbers<double, 2>({3, 4}, 1), b = numbers<double, 2>({4, 3}, 2), s = square_matrix(4, 3);
    const vector v = numbers<double, 1>({4}, 4);
    CHECK(off([](auto x, auto y) { return sum(dyad::matmul(transpose(exp(x)), transpose(y)) * dyad::matmul(transpose(exp(x)), transpose(y))); }, a, b) < 1e-8);
    CHECK(off([](auto x, auto y) { return sum(sin(transpose(exp(x)) * y) + transpose(exp(x))); }, a, b) < 1e-8);
    CHECK(off([](auto x) {
        const auto computed = sum(square(dyad::slice(transpose(exp(x)), 0, 1, 3))) + sum(flip(transpose(sin(x)), 1) * transpose(x));
        return computed + 3 * sum(square(dyad::slice(transpose(2 * x), 0, 1, 3))) + 5 * sum(flip(transpose(2 * x), 1) * transpose(x));
    }, a) < 1e-8);
    CHECK(off([](auto x) { return sum(square(sum(transpose(exp(x)), 0))) + dyad::max(transpose(sin(x))) + prod(transpose(x)); }, a) < 1e-8);
    CHECK(off([](auto x) { return sum(square(reshape(transpose(exp(x)), 2, 6))) + sum(square(take(transpose(exp(x)), 2, 0))); }, a) < 1e-8);
    CHECK(off([](auto x, auto y) { return sum(square(concatenate(std::tuple{transpose(exp(x)), y}, 0))) + sum(exp(cumsum(transpose(sin(x)), 0))); }, a, b) < 1e-8);
    CHECK(off([](auto x, auto y) { return sum(square(solve(y, transpose(exp(x))))) + sum(square(solve(transpose(exp(0.1 * y)) + y, transpose(x)))); }, a, s) < 1e-7);
    CHECK(off([](auto x, auto y) {
        const auto columns = sum(squeeze(expand_dims(exp(x), 1), 1) * x) + sum(expand_dims(exp(x), 1) * dyad::matmul(y, expand_dims(exp(x), 1)));
        return columns + 3 * sum(transpose(expand_dims(tanh(x), 1)) * y) + sum(square(dyad::matmul(transpose(expand_dims(tanh(x), 1)), y)));
    }, v, s) < 1e-8);
    CHECK(off([](auto x) { return dyad::sum(dyad::fori_loop(3, [&](auto, auto z) { return dyad::matmul(z, transpose(tanh(z))); }, tanh(dyad::matmul(x, transpose(x))))); }, a) < 1e-8);
    CHECK(off([](auto x) { return dyad::sum(dyad::where(transpose(exp(x)) > 1, transpose(x), transpose(sin(x)) * 2)); }, a) < 1e-8);
}

TEST_CASE("results that are turned") {
    const matrix a = numbers<double, 2>({3, 4}, 1), v = numbers<double, 2>({3, 4}, 2);
    const auto f = [](auto x) { return transpose(exp(x) * 2); };
    const matrix y = dyad::evaluate(f, a);
    REQUIRE(y.shape(0) == 4);
    CHECK(y(3, 1) == doctest::Approx(2 * std::exp(a(1, 3))));
    CHECK(duality_off(f, a, v) < 1e-13);
    CHECK(duality_off([](auto x) { return squeeze(dyad::slice(transpose(sin(x)), 0, 1, 2), 0); }, a, v) < 1e-13);
    CHECK(duality_off([](auto x) { return dyad::matmul(transpose(sin(x)), x); }, a, v) < 1e-13);
}

TEST_CASE("stacks of matrices without elements") {
    for (const std::size_t planes : {0U, 3U}) {
        const vector t{1, 2};
        const xt::xtensor<double, 3> c({planes, 2, 0}, 0.0);
        const auto f = [](auto u, auto v) { return transpose(dyad::matmul(tanh(u) + u, sin(v))); };
        const auto [value, slopes] = dyad::value_and_grad([f](auto u, auto v) { return sum(square(f(u, v))) + sum(u); })(t, c);
        CHECK(value == 3);
        CHECK(std::get<0>(slopes) == vector{1, 1});
        const auto [result, pullback] = dyad::vjp(f)(t, c);
        CHECK(std::get<0>(pullback(result)) == vector{0, 0});
    }
}
