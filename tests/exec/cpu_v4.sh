# SPDX-License-Identifier: MIT
level=x86-64-v4
. "${top_srcdir:-.}/tests/exec/cpu.inc"
