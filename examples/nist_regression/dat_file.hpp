// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Reads an official NIST StRD .dat file. Its header says in which lines the starts, the certified
// values and the data stand; that must fit what stands there, and fit the model of that name.
// CRLF line ends and blanks at the end of a line are fine; anything else amiss is an input_error.
#pragma once

#include <filesystem>
#include <istream>
#include <string>

#include "numbered_lines.hpp"
#include "problem.hpp"

namespace nist {

/// `file` is the name for messages.
problem read_dat(std::istream& in, const std::string& file);

problem read_dat_file(const std::filesystem::path& file);

} // namespace nist
