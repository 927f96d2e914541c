/* SPDX-License-Identifier: MIT */
/*
 * Every class of malformed container, over every seed that it applies to: class, seed, what is
 * expected, what was got. A class with fewer than three seeds fails. The digest is repaired behind each fault, so that the fault alone is found.
 */
#include "seeds.h"

#include <glacier.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum verdict { OK, WARNING, ERROR };

struct outcome {
	enum verdict verdict;
	char code[8];
};

static void note(void *user, const struct glacier_diagnostic *d)
{
	struct outcome *o = user;

	if (d->severity == GLACIER_NOTE || (enum verdict)(d->severity == GLACIER_ERROR ? ERROR : WARNING) <= o->verdict)
		return;
	o->verdict = d->severity == GLACIER_ERROR ? ERROR : WARNING;
	snprintf(o->code, sizeof o->code, "%s", d->code);
	if (d->location.kind != GLACIER_LOCATION_BINARY && d->severity == GLACIER_ERROR) {
		printf("FAIL: %s has no offset\n", d->code);
		exit(1);
	}
}

/* What verify makes of it. */
static struct outcome judge(const struct bytes *b)
{
	struct outcome o = {OK, ""};
	struct glacier_diag diag = {.report = note, .user = &o};
	struct glacier_dxbc dxbc;

	if (glacier_dxbc_parse(b->at, b->size, &dxbc, &diag) == GLACIER_OK)
		glacier_dxbc_verify(&dxbc, NULL, &diag);
	return o;
}

/* --- Faults -------------------------------------------------------------- */

static unsigned char *part(struct bytes *b, const char *fourcc)
{
	for (uint32_t i = 0; i < get32(b->at + 28); i++) {
		uint32_t offset = get32(b->at + 32 + 4 * i);

		if (!memcmp(b->at + offset, fourcc, 4))
			return b->at + offset + 8;
	}
	return NULL;
}

static unsigned char *program(struct bytes *b)
{
	unsigned char *tokens = part(b, "SHEX");

	return tokens ? tokens : part(b, "SHDR");
}

static unsigned char *input_signature(struct bytes *b)
{
	unsigned char *at = part(b, "ISG1");

	at = at ? at : part(b, "ISGN");
	return at && get32(at) ? at : NULL;
}

static unsigned char *any_signature(struct bytes *b)
{
	static const char names[][5] = {"ISG1", "ISGN", "OSG1", "OSGN", "OSG5"};
	unsigned char *at = NULL;

	for (int i = 0; i < 5 && !at; i++)
		at = part(b, names[i]);
	return at;
}

static uint32_t count(struct bytes *b)
{
	return get32(b->at + 28);
}

static uint32_t offset(struct bytes *b, uint32_t i)
{
	return get32(b->at + 32 + 4 * i);
}

static void insert(struct bytes *b, size_t at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		put8(b, 0);
	memmove(b->at + at + bytes, b->at + at, b->size - at - bytes);
	memset(b->at + at, 0, bytes);
	set32(b->at + 24, (uint32_t)b->size);
	for (uint32_t i = 0; i < count(b); i++)
		if (offset(b, i) >= at)
			set32(b->at + 32 + 4 * i, offset(b, i) + (uint32_t)bytes);
}

#define FAULT(name, body)                           \
	static bool name(struct bytes *b)           \
	{                                           \
		body;                               \
		return true;                        \
	}

FAULT(nothing, (void)b)
FAULT(empty_file, b->size = 0)
FAULT(header_cut, b->size = 31)
FAULT(magic, b->at[3] = 'X')
FAULT(major_two, b->at[20] = 2)
FAULT(minor_one, b->at[22] = 1)
FAULT(size_more, set32(b->at + 24, (uint32_t)b->size + 64))
FAULT(size_less, set32(b->at + 24, (uint32_t)b->size - 4))
FAULT(size_zero, set32(b->at + 24, 0))
FAULT(size_huge, set32(b->at + 24, UINT32_MAX))
FAULT(last_byte_cut, b->size--)
FAULT(half_cut, b->size /= 2)
FAULT(no_parts, set32(b->at + 28, 0))
FAULT(count_more, set32(b->at + 28, count(b) + 1))
FAULT(count_million, set32(b->at + 28, 1000000))
FAULT(count_wraps, set32(b->at + 28, 0x40000000))
FAULT(count_huge, set32(b->at + 28, UINT32_MAX))
FAULT(offset_zero, set32(b->at + 32, 0))
FAULT(offset_in_table, set32(b->at + 32, 32))
FAULT(offset_at_end, set32(b->at + 32, (uint32_t)b->size))
FAULT(offset_near_end, set32(b->at + 32, (uint32_t)b->size - 4))
FAULT(offset_huge, set32(b->at + 32, UINT32_MAX))
FAULT(offset_wraps, set32(b->at + 32, 0xfffffff8))
FAULT(part_size_huge, set32(b->at + offset(b, 0) + 4, UINT32_MAX))
FAULT(part_size_wraps, set32(b->at + offset(b, 0) + 4, 0xfffffff8))
FAULT(part_past_end, set32(b->at + offset(b, count(b) - 1) + 4, get32(b->at + offset(b, count(b) - 1) + 4) + 1))
FAULT(same_offset, set32(b->at + 36, offset(b, 0)))
FAULT(swallows, set32(b->at + offset(b, 0) + 4, (uint32_t)b->size - offset(b, 0) - 8))
FAULT(overlaps_by_four, set32(b->at + offset(b, 0) + 4, get32(b->at + offset(b, 0) + 4) + 4))
FAULT(reversed, for (uint32_t i = 0, n = count(b); i < n / 2; i++) {
	uint32_t a = offset(b, i);

	set32(b->at + 32 + 4 * i, offset(b, n - 1 - i));
	set32(b->at + 32 + 4 * (n - 1 - i), a);
})
FAULT(gap, insert(b, offset(b, 1), 16))
FAULT(trailing, put32(b, 0))
FAULT(twice, memcpy(b->at + offset(b, 1), b->at + offset(b, 0), 4))
FAULT(unaligned, {
	uint32_t last = offset(b, 0);

	insert(b, offset(b, 1), 1);
	set32(b->at + last + 4, get32(b->at + last + 4) + 1);
})

#define PART_FAULT(name, find, body)                \
	static bool name(struct bytes *b)           \
	{                                           \
		unsigned char *at = find;           \
		if (!at)                            \
			return false;               \
		body;                               \
		return true;                        \
	}

PART_FAULT(dxil_words_huge, part(b, "DXIL"), set32(at + 4, UINT32_MAX))
PART_FAULT(dxil_words_zero, part(b, "DXIL"), set32(at + 4, 0))
PART_FAULT(dxil_mark, part(b, "DXIL"), at[8] = 'X')
PART_FAULT(dxil_offset_huge, part(b, "DXIL"), set32(at + 16, 0xfffffff0))
PART_FAULT(dxil_offset_zero, part(b, "DXIL"), set32(at + 16, 0))
PART_FAULT(dxil_size_huge, part(b, "DXIL"), set32(at + 20, UINT32_MAX))
PART_FAULT(dxil_sum_wraps, part(b, "DXIL"), (set32(at + 16, 0x80000010), set32(at + 20, 0x80000000)))
PART_FAULT(dxil_bitcode_magic, part(b, "DXIL"), at[24] = 'X')
PART_FAULT(dxil_kind, part(b, "DXIL"), set32(at, 255u << 16 | 0x60))
PART_FAULT(hash_wrong, part(b, "HASH"), at[4] ^= 1)
PART_FAULT(bitcode_changed, part(b, "DXIL"), at[get32(at + 4) * 4 - 1] ^= 1)
PART_FAULT(tokens_huge, program(b), set32(at + 4, UINT32_MAX))
PART_FAULT(tokens_zero, program(b), set32(at + 4, 0))
PART_FAULT(tokens_more, program(b), set32(at + 4, get32(at + 4) + 1))
PART_FAULT(token_length_zero, program(b), at[11] = 0)
PART_FAULT(token_length_127, program(b), at[11] = 127)
PART_FAULT(signature_count_huge, any_signature(b), set32(at, 0x20000000))
PART_FAULT(signature_count_max, any_signature(b), set32(at, UINT32_MAX))
PART_FAULT(signature_offset, input_signature(b), set32(at + 4, 0xfffffffc))
PART_FAULT(signature_name_max, input_signature(b), set32(at + 8 + (at[-5] == '1' ? 4 : 0), UINT32_MAX))
PART_FAULT(signature_name_end, input_signature(b), set32(at + 8 + (at[-5] == '1' ? 4 : 0), get32(at - 4)))
PART_FAULT(signature_name_open, input_signature(b), {
	uint32_t bytes = get32(at - 4);

	for (uint32_t i = bytes; i > 0 && !at[i - 1]; i--)
		at[i - 1] = 'A';
})
PART_FAULT(psv_info_huge, part(b, "PSV0"), set32(at, UINT32_MAX & ~3u))
PART_FAULT(psv_info_small, part(b, "PSV0"), set32(at, 1))
PART_FAULT(psv_resources_huge, part(b, "PSV0"), set32(at + 4 + get32(at), UINT32_MAX))
PART_FAULT(psv_stage, part(b, "PSV0"), at[4 + 24] = 1)
PART_FAULT(psv_threads, part(b, "PSV0"), {
	if (get32(at) < 48)
		return false;
	set32(at + 4 + 36, 2000);
})
PART_FAULT(root_version, part(b, "RTS0"), set32(at, 9))
PART_FAULT(root_count_huge, part(b, "RTS0"), set32(at + 4, 0x15555556))
PART_FAULT(root_payload, part(b, "RTS0"), set32(at + 24 + 8, UINT32_MAX))
PART_FAULT(rdat_count_huge, part(b, "RDAT"), set32(at + 4, UINT32_MAX))
PART_FAULT(rdat_offset, part(b, "RDAT"), set32(at + 8, UINT32_MAX))
PART_FAULT(rdat_records, part(b, "RDAT"), set32(at + get32(at + 16) + 8, UINT32_MAX))
PART_FAULT(rdef_buffers_huge, part(b, "RDEF"), set32(at, UINT32_MAX))
PART_FAULT(rdef_name, part(b, "RDEF"), set32(at + 24, UINT32_MAX))
PART_FAULT(rdef_bindings, part(b, "RDEF"), set32(at + 8, 0x10000000))

static const struct class {
	const char *name;
	bool (*apply)(struct bytes *b);
	enum verdict verdict;
	const char *code;        /* NULL: any */
	int least;               /* seeds that it must apply to: three of each */
	bool repair;             /* the digest, so that the fault alone is found */
} classes[] = {
	{"as it is", nothing, OK, "", 3, true},
	{"an empty file", empty_file, ERROR, "DX0002", 3, false},
	{"the header cut", header_cut, ERROR, "DX0002", 3, false},
	{"another magic", magic, ERROR, "DX0003", 3, true},
	{"version 2.0", major_two, ERROR, "DX0004", 3, true},
	{"version 1.1", minor_one, WARNING, "DX0005", 3, true},
	{"container size + 64", size_more, ERROR, "DX0006", 3, true},
	{"container size - 4", size_less, ERROR, NULL, 3, true},
	{"container size 0", size_zero, ERROR, "DX0006", 3, true},
	{"container size 2^32-1", size_huge, ERROR, "DX0006", 3, true},
	{"the last byte cut", last_byte_cut, ERROR, "DX0006", 3, false},
	{"half of it cut", half_cut, ERROR, "DX0006", 3, false},
	{"no parts", no_parts, ERROR, "DX0008", 3, true},
	{"part count + 1", count_more, ERROR, NULL, 3, true},
	{"part count 1000000", count_million, ERROR, "DX0009", 3, true},
	{"part count 2^30", count_wraps, ERROR, "DX0009", 3, true},
	{"part count 2^32-1", count_huge, ERROR, "DX0009", 3, true},
	{"offset 0", offset_zero, ERROR, "DX0010", 3, true},
	{"offset inside of the table", offset_in_table, ERROR, "DX0010", 3, true},
	{"offset at the end", offset_at_end, ERROR, "DX0011", 3, true},
	{"offset 4 before the end", offset_near_end, ERROR, "DX0011", 3, true},
	{"offset 2^32-1", offset_huge, ERROR, "DX0011", 3, true},
	{"offset 2^32-8", offset_wraps, ERROR, "DX0011", 3, true},
	{"part size 2^32-1", part_size_huge, ERROR, "DX0012", 3, true},
	{"part size 2^32-8", part_size_wraps, ERROR, "DX0012", 3, true},
	{"the last part 1 past the end", part_past_end, ERROR, "DX0012", 3, true},
	{"two parts at one offset", same_offset, ERROR, NULL, 3, true},
	{"a part swallows the rest", swallows, ERROR, "DX0013", 3, true},
	{"overlap by 4", overlaps_by_four, ERROR, "DX0013", 3, true},
	{"table reversed", reversed, WARNING, "DX0017", 3, true},
	{"gap of 16", gap, WARNING, "DX0015", 3, true},
	{"trailing bytes", trailing, WARNING, "DX0007", 3, false},
	{"a FourCC twice", twice, ERROR, "DX0014", 3, true},
	{"a part unaligned by 1", unaligned, WARNING, "DX0018", 3, true},
	{"DXIL words 2^32-1", dxil_words_huge, ERROR, "DX0020", 3, true},
	{"DXIL words 0", dxil_words_zero, ERROR, "DX0020", 3, true},
	{"DXIL mark", dxil_mark, ERROR, "DX0020", 3, true},
	{"DXIL bitcode offset 0xfffffff0", dxil_offset_huge, ERROR, "DX0020", 3, true},
	{"DXIL bitcode offset 0", dxil_offset_zero, ERROR, "DX0020", 3, true},
	{"DXIL bitcode size 2^32-1", dxil_size_huge, ERROR, "DX0020", 3, true},
	{"DXIL bitcode sum wraps", dxil_sum_wraps, ERROR, "DX0020", 3, true},
	{"DXIL bitcode magic", dxil_bitcode_magic, ERROR, "DX0020", 3, true},
	{"DXIL kind 255", dxil_kind, ERROR, "DX0025", 3, true},
	{"HASH of something else", hash_wrong, ERROR, "DX0024", 3, true},
	{"bitcode behind its HASH", bitcode_changed, ERROR, "DX0024", 3, true},
	{"token length 2^32-1", tokens_huge, ERROR, "DX0020", 3, true},
	{"token length 0", tokens_zero, ERROR, "DX0020", 3, true},
	{"token length + 1", tokens_more, ERROR, "DX0020", 3, true},
	{"an instruction of 0 words", token_length_zero, ERROR, "DX0020", 3, true},
	{"an instruction of 127 words", token_length_127, ERROR, "DX0020", 3, true},
	{"signature count 2^29", signature_count_huge, ERROR, "DX0020", 3, true},
	{"signature count 2^32-1", signature_count_max, ERROR, "DX0020", 3, true},
	{"signature offset 2^32-4", signature_offset, ERROR, "DX0020", 3, true},
	{"signature name at 2^32-1", signature_name_max, ERROR, "DX0020", 3, true},
	{"signature name at the end", signature_name_end, ERROR, "DX0020", 3, true},
	{"signature name without an end", signature_name_open, ERROR, "DX0020", 3, true},
	{"PSV0 info huge", psv_info_huge, ERROR, "DX0020", 3, true},
	{"PSV0 info 1", psv_info_small, ERROR, "DX0020", 3, true},
	{"PSV0 resources 2^32-1", psv_resources_huge, ERROR, "DX0020", 3, true},
	{"PSV0 of another stage", psv_stage, ERROR, "DX0025", 3, true},
	{"PSV0 with 2,000 threads", psv_threads, ERROR, "DX0025", 3, true},
	{"RTS0 version 9", root_version, ERROR, "DX0020", 3, true},
	{"RTS0 count that wraps", root_count_huge, ERROR, "DX0020", 3, true},
	{"RTS0 payload at 2^32-1", root_payload, ERROR, "DX0020", 3, true},
	{"RDAT count 2^32-1", rdat_count_huge, ERROR, "DX0020", 3, true},
	{"RDAT offset 2^32-1", rdat_offset, ERROR, "DX0020", 3, true},
	{"RDAT records 2^32-1", rdat_records, ERROR, "DX0020", 3, true},
	{"RDEF buffers 2^32-1", rdef_buffers_huge, ERROR, "DX0020", 3, true},
	{"RDEF name at 2^32-1", rdef_name, ERROR, "DX0020", 3, true},
	{"RDEF bindings 2^28", rdef_bindings, ERROR, "DX0020", 3, true},
};

static const char *const verdicts[] = {"OK", "warning", "error"};

int main(void)
{
	int failures = 0;

	printf("%-34s %-13s %-15s %s\n", "class", "seed", "expected", "got");
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		const struct class *class = &classes[i];
		int applied = 0;

		for (int seed = 0; seed < SEED_COUNT; seed++) {
			struct bytes b = seed_make((enum seed)seed);
			struct outcome got;
			bool good;

			if (!class->apply(&b)) {
				free(b.at);
				continue;
			}
			applied++;
			if (class->repair && b.size >= 32) {
				uint32_t size = get32(b.at + 24);

				seed_digest(b.at, size >= 32 && size <= b.size ? size : b.size);
			}
			/* The file ends where its bytes do: reading behind them is found by the sanitizers. */
			b.at = realloc(b.at, b.size ? b.size : 1);
			got = judge(&b);
			good = got.verdict == class->verdict && (!class->code || !strcmp(got.code, class->code));
			printf("%-34s %-13s %-7s %-7s %-7s %s%s\n", class->name, seed_names[seed], verdicts[class->verdict],
			       class->code ? class->code : "", verdicts[got.verdict], got.code, good ? "" : "   FAIL");
			failures += !good;
			free(b.at);
		}
		if (applied < class->least) {
			printf("FAIL: '%s' applies to %d seeds, and %d are wanted\n", class->name, applied, class->least);
			failures++;
		}
	}
	printf("%d failures\n", failures);
	return failures ? 1 : 0;
}
