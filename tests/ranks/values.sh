# SPDX-License-Identifier: MIT
# The program's own check, over processes: it passes, and it fails where a fault is planted.
. "${top_srcdir:-.}/tests/ranks/lib.sh"

ranks=${GLACIER_RANKS:-1 2 3 5}
types=${GLACIER_TYPES:-f32 bf16 i8 u64}
ops=${GLACIER_OPS:-sum avg minnum}
count=0
for n in $ranks; do
	for transport in inproc shm tcp; do
		for type in $types; do
			for op in $ops; do
				"$program" -n "$n" --transport=$transport -d "$type" --op="$op" -b 8 -e 300K -f 19 -w 0 --iters=1 -c 1 \
					>"$scratch/log" 2>&1 || fail "$n ranks, $transport, $type, $op: exit status $?: $(cat "$scratch/log")"
				count=$((count + 1))
			done
		done
	done
done
for transport in inproc shm tcp; do
	"$program" -n 3 --transport=$transport -b 1000 -e 1000 -w 0 --iters=1 --random >"$scratch/log" 2>&1 ||
		fail "$transport, random: exit status $?: $(cat "$scratch/log")"
	"$program" -n 3 --transport=$transport -b 1000 -e 1000 -w 0 --iters=1 --check --plant-fault >"$scratch/log" 2>&1
	code=$?
	[ $code -eq 1 ] || fail "$transport: a planted fault gives exit status $code"
	awk 'END {exit $NF != 1}' "$scratch/log" || fail "$transport: a planted fault is counted as: $(tail -n 1 "$scratch/log")"
done
finish "$count runs"
