// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Operations on numbers whose derivatives are known at run time (active, dual), not computed yet: the type is the
// formula, the object holds its operands by value, so that `auto` is safe. Who assigns it to such a number computes
// value and partial derivatives in one go (statement.hpp).
#pragma once

#include <dyad/base/leaf_name.hpp>
#include <dyad/op/operations.hpp>
#include <dyad/tape/call_site.hpp>

namespace dyad {

/// A number that carries derivatives at run time: `active<T>` (reverse mode), `dual<T, N>` (forward mode).
template <class T>
concept active_number = requires { typename std::remove_cvref_t<T>::dyad_active; };

/// One whose every operation has its own type again (immediate.hpp).
template <class T>
concept immediate_number = requires { typename std::remove_cvref_t<T>::dyad_immediate; };

/// An operation on such numbers.
template <class T>
concept deferred_value = requires { typename std::remove_cvref_t<T>::dyad_deferred; };

/// How many numbers lie inside one another: 0 for double, 1 for active<double>, 2 for active<active<double>>.
template <class T>
inline constexpr int level_of = 0;
template <active_number T>
inline constexpr int level_of<T> = 1 + level_of<typename T::value_type>;
template <deferred_value T>
inline constexpr int level_of<T> = level_of<typename T::result_type>;

/// The number type at the bottom: double for active<active<double>>.
template <class T>
struct bottom_number {
    using type = T;
};
template <active_number T>
struct bottom_number<T> : bottom_number<typename T::value_type> {};

/// Whether a tangent or cotangent is the constant 0: in every order.
template <class T>
constexpr bool vanishes(const T& x) {
    if constexpr (number<T>) {
        return x == 0;
    } else if constexpr (requires { x.all_tangents(); }) {
        bool all = vanishes(x.value());
        for (const auto& tangent : x.all_tangents()) all = all && vanishes(tangent);
        return all;
    } else {
        return x.key().statement() == 0 && vanishes(x.value());
    }
}

/// The value at the bottom, of a number of any level or an operation on such.
template <class X>
DYAD_INLINE constexpr auto bottom_value(const X& x) {
    if constexpr (active_number<X> || deferred_value<X>) {
        return bottom_value(x.value());
    } else {
        return x;
    }
}

/// What operands compute in together: the number of the highest level among them; void if all are plain.
template <class... X>
struct common_active;
template <class X>
struct common_active<X> {
    using type = void;
};
template <active_number X>
struct common_active<X> {
    using type = typename X::active_type;
};
template <deferred_value X>
struct common_active<X> {
    using type = typename X::result_type;
};
template <class X, class Y, class... Rest>
struct common_active<X, Y, Rest...> {
    using first = typename common_active<X>::type;
    using others = typename common_active<Y, Rest...>::type;
    using type = std::conditional_t<(level_of<first> >= level_of<others>), first, others>;
    static_assert(level_of<first> != level_of<others> || std::is_void_v<first> || std::is_same_v<first, others>,
                  "[dyad] active: numbers of two types, such as active<float> and active<double> or dual<double, 2> and "
                  "active<double>, cannot meet in one operation; convert one of them");
};

/// An operand without derivatives.
template <class T>
struct passive_operand {
    T number;
    [[nodiscard]] DYAD_INLINE constexpr const T& value() const { return number; }
};

/// The operands of an operation, by value.
template <class... X>
struct operand_pack;
template <class X>
struct operand_pack<X> {
    X x;
    template <class F>
    DYAD_INLINE constexpr decltype(auto) apply(F&& f) const {
        return f(x);
    }
};
template <class X, class Y>
struct operand_pack<X, Y> {
    X x;
    Y y;
    template <class F>
    DYAD_INLINE constexpr decltype(auto) apply(F&& f) const {
        return f(x, y);
    }
};
template <class X, class Y, class Z>
struct operand_pack<X, Y, Z> {
    X x;
    Y y;
    Z z;
    template <class F>
    DYAD_INLINE constexpr decltype(auto) apply(F&& f) const {
        return f(x, y, z);
    }
};

template <class X>
inline constexpr int leaf_count_of = 1;
template <deferred_value X>
inline constexpr int leaf_count_of<X> = X::leaf_count;
template <class X>
inline constexpr int operation_count_of = 0;
template <deferred_value X>
inline constexpr int operation_count_of<X> = X::operation_count;

/// Operation `Op` with attribute `N` on operands `X`: numbers `A` themselves, operations on them, passive operands, and a
/// bool where a condition stands.
template <opcode Op, int N, class A, class... X>
class deferred : public operators::home<deferred<Op, N, A, X...>> {
public:
    using dyad_symbolic = deferred;
    using dyad_deferred = deferred;
    using result_type = A;
    using value_type = typename A::value_type;
    static constexpr opcode op = Op;
    static constexpr int attribute = N;
    static constexpr int leaf_count = (0 + ... + leaf_count_of<X>);
    static constexpr int operation_count = (1 + ... + operation_count_of<X>);

    DYAD_INLINE constexpr explicit deferred(const X&... x) : operands_{x...} {}

    /// The value alone, with the bits that the same formula has on plain numbers.
    [[nodiscard]] DYAD_INLINE constexpr value_type value() const {
        return operands_.apply([](const auto&... x) DYAD_INLINE_LAMBDA -> value_type {
            if constexpr (is(Op, opcode::where)) {
                return chosen(x...);
            } else if constexpr (operation<Op>::attributed) {
                return value_type(dyad::apply<Op>(whole<N>{}, x.value()...));
            } else {
                return value_type(dyad::apply<Op>(0, x.value()...));
            }
        });
    }
    DYAD_INLINE constexpr explicit operator bool() const { return bottom_value(*this) != 0; }

    // clang-format off
    template <class Other>
    constexpr deferred& operator=(const Other&) DYAD_REJECT("[dyad] auto: an `auto` variable holds an operation, not a number, and cannot be assigned; declare it as dyad::real, or dyad::dual", { return *this; })
    template <class Other>
    constexpr deferred& operator+=(const Other&) DYAD_REJECT("[dyad] auto: an `auto` variable holds an operation, not a number, and cannot be assigned; declare it as dyad::real, or dyad::dual", { return *this; })
    template <class Other>
    constexpr deferred& operator-=(const Other&) DYAD_REJECT("[dyad] auto: an `auto` variable holds an operation, not a number, and cannot be assigned; declare it as dyad::real, or dyad::dual", { return *this; })
    template <class Other>
    constexpr deferred& operator*=(const Other&) DYAD_REJECT("[dyad] auto: an `auto` variable holds an operation, not a number, and cannot be assigned; declare it as dyad::real, or dyad::dual", { return *this; })
    template <class Other>
    constexpr deferred& operator/=(const Other&) DYAD_REJECT("[dyad] auto: an `auto` variable holds an operation, not a number, and cannot be assigned; declare it as dyad::real, or dyad::dual", { return *this; })
    // clang-format on

    /// The value as a plain number.
    template <class U>
        requires std::is_arithmetic_v<U>
    DYAD_INLINE constexpr explicit operator U() const {
        return static_cast<U>(bottom_value(*this));
    }

    /// f(x...) of the operands.
    template <class F>
    DYAD_INLINE constexpr decltype(auto) apply(F&& f) const {
        return operands_.apply(f);
    }

private:
    template <class Y, class Z>
    DYAD_INLINE static constexpr value_type chosen(bool condition, const Y& y, const Z& z) {
        return condition ? value_type(y.value()) : value_type(z.value());
    }

    operand_pack<X...> operands_;
};

/// f(leaf) for each leaf of an operand, in order.
template <class F, class X>
DYAD_INLINE constexpr void visit_operand_leaves(F& f, const X& x) {
    if constexpr (deferred_value<X>) {
        x.apply([&f](const auto&... part) DYAD_INLINE_LAMBDA { (visit_operand_leaves(f, part), ...); });
    } else {
        f(x);
    }
}

/// What stands in operations on active numbers: these, numbers, conditions, and expressions, of which they take the value.
template <class T>
concept eager_number = requires { typename T::dyad_eager; };
template <class T>
concept active_operand = active_number<T> || deferred_value<T> || std::is_arithmetic_v<T> || eager_number<T>;

/// Whether an expression holds an argument of a function that is being differentiated (api/captured.hpp names those so).
template <class Leaves>
inline constexpr bool holds_argument = false;
template <template <class...> class List, class... Leaf>
inline constexpr bool holds_argument<List<Leaf...>> = (leaf_name::is_argument(Leaf::name) || ...);

/// The value of an expression, which is a constant to active numbers.
template <class T, eager_number E>
DYAD_INLINE constexpr T value_of_expression(const E& e) {
    if constexpr (requires { typename E::leaves; }) {
        static_assert(!holds_argument<typename E::leaves>,
                      "[dyad] capture: a function of grad and its kin captures a number of a tape or a dual, whose derivative would be lost; pass it "
                      "as an argument, and choose with grad<...>");
    }
    return static_cast<T>(e.value());
}

/// The operand as it is kept in an operation that gives an `A`.
template <class A, class X>
DYAD_INLINE constexpr auto to_deferred_operand(const X& x) {
    using T = typename A::value_type;
    if constexpr (std::is_same_v<X, bool>) {
        return x;
    } else if constexpr (std::is_base_of_v<A, X>) { // a class derived from it is a number too
        return A(static_cast<const A&>(x));
    } else if constexpr (deferred_value<X>) {
        if constexpr (std::is_same_v<typename X::result_type, A>) {
            return x;
        } else {
            return passive_operand<T>{T(x)};
        }
    } else if constexpr (eager_number<X>) {
        return passive_operand<T>{value_of_expression<T>(x)};
    } else {
        return passive_operand<T>{T(x)};
    }
}

/// A formula may have so many leaves and operations; of a longer one the operands are computed first. So the types of
/// `auto` variables stay small however long a program is.
inline constexpr int most_leaves = 16, most_operations = 32;

/// The number that an operation gives, as a statement which stands in no line of the user's program.
template <class A, class E>
DYAD_INLINE constexpr A computed_within(const E& e) {
    if constexpr (requires { A(e, call_site{}); }) {
        return A(e, call_site{});
    } else {
        return A(e);
    }
}

template <opcode Op, int N, class A, class... X>
DYAD_INLINE constexpr auto defer(const X&... x) {
    constexpr bool fits = (0 + ... + leaf_count_of<X>) <= most_leaves && (1 + ... + operation_count_of<X>) <= most_operations;
    if constexpr (fits) {
        return deferred<Op, N, A, X...>(x...);
    } else {
        constexpr auto computed = []<class Y>(const Y& y) {
            if constexpr (deferred_value<Y>) {
                return computed_within<A>(y);
            } else {
                return y;
            }
        };
        return defer<Op, N, A>(computed(x)...);
    }
}

template <opcode Op, class A, class... X>
A with_attribute(int attribute, const X&... x); // statement.hpp

/// Comparisons know their answer; everything else is deferred.
template <opcode Op, class Attribute, active_operand... X>
    requires(((active_number<X> || deferred_value<X>) || ...) && !(immediate_number<X> || ...))
DYAD_INLINE constexpr auto apply_symbolic(op_constant<Op>, [[maybe_unused]] Attribute attribute, const X&... x) {
    using A = typename common_active<X...>::type;
    using rule = operation<Op>;
    if constexpr (rule::condition && (is(Op, opcode::less) || is(Op, opcode::less_equal) || is(Op, opcode::equal))) {
        const auto bottom = [](const auto& operand) DYAD_INLINE_LAMBDA { // (a plain number as it is: floats are compared with doubles as doubles)
            if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(operand)>>) return operand;
            else return bottom_value(to_deferred_operand<A>(operand).value());
        };
        using number = std::common_type_t<typename bottom_number<A>::type, decltype(bottom(x))...>;
        return rule::value(static_cast<number>(bottom(x))...);
    } else if constexpr (rule::condition) {
        return rule::value(static_cast<bool>(x)...);
    } else if constexpr (is(Op, opcode::where)) {
        return [](const auto& condition, const auto&... choice) DYAD_INLINE_LAMBDA {
            return defer<Op, 0, A>(static_cast<bool>(condition), to_deferred_operand<A>(choice)...);
        }(x...);
    } else if constexpr (is(Op, opcode::stop_gradient)) {
        return A(bottom_value(x)...); // in every order
    } else if constexpr (!rule::attributed) {
        return defer<Op, 0, A>(to_deferred_operand<A>(x)...);
    } else if constexpr (std::is_same_v<Attribute, int>) {
        return with_attribute<Op, A>(attribute, to_deferred_operand<A>(x)...);
    } else {
        return defer<Op, Attribute::value, A>(to_deferred_operand<A>(x)...);
    }
}
/// The answer of a comparison, negated or joined by an operator.
template <opcode Op, std::same_as<bool>... X>
    requires(operation<Op>::condition && sizeof...(X) > 0)
constexpr bool apply_symbolic(op_constant<Op>, int, const X&... x) {
    return operation<Op>::value(x...);
}

} // namespace dyad
