#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""What nvcc made of fused kernels: tools/check_ptx.py [--resources LOG] FILE.ptx...

Each map kernel's type says what it reads and stores. Its assembly must hold exactly one load of 16 bytes for each input and one
such store for each output; then one load for each input and one store for each output for the last elements; and no local memory.
A row kernel has so many of 16 bytes for each array as a thread keeps of it. LOG is what `nvcc --resource-usage` said: no kernel
spills, and none uses more registers than MOST_REGISTERS. The files must hold no function that needs local memory of its
own (sine and cosine do).
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

MOST_REGISTERS = 168
ENTRY = re.compile(r"\.entry (\S+?)\((.*?)\n\}", re.DOTALL)
ACCESS = re.compile(r"\b(ld|st)\.global(?:\.nc)?\.(v\d\.)?\w+")
BYTES = {"float": 4, "double": 8, "__half": 2, "__nv_bfloat16": 2, "int": 4, "long": 8}


def demangled(name):
    return subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout.strip()


def elements(parts, tag):
    return re.findall(rf"{tag}<([\w ]+)>", parts)


def parts_of(name):
    """The inputs and outputs of a map kernel, as text."""
    lists = [m for m in re.findall(r"parts<((?:[^<>]|<[^<>]*>)*)>", name)]
    return (lists[0], lists[1]) if len(lists) >= 2 else (None, None)


def check_map(name, body):
    inputs, outputs = parts_of(name)
    if inputs is None:
        yield "its inputs and outputs cannot be read from its name"
        return
    walking = elements(inputs, "walking")
    stored, summed = elements(outputs, "stored_as"), outputs.count("accumulated<")
    smallest = min((BYTES[e] for e in walking + stored), default=16)
    width = 16 // smallest
    count = collections.Counter((kind, bool(vector)) for kind, vector in ACCESS.findall(body))
    loads = sum(BYTES[e] * width // 16 for e in walking)
    stores = sum(BYTES[e] * width // 16 for e in stored)
    expected = {
        ("ld", True): loads,
        ("st", True): stores,
        ("ld", False): len(walking),
        ("st", False): len(stored) + summed,
    }
    for (kind, vector), wanted in expected.items():
        if count[kind, vector] != wanted:
            what = "loads" if kind == "ld" else "stores"
            yield f"{count[kind, vector]} {'wide' if vector else 'single'} {what}, {wanted} expected"


def check_rows(name, body):
    """A row kernel whose accesses are of several elements: the arrays' loads and stores."""
    width = int(re.search(r"row_kernel<(?:\(unsigned long\))?(\d+)", name)[1])
    if width == 1:
        return
    arrays = re.search(r"parts<((?:row_value<(?:[^<>]|<[^<>]*>)*>(?:, )?)*)>", name)[1]
    count = collections.Counter((kind, bool(vector)) for kind, vector in ACCESS.findall(body))
    kept = (8 if arrays.count("row_value<") <= 4 else 4) // width
    for kind, what, tag in (("ld", "loads", "walking"), ("st", "stores", "stored_as")):
        wanted = sum(BYTES[e] * width // 16 for e in elements(arrays, tag)) * kept
        if count[kind, True] != wanted:
            yield f"{count[kind, True]} wide {what}, {wanted} expected"


def check_file(path):
    """The faults of a file and the number of its map and row kernels."""
    faults, maps = [], 0
    for mangled, body in ENTRY.findall(path.read_text(encoding="utf-8")):
        name = demangled(mangled)
        short = re.sub(r"words<[^>]*>", "words<...>", name).split("(")[0]
        found = []
        if ".local" in body:
            found.append("uses local memory")
        # (Where an input is one element for all steps, there is no fixed number of loads.)
        if "device::map_kernel<" in name and "lasting<" not in (parts_of(name)[0] or ""):
            maps += 1
            found += check_map(name, body)
        elif "device::row_kernel<" in name:
            maps += 1
            found += check_rows(name, body)
        faults += [f"{path.name}: {short}: {fault}" for fault in found]
    return faults, maps


def check_resources(log):
    text, faults = log.read_text(encoding="utf-8"), []
    spills = sum(int(n) for n in re.findall(r"(\d+) bytes spill", text))
    registers = [int(n) for n in re.findall(r"Used (\d+) registers", text)]
    if spills:
        faults.append(f"{log.name}: {spills} bytes of spilled registers")
    if not registers:
        faults.append(f"{log.name}: says nothing of registers")
    elif max(registers) > MOST_REGISTERS:
        faults.append(f"{log.name}: {max(registers)} registers, at most {MOST_REGISTERS} are allowed")
    return faults, max(registers, default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--resources", type=pathlib.Path)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    faults, maps = [], 0
    for path in options.files:
        found, count = check_file(path)
        faults += found
        maps += count
    said = ""
    if options.resources:
        found, most = check_resources(options.resources)
        faults += found
        said = f", at most {most} registers, no spills" if not found else ""
    if maps == 0:
        faults.append("no map or row kernel in any file")
    for fault in faults:
        print(fault)
    print(f"{maps} map and row kernels, {len(faults)} faults{said}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
