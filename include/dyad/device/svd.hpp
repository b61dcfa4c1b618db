// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Singular values and vectors of matrices on a device, and the cofactors that they make. They need cuSOLVER.
#pragma once

#ifdef DYAD_CUSOLVER

#include <dyad/device/lu.hpp>

namespace dyad::device {

/// u, s and vᵀ of matrices; of those with fewer rows than columns, which cuSOLVER does not take, by their transposes.
template <class T, unsigned R>
struct singular_vectors {
    template <class X>
    singular_vectors(const X& x, bool vectors)
        : wide(x.size[1] < x.size[0]), rows(wide ? x.size[0] : x.size[1]), count(wide ? x.size[1] : x.size[0]), s(planes_of(x) * count * sizeof(T)),
          left(x, vectors ? rows : 0, count), right(x, vectors ? count : 0, count) {
        const column_stack<T, R> a(wide ? transposed(x) : x);
        solver<T> by(planes_of(x));
        others = each_number(a, [&](std::size_t p) {
            by.singular_values(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(count), a[p], values() + p * count, vectors ? left[p] : nullptr, vectors ? right[p] : nullptr);
        });
        if (const int info = by.verdict(); info > 0) routine::unconverged("svd", info);
    }
    [[nodiscard]] T* values() const { return static_cast<T*>(s.data()); }
    [[nodiscard]] auto u() const { return wide ? transposed(right.stack) : left.stack; }
    [[nodiscard]] auto v() const { return wide ? transposed(left.stack) : right.stack; }

    bool wide;
    std::size_t rows, count;
    buffer s;
    column_stack<T, R> left, right;
    std::vector<std::size_t> others; ///< with a NaN
};
/// The products of all singular values but one.
template <class T>
struct others_work {
    const T* s;
    T* to;
    std::size_t n;
    DYAD_FN void operator()(std::size_t i) const {
        T product(1);
        for (std::size_t k = 0; k != n; ++k) product *= k == i % n ? T(1) : s[i / n * n + k];
        to[i] = product;
    }
};
/// ∂ det a/∂aᵢⱼ = ± Σ uᵢₖ (Π of the other singular values) vₖⱼ, as on the host (array/linear_algebra.hpp).
template <class T, class E>
struct cofactor_work {
    const T *u, *others, *v, *det_u, *det_v;
    E* to;
    std::size_t n;
    DYAD_FN void operator()(std::size_t at) const {
        const std::size_t plane = at / (n * n), i = at / n % n, j = at % n;
        const T *const own_u = u + plane * n * n, *const own_v = v + plane * n * n;
        T sum(0);
        for (std::size_t k = 0; k != n; ++k) sum += own_u[k * n + i] * others[plane * n + k] * own_v[j * n + k];
        to[at] = static_cast<E>(det_u[plane] * det_v[plane] < T(0) ? -sum : sum);
    }
};
template <class T, class R, class X>
void cofactors(const R& to, const X& x) {
    const std::size_t n = x.size[0], planes = planes_of(x);
    const singular_vectors<T, X::rank> svd(x, true);
    solver<T> by(2 * planes);
    const lu_factors<T, X::rank> of_u(by, svd.left.stack), of_v(by, svd.right.stack);
    const buffer numbers((n + 2) * planes * sizeof(T));
    T *const others = static_cast<T*>(numbers.data()), *const det_u = others + n * planes, *const det_v = det_u + planes;
    determinants(of_u, det_u, false);
    determinants(of_v, det_v, false);
    run_each("cofactors", 1, n * planes, others_work<T>{svd.values(), others, n});
    run_each("cofactors", 3, to.count(), cofactor_work<T, typename R::element_type>{svd.left.stack.data, others, svd.right.stack.data, det_u, det_v, to.data, n});
    fill_nan<T>(to, planes, svd.others);
}

template <opcode Op, class T, class R, class X>
void singular_value(const R& to, const X& x) {
    const singular_vectors<T, X::rank> svd(x, !is(Op, opcode::svd_s));
    if constexpr (is(Op, opcode::svd_u)) copy<T>(svd.u(), to);
    if constexpr (is(Op, opcode::svd_v)) copy<T>(svd.v(), to);
    if constexpr (is(Op, opcode::svd_s)) copy<T>(rows_at(svd.values(), to), to);
    fill_nan<T>(to, planes_of(x), svd.others);
}

} // namespace dyad::device

#endif
