/* SPDX-License-Identifier: MIT */
/* What the command line of gc-asm says, with every default filled in. */
#ifndef GC_ASM_OPTIONS_H
#define GC_ASM_OPTIONS_H

#include "common/cli.h"

#include <glacier/kernel.h>
#include <glacier/limits.h>
#include <glacier/target.h>

enum input_kind {
	INPUT_BY_SUFFIX,
	INPUT_TEXT,
	INPUT_JSON,
	INPUT_STREAM,
	INPUT_KIND_COUNT
};

enum form {
	FORM_CODE,
	FORM_TEXT,
	FORM_JSON,
	FORM_IR,
	FORM_GRAPH,
	FORM_REFLECTION,
	FORM_COUNT
};

/* What is made of each input. */
struct artifact {
	enum form form;
	enum glacier_pass pass;        /* of FORM_IR, FORM_GRAPH */
	bool has_target;
	struct glacier_target target;  /* of FORM_CODE, and of what depends on it */
};

/* -M and what goes with it. */
struct depend_options {
	bool beside;             /* -MD: besides the outputs */
	bool alone;              /* -M: and no outputs */
	bool phony;              /* -MP */
	const char *file;        /* -MF, or -o of -M */
	struct depend_target {
		const char *name;
		bool quoted;     /* for make; else as it stands */
	} *targets;              /* -MT, -MQ; none: the outputs */
	size_t target_count;
};

struct options {
	char **inputs;           /* "-" when none is named */
	size_t input_count;
	enum input_kind input_kind;
	struct artifact *artifacts;
	size_t artifact_count;
	bool to_folder;          /* several outputs: STEM.SUFFIX in out_dir; else one, to output */
	const char *output;      /* NULL: standard output by default */
	const char *out_dir;
	struct glacier_read_options read;
	struct glacier_write_options write;
	struct glacier_stream_options stream;
	struct depend_options depend;
	struct cli_warnings warnings;
	bool list_opcodes;       /* and nothing else */
	uint32_t max_errors;
	struct glacier_limits limits;  /* write.limits, when there are some */
	bool stats;
	bool validate;           /* SPIR-V before it is written; a build that checks itself always does */
};

/* Bad usage, --help and the like end the process. */
void options_parse(struct options *options, int argc, char **argv);
/* Something of the run goes to standard output. */
bool options_use_stdout(const struct options *options);
void options_fini(struct options *options);

/* The kind of an input: as given, or by its suffix. */
enum input_kind input_kind(const struct options *options, const char *input);

/*
 * Where one of the input's artifacts goes: NULL is standard output by default.
 * Free it.
 */
char *output_path(const struct options *options, const char *input, size_t artifact);
/* The same, but standard output has the name that a file would have. */
char *output_file(const struct options *options, const char *input, size_t artifact);
/* STEM QUALIFIER.SUFFIX, in --out-dir if there is one. */
char *output_in_folder(const struct options *options, const char *input, const char *qualifier,
		       const char *suffix);
/* Nobody wants it on a terminal. */
bool output_is_binary(const struct artifact *artifact);

/* --- emit.c ---------------------------------------------------------------- */

/* The form that --emit names: "gasm", "json", "ir[:PASS]", "cfg[:PASS]"; false: there is none. */
bool emit_parse(const char *name, struct artifact *artifact);
/* "gasm" and so on: the file suffix without its dot; of code, the target's. */
const char *emit_suffix(const struct artifact *artifact);
/* Reads the input into the module. */
enum glacier_status emit_read(const struct options *options, struct glacier_module *module,
			      const char *input, const struct glacier_text *text, struct glacier_diag *diag);
enum glacier_status emit_write(const struct options *options, struct glacier_module *module,
			       const struct artifact *artifact, struct glacier_buffer *buffer,
			       struct glacier_diag *diag);

#endif
