# SPDX-License-Identifier: MIT
# Every instruction and every shape of control flow on the processor's device, built for tiles of
# 128 lanes: nothing but speed may depend on the size.
. "${top_srcdir:-.}/tests/lib.sh"

export GLACIER_EXEC_TARGET=cpu
for GLACIER_EXEC_THREADS in 1 3; do
	export GLACIER_EXEC_THREADS
	for program in op_table_tile semantics_tile; do
		"$top_builddir/tests/exec/$program" >"$scratch/out" 2>&1 ||
			fail "$program with $GLACIER_EXEC_THREADS threads: $(tail -n 20 "$scratch/out")"
	done
done
finish
