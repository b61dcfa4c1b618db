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
#include <dyad/device/memory_pool.hpp>
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
        device_ = current_device();
        in_stream_order_ = has_pools(device_);
        const cudaError_t status = in_stream_order_ ? cudaMallocFromPoolAsync(&data_, bytes, pool_of(device_), stream_) : cudaMalloc(&data_, bytes);
        if (status != cudaSuccess) check(status, in_stream_order_ ? "cudaMallocFromPoolAsync" : "cudaMalloc", std::to_string(bytes) + " bytes");
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
        // A destructor cannot report; and the next launch is not to be blamed for it.
        int here = device_;
        const bool moves = cudaGetDevice(&here) == cudaSuccess && here != device_; // (the null stream is that of the current device)
        if (moves) static_cast<void>(cudaSetDevice(device_));
        if ((in_stream_order_ ? cudaFreeAsync(data_, stream_) : cudaFree(data_)) != cudaSuccess) static_cast<void>(cudaGetLastError());
        if (moves) static_cast<void>(cudaSetDevice(here));
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
        std::swap(device_, other.device_);
        std::swap(in_stream_order_, other.in_stream_order_);
#endif
    }

private:
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
#if DYAD_DEVICE_CUDA
    cudaStream_t stream_ = nullptr;
    int device_ = 0;
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

/// Copies to the host of no more bytes take no detour.
inline constexpr std::size_t pinned_bytes = std::size_t{1} << 15;

#if DYAD_DEVICE_CUDA
/// Memory of the host that a device writes to itself, for a thread's results that are numbers.
class pinned_memory {
public:
    static void* of_thread() {
        thread_local pinned_memory mine;
        return mine.data_;
    }
    pinned_memory(const pinned_memory&) = delete;
    pinned_memory& operator=(const pinned_memory&) = delete;

private:
    pinned_memory() { check(cudaHostAlloc(&data_, pinned_bytes, cudaHostAllocPortable), "cudaHostAlloc", std::to_string(pinned_bytes) + " bytes"); }
    ~pinned_memory() { static_cast<void>(cudaFreeHost(data_)); } // (at the end of the process the device may be gone)
    void* data_ = nullptr;
};
#endif

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
    if (from == nullptr) throw device_error("[dyad] copy to the host: there is no memory, as of a number that was moved from");
#if DYAD_DEVICE_CUDA
    const bool few = bytes <= pinned_bytes;
    void* const there = few ? pinned_memory::of_thread() : to;
    check(cudaMemcpyAsync(there, from, bytes, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync", std::to_string(bytes) + " bytes, device to host");
    check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
    if (few) std::memcpy(to, there, bytes);
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
