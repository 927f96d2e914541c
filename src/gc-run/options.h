/* SPDX-License-Identifier: MIT */
/* What the command line of gc-run says, with every default filled in. */
#ifndef GC_RUN_OPTIONS_H
#define GC_RUN_OPTIONS_H

#include "common/cli.h"

#include <glacier/device.h>
#include <glacier/target.h>

/* "cpu", "cuda", "vulkan:1", "auto" */
struct device_name {
	const char *text;
	bool automatic;
	enum glacier_device_kind kind;
	uint32_t index;
};

/* "NAME=VALUE" cut in two. */
struct pair {
	char *name, *value;
};

struct pairs {
	struct pair *at;
	size_t count;
};

struct options {
	const char *file;             /* the kernel's; NULL with --job */
	const char *job;
	const char *reflect;          /* beside a .spv */
	struct pairs values, outputs, expected, defines;
	const char *kernel;
	uint32_t size[3];
	bool in_invocations, has_size;
	struct device_name devices[2];
	size_t device_count;          /* 2: --compare */
	bool device_given;            /* -d */
	struct glacier_device_options device;
	struct glacier_write_options write;
	uint64_t seed, timeout_ns;
	double rtol, atol;
	bool time, dry_run, list_devices, no_cache;
	char *cache_folder;           /* NULL: none */
	const char *dump;             /* a target's name, or NULL */
	bool bench;
	size_t runs;                  /* of each case of --bench */
	const char *plot;             /* where its chart goes, or NULL */
	char **cases;                 /* beginnings of the names of those that are wanted; none: all */
	size_t case_count;
	struct cli_warnings warnings;
};

/* Bad usage, --help and the like end the process. */
void options_parse(struct options *options, int argc, char **argv);
void options_fini(struct options *options);

/* A sink for messages about the file with the command line's -W. NULL: about none. */
struct glacier_diag options_diag(const struct options *options, const struct cli_file *file);

#endif
