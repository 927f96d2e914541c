# SPDX-License-Identifier: MIT
# Files of ranks are reduced to the same bytes by every transport, algorithm and piece size; what
# is wrong with one of them ends all ranks, and no result appears.
. "${top_srcdir:-.}/tests/ranks/lib.sh"

cd "$scratch" || exit 99
for rank in 0 1 2 3; do
	floats in.$rank.raw $((rank + 1)) $((10 * rank)) 7 0 $((rank * rank)) 1024 $((100 - rank))
done
# Sums, averages and extremes of the columns.
floats sum.raw 10 60 28 0 14 4096 394
floats avg.raw 2.5 15 7 0 3.5 1024 98.5
floats max.raw 4 30 7 0 9 1024 100
for op in sum avg max; do
	for how in '--transport=inproc' '--transport=shm' '--transport=tcp' '--transport=shm --algo=ring' \
		'--transport=tcp --algo=doubling' '--transport=tcp --piece=64 --channels=2 --algo=ring' \
		'--transport=inproc --algo=ring --piece=64' '--transport=shm --private' '--transport=tcp --deterministic'; do
		rm -f out.*
		"$program" -n 4 $how -i in.%r.raw --type=f32 -o out.%r.of%n.raw --op=$op || fail "$op $how exits $?"
		for rank in 0 1 2 3; do
			cmp $op.raw out.$rank.of4.raw || fail "$op $how, rank $rank"
		done
	done
done

# One rank's file is shorter: 3, both ranks and counts named, nothing written.
floats in.2.raw 1 2 3
for transport in inproc shm tcp; do
	rm -f out.*
	"$program" -n 4 --transport=$transport -i in.%r.raw --type=f32 -o out.%r.raw >log 2>&1
	code=$?
	[ $code -eq 3 ] || fail "$transport, counts that differ: exit status $code"
	grep -q 'disagree on count' log || fail "$transport, counts that differ: $(cat log)"
	grep -q 'rank 2' log || fail "$transport, counts that differ, rank 2 is not named: $(cat log)"
	ls out.* >/dev/null 2>&1 && fail "$transport, counts that differ: there are results"
done
# One is malformed: 1. One is missing: 2.
cp "$top_srcdir/tests/data/good-f4.npy" a.0.npy
cp "$top_srcdir/tests/data/bad-truncated.npy" a.1.npy
for transport in inproc shm tcp; do
	"$program" -n 2 --transport=$transport -i a.%r.npy -o b.%r.npy >log 2>&1
	code=$?
	[ $code -eq 1 ] || fail "$transport, a malformed file: exit status $code: $(cat log)"
	"$program" -n 2 --transport=$transport -i none.%r.npy -o b.%r.npy >log 2>&1
	code=$?
	[ $code -eq 2 ] || fail "$transport, a missing file: exit status $code: $(cat log)"
	ls b.* >/dev/null 2>&1 && fail "$transport, a malformed file: there are results"
done
finish
