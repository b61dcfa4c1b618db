#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# The tests of what runs on several threads, under the thread sanitizer: tools/check_threads.sh [COMPILER]
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/packages.sh
. tools/packages.sh
compiler=${1:-clang++-19}
need "$compiler" doctest/doctest.h
need_sanitizers "$compiler"

build=build/threads-$(basename "$compiler")
mkdir -p "$build"
"$compiler" -std=c++20 -O1 -g -fsanitize=thread -Iinclude -Itests tests/main.cpp tests/kernel/threads.test.cpp tests/tape/threads.test.cpp \
    -pthread -o "$build/tests"
TSAN_OPTIONS=halt_on_error=1 "$build/tests"
