// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Names of files say little: MNIST's have no ending at all.
#include "array_file.hpp"

#include "bytes.hpp"
#include "idx.hpp"
#include "npy.hpp"

namespace data_files {

number_array read_array_file(const std::filesystem::path& path) {
    const std::string bytes = read_bytes(path);
    return is_npy(bytes) ? read_npy(bytes, path.string()) : read_idx(bytes, path.string());
}

} // namespace data_files
