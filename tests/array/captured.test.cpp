// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Functions of arrays that capture numbers and arrays: every transform gives what the stateless function with further
// arguments gives. Captured values are not differentiated; the arguments are borrowed.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <tuple>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
const vector w = numbers<double, 1>({4}), t = numbers<double, 1>({3}, 2);
const matrix X = numbers<double, 2>({3, 4}, 3);

constexpr auto loss = [](auto a, auto s, auto A, auto b) { return s * dyad::mean(square(dyad::matmul(A, a) - b)) + dyad::norm(a); };
constexpr auto image = [](auto a, auto s, auto b) { return s * exp(a) - b; };

} // namespace

TEST_CASE("gradients with captured numbers and arrays are those with arguments") {
    double s = 1.75;
    const auto f = [s, &captured_X = X, b = t](auto a) { return s * dyad::mean(square(dyad::matmul(captured_X, a) - b)) + dyad::norm(a); };
    const auto both = dyad::value_and_grad(f)(w);
    static_assert(std::is_same_v<std::remove_const_t<decltype(both)>, std::pair<double, vector>>);
    const auto expected = dyad::value_and_grad<0>(loss)(w, s, X, t);
    CHECK(both.first == doctest::Approx(expected.first));
    CHECK(apart(both.second, expected.second) < 1e-14);
    CHECK(apart(dyad::grad(f)(w), expected.second) < 1e-14);
    CHECK(apart(dyad::hessian(f)(w), dyad::hessian<0>(loss)(w, s, X, t)) < 1e-13);
    CHECK(apart(dyad::hvp(f)(w, w), std::get<0>(dyad::hvp(loss)(std::tuple{w, s, X, t}, std::tuple{w, 0.0, matrix(0 * X), vector(0 * t)}))) < 1e-13);
    CHECK(curvature_off(f, w, w) < 1e-8);
    double value = 0;
    vector slope;
    auto out = std::tie(value, slope);
    dyad::evaluate_into(out, dyad::value_and_grad(f), w);
    CHECK(value == both.first);
    CHECK(slope == both.second);
    CHECK(dyad::evaluate(f, w) == doctest::Approx(value));
}
TEST_CASE("what is captured by reference counts as it is at the call") {
    double s = 2;
    const auto f = [&s](auto a) { return s * dyad::sum(a * a); };
    const auto slope = dyad::grad(f);
    CHECK(slope(vector{1, 2}) == vector{4, 8});
    s = 3;
    CHECK(slope(vector{1, 2}) == vector{6, 12});
}
TEST_CASE("products of derivatives with captured values") {
    const double s = 0.5;
    const auto f = [s, b = w](auto a) { return s * exp(a) - b; };
    const auto [value, tangent] = dyad::jvp(f)(w, w);
    const auto [expected, expected_tangent] = dyad::jvp(image)(std::tuple{w, s, w}, std::tuple{w, 0.0, vector(0 * w)});
    CHECK(apart(value, expected) < 1e-14);
    CHECK(apart(tangent, expected_tangent) < 1e-14);
    const auto [again, pull] = dyad::vjp(f)(w);
    CHECK(apart(again, expected) < 1e-14);
    CHECK(apart(pull(w), tangent) < 1e-14);
    CHECK(apart(dyad::jacobian(f)(w), dyad::jacobian<0>(image)(w, s, w)) < 1e-14);
    CHECK(duality_off(f, w, w) < 1e-14);
}
TEST_CASE("several arguments, chosen ones, tuples; axes and elements") {
    const float s = 2;
    const auto f = [s](auto a, auto b) { return s * dyad::sum(dyad::matmul(a, b)); };
    const auto [by_X, by_w] = dyad::grad(f)(X, w);
    CHECK(apart(by_w, vector(2 * xt::sum(X, 0))) < 1e-14);
    CHECK(apart(dyad::grad<1>(f)(X, w), by_w) < 1e-14);
    CHECK(by_X(0, 1) == 2 * w(1));
    const auto pairs = dyad::grad([s](auto p) { return s * dyad::sum(std::get<0>(p)) * std::get<1>(p); })(std::tuple{w, 3.0});
    CHECK(std::get<0>(pairs) == vector{6, 6, 6, 6});
    CHECK(std::get<1>(pairs) == doctest::Approx(2 * xt::sum(w)()));
    const auto rows = dyad::grad([s](auto a) { return s * dyad::sum(square(sum(a, 1))) + a(0, 1) * a[2][3]; });
    const auto expected = dyad::grad([](auto a) { return 2 * dyad::sum(square(sum(a, 1))) + a(0, 1) * a[2][3]; })(X);
    CHECK(apart(rows(X), expected) < 1e-14);
    int n = 0;
    const auto loop = dyad::grad([n](auto a) { return dyad::sum(a) * (n + 1); });
    CHECK(loop(w) == vector{1, 1, 1, 1});
}
TEST_CASE("kernels capture numbers") {
    const double s = 3;
    const auto k = dyad::kernel([s](auto a, auto b) { return s * a * b + 1; });
    const vector product = k(w, w);
    CHECK(apart(product, vector(3 * w * w + 1)) < 1e-15);
    const auto [value, slopes] = dyad::kernel(dyad::value_and_grad([s](auto a, auto b) { return s * a * a * b; }))(w, w);
    CHECK(apart(value, vector(3 * w * w * w)) < 1e-15);
    CHECK(apart(std::get<0>(slopes), vector(6 * w * w)) < 1e-15);
    CHECK(apart(std::get<1>(slopes), vector(3 * w * w)) < 1e-15);
    vector out;
    dyad::evaluate_into(out, k, w, w);
    CHECK(out == product);
    CHECK(dyad::kernel([s](auto) { return s; })(w) == vector{3, 3, 3, 3});
}
TEST_CASE("sizes that do not fit with what is captured are refused") {
    const auto f = [b = vector{1, 2}](auto a) { return dyad::sum(a * b); };
    CHECK_THROWS_WITH_AS(dyad::grad(f)(w), "[dyad] mul: Incompatible shapes: [4] vs. [2]", dyad::shape_error);
}
TEST_CASE("loops whose state is a number may work on arrays from outside") {
    const double s = 2;
    const vector x{1, 2, 3};
    const auto f = [s](auto a) { return dyad::fori_loop(3, [&](auto, auto y) { return y * s + dyad::sum(a); }, s * dyad::sum(a)); };
    CHECK(dyad::grad(f)(x) == vector{23, 23, 23});
    const auto g = [s](auto a) { return dyad::fori_loop(3, [&](auto, auto y) { return s / 2 * dyad::sum(a * y); }, dyad::sum(a)); };
    CHECK(dyad::evaluate(g, x) == 1296);
    CHECK(dyad::grad(g)(x) == vector{864, 864, 864});
}
TEST_CASE("the parts of a split are an array of parts, as in traced functions") {
    const double s = 2;
    const vector x{1, 2, 3};
    const auto parts = [s](auto a) {
        const auto part = split(a, 0, 1);
        return s * sum(part[1]) * sum(part[0]);
    };
    CHECK(dyad::evaluate(parts, x) == 10);
    CHECK(dyad::grad(parts)(x) == vector{10, 2, 2});
}
TEST_CASE("a reshape must keep all elements, where sizes are known at run time only too") {
    using namespace dyad::literals;
    const double s = 1;
    const vector twelve = xt::arange<double>(12.);
    const char* const text = "[dyad] reshape: [12] has 12 elements, which do not fill a shape of 6";
    CHECK_THROWS_WITH_AS(static_cast<void>(dyad::reshape(twelve, 2, 3)), text, dyad::shape_error);
    CHECK_THROWS_WITH_AS(dyad::grad([s](auto a) { return s * sum(reshape(a, 2, 3)); })(twelve), text, dyad::shape_error);
    dyad::var<"x", vector> x{twelve};
    CHECK_THROWS_WITH_AS(static_cast<void>(reshape(x, 2, 3)), text, dyad::shape_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(reshape(x, 2_c, 3_c)), text, dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::reshape(twelve, 24, -1)), dyad::shape_error);
    CHECK_THROWS_AS(static_cast<void>(dyad::reshape(twelve, 0, -1)), dyad::shape_error);
    const vector nothing = xt::zeros<double>({0});
    CHECK(dyad::reshape(nothing, 0, 3).shape() == xt::xtensor<double, 2>::shape_type{0, 3});
}
