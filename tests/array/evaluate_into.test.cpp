// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Results into memory that is there: an error leaves every target as it was, shape and elements, whenever it is seen;
// and a target may be an argument.

#include "differences.hpp"

#include <doctest/doctest.h>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using indices = xt::xtensor<int, 1>;
const vector x{1, 2, 3};
const matrix square_one{{2, 1}, {1, 3}}, singular{{1, 2}, {2, 4}}, indefinite{{1, 2}, {2, 1}};

/// evaluate_into throws Error; the targets keep what they have.
template <class Error, class... Targets, class F, class... S>
void check_kept(const std::tuple<Targets...>& before, const F& f, const S&... s) {
    std::tuple<Targets...> targets = before;
    CHECK_THROWS_AS(dyad::evaluate_into(targets, f, s...), Error);
    CHECK(targets == before);
}

} // namespace

TEST_CASE("an error in the middle leaves what was computed before it unwritten") {
    const auto twice_and_taken = [](auto a, auto i) { return std::tuple{2 * a, take(a, i), sum(a)}; };
    check_kept<dyad::index_error>(std::tuple{vector{7, 7, 7}, vector{8, 8}, 9.0}, twice_and_taken, x, indices{0, 5});
    check_kept<dyad::index_error>(std::tuple{vector{7}, vector{8}, 9.0}, twice_and_taken, x, indices{0, -4});
    const auto scattered = [](auto a, auto i) { return std::pair{exp(a), scatter_add(a, i, 1.0)}; };
    check_kept<dyad::index_error>(std::tuple{vector{7, 7, 7}, vector{8, 8, 8}}, scattered, x, indices{3});
    const auto solved = [](auto m) { return std::tuple{2 * m, inverse(m), det(m)}; };
    check_kept<dyad::value_error>(std::tuple{matrix{{7, 7}, {7, 7}}, matrix{{8, 8}, {8, 8}}, 9.0}, solved, singular);
    check_kept<dyad::value_error>(std::tuple{matrix{{8, 8}, {8, 8}}}, [](auto m) { return cholesky(m); }, indefinite);
    check_kept<dyad::value_error>(std::tuple{matrix{{8, 8}, {8, 8}}}, [](auto a, auto b) { return solve(a, b); }, singular, square_one);
    check_kept<dyad::shape_error>(std::tuple{vector{7, 7, 7}, vector{8}}, [](auto a) { return std::pair{exp(a), reshape(a, 2, -1)[0]}; }, x);
}
TEST_CASE("an extremum of nothing leaves the targets as they were") {
    const vector none(std::array<std::size_t, 1>{0});
    check_kept<dyad::value_error>(std::tuple{vector{7, 7}, 9.0}, [](auto a, auto b) { return std::pair{exp(b), max(a)}; }, none, vector{1, 2});
    check_kept<dyad::value_error>(std::tuple{9.0, vector{7, 7}}, dyad::value_and_grad([](auto a) { return min(a); }), none);
}
TEST_CASE("shapes that do not fit leave the targets as they were") {
    const auto sums = [](auto a, auto b) { return std::pair{2 * a, a + b}; };
    check_kept<dyad::shape_error>(std::tuple{vector{7}, vector{8}}, sums, x, vector{1, 2});
    using fixed = xt::xtensor_fixed<double, xt::xshape<2>>;
    vector first{7};
    fixed second{8, 8}; // cannot become three numbers
    auto targets = std::tie(first, second);
    CHECK_THROWS_AS(dyad::evaluate_into(targets, sums, x, x), dyad::shape_error);
    CHECK(first == vector{7});
    CHECK((second(0) == 8 && second(1) == 8));
}
TEST_CASE("kernels and expressions leave their targets too") {
    const auto product = dyad::kernel([](auto a, auto b) { return a * b; });
    vector out{7};
    CHECK_THROWS_AS(dyad::evaluate_into(out, product, x, vector{1, 2}), dyad::shape_error);
    CHECK(out == vector{7});
    const dyad::var<"m", dyad::tensor<double, 2>> m{singular};
    matrix inverted{{8}};
    CHECK_THROWS_AS(dyad::evaluate_into(inverted, inverse(m)), dyad::value_error);
    CHECK(inverted == matrix{{8}});
}
TEST_CASE("after an error the same call works") {
    const auto taken = [](auto a, auto i) { return std::tuple{2 * a, take(a, i)}; };
    std::tuple<vector, vector> targets{vector{7}, vector{8}};
    CHECK_THROWS_AS(dyad::evaluate_into(targets, taken, x, indices{9}), dyad::index_error);
    dyad::evaluate_into(targets, taken, x, indices{2, 0});
    CHECK(targets == std::tuple{vector{2, 4, 6}, vector{3, 1}});
}
TEST_CASE("a target may be an argument") {
    const auto into_itself = [](const auto& f, vector a) {
        dyad::evaluate_into(a, f, a);
        return a;
    };
    CHECK(into_itself([](auto a) { return a * a; }, x) == vector{1, 4, 9});
    CHECK(into_itself([](auto a) { return 2 * flip(a); }, x) == vector{6, 4, 2});
    CHECK(into_itself([](auto a) { return slice(pad(a, 0, 1, 0), 0, 0, -1) + a; }, x) == vector{1, 3, 5});
    CHECK(into_itself([](auto a) { return a / sum(a); }, x) == vector{1 / 6.0, 2 / 6.0, 3 / 6.0});
    CHECK(into_itself([](auto a) { return flip(cumsum(a)); }, x) == vector{6, 3, 1});
    CHECK(into_itself([](auto a) { return take(a, argmax(a)) + a; }, x) == vector{4, 5, 6});
    matrix m{{1, 2}, {3, 4}};
    dyad::evaluate_into(m, [](auto a) { return matmul(a, a); }, m);
    CHECK(m == matrix{{7, 10}, {15, 22}});
    dyad::evaluate_into(m, [](auto a) { return 1.0 * transpose(a); }, m);
    CHECK(m == matrix{{7, 15}, {10, 22}});
    vector w = x;
    double value = 0;
    auto step = std::tie(value, w);
    dyad::evaluate_into(step, dyad::value_and_grad([](auto a) { return sum(a * a) * sum(a); }), w);
    CHECK(value == 84);
    CHECK(w == vector{26, 38, 50});
}
TEST_CASE("a target may be a part of an argument's memory") {
    std::vector<double> memory{1, 2, 3, 4, 5};
    auto moved = dyad::view(memory.data() + 1, 4);
    const auto copy = [](auto a) { return 1.0 * a; };
    dyad::evaluate_into(moved, copy, dyad::view(memory.data(), 4));
    CHECK(memory == std::vector<double>{1, 1, 2, 3, 4});
}
TEST_CASE("results that no cache holds are the same wherever their memory begins, and touch nothing beside it") {
    // (Written past the caches, where the processor's vectors can, in lines that begin where the memory does: see array_avx2.)
    const std::size_t n = (std::size_t{32} << 20) / sizeof(double) + 1003;
    std::vector<double> p(n), q(n), memory(2 * n + 20);
    for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<double>(i % 7) - 3.25, q[i] = static_cast<double>(i % 11) / 8;
    const auto loss = [](auto a, auto b) { return sum(a * b + a * a); };
    const auto stencil = [](auto a) { return slice(a, 0, 1) - slice(a, 0, 0, -1); };
    double value[2] = {};
    bool good = true;
    for (const std::size_t shift : {1U, 6U}) {
        memory.assign(memory.size(), -1);
        double *const dp = memory.data() + shift, *const dq = dp + n + 1;
        auto by_x = dyad::view(dp, n), by_y = dyad::view(dq, n);
        auto targets = std::tie(value[shift / 6], by_x, by_y);
        dyad::evaluate_into(targets, dyad::value_and_grad(loss), p, q);
        for (std::size_t i = 0; i < n; ++i) good = good && dp[i] == q[i] + 2 * p[i] && dq[i] == p[i];
        auto difference = dyad::view(dp, n - 1);
        dyad::evaluate_into(difference, stencil, p);
        for (std::size_t i = 0; i + 1 < n; ++i) good = good && dp[i] == p[i + 1] - p[i];
        for (std::size_t i = 0; i < shift; ++i) good = good && memory[i] == -1 && memory[memory.size() - 1 - i] == -1;
        good = good && memory[n + shift] == -1;
    }
    CHECK(good);
    CHECK(value[0] == value[1]);
}

TEST_CASE("what xtensor has not computed yet, and arrays as they are") {
    vector a{1, 2, 3}, y;
    const xt::xtensor<double, 1> sum = dyad::evaluate(a + a);
    CHECK(sum == vector{2, 4, 6});
    CHECK(dyad::evaluate(xt::view(a, xt::range(1, 3))) == vector{2, 3});
    CHECK(dyad::evaluate(indices{1, 2} * 2) == indices{2, 4});
    static_assert(std::is_same_v<decltype(dyad::evaluate(indices{1, 2} * 2)), indices>);
    CHECK(dyad::evaluate(a > 2.5) == xt::xtensor<bool, 1>{false, false, true});
    dyad::evaluate_into(y, a + 1);
    CHECK(y == vector{2, 3, 4});
    dyad::evaluate_into(a, a * a);
    CHECK(a == vector{1, 4, 9});
    std::vector<double> plain{1, 2, 3};
    dyad::evaluate_into(plain, a);
    CHECK(plain == std::vector<double>{1, 4, 9});
    dyad::evaluate_into(a, dyad::view(a) * 2); // (an expression of dyad's)
    CHECK(a == vector{2, 8, 18});
}
TEST_CASE("a sum along an axis of size 1 may go where its argument lies") {
    std::vector<double> target{1, 2, 3};
    dyad::evaluate_into(target, [](auto a) { return sum(a, 0); }, dyad::view(target.data(), 1, 3));
    CHECK(target == std::vector<double>{1, 2, 3});
    dyad::evaluate_into(target, [](auto a) { return prod(2 * a, 1); }, dyad::view(target.data(), 3, 1));
    CHECK(target == std::vector<double>{2, 4, 6});
}
