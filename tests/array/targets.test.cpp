// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What the types of targets say; what is refused stands in compile_fail/.

#include <string>
#include <vector>

#include <dyad/array.hpp>
#include <doctest/doctest.h>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
struct step {
    double value;
    vector slopes;
};

static_assert(dyad::is_target<double>() && dyad::is_target<std::vector<float>>() && dyad::is_target<xt::xtensor_fixed<double, xt::xshape<2, 2>>>());
static_assert(dyad::is_target<std::tuple<double&, std::pair<vector, matrix&>>>() && dyad::is_target<std::array<vector, 2>>() && dyad::is_target<step>());
static_assert(!dyad::is_target<std::string>() && !dyad::is_target<std::vector<std::string>>() && !dyad::is_target<std::tuple<vector&, std::string>>());

using targets = dyad::leaves_facts<dyad::places_in<std::tuple<double, std::pair<vector, matrix>>>>;
static_assert(targets::count == 3 && targets::axes(0) == 0 && targets::axes(1) == 1 && targets::axes(2) == 2);
static_assert(targets::changes && targets::on_host && !targets::on_device);
static_assert(!dyad::leaves_facts<dyad::places_in<const vector>>::changes && !dyad::leaves_facts<std::tuple<double&>>::on_host);

static_assert(dyad::have_one_structure<std::tuple<vector, double>, std::vector<float>, int>());
static_assert(!dyad::have_one_structure<vector, double>() && !dyad::have_one_structure<vector, matrix>());
static_assert(!dyad::have_one_structure<std::tuple<vector, vector>, vector>() && !dyad::have_one_structure<std::string, double>());

const vector x{1, 2, 3};

} // namespace

TEST_CASE("the gradient by what a function does not use has that one's axes") {
    double value = 0;
    vector by_x;
    matrix by_y;
    auto out = std::tie(value, by_x, by_y);
    dyad::evaluate_into(out, dyad::value_and_grad([](auto a, auto) { return sum(a * a); }), x, matrix{{1, 2}});
    CHECK(value == 14);
    CHECK(by_x == vector{2, 4, 6});
    CHECK(by_y == matrix{{0, 0}});
    double by_number = 5;
    auto both = std::tie(by_x, by_number);
    dyad::evaluate_into(both, dyad::grad([](auto a, auto) { return sum(a); }), x, 2.0);
    CHECK(by_x == vector{1, 1, 1});
    CHECK(by_number == 0);
}
TEST_CASE("targets may be aggregates, arrays of containers, and of another number type") {
    step s{};
    dyad::evaluate_into(s, dyad::value_and_grad([](auto a) { return sum(a * a); }), x);
    CHECK(s.value == 14);
    CHECK(s.slopes == vector{2, 4, 6});
    std::array<vector, 2> powers;
    dyad::evaluate_into(powers, [](auto a) { return std::tuple{a * a, a * a * a}; }, x);
    CHECK(powers[1] == vector{1, 8, 27});
    std::tuple<std::vector<float>, float> narrow;
    dyad::evaluate_into(narrow, [](auto a) { return std::pair{2 * a, sum(a)}; }, x);
    CHECK(narrow == std::tuple{std::vector<float>{2, 4, 6}, 6.0F});
}
TEST_CASE("containers of whole numbers take counts, positions and what is rounded") {
    const xt::xtensor<int, 1> k{2, 0, 1};
    xt::xtensor<int, 1> whole{0, 0, 0};
    long count = 0;
    dyad::evaluate_into(count, [](auto a) { return argmax(a) + sum(where(a > 1, 1, 0)); }, x);
    CHECK(count == 4);
    dyad::evaluate_into(whole, [](auto a) { return flip(a * a + 1); }, k);
    CHECK(whole == xt::xtensor<int, 1>{2, 1, 5});
    dyad::evaluate_into(whole, [](auto a, auto at) { return floor(take(a, at) / 2); }, x, k);
    CHECK(whole == xt::xtensor<int, 1>{1, 0, 1});
    dyad::evaluate_into(whole, [](auto a) { return dyad::fori_loop(3, [](auto, auto s) { return s + 1; }, a); }, k);
    CHECK(whole == xt::xtensor<int, 1>{5, 3, 4});
    dyad::var<"x", vector> v{x};
    dyad::evaluate_into(whole, v > 1.0);
    CHECK(whole == xt::xtensor<int, 1>{0, 1, 1});
    dyad::kernel([](auto a) { return round(a * a / 4); }).into(whole, x);
    CHECK(whole == xt::xtensor<int, 1>{0, 1, 2});
}
TEST_CASE("a kernel's results have the axes of its arguments together, constants too") {
    std::tuple<matrix, matrix> out;
    dyad::kernel([](auto a, auto, auto c) { return std::tuple{c * a, 1.0}; }).into(out, x, matrix{{1, 2, 3}, {4, 5, 6}}, 2);
    CHECK(std::get<0>(out) == matrix{{2, 4, 6}, {2, 4, 6}});
    CHECK(std::get<1>(out) == matrix{{1, 1, 1}, {1, 1, 1}});
    double number = 0;
    dyad::kernel([](auto a) { return 2 * a; }).into(number, 3.0);
    CHECK(number == 6);
}
TEST_CASE("jacobians and hessians go into arrays of all axes together") {
    matrix out;
    dyad::evaluate_into(out, dyad::jacobian([](auto a) { return a * a; }), x);
    CHECK(out == matrix{{2, 0, 0}, {0, 4, 0}, {0, 0, 6}});
    dyad::evaluate_into(out, dyad::hessian([](auto a) { return sum(a * a * a); }), x);
    CHECK(out == matrix{{6, 0, 0}, {0, 12, 0}, {0, 0, 18}});
}
TEST_CASE("a target that is an argument and must grow is an argument until all is computed") {
    const vector wide{1, 2, 3, 4};
    const auto times = [](auto a, auto b) { return a * b; };
    vector h{3};
    dyad::evaluate_into(h, times, h, wide);
    CHECK(h == vector{3, 6, 9, 12});
    const vector large = xt::arange<double>(5000.0);
    vector two{2}, other;
    const auto [by_two, by_large] = dyad::grad([](auto a, auto b) { return sum(a * b); })(two, large);
    auto both = std::tie(two, other);
    dyad::evaluate_into(both, [](auto a, auto b) { return std::tuple{a * b, a + b}; }, two, large);
    CHECK(two == 2 * large);
    CHECK(other == 2 + large);
    CHECK(by_two(0) == 4999 * 2500.0);
    CHECK(by_large(7) == 2);
    vector k{3};
    dyad::kernel(times).into(k, k, wide);
    CHECK(k == vector{3, 6, 9, 12});
    std::vector<double> grown{2};
    dyad::evaluate_into(grown, times, grown, wide);
    CHECK(grown == std::vector<double>{2, 4, 6, 8});
    matrix column{{1}, {2}};
    dyad::evaluate_into(column, times, column, matrix{{1, 2, 3}});
    CHECK(column == matrix{{1, 2, 3}, {2, 4, 6}});
    matrix row{{1, 2, 3}};
    dyad::evaluate_into(row, times, row, matrix{{1}, {2}});
    CHECK(row == matrix{{1, 2, 3}, {2, 4, 6}});
}

TEST_CASE("temporaries are targets: views, spans, tuples of references") {
    matrix rows{{0, 0, 0}, {0, 0, 0}};
    vector twice, more;
    const dyad::var<"w", vector> w{x};
    dyad::evaluate_into(xt::view(rows, 1), [](auto a) { return 2 * a; }, x);
    CHECK(rows == matrix{{0, 0, 0}, {2, 4, 6}});
    dyad::evaluate_into(xt::view(rows, 1), 3 * w);
    dyad::evaluate_into(std::span<double>(rows.data(), 3), 4 * w);
    CHECK(rows == matrix{{4, 8, 12}, {3, 6, 9}});
    dyad::kernel([](auto a) { return 5 * a; }).into(xt::view(rows, 0), x);
    CHECK(rows == matrix{{5, 10, 15}, {3, 6, 9}});
    dyad::kernel([](auto a) { return std::pair{2 * a, a + 1}; }).into(std::tie(twice, more), x);
    CHECK(twice == vector{2, 4, 6});
    CHECK(more == vector{2, 3, 4});
}

TEST_CASE("a variable takes the value of an expression; its variance is no copy of it") {
    dyad::var<"w", vector> w{x};
    const auto before = sum(w);
    w = w * w - 1.0;
    CHECK(w.value() == vector{0, 3, 8});
    CHECK(before.value() == 6);
    CHECK((dyad::var(w) * 1.0).value() == dyad::variance(w).value());
    const auto copy = w;
    CHECK(copy.value() == w.value());
}
