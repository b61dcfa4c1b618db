// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Stacks of matrices in memory of a device as LAPACK has them: one after the other, each columns first.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include <dyad/array/planes.hpp>
#include <dyad/device/each.hpp>
#include <dyad/device/movement.hpp>

namespace dyad::device {

/// The matrices of x, which stretch to the first axes of `like`: rows by columns of them, each columns first.
template <class T, unsigned R>
class column_stack {
public:
    template <class Like>
    column_stack(const Like& like, std::size_t rows, std::size_t columns) {
        std::size_t step = rows * columns;
        stack.size[0] = columns, stack.size[1] = rows;
        stack.stride[0] = static_cast<std::ptrdiff_t>(rows), stack.stride[1] = 1;
        for (unsigned k = 2; k < R; ++k) {
            stack.size[k] = like.size[k];
            stack.stride[k] = static_cast<std::ptrdiff_t>(step);
            step *= like.size[k];
        }
        memory_ = buffer(step * sizeof(T));
        stack.data = static_cast<T*>(memory_.data());
    }
    template <class X>
    explicit column_stack(const X& x) : column_stack(x, x.size[1], x.size[0]) {
        copy<T>(x, stack);
    }
    [[nodiscard]] T* operator[](std::size_t plane) const { return stack.data + plane * stack.size[0] * stack.size[1]; }

    array_reference<T, R> stack{nullptr, {}, {}};

private:
    buffer memory_;
};
/// Matrix elements i and their transposes become their means (linear_algebra.hpp says why).
template <class T>
struct symmetric_work {
    T* data;
    std::size_t n;

    DYAD_FN void operator()(std::size_t k) const {
        const std::size_t i = k / n % n, j = k % n, other = k - i * n - j + j * n + i;
        if (j >= i || data[k] == data[other]) return;
        data[k] = data[other] = (data[k] + data[other]) / 2;
    }
};
template <class T, unsigned R>
void symmetrise(const column_stack<T, R>& a) {
    run_each("symmetrise", 1, a.stack.count(), symmetric_work<T>{a.stack.data, a.stack.size[0]});
}
/// The first rows and columns of each matrix.
template <class X>
X corner(X x, std::size_t rows, std::size_t columns) {
    x.size[1] = rows;
    x.size[0] = columns;
    return x;
}

/// Which of n numbers are NaN.
template <class T>
struct is_nan {
    const T* data;
    DYAD_FN bool operator()(std::size_t i) const { return data[i] != data[i]; }
};
/// Calls f(plane) for each matrix without a NaN: cuSOLVER's iterations fail for others. Returns which those are.
template <class T, unsigned R, class F>
std::vector<std::size_t> each_number(const column_stack<T, R>& a, F f) {
    std::vector<std::size_t> others;
    const std::size_t each = a.stack.size[0] * a.stack.size[1];
    for (std::size_t p = 0, planes = planes_of(a.stack); p < planes; ++p) {
        if (find_first(each, is_nan<T>{a[p]}) == each) {
            f(p);
        } else {
            others.push_back(p);
        }
    }
    return others;
}
/// Their results are NaN.
template <class T, class R>
void fill_nan(const R& to, std::size_t planes, const std::vector<std::size_t>& others) {
    const std::size_t each = to.count() / planes;
    for (const std::size_t p : others)
        fill<T, __builtin_bit_cast(std::uint64_t, std::numeric_limits<double>::quiet_NaN())>(array_reference<typename R::element_type, 1>{to.data + p * each, {each}, {1}});
}

} // namespace dyad::device
