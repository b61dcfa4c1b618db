// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Sizes are compared before anything is allocated: a damaged header may promise more than there is
// memory.
#include "binary_numbers.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "input_error.hpp"

namespace data_files {
namespace {

static_assert(sizeof(float) == 4 && sizeof(double) == 8);

double number(std::string_view bytes, number_format format) {
    const std::uint64_t bits = natural_number(bytes, format.big_endian);
    if (format.kind == number_format::real) {
        if (format.size == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        return std::bit_cast<double>(bits);
    }
    if (format.kind == number_format::natural) return static_cast<double>(bits);
    const auto unused = static_cast<int>(64 - 8 * format.size);
    return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

// False if there is more than a file can hold.
bool multiply(std::size_t& product, std::size_t factor) {
    if (factor != 0 && product > SIZE_MAX / factor) return false;
    product *= factor;
    return true;
}

} // namespace

unsigned long long natural_number(std::string_view bytes, bool big_endian) {
    unsigned long long value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const char byte = big_endian ? bytes[i] : bytes[bytes.size() - 1 - i];
        value = value << 8 | static_cast<unsigned char>(byte);
    }
    return value;
}

std::vector<double> decode(std::string_view payload, const std::vector<std::size_t>& shape,
                           number_format format, const std::string& file) {
    std::size_t bytes = format.size;
    bool countable = true;
    for (const std::size_t size : shape) countable = countable && multiply(bytes, size);
    if (!countable) reject(file, "the shape ", text_of(shape), " is too large");
    if (payload.size() != bytes)
        reject(file, "the shape ", text_of(shape), " needs ", bytes, " bytes, and ", payload.size(),
               " follow");
    std::vector<double> values;
    values.reserve(bytes / format.size);
    for (std::size_t at = 0; at < bytes; at += format.size) {
        values.push_back(number(payload.substr(at, format.size), format));
        if (!std::isfinite(values.back()))
            reject(file, "element ", values.size() - 1, " is not a finite number");
    }
    return values;
}

std::string text_of(const std::vector<std::size_t>& shape) {
    std::string text = "[";
    for (const std::size_t size : shape) {
        if (text.size() > 1) text += ',';
        text += std::to_string(size);
    }
    return text + ']';
}

} // namespace data_files
