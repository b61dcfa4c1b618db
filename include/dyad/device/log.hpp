// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a device was asked to do: copies between host and device are counted, and each launch is told to a function of the
// user's.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <dyad/base/config.hpp>

namespace dyad::device {

/// Copies between host and device since the program began, of all threads.
struct transfer_counts {
    std::size_t to_device = 0, to_host = 0;             ///< copies
    std::size_t bytes_to_device = 0, bytes_to_host = 0; ///< bytes
    friend constexpr bool operator==(const transfer_counts&, const transfer_counts&) = default;
};

/// One kernel on its way to a device.
struct launch {
    std::string device;         ///< its name: "NVIDIA H200 (cuda:0)", "Thrust CPP"
    const char* kernel = "";    ///< which: "map", "map_reduce", "rows", "loop", "loop_reduce", "finish"
    std::size_t operations = 0; ///< nodes of its program
    std::size_t inputs = 0, outputs = 0;
    std::size_t elements = 0; ///< of the space that it runs over
    std::size_t blocks = 0, threads = 0;
};

struct counters {
    std::atomic<std::size_t> to_device{0}, to_host{0}, bytes_to_device{0}, bytes_to_host{0}, launches{0};
    static counters& all() {
        static counters instance;
        return instance;
    }
};

/// The copies so far: those of to_device and to_host, of calls whose result is a number, of verdicts on indices, of conditions of loops, and
/// what LAPACK is given on the host and returns. (docs/cuda.md)
/// Example: `const auto before = dyad::device::transfers(); ...`
inline transfer_counts transfers() {
    const counters& c = counters::all();
    return {c.to_device, c.to_host, c.bytes_to_device, c.bytes_to_host};
}
/// The kernels launched so far.
inline std::size_t launches() { return counters::all().launches; }

inline void count_to_device(std::size_t bytes) {
    ++counters::all().to_device;
    counters::all().bytes_to_device += bytes;
}
inline void count_to_host(std::size_t bytes) {
    ++counters::all().to_host;
    counters::all().bytes_to_host += bytes;
}

/// The calling thread's listener.
DYAD_SHARED inline std::function<void(const launch&)>& launch_listener() {
    thread_local std::function<void(const launch&)> listener;
    return listener;
}
/// From here on `listener` is called before each launch of this thread; an empty function ends that.
/// Example: `dyad::device::on_launch([](const dyad::device::launch& l) { std::cerr << l.kernel << ' ' << l.elements << '\n'; });`
inline void on_launch(std::function<void(const launch&)> listener) { launch_listener() = std::move(listener); }

} // namespace dyad::device
