# SPDX-License-Identifier: MIT
# allreduce.sh [ROUNDS] - gc-allreduce, Open MPI, MPICH and Gloo on the same arrays, in turns; ratios of the best times.
#
# Open MPI as shipped, and at its best: the least of its default algorithm with malloc kept from giving memory back, and
# its ring in segments of 1 MiB. MPICH with malloc kept so, and with two ranks only: it spins, and more would measure the
# scheduler. Gloo over TCP, the least of its four algorithms. The limit is what moving the same bytes alone takes in the same run (allreduce_limit.c). Run it in the build
# folder, and let nothing else run.
#
# RANKS, SIZES     numbers of ranks and bytes
# TRANSPORTS       "shm tcp"
# CONGESTION=reno  all of it in a network namespace with this congestion control
# PEERS=FOLDER     mpi, mpich, gloo and limit, built elsewhere: for a machine without compilers
# STRANGERS=1      instead, over TCP: how much longer with 1,000 strangers at the port
: "${top_srcdir:=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)}"
rounds=${1:-3}
program=$PWD/src/gc-allreduce/gc-allreduce
transports=${TRANSPORTS:-shm tcp}
sizes=${SIZES:-1024 4096 65536 1048576 16777216 67108864}
if [ -n "${CONGESTION:-}" ]; then
	inside=$CONGESTION
	unset CONGESTION
	export top_srcdir
	exec unshare -rn sh -c 'ip link set lo up && echo "$1" >/proc/sys/net/ipv4/tcp_congestion_control && exec sh "$2" "$3"' sh \
		"$inside" "$0" "$rounds"
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/glacier-allreduce.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# by_hand PORT: two ranks that meet at the port; the time of 64 MiB.
by_hand()
{
	for rank in 1 0; do
		GLACIER_RANK=$rank GLACIER_SIZE=2 GLACIER_ADDR=127.0.0.1:$1 GLACIER_JOB_TOKEN=$(printf '%064d' 7) \
			"$program" -b 64M -e 64M -w 2 --iters=20 --csv >"$scratch/out.$rank" &
	done
	wait $!
	awk -F, 'NR == 2 {print $6}' "$scratch/out.0"
}
if [ -n "${STRANGERS:-}" ]; then
	port=21000 round=0
	while [ $round -lt $((rounds * 3)) ]; do
		echo "alone $(by_hand $port)"
		# They come from before the first rank listens until after the last one has its result.
		port=$((port + 1))
		"$PWD/tests/ranks/stranger" $port 1000 >"$scratch/strangers" &
		echo "strangers $(by_hand $port)"
		kill $! 2>/dev/null
		port=$((port + 1)) round=$((round + 1))
	done | awk '!($1 in best) || $2 < best[$1] {best[$1] = $2}
		END {printf "64 MiB over TCP, N = 2: %.0f us alone, %.0f us with strangers, %.3f times\n", best["alone"],
			best["strangers"], best["strangers"] / best["alone"]}'
	exit 0
fi

if [ "${PEERS:-}" ]; then
	cp "$PEERS"/* "$scratch"
else
	mpicc.openmpi -O2 -o "$scratch/mpi" "$top_srcdir/bench/mpi_allreduce.c" || exit 77
	mpicc.mpich -O2 -o "$scratch/mpich" "$top_srcdir/bench/mpi_allreduce.c" 2>/dev/null
	${CXX:-c++} -O2 -std=c++17 -o "$scratch/gloo" "$top_srcdir/bench/gloo_allreduce.cc" -lgloo -lpthread 2>/dev/null
	${CC:-cc} -O2 -o "$scratch/limit" "$top_srcdir/bench/allreduce_limit.c" || exit 77
fi
echo "congestion control: $(cat /proc/sys/net/ipv4/tcp_congestion_control); processors: $(nproc)"

# ours NAME OPTION...: lines of NAME, bytes, us
ours()
{
	name=$1
	shift
	for size in $sizes; do
		iters=1000
		[ "$size" -gt 65536 ] && iters=100
		[ "$size" -gt 1048576 ] && iters=10
		"$program" -b "$size" -e "$size" -w 3 --iters=$iters --csv "$@" |
			awk -F, -v name="$name" 'NR == 2 {print name, $1, $6}'
	done
}

mpi()
{
	name=$1
	shift
	mpirun.openmpi --oversubscribe "$@" "$scratch/mpi" $sizes 2>/dev/null | awk -v name="$name" '{print name, $0}'
}

# mpich NAME VARIABLE VALUE...
mpich()
{
	name=$1
	shift
	[ -x "$scratch/mpich" ] && [ "$n" -eq 2 ] || return
	mpirun.mpich -n "$n" -genv MALLOC_MMAP_THRESHOLD_ 4294967296 -genv MALLOC_TRIM_THRESHOLD_ 17179869184 "$@" \
		"$scratch/mpich" $sizes 2>/dev/null </dev/null | awk -v name="$name" '{print name, $0}'
}

gloo()
{
	[ -x "$scratch/gloo" ] || return
	rm -rf "$scratch/meet" && mkdir "$scratch/meet"
	timeout 600 "$scratch/gloo" "$scratch/meet" "$n" $sizes 2>/dev/null | awk '{print "gloo-tcp", $2, $3}'
}

keep='-x MALLOC_MMAP_THRESHOLD_=4294967296 -x MALLOC_TRIM_THRESHOLD_=17179869184'
ring='--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 5 --mca coll_tuned_allreduce_algorithm_segmentsize 1048576'
with_shm()
{
	ours shm -n "$n"
	ours private -n "$n" --private
	mpi mpi-shm -n "$n"
	mpi best-shm -n "$n" $keep
	mpi best-shm -n "$n" $keep $ring
	mpich mpich-shm
	"$scratch/limit" memory "$n" $sizes | sed 's/^/limit-shm /'
}

with_tcp()
{
	ours tcp -n "$n" --transport=tcp
	mpi mpi-tcp -n "$n" --mca btl tcp,self --mca btl_tcp_if_include lo
	mpi best-tcp -n "$n" $keep --mca btl tcp,self --mca btl_tcp_if_include lo
	mpi best-tcp -n "$n" $keep $ring --mca btl tcp,self --mca btl_tcp_if_include lo
	gloo
	mpich mpich-tcp -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES lo
	"$scratch/limit" tcp "$n" $sizes | sed 's/^/limit-tcp /'
}

for n in ${RANKS:-2 4}; do
	: >"$scratch/times"
	round=0
	while [ $round -lt "$rounds" ]; do
		{
			for what in $transports; do
				"with_$what"
			done
		} >>"$scratch/times"
		round=$((round + 1))
	done
	awk -v n="$n" -v sizes="$sizes" -v transports="$transports" '
		{ key = $1 " " $2; if (!(key in best) || $3 < best[key]) best[key] = $3 }
		function least(a, b) { return a < b ? a : b }
		function ratio(a, b) { return a && b ? sprintf("%.2f", a / b) : "-" }
		function table(what, ours,    i, b, peer) {
			printf "\nN = %d, %s: us; how many times as long the peer takes; which part of our time the limit is\n\n", n, what
			print "| bytes | ours | Open MPI | its best | ratios | MPICH | ratio | limit | share |" \
				(what == "shm" ? " private | ratio to best |" : " Gloo | ratio |")
			print "|---|---|---|---|---|---|---|---|---|---|---|"
			for (i = 1; i in order; i++) {
				b = " " order[i]
				ours = best[what b]
				peer = least(best["best-" what b], best["mpi-" what b])
				printf "| %d | %.1f | %.1f | %.1f | %s, %s | %.1f | %s | %.1f | %s |", order[i], ours, best["mpi-" what b], peer,
					ratio(best["mpi-" what b], ours), ratio(peer, ours), best["mpich-" what b],
					ratio(best["mpich-" what b], ours), best["limit-" what b], ratio(best["limit-" what b], ours)
				if (what == "shm")
					printf " %.1f | %s |", best["private" b], ratio(peer, best["private" b])
				else
					printf " %.1f | %s |", best["gloo-tcp" b], ratio(best["gloo-tcp" b], ours)
				printf "\n"
			}
		}
		END {
			split(sizes, order, " ")
			count = split(transports, each, " ")
			for (t = 1; t <= count; t++)
				table(each[t])
		}' "$scratch/times"
done
