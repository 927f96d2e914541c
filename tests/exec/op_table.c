/* SPDX-License-Identifier: MIT */
/*
 * op_table [SEEDS] - every instruction with every type for every target emits what the
 * field's tools accept and what computes the language's answer, or is refused by the code
 * that doc/REFUSED.md lists. SEEDS: so many rounds with other random operands, and more literals.
 */
#include "op_values.h"
#include "refused.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	char name[48], kind[8];
} targets[] = {
	{"spirv:1.6", "spirv"}, {"spirv:1.5", "spirv"}, {"spirv:1.4", "spirv"}, {"spirv:1.3", "spirv"},
	{"spirv:1.6+signed-zero-inf-nan+soft-fma", "spirv"}, {"spirv:1.3+signed-zero-inf-nan+atomic-float-add", "spirv"},
	{"ptx:sm_80", "ptx"}, {"ptx:sm_89", "ptx"}, {"ptx:sm_90", "ptx"},
};
enum { TARGET_COUNT = sizeof targets / sizeof targets[0], FIRST_PTX = 6 };

static unsigned emitted, refused;

static void check_cell(struct kernels *kernels, struct cell *cell, const char *target, const char *kind,
		       const char *text, bool good)
{
	const char *code = refused_code(cell, kind);

	if (good) {
		emitted++;
		if (code)
			kernels_fail(kernels, NULL, "%s emits for %s, and doc/REFUSED.md lists %s", cell->name,
				     target, code);
	} else if (!code) {
		kernels_fail(kernels, text, "%s does not emit for %s, and doc/REFUSED.md does not list it: %s: %s",
			     cell->name, target, kernels->error, kernels->message);
	} else {
		refused++;
		if (strcmp(code, kernels->error))
			kernels_fail(kernels, text, "%s for %s: %s: %s, and doc/REFUSED.md lists %s", cell->name,
				     target, kernels->error, kernels->message, code);
	}
}

static void check_cells(struct kernels *kernels, struct cell *cells, unsigned count, struct script *ptx)
{
	struct script text = {0};

	cell_constants(ptx);
	for (unsigned i = 0; i < count; i++) {
		char name[32];

		script_clear(&text);
		cell_constants(&text);
		cell_kernel(&text, &cells[i], "cell");
		if (!kernels_read(kernels, text.at, NULL)) {
			for (unsigned t = 0; t < TARGET_COUNT; t++)
				check_cell(kernels, &cells[i], targets[t].name, targets[t].kind, text.at, false);
			continue;
		}
		for (unsigned t = 0; t < TARGET_COUNT; t++) {
			bool good = kernels_write(kernels, targets[t].name, true);

			check_cell(kernels, &cells[i], targets[t].name, targets[t].kind, text.at, good);
			if (t == 0)
				cells[i].emits = good;
			if (good != kernels_write(kernels, targets[t].name, false))
				kernels_fail(kernels, text.at, "%s emits for %s at one level only", cells[i].name,
					     targets[t].name);
			snprintf(name, sizeof name, "cell_%u", i);
			if (good && t == FIRST_PTX)
				cell_kernel(ptx, &cells[i], name);
		}
	}
	free(text.at);
}

/* All cells that PTX takes, in one module: ptxas starts once an architecture. */
static bool assemble(struct kernels *kernels, const struct script *ptx)
{
	bool here = true;

	if (!kernels_read(kernels, ptx->at, NULL)) {
		kernels_fail(kernels, NULL, "all cells in one module: %s: %s", kernels->error, kernels->message);
		return true;
	}
	for (unsigned t = FIRST_PTX; t < TARGET_COUNT && here; t++) {
		int code;

		if (!kernels_write(kernels, targets[t].name, true)) {
			kernels_fail(kernels, NULL, "all cells in one module: %s: %s", kernels->error,
				     kernels->message);
			continue;
		}
		code = kernels_assemble(&kernels->code, targets[t].name + 4);
		here = code != 77;
		if (code == 1)
			kernels_fail(kernels, NULL, "ptxas refuses the cells for %s", targets[t].name);
	}
	return here;
}

int main(int argc, char **argv)
{
	unsigned long seeds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	const char *folder = getenv("top_srcdir");
	struct script ptx = {0};
	struct kernels kernels;
	struct cell *cells;
	char path[1024];
	unsigned count;
	bool assembled;

	snprintf(path, sizeof path, "%s/doc/REFUSED.md", folder ? folder : ".");
	if (!refused_read(path))
		return 1;
	kernels_open(&kernels);
	cells = cells_all(&count);
	check_cells(&kernels, cells, count, &ptx);
	kernels.failures += refused_unused();
	printf("%u cells: %u emitted, %u refused by their code\n", count, emitted, refused);
	assembled = assemble(&kernels, &ptx);
	if (!assembled)
		printf("not tried: there is no ptxas\n");
	if (!kernels.valid[6])
		printf("not tried: libSPIRV-Tools was not found when this was built\n");
	for (unsigned long seed = 1; kernels.runs && seed <= seeds; seed++) {
		run_cells(&kernels, cells, count, seed, seeds > 1);
		run_rounding(&kernels, seed);
	}
	if (!kernels.runs)
		printf("not executed: %s\n", kernels.why);
	free(ptx.at);
	return kernels_finish(&kernels);
}
