// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Bundle adjustment in small: rotate a point by an angle-axis vector, move it, project it through a
// lens with one radial coefficient, and take the squared distance to the observed spot. Eleven
// parameters: rotation 3, translation 3, focal length, lens coefficient, point 3. Sharing in the
// hand code: a sincos pair, one reciprocal of the angle, one of the depth, and the rotation's
// transpose for the point's gradient.
#pragma once

#include "../problem.hpp"

namespace bench {

struct projection {
    static constexpr const char* name = "projection11";
    static constexpr std::size_t inputs = 11;
    static constexpr std::size_t points = 256;
    static constexpr bool one_argument = true;
    static constexpr std::array<interval, inputs> ranges{{{0.1, 0.8},
                                                          {-0.7, 0.7},
                                                          {0.1, 0.9},
                                                          {-0.3, 0.3},
                                                          {-0.3, 0.3},
                                                          {4.0, 6.0},
                                                          {0.8, 1.5},
                                                          {-0.2, 0.2},
                                                          {-1.0, 1.0},
                                                          {-1.0, 1.0},
                                                          {-1.0, 1.0}}};
    static constexpr double observed_u = 0.3;
    static constexpr double observed_v = -0.2;

    static constexpr auto function = [](auto x) {
        using dyad::sqrt, dyad::sin, dyad::cos;
        const auto [w0, w1, w2] = std::array{x[0], x[1], x[2]};
        const auto [p0, p1, p2] = std::array{x[8], x[9], x[10]};
        const auto angle_squared = w0 * w0 + w1 * w1 + w2 * w2;
        const auto angle = sqrt(angle_squared);
        const auto turn = cos(angle);
        const auto swing = sin(angle) / angle;
        const auto lean = (1 - turn) / angle_squared * (w0 * p0 + w1 * p1 + w2 * p2);
        const auto q0 = turn * p0 + swing * (w1 * p2 - w2 * p1) + lean * w0 + x[3];
        const auto q1 = turn * p1 + swing * (w2 * p0 - w0 * p2) + lean * w1 + x[4];
        const auto q2 = turn * p2 + swing * (w0 * p1 - w1 * p0) + lean * w2 + x[5];
        const auto u = q0 / q2;
        const auto v = q1 / q2;
        const auto scale = x[6] * (1 + x[7] * (u * u + v * v));
        const auto error_u = scale * u - observed_u;
        const auto error_v = scale * v - observed_v;
        return error_u * error_u + error_v * error_v;
    };

    template <class T>
    [[gnu::always_inline]] static gradient_of<T, inputs> hand(const std::array<T, inputs>& x) {
        const auto [w0, w1, w2, t0, t1, t2, focal, radial, p0, p1, p2] = x;
        const T angle_squared = w0 * w0 + w1 * w1 + w2 * w2;
        const T angle = sqrt(angle_squared);
        const T inverse_angle = 1.0 / angle;
        const T inverse = inverse_angle * inverse_angle;
        const auto [sine, turn] = sincos(angle);
        const T swing = sine * inverse_angle;
        const T bend = (1.0 - turn) * inverse;
        const T along = w0 * p0 + w1 * p1 + w2 * p2;
        const T cross0 = w1 * p2 - w2 * p1;
        const T cross1 = w2 * p0 - w0 * p2;
        const T cross2 = w0 * p1 - w1 * p0;
        const T lean = bend * along;
        const T inverse_depth = 1.0 / (turn * p2 + swing * cross2 + lean * w2 + t2);
        const T u = (turn * p0 + swing * cross0 + lean * w0 + t0) * inverse_depth;
        const T v = (turn * p1 + swing * cross1 + lean * w1 + t1) * inverse_depth;
        const T radius = u * u + v * v;
        const T distortion = 1.0 + radial * radius;
        const T scale = focal * distortion;
        const T error_u = scale * u - observed_u;
        const T error_v = scale * v - observed_v;

        const T twice_u = error_u + error_u;
        const T twice_v = error_v + error_v;
        const T by_scale = twice_u * u + twice_v * v;
        const T by_distortion = by_scale * focal;
        const T by_radius = 2.0 * (by_distortion * radial);
        const T g0 = (twice_u * scale + by_radius * u) * inverse_depth;
        const T g1 = (twice_v * scale + by_radius * v) * inverse_depth;
        const T g2 = -(g0 * u + g1 * v);

        const T axis_pull = w0 * g0 + w1 * g1 + w2 * g2;
        const T back = bend * axis_pull;
        const T point_pull = p0 * g0 + p1 * g1 + p2 * g2;
        const T cross_pull = cross0 * g0 + cross1 * g1 + cross2 * g2;
        const T by_angle =
            ((turn - swing) * cross_pull + (swing - 2.0 * bend) * (along * axis_pull)) * inverse -
            swing * point_pull;
        return {error_u * error_u + error_v * error_v,
                {swing * (p1 * g2 - p2 * g1) + lean * g0 + back * p0 + by_angle * w0,
                 swing * (p2 * g0 - p0 * g2) + lean * g1 + back * p1 + by_angle * w1,
                 swing * (p0 * g1 - p1 * g0) + lean * g2 + back * p2 + by_angle * w2, g0, g1, g2,
                 by_scale * distortion, by_distortion * radius,
                 turn * g0 + swing * (g1 * w2 - g2 * w1) + back * w0,
                 turn * g1 + swing * (g2 * w0 - g0 * w2) + back * w1,
                 turn * g2 + swing * (g0 * w1 - g1 * w0) + back * w2}};
    }
};

} // namespace bench
