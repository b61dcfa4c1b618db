// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Sums along one axis of a matrix, and a column and a row that stretch to its shape.
#include "problems.hpp"

#include "dyad_calls.hpp"
#include "hand.hpp"
#include "harness.hpp"
#include "inputs.hpp"

#include <eigen3/Eigen/Core>

namespace bench {
namespace {

using by_rows = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
Eigen::Map<by_rows> eigen(matrix& x) {
    return {x.data(), static_cast<Eigen::Index>(x.shape(0)), static_cast<Eigen::Index>(x.shape(1))};
}
Eigen::Map<Eigen::ArrayXd> eigen(vector& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

template <int Axis>
struct axis_sum : value_problem<axis_sum<Axis>> {
    static constexpr auto function = [](auto x) { return sum(x, Axis); };
    std::size_t rows, columns, points, bytes;
    matrix x;
    vector r;
    axis_sum(std::size_t n, std::size_t m)
        : rows(n), columns(m), points(n * m), bytes(8 * n * m), x(drawn_matrix(n, m, -1, 1)), r(room(Axis == 0 ? m : n)) {}
    auto arguments() const { return std::tie(x); }
    auto results() { return std::tie(r); }

    void by_hand() {
        const double* const px = x.data();
        double* const pr = r.data();
        if constexpr (Axis == 1) {
            for (std::size_t k = 0; k < rows; ++k) {
                accumulators<8> total;
                for_lanes<8>(columns, [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
                    total.lane[u] = total.lane[u] + lanes.load(px + k * columns + i);
                });
                pr[k] = total.sum();
            }
        } else { // eight rows at a time
            std::fill_n(pr, columns, 0.0);
            std::size_t k = 0;
            for (; k + 8 <= rows; k += 8) {
                const double* const p = px + k * columns;
                for_lanes<1>(columns, [&](auto lanes, std::size_t i, auto) BENCH_BODY {
                    const auto row = [&](std::size_t j) BENCH_BODY { return lanes.load(p + j * columns + i); };
                    lanes.store(pr + i, lanes.load(pr + i) + (((row(0) + row(1)) + (row(2) + row(3))) + ((row(4) + row(5)) + (row(6) + row(7)))));
                });
            }
            for (; k < rows; ++k) {
                for_lanes<4>(columns, [&](auto lanes, std::size_t i, auto) BENCH_BODY {
                    lanes.store(pr + i, lanes.load(pr + i) + lanes.load(px + k * columns + i));
                });
            }
        }
    }
    void by_eigen() {
        if constexpr (Axis == 0) eigen(r) = eigen(x).colwise().sum().transpose();
        if constexpr (Axis == 1) eigen(r) = eigen(x).rowwise().sum();
    }
    void by_xtensor() { xt::noalias(r) = xt::sum(x, {Axis}); }
};

struct broadcast : value_problem<broadcast> {
    static constexpr auto function = [](auto x, auto column, auto row) { return x * dyad::expand_dims(column, 1) + row; };
    std::size_t rows, columns, points, bytes;
    matrix x, r;
    vector column, row;
    broadcast(std::size_t n, std::size_t m)
        : rows(n), columns(m), points(n * m), bytes(16 * n * m), x(drawn_matrix(n, m, -1, 1)), r(room_for_matrix(n, m)),
          column(drawn(n, -1, 1, 2)), row(drawn(m, -1, 1, 3)) {}
    auto arguments() const { return std::tie(x, column, row); }
    auto results() { return std::tie(r); }

    void by_hand() {
        for (std::size_t k = 0; k < rows; ++k) {
            const batch factor(column(k));
            const double *const px = x.data() + k * columns, *const added = row.data();
            double* const pr = r.data() + k * columns;
            for_lanes<4>(columns, [&](auto lanes, std::size_t i, auto) BENCH_BODY {
                lanes.store(pr + i, lanes.load(px + i) * factor + lanes.load(added + i));
            });
        }
    }
    void by_eigen() { eigen(r) = (eigen(x).colwise() * eigen(column)).rowwise() + eigen(row).transpose(); }
    void by_xtensor() { xt::noalias(r) = x * xt::view(column, xt::all(), xt::newaxis()) + row; }
};

template <class P>
void both_sizes(const char* name) {
    for (const std::size_t n : {30U, 1'000U}) {
        compare<P>(name, std::to_string(n) + "x" + std::to_string(n), [n] { return std::make_unique<P>(n, n); },
                   {{"hand", &P::by_hand}, {"dyad", &P::by_dyad}, {"eigen", &P::by_eigen}, {"xtensor", &P::by_xtensor}});
    }
}

} // namespace

void register_matrices() {
    both_sizes<axis_sum<0>>("sum_axis_0");
    both_sizes<axis_sum<1>>("sum_axis_1");
    both_sizes<broadcast>("broadcast");
}

} // namespace bench
