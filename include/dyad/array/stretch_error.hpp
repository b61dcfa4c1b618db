// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What is said of an axis that has size 1 only at run time and counts as it is in one place, but stretches in another.
#pragma once

#include <string>

#include <dyad/array/run_time_shape.hpp>

namespace dyad {

[[noreturn]] inline void refuse_stretch(const std::string& where) {
    throw shape_error("[dyad] " + where + ": an axis that has size 1 only at run time stretches in one place and is reduced, cut, "
                      "multiplied or returned in another; stretch it first, with broadcast_like, or give the array fewer axes; of expressions, and in functions "
                      "that capture, name the axis of keep_dims or expand_dims as a constant, 1_c");
}
/// `operation` takes an array as it is, which elsewhere has its full shape.
[[noreturn]] inline void refuse_stretch(const char* operation, const run_time_shape& now, const run_time_shape& full) {
    refuse_stretch(std::string(operation) + ": Incompatible shapes: " + text_of(now) + " vs. " + text_of(full));
}

} // namespace dyad
