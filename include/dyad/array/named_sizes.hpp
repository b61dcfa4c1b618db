// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The sizes of an array to be, as functions of traced arrays name them: whole numbers and the sizes of axes, x.shape(0).
#pragma once

#include <dyad/array/functions.hpp>
#include <dyad/graph/region.hpp>

namespace dyad {

/// What names a size: a whole number, or the size of an axis.
template <class S>
concept size_name = (std::integral<S> && !std::same_as<S, bool>) || std::same_as<S, tracer>;
template <class... S>
concept borrowed_among = (size_name<S> && ...) && (std::same_as<S, tracer> || ...);

/// Whether a size is a number that the compiler knows, and which.
constexpr bool is_literal_size(const tracer& s) {
    return s.home() == nullptr || s.home()->is_constant(s.in(*s.home()));
}
constexpr double literal_size(const tracer& s) {
    return s.home() == nullptr ? s.literal().high : constant_value((*s.home())[s.in(*s.home())]).high;
}

/// Sizes in the attribute of a `reshape` or `fill`; or, where some are those of axes, of a `fill_like`, and of which arrays.
template <unsigned Rank>
class named_sizes {
public:
    /// `from`: the last axes of an operand that are replaced. `left`: the array of whose elements -1 is what is left; if it is
    /// none, no size is negative.
    template <size_name... S>
    constexpr named_sizes(builder* b, unsigned from, node_index left, const S&... sizes) {
        const tracer named[Rank + 1] = {tracer(sizes)..., tracer(0)};
        for (const tracer& s : named) borrows_ = borrows_ || !is_literal_size(s);
        bits_ = encode_reshape({borrows_ ? 0 : from, Rank});
        operand_[1] = left;
        for (unsigned k = 0; k < Rank && fits_ && allowed_; ++k) {
            const tracer& s = named[Rank - 1 - k];
            bits_ = with_size(bits_, k, is_literal_size(s) ? number(literal_size(s), left != no_node) : borrowed(*b, (*b)[s.in(*b)], left));
        }
    }
    /// Whether sizes of axes are among them.
    [[nodiscard]] constexpr bool borrows() const { return borrows_; }
    [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
    /// A number that is no size, or too large, or a second -1, has the fault `misfit`.
    [[nodiscard]] constexpr array_fault fault(array_fault misfit) const {
        return !fits_ ? misfit : !allowed_ ? array_fault::traced_size : array_fault::none;
    }
    /// An array of these sizes, each element `value`.
    [[nodiscard]] constexpr tracer filled(builder& b, const tracer& value) const {
        const node_index x = value.in(b), y = operand_[0], z = operand_[1];
        if (!borrows_) return {b, b.emit({.op = opcode::fill, .operand = {x, 0, 0}, .bits = bits_})};
        return {b, b.emit({.op = opcode::fill_like, .operand = {x, y == no_node ? z : y, z == no_node ? y : z}, .bits = bits_})};
    }

private:
    constexpr std::uint64_t number(double value, bool infers) {
        const std::uint64_t limit = borrows_ ? fill_size_limit(Rank) : (std::uint64_t{1} << size_width(Rank)) - 1;
        if (infers && value == -1) {
            fits_ = ++inferred_ == 1;
            return inferred_size;
        }
        fits_ = value >= 0 && value < static_cast<double>(limit);
        allowed_ = !fits_ || static_cast<double>(static_cast<std::uint64_t>(value)) == value;
        return fits_ ? static_cast<std::uint64_t>(value) : 0;
    }
    constexpr std::uint64_t borrowed(const builder& b, const node& n, node_index left) {
        const unsigned axes = axes_of(n.bits), axis = static_cast<unsigned>(std::countr_zero(axes | 0x100));
        const node_index array = n.operand[0];
        if (Rank == 1 && n.is(opcode::extent) && array == left && axes == low_bits(b[left].rank)) return number(-1, true); // x.size()
        allowed_ = n.is(opcode::extent) && axes == 1U << axis;
        if (!allowed_) return 0;
        for (unsigned k = 2; k-- > 0;) { // (the second is what is left of, if anything is)
            if (operand_[k] == array) return encode_borrowed({k + 1, axis});
        }
        for (unsigned k = 2; k-- > 0;) {
            if (operand_[k] != no_node) continue;
            operand_[k] = array;
            return encode_borrowed({k + 1, axis});
        }
        allowed_ = false;
        return 0;
    }

    std::uint64_t bits_ = 0;
    node_index operand_[2] = {no_node, no_node};
    unsigned inferred_ = 0;
    bool borrows_ = false, fits_ = true, allowed_ = true;
};

/// An array of the given sizes, of which at least one is that of a traced array's axis, with every element `value`, a number.
/// Example: `full(0.5, X.shape(0), 3)`
template <class V, class... Sizes>
    requires(tracer_operand<V> && borrowed_among<Sizes...>)
constexpr tracer full(const V& value, const Sizes&... sizes) {
    tracer size(value); // one that has a builder
    const auto look = [&](const auto& s) {
        if constexpr (std::same_as<std::remove_cvref_t<decltype(s)>, tracer>) size = size.home() == nullptr ? s : size;
    };
    (look(sizes), ...);
    builder* const home = size.home();
    if (home == nullptr || home->is_faulty()) return refused(array_fault::unknown, size);
    const tracer number(*home, tracer(value).in(*home));
    const named_sizes<sizeof...(Sizes)> to(home, 0, no_node, sizes...);
    if (const array_fault fault = to.fault(array_fault::full_size); fault != array_fault::none) return refused(fault, number);
    if (rank_of(number) != 0) return refused(array_fault::full_value, number);
    return home->is_constant(number.in(*home)) ? to.filled(*home, number) : broadcast_like(number, to.filled(*home, tracer(0)));
}
/// Zeros and ones likewise, of the type of what they meet. Example: `zeros(X.shape(0), 3)`
template <number T = double, class... Sizes>
    requires borrowed_among<Sizes...>
constexpr tracer zeros(const Sizes&... sizes) {
    return full(tracer(0), sizes...);
}
template <number T = double, class... Sizes>
    requires borrowed_among<Sizes...>
constexpr tracer ones(const Sizes&... sizes) {
    return full(tracer(1), sizes...);
}

} // namespace dyad
