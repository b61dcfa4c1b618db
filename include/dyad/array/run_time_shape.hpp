// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Shapes as they are at run time, whatever the rank: to compare and to name in messages.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>

#include <dyad/array/reference.hpp>
#include <dyad/base/error.hpp>
#include <dyad/base/list.hpp>
#include <dyad/base/unpack.hpp>

namespace dyad {

/// Sizes, axis 0 being the last; those beyond the rank are 0.
struct run_time_shape {
    unsigned rank = 0;
    std::size_t size[max_rank] = {};
    friend bool operator==(const run_time_shape&, const run_time_shape&) = default;
};

/// "[2,3]"
inline std::string text_of(const run_time_shape& s) {
    std::string t = "[";
    for (unsigned k = s.rank; k-- > 0;) t += std::to_string(s.size[k]) + (k > 0 ? "," : "");
    return t + "]";
}

/// Of so many sizes, axis 0 being the last.
inline run_time_shape shape_of_sizes(unsigned rank, const std::size_t* size) {
    run_time_shape s{rank, {}};
    for (unsigned k = 0; k < rank; ++k) s.size[k] = size[k];
    return s;
}
/// Of an array's reference; a number has no axes.
template <class X>
run_time_shape shape_at_run_time([[maybe_unused]] const X& x) {
    if constexpr (referenced<X>) {
        return shape_of_sizes(X::rank, x.size);
    } else {
        return {};
    }
}
/// Refuses what the body of a loop makes of a value if it has another shape.
inline void check_next_shape(const run_time_shape& before, const run_time_shape& after) {
    bool same = true, stretches = true;
    for (unsigned k = 0; k < before.rank; ++k) {
        const std::size_t x = before.size[k], y = after.size[k];
        same = same && x == y;
        stretches = stretches && (x == y || x == 1 || y == 1);
    }
    if (same) return;
    const std::string message = "[dyad] loop: the body changes a shape: Incompatible shapes: " + text_of(before) + " vs. " + text_of(after);
    throw shape_error(stretches ? message + "; what has size 1 and stretches in the body, stretch before the loop, with broadcast_like" : message);
}
[[noreturn]] inline void refuse_arms(const run_time_shape& a, const run_time_shape& b) {
    throw shape_error("[dyad] cond: the two functions give results of different shapes: " + text_of(a) + " vs. " + text_of(b));
}

/// Of all references and numbers in a tuple.
template <class... X>
list<run_time_shape> shapes_at_run_time(const std::tuple<X...>& flat) {
    return unpack([](const auto&... x) { return list<run_time_shape>{shape_at_run_time(x)...}; }, flat);
}

} // namespace dyad
