// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Deep programs: hundreds of operations in dozens of loops, which compilers take with the limits that they have by default.
#include <doctest/doctest.h>

#include <dyad/array.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>

#include "differences.hpp"

namespace {

using namespace differences;

/// Layers that use what the one before gives three times, and an array twice.
constexpr auto layers = [](auto w, auto b, auto x) {
    auto h = x;
    for (int i = 0; i < 20; ++i) h = dyad::softmax(dyad::matmul(w, h) + b) * tanh(h) + sin(h * b) / (1 + exp(h));
    return sum(h);
};
/// More loops than a fold expression may have operands in clang.
constexpr auto rounds = [](auto x) {
    for (int i = 0; i < 40; ++i) x = x * sum(x) * 0.1 + tanh(x);
    return sum(x);
};
constexpr auto turned_chain = [](auto x) {
    auto y = x;
    for (int i = 0; i < 40; ++i) y = sin(y) * 0.5 + y;
    return sum(transpose(y) * x);
};
/// One loop that loads more arrays than programs have room for at first, whose bodies are written twice.
constexpr auto of_many = [](auto xs) {
    auto all = xs[0];
    for (std::size_t k = 1; k < xs.size(); ++k) all = all * 0.9 + square(xs[k] * xs[k - 1]);
    return sum(all);
};

/// A point in space as a camera sees it: turned about an axis and moved, then bent by a lens.
constexpr auto projected = [](auto camera, auto point) {
    const auto wx = camera[0], wy = camera[1], wz = camera[2], square_of_angle = wx * wx + wy * wy + wz * wz;
    const auto turns = square_of_angle > 1e-20;
    const auto angle = sqrt(where(turns, square_of_angle, 1.0));
    const auto s = where(turns, sin(angle) / angle, 1.0), c = where(turns, (1 - cos(angle)) / where(turns, square_of_angle, 1.0), 0.5);
    const auto cx = wy * point[2] - wz * point[1], cy = wz * point[0] - wx * point[2], cz = wx * point[1] - wy * point[0];
    const auto x = point[0] + s * cx + c * (wy * cz - wz * cy) + camera[3], y = point[1] + s * cy + c * (wz * cx - wx * cz) + camera[4];
    const auto z = point[2] + s * cz + c * (wx * cy - wy * cx) + camera[5], u = -x / z, v = -y / z, r = u * u + v * v;
    const auto bent = camera[6] * (1 + camera[7] * r + camera[8] * r * r);
    return dyad::stack(std::tuple{bent * u, bent * v});
};
constexpr auto misfit = [](auto cameras, auto points, auto of_camera, auto of_point, auto seen) {
    const auto found = dyad::vmap(projected)(dyad::take(cameras, of_camera), dyad::take(points, of_point));
    return sum(log1p(sum(square(found - seen), 1)));
};

} // namespace

TEST_CASE("a Hessian's product with a direction, of cameras and points") {
    const auto cameras = numbers<double, 2>({2, 9}, 1), seen = numbers<double, 2>({4, 2}, 3);
    const xt::xtensor<double, 2> points = numbers<double, 2>({3, 3}, 2) + 3.0;
    const xt::xtensor<int, 1> of_camera{0, 1, 0, 1}, of_point{0, 1, 2, 1};
    const auto by_cameras = numbers<double, 2>({2, 9}, 4), by_points = numbers<double, 2>({3, 3}, 5);
    const auto [first, second] = dyad::hvp<0, 1>(misfit)(std::tie(cameras, points, of_camera, of_point, seen), std::tie(by_cameras, by_points));
    const auto slopes = [&](double step) {
        return dyad::grad<0, 1>(misfit)(xt::xtensor<double, 2>(cameras + step * by_cameras), xt::xtensor<double, 2>(points + step * by_points), of_camera, of_point, seen);
    };
    const auto [first_up, second_up] = slopes(1e-5);
    const auto [first_down, second_down] = slopes(-1e-5);
    CHECK(apart(first, xt::xtensor<double, 2>((first_up - first_down) / 2e-5)) < 1e-6);
    CHECK(apart(second, xt::xtensor<double, 2>((second_up - second_down) / 2e-5)) < 1e-6);
}
TEST_CASE("a deep network") {
    CHECK(gradient_off(layers, numbers<double, 2>({4, 4}, 1), numbers<double, 1>({4}, 2), numbers<double, 1>({4}, 3)) < 1e-7);
}
TEST_CASE("many loops one after the other") {
    CHECK(gradient_off(rounds, numbers<double, 1>({5}, 1)) < 1e-7);
}
TEST_CASE("many arrays in one loop") {
    constexpr std::size_t n = 70;
    std::array<xt::xtensor<double, 1>, n> xs;
    for (std::size_t k = 0; k < n; ++k) xs[k] = numbers<double, 1>({5}, static_cast<unsigned>(k + 1));
    const auto slopes = dyad::grad(of_many)(xs);
    double worst = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const auto weight = [](std::size_t from) { return std::pow(0.9, static_cast<double>(n - 1 - from)); }; // of what joins there
        xt::xtensor<double, 1> wanted = xt::zeros<double>({5});
        if (k == 0) wanted += weight(0);
        if (k > 0) wanted += weight(k) * 2 * xs[k] * xt::square(xs[k - 1]);
        if (k + 1 < n) wanted += weight(k + 1) * 2 * xs[k] * xt::square(xs[k + 1]);
        worst = std::max(worst, apart(slopes[k], wanted));
    }
    CHECK(worst < 1e-13);
}
TEST_CASE("a long chain, turned") {
    CHECK(gradient_off(turned_chain, numbers<double, 2>({3, 3}, 1)) < 1e-7);
}
