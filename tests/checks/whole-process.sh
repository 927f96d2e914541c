# SPDX-License-Identifier: MIT
# A whole run on the smallest example, loader and exit included, executes at most 0.6
# million instructions (spirv-as on the same module: 2.5 million).
. "${top_srcdir:-.}/tests/lib.sh"

limit=${GLACIER_PROCESS_LIMIT:-600000}
example=$(cd "$top_srcdir" && pwd)/examples/vector_add.gasm
[ -z "$SANITIZERS" ] || skip "sanitizers are on"
need valgrind
binary=$(cd "$top_builddir" && pwd)/src/gc-asm/gc-asm
[ -x "$binary" ] || skip "gc-asm is not built"
[ -e "${binary%/*}/.libs/gc-asm" ] && binary=${binary%/*}/.libs/gc-asm
LD_LIBRARY_PATH=$(cd "$top_builddir" && pwd)/lib/.libs
export LD_LIBRARY_PATH
cd "$scratch" || exit 99

for target in spirv ptx; do
	valgrind --tool=callgrind --callgrind-out-file=callgrind.out \
		"$binary" "$example" --target=$target -o /dev/null >out 2>err ||
		fail "gc-asm --target=$target: $(tail -n 3 err)"
	count=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' err)
	echo "gc-asm vector_add.gasm --target=$target: ${count:-no} instructions, $limit allowed"
	[ "${count:-0}" -gt 0 ] || fail "the run cannot be measured"
	[ "${count:-0}" -le "$limit" ] || fail "$target: $count instructions"
done

validator=${LD_LIBRARY_PATH%/lib/.libs}/src/gc-spv-val/gc-spv-val
[ -e "${validator%/*}/.libs/gc-spv-val" ] && validator=${validator%/*}/.libs/gc-spv-val
if [ -x "$validator" ]; then
	"$binary" "$example" --target=spirv -o module.spv || fail "gc-asm exits $?"
	valgrind --tool=callgrind --callgrind-out-file=callgrind.out "$validator" module.spv >out 2>err ||
		fail "gc-spv-val: $(tail -n 3 err)"
	count=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' err)
	echo "gc-spv-val vector_add.spv: ${count:-no} instructions, $limit allowed"
	[ "${count:-0}" -gt 0 ] || fail "the run cannot be measured"
	[ "${count:-0}" -le "$limit" ] || fail "gc-spv-val: $count instructions"
else
	fail "gc-spv-val is not built"
fi
finish
