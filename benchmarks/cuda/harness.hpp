// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Times calls by CUDA events and keeps the results: a line for each on the screen, all of them as JSON.
#pragma once

#include <algorithm>
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

    /// The median time of a call, of some repetitions of about two milliseconds. `bytes` is what must move.
    template <class Call>
    double measure(result r, double bytes, Call call) {
        call();
        const float once = time_of(call, 1);
        const int calls = std::clamp(static_cast<int>(2.0F / std::max(once, 1e-3F)), 1, 500);
        std::vector<float> times(static_cast<std::size_t>(repetitions_));
        for (float& t : times) t = time_of(call, calls) / static_cast<float>(calls);
        std::nth_element(times.begin(), times.begin() + repetitions_ / 2, times.end());
        r.microseconds = 1000.0 * times[static_cast<std::size_t>(repetitions_ / 2)];
        r.gigabytes_a_second = bytes / r.microseconds / 1000;
        std::printf("%-22s %-6s %10zu %4zu ops  %-10s %10.1f us %8.0f GB/s\n", r.problem.c_str(), r.type.c_str(), r.count, r.operations, r.method.c_str(),
                    r.microseconds, r.gigabytes_a_second);
        std::fflush(stdout);
        all_.push_back(r);
        return r.gigabytes_a_second;
    }
    [[nodiscard]] const std::vector<result>& all() const { return all_; }

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
template <class T>
inline const char* type_name = sizeof(T) == 4 ? "f32" : "f64";

} // namespace bench
