#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Builds and runs the consumers in a temporary folder: tests/consumer/run.sh [COMPILER]
# The one of arrays is left out where their libraries are not there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tools/packages.sh
. "$here/../../tools/packages.sh"
compiler=${1:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# $1 is the consumer, the rest goes to its configure step.
consume() {
    local name=$1
    shift
    cmake -S "$here/$name" -B "$work/$name" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" "$@"
    cmake --build "$work/$name"
    echo "consumer $name:"
    "$work/$name/consumer"
}

cmake -S "$here/../.." -B "$work/dyad" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_INSTALL_PREFIX="$work/prefix" -DDYAD_TESTS=OFF -DDYAD_EXAMPLES=OFF
cmake --install "$work/dyad"
# (vcpkg reads the version before it reads anything else of the project.)
version=$(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$here/../../ports/dyad/vcpkg.json")
grep -q "set(PACKAGE_VERSION \"$version\")" "$work/dyad/dyadConfigVersion.cmake" || {
    echo "ports/dyad/vcpkg.json has version $version, the project another one" >&2
    exit 1
}
consume find_package -DCMAKE_PREFIX_PATH="$work/prefix"

missing=
for header in xsimd/xsimd.hpp xtensor/xtensor.hpp cblas.h lapacke.h; do
    has "$compiler" "$header" || missing+=" $header"
done
if [ -z "$missing" ]; then
    consume two_folders -DCMAKE_PREFIX_PATH="$work/prefix"
else
    echo "consumer two_folders is left out, not found:$missing"
fi

consume add_subdirectory

"$here/plain/build.sh" "$compiler" "$work/plain"
echo "consumer plain:"
"$work/plain"

"$compiler" -std=c++20 -fPIC -shared -fvisibility=hidden -I"$here/../../include" "$here/shared_library/library.cpp" -o "$work/libgrown.so"
"$compiler" -std=c++20 -fvisibility=hidden -I"$here/../../include" "$here/shared_library/main.cpp" -L"$work" -lgrown -Wl,-rpath,"$work" -o "$work/shared_library"
echo "consumer shared_library:"
"$work/shared_library"
