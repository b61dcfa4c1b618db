// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What dyad calls of cuDNN, as plain loops on the host: with its argument lists and what it demands of them, so that the way
// there and back is tested without a GPU. Like cuDNN it offers algorithms that are not deterministic, and none for some shapes.
#pragma once

#include <algorithm>
#include <cstddef>

enum cudnnStatus_t { CUDNN_STATUS_SUCCESS, CUDNN_STATUS_BAD_PARAM, CUDNN_STATUS_NOT_SUPPORTED, CUDNN_STATUS_EXECUTION_FAILED };
enum cudnnDataType_t { CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE };
enum cudnnTensorFormat_t { CUDNN_TENSOR_NCHW };
enum cudnnConvolutionMode_t { CUDNN_CONVOLUTION, CUDNN_CROSS_CORRELATION };
enum cudnnMathType_t { CUDNN_DEFAULT_MATH, CUDNN_TENSOR_OP_MATH, CUDNN_FMA_MATH };
enum cudnnDeterminism_t { CUDNN_NON_DETERMINISTIC, CUDNN_DETERMINISTIC };
enum cudnnConvolutionFwdAlgo_t { stand_in_sloppy_forward, stand_in_forward };
enum cudnnConvolutionBwdDataAlgo_t { stand_in_sloppy_data, stand_in_data };
enum cudnnConvolutionBwdFilterAlgo_t { stand_in_sloppy_filter, stand_in_filter };

namespace stand_in {

struct tensor_sizes {
    cudnnDataType_t type{};
    int n = 0, c = 0, h = 0, w = 0;
    [[nodiscard]] bool good() const { return n > 0 && c > 0 && h > 0 && w > 0; }
};
struct convolution {
    int padding = 0, step = 0;
    cudnnConvolutionMode_t mode{};
    cudnnMathType_t math{};
};
inline int open_descriptors = 0;
inline int convolved = 0;        ///< calls so far
inline bool fails_to_run = false; ///< the next call fails, as if the device had
template <class T>
cudnnStatus_t make(T** t) {
    *t = new T;
    ++open_descriptors;
    return CUDNN_STATUS_SUCCESS;
}
template <class T>
cudnnStatus_t end(T* t) {
    delete t;
    --open_descriptors;
    return CUDNN_STATUS_SUCCESS;
}
template <class Algorithm>
struct performance {
    Algorithm algo{};
    cudnnStatus_t status{};
    std::size_t memory = 0;
    cudnnDeterminism_t determinism{};
    cudnnMathType_t mathType{};
};
constexpr std::size_t work_bytes = 96;
/// Whether the sizes belong together, the padding being none of the kernel's business: cuDNN takes less of it than the kernel's size.
inline bool takes(const tensor_sizes& x, const tensor_sizes& k, const convolution& c, const tensor_sizes& y) {
    const bool fits = x.good() && k.good() && y.good() && x.c == k.c && y.n == x.n && y.c == k.n && y.h == (x.h + 2 * c.padding - k.h) / c.step + 1 && y.w == (x.w + 2 * c.padding - k.w) / c.step + 1;
    return fits && c.mode == CUDNN_CROSS_CORRELATION && c.math == CUDNN_FMA_MATH && c.padding < std::min(k.h, k.w);
}
template <class Algorithm>
cudnnStatus_t choose(bool taken, int wanted, int* count, performance<Algorithm>* found) {
    if (wanted < 4) return CUDNN_STATUS_BAD_PARAM;
    *count = 4;
    found[0] = {static_cast<Algorithm>(0), CUDNN_STATUS_SUCCESS, 1, CUDNN_NON_DETERMINISTIC, CUDNN_FMA_MATH};
    found[1] = {static_cast<Algorithm>(0), CUDNN_STATUS_NOT_SUPPORTED, 2, CUDNN_DETERMINISTIC, CUDNN_FMA_MATH};
    found[2] = {static_cast<Algorithm>(0), CUDNN_STATUS_SUCCESS, 3, CUDNN_DETERMINISTIC, CUDNN_TENSOR_OP_MATH};
    found[3] = {static_cast<Algorithm>(1), taken ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED, work_bytes, CUDNN_DETERMINISTIC, CUDNN_FMA_MATH};
    return CUDNN_STATUS_SUCCESS;
}
/// f(index of the image, of the kernel, of the result) for each product of a convolution.
template <class F>
void each_product(const tensor_sizes& x, const tensor_sizes& k, const convolution& c, const tensor_sizes& y, F f) {
    for (int n = 0; n < y.n; ++n)
        for (int o = 0; o < y.c; ++o)
            for (int r = 0; r < y.h; ++r)
                for (int s = 0; s < y.w; ++s)
                    for (int ch = 0; ch < x.c; ++ch)
                        for (int i = 0; i < k.h; ++i)
                            for (int j = 0; j < k.w; ++j) {
                                const int row = r * c.step + i - c.padding, column = s * c.step + j - c.padding;
                                if (row < 0 || column < 0 || row >= x.h || column >= x.w) continue;
                                f(((n * x.c + ch) * x.h + row) * x.w + column, ((o * k.c + ch) * k.h + i) * k.w + j, ((n * y.c + o) * y.h + r) * y.w + s);
                            }
}
/// to[what(indices)] += a[..] b[..], after the memory to work in is written to.
template <class Index>
cudnnStatus_t run(const tensor_sizes& x, const tensor_sizes& k, const convolution& c, const tensor_sizes& y, bool good, void* work, std::size_t bytes, const void* alpha, const void* beta, const void* a,
                  const void* b, void* to, const tensor_sizes& of_result, Index index) {
    if (!good || !takes(x, k, c, y) || work == nullptr || bytes != work_bytes || x.type != k.type || x.type != y.type) return CUDNN_STATUS_BAD_PARAM;
    if (fails_to_run) return fails_to_run = false, CUDNN_STATUS_EXECUTION_FAILED;
    ++convolved;
    std::fill_n(static_cast<unsigned char*>(work), bytes, static_cast<unsigned char>(0xA5));
    const auto go = [&]<class T>(T) {
        if (*static_cast<const T*>(alpha) != T(1) || *static_cast<const T*>(beta) != T(0)) return CUDNN_STATUS_BAD_PARAM;
        T* const result = static_cast<T*>(to);
        std::fill_n(result, of_result.n * of_result.c * of_result.h * of_result.w, T(0));
        each_product(x, k, c, y, [&](int i, int j, int r) { index(i, j, r, static_cast<const T*>(a), static_cast<const T*>(b), result); });
        return CUDNN_STATUS_SUCCESS;
    };
    return x.type == CUDNN_DATA_DOUBLE ? go(0.0) : go(0.0F);
}

} // namespace stand_in

using cudnnHandle_t = int*;
using cudnnTensorDescriptor_t = stand_in::tensor_sizes*;
struct stand_in_filter_sizes : stand_in::tensor_sizes {};
using cudnnFilterDescriptor_t = stand_in_filter_sizes*;
using cudnnConvolutionDescriptor_t = stand_in::convolution*;
using cudnnConvolutionFwdAlgoPerf_t = stand_in::performance<cudnnConvolutionFwdAlgo_t>;
using cudnnConvolutionBwdDataAlgoPerf_t = stand_in::performance<cudnnConvolutionBwdDataAlgo_t>;
using cudnnConvolutionBwdFilterAlgoPerf_t = stand_in::performance<cudnnConvolutionBwdFilterAlgo_t>;

inline const char* cudnnGetErrorString(cudnnStatus_t s) { return s == CUDNN_STATUS_EXECUTION_FAILED ? "CUDNN_STATUS_EXECUTION_FAILED" : "CUDNN_STATUS_BAD_PARAM"; }
inline cudnnStatus_t cudnnCreate(cudnnHandle_t* h) { return *h = new int, CUDNN_STATUS_SUCCESS; }
inline cudnnStatus_t cudnnDestroy(cudnnHandle_t h) { return delete h, CUDNN_STATUS_SUCCESS; }
template <class Stream>
cudnnStatus_t cudnnSetStream(cudnnHandle_t, Stream) {
    return CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* d) { return stand_in::make(d); }
inline cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) { return stand_in::end(d); }
inline cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* d) { return stand_in::make(d); }
inline cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t d) { return stand_in::end(d); }
inline cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* d) { return stand_in::make(d); }
inline cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t d) { return stand_in::end(d); }
inline cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t d, cudnnTensorFormat_t, cudnnDataType_t type, int n, int c, int h, int w) { return *d = {type, n, c, h, w}, CUDNN_STATUS_SUCCESS; }
inline cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t type, cudnnTensorFormat_t, int n, int c, int h, int w) { return *d = {{type, n, c, h, w}}, CUDNN_STATUS_SUCCESS; }
inline cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t d, int ph, int pw, int u, int v, int dh, int dw, cudnnConvolutionMode_t mode, cudnnDataType_t) {
    *d = {ph, u, mode, CUDNN_DEFAULT_MATH};
    return ph == pw && u == v && u > 0 && dh == 1 && dw == 1 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}
inline cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t math) { return d->math = math, CUDNN_STATUS_SUCCESS; }

inline cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t k, cudnnConvolutionDescriptor_t c, cudnnTensorDescriptor_t y, int wanted,
                                                            int* count, cudnnConvolutionFwdAlgoPerf_t* found) {
    return stand_in::choose(stand_in::takes(*x, *k, *c, *y), wanted, count, found);
}
inline cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t, cudnnFilterDescriptor_t k, cudnnTensorDescriptor_t y, cudnnConvolutionDescriptor_t c, cudnnTensorDescriptor_t x,
                                                                 int wanted, int* count, cudnnConvolutionBwdDataAlgoPerf_t* found) {
    return stand_in::choose(stand_in::takes(*x, *k, *c, *y), wanted, count, found);
}
inline cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t y, cudnnConvolutionDescriptor_t c, cudnnFilterDescriptor_t k,
                                                                   int wanted, int* count, cudnnConvolutionBwdFilterAlgoPerf_t* found) {
    return stand_in::choose(stand_in::takes(*x, *k, *c, *y), wanted, count, found);
}
inline cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t, const void* alpha, cudnnTensorDescriptor_t x, const void* px, cudnnFilterDescriptor_t k, const void* pk, cudnnConvolutionDescriptor_t c,
                                             cudnnConvolutionFwdAlgo_t how, void* work, std::size_t bytes, const void* beta, cudnnTensorDescriptor_t y, void* py) {
    return stand_in::run(*x, *k, *c, *y, how == stand_in_forward, work, bytes, alpha, beta, px, pk, py, *y, [](int i, int j, int r, auto* a, auto* b, auto* to) { to[r] += a[i] * b[j]; });
}
inline cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t, const void* alpha, cudnnFilterDescriptor_t k, const void* pk, cudnnTensorDescriptor_t y, const void* py, cudnnConvolutionDescriptor_t c,
                                                  cudnnConvolutionBwdDataAlgo_t how, void* work, std::size_t bytes, const void* beta, cudnnTensorDescriptor_t x, void* px) {
    return stand_in::run(*x, *k, *c, *y, how == stand_in_data, work, bytes, alpha, beta, py, pk, px, *x, [](int i, int j, int r, auto* a, auto* b, auto* to) { to[i] += a[r] * b[j]; });
}
inline cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t, const void* alpha, cudnnTensorDescriptor_t x, const void* px, cudnnTensorDescriptor_t y, const void* py, cudnnConvolutionDescriptor_t c,
                                                    cudnnConvolutionBwdFilterAlgo_t how, void* work, std::size_t bytes, const void* beta, cudnnFilterDescriptor_t k, void* pk) {
    return stand_in::run(*x, *k, *c, *y, how == stand_in_filter, work, bytes, alpha, beta, px, py, pk, *k, [](int i, int j, int r, auto* a, auto* b, auto* to) { to[j] += a[i] * b[r]; });
}
