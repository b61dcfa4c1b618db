// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// A long short-term memory of 64 units over 100 steps of 32 inputs: its loss by all its weights. By hand, what can wait is
// one matrix product for all steps.
#include "harness.hpp"
#include "inputs.hpp"

#include <dyad/array.hpp>

#include <cblas.h>

#include <cmath>
#include <tuple>
#include <vector>

namespace bench {
namespace {

constexpr int units = 64, inputs = 32, steps = 100, gates = 4 * units;

struct lstm {
    static constexpr auto function = [](auto W, auto U, auto b, auto X) {
        const auto end = dyad::scan(
            [&](auto state, auto x) {
                const auto [h, c] = state;
                const auto a = dyad::matmul(W, h) + dyad::matmul(U, x) + b;
                const auto in = dyad::sigmoid(dyad::slice(a, 0, 0, units)), forget = dyad::sigmoid(dyad::slice(a, 0, units, 2 * units));
                const auto fresh = tanh(dyad::slice(a, 0, 2 * units, 3 * units)), out = dyad::sigmoid(dyad::slice(a, 0, 3 * units, 4 * units));
                const auto cell = forget * c + in * fresh;
                return std::pair{std::tuple{out * tanh(cell), cell}, std::tuple<>{}};
            },
            std::tuple{0.0 * dyad::slice(b, 0, 0, units), 0.0 * dyad::slice(b, 0, 0, units)}, X);
        const auto h = std::get<0>(end.first);
        return dyad::sum(h * h);
    };
    std::size_t points = steps, bytes = 0;
    matrix W = drawn_matrix(gates, units, -0.1, 0.1), U = drawn_matrix(gates, inputs, -0.1, 0.1, 2), X = drawn_matrix(steps, inputs, -1, 1, 3);
    vector b = drawn(gates, -0.1, 0.1, 4);
    matrix by_W = W, by_U = U, by_X = X;
    vector by_b = b;
    std::vector<double> a, h, c, t, da, dh, dc;
    double value = 0;
    explicit lstm(std::size_t)
        : a(steps * gates), h((steps + 1) * units), c((steps + 1) * units), t(steps * units), da(steps * gates), dh(units), dc(units) {}
    auto results() { return std::tie(value, by_W, by_U, by_b, by_X); }

    void by_dyad() {
        auto [v, g] = dyad::value_and_grad(function)(W, U, b, X);
        value = v;
        by_W = std::move(std::get<0>(g));
        by_U = std::move(std::get<1>(g));
        by_b = std::move(std::get<2>(g));
        by_X = std::move(std::get<3>(g));
    }
    static void product(CBLAS_TRANSPOSE left, CBLAS_TRANSPOSE right, int n, int m, int k, const double* x, int ldx, const double* y, int ldy,
                        double beta, double* r) {
        cblas_dgemm(CblasRowMajor, left, right, n, m, k, 1.0, x, ldx, y, ldy, beta, r, m);
    }
    void by_hand() {
        for (int s = 0; s < steps; ++s) std::copy(b.begin(), b.end(), a.begin() + s * gates);
        product(CblasNoTrans, CblasTrans, steps, gates, inputs, X.data(), inputs, U.data(), inputs, 1, a.data());
        std::fill_n(h.begin(), units, 0.0);
        std::fill_n(c.begin(), units, 0.0);
        for (int s = 0; s < steps; ++s) {
            double* const g = a.data() + s * gates;
            const double *const h0 = h.data() + s * units, *const c0 = c.data() + s * units;
            double *const h1 = h.data() + (s + 1) * units, *const c1 = c.data() + (s + 1) * units, *const ts = t.data() + s * units;
            cblas_dgemv(CblasRowMajor, CblasNoTrans, gates, units, 1.0, W.data(), units, h0, 1, 1.0, g, 1);
            for (int k = 0; k < 2 * units; ++k) g[k] = 1 / (1 + std::exp(-g[k]));
            for (int k = 2 * units; k < 3 * units; ++k) g[k] = std::tanh(g[k]);
            for (int k = 3 * units; k < 4 * units; ++k) g[k] = 1 / (1 + std::exp(-g[k]));
            for (int k = 0; k < units; ++k) {
                c1[k] = g[units + k] * c0[k] + g[k] * g[2 * units + k];
                ts[k] = std::tanh(c1[k]);
                h1[k] = g[3 * units + k] * ts[k];
            }
        }
        value = 0;
        for (int k = 0; k < units; ++k) {
            const double x = h[steps * units + k];
            value += x * x;
            dh[k] = 2 * x;
            dc[k] = 0;
        }
        for (int s = steps; s-- > 0;) {
            const double *const g = a.data() + s * gates, *const c0 = c.data() + s * units, *const ts = t.data() + s * units;
            double* const d = da.data() + s * gates;
            for (int k = 0; k < units; ++k) {
                const double i = g[k], f = g[units + k], z = g[2 * units + k], o = g[3 * units + k];
                const double cell = dc[k] + dh[k] * o * (1 - ts[k] * ts[k]);
                d[k] = cell * z * i * (1 - i);
                d[units + k] = cell * c0[k] * f * (1 - f);
                d[2 * units + k] = cell * i * (1 - z * z);
                d[3 * units + k] = dh[k] * ts[k] * o * (1 - o);
                dc[k] = cell * f;
            }
            cblas_dgemv(CblasRowMajor, CblasTrans, gates, units, 1.0, W.data(), units, d, 1, 0.0, dh.data(), 1);
        }
        product(CblasTrans, CblasNoTrans, gates, units, steps, da.data(), gates, h.data(), units, 0, by_W.data());
        product(CblasTrans, CblasNoTrans, gates, inputs, steps, da.data(), gates, X.data(), inputs, 0, by_U.data());
        product(CblasNoTrans, CblasNoTrans, steps, inputs, gates, da.data(), gates, U.data(), inputs, 0, by_X.data());
        std::fill(by_b.begin(), by_b.end(), 0.0);
        for (int s = 0; s < steps; ++s) {
            for (int k = 0; k < gates; ++k) by_b.data()[k] += da[s * gates + k];
        }
    }
};

} // namespace

void register_lstm() {
    compare<lstm>("lstm", "64x100", [] { return std::make_unique<lstm>(0); }, {{"hand", &lstm::by_hand}, {"dyad", &lstm::by_dyad}});
}

} // namespace bench
