// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The transforms, each as one function on a builder that holds the function: its outputs, the nodes to
// differentiate by, and (for products) the directions. Used for whole graphs, and in the middle of a trace
// where transforms nest.
#pragma once

#include <dyad/base/is.hpp>
#include <dyad/pass/forward.hpp>
#include <dyad/pass/higher_order.hpp>
#include <dyad/pass/matrix_lines.hpp>
#include <dyad/pass/simplify.hpp>

namespace dyad {

enum class transform {
    value,              ///< the outputs
    gradient,           ///< ∂output 0/∂by, one result for each of `by`
    value_and_gradient, ///< output 0, then its gradient
    jacobian,           ///< ∂output i/∂by j, row by row
    hessian,            ///< ∂²output 0/∂by i ∂by j, row by row
    jvp,                ///< the outputs, then Σ ∂output/∂by·direction for each
    vjp,                ///< Σ direction·∂output/∂by for each of `by`
    hvp,                ///< Σ ∂²output 0/∂by ∂by j·direction j for each of `by`
    tangents,           ///< Σ ∂output/∂by·direction for each, without the outputs
    repeated            ///< repeated + n: the n-th derivative of output 0 by the one number of `by`
};
DYAD_COMPARED(transform)
constexpr transform derivative_of_order(int n) {
    return static_cast<transform>(static_cast<int>(transform::repeated) + n);
}
constexpr int order_of(transform t) {
    return static_cast<int>(t) - static_cast<int>(transform::repeated);
}

/// `count` structural zeros, but 1 at `at`.
constexpr list<node_index> unit_direction(builder& b, std::size_t count, std::size_t at,
                                          element type) {
    list<node_index> direction(count, no_node);
    direction[at] = b.constant(exact(1), type);
    return direction;
}

/// Whether a node is computed from a region whose operation `is` one that is asked for.
template <class Is>
constexpr bool goes_through(const builder& b, node_index output, Is is) {
    if (!b.regions) return false;
    const list<bool> wanted = reached(b.nodes.data(), std::size_t{output} + 1, {output});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] && is(b.nodes[i].op)) return true;
    }
    return false;
}

/// Whether forward mode is the cheaper way to a derivative by one number: a loop then keeps nothing of its rounds. (The rule
/// of a custom gradient wants the cotangent that arrives there.)
constexpr bool prefers_forward(const builder& b, node_index output) {
    return goes_through(b, output, is_loop) && !goes_through(b, output, is_rule);
}

/// The same of a Jacobian: where it has fewer columns than rows, or as many and a loop would keep its rounds.
constexpr bool prefers_forward(std::size_t rows, std::size_t columns, bool loops) {
    return columns < rows || (columns == rows && loops);
}

/// Whether a derivative of an output cannot go backwards: a loop's rounds would have to be kept.
constexpr bool must_go_forward(const builder& b, node_index output) {
    return b.keeps_nothing && goes_through(b, output, is_loop);
}

/// Whether a number is computed from numbers, by straight-line code.
constexpr bool is_straight(const builder& b, node_index output) {
    const list<bool> wanted = reached(b.nodes.data(), std::size_t{output} + 1, {output});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] && (b.nodes[i].rank != 0 || is_array_operation(b.nodes[i].op) || is_region_operation(b.nodes[i].op))) return false;
    }
    return true;
}

/// ∂output/∂by, an input after the other.
template <class Rules = every_rule>
constexpr list<node_index> forward_gradient(builder& b, node_index output, const list<node_index>& by) {
    list<node_index> gradient;
    for (std::size_t k = 0; k < by.size(); ++k)
        gradient.push_back(pushforward<Rules>(b, {output}, by, unit_direction(b, by.size(), k, b[by[k]].type))[0]);
    return gradient;
}

/// Whether the registers of a device's kernel are too few for what reverse mode keeps of a number's computation.
constexpr bool is_long_in_kernel(const builder& b, node_index output) {
    constexpr std::size_t most_kept = 48;
    if (!b.keeps_nothing || !is_straight(b, output)) return false;
    std::size_t operations = 0;
    for (const bool wanted : reached(b.nodes.data(), std::size_t{output} + 1, {output})) operations += wanted ? 1 : 0;
    return operations > most_kept;
}

/// The gradient both ways: the one of fewer operations, forward mode where they are as many.
template <class Rules = every_rule>
constexpr list<node_index> shorter_gradient(builder& b, node_index output, const list<node_index>& by) {
    const std::size_t before = b.nodes.size();
    const list<node_index> forward = forward_gradient<Rules>(b, output, by);
    const std::size_t between = b.nodes.size();
    const list<node_index> reverse = pullback<Rules>(b, {output}, {b.constant(exact(1), b[output].type)}, by);
    return between - before <= b.nodes.size() - between ? forward : reverse;
}

template <class Rules = every_rule>
constexpr list<node_index> gradient_nodes(builder& b, node_index output,
                                          const list<node_index>& by) {
    if (must_go_forward(b, output)) return forward_gradient<Rules>(b, output, by);
    if (by.size() <= 2 && is_long_in_kernel(b, output)) return shorter_gradient<Rules>(b, output, by);
    if (by.size() == 1 && b[by[0]].rank == 0 && prefers_forward(b, output))
        return pushforward<Rules>(b, {output}, by, {b.constant(exact(1), b[by[0]].type)});
    return pullback<Rules>(b, {output}, {b.constant(exact(1), b[output].type)}, by);
}

/// dⁿ output/d byⁿ of numbers. Twice, and through loops, branches, rules and arrays, it is the derivative of the derivative.
template <class Rules = every_rule>
constexpr node_index nth_derivative(builder& b, node_index output, node_index by, int n) {
    if (n > 2 && is_straight(b, output)) return higher_order<Rules>(b, by, n).of(output);
    for (; n > 0; --n) output = gradient_nodes<Rules>(b, output, {by})[0];
    return output;
}

/// The derivatives of array y along each element of x, all axes of x first; in reverse mode of each element of y by x, all
/// axes of y first. One sweep for all elements, whose directions stand along axes of their own; through loops, branches and
/// rules, which have no such axes, a loop over the directions.
template <class Rules = every_rule>
constexpr node_index every_direction(builder& b, node_index y, node_index x, bool forward) {
    const node_index along = forward ? x : y;
    const bool loops = goes_through(b, y, [](opcode op) { return is_loop(op) || is(op, opcode::branch) || is(op, opcode::custom); });
    list<node_index> index;
    node_index direction = b.emit(opcode::eye_like, along);
    for (unsigned k = 0; loops && k < b[along].rank; ++k) {
        index.push_back(b.parameter(element::integer));
        direction = at(b, direction, index[k]);
    }
    node_index result = forward ? pushforward<Rules>(b, {y}, {x}, {direction}, true)[0] : pullback<Rules>(b, {y}, {direction}, {x}, true)[0];
    if (!loops) return b.broadcast_to(result, forward ? b.emit(opcode::outer_like, x, y) : b.emit(opcode::outer_like, y, x));
    for (unsigned axis = 0; axis < index.size(); ++axis) { // the last one first
        const node_index rounds = b.emit({.op = opcode::extent, .operand = {along, 0, 0}, .bits = std::uint64_t{1} << axis});
        const node_index own = index[index.size() - 1 - axis];
        result = history(b, b.add({.op = opcode::loop, .operand = {rounds, no_links(b), 0}, .bits = loop_bits(b[own].bits, false)}), result);
    }
    return result;
}

/// The derivatives of array y by array x, all axes of y before all axes of x. Reverse where y has fewer axes, else forward.
template <class Rules = every_rule>
constexpr node_index array_jacobian(builder& b, node_index y, node_index x) {
    const unsigned rows = b[y].rank, columns = b[x].rank;
    const bool forward = columns <= rows;
    const node_index sweep = every_direction<Rules>(b, y, x, forward);
    if (!forward) return sweep;
    std::uint64_t swap = identity_permutation;
    for (unsigned k = 0; k < rows + columns; ++k) {
        const unsigned from = k < columns ? rows + k : k - columns;
        swap = (swap & ~(std::uint64_t{0xf} << (4 * k))) | std::uint64_t{from} << (4 * k);
    }
    return b.emit({.op = opcode::transpose, .operand = {sweep, 0, 0}, .bits = swap});
}

/// Line k of the outputs' derivatives by numbers.
template <class Rules = every_rule>
constexpr list<node_index> line_of_matrix(builder& b, matrix_lines lines, const list<node_index>& outputs, const list<node_index>& by, std::size_t k) {
    if (is(lines, matrix_lines::rows)) return gradient_nodes<Rules>(b, outputs[k], by);
    list<node_index> column;
    for (std::size_t i = 0; i < length_of_line(lines, k, outputs.size(), by.size()); ++i) column.push_back(outputs[i]);
    return pushforward<Rules>(b, column, by, unit_direction(b, by.size(), k, b[by[k]].type));
}
/// All of them, row by row.
template <class Rules = every_rule>
constexpr list<node_index> matrix_nodes(builder& b, matrix_lines lines, const list<node_index>& outputs, const list<node_index>& by) {
    list<node_index> entries;
    for (std::size_t k = 0; k < count_of_lines(lines, outputs.size(), by.size()); ++k) {
        for (const node_index entry : line_of_matrix<Rules>(b, lines, outputs, by, k)) entries.push_back(entry);
    }
    return matrix_of_lines(entries.data(), lines, outputs.size(), by.size());
}
/// Those of the nodes that are numbers.
constexpr list<node_index> numbers_among(const builder& b, const list<node_index>& nodes) {
    list<node_index> numbers;
    for (const node_index i : nodes) {
        if (b[i].rank == 0) numbers.push_back(i);
    }
    return numbers;
}
/// The derivatives of arrays, one by another; those of numbers by numbers in lines.
template <class Rules = every_rule>
constexpr list<node_index> array_matrix(builder& b, matrix_lines lines, const list<node_index>& outputs, const list<node_index>& by) {
    const list<node_index> of_numbers = matrix_nodes<Rules>(b, lines, numbers_among(b, outputs), numbers_among(b, by));
    list<node_index> result;
    std::size_t next = 0;
    for (const node_index y : outputs) {
        for (const node_index x : by) result.push_back(b[y].rank == 0 && b[x].rank == 0 ? of_numbers[next++] : array_jacobian<Rules>(b, y, x));
    }
    return result;
}

/// By columns or by rows, whichever is the cheaper way.
constexpr matrix_lines lines_of_jacobian(const builder& b, const list<node_index>& outputs, const list<node_index>& by) {
    bool loops = false;
    for (const node_index i : outputs) loops = loops || prefers_forward(b, i);
    return prefers_forward(outputs.size(), by.size(), loops) ? matrix_lines::columns : matrix_lines::rows;
}
template <class Rules = every_rule>
constexpr list<node_index> jacobian_nodes(builder& b, const list<node_index>& outputs,
                                          const list<node_index>& by) {
    if (b.arrays->for_arrays) // (not `?:`: g++ 12 destroys what it chooses between twice)
        return array_matrix<Rules>(b, lines_of_jacobian(b, numbers_among(b, outputs), numbers_among(b, by)), outputs, by);
    return matrix_nodes<Rules>(b, lines_of_jacobian(b, outputs, by), outputs, by);
}

/// Whether second derivatives are symmetric: a rule of the user's may say otherwise, and is obeyed.
constexpr bool is_symmetric(const builder& b, node_index output) {
    return !goes_through(b, output, [](opcode op) { return is(op, opcode::custom); });
}

/// Forward over reverse; where the matrix is symmetric, the lower triangle is the upper one, node for node.
template <class Rules = every_rule>
constexpr list<node_index> hessian_nodes(builder& b, node_index output,
                                         const list<node_index>& by) {
    const list<node_index> gradient = gradient_nodes<Rules>(b, output, by);
    const matrix_lines lines = is_symmetric(b, output) ? matrix_lines::triangle : matrix_lines::columns;
    if (b.arrays->for_arrays) return array_matrix<Rules>(b, lines, gradient, by);
    return matrix_nodes<Rules>(b, lines, gradient, by);
}

/// Σ cotangent·∂output/∂by for each of `by`.
template <class Rules = every_rule>
constexpr list<node_index> cotangents_of(builder& b, const list<node_index>& outputs, const list<node_index>& cotangents, const list<node_index>& by) {
    list<node_index> backwards, own, result;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (must_go_forward(b, outputs[k])) continue;
        backwards.push_back(outputs[k]);
        own.push_back(cotangents[k]);
    }
    result = pullback<Rules>(b, backwards, own, by);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (!must_go_forward(b, outputs[k])) continue;
        const list<node_index> slopes = forward_gradient<Rules>(b, outputs[k], by);
        for (std::size_t j = 0; j < by.size(); ++j) result[j] = b.emit(opcode::add, result[j], b.emit(opcode::mul, cotangents[k], slopes[j]));
    }
    return result;
}

template <class Rules = every_rule>
constexpr list<node_index> derive(builder& b, transform t, const list<node_index>& outputs,
                                  const list<node_index>& by,
                                  const list<node_index>& directions) {
    list<node_index> result;
    if (is(t, transform::value) || is(t, transform::jvp)) result = outputs;
    if (is(t, transform::value_and_gradient)) result.push_back(outputs[0]);
    list<node_index> derivatives;
    switch (t) {
    case transform::value: break;
    case transform::gradient:
    case transform::value_and_gradient: derivatives = gradient_nodes<Rules>(b, outputs[0], by); break;
    case transform::jacobian: derivatives = jacobian_nodes<Rules>(b, outputs, by); break;
    case transform::hessian: derivatives = hessian_nodes<Rules>(b, outputs[0], by); break;
    case transform::jvp:
    case transform::tangents: derivatives = pushforward<Rules>(b, outputs, by, directions); break;
    case transform::vjp: derivatives = cotangents_of<Rules>(b, outputs, directions, by); break;
    case transform::hvp:
        derivatives = pushforward<Rules>(b, gradient_nodes<Rules>(b, outputs[0], by), by, directions);
        break;
    default: derivatives.push_back(nth_derivative<Rules>(b, outputs[0], by[0], order_of(t))); break;
    }
    for (const node_index i : derivatives) result.push_back(i);
    return result;
}

/// A graph in a builder of its own, to be differentiated there.
struct opened_graph {
    builder b;
    list<node_index> outputs, by;
    list<node> input; ///< by number: also what the graph does not use, if `known` says what it is

    constexpr opened_graph(graph_view g, const list<std::uint32_t>& numbers, policy p, region_rules_pointer regions,
                           const array_rules* arrays = &no_array_rules, const list<node>& known = {})
        : b(rewriter_of(p), 4 * g.size), input(g.input_count, input_node(0, element::float64)) {
        b.arrays = arrays;
        b.regions = regions;
        for (std::size_t k = 0; k < known.size(); ++k) input[k] = known[k];
        for (std::size_t i = 0; i < g.size; ++i) {
            if (g[i].is(opcode::input)) input[g[i].bits] = g[i];
        }
        outputs = b.append(g, true);
        for (const std::uint32_t k : numbers) by.push_back(b.input(k, input[k].type, shape_of(input[k])));
    }
};

/// The differentiate pass on a whole graph, which is kept as it is. `by` are numbers of inputs; directions become inputs of their
/// own, after the others, of the types of what they multiply. `known` says what the inputs are, also those that the graph does not use.
template <class Rules = every_rule>
constexpr graph differentiate(graph_view g, transform t, const list<std::uint32_t>& by,
                              policy p = default_policy, const array_rules* arrays = &no_array_rules,
                              const list<node>& known = {}, region_rules_pointer regions = {}) {
    opened_graph f(g, by, p, regions, arrays, known);
    builder& b = f.b;
    list<node_index> directions;
    const bool by_output = is(t, transform::vjp);
    if (by_output || is(t, transform::jvp) || is(t, transform::tangents) || is(t, transform::hvp)) {
        const list<node_index>& like = by_output ? f.outputs : f.by;
        for (std::uint32_t k = 0; k < like.size(); ++k)
            directions.push_back(b.input(g.input_count + k, b[like[k]].type, shape_of(b[like[k]])));
    }
    return b.finish(b.inwards(derive<Rules>(b, t, f.outputs, f.by, directions)));
}

} // namespace dyad
