/* SPDX-License-Identifier: MIT */
#include "collective/frame.h"
#include "base/diag.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum shown { NUMBER, HEX, CALL, OP, TYPE, MAP, ALGORITHM };

/* The rank is not among them: that is what both are named by. */
static const struct field {
	char name[16];
	uint8_t at, bytes, shown;
} fields[] = {
#define FIELD(name, member, shown) {name, offsetof(struct glc_header, member), sizeof((struct glc_header *)0)->member, shown}
	FIELD("magic", magic, HEX),
	FIELD("version", version, NUMBER),
	FIELD("job", job, HEX),
	FIELD("size", size, NUMBER),
	FIELD("sequence", sequence, NUMBER),
	FIELD("call", call, CALL),
	FIELD("type", type, TYPE),
	FIELD("operation", op, OP),
	FIELD("count", count, NUMBER),
	FIELD("chunk map", map, MAP),
	FIELD("piece size", piece_bytes, NUMBER),
	FIELD("algorithm", algorithm, ALGORITHM),
	FIELD("channels", channels, NUMBER),
	FIELD("reserved field", reserved, HEX),
#undef FIELD
};

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static uint64_t value_of(const struct glc_header *header, const struct field *field)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)header + field->at, field->bytes);
	return value;
}

bool glc_header_differs(const struct glc_header *a, const struct glc_header *b, struct glc_failure *failure)
{
	for (uint32_t i = 0; i < FIELD_COUNT; i++) {
		uint64_t x = value_of(a, &fields[i]), y = value_of(b, &fields[i]);

		if (x == y)
			continue;
		*failure = (struct glc_failure){.magic = GLC_FAILURE_MAGIC, .reason = GLC_REASON_MISMATCH, .rank = a->rank,
						.other = b->rank, .field = i, .values = {x, y}};
		return true;
	}
	return false;
}

bool glc_failure_valid(const struct glc_failure *failure, uint32_t size)
{
	return failure->magic == GLC_FAILURE_MAGIC && failure->reason > GLC_REASON_NONE &&
	       failure->reason < GLC_REASON_COUNT && failure->rank < size && failure->other < size &&
	       failure->field < FIELD_COUNT && !failure->reserved;
}

enum glacier_status glc_failure_status(const struct glc_failure *failure)
{
	switch (failure->reason) {
	case GLC_REASON_NONE: return GLACIER_OK;
	case GLC_REASON_MISMATCH: return GLACIER_ERR_MISMATCH;
	case GLC_REASON_SILENT:
	case GLC_REASON_ABSENT: return GLACIER_ERR_TIMEOUT;
	case GLC_REASON_CHECKSUM: return GLACIER_ERR_CHECKSUM;
	case GLC_REASON_FRAME: return GLACIER_ERR_MALFORMED;
	case GLC_REASON_MEMORY: return GLACIER_ERR_NOMEM;
	case GLC_REASON_UNSUPPORTED: return GLACIER_ERR_UNSUPPORTED;
	default: return GLACIER_ERR_PEER;
	}
}

static const char *call_name(uint64_t call)
{
	switch (call) {
	case GLC_ALLREDUCE: return "allreduce";
	case GLC_REDUCE_SCATTER: return "reduce-scatter";
	case GLC_ALL_GATHER: return "all-gather";
	case GLC_BROADCAST: return "broadcast";
	case GLC_BARRIER: return "barrier";
	case GLC_ALLOC: return "alloc";
	default: return NULL;
	}
}

static void spell(char *text, size_t bytes, enum shown shown, uint64_t value)
{
	const char *name = NULL;

	if (shown == CALL)
		name = call_name(value);
	else if (shown == OP)
		name = value < GLACIER_REDUCE_COUNT ? glacier_reduce_name((enum glacier_reduce)value) : NULL;
	else if (shown == TYPE)
		name = value && value < GLACIER_TYPE_COUNT ? glacier_type_name((enum glacier_type)value) : NULL;
	else if (shown == ALGORITHM)
		name = value < GLACIER_ALGORITHM_COUNT ? glacier_algorithm_name((enum glacier_algorithm)value) : NULL;
	if (name)
		snprintf(text, bytes, "%s", name);
	else if (shown == MAP && !value)
		snprintf(text, bytes, "a chunk a rank");
	else if (shown == MAP)
		snprintf(text, bytes, "all to rank %" PRIu64, value - 1);
	else
		snprintf(text, bytes, shown == HEX ? "0x%" PRIx64 : "%" PRIu64, value);
}

enum glacier_status glc_failure_report(const struct glc_failure *f, struct glacier_diag *diag)
{
	char a[40], b[40];

	switch (f->reason) {
	case GLC_REASON_NONE: return GLACIER_OK;
	case GLC_REASON_MISMATCH:
		spell(a, sizeof a, fields[f->field].shown, f->values[0]);
		spell(b, sizeof b, fields[f->field].shown, f->values[1]);
		return glc_fail(diag, GLC_AR_MISMATCH, GLC_NOWHERE, f->rank, f->other, fields[f->field].name, f->rank, a,
				f->other, b);
	case GLC_REASON_LOST: return glc_fail(diag, GLC_AR_LOST, GLC_NOWHERE, f->rank);
	case GLC_REASON_SILENT:
		return glc_fail(diag, GLC_AR_SILENT, GLC_NOWHERE, f->rank, (unsigned long long)f->values[0]);
	case GLC_REASON_CHECKSUM: return glc_fail(diag, GLC_AR_CHECKSUM, GLC_NOWHERE, f->rank, f->other);
	case GLC_REASON_FRAME: return glc_fail(diag, GLC_AR_FRAME, GLC_NOWHERE, f->rank, f->other);
	case GLC_REASON_MEMORY: return glc_fail(diag, GLC_AR_MEMORY, GLC_NOWHERE, f->rank);
	case GLC_REASON_ABSENT: return glc_fail(diag, GLC_AR_ABSENT, GLC_NOWHERE, f->rank);
	case GLC_REASON_UNSUPPORTED: return glc_fail(diag, GLC_AR_ALGORITHM, GLC_NOWHERE);
	default: return glc_fail(diag, GLC_AR_ABORTED, GLC_NOWHERE, f->rank);
	}
}
