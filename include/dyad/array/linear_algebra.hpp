// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Matrix products and factorisations, by the system's BLAS and LAPACK. Matrices are contiguous rows unless strides
// are given.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include <cblas.h>

#include <dyad/array/lapack.hpp>
#include <dyad/array/planes.hpp>
#include <dyad/array/singular.hpp>
#include <dyad/kernel/workspace.hpp>

namespace dyad::routine {

inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const double* a, int lda, const double* b, int ldb, double* c, int ldc) {
    cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1.0, a, lda, b, ldb, 0.0, c, ldc);
}
inline void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c, int ldc) {
    cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1.0F, a, lda, b, ldb, 0.0F, c, ldc);
}
inline void gemv(CBLAS_TRANSPOSE ta, int m, int n, const double* a, int lda, const double* x, int dx, double* y, int dy) {
    cblas_dgemv(CblasRowMajor, ta, m, n, 1.0, a, lda, x, dx, 0.0, y, dy);
}
inline void gemv(CBLAS_TRANSPOSE ta, int m, int n, const float* a, int lda, const float* x, int dx, float* y, int dy) {
    cblas_sgemv(CblasRowMajor, ta, m, n, 1.0F, a, lda, x, dx, 0.0F, y, dy);
}

/// c = a b by BLAS.
template <class T>
void large_product(matrix<const T> a, matrix<const T> b, T* c) {
    const std::size_t m = a.rows, n = b.columns, k = a.columns;
    const auto leading = [](const matrix<const T>& x, bool transposed) {
        const std::ptrdiff_t stride = transposed ? x.column_stride : x.row_stride;
        const std::size_t least = transposed ? x.rows : x.columns;
        return static_cast<int>(std::max<std::ptrdiff_t>({stride, static_cast<std::ptrdiff_t>(least), 1}));
    };
    const auto usable = [](const matrix<const T>& x) {
        const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(x.rows), columns = static_cast<std::ptrdiff_t>(x.columns);
        return (x.by_rows() && (x.rows <= 1 || x.row_stride >= columns)) ||
               (x.by_columns() && (x.columns <= 1 || x.column_stride >= rows));
    };
    workspace::frame frame;
    const auto pack = [&](matrix<const T>& x) {
        if (usable(x)) return;
        T* const into = frame.take<T>(x.rows, x.columns);
        for (std::size_t i = 0; i < x.rows; ++i) {
            for (std::size_t j = 0; j < x.columns; ++j) into[i * x.columns + j] = *x.at(i, j);
        }
        x = {into, x.rows, x.columns, static_cast<std::ptrdiff_t>(x.columns), 1};
    };
    const auto transposed = [](const matrix<const T>& x) {
        return !(x.by_rows() && (x.rows <= 1 || x.row_stride >= static_cast<std::ptrdiff_t>(x.columns)));
    };
    pack(a);
    const bool ta = transposed(a);
    if (n == 1) {
        const auto step = static_cast<int>(k == 1 ? 1 : b.row_stride);
        if (step > 0) {
            return gemv(ta ? CblasTrans : CblasNoTrans, static_cast<int>(ta ? k : m), static_cast<int>(ta ? m : k), a.data, leading(a, ta), b.data, step, c, 1);
        }
    }
    pack(b);
    const bool tb = transposed(b);
    gemm(ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k),
         a.data, leading(a, ta), b.data, leading(b, tb), c, static_cast<int>(n));
}
/// The same, element by element.
template <class T>
void small_product(matrix<const T> a, matrix<const T> b, T* c) {
    for (std::size_t i = 0; i < a.rows; ++i) {
        for (std::size_t j = 0; j < b.columns; ++j) {
            T sum = 0;
            for (std::size_t k = 0; k < a.columns; ++k) sum += *a.at(i, k) * *b.at(k, j);
            *c++ = sum;
        }
    }
}
/// c = a b, c being contiguous rows.
template <class T>
void product(matrix<const T> a, matrix<const T> b, T* c) {
    const std::size_t m = a.rows, n = b.columns, k = a.columns;
    if (m == 0 || n == 0) return;
    if (k == 0) return static_cast<void>(std::fill_n(c, m * n, T(0)));
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
        constexpr std::size_t small = 64; // products of two numbers: to call BLAS takes longer than so many
        if (m > small || n > small || k > small || m * n * k > small) return large_product(a, b, c);
    }
    small_product(a, b, c);
}

// (Of rows LAPACKE would make columns and rows again: what is factorised is aᵀ, whose columns they are. aᵀ = p l u, and so a = uᵀ lᵀ pᵀ.)
inline int lu(int n, double* a, int* p) { return LAPACKE_dgetrf_work(lapack::columns, n, n, a, n, p); }
inline int lu(int n, float* a, int* p) { return LAPACKE_sgetrf_work(lapack::columns, n, n, a, n, p); }
inline int lu_inverse(int n, double* a, const int* p) { return LAPACKE_dgetri(lapack::columns, n, a, n, p); }
inline int lu_inverse(int n, float* a, const int* p) { return LAPACKE_sgetri(lapack::columns, n, a, n, p); }
inline void triangular_solve(CBLAS_UPLO which, CBLAS_TRANSPOSE turned, CBLAS_DIAG diagonal, int n, int m, const double* a, int lda, double* b) {
    if (m == 1) return cblas_dtrsv(CblasRowMajor, which, turned, diagonal, n, a, lda, b, 1); // (which divides, and does not multiply by reciprocals)
    cblas_dtrsm(CblasRowMajor, CblasLeft, which, turned, diagonal, n, m, 1, a, lda, b, m);
}
inline void triangular_solve(CBLAS_UPLO which, CBLAS_TRANSPOSE turned, CBLAS_DIAG diagonal, int n, int m, const float* a, int lda, float* b) {
    if (m == 1) return cblas_strsv(CblasRowMajor, which, turned, diagonal, n, a, lda, b, 1);
    cblas_strsm(CblasRowMajor, CblasLeft, which, turned, diagonal, n, m, 1, a, lda, b, m);
}
// (The lower triangle of rows is the upper one of columns; the singular vectors of aᵀ are those of a, exchanged.)
inline int factor(int n, double* a) { return LAPACKE_dpotrf_work(lapack::columns, 'U', n, a, n); }
inline int factor(int n, float* a) { return LAPACKE_spotrf_work(lapack::columns, 'U', n, a, n); }
inline int eigen(int n, double* a, double* w) { return LAPACKE_dsyevd(lapack::rows, 'V', 'L', n, a, n, w); }
inline int eigen(int n, float* a, float* w) { return LAPACKE_ssyevd(lapack::rows, 'V', 'L', n, a, n, w); }
inline int singular_values(int m, int n, double* a, double* s, double* u, double* v) {
    return LAPACKE_dgesdd(lapack::columns, 'S', n, m, a, n, s, v, n, u, std::min(m, n));
}
inline int singular_values(int m, int n, float* a, float* s, float* u, float* v) {
    return LAPACKE_sgesdd(lapack::columns, 'S', n, m, a, n, s, v, n, u, std::min(m, n));
}
inline int reflect(int m, int n, double* a, double* tau) { return LAPACKE_dgeqrf(lapack::rows, m, n, a, n, tau); }
inline int reflect(int m, int n, float* a, float* tau) { return LAPACKE_sgeqrf(lapack::rows, m, n, a, n, tau); }
inline int reflected(int m, int k, int lda, double* a, const double* tau) { return LAPACKE_dorgqr(lapack::rows, m, k, k, a, lda, tau); }
inline int reflected(int m, int k, int lda, float* a, const float* tau) { return LAPACKE_sorgqr(lapack::rows, m, k, k, a, lda, tau); }

/// Whether LAPACKE has not computed anything, as there is a NaN among the numbers: then all results are NaN.
inline bool met_nan(int info) {
    if (info == lapack::no_memory || info == lapack::no_memory_to_transpose) throw std::bad_alloc();
    return info < 0;
}
template <class T>
void fill_nan(T* x, std::size_t count) {
    std::fill_n(x, count, std::numeric_limits<T>::quiet_NaN());
}

/// b = a⁻¹ b in place, for a (n by n) in its factors, as lu gives them, and b (n by m) in rows; or b = a⁻ᵀ b. (Not by LAPACK's getrs,
/// which wakes OpenBLAS's threads for the smallest matrices, and copies both to columns and back.)
template <class T>
void solve(std::size_t n, std::size_t m, const T* a, const int* pivots, int info, bool transposed, T* b) {
    if (n == 0 || m == 0) return;
    if (info > 0) singular("solve", info);
    const auto exchange = [&](std::size_t i) {
        if (const auto other = static_cast<std::size_t>(pivots[i] - 1); other != i) std::swap_ranges(b + i * m, b + (i + 1) * m, b + other * m);
    };
    const int rows = static_cast<int>(n), columns = static_cast<int>(m);
    if (info < 0) {
        fill_nan(b, n * m);
    } else if (transposed) {
        for (std::size_t i = 0; i < n; ++i) exchange(i);
        triangular_solve(CblasUpper, CblasTrans, CblasUnit, rows, columns, a, rows, b);
        triangular_solve(CblasLower, CblasTrans, CblasNonUnit, rows, columns, a, rows, b);
    } else {
        triangular_solve(CblasLower, CblasNoTrans, CblasNonUnit, rows, columns, a, rows, b);
        triangular_solve(CblasUpper, CblasNoTrans, CblasUnit, rows, columns, a, rows, b);
        for (std::size_t i = n; i-- > 0;) exchange(i);
    }
}
/// The same where a is a triangle, beside which its memory has zeros; it is only read, by rows or by columns.
template <class T>
void solve_triangle(bool lower, matrix<const T> a, std::size_t m, T* b) {
    const int n = static_cast<int>(a.rows);
    if (n == 0 || m == 0) return;
    for (std::size_t i = 0; i < a.rows; ++i) {
        if (a.data[static_cast<std::ptrdiff_t>(i) * (a.row_stride + a.column_stride)] == 0) singular("solve", static_cast<int>(i) + 1);
    }
    const bool turned = a.column_stride != 1;
    triangular_solve(lower != turned ? CblasLower : CblasUpper, turned ? CblasTrans : CblasNoTrans, CblasNonUnit, n, static_cast<int>(m), a.data,
                     static_cast<int>(turned ? a.column_stride : a.row_stride), b);
}
/// a⁻¹, of a in its factors.
template <class T>
void inverse(std::size_t n, const T* a, const int* pivots, int info, T* result) {
    if (n == 0) return;
    if (info > 0) singular("inverse", info);
    std::copy_n(a, n * n, result);
    if (info < 0 || met_nan(lu_inverse(static_cast<int>(n), result, pivots))) fill_nan(result, n * n);
}
/// a becomes (a + aᵀ)/2, in tiles which the caches hold together with their transposes. LAPACK's symmetric factorisations read one
/// triangle only: their slopes would not be those of their values.
template <class T>
void symmetrise(std::size_t n, T* a) {
    constexpr std::size_t tile = 32;
    const auto mean = [](T x, T y) { return x == y ? x : (x + y) / 2; };
    for (std::size_t rows = 0; rows < n; rows += tile) {
        for (std::size_t columns = 0; columns <= rows; columns += tile) {
            for (std::size_t i = rows; i < std::min(n, rows + tile); ++i) {
                for (std::size_t j = columns; j < std::min(i, columns + tile); ++j) a[i * n + j] = a[j * n + i] = mean(a[i * n + j], a[j * n + i]);
            }
        }
    }
}
template <class T>
void cholesky(std::size_t n, T* a) {
    if (n == 0) return;
    symmetrise(n, a);
    const int info = factor(static_cast<int>(n), a);
    if (info > 0) indefinite(info);
    if (met_nan(info)) fill_nan(a, n * n);
    for (std::size_t i = 0; i < n; ++i) std::fill(a + i * n + i + 1, a + (i + 1) * n, T(0));
}
/// The determinant of a in its factors, or the logarithm of its absolute value.
template <class T>
T determinant(std::size_t n, const T* a, const int* pivots, bool logarithm) {
    T result = logarithm ? T(0) : T(1);
    for (std::size_t i = 0; i < n; ++i) {
        const T pivot = a[i * n + i];
        if (logarithm) {
            result += std::log(std::abs(pivot));
        } else {
            result *= pivots[i] == static_cast<int>(i) + 1 ? pivot : -pivot;
        }
    }
    return result;
}
/// The same of a, which is overwritten.
template <class T>
T determinant(std::size_t n, T* a) {
    if (n == 0) return 1;
    workspace::frame frame;
    int* const pivots = frame.take<int>(n);
    if (met_nan(lu(static_cast<int>(n), a, pivots))) return std::numeric_limits<T>::quiet_NaN();
    return determinant(n, a, pivots, false);
}
/// a becomes its eigenvectors, w the eigenvalues.
template <class T>
void eigh(std::size_t n, T* a, T* w) {
    if (n == 0) return;
    symmetrise(n, a);
    const int info = eigen(static_cast<int>(n), a, w);
    if (info > 0) unconverged("eigh", info);
    if (!met_nan(info)) return;
    fill_nan(a, n * n);
    fill_nan(w, n);
}
template <class T>
void svd(std::size_t m, std::size_t n, T* a, T* u, T* s, T* v) {
    const std::size_t k = std::min(m, n);
    if (k == 0) return;
    const int info = singular_values(static_cast<int>(m), static_cast<int>(n), a, s, u, v);
    if (info > 0) unconverged("svd", info);
    if (!met_nan(info)) return;
    fill_nan(u, m * k);
    fill_nan(s, k);
    fill_nan(v, k * n);
}
/// The cofactors ∂ det a/∂aᵢⱼ, by the singular values: u diag(Π of the others) vᵀ, with the sign of u and v. `work` holds
/// 2 n² + 2 n numbers; a is overwritten.
template <class T>
void cofactors(std::size_t n, T* a, T* result, T* work) {
    T *const u = work, *const v = work + n * n, *const s = work + 2 * n * n, *const others = s + n;
    svd(n, n, a, u, s, v);
    for (std::size_t k = 0; k < n; ++k) {
        others[k] = 1;
        for (std::size_t l = 0; l < n; ++l) others[k] *= l == k ? T(1) : s[l];
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            T sum = 0;
            for (std::size_t k = 0; k < n; ++k) sum += u[i * n + k] * others[k] * v[k * n + j];
            result[i * n + j] = sum;
        }
    }
    const T sign = determinant(n, u) * determinant(n, v) < 0 ? T(-1) : T(1);
    for (std::size_t i = 0; i < n * n; ++i) result[i] *= sign;
}
/// q (m by k) and r (k by n) of a, which is overwritten; k = min(m, n).
template <class T>
void qr(std::size_t m, std::size_t n, T* a, T* q, T* r) {
    const std::size_t k = std::min(m, n);
    if (k == 0) return;
    workspace::frame frame;
    T* const tau = frame.take<T>(k);
    if (met_nan(reflect(static_cast<int>(m), static_cast<int>(n), a, tau))) fill_nan(a, m * n);
    for (std::size_t i = 0; i < k && r != nullptr; ++i) {
        for (std::size_t j = 0; j < n; ++j) r[i * n + j] = j < i ? T(0) : a[i * n + j];
    }
    if (q == nullptr) return;
    if (met_nan(reflected(static_cast<int>(m), static_cast<int>(k), static_cast<int>(n), a, tau))) fill_nan(a, m * n);
    for (std::size_t i = 0; i < m; ++i) std::copy_n(a + i * n, k, q + i * k);
}

} // namespace dyad::routine
