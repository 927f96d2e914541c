/* SPDX-License-Identifier: MIT */
/* The IR of a module, for those who look at what the compiler does. */
#include "compile/module.h"

#include "base/buf.h"
#include "ir/ir_print.h"

#include <string.h>

static const char passes[GLACIER_PASS_COUNT][10] = {
	[GLACIER_PASS_OPTIMIZE] = "optimize",
	[GLACIER_PASS_BUILD] = "build",
	[GLACIER_PASS_LOWER] = "lower",
};

const char *glacier_pass_name(enum glacier_pass pass)
{
	return (unsigned)pass < GLACIER_PASS_COUNT ? passes[pass] : NULL;
}

/* The module's IR behind that pass; on failure the diagnostic is out. */
static bool after_pass(struct glacier_module *module, const struct glacier_dump_options *options,
		       struct glc_ir *ir, struct glacier_diag *diag)
{
	bool optimize = options->optimize != GLACIER_OPTIMIZE_NONE;

	switch (options->pass) {
	case GLACIER_PASS_BUILD:
		return glc_module_plain(module, ir, diag) == GLACIER_OK;
	case GLACIER_PASS_LOWER:
		return glc_module_prepare(module, options->target, optimize, ir, diag) == GLACIER_OK;
	default:
		*ir = module->ir;
		return true;
	}
}

enum glacier_status glacier_module_dump(struct glacier_module *module,
					const struct glacier_dump_options *options,
					struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	static const struct glacier_dump_options defaults;
	const struct glacier_dump_options *opt = options ? options : &defaults;
	struct glc_mark mark;
	struct glc_relay relay;
	struct glc_writer out;
	struct glc_ir ir;

	if (!module->filled || (unsigned)opt->pass >= GLACIER_PASS_COUNT ||
	    (opt->pass == GLACIER_PASS_LOWER && !opt->target))
		return GLACIER_ERR_ARGUMENT;
	glc_relay_begin(&relay, diag, &module->map);
	glc_module_ir(module, &relay.diag);
	mark = glc_bump_mark(module->memory);
	if (!relay.diag.errors && after_pass(module, opt, &ir, &relay.diag)) {
		glc_writer_begin(&out, buffer);
		if (opt->graph)
			glc_print_cfg(&ir, module->memory, &out);
		else
			glc_print_ir(&ir, module->memory, &out);
		if (!glc_writer_end(&out))
			glc_fail(&relay.diag, GLC_GA_OUT_OF_MEMORY, GLC_NOWHERE);
	}
	glc_bump_release(module->memory, mark);
	return glc_relay_end(&relay);
}
