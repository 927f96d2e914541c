#!/bin/sh
# SPDX-License-Identifier: MIT
# LLVM reads the bitcode that extract gives, and counts the blocks, abbreviations and records that inspect does:
# of our own containers, and of those under GLACIER_CORPUS.
. "${top_srcdir:-.}/tests/lib.sh"

gc_dxbc=$top_builddir/src/gc-dxbc/gc-dxbc
for version in 14 15; do
	command -v llvm-bcanalyzer-$version >/dev/null 2>&1 && command -v llvm-dis-$version >/dev/null 2>&1 && llvm=$version && break
done
[ -n "$llvm" ] || skip "llvm-14 and llvm-15 are not here"

checked=0
check()
{
	"$gc_dxbc" extract -w "$1" --part=DXIL --as=bitcode -o "$scratch/code.bc" || { fail "$1: extract"; return; }
	llvm-dis-$llvm "$scratch/code.bc" -o "$scratch/code.ll" 2>"$scratch/error" || fail "$1: llvm-dis: $(head -n 1 "$scratch/error")"
	llvm-bcanalyzer-$llvm "$scratch/code.bc" 2>/dev/null | awk '
		/Block ID #/ { sub(/.*#/, ""); id = $1 + 0; on = 1 }
		on && /Num Instances:/ { n = $3 }
		on && /SubBlocks:/ { s = $3 + 0 }    # "Num 4", or of several "Tot/Avg 4/2.0"
		on && /[mg] Abbrevs:/ { a = $3 + 0 }
		on && /[mg] Records:/ { print id, n, s, a, $3 + 0; on = 0 }' | sort >"$scratch/theirs"
	"$gc_dxbc" inspect -w "$1" --part=DXIL --bitcode | awk '
		/^  blocks:/ { on = 1; next }
		on && $2 ~ /^[0-9]+$/ { print $2, $3, $4, $5, $6 }' | sort >"$scratch/ours"
	[ -s "$scratch/theirs" ] || fail "$1: llvm-bcanalyzer counted nothing"
	diff "$scratch/theirs" "$scratch/ours" >"$scratch/diff" || fail "$1: other counts (theirs <): $(tr '\n' ' ' <"$scratch/diff")"
	checked=$((checked + 1))
}

check "$top_srcdir/examples/compute.dxil"
check "$top_srcdir/examples/debug.dxil"
if [ -n "$GLACIER_CORPUS" ]; then
	for file in "$GLACIER_CORPUS"/dxbc/*.dxbc; do
		"$gc_dxbc" list -w "$file" 2>/dev/null | awk '$2 == "DXIL" { found = 1 } END { exit !found }' && check "$file"
	done
fi
finish "$checked containers, LLVM $llvm"
