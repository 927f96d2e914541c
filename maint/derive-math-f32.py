#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Derive the constants of lib/ir/math_f32.h and print them as C. Needs python3-mpmath.

Each polynomial is the minimax one (Remez exchange) for the weight that makes its error an
error relative to the function's value. Coefficients are then rounded to f32 from the lowest
power up, and what is left is fitted again after each, so that a later coefficient takes up
the rounding of an earlier one (Brisebarre and Chevillard, "Efficient polynomial
L-infinity-approximations", ARITH 2007, in its plain form).
"""
import struct
from mpmath import mp, mpf, matrix, lu_solve, log, exp, sin, cos, tanh, sqrt, pi, floor, fabs

mp.dps = 60
GRID = 1200


def f32(x):
    return mpf(struct.unpack("<f", struct.pack("<f", float(x)))[0])


def cut(x, bits):
    """Round to that many significant bits."""
    scale = mpf(2) ** (bits - 1 - int(floor(log(fabs(x), 2))))
    return floor(x * scale + mpf(1) / 2) / scale


def c(x):
    """A C hex float of an f32."""
    x, e = float(f32(x)), 0
    if x == 0:
        return "0.0f"
    s = x.hex()
    mant, e = s.split("p")
    mant = mant.rstrip("0").rstrip(".")
    return f"{mant}p{int(e)}f"


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
    print(f"/* {what}; relative error below 2^{float(log(err, 2)):.1f}. */")
    print(f"{name}: " + ", ".join(c(x) for x in fixed))


def main():
    half_ln2 = log(2) / 2 * mpf("1.0005")
    derive("EXP", "(e^r - 1 - r) / r^2", lambda r: (exp(r) - 1 - r) / r ** 2,
           lambda r: r ** 2 / exp(r), 4, -half_ln2, half_ln2)
    derive("EXP2", "(2^f - 1) / f", lambda r: (mpf(2) ** r - 1) / r,
           lambda r: r / mpf(2) ** r, 5, "-0.5005", "0.5005")
    derive("LOG", "(log(1 + f) - f + f^2/2) / f^3", lambda r: (log(1 + r) - r + r ** 2 / 2) / r ** 3,
           lambda r: r ** 3 / log(1 + r), 7, sqrt(mpf(1) / 2) - 1, sqrt(2) - 1)
    derive("LOG8", "same, one degree more", lambda r: (log(1 + r) - r + r ** 2 / 2) / r ** 3,
           lambda r: r ** 3 / log(1 + r), 8, sqrt(mpf(1) / 2) - 1, sqrt(2) - 1)
    eighth = mpf(2) ** (mpf(1) / 8)
    for degree in 4, 5:
        derive(f"LOG2_NEAR{degree}", "(log2(1 + r) - log2(e) (r - r^2/2)) / r^3",
           lambda r: (log(1 + r) - r + r ** 2 / 2) / r ** 3 / log(2),
           lambda r: r ** 3 * log(2) / log(1 + r), degree, 1 / eighth - 1 - mpf(2)**-11, eighth - 1 + mpf(2)**-11)
    derive("SIN", "(sin r - r) / r^3 in r^2", lambda u: (sin(sqrt(u)) - sqrt(u)) / sqrt(u) ** 3,
           lambda u: sqrt(u) ** 3 / sin(sqrt(u)), 2, "0.0001", (pi / 4) ** 2)
    derive("COS", "(cos r - 1 + r^2/2) / r^4 in r^2", lambda u: (cos(sqrt(u)) - 1 + u / 2) / u ** 2,
           lambda u: u ** 2 / cos(sqrt(u)), 2, "0.0001", (pi / 4) ** 2)
    edge = mpf("0.625")
    for d in 4, 5:
        derive(f"TANH{d}", "(tanh x - x) / x^3 in x^2", lambda u: (tanh(sqrt(u)) - sqrt(u)) / sqrt(u) ** 3,
           lambda u: sqrt(u) ** 3 / tanh(sqrt(u)), d, "0.0001", edge ** 2)
    for d in 5, 6:
        derive(f"TANH_FAR{d}", "2 / (1 + t)", lambda t: 2 / (1 + t),
           lambda t: t * (1 + t) / (1 - t), d, 0, exp(-2 * edge))
    for name, v, hi in ("LN2", log(2), 15), ("LOG2E", 1 / log(2), 12), ("HALF_PI", pi / 2, 12):
        h = cut(v, hi)
        print(name, c(v), c(h), c(v - h))
    for j in range(1, 4):
        cj = cut(mpf(2) ** (-mpf(j) / 4), 12)
        print("POW", j, c(cj), c(-log(cj, 2) - mpf(j) / 4), "edge", hex(struct.unpack("<I", struct.pack("<f", float(mpf(2) ** (mpf(2 * j - 1) / 8))))[0]))
    print("POW base", hex(struct.unpack("<I", struct.pack("<f", float(mpf(2) ** (-mpf(1) / 8))))[0]))
    bits = int(floor(2 / pi * mpf(2) ** 198))
    print("TWO_OVER_PI", ", ".join(f"0x{bits >> (32 * (6 - i)) & 0xffffffff:08x}u" for i in range(7)))


main()
