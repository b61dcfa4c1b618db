// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Factorisations by cuSOLVER agree with LAPACK's on the host: their arrangement, errors and edges, with a stand-in for the
// library (tests/device/stand_in) that holds it to cuSOLVER's argument lists.
#include <limits>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "agreement.hpp"

using namespace agreement;

namespace {

using stack = xt::xtensor<double, 3>;

matrix positive(std::size_t n) {
    matrix a = wave(n, n, 0.3);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) a(i, j) = a(j, i);
        a(i, i) += 3.0 * static_cast<double>(n);
    }
    return a;
}
/// Of full rank, unlike a wave of more than three rows and columns.
template <class X>
X full(X x) {
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(0.9 * static_cast<double>(i * i % 37) + 0.1 * static_cast<double>(i));
    return x;
}
matrix general(std::size_t rows, std::size_t columns) { return full(matrix({rows, columns})); }
stack stacked(std::size_t planes, std::size_t rows, std::size_t columns) { return full(stack({planes, rows, columns})); }
constexpr auto solution = [](auto a, auto b) { return solve(a, b); };
constexpr auto inverse_of = [](auto x) { return inverse(x); };
constexpr auto factor = [](auto x) { return cholesky(x); };
constexpr auto determinant = [](auto x) { return det(0.1 * x) * 3.0; };
constexpr auto absolute_vectors = [](auto x) {
    const auto [u, s, v] = svd(x);
    return std::tuple{abs(u), s, abs(v)};
};
template <class F, class... X>
void fails(F f, const char* text, const X&... x) {
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::evaluate(f, placed(x)...)), text, dyad::value_error);
}

} // namespace

TEST_CASE("systems: vectors, columns, stacks, one matrix for a whole stack and the other way round") {
    const matrix a = positive(5), b = wave(5, 3, 0.6);
    CHECK(values_agree(solution, a, wave(5, 0.1)));
    CHECK(values_agree(solution, a, b));
    CHECK(values_agree([](auto x, auto y) { return solve(transpose(x), slice(y, 0, 0, 9, 2)); }, a, wave(9, 3, 0.2)));
    const stack squares = stacked(4, 3, 3), columns = stacked(4, 3, 2);
    CHECK(values_agree(solution, squares, columns));
    CHECK(values_agree(solution, squares, wave(3, 2, 0.4)));
    CHECK(values_agree(solution, wave(3, 3, 0.9), columns));
    CHECK(agrees([](auto x, auto y) { return sum(sin(solve(x, y))) * 2.0; }, a, b));
    CHECK(values_agree(solution, matrix(xt::ones<double>({1, 1})), matrix(xt::ones<double>({1, 1}))));
    CHECK(values_agree(solution, matrix(xt::zeros<double>({0, 0})), matrix(xt::zeros<double>({0, 2}))));
    CHECK(values_agree(solution, a, matrix(xt::zeros<double>({5, 0}))));
}
TEST_CASE("inverses, Cholesky factors, determinants with their signs and slopes") {
    const matrix a = positive(5);
    matrix odd = a;
    for (std::size_t j = 0; j < 5; ++j) std::swap(odd(1, j), odd(3, j));
    constexpr auto all = [](auto x) { return std::tuple{inverse(x), det(0.1 * x), logdet(x)}; };
    CHECK(values_agree(all, a));
    CHECK(values_agree(all, odd));
    CHECK(values_agree(all, stacked(4, 3, 3)));
    CHECK(values_agree(factor, a));
    CHECK(agrees([](auto x) { return sum(square(inverse(x))) + det(0.1 * x) * 2.0 + sum(exp(0.1 * cholesky(x))); }, a));
    CHECK(agrees([](auto x) { return sum(sin(det(x))) + sum(logdet(x)); }, stacked(2, 3, 3)));
    const matrix none = xt::zeros<double>({0, 0});
    CHECK(values_agree(all, none));
    CHECK(values_agree(factor, none));
    matrix singular = a; // whose determinant still has slopes
    for (std::size_t j = 0; j < 5; ++j) singular(4, j) = 2 * singular(2, j);
    CHECK(agrees(determinant, singular));
}
TEST_CASE("factors by reflections, tall and wide") {
    constexpr auto both = [](auto x) { return qr(x); };
    CHECK(values_agree(both, general(7, 4)));
    CHECK(values_agree(both, general(4, 7)));
    CHECK(values_agree(both, stacked(3, 4, 2)));
    CHECK(values_agree(both, matrix(xt::zeros<double>({3, 0}))));
    CHECK(agrees([](auto x) {
        const auto [q, r] = qr(x);
        return sum(q * q * q) + sum(sin(r));
    }, general(7, 4)));
}
TEST_CASE("eigenvalues and singular values, whatever the signs of their vectors") {
    constexpr auto eigen = [](auto x) {
        const auto [w, v] = eigh(x);
        return std::tuple{w, abs(v)};
    };
    CHECK(values_agree(eigen, positive(6)));
    CHECK(values_agree(eigen, matrix(xt::zeros<double>({0, 0}))));
    CHECK(agrees([](auto x) { return sum(exp(0.1 * eigh(x).first)) * 2.0; }, positive(4)));
    constexpr auto singular = [](auto x) {
        const auto [u, s, v] = svd(x);
        return std::tuple{abs(u), s, abs(v), sum(u * permute(v, 1, 0))};
    };
    CHECK(values_agree(singular, general(4, 4)));
    CHECK(values_agree(absolute_vectors, general(7, 4)));
    CHECK(values_agree(absolute_vectors, general(4, 7)));
    CHECK(values_agree(absolute_vectors, stacked(3, 2, 4)));
    CHECK(values_agree(absolute_vectors, matrix(xt::zeros<double>({0, 4}))));
    CHECK(agrees([](auto x) { return sum(exp(0.1 * std::get<1>(svd(x)))); }, general(4, 7)));
}
TEST_CASE("what the host does with a NaN") {
    const auto is_nan = [](const auto& x) {
        const auto back = dyad::to_host(x);
        return std::all_of(back.begin(), back.end(), [](double v) { return std::isnan(v); });
    };
    matrix a = positive(4);
    a(2, 2) = std::numeric_limits<double>::quiet_NaN();
    const auto ga = placed(a);
    CHECK(is_nan(dyad::evaluate([](auto x) { return eigh(x).first; }, ga))); // without vectors
    CHECK(is_nan(std::get<0>(dyad::evaluate(absolute_vectors, ga))));
    CHECK(is_nan(dyad::evaluate([](auto x) { return std::get<1>(svd(x)); }, ga)));
    const auto [value, slope] = dyad::value_and_grad(determinant)(ga);
    CHECK(std::isnan(value));
    CHECK(is_nan(slope));
    stack mixed = stacked(3, 3, 3); // the others have results
    mixed(1, 0, 2) = a(2, 2);
    const auto s = dyad::to_host(dyad::evaluate([](auto x) { return std::get<1>(svd(x)); }, placed(mixed)));
    for (std::size_t p = 0; p < 3; ++p) {
        for (std::size_t k = 0; k < 3; ++k) CHECK(std::isnan(s(p, k)) == (p == 1));
    }
}
TEST_CASE("matrices that have no answer, and calls that fail, leave the target as it was") {
    const matrix a = positive(4);
    matrix singular = a;
    for (std::size_t j = 0; j < 4; ++j) singular(3, j) = 0;
    fails(solution, "[dyad] solve: the matrix is singular (pivot 3 is 0)", singular, wave(4, 0.1));
    fails(inverse_of, "[dyad] inverse: the matrix is singular (pivot 3 is 0)", singular);
    fails(factor, "[dyad] cholesky: the matrix is not positive definite (leading minor 1)", matrix(-1.0 * a));
    constexpr auto f = [](auto x) { return eigh(x).second; };
    auto out = placed(a);
    for (const int call : {1, 2}) {
        stand_in::refused_call = call;
        if (call == 1) CHECK_THROWS_WITH_AS(dyad::evaluate_into(out, f, placed(singular)), "[dyad] cusolverDnXsyevd(4 x 4, on Thrust CPP): CUSOLVER_STATUS_EXECUTION_FAILED (6)", dyad::device_error);
        if (call == 2) CHECK_THROWS_WITH_AS(dyad::evaluate_into(out, inverse_of, placed(a)), "[dyad] cusolverDnXgetrs(4 x 4, on Thrust CPP): CUSOLVER_STATUS_EXECUTION_FAILED (6)", dyad::device_error);
        CHECK(stand_in::refused_call == 0);
    }
    CHECK_THROWS_AS(dyad::evaluate_into(out, inverse_of, placed(singular)), dyad::value_error);
    CHECK(same_numbers(a, out));
}
TEST_CASE("nothing but a verdict comes to the host, other element types, a handle for each thread") {
    const auto ga = placed(positive(4));
    const auto gb = placed(wave(4, 0.1));
    const auto before = dyad::device::transfers();
    const auto x = dyad::evaluate(solution, ga, gb);
    const auto after = dyad::device::transfers();
    CHECK(after.to_device == before.to_device);
    CHECK(after.bytes_to_host - before.bytes_to_host == 2 * sizeof(int));

    const auto narrow = dyad::to_device(xt::xtensor<float, 2>(xt::cast<float>(positive(4))));
    constexpr auto all = [](auto a) {
        const auto [q, r] = qr(a);
        return sum(inverse(a)) + det(0.1F * a) + sum(cholesky(a)) + sum(eigh(a).first) + sum(std::get<1>(svd(a))) + sum(abs(q)) + sum(abs(r));
    };
    CHECK(dyad::evaluate(all, narrow) == doctest::Approx(dyad::evaluate(all, positive(4))).epsilon(1e-5));

    const int handles = stand_in::open_handles;
    std::thread([&] {
        static_cast<void>(dyad::to_host(dyad::evaluate(inverse_of, ga)));
        static_cast<void>(dyad::to_host(dyad::evaluate(inverse_of, ga)));
        CHECK(stand_in::open_handles == handles + 1);
    }).join();
    CHECK(stand_in::open_handles == handles);
    CHECK(stand_in::open_params == handles);
}
