// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The threads that loops share: all parts run, whoever changes their number meanwhile.
#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>

#include <doctest/doctest.h>
#include <dyad/kernel/threads.hpp>

#include <sys/resource.h>

#include "sanitized.hpp"

namespace {

/// How often each of 60 units runs.
std::array<int, 60> shared_out() {
    std::array<int, 60> runs{};
    dyad::thread_pool::shared().run([&](std::size_t part, std::size_t parts) {
        for (std::size_t unit = part; unit < runs.size(); unit += parts) ++runs[unit];
    });
    return runs;
}
constexpr auto once = [] {
    std::array<int, 60> all{};
    for (int& n : all) n = 1;
    return all;
}();

} // namespace

TEST_CASE("each part runs once, on any number of threads, also from inside") {
    for (const std::size_t n : std::array<std::size_t, 4>{1, 2, 5, 0}) {
        dyad::threads(n);
        CHECK(dyad::thread_pool::shared().size() == (n == 0 ? 1 : n));
        CHECK(shared_out() == once);
        std::atomic<int> nested = 0;
        dyad::thread_pool::shared().run([&](std::size_t, std::size_t) { nested += shared_out() == once ? 1 : 100; });
        CHECK(nested == static_cast<int>(dyad::thread_pool::shared().size()));
    }
    dyad::threads(1);
}
TEST_CASE("each part runs once while the number of threads changes and others work") {
    std::atomic<bool> stop = false;
    std::thread changer([&] {
        for (std::size_t n = 0; !stop; ++n) dyad::threads(1 + n % 4);
    });
    int wrong = 0, wrong_there = 0;
    std::thread other([&] {
        for (int k = 0; k < 3000; ++k) wrong_there += shared_out() != once;
    });
    for (int k = 0; k < 3000; ++k) wrong += shared_out() != once;
    other.join();
    stop = true;
    changer.join();
    dyad::threads(1);
    CHECK(wrong == 0);
    CHECK(wrong_there == 0);
}
TEST_CASE("what a part throws reaches the caller, and the threads go on") {
    dyad::threads(3);
    for (std::size_t bad = 0; bad < 3; ++bad) {
        CHECK_THROWS_AS(dyad::thread_pool::shared().run([&](std::size_t part, std::size_t) {
            if (part == bad) throw std::runtime_error("part");
        }), std::runtime_error);
        CHECK(shared_out() == once);
    }
    dyad::threads(1);
}
TEST_CASE("where there are not so many threads, as many as there are work") {
    if (sanitized) return;
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
    const rlimit little{rlim_t{1} << 30, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
    CHECK_THROWS(dyad::threads(1'000'000));
    REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
    CHECK(dyad::thread_pool::shared().size() < 1'000'000);
    std::atomic<std::size_t> parts = 0;
    dyad::thread_pool::shared().run([&](std::size_t, std::size_t) { ++parts; });
    CHECK(parts == dyad::thread_pool::shared().size());
    dyad::threads(1);
}
TEST_CASE("the number of threads cannot change while they work") {
    dyad::threads(2);
    CHECK_THROWS_AS(dyad::thread_pool::shared().run([](std::size_t, std::size_t) { dyad::threads(3); }), dyad::value_error);
    CHECK(dyad::thread_pool::shared().size() == 2);
    CHECK(shared_out() == once);
    dyad::threads(1);
}

TEST_CASE("a negative number of threads is refused") {
    CHECK_THROWS_WITH_AS(dyad::threads(-1), "[dyad] threads: their number is -1; it must not be negative", dyad::value_error);
    dyad::threads(std::size_t{1});
}
