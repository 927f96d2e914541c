#!/bin/sh
# SPDX-License-Identifier: MIT
# gpu.sh [FOLDER] - everything that needs a real GPU, in one run and one table. The outputs go
# to FOLDER. Not run by `make check`; doc/HOWTO-TEST.md says what must be built.
#
#	SEEDS     random kernels for each device (5120)
#	JOBS      processes at a time (as many as processors)
#	DEVICES   "cuda vulkan"
#	PLANTED   random_kernels of a build with a fault planted in its PTX, which must be caught

: "${top_builddir:=$PWD}"
: "${top_srcdir:=$PWD}"
: "${SEEDS:=5120}"
: "${JOBS:=$(nproc)}"
: "${DEVICES:=cuda vulkan}"
export top_builddir top_srcdir
out=${1:-$(mktemp -d /tmp/glacier-gpu.XXXXXX)}
mkdir -p "$out"
tests=$top_builddir/tests
table=$out/table
: >"$table"
failures=0

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null
"$top_builddir/src/gc-run/gc-run" --list-devices

# go NAME COMMAND...: one row of the table, "NAME exit last line".
go()
{
	name=$1
	shift
	timeout "${LIMIT:-400}" "$@" >"$out/$name.log" 2>&1
	code=$?
	printf '%-24s %3d  %s\n' "$name" "$code" "$(tail -n 1 "$out/$name.log")" >>"$table"
}

# One device after the other, so that each has the processors for itself.
for device in $DEVICES; do
	export GLACIER_EXEC_TARGET="$device"
	go "examples-$device" "$tests/device/examples" "$device" &
	for program in semantics memory ids; do
		go "$program-$device" "$tests/exec/$program" &
	done
	go "op_table-$device" "$tests/exec/op_table" 4 &
	wait
	# A few seeds a process: what ends one takes few others along. Without ptxas, which
	# `make check` asks.
	seq 10000 40 $((9999 + SEEDS)) | xargs -P "$JOBS" -I SEED env PATH=/usr/bin:/bin sh -c \
		'timeout 200 "$0" SEED 40 >"$1-SEED.log" 2>&1; echo "SEED $?" >>"$1-codes"' \
		"$tests/exec/random_kernels" "$out/random-$device"
	awk -v d="$device" '$2 == 0 {done++} $2 != 0 {bad = bad " " $1}
		END {printf "random-%-17s %3d  %d kernels at -O0 and -O1%s%s\n", d, bad != "", 40 * done,
		     bad == "" ? "" : "; not all of the 40 from", bad}' "$out/random-$device-codes" >>"$table"
done
if [ "${PLANTED:-}" ]; then
	GLACIER_EXEC_TARGET=cuda PATH=/usr/bin:/bin timeout 200 "$PLANTED" 10000 40 >"$out/planted.log" 2>&1
	[ $? -eq 1 ] && grep -q '^FAIL' "$out/planted.log"
	printf '%-24s %3d  %s\n' planted $? "$(grep -c '^FAIL' "$out/planted.log") faults told" >>"$table"
fi
unset GLACIER_EXEC_TARGET
for device in $DEVICES; do
	go "backing-$device" "$tests/device/backing" "$device"
	go "arena_cuda-$device" "$top_builddir/examples/arena_cuda" "$device"
	kinds=$device
	[ "$device" = cuda ] && kinds='cuda pinned'
	# shellcheck disable=SC2086 # two words
	go "bench_backing-$device" sh "$top_srcdir/tests/device/bench_backing.sh" $kinds
done
# Where it was built: the pool's pairs against the driver's, as a table without a limit.
case " $DEVICES " in *' cuda '*)
	[ -x "$top_builddir/bench/cuda_arena" ] && {
		go cuda_arena "$top_builddir/bench/cuda_arena"
		grep -E '^ *(bytes|[0-9])' "$out/cuda_arena.log" >>"$table"
	} ;;
esac
case " $DEVICES " in *' cuda '*) go cuda_device "$tests/device/cuda_device" ;; esac
case " $DEVICES " in *' vulkan '*)
	for program in vulkan_arrays vulkan_launches vulkan_refused; do
		go $program "$tests/device/$program"
	done ;;
esac

# compare A B NAME ARGUMENT...: gc-run's own comparison, its outputs beside.
compare()
{
	pair=$1
	name=$2
	shift 2
	go "compare-$name-$pair" "$top_builddir/src/gc-run/gc-run" -v --compare="$pair" \
		"$top_srcdir/examples/$name.gasm" "$@"
}
for pair in cpu,cuda cpu,vulkan cuda,vulkan; do
	compare $pair logistic_map -g 64 in=:uniform:16384 out=:zeros:16384 iters=1000 n=16384
	# On Vulkan Div and Sqrt have bounds, and what little an option is worth comes of large differences.
	case $pair in *vulkan) bounds='--rtol=1e-4 --atol=1e-5' ;; *) bounds= ;; esac
	compare $pair black_scholes $bounds -g 64 price=:uniform:16384 strike=:uniform:16384 years=:uniform:16384 \
		call=:zeros:16384 put=:zeros:16384 rate=0.02 volatility=0.3 n=16384
	compare $pair matmul_tiled -g 8,8 a=:normal:16384 b=:normal:16384 c=:zeros:16384 m=128 n=128 k=128
done

# A second process has nothing compiled: said by gc-run -v, for a folder that begins empty.
XDG_CACHE_HOME=$out/cache
export XDG_CACHE_HOME
rm -rf "$XDG_CACHE_HOME"
for device in $DEVICES; do
	for process in first second; do
		go "cache-$device-$process" "$top_builddir/src/gc-run/gc-run" -v -d "$device" \
			"$top_srcdir/examples/nbody.gasm" -g 4 bodies=:uniform:2048 accel=:zeros:1536 softening=0.1 n=512
		grep -h 'machine code' "$out/cache-$device-$process.log" >>"$table"
	done
	grep -q 'from the cache' "$out/cache-$device-second.log" || {
		echo "cache-$device: the second process has the kernel compiled again" >>"$table"
		failures=1
	}
done
for target in cuda:ptx:ptx vulkan:spirv:spv; do
	example=${target%%:*}
	[ -x "$top_builddir/examples/launch_$example" ] && go "launch_$example" sh "$top_srcdir/tests/device/launch_$example.sh"
done

sort "$table"
awk '$2 ~ /^[0-9]+$/ && $2 != 0 {bad++} END {exit bad ? 1 : 0}' "$table" || failures=1
for log in $(awk '$2 ~ /^[0-9]+$/ && $2 != 0 {print $1}' "$table" | sort | head -n 12); do
	echo "--- $log"
	head -c 1200 "$out/$log.log" 2>/dev/null
done
grep -h '^FAIL' "$out"/random-*.log | head -n 20
exit $failures
