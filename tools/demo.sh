#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Builds a few examples and runs them; on Debian it first installs what is missing. Those that need Eigen or the arrays' libraries
# are left out where these are not there, as CMake says. tools/demo.sh [COMPILER]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/packages.sh
. "$root/tools/packages.sh"

compiler=${1:-g++}
need "$compiler" cmake ninja
(need "$compiler" Eigen/Core) || true # in a subshell, which it ends where it can install nothing

build="$root/build/demo-$(basename "$compiler")"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_RUNTIME_OUTPUT_DIRECTORY="$build/bin" -DCMAKE_PROJECT_dyad_INCLUDE="$root/cmake/ccache.cmake" \
    -DDYAD_TESTS=OFF -DDYAD_EXAMPLES=ON

targets=$(cmake --build "$build" --target help)
examples=()
for example in quickstart nist_regression eager_programs adaptive_ode kepler_orbit model_tree logistic_regression; do
    if grep -q "^$example:" <<<"$targets"; then examples+=("$example"); fi
done
cmake --build "$build" --target "${examples[@]}"

for example in "${examples[@]}"; do
    printf '\n== %s\n' "$example"
    "$build/bin/$example"
done
