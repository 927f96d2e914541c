/* SPDX-License-Identifier: MIT */
/*
 * What outputs are called: STEM.SUFFIX, and STEM.sm_80.ptx where a kind of target is asked
 * for more than once. Two outputs of one name are refused when they are staged.
 */
#include "options.h"

#include <stdlib.h>
#include <string.h>

bool output_is_binary(const struct glacier_target *target)
{
	return target->kind == GLACIER_TARGET_SPIRV;
}

static bool kind_repeats(const struct options *options, enum glacier_target_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < options->target_count; i++)
		count += options->targets[i].kind == kind;
	return count > 1;
}

/* "ptx:sm_80:7.5" is ".sm_80.7.5" in a file's name. */
static void qualify(const struct glacier_target *target, char *out, size_t bytes)
{
	char name[128], *tail;

	glacier_target_name(target, name, sizeof name);
	tail = name + strlen(glacier_target_kind_name(target->kind));
	for (char *at = tail; *at; at++)
		if (*at == ':')
			*at = '.';
	snprintf(out, bytes, "%s", tail);
}

char *output_path(const struct options *options, const char *input, size_t target)
{
	const struct glacier_target *to = &options->targets[target];
	const char *folder = options->out_dir ? options->out_dir : "";
	const char *slash = strrchr(input, '/'), *stem = slash ? slash + 1 : input;
	const char *dot = strrchr(stem, '.');
	int stem_bytes = dot && dot != stem ? (int)(dot - stem) : (int)strlen(stem);
	char qualifier[128] = "", *path;
	size_t bytes;

	if (!options->to_folder)
		return options->output ? cli_strdup(options->output) : NULL;
	if (kind_repeats(options, to->kind))
		qualify(to, qualifier, sizeof qualifier);
	bytes = strlen(folder) + (size_t)stem_bytes + strlen(qualifier) + 32;
	path = cli_alloc(bytes);
	snprintf(path, bytes, "%s%s%.*s%s.%s", folder, *folder ? "/" : "", stem_bytes, stem,
		 qualifier, glacier_target_suffix(to->kind));
	return path;
}
