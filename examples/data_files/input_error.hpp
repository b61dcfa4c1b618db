// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What every reader of this folder throws: the name of the file, the line where there are lines,
// and the reason.
#pragma once

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>

namespace data_files {

struct input_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws FILE: reason; its text is everything in `reason`, streamed.
template <class... Parts>
[[noreturn]] void reject(const std::string& file, const Parts&... reason) {
    std::ostringstream text;
    text << file << ": ";
    (text << ... << reason);
    throw input_error(text.str());
}

/// Throws FILE:LINE: reason.
template <class... Parts>
[[noreturn]] void reject_line(const std::string& file, std::size_t line, const Parts&... reason) {
    reject(file + ':' + std::to_string(line), reason...);
}

} // namespace data_files
