// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Convolution and pooling of images: the last two axes. A convolution and its two cotangents are bilinear, and each is the
// derivative of the others; so are the tangent and the cotangent of a pool, which are linear.
#pragma once

#include <dyad/array/algebra.hpp>

namespace dyad {

/// All windows of the size of y's last two axes: [.., height, width] becomes [.., rows, columns, window height, width].
constexpr tracer unfolded(const tracer& x, const tracer& y, int step) {
    if (rank_of(x) < 2) return refused(array_fault::window_axes, x, y);
    if (step < 1) return refused(array_fault::window_step, x, y);
    const auto s = static_cast<unsigned>(step);
    return array_operation(opcode::unfold, encode_steps({s, s}), x, y);
}

/// Cross-correlation, as neural networks mean convolution: x of [images, channels, height, width] with kernels of
/// [outputs, channels, height, width] makes [images, outputs, rows, columns]; `padding` zeros stand around each image.
constexpr tracer conv2d(const tracer& x, const tracer& kernels, int step = 1, int padding = 0) {
    if (rank_of(x) != 4 || rank_of(kernels) != 4)
        return refused(array_fault::conv2d_ranks, x, kernels);
    if (step < 1) return refused(array_fault::window_step, x, kernels);
    if (padding < 0) return refused(array_fault::pad_negative, x, kernels);
    return array_operation(opcode::conv2d, encode_convolution({static_cast<unsigned>(step), static_cast<unsigned>(padding)}), x, kernels);
}

constexpr tracer pooled_windows(const tracer& x, int size, int step) {
    if (size < 1) return refused(array_fault::window_size, x);
    if (rank_of(x) < 2) return refused(array_fault::window_axes, x);
    builder& b = *x.home();
    std::uint64_t sizes = encode_reshape({0, 2});
    for (unsigned k = 0; k < 2; ++k) sizes = with_size(sizes, k, static_cast<std::uint64_t>(size));
    const tracer window = array_operation(opcode::fill, sizes, tracer(b, b.constant(exact(0), element::float64)));
    return unfolded(x, window, step);
}
constexpr tracer pooled(const tracer& x, int size, int step, bool largest) {
    if (size < 1 || !pool_window::fits(size)) return refused(array_fault::window_size, x);
    if (step < 1) return refused(array_fault::window_step, x);
    if (rank_of(x) < 2) return refused(array_fault::window_axes, x);
    return array_operation(opcode::pool, encode_pool({static_cast<unsigned>(size), pool_window::fits(step) ? static_cast<unsigned>(step) : pool_window::most, largest}), x);
}
/// The largest element of each window of `size` by `size`, `step` (or size) apart, of the last two axes; equal ones share
/// the slope.
constexpr tracer max_pool(const tracer& x, int size, int step) {
    return pooled(x, size, step, true);
}
constexpr tracer max_pool(const tracer& x, int size) {
    return max_pool(x, size, size);
}
/// The mean of each window.
constexpr tracer avg_pool(const tracer& x, int size, int step) {
    return pooled(x, size, step, false);
}
constexpr tracer avg_pool(const tracer& x, int size) {
    return avg_pool(x, size, size);
}

} // namespace dyad
