// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Runs a kernel over many elements: one pass over memory, in vectors, with any number of inputs, outputs and
// accumulated sums. Elements that do not lie side by side are first packed into a small buffer, so that there is one
// inner loop. Sums are accumulated in blocks, whose results are added pairwise: the error grows with the
// logarithm of the length, and the result depends on nothing but the length, the loop and the processor's vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <dyad/op/keeping.hpp>
#include <dyad/kernel/scalar.hpp>
#include <dyad/kernel/vectors.hpp>

namespace dyad {

/// x itself, loaded alone: where compilers load pointers and sizes as vectors, the load waits for the single stores
/// that wrote them, for longer than a short loop takes.
template <class T>
DYAD_INLINE T alone(T x) {
#if defined(__OPTIMIZE__) && (defined(__x86_64__) || defined(__aarch64__))
    asm("" : "+r"(x));
#endif
    return x;
}

/// Adds numbers pairwise, as they come, or multiplies them, or finds the largest: a binary counter of partial results.
template <class T>
class pairwise {
public:
    pairwise() {} // not = default: nothing need be cleared
    void add(keeping how, T x) {
        std::size_t level = 0;
        for (std::size_t n = count_++; (n & 1) != 0; n >>= 1) x = combined(how, partial_[level++], x);
        partial_[level] = x;
    }
    [[nodiscard]] T total(keeping how) const {
        T result = neutral<T>(how);
        bool first = true;
        for (std::size_t level = 0; count_ >> level != 0; ++level) {
            if ((count_ >> level & 1) == 0) continue;
            result = first ? partial_[level] : combined(how, partial_[level], result);
            first = false;
        }
        return result;
    }

private:
    T partial_[48];
    std::size_t count_ = 0;
};

/// The numbers of a vector as one.
template <keeping How, class T, class V>
DYAD_INLINE T across(V v) {
    if constexpr (number<V>) {
        return v;
    } else if constexpr (How == keeping::sum) {
        return v.sum();
    } else if constexpr (How == keeping::largest) {
        return v.largest();
    } else if constexpr (How == keeping::smallest) {
        return v.smallest();
    } else {
        T lane[V::size];
        v.store_unaligned(lane);
        for (std::size_t width = V::size / 2; width > 0; width /= 2) {
            for (std::size_t i = 0; i < width; ++i) lane[i] = combined<How>(lane[i], lane[i + width]);
        }
        return lane[0];
    }
}

template <class V, class T>
DYAD_INLINE V load_lanes(const T* from) {
    if constexpr (number<V>) return *from;
    if constexpr (!number<V>) return V::load_unaligned(from);
}
template <class V, class T>
DYAD_INLINE void store_lanes(T* to, V v) {
    if constexpr (number<V>) *to = v;
    if constexpr (!number<V>) v.store_unaligned(to);
}
template <class V>
inline constexpr std::size_t lane_count = 1;
template <class V>
    requires(!number<V>)
inline constexpr std::size_t lane_count<V> = V::size;

/// So many elements are summed one after the other, before their sum is added pairwise to those of others; short enough that sums of
/// floats keep six digits.
template <class T>
constexpr std::size_t summed_at_once(std::size_t lanes) {
    return std::is_same_v<T, float> ? 128 * lanes : 2048;
}

/// How many vectors a processor holds.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr std::size_t vector_registers = 32;
#else
inline constexpr std::size_t vector_registers = 16;
#endif

/// What a loop does with each input (`walks`: it has one element for each step, else one for all) and output
/// (`walks`: it has a place for each step, else one that accumulates).
template <std::size_t Inputs, std::size_t Outputs>
struct loop_shape {
    bool input_walks[Inputs + 1] = {};
    std::uint8_t place[Inputs + 1] = {}; ///< which of the ranges has its elements; 0 for all (a byte: clang 14 dies of padding)
    bool is_mask[Inputs + 1] = {};      ///< no memory, but whether the range has the element
    bool output_walks[Outputs + 1] = {};
    keeping how[Outputs + 1] = {};
};

/// The innermost loop: `Kernel` at n consecutive elements.
template <class Kernel, auto Shape, class T, class V, std::size_t Inputs>
class inner_loop {
public:
    static constexpr std::size_t outputs = Kernel::outputs, width = lane_count<V>;

    /// Whether it pays to write results past the caches where these do not hold them: where computing does not take longer anyway.
    static constexpr bool streams = [] {
        bool stores = false;
        for (std::size_t k = 0; k < outputs; ++k) stores = stores || Shape.how[k] == keeping::store;
        return stores && can_stream<V> && Kernel::size <= 24;
    }();

    /// Reads input j at in[j], writes output k to out[k], or its accumulated value. `Stream`: what is stored is written past the
    /// caches; a `fence` of line_stream must follow.
    template <bool Stream = false>
    static void run(std::size_t n, const T* const* in, T* const* out) {
        run_with<Stream>(n, in, out, std::make_index_sequence<Inputs>{}, std::make_index_sequence<outputs>{});
    }

protected:
    template <std::size_t K>
    static constexpr bool accumulates = Shape.how[K] != keeping::store && !Shape.output_walks[K];
    static constexpr std::size_t accumulated = [] {
        std::size_t count = 0;
        for (std::size_t k = 0; k < outputs; ++k) count += Shape.how[k] != keeping::store && !Shape.output_walks[k] ? 1 : 0;
        return count;
    }();
    // Sums of few operations wait for each other: several run side by side, as far as registers go (g++ spills sums before
    // constants; nine registers are for what is computed). Not around calls, which take longer and leave no registers.
    static constexpr std::size_t side_by_side =
        accumulated == 0 || Kernel::calls || Kernel::size > 32 ? 1 : std::clamp<std::size_t>((vector_registers - 9) / accumulated, 1, 4);

    template <std::size_t J>
    DYAD_INLINE static V first_of(std::size_t n, const T* from) {
        return Shape.input_walks[J] || n == 0 ? V(T(0)) : V(*from);
    }
    template <bool Stream, std::size_t... J, std::size_t... K>
    DYAD_INLINE static void run_with(std::size_t n, [[maybe_unused]] const T* const* in, [[maybe_unused]] T* const* out, std::index_sequence<J...> j,
                                     std::index_sequence<K...> k) {
        run_over<Stream>(n, inputs_at{{alone(in[J])..., nullptr}}, outputs_at{{alone(out[K])..., nullptr}}, j, k, first_of<J>(n, in[J])...);
    }
    struct inputs_at {
        const T* at[Inputs + 1];
    };
    struct outputs_at {
        T* at[outputs + 1];
    };
    /// `same`: what each input is that does not walk, as values of their own, which stay in registers.
    template <bool Stream, std::size_t... J, std::size_t... K, class... Same>
    DYAD_INLINE static void run_over(std::size_t n, inputs_at from, outputs_at to, std::index_sequence<J...>,
                                     std::index_sequence<K...>, Same... same) {
        V total[outputs + 1];
        begin(total, std::index_sequence<K...>{});
        std::size_t i = 0;
        const auto at = [&]([[maybe_unused]] std::size_t here, const auto& read) DYAD_INLINE_LAMBDA {
            const V x[Inputs + 1] = {(Shape.input_walks[J] ? read.template operator()<J>(from.at[J] + (Shape.input_walks[J] ? here : 0)) : same)..., V(T(0))};
            return Kernel::template run<V>(x);
        };
        whole_vectors<Stream>(i, n, at, from.at, to, total, std::index_sequence<J...>{}, std::index_sequence<K...>{});
        if constexpr (width > 1) {
            const std::size_t rest = n - i;
            if (rest > 0 && n >= width && !((overlaps<K>(to.at[K], n, from.at[J]...)) || ...)) {
                // The last elements, some of them for the second time: those count no more.
                const auto again = V::numbers() < V(static_cast<T>(width - rest));
                const std::array<V, outputs> y = at(n - width, read_there{});
                (keep<K>(to.at[K] + (n - width), Shape.how[K] == keeping::store ? y[K] : math::choose(again, V(neutral<T>(Shape.how[K])), y[K]), total), ...);
            } else if (rest > 0) { // few elements
                const auto beyond = V::numbers() < V(static_cast<T>(rest));
                const V x[Inputs + 1] = {(Shape.input_walks[J] ? V::load_first(from.at[J] + (Shape.input_walks[J] ? i : 0), rest) : same)..., V(T(0))};
                const std::array<V, outputs> y = Kernel::template run<V>(x);
                (keep_first<K>(to.at[K] + i, math::choose(beyond, y[K], V(neutral<T>(Shape.how[K]))), rest, total), ...);
            }
        }
        deliver(to, total, std::index_sequence<K...>{});
    }
    /// A vector of input J, from where it is.
    struct read_there {
        template <std::size_t J>
        DYAD_INLINE V operator()(const T* p) const {
            return load_lanes<V>(p);
        }
    };
    /// The elements from i on, as far as they are whole vectors before n: `at(i, read)` computes one, with `read.operator()<J>(p)` for what
    /// lies at p of input J, which begins at in[J].
    template <bool Stream, class N, class At, std::size_t... J, std::size_t... K>
    DYAD_INLINE static void whole_vectors(N& i, N n, const At& at, [[maybe_unused]] const T* const* in, outputs_at to, V* total, std::index_sequence<J...>,
                                          std::index_sequence<K...> k) {
        const auto there = [&](N here) DYAD_INLINE_LAMBDA { return at(here, read_there{}); };
        if constexpr (Stream) {
            constexpr auto by = static_cast<N>(width);
            if (i + by > n) return;
            line_stream<V> lines[] = {line_stream<V>(to.at[K] + i)...};
            const std::array<V, outputs> y = there(i);
            ((Shape.how[K] == keeping::store ? lines[K].first(y[K]) : keep<K>(to.at[K] + i, y[K], total)), ...);
            i += by;
            const auto write = [&]<std::size_t O>(V v, V* sums) DYAD_INLINE_LAMBDA {
                if constexpr (Shape.how[O] == keeping::store) lines[O].next(v);
                else keep<O>(to.at[O] + i, v, sums);
            };
            if constexpr (!Kernel::calls) { // (which would have the readers saved around them)
                if (i + 2 * by <= n) {
                    line_reader<V> readers[Inputs + 1] = {(Shape.input_walks[J] ? line_reader<V>(in[J] + i) : line_reader<V>())..., line_reader<V>()};
                    const auto read = [&]<std::size_t Item>(const T*) DYAD_INLINE_LAMBDA { return readers[Item].next(); };
                    each_stretch(i, n - by, [&](N here) DYAD_INLINE_LAMBDA { return at(here, read); }, write, total, k);
                }
            }
            each_stretch(i, n, there, write, total, k);
            ((Shape.how[K] == keeping::store ? lines[K].end() : void()), ...);
        } else {
            const auto write = [&]<std::size_t O>(V v, V* sums) DYAD_INLINE_LAMBDA { keep<O>(to.at[O] + i, v, sums); };
            if constexpr (std::is_same_v<T, float> && side_by_side == 1) each_stretch(i, n, there, write, total, k); // which has no digits to lose
            else each_vector(i, n, there, write, total, k);
        }
    }
    /// As each_vector, with sums of their own for each stretch that is summed at once, by as many additions one after the other as if
    /// sums ran side by side.
    template <class N, class At, class To, std::size_t... K>
    DYAD_INLINE static void each_stretch(N& i, N n, const At& at, const To& to, V* total, std::index_sequence<K...> k) {
        if constexpr (accumulated == 0) {
            each_vector(i, n, at, to, total, k);
        } else {
            constexpr auto stretch = static_cast<N>(summed_at_once<T>(width) / (side_by_side > 1 ? 1 : 4));
            while (i + static_cast<N>(width) <= n) {
                V sums[outputs + 1];
                begin(sums, k);
                each_vector(i, std::min(n, i + stretch), at, to, sums, k);
                ((total[K] = combined<Shape.how[K]>(total[K], sums[K])), ...);
            }
        }
    }
    /// `to.operator()<K>(vector, sums)` takes output K of each.
    template <class N, class At, class To, std::size_t... K>
    DYAD_INLINE static void each_vector(N& i, N n, const At& at, const To& to, V* total, std::index_sequence<K...> k) {
        constexpr auto by = static_cast<N>(width);
        const auto step = [&](V* sums) DYAD_INLINE_LAMBDA {
            const std::array<V, outputs> y = at(i);
            (to.template operator()<K>(y[K], sums), ...);
            i += by;
        };
        if constexpr (side_by_side > 1) {
            constexpr N together = static_cast<N>(side_by_side) * by;
            if (i + together <= n) {
                V beside[side_by_side - 1][outputs + 1]; // (here, not with the first: a short loop is not to begin and add them for nothing)
                for (V* sums : beside) begin(sums, k);
                do {
                    step(total);
                    for (V* sums : beside) step(sums);
                } while (i + together <= n);
                for (const V* sums : beside) ((total[K] = combined<Shape.how[K]>(total[K], sums[K])), ...);
            }
        }
        while (i + by <= n) step(total);
    }
    template <std::size_t... K>
    DYAD_INLINE static void begin(V* total, std::index_sequence<K...>) {
        ((total[K] = V(neutral<T>(Shape.how[K]))), ...);
    }
    template <std::size_t... K>
    DYAD_INLINE static void deliver(outputs_at to, V* total, std::index_sequence<K...>) {
        ((accumulates<K> ? static_cast<void>(*to.at[K] = across<Shape.how[K], T>(total[K])) : void()), ...);
    }
    /// Whether output K may change an input: then no element can be computed twice.
    template <std::size_t K, class... P>
    DYAD_INLINE static bool overlaps([[maybe_unused]] const T* to, [[maybe_unused]] std::size_t n, const P*... from) {
        if constexpr (accumulates<K>) {
            return false;
        } else {
            return ((to < from + n && from < to + n) || ... || false);
        }
    }
    template <std::size_t K>
    DYAD_INLINE static void keep(T* to, V y, V* sums) {
        if constexpr (accumulates<K>) {
            sums[K] = combined<Shape.how[K]>(sums[K], y);
        } else if constexpr (Shape.how[K] == keeping::store) {
            store_lanes(to, y);
        } else {
            store_lanes(to, combined<Shape.how[K]>(load_lanes<V>(static_cast<const T*>(to)), y));
        }
    }
    template <std::size_t K>
    DYAD_INLINE static void keep_first(T* to, V y, std::size_t n, V* sums) {
        if constexpr (accumulates<K>) {
            sums[K] = combined<Shape.how[K]>(sums[K], y);
        } else if constexpr (Shape.how[K] == keeping::store) {
            y.store_first(to, n);
        } else {
            combined<Shape.how[K]>(V::load_first(to, n), y).store_first(to, n);
        }
    }
};

} // namespace dyad
