// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// take, scatter_add, cumsum, cumprod, where, and arrays of different ranks together: values against loops,
// gradients and hvp against differences; repeated and negative indices, zeros in running products, a
// branch of where that is not finite, arrays without elements.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
using indices = xt::xtensor<int, 1>;
const vector v = numbers<double, 1>({7}), row = numbers<double, 1>({4}, 5), column = numbers<double, 1>({3}, 6);
const matrix m = numbers<double, 2>({3, 4});
const cube x = numbers<double, 3>({2, 3, 4});
const vector none(std::array<std::size_t, 1>{0});

/// The values are those expected, the gradient is that of differences.
template <class R, class X, class Expected, class... Data>
void check(R r, const X& argument, const Expected& expected, const Data&... data) {
    const auto found = evaluated(r, argument, data...);
    static_assert(std::is_same_v<std::remove_const_t<decltype(found)>, Expected>);
    CHECK(apart(found, expected) < 1e-15);
    CHECK(slope_off(r, argument, data...) < 1e-9);
}
/// Running sums or products of a row.
vector running(vector a, bool product) {
    for (std::size_t i = 1; i < a.size(); ++i) a(i) = product ? a(i - 1) * a(i) : a(i - 1) + a(i);
    return a;
}

constexpr auto gather = [](auto a, auto i) { return take(a, i); };
constexpr auto gathered_squares = [](auto a, auto i) { return sum(square(take(a, i))); };
constexpr auto gather_columns = [](auto a, auto i) { return take(a, i, -1); };
constexpr auto scatter = [](auto a, auto i, auto b) { return scatter_add(a, i, b); };
constexpr auto cumulated = [](auto a) { return cumsum(a); };
constexpr auto multiplied = [](auto a) { return cumprod(a); };

} // namespace

TEST_CASE("take gathers elements at positions, also repeated and negative ones") {
    const indices at{3, 0, 3, -1, 3};
    const auto place = [&](std::size_t i, std::size_t size) { return static_cast<std::size_t>(at(i) < 0 ? at(i) + static_cast<int>(size) : at(i)); };
    check(gather, v, made<1>({5}, [&](auto i) { return v(place(i, 7)); }), at);
    check(gather_columns, m, made<2>({3, 5}, [&](auto i, auto j) { return m(i, place(j, 4)); }), at);
    check([](auto a, auto i) { return take(a, i, 1); }, x, made<3>({2, 2, 4}, [&](auto i, auto j, auto k) { return x(i, j == 0 ? 2 : 0, k); }), indices{2, 0});
    check(gather, m, made<2>({2, 4}, [&](auto i, auto j) { return m(i == 0 ? 2 : 1, j); }), indices{-1, 1});
    check(gather, v, made<2>({2, 3}, [](auto i, auto j) { return v(i + 2 * j); }), xt::xtensor<long, 2>{{0, 2, 4}, {1, 3, 5}});
    check(gather_columns, m, made<3>({3, 2, 2}, [](auto i, auto j, auto k) { return m(i, 2 * j + k); }), xt::xtensor<std::size_t, 2>{{0, 1}, {2, 3}});
    check(gather, v, none, indices(std::array<std::size_t, 1>{0}));
    check([](auto a, auto i) { return take(exp(flip(a)), i) * 2; }, v, made<1>({2}, [](auto i) { return 2 * std::exp(v(6 - i)); }), indices{0, 1});
    const auto both = dyad::value_and_grad<0>(gathered_squares);
    CHECK(both(vector{1, 2, 3, 4, 5, 6, 7}, indices{1, 1, -6, 0}) == std::pair{13.0, vector{2, 12, 0, 0, 0, 0, 0}});
}
TEST_CASE("positions of every whole type, with ends; rows of one, of some and of many elements") {
    const vector four{1, 2, 3, 4};
    const auto both = dyad::value_and_grad<0>(gathered_squares);
    const auto check = [&]<class Item>(Item) {
        CHECK(both(four, xt::xtensor<Item, 1>{0, 3, 1, 3}) == std::pair{37.0, vector{2, 4, 0, 16}});
        CHECK_THROWS_AS(both(four, xt::xtensor<Item, 1>{0, 4}), dyad::index_error);
        CHECK_THROWS_AS(both(four, xt::xtensor<Item, 1>{std::numeric_limits<Item>::max()}), dyad::index_error);
    };
    check(char{});
    check(short{});
    check(0);
    check(0U);
    check(0L);
    check(0UL);
    for (const std::size_t columns : std::array<std::size_t, 5>{1, 3, 16, 17, 40}) {
        const auto rows = numbers<double, 2>({5, columns});
        const xt::xtensor<int, 1> positions{4, 0, -1, -5};
        const matrix found = evaluated(gather, rows, positions), slopes = both(rows, positions).second;
        for (std::size_t j = 0; j < columns; ++j) {
            CHECK((found(0, j) == rows(4, j) && found(1, j) == rows(0, j) && found(2, j) == rows(4, j) && found(3, j) == rows(0, j)));
            CHECK((slopes(0, j) == 4 * rows(0, j) && slopes(4, j) == 4 * rows(4, j) && slopes(2, j) == 0));
        }
    }
}

TEST_CASE("scatter_add accumulates, along a negative axis too") {
    const indices at{1, 1, -1};
    const vector b{10, 20, 30};
    vector expected = v;
    expected(1) += 30, expected(6) += 30;
    check(scatter, v, expected, at, b);
    constexpr auto into = [](auto b_, auto a, auto i) { return scatter_add(a, i, b_); };
    check(into, b, expected, v, at);
    constexpr auto columns = [](auto b_, auto a, auto i) { return scatter_add(a, i, b_, -1); };
    const matrix c = numbers<double, 2>({3, 2}, 9);
    matrix wide = m;
    for (std::size_t i = 0; i < 3; ++i) wide(i, 2) += c(i, 0) + c(i, 1);
    check(columns, c, wide, m, indices{2, -2});
    constexpr auto one_number = [](auto a, auto i) { return scatter_add(a, i, 2, 1); };
    check(one_number, x, made<3>({2, 3, 4}, [](auto i, auto j, auto k) { return x(i, j, k) + (j == 1 ? 4 : 0); }), indices{1, 1});
    constexpr auto counts = [](auto i, auto a) { return scatter_add(0 * a, i, 1 + 0 * take(a, i)); };
    CHECK(dyad::vjp<1>(counts)(indices{0, 2, 2, 6}, v).first == vector{1, 0, 2, 0, 0, 0, 1});
}
TEST_CASE("positions outside are refused with both numbers") {
    const std::string text = "[dyad] take: indices = 7 is not in [-7, 7)";
    CHECK_THROWS_WITH_AS(evaluated(gather, v, indices{0, 7}), text.c_str(), dyad::index_error);
    CHECK_THROWS_WITH_AS(evaluated(gather, v, indices{-8}), "[dyad] take: indices = -8 is not in [-7, 7)", dyad::index_error);
    CHECK_THROWS_AS(dyad::value_and_grad<0>(gathered_squares)(v, indices{9}), dyad::index_error);
    CHECK_THROWS_WITH_AS(evaluated(scatter, v, indices{9}, vector{1}), "[dyad] scatter_add: indices = 9 is not in [-7, 7)", dyad::index_error);
    CHECK_THROWS_WITH_AS(evaluated(gather, v, xt::xtensor<unsigned long, 1>{~0UL}), "[dyad] take: indices = 18446744073709551615 is not in [-7, 7)", dyad::index_error);
    CHECK_THROWS_WITH_AS(evaluated(gather, v, vector{-8}), "[dyad] take: indices = -8 is not in [-7, 7)", dyad::index_error);
    CHECK_THROWS_WITH_AS(evaluated(gather, v, vector{1e19}), "[dyad] take: indices = 10000000000000000000 is not in [-7, 7)", dyad::index_error);
    CHECK_THROWS_WITH_AS(evaluated(gather, v, vector{2.5}), "[dyad] take: indices = 2.500000 is not a whole number", dyad::index_error);
    for (const double odd : {-1e300, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_AS(evaluated(gather, v, vector{odd}), dyad::index_error);
    CHECK_THROWS_AS(evaluated(scatter, v, indices{1, 2}, vector{1, 2, 3}), dyad::shape_error);
    dyad::var<"v", vector> e{v};
    CHECK_THROWS_AS(static_cast<void>(e[1.7].value()), dyad::index_error);
    CHECK(evaluated([](auto u) { return u[1.0]; }, v) == v(1));
}
TEST_CASE("running sums and products agree with loops") {
    for (const std::size_t n : {1U, 2U, 3U, 8U, 33U}) {
        const vector a = numbers<double, 1>({n}), b = positives<double, 1>({n});
        check(cumulated, a, running(a, false));
        check(multiplied, b, running(b, true));
    }
    check([](auto a) { return cumsum(a, 1); }, x, made<3>({2, 3, 4}, [](auto i, auto j, auto k) {
              return x(i, 0, k) + (j > 0 ? x(i, 1, k) : 0) + (j > 1 ? x(i, 2, k) : 0);
          }));
    check([](auto a) { return cumprod(a, -1); }, m, made<2>({3, 4}, [](auto i, auto j) {
              return m(i, 0) * (j > 0 ? m(i, 1) : 1) * (j > 1 ? m(i, 2) : 1) * (j > 2 ? m(i, 3) : 1);
          }));
    check([](auto a) { return cumsum(transpose(a), 0); }, m, made<2>({4, 3}, [](auto i, auto j) {
              return m(j, 0) + (i > 0 ? m(j, 1) : 0) + (i > 1 ? m(j, 2) : 0) + (i > 2 ? m(j, 3) : 0);
          }));
    check(multiplied, vector{2, 0, 3, 0, 5}, vector{2, 0, 0, 0, 0});
    CHECK(evaluated(cumulated, none).size() == 0);
    CHECK(evaluated(multiplied, none).size() == 0);
    const auto total_slope = dyad::grad([](auto a) { return sum(cumsum(a)); });
    CHECK(total_slope(vector{1, 2, 3}) == vector{3, 2, 1});
    CHECK(total_slope(none) == none);
}
TEST_CASE("where takes nothing from the branch that is not selected") {
    constexpr auto chosen = [](auto a) { return where(a > 0, 2 * a, -a * a); };
    check(chosen, v, made<1>({7}, [](auto i) { return v(i) > 0 ? 2 * v(i) : -v(i) * v(i); }));
    constexpr auto root = [](auto a) { return sum(where(a > 0, sqrt(a), 0.0)); };
    CHECK(dyad::value_and_grad(root)(vector{4, 0, -1}) == std::pair{2.0, vector{0.25, 0, 0}});
    check([](auto a, auto r) { return where(a > r, a, r); }, m, made<2>({3, 4}, [](auto i, auto j) { return std::max(m(i, j), row(j)); }), row);
    check([](auto a, auto k) { return where(k == 1, a, 3 * a); }, column, made<1>({3}, [](auto i) { return i == 1 ? column(i) : 3 * column(i); }), indices{0, 1, 2});
    check([](auto a, auto c) { return where(c > 0, a, expand_dims(c, 0)); }, m, made<2>({3, 4}, [](auto i, auto j) { return row(j) > 0 ? m(i, j) : row(j); }), row);
}
TEST_CASE("arrays of different ranks stretch together") {
    check([](auto a, auto b) { return a * b; }, row, made<2>({3, 4}, [](auto i, auto j) { return m(i, j) * row(j); }), m);
    check([](auto a, auto b) { return b / exp(a); }, row, made<3>({2, 3, 4}, [](auto i, auto j, auto k) { return x(i, j, k) / std::exp(row(k)); }), x);
    check([](auto a, auto b) { return a + expand_dims(b, 1); }, m, made<2>({3, 4}, [](auto i, auto j) { return m(i, j) + column(i); }), column);
    check([](auto a, auto b) { return expand_dims(a, -1) * b; }, column, made<2>({3, 4}, [](auto i, auto j) { return m(i, j) * column(i); }), m);
    check([](auto a, auto b) { return expand_dims(a, 1) - b; }, column, made<2>({3, 4}, [](auto i, auto j) { return column(i) - row(j); }), row);
    check([](auto a, auto s) { return s * a + 1; }, m, made<2>({3, 4}, [](auto i, auto j) { return 2.5 * m(i, j) + 1; }), 2.5);
    check([](auto a, auto b) { return a * expand_dims(expand_dims(b, 1), 2); }, x, made<3>({2, 3, 4}, [](auto i, auto j, auto k) { return x(i, j, k) * (i == 0 ? 4.0 : 5.0); }), vector{4, 5});
    constexpr auto scaled = [](auto s, auto a) { return sum(s * a * a) + s * s; };
    const auto [value, slope] = dyad::value_and_grad(scaled)(3.0, vector{1, 2});
    CHECK(value == 24);
    CHECK(slope == std::tuple{11.0, vector{6, 12}});
    CHECK_THROWS_WITH_AS(evaluated([](auto a, auto b) { return a + b; }, vector{1, 2}, vector{1, 2, 3}), "[dyad] add: Incompatible shapes: [2] vs. [3]", dyad::shape_error);
}
TEST_CASE("second derivatives agree with differences of the gradient") {
    CHECK(bend_off([](auto a) { return cumsum(a * a, 0) * cumprod(a, 1); }, m) < 1e-7);
    CHECK(bend_off([](auto a) { return cumprod(a) * cumprod(flip(a)); }, v) < 1e-7);
    CHECK(bend_off([](auto a) { return expand_dims(a, 1) * a; }, v) < 1e-7);
    CHECK(bend_off([](auto a) { return where(a > 0, a * a, exp(a)) * sum(a, 1, dyad::keep_dims); }, m) < 1e-7);
}
TEST_CASE("an index out of range is refused by gradients that need no element too") {
    const vector three{1, 2, 3};
    CHECK_THROWS_AS(dyad::grad([](auto a) { return a[5]; })(three), dyad::index_error);
    CHECK_THROWS_AS(dyad::grad([](auto a) { return a[-5]; })(three), dyad::index_error);
    CHECK_THROWS_AS(dyad::hessian([](auto a) { return a[5] * a[0]; })(three), dyad::index_error);
    CHECK_THROWS_AS(dyad::grad<0>([](auto a, auto w) { return a[5] * w; })(three, 2.0), dyad::index_error);
    const matrix square{{1, 2}, {3, 4}};
    CHECK_THROWS_AS(dyad::grad<0>([](auto a, auto w) { return sum(exp(w) * a[5]); })(square, vector{1, 2}), dyad::index_error);
    CHECK(dyad::grad([](auto a) { return 2 * a[2]; })(three) == vector{0, 0, 2});
    const xt::xtensor<std::size_t, 1> beyond{static_cast<std::size_t>(-1)};
    CHECK_THROWS_AS(dyad::value_and_grad<0>(gathered_squares)(three, beyond), dyad::index_error);
}
TEST_CASE("a slice from far on has all elements that are left") {
    const vector long_one = xt::ones<double>({8388616});
    CHECK(dyad::evaluate([](auto y) { return sum(slice(y, 0, 8388606)); }, long_one) == 10);
}
TEST_CASE("scatter_add at one position takes what is added at one") {
    CHECK_THROWS_WITH_AS(evaluated(scatter, vector{1, 2, 3}, indices{0}, vector{1, 2, 3}), "[dyad] scatter_add: Incompatible shapes: [3] vs. [1] vs. [3]", dyad::shape_error);
    CHECK_THROWS_AS(evaluated(scatter, matrix{{1, 2}}, indices{0}, matrix{{1, 2}, {3, 4}}), dyad::shape_error);
    CHECK_THROWS_AS(slope_of(scatter)(vector{1, 2, 3}, indices{0}, vector{1, 2, 3}), dyad::shape_error);
    dyad::var<"u", vector> u{vector{1, 2, 3}};
    CHECK_THROWS_AS(static_cast<void>(scatter_add(u, indices{0}, vector{1, 2, 3}).value()), dyad::shape_error);
    CHECK(evaluated(scatter, vector{1, 2, 3}, indices{0}, vector{4}) == vector{5, 2, 3});
}
TEST_CASE("many directions at once go to the places of scatter_add, whatever axes it adds along") {
    constexpr auto added = [](auto a, auto at, auto b) { return scatter_add(a, at, b, 1); };
    constexpr auto squares = [](auto a, auto at, auto b) { return sum(square(scatter_add(a, at, b, 1))); };
    const matrix zeros{{0, 0, 0}, {0, 0, 0}};
    const indices at{0, 2};
    CHECK(dyad::hessian<2>(squares)(zeros, at, vector{1, 1}) == matrix{{4, 0}, {0, 4}}); // (once 2 everywhere)
    const cube jacobian = dyad::jacobian<2>(added)(zeros, at, vector{1, 1});
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            for (std::size_t k = 0; k < 2; ++k) CHECK(jacobian(i, j, k) == (j == 2 * k ? 1 : 0));
        }
    }
}
TEST_CASE("positions that the compiler knows, and rows that stretch over all that is selected") {
    using namespace dyad::literals;
    CHECK(dyad::grad([](auto w) { return sum(square(scatter_add(w, 0, -w[0]))); })(vector{1, 2}) == vector{0, 4});
    CHECK(dyad::grad([](auto w) { return take(w, 1) * take(w, 1_c); })(vector{1, 2}) == vector{0, 4});
    const matrix zeros = xt::zeros<double>({3, 4});
    const matrix rows{{1, 2, 3, 4}, {0, 0, 0, 0}, {1, 2, 3, 4}};
    CHECK(dyad::scatter_add(zeros, indices{0, 2}, vector{1, 2, 3, 4}) == rows);
    CHECK(evaluated(scatter, zeros, indices{0, 2}, vector{1, 2, 3, 4}) == rows);
}

TEST_CASE("positions that float cannot tell apart are refused; whole numbers are exact") {
    xt::xtensor<float, 1> long_one = xt::zeros<float>({std::size_t{1} << 24 | 2});
    long_one(16777216) = 1;
    long_one(16777217) = 2;
    const auto computed = [](auto a, auto j, auto k) { return sum(take(a, j * 4096 + k)); };
    const xt::xtensor<int, 1> beyond{4096}, one{1}, before{4095}, last{4095}, exact{16777217};
    CHECK_THROWS_WITH_AS(dyad::evaluate(computed, long_one, beyond, one), doctest::Contains("was computed in float"), dyad::index_error);
    CHECK(dyad::evaluate(computed, long_one, before, last) == 0);
    CHECK(dyad::evaluate([](auto a, auto i) { return sum(take(a, i)); }, long_one, exact) == 2);
    CHECK_THROWS_AS(dyad::evaluate([](auto a, auto i) { return 3 * a[i]; }, long_one, 16777217), dyad::index_error);
}

TEST_CASE("several positions: traced, in expressions and in functions that capture, numbers beside arrays of positions") {
    const std::vector<int> at{0, 2, 2};
    const auto picked = [](const auto& found, std::initializer_list<double> expected) { return std::equal(found.begin(), found.end(), expected.begin(), expected.end()); };
    const auto columns = [](auto a, auto i) { return a(i, 1); };
    const auto elements = [](auto a, auto i) { return a(1, i, 3); };
    CHECK(picked(dyad::evaluate(columns, m, at), {m(0, 1), m(2, 1), m(2, 1)})); // as NumPy has it, not rows of rows
    CHECK(picked(dyad::evaluate(elements, x, at), {x(1, 0, 3), x(1, 2, 3), x(1, 2, 3)}));

    const dyad::var<"m", matrix> w{m};
    const dyad::var<"s"> s{2.0};
    CHECK(w(1, s).value() == m(1, 2)); // once the value of s itself
    CHECK(w(s, 1).value() == m(2, 1));
    CHECK(w(s, s).value() == m(2, 2));
    CHECK(picked(w(at, 1).value(), {m(0, 1), m(2, 1), m(2, 1)}));
    CHECK(picked(w(at, s).value(), {m(0, 2), m(2, 2), m(2, 2)}));
    const dyad::var<"x", cube> c{x};
    CHECK(picked(c(1, at, 3).value(), {x(1, 0, 3), x(1, 2, 3), x(1, 2, 3)}));
    CHECK(c(1, s, 3).value() == x(1, 2, 3));
    const matrix slope = dyad::diff(3.0 * w(1, s), w).value();
    CHECK(slope(1, 2) == 3.0);
    CHECK(xt::sum(slope)() == 3.0);

    const auto captures = [c = 2.0](auto a) { return dyad::fori_loop(3, [&](auto i, auto t) { return t + a(i, 0) * c; }, 0.0); };
    CHECK(dyad::evaluate(captures, m) == doctest::Approx(2 * (m(0, 0) + m(1, 0) + m(2, 0))));
    const matrix slopes = dyad::grad(captures)(m);
    CHECK(slopes(0, 0) == 2.0);
    CHECK(xt::sum(slopes)() == 6.0);
}
