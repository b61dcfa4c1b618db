// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/core.hpp>

template <class T>
struct place {
    std::array<T, 3> at;
    constexpr const T& operator[](std::size_t k) const { return at[k]; }
};

double slope() {
    return dyad::grad([](auto p) { return p[0] * p[1]; })(place<double>{{3, 4, 5}})[0];
}
