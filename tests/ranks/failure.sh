# SPDX-License-Identifier: MIT
# A rank that is killed or stopped ends all others, who name it, with 4 and 5; a rank that is late
# does not. Every wait here has a limit, and none is compared with a clock but by that.
. "${top_srcdir:-.}/tests/ranks/lib.sh"

need pgrep timeout
cd "$scratch" || exit 99

# hurt TRANSPORT SIGNAL RANK CODE SECONDS: in a run without an end, after so long.
hurt()
{
	rm -f log
	timeout -s KILL 30 "$program" -n 4 --transport=$1 --algo=$6 --timeout=1.5 -b 1M -e 1M -w 0 --iters=100000000 >log 2>&1 &
	timer=$!
	launcher= tries=0
	while [ -z "$launcher" ] || [ -z "$(child "$launcher" $(($3 + 1)))" ]; do
		launcher=$(child $timer 1)
		tries=$((tries + 1))
		[ $tries -lt 200 ] || { fail "$1: no rank $3"; return; }
		sleep 0.05
	done
	victim=$(child "$launcher" $(($3 + 1)))
	sleep "$5"
	kill -"$2" "$victim"
	wait $timer
	code=$?
	[ $code -eq "$4" ] || fail "$1 $6, rank $3 gets $2: exit status $code: $(cat log)"
	for rank in 0 1 2 3; do
		[ $rank -eq "$3" ] || grep "^\[$rank\]" log | grep -Eq "(lost rank $3|rank $3 has shown no life)" ||
			fail "$1 $6, rank $3 gets $2: rank $rank does not say so: $(cat log)"
	done
}

hurt shm KILL 1 4 0.4 fold
hurt shm STOP 2 5 0.4 ring
hurt tcp KILL 0 4 0.4 ring
hurt tcp KILL 3 4 0.3 doubling
hurt tcp STOP 1 5 0.4 ring

# Late, not dead: rank 1's input is a FIFO that opens after the others wait.
floats in.0 1 2
floats in.2 3 4
mkfifo in.1
timeout -s KILL 30 "$program" -n 3 --transport=tcp --timeout=0.8 -i in.%r --type=f32 -o out.%r >log 2>&1 &
waiter=$!
sleep 2.6
floats late 5 6
cat late >in.1
wait $waiter
code=$?
[ $code -eq 0 ] || fail "a late rank: exit status $code: $(cat log)"
floats want 9 12
cmp want out.2 || fail "a late rank: the result is wrong"
grep -q 'waiting for rank 1' log || fail "nobody says that rank 1 is late: $(cat log)"
finish
