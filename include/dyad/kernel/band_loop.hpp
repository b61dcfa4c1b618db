// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The innermost loop where outputs accumulate over rows, as sums along the first axis do: it takes some rows at once, so
// that what has accumulated is read and written once for all of them. (Row by row, short rows would wait for their own stores.)
#pragma once

#include <dyad/kernel/loop.hpp>

namespace dyad {

/// Rows of one inner_loop whose outputs are stored, or accumulate element by element over the rows.
template <class Kernel, auto Shape, class T, class V, std::size_t Inputs>
class band_loop {
    static constexpr std::size_t outputs = Kernel::outputs, width = lane_count<V>;

public:
    /// As many rows as are taken at once.
    static constexpr std::size_t rows = 4;
    /// Whether a loop is of this kind.
    static constexpr bool applies = [] {
        bool some = false;
        for (std::size_t k = 0; k < outputs; ++k) {
            if (!Shape.output_walks[k]) return false;
            some = some || Shape.how[k] != keeping::store;
        }
        return some;
    }();

    /// n elements of each row. The next row's begin `in_step[j]` elements behind this one's at in[j], and `out_step[k]` behind those
    /// at out[k], if that is stored.
    static void run(std::size_t n, const T* const* in, const std::ptrdiff_t* in_step, T* const* out, const std::ptrdiff_t* out_step) {
        run_with(n, in, in_step, out, out_step, std::make_index_sequence<Inputs>{}, std::make_index_sequence<outputs>{});
    }

private:
    template <std::size_t... J, std::size_t... K>
    DYAD_INLINE static void run_with(std::size_t n, [[maybe_unused]] const T* const* in, [[maybe_unused]] const std::ptrdiff_t* in_step, T* const* out,
                                     [[maybe_unused]] const std::ptrdiff_t* out_step, std::index_sequence<J...>, std::index_sequence<K...>) {
        const T* const from[Inputs + 1] = {alone(in[J])..., nullptr};
        T* const to[] = {alone(out[K])...};
        // `Part`: all lanes, or the first ones, as many as are left.
        const auto column = [&]<class Part>(Part part, std::size_t i) DYAD_INLINE_LAMBDA {
            V sums[] = {Shape.how[K] == keeping::store ? V(T(0)) : part.load(to[K] + i)...};
            for (std::size_t r = 0; r < rows; ++r) {
                const auto row = static_cast<std::ptrdiff_t>(r);
                const V x[Inputs + 1] = {(Shape.input_walks[J] ? part.load(from[J] + row * in_step[J] + i) : V(from[J][row * in_step[J]]))..., V(T(0))};
                const std::array<V, outputs> y = Kernel::template run<V>(x);
                (keep<K>(part, to[K] + (Shape.how[K] == keeping::store ? row * out_step[K] : 0) + i, y[K], sums[K]), ...);
            }
            ((Shape.how[K] == keeping::store ? void() : part.store(to[K] + i, sums[K])), ...);
        };
        std::size_t i = 0;
        for (; i + width <= n; i += width) column(all_lanes{}, i);
        if constexpr (width > 1) {
            if (i < n) column(first_lanes{n - i}, i);
        }
    }
    template <std::size_t K, class Part>
    DYAD_INLINE static void keep(Part part, T* to, V y, V& sum) {
        if constexpr (Shape.how[K] == keeping::store) {
            part.store(to, y);
        } else {
            sum = combined<Shape.how[K]>(sum, y);
        }
    }
    struct all_lanes {
        DYAD_INLINE V load(const T* from) const { return load_lanes<V>(from); }
        DYAD_INLINE void store(T* to, V v) const { store_lanes(to, v); }
    };
    struct first_lanes {
        std::size_t count;
        DYAD_INLINE V load(const T* from) const { return V::load_first(from, count); }
        DYAD_INLINE void store(T* to, V v) const { v.store_first(to, count); }
    };
};

} // namespace dyad
