#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Each header compiles alone, and twice in a row, without a warning: tools/check_headers.sh [COMPILER...]
# (In chains of which each header includes the one before it: tools/header_chains.py.)
# Those of devices on Thrust's sequential system, where Thrust is found.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- g++

# Included from standard input, because a compiler that is handed a header warns about its #pragma once.
# shellcheck disable=SC2317 # xargs calls it
check() {
    local compiler=$1
    shift
    printf '#include <%s>\n' "$@" "$@" |
        "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -Werror \
            -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP -isystem "${CUDA_HOME:-/usr/local/cuda}/include/cccl" \
            -Iinclude -isystem /usr/include/eigen3 -x c++ - || { echo "FAIL $compiler $*" && return 1; }
}
export -f check

cd "$root"
headers=$(find include -name '*.hpp' | LC_ALL=C sort | sed 's,^include/,,')
if ! printf '#include <thrust/version.h>\n' | "$1" -E -isystem "${CUDA_HOME:-/usr/local/cuda}/include/cccl" -x c++ - >/dev/null 2>&1; then
    echo "Thrust is not found: the devices' headers are left out"
    headers=$(grep -v -e '^dyad/device/' -e '^dyad/cuda\.hpp' -e '^dyad/api/device' <<<"$headers")
fi
[ -n "$headers" ] || { echo "no header found" && exit 1; }
status=0
for compiler in "$@"; do
    python3 tools/header_chains.py <<<"$headers" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I{} bash -c "check '$compiler' {}" || status=1
done
# Macros by the names of dyad's functions are named before they do harm; so are two copies of dyad.
# C's <complex.h> has a macro I in the GNU dialects, Windows' headers have near and far.
for header in core tape; do
    printf '#include <complex.h>\n#define near\n#define far\n#include <dyad/%s.hpp>\n' $header | "$1" -std=gnu++20 -fsyntax-only -Iinclude -x c++ - ||
        { echo "FAIL $1 $header.hpp after others' macros" && status=1; }
done
refuses() {
    local sentence=$1
    shift
    grep -q "$sentence" <<<"$("$@" -std=c++20 -fsyntax-only -Iinclude -x c++ - 2>&1)" || { echo "FAIL $*: it does not say \"$sentence\"" && return 1; }
}
refuses QT_NO_KEYWORDS "$1" -Demit= <<<'#include <dyad/core.hpp>' || status=1
refuses NOMINMAX "$1" <<<$'#include <cstddef>\n#define min(a, b) 0\n#include <dyad/base/config.hpp>' || status=1
refuses 'one of the two folders' "$1" <<<$'#include "single_include/dyad/core.hpp"\n#include <dyad/tape.hpp>' || status=1
refuses 'one of the two folders' "$1" <<<$'#include <dyad/tape.hpp>\n#include "single_include/dyad/core.hpp"' || status=1
echo "$(wc -l <<<"$headers") headers, compiled alone by $*: $([ $status = 0 ] && echo good || echo FAILED)"
exit $status
