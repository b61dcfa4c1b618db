// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Loops that read rows of arrays which do not go through them element by element: their cotangents are added up once, behind the loop.
// The oracles are differences of values and, once for each kind of reading, forward mode, which knows nothing of that.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <dyad/array.hpp>

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using doctest::Approx;

/// Checks the gradient by every argument against differences along every element and, where asked, against tangents.
template <bool Tangents = false, class F, class... S>
void check_gradient(F f, const S&... s) {
    const auto both = dyad::value_and_grad(f);
    const auto gradient = both(s...).second;
    const auto along = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        std::tuple<S...> at(s...), direction(s...);
        std::apply([](auto&... d) { (..., (d *= 0)); }, direction);
        auto& own = std::get<K>(at);
        for (std::size_t i = 0; i < own.size(); ++i) {
            const double slope = std::get<K>(gradient).flat(i), here = own.flat(i), h = 1e-5;
            const auto value = [&](double x) {
                own.flat(i) = x;
                return std::apply(both, at).first;
            };
            CHECK(slope == Approx((value(here + h) - value(here - h)) / (2 * h)).epsilon(1e-7));
            own.flat(i) = here;
            if constexpr (Tangents) {
                std::get<K>(direction).flat(i) = 1;
                CHECK(slope == Approx(dyad::jvp(f)(at, direction).second));
                std::get<K>(direction).flat(i) = 0;
            }
        }
    };
    [&]<std::size_t... K>(std::index_sequence<K...>) { (along(std::integral_constant<std::size_t, K>{}), ...); }(std::index_sequence_for<S...>{});
}
template <class F, class... S>
void check_both_modes(F f, const S&... s) {
    check_gradient<true>(f, s...);
}

const vector xs{0.3, -0.4, 0.9, 0.2, -0.7}, ys{1.1, 0.6, -0.8, 0.5, 0.4}, one{0.7};
const matrix table{{0.5, -0.2, 0.3}, {0.1, 0.8, -0.6}, {0.9, 0.4, 0.7}, {-0.3, 0.2, 0.6}, {0.4, -0.5, 0.1}};

constexpr auto series = [](auto x, auto y, auto c) {
    return dyad::fori_loop(x.size(), [&](auto i, auto s) { return c[0] * s + sin(x[i] * s) * y[i]; }, c[0]);
};

} // namespace

TEST_CASE("two series: a cotangent costs a round what the round reads") {
    check_gradient(series, xs, ys, one);
    // No array goes round the adjoint loop, nor does a matrix that has as many rows as there are rounds; of others the rows are not kept.
    constexpr auto carries = []<class... S>(auto f, std::type_identity<S>...) {
        const dyad::graph_view g = dyad::graph_of<S...>(dyad::grad(f));
        std::size_t arrays = 0;
        for (std::size_t i = 0; i < g.size; ++i) arrays += g[i].is(dyad::opcode::carry) && g[i].rank != 0 ? 1 : 0;
        return arrays;
    };
    constexpr auto of_rows = [](auto x, auto m, auto c) { return dyad::fori_loop(m.shape(0), [&](auto i, auto s) { return c[0] * s + sum(m[m.shape(0) - 1 - i] * x); }, c[0]); };
    constexpr auto counted = [](auto x, auto m, auto n) { return dyad::fori_loop(n, [&](auto i, auto s) { return s + sum(m[999 - i] * x); }, x[0]); };
    static_assert(carries(series, std::type_identity<vector>{}, std::type_identity<vector>{}, std::type_identity<vector>{}) == 0);
    static_assert(carries(of_rows, std::type_identity<vector>{}, std::type_identity<matrix>{}, std::type_identity<vector>{}) == 1); // x
    static_assert(carries([=](auto x, auto m) { return counted(x, m, 1000); }, std::type_identity<vector>{}, std::type_identity<matrix>{}) == 2);
}
TEST_CASE("rows backwards, at traced and at negative positions, several times, and beside the whole array") {
    check_gradient([](auto x, auto y, auto c) {
        return 2 * dyad::fori_loop(x.size(), [&](auto i, auto s) { return c[0] * s + y[x.size() - 1 - i] * y[i] * x[i] + y[-1] * s; }, c[0]);
    }, xs, ys, one);
    check_both_modes([](auto x, auto y, auto c) {
        return dyad::fori_loop(x.size(), [&](auto i, auto s) { return c[0] * s + y[-1 - i] * sum(y * x) + sum(y) * x[i] * s; }, c[0]);
    }, xs, ys, one);
    check_both_modes([](auto x, auto y, auto c) {
        const auto turned = flip(y, 0);
        return dyad::fori_loop(7, [&](auto i, auto s) { return c[0] * s + turned[where(s > 0.5, 1, 3)] * cos(x[where(i > 3, 4, i)] * s); }, c[0]);
    }, xs, ys, one);
}
TEST_CASE("rows of matrices, of which a part or a number alone counts") {
    check_both_modes([](auto x, auto m, auto c) {
        return dyad::fori_loop(x.size(), [&](auto i, auto s) { return c[0] * s + sum(m[i] * m[x.size() - 1 - i]) * x[i] + tanh(m[i][1] * s); }, c[0]);
    }, xs, table, one);
    check_gradient([](auto x, auto m, auto c) {
        const auto last = dyad::fori_loop(x.size(), [&](auto i, auto s) { return tanh(c[0] * s + m[i] * x[i]); }, 0 * m[0]);
        return sum(square(last)) + sum(transpose(m)[2]);
    }, xs, table, one);
    check_gradient([](auto x, auto m, auto c) { // the cotangent of a row is one number
        const auto turned = transpose(m);
        return dyad::fori_loop(3, [&](auto i, auto s) { return c[0] * s + sum(turned[i]) * x[i]; }, c[0]);
    }, xs, table, one);
}
TEST_CASE("loops in loops, loops of no rounds, and rounds that data decide") {
    check_both_modes([](auto x, auto y, auto c) {
        return dyad::fori_loop(3, [&](auto i, auto s) {
            return c[0] * s + dyad::fori_loop(x.size(), [&](auto j, auto t) { return t * c[0] + y[j] * x[j] * s + y[i] * x[i + j - i]; }, x[i] * s);
        }, c[0]);
    }, xs, ys, one);
    constexpr auto counted = [](auto n, auto y, auto c) {
        return dyad::fori_loop(n, [&](auto i, auto s) { return c * s + y[i] * s; }, c);
    };
    const auto [none, by_c] = dyad::grad<1, 2>(counted)(0, ys, 0.7);
    CHECK(none == vector(xt::zeros<double>({5})));
    CHECK(by_c == 1);
    CHECK(std::get<0>(dyad::grad<1, 2>(counted)(0, vector(std::array<std::size_t, 1>{0}), 0.7)).size() == 0);
    CHECK_THROWS_AS((dyad::grad<1, 2>(counted)(6, ys, 0.7)), dyad::index_error);
    const auto [two, by] = dyad::grad<1, 2>(counted)(2, ys, 0.7); // c (c + y0) (c + y1)
    CHECK(two(0) == Approx(0.7 * (0.7 + 0.6)));
    CHECK(two(1) == Approx(0.7 * (0.7 + 1.1)));
    CHECK(two(2) == 0);
    CHECK(by == Approx(1.8 * 1.3 + 0.7 * 1.3 + 0.7 * 1.8));
    check_both_modes([](auto x, auto y, auto c) {
        return dyad::while_loop([](auto s) { return s[0] < 4; }, [&](auto s) { return std::array{s[0] + 1, c[0] * s[1] + y[s[0]] * x[s[0]] * s[1]}; }, std::array{0 * c[0], c[0]})[1];
    }, xs, ys, one);
}
TEST_CASE("whatever the number of rounds is") {
#define CHECK_ROUNDS(n)                                                                                                                    \
    check_gradient([](auto x, auto m, auto c) { return dyad::fori_loop(n, [&](auto i, auto s) { return c[0] * s + sin(x[i] * s) * x[4 - i] + m[0][0]; }, c[0]); }, \
                   xs, narrow, one)
    const matrix narrow{{0.4, 0.2}, {-0.3, 0.5}};
    CHECK_ROUNDS(m.size()); // of two axes
    CHECK_ROUNDS(m.size() - 1);
    CHECK_ROUNDS(m.shape(1));
    CHECK_ROUNDS(x.size() - 1);
    CHECK_ROUNDS(x.size() - 0.5 * m.shape(0));
    CHECK_ROUNDS(m.shape(0) * 2);
    CHECK_ROUNDS(3);
#undef CHECK_ROUNDS
    check_both_modes([](auto x, auto m, auto c) { // outer products, whose sum is one product of what the rounds keep
        return sum(dyad::fori_loop(m.size(), [&](auto i, auto s) { return tanh(matmul(m, s) + c[0] * x[i]); }, m[0]));
    }, xs, narrow, one);
    check_gradient([](auto x, auto m, auto c) { // as many as the round around
        return dyad::fori_loop(x.size(), [&](auto i, auto s) {
            return c[0] * s + dyad::fori_loop(i, [&](auto j, auto t) { return t * c[0] + x[j] * x[i - j] * m[1][0]; }, s);
        }, c[0]);
    }, xs, narrow, one);
    check_both_modes([](auto x, auto m, auto c) { // as many as what goes round says
        return dyad::fori_loop(3, [&](auto, auto s) {
            return std::pair{s.first + 1, c[0] * s.second + dyad::fori_loop(s.first, [&](auto j, auto t) { return t * c[0] + x[j] * m[1][0]; }, s.second)};
        }, std::pair{1 + 0 * c[0], c[0]}).second;
    }, xs, narrow, one);
}
TEST_CASE("second derivatives of rows in loops") {
    const vector v{0.2, 0.5, -0.3, 0.8, 0.1};
    const auto Hv = dyad::hvp<1>(series)(std::tuple(xs, ys, one), v);
    const auto H = dyad::hessian<1>(series)(xs, ys, one);
    const auto twice = dyad::grad<1>([](auto x, auto y, auto c, auto d) { return sum(dyad::grad<1>(series)(x, y, c) * d); })(xs, ys, one, v);
    const double h = 1e-5;
    const auto by_y = [](const vector& y) { return std::get<1>(dyad::value_and_grad(series)(xs, y, one).second); };
    const vector up = by_y(vector(ys + h * v)), down = by_y(vector(ys - h * v));
    for (std::size_t i = 0; i < 5; ++i) {
        double line = 0;
        for (std::size_t j = 0; j < 5; ++j) line += H(i, j) * v(j);
        CHECK(Hv(i) == Approx((up(i) - down(i)) / (2 * h)).epsilon(1e-7));
        CHECK(line == Approx(Hv(i)));
        CHECK(twice(i) == Approx(Hv(i)));
    }
}
TEST_CASE("Hessians of as many rounds as an axis is long, and one less") {
    const auto neighbours = [](auto x) { return dyad::fori_loop(x.shape(0) - 1, [=](auto i, auto s) { return tanh(s * x[i + 1]) + x[i] * x[i + 1]; }, 0.2); };
    const auto H = dyad::hessian(neighbours)(xs);
    const auto value = [](vector x, std::size_t i, double di, std::size_t k, double dk) {
        x(i) += di;
        x(k) += dk;
        double s = 0.2;
        for (std::size_t j = 0; j < 4; ++j) s = std::tanh(s * x(j + 1)) + x(j) * x(j + 1);
        return s;
    };
    const double h = 1e-4;
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t k = 0; k < 5; ++k) {
            const double twice = value(xs, i, h, k, h) - value(xs, i, h, k, -h) - value(xs, i, -h, k, h) + value(xs, i, -h, k, -h);
            CHECK(H(i, k) == Approx(twice / (4 * h * h)));
        }
    }
    CHECK(H(1, 2) != 0);
    CHECK(dyad::hessian([](auto x) { return dyad::fori_loop(x.size() - 1, [=](auto i, auto s) { return s + x[i] * x[i + 1]; }, 0.2); })(vector{2, 3}) == matrix{{0, 1}, {1, 0}});
}
TEST_CASE("rows in single precision, in views, and where few states are stored") {
    const xt::xtensor<float, 1> xf = xt::cast<float>(xs), yf = xt::cast<float>(ys), cf = xt::cast<float>(one);
    const auto slopes = dyad::value_and_grad(series);
    const auto [gx, gy, gc] = slopes(xs, ys, one).second;
    const auto single = slopes(xf, yf, cf).second;
    const xt::xtensor<double, 1> wide{0, 1.1, 0, 0.6, 0, -0.8, 0, 0.5, 0, 0.4};
    const vector of_view = std::get<1>(slopes(xs, xt::view(wide, xt::range(1, 10, 2)), one).second);
    constexpr auto few = [](auto x, auto y, auto c) {
        return dyad::fori_loop(x.size(), [&](auto i, auto s) { return c[0] * s + sin(x[i] * s) * y[i]; }, c[0], dyad::store_sqrt);
    };
    const auto stored = dyad::grad(few)(xs, ys, one);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(std::get<0>(single)(i) == Approx(gx(i)).epsilon(1e-5));
        CHECK(std::get<1>(single)(i) == Approx(gy(i)).epsilon(1e-5));
        CHECK(of_view(i) == gy(i));
        CHECK(std::get<1>(stored)(i) == Approx(gy(i)));
    }
    CHECK(std::get<2>(single)(0) == Approx(gc(0)).epsilon(1e-5));
    CHECK(std::get<2>(stored)(0) == Approx(gc(0)));
}
