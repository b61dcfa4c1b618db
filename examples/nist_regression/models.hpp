// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The models of all 27 NIST StRD nonlinear regression problems, by the problem's name.
#pragma once

#include <string_view>

#include "model.hpp"

namespace nist {

/// Null for a name that is not among the 27.
const model* find_model(std::string_view name);

} // namespace nist
