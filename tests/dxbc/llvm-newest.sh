# SPDX-License-Identifier: MIT
# The newest LLVM beside us says of every container what we do, field by field (obj2yaml); dumps
# the same bitcode; takes parts away as we do, but for the digest, which it leaves stale; and
# copies what we pack to the same bytes (llvm-objcopy, from LLVM 22 on).
. "${top_srcdir:-.}/tests/lib.sh"

gc_dxbc=$top_builddir/src/gc-dxbc/gc-dxbc
for version in 30 29 28 27 26 25 24 23 22 21 20 19; do
	command -v obj2yaml-$version >/dev/null 2>&1 && llvm=$version && break
done
[ -n "$llvm" ] || skip "no obj2yaml from LLVM 19 or later is here"
python=python3   # Debian's own has Debian's modules
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
$python -c 'import yaml' 2>/dev/null || skip "python3-yaml is not here"

# What pack, strip, add and sign make is read too.
example=$top_srcdir/examples/compute.dxil
cd "$scratch" || exit 99
"$gc_dxbc" extract -w "$example" --part=DXIL --as=bitcode -o code.bc &&
	"$gc_dxbc" pack code.bc --kind=cs --model=6.6 --numthreads=8,4,2 -o packed.dxil || fail "pack exits $?"
"$gc_dxbc" strip "$example" -o stripped.dxil || fail "strip exits $?"
"$gc_dxbc" sign --digest=debug "$example" -o signed.dxil || fail "sign exits $?"
set -- "$example" packed.dxil stripped.dxil signed.dxil "$top_srcdir"/examples/*.dx*
[ -z "$GLACIER_CORPUS" ] || set -- "$@" "$GLACIER_CORPUS"/dxbc/*.dxbc
$python "$top_srcdir/tests/dxbc/against_obj2yaml.py" "$gc_dxbc" obj2yaml-$llvm "$@" || fail "obj2yaml-$llvm says otherwise"

dumped=0 removed=0 refused=0
if llvm-objcopy-$llvm "$example" copy 2>/dev/null; then
	for file; do
		# It refuses a PSV0 that is not aligned in the file.
		llvm-objcopy-$llvm "$file" copy 2>error || { refused=$((refused + 1)); continue; }
		cmp "$file" copy || fail "$file: the copy differs"
		parts=$("$gc_dxbc" list -w "$file" | awk 'length($2) == 4 && $2 ~ /^[A-Z0-9]+$/ && !seen[$2]++ { print $2 }')
		case " $(echo $parts) " in *' DXIL '*) ;; *) continue ;; esac
		llvm-objcopy-$llvm --dump-section=DXIL=theirs "$file" copy || fail "$file: it dumps nothing"
		"$gc_dxbc" extract -w "$file" --part=DXIL --as=bitcode -o ours && cmp theirs ours || fail "$file: other bitcode"
		dumped=$((dumped + 1))
		for part in STAT PSV0 RTS0; do
			case " $(echo $parts) " in *" $part "*) ;; *) continue ;; esac
			llvm-objcopy-$llvm --remove-section=$part "$file" theirs
			"$gc_dxbc" remove -w "$file" --part=$part -o ours || fail "$file: remove $part exits $?"
			# Everything but the sixteen bytes of the digest.
			tail -c +21 theirs >theirs.rest
			tail -c +21 ours >ours.rest
			cmp theirs.rest ours.rest || fail "$file: other bytes without $part"
			removed=$((removed + 1))
		done
	done
fi
[ $dumped -gt 0 ] || ! llvm-objcopy-$llvm "$example" copy 2>/dev/null || fail "nothing was compared"
finish "$# containers, LLVM $llvm: $dumped bitcodes the same, $removed removals the same; it refuses $refused"
