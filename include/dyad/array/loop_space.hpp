// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Where the inputs and outputs of a loop lie in its space, and how the space is cut: into rows along the last axis, rows into
// blocks. One class for all loops of as many axes, inputs and outputs, whatever they compute.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <dyad/base/error.hpp>
#include <dyad/kernel/partial_loop.hpp>
#include <dyad/kernel/short_rows.hpp>

namespace dyad {

/// What is known of a loop when it is compiled.
template <unsigned Rank, std::size_t Loads, std::size_t Stores>
struct loop_facts {
    loop_shape<Loads, Stores> shape;
    bool whole[Stores + 1] = {}; ///< accumulates over the whole space: its total is a number
    bool is_cut[Rank] = {};      ///< some input has no elements for some of the axis
    std::size_t lanes = 1;
    bool streams = false;   ///< can write past the caches
    bool in_groups = false; ///< short rows are put together
};

/// Rows of n elements of an array of E, side by side and as T.
template <class T, class E>
void pack_elements(const void* from, std::ptrdiff_t down, std::size_t rows, std::ptrdiff_t along, std::size_t n, T* to) {
    const E* row = static_cast<const E*>(from);
    if (along == 0 && rows > 1) return repeat_elements(row, down, rows, n, to);
    for (std::size_t r = 0; r < rows; ++r, row += down, to += n) {
        for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<T>(row[static_cast<std::ptrdiff_t>(i) * along]);
    }
}

/// `Places`: how many ranges of elements the inputs have.
template <class T, unsigned Rank, std::size_t Loads, std::size_t Stores, std::size_t Places>
class loop_space {
public:
    static constexpr unsigned rank = Rank;
    static constexpr std::size_t loads = Loads, stores = Stores, places = Places;
    using facts_of_loop = loop_facts<Rank, Loads, Stores>;

    std::size_t size[rank];
    const void* in[loads + 1];
    std::ptrdiff_t in_stride[loads + 1][rank];
    T* out[stores + 1];
    std::ptrdiff_t out_stride[stores + 1][rank];
    std::size_t out_count[stores + 1];
    element_range range[places][rank]; ///< the elements that are there, by placement and axis

    template <class E>
    DYAD_INLINE void set_element(std::size_t j) {
        width_[j] = sizeof(E);
        converts_[j] = !std::is_same_v<E, T>;
        pack_[j] = pack_elements<T, E>;
    }

protected:
    static constexpr std::size_t packed_block_size = 256;
    static constexpr std::size_t streamed_at_once = 16; // blocks: at their ends, which are written in the ordinary way, memory is waited for
    static constexpr std::size_t shortest_streamed = 256; // of a row's elements: its two ends are written in the ordinary way
    static constexpr std::size_t streaming_bytes = 32U << 20; // more than stays in a cache until somebody reads it
    static constexpr std::size_t shared_elements = 32768;     // fewer are not worth several threads

    /// Axes that lie one after the other in all arrays become one.
    void merge_axes(const facts_of_loop& facts) {
        axes_ = 1;
        for (unsigned a = 1; a < rank; ++a) { // axis a goes with the axis before it, or stands alone
            const auto together = [&](const std::ptrdiff_t* s) { return s[axes_ - 1] == s[a] * static_cast<std::ptrdiff_t>(size[a]); };
            bool one = !facts.is_cut[a] && !facts.is_cut[a - 1];
            for (std::size_t j = 0; j < loads; ++j) one = one && together(in_stride[j]);
            for (std::size_t k = 0; k < stores; ++k) one = one && together(out_stride[k]);
            // An input that does not walk along the last axis must not begin to.
            const unsigned to = one ? axes_ - 1 : axes_++;
            size[to] = one ? size[to] * size[a] : size[a];
            for (std::size_t j = 0; j < loads; ++j) in_stride[j][to] = in_stride[j][a];
            for (std::size_t k = 0; k < stores; ++k) out_stride[k][to] = out_stride[k][a];
            for (std::size_t p = 0; p < places; ++p) range[p][to] = one ? element_range{0, static_cast<std::ptrdiff_t>(size[to])} : range[p][a];
        }
    }
    void prepare(const facts_of_loop& facts) {
        const loop_shape<loads, stores>& shape = facts.shape;
        rows_ = 1;
        for (unsigned a = 0; a + 1 < axes_; ++a) rows_ *= size[a];
        const std::size_t n = size[axes_ - 1];
        elements_ = rows_ * n;
        bool packs = false, packs_any = false;
        for (std::size_t j = 0; j < loads; ++j) {
            for (unsigned a = 0; a < axes_; ++a) in_step_[j][a] = in_stride[j][a] * static_cast<std::ptrdiff_t>(width_[j]);
            packed_[j] = converts_[j] || (shape.input_walks[j] && in_stride[j][axes_ - 1] != 1);
            packs = packs || (packed_[j] && shape.input_walks[j]);
            packs_any = packs_any || packed_[j];
        }
        std::size_t stored = 0; // bytes
        for (std::size_t k = 0; k < stores; ++k) stored += shape.how[k] == keeping::store ? elements_ * sizeof(T) : 0;
        streams_ = facts.streams && stored >= streaming_bytes && n >= shortest_streamed;
        block_ = packs ? packed_block_size : (streams_ ? streamed_at_once : 1) * summed_at_once<T>(facts.lanes);
        blocks_ = (n + block_ - 1) / block_;
        plain_ = blocks_ == 1 && !packs_any && !streams_;
        splits_ = true;
        for (std::size_t k = 0; k < stores; ++k) {
            if (shape.how[k] != keeping::store && !facts.whole[k]) {
                std::fill_n(out[k], out_count[k], neutral<T>(shape.how[k]));
                splits_ = false;
            }
        }
    }
    /// Whether each row is one block, and nothing need be brought to another place first.
    [[nodiscard]] bool is_plain() const { return plain_; }
    [[nodiscard]] std::size_t units() const { return rows_ * blocks_; }
    /// Whether several threads may, and should, share the units.
    [[nodiscard]] bool is_worth_sharing() const { return splits_ && units() > 1 && elements_ >= shared_elements; }

    /// Where a row begins, and which of its elements are there.
    struct row {
        std::size_t at[rank] = {};
        const std::byte* from[loads + 1];
        T* to[stores + 1];
        element_range has[places];
    };
    [[nodiscard]] DYAD_INLINE row row_number(std::size_t number) const {
        row r;
        for (unsigned a = axes_ - 1; a-- > 0 && number > 0;) {
            r.at[a] = number % size[a];
            number /= size[a];
        }
        for (std::size_t j = 0; j < loads; ++j) {
            r.from[j] = static_cast<const std::byte*>(in[j]);
            for (unsigned a = 0; a + 1 < axes_; ++a) r.from[j] = displaced(r.from[j], static_cast<std::ptrdiff_t>(r.at[a]) * in_step_[j][a]);
        }
        for (std::size_t k = 0; k < stores; ++k) {
            r.to[k] = out[k];
            for (unsigned a = 0; a + 1 < axes_; ++a) r.to[k] += static_cast<std::ptrdiff_t>(r.at[a]) * out_stride[k][a];
        }
        find_ranges(r);
        return r;
    }
    /// Whether there are so many rows along one axis, and what accumulates element by element does so over them.
    [[nodiscard]] DYAD_INLINE bool accumulates_over(const row& r, std::size_t rows, const loop_shape<loads, stores>& shape) const {
        if (axes_ < 2 || r.at[axes_ - 2] + rows > size[axes_ - 2]) return false;
        bool all = true;
        for (std::size_t k = 0; k < stores; ++k) all = all && (shape.how[k] == keeping::store || out_stride[k][axes_ - 2] == 0);
        return all;
    }
    /// To the next row, or so many rows on, as far as they lie along one axis.
    DYAD_INLINE void go_on(row& r, std::size_t rows = 1) const {
        auto by = static_cast<std::ptrdiff_t>(rows);
        for (unsigned a = axes_ - 1; a-- > 0; by = 1) {
            r.at[a] += static_cast<std::size_t>(by);
            if (r.at[a] != size[a]) {
                for (std::size_t j = 0; j < loads; ++j) r.from[j] = displaced(r.from[j], by * in_step_[j][a]);
                for (std::size_t k = 0; k < stores; ++k) r.to[k] += by * out_stride[k][a];
                break;
            }
            const std::ptrdiff_t back = by - static_cast<std::ptrdiff_t>(size[a]);
            for (std::size_t j = 0; j < loads; ++j) r.from[j] = displaced(r.from[j], back * in_step_[j][a]);
            for (std::size_t k = 0; k < stores; ++k) r.to[k] += back * out_stride[k][a];
            r.at[a] = 0;
        }
        find_ranges(r);
    }
    DYAD_INLINE void find_ranges(row& r) const {
        if constexpr (places == 1) return;
        for (std::size_t p = 0; p < places; ++p) {
            bool there = true;
            for (unsigned a = 0; a + 1 < axes_; ++a) {
                const auto here = static_cast<std::ptrdiff_t>(r.at[a]);
                there = there && here >= range[p][a].first && here < range[p][a].last;
            }
            r.has[p] = there ? range[p][axes_ - 1] : element_range{};
        }
    }

    /// An address so many bytes on: of an element, or of one that is not there and is not read.
    static const std::byte* displaced(const std::byte* p, std::ptrdiff_t bytes) {
        if constexpr (places == 1) return p + bytes;
        return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(bytes));
    }
    /// The elements of input j, as far as there are, as T side by side.
    void pack(std::size_t j, bool walks, const std::byte* from, std::size_t count, [[maybe_unused]] element_range has, T* to) const {
        const std::ptrdiff_t stride = walks ? in_stride[j][axes_ - 1] : 0;
        if constexpr (places == 1) {
            pack_[j](from, 0, 1, stride, count, to);
        } else {
            if (walks) has = has & element_range{0, static_cast<std::ptrdiff_t>(count)};
            if (!walks) has = has.first < has.last ? element_range{0, 1} : element_range{};
            std::fill_n(to, count, T(0));
            if (has.first >= has.last) return;
            const std::byte* const first = displaced(from, has.first * stride * static_cast<std::ptrdiff_t>(width_[j]));
            pack_[j](first, 0, 1, stride, static_cast<std::size_t>(has.last - has.first), to + has.first);
        }
    }

    std::size_t width_[loads + 1];
    std::ptrdiff_t in_step_[loads + 1][rank]; ///< strides in bytes
    bool converts_[loads + 1], packed_[loads + 1], splits_ = true, streams_ = false, plain_ = false;
    void (*pack_[loads + 1])(const void*, std::ptrdiff_t, std::size_t, std::ptrdiff_t, std::size_t, T*);
    unsigned axes_ = rank;
    std::size_t elements_ = 0, rows_ = 1, block_ = 1, blocks_ = 1;
};

} // namespace dyad
