// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How a loop is cut into blocks. From its sizes alone: so sums come out the same on every device.
#pragma once

#include <cstddef>

#include <dyad/device/parts.hpp>

namespace dyad::device {

struct geometry {
    std::size_t outputs = 1, length = 1; ///< kept places, and steps of each
    std::size_t chunk = 1, chunks = 1;   ///< steps that one block takes, and how many blocks share a place
    unsigned wide = 1;                   ///< places in a block
    bool along = false;                  ///< neighbouring threads take neighbouring steps
};

inline unsigned power_of_two_from(std::size_t n) {
    unsigned p = 1;
    while (p < n && p < block_threads) p *= 2;
    return p;
}

/// `inner`: the elements that lie side by side belong to one place.
inline geometry cut(std::size_t outputs, std::size_t length, bool inner) {
    constexpr std::size_t enough_blocks = 1024, enough_steps = 16; // for a large device; for a thread to be worth its while
    constexpr std::size_t most_places = std::size_t{1} << 16;
    geometry g{outputs, length, length, 1, 1, inner};
    if (length <= 1) {
        g.wide = block_threads;
        g.along = false;
    } else if (inner) {
        g.wide = block_threads / power_of_two_from((length + 3) / 4);
    } else {
        g.wide = outputs >= most_places ? block_threads : power_of_two_from(outputs < 32 ? outputs : 32);
    }
    const std::size_t blocks = (outputs + g.wide - 1) / g.wide, high = block_threads / g.wide;
    if (blocks == 0 || blocks >= enough_blocks || length <= high * enough_steps) return g;
    const std::size_t wanted = enough_blocks / blocks, worth = (length + high * enough_steps - 1) / (high * enough_steps);
    g.chunk = (length + (wanted < worth ? wanted : worth) - 1) / (wanted < worth ? wanted : worth);
    g.chunks = (length + g.chunk - 1) / g.chunk;
    return g;
}

/// Threads that sum: as many as a large device runs at once (an H200 four blocks of 256 on each of 132 processors). Each block leaves a
/// partial result; blocks have at least `smallest_block` threads.
inline constexpr std::size_t most_threads_that_sum = std::size_t{528} * block_threads;
inline constexpr unsigned smallest_block = 128;
inline constexpr std::size_t most_sums = most_threads_that_sum / smallest_block;

/// The blocks of a map, or of rows, of `tile` elements or rows and so many threads each: each further one would have nothing to do.
inline std::size_t map_blocks(std::size_t count, std::size_t tile, unsigned threads, bool sums) {
    constexpr std::size_t most_blocks = 0x7fffffff;
    const std::size_t tiles = (count + tile - 1) / tile, most = sums ? most_threads_that_sum / threads : most_blocks;
    return tiles < most ? tiles : most;
}

} // namespace dyad::device
