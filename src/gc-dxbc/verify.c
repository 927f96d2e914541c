/* SPDX-License-Identifier: MIT */
/* verify: one line a file, and the exit code. */
#include "container.h"
#include "verbs.h"

#include <string.h>

static bool verify(struct options *opt, const char *path)
{
	struct glacier_dxbc_verdict verdict = {.required = opt->has_require, .require = opt->require};
	struct container c;
	bool good;

	if (!container_open(&c, opt, path))
		return false;
	good = glacier_dxbc_verify(&c.dxbc, &verdict, &c.diag) == GLACIER_OK;
	if (!cli.quiet)
		printf("%s: %s, digest %s%s\n", c.file.name, good ? "OK" : "FAILED", glacier_dxbc_digest_name(verdict.digest),
		       verdict.hash_checked ? ", hash checked" : "");
	container_close(&c);
	return good;
}

enum cli_code verb_verify(struct options *opt)
{
	enum cli_code code = CLI_OK;

	options_want_files(opt, 1, SIZE_MAX);
	if (opt->strict)
		memset(opt->warnings.fatal, 0xff, sizeof opt->warnings.fatal);
	for (size_t i = 0; i < opt->file_count; i++)
		if (!verify(opt, opt->files[i]))
			code = CLI_WRONG;
	return code;
}
