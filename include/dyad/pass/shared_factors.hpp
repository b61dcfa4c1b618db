// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which operations of a graph factorise the same matrix: solve and its cotangents, a determinant and its slope, the parts of an
// eigendecomposition. The first of them factorises it for all.
#pragma once

#include <cstddef>

#include <dyad/graph/attribute.hpp>
#include <dyad/graph/graph.hpp>

namespace dyad {

/// What a matrix becomes.
enum class factoring : std::uint8_t { none, lu, eigen, singular_values, orthogonal };

constexpr factoring factoring_of(const node& n) {
    switch (n.op) {
    case opcode::solve: return n.bits == 0 ? factoring::lu : factoring::none; // (else it is a triangle)
    case opcode::inverse:
    case opcode::logabsdet:
    case opcode::det: return factoring::lu;
    case opcode::eigh_values:
    case opcode::eigh_vectors: return factoring::eigen;
    case opcode::svd_u:
    case opcode::svd_s:
    case opcode::svd_v: return factoring::singular_values;
    case opcode::qr_q:
    case opcode::qr_r: return factoring::orthogonal;
    default: return factoring::none;
    }
}

/// The groups of such operations in a graph of `Size` nodes, each of two or more. Of single matrices: stacks are factorised one by one.
template <std::size_t Size>
struct shared_factors {
    static constexpr std::size_t none = ~std::size_t(0);

    std::size_t count = 0;
    std::size_t group[Size + 1] = {}; ///< by node, or none
    node_index matrix[Size + 1] = {}; ///< by node: what is factorised
    bool turned[Size + 1] = {};       ///< whether the operation is on its transpose

    constexpr explicit shared_factors(graph_view g) {
        for (node_index i = 0; i < Size; ++i) {
            group[i] = none;
            if (factoring_of(g[i]) == factoring::none || g[g[i].operand[0]].rank != 2) continue;
            matrix[i] = g[i].operand[0];
            for (; (g[i].is(opcode::solve) || g[i].is(opcode::det) || g[i].is(opcode::logabsdet)) && g[matrix[i]].is(opcode::transpose); turned[i] = !turned[i])
                matrix[i] = g[matrix[i]].operand[0];
            for (node_index j = 0; j < i && group[i] == none; ++j) {
                if (factoring_of(g[j]) != factoring_of(g[i]) || matrix[j] != matrix[i]) continue;
                if (group[j] == none) group[j] = count++;
                group[i] = group[j];
            }
        }
    }
};

} // namespace dyad
