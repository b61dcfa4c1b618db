// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Eight small problems of all three levels of difficulty, so that the example runs without any
// file.
#pragma once

#include <vector>

#include "problem.hpp"

namespace nist {

const std::vector<problem>& built_in_problems();

} // namespace nist
