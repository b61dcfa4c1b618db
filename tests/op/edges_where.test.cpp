// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The branch that where (or max, min, a product with a structural zero) does not take contributes
// exactly nothing: no NaN, no infinity, in the value or in any derivative. The zeros here come next
// to slopes that are infinite or NaN.

#include "check.hpp"

namespace dyad_test {

TEST_CASE("an unselected square root adds nothing at 0 and left of it") {
    expect_plain("where(x > 0, sqrt(x), 0)",
                 [](auto x) { return dyad::where(x > 0, dyad::sqrt(x), 0); },
                 {{0.0, 0.0, 0.0, 0.0},
                  {-1.0, 0.0, 0.0, 0.0},
                  {4.0, 2.0, 0.25, -0.03125},
                  {-infinity, 0.0, 0.0, 0.0}});
    expect_plain("3 where(2x > 0, sqrt(2x), 2x)",
                 [](auto x) { return 3 * dyad::where(2 * x > 0, dyad::sqrt(2 * x), 2 * x); },
                 {{0.0, 0.0, 6.0, 0.0}, {-1.0, -6.0, 6.0, 0.0}, {2.0, 6.0, 1.5, -0.375}});
    check_same(
        "where(x > 0, sqrt(x), 0) at 0, third derivative",
        dyad::derivative<3>([](auto x) { return dyad::where(x > 0, dyad::sqrt(x), 0); })(0.0), 0.0);
}

TEST_CASE("an unselected logarithm adds nothing left of 0") {
    expect_plain("where(x > 0, log(x), x)",
                 [](auto x) { return dyad::where(x > 0, dyad::log(x), x); },
                 {{-1.0, -1.0, 1.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {2.0, std::log(2.0), 0.5, -0.25}});
    expect_plain("where(x <= 0, 3 x, log(x))",
                 [](auto x) { return dyad::where(x <= 0, 3 * x, dyad::log(x)); },
                 {{-1.0, -3.0, 3.0, 0.0}, {0.0, 0.0, 3.0, 0.0}});
}

TEST_CASE("an unselected quotient adds nothing at its pole") {
    expect_plain("where(x == 0, 1, sin(x) / x)",
                 [](auto x) { return dyad::where(x == 0, 1, dyad::sin(x) / x); },
                 {{0.0, 1.0, 0.0, 0.0}});
    expect_plain("where(x != 0, 1 / x, 5 x)",
                 [](auto x) { return dyad::where(x != 0, 1 / x, 5 * x); },
                 {{0.0, 0.0, 5.0, 0.0}, {2.0, 0.5, -0.25, 0.25}});
    expect_xy("where(y > 0, x / y, x)",
              [](auto x, auto y) { return 3 * dyad::where(y > 0, x / y, x); },
              {{2.0, 0.0, 6.0, 3.0, 0.0},
               {2.0, 4.0, 1.5, 0.75, -0.375},
               {infinity, 0.0, infinity, 3.0, 0.0}});
}

TEST_CASE("an unselected overflow adds nothing") {
    expect_plain(
        "where(x < 100, exp(x), x)", [](auto x) { return dyad::where(x < 100, dyad::exp(x), x); },
        {{1000.0, 1000.0, 1.0, 0.0}, {infinity, infinity, 1.0, 0.0}, {0.0, 1.0, 1.0, 1.0}});
    expect_plain("where(x < 100, x, expm1(exp(x)))",
                 [](auto x) { return dyad::where(x < 100, x, dyad::expm1(dyad::exp(x))); },
                 {{50.0, 50.0, 1.0, 0.0}, {-infinity, -infinity, 1.0, 0.0}});
}

TEST_CASE("a NaN in the unselected branch stays there") {
    const auto f = [](auto x, auto y) { return 3 * dyad::where(x > 0, 2 * x, dyad::sin(y) * x); };
    expect_xy("where(x > 0, 2x, sin(y) x) with y NaN or inf", f,
              {{1.5, quiet_nan, 9.0, 6.0, 0.0}, {1.5, infinity, 9.0, 6.0, 0.0}});
}

TEST_CASE("one square root under two overlapping masks adds nothing where both are off") {
    expect_plain("s = sqrt(x); where(x > 0, s, 0) + where(x > 1, 2 s, 0)",
                 [](auto x) {
                     const auto s = dyad::sqrt(x);
                     return dyad::where(x > 0, s, 0) + dyad::where(x > 1, 2 * s, 0);
                 },
                 {{0.0, 0.0, 0.0, 0.0},
                  {-1.0, 0.0, 0.0, 0.0},
                  {0.25, 0.5, 1.0, -2.0},
                  {4.0, 6.0, 0.75, -0.09375}});
}

TEST_CASE("nested masks hold in both orders") {
    expect_plain("where(x > 1, where(x > 0, sqrt(x), 7), x)",
                 [](auto x) { return dyad::where(x > 1, dyad::where(x > 0, dyad::sqrt(x), 7), x); },
                 {{0.0, 0.0, 1.0, 0.0}, {-1.0, -1.0, 1.0, 0.0}, {4.0, 2.0, 0.25, -0.03125}});
    expect_plain(
        "where(x > 0, where(x > 1, sqrt(x - 1), x), 3 x)",
        [](auto x) { return dyad::where(x > 0, dyad::where(x > 1, dyad::sqrt(x - 1), x), 3 * x); },
        {{1.0, 1.0, 1.0, 0.0},
         {0.5, 0.5, 1.0, 0.0},
         {0.0, 0.0, 3.0, 0.0},
         {5.0, 2.0, 0.25, -0.03125}});
}

TEST_CASE("a mask around the argument and one around the result agree") {
    expect_plain("double where",
                 [](auto x) { return dyad::where(x > 0, dyad::sqrt(dyad::where(x > 0, x, 1)), 0); },
                 {{0.0, 0.0, 0.0, 0.0}, {-1.0, 0.0, 0.0, 0.0}, {4.0, 2.0, 0.25, -0.03125}});
}

TEST_CASE("a function of a masked value adds nothing when the mask is off") {
    // the chain goes on after the where: exp(0) = 1 times nothing is nothing
    expect_plain("exp(where(x > 0, sqrt(x), 0))",
                 [](auto x) { return dyad::exp(dyad::where(x > 0, dyad::sqrt(x), 0)); },
                 {{0.0, 1.0, 0.0, 0.0}, {-1.0, 1.0, 0.0, 0.0}});
    // and before it: the infinite slope is two operations below the mask
    expect_plain("where(x > 0, exp(3 sqrt(x)), 2 x)",
                 [](auto x) { return dyad::where(x > 0, dyad::exp(3 * dyad::sqrt(x)), 2 * x); },
                 {{0.0, 0.0, 2.0, 0.0}, {-1.0, -2.0, 2.0, 0.0}});
}

TEST_CASE("a selected infinite slope is not hidden") {
    // strong zeros must not turn into skipped adjoints: these are infinite
    expect_plain("where(x >= 0, sqrt(x), 0)",
                 [](auto x) { return dyad::where(x >= 0, dyad::sqrt(x), 0); },
                 {{0.0, 0.0, infinity}, {-1.0, 0.0, 0.0, 0.0}});
    expect_plain("where(x >= 0, 3 log(x), 0)",
                 [](auto x) { return dyad::where(x >= 0, 3 * dyad::log(x), 0); },
                 {{0.0, -infinity, infinity}});
}

TEST_CASE("the side that max, min or clamp does not take adds nothing") {
    expect_plain("max(sqrt(x), 5)", [](auto x) { return dyad::max(dyad::sqrt(x), 5); },
                 {{0.0, 5.0, 0.0, 0.0}, {64.0, 8.0, 0.0625, -1.0 / 2048}});
    expect_plain("max(5, 9 - 1 / x)", [](auto x) { return dyad::max(5, 9 - 1 / x); },
                 {{0.0, 5.0, 0.0, 0.0}, {0.125, 5.0, 0.0, 0.0}, {0.5, 7.0, 4.0, -16.0}});
    expect_plain("min(-5, sqrt(x))", [](auto x) { return dyad::min(-5, dyad::sqrt(x)); },
                 {{0.0, -5.0, 0.0, 0.0}});
    expect_plain("clamp(sqrt(x), 1, 3)", [](auto x) { return dyad::clamp(dyad::sqrt(x), 1, 3); },
                 {{0.0, 1.0, 0.0, 0.0}, {4.0, 2.0, 0.25, -0.03125}, {infinity, 3.0, 0.0, 0.0}});
    expect_plain("relu(sqrt(x) - 5)", [](auto x) { return dyad::relu(dyad::sqrt(x) - 5); },
                 {{0.0, 0.0, 0.0, 0.0}});
}

TEST_CASE("a passive operand cannot poison: constants have no slope, whatever the partial is") {
    // the partial of pow in its exponent at base -2 is NaN: nobody asked for it
    expect_plain("pow(2x, 3)", [](auto x) { return 3 * dyad::pow(2 * x, 3.0); },
                 {{-1.0, -24.0, 72.0, -144.0}});
    const auto h = [](auto x, auto y) { return 3 * dyad::pow(2 * x, y); };
    check_same("pow(2x, y) at (-1, 3), slope in x alone", dyad::grad<0>(h)(-1.0, 3.0), 72.0);
    const auto masked_index = [](auto x, auto y) {
        return 3 * dyad::where(x > 0, 2 * x, dyad::log(y));
    };
    check_same("dead branch in y, slope in x alone", dyad::grad<0>(masked_index)(1.0, 0.0), 6.0);
    check_same("dead branch in y, slope in y alone", dyad::grad<1>(masked_index)(1.0, 0.0), 0.0);
    check_same("dead branch in y, mixed second",
               dyad::grad<0>(dyad::grad<1>(masked_index))(1.0, 0.0), 0.0);
    check_same("dead branch in y, second in y",
               dyad::grad<1>(dyad::grad<1>(masked_index))(1.0, 0.0), 0.0);
}

TEST_CASE("a zero that only happens at run time does not hide an infinity") {
    // 0 * inf is NaN when both are data, as in the plain program differentiated by hand
    check_same("y sqrt(x) at (0, 0), slope in x",
               dyad::grad<0>([](auto x, auto y) { return y * dyad::sqrt(x); })(0.0, 0.0),
               quiet_nan);
}

} // namespace dyad_test
