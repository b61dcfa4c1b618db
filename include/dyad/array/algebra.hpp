// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Linear algebra on traced values: products, solutions, factorisations. Matrices are the last two axes; axes
// before them are a batch.
#pragma once

#include <dyad/array/shapes.hpp>

namespace dyad {

/// Σ x y over the axes, along which the sizes must be equal, also where one is 1 (array/shape_error.hpp sees to those of run time).
constexpr tracer contracted(asked_as asked, const tracer& x, const tracer& y, unsigned axes) {
    const auto ones_of = [axes](const tracer& v) { return axes & static_cast<unsigned>((*v.home())[v.in(*v.home())].ones); };
    const auto narrowed = [asked](const tracer& v, unsigned single) {
        return single == 0 ? v : expanded(array_operation(opcode::squeeze, single, v, asked), single);
    };
    if (x.home() == nullptr || x.home()->is_faulty()) return x;
    const unsigned left = ones_of(x), right = ones_of(y);
    return reduced(opcode::reduce_sum, narrowed(x, right & ~left) * narrowed(y, left & ~right), axes, asked);
}
/// The matrix product of [.., n, k] and [.., k, m]; a vector is a row on the left and a column on the right.
constexpr tracer matmul(const tracer& x, const tracer& y, asked_as asked = asked_as::matmul) {
    const unsigned a = rank_of(x), b = rank_of(y);
    if (a == 0 || b == 0) return refused(array_fault::matmul_number, x, y);
    if (a == 1 && b == 1) return contracted(asked, x, y, 1);
    const tracer left = a == 1 ? expanded(x, 2) : x, right = b == 1 ? expanded(y, 1) : y;
    const tracer product = array_operation(opcode::matmul, 0, left, right, asked);
    if (a == 1) return array_operation(opcode::squeeze, 2, product);
    return b == 1 ? array_operation(opcode::squeeze, 1, product) : product;
}
/// Σ over the last axis of x and the last but one of y, [a.., k] and [b.., k, m] making [a.., b.., m], as in NumPy; for vectors,
/// the inner product.
constexpr tracer dot(const tracer& x, const tracer& y) {
    const unsigned a = rank_of(x), b = rank_of(y);
    if (a == 0 || b == 0) return x * y;
    if (a < 2 || b < 3) return matmul(x, y, asked_as::dot);
    return contracted(asked_as::dot, expanded(x, low_bits(b) & ~2U), y, 2);
}
/// The products of all elements of x with all of y: [n] and [m] make [n, m].
constexpr tracer outer(const tracer& x, const tracer& y) {
    return expanded(x, low_bits(rank_of(y))) * y;
}
/// Σ over the last `axes` axes of x and the first `axes` of y.
constexpr tracer tensordot(const tracer& x, const tracer& y, int axes = 2) {
    const unsigned n = static_cast<unsigned>(axes), a = rank_of(x), b = rank_of(y);
    if (axes < 0 || n > a || n > b) return refused(array_fault::tensordot_axes, x, y);
    if (n == 1 && b <= 2) return matmul(x, y, asked_as::tensordot);
    const tracer left = expanded(x, low_bits(b - n));                       // [x.., summed, 1..]
    const unsigned both = low_bits(n) << (b - n);
    return n == 0 ? outer(x, y) : contracted(asked_as::tensordot, left, y, both);
}

/// Part of a matrix, the last two axes; zeros elsewhere.
constexpr tracer triangle(const tracer& x, triangle_part part) {
    return rank_of(x) < 2 ? refused(array_fault::no_matrix, x) : array_operation(opcode::triangle, encode_triangle(part), x);
}
/// The lower triangle of a matrix, to diagonal k; zeros elsewhere. Example: `tril(p)` for a Cholesky factor in the elements of p.
constexpr tracer tril(const tracer& x, int k = 0) { return triangle(x, {false, k}); }
/// The upper one, from diagonal k on. Example: `triu(x, 1)` without the main diagonal.
constexpr tracer triu(const tracer& x, int k = 0) { return triangle(x, {true, k}); }
/// The diagonal of a matrix, kept, with zeros elsewhere.
constexpr tracer diagonal_part(const tracer& x) {
    return tril(triu(x));
}
/// The diagonal of a matrix, as a vector; of a vector, the matrix that has it as its diagonal.
constexpr tracer diag(const tracer& x) {
    if (rank_of(x) == 0) return refused(array_fault::diag_number, x);
    if (rank_of(x) >= 2) return array_operation(opcode::diagonal, 0, x);
    return array_operation(opcode::undiagonal, 0, x, array_operation(opcode::outer_like, 0, x, x));
}
/// The identity in the shape of a matrix. Example: `solve(G + 0.1 * eye_like(G), b)`.
constexpr tracer eye_like(const tracer& x) {
    if (rank_of(x) < 2) return refused(array_fault::no_matrix, x);
    return array_operation(opcode::undiagonal, 0, ones_like(diag(x)), x);
}
/// The n by n identity, n being the size of an axis. Example: `solve(G + lambda * eye(X.shape(1)), b)`.
template <number T = double, std::same_as<tracer> N>
constexpr tracer eye(const N& n) {
    return diag(ones(n));
}

/// The sum of a matrix' diagonal.
constexpr tracer trace(const tracer& x) {
    if (rank_of(x) < 2) return refused(array_fault::no_matrix, x);
    return reduced(opcode::reduce_sum, diag(x), 1);
}
/// The solution x of a x = b for a square matrix a; b is a vector or a matrix of columns.
constexpr tracer solve(const tracer& a, const tracer& b) {
    if (rank_of(a) < 2 || rank_of(b) == 0) return refused(array_fault::solve_ranks, a, b);
    if (rank_of(b) > 1) return array_operation(opcode::solve, 0, a, b);
    return array_operation(opcode::squeeze, 1, array_operation(opcode::solve, 0, a, expanded(b, 1)));
}

constexpr tracer of_matrix(opcode op, const tracer& a) {
    if (rank_of(a) < 2) return refused(array_fault::no_matrix, a);
    return array_operation(op, 0, a);
}
/// The inverse of a square matrix.
constexpr tracer inverse(const tracer& a) { return of_matrix(opcode::inverse, a); }
/// The lower triangular l with l lᵀ = a, a symmetric and positive definite. (Of another a, that of (a + aᵀ)/2.)
constexpr tracer cholesky(const tracer& a) { return of_matrix(opcode::cholesky, a); }
/// log |det a|.
constexpr tracer logdet(const tracer& a) { return of_matrix(opcode::logabsdet, a); }
/// The determinant.
constexpr tracer det(const tracer& a) { return of_matrix(opcode::det, a); }
// (Templates: their results are types that few programs need.)
/// q and r with q r = a (n ≥ m): q has orthonormal columns, r is upper triangular.
template <traced_value A>
constexpr auto qr(const A& a) {
    return std::pair{of_matrix(opcode::qr_q, a), of_matrix(opcode::qr_r, a)};
}
/// The eigenvalues of a symmetric matrix in ascending order, and its eigenvectors as columns. (Of another a, those of (a + aᵀ)/2.)
template <traced_value A>
constexpr auto eigh(const A& a) {
    return std::pair{of_matrix(opcode::eigh_values, a), of_matrix(opcode::eigh_vectors, a)};
}
/// u, s and vᵀ with u diag(s) vᵀ = a, the thin one: min(n, m) singular values, in descending order.
template <traced_value A>
constexpr auto svd(const A& a) {
    return std::tuple{of_matrix(opcode::svd_u, a), of_matrix(opcode::svd_s, a), of_matrix(opcode::svd_v, a)};
}

} // namespace dyad
