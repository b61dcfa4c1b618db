// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Pools of images, and what their derivatives do, a row of results at a time: each element of the window in turn, for all
// places of the row. All memory is contiguous rows. With w(i, r) = [xᵢ = r] / (how many equal r), or 1 / size² for means,
// a tangent is Σ w tᵢ over the window and a cotangent gives xᵢ w g; where w is 0, nothing, whatever tᵢ and g are.
#pragma once

#include <algorithm>

#include <dyad/graph/attribute.hpp>
#include <dyad/op/keeping.hpp>

namespace dyad::routine {

/// One image of [height, width], and its [rows, columns] windows.
struct pool_sizes {
    std::size_t height, width, rows, columns;
};
template <class X, class R>
pool_sizes pool_sizes_of(const X& image, const R& pooled) {
    return {image.size[1], image.size[0], pooled.size[1], pooled.size[0]};
}

/// f(places of the row in the image: first, and how far apart) for each element of the windows of row r. The usual steps
/// are constants for the compiler.
template <class F>
void for_each_of_window(const pool_sizes& s, pool_window w, std::size_t r, const F& f) {
    for (std::size_t i = 0; i < w.size; ++i) {
        for (std::size_t j = 0; j < w.size; ++j) {
            const std::size_t first = (r * w.step + i) * s.width + j;
            if (w.step == 1) {
                f(first, [](std::size_t n) DYAD_INLINE_LAMBDA { return n; });
            } else if (w.step == 2) {
                f(first, [](std::size_t n) DYAD_INLINE_LAMBDA { return 2 * n; });
            } else {
                f(first, [step = w.step](std::size_t n) DYAD_INLINE_LAMBDA { return step * n; });
            }
        }
    }
}

/// The largest elements, or the means.
template <class T>
void pool(const pool_sizes& s, pool_window w, const T* x, T* to) {
    const T area = static_cast<T>(w.size) * static_cast<T>(w.size);
    for (std::size_t r = 0; r < s.rows; ++r, to += s.columns) {
        std::fill_n(to, s.columns, neutral<T>(w.largest ? keeping::largest : keeping::sum));
        for_each_of_window(s, w, r, [&](std::size_t first, auto place) {
            const T* const from = x + first;
            if (w.largest) {
                for (std::size_t n = 0; n < s.columns; ++n) to[n] = combined<keeping::largest>(to[n], from[place(n)]);
            } else {
                for (std::size_t n = 0; n < s.columns; ++n) to[n] += from[place(n)];
            }
        });
        for (std::size_t n = 0; n < s.columns && !w.largest; ++n) to[n] /= area;
    }
}
/// Into `share`: 1 / how many elements of each window of row r equal the largest, NaN where none does.
template <class T>
void find_shares(const pool_sizes& s, pool_window w, std::size_t r, const T* x, const T* largest, T* share) {
    std::fill_n(share, s.columns, T(0));
    for_each_of_window(s, w, r, [&](std::size_t first, auto place) {
        const T* const from = x + first;
        for (std::size_t n = 0; n < s.columns; ++n) share[n] += from[place(n)] == largest[n] ? T(1) : T(0);
    });
    for (std::size_t n = 0; n < s.columns; ++n) share[n] = share[n] == T(0) ? static_cast<T>(__builtin_nan("")) : T(1) / share[n];
}
/// What the largest elements receive of the tangents t. `share`: room for a row.
template <class T>
void pool_tangent(const pool_sizes& s, pool_window w, const T* t, const T* x, const T* largest, T* to, T* share) {
    for (std::size_t r = 0; r < s.rows; ++r, to += s.columns, largest += s.columns) {
        find_shares(s, w, r, x, largest, share);
        std::fill_n(to, s.columns, T(0));
        for_each_of_window(s, w, r, [&](std::size_t first, auto place) {
            const T *const from = x + first, *const moved = t + first;
            for (std::size_t n = 0; n < s.columns; ++n) to[n] += from[place(n)] < largest[n] ? T(0) : moved[place(n)] * share[n];
        });
    }
}
/// What the elements x receive of the cotangents g. `share`: room for a row.
template <class T>
void pool_cotangent(const pool_sizes& s, pool_window w, const T* g, const T* x, const T* largest, T* to, T* share) {
    const T area = static_cast<T>(w.size) * static_cast<T>(w.size);
    std::fill_n(to, s.height * s.width, T(0));
    for (std::size_t r = 0; r < s.rows; ++r, g += s.columns) {
        if (w.largest) {
            find_shares(s, w, r, x, largest, share);
            for_each_of_window(s, w, r, [&](std::size_t first, auto place) {
                const T* const from = x + first;
                T* const at = to + first;
                for (std::size_t n = 0; n < s.columns; ++n) at[place(n)] += from[place(n)] < largest[n] ? T(0) : g[n] * share[n];
            });
            largest += s.columns;
        } else {
            for_each_of_window(s, w, r, [&](std::size_t first, auto place) {
                T* const at = to + first;
                for (std::size_t n = 0; n < s.columns; ++n) at[place(n)] += g[n] / area;
            });
        }
    }
}

} // namespace dyad::routine
