// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The functions of arrays on expressions, and at once on arrays outside of any: each is one line of a table, and calls the
// function on traced values of the same name.
#pragma once

#include <dyad/array/eager_groups.hpp>
#include <dyad/array/refused_numbers.hpp>
#include <dyad/array/variance.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// Name and group of every function of arrays that xtensor has a name for too, then of the others.
#define DYAD_SHARED_ARRAY_FUNCTIONS(F)                                                               \
    F(sum, axes_group<false>)                                                                        \
    F(mean, axes_group<false>)                                                                       \
    F(prod, axes_group<false>)                                                                       \
    F(amax, axes_group<false>)                                                                       \
    F(amin, axes_group<false>)                                                                       \
    F(argmax, axes_group<false>)                                                                     \
    F(argmin, axes_group<false>)                                                                     \
    F(variance, axes_group<false>)                                                                   \
    F(cumsum, axes_group<true>)                                                                      \
    F(cumprod, axes_group<true>)                                                                     \
    F(transpose, movement_group)                                                                     \
    F(expand_dims, movement_group)                                                                   \
    F(squeeze, movement_group)                                                                       \
    F(flip, movement_group)                                                                          \
    F(split, movement_group)                                                                         \
    F(pad, movement_group)                                                                           \
    F(tile, movement_group)                                                                          \
    F(concatenate, movement_group)                                                                   \
    F(stack, movement_group)                                                                         \
    F(diag, whole_group)                                                                             \
    F(trace, whole_group)                                                                            \
    F(dot, whole_group)                                                                              \
    F(outer, whole_group)                                                                            \
    F(zeros_like, whole_group)                                                                       \
    F(ones_like, whole_group)                                                                        \
    F(full_like, whole_group)                                                                        \
    F(tril, movement_group)                                                                          \
    F(triu, movement_group)                                                                          \
    F(norm, axes_group<false>)
#define DYAD_OWN_ARRAY_FUNCTIONS(F)                                                                  \
    F(softmax, axes_group<true>)                                                                     \
    F(log_softmax, axes_group<true>)                                                                 \
    F(permute, movement_group)                                                                       \
    F(reshape, sizes_group)                                                                          \
    F(broadcast_to, sizes_group)                                                                     \
    F(slice, movement_group)                                                                         \
    F(take, index_group<2>)                                                                            \
    F(scatter_add, index_group<3>)                                                                     \
    F(broadcast_like, whole_group)                                                                   \
    F(eye_like, whole_group)                                                                         \
    F(matmul, whole_group)                                                                           \
    F(tensordot, whole_group)                                                                        \
    F(solve, whole_group)                                                                            \
    F(inverse, whole_group)                                                                          \
    F(cholesky, whole_group)                                                                         \
    F(logdet, whole_group)                                                                           \
    F(det, whole_group)                                                                              \
    F(qr, whole_group)                                                                               \
    F(eigh, whole_group)                                                                             \
    F(svd, whole_group)                                                                              \
    F(conv2d, convolution_group)                                                                     \
    F(max_pool, pooling_group<amax_function>)                                                        \
    F(avg_pool, pooling_group<mean_function>)

/// An expression of arrays.
template <class E>
concept eager_array = operand<E> && eager<E> && std::remove_cvref_t<decltype(to_expression(std::declval<const E&>()))>::has_arrays;

template <class X>
constexpr bool holds_eager() {
    return holds<X>([]<class P>(std::type_identity<P>) { return eager<P> && !is_constant_expression<P>; });
}
template <class X>
constexpr bool holds_rankless() {
    return holds<X>([]<class P>(std::type_identity<P>) { return is_rankless<P>; });
}
/// Numbers that a tape records, and arrays of such: api/tape_array_functions.hpp says which, and takes what has some.
template <class X>
inline constexpr bool is_recorded = false;
template <class X>
constexpr bool holds_recorded() {
    return holds<X>([]<class P>(std::type_identity<P>) { return is_recorded<P>; });
}
/// What the functions here are for: an expression or an array among the operands. (Or what was refused already.)
template <class... X>
concept eager_call = (already_refused<X> || ...) ||
                     (!(holds_traced<X>() || ...) && ((holds_eager<X>() || holds_array<X>()) || ...) && !(holds_recorded<X>() || ...));

/// Constants such as 1_c beside traced values: what numbers must be in expressions, they may be in functions.
template <class... X>
concept constant_call = ((traced_value<X> || traced_tuple<X>) || ...) && (is_constant_expression<X> || ...);

/// The values of expressions, in the structure that traced values have: parts of one array are a std::array.
template <class E>
auto values_of(const E& e) {
    if constexpr (eager<E>) {
        return e.value();
    } else if constexpr (is_pair<E>) {
        return std::pair{values_of(e.first), values_of(e.second)};
    } else {
        return unpack([](const auto&... part) { return together(values_of(part)...); }, e);
    }
}
template <class Function, class Group, class... X>
inline constexpr bool takes_operands = [] {
    if constexpr (std::same_as<Group, whole_group>) {
        return callable_on<Function, decltype(as_operand<false, true>(std::declval<const X&>()))...>;
    } else {
        return true;
    }
}();
/// Whether an array of bools stands where a group of functions has positions.
template <class Group, class... X>
constexpr bool has_mask_as_positions() {
    if constexpr (requires { Group::positions; }) {
        using P = std::tuple_element_t<Group::positions, std::tuple<X...>>;
        if constexpr (array_like<P>) return std::same_as<typename array_traits<P>::element, bool>;
    }
    return false;
}
/// The function on expressions; on arrays alone, its value. `order`: an index for each operand.
template <class Function, class Group, std::size_t... Item, class... X>
auto call_eager(const char* name, std::index_sequence<Item...> order, const X&... x) {
    constexpr bool refused = (already_refused<X> || ...);
    if constexpr (refused) {
        return refused_result{};
    } else if constexpr (!lie_on_host<X...>()) {
        return refused_result{};
    } else if constexpr (constexpr bool ranks = !(holds_rankless<X>() || ...); !ranks) {
        static_assert(ranks, DYAD_NO_RANK);
        return refused_result{};
    } else if constexpr (constexpr bool axes = !(std::same_as<X, bool> || ...); !axes) {
        static_cast<void>(without_fault<axes ? array_fault::none : array_fault::plain_numbers>());
        return refused_result{};
    } else if constexpr (constexpr bool mask = has_mask_as_positions<Group, X...>(); mask) {
        static_cast<void>(without_fault<mask ? array_fault::mask_as_positions : array_fault::none>());
        return refused_result{};
    } else if constexpr (constexpr bool fits = takes_operands<Function, Group, X...>; !fits) {
        static_assert(fits, "[dyad] array: the function does not take these operands; a whole number that ranks depend on must be a constant, such as 1_c");
        return refused_result{}; // one mistake, one message
    } else if constexpr (names_sizes<Group, X...>) {
        return call_eager<Function, Group>(name, order, whole_size(name, x)...);
    } else if constexpr (!(holds_eager<X>() || ...)) {
        return [&](const auto&... array) {
            return values_of(call_eager<Function, Group>(name, order, as_operand<true, (Item < Group::operands)>(array)...));
        }(computed(x)...);
    } else if constexpr (has_numbers<decltype(as_operand<false, (Item < Group::operands)>(x))...>) {
        return Group::template run<Function>(name, among_numbers<Group, Item>(x)...);
    } else {
        return apply_to_expressions<Function>(as_operand<false, (Item < Group::operands)>(x)...);
    }
}

#define DYAD_EAGER_FUNCTION(name, ...)                                                               \
    struct name##_function {                                                                         \
        template <class... X>                                                                        \
        constexpr auto operator()(const X&... x) const                                               \
            requires requires { name(x...); }                                                        \
        {                                                                                            \
            return name(x...);                                                                       \
        }                                                                                            \
    };                                                                                               \
    template <class First, class... X>                                                               \
        requires eager_call<First, X...>                                                             \
    auto name(const First& first, const X&... x) {                                                   \
        return call_eager<name##_function, __VA_ARGS__>(#name, std::index_sequence_for<First, X...>{}, first, x...); \
    }                                                                                                \
    template <class First, class... X>                                                               \
        requires constant_call<First, X...>                                                          \
    constexpr auto name(const First& first, const X&... x) {                                         \
        return dyad::name(without_constant(first), without_constant(x)...);                          \
    }
DYAD_SHARED_ARRAY_FUNCTIONS(DYAD_EAGER_FUNCTION)
DYAD_OWN_ARRAY_FUNCTIONS(DYAD_EAGER_FUNCTION)
#undef DYAD_EAGER_FUNCTION

/// Functions that xtensor does not have, of an array whose rank is not known. (A conversion, so that others' functions of that name fit better.)
struct rankless_operand {
    template <class X>
        requires is_rankless<X>
    constexpr explicit(false) rankless_operand(const X&) {}
};
#define DYAD_REFUSED_RANK(name, ...)                                                                 \
    template <class... X>                                                                            \
    refused_result name(const rankless_operand&, const X&...) {                                      \
        static_assert(never<X...>, DYAD_NO_RANK);                                                    \
        return {};                                                                                   \
    }
DYAD_OWN_ARRAY_FUNCTIONS(DYAD_REFUSED_RANK)
#undef DYAD_REFUSED_RANK

/// Functions of several arrays, where a plain one stands beside traced values.
#define DYAD_REFUSED_ARRAY(name)                                                                     \
    template <class... X>                                                                            \
        requires array_beside_traced<X...>                                                           \
    constexpr tracer name(const X&... x) {                                                           \
        return refused(array_fault::plain_array, traced_among(x...));                                \
    }
DYAD_REFUSED_ARRAY(take)
DYAD_REFUSED_ARRAY(scatter_add)
DYAD_REFUSED_ARRAY(broadcast_like)
DYAD_REFUSED_ARRAY(full_like)
DYAD_REFUSED_ARRAY(matmul)
DYAD_REFUSED_ARRAY(tensordot)
DYAD_REFUSED_ARRAY(dot)
DYAD_REFUSED_ARRAY(outer)
DYAD_REFUSED_ARRAY(solve)
DYAD_REFUSED_ARRAY(conv2d)
#undef DYAD_REFUSED_ARRAY

/// A variable whose type names one of xtensor's brings xtensor's functions into the choice; these fit better.
#define DYAD_FUNCTION_OF_VARIABLE(name, constness)                                                   \
    template <fixed_string Name, array_like C>                                                       \
    auto name(constness var<Name, C>& x) {                                                           \
        return dyad::name(x.expression());                                                                 \
    }                                                                                                \
    template <fixed_string Name, array_like C, class A>                                              \
    auto name(constness var<Name, C>& x, A&& a) {                                                    \
        return dyad::name(x.expression(), std::as_const(a));                                               \
    }                                                                                                \
    template <fixed_string Name, array_like C, class A, class B>                                     \
    auto name(constness var<Name, C>& x, A&& a, B&& b) {                                             \
        return dyad::name(x.expression(), std::as_const(a), std::as_const(b));                             \
    }
#define DYAD_FUNCTIONS_OF_VARIABLE(name, ...)                                                        \
    DYAD_FUNCTION_OF_VARIABLE(name, )                                                                \
    DYAD_FUNCTION_OF_VARIABLE(name, const)
DYAD_SHARED_ARRAY_FUNCTIONS(DYAD_FUNCTIONS_OF_VARIABLE)
DYAD_FUNCTIONS_OF_VARIABLE(square)
DYAD_FUNCTIONS_OF_VARIABLE(cube)
#undef DYAD_FUNCTIONS_OF_VARIABLE
#undef DYAD_FUNCTION_OF_VARIABLE
// (xtensor's take an int, nothing else, as the diagonal.)
#define DYAD_TRIANGLE_OF_VARIABLE(name, constness)                                                   \
    template <fixed_string Name, array_like C>                                                       \
    auto name(constness var<Name, C>& x, int k) {                                                    \
        return dyad::name(x.expression(), k);                                                        \
    }
DYAD_TRIANGLE_OF_VARIABLE(tril, )
DYAD_TRIANGLE_OF_VARIABLE(tril, const)
DYAD_TRIANGLE_OF_VARIABLE(triu, )
DYAD_TRIANGLE_OF_VARIABLE(triu, const)
#undef DYAD_TRIANGLE_OF_VARIABLE
#define DYAD_FUNCTION_OF_TUPLE(name)                                                                 \
    template <class First, class... Parts, class... Axis>                                            \
        requires(eager_call<std::tuple<First, Parts...>> && sizeof...(Axis) < 2)                     \
    auto name(std::tuple<First, Parts...>&& parts, const Axis&... axis) {                            \
        return dyad::name(std::as_const(parts), axis...);                                                  \
    }
DYAD_FUNCTION_OF_TUPLE(concatenate)
DYAD_FUNCTION_OF_TUPLE(stack)
#undef DYAD_FUNCTION_OF_TUPLE

// Names that numbers have too: an array alone, and an array with axes.

/// An axis, or `keep_dims`, beside expressions.
template <class A>
concept names_axis = std::integral<A> || is_constant_expression<A> || std::same_as<A, keep_dims_t>;

/// max(x), max(x, 0): the largest element, along an axis; max(x, 0.0) compares. min alike.
#define DYAD_EAGER_EXTREMUM(name, reduction)                                                         \
    template <class X>                                                                               \
        requires(eager_array<X> || array_like<X>)                                                    \
    auto name(const X& x) {                                                                          \
        return dyad::reduction(x);                                                                         \
    }                                                                                                \
    template <eager_array X, class Axis>                                                             \
        requires(operand<Axis> && std::integral<Axis>)                                               \
    auto name(const X& x, const Axis& axis) {                                                        \
        return dyad::reduction(x, axis);                                                                   \
    }                                                                                                \
    template <array_like X, std::integral Axis>                                                      \
    auto name(const X& x, const Axis& axis) {                                                        \
        return dyad::reduction(x, axis);                                                                   \
    }                                                                                                \
    template <class X, class First, class... More>                                                   \
        requires constant_call<X, First, More...>                                                    \
    constexpr auto name(const X& x, const First& first, const More&... more) {                       \
        return dyad::name(x, without_constant(first), without_constant(more)...);                    \
    }                                                                                                \
    template <class X, class First, class... More>                                                   \
        requires((eager_array<X> || array_like<X>) && names_axis<First> && (sizeof...(More) > 0 || std::same_as<First, keep_dims_t>)) \
    auto name(const X& x, const First& first, const More&... more) {                                 \
        return dyad::reduction(x, first, more...);                                                   \
    }
DYAD_EAGER_EXTREMUM(max, amax)
DYAD_EAGER_EXTREMUM(min, amin)
#undef DYAD_EAGER_EXTREMUM

struct logsumexp_function {
    template <class... X>
    constexpr auto operator()(const X&... x) const {
        return logsumexp(x...);
    }
};
/// log Σ exp over all elements, or along axes: logsumexp(x, 0). (Of two arrays it is element by element.)
template <class X>
    requires(eager_array<X> || array_like<X>)
auto logsumexp(const X& x) {
    return call_eager<logsumexp_function, axes_group<false>>("logsumexp", std::index_sequence_for<X>{}, x);
}
template <class X, class Axis, class... More>
    requires((eager_array<X> || array_like<X>) && names_axis<Axis>)
auto logsumexp(const X& x, const Axis& axis, const More&... more) {
    return call_eager<logsumexp_function, axes_group<false>>("logsumexp", std::index_sequence_for<X, Axis, More...>{}, x, axis, more...);
}

template <class X, class First, class... More>
    requires constant_call<X, First, More...>
constexpr auto logsumexp(const X& x, const First& first, const More&... more) {
    return dyad::logsumexp(x, without_constant(first), without_constant(more)...);
}

// var(x, axes...), the name of the class template of variables: as a function where argument-dependent look-up finds it,
// and dyad::var(x, axes...) makes an object that is the result.
namespace operators {
template <eager_array X, class... Axes>
auto var(const X& x, const Axes&... axes) {
    return dyad::variance(x, axes...);
}
} // namespace operators

template <class Result>
struct variance_result {};
template <class Result>
class var<"", variance_result<Result>> : public Result {
public:
    template <class First, class... X>
    explicit(false) var(const First& first, const X&... x) : Result(dyad::variance(first, x...)) {}
};
template <array_like Result>
struct array_traits<var<"", variance_result<Result>>> : array_traits<Result> {};
template <std::floating_point Result>
class var<"", variance_result<Result>> {
public:
    template <class First, class... X>
    explicit(false) var(const First& first, const X&... x) : value_(dyad::variance(first, x...)) {}
    explicit(false) operator Result() const { return value_; }

private:
    Result value_;
};
// (Of a variable, too: what copies it is `auto copy = w`.)
template <fixed_string Name, array_like C>
var(const var<Name, C>&) -> var<"", variance_result<decltype(dyad::variance(std::declval<const var<Name, C>&>()))>>;
template <class X, class... Axes>
    requires(eager_array<X> || array_like<X>)
var(const X&, const Axes&...) -> var<"", variance_result<decltype(dyad::variance(std::declval<const X&>(), std::declval<const Axes&>()...))>>;

// Elements and sizes of an expression.

struct element_function {
    constexpr tracer operator()(const tracer& x, const auto&... i) const { return x(i...); }
};
template <unsigned Axis>
struct position_function {
    constexpr tracer operator()(const tracer& x, const auto& i) const { return at_position(x, i, Axis); }
};
/// One position after the other: a whole number moves elements, an expression takes them.
template <unsigned Axis, class E>
auto elements_one_by_one(const E& e) {
    return e;
}
template <unsigned Axis, class E, class First, class... More>
auto elements_one_by_one(const E& e, const First& i, const More&... more) {
    const auto part = call_eager<position_function<Axis>, movement_group>("element", std::index_sequence_for<E, First>{}, e, i);
    if constexpr (is_attribute<First>) {
        return elements_one_by_one<Axis>(part, more...);
    } else {
        return elements_one_by_one<Axis + rank_of_expression<decltype(as_operand<true>(i))>>(part, more...);
    }
}
template <class E, class... Item>
auto element_of(const E& e, const Item&... i) {
    if constexpr ((std::integral<Item> || ...) && !(is_attribute<Item> && ...)) {
        return elements_one_by_one<0>(e, i...);
    } else {
        return call_eager<element_function, movement_group>("element", std::index_sequence_for<E, Item...>{}, e, i...);
    }
}
/// (A double: in quotients, whole numbers would be cut off.)
template <class E>
double size_of(const E& e) {
    const run_time_shape s = shape_of_value(e);
    double size = 1;
    for (unsigned k = 0; k < s.rank; ++k) size *= static_cast<double>(s.size[k]);
    return size;
}
template <class E>
double size_of(const E& e, int axis) {
    const run_time_shape s = shape_of_value(e);
    return static_cast<double>(s.size[s.rank - 1 - static_cast<unsigned>(checked_axis("shape", axis, s.rank))]);
}

} // namespace dyad
