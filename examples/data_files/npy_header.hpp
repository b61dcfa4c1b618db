// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The dictionary at the head of an .npy file, such as
// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace data_files {

struct npy_header {
    std::string descr;
    bool fortran_order;
    std::vector<std::size_t> shape;
};

/// `file` is the name for messages.
npy_header read_npy_header(std::string_view dictionary, const std::string& file);

} // namespace data_files
