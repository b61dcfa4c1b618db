# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# dyad::device_cpp, dyad::device_omp, dyad::device_tbb: what dyad/cuda.hpp needs of Thrust where it is compiled by a C++
# compiler, for each of Thrust's systems that is there (nvcc brings its own). CUDA's headers (CCCL) or libthrust-dev serve.
# For programs compiled by nvcc, where the CUDA toolkit is found: dyad::device_blas, products of matrices by cuBLAS;
# dyad::device_solver, factorisations by cuSOLVER; dyad::device_dnn, convolutions by cuDNN.
# As in dyad_array.cmake, the targets are there once, and DYAD_DEVICE_SYSTEMS belongs to the folder that asks.

# A target that stands for a library: dyad_device_target(NAME DEFINITION DIRECTORY LIBRARY), the last two may be empty.
function(dyad_device_target name definition directory library)
    if(NOT TARGET dyad::device_${name})
        add_library(dyad::device_${name} INTERFACE IMPORTED GLOBAL)
        set_target_properties(dyad::device_${name} PROPERTIES INTERFACE_COMPILE_DEFINITIONS "${definition}"
                                                              INTERFACE_INCLUDE_DIRECTORIES "${directory}"
                                                              INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directory}"
                                                              INTERFACE_LINK_LIBRARIES "${library}")
    endif()
endfunction()

function(dyad_find_device_libraries)
    find_package(CUDAToolkit QUIET)
    if(TARGET CUDA::cublas)
        dyad_device_target(blas DYAD_CUBLAS "" CUDA::cublas)
    endif()
    if(TARGET CUDA::cusolver)
        dyad_device_target(solver DYAD_CUSOLVER "" CUDA::cusolver)
    endif()
    if(CUDAToolkit_FOUND)
        find_path(DYAD_CUDNN_DIR cudnn.h HINTS ENV CUDNN_HOME ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
        find_library(DYAD_CUDNN_LIBRARY cudnn HINTS ENV CUDNN_HOME ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
        mark_as_advanced(DYAD_CUDNN_DIR DYAD_CUDNN_LIBRARY)
        if(DYAD_CUDNN_DIR AND DYAD_CUDNN_LIBRARY)
            dyad_device_target(dnn DYAD_CUDNN "${DYAD_CUDNN_DIR}" "${DYAD_CUDNN_LIBRARY}")
        endif()
    endif()

    find_path(DYAD_THRUST_DIR thrust/for_each.h HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
              PATH_SUFFIXES include/cccl include)
    mark_as_advanced(DYAD_THRUST_DIR)
    set(systems "")
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT "CXX" IN_LIST languages)
        # nothing that these are for
    elseif(DYAD_THRUST_DIR)
        find_package(OpenMP QUIET COMPONENTS CXX)
        find_package(TBB QUIET)
        set(systems cpp)
        dyad_device_target(cpp THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP "${DYAD_THRUST_DIR}" "")
        if(TARGET OpenMP::OpenMP_CXX)
            list(APPEND systems omp)
            dyad_device_target(omp THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_OMP "${DYAD_THRUST_DIR}" OpenMP::OpenMP_CXX)
        endif()
        if(TARGET TBB::tbb)
            list(APPEND systems tbb)
            dyad_device_target(tbb THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_TBB "${DYAD_THRUST_DIR}" TBB::tbb)
        endif()
    elseif(NOT dyad_FIND_QUIETLY)
        message(STATUS "dyad: dyad/cuda.hpp cannot be used with this compiler, Thrust (CCCL or libthrust-dev) is not found")
    endif()
    set(DYAD_DEVICE_SYSTEMS "${systems}" PARENT_SCOPE)
endfunction()
dyad_find_device_libraries()
