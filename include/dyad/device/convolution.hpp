// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Convolutions of images on a device, and their cotangents: by cuDNN where that takes them, else as products of matrices,
// the windows of all images side by side in memory.
#pragma once

#include <concepts>

#include <dyad/array/planes.hpp>
#include <dyad/device/dnn.hpp>
#include <dyad/device/products.hpp>
#include <dyad/device/routines.hpp>

namespace dyad::device {

/// An array of the device that lives as long as this; its sizes, the last axis first.
template <class T, unsigned R>
class temporary {
public:
    template <std::convertible_to<std::size_t>... Sizes>
    explicit temporary(Sizes... sizes) : array{nullptr, {static_cast<std::size_t>(sizes)...}, {}} {
        static_assert(sizeof...(Sizes) == R);
        array.set_row_major();
        memory_ = buffer(array.count() * sizeof(T));
        array.data = static_cast<T*>(memory_.data());
    }
    array_reference<T, R> array;

private:
    buffer memory_;
};

/// All windows of images that have their zeros around them: [images, rows, columns, channels, tall, wide].
template <class E>
array_reference<E, 6> windows_of(const array_reference<E, 4>& padded, const routine::convolution& c) {
    const auto step = static_cast<std::ptrdiff_t>(c.step);
    const std::ptrdiff_t* const s = padded.stride;
    return {padded.data, {c.wide, c.tall, c.channels, c.columns, c.rows, c.images}, {s[0], s[1], s[2], s[0] * step, s[1] * step, s[3]}};
}
/// The part of padded images that is no padding.
template <class E>
array_reference<E, 4> inside(const array_reference<E, 4>& padded, const routine::convolution& c) {
    const auto start = static_cast<std::ptrdiff_t>(c.padding);
    return routine::part(routine::part(padded, 0, start, 1, c.width), 1, start, 1, c.height);
}
/// [images, outputs, rows, columns] as [images, rows, columns, outputs].
template <class E>
array_reference<E, 4> outputs_last(const array_reference<E, 4>& x) {
    return {x.data, {x.size[2], x.size[0], x.size[1], x.size[3]}, {x.stride[2], x.stride[0], x.stride[1], x.stride[3]}};
}
/// [images, rows, columns, channels, tall, wide] as `fold` has it: [images, channels, rows, columns, tall, wide].
template <class E>
array_reference<E, 6> channels_first(const array_reference<E, 6>& x) {
    return {x.data, {x.size[0], x.size[1], x.size[3], x.size[4], x.size[2], x.size[5]}, {x.stride[0], x.stride[1], x.stride[3], x.stride[4], x.stride[2], x.stride[5]}};
}
template <class T>
temporary<T, 4> padded_images(const routine::convolution& c) {
    return temporary<T, 4>(c.width + 2 * c.padding, c.height + 2 * c.padding, c.channels, c.images);
}
template <class T, class X>
void cut_windows(const routine::convolution& c, const X& images, const array_reference<T, 6>& windows) {
    if (c.padding == 0) return copy<T>(windows_of(images, c), windows);
    const auto padded = padded_images<T>(c);
    fill<T>(padded.array);
    copy<T>(images, inside(padded.array, c));
    copy<T>(windows_of(padded.array, c), windows);
}
template <class T, class R>
void add_windows(const routine::convolution& c, const array_reference<T, 6>& windows, const R& images) {
    const auto step = static_cast<unsigned>(c.step);
    const auto fold_to = [&](const auto& to) { run_routine<opcode::fold, T>(encode_steps({step, step}), to, channels_first(windows)); };
    if (c.padding == 0) return fold_to(images);
    const auto padded = padded_images<T>(c);
    fold_to(padded.array);
    copy<T>(inside(padded.array, c), images);
}
template <class T, class R, class X, class Y>
void multiply(const R& to, const X& x, const Y& y) {
    const buffer partial(sums_of_product(to.count(), x.size[0]) * sizeof(T));
    multiply<T>(to, static_cast<T*>(partial.data()), x, y);
}

/// The result, or a cotangent, as a product of all windows (a row for each place) with kernels or cotangents.
template <opcode Op, class T, class X, class Y, class R>
void multiply_windows(const routine::convolution& c, const X& x, const Y& y, const R& to) {
    const std::size_t places = c.images * c.places();
    const temporary<T, 6> windows(c.wide, c.tall, c.channels, c.columns, c.rows, c.images);
    const temporary<T, 2> kernels(c.window(), c.outputs), made(c.outputs, places);
    const array_reference<T, 2> rows = rows_at(windows.array.data, array_reference<T, 2>{nullptr, {c.window(), places}, {}});
    if constexpr (is(Op, opcode::conv2d)) {
        cut_windows(c, x, windows.array);
        copy<T>(y, rows_at(kernels.array.data, y));
        multiply<T>(made.array, rows, transposed(kernels.array));
        copy<T>(rows_at(made.array.data, outputs_last(to)), outputs_last(to));
    } else if constexpr (is(Op, opcode::conv2d_images)) {
        copy<T>(outputs_last(x), rows_at(made.array.data, outputs_last(x)));
        copy<T>(y, rows_at(kernels.array.data, y));
        multiply<T>(rows, made.array, kernels.array);
        add_windows(c, windows.array, to);
    } else {
        cut_windows(c, x, windows.array);
        copy<T>(outputs_last(y), rows_at(made.array.data, outputs_last(y)));
        multiply<T>(rows_at(to.data, kernels.array), transposed(made.array), rows);
    }
}

/// Computes convolution or cotangent `Op` into `to`, a block of four axes after the other.
template <opcode Op, class T, class R, class X, class Y>
void convolve(convolution_steps s, const R& to, const X& x, const Y& y) {
    if (to.count() == 0) return;
    if (x.count() == 0 || y.count() == 0) return fill<T>(to);
    const routine::convolution c = routine::convolution_of<Op>(x, y, to, s);
    for (std::size_t p = 0, planes = planes_of<4>(to); p < planes; ++p) {
        const auto from_x = block_of<4>(x, to, p);
        const auto from_y = block_of<4>(y, to, p);
        const auto here = block_of<4>(to, to, p);
        if (!convolve_by_library<Op, T>(c, from_x, from_y, here)) multiply_windows<Op, T>(c, from_x, from_y, here);
    }
}

} // namespace dyad::device
