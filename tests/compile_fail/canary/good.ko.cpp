// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// Nothing is wrong here: the harness must not cry wolf.
// verdict: good
// expect: \[canary\] sings

static_assert(sizeof(int) == 0, "[canary] sings");
