// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Reductions where they are delicate: equal elements in max and min, zeros in prod, infinities and NaN, arrays
// without elements; positions of extrema, softmax and log_softmax; second derivatives; long sums.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
constexpr double infinity = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();

constexpr auto largest = [](auto x) { return 3 * max(x); };
constexpr auto smallest = [](auto x) { return 3 * min(x); };
constexpr auto column_largest = [](auto x, auto c) { return sum(c * max(x, 0)); };
constexpr auto product = [](auto x) { return 2 * prod(x); };
constexpr auto column_product = [](auto x, auto c) { return sum(c * prod(x, 0)); };
constexpr auto row_product = [](auto x, auto c) { return sum(c * prod(x, 1)); };
constexpr auto total = [](auto x) { return 2 * sum(x); };
constexpr auto length = [](auto x) { return 2 * norm(x); };
constexpr auto row_length = [](auto x, auto c) { return sum(c * norm(x, 1)); };
constexpr auto log_total = [](auto x) { return 2 * logsumexp(x); };
constexpr auto all_values = [](auto x) { return std::tuple{total(x), product(x), largest(x), smallest(x), log_total(x), length(x)}; };
constexpr auto log_value = [](const vector& x) { return std::get<4>(evaluated(all_values, x)); };

} // namespace

TEST_CASE("equal extrema share the slope") {
    CHECK(dyad::value_and_grad(largest)(vector{1, 5, 5, 2, 5}) == std::pair{15.0, vector{0, 1, 1, 0, 1}});
    CHECK(dyad::value_and_grad(smallest)(vector{4, 4}) == std::pair{12.0, vector{1.5, 1.5}});
    CHECK(dyad::grad(largest)(matrix{{2, 2}, {2, 2}}) == matrix{{0.75, 0.75}, {0.75, 0.75}});
    CHECK(dyad::grad<0>(column_largest)(matrix{{2, 1}, {2, 3}}, vector{4, -1}) == matrix{{2, 0}, {2, -1}});
    CHECK(dyad::value_and_grad(largest)(vector{0.0, -0.0}) == std::pair{0.0, vector{1.5, 1.5}});
    CHECK(dyad::value_and_grad(largest)(vector{-infinity, -infinity}) == std::pair{-infinity, vector{1.5, 1.5}});
    CHECK(dyad::value_and_grad(smallest)(vector{infinity, infinity, -infinity}) == std::pair{-infinity, vector{0, 0, 3}});
}
namespace {

/// The element that gives the extremum has it by formulas that loops rewrite, each in its own way: it must still be found, at every point.
template <class T>
void check_computed_extrema() {
    using array = xt::xtensor<T, 1>;
    const T close = std::is_same_v<T, float> ? T(1e-5) : T(1e-12);
    int lost = 0;
    for (int k = 1; k <= 100; ++k) {
        const T c = T(0.1) * static_cast<T>(k) + T(0.013), d = T(0.37) + T(0.011) * static_cast<T>(k);
        const array x{c, -1}, y{d, 1};
        const auto is = [&](T slope, T want) { lost += std::abs(slope - want) <= close * want ? 0 : 1; };
        const auto quotient = [](auto a, auto b) { return amax(a / b); };
        is(dyad::grad<0>(quotient)(x, y)(0), 1 / d);
        is(dyad::grad<0>([](auto a, auto b) { return amax(3 * a * b + 3 * a * square(b)); })(x, y)(0), 3 * d + 3 * d * d);
        if constexpr (std::is_same_v<T, double>) { // floats go the same ways
            const auto [by_a, by_b] = dyad::grad(quotient)(x, y);
            is(by_a(0), 1 / d);
            is(-by_b(0), c / (d * d));
            is(dyad::jvp<0>(quotient)(std::tuple{x, y}, vector{1, 1}).second, 1 / d);
            is(dyad::grad<0>([](auto a, auto b) { return amin(a / -b); })(x, y)(0) * -1, 1 / d);
            is(dyad::grad<0>([](auto a, auto b) {
                   const auto q = a / b;
                   return sum(where(q == amax(q), q, 0));
               })(x, y)(0), 1 / d);
            const matrix two{{c, -1}, {-1, c}};
            const auto turned = dyad::grad<0>([](auto a, auto b) { return sum(amax(transpose(a / (1 + square(b))), 0)); })(two, y);
            is(turned(0, 0), 1 / (1 + d * d));
            is(turned(1, 1), 0.5);
        }
    }
    CHECK(lost == 0);
}

template <class F>
constexpr std::size_t stored_arrays(const F& f) {
    const dyad::plan_summary p = dyad::plan_of<vector>(f);
    std::size_t count = 0;
    for (std::size_t i = 0; i < p.graph.size; ++i) count += p.stored[i] && p.used[i] && p.graph[i].rank > 0 ? 1 : 0;
    return count;
}
// Only what has roundings is stored for that.
constexpr auto stored_by_slope_of = [](auto f) { return stored_arrays(dyad::grad(f)); };
static_assert(stored_by_slope_of([](auto x) { return amax(abs(x)); }) == stored_by_slope_of([](auto x) { return amax(x); }));
static_assert(stored_by_slope_of([](auto x) { return amax(where(x < 0, -x, relu(x))); }) == stored_by_slope_of([](auto x) { return amax(x); }));
static_assert(stored_by_slope_of([](auto x) { return amax(2 * x + x * x); }) == stored_by_slope_of([](auto x) { return amax(x); }) + 1);

} // namespace

TEST_CASE("the largest of what the body of a loop computes keeps its slope in the backward pass") {
    int lost = 0;
    for (int k = 1; k <= 100; ++k) {
        const double c = 0.1 * k + 0.013;
        const vector x{c, 0.01};
        const auto twice = [](auto y) { return dyad::fori_loop(2, [&](auto, auto u) { return max(u * y / (1 + y * y)); }, 1.0); };
        const double first = c / (1 + c * c);
        const double slope = 2 * first * (1 - c * c) / ((1 + c * c) * (1 + c * c));
        lost += std::abs(dyad::grad(twice)(x)(0) - slope) <= 1e-12 ? 0 : 1;
    }
    CHECK(lost == 0);
}
TEST_CASE_TEMPLATE("the largest of what loops compute keeps its slope", T, float, double) { check_computed_extrema<T>(); }
TEST_CASE("the slope of a product with zeros is the product of the others") {
    CHECK(dyad::value_and_grad(product)(vector{2, 0, 3, 5}) == std::pair{0.0, vector{0, 60, 0, 0}});
    CHECK(dyad::value_and_grad(product)(vector{2, 0, 3, 0}) == std::pair{0.0, vector{0, 0, 0, 0}});
    CHECK(dyad::value_and_grad(product)(vector{0}) == std::pair{0.0, vector{2}});
    CHECK(dyad::grad(product)(matrix{{2, 0}, {3, 5}}) == matrix{{0, 60}, {0, 0}});
    CHECK(dyad::grad<0>(column_product)(matrix{{2, 0}, {3, 5}}, vector{1, 10}) == matrix{{3, 50}, {2, 0}});
    CHECK(dyad::grad<0>(row_product)(matrix{{2, 0}, {3, 5}}, vector{1, 10}) == matrix{{0, 2}, {50, 30}});
    CHECK(dyad::hvp(product)(vector{2, 0, 3}, vector{0, 0, 1}) == vector{0, 4, 0});
    CHECK(dyad::hessian(product)(vector{2, 0, 0}) == matrix{{0, 0, 0}, {0, 0, 4}, {0, 4, 0}});
}
TEST_CASE("norm has slope 0 at the origin") {
    CHECK(dyad::value_and_grad(length)(vector{0, 0, 0}) == std::pair{0.0, vector{0, 0, 0}});
    CHECK(apart(dyad::value_and_grad(length)(vector{3, 0, 4}).second, vector{1.2, 0, 1.6}) < 1e-15);
    CHECK(dyad::grad<0>(row_length)(matrix{{0, 0}, {3, 4}}, vector{1, 10}) == matrix{{0, 0}, {6, 8}});
}
TEST_CASE("logsumexp does not overflow") {
    const auto [value, slope] = dyad::value_and_grad(log_total)(vector{1000, 1000, -1000});
    CHECK(value == doctest::Approx(2000 + 2 * std::log(2.0)));
    CHECK(apart(slope, vector{1, 1, 0}) < 1e-15);
    CHECK(dyad::value_and_grad(log_total)(vector{-infinity, 2}) == std::pair{4.0, vector{0, 2}});
    CHECK(dyad::value_and_grad(log_total)(vector{-infinity, -infinity}) == std::pair{-infinity, vector{0, 0}});
    const auto [above, slope_above] = dyad::value_and_grad(log_total)(vector{infinity, 1});
    CHECK(above == infinity);
    CHECK(std::isnan(slope_above(0)));
    CHECK(slope_above(1) == 0);
    CHECK(log_value(vector{-1e4}) == -2e4);
}
TEST_CASE("a NaN among the elements is in the result") {
    for (const std::size_t n : {1U, 3U, 9U, 40U}) {
        for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
            vector x = numbers<double, 1>({n});
            x(at) = not_a_number;
            CAPTURE(n);
            CAPTURE(at);
            const auto [of_sum, of_prod, of_max, of_min, of_logsumexp, of_norm] = evaluated(all_values, x);
            CHECK(std::isnan(of_sum));
            CHECK(std::isnan(of_prod));
            CHECK(std::isnan(of_max));
            CHECK(std::isnan(of_min));
            CHECK(std::isnan(of_logsumexp));
            CHECK(std::isnan(of_norm));
            CHECK(std::isnan(dyad::value_and_grad(largest)(x).first)); // alone, too
            CHECK(std::isnan(dyad::value_and_grad(smallest)(x).first));
            const auto [of_log, slope] = dyad::value_and_grad(log_total)(x);
            CHECK(std::isnan(of_log));
            for (const double s : slope) CHECK(std::isnan(s));
        }
    }
}
TEST_CASE("reductions of nothing give their neutral elements") {
    const vector none(std::array<std::size_t, 1>{0});
    CHECK(dyad::value_and_grad(total)(none) == std::pair{0.0, none});
    CHECK(dyad::value_and_grad(product)(none) == std::pair{2.0, none});
    CHECK(dyad::value_and_grad(length)(none) == std::pair{0.0, none});
    CHECK(std::isnan(evaluated([](auto x) { return mean(x); }, none)));
    CHECK_THROWS_WITH_AS(evaluated(all_values, none), "[dyad] max: no elements along axis 0 of [0]", dyad::value_error); // NumPy: no identity
}
TEST_CASE("argmax and argmin give the first of equal positions") {
    constexpr auto place = [](auto x) { return argmax(x); };
    constexpr auto places = [](auto x) {
        return std::tuple{argmax(x), argmin(x), argmax(x, 0), argmax(x, -1), argmin(x, 1), argmin(x, 0, dyad::keep_dims), argmax(x, 1, dyad::keep_dims)};
    };
    CHECK(evaluated(places, matrix{{1, 7, 7}, {9, 0, 9}}) == std::tuple{3.0, 4.0, vector{1, 0, 1}, vector{1, 0}, vector{0, 1}, matrix{{0, 1, 0}}, matrix{{1}, {0}}});
    CHECK(evaluated(places, matrix{{5}}) == std::tuple{0.0, 0.0, vector{0}, vector{0}, vector{0}, matrix{{0}}, matrix{{0}}});
    CHECK(evaluated(place, vector{1, not_a_number, 3}) == 1.0);
    CHECK(dyad::grad([](auto x) { return argmax(x) * sum(x); })(vector{1, 3, 2}) == vector{1, 1, 1});
    CHECK_THROWS_AS(evaluated(place, vector(std::array<std::size_t, 1>{0})), dyad::value_error);
}
TEST_CASE("softmax and log_softmax agree with loops and differences") {
    constexpr auto both = [](auto x) { return std::pair{softmax(x), log_softmax(x)}; };
    constexpr auto weighted_sums = [](auto y, auto a, auto b, auto c) {
        return sum(a * softmax(2 * y)) + sum(b * softmax(2 * y, 0)) + sum(c * log_softmax(2 * y, -1));
    };
    for (const auto shape : {std::array<std::size_t, 2>{1, 1}, {3, 1}, {1, 9}, {2, 33}, {5, 8}}) {
        const matrix x = numbers<double, 2>(shape);
        const auto [soft, logarithm] = evaluated(both, x);
        for (std::size_t i = 0; i < shape[0]; ++i) {
            double s = 0;
            for (std::size_t j = 0; j < shape[1]; ++j) s += std::exp(x(i, j));
            for (std::size_t j = 0; j < shape[1]; ++j) {
                CHECK(soft(i, j) == doctest::Approx(std::exp(x(i, j)) / s).epsilon(1e-13));
                CHECK(logarithm(i, j) == doctest::Approx(x(i, j) - std::log(s)).epsilon(1e-13));
            }
        }
        const matrix c = numbers<double, 2>(shape, 5), zero(shape, 0.0);
        CHECK(gradient_off(weighted_sums, x, c, zero, zero) < 1e-8);
        CHECK(gradient_off(weighted_sums, x, zero, c, zero) < 1e-8);
        CHECK(gradient_off(weighted_sums, x, zero, zero, c) < 1e-8);
    }
    const xt::xtensor<double, 3> x = numbers<double, 3>({2, 3, 4}), c = numbers<double, 3>({2, 3, 4}, 3);
    CHECK(gradient_off([](auto y, auto w) { return sum(w * log_softmax(2 * y, 1)); }, x, c) < 1e-8);
    const auto [soft, logarithm] = evaluated(both, vector{1000, 0, -1000});
    CHECK(apart(soft, vector{1, 0, 0}) == 0);
    CHECK(apart(logarithm, vector{0, -1000, -2000}) == 0);
}
TEST_CASE("second derivatives of reductions agree with differences of the gradient") {
    const matrix x = numbers<double, 2>({3, 4}), v = numbers<double, 2>({3, 4}, 2);
    constexpr auto terms = [](auto y, auto c) {
        return c[0] * sum(square(prod(y, 0))) + c[1] * sum(exp(max(y, 1))) + c[2] * sum(square(logsumexp(y, 0))) + c[3] * sum(sin(norm(y, 1))) +
               c[4] * sum(square(variance(y, 1))) + c[5] * sum(square(softmax(y, 0)));
    };
    const auto slope = dyad::grad<0>(terms);
    const double h = 1e-5;
    for (std::size_t k = 0; k < 6; ++k) {
        CAPTURE(k);
        vector c(std::array<std::size_t, 1>{6}, 0.0);
        c(k) = 1;
        const matrix above = slope(moved(x, v, h), c), below = slope(moved(x, v, -h), c);
        CHECK(apart(dyad::hvp<0>(terms)(std::tuple{x, c}, v), matrix((above - below) / (2 * h))) < 1e-7);
    }
    CHECK(duality_off([](auto y) { return logsumexp(y, 1) * max(y, 1) + prod(y, 1); }, x, v) < 1e-12);
}
TEST_CASE("long sums keep their digits") {
    const std::size_t n = 1000003;
    const xt::xtensor<float, 1> tenths(std::array<std::size_t, 1>{n}, 0.1F);
    const auto [of_sum, of_mean] = evaluated([](auto x) { return std::pair{sum(x), mean(x)}; }, tenths);
    CHECK(of_sum == doctest::Approx(static_cast<double>(0.1F) * n).epsilon(1e-6));
    CHECK(of_mean == doctest::Approx(0.1).epsilon(1e-6));
}
TEST_CASE("reductions along one axis of tables without rows or columns give their neutral elements") {
    const vector none(std::array<std::size_t, 1>{0});
    const matrix flat(std::array<std::size_t, 2>{0, 3}), thin(std::array<std::size_t, 2>{3, 0});
    const vector c{1, 2, 3};
    constexpr auto sums = [](auto x) { return std::tuple{sum(x, 0), sum(x, 1), prod(x, 0), prod(x, 1)}; };
    CHECK(evaluated(sums, flat) == std::tuple{vector{0, 0, 0}, none, vector{1, 1, 1}, none});
    CHECK(evaluated(sums, thin) == std::tuple{none, vector{0, 0, 0}, none, vector{1, 1, 1}});
    CHECK(dyad::grad<0>(column_product)(flat, c) == flat);
    CHECK(dyad::grad<0>(row_product)(thin, c) == thin);
    CHECK(dyad::grad<0>(row_length)(thin, c) == thin);
}
TEST_CASE("names that numbers have too: of a number and a whole one they compare") {
    constexpr auto all = [](auto x) { return std::tuple{max(x, 1), min(x, 1), logsumexp(x, 0), logsumexp(x, 0, 1)}; };
    const auto [larger, smaller, two, three] = evaluated(all, 0.5);
    CHECK(larger == 1);
    CHECK(smaller == 0.5);
    CHECK(two == doctest::Approx(std::log(std::exp(0.5) + 1)));
    CHECK(three == doctest::Approx(std::log(std::exp(0.5) + 1 + std::exp(1.0))));
    CHECK(dyad::grad([](auto x) { return 2 * logsumexp(x, 0); })(0.5) == doctest::Approx(2 / (1 + std::exp(-0.5)))); // softplus
    CHECK(dyad::kernel([](auto x) { return logsumexp(x, 0); })(vector{0, 0})(1) == doctest::Approx(std::log(2.0)));
}
TEST_CASE("a row of a log-sum-exp that is masked out has no slope and spoils no other") {
    constexpr auto rows = [](auto x) { return sum(where(logsumexp(x, 1) > -1e300, logsumexp(x, 1), 0.0)); };
    const matrix g = dyad::grad(rows)(matrix{{-infinity, -infinity}, {0, 0}, {-infinity, 3}});
    CHECK(g == matrix{{0, 0}, {0.5, 0.5}, {0, 1}});
    const auto [value, slope] = dyad::value_and_grad(log_total)(vector{-infinity, -infinity});
    CHECK(value == -infinity);
    CHECK(slope == vector{0, 0});
    CHECK(dyad::value_and_grad(log_total)(vector{infinity, 1}).first == infinity);
}
TEST_CASE("an infinite slope of an extremum is its own, not that of what is smaller") {
    CHECK(dyad::grad([](auto x) { return sqrt(max(x)); })(vector{0, -1}) == vector{infinity, 0});
    CHECK(dyad::grad([](auto x) { return log(1 - max(x)); })(vector{1, 0, 0}) == vector{-infinity, 0, 0});
    CHECK(dyad::grad([](auto x) { return sum(sqrt(min(x, 1))); })(matrix{{0, 1}, {3, 4}}) == matrix{{infinity, 0}, {0.5 / std::sqrt(3.0), 0}});
    CHECK(dyad::grad([](auto x) { return sum(sqrt(max_pool(x, 2, 2))); })(matrix{{0, -1}, {-1, -2}}) == matrix{{infinity, 0}, {0, 0}});
    CHECK(dyad::jvp([](auto x) { return max(x); })(vector{1, 0}, vector{2, infinity}).second == 2);
}
TEST_CASE("means of what stretches at run time count what is there") {
    const vector x{1, 2, 3}, one{2};
    constexpr auto spread = [](auto a, auto b) { return mean(square(a - b)); };
    const auto [of_both, slopes] = dyad::value_and_grad(spread)(x, one);
    CHECK(of_both == doctest::Approx(2.0 / 3));
    CHECK(dyad::value_and_grad(spread)(one, x).first == doctest::Approx(2.0 / 3));
    CHECK(apart(std::get<0>(slopes), vector{-2.0 / 3, 0, 2.0 / 3}) < 1e-15);
    CHECK(apart(std::get<1>(slopes), vector{0}) < 1e-15);
    const double s = 2;
    CHECK(dyad::evaluate([s](auto a) { return s * mean(square(a - mean(a, 1, dyad::keep_dims))); }, matrix{{1, 2}, {3, 5}}) == 1.25);
}
TEST_CASE("the position of the only number, and along axes in any order") {
    CHECK(dyad::evaluate([](auto x) { return argmax(sum(x)); }, vector{1, 2}) == 0);
    const xt::xtensor<double, 3> x = numbers<double, 3>({2, 3, 4});
    CHECK(dyad::argmax(x, 2, 0) == dyad::evaluate([](auto a) { return argmax(a, 2, 0); }, x));
    CHECK(dyad::argmax(x, -1, 0) == dyad::argmax(x, 0, 2));
}
TEST_CASE("the errors say that there is no extremum of nothing") {
    const matrix empty(std::array<std::size_t, 2>{0, 3});
    CHECK_THROWS_WITH_AS(dyad::grad(largest)(empty), "[dyad] max: no elements along axis 0 of [0,3]", dyad::value_error);
    CHECK_THROWS_WITH_AS(evaluated([](auto x) { return min(x, 0); }, empty), "[dyad] min: no elements along axis 0 of [0,3]", dyad::value_error);
    CHECK_THROWS_WITH_AS(evaluated([](auto x) { return argmax(x, 0); }, empty), "[dyad] argmax: no elements along axis 0 of [0,3]", dyad::value_error);
    CHECK_THROWS_WITH_AS(evaluated([](auto x) { return argmin(x, 0); }, empty), "[dyad] argmin: no elements along axis 0 of [0,3]", dyad::value_error);
    CHECK_THROWS_WITH_AS(dyad::value_and_grad(largest)(vector()), "[dyad] max: no elements along axis 0 of [0]", dyad::value_error);
    CHECK(evaluated([](auto x) { return max(x, 1); }, empty).size() == 0);
}
TEST_CASE("softmax and its kin are named where there is nothing to sum") {
    const matrix empty(std::array<std::size_t, 2>{0, 3});
    CHECK_THROWS_WITH_AS(evaluated([](auto x) { return softmax(x, 0); }, empty), "[dyad] softmax: no elements along axis 0 of [0,3]", dyad::value_error);
    CHECK_THROWS_WITH_AS(evaluated([](auto x) { return log_softmax(x, 0); }, empty), "[dyad] log_softmax: no elements along axis 0 of [0,3]", dyad::value_error);
    CHECK_THROWS_WITH_AS(dyad::grad([](auto x) { return logsumexp(x); })(empty), "[dyad] logsumexp: no elements along axis 0 of [0,3]", dyad::value_error);
    dyad::var<"x", matrix> x{empty};
    CHECK_THROWS_WITH_AS(static_cast<void>(logsumexp(x).value()), "[dyad] logsumexp: no elements along axis 0 of [0,3]", dyad::value_error);
}
TEST_CASE("norm with keep_dims") {
    const matrix x = numbers<double, 2>({3, 4});
    constexpr auto lengths = [](auto a) { return norm(a, 1, dyad::keep_dims); };
    CHECK(apart(evaluated(lengths, x), made<2>({3, 1}, [&](auto i, auto) { return std::sqrt(x(i, 0) * x(i, 0) + x(i, 1) * x(i, 1) + x(i, 2) * x(i, 2) + x(i, 3) * x(i, 3)); })) < 1e-15);
    CHECK(slope_off(lengths, x) < 1e-8);
    CHECK(gradient_off([](auto a, auto c) { return sum(c * 2 * a / norm(2 * a, -1, dyad::keep_dims)); }, x, weights_for(x)) < 1e-8);
}
TEST_CASE("sums of floats keep the digits of what is small beside a constant") {
    xt::xtensor<float, 1> x = xt::zeros<float>({100000});
    double expected = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        x(i) = 0.5F + 1e-4F * static_cast<float>(i % 7);
        expected += 2 * static_cast<double>(x(i)) - 1;
    }
    CHECK(std::abs(static_cast<double>(dyad::evaluate([](auto a) { return sum(2 * a - 1); }, x)) / expected - 1) < 1e-6);
    CHECK(dyad::evaluate([](auto a) { return sum(2 * a - 1); }, vector{1, 2, 3}) == 9);
}
