# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# Compiles through ccache where it is installed. Presets and tools name this file in CMAKE_PROJECT_dyad_INCLUDE, because
# a preset cannot ask whether a program exists; a plain configure never sees it. Paths are hashed as seen from the checkout,
# so that one checkout finds what another compiled.
find_program(DYAD_CCACHE ccache)
if(DYAD_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" "${DYAD_CCACHE}")
endif()
