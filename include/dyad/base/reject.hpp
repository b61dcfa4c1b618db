// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// What the library's refusals share. Overloads that must not be called end in
// `DYAD_REJECT("...", {})` (config.hpp); templates that must not be instantiated use `static_assert(never<T>, "...")`. Every
// sentence reads `[dyad] where: what is wrong; what to do`.
#pragma once

#include <dyad/base/config.hpp>

namespace dyad {

/// False, but only once `T` is known: a `static_assert` on it fires at instantiation, not before.
template <class...>
inline constexpr bool never = false;

} // namespace dyad
