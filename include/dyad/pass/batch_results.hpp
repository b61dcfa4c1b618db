// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What a loop over arrays keeps of its rounds and computes from elements alone is computed for all elements at once, without the
// loop: the body runs on the whole arrays, which have one axis more in front. Axes count from the last one, so that most
// operations are the same there.
#pragma once

#include <dyad/pass/role.hpp>
#include <dyad/pass/substitute.hpp>

namespace dyad {

class batcher {
public:
    /// A loop's body was recorded after its index, at which it reads elements.
    constexpr batcher(builder& b, node_index index) : b_(b), index_(index), size_(b.size()), from_(size_), place_(size_) {}

    /// The roots from number `kept` on as elements of what is computed for all rounds, where that can be.
    constexpr list<node_index> run(list<node_index> roots, std::size_t kept) {
        list<node_index> results;
        for (std::size_t k = kept; k < roots.size(); ++k) results.push_back(roots[k]);
        const list<bool> wanted = reached(b_.nodes.data(), size_, results);
        for (node_index i = 0; i < size_; ++i) place_[i] = i;
        for (node_index i = index_; i < size_; ++i) {
            if (wanted[i]) from_[i] = source_of(i);
        }
        list<bool> needed(size_);
        for (const node_index i : results) needed[i] = is_batched_result(i);
        for (node_index i = static_cast<node_index>(size_); i-- > index_;) {
            for (int k = 0; k < (is_element(i) ? 1 : b_[i].arity()) && needed[i]; ++k) needed[b_[i].operand[k]] = true;
        }
        for (node_index i = index_; i < size_; ++i) {
            if (needed[i]) place_[i] = is_element(i) ? beside_first(place_[b_[i].operand[0]]) : batched(i);
        }
        for (std::size_t k = kept; k < roots.size(); ++k) {
            if (is_batched_result(roots[k])) roots[k] = one_at(b_, place_[roots[k]], index_);
        }
        return roots;
    }

private:
    enum source : unsigned char { outside, elements, rounds };

    [[nodiscard]] constexpr bool is_batched_result(node_index i) const { return from_[i] == elements && !b_[i].is(element::boolean); }
    /// An element, row, plane ... that the loop reads of an array.
    [[nodiscard]] constexpr bool is_element(node_index i) const {
        return b_[i].is(opcode::at) && b_[i].operand[1] == index_ && from_[b_[i].operand[0]] == outside;
    }
    [[nodiscard]] constexpr source source_of(node_index i) const {
        const node& n = b_[i];
        if (is_element(i)) return elements;
        if (n.is(opcode::parameter)) return rounds;
        source from = outside;
        for (int k = 0; k < n.arity(); ++k) {
            if (from_[n.operand[k]] > from) from = from_[n.operand[k]];
        }
        if (from != elements) return from;
        if (n.is(opcode::extent)) return outside; // all rows have one size
        if (n.is(opcode::fill_like) && names_each_size(n)) return from_[n.operand[0]]; // (of the others only the rows' sizes count)
        return n.rank < max_rank && is_same_with_more_axes(n) ? elements : rounds;
    }
    /// Whether no size of a fill_like is what is left of an array's elements, which are more for all rows.
    static constexpr bool names_each_size(const node& n) {
        bool each = true;
        for (unsigned k = 0; k < n.rank; ++k) each = each && fill_size(n.bits, k) != inferred_size;
        return each;
    }
    /// Whether an operation is itself on operands with an axis more in front, those that are the same in all rounds excepted.
    [[nodiscard]] constexpr bool is_same_with_more_axes(const node& n) const {
        switch (n.op) {
        case opcode::reduce_sum:
        case opcode::reduce_prod:
        case opcode::reduce_max:
        case opcode::reduce_min:
        case opcode::squeeze:
        case opcode::expand:
        case opcode::slice:
        case opcode::flip:
        case opcode::transpose:
        case opcode::broadcast_like: return true;
        case opcode::concat:
        case opcode::unslice: return from_[n.operand[0]] == elements && from_[n.operand[1]] == elements;
        default: return role_of(n.op) == role::elementwise && !is_array_operation(n.op);
        }
    }
    /// Array x, which has as many rows as the first of those that are gone through; that is asked when the program runs.
    constexpr node_index beside_first(node_index x) {
        if (first_ == no_node) first_ = x;
        const node like = b_[first_], n = b_[x];
        if (rows_from(x) == rows_from(first_) || (n.ones >> (n.rank - 1U) & 1) != 0) return x;
        std::uint64_t bits = encode_reshape({0, n.rank});
        for (unsigned k = 0; k + 1 < n.rank; ++k) bits = with_size(bits, k, 1);
        bits = with_size(bits, n.rank - 1U, encode_borrowed({1, like.rank - 1U}));
        const node_index rows = b_.emit({.op = opcode::fill_like, .operand = {b_.constant(exact(0)), first_, first_}, .bits = bits});
        return b_.emit({.op = opcode::broadcast_like, .operand = {x, rows, 0}, .bits = equal_rows});
    }
    /// What x is a part of that has the same rows.
    [[nodiscard]] constexpr node_index rows_from(node_index x) const {
        for (;;) {
            const node& n = b_[x];
            const bool part = (n.is(opcode::slice) && axis_of(n.bits) + 1 < n.rank) || (n.is(opcode::squeeze) && axes_of(n.bits) >> n.rank == 0);
            if (!part) return x;
            x = n.operand[0];
        }
    }
    /// Node i for all rounds; itself, if it is the same in all of them.
    constexpr node_index batched(node_index i) {
        node n = b_[i];
        const bool stretches = !is_array_operation(n.op) || n.is(opcode::broadcast_like);
        bool moves = from_[i] == elements;
        for (int k = n.arity(); k-- > 0;) {
            const node_index x = n.operand[k];
            n.operand[k] = place_[x];
            moves = moves || place_[x] != x;
            const unsigned missing = low_bits(n.rank) & ~low_bits(b_[x].rank);
            if (stretches && missing != 0 && from_[x] == elements) n.operand[k] = b_.emit({.op = opcode::expand, .operand = {place_[x], 0, 0}, .bits = missing});
        }
        return moves ? b_.emit(n) : i;
    }

    builder& b_;
    node_index index_, first_ = no_node; ///< the first array that is gone through
    std::size_t size_;
    list<source> from_;
    list<node_index> place_; ///< by node: where it is computed for all rounds
};

/// The roots of a loop's body, recorded after its `index`, those from number `kept` on without the loop where that can be.
constexpr list<node_index> batch_results(builder& b, node_index index, const list<node_index>& roots, std::size_t kept) {
    return batcher(b, index).run(roots, kept);
}

} // namespace dyad
