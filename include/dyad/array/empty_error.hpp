// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What is said where there is nothing to choose an extremum, or its position, from.
#pragma once

#include <string>

#include <dyad/array/function_name.hpp>
#include <dyad/array/run_time_shape.hpp>

namespace dyad {

/// `axes`: along which the operand has no elements, as a mask from the last.
[[noreturn]] inline void refuse_empty(const char* function, const run_time_shape& operand, unsigned axes) {
    std::string t;
    for (unsigned k = operand.rank; k-- > 0;) {
        if ((axes >> k & 1) != 0 && operand.size[k] == 0) t += (t.empty() ? "" : ", ") + std::to_string(operand.rank - 1 - k);
    }
    throw value_error("[dyad] " + std::string(function) + ": no elements along axis " + t + " of " + text_of(operand));
}

} // namespace dyad
