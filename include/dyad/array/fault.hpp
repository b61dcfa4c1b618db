// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What can be wrong with an array operation that the compiler sees: ranks, axes, attributes. The first trace of a
// function notes the first fault and goes on without effect, so that the error is one sentence at the user's call and
// not an exception in the middle of constant evaluation.
#pragma once

#include <dyad/graph/tracer.hpp>

namespace dyad {

enum class array_fault : unsigned {
    none,
    rank,             // builder::rank_fault
    number,           // builder::number_fault
    rows,             // builder::rows_fault
    rule,             // builder::rule_fault
    leaf,             // builder::leaf_fault
    round,            // builder::round_fault
    axis,
    repeated_axis,
    matmul_number,
    tensordot_axes,
    diag_number,
    solve_ranks,
    no_matrix,
    permutation,
    reshape_size,
    full_size,
    full_value,
    traced_size,
    broadcast_rank,
    broadcast_size,
    slice_step,
    slice_backwards,
    slice_large,
    position,
    several_positions,
    mask_as_positions,
    pad_negative,
    pad_large,
    concatenate_ranks,
    tile_times,
    scatter_ranks,
    window_axes,
    window_step,
    window_size,
    conv2d_ranks,
    assignment,
    plain_numbers,
    plain_array,
    kernel,
    escape,
    unknown,          // none of the above: something that is not constexpr, or too much of it
};
static_assert(static_cast<unsigned>(array_fault::rank) == builder::rank_fault && static_cast<unsigned>(array_fault::number) == builder::number_fault &&
              static_cast<unsigned>(array_fault::rows) == builder::rows_fault && static_cast<unsigned>(array_fault::rule) == builder::rule_fault &&
              static_cast<unsigned>(array_fault::leaf) == builder::leaf_fault && static_cast<unsigned>(array_fault::round) == builder::round_fault);

/// Notes a fault, and stands for the result.
constexpr tracer refused(array_fault fault, const tracer& x) {
    if (x.home() == nullptr) throw shape_error("[dyad] array: the operation needs an array, not a number");
    unsigned* const noted = x.home()->fault;
    if (noted == nullptr) throw shape_error("[dyad] array: ranks, axes or attributes do not fit the operation");
    if (*noted == 0) *noted = static_cast<unsigned>(fault);
    return x;
}
constexpr tracer refused(array_fault fault, const tracer& x, const tracer& y) {
    return refused(fault, x.home() != nullptr ? x : y);
}
template <array_fault Found, array_fault Other>
inline constexpr bool differs_from = Found != Other;

/// A fault as a type, to be asked for where constant evaluation may fail: `decltype(f(0))::value` of two functions f.
template <array_fault Fault>
struct known_fault {
    static constexpr array_fault value = Fault;
};

/// Whether there is no fault; says what it is.
template <array_fault Found>
constexpr bool without_fault() {
    using enum array_fault;
    static_assert(differs_from<Found, rank>, "[dyad] array: a result has more than 8 axes; reduce it or join axes first");
    static_assert(differs_from<Found, number>, "[dyad] control flow: a condition, or a number of rounds, is an array; reduce it to one number, or choose element by element with where");
    static_assert(differs_from<Found, rows>, "[dyad] scan, map, vmap: a number stands where arrays belong, or an array has a single element along its first axis and another "
                                             "as many as it will have; stretch the one first, with broadcast_like");
    static_assert(differs_from<Found, rule>, "[dyad] custom_gradient, custom_jvp: the rule returns an array or a number of another rank than it must; a cotangent has the rank of its "
                                             "argument, a tangent that of its result: reduce it, with sum, or stretch it, with broadcast_like");
    static_assert(differs_from<Found, leaf>, "[dyad] implicit_root, fixed_point, odeint, odeint_adjoint: an array stands where numbers belong; the root, the residual and the state are numbers, or a "
                                             "std::array, std::tuple or aggregate of them, and so are the arguments of odeint_adjoint; odeint and implicit_root take arrays as further arguments");
    static_assert(differs_from<Found, array_fault::round>, "[dyad] control flow: the body of a loop gives an array of another rank than what goes round, or a number for an array, or the two functions of cond give such; "
                                                          "let both have one rank, with sum, expand_dims or broadcast_like");
    static_assert(differs_from<Found, axis>, "[dyad] axis: it is not below the rank of the operand; axes count from 0, negative ones from the end");
    static_assert(differs_from<Found, repeated_axis>, "[dyad] axis: the same axis is named twice");
    static_assert(differs_from<Found, matmul_number>, "[dyad] matmul: an operand is a number, not an array; use *");
    static_assert(differs_from<Found, tensordot_axes>, "[dyad] tensordot: more axes than an operand has");
    static_assert(differs_from<Found, diag_number>, "[dyad] diag: the operand is a number; it takes a vector or a matrix");
    static_assert(differs_from<Found, solve_ranks>, "[dyad] solve: ranks do not fit; it takes a matrix, and a vector or matrix");
    static_assert(differs_from<Found, no_matrix>, "[dyad] linear algebra: the operand is not a matrix; trace, inverse, cholesky, det, logdet, qr, eigh, svd, tril, triu and eye_like take two axes or more");
    static_assert(differs_from<Found, permutation>, "[dyad] transpose: name every axis once, or none");
    static_assert(differs_from<Found, reshape_size>, "[dyad] reshape: a size is negative, or too large to be written, or a second one is -1; leave one axis to -1, which is what is left");
    static_assert(differs_from<Found, full_size>, "[dyad] full, zeros, ones: a size is negative, or too large to be written");
    static_assert(differs_from<Found, full_value>, "[dyad] full: the value is an array; it is a number, broadcast_to stretches arrays");
    static_assert(differs_from<Found, traced_size>, "[dyad] reshape, broadcast_to, full: a size is a whole number that the compiler knows or the size of an axis, as x.shape(0), of at most two arrays; -1 is what is left");
    static_assert(differs_from<Found, broadcast_rank>, "[dyad] broadcast_to: the operand has more axes than the shape");
    static_assert(differs_from<Found, broadcast_size>, "[dyad] broadcast_to: a size is negative where the operand has no axis to leave as it is (-1), or too large to be written; use broadcast_like");
    static_assert(differs_from<Found, slice_step>, "[dyad] slice: the step is 0");
    static_assert(differs_from<Found, slice_backwards>, "[dyad] slice: the step is negative; use flip");
    static_assert(differs_from<Found, slice_large>, "[dyad] slice: a position is beyond 8388605, or the step beyond 2047; take gathers any positions");
    static_assert(differs_from<Found, position>, "[dyad] array: a position that an axis of size 1, as keep_dims leaves it, does not have; it has 0");
    static_assert(differs_from<Found, pad_large>, "[dyad] pad: more than 8388606 zeros; use concatenate");
    static_assert(differs_from<Found, several_positions>, "[dyad] array: several of the positions in x(i, j) are arrays; one may be, and pairs of positions are those in take(reshape(x, -1), i * columns + j)");
    static_assert(differs_from<Found, mask_as_positions>, "[dyad] take: conditions stand where positions belong; what they select is where(mask, x, 0), of which a sum, say, is that of the selected elements");
    static_assert(differs_from<Found, pad_negative>, "[dyad] pad: a negative number of zeros; use slice");
    static_assert(differs_from<Found, concatenate_ranks>, "[dyad] concatenate: the operands have different ranks; use expand_dims first");
    static_assert(differs_from<Found, tile_times>, "[dyad] tile: the number of repetitions is below 1");
    static_assert(differs_from<Found, scatter_ranks>, "[dyad] scatter_add: what is added has fewer axes than the indices, or more than they select");
    static_assert(differs_from<Found, window_axes>, "[dyad] pooling: the operand has fewer than two axes");
    static_assert(differs_from<Found, window_step>, "[dyad] conv2d, pooling: the step is below 1");
    static_assert(differs_from<Found, window_size>, "[dyad] pooling: the window is smaller than 1, or larger than 268435455");
    static_assert(differs_from<Found, conv2d_ranks>, "[dyad] conv2d: ranks do not fit; it takes [images, channels, height, width] and [outputs, channels, height, width]");
    static_assert(differs_from<Found, assignment>, "[dyad] assignment: an element of a traced array is a value, not a place; make the array anew, of its parts with stack or concatenate, or with where or scatter_add");
    static_assert(differs_from<Found, plain_numbers>, "[dyad] axis, size, position: a whole number that the compiler knows, one argument each, as in sum(x, 0, 1, keep_dims), reshape(x, 2, -1) and squeeze(x, 0); -1 is the size that is left, a slice without an end goes on to the last, and take has traced positions");
    static_assert(differs_from<Found, plain_array>, "[dyad] array: a plain array stands beside traced values; pass it as a further argument of the function, and choose what to differentiate by, as in grad<0>(f)(x, array)");
    static_assert(differs_from<Found, array_fault::kernel>, "[dyad] kernel: it runs over arrays, not in a function that is traced; call the function itself there");
    static_assert(differs_from<Found, escape>, "[dyad] loop: a value of a body is used outside of it; let it go round, as a part of the state");
    static_assert(differs_from<Found, unknown>, "[dyad] trace: the compiler cannot run this function: it branches on a traced value, is very long, captures a name of auto [a, b] (clang; std::get<0> works), or uses what is not constexpr, as std::sqrt(2.0) (dyad::sqrt(2.0) is), another function may be, or an array that it makes (pass it as a further argument); see above, or compile with -DDYAD_SHOW_TRACE");
    return Found == none;
}

} // namespace dyad
