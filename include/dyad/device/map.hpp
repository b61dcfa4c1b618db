// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The work of one thread where all arrays lie side by side in one order: 16 bytes of each input at a time, each input loaded
// once and each result stored once; sums on the way.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>

#include <dyad/device/parts.hpp>
#include <dyad/device/words.hpp>

namespace dyad::device {

/// `In` and `Out` count what there is to read and to deliver.
template <class T, std::size_t In, std::size_t Out>
struct map_arguments {
    using value_type = T;
    const void* in[In + 1];
    T number[In + 1]; ///< the inputs that are `given`
    void* out[Out + 1];
    T* partial;        ///< of output K and block b: partial[K * blocks + b]
    std::size_t count; ///< elements
    std::size_t blocks;
};

/// V elements, loaded and stored in accesses of 16 bytes.
template <class E, std::size_t V>
struct alignas(V * sizeof(E) < 16 ? V * sizeof(E) : 16) pack {
    E at[V];
};

/// Elements of one access, where arrays have elements of so many bytes (0: no array). Of what is wide beside something narrow, as numbers
/// beside conditions, no more than 32 bytes: registers are few.
constexpr std::size_t access_width(std::initializer_list<std::size_t> bytes) {
    std::size_t smallest = 16, largest = 1;
    for (const std::size_t b : bytes) {
        smallest = b != 0 && b < smallest ? b : smallest;
        largest = b > largest ? b : largest;
    }
    return smallest * 2 >= largest ? 16 / smallest : 32 / largest;
}

template <class T, class Program, class In, class Out>
struct map_work;

template <class T, class Program, class... In, class... Out>
struct map_work<T, Program, parts<In...>, parts<Out...>> {
    using kernel = kernel_of<Program>;
    using arguments = map_arguments<T, sizeof...(In), sizeof...(Out)>;
    static constexpr std::size_t inputs = sizeof...(In), outputs = sizeof...(Out);
    static constexpr bool accumulates = (is_accumulated<Out> || ...);

    /// (One access of each input on its way: with two or four, fewer threads would find room, and an H200 moves 3 % less.)
    static constexpr std::size_t width = access_width({bytes_of<In>..., bytes_of<Out>...});
    /// Long programs take small blocks: they begin and end at more different times, so that some load while others compute (measured on an
    /// H200: of 200 operations, 2 % more in float and 8 % in double; of 400, 57 % in double).
    static constexpr unsigned threads = kernel::size > 64 && !accumulates ? 64 : block_threads;
    static constexpr std::size_t tile = threads * width;

    using all = std::index_sequence_for<In...>;
    using kept = std::index_sequence_for<Out...>;
    template <std::size_t K>
    static constexpr bool accumulates_at = is_accumulated<typename part_at<K, parts<Out...>>::type>;
    template <std::size_t K>
    static constexpr keeping how_at = how_of<typename part_at<K, parts<Out...>>::type>;
    struct numbers {
        T at[inputs + 1];
    };

    DYAD_FN static void begin(T* total) { begin_each(total, kept{}); }
    /// The inputs that are the same at every step.
    DYAD_FN static void load_lasting(const arguments& a, numbers& x) { load_lasting_each(a, x, all{}); }
    /// Thread `thread`'s part of tile number `number`.
    DYAD_FN static void run(const arguments& a, std::size_t number, unsigned thread, const numbers& same, T* total) {
        run_tile(a, number, thread, same, total, all{});
    }
    /// The elements behind the last whole access: one for each of the first threads of the last block.
    DYAD_FN static void run_rest(const arguments& a, unsigned thread, const numbers& same, T* total) {
        const std::size_t i = a.count / width * width + thread;
        if (i < a.count) run_single(a, i, same, total, all{});
    }

private:
    template <std::size_t J>
    using in_part = typename part_at<J, parts<In...>>::type;
    template <std::size_t K>
    using out_part = typename part_at<K, parts<Out...>>::type;

    template <std::size_t... K>
    DYAD_FN static void begin_each([[maybe_unused]] T* total, std::index_sequence<K...>) {
        ((total[K] = neutral<T>(how_of<Out>)), ...);
    }
    template <std::size_t... J>
    DYAD_FN static void load_lasting_each(const arguments& a, numbers& x, std::index_sequence<J...>) {
        (load_one<J>(a, x), ...);
    }
    template <std::size_t J>
    DYAD_FN static void load_one([[maybe_unused]] const arguments& a, numbers& x) {
        if constexpr (is_lasting<in_part<J>>) {
            x.at[J] = static_cast<T>(*static_cast<const typename in_part<J>::element*>(a.in[J]));
        } else if constexpr (is_walking<in_part<J>>) {
            x.at[J] = T(0);
        } else {
            x.at[J] = a.number[J];
        }
    }

    /// What input J brings.
    template <std::size_t J, class Part>
    struct held {
        DYAD_FN void load(const arguments&, std::size_t) {}
        DYAD_FN T value(const numbers& same, std::size_t) const { return same.at[J]; }
    };
    template <std::size_t J, class E>
    struct held<J, walking<E>> {
        pack<E, width> of;
        DYAD_FN void load(const arguments& a, std::size_t i) { of = static_cast<const pack<E, width>*>(a.in[J])[i]; }
        DYAD_FN T value(const numbers&, std::size_t v) const { return static_cast<T>(of.at[v]); }
    };
    template <class Indices>
    struct all_held;
    template <std::size_t... J>
    struct all_held<std::index_sequence<J...>> : held<J, In>... {};
    template <std::size_t K, class Part>
    struct result {
        DYAD_FN void put(std::size_t, T) {}
        DYAD_FN void store(const arguments&, std::size_t) const {}
    };
    template <std::size_t K, class E>
    struct result<K, stored_as<E>> {
        pack<E, width> of;
        DYAD_FN void put(std::size_t v, T y) { of.at[v] = static_cast<E>(y); }
        DYAD_FN void store(const arguments& a, std::size_t i) const { static_cast<pack<E, width>*>(a.out[K])[i] = of; }
    };
    template <class Indices>
    struct all_results;
    template <std::size_t... K>
    struct all_results<std::index_sequence<K...>> : result<K, Out>... {
        DYAD_FN void put([[maybe_unused]] std::size_t v, [[maybe_unused]] const T* y) { (static_cast<result<K, Out>&>(*this).put(v, y[K]), ...); }
        DYAD_FN void store([[maybe_unused]] const arguments& a, [[maybe_unused]] std::size_t i) const { (static_cast<const result<K, Out>&>(*this).store(a, i), ...); }
    };

    template <std::size_t... J>
    DYAD_FN DYAD_INLINE static void run_tile(const arguments& a, std::size_t number, unsigned thread, const numbers& same, T* total, std::index_sequence<J...>) {
        const std::size_t i = number * threads + thread;
        if (i >= a.count / width) return;
        [[maybe_unused]] all_held<all> x;
        (static_cast<held<J, In>&>(x).load(a, i), ...); // loads that wait for nothing
        all_results<kept> y;
        DYAD_UNROLL
        for (std::size_t v = 0; v < width; ++v) {
            const T in[inputs + 1] = {static_cast<const held<J, In>&>(x).value(same, v)..., T(0)};
            T out[outputs + 1];
            kernel::run_into(in, out);
            y.put(v, out);
            accumulate(out, total, kept{});
        }
        y.store(a, i);
    }
    template <std::size_t... J>
    DYAD_FN DYAD_INLINE static void run_single(const arguments& a, std::size_t i, const numbers& same, T* total, std::index_sequence<J...>) {
        const T in[inputs + 1] = {single<J>(a, i, same)..., T(0)};
        T out[outputs + 1];
        kernel::run_into(in, out);
        store_single(a, i, out, kept{});
        accumulate(out, total, kept{});
    }
    template <std::size_t J>
    DYAD_FN static T single([[maybe_unused]] const arguments& a, [[maybe_unused]] std::size_t i, [[maybe_unused]] const numbers& same) {
        if constexpr (is_walking<in_part<J>>) {
            return static_cast<T>(static_cast<const typename in_part<J>::element*>(a.in[J])[i]);
        } else {
            return same.at[J];
        }
    }
    template <std::size_t... K>
    DYAD_FN static void store_single(const arguments& a, std::size_t i, const T* y, std::index_sequence<K...>) {
        (store_one<K>(a, i, y), ...);
    }
    template <std::size_t K>
    DYAD_FN static void store_one([[maybe_unused]] const arguments& a, [[maybe_unused]] std::size_t i, [[maybe_unused]] const T* y) {
        if constexpr (is_stored<out_part<K>>) {
            using element = typename out_part<K>::element;
            static_cast<element*>(a.out[K])[i] = static_cast<element>(y[K]);
        }
    }
    template <std::size_t... K>
    DYAD_FN DYAD_INLINE static void accumulate([[maybe_unused]] const T* y, [[maybe_unused]] T* total, std::index_sequence<K...>) {
        (accumulate_one<K>(y, total), ...);
    }
    template <std::size_t K>
    DYAD_FN DYAD_INLINE static void accumulate_one([[maybe_unused]] const T* y, [[maybe_unused]] T* total) {
        if constexpr (is_accumulated<out_part<K>>) total[K] = combined<how_of<out_part<K>>>(total[K], y[K]);
    }
};

} // namespace dyad::device
