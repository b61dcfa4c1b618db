// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Reads an IDX file, the format of MNIST: two zero bytes, the type of the numbers, the number of
// axes, their sizes (big-endian, four bytes each), the numbers. Any of the six types is fine.
#pragma once

#include <string>
#include <string_view>

#include "number_array.hpp"

namespace data_files {

/// `file` is the name for messages.
number_array read_idx(std::string_view bytes, const std::string& file);

} // namespace data_files
