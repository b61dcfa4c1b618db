// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The last pass before the schedule, and what the schedule makes of it: signs and divisors out of loops, reductions of
// reductions in one, squares added up one by one, sums that ride in loops that are there. Values and gradients stay those of
// the strict policy, which does none of it, and of loops by hand.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include <dyad/array.hpp>

#include "differences.hpp"
#include "plan_counts.hpp"

namespace {

using plan_counts::count_in, plan_counts::count_on_arrays;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

constexpr auto density = [](auto x, auto mu, auto sigma) {
    const auto z = (x - mu) / sigma;
    return sum(-0.5 * (z * z) - log(sigma));
};
constexpr auto density_plan = dyad::plan_of<vector, double, double>(dyad::value_and_grad(density));
static_assert(count_on_arrays<dyad::opcode::neg>(density_plan) == 0 && count_on_arrays<dyad::opcode::div>(density_plan) == 0);
// A sign that no factor can take stays; and so does that of a product which something else wants.
static_assert(count_on_arrays<dyad::opcode::neg>(dyad::plan_of<vector, vector>([](auto x, auto y) { return -(x * y); })) == 1);
static_assert(count_on_arrays<dyad::opcode::neg>(dyad::plan_of<vector, double>([](auto x, auto s) { return std::tuple{-(x * s), x * s}; })) == 1);

constexpr auto valley = [](auto x) {
    const auto here = dyad::slice(x, 0, 0, -1), next = dyad::slice(x, 0, 1);
    return sum(100 * square(next - here * here) + square(1 - here));
};
constexpr auto valley_plan = dyad::plan_of<vector>(dyad::value_and_grad(valley));
static_assert(valley_plan.passes() == 1 && count_in<dyad::opcode::reduce_sum>(valley_plan) == 2);
// What could cancel stays together.
constexpr auto saddle = [](auto x, auto y) { return sum(square(x) - square(y)); };
static_assert(count_in<dyad::opcode::reduce_sum>(dyad::plan_of<vector, vector>(saddle)) == 1);
constexpr auto shifted = [](auto x, auto y) { return sum(square(x) + y); };
static_assert(count_in<dyad::opcode::reduce_sum>(dyad::plan_of<vector, vector>(shifted)) == 1);

// Arrays that meet may stretch, or not fit: their sums stay together.
constexpr auto weighted_squares = [](auto x, auto y) { return sum(square(x) + 3 * square(y)); };
static_assert(count_in<dyad::opcode::reduce_sum>(dyad::plan_of<vector, vector>([](auto x, auto y) { return sum(square(x) + square(y)); })) == 1);
static_assert(count_in<dyad::opcode::reduce_sum>(dyad::plan_of<vector>([](auto x) { return sum(square(x) + square(sin(x)) + 2 * square(cos(x))); })) == 3);
static_assert(count_in<dyad::opcode::reduce_sum>(dyad::plan_of<vector>([](auto x) { return sum(square(dyad::slice(x, 0, 0, -1)) + square(dyad::slice(x, 0, 2))); })) == 1);
static_assert(count_in<dyad::opcode::reduce_sum>(dyad::plan_of<vector>([](auto x) { return sum(square(dyad::slice(x, 0, 0, 4)) + square(dyad::slice(x, 0, 1))); })) == 1);

static_assert(dyad::plan_of<vector>([](auto x) { return sum(square(dyad::slice(x, 0, 0, -1)) + square(dyad::slice(x, 0, 1))); }).passes() == 1);

constexpr auto sum_of_rows = [](auto x) { return sum(sum(square(x), 1)); };
constexpr auto rows_plan = dyad::plan_of<matrix>(sum_of_rows);
static_assert(rows_plan.passes() == 1 && rows_plan.buffers() == 0 && count_in<dyad::opcode::reduce_sum>(rows_plan) == 1);
// What the inner one leaves is wanted: it stays.
static_assert(count_in<dyad::opcode::reduce_sum>(dyad::plan_of<matrix>([](auto x) {
    const auto rows = sum(x, 1);
    return std::tuple{rows, sum(rows)};
})) == 2);
// The sum over classes of the targets rides in the loop that computes exponentials.
constexpr auto cross_entropy = [](auto z, auto t) { return -dyad::mean(sum(t * dyad::log_softmax(z), 1)); };
static_assert(dyad::plan_of<matrix, matrix>(dyad::value_and_grad<0>(cross_entropy)).passes() == 4);

vector waves(std::size_t n, double from = 0.3) {
    vector x = vector::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = std::sin(1.7 * static_cast<double>(i) + from) + 0.1;
    return x;
}
matrix wave_field(std::size_t n, std::size_t m) {
    matrix x = matrix::from_shape({n, m});
    for (std::size_t i = 0; i < n * m; ++i) x.data()[i] = std::cos(0.9 * static_cast<double>(i)) + 0.05;
    return x;
}
const double infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("lowered loops give what the strict policy gives") {
    for (const std::size_t n : {1U, 2U, 3U, 7U, 16U, 17U, 50U, 1000U, 5001U}) {
        CAPTURE(n);
        const vector x = waves(n);
        const auto [fast, slopes] = dyad::value_and_grad(density)(x, 0.25, 1.5);
        const auto [exact, exact_slopes] = dyad::value_and_grad(dyad::strict(density))(x, 0.25, 1.5);
        CHECK(fast == doctest::Approx(exact).epsilon(1e-13));
        CHECK(differences::apart(std::get<0>(slopes), std::get<0>(exact_slopes)) < 1e-13);
        CHECK(std::get<1>(slopes) == doctest::Approx(std::get<1>(exact_slopes)).epsilon(1e-11));
        CHECK(std::get<2>(slopes) == doctest::Approx(std::get<2>(exact_slopes)).epsilon(1e-11));
    }
}

TEST_CASE("the sums of a stencil are those of a loop by hand") {
    for (const std::size_t n : {2U, 3U, 4U, 5U, 7U, 9U, 16U, 17U, 33U, 50U, 400U, 1000U, 5001U}) {
        CAPTURE(n);
        const vector x = waves(n, 0.7);
        vector g = xt::zeros<double>({n});
        double value = 0;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const double v = x(i + 1) - x(i) * x(i), o = 1 - x(i);
            value += 100 * v * v + o * o;
            g(i) += -400 * x(i) * v - 2 * o;
            g(i + 1) += 200 * v;
        }
        const auto [v, slopes] = dyad::value_and_grad(valley)(x);
        CHECK(v == doctest::Approx(value).epsilon(1e-13));
        CHECK(differences::apart(slopes, g) < 1e-11);
    }
}

TEST_CASE("squares of what stretches as the program runs are counted for each element") {
    const auto both = dyad::value_and_grad(weighted_squares);
    const vector x = waves(12), one{0.5};
    double value = 0;
    for (const double e : x) value += e * e + 3 * 0.25;
    CHECK(both(x, one).first == doctest::Approx(value));
    CHECK(both(one, x).first == doctest::Approx(12 * 0.25 + 3 * xt::sum(x * x)()));
    const auto [gx, gy] = both(x, waves(12, 1.1)).second;
    CHECK(differences::apart(gx, vector(2 * x)) < 1e-15);
    CHECK(differences::apart(gy, vector(6 * waves(12, 1.1))) < 1e-14);
    CHECK_THROWS_AS(both(x, waves(11)), dyad::shape_error);
    constexpr auto with_number = [](auto a, auto s) { return sum(square(a) + square(s)); };
    const auto [with_half, by_number] = dyad::value_and_grad<1>(with_number)(x, 0.5);
    CHECK(with_half == doctest::Approx(12 * 0.25 + xt::sum(x * x)()));
    CHECK(by_number == doctest::Approx(12.0));
}

TEST_CASE("squares of numbers among squares of arrays count for each element") {
    const vector x = waves(12);
    const double squares = xt::sum(x * x)(), cosines = xt::sum(xt::cos(x) * xt::cos(x))();
    const auto [with_number, with_one] = dyad::evaluate([](auto a, auto s) {
        return std::tuple{sum(square(a) + square(s) + square(cos(a))), sum(square(sin(a)) + square(dyad::expand_dims(s, 0)))};
    }, x, 0.5);
    CHECK(with_number == doctest::Approx(squares + cosines + 3));
    CHECK(with_one == doctest::Approx(12 - cosines + 3));
    CHECK(dyad::evaluate([](auto a, auto e) { return sum(square(a) + 2 * square(e)); }, x, xt::xtensor_fixed<double, xt::xshape<1>>{0.5}) ==
          doctest::Approx(squares + 6));
    const matrix z = wave_field(4, 3);
    const auto centred = [](auto a) { return sum(square(a) + square(dyad::expand_dims(sum(a, 1), 1))); };
    double want = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const double row = z(i, 0) + z(i, 1) + z(i, 2);
        for (std::size_t j = 0; j < 3; ++j) want += z(i, j) * z(i, j) + row * row;
    }
    CHECK(dyad::evaluate(centred, z) == doctest::Approx(want));
}

TEST_CASE("factors and divisors that are whole numbers or stand in loops") {
    const vector x = waves(9);
    for (const int k : {-3, 0, 1, 7}) {
        CAPTURE(k);
        constexpr auto product = [](auto a, auto i) { return -(a * i); };
        const vector fast = dyad::evaluate(product, x, k);
        for (std::size_t j = 0; j < 9; ++j) {
            const double exact = -(x(j) * k);
            CHECK(fast(j) == exact);
            CHECK(std::signbit(fast(j)) == std::signbit(exact));
        }
        if (k == 0) continue;
        constexpr auto quotient = [](auto a, auto i) { return std::tuple{a / i, -(sin(a) / i)}; };
        const auto [u, v] = dyad::evaluate(quotient, x, k);
        CHECK(differences::apart(vector(u), vector(x / k)) < 1e-15);
        CHECK(differences::apart(vector(v), vector(-xt::sin(x) / k)) < 1e-15);
    }
    constexpr auto looped = [](auto a, auto s) {
        return dyad::fori_loop(3, [](auto, auto state) {
            const auto [y, d] = state;
            return std::tuple{-(y / d) + 1, -(d * 2)};
        }, std::tuple{a, s});
    };
    constexpr auto loss = [](auto a, auto s) { return sum(square(std::get<0>(decltype(looped){}(a, s)))); };
    vector y = x;
    double d = 1.5;
    for (int i = 0; i < 3; ++i) y = -(y / d) + 1, d = -(d * 2);
    const auto both = dyad::value_and_grad(loss);
    const auto [gx, gs] = both(x, 1.5).second;
    const auto [z, e] = dyad::evaluate(looped, x, 1.5);
    CHECK(differences::apart(vector(z), y) < 1e-15);
    CHECK(e == d);
    CHECK(differences::apart(gx, vector(2 * y * -1 / (1.5 * -3.0 * 6.0))) < 1e-14);
    CHECK(gs == doctest::Approx((both(x, 1.5 + 1e-5).first - both(x, 1.5 - 1e-5).first) / 2e-5).epsilon(1e-7));
}

TEST_CASE("sums over one row or column of an array whose gradient is the whole one's") {
    const matrix a{{1, 2, 3}, {4, 5, 6}};
    const auto first_row = [](auto m) { return sum(square(dyad::slice(m, 0, 0, 1))); };
    const auto last_row = [](auto m) { return sum(square(dyad::slice(m, 0, 1))); };
    const auto middle = [](auto m) { return sum(square(dyad::slice(m, 1, 1, 2))); };
    const auto [v, g] = dyad::value_and_grad(first_row)(a);
    CHECK(v == 14);
    CHECK(differences::apart(g, matrix{{2, 4, 6}, {0, 0, 0}}) == 0);
    const auto [w, h] = dyad::value_and_grad(last_row)(a);
    CHECK(w == 77);
    CHECK(differences::apart(h, matrix{{0, 0, 0}, {8, 10, 12}}) == 0);
    const auto [u, f] = dyad::value_and_grad(middle)(a);
    CHECK(u == 29);
    CHECK(differences::apart(f, matrix{{0, 4, 0}, {0, 10, 0}}) == 0);
    const auto [q, k] = dyad::value_and_grad([](auto m) { return sum(square(m[0])); })(a);
    CHECK(q == 14);
    CHECK(differences::apart(k, matrix{{2, 4, 6}, {0, 0, 0}}) == 0);
}

TEST_CASE("sums of squares with infinity, with NaN, and of nothing") {
    const auto value = [](const vector& a, const vector& b) { return dyad::value_and_grad(weighted_squares)(a, b).first; };
    vector x = waves(9), y = waves(9, 2.0);
    x(3) = infinity;
    CHECK(value(x, y) == infinity);
    y(5) = std::nan("");
    CHECK(std::isnan(value(x, y)));
    const vector none = vector::from_shape({0});
    CHECK(value(none, none) == 0);
}

TEST_CASE("reductions of reductions, over axes in any order") {
    xt::xtensor<double, 3> x = xt::xtensor<double, 3>::from_shape({3, 4, 5});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(1.3 * static_cast<double>(i));
    const auto orders = [](auto a) { return std::tuple{sum(sum(a, 2), 0), sum(sum(a, 0), 1), sum(sum(a, 1)), dyad::prod(dyad::prod(a, 0), 0)}; };
    const auto largest = [](auto a) { return dyad::max(dyad::max(dyad::max(a, 1), 1)); };
    const vector by_columns = xt::sum(x, {0, 2});
    const auto [rows_then_planes, planes_then_rows, middle_then_all, product] = dyad::evaluate(orders, x);
    CHECK(differences::apart(vector(rows_then_planes), by_columns) < 1e-14);
    CHECK(differences::apart(vector(planes_then_rows), by_columns) < 1e-14);
    CHECK(middle_then_all == doctest::Approx(xt::sum(x)()));
    CHECK(differences::apart(vector(product), vector(xt::prod(x, {0, 1}))) < 1e-15);
    const auto [most, by_most] = dyad::value_and_grad(largest)(x);
    CHECK(most == xt::amax(x)());
    CHECK(xt::sum(by_most)() == 1);
    const auto g = dyad::grad([](auto a) { return sum(square(sum(sum(a, 2), 0))); })(x);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 4; ++j) CHECK(g(i, j, 2) == doctest::Approx(2 * by_columns(j)));
    }
    const matrix none = matrix::from_shape({0, 3}), empty_rows = matrix::from_shape({3, 0});
    const auto largest_of_rows = [](auto a) { return dyad::max(dyad::max(a, 1)); };
    CHECK_THROWS_AS(dyad::evaluate(largest_of_rows, none), dyad::value_error);
    CHECK_THROWS_AS(dyad::evaluate(largest_of_rows, empty_rows), dyad::value_error);
    CHECK(dyad::evaluate([](auto a) { return sum(sum(a, 1)); }, none) == 0);
    // The inner one gives its shape only, and is seen through views.
    const auto [number, column] = dyad::evaluate([](auto a) {
        const auto rows = sum(a, 1);
        return std::tuple{dyad::mean(rows), dyad::expand_dims(sum(exp(a), 1), 1)};
    }, wave_field(4, 3));
    CHECK(number == doctest::Approx(xt::sum(wave_field(4, 3))() / 4));
    CHECK(differences::apart(vector(xt::view(column, xt::all(), 0)), vector(xt::sum(xt::exp(wave_field(4, 3)), {1}))) < 1e-15);
}

TEST_CASE("a reduction that rides in a later loop is there when it is wanted") {
    const matrix z = wave_field(7, 5), t = z * z;
    double value = 0;
    matrix slope = matrix::from_shape({7, 5});
    for (std::size_t i = 0; i < 7; ++i) {
        double sum = 0, targets = 0;
        for (std::size_t j = 0; j < 5; ++j) sum += std::exp(z(i, j)), targets += t(i, j);
        for (std::size_t j = 0; j < 5; ++j) {
            value -= t(i, j) * (z(i, j) - std::log(sum)) / 7;
            slope(i, j) = (targets * std::exp(z(i, j)) / sum - t(i, j)) / 7;
        }
    }
    const auto [v, g] = dyad::value_and_grad<0>(cross_entropy)(z, t);
    CHECK(v == doctest::Approx(value).epsilon(1e-13));
    CHECK(differences::apart(g, slope) < 1e-14);

    // Views of sums, views of views, sums of what views show, in loops before and after.
    constexpr auto chained = [](auto a) {
        const auto rows = sum(a, 1), scaled = exp(0.1 * dyad::transpose(a));
        const auto centred = a - dyad::expand_dims(rows, 1);
        return sum(scaled * dyad::transpose(centred)) + sum(square(rows)) + sum(dyad::reshape(scaled, 35));
    };
    const auto plain = [](const matrix& a) {
        double result = 0;
        for (std::size_t i = 0; i < 7; ++i) {
            double row = 0;
            for (std::size_t j = 0; j < 5; ++j) row += a(i, j);
            for (std::size_t j = 0; j < 5; ++j) result += std::exp(0.1 * a(i, j)) * (a(i, j) - row + 1);
            result += row * row;
        }
        return result;
    };
    const auto [all, slopes] = dyad::value_and_grad(chained)(z);
    CHECK(all == doctest::Approx(plain(z)).epsilon(1e-13));
    CHECK(differences::apart(slopes, differences::gradient(plain, z)) < 1e-8);
}
