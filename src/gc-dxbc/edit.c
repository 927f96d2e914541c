/* SPDX-License-Identifier: MIT */
/* add, replace, remove, strip, sign: a container with other parts, or another digest. */
#include "container.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What is held until the outputs are committed. */
struct work {
	struct container *containers;
	struct glacier_buffer *buffers;
	struct cli_file *files;
	unsigned char **padded;
	size_t file_count;
};

/* Whole words, as compilers write them; PRIV may be of any size. */
static struct glacier_dxbc_part padded(struct work *work, const struct options *opt, uint32_t fourcc,
				       const struct cli_file *file)
{
	struct glacier_dxbc_part part = part_of_file(fourcc, file);
	uint32_t bytes = opt->unaligned || fourcc == GLACIER_FOURCC('P', 'R', 'I', 'V') ? part.bytes : (part.bytes + 3) & ~3u;
	unsigned char *data = cli_alloc((size_t)bytes + 1);

	memset(data, 0, bytes);
	if (part.bytes)
		memcpy(data, part.data, part.bytes);
	part.data = work->padded[work->file_count] = data;
	part.bytes = bytes;
	return part;
}

static uint32_t find(const struct parts *parts, uint32_t fourcc)
{
	uint32_t i = 0;

	while (i < parts->count && parts->at[i].fourcc != fourcc)
		i++;
	return i;
}

/* HASH goes with the program. */
static void renew_hash(struct parts *parts, struct work *work)
{
	uint32_t program = find(parts, GLACIER_FOURCC('D', 'X', 'I', 'L')), hash = find(parts, GLACIER_FOURCC('H', 'A', 'S', 'H'));
	const unsigned char *bitcode;
	unsigned char *data;
	size_t bytes;

	if (program == parts->count || hash == parts->count || parts->at[hash].bytes != 20 || parts->at[hash].data[0] & 1 ||
	    !glacier_dxbc_bitcode_of(&parts->at[program], &bitcode, &bytes))
		return;
	data = cli_alloc(20);
	memcpy(data, parts->at[hash].data, 4);
	glacier_dxbc_md5(bitcode, bytes, data + 4);
	parts->at[hash].data = work->padded[work->file_count++] = data;
	work->files[work->file_count - 1] = (struct cli_file){0};
}

static void put(struct parts *parts, const struct container *c, const struct options *opt, struct work *work, bool replace)
{
	for (size_t i = 0; i < opt->part_count; i++) {
		const struct part_option *part = &opt->parts[i];
		uint32_t at = find(parts, part->fourcc);
		struct glacier_dxbc_part data;

		if (!part->path)
			cli_bad_usage("%s: --part=%s needs a file, as --part=CC=FILE", opt->verb, fourcc_name(part->fourcc).text);
		if (replace != (at < parts->count))
			cli_wrong("%s: there is %s part '%s'%s", c->file.name, replace ? "no" : "a", fourcc_name(part->fourcc).text,
				  replace ? "" : " already");
		work->files[work->file_count] = cli_read(part->path);
		data = padded(work, opt, part->fourcc, &work->files[work->file_count]);
		work->file_count++;
		if (replace)
			parts->at[at] = data;
		else
			parts_insert(parts, data);
		if (replace && part->fourcc == GLACIER_FOURCC('D', 'X', 'I', 'L') && !options_part(opt, GLACIER_FOURCC('H', 'A', 'S', 'H')))
			renew_hash(parts, work);
	}
}

static void remove_at(struct parts *parts, uint32_t at)
{
	memmove(&parts->at[at], &parts->at[at + 1], (parts->count - at - 1) * sizeof *parts->at);
	parts->count--;
}

static void take_out(struct parts *parts, const struct container *c, const struct options *opt)
{
	for (size_t i = 0; i < opt->part_count; i++) {
		uint32_t at = find(parts, opt->parts[i].fourcc);

		if (at == parts->count)
			cli_wrong("%s: there is no part '%s'", c->file.name, fourcc_name(opt->parts[i].fourcc).text);
		remove_at(parts, at);
	}
}

static bool strips(const struct options *opt, uint32_t fourcc)
{
	bool all = !(opt->debug | opt->reflection | opt->private_data | opt->root_signature);
	struct glacier_dxbc_part_info info;

	if (!glacier_dxbc_part_info(fourcc, &info) || !info.group)
		return false;
	if (!strcmp(info.group, "debug"))
		return all || opt->debug;
	if (!strcmp(info.group, "reflection"))
		return all || opt->reflection;
	if (!strcmp(info.group, "private"))
		return all || opt->private_data;
	return opt->root_signature;
}

static void strip(struct parts *parts, const struct options *opt)
{
	for (uint32_t i = parts->count; i-- > 0;)
		if (strips(opt, parts->at[i].fourcc))
			remove_at(parts, i);
}

/* Only a file has a place that new bytes can take; to open anything else may wait for ever. */
static void want_replaceable(const struct options *opt)
{
	struct stat status;

	for (size_t i = 0; i < opt->file_count && !opt->output; i++)
		if (strcmp(opt->files[i], "-") && !stat(opt->files[i], &status) && !S_ISREG(status.st_mode))
			cli_die("%s: only a regular file can be changed in place: -o names another", opt->files[i]);
}

typedef void change_fn(struct parts *parts, struct container *c, struct options *opt, struct work *work);

static enum cli_code edit(struct options *opt, change_fn *change, size_t most_files)
{
	size_t held = opt->file_count * (opt->part_count * 2 + 1) + 1;
	struct work work;
	bool done = true;
	size_t opened = 0;

	options_want_files(opt, 1, opt->output ? 1 : most_files);
	want_replaceable(opt);
	work = (struct work){
		.containers = cli_alloc(opt->file_count * sizeof *work.containers),
		.buffers = cli_alloc(opt->file_count * sizeof *work.buffers),
		.files = cli_alloc(held * sizeof *work.files),
		.padded = cli_alloc(held * sizeof *work.padded),
	};
	for (; opened < opt->file_count && done; opened++) {
		struct container *c = &work.containers[opened];
		struct parts parts;

		work.buffers[opened] = (struct glacier_buffer){0};
		if (!container_open(c, opt, opt->files[opened])) {
			done = false;
			break;
		}
		parts_of(&parts, c, opt);
		change(&parts, c, opt, &work);
		done = parts_stage(&parts, c, opt, opt->files[opened], &work.buffers[opened]);
		parts_fini(&parts);
	}
	done = done && cli_commit();
	for (size_t i = 0; i < opened; i++) {
		container_close(&work.containers[i]);
		glacier_buffer_fini(&work.buffers[i]);
	}
	for (size_t i = 0; i < work.file_count; i++) {
		if (work.files[i].name)
			cli_release(&work.files[i]);
		free(work.padded[i]);
	}
	free(work.containers);
	free(work.buffers);
	free(work.files);
	free(work.padded);
	return done ? CLI_OK : CLI_WRONG;
}

static void want_parts(const struct options *opt)
{
	if (!opt->part_count)
		cli_bad_usage("%s: say which part with --part=CC%s", opt->verb, strcmp(opt->verb, "remove") ? "=FILE" : "");
}

static void change_add(struct parts *parts, struct container *c, struct options *opt, struct work *work)
{
	put(parts, c, opt, work, false);
}

static void change_replace(struct parts *parts, struct container *c, struct options *opt, struct work *work)
{
	put(parts, c, opt, work, true);
}

static void change_remove(struct parts *parts, struct container *c, struct options *opt, struct work *work)
{
	(void)work;
	take_out(parts, c, opt);
}

static void change_strip(struct parts *parts, struct container *c, struct options *opt, struct work *work)
{
	(void)c;
	(void)work;
	strip(parts, opt);
}

static void change_nothing(struct parts *parts, struct container *c, struct options *opt, struct work *work)
{
	(void)parts;
	(void)c;
	(void)opt;
	(void)work;
}

enum cli_code verb_add(struct options *opt)
{
	want_parts(opt);
	return edit(opt, change_add, 1);
}

enum cli_code verb_replace(struct options *opt)
{
	want_parts(opt);
	return edit(opt, change_replace, 1);
}

enum cli_code verb_remove(struct options *opt)
{
	want_parts(opt);
	return edit(opt, change_remove, 1);
}

enum cli_code verb_strip(struct options *opt)
{
	return edit(opt, change_strip, SIZE_MAX);
}

enum cli_code verb_sign(struct options *opt)
{
	/* To sign is to make it good: retail, unless another kind is wanted. */
	if (!opt->has_digest)
		opt->digest = GLACIER_DIGEST_RETAIL;
	opt->has_digest = true;
	return edit(opt, change_nothing, SIZE_MAX);
}
