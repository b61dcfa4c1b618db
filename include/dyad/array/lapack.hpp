// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What dyad calls of LAPACK, by its C interface LAPACKE, with integers of 32 bits. (Declared here as LAPACKE's own header declares
// it: that header, of some thousand functions and C's complex numbers, takes longer to compile than all arrays' rules.)
#pragma once

#if defined(LAPACK_ILP64)
#error "[dyad] array: LAPACK is called with integers of 32 bits; link one of those, without LAPACK_ILP64"
#endif

extern "C" {
int LAPACKE_dgetrf_work(int layout, int m, int n, double* a, int lda, int* pivots);
int LAPACKE_sgetrf_work(int layout, int m, int n, float* a, int lda, int* pivots);
int LAPACKE_dgetri(int layout, int n, double* a, int lda, const int* pivots);
int LAPACKE_sgetri(int layout, int n, float* a, int lda, const int* pivots);
int LAPACKE_dpotrf_work(int layout, char triangle, int n, double* a, int lda);
int LAPACKE_spotrf_work(int layout, char triangle, int n, float* a, int lda);
int LAPACKE_dsyevd(int layout, char job, char triangle, int n, double* a, int lda, double* w);
int LAPACKE_ssyevd(int layout, char job, char triangle, int n, float* a, int lda, float* w);
int LAPACKE_dgesdd(int layout, char job, int m, int n, double* a, int lda, double* s, double* u, int ldu, double* vt, int ldvt);
int LAPACKE_sgesdd(int layout, char job, int m, int n, float* a, int lda, float* s, float* u, int ldu, float* vt, int ldvt);
int LAPACKE_dgeqrf(int layout, int m, int n, double* a, int lda, double* tau);
int LAPACKE_sgeqrf(int layout, int m, int n, float* a, int lda, float* tau);
int LAPACKE_dorgqr(int layout, int m, int n, int k, double* a, int lda, const double* tau);
int LAPACKE_sorgqr(int layout, int m, int n, int k, float* a, int lda, const float* tau);
}

namespace dyad::routine::lapack {

inline constexpr int rows = 101, columns = 102; ///< layout: matrices are contiguous rows, or columns
inline constexpr int no_memory = -1010, no_memory_to_transpose = -1011;

} // namespace dyad::routine::lapack
