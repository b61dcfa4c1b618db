#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""The work of bench_cuda in JAX, PyTorch (torch.compile) and CuPy, as far as they are installed:
peers.py [--quick] [--json FILE]. Times are medians of repetitions of many calls between two waits for the device.
"""

import argparse
import json
import os
import statistics
import time

SIZES = {True: [1 << 20, 1 << 23, 1 << 26], False: [1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28]}
COLUMNS = 1000


def measure(call, wait, quick):
    for _ in range(3):
        call()
    wait()
    begin = time.perf_counter()
    call()
    wait()
    calls = max(1, min(300, int(0.01 / (time.perf_counter() - begin))))
    times = []
    for _ in range(5 if quick else 11):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        times.append((time.perf_counter() - begin) / calls)
    return statistics.median(times)


class Torch:
    name = "torch.compile"

    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("no GPU")
        self.lib = torch
        self.wait = torch.cuda.synchronize

    def numbers(self, n, kind, shift):
        x = self.lib.arange(n, device="cuda") % 1021
        return 0.5 + x.to({"f32": self.lib.float32, "f64": self.lib.float64}[kind]) / 1021 + shift

    def quotient(self, x, y):
        torch = self.lib

        @torch.compile
        def f(x, y):
            r = 1 / (1 + y * y)
            q = y * r
            return x * x * q, 2 * x * q, x * x * r * (1 - 2 * y * q)

        return lambda: f(x, y)

    def polynomial(self, x, y, terms):
        torch = self.lib

        @torch.compile  # (slopes by hand, as torch.autograd.grad leaves what is compiled)
        def f(x, y):
            total, dx, dy = x, torch.ones_like(x), torch.zeros_like(y)
            for k in range(terms):
                c = 0.25 + 0.125 * k
                dx, dy, total = dx * y + c, dy * y + total, total * y + c * x
            return total, dx, dy

        return lambda: f(x, y)

    def squares(self, w, x):
        torch = self.lib

        @torch.compile
        def f(w, x):
            r = w * x - x * x
            return (r * r).sum(), 2 * r * x

        return lambda: f(w, x)

    def cross_entropy(self, x, t):
        torch = self.lib

        @torch.compile
        def f(x, t):
            p = torch.log_softmax(x, 1)
            return -(t * p).sum(1).mean(), (t.sum(1, keepdim=True) * p.exp() - t) / x.shape[0]

        return lambda: f(x, t)


class Jax:
    name = "jax"

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the others need memory, too
        import jax

        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() != "gpu":
            raise RuntimeError("no GPU")
        self.lib, self.last = jax, None

    def wait(self):
        if self.last is not None:
            self.lib.block_until_ready(self.last)

    def numbers(self, n, kind, shift):
        np = self.lib.numpy
        return 0.5 + (np.arange(n) % 1021).astype({"f32": np.float32, "f64": np.float64}[kind]) / 1021 + np.asarray(shift, {"f32": np.float32, "f64": np.float64}[kind])

    def keep(self, f, *arguments):
        def call():
            self.last = f(*arguments)

        return call

    def elementwise(self, f, x, y):
        jax = self.lib

        def all_of(x, y):
            value, pull = jax.vjp(f, x, y)
            return (value, *pull(jax.numpy.ones_like(value)))

        return self.keep(jax.jit(all_of), x, y)

    def quotient(self, x, y):
        return self.elementwise(lambda a, b: a * a * b / (1 + b * b), x, y)

    def polynomial(self, x, y, terms):
        def f(a, b):
            total = a
            for k in range(terms):
                total = total * b + (0.25 + 0.125 * k) * a
            return total

        return self.elementwise(f, x, y)

    def squares(self, w, x):
        return self.keep(self.lib.jit(self.lib.value_and_grad(lambda a, b: ((a * b - b * b) ** 2).sum())), w, x)

    def cross_entropy(self, x, t):
        jax = self.lib
        return self.keep(jax.jit(jax.value_and_grad(lambda a, b: -(b * jax.nn.log_softmax(a, 1)).sum(1).mean())), x, t)


class Cupy:
    name = "cupy"

    def __init__(self):
        import cupy

        self.lib = cupy
        self.wait = cupy.cuda.Device().synchronize

    def numbers(self, n, kind, shift):
        return (0.5 + (self.lib.arange(n) % 1021) / 1021 + shift).astype({"f32": "float32", "f64": "float64"}[kind])

    def quotient(self, x, y):
        kernel = self.lib.ElementwiseKernel(
            "T x, T y", "T v, T dx, T dy",
            "T r = T(1) / (T(1) + y * y); T q = y * r; v = x * x * q; dx = T(2) * x * q; dy = x * x * r * (T(1) - T(2) * y * q)",
            "quotient")
        return lambda: kernel(x, y)

    def polynomial(self, x, y, terms):
        return None  # by hand it would be the benchmark of a hand-written kernel

    def squares(self, w, x):
        total = self.lib.ReductionKernel("T w, T x", "T y", "(w * x - x * x) * (w * x - x * x)", "a + b", "y = a", "0", "squares")
        slope = self.lib.ElementwiseKernel("T w, T x", "T y", "y = T(2) * (w * x - x * x) * x", "slope")
        return lambda: (total(w, x), slope(w, x))

    def cross_entropy(self, x, t):
        cp = self.lib

        @cp.fuse()
        def finish(e, s, w, t, rows):
            return (w * e / s - t) / rows

        def call():
            shifted = x - x.max(1, keepdims=True)
            e = cp.exp(shifted)
            s = e.sum(1, keepdims=True)
            return -(t * (shifted - cp.log(s))).sum(1).mean(), finish(e, s, t.sum(1, keepdims=True), t, x.shape[0])

        return call


def run(peer, quick, keep):
    for kind, width in (("f32", 4), ("f64", 8)):
        for n in SIZES[quick]:
            try:
                x, y, t = peer.numbers(n, kind, 0.0), peer.numbers(n, kind, 1.0), peer.numbers(n, kind, 0.0)
            except Exception as fault:
                print(f"{'':22} {kind:6} {n:10} {peer.name}: {type(fault).__name__}", flush=True)
                continue
            rows = n // COLUMNS
            matrix = lambda a: a[: rows * COLUMNS].reshape(rows, COLUMNS)
            # (Targets of their own: who is given one array twice reads it once.)
            work = [("value+gradient", peer.quotient(x, y), n, 5), ("sum+gradient", peer.squares(x, y), n, 3),
                    ("polynomial of 25", peer.polynomial(x, y, 25), n, 5),
                    ("softmax cross-entropy", peer.cross_entropy(matrix(x), matrix(t)), rows * COLUMNS, 3)]
            for problem, call, count, arrays in work:
                if call is None:
                    continue
                try:
                    seconds = measure(call, peer.wait, quick)
                except Exception as fault:  # a peer that has not the memory says so in many ways
                    print(f"{problem:22} {kind:6} {count:10} {peer.name}: {type(fault).__name__}", flush=True)
                    continue
                rate = arrays * count * width / seconds / 1e9
                print(f"{problem:22} {kind:6} {count:10}           {peer.name:14} {seconds * 1e6:10.1f} us {rate:8.0f} GB/s", flush=True)
                keep({"problem": problem, "type": kind, "method": peer.name, "count": count,
                      "microseconds": seconds * 1e6, "gigabytes_a_second": rate})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    results = []

    def keep(result):
        results.append(result)
        if options.json:  # after each one: who compiles for minutes may be ended
            with open(options.json, "w", encoding="utf-8") as out:
                json.dump({"source": "peers", "results": results}, out, indent=1)

    for peer in (Jax, Cupy, Torch):
        try:
            here = peer()
        except Exception as fault:
            print(f"{peer.name}: not run ({type(fault).__name__}: {str(fault).splitlines()[0] if str(fault) else ''})")
            continue
        run(here, options.quick, keep)


if __name__ == "__main__":
    main()
