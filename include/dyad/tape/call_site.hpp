// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// Where in the user's program a statement stands.
#pragma once

namespace dyad {

/// A source location, as std::source_location, which clang 14 has not.
struct call_site {
    const char* file = "";
    unsigned line = 0;

    /// The place of the call, if it is a default argument.
    static constexpr call_site here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return {file, line};
    }
};

} // namespace dyad
