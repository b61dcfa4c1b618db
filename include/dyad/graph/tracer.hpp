// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A value that records what is done to it: one ordinary type, whose operations append nodes to a builder.
// User functions are traced with it, and the rules of operations are written over it. Numbers that have met
// no traced value yet are literals without a builder.
#pragma once

#include <utility>

#include <dyad/base/error.hpp>
#include <dyad/base/reject.hpp>
#include <dyad/graph/builder.hpp>
#include <dyad/graph/fold.hpp>

namespace dyad {

/// A namespace for functions on traced values whose names are taken in dyad, found by argument-dependent look-up.
namespace traced_functions {
struct home {};
} // namespace traced_functions

class tracer : public traced_functions::home, public operators::home<> {
public:
    using dyad_symbolic = tracer;

    constexpr tracer() = default;
    constexpr tracer(builder& home, node_index at) : home_(&home), at_(at) {}
    template <number T>
    constexpr explicit(false) tracer(T value) : literal_(value) {}
    constexpr explicit tracer(bool value) : literal_(value ? 1 : 0), type_(element::boolean) {}
    /// What an operation on literals gives.
    constexpr explicit tracer(const folded& result, element type = element::weak) : literal_(result.value), type_(type) {
        if (!result.known) throw value_error("[dyad] constant: an operation on numbers alone is not finite");
    }

    /// The builder that this value belongs to; null for a literal.
    [[nodiscard]] constexpr builder* home() const { return home_; }
    [[nodiscard]] constexpr const exact& literal() const { return literal_; }
    [[nodiscard]] constexpr bool is_literal(double value) const {
        return home_ == nullptr && literal_ == value;
    }
    /// Its node in `b`; a literal becomes a constant there.
    [[nodiscard]] constexpr node_index in(builder& b) const {
        return home_ != nullptr ? at_ : b.constant(literal_, type_);
    }

    /// The number that it is, without a builder.
    [[nodiscard]] constexpr tracer as_literal() const {
        if (home_ == nullptr) return *this;
        if (!home_->is_constant(at_)) throw value_error("[dyad] constant: an operation on numbers alone is not finite");
        tracer result;
        result.literal_ = constant_value((*home_)[at_]);
        return result;
    }

    // clang-format off
    constexpr explicit operator bool() const DYAD_REJECT("[dyad] branch: a traced value has no value yet, so it cannot steer if, while, for or ?: ; use dyad::where, dyad::cond or dyad::fori_loop, or record with a dyad::tape", { return false; })
    // clang-format on

    constexpr tracer(const tracer&) = default;
    constexpr tracer& operator=(const tracer&) & = default;
    // (Templates: what they use comes later.)
    template <class One = int>
    constexpr tracer& operator++() & {
        return *this = *this + One(1);
    }
    template <class One = int>
    constexpr tracer& operator--() & {
        return *this = *this - One(1);
    }
    template <class One = int>
    constexpr tracer operator++(int) & {
        const tracer before = *this;
        *this = *this + One(1);
        return before;
    }
    template <class One = int>
    constexpr tracer operator--(int) & {
        const tracer before = *this;
        *this = *this - One(1);
        return before;
    }
    template <operand B>
    constexpr tracer& operator+=(const B& other) & {
        return *this = *this + other;
    }
    template <operand B>
    constexpr tracer& operator-=(const B& other) & {
        return *this = *this - other;
    }
    template <operand B>
    constexpr tracer& operator*=(const B& other) & {
        return *this = *this * other;
    }
    template <operand B>
    constexpr tracer& operator/=(const B& other) & {
        return *this = *this / other;
    }
    // Of arrays (array/shapes.hpp):

    /// Element, row, plane ... i; negative i count from the end.
    constexpr tracer operator[](int i) const;
    /// The same at a traced position, as the index of a loop: take(x, i).
    constexpr tracer operator[](const tracer& i) const;
    /// At a whole position, as take(x, 2.0); a fraction is refused, not cut off.
    template <std::floating_point Position>
    constexpr tracer operator[](Position i) const;
    /// The element, or the part, at positions along the first axes: x(1, 2), x(i, 2).
    template <class... Item>
        requires(sizeof...(Item) > 0 && ((std::integral<Item> || (std::convertible_to<Item, tracer> && !number<Item>)) && ...))
    constexpr tracer operator()(Item... i) const;
    // clang-format off
    constexpr const tracer* begin() const DYAD_REJECT("[dyad] range: the elements of a traced array cannot be gone through, as their number is not known yet; use operations of whole arrays, scan or map, or fori_loop with x[i]", { return this; })
    // clang-format on
    [[nodiscard]] constexpr const tracer* end() const { return this; }
    // They are values, not places: what is assigned to one would be lost, and is refused.
#define DYAD_NO_PLACE(symbol)                                                                        \
    template <operand B>                                                                             \
    constexpr tracer& operator symbol(const B&) &&;
    DYAD_NO_PLACE(=)
    DYAD_NO_PLACE(+=)
    DYAD_NO_PLACE(-=)
    DYAD_NO_PLACE(*=)
    DYAD_NO_PLACE(/=)
#undef DYAD_NO_PLACE
    /// The number of elements, as a number.
    [[nodiscard]] constexpr tracer size() const;
    /// The size of an axis, as a number.
    [[nodiscard]] constexpr tracer shape(int axis) const;
    template <class T = tracer>
    [[nodiscard]] constexpr tracer shape() const {
        static_assert(never<T>, "[dyad] shape: of a traced array one axis at a time: x.shape(0)");
        return *this;
    }

private:
    builder* home_ = nullptr;
    node_index at_ = 0;
    exact literal_;
    element type_ = element::weak;

    friend constexpr tracer trace_operation(opcode op, int attribute, const tracer* x);
    friend constexpr tracer trace_operation(opcode op, const tracer& x, const tracer& y);
};

/// What a stream is given in place of a traced value. (A type, rather than an operator that is refused: clang would say so twice.)
struct refused_print {
    // clang-format off
    constexpr explicit(false) refused_print(const tracer&) DYAD_REJECT("[dyad] print: a traced value has no value yet; print what the function returns, or its graph: print(graph_of<double>(f))", {})
    // clang-format on
};
/// Takes what is printed besides: one mistake gives one message.
template <class Stream>
struct refused_stream {
    template <class X>
    constexpr refused_stream operator<<(const X&) const {
        return {};
    }
    constexpr refused_stream operator<<(Stream& (*)(Stream&)) const { return {}; }
};
/// (A template over the stream, for which no header is needed.)
template <class Stream>
    requires(std::is_class_v<Stream> && !symbolic<Stream>)
constexpr refused_stream<Stream> operator<<(Stream&, const refused_print&) {
    return {};
}

/// Records `op` in the builder of its operands; literals alone compute at once.
constexpr tracer trace_operation(opcode op, int attribute, const tracer* x) {
    const int arity = facts(op).arity;
    builder* home = nullptr;
    for (int k = 0; k < arity && home == nullptr; ++k) home = x[k].home_;
    if (home != nullptr) {
        node n{.op = op, .bits = static_cast<std::uint32_t>(attribute)};
        for (int k = 0; k < arity; ++k) n.operand[k] = x[k].in(*home);
        return {*home, home->emit(n)};
    }
    exact values[3];
    for (int k = 0; k < arity; ++k) values[k] = x[k].literal_;
    return tracer(fold_literals(op, attribute, values), facts(op).condition ? element::boolean : element::weak);
}

/// The same for two operands and no attribute: most operations, on the shortest way.
constexpr tracer trace_operation(opcode op, const tracer& x, const tracer& y) {
    builder* const home = x.home_ != nullptr ? x.home_ : y.home_;
    if (home != nullptr) {
        return {*home, home->emit(op, x.home_ != nullptr ? x.at_ : x.in(*home),
                                  y.home_ != nullptr ? y.at_ : y.in(*home))};
    }
    const tracer operands[] = {x, y};
    return trace_operation(op, 0, operands);
}

template <class T>
concept traced_value = std::same_as<T, tracer> || std::is_base_of_v<tracer, T>;
template <class T>
concept tracer_operand = traced_value<T> || std::is_arithmetic_v<T>;

template <opcode Op, tracer_operand... X>
    requires(traced_value<X> || ...)
constexpr tracer apply_symbolic(op_constant<Op>, int attribute, const X&... x) {
    if constexpr (never_folds(Op)) {
        const tracer operands[] = {tracer(x)...};
        for (const tracer& operand : operands) {
            if (operand.home() != nullptr) return trace_operation(Op, attribute, operands);
        }
        const exact values[] = {operands[0].literal(), operands[sizeof...(X) - 1].literal()};
        return tracer(fold_special_literals<Op>(attribute, values));
    } else if constexpr (sizeof...(X) == 2) {
        return trace_operation(Op, tracer(x)...);
    } else {
        const tracer operands[] = {tracer(x)...};
        return trace_operation(Op, attribute, operands);
    }
}

/// A whole exponent is exact for every sign of x. (One so large that sums of such would not fit is a number like others.)
template <std::integral N>
constexpr tracer pow(const tracer& x, N n) {
    constexpr int most = 1 << 24;
    if (std::cmp_less_equal(n, most) && std::cmp_less_equal(-most, n)) return ipow(x, static_cast<int>(n));
    return trace_operation(opcode::pow, x, tracer(static_cast<double>(n)));
}

} // namespace dyad
