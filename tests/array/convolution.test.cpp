// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Convolution and pooling against plain loops, their derivatives against differences.
#include <doctest/doctest.h>

#include <dyad/array.hpp>

#include "worse.hpp"

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

/// The worst difference between the gradient and central differences, which are exact for squares, whatever h is.
template <class F, class G>
double slope_off(const F& f, const G& gradient, images x, double h = 1e-6) {
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double& e = x.storage()[i];
        const double kept = e;
        e = kept + h;
        const double above = f(x);
        e = kept - h;
        const double below = f(x);
        e = kept;
        worst = dyad_test::worse(worst, std::abs((above - below) / (2 * h) - gradient.storage()[i]));
    }
    return worst;
}

/// The worst difference between a convolution and its loops, and between the slopes of Σ c y² and differences.
template <int Step, int Padding>
double convolution_off(const images& x, const images& k) {
    constexpr auto f = [](auto a, auto b) { return conv2d(a, b, Step, Padding); };
    constexpr auto squares = [](auto a, auto b, auto w) { return sum(w * square(conv2d(a, b, Step, Padding))); };
    const images y = dyad::evaluate(f, x, k), c = numbers(y.shape()[0], y.shape()[1], y.shape()[2], y.shape()[3], 0.2);
    REQUIRE(y.shape()[2] == (x.shape()[2] + 2 * Padding - k.shape()[2]) / Step + 1);
    REQUIRE(y.shape()[3] == (x.shape()[3] + 2 * Padding - k.shape()[3]) / Step + 1);
    double worst = 0;
    for (std::size_t n = 0; n < y.shape()[0]; ++n) {
        for (std::size_t o = 0; o < y.shape()[1]; ++o) {
            for (std::size_t r = 0; r < y.shape()[2]; ++r) {
                for (std::size_t w = 0; w < y.shape()[3]; ++w) worst = dyad_test::worse(worst, std::abs(y(n, o, r, w) - convolved(x, k, n, o, r, w, Step, Padding)));
            }
        }
    }
    const auto [by_x, by_k] = dyad::grad<0, 1>(squares)(x, k, c);
    return dyad_test::worse(worst, slope_off([&](const images& z) { return dyad::evaluate(squares, z, k, c); }, by_x, x, 1.0),
                            slope_off([&](const images& z) { return dyad::evaluate(squares, x, z, c); }, by_k, k, 1.0));
}

} // namespace

TEST_CASE("conv2d agrees with loops, and its gradients with differences, for steps and padding of every kind") {
    const images x = numbers(2, 3, 5, 6, 0.31), k = numbers(4, 3, 3, 2, 0.47);
    CHECK(convolution_off<1, 0>(x, k) < 1e-11);
    CHECK(convolution_off<2, 1>(x, k) < 1e-11);
    CHECK(convolution_off<3, 2>(x, k) < 1e-11);
    CHECK(convolution_off<7, 4>(x, k) < 1e-11);                           // some windows are padding alone
    CHECK(convolution_off<1, 0>(x, numbers(2, 3, 1, 1, 0.2)) < 1e-11);    // points
    CHECK(convolution_off<2, 0>(x, numbers(2, 3, 1, 1, 0.2)) < 1e-11);
    CHECK(convolution_off<1, 0>(x, numbers(1, 3, 5, 6, 0.7)) < 1e-11);    // one window
    CHECK(convolution_off<1, 2>(numbers(1, 1, 1, 1, 0.3), numbers(1, 1, 3, 4, 0.4)) < 1e-11);
    CHECK(convolution_off<1, 3>(numbers(1, 2, 2, 0, 0.3), numbers(2, 2, 3, 2, 0.4)) < 1e-11); // nothing but padding
    CHECK(dyad::evaluate(strided, numbers(0, 3, 5, 6, 0.3), k).shape()[0] == 0);
    CHECK(dyad::evaluate(strided, x, numbers(0, 3, 3, 2, 0.3)).shape()[1] == 0);
    CHECK(dyad::evaluate(strided, numbers(2, 0, 5, 6, 0.3), numbers(4, 0, 3, 2, 0.3)) == images(xt::zeros<double>({2, 4, 3, 4})));
    CHECK(dyad::grad<1>([](auto a, auto b) { return sum(conv2d(a, b)); })(numbers(0, 3, 5, 6, 0.3), k) == images(xt::zeros<double>({4, 3, 3, 2})));
}
TEST_CASE("convolutions of views, transposed and of other element types") {
    const images x = numbers(2, 3, 5, 6, 0.31), k = numbers(4, 3, 3, 2, 0.47);
    const auto mirrored = [](auto a, auto b) { return conv2d(permute(a, 0, 1, 3, 2), permute(b, 0, 1, 3, 2), 2, 1); };
    CHECK(xt::allclose(dyad::evaluate(mirrored, x, k), xt::transpose(dyad::evaluate(strided, x, k), {0, 1, 3, 2}), 1e-13, 1e-13));
    const auto part = dyad::evaluate(strided, xt::view(x, xt::all(), xt::all(), xt::range(0, 5, 2), xt::range(1, 6)), k);
    CHECK(xt::allclose(part, dyad::evaluate(strided, images(xt::view(x, xt::all(), xt::all(), xt::range(0, 5, 2), xt::range(1, 6))), k), 1e-13, 1e-13));
    const xt::xtensor<float, 4> narrow = xt::cast<float>(x), kernels = xt::cast<float>(k);
    const xt::xtensor<float, 4> y = dyad::evaluate(strided, narrow, kernels);
    CHECK(xt::allclose(y, dyad::evaluate(strided, images(xt::cast<double>(narrow)), images(xt::cast<double>(kernels))), 1e-5, 1e-5));
    const xt::xtensor<int, 4> whole = xt::cast<int>(10 * x);
    CHECK(xt::allclose(dyad::evaluate(strided, whole, k), dyad::evaluate(strided, images(xt::cast<double>(whole)), k), 1e-13, 1e-13));
}
TEST_CASE("derivatives of a convolution in many directions, and twice") {
    using vector = xt::xtensor<double, 1>;
    const images x = numbers(2, 3, 5, 6, 0.31), k = numbers(4, 3, 3, 2, 0.47);
    const auto [value, tangent] = dyad::jvp(strided)(std::tuple{x, k}, std::tuple{x, k});
    CHECK(tangent(1, 2, 1, 1) == doctest::Approx(2 * value(1, 2, 1, 1))); // bilinear
    // A cubic polynomial's slope at 0, exactly: images and kernels are made of the same numbers.
    constexpr auto both = [](auto w) { return sum(square(conv2d(reshape(w, 1, 2, 3, 3), reshape(slice(w, 0, 0, 8), 2, 2, 2, 1), 2, 1))); };
    vector w = xt::zeros<double>({18});
    for (std::size_t i = 0; i < 18; ++i) w(i) = x.data()[i];
    const auto h = dyad::hessian(both)(w);
    double worst = 0;
    for (std::size_t i = 0; i < 18; ++i) {
        const auto moved = [&](double by) {
            vector v = w;
            v(i) += by;
            return vector(dyad::grad(both)(v));
        };
        const vector slope = (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / 12;
        for (std::size_t j = 0; j < 18; ++j) worst = dyad_test::worse(worst, std::abs(slope(j) - h(i, j)));
    }
    CHECK(worst < 1e-10);
    const vector v = xt::sin(w * 9);
    CHECK(xt::allclose(dyad::hvp(both)(w, v), xt::sum(h * xt::view(v, xt::newaxis(), xt::all()), 1), 1e-11, 1e-11));
    // Each of the two alone, in many directions at once.
    constexpr auto of_kernels = [](auto a, auto b) { return reshape(conv2d(b, reshape(a, 2, 3, 2, 1)), -1); };
    constexpr auto of_images = [](auto a, auto b) { return reshape(conv2d(reshape(a, 1, 3, 2, 2), b, 1, 1), -1); };
    const vector small = xt::view(w, xt::range(0, 12));
    CHECK(xt::allclose(xt::sum(dyad::jacobian<0>(of_kernels)(small, x) * small, 1), dyad::evaluate(of_kernels, small, x), 1e-11, 1e-11));
    CHECK(xt::allclose(xt::sum(dyad::jacobian<0>(of_images)(small, k) * small, 1), dyad::evaluate(of_images, small, k), 1e-11, 1e-11));
}
TEST_CASE("images and kernels that do not fit") {
    const images x = numbers(2, 3, 5, 6, 0.31);
    CHECK_THROWS_WITH_AS(dyad::evaluate(strided, x, numbers(4, 2, 3, 3, 0.3)), "[dyad] conv2d: Incompatible shapes: images [2,3,5,6] vs. kernels [4,2,3,3], padding 1", dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::evaluate([](auto a, auto b) { return conv2d(a, b); }, x, numbers(1, 3, 9, 9, 0.3)), "[dyad] conv2d: Incompatible shapes: images [2,3,5,6] vs. kernels [1,3,9,9]", dyad::shape_error);
    images out = x; // as it was
    CHECK_THROWS_AS(dyad::evaluate_into(out, [](auto a, auto b) { return a + conv2d(a, b, 1, 1); }, x, numbers(3, 2, 3, 3, 0.3)), dyad::shape_error);
    CHECK(out == x);
}
/// The largest elements of windows, or their means, written out.
template <int Size, int Step, bool Largest>
double pool_off(const images& x) {
    constexpr auto f = [](auto a) { return Largest ? max_pool(a, Size, Step) : avg_pool(a, Size, Step); };
    constexpr auto squares = [](auto a, auto w) { return sum(w * square(Largest ? max_pool(a, Size, Step) : avg_pool(a, Size, Step))); };
    constexpr std::size_t size = Size, step = Step;
    const images y = dyad::evaluate(f, x), c = numbers(y.shape()[0], y.shape()[1], y.shape()[2], y.shape()[3], 0.2);
    images slope = xt::zeros_like(x);
    REQUIRE(y.shape()[2] == (x.shape()[2] - size) / step + 1);
    REQUIRE(y.shape()[3] == (x.shape()[3] - size) / step + 1);
    double worst = 0;
    for (std::size_t n = 0; n < y.shape()[0]; ++n) {
        for (std::size_t o = 0; o < y.shape()[1]; ++o) {
            for (std::size_t r = 0; r < y.shape()[2]; ++r) {
                for (std::size_t s = 0; s < y.shape()[3]; ++s) {
                    double best = x(n, o, r * step, s * step), total = 0, equal = 0;
                    const auto each = [&](const auto& g) {
                        for (std::size_t k = 0; k < size * size; ++k) g(r * step + k / size, s * step + k % size);
                    };
                    each([&](std::size_t i, std::size_t j) { best = std::max(best, x(n, o, i, j)), total += x(n, o, i, j) / (Size * Size); });
                    each([&](std::size_t i, std::size_t j) { equal += x(n, o, i, j) == best ? 1 : 0; });
                    const double value = Largest ? best : total;
                    each([&](std::size_t i, std::size_t j) { slope(n, o, i, j) += 2 * value * c(n, o, r, s) * (Largest ? (x(n, o, i, j) == best ? 1 / equal : 0) : 1.0 / (Size * Size)); });
                    worst = dyad_test::worse(worst, std::abs(y(n, o, r, s) - value));
                }
            }
        }
    }
    const images found = dyad::grad<0>(squares)(x, c);
    const auto [value, tangent] = dyad::jvp(squares)(std::tie(x, c), std::tuple{c.shape() == x.shape() ? c : images(xt::cos(x)), images(0 * c)});
    const images direction = c.shape() == x.shape() ? c : images(xt::cos(x));
    worst = dyad_test::worse(worst, std::abs(tangent - xt::sum(slope * direction)()));
    for (std::size_t i = 0; i < x.size(); ++i) worst = dyad_test::worse(worst, std::abs(found.data()[i] - slope.data()[i]));
    return worst;
}
TEST_CASE("pools agree with loops, and so do their slopes, for windows that overlap, touch and leave gaps") {
    const images x = numbers(2, 3, 7, 9, 0.62), ties = xt::round(2 * x);
    CHECK(pool_off<2, 2, true>(x) < 1e-12);
    CHECK(pool_off<3, 1, true>(x) < 1e-12);
    CHECK(pool_off<2, 3, true>(x) < 1e-12);
    CHECK(pool_off<1, 1, true>(x) < 1e-12);
    CHECK(pool_off<7, 1, true>(x) < 1e-12);
    CHECK(pool_off<2, 2, true>(ties) < 1e-12);
    CHECK(pool_off<3, 2, true>(ties) < 1e-12);
    CHECK(pool_off<2, 2, false>(x) < 1e-12);
    CHECK(pool_off<3, 1, false>(x) < 1e-12);
    CHECK(pool_off<2, 3, false>(x) < 1e-12);
    CHECK(pool_off<7, 7, false>(x) < 1e-12);
}
TEST_CASE("pools of other ranks and element types, of nothing, twice, and in many directions") {
    const images x = numbers(2, 3, 7, 9, 0.62);
    const xt::xtensor<double, 2> one = xt::view(x, 1, 2);
    constexpr auto largest = [](auto a) { return max_pool(a, 3, 2); };
    CHECK(dyad::evaluate(largest, one) == xt::xtensor<double, 2>(xt::view(dyad::evaluate(largest, x), 1, 2)));
    CHECK(dyad::evaluate(largest, xt::transpose(x, {0, 1, 3, 2})) == images(xt::transpose(dyad::evaluate(largest, x), {0, 1, 3, 2})));
    const xt::xtensor<float, 4> narrow = xt::cast<float>(x);
    CHECK(dyad::evaluate(largest, narrow) == xt::xtensor<float, 4>(xt::cast<float>(dyad::evaluate(largest, x))));
    CHECK(dyad::evaluate(largest, numbers(0, 3, 7, 9, 0.1)).size() == 0);
    CHECK(dyad::grad([](auto a) { return sum(max_pool(a, 3, 2)); })(numbers(2, 0, 7, 9, 0.1)).size() == 0);
    constexpr auto curve = [](auto v) { return sum(max_pool(reshape(v, 4, 5), 2, 1) * exp(avg_pool(reshape(v, 4, 5), 2, 1))); };
    xt::xtensor<double, 1> v = xt::view(xt::flatten(x), xt::range(0, 20)), d = xt::sin(9 * v);
    const auto h = dyad::hessian(curve)(v);
    const auto hd = dyad::hvp(curve)(v, d);
    const xt::xtensor<double, 1> difference = (dyad::grad(curve)(xt::xtensor<double, 1>(v + 1e-6 * d)) - dyad::grad(curve)(xt::xtensor<double, 1>(v - 1e-6 * d))) / 2e-6;
    for (std::size_t i = 0; i < 20; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < 20; ++j) sum += h(i, j) * d(j);
        CHECK(sum == doctest::Approx(hd(i)).epsilon(1e-12));
        CHECK(sum == doctest::Approx(difference(i)).epsilon(1e-7));
    }
    CHECK(dyad::grad([](auto a) { return sum(max_pool(a, 2)); })(images{{{{1, 1}, {1, 1}}}}) == images{{{{0.25, 0.25}, {0.25, 0.25}}}});
    CHECK(dyad::grad([](auto a) { return sum(max_pool(a, 2)); })(images{{{{1, 1}, {1, 0}}}}) == images{{{{1 / 3.0, 1 / 3.0}, {1 / 3.0, 0}}}});
    images spoiled = x; // a NaN is the largest of its windows, and its slope is none
    spoiled(0, 0, 0, 0) = std::nan("");
    CHECK(std::isnan(dyad::evaluate(largest, spoiled)(0, 0, 0, 0)));
    CHECK(!std::isnan(dyad::evaluate(largest, spoiled)(0, 0, 0, 1)));
    CHECK(std::isnan(dyad::grad([](auto a) { return sum(max_pool(a, 3, 2)); })(spoiled)(0, 0, 1, 1)));
    CHECK_THROWS_WITH_AS(dyad::evaluate([](auto a) { return max_pool(a, 8); }, x), "[dyad] max_pool: windows of size 8 do not fit into [2,3,7,9]", dyad::shape_error);
}
