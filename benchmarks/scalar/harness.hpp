// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Registers the timings problem/variant/method of a problem for one value type, and the checks that
// main runs before it times anything: hand against central differences, every other method against
// hand to 1e-12.
#pragma once

#include "points.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace bench {

inline std::vector<std::function<bool()>>& checks() {
    static std::vector<std::function<bool()>> all;
    return all;
}

template <class Problem, class T, class Method>
void register_timing(const std::string& name) {
    benchmark::RegisterBenchmark((name + Method::name).c_str(), [](benchmark::State& state) {
        const double* const in = inputs_of<Problem>().data();
        double* const out = outputs_of<Problem>().data();
        for (auto _ : state) {
            sweep<Problem, T, Method>(in, out);
            benchmark::ClobberMemory();
        }
        state.counters["points"] = static_cast<double>(Problem::points);
    });
}

template <class Problem>
bool within(const std::string& what, const results<Problem>& a, const results<Problem>& b,
            double bar) {
    const double error = difference<Problem>(a, b);
    const bool good = error <= bar;
    std::printf("%s %-48s %.1e, at most %.0e\n", good ? "ok " : "BAD", what.c_str(), error, bar);
    return good;
}

template <class Problem, class T, class Reference, class... Methods>
bool check(const std::string& name) {
    const auto& in = inputs_of<Problem>();
    const auto run = [&]<class Method>(Method) {
        results<Problem> out{};
        sweep<Problem, T, Method>(in.data(), out.data());
        return out;
    };
    const auto expected = run(Reference{});
    bool good = within<Problem>(name + Reference::name + " = differences", expected,
                                by_differences<Problem>(in), 1e-6);
    ((good = within<Problem>(name + Methods::name + " = " + Reference::name, expected,
                             run(Methods{}), 1e-12) &&
             good),
     ...);
    return good;
}

/// The first method is the reference of the others.
template <class Problem, class T, class... Methods>
void compare(const std::string& variant) {
    const std::string name = std::string(Problem::name) + '/' + variant + '/';
    (register_timing<Problem, T, Methods>(name), ...);
    checks().push_back([name] { return check<Problem, T, Methods...>(name); });
}

} // namespace bench
