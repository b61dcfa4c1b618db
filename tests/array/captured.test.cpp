// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Functions of arrays that capture numbers and arrays: every transform, against derivatives written out. Captured values are
// not differentiated; the arguments are borrowed.

#include "differences.hpp"

#include <doctest/doctest.h>

#include <array>
#include <tuple>
#include <utility>

using namespace differences;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
const vector w = numbers<double, 1>({4}), t = numbers<double, 1>({3}, 2);
const matrix X = numbers<double, 2>({3, 4}, 3);

/// s |X a - t|²/3 + |a| at w and its derivatives by a.
struct loss_at_w {
    double value = 0;
    vector slope = xt::zeros<double>({4});
    matrix bend = xt::zeros<double>({4, 4});
    explicit loss_at_w(double s) {
        const double norm = std::sqrt(inner(w, w));
        for (std::size_t k = 0; k < 3; ++k) {
            double residual = -t(k);
            for (std::size_t i = 0; i < 4; ++i) residual += X(k, i) * w(i);
            value += s * residual * residual / 3;
            for (std::size_t i = 0; i < 4; ++i) slope(i) += 2 * s / 3 * residual * X(k, i);
            for (std::size_t i = 0; i < 16; ++i) bend(i / 4, i % 4) += 2 * s / 3 * X(k, i / 4) * X(k, i % 4);
        }
        value += norm;
        for (std::size_t i = 0; i < 4; ++i) slope(i) += w(i) / norm;
        for (std::size_t i = 0; i < 16; ++i) bend(i / 4, i % 4) += ((i / 4 == i % 4 ? 1 : 0) - w(i / 4) * w(i % 4) / (norm * norm)) / norm;
    }
};

} // namespace

TEST_CASE("derivatives with captured numbers and arrays") {
    double s = 1.75;
    const auto f = [s, &captured_X = X, b = t](auto a) { return s * dyad::mean(square(dyad::matmul(captured_X, a) - b)) + dyad::norm(a); };
    const auto both = dyad::value_and_grad(f)(w);
    static_assert(std::is_same_v<std::remove_const_t<decltype(both)>, std::pair<double, vector>>);
    const loss_at_w expected(s);
    CHECK(both.first == doctest::Approx(expected.value).epsilon(1e-14));
    CHECK(apart(both.second, expected.slope) < 1e-14);
    CHECK(apart(dyad::grad(f)(w), expected.slope) < 1e-14);
    CHECK(apart(dyad::hessian(f)(w), expected.bend) < 1e-13);
    vector along_w = xt::zeros<double>({4});
    for (std::size_t i = 0; i < 16; ++i) along_w(i / 4) += expected.bend(i / 4, i % 4) * w(i % 4);
    CHECK(apart(dyad::hvp(f)(w, w), along_w) < 1e-13);
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
    const vector expected = s * xt::exp(w) - w, slope = s * xt::exp(w);
    const auto [value, tangent] = dyad::jvp(f)(w, w);
    CHECK(apart(value, expected) < 1e-14);
    CHECK(apart(tangent, vector(slope * w)) < 1e-14);
    const auto [again, pull] = dyad::vjp(f)(w);
    CHECK(apart(again, expected) < 1e-14);
    CHECK(apart(pull(w), tangent) < 1e-14);
    CHECK(apart(dyad::jacobian(f)(w), matrix(xt::diag(slope))) < 1e-14);
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
    matrix expected = made<2>({3, 4}, [](auto i, auto) { return 4 * xt::sum(xt::row(X, static_cast<std::ptrdiff_t>(i)))(); });
    expected(0, 1) += X(2, 3);
    expected(2, 3) += X(0, 1);
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
    CHECK(dyad::value_and_grad(g)(x) == std::pair{1296.0, vector{864, 864, 864}});
}
TEST_CASE("transforms of numbers in functions with captured numbers, beside arrays") {
    const double s = 2;
    const vector x{1, 2, 3};
    const auto of_sum = [s](auto a) { return sum(a * dyad::grad([](auto y) { return y * y * y; })(sum(a) * s)); }; // 3 s² t³ of t = sum(a)
    CHECK(dyad::value_and_grad(of_sum)(x) == std::pair{2592.0, vector{1296, 1296, 1296}});
    const auto captures_array = [s, x](auto a) { return s * dyad::grad([&](auto y) { return sum(x * y * y); })(a); }; // 2 s sum(x) a
    CHECK(dyad::value_and_grad(captures_array)(3.0) == std::pair{72.0, 24.0});
    const auto makes_array = [s](auto a) { // s (1 + 2 a) in each way, and the second derivative
        constexpr auto made = [](auto y) { return sum(dyad::stack(std::array{y, y * y})); };
        return s * (dyad::grad(made)(a) + dyad::jvp(made)(a, 1.0).second + dyad::vjp(made)(a).second(1.0) + dyad::hvp(made)(a, 1.0));
    };
    CHECK(dyad::value_and_grad(makes_array)(3.0) == std::pair{46.0, 12.0});
}
TEST_CASE("sums for an array go round the derivatives of loops, also where these are expressions") {
    dyad::var<"x", vector> x{vector{1, 2}};
    dyad::var<"s"> s{0.5};
    const auto f = [](auto v, auto first) { return dyad::fori_loop(3, [&](auto, auto y) { return 0.5 * y + sum(sin(v * y)); }, first); };
    const auto by_x = dyad::diff(f(x, s), x);
    const auto by_s = dyad::diff(f(x, s), s);
    const auto [want_x, want_s] = dyad::grad(f)(vector{1, 2}, 0.5);
    CHECK(apart(by_x.value(), want_x) < 1e-14);
    CHECK(apart(by_s.value(), want_s) < 1e-14);
    const auto by_both = dyad::grad<0>([=](auto v, auto first) {
        const auto [a, b] = dyad::grad(f)(v, first);
        return b * sum(a);
    });
    CHECK(apart(dyad::diff(by_s * sum(by_x), x).value(), by_both(vector{1, 2}, 0.5)) < 1e-13);
}
TEST_CASE("the parts of a split are an array of parts, as in traced functions") {
    const double s = 2;
    const vector x{1, 2, 3};
    const auto parts = [s](auto a) {
        const auto part = split(a, 0, 1);
        return s * sum(part[1]) * sum(part[0]);
    };
    CHECK(dyad::value_and_grad(parts)(x) == std::pair{10.0, vector{10, 2, 2}});
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
TEST_CASE("constants such as 1_c stand among whole numbers known at run time only") {
    using namespace dyad::literals;
    const double s = 2;
    const int none = 0, one = 1, three = 3, four = 4;
    CHECK(dyad::grad([=](auto a) { return s * sum(slice(3 * a, 0_c, one, three)); })(w) == vector{0, 6, 6, 0});
    CHECK(dyad::grad([=](auto a) { return s * sum(slice(3 * a, none, 1_c, 3_c)); })(w) == vector{0, 6, 6, 0});
    CHECK(dyad::grad([=](auto A) { return s * sum(take(3 * A, 1_c, one)); })(X) == matrix{{0, 6, 0, 0}, {0, 6, 0, 0}, {0, 6, 0, 0}});
    CHECK(dyad::grad([=](auto A) { return s * sum(sum(3 * A, 0_c, one)); })(X) == matrix(xt::full_like(X, 6)));
    CHECK(dyad::grad([=](auto A) { return s * sum(slice(reshape(A, 2_c, three, -1), 0_c, none, 1_c)); })(X)(1, 2) == 0);
    CHECK(dyad::pad(w, 0_c, one, 1_c)(1) == w(0));
    dyad::var<"A", matrix> A{X};
    CHECK(slice(A, 1_c, three, four).value()(2, 0) == X(2, 3));
}
