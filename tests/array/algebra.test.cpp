// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Products: matmul (vectors, matrices, batches, transposed and cut operands), dot, outer, tensordot, trace, diag.
// Values against loops, gradients against differences, forward against reverse, second derivatives.

#include "differences.hpp"

#include <doctest/doctest.h>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using cube = xt::xtensor<double, 3>;
const vector u = numbers<double, 1>({4}), w = numbers<double, 1>({3}, 2);
const matrix a = numbers<double, 2>({3, 4}, 3), b = numbers<double, 2>({4, 5}, 4), s = numbers<double, 2>({4, 4}, 5);
const cube x = numbers<double, 3>({2, 3, 4}, 6), y = numbers<double, 3>({2, 4, 5}, 7);

/// Σ over k < 4 of term(k).
double over(auto term) {
    double total = 0;
    for (std::size_t k = 0; k < 4; ++k) total += term(k);
    return total;
}
double product(std::size_t i, std::size_t j) {
    return over([&](auto k) { return a(i, k) * b(k, j); });
}

template <class R>
struct weighted_pair {
    constexpr auto operator()(auto l, auto r, auto c) const { return sum(c * R{}(2 * l, r)); }
};
/// The values are those expected, the gradients by either operand are those of differences.
template <class R, class X, class Y, class Expected>
void check(R r, const X& left, const Y& right, const Expected& expected) {
    const auto found = evaluated(r, left, right);
    static_assert(std::is_same_v<std::remove_const_t<decltype(found)>, Expected>);
    CHECK(apart(found, expected) < 1e-14);
    const auto both = dyad::value_and_grad<0, 1>(weighted_pair<R>{});
    const auto weights = weights_for(found);
    const auto [by_left, by_right] = both(left, right, weights).second;
    CHECK(apart(by_left, gradient([&](const X& l) { return both(l, right, weights).first; }, left)) < 1e-8);
    CHECK(apart(by_right, gradient([&](const Y& r_) { return both(left, r_, weights).first; }, right)) < 1e-8);
}
constexpr auto multiply = [](auto l, auto r) { return matmul(l, r); };
constexpr auto inner_product = [](auto l, auto r) { return dot(l, r); };

} // namespace

TEST_CASE("matmul of vectors and matrices agrees with loops") {
    check(multiply, a, b, made<2>({3, 5}, product));
    check(multiply, a, u, made<1>({3}, [](auto i) { return over([&](auto k) { return a(i, k) * u(k); }); }));
    check(multiply, u, b, made<1>({5}, [](auto j) { return over([&](auto k) { return u(k) * b(k, j); }); }));
    check(multiply, u, vector(3 * u), over([](auto k) { return 3 * u(k) * u(k); }));
    check(multiply, matrix{{2}}, matrix{{3}}, matrix{{6}});
    const matrix row = numbers<double, 2>({1, 4}), column = numbers<double, 2>({4, 1}, 2);
    check(multiply, row, b, made<2>({1, 5}, [&](auto, auto j) { return over([&](auto k) { return row(0, k) * b(k, j); }); }));
    check(multiply, a, column, made<2>({3, 1}, [&](auto i, auto) { return over([&](auto k) { return a(i, k) * column(k, 0); }); }));
    check(multiply, column, row, made<2>({4, 4}, [&](auto i, auto j) { return column(i, 0) * row(0, j); }));
}
TEST_CASE("matmul of batches agrees with loops") {
    const auto both = [](std::size_t p, std::size_t i, std::size_t j) { return over([&](auto k) { return x(p, i, k) * y(p, k, j); }); };
    check(multiply, x, y, made<3>({2, 3, 5}, both));
    check(multiply, x, b, made<3>({2, 3, 5}, [](auto p, auto i, auto j) { return over([&](auto k) { return x(p, i, k) * b(k, j); }); }));
    check(multiply, a, y, made<3>({2, 3, 5}, [](auto p, auto i, auto j) { return over([&](auto k) { return a(i, k) * y(p, k, j); }); }));
    check(multiply, x, u, made<2>({2, 3}, [](auto p, auto i) { return over([&](auto k) { return x(p, i, k) * u(k); }); }));
    check(multiply, u, y, made<2>({2, 5}, [](auto p, auto j) { return over([&](auto k) { return u(k) * y(p, k, j); }); }));
    const auto thin = xt::xtensor<double, 4>(numbers<double, 4>({3, 2, 1, 4}));
    check(multiply, thin, y, made<4>({3, 2, 1, 5}, [&](auto q, auto p, auto, auto j) { return over([&](auto k) { return thin(q, p, 0, k) * y(p, k, j); }); }));
}
TEST_CASE("matmul reads transposed and cut operands") {
    const matrix at = made<2>({4, 3}, [](auto i, auto j) { return a(j, i); }), bt = made<2>({5, 4}, [](auto i, auto j) { return b(j, i); });
    check([](auto l, auto r) { return matmul(transpose(l), r); }, at, b, made<2>({3, 5}, product));
    check([](auto l, auto r) { return matmul(l, transpose(r)); }, a, bt, made<2>({3, 5}, product));
    check([](auto l, auto r) { return transpose(matmul(transpose(r), transpose(l))); }, a, b, made<2>({3, 5}, product));
    check([](auto l, auto r) { return matmul(slice(l, 0, 1), slice(r, 1, 1, 5, 2)); }, a, b, made<2>({2, 2}, [](auto i, auto j) { return product(i + 1, 2 * j + 1); }));
    check([](auto l, auto r) { return matmul(flip(l, 1), flip(r, 0)); }, a, b, made<2>({3, 5}, product));
    check([](auto l, auto r) { return matmul(flip(l, 0), r); }, a, u, made<1>({3}, [](auto i) { return over([&](auto k) { return a(2 - i, k) * u(k); }); }));
    check([](auto l, auto r) { return matmul(l, flip(r)); }, a, u, made<1>({3}, [](auto i) { return over([&](auto k) { return a(i, k) * u(3 - k); }); }));
    check([](auto l, auto r) { return matmul(slice(l, 1, 0, 4, 2), slice(r, 0, 1, 4, 2)); }, a, u, made<1>({3}, [](auto i) { return a(i, 0) * u(1) + a(i, 2) * u(3); }));
    check([](auto l, auto r) { return matmul(permute(l, 0, 2, 1), r); }, x, a, made<3>({2, 4, 4}, [](auto p, auto i, auto j) {
              return x(p, 0, i) * a(0, j) + x(p, 1, i) * a(1, j) + x(p, 2, i) * a(2, j);
          }));
    check([](auto l, auto r) { return matmul(exp(l), 2 * r) + 1; }, a, u, made<1>({3}, [](auto i) { return 1 + over([&](auto k) { return std::exp(a(i, k)) * 2 * u(k); }); }));
    check([](auto l, auto r) { return matmul(broadcast_to(l, 2, 4), r); }, u, b, made<2>({2, 5}, [](auto, auto j) { return over([&](auto k) { return u(k) * b(k, j); }); }));
}
TEST_CASE("matmul of other sizes is refused, and of nothing is zero") {
    CHECK_THROWS_WITH_AS(evaluated(multiply, matrix(a), matrix(a)), "[dyad] matmul: Matrix size-incompatible: In[0]: [3,4], In[1]: [3,4]", dyad::shape_error);
    CHECK_THROWS_AS(evaluated(multiply, a, w), dyad::shape_error);
    CHECK_THROWS_AS(evaluated(multiply, u, w), dyad::shape_error);
    CHECK_THROWS_AS(evaluated(multiply, x, numbers<double, 3>({3, 4, 5})), dyad::shape_error);
    const matrix tall(std::array<std::size_t, 2>{3, 0}), flat(std::array<std::size_t, 2>{0, 2});
    CHECK(evaluated(multiply, tall, flat) == matrix{{0, 0}, {0, 0}, {0, 0}});
    CHECK(evaluated(multiply, flat, matrix{{1}, {2}}).size() == 0);
    CHECK(dyad::grad<0>([](auto l, auto r) { return sum(matmul(l, r)); })(tall, flat) == tall);
}
TEST_CASE("dot, outer and tensordot agree with loops") {
    check(inner_product, u, vector(3 * u), over([](auto k) { return 3 * u(k) * u(k); }));
    check(inner_product, a, b, made<2>({3, 5}, product));
    check(inner_product, a, y, made<3>({3, 2, 5}, [](auto i, auto p, auto j) { return over([&](auto k) { return a(i, k) * y(p, k, j); }); }));
    check(inner_product, x, y, made<4>({2, 3, 2, 5}, [](auto q, auto i, auto p, auto j) { return over([&](auto k) { return x(q, i, k) * y(p, k, j); }); }));
    check(inner_product, x, u, made<2>({2, 3}, [](auto q, auto i) { return over([&](auto k) { return x(q, i, k) * u(k); }); }));
    check(inner_product, u, y, made<2>({2, 5}, [](auto p, auto j) { return over([&](auto k) { return u(k) * y(p, k, j); }); }));
    check([](auto l, auto r) { return outer(l, r); }, w, u, made<2>({3, 4}, [](auto i, auto j) { return w(i) * u(j); }));
    check([](auto l, auto r) { return outer(l, r); }, a, w, made<3>({3, 4, 3}, [](auto i, auto j, auto k) { return a(i, j) * w(k); }));
    check([](auto l, auto r) { return tensordot(l, r, 1); }, x, b, made<3>({2, 3, 5}, [](auto p, auto i, auto j) { return over([&](auto k) { return x(p, i, k) * b(k, j); }); }));
    check([](auto l, auto r) { return tensordot(l, r); }, x, a, made<1>({2}, [](auto p) {
              return over([&](auto k) { return x(p, 0, k) * a(0, k) + x(p, 1, k) * a(1, k) + x(p, 2, k) * a(2, k); });
          }));
    check([](auto l, auto r) { return tensordot(l, r, 0); }, w, u, made<2>({3, 4}, [](auto i, auto j) { return w(i) * u(j); }));
    const auto z = numbers<double, 3>({4, 2, 5}, 6);
    const auto once = [](auto l, auto r) { return tensordot(l, r, 1); };
    check(once, a, z, made<3>({3, 2, 5}, [&](auto i, auto p, auto j) { return over([&](auto k) { return a(i, k) * z(k, p, j); }); }));
    check(once, u, b, made<1>({5}, [](auto j) { return over([&](auto k) { return u(k) * b(k, j); }); }));
    check(once, x, u, made<2>({2, 3}, [](auto p, auto i) { return over([&](auto k) { return x(p, i, k) * u(k); }); }));
    CHECK_THROWS_AS(evaluated(once, a, a), dyad::shape_error);
    // (One column stretched over the other's rows, once.)
    CHECK_THROWS_WITH_AS(evaluated(once, matrix{{1}, {2}}, a), "[dyad] tensordot: Matrix size-incompatible: In[0]: [2,1], In[1]: [3,4]", dyad::shape_error);
}
TEST_CASE("products of other sizes are refused by the name that they were asked for, and sizes of 1 do not stretch") {
    const vector one{5};
    CHECK_THROWS_WITH_AS(evaluated(inner_product, w, u), "[dyad] dot: Incompatible shapes: [3] vs. [4]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(evaluated(inner_product, a, a), "[dyad] dot: Matrix size-incompatible: In[0]: [3,4], In[1]: [3,4]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(evaluated(multiply, w, u), "[dyad] matmul: Incompatible shapes: [3] vs. [4]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(evaluated([](auto l, auto r) { return tensordot(l, r); }, a, s), "[dyad] tensordot: Incompatible shapes: [3,4] vs. [4,4]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(evaluated(inner_product, one, w), "[dyad] dot: Incompatible shapes: [1] vs. [3]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(evaluated(multiply, w, one), "[dyad] matmul: Incompatible shapes: [3] vs. [1]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(evaluated(inner_product, a, numbers<double, 3>({2, 1, 5})), "[dyad] dot: Incompatible shapes: [2,1,5] vs. [3,4]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::grad<0>(inner_product)(one, w), "[dyad] dot: Incompatible shapes: [1] vs. [3]", dyad::shape_error);
    CHECK_THROWS_WITH_AS(evaluated([](auto l, auto r) { return dot(sum(l, 0, dyad::keep_dims), r); }, w, w), "[dyad] dot: axis 0 of [3] has size 3, not 1", dyad::shape_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::dot(one, w)), "[dyad] dot: Incompatible shapes: [1] vs. [3]", dyad::shape_error);
    dyad::var<"v", vector> v{one};
    CHECK_THROWS_WITH_AS(static_cast<void>(dot(v, w).value()), "[dyad] dot: Incompatible shapes: [1] vs. [3]", dyad::shape_error);
    CHECK(evaluated(inner_product, one, one) == 25);
    CHECK(evaluated([](auto l, auto r) { return sum(l * r) + dot(r, r); }, one, w) == doctest::Approx(5 * xt::sum(w)() + xt::sum(w * w)()));
}
TEST_CASE("trace and diag agree with loops") {
    constexpr auto traced = [](auto m) { return trace(m); };
    constexpr auto diagonal = [](auto m) { return diag(m); };
    CHECK(evaluated(traced, s) == doctest::Approx(over([](auto k) { return s(k, k); })));
    CHECK(slope_off(traced, s) < 1e-9);
    CHECK(apart(evaluated(diagonal, s), made<1>({4}, [](auto i) { return s(i, i); })) == 0);
    CHECK(slope_off(diagonal, s) < 1e-9);
    CHECK(apart(evaluated(diagonal, u), made<2>({4, 4}, [](auto i, auto j) { return i == j ? u(i) : 0; })) == 0);
    CHECK(slope_off(diagonal, u) < 1e-9);
    CHECK(apart(evaluated(traced, numbers<double, 3>({2, 3, 3})), made<1>({2}, [t = numbers<double, 3>({2, 3, 3})](auto p) { return t(p, 0, 0) + t(p, 1, 1) + t(p, 2, 2); })) < 1e-15);
    const double infinity = HUGE_VAL;
    CHECK(evaluated(diagonal, vector{infinity, 1}) == matrix{{infinity, 0}, {0, 1}});
    CHECK(apart(evaluated(diagonal, a), vector{a(0, 0), a(1, 1), a(2, 2)}) == 0); // NumPy: of any matrix
    CHECK(apart(evaluated([](auto m) { return diag(transpose(m)); }, a), vector{a(0, 0), a(1, 1), a(2, 2)}) == 0);
}
TEST_CASE("products go forwards as they go backwards, and bend as differences do") {
    CHECK(duality_off([](auto m) { return matmul(m, matmul(transpose(m), m)); }, a, numbers<double, 2>({3, 4}, 8)) < 1e-13);
    CHECK(duality_off([](auto v) { return outer(v, v) * dot(v, v); }, u, numbers<double, 1>({4}, 8)) < 1e-13);
    CHECK(duality_off([](auto m) { return diag(m) + trace(m); }, s, numbers<double, 2>({4, 4}, 8)) < 1e-13);
    CHECK(bend_off([](auto m) { return matmul(m, transpose(m)); }, a) < 1e-7);
    CHECK(bend_off([](auto v) { return tensordot(outer(v, v), outer(v, exp(v)), 1); }, u) < 1e-7);
    CHECK(bend_off([](auto m) { return matmul(m, m) * trace(m); }, s) < 1e-7);
    CHECK(bend_off([](auto t) { return matmul(t, permute(t, 0, 2, 1)); }, x) < 1e-7);
}
TEST_CASE("floats multiply as doubles do") {
    const xt::xtensor<float, 2> l = numbers<float, 2>({33, 9}), r = numbers<float, 2>({9, 31}, 2);
    const matrix exact_l = numbers<double, 2>({33, 9}), exact_r = numbers<double, 2>({9, 31}, 2);
    const auto found = evaluated(multiply, l, r);
    static_assert(std::is_same_v<std::remove_const_t<decltype(found)>, xt::xtensor<float, 2>>);
    CHECK(apart(matrix(found), evaluated(multiply, exact_l, exact_r)) < 1e-6);
    CHECK(apart(evaluated(multiply, l, exact_r), evaluated(multiply, exact_l, exact_r)) < 1e-6);
}
