// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The active number: behaves as its value, and knows which statement of a recording gave it. Assigning a deferred operation
// to it is a statement. Without a tape on the thread it is the number and nothing more.
#pragma once

#include <dyad/tape/immediate.hpp>
#include <dyad/tape/sweep.hpp>

namespace dyad {

/// A number that a tape can follow: `real` is active<double>. Drop-in for templated code: arithmetic, comparisons (which
/// give bool), the mathematical functions by argument-dependent look-up, std::numeric_limits, streams.
/// Example: `real y = x * x + sin(x); if (y > 1) y /= 2;`
template <class T>
class active : public operators::home<active<T>> {
    static_assert(real_number<T> || active_number<T>, "[dyad] active: the number type must be float, double, long double, or again active or dual");

public:
    using dyad_symbolic = active;
    using dyad_active = active;
    using active_type = active;
    using value_type = T;

    constexpr active() = default;
    /// A passive number: its derivatives are zero.
    template <class U>
        requires(std::is_arithmetic_v<U>)
    DYAD_INLINE constexpr explicit(false) active(U value) : value_(static_cast<T>(value)) {}
    DYAD_INLINE constexpr explicit(false) active(const T& value)
        requires active_number<T>
        : value_(value) {}
    template <eager_number E>
    constexpr explicit(false) active(const E& e) : value_(value_of_expression<T>(e)) {}
    /// A statement: computes the value and, if a tape records, all partial derivatives, in one go.
    template <deferred_value E>
        requires(std::is_same_v<typename E::result_type, active>)
    DYAD_INLINE explicit(false) active(const E& e, call_site where = call_site::here()) {
        recording<T>* const r = recordings_of_thread<T>.current;
        if (r != nullptr && r->record(e, value_, key_, where)) return;
        value_ = e.value();
    }
    /// A statement of numbers that are passive here, such as active<double> in active<active<double>>.
    template <deferred_value E>
        requires(std::is_same_v<typename E::result_type, T>)
    DYAD_INLINE explicit(false) active(const E& e, call_site where = call_site::here()) : value_(e, where) {}
    active(const T& value, tape_key key) : value_(value), key_(key) {}

    [[nodiscard]] DYAD_INLINE constexpr const T& value() const& { return value_; }
    [[nodiscard]] DYAD_INLINE constexpr T value() const&& { return value_; } ///< of a temporary: `auto&& v = real(2 * x).value();` stands
    [[nodiscard]] DYAD_INLINE constexpr tape_key key() const { return key_; }

    DYAD_INLINE constexpr explicit operator bool() const { return bottom_value(value_) != 0; }
    /// The value as a plain number.
    template <class U>
        requires(std::is_arithmetic_v<U>)
    DYAD_INLINE constexpr explicit operator U() const {
        return static_cast<U>(bottom_value(value_));
    }

    template <active_operand X>
    DYAD_INLINE active& operator+=(const X& x) {
        return *this = active(*this + without_immediate(x), call_site{});
    }
    template <active_operand X>
    DYAD_INLINE active& operator-=(const X& x) {
        return *this = active(*this - without_immediate(x), call_site{});
    }
    template <active_operand X>
    DYAD_INLINE active& operator*=(const X& x) {
        return *this = active(*this * without_immediate(x), call_site{});
    }
    template <active_operand X>
    DYAD_INLINE active& operator/=(const X& x) {
        return *this = active(*this / without_immediate(x), call_site{});
    }
    // Adding 1 changes no derivative: the statement stays the same.
    DYAD_INLINE constexpr active& operator++() {
        value_ = T(value_ + 1);
        return *this;
    }
    DYAD_INLINE constexpr active& operator--() {
        value_ = T(value_ - 1);
        return *this;
    }
    DYAD_INLINE constexpr active operator++(int) {
        const active before = *this;
        ++*this;
        return before;
    }
    DYAD_INLINE constexpr active operator--(int) {
        const active before = *this;
        --*this;
        return before;
    }

    /// A statement whose partial derivatives are known.
    static active from_partials(const T& value, const T* partial, const active* operand, int count) {
        recording<T>* const r = recordings_of_thread<T>.current;
        tape_key keys[3];
        bool any = false;
        for (int k = 0; k < count; ++k) {
            keys[k] = operand[k].key_;
            any = any || (r != nullptr && r->is_active(keys[k]));
        }
        return any ? active(value, r->push_function(value, partial, keys, static_cast<std::size_t>(count))) : active(value);
    }

    template <class Traits>
    friend auto& operator<<(std::basic_ostream<char, Traits>& out, const active& x) {
        return out << x.value();
    }
    template <class Traits>
    friend auto& operator>>(std::basic_istream<char, Traits>& in, active& x) {
        T value = x.value_;
        in >> value;
        if (in || value != x.value_) x = active(value); // (at the end of the input nothing is read)
        return in;
    }

private:
    T value_{};
    tape_key key_;
};

/// The active number of user code.
using real = active<double>;

template <opcode Op, int N, class A, class... X, class Traits>
auto& operator<<(std::basic_ostream<char, Traits>& out, const deferred<Op, N, A, X...>& x) {
    return out << x.value();
}

} // namespace dyad
