// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The ko file compiles.
// verdict: compiles
// expect: \[canary\] sings

int main() {}
