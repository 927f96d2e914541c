/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics are values that the library hands to a sink; it prints nothing.
 *
 * A sink belongs to one thread at a time. The strings in a diagnostic live
 * only until the sink's function returns.
 */
#ifndef GLACIER_DIAGNOSTIC_H
#define GLACIER_DIAGNOSTIC_H

#include <glacier/base.h>
#include <glacier/status.h>

GLACIER_BEGIN

enum glacier_severity {
	GLACIER_ERROR,
	GLACIER_WARNING,
	GLACIER_NOTE,      /* belongs to the error or warning before it */
	GLACIER_SEVERITY_COUNT
};

enum glacier_location_kind {
	GLACIER_LOCATION_NONE,    /* no place: the input as a whole */
	GLACIER_LOCATION_TEXT,    /* line, column and source_line are set */
	GLACIER_LOCATION_BINARY,  /* offset is set; word and instruction too for SPIR-V */
	GLACIER_LOCATION_PATH,    /* path is set, for meaning in JSON ("kernels[0].body[3]") */
};

struct glacier_location {
	enum glacier_location_kind kind;
	const char *source;       /* the input's name as its reader gave it; NULL: the main input */
	uint32_t line;            /* from 1 */
	uint32_t column;          /* from 1, in bytes; a tab is one column */
	uint32_t length;          /* bytes to underline, at least 1 */
	const char *source_line;  /* that line as it stands in the input, any bytes, not terminated; NULL: not known */
	size_t source_line_bytes;
	uint64_t offset;          /* bytes from the start of the input */
	uint32_t word;            /* SPIR-V: index of the 32-bit word */
	uint32_t instruction;     /* SPIR-V: index of the instruction */
	const char *path;
};

struct glacier_diagnostic {
	enum glacier_severity severity;
	const char *code;         /* "GA0012"; NULL for a note */
	const char *flag;         /* the warning's name as in -Wno-NAME; NULL if it is no warning */
	const char *message;      /* lower case start, no full stop; UTF-8 without control characters */
	enum glacier_status status;
	struct glacier_location location;
};

struct glc_source_map;

/*
 * A sink. Set the first four members, leave the rest zero:
 *	struct glacier_diag diag = {.report = print, .user = out, .max_errors = 20};
 */
struct glacier_diag {
	void (*report)(void *user, const struct glacier_diagnostic *diagnostic);  /* NULL: count only */
	void *user;
	uint32_t max_errors;             /* a reader stops after so many of its own; 0: 20 */
	const uint64_t *disabled;        /* bit set over glacier_warning: not reported; NULL: none */
	const uint64_t *fatal;           /* bit set over glacier_warning: errors, unless disabled */
	uint32_t errors, warnings;       /* how many were reported so far; the library only adds */
	enum glacier_status first;       /* of the first error; GLACIER_OK while there is none */
	const struct glc_source_map *map;  /* the library's own: where text positions are resolved */
	bool suppressed;                 /* the library's own: notes of a disabled warning go with it */
};

/* Every warning has a name, for -WNAME and -Wno-NAME. */
enum glacier_warning {
	GLACIER_WARNING_NONE,
	GLACIER_WARNING_UNREACHABLE,
	GLACIER_WARNING_DIVERGENT_BARRIER,
	GLACIER_WARNING_UNSET,
	GLACIER_WARNING_SHARED_MEMORY,
	GLACIER_WARNING_UNKNOWN_LIMIT,
	GLACIER_WARNING_OUT_OF_BOUNDS,
	GLACIER_WARNING_PART_GAP,
	GLACIER_WARNING_PART_ORDER,
	GLACIER_WARNING_UNALIGNED_PART,
	GLACIER_WARNING_TRAILING_BYTES,
	GLACIER_WARNING_MINOR_VERSION,
	GLACIER_WARNING_DIGEST,
	GLACIER_WARNING_LEFT_OUT,
	GLACIER_WARNING_UNVERIFIED,
	GLACIER_WARNING_COUNT
};

/* "unreachable" and so on; NULL out of range. A static string. Since: 0.1 */
GLACIER_API const char *glacier_warning_name(enum glacier_warning warning);

/* The warning of that name, or GLACIER_WARNING_NONE. Since: 0.1 */
GLACIER_API enum glacier_warning glacier_warning_find(const char *name);

/* What the table of codes says about one code. All strings are static. */
struct glacier_code_info {
	const char *code;      /* "GA0012" */
	const char *text;      /* the message's pattern, in printf's notation */
	const char *cause;     /* why it is an error */
	const char *remedy;    /* what to do about it */
	const char *clause;    /* the rule's source: a section of a manual page or specification */
	enum glacier_status status;
	enum glacier_warning warning;
};

/*
 * Look a code up, by its name ("GA0012", any case) or by its index in the table, from 0.
 * Returns false, with *info unchanged, when there is none. Any thread.      Since: 0.1
 */
GLACIER_API bool glacier_code_find(const char *code, struct glacier_code_info *info);
GLACIER_API bool glacier_code_at(size_t index, struct glacier_code_info *info);

GLACIER_END

#endif
