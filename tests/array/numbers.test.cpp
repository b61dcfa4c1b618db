// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Functions of numbers alone that work with arrays: which they capture, or make of the numbers.

#include <array>
#include <tuple>

#include <dyad/array.hpp>
#include <doctest/doctest.h>

namespace {

using vector = xt::xtensor<double, 1>;

/// Of a volatility model, by its four parameters: its Hessian is a loop's, by numbers beside an array.
constexpr auto likelihood = [](auto p, auto r) {
    const auto omega = exp(p[0]), alpha = sigmoid(p[1]) * 0.3, beta = sigmoid(p[2]) * 0.7, nu = 2 + exp(p[3]);
    const auto c = lgamma((nu + 1) / 2) - lgamma(nu / 2) - 0.5 * log(3.14159265358979323846 * (nu - 2));
    const auto step = [&](auto h, auto x) {
        const auto l = c - 0.5 * log(h) - (nu + 1) / 2 * log1p(x * x / (h * (nu - 2)));
        return std::pair{omega + alpha * x * x + beta * h, l};
    };
    return -sum(std::get<1>(dyad::scan(step, dyad::mean(r * r), r)));
};

} // namespace

TEST_CASE("a function of a number captures an array: every transform") {
    const vector w{1, 2};
    const auto f = [w](auto s) { return sum(s * w * s); };
    CHECK(dyad::grad(f)(3.0) == 18.0);
    CHECK(dyad::grad(dyad::grad(f))(3.0) == 6.0);
    const auto [value, slope] = dyad::value_and_grad(f)(3.0);
    CHECK(value == 27.0);
    CHECK(slope == 18.0);
    CHECK(dyad::jvp(f)(3.0, 2.0) == std::pair{27.0, 36.0});
    CHECK(dyad::hvp(f)(3.0, 2.0) == 12.0);
    CHECK(dyad::hessian(f)(3.0) == 6.0);
    const auto [again, pullback] = dyad::vjp(f)(3.0);
    CHECK(again == 27.0);
    CHECK(pullback(3.0) == 54.0);
    const auto of_two = [w](auto s, auto t) { return sum(w * s * t); };
    CHECK(dyad::grad(of_two)(3.0, 2.0) == std::tuple{6.0, 9.0});
    CHECK(dyad::grad<1>(of_two)(3.0, 2.0) == 9.0);
}

TEST_CASE("a function of numbers makes an array of them: every transform") {
    const auto f = [](auto s) { return sum(dyad::stack(std::tuple{s, s * s})); };
    CHECK(dyad::grad(f)(3.0) == 7.0);
    CHECK(dyad::grad(dyad::grad(f))(3.0) == 2.0);
    CHECK(dyad::value_and_grad(f)(3.0) == std::pair{12.0, 7.0});
    CHECK(dyad::hessian(f)(3.0) == 2.0);
    CHECK(dyad::jvp(f)(3.0, 2.0) == std::pair{12.0, 14.0});
    CHECK(dyad::hvp(f)(3.0, 2.0) == 4.0);

    const auto rows = [](auto s) { return dyad::stack(std::tuple{s, s * s}); };
    CHECK(dyad::jacobian(rows)(3.0) == vector{1, 6});
    const auto [value, tangent] = dyad::jvp(rows)(3.0, 2.0);
    CHECK(value == vector{3, 9});
    CHECK(tangent == vector{2, 12});
    const auto [again, pullback] = dyad::vjp(rows)(3.0);
    CHECK(again == vector{3, 9});
    CHECK(pullback(vector{2, 1}) == 8.0);

    const auto stretched = [](auto a, auto b) { return sum(dyad::broadcast_to(a, 3) * b); };
    CHECK(dyad::grad(stretched)(2.0, 5.0) == std::tuple{15.0, 6.0});
    CHECK(dyad::grad<0>(stretched)(2.0, 5.0) == 15.0);
    CHECK(dyad::hvp(stretched)(std::tuple{2.0, 5.0}, std::tuple{1.0, 0.0}) == std::tuple{0.0, 3.0});

    const auto logdet = [](auto p) { return dyad::logdet(dyad::reshape(dyad::stack(std::tuple{p[0], p[1], p[2], p[3]}), 2, 2)); };
    const auto inverse = dyad::grad(logdet)(std::array{2.0, 0.5, 0.25, 3.0});
    CHECK(inverse[0] == doctest::Approx(3 / 5.875));
    CHECK(inverse[1] == doctest::Approx(-0.25 / 5.875));
    // the derivative 1 + 2 s, as a function like any other
    CHECK(dyad::jvp(dyad::grad(f))(3.0, 2.0) == std::pair{7.0, 4.0});
    const auto [slope, of_slope] = dyad::vjp(dyad::grad(f))(3.0);
    CHECK(slope == 7.0);
    CHECK(of_slope(5.0) == 10.0);
    CHECK(dyad::grad(f)(3.0F) == 7.0F);
    static_assert(std::is_same_v<decltype(dyad::grad(f)(3.0F)), float>);
}

TEST_CASE("high derivatives, and matrices as functions of numbers have them") {
    const auto powers = [](auto s) { return sum(dyad::stack(std::tuple{s, s * s * s})); };
    const double second = dyad::derivative<2>(powers)(3.0), third = dyad::derivative<3>(powers)(3.0);
    CHECK(second == 18.0);
    CHECK(third == 6.0);
    const vector w{1, 2};
    const double captured = dyad::derivative<2>([w](auto s) { return sum(w * s * s * s); })(3.0);
    CHECK(captured == 54.0);

    const auto products = [](auto s) { return sum(dyad::stack(std::tuple{s[0], s[1] * s[0] * s[0]})); };
    const auto h = dyad::hessian(products)(std::array{2.0, 3.0});
    const std::array<std::array<double, 2>, 2> expected{{{6, 4}, {4, 0}}};
    CHECK(h == expected);
    const auto several = [w](auto s, auto t) { return std::tuple{sum(w * s), s * t}; };
    const auto j = dyad::jacobian(several)(2.0, 3.0);
    const std::array<std::array<double, 2>, 2> slopes{{{3, 0}, {3, 2}}};
    CHECK(j == slopes);
}

TEST_CASE("a function makes an array of numbers, and captures one: every transform") {
    const double c = 2.0;
    const auto f = [c](auto s) { return sum(dyad::stack(std::tuple{s, c * s * s})); };
    CHECK(dyad::grad(f)(3.0) == 13.0);
    CHECK(dyad::grad(dyad::grad(f))(3.0) == 4.0);
    const double second = dyad::derivative<2>(f)(3.0);
    CHECK(second == 4.0);
    CHECK(dyad::value_and_grad(f)(3.0) == std::pair{21.0, 13.0});
    CHECK(dyad::hessian(f)(3.0) == 4.0);
    CHECK(dyad::jvp(f)(3.0, 2.0) == std::pair{21.0, 26.0});
    CHECK(dyad::hvp(f)(3.0, 2.0) == 8.0);
    const auto [value, pullback] = dyad::vjp(f)(3.0);
    CHECK(value == 21.0);
    CHECK(pullback(2.0) == 26.0);
    const auto rows = [c](auto s, auto t) { return dyad::stack(std::tuple{s * t, c * s}); };
    CHECK(dyad::jacobian<0>(rows)(3.0, 5.0) == vector{5, 2});
    CHECK(dyad::evaluate(f, 3.0) == 21.0);
}

TEST_CASE("expressions of numbers that make an array") {
    dyad::var<"x"> x{3.0};
    const dyad::var<"y"> y{2.0};
    const auto row = dyad::stack(std::tuple{x, x * y, x * x});
    CHECK(row.value() == vector{3, 6, 9});
    CHECK(row(1).value() == 6.0);
    CHECK(dyad::diff(row, x).value() == vector{1, 2, 6});
    const auto z = sum(row * row) + y; // operators on it, too
    CHECK(z.value() == 128.0);
    CHECK(dyad::diff(z, x).value() == 6 + 24 + 108);
    CHECK(dyad::diff<2>(z, x).value() == 2 + 8 + 108);
    CHECK(dyad::diff(z, x, y).value() == 24.0);
    CHECK(dyad::gradient(z, x, y) == std::tuple{138.0, 37.0});
    CHECK(bool(z > 100));
    x = 5.0;
    CHECK(z.value() == 128.0);
    const dyad::var<"v", vector> v{vector{1, 2, 3}};
    CHECK(dyad::gradient(sum(v * row), x, v) == std::tuple{1.0 + 2 * 2 + 3 * 6, vector{3, 6, 9}});
}

TEST_CASE("the derivative of a function that makes an array, in the middle of another") {
    const auto inner = [](auto s) { return sum(dyad::stack(std::tuple{s, s * s * s})); };
    const auto outer = [inner](auto s, auto t) { return t * dyad::grad(inner)(s); };
    CHECK(dyad::grad(outer)(3.0, 2.0) == std::tuple{36.0, 28.0});
    const auto product = [inner](auto s) { return dyad::jvp(inner)(s, s).second; };
    CHECK(dyad::grad(product)(3.0) == 82.0); // s + 3 s^3
    const auto with_pullback = [inner](auto s) { return dyad::vjp(inner)(s).second(s); };
    CHECK(dyad::grad(with_pullback)(3.0) == 82.0);
    const auto twice = [inner](auto s) { return dyad::hessian(inner)(s) * s; };
    CHECK(dyad::grad(twice)(3.0) == 36.0); // 6 s^2
    const auto beside_array = [inner](auto s, auto w) { return sum(w) * dyad::grad(inner)(s); };
    CHECK(dyad::grad<0>(beside_array)(3.0, vector{1, 2}) == 54.0);
}
TEST_CASE("Hessians and Jacobians by several numbers beside arrays, in as many sweeps as there are numbers") {
    const vector r{0.02, -0.01, 0.03, 0.005, -0.04};
    const std::array<double, 4> p{-7, 0.2, 0.5, 1.5};
    const auto H = dyad::hessian<0>(likelihood)(p, r);
    for (std::size_t k = 0; k < 4; ++k) {
        std::array<double, 4> along{};
        along[k] = 1;
        const auto column = dyad::hvp<0>(likelihood)(std::tuple{p, r}, along);
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(H[i][k] == doctest::Approx(column[i]).epsilon(1e-10));
            CHECK(H[i][k] == H[k][i]);
        }
    }
    // Numbers and arrays on both sides.
    const auto mixed = [](auto a, auto v, auto c) { return std::tuple{a * c * sum(v), v * a * a, c * c * a}; };
    const vector v{1, 2};
    CHECK(dyad::jacobian(mixed)(2.0, v, 3.0) == std::tuple{9.0, vector{6, 6}, 6.0, vector{4, 8}, xt::xtensor<double, 2>{{4, 0}, {0, 4}}, vector{0, 0}, 9.0, vector{0, 0}, 12.0});
}
