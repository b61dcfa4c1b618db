// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Every smooth operation of two arguments against the high-precision table: value, gradient,
// Hessian and the four third partials of 3 op(2x, 2y), each from its own transform. fma, where and
// clamp, whose answers are short, follow in full.

#include "smooth_operations.hpp"

#include <algorithm>
#include <cmath>

namespace dyad_test {

namespace {

constexpr const char* partial_name[] = {"value", "x",   "y",   "xx",  "xy",
                                        "yy",    "xxx", "xxy", "xyy", "yyy"};
constexpr int order_of[] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3};

struct compare_with_table {
    template <class F, std::size_t N>
    void operator()(const char* op, const reference::binary_row (&rows)[N], const tolerance& limit,
                    bool own, F h) const {
        const auto h_x = dyad::grad<0>(h);
        const auto h_y = dyad::grad<1>(h);
        const auto h_xx = dyad::grad<0>(h_x);
        const auto h_xy = dyad::grad<0>(h_y);
        const auto h_yy = dyad::grad<1>(h_y);
        for (const auto& row : rows) {
            const double x = row.x, y = row.y;
            const std::string where =
                std::string(op) + " at (" + digits(x) + ", " + digits(y) + "), ";
            const auto [value, gradient] = dyad::value_and_grad(h)(x, y);
            const auto hessian = dyad::hessian(h)(x, y);
            const double got[10] = {value,
                                    std::get<0>(gradient),
                                    std::get<1>(gradient),
                                    hessian[0][0],
                                    hessian[0][1],
                                    hessian[1][1],
                                    dyad::grad<0>(h_xx)(x, y),
                                    dyad::grad<0>(h_xy)(x, y),
                                    dyad::grad<0>(h_yy)(x, y),
                                    dyad::grad<1>(h_yy)(x, y)};
            check_near(where + "plain value", static_cast<double>(h(x, y)), row.want[0],
                       allowed(limit, 0, row.want[0], row.scale[0]));
            check_same(where + "Hessian is symmetric", static_cast<double>(hessian[1][0]), got[4]);
            double limits[10];
            for (int k = 0; k < 10; ++k)
                limits[k] = allowed(limit, order_of[k], row.want[k], row.scale[k]);
            for (int k = 0; k < 10; ++k) {
                const bool alone = own || order_of[k] < 2;
                const double limit_k = alone ? limits[k]
                                       : order_of[k] == 2
                                           ? *std::max_element(limits + 3, limits + 6)
                                           : *std::max_element(limits + 6, limits + 10);
                check_near(where + partial_name[k], got[k], row.want[k], limit_k);
            }
            const auto plain_gradient = dyad::grad(h)(x, y);
            check_near(where + "grad, x", std::get<0>(plain_gradient), row.want[1], limits[1]);
            check_near(where + "grad, y", std::get<1>(plain_gradient), row.want[2], limits[2]);
        }
    }
};

} // namespace

TEST_CASE("operations of two arguments match the table to the third partials") {
    for_each_binary(compare_with_table{});
}

TEST_CASE("fma rounds once, and its partials are its factors") {
    const auto h = [](auto x, auto y, auto z) { return 3 * dyad::fma(2 * x, 2 * y, 2 * z); };
    const auto [value, gradient] = dyad::value_and_grad(h)(1.5, -2.25, 4.0);
    check_same("fma value", value, 3 * (3.0 * -4.5 + 8.0));
    check_same("fma slope in x", std::get<0>(gradient), 12 * -2.25);
    check_same("fma slope in y", std::get<1>(gradient), 12 * 1.5);
    check_same("fma slope in z", std::get<2>(gradient), 6.0);
    const auto hessian = dyad::hessian(h)(1.5, -2.25, 4.0);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            check_same("fma second partial " + std::to_string(i) + std::to_string(j), hessian[i][j],
                       i + j == 1 ? 12.0 : 0.0);
    check_same("fma slope in x (jvp)",
               dyad::jvp(h)(std::tuple{1.5, -2.25, 4.0}, std::tuple{1.0, 0.0, 0.0}).second,
               12 * -2.25);

    // (1 + e)(1 - e) - 1 is -e e in one rounding, 0 in two
    const double e = std::ldexp(1.0, -30);
    const auto once = [](auto x, auto y) { return 3 * dyad::fma(x, y, -1); };
    check_same("fma(1 + e, 1 - e, -1)", dyad::value_and_grad(once)(1 + e, 1 - e).first, -3 * e * e);
    check_same("fma of plain numbers", static_cast<double>(once(1 + e, 1 - e)), -3 * e * e);
}

TEST_CASE("clamp hands its slope to whichever bound or argument it returns") {
    const auto h = [](auto x, auto low, auto high) {
        return 3 * dyad::clamp(2 * x, 2 * low, 2 * high);
    };
    struct {
        double x, value, slope_x, slope_low, slope_high;
    } const points[] = {{0.5, 3.0, 6, 0, 0}, {-7.0, -6.0, 0, 6, 0}, {9.0, 24.0, 0, 0, 6}};
    for (const auto& at : points) {
        const std::string where = "clamp(., -1, 4) at " + digits(at.x);
        const auto [value, gradient] = dyad::value_and_grad(h)(at.x, -1.0, 4.0);
        check_same(where + ", value", value, at.value);
        check_same(where + ", plain value", static_cast<double>(h(at.x, -1.0, 4.0)), at.value);
        check_same(where + ", slope in x", std::get<0>(gradient), at.slope_x);
        check_same(where + ", slope in the lower bound", std::get<1>(gradient), at.slope_low);
        check_same(where + ", slope in the upper bound", std::get<2>(gradient), at.slope_high);
        check_same(where + ", slope in x (jvp)",
                   dyad::jvp(h)(std::tuple{at.x, -1.0, 4.0}, std::tuple{1.0, 0.0, 0.0}).second,
                   at.slope_x);
        check_same(where + ", second derivative", dyad::grad<0>(dyad::grad<0>(h))(at.x, -1.0, 4.0),
                   0.0);
    }
}

TEST_CASE("where follows the branch that its condition selects, in every order") {
    const auto h = [](auto x, auto y) {
        return 3 * dyad::where(x > y, dyad::cube(2 * x), dyad::square(2 * y));
    };
    expect_xy(
        "where", h,
        {{2.0, 1.0, 192.0, 288.0, 0.0}, {1.0, 2.0, 48.0, 0.0, 48.0}, {2.0, 2.0, 48.0, 0.0, 48.0}});
    check_same("where xx, first branch", dyad::hessian(h)(2.0, 1.0)[0][0], 288.0);
    check_same("where yy, first branch", dyad::hessian(h)(2.0, 1.0)[1][1], 0.0);
    check_same("where yy, second branch", dyad::hessian(h)(1.0, 2.0)[1][1], 24.0);
    check_same("where xy", dyad::hessian(h)(1.0, 2.0)[0][1], 0.0);
    check_same("where xxx", dyad::grad<0>(dyad::grad<0>(dyad::grad<0>(h)))(2.0, 1.0), 144.0);
}

} // namespace dyad_test
