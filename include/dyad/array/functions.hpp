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

constexpr unsigned rank_of(const tracer& x) {
    return x.home() == nullptr ? 0 : x.home()->nodes.at[x.in(*x.home())].rank;
}

/// The node of an array operation on x (and y, z), with its attribute.
constexpr tracer array_operation(opcode op, std::uint64_t bits, const tracer& x) {
    builder* b = x.home();
    if (b == nullptr || b->is_faulty()) return refused(array_fault::unknown, x);
    return {*b, b->emit({.op = op, .operand = {x.in(*b), 0, 0}, .bits = bits})};
}
constexpr tracer array_operation(opcode op, std::uint64_t bits, const tracer& x, const tracer& y) {
    builder* b = x.home() != nullptr ? x.home() : y.home();
    if (b == nullptr || b->is_faulty()) return refused(array_fault::unknown, x, y);
    return {*b, b->emit({.op = op, .operand = {x.in(*b), y.in(*b), 0}, .bits = bits})};
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
template <std::integral... Axes>
constexpr unsigned axes_mask(const tracer& x, Axes... axes) {
    unsigned mask = 0;
    [[maybe_unused]] const auto add = [&](int axis) {
        const unsigned bit = 1U << axis_from_end(x, axis);
        if ((mask & bit) != 0) refused(array_fault::repeated_axis, x);
        mask |= bit;
    };
    (add(static_cast<int>(axes)), ...);
    return sizeof...(Axes) == 0 ? low_bits(rank_of(x)) : mask;
}

constexpr tracer reduced(opcode op, const tracer& x, unsigned axes) {
    return axes == 0 ? x : array_operation(op, axes, x);
}
/// Axes of size 1 put in where the mask of the result says.
constexpr tracer expanded(const tracer& x, unsigned axes) {
    return axes == 0 || rank_of(x) + axes == 0 ? x : array_operation(opcode::expand, axes, x);
}
/// x stretched to the shape that it has together with y.
constexpr tracer broadcast_like(const tracer& x, const tracer& y) {
    builder* b = y.home();
    return b == nullptr ? x : tracer(*b, b->broadcast_to(x.in(*b), y.in(*b)));
}
/// The number of elements along the axes, as a number.
constexpr tracer extent(const tracer& x, unsigned axes) {
    return axes == 0 ? tracer(1) : array_operation(opcode::extent, axes, x);
}

#define DYAD_REDUCTION(name, code)                                                                   \
    template <std::integral... Axes>                                                                 \
    constexpr tracer name(const tracer& x, Axes... axes) {                                           \
        return reduced(opcode::code, x, axes_mask(x, axes...));                                      \
    }                                                                                                \
    template <std::integral... Axes>                                                                 \
    constexpr tracer name(const tracer& x, keep_dims_t, Axes... axes) {                              \
        const unsigned mask = axes_mask(x, axes...);                                                 \
        return expanded(reduced(opcode::code, x, mask), mask);                                       \
    }                                                                                                \
    template <std::integral Axis>                                                                    \
    constexpr tracer name(const tracer& x, Axis axis, keep_dims_t) {                                 \
        return name(x, keep_dims, axis);                                                             \
    }                                                                                                \
    template <std::integral Axis>                                                                    \
    constexpr tracer name(const tracer& x, Axis first, Axis second, keep_dims_t) {                   \
        return name(x, keep_dims, first, second);                                                    \
    }
/// Σ x over the axes (all, if none is named).
DYAD_REDUCTION(sum, reduce_sum)
/// The largest and the smallest element; equal ones share the slope. As `max(x, y)` is also the larger of two, an integer
/// second operand is an axis where x is an array, and `max(x, 0.0)` compares.
DYAD_REDUCTION(amax, reduce_max)
DYAD_REDUCTION(amin, reduce_min)
/// The position of the largest (smallest) element, the first of equal ones; no gradient.
DYAD_REDUCTION(argmax, arg_max)
DYAD_REDUCTION(argmin, arg_min)
#undef DYAD_REDUCTION

#define DYAD_EXTREMUM(name, reduction)                                                               \
    constexpr tracer name(const tracer& x) { return reduction(x); }                                  \
    template <std::integral Axis>                                                                    \
    constexpr tracer name(const tracer& x, Axis axis) {                                              \
        return rank_of(x) == 0 ? trace_operation(opcode::name, x, tracer(axis)) : reduction(x, axis); \
    }                                                                                                \
    template <std::integral Axis>                                                                    \
    constexpr tracer name(const tracer& x, Axis axis, keep_dims_t) {                                 \
        return reduction(x, keep_dims, axis);                                                        \
    }
DYAD_EXTREMUM(max, amax)
DYAD_EXTREMUM(min, amin)
#undef DYAD_EXTREMUM

/// What takes trailing axes and is composed of reductions: `name(x, axes..., keep_dims)`.
#define DYAD_COMPOSED_REDUCTION(name, over)                                                          \
    template <std::integral... Axes>                                                                 \
    constexpr tracer name(const tracer& x, Axes... axes) {                                           \
        return over(x, axes_mask(x, axes...), false);                                                \
    }                                                                                                \
    template <std::integral... Axes>                                                                 \
    constexpr tracer name(const tracer& x, keep_dims_t, Axes... axes) {                              \
        return over(x, axes_mask(x, axes...), true);                                                 \
    }                                                                                                \
    template <std::integral Axis>                                                                    \
    constexpr tracer name(const tracer& x, Axis axis, keep_dims_t) {                                 \
        return over(x, axes_mask(x, axis), true);                                                    \
    }                                                                                                \
    template <std::integral Axis>                                                                    \
    constexpr tracer name(const tracer& x, Axis first, Axis second, keep_dims_t) {                   \
        return over(x, axes_mask(x, first, second), true);                                           \
    }

constexpr tracer kept(const tracer& reduced_value, unsigned axes, bool keep) {
    return keep ? expanded(reduced_value, axes) : reduced_value;
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
    const tracer largest = stop_gradient(reduced(opcode::reduce_max, x, axes));
    const tracer shift = where(abs(largest) < std::numeric_limits<double>::infinity(), largest, tracer(0));
    const tracer total = reduced(opcode::reduce_sum, exp(x - expanded(shift, axes)), axes);
    return kept(log(total) + shift, axes, keep);
}
/// Π x over the axes.
DYAD_COMPOSED_REDUCTION(prod, product_over)
/// Σ x / n over the axes.
DYAD_COMPOSED_REDUCTION(mean, mean_over)
/// √Σ x², with slope 0 at the origin.
DYAD_COMPOSED_REDUCTION(norm, norm_over)
/// Σ (x - mean x)² / n.
DYAD_COMPOSED_REDUCTION(variance, variance_over)
/// log Σ exp x, without overflow.
DYAD_COMPOSED_REDUCTION(logsumexp, logsumexp_over)
#undef DYAD_COMPOSED_REDUCTION

/// exp x / Σ exp x along one axis (the last one).
template <std::integral Axis = int>
constexpr tracer softmax(const tracer& x, Axis axis = -1) {
    const unsigned mask = axes_mask(x, axis);
    const tracer e = exp(x - expanded(stop_gradient(reduced(opcode::reduce_max, x, mask)), mask));
    return e / expanded(reduced(opcode::reduce_sum, e, mask), mask);
}
/// x - log Σ exp x along one axis (the last one).
template <std::integral Axis = int>
constexpr tracer log_softmax(const tracer& x, Axis axis = -1) {
    const unsigned mask = axes_mask(x, axis);
    const tracer shifted = x - expanded(stop_gradient(reduced(opcode::reduce_max, x, mask)), mask);
    return shifted - expanded(log(reduced(opcode::reduce_sum, exp(shifted), mask)), mask);
}

} // namespace dyad
