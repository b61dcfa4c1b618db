// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a product of matrices is to BLAS: the layout, given to a gemm written from BLAS's definition, gives the product.
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <dyad/device/blas.hpp>

namespace {

using dyad::device::gemm_layout;
template <unsigned R>
using view = dyad::array_reference<double, R>;

/// C = op(A) op(B), all columns first, of m x k times k x n; steps from matrix to matrix beside them.
void gemm(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k, const double* a, std::ptrdiff_t lda, const double* b, std::ptrdiff_t ldb, double* c) {
    const auto element = [](const double* x, bool transposed, std::ptrdiff_t leading, std::size_t i, std::size_t j) {
        return transposed ? x[static_cast<std::ptrdiff_t>(i) * leading + static_cast<std::ptrdiff_t>(j)] : x[static_cast<std::ptrdiff_t>(j) * leading + static_cast<std::ptrdiff_t>(i)];
    };
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::size_t p = 0; p < k; ++p) sum += element(a, transpose_a, lda, i, p) * element(b, transpose_b, ldb, p, j);
            c[j * m + i] = sum;
        }
    }
}
template <unsigned R>
view<R> contiguous(std::vector<double>& memory, const std::size_t (&size)[R]) {
    view<R> v;
    std::size_t count = 1;
    for (unsigned k = 0; k < R; ++k) count *= v.size[k] = size[k];
    memory.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i) memory[i] = static_cast<double>((7 * i + count) % 11) - 4;
    v.data = memory.data();
    v.set_row_major();
    return v;
}
view<2> transposed(view<2> x) {
    std::swap(x.size[0], x.size[1]);
    std::swap(x.stride[0], x.stride[1]);
    return x;
}
template <unsigned R>
double at(const view<R>& x, std::size_t plane, std::size_t i, std::size_t j) {
    const double* p = x.data + static_cast<std::ptrdiff_t>(x.size[1] == 1 ? 0 : i) * x.stride[1] + static_cast<std::ptrdiff_t>(x.size[0] == 1 ? 0 : j) * x.stride[0];
    if constexpr (R > 2) p += static_cast<std::ptrdiff_t>(x.size[2] == 1 ? 0 : plane) * x.stride[2];
    return *p;
}
/// Whether gemm reads the operands, and then gives their product.
template <unsigned RX, unsigned RY, unsigned R>
bool multiplies(const view<RX>& x, const view<RY>& y, const std::size_t (&size)[R]) {
    std::vector<double> memory;
    const view<R> to = contiguous(memory, size);
    const gemm_layout g = dyad::device::layout_of_product(to, x, y);
    if (!g.fits) return false;
    for (std::size_t p = 0; p < g.batches; ++p) {
        const auto plane = static_cast<std::ptrdiff_t>(p);
        gemm(g.right.transposed, g.left.transposed, g.columns, g.rows, g.inner, y.data + plane * g.right.batch, g.right.leading, x.data + plane * g.left.batch,
             g.left.leading, to.data + p * g.rows * g.columns);
        for (std::size_t i = 0; i < g.rows; ++i) {
            for (std::size_t j = 0; j < g.columns; ++j) {
                double expected = 0;
                for (std::size_t k = 0; k < g.inner; ++k) expected += at(x, p, i, k) * at(y, p, k, j);
                REQUIRE(memory[(p * g.rows + i) * g.columns + j] == expected);
            }
        }
    }
    return true;
}

} // namespace

TEST_CASE("factors that lie row after row or column after column, of every size") {
    for (const std::size_t m : {1U, 2U, 5U}) {
        for (const std::size_t k : {1U, 3U, 4U}) {
            for (const std::size_t n : {1U, 2U, 7U}) {
                std::vector<double> a, b, at_, bt;
                const view<2> x = contiguous<2>(a, {k, m}), y = contiguous<2>(b, {n, k}), xt = transposed(contiguous<2>(at_, {m, k})), yt = transposed(contiguous<2>(bt, {k, n}));
                CHECK(multiplies<2, 2, 2>(x, y, {n, m}));
                CHECK(multiplies<2, 2, 2>(xt, y, {n, m}));
                CHECK(multiplies<2, 2, 2>(x, yt, {n, m}));
                CHECK(multiplies<2, 2, 2>(xt, yt, {n, m}));
            }
        }
    }
}
TEST_CASE("parts of matrices, stacks, and one matrix for a whole stack") {
    std::vector<double> a, b, c;
    view<2> wide = contiguous<2>(a, {9, 6});
    const view<2> y = contiguous<2>(b, {3, 4});
    wide.size[0] = 4; // columns 2 to 5 of nine
    wide.data += 2;
    CHECK(multiplies<2, 2, 2>(wide, y, {3, 6}));
    wide.stride[1] = 18; // every second row of them
    wide.size[1] = 3;
    CHECK(multiplies<2, 2, 2>(wide, y, {3, 3}));
    const view<3> stack = contiguous<3>(c, {4, 5, 2});
    CHECK(multiplies<3, 2, 3>(stack, y, {3, 5, 2}));
    view<3> same = stack;
    same.size[2] = 1;
    CHECK(multiplies<3, 2, 3>(same, y, {3, 5, 6}));
}
TEST_CASE("what gemm cannot read is left to others") {
    std::vector<double> a, b;
    view<2> x = contiguous<2>(a, {8, 6});
    const view<2> y = contiguous<2>(b, {3, 4});
    x.size[0] = 4;
    x.stride[0] = 2; // every second column
    CHECK_FALSE(multiplies<2, 2, 2>(x, y, {3, 6}));
    x.stride[0] = 1;
    x.stride[1] = 0; // one row, as often as there are rows
    CHECK_FALSE(multiplies<2, 2, 2>(x, y, {3, 6}));
    x.stride[1] = -8; // rows backwards
    x.data += 40;
    CHECK_FALSE(multiplies<2, 2, 2>(x, y, {3, 6}));
    std::vector<double> nothing;
    CHECK_FALSE(multiplies<2, 2, 2>(contiguous<2>(a, {0, 6}), contiguous<2>(nothing, {3, 0}), {3, 6}));
}
