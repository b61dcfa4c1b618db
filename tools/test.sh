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
  --slow             the slow tests too: every operation in every way, thousands of random programs (best with clang++-19)
  --only-slow        those alone
  --asan             with address and undefined-behaviour sanitizers; best with clang++-19
  --arrays NAMES     of the ordinary tests of arrays those alone, as in --arrays 'rows memory' (whose counters rows takes)
  --without-arrays   neither arrays nor devices: a third of the time
  --single-include   tests/graph, trace and api on single_include/dyad/core.hpp, the others as ever
  --libraries DIR    with xtensor, xtl and xsimd of DIR/include, not those of the system; exit status 77 for "none"
Each combination keeps its own folder under build/.
TEXT
}

compiler=g++ opt=1 slow=OFF asan=OFF single=OFF examples=ON arrays=ON names="" libraries=""
while [ $# -gt 0 ]; do
    case $1 in
    --compiler | --opt | --arrays | --libraries)
        [ $# -ge 2 ] || { usage >&2; exit 2; }
        case $1 in
        --compiler) compiler=$2 ;;
        --opt) opt=$2 ;;
        --arrays) names=$2 ;;
        --libraries) libraries=$2 ;;
        esac
        shift
        ;;
    --slow) slow=ON ;;
    --only-slow) slow=ONLY examples=OFF ;;
    --asan) asan=ON examples=OFF ;;
    --without-arrays) arrays=OFF examples=OFF ;;
    --single-include) single=ON examples=OFF ;;
    -h | --help) usage && exit ;;
    --) shift && break ;;
    *) usage >&2 && exit 2 ;;
    esac
    shift
done

if [ "$libraries" = none ]; then
    echo "DYAD_LIBRARIES names no folder of other libraries"
    exit 77
fi
for library in xtensor xtl xsimd; do
    if [ -n "$libraries" ] && [ ! -d "$libraries/include/$library" ]; then
        echo "There is no $library in $libraries/include" >&2
        exit 2
    fi
done
need "$compiler" cmake ninja python3 doctest/doctest.h boost/multiprecision/cpp_bin_float.hpp Eigen/Core
[ -n "$libraries" ] || need "$compiler" xsimd/xsimd.hpp
if [ $arrays = ON ]; then
    need "$compiler" cblas.h lapacke.h
    [ -n "$libraries" ] || need "$compiler" xtensor/xtensor.hpp
    need_thrust "$compiler"
fi
[ $asan = OFF ] || need_sanitizers "$compiler"

build="$root/build/test-$(basename "$compiler")-O$opt"
[ $asan = OFF ] || build+=-asan
[ $single = OFF ] || build+=-single
[ $slow != ON ] || build+=-with-slow
[ $slow != ONLY ] || build+=-slow
[ $arrays = ON ] || build+=-without-arrays
[ -z "$names" ] || build+=-some-arrays
[ -z "$libraries" ] || build+=-libraries
: "${CMAKE_BUILD_PARALLEL_LEVEL:=$(getconf _NPROCESSORS_ONLN)}"
export CMAKE_BUILD_PARALLEL_LEVEL

# Programs of hundreds of megabytes: gold takes less than half of the time, where it is there, but more memory, which those of the
# sanitizers, several times as large, might not have.
linker=${LDFLAGS:-}
[ $asan = ON ] || ! command -v ld.gold >/dev/null || linker+=" -fuse-ld=gold"

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE= \
    -DCMAKE_CXX_FLAGS="-O$opt ${CXXFLAGS:-}" -DCMAKE_EXE_LINKER_FLAGS="$linker" -DCMAKE_PROJECT_dyad_INCLUDE="$root/cmake/ccache.cmake" \
    -DDYAD_EXAMPLES=$examples -DDYAD_SLOW_TESTS=$slow -DDYAD_SANITIZE=$asan \
    -DDYAD_SINGLE_INCLUDE=$single -DDYAD_ARRAY_TESTS=$arrays -DDYAD_ARRAY_TEST_NAMES="${names// /;}" ${libraries:+-DCMAKE_PREFIX_PATH="$libraries"}
cmake --build "$build"
ctest --test-dir "$build" --parallel "$CMAKE_BUILD_PARALLEL_LEVEL" --output-on-failure --no-tests=error "$@"
