/* SPDX-License-Identifier: MIT */
/*
 * doc/REFUSED.md as a table: every line `| instructions | types | targets | code | reason |`
 * whose code has the form of one.
 */
#ifndef TESTS_EXEC_REFUSED_H
#define TESTS_EXEC_REFUSED_H

#include "op_cells.h"

/* False, with a message printed, when the file cannot be read or a line has another form. */
bool refused_read(const char *path);

/* The code with which a target ("spirv", "ptx") refuses the cell, or NULL: it must emit. */
const char *refused_code(const struct cell *cell, const char *target);

/* Prints and counts the lines that spoke of no cell. */
unsigned refused_unused(void);

#endif
