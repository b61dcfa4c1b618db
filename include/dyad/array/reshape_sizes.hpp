// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The shape that a reshape gives, where it can.
#pragma once

#include <dyad/array/run_time_shape.hpp>
#include <dyad/base/error.hpp>
#include <dyad/graph/attribute.hpp>

namespace dyad {

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
    if (inferred ? wanted == 0 || have % wanted != 0 : have != wanted)
        throw shape_error("[dyad] reshape: " + text_of(x) + " has " + std::to_string(have) + " elements, which do not fill a shape of " + std::to_string(wanted) + (inferred ? " by what is left (-1)" : ""));
    run_time_shape r{x.rank - ranks.from + ranks.to, {}};
    for (unsigned k = 0; k < r.rank; ++k) {
        if (k >= ranks.to) r.size[k] = x.size[k - ranks.to + ranks.from];
        if (k < ranks.to) r.size[k] = reshape_size(bits, k) == inferred_size ? have / wanted : reshape_size(bits, k);
    }
    return r;
}

} // namespace dyad
