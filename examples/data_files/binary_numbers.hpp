// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Numbers as they lie in a binary file: whole or real, signed or not, of 1 to 8 bytes, in either
// byte order. The IDX and the NPY reader decode their payloads here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace data_files {

struct number_format {
    enum kind { whole, natural, real };
    kind kind;
    std::size_t size; // in bytes
    bool big_endian;
};

/// The natural number in `bytes`, at most 8.
unsigned long long natural_number(std::string_view bytes, bool big_endian);

/// What a shape promises must be all that is left in the file; `file` is the name for messages.
std::vector<double> decode(std::string_view payload, const std::vector<std::size_t>& shape,
                           number_format format, const std::string& file);

/// [2,3]
std::string text_of(const std::vector<std::size_t>& shape);

} // namespace data_files
