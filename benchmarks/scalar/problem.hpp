// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// What every problem file needs: the library under test, the shape of a result (as value_and_grad
// of one array gives it), the interval that an input is drawn from, and the elementary functions
// that hand code calls: unqualified, so that double finds the standard ones here and a vector finds
// its own by its namespace.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <dyad/core.hpp>

namespace bench {

struct interval {
    double low, high;
};

/// Named like the pair that dyad returns. An aggregate, because std::pair's constructor copies the
/// array as a block of memory, which g++ does not remove for vectors.
template <class T, std::size_t N>
struct gradient_of {
    T first;
    std::array<T, N> second;
};

using std::erf, std::exp, std::log, std::sqrt;

/// Sine and cosine together. Spelt out because clang merges the two calls only where errno is off;
/// with fast-math the two calls stay apart, because a loop around the merged one does not
/// vectorise.
inline std::pair<double, double> sincos(double x) {
#ifdef __FAST_MATH__
    return {std::sin(x), std::cos(x)};
#else
    double sine, cosine;
    ::sincos(x, &sine, &cosine);
    return {sine, cosine};
#endif
}

} // namespace bench
