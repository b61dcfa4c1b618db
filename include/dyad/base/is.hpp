// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The comparison of enumerations.
#pragma once

/// is(a, b): a == b of an enumeration, written so wherever it is not asked for every node of a graph. Clang holds each `==` of
/// enumerations against all of its built-in operators, which takes ten times as long to compile as a call. (But a call takes
/// constant evaluation longer.) For each enumeration a function of its own, since a template would stand beside a user's own `is`.
#define DYAD_COMPARED(Enumeration)                                                                   \
    constexpr bool is(Enumeration a, Enumeration b) { return static_cast<int>(a) == static_cast<int>(b); }
