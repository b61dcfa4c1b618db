// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Operations that factorise the same matrix share its factors. The oracle: the same computed by an inverse written out, and each alone.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <dyad/array.hpp>

#include "differences.hpp"

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using doctest::Approx;

const matrix a{{0.1, 2, -1}, {3, 0.2, 0.5}, {-0.4, 1, 2}}; // rows are exchanged
const vector b{1, -2, 0.5}, c{0.3, 0.7, -1};

template <class F, class... S>
constexpr std::size_t groups_of(F f, std::type_identity<S>...) {
    constexpr dyad::graph_view g = dyad::graph_of<S...>(f);
    return dyad::shared_factors<g.size>(g).count;
}
constexpr std::type_identity<matrix> a_matrix;
constexpr std::type_identity<vector> a_vector;

constexpr auto both = [](auto m, auto u, auto v) { return sum(solve(m, u) * solve(transpose(m), v)); };
constexpr auto by_inverse = [](auto m, auto u, auto v) {
    const auto x = inverse(m);
    return sum(matmul(x, u) * matmul(transpose(x), v));
};
constexpr auto all_of_lu = [](auto m, auto u, auto v) { return both(m, u, v) * logdet(m) + det(m) * sum(inverse(m) * transpose(m)) + det(transpose(m)); };
constexpr auto all_apart = [](auto m, auto u, auto v) {
    const auto of_products = [](auto x) { // the determinant, written out
        return x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) - x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) + x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
    };
    return by_inverse(m, u, v) * log(abs(of_products(m))) + 3 * of_products(m) + of_products(m);
};

} // namespace

TEST_CASE("solve and its cotangent share the factors, also of a transpose") {
    static_assert(groups_of([](auto m, auto u) { return sum(solve(m, u)); }, a_matrix, a_vector) == 0);
    static_assert(groups_of([](auto m, auto u) { return dyad::grad([](auto x, auto y) { return sum(square(solve(x, y))); })(m, u); }, a_matrix, a_vector) == 1);
    static_assert(groups_of(both, a_matrix, a_vector, a_vector) == 1);
    static_assert(groups_of([](auto m, auto n, auto u) { return solve(m, u) + solve(n, u); }, a_matrix, a_matrix, a_vector) == 0);
    static_assert(groups_of([](auto m, auto u) { return solve(m, u) + solve(tril(m), u) + solve(transpose(tril(m)), u); }, a_matrix, a_vector) == 0);
    CHECK(dyad::evaluate(both, a, b, c) == Approx(dyad::evaluate(by_inverse, a, b, c)).epsilon(1e-13));
    const auto one = dyad::grad(both)(a, b, c), other = dyad::grad(by_inverse)(a, b, c);
    CHECK(xt::allclose(std::get<0>(one), std::get<0>(other), 1e-12, 1e-13));
    CHECK(xt::allclose(std::get<1>(one), std::get<1>(other), 1e-12, 1e-13));
    CHECK(xt::allclose(std::get<2>(one), std::get<2>(other), 1e-12, 1e-13));
    CHECK(xt::allclose(dyad::hessian<0>(both)(a, b, c), dyad::hessian<0>(by_inverse)(a, b, c), 1e-11, 1e-12));
    const auto several = [](auto m, auto n) { return solve(m, n) + matmul(n, solve(transpose(m), transpose(n))); }; // many right sides
    const matrix inverse = dyad::evaluate([](auto m) { return dyad::inverse(m); }, a), n{{1, 2, 3}, {0, 1, -1}, {2, 0, 0.5}};
    const auto product = [](auto x, auto y) { return dyad::matmul(x, y); };
    const matrix left = dyad::evaluate(product, inverse, n), right = dyad::evaluate(product, n, dyad::evaluate(product, matrix(xt::transpose(inverse)), matrix(xt::transpose(n))));
    CHECK(xt::allclose(dyad::evaluate(several, a, n), left + right, 1e-12, 1e-13));
}
TEST_CASE("determinants and inverses beside it") {
    static_assert(groups_of(all_of_lu, a_matrix, a_vector, a_vector) == 1);
    CHECK(dyad::evaluate(all_of_lu, a, b, c) == Approx(dyad::evaluate(all_apart, a, b, c)).epsilon(1e-12));
    const auto one = dyad::grad(all_of_lu)(a, b, c), other = dyad::grad(all_apart)(a, b, c);
    CHECK(xt::allclose(std::get<0>(one), std::get<0>(other), 1e-11, 1e-12));
    CHECK(xt::allclose(std::get<1>(one), std::get<1>(other), 1e-11, 1e-12));
    const xt::xtensor<float, 2> single = xt::cast<float>(a);
    CHECK(dyad::evaluate(all_of_lu, single, vector(b), vector(c)) == Approx(dyad::evaluate(all_of_lu, matrix(xt::cast<double>(single)), b, c)).epsilon(1e-12));
}
TEST_CASE("shared or not, what has no solution says so, NaN stays and nothing of nothing is nothing") {
    const matrix singular{{1, 2, 3}, {2, 4, 6}, {1, 0, 1}};
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate(both, singular, b, c)), "[dyad] solve: the matrix is singular (pivot 1 is 0)", dyad::value_error);
    CHECK(dyad::evaluate([](auto m) { return dyad::logdet(m) + dyad::det(m); }, singular) == -HUGE_VAL);
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate([](auto m) { return dyad::det(m) + sum(dyad::inverse(m)); }, singular)),
                         "[dyad] inverse: the matrix is singular (pivot 1 is 0)", dyad::value_error);
    matrix unknown = a;
    unknown(1, 1) = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(dyad::evaluate(all_of_lu, unknown, b, c)));
    const matrix nothing(std::array<std::size_t, 2>{0, 0});
    const vector none(std::array<std::size_t, 1>{0});
    CHECK(dyad::evaluate(both, nothing, none, none) == 0);
    CHECK(dyad::evaluate([](auto m) { return dyad::logdet(m) + dyad::det(m) + sum(dyad::inverse(m)); }, nothing) == 1);
}
TEST_CASE("the parts of one decomposition") {
    constexpr auto of_eigh = [](auto m) { const auto [w, v] = eigh(m); return sum(matmul(v * w, transpose(v)) * m); };
    constexpr auto of_svd = [](auto m) { const auto [u, s, v] = svd(m); return sum(matmul(u * s, v) * m); };
    constexpr auto of_qr = [](auto m) { const auto [q, r] = qr(m); return sum(matmul(q, r) * m); };
    static_assert(groups_of(of_eigh, a_matrix) == 1 && groups_of(of_svd, a_matrix) == 1 && groups_of(of_qr, a_matrix) == 1);
    const matrix symmetric = a + xt::transpose(a), tall{{1, 2}, {3, -1}, {0.5, 4}}, wide = xt::transpose(tall);
    const auto squares = [](const matrix& m) { return xt::sum(m * m)(); };
    CHECK(dyad::evaluate(of_eigh, symmetric) == Approx(squares(symmetric)).epsilon(1e-13));
    for (const matrix& m : {a, tall, wide}) CHECK(dyad::evaluate(of_svd, m) == Approx(squares(m)).epsilon(1e-13));
    for (const matrix& m : {a, tall, wide}) CHECK(dyad::evaluate(of_qr, m) == Approx(squares(m)).epsilon(1e-13));
    const matrix slope = dyad::grad(of_svd)(tall); // of the sum of squares
    CHECK(xt::allclose(slope, 2 * tall, 1e-11, 1e-12));
}
