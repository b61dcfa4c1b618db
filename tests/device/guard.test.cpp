// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// With DYAD_DEVICE_GUARD, host and device cannot be mixed up where they are one memory.
#include <doctest/doctest.h>

#include <dyad/cuda.hpp>

#if DYAD_DEVICE_GUARDED

#include <cerrno>
#include <vector>

#include <unistd.h>

namespace {

/// Whether the process may read there: the system says so without a signal.
bool is_readable(const void* data) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const bool written = ::write(ends[1], data, 8) == 8;
    CHECK((written || errno == EFAULT));
    ::close(ends[0]);
    ::close(ends[1]);
    return written;
}

TEST_CASE("the device's memory is closed to the host, and open to kernels and copies") {
    const std::vector<double> x{1, 2, 3};
    CHECK(is_readable(x.data()));
    const auto gx = dyad::to_device(x);
    CHECK_FALSE(is_readable(gx.data()));
    const auto y = dyad::kernel([](auto a) { return a * a; })(gx);
    CHECK_FALSE(is_readable(y.data()));
    CHECK(dyad::to_host<std::vector<double>>(y) == std::vector<double>{1, 4, 9});
    const dyad::device::device_work works;
    CHECK(is_readable(gx.data()));
}

TEST_CASE("a kernel that is given memory of the host is refused") {
    const std::vector<double> x{1, 2, 3};
    const dyad::array_reference<const double, 1> host{x.data(), {3}, {1}};
    dyad::device_array<double, 1> out(3);
    const auto to = dyad::array_traits<dyad::device_array<double, 1>>::target(out);
    CHECK_THROWS_AS(dyad::device::copy<double>(host, to), dyad::device_error);
    std::vector<double> there(3);
    CHECK_THROWS_AS(dyad::device::copy_to_host(there.data(), x.data(), 24), dyad::device_error);
    CHECK_THROWS_AS((dyad::device::call<dyad::opcode::recurrence, double>(0, to, static_cast<double*>(nullptr), host, 1.0)), dyad::device_error);
}

TEST_CASE("memory that was given back is taken again") {
    const auto x = dyad::to_device(std::vector<double>{1, 2, 3});
    dyad::device_array<double, 1> large;
    for (int k = 0; k < 100; ++k) large = dyad::device_array<double, 1>(1 << 23); // more in all than the guard has addresses for
    CHECK(large.size() == 1 << 23);
    CHECK(dyad::to_host<std::vector<double>>(x) == std::vector<double>{1, 2, 3});
}

} // namespace

#endif
