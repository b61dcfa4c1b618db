// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Products and sums that the compiler may join across functions: x·y + z is rounded once where the processor has an instruction
// for that. g++ joins them by default; clang those of one expression alone, and the statements of a kernel are functions.
#pragma once

#include <dyad/base/config.hpp>

namespace dyad::math {

// Of xsimd's vectors on what the compiler knows as a vector: the operators of a class are functions that nothing is joined across.
#define DYAD_CONTRACTED(name, symbol)                                                                         \
    template <class T>                                                                                        \
    DYAD_FN DYAD_INLINE constexpr T contracted_##name(T x, T y) {                                             \
        DYAD_CONTRACT                                                                                         \
        if constexpr (DYAD_CONTRACTION && requires { typename T::register_type; T(x.data symbol y.data); }) { \
            return T(x.data symbol y.data);                                                                   \
        } else {                                                                                              \
            return x symbol y;                                                                                \
        }                                                                                                     \
    }
DYAD_CONTRACTED(add, +)
DYAD_CONTRACTED(sub, -)
DYAD_CONTRACTED(mul, *)
#undef DYAD_CONTRACTED

} // namespace dyad::math
