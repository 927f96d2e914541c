# SPDX-License-Identifier: MIT
# Numeric streams, executed: what each row means, also in the last, partial workgroup, where
# accesses are off but barriers are reached by all.
. "${top_srcdir:-.}/tests/lib.sh"

gc_asm=${GLACIER_ASM:-$top_builddir/src/gc-asm/gc-asm}
exec=$top_builddir/tests/exec/glacier-exec
[ -x "$gc_asm" ] || skip "gc-asm is not built"
[ -x "$exec" ] || skip "glacier-exec is not built: no Vulkan headers"
cd "$scratch" || exit 99

# run NAME N ELEMS: rows in NAME.stream.json over a[i] = i, b[i] = 2, output -7 before; gives ./got.
run() {
	for level in -O0 -O1; do
		"$gc_asm" "$1.stream.json" --workgroup=32 --target=spirv $level -o kernel.spv 2>err ||
			{ fail "$1: $(cat err)"; return 1; }
		"$exec" kernel.spv -g $(($3 / 32)) -b 0:0=iota:f32:$3 -b 0:1=fill:f32:2:$3 \
			-b 0:2=fill:f32:-7:$3 -p u32:$2 -P 0:2=f32 >got.$level 2>err
		code=$?
		[ $code -ne 77 ] || skip "$(cat err)"
		[ $code -eq 0 ] || { fail "$1 $level: exit $code: $(cat err)"; return 1; }
		cmp want got.$level || fail "$1 $level: other values"
	done
}

# W2, W5: ((a * b + 1.5) - a) / b, |.|, min with a: exact in binary.
echo '[[23,0,0,0],[15,0,0,0],[15,1,0,1],[3,0,1,2],[19,1069547520,0,3],[1,2,3,4],[2,4,0,4],[4,4,1,4],
[6,4,0,5],[7,5,0,5],[8,5,0,6],[9,6,3,7],[16,7,0,0],[25,0,0,0]]' >arithmetic.stream.json
awk 'BEGIN { for (i = 0; i < 96; i++) { v = (i * 2 + 1.5 - i) / 2; if (v > i) v = i; if (v < 1.5) v = 1.5
	print i < 70 ? v : -7 } }' >want
run arithmetic 70 96

# Fma reads its destination, twice: 3 + 2a + 2a.
echo '[[23,0,0,0],[15,0,0,0],[15,1,0,1],[19,1077936128,0,2],[5,0,1,2],[5,0,1,2],[16,2,0,0]]' >fma.stream.json
awk 'BEGIN { for (i = 0; i < 64; i++) print i < 33 ? 3 + 4 * i : -7 }' >want
run fma 33 64

# W4: LocalId into r5 leaves what GlobalId gives alone. Shared memory through a barrier: what
# an access past n would have stored is not there, and what it would have loaded is 0.
echo '[[22,0,0,5],[23,0,0,6],[15,0,6,0],[18,0,5,0],[21,0,0,0],[17,0,5,1],[0,0,0,0],[1,0,1,2],[16,2,6,0]]' \
	>shared.stream.json
awk 'BEGIN { for (i = 0; i < 64; i++) print i < 45 ? 2 * i : -7 }' >want
run shared 45 64

# Unset registers hold 0: all 45 of them add b to output[0], which was -7.
echo '[[23,0,0,1],[15,1,1,0],[24,0,0,1],[25,0,0,0]]' >atomic.stream.json
awk 'BEGIN { for (i = 0; i < 64; i++) print i ? -7 : -7 + 45 * 2 }' >want
run atomic 45 64
finish
