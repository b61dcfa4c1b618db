// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The work of one thread where arrays lie in any order, stretch, or are reduced along some axes: the kept axes number the
// outputs, the reduced ones the steps of each. A block is `wide` outputs by 256 / wide threads that share their steps.
#pragma once

#include <cstddef>
#include <utility>

#include <dyad/device/parts.hpp>
#include <dyad/device/words.hpp>

namespace dyad::device {

template <class T, unsigned Rank, std::size_t In, std::size_t Out, std::size_t Places>
struct loop_arguments {
    using value_type = T;
    static constexpr unsigned rank = Rank;
    static constexpr std::size_t places = Places;
    const void* in[In + 1];
    T number[In + 1]; ///< the inputs that are `given`
    void* out[Out + 1];
    T* partial;        ///< of output K, chunk c and place m: partial[(K * chunks + c) * outputs + m]
    std::size_t size[Rank]; ///< kept axes first, then reduced ones
    std::ptrdiff_t in_step[In + 1][Rank], out_step[Out + 1][Rank]; ///< elements
    std::ptrdiff_t first[Places][Rank], last[Places][Rank];        ///< the steps that a placement has
    std::size_t outputs, length; ///< products of the kept sizes, and of the reduced ones
    std::size_t chunk, chunks;   ///< steps that one block takes, and into how many blocks the length is cut so
    unsigned kept, wide;
    bool along; ///< neighbouring threads take neighbouring steps, not neighbouring outputs
};

/// Whose share it is.
struct lane_place {
    unsigned output, step; ///< within the block
};
DYAD_FN inline lane_place lane_of(unsigned thread, unsigned wide, bool along) {
    const unsigned high = block_threads / wide;
    return along ? lane_place{thread / high, thread % high} : lane_place{thread % wide, thread / wide};
}
DYAD_FN inline unsigned thread_of(lane_place p, unsigned wide, bool along) {
    return along ? p.output * (block_threads / wide) + p.step : p.step * wide + p.output;
}

/// The indices along axes `from` to `to` of element number n of them.
template <unsigned Rank>
DYAD_FN void find_place(const std::size_t* size, std::size_t n, unsigned from, unsigned to, std::size_t* at) {
    DYAD_UNROLL
    for (unsigned k = Rank; k-- > 0;) {
        if (k < from || k >= to) continue;
        if (k == from) {
            at[k] = n;
        } else if ((n | size[k]) >> 32 == 0) { // a division of 32 bits is five times faster
            const auto small = static_cast<unsigned>(n), by = static_cast<unsigned>(size[k]);
            at[k] = small % by;
            n = small / by;
        } else {
            at[k] = n % size[k];
            n /= size[k];
        }
    }
}
template <unsigned Rank>
DYAD_FN std::ptrdiff_t offset_of(const std::ptrdiff_t* step, const std::size_t* at) {
    std::ptrdiff_t sum = 0;
    DYAD_UNROLL
    for (unsigned k = 0; k < Rank; ++k) sum += static_cast<std::ptrdiff_t>(at[k]) * step[k];
    return sum;
}

template <class T, unsigned Rank, std::size_t Places, class Program, class In, class Out>
struct loop_work;

template <class T, unsigned Rank, std::size_t Places, class Program, class... In, class... Out>
struct loop_work<T, Rank, Places, Program, parts<In...>, parts<Out...>> {
    using kernel = kernel_of<Program>;
    using arguments = loop_arguments<T, Rank, sizeof...(In), sizeof...(Out), Places>;
    static constexpr std::size_t inputs = sizeof...(In), outputs = sizeof...(Out);
    static constexpr bool accumulates = (is_accumulated<Out> || ...);
    using all = std::index_sequence_for<In...>;
    using kept = std::index_sequence_for<Out...>;

    DYAD_FN static void begin(T* total) { begin_each(total, kept{}); }

    /// Thread `thread` of block `block` of the outputs, chunk `chunk` of their steps.
    DYAD_FN static void run(const arguments& a, std::size_t block, std::size_t chunk, unsigned thread, T* total) {
        const lane_place lane = lane_of(thread, a.wide, a.along);
        const std::size_t m = block * a.wide + lane.output, high = block_threads / a.wide;
        if (m >= a.outputs) return;
        std::size_t at[Rank] = {};
        find_place<Rank>(a.size, m, 0, a.kept, at);
        const std::size_t end = (chunk + 1) * a.chunk < a.length ? (chunk + 1) * a.chunk : a.length;
        for (std::size_t r = chunk * a.chunk + lane.step; r < end; r += high) {
            find_place<Rank>(a.size, r, a.kept, Rank, at);
            step(a, at, total, all{});
        }
    }
    /// The result of place m: to its output, or among the partial results.
    template <std::size_t K>
    DYAD_FN static void deliver(const arguments& a, std::size_t m, std::size_t chunk, T total) {
        if constexpr (is_accumulated<out_part<K>>) {
            using element = typename out_part<K>::element;
            if (a.chunks == 1) static_cast<element*>(a.out[K])[m] = static_cast<element>(total);
            if (a.chunks > 1) a.partial[(K * a.chunks + chunk) * a.outputs + m] = total;
        }
    }
    template <std::size_t K>
    using out_part = typename part_at<K, parts<Out...>>::type;

private:
    template <std::size_t J>
    using in_part = typename part_at<J, parts<In...>>::type;

    template <std::size_t... K>
    DYAD_FN static void begin_each([[maybe_unused]] T* total, std::index_sequence<K...>) {
        ((total[K] = neutral<T>(how_of<Out>)), ...);
    }
    DYAD_FN static bool has(const arguments& a, std::size_t place, const std::size_t* at) {
        bool there = true;
        DYAD_UNROLL
        for (unsigned k = 0; k < Rank; ++k) {
            const auto here = static_cast<std::ptrdiff_t>(at[k]);
            there = there && here >= a.first[place][k] && here < a.last[place][k];
        }
        return there;
    }
    template <std::size_t J>
    DYAD_FN static T input(const arguments& a, [[maybe_unused]] const std::size_t* at) {
        using part = in_part<J>;
        if constexpr (is_walking<part> || is_lasting<part>) {
            return static_cast<T>(static_cast<const typename part::element*>(a.in[J])[offset_of<Rank>(a.in_step[J], at)]);
        } else if constexpr (place_of<part> == ~std::size_t{0}) {
            return a.number[J];
        } else if constexpr (is_placed<part>) {
            if (!has(a, place_of<part>, at)) return T(0);
            return static_cast<T>(static_cast<const typename part::element*>(a.in[J])[offset_of<Rank>(a.in_step[J], at)]);
        } else {
            return has(a, place_of<part>, at) ? T(1) : T(0);
        }
    }
    template <std::size_t... J>
    DYAD_FN DYAD_INLINE static void step(const arguments& a, const std::size_t* at, T* total, std::index_sequence<J...>) {
        const T in[inputs + 1] = {input<J>(a, at)..., T(0)};
        T out[outputs + 1];
        kernel::run_into(in, out);
        keep(a, at, out, total, kept{});
    }
    template <std::size_t... K>
    DYAD_FN DYAD_INLINE static void keep(const arguments& a, const std::size_t* at, const T* y, T* total, std::index_sequence<K...>) {
        (keep_one<K>(a, at, y[K], total), ...);
    }
    template <std::size_t K>
    DYAD_FN DYAD_INLINE static void keep_one([[maybe_unused]] const arguments& a, [[maybe_unused]] const std::size_t* at, T y, [[maybe_unused]] T* total) {
        using part = out_part<K>;
        if constexpr (is_stored<part>) {
            using element = typename part::element;
            static_cast<element*>(a.out[K])[offset_of<Rank>(a.out_step[K], at)] = static_cast<element>(y);
        } else if constexpr (is_accumulated<part>) {
            total[K] = combined<how_of<part>>(total[K], y);
        }
    }
};

/// The second stage: place m's partial results, one for each chunk.
template <class T>
struct finish_arguments {
    const T* partial;
    void* out;
    std::size_t outputs, chunks;
    unsigned wide;
};
template <class T, class Part>
struct finish_work {
    using arguments = finish_arguments<T>;
    static constexpr keeping how = how_of<Part>;
    DYAD_FN static T run(const arguments& a, std::size_t block, unsigned thread) {
        const lane_place lane = lane_of(thread, a.wide, false);
        const std::size_t m = block * a.wide + lane.output;
        T total = neutral<T>(how);
        if (m >= a.outputs) return total;
        for (std::size_t c = lane.step; c < a.chunks; c += block_threads / a.wide) total = combined<how>(total, a.partial[c * a.outputs + m]);
        return total;
    }
    DYAD_FN static void deliver(const arguments& a, std::size_t m, T total) {
        static_cast<typename Part::element*>(a.out)[m] = static_cast<typename Part::element>(total);
    }
};

} // namespace dyad::device
