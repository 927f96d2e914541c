/* SPDX-License-Identifier: MIT */
/* --json: one document on standard output, a module an element. */
#ifndef GC_SPV_VAL_REPORT_H
#define GC_SPV_VAL_REPORT_H

#include "against.h"

struct report {
	struct cli_json json;
	bool error_open;
	unsigned notes;          /* of the error that is open */
	const char *clause;      /* of its code */
	char unchecked[256];     /* what was not looked at in this module */
};

void report_begin(struct report *report);
void report_begin_module(struct report *report, const char *name);
/* A sink for the module that is open. */
struct glacier_diag report_diag(struct report *report);
/* against: NULL when nobody was asked. */
void report_end_module(struct report *report, bool valid, const struct against *against);
void report_end(struct report *report);

#endif
