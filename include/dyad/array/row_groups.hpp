// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Rows that are shorter than a few vectors: a group of them, side by side, is one run of the loop, in which all inputs walk that differ
// from element to element. What lies otherwise is laid out in buffers first, and what belongs to a row put together after it.
#pragma once

#include <dyad/array/loop_space.hpp>
#include <dyad/kernel/short_rows.hpp>

namespace dyad {

/// How a loop runs over a group of rows. `varies[j]`: input j is not the same everywhere.
template <unsigned Rank, std::size_t Loads, std::size_t Stores>
constexpr loop_shape<Loads, Stores> shape_of_group(const loop_facts<Rank, Loads, Stores>& facts, const std::array<bool, Loads + 1>& varies) {
    loop_shape<Loads, Stores> s = facts.shape;
    for (std::size_t j = 0; j < Loads; ++j) s.input_walks[j] = varies[j] || s.is_mask[j];
    for (std::size_t k = 0; k < Stores; ++k) {
        if (facts.whole[k]) continue;
        if (!s.output_walks[k]) s.how[k] = keeping::store; // (and its rows are accumulated after the run)
        s.output_walks[k] = true;
    }
    return s;
}

/// One class for all loops of one space, whatever they compute.
template <class T, unsigned Rank, std::size_t Loads, std::size_t Stores, std::size_t Places>
class row_groups : public loop_space<T, Rank, Loads, Stores, Places> {
protected:
    static constexpr std::size_t group_size = 256; ///< elements, at most
    static constexpr std::size_t fewest_rows = 8;  ///< fewer are not worth it
    static constexpr std::size_t buffer_size = group_size + slack_of_rows<T>;

    /// The units become groups of rows, if the rows are short. To be called when the space is prepared.
    void group_rows(std::size_t lanes) {
        if (this->axes_ < 2) return;
        const std::size_t n = length(), rows = this->size[this->axes_ - 2];
        if (n == 0 || n >= 2 * lanes || rows < fewest_rows) return;
        together_ = group_size / n;
        if (together_ > lanes) together_ -= together_ % lanes; // so that a group is whole vectors
        together_ = std::min(rows, together_);
        this->blocks_ = (rows + together_ - 1) / together_;
        this->rows_ /= rows;
    }
    [[nodiscard]] bool is_grouped() const { return together_ != 0; }

    struct group {
        typename row_groups::row rows; ///< the first of them
        std::size_t count = 0, unit = 0;
        const std::byte* laid_out[Loads + 1] = {}; ///< what buffers hold that is the same for each group
        T in[Loads + 1][buffer_size];
        T out[Stores + 1][buffer_size];
    };
    void begin(group& g, std::size_t unit) const {
        g.unit = unit;
        g.rows = this->row_number(unit / this->blocks_ * this->size[this->axes_ - 2] + unit % this->blocks_ * together_);
        count_rows(g);
    }
    void next(group& g) const {
        ++g.unit;
        this->go_on(g.rows, g.count);
        count_rows(g);
    }
    [[nodiscard]] std::size_t length() const { return this->size[this->axes_ - 1]; }
    /// The elements of input j, side by side.
    const T* input_of_group(const loop_shape<Loads, Stores>& shape, std::size_t j, bool varies, group& g) const {
        const std::ptrdiff_t along = this->in_stride[j][this->axes_ - 1], down = this->in_stride[j][this->axes_ - 2];
        const std::byte* const from = g.rows.from[j];
        if constexpr (Places > 1) {
            const element_range has = this->range[shape.place[j]][this->axes_ - 1] & element_range{0, static_cast<std::ptrdiff_t>(length())};
            if (shape.is_mask[j] || has.first >= has.last) return mask_of_group(j, has, g);
            if (varies && along != 0 && shape.place[j] != 0) return part_of_group(j, has, g);
        }
        if (!this->converts_[j] && (!varies || (along == 1 && down == static_cast<std::ptrdiff_t>(length())))) return reinterpret_cast<const T*>(from);
        if (!varies) {
            this->pack_[j](from, 0, 1, 0, 1, g.in[j]);
        } else if (down != 0) {
            this->pack_[j](from, down, g.count, along, length(), g.in[j]);
        } else if (from != g.laid_out[j]) {
            this->pack_[j](from, down, together_, along, length(), g.in[j]);
            g.laid_out[j] = from;
        }
        return g.in[j];
    }
    /// Whether an output that has an element for each of a row goes where it belongs at once.
    [[nodiscard]] bool is_in_place(std::size_t k) const {
        return this->out_stride[k][this->axes_ - 1] == 1 && this->out_stride[k][this->axes_ - 2] == static_cast<std::ptrdiff_t>(length());
    }
    /// Of output K, which has elements for each of a row, but lies otherwise: what it stores or accumulates.
    template <keeping How>
    void deliver(std::size_t k, group& g) const {
        const std::ptrdiff_t along = this->out_stride[k][this->axes_ - 1], down = this->out_stride[k][this->axes_ - 2];
        // What is for all rows is accumulated over the groups first, element by element.
        if (How != keeping::store && down == 0 && !is_last_along_axis(g)) return;
        const std::size_t n = length(), count = down == 0 ? together_ : g.count;
        T* from = g.out[k];
        T* to = g.rows.to[k];
        for (std::size_t r = 0; r < count; ++r, from += n, to += down) {
            for (std::size_t i = 0; i < n; ++i) {
                T& y = to[static_cast<std::ptrdiff_t>(i) * along];
                y = How == keeping::store ? from[i] : combined<How>(y, from[i]);
            }
        }
        if (How != keeping::store) std::fill_n(g.out[k], group_size, neutral<T>(How));
    }

private:
    /// Ones where each row has elements, zeros around.
    const T* mask_of_group(std::size_t j, element_range has, group& g) const {
        if (g.laid_out[j] == nullptr) {
            for (std::size_t r = 0; r < together_; ++r) {
                for (std::size_t i = 0; i < length(); ++i) {
                    const auto at = static_cast<std::ptrdiff_t>(i);
                    g.in[j][r * length() + i] = static_cast<T>(has.first <= at && at < has.last);
                }
            }
            g.laid_out[j] = reinterpret_cast<const std::byte*>(g.in[j]);
        }
        return g.in[j];
    }
    /// The elements that each row has, zeros around.
    const T* part_of_group(std::size_t j, element_range has, group& g) const {
        if (g.laid_out[j] == nullptr) {
            std::fill_n(g.in[j], buffer_size, T(0));
            g.laid_out[j] = reinterpret_cast<const std::byte*>(g.in[j]);
        }
        const std::byte* from = this->displaced(g.rows.from[j], has.first * this->in_step_[j][this->axes_ - 1]);
        T* to = g.in[j] + has.first;
        for (std::size_t r = 0; r < g.count; ++r, from += this->in_step_[j][this->axes_ - 2], to += length())
            this->pack_[j](from, 0, 1, this->in_stride[j][this->axes_ - 1], static_cast<std::size_t>(has.last - has.first), to);
        return g.in[j];
    }
    [[nodiscard]] bool is_last_along_axis(const group& g) const { return g.rows.at[this->axes_ - 2] + g.count == this->size[this->axes_ - 2]; }
    void count_rows(group& g) const { g.count = std::min(together_, this->size[this->axes_ - 2] - g.rows.at[this->axes_ - 2]); }

    std::size_t together_ = 0; ///< rows
};

} // namespace dyad
