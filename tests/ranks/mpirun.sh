# SPDX-License-Identifier: MIT
# Launchers of others: rank and size come from their environment, ranks meet by themselves.
. "${top_srcdir:-.}/tests/ranks/lib.sh"

need timeout
cd "$scratch" || exit 99
floats in.0 1 2
floats in.1 10 20
floats want.2 11 22
floats in.2 100 200
floats in.3 1000 2000
floats want.4 1111 2222
tried= absent=

# with N COMMAND...
with()
{
	n=$1
	shift
	rm -f out.*
	timeout -s KILL 40 "$@" "$program" -i in.%r --type=f32 -o out.%r >log 2>&1 </dev/null || fail "$*: exit status $?: $(cat log)"
	rank=0
	while [ $rank -lt "$n" ]; do
		cmp want."$n" out.$rank || fail "$*: rank $rank"
		rank=$((rank + 1))
	done
	tried="$tried $1"
}

OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
command -v mpirun.openmpi >/dev/null && with 4 mpirun.openmpi --oversubscribe -n 4 || absent="$absent mpirun.openmpi"
# MPICH's own ranks spin while they wait, so two are what the tests of this launcher use.
command -v mpirun.mpich >/dev/null && with 2 mpirun.mpich -n 2 || absent="$absent mpirun.mpich"
[ -n "$tried" ] || skip "neither mpirun.openmpi nor mpirun.mpich is here"
finish "$tried${absent:+; not here:$absent}"
