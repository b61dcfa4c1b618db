// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Every smooth operation of one argument against the high-precision table: plain value, traced
// value and derivatives 1, 2 and 3 of 3 op(2x). The outer 3 and the inner 2 catch rules that forget
// the chain.

#include "smooth_operations.hpp"

namespace dyad_test {

namespace {

struct compare_with_table {
    template <class F, std::size_t N>
    void operator()(const char* op, const reference::unary_row (&rows)[N], const tolerance& limit,
                    F h) const {
        for (const auto& row : rows) {
            const double got[4] = {dyad::value_and_grad(h)(row.x).first,
                                   dyad::derivative<1>(h)(row.x), dyad::derivative<2>(h)(row.x),
                                   dyad::derivative<3>(h)(row.x)};
            const std::string where = std::string(op) + " at x = " + digits(row.x) + ", ";
            check_near(where + "plain value", static_cast<double>(h(row.x)), row.want[0],
                       allowed(limit, 0, row.want[0], row.scale[0]));
            for (int order = 0; order < 4; ++order)
                check_near(where + "order " + std::to_string(order), got[order], row.want[order],
                           allowed(limit, order, row.want[order], row.scale[order]));
        }
    }
};

} // namespace

TEST_CASE("powers and roots match the table to the third derivative") {
    for_each_power(compare_with_table{});
}

TEST_CASE("exponentials and logarithms match the table to the third derivative") {
    for_each_exponential(compare_with_table{});
}

TEST_CASE("trigonometric operations match the table to the third derivative") {
    for_each_trigonometric(compare_with_table{});
}

TEST_CASE("hyperbolic operations match the table to the third derivative") {
    for_each_hyperbolic(compare_with_table{});
}

TEST_CASE("error and gamma functions match the table to the third derivative") {
    for_each_special(compare_with_table{});
}

} // namespace dyad_test
