// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// On Thrust's host systems all memory is one, and a program that mixes up host and device runs as if it were right. Compiled with
// DYAD_DEVICE_GUARD, the memory of the "device" can be touched by its kernels and copies alone, and what these are given is
// checked to lie there.
#pragma once

#include <cstddef>

#include <dyad/device/backend.hpp>

#if !DYAD_DEVICE_CUDA && defined(DYAD_DEVICE_GUARD)
#define DYAD_DEVICE_GUARDED 1
#else
#define DYAD_DEVICE_GUARDED 0
#endif

#if DYAD_DEVICE_GUARDED

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include <dyad/base/error.hpp>

namespace dyad::device {

/// Memory that is closed but while the device works. Blocks lie one behind the other; the first free one that is large enough is
/// taken again.
class guarded_memory {
public:
    static constexpr std::size_t room = std::size_t{1} << 32;

    static guarded_memory& of_process() {
        static guarded_memory instance;
        return instance;
    }
    guarded_memory(const guarded_memory&) = delete;
    guarded_memory& operator=(const guarded_memory&) = delete;

    /// Null if there is no room. A page's multiple, with a page that nobody may touch behind it.
    void* take(std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        for (block& b : blocks_) {
            if (b.taken || b.end - b.begin < padded(bytes) + page) continue;
            b.taken = true;
            if (works_ > 0) allow(b, true);
            return first_ + b.begin;
        }
        const std::size_t begin = blocks_.empty() ? 0 : blocks_.back().end;
        if (bytes > room || begin + padded(bytes) + page > room) return nullptr;
        blocks_.push_back({begin, begin + padded(bytes) + page, true});
        if (works_ > 0) allow(blocks_.back(), true);
        return first_ + begin;
    }
    void give_back(void* data) {
        const std::scoped_lock lock(mutex_);
        const auto begin = static_cast<std::size_t>(static_cast<std::byte*>(data) - first_);
        for (block& b : blocks_) {
            if (b.begin != begin || !b.taken) continue;
            b.taken = false;
            allow(b, false);
            ::madvise(data, b.end - b.begin, MADV_DONTNEED);
        }
        while (!blocks_.empty() && !blocks_.back().taken) blocks_.pop_back();
    }
    /// Memory that others took for the device.
    void know(const void* data, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        for (auto& [begin, end] : known_) {
            if (begin == address(data)) return static_cast<void>(end = begin + bytes > end ? begin + bytes : end);
        }
        known_.emplace_back(address(data), address(data) + bytes);
    }
    /// Refuses memory of the host.
    void check(const void* data) {
        if (data == nullptr) return;
        const std::scoped_lock lock(mutex_);
        bool fine = address(data) >= address(first_) && address(data) < address(first_) + room;
        for (const auto& [begin, end] : known_) fine = fine || (address(data) >= begin && address(data) <= end);
        if (!fine) throw device_error("[dyad] DYAD_DEVICE_GUARD: a kernel was given memory of the host");
    }
    void begin_work() { change(1); }
    void end_work() { change(-1); }

private:
    struct block {
        std::size_t begin, end;
        bool taken;
    };
    static constexpr std::size_t page = 4096;
    static std::size_t padded(std::size_t bytes) { return (bytes + page - 1) / page * page; }
    static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

    guarded_memory()
        : first_(static_cast<std::byte*>(::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
        if (first_ == MAP_FAILED) throw device_error("[dyad] mmap(" + std::to_string(room) + " bytes): DYAD_DEVICE_GUARD finds no addresses");
    }
    ~guarded_memory() = default; // (arrays of static life time may go later)
    void allow(const block& b, bool access) {
        if (b.end - b.begin > page) ::mprotect(first_ + b.begin, b.end - b.begin - page, access ? PROT_READ | PROT_WRITE : PROT_NONE);
    }
    void change(int by) {
        const std::scoped_lock lock(mutex_);
        works_ += by;
        if (works_ != (by > 0 ? 1 : 0)) return;
        for (const block& b : blocks_) {
            if (b.taken) allow(b, by > 0);
        }
    }

    std::mutex mutex_;
    std::byte* first_;
    std::vector<block> blocks_;
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> known_;
    int works_ = 0; ///< kernels and copies under way
};

} // namespace dyad::device

#endif

namespace dyad::device {

/// As long as one lives, the device works.
struct device_work {
#if DYAD_DEVICE_GUARDED
    device_work() { guarded_memory::of_process().begin_work(); }
    ~device_work() { guarded_memory::of_process().end_work(); }
#else
    device_work() = default;
    ~device_work() {} // (not trivial, so that it is a variable in use)
#endif
    device_work(const device_work&) = delete;
    device_work& operator=(const device_work&) = delete;
};
/// Memory that a container took for the device.
inline void know_memory([[maybe_unused]] const void* data, [[maybe_unused]] std::size_t bytes) {
#if DYAD_DEVICE_GUARDED
    guarded_memory::of_process().know(data, bytes);
#endif
}
inline void check_memory([[maybe_unused]] const void* data) {
#if DYAD_DEVICE_GUARDED
    guarded_memory::of_process().check(data);
#endif
}

} // namespace dyad::device
