// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The sizes of a convolution, from its operands and result, or from those of its cotangents.
#pragma once

#include <cstddef>

#include <dyad/graph/attribute.hpp>
#include <dyad/op/opcode.hpp>

namespace dyad::routine {

/// Images of [channels, height, width] with kernels of [outputs, channels, tall, wide] make [outputs, rows, columns].
struct convolution {
    std::size_t images, channels, height, width, outputs, tall, wide, rows, columns, step, padding;

    [[nodiscard]] std::size_t image() const { return channels * height * width; }
    [[nodiscard]] std::size_t window() const { return channels * tall * wide; }
    [[nodiscard]] std::size_t places() const { return rows * columns; }
    /// Whether the windows of an image are the image.
    [[nodiscard]] bool of_points() const { return tall == 1 && wide == 1 && step == 1 && padding == 0; }
};

/// Of the last four axes of x, y and the result of operation `Op`: images, kernels and what they make change places.
template <opcode Op, class X, class Y, class R>
convolution convolution_of(const X& x, const Y& y, const R& r, convolution_steps s) {
    const auto of = [s](const auto& images, const auto& kernels, const auto& made) {
        return convolution{images.size[3], images.size[2], images.size[1], images.size[0], kernels.size[3], kernels.size[1], kernels.size[0],
                           made.size[1], made.size[0], s.step, s.padding};
    };
    if constexpr (is(Op, opcode::conv2d_images)) {
        return of(r, y, x);
    } else if constexpr (is(Op, opcode::conv2d_kernels)) {
        return of(x, r, y);
    } else {
        return of(x, y, r);
    }
}

} // namespace dyad::routine
