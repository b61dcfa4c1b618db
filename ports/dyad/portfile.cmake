# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors

# An overlay port: it installs the checkout that it stands in. It brings nothing for arrays, whose CBLAS and LAPACKE no port offers
# together: dyad::dyad finds them, xtensor and xsimd where they are.
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")
set(VCPKG_BUILD_TYPE release) # headers alone

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DDYAD_TESTS=OFF -DDYAD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/dyad)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/licenses")
