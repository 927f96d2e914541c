/* SPDX-License-Identifier: MIT */
/*
 * Control flow: each shape at -O0 and -O1, for four versions of SPIR-V through the validator,
 * run against its twin in C, and all of them through ptxas.
 */
#include "shapes.h"

#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t inputs[SHAPE_ELEMS];
static unsigned executed;

static void fill_inputs(void)
{
	static const uint32_t edges[] = {
		100, 255, 256, 1000, 0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffffd, 0xffffffff, 0x55555555,
	};

	for (uint32_t i = 0; i < SHAPE_ELEMS; i++)
		inputs[i] = i < 54 ? i : edges[i - 54];
}

static bool execute(struct kernels *kernels, const char *text, bool optimize, const struct exec_spec *specs,
		    size_t spec_count, uint32_t out[SHAPE_ELEMS])
{
	struct exec_buffer buffers[] = {
		{0, 0, inputs, sizeof inputs},
		{0, 1, out, SHAPE_ELEMS * sizeof *out},
	};
	struct exec_run run = {
		.buffers = buffers, .buffer_count = 2, .specs = specs, .spec_count = spec_count,
		.groups = {SHAPE_ELEMS / 32, 1, 1},
	};

	for (int i = 0; i < SHAPE_ELEMS; i++)
		out[i] = UNTOUCHED;
	return kernels_run(kernels, text, optimize, &run);
}

static void compare(struct kernels *kernels, const char *name, const char *text, bool optimize,
		    const struct exec_spec *specs, size_t spec_count, uint32_t (*want)(uint32_t))
{
	uint32_t out[SHAPE_ELEMS];

	if (!kernels->runs || !execute(kernels, text, optimize, specs, spec_count, out))
		return;
	executed++;
	for (int i = 0; i < SHAPE_ELEMS; i++)
		if (out[i] != want(inputs[i])) {
			kernels_fail(kernels, text, "%s at -O%d: %u gives %u, not %u", name, optimize, inputs[i],
				     out[i], want(inputs[i]));
			return;
		}
}

static void write_shape(struct script *text, const struct shape *shape, const char *prefix)
{
	script_add(text, "kernel %s%s(@in: buffer u32 read, @out: buffer u32 write%s) workgroup 32 {\n"
		   "  %%i = GlobalId\n  %%x = LoadGlobal.u32 @in, %%i\n%s}\n", prefix, shape->name, shape->params,
		   shape->body);
}

static void try_shapes(struct kernels *kernels, const struct shape *shapes, unsigned count, const char *prefix,
		       struct script *all)
{
	static const char older[][12] = {"spirv:1.3", "spirv:1.4", "spirv:1.5"};
	struct script text = {0};

	for (unsigned i = 0; i < count; i++) {
		script_clear(&text);
		write_shape(&text, &shapes[i], prefix);
		write_shape(all, &shapes[i], prefix);
		for (int optimize = 0; optimize < 2; optimize++) {
			compare(kernels, shapes[i].name, text.at, optimize, NULL, 0, shapes[i].want);
			if (!kernels_read(kernels, text.at, NULL)) {
				kernels_fail(kernels, text.at, "%s: %s: %s", shapes[i].name, kernels->error,
					     kernels->message);
				continue;
			}
			for (size_t k = 0; k < sizeof older / sizeof older[0]; k++)
				if (!kernels_write(kernels, older[k], optimize))
					kernels_fail(kernels, text.at, "%s for %s: %s", shapes[i].name, older[k],
						     kernels->message);
		}
	}
	free(text.at);
}

/* --- Constants of the launch --------------------------------------------- */

static uint32_t step_of_launch(uint32_t x, int32_t step)
{
	uint32_t r = 0;

	if (step > 0)
		for (int32_t k = -5; k < (int32_t)(x & 15); k += step)
			r = r * 31 + (uint32_t)k;
	else
		for (int32_t k = -5; k > (int32_t)(x & 15) - 20; k += step)
			r = r * 31 + (uint32_t)k;
	return r;
}

static uint32_t step_3(uint32_t x)
{
	return step_of_launch(x, 3);
}

static uint32_t step_minus_4(uint32_t x)
{
	return step_of_launch(x, -4);
}

/* The step's sign is that of the launch: the module holds both directions. */
static void try_launch_step(struct kernels *kernels)
{
	static const char text[] =
		"kernel k(@in: buffer u32 read, @out: buffer u32 write, @S: spec i32 = 3) workgroup 32 {\n"
		"  %i = GlobalId\n  %x = LoadGlobal.u32 @in, %i\n  %r = Mov.u32 0\n  %n = And.u32 %x, 15\n"
		"  %m = Bitcast.i32.u32 %n\n  %down = Lt.i32 @S, 0\n"
		"  if %down {\n    %m = Sub.i32 %m, 20\n  }\n"
		"  for %k.i32 = -5, %m, @S {\n"
		"    %q = Bitcast.u32.i32 %k\n    %r = Mul.u32 %r, 31\n    %r = Add.u32 %r, %q\n  }\n"
		"  StoreGlobal.u32 @out, %i, %r\n  Return\n}\n";
	const struct exec_spec minus_4 = {0, 4, (uint32_t)-4};

	for (int optimize = 0; optimize < 2; optimize++) {
		compare(kernels, "step as declared", text, optimize, NULL, 0, step_3);
		compare(kernels, "step of the launch", text, optimize, &minus_4, 1, step_minus_4);
	}
}

/* --- Depth --------------------------------------------------------------- */

static unsigned depth;

/* Ifs of which the k-th asks whether x > k: the deepest that is entered is min(x, depth). */
static uint32_t deepest(uint32_t x)
{
	return x < depth ? x : depth;
}

static void write_ifs(struct script *text, const char *name, unsigned levels)
{
	depth = levels;
	script_clear(text);
	script_add(text, "kernel %s(@in: buffer u32 read, @out: buffer u32 write) workgroup 32 {\n"
		   "  %%i = GlobalId\n  %%x = LoadGlobal.u32 @in, %%i\n  %%r = Mov.u32 0\n", name);
	for (unsigned k = 0; k < levels; k++)
		script_add(text, "%%c = Gt.u32 %%x, %u\nif %%c {\n%%r = Add.u32 %%r, 1\n", k);
	for (unsigned k = 0; k < levels; k++)
		script_add(text, "}\n");
	script_add(text, "%s}\n", STORE_R);
}

/* Loops in loops, each of one round and a break; the innermost adds. */
static uint32_t innermost(uint32_t x)
{
	return x + depth;
}

static void write_loops(struct script *text, const char *name, unsigned levels)
{
	depth = levels;
	script_clear(text);
	script_add(text, "kernel %s(@in: buffer u32 read, @out: buffer u32 write) workgroup 32 {\n"
		   "  %%i = GlobalId\n  %%x = LoadGlobal.u32 @in, %%i\n  %%r = Mov.u32 %%x\n", name);
	for (unsigned k = 0; k < levels; k++)
		script_add(text, "loop {\n%%r = Add.u32 %%r, 1\n");
	for (unsigned k = 0; k < levels; k++)
		script_add(text, "break\n}\n");
	script_add(text, "%s}\n", STORE_R);
}

/*
 * llvmpipe keeps at most 80 masks (LP_MAX_TGSI_NESTING in Mesa's gallivm) and goes on as if
 * the conditions further inside were not there: what is deeper is validated, not run.
 */
enum { DEPTH_RUN = 64, DEPTH_VALIDATED = 200, DEPTH_WRITTEN = 1000 };

static void try_written(struct kernels *kernels, const char *text, unsigned levels)
{
	static const char names[][12] = {"spirv:1.6", "ptx:sm_90"};
	struct valid *validator = kernels->valid[6];

	/* It needs 20 s for a depth of 1,000. */
	if (levels > DEPTH_VALIDATED)
		kernels->valid[6] = NULL;
	if (!kernels_read(kernels, text, NULL))
		kernels_fail(kernels, NULL, "%u levels: %s: %s", levels, kernels->error, kernels->message);
	else
		for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
			for (int optimize = 0; optimize < 2; optimize++)
				if (!kernels_write(kernels, names[i], optimize))
					kernels_fail(kernels, NULL, "%u levels for %s: %s", levels, names[i],
						     kernels->message);
	kernels->valid[6] = validator;
}

static void try_depth(struct kernels *kernels, struct script *all)
{
	static const unsigned levels[] = {DEPTH_VALIDATED, DEPTH_WRITTEN};
	struct script text = {0};

	for (int optimize = 0; optimize < 2; optimize++) {
		write_ifs(&text, "k", DEPTH_RUN);
		compare(kernels, "nested ifs", text.at, optimize, NULL, 0, deepest);
		write_loops(&text, "k", DEPTH_RUN);
		compare(kernels, "nested loops", text.at, optimize, NULL, 0, innermost);
	}
	for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
		write_ifs(&text, "k", levels[i]);
		try_written(kernels, text.at, levels[i]);
		write_loops(&text, "k", levels[i]);
		try_written(kernels, text.at, levels[i]);
	}
	write_ifs(&text, "deep_ifs", DEPTH_VALIDATED);
	script_add(all, "%s", text.at);
	write_loops(&text, "deep_loops", DEPTH_VALIDATED);
	script_add(all, "%s", text.at);
	free(text.at);
}

static void assemble(struct kernels *kernels, const struct script *all)
{
	if (!kernels_read(kernels, all->at, NULL)) {
		kernels_fail(kernels, NULL, "all shapes in one module: %s: %s", kernels->error, kernels->message);
		return;
	}
	for (int optimize = 0; optimize < 2; optimize++) {
		if (!kernels_write(kernels, "ptx:sm_80", optimize))
			kernels_fail(kernels, NULL, "all shapes as PTX: %s", kernels->message);
		else if (kernels_assemble(&kernels->code, "sm_80") == 1)
			kernels_fail(kernels, NULL, "ptxas refuses the shapes at -O%d", optimize);
	}
}

int main(void)
{
	struct kernels kernels;
	struct script all = {0};

	kernels_open(&kernels);
	fill_inputs();
	try_shapes(&kernels, if_shapes, if_shape_count, "if_", &all);
	try_shapes(&kernels, loop_shapes, loop_shape_count, "loop_", &all);
	try_shapes(&kernels, for_shapes, for_shape_count, "for_", &all);
	try_launch_step(&kernels);
	try_depth(&kernels, &all);
	assemble(&kernels, &all);
	free(all.at);
	printf("%u shapes, %u runs\n", if_shape_count + loop_shape_count + for_shape_count, executed);
	if (!kernels.runs)
		printf("not executed: %s\n", kernels.why);
	return kernels_finish(&kernels);
}
