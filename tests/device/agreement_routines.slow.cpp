// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Products with derivatives, and what is no loop of a plan but a routine: the same on the host's arrays and on a device's.
#include "agreement.hpp"

#include <limits>

#include <doctest/doctest.h>

using namespace agreement;

TEST_CASE("products with derivatives, forwards and backwards") {
    const matrix x = wave(9, 8, 0.3), dx = wave(9, 8, 0.9);
    const vector v = wave(8, 0.1), dv = wave(8, 0.8);
    constexpr auto f = [](auto a, auto b) { return std::pair{matmul(sin(a), b), sum(a * b)}; };
    const auto here = dyad::jvp(f)(std::tuple{x, v}, std::tuple{dx, dv});
    const auto there = dyad::jvp(f)(std::tuple{placed(x), placed(v)}, std::tuple{placed(dx), placed(dv)});
    CHECK(same_numbers(here.first.first, there.first.first));
    CHECK(same_numbers(here.second.first, there.second.first));
    CHECK(std::abs(here.second.second - there.second.second) < 1e-11);

    const auto [value, pullback] = dyad::vjp(f)(x, v);
    const auto [value_there, pullback_there] = dyad::vjp(f)(placed(x), placed(v));
    CHECK(same_numbers(value.first, value_there.first));
    const vector c = wave(9, 0.4);
    CHECK(same_numbers(pullback(std::pair{c, 2.0}), pullback_there(std::pair{placed(c), 2.0})));
    CHECK(same_numbers(pullback(std::pair{c, 0.5}), pullback_there(std::pair{placed(c), 0.5}))); // a pullback serves again

    constexpr auto bowl = [](auto a) { return sum(exp(a) * a) + square(sum(a)); };
    CHECK(same(dyad::hvp(bowl), v, dv));
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::jvp(bowl)(placed(v), dv)),
                         doctest::Contains("[dyad] jvp: argument 0 lies on the device"), dyad::device_error);
}

TEST_CASE("elements gathered and scattered, rows that occur several times among them") {
    const matrix x = wave(9, 8, 0.3), other = wave(5, 8, 0.7);
    const vector v = wave(30, 0.1);
    const xt::xtensor<int, 1> at{2, 0, -1, 2, 2};
    const xt::xtensor<int, 2> table{{0, 3}, {3, -2}};
    CHECK(agrees_by_first([](auto a, auto i) { return sum(square(take(a, i))); }, v, at));
    CHECK(agrees_by_first([](auto a, auto i) { return sum(square(take(a, i, 0))); }, x, at));
    CHECK(agrees_by_first([](auto a, auto i) { return sum(exp(take(a, i, 1)) * 2.0); }, x, table));
    CHECK(agrees_by_first([](auto a, auto i, auto b) { return sum(square(scatter_add(a, i, b, 0))); }, x, at, other));
    CHECK(agrees_by_first([](auto a, auto i) { return sum(square(scatter_add(a, i, 1.5))); }, v, at));
    CHECK(values_agree([](auto a, auto i, auto b) { return scatter_add(a, i, b, 0); }, x, at, other));
    const xt::xtensor<int, 1> none = xt::zeros<int>({0});
    CHECK(values_agree([](auto a, auto i) { return take(a, i, 0); }, x, none));
    const xt::xtensor<int, 1> wrong{0, 9, 17};
    constexpr auto gather = [](auto a, auto i) { return take(a, i, 0); };
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate(gather, placed(x), placed(wrong))), "[dyad] take: indices = 9 is not in [-9, 9)", dyad::index_error);
    const xt::xtensor<unsigned long, 1> huge{~0UL};
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate(gather, placed(x), placed(huge))), "[dyad] take: indices = 18446744073709551615 is not in [-9, 9)", dyad::index_error);
    for (const double odd : {1e19, -1e300, -9.3e18, 2.5, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        const xt::xtensor<double, 1> positions{0, odd};
        CHECK_THROWS_AS(static_cast<void>(dyad::evaluate(gather, placed(x), placed(positions))), dyad::index_error);
        CHECK_THROWS_AS(static_cast<void>(dyad::evaluate(gather, x, positions)), dyad::index_error);
    }
}

TEST_CASE("what goes along an axis") {
    const matrix x = wave(9, 8, 0.3);
    const vector v = wave(30, 0.1);
    CHECK(agrees([](auto a) { return sum(square(cumsum(a))) + sum(cumsum(a) * a); }, v));
    CHECK(agrees([](auto a) { return sum(square(cumsum(a, 0))) + sum(exp(cumsum(a * 0.1, 1))); }, x));
    CHECK(agrees([](auto a) { return sum(cumprod(a * 0.7, 1) * a) + sum(cumprod(a * 0.6, 0)); }, x));
    CHECK(values_agree([](auto a) { return std::tuple{argmax(a, 0), argmin(a, 1), argmax(a)}; }, x));
    CHECK(values_agree([](auto a) { return std::tuple{argmax(transpose(a), 0), argmin(slice(a, 0, 2, 7), 1)}; }, x));
}

TEST_CASE("images: convolution and pooling") {
    xt::xtensor<double, 4> images({2, 3, 9, 8}), kernels({4, 3, 3, 2});
    for (std::size_t i = 0; i < images.size(); ++i) images.data()[i] = std::sin(0.7 * static_cast<double>(i));
    for (std::size_t i = 0; i < kernels.size(); ++i) kernels.data()[i] = std::cos(0.3 * static_cast<double>(i));
    CHECK(agrees([](auto x, auto k) { return sum(square(conv2d(x, k))); }, images, kernels));
    CHECK(agrees([](auto x, auto k) { return sum(sin(conv2d(x, k, 2, 1))); }, images, kernels));
    CHECK(agrees([](auto x) { return sum(square(max_pool(x, 2))) + sum(avg_pool(x, 3, 2) * 2.0); }, images));
    constexpr auto overlapping = [](auto x) { return sum(square(max_pool(x, 3, 2))) + sum(exp(avg_pool(x, 2, 1))); };
    xt::xtensor<double, 4> ties = xt::round(2 * images);
    CHECK(agrees(overlapping, ties));
    CHECK(same(dyad::hvp(overlapping), ties, images));
    CHECK(values_agree([](auto x) { return max_pool(permute(x, 0, 1, 3, 2), 2, 3); }, images));
}

TEST_CASE("factorisations and systems") {
    const matrix a = wave(5, 5, 0.3), b = wave(5, 3, 0.6), tall = wave(7, 4, 0.2), unit = 3.0 * xt::eye<double>(5);
    const vector v = wave(5, 0.1);
    CHECK(agrees([](auto x, auto e, auto y) { return sum(square(solve(matmul(x, transpose(x)) + e, y))); }, a, unit, b));
    CHECK(agrees([](auto x, auto e, auto y) { return sum(sin(solve(matmul(x, transpose(x)) + e, y))) * 2.0; }, a, unit, v));
    CHECK(agrees([](auto x, auto e) {
        const auto p = matmul(x, transpose(x)) + e;
        return sum(exp(0.1 * cholesky(p))) + logdet(p) + sum(square(inverse(p))) * det(0.1 * p);
    }, a, unit));
    CHECK(agrees([](auto x) {
        const auto q = qr(x);
        return sum(std::get<0>(q) * std::get<0>(q) * std::get<0>(q)) + sum(std::get<1>(q) * std::get<1>(q));
    }, tall));
    CHECK(agrees([](auto x, auto e) {
        const auto w = eigh(matmul(x, transpose(x)) + e);
        return sum(std::get<0>(w) * std::get<0>(w));
    }, a, unit));
    CHECK(agrees([](auto x) { return sum(exp(0.1 * std::get<1>(svd(x)))); }, tall));
    // Two copies to the host for the operands, one for the value.
    const auto ga = placed(matrix(a + 3.0 * unit));
    const auto gv = placed(v);
    const auto before = dyad::device::transfers();
    static_cast<void>(dyad::evaluate([](auto x, auto y) { return sum(solve(x, y)); }, ga, gv));
    CHECK(dyad::device::transfers().to_host == before.to_host + 3);
    CHECK(dyad::device::transfers().to_device == before.to_device + 1);
    dyad::device_array<double, 1> out(5);
    CHECK_THROWS_AS(dyad::evaluate_into(out, [](auto x, auto y) { return solve(x, y); }, placed(matrix(0.0 * a)), gv), dyad::value_error);
}

TEST_CASE("a position may be a number of the host, an argument or the index of a loop") {
    const matrix a = wave(4, 5, 0.1);
    const vector v = wave(5, 0.3);
    CHECK(agrees_by_first([](auto x, auto i) { return sum(square(x[i])) + sum(take(x, i, 1) * x(0, i)); }, a, 2));
    CHECK(agrees_by_first([](auto x, auto i) { return sum(square(scatter_add(x, i, 2 * x[0]))) + x[i + 1]; }, v, -2));
    CHECK(agrees([](auto x) { return dyad::fori_loop(2, [=](auto i, auto s) { return s * 0.5 + x[2 * i] * x[i]; }, x[0]); }, v));
    CHECK(agrees_by_first([](auto x, auto n) { return dyad::fori_loop(n, [=](auto i, auto s) { return s + square(x[i]); }, x[1]); }, v, 5));
    const auto there = placed(v);
    CHECK_THROWS_AS(static_cast<void>(dyad::evaluate([](auto x, auto i) { return x[i]; }, there, 5)), dyad::index_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::evaluate([](auto x, auto i) { return scatter_add(x, i, 1.0); }, there, 0.5)), dyad::index_error);
}
TEST_CASE("an empty argmax names its axis and shape") {
    const dyad::device_array<double, 2> none(0, 3);
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate([](auto x) { return argmax(x, 0); }, none)), "[dyad] argmax: no elements along axis 0 of [0,3]", dyad::value_error);
}
