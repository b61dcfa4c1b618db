// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Products, solutions, factorisations, convolutions: see properties.hpp. Square matrices are made of a by products, far
// from singular.

#include "properties.hpp"

#define SQUARE(a) (matmul(a, transpose(a)) + diag(2 + 0 * sum(a, 1)))

TEST_CASE("products hold their properties") {
    HOLDS_EMPTY(matmul(transpose(a), a));
    HOLDS_EMPTY(dot(a, sum(a, 0)));
    HOLDS_EMPTY(outer(a, sum(a, 1)));
    HOLDS_EMPTY(tensordot(a, a));
    HOLDS(trace(matmul(a, transpose(a))));
    HOLDS_EMPTY(diag(sum(a, 0)));
}
TEST_CASE("solutions and determinants hold their properties") {
    HOLDS(solve(SQUARE(a), a));
    HOLDS(inverse(SQUARE(a)));
    HOLDS(log(det(SQUARE(a))));
    HOLDS(logdet(SQUARE(a)));
}
TEST_CASE("factorisations hold their properties") {
    HOLDS(cholesky(SQUARE(a)));
    HOLDS(eigh(matmul(a, transpose(a)) + diag(cumsum(1 + 0 * sum(a, 1)))).first);
    HOLDS(square(qr(SQUARE(a)).second));
    HOLDS(std::get<1>(svd(SQUARE(a) + diag(cumsum(1 + 0 * sum(a, 1))))));
}
namespace {

constexpr auto image_of(auto a) {
    return expand_dims(expand_dims(pad(pad(a, 0, 1, 1), 1, 1, 1), 0), 0);
}
constexpr auto corner_of(auto image) {
    return slice(slice(image, 2, 0, 2), 3, 0, 2);
}

} // namespace

TEST_CASE("convolutions and pools hold their properties") {
    HOLDS(conv2d(image_of(a), corner_of(image_of(exp(a))), 1, 1));
    HOLDS(max_pool(image_of(a), 2, 1));
    HOLDS(avg_pool(image_of(a * a), 2));
}
