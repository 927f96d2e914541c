# SPDX-License-Identifier: MIT
# examples/arena_cuda: on the processor, on Vulkan where it is, and what it says without CUDA.
. "${top_srcdir:-.}/tests/lib.sh"

program=$top_builddir/examples/arena_cuda

expect()
{
	grep -q 'bytes: 4096 of the slab' "$scratch/out" && grep -q 'bytes: 524288 of the buddy' "$scratch/out" &&
		grep -q 'bytes: 41943040 of the reservoir' "$scratch/out" &&
		grep -q '^100000 squares written and read' "$scratch/out" || fail "$1: $(cat "$scratch/out")"
}

"$program" cpu >"$scratch/out" 2>&1 || fail "cpu: the exit status is $?"
expect cpu
"$program" vulkan >"$scratch/out" 2>&1
code=$?
[ $code -eq 77 ] || { [ $code -eq 0 ] && expect vulkan; } || fail "vulkan: the exit status is $code: $(cat "$scratch/out")"

mkdir "$scratch/lib"
echo "no library" >"$scratch/lib/libcuda.so.1"
LD_LIBRARY_PATH=$scratch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$program" >"$scratch/out" 2>&1
code=$?
[ $code -eq 77 ] || fail "without CUDA the exit status is $code"
[ "$(cat "$scratch/out")" = 'libcuda.so.1 cannot be opened' ] || fail "without CUDA: $(cat "$scratch/out")"
finish
