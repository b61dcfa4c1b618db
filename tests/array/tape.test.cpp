// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Arrays on the tape: variables that are containers, compiled functions of them as single statements, mixed with programs of
// numbers.

#include <dyad/dyad.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

namespace {

using dyad::real, dyad::tape;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

constexpr auto mean_square = [](auto w, auto X, auto t) { return dyad::mean(square(dyad::matmul(X, w) - t)); };
constexpr auto layer = [](auto w, auto x) { return dyad::tanh(dyad::matmul(w, x)); };

const matrix X{{1, 2}, {3, 4}, {5, 7}};
const vector t{1, 0, 2};

} // namespace

TEST_CASE("a compiled function of arrays is one statement with a compiled pullback") {
    tape tape;
    const auto w = tape.variable(vector{1, 2});
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(w)>, xt::xtensor<real, 1>>);
    const real loss = tape.apply(mean_square, w, X, t);
    const std::size_t size = tape.size();
    CHECK(size == 3);
    const real y = loss * loss + w(0) * 10; // elements are numbers
    const auto [value, slope] = dyad::value_and_grad<0>(mean_square)(vector{1, 2}, X, t);
    CHECK(loss.value() == doctest::Approx(value));
    const vector g = tape.gradient(y, w);
    CHECK(g(0) == doctest::Approx(2 * value * slope(0) + 10));
    CHECK(g(1) == doctest::Approx(2 * value * slope(1)));
}

TEST_CASE("layers whose number depends on data") {
    const matrix w0{{0.5, -0.3}, {0.8, 0.1}};
    const vector x0{1, -2};
    const auto run = [](const matrix& w, const vector& x) {
        vector h = x;
        int layers = 0;
        double sum = 0;
        do {
            vector next{std::tanh(w(0, 0) * h(0) + w(0, 1) * h(1)), std::tanh(w(1, 0) * h(0) + w(1, 1) * h(1))};
            h = next;
            sum = h(0) * h(0) + h(1) * h(1);
            ++layers;
        } while (sum > 0.3 && layers < 50);
        return sum;
    };
    tape tape{dyad::persistent};
    const auto w = tape.variable(w0);
    auto h = tape.variable(x0);
    const auto x = h;
    real sum = 0;
    do {
        h = tape.apply(layer, w, h);
        sum = h(0) * h(0) + h(1) * h(1);
    } while (sum > 0.3);
    CHECK(sum.value() == doctest::Approx(run(w0, x0)));
    const auto [gw, gx] = tape.gradient(sum, std::tuple{w, x});
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
            matrix up = w0, down = w0;
            up(i, j) += 1e-6;
            down(i, j) -= 1e-6;
            CHECK(gw(i, j) == doctest::Approx((run(up, x0) - run(down, x0)) / 2e-6).epsilon(1e-7));
        }
        vector up = x0, down = x0;
        up(i) += 1e-6;
        down(i) -= 1e-6;
        CHECK(gx(i) == doctest::Approx((run(w0, up) - run(w0, down)) / 2e-6).epsilon(1e-7));
    }
    CHECK(tape.connected(sum, w));
    const auto j = tape.jacobian(h, x);
    CHECK(j.size() == 2);
    CHECK(j[0].size() == 2);
}

TEST_CASE("vectors, passive arrays and functions of numbers") {
    tape tape{dyad::persistent};
    const auto v = tape.variable(std::vector<double>{1, 2, 3});
    const real s = tape.apply([](auto x) { return sum(exp(x) * x); }, v);
    const std::vector<double> g = tape.gradient(s, v);
    for (int k = 1; k <= 3; ++k) CHECK(g[static_cast<std::size_t>(k - 1)] == doctest::Approx(std::exp(k) * (k + 1)));
    const std::vector<real> constants{1.0, 2.0};
    CHECK(tape.apply([](auto x) { return sum(x * x); }, constants).key().statement() == 0);
    const real x = tape.variable(2.0);
    const real y = tape.apply([](auto u, auto n) { return sin(u) * n; }, x, 3.0);
    CHECK(tape.gradient(y, x) == doctest::Approx(3 * std::cos(2.0)));
    const std::size_t before = tape.size();
    CHECK(tape.apply([](auto u) { return dyad::slice(u, 0, 1, 1); }, v).size() == 0);
    CHECK(tape.size() == before); // of no results nothing is recorded
    tape.pause();
    CHECK(tape.apply([](auto u) { return u * u; }, x).key().statement() == 0);
}

TEST_CASE("xtensor's own arithmetic works on elements") {
    tape tape;
    const auto w = tape.variable(vector{1, 2, 3});
    const xt::xtensor<real, 1> square = w * w;
    real sum = 0;
    for (const real& e : square) sum += e;
    const vector g = tape.gradient(sum, w);
    CHECK(g == vector{2, 4, 6});
}
TEST_CASE("a compiled function on the tape keeps what it was lent") {
    dyad::tape home;
    const auto weights = home.variable(xt::xtensor<double, 1>{1, 2, 3});
    auto lent = std::make_unique<std::vector<double>>(std::initializer_list<double>{3, 4, 5});
    const dyad::real sum_of_squares = home.apply([](auto v, auto q) { return sum(v * v * q); }, weights, std::span<const double>(*lent));
    lent->assign({0, 0, 0});
    lent.reset();
    CHECK(home.gradient(sum_of_squares, weights) == xt::xtensor<double, 1>{6, 16, 30});
}

namespace {

template <class T>
struct weighing {
    T weights, offsets;
};

} // namespace

TEST_CASE("aggregates of arrays and vectors are trees of their numbers") {
    tape tape;
    const auto l = tape.variable(weighing<vector>{{1, 2}, {3, 4}});
    const real y = l.weights(0) * l.offsets(1) + l.weights(1);
    const weighing<vector> slopes = tape.gradient(y, l);
    CHECK(slopes.weights == vector{4, 1});
    CHECK(slopes.offsets == vector{0, 1});
    const auto product = [](const auto& p) { return p.weights[0] * p.weights[0] * p.offsets[1]; };
    const weighing<std::vector<double>> found = dyad::tape_grad(product)(weighing<std::vector<double>>{{3, 5}, {1, 2, 7}});
    CHECK(found.weights == std::vector<double>{12, 0});
    CHECK(found.offsets == std::vector<double>{0, 9, 0});
    const auto nested = dyad::tape_grad([](const auto& p) { return p[1].weights[0] * p[0].offsets[1]; })(std::array{weighing<vector>{{1, 2}, {3, 4}}, weighing<vector>{{5, 6}, {7, 8}}});
    CHECK(nested[1].weights == vector{4, 0});
}

namespace {

template <class T>
struct net {
    std::vector<T> weights;
    T bias;
};
template <class W, class B>
struct dense {
    W weights;
    B bias;
};

} // namespace

TEST_CASE("aggregates with containers, and over several types") {
    const auto output = [](auto n) { return n.weights[0] * n.weights[1] + n.bias * n.bias; };
    const net<double> by = dyad::tape_grad(output)(net<double>{{1, 2}, 3});
    CHECK(by.weights == std::vector<double>{2, 1});
    CHECK(by.bias == 6);
    dyad::tape tape;
    const auto n = tape.variable(net<double>{{1, 2}, 3});
    const dyad::real y = output(n);
    CHECK(tape.gradient(y, n).weights == std::vector<double>{2, 1});
    const dense<matrix, vector> d{{{1, 2}, {3, 4}}, {0.5, 0.25}};
    const vector x = {1, -1};
    const auto energy = [](auto l, auto z) { return sum(square(matmul(l.weights, z) + l.bias)); };
    const auto on_tape = dyad::tape_grad<0>(energy)(d, x), compiled = dyad::grad<0>(energy)(d, x);
    CHECK(on_tape.weights == compiled.weights);
    CHECK(on_tape.bias == compiled.bias);
}

TEST_CASE("forward mode goes through functions of whole arrays, and the check of gradients so too") {
    using two = dyad::dual<double, 2>;
    const xt::xtensor<two, 1> w{two::variable(1.0, 0), two::variable(2.0, 1)};
    const auto squares = dyad::matmul(X, w * w);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(squares(0))>, two>);
    CHECK(squares(1).value() == 19);
    CHECK(squares(1).tangent(0) == 6);
    CHECK(squares(1).tangent(1) == 16);
    const two with_data = dyad::dot(vector{3, 5}, w), length = dyad::norm(w);
    CHECK(with_data.tangent(0) == 3);
    CHECK(with_data.tangent(1) == 5);
    CHECK(length.tangent(1) == doctest::Approx(2 / std::sqrt(5.0)));
    CHECK(dyad::check_gradient([](auto v, auto m) {
        auto s = dyad::sum(dyad::exp(dyad::matmul(m, v) * 0.1));
        if (s > 5) s = 2 * s;
        return s;
    }, vector{1, 2}, X));
}
