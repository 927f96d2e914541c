# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/tests/lib.sh"
example=launch_cuda target=ptx suffix=ptx
. "$top_srcdir/tests/device/launch_example.inc"
