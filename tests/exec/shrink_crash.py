#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shrink_crash.py SEED [JOBS] - what is left of a random kernel that ends a driver's process.

Takes statements out as long as random_kernels SEED 1 dies by a signal, some at a time, and
prints what is left. GLACIER_EXEC_TARGET says on which device.
"""
import concurrent.futures
import os
import subprocess
import sys

program = os.path.join(os.environ.get("top_builddir", "."), "tests/exec/random_kernels")


def run(removed):
    """The exit status; negative, or 128 and more: a signal."""
    command = [program, sys.argv[1], "1"] + ([",".join(map(str, removed))] if removed else [])
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    except subprocess.TimeoutExpired:
        return 0
    return done.returncode


def dies(removed):
    code = run(removed)
    return code < 0 or code >= 128


def main():
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count()
    if not dies([]):
        print("it does not end by a signal")
        return 1
    last, removed, size = 1024, [], 64   # no kernel has more statements
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while size:
            chunks = [range(at, at + size) for at in range(0, last, size)]
            sets = [[n for n in chunk if n not in removed] for chunk in chunks]
            sets = [s for s in sets if s]
            good = [s for s, bad in zip(sets, pool.map(dies, [removed + s for s in sets])) if bad]
            for s in good:
                if dies(removed + s):
                    removed += s
            size //= 2
    print("removed:", ",".join(map(str, sorted(removed))))
    subprocess.run(["sh", "-c", "GLACIER_EXEC_TARGET=cpu exec \"$0\" \"$@\"", program, sys.argv[1], "1",
                    ",".join(map(str, removed))], check=False)
    return 0


sys.exit(main())
