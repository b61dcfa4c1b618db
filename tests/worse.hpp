// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The largest of some differences. NaN is the worst of all, while std::max(worst, NaN) is `worst`.
#pragma once

#include <concepts>

namespace dyad_test {

template <std::floating_point T>
constexpr T worse(T a, T b) {
    return a != a || b <= a ? a : b;
}
template <std::floating_point T, std::same_as<T>... More>
constexpr T worse(T a, T b, T c, More... more) {
    return worse(worse(a, b), c, more...);
}

} // namespace dyad_test
