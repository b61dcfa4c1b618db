# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load


class Dyad(ConanFile):
    name = "dyad"
    license = "MIT"
    description = "Header-only C++20 automatic differentiation: eager values and compile-time graphs"
    package_type = "header-library"
    settings = "compiler"  # only to check the language standard; the package is the same for all
    exports_sources = "include/*", "LICENSE"
    no_copy_source = True

    def set_version(self):
        config = load(self, pathlib.Path(self.recipe_folder, "include/dyad/base/config.hpp"))
        self.version = ".".join(re.search(rf"#define DYAD_VERSION_{part} (\d+)", config)[1]
                                for part in ("MAJOR", "MINOR", "PATCH"))

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "include/*", self.source_folder, self.package_folder)
        copy(self, "LICENSE", self.source_folder, pathlib.Path(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        # dyad::core, and dyad::dyad, which here is no more than all components. Arrays and devices take the system's libraries,
        # which only the CMake package looks for.
        core = self.cpp_info.components["core"]
        core.bindirs = core.libdirs = []
