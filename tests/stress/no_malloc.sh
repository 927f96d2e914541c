# SPDX-License-Identifier: MIT
# Every example, and the rows of a stream, compiled on warm memory without a heap call.
. "${top_srcdir:-.}/tests/lib.sh"

work=$top_builddir/tests/stress/no_malloc
[ -x "$work" ] || skip "no_malloc is not built"
"$work" "$top_srcdir"/examples/*.gasm
exit $?
