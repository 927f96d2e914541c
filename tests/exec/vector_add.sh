# SPDX-License-Identifier: MIT
# examples/vector_add in its three forms, from source to values: i + 0.5 for i < n, beyond
# that untouched. The stream has the legacy signature, which binds the same.
. "${top_srcdir:-.}/tests/lib.sh"

gc_asm=${GLACIER_ASM:-$top_builddir/src/gc-asm/gc-asm}
exec=$top_builddir/tests/exec/glacier-exec
[ -x "$gc_asm" ] || skip "gc-asm is not built"
[ -x "$exec" ] || skip "glacier-exec is not built: no Vulkan headers"
cd "$scratch" || exit 99

for way in 'gasm -O0' 'gasm -O1' 'gasm -g' 'json -O1' 'stream.json -O0 --workgroup=256' \
	'stream.json -O1 --workgroup=256'; do
	# shellcheck disable=SC2086 # the options are words
	"$gc_asm" "$top_srcdir/examples/vector_add".${way%% *} --target=spirv ${way#* } -o kernel.spv ||
		{ fail "gc-asm $way exits $?"; continue; }
	# Workgroups of 256: none, one lane, one short of a group, a group, one more, several.
	for n in 0 1 255 256 257 1000; do
		groups=$(((n + 255) / 256))
		[ $groups -gt 0 ] || groups=1
		elems=$((groups * 256))
		"$exec" kernel.spv -g $groups -b 0:0=iota:f32:$elems -b 0:1=fill:f32:0.5:$elems \
			-b 0:2=fill:f32:-7:$elems -p u32:$n -P 0:2=f32 >got 2>err
		code=$?
		[ $code -ne 77 ] || skip "$(cat err)"
		[ $code -eq 0 ] || { fail "$way, n = $n: exit $code: $(cat err)"; continue; }
		awk -v n=$n -v elems=$elems 'BEGIN { for (i = 0; i < elems; i++) print i < n ? i + 0.5 : -7 }' >want
		cmp want got || fail "$way, n = $n: not a[i] + b[i] for i < n"
	done
done
finish
