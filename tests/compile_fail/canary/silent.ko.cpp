// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The ko file expects nothing, so any failure would do.
// verdict: silent

static_assert(sizeof(int) == 0, "[canary] sings");
