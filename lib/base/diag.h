/* SPDX-License-Identifier: MIT */
/*
 * Reporting. `return glc_fail(diag, GLC_GA_UNKNOWN_OPCODE, where, ...)` tells the sink and
 * gives the status of the code's row, so that a check is one statement.
 *
 * where: a source position when the sink has a map, else a byte offset; GLC_NOWHERE for none.
 * The compiler checks the arguments against the row's text.
 */
#ifndef GLC_BASE_DIAG_H
#define GLC_BASE_DIAG_H

#include <glacier/diagnostic.h>

#define GLC_NOWHERE UINT64_MAX

enum glc_code {
#define ROW(area, name, number, status, warning, text, cause, remedy, clause) GLC_##area##_##name,
#include "base/codes.def"
#undef ROW
	GLC_CODE_COUNT
};

/* GLC_GA_UNKNOWN_OPCODE_TEXT and so on: what makes the format checkable at each call. */
#define ROW(area, name, number, status, warning, text, cause, remedy, clause) \
	static const char GLC_##area##_##name##_TEXT[] __attribute__((unused)) = text;
#include "base/codes.def"
#undef ROW

#define glc_fail(diag, code, where, ...) \
	glc_report(diag, code, where, code##_TEXT __VA_OPT__(,) __VA_ARGS__)
/* The same call for a row that is a warning: the name says it to the reader. */
#define glc_warn(diag, code, where, ...) \
	((void)glc_report(diag, code, where, code##_TEXT __VA_OPT__(,) __VA_ARGS__))

/* diag may be NULL. A disabled warning reports nothing and gives GLACIER_OK. */
enum glacier_status glc_report(struct glacier_diag *diag, enum glc_code code, uint64_t where,
			       const char *text, ...) __attribute__((format(printf, 4, 5)));

/* Belongs to the last error or warning, and is dropped with it. */
void glc_note(struct glacier_diag *diag, uint64_t where, const char *text, ...)
	__attribute__((format(printf, 3, 4)));

/* How many errors are reported; those after them are dropped, and a reader stops. */
static inline uint32_t glc_max_errors(const struct glacier_diag *diag)
{
	return diag && diag->max_errors ? diag->max_errors : 20;
}

#endif
