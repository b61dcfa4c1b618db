// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The ok twin does not compile either.
// verdict: twin
// expect: \[canary\] sings

static_assert(sizeof(int) == 0, "[canary] sings");
