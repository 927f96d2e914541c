# SPDX-License-Identifier: MIT
# A rank is killed, or stopped, at every step of the protocol: joining, each header and piece, each meeting, leaving. The
# launcher exits with 4, or 5; every other rank names it, or had its whole result before.
. "${top_srcdir:-.}/tests/ranks/lib.sh"

need timeout
steps=$top_builddir/tests/ranks/steps
case $steps in /*) ;; *) steps=$PWD/$steps ;; esac
cd "$scratch" || exit 99
cases=${GLACIER_STEPS:-3:shm:fold:6}
count=4001
for rank in 0 1 2 3; do
	printf "$(awk -v r=$rank -v n=$count 'BEGIN {
		for (i = 0; i < n; i++) printf "\\%03o", (i * 5 + r * 17 + int(i * i / (r + 3))) % 256 }')" >in.$rank
done
for size in 2 3 4; do
	printf "$(awk -v n=$count -v size=$size 'BEGIN {
		for (i = 0; i < n; i++) {
			sum = 0
			for (r = 0; r < size; r++) sum += (i * 5 + r * 17 + int(i * i / (r + 3))) % 256
			printf "\\%03o", sum % 256
		} }')" >want.$size
done

# start FOLDER SIZE TRANSPORT ALGORITHM RANK STEP SIGNAL: its exit status goes to FOLDER/code.
start()
{
	mkdir "$1"
	GLACIER_TEST_STEP=$5:$6:$7 timeout -s KILL 40 "$steps" -n $2 --transport=$3 --algo=$4 --timeout=3 --piece=640 \
		-i in.%r --type=u8 -o "$1/out.%r" >"$1/log" 2>&1
	echo $? >"$1/code"
}

# judge FOLDER SIZE WHAT RANK CODE
judge()
{
	code=$(cat "$1/code")
	what="$3: exit status $code: $(cat "$1/log")"
	rank=0
	while [ $rank -lt $2 ]; do
		if cmp -s want.$2 "$1/out.$rank"; then
			:
		elif [ -e "$1/out.$rank" ]; then
			fail "rank $rank has a wrong result, $what"
		elif [ $rank -ne $4 ]; then
			grep "^\[$rank\]" "$1/log" | grep -Eq "(lost rank $4|rank $4 has shown no life)" ||
				fail "rank $rank does not name rank $4, $what"
		elif [ "$code" -eq 0 ]; then
			fail "rank $rank has no result, $what"
		fi
		rank=$((rank + 1))
	done
	# How often a rank tries to connect is not the same every time: it may have ended before that step.
	[ "$code" -eq "$5" ] || { [ "$code" -eq 0 ] && cmp -s want.$2 "$1/out.$4"; } || fail "not $5, $what"
	rm -rf "$1"
}

# Some at once: most of the time they wait.
all_of()
{
	for run in $pending; do
		wait "${run%%:*}"
	done
	for run in $pending; do
		rest=${run#*:}
		judge $(echo "$rest" | tr : ' ')
	done
	pending=
}

total=0
for case in $cases; do
	IFS=: read -r size transport algo every <<-END
	$case
	END
	rm -rf first
	start first $size $transport $algo 0 0 0
	[ "$(cat first/code)" -eq 0 ] && cmp want.$size first/out.0 || fail "$case without a fault: $(cat first/log)"
	last=$(awk '$2 == "step" {last = $3} END {print last + 0}' first/log)
	[ "$last" -ge 10 ] || fail "$case: only $last steps"
	for signal in 9:4 19:5; do
		# Where a stop is only tried at some steps, it is not always the same rank.
		[ $signal = 9:4 ] && by=1 || by=$every
		pending= some=0 step=1
		while [ $step -le "$last" ]; do
			victim=$(((step / by) % size))
			folder=run.$step
			start $folder $size $transport $algo $victim $step ${signal%:*} &
			pending="$pending $!:$folder:$size:${size}_${transport}_$algo,step_$step,signal_${signal%:*}:$victim:${signal#*:}"
			total=$((total + 1))
			some=$((some + 1))
			[ $((some % 8)) -ne 0 ] || all_of
			step=$((step + by))
		done
		all_of
	done
done
finish "$total runs"
