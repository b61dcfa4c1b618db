// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Losses over a matrix product: classification by softmax, and Bayesian linear regression.
#include "problems.hpp"

#include "dyad_calls.hpp"
#include "hand.hpp"
#include "harness.hpp"
#include "inputs.hpp"

#include <cblas.h>
#include <eigen3/Eigen/Core>

#include <cmath>
#include <vector>

namespace bench {
namespace {

using eigen_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
Eigen::Map<eigen_matrix> eigen(matrix& x) {
    return {x.data(), static_cast<Eigen::Index>(x.shape(0)), static_cast<Eigen::Index>(x.shape(1))};
}
Eigen::Map<Eigen::VectorXd> eigen(vector& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, std::size_t m, std::size_t n, std::size_t k, const double* a,
          std::size_t lda, const double* b, std::size_t ldb, double* c) {
    cblas_dgemm(CblasRowMajor, ta, tb, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1.0, a,
                static_cast<int>(lda), b, static_cast<int>(ldb), 0.0, c, static_cast<int>(n));
}

/// The rows of z become (softmax - one at the label) * scale; the sum of -log softmax at the labels.
double cross_entropy_rows(double* z, const std::size_t* labels, std::size_t rows, std::size_t classes, double scale) {
    double loss = 0;
    for (std::size_t k = 0; k < rows; ++k) {
        double* const p = z + k * classes;
        accumulators<2> top(-std::numeric_limits<double>::infinity());
        for_lanes<2>(classes, [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
            top.lane[u] = lanes.kept_or(xsimd::max(top.lane[u], lanes.load(p + i)), top.lane[u]);
        });
        const double largest = top.largest(), chosen = p[labels[k]];
        accumulators<1> total;
        for_lanes<1>(classes, [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
            const batch e = vector_exp(lanes.load(p + i) - largest);
            total.lane[u] = total.lane[u] + lanes.kept(e);
            lanes.store(p + i, e);
        });
        const double sum = total.sum();
        const batch factor(scale / sum);
        for_lanes<1>(classes, [&](auto lanes, std::size_t i, auto) BENCH_BODY {
            lanes.store(p + i, lanes.load(p + i) * factor);
        });
        p[labels[k]] -= scale;
        loss += largest + std::log(sum) - chosen;
    }
    return loss;
}

struct cross_entropy : gradient_problem<cross_entropy, 0> {
    static constexpr auto function = [](auto w, auto x, auto t) {
        return -dyad::mean(sum(t * dyad::log_softmax(dyad::matmul(x, w)), 1));
    };
    std::size_t rows, inputs, classes, points, bytes = 0;
    matrix x, w, t, g;
    std::vector<std::size_t> labels;
    std::vector<double> logits;
    eigen_matrix eigen_logits;
    matrix xtensor_logits;
    double value = 0;
    cross_entropy(std::size_t n, std::size_t d, std::size_t c)
        : rows(n), inputs(d), classes(c), points(n), x(drawn_matrix(n, d, -1, 1, 1)), w(drawn_matrix(d, c, -0.1, 0.1, 2)),
          t(room_for_matrix(n, c)), g(room_for_matrix(d, c)), labels(n), logits(n * c), xtensor_logits(room_for_matrix(n, c)) {
        for (std::size_t i = 0; i < n; ++i) {
            labels[i] = (i * 7919 + 3) % c;
            t(i, labels[i]) = 1;
        }
    }
    auto arguments() const { return std::tie(w, x, t); }
    auto results() { return std::tie(value, g); }

    void by_hand() {
        const double n = static_cast<double>(rows);
        gemm(CblasNoTrans, CblasNoTrans, rows, classes, inputs, x.data(), inputs, w.data(), classes, logits.data());
        value = cross_entropy_rows(logits.data(), labels.data(), rows, classes, 1 / n) / n;
        gemm(CblasTrans, CblasNoTrans, inputs, classes, rows, x.data(), inputs, logits.data(), classes, g.data());
    }
    void by_eigen() {
        const double n = static_cast<double>(rows);
        eigen_logits.noalias() = eigen(x) * eigen(w);
        value = cross_entropy_rows(eigen_logits.data(), labels.data(), rows, classes, 1 / n) / n;
        eigen(g).noalias() = eigen(x).transpose() * eigen_logits;
    }
    /// (Its products are BLAS's, as by hand: xtensor has none of its own.)
    void by_xtensor() {
        const double n = static_cast<double>(rows);
        matrix& z = xtensor_logits;
        gemm(CblasNoTrans, CblasNoTrans, rows, classes, inputs, x.data(), inputs, w.data(), classes, z.data());
        const double chosen = xt::sum(t * z)();
        const vector largest = xt::amax(z, {1});
        xt::noalias(z) = xt::exp(z - xt::view(largest, xt::all(), xt::newaxis()));
        const vector sums = xt::sum(z, {1});
        xt::noalias(z) = (z / xt::view(sums, xt::all(), xt::newaxis()) - t) / n;
        value = (xt::sum(xt::log(sums) + largest)() - chosen) / n;
        gemm(CblasTrans, CblasNoTrans, inputs, classes, rows, x.data(), inputs, z.data(), classes, g.data());
    }
};

struct softmax_regression : gradient_problem<softmax_regression, 0, 1> {
    static constexpr auto function = [](auto w, auto b, auto x, auto t) {
        return -dyad::mean(sum(t * dyad::log_softmax(dyad::matmul(x, w) + b), 1)) + 0.005 * sum(w * w);
    };
    std::size_t rows, inputs, classes, points, bytes = 0;
    matrix x, w, t, gw;
    vector b, gb;
    std::vector<std::size_t> labels;
    std::vector<double> logits;
    double value = 0;
    softmax_regression(std::size_t n, std::size_t d, std::size_t c)
        : rows(n), inputs(d), classes(c), points(n), x(drawn_matrix(n, d, -1, 1, 1)), w(drawn_matrix(d, c, -1, 1, 2)),
          t(room_for_matrix(n, c)), gw(room_for_matrix(d, c)), b(drawn(c, -1, 1, 3)), gb(room(c)), labels(n), logits(n * c) {
        for (std::size_t i = 0; i < n; ++i) {
            labels[i] = (i * 7919 + 3) % c;
            t(i, labels[i]) = 1;
        }
    }
    auto arguments() const { return std::tie(w, b, x, t); }
    auto results() { return std::tie(value, gw, gb); }

    void by_hand() {
        const double n = static_cast<double>(rows);
        double* const z = logits.data();
        for (std::size_t k = 0; k < rows; ++k) std::copy_n(b.data(), classes, z + k * classes);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(rows), static_cast<int>(classes),
                    static_cast<int>(inputs), 1.0, x.data(), static_cast<int>(inputs), w.data(), static_cast<int>(classes),
                    1.0, z, static_cast<int>(classes));
        value = cross_entropy_rows(z, labels.data(), rows, classes, 1 / n) / n;
        std::fill_n(gb.data(), classes, 0.0);
        for (std::size_t k = 0; k < rows; ++k) {
            for_lanes<1>(classes, [&](auto lanes, std::size_t i, auto) BENCH_BODY {
                lanes.store(gb.data() + i, lanes.load(gb.data() + i) + lanes.load(z + k * classes + i));
            });
        }
        accumulators<4> squares;
        for_lanes<4>(inputs * classes, [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
            const batch a = lanes.load(w.data() + i);
            squares.lane[u] = squares.lane[u] + a * a;
            lanes.store(gw.data() + i, 0.01 * a);
        });
        value += 0.005 * squares.sum();
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, static_cast<int>(inputs), static_cast<int>(classes),
                    static_cast<int>(rows), 1.0, x.data(), static_cast<int>(inputs), z, static_cast<int>(classes), 1.0,
                    gw.data(), static_cast<int>(classes));
    }
};

struct linear_regression : gradient_problem<linear_regression, 0, 1> {
    static constexpr auto function = [](auto w, auto log_sigma, auto x, auto y) {
        auto sigma = exp(log_sigma);
        auto z = (y - dyad::matmul(x, w)) / sigma;
        return sum(-0.5 * (z * z) - log_sigma) - 0.5 * sum(w * w) - 0.5 * log_sigma * log_sigma;
    };
    std::size_t rows, inputs, points, bytes;
    matrix x;
    vector w, y, gw;
    double log_sigma = 0.1, value = 0, gsigma = 0;
    std::vector<double> residual;
    Eigen::VectorXd eigen_residual;
    vector xtensor_residual;
    linear_regression(std::size_t n, std::size_t d)
        : rows(n), inputs(d), points(n), bytes(16 * n * d), x(drawn_matrix(n, d, -1, 1, 1)), w(drawn(d, -1, 1, 2)),
          y(drawn(n, -2, 2, 3)), gw(room(d)), residual(n), xtensor_residual(room(n)) {}
    auto arguments() const { return std::tie(w, log_sigma, x, y); }
    auto results() { return std::tie(value, gw, gsigma); }

    /// The residuals y - r, scaled, in place of r; the sum of their squares.
    double residuals(double* r, const double* py, std::size_t n, double factor) {
        accumulators<4> squares;
        const batch by(factor);
        for_lanes<4>(n, [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
            const batch d = lanes.load(py + i) - lanes.load(r + i);
            squares.lane[u] = squares.lane[u] + d * d;
            lanes.store(r + i, d * by);
        });
        return squares.sum();
    }
    void finish(double squares, double precision) {
        double prior = 0;
        for (std::size_t k = 0; k < inputs; ++k) prior += w(k) * w(k);
        const double n = static_cast<double>(rows);
        value = -0.5 * squares * precision - n * log_sigma - 0.5 * prior - 0.5 * log_sigma * log_sigma;
        gsigma = squares * precision - n - log_sigma;
    }
    void by_hand() {
        const double precision = std::exp(-2 * log_sigma);
        const int n = static_cast<int>(rows), d = static_cast<int>(inputs);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, n, d, 1.0, x.data(), d, w.data(), 1, 0.0, residual.data(), 1);
        const double squares = residuals(residual.data(), y.data(), rows, precision);
        for (std::size_t k = 0; k < inputs; ++k) gw(k) = -w(k);
        cblas_dgemv(CblasRowMajor, CblasTrans, n, d, 1.0, x.data(), d, residual.data(), 1, 1.0, gw.data(), 1);
        finish(squares, precision);
    }
    /// Reads x once.
    void by_blocks() {
        const double precision = std::exp(-2 * log_sigma);
        const int d = static_cast<int>(inputs);
        double squares = 0;
        for (std::size_t k = 0; k < inputs; ++k) gw(k) = -w(k);
        for (std::size_t start = 0; start < rows; start += 512) {
            const std::size_t part = std::min<std::size_t>(512, rows - start);
            const int n = static_cast<int>(part);
            const double* const px = x.data() + start * inputs;
            cblas_dgemv(CblasRowMajor, CblasNoTrans, n, d, 1.0, px, d, w.data(), 1, 0.0, residual.data(), 1);
            squares += residuals(residual.data(), y.data() + start, part, precision);
            cblas_dgemv(CblasRowMajor, CblasTrans, n, d, 1.0, px, d, residual.data(), 1, 1.0, gw.data(), 1);
        }
        finish(squares, precision);
    }
    void by_eigen() {
        const double precision = std::exp(-2 * log_sigma);
        eigen_residual.noalias() = eigen(y) - eigen(x) * eigen(w);
        const double squares = eigen_residual.squaredNorm();
        eigen(gw).noalias() = precision * (eigen(x).transpose() * eigen_residual);
        eigen(gw) -= eigen(w);
        finish(squares, precision);
    }
    void by_xtensor() {
        const double precision = std::exp(-2 * log_sigma);
        const int n = static_cast<int>(rows), d = static_cast<int>(inputs);
        vector& r = xtensor_residual;
        cblas_dgemv(CblasRowMajor, CblasNoTrans, n, d, 1.0, x.data(), d, w.data(), 1, 0.0, r.data(), 1);
        xt::noalias(r) = y - r;
        const double squares = xt::sum(xt::square(r))();
        r *= precision;
        xt::noalias(gw) = -w;
        cblas_dgemv(CblasRowMajor, CblasTrans, n, d, 1.0, x.data(), d, r.data(), 1, 1.0, gw.data(), 1);
        finish(squares, precision);
    }
};

} // namespace

void register_regression() {
    const auto text = [](auto... sizes) {
        std::string all;
        ((all.append(1, 'x').append(std::to_string(sizes))), ...);
        return all.substr(1);
    };
    const auto entropy = [&](std::size_t n, std::size_t d, std::size_t c) {
        compare<cross_entropy>("cross_entropy", text(n, d, c), [=] { return std::make_unique<cross_entropy>(n, d, c); },
                               {{"hand", &cross_entropy::by_hand},
                                {"dyad", &cross_entropy::by_dyad},
                                {"returned", &cross_entropy::by_dyad_returned},
                                {"eigen", &cross_entropy::by_eigen},
                                {"xtensor", &cross_entropy::by_xtensor}});
    };
    entropy(64, 784, 10);
    entropy(1024, 784, 256);
    compare<softmax_regression>("softmax_regression", text(1'000, 20, 10),
                                [] { return std::make_unique<softmax_regression>(1'000, 20, 10); },
                                {{"hand", &softmax_regression::by_hand},
                                 {"dyad", &softmax_regression::by_dyad},
                                 {"returned", &softmax_regression::by_dyad_returned}});
    for (const std::size_t n : {1'000U, 100'000U}) {
        compare<linear_regression>("linear_regression", text(n, 20), [n] { return std::make_unique<linear_regression>(n, 20); },
                                   {{"hand", &linear_regression::by_hand},
                                    {"hand_blocked", &linear_regression::by_blocks},
                                    {"dyad", &linear_regression::by_dyad},
                                    {"returned", &linear_regression::by_dyad_returned},
                                    {"eigen", &linear_regression::by_eigen},
                                    {"xtensor", &linear_regression::by_xtensor}});
    }
}

} // namespace bench
