/* SPDX-License-Identifier: MIT */
/* Sizes from -b to -e: rounds by the clock, checked rounds, and a table as nccl-tests prints it. */
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE, COUNT, TYPE, OP, ALGO, TIME, ALGBW, BUSBW, WRONG, SHORT_COLUMNS, LEAST = SHORT_COLUMNS, MEAN, MOST, COLUMNS };

static const struct cli_column columns[COLUMNS] = {
	[SIZE] = {"size_bytes", "size(B)", CLI_CELL_UINT, 0},   [COUNT] = {"count", "count", CLI_CELL_UINT, 0},
	[TYPE] = {"type", "type", CLI_CELL_TEXT, 0},            [OP] = {"op", "op", CLI_CELL_TEXT, 0},
	[ALGO] = {"algorithm", "algo", CLI_CELL_TEXT, 0},       [TIME] = {"time_us", "time(us)", CLI_CELL_REAL, 2},
	[ALGBW] = {"algbw_gb_s", "algbw(GB/s)", CLI_CELL_REAL, 2}, [BUSBW] = {"busbw_gb_s", "busbw(GB/s)", CLI_CELL_REAL, 2},
	[WRONG] = {"wrong", "#wrong", CLI_CELL_UINT, 0},        [LEAST] = {"min_us", "min(us)", CLI_CELL_REAL, 2},
	[MEAN] = {"mean_us", "mean(us)", CLI_CELL_REAL, 2},     [MOST] = {"max_us", "max(us)", CLI_CELL_REAL, 2},
};

struct bench {
	struct session *session;
	struct cli_table table;
	void *in, *out;
	bool prints;
};

bool session_alloc(struct session *session, size_t bytes, void **out)
{
	if (!session->options->private_memory) {
		session->status = glacier_comm_alloc(session->comm, bytes, out);
		return session->status == GLACIER_OK;
	}
	*out = aligned_alloc(4096, (bytes + 4096) / 4096 * 4096);
	session->status = *out ? GLACIER_OK : GLACIER_ERR_NOMEM;
	if (!*out)
		return false;
	memset(*out, 0, bytes);
	session->own[session->own_count++] = *out;
	return true;
}

void session_release(struct session *session)
{
	for (uint32_t i = 0; i < session->own_count; i++)
		free(session->own[i]);
	if (session->options->input)
		cli_release(&session->file);
	free(session->output_path);
}

static bool good(struct bench *bench, enum glacier_status status)
{
	bench->session->status = status;
	return status == GLACIER_OK;
}

static enum glacier_status reduce_once(struct bench *bench, size_t count)
{
	const struct session *s = bench->session;

	return glacier_allreduce(s->comm, bench->in, bench->out, count, s->type, s->options->op);
}

/* The same bits on all ranks? The sums of their bytes tell; 0 or 1. */
static bool same_everywhere(struct bench *bench, size_t bytes, uint64_t *differs)
{
	struct session *s = bench->session;
	uint64_t both[2] = {UINT64_C(0xcbf29ce484222325), 0};

	for (size_t i = 0; i < bytes; i++)
		both[0] = (both[0] ^ ((const unsigned char *)bench->out)[i]) * UINT64_C(0x100000001b3);
	both[1] = ~both[0];
	/* The greatest, and the complement of the least. */
	if (!good(bench, glacier_allreduce(s->comm, both, both, 2, GLACIER_U64, GLACIER_REDUCE_MAX)))
		return false;
	*differs = both[0] != ~both[1];
	return true;
}

static bool check(struct bench *bench, size_t count, uint64_t *wrong)
{
	struct session *s = bench->session;
	size_t bytes = count * type_bytes(s->type);

	*wrong = 0;
	for (uint32_t round = 0; round < s->options->check_rounds; round++) {
		uint64_t found, differs;

		values_fill(s, bench->in, count, round);
		if (!good(bench, reduce_once(bench, count)))
			return false;
		if (!same_everywhere(bench, bytes, &differs))
			return false;
		if (s->options->plant_fault && count && s->rank == s->size - 1)
			((unsigned char *)bench->out)[bytes - 1] ^= 1;
		found = values_wrong(s, bench->out, count, round);
		if (!good(bench, glacier_allreduce(s->comm, &found, &found, 1, GLACIER_U64, GLACIER_REDUCE_SUM)))
			return false;
		*wrong += found + differs;
	}
	memset(bench->in, 0, bytes);
	return true;
}

/* Nanoseconds of a round: this rank's mean, then least, mean and greatest of all ranks. */
static bool measure(struct bench *bench, size_t count, double ns[3])
{
	struct session *s = bench->session;
	uint32_t iters = s->options->iters ? s->options->iters : count * type_bytes(s->type) > 1 << 20 ? 5 : 20;
	double mean[2];
	uint64_t begun;

	for (uint32_t i = 0; i < s->options->warmup; i++)
		if (!good(bench, reduce_once(bench, count)))
			return false;
	if (!good(bench, glacier_barrier(s->comm)))
		return false;
	begun = cli_now_ns();
	for (uint32_t i = 0; i < iters; i++)
		if (!good(bench, reduce_once(bench, count)))
			return false;
	mean[0] = (double)(cli_now_ns() - begun) / iters;
	mean[1] = -mean[0];
	ns[1] = mean[0];
	if (!good(bench, glacier_allreduce(s->comm, &ns[1], &ns[1], 1, GLACIER_F64, GLACIER_REDUCE_AVG)) ||
	    !good(bench, glacier_allreduce(s->comm, mean, mean, 2, GLACIER_F64, GLACIER_REDUCE_MAX)))
		return false;
	ns[2] = mean[0];
	ns[0] = -mean[1];
	return true;
}

static bool row(struct bench *bench, size_t count)
{
	struct session *s = bench->session;
	size_t bytes = count * type_bytes(s->type);
	union cli_cell cells[COLUMNS];
	struct glacier_comm_plan plan;
	double ns[3], algbw;
	uint64_t wrong = 0;

	if (!measure(bench, count, ns) || (s->options->check_rounds && !check(bench, count, &wrong)))
		return false;
	s->wrong += wrong;
	glacier_comm_plan(s->comm, count, s->type, s->options->op, &plan);
	algbw = ns[2] > 0 ? (double)bytes / ns[2] : 0;
	cells[SIZE].u = bytes;
	cells[COUNT].u = count;
	cells[TYPE].text = glacier_type_name(s->type);
	cells[OP].text = glacier_reduce_name(s->options->op);
	cells[ALGO].text = s->size > 1 ? glacier_algorithm_name(plan.algorithm) : "none";
	cells[TIME].real = ns[2] / 1000;
	cells[ALGBW].real = algbw;
	cells[BUSBW].real = algbw * 2 * (s->size - 1) / s->size;
	cells[WRONG].u = wrong;
	for (int i = 0; i < 3; i++)
		cells[LEAST + i].real = ns[i] / 1000;
	if (bench->prints)
		cli_table_add(&bench->table, cells);
	return true;
}

/* What combining two arrays alone reaches in this machine's caches and memory, at each level. */
static void print_reducer(const struct session *s)
{
	static const char levels[][12] = {"baseline", "x86-64-v3", "x86-64-v4", "neon"};
	static const size_t sizes[] = {256 << 10, 64 << 20};

	for (size_t l = 0; l < sizeof levels / sizeof *levels; l++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			size_t count = sizes[i] / type_bytes(s->type), runs = (128 << 20) / sizes[i];
			char *a = aligned_alloc(4096, sizes[i]), *b = aligned_alloc(4096, sizes[i]);
			uint64_t begun;

			if (a && b) {
				memset(a, 0, sizes[i]);
				memset(b, 0, sizes[i]);
			}
			if (a && b && glacier_reduce_into(a, b, count, s->type, s->options->op, levels[l]) == GLACIER_OK) {
				begun = cli_now_ns();
				for (size_t run = 0; run < runs; run++)
					glacier_reduce_into(a, b, count, s->type, s->options->op, levels[l]);
				printf("# combining alone, %s %s, %s, %zu KiB: %.1f GB/s\n", glacier_type_name(s->type),
				       glacier_reduce_name(s->options->op), levels[l], sizes[i] >> 10,
				       (double)(runs * sizes[i]) / (double)(cli_now_ns() - begun));
			}
			free(a);
			free(b);
		}
}

static void explain(const struct session *s, size_t count)
{
	struct glacier_comm_plan plan;

	glacier_comm_plan(s->comm, count, s->type, s->options->op, &plan);
	printf("%zu B: %s (expected us:", count * type_bytes(s->type), glacier_algorithm_name(plan.algorithm));
	for (int i = GLACIER_ALGORITHM_RING; i < GLACIER_ALGORITHM_COUNT; i++)
		if (isnan(plan.expected_ns[i]))
			printf(" %s -", glacier_algorithm_name((enum glacier_algorithm)i));
		else
			printf(" %s %.1f", glacier_algorithm_name((enum glacier_algorithm)i), plan.expected_ns[i] / 1000);
	printf(")\n");
}

static uint64_t next_size(const struct options *o, uint64_t bytes)
{
	uint64_t next;

	if (o->step_bytes)
		return __builtin_add_overflow(bytes, o->step_bytes, &next) ? UINT64_MAX : next;
	return bytes == 0 ? 8 : __builtin_mul_overflow(bytes, o->factor, &next) ? UINT64_MAX : next;
}

void bench_run(struct session *session)
{
	const struct options *o = session->options;
	struct bench bench = {.session = session, .prints = session->rank == 0};
	size_t elem = type_bytes(session->type);

	if (o->comm.algorithm == GLACIER_ALGORITHM_AUTO && !good(&bench, glacier_comm_calibrate(session->comm)))
		return;
	if (o->explain_algo) {
		for (uint64_t bytes = o->begin_bytes; bench.prints && bytes <= o->end_bytes; bytes = next_size(o, bytes))
			explain(session, bytes / elem);
		good(&bench, glacier_barrier(session->comm));
		return;
	}
	if (!session_alloc(session, o->end_bytes + 8, &bench.in) ||
	    (!o->in_place && !session_alloc(session, o->end_bytes + 8, &bench.out)))
		return;
	if (o->in_place)
		bench.out = bench.in;
	cli_table_init(&bench.table, "glacier-allreduce", columns, o->full ? COLUMNS : SHORT_COLUMNS);
	for (uint64_t bytes = o->begin_bytes; bytes <= o->end_bytes; bytes = next_size(o, bytes)) {
		if (!row(&bench, bytes / elem))
			break;
		if (bench.prints)
			cli_progress("bytes", bytes, o->end_bytes);
	}
	if (session->status == GLACIER_OK && o->timeline)
		timeline_run(session, bench.in, bench.out, o->end_bytes / elem);
	if (bench.prints && session->status == GLACIER_OK) {
		cli_progress_clear();
		cli_table_print(&bench.table, cli.json ? CLI_TABLE_JSON : o->csv ? CLI_TABLE_CSV : CLI_TABLE_TEXT, stdout);
		if (o->full && !cli.json && !o->csv)
			print_reducer(session);
	}
	cli_table_fini(&bench.table);
}
