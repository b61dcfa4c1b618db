// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#include <dyad/tape.hpp>

double product() { return dyad::tape_hvp([](auto x) { return x * x; })(2.0, 1.0); }
