// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Memory for what a program stores in between: kept from one call to the next, so that repeated calls allocate
// nothing. Each thread has its own; nested programs take theirs from above.
#pragma once

#include <cstddef>
#include <new>

#include <dyad/base/config.hpp>

namespace dyad {

class workspace {
public:
    static constexpr std::size_t alignment = 64;
    static constexpr std::size_t most_bytes = ~std::size_t{0} / 4; ///< with what stands before and behind them, in numbers that do not overflow

    workspace() = default;
    workspace(const workspace&) = delete;
    workspace& operator=(const workspace&) = delete;
    ~workspace() {
        while (first_ != nullptr) {
            block* const next = first_->next;
            ::operator delete(static_cast<void*>(first_), std::align_val_t{alignment});
            first_ = next;
        }
    }

    /// Memory of the calling thread's workspace for as long as the frame lives. Frames end in the opposite order of
    /// their first take().
    class frame {
    public:
        DYAD_FN constexpr frame() {}
        frame(const frame&) = delete;
        frame& operator=(const frame&) = delete;
        DYAD_FN constexpr ~frame() {
            if (home_ != nullptr) home_->give_back(block_, used_);
        }
        /// Room for `count` values `times` over, not initialised. Throws std::bad_alloc if there is no such memory.
        template <class T>
        T* take(std::size_t count, std::size_t times = 1) {
            if (times != 0 && count > most_bytes / sizeof(T) / times) throw std::bad_alloc();
            if (home_ == nullptr) {
                home_ = &of_thread();
                block_ = home_->current_;
                used_ = home_->used_;
            }
            return static_cast<T*>(home_->take_bytes(count * times * sizeof(T)));
        }

    private:
        workspace* home_ = nullptr; // programs that store nothing in between do not even ask for it
        void* block_ = nullptr;
        std::size_t used_ = 0;
    };

private:
    /// Stands before its bytes.
    struct alignas(alignment) block {
        block* next = nullptr;
        std::size_t size = 0;
    };

    /// The calling thread's.
    static workspace& of_thread() {
        thread_local workspace mine;
        return mine;
    }

    void* take_bytes(std::size_t bytes) {
        bytes = (bytes + alignment - 1) / alignment * alignment;
        block* last = current_;
        std::size_t used = used_; // (nothing is changed before there is memory)
        for (block* b = last; b != nullptr; b = b->next, used = 0) {
            if (used + bytes <= b->size) return taken_from(b, used, bytes);
            last = b;
        }
        const std::size_t twice = last == nullptr ? 4096 : 2 * last->size;
        const std::size_t size = bytes > twice ? bytes : twice;
        auto* const fresh = new (::operator new(sizeof(block) + size, std::align_val_t{alignment})) block{nullptr, size};
        (last == nullptr ? first_ : last->next) = fresh;
        return taken_from(fresh, 0, bytes);
    }
    void* taken_from(block* b, std::size_t used, std::size_t bytes) {
        current_ = b;
        used_ = used + bytes;
        return reinterpret_cast<std::byte*>(b + 1) + used;
    }
    DYAD_FN void give_back(void* block_then, std::size_t used_then) {
        current_ = block_then == nullptr ? first_ : static_cast<block*>(block_then);
        used_ = used_then;
    }

    block* first_ = nullptr;
    block* current_ = nullptr; ///< where the next bytes are looked for
    std::size_t used_ = 0;     ///< of the current block
};

} // namespace dyad
