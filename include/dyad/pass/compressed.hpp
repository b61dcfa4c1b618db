// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The entries of a sparse Jacobian or Hessian, row by row, from one sweep for each colour: its direction is 1 for every
// input (output) of that colour. Patterns and colours come from sparsity.hpp and colouring.hpp.
#pragma once

#include <dyad/pass/colouring.hpp>
#include <dyad/pass/derive.hpp>

namespace dyad {

/// 1 for the nodes of a colour, structural zeros for the others.
constexpr list<node_index> colour_direction(builder& b, const list<node_index>& nodes, const colouring& colours, std::uint32_t colour) {
    list<node_index> direction(nodes.size(), no_node);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        if (colours.colour[k] == colour) direction[k] = b.constant(exact(1), b[nodes[k]].type);
    }
    return direction;
}

/// The entries that a pattern says, row by row: forward over colours of the columns.
template <class Rules = every_rule>
constexpr list<node_index> compressed_columns(builder& b, const list<node_index>& outputs, const list<node_index>& by,
                                              const bit_matrix& pattern, const colouring& colours) {
    list<node_index> result(pattern.count());
    for (std::uint32_t c = 0; c < colours.count; ++c) {
        list<node_index> wanted;
        list<std::size_t> places;
        std::size_t place = 0;
        for (std::size_t i = 0; i < pattern.rows(); ++i) {
            pattern.each(i, [&](std::size_t j) {
                if (colours.colour[j] == c) {
                    wanted.push_back(outputs[i]);
                    places.push_back(place);
                }
                ++place;
            });
        }
        if (wanted.empty()) continue;
        const list<node_index> line = pushforward<Rules>(b, wanted, by, colour_direction(b, by, colours, c));
        for (std::size_t k = 0; k < line.size(); ++k) result[places[k]] = line[k];
    }
    return result;
}

/// The same, in reverse over colours of the rows.
template <class Rules = every_rule>
constexpr list<node_index> compressed_rows(builder& b, const list<node_index>& outputs, const list<node_index>& by,
                                           const bit_matrix& pattern, const colouring& colours) {
    list<node_index> result(pattern.count());
    for (std::uint32_t c = 0; c < colours.count; ++c) {
        list<node_index> same, seeds;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (colours.colour[i] != c) continue;
            same.push_back(outputs[i]);
            seeds.push_back(b.constant(exact(1), b[outputs[i]].type));
        }
        const list<node_index> line = pullback<Rules>(b, same, seeds, by);
        std::size_t place = 0;
        for (std::size_t i = 0; i < pattern.rows(); ++i) {
            pattern.each(i, [&](std::size_t j) {
                if (colours.colour[i] == c) result[place] = line[j];
                ++place;
            });
        }
    }
    return result;
}

/// Which rows, and of them which entries, a sweep over the columns of each colour gives: of a symmetric matrix each entry,
/// or the one across the diagonal, but not both.
constexpr bit_matrix recovered(const bit_matrix& pattern, const colouring& colours) {
    const std::size_t n = pattern.rows();
    list<std::uint32_t> in_row(n * colours.count); // of each colour
    for (std::size_t i = 0; i < n; ++i) pattern.each(i, [&](std::size_t j) { ++in_row[i * colours.count + colours.colour[j]]; });
    bit_matrix result(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        pattern.each(i, [&](std::size_t j) {
            if (j < i) return;
            const bool alone = in_row[i * colours.count + colours.colour[j]] == 1;
            result.set(alone ? i : j, alone ? j : i);
        });
    }
    return result;
}

/// The entries of a Hessian, row by row, from the gradient: forward over colours of a star colouring.
template <class Rules = every_rule>
constexpr list<node_index> compressed_symmetric(builder& b, const list<node_index>& gradient, const list<node_index>& by,
                                                const bit_matrix& pattern, const colouring& colours) {
    const bit_matrix half = recovered(pattern, colours);
    const list<node_index> known = compressed_columns<Rules>(b, gradient, by, half, colours);
    list<std::size_t> place(half.rows() + 1); // of each row's first
    for (std::size_t i = 0; i < half.rows(); ++i) {
        place[i + 1] = place[i];
        half.each(i, [&](std::size_t) { ++place[i + 1]; });
    }
    const auto entry = [&](std::size_t i, std::size_t j) {
        std::size_t k = place[i];
        half.each(i, [&](std::size_t other) { k += other < j ? 1 : 0; });
        return known[k];
    };
    list<node_index> result;
    for (std::size_t i = 0; i < pattern.rows(); ++i) {
        pattern.each(i, [&](std::size_t j) { result.push_back(half.test(i, j) ? entry(i, j) : entry(j, i)); });
    }
    return result;
}

/// How the entries of a matrix of derivatives are computed.
enum class compression { columns, rows, symmetric };

/// The pass on a whole graph: its outputs are the entries of the Jacobian that the pattern says, row by row. `by` are numbers
/// of inputs. Of a gradient the Jacobian is symmetric.
template <class Rules = every_rule>
constexpr graph compressed(graph_view g, compression how, const list<std::uint32_t>& by, const bit_matrix& pattern,
                           const colouring& colours, policy p = default_policy, region_rules_pointer regions = {}) {
    builder b(rewriter_of(p), 4 * g.size);
    b.regions = regions;
    const list<node_index> outputs = b.append(g, true);
    list<element> types(g.input_count, element::float64);
    for (std::size_t i = 0; i < g.size; ++i) {
        if (g[i].is(opcode::input)) types[g[i].bits] = g[i].type;
    }
    list<node_index> inputs;
    for (const std::uint32_t k : by) inputs.push_back(b.input(k, types[k]));
    switch (how) {
    case compression::columns: return b.finish(compressed_columns<Rules>(b, outputs, inputs, pattern, colours));
    case compression::rows: return b.finish(compressed_rows<Rules>(b, outputs, inputs, pattern, colours));
    default: return b.finish(compressed_symmetric<Rules>(b, outputs, inputs, pattern, colours));
    }
}

} // namespace dyad
