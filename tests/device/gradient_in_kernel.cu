// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The callables of transforms, called from device code: every kind of statement (inputs, constants, conditions,
// whole-number attributes, operations of two results).
#include <dyad/core.hpp>

struct mixed {
    template <class X, class Y>
    DYAD_FN constexpr auto operator()(X x, Y y) const {
        return dyad::where(x > y, dyad::sin(x * y) * dyad::exp(y / (1 + x * x)) + 2.5 * x, dyad::pow(x, 3));
    }
};

__global__ void value_and_gradient(const double* x, const double* y, double* value, double* dx, double* dy, int size) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= size) return;
    const auto [v, g] = dyad::value_and_grad(mixed{})(x[i], y[i]);
    value[i] = v;
    dx[i] = std::get<0>(g);
    dy[i] = std::get<1>(g);
}

__global__ void second_derivative(const float* x, float* result, int size) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < size) result[i] = dyad::hessian(mixed{})(x[i], 1.0f)[0][0];
}

struct wave {
    template <class X>
    DYAD_FN constexpr auto operator()(X x) const {
        return dyad::exp(dyad::sin(x)) / (1 + x * x);
    }
};
__global__ void fifth_derivative(const double* x, double* result, int size) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < size) result[i] = dyad::derivative<5>(wave{})(x[i]);
}

/// A loop that keeps nothing of its rounds: by one number the derivative goes forward.
struct rounds {
    template <class X>
    DYAD_FN constexpr auto operator()(X x) const {
        return dyad::fori_loop(5, [](auto i, auto s) { return dyad::sin(s) + i * s; }, x);
    }
};

__global__ void slope_of_loop(const double* x, double* result, int size) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < size) result[i] = dyad::grad(rounds{})(x[i]);
}
