#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Builds two examples and runs them; on Debian it first installs what is missing. tools/demo.sh [COMPILER]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/packages.sh
. "$root/tools/packages.sh"

compiler=${1:-g++}
need "$compiler" cmake ninja Eigen/Core xsimd/xsimd.hpp xtensor/xtensor.hpp cblas.h lapacke.h

build="$root/build/demo-$(basename "$compiler")"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_RUNTIME_OUTPUT_DIRECTORY="$build/bin" -DCMAKE_PROJECT_dyad_INCLUDE="$root/cmake/ccache.cmake" \
    -DDYAD_TESTS=OFF -DDYAD_EXAMPLES=ON
cmake --build "$build" --target quickstart nist_regression

for example in quickstart nist_regression; do
    printf '\n== %s\n' "$example"
    "$build/bin/$example"
done
