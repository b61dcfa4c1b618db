// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The derivatives of array operations. Most are linear in their operand: the tangent takes the operation's way, the
// cotangent that of its adjoint. Both may carry further axes in front, one for each of many directions.
#pragma once

#include <dyad/array/algebra_rules.hpp>

namespace dyad {

/// What comes to the elements of x that equal the extremum r, in equal shares; to the others 0, whatever it is: an infinite slope
/// of the extremum is none of theirs.
constexpr tracer extremum_shares(opcode extremum, const tracer& moving, const tracer& x, const tracer& r, unsigned axes) {
    const tracer best = expanded(r, axes), winner = where(x == best, tracer(1), tracer(0));
    const tracer share = winner / expanded(reduced(opcode::reduce_sum, winner, axes), axes); // (NaN among NaNs)
    return where(is(extremum, opcode::reduce_max) ? x < best : best < x, tracer(0), moving * share);
}
/// The product of all others, for each element along axis k.
constexpr tracer products_of_others(const tracer& x, unsigned k) {
    const tracer back = array_operation(opcode::flip, 1U << k, x);
    const tracer before = shifted(cumprod_from_end(x, k), k, false, true);
    const tracer after = array_operation(opcode::flip, 1U << k, shifted(cumprod_from_end(back, k), k, false, true));
    return before * after;
}
constexpr tracer product_slopes(const tracer& x, unsigned axes) {
    for (unsigned k = 0; k < rank_of(x); ++k) {
        if (axes == 1U << k) return products_of_others(x, k);
    }
    const tracer flat = array_operation(opcode::reshape, with_size(encode_reshape({rank_of(x), 1}), 0, inferred_size), x);
    return reshape_like(products_of_others(flat, 0), x);
}

/// The recurrence run the other way: what each element contributes to all later ones.
constexpr tracer recurrence_adjoint(const node& n, const tracer& g, const tracer& c, const tracer& r) {
    const unsigned axis = axis_of(n.bits);
    const bool backwards = (n.bits & 16) != 0;
    const tracer next = rank_of(c) == 0 ? c : shifted(widened_like(c, r), axis, !backwards);
    return recurrence(g, next, axis, !backwards);
}

/// What a pool, of x, gave of the tangents t: of the largest elements; means are linear.
constexpr tracer pool_tangent(const node& n, const tracer& t, const tracer& x, const tracer& pooled) {
    return decode_pool(n.bits).largest ? array_operation(opcode::pool_tangent, n.bits, t, x, pooled) : array_operation(opcode::pool, n.bits, t);
}

/// What operand k of node i receives of the cotangent that node i has; no_node: nothing.
constexpr node_index array_pull(builder& b, node_index i, int k, node_index cotangent) {
    const node n = b[i];
    const tracer x(b, n.operand[0]), y(b, n.operand[1]), z(b, n.operand[2]), r(b, i);
    const unsigned axes = axes_of(n.bits);
    const auto done = [&](const tracer& t) { return t.in(b); };
    if (n.is(opcode::reduce_sum)) { // no need to stretch it first
        const tracer g(b, cotangent);
        const unsigned have = rank_of(g);
        return done(have == 0 || axes == 0 ? g : expanded(widened_like(g, r), axes));
    }
    const tracer g(b, b.broadcast_to(cotangent, i));
    const auto moved = [&](opcode op, std::uint64_t bits) { return done(array_operation(op, bits, g)); };
    // A part of the cotangent, for an operand that stretched. (Like that part of the result: in front, the cotangent may have axes of
    // directions, which nothing stretched along.)
    const auto fitted = [&](opcode op, std::uint64_t bits, const tracer& at, const tracer& to) {
        return narrowed_to(b, array_operation(op, bits, g, at), array_operation(op, bits, r, at), to);
    };
    if (k > 0) {
        switch (n.op) {
        case opcode::concat: return fitted(opcode::window, n.bits | 16, y, y);
        case opcode::scatter_add: return k == 1 ? no_node : fitted(opcode::take, axis_of(n.bits), y, z);
        case opcode::recurrence:
            return narrowed_to(b, recurrence_adjoint(n, g, y, r) * shifted(r, axis_of(n.bits), (n.bits & 16) != 0, (n.bits & 32) != 0), r, y);
        case opcode::conv2d_images:
        case opcode::conv2d_kernels: return k == 2 ? no_node : algebra_pull(b, n, k, g, r);
        case opcode::conv2d:
        case opcode::matmul:
        case opcode::solve: return algebra_pull(b, n, k, g, r);
        default: return no_node; // only its shape, or its whole numbers, count
        }
    }
    switch (n.op) {
    case opcode::pool: return done(array_operation(opcode::pool_cotangent, n.bits, g, x, r));
    case opcode::pool_tangent: return done(array_operation(opcode::pool_cotangent, n.bits, g, y, z));
    case opcode::pool_cotangent: return done(pool_tangent(n, g, y, z));
    case opcode::reduce_prod: return done(expanded(g, axes) * product_slopes(x, axes));
    case opcode::reduce_max:
    case opcode::reduce_min: return done(extremum_shares(n.op, expanded(g, axes), x, r, axes));
    case opcode::broadcast_like:
    case opcode::fill:
    case opcode::fill_like: return narrowed_to(b, g, r, x);
    case opcode::expand: return moved(opcode::squeeze, n.bits);
    case opcode::squeeze: return moved(opcode::expand, n.bits);
    case opcode::transpose: return moved(opcode::transpose, inverse_permutation(n.bits));
    case opcode::flip: return moved(opcode::flip, n.bits);
    case opcode::reshape:
    case opcode::reshape_like:
        return done(array_operation(opcode::reshape_like, encode_reshape({rank_of(r), rank_of(x)}), g, x));
    case opcode::slice: return done(array_operation(opcode::unslice, n.bits, g, x));
    case opcode::unslice: return moved(opcode::slice, n.bits);
    case opcode::pad: {
        const slice_range s = decode_slice(n.bits);
        return moved(opcode::slice, encode_slice({s.axis, s.start, s.stop == 0 ? slice_range::open : -s.stop, 1}));
    }
    case opcode::window: return done(array_operation(opcode::unwindow, n.bits, g, x));
    case opcode::unfold: return done(array_operation(opcode::fold, n.bits, g, x));
    case opcode::fold: return done(array_operation(opcode::unfold, n.bits, g, x));
    case opcode::unwindow: return done(array_operation(opcode::window, n.bits, g, x));
    case opcode::concat: return fitted(opcode::window, n.bits, x, x);
    case opcode::take: return done(array_operation(opcode::scatter_add, n.bits | gradient_of_take, broadcast_like(tracer(0), x), y, g));
    case opcode::scatter_add: return narrowed_to(b, g, r, x);
    case opcode::shift: return done(shifted(g, axis_of(n.bits), (n.bits & 16) == 0));
    case opcode::recurrence: return narrowed_to(b, recurrence_adjoint(n, g, y, r), r, x);
    default: return algebra_pull(b, n, k, g, r);
    }
}

/// What node i receives of the tangent of its operand k; no_node: nothing.
constexpr node_index array_push(builder& b, node_index i, int k, node_index tangent) {
    const node n = b[i];
    const tracer x(b, n.operand[0]), y(b, n.operand[1]), z(b, n.operand[2]), r(b, i);
    const unsigned axes = axes_of(n.bits);
    const bool stretches = n.is(opcode::broadcast_like) || n.is(opcode::fill) || n.is(opcode::fill_like) || n.is(opcode::matmul) || n.is(opcode::solve) ||
                           n.is(opcode::recurrence) || n.is(opcode::concat) || n.is(opcode::unslice) || n.is(opcode::unwindow) || is_convolution(n.op);
    const node_index whole = b.broadcast_to(tangent, n.operand[k]);
    const tracer t(b, stretches ? b.make_room(whole, n.operand[k], i) : whole);
    const auto done = [&](const tracer& v) { return v.in(b); };
    if (k > 0) {
        switch (n.op) {
        case opcode::concat: return done(array_operation(n.op, n.bits, broadcast_like(tracer(0), x), t));
        case opcode::scatter_add: {
            if (k == 1) return no_node;
            const tracer rows(b, b.widen(whole, rank_of(z), rank_of(x) - 1 + rank_of(y))); // (as many axes as the places have)
            return done(array_operation(n.op, n.bits, broadcast_like(tracer(0), x), y, rows));
        }
        case opcode::recurrence: {
            const unsigned axis = axis_of(n.bits);
            const bool backwards = (n.bits & 16) != 0;
            return done(recurrence(t * shifted(r, axis, backwards, (n.bits & 32) != 0), y, axis, backwards));
        }
        case opcode::conv2d_images:
        case opcode::conv2d_kernels: return k == 2 ? no_node : algebra_push(b, n, k, t, r);
        case opcode::conv2d:
        case opcode::matmul:
        case opcode::solve: return algebra_push(b, n, k, t, r);
        default: return no_node;
        }
    }
    switch (n.op) {
    case opcode::pool: return done(pool_tangent(n, t, x, r));
    case opcode::pool_tangent:
    case opcode::pool_cotangent: return done(array_operation(n.op, n.bits, t, y, z));
    case opcode::reduce_sum: return done(reduced(opcode::reduce_sum, t, axes));
    case opcode::reduce_prod: return done(reduced(opcode::reduce_sum, t * product_slopes(x, axes), axes));
    case opcode::reduce_max:
    case opcode::reduce_min: return done(reduced(opcode::reduce_sum, extremum_shares(n.op, t, x, r, axes), axes));
    case opcode::concat: return done(array_operation(n.op, n.bits, t, broadcast_like(tracer(0), y)));
    case opcode::broadcast_like:
    case opcode::fill:
    case opcode::fill_like: return done(widened_like(t, r));
    case opcode::scatter_add: return tangent;
    case opcode::expand:
    case opcode::squeeze:
    case opcode::transpose:
    case opcode::flip:
    case opcode::reshape:
    case opcode::pad:
    case opcode::slice: return done(array_operation(n.op, n.bits, t));
    case opcode::reshape_like:
    case opcode::unslice:
    case opcode::window:
    case opcode::unwindow:
    case opcode::unfold:
    case opcode::fold:
    case opcode::take: return done(array_operation(n.op, n.bits, t, y));
    case opcode::shift: return done(shifted(t, axis_of(n.bits), (n.bits & 16) != 0));
    case opcode::recurrence: return done(recurrence(t, y, axis_of(n.bits), (n.bits & 16) != 0));
    default: return algebra_push(b, n, k, t, r);
    }
}

} // namespace dyad
