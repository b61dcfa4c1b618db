#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""Sorts headers into as few chains as can be, each of which a compiler may see in one go: header_chains.py < names

Every header of a chain is included by the next one, directly or not. So what has been seen before a header is what it includes
itself, and it compiles in its chain if and only if it compiles alone. (Chains that cover a partial order: a matching of most
headers with a next one, as Dilworth's theorem has it.) Names are as in #include <...>, read under include/; a chain is a line."""

import pathlib
import re
import sys

INCLUDE = re.compile(r"^\s*#\s*include <(dyad/[^>]+)>", re.MULTILINE)
ROOT = pathlib.Path(__file__).resolve().parent.parent / "include"


def closures(names):
    """By header, all that it includes, itself among them."""
    known = {}

    def closure(name):
        if name not in known:
            known[name] = {name}
            for other in INCLUDE.findall((ROOT / name).read_text(encoding="utf-8")):
                known[name] |= closure(other)
        return known[name]

    return {name: closure(name) for name in names}


def chains(names):
    """Lists of names, in which each is among what the next one includes."""
    included = closures(names)
    later = {name: [other for other in names if other != name and name in included[other]] for name in names}
    before = {}  # by header, the one before it in its chain

    def find_next(name, seen):
        for other in later[name]:
            if other in seen:
                continue
            seen.add(other)
            if other not in before or find_next(before[other], seen):
                before[other] = name
                return True
        return False

    for name in names:
        find_next(name, set())
    after = {name: other for other, name in before.items()}
    for name in names:
        if name in before:
            continue
        chain = [name]
        while chain[-1] in after:
            chain.append(after[chain[-1]])
        yield chain


if __name__ == "__main__":
    for line in chains(sorted(sys.stdin.read().split())):
        print(*line)
