# SPDX-License-Identifier: MIT
# bench_backing.sh [KIND...] - gc-arena-bench over memory of devices that are here: every tier and
# pattern, watched, with numbers. A KIND that is named must be there; "vulkan" when none is.
. "${top_srcdir:-.}/tests/lib.sh"

bench=$top_builddir/src/gc-arena-bench/gc-arena-bench

# A machine without the library: each cell says so.
mkdir "$scratch/lib"
echo "no library" >"$scratch/lib/libvulkan.so.1"
LD_LIBRARY_PATH=$scratch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
	"$bench" --tier=slab,pool --pattern=hot --threads=1 --ops=10 --backing=vulkan --csv >"$scratch/out" 2>&1 ||
	fail "without a library the exit status is $?: $(cat "$scratch/out")"
[ "$(grep -cE 'libvulkan.so.1 cannot be opened|this build has no Vulkan device' "$scratch/out")" -eq 2 ] ||
	fail "without a library: $(cat "$scratch/out")"

[ $# -gt 0 ] || set -- vulkan
for kind; do
	"$bench" --tier=all --pattern=hot,ws,xfree --threads=1,2 --ops=60 --repeat=1 --arena=256M --backing="$kind" --check --csv \
		>"$scratch/$kind" 2>"$scratch/messages" || fail "$kind: the exit status is $?: $(cat "$scratch/$kind" "$scratch/messages")"
	if grep -qE 'cannot be opened|no Vulkan|no device|can be used' "$scratch/$kind"; then
		[ "$kind" = vulkan ] && skip "$(grep -m 1 slab "$scratch/$kind" | cut -d, -f15-)"
		fail "$(cat "$scratch/$kind")"
	fi
	# A time in every row but those that the pattern or the ring's order rule out, which say why.
	awk -F, 'NR > 1 && $15 ~ /checked/ && $5 + 0 > 0 {good[$1]++}
		NR > 1 && $15 !~ /checked/ && $15 !~ /pairs of threads|whole ring/ {print "not measured: " $0}
		END {n = split("pool slab buddy reservoir ring", tier, " ")
		     for (i = 1; i <= n; i++) if (good[tier[i]] < 3) print tier[i] ": " good[tier[i]] + 0 " cells"}' \
		"$scratch/$kind" >"$scratch/bad"
	[ ! -s "$scratch/bad" ] || fail "$kind: $(cat "$scratch/bad")"
	[ "$(sed 1d "$scratch/$kind" | wc -l)" -eq 30 ] || fail "$kind: not 30 rows: $(cat "$scratch/$kind")"

	# A log, by one thread and by two; and in memory that comes as it is asked for.
	printf 'gctrace 1\n0 a 0 3145728\n1 a 1 40000000\n1 f 0\n0 f 1\n' >"$scratch/log.gc"
	[ "$kind" = cuda ] && over="cuda virtual pinned" || over=$kind
	for backing in $over; do
		"$bench" --replay="$scratch/log.gc" --threads=1,2 --backing=$backing --csv >"$scratch/$kind" 2>&1 ||
			fail "$backing: a log: exit status $?: $(cat "$scratch/$kind")"
		[ "$(awk -F, 'NR > 1 && $3 + 0 > 0 && $9 == 0' "$scratch/$kind" | wc -l)" -eq 2 ] || fail "$backing: a log: $(cat "$scratch/$kind")"
	done
	if [ "$kind" = cuda ]; then
		"$bench" --tier=reservoir --pattern=hot,ws --threads=1,2 --ops=60 --repeat=1 --backing=virtual --check --csv >"$scratch/$kind" 2>&1 ||
			fail "virtual: exit status $?: $(cat "$scratch/$kind")"
		[ "$(awk -F, 'NR > 1 && $5 + 0 > 0' "$scratch/$kind" | wc -l)" -eq 4 ] || fail "virtual: $(cat "$scratch/$kind")"
	fi

	# More than it has: the reason, what the driver gives or its limit.
	"$bench" --tier=slab --pattern=hot --threads=1 --ops=10 --arena=200000G --backing="$kind" --csv >"$scratch/$kind" 2>&1 ||
		fail "$kind: too much memory, exit status $?"
	grep -qE ' gives (at most [0-9]+|[A-Z]+_ERROR_)' "$scratch/$kind" || fail "$kind: too much memory: $(cat "$scratch/$kind")"
done
finish
