// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Registers the timings problem/size/method of a problem, and the check that main runs before it times anything:
// every method against the first one, to 1e-10 of the largest element of each result.
//
// A problem has its inputs and results as members, methods without arguments, and
//   results()       a tuple of references to them
//   points          what the time is divided by
//   bytes           what must move at the least, or 0
//   wall_clock      if there is such a member: timed by the clock on the wall
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <dyad/kernel/threads.hpp>

namespace bench {

inline std::vector<std::function<bool(bool)>>& checks() {
    static std::vector<std::function<bool(bool)>> all;
    return all;
}

/// Registers all problems of a benchmark; main calls it.
void register_problems();

template <class Problem>
struct method {
    const char* name;
    void (Problem::*run)();
    std::size_t threads = 1; ///< of dyad
};

template <class Problem>
void run(Problem& p, const method<Problem>& m) {
    if (dyad::thread_pool::shared().size() != m.threads) dyad::threads(m.threads);
    (p.*m.run)();
}

/// f(pointer, count) for each result.
template <class Problem, class F>
void each_result(Problem& p, const F& f) {
    const auto visit = [&](auto& r) {
        if constexpr (std::is_same_v<std::remove_reference_t<decltype(r)>, double>) {
            f(&r, 1);
        } else {
            f(r.data(), r.size());
        }
    };
    std::apply([&](auto&... r) { (visit(r), ...); }, p.results());
}

template <class Problem>
std::vector<std::vector<double>> results_of(Problem& p, const method<Problem>& m) {
    each_result(p, [](double* r, std::size_t n) {
        std::fill_n(r, n, std::numeric_limits<double>::quiet_NaN());
    });
    run(p, m);
    std::vector<std::vector<double>> all;
    each_result(p, [&](const double* r, std::size_t n) { all.emplace_back(r, r + n); });
    return all;
}

/// The largest difference, relative to the largest element; infinity for a NaN.
inline double difference(const std::vector<double>& a, const std::vector<double>& b) {
    double scale = 0, error = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
    for (double x : b) scale = std::max(scale, std::abs(x));
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const double e = std::abs(a[i] - b[i]);
        error = e <= error ? error : std::isnan(e) ? std::numeric_limits<double>::infinity() : e;
    }
    return error / (scale > 0 ? scale : 1);
}

template <class Problem>
bool check(const std::string& name, Problem& p, const std::vector<method<Problem>>& methods, bool tell) {
    const auto expected = results_of(p, methods.front());
    bool good = true;
    for (std::size_t m = 1; m < methods.size(); ++m) {
        const auto found = results_of(p, methods[m]);
        double error = 0;
        for (std::size_t r = 0; r < expected.size(); ++r)
            error = std::max(error, difference(found[r], expected[r]));
        const bool same = error <= 1e-10;
        const std::string what = name + methods[m].name + " = " + methods.front().name;
        if (tell || !same) std::printf("%s %-60s %.1e\n", same ? "ok " : "BAD", what.c_str(), error);
        good = good && same;
    }
    return good;
}

/// The first method is the reference of the others. `make` makes the problem when it is first needed.
template <class Problem>
void compare(const std::string& problem, const std::string& size,
             std::function<std::unique_ptr<Problem>()> make,
             std::initializer_list<method<Problem>> methods) {
    const std::string name = problem + '/' + size + '/';
    auto shared = std::make_shared<std::unique_ptr<Problem>>();
    const auto get = [shared, make]() -> Problem& {
        if (!*shared) *shared = make();
        return **shared;
    };
    for (const method<Problem>& m : methods) {
        auto* const timing = benchmark::RegisterBenchmark(
            (name + m.name).c_str(), [get, m](benchmark::State& state) {
                Problem& p = get();
                run(p, m);
                for (auto _ : state) {
                    (p.*m.run)();
                    benchmark::ClobberMemory();
                }
                state.counters["points"] = static_cast<double>(p.points);
                if (p.bytes != 0)
                    state.SetBytesProcessed(static_cast<std::int64_t>(p.bytes) * state.iterations());
            });
        if constexpr (requires { Problem::wall_clock; }) timing->UseRealTime();
    }
    checks().push_back([name, get, all = std::vector(methods)](bool tell) { return check(name, get(), all, tell); });
}

/// The same for problems that are made from a number of elements.
template <class Problem>
void compare(std::initializer_list<std::size_t> sizes, std::initializer_list<method<Problem>> methods) {
    for (const std::size_t n : sizes)
        compare<Problem>(Problem::name, std::to_string(n), [n] { return std::make_unique<Problem>(n); }, methods);
}

} // namespace bench
