#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make-npy.py FOLDER - the .npy files beside this one, written by NumPy.

Those whose fault NumPy cannot write are cut or patched from a good one.
"""
import sys
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

folder = Path(sys.argv[1])


def save(name, array, version=None):
    with open(folder / name, "wb") as file:
        npy.write_array(file, array, version=version)


x = np.array([1, -2, 3.5, 0.25, 1e-3, -0.0, 65536, 7], "<f4")
y = np.array([0.5, 4, -1, 8, 2, 3, -65536, 1e10], "<f4")
save("good-x.npy", x)
save("good-y.npy", y)
# Each operation of float32 rounds once, as Mul and Add do.
save("good-saxpy.npy", np.float32(2.5) * x + y)
save("good-v2.npy", x, (2, 0))
save("good-v3.npy", x, (3, 0))
for name in "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split():
    save(f"good-{name}.npy", np.array([[1, 2, 3], [100, 0, 5]], "<" + name))

# Above 2048 odd numbers lie between two values of float16.
save("good-iota-f2.npy", np.arange(2100).astype("<f2"))

save("bad-big-endian.npy", x.astype(">f4"))
save("bad-fortran.npy", np.asfortranarray(x.reshape(2, 4)))
save("bad-bool.npy", x > 0)
save("bad-complex.npy", x.astype("c8"))
save("bad-structured.npy", np.zeros(2, [("a", "<f4"), ("b", "<i4")]))
save("bad-object.npy", np.array([None, 1], dtype=object))

good = (folder / "good-x.npy").read_bytes()
save("bad-truncated.npy", x)
(folder / "bad-truncated.npy").write_bytes(good[:-3])
(folder / "bad-header.npy").write_bytes(good[:40])
(folder / "bad-trailing.npy").write_bytes(good + b"\n")
(folder / "bad-version.npy").write_bytes(good[:6] + b"\x04" + good[7:])
(folder / "bad-huge.npy").write_bytes(good.replace(b"(8,), }" + b" " * 19, b"(4611686018427387904, 9), }", 1))
(folder / "bad-negative.npy").write_bytes(good.replace(b"(8,), ", b"(-8,),", 1))
(folder / "bad-number.npy").write_bytes(good.replace(b"(8,), }", b"(8), } ", 1))
(folder / "bad-twice.npy").write_bytes(good.replace(b"'shape': (8,), ", b"'descr': '<f4',", 1))
