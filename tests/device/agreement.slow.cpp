// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The same function on the host's arrays and on a device's: two back ends of one plan give one result.
#include "agreement.hpp"

#include <doctest/doctest.h>

using namespace agreement;

TEST_CASE("reductions of every kind, along every axis") {
    for (const auto& [r, c] : std::initializer_list<std::pair<std::size_t, std::size_t>>{{1, 1}, {5, 1}, {1, 5}, {40, 33}}) {
        const matrix x = wave(r, c, 0.1);
        CHECK(agrees([](auto a) { return sum(log(sum(a * a, 0))) + sum(sqrt(sum(a, 1))); }, x));
        CHECK(agrees([](auto a) { return norm(a) + dyad::variance(a) + sum(norm(a, 1)); }, x));
        CHECK(agrees([](auto a) { return sum(amax(a, 0) * 2.0) + sum(amin(a, 1)) + amax(a); }, x));
        CHECK(agrees([](auto a) { return logsumexp(a) + sum(logsumexp(a, 0)) + sum(square(softmax(a, 1))); }, x));
        CHECK(agrees([](auto a) { return mean(log_softmax(a, 0)) - mean(mean(a, 0) * 2.0); }, x));
    }
}

TEST_CASE("arguments that stretch, numbers among them, sizes of 1 at run time") {
    const matrix x = wave(17, 9, 0.3), one = wave(1, 9, 0.2), column = wave(17, 1, 0.7);
    const vector row = wave(9, 0.5), single = wave(1, 0.6);
    constexpr auto f = [](auto a, auto b, auto s) { return sum(sin(a * b) * s + exp(b / 2) / s); };
    CHECK(agrees(f, x, row, 1.25));
    CHECK(agrees(f, column, row, 2.0));
    constexpr auto g = [](auto a, auto b, auto s) { return sum(sin(a * b) * s); };
    CHECK(agrees(g, x, one, 0.75));
    CHECK(agrees(g, x, column, 0.75));
    CHECK(agrees(g, row, single, 0.5));
    CHECK(agrees([](auto a, auto b) { return sum(sin(a) + b); }, column, row)); // (equal slopes count every element)
}

TEST_CASE("arrays of one element that are made of numbers lie on the device") {
    const vector x = wave(7, 0.3);
    CHECK(agrees([](auto a) { return prod(a) * 2; }, x));
    CHECK(agrees([](auto a, auto s) { return sum(broadcast_to(s * s + 2, 1) * a); }, x, 1.5));
    CHECK(values_agree([](auto a, auto s) { return std::tuple{broadcast_to(s * s + 2, 1), a}; }, x, 1.5));
}
TEST_CASE("views and what moves elements") {
    const matrix x = wave(12, 8, 0.3);
    const vector v = wave(30, 0.1);
    CHECK(agrees([](auto a) { return sum(transpose(a) * 2.0) + sum(square(slice(a, 0, 2, 7)) * flip(slice(a, 0, 2, 7), 1)); }, x));
    CHECK(agrees([](auto a) { return sum(square(reshape(a, 6, 16))); }, x));
    CHECK(agrees([](auto a) { return sum(exp(concatenate(a, a * 2.0))); }, v));
    CHECK(agrees([](auto a) { return sum(square(slice(a, 0, 1, -1) - 0.5 * (slice(a, 0, 2) + slice(a, 0, 0, -2)))); }, v));
    CHECK(agrees([](auto a) { return sum(sin(pad(a, 0, 2, 3)) * 2.0); }, v));
    CHECK(agrees([](auto a) { return sum(square(slice(a, 0, 3, 29, 4))); }, v));
    CHECK(agrees([](auto a) { return trace(matmul(a, transpose(a))); }, x));
    // Gradients that are computed where they lie in the zeros around them.
    CHECK(agrees([](auto a) { return sum(square(slice(a, 0, -2))); }, v));
    CHECK(agrees([](auto a) { return sum(square(slice(a, 1, -3, 7))) + sum(sin(slice(a, 0, -7, 9))); }, x));
}
TEST_CASE("arrays in the shape of another, and triangles") {
    const matrix x = wave(12, 8, 0.3);
    CHECK(agrees([](auto a) { return sum(sin(full_like(a, 0.5) * a) + eye_like(a) * a * a) + sum(zeros_like(a)); }, x));
    CHECK(agrees([](auto a) { return sum(transpose(reshape(a, a.shape(1), a.shape(0))) * reshape(a, a.shape(0), -1) * dyad::full(0.5, a.shape(0), 1)); }, x));
    CHECK(agrees([](auto a) { return sum(square(tril(a))) + 2 * sum(exp(triu(a))); }, x));
    CHECK(agrees([](auto a) { return sum(square(tril(a, -1))) + 2 * sum(exp(triu(a, 2))); }, x));
}

TEST_CASE("products of matrices in every arrangement") {
    const matrix a = wave(12, 8, 0.3), b = wave(8, 70, 0.6);
    const vector v = wave(8, 0.1), w = wave(12, 0.9);
    CHECK(agrees([](auto x, auto y) { return sum(square(matmul(x, y))); }, a, b));
    CHECK(agrees([](auto x, auto y) { return sum(tanh(matmul(x, y) * 0.1)); }, a, v));
    CHECK(agrees([](auto x, auto y) { return sum(matmul(x, y) * matmul(x, y)); }, w, a));
    CHECK(agrees([](auto x, auto y) { return dot(x, y) * dot(x, x); }, v, wave(8, 0.4)));
    CHECK(agrees([](auto x, auto y) { return sum(matmul(transpose(x), transpose(y))); }, wave(8, 12, 0.1), wave(70, 8, 0.2)));
}

TEST_CASE("a network of two layers") {
    const matrix x = wave(32, 10, 0.1), w1 = wave(10, 16, 0.2), w2 = wave(16, 3, 0.3), t = wave(32, 3, 0.4);
    const vector b1 = wave(16, 0.5), b2 = wave(3, 0.6);
    constexpr auto loss = [](auto m1, auto c1, auto m2, auto c2, auto data, auto target) {
        const auto hidden = tanh(matmul(data, m1) * 0.05 + c1);
        return -mean(sum(target * log_softmax(matmul(hidden, m2) + c2, 1), 1));
    };
    CHECK(agrees(loss, w1, b1, w2, b2, x, t));
}

TEST_CASE("results that are arrays, several or one") {
    const matrix x = wave(9, 8, 0.3);
    CHECK(values_agree([](auto a) { return softmax(a, 1); }, x));
    CHECK(values_agree([](auto a) { return std::tuple{sum(a, 0), mean(a), a * 2.0}; }, x));
    CHECK(values_agree([](auto a) { return std::array{a / sum(a, 1, dyad::keep_dims), sqrt(a)}; }, x));
}
TEST_CASE("a loop with sums along several axes keeps what its later kernels still read") {
    // (Each kernel goes through the loop anew: the result may lie where what it is made of lay only for the last.)
    const matrix x = wave(40, 33, 0.1), t = wave(40, 33, 0.7);
    const vector b = wave(33, 0.4);
    CHECK(values_agree([](auto a) {
        const auto s = softmax(a, 1);
        return std::tuple{s, sum(s, 0), sum(square(s))};
    }, x));
    CHECK(values_agree([](auto a) {
        const auto e = exp(a - sum(a, 1, dyad::keep_dims));
        return std::tuple{e / sum(e, 1, dyad::keep_dims), sum(e, 0), sum(e, 1), sum(e * e)};
    }, x));
    CHECK(agrees_by_first([](auto a, auto c, auto target) { return -mean(sum(target * log_softmax(a + c, 1), 1)); }, x, b, t));
    CHECK(agrees([](auto a, auto c, auto target) { return -mean(sum(target * log_softmax(a + c, 1), 1)); }, x, b, t));
}
TEST_CASE("a long map whose result lies over what it reads stays one kernel") {
    const vector x = wave(1000, 0.3);
    CHECK(values_agree([](auto a) {
        const auto e = exp(a);
        auto y = e / sum(e);
        const auto first = y;
        for (int k = 0; k < 200; ++k) y = y * (e - 3.0) / (2.0 + k) + 0.25;
        return std::tuple{first, y};
    }, x));
}
