// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// An array from a file, compressed or not, whose first bytes say whether it is NPY or IDX.
#pragma once

#include <filesystem>

#include "number_array.hpp"

namespace data_files {

number_array read_array_file(const std::filesystem::path& path);

} // namespace data_files
