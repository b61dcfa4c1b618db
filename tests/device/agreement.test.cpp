// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The same function on the host's arrays and on a device's: two back ends of one plan give one result.
#include <cmath>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <dyad/array.hpp>
#include <dyad/cuda.hpp>

namespace {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

matrix wave(std::size_t rows, std::size_t columns, double shift) {
    matrix x({rows, columns});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = 1.5 + std::sin(0.37 * static_cast<double>(i) + shift);
    return x;
}
vector wave(std::size_t n, double shift) {
    vector x = xt::zeros<double>({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = 1.5 + std::sin(0.37 * static_cast<double>(i) + shift);
    return x;
}

template <class X>
auto placed(const X& x) {
    if constexpr (dyad::array_like<X>) {
        return dyad::to_device(x);
    } else {
        return x;
    }
}
template <class Here, class There>
bool same_numbers(const Here& here, const There& there) {
    if constexpr (dyad::is_device_array<There>) {
        const auto back = dyad::to_host(there);
        if (back.shape() != here.shape()) return false;
        for (std::size_t i = 0; i < here.size(); ++i) {
            const double a = here.data()[i], b = back.data()[i];
            if (!(std::abs(a - b) <= 1e-11 * (1 + std::abs(a)))) return false;
        }
        return true;
    } else if constexpr (requires { std::tuple_size<Here>::value; }) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (same_numbers(std::get<I>(here), std::get<I>(there)) && ...);
        }(std::make_index_sequence<std::tuple_size_v<Here>>{});
    } else {
        return std::abs(here - there) <= 1e-11 * (1 + std::abs(here));
    }
}
/// Value and gradient with respect to all arguments, here and there.
template <class F, class... X>
bool agrees(F f, const X&... x) {
    return same_numbers(dyad::value_and_grad(f)(x...), dyad::value_and_grad(f)(placed(x)...));
}
/// Value and gradient with respect to the first argument.
template <class F, class... X>
bool agrees_by_first(F f, const X&... x) {
    return same_numbers(dyad::value_and_grad<0>(f)(x...), dyad::value_and_grad<0>(f)(placed(x)...));
}
template <class F, class... X>
bool values_agree(F f, const X&... x) {
    return same_numbers(dyad::evaluate(f, x...), dyad::evaluate(f, placed(x)...));
}

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
    CHECK(same_numbers(dyad::hvp(bowl)(v, dv), dyad::hvp(bowl)(placed(v), placed(dv))));
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::jvp(bowl)(placed(v), dv)),
                         doctest::Contains("[dyad] product: argument 0 lies on the device"), dyad::device_error);
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
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate(gather, placed(x), placed(wrong))), "[dyad] take: indices = 9 is not in [0, 9)", dyad::index_error);
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
}

} // namespace
