// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The four bytes in front, the sizes, the numbers.
#include "idx.hpp"

#include "binary_numbers.hpp"
#include "input_error.hpp"

namespace data_files {
namespace {

number_format format_of(unsigned code, const std::string& file) {
    switch (code) {
    case 0x08:
        return {number_format::natural, 1, true};
    case 0x09:
        return {number_format::whole, 1, true};
    case 0x0b:
        return {number_format::whole, 2, true};
    case 0x0c:
        return {number_format::whole, 4, true};
    case 0x0d:
        return {number_format::real, 4, true};
    case 0x0e:
        return {number_format::real, 8, true};
    default:
        reject(file, "IDX has no type of number ", code);
    }
}

} // namespace

number_array read_idx(std::string_view bytes, const std::string& file) {
    if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
        reject(file, "not an IDX file: it does not begin with two zero bytes, a type and a rank");
    const number_format format = format_of(static_cast<unsigned char>(bytes[2]), file);
    const std::size_t rank = static_cast<unsigned char>(bytes[3]), begin = 4 + 4 * rank;
    if (rank == 0) reject(file, "an IDX file without axes");
    if (bytes.size() < begin) reject(file, "the file ends within the sizes of its ", rank, " axes");
    number_array result;
    for (std::size_t k = 0; k < rank; ++k)
        result.shape.push_back(natural_number(bytes.substr(4 + 4 * k, 4), true));
    result.values = decode(bytes.substr(begin), result.shape, format, file);
    return result;
}

} // namespace data_files
