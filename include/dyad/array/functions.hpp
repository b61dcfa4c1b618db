// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The array functions of the user, on traced values: sum(x, 0), matmul(a, b), x.T ... The rules of array
// operations are written with them too. Axes count from the first; negative ones from the last, as in NumPy.
#pragma once

#include <dyad/array/fault.hpp>

namespace dyad {

/// Keeps reduced axes, with size 1: `sum(x, 0, keep_dims)`.
struct keep_dims_t {};
inline constexpr keep_dims_t keep_dims;

/// What names the axes of a reduction: whole numbers, and `keep_dims` before, between or behind them. (`true` is no axis.)
template <class A>
concept axis_argument = (std::integral<A> && !std::same_as<A, bool>) || std::same_as<A, keep_dims_t>;
template <axis_argument... A>
inline constexpr bool keeps_dims = (std::same_as<A, keep_dims_t> || ...);

constexpr unsigned rank_of(const tracer& x) {
    return x.home() == nullptr ? 0 : x.home()->nodes.at[x.in(*x.home())].rank;
}
/// Whether axis k from the end has size 1 by construction.
constexpr bool is_single(const tracer& x, unsigned k) {
    return x.home() != nullptr && (x.home()->nodes.at[x.in(*x.home())].ones >> k & 1) != 0;
}

/// The node of an array operation on x (and y, z), with its attribute.
constexpr tracer array_operation(opcode op, std::uint64_t bits, const tracer& x, asked_as asked = asked_as::itself) {
    builder* b = x.home();
    if (b == nullptr || b->is_faulty()) return refused(array_fault::unknown, x);
    return {*b, b->emit({.op = op, .operand = {x.in(*b), 0, static_cast<node_index>(asked)}, .bits = bits})};
}
constexpr tracer array_operation(opcode op, std::uint64_t bits, const tracer& x, const tracer& y, asked_as asked = asked_as::itself) {
    builder* b = x.home() != nullptr ? x.home() : y.home();
    if (b == nullptr || b->is_faulty()) return refused(array_fault::unknown, x, y);
    return {*b, b->emit({.op = op, .operand = {x.in(*b), y.in(*b), static_cast<node_index>(asked)}, .bits = bits})};
}
constexpr tracer array_operation(opcode op, std::uint64_t bits, const tracer& x, const tracer& y, const tracer& z) {
    builder* b = x.home() != nullptr ? x.home() : y.home() != nullptr ? y.home() : z.home();
    if (b == nullptr || b->is_faulty()) return refused(array_fault::unknown, x.home() != nullptr ? x : y, z);
    return {*b, b->emit({.op = op, .operand = {x.in(*b), y.in(*b), z.in(*b)}, .bits = bits})};
}

/// Axis `axis` of x, counted from the last; of x with `more` further axes.
constexpr unsigned axis_from_end(const tracer& x, int axis, int more = 0) {
    const int n = static_cast<int>(rank_of(x)) + more;
    if (axis >= -n && axis < n) return static_cast<unsigned>(axis < 0 ? -axis - 1 : n - 1 - axis);
    refused(array_fault::axis, x);
    return 0;
}

/// All axes, if none is named.
template <axis_argument... Axes>
constexpr unsigned axes_mask(const tracer& x, Axes... axes) {
    unsigned mask = 0;
    [[maybe_unused]] const auto add = [&]<class A>(A axis) {
        if constexpr (std::integral<A>) {
            const unsigned bit = 1U << axis_from_end(x, static_cast<int>(axis));
            if ((mask & bit) != 0) refused(array_fault::repeated_axis, x);
            mask |= bit;
        }
    };
    (add(axes), ...);
    return (std::integral<Axes> || ...) ? mask : low_bits(rank_of(x));
}

constexpr tracer reduced(opcode op, const tracer& x, unsigned axes, asked_as asked = asked_as::itself) {
    if (axes == 0) return is(op, opcode::arg_max) || is(op, opcode::arg_min) ? tracer(0) : x; // (of a number: it stands first)
    return array_operation(op, axes, x, asked);
}
/// Axes of size 1 put in where the mask of the result says.
constexpr tracer expanded(const tracer& x, unsigned axes) {
    return axes == 0 || rank_of(x) + axes == 0 ? x : array_operation(opcode::expand, axes, x);
}
/// x stretched to the shape that it has together with y, as far as the types tell.
constexpr tracer widened_like(const tracer& x, const tracer& y) {
    builder* b = y.home();
    return b == nullptr ? x : tracer(*b, b->broadcast_to(x.in(*b), y.in(*b)));
}
/// The same; and along axes that have size 1 only at run time.
constexpr tracer broadcast_like(const tracer& x, const tracer& y) {
    return rank_of(y) == 0 ? x : array_operation(opcode::broadcast_like, kept_stretch, x, y);
}
/// The number of elements along the axes, as a number.
constexpr tracer extent(const tracer& x, unsigned axes) {
    return axes == 0 ? tracer(1) : array_operation(opcode::extent, axes, x);
}

constexpr tracer kept(const tracer& reduced_value, unsigned axes, bool keep) {
    return keep ? expanded(reduced_value, axes) : reduced_value;
}
template <opcode Reduction>
constexpr tracer reduced_over(const tracer& x, unsigned axes, bool keep) {
    return kept(reduced(Reduction, x, axes), axes, keep);
}
/// One axis after the other, the first ones first: the slopes of a product are those along one axis, or of all elements.
constexpr tracer product_over(const tracer& x, unsigned axes, bool keep) {
    const unsigned rank = rank_of(x);
    tracer r = x;
    if (axes == low_bits(rank)) return kept(reduced(opcode::reduce_prod, x, axes), axes, keep);
    for (unsigned k = rank; k-- > 0;) r = reduced(opcode::reduce_prod, r, axes & 1U << k);
    return kept(r, axes, keep);
}
constexpr tracer mean_over(const tracer& x, unsigned axes, bool keep) {
    return kept(reduced(opcode::reduce_sum, x, axes) / extent(x, axes), axes, keep);
}
constexpr tracer norm_over(const tracer& x, unsigned axes, bool keep) {
    // Slope 0 at the origin: the root is taken of where it is not 0.
    const tracer squares = reduced(opcode::reduce_sum, square(x), axes);
    const tracer at_origin = where(squares == 0, tracer(1), squares);
    return kept(where(squares == 0, tracer(0), sqrt(at_origin)), axes, keep);
}
constexpr tracer variance_over(const tracer& x, unsigned axes, bool keep) {
    return mean_over(square(x - mean_over(x, axes, true)), axes, keep);
}
constexpr tracer logsumexp_over(const tracer& x, unsigned axes, bool keep) {
    const tracer largest = stop_gradient(reduced(opcode::reduce_max, x, axes, asked_as::logsumexp));
    const auto finite = abs(largest) < constant::infinity<double>;
    const tracer shift = where(finite, largest, tracer(0));
    const tracer total = reduced(opcode::reduce_sum, exp(x - expanded(shift, axes)), axes);
    const tracer of_total = where(largest == -constant::infinity<double>, stop_gradient(total), total); // (slopes 0, not 0/0)
    return kept(log(of_total) + shift, axes, keep);
}
#define DYAD_REDUCTION(name, over)                                                                   \
    template <axis_argument... Axes>                                                                 \
    constexpr tracer name(const tracer& x, Axes... axes) {                                           \
        return over(x, axes_mask(x, axes...), keeps_dims<Axes...>);                                  \
    }
/// Σ x over the axes (all, if none is named).
DYAD_REDUCTION(sum, reduced_over<opcode::reduce_sum>)
/// The largest and the smallest element; equal ones share the slope.
DYAD_REDUCTION(amax, reduced_over<opcode::reduce_max>)
DYAD_REDUCTION(amin, reduced_over<opcode::reduce_min>)
/// The position of the largest (smallest) element, the first of equal ones; no gradient.
DYAD_REDUCTION(argmax, reduced_over<opcode::arg_max>)
DYAD_REDUCTION(argmin, reduced_over<opcode::arg_min>)
/// Π x over the axes.
DYAD_REDUCTION(prod, product_over)
/// Σ x / n over the axes.
DYAD_REDUCTION(mean, mean_over)
/// √Σ x², with slope 0 at the origin.
DYAD_REDUCTION(norm, norm_over)
/// Σ (x - mean x)² / n.
DYAD_REDUCTION(variance, variance_over)
#undef DYAD_REDUCTION

/// amax and amin by the names that numbers have: as `max(x, y)` is also the larger of two, a whole second operand is an axis
/// where x is an array, and `max(x, 0.0)` compares.
#define DYAD_EXTREMUM(name, reduction)                                                               \
    constexpr tracer name(const tracer& x) { return reduction(x); }                                  \
    constexpr tracer name(const tracer& x, keep_dims_t) { return reduction(x, keep_dims); }          \
    template <std::integral Axis>                                                                    \
    constexpr tracer name(const tracer& x, Axis axis) {                                              \
        return rank_of(x) == 0 ? trace_operation(opcode::name, x, tracer(axis)) : reduction(x, axis); \
    }                                                                                                \
    template <axis_argument First, axis_argument Second, axis_argument... More>                      \
    constexpr tracer name(const tracer& x, First first, Second second, More... more) {               \
        return reduction(x, first, second, more...);                                                 \
    }
DYAD_EXTREMUM(max, amax)
DYAD_EXTREMUM(min, amin)
#undef DYAD_EXTREMUM

/// log Σ exp x over the axes, without overflow. (Of a number and whole ones, of these.)
template <axis_argument... Axes>
constexpr tracer logsumexp(const tracer& x, Axes... axes) {
    if constexpr (sizeof...(Axes) > 0 && !keeps_dims<Axes...>) {
        if (rank_of(x) == 0) return logaddexp_of_all(x, axes...);
    }
    return logsumexp_over(x, axes_mask(x, axes...), keeps_dims<Axes...>);
}

/// exp x / Σ exp x along one axis (the last one).
template <std::integral Axis = int>
constexpr tracer softmax(const tracer& x, Axis axis = -1) {
    const unsigned mask = axes_mask(x, axis);
    const tracer e = exp(x - expanded(stop_gradient(reduced(opcode::reduce_max, x, mask, asked_as::softmax)), mask));
    return e / expanded(reduced(opcode::reduce_sum, e, mask), mask);
}
/// x - log Σ exp x along one axis (the last one).
template <std::integral Axis = int>
constexpr tracer log_softmax(const tracer& x, Axis axis = -1) {
    const unsigned mask = axes_mask(x, axis);
    const tracer shifted = x - expanded(stop_gradient(reduced(opcode::reduce_max, x, mask, asked_as::log_softmax)), mask);
    return shifted - expanded(log(reduced(opcode::reduce_sum, exp(shifted), mask)), mask);
}

} // namespace dyad
