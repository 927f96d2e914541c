# SPDX-License-Identifier: MIT
# What stands between ranks delays, throttles, splits, changes, cuts, half-closes, resets and silences one
# connection. Every rank has the right bytes, or every rank ends with the code for it, and names a rank of the edge.
. "${top_srcdir:-.}/tests/ranks/lib.sh"

need timeout
relay=$top_builddir/tests/ranks/relay
case $relay in /*) ;; *) relay=$PWD/$relay ;; esac
case $program in /*) ;; *) program=$PWD/$program ;; esac
cd "$scratch" || exit 99
edges=${GLACIER_EDGES:-1}
count=30011
for rank in 0 1 2; do
	printf "$(awk -v r=$rank -v n=$count 'BEGIN {
		for (i = 0; i < n; i++) printf "\\%03o", (i * 7 + r * 31 + int(i * i / (r + 5))) % 256 }')" >in.$rank
done
printf "$(awk -v n=$count 'BEGIN {
	for (i = 0; i < n; i++) {
		sum = 0
		for (r = 0; r < 3; r++) sum += (i * 7 + r * 31 + int(i * i / (r + 5))) % 256
		printf "\\%03o", sum % 256
	} }')" >want
runs=0

# relayed CODE NAMES ALGORITHM FAULT PURPOSE INDEX FROM WAY AT [OPTION...]: what all ranks exit with and say.
relayed()
{
	code=$1 names=$2 algo=$3
	what="$4 $5 $6 from $7 $8 at $9, $algo"
	spec="$4 $5 $6 $7 $8 $9"
	shift 9
	rm -f out.* log.*
	[ $# -gt 0 ] || set -- -i in.%r --type=u8 -o out.%r
	"$relay" 3 $spec "$program" --timeout=3 --algo=$algo --piece=4096 "$@" >codes || fail "$what: the relay exits $?"
	runs=$((runs + 1))
	[ "$(cat codes)" = "$code $code $code" ] || fail "$what: exit statuses $(cat codes), not $code: $(cat log.*)"
	for rank in 0 1 2; do
		if [ "$code" -ne 0 ]; then
			grep -Eq "error: .*$names" log.$rank || fail "$what: rank $rank does not say '$names': $(cat log.$rank)"
			[ ! -e out.$rank ] || fail "$what: rank $rank has a result"
		elif [ "$1" = -i ]; then
			cmp want out.$rank || fail "$what: rank $rank"
		fi
	done
}

# Behind hello and proof of who connects; 72 bytes of header; 32 of the piece's head.
header=104 piece=176 payload=208
for algo in ring doubling; do
	for fault in none delay throttle split; do
		relayed 0 '' $algo $fault any -1 -1 up 0
	done
done
for from in $edges; do
	to=$(((from + 1) % 3))
	either="rank ($from|$to)([^0-9]|$)"
	# The count, and the algorithm.
	relayed 3 'disagree on count' ring flip link 0 $from up $((header + 24))
	relayed 3 'disagree on algorithm' ring flip link 0 $from up $((header + 52))
	relayed 4 "what rank $from sent is not what rank $to expects" ring flip link 0 $from up $((piece + 4))
	relayed 4 "bytes that rank $from sent to rank $to changed" ring flip link 0 $from up $((payload + 2000))
	for fault in truncate halfclose reset; do
		relayed 4 "lost $either" ring $fault link 0 $from up $((payload + 3000))
	done
	relayed 4 "lost $either" ring reset link 0 $from up $((header + 30))
	# The bytes alone stop: signs of life still come.
	relayed 5 "rank $from has shown no life" ring silent link 0 $from up $((payload + 3000))
	relayed 5 "rank $from has shown no life" doubling silent link 1 $from up $((payload + 30))
	# The other way about, while there is work without an end.
	for way in up down; do
		[ $way = up ] && at=120 || at=104
		for fault in truncate halfclose reset; do
			relayed 4 "lost $either" ring $fault control 0 $from $way $at -b 8K -e 8K -w 0 --iters=100000000
		done
	done
	relayed 4 "what rank $from sent is not what rank $to expects" ring flip control 0 $from up 104 \
		-b 8K -e 8K -w 0 --iters=100000000
	relayed 5 "$either.*no life" ring silent control 0 $from up 120 -b 8K -e 8K -w 0 --iters=100000000
	# Before ranks know each other, another try is as good.
	for fault in flip truncate halfclose reset; do
		relayed 0 '' ring $fault link 0 $from up 2
		relayed 0 '' ring $fault control 0 $from down 2
	done
	relayed 0 '' ring silent link 0 $from up 70
done
# Where rank 1 or rank 2 listens does not get through.
for fault in truncate halfclose reset; do
	relayed 4 'rank' ring $fault join 0 1 up 110
done
finish "$runs runs"
