// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Arrays in the shape of another: zeros_like, ones_like, full_like, eye_like, and the triangles tril and triu. In traced functions,
// in expressions, on plain arrays and on the tape; values, types, gradients against differences.

#include "differences.hpp"

#include <dyad/tape.hpp>

#include <doctest/doctest.h>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
const matrix A = numbers<double, 2>({3, 4}), S = numbers<double, 2>({3, 3}, 2);
const vector b = numbers<double, 1>({3});

/// Ridge regression's normal equations, which no plain array has to be handed to.
const auto ridge = [](auto X, auto y, auto lambda) {
    const auto G = matmul(transpose(X), X);
    return solve(G + lambda * eye_like(G), matmul(transpose(X), y));
};
/// log N(b; 0, L Lᵀ), the Cholesky factor L being the lower triangle of p.
const auto log_density = [](auto p, auto y) {
    const auto L = tril(p);
    const auto z = solve(L, y);
    return -0.5 * sum(z * z) - sum(log(abs(diag(L))));
};

/// Triangles to other diagonals, and a sum of their squares with a factor for each.
constexpr auto triangles = [](auto a) { return std::tuple{tril(a, 1), tril(a, -1), triu(a, 1), triu(a, -2), triu(a, 100), triu(a, -2147483647)}; };
constexpr auto half_squares = [](auto a, auto... c) {
    return std::apply([&](const auto&... t) { return (... + (0.5 * c * sum(square(t)))); }, triangles(a));
};

} // namespace

TEST_CASE("values in the shape of another array: traced, of expressions, at once") {
    const auto all = [](auto a) { return std::tuple{zeros_like(a), ones_like(a), full_like(a, 2.5), eye_like(a), tril(a), triu(a)}; };
    const matrix eye{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    const auto check = [&](const auto& found) {
        const auto& [zeros, ones, full, identity, lower, upper] = found;
        CHECK(zeros == dyad::zeros(3, 4));
        CHECK(ones == dyad::ones(3, 4));
        CHECK(full == dyad::full(2.5, 3, 4));
        CHECK(identity == eye);
        CHECK(lower == matrix(xt::tril(A)));
        CHECK(upper == matrix(xt::triu(A)));
    };
    check(dyad::evaluate(all, A));
    check(std::tuple{dyad::zeros_like(A), dyad::ones_like(A), dyad::full_like(A, 2.5), dyad::eye_like(A), dyad::tril(A), dyad::triu(A)});
    const dyad::var<"A", matrix> a{A};
    check(std::tuple{matrix(zeros_like(a).value()), matrix(ones_like(a).value()), matrix(full_like(a, 2.5).value()), matrix(eye_like(a).value()),
                     matrix(tril(a).value()), matrix(triu(a).value())});
}

TEST_CASE("elements of the array's type; sizes that are 0 and 1; other axes; values that are no numbers are not asked for") {
    const xt::xtensor<float, 1> f{1, 2, 3};
    static_assert(std::is_same_v<decltype(dyad::zeros_like(f)), xt::xtensor<float, 1>>);
    const auto traced = dyad::evaluate([](auto x) { return std::tuple{ones_like(x), full_like(x, 0.5), full_like(x, 0.5) + x}; }, f);
    using floats = xt::xtensor<float, 1>;
    static_assert(std::is_same_v<std::remove_const_t<decltype(traced)>, std::tuple<floats, floats, floats>>);
    CHECK(traced == std::tuple{floats{1, 1, 1}, floats{0.5F, 0.5F, 0.5F}, floats{1.5F, 2.5F, 3.5F}});
    static_assert(std::is_same_v<decltype(dyad::full_like(f, 0.5F)), xt::xtensor<float, 1>>);
    static_assert(std::is_same_v<decltype(dyad::full_like(f, 0.5)), vector>); // the value's type
    CHECK(dyad::ones_like(vector(std::array<std::size_t, 1>{0})).size() == 0);
    CHECK(dyad::eye_like(dyad::full(std::nan(""), 2, 2)) == matrix{{1, 0}, {0, 1}});
    CHECK(dyad::evaluate([](auto x) { return sum(zeros_like(x)) + sum(eye_like(x)); }, dyad::full(std::nan(""), 2, 3)) == 2);
    CHECK(dyad::evaluate([](auto x) { return tril(x); }, matrix{{7}}) == matrix{{7}});
    const auto batch = numbers<double, 3>({2, 2, 3});
    const xt::xtensor<double, 3> identities{{{1, 0, 0}, {0, 1, 0}}, {{1, 0, 0}, {0, 1, 0}}};
    CHECK(dyad::evaluate([](auto x) { return eye_like(x); }, batch) == identities);
    constexpr auto rows = [](auto x, auto r) { return full_like(x, r); };
    CHECK(dyad::evaluate(rows, A, numbers<double, 1>({4})) == matrix(xt::broadcast(numbers<double, 1>({4}), {3, 4})));
    CHECK_THROWS_AS(dyad::evaluate(rows, A, b), dyad::shape_error);
}

TEST_CASE("slopes: of the value that fills, none by the array whose shape it is, of the elements that a triangle keeps") {
    const auto filled = [](auto x, auto v) { return sum(sin(full_like(x, v) * x)) + 3 * sum(ones_like(x) * v); };
    const auto [dx, dv] = dyad::grad(filled)(A, 0.7);
    CHECK(apart(dx, matrix(0.7 * xt::cos(0.7 * A))) < 1e-14);
    CHECK(std::abs(dv - (xt::sum(xt::cos(0.7 * A) * A)() + 36)) < 1e-12);
    CHECK(dyad::grad([](auto x) { return sum(zeros_like(x) + eye_like(x)) + 0 * sum(x); })(A) == dyad::zeros(3, 4));
    CHECK(dyad::grad([](auto x) { return 2 * sum(tril(x)) + sum(square(triu(x))); })(A) == matrix(2 * xt::tril(dyad::ones(3, 4)) + 2 * xt::triu(A)));
    CHECK(gradient_off([](auto p, auto y) { return -1.5 * log_density(2 * p, y); }, matrix(S + 3 * dyad::eye(3)), b) < 1e-8);
    const auto weighted_ridge = dyad::value_and_grad<0, 1>([](auto X, auto y, auto c) { return sum(c * ridge(2 * X, 2 * y, 0.3)); });
    const vector c = numbers<double, 1>({4}, 11);
    const auto [by_table, by_values] = weighted_ridge(A, b, c).second;
    CHECK(apart(by_table, gradient([&](const matrix& X) { return weighted_ridge(X, b, c).first; }, A)) < 1e-8);
    CHECK(apart(by_values, gradient([&](const vector& y) { return weighted_ridge(A, y, c).first; }, b)) < 1e-8);
}

TEST_CASE("triangles to another diagonal: all of them, and beyond, against the definition; wide, tall, in a batch, at every diagonal") {
    const auto check = []<std::size_t K>(std::index_sequence<K>, const matrix& x, auto by_hand) {
        matrix expected = x;
        for (std::size_t i = 0; i < x.shape(0); ++i) {
            for (std::size_t j = 0; j < x.shape(1); ++j) expected(i, j) = by_hand(static_cast<int>(j) - static_cast<int>(i)) ? x(i, j) : 0;
        }
        CAPTURE(K);
        CHECK(std::get<K>(dyad::evaluate(triangles, x)) == expected);
        const auto one = [](std::size_t k) { return k == K ? 1.0 : 0.0; };
        CHECK(dyad::grad<0>(half_squares)(x, one(0), one(1), one(2), one(3), one(4), one(5)) == expected);
        const dyad::var<"x", matrix> e(x);
        CHECK(matrix(std::get<K>(triangles(e)).value()) == expected);
        dyad::tape tape;
        const auto recorded = tape.variable(x);
        CHECK(tape.gradient(0.5 * sum(square(std::get<K>(triangles(recorded)))), recorded) == expected);
    };
    for (const matrix& x : {A, S, matrix(xt::transpose(A)), matrix{{3}}}) {
        check(std::index_sequence<0>{}, x, [](int d) { return d <= 1; });
        check(std::index_sequence<1>{}, x, [](int d) { return d <= -1; });
        check(std::index_sequence<2>{}, x, [](int d) { return d >= 1; });
        check(std::index_sequence<3>{}, x, [](int d) { return d >= -2; });
        check(std::index_sequence<4>{}, x, [](int d) { return d >= 100; });
        check(std::index_sequence<5>{}, x, [](int d) { return d >= -2147483647; });
        for (int k = -5; k <= 5; ++k) { // plain arrays, whose diagonal is a number of the run
            CHECK(dyad::tril(x, k) == matrix(x * xt::tril(xt::ones_like(x), k)));
            CHECK(matrix(dyad::tril(x, k) + dyad::triu(x, k + 1)) == x);
        }
    }
    std::apply([](const auto&... t) { CHECK((... && (t.size() == 0))); }, dyad::evaluate(triangles, matrix(std::array<std::size_t, 2>{0, 3})));
    const auto batch = numbers<double, 3>({2, 3, 4});
    const xt::xtensor<double, 3> strict = dyad::evaluate([](auto x) { return triu(x, 1); }, batch);
    for (std::size_t k = 0; k < 2; ++k) CHECK(matrix(xt::view(strict, k)) == matrix(dyad::triu(matrix(xt::view(batch, k)), 1)));
    CHECK(dyad::triu(batch, 1) == strict);
    // A mask: what a position must not look at.
    const auto causal = [](auto q) { return softmax(q - 1e30 * triu(ones_like(q), 1), 1); };
    CHECK(dyad::evaluate(causal, matrix{{1, 2}, {3, 3}}) == matrix{{1, 0}, {0.5, 0.5}});
    CHECK_THROWS_AS(static_cast<void>(dyad::tril(b, 1)), dyad::shape_error);
}

TEST_CASE("on the tape, where the body may branch") {
    dyad::tape tape;
    const auto p = tape.variable(A);
    auto y = sum(square(tril(p)));
    if (y.value() > 0) y = y + 2 * sum(eye_like(p) * p) + sum(zeros_like(p) * p);
    CHECK(apart(tape.gradient(y, p), matrix(2 * xt::tril(A) + 2 * dyad::eye_like(A))) < 1e-14);
}
