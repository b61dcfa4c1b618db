#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Everything CUDA on a machine with a GPU, in less than ten minutes: builds, tests, benchmarks; prints a short table last.
#   tools/gpu.sh [--full] [OUTPUT FOLDER, default build/gpu]
# Needs nvcc, a C++ compiler and Python; no network, no CMake, no other library (JAX, PyTorch and CuPy are run if there).
# Results: tests.log, ptx.log, dyad.json, peers.json, table.txt. Exit status 77: there is no nvcc or no GPU.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

quick=(--quick)
if [ "${1:-}" = --full ]; then
    quick=()
    shift
fi
out=${1:-build/gpu}
mkdir -p "$out"
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || { echo "nvcc is not installed" && exit 77; }
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ')
[[ $arch =~ ^[0-9]+$ ]] || { echo "there is no GPU" && exit 77; } # (without one, nvidia-smi may print a sentence)

# What an earlier run has left must not pass for this one's.
examples=(lennard_jones option_pricing_device)
programs=(run_on_gpu bench_cuda "${examples[@]}")
rm -f "${programs[@]/#/$out/}" "$out"/{lennard_jones.txt,option_pricing_device.txt,fused.ptx,tests.log,ptx.log,bench.log,peers.log,dyad.json,peers.json,table.txt}
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | tee "$out/machine.txt"
nvcc --version | tail -n 2 >>"$out/machine.txt"

status=0
# within SECONDS COMMAND...: no longer than that, nor than what is left of the ten minutes.
within() {
    local left=$((570 - SECONDS))
    if [ "$left" -le 0 ]; then
        echo "no time is left for: ${*:2}"
        return 124
    fi
    timeout "$(($1 < left ? $1 : left))" "${@:2}"
}
# shellcheck source=tools/cuda_libraries.sh
. tools/cuda_libraries.sh
compile() { # SOURCE PROGRAM
    local start=$SECONDS
    if ! within 200 nvcc -std=c++20 -O3 "-arch=sm_$arch" -x cu -Iinclude -Iexamples "${cuda_defines[@]}" "$1" -o "$2" "${cuda_links[@]}" >"$2.log" 2>&1; then
        echo "FAIL compile $1"
        grep error "$2.log" | head -n 5
        return 1
    fi
    echo "compiled $1 in $((SECONDS - start)) s"
}
running=()
compile tests/device/run_on_gpu.cu "$out/run_on_gpu" & running+=($!)
compile benchmarks/cuda/main.cu "$out/bench_cuda" & running+=($!)
within 200 nvcc -std=c++20 "-arch=sm_$arch" -Iinclude -ptx tests/device/fused.cu -o "$out/fused.ptx" >/dev/null 2>&1 & running+=($!)
for example in "${examples[@]}"; do compile "examples/$example/main.cpp" "$out/$example" & running+=($!); done
for job in "${running[@]}"; do wait "$job" || status=1; done

# Where a program was not compiled, that has been said.
if [ -x "$out/run_on_gpu" ]; then
    within 90 "$out/run_on_gpu" 2>&1 | tee "$out/tests.log" || status=1
fi
if [ -s "$out/fused.ptx" ]; then
    python3 tools/check_ptx.py "$out/fused.ptx" 2>&1 | tee "$out/ptx.log" || status=1
else
    echo "FAIL compile tests/device/fused.cu"
fi
for example in "${examples[@]}"; do
    [ -x "$out/$example" ] || continue
    within 30 "$out/$example" >"$out/$example.txt" 2>&1 || { echo "FAIL examples/$example" && status=1; }
done
if [ -x "$out/bench_cuda" ]; then
    within 180 "$out/bench_cuda" "${quick[@]}" --json "$out/dyad.json" >"$out/bench.log" 2>&1 || { echo "FAIL bench_cuda" && tail -n 3 "$out/bench.log" && status=1; }
fi
within 120 python3 benchmarks/cuda/peers.py "${quick[@]}" --json "$out/peers.json" >"$out/peers.log" 2>&1 || { echo "peers.py did not end" && tail -n 3 "$out/peers.log"; }
grep 'not run' "$out/peers.log"

results=()
for file in "$out/dyad.json" "$out/peers.json"; do [ -s "$file" ] && results+=("$file"); done
[ ${#results[@]} -eq 0 ] || python3 benchmarks/cuda/table.py "${results[@]}" | tee "$out/table.txt"
exit $status
