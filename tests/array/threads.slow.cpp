// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Values and gradients have the same bits for any number of threads, whatever an array goes through: sums along each axis,
// products, windows, scans, stretched operands. All are large enough to be shared out.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <tuple>

using namespace differences;

namespace {

template <class X>
bool same_bits(const X& x, const X& y) {
    if constexpr (requires { x.shape(); }) {
        return x.shape() == y.shape() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
    } else if constexpr (requires { std::tuple_size<X>::value; }) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (same_bits(std::get<I>(x), std::get<I>(y)) && ...);
        }(std::make_index_sequence<std::tuple_size_v<X>>{});
    } else {
        return std::memcmp(&x, &y, sizeof x) == 0;
    }
}
template <class F, class... X>
bool the_same(F f, const X&... x) {
    dyad::threads(1);
    const auto one = dyad::value_and_grad(f)(x...);
    bool same = true;
    for (const int n : {2, 3, 5, 8}) {
        dyad::threads(n);
        same = same && same_bits(dyad::value_and_grad(f)(x...), one);
    }
    dyad::threads(1);
    return same;
}
const auto X = numbers<double, 2>({701, 503}), Y = numbers<double, 2>({503, 211}, 2);
const auto row = numbers<double, 1>({503}, 3), column = numbers<double, 1>({701}, 4);

} // namespace

TEST_CASE("reductions along each axis have the same bits for any number of threads") {
    CHECK(the_same([](auto x) { return sum(square(sum(exp(x), 0))) + sum(square(sum(sin(x), 1))); }, X));
    CHECK(the_same([](auto x) { return sum(square(logsumexp(x, 0))) + sum(square(softmax(x, 1))); }, X));
    CHECK(the_same([](auto x) { return sum(square(max(x, 0))) + 3 * max(x) + var(x) + sum(prod(1 + x / 1000, 0)); }, X));
    CHECK(the_same([](auto x) { return sum(sin(cumsum(x, 0))) + sum(sin(cumsum(x, 1))); }, X));
}
TEST_CASE("products, windows and scans have the same bits for any number of threads") {
    CHECK(the_same([](auto x, auto y, auto v) { return sum(sin(matmul(x, y))) + sum(square(matmul(x, v))); }, X, Y, row));
    CHECK(the_same([](auto x, auto k) { return sum(sin(max_pool(conv2d(x, k), 2, 2))); }, numbers<double, 4>({3, 4, 65, 67}), numbers<double, 4>({5, 4, 3, 3}, 2)));
    CHECK(the_same([](auto x, auto v) {
        const auto [last, kept] = dyad::scan([&](auto h, auto now) { auto next = tanh(h / 2 + now * v); return std::pair{next, sum(next * next)}; }, 0.0 * v, x);
        return sum(last) + sum(kept);
    }, X, row));
}
TEST_CASE("stretched operands and stencils have the same bits for any number of threads") {
    CHECK(the_same([](auto x, auto v, auto u) { return sum(exp(x * v / 2 + expand_dims(u, 1))); }, X, row, column));
    CHECK(the_same([](auto x) {
        const auto here = slice(x, 0, 0, -1), next = slice(x, 0, 1, 700001);
        return sum(100 * square(next - here * here) + square(1 - here));
    }, numbers<double, 1>({700001})));
}
