// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Eigen's matrices of active numbers: Eigen::Matrix<dyad::real, 3, 3>, products with plain numbers, factorisations. Include
// it after or before Eigen, but for determinants of 4 by 4 matrices before Eigen/LU; it includes Eigen/Core.
#pragma once

#include <Eigen/Core>

#include <dyad/tape/drop_in.hpp>
#include <dyad/tape/tree.hpp>

namespace Eigen {

template <class A>
    requires dyad::active_number<A>
struct NumTraits<A> : GenericNumTraits<A> {
    using Real = A;
    using NonInteger = A;
    using Nested = A;
    using Literal = A;
    enum {
        IsComplex = 0,
        IsInteger = 0,
        IsSigned = 1,
        RequireInitialization = 1,
        ReadCost = 2,
        AddCost = 8,
        MulCost = 8
    };
    static A dummy_precision() { return NumTraits<typename dyad::bottom_number<A>::type>::dummy_precision(); }
    static int digits10() { return NumTraits<typename dyad::bottom_number<A>::type>::digits10(); }
};

template <class A, class U, class BinaryOp>
    requires(dyad::active_number<A> && std::is_arithmetic_v<U>)
struct ScalarBinaryOpTraits<A, U, BinaryOp> {
    using ReturnType = A;
};
template <class U, class A, class BinaryOp>
    requires(dyad::active_number<A> && std::is_arithmetic_v<U>)
struct ScalarBinaryOpTraits<U, A, BinaryOp> {
    using ReturnType = A;
};

// Operations that a tape has not computed yet, such as a * b: numbers of what they give.
template <class E>
    requires dyad::deferred_value<E>
struct NumTraits<E> : NumTraits<typename E::result_type> {};
template <class E, class U, class BinaryOp>
    requires(dyad::deferred_value<E> && (std::is_arithmetic_v<U> || std::is_same_v<U, typename E::result_type>))
struct ScalarBinaryOpTraits<E, U, BinaryOp> {
    using ReturnType = typename E::result_type;
};
template <class U, class E, class BinaryOp>
    requires(dyad::deferred_value<E> && (std::is_arithmetic_v<U> || std::is_same_v<U, typename E::result_type>))
struct ScalarBinaryOpTraits<U, E, BinaryOp> {
    using ReturnType = typename E::result_type;
};
namespace internal {
/// x y + z, in Eigen's small determinants and triangular products.
template <class X, class Y, class Z>
    requires(dyad::deferred_value<X> || dyad::deferred_value<Y> || dyad::deferred_value<Z>)
auto pmadd(const X& x, const Y& y, const Z& z) {
    return typename dyad::common_active<X, Y, Z>::type(x * y + z);
}
} // namespace internal

} // namespace Eigen

/// Matrices as targets and sources: gradients come back as matrices of the same shape.
template <class S, int Rows, int Columns, int Options, int MaxRows, int MaxColumns>
struct dyad::tree<Eigen::Matrix<S, Rows, Columns, Options, MaxRows, MaxColumns>> {
    using matrix = Eigen::Matrix<S, Rows, Columns, Options, MaxRows, MaxColumns>;
    template <class F>
    static void visit(const matrix& s, F&& f) {
        for (Eigen::Index k = 0; k < s.size(); ++k) tree<S>::visit(s.data()[k], f);
    }
    template <class F>
    static auto map(const matrix& s, F&& f) {
        Eigen::Matrix<decltype(tree<S>::map(s.data()[0], f)), Rows, Columns, Options, MaxRows, MaxColumns> result(s.rows(), s.cols());
        for (Eigen::Index k = 0; k < s.size(); ++k) result.data()[k] = tree<S>::map(s.data()[k], f);
        return result;
    }
};
template <class S, int Rows, int Columns, int Options, int MaxRows, int MaxColumns>
struct dyad::tree_number<Eigen::Matrix<S, Rows, Columns, Options, MaxRows, MaxColumns>> : dyad::tree_number<S> {};
template <class S, int Rows, int Columns, int Options, int MaxRows, int MaxColumns>
struct dyad::tree_leaf<Eigen::Matrix<S, Rows, Columns, Options, MaxRows, MaxColumns>> : dyad::tree_leaf<S> {};
template <class S, int Rows, int Columns, int Options, int MaxRows, int MaxColumns>
inline constexpr std::size_t dyad::tree_size<Eigen::Matrix<S, Rows, Columns, Options, MaxRows, MaxColumns>> =
    Rows < 0 || Columns < 0 ? dyad::any_size : static_cast<std::size_t>(Rows* Columns);
