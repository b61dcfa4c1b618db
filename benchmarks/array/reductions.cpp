// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Functions of one array that sum over all its elements, some after another sum.
#include "problems.hpp"

#include "dyad_calls.hpp"
#include "hand.hpp"
#include "harness.hpp"
#include "inputs.hpp"

#include <eigen3/Eigen/Core>

#include <cmath>

namespace bench {
namespace {

using mapped = Eigen::Map<Eigen::ArrayXd>;
mapped eigen(vector& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

struct logsumexp_problem : gradient_problem<logsumexp_problem> {
    static constexpr const char* name = "logsumexp";
    static constexpr auto function = [](auto x) { return logsumexp(x); };
    std::size_t points, bytes = 0;
    vector x, g;
    double value = 0;
    explicit logsumexp_problem(std::size_t n) : points(n), x(drawn(n, -2, 2)), g(room(n)) {}
    auto arguments() const { return std::tie(x); }
    auto results() { return std::tie(value, g); }

    void by_hand() {
        const double* const px = x.data();
        double* const pg = g.data();
        accumulators<4> top(-std::numeric_limits<double>::infinity());
        for_lanes<4>(points, [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
            top.lane[u] = lanes.kept_or(xsimd::max(top.lane[u], lanes.load(px + i)), top.lane[u]);
        });
        const double largest = top.largest();
        accumulators<1> total;
        for_lanes<1>(points, [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
            const batch e = vector_exp(lanes.load(px + i) - largest);
            total.lane[u] = total.lane[u] + lanes.kept(e);
            lanes.store(pg + i, e);
        });
        const double sum = total.sum();
        const batch scale(1 / sum);
        for_lanes<4>(points, [&](auto lanes, std::size_t i, auto) BENCH_BODY {
            lanes.store(pg + i, lanes.load(pg + i) * scale);
        });
        value = largest + std::log(sum);
    }
    void by_eigen() {
        const double largest = eigen(x).maxCoeff();
        eigen(g) = (eigen(x) - largest).exp();
        const double sum = eigen(g).sum();
        eigen(g) *= 1 / sum;
        value = largest + std::log(sum);
    }
    void by_xtensor() {
        const double largest = xt::amax(x)();
        xt::noalias(g) = xt::exp(x - largest);
        const double sum = xt::sum(g)();
        g *= 1 / sum;
        value = largest + std::log(sum);
    }
};

struct normal_density : gradient_problem<normal_density> {
    static constexpr const char* name = "normal_density";
    static constexpr auto function = [](auto x, auto mu, auto sigma) {
        auto z = (x - mu) / sigma;
        return sum(-0.5 * (z * z) - log(sigma));
    };
    std::size_t points, bytes;
    vector x, gx;
    double mu = 0.25, sigma = 1.5, value = 0, gmu = 0, gsigma = 0;
    explicit normal_density(std::size_t n) : points(n), bytes(16 * n), x(drawn(n, -2, 3)), gx(room(n)) {}
    auto arguments() const { return std::tie(x, mu, sigma); }
    auto results() { return std::tie(value, gx, gmu, gsigma); }

    void by_hand() {
        const double* const px = x.data();
        double* const pg = gx.data();
        const double inverse = 1 / sigma;
        const batch by(inverse), minus_by(-inverse), at(mu);
        accumulators<4> first, second;
        for_lanes<4>(points, [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
            const batch z = (lanes.load(px + i) - at) * by, kept = lanes.kept(z);
            first.lane[u] = first.lane[u] + kept;
            second.lane[u] = second.lane[u] + kept * kept;
            lanes.store(pg + i, z * minus_by);
        });
        const double n = static_cast<double>(points), z = first.sum(), zz = second.sum();
        value = -0.5 * zz - n * std::log(sigma);
        gmu = z * inverse;
        gsigma = (zz - n) * inverse;
    }
    void by_hand_streaming() {
        const double* const px = x.data();
        double* const pg = gx.data();
        const double inverse = 1 / sigma;
        const batch by(inverse), minus_by(-inverse), at(mu);
        double z = 0, zz = 0;
        batch first(0.0), second(0.0);
        for_lines(
            pg, 0, points,
            [&](std::size_t i) BENCH_BODY {
                const double here = (px[i] - mu) * inverse;
                z += here;
                zz += here * here;
                pg[i] = -here * inverse;
            },
            [&](std::size_t i) BENCH_BODY {
                const batch here = (batch::load_unaligned(px + i) - at) * by;
                first = first + here;
                second = second + here * here;
                store_streaming(pg + i, here * minus_by);
            });
        const double n = static_cast<double>(points);
        z += sum_of_lanes(first);
        zz += sum_of_lanes(second);
        value = -0.5 * zz - n * std::log(sigma);
        gmu = z * inverse;
        gsigma = (zz - n) * inverse;
    }
    void by_eigen() {
        const double inverse = 1 / sigma, n = static_cast<double>(points);
        eigen(gx) = (mu - eigen(x)) * (inverse * inverse);
        gmu = -eigen(gx).sum();
        const double zz = eigen(gx).square().sum() * sigma * sigma;
        value = -0.5 * zz - n * std::log(sigma);
        gsigma = (zz - n) * inverse;
    }
    void by_xtensor() {
        const double inverse = 1 / sigma, n = static_cast<double>(points);
        xt::noalias(gx) = (mu - x) * (inverse * inverse);
        gmu = -xt::sum(gx)();
        const double zz = xt::sum(xt::square(gx))() * sigma * sigma;
        value = -0.5 * zz - n * std::log(sigma);
        gsigma = (zz - n) * inverse;
    }
};

struct rosenbrock : gradient_problem<rosenbrock> {
    static constexpr const char* name = "rosenbrock";
    static constexpr auto function = [](auto x) {
        auto here = dyad::slice(x, 0, 0, -1), next = dyad::slice(x, 0, 1);
        return sum(100 * square(next - here * here) + square(1 - here));
    };
    std::size_t points, bytes;
    vector x, g;
    double value = 0;
    explicit rosenbrock(std::size_t n) : points(n), bytes(16 * n), x(drawn(n, -2, 2)), g(room(n)) {}
    auto arguments() const { return std::tie(x); }
    auto results() { return std::tie(value, g); }

    void by_hand() {
        const double* const px = x.data();
        double* const pg = g.data();
        const std::size_t last = points - 1;
        const double edge = px[1] - px[0] * px[0];
        accumulators<4> valleys, offsets;
        for_lanes<4>(last - 1, [&](auto lanes, std::size_t k, auto u) BENCH_BODY {
            const std::size_t i = k + 1;
            const batch before = lanes.load(px + i - 1), here = lanes.load(px + i), next = lanes.load(px + i + 1);
            const batch valley = next - here * here, valley_before = here - before * before, offset = 1.0 - here;
            valleys.lane[u] = valleys.lane[u] + lanes.kept(valley * valley);
            offsets.lane[u] = offsets.lane[u] + lanes.kept(offset * offset);
            lanes.store(pg + i, 200.0 * valley_before - 2.0 * (200.0 * here * valley + offset));
        });
        value = 100 * (valleys.sum() + edge * edge) + offsets.sum() + (1 - px[0]) * (1 - px[0]);
        pg[0] = -2 * (200 * px[0] * edge + 1 - px[0]);
        pg[last] = 200 * (px[last] - px[last - 1] * px[last - 1]);
    }
    void by_hand_streaming() {
        const double* const px = x.data();
        double* const pg = g.data();
        const std::size_t last = points - 1;
        const double edge = px[1] - px[0] * px[0];
        double valleys = edge * edge, offsets = (1 - px[0]) * (1 - px[0]);
        batch all_valleys(0.0), all_offsets(0.0);
        for_lines(
            pg, 1, last,
            [&](std::size_t i) BENCH_BODY {
                const double valley = px[i + 1] - px[i] * px[i], offset = 1 - px[i];
                valleys += valley * valley;
                offsets += offset * offset;
                pg[i] = 200 * (px[i] - px[i - 1] * px[i - 1]) - 2 * (200 * px[i] * valley + offset);
            },
            [&](std::size_t i) BENCH_BODY {
                const batch before = batch::load_unaligned(px + i - 1), here = batch::load_unaligned(px + i), next = batch::load_unaligned(px + i + 1);
                const batch valley = next - here * here, offset = 1.0 - here;
                all_valleys = all_valleys + valley * valley;
                all_offsets = all_offsets + offset * offset;
                store_streaming(pg + i, 200.0 * (here - before * before) - 2.0 * (200.0 * here * valley + offset));
            });
        value = 100 * (valleys + sum_of_lanes(all_valleys)) + offsets + sum_of_lanes(all_offsets);
        pg[0] = -2 * (200 * px[0] * edge + 1 - px[0]);
        pg[last] = 200 * (px[last] - px[last - 1] * px[last - 1]);
    }
    void by_eigen() {
        const Eigen::Index n = static_cast<Eigen::Index>(points);
        const auto here = eigen(x).head(n - 1), next = eigen(x).tail(n - 1);
        value = (100 * (next - here.square()).square() + (1 - here).square()).sum();
        eigen(g).head(n - 1) = -400 * here * (next - here.square()) - 2 * (1 - here);
        eigen(g)(n - 1) = 0;
        eigen(g).tail(n - 1) += 200 * (next - here.square());
    }
    void by_xtensor() {
        const auto n = static_cast<std::ptrdiff_t>(points);
        const auto here = xt::view(x, xt::range(0, n - 1)), next = xt::view(x, xt::range(1, n));
        value = xt::sum(100 * xt::square(next - xt::square(here)) + xt::square(1 - here))();
        xt::view(g, xt::range(0, n - 1)) = -400 * here * (next - xt::square(here)) - 2 * (1 - here);
        g(points - 1) = 0;
        xt::view(g, xt::range(1, n)) += 200 * (next - xt::square(here));
    }
};

} // namespace

void register_reductions() {
    compare<logsumexp_problem>({10, 100, 1'000, 10'000}, {{"hand", &logsumexp_problem::by_hand},
                                                          {"dyad", &logsumexp_problem::by_dyad},
                                                          {"returned", &logsumexp_problem::by_dyad_returned},
                                                          {"eigen", &logsumexp_problem::by_eigen},
                                                          {"xtensor", &logsumexp_problem::by_xtensor}});
    compare<normal_density>({10, 100, 1'000, 10'000, 10'000'000},
                            {{"hand", &normal_density::by_hand},
                             {"hand_streaming", &normal_density::by_hand_streaming},
                             {"dyad", &normal_density::by_dyad},
                             {"returned", &normal_density::by_dyad_returned},
                             {"eigen", &normal_density::by_eigen},
                             {"xtensor", &normal_density::by_xtensor}});
    compare<rosenbrock>({10, 100, 1'000, 10'000, 10'000'000}, {{"hand", &rosenbrock::by_hand},
                                                               {"hand_streaming", &rosenbrock::by_hand_streaming},
                                                               {"dyad", &rosenbrock::by_dyad},
                                                               {"returned", &rosenbrock::by_dyad_returned},
                                                               {"eigen", &rosenbrock::by_eigen},
                                                               {"xtensor", &rosenbrock::by_xtensor}});
}

} // namespace bench
