// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

static_assert(sizeof(int) == 0, "[canary] sings");
