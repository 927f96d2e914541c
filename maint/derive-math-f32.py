#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""derive-math-f32.py [NAME...]: the constants of lib/ir/math_*f32.h, as C. Needs python3-mpmath.

Each polynomial is the minimax one (Remez exchange) for the weight that makes its error an
error relative to the function's value. Coefficients are then rounded to f32 from the lowest
power up, and what is left is fitted again after each, so that a later coefficient takes up
the rounding of an earlier one (Brisebarre and Chevillard, "Efficient polynomial
L-infinity-approximations", ARITH 2007, in its plain form).
"""
import struct
import sys
from mpmath import (mp, mpf, matrix, lu_solve, floor, fabs, sqrt, pi, exp, log, sin, cos, tan, cot,
                    sinh, cosh, tanh, asin, atan, erf, erfc)

mp.dps = 60
GRID = 1200


def bits32(x):
    return struct.unpack("<I", struct.pack("<f", float(x)))[0]


def f32(x):
    return mpf(struct.unpack("<f", struct.pack("<f", float(x)))[0])


def cut(x, bits):
    """Round to that many significant bits."""
    scale = mpf(2) ** (bits - 1 - int(floor(log(fabs(x), 2))))
    return floor(x * scale + mpf(1) / 2) / scale


def c(x):
    """A C hex float of an f32."""
    mantissa, exponent = float(f32(x)).hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{int(exponent)}f"


def remez(f, w, powers, a, b):
    """min over p of max |w (f - p)| on [a, b], p a sum of those powers; (coefficients, error)."""
    n = len(powers)
    grid = [(a + b) / 2 - (b - a) / 2 * cos(pi * i / GRID) for i in range(GRID + 1)]
    # Off zero, where the weights are 0/0.
    grid = [x if fabs(x) > mpf(10) ** -9 else mpf(10) ** -9 for x in grid]
    fs, ws = [f(x) for x in grid], [w(x) for x in grid]
    at = [round(GRID * i / n) for i in range(n + 1)]
    for _ in range(30):
        rows = matrix(n + 1, n + 1)
        rhs = matrix(n + 1, 1)
        for i, g in enumerate(at):
            for j, k in enumerate(powers):
                rows[i, j] = grid[g] ** k
            rows[i, n] = (-1) ** i / ws[g]
            rhs[i] = fs[g]
        sol = lu_solve(rows, rhs)
        cs = [sol[j] for j in range(n)]
        err = [wi * (fi - sum(cj * x ** k for cj, k in zip(cs, powers)))
               for x, fi, wi in zip(grid, fs, ws)]
        # The largest error of each run of one sign.
        runs, best = [], 0
        for i in range(1, GRID + 1):
            if err[i] * err[best] < 0:
                runs.append(best)
                best = i
            elif fabs(err[i]) > fabs(err[best]):
                best = i
        runs.append(best)
        while len(runs) > n + 1:
            runs.pop(0 if fabs(err[runs[0]]) < fabs(err[runs[-1]]) else -1)
        if len(runs) < n + 1 or runs == at:
            break
        at = runs
    return cs, max(fabs(e) for e in err)


def derive(name, what, f, w, degree, a, b):
    a, b = mpf(a), mpf(b)
    fixed = []
    for k in range(degree + 1):
        rest = lambda x: f(x) - sum(ck * x ** i for i, ck in enumerate(fixed))
        cs, _ = remez(rest, w, list(range(k, degree + 1)), a, b)
        fixed.append(f32(cs[0]))
    err = max(fabs(w(x) * (f(x) - sum(ck * x ** i for i, ck in enumerate(fixed))))
              for x in [a + (b - a) * (i + mpf(1) / 3) / GRID for i in range(GRID)])
    print(f"{name}: {what}, error of {name} below 2^{float(log(err, 2)):.1f}")
    print("\t" + ", ".join(c(x) for x in fixed))


def odd(f):
    """(f(x) - x) / x^3 as a function of u = x^2, and the weight of its error in f(x)."""
    return (lambda u: (f(sqrt(u)) - sqrt(u)) / sqrt(u) ** 3,
            lambda u: sqrt(u) ** 3 / f(sqrt(u)))


def polynomials():
    """Name, what it is, function, weight, degree, interval."""
    half_ln2 = log(2) / 2 * mpf("1.0005")
    eighth = mpf(2) ** (mpf(1) / 8)
    near = mpf(2) ** -11
    quarter_pi = (pi / 4) ** 2
    zero = mpf("0.0001")   # of functions of u: the quotients lose their digits nearer to 0
    yield ("exp", "(e^r - 1 - r) / r^2", lambda r: (exp(r) - 1 - r) / r ** 2,
           lambda r: r ** 2 / exp(r), 4, -half_ln2, half_ln2)
    yield ("exp2", "(2^f - 1) / f", lambda r: (mpf(2) ** r - 1) / r,
           lambda r: r / mpf(2) ** r, 5, "-0.5005", "0.5005")
    yield ("log", "(log(1 + f) - f + f^2/2) / f^3", lambda r: (log(1 + r) - r + r ** 2 / 2) / r ** 3,
           lambda r: r ** 3 / log(1 + r), 8, sqrt(mpf(1) / 2) - 1, sqrt(2) - 1)
    yield ("pow", "(log2(1 + r) - log2(e) (r - r^2/2)) / r^3",
           lambda r: (log(1 + r) - r + r ** 2 / 2) / r ** 3 / log(2),
           lambda r: r ** 3 * log(2) / log(1 + r), 5, 1 / eighth - 1 - near, eighth - 1 + near)
    yield ("sin", "(sin r - r) / r^3 in r^2", *odd(sin), 2, zero, quarter_pi)
    yield ("cos", "(cos r - 1 + r^2/2) / r^4 in r^2", lambda u: (cos(sqrt(u)) - 1 + u / 2) / u ** 2,
           lambda u: u ** 2 / cos(sqrt(u)), 2, zero, quarter_pi)
    yield ("tan", "(tan r - r) / r^3 in r^2", *odd(tan), 5, zero, quarter_pi)
    yield ("cot", "(1/r - cot r) / r in r^2", lambda u: (1 / sqrt(u) - cot(sqrt(u))) / sqrt(u),
           lambda u: sqrt(u) / cot(sqrt(u)), 3, zero, quarter_pi)
    yield ("sinh", "(sinh r - r) / r^3 in r^2", *odd(sinh), 2, zero, half_ln2 ** 2)
    yield ("cosh", "(cosh r - 1) / r^2 in r^2", lambda u: (cosh(sqrt(u)) - 1) / u,
           lambda u: u / cosh(sqrt(u)), 2, zero, half_ln2 ** 2)
    edge = mpf("0.625")
    yield ("tanh", "(tanh x - x) / x^3 in x^2", *odd(tanh), 4, zero, edge ** 2)
    yield ("tanh", "2 / (1 + t)", lambda t: 2 / (1 + t), lambda t: t * (1 + t) / (1 - t), 6, 0,
           exp(-2 * edge))
    yield ("asin", "(asin t - t) / t^3 in t^2", *odd(asin), 4, zero, "0.2501")
    yield ("atan", "(atan t - t) / t^3 in t^2", *odd(atan), 8, zero, 1)
    edge = mpf("0.9375")
    yield ("erf", "erf(x) / x - 1 in x^2", lambda u: erf(sqrt(u)) / sqrt(u) - 1,
           lambda u: sqrt(u) / erf(sqrt(u)), 6, zero, edge ** 2)
    yield ("erf", "log(1 - erf x)", lambda x: log(erfc(x)), lambda x: erfc(x) / erf(x), 7, edge, 4)


def other_constants():
    for name, v, hi in ("log(2)", log(2), 15), ("log2(e)", 1 / log(2), 12), ("pi/2", pi / 2, 12):
        h = cut(v, hi)
        print(f"{name} = {c(v)} = {c(h)} + {c(v - h)}")
    print("pi/2 as two floats", c(pi / 2), c(pi / 2 - f32(pi / 2)), " pi", c(pi), c(pi - f32(pi)))
    for j in range(1, 4):
        cj = cut(mpf(2) ** (-mpf(j) / 4), 12)
        print(f"pow {j}: c {c(cj)}, d {c(-log(cj, 2) - mpf(j) / 4)}")
    print("pow edges", [hex(bits32(mpf(2) ** (mpf(2 * j - 1) / 8))) for j in range(4)])
    bits = int(floor(2 / pi * mpf(2) ** 198))
    print("2/pi, 26 zero bits first", [f"0x{bits >> (32 * (6 - i)) & 0xffffffff:08x}" for i in range(7)])


def main():
    for name, *rest in polynomials():
        if len(sys.argv) < 2 or name in sys.argv[1:]:
            derive(name, *rest)
    if len(sys.argv) < 2:
        other_constants()


main()
