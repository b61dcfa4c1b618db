#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""The headers keep to their floors.

Folders stand in the order in which data passes through them; a header includes its own folder and what stands above.
Umbrella headers, directly in include/dyad/, stand outside: they include anything, no folder includes them. Also: no
include cycle, no include of a project header that does not exist, at most 400 lines, two SPDX lines and #pragma once
before anything else, and no third-party include behind core.hpp unless __has_include asks for it.
"""

import pathlib
import re
import sys

ORDER = ["base", "op", "graph", "pass", "kernel", "trace", "array", "device", "tape", "api"]
# Neighbours in the order that still must not meet: back ends know graphs, not how they came about; numbers need neither arrays nor devices.
# (The tape walks arguments as the other front ends do, by trace/structure.hpp.)
STRANGERS = {("kernel", "trace"), ("tape", "array"), ("tape", "device")}
MAX_LINES = 400
SPDX = ["// SPDX-License-Identifier: MIT", "// SPDX-FileCopyrightText: the dyad authors"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
HAS_INCLUDE = re.compile(r"__has_include\s*\(\s*<([^>]+)>\s*\)")
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def folder_of(name):
    """'pass' for dyad/pass/simplify.hpp, None for an umbrella header such as dyad/core.hpp."""
    parts = name.split("/")
    return parts[1] if len(parts) > 2 else None


def project_name(root, header, bracket, target):
    """The name under include/ that an #include means, or None if it is not the project's."""
    if target.startswith("dyad/"):
        return target
    if bracket == '"':
        path = (header.parent / target).resolve()
        return path.relative_to(root.resolve()).as_posix() if path.is_relative_to(root.resolve()) else target
    return None


def check_text(name, text):
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        yield f"{name}: {len(lines)} lines, at most {MAX_LINES} are allowed; what in it is a thing of its own?"
    if lines[:2] != SPDX:
        yield f"{name}: does not begin with the two lines {SPDX[0]!r}, {SPDX[1]!r}"
    code = COMMENTS.sub("", text).split(maxsplit=2)
    if code[:2] != ["#pragma", "once"]:
        yield f"{name}: '#pragma once' is not the first thing after the opening comment"


def check_floor(name, line, target):
    here, there = folder_of(name), folder_of(target)
    if here is None or here == there:
        return
    if there is None:
        yield f"{name}:{line}: includes the umbrella header {target}; include what is needed from its folder"
    elif here in ORDER and there in ORDER and (ORDER.index(there) > ORDER.index(here) or (here, there) in STRANGERS):
        yield f"{name}:{line}: {here}/ must not know {there}/, but includes {target}"


def find_cycle(graph):
    """One include cycle as a list of names, or None."""
    state, path = {}, []

    def visit(name):
        state[name] = "open"
        path.append(name)
        for target in graph[name]:
            if state.get(target) == "open":
                return path[path.index(target):] + [target]
            if target in graph and target not in state:
                cycle = visit(target)
                if cycle:
                    return cycle
        state[name] = "done"
        path.pop()
        return None

    for name in graph:
        if name not in state:
            cycle = visit(name)
            if cycle:
                return cycle
    return None


def reachable(graph, start):
    seen, todo = set(), [start]
    while todo:
        name = todo.pop()
        if name in graph and name not in seen:
            seen.add(name)
            todo += graph[name]
    return sorted(seen)


def check_tree(root):
    """All that is wrong with the headers under root, an include/ folder."""
    headers = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*.hpp"))}
    graph, foreign = {}, {}
    for name, path in headers.items():
        text = path.read_text(encoding="utf-8")
        yield from check_text(name, text)
        folder = folder_of(name)
        if folder is not None and folder not in ORDER:
            yield f"{name}: the folder {folder}/ has no floor yet; give it its place in {pathlib.Path(__file__).name}"
        graph[name], foreign[name] = [], []
        asked = HAS_INCLUDE.findall(text)
        for line, content in enumerate(text.splitlines(), 1):
            found = INCLUDE.match(content)
            if not found:
                continue
            target = project_name(root, path, *found.groups())
            if target is None:
                # Standard headers have neither a folder nor an ending.
                if re.search(r"[./]", found[2]) and found[2] not in asked:
                    foreign[name].append(f"{name}:{line}: <{found[2]}> is not a standard header, and core.hpp needs it")
            elif target not in headers:
                yield f"{name}:{line}: includes {target}, which does not exist"
            else:
                graph[name].append(target)
                yield from check_floor(name, line, target)
    cycle = find_cycle(graph)
    if cycle:
        yield "include cycle: " + " -> ".join(cycle)
    for name in reachable(graph, "dyad/core.hpp"):
        yield from foreign[name]


def main():
    default = pathlib.Path(__file__).resolve().parent.parent / "include"
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    faults = list(check_tree(root))
    count = len(list(root.rglob("*.hpp")))
    for fault in faults:
        print(fault)
    if count == 0:
        print(f"no header under {root}")
    print(f"{count} headers, {len(faults)} faults")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
