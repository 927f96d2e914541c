/* SPDX-License-Identifier: MIT */
/* What two parts tell of one program must agree; and what no single decoder looks at. */
#include "dxbc/codec.h"

#include <stdio.h>

#define FOURCC(text) glc_le32(text)

static bool find(const struct glacier_dxbc *dxbc, const char *fourcc, struct glacier_dxbc_part *part)
{
	return glacier_dxbc_find(dxbc, FOURCC(fourcc), part);
}

#define wrong(diag, part, at, ...)                                                                            \
	do {                                                                                                  \
		char message_[200];                                                                           \
		snprintf(message_, sizeof message_, __VA_ARGS__);                                             \
		glc_fail(diag, GLC_DX_VERIFY, (uint64_t)(part)->offset + 8 + (at), glc_fourcc((part)->fourcc).text, message_); \
	} while (0)

static void check_digest(const struct glacier_dxbc *dxbc, struct glacier_dxbc_verdict *verdict, struct glacier_diag *diag)
{
	verdict->digest = glacier_dxbc_digest_kind(dxbc);
	if (verdict->digest == GLACIER_DIGEST_WRONG)
		glc_fail(diag, GLC_DX_DIGEST, 4);
	else if (verdict->required && verdict->digest != verdict->require)
		glc_fail(diag, GLC_DX_DIGEST_REQUIRED, 4, glacier_dxbc_digest_name(verdict->digest),
			 glacier_dxbc_digest_name(verdict->require));
	else if (!verdict->required && verdict->digest != GLACIER_DIGEST_RETAIL)
		glc_warn(diag, GLC_DX_DIGEST_KIND, 4, glacier_dxbc_digest_name(verdict->digest));
}

/* The form of each part, by the decoder that shows it. */
static bool check_forms(const struct glacier_dxbc *dxbc, struct glacier_diag *diag)
{
	struct glacier_dxbc_part_info info;
	bool good = true;

	for (uint32_t i = 0; i < dxbc->part_count; i++) {
		struct glacier_dxbc_part part = glacier_dxbc_part_at(dxbc, i);

		if (glacier_dxbc_part_info(part.fourcc, &info) && info.decoded)
			good &= glacier_dxbc_decode(&part, false, NULL, diag) == GLACIER_OK;
	}
	return good;
}

static void check_program(const struct glacier_dxbc_part *program, struct glacier_diag *diag)
{
	uint32_t words = glc_le32(program->data + 4), kind = glc_le16(program->data + 2);

	if (words * 4 != program->bytes)
		wrong(diag, program, 4, "the program claims %u bytes, and the part has %u", words * 4, program->bytes);
	if (kind > 15)
		wrong(diag, program, 2, "there is no kind of program %u", kind);
}

static void check_hash(const struct glacier_dxbc *dxbc, const struct glacier_dxbc_part *program,
		       struct glacier_dxbc_verdict *verdict, struct glacier_diag *diag)
{
	struct glacier_dxbc_part hash;
	const unsigned char *bitcode;
	unsigned char digest[16];
	size_t bytes;

	/* With sources in it (-Zss) the hash is not one of the bitcode. */
	if (!find(dxbc, "HASH", &hash) || hash.bytes < 20 || glc_le32(hash.data) & 1 ||
	    !glacier_dxbc_bitcode_of(program, &bitcode, &bytes))
		return;
	verdict->hash_checked = true;
	glacier_dxbc_md5(bitcode, bytes, digest);
	if (memcmp(digest, hash.data + 4, 16))
		glc_fail(diag, GLC_DX_HASH, (uint64_t)hash.offset + 12);
}

/* --- PSV0 ---------------------------------------------------------------- */

enum { STAGE_AT = 4 + 24, COUNTS_AT = 4 + 28, THREADS_AT = 4 + 36, COMPUTE = 5, MESH = 13, AMPLIFICATION = 14 };

static void check_threads(const struct glacier_dxbc_part *psv, uint32_t stage, struct glacier_diag *diag)
{
	uint32_t x = glc_le32(psv->data + THREADS_AT), y = glc_le32(psv->data + THREADS_AT + 4),
		 z = glc_le32(psv->data + THREADS_AT + 8), most = stage == COMPUTE ? 1024 : 128;
	uint64_t product = (uint64_t)x * y;

	if (stage != COMPUTE && stage != MESH && stage != AMPLIFICATION) {
		if (x | y | z)
			wrong(diag, psv, THREADS_AT, "a program that has no groups has %u x %u x %u threads", x, y, z);
		return;
	}
	if (!x || !y || !z || product > most || product * z > most || z > 64)
		wrong(diag, psv, THREADS_AT, "a group has %u x %u x %u threads; there are 1 to %u, and 64 in z", x, y, z, most);
}

/* Rows of the elements of one signature in PSV0; its own part has an element a row, or more where DXC adds some. */
static uint32_t rows(const unsigned char *element, uint32_t stride, uint32_t count)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += element[i * stride + 8];
	return sum;
}

static void check_signature(const struct glacier_dxbc *dxbc, const struct glacier_dxbc_part *psv, const char *fourcc,
			    uint32_t wanted, struct glacier_diag *diag)
{
	struct glacier_dxbc_part signature;
	uint32_t count = 0;

	if (find(dxbc, fourcc, &signature) && signature.bytes >= 4)
		count = glc_le32(signature.data);
	if (count < wanted || (count && !wanted))
		wrong(diag, psv, COUNTS_AT, "it has %u rows of signature elements where %s has %u", wanted, fourcc, count);
}

/* The form is known to be right: the decoder has been over it. */
static void check_elements(const struct glacier_dxbc *dxbc, const struct glacier_dxbc_part *psv, uint32_t info_bytes,
			   struct glacier_diag *diag)
{
	const unsigned char *counts = psv->data + COUNTS_AT;
	uint32_t at = 4 + info_bytes, resources = glc_le32(psv->data + at), stride;

	if (psv->data[STAGE_AT] == 6)   /* a library has no signatures of its own */
		return;
	at += 4 + (resources ? 4 + resources * glc_le32(psv->data + at + 4) : 0);
	at += 4 + glc_le32(psv->data + at);
	at += 4 + 4 * glc_le32(psv->data + at);
	if (!(counts[0] | counts[1] | counts[2])) {
		stride = 16;
		at = 0;
	} else {
		stride = glc_le32(psv->data + at);
		at += 4;
	}
	check_signature(dxbc, psv, "ISG1", rows(psv->data + at, stride, counts[0]), diag);
	at += stride * counts[0];
	check_signature(dxbc, psv, "OSG1", rows(psv->data + at, stride, counts[1]), diag);
	at += stride * counts[1];
	check_signature(dxbc, psv, "PSG1", rows(psv->data + at, stride, counts[2]), diag);
}

static void check_psv(const struct glacier_dxbc *dxbc, const struct glacier_dxbc_part *program, struct glacier_diag *diag)
{
	struct glacier_dxbc_part psv;
	uint32_t info_bytes, kind = glc_le16(program->data + 2);

	if (!find(dxbc, "PSV0", &psv))
		return;
	info_bytes = glc_le32(psv.data);
	if (info_bytes < 36)
		return;
	if (psv.data[STAGE_AT] != kind)
		wrong(diag, &psv, STAGE_AT, "it is of stage %u, and the program of %u", psv.data[STAGE_AT], kind);
	if (info_bytes >= 48)
		check_threads(&psv, psv.data[STAGE_AT], diag);
	check_elements(dxbc, &psv, info_bytes, diag);
}

/* --- Signatures ---------------------------------------------------------- */

static bool is_name(const char *text)
{
	for (; *text; text++)
		if (!(*text == '_' || (*text >= '0' && *text <= '9') || ((*text | 32) >= 'a' && (*text | 32) <= 'z')))
			return false;
	return true;
}

static void check_names(const struct glacier_dxbc_part *part, struct glacier_diag *diag)
{
	char last = (char)(part->fourcc >> 24);
	uint32_t stride = last == '1' ? 32 : last == '5' ? 28 : 24, name_at = last == 'N' || last == 'G' ? 0 : 4;
	uint32_t count = glc_le32(part->data), first = glc_le32(part->data + 4);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = first + i * stride + name_at;
		const char *name = (const char *)part->data + glc_le32(part->data + at);

		if (!is_name(name)) {
			wrong(diag, part, at, "element %u has a name that is none: '%.40s'", i, name);
			return;
		}
	}
}

static void check_signatures(const struct glacier_dxbc *dxbc, struct glacier_diag *diag)
{
	static const char names[][5] = {"ISGN", "OSGN", "PCSG", "OSG5", "ISG1", "OSG1", "PSG1"};
	struct glacier_dxbc_part part;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (find(dxbc, names[i], &part))
			check_names(&part, diag);
}

enum glacier_status glacier_dxbc_verify(const struct glacier_dxbc *dxbc, struct glacier_dxbc_verdict *verdict,
					struct glacier_diag *diag)
{
	struct glacier_diag silent = {0};
	struct glacier_dxbc_verdict none = {0};
	struct glacier_dxbc_part program;
	uint32_t errors;

	diag = diag ? diag : &silent;
	verdict = verdict ? verdict : &none;
	verdict->hash_checked = false;
	errors = diag->errors;
	check_digest(dxbc, verdict, diag);
	if (check_forms(dxbc, diag)) {
		check_signatures(dxbc, diag);
		if (find(dxbc, "DXIL", &program)) {
			check_program(&program, diag);
			check_hash(dxbc, &program, verdict, diag);
			check_psv(dxbc, &program, diag);
		}
	}
	if (diag->errors == errors)
		return GLACIER_OK;
	return errors ? GLACIER_ERR_INVALID : diag->first;
}
