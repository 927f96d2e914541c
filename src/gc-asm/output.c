/* SPDX-License-Identifier: MIT */
/*
 * What outputs are called: STEM.SUFFIX, and STEM.sm_80.ptx where a kind of target is asked
 * for more than once. Two outputs of one name are refused when they are staged.
 */
#include "options.h"

#include <stdlib.h>
#include <string.h>

/* Whether another artifact would have the same name without its target. */
static bool repeats(const struct options *options, const struct artifact *artifact)
{
	size_t count = 0;

	for (size_t i = 0; i < options->artifact_count; i++)
		count += !strcmp(emit_suffix(&options->artifacts[i]), emit_suffix(artifact));
	return artifact->has_target && count > 1;
}

/* "ptx:sm_80:7.5" is ".sm_80.7.5" in a file's name; ".ptx.sm_80.7.5" where the suffix does not say ptx. */
static void qualify(const struct artifact *artifact, char *out, size_t bytes)
{
	char name[128] = ".", *tail = name;

	glacier_target_name(&artifact->target, name + 1, sizeof name - 1);
	if (artifact->form == FORM_CODE)
		tail += 1 + strlen(glacier_target_kind_name(artifact->target.kind));
	for (char *at = tail; *at; at++)
		if (*at == ':')
			*at = '.';
	snprintf(out, bytes, "%s", tail);
}

char *output_in_folder(const struct options *options, const char *input, const char *qualifier,
		       const char *suffix)
{
	const char *folder = options->out_dir ? options->out_dir : "";
	const char *slash = strrchr(input, '/'), *stem = slash ? slash + 1 : input;
	const char *dot = input_kind(options, input) == INPUT_STREAM ? strstr(stem, ".stream.json") : NULL;
	int stem_bytes;
	char *path;
	size_t bytes;

	if (!dot)
		dot = strrchr(stem, '.');
	stem_bytes = dot && dot != stem ? (int)(dot - stem) : (int)strlen(stem);
	bytes = strlen(folder) + (size_t)stem_bytes + strlen(qualifier) + strlen(suffix) + 3;
	path = cli_alloc(bytes);
	snprintf(path, bytes, "%s%s%.*s%s.%s", folder, *folder ? "/" : "", stem_bytes, stem,
		 qualifier, suffix);
	return path;
}

char *output_file(const struct options *options, const char *input, size_t index)
{
	const struct artifact *artifact = &options->artifacts[index];
	char qualifier[128] = "";

	if (!options->to_folder && options->output && strcmp(options->output, "-"))
		return cli_strdup(options->output);
	if (repeats(options, artifact))
		qualify(artifact, qualifier, sizeof qualifier);
	return output_in_folder(options, input, qualifier, emit_suffix(artifact));
}

char *output_path(const struct options *options, const char *input, size_t index)
{
	if (!options->to_folder)
		return options->output ? cli_strdup(options->output) : NULL;
	return output_file(options, input, index);
}
