// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How loops keep what they compute: stored, or accumulated. The rule of each accumulation, for numbers and vectors, on the
// host and on devices.
#pragma once

#include <cstdint>
#include <type_traits>

#include <dyad/op/piecewise.hpp>

namespace dyad {

/// How a loop treats one of its outputs.
enum class keeping : std::uint8_t { store, sum, product, largest, smallest };

constexpr keeping keeping_of(opcode reduction) {
    switch (reduction) {
    case opcode::reduce_sum: return keeping::sum;
    case opcode::reduce_prod: return keeping::product;
    case opcode::reduce_max: return keeping::largest;
    case opcode::reduce_min: return keeping::smallest;
    default: return keeping::store;
    }
}

/// What an accumulation begins with.
template <class T>
DYAD_FN constexpr T neutral(keeping how) {
    switch (how) {
    case keeping::product: return T(1);
    case keeping::largest: return -static_cast<T>(__builtin_huge_val());
    case keeping::smallest: return static_cast<T>(__builtin_huge_val());
    default: return T(0);
    }
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/// The larger or smaller of two floats, NaN if either is: one instruction, where comparing and choosing takes five.
template <keeping How>
__device__ inline float extremum(float a, float b) {
    float result;
    if constexpr (How == keeping::largest) {
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    } else {
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    }
    return result;
}
#endif
template <keeping How, class V>
DYAD_FN DYAD_INLINE V combined(V a, V b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<V, float> && (How == keeping::largest || How == keeping::smallest)) return extremum<How>(a, b);
#endif
    if constexpr (How == keeping::product) {
        return a * b;
    } else if constexpr (How == keeping::largest) {
        return operation<opcode::max>::value(a, b);
    } else if constexpr (How == keeping::smallest) {
        return operation<opcode::min>::value(a, b);
    } else {
        return operation<opcode::add>::contracted(a, b);
    }
}
/// The same where it is known as the program runs.
template <class V>
DYAD_INLINE V combined(keeping how, V a, V b) {
    switch (how) {
    case keeping::product: return combined<keeping::product>(a, b);
    case keeping::largest: return combined<keeping::largest>(a, b);
    case keeping::smallest: return combined<keeping::smallest>(a, b);
    default: return combined<keeping::sum>(a, b);
    }
}

} // namespace dyad
