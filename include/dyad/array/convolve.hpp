// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Convolution of images and its two adjoints, image by image: the windows of one image become the columns of a matrix, which
// the BLAS multiplies by the kernels (im2col). Source: K. Chellapilla, S. Puri, P. Simard, High performance convolutional
// neural networks for document processing (2006). All memory is contiguous rows.
#pragma once

#include <algorithm>

#include <dyad/array/convolution_sizes.hpp>
#include <dyad/array/linear_algebra.hpp>

namespace dyad::routine {

/// The places whose element at offset `at` of the window is not padding: first to behind last.
struct inner_places {
    std::size_t first, last;
    inner_places(const convolution& c, std::size_t at, std::size_t size, std::size_t places) {
        first = at >= c.padding ? 0 : std::min(places, (c.padding - at + c.step - 1) / c.step);
        last = size + c.padding <= at ? first : std::max(first, std::min(places, (size + c.padding - at + c.step - 1) / c.step));
    }
};
/// f(row of the matrix of windows, its first place that is not padding, the element there, how many there are) for each line
/// of places; `line` begins there.
template <class T, class F>
void for_each_line(const convolution& c, T* image, const F& f) {
    for (std::size_t k = 0, at = 0; k < c.channels; ++k) {
        for (std::size_t i = 0; i < c.tall; ++i) {
            const inner_places down(c, i, c.height, c.rows);
            for (std::size_t j = 0; j < c.wide; ++j, ++at) {
                const inner_places along(c, j, c.width, c.columns);
                for (std::size_t r = down.first; r < down.last && along.first < along.last; ++r) {
                    T* const from = image + (k * c.height + r * c.step + i - c.padding) * c.width + along.first * c.step + j - c.padding;
                    f(at * c.places() + r * c.columns + along.first, from, along.last - along.first);
                }
            }
        }
    }
}
/// The windows of an image, a column for each place: [window, places].
template <class T>
const T* windows_of(const convolution& c, const T* image, T* columns) {
    if (c.of_points()) return image;
    if (c.padding > 0) std::fill_n(columns, c.window() * c.places(), T(0));
    for_each_line(c, image, [&](std::size_t at, const T* from, std::size_t count) {
        T* const to = columns + at;
        if (c.step == 1) return static_cast<void>(std::copy_n(from, count, to));
        for (std::size_t n = 0; n < count; ++n) to[n] = from[n * c.step];
    });
    return columns;
}
/// Its adjoint: the columns added up where they came from.
template <class T>
void add_windows(const convolution& c, const T* columns, T* image) {
    std::fill_n(image, c.image(), T(0));
    for_each_line(c, image, [&](std::size_t at, T* to, std::size_t count) {
        const T* const from = columns + at;
        if (c.step == 1) { // (so that the compiler sees registers to fill)
            for (std::size_t n = 0; n < count; ++n) to[n] += from[n];
        } else {
            for (std::size_t n = 0; n < count; ++n) to[n * c.step] += from[n];
        }
    });
}
template <class T>
matrix<const T> by_rows(const T* data, std::size_t rows, std::size_t columns) {
    return {data, rows, columns, static_cast<std::ptrdiff_t>(columns), 1};
}
template <class T>
matrix<const T> flipped(const matrix<const T>& x) {
    return {x.data, x.columns, x.rows, x.column_stride, x.row_stride};
}

/// How much memory to work in each of the three needs.
inline std::size_t convolution_work(const convolution& c) { return c.window() * c.places() + c.outputs * c.window(); }

/// result = the images' windows times the kernels.
template <class T>
void convolve(const convolution& c, const T* images, const T* kernels, T* result, T* work) {
    for (std::size_t n = 0; n < c.images; ++n) {
        const T* const columns = windows_of(c, images + n * c.image(), work);
        product<T>(by_rows(kernels, c.outputs, c.window()), by_rows(columns, c.window(), c.places()), result + n * c.outputs * c.places());
    }
}
/// What the images receive of the cotangents g of the result.
template <class T>
void convolve_images(const convolution& c, const T* g, const T* kernels, T* images, T* work) {
    for (std::size_t n = 0; n < c.images; ++n) {
        T* const columns = c.of_points() ? images + n * c.image() : work;
        product<T>(flipped(by_rows(kernels, c.outputs, c.window())), by_rows(g + n * c.outputs * c.places(), c.outputs, c.places()), columns);
        if (!c.of_points()) add_windows(c, columns, images + n * c.image());
    }
}
/// What the kernels receive.
template <class T>
void convolve_kernels(const convolution& c, const T* images, const T* g, T* kernels, T* work) {
    const std::size_t count = c.outputs * c.window();
    std::fill_n(kernels, count, T(0));
    T* const own = work + c.window() * c.places();
    for (std::size_t n = 0; n < c.images; ++n) {
        const T* const columns = windows_of(c, images + n * c.image(), work);
        product<T>(by_rows(g + n * c.outputs * c.places(), c.outputs, c.places()), flipped(by_rows(columns, c.window(), c.places())), own);
        for (std::size_t k = 0; k < count; ++k) kernels[k] += own[k];
    }
}

} // namespace dyad::routine
