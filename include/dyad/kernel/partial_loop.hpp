// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The innermost loop where some inputs have elements in a range only: slices that lie shifted against each other, as
// in stencils. Where all have elements it is the plain loop; around that a second kernel asks, lane by lane.
#pragma once

#include <dyad/kernel/loop.hpp>

namespace dyad {

/// Elements first to last - 1 of a loop.
struct element_range {
    std::ptrdiff_t first = 0, last = 0;

    friend constexpr element_range operator&(element_range a, element_range b) {
        return {a.first < b.first ? b.first : a.first, a.last < b.last ? a.last : b.last};
    }
    [[nodiscard]] constexpr element_range after(std::ptrdiff_t start) const { return {first - start, last - start}; }
};

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
    using choice = typename lane_choice<V>::type;

public:
    using plain::outputs, plain::width, plain::streams;

    /// As inner_loop::run; input j has the elements of range `has[Shape.place[j]]`. (in[j] belongs to element 0 of the
    /// loop, whether there is one or not.)
    template <bool Stream = false>
    static void run(std::size_t n, const T* const* in, T* const* out, const element_range* has) {
        run_with<Stream>(static_cast<std::ptrdiff_t>(n), in, out, has, std::make_index_sequence<Inputs>{}, std::make_index_sequence<outputs>{});
    }

private:
    template <std::size_t J>
    DYAD_INLINE static V same_for_all(const T* from, element_range has) {
        if constexpr (Shape.input_walks[J] || Shape.is_mask[J]) return V(T(0));
        return has.first < has.last ? V(*from) : V(T(0));
    }
    template <bool Stream, std::size_t... J, std::size_t... K>
    DYAD_INLINE static void run_with(std::ptrdiff_t n, [[maybe_unused]] const T* const* in, [[maybe_unused]] T* const* out, const element_range* ranges, std::index_sequence<J...>,
                                     std::index_sequence<K...>) {
        constexpr auto step = static_cast<std::ptrdiff_t>(width);
        element_range has[Places], inside{0, n};
        for (std::size_t p = 0; p < Places; ++p) {
            has[p] = element_range{alone(ranges[p].first), alone(ranges[p].last)} & element_range{0, n};
            inside = inside & has[p];
        }
        const T* const from[Inputs + 1] = {alone(in[J])..., nullptr};
        const typename plain::outputs_at to{{alone(out[K])..., nullptr}};
        const V same[Inputs + 1] = {same_for_all<J>(from[J], has[Shape.place[J]])..., V(T(0))};
        V total[outputs + 1];
        plain::begin(total, std::index_sequence<K...>{});
        std::ptrdiff_t i = 0;
        const auto ask = [&]() DYAD_INLINE_LAMBDA {
            choice chosen[Places];
            for (std::size_t p = 0; p < Places; ++p) chosen[p] = lanes_in(has[p].after(i));
            const V x[Inputs + 1] = {input<J>(Shape.input_walks[J] ? beside(from[J], i) : from[J], chosen[Shape.place[J]], same[J])..., V(T(0))};
            const std::array<V, outputs> y = Around::template run<V>(x);
            const std::ptrdiff_t rest = n - i;
            if constexpr (width > 1) {
                if (rest < step) {
                    const auto beyond = V::numbers() < V(static_cast<T>(rest));
                    (plain::template keep_first<K>(to.at[K] + i, math::choose(beyond, y[K], V(neutral<T>(Shape.how[K]))), static_cast<std::size_t>(rest), total), ...);
                    i = n;
                    return;
                }
            }
            (plain::template keep<K>(to.at[K] + i, y[K], total), ...);
            i += step;
        };
        while (i < n && i < inside.first) ask();
        const auto at = [&](std::ptrdiff_t here) DYAD_INLINE_LAMBDA {
            const V x[Inputs + 1] = {(Shape.input_walks[J] ? load_lanes<V>(from[J] + (Shape.input_walks[J] ? here : 0)) : same[J])..., V(T(0))};
            return Kernel::template run<V>(x);
        };
        plain::template whole_vectors<Stream>(i, inside.last, at, to, total, std::index_sequence<K...>{});
        while (i < n) ask();
        plain::deliver(to, total, std::index_sequence<K...>{});
    }
    /// The address n elements on, of an element or of one that is not there and is not read.
    DYAD_INLINE static const T* beside(const T* p, std::ptrdiff_t n) {
        return reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(n) * sizeof(T));
    }
    /// Which lanes of a vector have elements; for a number, whether it has.
    DYAD_INLINE static choice lanes_in(element_range has) {
        if constexpr (width == 1) return has.first <= 0 && 0 < has.last;
        if constexpr (width > 1) return V::between(has.first, has.last);
    }
    template <std::size_t J>
    DYAD_INLINE static V input([[maybe_unused]] const T* from, choice chosen, V same) {
        if constexpr (Shape.is_mask[J]) {
            if constexpr (width == 1) return static_cast<T>(chosen);
            if constexpr (width > 1) return V::ones_in(chosen);
        } else if constexpr (Shape.input_walks[J]) {
            if constexpr (width == 1) return chosen ? *from : T(0);
            if constexpr (width > 1) return V::load_some(from, chosen);
        } else {
            return same;
        }
    }
};

} // namespace dyad
