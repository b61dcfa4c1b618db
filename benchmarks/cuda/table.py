#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""A short table of what bench_cuda and peers.py wrote: table.py FILE.json... At the largest size of each problem, the time
of every method, its bandwidth and its share of the best measured copy of that element type and of the size next to it."""

import json
import sys


def main():
    rows = [r for path in sys.argv[1:] for r in json.load(open(path, encoding="utf-8"))["results"]]
    copies = {}
    for r in rows:
        if r["problem"] == "copy":
            key = r["type"], r["count"]
            copies[key] = max(copies.get(key, 0), r["gigabytes_a_second"])
    problems = {}
    for r in rows:
        problems.setdefault((r["problem"], r["type"]), []).append(r)
    print(f"{'problem':22} {'type':4} {'count':>10} {'method':14} {'us':>10} {'GB/s':>7} {'of copy':>8}")
    for (problem, kind), group in problems.items():
        largest = max(r["count"] for r in group)
        near = min((n for k, n in copies if k == kind), key=lambda n: abs(n - largest), default=0)  # smaller ones lie in caches
        best = copies.get((kind, near), 0)
        for r in group:
            if r["count"] != largest:
                continue
            share = f"{100 * r['gigabytes_a_second'] / best:7.0f}%" if best else "      -"
            print(f"{problem:22} {kind:4} {r['count']:10} {r['method']:14} {r['microseconds']:10.1f} {r['gigabytes_a_second']:7.0f} {share}")


if __name__ == "__main__":
    main()
