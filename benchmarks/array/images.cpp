// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Σ (images * kernels)²/2 with the gradients by both, against the same by hand: the windows of an image at a time as columns
// of a matrix, three products of the BLAS for it.
#include "problems.hpp"

#include "dyad_calls.hpp"
#include "hand.hpp"
#include "harness.hpp"
#include "inputs.hpp"

#include <cblas.h>

#include <algorithm>
#include <vector>

namespace bench {
namespace {

using images = xt::xtensor<double, 4>;

images drawn_images(std::size_t a, std::size_t b, std::size_t c, std::size_t d, std::uint64_t seed) {
    images x = images::from_shape({a, b, c, d});
    fill(x.data(), x.size(), -1, 1, seed);
    return x;
}
void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, std::size_t m, std::size_t n, std::size_t k, const double* a, std::size_t lda, const double* b, std::size_t ldb, double beta, double* c) {
    const auto i = [](std::size_t size) { return static_cast<int>(size); };
    cblas_dgemm(CblasRowMajor, ta, tb, i(m), i(n), i(k), 1.0, a, i(lda), b, i(ldb), beta, c, i(n));
}

struct convolution : gradient_problem<convolution, 0, 1> {
    static constexpr auto function = [](auto x, auto k) { return 0.5 * sum(square(conv2d(x, k))); };
    std::size_t count, channels, size, outputs, window, rows = size - window + 1, points, bytes = 0;
    images x, k, gx, gk;
    double value = 0;
    std::vector<double> columns, slopes, made;
    convolution(std::size_t n, std::size_t c, std::size_t edge, std::size_t o, std::size_t w)
        : count(n), channels(c), size(edge), outputs(o), window(w), points(n), x(drawn_images(n, c, edge, edge, 1)), k(drawn_images(o, c, w, w, 2)), gx(x), gk(k),
          columns(c * w * w * rows * rows), slopes(columns.size()), made(o * rows * rows) {}
    auto arguments() const { return std::tie(x, k); }
    auto results() { return std::tie(value, gx, gk); }

    /// f(line of an image, line of columns) for each line of a window's places.
    template <class F>
    void each_line(double* image, double* all, F f) {
        for (std::size_t c = 0; c < channels; ++c) {
            for (std::size_t i = 0; i < window; ++i) {
                for (std::size_t j = 0; j < window; ++j) {
                    for (std::size_t r = 0; r < rows; ++r, all += rows) f(image + (c * size + r + i) * size + j, all);
                }
            }
        }
    }
    void by_hand() {
        const std::size_t inner = channels * window * window, places = rows * rows, each = channels * size * size;
        value = 0;
        std::fill_n(gx.data(), gx.size(), 0.0);
        for (std::size_t n = 0; n < count; ++n) {
            each_line(x.data() + n * each, columns.data(), [&](const double* from, double* to) { std::copy_n(from, rows, to); });
            gemm(CblasNoTrans, CblasNoTrans, outputs, places, inner, k.data(), inner, columns.data(), places, 0, made.data());
            accumulators<4> squares;
            for_lanes<4>(made.size(), [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
                const batch y = lanes.load(made.data() + i);
                squares.lane[u] = squares.lane[u] + y * y;
            });
            value += 0.5 * squares.sum();
            gemm(CblasNoTrans, CblasTrans, outputs, inner, places, made.data(), places, columns.data(), places, n == 0 ? 0 : 1, gk.data());
            gemm(CblasTrans, CblasNoTrans, inner, places, outputs, k.data(), inner, made.data(), places, 0, slopes.data());
            each_line(gx.data() + n * each, slopes.data(), [&](double* to, const double* from) {
                for (std::size_t s = 0; s < rows; ++s) to[s] += from[s];
            });
        }
    }
};

void of_size(const char* name, std::size_t n, std::size_t c, std::size_t edge, std::size_t o, std::size_t w) {
    compare<convolution>("convolution", name, [=] { return std::make_unique<convolution>(n, c, edge, o, w); },
                         {{"hand", &convolution::by_hand}, {"dyad", &convolution::by_dyad}, {"returned", &convolution::by_dyad_returned}});
}

} // namespace

void register_images() {
    of_size("32x3x32x32", 32, 3, 32, 16, 3);
    of_size("32x16x28x28", 32, 16, 28, 32, 3);
    of_size("64x1x28x28", 64, 1, 28, 8, 5);
}

} // namespace bench
