#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""Compiles and runs the programs in README.md and docs/*.md, and looks up the messages that docs/errors.md quotes.

A block of C++ with `int main` is a program. A block after a paragraph that begins with a path in backquotes is that
file: headers join the include path, tests that need no other header of the tests are built with tests/main.cpp and run.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"```cpp\n(.*?)```", re.S)
PATH = re.compile(r"^`((?:include|tests)/[\w/.]+)`", re.M)


def blocks(page):
    """(path or None, code) of each block of C++."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        paths = PATH.findall(text[:match.start()].split("```")[-1])
        yield (paths[-1] if paths else None), match.group(1)


def build_and_run(name, sources, include, folder):
    program = folder / "program"
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{include}",
               f"-I{ROOT / 'include'}", *map(str, sources), "-o", str(program)]
    if any("dyad/array.hpp" in source.read_text(encoding="utf-8") for source in sources):
        command += ["-lopenblas", "-llapacke"]
    if any("dyad/cuda.hpp" in source.read_text(encoding="utf-8") for source in sources):
        thrust = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include" / "cccl"
        command += ["-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP", "-isystem", str(thrust)]
    for step in (command, [str(program)]):
        result = subprocess.run(step, capture_output=True, text=True)
        if result.returncode != 0:
            print(f"FAIL {name}\n{result.stdout}{result.stderr}")
            return False
    print(f"ok   {name}")
    return True


def check_page(page):
    """(good, all) programs of a page, which shares its files with no other."""
    good = count = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for number, (path, code) in enumerate(blocks(page)):
            name = f"{page.relative_to(ROOT)}, block {number + 1}"
            file = folder / (path or "main.cpp")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(code, encoding="utf-8")
            if path and path.endswith(".test.cpp") and "#include <" in code:
                sources = [file, ROOT / "tests" / "main.cpp"]
            elif not path and "int main()" in code:
                sources = [file]
            else:
                continue
            count += 1
            good += build_and_run(name, sources, folder / "include", folder)
    return good, count


def unknown_messages():
    """Messages for the compiler's errors in docs/errors.md that no header says. What stands behind ` ...` is left out there."""
    headers = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include").rglob("*.hpp")))
    headers = re.sub(r'"\s*\\?\n\s*"', "", headers)
    table = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8").split("### Messages that are")[0]
    for row in re.findall(r"^\| (`.*?`) \| ", table, re.M):
        for message in re.findall(r"``\s*(.*?)\s*``|`(.*?)`", row):
            message = "".join(message)
            if "[dyad] " + message.removesuffix(" ...") not in headers:
                yield message


def main():
    unknown = list(unknown_messages())
    for message in unknown:
        print(f"FAIL docs/errors.md: no header says: {message}")
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        good, count = map(sum, zip(*pool.map(check_page, pages)))
    print(f"{good} of {count} programs in the documents compile and run")
    return 0 if good == count and count > 1 and not unknown else 1


if __name__ == "__main__":
    sys.exit(main())
