// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The functions of arrays on xtensor's arrays of recorded numbers, so that a body that branches on its values runs unchanged:
// `auto s = sum(square(matmul(X, w))); if (s > 1) ...`. Each call is one statement with a compiled pullback.
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <dyad/api/sequence.hpp>
#include <dyad/api/tape_array.hpp>
#include <dyad/array/eager_elementwise.hpp>
#include <dyad/array/eager_functions.hpp>
#include <dyad/array/xtensor.hpp>
#include <dyad/tape/drop_in.hpp>

/// xtensor converts elements explicitly where it thinks that numbers become smaller: of active numbers, the derivatives would be lost.
template <dyad::run_time_number From, class To>
    requires std::is_arithmetic_v<To>
struct xt::has_assign_conversion<From, To> {
    static_assert(dyad::never<To>, "[dyad] tape: an array of active numbers does not become one of plain numbers, which would lose derivatives; use auto, or take "
                                   "the elements' value()");
    static const bool value = true; // (one mistake, one message)
};

namespace dyad {

/// An array of xtensor's of recorded numbers, or an expression of such; its rank is known.
template <class X>
concept recorded_tensor = xt::is_xexpression<std::remove_cvref_t<X>>::value && run_time_number<typename std::remove_cvref_t<X>::value_type> &&
                         requires { std::tuple_size<typename std::remove_cvref_t<X>::shape_type>::value; };
template <class X>
inline constexpr bool is_recorded_vector = false;
template <run_time_number X, class Allocator>
inline constexpr bool is_recorded_vector<std::vector<X, Allocator>> = true;
template <run_time_number X, std::size_t N>
inline constexpr bool is_recorded_vector<std::span<X, N>> = true;
template <class X>
concept recorded_array = recorded_tensor<X> || is_recorded_vector<X>;
template <recorded_array X>
inline constexpr bool is_recorded<X> = true;
template <recorded_array X>
inline constexpr bool is_recorded_array<X> = true;
template <run_time_number X>
inline constexpr bool is_recorded<X> = true;

template <class X>
constexpr bool holds_recorded_array() {
    return holds<X>([]<class P>(std::type_identity<P>) { return recorded_array<P>; });
}
/// Some operand is recorded, and some is an array.
template <class... X>
concept recorded_call = (holds_recorded<X>() || ...) && ((holds_recorded_array<X>() || holds_array<X>()) || ...);

/// The type of recorded numbers of which E is one, or an operation on such.
template <class E>
struct number_recorded {
    using type = E;
};
template <deferred_value E>
struct number_recorded<E> {
    using type = typename E::result_type;
};

/// An operand as a tree of numbers: what xtensor has not computed yet is recorded now.
template <class X>
decltype(auto) recorded_operand(const X& x) {
    if constexpr (recorded_tensor<X>) {
        if constexpr (requires { typename X::temporary_type; requires std::same_as<typename X::temporary_type, X>; }) {
            return (x);
        } else {
            return xt::xtensor<typename number_recorded<std::remove_const_t<typename X::value_type>>::type, std::tuple_size<typename X::shape_type>::value>(x);
        }
    } else if constexpr (deferred_value<X>) {
        return typename X::result_type(x);
    } else if constexpr (is_tuple_like<X>) {
        return unpack([](const auto&... part) { return std::tuple<decltype(recorded_operand(part))...>(recorded_operand(part)...); }, x);
    } else {
        return computed(x);
    }
}

template <recorded_tensor X>
decltype(auto) computed(const X& x) {
    return recorded_operand(x);
}
template <recorded_tensor X>
struct at_rest<X> {
    using type = std::remove_cvref_t<decltype(recorded_operand(std::declval<const X&>()))>;
};
template <recorded_tensor Xs>
inline constexpr bool has_rows<Xs> = std::tuple_size_v<typename Xs::shape_type> > 1;

/// Where a function takes an argument; elsewhere it has an attribute, such as an axis.
struct argument_place {};
template <class X>
using attribute_or_place = std::conditional_t<is_attribute<X> || is_constant_expression<X>, X, argument_place>;
template <class X>
inline constexpr bool is_argument = std::same_as<attribute_or_place<X>, argument_place>;
/// A single recorded number, which is an array without axes. (Not several: other functions of these names may take such.)
template <class X, class... Attributes>
concept recorded_number_call = is_recorded<X> && !recorded_array<X> && (!is_argument<Attributes> && ...);

/// `Function` with its attributes, of the arguments that are left.
template <class Function, class... A>
struct function_with_attributes {
    std::tuple<A...> attributes;

    template <class... X>
    constexpr auto operator()(const X&... x) const {
        return call(std::index_sequence_for<A...>{}, std::tie(x...));
    }

private:
    template <std::size_t... Item, class Arguments>
    constexpr auto call(std::index_sequence<Item...>, const Arguments& arguments) const {
        return Function{}(operand<Item>(arguments)...);
    }
    template <std::size_t Item, class Arguments>
    constexpr const auto& operand([[maybe_unused]] const Arguments& arguments) const {
        using attribute = std::tuple_element_t<Item, std::tuple<A...>>;
        if constexpr (std::same_as<attribute, argument_place>) {
            constexpr bool is_place[] = {std::same_as<A, argument_place>...};
            return std::get<static_cast<std::size_t>(std::count(is_place, is_place + Item, true))>(arguments);
        } else {
            return std::get<Item>(attributes);
        }
    }
};

/// The function of operands some of which are recorded, as one statement of the tape that records on this thread.
template <class Function, class... X>
auto record_function(const X&... x) {
    const auto attribute = []<class Y>([[maybe_unused]] const Y& y) {
        if constexpr (is_argument<Y>) return argument_place{};
        if constexpr (!is_argument<Y>) return y;
    };
    const auto argument = []<class Y>([[maybe_unused]] const Y& y) {
        if constexpr (is_argument<Y>) return std::tuple<decltype(recorded_operand(y))>(recorded_operand(y));
        if constexpr (!is_argument<Y>) return std::tuple<>();
    };
    const auto record = [](const auto& f, const auto& arguments) {
        return std::apply([&]<class... Y>(const Y&... y) {
            using A = tree_number_t<Y...>;
            return as_arguments_compute<Y...>(record_compiled<A>(recordings_of_thread<typename A::value_type>.current, f, y...));
        }, arguments);
    };
    if constexpr ((is_argument<X> && ...)) {
        return record(Function{}, std::tuple_cat(argument(x)...));
    } else {
        return record(function_with_attributes<Function, attribute_or_place<X>...>{{attribute(x)...}}, std::tuple_cat(argument(x)...));
    }
}

#define DYAD_RECORDED_FUNCTION(name, ...)                                                            \
    template <class First, class... X>                                                               \
        requires(recorded_call<First, X...> || recorded_number_call<First, X...>)                    \
    auto name(const First& first, const X&... x) {                                                   \
        return record_function<name##_function>(first, x...);                                        \
    }
DYAD_SHARED_ARRAY_FUNCTIONS(DYAD_RECORDED_FUNCTION)
DYAD_OWN_ARRAY_FUNCTIONS(DYAD_RECORDED_FUNCTION)
#undef DYAD_RECORDED_FUNCTION

// xtensor's functions of these names take a tuple that is made for them, and argument-dependent look-up finds them too.
#define DYAD_RECORDED_JOIN(name)                                                                     \
    template <class... X, class Axis>                                                                \
        requires recorded_call<std::tuple<X...>>                                                     \
    auto name(std::tuple<X...>&& arrays, const Axis& axis) {                                         \
        return record_function<name##_function>(arrays, axis);                                       \
    }
DYAD_RECORDED_JOIN(concatenate)
DYAD_RECORDED_JOIN(stack)
#undef DYAD_RECORDED_JOIN

#define DYAD_RECORDED_ELEMENTWISE(name)                                                              \
    template <class... X>                                                                            \
        requires recorded_call<X...>                                                                 \
    auto name(const X&... x) {                                                                       \
        return record_function<name##_of_elements>(x...);                                            \
    }
DYAD_ELEMENTWISE_FUNCTIONS(DYAD_RECORDED_ELEMENTWISE)
#undef DYAD_RECORDED_ELEMENTWISE

// Names that numbers have too: an array alone, and an array with axes.

template <class X, class... More>
concept recorded_reduction = recorded_array<X> && (sizeof...(More) == 0 || (!is_argument<More> || ...));

#define DYAD_RECORDED_REDUCTION(name, function)                                                      \
    template <class X>                                                                               \
        requires recorded_reduction<X>                                                               \
    auto name(const X& x) {                                                                          \
        return record_function<function##_function>(x);                                              \
    }                                                                                                \
    template <class X, class Axis, class... More>                                                    \
        requires recorded_reduction<X, Axis>                                                         \
    auto name(const X& x, const Axis& axis, const More&... more) {                                   \
        return record_function<function##_function>(x, axis, more...);                               \
    }
DYAD_RECORDED_REDUCTION(max, amax)
DYAD_RECORDED_REDUCTION(min, amin)
DYAD_RECORDED_REDUCTION(logsumexp, logsumexp)
#undef DYAD_RECORDED_REDUCTION

/// dyad::var(x, axes...), an object that is the result. (Of the operands, not of the result: clang computes that before it asks whether the
/// guide is meant.)
template <class... X>
struct recorded_variance {
    using result = decltype(record_function<variance_function>(std::declval<const X&>()...));
};
template <class... X>
class var<"", recorded_variance<X...>> : public recorded_variance<X...>::result {
public:
    explicit(false) var(const X&... x) : recorded_variance<X...>::result(record_function<variance_function>(x...)) {}
};
template <recorded_array X, class... Axes>
var(const X&, const Axes&...) -> var<"", recorded_variance<X, Axes...>>;

// Names that xtensor has too: argument-dependent look-up finds both, and these fit better. (Those of xtensor that compute element by
// element take recorded numbers as any others, and are left to it; but its choice wants two sides of one type, which operations are not.)

#define DYAD_ALL(...) __VA_ARGS__
#define DYAD_RECORDED_OVERLOAD(name, parameters, type)                                               \
    template <DYAD_ALL parameters>                                                                   \
        requires recorded_tensor<DYAD_ALL type>                                                      \
    auto name(DYAD_ALL type x) {                                                                     \
        return record_function<name##_function>(x);                                                  \
    }                                                                                                \
    template <DYAD_ALL parameters, class A>                                                          \
        requires recorded_tensor<DYAD_ALL type>                                                      \
    auto name(DYAD_ALL type x, A&& a) {                                                              \
        return record_function<name##_function>(x, a);                                               \
    }                                                                                                \
    template <DYAD_ALL parameters, class A, class B>                                                 \
        requires recorded_tensor<DYAD_ALL type>                                                      \
    auto name(DYAD_ALL type x, A&& a, B&& b) {                                                       \
        return record_function<name##_function>(x, a, b);                                            \
    }
#define DYAD_RECORDED_TRIANGLE(name, parameters, type)                                               \
    template <DYAD_ALL parameters>                                                                   \
        requires recorded_tensor<DYAD_ALL type>                                                      \
    auto name(DYAD_ALL type x, int k) {                                                              \
        return record_function<name##_function>(x, k);                                               \
    }
#define DYAD_RECORDED_OVERLOADS_OF(overload, name, parameters, type)                                 \
    overload(name, parameters, (DYAD_ALL type&))                                                     \
    overload(name, parameters, (const DYAD_ALL type&))                                               \
    overload(name, parameters, (DYAD_ALL type&&))
#define DYAD_RECORDED_OVERLOADS_FROM(overload, name)                                                 \
    DYAD_RECORDED_OVERLOADS_OF(overload, name, (template <class...> class E, class... P), (E<P...>)) \
    DYAD_RECORDED_OVERLOADS_OF(overload, name, (class C, std::size_t N, xt::layout_type L, class Tag), (xt::xtensor_container<C, N, L, Tag>))
#define DYAD_RECORDED_OVERLOADS(name, ...) DYAD_RECORDED_OVERLOADS_FROM(DYAD_RECORDED_OVERLOAD, name)
DYAD_SHARED_ARRAY_FUNCTIONS(DYAD_RECORDED_OVERLOADS)
DYAD_RECORDED_OVERLOADS_FROM(DYAD_RECORDED_TRIANGLE, tril) // (xtensor's take an int, nothing else, as the diagonal)
DYAD_RECORDED_OVERLOADS_FROM(DYAD_RECORDED_TRIANGLE, triu)
#undef DYAD_RECORDED_OVERLOADS
#undef DYAD_RECORDED_OVERLOADS_FROM
#undef DYAD_RECORDED_OVERLOADS_OF
#undef DYAD_RECORDED_TRIANGLE
#define DYAD_RECORDED_CHOICE(parameters, type)                                                       \
    template <DYAD_ALL parameters, class A, class B>                                                 \
        requires recorded_call<std::remove_cvref_t<DYAD_ALL type>, std::remove_cvref_t<A>, std::remove_cvref_t<B>> \
    auto where(DYAD_ALL type mask, A&& a, B&& b) {                                                   \
        return record_function<where_of_elements>(mask, a, b);                                       \
    }
#define DYAD_RECORDED_CHOICES(parameters, type)                                                      \
    DYAD_RECORDED_CHOICE(parameters, (DYAD_ALL type&))                                               \
    DYAD_RECORDED_CHOICE(parameters, (const DYAD_ALL type&))                                         \
    DYAD_RECORDED_CHOICE(parameters, (DYAD_ALL type&&))
DYAD_RECORDED_CHOICES((template <class...> class E, class... P), (E<P...>))
DYAD_RECORDED_CHOICES((class C, std::size_t N, xt::layout_type L, class Tag), (xt::xtensor_container<C, N, L, Tag>))
#undef DYAD_RECORDED_CHOICES
#undef DYAD_RECORDED_CHOICE
#undef DYAD_RECORDED_OVERLOAD
#undef DYAD_ALL

} // namespace dyad
