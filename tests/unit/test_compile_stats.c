/* SPDX-License-Identifier: MIT */
/* Measurements: which there are, what they add up to, and none that nobody asked for. */
#include <glacier/kernel.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static unsigned clock_reads;

/* The linker hands the library's clock to the test. */
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	clock_reads++;
	return __real_clock_gettime(clock, now);
}

static const char two[] = "kernel first(@a: buffer f32 write) workgroup 64 {\n"
			  "  %i = GlobalId.x\n  StoreGlobal.f32 @a, %i, 1.5\n  Return\n}\n"
			  "kernel second(@a: buffer f32 readwrite) workgroup 64 {\n"
			  "  %i = GlobalId.x\n  %x = LoadGlobal.f32 @a, %i\n  %y = Exp.f32 %x\n"
			  "  StoreGlobal.f32 @a, %i, %y\n  Return\n}\n";

struct recorded {
	struct row {
		enum glacier_phase phase;
		char target[32], kernel[32];
		uint64_t time_ns, bytes;
	} rows[32];
	size_t count;
};

static void record(void *user, const struct glacier_stat *stat)
{
	struct recorded *recorded = user;
	struct row *row = &recorded->rows[recorded->count++];

	*row = (struct row){.phase = stat->phase, .time_ns = stat->time_ns, .bytes = stat->bytes};
	if (stat->target)
		glacier_target_name(stat->target, row->target, sizeof row->target);
	snprintf(row->kernel, sizeof row->kernel, "%.*s", (int)stat->kernel_name_bytes,
		 stat->kernel ? stat->kernel : "");
}

/* Reads `two` and writes it for a target; gives the size of the code. */
static size_t compile(const char *target_name, const struct glacier_stats *stats)
{
	struct glacier_text input = {.text = two, .size = sizeof two - 1};
	struct glacier_read_options read = {.stats = stats};
	struct glacier_write_options write = {.stats = stats};
	struct glacier_buffer buffer = {0};
	struct glacier_module *module;
	struct glacier_target target;
	size_t size;

	cr_assert(eq(int, glacier_target_parse(target_name, &target, NULL), GLACIER_OK));
	cr_assert(eq(int, glacier_module_create(NULL, &module), GLACIER_OK));
	cr_assert(eq(int, glacier_module_read_text(module, &input, &read, NULL), GLACIER_OK));
	cr_assert(eq(int, glacier_module_write(module, &target, &write, &buffer, NULL), GLACIER_OK));
	size = buffer.size;
	glacier_buffer_fini(&buffer);
	glacier_module_destroy(module);
	return size;
}

Test(compile_stats, has_each_phase_of_the_module_and_of_its_kernels)
{
	static const char names[][8] = {"spirv", "ptx"};
	static const struct {
		enum glacier_phase phase;
		bool kernel, target;
	} expected[] = {
		{GLACIER_PHASE_PARSE, false, false}, {GLACIER_PHASE_CHECK, true, false},
		{GLACIER_PHASE_CHECK, true, false},  {GLACIER_PHASE_CHECK, false, false},
		{GLACIER_PHASE_LOWER, false, true},  {GLACIER_PHASE_WRITE, true, true},
		{GLACIER_PHASE_WRITE, true, true},   {GLACIER_PHASE_WRITE, false, true},
	};

	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		struct recorded got = {0};
		struct glacier_stats stats = {.record = record, .user = &got};
		size_t size = compile(names[n], &stats);

		cr_assert(eq(sz, got.count, sizeof expected / sizeof *expected));
		for (size_t i = 0; i < got.count; i++) {
			cr_expect(eq(int, got.rows[i].phase, expected[i].phase), "row %zu", i);
			cr_expect(eq(int, got.rows[i].kernel[0] != 0, expected[i].kernel), "row %zu", i);
			cr_expect(eq(int, got.rows[i].target[0] != 0, expected[i].target), "row %zu", i);
			cr_expect(got.rows[i].bytes > 0, "row %zu", i);
		}
		cr_expect(strcmp(got.rows[5].kernel, "first") == 0);
		cr_expect(strcmp(got.rows[6].kernel, "second") == 0);
		cr_expect(strncmp(got.rows[7].target, names[n], strlen(names[n])) == 0, "%s", got.rows[7].target);
		cr_expect(eq(u64, got.rows[0].bytes, sizeof two - 1));
		cr_expect(eq(u64, got.rows[7].bytes, size));
		cr_expect(got.rows[5].bytes + got.rows[6].bytes < size, "the header is no kernel's");
		/* Exp is hundreds of instructions, the first kernel is three. */
		cr_expect(got.rows[5].bytes < got.rows[6].bytes);
		cr_expect(got.rows[4].bytes > got.rows[3].bytes, "Exp is expanded when it is lowered");
		cr_expect(got.rows[1].time_ns + got.rows[2].time_ns <= got.rows[3].time_ns);
		cr_expect(got.rows[5].time_ns + got.rows[6].time_ns <= got.rows[7].time_ns);
	}
}

Test(compile_stats, reads_no_clock_unasked)
{
	struct recorded got = {0};
	struct glacier_stats stats = {.record = record, .user = &got};

	clock_reads = 0;
	compile("spirv", NULL);
	compile("ptx", NULL);
	cr_expect(eq(uint, clock_reads, 0));
	compile("ptx", &stats);
	cr_expect(clock_reads > 0, "the test sees the clock");
}

Test(compile_stats, names_its_phases)
{
	cr_expect(strcmp(glacier_phase_name(GLACIER_PHASE_READ), "read") == 0);
	cr_expect(strcmp(glacier_phase_name(GLACIER_PHASE_WRITE), "write") == 0);
	cr_expect(glacier_phase_name(GLACIER_PHASE_COUNT) == NULL);
	cr_expect(glacier_phase_name((enum glacier_phase)-1) == NULL);
}
