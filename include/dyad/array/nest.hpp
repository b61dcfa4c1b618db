// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// One loop of a plan over its space: axes that lie one after the other in all arrays become one, the last axis is
// the inner loop, the others count. The work is cut into units, blocks of rows, in an order that does not depend
// on the number of threads: so the sums do not either.
#pragma once

#include <dyad/array/row_groups.hpp>
#include <dyad/kernel/band_loop.hpp>
#include <dyad/kernel/threads.hpp>
#include <dyad/kernel/workspace.hpp>
#include <dyad/pass/loop_body.hpp>

namespace dyad {

/// How the units of a loop are shared out and their totals added: one class for all loops of one space.
template <class T, unsigned Rank, std::size_t Loads, std::size_t Stores, std::size_t Places>
class shared_nest : public row_groups<T, Rank, Loads, Stores, Places> {
    using space = row_groups<T, Rank, Loads, Stores, Places>;

protected:
    /// Units first to last. Numbers that accumulate go to `partial`, `stores` for each unit, or if that is null to the totals.
    using unit_runner = void (*)(shared_nest& of, std::size_t first, std::size_t last, T* partial);

    void run_all(const typename space::facts_of_loop& facts, unit_runner run_units) {
        this->merge_axes(facts);
        this->prepare(facts);
        if constexpr (Rank > 1) {
            if (facts.in_groups) this->group_rows(facts.lanes);
        }
        thread_pool& pool = thread_pool::shared();
        if (pool.size() > 1 && this->is_worth_sharing()) {
            run_parallel(facts, run_units, pool);
        } else {
            run_units(*this, 0, this->units(), nullptr);
        }
        for (std::size_t k = 0; k < Stores; ++k) {
            if (facts.whole[k]) *this->out[k] = totals_[k].total(facts.shape.how[k]);
        }
    }

    pairwise<T> totals_[Stores];

private:
    void run_parallel(const typename space::facts_of_loop& facts, unit_runner run_units, thread_pool& pool) {
        const std::size_t units = this->units();
        workspace::frame frame;
        T* const partial = frame.template take<T>(units * Stores);
        pool.run([&](std::size_t part, std::size_t parts) { run_units(*this, units * part / parts, units * (part + 1) / parts, partial); });
        for (std::size_t k = 0; k < Stores; ++k) {
            for (std::size_t u = 0; u < units && facts.whole[k]; ++u) totals_[k].add(facts.shape.how[k], partial[u * Stores + k]);
        }
    }
};

/// `Code` is an array_program::loop of at least one axis.
template <class Code, bool Fast, class T>
class nest : public shared_nest<T, Code::rank, Code::loads, Code::stores, Code::places> {
    using space = shared_nest<T, Code::rank, Code::loads, Code::stores, Code::places>;

public:
    // (Of its own: g++ 12 does not find inherited names in lambdas.)
    static constexpr unsigned rank = Code::rank;
    static constexpr std::size_t loads = Code::loads, stores = Code::stores, places = Code::places;
    using space::size;

    /// So many elements side by side are one run.
    static constexpr std::size_t longest_short_run = summed_at_once<T>(lane_count<typename widest<T, Fast>::type>);
    /// Whether the loop is such a run: `stride(j)` is that of input j, `same_type` whether all elements are T.
    template <class Stride>
    DYAD_INLINE static bool is_short(std::size_t n, bool same_type, const Stride& stride) {
        if constexpr (rank == 1) {
            bool unit = same_type && n <= longest_short_run && n > 0;
            for (std::size_t k = 0; k < stores; ++k) unit = unit && (shape.how[k] == keeping::store || facts.whole[k]); // (else memory is to be prepared)
            for (std::size_t j = 0; j < loads; ++j) unit = unit && (!shape.input_walks[j] || stride(j) == 1);
            return unit;
        } else {
            return false;
        }
    }
    /// That run.
    DYAD_INLINE static void run_short(std::size_t n, const T* const* from, T* const* to, const element_range* has) { run_inner(n, from, to, has); }
    /// The same where `has.operator()<P>()`, the elements of placement P, is known but for n.
    template <class Ranges>
    DYAD_INLINE static void run_known(std::size_t n, const T* const* from, T* const* to, const Ranges& has) {
        if constexpr (places > 1) {
            partial_inner::run_over(n, from, to, has);
        } else {
            inner::run(n, from, to);
        }
    }
    /// The same over arrays in registers (kernel/short_arrays.hpp), if all have all elements; to the same bits.
    template <auto From, auto To, class Arrays>
    DYAD_INLINE static void run_in_registers(Arrays& arrays, const T* same, T* total) {
        arrays.template run<typename Code::kernel, shape, From, To>(same, total);
    }

    void run() {
        this->run_all(facts, [](space& of, std::size_t first, std::size_t last, T* partial) { static_cast<nest&>(of).run_units(first, last, partial); });
    }

private:
    using space::axes_, space::block_, space::blocks_, space::in_step_, space::packed_, space::packed_block_size, space::streams_, space::totals_;
    using typename space::row;
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
    using vector_type = typename widest<T, Fast>::type;
    using inner = inner_loop<typename Code::kernel, shape, T, vector_type, loads>;
    using around = typename Code::template kernel_for<(places > 1 ? extent_of_body::anywhere : extent_of_body::inside)>;
    using partial_inner = partial_loop<typename Code::kernel, around, shape, T, vector_type, loads, places>;
    /// Whether short rows are put together: where there are vectors, and all rows have the same elements.
    static constexpr bool in_groups = rank > 1 && lane_count<vector_type> > 1 && [] {
        bool same = true;
        for (std::size_t p = 0; p < places; ++p) {
            for (unsigned a = 0; a < last_axis; ++a) same = same && Code::table.placed[p].within[a] == no_node;
        }
        return same;
    }();
    static constexpr loop_facts<rank, loads, stores> facts = [] {
        loop_facts<rank, loads, stores> f{shape};
        f.lanes = lane_count<vector_type>;
        f.streams = inner::streams;
        f.in_groups = in_groups;
        for (std::size_t k = 0; k < stores; ++k) {
            f.whole[k] = shape.how[k] != keeping::store;
            for (unsigned a = 0; a < rank; ++a) f.whole[k] = f.whole[k] && Code::table.kept[k].axes.of[a] == axis_map::none;
        }
        for (unsigned a = 0; a < rank; ++a) {
            for (std::size_t p = 0; p < places; ++p) f.is_cut[a] = f.is_cut[a] || Code::table.placed[p].within[a] != no_node;
        }
        return f;
    }();
    using bands = band_loop<typename Code::kernel, shape, T, vector_type, loads>;
    static constexpr bool in_bands = bands::applies && places == 1 && rank > 1;
    /// Accumulates along the last axis: over the whole space, to a number, or for each row.
    template <std::size_t K>
    static constexpr bool accumulates = shape.how[K] != keeping::store && !shape.output_walks[K];
    /// Whether an input has several elements.
    static constexpr auto varies = [] {
        std::array<bool, loads + 1> some{};
        for (std::size_t j = 0; j < loads; ++j) some[j] = !(Code::table.loaded[j].axes == axis_map{});
        return some;
    }();
    using grouped_inner = inner_loop<around, shape_of_group(facts, varies), T, vector_type, loads>;
    using every_store = std::make_index_sequence<stores>;
    template <bool Stream = false>
    DYAD_INLINE static void run_inner(std::size_t n, const T* const* from, T* const* to, [[maybe_unused]] const element_range* has) {
        if constexpr (places > 1) {
            partial_inner::template run<Stream>(n, from, to, has);
        } else {
            inner::template run<Stream>(n, from, to);
        }
    }

    /// The same as a function of its own: beside the buffers of its caller, 4 KiB of stack and more, the numbers that wait for a call of
    /// exp cost more (measured on a Zen 5, 6 % of exp(x) sin(x); presumably such slots are renamed only near the frame's address).
    template <bool Stream = false>
    [[gnu::noinline]] static void run_apart(std::size_t n, const T* const* from, T* const* to, const element_range* has) {
        run_inner<Stream>(n, from, to, has);
    }

    void run_units(std::size_t first, std::size_t last, T* partial) {
        if (first >= last) return;
        if constexpr (in_groups) {
            if (this->is_grouped()) return run_groups(first, last, partial);
        }
        this->is_plain() ? run_rows(first, last, partial) : run_blocks(first, last, partial);
    }
    /// Units that are groups of short rows.
    void run_groups(std::size_t first, std::size_t last, T* partial) {
        typename space::group g;
        this->begin(g, first);
        run_groups_from(g, last, partial, std::make_index_sequence<loads>{}, every_store{});
    }
    template <std::size_t... J, std::size_t... K>
    DYAD_INLINE void run_groups_from(typename space::group& g, std::size_t last, T* partial, std::index_sequence<J...>, std::index_sequence<K...>) {
        (std::fill_n(g.out[K], space::group_size, neutral<T>(shape.how[K])), ...);
        for (; g.unit < last; this->next(g)) {
            T total[stores + 1];
            const T* const x[] = {this->input_of_group(shape, J, varies[J], g)..., nullptr};
            T* const y[] = {(facts.whole[K] ? &total[K] : shape.output_walks[K] && this->is_in_place(K) ? g.rows.to[K] : g.out[K])...};
            grouped_inner::run(g.count * this->length(), x, y);
            (finish_group<K>(g, total, partial), ...);
        }
    }
    template <std::size_t K>
    DYAD_INLINE void finish_group(typename space::group& g, [[maybe_unused]] const T* total, [[maybe_unused]] T* partial) {
        if constexpr (facts.whole[K]) {
            add_to_total<K>(g.unit, total[K], partial);
        } else if constexpr (accumulates<K>) {
            accumulate_rows<shape.how[K]>(g.out[K], g.count, this->length(), g.rows.to[K], this->out_stride[K][axes_ - 2]);
        } else {
            if (!this->is_in_place(K)) this->template deliver<shape.how[K]>(K, g);
        }
    }
    /// What a unit has accumulated goes to its row or to the totals.
    template <std::size_t... K>
    DYAD_INLINE void keep_totals(const row& r, std::size_t unit, const T* total, T* partial, std::index_sequence<K...>) {
        (keep_total<K>(r, unit, total, partial), ...);
    }
    template <std::size_t K>
    DYAD_INLINE void keep_total([[maybe_unused]] const row& r, [[maybe_unused]] std::size_t unit, [[maybe_unused]] const T* total, [[maybe_unused]] T* partial) {
        if constexpr (facts.whole[K]) {
            add_to_total<K>(unit, total[K], partial);
        } else if constexpr (accumulates<K>) {
            *r.to[K] = combined<shape.how[K]>(*r.to[K], total[K]);
        }
    }
    template <std::size_t K>
    DYAD_INLINE void add_to_total(std::size_t unit, T total, T* partial) {
        if (partial != nullptr) partial[unit * stores + K] = total;
        else totals_[K].add(shape.how[K], total);
    }
    /// Where a unit from element `start` of a row on puts its outputs.
    template <std::size_t... K>
    DYAD_INLINE static void find_targets(const row& r, std::size_t start, T* total, T** y, std::index_sequence<K...>) {
        ((y[K] = accumulates<K> ? &total[K] : r.to[K] + start), ...);
    }
    /// Units that are whole rows, read and written where they are: for short rows it matters how little is done for each.
    DYAD_INLINE void run_rows(std::size_t first, std::size_t last, T* partial) {
        const std::size_t n = size[axes_ - 1];
        row r = this->row_number(first);
        for (std::size_t unit = first; unit < last; ++unit, this->go_on(r)) {
            if constexpr (in_bands) {
                for (; last - unit >= bands::rows && this->accumulates_over(r, bands::rows, shape); unit += bands::rows, this->go_on(r, bands::rows)) run_band(n, r);
                if (unit == last) break;
            }
            T total[stores + 1];
            const T* x[loads + 1];
            x[loads] = nullptr; // (without inputs g++ would call it uninitialised)
            T* y[stores + 1];
            for (std::size_t j = 0; j < loads; ++j) x[j] = reinterpret_cast<const T*>(r.from[j]);
            find_targets(r, 0, total, y, every_store{});
            run_inner(n, x, y, r.has);
            keep_totals(r, unit, total, partial, every_store{});
        }
    }
    /// Some rows at once, over which the outputs accumulate.
    DYAD_INLINE void run_band(std::size_t n, const row& r) const {
        const T* x[loads + 1];
        T* y[stores + 1];
        std::ptrdiff_t in_step[loads + 1], out_step[stores + 1];
        x[loads] = nullptr, in_step[loads] = 0; // (as above)
        for (std::size_t j = 0; j < loads; ++j) {
            x[j] = reinterpret_cast<const T*>(r.from[j]);
            in_step[j] = this->in_stride[j][axes_ - 2];
        }
        for (std::size_t k = 0; k < stores; ++k) {
            y[k] = r.to[k];
            out_step[k] = this->out_stride[k][axes_ - 2];
        }
        bands::run(n, x, in_step, y, out_step);
    }
    void run_blocks(std::size_t first, std::size_t last, T* partial) {
        T buffer[loads + 1][packed_block_size];
        std::size_t block = first % blocks_;
        row r = this->row_number(first / blocks_);
        for (std::size_t unit = first; unit < last;) {
            for (; block < blocks_ && unit < last; ++block, ++unit) {
                T total[stores + 1];
                run_block(r, block, buffer, total);
                keep_totals(r, unit, total, partial, every_store{});
            }
            block = 0;
            this->go_on(r);
        }
        if constexpr (inner::streams) {
            if (streams_) line_stream<vector_type>::fence();
        }
    }
    /// One block of a row; what accumulates goes to `total`.
    DYAD_INLINE void run_block(const row& r, std::size_t block, T (*buffer)[packed_block_size], T* total) const {
        const std::size_t n = size[axes_ - 1], start = block * block_, count = n - start < block_ ? n - start : block_;
        element_range has[places];
        for (std::size_t p = 0; p < places && places > 1; ++p) has[p] = r.has[p].after(static_cast<std::ptrdiff_t>(start));
        const T* x[loads + 1];
        x[loads] = nullptr; // (without inputs g++ would call it uninitialised)
        T* y[stores + 1];
        for (std::size_t j = 0; j < loads; ++j) {
            const std::byte* const from = this->displaced(r.from[j], shape.input_walks[j] ? static_cast<std::ptrdiff_t>(start) * in_step_[j][axes_ - 1] : 0);
            x[j] = reinterpret_cast<const T*>(from);
            if (!packed_[j]) continue;
            x[j] = buffer[j];
            this->pack(j, shape.input_walks[j], from, shape.input_walks[j] ? count : 1, has[shape.place[j]], buffer[j]);
        }
        find_targets(r, start, total, y, every_store{});
        if constexpr (inner::streams) {
            if (streams_) return run_apart<true>(count, x, y, has);
        }
        run_apart(count, x, y, has);
    }
};

} // namespace dyad
