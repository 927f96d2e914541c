# SPDX-License-Identifier: MIT
# What the tests of ranks share.
. "${top_srcdir:-.}/tests/lib.sh"

program=$top_builddir/src/gc-allreduce/gc-allreduce
unset GLACIER_RANK GLACIER_SIZE GLACIER_ADDR GLACIER_JOB_TOKEN RANK WORLD_SIZE MASTER_ADDR MASTER_PORT
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMI_RANK PMI_SIZE PMIX_RANK SLURM_PROCID SLURM_NTASKS

# floats FILE NUMBER...: raw f32, by awk's own arithmetic on the bits; whole numbers from 0 to 2^20.
floats()
{
	file=$1
	shift
	printf '%s\n' "$@" | awk '{
		v = $1; if (v == 0) { print "\\000\\000\\000\\000"; next }
		e = 0; while (v >= 2) { v /= 2; e++ } while (v < 1) { v *= 2; e-- }
		b = (127 + e) * 8388608 + (v - 1) * 8388608
		printf "\\%03o\\%03o\\%03o\\%03o\n", b % 256, int(b / 256) % 256, int(b / 65536) % 256, int(b / 16777216)
	}' | while read -r bytes; do printf "$bytes"; done >"$file"
}

# child LAUNCHER N: the process of its Nth rank, from 1. Before libtool's script runs the program, its children are others.
child()
{
	pgrep -P "$1" | while read -r pid; do
		case $(readlink "/proc/$pid/exe") in
		*gc-allreduce) echo "$pid" ;;
		esac
	done | sed -n "$2p"
}
