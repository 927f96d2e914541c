/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <stdlib.h>
#include <string.h>

enum {
	KEY_PART = CLI_KEY,
	KEY_AS,
	KEY_FULL,
	KEY_BITCODE,
	KEY_RECORDS,
	KEY_FROM_MANIFEST,
	KEY_KIND,
	KEY_MODEL,
	KEY_ENTRY,
	KEY_NUMTHREADS,
	KEY_RESOURCES,
	KEY_DIGEST,
	KEY_UNALIGNED,
	KEY_DEBUG,
	KEY_REFLECTION,
	KEY_PRIVATE,
	KEY_ROOTSIGNATURE,
	KEY_STRICT,
	KEY_REQUIRE,
	KEY_SVG,
};

static const struct cli_option option_table[] = {
	{0, NULL, NULL, "Parts and files:"},
	{'o', "output", "FILE", "write to FILE (extract --all: a folder); - is standard output"},
	{KEY_PART, "part", "CC[=FILE]", "the part with this FourCC, and the file with its data"},
	{'a', "all", NULL, "extract: every part, and manifest.json, into the folder of -o"},
	{KEY_AS, "as", "FORM", "extract: raw (default), bitcode, or container"},
	{0, NULL, NULL, "Inspect:"},
	{KEY_FULL, "full", NULL, "show bulk data too, as hex"},
	{KEY_BITCODE, "bitcode", NULL, "show the blocks of the bitcode"},
	{KEY_RECORDS, "records", NULL, "and each record of it"},
	{0, NULL, NULL, "Pack:"},
	{KEY_FROM_MANIFEST, "from-manifest", "FILE", "make what extract --all took apart"},
	{KEY_KIND, "kind", "KIND", "of program: cs, vs, ps, ... or compute, vertex, ..."},
	{KEY_MODEL, "model", "X.Y", "the shader model"},
	{KEY_ENTRY, "entry", "NAME", "the entry point (main)"},
	{KEY_NUMTHREADS, "numthreads", "X[,Y[,Z]]", "threads of a group"},
	{KEY_RESOURCES, "resources", "FILE", "JSON: what the program is bound to, or what inspect printed"},
	{KEY_UNALIGNED, "unaligned", NULL, "do not pad parts to whole words"},
	{0, NULL, NULL, "Strip (all but the root signature when none is named):"},
	{KEY_DEBUG, "debug", NULL, "debug information"},
	{KEY_REFLECTION, "reflection", NULL, "reflection"},
	{KEY_PRIVATE, "private", NULL, "private data"},
	{KEY_ROOTSIGNATURE, "rootsignature", NULL, "the root signature"},
	{0, NULL, NULL, "Digests:"},
	{KEY_DIGEST, "digest", "KIND", "retail, debug, zero, bypass or preview (that of the input)"},
	{KEY_REQUIRE, "require", "KIND", "verify: any other digest is an error"},
	{KEY_STRICT, "strict", NULL, "verify: warnings are errors"},
	{0, NULL, NULL, "Hexmap:"},
	{KEY_SVG, "svg", NULL, "a picture instead of text"},
	{0, NULL, NULL, "Messages:"},
	{'W', NULL, "[no-]NAME", "turn a warning on or off, or make it an error"},
	{'w', NULL, NULL, "print no warnings"},
};

static const struct cli_program program = {
	.name = "gc-dxbc",
	.usage = "list [options] FILE...\n"
		 "inspect [--part=CC]... [--bitcode] [options] FILE...\n"
		 "extract --part=CC[=FILE]... | --all -o DIR [options] FILE\n"
		 "pack FILE.bc --kind=KIND --model=X.Y [options] -o FILE\n"
		 "pack --part=CC=FILE... | --from-manifest=FILE [options] -o FILE\n"
		 "add|replace|remove --part=CC[=FILE]... [-o FILE] FILE\n"
		 "strip|sign [options] [-o FILE] FILE...\n"
		 "verify [--strict] [--require=KIND] FILE...\n"
		 "diff FILE FILE\n"
		 "hexmap [--svg] FILE",
	.purpose = "Inspect, take apart, make, change, sign and verify DXBC and DXIL containers.",
	.closing = "Examples:\n"
		   "  gc-dxbc inspect shader.dxil\n"
		   "  gc-dxbc extract shader.dxil --part=DXIL --as=bitcode -o shader.bc\n"
		   "  gc-dxbc strip shader.dxil --debug -o small.dxil",
	.options = option_table,
	.option_count = sizeof option_table / sizeof *option_table,
};

static enum glacier_dxbc_digest digest(const char *option, const char *arg)
{
	enum glacier_dxbc_digest kind = glacier_dxbc_digest_find(arg);

	if (kind >= GLACIER_DIGEST_WRONG)
		cli_bad_usage("%s=%s: there are retail, debug, zero, bypass and preview", option, arg);
	return kind;
}

static void add_part(struct options *opt, const char *arg)
{
	const char *equals = strchr(arg, '=');
	size_t length = equals ? (size_t)(equals - arg) : strlen(arg);
	unsigned char name[4] = {' ', ' ', ' ', ' '};

	if (!length || length > 4)
		cli_bad_usage("--part=%s: a FourCC has four characters", arg);
	memcpy(name, arg, length);
	opt->parts = cli_realloc(opt->parts, (opt->part_count + 1) * sizeof *opt->parts);
	opt->parts[opt->part_count++] = (struct part_option){
		.fourcc = GLACIER_FOURCC(name[0], name[1], name[2], name[3]), .path = equals ? equals + 1 : NULL};
}

static bool is_stdin(const char *path)
{
	return path && !strcmp(path, "-");
}

/* It is at its end the second time. */
static void want_stdin_once(const struct options *opt)
{
	size_t count = (size_t)is_stdin(opt->resources) + is_stdin(opt->manifest);

	for (size_t i = 0; i < opt->file_count; i++)
		count += is_stdin(opt->files[i]);
	/* To extract, the files of parts are outputs. */
	for (size_t i = 0; i < opt->part_count && strcmp(opt->verb, "extract"); i++)
		count += is_stdin(opt->parts[i].path);
	if (count > 1)
		cli_bad_usage("%s: '-', standard input, can be read once", opt->verb);
}

static void want_json(const struct options *opt)
{
	static const char verbs[][8] = {"list", "inspect", "verify", "diff", "hexmap"};

	if (!cli.json)
		return;
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!strcmp(opt->verb, verbs[i]))
			return;
	cli_bad_usage("%s has no form in JSON: list, inspect, verify, diff and hexmap have one", opt->verb);
}

void options_parse(struct options *opt, int argc, char **argv)
{
	const char *arg;
	int key;

	memset(opt, 0, sizeof *opt);
	cli_start(&program, argc, argv);
	while ((key = cli_next(&arg)) != CLI_END)
		switch (key) {
		case 'o': opt->output = arg; break;
		case 'a': opt->all = true; break;
		case 'W': cli_warning_flag(&opt->warnings, arg); break;
		case 'w': cli_warnings_off(&opt->warnings); break;
		case KEY_PART: add_part(opt, arg); break;
		case KEY_AS: opt->as = arg; break;
		case KEY_FULL: opt->whole = true; break;
		case KEY_BITCODE: opt->bitcode = true; break;
		case KEY_RECORDS: opt->bitcode = opt->records = true; break;
		case KEY_FROM_MANIFEST: opt->manifest = arg; break;
		case KEY_KIND: opt->kind = arg; break;
		case KEY_MODEL: opt->model = arg; break;
		case KEY_ENTRY: opt->entry = arg; break;
		case KEY_NUMTHREADS: opt->threads = arg; break;
		case KEY_RESOURCES: opt->resources = arg; break;
		case KEY_UNALIGNED: opt->unaligned = true; break;
		case KEY_DEBUG: opt->debug = true; break;
		case KEY_REFLECTION: opt->reflection = true; break;
		case KEY_PRIVATE: opt->private_data = true; break;
		case KEY_ROOTSIGNATURE: opt->root_signature = true; break;
		case KEY_STRICT: opt->strict = true; break;
		case KEY_SVG: opt->svg = true; break;
		case KEY_DIGEST:
			opt->digest = digest("--digest", arg);
			opt->has_digest = true;
			break;
		case KEY_REQUIRE:
			opt->require = digest("--require", arg);
			opt->has_require = true;
			break;
		}
	opt->files = cli_operands(&opt->file_count);
	if (!opt->file_count)
		cli_bad_usage("say what to do: list, inspect, extract, pack, add, replace, remove, strip, sign, verify, diff or hexmap");
	opt->verb = *opt->files++;
	opt->file_count--;
	want_stdin_once(opt);
	want_json(opt);
	if (opt->as && strcmp(opt->as, "raw") && strcmp(opt->as, "bitcode") && strcmp(opt->as, "container"))
		cli_bad_usage("--as=%s: there are raw, bitcode and container", opt->as);
}

void options_want_files(const struct options *opt, size_t least, size_t most)
{
	if (opt->file_count < least)
		cli_bad_usage("%s: a file is missing", opt->verb);
	if (opt->file_count > most)
		cli_bad_usage("%s: '%s' is one file too many", opt->verb, opt->files[most]);
}

const struct part_option *options_part(const struct options *opt, uint32_t fourcc)
{
	for (size_t i = 0; i < opt->part_count; i++)
		if (opt->parts[i].fourcc == fourcc)
			return &opt->parts[i];
	return NULL;
}

void options_fini(struct options *opt)
{
	free(opt->parts);
}
