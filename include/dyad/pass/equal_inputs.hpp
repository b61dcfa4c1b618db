// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which axes of a function's arguments must be of one size, whatever a derivative of it still needs of them.
#pragma once

#include <dyad/pass/dimensions.hpp>

namespace dyad {

/// Axes of inputs whose sizes are one size to the function: a derivative that needs no value must still see that they fit.
struct equal_axes {
    std::uint32_t first = 0, second = 0; ///< inputs
    unsigned first_axis = 0, second_axis = 0;
};
template <std::size_t N>
struct equal_axes_list {
    equal_axes at[N + 1] = {};
};
template <class Function>
struct equal_inputs {
    static constexpr list<equal_axes> find() {
        const dimensions d(Function::graph);
        list<equal_axes> found;
        for (std::size_t k = 0; k < d.rules.size(); ++k) {
            const dimension_rule mine = d.rules[k], theirs = d.rules[d.root(static_cast<dimension>(k))];
            const bool both = mine.kind == dimension_rule::argument && theirs.kind == dimension_rule::argument;
            if (both && (mine.a != theirs.a || mine.b != theirs.b)) found.push_back({theirs.a, mine.a, theirs.b, mine.b});
        }
        return found;
    }
    static constexpr std::size_t count = find().size();
    static constexpr equal_axes_list<count> list_of = [] {
        equal_axes_list<count> result;
        const list<equal_axes> found = find();
        for (std::size_t k = 0; k != count; ++k) result.at[k] = found[k];
        return result;
    }();
};

} // namespace dyad
