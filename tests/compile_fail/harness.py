#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""Programs that must not compile, judged by what the compiler says.

A case is a pair beside this file. NAME.ok.cpp must compile: it shows that NAME.ko.cpp fails for the reason under test
and not for another. NAME.ko.cpp must fail, every expected text must be found, and the message must be short:

    // expect: \\[dyad\\] .*regular expression      (one or more; searched in the whole message)
    // max-lines: 12                               (optional; 20 otherwise)

Both compile at the compiler's default flags, with the header that they include first compiled once for all of them, since
that takes longer than they do; those of devices on Thrust's sequential system, where Thrust is found. `--without-twins` leaves
NAME.ok.cpp to a run with another compiler. `--self-test` judges the pairs in canary/ instead; each is wrong in the one
way its `// verdict:` line names, and the harness must notice.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
# What stands for a device: Thrust's sequential system, of CUDA's toolkit or the system's own.
THRUST = ["-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
          "-isystem", str(pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include" / "cccl")]
DEFAULT_MAX_LINES = 20
# What one compilation may take.
SECONDS = 120
GIBIBYTES = 6


def limit():
    """No case may take the machine down: bounds the compiler proper, a grandchild, as well."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (GIBIBYTES << 30, GIBIBYTES << 30))


def run(command):
    """The compiler's exit status and everything it says."""
    # C locale: plain quotes in messages, whoever runs this.
    done = subprocess.run(command, env={**os.environ, "LC_ALL": "C"}, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit)
    return done.returncode, done.stdout


def first_header(source):
    found = re.search(r"^#include <(.*)>$", source.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else ""


def is_of_devices(source):
    return first_header(source) == "dyad/cuda.hpp"


def has_thrust(compiler):
    return subprocess.run([compiler, *THRUST, "-E", "-x", "c++", "-"], input="#include <thrust/version.h>\n", text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def base(compiler, source, *first):
    """The command; g++ looks for what is precompiled where it looks for headers, so that folder comes `first`."""
    return [compiler, "-std=c++20", *first, f"-I{INCLUDE}", *(THRUST if is_of_devices(source) else [])]


class Precompiled:
    """Headers, compiled once for each compiler, in a folder of their own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.lock = threading.Lock()
        self.locks = {}

    def options(self, compiler, source):
        """What makes the compiler take the first header of a source from here."""
        first = first_header(source)
        if not first.startswith("dyad/"):
            return []
        clang = "clang" in pathlib.Path(compiler).name
        include = self.folder / pathlib.Path(compiler).name
        target = include / (first + (".pch" if clang else ".gch"))
        with self.lock:
            lock = self.locks.setdefault(target, threading.Lock())
        with lock:
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                status, message = run([*base(compiler, source), "-x", "c++-header", str(INCLUDE / first), "-o", str(target)])
                if status != 0:
                    sys.exit(f"harness: {first} does not compile with {compiler}\n{message}")
        return ["-include-pch", str(target)] if clang else [f"-I{include}"]


def compile_file(compiler, source, precompiled):
    """The compiler's exit status and everything it says."""
    return run([*base(compiler, source, *precompiled.options(compiler, source)), "-fsyntax-only", str(source)])


def annotations(text, key):
    return re.findall(rf"^// {key}: *(.*?) *$", text, re.MULTILINE)


def judge(compiler, ko, precompiled, with_twin=True):
    """(verdict, reason, message): the verdict is 'good' or one word for what is wrong with the pair."""
    ok = ko.with_name(ko.name.replace(".ko.cpp", ".ok.cpp"))
    text = ko.read_text(encoding="utf-8")
    expected = annotations(text, "expect")
    limit = int((annotations(text, "max-lines") or [DEFAULT_MAX_LINES])[0])

    if not ok.exists():
        return "alone", f"{ok.name} is missing", ""
    if not expected:
        return "silent", f"{ko.name} has no '// expect:' line", ""

    if with_twin:
        status, message = compile_file(compiler, ok, precompiled)
        if status != 0:
            return "twin", f"{ok.name} does not compile", message
    status, message = compile_file(compiler, ko, precompiled)
    if status == 0:
        return "compiles", f"{ko.name} compiles", message
    if status < 0 or re.search(r"internal compiler error|virtual memory exhausted|frontend command failed", message):
        return "crash", f"{ko.name} breaks the compiler", message
    for pattern in expected:
        if not re.search(pattern, message):
            return "text", f"the message does not match {pattern!r}", message
    lines = len(message.splitlines())
    if lines > limit:
        return "lines", f"the message has {lines} lines, {limit} are allowed", message
    return "good", f"{lines} lines", message


def pairs(folder, names):
    """The ko files of a folder. A forgotten ko twin is an error, else a case could vanish silently."""
    found = sorted(folder.glob("*.ko.cpp"))
    for ok in sorted(folder.glob("*.ok.cpp")):
        if not ok.with_name(ok.name.replace(".ok.cpp", ".ko.cpp")).exists():
            sys.exit(f"harness: {ok.name} has no ko twin")
    if names:
        found = [ko for ko in found if ko.name.removesuffix(".ko.cpp") in names]
    if not found:
        sys.exit(f"harness: no case in {folder}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", action="append", help="may be repeated; g++ by default")
    parser.add_argument("--self-test", action="store_true", help="judge the canaries")
    parser.add_argument("--without-twins", action="store_true", help="do not compile NAME.ok.cpp")
    parser.add_argument("--show", action="store_true", help="print every message, not only the wrong ones")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*", help="only these cases")
    arguments = parser.parse_args()

    compilers = arguments.compiler or ["g++"]
    cases = pairs(HERE / "canary" if arguments.self_test else HERE, arguments.names)
    if any(map(is_of_devices, cases)) and not all(map(has_thrust, compilers)):
        print("Thrust is not found, or not for this compiler: the pairs of devices are left out")
        cases = [ko for ko in cases if not is_of_devices(ko)]
    work = [(compiler, ko) for compiler in compilers for ko in cases]
    failures = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        precompiled = Precompiled(folder)
        verdicts = pool.map(lambda item: judge(*item, precompiled, not arguments.without_twins), work)
        for (compiler, ko), (verdict, reason, message) in zip(work, verdicts):
            wanted = "good"
            if arguments.self_test:
                wanted, = annotations(ko.read_text(encoding="utf-8"), "verdict")
            right = verdict == wanted
            failures += not right
            name = ko.name.removesuffix(".ko.cpp")
            print(f"{'ok  ' if right else 'FAIL'} {pathlib.Path(compiler).name} {name}: {reason}", flush=True)
            if not right and arguments.self_test:
                print(f"     the verdict is '{verdict}', it should be '{wanted}'")
            if arguments.show or (not right and message):
                print("".join(f"     | {line}\n" for line in message.splitlines()[:60]), end="")
    print(f"{len(work) - failures} of {len(work)} {'canaries' if arguments.self_test else 'pairs'} as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
