// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The derivatives of linear algebra. Sources: M. B. Giles, Collected matrix derivative results for forward and reverse
// mode algorithmic differentiation (2008); I. Murray, Differentiation of the Cholesky decomposition (2016).
#pragma once

#include <dyad/array/algebra.hpp>
#include <dyad/pass/contribution.hpp>

namespace dyad {

/// The cotangent g of r's shape as what operand x, stretched to it, receives.
constexpr node_index narrowed_to(builder& b, const tracer& g, const tracer& r, const tracer& x) {
    contributions sum(b);
    return sum.narrowed({g.in(b), no_node}, r.in(b), x.in(b)).value;
}
/// The same for operands whose last axes stay, the two of a matrix: only the batch is summed.
constexpr node_index narrowed_batch(builder& b, const tracer& g, const tracer& r, const tracer& x, unsigned last = 2) {
    const array_shape whole = shape_of(b[r.in(b)]), part = shape_of(b[x.in(b)]);
    const unsigned stay = low_bits(last), axes = (stretched_axes({part.rank, part.ones & ~stay}, whole) | (whole.ones & ~low_bits(part.rank))) & ~stay;
    if (axes == 0) return g.in(b);
    return expanded(reduced(opcode::reduce_sum, g, axes), axes & low_bits(part.rank)).in(b);
}

/// 1/x, and 0 where x is 0.
constexpr tracer safe_inverse(const tracer& x) {
    return where(x == 0, tracer(0), 1 / where(x == 0, tracer(1), x));
}
/// 1/(vⱼ - vᵢ) in row i and column j, 0 where they are equal: repeated values contribute nothing.
constexpr tracer gaps(const tracer& v) {
    return safe_inverse(expanded(v, 2) - expanded(v, 1));
}
/// 1/(sⱼ² - sᵢ²) likewise; by factors, as the difference of two equal squares need not be 0 where compilers fuse it with one of the
/// multiplications.
constexpr tracer gaps_of_squares(const tracer& s) {
    return safe_inverse((expanded(s, 2) - expanded(s, 1)) * (expanded(s, 2) + expanded(s, 1)));
}
constexpr tracer symmetric(const tracer& x) {
    return (x + swap_last(x)) * 0.5;
}
/// The lower triangle with half the diagonal (Murray's Φ).
constexpr tracer half_lower(const tracer& x) {
    return tril(x) - diagonal_part(x) * 0.5;
}
/// Columns scaled by a vector.
constexpr tracer scaled(const tracer& x, const tracer& v) {
    return x * expanded(v, 2);
}

/// What the images x or kernels y of a convolution receive, and what the operands of those cotangents do.
constexpr tracer convolution_pull(const node& n, int k, const tracer& g, const tracer& x, const tracer& y) {
    const auto images = [&](const tracer& of, const tracer& kernels, const tracer& like) { return array_operation(opcode::conv2d_images, n.bits, of, kernels, like); };
    const auto kernels = [&](const tracer& of, const tracer& result, const tracer& like) { return array_operation(opcode::conv2d_kernels, n.bits, of, result, like); };
    const auto result = [&](const tracer& of, const tracer& with) { return array_operation(opcode::conv2d, n.bits, of, with); };
    if (n.is(opcode::conv2d)) return k == 0 ? images(g, y, x) : kernels(x, g, y);
    if (n.is(opcode::conv2d_images)) return k == 0 ? result(g, y) : kernels(g, x, y);
    return k == 0 ? images(y, g, x) : result(x, g);
}

constexpr node_index algebra_pull(builder& b, const node& n, int k, const tracer& g, const tracer& r) {
    const tracer x(b, n.operand[0]), y(b, n.operand[1]);
    const auto done = [&](const tracer& t) { return t.in(b); };
    switch (n.op) {
    case opcode::conv2d:
    case opcode::conv2d_images:
    case opcode::conv2d_kernels: return narrowed_batch(b, convolution_pull(n, k, g, x, y), r, k == 0 ? x : y, 4);
    case opcode::matmul:
        return k == 0 ? narrowed_batch(b, matmul(g, swap_last(y)), r, x) : narrowed_batch(b, matmul(swap_last(x), g), r, y);
    case opcode::solve: {
        const tracer back = solve(swap_last(x), g);
        return k == 1 ? narrowed_batch(b, back, r, y) : narrowed_batch(b, -matmul(back, swap_last(r)), r, x);
    }
    case opcode::inverse: return done(-matmul(swap_last(r), matmul(g, swap_last(r))));
    case opcode::logabsdet: return done(expanded(g, 3) * swap_last(inverse(x)));
    case opcode::det: return done(expanded(g, 3) * of_matrix(opcode::cofactors, x)); // there for singular x too
    case opcode::cofactors: {
        const tracer inverse_x = swap_last(inverse(x));
        return done(expanded(reduced(opcode::reduce_sum, g * r, 3), 3) * inverse_x - matmul(r, matmul(swap_last(g), inverse_x)));
    }
    case opcode::triangle: return done(array_operation(n.op, n.bits, g));
    case opcode::diagonal: return done(array_operation(opcode::undiagonal, 0, g, x));
    case opcode::undiagonal: return k == 0 ? done(array_operation(opcode::diagonal, 0, g)) : no_node;
    case opcode::cholesky: {
        const tracer inner = half_lower(matmul(swap_last(r), g));
        const tracer left = solve(swap_last(r), inner);                         // r⁻ᵀ Φ
        return done(symmetric(swap_last(solve(swap_last(r), swap_last(left))))); // (r⁻ᵀ Φ r⁻¹), symmetric
    }
    case opcode::eigh_values: {
        const tracer v = of_matrix(opcode::eigh_vectors, x);
        return done(matmul(scaled(v, g), swap_last(v)));
    }
    case opcode::eigh_vectors: {
        const tracer f = gaps(of_matrix(opcode::eigh_values, x));
        return done(symmetric(matmul(r, matmul(f * matmul(swap_last(r), g), swap_last(r)))));
    }
    case opcode::svd_s: {
        const tracer u = of_matrix(opcode::svd_u, x), vt = of_matrix(opcode::svd_v, x);
        return done(matmul(scaled(u, g), vt));
    }
    case opcode::svd_u: {
        const tracer s = of_matrix(opcode::svd_s, x), vt = of_matrix(opcode::svd_v, x);
        const tracer f = gaps_of_squares(s), w = matmul(swap_last(r), g);
        const tracer inner = scaled(f * (w - swap_last(w)), s);
        const tracer outside = (g - matmul(r, w)) * expanded(safe_inverse(s), 2);
        return done(matmul(matmul(r, inner) + outside, vt));
    }
    case opcode::svd_v: { // r is vᵀ
        const tracer s = of_matrix(opcode::svd_s, x), u = of_matrix(opcode::svd_u, x);
        const tracer f = gaps_of_squares(s), w = matmul(r, swap_last(g));
        const tracer inner = (f * (w - swap_last(w))) * expanded(s, 1);
        const tracer outside = (swap_last(g) - matmul(swap_last(r), w)) * expanded(safe_inverse(s), 2);
        return done(matmul(u, matmul(inner, r) + swap_last(outside)));
    }
    case opcode::qr_q: {
        const tracer upper = of_matrix(opcode::qr_r, x);
        const tracer m = -matmul(swap_last(g), r);
        const tracer low = tril(m, -1);
        return done(swap_last(solve(upper, swap_last(g + matmul(r, low + swap_last(low) + diagonal_part(m))))));
    }
    case opcode::qr_r: {
        const tracer q = of_matrix(opcode::qr_q, x);
        const tracer m = matmul(r, swap_last(g)), low = tril(m, -1);
        return done(swap_last(solve(r, swap_last(matmul(q, low + swap_last(low) + diagonal_part(m))))));
    }
    default: return no_node;
    }
}

constexpr node_index algebra_push(builder& b, const node& n, int k, const tracer& t, const tracer& r) {
    const tracer x(b, n.operand[0]), y(b, n.operand[1]);
    const auto done = [&](const tracer& v) { return v.in(b); };
    switch (n.op) {
    case opcode::conv2d: return done(k == 0 ? array_operation(n.op, n.bits, t, y) : array_operation(n.op, n.bits, x, t));
    case opcode::conv2d_images:
    case opcode::conv2d_kernels: {
        const tracer z(b, n.operand[2]);
        return done(k == 0 ? array_operation(n.op, n.bits, t, y, z) : array_operation(n.op, n.bits, x, t, z));
    }
    case opcode::matmul: return done(k == 0 ? matmul(t, y) : matmul(x, t));
    case opcode::solve: return done(k == 1 ? solve(x, t) : -solve(x, matmul(t, r)));
    case opcode::inverse: return done(-matmul(r, matmul(t, r)));
    case opcode::logabsdet: return done(reduced(opcode::reduce_sum, swap_last(inverse(x)) * t, 3));
    case opcode::det: return done(reduced(opcode::reduce_sum, of_matrix(opcode::cofactors, x) * t, 3));
    case opcode::cofactors: {
        const tracer inverse_x = inverse(x);
        const tracer trace_of = reduced(opcode::reduce_sum, swap_last(inverse_x) * t, 3);
        return done(expanded(trace_of, 3) * r - matmul(swap_last(inverse_x), matmul(swap_last(t), r)));
    }
    case opcode::triangle:
    case opcode::diagonal: return done(array_operation(n.op, n.bits, t));
    case opcode::undiagonal: return done(array_operation(n.op, n.bits, t, y));
    case opcode::cholesky: {
        const tracer inner = solve(r, swap_last(solve(r, swap_last(symmetric(t)))));
        return done(matmul(r, half_lower(inner)));
    }
    case opcode::eigh_values: {
        const tracer v = of_matrix(opcode::eigh_vectors, x);
        return done(reduced(opcode::reduce_sum, v * matmul(symmetric(t), v), 2));
    }
    case opcode::eigh_vectors: {
        const tracer f = gaps(of_matrix(opcode::eigh_values, x));
        return done(matmul(r, f * matmul(swap_last(r), matmul(symmetric(t), r))));
    }
    case opcode::svd_s: {
        const tracer u = of_matrix(opcode::svd_u, x), vt = of_matrix(opcode::svd_v, x);
        return done(reduced(opcode::reduce_sum, u * matmul(t, swap_last(vt)), 2));
    }
    case opcode::svd_u: {
        const tracer s = of_matrix(opcode::svd_s, x), v = swap_last(of_matrix(opcode::svd_v, x));
        const tracer d = matmul(t, v), p = matmul(swap_last(r), d); // p = uᵀ ṫ v
        const tracer turn = gaps_of_squares(s) * (p * expanded(s, 2) + expanded(s, 1) * swap_last(p));
        return done(matmul(r, turn) + (d - matmul(r, p)) * expanded(safe_inverse(s), 2));
    }
    case opcode::svd_v: {
        const tracer s = of_matrix(opcode::svd_s, x), u = of_matrix(opcode::svd_u, x), v = swap_last(r);
        const tracer d = matmul(swap_last(t), u), p = matmul(swap_last(u), matmul(t, v));
        const tracer turn = gaps_of_squares(s) * (expanded(s, 1) * p + swap_last(p) * expanded(s, 2));
        return done(swap_last(matmul(v, turn) + (d - matmul(v, swap_last(p))) * expanded(safe_inverse(s), 2)));
    }
    case opcode::qr_q:
    case opcode::qr_r: {
        const tracer q = of_matrix(opcode::qr_q, x), upper = of_matrix(opcode::qr_r, x);
        const tracer c = swap_last(solve(swap_last(upper), swap_last(t))); // ṫ r⁻¹
        const tracer qc = matmul(swap_last(q), c);
        const tracer low = tril(qc, -1), turn = low - swap_last(low);
        if (n.is(opcode::qr_q)) return done(c - matmul(q, qc - turn));
        return done(matmul(qc - turn, upper));
    }
    default: return no_node;
    }
}

} // namespace dyad
