// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The matrices of a stack one by one: the last two axes are the matrix, those before them count it. Or larger blocks.
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
    [[nodiscard]] T* at(std::size_t i, std::size_t j) const {
        return data + static_cast<std::ptrdiff_t>(i) * row_stride + static_cast<std::ptrdiff_t>(j) * column_stride;
    }
    [[nodiscard]] matrix transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

} // namespace dyad::routine

namespace dyad {

/// How many matrices, or blocks of `Last` axes, a stack has.
template <unsigned Last = 2, class X>
std::size_t planes_of(const X& x) {
    std::size_t planes = 1;
    for (unsigned k = Last; k < X::rank; ++k) planes *= x.size[k];
    return planes;
}
/// Block number `plane` of a stack that stretches to the axes of `like`.
template <unsigned Last, class X, class Y>
array_reference<typename X::element_type, Last> block_of(const X& x, const Y& like, std::size_t plane) {
    array_reference<typename X::element_type, Last> block{x.data, {}, {}};
    for (unsigned k = 0; k < Last; ++k) block.size[k] = x.size[k], block.stride[k] = x.stride[k];
    for (unsigned k = Last; k < Y::rank; ++k) {
        const std::size_t at = plane % like.size[k];
        plane /= like.size[k];
        if (k < X::rank && x.size[k] != 1) block.data = further(block.data, static_cast<std::ptrdiff_t>(at) * x.stride[k]);
    }
    return block;
}
/// Matrix number `plane`.
template <class X, class Y>
routine::matrix<typename X::element_type> plane_of(const X& x, const Y& like, std::size_t plane) {
    const auto block = block_of<2>(x, like, plane);
    return {block.data, block.size[1], block.size[0], block.stride[1], block.stride[0]};
}

} // namespace dyad
