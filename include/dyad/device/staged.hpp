// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// From a loop to its kernels: a map, or a loop kernel, and where its steps are shared by several blocks those that combine
// their sums. A map of more operations than registers can hold becomes two.
#pragma once

#include <dyad/device/buffer.hpp>
#include <dyad/device/geometry.hpp>
#include <dyad/device/grid.hpp>
#include <dyad/pass/cut.hpp>

namespace dyad::device {

/// The most operations of a map: 300 take 245 registers, a thousand spill two kilobytes.
inline constexpr std::size_t most_operations = 300;

template <class Arguments, class T>
void set_geometry(Arguments& a, const geometry& g, T* partial) {
    a.outputs = g.outputs;
    a.length = g.length;
    a.chunk = g.chunk;
    a.chunks = g.chunks;
    a.wide = g.wide;
    a.along = g.along;
    a.partial = partial;
}

/// How totals are finished, where nobody says otherwise.
struct finish_on_device {
    template <class Part, class T>
    void operator()(Part part, const finish_arguments<T>& a) const {
        run_finish<T>(part, a);
    }
};

template <class Words, class In, class... Out, class Arguments, class Finish = finish_on_device>
void run_and_finish(Words program, In in, parts<Out...> out, const Arguments& a, const Finish& finish_one = {}) {
    using T = typename Arguments::value_type;
    run_loop(program, in, out, a);
    if (a.chunks == 1) return;
    const unsigned wide = power_of_two_from(a.outputs < 32 ? a.outputs : 32);
    std::size_t k = 0;
    const auto finish = [&]<class Part>(Part part) {
        if constexpr (is_accumulated<Part>) finish_one(part, finish_arguments<T>{a.partial + k * a.chunks * a.outputs, a.out[k], a.outputs, a.chunks, wide});
        ++k;
    };
    (finish(Out{}), ...);
}

/// Whether two kernels are better than one: not where so many values pass from one to the other by memory that registers
/// that spill cost less.
template <class Source>
constexpr bool is_cut() {
    if constexpr (Source::graph.view().size > most_operations && encoded_regions<Source>::count == 0) {
        return program_cut<Source>::passing * 16 <= Source::graph.view().size;
    } else {
        return false;
    }
}

template <bool Wanted, class Part>
constexpr auto part_if(Part part) {
    if constexpr (Wanted) {
        return part;
    } else {
        return left_out{};
    }
}

/// The program `Source` over elements that lie side by side. `a` has all but the number of blocks. `Whole`: one kernel, whatever
/// its size, as a result lies over an array that a second one would read.
template <class Source, bool Whole = false, class... In, class... Out, class Arguments, class Finish = finish_on_device>
void run_map_of(parts<In...> in, parts<Out...> out, Arguments a, const Finish& finish_one = {}) {
    using T = typename Arguments::value_type;
    if constexpr (!Whole && is_cut<Source>()) {
        run_two_maps<Source>(in, out, a, std::make_index_sequence<program_cut<Source>::passing>{}, std::index_sequence_for<Out...>{});
    } else {
        using work = map_work<T, Source, parts<In...>, parts<Out...>>;
        a.blocks = map_blocks(a.count, work::tile, work::threads, work::accumulates);
        if (a.blocks > 0) run_map(words_of<Source>(), in, out, a);
        std::size_t k = 0;
        const auto finish = [&]<class Part>(Part part) {
            if constexpr (is_accumulated<Part>) finish_one(part, finish_arguments<T>{a.partial + k * a.blocks, a.out[k], 1, a.blocks, 1});
            ++k;
        };
        (finish(Out{}), ...);
    }
}
template <class Source, class... In, class... Out, class Arguments, std::size_t... P, std::size_t... K>
void run_two_maps(parts<In...>, parts<Out...>, const Arguments& a, std::index_sequence<P...>, std::index_sequence<K...>) {
    using T = typename Arguments::value_type;
    using cut = program_cut<Source>;
    constexpr std::size_t inputs = sizeof...(In), outputs = sizeof...(Out), passing = sizeof...(P);
    const std::size_t each = (a.count * sizeof(T) + buffer::alignment - 1) / buffer::alignment * buffer::alignment;
    const buffer between(each * passing);
    map_arguments<T, inputs, outputs + passing> first{};
    map_arguments<T, inputs + passing, outputs> second{};
    for (std::size_t j = 0; j < inputs; ++j) {
        first.in[j] = second.in[j] = a.in[j];
        first.number[j] = second.number[j] = a.number[j];
    }
    for (std::size_t k = 0; k < outputs; ++k) first.out[k] = second.out[k] = a.out[k];
    for (std::size_t p = 0; p < passing; ++p) {
        void* const at = static_cast<std::byte*>(between.data()) + p * each;
        first.out[outputs + p] = at;
        second.in[inputs + p] = at;
    }
    first.partial = second.partial = a.partial;
    first.count = second.count = a.count;
    T* const one = nullptr;
    run_map_of<typename cut::first>(parts_of(In{}...), parts_of(part_if<cut::of.in_first[K]>(Out{})..., (static_cast<void>(P), stored_at(one))...), first);
    run_map_of<typename cut::second>(parts_of(In{}..., (static_cast<void>(P), walking_over(one))...), parts_of(part_if<!cut::of.in_first[K]>(Out{})...), second);
}

} // namespace dyad::device
