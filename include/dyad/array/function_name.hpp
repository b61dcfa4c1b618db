// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What messages call an array operation: the function that its users know.
#pragma once

#include <dyad/graph/attribute.hpp>
#include <dyad/graph/node.hpp>

namespace dyad {

constexpr const char* function_name(const node& n) {
    switch (asked_of(n)) {
    case asked_as::dot: return "dot";
    case asked_as::matmul: return "matmul";
    case asked_as::tensordot: return "tensordot";
    case asked_as::stack: return "stack";
    case asked_as::broadcast_to: return "broadcast_to";
    case asked_as::softmax: return "softmax";
    case asked_as::log_softmax: return "log_softmax";
    case asked_as::logsumexp: return "logsumexp";
    default: break;
    }
    switch (n.op) {
    case opcode::reduce_sum: return "sum";
    case opcode::reduce_prod: return "prod";
    case opcode::reduce_max: return "max";
    case opcode::reduce_min: return "min";
    case opcode::arg_max: return "argmax";
    case opcode::arg_min: return "argmin";
    case opcode::concat: return "concatenate";
    case opcode::logabsdet: return "logdet";
    case opcode::eigh_values:
    case opcode::eigh_vectors: return "eigh";
    case opcode::svd_u:
    case opcode::svd_s:
    case opcode::svd_v: return "svd";
    case opcode::qr_q:
    case opcode::qr_r: return "qr";
    case opcode::pool: return decode_pool(n.bits).largest ? "max_pool" : "avg_pool";
    default: return facts(n.op).name;
    }
}

} // namespace dyad
