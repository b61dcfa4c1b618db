// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions that move elements: transpose, reshape, slice, concatenate, take ...
#pragma once

#include <array>
#include <limits>
#include <span>
#include <tuple>

#include <dyad/array/named_sizes.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// The axes in reverse order; or in the order named.
template <std::integral... Axes>
constexpr tracer transpose(const tracer& x, Axes... axes) {
    const unsigned rank = rank_of(x);
    std::uint64_t bits = identity_permutation;
    const int order[] = {static_cast<int>(axes)..., 0};
    const bool reversed = sizeof...(Axes) == 0;
    if (!reversed && sizeof...(Axes) != rank) return refused(array_fault::permutation, x);
    unsigned seen = 0;
    for (unsigned k = 0; k < rank; ++k) {
        const unsigned from = reversed ? rank - 1 - k : axis_from_end(x, order[rank - 1 - k]);
        seen |= 1U << from;
        bits = (bits & ~(std::uint64_t{0xf} << (4 * k))) | std::uint64_t{from} << (4 * k);
    }
    if (seen != low_bits(rank)) return refused(array_fault::permutation, x);
    return rank < 2 ? x : array_operation(opcode::transpose, bits, x);
}
/// The axes in the order named.
template <std::integral... Axes>
constexpr tracer permute(const tracer& x, Axes... axes) {
    return transpose(x, axes...);
}
/// The last two axes exchanged.
constexpr tracer swap_last(const tracer& x) {
    return array_operation(opcode::transpose, 0x76543201, x);
}

/// A new axis of size 1 before axis `axis` of the result.
template <std::integral Axis>
constexpr tracer expand_dims(const tracer& x, Axis axis) {
    return expanded(x, 1U << axis_from_end(x, static_cast<int>(axis), 1));
}
/// The axes named, of size 1, left out.
template <std::integral... Axes>
    requires(sizeof...(Axes) > 0)
constexpr tracer squeeze(const tracer& x, Axes... axes) {
    return array_operation(opcode::squeeze, axes_mask(x, axes...), x);
}

/// x in the shape of y, which has as many elements.
constexpr tracer reshape_like(const tracer& x, const tracer& y) {
    return array_operation(opcode::reshape_like, encode_reshape({rank_of(x), rank_of(y)}), x, y);
}
/// The elements in row-major order in a new shape; one size may be -1, what is left. Example: `reshape(x, x.shape(0), 4, -1)`
template <size_name... Sizes>
constexpr tracer reshape(const tracer& x, const Sizes&... sizes) {
    builder* const b = x.home();
    if (b == nullptr || b->is_faulty()) return refused(array_fault::unknown, x);
    const named_sizes<sizeof...(Sizes)> to(b, rank_of(x), x.in(*b), sizes...);
    if (const array_fault fault = to.fault(array_fault::reshape_size); fault != array_fault::none) return refused(fault, x);
    return to.borrows() ? reshape_like(x, to.filled(*b, tracer(0))) : array_operation(opcode::reshape, to.bits(), x);
}

/// x stretched to a shape of which axis k has size sizes[k], as in NumPy; -1 leaves an axis of x as it is.
template <size_name... Sizes>
constexpr tracer broadcast_to(const tracer& x, const Sizes&... sizes) {
    constexpr unsigned rank = sizeof...(Sizes);
    builder* const b = x.home();
    if (b == nullptr || b->is_faulty()) return refused(array_fault::unknown, x);
    if (rank_of(x) > rank) return refused(array_fault::broadcast_rank, x);
    std::array<tracer, rank> size{tracer(sizes)...};
    unsigned single = 0; // axes that must have size 1 already
    for (unsigned k = 0; k < rank_of(x); ++k) {
        tracer& s = size[rank - 1 - k];
        if (is_literal_size(s) && literal_size(s) == 1 && !is_single(x, k)) single |= 1U << k;
        if (s.is_literal(-1)) s = tracer(1);
    }
    const auto to = unpack([&](const auto&... s) { return named_sizes<rank>(b, 0, no_node, s...); }, size);
    if (const array_fault fault = to.fault(array_fault::broadcast_size); fault != array_fault::none) return refused(fault, x);
    // (Kept even where ranks agree: an axis may have size 1 at run time, or another size that does not fit.)
    const tracer narrow = single == 0 ? x : expanded(array_operation(opcode::squeeze, single, x, asked_as::broadcast_to), single);
    return array_operation(opcode::broadcast_like, 0, narrow, to.filled(*b, x * 0), asked_as::broadcast_to);
}

/// The end of a slice that has none.
inline constexpr int to_the_end = std::numeric_limits<int>::max();

/// x[start:stop:step] along one axis, as in Python: counts from the end are negative.
template <std::integral Axis>
constexpr tracer slice(const tracer& x, Axis axis, int start, int stop = to_the_end, int step = 1) {
    if (step == 0) return refused(array_fault::slice_step, x);
    if (step < 0) return refused(array_fault::slice_backwards, x);
    if (!fits_slice(start) || (!fits_slice(stop) && stop != to_the_end) || step > slice_range::largest_step) return refused(array_fault::slice_large, x);
    if (stop == to_the_end) stop = slice_range::open;
    return array_operation(opcode::slice,
                           encode_slice({axis_from_end(x, static_cast<int>(axis)), start, stop, step}), x);
}
/// Element (row, plane ...) `i` along an axis (the first).
constexpr tracer element_at(const tracer& x, int i, int axis = 0) {
    if (i != 0 && i != -1 && is_single(x, axis_from_end(x, axis))) return refused(array_fault::position, x);
    const tracer part = slice(x, axis, i, i == -1 ? to_the_end : i + 1);
    return array_operation(opcode::squeeze, axes_mask(x, axis), part);
}

constexpr tracer tracer::operator[](int i) const {
    return element_at(*this, i);
}
#define DYAD_NO_PLACE(symbol)                                                                        \
    template <operand B>                                                                             \
    constexpr tracer& tracer::operator symbol(const B&) && {                                         \
        refused(array_fault::assignment, *this);                                                     \
        return *this;                                                                                \
    }
DYAD_NO_PLACE(=)
DYAD_NO_PLACE(+=)
DYAD_NO_PLACE(-=)
DYAD_NO_PLACE(*=)
DYAD_NO_PLACE(/=)
#undef DYAD_NO_PLACE
constexpr tracer tracer::size() const {
    return extent(*this, low_bits(rank_of(*this)));
}
constexpr tracer tracer::shape(int axis) const {
    return extent(*this, 1U << axis_from_end(*this, axis));
}

/// The elements in reverse order along the axes (all, if none is named).
template <std::integral... Axes>
constexpr tracer flip(const tracer& x, Axes... axes) {
    return array_operation(opcode::flip, axes_mask(x, axes...), x);
}

/// One array after the other along an axis (the first).
template <std::integral Axis = int>
constexpr tracer concatenate(const tracer& x, const tracer& y, Axis axis = 0, asked_as asked = asked_as::itself) {
    if (rank_of(x) != rank_of(y)) return refused(array_fault::concatenate_ranks, x, y);
    return array_operation(opcode::concat, axis_from_end(x, static_cast<int>(axis)), x, y, asked);
}
template <class T, std::size_t... Item>
constexpr bool has_traced_elements(std::index_sequence<Item...>) {
    return (tracer_operand<std::tuple_element_t<Item, T>> && ...) && (traced_value<std::tuple_element_t<Item, T>> || ...);
}
/// A tuple or std::array with a traced value in it, and numbers. (No lambda here, which nvcc cannot repeat to its host compiler.)
template <class T>
concept traced_tuple = requires { std::tuple_size<T>::value; } && has_traced_elements<T>(std::make_index_sequence<std::tuple_size<T>::value>{});
template <class T, std::size_t... Item>
constexpr bool has_numbers_alone(std::index_sequence<Item...>) {
    return (number<std::tuple_element_t<Item, T>> && ...);
}
template <class T>
concept number_tuple = requires { std::tuple_size<T>::value; } && has_numbers_alone<T>(std::make_index_sequence<std::tuple_size<T>::value>{});

/// Several arrays in a tuple, std::array or std::vector, one after the other along an axis (the first).
template <std::integral Axis = int>
constexpr tracer concatenate(std::span<const tracer> parts, Axis axis = 0, asked_as asked = asked_as::itself) {
    if (parts.empty()) throw value_error("[dyad] concatenate, stack: of no arrays");
    tracer all = parts[0];
    for (std::size_t k = 1; k < parts.size(); ++k) all = concatenate(all, parts[k], axis, asked);
    return all;
}
template <traced_tuple Tuple, std::integral Axis = int>
constexpr tracer concatenate(const Tuple& parts, Axis axis = 0, asked_as asked = asked_as::itself) {
    return unpack(
        [&](const auto&... part) {
            const tracer row[] = {tracer(part)...};
            return concatenate(std::span<const tracer>(row), axis, asked);
        },
        parts);
}
/// Several arrays of one shape along a new axis (the first). Numbers among them belong to the others' trace.
template <std::integral Axis = int>
constexpr tracer stack(std::span<const tracer> parts, Axis axis = 0) {
    builder* home = nullptr;
    for (std::size_t k = 0; k < parts.size() && home == nullptr; ++k) home = parts[k].home();
    list<tracer> row;
    for (const tracer& part : parts) row.push_back(expand_dims(home == nullptr ? part : tracer(*home, part.in(*home)), axis));
    return concatenate(std::span<const tracer>(row.data(), row.size()), axis, asked_as::stack);
}
template <traced_tuple Tuple, std::integral Axis = int>
constexpr tracer stack(const Tuple& parts, Axis axis = 0) {
    return unpack(
        [&](const auto&... part) {
            const tracer row[] = {tracer(part)...};
            return stack(std::span<const tracer>(row), axis);
        },
        parts);
}

/// Of numbers alone nothing says which trace the array belongs to.
template <number_tuple Tuple, std::integral Axis = int>
constexpr tracer stack(const Tuple&, Axis = 0) {
    static_assert(!sizeof(Tuple), "[dyad] stack: there are but plain numbers in this row; one must be traced, as 0 * x + 1 is, or pass the array as a further argument");
    return {};
}

/// The parts of x along an axis, the cuts being before the positions named: split(x, 0, 2, 5) is x[:2], x[2:5], x[5:].
template <std::integral Axis, std::integral... Cuts>
constexpr auto split(const tracer& x, Axis axis, Cuts... cuts) {
    std::array<tracer, sizeof...(Cuts) + 1> parts;
    const int end[] = {static_cast<int>(cuts)..., to_the_end};
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k] = slice(x, axis, k == 0 ? 0 : end[k - 1], end[k]);
    return parts;
}

/// x repeated `times` along an axis.
template <std::integral Axis = int>
constexpr tracer tile(const tracer& x, int times, Axis axis = 0) {
    if (times < 1) return refused(array_fault::tile_times, x);
    if (times == 1) return x;
    const tracer half = tile(x, times / 2, axis), even = concatenate(half, half, axis); // (one by one, all between would be kept)
    return times % 2 == 0 ? even : concatenate(even, x, axis);
}

/// `before` and `after` zeros put around x along an axis.
template <std::integral Axis>
constexpr tracer pad(const tracer& x, Axis axis, int before, int after) {
    if (before < 0 || after < 0) return refused(array_fault::pad_negative, x);
    if (!fits_slice(before) || !fits_slice(after)) return refused(array_fault::pad_large, x);
    if (before + after == 0) return x;
    return array_operation(opcode::pad, encode_slice({axis_from_end(x, static_cast<int>(axis)), before, after, 1}), x);
}

/// x[i + c] in a loop at its own index i, where x is there before the loop: read in passing, as in a scan; else nothing. (x is cut to as
/// many elements as there are rounds, which must be a constant, or the size of x less a constant.)
constexpr tracer passed_element(const tracer& x, const tracer& i) {
    builder* const b = x.home();
    if (b == nullptr || i.home() != b || b->is_faulty()) return {};
    const auto is_position = [](double p) { return p >= 0 && p < slice_range::open && static_cast<int>(p) == p; };
    const node_index values = x.in(*b);
    const unsigned first = rank_of(x) - 1;
    const node_and_more position = without_constants(*b, i.in(*b));
    for (std::size_t k = 0; k < b->loop_indices.size() && is_position(position.more); ++k) {
        if (b->loop_indices[k] != position.of || values > position.of || ((*b)[values].ones >> first & 1) != 0) continue;
        const node_and_more rounds = without_constants(*b, b->loop_rounds[k]);
        const bool known = rounds.of == no_node;
        const bool of_x = !known && rounds.of == extent(x, 1U << first).in(*b);
        const double end = position.more + rounds.more; // from the start, or from the end of x
        if (!(known && rounds.more >= 2 && is_position(end)) && !(of_x && is_position(-end))) continue;
        const tracer part = slice(x, 0, static_cast<int>(position.more), end == 0 ? to_the_end : static_cast<int>(end));
        return {*b, at(*b, (position.more == 0 && end == 0 ? x : part).in(*b), position.of)};
    }
    return {};
}
/// Conditions, element by element. (One alone may be a position, 1 or 0, as in C++.)
constexpr bool is_mask(const tracer& x) {
    if (rank_of(x) == 0) return false;
    const node& n = (*x.home())[x.in(*x.home())];
    return n.is(element::boolean) || (n.is(opcode::input) && n.operand[2] == given_as_conditions);
}
/// The elements (rows ...) of x along an axis at whole-number positions; repeated positions are fine.
template <std::integral Axis = int>
constexpr tracer take(const tracer& x, const tracer& indices, Axis axis = 0) {
    if (indices.home() == nullptr) { // a plain number
        const double i = indices.literal().high;
        const bool whole = i > -slice_range::open && i < slice_range::open && static_cast<int>(i) == i;
        return whole ? element_at(x, static_cast<int>(i), static_cast<int>(axis)) : refused(array_fault::plain_numbers, x);
    }
    if (rank_of(x) != 0 && rank_of(indices) == 0 && axis_from_end(x, static_cast<int>(axis)) + 1 == rank_of(x)) {
        if (const tracer element = passed_element(x, indices); element.home() != nullptr) return element;
    }
    if (is_mask(indices)) return refused(array_fault::mask_as_positions, x, indices);
    return array_operation(opcode::take, axis_from_end(x, static_cast<int>(axis)), x, indices);
}
constexpr tracer tracer::operator[](const tracer& i) const {
    return take(*this, i);
}
template <std::floating_point Position>
constexpr tracer tracer::operator[](Position i) const {
    return take(*this, tracer(i));
}
/// x at a position along axis k, which counts the axes of positions before it.
constexpr tracer at_position(const tracer& x, int i, unsigned k) {
    return element_at(x, i, static_cast<int>(k));
}
constexpr tracer at_position(const tracer& x, const tracer& i, unsigned k) {
    if (k > 0 && rank_of(i) > 0) return refused(array_fault::several_positions, x, i); // NumPy has pairs of them
    return take(x, i, static_cast<int>(k));
}
template <class... Item>
    requires(sizeof...(Item) > 0 && ((std::integral<Item> || (std::convertible_to<Item, tracer> && !number<Item>)) && ...))
constexpr tracer tracer::operator()(Item... i) const {
    tracer part = *this;
    unsigned axis = 0;
    const auto go_on = [&](const auto& position) {
        part = at_position(part, position, axis);
        if constexpr (std::same_as<std::remove_cvref_t<decltype(position)>, tracer>) axis += rank_of(position);
    };
    (go_on(i), ...);
    return part;
}

/// x with v (an array, or one number) added at positions along an axis; repeated positions accumulate.
template <std::integral Axis = int>
constexpr tracer scatter_add(const tracer& x, const tracer& indices, const tracer& v, Axis axis = 0) {
    if (is_mask(indices)) return refused(array_fault::mask_as_positions, x, indices);
    if (rank_of(v) != 0 && (rank_of(v) < rank_of(indices) || rank_of(v) + 1 > rank_of(x) + rank_of(indices))) return refused(array_fault::scatter_ranks, x, indices);
    const unsigned k = axis_from_end(x, static_cast<int>(axis));
    const tracer added = rank_of(v) == 0 ? expanded(broadcast_like(v, indices), low_bits(k)) : v;
    return array_operation(opcode::scatter_add, k, x, indices, added);
}

/// yᵢ = bᵢ + cᵢ yᵢ₋₁ along axis k from the end, forwards or backwards; what stands before the first is 0, or 1.
constexpr tracer recurrence(const tracer& b, const tracer& c, unsigned k, bool backwards = false, bool from_one = false) {
    return array_operation(opcode::recurrence, k | (backwards ? 16U : 0U) | (from_one ? 32U : 0U), b, c);
}
/// The elements moved by one along axis k from the end, forwards or backwards; the first (last) becomes 0, or 1.
constexpr tracer shifted(const tracer& x, unsigned k, bool backwards = false, bool from_one = false) {
    return array_operation(opcode::shift, k | (backwards ? 16U : 0U) | (from_one ? 32U : 0U), x);
}

/// Running sums along an axis (the first).
template <std::integral Axis = int>
constexpr tracer cumsum(const tracer& x, Axis axis = 0) {
    return recurrence(x, tracer(1), axis_from_end(x, static_cast<int>(axis)));
}
constexpr tracer cumprod_from_end(const tracer& x, unsigned k) {
    return recurrence(broadcast_like(tracer(0), x), x, k, false, true);
}
/// Running products along an axis (the first).
template <std::integral Axis = int>
constexpr tracer cumprod(const tracer& x, Axis axis = 0) {
    return cumprod_from_end(x, axis_from_end(x, static_cast<int>(axis)));
}

/// `value` in the shape of x, and of its own type; in a traced function, a constant takes that of x. Example: `full_like(x, 0.5)`.
constexpr tracer full_like(const tracer& x, const tracer& value) { return broadcast_like(value, x); }
/// Zeros and ones in the shape of x.
constexpr tracer zeros_like(const tracer& x) { return full_like(x, tracer(0)); }
constexpr tracer ones_like(const tracer& x) { return full_like(x, tracer(1)); }

} // namespace dyad
