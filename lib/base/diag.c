/* SPDX-License-Identifier: MIT */
/*
 * The code table and the one way a diagnostic leaves the library.
 *
 * All strings of the table lie in one constant object and rows hold offsets into it:
 * an array of pointers would cost a relocation each at every program start.
 */
#include "base/diag.h"
#include "base/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct pool {
#define ROW(area, name, number, status, warning, text, cause, remedy, clause) \
	char area##_##name##_code[sizeof "GA0000"];                           \
	char area##_##name##_text[sizeof text];                               \
	char area##_##name##_cause[sizeof cause];                             \
	char area##_##name##_remedy[sizeof remedy];                           \
	char area##_##name##_clause[sizeof clause];
#include "base/codes.def"
#undef ROW
} pool = {
/* Areas have two letters; a constant expression spells the number in four digits. */
#define DIGIT(number, divisor) '0' + (number) / (divisor) % 10
#define ROW(area, name, number, status, warning, text, cause, remedy, clause)          \
	{#area[0], #area[1], DIGIT(number, 1000), DIGIT(number, 100), DIGIT(number, 10), \
	 DIGIT(number, 1)}, text, cause, remedy, clause,
#include "base/codes.def"
#undef ROW
};

static const struct row {
	uint8_t status, warning;
	uint32_t code, text, cause, remedy, clause;
} rows[GLC_CODE_COUNT] = {
#define ROW(area, name, number_, status_, warning_, text_, cause_, remedy_, clause_) \
	{.status = GLACIER_ERR_##status_,                                            \
	 .warning = GLACIER_WARNING_##warning_,                                      \
	 .code = offsetof(struct pool, area##_##name##_code),                        \
	 .text = offsetof(struct pool, area##_##name##_text),                        \
	 .cause = offsetof(struct pool, area##_##name##_cause),                      \
	 .remedy = offsetof(struct pool, area##_##name##_remedy),                    \
	 .clause = offsetof(struct pool, area##_##name##_clause)},
#include "base/codes.def"
#undef ROW
};

static const char *at(uint32_t offset)
{
	return (const char *)&pool + offset;
}

static const char warning_names[GLACIER_WARNING_COUNT][20] = {
	[GLACIER_WARNING_UNREACHABLE] = "unreachable",
	[GLACIER_WARNING_DIVERGENT_BARRIER] = "divergent-barrier",
	[GLACIER_WARNING_UNSET] = "unset",
	[GLACIER_WARNING_SHARED_MEMORY] = "shared-memory",
	[GLACIER_WARNING_UNKNOWN_LIMIT] = "unknown-limit",
	[GLACIER_WARNING_OUT_OF_BOUNDS] = "out-of-bounds",
	[GLACIER_WARNING_PART_GAP] = "part-gap",
	[GLACIER_WARNING_PART_ORDER] = "part-order",
	[GLACIER_WARNING_UNALIGNED_PART] = "unaligned-part",
	[GLACIER_WARNING_TRAILING_BYTES] = "trailing-bytes",
	[GLACIER_WARNING_MINOR_VERSION] = "minor-version",
	[GLACIER_WARNING_DIGEST] = "digest",
	[GLACIER_WARNING_LEFT_OUT] = "left-out",
	[GLACIER_WARNING_UNVERIFIED] = "unverified",
};

const char *glacier_warning_name(enum glacier_warning warning)
{
	return warning > GLACIER_WARNING_NONE && warning < GLACIER_WARNING_COUNT
		       ? warning_names[warning]
		       : NULL;
}

enum glacier_warning glacier_warning_find(const char *name)
{
	for (int i = GLACIER_WARNING_NONE + 1; i < GLACIER_WARNING_COUNT; i++)
		if (!strcmp(name, warning_names[i]))
			return (enum glacier_warning)i;
	return GLACIER_WARNING_NONE;
}

bool glacier_code_at(size_t index, struct glacier_code_info *info)
{
	const struct row *row;

	if (index >= GLC_CODE_COUNT)
		return false;
	row = &rows[index];
	*info = (struct glacier_code_info){
		.code = at(row->code),
		.text = at(row->text),
		.cause = at(row->cause),
		.remedy = at(row->remedy),
		.clause = at(row->clause),
		.status = row->status,
		.warning = row->warning,
	};
	return true;
}

bool glacier_code_find(const char *code, struct glacier_code_info *info)
{
	for (size_t i = 0; i < GLC_CODE_COUNT; i++)
		if (!strcasecmp(code, at(rows[i].code)))
			return glacier_code_at(i, info);
	return false;
}

static void locate(struct glacier_diag *diag, uint64_t where, struct glacier_location *location)
{
	if (where == GLC_NOWHERE)
		return;
	if (diag->map) {
		glc_source_locate(diag->map, (uint32_t)where, location);
	} else {
		location->kind = GLACIER_LOCATION_BINARY;
		location->offset = where;
	}
}

static bool bit(const uint64_t *set, enum glacier_warning warning)
{
	return set && (set[warning / 64] >> (warning % 64) & 1);
}

/*
 * The bytes of the well-formed UTF-8 sequence at `at` (Unicode 15, table 3-7), 0 if there
 * is none or it is a control character. The string's terminator ends every sequence.
 */
static unsigned printable(const unsigned char *at)
{
	unsigned length = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

	if (at[0] < 0x20 || at[0] == 0x7f || (at[0] >= 0x80 && at[0] < 0xc2) || at[0] > 0xf4)
		return 0;
	for (unsigned i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	switch (at[0]) {
	case 0xc2: return at[1] < 0xa0 ? 0 : length;  /* the controls U+0080 to U+009F */
	case 0xe0: return at[1] < 0xa0 ? 0 : length;  /* overlong */
	case 0xed: return at[1] > 0x9f ? 0 : length;  /* surrogates */
	case 0xf0: return at[1] < 0x90 ? 0 : length;  /* overlong */
	case 0xf4: return at[1] > 0x8f ? 0 : length;  /* above U+10FFFF */
	default: return length;
	}
}

enum { MESSAGE_BYTES = 1024 };

/*
 * Names and bytes of hostile input reach messages: what leaves is valid UTF-8 without
 * control characters, and says when it was cut.
 */
__attribute__((format(printf, 2, 0)))
static void format_message(char message[MESSAGE_BYTES], const char *text, va_list args)
{
	int bytes = vsnprintf(message, MESSAGE_BYTES, text, args);

	if (bytes < 0)
		message[0] = '\0';
	if (bytes >= MESSAGE_BYTES)
		strcpy(message + MESSAGE_BYTES - sizeof "...", "...");
	for (unsigned char *c = (unsigned char *)message; *c;) {
		unsigned length = printable(c);

		if (!length)
			*c = '?';
		c += length ? length : 1;
	}
}

/* To the sink: apart, so that what nobody listens to costs little. */
static __attribute__((noinline)) void deliver(struct glacier_diag *diag, const struct row *row,
					      enum glacier_severity severity, uint64_t where,
					      const char *text, va_list args)
{
	struct glacier_diagnostic diagnostic = {
		.severity = severity,
		.status = row->status,
		.code = at(row->code),
		.flag = glacier_warning_name(row->warning),
	};
	char message[MESSAGE_BYTES];

	format_message(message, text, args);
	diagnostic.message = message;
	locate(diag, where, &diagnostic.location);
	diag->report(diag->user, &diagnostic);
}

enum glacier_status glc_report(struct glacier_diag *diag, enum glc_code code, uint64_t where,
			       const char *text, ...)
{
	const struct row *row = &rows[code];
	enum glacier_severity severity = GLACIER_ERROR;
	enum glacier_status status = row->status;
	va_list args;

	if (!diag)
		return row->warning ? GLACIER_OK : status;
	if (row->warning) {
		diag->suppressed = bit(diag->disabled, row->warning);
		if (diag->suppressed)
			return GLACIER_OK;
		if (!bit(diag->fatal, row->warning)) {
			severity = GLACIER_WARNING;
			status = GLACIER_OK;
		}
	}
	/* A statement can be wrong twice: the limit holds here, its reader then stops. */
	diag->suppressed = severity == GLACIER_ERROR && diag->errors >= glc_max_errors(diag);
	if (diag->suppressed)
		return status;
	if (severity == GLACIER_ERROR) {
		if (!diag->errors++)
			diag->first = status;
	} else {
		diag->warnings++;
	}
	if (!diag->report)
		return status;
	va_start(args, text);
	deliver(diag, row, severity, where, text, args);
	va_end(args);
	return status;
}

void glc_note(struct glacier_diag *diag, uint64_t where, const char *text, ...)
{
	struct glacier_diagnostic diagnostic = {.severity = GLACIER_NOTE};
	char message[MESSAGE_BYTES];
	va_list args;

	if (!diag || !diag->report || diag->suppressed)
		return;
	va_start(args, text);
	format_message(message, text, args);
	va_end(args);
	diagnostic.message = message;
	locate(diag, where, &diagnostic.location);
	diag->report(diag->user, &diagnostic);
}
