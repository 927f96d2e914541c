# SPDX-License-Identifier: MIT
# Every f32 transcendental on the Vulkan device: the bits of the functions that are measured.
. "${top_srcdir:-.}/tests/lib.sh"

gc_asm=${GLACIER_ASM:-$top_builddir/src/gc-asm/gc-asm}
exec=$top_builddir/tests/exec/glacier-exec
bits=$top_builddir/tests/exec/math-bits
[ -x "$gc_asm" ] || skip "gc-asm is not built"
[ -x "$exec" ] || skip "glacier-exec is not built: no Vulkan headers"
cd "$scratch" || exit 99

"$bits" inputs x y || exit 99
for way in -O0 -O1; do
	"$gc_asm" "$top_srcdir/tests/exec/data/math_f32.gasm" --target=spirv $way -o kernel.spv ||
		{ fail "gc-asm $way exits $?"; continue; }
	"$exec" kernel.spv -g 1024 -b 0:0=x -b 0:1=y -b 0:2=zero:16777216 -p u32:262144 -o 0:2=out 2>err
	code=$?
	[ $code -ne 77 ] || skip "$(cat err)"
	[ $code -eq 0 ] || { fail "$way: exit $code: $(cat err)"; continue; }
	"$bits" compare x y out || fail "$way: other bits than on the CPU"
done
finish
