// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Arrays of a device: their memory, copies to and from them, what is counted and what is refused.
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <dyad/cuda.hpp>

#include <thrust/copy.h>
#include <thrust/device_vector.h>

namespace {

using dyad::device_array;
using dyad::device::transfers;

std::vector<double> numbers(std::size_t n) {
    std::vector<double> x(n);
    std::iota(x.begin(), x.end(), 1.0);
    return x;
}
template <class Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const dyad::error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

TEST_CASE("what goes to the device comes back, and each copy is counted") {
    const std::vector<double> x = numbers(1001);
    const auto before = transfers();
    const device_array<double, 1> gx = dyad::to_device(x);
    const auto after_one = transfers();
    CHECK(after_one.to_device == before.to_device + 1);
    CHECK(after_one.bytes_to_device == before.bytes_to_device + 1001 * sizeof(double));
    CHECK(after_one.to_host == before.to_host);
    CHECK(gx.size() == 1001);
    CHECK(dyad::to_host<std::vector<double>>(gx) == x);
    const auto after_both = transfers();
    CHECK(after_both.to_host == before.to_host + 1);
    CHECK(after_both.bytes_to_host == before.bytes_to_host + 1001 * sizeof(double));
}

TEST_CASE("views of the host are packed row after row") {
    const std::vector<int> x{1, 2, 3, 4, 5, 6};
    const auto matrix = dyad::to_device(dyad::view(x.data(), 2, 3));
    CHECK(matrix.shape() == std::array<std::size_t, 2>{2, 3});
    dyad::array_view<const int, 2> columns{x.data(), {3, 2}, {1, 3}}; // its transpose
    const auto turned = dyad::to_device(columns);
    CHECK(turned.shape() == std::array<std::size_t, 2>{3, 2});
    std::vector<int> back(6);
    dyad::to_host_into(turned, std::span(back));
    CHECK(back == std::vector<int>{1, 4, 2, 5, 3, 6});
    CHECK_THROWS_AS(dyad::to_host_into(turned, std::span(back).first(5)), dyad::shape_error);
}

#if DYAD_DEVICE_XTENSOR
TEST_CASE("xtensor's containers, views and expressions go to the device") {
    const xt::xtensor<float, 2> x{{1, 2, 3}, {4, 5, 6}};
    const device_array<float, 2> gx = dyad::to_device(x);
    CHECK(dyad::to_host(gx) == x);
    const xt::xtensor<float, 2> column = xt::view(x, xt::all(), xt::range(1, 2));
    CHECK(dyad::to_host(dyad::to_device(xt::view(x, xt::all(), xt::range(1, 2)))) == column);
    const xt::xtensor<float, 2> doubled = 2.0F * x;
    CHECK(dyad::to_host(dyad::to_device(2.0F * x)) == doubled);
}

TEST_CASE("arrays come to the host in what is named, whatever its layout") {
    const std::vector<double> x = numbers(6);
    const auto g = dyad::to_device(dyad::view(x.data(), 2, 3));
    using dyad::to_host;
    const auto is_right = [&](const auto& back) {
        bool right = back.shape()[0] == 2 && back.shape()[1] == 3;
        for (std::size_t i = 0; right && i < 2; ++i) {
            for (std::size_t k = 0; k < 3; ++k) right = right && back(i, k) == x[3 * i + k];
        }
        return right;
    };
    CHECK(is_right(to_host<xt::xtensor<double, 2>>(g)));
    CHECK(is_right(to_host<xt::xtensor<double, 2, xt::layout_type::column_major>>(g)));
#if !defined(__clang__) || __clang_major__ < 19 || XTENSOR_VERSION_MINOR >= 26 // else xtensor's own xarray does not compile
    CHECK(is_right(to_host<xt::xarray<double>>(g)));
    CHECK(is_right(to_host<xt::xarray<double, xt::layout_type::column_major>>(g)));
#endif
    CHECK(is_right(to_host<xt::xtensor_fixed<double, xt::xshape<2, 3>>>(g)));
    CHECK(to_host<xt::xtensor<float, 2, xt::layout_type::column_major>>(g)(1, 0) == static_cast<float>(x[3]));
    const std::string text = message_of([&] { static_cast<void>(to_host<xt::xtensor_fixed<double, xt::xshape<3, 2>>>(g)); });
    CHECK(text == "[dyad] to_host: an array of shape [2,3] does not fill one of shape [3,2]");
}
#endif

TEST_CASE("copies are copies, moved-from arrays are empty") {
    const std::vector<double> x = numbers(10);
    auto a = dyad::to_device(x);
    auto b = a;
    CHECK(b.data() != a.data());
    const auto* const where = a.data();
    auto c = std::move(a);
    CHECK(c.data() == where);
    CHECK(a.size() == 0); // NOLINT: what is left is part of the contract
    CHECK(dyad::to_host<std::vector<double>>(b) == x);
    b = c;
    b = *&b;
    CHECK(dyad::to_host<std::vector<double>>(b) == x);
    const device_array<double, 3> empty(4, 0, 2);
    CHECK(empty.size() == 0);
    CHECK(empty.data() == nullptr);
}

TEST_CASE("a number that was moved from has no memory: copies have none either, and to_host says so") {
    device_array<double, 0> a, c;
    const device_array<double, 0> b = std::move(a);
    c = a;
    const device_array<double, 0> d(a);
    CHECK(message_of([&] { static_cast<void>(dyad::to_host(c)); }) == "[dyad] copy to the host: there is no memory, as of a number that was moved from");
    CHECK(message_of([&] { static_cast<void>(dyad::to_host(d)); }) == "[dyad] copy to the host: there is no memory, as of a number that was moved from");
    c = b;
    static_cast<void>(dyad::to_host(c));
}

TEST_CASE("a number that is an element of an argument, which is a target too") {
    constexpr auto f = [](auto x) { return std::tuple{x * 2, x(0)}; };
    auto x = dyad::to_device(numbers(3));
    double first = 0;
    auto targets = std::tie(x, first);
    dyad::evaluate_into(targets, f, x);
    CHECK(first == 1);
    CHECK(dyad::to_host<std::vector<double>>(x) == std::vector<double>{2, 4, 6});
    device_array<double, 0> there;
    auto on_device = std::tie(x, there);
    dyad::evaluate_into(on_device, f, x);
    CHECK(dyad::to_host(there) == 2);
}

TEST_CASE("arrays of several places in one call: the error names both") {
    const std::vector<double> x = numbers(4);
    const auto gx = dyad::to_device(x);
    constexpr auto f = [](auto a, auto b) { return a * b; };
    const std::string text = message_of([&] { static_cast<void>(dyad::kernel(f)(x, gx)); });
    CHECK(text.find("argument 1 lies on the device") != std::string::npos);
    CHECK(text.find("argument 0 in the host's memory") != std::string::npos);
    constexpr auto loss = [](auto a, auto b) { return sum(a * b); };
    CHECK_THROWS_AS(static_cast<void>(dyad::grad(loss)(gx, x)), dyad::device_error);
    CHECK_NOTHROW(static_cast<void>(dyad::kernel(f)(gx, 2.0))); // a number has no place
    constexpr auto of_pair = [](auto p) { return p.first * p.second; };
    const std::string mixed = message_of([&] { static_cast<void>(dyad::kernel(of_pair)(std::pair{gx, x})); });
    CHECK(mixed.find("argument 0 has arrays on the device") != std::string::npos);
    CHECK(mixed.find(" and in the host's memory; bring") != std::string::npos);
}

TEST_CASE("a failing allocation throws a device_error with its numbers and changes nothing") {
    auto a = dyad::to_device(numbers(3));
    const std::string text = message_of([&] { a = device_array<double, 1>(std::size_t{1} << 58); });
    CHECK(text.find(std::to_string(std::size_t{1} << 61)) != std::string::npos);
    CHECK(dyad::to_host<std::vector<double>>(a) == numbers(3));
}

TEST_CASE("thrust's vectors of the device are arrays of one axis") {
    const std::vector<double> x = numbers(300);
    const thrust::device_vector<double> tx(x.begin(), x.end());
    constexpr auto f = [](auto a) { return a * a; };
    const auto y = dyad::to_host<std::vector<double>>(dyad::kernel(f)(tx));
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == x[i] * x[i]);
    thrust::device_vector<double> out;
    dyad::kernel(f).into(out, tx);
    CHECK(out.size() == 300);
    std::vector<double> back(300); // (reading one element is undefined behaviour inside of Thrust, a sanitizer says)
    thrust::copy(out.begin(), out.end(), back.begin());
    CHECK(back[7] == 64.0);
}

} // namespace
