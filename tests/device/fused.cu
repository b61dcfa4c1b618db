// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What nvcc makes of kernels and losses: tools/check_ptx.py reads the assembly of this file and checks that each map has one
// access of 16 bytes for each input and output, and that none spills.
#include <dyad/cuda.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

using dyad::device_array;

// No library function here needs local memory of its own, so whatever is there would be ours.
struct arithmetic {
    template <class X, class Y>
    constexpr auto operator()(X x, Y y) const {
        return where(x > y, sqrt(x * x + y * y) / (1 + x * x), x * y - 1.0 / 3);
    }
};

auto value_and_slopes(const device_array<float, 1>& x, const device_array<float, 1>& y) {
    return dyad::kernel(dyad::value_and_grad(arithmetic{}))(x, y);
}
auto value_and_slopes(const device_array<double, 1>& x, const device_array<double, 1>& y) {
    return dyad::kernel(dyad::value_and_grad(arithmetic{}))(x, y);
}
auto stored_as_halves(const device_array<__half, 1>& x, const device_array<__half, 1>& y) {
    return dyad::kernel(dyad::value_and_grad(arithmetic{}))(x, y);
}
auto stored_as_bfloats(const device_array<__nv_bfloat16, 1>& x, const device_array<__nv_bfloat16, 1>& y) {
    return dyad::kernel(dyad::value_and_grad(arithmetic{}))(x, y);
}

// A generic lambda, local to a function, with a plain loop inside.
auto polynomial(const device_array<float, 1>& x, const device_array<float, 1>& y) {
    auto f = [](auto a, auto b) {
        auto sum = a;
        for (int k = 0; k < 40; ++k) sum = sum * b + 0.5 * k * a;
        return sum;
    };
    return dyad::kernel(dyad::value_and_grad(f))(x, y);
}

// Loops and branches of the graph: each element takes its own rounds, the slopes go forward with them.
auto cube_root(const device_array<float, 1>& x, const device_array<float, 1>& start) {
    auto f = [](auto a, auto b) {
        const auto root = dyad::while_loop([=](auto r) { return abs(r * r * r - a) > 1e-4 * a; }, [=](auto r) { return r - (r - a / (r * r)) / 3; }, b);
        return dyad::cond(a > b, [](auto r) { return r; }, [](auto r) { return 2 * r; }, dyad::fori_loop(3, [](auto, auto r) { return r + 0.5 / r; }, root));
    };
    return dyad::kernel(dyad::value_and_grad(f))(x, start);
}

// Elementwise producers ride in the reduction.
auto regression(const device_array<float, 1>& x, const device_array<float, 1>& t, float slope) {
    return dyad::value_and_grad<0>([](auto a, auto b, auto c) { return mean(square(c * a - b)); })(x, t, slope);
}
auto by_number(const device_array<double, 1>& x, const device_array<double, 1>& t, double slope) {
    return dyad::value_and_grad<2>([](auto a, auto b, auto c) { return mean(square(c * a - b)); })(x, t, slope);
}

auto cross_entropy(const device_array<float, 2>& x, const device_array<float, 2>& target) {
    return dyad::value_and_grad<0>([](auto a, auto t) { return -mean(sum(t * log_softmax(a, 1), 1)); })(x, target);
}
auto linear(const device_array<float, 1>& w, const device_array<float, 2>& X, const device_array<float, 1>& t) {
    return dyad::value_and_grad<0>([](auto a, auto b, auto c) { return mean(square(matmul(b, a) - c)); })(w, X, t);
}
