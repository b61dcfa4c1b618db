// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Members that can be named one by one; std::array for an array of them.
// expect: \[dyad\] argument or result: its type is neither a number nor .* aggregate template

#include <dyad/core.hpp>

template <class T>
struct corners {
    T at[2];
};

double slope() {
    return dyad::grad([](auto c) { return c.at[0] * c.at[1]; })(corners<double>{{3, 4}}).at[0];
}
