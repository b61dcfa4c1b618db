#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Compiles each tests/device/*.cu for the GPU, without needing one. Exit status 77: there is no nvcc or nothing to compile.
set -euo pipefail
cd "$(dirname "$0")/.."

sources=$(find tests/device -name '*.cu' 2>/dev/null | LC_ALL=C sort) || true
if ! command -v nvcc >/dev/null; then
    echo "nvcc is not installed"
    exit 77
elif [ -z "$sources" ]; then
    echo "tests/device holds no .cu file"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
for source in $sources; do
    # Relaxed: constexpr functions of the standard library (std::array, std::tuple) run on the device too.
    if nvcc -std=c++20 --expt-relaxed-constexpr -arch=sm_90 -Iinclude -c "$source" -o "$work/device.o"; then
        echo "ok   $source"
    else
        echo "FAIL $source"
        status=1
    fi
done
exit $status
