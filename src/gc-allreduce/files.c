/* SPDX-License-Identifier: MIT */
/* An array of a file in, the result out. */
#include "npy.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

/* The pattern with the rank for %r, the number of ranks for %n, and % for %%. */
static char *expand(const char *pattern, uint32_t rank, uint32_t size)
{
	char *path = cli_alloc(strlen(pattern) * 12 + 1), *to = path;

	for (const char *at = pattern; *at; at++) {
		if (*at == '%' && (at[1] == 'r' || at[1] == 'n'))
			to += sprintf(to, "%u", *++at == 'r' ? rank : size);
		else
			*to++ = *at == '%' && at[1] == '%' ? *++at : *at;
	}
	*to = '\0';
	return path;
}

void files_read(struct session *session)
{
	const struct options *options = session->options;
	char *path = expand(options->input, session->rank, session->size);
	size_t elem;

	if (!strcmp(path, "-") && session->size > 1)
		cli_bad_usage("standard input has one array, and there are %u ranks", session->size);
	session->file = cli_read(path);
	if (options->has_type && !cli_has_suffix(path, ".npy")) {
		elem = type_bytes(options->type);
		session->type = options->type;
		session->count = session->file.size / elem;
		if (session->file.size % elem)
			cli_wrong("%s: %zu bytes are no whole number of elements of type %s", session->file.name,
				  session->file.size, glacier_type_name(options->type));
	} else {
		struct npy npy;

		if (!cli_has_suffix(path, ".npy") && strcmp(path, "-"))
			cli_bad_usage("%s: what type are its elements? Give --type", path);
		npy_parse(&session->file, &npy);
		if (options->has_type && options->type != npy.type)
			cli_wrong("%s: its elements are %s, and --type says %s", session->file.name,
				  glacier_type_name(npy.type), glacier_type_name(options->type));
		session->type = npy.type;
		session->count = npy.count;
		session->header_bytes = npy.header_bytes;
	}
	free(path);
	if (!options->output)
		return;
	session->output_path = expand(options->output, session->rank, session->size);
	if (session->size > 1 && !strcmp(session->output_path, "-"))
		cli_bad_usage("-o -: the results of %u ranks would be mixed", session->size);
	if (session->size > 1 && !strstr(options->output, "%r"))
		cli_bad_usage("-o %s: every rank would write it; put %%r into the name", options->output);
}

void files_reduce(struct session *session)
{
	size_t bytes = session->count * type_bytes(session->type);
	void *in = NULL, *out = NULL;

	/* A page before the elements has room for what stands before them in the file. */
	if (!session_alloc(session, bytes, &in) || !session_alloc(session, bytes + 4096, &out))
		return;
	memcpy(in, (const char *)session->file.data + session->header_bytes, bytes);
	session->result = (unsigned char *)out + 4096;
	session->status = glacier_allreduce(session->comm, in, session->result, session->count, session->type,
					    session->options->op);
}

void files_stage(struct session *session)
{
	size_t bytes = session->count * type_bytes(session->type);
	bool binary = true;

	if (!session->output_path)
		return;
	/* Reading refused headers of more than a kilobyte. */
	session->output = session->result - session->header_bytes;
	memcpy(session->output, session->file.data, session->header_bytes);
	if (!cli_stage(session->output_path, session->output, session->header_bytes + bytes, binary))
		session->status = GLACIER_ERR_IO;
}
