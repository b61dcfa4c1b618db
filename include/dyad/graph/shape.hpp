// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a graph knows of an array's shape: its rank, and the axes that have size 1 whatever the data. All other
// sizes are known only at run time. Axes are counted from the last one, which is how shapes broadcast.
#pragma once

#include <dyad/base/error.hpp>
#include <dyad/graph/attribute.hpp>
#include <dyad/graph/graph.hpp>

namespace dyad {

struct array_shape {
    unsigned rank = 0;
    unsigned ones = 0; ///< bit k: the k-th axis from the end has size 1

    friend constexpr bool operator==(const array_shape&, const array_shape&) = default;
};

inline constexpr unsigned max_rank = 8;

/// The lowest `count` bits.
constexpr unsigned low_bits(unsigned count) {
    return (1U << count) - 1;
}

constexpr array_shape shape_of(const node& n) {
    return {n.rank, n.ones};
}

constexpr void set_shape(node& n, array_shape s) {
    n.rank = static_cast<std::uint8_t>(s.rank);
    n.ones = static_cast<std::uint8_t>(s.ones);
}

/// NumPy's rule: an axis that is missing or has size 1 stretches.
constexpr array_shape broadcast(array_shape a, array_shape b) {
    const unsigned rank = a.rank > b.rank ? a.rank : b.rank;
    const unsigned a_flat = a.ones | ~low_bits(a.rank), b_flat = b.ones | ~low_bits(b.rank);
    return {rank, a_flat & b_flat & low_bits(rank)};
}

/// The shape without the axes of a mask.
constexpr array_shape without_axes(array_shape s, unsigned axes) {
    array_shape result;
    for (unsigned k = 0; k < s.rank; ++k) {
        if ((axes >> k & 1) == 0) result.ones |= (s.ones >> k & 1) << result.rank++;
    }
    return result;
}

/// The shape with axes of size 1 put in, where the mask of the result says.
constexpr array_shape with_axes(array_shape s, unsigned axes) {
    array_shape result;
    for (unsigned k = 0, from = 0; from < s.rank || axes >> k != 0; ++k) {
        const bool added = (axes >> k & 1) != 0;
        result.ones |= (added ? 1U : s.ones >> from & 1) << k;
        from += added ? 0 : 1;
        result.rank = k + 1;
    }
    return result;
}

/// The axes along which `narrow` stretches to become `wide`.
constexpr unsigned stretched_axes(array_shape narrow, array_shape wide) {
    return (narrow.ones | ~low_bits(narrow.rank)) & ~wide.ones & low_bits(wide.rank);
}

/// The shape of an array operation's result, from its operands' and its attribute.
constexpr array_shape result_shape(const node& n, const node* nodes) {
    const array_shape x = shape_of(nodes[n.operand[0]]);
    const array_shape y = n.arity() > 1 ? shape_of(nodes[n.operand[1]]) : array_shape{};
    switch (n.op) {
    case opcode::reduce_sum:
    case opcode::reduce_prod:
    case opcode::reduce_max:
    case opcode::reduce_min:
    case opcode::arg_max:
    case opcode::arg_min:
    case opcode::squeeze: return without_axes(x, axes_of(n.bits));
    case opcode::extent: return {};
    case opcode::broadcast_like: return broadcast(x, y);
    case opcode::expand: return with_axes(x, axes_of(n.bits));
    case opcode::transpose: {
        array_shape result{x.rank, 0};
        for (unsigned k = 0; k < x.rank; ++k) result.ones |= (x.ones >> permuted_axis(n.bits, k) & 1) << k;
        return result;
    }
    case opcode::reshape:
    case opcode::reshape_like: {
        const reshape_ranks r = reshape_ranks_of(n.bits);
        array_shape result{x.rank - r.from + r.to, x.ones >> r.from << r.to};
        if (n.is(opcode::reshape_like)) result.ones |= y.ones & low_bits(r.to);
        for (unsigned k = 0; k < r.to && n.is(opcode::reshape); ++k)
            result.ones |= (reshape_size(n.bits, k) == 1 ? 1U : 0U) << k;
        return result;
    }
    case opcode::slice: {
        const slice_range s = decode_slice(n.bits);
        const bool last = s.start == -1 && s.stop == slice_range::open;
        const bool ends = s.stop != slice_range::open && (s.start < 0) == (s.stop < 0);
        const bool one = last || (ends && s.stop - s.start > 0 && s.stop - s.start <= s.step);
        return {x.rank, (x.ones & ~(1U << s.axis)) | (one ? 1U << s.axis : 0U)};
    }
    case opcode::unfold: return {x.rank + 2, x.ones >> 2 << 4 | (y.ones & 3)};
    case opcode::fold: return {x.rank - 2 > y.rank ? x.rank - 2 : y.rank, y.ones | (y.rank < x.rank - 2 ? x.ones >> (y.rank + 2) << y.rank : 0)};
    case opcode::pool: return {x.rank, x.ones & ~3U};
    case opcode::pool_tangent: // of the elements, which are the second operand; the third is what was pooled of them
    case opcode::pool_cotangent: return {x.rank, (x.ones & ~3U) | (shape_of(nodes[n.operand[n.is(opcode::pool_tangent) ? 2 : 1]]).ones & 3)};
    case opcode::conv2d: // [.., images, channels, height, width] and [.., outputs, channels, height, width]
    case opcode::conv2d_images:
    case opcode::conv2d_kernels: { // the cotangent that either receives: its last axes are those of the third operand
        const array_shape batch = broadcast({x.rank - 4, x.ones >> 4}, {y.rank - 4, y.ones >> 4});
        const unsigned last = n.is(opcode::conv2d) ? (x.ones & 8) | (y.ones >> 1 & 4) : shape_of(nodes[n.operand[2]]).ones & 15;
        return {batch.rank + 4, batch.ones << 4 | last};
    }
    case opcode::pad: return {x.rank, x.ones & ~(1U << axis_of(n.bits))};
    case opcode::scatter_add: { // further axes of what is added come in front
        const array_shape v = shape_of(nodes[n.operand[2]]);
        const unsigned axis = axis_of(n.bits), above = v.ones >> (axis + y.rank), below = v.ones & low_bits(axis);
        return broadcast(x, {v.rank - y.rank + 1, below | 1U << axis | above << (axis + 1)});
    }
    case opcode::window: return {x.rank, (x.ones & ~(1U << axis_of(n.bits))) | (y.ones & 1U << axis_of(n.bits))};
    case opcode::unslice:
    case opcode::unwindow: return broadcast(array_shape{x.rank, x.ones | 1U << axis_of(n.bits)}, y);
    case opcode::recurrence: return broadcast(x, y);
    case opcode::concat: {
        const unsigned axis = 1U << axis_of(n.bits);
        return {broadcast(x, y).rank, broadcast({x.rank, x.ones | axis}, {y.rank, y.ones | axis}).ones & ~axis};
    }
    case opcode::fill: {
        const reshape_ranks r = reshape_ranks_of(n.bits);
        array_shape result{r.to, 0};
        for (unsigned k = 0; k < r.to; ++k) result.ones |= (reshape_size(n.bits, k) == 1 ? 1U : 0U) << k;
        return result;
    }
    case opcode::fill_like: {
        array_shape result{reshape_ranks_of(n.bits).to, 0};
        for (unsigned k = 0; k < result.rank; ++k) {
            const std::uint64_t size = fill_size(n.bits, k);
            const borrowed_size from = decode_borrowed(size);
            const bool one = from.operand == 0 ? size == 1 : (shape_of(nodes[n.operand[from.operand]]).ones >> from.axis & 1) != 0;
            result.ones |= (one ? 1U : 0U) << k;
        }
        return result;
    }
    case opcode::take: {
        const unsigned axis = axis_of(n.bits);
        const unsigned above = x.ones >> (axis + 1), below = x.ones & low_bits(axis);
        return {x.rank - 1 + y.rank, below | y.ones << axis | above << (axis + y.rank)};
    }
    case opcode::matmul: // [.., n, k] times [.., k, m]
    case opcode::solve: { // [.., n, n] and [.., n, m]
        const array_shape batch = broadcast({x.rank - 2, x.ones >> 2}, {y.rank - 2, y.ones >> 2});
        return {batch.rank + 2, batch.ones << 2 | (x.ones & 2) | (y.ones & 1)};
    }
    case opcode::logabsdet:
    case opcode::det: return {x.rank - 2, x.ones >> 2};
    case opcode::undiagonal: return broadcast({x.rank + 1, 3 | x.ones << 1}, y);
    case opcode::diagonal:
    case opcode::eigh_values:
    case opcode::svd_s: return {x.rank - 1, x.ones >> 2 << 1};
    case opcode::eye_like: return {2 * x.rank, x.ones << x.rank | x.ones};
    case opcode::outer_like: return {x.rank + y.rank, x.ones << y.rank | y.ones};
    case opcode::history: return {y.rank + 1, y.ones};
    case opcode::at: return {x.rank - 1, x.ones & low_bits(x.rank - 1)};
    default: return x; // flip, scatter_add, inverse, cholesky, triangle ...
    }
}

/// Whether a node's shape is its own, and does not follow from its operands': it stands for a value, or lists some.
constexpr bool is_of_own_shape(opcode op) {
    return op <= opcode::result || (is_region_operation(op) && op != opcode::history && op != opcode::at && op != opcode::again);
}

/// The shape of any other operation's result.
constexpr array_shape shape_with(const node& n, const node* nodes) {
    if (is_array_operation(n.op)) return result_shape(n, nodes);
    array_shape shape;
    for (int k = 0; k < n.arity(); ++k) shape = broadcast(shape, shape_of(nodes[n.operand[k]]));
    return shape;
}

} // namespace dyad
