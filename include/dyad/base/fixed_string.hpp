// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// A string that can be a template argument, so that a variable's name is part of its type.
#pragma once

#include <cstddef>
#include <string_view>

namespace dyad {

/// `N` characters and a final zero: the literal in `var<"x">`.
template <std::size_t N>
struct fixed_string {
    char characters[N + 1] = {};

    constexpr fixed_string(const char (&literal)[N + 1]) {
        for (std::size_t i = 0; i != N; ++i) characters[i] = literal[i];
    }

    [[nodiscard]] constexpr std::string_view view() const { return {characters, N}; }
};

template <std::size_t N>
fixed_string(const char (&)[N]) -> fixed_string<N - 1>;

} // namespace dyad
