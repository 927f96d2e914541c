/* SPDX-License-Identifier: MIT */
/* extract: the data of parts, the bitcode of a program, or a part in a container of its own. */
#include "manifest.h"
#include "verbs.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool stage_part(struct container *c, const struct options *opt, const struct glacier_dxbc_part *part,
		       const char *path, struct glacier_buffer *buffer)
{
	const struct glacier_dxbc_write_options write = {.unaligned = true};
	const unsigned char *bitcode;
	size_t bytes;

	if (!opt->as || !strcmp(opt->as, "raw"))
		return cli_stage(path, part->data, part->bytes, true);
	if (!strcmp(opt->as, "bitcode")) {
		if (!glacier_dxbc_bitcode_of(part, &bitcode, &bytes))
			cli_wrong("%s: there is no bitcode in part '%s'", c->file.name, fourcc_name(part->fourcc).text);
		return cli_stage(path, bitcode, bytes, true);
	}
	return glacier_dxbc_write(part, 1, &write, buffer, &c->diag) == GLACIER_OK &&
	       cli_stage(path, buffer->data, buffer->size, true);
}

static bool extract_parts(struct container *c, const struct options *opt)
{
	struct glacier_buffer *buffers = cli_alloc((opt->part_count + 1) * sizeof *buffers);
	bool done = true;

	if (!opt->part_count)
		cli_bad_usage("extract: say which with --part=CC, or --all");
	if (opt->output && opt->part_count > 1)
		cli_bad_usage("extract: -o takes one part; name files as --part=CC=FILE");
	memset(buffers, 0, (opt->part_count + 1) * sizeof *buffers);
	for (size_t i = 0; i < opt->part_count && done; i++) {
		const struct part_option *wanted = &opt->parts[i];
		const char *path = wanted->path ? wanted->path : opt->output;
		struct glacier_dxbc_part part;

		if (!path && opt->part_count > 1)
			cli_bad_usage("extract: several parts need files, as --part=CC=FILE");
		if (!glacier_dxbc_find(&c->dxbc, wanted->fourcc, &part))
			cli_wrong("%s: there is no part '%s'", c->file.name, fourcc_name(wanted->fourcc).text);
		done = stage_part(c, opt, &part, path && strcmp(path, "-") ? path : NULL, &buffers[i]);
	}
	done = done && cli_commit();
	for (size_t i = 0; i < opt->part_count; i++)
		glacier_buffer_fini(&buffers[i]);
	free(buffers);
	return done;
}

static char *in_folder(const char *folder, const char *file)
{
	char *path = cli_alloc(strlen(folder) + strlen(file) + 2);

	sprintf(path, "%s/%s", folder, file);
	return path;
}

static bool extract_all(struct container *c, const struct options *opt)
{
	char *manifest, *path, *file;
	bool done;

	if (!opt->output)
		cli_bad_usage("extract --all: -o names the folder");
	if (!container_warn_left_out(c, opt))
		cli_exit(CLI_WRONG);
	if (mkdir(opt->output, 0777) && errno != EEXIST)
		cli_die("%s: %s", opt->output, strerror(errno));
	manifest = manifest_write(c);
	path = in_folder(opt->output, "manifest.json");
	done = cli_stage(path, manifest, strlen(manifest), false);
	free(path);
	for (uint32_t i = 0; i < c->dxbc.part_count && done; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(&c->dxbc, i);

		file = manifest_file(i, part.fourcc);
		path = in_folder(opt->output, file);
		done = cli_stage(path, part.data, part.bytes, true);
		free(path);
		free(file);
	}
	done = done && cli_commit();
	cJSON_free(manifest);
	return done;
}

enum cli_code verb_extract(struct options *opt)
{
	struct container c;
	bool done;

	options_want_files(opt, 1, 1);
	if (!container_open(&c, opt, opt->files[0]))
		return CLI_WRONG;
	done = opt->all ? extract_all(&c, opt) : extract_parts(&c, opt);
	container_close(&c);
	return done ? CLI_OK : CLI_TROUBLE;
}
