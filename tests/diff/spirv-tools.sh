# SPDX-License-Identifier: MIT
# examples.inc takes its judge from this name.
. "${top_srcdir:-.}/tests/diff/examples.inc"
