// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Memory of a device: taken in the order of a stream where the device can do that, given back at the end of a scope.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <dyad/device/guard.hpp>
#include <dyad/device/log.hpp>
#include <dyad/device/status.hpp>

namespace dyad::device {

/// So many bytes, aligned to 256; none if there are none.
class buffer {
public:
    static constexpr std::size_t alignment = 256;

    buffer() = default;
    explicit buffer(std::size_t bytes) : bytes_(bytes) {
        if (bytes == 0) return;
#if DYAD_DEVICE_CUDA
        stream_ = stream();
        in_stream_order_ = has_pools();
        const std::string with = std::to_string(bytes) + " bytes";
        if (in_stream_order_) check(cudaMallocAsync(&data_, bytes, stream_), "cudaMallocAsync", with);
        if (!in_stream_order_) check(cudaMalloc(&data_, bytes), "cudaMalloc", with);
#else
#if DYAD_DEVICE_GUARDED
        data_ = guarded_memory::of_process().take(bytes);
#else
        data_ = ::operator new[](bytes, std::align_val_t{alignment}, std::nothrow);
#endif
        if (data_ == nullptr) throw device_error("[dyad] operator new(" + std::to_string(bytes) + " bytes): out of memory");
#endif
    }
    buffer(buffer&& other) noexcept { swap(other); }
    buffer& operator=(buffer&& other) noexcept {
        buffer taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~buffer() {
        if (data_ == nullptr) return;
#if DYAD_DEVICE_CUDA
        // A destructor cannot report; an error that matters comes again with the next call.
        static_cast<void>(in_stream_order_ ? cudaFreeAsync(data_, stream_) : cudaFree(data_));
#elif DYAD_DEVICE_GUARDED
        guarded_memory::of_process().give_back(data_);
#else
        ::operator delete[](data_, std::align_val_t{alignment});
#endif
    }
    [[nodiscard]] void* data() const { return data_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    void swap(buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
#if DYAD_DEVICE_CUDA
        std::swap(stream_, other.stream_);
        std::swap(in_stream_order_, other.in_stream_order_);
#endif
    }

private:
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
#if DYAD_DEVICE_CUDA
    static bool has_pools() {
        int has = 0;
        check(cudaDeviceGetAttribute(&has, cudaDevAttrMemoryPoolsSupported, current_device()), "cudaDeviceGetAttribute", "cudaDevAttrMemoryPoolsSupported");
        return has != 0;
    }
    cudaStream_t stream_ = nullptr;
    bool in_stream_order_ = false;
#endif
};

/// Memory of the device that is given back all at once.
class round_memory {
public:
    template <class T>
    T* take(std::size_t count) {
        taken_.emplace_back(count * sizeof(T));
        return static_cast<T*>(taken_.back().data());
    }

private:
    std::vector<buffer> taken_;
};

/// Copies, in the order of the stream. Those to the host are complete when they return.
inline void copy_to_device(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
#if DYAD_DEVICE_CUDA
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()), "cudaMemcpyAsync", std::to_string(bytes) + " bytes, host to device");
    check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize"); // `from` may go after this
#else
    check_memory(to);
    const device_work works;
    std::memcpy(to, from, bytes);
#endif
    count_to_device(bytes);
}
inline void copy_to_host(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
#if DYAD_DEVICE_CUDA
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync", std::to_string(bytes) + " bytes, device to host");
    check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
#else
    check_memory(from);
    const device_work works;
    std::memcpy(to, from, bytes);
#endif
    count_to_host(bytes);
}
inline void copy_on_device(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
#if DYAD_DEVICE_CUDA
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "cudaMemcpyAsync", std::to_string(bytes) + " bytes, on the device");
#else
    check_memory(to), check_memory(from);
    const device_work works;
    std::memcpy(to, from, bytes);
#endif
}

} // namespace dyad::device
