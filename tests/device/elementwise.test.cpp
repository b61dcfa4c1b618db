// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions of numbers over arrays of a device: one launch, the numbers of the host's kernels, at every size.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <dyad/cuda.hpp>

namespace {

using dyad::device::launch;

template <class T>
std::vector<T> ramp(std::size_t n, T first, T step) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = first + step * static_cast<T>(i);
    return x;
}
/// The launches of a call.
template <class Call>
std::vector<launch> launches_of(Call call) {
    std::vector<launch> all;
    dyad::device::on_launch([&](const launch& l) { all.push_back(l); });
    call();
    dyad::device::on_launch({});
    return all;
}

constexpr auto f = [](auto x, auto y) { return sin(x) * y + exp(-x * x) / y; };

/// Bit for bit on Thrust's host systems; nvcc contracts products and sums, and a GPU has its own sine and exponential.
template <class T>
bool same([[maybe_unused]] T a, [[maybe_unused]] T b) {
#if DYAD_DEVICE_CUDA
    return std::abs(a - b) <= 8 * std::numeric_limits<T>::epsilon() * (1 + std::abs(b));
#else
    return a == b;
#endif
}

TEST_CASE_TEMPLATE("value and slopes at each element are those of the numbers", T, float, double) {
    for (const std::size_t n : std::initializer_list<std::size_t>{1, 2, 3, 4, 5, 7, 8, 255, 256, 1023, 4096, 100003}) {
        const auto x = ramp<T>(n, T(-1), T(1e-4)), y = ramp<T>(n, T(1), T(1e-3));
        const auto [value, slopes] = dyad::kernel(dyad::value_and_grad(f))(dyad::to_device(x), dyad::to_device(y));
        const auto v = dyad::to_host<std::vector<T>>(value), dx = dyad::to_host<std::vector<T>>(std::get<0>(slopes)),
                   dy = dyad::to_host<std::vector<T>>(std::get<1>(slopes));
        REQUIRE(v.size() == n);
        bool all = true;
        for (std::size_t i = 0; i < n; ++i) {
            const auto [a, g] = dyad::value_and_grad(f)(x[i], y[i]);
            all = all && same(v[i], a) && same(dx[i], std::get<0>(g)) && same(dy[i], std::get<1>(g));
        }
        CHECK_MESSAGE(all, n);
    }
}

TEST_CASE("a kernel is one launch, and copies nothing") {
    const auto gx = dyad::to_device(ramp(5000, 0.0, 0.1)), gy = dyad::to_device(ramp(5000, 1.0, 0.1));
    const auto before = dyad::device::transfers();
    const auto launches = launches_of([&] { static_cast<void>(dyad::kernel(dyad::value_and_grad(f))(gx, gy)); });
    REQUIRE(launches.size() == 1);
    CHECK(std::string(launches[0].kernel) == "map");
    CHECK(launches[0].inputs == 2);
    CHECK(launches[0].outputs == 3);
    CHECK(launches[0].elements == 5000);
    CHECK(dyad::device::transfers() == before);
}

TEST_CASE("arrays without elements launch nothing") {
    const dyad::device_array<double, 1> none(0);
    CHECK(launches_of([&] { CHECK(dyad::kernel(f)(none, none).size() == 0); }).empty());
    const dyad::device_array<double, 2> rows(3, 0);
    CHECK(launches_of([&] { CHECK(dyad::kernel(f)(rows, 2.0).shape() == std::array<std::size_t, 2>{3, 0}); }).empty());
}

TEST_CASE("numbers and arrays of one element stretch; other sizes do not fit") {
    const auto x = ramp(1000, 0.5, 0.01);
    const auto gx = dyad::to_device(x);
    const auto y = dyad::to_host<std::vector<double>>(dyad::kernel(f)(gx, 3.0));
    const auto z = dyad::to_host<std::vector<double>>(dyad::kernel(f)(gx, dyad::to_device(std::vector<double>{3.0})));
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(y[i] == doctest::Approx(dyad::value_and_grad<0>(f)(x[i], 3.0).first).epsilon(1e-14));
        CHECK(z[i] == doctest::Approx(y[i]).epsilon(1e-14));
    }
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::kernel(f)(gx, dyad::to_device(ramp(999, 0.0, 1.0)))),
                         doctest::Contains("Incompatible shapes: [1000] vs. [999]"), dyad::shape_error);
}

TEST_CASE("matrices stretch along rows and columns") {
    const auto x = ramp(12, 1.0, 1.0), row = ramp(4, 10.0, 1.0), column = ramp(3, 100.0, 1.0);
    const auto gx = dyad::to_device(dyad::view(x.data(), 3, 4));
    constexpr auto g = [](auto a, auto b, auto c) { return a + 2 * b + 3 * c; };
    const auto out = dyad::kernel(g)(gx, dyad::to_device(row), dyad::to_device(dyad::view(column.data(), 3, 1)));
    std::vector<double> y(12);
    dyad::to_host_into(out, std::span(y));
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 4; ++j) CHECK(y[i * 4 + j] == x[i * 4 + j] + 2 * row[j] + 3 * column[i]);
    }
}

TEST_CASE("constants reach the device with every bit") {
    constexpr auto constants = [](auto x) {
        return std::array{x * 0 + 1.0 / 3, x * 0 + 0.1F, x * 0 + std::numeric_limits<double>::infinity(), x * 0 + 5e-324};
    };
    const auto all = dyad::kernel(dyad::verbatim(constants))(dyad::to_device(std::vector<double>{1.0, 2.0, 3.0}));
    const auto bits = [&](std::size_t k) { return std::bit_cast<std::uint64_t>(dyad::to_host<std::vector<double>>(all[k])[2]); };
    CHECK(bits(0) == std::bit_cast<std::uint64_t>(1.0 / 3));
    CHECK(bits(1) == std::bit_cast<std::uint64_t>(static_cast<double>(0.1F)));
    CHECK(bits(2) == std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity()));
    CHECK(bits(3) == 1);
    // A constant alone keeps even the payload of a NaN and the sign of a zero.
    constexpr auto lonely = [](auto x) { return where(x > 0, decltype(x)(std::bit_cast<double>(0x7ff8000000abcdefULL)), decltype(x)(-0.0)); };
    const auto y = dyad::to_host<std::vector<double>>(dyad::kernel(lonely)(dyad::to_device(std::vector<double>{1.0, -1.0})));
    CHECK(std::bit_cast<std::uint64_t>(y[0]) == 0x7ff8000000abcdefULL);
    CHECK(std::bit_cast<std::uint64_t>(y[1]) == std::uint64_t{1} << 63);
}

TEST_CASE("non-smooth points keep the conventions, inf and NaN their way") {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> x{0.0, -0.0, -2.0, 3.0, inf, -inf, nan};
    constexpr auto g = [](auto a) { return abs(a) + max(a, 0.0) + sqrt(a * a); };
    const auto [value, slope] = dyad::kernel(dyad::value_and_grad(g))(dyad::to_device(x));
    const auto v = dyad::to_host<std::vector<double>>(value), d = dyad::to_host<std::vector<double>>(slope);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto [a, s] = dyad::value_and_grad(g)(x[i]);
        CHECK((v[i] == a || (std::isnan(v[i]) && std::isnan(a))));
        CHECK((d[i] == s || (std::isnan(d[i]) && std::isnan(s))));
    }
}

TEST_CASE("results go into arrays that are there; arguments may be results") {
    const auto x = ramp(500, 0.0, 0.5);
    auto gx = dyad::to_device(x);
    const auto launches = launches_of([&] { dyad::kernel([](auto a) { return 2 * a + 1; }).into(gx, gx); });
    CHECK(launches.size() == 1);
    const auto y = dyad::to_host<std::vector<double>>(gx);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == 2 * x[i] + 1);
    dyad::device_array<double, 1> out(500);
    const auto* const where = out.data();
    dyad::kernel([](auto a) { return a - 1; }).into(out, gx);
    CHECK(out.data() == where);
    CHECK(dyad::to_host<std::vector<double>>(out)[3] == y[3] - 1);
}

TEST_CASE("integers are data, in the number type of the others") {
    const std::vector<int> k{0, 1, 2, 3, 4};
    const std::vector<float> x{0.5F, 1.5F, 2.5F, 3.5F, 4.5F};
    const dyad::device_array<float, 1> y = dyad::kernel([](auto a, auto b) { return a * b; })(dyad::to_device(k), dyad::to_device(x));
    CHECK(dyad::to_host<std::vector<float>>(y) == std::vector<float>{0.0F, 1.5F, 5.0F, 10.5F, 18.0F});
}

TEST_CASE("programs of many operations are cut into kernels that hold them") {
    constexpr auto long_one = [](auto x, auto y) {
        auto a = x, b = y;
        for (int i = 0; i < 90; ++i) {
            const auto larger = a > b;
            b = where(larger, sin(a * y + 0.01 * i), b);
            a = where(larger, a, a * a + cos(b) * x);
        }
        return std::array{a, b};
    };
    const auto x = ramp(3001, -1.0, 7e-4), y = ramp(3001, 0.5, 1e-4);
    const auto gx = dyad::to_device(x), gy = dyad::to_device(y);
    std::array<dyad::device_array<double, 1>, 2> out;
    const auto launches = launches_of([&] { out = dyad::kernel(long_one)(gx, gy); });
    CHECK(launches.size() > 1);
    for (const launch& l : launches) CHECK(l.operations <= 300);
    const auto a = dyad::to_host<std::vector<double>>(out[0]), b = dyad::to_host<std::vector<double>>(out[1]);
    for (std::size_t i = 0; i < x.size(); i += 50) {
        const auto [va, vb] = dyad::jvp(long_one)(std::tuple{x[i], y[i]}, std::tuple{0.0, 0.0}).first;
        CHECK(a[i] == doctest::Approx(va).epsilon(1e-12));
        CHECK(b[i] == doctest::Approx(vb).epsilon(1e-12));
    }
}

template <class F>
struct plus_third {
    template <class X>
    constexpr auto operator()(X a, X b, X c) const {
        return F{}(a, b) + c;
    }
};
TEST_CASE("gradients of long programs by one or two arguments go forward where that takes fewer operations") {
    // (The registers of a kernel would have to hold what reverse mode keeps.)
    constexpr auto g = [](auto a, auto b) {
        auto sum = a;
        for (int k = 0; k < 25; ++k) sum = sum * b + (0.25 + 0.125 * k) * a;
        return sum;
    };
    // Every step depends on both arguments, so that forward mode takes more: it goes backwards.
    constexpr auto h = [](auto a, auto b) {
        auto x = a * b;
        for (int k = 0; k < 20; ++k) x = x * (x * (0.5 + 0.01 * k) - 1);
        return x;
    };
    const auto x = ramp(50, 0.1, 0.01), y = ramp(50, -0.9, 0.03);
    const auto gx = dyad::to_device(x), gy = dyad::to_device(y);
    const auto check = [&](auto of, bool forward) {
        std::vector<std::size_t> operations;
        dyad::device::on_launch([&](const launch& l) { operations.push_back(l.operations); });
        const auto [value, slopes] = dyad::kernel(dyad::value_and_grad(of))(gx, gy);
        static_cast<void>(dyad::kernel(dyad::value_and_grad(plus_third<decltype(of)>{}))(gx, gy, gx)); // by three: backwards
        dyad::device::on_launch({});
        REQUIRE(operations.size() == 2);
        CHECK((operations[0] + 10 < operations[1]) == forward);
        const auto v = dyad::to_host<std::vector<double>>(value), dx = dyad::to_host<std::vector<double>>(std::get<0>(slopes)),
                   dy = dyad::to_host<std::vector<double>>(std::get<1>(slopes));
        for (std::size_t i = 0; i < x.size(); ++i) {
            const auto [a, s] = dyad::value_and_grad(of)(x[i], y[i]);
            CHECK(v[i] == doctest::Approx(a).epsilon(1e-13));
            CHECK(dx[i] == doctest::Approx(std::get<0>(s)).epsilon(1e-12));
            CHECK(dy[i] == doctest::Approx(std::get<1>(s)).epsilon(1e-12));
        }
    };
    check(g, true);
    check(h, false);
}

TEST_CASE("numbers that a function captures are arguments of its kernel") {
    const auto x = dyad::to_device(std::vector<double>{1, 2, 3}), y = dyad::to_device(std::vector<double>{3, 1, 2});
    const double a = 1.5;
    const int n = 2;
    const auto g = [=](auto p, auto q) { return sin(p * a) * q + n * p; };
    std::vector<double> value, by_x;
    const auto launches = launches_of([&] {
        const auto [v, slopes] = dyad::kernel(dyad::value_and_grad(g))(x, y);
        value = dyad::to_host<std::vector<double>>(v);
        by_x = dyad::to_host<std::vector<double>>(std::get<0>(slopes));
    });
    CHECK(launches.size() == 1);
    CHECK(value[1] == doctest::Approx(std::sin(2 * a) * 1 + n * 2));
    CHECK(by_x[1] == doctest::Approx(a * std::cos(2 * a) + n));
    dyad::device_array<double, 1> out(3);
    dyad::kernel([a](auto p) { return a * p; }).into(out, x);
    CHECK(dyad::to_host<std::vector<double>>(out) == std::vector<double>{1.5, 3, 4.5});
    // products of it, too
    const auto [same, along] = dyad::kernel(dyad::jvp<0>(g))(std::tuple{x, y}, x);
    CHECK(dyad::to_host<std::vector<double>>(same) == value);
    CHECK(dyad::to_host<std::vector<double>>(along)[1] == doctest::Approx(2 * by_x[1]));
    CHECK(dyad::to_host<std::vector<double>>(dyad::kernel(dyad::hvp([a](auto p) { return a * p * p; }))(x, y)) == std::vector<double>{9, 3, 6});
}

} // namespace
TEST_CASE("kernels work in place where an argument is the target, element for element") {
    const std::size_t n = 1003;
    std::vector<double> start(n);
    for (std::size_t i = 0; i < n; ++i) start[i] = 0.1 * static_cast<double>(i);
    dyad::device_array<double, 1> w = dyad::to_device(start), g = dyad::to_device(start);
    const void* const there = w.data();
    dyad::kernel([](auto a, auto b) { return a - 0.5 * b; }).into(w, w, g);
    CHECK(static_cast<const void*>(w.data()) == there);
    const auto lowered = dyad::to_host(w);
    for (std::size_t i = 0; i < n; ++i) CHECK(lowered(i) == start[i] - 0.5 * start[i]);
    std::pair both{dyad::to_device(start), dyad::to_device(std::vector<double>(n, 7.0))};
    const void* const first = both.first.data();
    dyad::kernel([](auto a, auto b) { return std::pair{b + 1, a + 2}; }).into(both, both.first, both.second);
    CHECK(static_cast<const void*>(both.first.data()) == first);
    for (std::size_t i = 0; i < n; ++i) {
        CHECK(dyad::to_host(both.first)(i) == 8);
        CHECK(dyad::to_host(both.second)(i) == start[i] + 2);
    }
}
TEST_CASE("what stretches over no elements has slopes 0") {
    const dyad::device_array<double, 2> column(0, 1), wide(0, 5), row(1, 5);
    const auto [by_column, by_wide] = dyad::grad([](auto x, auto y) { return sum(x * y); })(column, wide);
    CHECK(by_column.size() == 0);
    CHECK(by_wide.size() == 0);
}
TEST_CASE("a condition as a result is 1 or 0") {
    const auto x = dyad::to_device(std::vector<double>{1, 2, 3});
    const auto host = [](const auto& y) { return dyad::to_host<std::vector<double>>(y); };
    const auto mask = dyad::kernel([](auto a) { return a > 1.5; })(x);
    CHECK(host(mask) == std::vector<double>{0, 1, 1});
    CHECK(host(dyad::kernel([](auto m, auto a) { return where(m, a, -a); })(mask, x)) == std::vector<double>{-1, 2, 3});
    const auto [value, slope] = dyad::kernel(dyad::value_and_grad([](auto a) { return a > 1.5 && !(a > 2.5); }))(x);
    CHECK(host(value) == std::vector<double>{0, 1, 0});
    CHECK(host(slope) == std::vector<double>{0, 0, 0});
}
TEST_CASE("masks as arguments count as 1 and 0, and results are no masks") {
    dyad::device_array<bool, 1> mask(3);
    const bool chosen[] = {true, false, true};
    dyad::device::copy_to_device(mask.data(), chosen, sizeof(chosen));
    const auto k = dyad::to_device(std::vector<int>{16777217, -16777219, 3});
    const auto host = [](const auto& y) { return dyad::to_host<std::vector<double>>(y); };
    CHECK(host(dyad::kernel([](auto x, auto y) { return x + y; })(mask, mask)) == std::vector<double>{2, 0, 2});
    CHECK(host(dyad::kernel([](auto x) { return x * 2.5; })(mask)) == std::vector<double>{2.5, 0, 2.5});
    CHECK(host(dyad::kernel([](auto x, auto s) { return where(x, s, 0.0); })(mask, 0.1)) == std::vector<double>{0.1, 0, 0.1});
    CHECK(host(dyad::kernel([](auto m, auto x) { return where(m, x, 0); })(mask, k)) == std::vector<double>{16777217, 0, 3});
    CHECK(dyad::evaluate([](auto m) { return mean(m) / 3; }, mask) == 2.0 / 3 / 3);
    CHECK(std::ranges::equal(dyad::to_host(mask), chosen));
    dyad::device_array<bool, 0> any;
    dyad::evaluate_into(any, [](auto x) { return max(x > 2); }, k);
    CHECK(dyad::to_host(any));
}
