# SPDX-License-Identifier: MIT
# The processor runs what lib/ir/unroll.c makes for PTX: every shape of control flow, and random kernels.
. "${top_srcdir:-.}/tests/lib.sh"

export GLACIER_EXEC_TARGET=cpu GLACIER_EXEC_UNROLLED=1 GLACIER_EXEC_THREADS=1

# PROGRAM [ARGUMENT]...
try()
{
	program=$1
	shift
	"$top_builddir/tests/exec/$program" "$@" >"$scratch/out" 2>&1 ||
		fail "$program: $(tail -n 20 "$scratch/out")"
}

try semantics
[ -x "$top_builddir/tests/exec/random_kernels" ] && try random_kernels 2000 60
finish 'loops as PTX has them'
