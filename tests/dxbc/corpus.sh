#!/bin/sh
# SPDX-License-Identifier: MIT
# Real containers: each lists, inspects, verifies and is made again byte by byte; each compute container of
# DXIL is packed again from its bitcode and what inspect says of it.
. "${top_srcdir:-.}/tests/lib.sh"

gc_dxbc=$top_builddir/src/gc-dxbc/gc-dxbc
[ -n "$GLACIER_CORPUS" ] || skip "GLACIER_CORPUS is not set: 763 containers are not read"
[ -d "$GLACIER_CORPUS/dxbc" ] || skip "there is no folder dxbc in $GLACIER_CORPUS"

count=0 packed=0
for file in "$GLACIER_CORPUS"/dxbc/*.dxbc; do
	count=$((count + 1))
	name=$(basename "$file")
	"$gc_dxbc" list -w "$file" >"$scratch/list" || fail "$name: list"
	"$gc_dxbc" inspect -w --json "$file" >"$scratch/inspect.json" || fail "$name: inspect"
	"$gc_dxbc" verify -q -w "$file" || fail "$name: verify"
	"$gc_dxbc" extract -w --all "$file" -o "$scratch/parts" &&
		"$gc_dxbc" pack --from-manifest "$scratch/parts/manifest.json" -o "$scratch/again" &&
		cmp -s "$file" "$scratch/again" || fail "$name: another container came out of its parts"
	rm -rf "$scratch/parts"
	"$gc_dxbc" sign -w "$file" --digest="$(sed -n '1s/.*digest \([a-z]*\).*/\1/p' "$scratch/list")" -o "$scratch/again" &&
		cmp -s "$file" "$scratch/again" || fail "$name: signing it anew changed it"
	# What strip takes out goes back to its place.
	for part in RDEF STAT RTS0; do
		awk -v part=$part '$2 == part { found = 1 } END { exit !found }' "$scratch/list" && [ "$(wc -l <"$scratch/list")" -gt 3 ] || continue
		"$gc_dxbc" extract -w "$file" --part=$part -o "$scratch/data" &&
			"$gc_dxbc" remove -w "$file" --part=$part -o "$scratch/without" &&
			"$gc_dxbc" add -w "$scratch/without" --part=$part="$scratch/data" --unaligned -o "$scratch/again" &&
			cmp -s "$file" "$scratch/again" || fail "$name: $part did not go back to its place"
	done
	if head -n 1 "$scratch/list" | grep -q 'compute 6'; then
		packed=$((packed + 1))
		"$gc_dxbc" extract -w "$file" --part=DXIL --as=bitcode -o "$scratch/code.bc" &&
			"$gc_dxbc" inspect -w --json --full "$file" >"$scratch/full.json" &&
			"$gc_dxbc" pack "$scratch/code.bc" --resources="$scratch/full.json" --unaligned -o "$scratch/again" &&
			cmp -s "$file" "$scratch/again" || fail "$name: pack made another container"
	fi
done
[ "$count" -gt 0 ] || fail "there are no containers in $GLACIER_CORPUS/dxbc"
finish "$count containers, $packed packed again"
