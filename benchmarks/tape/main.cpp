// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Gradients by tape against the plain run on doubles, gradients by hand, and other tapes. Checks every gradient first and
// times nothing when one is wrong; --verify stops after the checks.
#include "gaussian_mixture.hpp"
#include "peers.hpp"

#include <dyad/tape.hpp>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

using bench::vector;

struct by_hand {
    static constexpr const char* name = "hand";
    template <class Problem>
    static double gradient(const vector& x, vector& g) {
        return Problem::hand(x, g);
    }
};
struct by_tape {
    static constexpr const char* name = "dyad";
    static inline std::size_t statements = 0, bytes = 0;
    template <class Problem>
    static double gradient(const vector& inputs, vector& g) {
        dyad::tape tape;
        const std::vector<dyad::real> x = tape.variable(inputs);
        const dyad::real y = Problem::template run<dyad::real>(x);
        statements = tape.size();
        bytes = tape.bytes() + tape.size() * sizeof(double); // and the adjoints of the sweep
        g.resize(x.size());
        tape.gradient_into(g, y, x);
        return y.value();
    }
};
/// Forward mode, four directions: for four inputs.
struct by_dual {
    static constexpr const char* name = "dyad_dual4";
    template <class Problem>
    static double gradient(const vector& inputs, vector& g) {
        using number = dyad::dual<double, 4>;
        std::vector<number> x;
        for (std::size_t k = 0; k < inputs.size(); ++k) x.push_back(number::variable(inputs[k], static_cast<int>(k)));
        const number y = Problem::template run<number>(x);
        g.assign(y.all_tangents().begin(), y.all_tangents().end());
        return y.value();
    }
};

/// Forward mode by hand, to compare it with.
struct by_hand_forward {
    static constexpr const char* name = "hand_forward4";
    template <class Problem>
    static double gradient(const vector& inputs, vector& g) {
        return Problem::hand_forward(inputs, g);
    }
};

template <class Problem, class Method>
bool check() {
    const vector x = Problem::inputs();
    vector want, got;
    const double value = Problem::hand(x, want), other = Method::template gradient<Problem>(x, got);
    double worst = std::fabs(value - other) / (1 + std::fabs(value)), size = 0;
    for (const double w : want) size = std::fmax(size, std::fabs(w));
    for (std::size_t k = 0; k < want.size(); ++k) worst = std::fmax(worst, std::fabs(want[k] - got.at(k)) / size);
    const bool good = worst < 1e-8;
    if (!good) std::printf("WRONG %s by %s: %g\n", Problem::name, Method::name, worst);
    return good;
}

template <class Problem>
void time_plain(benchmark::State& state) {
    const vector x = Problem::inputs();
    for (auto _ : state) benchmark::DoNotOptimize(Problem::template run<double>(x));
}
template <class Problem, class Method>
void time_gradient(benchmark::State& state) {
    const vector x = Problem::inputs();
    vector g;
    for (auto _ : state) {
        benchmark::DoNotOptimize(Method::template gradient<Problem>(x, g));
        benchmark::DoNotOptimize(g.data());
    }
    if constexpr (std::is_same_v<Method, by_tape>) {
        const auto statements = static_cast<double>(by_tape::statements);
        state.counters["statements"] = statements;
        state.counters["bytes_per_statement"] = static_cast<double>(by_tape::bytes) / statements;
        state.counters["s_per_statement"] =
            benchmark::Counter(statements, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    }
}

template <class Problem, class Method>
void add(bool& good) {
    good = check<Problem, Method>() && good;
    benchmark::RegisterBenchmark((std::string(Problem::name) + "/" + Method::name).c_str(), &time_gradient<Problem, Method>);
}
template <class Problem>
void add_all(bool& good) {
    benchmark::RegisterBenchmark((std::string(Problem::name) + "/plain").c_str(), &time_plain<Problem>);
    add<Problem, by_hand>(good);
    add<Problem, by_tape>(good);
    if constexpr (std::is_same_v<Problem, bench::euler>) {
        add<Problem, by_dual>(good);
        add<Problem, by_hand_forward>(good);
    }
#if defined(BENCH_CODIPACK)
    add<Problem, bench::codipack>(good);
#endif
#if defined(BENCH_ADEPT)
    add<Problem, bench::adept_tape>(good);
#endif
#if defined(BENCH_SACADO)
    add<Problem, bench::sacado>(good);
#endif
#if defined(BENCH_ADOLC)
    add<Problem, bench::adolc>(good);
#endif
}

} // namespace

int main(int count, char** words) {
    bool good = true;
    add_all<bench::euler>(good);
    add_all<bench::twenty_lines>(good);
    add_all<bench::lu>(good);
    add_all<bench::log_sum_exp>(good);
    add_all<bench::recurrence>(good);
    add_all<bench::least_squares>(good);
    add_all<bench::gaussian_mixture>(good);
    add_all<bench::tiny>(good);
    if (!good) return 1;
    if (count > 1 && std::strcmp(words[1], "--verify") == 0) return 0;
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
