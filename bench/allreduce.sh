# SPDX-License-Identifier: MIT
# allreduce.sh [ROUNDS] - gc-allreduce and Open MPI on the same arrays, in turns; ratios of the best times.
#
# Open MPI as shipped, and at its best: the least of its default algorithm with malloc kept from giving
# memory back, and its ring in segments of 1 MiB. Run it in the build folder, and let nothing else run.
: "${top_srcdir:=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)}"
rounds=${1:-3}
program=$PWD/src/gc-allreduce/gc-allreduce
sizes='1024 4096 65536 1048576 16777216 67108864'
scratch=$(mktemp -d "${TMPDIR:-/tmp}/glacier-allreduce.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

mpicc.openmpi -O2 -o "$scratch/mpi" "$top_srcdir/bench/mpi_allreduce.c" || exit 77
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

keep='-x MALLOC_MMAP_THRESHOLD_=4294967296 -x MALLOC_TRIM_THRESHOLD_=17179869184'
ring='--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 5 --mca coll_tuned_allreduce_algorithm_segmentsize 1048576'
for n in ${RANKS:-2 4}; do
	: >"$scratch/times"
	round=0
	while [ $round -lt "$rounds" ]; do
		{
			ours shm -n "$n"
			ours private -n "$n" --private
			mpi mpi-shm -n "$n"
			mpi best-shm -n "$n" $keep
			mpi best-shm -n "$n" $keep $ring
			ours tcp -n "$n" --transport=tcp
			mpi mpi-tcp -n "$n" --mca btl tcp,self --mca btl_tcp_if_include lo
			mpi best-tcp -n "$n" $keep --mca btl tcp,self --mca btl_tcp_if_include lo
			mpi best-tcp -n "$n" $keep $ring --mca btl tcp,self --mca btl_tcp_if_include lo
		} >>"$scratch/times"
		round=$((round + 1))
	done
	awk -v n="$n" '
		{ key = $1 " " $2; if (!(key in best) || $3 < best[key]) best[key] = $3; sizes[$2] = 1 }
		END {
			split("1024 4096 65536 1048576 16777216 67108864", order, " ")
			printf "\nN = %d: least time in us, and how many times as long Open MPI takes (as shipped, at its best)\n\n", n
			print "| bytes | shm | Open MPI | best | ratio | private | ratio to best | tcp | Open MPI tcp | best | ratio |"
			print "|---|---|---|---|---|---|---|---|---|---|---|"
			for (i = 1; i in order; i++) {
				b = order[i]
				bs = best["best-shm " b] < best["mpi-shm " b] ? best["best-shm " b] : best["mpi-shm " b]
				bt = best["best-tcp " b] < best["mpi-tcp " b] ? best["best-tcp " b] : best["mpi-tcp " b]
				printf "| %d | %.1f | %.1f | %.1f | %.2f, %.2f | %.1f | %.2f | %.1f | %.1f | %.1f | %.2f, %.2f |\n", b,
					best["shm " b], best["mpi-shm " b], bs, best["mpi-shm " b] / best["shm " b], bs / best["shm " b],
					best["private " b], bs / best["private " b], best["tcp " b], best["mpi-tcp " b], bt,
					best["mpi-tcp " b] / best["tcp " b], bt / best["tcp " b]
			}
		}' "$scratch/times"
done
