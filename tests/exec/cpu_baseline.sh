# SPDX-License-Identifier: MIT
level=baseline
. "${top_srcdir:-.}/tests/exec/cpu.inc"
