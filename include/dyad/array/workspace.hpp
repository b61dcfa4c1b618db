// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Memory for what a program stores in between: kept from one call to the next, so that repeated calls allocate
// nothing. Each thread has its own; nested programs take theirs from above.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace dyad {

class workspace {
public:
    static constexpr std::size_t alignment = 64;

    /// The calling thread's.
    static workspace& of_thread() {
        thread_local workspace mine;
        return mine;
    }

    /// Memory for as long as the frame lives.
    class frame {
    public:
        explicit frame(workspace& home) : home_(home), block_(home.block_), used_(home.used_) {}
        frame(const frame&) = delete;
        frame& operator=(const frame&) = delete;
        ~frame() {
            home_.block_ = block_;
            home_.used_ = used_;
        }
        /// Room for `count` values, not initialised.
        template <class T>
        T* take(std::size_t count) {
            return static_cast<T*>(home_.take_bytes(count * sizeof(T)));
        }

    private:
        workspace& home_;
        std::size_t block_, used_;
    };

private:
    struct aligned_delete {
        void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{alignment}); }
    };
    struct block {
        std::unique_ptr<std::byte[], aligned_delete> data;
        std::size_t size = 0;
    };

    void* take_bytes(std::size_t bytes) {
        bytes = (bytes + alignment - 1) / alignment * alignment;
        while (block_ < blocks_.size() && used_ + bytes > blocks_[block_].size) ++block_, used_ = 0;
        if (block_ == blocks_.size()) {
            const std::size_t last = blocks_.empty() ? 0 : blocks_.back().size;
            const std::size_t size = bytes > 2 * last ? bytes : 2 * last;
            const std::size_t room = size > 4096 ? size : 4096;
            block fresh{{}, room};
            fresh.data.reset(static_cast<std::byte*>(::operator new[](room, std::align_val_t{alignment})));
            blocks_.push_back(std::move(fresh));
        }
        void* const result = blocks_[block_].data.get() + used_;
        used_ += bytes;
        return result;
    }

    std::vector<block> blocks_;
    std::size_t block_ = 0, used_ = 0;
};

} // namespace dyad
