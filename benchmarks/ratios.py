#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""Table of run-time ratios dyad / hand from Google Benchmark's JSON.

Timings are named problem/variant/method; each is the median of its repetitions. The reference is the fastest
method whose name begins with "hand". --check fails when the geometric mean over the counted variants, or any
one ratio of them, is above its bar; the other variants are shown with a mean of their own.
"""

import argparse
import json
import math
import statistics
import sys


def medians(paths):
    """(problem, variant, method) -> nanoseconds a point."""
    samples = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for run in json.load(file)["benchmarks"]:
                if run.get("run_type") != "iteration" or run.get("error_occurred"):
                    continue
                key = tuple(run["run_name"].split("/")[:3])
                wall_clock = run["run_name"].endswith("/real_time")
                samples.setdefault(key, []).append(run["real_time" if wall_clock else "cpu_time"] / run["points"])
    return {key: statistics.median(times) for key, times in samples.items()}


def rows(times):
    """(variant, problem, best hand method, its time, dyad's time)."""
    for problem, variant, method in times:
        if method != "dyad":
            continue
        hand = {m: t for (p, v, m), t in times.items() if (p, v) == (problem, variant) and m.startswith("hand")}
        if not hand:
            continue
        best = min(hand, key=hand.get)
        yield variant, problem, best, hand[best], times[problem, variant, method]


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="JSON files of --benchmark_out")
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is missed")
    parser.add_argument("--mean", type=float, default=1.05, help="bar of the geometric mean (%(default)s)")
    parser.add_argument("--worst", type=float, default=1.15, help="bar of each ratio (%(default)s)")
    parser.add_argument("--count", default="scalar,xsimd", help="variants that count; all: every one (%(default)s)")
    options = parser.parse_args()

    table = sorted(rows(medians(options.files)))
    counted = {row[0] for row in table} if options.count == "all" else set(options.count.split(","))
    print(f"{'variant':<13} {'problem':<18} {'hand ns':>8} {'dyad ns':>8} {'ratio':>6}  reference")
    ratios = {}
    for variant, problem, best, hand, dyad in table:
        ratios.setdefault(variant, []).append(dyad / hand)
        mark = " <-- above" if variant in counted and dyad / hand > options.worst else ""
        print(f"{variant:<13} {problem:<18} {hand:8.2f} {dyad:8.2f} {dyad / hand:6.3f}  {best}{mark}")
    for variant, of_variant in ratios.items():
        print(f"geometric mean of {variant}: {geometric_mean(of_variant):.3f}")

    judged = [ratio for variant, of_variant in ratios.items() if variant in counted for ratio in of_variant]
    if not judged:
        sys.exit("ratios.py: none of the counted variants is in these files")
    mean, worst = geometric_mean(judged), max(judged)
    good = mean <= options.mean and worst <= options.worst
    print(f"counted ({', '.join(sorted(counted))}): geometric mean {mean:.3f} (at most {options.mean}), "
          f"worst {worst:.3f} (at most {options.worst}): {'met' if good else 'MISSED'}")
    if options.check and not good:
        sys.exit(1)


if __name__ == "__main__":
    main()
