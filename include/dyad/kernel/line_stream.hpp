// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Vectors that are written one after the other past the caches, for arrays that no cache would hold until somebody reads them: a
// line that is written whole need not be read first. Lines begin where memory does, not where an array begins, so that each line
// is made of the end of one vector and the beginning of the next. And vectors that are read in such lines: a vector across two of
// them takes memory longer (a triad over 1e7 numbers that begin 16 bytes behind a line, on a Zen 5: 0.54 ns an element, by lines 0.48).
#pragma once

#include <cstddef>
#include <cstdint>

#include <dyad/kernel/simd.hpp>

namespace dyad {

/// The vectors from `to` on: `first`, then `next` for each, then `end`; `fence` before others read what was written.
template <class V>
class line_stream {
    using T = typename V::value_type;
    using lanes_of = simd::masked<T>;

public:
    DYAD_INLINE explicit line_stream(T* to)
        : before_(reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % V::size),
          line_(reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(to) - before_ * sizeof(T))), turn_(lanes_of::turn(before_)),
          own_(V::between(static_cast<std::ptrdiff_t>(before_), static_cast<std::ptrdiff_t>(V::size))), waiting_(T(0)) {}

    /// (Its line holds elements that are not ours.)
    DYAD_INLINE void first(V v) {
        waiting_ = turned(v);
        waiting_.store_some(line_, own_);
        line_ += V::size;
    }
    DYAD_INLINE void next(V v) {
        const V w = turned(v);
        lanes_of::stream(line_, V::choose(own_, w, waiting_).v);
        waiting_ = w;
        line_ += V::size;
    }
    DYAD_INLINE void end() { waiting_.store_some(line_, V::between(0, static_cast<std::ptrdiff_t>(before_))); }
    DYAD_INLINE static void fence() {
#if defined(__AVX2__)
        _mm_sfence();
#endif
    }

private:
    DYAD_INLINE V turned(V v) const { return V(lanes_of::turned(v.v, turn_)); }

    std::size_t before_; ///< elements of the first line that are not ours
    T* line_;
    decltype(lanes_of::turn(0)) turn_;
    typename V::choice own_; ///< the lanes of a line that its own vector fills
    V waiting_;              ///< turned; its other lanes are the beginning of the next line
};

/// The vectors from `from` on: `next` for each, as long as the one after it is there too.
template <class V>
class line_reader {
    using T = typename V::value_type;
    using lanes_of = simd::masked<T>;

public:
    /// Reads nothing.
    DYAD_INLINE line_reader() : line_(nullptr), turn_(lanes_of::turn(0)), own_(V::between(0, 0)), waiting_(T(0)) {}
    /// (At least the whole vector before `from` is there: its line begins in it.)
    DYAD_INLINE explicit line_reader(const T* from) : line_reader(from, reinterpret_cast<std::uintptr_t>(from) / sizeof(T) % V::size) {}

    DYAD_INLINE V next() {
        const V w = turned_line(), result = V::choose(own_, waiting_, w);
        waiting_ = w;
        return result;
    }

private:
    DYAD_INLINE line_reader(const T* from, std::size_t before)
        : line_(from - before), turn_(lanes_of::turn(V::size - before)), own_(V::between(0, static_cast<std::ptrdiff_t>(V::size - before))),
          waiting_(turned_line()) {}
    DYAD_INLINE V turned_line() {
        const V line = V::load_unaligned(line_);
        line_ += V::size;
        return V(lanes_of::turned(line.v, turn_));
    }

    const T* line_; ///< the next one
    decltype(lanes_of::turn(0)) turn_;
    typename V::choice own_; ///< the lanes of a vector that its first line has
    V waiting_;              ///< that line, turned
};

} // namespace dyad
