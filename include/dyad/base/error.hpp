// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the library throws. Texts name the operation, the operands and the numbers.
#pragma once

#include <stdexcept>

#include <dyad/base/config.hpp>

namespace dyad {

/// The base of all errors that dyad throws.
struct DYAD_SHARED error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Shapes or ranks that do not fit together.
struct DYAD_SHARED shape_error : error {
    using error::error;
};

/// An index or an axis out of its range.
struct DYAD_SHARED index_error : error {
    using error::error;
};

/// A use of a tape that its state forbids.
struct DYAD_SHARED tape_error : error {
    using error::error;
};

/// A failure of a device, or operands in different places.
struct DYAD_SHARED device_error : error {
    using error::error;
};

/// A value that an operation cannot take.
struct DYAD_SHARED value_error : error {
    using error::error;
};

} // namespace dyad
