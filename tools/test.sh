#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Builds and runs the tests; on Debian it first installs what is missing.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/packages.sh
. "$root/tools/packages.sh"

usage() {
    cat <<'TEXT'
tools/test.sh [options] [-- ctest options]
  --compiler CXX     the compiler (g++)
  --opt N            its optimisation level (1)
  --slow             the slow tests too
  --asan             with address and undefined-behaviour sanitizers; best with clang++-19
  --without-arrays   the core only: half the time
  --single-include   the core's tests on single_include/dyad/core.hpp
Each combination keeps its own folder under build/.
TEXT
}

compiler=g++ opt=1 slow=OFF asan=OFF single=OFF examples=ON arrays=ON
while [ $# -gt 0 ]; do
    case $1 in
    --compiler | --opt)
        [ $# -ge 2 ] || { usage >&2; exit 2; }
        if [ "$1" = --opt ]; then opt=$2; else compiler=$2; fi
        shift
        ;;
    --slow) slow=ON ;;
    --asan) asan=ON examples=OFF ;;
    --without-arrays) arrays=OFF examples=OFF ;;
    --single-include) single=ON examples=OFF ;;
    -h | --help) usage && exit ;;
    --) shift && break ;;
    *) usage >&2 && exit 2 ;;
    esac
    shift
done

need "$compiler" cmake ninja python3 doctest/doctest.h xsimd/xsimd.hpp xtensor/xtensor.hpp cblas.h lapacke.h \
    boost/multiprecision/cpp_bin_float.hpp Eigen/Core
[ $asan = OFF ] || need_sanitizers "$compiler"

build="$root/build/test-$(basename "$compiler")-O$opt"
[ $asan = OFF ] || build+=-asan
[ $single = OFF ] || build+=-single
: "${CMAKE_BUILD_PARALLEL_LEVEL:=$(getconf _NPROCESSORS_ONLN)}"
export CMAKE_BUILD_PARALLEL_LEVEL

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE= \
    -DCMAKE_CXX_FLAGS="-O$opt ${CXXFLAGS:-}" -DCMAKE_PROJECT_dyad_INCLUDE="$root/cmake/ccache.cmake" \
    -DDYAD_EXAMPLES=$examples -DDYAD_SLOW_TESTS=$slow -DDYAD_SANITIZE=$asan -DDYAD_SINGLE_INCLUDE=$single \
    -DDYAD_ARRAY_TESTS=$arrays
cmake --build "$build"
ctest --test-dir "$build" --output-on-failure --no-tests=error "$@"
