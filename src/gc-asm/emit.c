/* SPDX-License-Identifier: MIT */
/* What an input is, and everything that can be made of it. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	char emit[8], suffix[16];
	bool passes;
} forms[FORM_COUNT] = {
	[FORM_TEXT] = {"gasm", "gasm", false},
	[FORM_JSON] = {"json", "json", false},
	[FORM_IR] = {"ir", "ir", true},
	[FORM_GRAPH] = {"cfg", "dot", true},
	[FORM_REFLECTION] = {"", "reflect.json", false},
};

bool emit_parse(const char *name, struct artifact *artifact)
{
	const char *colon = strchr(name, ':');
	size_t bytes = colon ? (size_t)(colon - name) : strlen(name);

	*artifact = (struct artifact){0};
	for (int form = FORM_TEXT; form < FORM_COUNT; form++)
		if (bytes && strlen(forms[form].emit) == bytes && !memcmp(forms[form].emit, name, bytes))
			artifact->form = (enum form)form;
	if (artifact->form == FORM_CODE)
		return false;
	if (!colon)
		return true;
	for (int pass = 0; pass < GLACIER_PASS_COUNT && forms[artifact->form].passes; pass++)
		if (!strcmp(colon + 1, glacier_pass_name((enum glacier_pass)pass))) {
			artifact->pass = (enum glacier_pass)pass;
			return true;
		}
	return false;
}

const char *emit_suffix(const struct artifact *artifact)
{
	return artifact->form == FORM_CODE ? glacier_target_suffix(artifact->target.kind)
					   : forms[artifact->form].suffix;
}

bool output_is_binary(const struct artifact *artifact)
{
	return artifact->form == FORM_CODE && artifact->target.kind == GLACIER_TARGET_SPIRV;
}

enum input_kind input_kind(const struct options *options, const char *input)
{
	if (options->input_kind != INPUT_BY_SUFFIX)
		return options->input_kind;
	if (cli_has_suffix(input, ".stream.json"))
		return INPUT_STREAM;
	return cli_has_suffix(input, ".json") ? INPUT_JSON : INPUT_TEXT;
}

static enum glacier_status read_stream(const struct options *options, struct glacier_module *module,
				       const char *input, const struct glacier_text *text,
				       struct glacier_diag *diag)
{
	struct glacier_stream_options stream = options->stream;
	char *name = stream.name ? NULL : cli_kernel_name(input);
	enum glacier_status status;

	if (name)
		stream.name = name;
	status = glacier_module_read_stream(module, text, &stream, diag);
	free(name);
	return status;
}

enum glacier_status emit_read(const struct options *options, struct glacier_module *module,
			      const char *input, const struct glacier_text *text, struct glacier_diag *diag)
{
	switch (input_kind(options, input)) {
	case INPUT_STREAM: return read_stream(options, module, input, text, diag);
	case INPUT_JSON: return glacier_module_read_json(module, text, &options->read, diag);
	default: return glacier_module_read_text(module, text, &options->read, diag);
	}
}

enum glacier_status emit_write(const struct options *options, struct glacier_module *module,
			       const struct artifact *artifact, struct glacier_buffer *buffer,
			       struct glacier_diag *diag)
{
	struct glacier_dump_options dump = {
		.pass = artifact->pass,
		.graph = artifact->form == FORM_GRAPH,
		.target = artifact->has_target ? &artifact->target : NULL,
		.optimize = options->write.optimize,
	};

	switch (artifact->form) {
	case FORM_TEXT: return glacier_module_print(module, GLACIER_FORM_TEXT, buffer, diag);
	case FORM_JSON: return glacier_module_print(module, GLACIER_FORM_JSON, buffer, diag);
	case FORM_IR:
	case FORM_GRAPH: return glacier_module_dump(module, &dump, buffer, diag);
	case FORM_REFLECTION: return glacier_module_reflect(module, buffer);
	default: return glacier_module_write(module, &artifact->target, &options->write, buffer, diag);
	}
}
