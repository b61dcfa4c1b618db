// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors

int main() {}
