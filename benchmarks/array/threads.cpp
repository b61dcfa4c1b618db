// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Two threads against one, on large arrays; timed by the clock on the wall.
#include "problems.hpp"

#include "dyad_calls.hpp"
#include "hand.hpp"
#include "harness.hpp"
#include "inputs.hpp"

#include <thread>

namespace bench {
namespace {

struct threaded_chain : gradient_problem<threaded_chain> {
    static constexpr const char* name = "exp_sin_2_threads";
    static constexpr bool wall_clock = true;
    static constexpr auto function = [](auto x) { return sum(exp(x) * sin(x) + x * x / (1 + x * x)); };
    std::size_t points, bytes = 0;
    vector x, g;
    double value = 0;
    explicit threaded_chain(std::size_t n) : points(n), x(drawn(n, -2, 2)), g(room(n)) {}
    auto arguments() const { return std::tie(x); }
    auto results() { return std::tie(value, g); }

    double part(std::size_t first, std::size_t last) {
        const double* const px = x.data() + first;
        double* const pg = g.data() + first;
        accumulators<1> total;
        for_lanes<1>(last - first, [&](auto lanes, std::size_t i, auto u) BENCH_BODY {
            const batch a = lanes.load(px + i);
            const batch e = vector_exp(a), s = vector_sin(a), c = vector_cos(a);
            const batch r = 1.0 / (1.0 + a * a), q = a * r;
            total.lane[u] = total.lane[u] + lanes.kept(e * s + a * q);
            lanes.store(pg + i, e * (s + c) + 2.0 * q * r);
        });
        return total.sum();
    }
    void one_thread_by_hand() { value = part(0, points); }
    void by_hand() {
        const std::size_t half = points / 2;
        double first = 0;
        std::thread other([&] { first = part(0, half); });
        const double second = part(half, points);
        other.join();
        value = first + second;
    }
};

} // namespace

void register_threads() {
    compare<threaded_chain>({10'000, 100'000, 1'000'000}, {{"one_by_hand", &threaded_chain::one_thread_by_hand},
                                                           {"one_by_dyad", &threaded_chain::by_dyad},
                                                           {"hand", &threaded_chain::by_hand},
                                                           {"dyad", &threaded_chain::by_dyad, 2}});
}

} // namespace bench
