// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The innermost loop where some inputs have elements in a range only: slices that lie shifted against each other, as
// in stencils, or beside each other, as the parts of a split array. Where all have elements it is the plain loop; where some have
// none a second kernel has zeros for them; and where that changes in a vector it asks, lane by lane.
#pragma once

#include <dyad/kernel/loop.hpp>

namespace dyad {

/// Elements first to last - 1 of a loop.
struct element_range {
    std::ptrdiff_t first = 0, last = 0;

    friend constexpr element_range operator&(element_range a, element_range b) {
        return {a.first < b.first ? b.first : a.first, a.last < b.last ? a.last : b.last};
    }
    /// Whether element i is one of them; `end` becomes the next at which that changes, if it lies behind that.
    [[nodiscard]] constexpr bool contains_up_to(std::ptrdiff_t i, std::ptrdiff_t& end) const {
        const std::ptrdiff_t edge = i < first ? first : last;
        if (first < last && i < edge && edge < end) end = edge;
        return first <= i && i < last;
    }
    [[nodiscard]] constexpr element_range after(std::ptrdiff_t start) const { return {first - start, last - start}; }
};

/// The address n elements before another: of an element, or of one that is not there and is not read.
template <class E>
DYAD_INLINE const E* element_before(const void* p, std::ptrdiff_t n) {
    return reinterpret_cast<const E*>(reinterpret_cast<std::uintptr_t>(p) - static_cast<std::uintptr_t>(n) * sizeof(E));
}

/// Some lanes of a vector; a number, or not.
template <class V>
struct lane_choice {
    using type = typename V::choice;
};
template <number V>
struct lane_choice<V> {
    using type = bool;
};

/// `Around` is Kernel with its masks. The plain loop's constants and ways of storing are those of inner_loop.
template <class Kernel, class Around, auto Shape, class T, class V, std::size_t Inputs, std::size_t Places>
class partial_loop : inner_loop<Kernel, Shape, T, V, Inputs> {
    using plain = inner_loop<Kernel, Shape, T, V, Inputs>;
    using one_by_one = partial_loop<Kernel, Around, Shape, T, T, Inputs, Places>;
    using choice = typename lane_choice<V>::type;
    template <class, class, auto, class, class, std::size_t, std::size_t>
    friend class partial_loop;

public:
    using plain::outputs, plain::width, plain::streams;

    /// As inner_loop::run; input j has the elements of range `has[Shape.place[j]]`. (in[j] belongs to element 0 of the
    /// loop, whether there is one or not.)
    template <bool Stream = false>
    static void run(std::size_t n, const T* const* in, T* const* out, const element_range* has) {
        run_over<Stream>(n, in, out, [&]<std::size_t P>() { return element_range{alone(has[P].first), alone(has[P].last)}; });
    }
    /// The same in its caller: where `has.operator()<P>()`, the range of number P, is known but for n.
    template <bool Stream = false, class Ranges>
    DYAD_INLINE static void run_over(std::size_t n, const T* const* in, T* const* out, const Ranges& has) {
        run_with<Stream>(static_cast<std::ptrdiff_t>(n), in, out, has, std::make_index_sequence<Places>{}, std::make_index_sequence<Inputs>{},
                         std::make_index_sequence<outputs>{});
    }

private:
    using plain::begin; // (for its friends)
    /// So few elements at an end are computed one by one, where that takes a few instructions and gives what vectors give.
    static constexpr std::ptrdiff_t narrow = width == 1 || Around::calls ? 0 : 2;
    /// Where everything lies.
    struct elements {
        std::ptrdiff_t count;
        element_range has[Places];
        const T* from[Inputs + 1];
        T same[Inputs + 1]; ///< of the inputs that do not walk
    };

    template <bool Stream, class Ranges, std::size_t... P, std::size_t... J, std::size_t... K>
    DYAD_INLINE static void run_with(std::ptrdiff_t n, [[maybe_unused]] const T* const* in, [[maybe_unused]] T* const* out, const Ranges& ranges,
                                     std::index_sequence<P...> p, std::index_sequence<J...> j, std::index_sequence<K...> k) {
        elements e{n, {ranges.template operator()<P>() & element_range{0, n}...}, {alone(in[J])..., nullptr}, {}};
        ((e.same[J] = same_for_all<J>(e.from[J], e.has[Shape.place[J]])), ...);
        const typename plain::outputs_at to{{alone(out[K])..., nullptr}};
        const V same[Inputs + 1] = {V(e.same[J])..., V(T(0))};
        V total[outputs + 1];
        T total_of_ends[outputs + 1];
        begin(total, k);
        one_by_one::begin(total_of_ends, k);
        if (const element_range inside = (element_range{0, n} & ... & e.has[P]); inside.first + n - inside.last > 2 * static_cast<std::ptrdiff_t>(width)) {
            part_by_part<Stream>(e, same, to, total, total_of_ends, p, j, k);
        } else {
            std::ptrdiff_t i = 0;
            [[maybe_unused]] const auto one_by_one_to = [&](std::ptrdiff_t end) DYAD_INLINE_LAMBDA {
                if constexpr (narrow > 0) {
                    while (i < end) one_by_one::ask(i, e, to, total_of_ends, p, j, k);
                }
            };
            if (inside.first <= narrow) one_by_one_to(std::min(n, inside.first));
            while (i < n && i < inside.first) ask(i, e, to, total, p, j, k);
            plain::template whole_vectors<Stream>(i, inside.last, of_all(e, same, j), e.from, to, total, j, k);
            if (n - i <= narrow) one_by_one_to(n);
            while (i < n) ask(i, e, to, total, p, j, k);
        }
        ((plain::template accumulates<K> ? static_cast<void>(*to.at[K] = combined<Shape.how[K]>(across<Shape.how[K], T>(total[K]), total_of_ends[K])) : void()), ...);
    }
    /// A vector where all inputs have elements.
    template <std::size_t... J>
    DYAD_INLINE static auto of_all(const elements& e, const V* same, std::index_sequence<J...>) {
        return [&e, same](std::ptrdiff_t here, const auto& read) DYAD_INLINE_LAMBDA {
            const V x[Inputs + 1] = {(Shape.input_walks[J] ? read.template operator()<J>(e.from[J] + (Shape.input_walks[J] ? here : 0)) : same[J])..., V(T(0))};
            return Kernel::template run<V>(x);
        };
    }
    /// Where some inputs have none for long, as beside the other parts of a split array: between the edges each has all of its elements or
    /// none.
    template <bool Stream, class To, std::size_t... P, std::size_t... J, std::size_t... K>
    static void part_by_part(const elements& e, const V* same, const To& to, V* total, [[maybe_unused]] T* total_of_ends, std::index_sequence<P...> p,
                             std::index_sequence<J...> j, std::index_sequence<K...> k) {
        for (std::ptrdiff_t i = 0; i < e.count;) {
            std::ptrdiff_t end = e.count;
            const bool has[Places] = {e.has[P].contains_up_to(i, end)...};
            if (end - i < static_cast<std::ptrdiff_t>(width)) {
                if constexpr (narrow > 0) {
                    if (end - i <= narrow) {
                        while (i < end) one_by_one::ask(i, e, to, total_of_ends, p, j, k);
                        continue;
                    }
                }
                ask(i, e, to, total, p, j, k);
            } else if ((has[P] && ...)) {
                plain::template whole_vectors<Stream>(i, end, of_all(e, same, j), e.from, to, total, j, k);
            } else {
                const auto of_some = [&](std::ptrdiff_t here, const auto& read) DYAD_INLINE_LAMBDA {
                    const V x[Inputs + 1] = {of_all_or_none<J>(e.from[J], here, read, has[Shape.place[J]], same[J])..., V(T(0))};
                    return Around::template run<V>(x);
                };
                plain::template whole_vectors<false>(i, end, of_some, e.from, to, total, j, k); // (a stream would read ahead where nothing is)
            }
        }
    }
    /// A vector from element i on, of which some inputs lack some.
    template <class Elements, class To, std::size_t... P, std::size_t... J, std::size_t... K>
    DYAD_INLINE static void ask(std::ptrdiff_t& i, const Elements& e, const To& to, V* total, std::index_sequence<P...>, std::index_sequence<J...>,
                                std::index_sequence<K...>) {
        const choice chosen[Places] = {lanes_in(e.has[P].after(i))...};
        const V x[Inputs + 1] = {input<J>(e.from[J], i, chosen[Shape.place[J]], e.same[J])..., V(T(0))};
        const std::array<V, outputs> y = Around::template run<V>(x);
        if constexpr (width > 1) {
            if (const std::ptrdiff_t rest = e.count - i; rest < static_cast<std::ptrdiff_t>(width)) {
                const auto beyond = V::numbers() < V(static_cast<T>(rest));
                (plain::template keep_first<K>(to.at[K] + i, math::choose(beyond, y[K], V(neutral<T>(Shape.how[K]))), static_cast<std::size_t>(rest), total), ...);
                i = e.count;
                return;
            }
        }
        (plain::template keep<K>(to.at[K] + i, y[K], total), ...);
        i += static_cast<std::ptrdiff_t>(width);
    }
    /// Which lanes of a vector have elements; for a number, whether it has.
    DYAD_INLINE static choice lanes_in(element_range has) {
        if constexpr (width == 1) return has.first <= 0 && 0 < has.last;
        if constexpr (width > 1) return V::between(has.first, has.last);
    }
    template <std::size_t J>
    DYAD_INLINE static T same_for_all(const T* from, element_range has) {
        if constexpr (Shape.input_walks[J] || Shape.is_mask[J]) return T(0);
        return has.first < has.last ? *from : T(0);
    }
    /// A vector of an input that has all of its elements, or none.
    template <std::size_t J, class Read>
    DYAD_INLINE static V of_all_or_none([[maybe_unused]] const T* start, [[maybe_unused]] std::ptrdiff_t i, [[maybe_unused]] const Read& read, [[maybe_unused]] bool has,
                                        V same) {
        if constexpr (Shape.is_mask[J]) {
            return V(static_cast<T>(has));
        } else if constexpr (Shape.input_walks[J]) {
            return has ? read.template operator()<J>(start + i) : V(T(0));
        } else {
            return same;
        }
    }
    template <std::size_t J>
    DYAD_INLINE static V input([[maybe_unused]] const T* start, [[maybe_unused]] std::ptrdiff_t i, choice chosen, T same) {
        if constexpr (Shape.is_mask[J]) {
            if constexpr (width == 1) return static_cast<T>(chosen);
            if constexpr (width > 1) return V::ones_in(chosen);
        } else if constexpr (Shape.input_walks[J]) {
            if constexpr (width == 1) return chosen ? start[i] : T(0);
            if constexpr (width > 1) return V::load_some(element_before<T>(start, -i), chosen);
        } else {
            return V(same);
        }
    }
};

} // namespace dyad
