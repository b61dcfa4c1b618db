// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Powers, roots, products and the functions of a radius at the points where the textbook rule says
// 0/0, 0 inf or log(0): pow with base or exponent 0, sqrt and cbrt at 0, hypot and atan2 at the
// origin and at infinity, products with zero factors, xlogy and sinc at 0.

#include "check.hpp"

#include <array>

namespace dyad_test {

namespace {

constexpr auto power = [](auto x, auto y) { return 3 * dyad::pow(2 * x, y); };

std::string at(const char* what, double x, double y) {
    return std::string(what) + " at (" + digits(x) + ", " + digits(y) + ")";
}

} // namespace

TEST_CASE("pow(x, 0) is 1 with slope 0 for every x, whether the exponent is data, a constant or a "
          "literal") {
    for (double x : {2.0, 0.0, -0.0, -3.0, 1e300, infinity, -infinity, quiet_nan}) {
        check_same(at("pow value", x, 0), dyad::value_and_grad<0>(power)(x, 0.0).first, 3.0);
        check_same(at("pow slope in x", x, 0), dyad::grad<0>(power)(x, 0.0), 0.0);
        check_same(at("pow second in x", x, 0), dyad::grad<0>(dyad::grad<0>(power))(x, 0.0), 0.0);
        expect_plain("pow(2x, 0)", [](auto u) { return 3 * dyad::pow(2 * u, 0); },
                     {{x, 3.0, 0.0, 0.0}});
        expect_plain("pow(2x, 0.0)", [](auto u) { return 3 * dyad::pow(2 * u, 0.0); },
                     {{x, 3.0, 0.0, 0.0}});
    }
    check_same("pow slope in y at (1, 0)", dyad::grad<1>(power)(1.0, 0.0), 3 * std::log(2.0));
}

TEST_CASE("pow(0, y) has the limits of its slopes") {
    check_same("pow(0, 2) slope in x", dyad::grad<0>(power)(0.0, 2.0), 0.0);
    check_same("pow(0, 1.5) slope in x", dyad::grad<0>(power)(0.0, 1.5), 0.0);
    const auto root_power = [](auto x) { return dyad::pow(x, 1.5); };
    check_same("pow(x, 1.5) slope at 0", dyad::grad(root_power)(0.0), 0.0);
    check_same("pow(x, 1.5) slope at 4", dyad::grad(root_power)(4.0), 3.0);
    check_same("pow(x, 1.5) second derivative at 4", dyad::derivative<2>(root_power)(4.0), 0.375);
    check_same("pow(x, 1.5) second derivative at 0", dyad::derivative<2>(root_power)(0.0), infinity);
    check_same("pow(x, 3.5) at 4", dyad::value_and_grad([](auto x) { return dyad::pow(x, 3.5); })(4.0).first, 128.0);
    check_same("pow(0, 1) slope in x", dyad::grad<0>(power)(0.0, 1.0), 6.0);
    check_same("pow(0, 0.5) slope in x", dyad::grad<0>(power)(0.0, 0.5), infinity);
    for (double y : {0.5, 1.0, 1.5, 2.0, 7.0}) {
        check_same(at("pow value", 0, y), dyad::value_and_grad<0>(power)(0.0, y).first, 0.0);
        check_same(at("pow slope in y", 0, y), dyad::grad<1>(power)(0.0, y), 0.0);
        check_same(at("pow second in y", 0, y), dyad::grad<1>(dyad::grad<1>(power))(0.0, y), 0.0);
    }
    // both at once: neither slope poisons the other
    expect_xy("pow", power,
              {{0.0, 2.0, 0.0, 0.0, 0.0}, {0.0, 3.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 6.0, 0.0}});
}

TEST_CASE("the second and third derivatives of pow at 0 stop where the polynomial stops") {
    const auto second = dyad::grad<0>(dyad::grad<0>(power));
    const auto third = dyad::grad<0>(second);
    check_same("pow(0, 1) second in x", second(0.0, 1.0), 0.0);
    check_same("pow(0, 2) second in x", second(0.0, 2.0), 24.0);
    check_same("pow(0, 3) second in x", second(0.0, 3.0), 0.0);
    check_same("pow(0, 2) third in x", third(0.0, 2.0), 0.0);
    check_same("pow(0, 3) third in x", third(0.0, 3.0), 144.0);
    check_same("pow(0, 4) third in x", third(0.0, 4.0), 0.0);
    check_same("pow(0, 2) mixed second", dyad::grad<0>(dyad::grad<1>(power))(0.0, 2.0), 0.0);
    expect_plain("pow(2x, 1)", [](auto x) { return 3 * dyad::pow(2 * x, 1); },
                 {{0.0, 0.0, 6.0, 0.0}, {-1.5, -9.0, 6.0, 0.0}});
    expect_plain("pow(2x, 2)", [](auto x) { return 3 * dyad::pow(2 * x, 2); },
                 {{0.0, 0.0, 0.0, 24.0}, {-1.5, 27.0, -36.0, 24.0}});
    expect_plain("pow(2x, 2.0)", [](auto x) { return 3 * dyad::pow(2 * x, 2.0); },
                 {{0.0, 0.0, 0.0, 24.0}, {-1.5, 27.0, -36.0, 24.0}});
    expect_plain("pow(2x, -1)", [](auto x) { return 3 * dyad::pow(2 * x, -1); },
                 {{0.0, infinity, -infinity}, {-0.25, -6.0, -24.0, -192.0}});
    expect_plain("pow(2x, 0.5)", [](auto x) { return 3 * dyad::pow(2 * x, 0.5); },
                 {{0.0, 0.0, infinity}, {2.0, 6.0, 1.5, -0.375}});
}

TEST_CASE("the derivatives of pow where its powers over- or underflow") {
    constexpr auto f = [](auto x, auto y) { return dyad::pow(x, y); };
    for (double x : {1e-200, 1e-160, 1e-154}) check_same(at("pow second in x", x, 0), dyad::hessian(f)(x, 0.0)[0][0], 0.0);
    CHECK(dyad::grad<0>(f)(1e-200, 1.61) / 1.61e-122 == doctest::Approx(1).epsilon(1e-13)); // (the power has few bits)
    CHECK(dyad::hessian(f)(2.0, 0.0)[1][0] == doctest::Approx(0.5));
    CHECK(dyad::grad<0>(dyad::grad<1>(dyad::grad<0>(f)))(2.0, 0.0) == doctest::Approx(-0.25));
}

TEST_CASE("pow(x, n) of a negative base and a whole exponent is exact") {
    struct {
        double x, n, value, slope, second;
    } const points[] = {{-1.0, 3.0, -24.0, 72.0, -144.0},         {-1.0, 2.0, 12.0, -24.0, 24.0},
                        {-0.5, -1.0, -3.0, -6.0, -24.0},          {-0.5, -2.0, 3.0, 12.0, 72.0},
                        {-1.5, 5.0, -729.0, 2430.0, -6480.0},     {-7.0, 1.0, -42.0, 6.0, 0.0},
                        {-0.5, 1001.0, -3.0, 6006.0, -12012000.0}};
    for (const auto& p : points) {
        check_same(at("pow value", p.x, p.n), dyad::value_and_grad<0>(power)(p.x, p.n).first,
                   p.value);
        check_same(at("pow plain value", p.x, p.n), static_cast<double>(power(p.x, p.n)), p.value);
        check_same(at("pow slope", p.x, p.n), dyad::grad<0>(power)(p.x, p.n), p.slope);
        check_same(at("pow second", p.x, p.n), dyad::grad<0>(dyad::grad<0>(power))(p.x, p.n),
                   p.second);
    }
    expect_plain("pow(2x, 5)", [](auto x) { return 3 * dyad::pow(2 * x, 5); },
                 {{-1.5, -729.0, 2430.0, -6480.0}});
    check_same("pow(-2, 0.5)", dyad::value_and_grad<0>(power)(-1.0, 0.5).first, quiet_nan);
}

TEST_CASE("pow at infinity and at base 1 follows the standard library") {
    struct {
        double x, y, value;
    } const points[] = {{infinity, 2.0, infinity},   {infinity, -2.0, 0.0},
                        {-infinity, 3.0, -infinity}, {0.25, infinity, 0.0},
                        {1.0, infinity, infinity},   {0.5, quiet_nan, 3.0},
                        {0.5, infinity, 3.0},        {1.0, -infinity, 0.0},
                        {0.0, -1.0, infinity},       {0.0, infinity, 0.0}};
    for (const auto& p : points)
        check_same(at("pow value", p.x, p.y), dyad::value_and_grad<0>(power)(p.x, p.y).first,
                   p.value);
}

TEST_CASE("sqrt has an infinite slope at 0, cbrt too, and cbrt takes negative numbers") {
    expect_plain("sqrt", [](auto x) { return 3 * dyad::sqrt(2 * x); },
                 {{0.0, 0.0, infinity}, {2.0, 6.0, 1.5, -0.375}, {infinity, infinity, 0.0, 0.0}});
    check_same("sqrt(-2)",
               dyad::value_and_grad([](auto x) { return 3 * dyad::sqrt(2 * x); })(-1.0).first,
               quiet_nan);
    expect_plain("cbrt", [](auto x) { return 3 * dyad::cbrt(2 * x); },
                 {{0.0, 0.0, infinity},
                  {4.0, 6.0, 0.5},
                  {-4.0, -6.0, 0.5},
                  {infinity, infinity, 0.0},
                  {-infinity, -infinity, 0.0}});
}

TEST_CASE("the third derivative of cbrt is one fraction, without a difference of infinite terms at 0") {
    const auto f = [](auto x) { return 3 * dyad::cbrt(2 * x); };
    static_assert(dyad::operation_count(dyad::graph_of<double>(dyad::derivative<3>([](auto x) { return dyad::cbrt(x); }))) == 3);
    for (const double x : {0.0, 1e-300, -1e-300}) check_same("third derivative of cbrt", dyad::derivative<3>(f)(x), infinity);
    CHECK(dyad::derivative<3>(f)(4.0) == doctest::Approx(3 * 8 * 10.0 / 27 / 256));
}

TEST_CASE("the square root of a square is the absolute value") {
    const auto checks = [](const char* name, auto f) {
        expect(name, f,
               {{0.0, 0.0, 0.0, 0.0},
                {-3.0, 3.0, -1.0, 0.0},
                {2.0, 2.0, 1.0, 0.0},
                {1e200, 1e200, 1.0, 0.0},
                {-1e-200, 1e-200, -1.0, 0.0},
                {0.1, 0.1, 1.0, 0.0},
                {-infinity, infinity, -1.0, 0.0}});
    };
    checks("sqrt(x x)", [](auto x) { return dyad::sqrt(x * x); });
    checks("sqrt(square(x))", [](auto x) { return dyad::sqrt(dyad::square(x)); });
    checks("sqrt(pow(x, 2))", [](auto x) { return dyad::sqrt(dyad::pow(x, 2)); });
    expect("3 sqrt(4 x x) as (2x)(2x)", [](auto x) { return 3 * dyad::sqrt((2 * x) * (2 * x)); },
           {{0.0, 0.0, 0.0, 0.0}, {-1.5, 9.0, -6.0, 0.0}, {1e200, 6e200, 6.0, 0.0}});
}

TEST_CASE("hypot and atan2 have gradient zero at the origin") {
    expect_xy("hypot", [](auto x, auto y) { return 3 * dyad::hypot(2 * x, 2 * y); },
              {{0.0, 0.0, 0.0, 0.0, 0.0},
               {-0.0, 0.0, 0.0, 0.0, 0.0},
               {-1.5, 0.0, 9.0, -6.0, 0.0},
               {0.0, 2.0, 12.0, 0.0, 6.0}});
    expect_xy("atan2", [](auto y, auto x) { return 3 * dyad::atan2(2 * y, 2 * x); },
              {{0.0, 0.0, 0.0, 0.0, 0.0},
               {0.0, -0.0, 3 * std::atan2(0.0, -0.0), 0.0, 0.0},
               {-0.0, -0.0, 3 * std::atan2(-0.0, -0.0), 0.0, 0.0},
               {-0.0, 0.0, 0.0, 0.0, 0.0},
               {0.0, 0.5, 0.0, 6.0, 0.0},
               {2.0, 0.0, 3 * std::atan2(4.0, 0.0), 0.0, -1.5},
               {0.0, -0.5, 3 * std::atan2(0.0, -1.0), -6.0, 0.0}});
    expect_plain("hypot(2x, 0)", [](auto x) { return 3 * dyad::hypot(2 * x, 0); },
                 {{0.0, 0.0, 0.0}, {-1.5, 9.0, -6.0, 0.0}});
    check_same(
        "hypot(inf, NaN)",
        dyad::value_and_grad([](auto x, auto y) { return dyad::hypot(x, y); })(-infinity, quiet_nan)
            .first,
        infinity);
}

TEST_CASE("at infinity hypot, atan2 and pow have the slopes that the conventions name") {
    const auto check = [](const char* name, auto f, double x, double y, double in_x, double in_y) {
        const auto [by_x, by_y] = dyad::grad(f)(x, y);
        check_same(at((std::string(name) + " slope in the first").c_str(), x, y), by_x, in_x);
        check_same(at((std::string(name) + " slope in the second").c_str(), x, y), by_y, in_y);
    };
    const auto radius = [](auto x, auto y) { return 3 * dyad::hypot(2 * x, 2 * y); };
    const auto angle = [](auto y, auto x) { return 3 * dyad::atan2(2 * y, 2 * x); };
    check("hypot", radius, infinity, 3.0, quiet_nan, 0.0);
    check("hypot", radius, -infinity, infinity, quiet_nan, quiet_nan);
    check("atan2", angle, infinity, 1.0, 0.0, quiet_nan);
    check("atan2", angle, 1.0, -infinity, quiet_nan, -0.0);
    check("pow", power, 0.25, infinity, quiet_nan, 0.0);
    check("pow", power, 1.0, -infinity, quiet_nan, 0.0);
}

TEST_CASE("a product with zero factors has the product of the others as slope") {
    const auto product = [](auto x, auto y, auto z) { return 3 * (x * y * z); };
    struct {
        double x, y, z, slope[3];
    } const points[] = {{0, 2, 5, {30, 0, 0}},
                        {2, 0, 5, {0, 30, 0}},
                        {2, 5, 0, {0, 0, 30}},
                        {0, 0, 5, {0, 0, 0}},
                        {0, 0, 0, {0, 0, 0}}};
    for (const auto& p : points) {
        const auto [x, y, z] = dyad::grad(product)(p.x, p.y, p.z);
        check_same(at("product slope in x", p.x, p.y), x, p.slope[0]);
        check_same(at("product slope in y", p.x, p.y), y, p.slope[1]);
        check_same(at("product slope in z", p.x, p.y), z, p.slope[2]);
    }
    const auto hessian = dyad::hessian(product)(0.0, 0.0, 5.0);
    check_same("product at (0, 0, 5), second in x and y", static_cast<double>(hessian[0][1]), 15.0);
    check_same("product at (0, 0, 5), second in x and z", static_cast<double>(hessian[0][2]), 0.0);
    const auto loop = [](auto x) {
        auto all = x[0];
        for (std::size_t i = 1; i < x.size(); ++i) all = all * x[i];
        return all;
    };
    const auto slopes = dyad::grad(loop)(std::array{3.0, 0.0, -2.0, 4.0});
    const double want[] = {0.0, -24.0, 0.0, 0.0};
    for (std::size_t i = 0; i < 4; ++i)
        check_same("product of an array with one zero, slope " + std::to_string(i), slopes[i],
                   want[i]);
    expect_plain("cube", [](auto x) { return 3 * dyad::cube(2 * x); },
                 {{0.0, 0.0, 0.0, 0.0}, {-1.0, -24.0, 72.0, -144.0}});
    expect_plain("square", [](auto x) { return 3 * dyad::square(2 * x); },
                 {{0.0, 0.0, 0.0, 24.0}, {-1.5, 27.0, -36.0, 24.0}});
}

TEST_CASE("xlogy is 0 where its first argument is 0, also against log(0)") {
    const auto h = [](auto x, auto y) { return 3 * dyad::xlogy(2 * x, 2 * y); };
    check_same("xlogy(0, 0)", dyad::value_and_grad(h)(0.0, 0.0).first, 0.0);
    check_same("xlogy(0, 0), plain", static_cast<double>(h(0.0, 0.0)), 0.0);
    check_same("xlogy(0, inf)", dyad::value_and_grad(h)(0.0, infinity).first, 0.0);
    expect_xy("xlogy", h,
              {{0.0, 0.5, 0.0, 0.0, 0.0},
               {0.0, 4.0, 0.0, 6 * std::log(8.0), 0.0},
               {2.0, 0.5, 0.0, 0.0, 24.0}});
    check_same("xlogy(2, 0)", dyad::value_and_grad(h)(1.0, 0.0).first, -infinity);
    check_same("xlogy(0, 4), mixed second", dyad::grad<0>(dyad::grad<1>(h))(0.0, 4.0), 1.5);
}

TEST_CASE("sinc is smooth at 0") {
    const auto h = [](auto x) { return 3 * dyad::sinc(2 * x); };
    expect_plain("sinc", h, {{0.0, 3.0, 0.0, -39.478417604357434}, {-0.0, 3.0, 0.0, -39.478417604357434}});
    check_same("sinc at 0, third derivative", dyad::derivative<3>(h)(0.0), 0.0);
    check_near("sinc at 0, fourth derivative", dyad::derivative<4>(h)(0.0), 3 * 16 * 97.409091034002437 / 5, 1e-12);
    check_near("sinc at 1e-300, slope", dyad::grad(h)(1e-300), -39.478417604357434e-300, 1e-313);
    check_same("sinc at 1e-300, value", dyad::value_and_grad(h)(1e-300).first, 3.0);
}

} // namespace dyad_test
