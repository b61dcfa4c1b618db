// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The headers of arrays and of devices in one file, which nvcc must take as a whole: the host's loops keep their vectors there.
#include "agreement.hpp"

#include <doctest/doctest.h>

using namespace agreement;

TEST_CASE("loops and elementwise kernels of one function run on both sides") {
    const matrix x = wave(5, 37, 0.2);
    const vector w = wave(37, 0.4);
    CHECK(agrees([](auto a, auto b) { return sum(exp(a) * sin(b)) + logsumexp(matmul(a, b)); }, x, w));
    constexpr auto f = [](auto a, auto s) { return a * exp(-s * a); };
    CHECK(same_numbers(dyad::kernel(dyad::value_and_grad(f))(w, 0.5), dyad::kernel(dyad::value_and_grad(f))(dyad::to_device(w), 0.5)));
}

TEST_CASE("numbers narrower than double do so too") {
    const xt::xtensor<float, 1> x = xt::cast<float>(wave(1001, 0.1));
    constexpr auto f = [](auto a) { return mean(square(tanh(a))); };
    const auto [here, slope_here] = dyad::value_and_grad(f)(x);
    const auto [there, slope_there] = dyad::value_and_grad(f)(dyad::to_device(x));
    CHECK(here == doctest::Approx(there).epsilon(1e-6));
    const auto back = dyad::to_host(slope_there);
    REQUIRE(back.size() == slope_here.size());
    for (std::size_t i = 0; i < back.size(); ++i) CHECK(back(i) == doctest::Approx(slope_here(i)).epsilon(1e-5));
}
