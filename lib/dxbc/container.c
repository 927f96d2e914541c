/* SPDX-License-Identifier: MIT */
/*
 * The frame: header, table of offsets, parts. Nothing is added to an offset before it is known
 * that the sum stays inside, and no number sizes anything.
 */
#include "dxbc/dxbc.h"

#include "base/buf.h"

enum { HEADER_BYTES = 32, PART_HEADER_BYTES = 8, DIGEST_AT = 4, VERSION_AT = 20, SIZE_AT = 24, COUNT_AT = 28 };

static uint32_t offset_at(const struct glacier_dxbc *dxbc, uint32_t index)
{
	return glc_le32(dxbc->data + HEADER_BYTES + 4 * (size_t)index);
}

struct glacier_dxbc_part glacier_dxbc_part_at(const struct glacier_dxbc *dxbc, uint32_t index)
{
	uint32_t offset = offset_at(dxbc, index);
	const unsigned char *at = dxbc->data + offset;

	return (struct glacier_dxbc_part){
		.fourcc = glc_le32(at),
		.offset = offset,
		.data = at + PART_HEADER_BYTES,
		.bytes = glc_le32(at + 4),
	};
}

bool glacier_dxbc_find(const struct glacier_dxbc *dxbc, uint32_t fourcc, struct glacier_dxbc_part *out)
{
	for (uint32_t i = 0; i < dxbc->part_count; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(dxbc, i);

		if (part.fourcc == fourcc) {
			*out = part;
			return true;
		}
	}
	return false;
}

/* What stands between parts, or over the end of the one before. */
static void check_place(struct glacier_diag *diag, const struct glacier_dxbc *dxbc, uint32_t index, uint32_t end)
{
	struct glacier_dxbc_part part = glacier_dxbc_part_at(dxbc, index);

	if (part.offset > end)
		glc_warn(diag, GLC_DX_GAP, end, part.offset - end, index, glc_fourcc(part.fourcc).text);
	if (part.offset % 4)
		glc_warn(diag, GLC_DX_UNALIGNED, part.offset, index, glc_fourcc(part.fourcc).text);
}

static uint32_t end_of(struct glacier_dxbc_part part)
{
	return part.offset + PART_HEADER_BYTES + part.bytes;
}

/* Any two of them, for a table that is not in the order of its parts. */
static void check_pairs(struct glacier_diag *diag, const struct glacier_dxbc *dxbc)
{
	for (uint32_t i = 1; i < dxbc->part_count; i++)
		for (uint32_t j = 0; j < i; j++) {
			struct glacier_dxbc_part a = glacier_dxbc_part_at(dxbc, i), b = glacier_dxbc_part_at(dxbc, j);

			if (a.offset < end_of(b) && b.offset < end_of(a)) {
				glc_fail(diag, GLC_DX_OVERLAP, a.offset, i, glc_fourcc(a.fourcc).text, j);
				return;
			}
		}
}

/* The first part that lies before the one before it in the table; the number of parts when none does. */
static uint32_t disorder(const struct glacier_dxbc *dxbc)
{
	uint32_t i = 1;

	while (i < dxbc->part_count && offset_at(dxbc, i) >= offset_at(dxbc, i - 1))
		i++;
	return i;
}

/* All compilers write the parts in the order of the table, each right behind the one before. */
static void check_order(struct glacier_diag *diag, const struct glacier_dxbc *dxbc)
{
	uint32_t end = HEADER_BYTES + 4 * dxbc->part_count, i = disorder(dxbc);

	if (i < dxbc->part_count) {
		glc_warn(diag, GLC_DX_ORDER, offset_at(dxbc, i), i, glc_fourcc(glacier_dxbc_part_at(dxbc, i).fourcc).text);
		check_pairs(diag, dxbc);
		return;
	}
	for (i = 0; i < dxbc->part_count; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(dxbc, i);

		if (part.offset < end) {
			glc_fail(diag, GLC_DX_OVERLAP, part.offset, i, glc_fourcc(part.fourcc).text, i - 1);
			return;
		}
		check_place(diag, dxbc, i, end);
		end = end_of(part);
	}
	if (end < dxbc->bytes)
		glc_warn(diag, GLC_DX_TAIL, end, end, dxbc->bytes - end);
}

static void check_twins(struct glacier_diag *diag, const struct glacier_dxbc *dxbc)
{
	for (uint32_t i = 1; i < dxbc->part_count; i++)
		for (uint32_t j = 0; j < i; j++) {
			struct glacier_dxbc_part a = glacier_dxbc_part_at(dxbc, i), b = glacier_dxbc_part_at(dxbc, j);

			if (a.fourcc == b.fourcc) {
				glc_fail(diag, GLC_DX_TWICE, a.offset, i, glc_fourcc(a.fourcc).text, j);
				return;
			}
		}
}

static enum glacier_status check_part(struct glacier_diag *diag, const struct glacier_dxbc *dxbc, uint32_t index)
{
	uint32_t offset = offset_at(dxbc, index), first = HEADER_BYTES + 4 * dxbc->part_count, bytes;
	size_t where = HEADER_BYTES + 4 * (size_t)index;

	if (offset < first)
		return glc_fail(diag, GLC_DX_PART_IN_HEADER, where, index, offset, first);
	if (offset > dxbc->bytes || dxbc->bytes - offset < PART_HEADER_BYTES)
		return glc_fail(diag, GLC_DX_PART_OFFSET, where, index, offset, dxbc->bytes);
	bytes = glc_le32(dxbc->data + offset + 4);
	if (bytes > dxbc->bytes - offset - PART_HEADER_BYTES)
		return glc_fail(diag, GLC_DX_PART_SIZE, offset + 4, index, glc_fourcc(glc_le32(dxbc->data + offset)).text,
				bytes, dxbc->bytes - offset - PART_HEADER_BYTES);
	return GLACIER_OK;
}

/* More parts than FourCCs are known of have a search of squares: far above what files have. */
enum { MOST_PARTS = 4096 };

static enum glacier_status check_header(struct glacier_diag *diag, const unsigned char *at, size_t size,
					struct glacier_dxbc *dxbc)
{
	if (size < HEADER_BYTES)
		return glc_fail(diag, GLC_DX_TOO_SHORT, 0, size);
	if (glc_le32(at) != GLACIER_FOURCC('D', 'X', 'B', 'C'))
		return glc_fail(diag, GLC_DX_MAGIC, 0, glc_fourcc(glc_le32(at)).text);
	dxbc->data = at;
	dxbc->major = glc_le16(at + VERSION_AT);
	dxbc->minor = glc_le16(at + VERSION_AT + 2);
	dxbc->bytes = glc_le32(at + SIZE_AT);
	dxbc->part_count = glc_le32(at + COUNT_AT);
	if (dxbc->major != 1)
		return glc_fail(diag, GLC_DX_VERSION, VERSION_AT, dxbc->major, dxbc->minor);
	if (dxbc->minor)
		glc_warn(diag, GLC_DX_MINOR, VERSION_AT + 2, dxbc->minor);
	if (dxbc->bytes > size || dxbc->bytes < HEADER_BYTES || dxbc->bytes > 0x80000000u)
		return glc_fail(diag, GLC_DX_SIZE, SIZE_AT, dxbc->bytes, size);
	if (dxbc->bytes < size)
		glc_warn(diag, GLC_DX_TRAILING, dxbc->bytes, size - dxbc->bytes);
	if (!dxbc->part_count)
		return glc_fail(diag, GLC_DX_EMPTY, COUNT_AT);
	/* Each takes an offset and a header. */
	if (dxbc->part_count > (dxbc->bytes - HEADER_BYTES) / 12 || dxbc->part_count > MOST_PARTS)
		return glc_fail(diag, GLC_DX_COUNT, COUNT_AT, dxbc->part_count, dxbc->bytes);
	return GLACIER_OK;
}

enum glacier_status glacier_dxbc_parse(const void *data, size_t size, struct glacier_dxbc *out,
				       struct glacier_diag *diag)
{
	struct glacier_dxbc dxbc = {0};
	struct glacier_diag silent = {0};
	enum glacier_status status;
	uint32_t errors;

	if (!diag)
		diag = &silent;
	errors = diag->errors;
	status = check_header(diag, data, size, &dxbc);
	for (uint32_t i = 0; status == GLACIER_OK && i < dxbc.part_count; i++)
		status = check_part(diag, &dxbc, i);
	if (status == GLACIER_OK) {
		check_order(diag, &dxbc);
		check_twins(diag, &dxbc);
	}
	if (diag->errors > errors)
		return status == GLACIER_OK ? GLACIER_ERR_MALFORMED : status;
	if (status == GLACIER_OK)
		*out = dxbc;
	return status;
}

/* --- Writing --------------------------------------------------------------- */

static uint32_t padding(const struct glacier_dxbc_part *part, bool last, bool unaligned)
{
	if (unaligned || (last && part->fourcc == GLACIER_FOURCC('P', 'R', 'I', 'V')))
		return 0;
	return -part->bytes & 3;
}

static void put32(unsigned char *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

enum glacier_status glacier_dxbc_write(const struct glacier_dxbc_part *parts, uint32_t count,
				       const struct glacier_dxbc_write_options *options,
				       struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	static const struct glacier_dxbc_write_options defaults;
	uint64_t bytes = HEADER_BYTES + 4 * (uint64_t)count;
	unsigned char *base, *at;

	options = options ? options : &defaults;
	for (uint32_t i = 0; i < count; i++)
		bytes += PART_HEADER_BYTES + (uint64_t)parts[i].bytes +
			 padding(&parts[i], i == count - 1, options->unaligned);
	if (bytes > 0x80000000u || count > MOST_PARTS)
		return glc_fail(diag, GLC_DX_TOO_LARGE, GLC_NOWHERE, (unsigned long long)bytes);
	if (!glc_buffer_reserve(buffer, bytes))
		return glc_fail(diag, GLC_DX_OUT_OF_MEMORY, GLC_NOWHERE);
	base = buffer->data + buffer->size;
	memcpy(base, "DXBC", 4);
	memcpy(base + DIGEST_AT, options->raw_digest, 16);
	put32(base + VERSION_AT, options->major ? options->major | (uint32_t)options->minor << 16 : 1);
	put32(base + SIZE_AT, (uint32_t)bytes);
	put32(base + COUNT_AT, count);
	at = base + HEADER_BYTES + 4 * (size_t)count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t pad = padding(&parts[i], i == count - 1, options->unaligned);

		put32(base + HEADER_BYTES + 4 * (size_t)i, (uint32_t)(at - base));
		put32(at, parts[i].fourcc);
		put32(at + 4, parts[i].bytes + pad);
		if (parts[i].bytes)
			memcpy(at + PART_HEADER_BYTES, parts[i].data, parts[i].bytes);
		memset(at + PART_HEADER_BYTES + parts[i].bytes, 0, pad);
		at += PART_HEADER_BYTES + parts[i].bytes + pad;
	}
	glacier_dxbc_sign(base, bytes, options->digest);
	buffer->size += bytes;
	return GLACIER_OK;
}
