// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Active numbers whose every operation is computed at once and has the same type again, as on plain numbers: what
// tape_grad(f) hands to f, so that any generic body works unchanged (`auto y = x * x; if (y > 1) return y; return x;`). Code
// that names its variables' type, `real y = ...`, records a whole statement at once, which is faster.
#pragma once

#include <dyad/tape/deferred.hpp>

namespace dyad {

/// The active number `A` (active or dual), computed operation by operation.
template <class A>
class immediate : public A {
public:
    using dyad_immediate = immediate;

    constexpr immediate() = default;
    DYAD_INLINE constexpr explicit(false) immediate(const A& a) : A(a) {}
    template <class U>
        requires(std::is_arithmetic_v<U>)
    DYAD_INLINE constexpr explicit(false) immediate(U value) : A(value) {}
    template <deferred_value E>
        requires(std::is_constructible_v<A, const E&>)
    DYAD_INLINE explicit(false) immediate(const E& e) : A(e) {}
    DYAD_INLINE constexpr explicit(false) immediate(const typename A::value_type& value)
        requires active_number<typename A::value_type>
        : A(value) {}

    // A's own give an A.
#define DYAD_STEP(symbol)                                                                            \
    template <active_operand X>                                                                      \
    DYAD_INLINE constexpr immediate& operator symbol##=(const X & x) {                               \
        A::operator symbol##=(x);                                                                    \
        return *this;                                                                                \
    }
    DYAD_STEP(+)
    DYAD_STEP(-)
    DYAD_STEP(*)
    DYAD_STEP(/)
#undef DYAD_STEP
#define DYAD_STEP_BY_ONE(symbol)                                                                     \
    DYAD_INLINE constexpr immediate& operator symbol() {                                             \
        A::operator symbol();                                                                        \
        return *this;                                                                                \
    }                                                                                                \
    DYAD_INLINE constexpr immediate operator symbol(int) {                                           \
        const immediate before = *this;                                                              \
        A::operator symbol();                                                                        \
        return before;                                                                               \
    }
    DYAD_STEP_BY_ONE(++)
    DYAD_STEP_BY_ONE(--)
#undef DYAD_STEP_BY_ONE
};

template <class X>
DYAD_INLINE constexpr const auto& without_immediate(const X& x) {
    if constexpr (immediate_number<X>) {
        return static_cast<const typename X::active_type&>(x);
    } else {
        return x;
    }
}

template <opcode Op, class Attribute, active_operand... X>
    requires(immediate_number<X> || ...)
DYAD_INLINE constexpr auto apply_symbolic(op_constant<Op> op, Attribute attribute, const X&... x) {
    if constexpr (operation<Op>::condition) {
        return apply_symbolic(op, attribute, without_immediate(x)...);
    } else {
        return immediate<typename common_active<X...>::type>(apply_symbolic(op, attribute, without_immediate(x)...));
    }
}

} // namespace dyad
