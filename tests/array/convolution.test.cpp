// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Convolution and pooling against plain loops, their derivatives against differences.
#include <doctest/doctest.h>

#include <dyad/array.hpp>

namespace {

using images = xt::xtensor<double, 4>;

images numbers(std::size_t a, std::size_t b, std::size_t c, std::size_t d, double seed) {
    images x = dyad::zeros(a, b, c, d);
    double v = seed;
    for (double& e : x.storage()) e = v = 3.7 * v * (1 - v); // chaos is irregular enough
    return x;
}

/// What conv2d computes, written out.
double convolved(const images& x, const images& k, std::size_t n, std::size_t o, std::size_t r, std::size_t c, std::size_t step, std::size_t padding) {
    double sum = 0;
    for (std::size_t ch = 0; ch < k.shape()[1]; ++ch) {
        for (std::size_t i = 0; i < k.shape()[2]; ++i) {
            for (std::size_t j = 0; j < k.shape()[3]; ++j) {
                const std::size_t row = r * step + i, column = c * step + j;
                const bool inside = row >= padding && column >= padding && row - padding < x.shape()[2] && column - padding < x.shape()[3];
                if (inside) sum += x(n, ch, row - padding, column - padding) * k(o, ch, i, j);
            }
        }
    }
    return sum;
}

constexpr auto strided = [](auto x, auto k) { return conv2d(x, k, 2, 1); };
constexpr auto loss = [](auto x, auto k, auto c) { return sum(c * square(conv2d(2 * x, k, 2, 1))); };

/// The worst difference between the gradient and central differences.
template <class F, class G>
double slope_off(const F& f, const G& gradient, images x) {
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double& e = x.storage()[i];
        const double kept = e, h = 1e-6;
        e = kept + h;
        const double above = f(x);
        e = kept - h;
        const double below = f(x);
        e = kept;
        worst = std::max(worst, std::abs((above - below) / (2 * h) - gradient.storage()[i]));
    }
    return worst;
}

} // namespace

TEST_CASE("conv2d agrees with loops, and its gradients with differences") {
    const images x = numbers(2, 3, 5, 6, 0.31), k = numbers(4, 3, 3, 2, 0.47);
    const images plain = dyad::evaluate([](auto a, auto b) { return conv2d(a, b); }, x, k);
    REQUIRE(plain.shape()[2] == 3);
    REQUIRE(plain.shape()[3] == 5);
    CHECK(plain(1, 3, 2, 4) == doctest::Approx(convolved(x, k, 1, 3, 2, 4, 1, 0)));
    const images y = dyad::evaluate(strided, x, k);
    double worst = 0;
    for (std::size_t n = 0; n < y.shape()[0]; ++n) {
        for (std::size_t o = 0; o < y.shape()[1]; ++o) {
            for (std::size_t r = 0; r < y.shape()[2]; ++r) {
                for (std::size_t c = 0; c < y.shape()[3]; ++c) worst = std::max(worst, std::abs(y(n, o, r, c) - convolved(x, k, n, o, r, c, 2, 1)));
            }
        }
    }
    CHECK(worst < 1e-13);
    const images c = numbers(y.shape()[0], y.shape()[1], y.shape()[2], y.shape()[3], 0.2);
    const auto [by_x, by_k] = dyad::grad<0, 1>(loss)(x, k, c);
    CHECK(slope_off([&](const images& z) { return dyad::evaluate(loss, z, k, c); }, by_x, x) < 1e-6);
    CHECK(slope_off([&](const images& z) { return dyad::evaluate(loss, x, z, c); }, by_k, k) < 1e-6);
    const auto [value, tangent] = dyad::jvp(strided)(std::tuple{x, k}, std::tuple{x, k});
    CHECK(tangent(1, 2, 1, 1) == doctest::Approx(2 * value(1, 2, 1, 1))); // bilinear
    CHECK_THROWS_AS(dyad::evaluate(strided, x, numbers(4, 2, 3, 3, 0.3)), dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto a, auto b) { return conv2d(a, b); }, x, numbers(1, 3, 9, 9, 0.3)), dyad::shape_error);
}
TEST_CASE("pools agree with loops, and their gradients go to the winners and to all") {
    const images x = numbers(1, 2, 4, 5, 0.62);
    const images largest = dyad::evaluate([](auto a) { return max_pool(a, 2); }, x);
    REQUIRE(largest.shape()[2] == 2);
    REQUIRE(largest.shape()[3] == 2);
    CHECK(largest(0, 1, 1, 0) == std::max({x(0, 1, 2, 0), x(0, 1, 2, 1), x(0, 1, 3, 0), x(0, 1, 3, 1)}));
    const auto of_max = [](auto a) { return sum(square(max_pool(a, 2, 1))); };
    CHECK(slope_off([&](const images& z) { return dyad::evaluate(of_max, z); }, dyad::grad(of_max)(x), x) < 1e-6);
    const images means = dyad::evaluate([](auto a) { return avg_pool(a, 3, 1); }, x);
    double total = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) total += x(0, 0, 1 + i, 2 + j);
    }
    CHECK(means(0, 0, 1, 2) == doctest::Approx(total / 9));
    const auto of_mean = [](auto a) { return sum(square(avg_pool(a, 3, 1))); };
    CHECK(slope_off([&](const images& z) { return dyad::evaluate(of_mean, z); }, dyad::grad(of_mean)(x), x) < 1e-6);
    CHECK(dyad::grad([](auto a) { return sum(max_pool(a, 2)); })(images{{{{1, 1}, {1, 1}}}}) == images{{{{0.25, 0.25}, {0.25, 0.25}}}});
}
