/* SPDX-License-Identifier: MIT */
/* Modules of one kernel that is a numeric stream: from an array in memory, or a bare one in JSON. */
#include "compile/module.h"

#include "base/buf.h"
#include "ir/stream.h"

#include <string.h>

static const struct glacier_stream_options defaults;

/* Text in memory of the module. */
static struct glc_name keep(struct glc_tree *tree, const char *text, size_t bytes)
{
	char *copy = glc_bump(tree->memory, bytes);

	if (!copy) {
		tree->failed = true;
		return (struct glc_name){"", 0};
	}
	memcpy(copy, text, bytes);
	return (struct glc_name){copy, (uint32_t)bytes};
}

static void workgroup(struct glc_tree *tree, struct glc_tree_kernel *kernel, const uint32_t size[3])
{
	enum { TEXT_BYTES = 16 };   /* more than a number of 32 bits takes */
	uint32_t count = size[2] ? 3 : size[1] ? 2 : 1;
	unsigned char *text = glc_bump(tree->memory, (size_t)count * TEXT_BYTES);

	if (!text) {
		tree->failed = true;
		return;
	}
	for (uint32_t i = 0; i < count; i++, text += TEXT_BYTES) {
		size_t bytes = (size_t)(glc_decimal(text, size[i] ? size[i] : i ? 1 : 64) - text);

		kernel->workgroup[i] =
			glc_tree_literal(tree, (struct glc_name){(const char *)text, (uint32_t)bytes}, kernel->pos);
	}
	kernel->workgroup_count = count;
}

/* The kernel, with its signature; rows may then be pushed to tree->rows. */
static bool begin(struct glc_tree *tree, const struct glacier_stream_options *options)
{
	const char *name = options->name ? options->name : "kernel";
	struct glc_tree_kernel *kernel = glc_tree_kernel(tree, keep(tree, name, strlen(name)), 0);

	if (!kernel)
		return false;
	glc_stream_begin(tree);
	workgroup(tree, kernel, options->workgroup);
	return !tree->failed;
}

static void end(struct glc_tree *tree)
{
	glc_stream_end(tree);
	glc_tree_kernel_end(tree);
}

enum glacier_status glacier_module_read_stream(struct glacier_module *module,
					       const struct glacier_text *input,
					       const struct glacier_stream_options *options,
					       struct glacier_diag *diag)
{
	struct glacier_read_options read = {.stats = options ? options->stats : NULL};
	struct glc_watch watch = glc_watch_start(read.stats);
	struct glc_relay relay;

	if (!glc_module_begin(module, &relay, diag))
		return glc_relay_end(&relay);
	if (begin(&module->tree, options ? options : &defaults)) {
		glc_json_parse_rows(&module->tree, &module->map, &module->places, input);
		if (!relay.diag.errors)
			end(&module->tree);
	}
	return glc_module_end(module, &relay, &read, &watch, input->size);
}

static void push_rows(struct glc_tree *tree, const struct glacier_row *rows, size_t count)
{
	if (count > GLC_MAX_ROWS) {
		glc_fail(tree->diag, GLC_GA_TOO_MANY, 0, "rows in a stream", GLC_MAX_ROWS);
		return;
	}
	if (!GLC_RESERVE(tree->memory, &tree->rows, (uint32_t)count)) {
		tree->failed = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		struct glc_row *row = &tree->rows.at[i];

		row->value[0] = rows[i].opcode;
		row->value[1] = rows[i].a;
		row->value[2] = rows[i].b;
		row->value[3] = rows[i].d;
		row->pos = (uint32_t)i + 1;
	}
	tree->rows.count = (uint32_t)count;
}

enum glacier_status glacier_kernel_from_stream(struct glacier_module *module, const struct glacier_row *rows,
					       size_t count, const struct glacier_stream_options *options,
					       struct glacier_diag *diag)
{
	struct glacier_read_options read = {.stats = options ? options->stats : NULL};
	struct glc_watch watch = glc_watch_start(read.stats);
	struct glc_relay relay;

	if (!glc_module_begin(module, &relay, diag))
		return glc_relay_end(&relay);
	glc_places_list(&module->places, module->memory, GLC_KEY_ROWS, &module->map);
	if (begin(&module->tree, options ? options : &defaults)) {
		push_rows(&module->tree, rows, count);
		if (!relay.diag.errors && !module->tree.failed)
			end(&module->tree);
	}
	return glc_module_end(module, &relay, &read, &watch, count * sizeof *rows);
}
