/* SPDX-License-Identifier: MIT */
/*
 * The validator before SPIRV-Tools' own, in process, with --compat and equal options: on what
 * gc-asm makes of every example, on the corpus when GLACIER_CORPUS names it, and on seeded
 * mutants of both, in ten classes.
 *
 *	spv_val [-n MUTANTS] [-s SEED] [-v] FILE...
 *
 * Prints a table by family of what only one of the two refuses. The totals are pinned: they
 * may fall, never rise.
 */
#include <glacier.h>

#include "valid.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* What is pinned: modules of other stages; mutants in 100,000, for a seed may meet what BENCHMARKS.md lists. */
enum { MOST_OTHERS = 0, MOST_MUTANTS = 3 };

enum { CLASSES = 10, MOST_ROWS = 256, MESSAGE_BYTES = 512 };

static const char class_names[CLASSES][24] = {
	"flip a bit", "swap instructions", "small id", "word +-1", "swap operands",
	"truncate", "delete instruction", "word count +-1", "duplicate", "opcode +-1",
};

/* Framing alone finds these: they say nothing of a validator. */
static bool is_framing(int class)
{
	return class == 5 || class == 7;
}

struct module {
	char name[64];
	uint32_t *words;
	size_t count;
	bool compute;
};

struct row {
	char family[64];
	unsigned accepts, rejects;   /* that we alone make */
};

static struct module *modules;
static size_t module_count, module_capacity;
static struct row rows[MOST_ROWS];
static unsigned row_count;
static struct glacier_memory memory;
static struct valid *valid;
static bool verbose;
static double ours_s, theirs_s;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* --- The two verdicts ---------------------------------------------------- */

static char our_code[16], our_message[MESSAGE_BYTES];

static void keep_first(void *user, const struct glacier_diagnostic *diagnostic)
{
	(void)user;
	if (diagnostic->severity != GLACIER_ERROR || our_code[0])
		return;
	snprintf(our_code, sizeof our_code, "%s", diagnostic->code);
	snprintf(our_message, sizeof our_message, "%s", diagnostic->message);
}

static bool ours(const uint32_t *words, size_t count)
{
	static const struct glacier_spirv_options options = {.scalar_block_layout = true, .compat = true};
	struct glacier_diag diag = {.report = keep_first};
	double start = now();
	bool good;

	our_code[0] = our_message[0] = '\0';
	good = glacier_spirv_validate(&memory, words, count * 4, &options, &diag) == GLACIER_OK;
	ours_s += now() - start;
	return good;
}

static sigjmp_buf crashed;
static unsigned crashes, valid_count;

static void on_crash(int signal)
{
	siglongjmp(crashed, signal);
}

/* 1: valid, 0: not, -1: SPIRV-Tools crashed, as release 2023.1 does on OpDecorate UniformId. */
static int theirs(const uint32_t *words, size_t count, char message[MESSAGE_BYTES])
{
	double start = now();
	int good;

	message[0] = '\0';
	if (sigsetjmp(crashed, 1)) {
		crashes++;
		return -1;
	}
	signal(SIGSEGV, on_crash);
	good = valid_spirv(valid, words, count, message, MESSAGE_BYTES);
	signal(SIGSEGV, SIG_DFL);
	theirs_s += now() - start;
	return good;
}

static struct row *row_of(const char *family)
{
	unsigned i = 0;

	while (i < row_count && strcmp(rows[i].family, family))
		i++;
	if (i == row_count && row_count < MOST_ROWS)
		snprintf(rows[row_count++].family, sizeof rows[0].family, "%s", family);
	return &rows[i < row_count ? i : 0];
}

/* Their message without what is of this module alone: its first words. */
static void family_of(const char *message, char family[64])
{
	size_t n = 0;

	for (const char *c = message; *c && *c != '\n' && n < 48; c++)
		if (*c < '0' || *c > '9')
			family[n++] = *c;
	family[n] = '\0';
}

/* 0: they agree; 1: we accept alone; 2: we refuse alone. */
static int compare(const uint32_t *words, size_t count, const char *name)
{
	char message[MESSAGE_BYTES], family[64];
	bool we = ours(words, count);
	int they = theirs(words, count, message);

	valid_count += they > 0;
	if (they < 0 || we == they)
		return 0;
	family_of(message, family);
	if (we)
		row_of(family)->accepts++;
	else
		row_of(our_code)->rejects++;
	if (verbose)
		printf("%s %s: %s %s\n", we ? "FA" : "FR", name, our_code, we ? message : our_message);
	return we ? 1 : 2;
}

/* --- Modules ------------------------------------------------------------- */

static void add_module(const char *name, const void *data, size_t bytes)
{
	struct module *module;

	if (module_count == module_capacity) {
		module_capacity = module_capacity ? module_capacity * 2 : 64;
		modules = realloc(modules, module_capacity * sizeof *modules);
		if (!modules)
			exit(99);
	}
	module = &modules[module_count++];
	*module = (struct module){.count = bytes / 4, .words = malloc(bytes ? bytes : 1)};
	if (!module->words)
		exit(99);
	memcpy(module->words, data, bytes / 4 * 4);
	snprintf(module->name, sizeof module->name, "%.63s", name);
	for (size_t at = 5; at + 1 < module->count && module->words[at] >> 16; at += module->words[at] >> 16)
		if ((module->words[at] & 0xffff) == 15)
			module->compute |= module->words[at + 1] == 5;
}

static void *load(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *data;
	long end;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	end = ftell(file);
	rewind(file);
	data = malloc((size_t)end + 1);
	if (!data || fread(data, 1, (size_t)end, file) != (size_t)end)
		exit(99);
	data[end] = '\0';
	*bytes = (size_t)end;
	fclose(file);
	return data;
}

static void add_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t bytes;
	char *data = load(path, &bytes);

	if (!data) {
		printf("cannot read %s\n", path);
		exit(99);
	}
	add_module(slash ? slash + 1 : path, data, bytes);
	free(data);
}

/* In the order of their names, so that a seed means the same everywhere. */
static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->name, ((const struct module *)b)->name);
}

static void add_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t first = module_count;
	char path[8192];

	while (dir && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);

		if (length < 5 || strcmp(entry->d_name + length - 4, ".spv"))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		add_file(path);
	}
	if (dir)
		closedir(dir);
	qsort(modules + first, module_count - first, sizeof *modules, by_name);
}

/* --- Mutants ------------------------------------------------------------- */

static uint64_t state;

static uint32_t random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n ? (uint32_t)((state >> 32) * n >> 32) : 0;
}

static uint32_t *copy, *starts;
static size_t copy_count, start_count;

static void begin_mutant(const struct module *module)
{
	copy_count = module->count;
	memcpy(copy, module->words, copy_count * 4);
	start_count = 0;
	for (size_t at = 5; at < copy_count && copy[at] >> 16; at += copy[at] >> 16)
		starts[start_count++] = (uint32_t)at;
}

static uint32_t length_at(uint32_t start)
{
	return copy[start] >> 16;
}

/* Any word behind the header that is no first word of an instruction; 0: there is none. */
static uint32_t operand_word(void)
{
	for (int tries = 0; tries < 64; tries++) {
		uint32_t start = starts[random_below((uint32_t)start_count)];

		if (length_at(start) > 1)
			return start + 1 + random_below(length_at(start) - 1);
	}
	return 0;
}

static void swap_instructions(void)
{
	uint32_t i = random_below((uint32_t)start_count - 1), a = starts[i], b = starts[i + 1];
	uint32_t n = length_at(a), m = length_at(b);
	uint32_t *first = malloc((size_t)n * 4);

	if (!first)
		exit(99);
	memcpy(first, copy + a, (size_t)n * 4);
	memmove(copy + a, copy + b, (size_t)m * 4);
	memcpy(copy + a + m, first, (size_t)n * 4);
	free(first);
}

static void swap_operands(void)
{
	for (int tries = 0; tries < 64; tries++) {
		uint32_t start = starts[random_below((uint32_t)start_count)], n = length_at(start), a, b, word;

		if (n < 3)
			continue;
		a = start + 1 + random_below(n - 1);
		b = start + 1 + random_below(n - 1);
		word = copy[a];
		copy[a] = copy[b];
		copy[b] = word;
		return;
	}
}

static void mutate(int class)
{
	uint32_t start = starts[random_below((uint32_t)start_count)], n = length_at(start), word = operand_word();
	uint32_t sign = random_below(2) ? 1u : UINT32_MAX;

	switch (class) {
	case 0: copy[5 + random_below((uint32_t)copy_count - 5)] ^= 1u << random_below(32); break;
	case 1: swap_instructions(); break;
	case 2: copy[word] = 1 + random_below(copy[3] ? copy[3] : 1); break;
	case 3: copy[word] += sign; break;
	case 4: swap_operands(); break;
	case 5: copy_count -= 1 + random_below(n); break;
	case 6:
		memmove(copy + start, copy + start + n, (copy_count - start - n) * 4);
		copy_count -= n;
		break;
	case 7: copy[start] += sign << 16; break;
	case 8:
		memmove(copy + start + n, copy + start, (copy_count - start) * 4);
		copy_count += n;
		break;
	default: copy[start] = (copy[start] & 0xffff0000) | ((copy[start] + sign) & 0xffff); break;
	}
}

static int failures;

static void pin(const char *what, unsigned have, unsigned most)
{
	printf("%s: %u (at most %u)\n", what, have, most);
	if (have > most) {
		printf("FAIL: %s rose\n", what);
		failures++;
	}
}

static unsigned share(const unsigned totals[3], int verdict)
{
	unsigned all = totals[0] + totals[1] + totals[2];

	return all ? (unsigned)((uint64_t)totals[verdict] * 100000 / all) : 0;
}

static void run_mutants(unsigned mutants, uint64_t seed, unsigned totals[3])
{
	unsigned counts[CLASSES][3] = {0}, valid_of[CLASSES] = {0};
	size_t largest = 0;

	for (size_t i = 0; i < module_count; i++)
		largest = modules[i].count > largest ? modules[i].count : largest;
	copy = malloc(largest * 8 + 64);
	starts = malloc(largest * 4 + 64);
	if (!copy || !starts)
		exit(99);
	state = seed;
	for (unsigned i = 0; i < mutants; i++) {
		const struct module *module = &modules[random_below((uint32_t)module_count)];
		int class = (int)(i % CLASSES), verdict;
		char name[160];

		begin_mutant(module);
		if (start_count < 2)
			continue;
		mutate(class);
		snprintf(name, sizeof name, "%s %u (%s)", module->name, i, class_names[class]);
		valid_count = 0;
		verdict = compare(copy, copy_count, name);
		valid_of[class] += valid_count;
		counts[class][verdict]++;
		if (verdict && getenv("SPV_VAL_KEEP")) {
			char path[4096];
			FILE *file;

			snprintf(path, sizeof path, "%s/%s-%u.spv", getenv("SPV_VAL_KEEP"), verdict == 1 ? "FA" : "FR", i);
			file = fopen(path, "wb");
			if (file) {
				fwrite(copy, 4, copy_count, file);
				fclose(file);
			}
		}
	}
	printf("%-20s %8s %8s %8s %8s\n", "mutants", "valid", "agree", "accepted", "refused");
	for (int class = 0; class < CLASSES; class++) {
		printf("%-20s %8u %8u %8u %8u\n", class_names[class], valid_of[class], counts[class][0], counts[class][1], counts[class][2]);
		for (int k = 0; k < 3 && !is_framing(class); k++)
			totals[k] += counts[class][k];
	}
}

static void print_rows(void)
{
	for (unsigned i = 0; i < row_count; i++)
		printf("%8u %8u  %s\n", rows[i].accepts, rows[i].rejects, rows[i].family);
}

int main(int argc, char **argv)
{
	unsigned mutants = 20000, totals[3] = {0}, compute[3] = {0}, others[3] = {0};
	const char *corpus = getenv("GLACIER_CORPUS");
	uint64_t seed = 0x9e3779b97f4a7c15;
	int option;

	while ((option = getopt(argc, argv, "n:s:v")) != -1)
		switch (option) {
		case 'n': mutants = (unsigned)strtoul(optarg, NULL, 10); break;
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'v': verbose = true; break;
		default: return 99;
		}
	valid = valid_create("vulkan1.3");
	if (!valid)
		return 77;
	valid_scalar_layout(valid);
	glacier_memory_init(&memory, NULL, 0);
	for (int i = optind; i < argc; i++)
		add_file(argv[i]);
	if (corpus) {
		char folder[4096];

		snprintf(folder, sizeof folder, "%s/spirv", corpus);
		add_folder(folder);
	}
	if (!module_count)
		return 77;
	for (size_t i = 0; i < module_count; i++)
		(modules[i].compute ? compute : others)[compare(modules[i].words, modules[i].count, modules[i].name)]++;
	printf("compute modules: %u agree, %u accepted alone, %u refused alone\n", compute[0], compute[1], compute[2]);
	printf("other modules: %u agree, %u accepted alone, %u refused alone\n", others[0], others[1], others[2]);
	printf("seconds: ours %.3f, SPIRV-Tools %.3f: %.1f times\n", ours_s, theirs_s, theirs_s / ours_s);
	{
		size_t kept = 0;

		for (size_t i = 0; i < module_count; i++)
			if (modules[i].compute)
				modules[kept++] = modules[i];
		module_count = kept;
	}
	run_mutants(mutants, seed, totals);
	printf("%8s %8s  family\n", "accepted", "refused");
	print_rows();
	printf("SPIRV-Tools crashed on %u\n", crashes);
	printf("mutants without framing: %.3f %% agree\n", 100.0 * totals[0] / (totals[0] + totals[1] + totals[2]));
	pin("compute modules accepted alone", compute[1], 0);
	pin("compute modules refused alone", compute[2], 0);
	pin("other modules accepted alone", others[1], MOST_OTHERS);
	pin("other modules refused alone", others[2], 0);
	pin("mutants accepted alone, in 100,000", share(totals, 1), MOST_MUTANTS);
	pin("mutants refused alone, in 100,000", share(totals, 2), MOST_MUTANTS);
	/* A build that is not optimized, or watches itself, proves nothing. */
	if (module_count > 1000 && !SANITIZED)
		pin("time taken, SPIRV-Tools' being 1,000", (unsigned)(1000 * ours_s / theirs_s), 100);
	return failures ? 1 : 0;
}
