// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Magic string, version, length of the header, header, numbers.
#include "npy.hpp"

#include "binary_numbers.hpp"
#include "input_error.hpp"
#include "npy_header.hpp"

namespace data_files {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

number_format format_of(const std::string& descr, const std::string& file) {
    const std::string_view order = "<>|", text = descr;
    if (text.size() == 3 && order.find(text[0]) != order.npos) {
        const auto kind_is = [&](char kind, std::string_view sizes) {
            return text[1] == kind && sizes.find(text[2]) != sizes.npos;
        };
        const auto size = static_cast<std::size_t>(text[2] - '0');
        const bool big = text[0] == '>';
        if (kind_is('b', "1") || kind_is('u', "1248")) return {number_format::natural, size, big};
        if (kind_is('i', "1248")) return {number_format::whole, size, big};
        if (kind_is('f', "48")) return {number_format::real, size, big};
    }
    reject(file, "the type \"", descr, "\" is not one of real or whole numbers");
}

// The same elements with the last axis running fastest, where it was the first.
std::vector<double> row_major(const std::vector<double>& values,
                              const std::vector<std::size_t>& shape) {
    std::vector<double> result;
    result.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::size_t rest = i, outer = values.size(), from = 0;
        for (std::size_t k = shape.size(); k-- > 0;) {
            outer /= shape[k];
            from += rest % shape[k] * outer;
            rest /= shape[k];
        }
        result.push_back(values[from]);
    }
    return result;
}

} // namespace

bool is_npy(std::string_view bytes) {
    return bytes.starts_with(magic);
}

number_array read_npy(std::string_view bytes, const std::string& file) {
    if (!is_npy(bytes)) reject(file, "not an NPY file: it does not begin with \\x93NUMPY");
    bytes.remove_prefix(magic.size());
    if (bytes.size() < 2) reject(file, "the file ends before its version");
    const int version = static_cast<unsigned char>(bytes[0]);
    if (version < 1 || version > 3) reject(file, "NPY version ", version, " is not known");
    bytes.remove_prefix(2);
    const std::size_t width = version == 1 ? 2 : 4;
    const std::size_t length = natural_number(bytes.substr(0, width), false);
    if (bytes.size() < width || bytes.size() - width < length)
        reject(file, "the file ends within its header");
    const npy_header header = read_npy_header(bytes.substr(width, length), file);
    const number_format format = format_of(header.descr, file);
    number_array result{header.shape,
                        decode(bytes.substr(width + length), header.shape, format, file)};
    if (header.fortran_order && header.shape.size() > 1)
        result.values = row_major(result.values, result.shape);
    return result;
}

} // namespace data_files
