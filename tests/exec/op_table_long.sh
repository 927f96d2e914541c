# SPDX-License-Identifier: MIT
# The table of instructions with the operands and literals of twenty seeds.
. "${top_srcdir:-.}/tests/lib.sh"

[ -z "$SANITIZERS" ] || skip "takes an hour under a sanitizer; the plain build runs it"
exec "$top_builddir/tests/exec/op_table" 20
