/* SPDX-License-Identifier: MIT */
#include "op_values.h"

#include "op_edges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 64, OUTPUTS = EV_TYPE_COUNT };

/* One instruction of a kernel, and the place of its results. */
struct job {
	const struct cell *cell;
	struct spelling spellings[4];
	unsigned slot;          /* among those of its result type */
};

/* Jobs over operands of one type, run as one kernel. */
struct batch {
	struct kernels *kernels;
	enum ev_type type;
	struct operands operands;
	struct job jobs[MOST_JOBS];
	unsigned count, weight, slots[OUTPUTS];
	void *memory[6], *outputs[OUTPUTS];
	struct script text;
	uint64_t state;
	bool thorough;
	unsigned long values;
};

static void *allocate(size_t bytes)
{
	void *memory = calloc(1, bytes ? bytes : 1);

	if (!memory) {
		fprintf(stderr, "out of memory\n");
		exit(99);
	}
	return memory;
}

static size_t elem_bytes(enum ev_type type)
{
	return ev_bits(type) == 64 ? 8 : 4;
}

static const char *memory_type(enum ev_type type)
{
	return ev_type_name(type == EV_BOOL ? EV_U32 : type);
}

/* --- The kernel ---------------------------------------------------------- */

static void begin_kernel(struct batch *batch)
{
	struct script *text = &batch->text;
	const char *type = memory_type(batch->type);

	script_clear(text);
	script_add(text, "kernel batch(@x: buffer %s read, @y: buffer %s read, @z: buffer %s read,\n"
		   "  @u: buffer u32 read, @w: buffer u32 read, @e: buffer i32 read", type, type, type);
	for (enum ev_type t = 0; t < EV_TYPE_COUNT; t++)
		if (batch->slots[t])
			script_add(text, ",\n  @o_%s: buffer %s write", ev_type_name(t), memory_type(t));
	script_add(text, ") workgroup 64 {\n  %%i = GlobalId\n");
	for (int i = 0; i < 3; i++) {
		char name = "xyz"[i];

		if (batch->type == EV_BOOL)
			script_add(text, "  %%%c0 = LoadGlobal.u32 @%c, %%i\n  %%%c = Ne.u32 %%%c0, 0\n", name, name,
				   name, name);
		else
			script_add(text, "  %%%c = LoadGlobal.%s @%c, %%i\n", name, type, name);
	}
	script_add(text, "  %%u = LoadGlobal.u32 @u, %%i\n  %%w = LoadGlobal.u32 @w, %%i\n"
		   "  %%e = LoadGlobal.i32 @e, %%i\n  %%p0 = And.u32 %%u, 1\n  %%p = Ne.u32 %%p0, 0\n");
}

static void add_job(struct batch *batch, const struct job *job)
{
	enum ev_type result = cell_result_type(job->cell);
	const char *name = ev_type_name(result);
	struct script *text = &batch->text;
	char value[16];

	snprintf(value, sizeof value, "r%u", (unsigned)(job - batch->jobs));
	cell_statement(text, job->cell, value, job->spellings);
	if (result == EV_BOOL)
		script_add(text, "  %%b%s = Select.u32 %%%s, 1, 0\n", value, value);
	script_add(text, "  %%k%s = Add.u32 %%i, %u\n  StoreGlobal.%s @o_%s, %%k%s, %%%s%s\n", value,
		   job->slot * ELEMS, memory_type(result), name, value, result == EV_BOOL ? "b" : "", value);
}

/* --- The comparison ------------------------------------------------------ */

static uint64_t element(const void *memory, enum ev_type type, size_t index)
{
	uint64_t bits = 0;

	memcpy(&bits, (const unsigned char *)memory + index * elem_bytes(type), elem_bytes(type));
	return bits;
}

static void arguments(const struct batch *batch, const struct job *job, unsigned k, uint64_t arg[4])
{
	unsigned values = 0, words = 0;

	for (unsigned i = 0; job->cell->operands[i]; i++) {
		const struct spelling *spelling = &job->spellings[i];

		switch (job->cell->operands[i]) {
		case 'b': arg[i] = batch->operands.word[0][k] & 1; break;
		case 'e': arg[i] = batch->operands.exponent[k]; break;
		case 's': arg[i] = spelling->own ? batch->operands.value[1][k] : batch->operands.word[0][k]; break;
		case 'u': arg[i] = batch->operands.word[words++][k]; break;
		default: arg[i] = batch->operands.value[values++ % 3][k]; break;
		}
		if (spelling->literal)
			arg[i] = spelling->bits;
	}
}

/* Some of the answers, as the message of a failure has room for. */
static void describe(const struct answer *answer, char *out, size_t bytes)
{
	size_t used = 0;

	out[0] = 0;
	for (unsigned i = 0; i < answer->count && i < 4 && used < bytes; i++)
		used += (size_t)snprintf(out + used, bytes - used, "%s%#llx", i ? " or " : "",
					 (unsigned long long)answer->bits[i]);
	if (answer->near_count && used < bytes)
		snprintf(out + used, bytes - used, "about %.10Lg", answer->value[0]);
}

/*
 * llvmpipe takes 0 + x, x - 0 and 0 * x for x, x and 0 where the 0 is a literal, although the
 * module declares SignedZeroInfNanPreserve (lp_build_add, lp_build_mul): the sign of a zero is
 * lost, and what 0 * NaN or 0 * infinity is. The product of two literal factors of an Fma is
 * such a literal when it vanishes. And the f64 literals 0 and -0 are one to it where both stand
 * in a kernel: Abs(-0) beside a 0 gives -0.
 */
static bool is_literal_zero(const struct batch *batch, const struct job *job, const uint64_t arg[4],
			    const struct answer *answer, uint64_t got)
{
	uint64_t magnitude = batch->type == EV_F32 ? 0x7fffffff : INT64_MAX;
	struct answer nan = {.type = answer->type, .count = 1, .bits = {answer->bits[0]}};
	bool zeros = !(answer->bits[0] & magnitude), found = false;

	if (batch->kernels->strict || !ev_is_float(answer->type) || got & magnitude)
		return false;
	for (int i = 0; i < 3; i++)
		found |= job->spellings[i].literal && !(arg[i] & magnitude);
	if (zeros && ((found && batch->type == EV_F64) ||
		      (!strcmp(job->cell->row, "Fma") && job->spellings[0].literal && job->spellings[1].literal)))
		return true;
	return found && strstr(" Add Sub Mul Fma ", job->cell->row) && (zeros || answer_allows(&nan, magnitude));
}

/* A signaling NaN in a module may be made quiet: memory.c, same_const. */
static bool is_quieted(const struct batch *batch, const struct job *job, const struct answer *answer, uint64_t got)
{
	uint64_t quiet = batch->type == EV_F32 ? 0x00400000 : UINT64_C(1) << 51;

	return !batch->kernels->strict && ev_is_float(batch->type) && job->spellings[0].literal && answer->count == 1 &&
	       !strcmp(job->cell->row, "Bitcast") && got == (answer->bits[0] | quiet) &&
	       answer_allows(&(struct answer){.type = batch->type, .count = 1, .bits = {got}},
			     batch->type == EV_F32 ? UINT64_C(0x7fc00000) : UINT64_C(0x7ff8000000000000));
}

static void check_job(struct batch *batch, const struct job *job, const void *const outputs[2][OUTPUTS])
{
	enum ev_type result = cell_result_type(job->cell);
	unsigned wrong[2] = {0};

	for (unsigned k = 0; k < ELEMS; k++) {
		uint64_t arg[4] = {0};
		struct answer answer;
		bool fresh = false;

		arguments(batch, job, k, arg);
		for (int level = 0; level < 2; level++) {
			uint64_t got = element(outputs[level][result], result, (size_t)job->slot * ELEMS + k);
			char want[200];

			if (!fresh)
				evaluate(job->cell->op, job->cell->type, job->cell->from,
					 batch->kernels->strict ? EV_STRICT : EV_VULKAN, arg, &answer);
			fresh = true;
			if (answer_allows(&answer, got) || is_literal_zero(batch, job, arg, &answer, got) ||
			    is_quieted(batch, job, &answer, got) || wrong[level]++)
				continue;
			describe(&answer, want, sizeof want);
			kernels_fail(batch->kernels, NULL,
				     "%s at -O%d, literals %d%d%d%d: %#llx %#llx %#llx %#llx gives %#llx, not %s",
				     job->cell->name, level, job->spellings[0].literal, job->spellings[1].literal,
				     job->spellings[2].literal, job->spellings[3].literal, (unsigned long long)arg[0],
				     (unsigned long long)arg[1], (unsigned long long)arg[2], (unsigned long long)arg[3],
				     (unsigned long long)got, want);
		}
		batch->values += 2;
	}
	if (wrong[0] + wrong[1] > 2)
		printf("      ... and %u more of %s\n", wrong[0] + wrong[1] - 2, job->cell->name);
}

/* --- Running ------------------------------------------------------------- */

static void copy_operands(struct batch *batch)
{
	const uint64_t *from[6] = {
		batch->operands.value[0], batch->operands.value[1], batch->operands.value[2],
		batch->operands.word[0],  batch->operands.word[1],  batch->operands.exponent,
	};

	for (int i = 0; i < 6; i++) {
		size_t bytes = i < 3 ? elem_bytes(batch->type) : 4;

		free(batch->memory[i]);
		batch->memory[i] = allocate(ELEMS * bytes);
		for (unsigned k = 0; k < ELEMS; k++)
			memcpy((unsigned char *)batch->memory[i] + k * bytes, &from[i][k], bytes);
	}
}

static bool run_level(struct batch *batch, int level, void *outputs[OUTPUTS])
{
	struct exec_buffer buffers[6 + OUTPUTS];
	struct exec_run run = {.buffers = buffers, .groups = {ELEMS / 64, 1, 1}};

	for (; run.buffer_count < 6; run.buffer_count++)
		buffers[run.buffer_count] = (struct exec_buffer){
			.binding = (uint32_t)run.buffer_count,
			.data = batch->memory[run.buffer_count],
			.bytes = ELEMS * (run.buffer_count < 3 ? elem_bytes(batch->type) : 4),
		};
	for (enum ev_type t = 0; t < EV_TYPE_COUNT; t++) {
		size_t bytes = batch->slots[t] * ELEMS * elem_bytes(t);

		outputs[t] = allocate(bytes);
		/* What is never stored must not look right. */
		memset(outputs[t], 0xa5, bytes);
		if (!batch->slots[t])
			continue;
		buffers[run.buffer_count] = (struct exec_buffer){
			.binding = (uint32_t)run.buffer_count, .data = outputs[t], .bytes = bytes};
		run.buffer_count++;
	}
	return kernels_run(batch->kernels, batch->text.at, level, &run);
}

static void flush(struct batch *batch)
{
	void *outputs[2][OUTPUTS];
	bool good = true;

	if (!batch->count)
		return;
	begin_kernel(batch);
	for (unsigned i = 0; i < batch->count; i++)
		add_job(batch, &batch->jobs[i]);
	script_add(&batch->text, "  Return\n}\n");
	for (int level = 0; level < 2; level++)
		good = run_level(batch, level, outputs[level]) && good;
	for (unsigned i = 0; good && i < batch->count; i++)
		check_job(batch, &batch->jobs[i], (const void *const(*)[OUTPUTS])outputs);
	for (enum ev_type t = 0; t < EV_TYPE_COUNT; t++) {
		free(outputs[0][t]);
		free(outputs[1][t]);
	}
	batch->count = batch->weight = 0;
	memset(batch->slots, 0, sizeof batch->slots);
}

/* Expansions of transcendentals are a hundred instructions each. */
static unsigned weight_of(const struct cell *cell)
{
	static const char heavy[] = " Exp Exp2 Log Log2 Pow Sin Cos Tan Tanh Sinh Cosh Asin Acos Atan Atan2 Erf ";
	char word[48];

	snprintf(word, sizeof word, " %s ", cell->row);
	return strstr(heavy, word) ? 8 : 1;
}

static void queue(struct batch *batch, const struct cell *cell, unsigned literals, bool own)
{
	struct job *job = &batch->jobs[batch->count];

	*job = (struct job){.cell = cell, .slot = batch->slots[cell_result_type(cell)]++};
	for (unsigned i = 0; cell->operands[i]; i++) {
		struct spelling *spelling = &job->spellings[i];
		char letter = cell->operands[i];

		spelling->own = own && letter == 's';
		spelling->literal = (literals >> i & 1) || letter == 'n';
		if (spelling->literal)
			spelling->bits = operand_literal(cell_operand_type(cell, letter), letter, &batch->state);
	}
	batch->count++;
	batch->weight += weight_of(cell);
	if (batch->weight >= MOST_JOBS || batch->count == MOST_JOBS)
		flush(batch);
}

/* Every choice of operands as literals; how often, `make check` has less time for. */
static unsigned repeats(const struct batch *batch, const struct cell *cell, bool all)
{
	if (weight_of(cell) > 1)
		return all ? 1 + batch->thorough : batch->thorough;
	if (batch->thorough)
		return all ? 8 : strlen(cell->operands) == 2 ? 4 : 1;
	return all ? 3 : 1;
}

static void queue_cell(struct batch *batch, const struct cell *cell)
{
	unsigned operands = (unsigned)strlen(cell->operands), all = (1u << operands) - 1;

	if (strchr(cell->operands, 'n'))
		all = 0;
	queue(batch, cell, 0, false);
	if (strchr(cell->operands, 's') && cell->type != EV_U32)
		queue(batch, cell, 0, true);
	for (unsigned literals = all ? 1 : 0; literals <= all; literals++)
		for (unsigned i = repeats(batch, cell, literals == all); i-- > 0;)
			queue(batch, cell, literals, false);
}

void run_cells(struct kernels *kernels, const struct cell *cells, unsigned count, uint64_t seed,
	       bool thorough)
{
	struct batch *batch = allocate(sizeof *batch);
	unsigned executed = 0;

	batch->kernels = kernels;
	batch->state = seed * 1000;
	batch->thorough = thorough;
	for (batch->type = 0; batch->type < EV_TYPE_COUNT; batch->type++) {
		operands_fill(&batch->operands, batch->type, seed);
		copy_operands(batch);
		for (unsigned i = 0; i < count; i++) {
			const struct cell *cell = &cells[i];

			/* .approx promises nothing about values. */
			if (cell->op < 0 || !cell->emits || cell->approx ||
			    (cell->two ? cell->from : cell->type) != batch->type)
				continue;
			queue_cell(batch, cell);
			executed++;
		}
		flush(batch);
	}
	printf("seed %llu: %u cells executed, %lu values compared\n", (unsigned long long)seed, executed,
	       batch->values);
	for (int i = 0; i < 6; i++)
		free(batch->memory[i]);
	free(batch->text.at);
	free(batch);
}
