// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Functions that only move elements, of expressions, with axes, sizes and positions that are known at run time only:
// sum(X, axis). The traced function runs once more, at run time; what it does to the numbers 0, 1, 2 ... is an array of
// positions, a leaf of the expression, which gathers by it. (Attributes that are constants, 0_c, need none of this.)
#pragma once

#include <array>
#include <utility>

#include <dyad/array/eager_call.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// Where the elements of a node come from, in all inputs one after the other; -1 for a zero.
class movement {
public:
    using positions_of = list<std::ptrdiff_t>;

    /// Of the function that messages name.
    movement(const char* function, graph_view g, const list<run_time_shape>& inputs) : g_(g), inputs_(inputs), walk_(g, inputs_, {}, function) { walk_.check(); }

    [[nodiscard]] const run_time_shape& shape(node_index i) const { return walk_.shape(i); }
    [[nodiscard]] positions_of positions(node_index i) const {
        const node& n = g_[i];
        if (n.is(opcode::input)) return of_input(n.bits);
        const node_index x = n.operand[0];
        switch (n.op) {
        case opcode::expand:
        case opcode::squeeze:
        case opcode::reshape:
        case opcode::reshape_like: return positions(x);
        case opcode::transpose:
        case opcode::slice:
        case opcode::flip:
        case opcode::pad:
        case opcode::triangle:
        case opcode::unfold:
        case opcode::broadcast_like: return moved(i, {positions(x), {}});
        case opcode::concat: return moved(i, {positions(x), positions(n.operand[1])});
        default: return positions_of(count(shape(i)), -1); // a number in its place
        }
    }

private:
    struct operands {
        positions_of first, second;
    };
    static std::size_t count(const run_time_shape& s) {
        std::size_t product = 1;
        for (unsigned k = 0; k < s.rank; ++k) product *= s.size[k];
        return product;
    }
    [[nodiscard]] positions_of of_input(std::size_t number) const {
        std::ptrdiff_t next = 0;
        for (std::size_t k = 0; k < number; ++k) next += static_cast<std::ptrdiff_t>(count(inputs_[k]));
        positions_of all(count(inputs_[number]));
        for (std::ptrdiff_t& p : all) p = next++;
        return all;
    }
    /// The elements of operand x, at places that follow from those of the result.
    [[nodiscard]] positions_of moved(node_index i, const operands& from) const {
        const node& n = g_[i];
        const run_time_shape &result = shape(i), &x = shape(n.operand[0]);
        const unsigned axis = axis_of(n.bits);
        const slice_range s = decode_slice(n.bits);
        const window_steps steps = decode_steps(n.bits);
        positions_of all(count(result));
        for (std::size_t l = 0; l < all.size(); ++l) {
            std::ptrdiff_t at[max_rank] = {}, place[max_rank] = {};
            for (std::size_t k = 0, rest = l; k < result.rank; rest /= result.size[k++]) at[k] = static_cast<std::ptrdiff_t>(rest % result.size[k]);
            bool second = false;
            for (unsigned k = 0; k < result.rank; ++k) {
                if (n.is(opcode::transpose)) {
                    place[permuted_axis(n.bits, k)] = at[k];
                } else if (n.is(opcode::unfold)) {
                    if (k < 2 || k >= 4) place[k < 2 ? k : k - 2] += at[k];
                    if (k == 2 || k == 3) place[k - 2] += at[k] * static_cast<std::ptrdiff_t>(k == 2 ? steps.last : steps.before);
                } else if (n.is(opcode::flip) && (axes_of(n.bits) >> k & 1) != 0) {
                    place[k] = static_cast<std::ptrdiff_t>(result.size[k]) - 1 - at[k];
                } else {
                    place[k] = at[k];
                }
            }
            if (n.is(opcode::slice)) place[axis] = routine::resolve(s, x.size[axis]).start + at[axis] * s.step;
            if (n.is(opcode::pad)) place[axis] -= s.start;
            if (n.is(opcode::concat) && place[axis] >= static_cast<std::ptrdiff_t>(x.size[axis])) {
                place[axis] -= static_cast<std::ptrdiff_t>(x.size[axis]);
                second = true;
            }
            if (n.is(opcode::triangle) && !decode_triangle(n.bits).has(at[1], at[0])) {
                all[l] = -1;
                continue;
            }
            const run_time_shape& operand = second ? shape(n.operand[1]) : x;
            std::ptrdiff_t offset = 0, step = 1;
            bool there = true;
            for (unsigned k = 0; k < operand.rank; ++k) {
                const auto size = static_cast<std::ptrdiff_t>(operand.size[k]);
                if (n.is(opcode::pad)) there = there && place[k] >= 0 && place[k] < size;
                offset += (size == 1 && !n.is(opcode::pad) ? 0 : place[k]) * step;
                step *= size;
            }
            all[l] = !there ? -1 : (second ? from.second : from.first)[static_cast<std::size_t>(offset)];
        }
        return all;
    }

    graph_view g_;
    const list<run_time_shape> inputs_;
    shape_walk walk_;
};

/// Expressions as inputs of a graph of movements.
struct moved_inputs {
    builder& b;
    const int* numbers;
    std::uint32_t next = 0;
    template <class X>
    constexpr tracer value() {
        const node& out = X::program::graph.nodes[X::program::graph.outputs[0]];
        return {b, b.input(next++, element::float64, {out.rank, 0})};
    }
    constexpr int number() { return *numbers++; }
};

/// What is known of a movement at compile time: the ranks of its results, and whether zeros come in. Positions do not
/// change them, if they fit: 0, 1, 2 ... stand for them (or what comes after `Function::typical`).
template <class Function, class... X>
struct movement_facts {
    static constexpr auto result(builder& b) {
        int any[max_rank + 2] = {};
        for (int k = 0; k < static_cast<int>(max_rank) + 2; ++k) any[k] = k;
        if constexpr (requires { Function::typical; }) {
            for (int& number : any) number += Function::typical;
        }
        moved_inputs source{b, any};
        return call_traced<Function, moved_inputs, X...>(source);
    }
    using result_type = std::remove_cvref_t<std::invoke_result_t<Function, const traced_as<X>&...>>;
    static constexpr std::size_t count = structure<result_type>::size;
    struct found {
        unsigned rank[count + 1] = {};
        bool zeros = false;
    };
    static constexpr found facts = [] {
        found f;
        builder b;
        unsigned fault = 0;
        b.fault = &fault;
        const list<node_index> results = result_nodes(b, result(b));
        for (std::size_t k = 0; k < count; ++k) f.rank[k] = b[results[k]].rank;
        for (const node& n : b.nodes) f.zeros = f.zeros || n.is(opcode::pad) || n.is(opcode::triangle);
        return f;
    }();
};

/// The elements of all operands at positions; the last one is a zero.
template <bool Zero, bool Number>
struct gather_function {
    constexpr tracer operator()(const tracer& positions, const auto&... x) const {
        const tracer flat = all_of(x...);
        const tracer found = take(Zero ? pad(flat, 0, 0, 1) : flat, positions);
        return Number ? squeeze(found, 0) : found;
    }

private:
    static constexpr tracer all_of(const tracer& x) { return reshape(x, -1); }
    static constexpr tracer all_of(const tracer& x, const auto&... rest) { return concatenate(all_of(x), all_of(rest...)); }
};

/// Several results as traced values have them: those of one type, as the parts of one array are, are a std::array.
template <class First, class... Rest>
auto together(First first, Rest... rest) {
    if constexpr ((std::same_as<First, Rest> && ...)) {
        return std::array{std::move(first), std::move(rest)...};
    } else {
        return std::tuple{std::move(first), std::move(rest)...};
    }
}

/// A leaf that holds positions in row-major order, for a result of `Rank` axes; for a number, a single one.
template <unsigned Rank>
auto positions_slot(const movement::positions_of& positions, const run_time_shape& shape) {
    constexpr unsigned rank = Rank == 0 ? 1 : Rank;
    using value = array_value<std::ptrdiff_t, rank, Rank == 0 ? 1 : 0>;
    auto kept = std::make_shared<movement::positions_of>(positions);
    array_reference<const std::ptrdiff_t, rank> elements{kept->data(), {1}, {}};
    for (unsigned k = 0; k < Rank; ++k) elements.size[k] = shape.size[k];
    elements.set_row_major();
    return array_leaf_expr<slot<value>>(flat_tuple<slot<value>>(slot<value>{{std::move(kept), elements}, nullptr}));
}

/// `Function` of expressions, and of whole numbers known at run time, which says where elements go.
template <class Function, class... X>
auto move_elements(const char* name, const X&... x) {
    using known = movement_facts<Function, X...>;
    list<int> numbers;
    const auto note = [&](const auto& a) {
        if constexpr (std::integral<std::remove_cvref_t<decltype(a)>>) {
            if (!std::in_range<int>(a)) throw index_error("[dyad] " + std::string(name) + ": " + std::to_string(a) + " is too large an axis, size or position");
            numbers.push_back(static_cast<int>(a));
        }
    };
    (note(x), ...);
    numbers.push_back(0);
    const auto all = std::tuple_cat(expressions_in(x)...);
    list<run_time_shape> shapes;
    unpack([&](const auto&... e) { (shapes.push_back(shape_of_value(e)), ...); }, all);

    builder b;
    unsigned fault = 0;
    b.fault = &fault;
    moved_inputs source{b, numbers.data()};
    const auto traced = call_traced<Function, moved_inputs, X...>(source);
    const list<node_index> results = result_nodes(b, traced);
    if (fault != 0) {
        std::string t = "[dyad] " + std::string(name) + ": axes, sizes or positions (";
        for (std::size_t k = 0; k + 1 < numbers.size(); ++k) t += (k > 0 ? ", " : "") + std::to_string(numbers[k]);
        t += ") do not fit";
        for (const run_time_shape& s : shapes) t += " " + text_of(s);
        throw shape_error(t);
    }
    dyad::graph g = b.finish(results);
    g.input_count = static_cast<std::uint32_t>(shapes.size());
    const movement moves(name, g, shapes);
    const auto gather = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        constexpr unsigned rank = known::facts.rank[K];
        auto from = moves.positions(g.outputs[K]);
        if constexpr (known::facts.zeros) {
            std::ptrdiff_t zero = 0;
            for (const run_time_shape& s : shapes) {
                std::ptrdiff_t count = 1;
                for (unsigned k = 0; k < s.rank; ++k) count *= static_cast<std::ptrdiff_t>(s.size[k]);
                zero += count;
            }
            for (std::ptrdiff_t& p : from) p = p < 0 ? zero : p;
        }
        const auto positions = positions_slot<rank>(from, moves.shape(g.outputs[K]));
        return unpack([&](const auto&... e) { return apply_to_expressions<gather_function<known::facts.zeros, rank == 0>>(positions, e...); }, all);
    };
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        if constexpr (leaf_type<typename known::result_type>) {
            return (gather(std::integral_constant<std::size_t, K>{}), ...);
        } else {
            return together(gather(std::integral_constant<std::size_t, K>{})...);
        }
    }(std::make_index_sequence<known::count>{});
}

} // namespace dyad
