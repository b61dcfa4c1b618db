// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// map and vmap of bodies that work with rows: what they compute for all rows at once is what the function gives for each.
#include <doctest/doctest.h>

#include <dyad/array.hpp>

#include <cmath>
#include <tuple>
#include <type_traits>
#include <vector>

#include "differences.hpp"
#include "worse.hpp"

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
using differences::numbers;

/// The elements of what a plain function gives for each row and number, one after another.
template <class Plain>
std::vector<double> of_each_row(const Plain& plain, const matrix& X, const vector& y) {
    std::vector<double> all;
    for (std::size_t i = 0; i < X.shape(0); ++i) {
        const auto one = plain(vector(xt::row(X, static_cast<std::ptrdiff_t>(i))), y(i));
        if constexpr (std::is_same_v<decltype(one), const double>) all.push_back(one);
        else all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}
/// How far `vmap(f)(X, y)` is from the plain function at each row and number, and its gradient of a weighted sum from differences of
/// that; whether a loop of the graph's is left.
template <class F, class Plain>
double rows_off(const F& f, const Plain& plain, const matrix& X, const vector& y, bool in_loop) {
    const auto all = dyad::vmap(f)(X, y);
    const std::vector<double> wanted = of_each_row(plain, X, y);
    REQUIRE(all.size() == wanted.size());
    double off = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k) off = dyad_test::worse(off, std::abs(all.data()[k] - wanted[k]));
    constexpr auto weighted = [](auto rows, auto numbers_beside) {
        const auto results = dyad::vmap(F{})(rows, numbers_beside);
        return sum(results * sin(results + 0.5));
    };
    constexpr auto plan = dyad::plan_of<matrix, vector>(dyad::value_and_grad(weighted));
    bool loops = false;
    for (std::size_t i = 0; i < plan.graph.size; ++i) loops = loops || plan.graph[i].op == dyad::opcode::call;
    CHECK(loops == in_loop);
    const auto [by_rows, by_numbers] = dyad::grad(weighted)(X, y);
    const auto plain_weighted = [&](const matrix& rows, const vector& numbers_beside) {
        double total = 0;
        for (const double e : of_each_row(plain, rows, numbers_beside)) total += e * std::sin(e + 0.5);
        return total;
    };
    const matrix slopes = differences::gradient(plain_weighted, X, y);
    const vector slopes_beside = differences::gradient([&](const vector& at) { return plain_weighted(X, at); }, y);
    CHECK(differences::apart(by_rows, slopes) < 1e-6);
    CHECK(differences::apart(by_numbers, slopes_beside) < 1e-6);
    return off;
}
const matrix X = numbers<double, 2>({5, 3}), one_row = numbers<double, 2>({1, 3}, 3), long_rows = numbers<double, 2>({3, 21}, 4);
const vector y = numbers<double, 1>({5}, 2), one = numbers<double, 1>({1}, 5), three = numbers<double, 1>({3}, 6);

template <class F, class Plain>
void check(const F& f, const Plain& plain, bool in_loop = false) {
    CHECK(rows_off(f, plain, X, y, in_loop) < 1e-14);
    CHECK(rows_off(f, plain, one_row, one, in_loop) < 1e-14);
    CHECK(rows_off(f, plain, long_rows, three, in_loop) < 1e-13);
}
double total(const vector& r) {
    return xt::sum(r)();
}
double squares(const vector& r) {
    return xt::sum(r * r)();
}

} // namespace

TEST_CASE("sums, extrema and what is computed with them, for all rows at once") {
    check([](auto r, auto s) { return sum(r * r) * s + dyad::max(r); }, [](const vector& r, double s) { return squares(r) * s + xt::amax(r)(); });
    check([](auto r, auto s) { return r * sum(r) + s; }, [](const vector& r, double s) { return vector(r * total(r) + s); });
    check([](auto r, auto s) { return dyad::mean(r) * dyad::norm(r) - s; },
          [](const vector& r, double s) { return total(r) / static_cast<double>(r.size()) * std::sqrt(squares(r)) - s; });
    check([](auto r, auto s) { return dyad::softmax(r * s); }, [](const vector& r, double s) {
        const vector e = xt::exp(r * s);
        return vector(e / total(e));
    });
    check([](auto r, auto s) { return dyad::logsumexp(r) + dyad::var(r) / (2 + s); }, [](const vector& r, double s) {
        const double mean = total(r) / static_cast<double>(r.size());
        return std::log(total(xt::exp(r))) + (squares(r) / static_cast<double>(r.size()) - mean * mean) / (2 + s);
    });
    check([](auto r, auto s) { return dyad::prod(1 + 0.1 * r) * s; }, [](const vector& r, double s) { return xt::prod(1 + 0.1 * r)() * s; });
}
TEST_CASE("elements, parts and axes of rows") {
    check([](auto r, auto s) { return sin(r[0]) + r[1] * s + r[-1]; }, [](const vector& r, double s) { return std::sin(r(0)) + r(1) * s + r(r.size() - 1); });
    check([](auto r, auto s) { return dyad::slice(r, 0, 1) - s * dyad::slice(r, 0, 0, -1); },
          [](const vector& r, double s) { return vector(xt::view(r, xt::range(1, r.size())) - s * xt::view(r, xt::range(0, r.size() - 1))); });
    check([](auto r, auto s) { return sum(expand_dims(r, 1) * r, 1) * s; }, [](const vector& r, double s) { return vector(r * total(r) * s); });
    check([](auto r, auto s) { return dyad::stack(std::tuple{r[0] * s, r[1], r[2]}); }, [](const vector& r, double s) { return vector{r(0) * s, r(1), r(2)}; });
    check([](auto r, auto s) { return dyad::flip(r) * dyad::concatenate(std::tuple{dyad::slice(r, 0, 1), dyad::slice(r, 0, 0, 1)}) + s; },
          [](const vector& r, double s) {
              vector all = r;
              for (std::size_t k = 0; k < r.size(); ++k) all(k) = r(r.size() - 1 - k) * r((k + 1) % r.size()) + s;
              return all;
          });
    check([](auto r, auto) { return r; }, [](const vector& r, double) { return r; });
}
TEST_CASE("sizes of rows are theirs, not those of all rows") {
    check([](auto r, auto s) { return sum(r * r) / r.size() + s * r.shape(0); }, [](const vector& r, double s) {
        const double n = static_cast<double>(r.size());
        return squares(r) / n + s * n;
    });
    check([](auto r, auto s) { return sum(r) * dyad::full(s, r.shape(0)) + 1.0; }, [](const vector& r, double s) { return std::vector<double>(r.size(), total(r) * s + 1); });
    check([](auto r, auto s) { return dyad::broadcast_to(sum(r * r) * s, 2, 3); }, [](const vector& r, double s) { return std::vector<double>(6, squares(r) * s); });
    const auto products = [](const vector& r, double s) { return std::vector<double>(r.size(), total(r) * s); };
    check([](auto r, auto s) { return sum(r) * s + dyad::zeros(r.shape(0)) + dyad::zeros_like(r); }, products);
    check([](auto r, auto s) { return dyad::zeros(r.size()) + sum(r) * s; }, products);
}
TEST_CASE("planes: turned, summed along their axes, and with what is the same for all") {
    const cube Z = numbers<double, 3>({3, 4, 2}, 7);
    const matrix W = numbers<double, 2>({2, 4}, 8);
    const auto f = [](auto z, auto w) { return transpose(z) * w + transpose(sum(z, 0, dyad::keep_dims)) - dyad::max(z, 1); };
    const auto all = [](auto z, auto w) { return dyad::map([&](auto plane) { return decltype(f){}(plane, w); }, z); };
    static_assert(dyad::plan_of<cube, matrix>(all).calls() == 0);
    const cube got = dyad::evaluate(all, Z, W);
    REQUIRE(got.shape() == std::array<std::size_t, 3>{3, 2, 4});
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
            const double column = Z(i, 0, j) + Z(i, 1, j) + Z(i, 2, j) + Z(i, 3, j);
            for (std::size_t k = 0; k < 4; ++k) {
                const double wanted = Z(i, k, j) * W(j, k) + column - std::max(Z(i, k, 0), Z(i, k, 1));
                CHECK(got(i, j, k) == doctest::Approx(wanted).epsilon(1e-14));
            }
        }
    }
    const auto sines = [](auto z, auto w) { return sum(sin(decltype(all){}(z, w))); };
    CHECK(differences::gradient_off(sines, Z, W) < 1e-7);
}
TEST_CASE("what a body cannot do for all rows stays a loop") {
    check([](auto r, auto s) { return cumsum(r) * s; }, [](const vector& r, double s) { return vector(xt::cumsum(r) * s); }, true);
    check([](auto r, auto s) { return dyad::fori_loop(2, [&](auto, auto t) { return t * s; }, sum(r)); },
          [](const vector& r, double s) { return total(r) * s * s; }, true);
}
TEST_CASE("gradients and Hessians of each row") {
    constexpr auto f = [](auto r, auto s) { return sum(r * r * r) * s + r[0] * r[1]; };
    const matrix slopes = dyad::vmap(dyad::grad<0>(f))(X, y);
    const cube second = dyad::vmap(dyad::hessian<0>(f))(X, y);
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            const double cross = j == 0 ? X(i, 1) : j == 1 ? X(i, 0) : 0;
            CHECK(slopes(i, j) == doctest::Approx(3 * X(i, j) * X(i, j) * y(i) + cross).epsilon(1e-13));
            for (std::size_t k = 0; k < 3; ++k) {
                const double wanted = (j == k ? 6 * X(i, j) * y(i) : 0) + (j + k == 1 ? 1 : 0);
                CHECK(second(i, j, k) == doctest::Approx(wanted).epsilon(1e-13));
            }
        }
    }
}
TEST_CASE("batches of batches, and arrays that are the same for all rows") {
    const cube Z = numbers<double, 3>({2, 5, 3}, 7);
    const matrix W = numbers<double, 2>({4, 3}, 8), V = numbers<double, 2>({2, 5}, 9);
    const auto nested = [](auto z, auto v, auto w) {
        return dyad::vmap([&](auto plane, auto along) {
            return dyad::vmap([&](auto row, auto number) { return sum(w * row, 1) * number + sum(row) * sum(along); })(plane, along);
        })(z, v);
    };
    constexpr auto plan = dyad::plan_of<cube, matrix, matrix>(nested);
    static_assert(plan.calls() == 0);
    const cube got = dyad::evaluate(nested, Z, V, W);
    CHECK(got.shape() == std::array<std::size_t, 3>{2, 5, 4});
    for (std::size_t i = 0; i < 2; ++i) {
        double along = 0;
        for (std::size_t j = 0; j < 5; ++j) along += V(i, j);
        for (std::size_t j = 0; j < 5; ++j) {
            const double row = Z(i, j, 0) + Z(i, j, 1) + Z(i, j, 2);
            for (std::size_t k = 0; k < 4; ++k) {
                const double dot = W(k, 0) * Z(i, j, 0) + W(k, 1) * Z(i, j, 1) + W(k, 2) * Z(i, j, 2);
                CHECK(got(i, j, k) == doctest::Approx(dot * V(i, j) + row * along).epsilon(1e-13));
            }
        }
    }
    CHECK(differences::gradient_off([](auto z, auto v, auto w) { return sum(square(decltype(nested){}(z, v, w))); }, Z, V, W) < 1e-5);
    CHECK_THROWS_AS(static_cast<void>(dyad::evaluate(nested, Z, matrix(xt::view(V, xt::all(), xt::range(0, 1))), W)), dyad::shape_error);
}
TEST_CASE("rows side by side are as many, whatever stretches in a body; none is none") {
    const auto product = [](auto r, auto s) { return r * s; };
    const auto loss = [](auto rows, auto beside) { return sum(dyad::vmap([](auto r, auto s) { return sum(r) * s; })(rows, beside)); };
    const char* const message = "[dyad] scan, map, vmap: the arrays have 5 and 1 elements along their first axes: [5,3] vs. [1]";
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::vmap(product)(X, one)), message, dyad::shape_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::value_and_grad(loss)(X, one)), message, dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::vmap(product)(one_row, y)), dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::vmap([](auto a, auto b) { return a + b; })(one, y)), dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::jvp(loss)(std::tuple{X, one}, std::tuple{X, one})), dyad::shape_error);
    const matrix none = xt::zeros<double>({0, 3});
    const vector no_numbers = xt::zeros<double>({0});
    CHECK(dyad::vmap(product)(none, no_numbers).shape() == std::array<std::size_t, 2>{0, 3});
    CHECK(dyad::value_and_grad(loss)(none, no_numbers).first == 0);
}
