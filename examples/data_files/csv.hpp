// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Reads a table of numbers between commas. The first line may be a row, the names of the columns,
// or what scikit-learn writes: the number of rows, that of features, the names of the classes.
// CRLF line ends, blanks around a field and empty lines are fine; anything else amiss is an
// input_error that reads FILE:LINE: reason.
#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <string>
#include <vector>

namespace data_files {

struct table {
    std::string file;                     // the name for messages
    std::vector<std::string> names;       // of the columns, or none
    std::vector<std::string> class_names; // from scikit-learn's first line, or none
    std::size_t columns = 0;
    std::vector<double> values;     // row by row
    std::vector<std::size_t> lines; // where each row stands, counted from 1

    [[nodiscard]] std::size_t rows() const { return lines.size(); }
    [[nodiscard]] double at(std::size_t row, std::size_t column) const {
        return values[row * columns + column];
    }
};

table read_csv(std::istream& in, const std::string& file);

table read_csv_file(const std::filesystem::path& path);

} // namespace data_files
