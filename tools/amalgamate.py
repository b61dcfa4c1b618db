#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""Writes single_include/dyad/core.hpp from include/dyad/core.hpp.

Each project header is put where it is first included, once. System includes and preprocessor conditionals stay as they
are; only a system include that already stands unconditionally above is left out.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SPDX = ["// SPDX-License-Identifier: MIT", "// SPDX-FileCopyrightText: the dyad authors"]


class Amalgamation:
    def __init__(self, root):
        self.root = root  # the include/ folder
        self.done = set()  # project headers already expanded
        self.system = set()  # system includes standing unconditionally above
        self.lines = []

    def project_file(self, header, bracket, target):
        candidates = [self.root / target] + ([header.parent / target] if bracket == '"' else [])
        for path in candidates:
            if path.is_file():
                return path.resolve()
        if bracket == '"' or target.startswith("dyad/"):
            sys.exit(f"{header}: there is no {target}")
        return None

    def expand(self, header):
        self.done.add(header)
        self.emit(f"// ---- {header.relative_to(self.root)}")
        depth = 0
        for number, line in enumerate(header.read_text(encoding="utf-8").splitlines(), 1):
            if line in SPDX or re.match(r"\s*#\s*pragma\s+once\b", line):
                continue
            if re.match(r"\s*#\s*if", line):
                depth += 1
            elif re.match(r"\s*#\s*endif\b", line):
                depth -= 1
            included = INCLUDE.match(line)
            if not included:
                self.emit(line)
                continue
            path = self.project_file(header, *included.groups())
            if path is None:
                if included[2] not in self.system:
                    self.emit(line)
                if depth == 0:
                    self.system.add(included[2])
            elif path not in self.done:
                # Expanded under a condition, it would be missing for those who include it without.
                if depth != 0:
                    sys.exit(f"{header}:{number}: a project header must not be included under a condition")
                self.expand(path)
        self.emit("")

    def emit(self, line):
        # Lines that were taken out leave no gaps behind.
        if line.strip() or (self.lines and self.lines[-1]):
            self.lines.append(line.rstrip())


def amalgamate(root, name):
    result = Amalgamation(root.resolve())
    result.lines += SPDX + [
        f"// Generated from include/{name} and what it includes by tools/amalgamate.py; do not edit.",
        "#pragma once",
        "",
        "#if defined(DYAD_VERSION_MAJOR)",
        '#error "[dyad] include/dyad stands beside single_include/dyad/core.hpp: name one of the two folders to the compiler"',
        "#endif",
        "",
    ]
    result.expand(result.root / name)
    result.lines += ["", "#define DYAD_SINGLE_HEADER // base/config.hpp asks for it"]
    return "\n".join(result.lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with what is committed, write nothing")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT / "include")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "single_include/dyad/core.hpp")
    arguments = parser.parse_args()

    text = amalgamate(arguments.root, "dyad/core.hpp")
    if arguments.check:
        fresh = arguments.output.is_file() and arguments.output.read_text(encoding="utf-8") == text
        print(f"{arguments.output}: {'up to date' if fresh else 'stale; run tools/amalgamate.py'}")
        return 0 if fresh else 1
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(text, encoding="utf-8")
    print(f"{arguments.output}: {len(text.splitlines())} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
