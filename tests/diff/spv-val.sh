# SPDX-License-Identifier: MIT
# The validator and SPIRV-Tools' own judge alike: what gc-asm makes of every example, the
# corpus when GLACIER_CORPUS names it, and mutants of both.
. "${top_srcdir:-.}/tests/lib.sh"

program=$top_builddir/tests/diff/spv_val
gc_asm=$top_builddir/src/gc-asm/gc-asm
[ -x "$program" ] || skip "libSPIRV-Tools is not here"
[ -x "$gc_asm" ] || skip "gc-asm is not built"
mkdir "$scratch/spv" || exit 99
for file in "$top_srcdir"/examples/*.gasm; do
	name=$(basename "$file" .gasm)
	for way in -O0 -O1 -g; do
		"$gc_asm" "$file" --target=spirv $way -o "$scratch/spv/$name$way.spv" || fail "gc-asm $name $way exits $?"
	done
done
# SPIRV-Tools crashes on some mutants; what it held then is lost, and no leak of ours.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
"$program" ${SPV_VAL_MUTANTS:--n 2000} "$scratch"/spv/*.spv || fail "the two differ by more than is pinned"
finish
