#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Compiles each tests/device/*.cu for two generations of GPUs, without needing one, and reads what became of the fused kernels.
# Of the tests that run on the host, those without stand-ins are compiled for one, where doctest is; with the host's arrays, where xtensor is
# (by nvcc alone, but for one not by the host's compiler after it).
# Exit status 77: there is no nvcc or nothing to compile.
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

tests=()
has() { echo "#include <$1>" | "${CXX:-c++}" -std=c++20 -E -x c++ - >/dev/null 2>&1; }
if ! has doctest/doctest.h; then
    echo "doctest is not installed: no tests/device/*.cpp is compiled"
else
    if has xtensor/xtensor.hpp && has xsimd/xsimd.hpp && has cblas.h && has lapacke.h; then
        tests=(tests/device/agreement{_control_flow,,_rows,_routines}.slow.cpp tests/device/both_sides.test.cpp)
    else
        echo "xtensor, xsimd, CBLAS or LAPACKE is not installed: no test with arrays of both sides is compiled"
    fi
    tests+=(tests/device/{blas,elementwise,losses,places}.test.cpp)
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
# One of the two generations has CUDA's libraries, where they are there.
# shellcheck source=tools/cuda_libraries.sh
. tools/cuda_libraries.sh

# shellcheck disable=SC2317 # xargs calls it
check() {
    local source=$1 arch=$2 work=$3 options=(-std=c++20 -Iinclude) what=-c
    [[ "$source" = *.cu || "$source" = */both_sides* ]] || what=--cuda
    # The host's half is the same for both generations, but where it asks for CUDA's libraries.
    [ "$arch" = sm_90 ] || grep -q "ifdef DYAD_CU" "$source" || what=-cubin
    # Transforms called inside the user's kernels return std::pair, std::tuple, std::array, whose functions are constexpr.
    grep -qE "dyad/cuda.hpp|agreement.hpp" "$source" || options+=(--expt-relaxed-constexpr)
    [[ "$source" = *.cu ]] || options+=(-x cu -Itests)
    [ "$arch" = sm_80 ] || options+=("${@:4}")
    local said
    if ! said=$(nvcc "${options[@]}" -arch="$arch" "$what" "$source" -o "$work/$(basename "$source").$arch.o" 2>&1); then
        echo "$said"
        echo "FAIL $arch $source"
        return 1
    elif grep -A 1 -iE 'warning[: ]' <<<"$said"; then
        echo "FAIL $arch $source"
        return 1
    else
        echo "ok   $arch $source"
    fi
}
export -f check
{
    [ ${#tests[@]} = 0 ] || printf '%s sm_90\n' "${tests[@]}"
    for source in $sources; do
        printf '%s\n' "$source sm_80" "$source sm_90"
    done
} | xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 bash -c "check \"\$@\" '$work' ${cuda_defines[*]}" check || status=1
nvcc -arch=sm_90 "$work/run_on_gpu.cu.sm_90.o" -o "$work/run_on_gpu" "${cuda_links[@]}" || { echo "FAIL link tests/device/run_on_gpu.cu" && status=1; }
nvcc -std=c++20 -Iinclude -arch=sm_90 -cubin --resource-usage --keep --keep-dir "$work" tests/device/fused.cu -o "$work/fused.cubin" >"$work/resources" 2>&1 || status=1
python3 tools/check_ptx.py --resources "$work/resources" "$work/fused.ptx" || status=1
exit $status
