// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// jacobian and hessian of functions of arrays: all axes of the result before all axes of the argument. Against
// differences or derivatives written out, element for element, for results and arguments of equal and of different ranks
// and sizes, as the directions are axes of their own in these programs.

#include "differences.hpp"

#include <doctest/doctest.h>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using indices = xt::xtensor<int, 1>;
const vector v{0.5, 1, -2}, w{0.25, -0.75, 1.5, 2};
const matrix m = numbers<double, 2>({3, 4}), square_one = numbers<double, 2>({3, 3}, 4);

/// Differences of the result of f by each element of x: one row for each element of the result.
template <class F, class X>
matrix differences_of(const F& f, X x) {
    const double h = 1e-5;
    matrix slopes = xt::zeros<double>({std::size_t{f(x).size()}, std::size_t{x.size()}});
    for (std::size_t j = 0; j < x.size(); ++j) {
        const double at = x.data()[j];
        x.data()[j] = at + h;
        const auto above = f(x);
        x.data()[j] = at - h;
        const auto below = f(x);
        x.data()[j] = at;
        for (std::size_t i = 0; i < above.size(); ++i) slopes(i, j) = (above.data()[i] - below.data()[i]) / (2 * h);
    }
    return slopes;
}
/// The largest difference from an array of more axes, whose elements stand in the same order.
double flat_off(const auto& found, const matrix& wanted) {
    if (found.size() != wanted.size()) return HUGE_VAL;
    double off = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double d = std::abs(found.data()[i] - wanted.data()[i]);
        off = d <= off ? off : std::isnan(d) ? HUGE_VAL : d;
    }
    return off;
}
/// Each of several jacobians agrees with what `wanted` makes of its number.
template <class Found, class Wanted>
void each_agrees(double bound, const Found& found, const Wanted& wanted) {
    const auto each = [&]<std::size_t I>(std::integral_constant<std::size_t, I> number) {
        CAPTURE(I);
        CHECK(flat_off(std::get<I>(found), wanted(number)) < bound);
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (each(std::integral_constant<std::size_t, I>{}), ...);
    }(std::make_index_sequence<std::tuple_size_v<Found>>{});
}
/// Differences of result I of a function of several.
template <std::size_t I, class F, class X, class... Data>
matrix differences_of_result(F f, const X& x, const Data&... data) {
    return differences_of([&](const X& y) { return std::get<I>(evaluated(f, y, data...)); }, x);
}
/// The jacobian of each result of f, which are several: each is swept on its own.
template <class F, class X, class... Data>
void jacobians_agree(double bound, F f, const X& x, const Data&... data) {
    each_agrees(bound, dyad::jacobian<0>(f)(x, data...), [&](auto number) { return differences_of_result<number>(f, x, data...); });
}
/// f of the sums of an array's columns: fewer results than elements, so reverse mode, whose directions are axes in front.
template <class F>
struct of_sums {
    template <class A, class... Data>
    constexpr auto operator()(const A& a, const Data&... data) const {
        return F{}(sum(a * a, 0), data...);
    }
};
template <class F, class... Data>
void both_modes_agree(F f, const Data&... data) {
    jacobians_agree(1e-8, f, w, data...);
    const vector sums = xt::sum(m * m, 0);
    each_agrees(1e-7, dyad::jacobian<0>(of_sums<F>{})(m, data...), [&](auto number) {
        const matrix outer = differences_of_result<number>(f, sums, data...);
        return made<2>({outer.shape(0), m.size()}, [&](auto i, auto j) { return outer(i, j % 4) * 2 * m.data()[j]; });
    });
}
template <class F, class X, class... Data>
double hessian_off(F f, const X& x, const Data&... data) {
    return flat_off(dyad::hessian<0>(f)(x, data...), differences_of([&](const X& y) { return dyad::grad<0>(f)(y, data...); }, x));
}
/// Weights of terms, all of them 0 but one.
vector only(std::size_t term, std::size_t terms) {
    vector weights = xt::zeros<double>({terms});
    weights(term) = 1;
    return weights;
}
/// The hessian of each of so many terms, which f weights.
template <class F, class X, class... Data>
void hessians_agree(std::size_t terms, F f, const X& x, const Data&... data) {
    for (std::size_t k = 0; k < terms; ++k) {
        CAPTURE(k);
        CHECK(hessian_off(f, x, only(k, terms), data...) < 1e-7);
    }
}
/// By a: the hessian of Σ h(z) for the elements z of q a, where h'' is given.
matrix of_product(const matrix& q, const vector& a, const auto& bend) {
    matrix h = xt::zeros<double>({a.size(), a.size()});
    for (std::size_t k = 0; k < q.shape(0); ++k) {
        double z = 0;
        for (std::size_t i = 0; i < a.size(); ++i) z += q(k, i) * a(i);
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t j = 0; j < a.size(); ++j) h(i, j) += bend(z) * q(k, i) * q(k, j);
        }
    }
    return h;
}

} // namespace

TEST_CASE("jacobian: operations that move, join and add elements, in both modes") {
    both_modes_agree([](auto a) { return std::tuple{exp(a) * flip(a), cumsum(a * a), cumprod(0.3 * a), where(a > 0.1, a, 2 * a) * a[1]}; });
    both_modes_agree([](auto a) {
        return std::tuple{slice(a * a, 0, 1), pad(a, 0, 1, 2), concatenate(a * a, 3 * a, 0), concatenate(std::tuple{a, slice(a, 0, 2), a * a}, 0)};
    });
    both_modes_agree([](auto a) { return std::tuple{sum(dyad::stack(std::tuple{a, a * a}, 0), 1), dyad::tile(a, 2, 0)}; });
    constexpr auto at_places = [](auto a, auto i, auto j, auto q) {
        return std::tuple{take(a, i), scatter_add(0 * a, i, a * a), scatter_add(a, j, slice(a, 0, 1)), matmul(q, a)};
    };
    both_modes_agree(at_places, indices{2, 0, 2, 3}, indices{2, 0, 2}, m);
}
TEST_CASE("jacobians of vectors by vectors agree with differences") {
    constexpr auto alone = [](auto a) {
        return std::tuple{a * sum(a), softmax(a) / norm(a), cumprod(a), pad(a * a, 0, 1, 2), concatenate(a * a, a * sum(a), 0), outer(a, a * a)};
    };
    constexpr auto at_places = [](auto a, auto i, auto j) { return std::tuple{take(a * a, i), scatter_add(a, j, a * a)}; };
    constexpr auto by_matrices = [](auto a, auto q, auto r) { return std::tuple{matmul(a, q) * a, sum(a * q, 0), sum(expand_dims(a, 1) * r, 0)}; };
    jacobians_agree(1e-8, alone, v);
    jacobians_agree(1e-8, at_places, v, indices{2, 0, 2, 1}, indices{2, 0, 2});
    jacobians_agree(1e-8, by_matrices, v, square_one, m);
}
TEST_CASE("jacobians between ranks agree with differences") {
    CHECK(apart(dyad::jacobian([](auto a) { return sum(a * a); })(v), vector{1, 2, -4}) == 0);
    constexpr auto to_lower_rank = [](auto a) {
        return std::tuple{sum(a * a, 0), sum(a * a, 1), reshape(a * a, -1), max(a, 1) * sum(a), concatenate(a[0], a[1], 0)};
    };
    constexpr auto to_equal_rank = [](auto a) { return std::tuple{transpose(a * a), a * sum(a, 1, dyad::keep_dims), matmul(a, transpose(a))}; };
    for (const matrix& x : {m, square_one, numbers<double, 2>({2, 3})}) {
        jacobians_agree(1e-8, to_lower_rank, x);
        jacobians_agree(1e-8, to_equal_rank, x);
    }
    constexpr auto solutions = [](auto a, auto q) { return std::tuple{solve(a, q), inverse(a)}; };
    jacobians_agree(1e-8, solutions, square_matrix(3), v);
    // What stretches beside what it is joined with, or at its places.
    constexpr auto joined = [](auto x, auto q) {
        const auto row = sum(sum(x * x, 0), 0, dyad::keep_dims);
        return std::tuple{concatenate(row, q, 1), concatenate(q, row, 1)};
    };
    constexpr auto added = [](auto x, auto i, auto q) {
        return std::tuple{scatter_add(q, i, sum(sum(x * x, 0), 0, dyad::keep_dims)), scatter_add(q, i, sum(x * x))};
    };
    jacobians_agree(1e-7, joined, numbers<double, 3>({2, 2, 2}), square_one);
    jacobians_agree(1e-7, added, m, indices{2, 0, 2}, v);
}
TEST_CASE("hessians of functions of vectors agree with themselves written out, or with differences of the gradient") {
    constexpr auto exponentials = [](auto a, auto c) { return c[0] * sum(exp(a) * flip(a)) + c[1] * square(sum(exp(a))) + c[2] * logsumexp(a); };
    const vector e = xt::exp(v);
    const double total = xt::sum(e)();
    const auto diagonal = [](std::size_t i, std::size_t j, double x) { return i == j ? x : 0; };
    const matrix of_product_with_flip = made<2>({3, 3}, [&](auto i, auto j) { return diagonal(i, j, e(i) * v(2 - i)) + (i + j == 2 ? e(i) + e(j) : 0); });
    const matrix of_square = made<2>({3, 3}, [&](auto i, auto j) { return 2 * e(i) * e(j) + diagonal(i, j, 2 * total * e(i)); });
    const matrix of_logsumexp = made<2>({3, 3}, [&](auto i, auto j) { return diagonal(i, j, e(i) / total) - e(i) * e(j) / (total * total); });
    CHECK(apart(dyad::hessian<0>(exponentials)(v, only(0, 3)), of_product_with_flip) < 1e-14);
    CHECK(apart(dyad::hessian<0>(exponentials)(v, only(1, 3)), of_square) < 1e-14);
    CHECK(apart(dyad::hessian<0>(exponentials)(v, only(2, 3)), of_logsumexp) < 1e-14);
    CHECK(hessian_off([](auto a) { return norm(a) * prod(a); }, v) < 1e-7);
    CHECK(hessian_off([](auto a) { return variance(a) * max(a) + sum(softmax(a) * a); }, v) < 1e-7);
    constexpr auto running = [](auto a, auto c) { return c[0] * sum(sin(cumsum(a) * a)) + c[1] * sum(exp(cumprod(a))); };
    constexpr auto moved = [](auto a, auto c, auto i) {
        return c[0] * sum(sin(slice(a, 0, 1) * slice(a, 0, 0, -1))) + c[1] * sum(sin(concatenate(flip(a), pad(a, 0, 1, 0), 0) * sum(a))) +
               c[2] * sum(exp(take(a, i)));
    };
    hessians_agree(2, running, v);
    hessians_agree(3, moved, v, indices{2, 0, 2, -1});
    hessians_agree(3, moved, w, indices{2, 0, 2, -1});
}
TEST_CASE("hessians with data of other ranks") {
    CHECK(apart(dyad::hessian<0>([](auto a, auto q) { return sum(a * matmul(q, a)); })(v, square_one), matrix(square_one + xt::transpose(square_one))) < 1e-14);
    constexpr auto products = [](auto a, auto c, auto q) {
        return c[0] * sum(sin(sum(q * a, 1))) + c[1] * sum(square(matmul(q, a))) + c[2] * mean(log(1 + exp(matmul(q, a))));
    };
    const auto logistic = [](double z) { return 1 / (3 * (1 + std::exp(-z)) * (1 + std::exp(z))); };
    CHECK(apart(dyad::hessian<0>(products)(w, only(0, 3), m), of_product(m, w, [](double z) { return -std::sin(z); })) < 1e-14);
    CHECK(apart(dyad::hessian<0>(products)(w, only(1, 3), m), of_product(m, w, [](double) { return 2.0; })) < 1e-14);
    CHECK(apart(dyad::hessian<0>(products)(w, only(2, 3), m), of_product(m, w, logistic)) < 1e-14);
    CHECK(apart(dyad::hessian<0>([](auto a, auto q) { return sum(a * sum(q * a, 1)); })(vector{1, 1}, matrix{{1, 2}, {5, 4}}), matrix{{2, 7}, {7, 8}}) == 0);
}
TEST_CASE("hessians of functions of matrices agree with differences of the gradient") {
    hessians_agree(2, [](auto a, auto c) { return c[0] * sum(exp(a * transpose(a))) + c[1] * logdet(a); }, matrix(square_matrix(3) / 3));
    hessians_agree(2, [](auto a, auto c) { return c[0] * sum(exp(sum(a, 0))) + c[1] * sum(square(logsumexp(a, 1))); }, m);
    const auto both = dyad::hessian([](auto a, auto b) { return sum(a * a * b); })(vector{1, 2}, vector{3, 4});
    CHECK(std::get<0>(both) == matrix{{6, 0}, {0, 8}});
    CHECK(std::get<1>(both) == matrix{{2, 0}, {0, 4}});
    CHECK(std::get<2>(both) == matrix{{2, 0}, {0, 4}});
    CHECK(std::get<3>(both) == matrix{{0, 0}, {0, 0}});
    const auto unused = dyad::jacobian([](auto, auto b) { return 2 * b; })(vector{1, 2, 3}, vector{3, 4});
    CHECK(std::get<0>(unused) == matrix{{0, 0, 0}, {0, 0, 0}});
    CHECK(std::get<1>(unused) == matrix{{2, 0}, {0, 2}});
    const auto joined = [](auto a, auto b) { return sum(square(concatenate(matmul(a, b), b, 0))); };
    const auto [aa, ab, ba, bb] = dyad::hessian<0, 1>(joined)(matrix{{1, 2}, {3, 4}}, vector{1, 0});
    CHECK(ab == xt::xtensor<double, 3>{{{4, 4}, {0, 2}}, {{12, 8}, {0, 6}}});
    CHECK(ba == xt::xtensor<double, 3>{{{4, 0}, {12, 0}}, {{4, 2}, {8, 6}}});
}

TEST_CASE("matrices by an array that stretches have its own shape: its elements count wherever they stand") {
    const auto scaled = [](auto a, auto x) { return a * a * x; };
    const auto summed = [](auto a, auto x) { return std::tuple{sum(a * a * x, 0), sum(a * a * x, 1)}; };
    const auto energy = [](auto a, auto x) { return sum(exp(0.3 * a) * x * a); };
    const vector one{2};
    CHECK(dyad::jacobian<0>(scaled)(one, vector{1, 2, 3}) == matrix{{4}, {8}, {12}});
    CHECK(dyad::jacobian<0>(scaled)(one, w) == matrix{{1}, {-3}, {6}, {8}});
    // Second derivatives of the energy, whose matrix is a diagonal: of the elements of x that an element of a meets.
    const auto bend = [](double a, double x) { return (0.6 + 0.09 * a) * std::exp(0.3 * a) * x; };
    CHECK(apart(dyad::hessian<0>(energy)(one, w), matrix{{bend(2, xt::sum(w)())}}) < 1e-14);
    const matrix row = numbers<double, 2>({1, 4}), column = numbers<double, 2>({3, 1});
    const vector of_rows = xt::sum(m, 1), of_columns = xt::sum(m, 0);
    const auto [across_0, across_1] = dyad::jacobian<0>(summed)(row, m);
    CHECK(apart(across_0, made<3>({4, 1, 4}, [&](auto i, auto, auto j) { return i == j ? 2 * row(0, j) * of_columns(j) : 0; })) < 1e-14);
    CHECK(apart(across_1, made<3>({3, 1, 4}, [&](auto i, auto, auto j) { return 2 * row(0, j) * m(i, j); })) < 1e-14);
    const auto [down_0, down_1] = dyad::jacobian<0>(summed)(column, m);
    CHECK(apart(down_0, made<3>({4, 3, 1}, [&](auto i, auto j, auto) { return 2 * column(j, 0) * m(j, i); })) < 1e-14);
    CHECK(apart(down_1, made<3>({3, 3, 1}, [&](auto i, auto j, auto) { return i == j ? 2 * column(j, 0) * of_rows(j) : 0; })) < 1e-14);
    const auto by_row = made<4>({1, 4, 1, 4}, [&](auto, auto i, auto, auto j) { return i == j ? bend(row(0, i), of_columns(i)) : 0; });
    const auto by_column = made<4>({3, 1, 3, 1}, [&](auto i, auto, auto j, auto) { return i == j ? bend(column(i, 0), of_rows(i)) : 0; });
    CHECK(apart(dyad::hessian<0>(energy)(row, m), by_row) < 1e-14);
    CHECK(apart(dyad::hessian<0>(energy)(column, m), by_column) < 1e-14);
    const auto squared = [](auto a, auto x) { return sum(a * a * x); };
    const auto [aa, ax, xa, xx] = dyad::hessian(squared)(one, vector{1, 2, 3});
    CHECK(aa == matrix{{12}});
    CHECK(ax == matrix{{4, 4, 4}});
    CHECK(xa == matrix{{4}, {4}, {4}});
    CHECK(xx == matrix({3, 3}, 0.0));
    // With a number, which has no axes, and into what is there.
    const auto with_number = [](auto s, auto a, auto x) { return s * sum(a * a * x); };
    CHECK(std::get<1>(dyad::hessian<0, 1>(with_number)(1.5, one, vector{1, 2, 3})) == vector{24});
    CHECK(std::get<1>(dyad::hessian<0, 2>(with_number)(1.5, one, vector{1, 2, 3})) == vector{4, 4, 4});
    matrix by_one({3, 1}), single({1, 1});
    const double* const place = by_one.data();
    dyad::evaluate_into(by_one, dyad::jacobian<0>(scaled), one, vector{1, 2, 3});
    CHECK(by_one == matrix{{4}, {8}, {12}});
    CHECK(by_one.data() == place);
    dyad::evaluate_into(single, dyad::hessian<0>(squared), one, vector{1, 2, 3});
    CHECK(single == matrix{{12}});
}

TEST_CASE("matrices of numbers by numbers have rows and columns, also beside arrays of data") {
    const vector y{1, 2, 4};
    constexpr auto likelihood = [](auto mu, auto scale, auto data) { return sum(-0.5 * square((data - mu) * exp(-scale)) - scale); };
    constexpr auto packed = [](auto p, auto data) { return sum(-0.5 * square((data - p[0]) * exp(-p[1])) - p[1]); };
    const auto captured = dyad::hessian([y](auto mu, auto scale) { return sum(-0.5 * square((y - mu) * exp(-scale)) - scale); })(0.1, 0.2);
    const auto h = dyad::hessian<0, 1>(likelihood)(0.1, 0.2, y);
    const auto k = dyad::hessian<0>(packed)(std::array{0.1, 0.2}, y);
    for (const std::size_t i : {0U, 1U}) {
        for (const std::size_t j : {0U, 1U}) {
            CHECK(h[i][j] == doctest::Approx(captured[i][j]).epsilon(1e-14));
            CHECK(k[i][j] == h[i][j]);
        }
    }
    CHECK(h[0][0] == doctest::Approx(-3 * std::exp(-0.4)));
    using square = std::array<std::array<double, 2>, 2>;
    const auto two = [](auto p, auto data) { return std::array{p[0] * sum(data), p[1] * p[0]}; };
    CHECK(dyad::jacobian<0>(two)(std::array{0.5, 0.25}, y) == square{{{7, 0}, {0.25, 0.5}}});
    CHECK(dyad::jacobian<0>([](auto p, auto data) { return std::tuple{p * sum(data), p}; })(0.5, y) == std::array{7.0, 1.0});
    CHECK(dyad::jacobian<0>([](auto p, auto data) { return p[0] * sum(data) + p[1]; })(std::array{0.5, 0.25}, y) == std::array{7.0, 1.0});
    CHECK(dyad::jacobian<0>([](auto p, auto data) { return p * sum(data); })(0.5, y) == 7);
    CHECK(dyad::hessian<0>([](auto p, auto data) { return p * p * sum(data); })(0.5, y) == 14);
    CHECK(dyad::hessian<0>([](auto p, auto data) { return p[0] * p[0] * sum(data); })(std::array{0.5}, y)[0][0] == 14);
}

TEST_CASE("products with every unit vector are columns and rows, of any matrix, and sizes are looked at") {
    const vector point = numbers<double, 1>({4}), short_one = numbers<double, 1>({3});
    const matrix P = numbers<double, 2>({3, 4}, 2), Q = square_matrix(4, 3);
    constexpr auto form = [](auto x, auto y) { return 0.5 * dot(x, matmul(y, x)) + sum(x * log(2 + x)); };
    constexpr auto image = [](auto x, auto y) { return -2.5 * matmul(y, x); };
    constexpr auto turned = [](auto x, auto y) { return matmul(x, y) * 3; };
    constexpr auto likelihood = [](auto x, auto y) { return sum(exp(matmul(y, x))); };
    matrix half = 0.5 * (Q + xt::transpose(Q));
    for (std::size_t i = 0; i < 4; ++i) half(i, i) += 1 / (2 + point(i)) + 2 / ((2 + point(i)) * (2 + point(i)));
    CHECK(apart(dyad::hessian<0>(form)(point, Q), half) < 1e-14);
    CHECK(dyad::jacobian<0>(image)(point, P) == matrix(-2.5 * P));
    CHECK(dyad::jacobian<0>(turned)(short_one, P) == matrix(3 * xt::transpose(P)));
    CHECK(apart(dyad::hessian<0>(likelihood)(point, P), of_product(P, point, [](double z) { return std::exp(z); })) < 1e-13);
    CHECK_THROWS_AS(dyad::jacobian<0>(image)(short_one, P), dyad::shape_error);
    CHECK_THROWS_AS(dyad::jacobian<0>(turned)(point, P), dyad::shape_error);
    CHECK_THROWS_AS(dyad::hessian<0>(form)(short_one, Q), dyad::shape_error);
    const xt::xtensor<float, 1> f{1, 2, 3, 4};
    CHECK(dyad::jacobian<0>([](auto x, auto y) { return matmul(y, x); })(f, P) == P);
}
TEST_CASE("stacks of rows and of columns by one matrix are single products, whatever their strides") {
    const matrix right = numbers<double, 2>({4, 3}, 3), turned = xt::transpose(right);
    const auto by_hand = [](const xt::xtensor<double, 3>& x, const matrix& y) {
        xt::xtensor<double, 3> z = xt::zeros<double>({x.shape(0), x.shape(1), y.shape(1)});
        for (std::size_t p = 0; p < x.shape(0); ++p) {
            for (std::size_t i = 0; i < x.shape(1); ++i) {
                for (std::size_t j = 0; j < y.shape(1); ++j) {
                    for (std::size_t k = 0; k < y.shape(0); ++k) z(p, i, j) += x(p, i, k) * y(k, j);
                }
            }
        }
        return z;
    };
    constexpr auto product = [](auto x, auto y) { return matmul(x, y); };
    constexpr auto swapped = [](auto x, auto y) { return transpose(matmul(transpose(y), transpose(x, 0, 2, 1)), 0, 2, 1); };
    for (const std::array<std::size_t, 3> size : {std::array<std::size_t, 3>{5, 2, 4}, {5, 1, 4}, {1, 3, 4}, {1, 1, 4}, {0, 2, 4}, {2, 0, 4}}) {
        const auto x = numbers<double, 3>(size, 5);
        const auto expected = by_hand(x, right);
        CHECK(apart(dyad::evaluate(product, x, right), expected) < 1e-14);
        CHECK(apart(dyad::evaluate([](auto a, auto y) { return matmul(a, transpose(y)); }, x, turned), expected) < 1e-14);
        CHECK(apart(dyad::evaluate(swapped, x, right), expected) < 1e-14);
    }
    const auto whole = numbers<double, 3>({5, 4, 8}, 7);
    const auto part = xt::view(whole, xt::range(0, 5, 2), xt::range(1, 3), xt::range(0, 8, 2));
    CHECK(apart(dyad::evaluate(product, part, right), by_hand(part, right)) < 1e-14);
    const auto sines = [](auto x, auto y) { return sum(sin(matmul(x, y))); };
    for (const std::size_t rows : {2U, 1U}) CHECK(gradients_off(sines, numbers<double, 3>({3, rows, 4}, 8), right) < 1e-8);
}
