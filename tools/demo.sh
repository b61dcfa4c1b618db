#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Builds a few examples and runs them; on Debian it first installs what is missing. One of them is about arrays and is
# left out where their libraries are not there. tools/demo.sh [COMPILER]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/packages.sh
. "$root/tools/packages.sh"

compiler=${1:-g++}
need "$compiler" cmake ninja Eigen/Core

examples=(quickstart nist_regression eager_programs adaptive_ode kepler_orbit model_tree)
arrays=(logistic_regression)
for header in xsimd/xsimd.hpp xtensor/xtensor.hpp cblas.h lapacke.h; do
    if ! has "$compiler" "$header"; then
        echo "logistic_regression is left out: there is no $header (Debian: $(package_of "$header"))"
        arrays=()
        break
    fi
done
examples+=("${arrays[@]}")

build="$root/build/demo-$(basename "$compiler")"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_RUNTIME_OUTPUT_DIRECTORY="$build/bin" -DCMAKE_PROJECT_dyad_INCLUDE="$root/cmake/ccache.cmake" \
    -DDYAD_TESTS=OFF -DDYAD_EXAMPLES=ON
cmake --build "$build" --target "${examples[@]}"

for example in "${examples[@]}"; do
    printf '\n== %s\n' "$example"
    "$build/bin/$example"
done
