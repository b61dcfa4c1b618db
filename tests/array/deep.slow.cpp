// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Deep programs: hundreds of operations in dozens of loops, which compilers take with the limits that they have by default.
#include <doctest/doctest.h>

#include <dyad/array.hpp>

#include "differences.hpp"

namespace {

using namespace differences;

/// Layers that use what the one before gives three times, and an array twice.
constexpr auto layers = [](auto w, auto b, auto x) {
    auto h = x;
    for (int i = 0; i < 20; ++i) h = dyad::softmax(dyad::matmul(w, h) + b) * tanh(h) + sin(h * b) / (1 + exp(h));
    return sum(h);
};
/// More loops than a fold expression may have operands in clang.
constexpr auto rounds = [](auto x) {
    for (int i = 0; i < 40; ++i) x = x * sum(x) * 0.1 + tanh(x);
    return sum(x);
};
constexpr auto turned_chain = [](auto x) {
    auto y = x;
    for (int i = 0; i < 40; ++i) y = sin(y) * 0.5 + y;
    return sum(transpose(y) * x);
};

} // namespace

TEST_CASE("a deep network") {
    CHECK(gradient_off(layers, numbers<double, 2>({4, 4}, 1), numbers<double, 1>({4}, 2), numbers<double, 1>({4}, 3)) < 1e-7);
}
TEST_CASE("many loops one after the other") {
    CHECK(gradient_off(rounds, numbers<double, 1>({5}, 1)) < 1e-7);
}
TEST_CASE("a long chain, turned") {
    CHECK(gradient_off(turned_chain, numbers<double, 2>({3, 3}, 1)) < 1e-7);
}
