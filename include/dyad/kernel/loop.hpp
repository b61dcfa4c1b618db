// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Runs a kernel over many elements: one pass over memory, in vectors, with any number of inputs, outputs and
// accumulated sums. Elements that do not lie side by side are first packed into a small buffer, so that there is one
// inner loop. Sums are accumulated in blocks, whose results are added pairwise: the error grows with the
// logarithm of the length, and the result depends on nothing but the length.
#pragma once

#include <cstddef>
#include <limits>

#include <dyad/kernel/scalar.hpp>
#include <dyad/kernel/simd.hpp>
#include <dyad/op/piecewise.hpp>

namespace dyad {

/// How a loop treats one of its outputs.
enum class keeping : std::uint8_t { store, sum, product, largest, smallest };

template <class T>
constexpr T neutral(keeping how) {
    switch (how) {
    case keeping::product: return T(1);
    case keeping::largest: return -std::numeric_limits<T>::infinity();
    case keeping::smallest: return std::numeric_limits<T>::infinity();
    default: return T(0);
    }
}
template <keeping How, class V>
DYAD_INLINE V combined(V a, V b) {
    if constexpr (How == keeping::product) return a * b;
    if constexpr (How == keeping::largest) return operation<opcode::max>::value(a, b);
    if constexpr (How == keeping::smallest) return operation<opcode::min>::value(a, b);
    if constexpr (How == keeping::sum || How == keeping::store) return a + b;
}

/// Adds numbers pairwise, as they come: a binary counter of partial results.
template <class T, keeping How>
class pairwise {
public:
    void add(T x) {
        std::size_t level = 0;
        for (std::size_t n = count_++; (n & 1) != 0; n >>= 1) x = combined<How>(partial_[level++], x);
        partial_[level] = x;
    }
    [[nodiscard]] T total() const {
        T result = neutral<T>(How);
        bool first = true;
        for (std::size_t level = 0; count_ >> level != 0; ++level) {
            if ((count_ >> level & 1) == 0) continue;
            result = first ? partial_[level] : combined<How>(partial_[level], result);
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

/// What a loop does with each input (`walks`: it has one element for each step, else one for all) and output
/// (`walks`: it has a place for each step, else one that accumulates).
template <std::size_t Inputs, std::size_t Outputs>
struct loop_shape {
    bool input_walks[Inputs + 1] = {};
    bool output_walks[Outputs + 1] = {};
    keeping how[Outputs + 1] = {};
};

/// The innermost loop: `Kernel` at n consecutive elements.
template <class Kernel, auto Shape, class T, class V, std::size_t Inputs>
struct inner_loop {
    static constexpr std::size_t outputs = Kernel::outputs, width = lane_count<V>;
    template <std::size_t K>
    static constexpr bool accumulates = Shape.how[K] != keeping::store && !Shape.output_walks[K];
    static constexpr bool accumulates_any = [] {
        for (std::size_t k = 0; k < outputs; ++k) {
            if (Shape.how[k] != keeping::store && !Shape.output_walks[k]) return true;
        }
        return false;
    }();
    // Sums of few operations wait for each other: several run side by side.
    static constexpr std::size_t side_by_side = accumulates_any && Kernel::size <= 16 ? 4 : 1;

    /// Reads input j at in[j], writes output k to out[k], or its accumulated value.
    static void run(std::size_t n, const T* const* in, T* const* out) {
        run(n, in, out, std::make_index_sequence<Inputs>{}, std::make_index_sequence<outputs>{});
    }

private:
    template <std::size_t... J, std::size_t... K>
    DYAD_INLINE static void run(std::size_t n, const T* const* in, T* const* out, std::index_sequence<J...>, std::index_sequence<K...>) {
        const T* const from[Inputs + 1] = {in[J]..., nullptr};
        T* const to[outputs + 1] = {out[K]..., nullptr};
        const V same[Inputs + 1] = {(Shape.input_walks[J] || n == 0 ? V(T(0)) : V(*from[J]))..., V(T(0))};
        V total[side_by_side][outputs + 1];
        for (std::size_t u = 0; u < side_by_side; ++u) ((total[u][K] = V(neutral<T>(Shape.how[K]))), ...);
        std::size_t i = 0;
        const auto step = [&](V* sums) DYAD_INLINE_LAMBDA {
            const V x[Inputs + 1] = {(Shape.input_walks[J] ? load_lanes<V>(from[J] + (Shape.input_walks[J] ? i : 0)) : same[J])..., V(T(0))};
            const std::array<V, outputs> y = Kernel::template run<V>(x);
            (keep<K>(to[K] + i, y[K], sums), ...);
            i += width;
        };
        if constexpr (side_by_side > 1) {
            while (i + side_by_side * width <= n) {
                for (std::size_t u = 0; u < side_by_side; ++u) step(total[u]);
            }
        }
        while (i + width <= n) step(total[0]);
        if constexpr (width > 1) {
            const std::size_t rest = n - i;
            if (rest > 0 && n >= width && !((overlaps<K>(to[K], n, from[J]...)) || ...)) {
                // The last elements, some of them for the second time: those count no more.
                i = n - width;
                const auto again = load_lanes<V>(lane_numbers.of) < V(static_cast<T>(width - rest));
                const V x[Inputs + 1] = {(Shape.input_walks[J] ? load_lanes<V>(from[J] + (Shape.input_walks[J] ? i : 0)) : same[J])..., V(T(0))};
                const std::array<V, outputs> y = Kernel::template run<V>(x);
                (keep<K>(to[K] + i, Shape.how[K] == keeping::store ? y[K] : math::choose(again, V(neutral<T>(Shape.how[K])), y[K]), total[0]), ...);
            } else if (rest > 0) { // few elements: filled up with the first of them
                T lane[Inputs + outputs + 1][width];
                const auto fill = [&](T* l, const T* p) {
                    for (std::size_t r = 0; r < width; ++r) l[r] = p[r < rest ? r : 0];
                };
                ((Shape.input_walks[J] ? fill(lane[J], from[J] + i) : void()), ...);
                const V x[Inputs + 1] = {(Shape.input_walks[J] ? load_lanes<V>(lane[J]) : same[J])..., V(T(0))};
                const std::array<V, outputs> y = Kernel::template run<V>(x);
                (keep_rest<K>(to[K] + (accumulates<K> ? 0 : i), y[K], lane[Inputs], rest, total[0]), ...);
            }
        }
        for (std::size_t u = 1; u < side_by_side; ++u)
            ((total[0][K] = combined<Shape.how[K]>(total[0][K], total[u][K])), ...);
        ((accumulates<K> ? static_cast<void>(*to[K] = across<Shape.how[K], T>(total[0][K])) : void()), ...);
    }
    struct lane_table {
        T of[width] = {};
        constexpr lane_table() {
            for (std::size_t k = 0; k < width; ++k) of[k] = static_cast<T>(k);
        }
    };
    static constexpr lane_table lane_numbers{};

    /// Whether output K may change an input: then no element can be computed twice.
    template <std::size_t K, class... P>
    DYAD_INLINE static bool overlaps(const T* to, std::size_t n, const P*... from) {
        if constexpr (accumulates<K>) return false;
        return ((to < from + n && from < to + n) || ... || false);
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
    DYAD_INLINE static void keep_rest(T* to, V y, T* lane, std::size_t rest, V* sums) {
        store_lanes(lane, y);
        if constexpr (accumulates<K>) {
            for (std::size_t r = rest; r < width; ++r) lane[r] = neutral<T>(Shape.how[K]);
            sums[K] = combined<Shape.how[K]>(sums[K], load_lanes<V>(static_cast<const T*>(lane)));
        } else {
            for (std::size_t r = 0; r < rest; ++r)
                to[r] = Shape.how[K] == keeping::store ? lane[r] : combined<Shape.how[K]>(to[r], lane[r]);
        }
    }
};

} // namespace dyad
