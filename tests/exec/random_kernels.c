/* SPDX-License-Identifier: MIT */
/*
 * Random valid kernels through the whole compiler: read, written at -O0 and -O1, judged by
 * SPIRV-Tools and ptxas, run on the Vulkan device, and the values held against those that
 * the statements give when they are evaluated one by one (random_eval.c).
 *
 *	random_kernels [FIRST [COUNT [REMOVED]]]    COUNT of 1 prints the kernel as well
 *
 * REMOVED, "3,17", takes statements out of that one kernel: for what ends the process, and so
 * cannot be shrunk by it. tests/exec/shrink_crash.py does it from outside.
 */
#include <glacier.h>

#include "library.h"
#include "random.h"
#include "vk.h"

#ifdef HAVE_VALID
#include "../diff/valid.h"
#endif

#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MOST_ROWS = 1024,
	MOST_TEXT = 1 << 20,
	BATCH = 32,             /* kernels that ptxas is given at once */
	BUFFERS = 2 * RK_MEMORY_TYPES + 2 + 3,
};

struct failure {
	char what[16];          /* a code of the compiler's, or where it went wrong */
	char why[1024];
};

struct tester {
	struct library *library; /* GLACIER_EXEC_TARGET: runs them in place of the tests' own runner */
	struct exec *exec;       /* that runner; NULL, both: no device */
	struct rk_device device;
#ifdef HAVE_VALID
	struct valid *valid;
#endif
	struct rk_row rows[MOST_ROWS];
	int row_count;
	struct glacier_module *module;
	struct glacier_buffer code[2], ptx;
	struct glacier_target spirv;
	char text[MOST_TEXT];
	struct failure failure;
	struct rk_coverage coverage;
	uint64_t compared, unsure;
	/* ptxas */
	bool ptxas;
	char *batch;
	size_t batch_size;
	uint64_t batch_first;
	unsigned batch_count, batches;
	pid_t running;           /* judges these: */
	uint64_t running_first;
	unsigned running_count;
	const char *running_arch;
	char ptx_path[64];
	const char *alone;       /* try_kernel asks ptxas about each kernel, for this architecture */
};

/* --- Compiling ----------------------------------------------------------- */

static void report(void *user, const struct glacier_diagnostic *d)
{
	struct failure *failure = user;

	if (failure->what[0] || d->severity == GLACIER_NOTE)
		return;
	snprintf(failure->what, sizeof failure->what, "%s", d->code);
	snprintf(failure->why, sizeof failure->why, "line %u: %s", d->location.line, d->message);
}

/* Warnings fail as well: none of these kernels deserves one. */
static bool read_text(struct tester *t, const char *text, size_t size, const struct glacier_read_options *options)
{
	struct glacier_text input = {.name = "random", .text = text, .size = size};
	struct glacier_diag diag = {.report = report, .user = &t->failure};

	glacier_module_read_text(t->module, &input, options, &diag);
	return !t->failure.what[0];
}

static bool write_code(struct tester *t, const struct glacier_target *target, enum glacier_optimize optimize,
		       struct glacier_buffer *buffer)
{
	struct glacier_write_options options = {.optimize = optimize};
	struct glacier_diag diag = {.report = report, .user = &t->failure};

	buffer->size = 0;
	glacier_module_write(t->module, target, &options, buffer, &diag);
	return !t->failure.what[0];
}

static bool judge(struct tester *t, const struct glacier_buffer *code)
{
#ifdef HAVE_VALID
	if (!valid_spirv(t->valid, (const uint32_t *)(const void *)code->data, code->size / 4, t->failure.why,
			 sizeof t->failure.why)) {
		snprintf(t->failure.what, sizeof t->failure.what, "spirv-val");
		return false;
	}
#else
	(void)t, (void)code;
#endif
	return true;
}

/* --- ptxas --------------------------------------------------------------- */

extern char **environ;

static const char *const arches[] = {"sm_80", "sm_89", "sm_90"};

/* The PTX in t->ptx; *running is waited for by wait_ptxas. */
static bool start_ptxas(struct tester *t, const char *arch)
{
	char option[32];
	const char *args[] = {"ptxas", option, "-O1", t->ptx_path, "-o", "/dev/null", NULL};
	posix_spawn_file_actions_t actions;
	bool good;
	int file;

	snprintf(option, sizeof option, "-arch=%s", arch);
	snprintf(t->ptx_path, sizeof t->ptx_path, "/tmp/glacier-random-XXXXXX");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	file = mkstemp(t->ptx_path);
	good = file >= 0 && write(file, t->ptx.data, t->ptx.size) == (ssize_t)t->ptx.size && !close(file) &&
	       !posix_spawnp(&t->running, "ptxas", &actions, NULL, (char **)args, environ);
	posix_spawn_file_actions_destroy(&actions);
	return good;
}

static bool wait_ptxas(struct tester *t)
{
	int status = 0;

	if (!t->running)
		return true;
	waitpid(t->running, &status, 0);
	t->running = 0;
	unlink(t->ptx_path);
	return !status;
}

/* For one kernel, to find it among those of a batch and to shrink it. */
static bool assemble(struct tester *t)
{
	struct glacier_target ptx;
	char target[32];

	snprintf(target, sizeof target, "ptx:%s", t->alone);
	glacier_target_parse(target, &ptx, NULL);
	if (!write_code(t, &ptx, GLACIER_OPTIMIZE_DEFAULT, &t->ptx))
		return false;
	if (start_ptxas(t, t->alone) && wait_ptxas(t))
		return true;
	snprintf(t->failure.what, sizeof t->failure.what, "ptxas");
	snprintf(t->failure.why, sizeof t->failure.why, "ptxas -arch=%s refuses it", t->alone);
	return false;
}

/* --- Running ------------------------------------------------------------- */

struct images {
	unsigned char bytes[BUFFERS][RK_OUT * 8];
};

static void pack(unsigned char *bytes, const uint64_t *elements, size_t count, enum glc_type type)
{
	size_t size = glc_types[type].bytes;

	for (size_t i = 0; i < count; i++)
		memcpy(bytes + i * size, &elements[i], size);
}

static uint64_t unpack(const unsigned char *bytes, size_t index, enum glc_type type)
{
	uint64_t bits = 0;

	memcpy(&bits, bytes + index * glc_types[type].bytes, glc_types[type].bytes);
	return bits;
}

static uint32_t push_constants(const struct rk_kernel *k, unsigned char *push)
{
	uint32_t end = 0;

	for (int i = 0; i < RK_TYPES; i++) {
		uint32_t bytes = rk_types[i] == GLC_BOOL ? 4 : glc_types[rk_types[i]].bytes;

		end = (end + bytes - 1) / bytes * bytes;
		memcpy(push + end, &k->scalar[i], bytes);
		end += bytes;
	}
	return end;
}

static bool run_code(struct tester *t, const struct glacier_buffer *code, struct exec_run *run)
{
	if (t->library)
		return library_run(t->library, t->module, code == &t->code[1], run) == EXEC_OK;
	run->words = (const uint32_t *)(const void *)code->data;
	run->word_count = code->size / 4;
	return exec_run(t->exec, run) == EXEC_OK;
}

static bool execute(struct tester *t, const struct rk_kernel *k, const struct rk_memory *before,
		    const struct glacier_buffer *code, struct images *images)
{
	size_t own = (size_t)k->lanes * k->group_count * RK_SLOTS;
	struct exec_buffer buffers[BUFFERS];
	struct exec_spec specs[RK_TYPES];
	unsigned char push[128];
	uint32_t n = 0;
	struct exec_run run = {
		.buffers = buffers,
		.push = push,
		.specs = specs,
		.spec_count = k->seed & 2 ? RK_TYPES : 0,
		.groups = {k->groups[0], k->groups[1], k->groups[2]},
	};

	memset(images, 0, sizeof *images);
	for (int i = 0; i < RK_MEMORY_TYPES; i++) {
		pack(images->bytes[2 * i], before->in[i], RK_IN, rk_types[i]);
		pack(images->bytes[2 * i + 1], before->out[i], own, rk_types[i]);
		buffers[n++].bytes = (size_t)RK_IN * glc_types[rk_types[i]].bytes;
		buffers[n++].bytes = own * glc_types[rk_types[i]].bytes;
	}
	buffers[n++].bytes = own * 4;
	buffers[n++].bytes = own * 4;
	while (n < BUFFERS)
		buffers[n++].bytes = (size_t)RK_SUMS * 4;
	for (uint32_t i = 0; i < BUFFERS; i++) {
		buffers[i].set = 0;
		buffers[i].binding = i;
		buffers[i].data = images->bytes[i];
	}
	run.buffer_count = BUFFERS;
	for (uint32_t i = 0; i < RK_TYPES; i++)
		specs[i] = (struct exec_spec){.id = i, .bytes = glc_bits(rk_types[i]) == 64 ? 8 : 4, .value = k->spec[i]};
	run.push_bytes = push_constants(k, push);
	if (run_code(t, code, &run))
		return true;
	snprintf(t->failure.what, sizeof t->failure.what, "run");
	snprintf(t->failure.why, sizeof t->failure.why, "%s",
		 t->library ? library_message(t->library) : exec_message(t->exec));
	return false;
}

/* --- Comparing ----------------------------------------------------------- */

static bool is_nan(enum glc_type type, uint64_t bits)
{
	if (type == GLC_F32)
		return (bits & 0x7fffffff) > 0x7f800000;
	return type == GLC_F64 && (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

static bool differ(enum glc_type type, uint64_t a, uint64_t b)
{
	return a != b && !(is_nan(type, a) && is_nan(type, b));
}

static bool mismatch(struct tester *t, const char *buffer, enum glc_type type, size_t index, const char *level,
		     uint64_t got, uint64_t want)
{
	snprintf(t->failure.what, sizeof t->failure.what, "value");
	snprintf(t->failure.why, sizeof t->failure.why, "@%s_%s[%zu] at %s is 0x%llx, the statements give 0x%llx", buffer,
		 glc_types[type].name, index, level, (unsigned long long)got, (unsigned long long)want);
	return false;
}

/* Floats in the order of the real line, counted. */
static int64_t place_of(float x)
{
	int32_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits < 0 ? -(int64_t)(bits & INT32_MAX) : bits;
}

/* At most 4 units in the last place; what is below the normal numbers may have become 0. */
static bool is_near(const struct rk_device *device, double exact, uint32_t bits)
{
	float want = (float)exact, got;

	memcpy(&got, &bits, sizeof got);
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	if (device->flushes && fabsf(want) <= 0x1.00001p-126f && fabsf(got) <= 0x1.00001p-126f)
		return true;
	return llabs(place_of(want) - place_of(got)) <= 4;
}

static bool compare(struct tester *t, const struct rk_kernel *k, const struct rk_memory *want,
		    const struct images *images, const char *level)
{
	size_t own = (size_t)k->lanes * k->group_count * RK_SLOTS;
	int atomics = 0;

	for (int i = 0; i < RK_MEMORY_TYPES; i++)
		for (size_t j = 0; j < own; j++) {
			uint64_t got = unpack(images->bytes[2 * i + 1], j, rk_types[i]);

			t->compared++;
			if (want->unsure[j / RK_SLOTS])
				t->unsure++;
			else if (differ(rk_types[i], got, want->out[i][j]))
				return mismatch(t, "out", rk_types[i], j, level, got, want->out[i][j]);
		}
	for (size_t j = 0; j < own; j++) {
		uint32_t got = (uint32_t)unpack(images->bytes[2 * RK_MEMORY_TYPES], j, GLC_F32);

		if (want->unsure[j / RK_SLOTS] || !want->approx_set[j])
			continue;
		if (!is_near(&t->device, want->approx[j], got)) {
			snprintf(t->failure.what, sizeof t->failure.what, "bound");
			snprintf(t->failure.why, sizeof t->failure.why, "@approx[%zu] at %s is 0x%x, exact is %a", j, level,
				 got, want->approx[j]);
			return false;
		}
	}
	for (int i = 0; i < RK_MEMORY_TYPES && !want->sums_unsure; i++) {
		if (!(GLC_TYPES_ATOMIC >> rk_types[i] & 1))
			continue;
		for (size_t j = 0; j < RK_SUMS; j++) {
			uint64_t got = unpack(images->bytes[2 * RK_MEMORY_TYPES + 2 + atomics], j, rk_types[i]);

			if (differ(rk_types[i], got, want->sum[i][j]))
				return mismatch(t, "sum", rk_types[i], j, level, got, want->sum[i][j]);
		}
		atomics++;
	}
	return true;
}

/*
 * -O0 and -O1 must agree in what has a bound only, too. But a GPU's compiler folds what is
 * computed of literals alone, which is nothing at -O1, and NVIDIA's does not always round as
 * the card does (driver 580: doc/BENCHMARKS.md).
 */
static bool agree(struct tester *t, const struct rk_kernel *k, const struct rk_memory *want, const struct images *images)
{
	bool folds = t->library && !library_info(t->library)->software &&
		     library_info(t->library)->kind != GLACIER_DEVICE_CPU;
	size_t own = (size_t)k->lanes * k->group_count * RK_SLOTS;

	for (size_t j = 0; j < own; j++) {
		uint64_t a = unpack(images[0].bytes[2 * RK_MEMORY_TYPES], j, GLC_F32);
		uint64_t b = unpack(images[1].bytes[2 * RK_MEMORY_TYPES], j, GLC_F32);

		if (want->approx_set[j] && !want->unsure[j / RK_SLOTS] && differ(GLC_F32, a, b) && !folds) {
			snprintf(t->failure.what, sizeof t->failure.what, "optimize");
			snprintf(t->failure.why, sizeof t->failure.why, "@approx[%zu] is 0x%llx at -O0, 0x%llx at -O1", j,
				 (unsigned long long)a, (unsigned long long)b);
			return false;
		}
	}
	return true;
}

/* For the library, constants are set when the module is read. */
static const struct glacier_read_options *define_specs(const struct rk_kernel *k)
{
	static char names[RK_TYPES][16], values[RK_TYPES][32];
	static struct glacier_define defines[RK_TYPES];
	static struct glacier_read_options options;

	for (int i = 0; i < RK_TYPES; i++) {
		enum glc_type type = rk_types[i];
		unsigned long long bits = k->spec[i] & glc_type_mask(type);

		snprintf(names[i], sizeof names[i], "s_%s", glc_types[type].name);
		if (type == GLC_BOOL)
			snprintf(values[i], sizeof values[i], "%s", k->spec[i] ? "true" : "false");
		else
			snprintf(values[i], sizeof values[i], "%s%0*llx", type == GLC_F32 ? "0f" : type == GLC_F64 ? "0d" : "0x",
				 (int)glc_bits(type) / 4, bits);
		defines[i] = (struct glacier_define){names[i], values[i]};
	}
	options = (struct glacier_read_options){.defines = defines, .define_count = k->seed & 2 ? RK_TYPES : 0};
	return &options;
}

/* The whole way for one kernel; false: t->failure says why. */
static bool try_kernel(struct tester *t, const struct rk_kernel *k, struct rk_coverage *coverage)
{
	static const enum glacier_optimize levels[2] = {GLACIER_OPTIMIZE_NONE, GLACIER_OPTIMIZE_SAFE};
	static struct images images[2];
	static struct rk_memory before, want;
	size_t size = rk_print(k, 0, t->text, sizeof t->text);

	memset(&t->failure, 0, sizeof t->failure);
	rk_fill(k, &before);
	want = before;
	if (!rk_evaluate(k, &t->device, &want, coverage)) {
		snprintf(t->failure.what, sizeof t->failure.what, "endless");
		return false;
	}
	if (!read_text(t, t->text, size, t->library ? define_specs(k) : NULL))
		return false;
	for (int i = 0; i < 2; i++)
		if (!write_code(t, &t->spirv, levels[i], &t->code[i]) || !judge(t, &t->code[i]))
			return false;
	if (t->alone && !assemble(t))
		return false;
	if (!t->exec && !t->library)
		return true;
	for (int i = 0; i < 2; i++)
		if (!execute(t, k, &before, &t->code[i], &images[i]) ||
		    !compare(t, k, &want, &images[i], i ? "-O1" : "-O0"))
			return false;
	return agree(t, k, &want, images);
}

/* --- Shrinking ----------------------------------------------------------- */

/* Takes statements out, with all that is in them, as long as the same thing goes wrong. */
static void shrink(struct tester *t, struct rk_kernel *k)
{
	struct failure first = t->failure, last = first;
	bool changed = true;

	for (int pass = 0; changed && pass < 6; pass++) {
		changed = false;
		for (int i = k->stmt_count; i-- > 0;) {
			if (k->stmts[i].removed || (k->stmts[i].pinned && k->barriers))
				continue;
			k->stmts[i].removed = true;
			if (!try_kernel(t, k, NULL) && !strcmp(t->failure.what, first.what)) {
				last = t->failure;
				changed = true;
			} else {
				k->stmts[i].removed = false;
			}
		}
	}
	t->failure = last;
}

static void tell(struct tester *t, struct rk_kernel *k)
{
	printf("FAIL: seed %llu: %s: %s\nto see it again: tests/exec/random_kernels %llu 1\n",
	       (unsigned long long)k->seed, t->failure.what, t->failure.why, (unsigned long long)k->seed);
	fflush(stdout);
	shrink(t, k);
	rk_print(k, 0, t->text, sizeof t->text);
	printf("shrunk: %s: %s\n%s", t->failure.what, t->failure.why, t->text);
	fflush(stdout);
}

/* --- Batches ------------------------------------------------------------- */

/* Some kernel of the batch is refused: which? */
static void find_refused(struct tester *t, const char *arch)
{
	static struct rk_kernel kernel;

	t->alone = arch;
	for (unsigned i = 0; i < t->running_count; i++) {
		rk_make(&kernel, t->running_first + i, t->rows, t->row_count, NULL);
		if (!try_kernel(t, &kernel, NULL)) {
			tell(t, &kernel);
			break;
		}
	}
	t->alone = NULL;
}

static bool end_batch(struct tester *t)
{
	bool good = wait_ptxas(t);

	if (!good) {
		printf("FAIL: ptxas -arch=%s refuses a module of the seeds %llu to %llu\n", t->running_arch,
		       (unsigned long long)t->running_first, (unsigned long long)t->running_first + t->running_count - 1);
		find_refused(t, t->running_arch);
	}
	return good;
}

static bool begin_batch(struct tester *t)
{
	const char *arch = arches[t->batches++ % 3];
	char target[32];
	struct glacier_target ptx;
	bool good = end_batch(t);

	snprintf(target, sizeof target, "ptx:%s", arch);
	memset(&t->failure, 0, sizeof t->failure);
	if (glacier_target_parse(target, &ptx, NULL) != GLACIER_OK || !read_text(t, t->batch, t->batch_size, NULL) ||
	    !write_code(t, &ptx, GLACIER_OPTIMIZE_DEFAULT, &t->ptx) ||
	    /* One module of them all is also a test of SPIR-V with many entry points. */
	    !write_code(t, &t->spirv, GLACIER_OPTIMIZE_DEFAULT, &t->code[0]) || !judge(t, &t->code[0])) {
		printf("FAIL: %u seeds from %llu as one module: %s: %s\n", t->batch_count,
		       (unsigned long long)t->batch_first, t->failure.what, t->failure.why);
		good = false;
	} else if (t->ptxas) {
		t->running_first = t->batch_first;
		t->running_count = t->batch_count;
		t->running_arch = arch;
		if (!start_ptxas(t, arch)) {
			printf("FAIL: cannot start ptxas\n");
			good = false;
		}
	}
	t->batch_count = 0;
	return good;
}

static bool add_to_batch(struct tester *t, const struct rk_kernel *k)
{
	if (!t->batch_count) {
		t->batch_first = k->seed;
		t->batch_size = 0;
	}
	t->batch_size += rk_print(k, t->batch_count, t->batch + t->batch_size, MOST_TEXT);
	return ++t->batch_count < BATCH || begin_batch(t);
}

/* --- What is there to try ------------------------------------------------ */

static bool is_taken(struct tester *t, const struct rk_row *row)
{
	const struct glc_op_facts *facts = &glc_ops[row->op];
	char text[512], result[16] = "%r = ";
	struct glacier_target ptx;
	int n, count = (int)strlen(facts->operands);

	if (facts->result == '-')
		result[0] = '\0';
	n = snprintf(text, sizeof text, "kernel k(@b: buffer u32 write) workgroup 1 {\n%%p = Mov.bool true\n"
		     "%%u = Mov.u32 1\n%%e = Mov.i32 1\n");
	if (facts->types)
		n += snprintf(text + n, sizeof text - (size_t)n, "%%v = Mov.%s %s\n", glc_types[row->type].name,
			      row->type == GLC_BOOL ? "true" : "1");
	n += snprintf(text + n, sizeof text - (size_t)n, "%%f = Mov.%s %s\n%s%s",
		      glc_types[row->from ? row->from : GLC_U32].name, row->from == GLC_BOOL ? "true" : "1", result,
		      glc_op_name(row->op));
	if (facts->types)
		n += snprintf(text + n, sizeof text - (size_t)n, ".%s", glc_types[row->type].name);
	if (facts->flags & GLC_TWO)
		n += snprintf(text + n, sizeof text - (size_t)n, ".%s", glc_types[row->from].name);
	if (row->approx)
		n += snprintf(text + n, sizeof text - (size_t)n, ".approx");
	for (int i = 0; i < count; i++) {
		char letter = facts->operands[i];

		n += snprintf(text + n, sizeof text - (size_t)n, "%s", i ? ", " : " ");
		if (letter == 'n')
			n += snprintf(text + n, sizeof text - (size_t)n, row->type == GLC_BOOL ? "true" : "1");
		else
			n += snprintf(text + n, sizeof text - (size_t)n, "%%%c",
				      letter == 'b' ? 'p' : letter == 's' ? 'u' : letter);
	}
	n += snprintf(text + n, sizeof text - (size_t)n, "\nReturn\n}\n");
	memset(&t->failure, 0, sizeof t->failure);
	glacier_target_parse("ptx:sm_90", &ptx, NULL);
	return read_text(t, text, (size_t)n, NULL) && write_code(t, &t->spirv, GLACIER_OPTIMIZE_NONE, &t->code[0]) &&
	       write_code(t, &ptx, GLACIER_OPTIMIZE_NONE, &t->ptx);
}

static void add_row(struct tester *t, enum glc_op op, enum glc_type type, enum glc_type from, bool approx)
{
	struct rk_row row = {.op = (uint8_t)op, .type = (uint8_t)type, .from = (uint8_t)from, .approx = approx};
	bool memory = strpbrk(glc_ops[op].operands, "ghlkm");

	/* Refused for every target so far: doc/REFUSED.md has the reasons. */
	if (memory || op == GLC_OP_Fence || is_taken(t, &row))
		t->rows[t->row_count++] = row;
}

static void find_rows(struct tester *t)
{
	for (int op = 0; op < GLC_OP_COUNT; op++) {
		const struct glc_op_facts *facts = &glc_ops[op];

		if (facts->flags & GLC_INNER || op == GLC_OP_Return)
			continue;
		if (!facts->types) {
			add_row(t, (enum glc_op)op, GLC_VOID, GLC_VOID, false);
			continue;
		}
		for (int type = GLC_BOOL; type < GLC_TYPE_COUNT; type++) {
			if (!(facts->types >> type & 1))
				continue;
			for (int from = GLC_BOOL; from < GLC_TYPE_COUNT; from++)
				if (facts->flags & GLC_TWO ? facts->types >> from & 1 : from == type)
					add_row(t, (enum glc_op)op, (enum glc_type)type, (enum glc_type)from, false);
			if (facts->flags & GLC_NATIVE)
				add_row(t, (enum glc_op)op, (enum glc_type)type, (enum glc_type)type, true);
		}
	}
}

/* Does the device keep denormals, as a result and as an operand? Does it round quotients and roots? */
static void probe_device(struct tester *t)
{
	static const char text[] =
		"kernel k(@a: buffer f32 readwrite, @b: buffer f64 readwrite, @q: buffer f32 readwrite) workgroup 64 {\n"
		"%l = LocalId.x\n%x = LoadGlobal.f32 @q, %l\n%y = Div.f32 %x, 3.0\n%z = Sqrt.f32 %x\n"
		"%k = Add.u32 %l, 64\nStoreGlobal.f32 @q, %l, %y\nStoreGlobal.f32 @q, %k, %z\n"
		"%first = Eq.u32 %l, 0\nif %first {\n"
		"for %i.u32 = 0, 2 {\n"
		"%x = LoadGlobal.f32 @a, %i\n%x = Mul.f32 %x, 0.5\nStoreGlobal.f32 @a, %i, %x\n"
		"%d = LoadGlobal.f64 @b, %i\n%d = Mul.f64 %d, 0.5\nStoreGlobal.f64 @b, %i, %d\n}\n}\nReturn\n}\n";
	float a[2] = {0x1p-126f, 0x1p-130f}, q[128] = {0};
	double b[2] = {0x1p-1022, 0x1p-1030};
	struct exec_buffer buffers[3] = {{.data = a, .bytes = sizeof a},
					 {.binding = 1, .data = b, .bytes = sizeof b},
					 {.binding = 2, .data = q, .bytes = sizeof q}};
	struct exec_run run = {.buffers = buffers, .buffer_count = 3, .groups = {1, 1, 1}};

	t->device.subgroup = t->library ? library_info(t->library)->subgroup_size : exec_subgroup_size(t->exec);
	for (int i = 0; i < 64; i++)
		q[i] = 1.1f + (float)i;
	memset(&t->failure, 0, sizeof t->failure);
	if (!read_text(t, text, sizeof text - 1, NULL) || !write_code(t, &t->spirv, GLACIER_OPTIMIZE_NONE, &t->code[0]) ||
	    !run_code(t, &t->code[0], &run)) {
		printf("FAIL: the probe: %s%s\n", t->failure.why,
		       t->library ? library_message(t->library) : exec_message(t->exec));
		exit(1);
	}
	t->device.flushes_atomics = t->library && library_info(t->library)->target.kind == GLACIER_TARGET_PTX;
	t->device.relaxed = !t->library || library_info(t->library)->target.kind == GLACIER_TARGET_SPIRV;
	t->device.flushes = a[0] == 0 || a[1] == 0 || b[0] == 0 || b[1] == 0;
	for (int i = 0; i < 64; i++) {
		volatile float x = 1.1f + (float)i, third = x / 3.0f, root = sqrtf(x);

		t->device.near = t->device.near || q[i] != third || q[i + 64] != root;
	}
}

/* --- Coverage ------------------------------------------------------------ */

static bool is_possible(enum rk_parent parent, int depth, enum rk_kind kind)
{
	bool leaves_loop = kind >= RK_BREAK && kind <= RK_CONTINUE_IF;
	bool loop = parent >= RK_IN_LOOP;

	/* At depth 0 there is the kernel alone; its own Return comes last and is always there. */
	if ((parent == RK_IN_KERNEL) != (depth == 0))
		return false;
	if (parent == RK_IN_KERNEL)
		return kind < RK_BREAK;
	/* In the first block below the kernel only a loop can be left. */
	return !leaves_loop || loop || depth > 1;
}

static bool check_coverage(struct tester *t, uint64_t seeds)
{
	static const char *const parents[] = {"kernel", "if", "else", "loop", "for", "unroll"};
	static const char *const kinds[] = {"op", "if", "loop", "for", "unroll", "break", "continue", "break_if",
					    "continue_if", "Return"};
	int nests = 0, nests_seen = 0, chains = 0, rows = 0;
	bool good = true;

	for (int i = 0; i < t->row_count; i++) {
		const struct rk_row *row = &t->rows[i];

		if (t->coverage.op[row->op][row->type][row->from][row->approx]) {
			rows++;
		} else {
			printf("FAIL: never executed: %s %s %s%s\n", glc_op_name(row->op), glc_types[row->type].name,
			       glc_types[row->from].name, row->approx ? " .approx" : "");
			good = false;
		}
	}
	for (int depth = 0; depth < RK_DEPTH; depth++)
		for (int parent = 0; parent < RK_PARENT_COUNT; parent++)
			for (int kind = RK_IF; kind < RK_KIND_COUNT; kind++) {
				if (!is_possible(parent, depth, kind))
					continue;
				nests++;
				nests_seen += t->coverage.nest[depth][parent][kind] > 0;
				if (!t->coverage.nest[depth][parent][kind]) {
					printf("FAIL: never made: %s in %s at depth %d\n", kinds[kind], parents[parent], depth);
					good = false;
				}
			}
	for (int i = 0; i < 625; i++)
		chains += t->coverage.chain[i] > 0;
	printf("executed: %d of %d rows of opcode and type; made: %d of %d constructs in constructs by depth, %d of 625"
	       " chains of four; %llu of %llu values left open\n",
	       rows, t->row_count, nests_seen, nests, chains, (unsigned long long)t->unsure,
	       (unsigned long long)t->compared);
	if (seeds >= 625 && chains < 625) {
		printf("FAIL: not every chain was made\n");
		good = false;
	}
	/* Where signed zeros are the device's own, more is. */
	if (t->unsure * (t->device.relaxed ? 8 : 20) > t->compared) {
		printf("FAIL: too many of the values were left open\n");
		good = false;
	}
	return good;
}

/* "3,17"; those that are not there, and those that must stay, do not count. */
static void remove_stmts(struct rk_kernel *k, const char *list)
{
	while (*list) {
		char *end;
		long number = strtol(list, &end, 10);

		if (end == list)
			return;
		if (number >= 0 && number < k->stmt_count && !(k->stmts[number].pinned && k->barriers))
			k->stmts[number].removed = true;
		list = *end == ',' ? end + 1 : end;
	}
}

int main(int argc, char **argv)
{
	static struct tester tester;
	static struct rk_kernel kernel;
	struct tester *t = &tester;
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 50;
	int failures = 0;
	char message[256];
	enum glacier_device_kind kind = library_kind();
	enum exec_status status = kind == GLACIER_DEVICE_KIND_COUNT
					  ? exec_open(&t->exec, message, sizeof message)
					  : library_open(kind, &t->library, message, sizeof message);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (glacier_module_create(NULL, &t->module) != GLACIER_OK ||
	    glacier_target_parse("spirv:1.6+soft-fma", &t->spirv, NULL) != GLACIER_OK)
		return 99;
#ifdef HAVE_VALID
	t->valid = valid_create("vulkan1.3");
#endif
	t->batch = malloc((size_t)BATCH * MOST_TEXT);
	t->ptxas = system("ptxas --version >/dev/null 2>&1") == 0;
	t->device.subgroup = 8;
	if (status == EXEC_OK)
		probe_device(t);
	find_rows(t);

	for (uint64_t seed = first; seed < first + count && failures < 3; seed++) {
		rk_make(&kernel, seed, t->rows, t->row_count, &t->coverage);
		if (argc > 3)
			remove_stmts(&kernel, argv[3]);
		if (try_kernel(t, &kernel, &t->coverage)) {
			if (count == 1)
				fputs(t->text, stdout);
			failures += !add_to_batch(t, &kernel);
		} else {
			tell(t, &kernel);
			failures++;
		}
	}
	if (t->batch_count && !failures)
		failures += !begin_batch(t);
	failures += !end_batch(t);
	printf("%llu kernels from seed %llu; device: %s, %s denormals, %s quotients; SPIRV-Tools: %s; ptxas: %s\n",
	       (unsigned long long)count, (unsigned long long)first, t->exec      ? exec_device_name(t->exec)
	       : t->library ? library_info(t->library)->name
			    : message,
	       t->device.flushes ? "flushes" : "keeps", t->device.near ? "has bounds for" : "rounds",
#ifdef HAVE_VALID
	       "in process",
#else
	       "not here",
#endif
	       t->ptxas ? "one call for 32 kernels" : "not here");
	if (count >= 50 && !failures)
		failures += !check_coverage(t, count);
#ifdef HAVE_VALID
	valid_destroy(t->valid);
#endif
	exec_close(t->exec);
	library_close(t->library);
	glacier_module_destroy(t->module);
	for (int i = 0; i < 2; i++)
		glacier_buffer_fini(&t->code[i]);
	glacier_buffer_fini(&t->ptx);
	free(t->batch);
	if (failures)
		return 1;
	if (status != EXEC_OK) {
		printf("SKIP: compiled and judged, not run: %s\n", message);
		return 77;
	}
	return 0;
}
