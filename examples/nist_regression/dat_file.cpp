// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Finds the parts, checks them against each other and against the model, and puts them together.
// The degrees of freedom stay unread: the official Rat43 states 9 for 15 observations and 4
// parameters.
#include "dat_file.hpp"

#include <fstream>
#include <string_view>

#include "models.hpp"

namespace nist {
namespace {

const model& named_model(const numbered_lines& lines) {
    const labelled_line line = lines.find("Dataset Name:", {1, lines.count(), lines.count()});
    const std::string_view name = line.rest.substr(0, line.rest.find_first_of(" \t"));
    const model* const found = find_model(name);
    if (!found) lines.fail(line.number, "unknown dataset \"", name, '"');
    return *found;
}

std::string difficulty(const numbered_lines& lines) {
    for (std::size_t i = 1; i <= lines.count(); ++i)
        for (std::string level : {"Lower", "Average", "Higher"})
            if (lines[i] == level + " Level of Difficulty") return level;
    lines.fail(lines.count(), "no line \"(Lower|Average|Higher) Level of Difficulty\" in the file");
}

// b1 = start 1, start 2, certified value, standard deviation; then b2, and so on.
void read_parameters(const numbered_lines& lines, const model& of, problem& into) {
    const line_range range = lines.find_range("Starting Values");
    if (range.size() != of.parameters)
        lines.fail(range.stated_in, range.size(), " lines of starting values, but ", of.name,
                   " has ", of.parameters, " parameters");
    for (std::size_t i = 0; i < of.parameters; ++i) {
        const std::size_t number = range.first + i;
        const std::string name = 'b' + std::to_string(i + 1);
        const std::string_view line = lines[number];
        const std::size_t equals = line.find('=');
        if (equals == line.npos || trim(line.substr(0, equals)) != name)
            lines.fail(number, "expected \"", name, " = ...\"");
        const auto values = lines.numbers(number, line.substr(equals + 1), 4);
        into.starts[0].push_back(values[0]);
        into.starts[1].push_back(values[1]);
        into.certified.push_back(values[2]);
    }
}

void read_observations(const numbered_lines& lines, labelled_line count, problem& into) {
    const line_range range = lines.find_range("Data");
    if (lines.numbers(count.number, count.rest, 1)[0] != static_cast<double>(range.size()))
        lines.fail(count.number, count.rest, " observations, but line ", range.stated_in,
                   " gives the data ", range.size(), " lines");
    for (std::size_t i = range.first; i <= range.last; ++i)
        for (const double value : lines.numbers(i, lines[i], 1 + into.predictors))
            into.observations.push_back(value);
    for (std::size_t i = range.last + 1; i <= lines.count(); ++i)
        if (!lines[i].empty()) lines.fail(i, "text after the data, which end in line ", range.last);
}

} // namespace

problem read_dat(std::istream& in, const std::string& file) {
    const numbered_lines lines(in, file);
    const model& of = named_model(lines);
    problem result;
    result.name = of.name;
    result.level = difficulty(lines);
    result.predictors = of.predictors;
    read_parameters(lines, of, result);

    const line_range certified = lines.find_range("Certified Values");
    const labelled_line sum = lines.find("Residual Sum of Squares:", certified);
    result.certified_residual_sum = lines.numbers(sum.number, sum.rest, 1)[0];
    read_observations(lines, lines.find("Number of Observations:", certified), result);
    return result;
}

problem read_dat_file(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) throw input_error(file.string() + ": cannot be opened");
    return read_dat(in, file.string());
}

} // namespace nist
