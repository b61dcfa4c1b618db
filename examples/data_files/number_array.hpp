// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the binary readers hand over: numbers of any stored type as doubles, in row-major order.
#pragma once

#include <cstddef>
#include <vector>

namespace data_files {

struct number_array {
    std::vector<std::size_t> shape; // empty: one number
    std::vector<double> values;
};

} // namespace data_files
