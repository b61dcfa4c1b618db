#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""What nvcc made of fused kernels: tools/check_ptx.py [--resources LOG] FILE.ptx...

Each map kernel's type says what it reads and stores. Its assembly must hold, for one, two or four accesses on their way
at once, exactly so many loads of 16 bytes for each input and so many stores for each output; then one load for each input and
one store for each output for the last elements; and no local memory. LOG is what `nvcc --resource-usage` said: no kernel
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
    at_once = count["ld", True] // loads if loads else count["st", True] // max(stores, 1)
    if at_once not in (1, 2, 4) and loads + stores > 0:
        yield f"{at_once} accesses on their way at once"
    expected = {
        ("ld", True): loads * at_once,
        ("st", True): stores * at_once,
        ("ld", False): len(walking),
        ("st", False): len(stored) + summed,
    }
    for (kind, vector), wanted in expected.items():
        if count[kind, vector] != wanted:
            what = "loads" if kind == "ld" else "stores"
            yield f"{count[kind, vector]} {'wide' if vector else 'single'} {what}, {wanted} expected"


def check_file(path):
    """The faults of a file and the number of its map kernels."""
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
        faults.append("no map kernel in any file")
    for fault in faults:
        print(fault)
    print(f"{maps} map kernels, {len(faults)} faults{said}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
