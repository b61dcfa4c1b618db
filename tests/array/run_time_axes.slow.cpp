// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Axes that only run time knows, in functions that capture a number and in expressions: what keeps or gets an axis of size 1 stretches
// against others as it does where the compiler knows the axis, and its gradient is summed.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <tuple>

using namespace differences;
using dyad::keep_dims;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
const matrix A = numbers<double, 2>({3, 4}, 2), direction = numbers<double, 2>({3, 4}, 5);

/// Value, gradient and directional derivatives of f(X, axis) with an axis that is captured, and one that is traced. `Expression`:
/// the gradient of an expression, which has no function to ask how often an element counts, is not refused.
template <bool Expression = true, class F>
void check_same(const F& f) {
    const double c = 1.5;
    const int axis = 1;
    const auto captured = [c, axis, f](auto X) { return c * f(X, axis); };
    const auto traced = [](auto X) { return 1.5 * F{}(X, 1); };
    const auto expected = dyad::value_and_grad(traced)(A);
    const auto found = dyad::value_and_grad(captured)(A);
    CHECK(found.first == doctest::Approx(expected.first));
    CHECK(apart(found.second, expected.second) < 1e-13);
    CHECK(dyad::evaluate(captured, A) == doctest::Approx(expected.first));
    CHECK(dyad::jvp(captured)(A, direction).second == doctest::Approx(inner(expected.second, direction)));
    const auto slope = [&](double h) { return dyad::value_and_grad(traced)(moved(A, direction, h)).second; };
    CHECK(apart(dyad::hvp(captured)(A, direction), matrix((slope(1e-5) - slope(-1e-5)) / 2e-5)) < 1e-8);
    const dyad::var<"X", matrix> x{A};
    const auto z = f(x, axis);
    CHECK(1.5 * z.value() == doctest::Approx(expected.first));
    if constexpr (Expression) CHECK(apart(matrix(1.5 * std::get<0>(dyad::gradient(z, x))), expected.second) < 1e-13);
    if constexpr (!Expression) CHECK_THROWS_AS(dyad::gradient(z, x), dyad::shape_error);
}

} // namespace

TEST_CASE("centred and scaled rows") {
    check_same([](auto X, int k) { return sum(square(X - dyad::mean(X, k, keep_dims)) * X); });
    check_same([](auto X, int k) { return sum(X * X / sum(square(X), k, keep_dims)); });
    check_same([](auto X, int k) { return sum(sin(X) * expand_dims(sum(X, k), k)); });
}
TEST_CASE("softmax by hand") {
    check_same<false>([](auto X, int k) {
        const auto e = exp(X - dyad::amax(X, k, keep_dims));
        return sum(X * e / sum(e, k, keep_dims));
    });
}
TEST_CASE("what stretches in one place and is summed as it is in another") {
    check_same([](auto X, int k) {
        const auto m = dyad::mean(X * X, k, keep_dims);
        return sum(square(m)) + sum(X * m) + dyad::prod(m);
    });
    check_same<false>([](auto X, int k) { return sum(sin(sum(X, k, keep_dims))) * sum(square(X) - sum(X, k, keep_dims)); });
}
TEST_CASE("equal slopes count every element") {
    check_same<false>([](auto X, int k) { return sum(square(X) - sum(X, k, keep_dims)); });
    check_same<false>([](auto X, int k) { return dyad::prod(0.1 * X + expand_dims(sum(X, k), k)); });
}
TEST_CASE("an array that stretches is returned as it is") {
    const double c = 2;
    const auto both = [c](auto X) {
        const auto m = c * dyad::mean(X, 1, keep_dims);
        return std::tuple{m, X - m};
    };
    const auto traced = [](auto X) {
        const auto m = 2 * dyad::mean(X, 1, keep_dims);
        return std::tuple{broadcast_like(m, m), X - m};
    };
    const auto [mean, rest] = dyad::evaluate(both, A);
    const auto [expected_mean, expected_rest] = dyad::evaluate(traced, A);
    CHECK(mean == expected_mean);
    CHECK(apart(rest, expected_rest) < 1e-15);
}
TEST_CASE("sizes that do not fit are refused as ever") {
    const double c = 2;
    const matrix other = numbers<double, 2>({2, 4});
    CHECK_THROWS_AS(dyad::evaluate([c](auto X, auto Y) { return c * sum(X - dyad::mean(Y, 1, keep_dims)); }, A, other), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<1>([c](auto X, auto Y) { return c * sum(X - dyad::mean(Y, 1, keep_dims)); })(A, other), dyad::shape_error);
}
