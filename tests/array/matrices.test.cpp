// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// jacobian and hessian of functions of arrays: all axes of the result before all axes of the argument. Against
// differences, element for element, for results and arguments of equal and of different ranks and sizes, as the
// directions are axes of their own in these programs.

#include "differences.hpp"

#include <doctest/doctest.h>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using indices = xt::xtensor<int, 1>;
const vector v{0.5, 1, -2}, w{0.25, -0.75, 1.5, 2};
const matrix m = numbers<double, 2>({3, 4}), square_one = numbers<double, 2>({3, 3}, 4);

/// Flat rows of differences of the result of f, column by column.
template <class F, class X>
double matrix_off(const auto& found, const F& f, X x) {
    const double h = 1e-5;
    double off = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
        const double at = x.data()[j];
        x.data()[j] = at + h;
        const auto above = f(x);
        x.data()[j] = at - h;
        const auto below = f(x);
        x.data()[j] = at;
        if (found.size() != above.size() * x.size()) return HUGE_VAL;
        for (std::size_t i = 0; i < above.size(); ++i) {
            const double d = std::abs(found.data()[i * x.size() + j] - (above.data()[i] - below.data()[i]) / (2 * h));
            off = d <= off ? off : std::isnan(d) ? HUGE_VAL : d;
        }
    }
    return off;
}
template <class F, class X, class... Data>
double jacobian_off(F f, const X& x, const Data&... data) {
    return matrix_off(dyad::jacobian<0>(f)(x, data...), [&](const X& y) { return evaluated(f, y, data...); }, x);
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
double both_modes_off(F f, const Data&... data) {
    return std::max(jacobian_off(f, w, data...), jacobian_off(of_sums<F>{}, m, data...));
}
template <class F, class X, class... Data>
double hessian_off(F f, const X& x, const Data&... data) {
    return matrix_off(dyad::hessian<0>(f)(x, data...), [&](const X& y) { return dyad::grad<0>(f)(y, data...); }, x);
}

} // namespace

TEST_CASE("jacobians of vectors by vectors agree with differences") {
    CHECK(jacobian_off([](auto a) { return exp(a) * flip(a); }, v) < 1e-8);
    CHECK(jacobian_off([](auto a) { return a * sum(a); }, v) < 1e-8);
    CHECK(jacobian_off([](auto a) { return softmax(a) / norm(a); }, v) < 1e-8);
    CHECK(jacobian_off([](auto a) { return cumsum(a * a); }, v) < 1e-8);
    CHECK(jacobian_off([](auto a) { return cumprod(a); }, v) < 1e-8);
    CHECK(jacobian_off([](auto a) { return slice(a * a, 0, 1); }, v) < 1e-8);
    CHECK(jacobian_off([](auto a) { return concatenate(a * a, a * sum(a), 0); }, v) < 1e-8);
    CHECK(jacobian_off([](auto a) { return pad(a * a, 0, 1, 2); }, v) < 1e-8);
    CHECK(jacobian_off([](auto a, auto i) { return take(a * a, i); }, v, indices{2, 0, 2, 1}) < 1e-8);
    CHECK(jacobian_off([](auto a, auto i) { return scatter_add(a, i, a * a); }, v, indices{2, 0, 2}) < 1e-8);
    CHECK(jacobian_off([](auto a, auto q) { return matmul(q, a); }, w, m) < 1e-8);
    CHECK(jacobian_off([](auto a, auto q) { return matmul(a, q) * a; }, v, square_one) < 1e-8);
    CHECK(jacobian_off([](auto a, auto q) { return sum(a * q, 0); }, v, square_one) < 1e-8);
    CHECK(jacobian_off([](auto a, auto q) { return sum(expand_dims(a, 1) * q, 0); }, v, m) < 1e-8);
}
TEST_CASE("jacobians between ranks agree with differences") {
    CHECK(apart(dyad::jacobian([](auto a) { return sum(a * a); })(v), vector{1, 2, -4}) == 0);
    CHECK(jacobian_off([](auto a) { return outer(a, a * a); }, v) < 1e-8);
    CHECK(jacobian_off([](auto a) { return sum(a * a, 0); }, m) < 1e-8);
    CHECK(jacobian_off([](auto a) { return sum(a * a, 1); }, square_one) < 1e-8);
    CHECK(jacobian_off([](auto a) { return transpose(a * a); }, m) < 1e-8);
    CHECK(jacobian_off([](auto a) { return a * sum(a, 1, dyad::keep_dims); }, m) < 1e-8);
    CHECK(jacobian_off([](auto a) { return reshape(a * a, -1); }, m) < 1e-8);
    CHECK(jacobian_off([](auto a) { return max(a, 1) * sum(a); }, m) < 1e-8);
    CHECK(jacobian_off([](auto a) { return matmul(a, transpose(a)); }, m) < 1e-8);
    CHECK(jacobian_off([](auto a, auto q) { return solve(a, q); }, square_one, v) < 1e-6);
    CHECK(jacobian_off([](auto a) { return inverse(a); }, square_matrix(3)) < 1e-8);
}
TEST_CASE("hessians of functions of vectors agree with differences of the gradient") {
    CHECK(hessian_off([](auto a) { return sum(exp(a) * flip(a)); }, v) < 1e-7);
    CHECK(hessian_off([](auto a) { return square(sum(exp(a))); }, v) < 1e-7);
    CHECK(hessian_off([](auto a) { return logsumexp(a); }, v) < 1e-7);
    CHECK(hessian_off([](auto a) { return norm(a) * prod(a); }, v) < 1e-7);
    CHECK(hessian_off([](auto a) { return variance(a) * max(a) + sum(softmax(a) * a); }, v) < 1e-7);
    CHECK(hessian_off([](auto a) { return sum(sin(cumsum(a) * a)); }, v) < 1e-7);
    CHECK(hessian_off([](auto a) { return sum(exp(cumprod(a))); }, v) < 1e-7);
    CHECK(hessian_off([](auto a) { return sum(sin(slice(a, 0, 1) * slice(a, 0, 0, -1))); }, w) < 1e-7);
    CHECK(hessian_off([](auto a) { return sum(sin(concatenate(flip(a), pad(a, 0, 1, 0), 0) * sum(a))); }, v) < 1e-7);
    CHECK(hessian_off([](auto a, auto i) { return sum(exp(take(a, i))); }, v, indices{2, 0, 2, -1}) < 1e-7);
}
TEST_CASE("hessians with data of other ranks agree with differences of the gradient") {
    CHECK(hessian_off([](auto a, auto q) { return sum(a * matmul(q, a)); }, v, square_one) < 1e-7);
    CHECK(hessian_off([](auto a, auto q) { return sum(sin(sum(q * a, 1))); }, w, m) < 1e-7);
    CHECK(hessian_off([](auto a, auto q) { return sum(square(matmul(q, a))); }, w, m) < 1e-7);
    CHECK(hessian_off([](auto a, auto q) { return mean(log(1 + exp(matmul(q, a)))); }, w, m) < 1e-7);
    CHECK(apart(dyad::hessian<0>([](auto a, auto q) { return sum(a * sum(q * a, 1)); })(vector{1, 1}, matrix{{1, 2}, {5, 4}}), matrix{{2, 7}, {7, 8}}) == 0);
}
TEST_CASE("hessians of functions of matrices agree with differences of the gradient") {
    CHECK(hessian_off([](auto a) { return sum(exp(a * transpose(a))); }, square_one) < 1e-7);
    CHECK(hessian_off([](auto a) { return sum(exp(sum(a, 0))); }, m) < 1e-7);
    CHECK(hessian_off([](auto a) { return sum(square(logsumexp(a, 1))); }, m) < 1e-7);
    CHECK(hessian_off([](auto a) { return logdet(a); }, square_matrix(3)) < 1e-7);
    const auto both = dyad::hessian([](auto a, auto b) { return sum(a * a * b); })(vector{1, 2}, vector{3, 4});
    CHECK(std::get<0>(both) == matrix{{6, 0}, {0, 8}});
    CHECK(std::get<1>(both) == matrix{{2, 0}, {0, 4}});
    CHECK(std::get<2>(both) == matrix{{2, 0}, {0, 4}});
    CHECK(std::get<3>(both) == matrix{{0, 0}, {0, 0}});
    const auto unused = dyad::jacobian([](auto, auto b) { return 2 * b; })(vector{1, 2, 3}, vector{3, 4});
    CHECK(std::get<0>(unused) == matrix{{0, 0, 0}, {0, 0, 0}});
    CHECK(std::get<1>(unused) == matrix{{2, 0}, {0, 2}});
}

TEST_CASE("jacobian: operations that move, join and add elements, in both modes") {
    CHECK(both_modes_off([](auto a) { return exp(a) * flip(a); }) < 1e-7);
    CHECK(both_modes_off([](auto a) { return cumsum(a * a); }) < 1e-7);
    CHECK(both_modes_off([](auto a) { return cumprod(0.3 * a); }) < 1e-7);
    CHECK(both_modes_off([](auto a) { return slice(a * a, 0, 1); }) < 1e-7);
    CHECK(both_modes_off([](auto a) { return pad(a, 0, 1, 2); }) < 1e-7);
    CHECK(both_modes_off([](auto a) { return concatenate(a * a, 3 * a, 0); }) < 1e-7);
    CHECK(both_modes_off([](auto a) { return concatenate(std::tuple{a, slice(a, 0, 2), a * a}, 0); }) < 1e-7);
    CHECK(both_modes_off([](auto a) { return sum(dyad::stack(std::tuple{a, a * a}, 0), 1); }) < 1e-7);
    CHECK(both_modes_off([](auto a) { return dyad::tile(a, 2, 0); }) < 1e-7);
    CHECK(both_modes_off([](auto a, auto i) { return take(a, i); }, indices{2, 0, 2, 1}) < 1e-7);
    CHECK(both_modes_off([](auto a, auto i) { return scatter_add(0 * a, i, a * a); }, indices{2, 0, 2, 3}) < 1e-7);
    CHECK(both_modes_off([](auto a, auto i) { return scatter_add(a, i, slice(a, 0, 1)); }, indices{2, 0, 2}) < 1e-7);
    CHECK(both_modes_off([](auto a, auto q) { return matmul(q, a); }, m) < 1e-7);
    CHECK(both_modes_off([](auto a) { return where(a > 0.1, a, 2 * a) * a[1]; }) < 1e-7);
    CHECK(jacobian_off([](auto x) { return concatenate(x[0], x[1], 0); }, numbers<double, 2>({2, 3})) < 1e-7);
    // What stretches beside what it is joined with, or at its places.
    CHECK(jacobian_off([](auto x, auto q) { return concatenate(sum(sum(x * x, 0), 0, dyad::keep_dims), q, 1); }, numbers<double, 3>({2, 2, 2}), square_one) < 1e-7);
    CHECK(jacobian_off([](auto x, auto q) { return concatenate(q, sum(sum(x * x, 0), 0, dyad::keep_dims), 1); }, numbers<double, 3>({2, 2, 2}), square_one) < 1e-7);
    CHECK(jacobian_off([](auto x, auto i, auto q) { return scatter_add(q, i, sum(sum(x * x, 0), 0, dyad::keep_dims)); }, m, indices{2, 0, 2}, v) < 1e-7);
    CHECK(jacobian_off([](auto x, auto i, auto q) { return scatter_add(q, i, sum(x * x)); }, m, indices{2, 0, 2}, v) < 1e-7);
    const auto joined = [](auto a, auto b) { return sum(square(concatenate(matmul(a, b), b, 0))); };
    const auto [aa, ab, ba, bb] = dyad::hessian<0, 1>(joined)(matrix{{1, 2}, {3, 4}}, vector{1, 0});
    CHECK(ab == xt::xtensor<double, 3>{{{4, 4}, {0, 2}}, {{12, 8}, {0, 6}}});
    CHECK(ba == xt::xtensor<double, 3>{{{4, 0}, {12, 0}}, {{4, 2}, {8, 6}}});
}

TEST_CASE("matrices by an array that stretches have its own shape: its elements count wherever they stand") {
    const auto scaled = [](auto a, auto x) { return a * a * x; };
    const auto energy = [](auto a, auto x) { return sum(exp(0.3 * a) * x * a); };
    const vector one{2};
    CHECK(dyad::jacobian<0>(scaled)(one, vector{1, 2, 3}) == matrix{{4}, {8}, {12}});
    CHECK(jacobian_off(scaled, one, w) < 1e-8);
    CHECK(jacobian_off([](auto a, auto x) { return sum(a * a * x, 1); }, numbers<double, 2>({1, 4}), m) < 1e-8);
    CHECK(jacobian_off([](auto a, auto x) { return sum(a * a * x, 0); }, numbers<double, 2>({3, 1}), m) < 1e-8);
    CHECK(hessian_off(energy, one, w) < 1e-7);
    CHECK(hessian_off(energy, numbers<double, 2>({1, 4}), m) < 1e-7);
    CHECK(hessian_off(energy, numbers<double, 2>({3, 1}), m) < 1e-7);
    const auto [aa, ax, xa, xx] = dyad::hessian([](auto a, auto x) { return sum(a * a * x); })(one, vector{1, 2, 3});
    CHECK(aa == matrix{{12}});
    CHECK(ax == matrix{{4, 4, 4}});
    CHECK(xa == matrix{{4}, {4}, {4}});
    CHECK(xx == matrix({3, 3}, 0.0));
    // With a number, which has no axes, and into what is there.
    const auto mixed = std::get<2>(dyad::hessian([](auto s, auto a, auto x) { return s * sum(a * a * x); })(1.5, one, vector{1, 2, 3}));
    CHECK(std::get<1>(dyad::hessian<0, 1>([](auto s, auto a, auto x) { return s * sum(a * a * x); })(1.5, one, vector{1, 2, 3})) == vector{24});
    CHECK(mixed == vector{4, 4, 4});
    matrix column({3, 1}), single({1, 1});
    const double* const place = column.data();
    dyad::evaluate_into(column, dyad::jacobian<0>(scaled), one, vector{1, 2, 3});
    CHECK(column == matrix{{4}, {8}, {12}});
    CHECK(column.data() == place);
    dyad::evaluate_into(single, dyad::hessian<0>([](auto a, auto x) { return sum(a * a * x); }), one, vector{1, 2, 3});
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
    const matrix weights = xt::diag(dyad::evaluate([](auto x, auto y) { return exp(matmul(y, x)); }, point, P));
    const matrix expected = dyad::evaluate([](auto y, auto d) { return matmul(transpose(y), matmul(d, y)); }, P, weights);
    CHECK(apart(dyad::hessian<0>(likelihood)(point, P), expected) < 1e-13);
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
    CHECK(slope_off([](auto x, auto y) { return sum(sin(matmul(x, y))); }, numbers<double, 3>({3, 2, 4}, 8), right) < 1e-8);
    CHECK(slope_off([](auto y, auto x) { return sum(sin(matmul(x, y))); }, right, numbers<double, 3>({3, 1, 4}, 8)) < 1e-8);
}
