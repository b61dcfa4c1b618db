// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Names of leaves that are no variables of the user's: of what functions with captured values run on.
#pragma once

#include <string_view>

namespace dyad {

/// What names of leaves begin with that are no variables of the user's.
namespace leaf_name {
inline constexpr char argument = '\1'; ///< an argument of a function that runs on expressions
inline constexpr char unknown = '\2';  ///< one without a value of its own: an element, what goes round a loop
constexpr bool is_unknown(std::string_view name) {
    return !name.empty() && name[0] == unknown;
}
constexpr bool is_argument(std::string_view name) {
    return is_unknown(name) || (!name.empty() && name[0] == argument);
}
} // namespace leaf_name

} // namespace dyad
