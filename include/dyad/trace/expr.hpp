// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Eager expressions: objects that carry the values of their leaves, and in their type the program that
// computes them. `x * x * y + 1` can be printed and branched on at once, and differentiated at compile time.
// Leaves are captured by value, so that `auto` is safe.
#pragma once

#include <iosfwd>

#include <dyad/base/unpack.hpp>
#include <dyad/graph/formula.hpp>
#include <dyad/kernel/scalar.hpp>
#include <dyad/trace/pack.hpp>
#include <dyad/trace/program.hpp>

namespace dyad {

/// The program of an expression, decoded, and as a kernel runs it.
template <auto Code>
struct coded_program {
    struct make {
        constexpr dyad::graph operator()() const { return decode(Code); }
    };
    static constexpr const auto& graph = frozen<make, sizeof(Code) / 8, 1>::value;
    using lowered = lowered_program<coded_program, default_policy>;
};

/// How a value is printed: specialised for arrays.
template <class V>
struct printer {
    static auto& print(auto& out, const V& v) { return out << v; }
};

template <auto Code, class... Leaves>
class expr;
template <fixed_string Name, class T>
class var;

/// The expression that `Make{}()`, a graph over the leaves `List`, stands for: its type has only the leaves
/// that the graph needs. `Guess` words are enough for most graphs; larger ones are made once more.
template <class Make, class List, std::size_t Guess>
struct expression_of {
    static constexpr auto packed = packed_words<Guess, List::size>(pack(Make{}(), List::size));

    static constexpr auto cut_code() {
        if constexpr (packed.size <= Guess) {
            code<packed.size> c{};
            for (std::size_t i = 0; i < packed.size; ++i) c.words[i] = packed.words[i];
            return c;
        } else {
            const auto whole = packed_words<packed.size, List::size>(pack(Make{}(), List::size));
            code<packed.size> c{};
            for (std::size_t i = 0; i < packed.size; ++i) c.words[i] = whole.words[i];
            return c;
        }
    }
    template <std::size_t... Item>
    static auto type_of(std::index_sequence<Item...>)
        -> expr<cut_code(), flat_element<packed.numbers[Item], typename List::values>...>;
    using type = decltype(type_of(std::make_index_sequence<packed.used>{}));

    template <std::size_t... Item>
    static constexpr type cut(const typename List::values& leaves, std::index_sequence<Item...>) {
        return type(typename type::leaf_values(flat_get<packed.numbers[Item]>(leaves)...));
    }
    /// `operands`: the expressions that it is made of, whose leaves merged are `leaves`.
    template <class... E>
    static constexpr type make(const typename List::values& leaves, const E&... operands) {
        type result = cut(leaves, std::make_index_sequence<packed.used>{});
        if constexpr (type::has_arrays && sizeof...(E) > 0) share_values<expression_of>(result, operands...); // array/eager_memory.hpp
        return result;
    }
};

/// The number type of a leaf's value; that of the elements of an array.
template <class T>
struct leaf_scalar {
    using type = T;
};
template <class T>
    requires is_array<T>
struct leaf_scalar<T> {
    using type = typename T::element;
};
/// Whether a program over such leaves is one of arrays: it has some, or makes some of numbers.
template <class Program, class... Leaves>
constexpr bool is_of_arrays(leaf_list<Leaves...>) {
    return (is_array<typename Leaves::value_type> || ...) || works_with_arrays(Program::graph);
}
template <bool Arrays>
constexpr const array_rules* rules_if() {
    if constexpr (Arrays) {
        return rules_at_hand(static_cast<const builder_in<std::bool_constant<Arrays>>*>(nullptr));
    } else {
        return &no_array_rules;
    }
}

/// The number type of an expression without leaves: that of what it was folded from, as the 2 of d²(f·f)/df².
template <auto Code, std::size_t Leaves>
struct folded_from {
    using type = int; // which adds nothing to the leaves' types
};
template <auto Code>
struct folded_from<Code, 0> {
    static constexpr element of = coded_program<Code>::graph.nodes[coded_program<Code>::graph.outputs[0]].type;
    using type = std::conditional_t<is(of, element::float32), float, std::conditional_t<is(of, element::float80), long double, double>>;
};

struct no_memo {};
/// Where an expression of arrays remembers values, which are worth it: array/eager_memory.hpp.
template <class Program>
class array_memory;

/// A value with its program.
template <auto Code, class... Leaves>
class expr : public operators::home<> {
public:
    using dyad_symbolic = expr;
    using dyad_eager = expr;
    using leaf_values = flat_tuple<Leaves...>;
    using leaves = leaf_list<Leaves...>;
    using program = coded_program<Code>;
    /// The number type it computes in: the widest of its leaves'; without any, what it was folded from had, or double.
    using number_type = common_leaf<typename leaf_scalar<typename Leaves::value_type>::type..., typename folded_from<Code, sizeof...(Leaves)>::type>;
    static constexpr bool has_arrays = is_of_arrays<program>(leaves{});
    static constexpr std::size_t words = sizeof(Code) / sizeof(std::uint64_t);
    static constexpr auto coded = Code;
    /// Whether it is a comparison or a logical operation.
    static constexpr bool is_condition() {
        return program::graph.nodes[program::graph.outputs[0]].is(element::boolean);
    }

    constexpr explicit expr(const leaf_values& values) : leaves_(values) {
        if constexpr (has_arrays) check_arrays(*this); // array/eager.hpp
    }

    [[nodiscard]] constexpr const leaf_values& values() const { return leaves_; }
    [[nodiscard]] constexpr const auto& memo() const { return memo_; }
    [[nodiscard]] constexpr auto& memo() { return memo_; }

    /// The value now; for a comparison, whether it holds.
    [[nodiscard]] constexpr auto value() const {
        check_known();
        if constexpr (has_arrays) {
            return value_of_arrays(*this); // array/eager.hpp
        } else if constexpr (is_condition()) {
            return static_cast<bool>(*this);
        } else {
            return evaluate<typename program::lowered>()[0];
        }
    }
    /// `if (x > 0)`, `bool b = x > 0`: the value is known, so a branch on it is fine.
    constexpr explicit(has_arrays || !is_condition()) operator bool() const {
        check_known();
        if constexpr (has_arrays) return holds_for_arrays(*this); // array/eager.hpp
        else if constexpr (is_condition()) return evaluate<lowered_choice>()[0] != number_type(0);
        else return value() != number_type(0);
    }
    /// A constant, as 2_c, where a traced value belongs.
    constexpr explicit(false) operator tracer() const
        requires(sizeof...(Leaves) == 0 && program::graph.nodes[program::graph.outputs[0]].is(opcode::constant))
    {
        constexpr node n = program::graph.nodes[program::graph.outputs[0]];
        return tracer(folded{true, constant_value(n)}, n.type);
    }
    /// All outputs of a lowered program over this expression's leaves.
    template <class Lowered>
    [[nodiscard]] constexpr auto evaluate() const {
        check_known();
        return unpack(
            [](const auto&... leaf) {
                const number_type input[] = {static_cast<number_type>(leaf.value)..., number_type(0)};
                return kernel_of<Lowered>::template run<number_type>(input);
            },
            leaves_);
    }

    // clang-format off
    template <class Other>
        requires(eager<Other> || std::is_arithmetic_v<Other>)
    constexpr expr& operator=(const Other&) DYAD_REJECT("[dyad] capture: the type of an expression is its formula, so that it cannot become another one, as in a loop; give the new one a name, auto w = z + x, and what a function captures, which is run on expressions then, pass as arguments, and choose with grad<...>", { return *this; })
    template <class Other>
        requires(eager<Other> || std::is_arithmetic_v<Other>)
    constexpr expr& operator+=(const Other&) DYAD_REJECT("[dyad] capture: the type of an expression is its formula, so that it cannot become another one, as in a loop; give the new one a name, auto w = z + x, and what a function captures, which is run on expressions then, pass as arguments, and choose with grad<...>", { return *this; })
    template <class Other>
        requires(eager<Other> || std::is_arithmetic_v<Other>)
    constexpr expr& operator-=(const Other&) DYAD_REJECT("[dyad] capture: the type of an expression is its formula, so that it cannot become another one, as in a loop; give the new one a name, auto w = z + x, and what a function captures, which is run on expressions then, pass as arguments, and choose with grad<...>", { return *this; })
    template <class Other>
        requires(eager<Other> || std::is_arithmetic_v<Other>)
    constexpr expr& operator*=(const Other&) DYAD_REJECT("[dyad] capture: the type of an expression is its formula, so that it cannot become another one, as in a loop; give the new one a name, auto w = z + x, and what a function captures, which is run on expressions then, pass as arguments, and choose with grad<...>", { return *this; })
    template <class Other>
        requires(eager<Other> || std::is_arithmetic_v<Other>)
    constexpr expr& operator/=(const Other&) DYAD_REJECT("[dyad] capture: the type of an expression is its formula, so that it cannot become another one, as in a loop; give the new one a name, auto w = z + x, and what a function captures, which is run on expressions then, pass as arguments, and choose with grad<...>", { return *this; })
    // clang-format on

    template <class Traits>
    friend auto& operator<<(std::basic_ostream<char, Traits>& out, const expr& e) {
        return printer<std::remove_cvref_t<decltype(e.value())>>::print(out, e.value());
    }

    /// Of arrays (array/): element, row, plane ... i, or at several positions along the first axes.
    template <class... Item>
    [[nodiscard]] auto operator()(const Item&... i) const
        requires(has_arrays && sizeof...(Item) > 0)
    {
        return element_of(*this, i...);
    }
    template <class Item>
    [[nodiscard]] auto operator[](const Item& i) const
        requires has_arrays
    {
        return element_of(*this, i);
    }
    /// The number of elements, and the size of an axis.
    [[nodiscard]] double size() const
        requires has_arrays
    {
        return size_of(*this);
    }
    [[nodiscard]] double shape(int axis) const
        requires has_arrays
    {
        return size_of(*this, axis);
    }

    /// Refuses what has no value.
    static constexpr void check_known() {
        static_assert(!(leaf_name::is_unknown(Leaves::name) || ...),
                      "[dyad] branch: in a function with captured values, an element of a kernel's arrays, what goes round a loop, or an argument of a transform inside has no value yet; choose with where or cond, or "
                      "pass the captured values as arguments");
    }

private:
    // A condition as the number 1 or 0, which is what kernels return.
    struct choice {
        struct make {
            constexpr dyad::graph operator()() const {
                builder b;
                const list<node_index> outputs = b.append(program::graph, true);
                const node_index one = b.constant(exact(1), element::float64);
                const node_index zero = b.constant(exact(0), element::float64);
                return b.finish({b.emit(opcode::where, outputs[0], one, zero)});
            }
        };
        static constexpr const auto& graph = frozen<make, program::graph.view().size + 8, 1>::value;
    };
    using lowered_choice = lowered_program<choice, default_policy>;

    leaf_values leaves_;
    [[no_unique_address]] std::conditional_t<has_arrays, array_memory<program>, no_memo> memo_;
};

/// A graph that is input 0: a variable or a number on its own.
template <element Type>
struct single_input {
    constexpr dyad::graph operator()() const {
        builder b;
        const node_index input = b.input(0, Type);
        return b.finish({input});
    }
};
template <class Leaf>
using leaf_expr = typename expression_of<single_input<element_of<typename Leaf::value_type>()>,
                                         leaf_list<Leaf>, 4>::type;

/// A named variable: `var<"x"> x{3.0};`. Assigning it later leaves existing expressions as they are.
template <fixed_string Name, class T = double>
class var : public operators::home<> {
    static_assert(real_number<T>, "[dyad] var: the number type must be float, double or long double");

public:
    using dyad_symbolic = var;
    using dyad_eager = var;
    using leaf_type = leaf<Name, T>;
    static constexpr auto variable_name = Name;

    constexpr explicit(false) var(T value) : leaf_{value, here()} {}
    constexpr var& operator=(T value) {
        leaf_ = {value, here()}; // a copy becomes a variable of its own
        return *this;
    }
    /// The value of an expression: `x = x - 0.1 * slope`.
    template <eager E>
        requires requires(const E& e) { static_cast<T>(e.value()); }
    constexpr var& operator=(const E& e) {
        return *this = static_cast<T>(e.value());
    }
    var(const var&) = default;
    var& operator=(const var&) = default;
    /// A step, by a number or by the value of an expression: `x -= 0.1 * slope`.
#define DYAD_STEP(symbol, operation)                                                                 \
    template <operand Y>                                                                             \
    constexpr var& operator symbol(const Y& y) {                                                     \
        return *this = static_cast<T>((*this operation y).value());                                  \
    }
    DYAD_STEP(+=, +)
    DYAD_STEP(-=, -)
    DYAD_STEP(*=, *)
    DYAD_STEP(/=, /)
#undef DYAD_STEP

    [[nodiscard]] constexpr T value() const { return leaf_.value; }
    /// Whether it is a variable itself, or a copy of it that nobody has assigned to.
    [[nodiscard]] constexpr bool is_copy_of(const var& x) const { return leaf_.identity == x.leaf_.identity; }
    [[nodiscard]] constexpr leaf_expr<leaf_type> expression() const {
        return leaf_expr<leaf_type>(flat_tuple<leaf_type>(leaf_));
    }
    constexpr explicit operator bool() const { return leaf_.value != T(0); }

    template <class Traits>
    friend auto& operator<<(std::basic_ostream<char, Traits>& out, const var& v) {
        return out << v.value();
    }

private:
    constexpr const void* here() const { return std::is_constant_evaluated() ? nullptr : this; }

    leaf_type leaf_;
};

template <class E>
inline constexpr unsigned rank_of_expression = E::program::graph.nodes[E::program::graph.outputs[0]].rank;

/// Any operand of an eager operation as an expression: a plain number becomes a slot.
template <class X>
constexpr auto to_expression(const X& x) {
    if constexpr (requires { x.expression(); }) {
        return x.expression();
    } else if constexpr (eager<X>) {
        return x;
    } else {
        return leaf_expr<slot<X>>(flat_tuple<slot<X>>(slot<X>{x}));
    }
}

template <class T>
concept eager_operand = eager<T> || std::is_arithmetic_v<T>;

/// The graph of an operation on expressions, given as words, whose leaves have been merged.
constexpr graph operation_graph(node n, const array_rules* rules, std::initializer_list<const std::uint64_t*> operands, const leaf_source* leaves) {
    builder b(rewriter_of(default_policy));
    b.arrays = rules;
    merged_graphs graphs{b, leaves};
    int k = 0;
    for (const std::uint64_t* const words : operands) n.operand[k++] = graphs.append(words);
    return b.finish({b.emit(n)});
}

template <opcode Op, int Attribute, class Merged, class... E>
struct operation_on {
    constexpr dyad::graph operator()() const {
        return operation_graph({.op = Op, .bits = static_cast<std::uint32_t>(Attribute)}, rules_if<(E::has_arrays || ...)>(), {E::coded.words...},
                               Merged::merge.source);
    }
};
template <opcode Op, int Attribute, class... E>
constexpr auto combine_expressions(const E&... e) {
    using merged = merged_leaves<typename E::leaves...>;
    constexpr bool one_type_a_name = merged::agree;
    static_assert(one_type_a_name, DYAD_TWO_TYPES_OF_ONE_NAME);
    if constexpr (one_type_a_name) {
        using result = expression_of<operation_on<Op, Attribute, merged, E...>, typename merged::type, (std::size_t{16} + ... + E::words)>;
        return result::make(merged::values(e.values()...), e...);
    } else {
        return std::get<0>(std::tuple(e...)); // one mistake, one message
    }
}

/// The type that an operand computes in; a whole number adds nothing to that of the others.
template <class X>
constexpr auto number_type_in() {
    if constexpr (std::integral<X>) return std::type_identity<int>{};
    else return std::type_identity<typename decltype(to_expression(std::declval<const X&>()))::number_type>{};
}
/// An operand beside others that compute in `Real`: a whole number becomes a real one, so that the slope of `f / 3` is a float as f is.
template <class Real, class X>
constexpr auto operand_expression(const X& x) {
    if constexpr (std::integral<X> && !std::same_as<X, bool>) return to_expression(static_cast<Real>(x));
    else return to_expression(x);
}

template <opcode Op, class Attribute, eager_operand... X>
    requires(eager<X> || ...)
constexpr auto apply_symbolic(op_constant<Op>, Attribute, const X&... x) {
    using common = common_leaf<typename decltype(number_type_in<X>())::type...>;
    if constexpr (std::is_same_v<Attribute, int>) {
        static_assert(!operation<Op>::attributed,
                      "[dyad] expression: the whole number of this operation must be known at compile "
                      "time; use square, cube, pow(x, 3_c) or sinc(x)");
        return combine_expressions<Op, 0>(operand_expression<common>(x)...);
    } else {
        return combine_expressions<Op, Attribute::value>(operand_expression<common>(x)...);
    }
}

} // namespace dyad
