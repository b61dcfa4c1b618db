// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Times calls by CUDA events and keeps the results: a line for each on the screen, all of them as JSON.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <dyad/cuda.hpp>

namespace bench {

struct result {
    std::string problem, type, method;
    std::size_t count = 0, operations = 0;
    double microseconds = 0, gigabytes_a_second = 0;
};

class recorder {
public:
    explicit recorder(bool quick) : repetitions_(quick ? 5 : 15) {
        dyad::device::check(cudaEventCreate(&begin_), "cudaEventCreate");
        dyad::device::check(cudaEventCreate(&end_), "cudaEventCreate");
    }

    /// The median time of a call, of some repetitions of about two milliseconds. `bytes` is what must move. `results()` is the first
    /// numbers of what the call gives: those of the first method of a problem are what the others must give.
    template <class Call, class Results>
    double measure(result r, double bytes, Call call, Results results) {
        call();
        dyad::device::check(cudaGetLastError(), "launch", r.problem + ", " + r.method);
        compare(r, results());
        const float once = time_of(call, 1);
        const int calls = std::clamp(static_cast<int>(2.0F / std::max(once, 1e-3F)), 1, 500);
        std::vector<float> times(static_cast<std::size_t>(repetitions_));
        for (float& t : times) t = time_of(call, calls) / static_cast<float>(calls);
        std::nth_element(times.begin(), times.begin() + repetitions_ / 2, times.end());
        r.microseconds = 1000.0 * times[static_cast<std::size_t>(repetitions_ / 2)];
        r.gigabytes_a_second = bytes / r.microseconds / 1000;
        std::printf("%-22s %-6s %10zu %4zu ops  %-14s %10.1f us %8.0f GB/s\n", r.problem.c_str(), r.type.c_str(), r.count, r.operations, r.method.c_str(),
                    r.microseconds, r.gigabytes_a_second);
        std::fflush(stdout);
        all_.push_back(r);
        return r.gigabytes_a_second;
    }
    /// Whether all methods of a problem agreed.
    [[nodiscard]] bool good() const { return good_; }

    void write(const std::string& path, const std::string& device) const {
        std::ofstream out(path);
        out << "{\"device\": \"" << device << "\", \"source\": \"dyad\", \"results\": [";
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const result& r = all_[i];
            out << (i > 0 ? ",\n" : "\n") << "{\"problem\": \"" << r.problem << "\", \"type\": \"" << r.type << "\", \"method\": \"" << r.method << "\", \"count\": " << r.count
                << ", \"operations\": " << r.operations << ", \"microseconds\": " << r.microseconds << ", \"gigabytes_a_second\": " << r.gigabytes_a_second << "}";
        }
        out << "\n]}\n";
    }

private:
    void compare(const result& r, const std::vector<double>& found) {
        const bool first = expected_of_.problem != r.problem || expected_of_.type != r.type || expected_of_.count != r.count;
        if (first) {
            expected_ = found;
            expected_of_ = r;
        }
        const double tolerance = r.type == "f32" ? 1e-3 : 1e-10; // (sums of many floats, in another order)
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (std::abs(found[i] - expected_[i]) <= tolerance * (1 + std::abs(expected_[i]))) continue;
            std::printf("FAIL %s %s %zu: number %zu is %.9g by %s and %.9g by %s\n", r.problem.c_str(), r.type.c_str(), r.count, i, found[i], r.method.c_str(), expected_[i],
                        expected_of_.method.c_str());
            good_ = false;
            return;
        }
    }
    template <class Call>
    float time_of(Call& call, int calls) {
        dyad::device::check(cudaEventRecord(begin_), "cudaEventRecord");
        for (int i = 0; i < calls; ++i) call();
        dyad::device::check(cudaEventRecord(end_), "cudaEventRecord");
        dyad::device::check(cudaEventSynchronize(end_), "cudaEventSynchronize");
        float milliseconds = 0;
        dyad::device::check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
        return milliseconds;
    }
    int repetitions_;
    bool good_ = true;
    std::vector<double> expected_;
    result expected_of_;
    cudaEvent_t begin_{}, end_{};
    std::vector<result> all_;
};

/// Whether so many bytes are free, with some to spare; what dyad's pool keeps is.
inline bool fits(double bytes) {
    std::size_t free = 0, total = 0;
    dyad::device::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    const dyad::device::pool_state pool = dyad::device::state_of_pool();
    return bytes < 0.8 * static_cast<double>(free + pool.reserved - pool.used);
}
/// The first numbers of arrays, of which the measured call has written all; which are forgotten then, so that the next must write.
template <class T>
std::vector<double> first_numbers(const dyad::device_array<T, 1>& x) {
    std::vector<T> some(std::min<std::size_t>(1000, x.size()));
    dyad::device::copy_to_host(some.data(), x.data(), some.size() * sizeof(T));
    dyad::device::check(cudaMemset(const_cast<T*>(x.data()), 0xff, some.size() * sizeof(T)), "cudaMemset");
    return {some.begin(), some.end()};
}
inline std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
template <class T>
inline const char* type_name = sizeof(T) == 4 ? "f32" : "f64";

} // namespace bench
