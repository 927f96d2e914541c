/* SPDX-License-Identifier: MIT */
/* gc-arena-bench: patterns, or a log. */
#include "run.h"

int main(int argc, char **argv)
{
	struct options opt;

	options_parse(&opt, argc, argv);
	cli_exit(opt.replay ? bench_replay(&opt) : bench_patterns(&opt));
}
