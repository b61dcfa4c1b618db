// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// jvp, vjp, grad, derivative and value_and_grad agree at every point of the table, with rewrites
// on. A NaN goes through every smooth operation.

#include "all_modes.hpp"

namespace dyad_test {

namespace {

/// A NaN argument is a NaN value, and a NaN slope unless the slope is the same everywhere.
struct hands_nan_on {
    template <class F, std::size_t N>
    void operator()(const char* op, const reference::unary_row (&)[N], const tolerance&,
                    F h) const {
        const std::string name = op;
        check_same(name + " of NaN, plain", static_cast<double>(h(quiet_nan)), quiet_nan);
        check_same(name + " of NaN", dyad::value_and_grad(h)(quiet_nan).first, quiet_nan);
        if (name == "negate")
            check_same("negate at NaN, slope", dyad::grad(h)(quiet_nan), -6.0);
        else if (name != "abs" &&
                 name != "relu") // piecewise constant slopes: no convention for them
            check_same(name + " at NaN, slope", dyad::grad(h)(quiet_nan), quiet_nan);
    }

    template <class F, std::size_t N>
    void operator()(const char* op, const reference::binary_row (&)[N], const tolerance&, bool,
                    F h) const {
        const std::string name = op;
        check_same(name + " of (NaN, 1.5)", dyad::value_and_grad(h)(quiet_nan, 1.5).first,
                   quiet_nan);
        check_same(name + " of (1.5, NaN)", dyad::value_and_grad(h)(1.5, quiet_nan).first,
                   quiet_nan);
    }
};

} // namespace

TEST_CASE("forward and reverse agree for powers and roots") {
    for_each_power(all_modes_agree<2>{});
}

TEST_CASE("forward and reverse agree for exponentials and logarithms") {
    for_each_exponential(all_modes_agree<2>{});
}

TEST_CASE("forward and reverse agree for trigonometric operations") {
    for_each_trigonometric(all_modes_agree<2>{});
}

TEST_CASE("forward and reverse agree for hyperbolic operations") {
    for_each_hyperbolic(all_modes_agree<2>{});
}

TEST_CASE("forward and reverse agree for error and gamma functions") {
    for_each_special(all_modes_agree<2>{});
}

TEST_CASE("forward and reverse agree for operations of two arguments") {
    for_each_binary(all_modes_agree<2>{});
}

TEST_CASE("a NaN argument gives a NaN result in every smooth operation") {
    for_each_smooth(hands_nan_on{});
    for_each_binary(hands_nan_on{});
}

} // namespace dyad_test
