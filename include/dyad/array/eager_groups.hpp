// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How the functions of arrays take their whole numbers when operands are expressions: a constant (0_c) is part of the
// program; one known at run time moves elements first, so that the program knows its axes again.
#pragma once

#include <array>
#include <cmath>

#include <dyad/array/convolution.hpp>
#include <dyad/array/movement.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

template <class... X>
inline constexpr bool has_numbers = (std::integral<X> || ...);

struct transposition {
    constexpr tracer operator()(const auto&... x) const { return transpose(x...); }
};
/// An axis as counted from the first.
inline int checked_axis(const char* name, int axis, unsigned rank) {
    const int n = static_cast<int>(rank);
    if (axis < -n || axis >= n)
        throw shape_error("[dyad] " + std::string(name) + ": axis " + std::to_string(axis) + " is not in [" + std::to_string(-n) + ", " + std::to_string(n) + ")");
    return axis < 0 ? axis + n : axis;
}
/// x with its axes in the given order.
template <class E, std::size_t Rank>
auto permuted(const E& e, const std::array<int, Rank>& order) {
    return unpack([&](const auto... k) { return move_elements<transposition>("transpose", e, k...); }, order);
}
template <std::size_t Rank>
constexpr std::array<int, Rank> inverse_order(const std::array<int, Rank>& order) {
    std::array<int, Rank> inverse{};
    for (std::size_t k = 0; k < Rank; ++k) inverse[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
    return inverse;
}
/// The axes in an order that has the named ones last (or first).
template <std::size_t Rank, std::size_t N>
std::array<int, Rank> axes_apart(const char* name, const std::array<int, N>& named, bool last = true) {
    std::array<int, Rank> order{};
    bool taken[Rank] = {};
    std::size_t at = last ? Rank - N : 0;
    for (const int axis : named) {
        const int k = checked_axis(name, axis, Rank);
        if (taken[k]) throw shape_error("[dyad] " + std::string(name) + ": axis " + std::to_string(axis) + " is named twice");
        taken[k] = true;
        order[at++] = k;
    }
    at = last ? 0 : N;
    for (std::size_t k = 0; k < Rank; ++k) {
        if (!taken[k]) order[at++] = static_cast<int>(k);
    }
    return order;
}

/// Argument number `Item` of a group: constants among attributes that are known at run time only are numbers as these.
template <class Group, std::size_t Item, class X>
decltype(auto) among_numbers(const X& x) {
    if constexpr (Item >= Group::operands && is_constant_expression<X>) {
        return number_of_constant<X>();
    } else {
        return as_operand<false, (Item < Group::operands)>(x);
    }
}

// Groups have a part only where there are whole numbers among the attributes. `operands`: so many arguments are values,
// even if they are whole numbers.

/// All arguments are values; ranks do not depend on numbers.
struct whole_group {
    static constexpr std::size_t operands = 8;
};
/// Moves elements: f(x, numbers...).
struct movement_group {
    static constexpr std::size_t operands = 1;
    template <class Function, class... X>
    static auto run(const char* name, const X&... x) {
        return move_elements<Function>(name, x...);
    }
};
/// The same, where the numbers are sizes: an expression's, x.shape(0), is a number as others.
struct sizes_group : movement_group {};
template <class Group, class First, class... X>
inline constexpr bool names_sizes = std::same_as<Group, sizes_group> && eager<First> && (std::floating_point<X> || ...);
template <class X>
decltype(auto) whole_size(const char* name, const X& x) {
    if constexpr (std::floating_point<X>) {
        if (!(x >= -1 && x < 1e18) || std::floor(x) != x) throw value_error("[dyad] " + std::string(name) + ": a size of " + std::to_string(x));
        return static_cast<std::ptrdiff_t>(x);
    } else {
        return (x);
    }
}
/// Works along axes: f(x, axes...), with keep_dims anywhere behind x. `Same`: the result has the axes of x.
template <bool Same>
struct axes_group {
    static constexpr std::size_t operands = 1;
    template <class Function, class E, class... X>
    static auto run(const char* name, const E& e, const X&... x) {
        constexpr std::size_t named = (std::size_t{0} + ... + (std::integral<X> ? 1 : 0));
        constexpr bool kept = Same || (std::same_as<X, keep_dims_t> || ...);
        constexpr unsigned rank = rank_of_expression<E>;
        static_assert(named <= rank, "[dyad] axis: more axes are named than the operand has");
        static_assert(sizeof...(X) == named + (kept && !Same ? 1 : 0), "[dyad] axis: an axis is a whole number");
        if constexpr (named <= rank) {
            std::array<int, named> axes{};
            std::size_t next = 0;
            const auto note = [&](const auto& a) {
                if constexpr (std::integral<std::remove_cvref_t<decltype(a)>>) axes[next++] = static_cast<int>(a);
            };
            (note(x), ...);
            auto order = axes_apart<rank>(name, axes);
            std::sort(order.end() - static_cast<std::ptrdiff_t>(named), order.end()); // positions are counted in the array's order
            if constexpr (named == rank) {
                return last_axes<Function, kept && !Same>(e, std::make_index_sequence<named>{});
            } else {
                const auto found = last_axes<Function, kept && !Same>(permuted(e, order), std::make_index_sequence<named>{});
                if constexpr (kept) {
                    return permuted(found, inverse_order(order));
                } else {
                    return found;
                }
            }
        }
    }

private:
    template <class Function, bool Keep, class E, std::size_t... K>
    static auto last_axes(const E& e, std::index_sequence<K...>) {
        if constexpr (Keep) {
            return apply_to_expressions<Function>(e, keep_dims, whole<-1 - static_cast<int>(K)>{}...);
        } else {
            return apply_to_expressions<Function>(e, whole<-1 - static_cast<int>(K)>{}...);
        }
    }
};
/// take(x, indices, axis) and scatter_add(x, indices, v, axis).
template <std::size_t Operands>
struct index_group {
    static constexpr std::size_t operands = Operands;
    static constexpr std::size_t positions = 1; ///< the operand that has them
    template <class Function, class E, class Item, class... X>
    static auto run(const char* name, const E& e, const Item& indices, const X&... x) {
        if constexpr (rank_of_expression<E> == 1) {
            const auto fixed = [&](const auto& a) {
                if constexpr (std::integral<std::remove_cvref_t<decltype(a)>>) {
                    static_cast<void>(checked_axis(name, static_cast<int>(a), rank_of_expression<E>));
                    return whole<0>{};
                } else {
                    return a;
                }
            };
            return apply_to_expressions<Function>(e, indices, fixed(x)...);
        } else {
            return along_first<Function>(name, e, indices, x...);
        }
    }

private:
    template <class Function, class E, class Item, class Axis>
    static auto along_first(const char* name, const E& e, const Item& indices, const Axis& axis) {
        constexpr std::size_t rank = rank_of_expression<E>, more = rank_of_expression<Item>;
        const int k = checked_axis(name, static_cast<int>(axis), rank);
        const auto found = apply_to_expressions<Function>(permuted(e, axes_apart<rank>(name, std::array{k}, false)), indices);
        return permuted(found, inverse_order(indexed_first<rank, more>(k)));
    }
    template <class Function, class E, class Item, class V, class Axis>
    static auto along_first(const char* name, const E& e, const Item& indices, const V& v, const Axis& axis) {
        constexpr std::size_t rank = rank_of_expression<E>, more = rank_of_expression<Item>;
        const int k = checked_axis(name, static_cast<int>(axis), rank);
        const auto order = axes_apart<rank>(name, std::array{k}, false);
        const auto moved = permuted(e, order);
        if constexpr (rank_of_expression<V> == 0) {
            return permuted(apply_to_expressions<Function>(moved, indices, v), inverse_order(order));
        } else {
            constexpr bool whole_array = rank_of_expression<V> == rank - 1 + more;
            static_assert(whole_array, "[dyad] scatter_add: what is added needs all axes where the axis is not a constant; write it as 1_c");
            if constexpr (whole_array)
                return permuted(apply_to_expressions<Function>(moved, indices, permuted(v, indexed_first<rank, more>(k))), inverse_order(order));
        }
    }
    /// The order that brings the axes of the indices, which stand where axis k was, to the front.
    template <std::size_t Rank, std::size_t More>
    static std::array<int, Rank - 1 + More> indexed_first(int k) {
        std::array<int, Rank - 1 + More> order{};
        for (std::size_t i = 0; i < order.size(); ++i) {
            const int at = static_cast<int>(i), more = static_cast<int>(More);
            order[i] = at < more ? k + at : at - more < k ? at - more : at;
        }
        return order;
    }
};

/// conv2d(x, kernels, step, padding), max_pool and avg_pool(x, size, step).
struct convolution_group {
    static constexpr std::size_t operands = 2;
    struct padded {
        static constexpr int typical = 1;
        constexpr tracer operator()(const tracer& x, int padding) const { return pad(pad(x, 2, padding, padding), 3, padding, padding); }
    };
    struct thinned {
        constexpr tracer operator()(const tracer& x, int step) const { return slice(slice(x, 2, 0, to_the_end, step), 3, 0, to_the_end, step); }
    };
    template <class Function, class E, class K, class... X>
    static auto run(const char* name, const E& e, const K& kernels, const X&... x) {
        const int numbers[] = {static_cast<int>(x)..., 0};
        return move_elements<thinned>(name, apply_to_expressions<Function>(move_elements<padded>(name, e, numbers[1]), kernels), numbers[0]);
    }
};
template <class Pool>
struct pooling_group {
    static constexpr std::size_t operands = 1;
    struct windows {
        static constexpr int typical = 1;
        constexpr tracer operator()(const tracer& x, int size, int step) const { return pooled_windows(x, size, step); }
        constexpr tracer operator()(const tracer& x, int size) const { return pooled_windows(x, size, size); }
    };
    template <class Function, class E, class... X>
    static auto run(const char* name, const E& e, const X&... x) {
        return apply_to_expressions<Pool>(move_elements<windows>(name, e, x...), whole<-1>{}, whole<-2>{});
    }
};

} // namespace dyad
