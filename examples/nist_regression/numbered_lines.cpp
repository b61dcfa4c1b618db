// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Text to lines, words and numbers; every failure names the line it is about.
#include "numbered_lines.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <utility>

namespace nist {
namespace {

constexpr std::string_view blanks = " \t\r";

bool is_finite_number(std::string_view word, double& value) {
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    return error == std::errc{} && stop == end && std::isfinite(value);
}

} // namespace

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

numbered_lines::numbered_lines(std::istream& in, std::string file) : file_(std::move(file)) {
    for (std::string line; std::getline(in, line);) lines_.emplace_back(trim(line));
    if (in.bad()) fail(count() + 1, "cannot be read");
    if (lines_.empty()) fail(1, "the file is empty");
}

labelled_line numbered_lines::find(std::string_view label, line_range within) const {
    for (std::size_t i = within.first; i <= within.last; ++i) {
        const std::string_view line = (*this)[i];
        if (line.starts_with(label)) return {i, trim(line.substr(label.size()))};
    }
    fail(within.stated_in, "no line from ", within.first, " to ", within.last, " begins with \"",
         label, '"');
}

line_range numbered_lines::find_range(std::string_view label) const {
    for (std::size_t i = 1; i <= count(); ++i) {
        const std::string_view line = (*this)[i];
        if (!line.starts_with(label)) continue;
        const std::string rest(trim(line.substr(label.size())));
        if (!rest.starts_with("(lines")) continue;
        line_range range{0, 0, i};
        int length = 0;
        if (std::sscanf(rest.c_str(), "(lines %9zu to %9zu )%n", &range.first, &range.last,
                        &length) != 2 ||
            length == 0 || range.first == 0 || range.last < range.first)
            fail(i, '"', rest, "\" is not a range of lines");
        if (range.last > count())
            fail(count(), "the file ends here, but line ", i, " promises \"", label, ' ', rest,
                 '"');
        return range;
    }
    fail(count(), "no line \"", label, " (lines A to B)\" in the file");
}

std::vector<double> numbered_lines::numbers(std::size_t number, std::string_view text,
                                            std::size_t expected) const {
    std::vector<double> values;
    for (text = trim(text); !text.empty();) {
        const std::string_view word = text.substr(0, text.find_first_of(blanks));
        if (!is_finite_number(word, values.emplace_back()))
            fail(number, '"', word, "\" is not a finite number");
        text = trim(text.substr(word.size()));
    }
    if (values.size() != expected)
        fail(number, "expected ", expected, " numbers, found ", values.size());
    return values;
}

} // namespace nist
