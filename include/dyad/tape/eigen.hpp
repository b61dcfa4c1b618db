// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Eigen's matrices and arrays of active numbers: Eigen::Matrix<dyad::real, 3, 3>, products with plain numbers, factorisations. Include
// it after or before Eigen, but for determinants of 4 by 4 matrices before Eigen/LU; it includes Eigen/Core.
#pragma once

#include <type_traits>

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

namespace dyad {

/// A matrix or an array of Eigen's, a map of memory, a part, or an expression that has not been computed.
template <class X>
concept eigen_dense = requires(const X& x) {
    typename X::PlainObject;
    requires std::is_same_v<typename X::StorageKind, Eigen::Dense>;
    x.eval();
};

/// The matrix or array that keeps such numbers T.
template <class Plain, class T>
struct eigen_of;
template <template <class, int, int, int, int, int> class Kind, class S, int Rows, int Columns, int Options, int MaxRows, int MaxColumns, class T>
struct eigen_of<Kind<S, Rows, Columns, Options, MaxRows, MaxColumns>, T> {
    using type = Kind<T, Rows, Columns, Options, MaxRows, MaxColumns>;
};

/// As targets, sources, variables and arguments: gradients come back as matrices, or arrays, of the same shape.
template <eigen_dense X>
struct tree<X> {
    using plain = typename X::PlainObject;
    using number = tree<typename X::Scalar>;

    template <class F>
    static void visit(const X& s, F&& f) {
        const auto& elements = s.eval(); // itself, if it is a plain one
        for (Eigen::Index k = 0; k < elements.size(); ++k) number::visit(elements.data()[k], f);
    }
    template <class F>
    static auto map(const X& s, F&& f) {
        const auto& elements = s.eval();
        typename eigen_of<plain, decltype(number::map(elements.data()[0], f))>::type result(s.rows(), s.cols());
        for (Eigen::Index k = 0; k < elements.size(); ++k) result.data()[k] = number::map(elements.data()[k], f);
        return result;
    }
};
template <eigen_dense X>
struct tree_number<X> : tree_number<typename X::Scalar> {};
/// (By what an expression would compute now nothing has been computed: no source.)
template <eigen_dense X>
inline constexpr bool is_recorded_tree<X> = !std::is_void_v<typename tree_number<X>::type> && (X::Flags & Eigen::DirectAccessBit) != 0;
template <eigen_dense X>
struct tree_leaf<X> : tree_leaf<typename X::Scalar> {};
template <eigen_dense X>
inline constexpr std::size_t tree_size<X> = X::SizeAtCompileTime < 0 ? any_size : static_cast<std::size_t>(X::SizeAtCompileTime);

} // namespace dyad
