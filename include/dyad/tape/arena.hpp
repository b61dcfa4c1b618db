// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Memory of tapes: chunks of one size that each thread keeps for its next recording, and one buffer for the adjoints of a
// sweep. What a thread keeps is freed when the thread ends, or by release_tape_memory().
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include <dyad/base/config.hpp>

namespace dyad {

/// A piece of a recording. Operands grow upwards from its begin, one byte a statement downwards from its end.
struct tape_chunk {
    tape_chunk* previous = nullptr;
    std::size_t capacity = 0;       ///< bytes behind this header
    std::byte* operands_end = nullptr; ///< where the next chunk took over
    std::byte* codes_begin = nullptr;

    [[nodiscard]] std::byte* begin() { return reinterpret_cast<std::byte*>(this + 1); }
    [[nodiscard]] std::byte* end() { return begin() + capacity; }
};

/// What a thread keeps. Trivial, so that no access needs a guard and tapes may outlive it in static destructors.
struct tape_memory {
    tape_chunk* chunks = nullptr;
    std::byte* buffer = nullptr;
    std::size_t buffer_size = 0;
    bool closed = false; ///< the thread is ending: nothing is kept any more

    void release() {
        while (chunks != nullptr) {
            tape_chunk* const next = chunks->previous;
            ::operator delete(chunks);
            chunks = next;
        }
        ::operator delete(buffer);
        buffer = nullptr;
        buffer_size = 0;
    }
};
DYAD_SHARED inline constinit thread_local tape_memory thread_tape_memory{};

/// Frees at the end of the thread what it kept.
struct tape_memory_end {
    ~tape_memory_end() {
        thread_tape_memory.release();
        thread_tape_memory.closed = true;
    }
};

/// Frees the memory that this thread keeps for its next recordings.
inline void release_tape_memory() {
    thread_tape_memory.release();
}

inline constexpr std::size_t tape_chunk_size = std::size_t{1} << 18;

/// A chunk with room for `bytes`, kept or new.
[[gnu::noinline]] inline tape_chunk* take_tape_chunk(std::size_t bytes, tape_chunk* previous) {
    tape_memory& memory = thread_tape_memory;
    tape_chunk* chunk = memory.chunks;
    const std::size_t standard = tape_chunk_size - sizeof(tape_chunk);
    if (bytes <= standard && chunk != nullptr) {
        memory.chunks = chunk->previous;
    } else {
        if (!memory.closed) {
            static thread_local tape_memory_end end;
            static_cast<void>(end);
        }
        const std::size_t capacity = bytes <= standard ? standard : bytes;
        chunk = new (::operator new(capacity + sizeof(tape_chunk))) tape_chunk;
        chunk->capacity = capacity;
    }
    chunk->previous = previous;
    return chunk;
}

inline void give_back_tape_chunk(tape_chunk* chunk) {
    tape_memory& memory = thread_tape_memory;
    if (memory.closed || chunk->capacity != tape_chunk_size - sizeof(tape_chunk)) {
        ::operator delete(chunk);
    } else {
        chunk->previous = memory.chunks;
        memory.chunks = chunk;
    }
}

/// The thread's buffer, grown to what is asked for, or one of its own where that is in use.
class tape_buffer {
public:
    explicit tape_buffer(std::size_t bytes) : at_(thread_tape_memory.buffer), size_(thread_tape_memory.buffer_size) {
        thread_tape_memory.buffer = nullptr;
        thread_tape_memory.buffer_size = 0;
        if (size_ >= bytes && at_ != nullptr) return;
        ::operator delete(at_);
        at_ = nullptr;
        size_ = bytes + bytes / 2 + 1024;
        if (!thread_tape_memory.closed) {
            static thread_local tape_memory_end end;
            static_cast<void>(end);
        }
        at_ = static_cast<std::byte*>(::operator new(size_));
    }
    tape_buffer(const tape_buffer&) = delete;
    tape_buffer& operator=(const tape_buffer&) = delete;
    ~tape_buffer() {
        tape_memory& memory = thread_tape_memory;
        if (memory.closed || memory.buffer_size >= size_) {
            ::operator delete(at_);
            return;
        }
        ::operator delete(memory.buffer);
        memory.buffer = at_;
        memory.buffer_size = size_;
    }
    [[nodiscard]] std::byte* data() const { return at_; }

private:
    std::byte* at_;
    std::size_t size_;
};

} // namespace dyad
