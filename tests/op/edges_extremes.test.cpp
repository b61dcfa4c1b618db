// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Huge, tiny and infinite arguments: nothing overflows, underflows or becomes NaN on the way to an
// answer that a double can hold, and poles and saturations have the limits of their slopes.

#include "check.hpp"

namespace dyad_test {

namespace {

void near_relative(const std::string& what, double got, double want, double relative = 1e-15) {
    check_near(what, got, want, relative * std::abs(want));
}

} // namespace

TEST_CASE("hypot of huge and of tiny arguments keeps its value and its gradient") {
    const auto h = [](auto x, auto y) { return 3 * dyad::hypot(2 * x, 2 * y); };
    for (double scale : {1e200, 1e-200, 1e307, 1e-307}) {
        const double x = 3 * scale / 4, y = scale;
        const std::string where = "hypot at 0.75 and 1 times " + digits(scale) + ", ";
        const auto [value, gradient] = dyad::value_and_grad(h)(x, y);
        near_relative(where + "value", value, 7.5 * scale);
        near_relative(where + "slope in x", std::get<0>(gradient), 3.6);
        near_relative(where + "slope in y", std::get<1>(gradient), 4.8);
        near_relative(where + "slope in x (jvp)",
                      dyad::jvp(h)(std::tuple{x, y}, std::tuple{1.0, 0.0}).second, 3.6);
    }
    const auto hessian =
        dyad::hessian(h)(3e200, 4e200); // xx: 12 y y / r^3 in doubled arguments, 12 0.64 / 1e201
    near_relative("hypot at (3e200, 4e200), xx", hessian[0][0], 7.68e-201, 1e-14);
    near_relative("hypot at (3e200, 4e200), xy", hessian[0][1], -5.76e-201, 1e-14);
    near_relative("hypot at (3e200, 4e200), yy", hessian[1][1], 4.32e-201, 1e-14);
}

TEST_CASE("atan2 of huge and of tiny arguments keeps its gradient") {
    const auto h = [](auto y, auto x) { return 3 * dyad::atan2(2 * y, 2 * x); };
    for (double scale : {1e200, 1e-200, 1e300, 1e-300}) {
        const std::string where = "atan2 at 3 and 4 times " + digits(scale) + ", ";
        const auto [value, gradient] = dyad::value_and_grad(h)(3 * scale, 4 * scale);
        near_relative(where + "value", value, 3 * std::atan2(3.0, 4.0));
        near_relative(where + "slope in y", std::get<0>(gradient), 0.48 / scale, 2e-15);
        near_relative(where + "slope in x", std::get<1>(gradient), -0.36 / scale, 2e-15);
    }
}

TEST_CASE("quotients and reciprocals of huge and tiny numbers lose nothing on a detour") {
    const auto h = [](auto x, auto y) { return 3 * ((2 * x) / (2 * y)); };
    const auto [huge, huge_slopes] = dyad::value_and_grad(h)(5e307, 5e307);
    near_relative("5e307 / 5e307", huge, 3.0); // one reciprocal for all three may cost an ulp
    near_relative("5e307 / 5e307, slope in x", std::get<0>(huge_slopes), 6e-308);
    near_relative("5e307 / 5e307, slope in y", std::get<1>(huge_slopes), -6e-308);
    check_same("5e307 / 5e307, strict", dyad::value_and_grad(dyad::strict(h))(5e307, 5e307).first,
               3.0);
    near_relative("4e-308 / 2.5e-308", dyad::value_and_grad(h)(4e-308, 2.5e-308).first, 4.8);
    // below the smallest normal number 1 / y is infinite, x / y is not
    check_same("4e-320 / 2e-320, strict",
               dyad::value_and_grad(dyad::strict(h))(4e-320, 2e-320).first, 3 * (4e-320 / 2e-320));
    const auto [far, far_slopes] =
        dyad::value_and_grad(h)(1e200, 1e160); // y y overflows, x / (y y) does not
    near_relative("1e200 / 1e160", far, 3e40);
    near_relative("1e200 / 1e160, slope in y", std::get<1>(far_slopes), -3e-120);
    near_relative("1 / x at 1e200, slope over x",
                  dyad::grad([](auto x) { return 1e300 / x; })(1e200), -1e-100);
}

TEST_CASE("inverse functions of huge arguments keep their slopes") {
    near_relative("asinh at 1e200",
                  dyad::grad([](auto x) { return 3 * dyad::asinh(2 * x); })(1e200), 3e-200);
    near_relative("asinh at -1e200",
                  dyad::grad([](auto x) { return 3 * dyad::asinh(2 * x); })(-1e200), 3e-200);
    near_relative("acosh at 1e200",
                  dyad::grad([](auto x) { return 3 * dyad::acosh(2 * x); })(1e200), 3e-200);
    near_relative("atan at 1e150", dyad::grad([](auto x) { return 3 * dyad::atan(2 * x); })(1e150),
                  1.5e-300);
    near_relative("log at 1e300", dyad::grad([](auto x) { return 3 * dyad::log(2 * x); })(1e300),
                  3e-300);
    near_relative("log1p at 1e300",
                  dyad::grad([](auto x) { return 3 * dyad::log1p(2 * x); })(1e300), 3e-300);
    near_relative("sqrt at 1e300", dyad::grad([](auto x) { return 3 * dyad::sqrt(2 * x); })(1e300),
                  3 / std::sqrt(2e300));
    near_relative("cbrt at 1e-300",
                  dyad::grad([](auto x) { return 3 * dyad::cbrt(2 * x); })(1e-300),
                  2 / std::pow(std::cbrt(2e-300), 2), 4e-15);
}

TEST_CASE("functions that start as x start as x") {
    // at 1e-300 sin, tan, asin, ... are x to the last bit, and the slope is 1
    const auto starts_as_x = [](const char* op, auto h) {
        expect_plain(op, h, {{1e-300, 6e-300, 6.0}, {-1e-300, -6e-300, 6.0}, {0.0, 0.0, 6.0}});
    };
    starts_as_x("sin", [](auto x) { return 3 * dyad::sin(2 * x); });
    starts_as_x("tan", [](auto x) { return 3 * dyad::tan(2 * x); });
    starts_as_x("asin", [](auto x) { return 3 * dyad::asin(2 * x); });
    starts_as_x("atan", [](auto x) { return 3 * dyad::atan(2 * x); });
    starts_as_x("sinh", [](auto x) { return 3 * dyad::sinh(2 * x); });
    starts_as_x("tanh", [](auto x) { return 3 * dyad::tanh(2 * x); });
    starts_as_x("asinh", [](auto x) { return 3 * dyad::asinh(2 * x); });
    starts_as_x("atanh", [](auto x) { return 3 * dyad::atanh(2 * x); });
    expect_plain("atanh", [](auto x) { return 3 * dyad::atanh(2 * x); }, // whose second slope is 48x
                 {{0x1p-30, 6 * 0x1p-30, 6.0, 48 * 0x1p-30}, {-0x1p-100, -6 * 0x1p-100, 6.0, -48 * 0x1p-100}});
    starts_as_x("expm1", [](auto x) { return 3 * dyad::expm1(2 * x); });
    starts_as_x("log1p", [](auto x) { return 3 * dyad::log1p(2 * x); });
    expect_plain("log1p", [](auto x) { return 3 * dyad::log1p(2 * x); },
                 {{1e-18, 3 * 2e-18, 6.0, -12.0}});
    expect_plain("expm1", [](auto x) { return 3 * dyad::expm1(2 * x); },
                 {{1e-18, 3 * 2e-18, 6.0, 12.0}});
}

TEST_CASE("saturated functions have value and slope of their limits") {
    expect_plain("tanh", [](auto x) { return 3 * dyad::tanh(2 * x); },
                 {{500.0, 3.0, 0.0, 0.0},
                  {-500.0, -3.0, 0.0, 0.0},
                  {infinity, 3.0, 0.0, 0.0},
                  {-infinity, -3.0, 0.0, 0.0}});
    check_same("tanh at 1000, third derivative",
               dyad::derivative<3>([](auto x) { return 3 * dyad::tanh(2 * x); })(500.0), 0.0);
    expect_plain("sigmoid", [](auto x) { return 3 * dyad::sigmoid(2 * x); },
                 {{infinity, 3.0, 0.0, 0.0},
                  {-infinity, 0.0, 0.0, 0.0},
                  {-500.0, 0.0, 0.0, 0.0},
                  {500.0, 3.0, 0.0, 0.0},
                  {0.0, 1.5, 1.5, 0.0}});
    expect_plain("softplus", [](auto x) { return 3 * dyad::softplus(2 * x); },
                 {{infinity, infinity, 6.0, 0.0},
                  {-infinity, 0.0, 0.0, 0.0},
                  {500.0, 3000.0, 6.0, 0.0},
                  {-500.0, 0.0, 0.0, 0.0}});
    expect_plain("erf", [](auto x) { return 3 * dyad::erf(2 * x); },
                 {{infinity, 3.0, 0.0},
                  {-infinity, -3.0, 0.0},
                  {500.0, 3.0, 0.0, 0.0},
                  {-500.0, -3.0, 0.0, 0.0},
                  {1e200, 3.0, 0.0}});
    expect_plain("erfc", [](auto x) { return 3 * dyad::erfc(2 * x); },
                 {{infinity, 0.0, 0.0}, {-infinity, 6.0, 0.0}, {500.0, 0.0, 0.0, 0.0}});
    const double right_angle = std::atan(infinity);
    expect_plain("atan", [](auto x) { return 3 * dyad::atan(2 * x); },
                 {{infinity, 3 * right_angle, 0.0},
                  {-infinity, -3 * right_angle, 0.0},
                  {1e300, 3 * right_angle, 0.0}});
    const auto tail = [](auto x) { return 3 * dyad::sigmoid(2 * x); };
    near_relative("sigmoid at -80, slope", dyad::grad(tail)(-40.0), 6 * std::exp(-80.0), 1e-14);
    near_relative("softplus at -80, slope",
                  dyad::grad([](auto x) { return 3 * dyad::softplus(2 * x); })(-40.0),
                  6 * std::exp(-80.0), 1e-14);
}

TEST_CASE("exponentials and logarithms go to their limits") {
    expect_plain("exp", [](auto x) { return 3 * dyad::exp(2 * x); },
                 {{-infinity, 0.0, 0.0, 0.0},
                  {infinity, infinity, infinity, infinity},
                  {400.0, infinity, infinity, infinity},
                  {-400.0, 0.0, 0.0, 0.0},
                  {0.0, 3.0, 6.0, 12.0}});
    expect_plain("exp2", [](auto x) { return 3 * dyad::exp2(2 * x); },
                 {{-infinity, 0.0, 0.0, 0.0}, {infinity, infinity, infinity}});
    expect_plain("expm1", [](auto x) { return 3 * dyad::expm1(2 * x); },
                 {{-infinity, -3.0, 0.0, 0.0}, {infinity, infinity, infinity}});
    expect_plain("log", [](auto x) { return 3 * dyad::log(2 * x); },
                 {{0.0, -infinity, infinity}, {infinity, infinity, 0.0}, {0.5, 0.0, 6.0, -12.0}});
    expect_plain("log2", [](auto x) { return 3 * dyad::log2(2 * x); },
                 {{0.0, -infinity, infinity}, {infinity, infinity, 0.0}});
    expect_plain("log10", [](auto x) { return 3 * dyad::log10(2 * x); },
                 {{0.0, -infinity, infinity}, {infinity, infinity, 0.0}});
    expect_plain("log1p", [](auto x) { return 3 * dyad::log1p(2 * x); },
                 {{-0.5, -infinity, infinity}, {infinity, infinity, 0.0}});
    for (double x : {-1.0, -infinity}) {
        check_same("log of a negative number",
                   dyad::value_and_grad([](auto u) { return 3 * dyad::log(2 * u); })(x).first,
                   quiet_nan);
        check_same("log1p below -1",
                   dyad::value_and_grad([](auto u) { return 3 * dyad::log1p(2 * u); })(x).first,
                   quiet_nan);
    }
    expect_plain("sinh", [](auto x) { return 3 * dyad::sinh(2 * x); },
                 {{infinity, infinity, infinity}, {-infinity, -infinity, infinity}});
    expect_plain(
        "cosh", [](auto x) { return 3 * dyad::cosh(2 * x); },
        {{infinity, infinity, infinity}, {-infinity, infinity, -infinity}, {0.0, 3.0, 0.0, 12.0}});
    expect_plain("asinh", [](auto x) { return 3 * dyad::asinh(2 * x); },
                 {{infinity, infinity, 0.0}, {-infinity, -infinity, 0.0}});
}

TEST_CASE("branch points and poles have infinite slopes of the right sign") {
    expect_plain("asin", [](auto x) { return 3 * dyad::asin(2 * x); },
                 {{0.5, 3 * std::asin(1.0), infinity}, {-0.5, -3 * std::asin(1.0), infinity}});
    expect_plain("acos", [](auto x) { return 3 * dyad::acos(2 * x); },
                 {{0.5, 0.0, -infinity}, {-0.5, 3 * std::acos(-1.0), -infinity}});
    expect_plain("acosh", [](auto x) { return 3 * dyad::acosh(2 * x); }, {{0.5, 0.0, infinity}});
    expect_plain("atanh", [](auto x) { return 3 * dyad::atanh(2 * x); },
                 {{0.5, infinity, infinity}, {-0.5, -infinity, infinity}});
    expect_plain("1 / x", [](auto x) { return 3 / (2 * x); },
                 {{0.0, infinity, -infinity}, {infinity, 0.0, 0.0}, {-infinity, 0.0, 0.0}});
    check_same("asin(2)", dyad::value_and_grad([](auto x) { return dyad::asin(x); })(2.0).first,
               quiet_nan);
    check_same("acosh(0)", dyad::value_and_grad([](auto x) { return dyad::acosh(x); })(0.0).first,
               quiet_nan);
    check_same("atanh(-2)", dyad::value_and_grad([](auto x) { return dyad::atanh(x); })(-2.0).first,
               quiet_nan);
    check_same("sin(inf)",
               dyad::value_and_grad([](auto x) { return dyad::sin(x); })(infinity).first,
               quiet_nan);
    check_same("cos(-inf)",
               dyad::value_and_grad([](auto x) { return dyad::cos(x); })(-infinity).first,
               quiet_nan);
}

TEST_CASE("the gamma family at whole numbers and at its poles") {
    const double euler = 0.57721566490153286;
    const auto gamma = [](auto x) { return 3 * dyad::tgamma(2 * x); };
    const auto log_gamma = [](auto x) { return 3 * dyad::lgamma(2 * x); };
    const auto psi = [](auto x) { return 3 * dyad::digamma(2 * x); };
    check_same("tgamma(5)", dyad::value_and_grad(gamma)(2.5).first, 72.0);
    near_relative("tgamma at 1, slope", dyad::grad(gamma)(0.5), -6 * euler);
    check_same("tgamma(0)", dyad::value_and_grad(gamma)(0.0).first, infinity);
    check_same("tgamma(200)", dyad::value_and_grad(gamma)(100.0).first, infinity);
    check_same("lgamma(1)", dyad::value_and_grad(log_gamma)(0.5).first, 0.0);
    check_same("lgamma(2)", dyad::value_and_grad(log_gamma)(1.0).first, 0.0);
    near_relative("lgamma at 1, slope", dyad::grad(log_gamma)(0.5), -6 * euler);
    check_same("lgamma(0)", dyad::value_and_grad(log_gamma)(0.0).first, infinity);
    check_same("lgamma(-2)", dyad::value_and_grad(log_gamma)(-1.0).first, infinity);
    check_same("lgamma(inf)", dyad::value_and_grad(log_gamma)(infinity).first, infinity);
    near_relative("lgamma at 2e300, slope", dyad::grad(log_gamma)(1e300), 6 * std::log(2e300));
    near_relative("digamma(1)", dyad::value_and_grad(psi)(0.5).first, -3 * euler);
    check_same("digamma(inf)", dyad::value_and_grad(psi)(infinity).first, infinity);
    near_relative("digamma at 1, slope", dyad::grad(psi)(0.5),
                  std::acos(-1.0) * std::acos(-1.0)); // 6 pi^2/6
    near_relative("digamma at 1e-200", dyad::value_and_grad(psi)(1e-200).first, -1.5e200);
}

TEST_CASE("logsumexp neither overflows nor turns infinities into NaN") {
    const auto h = [](auto x, auto y) { return 3 * dyad::logsumexp(2 * x, 2 * y); };
    const double one_half = 3 * std::log(2.0);
    expect_xy("logsumexp", h,
              {{0.0, 0.0, one_half, 3.0, 3.0},
               {500.0, -500.0, 3000.0, 6.0, 0.0},
               {-500.0, 500.0, 3000.0, 0.0, 6.0},
               {-infinity, 0.5, 3.0, 0.0, 6.0},
               {0.5, -infinity, 3.0, 6.0, 0.0}});
    check_near("logsumexp(1000, 1000)", dyad::value_and_grad(h)(500.0, 500.0).first,
               3000 + one_half, 1e-12);
    check_same("logsumexp(1000, 1000), slope", dyad::grad<0>(h)(500.0, 500.0), 3.0);
    check_near("logsumexp(-1000, -1000)", dyad::value_and_grad(h)(-500.0, -500.0).first,
               -3000 + one_half, 1e-12);
    check_same("logsumexp(-inf, -inf)", dyad::value_and_grad(h)(-infinity, -infinity).first,
               -infinity);
    check_same("logsumexp(-inf, -inf), plain", static_cast<double>(h(-infinity, -infinity)),
               -infinity);
    check_same("logsumexp(inf, 1)", dyad::value_and_grad(h)(infinity, 0.5).first, infinity);
    check_same("logsumexp(-inf, inf)", dyad::value_and_grad(h)(-infinity, infinity).first,
               infinity);
    check_same("logsumexp(inf, inf)", dyad::value_and_grad(h)(infinity, infinity).first, infinity);
}

} // namespace dyad_test
