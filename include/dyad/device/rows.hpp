// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The work of one thread where several loops over the same space follow each other and what one sums along the last axis the next
// reads, as in softmax: the threads of a row keep their elements in registers from the first loop to the last, so that each array is
// read once and written once.
#pragma once

#include <cstddef>
#include <utility>

#include <dyad/device/loop.hpp>
#include <dyad/device/map.hpp>

namespace dyad::device {

/// What the loops of a row kernel (its stages) read and deliver, by number: an array, of which each thread keeps some elements; a number
/// of the row; a number that is the same for all. `kept_total`: summed over all rows.
template <std::size_t S>
struct held_array {};
template <std::size_t R>
struct row_number {};
template <std::size_t N>
struct lasting_number {};
template <std::size_t S>
struct kept_array {};
template <std::size_t R, keeping How>
struct kept_row {};
template <std::size_t K, keeping How>
struct kept_total {};

/// How a stage's output sums number R of the row, or `store` if it does not.
template <std::size_t R, class Part>
inline constexpr keeping sums_row = keeping::store;
template <std::size_t R, keeping How>
inline constexpr keeping sums_row<R, kept_row<R, How>> = How;

/// Where an array or a number of the row comes from and goes to: `In` is walking<E> or left_out, `Out` is stored_as<E> or left_out.
template <class In, class Out>
struct row_value {
    using in = In;
    using out = Out;
};
/// A loop over the elements (`Full`), or over the rows.
template <bool Full, class Words, class In, class Out>
struct row_stage;
template <bool Full, class Words, class... In, class... Out>
struct row_stage<Full, Words, parts<In...>, parts<Out...>> {};

/// Elements of a row that a thread keeps of each array.
constexpr std::size_t row_elements(std::size_t arrays) { return arrays <= 4 ? 8 : 4; }

/// `Kept`: the axes but the last; the others count arrays, numbers of the row, numbers and totals.
template <class T, unsigned Kept, std::size_t Arrays, std::size_t Rows, std::size_t Numbers, std::size_t Totals>
struct row_arguments {
    using value_type = T;
    static constexpr unsigned kept = Kept;
    void* array[Arrays + 1]; ///< read from or written to
    std::ptrdiff_t array_step[Arrays + 1][Kept + 1];
    void* row[Rows + 1];
    std::ptrdiff_t row_step[Rows + 1][Kept];
    T number[Numbers + 1]; ///< those that are `given`
    const void* lasting[Numbers + 1];
    T* partial; ///< of total K and block b: partial[K * blocks + b]
    void* total[Totals + 1];
    std::size_t size[Kept], rows, blocks;
    unsigned length; ///< elements of a row
    unsigned shift, block_shift; ///< a row has 2^shift threads, a block 2^block_shift (a division takes as long as an exponential)
};

template <class T, unsigned Kept, std::size_t Width, class Arrays, class Rows, class Numbers, class Totals, class Stages>
struct row_work;

template <class T, unsigned Kept, std::size_t Width, class... Array, class... Row, class... Number, class... Total, class... Stage>
struct row_work<T, Kept, Width, parts<Array...>, parts<Row...>, parts<Number...>, parts<Total...>, parts<Stage...>> {
    static constexpr std::size_t arrays = sizeof...(Array), rows = sizeof...(Row), numbers = sizeof...(Number), totals = sizeof...(Total);
    static constexpr std::size_t stages = sizeof...(Stage);
    using arguments = row_arguments<T, Kept, arrays, rows, numbers, totals>;
    static constexpr std::size_t elements = row_elements(arrays), accesses = elements / Width;
    static_assert(elements % Width == 0);

private:
    template <class One>
    struct stage_work;

public:
    /// What a thread has of a row.
    struct state {
        T array[arrays + 1][elements];
        T row[rows + 1];
        T number[numbers + 1];
        std::size_t at[Kept];
        unsigned lane, accesses; ///< its number among the row's threads, and how many accesses it has of each array
    };
    template <std::size_t Item>
    using stage_at = typename part_at<Item, parts<Stage...>>::type;
    template <std::size_t K>
    static constexpr keeping how_of_total = how_of<typename part_at<K, parts<Total...>>::type>;

    /// Of each thread once, which is number `lane` of those that share a row.
    DYAD_FN static void begin(const arguments& a, unsigned lane, state& s, T* total) {
        s.lane = lane;
        s.accesses = (a.length / static_cast<unsigned>(Width) + (1U << a.shift) - 1 - lane) >> a.shift;
        begin_each(a, s, total, std::make_index_sequence<numbers>{}, std::make_index_sequence<totals>{});
    }
    /// Row number m.
    DYAD_FN static void load(const arguments& a, std::size_t m, state& s) {
        find_place<Kept>(a.size, m, 0, Kept, s.at);
        load_each(a, s, std::make_index_sequence<arrays>{}, std::make_index_sequence<rows>{});
    }
    template <std::size_t Item>
    DYAD_FN static void begin_stage(T* sums) {
        stage_work<stage_at<Item>>::begin(sums);
    }
    /// Stage Item: what it sums along the row goes to `sums`, in the place of the row's number.
    template <std::size_t Item>
    DYAD_FN static void run(const arguments& a, state& s, T* sums, T* total) {
        stage_work<stage_at<Item>>::run(a, s, sums, total);
    }
    /// How stage Item sums number R of the row along it, or `store` if it does not.
    template <std::size_t Item, std::size_t R>
    static constexpr keeping how_summed = stage_work<stage_at<Item>>::template how_summed<R>;
    /// Number R of the row, from its threads' sums.
    template <std::size_t R>
    DYAD_FN static void settle(const arguments& a, state& s, T sum) {
        s.row[R] = sum;
        if (s.lane == 0) store_row<R>(a, s);
    }

private:
    template <std::size_t S>
    using array_part = typename part_at<S, parts<Array...>>::type;
    template <std::size_t R>
    using row_part = typename part_at<R, parts<Row...>>::type;

    template <std::size_t... N, std::size_t... K>
    DYAD_FN static void begin_each([[maybe_unused]] const arguments& a, [[maybe_unused]] state& s, [[maybe_unused]] T* total, std::index_sequence<N...>, std::index_sequence<K...>) {
        (load_number<N>(a, s), ...);
        ((total[K] = neutral<T>(how_of_total<K>)), ...);
    }
    template <std::size_t N>
    DYAD_FN static void load_number(const arguments& a, state& s) {
        using part = typename part_at<N, parts<Number...>>::type;
        if constexpr (is_lasting<part>) {
            s.number[N] = static_cast<T>(*static_cast<const typename part::element*>(a.lasting[N]));
        } else {
            s.number[N] = a.number[N];
        }
    }
    template <std::size_t... S, std::size_t... R>
    DYAD_FN static void load_each(const arguments& a, state& s, std::index_sequence<S...>, std::index_sequence<R...>) {
        (load_array<S>(a, s), ...);
        (load_row<R>(a, s), ...);
    }
    /// The thread's accesses of an array, each so many elements further.
    template <class E>
    struct walk {
        E* first;
        std::ptrdiff_t step;
    };
    template <class E, std::size_t S>
    DYAD_FN static walk<E> walk_over(const arguments& a, const state& s) {
        const std::ptrdiff_t each = Width > 1 ? static_cast<std::ptrdiff_t>(Width) : a.array_step[S][Kept];
        return {static_cast<E*>(a.array[S]) + offset_of<Kept>(a.array_step[S], s.at) + static_cast<std::ptrdiff_t>(s.lane) * each, each << a.shift};
    }
    template <std::size_t S>
    DYAD_FN static void load_array([[maybe_unused]] const arguments& a, [[maybe_unused]] state& s) {
        using part = typename array_part<S>::in;
        if constexpr (is_walking<part>) {
            using E = typename part::element;
            const walk<const E> w = walk_over<const E, S>(a, s);
            DYAD_UNROLL
            for (unsigned h = 0; h < accesses; ++h) {
                if (h >= s.accesses) continue;
                const auto of = *reinterpret_cast<const pack<E, Width>*>(w.first + h * w.step);
                DYAD_UNROLL
                for (std::size_t v = 0; v < Width; ++v) s.array[S][h * Width + v] = static_cast<T>(of.at[v]);
            }
        }
    }
    template <std::size_t S>
    DYAD_FN static void store_array([[maybe_unused]] const arguments& a, [[maybe_unused]] const state& s) {
        using part = typename array_part<S>::out;
        if constexpr (is_stored<part>) {
            using E = typename part::element;
            const walk<E> w = walk_over<E, S>(a, s);
            DYAD_UNROLL
            for (unsigned h = 0; h < accesses; ++h) {
                if (h >= s.accesses) continue;
                pack<E, Width> of;
                DYAD_UNROLL
                for (std::size_t v = 0; v < Width; ++v) of.at[v] = static_cast<E>(s.array[S][h * Width + v]);
                *reinterpret_cast<pack<E, Width>*>(w.first + h * w.step) = of;
            }
        }
    }
    template <std::size_t R>
    DYAD_FN static void load_row([[maybe_unused]] const arguments& a, [[maybe_unused]] state& s) {
        using part = typename row_part<R>::in;
        if constexpr (is_walking<part>) s.row[R] = static_cast<T>(static_cast<const typename part::element*>(a.row[R])[offset_of<Kept>(a.row_step[R], s.at)]);
    }
    template <std::size_t R>
    DYAD_FN static void store_row([[maybe_unused]] const arguments& a, [[maybe_unused]] const state& s) {
        using part = typename row_part<R>::out;
        if constexpr (is_stored<part>) {
            using E = typename part::element;
            static_cast<E*>(a.row[R])[offset_of<Kept>(a.row_step[R], s.at)] = static_cast<E>(s.row[R]);
        }
    }

    /// What an input is at the thread's element e, and what becomes of an output there.
    template <class Part>
    struct input;
    template <std::size_t S>
    struct input<held_array<S>> {
        DYAD_FN static T at(const state& s, std::size_t e) { return s.array[S][e]; }
    };
    template <std::size_t R>
    struct input<row_number<R>> {
        DYAD_FN static T at(const state& s, std::size_t) { return s.row[R]; }
    };
    template <std::size_t N>
    struct input<lasting_number<N>> {
        DYAD_FN static T at(const state& s, std::size_t) { return s.number[N]; }
    };
    template <class Part>
    struct output;
    template <std::size_t S>
    struct output<kept_array<S>> {
        DYAD_FN static void begin(T*) {}
        DYAD_FN static void put(state& s, std::size_t e, T y, T*, T*, bool) { s.array[S][e] = y; }
        DYAD_FN static void store(const arguments& a, const state& s) { store_array<S>(a, s); }
    };
    template <std::size_t R, keeping How>
    struct output<kept_row<R, How>> {
        DYAD_FN static void begin(T* sums) { sums[R] = neutral<T>(How); }
        DYAD_FN static void put(state&, std::size_t, T y, T* sums, T*, bool) { sums[R] = combined<How>(sums[R], y); }
        DYAD_FN static void store(const arguments&, const state&) {}
    };
    template <std::size_t R>
    struct output<kept_row<R, keeping::store>> {
        DYAD_FN static void begin(T*) {}
        DYAD_FN static void put(state& s, std::size_t, T y, T*, T*, bool) { s.row[R] = y; }
        DYAD_FN static void store(const arguments& a, const state& s) {
            if (s.lane == 0) store_row<R>(a, s);
        }
    };
    template <std::size_t K, keeping How>
    struct output<kept_total<K, How>> {
        DYAD_FN static void begin(T*) {}
        DYAD_FN static void put(state&, std::size_t, T y, T*, T* total, bool counts) {
            if (counts) total[K] = combined<How>(total[K], y);
        }
        DYAD_FN static void store(const arguments&, const state&) {}
    };

    template <bool Full, class Words, class... In, class... Out>
    struct stage_work<row_stage<Full, Words, parts<In...>, parts<Out...>>> {
        using kernel = kernel_of<worded<Words>>;
        DYAD_FN static void begin([[maybe_unused]] T* sums) { (output<Out>::begin(sums), ...); }
        template <std::size_t R>
        static constexpr keeping how_summed = [] {
            keeping how = keeping::store;
            for (const keeping k : {sums_row<R, Out>..., keeping::store}) how = k != keeping::store ? k : how;
            return how;
        }();
        DYAD_FN DYAD_INLINE static void run([[maybe_unused]] const arguments& a, state& s, T* sums, T* total) {
            if constexpr (Full) {
                DYAD_UNROLL
                for (unsigned h = 0; h < accesses; ++h) {
                    if (h >= s.accesses) continue;
                    DYAD_UNROLL
                    for (std::size_t v = 0; v < Width; ++v) compute(s, h * Width + v, sums, total, true, std::index_sequence_for<Out...>{});
                }
            } else {
                compute(s, 0, sums, total, s.lane == 0, std::index_sequence_for<Out...>{}); // (summed over the rows, each counts once)
            }
            (output<Out>::store(a, s), ...);
        }
        template <std::size_t... K>
        DYAD_FN DYAD_INLINE static void compute(state& s, std::size_t e, T* sums, T* total, bool counts, std::index_sequence<K...>) {
            const T in[sizeof...(In) + 1] = {input<In>::at(s, e)..., T(0)};
            T out[sizeof...(Out) + 1];
            kernel::run_into(in, out);
            (output<Out>::put(s, e, out[K], sums, total, counts), ...);
        }
    };
};

} // namespace dyad::device
