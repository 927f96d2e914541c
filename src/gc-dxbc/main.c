/* SPDX-License-Identifier: MIT */
/* gc-dxbc: one verb, over files. */
#include "verbs.h"

#include <string.h>

static const struct {
	char name[8];
	verb_fn *run;
} verbs[] = {
	{"list", verb_list},       {"inspect", verb_inspect}, {"extract", verb_extract}, {"pack", verb_pack},
	{"add", verb_add},         {"replace", verb_replace}, {"remove", verb_remove},   {"strip", verb_strip},
	{"sign", verb_sign},       {"verify", verb_verify},   {"diff", verb_diff},       {"hexmap", verb_hexmap},
};

int main(int argc, char **argv)
{
	struct options opt;
	enum cli_code code;

	options_parse(&opt, argc, argv);
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!strcmp(opt.verb, verbs[i].name)) {
			code = verbs[i].run(&opt);
			options_fini(&opt);
			cli_exit(code);
		}
	cli_bad_usage("there is no verb '%s'", opt.verb);
}
