/* SPDX-License-Identifier: MIT */
/* What MPI_Allreduce of f32 sums takes, by the rule of gc-allreduce -b -e: mean of rounds, the slowest rank. SIZE lines of B and us. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int a = 1; a < argc; a++) {
		size_t bytes = strtoull(argv[a], NULL, 10);
		int iters = bytes > 1 << 20 ? 10 : bytes > 1 << 16 ? 100 : 1000;
		float *in = malloc(bytes), *out = malloc(bytes);
		double begun, took, most;

		memset(in, 0, bytes);
		memset(out, 0, bytes);
		for (int i = -3; i < iters; i++) {
			if (!i) {
				MPI_Barrier(MPI_COMM_WORLD);
				begun = MPI_Wtime();
			}
			MPI_Allreduce(in, out, (int)(bytes / sizeof *in), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		}
		took = (MPI_Wtime() - begun) / iters * 1e6;
		MPI_Reduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
		if (!rank)
			printf("%zu %.2f\n", bytes, most);
		free(in);
		free(out);
	}
	MPI_Finalize();
	return 0;
}
