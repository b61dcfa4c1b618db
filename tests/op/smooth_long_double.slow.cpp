// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// long double stays long double, in type and in accuracy, for every smooth operation: compared with
// the table, whose rounding to double it can see.

#include "smooth_operations.hpp"

#include <cfloat>

namespace dyad_test {

namespace {

struct in_long_double {
    template <class F, std::size_t N>
    void operator()(const char* op, const reference::unary_row (&rows)[N], const tolerance& limit,
                    F h) const {
        static_assert(std::is_same_v<decltype(dyad::grad(h)(0.5L)), long double>);
        static_assert(std::is_same_v<std::decay_t<decltype(dyad::value_and_grad(h)(0.5L).first)>,
                                     long double>);
        for (const auto& row : rows) {
            const long double x = row.x;
            const long double got[4] = {dyad::value_and_grad(h)(x).first, dyad::derivative<1>(h)(x),
                                        dyad::derivative<2>(h)(x), dyad::derivative<3>(h)(x)};
            for (int order = 0; order < 4; ++order) {
                const long double want = row.want[order], size = std::abs(want);
                // half an ulp for the table's own rounding; derivatives may also hold constants
                // such as 1/ln 2 as doubles
                const long double rounding = (order ? 4 : 1.01L) * size * (DBL_EPSILON / 2);
                const long double own =
                    limit.double_series
                        ? static_cast<long double>(
                              allowed(limit, order, row.want[order], row.scale[order]))
                        : allowed(limit, order, want, static_cast<long double>(row.scale[order]));
                check_near(std::string(op) + " in long double at x = " + digits(row.x) +
                               ", order " + std::to_string(order),
                           got[order], want, rounding + own);
            }
        }
    }
};

} // namespace

TEST_CASE("long double stays long double in every smooth operation") {
    for_each_smooth(in_long_double{});
}

} // namespace dyad_test
