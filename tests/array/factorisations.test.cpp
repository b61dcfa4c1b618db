// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// solve, inverse, det, logdet, cholesky, qr, eigh, svd: values by putting the factors together again, gradients
// against differences, forward against reverse, second derivatives; batches, singular and empty matrices.

#include "differences.hpp"

#include <doctest/doctest.h>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
const vector u = numbers<double, 1>({4});
const matrix a = square_matrix(4), b = numbers<double, 2>({4, 3}, 5), tall = numbers<double, 2>({5, 3}, 6), wide = numbers<double, 2>({3, 5}, 7);
const matrix singular{{1, 2}, {2, 4}}, direction = numbers<double, 2>({4, 4}, 9);

cube batch() {
    cube c({2, 3, 3});
    for (std::size_t p = 0; p < 2; ++p) {
        const matrix m = square_matrix(3, static_cast<unsigned>(p + 20));
        std::copy(m.data(), m.data() + 9, c.data() + 9 * p);
    }
    return c;
}
matrix identity(std::size_t n) {
    return made<2>({n, n}, [](auto i, auto j) { return i == j ? 1 : 0; });
}
matrix transposed(const matrix& m) {
    return made<2>({m.shape()[1], m.shape()[0]}, [&](auto i, auto j) { return m(j, i); });
}
/// l r, by the formula.
matrix times(const matrix& l, const matrix& r) {
    return made<2>({l.shape()[0], r.shape()[1]}, [&](auto i, auto j) {
        double sum = 0;
        for (std::size_t k = 0; k < r.shape()[0]; ++k) sum += l(i, k) * r(k, j);
        return sum;
    });
}
vector times(const matrix& l, const vector& r) {
    return made<1>({l.shape()[0]}, [&](auto i) {
        double sum = 0;
        for (std::size_t k = 0; k < r.size(); ++k) sum += l(i, k) * r(k);
        return sum;
    });
}
cube times(const cube& l, const cube& r) {
    cube product({l.shape()[0], l.shape()[1], r.shape()[2]});
    for (std::size_t p = 0; p < l.shape()[0]; ++p) xt::view(product, p) = times(matrix(xt::view(l, p)), matrix(xt::view(r, p)));
    return product;
}
/// l diag(d)
matrix scaled(const matrix& l, const vector& d) {
    return made<2>({l.shape()[0], d.size()}, [&](auto i, auto j) { return l(i, j) * d(j); });
}
/// A symmetric, positive definite matrix made of any, and of each of a batch.
constexpr auto symmetric_of = [](auto m) { return m + transpose(m); };
constexpr auto each_symmetric = [](auto m) { return m + permute(m, 0, 2, 1); };

constexpr auto solution = [](auto m, auto r) { return solve(m, r); };
constexpr auto inverted = [](auto m) { return inverse(m); };
constexpr auto determinant = [](auto m) { return det(m); };
constexpr auto log_determinant = [](auto m) { return logdet(m); };
constexpr auto root = [](auto m) { return cholesky(m); };
constexpr auto symmetric_root = [](auto m) { return cholesky(symmetric_of(m)); };
constexpr auto eigenvalues = [](auto m) { return eigh(m).first; };
constexpr auto symmetric_eigenvalues = [](auto m) { return eigh(symmetric_of(m)).first; };
constexpr auto q_and_r = [](auto m) { return qr(m); };
constexpr auto q_of = [](auto m) { return qr(m).first; };
constexpr auto r_of = [](auto m) { return qr(m).second; };
constexpr auto three_factors = [](auto m) { return svd(m); };
constexpr auto singular_values = [](auto m) { return std::get<1>(svd(m)); };
// (Of vectors only the squares: their signs are anyone's choice.)
constexpr auto left_squares = [](auto m) { return square(std::get<0>(svd(m))); };
constexpr auto right_squares = [](auto m) { return square(std::get<2>(svd(m))); };

} // namespace

TEST_CASE("solve solves, for vectors, columns and batches") {
    CHECK(apart(times(a, evaluated(solution, a, u)), u) < 1e-14);
    CHECK(apart(times(a, evaluated(solution, a, b)), b) < 1e-14);
    CHECK(slopes_off(solution, a, u) < 1e-8);
    CHECK(slopes_off(solution, a, b) < 1e-8);
    CHECK(slope_off([](auto r, auto m) { return solve(transpose(m), r); }, u, a) < 1e-8);
    const cube m = batch(), r = numbers<double, 3>({2, 3, 2});
    CHECK(apart(times(m, evaluated(solution, m, r)), r) < 1e-14);
    CHECK(slopes_off(solution, m, r) < 1e-8);
    CHECK(slopes_off(solution, m, numbers<double, 2>({3, 2})) < 1e-8);
    CHECK(slopes_off(solution, m, numbers<double, 1>({3})) < 1e-8);
    CHECK_THROWS_AS(evaluated(solution, singular, vector{1, 2}), dyad::value_error);
    CHECK_THROWS_AS(evaluated(solution, a, vector{1, 2}), dyad::shape_error);
    CHECK_THROWS_AS(evaluated(solution, b, u), dyad::shape_error);
}
TEST_CASE("inverse and determinants agree with formulas and differences") {
    CHECK(apart(times(a, evaluated(inverted, a)), identity(4)) < 1e-14);
    CHECK(apart(times(batch(), evaluated(inverted, batch())), made<3>({2, 3, 3}, [](auto, auto i, auto j) { return i == j ? 1 : 0; })) < 1e-14);
    CHECK(slope_off(inverted, a) < 1e-8);
    CHECK(slope_off(inverted, batch()) < 1e-8);
    const matrix turned{{0, 2, 1}, {3, 0, 1}, {1, 1, 0}};
    CHECK(evaluated(determinant, turned) == doctest::Approx(5));
    CHECK(evaluated(determinant, matrix{{0, 1}, {1, 0}}) == doctest::Approx(-1));
    CHECK(evaluated(log_determinant, matrix{{0, 3}, {1, 0}}) == doctest::Approx(std::log(3.0)));
    CHECK(slope_off(determinant, a) < 1e-8);
    CHECK(slope_off(determinant, turned) < 1e-8);
    CHECK(slope_off(determinant, batch()) < 1e-8);
    CHECK(slope_off(log_determinant, a) < 1e-8);
    CHECK(slope_off(log_determinant, batch()) < 1e-8);
    CHECK(evaluated(determinant, singular) == doctest::Approx(0));
    CHECK(apart(dyad::grad(determinant)(singular), matrix{{4, -2}, {-2, 1}}) < 1e-12); // the cofactors
    CHECK(evaluated(log_determinant, singular) == -HUGE_VAL);
    CHECK_THROWS_AS(evaluated(inverted, singular), dyad::value_error);
}
TEST_CASE("of a matrix that is not symmetric, cholesky and eigh take the symmetric part, and so do their slopes") {
    for (const std::size_t n : {1U, 3U, 31U, 33U, 70U}) {
        const matrix any = square_matrix(n, 4), mean = (any + transposed(any)) / 2;
        CHECK(evaluated(root, any) == evaluated(root, mean));
        CHECK(evaluated(eigenvalues, any) == evaluated(eigenvalues, mean));
    }
    const matrix any = square_matrix(4, 5), along = square_matrix(4, 6);
    CHECK(slope_off(root, any) < 1e-8);
    CHECK(slope_off(eigenvalues, any) < 1e-8);
    CHECK(slope_off([](auto m) { return square(eigh(m).second); }, any) < 1e-8);
    CHECK(duality_off([](auto m) { return cholesky(m) * eigh(m).first; }, any, along) < 1e-12);
    CHECK(bend_off(root, any) < 1e-8);
}
TEST_CASE("cholesky agrees with its product and differences") {
    const matrix s = square_matrix(4, 3, true), l = evaluated(root, s);
    CHECK(apart(times(l, transposed(l)), s) < 1e-14);
    CHECK(l(0, 1) == 0);
    CHECK(l(1, 3) == 0);
    CHECK(slope_off(symmetric_root, a) < 1e-8);
    CHECK(bend_off(symmetric_root, a) < 1e-7);
    CHECK(slope_off([](auto m) { return cholesky(each_symmetric(m)); }, batch()) < 1e-8);
    CHECK(slope_off([](auto m) { return logdet(symmetric_of(m)) - 2 * sum(log(diag(cholesky(symmetric_of(m))))); }, a) < 1e-8);
    CHECK_THROWS_AS(evaluated(root, matrix{{1, 2}, {2, 1}}), dyad::value_error);
}
TEST_CASE("qr agrees with its product and differences") {
    for (const matrix& m : {a, tall, wide}) {
        const auto [q, r] = evaluated(q_and_r, m);
        CHECK(apart(times(q, r), m) < 1e-14);
        CHECK(apart(times(transposed(q), q), identity(q.shape()[1])) < 1e-14);
        for (std::size_t i = 1; i < r.shape()[0]; ++i) CHECK(r(i, i - 1) == 0);
    }
    for (const matrix& m : {a, tall}) {
        CHECK(slope_off(q_of, m) < 1e-8);
        CHECK(slope_off(r_of, m) < 1e-8);
    }
    CHECK(bend_off(r_of, tall) < 1e-7);
}
TEST_CASE("eigh agrees with its product and differences") {
    const matrix s = square_matrix(4, 3, true);
    const auto [values, vectors] = evaluated([](auto m) { return eigh(m); }, s);
    CHECK(apart(times(scaled(vectors, values), transposed(vectors)), s) < 1e-14);
    CHECK(std::is_sorted(values.begin(), values.end()));
    CHECK(slope_off(symmetric_eigenvalues, s) < 1e-8);
    CHECK(bend_off(symmetric_eigenvalues, a) < 1e-7);
    CHECK(slope_off([](auto m) { return square(eigh(symmetric_of(m)).second); }, s) < 1e-7);
    CHECK(apart(dyad::grad([](auto m) { return sum(eigh(m).first); })(identity(3)), identity(3)) < 1e-15);
    CHECK(slope_off([](auto m) { return eigh(each_symmetric(m)).first; }, batch()) < 1e-8);
}
TEST_CASE("svd agrees with its product and differences") {
    for (const matrix& m : {a, tall, wide}) {
        const auto [left, values, right] = evaluated(three_factors, m);
        CHECK(apart(times(scaled(left, values), right), m) < 1e-14);
        CHECK(std::is_sorted(values.rbegin(), values.rend()));
        CHECK(slope_off(singular_values, m) < 1e-8);
        CHECK(slope_off(left_squares, m) < 1e-7);
        CHECK(slope_off(right_squares, m) < 1e-7);
    }
    CHECK(bend_off(singular_values, tall) < 1e-7);
}
TEST_CASE("factorisations go forwards as they go backwards") {
    const matrix v = numbers<double, 2>({5, 3}, 2), h = numbers<double, 2>({3, 5}, 2);
    CHECK(duality_off([](auto m) { return solve(m, m * m) + inverse(m) * det(m); }, a, direction) < 1e-12);
    CHECK(duality_off([](auto m) { return cholesky(symmetric_of(m)) * logdet(m); }, a, direction) < 1e-12);
    CHECK(duality_off([](auto m) { return eigh(symmetric_of(m)).second * eigh(symmetric_of(m)).first; }, a, direction) < 1e-11);
    CHECK(duality_off([](auto m) { return matmul(qr(m).first, sin(qr(m).second)); }, tall, v) < 1e-12);
    CHECK(duality_off([](auto m) { return std::get<0>(svd(m)) * exp(std::get<1>(svd(m))); }, tall, v) < 1e-11);
    CHECK(duality_off([](auto m) { return std::get<2>(svd(m)) + matmul(std::get<0>(svd(m)), sin(std::get<2>(svd(m)))); }, wide, h) < 1e-11);
}
TEST_CASE("second derivatives of solutions, inverses and determinants agree with differences of the gradient") {
    CHECK(bend_off([](auto m) { return solve(m, m * m); }, a) < 1e-7);
    CHECK(bend_off(inverted, a) < 1e-7);
    CHECK(bend_off(log_determinant, a) < 1e-7);
    CHECK(curvature_off([](auto m) { return log(det(m)); }, a, direction) < 1e-7);
}
TEST_CASE("matrices that are not square are refused, and those of nothing have determinant 1") {
    CHECK_THROWS_AS(evaluated(inverted, b), dyad::shape_error);
    CHECK_THROWS_AS(evaluated(determinant, b), dyad::shape_error);
    CHECK_THROWS_WITH_AS(evaluated(log_determinant, wide), "[dyad] logdet: Incompatible shapes: [3,5]", dyad::shape_error);
    CHECK_THROWS_AS(evaluated(root, b), dyad::shape_error);
    CHECK_THROWS_WITH_AS(evaluated(eigenvalues, b), "[dyad] eigh: Incompatible shapes: [4,3]", dyad::shape_error);
    const matrix none(std::array<std::size_t, 2>{0, 0});
    CHECK(evaluated(determinant, none) == 1);
    CHECK(evaluated(log_determinant, none) == 0);
    CHECK(evaluated(inverted, none).size() == 0);
}
TEST_CASE("a NaN among the numbers makes the results NaN, of every factorisation") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const matrix upper{{1, nan}, {0, 1}}, full{{2, nan}, {nan, 3}};
    const auto all_nan = [](const auto& x) { return !xt::any(!xt::isnan(x)); };
    CHECK(all_nan(evaluated(solution, upper, vector{3, 4}) * vector{1, nan}));
    CHECK(std::isnan(evaluated(solution, upper, vector{3, 4})(0)));
    CHECK(std::isnan(evaluated(solution, matrix{{2, 0}, {0, 2}}, vector{nan, 4})(0)));
    const xt::xtensor<float, 1> single = evaluated(solution, xt::xtensor<float, 2>{{1, NAN}, {0, 1}}, xt::xtensor<float, 1>{3, 4});
    CHECK(std::isnan(single(0)));
    CHECK(std::isnan(evaluated(determinant, full)));
    CHECK(std::isnan(evaluated(log_determinant, full)));
    CHECK(all_nan(evaluated(inverted, full)));
    const matrix spoiled = evaluated(root, full);
    CHECK((std::isnan(spoiled(1, 0)) && std::isnan(spoiled(1, 1))));
    CHECK(all_nan(slope_of(root)(full).second));
    CHECK(all_nan(std::get<0>(evaluated(q_and_r, full))));
    CHECK(all_nan(evaluated(eigenvalues, full)));
    CHECK(all_nan(dyad::grad(determinant)(full)));
    CHECK(all_nan(std::get<1>(evaluated(three_factors, full))));
}
TEST_CASE("qr, svd and diag of each matrix of a batch") {
    for (const cube& m : {batch(), numbers<double, 3>({2, 4, 3}, 5)}) {
        const auto [q, r] = evaluated(q_and_r, m);
        const auto [left, values, right] = evaluated(three_factors, m);
        CHECK(apart(times(q, r), m) < 1e-14);
        for (std::size_t p = 0; p < 2; ++p) {
            const auto [q_alone, r_alone] = evaluated(q_and_r, matrix(xt::view(m, p)));
            CHECK(apart(matrix(xt::view(q, p)), q_alone) < 1e-14);
            CHECK(apart(matrix(xt::view(r, p)), r_alone) < 1e-14);
            const vector of_one = xt::view(values, p);
            CHECK(apart(of_one, std::get<1>(evaluated(three_factors, matrix(xt::view(m, p))))) < 1e-14);
            CHECK(apart(times(scaled(matrix(xt::view(left, p)), of_one), matrix(xt::view(right, p))), matrix(xt::view(m, p))) < 1e-14);
        }
        CHECK(slope_off(q_of, m) < 1e-8);
        CHECK(slope_off(r_of, m) < 1e-8);
        CHECK(slope_off(singular_values, m) < 1e-8);
        CHECK(slope_off(right_squares, m) < 1e-7);
    }
    constexpr auto diagonals = [](auto m) { return diag(m); };
    CHECK(evaluated(diagonals, batch()) == made<2>({2, 3}, [m = batch()](auto p, auto i) { return m(p, i, i); }));
    CHECK(slope_off(diagonals, batch()) < 1e-9);
}
TEST_CASE("second derivatives through singular values, also where compilers fuse multiplications with subtractions") {
    const matrix at{{0.3, -0.2, 0.4}, {0.1, 0.45, -0.3}, {-0.35, 0.25, 0.15}}, along{{0.1, 0.2, -0.3}, {0.2, -0.1, 0.4}, {0.3, 0.1, 0.2}};
    const auto cubes = [](auto m) { const auto s = std::get<1>(svd(m)); return sum(s * s * s); };
    CHECK(curvature_off(cubes, at, along) < 1e-8);
}
TEST_CASE("the errors say which matrix cannot be factorised, and where") {
    const matrix zero_first{{0, 0}, {1, 2}}; // (pivot k is 0 where row k is made of those before it)
    CHECK_THROWS_WITH_AS(evaluated(solution, singular, vector{1, 2}), "[dyad] solve: the matrix is singular (pivot 1 is 0)", dyad::value_error);
    CHECK_THROWS_WITH_AS(evaluated(inverted, zero_first), "[dyad] inverse: the matrix is singular (pivot 0 is 0)", dyad::value_error);
    CHECK_THROWS_WITH_AS(slope_of(inverted)(singular), "[dyad] inverse: the matrix is singular (pivot 1 is 0)", dyad::value_error);
    CHECK_THROWS_WITH_AS(evaluated(root, matrix{{1, 2}, {2, 1}}), "[dyad] cholesky: the matrix is not positive definite (leading minor 2)", dyad::value_error);
}

TEST_CASE("solve exchanges rows, of several columns and in a batch") {
    const xt::xtensor<double, 2> turned{{0, 2, 0}, {0, 0, 4}, {1, 0, 0}}, both{{2, 4}, {8, 12}, {5, 7}};
    CHECK(dyad::solve(turned, both) == xt::xtensor<double, 2>{{5, 7}, {1, 2}, {2, 3}});
    const xt::xtensor<float, 3> batch{{{0, 1}, {2, 0}}, {{2, 0}, {0, 4}}}, right{{{3, 5, 7}, {2, 4, 6}}, {{2, 4, 6}, {4, 8, 12}}};
    CHECK(dyad::solve(batch, right) == xt::xtensor<float, 3>{{{1, 2, 3}, {3, 5, 7}}, {{1, 2, 3}, {1, 2, 3}}});
    for (double d = 1; d < 50; ++d) CHECK(dyad::solve(xt::xtensor<double, 2>{{d, 0}, {0, 3}}, xt::xtensor<double, 1>{5, 7}) == xt::xtensor<double, 1>{5 / d, 7 / 3.0});
    const auto large = square_matrix(70, 5), columns = numbers<double, 2>({70, 33});
    CHECK(apart(xt::xtensor<double, 2>(dyad::matmul(large, dyad::solve(large, columns))), columns) < 1e-13);
}

TEST_CASE("triangles are solved as such, to the values and slopes of any other matrix: lower, upper, transposed, of floats, in a batch") {
    const matrix S = square_matrix(4, 3, true);
    const auto same = [&]<class Triangle>(Triangle triangle, const auto& right) {
        constexpr auto solved = [](auto m, auto r) { return solve(Triangle{}(m), r); };
        CHECK(apart(times(evaluated(triangle, S), evaluated(solved, S, right)), right) < 1e-12);
        CHECK(slopes_off(solved, S, right) < 1e-7);
    };
    same(root, b);
    same([](auto m) { return transpose(cholesky(m)); }, u);
    same([](auto m) { return triu(m); }, b);
    same([](auto m) { return transpose(tril(m, 0)); }, u);
    same([](auto m) { return tril(m, 1); }, b); // is none
    same([](auto m) { return triu(m, -1); }, u);
    same(r_of, b);
    const xt::xtensor<float, 2> f = S, g = b;
    const xt::xtensor<float, 2> z = dyad::evaluate([](auto m, auto r) { const auto l = cholesky(m); return solve(transpose(l), solve(l, r)); }, f, g);
    CHECK(apart(matrix(z), dyad::evaluate(solution, S, b)) < 1e-5);
    const cube c = batch(), r = numbers<double, 3>({2, 3, 2}, 4);
    CHECK(apart(dyad::evaluate([](auto m, auto v) { const auto t = triu(m); return matmul(t, solve(t, v)); }, c, r), r) < 1e-13);
    CHECK_THROWS_WITH_AS(dyad::evaluate([](auto m, auto v) { return solve(tril(m), v); }, matrix{{1, 2}, {2, 0}}, vector{1, 2}), doctest::Contains("solve: "), dyad::value_error);
    CHECK_THROWS_AS(dyad::evaluate([](auto m, auto v) { return solve(tril(m, -1), v); }, S, u), dyad::value_error);
}
