// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A text file as trimmed lines counted from 1, and the few ways in which a reader looks at them.
// Whatever is not as expected is an input_error that reads FILE:LINE: reason.
#pragma once

#include <cstddef>
#include <istream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nist {

struct input_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The lines first to last, and the line that says so.
struct line_range {
    std::size_t first;
    std::size_t last;
    std::size_t stated_in;

    [[nodiscard]] std::size_t size() const { return last - first + 1; }
};

/// A line that begins with some label, and what follows there.
struct labelled_line {
    std::size_t number;
    std::string_view rest;
};

class numbered_lines {
public:
    numbered_lines(std::istream& in, std::string file);

    [[nodiscard]] std::size_t count() const { return lines_.size(); }

    [[nodiscard]] std::string_view operator[](std::size_t number) const {
        return lines_[number - 1];
    }

    /// The first line of the range that begins with `label`.
    [[nodiscard]] labelled_line find(std::string_view label, line_range within) const;

    /// The range from a line `label (lines A to B)`; it lies inside the file.
    [[nodiscard]] line_range find_range(std::string_view label) const;

    /// `text`, which stands in line `number`, as exactly `expected` finite numbers.
    [[nodiscard]] std::vector<double> numbers(std::size_t number, std::string_view text,
                                              std::size_t expected) const;

    /// Throws an input_error about line `number`; its text is everything in `reason`, streamed.
    template <class... Parts>
    [[noreturn]] void fail(std::size_t number, const Parts&... reason) const {
        std::ostringstream text;
        text << file_ << ':' << number << ": ";
        (text << ... << reason);
        throw input_error(text.str());
    }

private:
    std::string file_;
    std::vector<std::string> lines_;
};

/// Without blanks, tabs and carriage returns at both ends.
std::string_view trim(std::string_view text);

} // namespace nist
