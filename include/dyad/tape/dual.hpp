// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Forward mode with a fixed number of tangents: for few inputs and long loops. A statement's value and partial derivatives
// are the same compiled kernel that the tape runs; its tangents are sums of the operands', and nothing is recorded.
#pragma once

#include <array>
#include <cstring>
#include <iosfwd>
#include <string>
#include <type_traits>

#include <dyad/tape/immediate.hpp>
#include <dyad/tape/statement.hpp>

namespace dyad {

[[noreturn]] inline void refuse_direction_of_dual(int k, int directions) {
    throw index_error("[dyad] dual: direction " + std::to_string(k) + " is not in [0, " + std::to_string(directions) + ")");
}

/// A number and its derivatives along `N` directions. Drop-in like dyad::real; dual<dual<double, 1>, 1> has second orders.
/// Example: `auto x = dual<double, 2>::variable(3.0, 0), y = dual<double, 2>::variable(2.0, 1); dual<double, 2> z = x * y;`
/// then `z.tangent(0)` is 2.
template <class T, int N = 1>
class dual : public operators::home<dual<T, N>> {
    static_assert(real_number<T> || active_number<T>, "[dyad] dual: the number type must be float, double, long double, or again active or dual");
    static_assert(N > 0, "[dyad] dual: at least one direction is needed");

public:
    using dyad_symbolic = dual;
    using dyad_active = dual;
    using active_type = dual;
    using value_type = T;
    using tangents = std::array<T, static_cast<std::size_t>(N)>;
    static constexpr int directions = N;

    constexpr dual() = default;
    /// A constant.
    template <class U>
        requires(std::is_arithmetic_v<U>)
    DYAD_INLINE constexpr explicit(false) dual(U value) : value_(static_cast<T>(value)) {}
    DYAD_INLINE constexpr explicit(false) dual(const T& value)
        requires active_number<T>
        : value_(value) {}
    template <eager_number E>
    constexpr explicit(false) dual(const E& e) : value_(value_of_expression<T>(e)) {}
    DYAD_INLINE constexpr dual(const T& value, const tangents& tangent) : tangent_(tangent), value_(value) {}
    /// A statement.
    template <deferred_value E>
        requires(std::is_same_v<typename E::result_type, dual>)
    DYAD_INLINE constexpr explicit(false) dual(const E& e) {
        using program = statement_program<E>;
        if constexpr (program::active_count == 0) {
            value_ = e.value();
        } else {
            leaves_of<E> leaves;
            visit_operand_leaves(leaves, e);
            const auto result = program::kernel::template run<T>(leaves.input);
            value_ = result[0];
            if (std::is_constant_evaluated() || program::has_active_exponent) {
                for (std::size_t l = 0; l < tangent_.size(); ++l) combine<program, T>(l, leaves, result);
            } else if constexpr (!program::has_active_exponent) {
                for (std::size_t l = 0; l < tangent_.size(); l += width) combine<program, row>(l, leaves, result);
            }
        }
    }
    template <deferred_value E>
        requires(std::is_same_v<typename E::result_type, T>)
    DYAD_INLINE constexpr explicit(false) dual(const E& e) : value_(e) {}

    /// The variable of direction `k`: its tangent is 1 there. Throws index_error for another than 0 .. N - 1.
    [[nodiscard]] static constexpr dual variable(const T& value, int k = 0) {
        if (k < 0 || k >= N) refuse_direction_of_dual(k, N);
        dual result(value, tangents{});
        result.tangent_[static_cast<std::size_t>(k)] = T(1);
        return result;
    }

    [[nodiscard]] DYAD_INLINE constexpr const T& value() const& { return value_; }
    [[nodiscard]] DYAD_INLINE constexpr const T& tangent(int k = 0) const& { return tangent_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] DYAD_INLINE constexpr const tangents& all_tangents() const& { return tangent_; }
    // Of a temporary.
    [[nodiscard]] DYAD_INLINE constexpr T value() const&& { return value_; }
    [[nodiscard]] DYAD_INLINE constexpr T tangent(int k = 0) const&& { return tangent_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] DYAD_INLINE constexpr tangents all_tangents() const&& { return tangent_; }

    DYAD_INLINE constexpr explicit operator bool() const { return bottom_value(value_) != 0; }
    template <class U>
        requires(std::is_arithmetic_v<U>)
    DYAD_INLINE constexpr explicit operator U() const {
        return static_cast<U>(bottom_value(value_));
    }

    template <active_operand X>
    DYAD_INLINE constexpr dual& operator+=(const X& x) {
        return *this = dual(*this + without_immediate(x));
    }
    template <active_operand X>
    DYAD_INLINE constexpr dual& operator-=(const X& x) {
        return *this = dual(*this - without_immediate(x));
    }
    template <active_operand X>
    DYAD_INLINE constexpr dual& operator*=(const X& x) {
        return *this = dual(*this * without_immediate(x));
    }
    template <active_operand X>
    DYAD_INLINE constexpr dual& operator/=(const X& x) {
        return *this = dual(*this / without_immediate(x));
    }
    DYAD_INLINE constexpr dual& operator++() {
        value_ = T(value_ + 1);
        return *this;
    }
    DYAD_INLINE constexpr dual& operator--() {
        value_ = T(value_ - 1);
        return *this;
    }
    DYAD_INLINE constexpr dual operator++(int) {
        const dual before = *this;
        ++*this;
        return before;
    }
    DYAD_INLINE constexpr dual operator--(int) {
        const dual before = *this;
        --*this;
        return before;
    }

    /// A statement whose partial derivatives are known.
    static constexpr dual from_partials(const T& value, const T* partial, const dual* operand, int count) {
        dual result(value, tangents{});
        for (std::size_t l = 0; l < result.tangent_.size(); ++l) {
            for (int k = 0; k < count; ++k) result.tangent_[l] = T(result.tangent_[l] + partial[k] * operand[k].tangent_[l]);
        }
        return result;
    }

    template <class Traits>
    friend auto& operator<<(std::basic_ostream<char, Traits>& out, const dual& x) {
        return out << x.value();
    }
    template <class Traits>
    friend auto& operator>>(std::basic_istream<char, Traits>& in, dual& x) {
        T value = x.value_;
        in >> value;
        if (in || value != x.value_) x = dual(value, tangents{}); // (at the end of the input nothing is read)
        return in;
    }

private:
    /// The inputs of a statement's kernel and the tangents of its active leaves.
    template <class E>
    struct leaves_of {
        T input[E::leaf_count]{};
        const T* tangent[statement_program<E>::active_count]{};
        int next = 0, next_active = 0;

        DYAD_INLINE constexpr void operator()(const dual& leaf) {
            input[next++] = leaf.value_;
            tangent[next_active++] = leaf.tangent_.data();
        }
        DYAD_INLINE constexpr void operator()(const passive_operand<T>& leaf) { input[next++] = leaf.number; }
        DYAD_INLINE constexpr void operator()(bool condition) { input[next++] = T(condition ? 1 : 0); }
    };

    /// So many tangents are computed at once, in a vector of the compiler's: no compiler puts such short loops together alike.
    static constexpr std::size_t width = !std::is_same_v<T, double> && !std::is_same_v<T, float> ? 1 : N % 8 == 0 ? 8 : N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1;
    template <class Number, std::size_t W>
    struct row_of {
        using type [[gnu::vector_size(W * sizeof(Number))]] = Number;
    };
    template <class Number>
    struct row_of<Number, 1> {
        using type = Number;
    };
    using row = typename row_of<T, width>::type;

    /// The tangents from number `l` on, as many as a Row holds: sums of partial derivatives times the operands' tangents.
    template <class Program, class Row, class Leaves, class Result>
    DYAD_INLINE constexpr void combine(std::size_t l, const Leaves& leaves, const Result& result) {
        [&]<std::size_t... K>(std::index_sequence<K...>) DYAD_INLINE_LAMBDA {
            constexpr bool counts[] = {Program::kind(K) != partial_kind::nothing...};
            constexpr std::size_t first = [&] {
                std::size_t k = 0;
                while (k < sizeof...(K) && !counts[k]) ++k;
                return k;
            }();
            Row total{};
            (add_term<Program::kind(K), K == first, Program::is_exponent(K)>(total, leaves.tangent[K] + l, result[1 + 2 * K], result[2 + 2 * K]), ...);
            store(total, tangent_.data() + l);
        }(std::make_index_sequence<static_cast<std::size_t>(Program::active_count)>{});
    }
    // (By reference: a vector that a function takes or gives would depend on the instruction set.)
    template <partial_kind Kind, bool First, bool IsExponent, class Row>
    DYAD_INLINE static constexpr void add_term(Row& total, const T* tangent, const T& partial, const T& condition) {
        if constexpr (Kind != partial_kind::nothing) {
            Row x;
            if constexpr (std::is_same_v<Row, T>) {
                x = *tangent;
            } else {
                std::memcpy(&x, tangent, sizeof x);
            }
            if constexpr (IsExponent) { // a constant one that was made a dual: of it, no slope is asked for
                if (vanishes(x)) return;
            }
            // (Each sum is one expression, which a compiler may contract.)
            if constexpr (Kind == partial_kind::one) total = First ? x : Row(total + x);
            if constexpr (Kind == partial_kind::minus_one) total = First ? Row(-x) : Row(total - x);
            if constexpr (Kind == partial_kind::number) total = First ? Row(partial * x) : Row(total + partial * x);
            if constexpr (Kind == partial_kind::conditional) {
                if (bottom_value(condition) != 0) total = Row(total + partial * x);
            }
        }
    }
    template <class Row>
    DYAD_INLINE static constexpr void store(const Row& x, T* to) {
        if constexpr (std::is_same_v<Row, T>) {
            *to = x;
        } else {
            std::memcpy(to, &x, sizeof x);
        }
    }

    // (In this order: compilers copy a number in vectors from its begin, and tangents are loaded as they were stored.)
    tangents tangent_{};
    T value_{};
};

} // namespace dyad
