// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The parts of a recording: the key by which a number names the statement that gave it, which recordings a thread has, and
// statements that are functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <dyad/base/config.hpp>

namespace dyad {

/// Which statement of which recording a number is the result of; passive if the statement is 0. (One word: compilers move
/// it as such.)
class tape_key {
public:
    constexpr tape_key() = default;
    DYAD_INLINE constexpr tape_key(std::uint32_t statement, std::uint64_t recording) : bits_(recording << 32 | statement) {}
    [[nodiscard]] DYAD_INLINE constexpr std::uint32_t statement() const { return static_cast<std::uint32_t>(bits_); }
    /// (32 bits in a word: g++ spills half a word and reads it back as a whole one, which waits for the memory.)
    [[nodiscard]] DYAD_INLINE constexpr std::uint64_t recording() const { return bits_ >> 32; }
    friend constexpr bool operator==(const tape_key&, const tape_key&) = default;

private:
    std::uint64_t bits_ = 0;
};

template <class T>
class recording;

/// The recordings of a thread for numbers T, and the one that records now.
template <class T>
struct thread_recordings {
    recording<T>* newest = nullptr;
    recording<T>* current = nullptr;
};
template <class T>
DYAD_SHARED inline constinit thread_local thread_recordings<T> recordings_of_thread{};

/// A number for a recording that no other one has: each thread takes many at once.
struct recording_numbers {
    std::uint32_t next = 0, end = 0;
};
DYAD_SHARED inline constinit thread_local recording_numbers numbers_of_thread{};
std::uint32_t more_recording_numbers();
inline std::uint32_t take_recording_number() {
    recording_numbers& n = numbers_of_thread;
    return n.next != n.end ? n.next++ : more_recording_numbers();
}

/// A statement whose adjoints go through a function: `results` in a row, and any number of operands.
template <class T>
struct pullback_entry {
    std::uint32_t results = 1;
    std::vector<std::uint32_t> operands;

    virtual ~pullback_entry() = default;
    /// The cotangents of the operands, all of them, from those of the results.
    virtual void pull(const T* results_cotangent, T* operands_cotangent) const = 0;
    /// Memory that it holds.
    [[nodiscard]] virtual std::size_t bytes() const { return 0; }
};

} // namespace dyad
