// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Convolutions by cuDNN agree with those of the host, with a stand-in for the library (tests/device/stand_in) that holds it to
// cuDNN's argument lists.
#include <doctest/doctest.h>

#include "agreement.hpp"

using namespace agreement;

namespace {

using images = xt::xtensor<double, 4>;

images numbers(std::size_t a, std::size_t b, std::size_t c, std::size_t d, double by) {
    images x({a, b, c, d});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(by * static_cast<double>(i + 1));
    return x;
}
/// How often the library was called for value and gradient by images and kernels.
template <class F>
int calls_of(F f, const images& x, const images& k) {
    const int before = stand_in::convolved;
    REQUIRE(agrees(f, x, k));
    REQUIRE(stand_in::open_descriptors == 0);
    return stand_in::convolved - before;
}

} // namespace

TEST_CASE("a convolution and its cotangents, each a call of the library") {
    constexpr auto plain = [](auto x, auto k) { return sum(sin(conv2d(x, k))); };
    constexpr auto strided = [](auto x, auto k) { return sum(square(conv2d(x, k, 2, 1))) * 1.5; };
    CHECK(calls_of(plain, numbers(2, 3, 9, 8, 0.7), numbers(4, 3, 3, 2, 0.3)) == 3);
    CHECK(calls_of(strided, numbers(2, 3, 9, 8, 0.7), numbers(4, 3, 3, 2, 0.3)) == 3);
    CHECK(calls_of(strided, numbers(1, 1, 2, 2, 0.7), numbers(1, 1, 4, 4, 0.3)) == 3);
    CHECK(calls_of(plain, numbers(0, 3, 9, 8, 0.7), numbers(4, 3, 3, 2, 0.3)) == 0);
    CHECK(calls_of(plain, numbers(2, 0, 9, 8, 0.7), numbers(4, 0, 3, 2, 0.3)) == 0);
}
TEST_CASE("what the library has no algorithm for is computed as products") {
    constexpr auto wide = [](auto x, auto k) { return sum(sin(conv2d(x, k, 2, 3))); };
    CHECK(calls_of(wide, numbers(2, 3, 9, 8, 0.7), numbers(4, 3, 3, 2, 0.3)) == 0);
    CHECK(calls_of(wide, numbers(2, 3, 9, 8, 0.7), numbers(4, 3, 1, 1, 0.3)) == 0);
}
TEST_CASE("images that do not lie side by side, narrow ones, and many directions") {
    const images x = numbers(2, 3, 9, 8, 0.7), k = numbers(4, 3, 3, 2, 0.3);
    CHECK(values_agree([](auto a, auto b) { return conv2d(permute(a, 0, 1, 3, 2), permute(b, 0, 1, 3, 2), 1, 1); }, x, k));
    CHECK(values_agree([](auto a, auto b) { return conv2d(slice(a, 3, 1, 8, 2), b, 1, 1); }, x, k));
    constexpr auto f = [](auto a, auto b) { return conv2d(a, b, 1, 1); };
    const auto narrow = [](const images& a) { return xt::xtensor<float, 4>(xt::cast<float>(a)); };
    const auto there = dyad::to_host(dyad::evaluate(f, placed(narrow(x)), placed(narrow(k)))), here = dyad::evaluate(f, narrow(x), narrow(k));
    for (std::size_t i = 0; i < here.size(); ++i) CHECK(there.data()[i] == doctest::Approx(here.data()[i]).epsilon(1e-5));
    constexpr auto both = [](auto w) { return sum(square(conv2d(reshape(w, 1, 2, 3, 3), reshape(slice(w, 0, 0, 8), 1, 2, 2, 2), 2, 1))); };
    vector w = xt::zeros<double>({18});
    for (std::size_t i = 0; i < 18; ++i) w(i) = x.data()[i];
    const int before = stand_in::convolved;
    CHECK(same_numbers(dyad::hessian(both)(w), dyad::hessian(both)(placed(w))));
    CHECK(stand_in::convolved > before + 18); // a stack of directions is convolved one by one
}
TEST_CASE("a call that fails says what it was called with") {
    stand_in::fails_to_run = true;
    const auto x = placed(numbers(2, 3, 9, 8, 0.7));
    const auto k = placed(numbers(4, 3, 3, 2, 0.3));
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate([](auto a, auto b) { return conv2d(a, b); }, x, k)),
                         "[dyad] cudnnConvolutionForward(2 images of 3 x 9 x 8, 4 kernels of 3 x 2, on Thrust CPP): CUDNN_STATUS_EXECUTION_FAILED", dyad::device_error);
    CHECK(stand_in::open_descriptors == 0);
}
