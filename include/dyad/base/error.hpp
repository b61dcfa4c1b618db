// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the library throws. Texts name the operation, the operands and the numbers.
#pragma once

#include <stdexcept>

namespace dyad {

/// The base of all errors that dyad throws.
struct error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Shapes or ranks that do not fit together.
struct shape_error : error {
    using error::error;
};

/// An index or an axis out of its range.
struct index_error : error {
    using error::error;
};

/// A use of a tape that its state forbids.
struct tape_error : error {
    using error::error;
};

/// A failure of a device, or operands in different places.
struct device_error : error {
    using error::error;
};

/// A value that an operation cannot take.
struct value_error : error {
    using error::error;
};

} // namespace dyad
