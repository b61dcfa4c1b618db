// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What follows from the factors l and u of matrices on a device: solutions, inverses, determinants. They need cuSOLVER.
#pragma once

#ifdef DYAD_CUSOLVER

#include <dyad/array/singular.hpp>
#include <dyad/device/columns.hpp>
#include <dyad/device/solver.hpp>

namespace dyad::device {

/// l, u and the pivots of square matrices.
template <class T, unsigned R>
struct lu_factors {
    template <class X>
    lu_factors(solver<T>& by, const X& x) : factors(x), pivots(planes_of(x) * x.size[0] * sizeof(std::int64_t)) {
        const std::size_t n = x.size[0];
        for (std::size_t p = 0, planes = n == 0 ? 0 : planes_of(x); p < planes; ++p) by.lu(static_cast<std::int64_t>(n), factors[p], pivots_of(p));
    }
    [[nodiscard]] std::int64_t* pivots_of(std::size_t plane) const { return static_cast<std::int64_t*>(pivots.data()) + plane * factors.stack.size[0]; }
    /// Each matrix of x becomes a⁻¹ x.
    template <unsigned RX>
    void solve(solver<T>& by, const column_stack<T, RX>& x) const {
        const std::size_t n = factors.stack.size[0], m = x.stack.size[0];
        for (std::size_t p = 0, planes = planes_of(x.stack); p < planes; ++p) {
            const T* const a = plane_of(factors.stack, x.stack, p).data;
            by.lu_solve(static_cast<std::int64_t>(n), static_cast<std::int64_t>(m), a, pivots_of(static_cast<std::size_t>(a - factors.stack.data) / (n * n)), x[p]);
        }
    }

    column_stack<T, R> factors;
    buffer pivots;
};
template <class T, class E>
struct determinant_work {
    const T* factors;
    const std::int64_t* pivots;
    E* to;
    std::size_t n;
    bool logarithm;

    DYAD_FN void operator()(std::size_t plane) const {
        T result(logarithm ? 0 : 1);
        for (std::size_t i = 0; i != n; ++i) {
            const T pivot = factors[(plane * n + i) * n + i];
            if (logarithm) {
                result += dyad::log(dyad::abs(pivot));
            } else {
                result *= pivots[plane * n + i] == static_cast<std::int64_t>(i) + 1 ? pivot : -pivot;
            }
        }
        to[plane] = static_cast<E>(result);
    }
};
template <class T, unsigned R, class E>
void determinants(const lu_factors<T, R>& f, E* to, bool logarithm) {
    run_each(logarithm ? "logdet" : "det", 1, planes_of(f.factors.stack), determinant_work<T, E>{f.factors.stack.data, f.pivots_of(0), to, f.factors.stack.size[0], logarithm});
}

template <class T, class R, class A, class B>
void solve(const R& to, const A& a, const B& b) {
    solver<T> by(planes_of(a) + planes_of(to));
    const lu_factors<T, A::rank> factors(by, a);
    const column_stack<T, R::rank> x(to, to.size[1], to.size[0]);
    copy<T>(b, x.stack);
    factors.solve(by, x);
    if (const int info = by.verdict(); info > 0) routine::singular("solve", info);
    copy<T>(x.stack, to);
}
template <class T, class R, class X>
void inverse(const R& to, const X& x) {
    const std::size_t n = x.size[0];
    solver<T> by(2 * planes_of(x));
    const lu_factors<T, X::rank> factors(by, x);
    const column_stack<T, X::rank> result(x, n, n);
    fill<T>(result.stack);
    array_reference<T, X::rank - 1> line{result.stack.data, {n}, {static_cast<std::ptrdiff_t>(n + 1)}};
    for (unsigned k = 2; k < X::rank; ++k) line.size[k - 1] = x.size[k], line.stride[k - 1] = result.stack.stride[k];
    fill<T, __builtin_bit_cast(std::uint64_t, 1.0)>(line);
    factors.solve(by, result);
    if (const int info = by.verdict(); info > 0) routine::singular("inverse", info);
    copy<T>(result.stack, to);
}

} // namespace dyad::device

#endif
