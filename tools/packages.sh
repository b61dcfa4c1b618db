# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Sourced by the other tools. Says what is missing and, where there is apt-get, installs it. What is looked for is the
# program or the header itself, so that one that came another way is as good as the package, and a machine that has
# everything needs no network.

# The Debian package that brings a program or a header.
package_of() {
    case $1 in
    ninja) echo ninja-build ;;
    clang++-* | */clang++-*) echo "clang-${1##*clang++-}" ;;
    clang++ | */clang++) echo clang ;;
    */g++) echo g++ ;;
    doctest/doctest.h) echo doctest-dev ;;
    xsimd/xsimd.hpp) echo libxsimd-dev ;;
    xtensor/*) echo libxtensor-dev ;;
    cblas.h) echo libopenblas-dev ;;
    lapacke.h) echo liblapacke-dev ;;
    boost/*) echo libboost-dev ;;
    Eigen/Core) echo libeigen3-dev ;;
    thrust/*) echo libthrust-dev ;;
    *) echo "$1" ;;
    esac
}

# has COMPILER THING: a THING with a dot or a slash is a header of that compiler, any other a program; so is the compiler, which may
# be given by its path.
has() {
    case $2 in
    "$1") command -v "$2" >/dev/null ;;
    Eigen/Core)
        # Debian keeps it in a folder of its own, which CMake knows.
        printf '#if !__has_include(<%s>) && !__has_include(<eigen3/%s>)\n#error\n#endif\n' "$2" "$2" |
            "$1" -E -x c++ - >/dev/null 2>&1
        ;;
    xtensor/xtensor.hpp)
        # From version 0.26 on it lies in a folder of its own.
        printf '#if !__has_include(<%s>) && !__has_include(<xtensor/containers/xtensor.hpp>)\n#error\n#endif\n' "$2" |
            "$1" -E -x c++ - >/dev/null 2>&1
        ;;
    */* | *.h) printf '#include <%s>\n' "$2" | "$1" -std=c++20 -E -x c++ - >/dev/null 2>&1 ;;
    *) command -v "$2" >/dev/null ;;
    esac
}

# The sanitizers' run-time library has no name of its own to look for: ask the compiler to link with it.
has_sanitizers() {
    printf 'int main() {}\n' | "$1" -fsanitize=address,undefined -x c++ - -o /dev/null >/dev/null 2>&1
}

# need COMPILER THING...: the compiler and all the things are there afterwards, or the script has ended.
need() {
    local compiler=$1 thing packages=()
    for thing in "$@"; do
        has "$compiler" "$thing" || packages+=("$(package_of "$thing")")
    done
    install_packages "${packages[@]}"
}

# Thrust, which the devices' tests run on, also comes with CUDA, where CMake finds it.
need_thrust() {
    [ -e "${CUDA_HOME:-/usr/local/cuda}/include/cccl/thrust/version.h" ] || need "$1" thrust/version.h
}

need_sanitizers() {
    case $1 in
    clang++-* | */clang++-*) has_sanitizers "$1" || install_packages "libclang-rt-${1##*clang++-}-dev" ;;
    esac
}

install_packages() {
    [ $# -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        echo "Please install what these Debian packages hold: $*" >&2
        exit 1
    fi
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "Please run as root: apt-get install $*" >&2
            exit 1
        fi
        as_root=(sudo)
    fi
    echo "Installing $*"
    # Stale lists may still know the packages, so a failing update alone is no reason to stop.
    "${as_root[@]}" apt-get update -qq || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}
