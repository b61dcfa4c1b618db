#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# dyad without a build system: plain/build.sh COMPILER OUTPUT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
"$1" -std=c++20 -I"$here/../../../include" "$here/../main.cpp" "$here/../other.cpp" -o "$2"
# Where null pointers are looked for, g++ takes fewer comparisons for constant: graphs must be made without them.
"$1" -std=c++20 -fsanitize=undefined -fsyntax-only -I"$here/../../../include" "$here/../main.cpp"
