// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Convolutions by cuDNN, where the program is compiled with DYAD_CUDNN and linked with it: its deterministic algorithms in the
// arithmetic of the element type (no TF32), as chosen by its own heuristics.
#pragma once

#include <dyad/array/convolution_sizes.hpp>
#include <dyad/device/movement.hpp>

#ifndef DYAD_CUDNN

namespace dyad::device {

template <opcode Op, class T, class X, class Y, class R>
bool convolve_by_library(const routine::convolution&, const X&, const Y&, const R&) {
    return false;
}

} // namespace dyad::device

#else

#include <string>

#include <cudnn.h>

#include <dyad/device/library.hpp>

namespace dyad::device {

inline void check_dnn(cudnnStatus_t status, const char* call, const std::string& with = {}) {
    if (status == CUDNN_STATUS_SUCCESS) return;
    throw device_error(std::string("[dyad] ") + call + "(" + with + "): " + cudnnGetErrorString(status));
}
struct dnn_library {
    using handle = cudnnHandle_t;
    static handle make() {
        handle h = nullptr;
        check_dnn(cudnnCreate(&h), "cudnnCreate");
        return h;
    }
    static void use(handle h) { check_dnn(cudnnSetStream(h, stream()), "cudnnSetStream"); }
    static void end(handle h) { static_cast<void>(cudnnDestroy(h)); }
};

template <class D, cudnnStatus_t (*Create)(D*), cudnnStatus_t (*Destroy)(D)>
struct dnn_descriptor {
    dnn_descriptor() { check_dnn(Create(&of), "cudnnCreateDescriptor"); }
    dnn_descriptor(const dnn_descriptor&) = delete;
    dnn_descriptor& operator=(const dnn_descriptor&) = delete;
    ~dnn_descriptor() { static_cast<void>(Destroy(of)); }
    D of{};
};
using tensor_descriptor = dnn_descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using filter_descriptor = dnn_descriptor<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using convolution_descriptor = dnn_descriptor<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor, cudnnDestroyConvolutionDescriptor>;

/// What cuDNN is told of a convolution of numbers T.
template <class T>
struct dnn_convolution {
    explicit dnn_convolution(const routine::convolution& c) {
        constexpr cudnnDataType_t type = std::is_same_v<T, double> ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
        const auto i = [](std::size_t n) { return static_cast<int>(n); };
        check_dnn(cudnnSetTensor4dDescriptor(images.of, CUDNN_TENSOR_NCHW, type, i(c.images), i(c.channels), i(c.height), i(c.width)), "cudnnSetTensor4dDescriptor");
        check_dnn(cudnnSetTensor4dDescriptor(made.of, CUDNN_TENSOR_NCHW, type, i(c.images), i(c.outputs), i(c.rows), i(c.columns)), "cudnnSetTensor4dDescriptor");
        check_dnn(cudnnSetFilter4dDescriptor(kernels.of, type, CUDNN_TENSOR_NCHW, i(c.outputs), i(c.channels), i(c.tall), i(c.wide)), "cudnnSetFilter4dDescriptor");
        check_dnn(cudnnSetConvolution2dDescriptor(how.of, i(c.padding), i(c.padding), i(c.step), i(c.step), 1, 1, CUDNN_CROSS_CORRELATION, type), "cudnnSetConvolution2dDescriptor");
        check_dnn(cudnnSetConvolutionMathType(how.of, CUDNN_FMA_MATH), "cudnnSetConvolutionMathType");
    }
    tensor_descriptor images, made;
    filter_descriptor kernels;
    convolution_descriptor how;
};
/// The first algorithm of a choice that gives the same bits every time; null if there is none.
template <class Performance, std::size_t N>
const Performance* deterministic(const Performance (&choice)[N], int count) {
    for (int k = 0; k < count; ++k) {
        const bool ours = choice[k].mathType == CUDNN_DEFAULT_MATH || choice[k].mathType == CUDNN_FMA_MATH; // that of the descriptor
        if (choice[k].status == CUDNN_STATUS_SUCCESS && choice[k].determinism == CUDNN_DETERMINISTIC && ours) return &choice[k];
    }
    return nullptr;
}

/// Elements of T side by side: those of an operand, or a copy of them.
template <class T>
class packed_operand {
public:
    template <class X>
    explicit packed_operand(const X& x) {
        if constexpr (std::is_same_v<std::remove_const_t<typename X::element_type>, T>) {
            if (x.is_contiguous()) data = x.data;
        }
        if (data != nullptr) return;
        copy_ = buffer(x.count() * sizeof(T));
        const auto rows = rows_at(static_cast<T*>(copy_.data()), x);
        copy<T>(x, rows);
        data = rows.data;
    }
    const T* data = nullptr;

private:
    buffer copy_;
};

/// Convolution or cotangent `Op` of contiguous x and y; false where cuDNN has no algorithm for it.
template <opcode Op, class T>
bool run_dnn(const routine::convolution& c, const T* x, const T* y, T* to) {
    constexpr int most = 16;
    const device_work works;
    const cudnnHandle_t by = handle_of<dnn_library>();
    const dnn_convolution<T> d(c);
    const T one(1), zero(0);
    int count = 0;
    buffer work;
    const auto run = [&](const char* name, const auto& choice, cudnnStatus_t chosen, const auto& call) {
        const auto* const best = chosen == CUDNN_STATUS_SUCCESS ? deterministic(choice, count) : nullptr;
        if (best == nullptr) return false;
        work = buffer(best->memory);
        announce(described(name, 1, 2, 1, c.images * c.outputs * c.places(), 1));
        const cudnnStatus_t status = call(best->algo, work.data(), work.bytes());
        if (status == CUDNN_STATUS_NOT_SUPPORTED) return false;
        if (status != CUDNN_STATUS_SUCCESS)
            check_dnn(status, name, std::to_string(c.images) + " images of " + std::to_string(c.channels) + " x " + std::to_string(c.height) + " x " + std::to_string(c.width) + ", " + std::to_string(c.outputs) +
                                        " kernels of " + std::to_string(c.tall) + " x " + std::to_string(c.wide) + ", on " + dyad::device::name());
        return true;
    };
    if constexpr (is(Op, opcode::conv2d)) {
        cudnnConvolutionFwdAlgoPerf_t choice[most];
        const auto chosen = cudnnGetConvolutionForwardAlgorithm_v7(by, d.images.of, d.kernels.of, d.how.of, d.made.of, most, &count, choice);
        return run("cudnnConvolutionForward", choice, chosen,
                   [&](auto how, void* w, std::size_t n) { return cudnnConvolutionForward(by, &one, d.images.of, x, d.kernels.of, y, d.how.of, how, w, n, &zero, d.made.of, to); });
    } else if constexpr (is(Op, opcode::conv2d_images)) {
        cudnnConvolutionBwdDataAlgoPerf_t choice[most];
        const auto chosen = cudnnGetConvolutionBackwardDataAlgorithm_v7(by, d.kernels.of, d.made.of, d.how.of, d.images.of, most, &count, choice);
        return run("cudnnConvolutionBackwardData", choice, chosen,
                   [&](auto how, void* w, std::size_t n) { return cudnnConvolutionBackwardData(by, &one, d.kernels.of, y, d.made.of, x, d.how.of, how, w, n, &zero, d.images.of, to); });
    } else {
        cudnnConvolutionBwdFilterAlgoPerf_t choice[most];
        const auto chosen = cudnnGetConvolutionBackwardFilterAlgorithm_v7(by, d.images.of, d.made.of, d.how.of, d.kernels.of, most, &count, choice);
        return run("cudnnConvolutionBackwardFilter", choice, chosen,
                   [&](auto how, void* w, std::size_t n) { return cudnnConvolutionBackwardFilter(by, &one, d.images.of, x, d.made.of, y, d.how.of, how, w, n, &zero, d.kernels.of, to); });
    }
}

/// Whether cuDNN has computed convolution or cotangent `Op` of blocks of four axes into `to`, which lies row after row.
template <opcode Op, class T, class X, class Y, class R>
bool convolve_by_library(const routine::convolution& c, const X& x, const Y& y, const R& to) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
        constexpr std::size_t most = 0x7fffffff; // cuDNN's sizes are ints
        if (x.count() > most || y.count() > most || to.count() > most || c.step > most || c.padding > most) return false;
        const packed_operand<T> from_x(x), from_y(y);
        if constexpr (std::is_same_v<typename R::element_type, T>) {
            return run_dnn<Op, T>(c, from_x.data, from_y.data, to.data);
        } else {
            const buffer memory(to.count() * sizeof(T));
            const auto rows = rows_at(static_cast<T*>(memory.data()), to);
            const bool computed = run_dnn<Op, T>(c, from_x.data, from_y.data, rows.data);
            if (computed) copy<T>(rows, to);
            return computed;
        }
    } else {
        return false;
    }
}

} // namespace dyad::device

#endif
