#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Each header compiles alone, and twice in a row, without a warning: tools/check_headers.sh [COMPILER...]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- g++

# Included from standard input, because a compiler that is handed a header warns about its #pragma once.
# shellcheck disable=SC2317 # xargs calls it
check() {
    local compiler=$1 header=$2
    printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
        "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Wshadow -Werror \
            -Iinclude -x c++ - || { echo "FAIL $compiler $header" && return 1; }
}
export -f check

cd "$root"
headers=$(find include -name '*.hpp' | LC_ALL=C sort | sed 's,^include/,,')
[ -n "$headers" ] || { echo "no header found" && exit 1; }
status=0
for compiler in "$@"; do
    echo "$headers" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I{} bash -c "check '$compiler' '{}'" || status=1
done
echo "$(wc -l <<<"$headers") headers, compiled alone by $*: $([ $status = 0 ] && echo good || echo FAILED)"
exit $status
