/* SPDX-License-Identifier: MIT */
/*
 * A rule is "OUTPUT...: INPUT INCLUDED...". make has its own ideas of quoting, and where
 * gcc and it agree so do we; lines are broken as gcc breaks them.
 * Source: GCC manual, "Preprocessor Options"; GNU make manual, "Rule Syntax".
 */
#include "depend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_COLUMNS = 72 };

/*
 * A space ends a name unless a backslash stands before it, and then backslashes before that
 * one count double. "#" begins a comment, ":" ends the targets, "$" a variable.
 */
static char *quote(const char *name)
{
	char *quoted = cli_alloc(2 * strlen(name) + 1), *to = quoted;
	size_t backslashes = 0;

	for (; *name; name++) {
		if (*name == ' ' || *name == '\t') {
			for (; backslashes; backslashes--)
				*to++ = '\\';
			*to++ = '\\';
		} else if (*name == '#' || *name == ':') {
			*to++ = '\\';
		} else if (*name == '$') {
			*to++ = '$';
		}
		backslashes = *name == '\\' ? backslashes + 1 : 0;
		*to++ = *name;
	}
	*to = '\0';
	return quoted;
}

/* A word of a rule, on a new line when this one is full. Takes it. */
static void put_word(FILE *stream, size_t *column, char *word)
{
	size_t columns = strlen(word) + (*column ? 1 : 0);

	if (*column && *column + columns > LINE_COLUMNS) {
		fputs(" \\\n", stream);
		*column = 0;
		columns = strlen(word) + 1;
	}
	if (*column || columns > strlen(word))
		fputc(' ', stream);
	fputs(word, stream);
	*column += columns;
	free(word);
}

static bool can_be_named(const char *name)
{
	if (!strchr(name, '\n'))
		return true;
	cli_error("%s: a rule of make cannot hold a name with a line break", name);
	return false;
}

static bool put_target(FILE *stream, size_t *column, char *word)
{
	bool good = can_be_named(word);

	if (good)
		put_word(stream, column, word);
	else
		free(word);
	return good;
}

static bool put_targets(FILE *stream, size_t *column, const struct options *options, const char *input)
{
	const struct depend_options *depend = &options->depend;
	bool good = true;

	for (size_t i = 0; i < depend->target_count; i++)
		good &= put_target(stream, column,
				   depend->targets[i].quoted ? quote(depend->targets[i].name)
							     : cli_strdup(depend->targets[i].name));
	for (size_t i = 0; !depend->target_count && i < options->artifact_count; i++) {
		char *path = output_file(options, input, i);

		good &= put_target(stream, column, quote(path));
		free(path);
	}
	return good;
}

static bool put_rule(FILE *stream, const struct options *options, const char *input,
		     const struct includes *includes)
{
	size_t column = 0;
	bool good = put_targets(stream, &column, options, input);

	fputc(':', stream);
	column++;
	if (strcmp(input, "-")) {
		good &= can_be_named(input);
		put_word(stream, &column, quote(input));
	}
	for (size_t i = 0; i < includes->used_count; i++) {
		good &= can_be_named(includes->used[i]->path);
		put_word(stream, &column, quote(includes->used[i]->path));
	}
	fputc('\n', stream);
	/* make then does not miss an included file that was removed, with the statement for it. */
	for (size_t i = 0; options->depend.phony && i < includes->used_count; i++) {
		char *word = quote(includes->used[i]->path);

		fprintf(stream, "\n%s:\n", word);
		free(word);
	}
	return good;
}

/* Where the input's rule goes; free it. NULL: standard output. */
static char *file_path(const struct options *options, const char *input)
{
	const struct depend_options *depend = &options->depend;
	const char *file = depend->file ? depend->file : depend->alone ? "-" : NULL;
	char *name, *slash, *dot;

	if (file)
		return strcmp(file, "-") ? cli_strdup(file) : NULL;
	/* Beside the code. Two targets of one kind share it, so there the input gives the name. */
	if (options->to_folder)
		return output_in_folder(options, input, "", "d");
	name = output_file(options, input, 0);
	name = cli_realloc(name, strlen(name) + sizeof ".d");
	slash = strrchr(name, '/');
	dot = strrchr(slash ? slash + 1 : name, '.');
	if (!dot || dot == (slash ? slash + 1 : name))
		dot = name + strlen(name);
	strcpy(dot, ".d");
	return name;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Takes the path. A file that is named for all inputs takes all their rules. */
static struct depend_file *open_file(struct depend *depend, char *path, bool shared)
{
	struct depend_file *file;

	if (shared && depend->count && same(depend->files[0].path, path)) {
		free(path);
		return &depend->files[0];
	}
	depend->files = cli_realloc(depend->files, (depend->count + 1) * sizeof *depend->files);
	file = &depend->files[depend->count++];
	*file = (struct depend_file){.path = path};
	return file;
}

bool depend_add(struct depend *depend, const struct options *options, const char *input,
		const struct includes *includes)
{
	bool shared = options->depend.file || options->depend.alone;
	struct depend_file *file = open_file(depend, file_path(options, input), shared);
	char *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);
	bool good;

	if (!stream)
		cli_die("%s", strerror(errno));
	good = put_rule(stream, options, input, includes);
	if (fclose(stream))
		cli_die("out of memory");
	file->text = cli_realloc(file->text, file->bytes + bytes);
	memcpy(file->text + file->bytes, text, bytes);
	file->bytes += bytes;
	free(text);
	return good;
}

bool depend_stage(struct depend *depend)
{
	bool done = true;

	for (size_t i = 0; i < depend->count && done; i++)
		done = cli_stage(depend->files[i].path, depend->files[i].text, depend->files[i].bytes, false);
	return done;
}

void depend_fini(struct depend *depend)
{
	for (size_t i = 0; i < depend->count; i++) {
		free(depend->files[i].path);
		free(depend->files[i].text);
	}
	free(depend->files);
	*depend = (struct depend){0};
}
