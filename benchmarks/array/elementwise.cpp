// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Loops over elements: the triad that shows what memory gives, a gradient that is bound by memory, and functions
// that are bound by exp and sin.
#include "problems.hpp"

#include "dyad_calls.hpp"
#include "hand.hpp"
#include "harness.hpp"
#include "inputs.hpp"

#include <eigen3/Eigen/Core>

namespace bench {
namespace {

using mapped = Eigen::Map<Eigen::ArrayXd>;
mapped eigen(vector& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

struct triad : value_problem<triad> {
    static constexpr const char* name = "triad";
    static constexpr auto function = [](auto b, auto c, auto s) { return b + s * c; };
    std::size_t points, bytes;
    vector b, c, a;
    double s = 1.5;
    explicit triad(std::size_t n)
        : points(n), bytes(24 * n), b(drawn(n, -1, 1, 1)), c(drawn(n, -1, 1, 2)), a(room(n)) {}
    auto arguments() const { return std::tie(b, c, s); }
    auto results() { return std::tie(a); }

    void by_hand() {
        const double *pb = b.data(), *pc = c.data();
        double* const pa = a.data();
        const batch factor(s);
        for_lanes<2>(points, [&](auto lanes, std::size_t i, auto) BENCH_BODY {
            lanes.store(pa + i, lanes.load(pb + i) + factor * lanes.load(pc + i));
        });
    }
    void by_hand_streaming() {
        const double *pb = b.data(), *pc = c.data();
        double* const pa = a.data();
        const batch factor(s);
        for_lines(
            pa, 0, points, [&](std::size_t i) BENCH_BODY { pa[i] = pb[i] + s * pc[i]; },
            [&](std::size_t i) BENCH_BODY { store_streaming(pa + i, batch::load_unaligned(pb + i) + factor * batch::load_unaligned(pc + i)); });
    }
    void by_eigen() { eigen(a) = eigen(b) + s * eigen(c); }
    void by_xtensor() { xt::noalias(a) = b + s * c; }
};

struct elementwise : gradient_problem<elementwise> {
    static constexpr const char* name = "elementwise";
    static constexpr auto function = [](auto x, auto y) { return sum(x * y + x * x); };
    std::size_t points, bytes;
    vector x, y, gx, gy;
    double value = 0;
    explicit elementwise(std::size_t n)
        : points(n), bytes(32 * n), x(drawn(n, -1, 1, 1)), y(drawn(n, -1, 1, 2)), gx(room(n)), gy(room(n)) {}
    auto arguments() const { return std::tie(x, y); }
    auto results() { return std::tie(value, gx, gy); }

    void by_hand() {
        const double *px = x.data(), *py = y.data();
        double *const pgx = gx.data(), *const pgy = gy.data();
        accumulators<4> total;
        for_lanes<4>(points, [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
            const batch a = lanes.load(px + i), b = lanes.load(py + i), both = a + b;
            total.lane[u] = total.lane[u] + a * both;
            lanes.store(pgx + i, both + a);
            lanes.store(pgy + i, a);
        });
        value = total.sum();
    }
    void by_hand_streaming() {
        const double *px = x.data(), *py = y.data();
        double *const pgx = gx.data(), *const pgy = gy.data();
        const bool both_aligned = before_aligned(pgy, points) == before_aligned(pgx, points);
        if (!both_aligned) return by_hand();
        double rest = 0;
        batch total(0.0);
        for_lines(
            pgx, 0, points,
            [&](std::size_t i) BENCH_BODY {
                rest += px[i] * py[i] + px[i] * px[i];
                pgx[i] = py[i] + 2 * px[i];
                pgy[i] = px[i];
            },
            [&](std::size_t i) BENCH_BODY {
                const batch a = batch::load_unaligned(px + i), b = batch::load_unaligned(py + i), both = a + b;
                total = total + a * both;
                store_streaming(pgx + i, both + a);
                store_streaming(pgy + i, a);
            });
        value = rest + sum_of_lanes(total);
    }
    void by_eigen() {
        value = (eigen(x) * (eigen(y) + eigen(x))).sum();
        eigen(gx) = eigen(y) + 2 * eigen(x);
        eigen(gy) = eigen(x);
    }
    void by_xtensor() {
        value = xt::sum(x * y + x * x, xt::evaluation_strategy::immediate)();
        xt::noalias(gx) = y + 2 * x;
        xt::noalias(gy) = x;
    }
};

struct exp_sin_map : value_problem<exp_sin_map> {
    static constexpr const char* name = "exp_sin_map";
    static constexpr auto function = [](auto x) { return exp(x) * sin(x) + x * x; };
    std::size_t points, bytes = 0;
    vector x, r;
    explicit exp_sin_map(std::size_t n) : points(n), x(drawn(n, -2, 2)), r(room(n)) {}
    auto arguments() const { return std::tie(x); }
    auto results() { return std::tie(r); }

    void by_hand() {
        const double* const px = x.data();
        double* const pr = r.data();
        for_lanes<1>(points, [&](auto lanes, std::size_t i, auto) BENCH_BODY {
            const batch a = lanes.load(px + i);
            lanes.store(pr + i, vector_exp(a) * vector_sin(a) + a * a);
        });
    }
    void by_eigen() { eigen(r) = eigen(x).exp() * eigen(x).sin() + eigen(x).square(); }
    void by_xtensor() { xt::noalias(r) = xt::exp(x) * xt::sin(x) + x * x; }
};

struct exp_sin_chain : gradient_problem<exp_sin_chain> {
    static constexpr const char* name = "exp_sin_chain";
    static constexpr auto function = [](auto x) { return sum(exp(x) * sin(x) + x * x / (1 + x * x)); };
    std::size_t points, bytes = 0;
    vector x, g;
    double value = 0;
    explicit exp_sin_chain(std::size_t n) : points(n), x(drawn(n, -2, 2)), g(room(n)) {}
    auto arguments() const { return std::tie(x); }
    auto results() { return std::tie(value, g); }

    void by_hand() {
        const double* const px = x.data();
        double* const pg = g.data();
        accumulators<1> total;
        for_lanes<1>(points, [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
            const batch a = lanes.load(px + i);
            const batch e = vector_exp(a), s = vector_sin(a), c = vector_cos(a);
            const batch r = 1.0 / (1.0 + a * a), q = a * r;
            total.lane[u] = total.lane[u] + lanes.kept(e * s + a * q);
            lanes.store(pg + i, e * (s + c) + 2.0 * q * r);
        });
        value = total.sum();
    }
    void by_eigen() {
        const auto a = eigen(x);
        value = (a.exp() * a.sin() + a.square() / (1 + a.square())).sum();
        eigen(g) = a.exp() * (a.sin() + a.cos()) + 2 * a / (1 + a.square()).square();
    }
};

} // namespace

void register_elementwise() {
    compare<triad>({10, 100, 1'000, 10'000, 10'000'000}, {{"hand", &triad::by_hand},
                                                          {"hand_streaming", &triad::by_hand_streaming},
                                                          {"dyad", &triad::by_dyad},
                                                          {"eigen", &triad::by_eigen},
                                                          {"xtensor", &triad::by_xtensor}});
    compare<elementwise>({10, 100, 1'000, 10'000, 10'000'000},
                         {{"hand", &elementwise::by_hand},
                          {"hand_streaming", &elementwise::by_hand_streaming},
                          {"dyad", &elementwise::by_dyad},
                          {"returned", &elementwise::by_dyad_returned},
                          {"eigen", &elementwise::by_eigen},
                          {"xtensor", &elementwise::by_xtensor}});
    compare<exp_sin_map>({10, 100, 1'000, 10'000}, {{"hand", &exp_sin_map::by_hand},
                                                    {"dyad", &exp_sin_map::by_dyad},
                                                    {"eigen", &exp_sin_map::by_eigen},
                                                    {"xtensor", &exp_sin_map::by_xtensor}});
    compare<exp_sin_chain>({10, 100, 1'000, 10'000}, {{"hand", &exp_sin_chain::by_hand},
                                                      {"dyad", &exp_sin_chain::by_dyad},
                                                      {"returned", &exp_sin_chain::by_dyad_returned},
                                                      {"eigen", &exp_sin_chain::by_eigen}});
}

} // namespace bench
