// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

// The ko file fails for another reason than the expected one.
// verdict: text
// expect: \[canary\] sings

int main() {
    return undeclared;
}
