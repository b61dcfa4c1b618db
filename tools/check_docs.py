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


def build_and_run(name, source, folder):
    program = source.with_suffix("")
    sources = [source, ROOT / "tests" / "main.cpp"] if source.name.endswith(".test.cpp") else [source]
    text = source.read_text(encoding="utf-8")
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{folder / 'include'}",
               f"-I{ROOT / 'include'}", *map(str, sources), "-o", str(program)]
    if "dyad/array.hpp" in text:
        command += ["-lopenblas", "-llapacke"]
    if "dyad/cuda.hpp" in text:
        thrust = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include" / "cccl"
        command += ["-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP", "-isystem", str(thrust)]
    for step in (command, [str(program)]):
        result = subprocess.run(step, capture_output=True, text=True)
        if result.returncode != 0:
            print(f"FAIL {name}\n{result.stdout}{result.stderr}")
            return False
    print(f"ok   {name}", flush=True)
    return True


def programs(page, folder):
    """Writes a page's files into a folder of its own; (name, file, folder) of each program."""
    for number, (path, code) in enumerate(blocks(page)):
        file = folder / (path or f"block_{number + 1}.cpp")
        if file.exists():
            sys.exit(f"{page.relative_to(ROOT)} shows {path} twice")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code, encoding="utf-8")
        if (path.endswith(".test.cpp") and "#include <" in code) if path else "int main()" in code:
            yield f"{page.relative_to(ROOT)}, block {number + 1}", file, folder


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
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [program for page in pages for program in programs(page, pathlib.Path(temporary) / page.stem)]
        good, count = sum(pool.map(lambda program: build_and_run(*program), found)), len(found)
    print(f"{good} of {count} programs in the documents compile and run")
    return 0 if good == count and count > 1 and not unknown else 1


if __name__ == "__main__":
    sys.exit(main())
