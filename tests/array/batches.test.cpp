// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// map and vmap of bodies that work with rows: what they compute for all rows at once is what the function gives for each.
#include <doctest/doctest.h>

#include <dyad/array.hpp>

#include <tuple>

#include "differences.hpp"
#include "worse.hpp"

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
using differences::numbers;

/// How far `vmap(f)(X, y)` is from f at each row and number, and its gradient of a weighted sum from differences; whether a loop of
/// the graph's is left.
template <class F>
double rows_off(const F& f, const matrix& X, const vector& y, bool in_loop = false) {
    const auto all = dyad::vmap(f)(X, y);
    double off = 0;
    const std::size_t each = X.shape(0) == 0 ? 0 : all.size() / X.shape(0);
    for (std::size_t i = 0; i < X.shape(0); ++i) {
        const vector row = xt::row(X, static_cast<std::ptrdiff_t>(i));
        const auto one = dyad::evaluate(f, row, y(i));
        for (std::size_t k = 0; k < each; ++k) {
            double wanted = 0;
            if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(one)>>) wanted = one;
            else wanted = one.data()[k];
            off = dyad_test::worse(off, std::abs(all.data()[i * each + k] - wanted));
        }
    }
    constexpr auto weighted = [](auto rows, auto numbers_beside) {
        const auto results = dyad::vmap(F{})(rows, numbers_beside);
        return sum(results * sin(results + 0.5));
    };
    constexpr auto plan = dyad::plan_of<matrix, vector>(dyad::value_and_grad(weighted));
    bool loops = false;
    for (std::size_t i = 0; i < plan.graph.size; ++i) loops = loops || plan.graph[i].op == dyad::opcode::call;
    CHECK(loops == in_loop);
    const auto [by_rows, by_numbers] = dyad::grad(weighted)(X, y);
    const matrix slopes = differences::gradient([&](const matrix& at) { return differences::evaluated(weighted, at, y); }, X);
    const vector slopes_beside = differences::gradient([&](const vector& at) { return differences::evaluated(weighted, X, at); }, y);
    CHECK(differences::apart(by_rows, slopes) < 1e-6);
    CHECK(differences::apart(by_numbers, slopes_beside) < 1e-6);
    return off;
}
const matrix X = numbers<double, 2>({5, 3}), one_row = numbers<double, 2>({1, 3}, 3), long_rows = numbers<double, 2>({3, 21}, 4);
const vector y = numbers<double, 1>({5}, 2), one = numbers<double, 1>({1}, 5), three = numbers<double, 1>({3}, 6);

template <class F>
void check(const F& f, bool in_loop = false) {
    CHECK(rows_off(f, X, y, in_loop) < 1e-14);
    CHECK(rows_off(f, one_row, one, in_loop) < 1e-14);
    CHECK(rows_off(f, long_rows, three, in_loop) < 1e-13);
}

} // namespace

TEST_CASE("sums, extrema and what is computed with them, for all rows at once") {
    check([](auto r, auto s) { return sum(r * r) * s + dyad::max(r); });
    check([](auto r, auto s) { return r * sum(r) + s; });
    check([](auto r, auto s) { return dyad::mean(r) * dyad::norm(r) - s; });
    check([](auto r, auto s) { return dyad::softmax(r * s); });
    check([](auto r, auto s) { return dyad::logsumexp(r) + dyad::var(r) / (2 + s); });
    check([](auto r, auto s) { return dyad::prod(1 + 0.1 * r) * s; });
}
TEST_CASE("elements, parts and axes of rows") {
    check([](auto r, auto s) { return sin(r[0]) + r[1] * s + r[-1]; });
    check([](auto r, auto s) { return dyad::slice(r, 0, 1) - s * dyad::slice(r, 0, 0, -1); });
    check([](auto r, auto s) { return sum(expand_dims(r, 1) * r, 1) * s; });
    check([](auto r, auto s) { return dyad::stack(std::tuple{r[0] * s, r[1], r[2]}); });
    check([](auto r, auto s) { return dyad::flip(r) * dyad::concatenate(std::tuple{dyad::slice(r, 0, 1), dyad::slice(r, 0, 0, 1)}) + s; });
    check([](auto r, auto) { return r; });
}
TEST_CASE("sizes of rows are theirs, not those of all rows") {
    check([](auto r, auto s) { return sum(r * r) / r.size() + s * r.shape(0); });
    check([](auto r, auto s) { return sum(r) * dyad::full(s, r.shape(0)) + 1.0; });
    check([](auto r, auto s) { return dyad::broadcast_to(sum(r * r) * s, 2, 3); });
    check([](auto r, auto s) { return sum(r) * s + dyad::zeros(r.shape(0)) + dyad::zeros_like(r); });
    check([](auto r, auto s) { return dyad::zeros(r.size()) + sum(r) * s; });
}
TEST_CASE("planes: turned, summed along their axes, and with what is the same for all") {
    const cube Z = numbers<double, 3>({3, 4, 2}, 7);
    const matrix W = numbers<double, 2>({2, 4}, 8);
    const auto f = [](auto z, auto w) { return transpose(z) * w + transpose(sum(z, 0, dyad::keep_dims)) - dyad::max(z, 1); };
    const auto all = [](auto z, auto w) { return dyad::map([&](auto plane) { return decltype(f){}(plane, w); }, z); };
    static_assert(dyad::plan_of<cube, matrix>(all).calls() == 0);
    const cube got = dyad::evaluate(all, Z, W);
    for (std::size_t i = 0; i < 3; ++i) {
        const matrix plane = xt::view(Z, i, xt::all(), xt::all()), wanted = dyad::evaluate(f, plane, W);
        for (std::size_t k = 0; k < wanted.size(); ++k) CHECK(got.data()[i * wanted.size() + k] == doctest::Approx(wanted.data()[k]).epsilon(1e-14));
    }
    const auto total = [](auto z, auto w) { return sum(sin(decltype(all){}(z, w))); };
    CHECK(differences::gradient_off(total, Z, W) < 1e-7);
}
TEST_CASE("what a body cannot do for all rows stays a loop") {
    check([](auto r, auto s) { return cumsum(r) * s; }, true);
    check([](auto r, auto s) { return dyad::fori_loop(2, [&](auto, auto t) { return t * s; }, sum(r)); }, true);
}
TEST_CASE("gradients and Hessians of each row") {
    constexpr auto f = [](auto r, auto s) { return sum(r * r * r) * s + r[0] * r[1]; };
    const matrix slopes = dyad::vmap(dyad::grad<0>(f))(X, y);
    const cube second = dyad::vmap(dyad::hessian<0>(f))(X, y);
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            const double cross = j == 0 ? X(i, 1) : j == 1 ? X(i, 0) : 0;
            CHECK(slopes(i, j) == doctest::Approx(3 * X(i, j) * X(i, j) * y(i) + cross).epsilon(1e-13));
            for (std::size_t k = 0; k < 3; ++k) {
                const double wanted = (j == k ? 6 * X(i, j) * y(i) : 0) + (j + k == 1 ? 1 : 0);
                CHECK(second(i, j, k) == doctest::Approx(wanted).epsilon(1e-13));
            }
        }
    }
}
TEST_CASE("batches of batches, and arrays that are the same for all rows") {
    const cube Z = numbers<double, 3>({2, 5, 3}, 7);
    const matrix W = numbers<double, 2>({4, 3}, 8), V = numbers<double, 2>({2, 5}, 9);
    const auto nested = [](auto z, auto v, auto w) {
        return dyad::vmap([&](auto plane, auto along) {
            return dyad::vmap([&](auto row, auto number) { return sum(w * row, 1) * number + sum(row) * sum(along); })(plane, along);
        })(z, v);
    };
    constexpr auto plan = dyad::plan_of<cube, matrix, matrix>(nested);
    static_assert(plan.calls() == 0);
    const cube got = dyad::evaluate(nested, Z, V, W);
    CHECK(got.shape() == std::array<std::size_t, 3>{2, 5, 4});
    for (std::size_t i = 0; i < 2; ++i) {
        double along = 0;
        for (std::size_t j = 0; j < 5; ++j) along += V(i, j);
        for (std::size_t j = 0; j < 5; ++j) {
            const double total = Z(i, j, 0) + Z(i, j, 1) + Z(i, j, 2);
            for (std::size_t k = 0; k < 4; ++k) {
                const double dot = W(k, 0) * Z(i, j, 0) + W(k, 1) * Z(i, j, 1) + W(k, 2) * Z(i, j, 2);
                CHECK(got(i, j, k) == doctest::Approx(dot * V(i, j) + total * along).epsilon(1e-13));
            }
        }
    }
    const auto total = [](auto z, auto v, auto w) { return sum(square(decltype(nested){}(z, v, w))); };
    const cube slopes = dyad::grad<0>(total)(Z, V, W);
    CHECK(differences::apart(slopes, differences::gradient([&](const cube& at) { return differences::evaluated(total, at, V, W); }, Z)) < 1e-5);
    CHECK_THROWS_AS(static_cast<void>(dyad::evaluate(nested, Z, matrix(xt::view(V, xt::all(), xt::range(0, 1))), W)), dyad::shape_error);
}
TEST_CASE("rows side by side are as many, whatever stretches in a body; none is none") {
    const auto product = [](auto r, auto s) { return r * s; };
    const auto loss = [](auto rows, auto beside) { return sum(dyad::vmap([](auto r, auto s) { return sum(r) * s; })(rows, beside)); };
    const char* const message = "[dyad] scan, map, vmap: the arrays have 5 and 1 elements along their first axes: [5,3] vs. [1]";
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::vmap(product)(X, one)), message, dyad::shape_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::grad(loss)(X, one)), message, dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::vmap(product)(one_row, y)), dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::vmap([](auto a, auto b) { return a + b; })(one, y)), dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::jvp(loss)(std::tuple{X, one}, std::tuple{X, one})), dyad::shape_error);
    const matrix none = xt::zeros<double>({0, 3});
    const vector no_numbers = xt::zeros<double>({0});
    CHECK(dyad::vmap(product)(none, no_numbers).shape() == std::array<std::size_t, 2>{0, 3});
    CHECK(dyad::evaluate(loss, none, no_numbers) == 0);
}
