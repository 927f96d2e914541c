/* SPDX-License-Identifier: MIT */
#include "container.h"

#include <stdlib.h>
#include <string.h>

bool container_open(struct container *c, const struct options *opt, const char *path)
{
	return container_open_into(c, opt, path, cli_diag(&c->file));
}

bool container_open_into(struct container *c, const struct options *opt, const char *path, struct glacier_diag sink)
{
	const char *name;

	*c = (struct container){.diag = sink};
	if (!cli_try_read(path, &c->file)) {
		c->file.name = NULL;
		return false;
	}
	c->diag.disabled = opt->warnings.disabled;
	c->diag.fatal = opt->warnings.fatal;
	if (glacier_dxbc_parse(c->file.data, c->file.size, &c->dxbc, &c->diag) == GLACIER_OK)
		return true;
	cli_note_code(CLI_WRONG);
	name = c->file.name;
	cli_release(&c->file);
	c->file.name = name;
	return false;
}

void container_close(struct container *c)
{
	cli_release(&c->file);
}

void container_print_name(const struct container *c)
{
	cli_print_clean(stdout, c->file.name, strlen(c->file.name));
}

bool container_warn_left_out(struct container *c, const struct options *opt)
{
	size_t bytes = 32 + 4 * (size_t)c->dxbc.part_count;

	for (uint32_t i = 0; i < c->dxbc.part_count; i++)
		bytes += 8 + (size_t)glacier_dxbc_part_at(&c->dxbc, i).bytes;
	if (bytes >= c->file.size || cli_tell(&c->diag, &opt->warnings, "DX0029", NULL))
		return true;
	cli_note_code(CLI_WRONG);
	return false;
}

static struct fourcc name_of(uint32_t fourcc, bool file)
{
	struct fourcc name = {""};

	for (int i = 0; i < 4; i++) {
		char c = (char)(fourcc >> 8 * i);
		bool letter = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');

		name.text[i] = file ? (letter ? c : '_') : (c > 0x20 && c < 0x7f ? c : '.');
	}
	return name;
}

struct fourcc fourcc_name(uint32_t fourcc)
{
	return name_of(fourcc, false);
}

struct fourcc fourcc_file(uint32_t fourcc)
{
	return name_of(fourcc, true);
}

bool container_program(const struct glacier_dxbc *dxbc, char *out, size_t bytes)
{
	static const char programs[][5] = {"DXIL", "SHEX", "SHDR", "ILDB"};
	static const char kinds[][16] = {"pixel", "vertex", "geometry", "hull", "domain", "compute", "library", "raygeneration",
					 "intersection", "anyhit", "closesthit", "miss", "callable", "mesh", "amplification", "node"};
	struct glacier_dxbc_part part;

	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		const char *name = programs[i];

		if (!glacier_dxbc_find(dxbc, GLACIER_FOURCC(name[0], name[1], name[2], name[3]), &part) || part.bytes < 4)
			continue;
		snprintf(out, bytes, "%s %u.%u",
			 part.data[2] < sizeof kinds / sizeof *kinds && !part.data[3] ? kinds[part.data[2]] : "unknown program",
			 part.data[0] >> 4, part.data[0] & 15u);
		return true;
	}
	out[0] = '\0';
	return false;
}

/* The orders in which compilers write parts: DXC, fxc, and fxc for feature level 9. */
static const char *const orders[][16] = {
	{"SFI0", "ISG1", "OSG1", "PSG1", "VERS", "RDAT", "PSV0", "RTS0", "ILDB", "STAT", "ILDN", "SRCI", "PDBI", "HASH", "DXIL"},
	{"RDEF", "ISGN", "ISG1", "OSGN", "OSG5", "OSG1", "PCSG", "SHDR", "SHEX", "SFI0", "STAT", "RTS0", "SDBG", "SPDB"},
	{"Aon9", "SHDR", "STAT", "RDEF", "ISGN", "OSGN"},
};

static uint32_t number(const char *fourcc)
{
	return GLACIER_FOURCC(fourcc[0], fourcc[1], fourcc[2], fourcc[3]);
}

static size_t rank(size_t order, uint32_t fourcc)
{
	size_t i = 0;

	if (fourcc == GLACIER_FOURCC('P', 'R', 'I', 'V'))
		return SIZE_MAX;
	while (i < 16 && orders[order][i] && number(orders[order][i]) != fourcc)
		i++;
	return i;
}

static bool has(const struct parts *parts, uint32_t fourcc)
{
	for (uint32_t i = 0; i < parts->count; i++)
		if (parts->at[i].fourcc == fourcc)
			return true;
	return false;
}

void parts_insert(struct parts *parts, struct glacier_dxbc_part part)
{
	size_t order = has(parts, GLACIER_FOURCC('A', 'o', 'n', '9'))	? 2
		       : has(parts, GLACIER_FOURCC('S', 'H', 'D', 'R')) || has(parts, GLACIER_FOURCC('S', 'H', 'E', 'X')) ? 1
											    : 0;
	uint32_t at = 0;

	while (at < parts->count && rank(order, parts->at[at].fourcc) <= rank(order, part.fourcc))
		at++;
	parts_push(parts, part);
	memmove(&parts->at[at + 1], &parts->at[at], (parts->count - 1 - at) * sizeof part);
	parts->at[at] = part;
}

void parts_push(struct parts *parts, struct glacier_dxbc_part part)
{
	parts->at = cli_realloc(parts->at, (parts->count + 1) * sizeof *parts->at);
	parts->at[parts->count++] = part;
}

struct glacier_dxbc_part part_of_file(uint32_t fourcc, const struct cli_file *file)
{
	if (file->size > 0x80000000u)
		cli_wrong("%s: a part has at most 2^31 bytes", file->name);
	return (struct glacier_dxbc_part){.fourcc = fourcc, .data = file->data, .bytes = (uint32_t)file->size};
}

/* Sizes stay as they are, and so does the kind of digest, unless it was told otherwise. */
void parts_of(struct parts *parts, const struct container *c, const struct options *opt)
{
	*parts = (struct parts){.write = {
					.major = c->dxbc.major,
					.minor = c->dxbc.minor,
					.unaligned = true,
					.digest = opt->has_digest ? opt->digest : glacier_dxbc_digest_kind(&c->dxbc),
				}};
	memcpy(parts->write.raw_digest, c->dxbc.data + 4, 16);
	for (uint32_t i = 0; i < c->dxbc.part_count; i++)
		parts_push(parts, glacier_dxbc_part_at(&c->dxbc, i));
}

bool parts_stage(struct parts *parts, struct container *c, const struct options *opt, const char *path,
		 struct glacier_buffer *buffer)
{
	if (!parts->count)
		cli_wrong("%s: no part would be left", c->file.name);
	if (!container_warn_left_out(c, opt))
		return false;
	if (glacier_dxbc_write(parts->at, parts->count, &parts->write, buffer, &c->diag) != GLACIER_OK) {
		cli_note_code(CLI_WRONG);
		return false;
	}
	if (!opt->output && strcmp(path, "-"))
		return cli_stage_in_place(path, buffer->data, buffer->size);
	return cli_stage(opt->output, buffer->data, buffer->size, true);
}

void parts_fini(struct parts *parts)
{
	free(parts->at);
}
