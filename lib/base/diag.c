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
	char area##_##name##_code[sizeof #area "0000"];                       \
	char area##_##name##_text[sizeof text];                               \
	char area##_##name##_cause[sizeof cause];                             \
	char area##_##name##_remedy[sizeof remedy];                           \
	char area##_##name##_clause[sizeof clause];
#include "base/codes.def"
#undef ROW
} pool = {
#define ROW(area, name, number, status, warning, text, cause, remedy, clause) \
	#area, text, cause, remedy, clause,
#include "base/codes.def"
#undef ROW
};

static const struct row {
	uint16_t number;
	uint8_t status, warning;
	uint32_t code, text, cause, remedy, clause;
} rows[GLC_CODE_COUNT] = {
#define ROW(area, name, number_, status_, warning_, text_, cause_, remedy_, clause_) \
	{.number = number_,                                                          \
	 .status = GLACIER_ERR_##status_,                                            \
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

/* "GA0012": the area's letters lie in the pool, the digits are made here. */
static const char *code_name(const struct row *row, char out[8])
{
	const char *area = at(row->code);
	size_t n = strlen(area);

	memcpy(out, area, n);
	for (unsigned i = 0, divisor = 1000; i < 4; i++, divisor /= 10)
		out[n + i] = (char)('0' + row->number / divisor % 10);
	out[n + 4] = '\0';
	return out;
}

enum glacier_status glc_code_status(enum glc_code code)
{
	return rows[code].status;
}

static const char warning_names[GLACIER_WARNING_COUNT][20] = {
	[GLACIER_WARNING_UNREACHABLE] = "unreachable",
	[GLACIER_WARNING_DIVERGENT_BARRIER] = "divergent-barrier",
	[GLACIER_WARNING_UNSET] = "unset",
	[GLACIER_WARNING_SHARED_MEMORY] = "shared-memory",
	[GLACIER_WARNING_UNUSED] = "unused",
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
	static _Thread_local char name[8];
	const struct row *row;

	if (index >= GLC_CODE_COUNT)
		return false;
	row = &rows[index];
	*info = (struct glacier_code_info){
		.code = code_name(row, name),
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
	char name[8];

	for (size_t i = 0; i < GLC_CODE_COUNT; i++)
		if (!strcasecmp(code, code_name(&rows[i], name)))
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

/* Names and bytes of hostile input reach messages: nothing unprintable leaves. */
static void make_printable(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || (unsigned char)*text == 0x7f)
			*text = '?';
}

enum glacier_status glc_report(struct glacier_diag *diag, enum glc_code code, uint64_t where,
			       const char *text, ...)
{
	const struct row *row = &rows[code];
	struct glacier_diagnostic diagnostic = {.severity = GLACIER_ERROR, .status = row->status};
	enum glacier_status status = row->status;
	char message[1024], name[8];
	va_list args;

	if (!diag)
		return row->warning ? GLACIER_OK : status;
	if (row->warning) {
		diag->suppressed = bit(diag->disabled, row->warning);
		if (diag->suppressed)
			return GLACIER_OK;
		if (!bit(diag->fatal, row->warning)) {
			diagnostic.severity = GLACIER_WARNING;
			status = GLACIER_OK;
		}
	}
	diag->suppressed = false;
	if (diagnostic.severity == GLACIER_ERROR)
		diag->errors++;
	else
		diag->warnings++;
	if (!diag->report)
		return status;

	va_start(args, text);
	vsnprintf(message, sizeof message, text, args);
	va_end(args);
	make_printable(message);
	diagnostic.code = code_name(row, name);
	diagnostic.flag = glacier_warning_name(row->warning);
	diagnostic.message = message;
	locate(diag, where, &diagnostic.location);
	diag->report(diag->user, &diagnostic);
	return status;
}

void glc_note(struct glacier_diag *diag, uint64_t where, const char *text, ...)
{
	struct glacier_diagnostic diagnostic = {.severity = GLACIER_NOTE};
	char message[1024];
	va_list args;

	if (!diag || !diag->report || diag->suppressed)
		return;
	va_start(args, text);
	vsnprintf(message, sizeof message, text, args);
	va_end(args);
	make_printable(message);
	diagnostic.message = message;
	locate(diag, where, &diagnostic.location);
	diag->report(diag->user, &diagnostic);
}
