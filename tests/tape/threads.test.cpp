// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// A tape belongs to the thread that records on it; threads share nothing, and what they give adds up to the same bits in
// whatever order they ran.

#include <dyad/tape.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

using dyad::real, dyad::tape;

template <class T>
T model(const std::vector<T>& parameters, double input) {
    T y = parameters[0];
    int steps = 0;
    while (y < 10 && steps++ < 200) {
        T slope = parameters[1] * y + sin(parameters[2] * input);
        y += 0.1 * slope;
    }
    return y;
}

/// The gradient of the sum over inputs [begin, end), on a tape of its own.
std::vector<double> part(const std::vector<double>& parameters, int begin, int end) {
    tape t;
    const std::vector<real> p = t.variable(parameters);
    real sum = 0;
    for (int k = begin; k < end; ++k) sum += model(p, 0.1 * k);
    return t.gradient(sum, p);
}

/// Parts by any number of threads, added in the order of the parts.
std::vector<double> whole(const std::vector<double>& parameters, int threads) {
    constexpr int parts = 16, each = 8;
    std::vector<std::vector<double>> results(parts);
    std::atomic<int> next{0};
    const auto work = [&] {
        for (int k = next++; k < parts; k = next++) results[static_cast<std::size_t>(k)] = part(parameters, k * each, (k + 1) * each);
    };
    std::vector<std::thread> team;
    for (int k = 1; k < threads; ++k) team.emplace_back(work);
    work();
    for (std::thread& t : team) t.join();
    std::vector<double> sum(parameters.size());
    for (const auto& r : results) {
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += r[k];
    }
    return sum;
}

} // namespace

TEST_CASE("several threads give the bits of one") {
    const std::vector<double> parameters{0.5, 0.3, 1.7};
    const std::vector<double> one = whole(parameters, 1);
    for (int round = 0; round < 20; ++round) {
        const std::vector<double> several = whole(parameters, 2 + round % 3);
        CHECK(std::memcmp(one.data(), several.data(), one.size() * sizeof(double)) == 0);
    }
}

TEST_CASE("a tape records its own thread only") {
    tape t;
    const real x = t.variable(3.0);
    double value = 0;
    bool passive = false;
    std::thread other([&] {
        const real y = x * x; // no tape on this thread
        value = y.value();
        passive = y.key().statement() == 0;
    });
    other.join();
    CHECK(value == 9);
    CHECK(passive);
    CHECK(t.size() == 1);
}

TEST_CASE("a number of another thread's tape is refused") {
    tape t;
    const real x = t.variable(3.0);
    bool refused = false;
    std::thread other([&] {
        tape mine;
        const real z = mine.variable(1.0);
        try {
            static_cast<void>(real(z * x));
        } catch (const dyad::tape_error&) {
            refused = true;
        }
    });
    other.join();
    CHECK(refused);
}

TEST_CASE("an outer tape may end before an inner one") {
    auto outer = std::make_unique<tape>();
    const real x = outer->variable(1.0);
    auto inner = std::make_unique<tape>();
    const real z = inner->variable(2.0);
    static_cast<void>(x);
    outer.reset();
    const real y = z * z;
    CHECK(inner->gradient(y, z) == 4);
    inner.reset();
    CHECK(dyad::recordings_of_thread<double>.newest == nullptr);
    CHECK(dyad::recordings_of_thread<double>.current == nullptr);
}

namespace {
/// Used after the threads' own memory is gone.
struct late {
    ~late() {
        tape t;
        const real x = t.variable(2.0);
        const real y = x * x;
        if (t.gradient(y, x) != 4) std::abort();
    }
};
late at_exit;
const double early = [] {
    tape t;
    const real x = t.variable(5.0);
    return t.gradient(x * x, x);
}();
} // namespace

TEST_CASE("tapes work while statics are made and unmade") {
    CHECK(early == 10);
}
