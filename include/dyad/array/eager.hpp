// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Eager expressions of arrays: `var<"w", xt::xtensor<double, 1>> w{...}`. Shapes are checked when an expression is
// made, values are computed when they are asked for, once. A variable's array is shared and never changed: assigning
// the variable gives it a new one, so that expressions keep their values.
#pragma once

#include <algorithm>
#include <memory>

#include <dyad/array/eager_memory.hpp>
#include <dyad/array/print.hpp>
#include <dyad/base/unpack.hpp>
#include <dyad/trace/literals.hpp>

namespace dyad {

/// Whether no operand is a device's array; says what to do with one.
template <class... X>
constexpr bool lie_on_host() {
    constexpr bool here = !(is_device_array<X> || ...);
    static_assert(here, "[dyad] device: expressions, and functions of arrays outside of a traced function, work in the host's memory; call evaluate, kernel or grad with a function and the device's arrays, or bring them to the host with to_host");
    return here;
}

/// The value of an array leaf: elements that expressions share and nobody changes; or that a call borrows, without owner.
template <class E, unsigned Rank, unsigned Ones = 0>
struct array_value {
    using element = E;
    using container = typename default_container<E, Rank>::type;
    std::shared_ptr<const void> owner;
    array_reference<const E, Rank> elements;

    friend bool operator==(const array_value& a, const array_value& b) {
        bool same = a.owner == b.owner && a.elements.data == b.elements.data;
        for (unsigned k = 0; k < Rank; ++k) same = same && a.elements.size[k] == b.elements.size[k] && a.elements.stride[k] == b.elements.stride[k];
        return same;
    }
};
template <class E, unsigned Rank, unsigned Ones>
struct array_traits<array_value<E, Rank, Ones>> {
    using element = E;
    static constexpr unsigned rank = Rank, ones = Ones;
    static auto reference(const array_value<E, Rank, Ones>& x) { return x.elements; }
};

template <class Value>
struct single_array {
    constexpr dyad::graph operator()() const {
        builder b;
        constexpr leaf_facts leaf = facts_of_leaf<Value>();
        const node_index input = b.input(0, leaf.type, leaf.shape);
        return b.finish({input});
    }
};
template <class Leaf>
using array_leaf_expr = typename expression_of<single_array<typename Leaf::value_type>, leaf_list<Leaf>, 4>::type;

/// An array that a variable of type C takes: of its rank, and of numbers that it holds.
template <class A, class C>
concept fits_array = array_like<A> && array_traits<std::remove_cvref_t<A>>::rank == array_traits<C>::rank &&
                     std::convertible_to<typename array_traits<std::remove_cvref_t<A>>::element, typename array_traits<C>::element>;

/// A copy of an array that nobody changes.
template <class Value, array_like C>
Value snapshot(const C& c) {
    auto copy = std::make_shared<typename Value::container>();
    const auto& whole = computed(c);
    const auto from = array_traits<std::remove_cvref_t<decltype(whole)>>::reference(whole);
    std::size_t size[array_traits<C>::rank + 1] = {};
    for (unsigned k = 0; k < array_traits<C>::rank; ++k) size[k] = from.size[k];
    shape_container(*copy, size);
    routine::copy(from, array_traits<typename Value::container>::target(*copy));
    const auto elements = array_traits<typename Value::container>::reference(*copy);
    return Value{std::move(copy), elements};
}

/// The type of an array variable: `var<"w", tensor<double, 1>>`. (A container's own type works too; but then an
/// unqualified sum(w, 0_c) may find the container's library's.)
template <class E, unsigned Rank>
using tensor = array_leaf<E, Rank, 0>;

/// A named array. Example: `var<"w", tensor<double, 1>> w{xt::xtensor<double, 1>{1., 2.}}; auto z = sum(w * w);
/// z.value(); diff(z, w)`.
template <fixed_string Name, array_like C>
class var<Name, C> : public operators::home<> {
    using traits = array_traits<C>;
    static_assert(lie_on_host<C>());

public:
    using dyad_symbolic = var;
    using dyad_eager = var;
    using value_type = array_value<typename traits::element, traits::rank, traits::ones>;
    using leaf_type = leaf<Name, value_type>;
    static constexpr auto variable_name = Name;

    template <class A>
        requires fits_array<A, C>
    explicit(false) var(const A& value) : leaf_{snapshot<value_type>(value), this} {}
    explicit(false) var(const typename value_type::container& value) : leaf_{snapshot<value_type>(value), this} {} // from {1, 2, 3}
    template <class A>
        requires fits_array<A, C>
    var& operator=(const A& value) {
        leaf_ = {snapshot<value_type>(value), this};
        return *this;
    }
    var& operator=(const typename value_type::container& value) {
        leaf_ = {snapshot<value_type>(value), this};
        return *this;
    }
    /// The value of an expression: `w = w - 0.1 * slopes`.
    template <eager E>
        requires fits_array<decltype(std::declval<const E&>().value()), C>
    var& operator=(const E& e) {
        return *this = e.value();
    }
    var(const var&) = default;
    var& operator=(const var&) = default;
    /// A step, by a number, an array or the value of an expression: `w -= 0.1 * slopes`.
#define DYAD_STEP(symbol, operation)                                                                 \
    template <class Y>                                                                               \
        requires(operand<Y> || array_like<Y>)                                                        \
    var& operator symbol(const Y& y) {                                                               \
        return *this = (expression() operation y).value();                                           \
    }
    DYAD_STEP(+=, +)
    DYAD_STEP(-=, -)
    DYAD_STEP(*=, *)
    DYAD_STEP(/=, /)
#undef DYAD_STEP

    [[nodiscard]] const typename value_type::container& value() const {
        return *static_cast<const typename value_type::container*>(leaf_.value.owner.get());
    }
    [[nodiscard]] bool is_copy_of(const var& x) const { return leaf_.identity == x.leaf_.identity; }
    [[nodiscard]] auto expression() const { return array_leaf_expr<leaf_type>(flat_tuple<leaf_type>(leaf_)); }

    /// Elements, sizes: as of an expression.
    template <class... Item>
    auto operator()(const Item&... i) const {
        return expression()(i...);
    }
    template <class Item>
    auto operator[](const Item& i) const {
        return expression()[i];
    }
    [[nodiscard]] double size() const { return expression().size(); }
    [[nodiscard]] double shape(int axis) const { return expression().shape(axis); }

    template <class Traits>
    friend auto& operator<<(std::basic_ostream<char, Traits>& out, const var& v) {
        return printer<typename value_type::container>::print(out, v.value());
    }

private:
    leaf_type leaf_;
};

/// The shapes of an expression's leaves.
template <class E>
list<run_time_shape> leaf_shapes(const E& e) {
    list<run_time_shape> shapes;
    const auto look = [&]<class X>(const X& x) {
        if constexpr (array_like<X>) {
            shapes.push_back(shape_at_run_time(array_traits<X>::reference(x)));
        } else {
            shapes.push_back({});
        }
    };
    unpack([&](const auto&... leaf) { (look(leaf.value), ...); }, e.values());
    return shapes;
}
/// Throws if the arrays' shapes do not fit the expression's operations.
template <class E>
void check_arrays(const E& e) {
    shape_walk(E::program::graph, leaf_shapes(e)).check();
}

/// The shape of an expression's value.
template <class E>
run_time_shape shape_of_value(const E& e) {
    const list<run_time_shape> shapes = leaf_shapes(e);
    shape_walk walk(E::program::graph, shapes);
    walk.check();
    return walk.shape(E::program::graph.outputs[0]);
}

/// A variable's derivative: of its shape and kind, zeros if it does not occur.
template <class Found, class Variable>
auto derivative_like(Found&& found, const Variable& variable) {
    using value = typename Variable::leaf_type::value_type;
    if constexpr (array_like<value> && !array_like<std::remove_cvref_t<Found>>) {
        typename value::container zeros = variable.value();
        std::fill(zeros.begin(), zeros.end(), typename value::element(0));
        return zeros;
    } else {
        return std::remove_cvref_t<Found>(std::move(found));
    }
}
/// What a derivative by a variable is made of: of arrays, what they are made of, though numbers beside them be wider.
template <class Value, class Number>
struct derivative_element {
    using type = Number;
};
template <array_like Value, class Number>
struct derivative_element<Value, Number> {
    using type = typename Value::element;
};
/// What output `Output` of a program is computed into: the derivative by a variable that holds a Value.
template <class Program, std::size_t Output, class Value, class Number>
using derivative_container =
    typename output_type<typename derivative_element<Value, Number>::type, Program::graph[Program::graph.outputs[Output]].rank>::type;
/// What an expression holds for one of its leaves, as a reference to its array; 0 for numbers and other variables.
template <std::size_t Place, class E>
auto leaf_reference(const E& e) {
    if constexpr (Place < E::leaf_values::size) {
        using value = typename flat_element<Place, typename E::leaf_values>::value_type;
        if constexpr (array_like<value>) {
            return array_traits<value>::reference(flat_get<Place>(e.values()).value);
        } else {
            return 0;
        }
    } else {
        return 0;
    }
}

/// The value, and the gradients by array and number variables.
template <class Program, class E, variable... X>
auto value_and_gradient_of_arrays(const E& e, const X&... variables) {
    using number = typename E::number_type;
    using part = program_part<Program, gradient_cuts<Program, E>, all_outputs<Program>>;
    using compiled = typename part::compiled;
    static_assert(compiled::graph[compiled::graph.outputs[0]].rank == 0,
                  "[dyad] gradient: the expression must be one number; reduce it with sum or mean");
    number value{};
    auto gradients = [&]<std::size_t... Item>(std::index_sequence<Item...>) {
        return std::tuple<derivative_container<compiled, Item + 1, typename X::leaf_type::value_type, number>...>{};
    }(std::index_sequence_for<X...>{});
    return unpack(
        [&](auto&... g) {
            const std::tuple likes(0, leaf_reference<leaf_position<X::variable_name>(typename E::leaves{})>(e)...);
            execute_into<compiled, number>(part_arguments<part, number>(e), std::tie(value, g...), likes);
            return std::pair{value, std::tuple{derivative_like(std::move(g), variables)...}};
        },
        gradients);
}

/// `if (sum(w * w) > 10)`: the value is known, so a branch on it is fine.
template <class E>
bool holds_for_arrays(const E& e) {
    static_assert(rank_of_expression<E> == 0, "[dyad] if: an array is neither true nor false; branch on a number that is made of it, as sum(x) or amax(x)");
    if constexpr (E::is_condition()) {
        return where(e, 1.0, 0.0).value() != 0;
    } else {
        return e.value() != 0;
    }
}

/// `out = e`, without an allocation where the shape fits.
template <class Out, eager E>
void evaluate_into(Out&& out, const E& e) {
    using X = std::remove_cvref_t<decltype(to_expression(e))>;
    const X x = to_expression(e);
    using T = typename X::number_type;
    using part = part_of<X, X::program::graph.outputs[0]>;
    if constexpr (lies_with_arguments<Out, false>()) {
        if constexpr (take_results<places_in<Out>, outputs_facts<typename part::compiled>>()) {
            execute_into<typename part::compiled, T, true>(part_arguments<part, T>(x), places_of(out));
        }
    }
}
/// The value of an expression, computed now.
template <eager E>
auto evaluate(const E& e) {
    return to_expression(e).value();
}

} // namespace dyad
