// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What the rounds of loops over arrays hand on: elements of fewer axes than what they meet, captured arrays as they are,
// the state of the round before; and branches whose shapes come from their arguments.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <array>
#include <complex>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

const vector x{0.4, -0.7, 1.2}, y{1, 10, -2};
const matrix square_one = numbers<double, 2>({3, 3}, 2), wide = numbers<double, 2>({3, 4}, 3);

/// The value, after its gradients by both arguments were compared with differences.
template <class F, class X, class Y>
double checked(F f, const X& at, const Y& beside) {
    const auto both = dyad::value_and_grad(f);
    const auto [value, slopes] = both(at, beside);
    CHECK(apart(std::get<0>(slopes), gradient([&](const X& a) { return both(a, beside).first; }, at)) < 1e-8);
    CHECK(apart(std::get<1>(slopes), gradient([&](const Y& b) { return both(at, b).first; }, beside)) < 1e-8);
    return value;
}

/// sin(c (c·s) + e c)
template <class T, class E>
std::array<T, 3> bent_round(const std::array<T, 3>& c, const std::array<T, 3>& s, E e) {
    const T factor = c[0] * s[0] + c[1] * s[1] + c[2] * s[2] + e;
    return {std::sin(c[0] * factor), std::sin(c[1] * factor), std::sin(c[2] * factor)};
}
/// The second derivative at x of a plain function of three numbers, along a direction: differences of its slope along that, which is an
/// imaginary part.
template <class Plain>
vector bend_of(const Plain& plain, const vector& along) {
    const auto slope = [&](const vector& at) {
        std::array<std::complex<double>, 3> c;
        for (std::size_t i = 0; i < 3; ++i) c[i] = {at(i), 1e-20 * along(i)};
        return 1e20 * plain(c).imag();
    };
    return gradient(slope, x);
}

} // namespace

TEST_CASE("the elements of a vector meet rows, not columns") {
    for (const matrix& table : {square_one, wide}) {
        const auto scaled = [](auto a, auto t) { return sum(square(dyad::vmap([](auto row, auto c) { return c * row; })(t, a))); };
        double total = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < table.shape()[1]; ++j) total += y(i) * y(i) * table(i, j) * table(i, j);
        }
        CHECK(checked(scaled, y, table) == doctest::Approx(total));
    }
    const auto captured = [](auto a, auto w) { return sum(square(dyad::map([&](auto c) { return c * w; }, a)) * 0.1); };
    CHECK(checked(captured, y, x) == doctest::Approx(0.1 * inner(x, x) * inner(y, y)));
    const auto of_sums = [](auto t, auto a) {
        return dyad::scan([](auto s, auto xs) { return std::pair{s + sum(exp(0.1 * xs.second * xs.first)), s}; }, 0.0, std::pair{t, a}).first;
    };
    CHECK(gradient_off(of_sums, wide, x) < 1e-8);
    const auto of_gradients = [](auto w, auto t) { return sum(square(dyad::vmap(dyad::grad<0>([](auto row, auto c) { return sum(cos(row)) * c; }))(t, w))); };
    CHECK(gradient_off(of_gradients, x, wide) < 1e-8);
}
TEST_CASE("second derivatives by what a loop captures") {
    // s1 = exp(ab + 0.1c), s2 = exp(a s1 + 0.1c)
    const auto one = [](auto c, auto a, auto b) {
        return sum(dyad::fori_loop(2, [&](auto, auto s) { return exp(dyad::matmul(a, s) + 0.1 * c); }, b));
    };
    CHECK(dyad::hessian<0>(one)(vector{.2}, matrix{{.7}}, vector{.4})(0, 0) == doctest::Approx(0.1240756676).epsilon(1e-9));
    const vector along{1, 0.3, -0.5};
    const auto three = [](auto c) { return sum(dyad::fori_loop(3, [&](auto, auto s) { return sin(dyad::matmul(dyad::outer(c, c), s) + 0.1 * c); }, c)); };
    CHECK(apart(dyad::hvp(three)(x, along), bend_of([](auto c) {
        auto s = c;
        for (int k = 0; k < 3; ++k) s = bent_round(c, s, 0.1);
        return s[0] + s[1] + s[2];
    }, along)) < 1e-7);
    const auto scanned = [](auto c) {
        return sum(dyad::scan([&](auto s, auto e) { return std::pair{sin(dyad::matmul(dyad::outer(c, c), s) + e * c), s * e}; }, c, c).second);
    };
    CHECK(apart(dyad::hvp(scanned)(x, along), bend_of([](auto c) {
        auto s = c;
        auto total = 0.0 * c[0];
        for (const auto e : c) {
            total += e * (s[0] + s[1] + s[2]);
            s = bent_round(c, s, e);
        }
        return total;
    }, along)) < 1e-7);
}
TEST_CASE("a body may give a captured array") {
    const auto given = [](auto a, auto b) {
        const auto same = [&](auto, auto) { return b; };
        return std::tuple{dyad::fori_loop(3, same, a), dyad::fori_loop(0, same, a), dyad::fori_loop(2, [&](auto, auto) { return 2 * b; }, a)};
    };
    CHECK(dyad::evaluate(given, x, y) == std::tuple{y, x, vector(2 * y)});
    const auto both = [](auto a, auto b) {
        const auto [kept, moved] = dyad::fori_loop(2, [&](auto, auto s) { return std::tuple{b, 2 * std::get<1>(s) + std::get<0>(s)}; }, std::tuple{a, a});
        return sum(kept * moved);
    };
    CHECK(gradient_off(both, x, y) < 1e-8);
    const auto stacked = [](auto a, auto t) { return sum(square(dyad::map([&](auto) { return a; }, t)) * t); };
    CHECK(gradient_off(stacked, x, square_one) < 1e-8);
    const auto counted = [](auto a, auto b) {
        const auto [kept, n] = dyad::while_loop([](auto s) { return std::get<1>(s) < 3; }, [&](auto s) { return std::tuple{b, std::get<1>(s) + 1}; }, std::tuple{a, 0.0});
        return sum(kept * kept) + n;
    };
    const auto [value, slopes] = dyad::value_and_grad(counted)(x, y);
    CHECK(value == doctest::Approx(inner(y, y) + 3));
    CHECK(slopes == std::tuple{vector{0, 0, 0}, vector(2 * y)});
}
TEST_CASE("a state that is the element of the round before") {
    const auto delayed = [](auto a, auto t) { return sum(dyad::scan([](auto s, auto e) { return std::pair{e, s}; }, a, t).second); };
    CHECK(dyad::grad(delayed)(x, square_one) == std::tuple{vector{1, 1, 1}, matrix{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}}});
    const auto slopes = [](auto a, auto t) { return sum(dyad::scan([](auto s, auto e) { return std::pair{e, 2 * s * s * e}; }, a, t).second); };
    double expected = 0;
    for (std::size_t j = 0; j < 3; ++j) {
        double before = x(j);
        for (std::size_t i = 0; i < 3; before = square_one(i, j), ++i) expected += 2 * before * before * square_one(i, j);
    }
    CHECK(checked(slopes, x, square_one) == doctest::Approx(expected));
}
TEST_CASE("a body that changes a shape is refused, with a hint where something stretches") {
    const auto grown = [](auto a, auto b) { return sum(dyad::fori_loop(2, [&](auto, auto s) { return s + a * s; }, b)); };
    CHECK(dyad::evaluate(grown, vector{1}, vector{1, 2, 3}) == 24);
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::grad<0>(grown)(vector{1}, vector{1, 2, 3})), // (the cotangent of a goes round)
                         "[dyad] loop: the body changes a shape: Incompatible shapes: [1] vs. [3]; what has size 1 and stretches in the body, stretch before the loop, with broadcast_like",
                         dyad::shape_error);
    const auto cut = [](auto a, auto n) { return sum(dyad::fori_loop(n, [&](auto, auto s) { return slice(s, 0, 1, 3); }, a)); };
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate(cut, vector{1, 2, 3}, 2)), "[dyad] loop: the body changes a shape: Incompatible shapes: [3] vs. [2]", dyad::shape_error);
}
TEST_CASE("a gradient refuses what does not fit in a body, needed or not") {
    const vector three{1, 2, 3}, four{1, 2, 3, 4};
    const auto added = [](auto a, auto b) { return sum(dyad::fori_loop(2, [&](auto, auto s) { return s + b; }, a)); };
    CHECK(dyad::grad<0>(added)(three, vector{1}) == vector{1, 1, 1});
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::grad<0>(added)(three, four)), "[dyad] add: Incompatible shapes: [4] vs. [3]", dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::jvp(added)(std::tuple{three, four}, std::tuple{three, four})), dyad::shape_error);
    const auto mapped = [](auto m, auto b) { return sum(dyad::map([&](auto r) { return sum(r + b); }, m)); };
    CHECK(dyad::grad<0>(mapped)(square_one, three) == matrix{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::grad<0>(mapped)(square_one, four)), "[dyad] add: Incompatible shapes: [3,3] vs. [4]", dyad::shape_error);
    const auto nested = [](auto a, auto b) {
        return sum(get<1>(dyad::while_loop([](auto s) { return get<0>(s) < 2; }, [&](auto s) {
            return std::tuple{get<0>(s) + 1, dyad::fori_loop(1, [&](auto, auto t) { return t - slice(b, 0, 1); }, get<1>(s))};
        }, std::tuple{0.0, a})));
    };
    CHECK(dyad::grad<0>(nested)(three, four) == vector{1, 1, 1});
    CHECK_THROWS_AS(static_cast<void>(dyad::grad<0>(nested)(three, three)), dyad::shape_error);
    // A branch that is not taken is not asked.
    const auto guarded = [](auto a, auto b) { return dyad::cond(a.shape(0) == b.shape(0), [&] { return sum(a + b); }, [&] { return sum(a); }); };
    CHECK(dyad::value_and_grad<0>(guarded)(three, four) == std::pair{6.0, vector{1, 1, 1}});
}
TEST_CASE("both functions of a branch give one shape") {
    const auto chosen = [](auto a, auto b) { return dyad::cond(sum(a) > 5, [](auto u, auto) { return 2 * u; }, [](auto, auto w) { return 3 * w; }, a, b); };
    CHECK(dyad::evaluate(chosen, y, x) == vector(2 * y));
    CHECK(dyad::evaluate(chosen, x, y) == vector(3 * y));
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate(chosen, x, vector{1, 2})),
                         "[dyad] cond: the two functions give results of different shapes: [3] vs. [2]", dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::evaluate(chosen, vector{1, 2}, y)), dyad::shape_error); // which would read beyond
}
TEST_CASE("Jacobians and Hessians through branches") {
    const auto chosen = [](auto a) { return dyad::cond(sum(a) > 0, [](auto u) { return u * u * sum(u); }, [](auto u) { return 2 * u; }, a); };
    const matrix j = dyad::jacobian(chosen)(x), k = dyad::jacobian(chosen)(vector{-1, -2, -3});
    for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) {
            CHECK(j(r, c) == doctest::Approx((r == c ? 2 * x(r) * 0.9 : 0) + x(r) * x(r)));
            CHECK(k(r, c) == (r == c ? 2 : 0));
        }
    }
    const auto number = [](auto a) { return dyad::cond(sum(a) > 0, [](auto u) { return sum(u * u * u); }, [](auto u) { return sum(u); }, a); };
    CHECK(apart(dyad::hessian<0>(number)(x), matrix{{2.4, 0, 0}, {0, -4.2, 0}, {0, 0, 7.2}}) < 1e-14);
}

TEST_CASE("what is the same in every round keeps its derivative in the regions inside") {
    const auto nested = [](auto u, auto v) { // v sin(u)^2
        return dyad::sum(dyad::fori_loop(2, [&](auto, auto t) {
            auto w = dyad::fori_loop(2, [&](auto, auto) { return std::tuple{dyad::sin(u), t}; }, std::tuple{v, v});
            return std::get<0>(w) * std::get<1>(w);
        }, v));
    };
    const auto branch = [](auto u, auto v) { // the same, by way of a branch
        return dyad::sum(dyad::fori_loop(2, [&](auto, auto s) {
            return dyad::cond(dyad::sum(v) > 0, [](auto a, auto b) { return a * b; }, [](auto a, auto b) { return a + b; }, dyad::sin(u), s);
        }, v));
    };
    const xt::xtensor<double, 1> at{-1.1, 0.3}, by{0.45, 0.8};
    for (const auto& slope : {dyad::grad<0>(nested)(at, by), dyad::grad<0>(branch)(at, by)}) {
        for (std::size_t i = 0; i < 2; ++i) CHECK(slope(i) == doctest::Approx(2 * by(i) * std::sin(at(i)) * std::cos(at(i))));
    }
}
