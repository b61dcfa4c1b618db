// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Loops that become one row kernel: what they give is what the host's arrays give, whatever the rows' length and place in memory.
#include "agreement.hpp"

#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

using namespace agreement;

namespace {

/// The kernels that a call launches, by name.
template <class Call>
std::vector<std::string> kernels_of(Call call) {
    std::vector<std::string> names;
    dyad::device::on_launch([&](const dyad::device::launch& l) { names.emplace_back(l.kernel); });
    call();
    dyad::device::on_launch({});
    return names;
}
std::size_t rows_in(const std::vector<std::string>& names) {
    std::size_t count = 0;
    for (const std::string& n : names) count += n == "rows" ? 1 : 0;
    return count;
}
constexpr auto cross_entropy = [](auto a, auto target) { return -mean(sum(target * log_softmax(a, 1), 1)); };
constexpr auto normalised = [](auto a) {
    const auto c = a - mean(a, 1, dyad::keep_dims);
    return c / sqrt(mean(c * c, 1, dyad::keep_dims) + 1e-5);
};

} // namespace

TEST_CASE("softmax and its like are one kernel") {
    const auto x = dyad::to_device(wave(40, 33, 0.1)), t = dyad::to_device(wave(40, 33, 0.7));
    CHECK(kernels_of([&] { static_cast<void>(dyad::evaluate([](auto a) { return softmax(a, 1); }, x)); }) == std::vector<std::string>{"rows"});
    CHECK(kernels_of([&] { static_cast<void>(dyad::evaluate(normalised, x)); }) == std::vector<std::string>{"rows"});
    CHECK(kernels_of([&] { static_cast<void>(dyad::value_and_grad<0>(cross_entropy)(x, t)); }) == std::vector<std::string>{"rows"});
    // Neither along the first axis, nor where one loop is all there is.
    CHECK(rows_in(kernels_of([&] { static_cast<void>(dyad::evaluate([](auto a) { return softmax(a, 0); }, x)); })) == 0);
    CHECK(rows_in(kernels_of([&] { static_cast<void>(dyad::evaluate([](auto a) { return sum(exp(a), 1); }, x)); })) == 0);
}

TEST_CASE("rows of every length") {
    for (const std::size_t columns : std::initializer_list<std::size_t>{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 100, 255, 256, 257, 512, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 3000}) {
        for (const std::size_t rows : std::initializer_list<std::size_t>{1, 2, 3, 37}) {
            const matrix x = wave(rows, columns, 0.1), t = wave(rows, columns, 0.7);
            CAPTURE(rows);
            CAPTURE(columns);
            CHECK(agrees_by_first(cross_entropy, x, t));
            CHECK(values_agree([](auto a) { return softmax(a, 1); }, x));
        }
    }
    const matrix many = wave(3001, 10, 0.1), few = wave(3001, 10, 0.4); // several rows for each thread
    CHECK(agrees(cross_entropy, many, few));
}
TEST_CASE("rows that are longer than a block has registers for take the loops' own kernels") {
    const auto x = dyad::to_device(wave(3, 5000, 0.1));
    CHECK(rows_in(kernels_of([&] { static_cast<void>(dyad::evaluate([](auto a) { return softmax(a, 1); }, x)); })) == 0);
    CHECK(values_agree([](auto a) { return softmax(a, 1); }, wave(3, 5000, 0.1)));
}

TEST_CASE("what stretches along rows or columns, what other steps read, numbers") {
    const matrix x = wave(23, 12, 0.1), column = wave(23, 1, 0.5), line = wave(1, 12, 0.3);
    const vector bias = wave(12, 0.9), weight = wave(12, 0.2), by_row = wave(23, 0.4);
    CHECK(values_agree([](auto a, auto b) { return softmax(a + b, 1); }, x, bias));
    CHECK(values_agree([](auto a, auto b) { return softmax(a * b, 1); }, x, column));
    CHECK(values_agree([](auto a, auto b) { return softmax(a * b, 1); }, x, line));
    CHECK(values_agree([](auto a, auto s) { return softmax(a * s, 1) + s; }, x, 0.7));
    CHECK(agrees([](auto a, auto b, auto s) { return sum(square(log_softmax(a * s + b, 1))); }, x, bias, 0.7));
    CHECK(agrees([](auto a, auto w, auto b) { return sum(square(normalised(a) * w + b)); }, x, weight, bias));
    CHECK(values_agree([](auto a) {
        const auto e = exp(a - amax(a, 1, dyad::keep_dims));
        const auto s = sum(e, 1, dyad::keep_dims);
        return std::tuple{e / s, e, s, sum(e, 0), log(sum(e, 1)), sum(e * e)};
    }, x));
    CHECK(values_agree([](auto a, auto b) { return matmul(softmax(matmul(a, transpose(a)), 1), b); }, x, wave(23, 5, 0.8))); // attention
    CHECK(agrees([](auto a, auto b) { return sum(square(matmul(softmax(matmul(a, transpose(a)) * 0.1, 1), b))); }, x, wave(23, 5, 0.8)));
    CHECK(values_agree([](auto a, auto r) { return sum(softmax(a, 1), 1) * r; }, x, by_row));
    // A vector that the rows' sums stretch over the other axis: no number of the row.
    const matrix square_one = wave(12, 12, 0.2);
    CHECK(values_agree([](auto a) { return a / sum(a, 1); }, square_one));
    CHECK(agrees([](auto a) { return sum(square(softmax(a, 1) * sum(a, 1))); }, square_one));
    CHECK(agrees([](auto a) { return sum(square(softmax(a, 1) * transpose(softmax(a, 1)))); }, square_one));
}
TEST_CASE("more arrays than a thread keeps eight elements of, and arrays of bytes") {
    const matrix a = wave(19, 24, 0.1), b = wave(19, 24, 0.2), c = wave(19, 24, 0.3), d = wave(19, 24, 0.4), e = wave(19, 24, 0.5);
    constexpr auto f = [](auto x, auto y, auto z, auto u, auto v) { return sum(square(softmax(x * y + z * u, 1) - v)); };
    CHECK(agrees(f, a, b, c, d, e));
    const auto slopes_of = [&](const auto&... x) { return kernels_of([&] { static_cast<void>(dyad::value_and_grad(f)(dyad::to_device(x)...)); }); };
    CHECK(rows_in(slopes_of(a, b, c, d, e)) == 1);
    // More than registers hold: some of the loops have kernels of their own.
    constexpr auto many = [](auto... x) { return sum(square(softmax((x + ...), 1) - (x * ...))); };
    CHECK(agrees(many, a, b, c, d, e, a, b));
    const matrix long_one = wave(3, 1024, 0.1), longer = wave(3, 1025, 0.1);
    CHECK(agrees(f, long_one, long_one, long_one, long_one, long_one));
    CHECK(agrees(f, longer, longer, longer, longer, longer));
    xt::xtensor<std::uint8_t, 2> bytes = xt::zeros<std::uint8_t>({19, 32});
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes.data()[i] = static_cast<std::uint8_t>(i * i % 251);
    CHECK(values_agree([](auto x) { return sum(square(x - mean(x, 1, dyad::keep_dims))); }, bytes));
    CHECK(values_agree([](auto x, auto y) { return softmax(x * 0.01, 1) * y; }, bytes, wave(19, 32, 0.3)));
    const xt::xtensor<bool, 2> mask = a > 1.5;
    CHECK(values_agree([](auto x, auto y, auto m) { return softmax(where(m, x, y), 1); }, a, b, mask));
}
TEST_CASE("views, several axes, results in place") {
    const matrix x = wave(24, 10, 0.1);
    CHECK(values_agree([](auto a) { return softmax(transpose(a), 1); }, x));
    CHECK(values_agree([](auto a) { return softmax(slice(a, 1, 1, 8), 1); }, x));
    CHECK(values_agree([](auto a) { return softmax(flip(a, 1), 1); }, x));
    CHECK(values_agree([](auto a) { return softmax(reshape(a, 4, 6, 10), 2); }, x));
    CHECK(values_agree([](auto a) { return softmax(reshape(a, 4, 6, 10), 1); }, x));
    CHECK(agrees([](auto a) {
        const auto b = reshape(a, 2, 3, 4, 10);
        return sum(square(softmax(b, 3) * mean(b, 1, dyad::keep_dims)));
    }, x));
    auto y = dyad::to_device(x);
    dyad::evaluate_into(y, [](auto a) { return softmax(a, 1); }, y);
    CHECK(same_numbers(dyad::evaluate([](auto a) { return softmax(a, 1); }, x), y));
}
TEST_CASE("floats, and what is no number") {
    xt::xtensor<float, 2> x(wave(19, 40, 0.3));
    constexpr auto f = [](auto a) { return softmax(a, 1); };
    const auto here = dyad::evaluate(f, x), there = dyad::to_host(dyad::evaluate(f, dyad::to_device(x)));
    const auto exact = dyad::evaluate(f, xt::xtensor<double, 2>(x));
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(std::abs(static_cast<double>(here.data()[i]) - exact.data()[i]) <= 4e-7 * exact.data()[i]);
        CHECK(std::abs(static_cast<double>(there.data()[i]) - exact.data()[i]) <= 4e-7 * exact.data()[i]);
    }
    matrix odd = wave(5, 9, 0.3);
    odd(1, 3) = std::numeric_limits<double>::quiet_NaN();
    odd(2, 8) = -std::numeric_limits<double>::infinity();
    const auto y = dyad::to_host(dyad::evaluate([](auto a) { return softmax(a, 1); }, dyad::to_device(odd)));
    for (std::size_t j = 0; j < 9; ++j) {
        CHECK(std::isnan(y(1, j)));
        CHECK(std::isfinite(y(0, j)));
    }
    CHECK(y(2, 8) == 0);
    CHECK(dyad::to_host(dyad::evaluate([](auto a) { return softmax(a, 1); }, dyad::to_device(xt::xtensor<double, 2>(xt::zeros<double>({0, 4}))))).size() == 0);
}

// Memory serves a new array when the loop that reads the old one last is through: the rows of a kernel are not.
TEST_CASE("no row overwrites what a later one reads turned") {
    for (const std::size_t n : {8U, 33U, 40U}) {
        const matrix a = 0.2 * wave(n, n, 1.3), b = wave(n, n, 0.7);
        CHECK(values_agree([](auto x, auto y) { return matmul(softmax(transpose(matmul(x, x)), 1), y); }, a, b));
        CHECK(values_agree([](auto x, auto y) { return matmul(softmax(flip(matmul(x, x), 0), 1), y); }, a, b));
        CHECK(agrees([](auto x, auto y) { return sum(square(matmul(softmax(transpose(matmul(x, x)), 1), y))); }, a, b));
    }
}
