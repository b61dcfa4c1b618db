// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Reads an .npy file of NumPy (versions 1 to 3): the magic string, a dictionary in Python's
// notation that says type, order and shape, the numbers. Booleans, whole numbers and reals of
// either byte order and any order of axes are fine; objects and records are not.
#pragma once

#include <string>
#include <string_view>

#include "number_array.hpp"

namespace data_files {

bool is_npy(std::string_view bytes);

/// `file` is the name for messages.
number_array read_npy(std::string_view bytes, const std::string& file);

} // namespace data_files
