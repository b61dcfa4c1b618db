// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What moves elements: transpose, permute, expand_dims, squeeze, reshape, broadcast_to, slice, flip, concatenate,
// stack, split, tile, pad. Values against index formulas, gradients and second derivatives against differences;
// also where several follow each other and with what computes in between.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
const vector v = numbers<double, 1>({7});
const matrix m = numbers<double, 2>({3, 4});
const cube x = numbers<double, 3>({2, 3, 4}), y = numbers<double, 3>({2, 5, 4}, 3);

/// The values are those expected, the gradient is that of differences.
template <class R, class X, class Expected, class... Data>
void check(R r, const X& argument, const Expected& expected, const Data&... data) {
    const auto found = evaluated(r, argument, data...);
    static_assert(std::is_same_v<std::remove_const_t<decltype(found)>, Expected>);
    CHECK(apart(found, expected) == 0);
    CHECK(slope_off(r, argument, data...) < 1e-9);
}

/// The same of each of several results: of its values, and of its pullback where nothing is pulled back from the others.
template <class R, class X, class... Expected>
void check_each(R r, const X& argument, const Expected&... expected) {
    const auto [found, pullback] = dyad::vjp(r)(argument);
    const auto one = [&]<std::size_t K>(std::index_sequence<K>) {
        const auto& wanted = std::get<K>(std::tie(expected...));
        static_assert(std::is_same_v<decltype(std::get<K>(found)), decltype(wanted)>);
        CAPTURE(K);
        CHECK(apart(std::get<K>(found), wanted) == 0);
        auto cotangents = found;
        std::apply([](auto&... c) { (c.fill(0), ...); }, cotangents);
        std::get<K>(cotangents) = weights_for(wanted);
        const auto weighted = [&](const X& at) { return inner(std::get<K>(cotangents), std::get<K>(evaluated(r, at))); };
        CHECK(apart(pullback(cotangents), gradient(weighted, argument)) < 1e-9);
    };
    [&]<std::size_t... K>(std::index_sequence<K...>) { (one(std::index_sequence<K>{}), ...); }(std::index_sequence_for<Expected...>{});
}

} // namespace

TEST_CASE("transpose and permute put axes in the order named") {
    check([](auto a) { return transpose(a); }, m, made<2>({4, 3}, [](auto i, auto j) { return m(j, i); }));
    check([](auto a) { return transpose(a); }, v, v);
    check_each([](auto a) { return std::tuple{transpose(a), transpose(a, 1, 0, 2), permute(a, 2, 0, 1), permute(a, -2, -1, 0)}; }, x,
               made<3>({4, 3, 2}, [](auto i, auto j, auto k) { return x(k, j, i); }),
               made<3>({3, 2, 4}, [](auto i, auto j, auto k) { return x(j, i, k); }),
               made<3>({4, 2, 3}, [](auto i, auto j, auto k) { return x(j, k, i); }),
               made<3>({3, 4, 2}, [](auto i, auto j, auto k) { return x(k, i, j); }));
    check([](auto a) { return permute(permute(a, 2, 0, 1), 2, 0, 1); }, x,
          made<3>({3, 4, 2}, [](auto i, auto j, auto k) { return x(k, i, j); }));
}
TEST_CASE("axes of size 1 come and go") {
    check_each([](auto a) { return std::tuple{expand_dims(a, 0), expand_dims(a, 1), expand_dims(a, -1)}; }, m,
               made<3>({1, 3, 4}, [](auto, auto i, auto j) { return m(i, j); }),
               made<3>({3, 1, 4}, [](auto i, auto, auto j) { return m(i, j); }),
               made<3>({3, 4, 1}, [](auto i, auto j, auto) { return m(i, j); }));
    const cube thin = numbers<double, 3>({1, 5, 1});
    constexpr auto squeezed = [](auto a) { return std::tuple{squeeze(a, 0), squeeze(a, 0, -1)}; };
    check_each(squeezed, thin, made<2>({5, 1}, [&](auto i, auto) { return thin(0, i, 0); }), made<1>({5}, [&](auto i) { return thin(0, i, 0); }));
    check([](auto a) { return squeeze(expand_dims(exp(a), 1), 1) - exp(a) + a; }, v, v);
    CHECK_THROWS_AS(evaluated(squeezed, x), dyad::shape_error);
    CHECK_THROWS_AS(evaluated(squeezed, numbers<double, 3>({1, 5, 2})), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad([](auto a) { return sum(squeeze(a, 1)); })(m), dyad::shape_error);
}
TEST_CASE("reshape keeps the order of the elements") {
    const auto flat = [](std::size_t i) { return x.data()[i]; };
    constexpr auto reshaped = [](auto a) { return std::tuple{reshape(a, 6, 4), reshape(a, -1), reshape(a, 2, -1, 2)}; };
    check_each(reshaped, x,
               made<2>({6, 4}, [&](auto i, auto j) { return flat(4 * i + j); }),
               made<1>({24}, flat),
               made<3>({2, 6, 2}, [&](auto i, auto j, auto k) { return flat(12 * i + 2 * j + k); }));
    check([](auto a) { return reshape(transpose(a), 2, -1); }, m, made<2>({2, 6}, [](auto i, auto j) {
              return m((6 * i + j) % 3, (6 * i + j) / 3);
          }));
    check([](auto a) { return sum(reshape(a, 3, 1, 4), 1); }, m, m);
    const char* const odd = "[dyad] reshape: [7] has 7 elements, which do not fill a shape of 2 by what is left (-1)";
    CHECK_THROWS_WITH_AS(evaluated([](auto a) { return reshape(a, 2, -1); }, v), odd, dyad::shape_error);
    // Twice and half as many elements as 6 rows of 4.
    CHECK_THROWS_WITH_AS(evaluated(reshaped, numbers<double, 3>({2, 6, 4})), "[dyad] reshape: [2,6,4] has 48 elements, which do not fill a shape of 24", dyad::shape_error);
    CHECK_THROWS_WITH_AS(evaluated(reshaped, numbers<double, 3>({1, 3, 4})), "[dyad] reshape: [1,3,4] has 12 elements, which do not fill a shape of 24", dyad::shape_error);
}
TEST_CASE("broadcast_to repeats elements") {
    constexpr auto repeated = [](auto a) { return std::tuple{broadcast_to(a, 3, 7), broadcast_to(expand_dims(a, 1), 7, 2), broadcast_to(sum(a), 2, 3)}; };
    check_each(repeated, v,
               made<2>({3, 7}, [](auto, auto j) { return v(j); }),
               made<2>({7, 2}, [](auto i, auto) { return v(i); }),
               made<2>({2, 3}, [](auto, auto) { return xt::sum(v)(); }));
    check([](auto a) { return broadcast_to(a, 2, 3, 4); }, m, made<3>({2, 3, 4}, [](auto, auto i, auto j) { return m(i, j); }));
    CHECK_THROWS_AS(evaluated(repeated, numbers<double, 1>({5})), dyad::shape_error);
}
TEST_CASE("broadcast_to stretches axes that have size 1 only at run time, and refuses what does not fit") {
    constexpr auto stretched = [](auto a) { return broadcast_to(a, 2, 3); };
    constexpr auto squares = [](auto a) { return sum(square(broadcast_to(a, 2, 3))); };
    const xt::xtensor<double, 2> row{{1, 2, 3}}, whole{{1, 2, 3}, {4, 5, 6}}, tall{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    CHECK(evaluated(stretched, row) == xt::xtensor<double, 2>{{1, 2, 3}, {1, 2, 3}});
    CHECK(evaluated(stretched, whole) == whole);
    CHECK(dyad::grad(squares)(row) == xt::xtensor<double, 2>{{4, 8, 12}});
    CHECK(dyad::grad(squares)(whole) == xt::xtensor<double, 2>(2 * whole));
    CHECK(dyad::grad(squares)(xt::xtensor<double, 1>{1}) == xt::xtensor<double, 1>{12});
    CHECK_THROWS_AS(evaluated(stretched, tall), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad(squares)(tall), dyad::shape_error);

    constexpr auto three_times = [](auto a) { return std::tuple{broadcast_to(a, 3, -1, -1), sum(broadcast_to(a, 3, -1, -1), 0)}; };
    const auto [copies, sums] = evaluated(three_times, whole);
    CHECK(copies == made<3>({3, 2, 3}, [&](auto, auto i, auto j) { return whole(i, j); }));
    CHECK(sums == matrix(3 * whole));
    CHECK(dyad::grad([](auto a) { return sum(square(broadcast_to(a, 3, -1, -1))); })(row) == matrix(6 * row));

    constexpr auto to_row = [](auto a) { return broadcast_to(a, 1, 3); };
    constexpr auto weighted_row = [](auto a, auto c) { return sum(c * broadcast_to(a, 1, 3)); };
    CHECK(evaluated(to_row, row) == row);
    CHECK(dyad::grad<0>(weighted_row)(row, matrix{{2, 4, 6}}) == matrix{{2, 4, 6}});
    CHECK_THROWS_AS(evaluated(to_row, whole), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>(weighted_row)(whole, row), dyad::shape_error);
}
TEST_CASE("slice takes ranges as Python does") {
    check_each([](auto a) {
        return std::tuple{slice(a, 0, 2), slice(a, 0, -3, -1), slice(a, 0, 1, 100, 2), slice(a, 0, 0, 7, 3), slice(a, 0, -100, 3), slice(a, 0, 5, 2)};
    }, v,
               made<1>({5}, [](auto i) { return v(i + 2); }),
               made<1>({2}, [](auto i) { return v(i + 4); }),
               made<1>({3}, [](auto i) { return v(2 * i + 1); }),
               made<1>({3}, [](auto i) { return v(3 * i); }),
               made<1>({3}, [](auto i) { return v(i); }),
               vector(std::array<std::size_t, 1>{0}));
    check_each([](auto a) { return std::tuple{slice(a, -1, 1, 3), slice(slice(a, 1, 1), 0, 1)}; }, x,
               made<3>({2, 3, 2}, [](auto i, auto j, auto k) { return x(i, j, k + 1); }),
               made<3>({1, 2, 4}, [](auto, auto j, auto k) { return x(1, j + 1, k); }));
    check([](auto a) { return slice(slice(a, 0, 1, 7, 2), 0, 1, 3); }, v, made<1>({2}, [](auto i) { return v(2 * i + 3); }));
}
TEST_CASE("flip turns axes around") {
    check_each([](auto a) { return std::tuple{flip(a), slice(flip(a), 0, 1, 7, 2)}; }, v,
               made<1>({7}, [](auto i) { return v(6 - i); }), made<1>({3}, [](auto i) { return v(5 - 2 * i); }));
    check_each([](auto a) { return std::tuple{flip(a, 0), flip(a, -1, 0)}; }, x,
               made<3>({2, 3, 4}, [](auto i, auto j, auto k) { return x(1 - i, j, k); }),
               made<3>({2, 3, 4}, [](auto i, auto j, auto k) { return x(1 - i, j, 3 - k); }));
    check([](auto a) { return flip(transpose(flip(a)), 0); }, m, made<2>({4, 3}, [](auto i, auto j) { return m(2 - j, i); }));
}
TEST_CASE("concatenate, stack and tile put arrays together") {
    check([](auto a, auto b) { return concatenate(a, b, 1); }, x,
          made<3>({2, 8, 4}, [](auto i, auto j, auto k) { return j < 3 ? x(i, j, k) : y(i, j - 3, k); }), y);
    check([](auto a, auto b) { return concatenate(std::tuple{b, a, 2 * b}, -2); }, x,
          made<3>({2, 13, 4}, [](auto i, auto j, auto k) { return j < 5 ? y(i, j, k) : j < 8 ? x(i, j - 5, k) : 2 * y(i, j - 8, k); }), y);
    check_each([](auto a) { return std::tuple{concatenate(std::array{a, a, a}), stack(std::tuple{a, 3 * a})}; }, v,
               made<1>({21}, [](auto i) { return v(i % 7); }),
               made<2>({2, 7}, [](auto i, auto j) { return i == 0 ? v(j) : 3 * v(j); }));
    check([](auto a) { return stack(std::tuple{a, flip(a), a}, -1); }, v,
          made<2>({7, 3}, [](auto i, auto j) { return j == 1 ? v(6 - i) : v(i); }));
    check([](auto a) { return tile(a, 3, 1); }, m, made<2>({3, 12}, [](auto i, auto j) { return m(i, j % 4); }));
    check_each([](auto a) { return std::tuple{tile(a, 2, -1), tile(a, 2, -2)}; }, m,
               made<2>({3, 8}, [](auto i, auto j) { return m(i, j % 4); }),
               made<2>({6, 4}, [](auto i, auto j) { return m(i % 3, j); }));
    CHECK_THROWS_AS(evaluated([](auto a, auto b) { return concatenate(a, b, 0); }, x, y), dyad::shape_error);
}
TEST_CASE("arrays of different types of element are put together in the widest") {
    const xt::xtensor<float, 1> narrow{0.5F, 2};
    const xt::xtensor<int, 1> whole{3, 4};
    const vector wide{5, 6};
    const auto joined = dyad::evaluate([](auto a, auto b, auto c) { return concatenate(std::tuple{a, b, c}, 0); }, narrow, wide, whole);
    static_assert(std::is_same_v<std::remove_const_t<decltype(joined)>, vector>);
    CHECK(joined == vector{0.5, 2, 5, 6, 3, 4});
    CHECK(dyad::evaluate([](auto b, auto c) { return concatenate(b, c, 0); }, whole, narrow) == xt::xtensor<float, 1>{3, 4, 0.5F, 2});
    const auto [of_narrow, of_wide] = dyad::grad<0, 1>([](auto a, auto b) { return sum(square(stack(std::tuple{b, a}, 0))); })(narrow, wide);
    CHECK(of_narrow == xt::xtensor<float, 1>{1, 4});
    CHECK(of_wide == vector{10, 12});
}
TEST_CASE("split and pad cut and surround") {
    check_each([](auto a) { return std::tuple{std::get<1>(split(a, 0, 2, 5)), pad(a, 0, 2, 1)}; }, v,
               made<1>({3}, [](auto i) { return v(i + 2); }),
               made<1>({10}, [](auto i) { return i < 2 || i > 8 ? 0.0 : v(i - 2); }));
    check([](auto a) {
        const auto part = split(a, 1, 1, 3);
        return concatenate(std::tuple{part[2], part[0], part[1]}, 1);
    }, m, made<2>({3, 4}, [](auto i, auto j) { return m(i, j == 0 ? 3 : j - 1); }));
    check([](auto a) { return pad(a, 0, 1, 1); }, m, made<2>({5, 4}, [](auto i, auto j) { return i == 0 || i == 4 ? 0.0 : m(i - 1, j); }));
    check([](auto a) { return pad(pad(a, 1, 0, 2), -2, 1, 0); }, m,
          made<2>({4, 6}, [](auto i, auto j) { return i == 0 || j > 3 ? 0.0 : m(i - 1, j); }));
    check_each([](auto a) { return split(a, -1, 1, 3); }, m,
               matrix(xt::view(m, xt::all(), xt::range(0, 1))), matrix(xt::view(m, xt::all(), xt::range(1, 3))), matrix(xt::view(m, xt::all(), xt::range(3, 4))));
}
TEST_CASE("second derivatives pass through what moves elements") {
    CHECK(bend_off([](auto a) { return transpose(a) * exp(transpose(a)); }, m) < 1e-7);
    CHECK(bend_off([](auto a) { return slice(a, 0, 1) * slice(a, 0, 0, -1) + slice(flip(a), 0, 1); }, v) < 1e-7);
    CHECK(bend_off([](auto a) { return concatenate(a * a, pad(exp(a), 0, 1, 2), 0); }, v) < 1e-7);
    CHECK(bend_off([](auto a) { return reshape(a * a, 2, -1) * reshape(transpose(a), 2, 6); }, m) < 1e-7);
    CHECK(bend_off([](auto a) { return broadcast_to(a * a, 2, 3, 4) * stack(std::tuple{a, exp(a)}); }, m) < 1e-7);
}
TEST_CASE("what stretches inside is summed by its gradient: rows joined with others, or added to places") {
    const matrix table{{1, 2, 3}, {4, 5, 6}};
    CHECK(dyad::grad<0>([](auto a, auto b) { return sum(concatenate(expand_dims(a, 1), b)); })(vector{1, 2}, table) == vector{3, 3});
    CHECK(dyad::grad<1>([](auto a, auto b) { return sum(concatenate(a, expand_dims(b, 1)) * 2); })(table, vector{1, 2}) == vector{6, 6});
    CHECK(dyad::grad<2>([](auto a, auto at, auto b) { return sum(scatter_add(a, at, expand_dims(b, 1)) * a); })(table, xt::xtensor<int, 1>{1}, vector{2}) == vector{15});
}
TEST_CASE("what has size 1 only at run time and is laid out for that does not stretch: it is refused") {
    const vector three{1, 2, 3}, tens{10, 20, 30}, one{5}, nothing(std::array<std::size_t, 1>{0});
    constexpr auto cut = [](auto a, auto b) { return sum(slice(a, 0, 2) * b); };
    CHECK_THROWS_AS(dyad::evaluate(cut, three, tens), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>(cut)(three, tens), dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto a, auto b) { return slice(a, 0, 2) + b; }, three, tens), dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto a, auto c, auto b) { return sum(concatenate(a, c) * b); }, one, nothing, tens), dyad::shape_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto a, auto b) { return sum(a - b) / a.size(); }, one, tens), dyad::shape_error);
    std::string text;
    try {
        static_cast<void>(dyad::evaluate([](auto a, auto b) { return sum(a) * sum(a * b); }, one, tens));
    } catch (const dyad::shape_error& e) {
        text = e.what();
    }
    CHECK(text.rfind("[dyad] sum: Incompatible shapes: [1] vs. [3]: an axis that has size 1 only at run time", 0) == 0);
    vector slope;
    dyad::evaluate_into(slope, dyad::grad<0>([](auto a, auto b) { return sum(a * b * a); }), one, tens);
    CHECK(slope == vector{600});
}
TEST_CASE("gradients that need no value refuse what does not fit, in part or put together") {
    constexpr auto cut = [](auto a, auto b) { return sum(slice(a, 0, 1) + b); };
    constexpr auto twice = [](auto a, auto b) { return sum(slice(slice(a, 0, 1), 0, 0, -1) - slice(b, 0, 1)); };
    constexpr auto joined = [](auto a, auto b, auto c) { return sum(concatenate(a, b) + c); };
    for (const std::size_t n : {3U, 3000U}) {
        CAPTURE(n);
        const vector a = numbers<double, 1>({n}), shorter = numbers<double, 1>({n - 1}), twice_as_long = numbers<double, 1>({2 * n});
        CHECK_THROWS_AS(dyad::grad<0>(cut)(a, a), dyad::shape_error);
        CHECK_THROWS_AS(dyad::grad<1>(cut)(a, a), dyad::shape_error);
        CHECK(xt::sum(dyad::grad<0>(cut)(a, shorter))() == static_cast<double>(n - 1));
        CHECK_THROWS_AS(dyad::grad<0>(twice)(a, a), dyad::shape_error);
        CHECK(xt::sum(dyad::grad<1>(twice)(a, shorter))() == -static_cast<double>(n - 2));
        CHECK_THROWS_AS(dyad::grad<2>(joined)(a, a, a), dyad::shape_error);
        CHECK_THROWS_AS(dyad::grad<0>(joined)(a, a, shorter), dyad::shape_error);
        CHECK(xt::sum(dyad::grad<2>(joined)(a, a, twice_as_long))() == static_cast<double>(2 * n));
    }
    CHECK(dyad::grad<0>(cut)(vector{1}, vector(std::array<std::size_t, 1>{0})) == vector{0});
    constexpr auto fixed_part = [](auto a, auto b, auto c) { return sum(slice(a, 0, 0, 2) + slice(b, 0, 1) + slice(c, 0, 1)); }; // of two that differ, neither a
    CHECK_THROWS_AS(dyad::grad<0>(fixed_part)(vector{1, 2, 3, 4}, vector{1, 2, 3, 4}, vector{1, 2, 3}), dyad::shape_error);
}
TEST_CASE("what stretches stands beside a branch, whose shape only its body knows") {
    constexpr auto f = [](auto a, auto b) {
        const auto r = dyad::cond(sum(a) > 0, [](auto q) { return sin(q); }, [](auto q) { return q; }, a);
        return sum(r * a) + sum(slice(a, 0, 1) * b) + sum(sin(r));
    };
    CHECK(gradients_off(f, vector(v * v), vector{2}) < 1e-8);
}
TEST_CASE("arrays side by side do not stretch") {
    const matrix wide{{1, 2, 3}, {4, 5, 6}}, column{{7}, {8}};
    const auto joined = [](auto a, auto b) { return dyad::concatenate(std::tuple{a, b}, 0); };
    const char* const text = "[dyad] concatenate: Incompatible shapes: [2,3] vs. [2,1]";
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate(joined, wide, column)), text, dyad::shape_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::concatenate(std::tuple{wide, column}, 0)), text, dyad::shape_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::stack(std::tuple{vector{1, 2, 3}, vector{7}}, 0)), "[dyad] stack: Incompatible shapes: [3] vs. [1]", dyad::shape_error);
    const auto stacked = [](auto a, auto b) { return dyad::stack(std::tuple{a, b}, 1); };
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate(stacked, wide, column)), "[dyad] stack: Incompatible shapes: [2,3] vs. [2,1]", dyad::shape_error);
    dyad::var<"w", dyad::tensor<double, 2>> w{wide};
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::concatenate(std::tuple{w, dyad::view(column)}, 0).value()), text, dyad::shape_error);
    CHECK(dyad::concatenate(std::tuple{wide, column}, 1).shape(1) == 4);
}

TEST_CASE("axes may be constants beside tuples of traced arrays") {
    using namespace dyad::literals;
    const vector p{1, 2}, q{3, 4};
    constexpr auto both = [](auto a, auto b) { return std::tuple{stack(std::tuple{a, b}, 1_c), concatenate(std::array{a, b}, 0_c)}; };
    CHECK(dyad::evaluate(both, p, q) == std::tuple{matrix{{1, 3}, {2, 4}}, vector{1, 2, 3, 4}});
}
TEST_CASE("what has another size than broadcast_to and squeeze need is named by them") {
    const matrix wide{{1, 2, 3}, {4, 5, 6}};
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate([](auto u) { return broadcast_to(u, 4, 2, 2); }, wide)), "[dyad] broadcast_to: Incompatible shapes: [2,3] vs. [4,2,2]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate([](auto u) { return broadcast_to(2 * u, 1, 3); }, wide)), "[dyad] broadcast_to: axis 0 of [2,3] has size 2, not 1", dyad::shape_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate([](auto u) { return squeeze(u, 1); }, wide)), "[dyad] squeeze: axis 1 of [2,3] has size 3, not 1", dyad::shape_error);
    dyad::var<"w", matrix> w{wide};
    CHECK_THROWS_WITH_AS(static_cast<void>(broadcast_to(w, 4, 2, 2).value()), "[dyad] broadcast_to: Incompatible shapes: [2,3] vs. [4,2,2]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(squeeze(w, 1).value()), "[dyad] squeeze: axis 1 of [2,3] has size 3, not 1", dyad::shape_error);
}
TEST_CASE("a size that is asked for is that of its own axis alone: others may stretch") {
    const matrix column{{1}, {2}, {3}};
    const vector row{10, 20};
    constexpr auto f = [](auto a, auto b) { return sum(a * b + exp(b / 20)); }; // the second term once a row
    const auto [slope_a, slope_b] = dyad::grad(f)(column, row);
    CHECK(slope_a == matrix{{30}, {30}, {30}});
    CHECK(slope_b(0) == doctest::Approx(6 + 3 * std::exp(0.5) / 20));
    CHECK(slope_b(1) == doctest::Approx(6 + 3 * std::exp(1.0) / 20));
}
TEST_CASE("what stretches in one place and counts as it is in another is refused, by gradients that need no such number too") {
    const matrix column{{1}, {2}, {3}};
    const vector row{10, 20};
    constexpr auto both = [](auto a, auto b) { return sum(a * a) + sum(a * b); };
    CHECK_THROWS_AS(dyad::grad<0>(both)(column, row), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad(both)(column, row), dyad::shape_error);
    CHECK(dyad::grad<0>([](auto a, auto b) { return sum(broadcast_like(a, a * b) * a * b); })(column, row) == matrix{{60}, {120}, {180}});
    CHECK_THROWS_AS(dyad::evaluate([](auto a, auto b) { return std::tuple{exp(a), a * b}; }, column, row), dyad::shape_error);
    CHECK_THROWS_AS(dyad::grad<0>([](auto a, auto b) { return mean(a) * sum(a * b); })(column, row), dyad::shape_error);
}
TEST_CASE("slopes count every element that an array of size 1 stretches to, also where they are equal") {
    const matrix column{{1}, {2}, {3}};
    const vector row{10, 20};
    CHECK(dyad::grad<0>([](auto a, auto b) { return sum(a + b); })(column, row) == matrix{{2}, {2}, {2}});
    CHECK(dyad::grad<1>([](auto a, auto b) { return sum(a - b); })(column, row) == vector{-3, -3});
    const auto [value, slopes] = dyad::value_and_grad([](auto a, auto b) { return sum(a * a + b) + 2 * dyad::prod(0.1 * b); })(column, row);
    CHECK(value == 2 * 14 + 3 * 30 + 2 * 2);
    CHECK(std::get<0>(slopes) == matrix{{4}, {8}, {12}});
    CHECK(std::get<1>(slopes)(0) == doctest::Approx(3 + 0.2 * 2));
    const auto nested = [](auto a, auto b) { return sum(square(sum(sin(a) + b, 0))); };
    const auto full = [](auto a, auto b) { return sum(square(sum(sin(broadcast_like(a, a * b)) + b, 0))); };
    // Two sums of three rows: what they are, and what their squares have for slopes.
    const double columns = 2 * (std::sin(1) + std::sin(2) + std::sin(3)) + 3 * (10 + 20);
    const matrix slope = made<2>({3, 1}, [&](auto i, auto) { return 2 * columns * std::cos(column(i, 0)); });
    const xt::xtensor<double, 4> bend = made<4>({3, 1, 3, 1}, [&](auto i, auto, auto k, auto) {
        return 4 * std::cos(column(i, 0)) * std::cos(column(k, 0)) - (i == k ? 2 * columns * std::sin(column(i, 0)) : 0);
    });
    CHECK(apart(dyad::grad<0>(nested)(column, row), slope) < 1e-13);
    CHECK(apart(dyad::hessian<0>(nested)(column, row), bend) < 1e-12);
    CHECK(apart(dyad::hessian<0>(full)(column, row), bend) < 1e-12);
    const auto [result, pullback] = dyad::vjp([](auto a, auto b) { return a + b; })(column, row);
    CHECK(std::get<0>(pullback(matrix{{1, 2}, {3, 4}, {5, 6}})) == matrix{{3}, {7}, {11}});
    CHECK(dyad::jvp([](auto a, auto b) { return sum(a + b); })(std::tuple{column, row}, std::tuple{column, row}).second == 2 * 6 + 3 * 30);
}
TEST_CASE("axes of size 1 that an operand lacks are not in its gradient") {
    const vector a{2, 1, 3};
    const auto [value, slopes] = dyad::value_and_grad([](auto w, auto s) { return sum(broadcast_to(s * s + 2, 1) * w); })(a, 1.5);
    CHECK(value == 4.25 * 6);
    CHECK(std::get<0>(slopes) == vector{4.25, 4.25, 4.25});
    CHECK(std::get<1>(slopes) == 18);
    const auto [by_row, by_table] = dyad::grad([](auto u, auto w) { return sum(u * expand_dims(u * u, 0) * 2) + sum(expand_dims(w, 0) + w); })(a, matrix{{1, 2}});
    CHECK(by_row == vector{24, 6, 54});
    CHECK(by_table == matrix{{2, 2}});
    CHECK(dyad::grad<1>([](auto w, auto s) { return sum(broadcast_to(s * s, 1, 1) * w); })(a, 3.0) == 36);
}
TEST_CASE("broadcast_like stretches axes that have size 1 only at run time, and refuses what does not fit") {
    const vector one{2}, three{1, 2, 3};
    constexpr auto stretched = [](auto a, auto b) { return broadcast_like(a, b); };
    CHECK(dyad::evaluate(stretched, one, three) == vector{2, 2, 2});
    CHECK(dyad::broadcast_like(one, three) == vector{2, 2, 2});
    constexpr auto squares = dyad::value_and_grad<0>([](auto a, auto b) { return sum(square(broadcast_like(a, b))); });
    CHECK(squares(one, three) == std::pair{12.0, vector{12}});
    CHECK(squares(three, three) == std::pair{14.0, vector{2, 4, 6}});
    constexpr auto total = dyad::grad<0>([](auto a, auto b) { return sum(broadcast_like(a, b)); }); // which needs neither's elements
    CHECK(total(one, three) == vector{3});
    CHECK_THROWS_AS(dyad::evaluate(stretched, vector{1, 2}, three), dyad::shape_error);
    CHECK_THROWS_AS(total(vector{1, 2}, three), dyad::shape_error);
}
TEST_CASE("tile of many, stacks of numbers, slices of positions that no attribute holds") {
    constexpr auto many = [](auto a) { return std::tuple{tile(a, 5), stack(std::tuple{a[0], 1.0})}; };
    CHECK(dyad::evaluate(many, vector{3, 2}) == std::tuple{vector{3, 2, 3, 2, 3, 2, 3, 2, 3, 2}, vector{3, 1}});
    CHECK(dyad::tile(vector{1}, 100000) == dyad::ones(100000));
    constexpr auto either = [](auto a, auto c) { return c * sum(square(tile(a, 7))) + (1 - c) * sum(square(stack(std::tuple{3.0, a[1]}))); };
    CHECK(dyad::grad<0>(either)(vector{1, 2}, 1.0) == vector{14, 28});
    CHECK(dyad::grad<0>(either)(vector{1, 2}, 0.0) == vector{0, 4});
    CHECK_THROWS_AS(static_cast<void>(dyad::slice(vector{1, 2, 3}, 0, 4294967296L)), dyad::index_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::slice(vector{1, 2, 3}, 0, 0, 8388607)), dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::arange(0.0, std::numeric_limits<double>::infinity())), dyad::value_error);
}
namespace {
/// What a loop of the function makes, as many as it makes; a number among them too.
constexpr auto pushed = [](auto values) {
    std::vector<decltype(values[0])> row;
    for (int k = 0; k < 3; ++k) row.push_back(values[k] * values[k]);
    row.push_back(4.0);
    const auto s = stack(row);
    return sum(s * s) + sum(concatenate(std::vector{values, s}, 0));
};
} // namespace
TEST_CASE("a row that a loop has pushed into a std::vector is stacked") {
    const xt::xtensor<double, 1> given{1, -2, 3};
    const auto [value, slopes] = dyad::value_and_grad(pushed)(given);
    CHECK(value == 1 + 16 + 81 + 16 + 2 + 1 + 4 + 9 + 4);
    CHECK(slopes == xt::xtensor<double, 1>{4 + 2 + 1, -32 - 4 + 1, 108 + 6 + 1});
}
