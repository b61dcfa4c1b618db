// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The core and the tape without arrays or devices, as nvcc sees them: no warning, also where templates of arrays are only named.
#include <cstdio>

#include <dyad/tape.hpp>

__global__ void slopes(const double* x, double* dx) {
    dx[threadIdx.x] = dyad::grad([](auto y) { return y * sin(y) + fabs(y) + max(y, y * y); })(x[threadIdx.x]);
}

double by_expressions(double at) {
    const dyad::var<"x"> x{at};
    const double k = 2;
    return dyad::diff(x * x * k, x).value() + dyad::grad([k](auto y) { return k * y * y; })(at);
}
double by_tape(double at) {
    return dyad::tape_grad([](auto y) { return y > 0 ? y * y : -y; })(at);
}
template <class T>
struct place {
    T x, y;
};
double of_aggregate(double at) {
    return dyad::grad([](auto p) { return dyad::fori_loop(3, [&](auto, auto s) { return s * p.x; }, p.y); })(place<double>{at, at}).x;
}
