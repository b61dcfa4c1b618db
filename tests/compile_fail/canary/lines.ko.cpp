// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The message is longer than allowed.
// verdict: lines
// expect: \[canary\] sings
// max-lines: 1

static_assert(sizeof(int) == 0, "[canary] sings");
static_assert(sizeof(int) == 0, "[canary] sings again");
