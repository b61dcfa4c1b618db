// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Linear algebra and images in three ways: traced, on expressions, on arrays at once; arrays to begin with.

#include "three_ways.hpp"

#include <doctest/doctest.h>

using namespace three_ways;
using namespace dyad::literals;

namespace {

const vector v = numbers<double, 1>({4}), w = numbers<double, 1>({3}, 6);
const matrix m = numbers<double, 2>({3, 4}), s = square_matrix(3, 3, true);
const cube batch = numbers<double, 3>({2, 4, 3});
constexpr double exact = 1e-12;

} // namespace

TEST_CASE("products agree in three ways") {
    CHECK(off([](const auto& a, const auto& b) { return dyad::matmul(a, b); }, m, v) < exact);
    CHECK(values_apart([](const auto& a, const auto& b) { return dyad::matmul(a, b); }, m, batch) < exact);
    CHECK(off([](const auto& a, const auto& b) { return dyad::dot(a, b); }, v, v) < exact);
    CHECK(off([](const auto& a, const auto& b) { return dyad::outer(a, b); }, v, w) < exact);
    CHECK(values_apart([](const auto& a, const auto& b) { return dyad::tensordot(a, b); }, batch, numbers<double, 2>({4, 3}, 2)) < exact);
    const dyad::var<"m", matrix> a{m};
    CHECK(apart(tensordot(s, a, 1_c).value(), dyad::matmul(s, m)) < exact);
    CHECK(apart(dyad::tensordot(s, m, 1_c), dyad::matmul(s, m)) < exact);
}
TEST_CASE("diagonals, solutions, inverses and determinants agree in three ways") {
    CHECK(off([](const auto& a) { return dyad::trace(a); }, s) < exact);
    CHECK(off([](const auto& a) { return dyad::diag(a); }, s) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::diag(a); }, v) < exact);
    CHECK(off([](const auto& a, const auto& b) { return dyad::solve(a, b); }, s, w) < exact);
    CHECK(off([](const auto& a) { return dyad::inverse(a); }, s) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::cholesky(a); }, s) < exact);
    CHECK(off([](const auto& a) { return dyad::det(a); }, s) < exact);
    CHECK(off([](const auto& a) { return dyad::logdet(a); }, s) < exact);
}
TEST_CASE("factorisations have several results, which are expressions each") {
    CHECK(values_apart([](const auto& a) { return dyad::svd(a); }, m) < exact);
    const dyad::var<"s", matrix> a{s};
    const auto [q, r] = qr(a);
    CHECK(apart(matmul(q, r).value(), s) < exact);
    const auto [values, vectors] = eigh(a);
    CHECK(apart(matmul(vectors * values, transpose(vectors)).value(), s) < exact);
    CHECK(apart(std::get<0>(dyad::gradient(sum(values * values), a)), matrix(2 * s)) < exact);
    const auto [plain_values, plain_vectors] = dyad::eigh(s);
    CHECK(apart(values.value(), plain_values) < exact);
    CHECK(apart(vectors.value(), plain_vectors) < exact);
}
TEST_CASE("images agree in three ways") {
    const auto image = numbers<double, 4>({2, 1, 5, 5}), kernels = numbers<double, 4>({3, 1, 2, 2}, 4);
    CHECK(values_apart([](const auto& a, const auto& k) { return dyad::conv2d(a, k); }, image, kernels) < exact);
    CHECK(off([](const auto& a, const auto& k) { return dyad::conv2d(a, k, 2, 1); }, image, kernels) < exact);
    CHECK(off([](const auto& a) { return dyad::max_pool(a, 2); }, image) < exact);
    CHECK(values_apart([](const auto& a) { return dyad::avg_pool(a, 2, 1); }, image) < exact);
    const dyad::var<"image", xt::xtensor<double, 4>> x{image};
    CHECK(apart(conv2d(x, kernels, 2_c, 1_c).value(), conv2d(x, kernels, 2, 1).value()) < exact);
    CHECK_THROWS_AS(max_pool(x, 0), dyad::shape_error);
    CHECK_THROWS_AS(conv2d(x, kernels, 0, 1), dyad::shape_error);
}
TEST_CASE("shapes that do not fit are refused when the expression is made") {
    const dyad::var<"m", matrix> a{m};
    CHECK_THROWS_WITH_AS(matmul(a, m), "[dyad] matmul: Matrix size-incompatible: In[0]: [3,4], In[1]: [3,4]", dyad::shape_error);
    CHECK_THROWS_AS(inverse(a), dyad::shape_error);
    CHECK_THROWS_AS(dyad::solve(m, w), dyad::shape_error);
}
