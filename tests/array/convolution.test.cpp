// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Convolution and pooling, their tangents and pullbacks against plain loops, second derivatives against differences.
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

/// Calls visit for the element of the images and that of the kernels in each product that is part of element (n, o, r, c) of conv2d.
template <class Visit>
void for_products(const images& x, const images& k, const std::array<std::size_t, 4>& element, std::size_t step, std::size_t padding, const Visit& visit) {
    const auto [n, o, r, c] = element;
    for (std::size_t ch = 0; ch < k.shape()[1]; ++ch) {
        for (std::size_t i = 0; i < k.shape()[2]; ++i) {
            for (std::size_t j = 0; j < k.shape()[3]; ++j) {
                const std::size_t row = r * step + i, column = c * step + j;
                const bool inside = row >= padding && column >= padding && row - padding < x.shape()[2] && column - padding < x.shape()[3];
                if (inside) visit(std::array{n, ch, row - padding, column - padding}, std::array{o, ch, i, j});
            }
        }
    }
}
template <class Visit>
void for_elements(const images& x, const Visit& visit) {
    for (std::size_t n = 0; n < x.shape()[0]; ++n) {
        for (std::size_t o = 0; o < x.shape()[1]; ++o) {
            for (std::size_t r = 0; r < x.shape()[2]; ++r) {
                for (std::size_t c = 0; c < x.shape()[3]; ++c) visit(std::array{n, o, r, c});
            }
        }
    }
}
/// What conv2d computes, written out.
images convolved(const images& x, const images& k, std::size_t step, std::size_t padding) {
    const auto places = [&](unsigned axis) { return (x.shape()[axis] + 2 * padding - k.shape()[axis]) / step + 1; };
    images y = dyad::zeros(x.shape()[0], k.shape()[0], places(2), places(3));
    for_elements(y, [&](const auto& at) { for_products(x, k, at, step, padding, [&](const auto& of_x, const auto& of_k) { y[at] += x[of_x] * k[of_k]; }); });
    return y;
}
/// Its pullback of c.
std::pair<images, images> pulled_back(const images& x, const images& k, const images& c, std::size_t step, std::size_t padding) {
    std::pair<images, images> slopes{xt::zeros_like(x), xt::zeros_like(k)};
    for_elements(c, [&](const auto& at) {
        for_products(x, k, at, step, padding, [&](const auto& of_x, const auto& of_k) {
            slopes.first[of_x] += c[at] * k[of_k];
            slopes.second[of_k] += c[at] * x[of_x];
        });
    });
    return slopes;
}
/// Infinite where shapes differ or an element is not a number.
double apart(const images& a, const images& b) {
    if (a.shape() != b.shape()) return HUGE_VAL;
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = dyad_test::worse(worst, std::abs(a.data()[i] - b.data()[i]));
    return worst;
}

template <std::size_t... Number>
struct step_and_padding {
    static constexpr std::array<std::size_t, 2> numbers{Number...};
};
/// A convolution for each step and padding.
template <class... Each>
struct convolutions {
    constexpr auto operator()(auto a, auto b) const { return std::tuple{conv2d(a, b, int(Each::numbers[0]), int(Each::numbers[1]))...}; }
};
/// All agree with loops, and so does the pullback of each alone.
template <class... Each>
void agree_with_loops(convolutions<Each...> f, const images& x, const images& k) {
    const auto both = dyad::vjp(f)(x, k); // (no structured bindings: clang 14 does not capture them)
    auto cotangents = both.first;
    std::apply([](auto&... c) { ((c = images(0 * c)), ...); }, cotangents);
    const auto each = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
        const auto [step, padding] = std::get<I>(std::tuple{Each::numbers...});
        CAPTURE(I);
        const images& y = std::get<I>(both.first);
        images& c = std::get<I>(cotangents);
        CHECK(apart(y, convolved(x, k, step, padding)) < 1e-11);
        c = numbers(y.shape()[0], y.shape()[1], y.shape()[2], y.shape()[3], 0.2);
        const auto [by_x, by_k] = both.second(cotangents);
        const auto [wanted_x, wanted_k] = pulled_back(x, k, c, step, padding);
        CHECK(apart(by_x, wanted_x) < 1e-11);
        CHECK(apart(by_k, wanted_k) < 1e-11);
        c = images(0 * c);
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) { (each(std::integral_constant<std::size_t, I>{}), ...); }(std::index_sequence_for<Each...>{});
}

constexpr auto strided = [](auto x, auto k) { return conv2d(x, k, 2, 1); };

} // namespace

TEST_CASE("conv2d agrees with loops, and so do its pullbacks, for steps and padding of every kind") {
    const images x = numbers(2, 3, 5, 6, 0.31), k = numbers(4, 3, 3, 2, 0.47);
    constexpr convolutions<step_and_padding<1, 0>, step_and_padding<2, 0>, step_and_padding<2, 1>, step_and_padding<3, 2>,
                           step_and_padding<7, 4>> f; // (some windows of the last are padding alone)
    agree_with_loops(f, x, k);
    agree_with_loops(f, x, numbers(2, 3, 1, 1, 0.2)); // points
    agree_with_loops(f, x, numbers(1, 3, 5, 6, 0.7)); // one window
    constexpr convolutions<step_and_padding<1, 2>, step_and_padding<1, 3>> wide;
    agree_with_loops(wide, numbers(1, 1, 1, 1, 0.3), numbers(1, 1, 3, 4, 0.4));
    agree_with_loops(wide, numbers(1, 2, 2, 0, 0.3), numbers(2, 2, 3, 2, 0.4)); // nothing but padding
}
TEST_CASE("gradients of a convolution's squares, and of nothing") {
    const images x = numbers(2, 3, 5, 6, 0.31), k = numbers(4, 3, 3, 2, 0.47);
    constexpr auto squares = [](auto a, auto b) { return sum(square(conv2d(a, b))); };
    const auto [by_x, by_k] = dyad::grad(squares)(x, k);
    const auto [wanted_x, wanted_k] = pulled_back(x, k, 2 * convolved(x, k, 1, 0), 1, 0);
    CHECK(apart(by_x, wanted_x) < 1e-11);
    CHECK(apart(by_k, wanted_k) < 1e-11);
    CHECK(std::get<1>(dyad::grad(squares)(numbers(0, 3, 5, 6, 0.3), k)) == images(xt::zeros<double>({4, 3, 3, 2})));
    CHECK(dyad::evaluate(strided, numbers(0, 3, 5, 6, 0.3), k).shape()[0] == 0);
    CHECK(dyad::evaluate(strided, x, numbers(0, 3, 3, 2, 0.3)).shape()[1] == 0);
    CHECK(dyad::evaluate(strided, numbers(2, 0, 5, 6, 0.3), numbers(4, 0, 3, 2, 0.3)) == images(xt::zeros<double>({2, 4, 3, 4})));
}
TEST_CASE("convolutions of views, transposed and of other element types") {
    const images x = numbers(2, 3, 5, 6, 0.31), k = numbers(4, 3, 3, 2, 0.47);
    const auto mirrored = [](auto a, auto b) { return conv2d(permute(a, 0, 1, 3, 2), permute(b, 0, 1, 3, 2), 2, 1); };
    CHECK(apart(dyad::evaluate(mirrored, x, k), xt::transpose(convolved(x, k, 2, 1), {0, 1, 3, 2})) < 1e-13);
    const auto part = xt::view(x, xt::all(), xt::all(), xt::range(0, 5, 2), xt::range(1, 6));
    CHECK(apart(dyad::evaluate(strided, part, k), convolved(part, k, 2, 1)) < 1e-13);
    const xt::xtensor<float, 4> narrow = xt::cast<float>(x), kernels = xt::cast<float>(k);
    const xt::xtensor<float, 4> y = dyad::evaluate(strided, narrow, kernels);
    CHECK(apart(y, convolved(narrow, kernels, 2, 1)) < 1e-5);
    const xt::xtensor<int, 4> whole = xt::cast<int>(10 * x);
    CHECK(apart(dyad::evaluate(strided, whole, k), convolved(whole, k, 2, 1)) < 1e-12);
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
    constexpr auto each_alone = [](auto a, auto b, auto c) {
        return std::tuple{reshape(conv2d(b, reshape(a, 2, 3, 2, 1)), -1), reshape(conv2d(reshape(a, 1, 3, 2, 2), c, 1, 1), -1)};
    };
    const vector small = xt::view(w, xt::range(0, 12));
    const auto [by_kernels, by_images] = dyad::jacobian<0>(each_alone)(small, x, k);
    CHECK(xt::allclose(xt::sum(by_kernels * small, 1), xt::flatten(convolved(x, xt::reshape_view(small, {2, 3, 2, 1}), 1, 0)), 1e-11, 1e-11));
    CHECK(xt::allclose(xt::sum(by_images * small, 1), xt::flatten(convolved(xt::reshape_view(small, {1, 3, 2, 2}), k, 1, 1)), 1e-11, 1e-11));
}
TEST_CASE("images and kernels that do not fit") {
    const images x = numbers(2, 3, 5, 6, 0.31);
    CHECK_THROWS_WITH_AS(dyad::evaluate(strided, x, numbers(4, 2, 3, 3, 0.3)), "[dyad] conv2d: Incompatible shapes: images [2,3,5,6] vs. kernels [4,2,3,3], padding 1", dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::evaluate([](auto a, auto b) { return conv2d(a, b); }, x, numbers(1, 3, 9, 9, 0.3)), "[dyad] conv2d: Incompatible shapes: images [2,3,5,6] vs. kernels [1,3,9,9]", dyad::shape_error);
    images out = x; // as it was
    CHECK_THROWS_AS(dyad::evaluate_into(out, [](auto a, auto b) { return a + conv2d(a, b, 1, 1); }, x, numbers(3, 2, 3, 3, 0.3)), dyad::shape_error);
    CHECK(out == x);
}

namespace {

template <std::size_t... Number>
struct size_and_step {
    static constexpr std::array<std::size_t, 2> numbers{Number...};
};
/// The largest elements of windows, or their means, for each size and step.
template <bool Largest, class... Each>
struct pools {
    constexpr auto operator()(auto a) const {
        if constexpr (Largest) return std::tuple{max_pool(a, int(Each::numbers[0]), int(Each::numbers[1]))...};
        else return std::tuple{avg_pool(a, int(Each::numbers[0]), int(Each::numbers[1]))...};
    }
};
/// What they compute, written out, their tangent along d and their pullback of c.
struct pooled {
    images value, tangent, slope;
    pooled(bool largest, const images& x, const images& d, const images& c, std::size_t size, std::size_t step)
        : value(xt::zeros_like(c)), tangent(value), slope(xt::zeros_like(x)) {
        for_elements(c, [&](const auto& at) {
            double best = -HUGE_VAL, equal = 0;
            const auto each = [&](const auto& g) {
                for (std::size_t k = 0; k < size * size; ++k) g(std::array{at[0], at[1], at[2] * step + k / size, at[3] * step + k % size});
            };
            each([&](const auto& i) { best = std::max(best, x[i]); });
            each([&](const auto& i) { equal += x[i] == best ? 1 : 0; });
            each([&](const auto& i) {
                const double share = !largest ? 1 / static_cast<double>(size * size) : x[i] == best ? 1 / equal : 0;
                value[at] += share * x[i];
                tangent[at] += share * d[i];
                slope[i] += share * c[at];
            });
        });
    }
};
/// All agree with loops, and so do the tangent and the pullback of each alone.
template <bool Largest, class... Each>
void agree_with_loops(pools<Largest, Each...> f, const images& x) {
    const images d = xt::cos(9 * x);
    const auto forward = dyad::jvp(f)(x, d);
    const auto reverse = dyad::vjp(f)(x);
    auto cotangents = reverse.first;
    std::apply([](auto&... c) { ((c = images(0 * c)), ...); }, cotangents);
    const auto each = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
        const auto [size, step] = std::get<I>(std::tuple{Each::numbers...});
        CAPTURE(I);
        images& c = std::get<I>(cotangents);
        c = numbers(2, 3, (x.shape()[2] - size) / step + 1, (x.shape()[3] - size) / step + 1, 0.2);
        const pooled wanted(Largest, x, d, c, size, step);
        CHECK(apart(std::get<I>(forward.first), wanted.value) < 1e-12);
        CHECK(apart(std::get<I>(forward.second), wanted.tangent) < 1e-12);
        CHECK(apart(std::get<I>(reverse.first), wanted.value) < 1e-12);
        CHECK(apart(reverse.second(cotangents), wanted.slope) < 1e-12);
        c = images(0 * c);
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) { (each(std::integral_constant<std::size_t, I>{}), ...); }(std::index_sequence_for<Each...>{});
}

} // namespace

TEST_CASE("pools agree with loops, and so do their slopes, for windows that overlap, touch and leave gaps") {
    const images x = numbers(2, 3, 7, 9, 0.62), ties = xt::round(2 * x);
    constexpr pools<true, size_and_step<2, 2>, size_and_step<3, 1>, size_and_step<2, 3>, size_and_step<1, 1>, size_and_step<7, 1>, size_and_step<3, 2>> largest;
    constexpr pools<false, size_and_step<2, 2>, size_and_step<3, 1>, size_and_step<2, 3>, size_and_step<7, 7>> means;
    agree_with_loops(largest, x);
    agree_with_loops(largest, ties);
    agree_with_loops(means, x);
}
TEST_CASE("pools of other ranks and element types, of nothing, twice, and in many directions") {
    const images x = numbers(2, 3, 7, 9, 0.62);
    const xt::xtensor<double, 2> one = xt::view(x, 1, 2);
    constexpr auto largest = [](auto a) { return max_pool(a, 3, 2); };
    constexpr auto sum_of_largest = [](auto a) { return sum(max_pool(a, 3, 2)); };
    constexpr auto sum_of_pairs = [](auto a) { return sum(max_pool(a, 2)); };
    CHECK(dyad::evaluate(largest, one) == xt::xtensor<double, 2>(xt::view(dyad::evaluate(largest, x), 1, 2)));
    CHECK(dyad::evaluate(largest, xt::transpose(x, {0, 1, 3, 2})) == images(xt::transpose(dyad::evaluate(largest, x), {0, 1, 3, 2})));
    const xt::xtensor<float, 4> narrow = xt::cast<float>(x);
    CHECK(dyad::evaluate(largest, narrow) == xt::xtensor<float, 4>(xt::cast<float>(dyad::evaluate(largest, x))));
    CHECK(dyad::evaluate(largest, numbers(0, 3, 7, 9, 0.1)).size() == 0);
    CHECK(dyad::grad(sum_of_largest)(numbers(2, 0, 7, 9, 0.1)).size() == 0);
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
    CHECK(dyad::grad(sum_of_pairs)(images{{{{1, 1}, {1, 1}}}}) == images{{{{0.25, 0.25}, {0.25, 0.25}}}});
    CHECK(dyad::grad(sum_of_pairs)(images{{{{1, 1}, {1, 0}}}}) == images{{{{1 / 3.0, 1 / 3.0}, {1 / 3.0, 0}}}});
    images spoiled = x; // a NaN is the largest of its windows, and its slope is none
    spoiled(0, 0, 0, 0) = std::nan("");
    CHECK(std::isnan(dyad::evaluate(largest, spoiled)(0, 0, 0, 0)));
    CHECK(!std::isnan(dyad::evaluate(largest, spoiled)(0, 0, 0, 1)));
    CHECK(std::isnan(dyad::grad(sum_of_largest)(spoiled)(0, 0, 1, 1)));
    CHECK_THROWS_WITH_AS(dyad::evaluate([](auto a) { return max_pool(a, 8); }, x), "[dyad] max_pool: windows of size 8 do not fit into [2,3,7,9]", dyad::shape_error);
}
