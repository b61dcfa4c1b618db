// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
// The errors of factorisations, on the host and on devices: LAPACK's `info` comes in, a sentence goes out.
#pragma once

#include <string>

#include <dyad/base/error.hpp>

namespace dyad::routine {

[[noreturn]] inline void singular(const char* where, int info) {
    throw value_error(std::string("[dyad] ") + where + ": the matrix is singular (pivot " + std::to_string(info - 1) + " is 0)");
}
[[noreturn]] inline void indefinite(int info) {
    throw value_error("[dyad] cholesky: the matrix is not positive definite (leading minor " + std::to_string(info) + ")");
}
[[noreturn]] inline void unconverged(const char* where, int info) {
    throw value_error(std::string("[dyad] ") + where + ": LAPACK did not converge (info = " + std::to_string(info) + ")");
}

} // namespace dyad::routine
