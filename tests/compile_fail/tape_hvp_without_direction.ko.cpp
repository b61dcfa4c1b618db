// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// expect: \[dyad\] tape_hvp: it takes a point and a direction

#include <dyad/tape.hpp>

double product() { return dyad::tape_hvp([](auto x) { return x * x; })(2.0); }
