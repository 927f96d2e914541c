/* SPDX-License-Identifier: MIT */
/*
 * Response files, by gcc's rules: white space separates, ' and " quote, a backslash takes
 * the next byte as it is (inside quotes too), @FILE may stand in a file again, and an
 * @FILE that cannot be opened is an argument like any other.
 * Source: GCC manual, "Overall Options", @file.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_DEPTH = 16, MOST_FILES = 4096, MOST_WORDS = 1 << 20, LARGEST_BYTES = 64 << 20 };

struct words {
	char **at;
	size_t count, capacity;
	char *texts[MOST_FILES];  /* the words point into them, which therefore stay */
	size_t text_count;
};

static void add(struct words *words, char *word)
{
	if (words->count >= MOST_WORDS)
		cli_die("the @files hold more than %d arguments", MOST_WORDS);
	if (words->capacity - words->count < 2) {
		words->capacity = words->capacity ? words->capacity * 2 : 64;
		words->at = cli_realloc(words->at, words->capacity * sizeof *words->at);
	}
	words->at[words->count++] = word;
}

/* The file's bytes with a terminator, or NULL when it cannot be opened. */
static char *slurp(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 0, capacity = 0;
	struct stat status;
	char *text = NULL;
	ssize_t n;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && S_ISDIR(status.st_mode))
		cli_die("@%s is a directory", path);
	do {
		if (capacity - size < 4096) {
			capacity = capacity ? capacity * 2 : 16384;
			text = cli_realloc(text, capacity);
		}
		n = read(fd, text + size, capacity - size - 1);
		if (n < 0 && errno != EINTR)
			cli_die("@%s: %s", path, strerror(errno));
		size += n > 0 ? (size_t)n : 0;
		if (size > LARGEST_BYTES)
			cli_die("@%s is larger than %d bytes", path, LARGEST_BYTES);
	} while (n);
	close(fd);
	text[size] = '\0';
	if (strlen(text) != size)
		cli_die("@%s holds a zero byte: it is no list of arguments", path);
	return text;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next word, unquoted in place; NULL at the end. */
static char *take_word(char **cursor)
{
	char *from = *cursor, *to, *word, quote = '\0';

	while (is_space(*from))
		from++;
	if (!*from)
		return NULL;
	word = to = from;
	for (; *from && (quote || !is_space(*from)); from++) {
		if (*from == '\\' && from[1])
			*to++ = *++from;
		else if (quote ? *from == quote : *from == '\'' || *from == '"')
			quote = quote ? '\0' : *from;
		else
			*to++ = *from;
	}
	*cursor = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

static void expand(struct words *words, char *word, int depth)
{
	char *text, *cursor;

	if (*word != '@' || !(text = slurp(word + 1))) {
		add(words, word);
		return;
	}
	if (depth == LARGEST_DEPTH)
		cli_die("%s: @files stand in each other more than %d deep", word, LARGEST_DEPTH);
	/* Not deep, but wide at every level: no words, and no end either. */
	if (words->text_count == MOST_FILES)
		cli_die("%s: more than %d @files", word, MOST_FILES);
	cursor = words->texts[words->text_count++] = text;
	while ((word = take_word(&cursor)))
		expand(words, word, depth + 1);
}

char **cli_expand_responses(int *argc, char **argv)
{
	static struct words words;
	int i;

	for (i = 1; i < *argc && *argv[i] != '@'; i++)
		;
	if (i >= *argc)
		return argv;
	add(&words, argv[0]);
	for (i = 1; i < *argc; i++)
		expand(&words, argv[i], 0);
	words.at[words.count] = NULL;
	*argc = (int)words.count;
	return words.at;
}
