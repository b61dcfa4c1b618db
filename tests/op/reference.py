#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the dyad authors
"""Writes reference_table.hpp: what every smooth operation must give, from 80-digit arithmetic (mpmath).

Unary: h(x) = 3 op(2x); value and derivatives 1..3 at exact doubles x. Binary: h(x, y) = 3 op(2x, 2y); value and
all partials to order 3. Every closed form is checked against numerical differentiation at high precision, so a
slip in one of the two stops the script. Beside each number stands its scale, |d| + |x d'| (+ |y d'|): what a
relative change of the arguments can move, the yardstick for ill-conditioned spots. Same input, same bytes out.

    python3 reference.py > reference_table.hpp
"""

from mpmath import mp, mpf

mp.dps = 80
RT_PI = mp.sqrt(mp.pi)


def falling(p, k):
    """p (p-1) ... (p-k+1)"""
    out = mpf(1)
    for i in range(k):
        out *= p - i
    return out


def power(p):
    return lambda u, k: falling(mpf(p), k) * (u ** (mpf(p) - k) if falling(mpf(p), k) else 0)


def cbrt(u, k):
    return falling(mpf(1) / 3, k) * abs(u) ** (mpf(1) / 3 - k) * mp.sign(u) ** (k + 1)


def exponential(base_log, u, k):
    return base_log ** k * mp.exp(base_log * u)


def logarithm(scale, u, k):
    return scale * (mp.log(u) if k == 0 else (-1) ** (k - 1) * mp.factorial(k - 1) / u ** k)


def sine(u, k):
    return (mp.sin(u), mp.cos(u), -mp.sin(u), -mp.cos(u))[k % 4]


def tangent(u, k):
    t = mp.tan(u)
    return (t, 1 + t * t, 2 * t * (1 + t * t), 2 * (1 + t * t) * (1 + 3 * t * t))[k]


def arcsine(u, k):
    w = 1 - u * u
    return (mp.asin(u), w ** mpf(-0.5), u * w ** mpf(-1.5), (1 + 2 * u * u) * w ** mpf(-2.5))[k]


def arccosine(u, k):
    return mp.acos(u) if k == 0 else -arcsine(u, k)


def arctangent(u, k):
    w = 1 + u * u
    return (mp.atan(u), 1 / w, -2 * u / w ** 2, (6 * u * u - 2) / w ** 3)[k]


def tanh(u, k):
    t, s = mp.tanh(u), 1 / mp.cosh(u) ** 2
    return (t, s, -2 * t * s, s * (6 * t * t - 2))[k]


def arsinh(u, k):
    w = 1 + u * u
    return (mp.asinh(u), w ** mpf(-0.5), -u * w ** mpf(-1.5), (2 * u * u - 1) * w ** mpf(-2.5))[k]


def arcosh(u, k):
    w = u * u - 1
    return (mp.acosh(u), w ** mpf(-0.5), -u * w ** mpf(-1.5), (2 * u * u + 1) * w ** mpf(-2.5))[k]


def artanh(u, k):
    w = 1 - u * u
    return (mp.atanh(u), 1 / w, 2 * u / w ** 2, (2 + 6 * u * u) / w ** 3)[k]


def erf(u, k):
    c = 2 / RT_PI * mp.exp(-u * u)
    return (mp.erf(u), c, -2 * u * c, (4 * u * u - 2) * c)[k]


def tgamma(u, k):
    g, a, b, c = mp.gamma(u), mp.psi(0, u), mp.psi(1, u), mp.psi(2, u)
    return (g, g * a, g * (a * a + b), g * (a ** 3 + 3 * a * b + c))[k]


def sigmoid(u, k):
    s, q = 1 / (1 + mp.exp(-u)), 1 / (1 + mp.exp(u))
    return (s, s * q, s * q * (q - s), s * q * (1 - 6 * s * q))[k]


def softplus(u, k):
    return mp.log1p(mp.exp(u)) if k == 0 else sigmoid(u, k - 1)


def unnormalised_sinc(u, k):
    return mp.sin(u) / u if k == 0 else (sine(u, k) - k * unnormalised_sinc(u, k - 1)) / u


def sinc(x, k):
    return mp.pi**k * unnormalised_sinc(mp.pi * x, k)


def linear(slope):
    return lambda u, k: (slope(u) * u, slope(u), mpf(0), mpf(0))[k]


POSITIVE = [1e-70, 1e-5, 0.3, 0.4999999, 0.5, 0.50000001, 1.7, 4.0, 500.0, 1e70]
ANGLES = [1e-20, -1e-8, 0.3, 0.7853981633974483, 1.5707963267948966, -2.2, 10.5, -1e5, 1e15]
WHOLE_LINE = [-350.0, -20.0, -1.0, -1e-20, 1e-20, 0.3, 0.9, 2.0, 10.0, 18.0]
UNIT = [-0.4999999999, -0.35, -1e-8, 1e-20, 0.1, 0.25, 0.4, 0.49999, 0.499999999999]
GROWING = [1e-20, -1e-6, -0.2, 0.5, 1.0, 3.0, -20.0, 150.0, -350.0]
GAMMA = [1e-10, 0.05, 0.3, 0.5, 0.73081607, 1.0, 1.7, 5.0, 20.0, 60.0, -0.25, -0.7, -1.3]
SIGNED = [-1e90, -7.3, -0.5, -1e-70, 1e-70, 0.1, 1.0, 12.5, 1e90]
LN2, LN10 = mp.log(2), mp.log(10)

UNARY = {
    "negate": (linear(lambda u: mpf(-1)), SIGNED),
    "reciprocal": (power(-1), [-1e60, -2.5, -1e-60, 1e-60, 0.3, 1.0, 3.5, 49.0, 1e60]),
    "abs": (linear(mp.sign), [-1e300, -2.5, -1e-300, 1e-300, 0.1, 7.0, 1e300]),
    "relu": (linear(lambda u: mpf(u > 0)), [-1e300, -2.5, -1e-300, 1e-300, 0.1, 7.0, 1e300]),
    "square": (power(2), SIGNED),
    "cube": (power(3), SIGNED),
    "pow_3": (power(3), SIGNED),
    "pow_7": (power(7), [-3e40, -1.1, -1e-30, 1e-30, 0.1, 0.5, 1.3, 2.5, 1e40]),
    "pow_60": (power(60), [-3.1, -0.55, -0.2, 0.1, 0.45, 0.5, 0.53, 0.7, 1.9]),
    "pow_minus_2": (power(-2), [-1e50, -2.5, -1e-50, 1e-50, 0.3, 0.5, 3.5, 49.0, 1e50]),
    "pow_2_5": (power(2.5), [1e-70, 1e-5, 0.3, 0.5, 1.7, 4.0, 500.0, 1e70]),
    "pow_of_2": (lambda u, k: exponential(LN2, u, k), [-500.0, -10.3, -0.5, 1e-20, 0.3, 2.5, 10.0, 500.0]),
    "sqrt": (power(0.5), [1e-100, 1e-8, 0.125, 0.3, 0.5, 1.7, 50.0, 1e10, 1e100]),
    "cbrt": (cbrt, [-1e60, -3.5, -1e-9, 1e-30, 0.2, 0.5, 1.0, 13.5, 1e60]),
    "exp": (lambda u, k: mp.exp(u), [-300.0, -20.0, -1.0, -1e-10, 1e-20, 0.5, 3.3, 100.0, 350.0]),
    "exp2": (lambda u, k: exponential(LN2, u, k), [-500.0, -10.3, -0.5, -1e-20, 1e-20, 0.3, 2.5, 10.0, 500.0]),
    "expm1": (lambda u, k: mp.expm1(u) if k == 0 else mp.exp(u),
              [-15.0, -1.0, -0.3, -1e-10, 1e-20, 1e-10, 0.4, 2.0, 100.0, 350.0]),
    "log": (lambda u, k: logarithm(1, u, k), POSITIVE),
    "log2": (lambda u, k: logarithm(1 / LN2, u, k), POSITIVE),
    "log10": (lambda u, k: logarithm(1 / LN10, u, k), POSITIVE),
    "log1p": (lambda u, k: mp.log1p(u) if k == 0 else logarithm(1, 1 + u, k),
              [-0.499999999, -0.25, -1e-20, 1e-20, 1e-9, 0.3, 1.0, 100.0, 1e70]),
    "sin": (sine, ANGLES),
    "cos": (lambda u, k: sine(u, k + 1), ANGLES),
    "tan": (tangent, [1e-20, -1e-8, 0.3, 0.78, -0.7853981633974483, 2.0, -1.2, 100.0]),
    "asin": (arcsine, UNIT),
    "acos": (arccosine, UNIT),
    "atan": (arctangent, [1e-20, -1e-8, -0.3, 0.5, 2.0, -20.0, 1e5, 1e40, -1e40]),
    "sinh": (lambda u, k: (mp.sinh(u), mp.cosh(u))[k % 2], GROWING),
    "cosh": (lambda u, k: (mp.cosh(u), mp.sinh(u))[k % 2], GROWING),
    "tanh": (tanh, [1e-20, -1e-8, -0.1, 0.3, 1.0, -2.5, 5.0, 9.0, -20.0]),
    "asinh": (arsinh, [1e-20, -1e-8, -0.2, 0.5, 3.0, -1e4, 1e40, -1e40]),
    "acosh": (arcosh, [0.5000000001, 0.51, 0.75, 1.0, 5.0, 100.0, 1e40]),
    "atanh": (artanh, [1e-20, -1e-8, -0.2, 0.3, 0.45, -0.49, 0.4999999, -0.4999999999]),
    "erf": (erf, [1e-20, -1e-8, -0.1, 0.3, 0.5, -1.0, 1.5, 2.5, 3.0]),
    "erfc": (lambda u, k: mp.erfc(u) if k == 0 else -erf(u, k), [1e-20, -3.0, -1.0, 0.1, 0.5, 1.0, 3.0, 5.0, 12.0]),
    "tgamma": (tgamma, GAMMA),
    "lgamma": (lambda u, k: mp.log(abs(mp.gamma(u))) if k == 0 else mp.psi(k - 1, u),
               GAMMA + [0.5000001, 0.9999999, 1e10, 1e60]),
    "digamma": (lambda u, k: mp.psi(k, u), GAMMA + [1e10, 1e60]),
    "sigmoid": (sigmoid, WHOLE_LINE),
    "softplus": (softplus, WHOLE_LINE + [350.0]),
    "sinc": (sinc, [1e-8, -1e-5, 1e-3, 0.05, -0.3, 0.6, 0.9, 1.37, -2.2, 29.7]),
}


def power_xy(x, y, i, j):
    """d^i/dx^i d^j/dy^j x^y = d^j/dy^j [falling(y, i) x^(y-i)], the product rule over j"""
    coefficients = [mpf(1)]  # of falling(y, i), lowest first
    for m in range(i):
        coefficients = [(coefficients[n - 1] if n else 0) - m * (coefficients[n] if n < len(coefficients) else 0)
                        for n in range(len(coefficients) + 1)]
    return sum(mp.binomial(j, m) * sum(c * falling(mpf(n), m) * y ** (n - m) for n, c in enumerate(coefficients) if n >= m)
               * mp.log(x) ** (j - m) for m in range(j + 1)) * x ** (y - i)


def hypot(x, y, i, j):
    r = mp.hypot(x, y)
    return {(0, 0): r, (1, 0): x / r, (0, 1): y / r,
            (2, 0): y ** 2 / r ** 3, (1, 1): -x * y / r ** 3, (0, 2): x ** 2 / r ** 3,
            (3, 0): -3 * x * y ** 2 / r ** 5, (2, 1): y * (2 * x ** 2 - y ** 2) / r ** 5,
            (1, 2): x * (2 * y ** 2 - x ** 2) / r ** 5, (0, 3): -3 * x ** 2 * y / r ** 5}[i, j]


def atan2(a, b, i, j):
    """the imaginary part of log(b + ia)"""
    z, n = mp.mpc(b, a), i + j
    return mp.atan2(a, b) if n == 0 else mp.im(mp.mpc(0, 1) ** i * (-1) ** (n - 1) * mp.factorial(n - 1) / z ** n)


def fmod(x, y, i, j):
    whole = mp.sign(x / y) * mp.floor(abs(x / y))
    return {(0, 0): x - whole * y, (1, 0): mpf(1), (0, 1): -whole}.get((i, j), mpf(0))


def logsumexp(x, y, i, j):
    if i + j == 0:
        return max(x, y) + mp.log1p(mp.exp(-abs(x - y)))
    if (i, j) == (0, 1):
        return sigmoid(y - x, 0)
    return (-1) ** j * softplus(x - y, i + j)


def xlogy(x, y, i, j):
    return 0 * y if i > 1 else logarithm(1 if i else x, y, j)


BINARY = {
    "add": (lambda x, y, i, j: {(0, 0): x + y, (1, 0): mpf(1), (0, 1): mpf(1)}.get((i, j), mpf(0)),
            [(1.1, 2.3), (0.1, -0.10000000000009), (-3e300, 7e299), (1e-300, 2e-300), (1e16, 1.0), (0.0, -4.7)]),
    "subtract": (lambda x, y, i, j: {(0, 0): x - y, (1, 0): mpf(1), (0, 1): mpf(-1)}.get((i, j), mpf(0)),
                 [(1.1, 2.3), (0.1, 0.10000000000009), (-3e300, -7e299), (1e-300, 3e-300), (1e16, 1.0), (0.0, -4.7)]),
    "multiply": (lambda x, y, i, j: {(0, 0): x * y, (1, 0): y, (0, 1): x, (1, 1): mpf(1)}.get((i, j), mpf(0)),
                 [(1.1, 2.3), (-0.1, 7.7), (1e200, 1e-250), (-1e-150, -3e-150), (0.0, 5.1), (1e150, 3e150)]),
    "divide": (lambda x, y, i, j: 0 * x if i > 1 else (x if i == 0 else 1) * power(-1)(y, j),
               [(1.0, 3.0), (-2.5, 0.7), (0.0, 2.3), (1e200, 1e110), (1e-30, 1e-40), (7.0, -1e50), (0.3, 0.1)]),
    "pow": (power_xy, [(1.5, 2.5), (0.3, -1.2), (1.0, 1.5), (5.0, 0.25), (1e-20, 1.5), (1e20, -0.7), (0.5, 7.0),
                       (0.50001, 300.0), (2.5, 0.5), (0.4, 20.0)]),
    "hypot": (hypot, [(1.5, 2.0), (-2.0, 0.5), (0.1, 30.0), (1.0, 1e-8), (2.5, -6.0), (1e-90, 2e-90), (3e90, -4e90)]),
    "atan2": (atan2, [(1.0, 2.0), (2.3, -0.7), (-1.5, -0.4), (-0.3, 5.0), (1e-8, 1.0), (3e60, 4e60), (2e-60, -1e-60)]),
    "fmod": (fmod, [(5.3, 1.1), (-5.3, 1.1), (5.3, -1.1), (0.5, 3.0), (7.0, 2.5), (1e10, 3.0), (-1e-3, -1e-5)]),
    "logsumexp": (logsumexp, [(0.0, 0.0), (0.3, 1.1), (-3.0, 5.0), (100.0, 99.0), (400.0, 400.5), (-400.0, -401.0),
                              (9.0, 1.0)]),
    "xlogy": (xlogy, [(0.0, 3.0), (2.0, 0.7), (-1.5, 4.0), (0.3, 0.5), (1e-30, 1e30), (7.0, 0.0625)]),
}
ORDERS = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)]


def agree(name, where, closed, numerical, scale):
    """closed form against numerical differentiation; a slip in either stops the script"""
    if abs(closed - numerical) > mpf("1e-25") * scale:
        raise SystemExit(f"{name} at {where}: closed form {mp.nstr(closed, 20)}, numerical {mp.nstr(numerical, 20)}")


def digits(value):
    """the nearest double, shortest text that reads back the same"""
    return repr(float(value) + 0.0)


def unary_rows(name, f, points):
    for x in points:
        u, step = mpf(2 * x), min(abs(mpf(2 * x)), 1) * mpf("1e-60")
        d = [f(u, k) for k in range(4)]
        with mp.workdps(400):  # differences of order 4 with steps of 1e-60 lose 240 digits, tiny u some more
            slopes = [mp.diff(lambda t, k=k: f(t, k), u, h=step) for k in range(4)]
        scale = [abs(d[k]) + abs(u * slopes[k]) for k in range(4)]
        for k in range(3):
            agree(name, x, d[k + 1], slopes[k], abs(d[k + 1]) + abs(d[k]) + scale[k + 1])
        cells = [digits(3 * 2 ** k * d[k]) for k in range(4)]
        marks = [f"{float(3 * 2 ** k * scale[k]):.1e}" for k in range(4)]
        yield f"    {{{x!r}, {{{', '.join(cells)}}}, {{{', '.join(marks)}}}}},"


def binary_rows(name, f, points):
    for x, y in points:
        u, v = mpf(2 * x), mpf(2 * y)
        dx, dy = (min(abs(t), 1) * mpf("1e-60") if t else mpf("1e-60") for t in (u, v))
        d = {o: mpf(f(u, v, *o)) for o in ORDERS}
        with mp.workdps(400):
            along_x = {o: mp.diff(lambda t, o=o: f(t, v, *o), u, h=dx) for o in ORDERS}
            along_y = {o: mp.diff(lambda t, o=o: f(u, t, *o), v, h=dy) for o in ORDERS}
        scale = {o: abs(d[o]) + abs(u * along_x[o]) + abs(v * along_y[o]) for o in ORDERS}
        for i, j in ORDERS:
            if i + j < 3:
                agree(name, (x, y), d[i + 1, j], along_x[i, j], scale[i + 1, j] + abs(d[i, j]))
                agree(name, (x, y), d[i, j + 1], along_y[i, j], scale[i, j + 1] + abs(d[i, j]))
        cells = [digits(3 * 2 ** sum(o) * d[o]) for o in ORDERS]
        marks = [f"{float(3 * 2 ** sum(o) * scale[o]):.1e}" for o in ORDERS]
        yield f"    {{{x!r}, {y!r},\n     {{{', '.join(cells)}}},\n     {{{', '.join(marks)}}}}},"


def main():
    print("""// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the dyad authors
//
// Written by reference.py; do not edit. Unary rows: x, then value and derivatives 1..3 of 3 op(2x), then their scales.
// Binary rows: x, y, then the partials of 3 op(2x, 2y) in the order value, x, y, xx, xy, yy, xxx, xxy, xyy, yyy, then
// their scales. A scale is |d| + |x dd/dx| (+ |y dd/dy|): what a relative change of the arguments can move.
#pragma once

namespace dyad_test::reference {

struct unary_row {
    double x, want[4], scale[4];
};
struct binary_row {
    double x, y, want[10], scale[10];
};""")
    for kind, table, rows in (("unary", UNARY, unary_rows), ("binary", BINARY, binary_rows)):
        for name, (f, points) in table.items():
            print(f"\ninline constexpr {kind}_row {name}[] = {{")
            for row in rows(name, f, points):
                print(row)
            print("};")
    print("\n}  // namespace dyad_test::reference")


if __name__ == "__main__":
    main()
