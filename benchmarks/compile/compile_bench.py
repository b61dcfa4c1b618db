#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""What dyad costs to compile: seconds (user + system, the median of the repeats) and peak memory.

Every program is compiled once per round, so that a busy minute on the machine falls on all of them alike. Times stand as
they are, as what comes on top of the empty file, of <cmath>+<array>+<tuple> ("std") and of core.hpp alone, and as a
multiple of the first two. --check compares with the budgets; a program that does not compile misses every budget.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

from programs import all_programs

INCLUDE = pathlib.Path(__file__).resolve().parent.parent.parent / "include"

# (program, what it is compared with, seconds it may take on top)
BUDGETS = [
    ("core", "std", 0.25),
    ("gradient-250", "empty", 0.6),
    ("gradient-2500", "empty", 4.0),
]


def limit(arguments):
    """Bounds the compiler proper too, a grandchild that would outlive its driver; runs in the child."""
    resource.setrlimit(resource.RLIMIT_CPU, (arguments.seconds, arguments.seconds))
    resource.setrlimit(resource.RLIMIT_AS, (arguments.memory << 30, arguments.memory << 30))


def compile_once(command, arguments):
    """(cpu seconds, peak KiB, None) or (None, None, what went wrong)."""
    with tempfile.TemporaryFile(mode="w+", errors="replace") as messages:
        process = subprocess.Popen(command, stdout=messages, stderr=subprocess.STDOUT,
                                   env={**os.environ, "LC_ALL": "C"}, preexec_fn=lambda: limit(arguments))
        # wait4 knows about this child and the compiler proper under it, and about no one else.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        if process.returncode != 0:
            if seconds >= arguments.seconds:
                return None, None, f"no end after {arguments.seconds} s"
            messages.seek(0)
            errors = [line for line in messages if "error" in line or "virtual memory" in line]
            return None, None, "".join(errors[:3]).rstrip() or f"exit status {process.returncode}"
    return seconds, usage.ru_maxrss, None


def measure(compiler, programs, folder, arguments):
    """{program: {'seconds', 'spread', 'mib'} or {'error'}}"""
    times = {name: [] for name in programs}
    peak = dict.fromkeys(programs, 0)
    errors = {}
    for _ in range(arguments.repeats):
        for name in programs:
            if name in errors:
                continue
            command = [compiler, "-std=c++20", *arguments.flags.split(), f"-I{arguments.include}", "-c",
                       str(folder / f"{name}.cpp"), "-o", str(folder / "out.o")]
            seconds, memory, error = compile_once(command, arguments)
            if error:
                errors[name] = error
            else:
                times[name].append(seconds)
                peak[name] = max(peak[name], memory)
    return {name: {"error": errors[name]} if name in errors else
            {"seconds": statistics.median(times[name]), "spread": max(times[name]) - min(times[name]),
             "mib": peak[name] / 1024} for name in programs}


def table(compiler, results):
    print(f"\n{compiler}")
    print(f"{'program':20} {'s':>7} {'spread':>7} {'MiB':>6} {'-empty':>7} {'/empty':>7} {'-std':>7} {'/std':>6} {'-core':>7}")
    empty, std, core = (results[name].get("seconds", float("nan")) for name in ("empty", "std", "core"))
    for name, result in results.items():
        if "error" in result:
            print(f"{name:20} FAILED")
            print("".join(f"    | {line}\n" for line in result["error"].splitlines()), end="")
            continue
        s = result["seconds"]
        print(f"{name:20} {s:7.3f} {result['spread']:7.3f} {result['mib']:6.0f} {s - empty:7.3f} {s / empty:7.1f} "
              f"{s - std:7.3f} {s / std:6.2f} {s - core:7.3f}")


def check(compiler, results):
    """Prints each budget; the number of those that are missed."""
    missed = 0
    for name, base, allowed in BUDGETS:
        failed = "error" in results[name] or "error" in results[base]
        extra = float("nan") if failed else results[name]["seconds"] - results[base]["seconds"]
        good = extra <= allowed
        missed += not good
        print(f"{'ok  ' if good else 'MISS'} {compiler}: {name} - {base} = {extra:.3f} s, at most {allowed} s")
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", action="append", help="may be repeated; g++ by default")
    parser.add_argument("--flags", default="", help="flags besides -std=c++20 -c; none by default")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=120, help="processor time allowed to one compilation")
    parser.add_argument("--memory", type=int, default=6, help="GiB of address space allowed to one compilation")
    parser.add_argument("--include", type=pathlib.Path, default=INCLUDE, help="the folder that holds dyad/")
    parser.add_argument("--check", action="store_true", help="only the budgets' programs; fails if one is missed")
    parser.add_argument("--json", type=pathlib.Path, help="writes the results to this file")
    parser.add_argument("--keep", type=pathlib.Path, help="keeps the programs in this folder")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)

    programs = all_programs([10, 100, 250, 1000, 2500], [250, 2500], [10, 100, 1000])
    if arguments.check:
        named = {name for budget in BUDGETS for name in budget[:2]} | {"empty", "std"}
        programs = {name: text for name, text in programs.items() if name in named}

    everything, missed = {}, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in programs.items():
            (folder / f"{name}.cpp").write_text(text, encoding="utf-8")
        for compiler in arguments.compiler or ["g++"]:
            results = everything[compiler] = measure(compiler, programs, folder, arguments)
            table(compiler, results)
            missed += check(compiler, results)
    if arguments.json:
        arguments.json.write_text(json.dumps(everything, indent=2) + "\n", encoding="utf-8")
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
