// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Arrays of so few elements that they stay in registers from loop to loop: what one loop has stored the next need not wait for.
#pragma once

#include <dyad/kernel/loop.hpp>

namespace dyad {

/// `Count` arrays of one length, at least `Vectors` - 1 vectors V of T and at most `Vectors`, two or more. The last one holds the last
/// elements, some (or all) for the second time: so no masks are needed, and memory is written in whole vectors.
template <class T, class V, std::size_t Vectors, std::size_t Count>
class short_arrays {
    using every_vector = std::make_index_sequence<Vectors>;
    static constexpr std::size_t width = lane_count<V>;

public:
    /// Of n elements each, not set.
    DYAD_INLINE explicit short_arrays(std::size_t n) : last_(n - width) {}

    /// Array A from memory.
    template <std::size_t A>
    DYAD_INLINE void load(const T* from) {
        load_each<A>(from, every_vector{});
    }
    template <std::size_t A>
    DYAD_INLINE void store(T* to) const {
        store_each<A>(to, every_vector{});
    }
    /// `Kernel` at each element, as inner_loop: input J is array From[J] if it walks, else the number same[J]; output K becomes array
    /// To[K], or its accumulated value goes to total[K].
    template <class Kernel, auto Shape, auto From, auto To>
    DYAD_INLINE void run(const T* same, T* total) {
        run_vectors<Kernel, Shape, From, To>(same, total, every_vector{}, std::make_index_sequence<From.size()>{}, std::make_index_sequence<To.size()>{});
    }

private:
    /// Where vector R begins.
    template <std::size_t R>
    [[nodiscard]] DYAD_INLINE std::size_t start() const {
        return R + 1 < Vectors ? R * width : last_;
    }
    template <std::size_t A, std::size_t... R>
    DYAD_INLINE void load_each(const T* from, std::index_sequence<R...>) {
        ((array_[A].of[R] = load_lanes<V>(from + start<R>())), ...);
    }
    template <std::size_t A, std::size_t... R>
    DYAD_INLINE void store_each(T* to, std::index_sequence<R...>) const {
        (store_lanes(to + start<R>(), array_[A].of[R]), ...);
    }
    template <class Kernel, auto Shape, auto From, auto To, std::size_t... R, std::size_t... J, std::size_t... K>
    DYAD_INLINE void run_vectors(const T* same, T* total, std::index_sequence<R...>, std::index_sequence<J...> j, std::index_sequence<K...> k) {
        V sums[Kernel::outputs + 1] = {V(neutral<T>(Shape.how[K]))..., V(T(0))};
        (run_vector<Kernel, Shape, From, To, R>(same, sums, j, k), ...);
        ((Shape.output_walks[K] ? void() : static_cast<void>(total[K] = across<Shape.how[K], T>(sums[K]))), ...);
    }
    template <class Kernel, auto Shape, auto From, auto To, std::size_t R, std::size_t... J, std::size_t... K>
    DYAD_INLINE void run_vector([[maybe_unused]] const T* same, V* sums, std::index_sequence<J...>, std::index_sequence<K...>) {
        const V x[sizeof...(J) + 1] = {(Shape.input_walks[J] ? array_[From[J]].of[R] : V(same[J]))..., V(T(0))};
        const std::array<V, Kernel::outputs> y = Kernel::template run<V>(x);
        (keep<Shape.output_walks[K], Shape.how[K], To[K], R>(y[K], sums[K]), ...);
    }
    template <bool Walks, keeping How, std::size_t A, std::size_t R>
    DYAD_INLINE void keep(V y, V& sum) {
        if constexpr (Walks) {
            array_[A].of[R] = y;
        } else if constexpr (R + 1 < Vectors) {
            sum = combined<How>(sum, y);
        } else { // without the lanes that were counted before
            const auto again = V::numbers() < V(static_cast<T>(R * width - start<R>()));
            sum = combined<How>(sum, math::choose(again, V(neutral<T>(How)), y));
        }
    }

    struct one_array {
        V of[Vectors];
    };
    one_array array_[Count];
    std::size_t last_; ///< where the last whole vector begins
};

} // namespace dyad
