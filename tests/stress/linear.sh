# SPDX-License-Identifier: MIT
# Instructions that the compiler executes, counted by callgrind (they repeat; times do not):
# what is twice as long costs twice as much. And what multiplies by nature ends at a limit.
. "${top_srcdir:-.}/tests/lib.sh"

work=$top_builddir/tests/stress/linear-work
[ -x "$work" ] || skip "linear-work is not built"

# refused KIND SIZE CODE: ends soon, with that code, in less than 300 MiB.
refused()
{
	timeout 30 "$work" "$1" "$2" ptx >"$scratch/out" 2>&1
	code=$?
	[ $code -eq 1 ] || { fail "$1 $2: exit $code"; return; }
	grep -q "^$3\$" "$scratch/out" || fail "$1 $2: not $3 but $(head -n 1 "$scratch/out")"
	held=$(sed -n 's/.*text, \([0-9]*\) MiB.*/\1/p' "$scratch/out")
	[ "${held:-999}" -lt 300 ] || fail "$1 $2: $held MiB were held"
}
refused breaks 4000 GA0006
refused full-unrolls 900 GA0060
refused empty-unrolls 900 GA0060
refused specs 100000 GA0006
refused nested-ifs 1001 GA0008
# Much of one thing is no error.
for case in "registers 1000000" "kernels 10000" "nested-loops 999" "breaks 1000" "buffers 60000"; do
	timeout 30 "$work" $case spirv >"$scratch/out" 2>&1 || fail "$case: exit $?: $(cat "$scratch/out")"
done

[ -z "$SANITIZERS" ] || finish "limits; no counts under sanitizers"
if ! command -v valgrind >/dev/null 2>&1; then
	[ "$failures" -eq 0 ] || finish
	skip "the limits hold; valgrind is not here to count"
fi

# count KIND SIZE TARGET: instructions a unit of size, in hundredths.
count()
{
	function=measured
	[ "$3" != validate ] || function=measured_validation
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=$function "$work" "$@" \
		>"$scratch/log.$1.$2" 2>&1
	sed -n 's/.*Collected : //p' "$scratch/log.$1.$2" | awk -v n="$2" '{ printf "%d", $1 * 100 / n }'
}

# linear KIND SMALL LARGE TARGET PERCENT: a unit of the large one may cost so much of the small one's.
linear()
{
	small=$(count "$1" "$2" "$4")
	large=$(count "$1" "$3" "$4")
	[ -n "$small" ] && [ -n "$large" ] && [ "$small" -gt 0 ] || { fail "$1: callgrind counted nothing"; return; }
	echo "$1, $4: $((small / 100)) instructions a unit of $2, $((large / 100)) a unit of $3"
	[ $((large * 100)) -le $((small * $5)) ] || fail "$1, $4: $3 cost more than $5 % of $2, each"
}
for target in spirv ptx; do
	[ $target = ptx ] || linear straight 1000 100000 $target 110
	linear chained-ifs 10 1000 $target 110
	linear nested-ifs 10 1000 $target 110
	linear nested-loops 10 999 $target 110
	# 109.9 to 110.1 for ptx, by where the linker puts things: not a limit to stand on.
	linear chained-loops 10 1000 $target 112
	linear kernels 10 1000 $target 125
done
linear straight 1000 30000 ptx 110
linear registers 1000 30000 spirv 110
linear literals 1000 30000 spirv 110
linear barriers 10 1000 spirv 110
# Existing SPIR-V.
linear straight 1000 30000 validate 110
linear chained-ifs 10 1000 validate 110
linear chained-loops 10 1000 validate 110
linear nested-ifs 10 1000 validate 110
linear nested-loops 10 999 validate 110
linear kernels 10 1000 validate 125
finish
