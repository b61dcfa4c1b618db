# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# dyad::array_libraries: what dyad/array.hpp needs beside the compiler. Used by dyad's own build and by the installed
# package alike. Where a library is missing, the target is there without it, and dyad_array_FOUND is false: dyad::core
# does not need any of them.
# The target is there once, for all folders; dyad_array_FOUND and dyad_array_missing belong to the folder that asks, so each has
# its own run of this. (In a function: nothing else of the caller's may change.)
function(dyad_find_array_libraries)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES) # (without C and C++ there is nothing to find threads with)
    if("C" IN_LIST languages OR "CXX" IN_LIST languages)
        set(THREADS_PREFER_PTHREAD_FLAG ON)
        find_package(Threads QUIET)
    endif()
    find_path(DYAD_XTENSOR_DIR NAMES xtensor/containers/xtensor.hpp xtensor/xtensor.hpp)
    find_path(DYAD_XTL_DIR xtl/xtl_config.hpp)
    find_path(DYAD_XSIMD_DIR xsimd/xsimd.hpp)
    find_path(DYAD_CBLAS_DIR cblas.h PATH_SUFFIXES openblas x86_64-linux-gnu)
    find_path(DYAD_LAPACKE_DIR lapacke.h PATH_SUFFIXES openblas lapacke)
    find_library(DYAD_CBLAS_LIBRARY NAMES openblas cblas blas)
    find_library(DYAD_LAPACKE_LIBRARY NAMES lapacke openblas)
    mark_as_advanced(DYAD_XTENSOR_DIR DYAD_XTL_DIR DYAD_XSIMD_DIR DYAD_CBLAS_DIR DYAD_LAPACKE_DIR DYAD_CBLAS_LIBRARY
                     DYAD_LAPACKE_LIBRARY)

    set(found TRUE)
    set(missing "")
    set(directories "")
    set(libraries "")
    foreach(part IN ITEMS XTENSOR_DIR XTL_DIR XSIMD_DIR CBLAS_DIR LAPACKE_DIR LAPACKE_LIBRARY CBLAS_LIBRARY)
        if(NOT DYAD_${part})
            set(found FALSE)
            string(APPEND missing " ${part}")
        elseif(part MATCHES "_DIR$")
            list(APPEND directories "${DYAD_${part}}")
        else()
            list(APPEND libraries "${DYAD_${part}}")
        endif()
    endforeach()
    if(TARGET Threads::Threads)
        list(APPEND libraries Threads::Threads)
    endif()
    if(NOT TARGET dyad::array_libraries)
        add_library(dyad::array_libraries INTERFACE IMPORTED GLOBAL)
    endif()
    # (Set, not appended: a later run may find what an earlier one missed.)
    set_target_properties(dyad::array_libraries PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${directories}"
                                                           INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directories}"
                                                           INTERFACE_LINK_LIBRARIES "${libraries}")
    if(NOT found AND NOT dyad_FIND_QUIETLY)
        message(STATUS "dyad: dyad/array.hpp cannot be used, not found:${missing}")
    endif()
    set(dyad_array_FOUND ${found} PARENT_SCOPE)
    set(dyad_array_missing "${missing}" PARENT_SCOPE)
endfunction()
dyad_find_array_libraries()
