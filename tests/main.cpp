// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
