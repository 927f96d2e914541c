/* SPDX-License-Identifier: MIT */
/* Literals and types by their spelling in the kernel language, for programs that ask people. */
#ifndef GLACIER_LITERAL_H
#define GLACIER_LITERAL_H

#include <glacier/base.h>
#include <glacier/diagnostic.h>
#include <glacier/opcode.h>
#include <glacier/status.h>

GLACIER_BEGIN

/* The type of that name, as "f32"; GLACIER_VOID when there is none. Any thread. Since: 0.1 */
GLACIER_API enum glacier_type glacier_type_find(const char *name);

/*
 * Read a literal as a value of a type: glacier-kernel(7), LITERALS. Any thread.
 *
 * text  nothing but the literal.
 * bits  its bit pattern, zero above the type's width; bool: 0 or 1. Written only when
 *       GLACIER_OK is returned.
 * diag  told what is wrong, without a place; NULL to stay silent.
 *
 * Returns GLACIER_OK, GLACIER_ERR_INVALID, or GLACIER_ERR_ARGUMENT for a type of no values.
 *                                                                           Since: 0.1
 */
GLACIER_API enum glacier_status glacier_literal_read(enum glacier_type type, const char *text, uint64_t *bits,
						     struct glacier_diag *diag);

GLACIER_END

#endif
