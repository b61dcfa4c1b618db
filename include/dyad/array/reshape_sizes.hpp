// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The shape that a reshape gives, where it can.
#pragma once

#include <dyad/array/run_time_shape.hpp>
#include <dyad/base/error.hpp>
#include <dyad/graph/attribute.hpp>

namespace dyad {

/// What is left of x's elements, `have` of which are to fill axes of `wanted`; 1 where none is `inferred`.
inline std::size_t left_of(const run_time_shape& x, std::size_t have, std::size_t wanted, bool inferred) {
    if (inferred ? wanted == 0 || have % wanted != 0 : have != wanted)
        throw shape_error("[dyad] reshape: " + text_of(x) + " has " + std::to_string(have) + " elements, which do not fill a shape of " + std::to_string(wanted) + (inferred ? " by what is left (-1)" : ""));
    return inferred ? have / wanted : 1;
}

/// Of x, its first axes taken together and laid out anew; the elements must fill the sizes named, of which one may be what is left.
inline run_time_shape reshaped(const run_time_shape& x, std::uint64_t bits) {
    const reshape_ranks ranks = reshape_ranks_of(bits);
    std::size_t have = 1, wanted = 1;
    bool inferred = false;
    for (unsigned k = 0; k < ranks.from; ++k) have *= x.size[k];
    for (unsigned k = 0; k < ranks.to; ++k) {
        const std::uint64_t size = reshape_size(bits, k);
        if (size == inferred_size) inferred = true;
        if (size != inferred_size) wanted *= size;
    }
    const std::size_t left = left_of(x, have, wanted, inferred);
    run_time_shape r{x.rank - ranks.from + ranks.to, {}};
    for (unsigned k = 0; k < r.rank; ++k) {
        if (k >= ranks.to) r.size[k] = x.size[k - ranks.to + ranks.from];
        if (k < ranks.to) r.size[k] = reshape_size(bits, k) == inferred_size ? left : reshape_size(bits, k);
    }
    return r;
}

/// Of a fill_like: its sizes are numbers, those of axes of y and z, and what is left of z's elements.
inline run_time_shape filled_like(const run_time_shape& y, const run_time_shape& z, std::uint64_t bits) {
    run_time_shape r{reshape_ranks_of(bits).to, {}};
    std::size_t have = 1, wanted = 1;
    unsigned rest = max_rank;
    for (unsigned k = 0; k < z.rank; ++k) have *= z.size[k];
    for (unsigned k = 0; k < r.rank; ++k) {
        const std::uint64_t size = fill_size(bits, k);
        const borrowed_size from = decode_borrowed(size);
        if (size == inferred_size) {
            rest = k;
        } else {
            wanted *= r.size[k] = from.operand == 0 ? size : (from.operand == 1 ? y : z).size[from.axis];
        }
    }
    if (rest != max_rank) r.size[rest] = left_of(z, have, wanted, true);
    return r;
}

} // namespace dyad
