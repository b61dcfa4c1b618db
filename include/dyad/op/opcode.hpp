// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The names of all operations, by the number of their operands. The enumeration, the table of rules and
// the user's functions are made from these lists, so that a new operation is one line here and one
// struct (`operation<opcode::name>`) beside its kin.
#pragma once

#include <cstdint>

#include <dyad/base/is.hpp>

// Operations of one, two and three real operands that have a function of their own name; among them those that <cmath> has too.
#define DYAD_CMATH_FUNCTIONS(X)                                                                      \
    X(sqrt) X(cbrt) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p)                         \
    X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)  \
    X(erf) X(erfc)
#define DYAD_CMATH_ROUNDINGS(X) X(floor) X(ceil) X(round) X(trunc)
#define DYAD_CMATH_BINARY_FUNCTIONS(X) X(pow) X(atan2) X(hypot) X(fmod) X(copysign)
#define DYAD_CMATH_EXTREMA(X) X(fmin) X(fmax)
#define DYAD_UNARY_OPERATIONS(X)                                                                     \
    X(abs) X(sign) DYAD_CMATH_FUNCTIONS(X)                                                           \
    X(tgamma) X(lgamma) X(digamma) X(sigmoid) X(softplus) X(relu)                                    \
    DYAD_CMATH_ROUNDINGS(X) X(stop_gradient)
#define DYAD_BINARY_OPERATIONS(X)                                                                    \
    DYAD_CMATH_BINARY_FUNCTIONS(X) X(min) X(max) DYAD_CMATH_EXTREMA(X) X(xlogy) X(logaddexp)
#define DYAD_TERNARY_OPERATIONS(X) X(fma) X(clamp)

// Those written with operators.
#define DYAD_OPERATOR_OPERATIONS(X)                                                                  \
    X(neg) X(add) X(sub) X(mul) X(div)                                                               \
    X(less) X(less_equal) X(equal) X(logical_not) X(logical_and) X(logical_or)

// Those with a signature of their own: a whole-number attribute, a condition, or a derivative's helper.
#define DYAD_SPECIAL_OPERATIONS(X)                                                                   \
    X(where) X(ipow) X(polygamma) X(sinc) X(pow_dx) X(pow_log) X(direction) X(inverse_real)           \
    X(unit_circle) X(unit_hyperbola) X(gaussian) X(sincos) X(erf_gaussian)

#define DYAD_OPERATIONS(X)                                                                           \
    DYAD_OPERATOR_OPERATIONS(X)                                                                      \
    DYAD_UNARY_OPERATIONS(X)                                                                         \
    DYAD_BINARY_OPERATIONS(X)                                                                        \
    DYAD_TERNARY_OPERATIONS(X)                                                                       \
    DYAD_SPECIAL_OPERATIONS(X)

// Those on whole arrays, X(name, operands): everything that is not computed element by element. Their
// attributes count axes from the last one (the last axis is number 0), so that an operation means the same when more
// axes stand before those it knows.
#define DYAD_ARRAY_OPERATIONS(X)                                                                     \
    X(reduce_sum, 1) X(reduce_prod, 1) X(reduce_max, 1) X(reduce_min, 1) X(arg_max, 1) X(arg_min, 1)  \
    X(extent, 1) X(eye_like, 1) X(outer_like, 2) X(fill, 1) X(fill_like, 3)                           \
    X(broadcast_like, 2) X(expand, 1) X(squeeze, 1) X(transpose, 1) X(flip, 1)                        \
    X(reshape, 1) X(reshape_like, 2) X(slice, 1) X(unslice, 2) X(pad, 1) X(window, 2) X(unwindow, 2)            \
    X(concat, 2) X(shift, 1) X(take, 2) X(unfold, 2) X(scatter_add, 3) X(recurrence, 2) X(fold, 2)    \
    X(conv2d, 2) X(conv2d_images, 3) X(conv2d_kernels, 3) X(pool, 1) X(pool_tangent, 3) X(pool_cotangent, 3) \
    X(matmul, 2) X(solve, 2) X(inverse, 1) X(cholesky, 1) X(logabsdet, 1) X(det, 1) X(triangle, 1)     \
    X(cofactors, 1) X(diagonal, 1) X(undiagonal, 2)                                                                  \
    X(qr_q, 1) X(qr_r, 1) X(eigh_values, 1) X(eigh_vectors, 1) X(svd_u, 1) X(svd_s, 1) X(svd_v, 1)

// Those that own other nodes: loops, branches and rules, X(name, operands). Their lists of operands are chains of nodes
// (graph/region.hpp says what each means).
#define DYAD_REGION_OPERATIONS(X)                                                                    \
    X(nothing, 0) X(entry, 2) X(bind, 2) X(carry, 3) X(replay, 3) X(choice, 3)                                    \
    X(loop, 2) X(repeat, 2) X(sweep, 2) X(branch, 3) X(custom, 3) X(invertible, 3) X(checkpoint, 3) X(history, 2) X(at, 2) X(again, 1) \
    X(call, 1) X(trail, 1) X(borrowed, 0)

namespace dyad {

/// What a node of a graph does. The first four are the graph's own; all others are operations. The order
/// is also the order in which the canonical form writes commuting operands.
enum class opcode : std::uint8_t {
    constant,  ///< a number known at compile time
    input,     ///< argument number `attribute`
    parameter, ///< a stand-in for an argument of a transform inside a transform
    result,    ///< result number `attribute` of an operation that has several
#define DYAD_ENUMERATE(name) name,
    DYAD_OPERATIONS(DYAD_ENUMERATE)
#undef DYAD_ENUMERATE
#define DYAD_ENUMERATE(name, operands) name,
    DYAD_ARRAY_OPERATIONS(DYAD_ENUMERATE)
    DYAD_REGION_OPERATIONS(DYAD_ENUMERATE)
#undef DYAD_ENUMERATE
    count
};
DYAD_COMPARED(opcode)

/// Not computed element by element.
constexpr bool is_array_operation(opcode op) {
    return op >= opcode::reduce_sum;
}

/// Shows all elements of its operand, each once, in axes of another order or with axes of size 1 more or less.
constexpr bool is_turn(opcode op) {
    return op >= opcode::expand && op <= opcode::transpose;
}

/// Moves or repeats the elements of its first operand; of the others only the shape counts.
constexpr bool is_of_shape(opcode op) {
    switch (op) {
    case opcode::broadcast_like:
    case opcode::fill_like:
    case opcode::reshape_like:
    case opcode::unslice:
    case opcode::window:
    case opcode::unwindow:
    case opcode::unfold:
    case opcode::fold:
    case opcode::undiagonal: return true;
    default: return false;
    }
}

/// A convolution of images, or the cotangent of one that either of its operands receives.
constexpr bool is_convolution(opcode op) {
    return op >= opcode::conv2d && op <= opcode::conv2d_kernels;
}

/// The largest elements or the means of windows, and what their tangents and cotangents become.
constexpr bool is_pool(opcode op) {
    return op >= opcode::pool && op <= opcode::pool_cotangent;
}

/// Of a loop, a branch or a rule: a part of its structure rather than a computation of its own.
constexpr bool is_region_operation(opcode op) {
    return op >= opcode::nothing;
}

/// The opcode as a type, for overload resolution.
template <opcode Op>
struct op_constant {
    static constexpr opcode value = Op;
};

/// The one description of an operation: `arity`; `value(operands...)` over plain numbers or vectors of
/// them; the partial derivatives `dx`, `dy`, `dz` by operand, each a function of (operands..., result)
/// over any generic value. Optional members have defaults in `operation_base`.
template <opcode Op>
struct operation;

/// `operation<Op>`, looked up only once the value type is known: its definition may come later.
template <opcode Op, class... T>
struct operation_over : operation<Op> {};

} // namespace dyad
