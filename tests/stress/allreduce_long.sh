# SPDX-License-Identifier: MIT
# Every type at every count, and every pair of type and operation at counts around 2^20.
. "${top_srcdir:-.}/tests/lib.sh"

"$top_builddir/tests/stress/allreduce" 1 || fail "tests/stress/allreduce 1 exits $?"
finish
