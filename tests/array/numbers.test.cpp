// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Functions of numbers alone that work with arrays: which they capture, or make of the numbers.

#include <tuple>

#include <dyad/array.hpp>
#include <doctest/doctest.h>

namespace {

using vector = xt::xtensor<double, 1>;

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
