# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# dyad::array_libraries: what dyad/array.hpp needs beside the compiler. Used by dyad's own build and by the installed
# package alike. Where a library is missing, the target is there without it, and dyad_array_FOUND is false: dyad::core
# does not need any of them.
include_guard(GLOBAL)
include(CMakeFindDependencyMacro)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads QUIET)
find_path(DYAD_XTENSOR_DIR NAMES xtensor/containers/xtensor.hpp xtensor/xtensor.hpp)
find_path(DYAD_XTL_DIR xtl/xtl_config.hpp)
find_path(DYAD_XSIMD_DIR xsimd/xsimd.hpp)
find_path(DYAD_CBLAS_DIR cblas.h PATH_SUFFIXES openblas x86_64-linux-gnu)
find_path(DYAD_LAPACKE_DIR lapacke.h PATH_SUFFIXES openblas lapacke)
find_library(DYAD_CBLAS_LIBRARY NAMES openblas cblas blas)
find_library(DYAD_LAPACKE_LIBRARY NAMES lapacke openblas)
mark_as_advanced(DYAD_XTENSOR_DIR DYAD_XTL_DIR DYAD_XSIMD_DIR DYAD_CBLAS_DIR DYAD_LAPACKE_DIR DYAD_CBLAS_LIBRARY
                 DYAD_LAPACKE_LIBRARY)

set(dyad_array_FOUND TRUE)
set(dyad_array_missing "")
add_library(dyad_array_libraries INTERFACE IMPORTED GLOBAL)
add_library(dyad::array_libraries ALIAS dyad_array_libraries)
foreach(part IN ITEMS XTENSOR_DIR XTL_DIR XSIMD_DIR CBLAS_DIR LAPACKE_DIR)
    if(DYAD_${part})
        target_include_directories(dyad_array_libraries SYSTEM INTERFACE "${DYAD_${part}}")
    else()
        set(dyad_array_FOUND FALSE)
        string(APPEND dyad_array_missing " ${part}")
    endif()
endforeach()
foreach(part IN ITEMS CBLAS_LIBRARY LAPACKE_LIBRARY)
    if(DYAD_${part})
        target_link_libraries(dyad_array_libraries INTERFACE "${DYAD_${part}}")
    else()
        set(dyad_array_FOUND FALSE)
        string(APPEND dyad_array_missing " ${part}")
    endif()
endforeach()
if(TARGET Threads::Threads)
    target_link_libraries(dyad_array_libraries INTERFACE Threads::Threads)
endif()
if(NOT dyad_array_FOUND)
    message(STATUS "dyad: dyad/array.hpp cannot be used, not found:${dyad_array_missing}")
endif()
