// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// One line at a time: fields, then what they mean. The first line decides what the others must be.
#include "csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "input_error.hpp"

namespace data_files {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

template <class Number>
std::optional<Number> whole_field(std::string_view field) {
    Number value{};
    const char* const end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
}

std::optional<double> finite_number(std::string_view field) {
    const auto value = whole_field<double>(field);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

// What stands for a number that is missing or not finite. (Some of it could name a column, but not all columns.)
bool stands_for_number(std::string_view field) {
    constexpr std::string_view missing[] = {"", "NA", "N/A", "NULL", "null", "None"};
    return whole_field<double>(field) || std::ranges::find(missing, field) != std::end(missing);
}

class csv_reader {
public:
    csv_reader(std::istream& in, const std::string& file) : in_(in) { result_.file = file; }

    table run() {
        for (std::string line; std::getline(in_, line);) {
            std::string_view text = line;
            if (++line_ == 1 && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
            if (trim(text).empty()) continue;
            const std::vector<std::string_view> fields = split(text);
            if (first_) {
                first_ = false;
                if (header(fields)) continue;
            }
            row(fields);
        }
        if (in_.bad()) reject(result_.file, "cannot be read");
        if (result_.rows() == 0) reject(result_.file, "no row of numbers in the file");
        if (promised_rows_ && *promised_rows_ != result_.rows())
            fail("the first line promises ", *promised_rows_, " rows, and the file has ",
                 result_.rows());
        return std::move(result_);
    }

private:
    template <class... Parts>
    [[noreturn]] void fail(const Parts&... reason) const {
        reject_line(result_.file, line_, reason...);
    }

    // A field in quotes may have commas in it.
    [[nodiscard]] std::vector<std::string_view> split(std::string_view line) const {
        std::vector<std::string_view> fields;
        for (;;) {
            line = trim(line);
            std::size_t comma = line.find(',');
            if (line.starts_with('"')) {
                const std::size_t quote = line.find('"', 1);
                if (quote == line.npos) fail("a quoted field does not end");
                comma = line.find(',', quote);
                if (!trim(line.substr(quote + 1, comma - quote - 1)).empty())
                    fail("text after a quoted field");
                fields.push_back(line.substr(1, quote - 1));
            } else {
                fields.push_back(trim(line.substr(0, comma)));
            }
            if (comma == line.npos) return fields;
            line.remove_prefix(comma + 1);
        }
    }

    // Whether the first line is one.
    bool header(const std::vector<std::string_view>& fields) {
        std::size_t numbers = 0;
        for (const std::string_view field : fields) numbers += finite_number(field).has_value();
        if (numbers == fields.size() || std::ranges::all_of(fields, stands_for_number)) return false;
        if (numbers == 0) {
            result_.names.assign(fields.begin(), fields.end());
            result_.columns = fields.size();
            return true;
        }
        const auto rows = whole_field<std::size_t>(fields[0]);
        const auto features = fields.size() > 2 ? whole_field<std::size_t>(fields[1]) : rows;
        if (numbers != 2 || fields.size() < 3 || !rows || !features || *features + 1 == 0)
            fail("neither names, nor numbers, nor ROWS,FEATURES,CLASS,CLASS...");
        promised_rows_ = rows;
        result_.columns = *features + 1;
        result_.class_names.assign(fields.begin() + 2, fields.end());
        return true;
    }

    void row(const std::vector<std::string_view>& fields) {
        if (result_.columns == 0) result_.columns = fields.size();
        if (fields.size() != result_.columns)
            fail("expected ", result_.columns, " numbers, found ", fields.size());
        for (const std::string_view field : fields) {
            const auto value = finite_number(field);
            if (!value) fail('"', field, "\" is not a finite number");
            result_.values.push_back(*value);
        }
        result_.lines.push_back(line_);
    }

    std::istream& in_;
    table result_;
    std::size_t line_ = 0;
    bool first_ = true;
    std::optional<std::size_t> promised_rows_;
};

} // namespace

table read_csv(std::istream& in, const std::string& file) {
    return csv_reader(in, file).run();
}

table read_csv_file(const std::filesystem::path& path) {
    std::ifstream in(path);
    if (!in) reject(path.string(), "cannot be opened");
    return read_csv(in, path.string());
}

} // namespace data_files
