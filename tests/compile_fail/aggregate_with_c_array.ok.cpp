// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

template <class T>
struct corners {
    std::array<T, 2> at;
};

double slope() {
    return dyad::grad([](auto c) { return c.at[0] * c.at[1]; })(corners<double>{{3, 4}}).at[0];
}
