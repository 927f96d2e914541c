/* SPDX-License-Identifier: MIT */
/* The public entry points: a module is read once, then written for any number of targets. */
#include "config.h"

#include "compile/module.h"

#include "base/buf.h"
#include "base/watch.h"
#include "compile/limits.h"
#include "ir/backend.h"
#include "ir/lower.h"
#include "ir/print.h"
#include "ir/ssa.h"
#include "ir/uniform.h"
#include "ir/verify.h"
#include "ptx/ptx.h"
#include "spirv/spirv.h"

#include <stdlib.h>
#include <string.h>

enum glacier_status glacier_module_create(struct glacier_memory *memory, struct glacier_module **out)
{
	struct glacier_module *module = calloc(1, sizeof *module);

	if (!module)
		return GLACIER_ERR_NOMEM;
	glacier_memory_init(&module->own, NULL, 0);
	module->memory = memory ? memory : &module->own;
	glc_op_index_build(&module->opcodes);
	*out = module;
	return GLACIER_OK;
}

void glacier_module_destroy(struct glacier_module *module)
{
	if (!module)
		return;
	glacier_memory_fini(&module->own);
	free(module);
}

void glc_relay_begin(struct glc_relay *relay, struct glacier_diag *outer, const struct glc_source_map *map)
{
	if (outer)
		relay->diag = *outer;
	else
		memset(&relay->diag, 0, sizeof relay->diag);
	relay->outer = outer;
	relay->diag.map = map;
	relay->diag.errors = relay->diag.warnings = 0;
	relay->diag.first = GLACIER_OK;
}

enum glacier_status glc_relay_end(struct glc_relay *relay)
{
	if (relay->outer) {
		if (!relay->outer->errors)
			relay->outer->first = relay->diag.first;
		relay->outer->errors += relay->diag.errors;
		relay->outer->warnings += relay->diag.warnings;
	}
	return relay->diag.first;
}

static void forget(struct glacier_module *module)
{
	glacier_memory_reset(module->memory);
	module->sources.next_base = 0;
	GLC_PRESIZE(module->memory, &module->sources.list, 4);
	memset(&module->map, 0, sizeof module->map);
	module->filled = module->built = false;
}

/* A fault of ours, in a build that looks for them. */
static void verify(struct glacier_module *module, const struct glc_ir *ir, struct glacier_diag *diag)
{
#ifdef GLACIER_CHECKS
	struct glc_verdict verdict = glc_ir_verify(ir, module->memory);

	if (verdict.rule)
		glc_fail(diag, GLC_GA_INTERNAL, ir->kernels[verdict.kernel].insts[verdict.index].pos,
			 verdict.index, verdict.rule);
#else
	(void)module;
	(void)ir;
	(void)diag;
#endif
}

static uint64_t ir_bytes(const struct glc_ir *ir)
{
	uint64_t bytes = ir->const_count * sizeof *ir->consts;

	for (uint32_t i = 0; i < ir->kernel_count; i++)
		bytes += glc_kernel_bytes(&ir->kernels[i]);
	return bytes;
}

static bool is_all_streams(const struct glc_tree *tree)
{
	for (uint32_t i = 0; i < tree->kernels.count; i++)
		if (!tree->kernels.at[i].is_stream)
			return false;
	return true;
}

static void build(struct glacier_module *module, struct glacier_diag *diag)
{
	glc_ssa_build(&module->tree, &module->options, true, module->memory, &module->ir, diag);
	module->built = !diag->errors;
	if (module->built)
		verify(module, &module->ir, diag);
}

const struct glc_ir *glc_module_ir(struct glacier_module *module, struct glacier_diag *diag)
{
	struct glacier_diag silent = {0};

	if (!module->built)
		build(module, &silent);
	if (module->built)
		return &module->ir;
	glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	return NULL;
}

/* What every front end ends with: from a complete tree to checked IR. */
static void check(struct glacier_module *module, const struct glacier_read_options *options,
		  struct glacier_diag *diag)
{
	struct glc_watch watch = glc_watch_start(options ? options->stats : NULL);

	if (module->tree.failed) {
		glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
		return;
	}
	if (!diag->errors && !module->tree.kernels.count)
		glc_fail(diag, GLC_GA_NO_KERNEL, GLC_NOWHERE);
	if (diag->errors)
		return;
	module->options = options ? *options : (struct glacier_read_options){0};
	/* A stream's rows were checked one by one, and its flow is uniform: nothing is left to find. */
	if (!is_all_streams(&module->tree) || module->options.define_count)
		build(module, diag);
	module->options.stats = NULL;   /* the caller's, for this call */
	if (diag->errors || !module->built)
		return;
	glc_uniform_check(&module->ir, module->memory, diag);
	glc_limits_warn(&module->ir, diag);
	glc_watch_stop(&watch, GLACIER_PHASE_CHECK, NULL, ir_bytes(&module->ir));
}

bool glc_module_begin(struct glacier_module *module, struct glc_relay *relay, struct glacier_diag *diag)
{
	forget(module);
	glc_relay_begin(relay, diag, &module->map);
	if (glc_tree_init(&module->tree, module->memory, &module->opcodes, &relay->diag))
		return true;
	glc_fail(&relay->diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	return false;
}

static uint64_t text_bytes(const struct glacier_module *module)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < module->sources.list.count; i++)
		bytes += module->sources.list.at[i].size;
	return bytes;
}

enum glacier_status glc_module_end(struct glacier_module *module, struct glc_relay *relay,
				   const struct glacier_read_options *options,
				   const struct glc_watch *watch, size_t other_bytes)
{
	glc_watch_stop(watch, GLACIER_PHASE_PARSE, NULL, text_bytes(module) + other_bytes);
	check(module, options, &relay->diag);
	module->filled = !relay->diag.errors;
	module->tree.diag = NULL;
	return glc_relay_end(relay);
}

enum glacier_status glacier_module_read_text(struct glacier_module *module,
					     const struct glacier_text *input,
					     const struct glacier_read_options *options,
					     struct glacier_diag *diag)
{
	struct glc_watch watch = glc_watch_start(options ? options->stats : NULL);
	const struct glc_source *source;
	struct glc_relay relay;

	if (!glc_module_begin(module, &relay, diag))
		return glc_relay_end(&relay);
	source = glc_sources_add(&module->sources, module->memory, input, &module->map, &relay.diag);
	if (source)
		glc_text_parse(&module->tree, &module->sources, &module->map, source, options);
	else if (!relay.diag.errors)
		module->tree.failed = true;
	return glc_module_end(module, &relay, options, &watch, 0);
}

enum glacier_status glacier_module_read_json(struct glacier_module *module,
					     const struct glacier_text *input,
					     const struct glacier_read_options *options,
					     struct glacier_diag *diag)
{
	struct glc_watch watch = glc_watch_start(options ? options->stats : NULL);
	struct glc_relay relay;

	if (!glc_module_begin(module, &relay, diag))
		return glc_relay_end(&relay);
	glc_json_parse(&module->tree, &module->sources, &module->map, &module->places, input, options);
	return glc_module_end(module, &relay, options, &watch, input->size);
}

enum glacier_status glacier_module_print(struct glacier_module *module, enum glacier_form form,
					 struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	size_t begun = buffer->size;
	struct glc_writer out;
	struct glc_relay relay;
	bool good = true;

	if (!module->filled)
		return GLACIER_ERR_ARGUMENT;
	glc_relay_begin(&relay, diag, &module->map);
	glc_writer_begin(&out, buffer);
	if (form == GLACIER_FORM_JSON)
		good = glc_print_json(&module->tree, &out, &relay.diag);
	else
		glc_print_text(&module->tree, &out);
	if (!glc_writer_end(&out))
		glc_fail(&relay.diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	else if (!good)
		buffer->size = begun;
	return glc_relay_end(&relay);
}

enum glacier_status glc_module_plain(struct glacier_module *module, struct glc_ir *out,
				     struct glacier_diag *diag)
{
	struct glacier_diag silent = {0};

	glc_ssa_build(&module->tree, &module->options, false, module->memory, out, &silent);
	/* What else can be wrong was found when the module was read. */
	return silent.errors ? glc_fail(diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE) : GLACIER_OK;
}

enum glacier_status glc_module_prepare(struct glacier_module *module, const struct glacier_target *target,
				       bool optimize, struct glc_ir *out, struct glacier_diag *diag)
{
	const struct glc_ir *ir;
	struct glc_ir plain;

	if (optimize) {
		ir = glc_module_ir(module, diag);
		if (!ir)
			return GLACIER_ERR_NOMEM;
	} else {
		enum glacier_status status = glc_module_plain(module, &plain, diag);

		if (status != GLACIER_OK)
			return status;
		ir = &plain;
	}
	if (glc_needs_lowering(ir, target, optimize, module->memory))
		return glc_lower(ir, target, glc_lowering_of(optimize, target->kind == GLACIER_TARGET_PTX),
				 module->memory, out, diag);
	*out = *ir;
	return GLACIER_OK;
}

static enum glacier_status write_target(const struct glc_backend_input *input,
					struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	struct glc_watch watch = glc_watch_start(input->options->stats);
	size_t begun = buffer->size;
	enum glacier_status status = input->target->kind == GLACIER_TARGET_PTX
					     ? glc_ptx_write(input, buffer, diag)
					     : glc_spirv_write(input, buffer, diag);

	glc_watch_stop(&watch, GLACIER_PHASE_WRITE, input->target, buffer->size - begun);
	return status;
}

enum glacier_status glacier_module_write(struct glacier_module *module, const struct glacier_target *target,
					 const struct glacier_write_options *options,
					 struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	static const struct glacier_write_options defaults;
	struct glc_ir lowered;
	struct glc_backend_input input = {
		.ir = &lowered,
		.target = target,
		.options = options ? options : &defaults,
		.map = &module->map,
		.memory = module->memory,
	};
	bool optimize = input.options->optimize != GLACIER_OPTIMIZE_NONE;
	struct glc_watch watch = glc_watch_start(input.options->stats);
	size_t begun = buffer->size;
	enum glacier_status status;
	struct glc_relay relay;
	struct glc_mark mark;

	if (!module->filled)
		return GLACIER_ERR_ARGUMENT;
	glc_relay_begin(&relay, diag, &module->map);
	if (optimize)
		glc_module_ir(module, &relay.diag);
	mark = glc_bump_mark(module->memory);
	status = glc_module_prepare(module, target, optimize, &lowered, &relay.diag);
	if (status == GLACIER_OK) {
		glc_watch_stop(&watch, GLACIER_PHASE_LOWER, target, ir_bytes(&lowered));
		verify(module, &lowered, &relay.diag);
	}
	if (status == GLACIER_OK && target->kind == GLACIER_TARGET_SPIRV)
		glc_limits_check(&lowered, input.options->limits, &relay.diag);
	if (status == GLACIER_OK && relay.diag.first == GLACIER_OK)
		status = write_target(&input, buffer, &relay.diag);
	if (glc_relay_end(&relay) != GLACIER_OK)
		status = relay.diag.first;
	if (status != GLACIER_OK)
		buffer->size = begun;
	glc_bump_release(module->memory, mark);
	return status;
}
