// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The comparison of enumerations.
#pragma once

namespace dyad {

/// a == b, written so for enumerations wherever it is not asked for every node of a graph: clang holds each `==` of enumerations
/// against all of its built-in operators, which takes ten times as long to compile as a call. (But a call takes constant
/// evaluation longer.)
template <class Enumeration>
    requires(__is_enum(Enumeration))
constexpr bool is(Enumeration a, Enumeration b) {
    return static_cast<__underlying_type(Enumeration)>(a) == static_cast<__underlying_type(Enumeration)>(b);
}

} // namespace dyad
