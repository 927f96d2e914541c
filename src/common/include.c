/* SPDX-License-Identifier: MIT */
#include "include.h"

#include <stdlib.h>
#include <string.h>

/* The path as the folder of `from` sees it. */
static char *beside(const char *from, const char *path)
{
	const char *slash = from ? strrchr(from, '/') : NULL;
	size_t folder = slash ? (size_t)(slash - from) + 1 : 0, bytes = strlen(path) + 1;
	char *joined;

	if (*path == '/')
		return cli_strdup(path);
	/* Here "-" is a file's name, and not standard input. */
	if (!folder && !strcmp(path, "-"))
		return cli_strdup("./-");
	joined = cli_alloc(folder + bytes);
	if (folder)
		memcpy(joined, from, folder);
	memcpy(joined + folder, path, bytes);
	return joined;
}

/* Takes path and real_path. NULL: the file cannot be read, which was said. */
static struct included *add(struct includes *includes, char *path, char *real_path)
{
	struct included *file = cli_alloc(sizeof *file);

	*file = (struct included){.path = path, .real_path = real_path};
	if (!cli_try_read(path, &file->file)) {
		free(real_path);
		free(path);
		free(file);
		return NULL;
	}
	includes->at = cli_realloc(includes->at, (includes->count + 1) * sizeof *includes->at);
	includes->at[includes->count++] = file;
	return file;
}

static void use(struct includes *includes, struct included *file)
{
	for (size_t i = 0; i < includes->used_count; i++)
		if (includes->used[i] == file)
			return;
	includes->used = cli_realloc(includes->used, (includes->used_count + 1) * sizeof *includes->used);
	includes->used[includes->used_count++] = file;
}

void includes_begin(struct includes *includes)
{
	includes->used_count = 0;
}

bool include_find(void *user, const char *path, const char *from, struct glacier_text *out)
{
	struct includes *includes = user;
	char *joined = beside(from, path), *real_path = realpath(joined, NULL);
	struct included *file = NULL;

	/* That it is not there is said by the caller, who knows the statement. */
	if (!real_path) {
		free(joined);
		return false;
	}
	for (size_t i = 0; i < includes->count && !file; i++)
		if (!strcmp(includes->at[i]->real_path, real_path))
			file = includes->at[i];
	if (file) {
		free(joined);
		free(real_path);
	} else if (!(file = add(includes, joined, real_path))) {
		return false;
	}
	use(includes, file);
	*out = (struct glacier_text){
		.name = file->path,
		.text = file->file.data,
		.size = file->file.size,
	};
	return true;
}

void includes_fini(struct includes *includes)
{
	for (size_t i = 0; i < includes->count; i++) {
		cli_release(&includes->at[i]->file);
		free(includes->at[i]->path);
		free(includes->at[i]->real_path);
		free(includes->at[i]);
	}
	free(includes->at);
	free(includes->used);
	*includes = (struct includes){0};
}
