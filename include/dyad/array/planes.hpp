// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The matrices of a stack one by one: the last two axes are the matrix, those before them count it.
#pragma once

#include <dyad/array/reference.hpp>

namespace dyad::routine {

/// A matrix by its strides: rows by columns.
template <class T>
struct matrix {
    T* data = nullptr;
    std::size_t rows = 0, columns = 0;
    std::ptrdiff_t row_stride = 0, column_stride = 0;

    [[nodiscard]] bool by_rows() const { return column_stride == 1 || columns <= 1; }
    [[nodiscard]] bool by_columns() const { return row_stride == 1 || rows <= 1; }
};

} // namespace dyad::routine

namespace dyad {

/// How many matrices a stack has.
template <class X>
std::size_t planes_of(const X& x) {
    std::size_t planes = 1;
    for (unsigned k = 2; k < X::rank; ++k) planes *= x.size[k];
    return planes;
}
/// Matrix number `plane` of a stack that stretches to the axes of `like`.
template <class X, class Y>
routine::matrix<std::remove_reference_t<decltype(*X::data)>> plane_of(const X& x, const Y& like, std::size_t plane) {
    auto* p = x.data;
    for (unsigned k = 2; k < Y::rank; ++k) {
        const std::size_t at = plane % like.size[k];
        plane /= like.size[k];
        if (k < X::rank && x.size[k] != 1) p += static_cast<std::ptrdiff_t>(at) * x.stride[k];
    }
    return {p, x.size[1], x.size[0], x.stride[1], x.stride[0]};
}

} // namespace dyad
