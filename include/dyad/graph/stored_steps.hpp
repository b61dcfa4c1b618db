// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Which of a loop's states its backward pass stores; it computes the others again from those. The choice travels in the
// upper half of a loop's attribute.
#pragma once

#include <cstdint>

#include <dyad/base/is.hpp>

namespace dyad {

enum class storing : std::uint8_t {
    values,      ///< what the adjoint needs of every round (pass/residuals.hpp)
    every,       ///< every `value`-th state, and those between two of them at a time
    square_root, ///< every k-th, k the square root of the number of rounds
    within       ///< as many states as `value` bytes hold, placed so that the fewest rounds are computed again
};
DYAD_COMPARED(storing)

struct stored_steps {
    storing kind = storing::values;
    std::uint64_t value = 0;

    /// As 32 bits: the kind, and the value rounded down to 24 significant ones.
    [[nodiscard]] constexpr std::uint64_t packed() const {
        std::uint64_t mantissa = value, exponent = 0;
        for (; mantissa >> 24 != 0; mantissa >>= 1) ++exponent;
        return std::uint64_t{static_cast<std::uint8_t>(kind)} << 30 | exponent << 24 | mantissa;
    }
    static constexpr stored_steps unpacked(std::uint64_t bits) {
        return {static_cast<storing>(bits >> 30 & 3), (bits & 0xffffff) << (bits >> 24 & 0x3f)};
    }
};

/// The same as a type, so that it means the same wherever a loop is recorded.
template <storing Kind, std::uint64_t Value = 0>
struct stored_steps_constant {
    static constexpr stored_steps value{Kind, Value};
};

} // namespace dyad
