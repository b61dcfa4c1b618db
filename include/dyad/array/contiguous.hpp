// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Operands side by side in memory, as library routines take them.
#pragma once

#include <type_traits>

#include <dyad/array/routines.hpp>
#include <dyad/kernel/workspace.hpp>

namespace dyad {

/// An operand as contiguous memory of element type T: its own, or a copy.
template <class T, class X>
const T* contiguous(const X& x, workspace::frame& frame) {
    if constexpr (std::is_same_v<std::remove_const_t<typename X::element_type>, T>) {
        if (x.is_contiguous()) return x.data;
    }
    array_reference<T, X::rank> copied{frame.template take<T>(x.count()), {}, {}};
    for (unsigned k = 0; k < X::rank; ++k) copied.size[k] = x.size[k];
    copied.set_row_major();
    routine::copy(x, copied);
    return copied.data;
}
/// The same as an array.
template <class T, class X>
array_reference<const T, X::rank> contiguous_array(const X& x, workspace::frame& frame) {
    array_reference<const T, X::rank> rows{contiguous<T>(x, frame), {}, {}};
    for (unsigned k = 0; k < X::rank; ++k) rows.size[k] = x.size[k];
    rows.set_row_major();
    return rows;
}
/// The same as memory to overwrite.
template <class T, class X>
T* overwritable(const X& x, workspace::frame& frame) {
    array_reference<T, X::rank> copied{frame.template take<T>(x.count()), {}, {}};
    for (unsigned k = 0; k < X::rank; ++k) copied.size[k] = x.size[k];
    copied.set_row_major();
    routine::copy(x, copied);
    return copied.data;
}

} // namespace dyad
