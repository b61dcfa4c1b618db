// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Every reduction, over all axes, one, and one that is kept: see properties.hpp.

#include "properties.hpp"

using dyad::keep_dims;

TEST_CASE("sums and means hold their properties") {
    HOLDS_EMPTY(sum(a));
    HOLDS_EMPTY(sum(a, 0));
    HOLDS_EMPTY(sum(a, 1, keep_dims));
    HOLDS(mean(a));
    HOLDS(mean(a, 1));
    HOLDS_EMPTY(cumsum(a));
    HOLDS_EMPTY(cumsum(a, 1));
}
TEST_CASE("products hold their properties") {
    HOLDS_EMPTY(prod(a));
    HOLDS_EMPTY(prod(a, 0));
    HOLDS(prod(a, 1, keep_dims));
    HOLDS_EMPTY(cumprod(a));
    HOLDS_EMPTY(cumprod(a, -1));
}
TEST_CASE("extrema hold their properties") {
    HOLDS(max(a));
    HOLDS(max(a, 0));
    HOLDS(min(a, 1, keep_dims));
    HOLDS(amin(a));
    HOLDS_ROUGH(a * argmax(a));
}
TEST_CASE("norms and variances hold their properties") {
    HOLDS(norm(a));
    HOLDS(norm(a, 0));
    HOLDS(var(a));
    HOLDS(var(a, 1, keep_dims));
    HOLDS(variance(a, 0));
}
TEST_CASE("exponential reductions hold their properties") {
    HOLDS(logsumexp(a));
    HOLDS(logsumexp(a, 1));
    HOLDS(logsumexp(a, 0, keep_dims));
    HOLDS(softmax(a));
    HOLDS(softmax(a, 0));
    HOLDS(log_softmax(a, 1));
}
