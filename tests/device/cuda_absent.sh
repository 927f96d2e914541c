# SPDX-License-Identifier: MIT
# A machine without CUDA: the reason is told, and nothing else changes.
. "${top_srcdir:-.}/tests/lib.sh"

gc_run=$top_builddir/src/gc-run/gc-run

# A file that is no library stands where the loader looks first.
mkdir "$scratch/lib"
echo "no library" >"$scratch/lib/libcuda.so.1"
LD_LIBRARY_PATH=$scratch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

set -- "$top_srcdir/examples/vector_add.gasm" --global=8 a=:iota:8 b=:iota:8 n=8 -o 'out=-:f32[8]'
"$gc_run" -d cuda "$@" >"$scratch/out" 2>&1
code=$?
[ $code -eq 2 ] || fail "the exit status is $code: $(cat "$scratch/out")"
grep -q 'libcuda.so.1 cannot be opened \[DV0150\]' "$scratch/out" || fail "$(cat "$scratch/out")"
"$gc_run" --list-devices >"$scratch/out" 2>&1 || fail "no list: $(cat "$scratch/out")"
grep -q '^cuda' "$scratch/out" && fail "a CUDA device is listed: $(cat "$scratch/out")"
"$gc_run" -d cpu "$@" >"$scratch/out" 2>&1 || fail "the processor: $(cat "$scratch/out")"
[ "$(tr '\n' ' ' <"$scratch/out")" = "0 2 4 6 8 10 12 14 " ] || fail "the processor gives $(cat "$scratch/out")"
finish
