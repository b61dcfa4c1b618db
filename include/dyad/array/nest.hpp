// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// One loop of a plan over its space: axes that lie one after the other in all arrays become one, the last axis is
// the inner loop, the others count. The work is cut into units, blocks of rows, in an order that does not depend
// on the number of threads: so the sums do not either.
#pragma once

#include <dyad/array/workspace.hpp>
#include <dyad/kernel/loop.hpp>
#include <dyad/kernel/threads.hpp>
#include <dyad/pass/loop_body.hpp>

namespace dyad {

constexpr keeping keeping_of(opcode op) {
    switch (op) {
    case opcode::reduce_sum: return keeping::sum;
    case opcode::reduce_prod: return keeping::product;
    case opcode::reduce_max: return keeping::largest;
    case opcode::reduce_min: return keeping::smallest;
    default: return keeping::store;
    }
}

/// `Code` is an array_program::loop.
template <class Code, bool Fast, class T>
class nest {
public:
    static constexpr unsigned rank = Code::rank;
    static constexpr std::size_t loads = Code::loads, stores = Code::stores;

    std::size_t size[rank + 1];
    const void* in[loads + 1];
    std::ptrdiff_t in_stride[loads + 1][rank + 1];
    T* out[stores + 1];
    std::ptrdiff_t out_stride[stores + 1][rank + 1];
    std::size_t out_count[stores + 1];

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
    DYAD_INLINE static void run_short(std::size_t n, const T* const* from, T* const* to) { inner::run(n, from, to); }

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
        if constexpr (rank == 0) {
            T x[loads + 1];
            for (std::size_t j = 0; j < loads; ++j) pack_[j](in[j], 0, 1, &x[j]);
            const std::array<T, stores> y = Code::kernel::template run<T>(x);
            for (std::size_t k = 0; k < stores; ++k) *out[k] = y[k];
        } else {
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
    }

private:
    static constexpr unsigned last_axis = rank == 0 ? 0 : rank - 1;
    static constexpr loop_shape<loads, stores> shape = [] {
        loop_shape<loads, stores> s;
        for (std::size_t j = 0; j < loads; ++j) s.input_walks[j] = Code::table.loaded[j].axes.of[last_axis] != axis_map::none;
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
    using vector_type = typename widest<T, Fast>::type;
    using inner = inner_loop<typename Code::kernel, shape, T, vector_type, loads>;

    // (Short enough that sums of floats keep six digits.)
    static constexpr std::size_t block_size = std::is_same_v<T, float> ? 128 * lane_count<vector_type> : 2048;
    static constexpr std::size_t packed_block_size = 256;
    static constexpr std::size_t streaming_bytes = 32U << 20; // more than stays in a cache until somebody reads it

    template <class F>
    static void for_each_store(F&& f) {
        [&]<std::size_t... K>(std::index_sequence<K...>) { (f.template operator()<K>(), ...); }(std::make_index_sequence<stores>{});
    }

    void merge_axes() {
        axes_ = 1;
        for (unsigned a = 1; a < rank; ++a) { // axis a goes with the axis before it, or stands alone
            const auto together = [&](const std::ptrdiff_t* s) { return s[axes_ - 1] == s[a] * static_cast<std::ptrdiff_t>(size[a]); };
            bool one = true;
            for (std::size_t j = 0; j < loads; ++j) one = one && together(in_stride[j]);
            for (std::size_t k = 0; k < stores; ++k) one = one && together(out_stride[k]);
            // An input that does not walk along the last axis must not begin to.
            const unsigned to = one ? axes_ - 1 : axes_++;
            size[to] = one ? size[to] * size[a] : size[a];
            for (std::size_t j = 0; j < loads; ++j) in_stride[j][to] = in_stride[j][a];
            for (std::size_t k = 0; k < stores; ++k) out_stride[k][to] = out_stride[k][a];
        }
    }
    void prepare() {
        rows_ = 1;
        for (unsigned a = 0; a + 1 < axes_; ++a) rows_ *= size[a];
        const std::size_t n = size[axes_ - 1];
        bool packs = false;
        for (std::size_t j = 0; j < loads; ++j) {
            packed_[j] = shape.input_walks[j] && (in_stride[j][axes_ - 1] != 1 || converts_[j]);
            packs = packs || packed_[j];
        }
        block_ = packs ? packed_block_size : block_size;
        std::size_t stored = 0; // bytes
        for (std::size_t k = 0; k < stores; ++k) stored += shape.how[k] == keeping::store ? rows_ * n * sizeof(T) : 0;
        streams_ = stored >= streaming_bytes;
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
        workspace::frame frame(workspace::of_thread());
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

    /// Units first to last; whole<K> partial results go to keep<K>(unit, result).
    template <class Keep>
    DYAD_INLINE void run_units(std::size_t first, std::size_t last, const Keep& keep) const {
        const std::size_t n = size[axes_ - 1];
        std::size_t row = blocks_ == 0 ? 0 : first / blocks_, block = blocks_ == 0 ? 0 : first % blocks_;
        std::size_t at[rank] = {};
        for (std::size_t a = axes_ - 1, rest = row; a-- > 0 && rest > 0;) {
            at[a] = rest % size[a];
            rest /= size[a];
        }
        T buffer[loads + 1][packed_block_size];
        if (first == last) return;
        for (std::size_t unit = first; unit < last;) {
            const std::byte* from[loads + 1];
            T* to[stores + 1];
            for (std::size_t j = 0; j < loads; ++j) {
                std::ptrdiff_t offset = 0;
                for (unsigned a = 0; a + 1 < axes_; ++a) offset += static_cast<std::ptrdiff_t>(at[a]) * in_stride[j][a];
                from[j] = static_cast<const std::byte*>(in[j]) + offset * static_cast<std::ptrdiff_t>(width_[j]);
                if (!shape.input_walks[j] && converts_[j]) pack_[j](from[j], 0, 1, buffer[j]);
            }
            for (std::size_t k = 0; k < stores; ++k) {
                std::ptrdiff_t offset = 0;
                for (unsigned a = 0; a + 1 < axes_; ++a) offset += static_cast<std::ptrdiff_t>(at[a]) * out_stride[k][a];
                to[k] = out[k] + offset;
            }
            for (; block < blocks_ && unit < last; ++block, ++unit) {
                const std::size_t start = block * block_, count = n - start < block_ ? n - start : block_;
                const T* x[loads + 1];
                T* y[stores + 1];
                T partial[stores + 1];
                for (std::size_t j = 0; j < loads; ++j) {
                    const auto skip = static_cast<std::ptrdiff_t>(start) * in_stride[j][axes_ - 1] * static_cast<std::ptrdiff_t>(width_[j]);
                    if (packed_[j]) pack_[j](from[j] + skip, in_stride[j][axes_ - 1], count, buffer[j]);
                    const bool buffered = packed_[j] || (!shape.input_walks[j] && converts_[j]);
                    x[j] = buffered ? buffer[j] : reinterpret_cast<const T*>(from[j] + (shape.input_walks[j] ? skip : 0));
                }
                for_each_store([&]<std::size_t K>() DYAD_INLINE_LAMBDA { y[K] = whole<K> || by_row<K> ? &partial[K] : to[K] + start; });
                inner::run(count, x, y, streams_);
                for_each_store([&]<std::size_t K>() DYAD_INLINE_LAMBDA {
                    if constexpr (whole<K>) keep.template operator()<K>(unit, partial[K]);
                    if constexpr (by_row<K>) *to[K] = combined<shape.how[K]>(*to[K], partial[K]);
                });
            }
            block = 0;
            for (std::size_t a = axes_ - 1; a-- > 0;) {
                if (++at[a] < size[a]) break;
                at[a] = 0;
            }
        }
    }

    template <std::size_t... K>
    static auto totals_type(std::index_sequence<K...>) -> std::tuple<pairwise<T, shape.how[K]>...>;
    decltype(totals_type(std::make_index_sequence<stores>{})) totals_;
    std::size_t width_[loads + 1];
    bool converts_[loads + 1], packed_[loads + 1], splits_ = true, streams_ = false;
    void (*pack_[loads + 1])(const void*, std::ptrdiff_t, std::size_t, T*);
    unsigned axes_ = rank;
    std::size_t rows_ = 1, block_ = 1, blocks_ = 1;
};

} // namespace dyad
