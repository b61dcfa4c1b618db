// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// float stays float, in type and in accuracy, for every smooth operation: compared with the double
// run at the same point.

#include "smooth_operations.hpp"

namespace dyad_test {

namespace {

struct in_float {
    template <class F, std::size_t N>
    void operator()(const char* op, const reference::unary_row (&rows)[N], const tolerance& limit,
                    F h) const {
        static_assert(std::is_same_v<decltype(dyad::grad(h)(0.5f)), float>);
        static_assert(std::is_same_v<decltype(dyad::derivative<2>(h)(0.5f)), float>);
        static_assert(
            std::is_same_v<std::decay_t<decltype(dyad::value_and_grad(h)(0.5f).first)>, float>);
        static_assert(
            std::is_same_v<std::decay_t<decltype(dyad::jvp(h)(0.5f, 1.0f).second)>, float>);
        int points = 0;
        for (const auto& row : rows) {
            if (!fits(row.x)) continue;
            const float x = static_cast<float>(row.x);
            const double at = x;
            const double want[4] = {dyad::value_and_grad(h)(at).first, dyad::derivative<1>(h)(at),
                                    dyad::derivative<2>(h)(at), dyad::derivative<3>(h)(at)};
            if (!fits(want[0]) || !fits(want[1]) || !fits(want[2]) || !fits(want[3])) continue;
            ++points;
            const float got[4] = {dyad::value_and_grad(h)(x).first, dyad::derivative<1>(h)(x),
                                  dyad::derivative<2>(h)(x), dyad::derivative<3>(h)(x)};
            for (int order = 0; order < 4; ++order)
                check_near(std::string(op) + " in float at x = " + digits(x) + ", order " +
                               std::to_string(order),
                           got[order], static_cast<float>(want[order]),
                           allowed(limit, order, static_cast<float>(want[order]),
                                   static_cast<float>(row.scale[order])));
        }
        CHECK_MESSAGE(points >= 3, op, " has only ", points, " points that a float can hold");
    }

    /// leaves room for the powers and reciprocals of an intermediate result
    static bool fits(double v) { return v == 0 || (std::abs(v) > 1e-12 && std::abs(v) < 1e12); }
};

} // namespace

TEST_CASE("float stays float in every smooth operation") {
    for_each_smooth(in_float{});
}

TEST_CASE("double literals do not widen a float argument") {
    const auto h = [](auto x) { return 0.5 * dyad::pow(x, 2.5) + 1.5; };
    static_assert(std::is_same_v<decltype(dyad::grad(h)(4.0f)), float>);
    static_assert(std::is_same_v<decltype(dyad::grad(dyad::grad(h))(4.0f)), float>);
    check_same("0.5 pow(x, 2.5) + 1.5 in float, slope", dyad::grad(h)(4.0f), 10.0f);
    check_same("0.5 pow(x, 2.5) + 1.5 in float, second derivative", dyad::grad(dyad::grad(h))(4.0f),
               3.75f);
    const auto mixed = [](auto x, auto y) { return x * y; };
    static_assert(
        std::is_same_v<std::decay_t<decltype(std::get<0>(dyad::grad(mixed)(2.0f, 3.0)))>, float>);
    static_assert(
        std::is_same_v<std::decay_t<decltype(std::get<1>(dyad::grad(mixed)(2.0f, 3.0)))>, double>);
    check_same("x y, float and double, slope in x", std::get<0>(dyad::grad(mixed)(2.0f, 3.0)),
               3.0f);
    check_same("x y, float and double, slope in y", std::get<1>(dyad::grad(mixed)(2.0f, 3.0)), 2.0);
}

} // namespace dyad_test
