/* SPDX-License-Identifier: MIT */
/* Which parts there are, and the way from one to JSON and back. */
#include "dxbc/codec.h"

#include <stdlib.h>

static const struct row {
	char fourcc[5];
	codec_fn *codec;         /* NULL: carried as it is */
	const char *meaning, *group;
} rows[] = {
	{"DXIL", codec_program, "program, LLVM bitcode", NULL},
	{"SHEX", codec_program, "program of shader model 5", NULL},
	{"SHDR", codec_program, "program of shader model 4", NULL},
	{"ILDB", codec_program, "program with debug information", "debug"},
	{"SFI0", codec_features, "features that the program needs", NULL},
	{"HASH", codec_hash, "MD5 of the bitcode", NULL},
	{"ISGN", codec_signature, "input signature", NULL},
	{"ISG1", codec_signature, "input signature", NULL},
	{"OSGN", codec_signature, "output signature", NULL},
	{"OSG1", codec_signature, "output signature", NULL},
	{"OSG5", codec_signature, "output signature with streams", NULL},
	{"PCSG", codec_signature, "patch constant signature", NULL},
	{"PSG1", codec_signature, "patch constant or primitive signature", NULL},
	{"PSV0", codec_psv0, "pipeline state validation", NULL},
	{"RTS0", codec_rts0, "root signature", "rootsignature"},
	{"RDAT", codec_rdat, "runtime data of a library", NULL},
	{"STAT", codec_stat, "statistics, or reflection of a DXIL program", "reflection"},
	{"RDEF", codec_rdef, "resource definitions", "reflection"},
	{"ILDN", codec_ildn, "name of the debug file", "debug"},
	{"VERS", codec_vers, "version of the compiler", NULL},
	{"SRCI", codec_srci, "sources and arguments", "debug"},
	{"PDBI", codec_pdbi, "content of a PDB", "debug"},
	{"PRIV", codec_opaque, "private data", "private"},
	{"SPDB", NULL, "debug information of fxc, a PDB", "debug"},
	{"SDBG", NULL, "debug information of fxc", "debug"},
	{"Aon9", NULL, "program of feature level 9", NULL},
	{"XNAS", NULL, "program of Xbox", NULL},
	{"XNAP", NULL, "prepass program of Xbox", NULL},
	{"IFCE", NULL, "interfaces", NULL},
	{"FX10", NULL, "effect", NULL},
	{"LIBF", NULL, "function of a library", NULL},
	{"LIBH", NULL, "header of a library", NULL},
	{"LFS0", NULL, "signature of a library's function", NULL},
	{"TEXT", NULL, "text of an effect", NULL},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static uint32_t number(const char *fourcc)
{
	return glc_le32(fourcc);
}

static const struct row *find(uint32_t fourcc)
{
	for (size_t i = 0; i < ROWS; i++)
		if (number(rows[i].fourcc) == fourcc)
			return &rows[i];
	return NULL;
}

static void fill(struct glacier_dxbc_part_info *info, const struct row *row)
{
	*info = (struct glacier_dxbc_part_info){
		.fourcc = number(row->fourcc), .meaning = row->meaning, .group = row->group, .decoded = row->codec};
}

bool glacier_dxbc_part_info(uint32_t fourcc, struct glacier_dxbc_part_info *info)
{
	const struct row *row = find(fourcc);

	*info = (struct glacier_dxbc_part_info){.fourcc = fourcc};
	if (row)
		fill(info, row);
	return row;
}

bool glacier_dxbc_part_known(size_t index, struct glacier_dxbc_part_info *info)
{
	if (index >= ROWS)
		return false;
	fill(info, &rows[index]);
	return true;
}

/* --- Decoding ------------------------------------------------------------ */

static bool is_covered(const struct codec *c, uint32_t at)
{
	return c->covered[at / 8] >> at % 8 & 1;
}

/* Bytes that no field has and that are not 0; and the size, where zeros end the part. */
static void add_rest(struct codec *c)
{
	cJSON *list = NULL, *before = c->node;
	uint32_t end = 0;

	for (uint32_t at = 0; at < c->bytes && !c->failed;) {
		uint32_t first = at;

		if (is_covered(c, at)) {
			end = ++at;
			continue;
		}
		while (at < c->bytes && !is_covered(c, at))
			at++;
		while (first < at && !c->data[first])
			first++;
		if (first == at)
			continue;
		if (!list)
			list = cJSON_AddArrayToObject(c->node, "rest");
		c->node = cJSON_CreateObject();
		if (!list || !c->node || !cJSON_AddItemToArray(list, c->node)) {
			codec_fail(c, 0, "there is no memory for what no field has");
			break;
		}
		codec_note_number(c, "at", first);
		codec_hex(c, first, at - first, "hex");
		c->node = before;
		end = at;
	}
	c->node = before;
	if (end < c->bytes)
		codec_note_number(c, "part_bytes", c->bytes);
}

/* Bytes as they are, for ranges where what was encoded differs. */
static void add_patches(struct codec *c, const unsigned char *encoded)
{
	cJSON *list = NULL, *before = c->node;

	for (uint32_t at = 0; at < c->bytes && !c->failed;) {
		uint32_t first = at;

		while (at < c->bytes && c->data[at] != encoded[at])
			at++;
		if (first == at) {
			at++;
			continue;
		}
		if (!list)
			list = cJSON_AddArrayToObject(c->node, "patches");
		c->node = cJSON_CreateObject();
		if (!list || !c->node || !cJSON_AddItemToArray(list, c->node)) {
			cJSON_Delete(c->node);
			c->node = before;
			codec_fail(c, 0, "there is no memory for what its fields do not hold");
			return;
		}
		codec_note_number(c, "at", first);
		codec_hex(c, first, at - first, "hex");
		c->node = before;
	}
}

/*
 * Some bytes have bits that no field shows, and fields can overlap: whether encoding gives the
 * part again is tried, and what differs is kept. Where it cannot be encoded at all, its bytes are.
 */
static void make_whole(struct codec *c)
{
	struct glacier_buffer encoded = {0};
	struct glacier_diag silent = {0};

	add_rest(c);
	if (!c->failed && codec_encode(c->fourcc, c->node, &encoded, &silent) && encoded.size == c->bytes)
		add_patches(c, encoded.data);
	else if (!c->failed && !cJSON_HasObjectItem(c->node, "data"))
		codec_hex(c, 0, c->bytes, "data");
	glacier_buffer_fini(&encoded);
}

/* tree NULL: only whether the part has its form. */
static enum glacier_status decode(const struct glacier_dxbc_part *part, bool whole, cJSON *tree,
				  struct glacier_diag *diag)
{
	const struct row *row = find(part->fourcc);
	struct glc_fourcc name = glc_fourcc(part->fourcc);
	struct codec c = {
		.whole = whole,
		.part = name.text,
		.fourcc = part->fourcc,
		.diag = diag,
		.where = (uint64_t)part->offset + 8,
		.data = (unsigned char *)part->data,   /* only read, while decoding */
		.bytes = part->bytes,
		.node = tree,
	};

	if (whole) {
		c.covered = calloc(1, part->bytes / 8 + 1);
		if (!c.covered)
			return glc_fail(diag, GLC_DX_OUT_OF_MEMORY, GLC_NOWHERE);
	}
	(row && row->codec ? row->codec : codec_opaque)(&c);
	if (whole)
		make_whole(&c);
	free(c.covered);
	return c.failed ? GLACIER_ERR_MALFORMED : GLACIER_OK;
}

enum glacier_status glacier_dxbc_tree(const struct glacier_dxbc_part *part, bool whole, struct cJSON **tree,
				      struct glacier_diag *diag)
{
	enum glacier_status status;

	*tree = cJSON_CreateObject();
	if (!*tree)
		return glc_fail(diag, GLC_DX_OUT_OF_MEMORY, GLC_NOWHERE);
	status = decode(part, whole, *tree, diag);
	if (status != GLACIER_OK) {
		cJSON_Delete(*tree);
		*tree = NULL;
	}
	return status;
}

enum glacier_status glacier_dxbc_decode(const struct glacier_dxbc_part *part, bool whole,
					struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	cJSON *tree;
	enum glacier_status status;

	if (!buffer)
		return decode(part, false, NULL, diag);
	status = glacier_dxbc_tree(part, whole, &tree, diag);
	return glc_json_take(tree, status, buffer, diag);
}

/* --- Encoding ------------------------------------------------------------ */

static void put_ranges(struct codec *c, const char *name)
{
	cJSON *before = c->node, *list = cJSON_GetObjectItemCaseSensitive(c->node, name), *item;

	cJSON_ArrayForEach(item, list) {
		const cJSON *at = cJSON_GetObjectItemCaseSensitive(item, "at");
		const char *hex = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "hex"));

		if (c->failed)
			return;
		if (!cJSON_IsNumber(at) || at->valuedouble < 0 || at->valuedouble > 0x3fffffff || !hex) {
			codec_fail(c, 0, "'%s' must have objects of 'at' and 'hex'", name);
			return;
		}
		c->node = item;
		codec_hex(c, (uint32_t)at->valuedouble, (uint32_t)(strlen(hex) / 2), "hex");
		c->node = before;
	}
}

static void put_size(struct codec *c)
{
	const cJSON *size = cJSON_GetObjectItemCaseSensitive(c->node, "part_bytes");

	if (cJSON_IsNumber(size) && size->valuedouble > 0 && size->valuedouble < 0x40000000)
		codec_need(c, 0, (uint32_t)size->valuedouble, "the part");
}

bool codec_encode(uint32_t fourcc, cJSON *tree, struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	const struct row *row = find(fourcc);
	struct glc_fourcc name = glc_fourcc(fourcc);
	struct codec c = {.encoding = true, .whole = true, .part = name.text, .fourcc = fourcc, .diag = diag, .node = tree};

	if (!cJSON_IsObject(tree))
		codec_fail(&c, 0, "a part must be an object");
	put_size(&c);
	put_ranges(&c, "rest");
	if (!c.failed)
		(row && row->codec && !cJSON_HasObjectItem(tree, "data") ? row->codec : codec_opaque)(&c);
	put_ranges(&c, "patches");
	if (!c.failed && !glc_buffer_reserve(buffer, c.bytes)) {
		glc_fail(diag, GLC_DX_OUT_OF_MEMORY, GLC_NOWHERE);
		c.failed = true;
	}
	if (!c.failed && c.bytes) {
		memcpy(buffer->data + buffer->size, c.data, c.bytes);
		buffer->size += c.bytes;
	}
	free(c.data);
	return !c.failed;
}

enum glacier_status glacier_dxbc_encode(uint32_t fourcc, const char *text, size_t bytes,
					struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	cJSON *tree = cJSON_ParseWithLength(text, bytes);
	bool good;

	if (!tree)
		return glc_fail(diag, GLC_DX_JSON, GLC_NOWHERE, glc_fourcc(fourcc).text, "this is no JSON document");
	good = codec_encode(fourcc, tree, buffer, diag);
	cJSON_Delete(tree);
	return good ? GLACIER_OK : GLACIER_ERR_INVALID;
}
