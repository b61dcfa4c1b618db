// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// One loop of a plan over its space: axes that lie one after the other in all arrays become one, the last axis is
// the inner loop, the others count. The work is cut into units, blocks of rows, in an order that does not depend
// on the number of threads: so the sums do not either.
#pragma once

#include <dyad/kernel/workspace.hpp>
#include <dyad/kernel/partial_loop.hpp>
#include <dyad/kernel/threads.hpp>
#include <dyad/pass/loop_body.hpp>

namespace dyad {

/// `Code` is an array_program::loop of at least one axis.
template <class Code, bool Fast, class T>
class nest {
public:
    static constexpr unsigned rank = Code::rank;
    static constexpr std::size_t loads = Code::loads, stores = Code::stores, places = Code::places;

    std::size_t size[rank];
    const void* in[loads + 1];
    std::ptrdiff_t in_stride[loads + 1][rank];
    T* out[stores + 1];
    std::ptrdiff_t out_stride[stores + 1][rank];
    std::size_t out_count[stores + 1];
    element_range range[places][rank]; ///< the elements that are there, by placement and axis

    /// Whether the loop is one short run over elements side by side: `stride(j)` is that of input j, `same_type` whether
    /// all elements are T.
    template <class Stride>
    DYAD_INLINE static bool is_short(std::size_t n, bool same_type, const Stride& stride) {
        if constexpr (rank == 1) {
            bool unit = same_type && n <= block_size && n > 0;
            for (std::size_t j = 0; j < loads; ++j) unit = unit && (!shape.input_walks[j] || stride(j) == 1);
            return unit;
        } else {
            return false;
        }
    }
    /// That run.
    DYAD_INLINE static void run_short(std::size_t n, const T* const* from, T* const* to, const element_range* has) { run_inner(n, from, to, has); }

    template <std::size_t J, class E>
    DYAD_INLINE void set_element() {
        width_[J] = sizeof(E);
        converts_[J] = !std::is_same_v<E, T>;
        pack_[J] = [](const void* from, std::ptrdiff_t stride, std::size_t n, T* to) {
            const E* p = static_cast<const E*>(from);
            for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<T>(p[static_cast<std::ptrdiff_t>(i) * stride]);
        };
    }

    void run() {
        merge_axes();
        prepare();
        const std::size_t units = rows_ * blocks_;
        thread_pool& pool = thread_pool::shared();
        if (pool.size() > 1 && splits_ && units > 1 && rows_ * size[axes_ - 1] >= 32768) {
            run_parallel(pool, units);
        } else {
            run_units(0, units, [&]<std::size_t K>(std::size_t, T x) DYAD_INLINE_LAMBDA { std::get<K>(totals_).add(x); });
        }
        for_each_store([&]<std::size_t K>() {
            if constexpr (whole<K>) *out[K] = std::get<K>(totals_).total();
        });
    }

private:
    static constexpr unsigned last_axis = rank - 1;
    static constexpr loop_shape<loads, stores> shape = [] {
        loop_shape<loads, stores> s;
        for (std::size_t j = 0; j < loads; ++j) {
            s.input_walks[j] = Code::table.loaded[j].axes.of[last_axis] != axis_map::none;
            s.place[j] = static_cast<std::uint8_t>(Code::table.loaded[j].place);
            s.is_mask[j] = Code::table.loaded[j].node == no_node;
        }
        for (std::size_t k = 0; k < stores; ++k) {
            s.output_walks[k] = Code::table.kept[k].axes.of[last_axis] != axis_map::none;
            s.how[k] = keeping_of(Code::table.kept[k].how);
        }
        return s;
    }();
    /// Accumulates over the whole space: its total is a number.
    template <std::size_t K>
    static constexpr bool whole = [] {
        bool any = shape.how[K] == keeping::store;
        for (unsigned a = 0; a < rank; ++a) any = any || Code::table.kept[K].axes.of[a] != axis_map::none;
        return !any;
    }();
    /// Accumulates along the last axis, for each row.
    template <std::size_t K>
    static constexpr bool by_row = shape.how[K] != keeping::store && !shape.output_walks[K] && !whole<K>;
    /// Has a place for each element.
    template <std::size_t K>
    static constexpr bool stores_all = shape.how[K] == keeping::store;
    using vector_type = typename widest<T, Fast>::type;
    DYAD_INLINE static void run_inner(std::size_t n, const T* const* in, T* const* out, [[maybe_unused]] const element_range* has) {
        if constexpr (places > 1) {
            using around = typename Code::template kernel_for<extent_of_body::anywhere>;
            partial_loop<typename Code::kernel, around, shape, T, vector_type, loads, places>::run(n, in, out, has);
        } else {
            inner_loop<typename Code::kernel, shape, T, vector_type, loads>::run(n, in, out);
        }
    }
    /// Some input has no elements for some of axis a.
    static constexpr bool is_cut(unsigned a) {
        for (const placement& p : Code::table.placed) {
            if (p.within[a] != no_node) return true;
        }
        return false;
    }

    // (Short enough that sums of floats keep six digits.)
    static constexpr std::size_t block_size = std::is_same_v<T, float> ? 128 * lane_count<vector_type> : 2048;
    static constexpr std::size_t packed_block_size = 256, staged_block_size = 256;
    static constexpr std::size_t stage_size = staged_block_size + 64; // with what waits for its vector to be full
    static constexpr std::size_t streaming_bytes = 32U << 20; // more than stays in a cache until somebody reads it

    template <class F>
    static void for_each_store(F&& f) {
        [&]<std::size_t... K>(std::index_sequence<K...>) { (f.template operator()<K>(), ...); }(std::make_index_sequence<stores>{});
    }

    void merge_axes() {
        axes_ = 1;
        for (unsigned a = 1; a < rank; ++a) { // axis a goes with the axis before it, or stands alone
            const auto together = [&](const std::ptrdiff_t* s) { return s[axes_ - 1] == s[a] * static_cast<std::ptrdiff_t>(size[a]); };
            bool one = !is_cut(a) && !is_cut(a - 1);
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
    void prepare() {
        rows_ = 1;
        for (unsigned a = 0; a + 1 < axes_; ++a) rows_ *= size[a];
        const std::size_t n = size[axes_ - 1];
        bool packs = false;
        for (std::size_t j = 0; j < loads; ++j) {
            for (unsigned a = 0; a < axes_; ++a) in_step_[j][a] = in_stride[j][a] * static_cast<std::ptrdiff_t>(width_[j]);
            packed_[j] = converts_[j] || (shape.input_walks[j] && in_stride[j][axes_ - 1] != 1);
            packs = packs || (packed_[j] && shape.input_walks[j]);
        }
        std::size_t stored = 0; // bytes
        for (std::size_t k = 0; k < stores; ++k) stored += shape.how[k] == keeping::store ? rows_ * n * sizeof(T) : 0;
        streams_ = lane_count<vector_type> > 1 && stored >= streaming_bytes && n >= staged_block_size;
        block_ = packs ? packed_block_size : streams_ ? staged_block_size : block_size;
        blocks_ = (n + block_ - 1) / block_;
        splits_ = true;
        for_each_store([&]<std::size_t K>() {
            if constexpr (shape.how[K] == keeping::largest || shape.how[K] == keeping::smallest) {
                if (rows_ * n == 0 && out_count[K] > 0)
                    throw value_error("[dyad] max, min: there are no elements to choose from");
            }
            if constexpr (shape.how[K] != keeping::store && !whole<K>) {
                std::fill_n(out[K], out_count[K], neutral<T>(shape.how[K]));
                splits_ = false;
            }
        });
    }

    void run_parallel(thread_pool& pool, std::size_t units) {
        workspace::frame frame;
        T* const partial = frame.template take<T>(units * stores);
        const std::size_t share = (units + pool.size() - 1) / pool.size();
        pool.run([&](std::size_t thread) {
            const std::size_t first = thread * share < units ? thread * share : units;
            const std::size_t last = first + share < units ? first + share : units;
            run_units(first, last, [&]<std::size_t K>(std::size_t unit, T x) { partial[unit * stores + K] = x; });
        });
        for_each_store([&]<std::size_t K>() {
            for (std::size_t u = 0; u < units && whole<K>; ++u) std::get<K>(totals_).add(partial[u * stores + K]);
        });
    }

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
    DYAD_INLINE void go_on(row& r) const {
        for (unsigned a = axes_ - 1; a-- > 0;) {
            const bool over = ++r.at[a] == size[a];
            const std::ptrdiff_t by = over ? 1 - static_cast<std::ptrdiff_t>(size[a]) : 1;
            for (std::size_t j = 0; j < loads; ++j) r.from[j] = displaced(r.from[j], by * in_step_[j][a]);
            for (std::size_t k = 0; k < stores; ++k) r.to[k] += by * out_stride[k][a];
            if (!over) break;
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

    /// Units first to last; whole<K> partial results go to keep<K>(unit, result).
    template <class Keep>
    DYAD_INLINE void run_units(std::size_t first, std::size_t last, const Keep& keep) const {
        if (first >= last) return;
        T buffer[loads + 1][packed_block_size];
        workspace::frame frame;
        T* const staged = streams_ ? frame.template take<T>(stage_size * stores) : nullptr;
        std::size_t waiting[stores + 1] = {};
        std::size_t block = first % blocks_;
        row r = row_number(first / blocks_);
        for (std::size_t unit = first; unit < last;) {
            for (; block < blocks_ && unit < last; ++block, ++unit) {
                T total[stores + 1];
                run_block(r, block, buffer, staged, waiting, total);
                for_each_store([&]<std::size_t K>() DYAD_INLINE_LAMBDA {
                    if constexpr (whole<K>) keep.template operator()<K>(unit, total[K]);
                    if constexpr (by_row<K>) *r.to[K] = combined<shape.how[K]>(*r.to[K], total[K]);
                });
            }
            for (std::size_t k = 0; k < stores && streams_; ++k) {
                const std::size_t done = block * block_ < size[axes_ - 1] ? block * block_ : size[axes_ - 1];
                std::copy_n(staged + k * stage_size, waiting[k], r.to[k] + (done - waiting[k]));
                waiting[k] = 0;
            }
            block = 0;
            go_on(r);
        }
        if constexpr (lane_count<vector_type> > 1) {
            if (streams_) vector_type::fence();
        }
    }
    /// One block of a row; what accumulates goes to `total`. What is to pass by the caches goes through `staged`, where
    /// the elements that do not fill a vector wait for the next block.
    DYAD_INLINE void run_block(const row& r, std::size_t block, T (*buffer)[packed_block_size], T* staged, std::size_t* waiting, T* total) const {
        const std::size_t n = size[axes_ - 1], start = block * block_, count = n - start < block_ ? n - start : block_;
        element_range has[places];
        for (std::size_t p = 0; p < places && places > 1; ++p) has[p] = r.has[p].after(static_cast<std::ptrdiff_t>(start));
        const T* x[loads + 1];
        x[loads] = nullptr; // (without inputs g++ would call it uninitialised)
        T* y[stores + 1];
        for (std::size_t j = 0; j < loads; ++j) {
            const std::byte* const from = displaced(r.from[j], shape.input_walks[j] ? static_cast<std::ptrdiff_t>(start) * in_step_[j][axes_ - 1] : 0);
            x[j] = reinterpret_cast<const T*>(from);
            if (!packed_[j]) continue;
            x[j] = buffer[j];
            pack(j, from, shape.input_walks[j] ? count : 1, has[shape.place[j]], buffer[j]);
        }
        for_each_store([&]<std::size_t K>() DYAD_INLINE_LAMBDA {
            y[K] = whole<K> || by_row<K> ? &total[K] : stores_all<K> && staged != nullptr ? staged + K * stage_size + waiting[K] : r.to[K] + start;
        });
        run_inner(count, x, y, has);
        if constexpr (lane_count<vector_type> > 1) {
            if (staged == nullptr) return;
            for_each_store([&]<std::size_t K>() {
                if constexpr (stores_all<K>) {
                    T* const stage = staged + K * stage_size;
                    const std::size_t full = waiting[K] + count, done = vector_type::stream(stage, full, r.to[K] + start - waiting[K]);
                    std::copy(stage + done, stage + full, stage);
                    waiting[K] = full - done;
                }
            });
        }
    }

    /// An address so many bytes on: of an element, or of one that is not there and is not read.
    static const std::byte* displaced(const std::byte* p, std::ptrdiff_t bytes) {
        if constexpr (places == 1) return p + bytes;
        return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(bytes));
    }
    /// The elements of input j, as far as there are, as T side by side.
    void pack(std::size_t j, const std::byte* from, std::size_t count, [[maybe_unused]] element_range has, T* to) const {
        const std::ptrdiff_t stride = shape.input_walks[j] ? in_stride[j][axes_ - 1] : 0;
        if constexpr (places == 1) {
            pack_[j](from, stride, count, to);
        } else {
            if (shape.input_walks[j]) has = has & element_range{0, static_cast<std::ptrdiff_t>(count)};
            if (!shape.input_walks[j]) has = has.first < has.last ? element_range{0, 1} : element_range{};
            std::fill_n(to, count, T(0));
            if (has.first >= has.last) return;
            const std::byte* const first = displaced(from, has.first * stride * static_cast<std::ptrdiff_t>(width_[j]));
            pack_[j](first, stride, static_cast<std::size_t>(has.last - has.first), to + has.first);
        }
    }

    template <std::size_t... K>
    static auto totals_type(std::index_sequence<K...>) -> std::tuple<pairwise<T, shape.how[K]>...>;
    decltype(totals_type(std::make_index_sequence<stores>{})) totals_;
    std::size_t width_[loads + 1];
    std::ptrdiff_t in_step_[loads + 1][rank]; ///< strides in bytes
    bool converts_[loads + 1], packed_[loads + 1], splits_ = true, streams_ = false;
    void (*pack_[loads + 1])(const void*, std::ptrdiff_t, std::size_t, T*);
    unsigned axes_ = rank;
    std::size_t rows_ = 1, block_ = 1, blocks_ = 1;
};

} // namespace dyad
