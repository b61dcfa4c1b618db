// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// LAPACK's factorisations on a device, by cuSOLVER, where the program is compiled with DYAD_CUSOLVER and linked with it: matrices
// of the device's memory, columns first, come in; they are overwritten as LAPACK does.
#pragma once

#ifdef DYAD_CUSOLVER

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include <cusolverDn.h>

#include <dyad/device/buffer.hpp>
#include <dyad/device/grid.hpp>
#include <dyad/device/library.hpp>

namespace dyad::device {

/// Throws device_error if a call failed; cuSOLVER has no texts of its own for its numbers.
inline void check_solver(cusolverStatus_t status, const char* call, const std::string& with = {}) {
    if (status == CUSOLVER_STATUS_SUCCESS) return;
    const auto text = [&] {
        switch (status) {
        case CUSOLVER_STATUS_NOT_INITIALIZED: return "CUSOLVER_STATUS_NOT_INITIALIZED";
        case CUSOLVER_STATUS_ALLOC_FAILED: return "CUSOLVER_STATUS_ALLOC_FAILED";
        case CUSOLVER_STATUS_INVALID_VALUE: return "CUSOLVER_STATUS_INVALID_VALUE";
        case CUSOLVER_STATUS_ARCH_MISMATCH: return "CUSOLVER_STATUS_ARCH_MISMATCH";
        case CUSOLVER_STATUS_EXECUTION_FAILED: return "CUSOLVER_STATUS_EXECUTION_FAILED";
        case CUSOLVER_STATUS_INTERNAL_ERROR: return "CUSOLVER_STATUS_INTERNAL_ERROR";
        case CUSOLVER_STATUS_NOT_SUPPORTED: return "CUSOLVER_STATUS_NOT_SUPPORTED";
        default: return "cusolverStatus_t";
        }
    };
    throw device_error(std::string("[dyad] ") + call + "(" + with + "): " + text() + " (" + std::to_string(static_cast<int>(status)) + ")");
}

struct solver_library {
    struct handle {
        cusolverDnHandle_t solver = nullptr;
        cusolverDnParams_t params = nullptr;
    };
    static handle make() {
        handle h;
        check_solver(cusolverDnCreate(&h.solver), "cusolverDnCreate");
        const cusolverStatus_t status = cusolverDnCreateParams(&h.params);
        if (status != CUSOLVER_STATUS_SUCCESS) static_cast<void>(cusolverDnDestroy(h.solver));
        check_solver(status, "cusolverDnCreateParams");
        return h;
    }
    static void use(const handle& h) { check_solver(cusolverDnSetStream(h.solver, stream()), "cusolverDnSetStream"); }
    static void end(const handle& h) {
        static_cast<void>(cusolverDnDestroyParams(h.params));
        static_cast<void>(cusolverDnDestroy(h.solver));
    }
};

inline cusolverStatus_t orgqr_size(cusolverDnHandle_t h, int m, int k, const double* a, const double* tau, int* size) { return cusolverDnDorgqr_bufferSize(h, m, k, k, a, m, tau, size); }
inline cusolverStatus_t orgqr_size(cusolverDnHandle_t h, int m, int k, const float* a, const float* tau, int* size) { return cusolverDnSorgqr_bufferSize(h, m, k, k, a, m, tau, size); }
inline cusolverStatus_t orgqr(cusolverDnHandle_t h, int m, int k, double* a, const double* tau, double* work, int size, int* info) { return cusolverDnDorgqr(h, m, k, k, a, m, tau, work, size, info); }
inline cusolverStatus_t orgqr(cusolverDnHandle_t h, int m, int k, float* a, const float* tau, float* work, int size, int* info) { return cusolverDnSorgqr(h, m, k, k, a, m, tau, work, size, info); }

/// The calls for a stack of matrices of T, and the memory that they work in. What they found stays on the device until
/// `verdict` asks for it.
template <class T>
class solver {
public:
    /// `calls`: the most that will be made.
    explicit solver(std::size_t calls) : by_(handle_of<solver_library>()), found_(calls * sizeof(int)) {}
    solver(const solver&) = delete;
    solver& operator=(const solver&) = delete;
    ~solver() {
#if DYAD_DEVICE_CUDA
        if (!on_host_.empty()) static_cast<void>(cudaStreamSynchronize(stream())); // a call may still work in it
#endif
    }

    /// a (n by n) becomes its factors l and u, with n pivots.
    void lu(std::int64_t n, T* a, std::int64_t* pivots) {
        call("cusolverDnXgetrf", n, n, [&](std::size_t* d, std::size_t* h) { return cusolverDnXgetrf_bufferSize(by_.solver, by_.params, n, n, type, a, n, type, d, h); },
             [&](void* d, std::size_t nd, void* h, std::size_t nh, int* info) { return cusolverDnXgetrf(by_.solver, by_.params, n, n, type, a, n, pivots, type, d, nd, h, nh, info); });
    }
    /// b (n by m) becomes a⁻¹ b, by the factors of a.
    void lu_solve(std::int64_t n, std::int64_t m, const T* a, const std::int64_t* pivots, T* b) {
        call("cusolverDnXgetrs", n, m, no_work,
             [&](void*, std::size_t, void*, std::size_t, int* info) { return cusolverDnXgetrs(by_.solver, by_.params, CUBLAS_OP_N, n, m, type, a, n, pivots, type, b, n, info); });
    }
    /// The lower triangle of a (n by n) becomes l with l lᵀ = a.
    void cholesky(std::int64_t n, T* a) {
        call("cusolverDnXpotrf", n, n, [&](std::size_t* d, std::size_t* h) { return cusolverDnXpotrf_bufferSize(by_.solver, by_.params, lower, n, type, a, n, type, d, h); },
             [&](void* d, std::size_t nd, void* h, std::size_t nh, int* info) { return cusolverDnXpotrf(by_.solver, by_.params, lower, n, type, a, n, type, d, nd, h, nh, info); });
    }
    /// w becomes the eigenvalues of a (n by n, symmetric), a the eigenvectors if they are wanted.
    void eigen(std::int64_t n, T* a, T* w, bool vectors) {
        const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
        call("cusolverDnXsyevd", n, n, [&](std::size_t* d, std::size_t* h) { return cusolverDnXsyevd_bufferSize(by_.solver, by_.params, mode, lower, n, type, a, n, type, w, type, d, h); },
             [&](void* d, std::size_t nd, void* h, std::size_t nh, int* info) { return cusolverDnXsyevd(by_.solver, by_.params, mode, lower, n, type, a, n, type, w, type, d, nd, h, nh, info); });
    }
    /// s becomes the n singular values of a (m by n, m ≥ n), u (m by n) and v (n by n, transposed) the vectors, unless null.
    void singular_values(std::int64_t m, std::int64_t n, T* a, T* s, T* u, T* v) {
        const signed char job = u == nullptr ? 'N' : 'S';
        call("cusolverDnXgesvd", m, n,
             [&](std::size_t* d, std::size_t* h) { return cusolverDnXgesvd_bufferSize(by_.solver, by_.params, job, job, m, n, type, a, m, type, s, type, u, m, type, v, n, type, d, h); },
             [&](void* d, std::size_t nd, void* h, std::size_t nh, int* info) { return cusolverDnXgesvd(by_.solver, by_.params, job, job, m, n, type, a, m, type, s, type, u, m, type, v, n, type, d, nd, h, nh, info); });
    }
    /// a (m by n) becomes r and the reflections that make q, of lengths tau.
    void reflect(std::int64_t m, std::int64_t n, T* a, T* tau) {
        call("cusolverDnXgeqrf", m, n, [&](std::size_t* d, std::size_t* h) { return cusolverDnXgeqrf_bufferSize(by_.solver, by_.params, m, n, type, a, m, type, tau, type, d, h); },
             [&](void* d, std::size_t nd, void* h, std::size_t nh, int* info) { return cusolverDnXgeqrf(by_.solver, by_.params, m, n, type, a, m, type, tau, type, d, nd, h, nh, info); });
    }
    /// The first k columns of such an a (m by n) become q.
    void reflected(std::int64_t m, std::int64_t k, T* a, const T* tau) {
        const int rows = static_cast<int>(m), columns = static_cast<int>(k); // (there is no 64-bit call for this)
        if (rows != m) throw device_error("[dyad] qr: " + std::to_string(m) + " rows are more than cuSOLVER counts");
        int size = 0;
        call(sizeof(T) == sizeof(double) ? "cusolverDnDorgqr" : "cusolverDnSorgqr", m, k,
             [&](std::size_t* d, std::size_t*) {
                 const cusolverStatus_t status = orgqr_size(by_.solver, rows, columns, a, tau, &size);
                 *d = static_cast<std::size_t>(size) * sizeof(T);
                 return status;
             },
             [&](void* d, std::size_t, void*, std::size_t, int* info) { return orgqr(by_.solver, rows, columns, a, tau, static_cast<T*>(d), size, info); });
    }

    /// LAPACK's first info that is not 0, or 0; waits for all calls. Throws device_error for what cuSOLVER did not accept.
    [[nodiscard]] int verdict() const {
        std::vector<int> found(called_);
        copy_to_host(found.data(), found_.data(), called_ * sizeof(int));
        for (const int info : found) {
            if (info < 0) throw device_error("[dyad] cuSOLVER: argument " + std::to_string(-info) + " was refused, on " + name());
            if (info > 0) return info;
        }
        return 0;
    }

private:
    static constexpr cudaDataType type = sizeof(T) == sizeof(double) ? CUDA_R_64F : CUDA_R_32F;
    static constexpr cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
    static constexpr auto no_work = [](std::size_t*, std::size_t*) { return CUSOLVER_STATUS_SUCCESS; };

    template <class Size, class Run>
    void call(const char* routine, std::int64_t rows, std::int64_t columns, Size size, Run run) {
        announce(described(routine, 1, 1, 1, static_cast<std::size_t>(rows * columns), 1));
        const auto check = [&](cusolverStatus_t status) {
            if (status != CUSOLVER_STATUS_SUCCESS) check_solver(status, routine, std::to_string(rows) + " x " + std::to_string(columns) + ", on " + name());
        };
        std::size_t on_device = 0, on_host = 0;
        const device_work works;
        check(size(&on_device, &on_host));
        if (on_device > on_device_.bytes()) on_device_ = buffer(on_device);
        void* host = nullptr;
        if (on_host > 0) host = on_host_.emplace_back(on_host).data();
        int* const info = static_cast<int*>(found_.data()) + called_++;
        check(run(on_device_.data(), on_device, host, on_host, info));
    }

    solver_library::handle by_;
    buffer found_, on_device_;
    std::list<std::vector<std::byte>> on_host_;
    std::size_t called_ = 0;
};

} // namespace dyad::device

#endif
