// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Products of matrices by cuBLAS, where the program is compiled with DYAD_CUBLAS and linked with it: what a product is to BLAS,
// which counts columns first, and the call.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include <dyad/array/reference.hpp>
#include <dyad/device/grid.hpp>
#include <dyad/device/library.hpp>

#if DYAD_DEVICE_CUDA && defined(DYAD_CUBLAS)
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace dyad::device {

/// result = left right, matrix by matrix, as BLAS's gemm takes it: columns first, so that what is a row to us is a column there, and
/// the factors change places. `fits` is false where gemm cannot read the operands as they lie.
struct gemm_layout {
    struct factor {
        bool transposed = false;
        std::ptrdiff_t leading = 1, batch = 0; ///< steps from column to column, and from matrix to matrix
    };
    bool fits = false;
    std::size_t rows = 0, columns = 0, inner = 0, batches = 1; ///< of the result, row by row
    factor left, right;
};

/// How gemm reads a matrix: row after row, or column after column. (Steps of axes of size 1 do not count.)
inline bool read_as_factor(gemm_layout::factor& f, std::size_t rows, std::size_t columns, std::ptrdiff_t row_step, std::ptrdiff_t column_step) {
    const auto reads = [&](bool transposed, std::size_t length, std::size_t lines, std::ptrdiff_t step, std::ptrdiff_t line_step) {
        if (length != 1 && step != 1) return false;
        f.transposed = transposed;
        f.leading = lines == 1 ? static_cast<std::ptrdiff_t>(length) : line_step;
        return f.leading >= static_cast<std::ptrdiff_t>(length);
    };
    return reads(false, columns, rows, column_step, row_step) || reads(true, rows, columns, row_step, column_step);
}
/// The steps between the matrices of a stack that stretches to the axes of `to`, if they are all the same.
template <class X, class R>
bool batch_step(std::ptrdiff_t& step, const X& x, const R& to) {
    std::ptrdiff_t expected = 0;
    bool first = true;
    for (unsigned k = 2; k < R::rank; ++k) {
        if (to.size[k] == 1) continue;
        const std::ptrdiff_t here = k < X::rank && x.size[k] != 1 ? x.stride[k] : 0;
        if (first) step = here;
        if (!first && here != expected) return false;
        expected = here * static_cast<std::ptrdiff_t>(to.size[k]);
        first = false;
    }
    return true;
}
template <class R, class X, class Y>
gemm_layout layout_of_product(const R& to, const X& x, const Y& y) {
    gemm_layout g;
    g.rows = to.size[1];
    g.columns = to.size[0];
    g.inner = x.size[0];
    for (unsigned k = 2; k < R::rank; ++k) g.batches *= to.size[k];
    constexpr std::size_t most = 0x7fffffff; // gemm's sizes and steps are ints
    const bool countable = g.rows <= most && g.columns <= most && g.inner <= most && g.batches <= most && g.rows * g.columns * g.inner * g.batches > 0;
    g.fits = countable && to.is_contiguous() && read_as_factor(g.left, g.rows, g.inner, x.stride[1], x.stride[0]) &&
             read_as_factor(g.right, g.inner, g.columns, y.stride[1], y.stride[0]) &&
             g.left.leading <= static_cast<std::ptrdiff_t>(most) && g.right.leading <= static_cast<std::ptrdiff_t>(most) && batch_step(g.left.batch, x, to) && batch_step(g.right.batch, y, to);
    return g;
}

#if DYAD_DEVICE_CUDA && defined(DYAD_CUBLAS)

inline void check_blas(cublasStatus_t status, const char* call, const std::string& with = {}) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw device_error(std::string("[dyad] ") + call + "(" + with + "): " + cublasGetStatusName(status) + ", " + cublasGetStatusString(status));
}
struct blas_library {
    using handle = cublasHandle_t;
    static handle make() {
        handle h = nullptr;
        check_blas(cublasCreate(&h), "cublasCreate");
        return h;
    }
    static void use(handle h) { check_blas(cublasSetStream(h, stream()), "cublasSetStream"); }
    static void end(handle h) { static_cast<void>(cublasDestroy(h)); }
};

template <class E>
constexpr cudaDataType blas_type() {
    if (std::is_same_v<E, double>) return CUDA_R_64F;
    if (std::is_same_v<E, float>) return CUDA_R_32F;
    if (std::is_same_v<E, __half>) return CUDA_R_16F;
    return CUDA_R_16BF;
}
/// Whether cuBLAS has such a product: both factors of one type, the arithmetic in T.
template <class T, class R, class X, class Y>
inline constexpr bool has_blas = std::is_same_v<std::remove_const_t<typename X::element_type>, std::remove_const_t<typename Y::element_type>> &&
                                 !std::is_integral_v<typename X::element_type> &&
                                 (std::is_same_v<typename R::element_type, T> || std::is_same_v<typename R::element_type, std::remove_const_t<typename X::element_type>>) &&
                                 (std::is_same_v<T, float> || std::is_same_v<std::remove_const_t<typename X::element_type>, T>);

template <class T, class R, class X, class Y>
void multiply_by_blas(const gemm_layout& g, const R& to, const X& x, const Y& y) {
    const launch l = described("cublasGemmStridedBatchedEx", 1, 2, 1, g.rows * g.columns * g.batches, 1);
    announce(l);
    const T one(1), zero(0);
    const auto op = [](const gemm_layout::factor& f) { return f.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const auto size = [](auto n) { return static_cast<int>(n); };
    constexpr cudaDataType of_factors = blas_type<std::remove_const_t<typename X::element_type>>(), of_result = blas_type<typename R::element_type>();
    const cublasStatus_t status =
        cublasGemmStridedBatchedEx(handle_of<blas_library>(), op(g.right), op(g.left), size(g.columns), size(g.rows), size(g.inner), &one,
                                   y.data, of_factors, size(g.right.leading), g.right.batch, x.data, of_factors, size(g.left.leading), g.left.batch,
                                   &zero, to.data, of_result, size(g.columns), static_cast<long long>(g.rows * g.columns), size(g.batches),
                                   std::is_same_v<T, double> ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    if (status == CUBLAS_STATUS_SUCCESS) return; // (the text asks the device for its name)
    check_blas(status, "cublasGemmStridedBatchedEx",
               std::to_string(g.rows) + " x " + std::to_string(g.inner) + " times " + std::to_string(g.inner) + " x " + std::to_string(g.columns) + ", " +
                   std::to_string(g.batches) + " products, on " + name());
}

#endif

} // namespace dyad::device
