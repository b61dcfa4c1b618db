// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// How freely the passes may rewrite a program. docs/rewrites.md lists every rewrite with the policy it needs.
#pragma once

#include <dyad/base/config.hpp>

namespace dyad {

enum class policy {
    verbatim, ///< no rewriting at all: the operations as written, equal ones merged
    strict,   ///< only rewrites that keep every bit of an IEEE result, NaN payloads aside
    fast      ///< also those that may change the last bits, the sign of a zero, or a NaN that algebra avoids
};

/// The policy of functions that do not name one (`dyad::strict(f)` does).
#if defined(DYAD_STRICT)
inline constexpr policy default_policy = policy::strict;
#else
inline constexpr policy default_policy = policy::fast;
#endif

/// The policy of a function: its own, if it names one, else the default.
template <class F>
constexpr policy policy_of() {
    if constexpr (requires { F::rewriting; }) {
        return F::rewriting;
    } else {
        return default_policy;
    }
}

} // namespace dyad
