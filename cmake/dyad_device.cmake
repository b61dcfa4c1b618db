# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# dyad::device_cpp, dyad::device_omp, dyad::device_tbb: what dyad/cuda.hpp needs of Thrust where it is compiled by a C++
# compiler, for each of Thrust's systems that is there (nvcc brings its own). CUDA's headers (CCCL) or libthrust-dev serve.
# For programs compiled by nvcc, where the CUDA toolkit is found: dyad::device_blas, products of matrices by cuBLAS;
# dyad::device_solver, factorisations by cuSOLVER.
include_guard(GLOBAL)

find_package(CUDAToolkit QUIET)
foreach(part IN ITEMS blas solver)
    if(TARGET CUDA::cu${part})
        string(TOUPPER cu${part} name)
        add_library(dyad_device_${part} INTERFACE IMPORTED GLOBAL)
        add_library(dyad::device_${part} ALIAS dyad_device_${part})
        target_compile_definitions(dyad_device_${part} INTERFACE DYAD_${name})
        target_link_libraries(dyad_device_${part} INTERFACE CUDA::cu${part})
    endif()
endforeach()

find_path(DYAD_THRUST_DIR thrust/for_each.h HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES include/cccl
                                                                                                       include)
mark_as_advanced(DYAD_THRUST_DIR)
set(DYAD_DEVICE_SYSTEMS "")
get_property(dyad_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT "CXX" IN_LIST dyad_languages)
    # nothing that these are for
elseif(DYAD_THRUST_DIR)
    find_package(OpenMP QUIET COMPONENTS CXX)
    find_package(TBB QUIET)
    set(DYAD_DEVICE_SYSTEMS cpp)
    if(OpenMP_CXX_FOUND)
        list(APPEND DYAD_DEVICE_SYSTEMS omp)
    endif()
    if(TARGET TBB::tbb)
        list(APPEND DYAD_DEVICE_SYSTEMS tbb)
    endif()
    foreach(system IN LISTS DYAD_DEVICE_SYSTEMS)
        string(TOUPPER ${system} name)
        add_library(dyad_device_${system} INTERFACE IMPORTED GLOBAL)
        add_library(dyad::device_${system} ALIAS dyad_device_${system})
        target_include_directories(dyad_device_${system} SYSTEM INTERFACE "${DYAD_THRUST_DIR}")
        target_compile_definitions(dyad_device_${system} INTERFACE THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_${name})
    endforeach()
    if(OpenMP_CXX_FOUND)
        target_link_libraries(dyad_device_omp INTERFACE OpenMP::OpenMP_CXX)
    endif()
    if(TARGET TBB::tbb)
        target_link_libraries(dyad_device_tbb INTERFACE TBB::tbb)
    endif()
else()
    message(STATUS "dyad: dyad/cuda.hpp cannot be used with this compiler, Thrust (CCCL or libthrust-dev) is not found")
endif()
