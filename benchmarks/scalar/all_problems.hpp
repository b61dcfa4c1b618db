// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// The five problems, timed for one value type by hand and by dyad.
#pragma once

#include "harness.hpp"
#include "problems/black_scholes.hpp"
#include "problems/log_sin_exp.hpp"
#include "problems/projection.hpp"
#include "problems/rosenbrock.hpp"
#include "problems/thermo.hpp"

namespace bench {

template <class T>
void compare_all(const char* variant) {
    compare<thermo, T, by_hand, by_dyad>(variant);
    compare<rosenbrock, T, by_hand, by_dyad>(variant);
    compare<projection, T, by_hand, by_dyad>(variant);
    compare<black_scholes, T, by_hand, by_hand_adjoint, by_dyad>(variant);
    compare<log_sin_exp, T, by_hand, by_dyad>(variant);
}

} // namespace bench
