// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Arrays whose last axis is short, which loops run over in groups of rows: of every length around those of vectors, and of as many
// rows as make no group, one, one and a rest, and several. The oracle is the sum written out, element by element.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <dyad/array.hpp>

namespace {

using doctest::Approx;
template <class T, std::size_t N>
using array = xt::xtensor<T, N, xt::layout_type::row_major>;

constexpr std::size_t most_rows = 150, most_length = 35;
constexpr std::size_t row_counts[] = {1, 7, 8, 63, 80, 81, most_rows};

/// Elements that differ, between -1 and 1.
template <std::size_t N, class T = double>
array<T, N> some(std::array<std::size_t, N> shape, double seed) {
    array<T, N> x(shape);
    for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = static_cast<T>(std::sin(seed + 0.7 * static_cast<double>(i)));
    return x;
}

/// What goes to each element, each row, each column and all of them.
constexpr auto sums = [](auto x, auto column, auto row) { return sum(x * column * expand_dims(row, 1)) + sum(sum(x, 1) * row) + sum(sum(square(x), 0) * column); };
constexpr auto distances = [](auto x, auto y, auto w, auto s) { return sum(square(x - y) * w * s); };
constexpr auto exponentials = [](auto x, auto c) { return sum(exp(x * c) + square(sum(x, 1, dyad::keep_dims)) * x); };

template <class T>
void check_columns_and_rows(std::size_t rows, std::size_t n) {
    CAPTURE(rows);
    CAPTURE(n);
    constexpr double epsilon = std::is_same_v<T, float> ? 2e-4 : 1e-11;
    const auto x = some<2, T>({rows, n}, 1);
    const auto column = some<1, T>({n}, 2), row = some<1, T>({rows}, 3);
    const auto [value, slopes] = dyad::value_and_grad(sums)(x, column, row);
    double expected = 0;
    std::vector<double> of_column(n), of_row(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const double e = x(i, j), c = column(j), r = row(i);
            expected += e * c * r + e * r + e * e * c;
            of_column[j] += e * r + e * e;
            of_row[i] += e * c + e;
            CHECK(static_cast<double>(std::get<0>(slopes)(i, j)) == Approx(c * r + r + 2 * e * c).epsilon(epsilon));
        }
    }
    CHECK(static_cast<double>(value) == Approx(expected).epsilon(epsilon));
    for (std::size_t j = 0; j < n; ++j) CHECK(static_cast<double>(std::get<1>(slopes)(j)) == Approx(of_column[j]).epsilon(epsilon));
    for (std::size_t i = 0; i < rows; ++i) CHECK(static_cast<double>(std::get<2>(slopes)(i)) == Approx(of_row[i]).epsilon(epsilon));
}

} // namespace

TEST_CASE("sums over all, over rows and over columns, whatever the length of the rows") {
    for (std::size_t n = 1; n <= most_length; ++n) {
        for (const std::size_t rows : row_counts) check_columns_and_rows<double>(rows, n);
        check_columns_and_rows<float>(most_rows, n);
    }
}
TEST_CASE("the largest, the smallest and the product of each short row, and of each short column") {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t n = 1; n <= most_length; ++n) {
        CAPTURE(n);
        array<double, 2> x = some<2>({most_rows, n}, 4) + 1.2;
        x(3, 0) = inf;
        x(5, n - 1) = -inf;
        x(8, n / 2) = nan;
        const auto same = [&](double got, double wanted) { return std::isfinite(wanted) ? std::abs(got - wanted) <= 1e-11 * std::abs(wanted) : got == wanted || (std::isnan(got) && std::isnan(wanted)); };
        const auto by_row = [&](auto reduce, auto combine) {
            const array<double, 1> result = reduce(x, 1);
            for (std::size_t i = 0; i < most_rows; ++i) {
                double all = x(i, 0);
                for (std::size_t j = 1; j < n; ++j) all = std::isnan(all) || std::isnan(x(i, j)) ? nan : combine(all, x(i, j));
                CHECK(same(result(i), all));
            }
        };
        const auto by_column = [&](auto reduce, auto combine) {
            const array<double, 1> result = reduce(x, 0);
            for (std::size_t j = 0; j < n; ++j) {
                double all = x(0, j);
                for (std::size_t i = 1; i < most_rows; ++i) all = std::isnan(all) || std::isnan(x(i, j)) ? nan : combine(all, x(i, j));
                CHECK(same(result(j), all));
            }
        };
        const auto larger = [](double a, double b) { return std::max(a, b); };
        const auto smaller = [](double a, double b) { return std::min(a, b); };
        const auto times = [](double a, double b) { return a * b; };
        by_row([](const auto& a, int k) { return dyad::max(a, k); }, larger);
        by_row([](const auto& a, int k) { return dyad::min(a, k); }, smaller);
        by_row([](const auto& a, int k) { return dyad::prod(a, k); }, times);
        by_column([](const auto& a, int k) { return dyad::max(a, k); }, larger);
        by_column([](const auto& a, int k) { return dyad::min(a, k); }, smaller);
        by_column([](const auto& a, int k) { return dyad::prod(a, k); }, times);
    }
}
TEST_CASE("pairwise distances: rows of three in two axes around them, some of one element at run time") {
    for (const std::size_t n : {1U, 2U, 3U, 5U, 8U, 11U}) {
        for (const std::size_t m : {1U, 8U, 9U, 90U, 100U}) {
            CAPTURE(n);
            CAPTURE(m);
            const auto x = some<3>({4, 1, n}, 1), y = some<3>({1, m, n}, 2), w = some<3>({4, m, 1}, 3), s = some<3>({1, 1, n}, 5);
            const auto [value, slopes] = dyad::value_and_grad(distances)(x, y, w, s);
            double expected = 0;
            array<double, 3> by_x = 0 * x, by_y = 0 * y, by_w = 0 * w, by_s = 0 * s;
            for (std::size_t k = 0; k < 4; ++k) {
                for (std::size_t i = 0; i < m; ++i) {
                    for (std::size_t j = 0; j < n; ++j) {
                        const double d = x(k, 0, j) - y(0, i, j), scale = w(k, i, 0) * s(0, 0, j);
                        expected += d * d * scale;
                        by_x(k, 0, j) += 2 * d * scale;
                        by_y(0, i, j) -= 2 * d * scale;
                        by_w(k, i, 0) += d * d * s(0, 0, j);
                        by_s(0, 0, j) += d * d * w(k, i, 0);
                    }
                }
            }
            const auto check_equal = [](const auto& got, const auto& wanted) {
                REQUIRE(got.shape() == wanted.shape());
                for (std::size_t i = 0; i < got.size(); ++i) CHECK(got.flat(i) == Approx(wanted.flat(i)).epsilon(1e-11));
            };
            CHECK(value == Approx(expected).epsilon(1e-11));
            check_equal(std::get<0>(slopes), by_x);
            check_equal(std::get<1>(slopes), by_y);
            check_equal(std::get<2>(slopes), by_w);
            check_equal(std::get<3>(slopes), by_s);
        }
    }
}
TEST_CASE("short rows of views, of floats and of conditions, and results that are stored") {
    const auto wide = some<2>({200, 9}, 1);
    const auto row = some<1>({100}, 2);
    const array<float, 2> single = xt::cast<float>(some<2>({100, 3}, 3));
    const array<double, 1> column{0.5, -1.5, 2.5};
    const auto apart = xt::view(wide, xt::range(0, 200, 2), xt::range(1, 8, 3)); // neither its rows nor their elements lie side by side
    const auto turned = some<2>({3, 100}, 4);
    array<bool, 2> chosen({100, 3});
    for (std::size_t i = 0; i < 300; ++i) chosen.flat(i) = i % 7 < 3;
    const auto f = [](auto a, auto b, auto c, auto d, auto e, auto t) { return where(c, a * expand_dims(e, 1) + b, d * a) - transpose(t); };
    const array<double, 2> y = dyad::evaluate(f, apart, single, chosen, column, row, turned);
    for (std::size_t i = 0; i < 100; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            const double a = wide(2 * i, 1 + 3 * j), expected = chosen(i, j) ? a * row(i) + static_cast<double>(single(i, j)) : column(j) * a;
            CHECK(y(i, j) == Approx(expected - turned(j, i)).epsilon(1e-12));
        }
    }
}
TEST_CASE("short rows: in place, and to the same bits whatever the number of threads") {
    auto x = some<2>({20000, 3}, 1);
    const array<double, 1> column{0.5, -1.5, 2.5};
    const array<double, 2> wanted = x * x + column;
    const auto [value, slopes] = dyad::value_and_grad(exponentials)(x, column);
    for (const int threads : {2, 3}) {
        dyad::threads(threads);
        const auto [again, slopes_again] = dyad::value_and_grad(exponentials)(x, column);
        CHECK(again == value);
        CHECK(slopes_again == slopes);
    }
    dyad::threads(1);
    dyad::evaluate_into(x, x * x + column);
    CHECK(x == wanted);
}

namespace {
/// Columns by their numbers, the last one, and parts: whose slopes lie beside each other in a row, or over each other.
constexpr auto of_columns = [](auto x, auto w) {
    const auto first = dyad::element_at(x, 0, 1), last = dyad::element_at(x, -1, 1);
    return sum(sin(first) * last * w) + sum(dyad::square(dyad::slice(x, 1, 1) - dyad::slice(x, 1, 0, -1))) + sum(sum(x, 1) * first);
};
template <class T>
void check_columns(std::size_t m, std::size_t n) {
    const array<T, 2> x = xt::cast<T>(some<2>({m, n}, 5));
    const array<T, 1> w = xt::cast<T>(some<1>({m}, 6));
    const auto [value, slopes] = dyad::value_and_grad(of_columns)(x, w);
    double expected = 0;
    array<double, 2> by_x = 0.0 * x;
    array<double, 1> by_w = 0.0 * w;
    for (std::size_t i = 0; i < m; ++i) {
        const double first = x(i, 0), last = x(i, n - 1), weight = w(i);
        double total = 0;
        for (std::size_t j = 0; j < n; ++j) total += x(i, j);
        expected += std::sin(first) * last * weight + total * first;
        by_x(i, 0) += std::cos(first) * last * weight + total;
        by_x(i, n - 1) += std::sin(first) * weight;
        by_w(i) += std::sin(first) * last;
        for (std::size_t j = 0; j < n; ++j) by_x(i, j) += first;
        for (std::size_t j = 0; j + 1 < n; ++j) {
            const double d = x(i, j + 1) - x(i, j);
            expected += d * d;
            by_x(i, j + 1) += 2 * d;
            by_x(i, j) -= 2 * d;
        }
    }
    const double bound = std::is_same_v<T, float> ? 2e-5 : 1e-12;
    CHECK(static_cast<double>(value) == Approx(expected).epsilon(bound));
    for (std::size_t k = 0; k < x.size(); ++k) CHECK(static_cast<double>(std::get<0>(slopes).flat(k)) == Approx(by_x.flat(k)).epsilon(bound).scale(10));
    for (std::size_t k = 0; k < m; ++k) CHECK(static_cast<double>(std::get<1>(slopes)(k)) == Approx(by_w(k)).epsilon(bound).scale(10));
}
} // namespace
TEST_CASE("columns of short rows, and parts of them") {
    for (const std::size_t m : {1U, 7U, 8U, 9U, 85U, 86U, 300U, 1000U}) {
        for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 15U, 16U, 17U, 31U, 40U}) check_columns<double>(m, n);
    }
    for (const std::size_t m : {9U, 130U}) {
        for (const std::size_t n : {2U, 3U, 8U, 17U, 33U}) check_columns<float>(m, n);
    }
}
TEST_CASE("columns of short rows that lie otherwise, and of no rows") {
    const auto wide = some<2>({400, 9}, 1);
    const auto apart = xt::view(wide, xt::range(0, 400, 2), xt::range(1, 8, 3));
    const array<double, 2> close = apart;
    const auto w = some<1>({200}, 2);
    const auto [value, slopes] = dyad::value_and_grad(of_columns)(apart, w);
    const auto [wanted, wanted_slopes] = dyad::value_and_grad(of_columns)(close, w);
    CHECK(value == Approx(wanted).epsilon(1e-13));
    CHECK(array<double, 2>(std::get<0>(slopes)) == std::get<0>(wanted_slopes));
    CHECK(std::get<1>(slopes) == std::get<1>(wanted_slopes));
    const array<double, 2> none = xt::zeros<double>({0, 3});
    CHECK(std::get<0>(dyad::grad(of_columns)(none, array<double, 1>::from_shape({0}))).size() == 0);
    // What stands beside a part is not read: not a number there stays there.
    array<double, 2> x = xt::ones<double>({100, 3});
    xt::col(x, 1) = array<double, 1>(xt::ones<double>({100}) * std::numeric_limits<double>::quiet_NaN());
    const array<double, 2> of_last = dyad::grad([](auto v) { return sum(dyad::square(dyad::element_at(v, 2, 1))); })(x);
    for (std::size_t i = 0; i < 100; ++i) CHECK((of_last(i, 0) == 0 && of_last(i, 1) == 0 && of_last(i, 2) == 2));
}
