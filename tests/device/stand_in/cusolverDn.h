// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What dyad calls of cuSOLVER, in front of LAPACK on the host: with its argument lists and what it demands of them (columns
// first, m ≥ n for singular values, work as large as it was asked for), so that the way there and back is tested without a GPU.
// cuSOLVER itself refuses matrices with a NaN where it iterates; so does this.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <lapacke.h>

using cusolverStatus_t = int;
enum : int {
    CUSOLVER_STATUS_SUCCESS,
    CUSOLVER_STATUS_NOT_INITIALIZED,
    CUSOLVER_STATUS_ALLOC_FAILED,
    CUSOLVER_STATUS_INVALID_VALUE,
    CUSOLVER_STATUS_ARCH_MISMATCH,
    CUSOLVER_STATUS_EXECUTION_FAILED = 6,
    CUSOLVER_STATUS_INTERNAL_ERROR = 7,
    CUSOLVER_STATUS_NOT_SUPPORTED = 9
};
enum cudaDataType { CUDA_R_32F, CUDA_R_64F };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cusolverEigMode_t { CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR };

namespace stand_in {

struct context {
    int calls = 0;
};
inline int open_handles = 0, open_params = 0; ///< (of all threads; the tests look at them from one)
inline int refused_call = 0;                  ///< the call of this number from now on is refused, as if the device had failed

constexpr std::size_t work_on_device = 256, work_on_host = 24;
inline bool accepts(std::int64_t m, std::int64_t n, const void* a, std::int64_t lda) { return m > 0 && n > 0 && a != nullptr && lda >= m; }
inline cusolverStatus_t sizes(bool good, std::size_t* on_device, std::size_t* on_host) {
    if (!good) return CUSOLVER_STATUS_INVALID_VALUE;
    *on_device = work_on_device;
    *on_host = work_on_host;
    return CUSOLVER_STATUS_SUCCESS;
}
/// Writes to the first and the last byte of the memory to work in.
inline bool works_in(void* d, std::size_t on_device, void* h, std::size_t on_host) {
    if (d == nullptr || h == nullptr || on_device != work_on_device || on_host != work_on_host) return false;
    std::fill_n(static_cast<unsigned char*>(d), on_device, static_cast<unsigned char>(0xA5));
    std::fill_n(static_cast<unsigned char*>(h), on_host, static_cast<unsigned char>(0xA5));
    return true;
}
template <class T>
bool holds_nan(const T* a, std::int64_t count) {
    return std::any_of(a, a + count, [](T x) { return std::isnan(x); });
}
/// f(a as numbers of its type).
template <class F>
cusolverStatus_t typed(cudaDataType type, void* a, F f) {
    if (refused_call > 0 && --refused_call == 0) return CUSOLVER_STATUS_EXECUTION_FAILED;
    return type == CUDA_R_64F ? f(static_cast<double*>(a)) : f(static_cast<float*>(a));
}

} // namespace stand_in

using cusolverDnHandle_t = stand_in::context*;
using cusolverDnParams_t = stand_in::context*;

inline cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* h) {
    *h = new stand_in::context;
    ++stand_in::open_handles;
    return CUSOLVER_STATUS_SUCCESS;
}
inline cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t h) {
    delete h;
    --stand_in::open_handles;
    return CUSOLVER_STATUS_SUCCESS;
}
inline cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* p) {
    *p = new stand_in::context;
    ++stand_in::open_params;
    return CUSOLVER_STATUS_SUCCESS;
}
inline cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t p) {
    delete p;
    --stand_in::open_params;
    return CUSOLVER_STATUS_SUCCESS;
}
template <class Stream>
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t h, Stream) {
    return h == nullptr ? CUSOLVER_STATUS_NOT_INITIALIZED : CUSOLVER_STATUS_SUCCESS;
}

namespace stand_in {

inline int getrf(int n, double* a, int* p) { return LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, a, n, p); }
inline int getrf(int n, float* a, int* p) { return LAPACKE_sgetrf(LAPACK_COL_MAJOR, n, n, a, n, p); }
inline int getrs(int n, int m, const double* a, const int* p, double* b) { return LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, m, a, n, p, b, n); }
inline int getrs(int n, int m, const float* a, const int* p, float* b) { return LAPACKE_sgetrs(LAPACK_COL_MAJOR, 'N', n, m, a, n, p, b, n); }
inline int potrf(int n, double* a) { return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, n); }
inline int potrf(int n, float* a) { return LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', n, a, n); }
inline int syevd(char job, int n, double* a, double* w) { return LAPACKE_dsyevd(LAPACK_COL_MAJOR, job, 'L', n, a, n, w); }
inline int syevd(char job, int n, float* a, float* w) { return LAPACKE_ssyevd(LAPACK_COL_MAJOR, job, 'L', n, a, n, w); }
inline int gesvd(char job, int m, int n, double* a, double* s, double* u, double* v, double* rest) { return LAPACKE_dgesvd(LAPACK_COL_MAJOR, job, job, m, n, a, m, s, u, m, v, n, rest); }
inline int gesvd(char job, int m, int n, float* a, float* s, float* u, float* v, float* rest) { return LAPACKE_sgesvd(LAPACK_COL_MAJOR, job, job, m, n, a, m, s, u, m, v, n, rest); }
inline int geqrf(int m, int n, double* a, double* tau) { return LAPACKE_dgeqrf(LAPACK_COL_MAJOR, m, n, a, m, tau); }
inline int geqrf(int m, int n, float* a, float* tau) { return LAPACKE_sgeqrf(LAPACK_COL_MAJOR, m, n, a, m, tau); }
inline int orgqr(int m, int k, double* a, const double* tau) { return LAPACKE_dorgqr(LAPACK_COL_MAJOR, m, k, k, a, m, tau); }
inline int orgqr(int m, int k, float* a, const float* tau) { return LAPACKE_sorgqr(LAPACK_COL_MAJOR, m, k, k, a, m, tau); }

inline cusolverStatus_t done(int result, int* info) {
    *info = result;
    return CUSOLVER_STATUS_SUCCESS;
}

} // namespace stand_in

inline cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t p, std::int64_t m, std::int64_t n, cudaDataType, const void* a, std::int64_t lda,
                                                    cudaDataType, std::size_t* d, std::size_t* h) {
    return stand_in::sizes(p != nullptr && m == n && stand_in::accepts(m, n, a, lda), d, h);
}
inline cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t, std::int64_t n, cudaDataType type, void* a, std::int64_t lda, std::int64_t* pivots,
                                         cudaDataType, void* d, std::size_t nd, void* h, std::size_t nh, int* info) {
    if (lda != n || !stand_in::works_in(d, nd, h, nh)) return CUSOLVER_STATUS_INVALID_VALUE;
    return stand_in::typed(type, a, [&](auto* x) {
        std::vector<int> found(static_cast<std::size_t>(n));
        const int result = stand_in::holds_nan(x, n * n) ? 0 : stand_in::getrf(static_cast<int>(n), x, found.data());
        for (std::size_t i = 0; i < found.size(); ++i) pivots[i] = found[i] == 0 ? static_cast<std::int64_t>(i) + 1 : found[i];
        return stand_in::done(result, info);
    });
}
inline cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t, cusolverDnParams_t, cublasOperation_t op, std::int64_t n, std::int64_t m, cudaDataType type, const void* a, std::int64_t lda,
                                         const std::int64_t* pivots, cudaDataType, void* b, std::int64_t ldb, int* info) {
    if (op != CUBLAS_OP_N || !stand_in::accepts(n, n, a, lda) || !stand_in::accepts(n, m, b, ldb) || lda != n || ldb != n) return CUSOLVER_STATUS_INVALID_VALUE;
    return stand_in::typed(type, b, [&]<class T>(T* x) {
        const T* const factors = static_cast<const T*>(a);
        const std::vector<int> found(pivots, pivots + n);
        if (stand_in::holds_nan(factors, n * n) || stand_in::holds_nan(x, n * m)) { // (LAPACKE refuses to compute what is all NaN)
            std::fill_n(x, n * m, static_cast<T>(NAN));
            return stand_in::done(0, info);
        }
        return stand_in::done(stand_in::getrs(static_cast<int>(n), static_cast<int>(m), factors, found.data(), x), info);
    });
}
inline cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t p, cublasFillMode_t, std::int64_t n, cudaDataType, const void* a, std::int64_t lda,
                                                    cudaDataType, std::size_t* d, std::size_t* h) {
    return stand_in::sizes(p != nullptr && stand_in::accepts(n, n, a, lda), d, h);
}
inline cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t, std::int64_t n, cudaDataType type, void* a, std::int64_t lda, cudaDataType, void* d,
                                         std::size_t nd, void* h, std::size_t nh, int* info) {
    if (lda != n || !stand_in::works_in(d, nd, h, nh)) return CUSOLVER_STATUS_INVALID_VALUE;
    return stand_in::typed(type, a, [&](auto* x) { return stand_in::done(stand_in::potrf(static_cast<int>(n), x), info); });
}
inline cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t p, cusolverEigMode_t, cublasFillMode_t, std::int64_t n, cudaDataType, const void* a,
                                                    std::int64_t lda, cudaDataType, const void* w, cudaDataType, std::size_t* d, std::size_t* h) {
    return stand_in::sizes(p != nullptr && w != nullptr && stand_in::accepts(n, n, a, lda), d, h);
}
inline cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t mode, cublasFillMode_t, std::int64_t n, cudaDataType type, void* a, std::int64_t lda,
                                         cudaDataType, void* w, cudaDataType, void* d, std::size_t nd, void* h, std::size_t nh, int* info) {
    if (lda != n || !stand_in::works_in(d, nd, h, nh)) return CUSOLVER_STATUS_INVALID_VALUE;
    return stand_in::typed(type, a, [&]<class T>(T* x) {
        if (stand_in::holds_nan(x, n * n)) return static_cast<cusolverStatus_t>(CUSOLVER_STATUS_EXECUTION_FAILED);
        return stand_in::done(stand_in::syevd(mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N', static_cast<int>(n), x, static_cast<T*>(w)), info);
    });
}
inline cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t, cusolverDnParams_t p, signed char ju, signed char jv, std::int64_t m, std::int64_t n, cudaDataType, const void* a,
                                                    std::int64_t lda, cudaDataType, const void* s, cudaDataType, const void* u, std::int64_t ldu, cudaDataType, const void* v,
                                                    std::int64_t ldv, cudaDataType, std::size_t* d, std::size_t* h) {
    const bool vectors = ju == 'S' && jv == 'S' && u != nullptr && v != nullptr, none = ju == 'N' && jv == 'N';
    return stand_in::sizes(p != nullptr && s != nullptr && m >= n && ldu >= m && ldv >= n && (vectors || none) && stand_in::accepts(m, n, a, lda), d, h);
}
inline cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t, cusolverDnParams_t, signed char ju, signed char, std::int64_t m, std::int64_t n, cudaDataType type, void* a, std::int64_t lda,
                                         cudaDataType, void* s, cudaDataType, void* u, std::int64_t ldu, cudaDataType, void* v, std::int64_t ldv, cudaDataType, void* d, std::size_t nd,
                                         void* h, std::size_t nh, int* info) {
    if (m < n || lda != m || ldu != m || ldv != n || !stand_in::works_in(d, nd, h, nh)) return CUSOLVER_STATUS_INVALID_VALUE;
    return stand_in::typed(type, a, [&]<class T>(T* x) {
        if (stand_in::holds_nan(x, m * n)) return static_cast<cusolverStatus_t>(CUSOLVER_STATUS_EXECUTION_FAILED);
        std::vector<T> rest(static_cast<std::size_t>(n));
        const int result = stand_in::gesvd(static_cast<char>(ju), static_cast<int>(m), static_cast<int>(n), x, static_cast<T*>(s), static_cast<T*>(u), static_cast<T*>(v), rest.data());
        return stand_in::done(result, info);
    });
}
inline cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t p, std::int64_t m, std::int64_t n, cudaDataType, const void* a, std::int64_t lda, cudaDataType,
                                                    const void* tau, cudaDataType, std::size_t* d, std::size_t* h) {
    return stand_in::sizes(p != nullptr && tau != nullptr && stand_in::accepts(m, n, a, lda), d, h);
}
inline cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t, cusolverDnParams_t, std::int64_t m, std::int64_t n, cudaDataType type, void* a, std::int64_t lda, cudaDataType, void* tau,
                                         cudaDataType, void* d, std::size_t nd, void* h, std::size_t nh, int* info) {
    if (lda != m || !stand_in::works_in(d, nd, h, nh)) return CUSOLVER_STATUS_INVALID_VALUE;
    return stand_in::typed(type, a, [&]<class T>(T* x) {
        if (stand_in::holds_nan(x, m * n)) {
            std::fill_n(x, m * n, static_cast<T>(NAN));
            std::fill_n(static_cast<T*>(tau), std::min(m, n), static_cast<T>(NAN));
            return stand_in::done(0, info);
        }
        return stand_in::done(stand_in::geqrf(static_cast<int>(m), static_cast<int>(n), x, static_cast<T*>(tau)), info);
    });
}

namespace stand_in {

constexpr int reflection_work = 5;
template <class T>
cusolverStatus_t orgqr_size(int m, int n, int k, const T* a, int lda, const T* tau, int* size) {
    *size = reflection_work;
    return n == k && k <= m && tau != nullptr && accepts(m, n, a, lda) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
template <class T>
cusolverStatus_t orgqr_run(int m, int k, T* a, int lda, const T* tau, T* work, int size, int* info) {
    if (lda != m || size != reflection_work || work == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    std::fill_n(work, size, T(-1));
    if (!holds_nan(a, std::int64_t{m} * k)) return done(orgqr(m, k, a, tau), info);
    std::fill_n(a, std::int64_t{m} * k, static_cast<T>(NAN));
    return done(0, info);
}

} // namespace stand_in

inline cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t, int m, int n, int k, const double* a, int lda, const double* tau, int* size) { return stand_in::orgqr_size(m, n, k, a, lda, tau, size); }
inline cusolverStatus_t cusolverDnSorgqr_bufferSize(cusolverDnHandle_t, int m, int n, int k, const float* a, int lda, const float* tau, int* size) { return stand_in::orgqr_size(m, n, k, a, lda, tau, size); }
inline cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t, int m, int, int k, double* a, int lda, const double* tau, double* work, int size, int* info) { return stand_in::orgqr_run(m, k, a, lda, tau, work, size, info); }
inline cusolverStatus_t cusolverDnSorgqr(cusolverDnHandle_t, int m, int, int k, float* a, int lda, const float* tau, float* work, int size, int* info) { return stand_in::orgqr_run(m, k, a, lda, tau, work, size, info); }
