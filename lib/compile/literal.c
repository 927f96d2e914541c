/* SPDX-License-Identifier: MIT */
/* Spellings of types and literals, for callers of the library. */
#include <glacier/literal.h>

#include "base/diag.h"
#include "ir/tree.h"

enum { LONGEST_LITERAL_BYTES = 4096 };

enum glacier_type glacier_type_find(const char *name)
{
	size_t bytes = strlen(name);

	return bytes < sizeof glc_types->name ? (enum glacier_type)glc_type_find(name, (uint32_t)bytes)
					      : GLACIER_VOID;
}

enum glacier_status glacier_literal_read(enum glacier_type type, const char *text, uint64_t *bits,
					 struct glacier_diag *diag)
{
	size_t bytes = strlen(text);
	struct glc_name name = {text, (uint32_t)bytes};
	uint64_t read;

	if (type <= GLACIER_VOID || type >= GLACIER_TYPE_COUNT)
		return GLACIER_ERR_ARGUMENT;
	if (bytes > LONGEST_LITERAL_BYTES) {
		glc_fail(diag, GLC_GA_LITERAL_FORM, GLC_NOWHERE, 64, text);
		return GLACIER_ERR_INVALID;
	}
	if (!glc_literal_read(diag, name, GLC_NOWHERE, (enum glc_type)type, &read))
		return GLACIER_ERR_INVALID;
	*bits = read;
	return GLACIER_OK;
}
