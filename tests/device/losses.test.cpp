// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Whole functions of arrays on a device: closed forms, the shapes of gradients, how many kernels and copies they take.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <dyad/cuda.hpp>

namespace {

using dyad::device::launch;
using doctest::Approx;

std::vector<double> wave(std::size_t n, double shift) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(0.37 * static_cast<double>(i) + shift);
    return x;
}
template <class Call>
std::vector<launch> launches_of(Call call) {
    std::vector<launch> all;
    dyad::device::on_launch([&](const launch& l) { all.push_back(l); });
    call();
    dyad::device::on_launch({});
    return all;
}
std::vector<double> host(const dyad::device_array<double, 1>& x) { return dyad::to_host<std::vector<double>>(x); }

TEST_CASE("a sum and its gradient: one kernel over the elements, one copy of its blocks' sums, which the host adds") {
    constexpr auto loss = [](auto w, auto x) { return sum(exp(w) * x + w * w); };
    for (const std::size_t n : std::initializer_list<std::size_t>{1, 3, 4, 1000, 70000, 1500001}) {
        const auto w = wave(n, 0.0), x = wave(n, 1.0);
        const auto gw = dyad::to_device(w), gx = dyad::to_device(x);
        const auto before = dyad::device::transfers();
        double value = 0;
        dyad::device_array<double, 1> dw;
        const auto all = launches_of([&] { std::tie(value, dw) = dyad::value_and_grad<0>(loss)(gw, gx); });
        CHECK(dyad::device::transfers().to_host == before.to_host + 1);
        CHECK(dyad::device::transfers().to_device == before.to_device);
        REQUIRE(all.size() == 1);
        CHECK(std::string(all[0].kernel) == "map_reduce");
        double expected = 0;
        for (std::size_t i = 0; i < n; ++i) expected += std::exp(w[i]) * x[i] + w[i] * w[i];
        CHECK(value == Approx(expected).epsilon(1e-12));
        const auto d = host(dw);
        bool right = d.size() == n;
        for (std::size_t i = 0; i < n; ++i) right = right && std::abs(d[i] - (std::exp(w[i]) * x[i] + 2 * w[i])) < 1e-14 * 10;
        CHECK(right);
    }
}

TEST_CASE("numbers that follow from sums, of which a kernel reads one") {
    // The last kernel's total and what is made of it are the host's; the mean, which a later kernel reads, is the device's.
    const std::size_t n = 70001;
    const auto x = wave(n, 0.3);
    const auto gx = dyad::to_device(x);
    double mean_of = 0, square = 0, largest = x[0];
    for (const double a : x) mean_of += a / static_cast<double>(n), largest = std::max(largest, a);
    for (const double a : x) square += (a - mean_of) * (a - mean_of);
    constexpr auto f = [](auto a) {
        const auto m = mean(a);
        const auto s = sum((a - m) * (a - m));
        return std::tuple{m, s, sqrt(s / 3) + m, amax(a) * 2, 7.5 + 0 * m};
    };
    const auto before = dyad::device::transfers();
    const auto [m, s, root, twice, given] = dyad::evaluate(f, gx);
    CHECK(dyad::device::transfers().to_host == before.to_host + 1);
    CHECK(m == Approx(mean_of).epsilon(1e-13));
    CHECK(s == Approx(square).epsilon(1e-12));
    CHECK(root == Approx(std::sqrt(square / 3) + mean_of).epsilon(1e-12));
    CHECK(twice == 2 * largest);
    CHECK(given == 7.5);
    double only = 0; // a total of the last kernel alone, and a number of it
    CHECK(launches_of([&] { only = dyad::evaluate([](auto a) { return 1 / mean(exp(a)); }, gx); }).size() == 1);
    double expected = 0;
    for (const double a : x) expected += std::exp(a) / static_cast<double>(n);
    CHECK(only == Approx(1 / expected).epsilon(1e-12));
}
TEST_CASE("sums come out the same every time, in floats too") {
    constexpr auto loss = [](auto x) { return mean(square(x) + sin(x)); };
    std::vector<float> x(300001);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::cos(static_cast<float>(i));
    const auto gx = dyad::to_device(x);
    const auto [first, slope] = dyad::value_and_grad(loss)(gx);
    double expected = 0;
    for (const float a : x) expected += static_cast<double>(a) * a + std::sin(static_cast<double>(a));
    CHECK(first == Approx(expected / 300001).epsilon(1e-6));
    for (int k = 0; k < 3; ++k) CHECK(dyad::value_and_grad(loss)(gx).first == first);
    CHECK(slope.size() == x.size());
}

TEST_CASE("gradients with respect to numbers and to what stretches are sums") {
    const std::size_t rows = 37, columns = 53;
    const auto x = wave(rows * columns, 0.2), b = wave(columns, 0.5), c = wave(rows, 0.9);
    const auto gx = dyad::to_device(dyad::view(x.data(), rows, columns));
    constexpr auto loss = [](auto scale, auto bias, auto column, auto a) { return sum(scale * a * bias + column * column * a); };
    const auto [value, slopes] = dyad::value_and_grad<0, 1, 2>(loss)(1.5, dyad::to_device(b), dyad::to_device(dyad::view(c.data(), rows, 1)), gx);
    const auto& [ds, db, dc] = slopes;
    double v = 0, s = 0;
    std::vector<double> expected_b(columns), expected_c(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            const double a = x[i * columns + j];
            v += 1.5 * a * b[j] + c[i] * c[i] * a;
            s += a * b[j];
            expected_b[j] += 1.5 * a;
            expected_c[i] += 2 * c[i] * a;
        }
    }
    CHECK(value == Approx(v).epsilon(1e-12));
    CHECK(ds == Approx(s).epsilon(1e-12));
    const auto hb = host(db);
    for (std::size_t j = 0; j < columns; ++j) CHECK(hb[j] == Approx(expected_b[j]).epsilon(1e-12));
    CHECK(dc.shape() == std::array<std::size_t, 2>{rows, 1});
    std::vector<double> hc(rows);
    dyad::to_host_into(dc, std::span(hc));
    for (std::size_t i = 0; i < rows; ++i) CHECK(hc[i] == Approx(expected_c[i]).epsilon(1e-12));
}

TEST_CASE("sums along one axis, short and long, few and many") {
    constexpr auto loss = [](auto a) { return sum(square(sum(a, 1))) + sum(exp(sum(a, 0))); };
    for (const auto& [rows, columns] : std::initializer_list<std::pair<std::size_t, std::size_t>>{{1, 1}, {3, 20000}, {20000, 3}, {300, 2}, {257, 129}}) {
        std::vector<double> x = wave(rows * columns, 0.1);
        for (double& a : x) a *= 0.01;
        const auto [value, slope] = dyad::value_and_grad(loss)(dyad::to_device(dyad::view(x.data(), rows, columns)));
        std::vector<double> by_row(rows), by_column(columns);
        for (std::size_t i = 0; i < rows * columns; ++i) by_row[i / columns] += x[i], by_column[i % columns] += x[i];
        double expected = 0;
        for (const double r : by_row) expected += r * r;
        for (const double c : by_column) expected += std::exp(c);
        CHECK(value == Approx(expected).epsilon(1e-12));
        std::vector<double> d(rows * columns);
        dyad::to_host_into(slope, std::span(d));
        bool right = true;
        for (std::size_t i = 0; i < d.size(); ++i) right = right && std::abs(d[i] - (2 * by_row[i / columns] + std::exp(by_column[i % columns]))) < 1e-12 * (1 + std::abs(d[i]));
        CHECK(right);
    }
}

TEST_CASE("softmax cross-entropy and its gradient") {
    const std::size_t rows = 64, columns = 10;
    const auto x = wave(rows * columns, 0.3);
    std::vector<double> t(rows * columns);
    for (std::size_t i = 0; i < rows; ++i) t[i * columns + i % columns] = 1;
    constexpr auto loss = [](auto a, auto target) { return -mean(sum(target * log_softmax(a, 1), 1)); };
    const auto [value, slope] = dyad::value_and_grad<0>(loss)(dyad::to_device(dyad::view(x.data(), rows, columns)), dyad::to_device(dyad::view(t.data(), rows, columns)));
    std::vector<double> d(rows * columns);
    dyad::to_host_into(slope, std::span(d));
    double expected = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        double total = 0;
        for (std::size_t j = 0; j < columns; ++j) total += std::exp(x[i * columns + j]);
        for (std::size_t j = 0; j < columns; ++j) {
            const double p = std::exp(x[i * columns + j]) / total;
            expected -= t[i * columns + j] * std::log(p) / static_cast<double>(rows);
            CHECK(d[i * columns + j] == Approx((p - t[i * columns + j]) / static_cast<double>(rows)).epsilon(1e-11));
        }
    }
    CHECK(value == Approx(expected).epsilon(1e-12));
}

TEST_CASE("regression: products of matrices with vectors, there and back") {
    const std::size_t rows = 200, columns = 7;
    const auto X = wave(rows * columns, 0.7), w = wave(columns, 0.1), t = wave(rows, 0.4);
    constexpr auto loss = [](auto a, auto b, auto c) { return mean(square(matmul(b, a) - c)); };
    const auto [value, dw] = dyad::value_and_grad<0>(loss)(dyad::to_device(w), dyad::to_device(dyad::view(X.data(), rows, columns)), dyad::to_device(t));
    double v = 0;
    std::vector<double> expected(columns);
    for (std::size_t i = 0; i < rows; ++i) {
        double r = -t[i];
        for (std::size_t j = 0; j < columns; ++j) r += X[i * columns + j] * w[j];
        v += r * r / static_cast<double>(rows);
        for (std::size_t j = 0; j < columns; ++j) expected[j] += 2 * r * X[i * columns + j] / static_cast<double>(rows);
    }
    CHECK(value == Approx(v).epsilon(1e-12));
    const auto d = host(dw);
    for (std::size_t j = 0; j < columns; ++j) CHECK(d[j] == Approx(expected[j]).epsilon(1e-11));
}

TEST_CASE("stencils: slices that lie shifted against each other") {
    constexpr auto rosenbrock = [](auto x) {
        const auto a = dyad::slice(x, 0, 0, -1), b = dyad::slice(x, 0, 1);
        return sum(100 * square(b - a * a) + square(1 - a));
    };
    const std::size_t n = 1003;
    const auto x = wave(n, 0.25);
    const auto [value, slope] = dyad::value_and_grad(rosenbrock)(dyad::to_device(x));
    double v = 0;
    std::vector<double> expected(n);
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const double r = x[i + 1] - x[i] * x[i];
        v += 100 * r * r + (1 - x[i]) * (1 - x[i]);
        expected[i] += -400 * r * x[i] - 2 * (1 - x[i]);
        expected[i + 1] += 200 * r;
    }
    CHECK(value == Approx(v).epsilon(1e-12));
    const auto d = host(slope);
    for (std::size_t i = 0; i < n; ++i) CHECK(d[i] == Approx(expected[i]).epsilon(1e-11));
}

TEST_CASE("the largest and the smallest; of nothing, an error before anything runs") {
    const auto x = wave(100000, 0.0);
    constexpr auto spread = [](auto a) { return amax(a) - amin(a); };
    const auto [value, slope] = dyad::value_and_grad(spread)(dyad::to_device(x));
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    CHECK(value == *high - *low);
    const auto d = host(slope);
    CHECK(d[static_cast<std::size_t>(high - x.begin())] == 1);
    CHECK(d[static_cast<std::size_t>(low - x.begin())] == -1);
    const auto before = dyad::device::launches();
    CHECK_THROWS_AS(static_cast<void>(dyad::value_and_grad(spread)(dyad::device_array<double, 1>(0))), dyad::value_error);
    CHECK(dyad::device::launches() == before);
}

TEST_CASE("sums over nothing are 0, products 1") {
    const dyad::device_array<double, 1> none(0);
    CHECK(dyad::value_and_grad([](auto a) { return sum(exp(a)); })(none).first == 0);
    CHECK(dyad::evaluate([](auto a) { return prod(a); }, none) == 1);
}

TEST_CASE("results go into arrays that are there") {
    const auto x = wave(1000, 0.0);
    const auto gx = dyad::to_device(x);
    double value = 0;
    dyad::device_array<double, 1> slope(1000);
    const auto* const where = slope.data();
    auto out = std::tie(value, slope);
    constexpr auto loss = [](auto a) { return sum(a * a); };
    dyad::evaluate_into(out, dyad::value_and_grad(loss), gx);
    CHECK(slope.data() == where);
    CHECK(host(slope)[17] == 2 * x[17]);
    const dyad::device_array<double, 1> y = dyad::evaluate([](auto a) { return exp(a) / sum(exp(a)); }, gx);
    CHECK(y.size() == 1000);
}

TEST_CASE("numbers stay on the device where that is what they go into: nothing is copied") {
    const std::size_t n = 10007;
    const auto gx = dyad::to_device(wave(n, 0.3));
    const auto rows = dyad::to_device(dyad::view(wave(n, 0.1).data(), 1, n));
    const auto copies = [] { return dyad::device::transfers().to_host; };
    constexpr auto loss = [](auto a) { return sqrt(mean(square(exp(a) - mean(a)))); }; // what a sum is needed for, and what follows from one
    const auto [value, slope] = dyad::value_and_grad(loss)(gx);
    dyad::device_array<double, 0> number;
    dyad::device_array<double, 1> gradient(n);
    auto both = std::tie(number, gradient);
    const auto before = copies();
    dyad::evaluate_into(both, dyad::value_and_grad(loss), gx);
    CHECK(copies() == before);
    CHECK(launches_of([&] { dyad::evaluate_into(number, [](auto a) { return sum(a * a); }, gx); }).size() == 2); // over the elements, over the blocks' sums
    dyad::evaluate_into(both, dyad::value_and_grad(loss), gx);
    CHECK(dyad::to_host(number) == Approx(value).epsilon(1e-14));
    CHECK(copies() == before + 1);
    CHECK(host(gradient) == host(slope));

    dyad::device_array<float, 0> narrow, constant, given;
    double here = 0;
    auto several = std::tie(narrow, here, constant, given);
    dyad::evaluate_into(several, [](auto a, auto c) { return std::tuple{sum(a * a), amax(a), 0 * a(0) + 0.1, c * c}; }, gx, 1.5);
    const auto [squares, largest] = dyad::evaluate([](auto a) { return std::tuple{sum(a * a), amax(a)}; }, gx);
    CHECK(dyad::to_host(narrow) == static_cast<float>(squares));
    CHECK(here == largest);
    CHECK(dyad::to_host(constant) == 0.1F);
    CHECK(dyad::to_host<double>(given) == 2.25);

    dyad::device_array<double, 0> element = std::move(number), entropy;
    dyad::evaluate_into(number, [](auto a) { return a(7); }, gx); // (it was moved from)
    CHECK(dyad::to_host(number) == wave(8, 0.3)[7]);
    CHECK(dyad::to_host(element) == Approx(value).epsilon(1e-14));
    constexpr auto of_rows = [](auto a) { return -mean(sum(a * log_softmax(a, 1), 1)); };
    dyad::evaluate_into(entropy, of_rows, rows);
    CHECK(dyad::to_host(entropy) == Approx(dyad::evaluate(of_rows, rows)).epsilon(1e-14));
}

TEST_CASE("a number that goes round a loop is computed where the next round reads it") {
    const auto gx = dyad::to_device(wave(300, 0.2));
    const auto kernels_of_rounds = [&](int rounds) {
        return launches_of([&] {
                   static_cast<void>(dyad::evaluate([](auto a, auto n) { return dyad::fori_loop(n, [=](auto, auto s) { return s * 0.5 + mean(sin(a * s)); }, mean(a)); }, gx, rounds));
               })
            .size();
    };
    CHECK(kernels_of_rounds(9) - kernels_of_rounds(4) == 5 * 3); // over the elements, over their blocks' sums, and what follows from these
}

TEST_CASE("masks are arguments: arrays of bool lie on a device as they are") {
    const bool mask[] = {true, false, true};
    const auto gm = dyad::to_device(dyad::view(mask, 3));
    const auto gx = dyad::to_device(std::vector<double>{1, 2, 3});
    const auto [value, slope] = dyad::value_and_grad<0>([](auto x, auto m) { return sum(where(m, x * x, -x)); })(gx, gm);
    CHECK(value == 8);
    CHECK(host(slope) == std::vector<double>{2, -1, 6});
    CHECK(host(dyad::kernel([](auto m, auto x) { return dyad::where(m, x, 2 * x); })(gm, gx)) == std::vector<double>{1, 4, 3});
}

} // namespace
