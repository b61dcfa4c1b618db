// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Forward and reverse are one derivative: visitors for the lists of smooth_operations.hpp that
// compare value_and_grad, grad, derivative, jvp and vjp at every point of the table.
#pragma once

#include "smooth_operations.hpp"

namespace dyad_test {

/// Ulps: how far the same derivative from two programs may differ, in epsilon. 0 under strict. Where products may be
/// regrouped, programs with other outputs share other factors, and a seed known at compile time joins the
/// constants: 6 / u is not 3 (2 / u) to the last bit. Results of one program are the same to the bit under every
/// policy.
template <int Ulps>
struct all_modes_agree {
    template <class F, std::size_t N>
    void operator()(const char* op, const reference::unary_row (&rows)[N], const tolerance&,
                    F plain) const {
        const auto h = chosen(plain);
        for (const auto& row : rows) {
            const std::string where = std::string(op) + " at x = " + digits(row.x) + ", ";
            const auto [value, slope] = dyad::value_and_grad(h)(row.x);
            const auto [forward_value, tangent] = dyad::jvp(h)(row.x, 1.0);
            const auto [reverse_value, pullback] = dyad::vjp(h)(row.x);
            const double cotangent = pullback(1.0);
            check_close(where + "grad is the slope of value_and_grad", dyad::grad(h)(row.x), slope);
            check_close(where + "derivative<1> is grad", dyad::derivative<1>(h)(row.x), slope);
            check_close(where + "jvp slope is the grad slope", tangent, slope);
            check_close(where + "vjp slope is the grad slope", cotangent, slope);
            check_close(where + "jvp value", forward_value, value);
            check_close(where + "vjp value", reverse_value, value);
            check_same(where + "the pullback can be called again",
                       static_cast<double>(pullback(1.0)), cotangent);
            // powers of two scale without rounding, so seeds are exactly linear
            check_same(where + "jvp is linear in its tangent", dyad::jvp(h)(row.x, -0.5).second,
                       -0.5 * tangent);
            check_same(where + "vjp is linear in its seed", static_cast<double>(pullback(-0.5)),
                       -0.5 * cotangent);
        }
    }

    template <class F, std::size_t N>
    void operator()(const char* op, const reference::binary_row (&rows)[N], const tolerance&, bool,
                    F plain) const {
        const auto h = chosen(plain);
        for (const auto& row : rows) {
            const std::string where =
                std::string(op) + " at (" + digits(row.x) + ", " + digits(row.y) + "), ";
            const std::tuple point{row.x, row.y};
            const auto [value, gradient] = dyad::value_and_grad(h)(row.x, row.y);
            const auto [slope_x, slope_y] = gradient;
            const auto [forward_value, along_x] = dyad::jvp(h)(point, std::tuple{1.0, 0.0});
            const auto along_y = dyad::jvp(h)(point, std::tuple{0.0, 1.0}).second;
            const auto [reverse_value, pullback] = dyad::vjp(h)(row.x, row.y);
            const auto [back_x, back_y] = pullback(1.0);
            check_close(where + "jvp value", forward_value, value);
            check_close(where + "vjp value", reverse_value, value);
            check_close(where + "jvp along x is the partial in x", along_x, slope_x);
            check_close(where + "jvp along y is the partial in y", along_y, slope_y);
            check_close(where + "vjp in x is the partial in x", back_x, slope_x);
            check_close(where + "vjp in y is the partial in y", back_y, slope_y);
        }
    }

private:
    template <class F>
    static auto chosen(F f) {
        if constexpr (Ulps == 0)
            return dyad::strict(f);
        else
            return f;
    }

    static void check_close(const std::string& what, double got, double want) {
        if constexpr (Ulps == 0)
            check_same(what, got, want);
        else
            check_near(what, got, want,
                       Ulps * std::numeric_limits<double>::epsilon() * std::abs(want) +
                           std::numeric_limits<double>::min());
    }
};

} // namespace dyad_test
