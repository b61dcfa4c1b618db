// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A whole file as bytes. One that is compressed with gzip comes back unpacked, provided that the
// program was built with zlib (DATA_FILES_ZLIB); otherwise the error says what to do.
#pragma once

#include <filesystem>
#include <string>

namespace data_files {

std::string read_bytes(const std::filesystem::path& path);

/// `bytes` unpacked if they are a gzip file, else as they are; `file` is the name for messages.
std::string unpacked(std::string bytes, const std::string& file);

} // namespace data_files
